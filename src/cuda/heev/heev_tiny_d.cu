/* heev on CUDA: tridiagonal method, n <= 8, double. */
#include "heev_tiny.cuh"

eig_status eig_cuda_heev_tiny_d(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    if (job.p.n > HEEV_TINY_HERE) return eig_cuda_heev_tiny8_d(ctx, job, stream);
    return launch_tiny_of<heev_number<double, false>>(ctx, job, stream);
}
