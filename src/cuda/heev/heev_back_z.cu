/* heev on CUDA: n > 32, the vectors, complex double. */
#include "heev_back.cuh"

eig_status eig_cuda_heev_back_z(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_back_of<heev_number<double, true>>(ctx, job, stream);
}
