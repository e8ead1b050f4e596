/* geev on CUDA: kernel 1, double, n <= 32. */
#include "geev_prepare.cuh"

eig_status eig_cuda_geev_prepare_d(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    int64_t const n = job.p.n;
    if (n <= 16) return launch_prepare<double, 2, 4, 8>(ctx, job, stream);
    if (n <= 20) return launch_prepare<double, 4, 5, 5>(ctx, job, stream);
    if (n <= 24) return launch_prepare<double, 4, 6, 6>(ctx, job, stream);
    if (n <= 28) return launch_prepare<double, 4, 7, 7>(ctx, job, stream);
    if (n <= 32) return launch_prepare<double, 4, 8, 8>(ctx, job, stream);
    return eig_cuda_geev_prepare_d33(ctx, job, stream);
}
