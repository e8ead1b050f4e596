/* Brackets of eigenvalues on the device: where the next shifts go, and which bracket the counts leave.
 *
 * A group of m lanes refines the bracket of one eigenvalue, m a power of two from 1 to 32; every lane of the group
 * holds the whole state.  Invariant: C(lo) < k <= C(hi) with counts evaluated for these very ends.
 *
 * Bits    the result is the leaf at which plain bisection ends, with the same counts, from an interval that holds all
 *         of the spectrum: a function of T and k alone, however the bracket was found.  A count that bisection would
 *         make outside (lo, hi) is known where counts are monotone: those by pivots are, those of the product form at
 *         multiples of f.grid (docs/maintainers/cuda/stebz.md).  So all shifts are such multiples until the bracket is
 *         one cell of the grid, and the levels below are bisected as they stand.
 * m = 1   the rule of bracket.h: inverse quadratic interpolation guarded by bisection.
 * m > 1   while several eigenvalues are inside, or the last round gained too little: m equally spaced shifts. Otherwise
 * two
 *         ladders of m/2 shifts on both sides of the interpolated point, from its estimated error up to half the way
 *         to the ends: the bracket shrinks to the true error, whichever it is.  Near the end, and by pivots: the next
 *         levels of the bisection, all their points at once. */
#ifndef EIG_STEBZ_BRACKET_CUH
#define EIG_STEBZ_BRACKET_CUH

#include "bracket.h"
#include "primitives/fast.cuh"
#include "stebz_count.cuh"

/* The facts, so that the compiler knows what they cannot be: only a tolerance asks for counts by pivots. */
template <bool may_pivot> static __device__ __forceinline__ stebz_facts facts_of(const stebz_facts *facts)
{
    stebz_facts f = *facts;
    if (!may_pivot) f.pivot = f.fine = 0;
    return f;
}

struct stebz_end {
    double x, mantissa, exponent;
};

struct stebz_bracket {
    stebz_end a, b, c; /* the end that moved last, the other, and a point beyond a */
    int64_t k, count_a, count_b;
    int has_c, idle; /* rounds in a row that did not shrink the bracket as bisection would */
};

static __device__ __forceinline__ double bracket_lo(const stebz_bracket &s)
{
    return fmin(s.a.x, s.b.x);
}
static __device__ __forceinline__ double bracket_hi(const stebz_bracket &s)
{
    return fmax(s.a.x, s.b.x);
}

/* The polynomial's values guide the next step when the counts say that one eigenvalue is inside. */
static __device__ __forceinline__ bool bracket_single(const stebz_facts &f, const stebz_bracket &s)
{
    int64_t const inside = s.count_a - s.count_b;
    return !f.pivot && (inside == 1 || inside == -1);
}

/* The bracket of eigenvalue k in the table: a binary search that keeps the invariant, so that it needs no order. */
static __device__ stebz_bracket bracket_from_table(const stebz_facts &f, const stebz_table &t, int64_t k)
{
    int64_t lo = 0, hi = t.points - 1;
    while (hi - lo > 1) {
        int64_t const mid = lo + (hi - lo) / 2;
        if (t.count[mid] < k)
            lo = mid;
        else
            hi = mid;
    }
    /* The neighbour beyond one end serves as the third point. */
    int64_t const a = lo > 0 ? lo : hi, b = lo > 0 ? hi : lo, c = lo > 0 ? lo - 1 : hi + 1 < t.points ? hi + 1 : hi;
    stebz_bracket s;
    s.a = stebz_end{stebz_table_point(f, t, a), t.mantissa[a], t.exponent[a]};
    s.b = stebz_end{stebz_table_point(f, t, b), t.mantissa[b], t.exponent[b]};
    s.c = stebz_end{stebz_table_point(f, t, c), t.mantissa[c], t.exponent[c]};
    s.k = k;
    s.count_a = t.count[a];
    s.count_b = t.count[b];
    s.has_c = s.c.x != s.a.x;
    s.idle = 0;
    return s;
}

/* bracket_point of bracket.h by reciprocals of the GPU: its eight divisions, each with a branch of its own, took as
 * long as a count of 300 rows.  A point that is off by an ulp is as good; one that is no number is the middle. */
