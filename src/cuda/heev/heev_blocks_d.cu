/* heev on CUDA: one-sided block Jacobi, double. */
#include "heev_blocks_kernel.cuh"

eig_status eig_cuda_heev_blocks_d(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_blocks_of<heev_number<double, false>>(ctx, job, stream);
}
