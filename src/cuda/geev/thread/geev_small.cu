/* geev on CUDA, n up to 13 (float: 16): a thread computes a matrix from beginning to end, in registers.
 *
 * Mapping  32 matrices a warp, up to 8 warps a block.  All warps of a block go through the same steps side by side,
 *          with barriers: unrolled code is long, and is then fetched once for all (without the barriers n = 10 takes
 *          twice as long).
 * Memory   a warp reads and writes global memory in order, through shared memory, which also holds the rare matrix that
 *          must be scaled or permuted.  Between load and store a matrix lies in registers, indexed by constants alone.
 *          A matrix comes column by column.  Its transpose would have the same eigenvalues, but other rounding errors:
 *          graded matrices lose digits.
 * Windows  the code of a sweep is written out for every third I, the last row of the block's largest window: rows and
 *          columns beyond I are finished.  A matrix with a smaller window has zero reflectors outside it, which change
 *          no bit.
 * Sweeps   begin at the window's first row.  2 x 2 blocks stay as they are until the end.
 * Cost     n = 10: about 10 n^3 flops for the iteration, 10 n^3/3 for the reduction; a matrix is read once, its results
 *          are written once. */
#include "geev/geev_certify.cuh"
#include "geev/geev_reflector.cuh"
#include "geev/reduce/geev_turn.cuh"
#include "geev/team/geev_qr_state.cuh"
#include "per_type.cuh"
#include "primitives/team.cuh"

/* ---------------------------------------------------------------- balancing, reduction and iteration in registers */

/* Sizes for order N.  warps: most warps of a block.  pitch, result_pitch: the distance of two matrices in a tile,
 * column by column, and of two matrices' results; both are odd.  slots: matrices that the tile of a warp holds at a
 * time. */
template <typename real, int N> struct small_shape {
    static constexpr int warps = N <= 3 ? 1 : N <= 7 ? 4 : 8;
    static constexpr int pitch = (N > 1 ? N * N : 2) | 1, result_pitch = (N > 1 ? 3 * N - 2 : 2) | 1;
    static constexpr int slots = warps * 32 * pitch * (int)sizeof(real) > 220000 ? 16 : 32;
    static constexpr int bytes = slots * pitch * (int)sizeof(real); /* of a warp */
    static_assert(32 * result_pitch <= slots * pitch, "the results take the matrices' place");
};

/* francis_block by fast approximations.  Where a product of the block's entries underflows, francis_block itself. */
template <typename real>
static __device__ __forceinline__ void small_block(real a, real b, real c, real d, real *re1, real *re2, real *im)
{
    real const size = fmax(fabs(a - d), fmax(fabs(b), fabs(c)));
    real const unit = pow2_floor(fmax(size, real_limits<real>::safmin)), scale = pow2_inverse(unit);
    real const p = (real)0.5 * scale * (a - d), product = (b * scale) * (c * scale);
    real const z = fma(p, p, product), near_root = fast_sqrt(fabs(z));
    real const root =
        near_root > 0 ? fma(fma(-near_root, near_root, fabs(z)), (real)0.5 * fast_rsqrt(fabs(z)), near_root) : (real)0;
    real const larger = p + copysign(root, p);
    bool const is_complex = z < 0, is_zero = fabs(larger) < real_limits<real>::safmin;
    real const less = is_zero ? (real)0 : product * fast_reciprocal(is_zero ? (real)1 : larger);
    real const mean = fma((real)0.5, a - d, d);
    *re1 = is_complex ? mean : fma(unit, larger, d);
    *re2 = is_complex ? mean : fma(-unit, less, d);
    *im = is_complex ? unit * root : (real)0;
    if (fabs(product) < real_limits<real>::safmin && b != 0 && c != 0) francis_block(a, b, c, d, re1, re2, im);
}

/* francis_deflates without divisions: both sides are multiplied by the largest sum, and also by a power of two where a
 * product would underflow. */
