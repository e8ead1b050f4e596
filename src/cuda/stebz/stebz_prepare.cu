/* stebz on CUDA, preparation: finite check, Gerschgorin's interval, norm and scale, then the rows as the counting
 * kernels read them; counts by pivots at given shifts, and with them the indices of a range by value.
 *
 * Mapping  one block for small matrices; else a measuring kernel leaves one partial result per block, and every block
 *          of the second kernel reduces those again (256 of them), so that nothing needs to be cleared or counted.
 *          In the second kernel a thread makes one block of 16 rows.
 * Order    all reductions are maxima and minima: the same bits in any order.
 * Cost     reads T twice; writes a pair of reals a row and 16 or 24 bytes every 16 rows. */
#include "stebz_prepare.cuh"

enum { THREADS = STEBZ_REDUCED, ONE_BLOCK = 8192 };

template <typename real>
static __global__ void __launch_bounds__(THREADS)
    measure_kernel(const real *d, const real *e, int64_t n, stebz_partial *partials, stebz_split *split)
{
    if (split && blockIdx.x == 0 && threadIdx.x == 0) *split = stebz_split{};
    int64_t const first = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    stebz_partial const p = reduce_block(measure_rows(d, e, n, first, (int64_t)gridDim.x * THREADS));
    if (threadIdx.x == 0) partials[blockIdx.x] = p;
}

template <typename real>
static __global__ void __launch_bounds__(THREADS) prepare_kernel(stebz_job job, int partial_count)
{
    const real *const d = (const real *)job.d, *const e = (const real *)job.e;
    __shared__ stebz_facts facts;
    stebz_partial p;
    if (partial_count == 0)
        p = measure_rows(d, e, job.t.n, threadIdx.x, THREADS);
    else
        p = job.partials[threadIdx.x < partial_count ? threadIdx.x : 0];
    p = reduce_block(p);
    if (threadIdx.x == 0) {
        facts = find_facts<real>(job, p);
        if (blockIdx.x == 0) *job.facts = facts;
        if (job.split && partial_count == 0) *job.split = stebz_split{}; /* this is the only block then */
    }
    __syncthreads(); /* facts are complete */
    if (!facts.finite || facts.zero) return;
    int64_t const padding = job.t.blocks * STURM_BLOCK - job.t.n;
    int64_t const step = (int64_t)gridDim.x * THREADS;
    for (int64_t block = (int64_t)blockIdx.x * THREADS + threadIdx.x; block < job.t.blocks; block += step) {
        int64_t const at = block * STURM_BLOCK;
        int const from = block == 0 ? (int)padding : 0;
        if (make_block(d, e, at - padding, from, facts, job.t, at) && job.split) job.split->any = 1;
    }
}

/* ------------------------------------------------------------ pivot counts */

enum { PIVOT_THREADS = 128 };

/* The indices of the eigenvalues in (vl, vu]. */
template <typename real> static __global__ void __launch_bounds__(PIVOT_THREADS) range_kernel(stebz_job job)
{
    stebz_facts const f = *job.facts;
    __shared__ int64_t counts[2];
    if (!f.finite) return;
    double const end = threadIdx.x == 0 ? job.by_value.vl : job.by_value.vu;
    int64_t const count = count_below<real>(job, f, sturm_above(end));
    if (threadIdx.x < 2) counts[threadIdx.x] = count;
    __syncthreads(); /* counts are complete */
    if (threadIdx.x == 0) {
        job.facts->il = counts[0] + 1;
        job.facts->iu = counts[1];
    }
}

template <typename real> static __global__ void __launch_bounds__(PIVOT_THREADS) move_kernel(stebz_job job)
{
    stebz_facts const f = *job.facts;
    int64_t const step = (int64_t)gridDim.x * PIVOT_THREADS;
    if (!f.finite) return;
    for (int64_t k = (int64_t)blockIdx.x * PIVOT_THREADS + threadIdx.x; k <= f.iu - f.il; k += step) {
        real *const w = (real *)job.w + k, *const lower = (real *)job.lower + k, *const upper = (real *)job.upper + k;
        real const moved = (real)range_moved(&job.by_value, (double)*w);
        *w = moved;
        if (!job.lower) continue;
        if (moved < *lower) *lower = moved;
        if (moved > *upper) *upper = moved;
    }
}

