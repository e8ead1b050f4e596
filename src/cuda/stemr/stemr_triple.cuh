/* stemr on CUDA: T~ - x in triple-double arithmetic, for members of clusters whose gaps are too narrow for
 * double-double.
 *
 * Numbers are sums of three doubles; minors as in stemr_walk.cuh, to 2^-150 or so.  x is that of the pair and a
 * small tail.  Such pairs are few: short code matters more than speed.
 * Source: Y. Hida, X. Li and D. Bailey, Algorithms for quad-double precision floating point arithmetic, ARITH-15
 * (2001). */
#ifndef EIG_STEMR_TRIPLE_CUH
#define EIG_STEMR_TRIPLE_CUH

#include "stemr_walk.cuh"

struct stemr_triple {
    double a, b, c;
};

/* a + b + c, c being small beside b unless b has cancelled, and b beside a likewise.  Where the first words cancel, the
 * second ones become first: else words would overlap by as many bits as have cancelled, and by as many more in every
 * row that cancels after that. */
static __device__ __forceinline__ stemr_triple stemr_triple_in_order(double a, double b, double c)
{
    wide_d const first = wide_sum_d(a, b), rest = wide_sum_d(first.lo, c);
    wide_d const top = wide_fast_sum_d(first.hi, rest.hi), second = wide_fast_sum_d(top.lo, rest.lo);
    return stemr_triple{top.hi, second.hi, second.lo};
}

static __device__ __forceinline__ stemr_triple stemr_triple_of(double a, double b, double c)
{
    wide_d const low = wide_sum_d(b, c);
    return stemr_triple_in_order(a, low.hi, low.lo);
}

static __device__ __forceinline__ stemr_triple stemr_triple_sum(const stemr_triple &x, const stemr_triple &y)
{
    wide_d const high = wide_sum_d(x.a, y.a), middle = wide_sum_d(x.b, y.b), second = wide_sum_d(middle.hi, high.lo);
    return stemr_triple_of(high.hi, second.hi, x.c + y.c + middle.lo + second.lo);
}

static __device__ __forceinline__ wide_d stemr_exact_product(double x, double y)
{
    double const p = x * y;
    return wide_d{p, fma(x, y, -p)};
}

/* Its parts may overlap: the next sum corrects that. */
static __device__ __forceinline__ stemr_triple stemr_triple_product(const stemr_triple &x, const stemr_triple &y)
{
    wide_d const high = stemr_exact_product(x.a, y.a);
    wide_d const cross = stemr_exact_product(x.a, y.b), other = stemr_exact_product(x.b, y.a);
    wide_d const both = wide_sum_d(cross.hi, other.hi), second = wide_sum_d(both.hi, high.lo);
    double const low = fma(x.a, y.c, fma(x.c, y.a, fma(x.b, y.b, cross.lo + other.lo))) + (both.lo + second.lo);
    return stemr_triple{high.hi, second.hi, low};
}

/* x y - z, with few operations from x to its first word. */
static __device__ __forceinline__ stemr_triple stemr_triple_rest(const stemr_triple &x, const stemr_triple &y,
                                                                 const stemr_triple &z)
{
    wide_d const high = stemr_exact_product(x.a, y.a);
    wide_d const cross = stemr_exact_product(x.b, y.a), other = stemr_exact_product(x.a, y.b);
    wide_d const first = wide_sum_d(high.hi, -z.a);
    wide_d const u = wide_sum_d(cross.hi, -z.b), v = wide_sum_d(other.hi, u.hi), w = wide_sum_d(high.lo, v.hi);
    wide_d const second = wide_sum_d(first.lo, w.hi);
    double const low = fma(x.c, y.a, fma(x.b, y.b, fma(x.a, y.c, (cross.lo + u.lo) - z.c)));
    double const third = low + ((other.lo + v.lo) + (w.lo + second.lo));
    return stemr_triple_in_order(first.hi, second.hi, third);
}

static __device__ __forceinline__ stemr_triple stemr_minus(const stemr_triple &x)
{
    return stemr_triple{-x.a, -x.b, -x.c};
}

