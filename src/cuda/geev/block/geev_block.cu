/* geev on CUDA, road `block`: eigenvalues of packed Hessenberg matrices, a thread block a matrix, out of shared memory.
 *
 * Owner    a block has a warp for each bulge of a chain (geev_chain.cuh), and takes matrices from a queue.
 * Roots    in double on GPUs with FP64 tensor cores another kernel tries Aberth's iteration (geev_aberth.cuh) first, so
 *          that a block finds only the matrices left for which that does not prove its results.
 * Memory   the folded Hessenberg matrix (geev_chain.cuh) and its eigenvalues.
 * Bound    by the chain of operations of a super-step and of the window's QR, so as many blocks as fit run beside each
 *          other. */
#include "geev/aberth/geev_aberth.cuh"
#include "geev/block/geev_chain.cuh"
#include "geev/reduce/geev_panel.cuh"
#include "per_type.cuh"

extern __shared__ __align__(16) char block_memory[];

/* Unpacks matrix `at` of the slice. */
template <int W> static __device__ geev_folded<real> unpack(const geev_slice &slice, int64_t at, real *base)
{
    int const n = (int)slice.p.n, lane = threadIdx.x % 32;
    const real *const from = (const real *)slice.packed + at * ((int64_t)n * (n + 1) / 2 + n - 1);
    geev_folded<real> const h = empty_folded<W>(base, n);
    __syncthreads();
    for (int r = threadIdx.x / 32; r < n; r += W) {
        int64_t const begin = (int64_t)r * n - (int64_t)r * (r - 1) / 2;
        for (int c = (r > 0 ? r - 1 : 0) + lane; c < n; c += 32) h(r, c) = from[begin + c];
    }
    __syncthreads();
    return h;
}

template <int W, int B>
static __global__ void __launch_bounds__(32 * W, B) block_kernel(geev_slice slice, geev_shape shape)
{
    __shared__ geev_chain<real, GEEV_FEW_BULGES> chain;
    __shared__ unsigned long long next[2]; /* in turn: the one before may still be read */
    int const n = (int)slice.p.n;
    real *const base = (real *)block_memory, *const re = base + folded_entries(n), *const im = re + n;
    chain_block<W> const block;
    for (int turn = 0;; turn ^= 1) {
        if (threadIdx.x == 0) next[turn] = atomicAdd(&slice.queue->iterate[0], 1ull);
        __syncthreads(); /* the number is there */
        int64_t const at = (int64_t)next[turn];
        if (at >= slice.count) return;
        geev_record const record = slice.records[at];
        if (record.found) continue;
        geev_folded<real> const h = unpack<W>(slice, at, base);
        for (int k = threadIdx.x; k < n; k += 32 * W) re[k] = h(k, k), im[k] = 0;
        __syncthreads();
        int info = record.info > 0 ? record.info : 0; /* what kernel 1 of n <= GEEV_MOST leaves to the plain solver */
        if (record.info == 0)
            info = chain_solve(block, chain, h, record.lo, record.hi, shape, slice.p.max_steps, re, im);
        __syncthreads();
        if (info == 0)
            store_results(slice, slice.first + at, record, re, im);
        else if (threadIdx.x == 0)
            slice.failed[atomicAdd(&slice.queue->failed, 1ull)] = slice.first + at;
        __syncthreads(); /* results are read before the next matrix comes */
    }
}

/* ------------------------------------------------------------- Aberth's iteration */

/* A packed Hessenberg matrix of order n. */
struct packed_matrix {
    const double *base;
    int64_t n;
    __device__ __forceinline__ double operator()(int r, int c) const
    {
        return base[r * n - (int64_t)r * (r - 1) / 2 + c];
    }
};

/* Most warps of a block of roots_kernel, and the blocks of so many that the registers must hold: as many registers as
 * sums of this many tiles need, and no more. */
template <int TILES> struct roots_shape {
    static constexpr int warps = TILES == 10 || TILES == 13 ? 6 : 8, blocks = TILES < 16 ? 2 : 1;
};

