/* heev on CUDA, leaves of divide and conquer in double. */
#include "heev_divide_leaf.cuh"

eig_status eig_cuda_heev_divide_leaf_d(eig_context *ctx, const divide_job &job, cudaStream_t stream)
{
    return launch_leaves<double>(ctx, job, stream);
}