static __device__ __forceinline__ stemr_triple stemr_pick(bool first, const stemr_triple &x, const stemr_triple &y)
{
    return stemr_triple{first ? x.a : y.a, first ? x.b : y.b, first ? x.c : y.c};
}

static __device__ __forceinline__ stemr_triple stemr_shuffle(const stemr_triple &x, int mask)
{
    unsigned const all = 0xffffffffu;
    return stemr_triple{__shfl_xor_sync(all, x.a, mask), __shfl_xor_sync(all, x.b, mask),
                        __shfl_xor_sync(all, x.c, mask)};
}

/* T~, as stemr_of_root, minus x and the tail. */
struct stemr_of_triples : stemr_of_root {
    double tail;

    __device__ __forceinline__ stemr_of_triples with(stemr_root_tile *shared) const
    {
        stemr_of_triples r = *this;
        r.tile = shared;
        return r;
    }

    struct way {
        stemr_triple here, before;
        double b, kept;
    };
    __device__ __forceinline__ way begin(bool, wide_d) const
    {
        return way{{1, 0, 0}, {0, 0, 0}, 0, 1};
    }
    __device__ __forceinline__ stemr_triple coupled(const way &w) const /* b^2 times the minor before */
    {
        double const square = fma(w.b, w.b, STEMR_LEAST_SQUARE);
        return stemr_triple_product(w.before, stemr_triple{square, fma(w.b, w.b, -square), 0});
    }
    __device__ __forceinline__ way go(const line &l, wide_d x, const way &w, bool *negative, double *ratio) const
    {
        stemr_triple const difference =
            stemr_triple_sum(stemr_triple{l.a.hi, l.a.lo, 0}, stemr_triple{-x.hi, -x.lo, -tail});
        way next;
        next.here = stemr_triple_rest(w.here, difference, coupled(w));
        next.before = w.here, next.b = l.b;
        next.kept = stemr_kept_away(next.here.a, w.kept);
        *negative = (__double2hiint(next.here.a) ^ __double2hiint(w.here.a)) < 0;
        *ratio = l.b * w.kept * stemr_reciprocal(next.kept, rough_inverse(next.kept));
        return next;
    }
    __device__ __forceinline__ void rescale(way &w) const
    {
        double const factor = stemr_rescaling(w.here.a, w.before.a);
        w.here = stemr_triple{w.here.a * factor, w.here.b * factor, w.here.c * factor};
        w.before = stemr_triple{w.before.a * factor, w.before.b * factor, w.before.c * factor};
        w.kept *= factor;
    }
    static __device__ __forceinline__ way pick(bool first, const way &x, const way &y)
    {
        return way{stemr_pick(first, x.here, y.here), stemr_pick(first, x.before, y.before), first ? x.b : y.b,
                   first ? x.kept : y.kept};
    }
    /* gamma = (a - x) - c / p - c' / p', p and p' the minors from both ends, over a common denominator: it cancels. */
    __device__ __forceinline__ double meet(wide_d x, bool back, int length, const way &w) const
    {
        bool negative;
        double ratio;
        stemr_triple const next = go(load(back, length), x, w, &negative, &ratio).here; /* (a - x) p - c */
        stemr_triple const c = coupled(w), his = stemr_shuffle(w.here, STEMR_HALF),
                           his_c = stemr_shuffle(c, STEMR_HALF);
        stemr_triple const above =
            stemr_triple_sum(stemr_triple_product(next, his), stemr_minus(stemr_triple_product(his_c, w.here)));
        double const p = stemr_kept_away(w.here.a, w.before.a), q = stemr_kept_away(his.a, 1.0);
        return above.a / p / q;
    }
};

template <>
__device__ __forceinline__ stemr_of_triples stemr_rows_of<stemr_of_triples>(const stemr_task &t,
                                                                            const stemr_eigenpair *k)
{
    stemr_of_triples r;
    r.entry = t.entry, r.n = (int)t.n, r.tile = NULL, r.tail = k->tail;
    return r;
}

#endif
