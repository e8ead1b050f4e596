/* heev on CUDA: two-sided Jacobi, complex float. */
#include "heev_jacobi.cuh"

eig_status eig_cuda_heev_jacobi_c(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_jacobi_of<heev_number<float, true>>(ctx, job, stream);
}
