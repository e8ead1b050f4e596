/* geev on CUDA: the forms of kernel 2 for method mwb, double. */
#include "geev_qr.cuh"

eig_status geev_qr_mwb_d(eig_context *ctx, int threads, const geev_job &job, cudaStream_t stream)
{
    return launch_form<double, true>(ctx, threads, job, stream);
}
