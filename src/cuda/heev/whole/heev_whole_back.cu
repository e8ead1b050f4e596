/* heev on CUDA, n > 64, tridiagonal, one matrix or few, kernels after the eigenvectors Z of T: V = Q Z, by products
 * that the whole GPU works on.
 *
 * Formula  as heev_back.cu, 64 reflectors at a time: Z - Y (F (Y^H Z)), the last block of reflectors first.
 * Kernels  gram and factor: parts of Y^H Y, and F, of all blocks.  Of each block: project, parts of Y^H Z over some
 *          rows each; combine, -F times their sum; apply, the product of Y and that is added to Z.  After all:
 *          heev_store.cu.
 * Mapping  project and apply: a thread block of four warps has a tile of 64 x 64 or of 32 x 32, a warp a quarter of it;
 *          tiles of Y and Z come through shared memory, some steps ahead.  A kernel begins before the one ahead of it
 *          has ended, with what does not depend on that.
 * Bits     parts depend on n alone, and a column's sums on no other column: a range has the bits of the whole.
 * Cost     complex 4 n^2 k FMA for k columns, on tensor cores for doubles; 3 launches for 64 reflectors. */
#include "heev/block/heev_factor.cuh"
#include "heev/block/heev_tile.cuh"
#include "heev/whole/heev_whole.cuh"
#include "per_type.cuh"
#include "primitives/copy.cuh"
#include "primitives/team.cuh"

enum {
    BLOCK = HEEV_WHOLE_REFLECTORS,
    MULTIPLY_THREADS = 128,
    FACTOR_THREADS = 4 * BLOCK,
    COMBINE_COLUMNS = 8,
    COMBINE_PITCH = BLOCK + 4
};

/* A step of a product takes `depth` of its terms; tiles with the terms side by side have `pitch` numbers a row, those
 * with all rows side by side `long_pitch`: no bank is asked for twice. */
template <typename number, int tile> struct multiply_shape {
    static constexpr bool large = sizeof(number) == 16;
    static constexpr int half = tile / 2 /* of a warp */, depth = large ? 8 : 16;
    static constexpr int pitch = depth + 4, long_pitch = tile + (large ? 2 : 4);
    static constexpr int stages = large && tile == HEEV_WIDE ? 2 : 3, area = tile * pitch; /* of one of two tiles */
    static constexpr size_t bytes = stages * 2 * area * sizeof(number);
};

/* One matrix of the slice, and its block of reflectors from k0 on. */
template <typename number, bool aligned> struct multiply_part {
    using real = typename number::real;
    const number *y;
    real *re, *im;          /* Z */
    int64_t pitch, z_pitch; /* of y, of Z */
    int n, k0, columns;

    __device__ __forceinline__ multiply_part(const heev_job &job, int64_t m, int first)
        : y((const number *)job.matrix + m * job.matrix_stride), re((real *)job.z + m * job.z_pitch * job.columns),
          im(number::complex ? (real *)job.imaginary + m * job.z_pitch * job.columns : re), pitch(job.matrix_pitch),
          z_pitch(job.z_pitch), n((int)job.p.n), k0(first), columns((int)job.columns)
    {
    }

    __device__ __forceinline__ void send(number *to, const number *from, bool there) const
    {
        if (aligned) {
            copy_number_or_zero(to, from, there);
        } else {
            number z;
            set(z, (real)0, (real)0);
            *to = there ? load_number(from) : z;
        }
    }
};

/* Calls work(a, b, first) for all (a, b) of an array, a < inner, b < outer, b from the least on; neighbouring threads
 * have neighbouring a, and a thread one a alone. */
template <int inner, int outer, typename function> static __device__ __forceinline__ void each_of(function work)
{
    constexpr int together = MULTIPLY_THREADS / inner;
    int const a = threadIdx.x % inner, first = threadIdx.x / inner;
#pragma unroll
    for (int e = 0; e < outer / together; ++e) work(a, first + e * together);
}

/* What a thread has of an array whose columns are `pitch` apart: where its first element lies, of the first step, and
 * how far apart its elements are. */
template <int inner, typename element> struct mine_of {
    const element *from;
    int64_t apart;
    __device__ __forceinline__ mine_of(const element *array, int64_t pitch)
        : from(array + threadIdx.x % inner + threadIdx.x / inner * pitch), apart(MULTIPLY_THREADS / inner * pitch)
    {
    }
};

/* Adds to the warp's tile a product of `steps` steps. left and right send the tiles of a step; only right depends on
 * the kernel ahead.  a and b read an element of these: (row of the thread block's tile, term) and (term, column). */
