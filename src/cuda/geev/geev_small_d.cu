/* geev on CUDA: matrices in registers, double, n <= 8. */
#include "geev_small.cuh"

eig_status eig_cuda_geev_small_d(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    if (job.p.n >= 9) return eig_cuda_geev_small_d9(ctx, job, stream);
    return launch_small_of<double, 1, 8>(ctx, job, stream);
}
