/* stemr on CUDA: a factorisation of N - x on its way, from the top or from the bottom, with twice the digits; lists of
 * pairs, and what their lanes leave.
 *
 * A walk counts rows from its own end: place i is row i from the top, or row n-1-i from the bottom.  Its state at a
 * place is what the rows passed leave.  A step takes it to the next place.  It gives the pivot, and the ratio of the
 * place's entry of the vector to the next one's, without its sign.  Two walks that meet at a row give gamma there.
 *
 * N is T~ (stemr_of_root, stemr_triple.cuh), a pencil (stemr_pencil.cuh) or a representation
 * (mrrr/stemr_node_rows.cuh).  stemr_walk_half knows where it ends, and has no division in its way: for T~ its state
 *                              is two leading minors. */
#ifndef EIG_STEMR_WALK_CUH
#define EIG_STEMR_WALK_CUH

#include "primitives/fast.cuh"
#include "primitives/ptx.cuh"
#include "stemr_cuda.cuh"

/* Pivots and leading minors of T~ - x with twice the digits, made for short chains.
 *
 * A lane works off one row after the other, and each row waits for the one before.  What counts is the path from state
 * to state, at 8 cycles an operation and more for a reciprocal.
 *
 * Pivots    mrrr.inc's text of a row is some 33 operations long; here the path has 9:
 *           - a sum whose larger term is known takes three;
 *           - the reciprocal is an approximation and three operations.  The last of these is the quotient's first
 *             word.  The approximation does not wait for the pivot's second word;
 *           - the next row's pivot begins with the first word of s before the second one is known.  The two words of s
 *             overlap then.  Products need words that do not, and make them beside the path.
 * Minors    A row has no division: a product, the error of a sum, and two words made of three are 8 operations.
 *           Errors are those of a factorisation: a diagonal element and a coupling that are changed by parts of 2^-104
 *           would give the
 *           same.  Eigenvalues by these counts are within 2^-105 of those in quadruple precision. */

/* ---------------------------------------------------------------------- pivots */

/* 1/x to two ulp from that, or from one that is off by 2^-18. */
static __device__ __forceinline__ double stemr_reciprocal(double x, double guess)
{
    double const e = fma(-x, guess, 1.0);
    return fma(guess, fma(e, e, e), guess);
}

/* Pivots are kept this far from 0: no number of a factorisation leaves 2^-600 to 2^800 then. */
#define STEMR_LEAST_PIVOT 0x1p-200

/* A pivot a + s, and what a quotient by it needs: guess + guess cube is 1 / value.hi to two ulp. */
struct stemr_pivot {
    wide_d value;
    double guess, cube, inverse;
};

static __device__ __forceinline__ stemr_pivot stemr_pivot_of(wide_d a, wide_d s)
{
    stemr_pivot p;
    double const sum = a.hi + s.hi;
    bool const swap = fabs(a.hi) < fabs(s.hi);
    double const large = swap ? s.hi : a.hi, small = swap ? a.hi : s.hi;
    double const rest = (small - (sum - large)) + (a.lo + s.lo);
    p.value = wide_fast_sum_d(sum, rest);
    p.guess = rough_inverse(sum);
    if (fabs(rest) >= 0x1p-20 * fabs(sum)) { /* the first word alone tells little */
        if (fabs(p.value.hi) < STEMR_LEAST_PIVOT) p.value.hi = STEMR_LEAST_PIVOT;
        p.guess = rough_inverse(p.value.hi);
    }
    double const error = fma(-p.value.hi, p.guess, 1.0);
    p.cube = fma(error, error, error);
    p.inverse = fma(p.guess, p.cube, p.guess);
    return p;
}

/* ---------------------------------------------------------------------- minors */

/* Added to squares of couplings: no two neighbouring minors vanish where a coupling is 0. */
#define STEMR_LEAST_SQUARE 0x1p-400

/* Leading minors of T~ - x, up to a common factor: the last one and the one before it.  A minor is the one before it
 * times the pivot. */
struct stemr_minors {
    wide_d here, before;
    double b; /* couples the last row and the next one */
};

static __device__ __forceinline__ stemr_minors stemr_first_minors()
{
    return stemr_minors{{1, 0}, {0, 0}, 0};
}

