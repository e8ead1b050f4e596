/* geev on CUDA, n up to 13 (float: 16): a thread computes a matrix from beginning to end, in registers.
 *
 * Mapping  32 matrices a warp, up to 8 warps a block.  All warps of a block go through the same steps side by side, with
 *          barriers: unrolled code is long, and is then fetched once for all (without the barriers n = 10 takes twice
 *          as long).
 * Memory   a warp reads and writes global memory in order, through shared memory, which also holds the rare matrix that
 *          must be scaled or permuted.  Between load and store a matrix lies in registers, indexed by constants alone.
 *          A matrix comes column by column.  Its transpose would have the same eigenvalues, but other rounding errors:
 *          graded matrices lose digits.
 * Windows  the code of a sweep is written out for every third I, the last row of the block's largest window: rows and
 *          columns beyond I are finished.  A matrix with a smaller window has zero reflectors outside it, which change
 *          no bit.
 * Sweeps   begin at the window's first row.  2 x 2 blocks stay as they are until the end.
 * Cost     n = 10: about 10 n^3 flops for the iteration, 10 n^3/3 for the reduction; a matrix is read once, its results
 *          are written once. */
#include "geev/geev_certify.cuh"
#include "geev/thread/geev_small_matrix.cuh"
#include "per_type.cuh"
#include "primitives/team.cuh"

/* ---------------------------------------------------------------- in and out */

/* Loads the entries of a tile; `loads` of a lane are under way at a time, so that a warp waits less often.  find(f, &from,
 * &to) sets where entry f lies, from < 0: nowhere, and where it goes. */
template <typename real, int total, int loads, typename place>
static __device__ __forceinline__ void load_entries(const real *a, int lane, real *tile, place find)
{
#pragma unroll 1
    for (int begin = 0; begin < total; begin += 32 * loads) {
        real value[loads];
        int to[loads];
#pragma unroll
        for (int u = 0; u < loads; ++u) {
            int const f = begin + 32 * u + lane;
            int64_t from;
            find(f, &from, &to[u]);
            value[u] = 0;
            if (from >= 0 && f < total) value[u] = a[from];
        }
#pragma unroll
        for (int u = 0; u < loads; ++u)
            if (begin + 32 * u + lane < total) tile[to[u]] = value[u];
    }
}

/* Loads matrices first, ..., first + live - 1.  The other matrices of the tile become zero. */
template <typename real, int N>
static __device__ __forceinline__ void load_small(const geev_problem &p, int64_t first, int live, int lane, real *tile)
{
    using shape = small_shape<real, N>;
    constexpr int pitch = shape::pitch, square = N * N, slots = shape::slots, total = slots * square;
    const real *const a = (const real *)p.a;
    if (p.affine || p.layout == EIG_LAYOUT_ELEMENT_WISE) { /* neighbouring threads already read neighbouring entries */
        for (int e = 0; e < square && lane < slots; ++e)
            tile[lane * pitch + e] = lane < live ? geev_entry<real>(p, first + lane, e % N, e / N) : (real)0;
    } else if (p.layout == EIG_LAYOUT_ROW_WISE) {
        load_entries<real, total, 4>(a + first * p.lda, lane, tile, [=](int f, int64_t *from, int *to) {
            int const piece = f / N, t = piece % slots, i = piece / slots, j = f % N;
            *from = t < live ? i * p.stride_a + t * p.lda + j : -1;
            *to = t * pitch + (p.row_major ? i * N + j : j * N + i);
        });
    } else if (p.lda == N && p.stride_a == square) {
        constexpr int each = (total + 31) / 32, parts = (each + 49) / 50;
        load_entries<real, total, (each + parts - 1) / parts>(
            a + first * square, lane, tile, [=](int f, int64_t *from, int *to) {
                *from = f < live * square ? f : -1;
                *to =
                    p.row_major ? f / square * pitch + f % N * N + f % square / N : f + (pitch - square) * (f / square);
            });
    } else {
        load_entries<real, total, 4>(a + first * p.stride_a, lane, tile, [=](int f, int64_t *from, int *to) {
            int const t = f / square, e = f % square;
            *from = t < live ? t * p.stride_a + e / N * p.lda + e % N : -1;
            *to = t * pitch + (p.row_major ? e % N * N + e / N : e);
        });
    }
}

