/* heev on CUDA, tridiagonal method, n <= 8: a thread computes a matrix, in registers, in one launch.
 *
 * Stages    load and scale; Householder reflectors on the lower triangle; implicit QL with Z in registers; the
 *           reflectors on one column of Z after the other, in ascending order of the values; store.
 * Memory    A comes, and V goes, through shared memory, so that a warp reads and writes whole sectors; the reflectors
 *           and Z wait there, entry k of the matrix of lane t at [32 k + t], and A's sums for the certificate, while QL
 *           runs.
 * Cost      n = 8: about 140 steps of QL one after the other, of some 200 clocks, since a warp waits for the slowest of
 *           its matrices; FP64 is busy for half of that. */
#ifndef EIG_HEEV_TINY_CUH
#define EIG_HEEV_TINY_CUH

#include "heev/heev_certify.cuh"
#include "heev/heev_gauge.cuh"
#include "heev/heev_reflector.cuh"
#include "heev/heev_rotation.cuh"
#include "heev/warp/heev_ql.cuh"

/* Implicit QL by one thread, T and Z in registers with constant indices. */

/* T of a thread in shared memory, beside that in registers: rows by a run-time index. */
template <typename real, int N> struct tiny_rows {
    enum { LANES = 32 };
    real *at; /* of this lane; others' lie between */

    __device__ __forceinline__ real &d(int i) const
    {
        return at[i * LANES];
    }
    __device__ __forceinline__ real &e(int i) const
    {
        return at[(N + i) * LANES];
    }
};

/* Brings T there, reversed where ql_reverses says so, and back; whether it is reversed.  n is N or N - 1. */
template <typename real, int N>
static __device__ __forceinline__ bool tiny_reverse(int n, real (&d)[N], real (&e)[N], tiny_rows<real, N> rows)
{
    bool const full = n == N;
    bool const reversed = ql_reverses(d[0], e[0], full ? d[N - 1] : d[N - 2], full ? e[N - 2] : e[N - 3]);
#pragma unroll
    for (int i = 0; i < N; ++i) {
        if (i < n) rows.d(ql_row(reversed, n, i)) = d[i];
        if (i < n - 1) rows.e(ql_beside(reversed, n, i)) = e[i];
    }
#pragma unroll
    for (int i = 0; i < N; ++i) {
        if (i < n) d[i] = rows.d(i);
        if (i < n - 1) e[i] = rows.e(i);
    }
    return reversed;
}

/* What splits T: see ql_threshold. */
template <typename real, int N>
static __device__ __forceinline__ real tiny_threshold(int n, const real (&d)[N], const real (&e)[N])
{
    real norm = 0, before = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        if (i >= n) continue;
        real const beside = i < n - 1 ? fabs(e[i]) : (real)0;
        norm = fmax(norm, before + fabs(d[i]) + beside), before = beside;
    }
    return ql_threshold(norm);
}

/* The eigenvalues of T, which is in rows, too, in d, and the rotations on the rows of z; how many values are good, the
 * first ones.  As heev_ql.cuh does it. */
