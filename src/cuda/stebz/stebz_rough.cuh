/* Cells of eigenvalues in double by rough counts: rounds of shifts at equal distances, then about the root of the polynomial
 * through six of their values. */
#ifndef EIG_STEBZ_ROUGH_CUH
#define EIG_STEBZ_ROUGH_CUH

#include "primitives/grid.cuh"
#include "stebz_whole.cuh"

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

/* Lane i's shift of a group of m: the inner ends of all cells, where they are no more than m; two ladders from the guess's error
 * to the ends; or equal distances.  A guess that is sure to a quarter of a cell begins with that cell's ends. */
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

/* Points of a table that all blocks of a launch share, POINTS_D - 1 intervals a block, and where eigenvalue f.il + i is in it:
 * before point found[i]. */
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

/* Counts this block's part of it, and waits for the others.  count: POINTS_D in shared memory.  All threads of the launch. */
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

#endif
