/* heev on CUDA: n > 32, the vectors, complex float. */
#include "heev_back.cuh"

eig_status eig_cuda_heev_back_c(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_back_of<heev_number<float, true>>(ctx, job, stream);
}
