/* stebz on CUDA, one matrix of up to 2048 rows in one launch.
 *
 * Owner     every thread block prepares T for itself, in its own shared memory, and finds a run of at most 16
 *           eigenvalues.
 * Table     each block counts at its part of a table's points and tells where eigenvalues are in it; then all wait for each
 *           other, once.  Where the GPU cannot run all blocks at once, blocks share nothing, wait for nothing, and each has
 *           two tables of its own, of the spectrum and of what the first one leaves.
 * Rough     Counts go down the rows from both ends of T at once, two lanes for a shift, and are joined in the middle: half
 *           the chain.  They make the tables and tell in which cell of the grid each eigenvalue is: in float by rounds of
 *           equally spaced shifts (stebz_section.cuh), in double also by polynomials (stebz_rough.cuh).
 * Final     The counts that decide are those of other roads, from the first row to the last: at the ends of the cells that
 *           are left, or about the one cell and at its quarters.  Where they contradict the rough ones, the search goes on
 *           with them.
 * Bits      so the result is the leaf of every other road, whatever a rough count says.
 * Pivots    a tight tolerance has no rough counts: two tables, then rounds as in stebz_multisection.cuh.
 * Memory    the rows of T, and once more those of its second half, from the last row on; as the caller gave them, too:
 *           94 KB at n = 2048 in double.
 * Cost      half a chain of n FMA for each table and each rough round, a whole one for the last round. */
#include "stebz_rough.cuh"
#include "stebz_section.cuh"

/* What counts, roughly or finally. */
template <typename real> struct whole_counts {
    resident<real, pitch_of<real>, false> final;
    both_ends<real> ends;
    bool rough;

    __device__ stebz_value count(const stebz_facts &f, double x) const
    {
        return rough ? ends.count(x) : final.count(f, x);
    }
};

/* ----------------------------------------------------------------- two tables */

/* Where eigenvalues up to number `rank` end in a cell of the first table, if they lie evenly, and some more to the side. */
static __device__ double table_inner_end(const stebz_facts &f, const stebz_table &t, int cell, double rank, double side)
{
    double const lo = t.x[cell], width = t.x[cell + 1] - lo,
                 inside = fmax((double)(t.count[cell + 1] - t.count[cell]), 1.0);
    double const part = (rank - (double)t.count[cell] + side * (3 + 0.2 * inside)) / inside;
    return stebz_on_grid(f, lo + width * fmin(fmax(part, 0.0), 1.0), lo, lo + width);
}

/* The second of two tables, of the surroundings of eigenvalues first .. last: its ends are points of the first one, its other
 * points lie closer.  All threads of the block. */
template <typename real>
static __device__ stebz_table find_window(const whole_counts<real> &T, const stebz_facts &f, int64_t n, int64_t first,
                                          int64_t last, char *memory)
{
    __shared__ int below, above;
    int const points = T.rough ? HALF * WARPS : LANES;
    int const j = T.rough ? threadIdx.x / 32 * HALF + threadIdx.x % HALF : threadIdx.x;
    bool const leads = threadIdx.x < LANES && (!T.rough || (threadIdx.x & HALF) == 0);
    double *const points_x = (double *)memory + 3 * LANES;
    stebz_table t = {};
    t.points = points;
    t.count = (int64_t *)memory, t.mantissa = (double *)memory + LANES, t.exponent = t.mantissa + LANES;
    t.x = points_x;
    double x = stebz_even_point(f, f.lo, f.hi, points, j < points ? j : 0);
    for (int turn = 0;; ++turn) {
        if (threadIdx.x == 0) below = 0, above = points - 1;
        if (threadIdx.x < LANES) {
            stebz_value const v = T.count(f, x);
            if (leads) {
                t.count[j] = x <= f.lo ? 0 : x >= f.hi ? n : v.count;
                t.mantissa[j] = v.mantissa, t.exponent[j] = v.exponent, points_x[j] = x;
            }
        }
        __syncthreads(); /* the table is complete */
        if (turn == 1) return t;
        if (leads) {
            if (t.count[j] < first) atomicMax(&below, j);
            if (t.count[j] >= last) atomicMin(&above, j);
        }
        __syncthreads(); /* the window is known */
        int const lo = min(below, points - 2), hi = max(above, lo + 1);
        double const from = table_inner_end(f, t, lo, (double)(first - 1), -1);
        double const upto = table_inner_end(f, t, hi - 1, (double)last, 1);
        x = j == 0 ? t.x[lo] : j >= points - 1 ? t.x[hi] : stebz_even_point(f, from, upto, points - 2, j - 1);
        __syncthreads(); /* the table and the window have been read */
    }
}

