/* stebz on CUDA, one matrix of up to 2048 rows in one launch.
 *
 * Owner     every thread block prepares T for itself, in its own shared memory, and finds a run of at most 16
 *           eigenvalues.
 * Table     each block counts at its part of a table's points and tells where eigenvalues are in it; then all wait for
 *           each other, once.  Where the GPU cannot run all blocks at once, blocks share nothing, wait for nothing, and
 *           each has two tables of its own, of the spectrum and of what the first one leaves.
 * Rough     Counts go down the rows from both ends of T at once, two lanes for a shift, and are joined in the middle:
 *           half the chain.  They make the tables and tell in which cell of the grid each eigenvalue is: in float by
 *           rounds of equally spaced shifts, in double also by polynomials.
 * Final     The counts that decide are those of other roads, from the first row to the last: at the ends of the cells
 *           that are left, or about the one cell and at its quarters.  Where they contradict the rough ones, the search
 *           goes on with them.
 * Bits      so the result is the leaf of every other road, whatever a rough count says.
 * Pivots    a tight tolerance has no rough counts: two tables, then rounds as in stebz_multisection.cuh.
 * Memory    the rows of T, and once more those of its second half, from the last row on; as the caller gave them, too:
 *           94 KB at n = 2048 in double.
 * Cost      half a chain of n FMA for each table and each rough round, a whole one for the last round. */
#include "primitives/grid.cuh"
#include "stebz_whole.cuh"

/* Cells of eigenvalues in float by rough counts alone: rounds of equally spaced shifts, no polynomial.
 *
 * A bracket is a range of cells of the grid, counted from the lower end of T's interval on. */
enum { POINTS = HALF * WARPS /* of a block's table */ };

struct cell_range {
    int lo, hi;
};

static __device__ __forceinline__ int cells_of(const stebz_facts &f)
{
    return (int)rint((f.hi - f.lo) * f.per_grid);
}

static __device__ __forceinline__ double end_of_cell(const stebz_facts &f, int cell)
{
    return f.lo + cell * f.grid;
}

/* Point j of parts + 1 that are equally spaced over so many cells. */
static __device__ __forceinline__ int even_cell(int cells, int j, int parts)
{
    return j >= parts ? cells : (int)((double)cells * ((double)j * inverse((double)parts)));
}

/* Counts at the block's POINTS points, point j being at(j): to cell[j] and count[j] in shared memory.  All threads of
 * the block. */
template <typename place>
static __device__ void count_points(const both_ends<float> &ends, const stebz_facts &f, int n, int cells,
                                    const place &at, int *cell, int *count)
{
    if (threadIdx.x < LANES) {
        int const j = threadIdx.x / 32 * HALF + threadIdx.x % HALF, mine = at(j);
        stebz_value const v = ends.count(end_of_cell(f, mine));
        if ((threadIdx.x & HALF) == 0) cell[j] = mine, count[j] = mine <= 0 ? 0 : mine >= cells ? n : (int)v.count;
    }
    __syncthreads(); /* the table is complete */
}

/* The bracket of eigenvalue k in the block's table. */
static __device__ cell_range range_of_table(const int *cell, const int *count, int k)
{
    int lo = 0, hi = POINTS - 1;
    while (hi - lo > 1) {
        int const middle = (lo + hi) / 2;
        if (count[middle] < k)
            lo = middle;
        else
            hi = middle;
    }
    return cell_range{cell[lo], cell[hi]};
}

/* One table for all blocks of the launch, of which each counts a part and tells in found[i] where eigenvalue f.il + i
 * is.  All threads of the launch. */
static __device__ void share_table(const both_ends<float> &ends, const stebz_facts &f, int n, int *memory,
                                   long long *found)
{
    int *const cell = memory, *const count = memory + POINTS;
    int const cells = cells_of(f), all = (int)gridDim.x * (POINTS - 1), from = (int)blockIdx.x * (POINTS - 1);
    count_points(
        ends, f, n, cells, [=](int j) { return even_cell(cells, from + j, all); }, cell, count);
    int const first = max(count[0] + 1, (int)f.il), last = min(count[POINTS - 1], (int)f.iu);
    for (int k = first + (int)threadIdx.x; k <= last; k += THREADS) {
        cell_range const r = range_of_table(cell, count, k);
        found[k - (int)f.il] = (long long)r.hi << 32 | r.lo;
    }
    meet_grid();
}

/* Where eigenvalues up to number `rank` end in a cell of the first table, if they lie evenly, and some more to the
 * side. */
