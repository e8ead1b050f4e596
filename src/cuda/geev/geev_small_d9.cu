/* geev on CUDA: matrices in registers, double, n = 9 to 11. */
#include "geev_small.cuh"

eig_status eig_cuda_geev_small_d9(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    if (job.p.n >= 12) return eig_cuda_geev_small_d12(ctx, job, stream);
    return launch_small_of<double, 9, 11>(ctx, job, stream);
}
