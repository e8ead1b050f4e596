/* heev on CUDA: n > 32, the vectors, float. */
#include "heev_back.cuh"

eig_status eig_cuda_heev_back_s(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_back_of<heev_number<float, false>>(ctx, job, stream);
}
