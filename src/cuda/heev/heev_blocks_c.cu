/* heev on CUDA: one-sided block Jacobi, complex float. */
#include "heev_blocks_kernel.cuh"

eig_status eig_cuda_heev_blocks_c(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_blocks_of<heev_number<float, true>>(ctx, job, stream);
}