template <typename real>
static __device__ __forceinline__ bool small_deflates(real sub, real sup, real upper, real lower, real beside,
                                                      real tiny)
{
    constexpr real safmin = real_limits<real>::safmin, large = 1 / real_limits<real>::square_safe;
    real const s = fabs(sub), t = fabs(sup), a = fabs(lower), d = fabs(upper - lower), sum = fabs(upper) + a;
    real const near_by = sum == 0 ? beside : sum, total = fmax(a, d) + fmax(s, t),
               up = s * t < safmin ? large : (real)1;
    bool const product = s * up * t <= fmax(real_limits<real>::eps * (a * up * d), tiny * up * total);
    return s <= tiny || (s <= real_limits<real>::eps * near_by && product);
}

/* Eigenvalues times factor, (re, im) each, in the place of what store_blocks wrote.  For larger N it is a loop, since
 * the code is long already. */
template <int N, typename real> static __device__ __forceinline__ void small_eigenvalues(real factor, real *own)
{
    constexpr int unrolled = N <= 3 ? N : 1;
    real re = own[0], im = 0;
#pragma unroll unrolled
    for (int k = 1; k < N; ++k) {
        real const sup = own[3 * k - 2], sub = own[3 * k - 1], last = own[3 * k];
        bool const is_block = sub != 0;
        real re1 = re, re2 = last, part = im, other = 0;
        if (__any_sync(0xffffffffu, is_block)) {
            real block1, block2, block_im;
            small_block(re, sup, sub, last, &block1, &block2, &block_im);
            if (is_block) re1 = block1, re2 = block2, part = block_im, other = -block_im;
        }
        own[2 * k - 2] = re1 * factor, own[2 * k - 1] = part * factor;
        re = re2, im = other;
    }
    own[2 * N - 2] = re * factor, own[2 * N - 1] = im * factor;
}

