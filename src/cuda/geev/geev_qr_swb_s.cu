/* geev on CUDA: the forms of kernel 2 for method swb, float. */
#include "geev_qr.cuh"

eig_status geev_qr_swb_s(eig_context *ctx, int threads, const geev_job &job, cudaStream_t stream)
{
    return launch_form<float, false>(ctx, threads, job, stream);
}
