/* stebz on CUDA, one matrix of up to 2048 rows in one launch.
 *
 * Owner     every thread block prepares T for itself, in its own shared memory, and finds a run of at most 16
 *           eigenvalues.  Blocks share nothing and wait for nothing.
 * Rough     In double counts go down the rows from both ends of T at once, two lanes for a shift, and are joined in the
 *           middle: half the chain.  They tell where the block's eigenvalues are (two tables, of the spectrum and of what the
 *           first one leaves) and then in which cell of the grid each of them is: rounds of shifts at equal distances, then
 *           about the root of the polynomial through six of their values.
 * Final     The counts that decide are those of other roads, from the first row to the last: at the ends of the cell
 *           and of its quarters, and at cells beside it.  Where they contradict the rough ones, the search goes on with
 *           them.
 * Bits      so the result is the leaf of every other road, whatever a rough count says.
 * Pivots    a tight tolerance has no rough counts: a table, then rounds as in stebz_multisection.cuh.
 * Memory    the rows of T, and once more those of its second half, from the last row on; as the caller gave them, too:
 *           94 KB at n = 2048 in double.
 * Cost      half a chain of n FMA for each table and each rough round, a whole one for the last round. */
#include "stebz_bracket.cuh"
#include "stebz_prepare.cuh"
#include "stebz_resident.cuh"

enum {
    THREADS = STEBZ_REDUCED,
    HALF = 16, /* shifts of a warp that counts from both ends; lane i + 16 has the second half for lane i */
    MOST_BLOCKS = 128,
    MOST_ROWS = 2048, /* in double three launches are as fast from here on */
    MOST_EACH = (MOST_ROWS + MOST_BLOCKS - 1) / MOST_BLOCKS,
    WARPS = 4, /* that count, one for each scheduler */
    LANES = 32 * WARPS
};

/* Rough counts, which take half the chain and twice the lanes, pay in double alone (notes-stebz.md). */
template <typename real> constexpr bool goes_rough = sizeof(real) == 8;

/* Pairs from one block of rows to the next: 16 bytes more than they take, so that threads that make blocks do not write
 * to the same bank. */
template <typename real> constexpr int pitch_of = STURM_BLOCK + 16 / (int)sizeof(pair_of<real>);

/* Where things lie in a block's shared memory, rows first. */
struct whole_layout {
    int edges, back, back_edges, raw, table, bytes;
};

template <typename real> static __host__ __device__ whole_layout whole_layout_of(int n, bool may_pivot)
{
    int const blocks = (n + STURM_BLOCK - 1) / STURM_BLOCK, bottom = goes_rough<real> ? blocks - blocks / 2 : 0;
    int const block_bytes = pitch_of<real> * (int)sizeof(pair_of<real>), edge_bytes = (int)sizeof(stebz_edge<real>);
    int const pivot_bytes = may_pivot ? STURM_BLOCK * (int)sizeof(double2) : 0;
    whole_layout s;
    s.edges = blocks * (block_bytes > pivot_bytes ? block_bytes : pivot_bytes);
    s.back = s.edges + blocks * edge_bytes;
    s.back_edges = s.back + bottom * block_bytes;
    s.raw = s.back_edges + bottom * edge_bytes;
    s.table = (s.raw + 2 * (n + n / STURM_BLOCK + 1) * (int)sizeof(real) + 15) / 16 * 16;
    s.bytes = s.table + LANES * 4 * (int)sizeof(double);
    return s;
}

/* ---------------------------------------------------------------- preparation */

/* T as the caller gave it, in shared memory; neighbours in a block lie close, blocks in different banks. */
template <typename real> struct raw_rows {
    real *d, *e;
    int n;

    static __device__ __forceinline__ int place(int i)
    {
        return i + i / STURM_BLOCK;
    }
    __device__ __forceinline__ double2 row(int i, stebz_scaling by) const
    {
        return stebz_scaled((double)d[place(i)], i > 0 ? (double)e[place(i - 1)] : 0.0, by);
    }
    /* Row i from the end: of T turned around. */
    __device__ __forceinline__ double2 row_back(int i, stebz_scaling by) const
    {
        return stebz_scaled((double)d[place(n - 1 - i)], i > 0 ? (double)e[place(n - 1 - i)] : 0.0, by);
    }
};