template <typename real, int N> struct small_matrix {
    static constexpr unsigned all = 0xffffffffu;
    static constexpr int order_step = 3; /* distance of the I for which there is code */
    real x[N][N];
    int i, l; /* last and first row of the window; i = -1: there is no window */
    int steps, max_steps, info;

    /* ------------------------------------------------------- balancing */

    /* The first index from `next` on whose row and column norms differ by a factor of two, else (wraps) the first index
     * of all. */
    struct imbalance {
        int index; /* -1: none */
        bool wraps, plain;
        real row, column; /* squares of norms */
    };

    /* plain: all squares are safe and no row or column is zero beside its diagonal entry, so that the matrix is finite,
     * needs no scaling, and isolates no eigenvalue. */
    __device__ __forceinline__ imbalance look(int next) const
    {
        constexpr real least = real_limits<real>::square_safe, most = 1 / least;
        imbalance found = {-1, false, true, 1, 1};
#pragma unroll
        for (int k = 0; k < N; ++k) {
            real row = 0, column = 0;
#pragma unroll
            for (int m = 0; m < N; ++m)
                if (m != k) row = fma(x[k][m], x[k][m], row), column = fma(x[m][k], x[m][k], column);
            bool const plain = row > least && column > least && row < most && column < most;
            row = fma(x[k][k], x[k][k], row), column = fma(x[k][k], x[k][k], column);
            found.plain = found.plain && plain && row < most;
            bool const differs = !(column >= (real)0.25 * row && (real)0.25 * column < row);
            if (differs && (found.index < 0 || (found.wraps && k >= next)))
                found.index = k, found.wraps = k < next, found.row = row, found.column = column;
        }
        return found;
    }

    /* Scales rows and columns by powers of two as balance() of geev_balance.cuh does, in the same order.  first(plain)
     * is called after the first look(), and returns whether to go on: so the code of look() is there once. */
    template <typename function> __device__ __forceinline__ void balance(function first)
    {
        int sweep = 0, next = 0;
        bool changed = false, begins = true, going = true;
#pragma unroll 1
        for (;;) {
            imbalance found = look(next);
            if (begins) going = first(found.plain);
            begins = false;
            if (!going) found.index = -1;
            if (found.index >= 0 && found.wraps) {
                if (!changed || ++sweep == GEEV_BALANCE_SWEEPS) found.index = -1;
                changed = false;
            }
            if (!__any_sync(all, found.index >= 0)) return;
            real const row = sqrt(found.row), column = sqrt(found.column);
            real const f = found.index >= 0 ? balance_factor(column, row, column, row, (real)1) : (real)1;
            real const g = 1 / f;
            changed = changed || f != 1;
#pragma unroll
            for (int k = 0; k < N; ++k) {
                real const of_row = k == found.index ? g : (real)1, of_column = k == found.index ? f : (real)1;
#pragma unroll
                for (int m = 0; m < N; ++m) x[k][m] *= of_row, x[m][k] *= of_column;
            }
            next = found.index < 0 ? N : found.index + 1;
            going = found.index >= 0;
        }
    }

    /* Puts the transpose in its place. */
    __device__ __forceinline__ void transpose(bool turns)
    {
        if (!__any_sync(all, turns)) return;
#pragma unroll
        for (int i = 1; i < N; ++i)
#pragma unroll
            for (int j = 0; j < i; ++j) {
                real const t = x[i][j];
                x[i][j] = turns ? x[j][i] : t, x[j][i] = turns ? t : x[j][i];
            }
    }

    /* ------------------------------------------------------- reduction */

    template <int k> __device__ __forceinline__ real tail_squares() const
    {
        real even = 0, odd = 0;
#pragma unroll
        for (int a = k + 2; a < N; ++a)
            if ((a - k) % 2)
                odd = fma(x[a][k], x[a][k], odd);
            else
                even = fma(x[a][k], x[a][k], even);
        return even + odd;
    }

    /* Takes columns k, k+1, ... to Hessenberg form.  Where balancing has split the matrix, zeros stay zero. */
    template <int k = 0> __device__ __forceinline__ void reduce()
    {
        if constexpr (k + 2 < N) {
            real const least = real_limits<real>::square_safe * real_limits<real>::square_safe;
            real tail = tail_squares<k>(), head = x[k + 1][k], square = fma(head, head, tail), unit = 1;
            if (__any_sync(all, square < least)) { /* squares lost digits, or all are zero: again, scaled */
                real most = fabs(head);
#pragma unroll
                for (int a = k + 2; a < N; ++a) most = fmax(most, fabs(x[a][k]));
                real const scale = square < least ? unit_of(most) : (real)1;
#pragma unroll
                for (int a = k + 1; a < N; ++a) x[a][k] *= scale;
                unit = pow2_inverse(scale);
                tail = tail_squares<k>(), head = x[k + 1][k], square = fma(head, head, tail);
            }
            bool const acts = tail > 0;
            fast_householder<real> const h(head, acts ? square : (real)1);
            real const inverse = acts ? h.inverse : (real)0, tau = acts ? h.tau : (real)0;
#pragma unroll
            for (int a = k + 2; a < N; ++a) x[a][k] *= inverse;
#pragma unroll
            for (int b = k + 1; b < N; ++b) {
                real dot = x[k + 1][b];
#pragma unroll
                for (int a = k + 2; a < N; ++a) dot = fma(x[a][k], x[a][b], dot);
                dot *= -tau;
                x[k + 1][b] += dot;
#pragma unroll
                for (int a = k + 2; a < N; ++a) x[a][b] = fma(dot, x[a][k], x[a][b]);
            }
#pragma unroll
            for (int a = 0; a < N; ++a) {
                real dot = x[a][k + 1];
#pragma unroll
                for (int b = k + 2; b < N; ++b) dot = fma(x[b][k], x[a][b], dot);
                dot *= -tau;
                x[a][k + 1] += dot;
#pragma unroll
                for (int b = k + 2; b < N; ++b) x[a][b] = fma(dot, x[b][k], x[a][b]);
            }
            x[k + 1][k] = (acts ? -h.norm : head) * unit;
            reduce<k + 1>();
        }
    }

    /* ------------------------------------------------------- iteration */

    /* Sets negligible subdiagonal entries in rows 1..I to zero; returns the set of rows where it is zero. */
    template <int I> __device__ __forceinline__ unsigned split()
    {
        constexpr int step = sizeof(real) == 8 ? 51 << 20 : 22 << 23; /* 2 eps, as a difference of upper words */
        real const tiny = real_limits<real>::safmin * (N / real_limits<real>::eps);
        unsigned zeros = 1;
#pragma unroll
        for (int k = 1; k <= I; ++k) {
            real &sub = x[k][k - 1], upper = x[k - 1][k - 1], lower = x[k][k];
            /* First a bound by upper words. */
            int const word = upper_word(upper) > upper_word(lower) ? upper_word(upper) : upper_word(lower);
            int const bound = word - step > upper_word(tiny) ? word - step : upper_word(tiny);
            bool const may = sub != 0 && (upper_word(sub) <= bound || word == 0);
            if (__any_sync(all, may)) {
                real beside = 0;
                if (upper == 0 && lower == 0) {
                    if (k > 1) beside = fabs(x[k - 1][k > 1 ? k - 2 : 0]);
                    if (k + 1 < N) beside += fabs(x[k + 1 < N ? k + 1 : k][k]);
                }
                if (may && small_deflates(sub, x[k - 1][k], upper, lower, beside, tiny)) sub = 0;
            }
            zeros |= (unsigned)(sub == 0) << k;
        }
        return zeros;
    }

    /* Deflates until the window has order 3 or more, or there is none. */
    template <int I> __device__ __forceinline__ void find_window()
    {
        unsigned const zeros = split<I>();
        while (i >= 0) {
            l = top_bit(zeros & ((2u << i) - 1));
            if (l < i - 1) break;
            i = l - 1, steps = 0;
        }
        if (i < 0) return;
        if (steps++ == max_steps) info = i + 1, i = -1;
    }

    /* *to = x where `here` is true.  x is read in any case: a choice between places would not stay in registers. */
    static __device__ __forceinline__ void pick(bool here, real x, real *to)
    {
        *to = here ? x : *to;
    }

    /* The shifts of a sweep from the last rows, in the usual or an exceptional way. */
    template <int I> __device__ __forceinline__ void choose_shifts(real *re1, real *re2, real *im) const
    {
        real h11 = x[I - 1][I - 1], h12 = x[I - 1][I], h21 = x[I][I - 1], h22 = x[I][I], before = x[I - 1][I - 2];
#pragma unroll
        for (int k = 2; k < I; ++k) {
            bool const here = i == k;
            pick(here, x[k - 1][k - 1], &h11), pick(here, x[k - 1][k], &h12), pick(here, x[k][k - 1], &h21);
            pick(here, x[k][k], &h22), pick(here, x[k - 1][k - 2], &before);
        }
        francis_step const kind = francis_step_of(steps);
        bool const exceptional = i >= 0 && kind != FRANCIS_ORDINARY;
        if (__any_sync(all, exceptional)) {
            real first = h22, sub1 = h21, sub2 = before;
            if (kind == FRANCIS_AT_TOP) {
#pragma unroll
                for (int k = 0; k + 2 <= I; ++k) {
                    bool const here = l == k;
                    pick(here, x[k][k], &first), pick(here, x[k + 1][k], &sub1), pick(here, x[k + 2][k + 1], &sub2);
                }
            }
            if (exceptional) francis_exceptional(first, sub1, sub2, &h11, &h12, &h21, &h22);
        }
        fast_shifts(h11, h12, h21, h22, re1, re2, im);
    }

    /* A sweep over rows l..i, i <= I. */
    template <int I> __device__ __forceinline__ void sweep(real re1, real re2, real im)
    {
        constexpr real least = 4 * real_limits<real>::square_safe * real_limits<real>::square_safe;
        real v0 = 0, v1 = 0, v2 = 0; /* column k-1, rows k..k+2 */
        real bulge = 0;              /* entry (k+2, k) */
#pragma unroll
        for (int k = 0; k < I; ++k) {
            bool acts = l <= k && k < i;
            bool const starts = acts && k == l, is_last = k + 1 == I; /* is_last: there is no row k+2 */
            if (!__any_sync(all, acts)) {
                v0 = v1 = v2 = bulge = 0;
                continue;
            }
            if (!is_last && __any_sync(all, starts)) {
                real f0, f1, f2;
                constexpr int last = N - 1;
                int const below = k + 2 < last ? k + 2 : last;
                francis_first_column(x[k][k], x[k][k + 1], x[k + 1][k], x[k + 1][k + 1], x[below][k + 1], re1, re2, im,
                                     &f0, &f1, &f2);
                if (starts) v0 = f0, v1 = f1, v2 = f2, bulge = 0;
            }
            real square = fma(v2, v2, fma(v1, v1, v0 * v0)), unit = 1;
            if (__any_sync(all, acts && square < least)) { /* squares lost digits, or all are zero */
                real const largest = fmax(fabs(v0), fmax(fabs(v1), fabs(v2)));
                real const scale = square < least ? unit_of(largest) : (real)1;
                v0 *= scale, v1 *= scale, v2 *= scale, unit = pow2_inverse(scale);
                square = fma(v2, v2, fma(v1, v1, v0 * v0));
                if (largest == 0) acts = false;
            }
            real beta;
            reflector3<real> const t = reflector_of(acts, v0, v1, v2, square, &beta);
            if (k > 0 && acts && !starts) x[k][k > 0 ? k - 1 : 0] = beta * unit;
            /* From the left ... */
            if (is_last) {
                real none = 0;
                t.apply(x[k][k], x[k + 1][k], bulge);
                t.apply(x[k][k + 1], x[k + 1][k + 1], none);
            } else {
                t.apply(x[k][k], x[k + 1][k], bulge);
#pragma unroll
                for (int b = k + 1; b <= I; ++b) t.apply(x[k][b], x[k + 1][b], x[k + 2 < N ? k + 2 : k][b]);
            }
            /* ... and from the right. */
            if (is_last) {
#pragma unroll
                for (int a = 0; a <= I; ++a) {
                    real none = 0;
                    t.apply(x[a][k], x[a][k + 1], none);
                }
            } else {
                constexpr int edge = N - 1;
                int const c = k + 2 < edge ? k + 2 : edge, next = k + 3 < edge ? k + 3 : edge;
#pragma unroll
                for (int a = 0; a <= k + 1; ++a) t.apply(x[a][k], x[a][k + 1], x[a][c]);
                t.apply(bulge, x[c][k + 1], x[c][c]);
                v0 = x[k + 1][k], v1 = bulge, v2 = 0, bulge = 0;
                if (k + 3 <= I) {
                    real const dot = -t.u2 * x[next][c];
                    v2 = dot * t.tau, bulge = dot * t.t1, x[next][c] = fma(dot, t.t2, x[next][c]);
                }
            }
        }
    }

    /* Whether a matrix of the block has a window that ends in row I, or above it in a row without code.  The vote after
     * the barrier tells the compiler that all lanes of a warp get the same answer.  Otherwise the compiler adds a test
     * and a second branch to every vote inside the loop. */
    template <int I> __device__ __forceinline__ bool continues() const
    {
        bool const mine = i > I - order_step;
        return __any_sync(all, small_shape<real, N>::warps == 1 ? mine : __syncthreads_or(mine));
    }

    /* The whole iteration, from windows that end in row I on. */
    template <int I = N - 1> __device__ __forceinline__ void iterate()
    {
        if constexpr (I >= 2) {
            if constexpr (I == N - 1) find_window<I>();
            while (continues<I>()) {
                real re1, re2, im;
                choose_shifts<I>(&re1, &re2, &im);
                sweep<I>(re1, re2, im);
                find_window<I>();
            }
            iterate<I - order_step>();
        }
    }

    /* Stores the tridiagonal part: own[3*k] is entry (k, k), own[3*k + 1] (k, k+1), own[3*k + 2] (k+1, k). */
    __device__ __forceinline__ void store_blocks(real *own) const
    {
#pragma unroll
        for (int k = 0; k < N; ++k) {
            own[3 * k] = x[k][k];
            if (k + 1 < N) own[3 * k + 1] = x[k][k + 1 < N ? k + 1 : k], own[3 * k + 2] = x[k + 1 < N ? k + 1 : k][k];
        }
    }
};

