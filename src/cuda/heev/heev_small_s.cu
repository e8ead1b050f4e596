/* heev on CUDA: n <= 3, float. */
#include "heev_small.cuh"

eig_status eig_cuda_heev_small_s(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_small_of<heev_number<float, false>>(ctx, job, stream);
}
