/* geev on CUDA: the kernels 2 of method mwb, double.  By `auto`: 2 threads for n = 14 to 18. */
#include "geev_qr.cuh"

eig_status eig_cuda_geev_qr_mwb_d(eig_context *ctx, int threads, const geev_job &job, cudaStream_t stream)
{
    int const n = job.order;
    switch (threads) {
    case 2:
        return n <= 16   ? launch_qr<double, 2, 8, true>(ctx, job, stream)
               : n <= 20 ? launch_qr<double, 2, 10, true>(ctx, job, stream)
                         : launch_qr<double, 2, 16, true>(ctx, job, stream);
    case 4:
        return n <= 32 ? launch_qr<double, 4, 8, true>(ctx, job, stream)
                       : launch_qr<double, 4, 16, true>(ctx, job, stream);
    case 8:
        return launch_qr<double, 8, 8, true>(ctx, job, stream);
    case 16:
        return launch_qr<double, 16, 4, true>(ctx, job, stream);
    default:
        return launch_qr<double, 32, 2, true>(ctx, job, stream);
    }
}
