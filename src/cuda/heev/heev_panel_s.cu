/* heev on CUDA: n > 32, the reduction, float. */
#include "heev_panel.cuh"

eig_status eig_cuda_heev_panel_s(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_panel_of<heev_number<float, false>>(ctx, job, stream);
}
