/* A slab's vectors from the coordinates of H to those of the caller's matrix: reflectors, balancing, norm 1. */
#ifndef EIG_GEEV_SLAB_BACK_CUH
#define EIG_GEEV_SLAB_BACK_CUH

#include "geev/vectors/geev_slab.cuh"

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

/* Rows top, top + 1, ... of the panel's reflectors, a tile of them; and this thread's components there, x, of b.  All loads are
 * under way together. */
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
