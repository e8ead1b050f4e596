/* stebz on CUDA: a T whose off-diagonals vanish here and there.  Its eigenvalues are those of its blocks, found by
 * themselves and then sorted, so that the cost follows the sum of the blocks' squares instead of n^2.
 *
 * Launch    one kernel whose blocks all run at once and wait for each other (grid_barrier); it ends at once where T
 *           does not split.  What it decides, it decides on the device: nothing is waited for on the host.
 * Owner     a short block (STEBZ_SHORT_ROWS rows): a thread an eigenvalue, in double, the block's rows in global
 *           memory.  Long blocks: one after another, all threads, as method multisection solves a whole T.
 * Memory    8 bytes a row of starts, and the results twice, for the sort.
 * Bits      the blocks are found by comparisons, each is solved by itself, sorting leaves no choice.
 * Negligible off-diagonals: stebz_negligible.  The enclosures stay true when each array is sorted by itself: see
 * docs/families/stebz.md. */
#include "primitives/team.cuh"
#include "stebz_multisection.cuh"
#include "stebz_prepare.cuh"

#include <stdint.h>

/* Sorting of numbers by all blocks of a launch that runs at once: tiles in shared memory, then merged in pairs.
 *
 * Method    Bitonic sorts of SORT_TILE numbers; then passes that merge neighbouring runs, in which a thread makes
 *           SORT_EACH neighbouring outputs from where the path of the merge crosses its first one (a binary search).
 * Cost      log2(n / SORT_TILE) passes over the numbers, a barrier of the grid each.
 * Bits      one result: neither the launch's shape nor the order of equal numbers shows. */

enum { SORT_TILE = 2048, SORT_EACH = 8 };

/* Sorts a tile; missing numbers are infinite.  tile: [SORT_TILE] in shared memory.  All threads of the block. */
template <typename real> static __device__ void sort_tile(real *x, int count, real *tile)
{
    for (int i = threadIdx.x; i < SORT_TILE; i += blockDim.x) tile[i] = i < count ? x[i] : (real)INFINITY;
    for (int run = 2; run <= SORT_TILE; run *= 2)
        for (int step = run / 2; step > 0; step /= 2) {
            __syncthreads(); /* the last step is done */
            for (int pair = threadIdx.x; pair < SORT_TILE / 2; pair += blockDim.x) {
                int const i = 2 * step * (pair / step) + pair % step, j = i + step;
                bool const ascends = (i & run) == 0;
                real const a = tile[i], b = tile[j];
                if (ascends == (a > b)) tile[i] = b, tile[j] = a;
            }
        }
    __syncthreads(); /* the tile is sorted */
    for (int i = threadIdx.x; i < count; i += blockDim.x) x[i] = tile[i];
    __syncthreads(); /* the tile is free */
}

/* SORT_EACH outputs, from number `at` on, of the merge of a[na] and b[nb]. */
template <typename real>
static __device__ void merge_some(const real *a, int64_t na, const real *b, int64_t nb, int64_t at, real *out)
{
    int64_t lo = at > nb ? at - nb : 0, hi = at < na ? at : na; /* of a before output `at` */
    while (lo < hi) {
        int64_t const mid = lo + (hi - lo) / 2;
        if (a[mid] <= b[at - 1 - mid])
            lo = mid + 1;
        else
            hi = mid;
    }
    int64_t i = lo, j = at - lo;
    for (int k = 0; k < SORT_EACH && at + k < na + nb; ++k) {
        bool const from_a = j >= nb || (i < na && a[i] <= b[j]);
        out[at + k] = from_a ? a[i++] : b[j++];
    }
}

/* Sorts x[n], ascending; no NaN among them.  Returns where the result is: x or scratch.  turn: barriers so far.  All
 * threads of the launch, whose blocks all fit on the device at once. */
