/* geev on CUDA: matrices in registers, double. */
#include "geev_small.cuh"

eig_status eig_cuda_geev_small_d(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    return launch_small_of<double, GEEV_SMALL_D>(ctx, job, stream);
}
