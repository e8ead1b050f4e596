/* heev on CUDA: n <= 3, double. */
#include "heev_small.cuh"

eig_status eig_cuda_heev_small_d(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_small_of<heev_number<double, false>>(ctx, job, stream);
}