template <typename real>
static __device__ real *grid_sort(real *x, int64_t n, real *scratch, real *tile, unsigned *barrier, unsigned &turn)
{
    for (int64_t first = (int64_t)blockIdx.x * SORT_TILE; first < n; first += (int64_t)gridDim.x * SORT_TILE)
        sort_tile(x + first, (int)(n - first < SORT_TILE ? n - first : SORT_TILE), tile);
    grid_barrier(barrier, ++turn);
    real *from = x, *to = scratch;
    int64_t const step = (int64_t)gridDim.x * blockDim.x * SORT_EACH;
    for (int64_t run = SORT_TILE; run < n; run *= 2) {
        for (int64_t at = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * SORT_EACH; at < n; at += step) {
            int64_t const base = at / (2 * run) * (2 * run), half = base + run < n ? base + run : n;
            int64_t const end = base + 2 * run < n ? base + 2 * run : n;
            merge_some(from + base, half - base, from + half, end - half, at - base, to + base);
        }
        grid_barrier(barrier, ++turn);
        real *const swap = from;
        from = to, to = swap;
    }
    return from;
}

/* The short blocks: a thread an eigenvalue, in double, the block's rows in global memory. */

static __device__ __forceinline__ int64_t end_of_block(const stebz_job &job, int64_t block, int64_t blocks)
{
    return block + 1 < blocks ? job.room.starts[block + 1] : job.t.n;
}

enum { STRIDE = 8 }; /* rows that are loaded ahead, and after which values are brought back into range */

/* The scaled rows of T, (a, b), b = 0 where a block begins, in place of what the preparation made of them. */
template <typename real> static __device__ void make_pairs(const stebz_job &job, const stebz_facts &f)
{
    stebz_scaling const by = stebz_scaling_of(f.scale);
    int64_t const step = (int64_t)gridDim.x * STEBZ_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * STEBZ_THREADS + threadIdx.x; i < job.t.n; i += step) {
        double2 row = stebz_entry((const real *)job.d, (const real *)job.e, i, by);
        if (stebz_negligible<real>(f, row.y)) row.y = 0;
        ((double2 *)job.t.rows)[i] = row;
    }
}

/* A count on its way down the rows of a short block. */
struct short_walk {
    double r0, r1; /* product form: the determinants of the last two rows */
    double q, p;   /* pivot form: the last pivot, and the product of all, up to a factor */
    int count, exponent;
};

/* One row.  Determinants change sign where a pivot is negative; one that is 0 takes part in one change, either way. */
template <bool pivots>
static __device__ __forceinline__ void walk_pair(short_walk &s, double2 row, double x, double unit)
{
    if (pivots) {
        s.q = sturm_pivot(row.x, row.y, x, s.q);
        s.p *= s.q * unit;
        s.count += s.q < 0;
    } else {
        double const next = fma(row.x - x, s.r1, -(row.y * row.y * s.r0));
        s.count += (sign_word(next) ^ sign_word(s.r1)) >> 31;
        s.r0 = s.r1;
        s.r1 = next;
    }
}

template <bool pivots> static __device__ __forceinline__ void walk_rescale(short_walk &s)
{
    int const field = pivots ? exponent_field(s.p) : max(exponent_field(s.r0), exponent_field(s.r1));
    int const e = field - exponent_bias<double>;
    double const factor = power_of_two<double>(-e);
    s.exponent += e;
    s.p *= factor;
    s.r0 *= factor;
    s.r1 *= factor;
}

/* Count of rows [first, last) at x, and their characteristic polynomial there, up to a factor.
 *
 * The product form here is the plain one, p_i = (a_i - x) p_{i-1} - b_i^2 p_{i-2} in double: five roundings a row,
 * which move a_i by at most 2 u (|a_i| + |x|) and b_i by 2 u |b_i|, u = eps/2: within STURM_ERROR_PRODUCT.  Over STRIDE
 * rows no value leaves the range of double, since |b| is above the floor. */
template <bool pivots>
static __device__ stebz_value count_rows(const double2 *rows, int64_t first, int64_t last, double x, double unit)
{
    short_walk s = {0, 1, 1, 1, 0, 0};
    int64_t i = first;
    for (; i + STRIDE <= last; i += STRIDE) {
        double2 row[STRIDE];
#pragma unroll
        for (int j = 0; j < STRIDE; ++j) row[j] = rows[i + j];
#pragma unroll
        for (int j = 0; j < STRIDE; ++j) walk_pair<pivots>(s, row[j], x, unit);
        walk_rescale<pivots>(s);
    }
    for (; i < last; ++i) walk_pair<pivots>(s, rows[i], x, unit);
    return stebz_value{s.count, pivots ? s.p : s.r1, (double)s.exponent};
}