static __device__ __forceinline__ double bracket_interpolate(const stebz_bracket &s, bool with_c, double width)
{
    double const top = fmax(s.a.exponent, s.b.exponent), fa = s.a.mantissa * bracket_power_of_two(s.a.exponent - top);
    double const fb = s.b.mantissa * bracket_power_of_two(s.b.exponent - top);
    double const fc = s.c.mantissa * bracket_power_of_two(s.c.exponent - top);
    double const xa = s.a.x, xc = s.c.x, step = s.b.x - xa, over_step = inverse(step), over_ab = inverse(fa - fb);
    double const over_bc = inverse(fb - fc), over_ca = inverse(fc - fa);
    double const xi = step * inverse(s.b.x - xc), phi = (fb - fa) * over_bc;
    double const quadratic = -fa * over_ab * (fc * over_bc) + (xc - xa) * over_step * (fa * over_ca) * (-fb * over_bc);
    bool const safe = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi;
    double t = !with_c ? fa * over_ab : safe ? quadratic : 0.5;
    t = t > 0 && t < 1 ? t : 0.5;
    double const shortest = fmin(0.5 * width * fabs(over_step), 0.5);
    return xa + fmin(fmax(t, shortest), 1 - shortest) * step;
}

/* A bracket that is a leaf of the bisection's tree, or that a count at x parts. */
struct stebz_cell {
    double lo, x, hi;
    bool leaf;
};

/* The tree of brackets by pivots, from [f.lo, f.hi]: where bisection comes to with all counts known up to a and from
 * b. */
static __device__ stebz_cell pivot_cell(const stebz_facts &f, double a, double b)
{
    double lo = f.lo, hi = f.hi;
    for (;;) {
        double const x = stebz_middle(f, lo, hi);
        if (stebz_narrow_enough(f, lo, hi) || !(lo < x && x < hi)) return stebz_cell{lo, x, hi, true};
        if (a < x && x < b) return stebz_cell{lo, x, hi, false};
        if (x <= a)
            lo = x;
        else
            hi = x;
    }
}

/* Whether bisection ends here: at the leaf *lo, *hi.  A bracket of the product form is a cell of the grid then, or of
 * its halves, quarters, ... */
static __device__ __forceinline__ bool bracket_done(const stebz_facts &f, const stebz_bracket &s, double *lo,
                                                    double *hi)
{
    *lo = bracket_lo(s), *hi = bracket_hi(s);
    if (!f.pivot) return *hi - *lo <= f.grid && stebz_narrow_enough(f, *lo, *hi);
    stebz_cell const cell = pivot_cell(f, *lo, *hi);
    *lo = cell.lo, *hi = cell.hi;
    return cell.leaf;
}

/* x on the grid, strictly between the ends, which are farther apart than a cell. */
static __device__ __forceinline__ double bracket_snap(const stebz_facts &f, double x, double lo, double hi)
{
    double const y = stebz_nearest(f, x);
    return y <= lo ? lo + f.grid : y >= hi ? hi - f.grid : y;
}

/* One lane's next shift. */
template <typename real> static __device__ double bracket_shift(const stebz_facts &f, const stebz_bracket &s)
{
    double const lo = bracket_lo(s), hi = bracket_hi(s), middle = lo + 0.5 * (hi - lo);
    if (f.pivot) return pivot_cell(f, lo, hi).x;
    if (hi - lo <= f.grid) return middle;
    bool const close = hi - lo <= (sizeof(real) == 4 ? 8 : 2) * f.grid;
    bool const bisect = close || !bracket_single(f, s) || s.idle >= BRACKET_PATIENCE;
    return bracket_snap(f, bisect ? middle : bracket_interpolate(s, s.has_c, f.grid), lo, hi);
}

/* By pivots, lane i of a group of m: its point among the next levels of the bisection, numbered from 1 as in a heap. */
static __device__ double bracket_node(const stebz_facts &f, const stebz_bracket &s, int i, int m)
{
    double a = bracket_lo(s), b = bracket_hi(s);
    int const node = min(i + 1, m - 1);
    for (int bit = 30 - __clz(node); bit >= 0; --bit) {
        stebz_cell const cell = pivot_cell(f, a, b);
        if (cell.leaf) return cell.x;
        if (node >> bit & 1)
            a = cell.x;
        else
            b = cell.x;
    }
    return pivot_cell(f, a, b).x;
}

/* The spacing at which m points fill the bracket with leaves, all of them or but one level; 0: it is too wide. */
static __device__ __forceinline__ double bracket_comb(const stebz_facts &f, double lo, double hi, int m)
{
    double const width = fmin(stebz_width(f, lo, hi), f.grid);
    double const leaf = __hiloint2double(__double2hiint(width) & 0x7ff00000, 0);
    if (hi - lo <= (m + 1) * leaf) return leaf;
    return hi - lo <= f.grid ? 0.5 * (hi - lo) : 0;
}