/* Scales, permutes and balances a matrix of order n in memory.  Out of line, since few matrices need it. */
template <typename real> static __device__ __noinline__ geev_record treat_small(int n, bool balances, real *own)
{
    real scale[GEEV_SMALL_S];
    return treat(lane_team<1>(0), geev_view<real>{own, n, n, 1}, balances, scale);
}

/* Loads the matrices of a warp into registers, scaled and balanced.  b: the number of the first matrix.  -0 becomes 0: what other lanes
 * do may add zeros to a matrix, and the sign of a zero would turn a reflector. */
template <typename real, int N>
static __device__ __forceinline__ geev_record begin_small(small_matrix<real, N> &h, const geev_problem &p, int64_t b,
                                                          int live, int lane, real *tile)
{
    using shape = small_shape<real, N>;
    geev_record record = {1, 0, N - 1, EIG_INFO_OK, 0, 0};
    real *const own = tile + lane % shape::slots * shape::pitch;
#pragma unroll 1
    for (int part = 0; part < 32; part += shape::slots) {
        load_small<real, N>(p, b + part, live - part, lane, tile);
        __syncwarp(); /* the tile is loaded */
        if (lane / shape::slots * shape::slots == part) {
#pragma unroll
            for (int e = 0; e < N * N; ++e) h.x[e % N][e / N] = own[e] + (real)0;
        }
        if (part + shape::slots < 32) __syncwarp(); /* all have read */
    }
    h.balance([&](bool plain) {
        bool const treated = lane < live && !plain;
#pragma unroll 1
        for (int part = 0; part < 32; part += shape::slots) { /* matrices that share a place follow each other */
            bool const now = treated && lane / shape::slots * shape::slots == part;
            if (!__any_sync(0xffffffffu, now)) continue;
            __syncwarp();
            if (now) {
#pragma unroll
                for (int e = 0; e < N * N; ++e) own[e] = h.x[e / N][e % N];
                record = treat_small<real>(N, p.balance, own);
#pragma unroll
                for (int e = 0; e < N * N; ++e) h.x[e / N][e % N] = own[e];
            }
            __syncwarp();
        }
        return !treated && lane < live && p.balance;
    });
    return record;
}

/* Of the balanced matrix: its trace, the trace of its square, and the square of its norm, which certify the eigenvalues.  The norm has
 * a floor, below which squares vanish. */
template <typename real> struct small_traces {
    real trace, square, norm;

    /* own: the eigenvalues, unit times which are those of the balanced matrix. */
    template <int N> __device__ __forceinline__ bool certify(const real *own, real unit) const
    {
        real sum = -trace, sum2 = -square;
#pragma unroll
        for (int k = 0; k < N; ++k) {
            real const re = unit * own[2 * k], im = unit * own[2 * k + 1];
            sum += re, sum2 += fma(re, re, -im * im);
        }
        certificate_scale<real> const scale = {sqrt((double)norm), unit};
        return scale.certifies(N, {sum, 0}, {sum2, 0});
    }
};

/* triangles: their part of the norm. */
template <typename real, int N>
static __device__ __forceinline__ small_traces<real> traces_of(const small_matrix<real, N> &h,
                                                               geev_triangles<real> *triangles)
{
    small_traces<real> s = {0, 0, certificate_floor<real>(N)};
    real lower = 0, upper = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        real const x = h.x[i][i];
        s.trace += x, s.square = fma(x, x, s.square), s.norm = fma(x, x, s.norm);
#pragma unroll
        for (int j = 0; j < i; ++j) {
            real const y = h.x[i][j], z = h.x[j][i];
            s.square = fma(2 * y, z, s.square), lower = fma(y, y, lower), upper = fma(z, z, upper);
        }
    }
    s.norm += lower + upper;
    *triangles = {lower, upper};
    return s;
}