template <typename real, int N, bool vectors>
static __device__ __forceinline__ int tiny_ql(int n, int max_sweeps, real (&d)[N], real (&e)[N],
                                              tiny_rows<real, N> rows, real (&z)[vectors ? N : 1][N])
{
    ql_state<real, 2> state;
    state.start(n);
    state.small = tiny_threshold(n, d, e);
#pragma unroll
    for (int i = 0; i < N - 1; ++i)
        if (i < n - 1 && fabs(e[i]) <= state.small) state.mask |= 1u << i;
    int m;
#pragma unroll 1
    while (state.find(max_sweeps, &m)) {
        int const low = state.l;
        ql_bulge<real> bulge;
        bulge.start(rows.d(m), shift_of(rows.d(low), rows.e(low), rows.d(low + 1)));
        unsigned found = 0, steps = (1u << m) - (1u << low);
#pragma unroll
        for (int i = N - 2; i >= 0; --i) {
            if (!(steps & 1u << i)) continue;
            real here, beside;
            bool const moved = bulge.move(d[i], e[i], &here, &beside);
            if (!moved) here = bulge.below, beside = 0, steps = 0;
            e[i + 1] = rows.e(i + 1) = beside, d[i + 1] = rows.d(i + 1) = here;
            found |= fabs(beside) <= state.small ? 1u << (i + 1) : 0; /* row m splits anyway */
            if (vectors) {
                pair_of<real> j = ql_rotation(bulge.c, bulge.s);
                if (!moved) j.x = 1, j.y = 0;
#pragma unroll
                for (int r = 0; r < N; ++r) ql_rotate(j, z[vectors ? r : 0][i], z[vectors ? r : 0][i + 1]);
            }
            if (i == low && moved) {
                d[i] = rows.d(i) = bulge.above - bulge.p, e[i] = rows.e(i) = bulge.g;
                found |= fabs(e[i]) <= state.small ? 1u << i : 0;
            }
        }
        state.end_sweep(m, found);
    }
    return state.l;
}

/* The same for n = 3: sweeps of two steps until an off-diagonal is negligible, then one rotation. */
template <typename real, bool vectors>
static __device__ __forceinline__ int tiny_ql3(int max_sweeps, real (&d)[3], real (&e)[3],
                                               real (&z)[vectors ? 3 : 1][3])
{
    real const small = tiny_threshold(3, d, e);
    bool upper, lower; /* whether e[0], e[1] are negligible */
#pragma unroll 1
    for (int sweep = 0;; ++sweep) {
        upper = fabs(e[0]) <= small, lower = fabs(e[1]) <= small;
        if (upper || lower) break;
        if (sweep == max_sweeps) return 0;
        ql_bulge<real> bulge;
        real beside;
        bulge.start(d[2], shift_of(d[0], e[0], d[1]));
        bulge.move(d[1], e[1], &d[2], &beside); /* e[1] is not 0: there is a bulge */
        pair_of<real> const j = ql_rotation(bulge.c, bulge.s);
        bool const moved = bulge.move(d[0], e[0], &d[1], &e[1]);
        if (!moved) d[1] = bulge.below, e[1] = 0;
        pair_of<real> const k = ql_rotation(bulge.c, bulge.s);
        if (moved) d[0] = bulge.above - bulge.p, e[0] = bulge.g;
        if (vectors)
#pragma unroll
            for (int r = 0; r < 3; ++r) {
                ql_rotate(j, z[vectors ? r : 0][1], z[vectors ? r : 0][2]);
                if (moved) ql_rotate(k, z[vectors ? r : 0][0], z[vectors ? r : 0][1]);
            }
    }
    if (upper && lower) return 3;
    using number = number_of<real, false>;
    real shift;
    heev_rotation<number> const last =
        rotation_of(upper ? d[1] : d[0], upper ? d[2] : d[1], number{upper ? e[1] : e[0]}, &shift);
    pair_of<real> const j = {1 - last.g, last.s.re};
    if (upper)
        d[1] -= shift, d[2] += shift;
    else
        d[0] -= shift, d[1] += shift;
    if (vectors)
#pragma unroll
        for (int r = 0; r < 3; ++r) {
            real *const row = z[vectors ? r : 0];
            real x = upper ? row[1] : row[0], y = upper ? row[2] : row[1];
            ql_rotate(j, x, y);
            row[0] = upper ? row[0] : x, row[1] = upper ? x : y, row[2] = upper ? y : row[2];
        }
    return 3;
}

enum { TINY_LANES = 32 };

