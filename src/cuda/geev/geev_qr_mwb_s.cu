/* geev on CUDA: the kernels 2 of method mwb, float.  By `auto`: 2 threads for n = 14 (a later stage) to 32. */
#include "geev_qr.cuh"

eig_status eig_cuda_geev_qr_mwb_s(eig_context *ctx, int threads, const geev_job &job, cudaStream_t stream)
{
    int const n = job.order;
    switch (threads) {
    case 2:
        return n <= 16   ? launch_qr<float, 2, 8, true>(ctx, job, stream)
               : n <= 20 ? launch_qr<float, 2, 10, true>(ctx, job, stream)
               : n <= 26 ? launch_qr<float, 2, 13, true>(ctx, job, stream)
                         : launch_qr<float, 2, 16, true>(ctx, job, stream);
    case 4:
        return n <= 32 ? launch_qr<float, 4, 8, true>(ctx, job, stream)
                       : launch_qr<float, 4, 16, true>(ctx, job, stream);
    case 8:
        return launch_qr<float, 8, 8, true>(ctx, job, stream);
    case 16:
        return launch_qr<float, 16, 4, true>(ctx, job, stream);
    default:
        return launch_qr<float, 32, 2, true>(ctx, job, stream);
    }
}
