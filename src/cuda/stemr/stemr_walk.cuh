/* stemr on CUDA: a factorisation of N - x on its way, from the top or from the bottom, with twice the digits.
 *
 * A walk counts rows from its own end: place i is row i from the top, or row n-1-i from the bottom.  Its state at a place is
 * what the rows passed leave; a step takes it to the next place, and tells the pivot and the ratio of the place's entry
 * of the vector to the next one's, without its sign.  Two walks that meet at a row give gamma there.
 *
 * N is T~ (stemr_of_root) or the representation of a cluster (stemr_of_node); the first has the state b^2 / pivot, the
 * second s and p of mrrr.inc. */
#ifndef EIG_STEMR_WALK_CUH
#define EIG_STEMR_WALK_CUH

#include "stemr_cuda.cuh"

/* What a step finds. */
struct stemr_stride {
    wide_d next;  /* the state at the next place */
    wide_d part;  /* that gives gamma with the other walk's state: stemr_gamma */
    double pivot; /* rounded */
    double ratio;
};

/* x - y of numbers whose words may overlap; the words of the difference do not. */
static __device__ __forceinline__ wide_d stemr_less_of(wide_d x, wide_d y)
{
    double const hi = x.hi - y.hi, of_y = x.hi - hi;
    double const lo = ((x.hi - (hi + of_y)) + (of_y - y.hi)) + (x.lo - y.lo);
    return wide_fast_sum_d(hi, lo);
}

/* Asks for what lies there to be in the first cache soon. */
static __device__ __forceinline__ void stemr_fetch(const void *at)
{
    asm volatile("prefetch.global.L1 [%0];" : : "l"(at));
}

struct stemr_of_root {
    const stemr_entry *entry;
    int n;

    struct line {
        wide_d a;
        double b;
    };
    __device__ __forceinline__ line load(bool back, int i) const
    {
        /* Places beyond the end hold numbers that nobody uses. */
        int const row = min(max(back ? n - 1 - i : i, 0), n - 1);
        double2 const a = *(const double2 *)&entry[row].a;
        line const l = {{a.x, a.y}, entry[max(row - back, 0)].b};
        return l;
    }
    __device__ __forceinline__ void fetch(bool back, int i) const
    {
        int const row = back ? n - 1 - i : i;
        if (0 <= row && row < n) stemr_fetch(entry + row);
    }
    __device__ __forceinline__ wide_d start(bool, wide_d) const
    {
        return wide_d{0, 0};
    }
    __device__ __forceinline__ stemr_stride step(const line &l, wide_d x, wide_d s) const
    {
        stemr_stride r;
        stemr_pivot const p = stemr_pivot_of(stemr_less_of(l.a, x), wide_minus_d(s));
        double const square = l.b * l.b, square_lo = fma(l.b, l.b, -square), guess = square * p.guess;
        r.part = p.value;
        r.pivot = p.value.hi;
        r.ratio = l.b * p.inverse;
        r.next.hi = fma(guess, p.cube, guess);
        r.next.lo = (fma(-r.next.hi, p.value.hi, square) + fma(-r.next.hi, p.value.lo, square_lo)) * p.inverse;
        return r;
    }
    __device__ __forceinline__ double gamma(const stemr_stride &r, wide_d, wide_d, wide_d other) const
    {
        return stemr_less_of(r.part, other).hi;
    }
};

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
        if (0 <= row && row < n) stemr_fetch(rows + row);
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
};

template <typename rows_type>
static __device__ __forceinline__ rows_type stemr_rows_of(const stemr_task &t, const stemr_pair *k);
template <>
__device__ __forceinline__ stemr_of_root stemr_rows_of<stemr_of_root>(const stemr_task &t, const stemr_pair *)
{
    return stemr_of_root{t.entry, (int)t.n};
}
template <>
__device__ __forceinline__ stemr_of_node stemr_rows_of<stemr_of_node>(const stemr_task &t, const stemr_pair *k)
{
    return stemr_of_node{t.entry, t.pool + (int64_t)t.node[k->node].slot * t.n, (int)t.n};
}

/* Squares of lengths stay below this: their next term then does not overflow. */
#define STEMR_MOST_NORM 0x1p400

/* The square of the length of the entries passed, that of the next place being 1: with it included. */
static __device__ __forceinline__ double stemr_longer(double ratio, double before)
{
    return fmin(fma(ratio * ratio, before, 1.0), STEMR_MOST_NORM);
}

/* The walk to a pair's twist, which is `length` places away; longest: that of the warp's lanes.  sink is given the ratios. */
struct stemr_half {
    wide_d s;
    double third;
    int negative;
};

template <typename rows_type, typename sink_type>
static __device__ __forceinline__ stemr_half stemr_walk_half(const rows_type &rows, wide_d x, bool back, int length,
                                                             int longest, const sink_type &sink)
{
    enum { STEP = 8, AHEAD = 4 };
    stemr_half h = {rows.start(back, x), 1, 0};
    typename rows_type::line next[AHEAD]; /* loaded a turn ahead */
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) next[k] = rows.load(back, k);
#pragma unroll 1
    for (int i0 = 0; i0 < longest; i0 += STEP) {
#pragma unroll
        for (int j = 0; j < STEP; j += AHEAD) {
            typename rows_type::line line[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; ++k) line[k] = next[k], next[k] = rows.load(back, i0 + j + AHEAD + k);
#pragma unroll
            for (int k = 0; k < AHEAD; ++k) {
                int const i = i0 + j + k;
                bool const on = i < length;
                stemr_stride const r = rows.step(line[k], x, h.s);
                double const ratio = sink.take(i, r.ratio);
                h.negative += on && r.pivot < 0;
                h.s = on ? r.next : h.s;
                h.third = on ? stemr_longer(ratio, h.third) : h.third;
            }
        }
        sink.end(i0 + STEP);
    }
    return h;
}

/* What a pair's factorisation says, in both of its lanes. */
struct stemr_found {
    double gamma, norm;
    int twist, count;
};

static __device__ __forceinline__ wide_d stemr_shuffle(wide_d x, int mask)
{
    return wide_d{__shfl_xor_sync(0xffffffffu, x.hi, mask), __shfl_xor_sync(0xffffffffu, x.lo, mask)};
}

/* The two walks meet, HALF lanes apart. */
template <typename rows_type>
static __device__ __forceinline__ stemr_found stemr_meet(const rows_type &rows, wide_d x, bool back, int length,
                                                         const stemr_half &h)
{
    enum { HALF = 16 };
    wide_d const other = stemr_shuffle(h.s, HALF);
    stemr_found f;
    f.norm = h.third + (__shfl_xor_sync(0xffffffffu, h.third, HALF) - 1);
    f.gamma = rows.gamma(rows.step(rows.load(back, length), x, h.s), x, h.s, other);
    f.gamma = __shfl_sync(0xffffffffu, f.gamma, threadIdx.x % HALF); /* that of the lane from the top */
    f.count = h.negative + __shfl_xor_sync(0xffffffffu, h.negative, HALF) + (f.gamma < 0);
    f.twist = 0;
    return f;
}

#endif
