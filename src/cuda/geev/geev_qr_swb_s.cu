/* geev on CUDA: the kernels 2 of method swb, float.  By `auto`: 4 threads for n > 32;
 * where a block has only 64 KB of shared memory also 2 for n = 29 to 32, and 8 for n > 61. */
#include "geev_qr.cuh"

eig_status eig_cuda_geev_qr_swb_s(eig_context *ctx, int threads, const geev_job &job, cudaStream_t stream)
{
    int const n = job.order;
    switch (threads) {
    case 1:
        return launch_qr<float, 1, 16, false>(ctx, job, stream);
    case 2:
        return launch_qr<float, 2, 16, false>(ctx, job, stream);
    case 4:
        return n <= 32 ? launch_qr<float, 4, 8, false>(ctx, job, stream)
                       : launch_qr<float, 4, 16, false>(ctx, job, stream);
    case 8:
        return launch_qr<float, 8, 8, false>(ctx, job, stream);
    case 16:
        return launch_qr<float, 16, 4, false>(ctx, job, stream);
    default:
        return launch_qr<float, 32, 2, false>(ctx, job, stream);
    }
}
