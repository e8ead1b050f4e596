/* heev on CUDA: tridiagonal method, n <= 8, float. */
#include "heev_tiny.cuh"

eig_status eig_cuda_heev_tiny_s(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    if (job.p.n > HEEV_TINY_HERE) return eig_cuda_heev_tiny8_s(ctx, job, stream);
    return launch_tiny_of<heev_number<float, false>>(ctx, job, stream);
}
