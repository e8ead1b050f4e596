/* Method multisection on the device: what the threads of a launch do, for a whole T (stebz_multisection.cu) and for a
 * long block of a T that splits (stebz_split.cu).
 *
 * Owner     table: lane j owns shift j.  Brackets: a warp works on up to 32 eigenvalues at a time, each with a group
 *           of m = 32, 16, ... 1 lanes.  Where there are no more than that, they are a run of the warp's own; else a
 *           group that is done takes the next one of a queue for all warps.  When half of the groups have nothing
 *           left, those that have get twice the lanes; when the brackets of a block fit fewer warps, the others
 *           leave, since a round takes the longer the more warps a scheduler has.
 * Memory    stebz_count.cuh; the table takes 24 bytes a point in global memory and is read once, by binary search.
 * Time      a launch that has a limit looks at the clock after each round of counts.  To the next launch it leaves the
 *           next point of each block (table) or the state of each lane (brackets).  A T whose rows stay in shared
 *           memory is too short to need a limit.
 * Bits      the steps of a bracket depend on how many lanes its group has at what time; its end does not
 *           (stebz_bracket.cuh). */
#ifndef EIG_STEBZ_MULTISECTION_CUH
#define EIG_STEBZ_MULTISECTION_CUH

#include "stebz_bracket.cuh"
#include "stebz_pace.h"

enum { STEBZ_THREADS = 256, STEBZ_TABLE_LANES = STEBZ_FIRST_POINTS, STEBZ_MOST_RANKS = 256 };

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
        if (may_pivot && f.pivot) return pivots.count_pivots(x, working);
        return product.count((real)x, working);
    }
};

/* When a launch has to end, and whether it goes on with what the one before left. */
struct stebz_watch {
    long long until; /* 0: when all is done */
    bool resume;
    unsigned round;
    int *late; /* [2] in shared memory, of rounds in turn */

    /* Thread 0 looks at the clock; all learn of it after the round, in which the block meets. */
    __device__ void look()
    {
        if (until && threadIdx.x == 0) late[round & 1] = nanoseconds() > until;
    }
    __device__ bool is_late()
    {
        return until && late[round++ & 1];
    }
};

/* The watch of a launch that begins.  Its time runs from when its first thread block looks. */
static __device__ stebz_watch open_watch(const stebz_job &job)
{
    __shared__ int late[2];
    __shared__ unsigned long long since;
    stebz_watch watch = {0, job.rest.resume, 0, late};
    if (job.rest.limit_ns == 0) return watch;
    if (threadIdx.x == 0) {
        unsigned long long const now = (unsigned long long)nanoseconds();
        unsigned long long const first = atomicCAS(&job.facts->since, 0ull, now);
        since = first ? first : now;
    }
    __syncthreads(); /* since is known */
    watch.until = (long long)since + job.rest.limit_ns;
    return watch;
}

/* Counts at the points of the table.  memory: [STEBZ_SHARED] in shared memory.  All threads of the launch. */
template <typename real, bool may_pivot>
static __device__ void fill_table(const stebz_job &job, const stebz_facts &f, stebz_watch &watch, char *memory)
{
    stebz_counter<real, may_pivot> counter;
    counter.open(f, job.t, memory);
    bool const resident = counter.resident(f);
    stebz_table const t = job.table;
    int64_t const end = t.points, step = (int64_t)gridDim.x * blockDim.x;
    int64_t first = watch.resume ? job.rest.first[blockIdx.x] : (int64_t)blockIdx.x * blockDim.x;
    watch.resume = false;
    for (bool late = false; first < end && !late; first += step) {
        int64_t const j = first + threadIdx.x;
        if (!resident) watch.look();
        stebz_value const v = counter.count(f, stebz_table_point(f, t, j < end ? j : end - 1), true);
        if (!resident) late = watch.is_late();
        if (j >= end) continue;
        /* The ends of T need no rounding analysis: no eigenvalue lies below, none above. */
        bool const below_all = j == 0 && f.from == f.lo, above_all = j == t.points - 1 && f.upto == f.hi;
        t.count[j] = below_all ? 0 : above_all ? job.t.n : v.count;
        t.mantissa[j] = v.mantissa;
        t.exponent[j] = v.exponent;
    }
    copy_wait<0>();
    if (threadIdx.x > 0) return;
    if (blockIdx.x == 0) job.facts->next = 0; /* for the brackets */
    if (!watch.until) return;
    job.rest.first[blockIdx.x] = first;
    if (first < end) atomicAdd(&job.facts->left, (unsigned long long)((end - first + step - 1) / step * blockDim.x));
}

