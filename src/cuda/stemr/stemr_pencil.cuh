/* stemr on CUDA: the pencil of a cluster.
 *
 * Vectors of a cluster are large in a few rows.  Of T~ - center - x all other rows are eliminated, once for all
 * members: what is left is a tridiagonal matrix of little more rows than the cluster has members, whose entries depend
 * on x.  They are kept as c0 + c1 x + c2 x^2, for x no larger than half the cluster's width.
 *
 * Eigenvalues  of T~ below center + x: pivots below 0 of the rows that went, the same for all x, and those of what is
 *              left.
 * Vectors      z of a row that went is -(f z_left + h z_next), f and h being linear in x: no chain of all rows, and a
 *              double's digits do.
 * Errors       c0 errs by 2^-104 and more, but equally for all members: as if T~ were changed by as much.  c1 is the
 *              metric in which what is left of vectors is orthogonal; it errs by a few eps, and so do their inner
 *              products.  What differs from member to member are roundings of the pencil's own entries, and these are
 *              small, since center lies in the cluster.  Narrow gaps therefore do not matter as they do against T~.
 * Which rows   a row goes if its pivot is not small beside its derivative, and if z of its neighbours does not make its
 *              own large; else it stays.  That is what multifrontal codes call delayed pivots (I. Duff and J. Reid, ACM
 *              TOMS 9, 1983). */
#ifndef EIG_STEMR_PENCIL_CUH
#define EIG_STEMR_PENCIL_CUH

#include "stemr_clusters.cuh"
#include "stemr_walk.cuh"

/* A number that depends on x. */
struct stemr_pencil {
    wide_d c0;
    double c1, c2;
};

/* A row that stays: its diagonal element, and what couples it and the next one that stays. */
struct alignas(16) stemr_kept {
    stemr_pencil a, f;
    int row, unused[3];
};

static __device__ __forceinline__ stemr_pencil stemr_constant(double x)
{
    return stemr_pencil{{x, 0}, 0, 0};
}

static __device__ __forceinline__ stemr_pencil stemr_sum(const stemr_pencil &p, const stemr_pencil &q)
{
    return stemr_pencil{wide_add_d(p.c0, q.c0), p.c1 + q.c1, p.c2 + q.c2};
}

static __device__ __forceinline__ stemr_pencil stemr_minus(const stemr_pencil &p)
{
    return stemr_pencil{wide_minus_d(p.c0), -p.c1, -p.c2};
}

static __device__ __forceinline__ stemr_pencil stemr_product(const stemr_pencil &p, const stemr_pencil &q)
{
    wide_d const c0 = wide_product_d(p.c0, q.c0);
    return stemr_pencil{wide_fast_sum_d(c0.hi, c0.lo), fma(p.c0.hi, q.c1, p.c1 * q.c0.hi),
                        fma(p.c0.hi, q.c2, fma(p.c1, q.c1, p.c2 * q.c0.hi))};
}

static __device__ __forceinline__ stemr_pencil stemr_one_over(const stemr_pencil &p)
{
    double const r = stemr_reciprocal(p.c0.hi, rough_inverse(p.c0.hi));
    wide_d const c0 = wide_quotient_d(wide_d{1, 0}, p.c0, r);
    return stemr_pencil{wide_fast_sum_d(c0.hi, c0.lo), -p.c1 * r * r, r * r * fma(r * p.c1, p.c1, -p.c2)};
}

/* Its value; square: x.hi^2. */
static __device__ __forceinline__ wide_d stemr_value(const stemr_pencil &p, wide_d x, double square)
{
    double const part = x.hi * p.c1, error = fma(x.hi, p.c1, -part);
    wide_d const sum = wide_sum_d(p.c0.hi, part);
    return wide_fast_sum_d(sum.hi, sum.lo + (p.c0.lo + fma(square, p.c2, fma(x.lo, p.c1, error))));
}

/* Its derivative, with the other sign. */
static __device__ __forceinline__ double stemr_weight(const stemr_pencil &p, wide_d x)
{
    return fma(-2 * x.hi, p.c2, -p.c1);
}