template <typename real>
static __global__ void __launch_bounds__(PIVOT_THREADS)
    shifts_kernel(stebz_job job, const real *x, int64_t m, int64_t *count)
{
    stebz_facts const f = *job.facts;
    for (int64_t first = (int64_t)blockIdx.x * PIVOT_THREADS; first < m; first += (int64_t)gridDim.x * PIVOT_THREADS) {
        int64_t const j = first + threadIdx.x;
        double const shift = (double)x[j < m ? j : m - 1];
        int64_t const c = count_below<real>(job, f, shift);
        bool const good = f.finite && !isnan(shift);
        if (j < m) count[j] = good ? c : -1;
        if (!good && job.info) *job.info = EIG_INFO_NOT_FINITE; /* it was 0 before the launch */
    }
}

/* --------------------------------------------------------------- launchers */

template <typename real> static eig_status prepare(eig_context *ctx, const stebz_job &job, cudaStream_t stream)
{
    const real *const d = (const real *)job.d, *const e = (const real *)job.e;
    int measured = 0;
    eig_status status = EIG_OK;
    if (job.t.n > ONE_BLOCK) {
        int64_t const want = (job.t.n + 8 * THREADS - 1) / (8 * THREADS);
        measured = want < STEBZ_MEASURE_BLOCKS ? (int)want : STEBZ_MEASURE_BLOCKS;
        status = cuda_launch(ctx, "stebz: measure_kernel", stream, {measured, THREADS}, measure_kernel<real>, d, e,
                             job.t.n, job.partials, job.split);
    }
    int64_t const want = measured ? (job.t.blocks + THREADS - 1) / THREADS : 1;
    if (status == EIG_OK)
        status = cuda_launch(ctx, "stebz: prepare_kernel", stream, {want < 1024 ? want : 1024, THREADS},
                             prepare_kernel<real>, job, measured);
    if (status == EIG_OK && job.range == EIG_RANGE_VALUE)
        status = cuda_launch(ctx, "stebz: range_kernel", stream, {1, PIVOT_THREADS}, range_kernel<real>, job);
    return status;
}

eig_status eig_cuda_stebz_prepare(eig_context *ctx, eig_type type, const stebz_job *job, cudaStream_t stream)
{
    return type == EIG_S ? prepare<float>(ctx, *job, stream) : prepare<double>(ctx, *job, stream);
}

eig_status eig_cuda_stebz_move(eig_context *ctx, eig_type type, const stebz_job *job, cudaStream_t stream)
{
    int64_t const want = (job->t.n + PIVOT_THREADS - 1) / PIVOT_THREADS, most = cuda_state_of(ctx)->multiprocessors;
    cuda_shape const shape = {want < most ? want : most, PIVOT_THREADS};
    return type == EIG_S ? cuda_launch(ctx, "stebz: move_kernel", stream, shape, move_kernel<float>, *job)
                         : cuda_launch(ctx, "stebz: move_kernel", stream, shape, move_kernel<double>, *job);
}

template <typename real>
static eig_status count_shifts(eig_context *ctx, const stebz_count_problem *p, const stebz_job &job,
                               cudaStream_t stream)
{
    int64_t const want = (p->m + PIVOT_THREADS - 1) / PIVOT_THREADS, most = 16 * cuda_state_of(ctx)->multiprocessors;
    return cuda_launch(ctx, "stebz: shifts_kernel", stream, {want < most ? want : most, PIVOT_THREADS},
                       shifts_kernel<real>, job, (const real *)p->x, p->m, p->count);
}

eig_status eig_cuda_stebz_shifts(eig_context *ctx, const stebz_count_problem *p, const stebz_job *job,
                                 cudaStream_t stream)
{
    return p->type == EIG_S ? count_shifts<float>(ctx, p, *job, stream) : count_shifts<double>(ctx, p, *job, stream);
}