/* The eigenvalues that a warp has taken, counted from 0, and how its lanes are grouped. */
struct warp_run {
    int64_t next, end;         /* not yet begun */
    int m;                     /* lanes a group */
    unsigned long long *queue; /* what no warp has taken, up to `last`; NULL: the run is all that the warp gets */
    int64_t last;
    int64_t second; /* from here on the queue begins anew, for what was left out; 0: it does not */
};

/* So many more of the queue. */
static __device__ __forceinline__ void take_more(warp_run &run, int count)
{
    if (!run.queue || run.next < run.end || count == 0) return;
    unsigned long long first = 0;
    if ((threadIdx.x & 31) == 0) first = atomicAdd(run.queue, (unsigned long long)count);
    run.next = (int64_t)__shfl_sync(0xffffffffu, first, 0);
    run.end = run.next + count < run.last ? run.next + count : run.last;
    if (run.next >= run.last) run.queue = NULL;
}

/* Groups whose bracket is narrow enough store it and take another eigenvalue, in the order of the lanes.  at is the
 * group's eigenvalue, or -1. */
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
        take_more(run, __popc(free));
        if (__any_sync(0xffffffffu, done) == 0 && (free == 0 || run.next >= run.end)) return;
        int64_t const mine = run.next + __popc(free & ((1u << base) - 1));
        run.next = run.next + __popc(free) < run.end ? run.next + __popc(free) : run.end;
        if (!done && at >= 0) continue;
        at = mine < run.end ? mine : -1;
        if (at < 0) continue;
        bool const again = run.second > 0 && at >= run.second;
        if (again) at -= run.second;
        s = bracket_from_table(f, job.table, f.il + at);
        if (run.second > 0 && bracket_single(f, s) != again) at = -1;
    }
}

/* Gives the groups that still work all lanes, when others have nothing left. */
static __device__ void regroup(warp_run &run, int64_t &at, stebz_bracket &s)
{
    int const lane = threadIdx.x & 31;
    unsigned const busy = __ballot_sync(0xffffffffu, at >= 0 && (lane & (run.m - 1)) == 0);
    int const groups = __popc(busy);
    int m = run.m;
    while (groups > 0 && 2 * m * groups <= 32) m *= 2;
    if (m == run.m) return;
    run.m = m;
    int const mine = lane / m, from = (int)__fns(busy, 0, (mine < groups ? mine : 0) + 1);
    s = bracket_of_lane(s, from);
    at = __shfl_sync(0xffffffffu, at, from);
    if (mine >= groups) at = -1;
}

/* Shares the `alive` brackets of the block out among its first `warps` warps: a round takes the longer the more warps
 * take part.  memory is not in use.  All threads of the block. */
static __device__ void close_ranks(const stebz_facts &f, warp_run &run, int64_t &at, stebz_bracket &s, int alive,
                                   int warps, char *memory)
{
    static_assert(STEBZ_SHARED / sizeof(stebz_bracket) >= STEBZ_MOST_RANKS, "the brackets do not fit");
    __shared__ int listed;
    stebz_bracket *const list = (stebz_bracket *)memory;
    int const lane = threadIdx.x & 31, warp = threadIdx.x / 32, each = (alive + warps - 1) / warps;
    if (threadIdx.x == 0) listed = 0;
    __syncthreads(); /* listed is set */
    if (at >= 0 && (lane & (run.m - 1)) == 0) list[atomicAdd(&listed, 1)] = s;
    for (run.m = 1; 2 * run.m * each <= 32;) run.m *= 2;
    __syncthreads(); /* the list is complete */
    int const mine = lane / run.m * warps + warp;
    at = -1;
    if (warp < warps && mine < alive) {
        s = list[mine];
        s.idle = 0;
        at = s.k - f.il;
    }
    __syncthreads(); /* memory is free */
}

