/* heev on CUDA, n > 64, tridiagonal, kernels after the eigenvectors Z of T: V = Q Z.
 *
 * Formula  32 reflectors at a time: H_k ... H_{k+31} = I - Y F Y^H, F upper triangular (Schreiber and Van Loan, SIAM J.
 *          Sci.  Stat. Comput. 10 (1989)); the last block of reflectors first.
 * Kernels  factors: F of each block, a thread block each.  back: a thread block has some columns of Z in shared memory
 *          from the first product to the last; a warp has some of their rows.  heev_store.cu: parts to numbers, into v,
 *          where the reflectors were.
 * Cost     complex 4 n^3 FMA, on tensor cores for doubles and large float matrices; all blocks of a matrix read its
 *          reflectors twice, from L2. */
#include "heev/block/heev_factor.cuh"
#include "heev/block/heev_tile.cuh"
#include "heev/heev_cuda.cuh"
#include "heev/heev_gauge.cuh"
#include "per_type.cuh"

enum { BACK_BLOCK = HEEV_REFLECTORS, BACK_PITCH = 36, BACK_THREADS = 256, FACTOR_THREADS = 4 * BACK_BLOCK };

static __device__ __forceinline__ int64_t back_blocks(int64_t n)
{
    return (n + BACK_BLOCK - 1) / BACK_BLOCK;
}

/* Element i of reflector k of a matrix of order n. */
template <bool aligned, typename number>
static __device__ __forceinline__ number reflector_at(const number *y, int64_t pitch, int n, int i, int k)
{
    number z;
    set(z, (typename number::real)0, (typename number::real)0);
    if (i > k && i < n) z = aligned ? y[i + k * pitch] : load_number(y + (i + k * pitch));
    return z;
}

/* ------------------------------------------------------------------- factors */

template <typename number> static __global__ void __launch_bounds__(FACTOR_THREADS) heev_factor_kernel(heev_job job)
{
    constexpr int row = factor_pitch(BACK_BLOCK);
    __shared__ double memory[2 * BACK_BLOCK * row * sizeof(number) / sizeof(double)];
    number *const products = (number *)memory, *const f = products + BACK_BLOCK * row;
    int const n = (int)job.p.n, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int64_t const blocks = back_blocks(n), m = blockIdx.x / blocks, pitch = job.matrix_pitch;
    int const k0 = (int)(blockIdx.x % blocks) * BACK_BLOCK;
    const number *const y = (const number *)job.matrix + m * job.matrix_stride;

    /* products: Y^H Y, 8 columns a warp */
    heev_tile<number, 4, 1> tile(lane);
    tile.clear();
    for (int base = k0; base < n; base += 32)
        tile.template add_product<32>(
            [&](int t, int i) { return conj(reflector_at<false>(y, pitch, n, base + i, k0 + t)); },
            [&](int i, int t) { return reflector_at<false>(y, pitch, n, base + i, k0 + 8 * warp + t); });
#pragma unroll
    for (int e = 0; e < tile.size; ++e) products[tile.row(e) * row + 8 * warp + tile.column(e)] = tile.get(e);
    factor_of_products<BACK_BLOCK>(products, f, job, m, k0);
    __syncthreads(); /* F is there */
    number *const to = (number *)job.factors + (int64_t)blockIdx.x * BACK_BLOCK * BACK_BLOCK;
    for (int g = threadIdx.x; g < BACK_BLOCK * BACK_BLOCK; g += FACTOR_THREADS)
        to[g] = f[g % BACK_BLOCK * row + g / BACK_BLOCK];
}

/* ---------------------------------------------------------------------- back */

template <typename number> struct back_shape {
    static constexpr int columns = number::complex ? 16 : 32, planes = number::complex ? 2 : 1;
    static constexpr int area = columns * BACK_PITCH; /* of a plane of 32 rows */
};

/* A block's columns of Z: planes of them, in shared or in global memory. */
template <typename number, bool in_shared> struct back_strip {
    using real = typename number::real;
    real *re, *im;
    int64_t pitch;
    int n, columns;

    __device__ __forceinline__ number get(int i, int j) const
    {
        number z;
        set(z, (real)0, (real)0);
        if (in_shared || (i < n && j < columns))
            set(z, re[i + j * pitch], number::complex ? im[i + j * pitch] : (real)0);
        return z;
    }
    __device__ __forceinline__ void put(int i, int j, number z)
    {
        if (!in_shared && (i >= n || j >= columns)) return;
        re[i + j * pitch] = z.re;
        if (number::complex) im[i + j * pitch] = imaginary(z);
    }
};

