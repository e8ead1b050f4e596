/* Inverse iteration on a Hessenberg matrix H of any order in global memory, by a thread block for a slab of vectors at
 * a time.
 *
 * Steps     those of geev_inverse.cu for complex matrices, 32 rows at a time: within those rows 16 lanes a vector
 *           eliminate one row after the other, and note by which factors the running column c and b depend on what c, b
 *           and the columns of H were; then all rows above follow by a product of H with these factors, C := C alpha +
 *           H F, that reads H once for the slab.  Vectors of a real matrix are complex, too; of a pair there is one.
 * Memory    C and B, [n][SLAB] complex numbers each: in the second-level cache.
 * Cost      4 n^2 real products a vector of a real matrix, two of which add up to one of a complex one; a chain of n
 *           eliminations.
 * Bits      of a vector depend on H alone, and on which vectors of the matrix are in its slab. */
#ifndef EIG_GEEV_SLAB_CUH
#define EIG_GEEV_SLAB_CUH

#include "geev/reduce/geev_form.cuh"
#include "geev/vectors/geev_inverse_common.cuh"
#include "primitives/team.cuh"

enum {
    SLAB = GEEV_SLAB,
    SLAB_THREADS = 256,
    SLAB_LANES = SLAB_THREADS / SLAB, /* a vector */
    SLAB_STEP = 32                    /* rows that are eliminated at a time */
};

/* Rows of a tile of H or of reflectors, of which a thread takes every SLAB_LANES-th. */
template <typename entry> constexpr int slab_rows = entry_kind<entry>::complex ? 2 : 4;
template <typename entry> constexpr int slab_tile = SLAB_LANES *slab_rows<entry>;

/* What a block shares. */
template <typename entry> struct slab_memory {
    using real = real_of<entry>;
    using complex = complex_of<real>;
    static constexpr int tile = slab_tile<entry>;
    union {
        struct {
            entry h[tile][SLAB_STEP + 1];
            complex factor[2][SLAB_STEP + 1][SLAB]; /* of C and of B; the last row: that of what C was */
        } solve;
        struct {
            entry v[tile][SLAB_BACK + 1];
            complex sum[SLAB_THREADS / 32][SLAB_BACK][SLAB];
        } back;
        struct {
            real most[SLAB_LANES][SLAB], sum[SLAB_LANES][SLAB];
            int at[SLAB_LANES][SLAB];
            complex top[SLAB_LANES][SLAB];
        } size;
    };
    complex w[SLAB];
    real growth[SLAB];
    int index[SLAB]; /* of the eigenvalue */
    int count;       /* of the matrix's vectors from here on */
};

/* H of order n as one side sees it: left vectors are right ones of H^H with rows and columns in reverse order, as
 * schur_side has it.  i <= j + 1. */
template <typename entry> struct slab_side {
    const entry *h;
    int n;
    bool left;

    __device__ __forceinline__ entry operator()(int i, int j) const
    {
        return left ? conj(h[(int64_t)(n - 1 - j) * n + n - 1 - i]) : h[(int64_t)i * n + j];
    }
    /* Where component i lies in C and B. */
    __device__ __forceinline__ int64_t row(int i) const
    {
        return (int64_t)(left ? n - 1 - i : i) * SLAB;
    }
    /* Entry e of a tile of `rows` rows and `columns` columns, so that neighbours in e are neighbours in memory. */
    __device__ __forceinline__ void place(int e, int rows, int columns, int *r, int *q) const
    {
        *r = left ? e % rows : e / columns, *q = left ? e / rows : e % columns;
    }
};

/* A slab's arrays in global memory. */
template <typename complex> struct slab_arrays {
    complex *c, *b;  /* [n][SLAB] */
    unsigned *swaps; /* [(n + 31) / 32][SLAB] a bit a row */
};

template <typename real> static __device__ __forceinline__ complex_of<real> complex_number(real x)
{
    return {x, 0};
}
template <typename real> static __device__ __forceinline__ complex_of<real> complex_number(complex_of<real> x)
{
    return x;
}

/* Eliminates rows from, ..., from + count - 1, in which C and B are up to date.  Leaves the factors for the rows
 * above. */
