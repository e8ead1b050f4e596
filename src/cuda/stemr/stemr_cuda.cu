/* stemr on CUDA: there is no code for it yet.  A call is refused with a sentence, and a query of its workspace says 0. */
#include "cuda_common.cuh"

extern "C" size_t eig_cuda_stemr_work_size(const eig_context *, const stemr_problem *)
{
    return 0;
}

extern "C" eig_status eig_cuda_stemr(eig_context *ctx, const stemr_problem *p)
{
    return eig_fail(ctx, EIG_NO_BACKEND, "stemr: this version has no CUDA code for it (n = %lld); use a CPU context",
                    (long long)p->n);
}