static __device__ int inner_cell(const int *cell, const int *count, int j, int rank, float side)
{
    float const width = (float)(cell[j + 1] - cell[j]), inside = fmaxf((float)(count[j + 1] - count[j]), 1.0f);
    float const part = ((float)(rank - count[j]) + side * (3 + 0.2f * inside)) * inverse(inside);
    return cell[j] + (int)(width * fminf(fmaxf(part, 0.0f), 1.0f));
}

/* Two tables of the block itself: of all of the spectrum, and of what the first one leaves for eigenvalues first ..
 * last; its ends are points of the first one.  The second one is left in memory.  All threads of the block. */
static __device__ void own_tables(const both_ends<float> &ends, const stebz_facts &f, int n, int first, int last,
                                  int *memory)
{
    __shared__ int below, above;
    int *const cell = memory, *const count = memory + POINTS;
    int const cells = cells_of(f);
    if (threadIdx.x == 0) below = 0, above = POINTS - 1;
    count_points(
        ends, f, n, cells, [=](int j) { return even_cell(cells, j, POINTS - 1); }, cell, count);
    for (int j = threadIdx.x; j < POINTS; j += THREADS) {
        if (count[j] < first) atomicMax(&below, j);
        if (count[j] >= last) atomicMin(&above, j);
    }
    __syncthreads(); /* the window is known */
    int const at_lo = min(below, POINTS - 2), at_hi = max(above, at_lo + 1), lo = cell[at_lo], hi = cell[at_hi];
    int const from = inner_cell(cell, count, at_lo, first - 1, -1), upto = inner_cell(cell, count, at_hi - 1, last, 1);
    __syncthreads(); /* the table has been read */
    auto const at = [=](int j) {
        return j == 0 ? lo : j >= POINTS - 1 ? hi : from + even_cell(max(upto - from, 0), j - 1, POINTS - 3);
    };
    count_points(ends, f, n, cells, at, cell, count);
}

/* Shift i of so many in a bracket: equally spaced, or the ends of its cells where these are no more. */
static __device__ __forceinline__ int section_of(cell_range r, int i, int points)
{
    int const width = r.hi - r.lo;
    int const inner =
        width <= points + 1 ? i + 1 : (int)((float)width * ((float)(i + 1) * inverse((float)(points + 1))));
    return min(r.lo + max(inner, 1), r.hi - 1);
}

/* Narrows eigenvalue k's bracket until it has no more than `most` cells, by rounds of a group of m lanes; k <= 0: the
 * group has none.  All lanes of the warp. */
static __device__ cell_range narrow_range(const both_ends<float> &ends, const stebz_facts &f, cell_range r, int k,
                                          int m, int most)
{
    unsigned const all = 0xffffffffu;
    int const lane = threadIdx.x % HALF, base = lane & ~(m - 1);
    while (__any_sync(all, k > 0 && r.hi - r.lo > most)) {
        stebz_value const v = ends.count(end_of_cell(f, section_of(r, lane - base, m)));
        unsigned const reached = __ballot_sync(all, v.count >= k) >> base & ((1u << m) - 1);
        int const next = reached ? __ffs(reached) - 1 : m;
        cell_range const old = r;
        if (next > 0) r.lo = section_of(old, next - 1, m);
        if (next < m) r.hi = section_of(old, next, m);
    }
    return r;
}

/* Cells of eigenvalues in double by rough counts: rounds of shifts at equal distances, then about the root of the
 * polynomial through six of their values. */

/* A bracket by rough counts, whose lower end is lo.x and its upper one hi.x, and what is guessed of its eigenvalue. */
struct rough_bracket {
    stebz_end lo, hi;
    int k, below, upto; /* number of the eigenvalue; counts at the ends */
    int missed;         /* the last shifts were no better than half as many equally spaced ones */
    double gap;         /* mean distance of eigenvalues thereabouts */
    double x, error;    /* the eigenvalue, and by how much that may be wrong; infinite: nothing is guessed */
};

static __device__ rough_bracket rough_of_table(const stebz_table &t, int64_t k, double gap)
{
    int lo = 0, hi = (int)t.points - 1;
    while (hi - lo > 1) {
        int const middle = (lo + hi) / 2;
        if (t.count[middle] < k)
            lo = middle;
        else
            hi = middle;
    }
    return rough_bracket{{t.x[lo], t.mantissa[lo], t.exponent[lo]},
                         {t.x[hi], t.mantissa[hi], t.exponent[hi]},
                         (int)k,
                         (int)t.count[lo],
                         (int)t.count[hi],
                         0,
                         gap,
                         0,
                         INFINITY};
}