template <typename entry, typename complex = complex_of<real_of<entry>>>
static __device__ void slab_eliminate(const slab_side<entry> &s, slab_memory<entry> &memory,
                                      const slab_arrays<complex> &x, int from, int count, real_of<entry> least)
{
    static_assert(SLAB_STEP == 2 * SLAB_LANES && SLAB_LANES == 16);
    auto &h = memory.solve.h;
    for (int e = threadIdx.x; e < count * count; e += SLAB_THREADS) {
        int r, q;
        s.place(e, count, count, &r, &q);
        h[r][q] = r <= q ? s(from + r, from - 1 + q) : entry_of<entry>((real_of<entry>)0);
    }
    __syncthreads(); /* the tile is there */
    int const vector = threadIdx.x / SLAB_LANES, lane = threadIdx.x % SLAB_LANES;
    complex const w = memory.w[vector], none = {0, 0};
    complex c[2], b[2], c_factor[2] = {none, none}, b_factor[2] = {none, none}, c_old = {1, 0}, b_old = none;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        int const r = lane + SLAB_LANES * half;
        c[half] = r < count ? x.c[s.row(from + r) + vector] : none;
        b[half] = r < count ? x.b[s.row(from + r) + vector] : none;
    }
    unsigned swaps = 0;
#pragma unroll
    for (int upper = 1; upper >= 0; --upper)
        for (int at = SLAB_LANES - 1; at >= 0; --at) {
            int const q = at + SLAB_LANES * upper;
            if (q >= count) continue;
            row_elimination<complex> const step(complex_number(h[q][q]), lane_number(c[upper], at, SLAB_LANES),
                                                lane_number(b[upper], at, SLAB_LANES), least);
            if (step.swaps) swaps |= 1u << q;
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                int const r = lane + SLAB_LANES * half;
                complex a = complex_number(h[r < q ? r : q][q]);
                if (r == q - 1) a = difference(a, w);
                complex c_new = c[half], b_new = b[half];
                step.update(a, &c_new, &b_new);
                if (r < q)
                    c[half] = c_new, b[half] = b_new;
                else if (r == q)
                    c[half] = step.m, b[half] = step.y;
                step.update(complex{r == q ? (real_of<entry>)1 : (real_of<entry>)0, 0}, &c_factor[half],
                            &b_factor[half]);
            }
            step.update(none, &c_old, &b_old);
        }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        int const r = lane + SLAB_LANES * half;
        if (r < count) x.c[s.row(from + r) + vector] = c[half], x.b[s.row(from + r) + vector] = b[half];
        memory.solve.factor[0][r][vector] = c_factor[half], memory.solve.factor[1][r][vector] = b_factor[half];
    }
    if (lane == 0) {
        memory.solve.factor[0][SLAB_STEP][vector] = c_old, memory.solve.factor[1][SLAB_STEP][vector] = b_old;
        x.swaps[(s.n - from - count) / SLAB_STEP * SLAB + vector] = swaps;
    }
    __syncthreads(); /* the factors are there, and the tile is free */
}

