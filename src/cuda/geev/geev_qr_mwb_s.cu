/* geev on CUDA: the forms of kernel 2 for method mwb, float. */
#include "geev_qr.cuh"

eig_status geev_qr_mwb_s(eig_context *ctx, int threads, const geev_job &job, cudaStream_t stream)
{
    return launch_form<float, true>(ctx, threads, job, stream);
}
