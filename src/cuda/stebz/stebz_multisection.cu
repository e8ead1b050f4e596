/* stebz on CUDA, method multisection: a table of shifts, then independent brackets.
 *
 * Owner     table: lane j owns shift j.  Brackets: a warp owns a run of consecutive eigenvalues and works on up to 32
 *           of them at a time, each with a group of m = 32, 16, ... 1 lanes; a group that is done takes the next of the
 *           run, and when half of the groups have nothing left, those that have get twice the lanes.  So no lane
 *           idles, neither for a small n nor for a slow bracket.
 * Memory    stebz_count.cuh; the table takes 24 bytes a point in global memory and is read once, by binary search.
 * Bits      runs depend on the number of eigenvalues alone and a warp's steps on its run: the same bits on every run.
 * Order     ascending: the last block takes running maxima of w, lower and upper where w descends, which can happen in
 *           the last places because counts are not monotone there; lower <= exact <= upper stays true.
 * Bound by  the chain of one FMA a row for small n, the register ports (two FMAs of three operands) for large n. */
#include "stebz_bracket.cuh"
#include "team.cuh"

enum { TABLE_LANES = 16384, SMALL_THREADS = 128, THREADS = 256 };

/* The count that the facts ask for: division-free in the data's precision, or, if it may be wanted, by pivots. */
template <typename real, bool may_pivot> struct counter {
    stebz_stream<real> product;
    stebz_stream<double> pivots;

    __device__ void open(const stebz_facts &f, const stebz_rows &t, char *memory)
    {
        if (may_pivot && f.pivot)
            pivots.open(t, true, memory);
        else
            product.open(t, false, memory);
    }
    __device__ bool resident(const stebz_facts &f) const
    {
        return may_pivot && f.pivot ? pivots.resident() : product.resident();
    }
    __device__ stebz_value count(const stebz_facts &f, double x, bool working)
    {
        if (may_pivot && f.pivot) return pivots.count_pivots(x, f.pivmin, working);
        return product.count((real)x, working);
    }
};

template <typename real, bool may_pivot> static __global__ void __launch_bounds__(THREADS) table_kernel(stebz_job job)
{
    __shared__ alignas(16) char memory[STEBZ_SHARED];
    stebz_facts const f = *job.facts;
    if (!f.finite || f.zero) return;
    counter<real, may_pivot> counter;
    counter.open(f, job.t, memory);
    stebz_table const t = job.table;
    for (int64_t first = (int64_t)blockIdx.x * blockDim.x; first < t.points; first += (int64_t)gridDim.x * blockDim.x) {
        int64_t const j = first + threadIdx.x;
        stebz_value const v =
            counter.count(f, stebz_table_point<real>(f, t.points, j < t.points ? j : t.points - 1), true);
        if (j >= t.points) continue;
        /* The ends need no rounding analysis: no eigenvalue lies below, none above. */
        t.count[j] = j == 0 ? 0 : j == t.points - 1 ? job.t.n : v.count;
        t.mantissa[j] = v.mantissa;
        t.exponent[j] = v.exponent;
    }
    __pipeline_wait_prior(0);
}

/* True in all threads of the block if the values do not ascend. */
template <typename real> static __device__ bool descends(const real *values, int64_t first, int64_t last)
{
    bool found = false;
    for (int64_t i = (first > 0 ? first : 1) + threadIdx.x; i < last; i += blockDim.x)
        found |= __ldcg(values + i) < __ldcg(values + i - 1);
    return __syncthreads_or(found);
}

/* Running maximum of values[first..last), continued from values[first-1]; by the first warp. */
template <typename real> static __device__ void running_maximum(real *values, int64_t first, int64_t last)
{
    if (!values || threadIdx.x >= 32) return;
    real carry = first > 0 ? __ldcg(values + first - 1) : -(real)INFINITY;
    for (int64_t base = first; base < last; base += 32) {
        int64_t const i = base + threadIdx.x;
        real const value = i < last ? __ldcg(values + i) : -(real)INFINITY;
        real highest = value;
        for (int step = 1; step < 32; step *= 2) {
            real const other = __shfl_up_sync(0xffffffffu, highest, step);
            highest = (int)threadIdx.x >= step ? fmax(highest, other) : highest;
        }
        highest = fmax(highest, carry);
        if (i < last && highest != value) values[i] = highest;
        carry = __shfl_sync(0xffffffffu, highest, 31);
    }
}

