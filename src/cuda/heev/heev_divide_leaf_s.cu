/* heev on CUDA, leaves of divide and conquer in float. */
#include "heev_divide_leaf.cuh"

eig_status eig_cuda_heev_divide_leaf_s(eig_context *ctx, const divide_job &job, cudaStream_t stream)
{
    return launch_leaves<float>(ctx, job, stream);
}