/* Shared memory of a warp, in reals: what comes in and, after it, what waits and goes out. */
template <typename number, int N, bool vectors> struct tiny_shape {
    using real = typename number::real;
    static constexpr int parts = number::complex ? 2 : 1, words = N * N * parts, pitch = words | 1;
    static constexpr int at_once = words % 32 == 0   ? 32
                                   : words % 16 == 0 ? 16
                                   : words % 9 == 0  ? 9
                                                     : 12; /* loads of a lane */
    static constexpr int sector = 32 / (int)sizeof(number),
                         columns = sector < N ? sector : N; /* that go out together */
    static constexpr int reflectors = N * (N + 1) / 2 * parts, out_words = N * columns * parts,
                         out_pitch = out_words | 1;
    static constexpr int at_z = TINY_LANES * reflectors, at_rows = vectors ? at_z : 0,
                         at_out = vectors ? at_z + TINY_LANES * N * N : 0;
    static constexpr int values_pitch = N | 1;
    static constexpr int at_sums = vectors ? at_out : TINY_LANES * 2 * N; /* behind T */
    static constexpr int after = at_out + TINY_LANES * (vectors && out_pitch > values_pitch ? out_pitch : values_pitch);
    static_assert(2 * N <= (vectors ? N * N : pitch), "T lies where A was, or where Z comes");
    static_assert(vectors ? values_pitch >= 3 : 2 * N + 2 <= pitch, "and the sums lie behind it");
    static constexpr int before = TINY_LANES * pitch, room = before > after ? before : after;
    static constexpr int warps = N <= 4 ? 4 : 1, bytes = warps * room * (int)sizeof(real); /* of a block */
};

/* Numbers in shared memory: entry k of lane t at [32 k + t]. */
template <typename number> struct tiny_store {
    number *at; /* this lane's entry 0 */
    __device__ __forceinline__ number &operator[](int k) const
    {
        return at[k * TINY_LANES];
    }
};

/* A Hermitian matrix, then the tridiagonal one. */
template <typename number, int N> struct tiny_matrix {
    using real = typename number::real;
    number a[N][N]; /* below the diagonal */
    real d[N], e[N];

    /* Trace, norm, and x^H A x. */
    __device__ __forceinline__ spectrum_sums<real> sums() const
    {
        real diagonal = 0, squares = 0, beside = 0, form = 0, own = 0;
#pragma unroll
        for (int i = 0; i < N; ++i) {
            diagonal = diagonal + d[i], squares = fma(d[i], d[i], squares);
            own = fma(square(probe_at<number>(i)), d[i], own);
#pragma unroll
            for (int j = 0; j < i; ++j)
                beside = beside + square(a[i][j]), form = form + probe_form(a[i][j], (unsigned)i, (unsigned)j);
        }
        return {diagonal, fma((real)2, beside, squares), fma((real)2, form, own)};
    }

    /* Takes the matrix that get(i, j) gives, i >= j, divided by its unit. Returns the unit: NaN where the matrix is
     * not finite, and then it is of no use. */
    template <typename function> __device__ __forceinline__ real load(int n, function get)
    {
        int most = 0;
#pragma unroll
        for (int i = 0; i < N; ++i)
#pragma unroll
            for (int j = 0; j <= i; ++j) {
                number x;
                set(x, (real)0, (real)0);
                if (i < n) x = get(i, j);
                most = max(most, upper_word(x.re));
                if (i == j)
                    d[i] = x.re;
                else
                    a[i][j] = x, most = max(most, upper_word(imaginary(x)));
            }
        real const unit = unit_of_bits<real>(most);
        real const inverse = pow2_inverse(unit == unit ? unit : (real)1);
#pragma unroll
        for (int i = 0; i < N; ++i) {
            d[i] = inverse * d[i];
#pragma unroll
            for (int j = 0; j < i; ++j) a[i][j] = scaled(inverse, a[i][j]);
        }
        return unit;
    }

    /* A <- H^H A H for rows and columns k + 1 and on; u[k + 1] is 1. */
    template <int k> __device__ __forceinline__ void apply(const number *u, number factor)
    {
        number zero, q[N];
        set(zero, (real)0, (real)0);
        number dots[2] = {zero, zero}; /* two sums at a time, here and below: a warp is alone and waits for each */
#pragma unroll
        for (int i = k + 1; i < N; ++i) {
            number p = scaled(d[i], u[i]), more = zero;
#pragma unroll
            for (int j = k + 1; j < N; ++j) {
                number &to = j % 2 ? more : p;
                if (j < i) to = j == k + 1 ? sum(to, a[i][j]) : product_add(a[i][j], u[j], to);
                if (j > i) to = conj_product_add(a[j][i], u[j], to);
            }
            q[i] = product_add(factor, sum(p, more), zero);
            dots[i % 2] = conj_product_add(q[i], u[i], dots[i % 2]);
        }
        number const dot = sum(dots[0], dots[1]);
        number const half = product_add(scaled((real)-0.5, factor), dot, zero);
#pragma unroll
        for (int i = k + 1; i < N; ++i) {
            q[i] = product_add(half, u[i], q[i]); /* w */
            d[i] = fma((real)-2, conj_product_add(q[i], u[i], zero).re, d[i]);
#pragma unroll
            for (int j = k + 1; j < i; ++j) {
                a[i][j] = conj_product_add(u[j], negative(q[i]), a[i][j]);
                a[i][j] = conj_product_add(q[j], negative(u[i]), a[i][j]);
            }
        }
    }

    /* Steps k and on of the reduction; keep: the reflectors' entries below the diagonal, their factors on it. */
    template <int k> __device__ __forceinline__ void reduce(int n, bool keeps, tiny_store<number> keep)
    {
        if constexpr (k + 1 < N) {
            if (k + 1 >= n) return;
            if (!number::complex && k + 2 == n) { /* nothing is left to reflect */
                e[k] = a[k + 1][k].re;
                return;
            }
            number u[N];
            real rest = imaginary(a[k + 1][k]) * imaginary(a[k + 1][k]);
#pragma unroll
            for (int i = k + 2; i < N; ++i) rest = rest + square(a[i][k]);
            heev_reflector<number> const h = reflector_of(a[k + 1][k], rest);
            number zero;
            set(zero, (real)0, (real)0);
            e[k] = h.beta;
            set(u[k + 1], (real)1, (real)0);
            if (keeps) keep[k * (k + 3) / 2] = h.factor;
#pragma unroll
            for (int i = k + 2; i < N; ++i) {
                u[i] = product_add(h.divisor, a[i][k], zero);
                if (keeps) keep[i * (i + 1) / 2 + k] = u[i];
            }
            apply<k>(u, h.factor);
            reduce<k + 1>(n, keeps, keep);
        }
    }
};