/* A matrix of 32 rows as planes in shared memory. */
template <typename number> struct back_plane {
    using real = typename number::real;
    real *at;
    __device__ __forceinline__ number get(int i, int j) const
    {
        number z;
        set(z, at[j * BACK_PITCH + i], number::complex ? at[back_shape<number>::area + j * BACK_PITCH + i] : (real)0);
        return z;
    }
    __device__ __forceinline__ void put(int i, int j, number z)
    {
        at[j * BACK_PITCH + i] = z.re;
        if (number::complex) at[back_shape<number>::area + j * BACK_PITCH + i] = imaginary(z);
    }
};

/* product := -F P, P the sum of the parts of the warps, one behind the other in `parts`; by the block. */
template <bool wide, typename number, typename real>
static __device__ __forceinline__ void back_multiply(const number *factor, real *parts, int warp, int warps, int lane,
                                                     back_plane<number> product)
{
    using shape = back_shape<number>;
    constexpr int C = shape::columns / 8, area = shape::planes * shape::area;
    for (int g = warp; g < 4 * C; g += warps) {
        heev_tile<number, 1, 1, wide> tile(lane);
        tile.clear();
        tile.template add_product<32>([&](int i, int k) { return factor[k * BACK_BLOCK + 8 * (g / C) + i]; },
                                      [&](int k, int j) {
                                          number x = back_plane<number>{parts}.get(k, 8 * (g % C) + j);
                                          for (int w = 1; w < warps; ++w)
                                              x = sum(x, back_plane<number>{parts + w * area}.get(k, 8 * (g % C) + j));
                                          return x;
                                      });
#pragma unroll
        for (int e = 0; e < tile.size; ++e)
            product.put(8 * (g / C) + tile.row(e), 8 * (g % C) + tile.column(e), negative(tile.get(e)));
    }
}

/* Float matrices that heev_stream.cuh reduces are multiplied in double where tensor cores do that, as are those of
 * devices with so much shared memory: FMA in float takes 2.6 times as long (n = 512 and 1024, H200). */