/* ---------------------------------------------------------------- in and out */

/* Loads the entries of a tile; `loads` of a lane are under way at a time, so that a warp waits less often.  find(f,
 * &from, &to) sets where entry f lies, from < 0: nowhere, and where it goes. */
template <typename real, int total, int loads, typename place>
static __device__ __forceinline__ void load_entries(const real *a, int lane, real *tile, place find)
{
#pragma unroll 1
    for (int begin = 0; begin < total; begin += 32 * loads) {
        real value[loads];
        int to[loads];
#pragma unroll
        for (int u = 0; u < loads; ++u) {
            int const f = begin + 32 * u + lane;
            int64_t from;
            find(f, &from, &to[u]);
            value[u] = 0;
            if (from >= 0 && f < total) value[u] = a[from];
        }
#pragma unroll
        for (int u = 0; u < loads; ++u)
            if (begin + 32 * u + lane < total) tile[to[u]] = value[u];
    }
}

/* Loads matrices first, ..., first + live - 1.  The other matrices of the tile become zero. */
template <typename real, int N>
static __device__ __forceinline__ void load_small(const geev_problem &p, int64_t first, int live, int lane, real *tile)
{
    using shape = small_shape<real, N>;
    constexpr int pitch = shape::pitch, square = N * N, slots = shape::slots, total = slots * square;
    const real *const a = (const real *)p.a;
    if (p.affine || p.layout == EIG_LAYOUT_ELEMENT_WISE) { /* neighbouring threads already read neighbouring entries */
        for (int e = 0; e < square && lane < slots; ++e)
            tile[lane * pitch + e] = lane < live ? geev_entry<real>(p, first + lane, e % N, e / N) : (real)0;
    } else if (p.layout == EIG_LAYOUT_ROW_WISE) {
        load_entries<real, total, 4>(a + first * p.lda, lane, tile, [=](int f, int64_t *from, int *to) {
            int const piece = f / N, t = piece % slots, i = piece / slots, j = f % N;
            *from = t < live ? i * p.stride_a + t * p.lda + j : -1;
            *to = t * pitch + (p.row_major ? i * N + j : j * N + i);
        });
    } else if (p.lda == N && p.stride_a == square) {
        constexpr int each = (total + 31) / 32, parts = (each + 49) / 50;
        load_entries<real, total, (each + parts - 1) / parts>(
            a + first * square, lane, tile, [=](int f, int64_t *from, int *to) {
                *from = f < live * square ? f : -1;
                *to =
                    p.row_major ? f / square * pitch + f % N * N + f % square / N : f + (pitch - square) * (f / square);
            });
    } else {
        load_entries<real, total, 4>(a + first * p.stride_a, lane, tile, [=](int f, int64_t *from, int *to) {
            int const t = f / square, e = f % square;
            *from = t < live ? t * p.stride_a + e / N * p.lda + e % N : -1;
            *to = t * pitch + (p.row_major ? e % N * N + e / N : e);
        });
    }
}