template <typename shape, typename number, typename tile_type, typename sender, typename other_sender, typename reader,
          typename other_reader>
static __device__ __forceinline__ void multiply(tile_type &tile, int steps, number *memory, sender left,
                                                other_sender right, reader a, other_reader b)
{
    int const warp = threadIdx.x / 32, row = warp / 2 * shape::half, column = warp % 2 * shape::half;
#pragma unroll
    for (int s = 0; s < shape::stages - 1; ++s)
        if (s < steps) left(s, memory + s * 2 * shape::area);
    follow_launch();
#pragma unroll
    for (int s = 0; s < shape::stages - 1; ++s) {
        if (s < steps) right(s, memory + (s * 2 + 1) * shape::area);
        copy_end();
    }
    for (int step = 0; step < steps; ++step) {
        copy_wait<shape::stages - 2>();
        __syncthreads(); /* the step's tiles are there, and those of the step before are no longer read */
        int const next = step + shape::stages - 1;
        number *const to = memory + next % shape::stages * 2 * shape::area;
        if (next < steps) left(next, to), right(next, to + shape::area);
        copy_end();
        const number *const x = memory + step % shape::stages * 2 * shape::area, *const y = x + shape::area;
        tile.template add_product<shape::depth>([&](int i, int k) { return a(x, row + i, k); },
                                                [&](int k, int j) { return b(y, k, column + j); });
    }
}

/* -------------------------------------------------------------------- factor */

/* Part s of Y^H Y of the block of reflectors from k0 on. */
static __host__ __device__ __forceinline__ int64_t gram_at(const heev_job &job, int64_t m, int k0, int s)
{
    int64_t const blocks = (job.p.n + BLOCK - 1) / BLOCK;
    return ((m * blocks + k0 / BLOCK) * HEEV_GRAM_PARTS + s) * BLOCK * BLOCK;
}

/* Rows of a part, of HEEV_GRAM_PARTS. */
static __device__ __forceinline__ int gram_rows(int n, int k0)
{
    int const all = n - k0, step = HEEV_GRAM_PARTS * BLOCK;
    return (all + step - 1) / step * BLOCK;
}

template <typename number, bool aligned>
static __global__ void __launch_bounds__(MULTIPLY_THREADS) heev_gram_kernel(heev_job job)
{
    using shape = multiply_shape<number, BLOCK>;
    extern __shared__ double2 multiply_memory[];
    int64_t const blocks = (job.p.n + BLOCK - 1) / BLOCK, m = blockIdx.x / HEEV_GRAM_PARTS / blocks;
    int const s = blockIdx.x % HEEV_GRAM_PARTS, k0 = (int)(blockIdx.x / HEEV_GRAM_PARTS % blocks) * BLOCK;
    multiply_part<number, aligned> const part(job, m, k0);
    int const rows = gram_rows(part.n, k0), first = k0 + s * rows, end = min(first + rows, part.n);
    heev_tile<number, shape::half / 8, shape::half / 8> tile(threadIdx.x % 32);
    tile.clear();
    mine_of<shape::depth, number> const mine(part.y + k0 * part.pitch + first, part.pitch);
    auto const send = [&](int step, number *to) {
        const number *from = mine.from + step * shape::depth;
        int const i0 = first + step * shape::depth;
        each_of<shape::depth, BLOCK>([&](int i, int t) {
            part.send(to + t * shape::pitch + i, from, i0 + i > k0 + t && i0 + i < end);
            from += mine.apart;
        });
    };
    multiply<shape>(
        tile, (end - first + shape::depth - 1) / shape::depth, (number *)multiply_memory, send, send,
        [](const number *x, int t, int k) { return conj(x[t * shape::pitch + k]); },
        [](const number *x, int k, int j) { return x[j * shape::pitch + k]; });
    int const warp = threadIdx.x / 32, row = warp / 2 * shape::half, column = warp % 2 * shape::half;
    number *const to = (number *)job.grams + gram_at(job, m, k0, s);
#pragma unroll
    for (int e = 0; e < tile.size; ++e) to[(row + tile.row(e)) * BLOCK + column + tile.column(e)] = tile.get(e);
}

