/* stebz on CUDA, method interval tree: Lessig, "Eigenvalue computation with CUDA" (2007), Algorithms 3 to 6.
 *
 * Bisection only, pivot counts, which are monotone.
 *   step 1           one block bisects the tree's upper levels (Algorithm 3, step 4.1): every level counts at the
 *                    middle of each interval, and a scan compacts the children that are not empty.  It ends when there
 *                    are enough intervals for a block's threads and none holds more than HOLDS eigenvalues; then two
 *                    scans part the list into U_o (one eigenvalue) and U_m (several), and cut U_m into batches.
 *   one-intervals    a thread bisects an interval of U_o to convergence (Algorithm 5): no compaction.
 *   mult-intervals   a block takes a batch of U_m and bisects its forest as in step 1 (Algorithm 6).
 * Batches   an interval holds at most HOLDS = THREADS/2 eigenvalues, and a batch is formed by the intervals whose first
 *           eigenvalue falls into the same stretch of HOLDS in U_m's running sum: at most THREADS eigenvalues, so that
 *           a batch never outgrows its block.
 * Memory    lists in global memory, 32 bytes an interval; a batch in shared memory; counts have 64 bits: no limit of
 *           65536 eigenvalues.
 * Order     monotone counts make intervals disjoint and ordered: results ascend without sorting. */
#include "stebz_count.cuh"

#include <cub/block/block_scan.cuh>

enum { THREADS = 256, HOLDS = THREADS / 2 };

/* Eigenvalues below+1 .. upto lie in (lo, hi]. */
struct tree_interval {
    double lo, hi;
    int64_t below, upto;
};

/* In the workspace. */
struct tree_lists {
    int64_t ones, severals, batches;
    tree_interval *active, *one, *several;
    int64_t *batch; /* [batches + 1] first interval of each batch of U_m */
};

using tree_scan = cub::BlockScan<int64_t, THREADS>;

/* The sum of the values of the threads before this one; *total over all.  All threads of the block. */
static __device__ int64_t scan_block(int64_t value, int64_t *total)
{
    __shared__ typename tree_scan::TempStorage space;
    int64_t before;
    tree_scan(space).ExclusiveSum(value, before, *total);
    __syncthreads(); /* space is used again */
    return before;
}

static __device__ bool tree_wanted(const stebz_facts &f, const tree_interval &i)
{
    return i.upto > i.below && i.upto >= f.il && i.below < f.iu;
}

/* Halves the interval at its middle, given the count there. */
static __device__ void tree_split(const tree_interval &parent, double middle, int64_t count, tree_interval *left,
                                  tree_interval *right)
{
    *left = tree_interval{parent.lo, middle, parent.below, count};
    *right = tree_interval{middle, parent.hi, count, parent.upto};
}

/* Writes all wanted eigenvalues of an interval that is narrow enough; true if it was. */
template <typename real>
static __device__ bool tree_converged(const stebz_job &job, const stebz_facts &f, const tree_interval &i)
{
    double const mid = stebz_middle(f, i.lo, i.hi);
    if (!stebz_narrow_enough(f, i.lo, i.hi) && i.lo < mid && mid < i.hi) return false;
    int64_t const first = i.below + 1 > f.il ? i.below + 1 : f.il, last = i.upto < f.iu ? i.upto : f.iu;
    for (int64_t k = first; k <= last; ++k)
        stebz_store(f, (real *)job.w, (real *)job.lower, (real *)job.upper, k - f.il, i.lo, i.hi);
    return true;
}

/* One level: reads count intervals, writes those children that are wanted and not narrow enough; returns their number.
 * THREADS intervals at a time, in order; the two lists must not overlap.  All threads of the block. */
template <typename real>
static __device__ int64_t tree_level(const stebz_job &job, const stebz_facts &f, stebz_stream<double> &rows,
                                     const tree_interval *from, int64_t count, tree_interval *to, bool *crowded)
{
    int64_t written = 0;
    bool many = false;
    for (int64_t first = 0; first < count; first += THREADS) {
        int64_t const i = first + threadIdx.x;
        bool const mine = i < count;
        tree_interval const parent = from[mine ? i : first];
        double const middle = stebz_middle(f, parent.lo, parent.hi);
        int64_t const below = rows.count_pivots(middle, true).count;
        tree_interval left, right;
        tree_split(parent, middle, below, &left, &right);
        bool const keep_left = mine && tree_wanted(f, left) && !tree_converged<real>(job, f, left);
        bool const keep_right = mine && tree_wanted(f, right) && !tree_converged<real>(job, f, right);
        int64_t total;
        int64_t const at = written + scan_block(keep_left + keep_right, &total);
        if (keep_left) to[at] = left;
        if (keep_right) to[at + keep_left] = right;
        many |= (keep_left && left.upto - left.below > HOLDS) || (keep_right && right.upto - right.below > HOLDS);
        written += total;
    }
    *crowded = __syncthreads_or(many);
    return written;
}