template <typename value, int TILES>
static __global__ void __launch_bounds__(32 * roots_shape<TILES>::warps, roots_shape<TILES>::blocks)
    roots_kernel(geev_slice slice)
{
    int const n = (int)slice.p.n;
    int64_t const at = blockIdx.x;
    double *const area = (double *)block_memory + 2 * n;
    value *const re = (value *)block_memory, *const im = re + n;
    geev_member member = {NULL, 0, 1, 0};
    geev_record const record = slice.records[at];
    packed_matrix const h = {(const double *)slice.packed + at * ((int64_t)n * (n + 1) / 2 + n - 1), n};
    if (record.info != 0 ||
        !aberth_solve<hyman_lanes<TILES>>(member, h, record.lo, record.hi, (int)blockDim.x / 32, area,
                                          (char *)(area + aberth_numbers(n) + hyman_columns::numbers(n)),
                                          &slice.records[at].found, re + record.lo, im + record.lo))
        return;
    for (int k = threadIdx.x; k < n; k += (int)blockDim.x)
        if (k < record.lo || k > record.hi) re[k] = h(k, k), im[k] = 0;
    __syncthreads(); /* the results are there */
    store_results(slice, slice.first + at, record, re, im);
}

/* A block a matrix. */
template <typename value, int TILES>
static eig_status launch_roots_of(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    int const n = (int)slice.p.n, tasks = (n + 7) / 8;
    bool const many = slice.count > cuda_state_of(ctx)->multiprocessors;
    int warps = many && TILES < 21 ? TILES == 10 ? 3 : 4 : roots_shape<TILES>::warps;
    if (warps > tasks) warps = tasks;
    auto const kernel = roots_kernel<value, TILES>;
    eig_status const status = eig_cuda_allow_shared(ctx, (const void *)kernel);
    if (status != EIG_OK) return status;
    size_t const bytes = (size_t)(2 * n + aberth_numbers(n) + hyman_columns::numbers(n)) * sizeof(double) +
                         (size_t)aberth_common_bytes(n);
    return cuda_launch(ctx, "geev: roots_kernel", stream, {slice.count, 32 * warps, bytes}, kernel, slice);
}

template <typename value> static eig_status launch_roots(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    int64_t const n = slice.p.n;
    if (n <= 32) return launch_roots_of<value, 4>(ctx, slice, stream);
    if (n <= 64) return launch_roots_of<value, 8>(ctx, slice, stream);
    if (n <= 80) return launch_roots_of<value, 10>(ctx, slice, stream);
    if (n <= 104) return launch_roots_of<value, 13>(ctx, slice, stream);
    if (n <= 128) return launch_roots_of<value, 16>(ctx, slice, stream);
    return launch_roots_of<value, 21>(ctx, slice, stream);
}

template <int W, int B> static eig_status launch_block(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    int const n = (int)slice.p.n;
    geev_shape const all = geev_shape_of(n);
    geev_shape const shape = {all.bulges < GEEV_FEW_BULGES ? all.bulges : (int)GEEV_FEW_BULGES,
                              all.window < 8 ? all.window : 8};
    size_t const bytes = (size_t)(folded_entries(n) + 2 * n) * sizeof(real);
    auto const kernel = block_kernel<W, B>;
    eig_status const status = eig_cuda_allow_shared(ctx, (const void *)kernel);
    if (status != EIG_OK) return status;
    int each = 0;
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, 32 * W, bytes));
    int64_t const room = (int64_t)(each > 0 ? each : 1) * cuda_state_of(ctx)->multiprocessors;
    return cuda_launch(ctx, "geev: block_kernel", stream, {slice.count < room ? slice.count : room, 32 * W, bytes},
                       kernel, slice, shape);
}

eig_status TYPED(eig_cuda_geev_block)(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    if constexpr (sizeof(real) == sizeof(double)) {
        eig_status const status = slice.points > 0 ? launch_roots<real>(ctx, slice, stream) : EIG_OK;
        if (status != EIG_OK) return status;
    }
    int64_t const n = slice.p.n; /* measured on an H200 */
    if (n < 80) return launch_block<3, 8>(ctx, slice, stream);
    if (n < 116) return launch_block<5, 4>(ctx, slice, stream);
    return launch_block<9, 3>(ctx, slice, stream);
}
