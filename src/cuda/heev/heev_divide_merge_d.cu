/* heev on CUDA, merges of divide and conquer in double. */
#include "heev_divide_merge.cuh"

eig_status eig_cuda_heev_divide_merge_d(eig_context *ctx, const divide_job &job, cudaStream_t stream)
{
    return launch_merges<double>(ctx, job, stream);
}
