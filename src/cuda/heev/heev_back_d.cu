/* heev on CUDA: n > 32, the vectors, double. */
#include "heev_back.cuh"

eig_status eig_cuda_heev_back_d(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_back_of<heev_number<double, false>>(ctx, job, stream);
}