/* Columns of V: those of Z, in the order of their places, times the reflectors; by a warp.  Whether those of this lane
 * have length 1. */
template <typename number, int N>
static __device__ __forceinline__ bool tiny_vectors(const heev_problem &p, batch_strides s, int64_t first, int live,
                                                    uint32_t order, int good, typename number::real *memory,
                                                    spectrum_sums<typename number::real> of, typename number::real unit)
{
    using real = typename number::real;
    using shape = tiny_shape<number, N, true>;
    int const n = (int)p.n, lane = threadIdx.x % TINY_LANES;
    tiny_store<number> const keep = {(number *)memory + lane};
    tiny_store<real> const z = {memory + shape::at_z + lane};
    real *const out = memory + shape::at_out, *const own = out + lane * shape::out_pitch;
    bool const rows = s.j < s.i;
    const real *const w = (const real *)p.w + (first + lane) * p.stride_w;
    real const inverse = pow2_inverse(unit == unit ? unit : (real)1);
    real form = 0, span = 0;
    bool certified = true;
    number zero;
    set(zero, (real)0, (real)0);
#pragma unroll 1
    for (int k0 = 0; k0 < n; k0 += shape::columns) {
#pragma unroll 1
        for (int g = 0; g < shape::columns && k0 + g < n; ++g) {
            int const k = (int)(order >> (4 * (k0 + g)) & 15);
            number y[N];
#pragma unroll
            for (int i = 0; i < N; ++i) set(y[i], z[i * N + k], (real)0);
#pragma unroll
            for (int j = N - 2; j >= 0; --j) {
                if (j > n - (number::complex ? 2 : 3)) continue;
                number dot = y[j + 1];
#pragma unroll
                for (int i = j + 2; i < N; ++i) dot = conj_product_add(keep[i * (i + 1) / 2 + j], y[i], dot);
                number const factor = negative(product_add(keep[j * (j + 3) / 2], dot, zero));
                y[j + 1] = sum(y[j + 1], factor);
#pragma unroll
                for (int i = j + 2; i < N; ++i) y[i] = product_add(keep[i * (i + 1) / 2 + j], factor, y[i]);
            }
            gauge_turn_registers<N>(y);
            real size = 0;
            number with = zero;
#pragma unroll
            for (int i = 0; i < N; ++i) {
                size = size + square(y[i]);
                if (i < n) with = probe_add(y[i], (unsigned)i, with);
            }
            certified = certified && (k0 + g >= good || spectrum_has_length((real)n, size));
            if (k0 + g < good) form = fma(inverse * w[k0 + g], square(with), form), span = span + square(with);
#pragma unroll
            for (int i = 0; i < N; ++i) {
                if (k0 + g >= good) set(y[i], (real)NAN, (real)NAN);
                real *const to = own + (i * shape::columns + g) * shape::parts;
                to[0] = y[i].re;
                if (number::complex) to[shape::parts - 1] = imaginary(y[i]);
            }
        }
        __syncwarp(); /* columns k0 and on are there */
#pragma unroll 4
        for (int f = lane; f < live * N * shape::columns; f += TINY_LANES) {
            int const b = f / (N * shape::columns), r = f % (N * shape::columns);
            int const i = rows ? r / shape::columns : r % N, g = rows ? r % shape::columns : r / N;
            const real *const from = out + b * shape::out_pitch + (i * shape::columns + g) * shape::parts;
            number x;
            set(x, from[0], from[shape::parts - 1]);
            if (i < n && k0 + g < n) store_number((number *)p.v + ((first + b) * s.b + i * s.i + (k0 + g) * s.j), x);
        }
        __syncwarp(); /* they are stored */
    }
    real const off = inverse * (real_limits<real>::safmin * real_limits<real>::eps);
    pair_sums<real> const sums = {form, span, of.form, certify_span<number>(0, n, 0, 1)};
    return certified && (good < n || sums.certify((real)n, n * real_limits<real>::eps, of.squares, (real)0, off));
}