enum { WIDE_LEAST = 160 << 10 };
template <typename number, bool in_shared, bool wide>
static __global__ void __launch_bounds__(BACK_THREADS) heev_back_kernel(heev_job job)
{
    using real = typename number::real;
    using shape = back_shape<number>;
    constexpr int C = shape::columns / 8, area = shape::planes * shape::area;
    extern __shared__ double back_memory[];
    int const n = (int)job.p.n, rows = (n + 31) / 32 * 32, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int const warps = blockDim.x / 32;
    int64_t const strips = (n + shape::columns - 1) / shape::columns, m = blockIdx.x / strips;
    int const first = (int)(blockIdx.x % strips) * shape::columns;
    int64_t const from = m * n * n + (int64_t)first * n, pitch = job.matrix_pitch;
    const number *const y = (const number *)job.matrix + m * job.matrix_stride;
    const number *f = (const number *)job.factors + m * back_blocks(n) * BACK_BLOCK * BACK_BLOCK;
    real *const z = (real *)job.z + from, *const zi = (real *)job.imaginary + (number::complex ? from : 0);
    real *const parts = (real *)back_memory;
    back_plane<number> const own = {parts + warp * area};
    back_plane<number> product = {parts + warps * area};
    back_strip<number, in_shared> strip = {z, zi, n, n, min(n - first, shape::columns)};
    if (in_shared) {
        strip.pitch = rows + 4, strip.re = product.at + area, strip.im = strip.re + shape::columns * strip.pitch;
        for (int j = 0; j < shape::columns; ++j)
            for (int i = threadIdx.x; i < rows; i += blockDim.x) {
                number x;
                set(x, i < n && j < strip.columns ? z[i + (int64_t)j * n] : (real)0, (real)0);
                strip.put(i, j, x);
            }
    } else if (number::complex) {
        for (int64_t g = threadIdx.x; g < (int64_t)strip.columns * n; g += blockDim.x) zi[g] = 0;
    }
    __syncthreads(); /* the columns are there */
    for (int k0 = (int)(back_blocks(n) - 1) * BACK_BLOCK; k0 >= 0; k0 -= BACK_BLOCK) {
        /* rows of the strip: 32 a warp, the same ones for every block of reflectors */
        int const begin = k0 + 32 * ((warp - k0 / 32 % warps + warps) % warps);
        heev_tile<number, 4, C, wide> tile(lane);
        tile.clear();
        for (int base = begin; base < n; base += 32 * warps)
            tile.template add_product<32>(
                [&](int t, int i) { return conj(reflector_at<in_shared>(y, pitch, n, base + i, k0 + t)); },
                [&](int i, int j) { return strip.get(base + i, j); });
        {
            back_plane<number> to = own;
#pragma unroll
            for (int e = 0; e < tile.size; ++e) to.put(tile.row(e), tile.column(e), tile.get(e));
        }
        __syncthreads(); /* the warps' parts of Y^H Z; the product of the block before is no longer read */
        back_multiply<wide>(f + (int64_t)k0 * BACK_BLOCK, parts, warp, warps, lane, product);
        __syncthreads(); /* -F Y^H Z is there; the parts are no longer read */
        for (int base = begin; base < n; base += 32 * warps) {
#pragma unroll
            for (int e = 0; e < tile.size; ++e) tile.put(e, strip.get(base + tile.row(e), tile.column(e)));
            tile.template add_product<32>(
                [&](int i, int t) { return reflector_at<in_shared>(y, pitch, n, base + i, k0 + t); },
                [&](int t, int j) { return product.get(t, j); });
#pragma unroll
            for (int e = 0; e < tile.size; ++e) strip.put(base + tile.row(e), tile.column(e), tile.get(e));
        }
        __syncwarp(); /* the warp's rows are done */
    }
    __syncthreads(); /* all rows are done */
    for (int j = warp; j < strip.columns; j += warps) {
        number const lead = gauge_warp_lead<number>(lane, n, [&](int64_t i) { return strip.get((int)i, j); });
        if (lane == 0) ((number *)job.tau)[m * n + first + j] = lead;
    }
    for (int j = 0; in_shared && j < strip.columns; ++j)
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            number const x = strip.get(i, j);
            z[i + (int64_t)j * n] = x.re;
            if (number::complex) zi[i + (int64_t)j * n] = imaginary(x);
        }
}

eig_status TYPED(eig_cuda_heev_back)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    using shape = back_shape<number>;
    int64_t const n = job.p.n, chunks = (n + 31) / 32, warps = chunks < 8 ? chunks : BACK_THREADS / 32;
    int64_t const strips = (n + shape::columns - 1) / shape::columns;
    size_t const real = sizeof(typename number::real) * shape::planes;
    size_t const parts = (size_t)(warps + 1) * shape::area * real;
    size_t const strip = shape::columns * (size_t)(32 * chunks + 4) * real;
    bool const aligned = (uintptr_t)job.matrix % sizeof(number) == 0;
    bool const in_shared = aligned && parts + strip <= (size_t)cuda_state_of(ctx)->shared_bytes;
    bool constexpr single = sizeof(number) == sizeof(float);
    bool const wide = single && cuda_state_of(ctx)->shared_bytes >= WIDE_LEAST &&
                      eig_cuda_heev_place(ctx, &job.p) == HEEV_PANEL_GLOBAL;
    cuda_shape const back = {job.count * strips, (int)(32 * warps), parts + (in_shared ? strip : 0)};
    eig_status status = cuda_launch(ctx, "heev: factor_kernel", stream, {job.count * chunks, FACTOR_THREADS},
                                    heev_factor_kernel<number>, job);
    if (status == EIG_OK)
        status = cuda_launch(
            ctx, "heev: back_kernel", stream, back,
            wide ? (in_shared ? heev_back_kernel<number, true, single> : heev_back_kernel<number, false, single>)
                 : (in_shared ? heev_back_kernel<number, true, false> : heev_back_kernel<number, false, false>),
            job);
    return status == EIG_OK ? TYPED(eig_cuda_heev_store)(ctx, job, stream) : status;
}
