/* heev on CUDA: n > 32, the reduction, complex float. */
#include "heev_panel.cuh"

eig_status eig_cuda_heev_panel_c(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_panel_of<heev_number<float, true>>(ctx, job, stream);
}