/* The last block to come here orders the results. */
template <typename real> static __device__ void finish_launch(const stebz_job &job, int64_t first, int64_t last)
{
    if (!last_block(&job.facts->finished)) return;
    if (descends((const real *)job.w, first, last)) {
        running_maximum((real *)job.w, first, last);
        running_maximum((real *)job.lower, first, last);
        running_maximum((real *)job.upper, first, last);
    }
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

/* The run of eigenvalues that a warp owns, counted from 0, and how its lanes are grouped. */
struct warp_run {
    int64_t next, end; /* not yet taken */
    int m;             /* lanes a group */
};

/* Groups whose bracket is narrow enough store it and take the next eigenvalue of the run, in the order of the lanes.
 * at is the group's eigenvalue, or -1. */
template <typename real>
static __device__ void finish_brackets(const stebz_job &job, const stebz_facts &f, warp_run &run, int64_t &at,
                                       stebz_bracket &s)
{
    int const lane = threadIdx.x & 31, base = lane & ~(run.m - 1);
    for (;;) {
        double const lo = bracket_lo(s), hi = bracket_hi(s), mid = stebz_middle<real>(f, lo, hi);
        bool const done = at >= 0 && (stebz_narrow_enough(f, lo, hi) || !(lo < mid && mid < hi));
        bool const leads = lane == base;
        if (done && leads) stebz_store(f, (real *)job.w, (real *)job.lower, (real *)job.upper, at, lo, hi);
        unsigned const free = __ballot_sync(0xffffffffu, leads && (done || at < 0));
        if (__any_sync(0xffffffffu, done) == 0 && (free == 0 || run.next >= run.end)) return;
        int64_t const mine = run.next + __popc(free & ((1u << base) - 1));
        run.next = run.next + __popc(free) < run.end ? run.next + __popc(free) : run.end;
        if (!done && at >= 0) continue;
        at = mine < run.end ? mine : -1;
        if (at >= 0) s = bracket_from_table<real>(f, job.table, f.il + at);
    }
}

/* When the run is used up: gives the groups that still work all lanes.  False when none is left. */
static __device__ bool regroup(warp_run &run, int64_t &at, stebz_bracket &s)
{
    int const lane = threadIdx.x & 31;
    unsigned const busy = __ballot_sync(0xffffffffu, at >= 0 && (lane & (run.m - 1)) == 0);
    if (busy == 0) return false;
    int const groups = __popc(busy);
    int m = run.m;
    while (2 * m * groups <= 32) m *= 2;
    if (m == run.m) return true;
    run.m = m;
    int const mine = lane / m, from = (int)__fns(busy, 0, (mine < groups ? mine : 0) + 1);
    s = bracket_of_lane(s, from);
    at = __shfl_sync(0xffffffffu, at, from);
    if (mine >= groups) at = -1;
    return true;
}

template <typename real, bool may_pivot> static __global__ void __launch_bounds__(THREADS) refine_kernel(stebz_job job)
{
    __shared__ alignas(16) char memory[STEBZ_SHARED];
    stebz_facts const f = *job.facts;
    int64_t const wanted = f.iu >= f.il ? f.iu - f.il + 1 : 0, last = job.last < wanted ? job.last : wanted;
    if (trivial<real>(job, f, wanted)) return;
    counter<real, may_pivot> counter;
    counter.open(f, job.t, memory);
    bool const resident = counter.resident(f);

    int64_t const warps = (int64_t)gridDim.x * (blockDim.x / 32), part = last - job.first;
    int64_t const length = (part + warps - 1) / warps;
    int64_t const warp = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    warp_run run = {job.first + warp * length, job.first + (warp + 1) * length, 1};
    if (run.end > last) run.end = last;
    while (run.m < 32 && 2 * run.m * length <= 32) run.m *= 2;
    int64_t at = -1;
    stebz_bracket s = {};
    bool working = run.next < run.end;
    for (;;) {
        if (working) {
            finish_brackets<real>(job, f, run, at, s);
            working = regroup(run, at, s);
        }
        if (!(resident ? working : __syncthreads_or(working))) break;
        double x = 0;
        if (at >= 0)
            x = run.m > 1 ? bracket_shift_of<real>(f, s, threadIdx.x & (run.m - 1), run.m) : bracket_shift<real>(f, s);
        stebz_value const v = counter.count(f, x, working);
        if (!working) continue;
        if (run.m > 1)
            bracket_narrow(s, x, v, run.m);
        else
            bracket_move(s, x, v);
    }
    __pipeline_wait_prior(0);
    finish_launch<real>(job, job.first, last);
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

/* Warps for a number of eigenvalues: one a scheduler for few, where more would only take turns, then two, then four. */
static int refine_warps(int64_t part)
{
    return part <= 16384 ? 512 : part <= 65536 ? 1024 : 2048;
}

template <typename real, bool may_pivot>
static eig_status launch_refine(eig_context *ctx, const stebz_job &job, cudaStream_t stream)
{
    int const warps = refine_warps(job.last - job.first), threads = warps == 512 ? SMALL_THREADS : THREADS;
    return cuda_launch(ctx, "stebz: refine_kernel", stream, {warps * 32 / threads, threads},
                       refine_kernel<real, may_pivot>, job);
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
