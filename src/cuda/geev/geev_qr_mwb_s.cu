/* geev on CUDA: the mappings of kernel 2 for method mwb, float. */
#include "geev_qr.cuh"

eig_status eig_cuda_geev_qr_mwb_s(eig_context *ctx, int threads, const geev_job &job, cudaStream_t stream)
{
    return launch_mapping<float, true>(ctx, threads, job, stream);
}
