/* geev on CUDA: the mappings of kernel 2 for method mwb, double. */
#include "geev_qr.cuh"

eig_status eig_cuda_geev_qr_mwb_d(eig_context *ctx, int threads, const geev_job &job, cudaStream_t stream)
{
    return launch_mapping<double, true>(ctx, threads, job, stream);
}
