/* geev on CUDA, kernel 1: from the caller's matrices to packed Hessenberg matrices.
 *
 * Mapping  a warp takes 32/p matrices at a time from a queue, p threads a matrix; p grows with n.
 * Memory   the matrices of a warp lie in shared memory, whole and row by row; rows have an odd length, so that threads
 *          next to each other find their rows in different banks.
 * Loads    any layout, or an affine family, read in the order in which it lies in memory.
 * Cost     10 n^3/3 flops a matrix and one reading of it; writes geev_packed(n) entries. */
#include "geev_balance.cuh"
#include "geev_hessenberg.cuh"
#include "geev_registers.cuh"
#include "geev_team.cuh"

enum { MOST_WARPS = 4 };

/* Distance between entries of a matrix in a tile of G: odd where that lets a warp store consecutive entries. */
static __host__ __device__ int prepare_step(int G)
{
    return G >= 8 ? G + 1 : G;
}

/* Bytes of shared memory of one warp. */
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

/* Packs the tile into the workspace, in the tiles and for the order of kernel 2; padding is zero. */
template <typename real, int G>
static __device__ void store_tile(const geev_job &job, int64_t first, int live, int lane, const real *tile)
{
    int const n = (int)job.p.n, N = job.order, row = n | 1, T = job.tile, entries = N * (N + 1) / 2 + N - 1;
    int at = 0;
    for (int i = 0; i < N; ++i) {
        int const from = i > 0 ? i - 1 : 0;
        for (int f = lane; f < (N - from) * G; f += 32) {
            int const t = f % G, j = from + f / G;
            if (t >= live) continue;
            int64_t const b = first + t;
            ((real *)job.packed)[(b / T * entries + at + j - from) * T + b % T] =
                i < n && j < n ? tile[(i * row + j) * prepare_step(G) + t] : (real)0;
        }
        at += N - from;
    }
}

/* Balances and reduces the team's matrix; T > 0: in registers, T x T entries a lane. */
template <typename real, int R, int P, int T>
static __device__ void reduce(geev_team<P> team, geev_view<real> h, bool balances, geev_record *record, real *work)
{
    if (balances) isolate(team, h, &record->lo, &record->hi);
    if constexpr (T > 0) {
        register_tile<real, R, T> tile(team);
        tile.load(h);
        bool const whole = record->lo == 0 && record->hi == h.n - 1;
        if (balances && team.any(!tile.is_balanced(h.n) || !whole)) {
            balance(team, h, record->lo, record->hi, work);
            tile.load(h);
        }
        tile.reduce(record->lo, record->hi);
        team.sync(); /* all have loaded */
        tile.store(h);
    } else {
        if (balances) balance(team, h, record->lo, record->hi, work);
        hessenberg(team, h, record->lo, record->hi);
    }
}

/* P threads a matrix, in a grid of R x R where T > 0. */
template <typename real, int R, int P, int T>
static __global__ void __launch_bounds__(32 * MOST_WARPS) prepare_kernel(geev_job job)
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
        reduce<real, R, P, T>(team, h, job.p.balance, &record, work);
        __syncwarp();
        store_tile<real, G>(job, first, live, lane, tile);
        if (team.rank == 0 && g < live) job.records[first + g] = record;
        __syncwarp();
    }
}

template <typename real, int R, int P, int T>
static eig_status launch(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    size_t const bytes = prepare_bytes<real>((int)job.p.n, P);
    int const warps = bytes <= 8192 ? MOST_WARPS : 1;
    CUDA_TRY(cudaFuncSetAttribute(prepare_kernel<real, R, P, T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  (int)(warps * bytes)));
    int each = 0;
    CUDA_TRY(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, prepare_kernel<real, R, P, T>, 32 * warps, warps * bytes));
    int64_t const tiles = (job.count + 32 / P - 1) / (32 / P), want = (tiles + warps - 1) / warps;
    int64_t const most = (int64_t)(each > 0 ? each : 1) * cuda_state_of(ctx)->multiprocessors;
    prepare_kernel<real, R, P, T><<<(int)(want < most ? want : most), 32 * warps, warps * bytes, stream>>>(job);
    CUDA_LAUNCHED("geev: prepare_kernel");
    return EIG_OK;
}

template <typename real> static eig_status choose(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    int64_t const n = job.p.n;
    if (n <= 8) return launch<real, 0, 1, 0>(ctx, job, stream);
    if (n <= 16) return launch<real, 0, 4, 0>(ctx, job, stream);
    if (n <= 20) return launch<real, 4, 16, 5>(ctx, job, stream);
    if (n <= 24) return launch<real, 4, 16, 6>(ctx, job, stream);
    if (n <= 32) return launch<real, 4, 16, 8>(ctx, job, stream);
    return launch<real, 0, 32, 0>(ctx, job, stream);
}

eig_status geev_launch_prepare(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    return job.p.precision == 's' ? choose<float>(ctx, job, stream) : choose<double>(ctx, job, stream);
}