/* Parts the list into U_o and U_m and cuts U_m into batches. */
static __device__ void tree_part(tree_lists *lists, const tree_interval *from, int64_t count)
{
    int64_t ones = 0, severals = 0, inside = 0, batches = 0;
    for (int64_t first = 0; first < count; first += THREADS) {
        int64_t const i = first + threadIdx.x;
        tree_interval const interval = from[i < count ? i : first];
        int64_t const holds = i < count ? interval.upto - interval.below : 0;
        int64_t total_ones, total_severals, total_inside, total_heads;
        int64_t const one = ones + scan_block(holds == 1, &total_ones);
        int64_t const several = severals + scan_block(holds > 1, &total_severals);
        int64_t const sum = inside + scan_block(holds > 1 ? holds : 0, &total_inside);
        /* The first interval of a stretch heads a batch: its predecessor began in an earlier one. */
        if (holds == 1) lists->one[one] = interval;
        if (holds > 1) lists->several[several] = interval;
        __syncthreads(); /* U_m is written as far as this */
        bool head = holds > 1;
        if (head && several > 0) {
            tree_interval const before = lists->several[several - 1];
            head = sum / HOLDS != (sum - (before.upto - before.below)) / HOLDS;
        }
        int64_t const batch = batches + scan_block(head, &total_heads);
        if (head) lists->batch[batch] = several;
        ones += total_ones, severals += total_severals, inside += total_inside, batches += total_heads;
    }
    if (threadIdx.x == 0) {
        lists->ones = ones;
        lists->severals = severals;
        lists->batches = batches;
        lists->batch[batches] = severals;
    }
}

/* What needs no counts: matrices that are zero or hold a NaN, empty ranges; the number of eigenvalues.  True if done.
 */
template <typename real> static __device__ bool tree_trivial(const stebz_job &job, const stebz_facts &f)
{
    int64_t const wanted = f.iu >= f.il ? f.iu - f.il + 1 : 0;
    if (threadIdx.x == 0) stebz_store_facts(job, f, wanted);
    if (f.finite && !f.zero) return wanted == 0;
    int64_t const fill = f.finite ? wanted : job.range == EIG_RANGE_INDEX ? job.iu - job.il + 1 : job.t.n;
    for (int64_t i = threadIdx.x; i < fill; i += blockDim.x)
        stebz_store_trivial(f, (real *)job.w, (real *)job.lower, (real *)job.upper, i);
    return true;
}

template <typename real>
static __global__ void __launch_bounds__(THREADS) tree_first_kernel(stebz_job job, tree_lists *lists)
{
    __shared__ __align__(16) char memory[STEBZ_SHARED];
    stebz_facts const f = *job.facts;
    if (threadIdx.x == 0) lists->ones = lists->severals = lists->batches = 0;
    if (tree_trivial<real>(job, f)) return;
    stebz_stream<double> rows;
    rows.open(job.t, true, memory);
    tree_interval *from = lists->active, *to = lists->one;
    if (threadIdx.x == 0) *from = tree_interval{f.lo, f.hi, 0, job.t.n};
    __syncthreads(); /* the root is in its list */
    int64_t count = 1;
    bool crowded = true;
    if (tree_converged<real>(job, f, *from)) count = 0;
    while (count > 0 && (count < THREADS || crowded)) {
        count = tree_level<real>(job, f, rows, from, count, to, &crowded);
        tree_interval *const swap = from;
        from = to;
        to = swap;
    }
    if (from == lists->one) { /* U_o is about to take its place */
        for (int64_t i = threadIdx.x; i < count; i += THREADS) lists->active[i] = from[i];
        __syncthreads(); /* the list has moved */
    }
    tree_part(lists, lists->active, count);
    copy_wait<0>();
}

