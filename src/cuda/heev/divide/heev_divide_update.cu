/* heev on CUDA: the vectors of all merges of one level, Q_new = diag(Q1, Q2) U; a thread block a tile.
 *
 * Mapping  a tile has 32 or 64 rows of one half and 64 columns; four warps.  Along the columns of that half go slices
 *          of 16 or 32: those of Q are copied ahead (cp.async), those of U are computed from poles and roots where they
 *          are used.
 * Products FP64 tensor cores in double from sm_80 on, else FMAs.
 * Columns  that were deflated are copied; all go to the places of their values.
 * Cost     k^2 (m1 + m2) multiplications and additions where nothing is mixed, and a reciprocal for each entry of U and
 *          each 64 rows; bound by the tensor cores, or for small n by the memory. */
#include "heev/divide/heev_divide.cuh"
#include "per_type.cuh"
#include "primitives/copy.cuh"
#include "primitives/tensor.cuh"

enum { UPDATE_THREADS = 128, UPDATE_COLUMNS = 64 };

/* Columns of a slice of Q, and how many slices there is room for. */
template <int rows> constexpr int update_slice = rows == 32 ? 32 : 16;
template <int rows> constexpr int update_slices = rows == 32 ? 1 : 2;

/* A tile's share of a warp: 8 x 8 blocks of it by tensor cores.  a[i][r], b[i][j] are slices in shared memory. */
template <int rows> struct update_tensor {
    using real = double;
    enum {
        PITCH = 4,
        WARPS = rows / 32,
        WIDE = UPDATE_COLUMNS * WARPS / 4,
        ACROSS = WIDE / 8,
        slice = update_slice<rows>
    };
    double sum[4][ACROSS][2];
    int row, column, lane;

    __device__ __forceinline__ void begin()
    {
        int const warp = threadIdx.x / 32;
        lane = threadIdx.x % 32, row = warp % WARPS * 32, column = warp / WARPS * WIDE;
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < ACROSS; ++j) sum[i][j][0] = sum[i][j][1] = 0;
    }
#if __CUDA_ARCH__ >= 900
    /* The same by larger pieces, which are faster where a warp has 32 columns. */
    __device__ __forceinline__ void add_pieces(const double *a, const double *b)
    {
        for (int k = 0; k < slice; k += 16) {
            double x[2][8], y[4];
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int r = 0; r < 8; ++r) x[i][r] = a[(k + r / 2 * 4) * (rows + PITCH) + 16 * i + r % 2 * 8];
#pragma unroll
            for (int j = 0; j < ACROSS; ++j) {
#pragma unroll
                for (int r = 0; r < 4; ++r) y[r] = b[(k + 4 * r) * (UPDATE_COLUMNS + PITCH) + 8 * j];
#pragma unroll
                for (int i = 0; i < 2; ++i) tensor_16x8x16(sum[2 * i][j], sum[2 * i + 1][j], x[i], y);
            }
        }
    }
#endif
    __device__ __forceinline__ void add_blocks(const double *a, const double *b)
    {
#pragma unroll
        for (int k = 0; k < slice; k += 4) {
            double x[4], y[ACROSS];
#pragma unroll
            for (int i = 0; i < 4; ++i) x[i] = a[k * (rows + PITCH) + 8 * i];
#pragma unroll
            for (int j = 0; j < ACROSS; ++j) y[j] = b[k * (UPDATE_COLUMNS + PITCH) + 8 * j];
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < ACROSS; ++j) tensor_8x8x4(sum[i][j], x[i], y[j]);
        }
    }
    __device__ __forceinline__ void add(const double *a, const double *b)
    {
        a += lane % 4 * (rows + PITCH) + row + lane / 4, b += lane % 4 * (UPDATE_COLUMNS + PITCH) + column + lane / 4;
#if __CUDA_ARCH__ >= 900
        if constexpr (rows > 32)
            add_pieces(a, b);
        else
#endif
            add_blocks(a, b);
    }
    /* use(row, column, sum) for all entries of this thread. */
    template <typename user> __device__ __forceinline__ void each(user use) const
    {
#pragma unroll
        for (int j = 0; j < ACROSS; ++j)
#pragma unroll
            for (int side = 0; side < 2; ++side)
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    use(row + 8 * i + lane / 4, column + 8 * j + lane % 4 * 2 + side, sum[i][j][side]);
    }
};

