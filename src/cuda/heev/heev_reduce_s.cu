/* heev on CUDA: kernel 1 of the tridiagonal method, float. */
#include "heev_reduce.cuh"

eig_status eig_cuda_heev_reduce_s(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_reduce_of<heev_number<float, false>>(ctx, job, stream);
}
