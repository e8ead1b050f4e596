/* stebz on CUDA, method reference: bisection as in the books, the oracle of everything faster.
 *
 * Owner    a thread has one eigenvalue, which it bisects by itself from the interval that holds the whole spectrum; all
 *          threads of a block count at the same time, so that a row is read once for them.
 * Cost     about 60 counts an eigenvalue, n divisions each. */
#include "stebz_prepare.cuh"

enum { THREADS = 128 };

template <typename real> static __global__ void __launch_bounds__(THREADS) bisect_kernel(stebz_job job)
{
    stebz_facts const f = *job.facts;
    int64_t const wanted = f.iu >= f.il ? f.iu - f.il + 1 : 0, fill = f.finite ? wanted : job.last;
    if (blockIdx.x == 0 && threadIdx.x == 0) stebz_store_facts(job, f, wanted);
    for (int64_t first = (int64_t)blockIdx.x * THREADS; first < fill; first += (int64_t)gridDim.x * THREADS) {
        int64_t const at = first + threadIdx.x;
        if (!f.finite || f.zero) {
            if (at < fill) stebz_store_trivial(f, (real *)job.w, (real *)job.lower, (real *)job.upper, at);
            continue;
        }
        double lo = f.lo, hi = f.hi;
        for (;;) {
            double const mid = stebz_middle(f, lo, hi);
            bool const active = at < fill && !stebz_narrow_enough(f, lo, hi) && lo < mid && mid < hi;
            if (!__syncthreads_or(active)) break;
            bool const below = count_directly<real>(job, f, f.scale, mid) >= f.il + at;
            if (active && below) hi = mid;
            if (active && !below) lo = mid;
        }
        if (at < fill) stebz_store(f, (real *)job.w, (real *)job.lower, (real *)job.upper, at, lo, hi);
    }
}

eig_status eig_cuda_stebz_bisect(eig_context *ctx, eig_type type, const stebz_job *job, cudaStream_t stream)
{
    int64_t const want = (job->last + THREADS - 1) / THREADS, most = 16 * cuda_state_of(ctx)->multiprocessors;
    cuda_shape const shape = {want < most ? want : most, THREADS};
    return type == EIG_S ? cuda_launch(ctx, "stebz: bisect_kernel", stream, shape, bisect_kernel<float>, *job)
                         : cuda_launch(ctx, "stebz: bisect_kernel", stream, shape, bisect_kernel<double>, *job);
}