/* The same by FMA: a thread has 32 entries for 64 rows, 16 for 32. */
template <typename real, int rows> struct update_plain {
    enum { PITCH = 4, TALL = rows / 8, WIDE = 4, slice = update_slice<rows> };
    real sum[TALL][WIDE];
    int row, column;

    __device__ __forceinline__ void begin()
    {
        row = threadIdx.x % 8, column = threadIdx.x / 8;
#pragma unroll
        for (int i = 0; i < TALL; ++i)
#pragma unroll
            for (int j = 0; j < WIDE; ++j) sum[i][j] = 0;
    }
    __device__ __forceinline__ void add(const real *a, const real *b)
    {
        a += row, b += column;
#pragma unroll 4
        for (int k = 0; k < slice; ++k) {
            real x[TALL], y[WIDE];
#pragma unroll
            for (int i = 0; i < TALL; ++i) x[i] = a[k * (rows + PITCH) + 8 * i];
#pragma unroll
            for (int j = 0; j < WIDE; ++j) y[j] = b[k * (UPDATE_COLUMNS + PITCH) + 16 * j];
#pragma unroll
            for (int i = 0; i < TALL; ++i)
#pragma unroll
                for (int j = 0; j < WIDE; ++j) sum[i][j] = fma(x[i], y[j], sum[i][j]);
        }
    }
    template <typename user> __device__ __forceinline__ void each(user use) const
    {
#pragma unroll
        for (int j = 0; j < WIDE; ++j)
#pragma unroll
            for (int i = 0; i < TALL; ++i) use(row + 8 * i, column + 16 * j, sum[i][j]);
    }
};

template <typename real, int rows> struct update_product {
    using type = update_plain<real, rows>;
};
#if __CUDA_ARCH__ >= 800
template <int rows> struct update_product<double, rows> {
    using type = update_tensor<rows>;
};
#endif

/* A tile: where its rows and columns are. */
template <typename real, int rows> struct update_tile {
    enum {
        PITCH = 4,
        Q = rows + PITCH,
        U = UPDATE_COLUMNS + PITCH,
        slice = update_slice<rows>,
        slices = update_slices<rows>
    };
    const real *from; /* row 0 of the tile and column 0 of the merge */
    real *to;
    int64_t n, at;                 /* at: number of the merge's first row among those of the batch */
    int half, live, begin, end, k; /* live: how many rows there are; sources begin ... end - 1 are not zero here */

    /* Slice `first` of Q; columns past the end, and rows that are not there, are zero. */
    __device__ __forceinline__ void load_q(const divide_job &job, int first, real *q) const
    {
        int const row = threadIdx.x % rows;
#pragma unroll
        for (int i = threadIdx.x / rows; i < slice; i += UPDATE_THREADS / rows) {
            if (row < live && first + i < end)
                copy_number(q + i * Q + row, from + row + (job.source[at + first + i] & COLUMN_NUMBER) * n);
            else
                q[i * Q + row] = 0;
        }
        copy_end();
    }

    /* Column threadIdx.x % 64 of the tile is a root: start + offset, norm; its share of a slice of U. */
    __device__ __forceinline__ void make_u(const divide_job &job, int first, real start, real offset, real norm,
                                           real *u) const
    {
        const real *const pole = (const real *)job.pole + at, *const z = (const real *)job.z + at;
#pragma unroll
        for (int i = threadIdx.x / UPDATE_COLUMNS; i < slice; i += UPDATE_THREADS / UPDATE_COLUMNS) {
            int const source = min(first + i, end - 1);
            u[i * U + threadIdx.x % UPDATE_COLUMNS] = z[source] * inverse((pole[source] - start) - offset) * norm;
        }
    }

    /* Columns of the tile from `column` on that are roots. */
    __device__ void multiply(const divide_job &job, int column, real *q, real *u, int *places) const
    {
        typename update_product<real, rows>::type product;
        int64_t const root = at + min(column + (int)(threadIdx.x % UPDATE_COLUMNS), k - 1);
        real const start = ((const real *)job.start)[root], offset = ((const real *)job.offset)[root];
        real const norm = ((const real *)job.norm)[root];
        if (threadIdx.x < UPDATE_COLUMNS) places[threadIdx.x] = job.place[root];
        product.begin();
        auto const fill = [&](int first) {
            int const side = (first - begin) / slice % slices;
            load_q(job, first, q + side * slice * Q);
            make_u(job, first, start, offset, norm, u + side * slice * U);
        };
        if (slices > 1 && begin < end) fill(begin);
        for (int first = begin; first < end; first += slice) {
            if (slices == 1) fill(first);
            copy_wait<0>();
            __syncthreads(); /* this slice is there, and the other one is free */
            if (slices > 1 && first + slice < end) fill(first + slice);
            int const side = (first - begin) / slice % slices;
            product.add(q + side * slice * Q, u + side * slice * U);
            if (slices == 1) __syncthreads(); /* the slice is free */
        }
        if (begin == end) __syncthreads(); /* places are there */
        product.each([&](int row, int j, real sum) {
            if (row < live && column + j < k) to[row + places[j] * n] = sum;
        });
    }

    /* Deflated columns number first, ..., last - 1, some at once. */
    __device__ void copy(const divide_job &job, int first, int last, int *places, int *sources) const
    {
        enum { ONCE = 8, STEP = UPDATE_THREADS / rows };
        if (threadIdx.x < last - first) {
            places[threadIdx.x] = job.place[at + first + threadIdx.x];
            sources[threadIdx.x] = job.source[at + first + threadIdx.x];
        }
        __syncthreads(); /* places and sources are there */
        int const row = threadIdx.x % rows;
        if (row >= live) return;
        for (int j = threadIdx.x / rows; j < last - first; j += ONCE * STEP) {
            real x[ONCE];
#pragma unroll
            for (int i = 0; i < ONCE; ++i) {
                int const source = j + i * STEP < last - first ? sources[j + i * STEP] : 0;
                x[i] = source & half ? from[row + (source & COLUMN_NUMBER) * n] : (real)0;
            }
#pragma unroll
            for (int i = 0; i < ONCE; ++i)
                if (j + i * STEP < last - first) to[row + places[j + i * STEP] * n] = x[i];
        }
    }
};

