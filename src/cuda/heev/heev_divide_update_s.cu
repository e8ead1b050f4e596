/* heev on CUDA, products of divide and conquer in float. */
#include "heev_divide_update.cuh"

eig_status eig_cuda_heev_divide_update_s(eig_context *ctx, const divide_job &job, cudaStream_t stream)
{
    return launch_updates<float>(ctx, job, stream);
}