template <typename real, int N>
static __global__ void __launch_bounds__(32 * small_shape<real, N>::warps) small_kernel(geev_slice slice)
{
    using shape = small_shape<real, N>;
    __shared__ small_traces<real> traces[32 * shape::warps]; /* registers are dear in between */
    extern __shared__ double small_memory[];
    int const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    real *const tile = (real *)small_memory + warp * shape::slots * shape::pitch;
    int64_t const first = (int64_t)blockIdx.x * blockDim.x + warp * 32, b = slice.first + first + lane;
    int64_t const left = slice.count - first;
    int const live = (int)(left < 0 ? 0 : left < 32 ? left : 32);
    small_matrix<real, N> h;
    geev_record const record = begin_small<real, N>(h, slice.p, slice.first + first, live, lane, tile);
    geev_triangles<real> triangles;
    traces[threadIdx.x] = traces_of(h, &triangles);
    if (N >= 3) h.transpose(triangles.turns(record));
    if (shape::warps > 1) __syncthreads(); /* instructions are fetched once for all */
    h.reduce();
    h.i = record.info == 0 ? N - 1 : -1, h.l = 0, h.steps = 0, h.max_steps = slice.p.max_steps, h.info = record.info;
    h.iterate();
    real const factor = record.info == 0 ? (real)record.unscale : (real)NAN;
    real *const own = tile + lane * shape::result_pitch;
    __syncwarp(); /* all have read their matrices */
    h.store_blocks(own);
    small_eigenvalues<N>(factor, own);
    if (lane < live) {
        bool const good = h.info != 0 || !slice.p.certify || !slice.p.w ||
                          traces[threadIdx.x].template certify<N>(own, (real)(1 / record.unscale));
        if (slice.p.info) slice.p.info[b] = h.info;
        if (!good) atomicAdd(slice.repairs, 1ull);
        if (h.info > 0 || !good) slice.failed[atomicAdd(&slice.queue->failed, 1ull)] = b;
    }
    if (slice.p.value && lane < live) {
        real measure = 0;
#pragma unroll 1
        for (int k = 0; k < N; ++k)
            measure = geev_measure(slice.p.measure, measure, own[2 * k], own[2 * k + 1], k == 0);
        ((real *)slice.p.value)[b] = h.info == 0 ? measure : (real)NAN;
    }
    if (!slice.p.w) return;
    __syncwarp();
#pragma unroll 4
    for (int f = lane; f < live * N; f += 32) {
        int const t = f / N, k = f % N;
        geev_put(slice.p, slice.first + first + t, k, tile[t * shape::result_pitch + 2 * k],
                 tile[t * shape::result_pitch + 2 * k + 1]);
    }
}

template <typename real, int N>
static eig_status launch_small(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    using shape = small_shape<real, N>;
    auto const kernel = small_kernel<real, N>;
    int const traces = shape::warps * 32 * (int)sizeof(small_traces<real>);
    int const fit =
        (cuda_state_of(ctx)->shared_bytes - traces) / shape::bytes; /* at least 1: no tile has more than 26 KB */
    int const warps = fit < shape::warps ? fit : shape::warps, bytes = warps * shape::bytes;
    CUDA_TRY(
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
    int const each = 32 * warps;
    return cuda_launch(ctx, "geev: small_kernel", stream, {(slice.count + each - 1) / each, each, (size_t)bytes},
                       kernel, slice);
}

/* The kernel of the matrices' order, which is one of first, ..., last. */
template <typename real, int first, int last>
static eig_status launch_small_of(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    if constexpr (first < last)
        if (slice.p.n > first) return launch_small_of<real, first + 1, last>(ctx, slice, stream);
    return launch_small<real, first>(ctx, slice, stream);
}

eig_status TYPED(eig_cuda_geev_small)(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    constexpr int most = sizeof(real) == sizeof(float) ? GEEV_SMALL_S : GEEV_SMALL_D;
    return launch_small_of<real, 1, most>(ctx, slice, stream);
}
