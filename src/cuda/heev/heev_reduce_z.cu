/* heev on CUDA: kernel 1 of the tridiagonal method, complex double. */
#include "heev_reduce.cuh"

eig_status eig_cuda_heev_reduce_z(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_reduce_of<heev_number<double, true>>(ctx, job, stream);
}