template <typename number> static __global__ void __launch_bounds__(FACTOR_THREADS) heev_factor_kernel(heev_job job)
{
    constexpr int row = factor_pitch(BLOCK);
    extern __shared__ double2 multiply_memory[];
    number *const products = (number *)multiply_memory, *const f = products + BLOCK * row;
    int64_t const blocks = (job.p.n + BLOCK - 1) / BLOCK, m = blockIdx.x / blocks;
    int const k0 = (int)(blockIdx.x % blocks) * BLOCK;
    const number *const parts = (const number *)job.grams + gram_at(job, m, k0, 0);
#pragma unroll 4
    for (int g = threadIdx.x; g < BLOCK * BLOCK; g += FACTOR_THREADS) {
        number total = parts[g];
#pragma unroll
        for (int s = 1; s < HEEV_GRAM_PARTS; ++s) total = sum(total, parts[s * BLOCK * BLOCK + g]);
        products[g / BLOCK * row + g % BLOCK] = total;
    }
    factor_of_products<BLOCK>(products, f, job, m, k0);
    __syncthreads(); /* F is there */
    number *const to = (number *)job.factors + (int64_t)blockIdx.x * BLOCK * BLOCK;
    for (int g = threadIdx.x; g < BLOCK * BLOCK; g += FACTOR_THREADS) to[g] = f[g / BLOCK * row + g % BLOCK];
}

/* ------------------------------------------------------------------- project */

template <typename number, int size, bool aligned>
static __global__ void __launch_bounds__(MULTIPLY_THREADS) heev_project_kernel(heev_job job, int k0)
{
    using shape = multiply_shape<number, size>;
    extern __shared__ double2 multiply_memory[];
    project_parts const parts(job.p.n, job.p.n - k0);
    int64_t const strips = (job.columns + size - 1) / size, rest = blockIdx.x / strips;
    int const j0 = (int)(blockIdx.x % strips) * size, t0 = (int)(rest % (BLOCK / size)) * size;
    int const s = (int)(rest / (BLOCK / size) % parts.count);
    int64_t const m = rest / (BLOCK / size) / parts.count;
    multiply_part<number, aligned> const part(job, m, k0);
    int const first = k0 + s * parts.rows, end = min(first + parts.rows, part.n);
    heev_tile<number, shape::half / 8, shape::half / 8> tile(threadIdx.x % 32);
    tile.clear();
    mine_of<shape::depth, number> const mine_y(part.y + (k0 + t0) * part.pitch + first, part.pitch);
    mine_of<shape::depth, typename number::real> const mine_re(part.re + j0 * part.z_pitch + first, part.z_pitch);
    mine_of<shape::depth, typename number::real> const mine_im(part.im + j0 * part.z_pitch + first, part.z_pitch);
    multiply<shape>(
        tile, (end - first + shape::depth - 1) / shape::depth, (number *)multiply_memory,
        [&](int step, number *to) {
            const number *from = mine_y.from + step * shape::depth;
            int const i0 = first + step * shape::depth;
            each_of<shape::depth, size>([&](int i, int t) {
                part.send(to + t * shape::pitch + i, from, i0 + i > k0 + t0 + t && i0 + i < end);
                from += mine_y.apart;
            });
        },
        [&](int step, number *to) {
            int64_t at = step * shape::depth;
            int const i0 = first + step * shape::depth;
            each_of<shape::depth, size>([&](int i, int j) {
                number *const place = to + j * shape::pitch + i;
                bool const there = i0 + i < end && j0 + j < part.columns;
                copy_number_or_zero(&place->re, mine_re.from + at, there);
                if (number::complex) copy_number_or_zero(&place->re + 1, mine_im.from + at, there);
                at += mine_re.apart;
            });
        },
        [](const number *x, int t, int k) { return conj(x[t * shape::pitch + k]); },
        [](const number *x, int k, int j) { return x[j * shape::pitch + k]; });
    int const warp = threadIdx.x / 32, row = t0 + warp / 2 * shape::half, column = j0 + warp % 2 * shape::half;
#pragma unroll
    for (int e = 0; e < tile.size; ++e) {
        int const j = column + tile.column(e);
        if (j < part.columns)
            ((number *)job.sums)[project_at(job, parts.count, m, s, j) + row + tile.row(e)] = tile.get(e);
    }
}

/* ------------------------------------------------------------------- combine */

template <typename number> struct combine_shape {
    static constexpr int pitch = BLOCK + 4, elements = COMBINE_COLUMNS * BLOCK / MULTIPLY_THREADS;
    static constexpr size_t bytes = (BLOCK * pitch + COMBINE_COLUMNS * COMBINE_PITCH) * sizeof(number);
};

