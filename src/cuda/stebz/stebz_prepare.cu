/* stebz on CUDA, preparation: finite check, Gerschgorin's interval, norm and scale, then the rows as the counting
 * kernels read them; counts by pivots at given shifts, and with them the indices of a range by value.
 *
 * Mapping  one block for small matrices; else a measuring kernel leaves one partial result per block, and every block
 *          of the second kernel reduces those again (256 of them), so that nothing needs to be cleared or counted.
 *          In the second kernel a thread makes one block of 16 rows.
 * Order    all reductions are maxima and minima: the same bits in any order.
 * Cost     reads T twice, writes 18 (float) or 18 (double) bytes a row: negligible. */
#include "stebz_prepare.cuh"

enum { THREADS = 256, WARPS = THREADS / 32, ONE_BLOCK = 8192, EXTREMES = 6 };

/* The extremes over the block's threads, in all threads. */
static __device__ stebz_partial reduce_block(const stebz_partial &p)
{
    __shared__ double shared[WARPS][EXTREMES];
    double most[EXTREMES] = {p.norm[0], p.norm[1], -p.lo[0], -p.lo[1], p.hi[0], p.hi[1]};
    for (int step = 16; step > 0; step /= 2)
#pragma unroll
        for (int k = 0; k < EXTREMES; ++k) most[k] = fmax(most[k], __shfl_xor_sync(0xffffffffu, most[k], step));
    if (threadIdx.x % 32 == 0)
#pragma unroll
        for (int k = 0; k < EXTREMES; ++k) shared[threadIdx.x / 32][k] = most[k];
    int const finite = __syncthreads_and(p.finite); /* shared is complete */
    for (int w = 0; w < WARPS; ++w)
#pragma unroll
        for (int k = 0; k < EXTREMES; ++k) most[k] = fmax(most[k], shared[w][k]);
    return stebz_partial{{most[0], most[1]}, {-most[2], -most[3]}, {most[4], most[5]}, finite};
}

template <typename real>
static __global__ void __launch_bounds__(THREADS)
    measure_kernel(const real *d, const real *e, int64_t n, stebz_partial *partials)
{
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
    }
    __syncthreads(); /* facts are complete */
    if (!facts.finite || facts.zero) return;
    int64_t const padding = job.t.blocks * STURM_BLOCK - job.t.n;
    int64_t const step = (int64_t)gridDim.x * THREADS;
    for (int64_t block = (int64_t)blockIdx.x * THREADS + threadIdx.x; block < job.t.blocks; block += step) {
        int64_t const at = block * STURM_BLOCK;
        int const from = block == 0 ? (int)padding : 0;
        make_block(d, e, at - padding, from, facts, job.t, at);
    }
}

/* ------------------------------------------------------------ pivot counts */

enum { PIVOT_THREADS = 128, PIVOT_ROWS = 1024 };

/* Pivot count of every thread at its own x, straight from d and e.  All threads of the block. */
template <typename real> static __device__ int64_t count_directly(const stebz_job &job, const stebz_facts &f, double x)
{
    __shared__ double2 rows[PIVOT_ROWS];
    stebz_scaling const by = stebz_scaling_of(f.scale);
    double q = 1;
    int64_t count = 0;
    for (int64_t first = 0; first < job.t.n; first += PIVOT_ROWS) {
        int const here = (int)(job.t.n - first < PIVOT_ROWS ? job.t.n - first : PIVOT_ROWS);
        __syncthreads(); /* the rows of the last turn have been read */
        for (int j = threadIdx.x; j < here; j += blockDim.x)
            rows[j] = stebz_entry((const real *)job.d, (const real *)job.e, first + j, by);
        __syncthreads(); /* the rows are there */
        for (int j = 0; j < here; ++j) {
            q = sturm_pivot(rows[j].x, rows[j].y, x, q, f.pivmin);
            count += q < 0;
        }
    }
    return count;
}

/* The indices of the eigenvalues in (vl, vu]: those above vl are not below the next number. */
template <typename real> static __global__ void __launch_bounds__(PIVOT_THREADS) range_kernel(stebz_job job)
{
    stebz_facts const f = *job.facts;
    __shared__ int64_t counts[2];
    if (!f.finite) return;
    double const end = threadIdx.x == 0 ? job.vl : job.vu;
    double const x = scalbn(nextafter(end, (double)INFINITY), -f.scale);
    int64_t const count = count_directly<real>(job, f, x);
    if (threadIdx.x < 2) counts[threadIdx.x] = count;
    __syncthreads(); /* counts are complete */
    if (threadIdx.x == 0) {
        job.facts->il = counts[0] + 1;
        job.facts->iu = counts[1];
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
        int64_t const c = count_directly<real>(job, f, scalbn(shift, -f.scale));
        if (j < m) count[j] = f.finite && !isnan(shift) ? c : -1;
    }
}

/* --------------------------------------------------------------- launchers */

template <typename real> static eig_status prepare(eig_context *ctx, const stebz_job &job)
{
    cudaStream_t const stream = cuda_state_of(ctx)->stream;
    int measured = 0;
    if (job.t.n > ONE_BLOCK) {
        int64_t const want = (job.t.n + 8 * THREADS - 1) / (8 * THREADS);
        measured = want < STEBZ_MEASURE_BLOCKS ? (int)want : STEBZ_MEASURE_BLOCKS;
        measure_kernel<<<measured, THREADS, 0, stream>>>((const real *)job.d, (const real *)job.e, job.t.n,
                                                         job.partials);
        CUDA_LAUNCHED("stebz: measure_kernel");
    }
    int64_t const want = measured ? (job.t.blocks + THREADS - 1) / THREADS : 1;
    int const blocks = want < 1024 ? (int)want : 1024;
    prepare_kernel<real><<<blocks, THREADS, 0, stream>>>(job, measured);
    CUDA_LAUNCHED("stebz: prepare_kernel");
    if (job.range == EIG_RANGE_VALUE) {
        range_kernel<real><<<1, PIVOT_THREADS, 0, stream>>>(job);
        CUDA_LAUNCHED("stebz: range_kernel");
    }
    return EIG_OK;
}

eig_status stebz_prepare(eig_context *ctx, char precision, const stebz_job &job)
{
    return precision == 's' ? prepare<float>(ctx, job) : prepare<double>(ctx, job);
}

template <typename real>
static eig_status count_shifts(eig_context *ctx, const stebz_job &job, const void *x, int64_t m, int64_t *count)
{
    int64_t const want = (m + PIVOT_THREADS - 1) / PIVOT_THREADS;
    int const most = 16 * cuda_state_of(ctx)->multiprocessors, blocks = want < most ? (int)want : most;
    cudaStream_t const stream = cuda_state_of(ctx)->stream;
    shifts_kernel<real><<<blocks, PIVOT_THREADS, 0, stream>>>(job, (const real *)x, m, count);
    CUDA_LAUNCHED("stebz: shifts_kernel");
    return EIG_OK;
}

eig_status stebz_count_shifts(eig_context *ctx, char precision, const stebz_job &job, const void *x, int64_t m,
                              int64_t *count)
{
    return precision == 's' ? count_shifts<float>(ctx, job, x, m, count) : count_shifts<double>(ctx, job, x, m, count);
}
