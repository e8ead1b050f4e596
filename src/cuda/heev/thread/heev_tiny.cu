/* heev on CUDA: the tridiagonal method for n <= 6. */
#include "heev/thread/heev_tiny.cuh"
#include "per_type.cuh"

eig_status TYPED(eig_cuda_heev_tiny)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    if (job.p.n <= 3) return launch_tiny<number, 3>(ctx, job, stream);
    if (job.p.n <= 4) return launch_tiny<number, 4>(ctx, job, stream);
    if (job.p.n <= 6) return launch_tiny<number, 6>(ctx, job, stream);
    return TYPED(eig_cuda_heev_tiny8)(ctx, job, stream);
}