template <typename number>
static __global__ void __launch_bounds__(MULTIPLY_THREADS) heev_combine_kernel(heev_job job, int k0)
{
    using shape = combine_shape<number>;
    extern __shared__ double2 multiply_memory[];
    number *const f = (number *)multiply_memory, *const sums = f + BLOCK * shape::pitch;
    int const parts = project_parts(job.p.n, job.p.n - k0).count, warp = threadIdx.x / 32;
    int64_t const strips = (job.columns + COMBINE_COLUMNS - 1) / COMBINE_COLUMNS, m = blockIdx.x / strips;
    int64_t const blocks = (job.p.n + BLOCK - 1) / BLOCK, j0 = blockIdx.x % strips * COMBINE_COLUMNS;
    const number *const factor = (const number *)job.factors + (m * blocks + k0 / BLOCK) * BLOCK * BLOCK;
#pragma unroll 8
    for (int g = threadIdx.x; g < BLOCK * BLOCK; g += MULTIPLY_THREADS)
        copy_number(f + g / BLOCK * shape::pitch + g % BLOCK, factor + g);
    copy_end();
    follow_launch();
    number total[shape::elements];
#pragma unroll
    for (int e = 0; e < shape::elements; ++e) set(total[e], (typename number::real)0, (typename number::real)0);
#pragma unroll 4
    for (int s = 0; s < parts; ++s)
#pragma unroll
        for (int e = 0; e < shape::elements; ++e) {
            int const g = threadIdx.x + e * MULTIPLY_THREADS;
            int64_t const j = min(j0 + g / BLOCK, job.columns - 1);
            total[e] = sum(total[e], ((const number *)job.sums)[project_at(job, parts, m, s, j) + g % BLOCK]);
        }
#pragma unroll
    for (int e = 0; e < shape::elements; ++e) {
        int const g = threadIdx.x + e * MULTIPLY_THREADS;
        sums[g / BLOCK * COMBINE_PITCH + g % BLOCK] = total[e];
    }
    copy_wait<0>();
    __syncthreads(); /* the sums and F are there */
    heev_tile<number, BLOCK / 32, COMBINE_COLUMNS / 8> tile(threadIdx.x % 32);
    tile.clear();
    int const row = warp * (BLOCK / 4);
    tile.template add_product<BLOCK>([&](int i, int k) { return f[(row + i) * shape::pitch + k]; },
                                     [&](int k, int j) { return sums[j * COMBINE_PITCH + k]; });
#pragma unroll
    for (int e = 0; e < tile.size; ++e) {
        int64_t const j = j0 + tile.column(e);
        if (j < job.columns)
            ((number *)job.products)[(m * job.columns + j) * BLOCK + row + tile.row(e)] = negative(tile.get(e));
    }
}

/* --------------------------------------------------------------------- apply */

/* rows: tiles of them. */
template <typename number, int size, bool aligned>
static __global__ void __launch_bounds__(MULTIPLY_THREADS) heev_apply_kernel(heev_job job, int k0, int rows)
{
    using shape = multiply_shape<number, size>;
    using real = typename number::real;
    extern __shared__ double2 multiply_memory[];
    int64_t const strips = (job.columns + size - 1) / size, m = blockIdx.x / rows / strips;
    int const i0 = k0 + (int)(blockIdx.x % rows) * size, j0 = (int)(blockIdx.x / rows % strips) * size;
    multiply_part<number, aligned> const part(job, m, k0);
    const number *const products = (const number *)job.products + m * job.columns * BLOCK;
    int const warp = threadIdx.x / 32, row = i0 + warp / 2 * shape::half, column = j0 + warp % 2 * shape::half;
    heev_tile<number, shape::half / 8, shape::half / 8> tile(threadIdx.x % 32);
#pragma unroll
    for (int e = 0; e < tile.size; ++e) {
        int const i = row + tile.row(e), j = column + tile.column(e);
        int64_t const at = i + j * part.z_pitch;
        number z;
        set(z, (real)0, (real)0);
        if (i < part.n && j < part.columns)
            set(z, __ldcg(part.re + at), number::complex ? __ldcg(part.im + at) : (real)0);
        tile.put(e, z);
    }
    mine_of<size, number> const mine_y(part.y + k0 * part.pitch + i0, part.pitch);
    mine_of<shape::depth, number> const mine_products(products + (int64_t)j0 * BLOCK, BLOCK);
    multiply<shape>(
        tile, BLOCK / shape::depth, (number *)multiply_memory,
        [&](int step, number *to) {
            const number *from = mine_y.from + step * shape::depth * part.pitch;
            int const k = k0 + step * shape::depth;
            each_of<size, shape::depth>([&](int i, int t) {
                part.send(to + t * shape::long_pitch + i, from, i0 + i > k + t && i0 + i < part.n);
                from += mine_y.apart;
            });
        },
        [&](int step, number *to) {
            const number *from = mine_products.from + step * shape::depth;
            each_of<shape::depth, size>([&](int k, int j) {
                copy_number_or_zero(to + j * shape::pitch + k, from, j0 + j < part.columns);
                from += mine_products.apart;
            });
        },
        [](const number *x, int i, int k) { return x[k * shape::long_pitch + i]; },
        [](const number *x, int k, int j) { return x[j * shape::pitch + k]; });
#pragma unroll
    for (int e = 0; e < tile.size; ++e) {
        int const i = row + tile.row(e), j = column + tile.column(e);
        int64_t const at = i + j * part.z_pitch;
        if (i >= part.n || j >= part.columns) continue;
        part.re[at] = tile.get(e).re;
        if (number::complex) part.im[at] = imaginary(tile.get(e));
    }
}