/* `live` dense matrices from `from` on into shared memory, those of lane t from t * pitch on; a warp. */
template <typename real, int at_once>
static __device__ __forceinline__ void tiny_fetch(const real *from, int words, int pitch, int live, int lane,
                                                  real *tile)
{
    int const step = TINY_LANES / words, rest = TINY_LANES % words, most = live * words;
    int b = lane / words, r = lane % words;
#pragma unroll 1
    for (int f0 = lane; f0 < most; f0 += at_once * TINY_LANES) {
        real x[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k)
            if (f0 + k * TINY_LANES < most) x[k] = from[f0 + k * TINY_LANES];
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
            if (f0 + k * TINY_LANES < most) tile[pitch == words ? f0 + k * TINY_LANES : b * pitch + r] = x[k];
            b += step, r += rest;
            if (r >= words) r -= words, ++b;
        }
    }
}

/* The same where a matrix takes whole rows of lanes, and where each word goes is known. */
template <typename real, int words, int pitch, int at_once>
static __device__ __forceinline__ void tiny_fetch_rows(const real *from, int live, int lane, real *tile)
{
    constexpr int rows = words / TINY_LANES, matrices = at_once / rows;
#pragma unroll 1
    for (int b = 0; b < live; b += matrices) {
        real x[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k)
            if (b + k / rows < live) x[k] = from[b * words + k * TINY_LANES + lane];
#pragma unroll
        for (int k = 0; k < at_once; ++k)
            if (b + k / rows < live) tile[(b + k / rows) * pitch + k % rows * TINY_LANES + lane] = x[k];
    }
}

