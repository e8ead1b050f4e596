/* Of all eigenpairs of some matrices on the GPU those that a call asked for.
 *
 * Mapping  a thread block a matrix: it counts the eigenvalues up to both ends of a range by value, then copies.
 * Limit    bytes: each pair that is wanted is read and written once. */
#include "heev/heev_cuda.cuh"

enum { SELECT_THREADS = 256 };

/* An element of v, whose value does not matter here. */
template <int bytes> struct alignas(bytes) element {
    char byte[bytes];
};

/* How many of the n ascending numbers, the last of which may be NaN, are at most x; the same in all threads. */
template <typename real> static __device__ int64_t count_up_to(const real *w, int64_t n, double x)
{
    int64_t count = 0;
    for (int64_t begin = 0; begin < n; begin += SELECT_THREADS) {
        int64_t const i = begin + threadIdx.x;
        int const here = __syncthreads_count(i < n && (double)w[i] <= x);
        count += here;
        if (here < SELECT_THREADS) break;
    }
    return count;
}

template <typename real, typename number>
static __global__ void __launch_bounds__(SELECT_THREADS) heev_select_kernel(heev_problem p, heev_selection s)
{
    int64_t const n = p.n;
    bool const by_value = p.range == EIG_RANGE_VALUE;
    for (int64_t b = blockIdx.x; b < s.count; b += gridDim.x) {
        const real *const w = s.w ? (const real *)s.w + b * n : nullptr;
        const real *const deciding = s.deciding ? (const real *)s.deciding + b * n : w;
        int64_t const at = s.first + b, first = by_value ? count_up_to(deciding, n, p.by_value.vl) : p.il - 1;
        int64_t const count = (by_value ? count_up_to(deciding, n, p.by_value.vu) : p.iu) - first;
        if (p.m && threadIdx.x == 0) p.m[at] = count;
        if (!w) continue;
        for (int64_t k = threadIdx.x; k < count; k += SELECT_THREADS)
            ((real *)p.w)[at * p.stride_w + k] =
                by_value ? (real)range_moved(&p.by_value, (double)w[first + k]) : w[first + k];
        if (!p.v) continue;
        const number *const from = (const number *)s.v + b * n * n + first * (p.row_major ? 1 : n);
        number *const to = (number *)p.v + at * p.stride_v;
        int64_t const length = p.row_major ? count : n;
        for (int64_t f = threadIdx.x; f < n * count; f += SELECT_THREADS) {
            int64_t const r = f / length, i = f % length;
            to[r * p.ldv + i] = from[r * n + i];
        }
    }
}

eig_status eig_cuda_heev_select(eig_context *ctx, const heev_selection *s)
{
    if (!eig_backend_cuda.on_device(ctx, s->p->w)) return eig_backend_cpu.heev_select(ctx, s);
    cuda_scope const scope(ctx);
    cuda_shape const shape = {s->count < 65536 ? s->count : 65536, SELECT_THREADS};
    /* It reads the workspace of the call before, which so ends here. */
    auto const launch = [&](auto kernel) {
        return eig_cuda_end_call(
            ctx, cuda_launch(ctx, "heev: select_kernel", cuda_state_of(ctx)->stream, shape, kernel, *s->p, *s));
    };
    switch (s->p->type) {
    case EIG_S:
        return launch(heev_select_kernel<float, element<4>>);
    case EIG_D:
        return launch(heev_select_kernel<double, element<8>>);
    case EIG_C:
        return launch(heev_select_kernel<float, element<8>>);
    case EIG_Z:
        return launch(heev_select_kernel<double, element<16>>);
    }
    return EIG_BAD_ARGUMENT;
}