/* What brings a row back that went: z = -((f + x f1) z_left + (h + x h1) z_next). */
struct stemr_return {
    double f, f1, h, h1;
};

/* What brings rows back, by rows, and which rows have stayed in their chunks. */
static __device__ __forceinline__ stemr_return *stemr_returns_of(const stemr_task &t, int slot)
{
    return (stemr_return *)t.pool + slot * t.n;
}

static __device__ __forceinline__ unsigned *stemr_stays_of(const stemr_task &t, int slot)
{
    return t.stays + slot * stemr_chunks(t.n);
}

/* The row of the pencil at or before each row; -1: none. */
static __device__ __forceinline__ int *stemr_above_of(const stemr_task &t, int slot)
{
    return t.above + slot * t.n;
}

/* What is left of a cluster's T~ - center: the rows of stemr_walk.cuh. */
struct stemr_of_pencil {
    const stemr_kept *rows;
    int n, below; /* below: pivots below 0 of the rows that went */

    struct line {
        stemr_pencil a, f;
    };
    static __device__ __forceinline__ stemr_pencil load_pencil(const stemr_pencil *at)
    {
        double2 const c0 = __ldg((const double2 *)at), rest = __ldg((const double2 *)at + 1);
        return stemr_pencil{{c0.x, c0.y}, rest.x, rest.y};
    }
    __device__ __forceinline__ line load(bool back, int i) const
    {
        int const row = min(max(back ? n - 1 - i : i, 0), n - 1);
        return line{load_pencil(&rows[row].a), load_pencil(&rows[max(row - back, 0)].f)};
    }
    __device__ __forceinline__ stemr_of_pencil with(stemr_root_tile *) const
    {
        return *this;
    }
    template <typename visitor> __device__ __forceinline__ void walk(bool back, int longest, visitor visit) const
    {
#pragma unroll 1
        for (int i0 = 0; i0 < longest; i0 += STEMR_GROUP) {
            line here[STEMR_GROUP];
#pragma unroll
            for (int k = 0; k < STEMR_GROUP; ++k) here[k] = load(back, i0 + k);
            visit(i0, here);
        }
    }

    /* Minors of what is left, and what couples the last row and the next one. */
    struct way {
        wide_d here, before, f;
        double kept; /* here.hi, kept away from 0 */
    };
    __device__ __forceinline__ way begin(bool, wide_d) const
    {
        return way{{1, 0}, {0, 0}, {0, 0}, 1};
    }
    static __device__ __forceinline__ wide_d square_of(wide_d f)
    {
        double const square = fma(f.hi, f.hi, STEMR_LEAST_SQUARE);
        return wide_d{square, fma(f.hi, f.hi, -square) + 2 * f.hi * f.lo};
    }
    /* A row further, but for `kept`. */
    __device__ __forceinline__ way next(const line &l, wide_d x, const way &w) const
    {
        double const square = x.hi * x.hi;
        way r;
        r.here = stemr_next_minor(stemr_value(l.a, x, square), square_of(w.f), w.here, w.before);
        r.before = w.here, r.f = stemr_value(l.f, x, square), r.kept = 1;
        return r;
    }
    __device__ __forceinline__ way go(const line &l, wide_d x, const way &w, bool *negative, double *ratio) const
    {
        way r = next(l, x, w);
        r.kept = stemr_kept_away(r.here.hi, w.kept);
        *negative = (__double2hiint(r.here.hi) ^ __double2hiint(w.here.hi)) < 0;
        *ratio = r.f.hi * w.kept * stemr_reciprocal(r.kept, rough_inverse(r.kept));
        return r;
    }
    __device__ __forceinline__ void rescale(way &w) const
    {
        double const factor = stemr_rescaling(w.here.hi, w.before.hi);
        w.here.hi *= factor, w.here.lo *= factor, w.before.hi *= factor, w.before.lo *= factor, w.kept *= factor;
    }
    static __device__ __forceinline__ way pick(bool first, const way &x, const way &y)
    {
        return way{stemr_pick(first, x.here, y.here), stemr_pick(first, x.before, y.before),
                   stemr_pick(first, x.f, y.f), first ? x.kept : y.kept};
    }
    /* f^2 times the minor before, over the last one. */
    static __device__ __forceinline__ wide_d state_of(const way &w)
    {
        wide_d const square = square_of(w.f), here = {stemr_kept_away(w.here.hi, w.before.hi), w.here.lo};
        return wide_quotient_d(wide_product_d(square, w.before), here,
                               stemr_reciprocal(here.hi, rough_inverse(here.hi)));
    }
    __device__ __forceinline__ double gamma(wide_d x, int row, wide_d mine, wide_d other) const
    {
        wide_d const a = stemr_value(load_pencil(&rows[row].a), x, x.hi * x.hi);
        return stemr_difference(stemr_difference(a, mine), other).hi;
    }
    __device__ __forceinline__ double meet(wide_d x, bool back, int length, const way &w) const
    {
        wide_d const s = state_of(w);
        return gamma(x, back ? n - 1 - length : length, s, stemr_shuffle(s, STEMR_HALF));
    }
};

