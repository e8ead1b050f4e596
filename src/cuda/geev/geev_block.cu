/* geev on CUDA, road `block`: eigenvalues of packed Hessenberg matrices, a thread block a matrix, out of shared memory.
 *
 * Owner    a block has a warp for each bulge of a chain (geev_chain.cuh), and takes matrices from a queue.
 * Memory   the folded Hessenberg matrix (geev_chain_block.cuh) and its eigenvalues.
 * Bound    by the chain of operations of a super-step and of the window's QR, so as many blocks as fit run beside each
 *          other. */
#include "geev_chain_block.cuh"
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
    __shared__ unsigned long long next;
    int const n = (int)slice.p.n;
    real *const base = (real *)block_memory, *const re = base + folded_entries(n), *const im = re + n;
    chain_block<W> const block;
    for (;;) {
        if (threadIdx.x == 0) next = atomicAdd(&slice.queue->iterate[0], 1ull);
        __syncthreads();
        int64_t const at = (int64_t)next;
        if (at >= slice.count) return;
        geev_record const record = slice.records[at];
        geev_folded<real> const h = unpack<W>(slice, at, base);
        for (int k = threadIdx.x; k < n; k += 32 * W) re[k] = h(k, k), im[k] = 0;
        __syncthreads();
        int info = 0;
        if (record.info == 0)
            info = chain_solve(block, chain, h, record.lo, record.hi, shape, slice.p.max_steps, re, im);
        __syncthreads();
        if (info == 0)
            store_results<W>(slice, slice.first + at, record, re, im);
        else if (threadIdx.x == 0)
            slice.failed[atomicAdd(&slice.queue->failed, 1ull)] = slice.first + at;
        __syncthreads(); /* results are read before the next matrix comes */
    }
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
    int64_t const n = slice.p.n; /* measured on an H200 */
    if (n < 80) return launch_block<3, 8>(ctx, slice, stream);
    if (n < 116) return launch_block<5, 4>(ctx, slice, stream);
    return launch_block<9, 3>(ctx, slice, stream);
}