/* Facts and rows; a thread makes a block of rows.  *smooth: none of them is plain.  All threads of the block. */
template <typename real, bool may_pivot>
static __device__ raw_rows<real> prepare_whole(const stebz_job &job, const whole_layout &layout, char *memory,
                                               stebz_facts *facts, bool *smooth)
{
    int const n = (int)job.t.n;
    const real *const d = (const real *)job.d, *const e = (const real *)job.e;
    raw_rows<real> raw = {(real *)(memory + layout.raw), NULL, n};
    raw.e = raw.d + raw.place(n) + 1;
    for (int i = threadIdx.x; i < n; i += THREADS) {
        raw.d[raw.place(i)] = d[i];
        if (i < n - 1) raw.e[raw.place(i)] = e[i];
    }
    stebz_partial p = reduce_block<1>(measure_rows<real, 1>(d, e, n, threadIdx.x, THREADS));
    if (p.norm[0] < STEBZ_TINY) /* of the whole block */
        p = reduce_block(measure_rows(d, e, n, threadIdx.x, THREADS));
    else
        p.norm[1] = p.norm[0]; /* not 0 */
    if (threadIdx.x == 0) *facts = find_facts<real>(job, p);
    __syncthreads(); /* the facts and the raw rows are there */
    if (!facts->finite || facts->zero) return raw;
    stebz_facts const f = facts_of<may_pivot>(facts);
    stebz_scaling const by = stebz_scaling_of(f.scale);
    int const blocks = (int)job.t.blocks, bottom = f.pivot || !goes_rough<real> ? 0 : blocks - blocks / 2;
    int const padding = blocks * STURM_BLOCK - n, pitch = pitch_of<real>;
    bool plain = false;
    for (int at = threadIdx.x; at < blocks + bottom; at += THREADS) {
        bool const back = at >= blocks;
        int const block = back ? at - blocks : at, row = block * STURM_BLOCK - (back ? 0 : padding);
        pair_of<real> *const rows = (pair_of<real> *)(memory + (back ? layout.back : 0)) + block * pitch;
        stebz_edge<real> *const edges = (stebz_edge<real> *)(memory + (back ? layout.back_edges : layout.edges));
        make_rows_of<real>([=](int j) { return back ? raw.row_back(row + j, by) : raw.row(row + j, by); },
                           !back && block == 0 ? padding : 0, block == 0, f, (double2 *)memory + block * STURM_BLOCK,
                           rows, edges + block);
        plain |= !f.pivot && edges[block].e0 == STEBZ_PLAIN;
    }
    *smooth = !__syncthreads_or(plain); /* the rows are there */
    return raw;
}

/* --------------------------------------------------------------- rough counts */

/* T seen from both ends: this lane's half of the rows, and the square of what couples the halves. */
template <typename real> struct both_ends {
    const pair_of<real> *rows;
    const stebz_edge<real> *edges;
    int blocks, padding;
    bool smooth;
    double square;

    /* With u, v the determinants of the halves, u', v' those without the row at the cut, det(T - x) = u v - b^2 u' v';
     * and the last pivot from below is that over u v', where it is v / v' without the coupling.  The same in both
     * lanes.  All lanes of the warp. */
    __device__ stebz_value count(double x) const
    {
        sturm_walk<real> const s = walk_resident<real, pitch_of<real>>(rows, edges, blocks, padding, (real)x, smooth);
        double const mine = s.r1, mine_before = s.r0, other = __shfl_xor_sync(0xffffffffu, mine, HALF),
                     other_before = __shfl_xor_sync(0xffffffffu, mine_before, HALF);
        bool const top = (threadIdx.x & HALF) == 0;
        double const u = top ? mine : other, v = top ? other : mine;
        double const u_before = top ? mine_before : other_before, v_before = top ? other_before : mine_before;
        double const whole = fma(u, v, -(square * (u_before * v_before)));
        unsigned const joined = (sign_word(whole) ^ sign_word(u) ^ sign_word(v_before)) >> 31;
        unsigned const apart = (sign_word(v) ^ sign_word(v_before)) >> 31;
        int const count = s.count + __shfl_xor_sync(0xffffffffu, s.count, HALF);
        int const exponent = s.exponent + __shfl_xor_sync(0xffffffffu, s.exponent, HALF);
        return stebz_value{count + (int)joined - (int)apart, whole, (double)exponent};
    }
};

