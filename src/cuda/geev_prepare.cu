/* geev on CUDA, kernel 1: from the caller's matrices to packed Hessenberg matrices, out of shared memory; n = 9 to 32
 * have a faster one, geev_prepare_grid.cu.
 *
 * Mapping  a warp takes 32/p matrices at a time from a queue, p threads a matrix.
 * Memory   the matrices of a warp lie in shared memory, whole and row by row; rows have an odd length, so that threads
 *          next to each other find their rows in different banks.
 * Loads    any layout, or an affine family, read in the order in which it lies in memory.
 * Cost     10 n^3/3 flops a matrix and one reading of it; writes geev_packed(n) entries. */
#include "geev_balance.cuh"
#include "geev_hessenberg.cuh"
#include "geev_team.cuh"

enum { MOST_WARPS = 4 };

/* Distance between entries of a matrix in a tile of G: odd where that lets a warp store consecutive entries. */
static __host__ __device__ int prepare_step(int G)
{
    return G >= 8 ? G + 1 : G;
}

/* Bytes of shared memory of one warp that keeps its matrices there. */
template <typename real> static size_t prepare_bytes(int n, int threads)
{
    return (size_t)(n * (n | 1) + 2 * n) * prepare_step(32 / threads) * sizeof(real);
}

/* x / n for x < 2^32 / n, by a multiplication: magic = 2^32 / n + 1. */
static __device__ __forceinline__ int divide(int x, int n, unsigned magic)
{
    return n == 1 ? x : (int)__umulhi((unsigned)x, magic);
}

/* Loads the tile; matrices beyond `live` become zero. */
template <typename real, int G>
static __device__ void load_tile(const geev_job &job, int64_t first, int live, int lane, real *tile)
{
    int const n = (int)job.p.n, row = n | 1, total = G * n * n;
    unsigned const magic = n > 1 ? 0xffffffffu / (unsigned)n + 1 : 0;
    eig_layout const layout = job.p.layout;
#pragma unroll 4
    for (int f = lane; f < total; f += 32) {
        int i, j, t;
        if (layout == EIG_LAYOUT_MATRIX_WISE) {
            int const column = divide(f, n, magic);
            i = f - column * n;
            t = divide(column, n, magic);
            j = column - t * n;
        } else if (layout == EIG_LAYOUT_ELEMENT_WISE) {
            t = f % G;
            i = divide(f / G, n, magic);
            j = f / G - i * n;
        } else {
            int const piece = divide(f, n, magic);
            j = f - piece * n;
            t = piece % G;
            i = piece / G;
        }
        tile[(i * row + j) * prepare_step(G) + t] = t < live ? geev_entry<real>(job.p, first + t, i, j) : (real)0;
    }
}

/* Where matrix b lies among the packed ones: entry e at [e << shift]. */
template <typename real>
static __device__ __forceinline__ real *packed_matrix(const geev_job &job, int64_t b, int *shift)
{
    int const n = (int)job.p.n, entries = n * (n + 1) / 2 + n - 1;
    *shift = __ffs(job.tile) - 1; /* a power of two */
    return (real *)job.packed + (b >> *shift) * entries * job.tile + (b & (job.tile - 1));
}

/* Packs the tile into the workspace, in the tiles of kernel 2. */
template <typename real, int G>
static __device__ void store_tile(const geev_job &job, int64_t first, int live, int lane, const real *tile)
{
    int const n = (int)job.p.n, row = n | 1, t = lane % G;
    if (t >= live) return;
    int shift;
    real *to = packed_matrix<real>(job, first + t, &shift);
    for (int i = 0; i < n; ++i) {
        int const from = i > 0 ? i - 1 : 0;
        for (int j = from + lane / G; j < n; j += 32 / G)
            to[(int64_t)(j - from) << shift] = tile[(i * row + j) * prepare_step(G) + t];
        to += (int64_t)(n - from) << shift;
    }
}

/* P threads a matrix, in shared memory. */
template <typename real, int P> static __global__ void __launch_bounds__(32 * MOST_WARPS) prepare_kernel(geev_job job)
{
    constexpr int G = 32 / P;
    extern __shared__ double shared[];
    int const n = (int)job.p.n, lane = threadIdx.x % 32, row = n | 1, step = prepare_step(G);
    real *const tile = (real *)shared + (size_t)(threadIdx.x / 32) * (n * row + 2 * n) * step;
    geev_team<P> const team(lane);
    int const g = lane / P;
    geev_view<real> const h = {tile + g, n, row, step};
    real *const work = tile + n * row * step + g;
    for (;;) {
        unsigned long long turn = 0;
        if (lane == 0) turn = atomicAdd(&job.queue->prepare, 1ull);
        int64_t const first = (int64_t)__shfl_sync(0xffffffffu, turn, 0) * G;
        if (first >= job.count) return;
        int const live = (int)(job.count - first < G ? job.count - first : G);
        load_tile<real, G>(job, job.first + first, live, lane, tile);
        __syncwarp();
        geev_record record = {1, 0, n - 1, 0};
        normalise(team, h, &record);
        if (job.p.balance) {
            isolate(team, h, &record.lo, &record.hi);
            balance(team, h, record.lo, record.hi, work);
        }
        hessenberg(team, h, record.lo, record.hi);
        __syncwarp();
        store_tile<real, G>(job, first, live, lane, tile);
        if (team.rank == 0 && g < live) job.records[first + g] = record;
        __syncwarp();
    }
}

template <typename real, int P> static eig_status launch(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    int const matrices = 32 / P;
    size_t const bytes = prepare_bytes<real>((int)job.p.n, P);
    auto const kernel = prepare_kernel<real, P>;
    int const warps = bytes <= 8192 ? MOST_WARPS : 1, threads = 32 * warps;
    CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)(warps * bytes)));
    int each = 0;
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, warps * bytes));
    int64_t const tiles = (job.count + matrices - 1) / matrices, want = (tiles + warps - 1) / warps;
    int64_t const most = (int64_t)(each > 0 ? each : 1) * cuda_state_of(ctx)->multiprocessors;
    kernel<<<(int)(want < most ? want : most), threads, warps * bytes, stream>>>(job);
    CUDA_LAUNCHED("geev: prepare_kernel");
    return EIG_OK;
}

template <typename real> static eig_status choose(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    return job.p.n <= 8 ? launch<real, 1>(ctx, job, stream) : launch<real, 32>(ctx, job, stream);
}

eig_status geev_launch_prepare(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    if (job.p.n > 8 && job.p.n <= 32) return geev_launch_prepare_grid(ctx, job, stream);
    return job.p.precision == 's' ? choose<float>(ctx, job, stream) : choose<double>(ctx, job, stream);
}
