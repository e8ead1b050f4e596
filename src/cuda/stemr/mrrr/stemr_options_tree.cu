/* stemr on CUDA, method mrrr: the clusters, as the caller's options.tree has them; only where it is asked for.
 *
 * Mapping   a warp a node goes through its members' values; the host fetches a piece of the list at a time.
 * Memory    the pieces lie in the pool, which is free by then. */
#include "stemr_mrrr.cuh"

enum { THREADS = 256 };

/* Nodes first to first+count-1, a warp each. */
static __global__ void __launch_bounds__(THREADS)
    copy_nodes(stemr_task t, int64_t first, int64_t count, eig_stemr_node *out)
{
    int64_t const at = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / 32;
    if (at >= count) return;
    stemr_cluster const c = t.node[first + at];
    double low = INFINITY, high = -INFINITY;
    for (int64_t k = c.first + threadIdx.x % 32; k <= c.last; k += 32) {
        low = fmin(low, t.pair[k].value);
        high = fmax(high, t.pair[k].value);
    }
    for (int d = 16; d > 0; d /= 2) {
        low = fmin(low, __shfl_xor_sync(0xffffffffu, low, d));
        high = fmax(high, __shfl_xor_sync(0xffffffffu, high, d));
    }
    if (threadIdx.x % 32 != 0) return;
    int const scale = t.counts->scale;
    eig_stemr_node n = {};
    n.parent = c.parent, n.members = c.last - c.first + 1, n.level = c.level, n.good = stemr_good(t, c);
    n.low = scalbn(low, scale), n.high = scalbn(high, scale);
    n.shift = scalbn(c.sigma.hi, scale), n.growth = c.growth;
    out[at] = n;
}

/* stats.nodes, of the list of the device. */
static __global__ void count_nodes(stemr_task t, int64_t nodes)
{
    t.counts->stats.nodes = nodes;
}

extern "C" eig_status eig_cuda_stemr_copy_tree(eig_context *ctx, const stemr_task *t, cudaStream_t stream)
{
    int made = 0;
    CUDA_TRY(cudaMemcpyAsync(&made, &t->counts->nodes, sizeof made, cudaMemcpyDeviceToHost, stream));
    CUDA_TRY(cudaStreamSynchronize(stream));
    int64_t const nodes = made < t->p.tree_room ? made : t->p.tree_room;
    int64_t const piece = t->slots * t->n * (int64_t)sizeof(stemr_row) / (int64_t)sizeof(eig_stemr_node);
    eig_stemr_node *const piece_there = (eig_stemr_node *)t->pool;
    eig_status status = EIG_OK;
    for (int64_t first = 0; first < nodes && status == EIG_OK; first += piece) {
        int64_t const count = nodes - first < piece ? nodes - first : piece;
        cuda_shape const shape = {(count * 32 + THREADS - 1) / THREADS, THREADS};
        status = cuda_launch(ctx, "stemr: nodes", stream, shape, copy_nodes, *t, first, count, piece_there);
        if (status != EIG_OK) break;
        CUDA_TRY(cudaMemcpyAsync(t->p.tree + first, piece_there, (size_t)count * sizeof *piece_there,
                                 cudaMemcpyDeviceToHost, stream));
        CUDA_TRY(cudaStreamSynchronize(stream));
    }
    return status == EIG_OK ? cuda_launch(ctx, "stemr: nodes", stream, {1, 1}, count_nodes, *t, nodes) : status;
}
