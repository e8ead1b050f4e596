/* geev on CUDA: matrices in registers, float, n <= 10. */
#include "geev_small.cuh"

eig_status eig_cuda_geev_small_s(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    if (job.p.n >= 11) return eig_cuda_geev_small_s11(ctx, job, stream);
    return launch_small_of<float, 1, 10>(ctx, job, stream);
}
