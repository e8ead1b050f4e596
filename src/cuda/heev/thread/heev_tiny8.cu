/* heev on CUDA: the tridiagonal method for n = 7 and 8, by itself because the compiler takes long. */
#include "heev/thread/heev_tiny.cuh"
#include "per_type.cuh"

eig_status TYPED(eig_cuda_heev_tiny8)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return launch_tiny<number, 8>(ctx, job, stream);
}
