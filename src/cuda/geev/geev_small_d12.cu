/* geev on CUDA: matrices in registers, double, n = 12 and more. */
#include "geev_small.cuh"

eig_status eig_cuda_geev_small_d12(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    return launch_small_of<double, 12, GEEV_SMALL_D>(ctx, job, stream);
}
