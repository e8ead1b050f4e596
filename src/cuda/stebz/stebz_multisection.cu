/* stebz on CUDA, method multisection: a table of shifts, then independent brackets (stebz_multisection.cuh).
 *
 * Order     ascending, since all eigenvalues are leaves of one tree (stebz_bracket.cuh).
 * Bits      those of stebz_bracket.cuh, however many eigenvalues are wanted and whichever warps compute them.  Bound by
 *           the chain
 * of one FMA a row for small n, the register ports (two FMAs of three operands) for large n. */
#include "cuda/crossovers.h"
#include "primitives/team.cuh"
#include "stebz_multisection.cuh"

enum {
    SMALL_THREADS = 128,
    THREADS = STEBZ_THREADS,
    TABLE_LANES = STEBZ_TABLE_LANES,
    MANY_THREADS = 384,
    WINDOW_THREADS = 1024,
    TABLE_BLOCKS = 3 /* of counts alone on a multiprocessor: more take turns, and the last turn is less full */
};

/* Whether the blocks of T have been solved already. */
static __device__ bool solved_by_blocks(const stebz_job &job)
{
    return job.split && job.split->solved;
}

template <typename real, bool may_pivot> static __global__ void __launch_bounds__(THREADS) table_kernel(stebz_job job)
{
    __shared__ __align__(16) char memory[STEBZ_SHARED];
    stebz_facts const f = facts_of<may_pivot>(job.facts);
    if (!f.finite || f.zero || solved_by_blocks(job)) return;
    stebz_watch watch = open_watch(job);
    fill_table<real, may_pivot>(job, f, watch, memory);
}

/* Narrows the next table to the points of this one that enclose the wanted eigenvalues. */
static __global__ void __launch_bounds__(WINDOW_THREADS) window_kernel(stebz_job job)
{
    __shared__ int from, upto;
    stebz_facts const f = *job.facts;
    stebz_table const t = job.table;
    if (!f.finite || f.zero || f.iu < f.il || solved_by_blocks(job)) return;
    if (threadIdx.x == 0) from = 0, upto = (int)t.points - 1;
    __syncthreads();
    for (int j = threadIdx.x; j < t.points; j += WINDOW_THREADS) {
        if (t.count[j] < f.il) atomicMax(&from, j);
        if (t.count[j] >= f.iu) atomicMin(&upto, j);
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    job.facts->from = stebz_table_point(f, t, from), job.facts->from_at = from;
    job.facts->upto = stebz_table_point(f, t, upto), job.facts->upto_at = upto;
}

/* Counts in the product form at shifts that need not lie on the grid. */
static __global__ void __launch_bounds__(THREADS)
    rough_kernel(stebz_job job, const double *x, int64_t m, int64_t *count)
{
    __shared__ __align__(16) char memory[STEBZ_SHARED];
    stebz_facts const f = facts_of<false>(job.facts);
    if (!f.finite || f.zero) return;
    stebz_counter<double, false> counter;
    counter.open(f, job.t, memory);
    int64_t const step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t first = (int64_t)blockIdx.x * blockDim.x; first < m; first += step) {
        int64_t const j = first + threadIdx.x;
        stebz_value const v = counter.count(f, scalbn(x[j < m ? j : m - 1], -f.scale), true);
        if (j < m) count[j] = v.count;
    }
    copy_wait<0>();
}

/* What needs no counts: matrices that are zero or hold a NaN; the number of eigenvalues.  True if that was all. */
template <typename real> static __device__ bool trivial(const stebz_job &job, const stebz_facts &f, int64_t wanted)
{
    bool const single = blockIdx.x == 0 && threadIdx.x == 0;
    if (single) stebz_store_facts(job, f, wanted);
    if (f.finite && !f.zero) return false;
    int64_t const fill = f.finite ? wanted : job.range == EIG_RANGE_INDEX ? job.iu - job.il + 1 : job.t.n;
    int64_t const step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < fill; i += step)
        stebz_store_trivial(f, (real *)job.w, (real *)job.lower, (real *)job.upper, i);
    return true;
}

template <typename real, bool may_pivot>
static __global__ void __launch_bounds__(MANY_THREADS, 1) refine_kernel(stebz_job job)
{
    __shared__ __align__(16) char memory[STEBZ_SHARED];
    stebz_facts const f = facts_of<may_pivot>(job.facts);
    int64_t const wanted = f.iu >= f.il ? f.iu - f.il + 1 : 0, last = job.last < wanted ? job.last : wanted;
    if (trivial<real>(job, f, wanted) || solved_by_blocks(job)) return;
    stebz_watch watch = open_watch(job);
    refine_brackets<real, may_pivot>(job, f, last, watch, memory);
}

/* --------------------------------------------------------------- launchers */

/* Twice as many shifts as eigenvalues, and at least one for each lane that costs nothing. */
int64_t eig_cuda_stebz_table_points(const stebz_problem *p)
{
    int64_t const wanted = p->range == EIG_RANGE_VALUE ? (p->n + 1) / 2 : p->iu - p->il + 1;
    int64_t const points = (2 * wanted + THREADS - 1) / THREADS * THREADS;
    return points > TABLE_LANES ? points : (int64_t)TABLE_LANES;
}