/* A lane's bracket, its eigenvalue and its group, from one launch to the next. */
struct stebz_lane {
    stebz_bracket s;
    int64_t at;
    int m;
};
static_assert(sizeof(stebz_lane) <= STEBZ_LANE_BYTES, "a lane's state does not fit");

static __device__ __forceinline__ stebz_lane *lane_of(const stebz_job &job)
{
    return (stebz_lane *)job.rest.lanes + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* The warp's first eigenvalues: a run of its own where each lane gets one at most, else from the queue.  In a long
 * queue eigenvalues that have to be parted from neighbours come first, so that no slow one begins when all others end.
 * The queue is looked through twice for that, at the cost of one more search of the table. */
static __device__ warp_run open_run(const stebz_job &job, int64_t last, bool resident)
{
    int64_t const warps = (int64_t)gridDim.x * (blockDim.x / 32), length = (last + warps - 1) / warps;
    int64_t const warp = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    warp_run run = {0, 0, 1, NULL, last, 0};
    if (!resident && length > 32) {
        run.queue = &job.facts->next;
        if (job.t.n >= STEBZ_SLOW_FIRST) run.second = last, run.last = 2 * last;
        return run;
    }
    run.next = warp * length;
    run.end = run.next + length < last ? run.next + length : last;
    while (run.m < 32 && 2 * run.m * length <= 32) run.m *= 2;
    return run;
}

/* Refines eigenvalues [0, last) of those that are wanted.  memory: as above.  All threads of the launch. */
template <typename real, bool may_pivot>
static __device__ void refine_brackets(const stebz_job &job, const stebz_facts &f, int64_t last, stebz_watch &watch,
                                       char *memory)
{
    stebz_counter<real, may_pivot> counter;
    counter.open(f, job.t, memory);
    bool const resident = counter.resident(f);
    warp_run run = open_run(job, last, resident);
    int64_t at = -1;
    stebz_bracket s = {};
    if (watch.resume && !resident) {
        stebz_lane const mine = *lane_of(job);
        s = mine.s, at = mine.at, run.m = mine.m;
        run.next = run.end;
    }
    watch.resume = false;
    int warps = blockDim.x / 32; /* that may have work */
    bool late = false;
    for (;;) {
        finish_brackets<real>(job, f, run, at, s);
        regroup(run, at, s);
        bool const leads = at >= 0 && (threadIdx.x & (run.m - 1)) == 0;
        bool working = __any_sync(0xffffffffu, leads);
        if (resident ? !working : late) break;
        if (!resident) {
            int const alive = __syncthreads_count(leads);
            int const enough = (alive + 127) / 128 * 4; /* one warp a scheduler, or two */
            if (alive == 0) break;
            if (enough < warps) {
                copy_wait<0>();
                __syncthreads(); /* the tile has come, and nobody reads it */
                close_ranks(f, run, at, s, alive, warps = enough, memory);
                working = __any_sync(0xffffffffu, at >= 0);
                counter.open(f, job.t, memory);
            }
        }
        double x = 0;
        if (at >= 0)
            x = run.m > 1 ? bracket_shift_of<real>(f, s, threadIdx.x & (run.m - 1), run.m) : bracket_shift<real>(f, s);
        if (!resident) watch.look();
        stebz_value const v = counter.count(f, x, working);
        if (!resident) late = watch.is_late();
        if (!working) continue;
        if (run.m > 1)
            bracket_take(f, s, x, v, run.m);
        else
            bracket_move(s, x, v);
    }
    copy_wait<0>();
    if (!watch.until) return;
    *lane_of(job) = stebz_lane{s, at, run.m};
    unsigned const busy = __ballot_sync(0xffffffffu, at >= 0 && (threadIdx.x & (run.m - 1)) == 0);
    if (busy && (threadIdx.x & 31) == 0) atomicAdd(&job.facts->left, (unsigned long long)__popc(busy));
}

#endif
