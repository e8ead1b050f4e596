/* heev on CUDA: two-sided Jacobi, double. */
#include "heev_jacobi.cuh"

eig_status eig_cuda_heev_jacobi_d(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_jacobi_of<heev_number<double, false>>(ctx, job, stream);
}