template <typename real>
static __device__ both_ends<real> open_ends(const stebz_job &job, const stebz_facts &f, const whole_layout &layout,
                                            char *memory, const raw_rows<real> &raw, bool smooth)
{
    bool const top = (threadIdx.x & HALF) == 0;
    int const blocks = (int)job.t.blocks, above = blocks / 2;
    int const padding = blocks * STURM_BLOCK - raw.n,
              cut = above * STURM_BLOCK - padding; /* the second half's first row */
    double const floor = sizeof(real) == 4 ? (double)STURM_FLOOR_S : STURM_FLOOR_D;
    double const b = cut > 0 ? fmax(raw.row(cut, stebz_scaling_of(f.scale)).y, floor) : 0;
    return both_ends<real>{(const pair_of<real> *)(memory + (top ? 0 : layout.back)),
                           (const stebz_edge<real> *)(memory + (top ? layout.edges : layout.back_edges)),
                           top ? above : blocks - above,
                           top ? padding : 0,
                           smooth,
                           b * b};
}

/* What counts, roughly or finally. */
template <typename real> struct whole_counts {
    resident<real, pitch_of<real>> final;
    both_ends<real> ends;
    bool rough;

    __device__ stebz_value count(const stebz_facts &f, double x) const
    {
        return goes_rough<real> && rough ? ends.count(x) : final.count(f, x);
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

/* --------------------------------------------------------------- rough rounds */

/* A bracket by rough counts, whose lower end is lo.x and its upper one hi.x, and what is guessed of its eigenvalue. */
struct rough_bracket {
    stebz_end lo, hi;
    int k, below, upto; /* number of the eigenvalue; counts at the ends */
    int missed;         /* the last shifts were no better than half as many equally spaced ones */
    double x, error;    /* the eigenvalue, and by how much that may be wrong; infinite: nothing is guessed */
};

static __device__ rough_bracket rough_of_table(const stebz_table &t, int64_t k)
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
                         0,
                         INFINITY};
}

/* The polynomial of degree 5 through six points, by Newton's divided differences; the first two are the ends of a bracket. */
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

    /* A root between the ends: of two the upper one or the lower one, each from its own side.  A step solves the parabola
     * that touches the polynomial.  The error is what the last of the points makes. */
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

/* Where a guess pays: in brackets narrower than so many mean gaps; the straight line, or the root of a cluster, is trusted to so
 * much of the width. */
static constexpr double GUESS_BELOW = 0.12, LINE_BELOW = 1e-3, LINE_ERROR = 0.01;

/* |p|^(1/inside) is as good as straight about a cluster: the point that it tells. */
static __device__ __forceinline__ void guess_cluster(rough_bracket &s, double width)
{
    float const lo = log2f(fabsf((float)s.lo.mantissa)), hi = log2f(fabsf((float)s.hi.mantissa));
    float const ratio = ((float)(s.hi.exponent - s.lo.exponent) + (hi - lo)) / (float)(s.upto - s.below);
    double const x = s.lo.x + width * inverse(1.0 + (double)exp2f(ratio));
    if (s.lo.x < x && x < s.hi.x) s.x = x, s.error = LINE_ERROR * width;
}

/* A group of m has counted at its shifts, which ascend with lanes: its new bracket, and a guess.  All lanes of the warp. */
static __device__ void rough_take(rough_bracket &s, double x, const stebz_value &v, int m, double gap)
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
    if (!__any_sync(all, narrower < GUESS_BELOW * gap || inside > 2)) return;
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
    if ((inside == 1 && !(error < LINE_ERROR * narrower) && narrower < LINE_BELOW * gap) ||
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
    s.x = __shfl_sync(all, s.x, from), s.error = __shfl_sync(all, s.error, from);
    at = __shfl_sync(all, at, from);
    if (mine >= groups) at = -1;
}

/* Lane i's shift of a group of m: the inner ends of all cells, where they are no more than m; two ladders from the guess's error
 * to the ends; or equal distances.  A guess that is sure to a quarter of a cell begins with that cell's ends. */