/* Blocks of a launch for a number of lanes: no more than can run at once. */
template <typename kernel_type>
static eig_status choose_grid(eig_context *ctx, kernel_type kernel, int64_t lanes, int *blocks, int *threads)
{
    *threads = lanes <= TABLE_LANES ? SMALL_THREADS : THREADS;
    int64_t const want = (lanes + *threads - 1) / *threads;
    int each = 0;
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, *threads, 0));
    if (each > TABLE_BLOCKS) each = TABLE_BLOCKS;
    int64_t const most = (int64_t)each * cuda_state_of(ctx)->multiprocessors;
    *blocks = (int)(want < most ? want : most);
    return EIG_OK;
}

template <typename real, bool may_pivot>
static eig_status launch_table(eig_context *ctx, const stebz_job &job, cudaStream_t stream)
{
    int blocks = 0, threads = 0;
    eig_status const status = choose_grid(ctx, table_kernel<real, may_pivot>, job.table.points, &blocks, &threads);
    if (status != EIG_OK) return status;
    return cuda_launch(ctx, "stebz: table_kernel", stream, {blocks, threads}, table_kernel<real, may_pivot>, job);
}

/* For a large T a first table over all of the spectrum tells where the eigenvalues are that are wanted.  It costs one
 * round of counts.  A small T has two points an eigenvalue as it is. */
eig_status eig_cuda_stebz_window(eig_context *ctx, eig_type type, stebz_job *job, cudaStream_t stream)
{
    int64_t const n = job->t.n, wanted = job->range == EIG_RANGE_VALUE ? 0 : job->iu - job->il + 1;
    stebz_job whole = *job;
    if (2 * n <= TABLE_LANES || (!crosses(stebz_first_table, type, false, n, 1) && 4 * wanted > 3 * n)) {
        job->table.first = NULL;
        return EIG_OK;
    }
    whole.table.points = STEBZ_FIRST_POINTS;
    whole.table.count = job->table.first, whole.table.first = NULL;
    whole.rest = stebz_rest{};
    eig_status const status = eig_cuda_stebz_table(ctx, type, &whole, stream);
    if (status != EIG_OK) return status;
    return cuda_launch(ctx, "stebz: window_kernel", stream, {1, WINDOW_THREADS}, window_kernel, whole);
}

eig_status eig_cuda_stebz_rough(eig_context *ctx, const stebz_count_problem *p, const stebz_job *job,
                                cudaStream_t stream)
{
    int blocks = 0, threads = 0;
    eig_status const status = choose_grid(ctx, rough_kernel, p->m, &blocks, &threads);
    if (status != EIG_OK) return status;
    return cuda_launch(ctx, "stebz: rough_kernel", stream, {blocks, threads}, rough_kernel, *job, (const double *)p->x,
                       p->m, p->count);
}

/* Blocks for a number of eigenvalues: one warp a scheduler for few, where more would only take turns, then two, then
 * three.  One block a multiprocessor: of two the elder one gets ahead, and the other ends alone. */
static cuda_shape refine_shape(const eig_context *ctx, int64_t part)
{
    if (part <= 16384) return cuda_shape{128, SMALL_THREADS};
    if (part <= 65536) return cuda_shape{128, THREADS};
    return cuda_shape{cuda_state_of(ctx)->multiprocessors, MANY_THREADS};
}

/* refine_shape's, and those of split_kernel: two blocks a multiprocessor. */
int64_t eig_cuda_stebz_most_lanes(const eig_context *ctx)
{
    int64_t const many = 2 * THREADS * (int64_t)cuda_state_of(ctx)->multiprocessors;
    return many > 128 * THREADS ? many : 128 * (int64_t)THREADS;
}

template <typename real, bool may_pivot>
static eig_status launch_refine(eig_context *ctx, const stebz_job &job, cudaStream_t stream)
{
    return cuda_launch(ctx, "stebz: refine_kernel", stream, refine_shape(ctx, job.last), refine_kernel<real, may_pivot>,
                       job);
}

/* With the default tolerance no matrix needs pivots; with another, its norm decides on the device. */
eig_status eig_cuda_stebz_table(eig_context *ctx, eig_type type, const stebz_job *job, cudaStream_t stream)
{
    bool const may_pivot = job->abstol > 0;
    if (type == EIG_S)
        return may_pivot ? launch_table<float, true>(ctx, *job, stream) : launch_table<float, false>(ctx, *job, stream);
    return may_pivot ? launch_table<double, true>(ctx, *job, stream) : launch_table<double, false>(ctx, *job, stream);
}

eig_status eig_cuda_stebz_refine(eig_context *ctx, eig_type type, const stebz_job *job, cudaStream_t stream)
{
    bool const may_pivot = job->abstol > 0;
    if (type == EIG_S)
        return may_pivot ? launch_refine<float, true>(ctx, *job, stream)
                         : launch_refine<float, false>(ctx, *job, stream);
    return may_pivot ? launch_refine<double, true>(ctx, *job, stream) : launch_refine<double, false>(ctx, *job, stream);
}
