/* heev on CUDA, n > 64, tridiagonal, the last kernel: the parts of V become numbers in v, where the reflectors were.
 *
 * Mapping  a thread block has a tile of 32 x 32; where rows of v are dense it transposes it.
 * Gauge    job.tau, which no reflector needs any more, holds of each column the component that decides its sign or
 *          phase: the kernel that had the column last has put it there, or leads has, a warp a column.
 * Limit    bytes: V is read and written once; by leads it is read once more. */
#include "heev/heev_cuda.cuh"
#include "heev/heev_gauge.cuh"
#include "per_type.cuh"

enum { STORE_THREADS = 256, LEAD_THREADS = 128 };

template <typename number> static __global__ void __launch_bounds__(LEAD_THREADS) heev_lead_kernel(heev_job job)
{
    using real = typename number::real;
    int64_t const n = job.p.n, columns = job.columns;
    int64_t const k = ((int64_t)blockIdx.x * LEAD_THREADS + threadIdx.x) / 32, m = k / columns, j = k % columns;
    if (k >= job.count * columns) return;
    int64_t const at = (m * columns + j) * job.z_pitch;
    const real *const re = (const real *)job.z + at, *const im = (const real *)job.imaginary + at;
    number const lead = gauge_warp_lead<number>((int)threadIdx.x % 32, n, [&](int64_t i) {
        number x;
        set(x, re[i], number::complex ? im[i] : (real)0);
        return x;
    });
    if (threadIdx.x % 32 == 0) ((number *)job.tau)[m * n + j] = lead;
}

eig_status TYPED(eig_cuda_heev_leads)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    int64_t const warps = job.count * job.columns, each = LEAD_THREADS / 32;
    return cuda_launch(ctx, "heev: lead_kernel", stream, {(warps + each - 1) / each, LEAD_THREADS},
                       heev_lead_kernel<number>, job);
}

template <typename number> static __global__ void __launch_bounds__(STORE_THREADS) heev_store_kernel(heev_job job)
{
    using real = typename number::real;
    __shared__ double memory[32 * 33 * sizeof(number) / sizeof(double)];
    number *const tile = (number *)memory;
    int64_t const n = job.p.n, columns = job.columns;
    int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int64_t const strips = (columns + 31) / 32, tiles = strips * ((n + 31) / 32), m = blockIdx.x / tiles;
    int64_t const j0 = blockIdx.x % strips * 32, i0 = blockIdx.x % tiles / strips * 32;
    real const unit = ((const real *)job.unit)[m];
    bool const good = unit == unit && job.failed[m] == 0;
    batch_strides const s = job.at_v;
    bool const transposed = s.j < s.i;
    number *const v = (number *)job.p.v + (job.first + m) * s.b;
#pragma unroll
    for (int k = 0; k < 32 * 32 / STORE_THREADS; ++k) {
        int const c = k * (STORE_THREADS / 32) + warp;
        int64_t const i = i0 + lane, j = j0 + c, at = (m * columns + j) * job.z_pitch + i;
        number x;
        set(x, (real)NAN, (real)NAN);
        if (i < n && j < columns && good) {
            set(x, ((const real *)job.z)[at], number::complex ? ((const real *)job.imaginary)[at] : (real)0);
            number const lead = ((const number *)job.tau)[m * n + j];
            x = gauge_turned(lead, gauge_factor(lead), x);
        }
        if (transposed)
            tile[c * 33 + lane] = x;
        else if (i < n && j < columns)
            store_number(v + (i * s.i + j * s.j), x);
    }
    if (!transposed) return;
    __syncthreads(); /* the tile is there */
#pragma unroll
    for (int k = 0; k < 32 * 32 / STORE_THREADS; ++k) {
        int const c = k * (STORE_THREADS / 32) + warp;
        int64_t const i = i0 + c, j = j0 + lane;
        if (i < n && j < columns) store_number(v + (i * s.i + j * s.j), tile[lane * 33 + c]);
    }
}

eig_status TYPED(eig_cuda_heev_store)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    int64_t const tiles = ((job.p.n + 31) / 32) * ((job.columns + 31) / 32);
    return cuda_launch(ctx, "heev: store_kernel", stream, {job.count * tiles, STORE_THREADS}, heev_store_kernel<number>,
                       job);
}