/* ------------------------------------------------------------------ launchers */

static cuda_shape following(int64_t blocks, size_t bytes)
{
    cuda_shape shape = {blocks, MULTIPLY_THREADS, bytes};
    shape.dependent = true;
    return shape;
}

template <int size, bool aligned>
static eig_status apply_blocks(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    size_t const bytes = multiply_shape<number, size>::bytes;
    int64_t const n = job.p.n, tiles = job.count * ((job.columns + size - 1) / size);
    int64_t const narrow = job.count * ((job.columns + COMBINE_COLUMNS - 1) / COMBINE_COLUMNS);
    eig_status status = EIG_OK;
    for (int64_t k0 = (n - 2) / BLOCK * BLOCK; k0 >= 0 && status == EIG_OK; k0 -= BLOCK) {
        int64_t const rows = (n - k0 + size - 1) / size, parts = project_parts(n, n - k0).count;
        status = cuda_launch(ctx, "heev: project_kernel", stream, following(tiles * parts * (BLOCK / size), bytes),
                             heev_project_kernel<number, size, aligned>, job, k0);
        if (status == EIG_OK)
            status = cuda_launch(ctx, "heev: combine_kernel", stream, following(narrow, combine_shape<number>::bytes),
                                 heev_combine_kernel<number>, job, k0);
        if (status == EIG_OK)
            status = cuda_launch(ctx, "heev: apply_kernel", stream, following(tiles * rows, bytes),
                                 heev_apply_kernel<number, size, aligned>, job, k0, rows);
    }
    return status;
}

template <bool aligned> static eig_status apply_all(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    int64_t const blocks = job.count * ((job.p.n + BLOCK - 1) / BLOCK);
    size_t const bytes = 2 * BLOCK * factor_pitch(BLOCK) * sizeof(number);
    eig_status status = cuda_launch(ctx, "heev: gram_kernel", stream,
                                    {blocks * HEEV_GRAM_PARTS, MULTIPLY_THREADS, multiply_shape<number, BLOCK>::bytes},
                                    heev_gram_kernel<number, aligned>, job);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "heev: factor_kernel", stream, {blocks, FACTOR_THREADS, bytes},
                             heev_factor_kernel<number>, job);
    if (status != EIG_OK) return status;
    return heev_product_tile(job.p.n) == HEEV_NARROW ? apply_blocks<HEEV_NARROW, aligned>(ctx, job, stream)
                                                     : apply_blocks<HEEV_WIDE, aligned>(ctx, job, stream);
}

eig_status TYPED(eig_cuda_heev_whole_apply)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    bool const aligned = !number::complex || (uintptr_t)job.matrix % sizeof(number) == 0;
    return aligned ? apply_all<true>(ctx, job, stream) : apply_all<!number::complex>(ctx, job, stream);
}

eig_status TYPED(eig_cuda_heev_whole_back)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    if (job.columns == 0) return EIG_OK;
    if (number::complex)
        CUDA_TRY(cudaMemsetAsync(job.imaginary, 0, (size_t)(job.count * job.columns * job.p.n) * sizeof(real), stream));
    eig_status status = TYPED(eig_cuda_heev_whole_apply)(ctx, job, stream);
    if (status == EIG_OK) status = TYPED(eig_cuda_heev_leads)(ctx, job, stream);
    return status == EIG_OK ? TYPED(eig_cuda_heev_store)(ctx, job, stream) : status;
}