/* Scales, permutes and balances a matrix of order n in memory.  Out of line, since few matrices need it. */
template <typename real> static __device__ __noinline__ geev_record treat_small(int n, bool balances, real *own)
{
    real scale[GEEV_SMALL_S];
    return treat(lane_team<1>(0), geev_view<real>{own, n, n, 1}, balances, scale);
}

/* Loads the matrices of a warp into registers, scaled and balanced.  b: the number of the first matrix.  -0 becomes 0:
 * what other lanes do may add zeros to a matrix, and the sign of a zero would turn a reflector. */
template <typename real, int N>
static __device__ __forceinline__ geev_record begin_small(small_matrix<real, N> &h, const geev_problem &p, int64_t b,
                                                          int live, int lane, real *tile)
{
    using shape = small_shape<real, N>;
    geev_record record = {1, 0, N - 1, EIG_INFO_OK, 0, 0};
    real *const own = tile + lane % shape::slots * shape::pitch;
#pragma unroll 1
    for (int part = 0; part < 32; part += shape::slots) {
        load_small<real, N>(p, b + part, live - part, lane, tile);
        __syncwarp(); /* the tile is loaded */
        if (lane / shape::slots * shape::slots == part) {
#pragma unroll
            for (int e = 0; e < N * N; ++e) h.x[e % N][e / N] = own[e] + (real)0;
        }
        if (part + shape::slots < 32) __syncwarp(); /* all have read */
    }
    h.balance([&](bool plain) {
        bool const treated = lane < live && !plain;
#pragma unroll 1
        for (int part = 0; part < 32; part += shape::slots) { /* matrices that share a place follow each other */
            bool const now = treated && lane / shape::slots * shape::slots == part;
            if (!__any_sync(0xffffffffu, now)) continue;
            __syncwarp();
            if (now) {
#pragma unroll
                for (int e = 0; e < N * N; ++e) own[e] = h.x[e / N][e % N];
                record = treat_small<real>(N, p.balance, own);
#pragma unroll
                for (int e = 0; e < N * N; ++e) h.x[e / N][e % N] = own[e];
            }
            __syncwarp();
        }
        return !treated && lane < live && p.balance;
    });
    return record;
}