/* Rows 0..from-1 of C and B follow. */
template <typename entry, typename complex = complex_of<real_of<entry>>>
static __device__ void slab_follow(const slab_side<entry> &s, slab_memory<entry> &memory, const slab_arrays<complex> &x,
                                   int from, int count)
{
    constexpr int R = slab_rows<entry>, tile = slab_tile<entry>;
    auto &h = memory.solve.h;
    auto &factor = memory.solve.factor;
    int const vector = threadIdx.x % SLAB, group = threadIdx.x / SLAB;
    complex const c_old = factor[0][SLAB_STEP][vector], b_old = factor[1][SLAB_STEP][vector], w = memory.w[vector];
    for (int top = 0; top < from; top += tile) {
        constexpr int each = tile * SLAB_STEP / SLAB_THREADS;
        entry own[each]; /* all loads are under way together */
#pragma unroll
        for (int k = 0; k < each; ++k) {
            int r, q;
            s.place((int)threadIdx.x + k * SLAB_THREADS, tile, SLAB_STEP, &r, &q);
            own[k] = top + r < from && q < count ? s(top + r, from - 1 + q) : entry_of<entry>((real_of<entry>)0);
        }
        complex c[R], b[R];
#pragma unroll
        for (int k = 0; k < R; ++k) {
            int const i = top + group + k * SLAB_LANES;
            complex const ci = i < from ? x.c[s.row(i) + vector] : complex{0, 0},
                          bi = i < from ? x.b[s.row(i) + vector] : complex{0, 0};
            c[k] = product_add(c_old, ci, complex{0, 0}), b[k] = product_add(b_old, ci, bi);
        }
#pragma unroll
        for (int k = 0; k < each; ++k) {
            int r, q;
            s.place((int)threadIdx.x + k * SLAB_THREADS, tile, SLAB_STEP, &r, &q);
            h[r][q] = own[k];
        }
        __syncthreads(); /* the tile is there */
#pragma unroll 4
        for (int q = 0; q < count; ++q) {
            complex const fc = factor[0][q][vector], fb = factor[1][q][vector];
#pragma unroll
            for (int k = 0; k < R; ++k) {
                entry const a = h[group + k * SLAB_LANES][q];
                add_to(&c[k], a, fc), add_to(&b[k], a, fb);
            }
        }
#pragma unroll
        for (int k = 0; k < R; ++k) {
            int const i = top + group + k * SLAB_LANES;
            if (i >= from) continue;
            if (i == from - 1) { /* where the first column has its diagonal entry */
                c[k] = minus_product(w, factor[0][0][vector], c[k]);
                b[k] = minus_product(w, factor[1][0][vector], b[k]);
            }
            x.c[s.row(i) + vector] = c[k], x.b[s.row(i) + vector] = b[k];
        }
        __syncthreads(); /* the tile is free */
    }
}

/* The columns' exchanges and multipliers: b becomes x, by a thread a vector.  Returns the largest part of a
 * component. */
template <typename entry, typename complex = complex_of<real_of<entry>>>
static __device__ real_of<entry> slab_finish(const slab_side<entry> &s, const slab_arrays<complex> &x, int vector,
                                             real_of<entry> least)
{
    constexpr int AHEAD = 8; /* loads that do not wait for each other */
    int const n = s.n;
    complex pivot = x.c[s.row(0) + vector];
    schur_pivot(least, &pivot.re, &pivot.im);
    complex z = product_add(x.b[s.row(0) + vector], fast_inverse(pivot), complex{0, 0});
    real_of<entry> most = 0;
    for (int first = 1; first < n; first += AHEAD) {
        complex c[AHEAD], b[AHEAD];
        bool swapped[AHEAD];
#pragma unroll
        for (int j = 0; j < AHEAD; ++j) {
            int const k = first + j < n ? first + j : n - 1, panel = (n - 1 - k) / SLAB_STEP,
                      low = n - SLAB_STEP * (panel + 1), from = low > 1 ? low : 1;
            c[j] = x.c[s.row(k) + vector], b[j] = x.b[s.row(k) + vector];
            swapped[j] = x.swaps[panel * SLAB + vector] >> (k - from) & 1;
        }
#pragma unroll
        for (int j = 0; j < AHEAD; ++j) {
            if (first + j >= n) continue;
            complex const y = minus_product(c[j], z, b[j]), now = swapped[j] ? y : z;
            x.b[s.row(first + j - 1) + vector] = now;
            most = fmax(most, larger_part(now));
            if (!swapped[j]) z = y;
        }
    }
    x.b[s.row(n - 1) + vector] = z;
    return fmax(most, larger_part(z));
}

/* The vectors of memory.w, in x.b in the coordinates of H; largest parts are 1.  norm: of H.  Returns whether all are
 * good. */