template <typename real>
static __global__ void __launch_bounds__(THREADS) tree_ones_kernel(stebz_job job, const tree_lists *lists)
{
    __shared__ __align__(16) char memory[STEBZ_SHARED];
    stebz_facts const f = *job.facts;
    int64_t const ones = lists->ones;
    if ((int64_t)blockIdx.x * THREADS >= ones) return;
    stebz_stream<double> rows;
    rows.open(job.t, true, memory);
    for (int64_t first = (int64_t)blockIdx.x * THREADS; first < ones; first += (int64_t)gridDim.x * THREADS) {
        int64_t const i = first + threadIdx.x;
        bool active = i < ones;
        tree_interval interval = lists->one[active ? i : first];
        while (__syncthreads_or(active)) {
            double const middle = stebz_middle(f, interval.lo, interval.hi);
            int64_t const below = rows.count_pivots(middle, true).count;
            if (!active) continue;
            if (below == interval.below)
                interval.lo = middle;
            else
                interval.hi = middle;
            active = !tree_converged<real>(job, f, interval);
        }
    }
    copy_wait<0>();
}

template <typename real>
static __global__ void __launch_bounds__(THREADS) tree_severals_kernel(stebz_job job, const tree_lists *lists)
{
    extern __shared__ char memory[];
    tree_interval *const level[2] = {(tree_interval *)(memory + STEBZ_SHARED),
                                     (tree_interval *)(memory + STEBZ_SHARED) + THREADS};
    stebz_facts const f = *job.facts;
    int64_t const batches = lists->batches;
    if (blockIdx.x >= batches) return;
    stebz_stream<double> rows;
    rows.open(job.t, true, memory);
    for (int64_t batch = blockIdx.x; batch < batches; batch += gridDim.x) {
        int64_t const first = lists->batch[batch];
        int64_t count = lists->batch[batch + 1] - first;
        __syncthreads(); /* the last batch's lists have been read */
        if (threadIdx.x < count) level[0][threadIdx.x] = lists->several[first + threadIdx.x];
        __syncthreads(); /* the batch is in shared memory */
        bool crowded;
        for (int turn = 0; count > 0; turn ^= 1)
            count = tree_level<real>(job, f, rows, level[turn], count, level[turn ^ 1], &crowded);
    }
    copy_wait<0>();
}

/* --------------------------------------------------------------- launchers */

static size_t tree_layout(int64_t n, char *base, tree_lists *lists, tree_lists **in_memory)
{
    arena a = {base, 0};
    *in_memory = (tree_lists *)arena_take(&a, 1, sizeof(tree_lists));
    lists->active = (tree_interval *)arena_take(&a, n, sizeof(tree_interval));
    lists->one = (tree_interval *)arena_take(&a, n, sizeof(tree_interval));
    lists->several = (tree_interval *)arena_take(&a, n / 2 + 1, sizeof(tree_interval));
    lists->batch = (int64_t *)arena_take(&a, n / 2 + 2, sizeof(int64_t));
    return a.used;
}

size_t eig_cuda_stebz_tree_bytes(int64_t n)
{
    tree_lists lists = {}, *in_memory;
    return tree_layout(n, NULL, &lists, &in_memory);
}

static __global__ void tree_open_kernel(tree_lists lists, tree_lists *in_memory)
{
    *in_memory = lists;
}

template <typename real>
static eig_status run_tree(eig_context *ctx, const stebz_job &job, void *work, cudaStream_t stream, cuda_clock *clock)
{
    tree_lists lists = {}, *in_memory;
    tree_layout(job.t.n, (char *)work, &lists, &in_memory);
    eig_status status = cuda_launch(ctx, "stebz: tree_open_kernel", stream, {1, 1}, tree_open_kernel, lists, in_memory);
    if (status == EIG_OK)
        status =
            cuda_launch(ctx, "stebz: tree_first_kernel", stream, {1, THREADS}, tree_first_kernel<real>, job, in_memory);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    int64_t const want = (job.t.n + THREADS - 1) / THREADS, most = 4 * cuda_state_of(ctx)->multiprocessors;
    if (status == EIG_OK)
        status = cuda_launch(ctx, "stebz: tree_ones_kernel", stream, {want < most ? want : most, THREADS},
                             tree_ones_kernel<real>, job, in_memory);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    size_t const shared = STEBZ_SHARED + 2 * THREADS * sizeof(tree_interval);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "stebz: tree_severals_kernel", stream, {most, THREADS, shared},
                             tree_severals_kernel<real>, job, in_memory);
    return status;
}

eig_status eig_cuda_stebz_tree(eig_context *ctx, eig_type type, const stebz_job *job, void *work, cudaStream_t stream,
                               cuda_clock *clock)
{
    return type == EIG_S ? run_tree<float>(ctx, *job, work, stream, clock)
                         : run_tree<double>(ctx, *job, work, stream, clock);
}