/* Of the balanced matrix: its trace, the trace of its square, and the square of its norm, which certify the
 * eigenvalues.  The norm has a floor, below which squares vanish. */
template <typename real> struct small_traces {
    real trace, square, norm;

    /* own: the eigenvalues, unit times which are those of the balanced matrix. */
    template <int N> __device__ __forceinline__ bool certify(const real *own, real unit) const
    {
        real sum = -trace, sum2 = -square;
#pragma unroll
        for (int k = 0; k < N; ++k) {
            real const re = unit * own[2 * k], im = unit * own[2 * k + 1];
            sum += re, sum2 += fma(re, re, -im * im);
        }
        certificate_scale<real> const scale = {sqrt((double)norm), unit};
        return scale.certifies(N, {sum, 0}, {sum2, 0});
    }
};

/* triangles: their part of the norm. */
template <typename real, int N>
static __device__ __forceinline__ small_traces<real> traces_of(const small_matrix<real, N> &h,
                                                               geev_triangles<real> *triangles)
{
    small_traces<real> s = {0, 0, certificate_floor<real>(N)};
    real lower = 0, upper = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        real const x = h.x[i][i];
        s.trace += x, s.square = fma(x, x, s.square), s.norm = fma(x, x, s.norm);
#pragma unroll
        for (int j = 0; j < i; ++j) {
            real const y = h.x[i][j], z = h.x[j][i];
            s.square = fma(2 * y, z, s.square), lower = fma(y, y, lower), upper = fma(z, z, upper);
        }
    }
    s.norm += lower + upper;
    *triangles = {lower, upper};
    return s;
}

