/* geev on CUDA: the kernels 2 of method swb, double.  By `auto`: 2 threads for n = 19 to 28, 4 up to 47, 8 above;
 * where a block has only 64 KB of shared memory 4 up to 42, 8 up to 61, 16 above. */
#include "geev_qr.cuh"

eig_status eig_cuda_geev_qr_swb_d(eig_context *ctx, int threads, const geev_job &job, cudaStream_t stream)
{
    int const n = job.order;
    switch (threads) {
    case 1:
        return launch_qr<double, 1, 16, false>(ctx, job, stream);
    case 2:
        return n <= 20   ? launch_qr<double, 2, 10, false>(ctx, job, stream)
               : n <= 26 ? launch_qr<double, 2, 13, false>(ctx, job, stream)
                         : launch_qr<double, 2, 16, false>(ctx, job, stream);
    case 4:
        return n <= 32 ? launch_qr<double, 4, 8, false>(ctx, job, stream)
                       : launch_qr<double, 4, 16, false>(ctx, job, stream);
    case 8:
        return launch_qr<double, 8, 8, false>(ctx, job, stream);
    case 16:
        return launch_qr<double, 16, 4, false>(ctx, job, stream);
    default:
        return launch_qr<double, 32, 2, false>(ctx, job, stream);
    }
}