/* Lane i of a group of m: its next shift; shifts ascend with lanes, but for pivots. */
template <typename real>
static __device__ double bracket_shift_of(const stebz_facts &f, const stebz_bracket &s, int i, int m)
{
    if (f.pivot) return bracket_node(f, s, i, m);
    double const lo = bracket_lo(s), hi = bracket_hi(s), middle = lo + 0.5 * (hi - lo), half = 0.5 * m;
    double const comb = bracket_comb(f, lo, hi, m);
    if (comb > 0) return fmin(lo + (i + 1) * comb, hi - comb);
    bool const close = hi - lo <= (m + 1) * (sizeof(real) == 4 ? m + 1 : 1) * f.grid;
    bool const left = i < m / 2;
    double const bisect = s.a.x + 0.5 * (s.b.x - s.a.x); /* what bracket_point returns where it cannot interpolate */
    double best = bisect;
    if (!close && bracket_single(f, s) && s.idle == 0 && s.has_c) best = bracket_interpolate(s, true, f.grid);
    double x;
    if (best == bisect) {
        double const part = inverse(half + 0.5);
        x = left ? lo + (middle - lo) * ((i + 1) * part) : hi - (hi - middle) * ((m - i) * part);
    } else {
        double const secant = bracket_interpolate(s, false, f.grid), gap = best - secant;
        double const reach = 0.5 * (left ? best - lo : hi - best), size = fabs(gap), ratio = size * inverse(hi - lo);
        int const rung = left ? m / 2 - 1 - i : i - m / 2;
        /* The secant is off by about gap, the parabola by about gap^2 over the width. */
        double const guess = m == 2 ? size * sqrt(sqrt(ratio)) : (m == 4 ? 1.0 : 0.3) * size * ratio;
        double const least = fmin(fmax(0.3 * f.grid, guess), reach);
        double const most = m == 4 ? fmin(fmax(2 * size, least), reach) : reach;
        float const rungs = m > 2 ? (float)rung * inverse((float)(m / 2 - 1)) : 0.0f;
        float const climb = log2f((float)(most * inverse(least))) * rungs;
        double const distance = fmin(least * (double)exp2f(climb), reach);
        x = best + (left ? -distance : distance);
    }
    return bracket_snap(f, x, lo, hi);
}

/* One lane: moves the end that the count at x allows. */
static __device__ void bracket_move(stebz_bracket &s, double x, const stebz_value &v)
{
    double const width = fabs(s.b.x - s.a.x);
    bool const left = v.count >= s.k; /* eigenvalue k lies in [lo, x] */
    if (left == s.a.x < s.b.x) {      /* the end opposite to a moves: b is dropped and a becomes the other end */
        s.c = s.b;
        s.b = s.a;
        s.count_b = s.count_a;
    } else {
        s.c = s.a;
    }
    s.a = stebz_end{x, v.mantissa, v.exponent};
    s.count_a = v.count;
    s.has_c = 1;
    if (s.idle >= BRACKET_PATIENCE) s.idle = 0;
    s.idle = fabs(s.b.x - x) > 0.5 * width ? s.idle + 1 : 0;
}

static __device__ __forceinline__ stebz_end end_of_lane(unsigned mask, const stebz_end &mine, int lane)
{
    return stebz_end{__shfl_sync(mask, mine.x, lane), __shfl_sync(mask, mine.mantissa, lane),
                     __shfl_sync(mask, mine.exponent, lane)};
}

/* A group: the first lane whose count reaches k and the lane before it are the new ends; shifts ascend with lanes.
 * All lanes of the warp. */
static __device__ void bracket_narrow(stebz_bracket &s, double x, const stebz_value &v, int m)
{
    unsigned const all = 0xffffffffu;
    int const lane = threadIdx.x & 31, base = lane & ~(m - 1);
    unsigned const reached = (__ballot_sync(all, v.count >= s.k) >> base) & (m == 32 ? all : (1u << m) - 1);
    int const first = reached ? __ffs(reached) - 1 : m; /* 0..m: the new bracket lies before lane first */
    bool const old_lo = first == 0, old_hi = first == m;
    stebz_end const mine = {x, v.mantissa, v.exponent};
    stebz_end const below = end_of_lane(all, mine, base + max(first - 1, 0));
    stebz_end const above = end_of_lane(all, mine, base + min(first, m - 1));
    stebz_end const below2 = end_of_lane(all, mine, base + max(first - 2, 0));
    stebz_end const above2 = end_of_lane(all, mine, base + min(first + 1, m - 1));
    int64_t const count_below = __shfl_sync(all, v.count, base + max(first - 1, 0));
    int64_t const count_above = __shfl_sync(all, v.count, base + min(first, m - 1));
    bool const a_is_lo = s.a.x < s.b.x;
    stebz_end const lo_end = a_is_lo ? s.a : s.b, hi_end = a_is_lo ? s.b : s.a;
    int64_t const lo_count = a_is_lo ? s.count_a : s.count_b, hi_count = a_is_lo ? s.count_b : s.count_a;
    double const width = hi_end.x - lo_end.x;
    stebz_end const lo = old_lo ? lo_end : below, hi = old_hi ? hi_end : above;
    int64_t const count_lo = old_lo ? lo_count : count_below, count_hi = old_hi ? hi_count : count_above;
    /* Beyond lo: the lane before, or the old end; nothing if lo did not move.  Likewise beyond hi; the nearer serves.
     */
    stebz_end const beyond_lo = first >= 2 ? below2 : lo_end, beyond_hi = first <= m - 2 ? above2 : hi_end;
    bool const take_lo = !old_lo && (old_hi || lo.x - beyond_lo.x <= beyond_hi.x - hi.x);
    s.a = take_lo ? lo : hi;
    s.b = take_lo ? hi : lo;
    s.c = take_lo ? beyond_lo : beyond_hi;
    s.count_a = take_lo ? count_lo : count_hi;
    s.count_b = take_lo ? count_hi : count_lo;
    s.has_c = s.c.x != s.a.x;
    bool const slow = hi.x - lo.x > 2 * width / (m + 1);
    s.idle = slow && s.idle == 0 ? 1 : 0;
}