/* Gerschgorin's interval of the block as a bracket of its eigenvalue k. */
static __device__ stebz_bracket bracket_of_block(const double2 *rows, const stebz_facts &f, int64_t first, int64_t last,
                                                 int64_t k)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t i = first; i < last; ++i) {
        double const centre = rows[i].x, radius = rows[i].y + (i + 1 < last ? rows[i + 1].y : 0);
        lo = fmin(lo, centre - radius);
        hi = fmax(hi, centre + radius);
    }
    double const margin = f.error + 4 * DBL_MIN;
    stebz_bracket s = {};
    s.a.x = floor((lo - margin) * f.per_grid) * f.grid;
    s.b.x = ceil((hi + margin) * f.per_grid) * f.grid;
    s.k = k;
    s.count_b = last - first;
    s.idle = BRACKET_PATIENCE; /* the polynomial is not known at the ends */
    return s;
}

/* Two rows: m -+ sqrt(h^2 + b^2), m and h half of the diagonal's sum and difference: 5 roundings of the norm at most,
 * less than f.error. */
static __device__ double eigenvalue_of_two(double a, double b, double c, int64_t k)
{
    double const half = 0.5 * (a - c), middle = 0.5 * (a + c), root = sqrt(half * half + b * b);
    return k == 1 ? middle - root : middle + root;
}

/* Takes the place of an eigenvalue outside the window. */
template <typename real> static __device__ void store_beyond(const stebz_job &job, int64_t at, bool above)
{
    real const value = above ? (real)INFINITY : -(real)INFINITY;
    ((real *)job.room.w)[at] = value;
    if (job.lower) ((real *)job.room.lower)[at] = value;
    if (job.upper) ((real *)job.room.upper)[at] = value;
}

/* Eigenvalue `at` - `first` + 1 of the block of rows [first, last), into place `at`. */
template <typename real, bool pivots>
static __device__ void solve_short(const stebz_job &job, const stebz_facts &f, int64_t first, int64_t last, int64_t at)
{
    const double2 *const rows = (const double2 *)job.t.rows;
    double lo, hi;
    if (last - first == 1) {
        lo = hi = rows[first].x;
    } else if (last - first == 2 && !f.fine) {
        lo = hi = eigenvalue_of_two(rows[first].x, rows[last - 1].y, rows[last - 1].x, at - first + 1);
    } else {
        stebz_bracket s = bracket_of_block(rows, f, first, last, at - first + 1);
        double const unit = 1 / (s.b.x - s.a.x), from = job.split->from, upto = job.split->upto;
        if (s.a.x < from && count_rows<pivots>(rows, first, last, from, unit).count >= s.k)
            return store_beyond<real>(job, at, false);
        if (upto < s.b.x && count_rows<pivots>(rows, first, last, upto, unit).count < s.k)
            return store_beyond<real>(job, at, true);
        while (!bracket_done(f, s, &lo, &hi)) {
            double const x = bracket_shift<double>(f, s);
            bracket_move(s, x, count_rows<pivots>(rows, first, last, x, unit));
        }
    }
    stebz_store(f, (real *)job.room.w, (real *)job.room.lower, (real *)job.room.upper, at, lo, hi);
}

template <typename real, bool pivots> static __device__ void solve_shorts(const stebz_job &job, const stebz_facts &f)
{
    int64_t const n = job.t.n, blocks = job.split->blocks, step = (int64_t)gridDim.x * STEBZ_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * STEBZ_THREADS + threadIdx.x; i < n; i += step) {
        int64_t lo = 0, hi = blocks; /* the block that holds row i: starts[lo] <= i < starts[hi] */
        while (hi - lo > 1) {
            int64_t const mid = lo + (hi - lo) / 2;
            if (job.room.starts[mid] <= i)
                lo = mid;
            else
                hi = mid;
        }
        int64_t const first = job.room.starts[lo], last = end_of_block(job, lo, blocks);
        if (last - first <= STEBZ_SHORT_ROWS) solve_short<real, pivots>(job, f, first, last, i);
    }
}

enum { THREADS = STEBZ_THREADS };

/* A thread's way through the launch: barriers that it has passed. */
struct split_walk {
    unsigned *barrier;
    unsigned turn;

    __device__ void wait()
    {
        grid_barrier(barrier, ++turn);
    }
};

/* ------------------------------------------------------------------ the blocks */

