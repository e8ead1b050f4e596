/* geev on CUDA: matrices in registers, float, n = 16. */
#include "geev_small.cuh"

eig_status eig_cuda_geev_small_s16(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    return launch_small_of<float, 16, GEEV_SMALL_S>(ctx, job, stream);
}