/* The ends that bisection has left; from here on only counts are asked. */
static __device__ __forceinline__ void bracket_leave(stebz_bracket &s, double lo, double hi)
{
    s.a = stebz_end{lo, 0, 0};
    s.b = stebz_end{hi, 0, 0};
    s.count_a = s.count_b = s.k;
    s.has_c = 0;
}

/* A group of m that counted by pivots goes down the levels.  All lanes of the warp. */
static __device__ void bracket_descend(const stebz_facts &f, stebz_bracket &s, const stebz_value &v, int m)
{
    int const base = (threadIdx.x & 31) & ~(m - 1);
    double a = bracket_lo(s), b = bracket_hi(s);
    for (int node = 1, levels = 1; levels < m; levels *= 2) {
        stebz_cell const cell = pivot_cell(f, a, b);
        int64_t const count = __shfl_sync(0xffffffffu, v.count, base + node - 1);
        bool const beyond = count < s.k;
        node = 2 * node + beyond;
        if (cell.leaf) continue;
        if (beyond)
            a = cell.x;
        else
            b = cell.x;
    }
    bracket_leave(s, a, b);
}

/* A group whose points were a comb: the cell of the grid, then its halves, as bisection would go down them. */
static __device__ void bracket_comb_out(const stebz_facts &f, stebz_bracket &s, unsigned reached, double comb)
{
    double const lo = bracket_lo(s), hi = bracket_hi(s);
    int const teeth = (int)((hi - lo) / comb), cell = (int)fmin((double)teeth, f.grid / comb);
    int at = 0, size = cell;
    while (at + size < teeth && !(reached >> (at + size - 1) & 1)) at += size;
    while (size > 1 && !stebz_narrow_enough(f, lo + at * comb, lo + (at + size) * comb)) {
        size /= 2;
        if (!(reached >> (at + size - 1) & 1)) at += size;
    }
    bracket_leave(s, lo + at * comb, lo + (at + size) * comb);
}

/* A group's new bracket.  All lanes of the warp. */
static __device__ void bracket_take(const stebz_facts &f, stebz_bracket &s, double x, const stebz_value &v, int m)
{
    if (f.pivot) return bracket_descend(f, s, v, m);
    int const base = (threadIdx.x & 31) & ~(m - 1);
    unsigned const reached = __ballot_sync(0xffffffffu, v.count >= s.k) >> base;
    double const comb = bracket_comb(f, bracket_lo(s), bracket_hi(s), m);
    stebz_bracket t = s;
    if (!__all_sync(0xffffffffu, comb > 0)) bracket_narrow(t, x, v, m);
    if (comb > 0)
        bracket_comb_out(f, s, reached, comb);
    else
        s = t;
}

/* The whole state of another lane.  All lanes of the warp. */
static __device__ stebz_bracket bracket_of_lane(const stebz_bracket &s, int lane)
{
    unsigned const all = 0xffffffffu;
    stebz_bracket t;
    t.a = end_of_lane(all, s.a, lane);
    t.b = end_of_lane(all, s.b, lane);
    t.c = end_of_lane(all, s.c, lane);
    t.k = __shfl_sync(all, s.k, lane);
    t.count_a = __shfl_sync(all, s.count_a, lane);
    t.count_b = __shfl_sync(all, s.count_b, lane);
    t.has_c = __shfl_sync(all, s.has_c, lane);
    t.idle = 0;
    return t;
}

#endif
