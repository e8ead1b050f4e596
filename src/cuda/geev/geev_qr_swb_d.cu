/* geev on CUDA: the forms of kernel 2 for method swb, double. */
#include "geev_qr.cuh"

eig_status geev_qr_swb_d(eig_context *ctx, int threads, const geev_job &job, cudaStream_t stream)
{
    return launch_form<double, false>(ctx, threads, job, stream);
}