static __device__ double rough_shift(const stebz_facts &f, const rough_bracket &s, int i, int m, double gap)
{
    double const lo = s.lo.x, hi = s.hi.x, width = hi - lo;
    if (width <= (m + 1) * f.grid) return fmin(lo + (i + 1) * f.grid, hi - f.grid);
    if (s.missed || !(s.error < 0.1 * width && (width < GUESS_BELOW * gap || s.upto - s.below > 2)))
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

/* Lower ends of the cells in which the warp's eigenvalues are, by rough counts: to cells[number].  `at`: of this lane's
 * group, or -1, of m shifts; m >= 4.  All lanes of the warp. */
template <typename real>
static __device__ void find_cells(const both_ends<real> &ends, const stebz_facts &f, const stebz_table &t,
                                  int64_t first, int m, int at, double *cells)
{
    int const lane = threadIdx.x & 31, last = (int)t.points - 1;
    double const gap = (t.x[last - 1] - t.x[1]) * inverse(fmax((double)(t.count[last - 1] - t.count[1]), 1.0));
    rough_bracket s = {};
    if (at >= 0) s = rough_of_table(t, first + at);
    for (;;) {
        if (at >= 0 && s.hi.x - s.lo.x <= f.grid) {
            if (lane < HALF && (lane & (m - 1)) == 0) cells[at] = floor(s.lo.x * f.per_grid) * f.grid + 0.0;
            at = -1;
        }
        join_groups(m, at, s);
        if (!__any_sync(0xffffffffu, at >= 0)) break;
        double const x = at >= 0 ? rough_shift(f, s, lane & (m - 1), m, gap) : f.lo;

        rough_take(s, x, ends.count(x), m, gap);
    }
    __syncwarp(); /* the cells are there */
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
static __device__ void finish_whole(const resident<real, pitch_of<real>> &T, const stebz_job &job, const stebz_facts &f,
                                    stebz_bracket s, int m, int64_t at)
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

template <typename real, bool may_pivot>
static __global__ void __launch_bounds__(THREADS, 1) whole_kernel(stebz_job job, int each)
{
    extern __shared__ char whole_memory[];
    __shared__ stebz_facts facts;
    __shared__ double cells[MOST_EACH];
    int const n = (int)job.t.n, wanted = (int)job.last, run = blockIdx.x * each, here = min(each, wanted - run);
    whole_layout const layout = whole_layout_of<real>(n, may_pivot);
    bool smooth = false;
    raw_rows<real> const raw = prepare_whole<real, may_pivot>(job, layout, whole_memory, &facts, &smooth);
    stebz_facts const f = facts_of<may_pivot>(&facts);
    if (blockIdx.x == 0 && threadIdx.x == 0) stebz_store_facts(job, f, wanted);
    if (!f.finite || f.zero) {
        for (int i = threadIdx.x; i < here; i += THREADS)
            stebz_store_trivial(f, (real *)job.w, (real *)job.lower, (real *)job.upper, run + i);
        return;
    }
    whole_counts<real> T;
    T.final.t = job.t, T.final.smooth = smooth;
    T.final.t.rows = whole_memory, T.final.t.edges = whole_memory + layout.edges;
    T.rough = goes_rough<real> && !f.pivot && job.t.blocks > 1;
    if (goes_rough<real> && T.rough) T.ends = open_ends(job, f, layout, whole_memory, raw, smooth);
    int64_t const first = f.il + run;
    stebz_table const table = find_window(T, f, n, first, first + here - 1, whole_memory + layout.table);
    if (threadIdx.x >= LANES) return;
    int groups = 1; /* of a warp */
    while (groups * WARPS < each) groups *= 2;
    int const m = 32 / groups, lane = threadIdx.x & 31, slot = threadIdx.x / 32 * groups + lane / m,
              at = slot < here ? slot : -1;
    stebz_bracket s = {};
    if (goes_rough<real> && T.rough) {
        int const rough_slot = threadIdx.x / 32 * groups + lane % HALF / (m / 2);
        find_cells(T.ends, f, table, first, m / 2, rough_slot < here ? rough_slot : -1, cells);
        double const lo = at >= 0 ? cells[at] : f.lo;
        stebz_value const v = T.final.count(f, cell_point(f, lo, lane & (m - 1)));
        unsigned const reached = __ballot_sync(0xffffffffu, v.count >= first + slot) >> (lane & ~(m - 1));
        s = bracket_of_cell(f, lo, m == 32 ? reached : reached & ((1u << m) - 1), m, first + slot);
    } else if (at >= 0) {
        s = bracket_from_table(f, table, first + at);
    }
    finish_whole(T.final, job, f, s, m, at >= 0 ? run + at : -1);
}

/* ------------------------------------------------------------------------ launcher */

template <typename real, bool may_pivot>
static eig_status launch(eig_context *ctx, const stebz_job &job, cudaStream_t stream)
{
    int64_t const each = (job.last + MOST_BLOCKS - 1) / MOST_BLOCKS;
    size_t const bytes = (size_t)whole_layout_of<real>((int)job.t.n, may_pivot).bytes;
    return cuda_launch(ctx, "stebz: whole_kernel", stream, {(job.last + each - 1) / each, THREADS, bytes},
                       whole_kernel<real, may_pivot>, job, (int)each);
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