template <typename entry, typename complex = complex_of<real_of<entry>>>
static __device__ bool slab_solve(const slab_side<entry> &s, slab_memory<entry> &memory, const slab_arrays<complex> &x,
                                  real_of<entry> norm)
{
    using real = real_of<entry>;
    constexpr real eps = real_limits<real>::eps;
    int const n = s.n, vector = threadIdx.x % SLAB, group = threadIdx.x / SLAB;
    real const fine = 1 / (INVERSE_FINE * eps * norm * sqrt((real)n)), least = norm * (eps / 8);
    complex const w = memory.w[vector];
    for (int i = group; i < n; i += SLAB_LANES) x.b[s.row(i) + vector] = {1, 0};
    for (int round = 0; round < INVERSE_ROUNDS; ++round) {
        for (int i = group; i < n; i += SLAB_LANES) {
            complex const a = complex_number(s(i, n - 1));
            x.c[s.row(i) + vector] = i == n - 1 ? difference(a, w) : a;
        }
        __syncthreads(); /* C and B are there */
        for (int end = n; end > 1; end -= SLAB_STEP) {
            int const from = end - SLAB_STEP > 1 ? end - SLAB_STEP : 1;
            slab_eliminate(s, memory, x, from, end - from, least);
            slab_follow(s, memory, x, from, end - from);
        }
        if (threadIdx.x < SLAB) memory.growth[vector] = slab_finish(s, x, vector, least);
        __syncthreads(); /* the vectors are there */
        real const growth = memory.growth[vector], scale = 1 / growth;
        for (int i = group; i < n; i += SLAB_LANES) x.b[s.row(i) + vector] = scaled(scale, x.b[s.row(i) + vector]);
        if (!__syncthreads_or(!(growth >= fine))) break;
    }
    real const growth = memory.growth[vector];
    return __syncthreads_and(growth * ((real)INVERSE_GOOD / INVERSE_FINE) >= fine && growth < (real)INFINITY);
}

/* ------------------------------------------------------------------- back to the caller's matrix: reflectors,
 * balancing, norm 1 */

/* Component `row` of reflector `column`. */
template <typename entry>
static __device__ __forceinline__ entry reflector_entry(const entry *h, int n, int row, int column)
{
    if (row >= n || column > n - 3 || row <= column) return entry_of<entry>((real_of<entry>)0);
    return row == column + 1 ? entry_of<entry>((real_of<entry>)1) : h[(int64_t)row * n + column];
}

/* T of panel p, by a warp; the products of reflectors take the place below its diagonal. */
template <typename entry>
static __device__ void panel_factor(lane_team<32> warp, const large_form<entry> &form, int n, int p)
{
    using real = real_of<entry>;
    int const first = p * SLAB_BACK;
    entry *const t = form.t + (int64_t)p * SLAB_BACK * SLAB_BACK;
    for (int e = warp.rank; e < SLAB_BACK * SLAB_BACK; e += 32) {
        int const q = e / SLAB_BACK, m = e % SLAB_BACK;
        if (m >= q || first + q > n - 3) continue;
        const entry *const row = form.h + (int64_t)(first + q + 1) * n + first;
        entry sum = conj(row[m]);
#pragma unroll 8
        for (int r = 1; r < n - (first + q + 1); ++r)
            sum = conj_product_add(row[(int64_t)r * n + m], row[(int64_t)r * n + q], sum);
        t[e] = sum;
    }
    warp.sync();
    for (int m = warp.rank; m < SLAB_BACK; m += 32)
        for (int q = m; q < SLAB_BACK; ++q) {
            real const tau = first + q <= n - 3 ? form.factors[first + q] : (real)0;
            entry sum = entry_of<entry>((real)0);
            for (int k = m; k < q && tau != 0; ++k) sum = product_add(t[m * SLAB_BACK + k], t[q * SLAB_BACK + k], sum);
            t[m * SLAB_BACK + q] = q == m ? entry_of<entry>(tau) : scaled(-tau, sum);
        }
}

/* Rows top, top + 1, ... of the panel's reflectors, a tile of them; and this thread's components there, x, of b.  All
 * loads are under way together. */
template <typename entry, typename complex, int R>
static __device__ __forceinline__ void load_reflectors(slab_memory<entry> &memory, const large_form<entry> &form, int n,
                                                       int top, int first, const complex *b, complex (&x)[R])
{
    constexpr int each = slab_tile<entry> * SLAB_BACK / SLAB_THREADS;
    entry v[each];
#pragma unroll
    for (int k = 0; k < each; ++k) {
        int const e = (int)threadIdx.x + k * SLAB_THREADS;
        v[k] = reflector_entry(form.h, n, top + e / SLAB_BACK, first + e % SLAB_BACK);
    }
#pragma unroll
    for (int k = 0; k < R; ++k) {
        int const r = top + (int)threadIdx.x / SLAB + k * SLAB_LANES;
        x[k] = r < n ? b[(int64_t)r * SLAB + threadIdx.x % SLAB] : complex{0, 0};
    }
#pragma unroll
    for (int k = 0; k < each; ++k) {
        int const e = (int)threadIdx.x + k * SLAB_THREADS;
        memory.back.v[e / SLAB_BACK][e % SLAB_BACK] = v[k];
    }
    __syncthreads(); /* the tile is there */
}

