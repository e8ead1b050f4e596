/* Inverse iteration on a Hessenberg matrix H of any order in global memory, by a thread block for a slab of vectors at a time.
 *
 * Steps     those of geev_inverse_complex.cuh, 32 rows at a time: within those rows 16 lanes a vector eliminate one row after the
 *           other, and note by which factors the running column c and b depend on what c, b and the columns of H were; then all
 *           rows above follow by a product of H with these factors, C := C alpha + H F, that reads H once for the slab.
 *           Vectors of a real matrix are complex, too; of a pair there is one.
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

/* H of order n as one side sees it: left vectors are right ones of H^H with rows and columns in reverse order, as schur_side has
 * it.  i <= j + 1. */
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

/* Eliminates rows from, ..., from + count - 1, in which C and B are up to date.  Leaves the factors for the rows above. */
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

/* The columns' exchanges and multipliers: b becomes x, by a thread a vector.  Returns the largest part of a component. */
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

/* The vectors of memory.w, in x.b in the coordinates of H; largest parts are 1.  norm: of H.  Returns whether all are good. */
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

#endif
