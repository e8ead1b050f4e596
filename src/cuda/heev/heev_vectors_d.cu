/* heev on CUDA: kernel 3 of the tridiagonal method, double. */
#include "heev_vectors.cuh"

eig_status eig_cuda_heev_vectors_d(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_vectors_of<heev_number<double, false>>(ctx, job, stream);
}