/* B := Q B */
template <typename entry, typename complex = complex_of<real_of<entry>>>
static __device__ void slab_reflect(slab_memory<entry> &memory, const large_form<entry> &form, int n, complex *b)
{
    constexpr int R = slab_rows<entry>, tile = slab_tile<entry>;
    auto &v = memory.back.v;
    auto &sums = memory.back.sum;
    int const vector = threadIdx.x % SLAB, group = threadIdx.x / SLAB;
    for (int p = slab_panels(n - 2) - 1; p >= 0; --p) {
        int const first = p * SLAB_BACK;
        complex sum[SLAB_BACK];
#pragma unroll
        for (int q = 0; q < SLAB_BACK; ++q) sum[q] = {0, 0};
        for (int top = first + 1; top < n; top += tile) {
            complex x[R];
            load_reflectors(memory, form, n, top, first, b, x);
#pragma unroll
            for (int k = 0; k < R; ++k)
#pragma unroll
                for (int q = 0; q < SLAB_BACK; ++q) add_to(&sum[q], conj(v[group + k * SLAB_LANES][q]), x[k]);
            __syncthreads(); /* the tile is free */
        }
#pragma unroll
        for (int q = 0; q < SLAB_BACK; ++q) {
            complex const all = total(sum[q], lane_across(sum[q], SLAB));
            if (threadIdx.x % 32 < SLAB) sums[threadIdx.x / 32][q][vector] = all;
        }
        __syncthreads(); /* the warps' sums are there */
        complex all = {0, 0};
        for (int warp = 0; warp < SLAB_THREADS / 32; ++warp) all = total(all, sums[warp][group][vector]);
        __syncthreads(); /* they are read */
        sums[0][group][vector] = all;
        __syncthreads(); /* V^H B is there */
        const entry *const t = form.t + (int64_t)(p * SLAB_BACK + group) * SLAB_BACK;
        all = complex{0, 0};
        for (int q = group; q < SLAB_BACK; ++q) add_to(&all, t[q], sums[0][q][vector]);
        sums[1][group][vector] = negative(all);
        __syncthreads(); /* -T V^H B is there */
#pragma unroll
        for (int q = 0; q < SLAB_BACK; ++q) sum[q] = sums[1][q][vector];
        for (int top = first + 1; top < n; top += tile) {
            complex x[R];
            load_reflectors(memory, form, n, top, first, b, x);
#pragma unroll
            for (int k = 0; k < R; ++k) {
                int const r = group + k * SLAB_LANES;
#pragma unroll
                for (int q = 0; q < SLAB_BACK; ++q) add_to(&x[k], v[r][q], sum[q]);
                if (top + r < n) b[(int64_t)(top + r) * SLAB + vector] = x[k];
            }
            __syncthreads(); /* the tile is free */
        }
    }
}

