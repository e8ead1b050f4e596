/* stemr on CUDA, method mrrr: rows of representations: steps of the qd algorithms along them, and the rows of
 * stemr_walk.cuh.
 *
 * Both algorithms of mrrr.inc are one here: forward, s' = G s / (D + s) - x; backward, with D and G exchanged.
 * stemr_walk.cuh tells how its chain is kept short. */
#ifndef EIG_STEMR_NODE_ROWS_CUH
#define EIG_STEMR_NODE_ROWS_CUH

#include "stemr/stemr_walk.cuh"

/* What a step finds. */
struct stemr_step {
    wide_d pivot;   /* D+ or D- */
    double inverse; /* of pivot.hi */
    wide_d part;    /* s' + x: backward, what gamma is made of; its words overlap, and those of next */
    wide_d next;    /* s' */
};

/* pivot = a + s, part = c s / pivot, next = part - x.  Forward a = D_i, c = G_i; backward a = G_i, c = D_i. */
static __device__ __forceinline__ stemr_step stemr_row_step(wide_d a, wide_d c, wide_d x, wide_d s)
{
    stemr_step r;
    stemr_pivot const pivot = stemr_pivot_of(a, s);
    wide_d const whole = wide_fast_sum_d(s.hi, s.lo);
    double const product = c.hi * whole.hi, guess = product * pivot.guess;
    double const product_lo = fma(c.lo, whole.hi, fma(c.hi, whole.lo, fma(c.hi, whole.hi, -product)));
    r.pivot = pivot.value, r.inverse = pivot.inverse;
    r.part.hi = fma(guess, pivot.cube, guess);
    double const rest = fma(-r.part.hi, r.pivot.hi, product) + fma(-r.part.hi, r.pivot.lo, product_lo);
    r.part.lo = rest * r.inverse;
    r.next.hi = r.part.hi - x.hi;
    double const of_x = r.next.hi - r.part.hi, error = (r.part.hi - (r.next.hi - of_x)) - (x.hi + of_x);
    r.next.lo = fma(rest, r.inverse, error - x.lo);
    return r;
}

/* Loads of 16 bytes. */
static __device__ __forceinline__ stemr_row stemr_load_row(const stemr_row *at)
{
    double2 const d = ((const double2 *)at)[0], g = ((const double2 *)at)[1];
    return stemr_row{{d.x, d.y}, {g.x, g.y}};
}

/* The row of the representation that has this pivot; b couples it and the next row. */
static __device__ __forceinline__ stemr_row stemr_row_of(const stemr_step &step, double b)
{
    stemr_row row;
    row.d = step.pivot;
    row.g = mrrr_coupling_d(b, step.pivot, step.inverse);
    return row;
}

/* The representation of a node. */
struct stemr_of_node {
    const stemr_entry *entry;
    const stemr_row *rows;
    int n;

    struct line {
        wide_d a, c;
        double b;
    };
    __device__ __forceinline__ line load(bool back, int i) const
    {
        int const row = min(max(back ? n - 2 - i : i, 0), n - 1);
        stemr_row const here = stemr_load_row(rows + row);
        line const l = {back ? here.g : here.d, back ? here.d : here.g, entry[row].b};
        return l;
    }
    __device__ __forceinline__ void fetch(bool back, int i) const
    {
        int const row = back ? n - 1 - i : i;
        if (0 <= row && row < n) fetch_soon(rows + row);
    }
    __device__ __forceinline__ wide_d start(bool back, wide_d x) const
    {
        return back ? stemr_difference(rows[n - 1].d, x) : wide_minus_d(x);
    }
    __device__ __forceinline__ stemr_stride step(const line &l, wide_d x, wide_d s) const
    {
        stemr_step const t = stemr_row_step(l.a, l.c, x, s);
        return stemr_stride{t.next, t.part, t.pivot.hi, l.b * t.inverse};
    }
    __device__ __forceinline__ double gamma(const stemr_stride &, wide_d x, wide_d mine, wide_d other) const
    {
        return stemr_less_of(wide_add_d(mine, x), wide_minus_d(other)).hi;
    }

    __device__ __forceinline__ stemr_of_node with(stemr_root_tile *) const
    {
        return *this;
    }

    /* As above, with loads a group of rows ahead: lanes may have rows of their own. */
    template <typename visitor> __device__ __forceinline__ void walk(bool back, int longest, visitor visit) const
    {
        enum { AHEAD = STEMR_GROUP };
        line next[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) next[k] = load(back, k);
#pragma unroll 1
        for (int i0 = 0; i0 < longest; i0 += AHEAD) {
            line here[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; ++k) here[k] = next[k], next[k] = load(back, i0 + AHEAD + k);
            visit(i0, here);
        }
    }

    /* The way of stemr_walk_half: the state is u / v, and no division stands in the way. */
    struct way {
        wide_d u, v;
        double kept; /* v.hi, kept away from 0 */
    };
    __device__ __forceinline__ way begin(bool back, wide_d x) const
    {
        return way{start(back, x), {1, 0}, 1};
    }
    __device__ __forceinline__ way go(const line &l, wide_d x, const way &w, bool *negative, double *ratio) const
    {
        way next;
        next.v = wide_add_d(wide_product_d(l.a, w.v), w.u);
        next.u = wide_add_d(wide_product_d(l.c, w.u), wide_minus_d(wide_product_d(x, next.v)));
        next.kept = stemr_kept_away(next.v.hi, w.kept);
        *negative = (__double2hiint(next.v.hi) ^ __double2hiint(w.v.hi)) < 0;
        *ratio = l.b * w.kept * stemr_reciprocal(next.kept, rough_inverse(next.kept));
        return next;
    }
    __device__ __forceinline__ void rescale(way &w) const
    {
        double const factor = stemr_rescaling(w.u.hi, w.v.hi);
        w.u.hi *= factor, w.u.lo *= factor, w.v.hi *= factor, w.v.lo *= factor, w.kept *= factor;
    }
    static __device__ __forceinline__ way pick(bool first, const way &x, const way &y)
    {
        return way{stemr_pick(first, x.u, y.u), stemr_pick(first, x.v, y.v), first ? x.kept : y.kept};
    }
    __device__ __forceinline__ double meet(wide_d x, bool, int, const way &w) const
    {
        wide_d const v = {w.kept, w.v.lo};
        wide_d const s = wide_quotient_d(w.u, v, stemr_reciprocal(v.hi, rough_inverse(v.hi)));
        return gamma(stemr_stride{}, x, s, stemr_shuffle(s, STEMR_HALF));
    }
};

template <>
__device__ __forceinline__ stemr_of_node stemr_rows_of<stemr_of_node>(const stemr_task &t, const stemr_eigenpair *k)
{
    return stemr_of_node{t.entry, t.pool + (int64_t)t.node[k->node].slot * t.n, (int)t.n};
}

#endif
