/* heev on CUDA, n > 64, tridiagonal, the last kernel: the parts of V become numbers in v, where the reflectors were.
 *
 * Mapping  a thread block has a tile of 32 x 32; where rows of v are dense it transposes it.
 * Limit    bytes: V is read and written once. */
#include "heev/heev_cuda.cuh"
#include "per_type.cuh"

enum { STORE_THREADS = 256 };

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
        if (i < n && j < columns && good)
            set(x, ((const real *)job.z)[at], number::complex ? ((const real *)job.imaginary)[at] : (real)0);
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