/* The polynomial of degree 5 through six points, by Newton's divided differences; the first two are the ends of a
 * bracket. */
struct six_points {
    enum { POINTS = 6, STEPS = 2 };
    double x[POINTS], f[POINTS];

    /* f is mantissa 2^exponent yet. */
    __device__ __forceinline__ void divide(const double *exponent)
    {
        double top = exponent[0];
#pragma unroll
        for (int k = 1; k < POINTS; ++k) top = fmax(top, exponent[k]);
#pragma unroll
        for (int k = 0; k < POINTS; ++k) f[k] *= bracket_power_of_two(exponent[k] - top);
#pragma unroll
        for (int level = 1; level < POINTS; ++level)
#pragma unroll
            for (int k = POINTS - 1; k >= level; --k) f[k] = (f[k] - f[k - 1]) * inverse(x[k] - x[k - level]);
    }

    /* A root between the ends: of two the upper one or the lower one, each from its own side.  A step solves the
     * parabola that touches the polynomial.  The error is what the last of the points makes. */
    __device__ __forceinline__ void root(bool two, bool upper, double *at, double *error) const
    {
        double z = two ? (upper ? x[1] : x[0]) : x[0] - f[0] * inverse(f[1]), slope = 1, bend = 0;
#pragma unroll 1
        for (int step = 0; step < STEPS; ++step) {
            double q = f[POINTS - 1];
            slope = bend = 0;
#pragma unroll
            for (int k = POINTS - 2; k >= 0; --k) {
                double const far = z - x[k];
                bend = fma(bend, far, slope), slope = fma(slope, far, q), q = fma(q, far, f[k]);
            }
            double const square = fma(slope, slope, -4 * q * bend);
            double const root = square > 0 ? square * rough_inverse_root(square) : 0;
            z -= 2 * q * inverse(slope + copysign(root, slope));
            z = fmin(fmax(z, x[0]), x[1]);
        }
        double rest = fabs(f[POINTS - 1]);
#pragma unroll
        for (int k = 0; k < POINTS - 1; ++k) rest *= fabs(z - x[k]);
        double const bent = rest * fabs(bend);
        *error = rest * inverse(fabs(slope) + (bent > 0 ? bent * rough_inverse_root(bent) : 0));
        *at = z;
        if (!(*error >= 0 && x[0] < z && z < x[1])) *error = INFINITY;
    }
};

/* Where a guess pays: in brackets narrower than so many mean gaps; the straight line, or the root of a cluster, is
 * trusted to so much of the width. */
static constexpr double GUESS_BELOW = 0.12, LINE_BELOW = 1e-3, LINE_ERROR = 0.01;

/* |p|^(1/inside) is as good as straight about a cluster: the point that it tells. */
static __device__ __forceinline__ void guess_cluster(rough_bracket &s, double width)
{
    float const lo = log2f(fabsf((float)s.lo.mantissa)), hi = log2f(fabsf((float)s.hi.mantissa));
    float const ratio = ((float)(s.hi.exponent - s.lo.exponent) + (hi - lo)) / (float)(s.upto - s.below);
    double const x = s.lo.x + width * inverse(1.0 + (double)exp2f(ratio));
    if (s.lo.x < x && x < s.hi.x) s.x = x, s.error = LINE_ERROR * width;
}

/* A group of m has counted at its shifts, which ascend with lanes: its new bracket, and a guess.  All lanes of the
 * warp. */
static __device__ void rough_take(rough_bracket &s, double x, const stebz_value &v, int m)
{
    unsigned const all = 0xffffffffu;
    int const base = threadIdx.x & 31 & ~(m - 1);
    unsigned const reached = __ballot_sync(all, v.count >= s.k) >> base & ((1u << m) - 1);
    int const next = reached ? __ffs(reached) - 1 : m, before = s.upto - s.below;
    stebz_end const mine = {x, v.mantissa, v.exponent}, old_lo = s.lo, old_hi = s.hi;
    /* Point j of 0 .. m + 1: the old ends, and the shifts between them. */
    auto const point = [&](int j) {
        stebz_end const shift = end_of_lane(all, mine, base + min(max(j - 1, 0), m - 1));
        return j <= 0 ? old_lo : j > m ? old_hi : shift;
    };
    double const width = s.hi.x - s.lo.x;
    int const below = __shfl_sync(all, (int)v.count, base + max(next - 1, 0));
    int const upto = __shfl_sync(all, (int)v.count, base + min(next, m - 1));
    s.lo = point(next), s.hi = point(next + 1);
    s.below = next == 0 ? s.below : below, s.upto = next == m ? s.upto : upto;
    double const narrower = s.hi.x - s.lo.x;
    int const inside = s.upto - s.below;
    s.missed = narrower * (m + 1) > 2 * width, s.error = INFINITY;
    if (!__any_sync(all, narrower < GUESS_BELOW * s.gap || inside > 2)) return;
    six_points p;
    double exponent[six_points::POINTS];
    int lo = next, hi = next + 1;
#pragma unroll
    for (int k = 0; k < six_points::POINTS; ++k) {
        bool const down = k > 1 && lo > 0 && (hi > m || k % 2 == 0);
        stebz_end const one = k == 0 ? s.lo : k == 1 ? s.hi : point(down ? --lo : ++hi);
        p.x[k] = one.x, p.f[k] = one.mantissa, exponent[k] = one.exponent;
    }
    p.divide(exponent);
    double at, error;
    p.root(inside == 2, s.k == s.upto, &at, &error);
    if (inside <= 2) s.x = at, s.error = error;
    if ((inside == 1 && !(error < LINE_ERROR * narrower) && narrower < LINE_BELOW * s.gap) ||
        (inside > 2 && inside == before))
        guess_cluster(s, narrower);
}

