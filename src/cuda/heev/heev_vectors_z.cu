/* heev on CUDA: kernel 3 of the tridiagonal method, complex double. */
#include "heev_vectors.cuh"

eig_status eig_cuda_heev_vectors_z(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_vectors_of<heev_number<double, true>>(ctx, job, stream);
}
