/* heev on CUDA: two-sided Jacobi, float. */
#include "heev_jacobi.cuh"

eig_status eig_cuda_heev_jacobi_s(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_jacobi_of<heev_number<float, false>>(ctx, job, stream);
}