/* Gives the groups that still work all 16 shifts, when others have nothing left. */
static __device__ void join_groups(int &m, int &at, rough_bracket &s)
{
    unsigned const all = 0xffffffffu;
    int const lane = threadIdx.x & 31;
    unsigned const busy = __ballot_sync(all, at >= 0 && lane < HALF && (lane & (m - 1)) == 0);
    int const groups = __popc(busy);
    int wider = m;
    while (groups > 0 && 2 * wider * groups <= HALF) wider *= 2;
    if (wider == m) return;
    m = wider;
    int const mine = lane % HALF / m, from = (int)__fns(busy, 0, (mine < groups ? mine : 0) + 1);
    s.lo = end_of_lane(all, s.lo, from), s.hi = end_of_lane(all, s.hi, from);
    s.k = __shfl_sync(all, s.k, from), s.missed = __shfl_sync(all, s.missed, from);
    s.below = __shfl_sync(all, s.below, from), s.upto = __shfl_sync(all, s.upto, from);
    s.gap = __shfl_sync(all, s.gap, from);
    s.x = __shfl_sync(all, s.x, from), s.error = __shfl_sync(all, s.error, from);
    at = __shfl_sync(all, at, from);
    if (mine >= groups) at = -1;
}

/* Lane i's shift of a group of m: the inner ends of all cells, where they are no more than m; two ladders from the
 * guess's error to the ends; or equal distances.  A guess that is sure to a quarter of a cell begins with that cell's
 * ends. */
static __device__ double rough_shift(const stebz_facts &f, const rough_bracket &s, int i, int m)
{
    double const lo = s.lo.x, hi = s.hi.x, width = hi - lo;
    if (width <= (m + 1) * f.grid) return fmin(lo + (i + 1) * f.grid, hi - f.grid);
    if (s.missed || !(s.error < 0.1 * width && (width < GUESS_BELOW * s.gap || s.upto - s.below > 2)))
        return bracket_snap(f, lo + width * ((i + 1) * inverse((double)(m + 1))), lo, hi);
    bool const left = i < m / 2, sure = s.error < 0.25 * f.grid;
    int const rung = left ? m / 2 - 1 - i : i - m / 2;
    if (sure && rung == 0) return bracket_snap(f, (floor(s.x * f.per_grid) + (left ? 0 : 1)) * f.grid, lo, hi);
    double const reach = left ? s.x - lo : hi - s.x, least = fmin(fmax(f.grid, s.error), 0.5 * reach);
    double const most = sure && m == 4 ? 3 * f.grid : fmax(0.06 * reach, reach * sqrt(least * inverse(reach)));
    float const climb = log2f((float)(most * inverse(least))) * ((float)rung * inverse((float)(m / 2 - 1)));
    double const distance = fmin(least * (double)exp2f(climb), reach);
    return bracket_snap(f, s.x + (left ? -distance : distance), lo, hi);
}

/* Points of a table that all blocks of a launch share, POINTS_D - 1 intervals a block, and where eigenvalue f.il + i is
 * in it: before point found[i]. */
enum { POINTS_D = HALF * WARPS };

struct shared_table {
    long long *found, *count;
    double *mantissa, *exponent;
};

static __device__ __forceinline__ double shared_point(const stebz_facts &f, int j)
{
    int const all = (int)gridDim.x * (POINTS_D - 1);
    return j >= all ? f.hi : stebz_on_grid(f, f.lo + (f.hi - f.lo) * ((double)j * inverse((double)all)), f.lo, f.hi);
}

