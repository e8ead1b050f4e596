/* heev on CUDA: tridiagonal method, n <= 8, complex double. */
#include "heev_tiny.cuh"

eig_status eig_cuda_heev_tiny_z(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    if (job.p.n > HEEV_TINY_HERE) return eig_cuda_heev_tiny8_z(ctx, job, stream);
    return launch_tiny_of<heev_number<double, true>>(ctx, job, stream);
}