/* The dense matrices of a warp, `live` from number `first` on, into shared memory. */
template <typename number, int N, bool vectors>
static __device__ __forceinline__ void tiny_fetch_dense(const heev_problem &p, int64_t first, int live, int lane,
                                                        typename number::real *memory)
{
    using real = typename number::real;
    using shape = tiny_shape<number, N, vectors>;
    int const n = (int)p.n;
    const real *const from = (const real *)p.a + first * n * n * shape::parts;
    if (n != N)
        tiny_fetch<real, 16>(from, n * n * shape::parts, shape::pitch, live, lane, memory);
    else if constexpr (shape::words % TINY_LANES == 0)
        tiny_fetch_rows<real, shape::words, shape::pitch, shape::at_once>(from, live, lane, memory);
    else
        tiny_fetch<real, shape::at_once>(from, shape::words, shape::pitch, live, lane, memory);
}

/* The elements of matrix b, from `tile` in shared memory where it is dense. */
template <typename number> struct tiny_source {
    using real = typename number::real;
    static constexpr int parts = number::complex ? 2 : 1;
    int64_t down, right;
    const number *a;
    const real *tile;
    int tile_down, tile_right;
    bool dense, upper;

    __device__ __forceinline__ tiny_source(const heev_job &job, bool is_dense, int64_t b, const real *place)
    {
        batch_strides const s = job.at_a;
        upper = job.p.upper, dense = is_dense;
        down = upper ? s.j : s.i, right = upper ? s.i : s.j;
        a = (const number *)job.p.a + b * s.b;
        tile = place;
        tile_down = (int)down * parts, tile_right = (int)right * parts;
    }
    __device__ __forceinline__ number operator()(int i, int j) const
    {
        number y;
        if (dense) {
            const real *const from = tile + i * tile_down + j * tile_right;
            set(y, from[0], from[parts - 1]);
        } else {
            y = load_number(a + i * down + j * right);
        }
        return lower_of(y, upper);
    }
};

