/* geev on CUDA: kernel 1, float, n = 33 and more. */
#include "geev_prepare.cuh"

eig_status eig_cuda_geev_prepare_s33(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    int64_t const n = job.p.n;
    if (n <= 40) return launch_prepare<float, 8, 10, 5>(ctx, job, stream);
    if (n <= 48) return launch_prepare<float, 8, 12, 6>(ctx, job, stream);
    if (n <= 56) return launch_prepare<float, 8, 14, 7>(ctx, job, stream);
    return launch_prepare<float, 8, 16, 8>(ctx, job, stream);
}