template <typename real, int rows>
static __global__ void __launch_bounds__(UPDATE_THREADS)
    heev_divide_update_kernel(divide_job job, int tiles_down, int tiles_across)
{
    using tile_type = update_tile<real, rows>;
    __shared__ __align__(16) real q[tile_type::slices * tile_type::slice * tile_type::Q];
    __shared__ __align__(16) real u[tile_type::slices * tile_type::slice * tile_type::U];
    __shared__ int places[2][UPDATE_COLUMNS], sources[UPDATE_COLUMNS];
    unsigned const tile = blockIdx.x % (unsigned)(2 * tiles_down * tiles_across);
    unsigned const merge = blockIdx.x / (unsigned)(2 * tiles_down * tiles_across);
    int64_t const n = job.t.n, b = merge >> job.level;
    divide_node const node(n, job.level, merge & ((1u << job.level) - 1));
    divide_counts const counts = job.counts[merge];
    int const column = (int)(tile % (unsigned)tiles_across) * UPDATE_COLUMNS,
              down = (int)(tile / (unsigned)tiles_across);
    bool const upper = down < tiles_down;
    int const row = (upper ? down : down - tiles_down) * rows, last = min(column + UPDATE_COLUMNS, node.m);
    tile_type x;
    x.live = min((upper ? node.m1 : node.m - node.m1) - row, rows);
    if (x.live <= 0 || column >= node.m) return;
    int64_t const corner = b * n * n + node.row * (n + 1) + row + (upper ? 0 : node.m1);
    x.from = (const real *)job.from + corner, x.to = (real *)job.to + corner;
    x.n = n, x.at = b * n + node.row, x.k = counts.k, x.half = upper ? COLUMN_UPPER : COLUMN_LOWER;
    x.begin = upper ? 0 : counts.k_upper, x.end = upper ? counts.k_upper + counts.k_both : counts.k;
    if (!counts.good) {
        for (int i = threadIdx.x; i < rows * UPDATE_COLUMNS; i += UPDATE_THREADS)
            if (i % rows < x.live && column + i / rows < node.m) x.to[i % rows + (column + i / rows) * n] = (real)NAN;
        return;
    }
    if (column < x.k) x.multiply(job, column, q, u, places[0]);
    if (last > x.k) x.copy(job, max(column, x.k), last, places[1], sources);
}

eig_status TYPED(eig_cuda_heev_divide_update)(eig_context *ctx, const divide_job &job, cudaStream_t stream)
{
    using real = number::real;
    int const rows = divide_rows(job.t.n, job.level), high = rows - rows / 2;
    int const tall = high <= 32 ? 32 : 64, down = (high + tall - 1) / tall;
    int const across = (rows + UPDATE_COLUMNS - 1) / UPDATE_COLUMNS;
    cuda_shape const shape = {(job.t.count << job.level) * 2 * down * across, UPDATE_THREADS};
    return cuda_launch(ctx, "heev: divide_update_kernel", stream, shape,
                       tall == 32 ? heev_divide_update_kernel<real, 32> : heev_divide_update_kernel<real, 64>, job,
                       down, across);
}
