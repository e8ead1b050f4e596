/* heev on CUDA: tridiagonal method, n <= 8, complex float. */
#include "heev_tiny.cuh"

eig_status eig_cuda_heev_tiny_c(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    if (job.p.n > HEEV_TINY_HERE) return eig_cuda_heev_tiny8_c(ctx, job, stream);
    return launch_tiny_of<heev_number<float, true>>(ctx, job, stream);
}