template <typename real>
static __device__ __forceinline__ bool starts_block(const stebz_job &job, const stebz_facts &f, stebz_scaling by,
                                                    int64_t i)
{
    return i == 0 || stebz_negligible<real>(f, stebz_entry((const real *)job.d, (const real *)job.e, i, by).y);
}

/* Lists the first rows of all blocks, in order: every thread block lists those of its part of the rows. */
template <typename real>
static __device__ void list_starts(const stebz_job &job, const stebz_facts &f, split_walk &walk)
{
    __shared__ int64_t before[THREADS / 32];
    __shared__ int of_warp[THREADS / 32];
    stebz_scaling const by = stebz_scaling_of(f.scale);
    int64_t const n = job.t.n, part = (n + gridDim.x - 1) / gridDim.x;
    int64_t const first = (int64_t)blockIdx.x * part, last = first + part < n ? first + part : n;
    int const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int64_t found = 0;
    for (int64_t base = first; base < last; base += THREADS) {
        int64_t const i = base + threadIdx.x;
        found += __syncthreads_count(i < last && starts_block<real>(job, f, by, i));
    }
    if (threadIdx.x == 0) job.room.counts[blockIdx.x] = found;
    walk.wait();
    int64_t offset = 0;
    for (int b = threadIdx.x; b < (int)blockIdx.x; b += THREADS) offset += job.room.counts[b];
    for (int d = 16; d > 0; d /= 2) offset += __shfl_xor_sync(0xffffffffu, offset, d);
    if (lane == 0) before[warp] = offset;
    __syncthreads(); /* before is complete */
    offset = 0;
    for (int w = 0; w < THREADS / 32; ++w) offset += before[w];
    for (int64_t base = first; base < last; base += THREADS) {
        int64_t const i = base + threadIdx.x;
        bool const start = i < last && starts_block<real>(job, f, by, i);
        unsigned const mask = __ballot_sync(0xffffffffu, start);
        if (lane == 0) of_warp[warp] = __popc(mask);
        __syncthreads(); /* of_warp is complete */
        int64_t at = offset + __popc(mask & ((1u << lane) - 1));
        for (int w = 0; w < THREADS / 32; ++w) {
            at += w < warp ? of_warp[w] : 0;
            offset += of_warp[w];
        }
        if (start) job.room.starts[at] = i;
        __syncthreads(); /* of_warp is free */
    }
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) job.split->blocks = offset;
    walk.wait();
}

/* Lists the long blocks, in any order, and adds up what all cost.  True where that is cheaper than T as a whole with
 * all its eigenvalues.  What is wanted must not decide, since bits depend on the answer. */
static __device__ bool worthwhile(const stebz_job &job, split_walk &walk)
{
    int64_t const blocks = job.split->blocks;
    unsigned long long cost = 0;
    for (int64_t b = (int64_t)blockIdx.x * THREADS + threadIdx.x; b < blocks; b += (int64_t)gridDim.x * THREADS) {
        unsigned long long const length = end_of_block(job, b, blocks) - job.room.starts[b];
        cost += length * length;
        if (length > STEBZ_SHORT_ROWS) job.room.longs[atomicAdd(&job.split->longs, 1)] = b;
    }
    for (int d = 16; d > 0; d /= 2) cost += __shfl_xor_sync(0xffffffffu, cost, d);
    if (threadIdx.x % 32 == 0 && cost > 0) atomicAdd(&job.split->cost, cost);
    walk.wait();
    return (double)job.split->cost <= 0.75 * (double)job.t.n * (double)job.t.n;
}

/* Where some eigenvalues are wanted: an interval that holds them, with so much room on both sides that what lies
 * outside sorts before or behind them.  Afterwards job.split->from, upto. */
template <typename real, bool may_pivot>
static __device__ void find_window(const stebz_job &job, const stebz_facts &f, char *memory, split_walk &walk)
{
    bool const some = f.iu - f.il + 1 < job.t.n;
    stebz_watch unlimited = {};
    if (some) fill_table<real, may_pivot>(job, f, unlimited, memory);
    if (some) walk.wait();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        double lo = -INFINITY, hi = INFINITY;
        if (some) {
            lo = bracket_lo(bracket_from_table(f, job.table, f.il));
            hi = bracket_hi(bracket_from_table(f, job.table, f.iu));
            double const room = 8 * f.error + 4 * stebz_width(f, lo, hi);
            lo -= room, hi += room;
        }
        job.split->from = lo, job.split->upto = hi;
    }
    walk.wait();
}

