/* heev on CUDA: tridiagonal method, n = 7 and 8, double. */
#include "heev_tiny.cuh"

eig_status eig_cuda_heev_tiny8_d(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_tiny<heev_number<double, false>, 8>(ctx, job, stream);
}
