/* heev on CUDA, products of divide and conquer in double. */
#include "heev_divide_update.cuh"

eig_status eig_cuda_heev_divide_update_d(eig_context *ctx, const divide_job &job, cudaStream_t stream)
{
    return launch_updates<double>(ctx, job, stream);
}