/* -------------------------------------------------------------- the final counts */

/* Points 0, 1, ... of a group about a cell from lo on: the end of the cell before it, its own lower end, its quarters,
 * its upper end, the ends of cells behind it. */
enum { CELL_LO = 1, CELL_MIDDLE = 3, CELL_HI = 5, LEAST_GROUP = 8 };

static __device__ __forceinline__ double cell_point(const stebz_facts &f, double lo, int i)
{
    double const cells = i < CELL_LO ? -1 : i <= CELL_HI ? 0.25 * (i - CELL_LO) : i - (CELL_HI - 1);
    return fmin(fmax(lo + cells * f.grid, f.lo), f.hi);
}

/* The bracket of eigenvalue k by the final counts of a group of m about a cell; bit i of `reached`: that at point i
 * reaches k.  From the cell of the grid on it goes down as bisection does. */
static __device__ stebz_bracket bracket_of_cell(const stebz_facts &f, double lo, unsigned reached, int m, int64_t k)
{
    unsigned const ends = reached & ~((1u << CELL_HI) - (1u << (CELL_LO + 1))); /* without the quarters */
    int const first = ends ? __ffs(ends) - 1 : m;
    double a = first == 0 ? f.lo : cell_point(f, lo, first == CELL_HI ? CELL_LO : first - 1);
    double b = first == m ? f.hi : cell_point(f, lo, first);
    if (first == CELL_HI)
        for (int middle = CELL_MIDDLE, step = 1; step >= 0 && !stebz_narrow_enough(f, a, b); --step) {
            bool const left = reached >> middle & 1;
            double const x = cell_point(f, lo, middle);
            if (left)
                b = x;
            else
                a = x;
            middle += left ? -step : step;
        }
    stebz_bracket s = {};
    s.k = k;
    bracket_leave(s, a, b);
    return s;
}

/* The warp's eigenvalues from their brackets on, by final counts of groups of m.  `at`: the number in the job of this
 * lane's group, or -1. */
template <typename real>
static __device__ void finish_whole(const resident<real, pitch_of<real>, false> &T, const stebz_job &job,
                                    const stebz_facts &f, stebz_bracket s, int m, int64_t at)
{
    int const i = threadIdx.x & (m - 1);
    for (;;) {
        double lo, hi;
        if (at >= 0 && bracket_done(f, s, &lo, &hi)) {
            if (i == 0) stebz_store(f, (real *)job.w, (real *)job.lower, (real *)job.upper, at, lo, hi);
            at = -1;
        }
        if (!__any_sync(0xffffffffu, at >= 0)) return;
        double const x = at >= 0 ? bracket_shift_of<real>(f, s, i, m) : f.lo;
        bracket_take(f, s, x, T.count(f, x), m);
    }
}

/* -------------------------------------------------------------------------- kernel */

/* How a block's lanes share its eigenvalues: groups of m lanes in a warp, half as many for rough counts. */
struct whole_groups {
    int m, slot, rough_slot;

    __device__ explicit whole_groups(int each)
    {
        int groups = 1;
        while (groups * WARPS < each) groups *= 2;
        m = 32 / groups;
        slot = threadIdx.x / 32 * groups + threadIdx.x % 32 / m;
        rough_slot = threadIdx.x / 32 * groups + threadIdx.x % HALF / (m / 2);
    }
};

/* In float, by counts alone.  `found`: of a table that all blocks of the launch share, or NULL.  Brackets of all lanes
 * that count, of which the others return nothing. */