/* Squares of lengths in the metric of c1; what a walk has passed counts without the next place's own. */
template <> struct stemr_metric<stemr_of_pencil> {
    typedef stemr_of_pencil::line line;
    static __device__ __forceinline__ double start()
    {
        return 0;
    }
    static __device__ __forceinline__ double longer(const line &l, wide_d x, double ratio, double before)
    {
        double const part = fma(ratio, before + stemr_weight(l.a, x), -2 * stemr_weight(l.f, x));
        return fmin(ratio * part, STEMR_MOST_NORM);
    }
    static __device__ __forceinline__ double norm(const stemr_of_pencil &rows, wide_d x, bool back, int length,
                                                  double mine, double other)
    {
        int const row = back ? rows.n - 1 - length : length;
        return mine + other + stemr_weight(stemr_of_pencil::load_pencil(&rows.rows[row].a), x);
    }
    static __device__ __forceinline__ int below(const stemr_of_pencil &rows)
    {
        return rows.below;
    }
};

static __device__ __forceinline__ stemr_of_pencil stemr_pencil_of(const stemr_task &t, int node)
{
    stemr_cluster const &c = t.node[node];
    return stemr_of_pencil{t.kept + c.kept_at, c.kept, c.kept_below};
}

template <>
__device__ __forceinline__ stemr_of_pencil stemr_rows_of<stemr_of_pencil>(const stemr_task &t, const stemr_eigenpair *k)
{
    return stemr_pencil_of(t, k->node);
}

/* Eigenvalues of T~ below center + x, by two neighbouring lanes with the same x, as root_count_below.  Lanes may have
 * clusters of their own. */
static __device__ int stemr_pencil_count(const stemr_of_pencil &rows, wide_d x, bool upwards)
{
    int const half = rows.n / 2, steps = upwards ? rows.n - 1 - half : half;
    int const whole = steps / STEMR_GROUP * STEMR_GROUP;
    stemr_of_pencil::way w = rows.begin(upwards, x);
    int count = 0;
    auto const go = [&](const stemr_of_pencil::line &line) {
        stemr_of_pencil::way const next = rows.next(line, x, w);
        count += (unsigned)(__double2hiint(next.here.hi) ^ __double2hiint(w.here.hi)) >> 31;
        w = next;
    };
    rows.walk(upwards, whole, [&](int, const stemr_of_pencil::line *lines) {
#pragma unroll
        for (int k = 0; k < STEMR_GROUP; ++k) go(lines[k]);
        rows.rescale(w);
    });
    for (int i = whole; i < steps; ++i) go(rows.load(upwards, i));
    __syncwarp();
    wide_d const mine = rows.state_of(w);
    wide_d const other = {__shfl_xor_sync(0xffffffffu, mine.hi, 1), __shfl_xor_sync(0xffffffffu, mine.lo, 1)};
    count += __shfl_xor_sync(0xffffffffu, count, 1);
    /* Both lanes take the sum in the same order. */
    return rows.below + count + (rows.gamma(x, half, upwards ? other : mine, upwards ? mine : other) < 0);
}

#endif
