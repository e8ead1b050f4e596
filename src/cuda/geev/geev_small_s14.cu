/* geev on CUDA: matrices in registers, float, n = 14 to 15. */
#include "geev_small.cuh"

eig_status eig_cuda_geev_small_s14(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    if (job.p.n >= 16) return eig_cuda_geev_small_s16(ctx, job, stream);
    return launch_small_of<float, 14, 15>(ctx, job, stream);
}