/* Counts this block's part of it, and waits for the others.  count: POINTS_D in shared memory.  All threads of the
 * launch. */
static __device__ void share_points(const both_ends<double> &ends, const stebz_facts &f, int n, int *count,
                                    const shared_table &t)
{
    int const from = (int)blockIdx.x * (POINTS_D - 1);
    if (threadIdx.x < LANES) {
        int const j = threadIdx.x / 32 * HALF + threadIdx.x % HALF;
        double const x = shared_point(f, from + j);
        stebz_value const v = ends.count(x);
        int const here = x <= f.lo ? 0 : x >= f.hi ? n : (int)v.count;
        if ((threadIdx.x & HALF) == 0) count[j] = here;
        if ((threadIdx.x & HALF) == 0 && (j > 0 || from == 0))
            t.count[from + j] = here, t.mantissa[from + j] = v.mantissa, t.exponent[from + j] = v.exponent;
    }
    __syncthreads(); /* the part is complete */
    int const first = max(count[0] + 1, (int)f.il), last = min(count[POINTS_D - 1], (int)f.iu);
    for (int k = first + (int)threadIdx.x; k <= last; k += THREADS) {
        int lo = 0, hi = POINTS_D - 1;
        while (hi - lo > 1) {
            int const middle = (lo + hi) / 2;
            if (count[middle] < k)
                lo = middle;
            else
                hi = middle;
        }
        t.found[k - (int)f.il] = from + hi;
    }
    meet_grid();
}

/* Eigenvalue k there. */
static __device__ rough_bracket rough_of_shared(const stebz_facts &f, const shared_table &t, int k)
{
    enum { BESIDE = 64 }; /* points on both sides that tell how dense eigenvalues are */
    int const hi = (int)__ldcg(t.found + (k - (int)f.il)), last = (int)gridDim.x * (POINTS_D - 1);
    int const from = max(hi - BESIDE, 0), upto = min(hi + BESIDE - 1, last);
    double const between = (double)(__ldcg(t.count + upto) - __ldcg(t.count + from));
    rough_bracket s = {};
    s.lo = stebz_end{shared_point(f, hi - 1), __ldcg(t.mantissa + (hi - 1)), __ldcg(t.exponent + (hi - 1))};
    s.hi = stebz_end{shared_point(f, hi), __ldcg(t.mantissa + hi), __ldcg(t.exponent + hi)};
    s.k = k, s.below = (int)__ldcg(t.count + (hi - 1)), s.upto = (int)__ldcg(t.count + hi);
    s.gap = (shared_point(f, upto) - shared_point(f, from)) * inverse(fmax(between, 1.0));
    s.error = INFINITY;
    return s;
}

/* Lower ends of the cells in which the warp's eigenvalues are, by rough counts: to cells[number].  `at`: of this lane's
 * group, or -1, of m shifts, m >= 4, whose bracket s is.  All lanes of the warp. */
static __device__ void find_cells(const both_ends<double> &ends, const stebz_facts &f, rough_bracket s, int m, int at,
                                  double *cells)
{
    int const lane = threadIdx.x & 31;
    for (;;) {
        if (at >= 0 && s.hi.x - s.lo.x <= f.grid) {
            if (lane < HALF && (lane & (m - 1)) == 0) cells[at] = floor(s.lo.x * f.per_grid) * f.grid + 0.0;
            at = -1;
        }
        join_groups(m, at, s);
        if (!__any_sync(0xffffffffu, at >= 0)) break;
        double const x = at >= 0 ? rough_shift(f, s, lane & (m - 1), m) : f.lo;
        rough_take(s, x, ends.count(x), m);
    }
    __syncwarp(); /* the cells are there */
}

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

/* Where eigenvalues up to number `rank` end in a cell of the first table, if they lie evenly, and some more to the
 * side. */
static __device__ double table_inner_end(const stebz_facts &f, const stebz_table &t, int cell, double rank, double side)
{
    double const lo = t.x[cell], width = t.x[cell + 1] - lo,
                 inside = fmax((double)(t.count[cell + 1] - t.count[cell]), 1.0);
    double const part = (rank - (double)t.count[cell] + side * (3 + 0.2 * inside)) / inside;
    return stebz_on_grid(f, lo + width * fmin(fmax(part, 0.0), 1.0), lo, lo + width);
}

/* The second of two tables, of the surroundings of eigenvalues first .. last: its ends are points of the first one, its
 * other points lie closer.  All threads of the block. */
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
