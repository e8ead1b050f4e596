/* heev on CUDA, merges of divide and conquer in float. */
#include "heev_divide_merge.cuh"

eig_status eig_cuda_heev_divide_merge_s(eig_context *ctx, const divide_job &job, cudaStream_t stream)
{
    return launch_merges<float>(ctx, job, stream);
}