/* difference here - square before, the next minor. */
static __device__ __forceinline__ wide_d stemr_next_minor(wide_d difference, wide_d square, wide_d here, wide_d before)
{
    double const c = square.hi * before.hi;
    double const c_lo = fma(square.lo, before.hi, fma(square.hi, before.lo, fma(square.hi, before.hi, -c)));
    double const product = difference.hi * here.hi, error = fma(difference.hi, here.hi, -product);
    double const rest = fma(difference.hi, here.lo, fma(difference.lo, here.hi, error - c_lo));
    wide_d const sum = wide_sum_d(product, -c);
    return wide_fast_sum_d(sum.hi, sum.lo + rest);
}

/* A row further; a: its diagonal, b: what couples it and the next one. */
static __device__ __forceinline__ stemr_minors stemr_next_minors(wide_d a, double b, wide_d x, const stemr_minors &m)
{
    double const square = fma(m.b, m.b, STEMR_LEAST_SQUARE), square_lo = fma(m.b, m.b, -square);
    wide_d const difference = wide_sum_d(a.hi, -x.hi);
    wide_d const whole = {difference.hi, difference.lo + (a.lo - x.lo)};
    return stemr_minors{stemr_next_minor(whole, wide_d{square, square_lo}, m.here, m.before), m.here, b};
}

/* The power of two that makes the larger one of x and y about 1. */
static __device__ __forceinline__ double stemr_rescaling(double x, double y)
{
    int const field = max(__double2hiint(x) & 0x7fffffff, __double2hiint(y) & 0x7fffffff) >> 20;
    return __hiloint2double((2046 - field) << 20, 0);
}

/* Numbers stay in range for four rows: each takes them up by 4 at most, and down to STEMR_LEAST_SQUARE twice. */
static __device__ __forceinline__ double stemr_rescale_minors(stemr_minors &m)
{
    double const factor = stemr_rescaling(m.here.hi, m.before.hi);
    m.here.hi *= factor, m.here.lo *= factor, m.before.hi *= factor, m.before.lo *= factor;
    return factor;
}

/* x, but no closer to 0 than 2^-200 times the minor before it: STEMR_LEAST_PIVOT. */
static __device__ __forceinline__ double stemr_kept_away(double x, double before)
{
    int const least = (__double2hiint(before) & 0x7ff00000) - (200 << 20);
    return (__double2hiint(x) & 0x7fffffff) < least ? __hiloint2double(least, 0) : x;
}

/* b^2 / pivot, which the next row's pivot is less by. */
static __device__ __forceinline__ wide_d stemr_state_of(const stemr_minors &m)
{
    double const square = m.b * m.b;
    wide_d const coupling = {square, fma(m.b, m.b, -square)};
    wide_d const here = {stemr_kept_away(m.here.hi, m.before.hi), m.here.lo};
    return wide_quotient_d(wide_product_d(coupling, m.before), here, stemr_reciprocal(here.hi, rough_inverse(here.hi)));
}

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

static __device__ __forceinline__ wide_d stemr_shuffle(wide_d x, int mask)
{
    return wide_d{__shfl_xor_sync(0xffffffffu, x.hi, mask), __shfl_xor_sync(0xffffffffu, x.lo, mask)};
}

/* Rows that a walk goes without a branch: what stands beside the chain then fills its gaps. */
enum { STEMR_GROUP = 4 };

static __device__ __forceinline__ wide_d stemr_pick(bool first, wide_d x, wide_d y)
{
    return wide_d{first ? x.hi : y.hi, first ? x.lo : y.lo};
}

static __device__ __forceinline__ stemr_minors stemr_pick(bool first, const stemr_minors &x, const stemr_minors &y)
{
    return stemr_minors{stemr_pick(first, x.here, y.here), stemr_pick(first, x.before, y.before), first ? x.b : y.b};
}

/* A warp's copy of 32 rows of T~ from either end, and of the next 32. */
struct stemr_root_tile {
    double2 a[2][2][32];
    double b[2][2][32];
};

struct stemr_of_root {
    const stemr_entry *entry;
    int n;
    stemr_root_tile *tile; /* of walk, in shared memory; NULL where it is not used */