/* ----------------------------------------------------------------- long blocks */

/* The block of rows [first, last) as a job of its own. */
template <typename real> static __device__ stebz_job job_of_block(const stebz_job &job, int64_t first, int64_t last)
{
    stebz_job part = job;
    int64_t const length = last - first, lanes = STEBZ_TABLE_LANES, points = 2 * length > lanes ? 2 * length : lanes;
    part.d = (const real *)job.d + first;
    part.e = (const real *)job.e + first;
    part.w = (real *)job.room.w + first;
    part.lower = job.lower ? (real *)job.room.lower + first : NULL;
    part.upper = job.upper ? (real *)job.room.upper + first : NULL;
    part.t.n = length;
    part.t.blocks = (length + STURM_BLOCK - 1) / STURM_BLOCK;
    part.table.points = points < job.table.points ? points : job.table.points;
    return part;
}

/* Which eigenvalues of a long block are wanted, by its table: those in the window, and a point further on each side.
 * Gives the others their places.  How many are wanted. */
template <typename real> static __device__ int64_t want_window(stebz_job &part, stebz_facts &f, int64_t row)
{
    int64_t const n = part.t.n, end = part.table.points - 1, step = (int64_t)gridDim.x * THREADS;
    double const width = (f.hi - f.lo) / (double)end;
    double const below = floor((part.split->from - f.lo) / width) - 1;
    double const above = ceil((part.split->upto - f.lo) / width) + 1;
    f.il = 1, f.iu = n;
    if (below > 0) f.il = part.table.count[below < (double)end ? (int64_t)below : end] + 1;
    if (above < (double)end) f.iu = part.table.count[above > 0 ? (int64_t)above : 0];
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += step)
        if (i + 1 < f.il || i + 1 > f.iu) store_beyond<real>(part, row + i, i + 1 > f.iu);
    part.w = (real *)part.w + f.il - 1;
    if (part.lower) part.lower = (real *)part.lower + f.il - 1;
    if (part.upper) part.upper = (real *)part.upper + f.il - 1;
    return f.iu < f.il ? 0 : f.iu - f.il + 1;
}

template <typename real> static __device__ void make_rows(const stebz_job &part, const stebz_facts &f)
{
    int64_t const padding = part.t.blocks * STURM_BLOCK - part.t.n, step = (int64_t)gridDim.x * THREADS;
    for (int64_t block = (int64_t)blockIdx.x * THREADS + threadIdx.x; block < part.t.blocks; block += step) {
        int64_t const at = block * STURM_BLOCK;
        int const from = block == 0 ? (int)padding : 0;
        make_block((const real *)part.d, (const real *)part.e, at - padding, from, f, part.t, at);
    }
}

/* What the launch has left so far, after a wait: whether it has to end. */
static __device__ bool has_left(const stebz_job &job)
{
    return *(volatile unsigned long long *)&job.facts->left > 0 || *(volatile int *)&job.split->late;
}

/* Goes on with the long blocks until all are done, or the launch has to end: then false. */
template <typename real, bool may_pivot>
static __device__ bool solve_longs(const stebz_job &job, stebz_facts f, char *memory, stebz_watch &watch,
                                   split_walk &walk)
{
    int64_t block = job.split->next_long;
    int64_t const longs = job.split->longs;
    int stage = job.split->stage;
    watch.resume = watch.resume && stage != STEBZ_STAGE_ROWS;
    bool const single = blockIdx.x == 0 && threadIdx.x == 0;
    for (bool ends = false; block < longs && !ends;) {
        int64_t const number = job.room.longs[block];
        int64_t const first = job.room.starts[number], last = end_of_block(job, number, job.split->blocks);
        stebz_job part = job_of_block<real>(job, first, last);
        if (stage == STEBZ_STAGE_ROWS) {
            make_rows<real>(part, f);
            walk.wait();
            stage = STEBZ_STAGE_TABLE;
        }
        if (stage == STEBZ_STAGE_TABLE) {
            fill_table<real, may_pivot>(part, f, watch, memory);
            walk.wait();
            ends = has_left(job);
            if (ends) break;
            if (watch.until) walk.wait(); /* all know that nothing is left: what is late now counts for the next wait */
            stage = STEBZ_STAGE_BRACKETS;
        }
        int64_t const wanted = want_window<real>(part, f, first);
        refine_brackets<real, may_pivot>(part, f, wanted, watch, memory);
        bool const late = single && watch.until && nanoseconds() > watch.until;
        if (late) job.split->late = 1;
        walk.wait();
        ends = has_left(job);
        if (*(volatile unsigned long long *)&job.facts->left == 0) ++block, stage = STEBZ_STAGE_ROWS;
    }
    if (single) job.split->next_long = block, job.split->stage = stage;
    return block == longs;
}