template <typename real, int N>
static __global__ void __launch_bounds__(32 * small_shape<real, N>::warps) small_kernel(geev_slice slice)
{
    using shape = small_shape<real, N>;
    __shared__ small_traces<real> traces[32 * shape::warps]; /* registers are dear in between */
    extern __shared__ double small_memory[];
    int const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    real *const tile = (real *)small_memory + warp * shape::slots * shape::pitch;
    int64_t const first = (int64_t)blockIdx.x * blockDim.x + warp * 32, b = slice.first + first + lane;
    int64_t const left = slice.count - first;
    int const live = (int)(left < 0 ? 0 : left < 32 ? left : 32);
    small_matrix<real, N> h;
    geev_record const record = begin_small<real, N>(h, slice.p, slice.first + first, live, lane, tile);
    geev_triangles<real> triangles;
    traces[threadIdx.x] = traces_of(h, &triangles);
    if (N >= 3) h.transpose(triangles.turns(record));
    if (shape::warps > 1) __syncthreads(); /* instructions are fetched once for all */
    h.reduce();
    h.i = record.info == 0 ? N - 1 : -1, h.l = 0, h.steps = 0, h.max_steps = slice.p.max_steps, h.info = record.info;
    h.iterate();
    real const factor = record.info == 0 ? (real)record.unscale : (real)NAN;
    real *const own = tile + lane * shape::result_pitch;
    __syncwarp(); /* all have read their matrices */
    h.store_blocks(own);
    small_eigenvalues<N>(factor, own);
    if (lane < live) {
        bool const good = h.info != 0 || !slice.p.certify || !slice.p.w ||
                          traces[threadIdx.x].template certify<N>(own, (real)(1 / record.unscale));
        if (slice.p.info) slice.p.info[b] = h.info;
        if (!good) atomicAdd(slice.repairs, 1ull);
        if (h.info > 0 || !good) slice.failed[atomicAdd(&slice.queue->failed, 1ull)] = b;
    }
    if (slice.p.value && lane < live) {
        real measure = 0;
#pragma unroll 1
        for (int k = 0; k < N; ++k)
            measure = geev_measure(slice.p.measure, measure, own[2 * k], own[2 * k + 1], k == 0);
        ((real *)slice.p.value)[b] = h.info == 0 ? measure : (real)NAN;
    }
    if (!slice.p.w) return;
    __syncwarp();
#pragma unroll 4
    for (int f = lane; f < live * N; f += 32) {
        int const t = f / N, k = f % N;
        geev_put(slice.p, slice.first + first + t, k, tile[t * shape::result_pitch + 2 * k],
                 tile[t * shape::result_pitch + 2 * k + 1]);
    }
}

