/* geev on CUDA: matrices in registers, float, n = 11 to 13. */
#include "geev_small.cuh"

eig_status eig_cuda_geev_small_s11(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    if (job.p.n >= 14) return eig_cuda_geev_small_s14(ctx, job, stream);
    return launch_small_of<float, 11, 13>(ctx, job, stream);
}