/* Back from balancing, norm 1, one of the largest components positive: in B.  is_real: this thread's vector is. */
template <typename entry, typename complex = complex_of<real_of<entry>>>
static __device__ void slab_normalise(slab_memory<entry> &memory, const large_form<entry> &form, int n, bool left,
                                      complex *b, bool is_real)
{
    using real = real_of<entry>;
    auto &shared = memory.size;
    int const vector = threadIdx.x % SLAB, group = threadIdx.x / SLAB;
    real const unit = pow2_inverse(pow2_floor((real)n)); /* a component of Q x is n at most */
    auto const component = [&](int i) {
        real const scale = form.scale[i];
        return scaled(left && scale != 1 ? 1 / scale : scale, scaled(unit, b[(int64_t)i * SLAB + vector]));
    };
    real most = 0;
#pragma unroll 4
    for (int i = group; i < n; i += SLAB_LANES) most = fmax(most, larger_part(component(i)));
    shared.most[group][vector] = most;
    __syncthreads(); /* the largest components are there */
    for (int g = 0; g < SLAB_LANES; ++g) most = fmax(most, shared.most[g][vector]);
    real const unit2 = unit_of(most);
    __syncthreads(); /* they are read */
    vector_size<real> size = {0, 0, {1, 0}, 0};
    real next = 0; /* the largest but one, of those that this thread knows */
#pragma unroll 4
    for (int i = group; i < n; i += SLAB_LANES) {
        complex const x = scaled(unit2, component(i));
        real const own = square(x);
        size.sum += own;
        next = fmax(next, fmin(own, size.largest));
        if (own > size.largest) size.largest = own, size.top = x, size.at = i;
    }
    shared.most[group][vector] = size.largest, shared.sum[group][vector] = size.sum;
    shared.at[group][vector] = size.at, shared.top[group][vector] = size.top;
    __syncthreads(); /* all parts of the sizes are there */
    size = {0, 0, {1, 0}, 0};
    for (int g = 0; g < SLAB_LANES; ++g) {
        real const largest = shared.most[g][vector];
        size.sum += shared.sum[g][vector];
        next = fmax(next, fmin(largest, size.largest));
        if (largest > size.largest)
            size.largest = largest, size.top = shared.top[g][vector], size.at = shared.at[g][vector];
    }
    if (__syncthreads_or(next >= gauge_least_square(size.largest))) { /* it is not the only one of some vector */
        for (int i = group; i < n; i += SLAB_LANES) {
            complex const x = scaled(unit2, component(i));
            if (square(x) >= gauge_least_square(size.largest) && form.origin[i] < form.origin[size.at])
                size.top = x, size.at = i;
        }
        shared.at[group][vector] = size.at, shared.top[group][vector] = size.top;
        __syncthreads(); /* each thread's first large one is there */
        for (int g = 0; g < SLAB_LANES; ++g)
            if (form.origin[shared.at[g][vector]] < form.origin[size.at])
                size.at = shared.at[g][vector], size.top = shared.top[g][vector];
    }
    complex const factor = unit_factor(size, is_real);
    for (int i = group; i < n; i += SLAB_LANES) {
        complex x = product_add(scaled(unit2, component(i)), factor, complex{0, 0});
        if (i == size.at) x.im = 0;
        b[(int64_t)i * SLAB + vector] = x;
    }
    __syncthreads(); /* the sizes are read */
}

/* Stores this thread's vector as column k of the caller's vectors; pair: and its conjugate as the next one. */
template <typename real>
static __device__ void slab_store(const complex_of<real> *b, int n, const int *origin,
                                  const geev_target<complex_of<real>> &place, int k, bool pair)
{
    using complex = complex_of<real>;
    for (int i = threadIdx.x / SLAB; i < n; i += SLAB_LANES) {
        complex const x = b[(int64_t)i * SLAB + threadIdx.x % SLAB];
        place.put(origin[i], k, x);
        if (pair) place.put(origin[i], k + 1, complex{x.re, -x.im});
    }
}

/* |y^H x| of this thread's vectors, in all of its threads. */
template <typename entry, typename complex = complex_of<real_of<entry>>>
static __device__ real_of<entry> slab_condition(slab_memory<entry> &memory, int n, const complex *y, const complex *x)
{
    using real = real_of<entry>;
    auto &shared = memory.size;
    int const vector = threadIdx.x % SLAB, group = threadIdx.x / SLAB;
    complex sum = {0, 0};
    for (int i = group; i < n; i += SLAB_LANES)
        sum = conj_product_add(y[(int64_t)i * SLAB + vector], x[(int64_t)i * SLAB + vector], sum);
    __syncthreads(); /* the memory is free */
    shared.top[group][vector] = sum;
    __syncthreads(); /* all parts are there */
    sum = complex{0, 0};
    for (int g = 0; g < SLAB_LANES; ++g) sum = total(sum, shared.top[g][vector]);
    __syncthreads(); /* they are read */
    return fmin(sqrt(square(sum)), (real)1);
}

#endif