template <typename real, int N>
static eig_status launch_small(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    using shape = small_shape<real, N>;
    auto const kernel = small_kernel<real, N>;
    int const traces = shape::warps * 32 * (int)sizeof(small_traces<real>);
    int const fit =
        (cuda_state_of(ctx)->shared_bytes - traces) / shape::bytes; /* at least 1: no tile has more than 26 KB */
    int const warps = fit < shape::warps ? fit : shape::warps, bytes = warps * shape::bytes;
    CUDA_TRY(
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
    int const each = 32 * warps;
    return cuda_launch(ctx, "geev: small_kernel", stream, {(slice.count + each - 1) / each, each, (size_t)bytes},
                       kernel, slice);
}

/* The kernel of the matrices' order, which is one of first, ..., last. */
template <typename real, int first, int last>
static eig_status launch_small_of(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    if constexpr (first < last)
        if (slice.p.n > first) return launch_small_of<real, first + 1, last>(ctx, slice, stream);
    return launch_small<real, first>(ctx, slice, stream);
}

eig_status TYPED(eig_cuda_geev_small)(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    constexpr int most = sizeof(real) == sizeof(float) ? GEEV_SMALL_S : GEEV_SMALL_D;
    return launch_small_of<real, 1, most>(ctx, slice, stream);
}