static __device__ bool search_float(const whole_counts<float> &T, const stebz_facts &f, int n, int run, int here,
                                    const whole_groups &g, int *memory, long long *found, stebz_bracket *s)
{
    int const first = (int)f.il + run;
    if (found)
        share_table(T.ends, f, n, memory, found);
    else
        own_tables(T.ends, f, n, first, first + here - 1, memory);
    if (threadIdx.x >= LANES) return false;
    bool const wide = f.abstol >= f.grid; /* a cell is narrow enough */
    int const lane = threadIdx.x & 31, m = g.m, i = lane & (m - 1),
              rough_k = g.rough_slot < here ? first + g.rough_slot : 0;
    int const k = first + g.slot, cells = cells_of(f);
    cell_range r = {};
    if (rough_k > 0 && found) {
        long long const there = __ldcg(found + run + g.rough_slot);
        r = cell_range{(int)there, (int)(there >> 32)};
    } else if (rough_k > 0) {
        r = range_of_table(memory, memory + POINTS, rough_k);
    }
    r = narrow_range(T.ends, f, r, rough_k, m / 2, wide ? m - 1 : 1);
    int const from = lane / m * (m / 2);
    r.lo = __shfl_sync(0xffffffffu, r.lo, from), r.hi = __shfl_sync(0xffffffffu, r.hi, from);
    int const start = max(r.lo - (m - 1 - (r.hi - r.lo)) / 2, 0); /* of m cells, if a cell is narrow enough */
    auto const point = [&](int j) { return end_of_cell(f, min(start + j, cells)); };
    double const lo = end_of_cell(f, r.lo), x = wide ? point(i) : cell_point(f, lo, i);
    unsigned reached = __ballot_sync(0xffffffffu, T.final.count(f, x).count >= k) >> (lane & ~(m - 1));
    if (m < 32) reached &= (1u << m) - 1;
    if (wide) {
        int const next = reached ? __ffs(reached) - 1 : m;
        s->k = k;
        bracket_leave(*s, next > 0 ? point(next - 1) : f.lo, next < m ? point(next) : f.hi);
    } else {
        *s = bracket_of_cell(f, lo, reached, m, k);
    }
    return true;
}

/* In double.  As above. */
static __device__ bool search_double(const whole_counts<double> &T, const stebz_facts &f, int n, int run, int here,
                                     const whole_groups &g, char *memory, const shared_table &shared, double *cells,
                                     stebz_bracket *s)
{
    int64_t const first = f.il + run;
    int const lane = threadIdx.x & 31, m = g.m, at = g.rough_slot < here ? g.rough_slot : -1;
    rough_bracket rough = {};
    if (shared.found) {
        share_points(T.ends, f, n, (int *)memory, shared);
        if (threadIdx.x >= LANES) return false;
        if (at >= 0) rough = rough_of_shared(f, shared, (int)first + at);
    } else {
        stebz_table const table = find_window(T, f, n, first, first + here - 1, memory);
        if (threadIdx.x >= LANES) return false;
        int const last = (int)table.points - 1;
        double const between = (double)(table.count[last - 1] - table.count[1]);
        double const gap = (table.x[last - 1] - table.x[1]) * inverse(fmax(between, 1.0));
        if (at >= 0) rough = rough_of_table(table, first + at, gap);
    }
    find_cells(T.ends, f, rough, m / 2, at, cells);
    double const lo = g.slot < here ? cells[g.slot] : f.lo;
    stebz_value const v = T.final.count(f, cell_point(f, lo, lane & (m - 1)));
    unsigned const reached = __ballot_sync(0xffffffffu, v.count >= first + g.slot) >> (lane & ~(m - 1));
    *s = bracket_of_cell(f, lo, m == 32 ? reached : reached & ((1u << m) - 1), m, first + g.slot);
    return true;
}