/* -------------------------------------------------------------------- the kernel */

/* Sorts one array of results and leaves the wanted part where the caller wants it. */
template <typename real>
static __device__ void sort_array(const stebz_job &job, const stebz_facts &f, void *found, void *to, char *memory,
                                  split_walk &walk)
{
    const real *const sorted =
        grid_sort((real *)found, job.t.n, (real *)job.room.scratch, (real *)memory, walk.barrier, walk.turn);
    int64_t const wanted = f.iu - f.il + 1, step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < wanted; i += step)
        ((real *)to)[i] = sorted[f.il - 1 + i];
    walk.wait(); /* the scratch is free */
}

template <typename real, bool may_pivot> static __global__ void __launch_bounds__(THREADS) split_kernel(stebz_job job)
{
    __shared__ __align__(16) char memory[STEBZ_SHARED];
    static_assert(SORT_TILE * sizeof(double) <= STEBZ_SHARED, "a tile of the sort does not fit");
    stebz_facts const f = facts_of<may_pivot>(job.facts);
    if (!f.finite || f.zero || !job.split->any || f.iu < f.il) return;
    if (job.rest.resume && !job.split->unfinished) return;
    split_walk walk = {&job.split->barrier, 0};
    stebz_watch watch = open_watch(job);
    bool worth = true;
    if (!job.rest.resume) {
        list_starts<real>(job, f, walk);
        worth = worthwhile(job, walk);
        if (worth) {
            find_window<real, may_pivot>(job, f, memory, walk);
            make_pairs<real>(job, f);
            walk.wait();
            if (may_pivot && f.pivot)
                solve_shorts<real, true>(job, f);
            else
                solve_shorts<real, false>(job, f);
            walk.wait(); /* all short blocks are solved: their rows' place is free */
        }
    }
    bool const done = worth && solve_longs<real, may_pivot>(job, f, memory, watch, walk);
    if (done) {
        sort_array<real>(job, f, job.room.w, job.w, memory, walk);
        if (job.lower) sort_array<real>(job, f, job.room.lower, job.lower, memory, walk);
        if (job.upper) sort_array<real>(job, f, job.room.upper, job.upper, memory, walk);
    }
    if (last_block(&job.facts->finished) && threadIdx.x == 0) {
        job.split->solved = worth;
        job.split->unfinished = worth && !done;
        job.split->barrier = 0;
        job.split->late = 0;
    }
}

/* --------------------------------------------------------------------- launcher */

template <typename real, bool may_pivot>
static eig_status launch(eig_context *ctx, const stebz_job &job, cudaStream_t stream)
{
    int each = 0;
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, split_kernel<real, may_pivot>, THREADS, 0));
    int64_t const most = (int64_t)each * cuda_state_of(ctx)->multiprocessors;
    int64_t const want = (job.t.n <= 65536 ? 1 : 2) * cuda_state_of(ctx)->multiprocessors;
    cuda_shape shape = {want < most ? want : most, THREADS};
    if (shape.blocks > STEBZ_SPLIT_GRID) shape.blocks = STEBZ_SPLIT_GRID;
    shape.cooperative = true; /* else two such launches on two streams might wait for each other's places for ever */
    return cuda_launch(ctx, "stebz: split_kernel", stream, shape, split_kernel<real, may_pivot>, job);
}

eig_status eig_cuda_stebz_split(eig_context *ctx, eig_type type, const stebz_job *job, cudaStream_t stream)
{
    bool const may_pivot = job->abstol > 0;
    stebz_job even = *job;
    even.table.first = NULL;
    if (type == EIG_S)
        return may_pivot ? launch<float, true>(ctx, even, stream) : launch<float, false>(ctx, even, stream);
    return may_pivot ? launch<double, true>(ctx, even, stream) : launch<double, false>(ctx, even, stream);
}