    struct line {
        wide_d a;
        double b;
    };
    __device__ __forceinline__ line load(bool back, int i) const
    {
        /* Places beyond the end hold numbers that are not used. */
        int const row = min(max(back ? n - 1 - i : i, 0), n - 1);
        double2 const a = *(const double2 *)&entry[row].a;
        line const l = {{a.x, a.y}, entry[max(row - back, 0)].b};
        return l;
    }
    __device__ __forceinline__ void fetch(bool back, int i) const
    {
        int const row = back ? n - 1 - i : i;
        if (0 <= row && row < n) fetch_soon(entry + row);
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

    __device__ __forceinline__ stemr_of_root with(stemr_root_tile *shared) const
    {
        return stemr_of_root{entry, n, shared};
    }

    /* visit(i, lines) for every STEMR_GROUP places until all up to longest have been visited; all lanes of a warp.
     * Lines beyond the end hold numbers that are not used. */
    template <typename visitor> __device__ __forceinline__ void walk(bool back, int longest, visitor visit) const
    {
        enum { ROWS = 32, GROUP = STEMR_GROUP };
        line lines[2];
        fetch_tile(0, lines);
        put_tile(0, lines);
#pragma unroll 1
        for (int i0 = 0, at = 0; i0 < longest; i0 += ROWS, at = 1 - at) {
            bool const more = i0 + ROWS < longest;
            if (more) fetch_tile(i0 + ROWS, lines);
            int const end = min((int)ROWS, longest - i0);
#pragma unroll 1
            for (int j = 0; j < end; j += GROUP) {
                line here[GROUP];
#pragma unroll
                for (int k = 0; k < GROUP; ++k) here[k] = tile_line(at, back, j + k);
                visit(i0 + j, here);
            }
            if (more) put_tile(1 - at, lines);
            __syncwarp(); /* the walk is through with the tile, and the next one is there */
        }
    }
    __device__ __forceinline__ void fetch_tile(int i0, line *lines) const
    {
        int const lane = threadIdx.x % 32;
        lines[0] = load(false, i0 + lane), lines[1] = load(true, i0 + lane);
    }
    __device__ __forceinline__ void put_tile(int at, const line *lines) const
    {
        int const lane = threadIdx.x % 32;
        for (int side = 0; side < 2; ++side) {
            tile->a[at][side][lane] = make_double2(lines[side].a.hi, lines[side].a.lo);
            tile->b[at][side][lane] = lines[side].b;
        }
        __syncwarp(); /* the tile is there */
    }
    __device__ __forceinline__ line tile_line(int at, bool back, int k) const
    {
        double2 const a = tile->a[at][back][k];
        return line{{a.x, a.y}, tile->b[at][back][k]};
    }

    /* The way of stemr_walk_half. */
    struct way {
        stemr_minors m;
        double kept; /* m.here.hi, kept away from 0 */
    };
    __device__ __forceinline__ way begin(bool, wide_d) const
    {
        return way{stemr_first_minors(), 1};
    }
    __device__ __forceinline__ way go(const line &l, wide_d x, const way &w, bool *negative, double *ratio) const
    {
        way next;
        next.m = stemr_next_minors(l.a, l.b, x, w.m);
        next.kept = stemr_kept_away(next.m.here.hi, w.kept);
        *negative = (__double2hiint(next.m.here.hi) ^ __double2hiint(w.m.here.hi)) < 0;
        *ratio = l.b * w.kept * stemr_reciprocal(next.kept, rough_inverse(next.kept));
        return next;
    }
    __device__ __forceinline__ void rescale(way &w) const
    {
        w.kept *= stemr_rescale_minors(w.m);
    }
    static __device__ __forceinline__ way pick(bool first, const way &x, const way &y)
    {
        return way{stemr_pick(first, x.m, y.m), first ? x.kept : y.kept};
    }
    __device__ __forceinline__ double meet(wide_d x, bool back, int length, const way &w) const
    {
        wide_d const s = stemr_state_of(w.m);
        return gamma(step(load(back, length), x, s), x, s, stemr_shuffle(s, STEMR_HALF));
    }
};

template <typename rows_type>
static __device__ __forceinline__ rows_type stemr_rows_of(const stemr_task &t, const stemr_eigenpair *k);
template <>
__device__ __forceinline__ stemr_of_root stemr_rows_of<stemr_of_root>(const stemr_task &t, const stemr_eigenpair *)
{
    return stemr_of_root{t.entry, (int)t.n, NULL};
}
/* Squares of lengths stay below this: their next term then does not overflow. */
#define STEMR_MOST_NORM 0x1p400

/* The square of the length of the entries passed, that of the next place being 1: with it included. */
static __device__ __forceinline__ double stemr_longer(double ratio, double before)
{
    return fmin(fma(ratio * ratio, before, 1.0), STEMR_MOST_NORM);
}

/* How the lengths of vectors add up; a pencil has its own way. */
template <typename rows_type> struct stemr_metric {
    typedef typename rows_type::line line;
    static __device__ __forceinline__ double start()
    {
        return 1;
    }
    static __device__ __forceinline__ double longer(const line &, wide_d, double ratio, double before)
    {
        return stemr_longer(ratio, before);
    }
    static __device__ __forceinline__ double norm(const rows_type &, wide_d, bool, int, double mine, double other)
    {
        return mine + (other - 1);
    }
    /* Pivots below 0 that no walk sees. */
    static __device__ __forceinline__ int below(const rows_type &)
    {
        return 0;
    }
};

/* The walk to a pair's twist, which is `length` places away; longest: that of the warp's lanes.  sink is given the
 * ratios. */
template <typename rows_type> struct stemr_half {
    typename rows_type::way way;
    double third;
    int negative;
};

template <typename rows_type, typename sink_type>
static __device__ __forceinline__ stemr_half<rows_type> stemr_walk_half(const rows_type &rows, wide_d x, bool back,
                                                                        int length, int longest, const sink_type &sink)
{
    enum { STEP = 8 }; /* places between calls of sink.end */
    typedef typename rows_type::line line_type;
    stemr_half<rows_type> at = {rows.begin(back, x), stemr_metric<rows_type>::start(), 0};
    auto const go = [&](const line_type &line, int i, bool stores) {
        bool negative;
        double ratio;
        at.way = rows.go(line, x, at.way, &negative, &ratio);
        if (stores)
            ratio = sink.take(i, ratio);
        else
            ratio = sink.kept(ratio);
        at.negative += negative;
        at.third = stemr_metric<rows_type>::longer(line, x, ratio, at.third);
    };
    rows.walk(back, longest, [&](int i0, const line_type *lines) {
        auto const before = at;
#pragma unroll
        for (int k = 0; k < STEMR_GROUP; ++k) go(lines[k], i0 + k, true);
        rows.rescale(at.way);
        bool const on = i0 + STEMR_GROUP <= length;
        at.way = rows_type::pick(on, at.way, before.way);
        at.third = on ? at.third : before.third;
        at.negative = on ? at.negative : before.negative;
        int const upto = i0 + STEMR_GROUP;
        if (upto % STEP == 0 || upto >= longest) sink.end((upto + STEP - 1) / STEP * STEP);
    });
    for (int i = length / STEMR_GROUP * STEMR_GROUP; i < length; ++i) go(rows.load(back, i), i, false);
    __syncwarp();
    return at;
}

/* What a pair's factorisation says, in both of its lanes. */
struct stemr_found {
    double gamma, norm;
    int twist, count;
};

/* The two walks meet, STEMR_HALF lanes apart. */
template <typename rows_type>
static __device__ __forceinline__ stemr_found stemr_meet(const rows_type &rows, wide_d x, bool back, int length,
                                                         const stemr_half<rows_type> &h)
{
    stemr_found f;
    f.norm = stemr_metric<rows_type>::norm(rows, x, back, length, h.third,
                                           __shfl_xor_sync(0xffffffffu, h.third, STEMR_HALF));
    f.gamma = rows.meet(x, back, length, h.way);
    f.gamma = __shfl_sync(0xffffffffu, f.gamma, threadIdx.x % STEMR_HALF); /* that of the lane from the top */
    f.count = h.negative + __shfl_xor_sync(0xffffffffu, h.negative, STEMR_HALF) + (f.gamma < 0) +
              stemr_metric<rows_type>::below(rows);
    f.twist = 0;
    return f;
}

/* ----------------------------------------------------------------- lists, lanes */

/* Where a lane leaves states: 3 numbers each, 5 with twice the digits (stemr_locate.cu). */
struct stemr_state_room {
    double *doubles; /* one of the two is set */
    unsigned *words;
    int n;
    bool back;