template <typename real, bool may_pivot>
static __global__ void __launch_bounds__(THREADS, 1) whole_kernel(stebz_job job, int each, shared_table shared)
{
    extern __shared__ char whole_memory[];
    __shared__ stebz_facts facts;
    __shared__ double cells[MOST_EACH];
    __shared__ plain_blocks stops;
    int const n = (int)job.t.n, wanted = (int)job.last, run = blockIdx.x * each, here = min(each, wanted - run);
    whole_layout const layout = whole_layout_of<real>(n, may_pivot);
    int uneven = 0;
    raw_rows<real> const raw = prepare_whole<real, may_pivot>(job, layout, whole_memory, &facts, &stops, &uneven);
    stebz_facts const f = facts_of<may_pivot>(&facts);
    if (blockIdx.x == 0 && threadIdx.x == 0) stebz_store_facts(job, f, wanted);
    if (!f.finite || f.zero) {
        for (int i = threadIdx.x; i < here; i += THREADS)
            stebz_store_trivial(f, (real *)job.w, (real *)job.lower, (real *)job.upper, run + i);
        return;
    }
    whole_counts<real> T;
    bool const few = uneven <= FEW_PLAIN;
    T.final.t = job.t, T.final.smooth = uneven == 0, T.final.stops = few ? stops.whole : NULL;
    T.final.t.rows = whole_memory, T.final.t.edges = whole_memory + layout.edges;
    T.rough = !f.pivot && job.t.blocks > 1;
    if (T.rough) T.ends = open_ends(job, layout, whole_memory, raw, uneven == 0, few ? stops.ends : NULL);
    whole_groups const g(each);
    char *const memory = whole_memory + layout.table;
    stebz_bracket s = {};
    if (T.rough) {
        bool counts;
        if constexpr (sizeof(real) == 4)
            counts = search_float(T, f, n, run, here, g, (int *)memory, shared.found, &s);
        else
            counts = search_double(T, f, n, run, here, g, memory, shared, cells, &s);
        if (!counts) return;
    } else {
        stebz_table const table = find_window(T, f, n, f.il + run, f.il + run + here - 1, memory);
        if (threadIdx.x >= LANES) return;
        if (g.slot < here) s = bracket_from_table(f, table, f.il + run + g.slot);
    }
    finish_whole(T.final, job, f, s, g.m, g.slot < here ? run + g.slot : -1);
}

/* ------------------------------------------------------------------------ launcher */

/* Rows of a matrix whose blocks share a table. */
template <typename real> static constexpr int most_shared = sizeof(real) == 4 ? MOST_ROWS : MOST_ROWS / 2;

template <typename real, bool may_pivot>
static eig_status launch(eig_context *ctx, const stebz_job &job, cudaStream_t stream)
{
    int64_t const each = (job.last + MOST_BLOCKS - 1) / MOST_BLOCKS;
    size_t const bytes = (size_t)whole_layout_of<real>((int)job.t.n, may_pivot).bytes;
    int64_t const blocks = (job.last + each - 1) / each;
    cuda_shape shape = {blocks, THREADS, bytes};
    /* All run at once.  A double of many rows has two tables all the same: its last block then takes fewer rounds. */
    bool const together = blocks <= cuda_state_of(ctx)->multiprocessors && job.t.n <= most_shared<real>;
    shared_table shared = {};
    if (together)
        shared = {(long long *)job.table.count, (long long *)job.table.first, job.table.mantissa, job.table.exponent};
    shape.cooperative = together;
    return cuda_launch(ctx, "stebz: whole_kernel", stream, shape, whole_kernel<real, may_pivot>, job, (int)each,
                       shared);
}

bool eig_cuda_stebz_whole_serves(const eig_context *ctx, const stebz_problem *p)
{
    enum { FIXED = 2048 }; /* shared memory of the kernel whatever n is, at most */
    if (p->n > MOST_ROWS || p->batched || p->range == EIG_RANGE_VALUE) return false;
    int const n = (int)p->n;
    bool const pivots = p->abstol > 0;
    int const bytes =
        p->type == EIG_S ? whole_layout_of<float>(n, pivots).bytes : whole_layout_of<double>(n, pivots).bytes;
    return bytes + FIXED <= cuda_state_of(ctx)->shared_bytes;
}

eig_status eig_cuda_stebz_whole(eig_context *ctx, eig_type type, const stebz_job *job, cudaStream_t stream)
{
    bool const may_pivot = job->abstol > 0;
    if (type == EIG_S)
        return may_pivot ? launch<float, true>(ctx, *job, stream) : launch<float, false>(ctx, *job, stream);
    return may_pivot ? launch<double, true>(ctx, *job, stream) : launch<double, false>(ctx, *job, stream);
}