template <typename number, int N, bool vectors>
static __global__ void __launch_bounds__(tiny_shape<number, N, vectors>::warps *TINY_LANES)
    heev_tiny_kernel(heev_job job, bool dense)
{
    using real = typename number::real;
    using shape = tiny_shape<number, N, vectors>;
    extern __shared__ double tiny_memory[];
    const heev_problem &p = job.p;
    int const n = (int)p.n, lane = threadIdx.x % TINY_LANES, warp = threadIdx.x / TINY_LANES;
    real *const memory = (real *)tiny_memory + warp * shape::room;
    int64_t const first = job.first + ((int64_t)blockIdx.x * shape::warps + warp) * TINY_LANES;
    int64_t const left = job.first + job.count - first;
    int const live = left < TINY_LANES ? (int)left : TINY_LANES;
    if (live <= 0) return;
    if (dense) tiny_fetch_dense<number, N, vectors>(p, first, live, lane, memory);
    __syncwarp(); /* the matrices are there */
    tiny_matrix<number, N> x;
    real unit = 1;
    bool const works = lane < live;
    if (works) unit = x.load(n, tiny_source<number>(job, dense, first + lane, memory + lane * shape::pitch));
    __syncwarp(); /* they are in registers */
    tiny_store<real> const kept = {memory + shape::at_sums + lane};
    if (works) {
        spectrum_sums<real> const sums = x.sums();
        kept[0] = sums.trace, kept[1] = sums.squares;
        if (vectors) kept[2] = sums.form;
    }
    spectrum_sums<real> of = {0, 0, 0};
    int good = 0;
    bool reversed = false;
    real z[vectors ? N : 1][N];
    if (works) {
        x.template reduce<0>(n, vectors, {(number *)memory + lane});
        tiny_rows<real, N> const rows = {memory + shape::at_rows + lane};
        reversed = tiny_reverse(n, x.d, x.e, rows);
        if (vectors)
#pragma unroll
            for (int i = 0; i < N; ++i)
#pragma unroll
                for (int k = 0; k < N; ++k) z[vectors ? i : 0][k] = i == k;
        int const max_sweeps = unit == unit ? p.max_sweeps : 0; /* NaN would have all */
        if constexpr (N == 3)
            good = tiny_ql3<real, vectors>(max_sweeps, x.d, x.e, z);
        else
            good = tiny_ql<real, N, vectors>(n, max_sweeps, x.d, x.e, rows, z);
        if (unit != unit) good = 0;
        spectrum_sums<real> found = {0, 0, 0};
#pragma unroll
        for (int k = 0; k < N; ++k) found.add(x.d[k]);
        of.squares = kept[1];
        if (vectors) of.form = kept[2];
        if (p.certify && good == n && !found.certify(n, {kept[0], kept[1], 0}, (real)0)) good = 0;
    }
    int const sorted = good; /* values that have converged; those of them that are too large for a number come last */
    if (works && unit >= real_limits<real>::largest / (4 * N))
#pragma unroll
        for (int k = 0; k < N; ++k) {
            x.d[k] = unscaled((real)n, x.d[k], unit) / unit;
            bool const over = k < sorted && fabs(x.d[k]) > real_limits<real>::largest;
            if (over) x.d[k] = (real)INFINITY; /* of either sign: the last in order */
            good -= over;
        }
    __syncwarp();       /* the rows of T are free */
    uint32_t order = 0; /* the value that comes k-th, in bits 4k and on */
    const real *const out = memory + shape::at_out;
    real *const values = memory + shape::at_out + lane * shape::values_pitch;
    int place[N];
#pragma unroll
    for (int k = 0; k < N; ++k) place[k] = 0;
#pragma unroll
    for (int k = 1; k < N; ++k)
#pragma unroll
        for (int m = 0; m < k; ++m) {
            bool const before = k < sorted && x.d[k] < x.d[m];
            place[k] += !before, place[m] += before;
        }
#pragma unroll
    for (int k = 0; k < N; ++k) {
        order |= (uint32_t)k << (4 * place[k]);
        if (works) values[place[k]] = place[k] < good ? x.d[k] * unit + (real)0 : (real)NAN;
        if (vectors && works)
#pragma unroll
            for (int i = 0; i < N; ++i) {
                int const row = i < n ? ql_row(reversed, n, i) : i;
                memory[shape::at_z + (row * N + k) * TINY_LANES + lane] = z[vectors ? i : 0][k];
            }
    }
    __syncwarp(); /* the values are there */
#pragma unroll 4
    for (int f = lane; f < live * N; f += TINY_LANES)
        if (f % N < n) ((real *)p.w)[(first + f / N) * p.stride_w + f % N] = out[f / N * shape::values_pitch + f % N];
    if (works && p.info) p.info[first + lane] = unit == unit ? n - good : EIG_INFO_NOT_FINITE;
    if (works && p.sweeps) p.sweeps[first + lane] = 0;
    __syncwarp(); /* they are stored */
    if constexpr (vectors) {
        bool const certified = tiny_vectors<number, N>(p, job.at_v, first, live, order, good, memory, of, unit);
        if (works && p.certify && !certified) heev_reject<number>(p, job.at_v, first + lane, n, 0, 1);
    }
}

template <typename number, int N, bool vectors>
static eig_status launch_tiny(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    using shape = tiny_shape<number, N, vectors>;
    enum { TOGETHER = shape::warps * TINY_LANES };
    return cuda_launch(ctx, "heev: tiny_kernel", stream,
                       {(job.count + TOGETHER - 1) / TOGETHER, TOGETHER, (size_t)shape::bytes},
                       heev_tiny_kernel<number, N, vectors>, job, heev_lies_dense(job.at_a, job.p.n));
}

template <typename number, int N>
static eig_status launch_tiny(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return job.p.v ? launch_tiny<number, N, true>(ctx, job, stream) : launch_tiny<number, N, false>(ctx, job, stream);
}

#endif
