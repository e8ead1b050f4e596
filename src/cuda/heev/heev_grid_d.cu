/* heev on CUDA, 32 < n <= 64: reduction and back-transformation by a grid of threads, double. */
#include "heev_grid_back.cuh"
#include "heev_grid_reduce.cuh"

eig_status eig_cuda_heev_grid_reduce_d(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_grid_reduce_of<heev_number<double, false>>(ctx, job, stream);
}

eig_status eig_cuda_heev_grid_back_d(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_grid_back_of<heev_number<double, false>>(ctx, job, stream);
}
