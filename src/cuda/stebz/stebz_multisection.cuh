/* Method multisection on the device: what the threads of a launch do, for a whole T (stebz_multisection.cu) and for a
 * long block of a T that splits (stebz_split.cu).
 *
 * Owner     table: lane j owns shift j.  Brackets: a warp owns a run of consecutive eigenvalues and works on up to 32
 *           of them at a time, each with a group of m = 32, 16, ... 1 lanes; a group that is done takes the next of the
 *           run, and when half of the groups have nothing left, those that have get twice the lanes.  So no lane
 *           idles, neither for a small n nor for a slow bracket.
 * Memory    stebz_count.cuh; the table takes 24 bytes a point in global memory and is read once, by binary search.
 * Bits      a bracket's way depends on the lanes that its group has, its end does not (stebz_bracket.cuh). */
#ifndef EIG_STEBZ_MULTISECTION_CUH
#define EIG_STEBZ_MULTISECTION_CUH

#include "stebz_bracket.cuh"

enum { STEBZ_THREADS = 256, STEBZ_TABLE_LANES = 16384 };

/* The count that the facts ask for: division-free in the data's precision, or, if it may be wanted, by pivots. */
template <typename real, bool may_pivot> struct stebz_counter {
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

/* Counts at points [begin, end) of the table.  memory: [STEBZ_SHARED] in shared memory.  All threads of the launch. */
template <typename real, bool may_pivot>
static __device__ void fill_table(const stebz_job &job, const stebz_facts &f, int64_t begin, int64_t end, char *memory)
{
    stebz_counter<real, may_pivot> counter;
    counter.open(f, job.t, memory);
    stebz_table const t = job.table;
    int64_t const step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t first = begin + (int64_t)blockIdx.x * blockDim.x; first < end; first += step) {
        int64_t const j = first + threadIdx.x;
        stebz_value const v = counter.count(f, stebz_table_point(f, t.points, j < end ? j : end - 1), true);
        if (j >= end) continue;
        /* The ends of T need no rounding analysis: no eigenvalue lies below, none above. */
        bool const below_all = j == 0 && f.from == f.lo, above_all = j == t.points - 1 && f.upto == f.hi;
        t.count[j] = below_all ? 0 : above_all ? job.t.n : v.count;
        t.mantissa[j] = v.mantissa;
        t.exponent[j] = v.exponent;
    }
    __pipeline_wait_prior(0);
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
        double lo, hi;
        bool const done = at >= 0 && bracket_done(f, s, &lo, &hi), leads = lane == base;
        if (done && leads) stebz_store(f, (real *)job.w, (real *)job.lower, (real *)job.upper, at, lo, hi);
        unsigned const free = __ballot_sync(0xffffffffu, leads && (done || at < 0));
        if (__any_sync(0xffffffffu, done) == 0 && (free == 0 || run.next >= run.end)) return;
        int64_t const mine = run.next + __popc(free & ((1u << base) - 1));
        run.next = run.next + __popc(free) < run.end ? run.next + __popc(free) : run.end;
        if (!done && at >= 0) continue;
        at = mine < run.end ? mine : -1;
        if (at >= 0) s = bracket_from_table(f, job.table, f.il + at);
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

/* Refines eigenvalues [job.first, last) of those that are wanted.  memory: as above.  All threads of the launch. */
template <typename real, bool may_pivot>
static __device__ void refine_brackets(const stebz_job &job, const stebz_facts &f, int64_t last, char *memory)
{
    stebz_counter<real, may_pivot> counter;
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
            bracket_take(f, s, x, v, run.m);
        else
            bracket_move(s, x, v);
    }
    __pipeline_wait_prior(0);
}

#endif