    __device__ __forceinline__ int at(int place, int k, int words_each) const
    {
        int const from_end = place + k * words_each;
        return back ? n - words_each - from_end : from_end;
    }
    __device__ __forceinline__ void put(int place, int k, double x) const
    {
        if (doubles) {
            doubles[at(place, k, 1)] = x;
        } else {
            unsigned *const to = words + at(place, k, 2);
            to[0] = (unsigned)__double2loint(x), to[1] = (unsigned)__double2hiint(x);
        }
    }
    __device__ __forceinline__ double get(int place, int k) const
    {
        if (doubles) return doubles[at(place, k, 1)];
        const unsigned *const from = words + at(place, k, 2);
        return __hiloint2double((int)from[1], (int)from[0]);
    }
};

/* That of pair k, whose number among the pairs of this launch is `lane`. */
static __device__ stemr_state_room stemr_room_of(const stemr_task &t, const stemr_eigenpair *k, int64_t lane, bool back)
{
    const stemr_problem &p = t.p;
    stemr_state_room r = {NULL, NULL, (int)t.n, back};
    if (!p.z)
        r.doubles = t.room + lane * t.n;
    else if (p.type == EIG_S)
        r.words = (unsigned *)p.z + k->column * p.ldz;
    else
        r.doubles = (double *)p.z + k->column * p.ldz;
    return r;
}

/* Where a lane's entry of a list goes, or -1: those of a warp stay together, so that they read the same rows. */
static __device__ __forceinline__ int stemr_place_in_list(bool mine, int *count)
{
    unsigned const mask = __ballot_sync(0xffffffffu, mine);
    int const lane = threadIdx.x % 32;
    int base = 0;
    if (lane == 0 && mask) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(0xffffffffu, base, 0);
    return mine ? base + __popc(mask & ((1u << lane) - 1)) : -1;
}

/* The product of x over the lanes up to this one. */
static __device__ __forceinline__ double stemr_scan_product(double x, int lane)
{
    for (int d = 1; d < 32; d *= 2) {
        double const before = __shfl_up_sync(0xffffffffu, x, d);
        x = lane >= d ? x * before : x;
    }
    return x;
}

/* Entries of vectors that are smaller count as 0. */
template <typename real> static __device__ __forceinline__ constexpr double stemr_least_entry()
{
    return sizeof(real) == 4 ? 0x1p-60 : 0x1p-100;
}

/* Entries of a vector, a lane each, from their ratios to the entries before them.  *carry: the entry before that of
 * lane 0; then that of lane 31, or 0 from where it is so small that none follows. */
template <typename real> static __device__ __forceinline__ double stemr_entry_of(double ratio, int lane, double *carry)
{
    double entry = *carry == 0 ? 0 : *carry * stemr_scan_product(ratio, lane);
    entry = fabs(entry) <= 2 ? entry : 0; /* also where partial products have overflowed */
    *carry = __shfl_sync(0xffffffffu, entry, 31);
    if (fabs(*carry) < 0x1p-600) *carry = 0;
    return fabs(entry) < stemr_least_entry<real>() ? 0 : entry;
}

/* The pair's twist among n rows, whatever it says: no walk leaves its column. */
static __device__ __forceinline__ int stemr_twist_of(const stemr_eigenpair &pair, int n)
{
    return min(max(pair.twist, 0), n - 1);
}

static __device__ __forceinline__ double stemr_eps(const stemr_task &t)
{
    return t.p.type == EIG_S ? FLT_EPSILON : DBL_EPSILON;
}

/* Whether a vector whose squared length is this is not of length 1; a NaN is not. */
static __device__ __forceinline__ bool stemr_wrong_length(const stemr_task &t, double square)
{
    return !(fabs(square - 1) <= 4 * (double)t.n * stemr_eps(t));
}

/* Entries that hardly count for a length, but for a residual, are changed: for tests. */
static __device__ __forceinline__ double stemr_bent(const stemr_task &t, const stemr_eigenpair &pair, double entry)
{
    if (t.limits.bent == 0 || pair.index % t.limits.bent != 0) return entry;
    double const root = sqrt(stemr_eps(t));
    return entry != 0 && fabs(entry) <= root ? entry + copysign(0.5 * root, entry) : entry;
}

/* The eigenvalue that the caller gets, of the scaled T. */
static __device__ __forceinline__ double stemr_told_value(const stemr_task &t, const stemr_eigenpair &pair)
{
    return t.p.type == EIG_S ? (double)(float)pair.value : pair.value;
}

/* What a vector is worth whose squared length is this, and the square of its residual, both of what is stored.  Where
 * that is less than promised, inverse iteration makes it anew, or info tells.  By one lane. */
static __device__ __forceinline__ void stemr_judge(const stemr_task &t, stemr_eigenpair *pair, double square,
                                                   double residual)
{
    bool const wrong = stemr_wrong_length(t, square);
    bool const large = t.p.certify && !(sqrt(residual) <= t.limits.measured * (double)t.n * stemr_eps(t));
    if (!wrong && !large) return;
    pair->residual = INFINITY;
    if (!t.p.certify) return;
    pair->state = STEMR_INVERSE;
    atomicAdd(&t.counts->inverse, 1);
}

/* Thread blocks of a warp each for the pairs of a list. */
static inline int64_t stemr_warps(const stemr_task *t)
{
    int64_t const blocks = (t->pairs + STEMR_HALF - 1) / STEMR_HALF, room = t->room_lanes / STEMR_HALF;
    return !t->p.z && blocks > room ? room : blocks;
}

#endif
