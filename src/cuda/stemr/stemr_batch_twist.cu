/* stemr on CUDA, batches of T of 9 to 32 rows: all pairs of a matrix at once, a lane a pair (heev/warp/heev_twist.cuh).
 * A matrix whose pairs are not found so is listed, and QL solves it. */
#include "stemr_batch_finish.cuh"

#include "heev/warp/heev_twist.cuh"

enum { BLOCKS = 4 }; /* on a multiprocessor */

/* A team's place in shared memory: what the outputs take, before Z, and what the pairs take, Z at the end of it. */
template <int N> struct twist_batch {
    using shape = twist_shape<N>;
    static constexpr size_t head = batch_place<double>::head_bytes(N), bytes = head + twist_place<N>::bytes;
};

template <typename real, int N>
static __global__ void __launch_bounds__(TWIST_THREADS, BLOCKS) pairs_kernel(stemr_batch_part b)
{
    using shape = twist_shape<N>;
    constexpr int L = shape::lanes;
    extern __shared__ double2 batch_memory[];
    int const in_block = threadIdx.x / L, n = (int)b.p.n;
    lane_team<L> const team(threadIdx.x % 32);
    int const rank = team.rank;
    int64_t const matrix = (int64_t)blockIdx.x * shape::teams + in_block;
    bool const live = matrix < b.count;
    char *const memory = (char *)batch_memory + in_block * twist_batch<N>::bytes;
    twist_place<N> const pairs(memory + twist_batch<N>::head);
    batch_place<double> const at(memory, N, shape::pitch, pairs.z);

    double d = 0, e = 0;
    if (live && rank < n) d = (double)((const real *)b.p.d)[matrix * b.stride_d + rank];
    if (live && rank < n - 1) e = (double)((const real *)b.p.e)[matrix * b.stride_e + rank];
    twist_entry const row = twist_scaled(team, d, e);
    bool const works = live && row.finite;
    if (b.p.stats) {
        int const blocks = team.sum(rank < n && fabs(row.e) <= STEMR_SPLIT ? 1 : 0);
        if (live && rank == 0) atomicAdd(&b.counts->blocks, (unsigned long long)blocks);
        if (live && rank == 0) atomicMax(&b.counts->most_blocks, blocks);
    }
    if (rank < n) at.a[rank] = row.d, at.e[rank] = row.e, at.column[rank] = rank;
    double norm, x;
    bool const found = twist_pairs<N>(team, n, works, row, pairs, (int)(twist_batch<N>::bytes / 8), &norm, &x);
    if (live && works && !found && rank == 0) b.slow[atomicAdd(&b.counts->slow, 1)] = (int)matrix;

    double value = -INFINITY, length = 0;
    if (found && rank < n) {
        double *const column = at.z + rank;
        if (sizeof(real) < sizeof(double))
            for (int k = 0; k < n; ++k) column[k * shape::pitch] = (double)(real)column[k * shape::pitch];
        value = x, length = sqrt(residual_of(at, n, rank, x).square);
    }
    bool const bad = team.any(!(length <= 10.0 * n * (double)real_limits<real>::eps * norm));
    /* A value is not below the one before it. */
#pragma unroll
    for (int k = 1; k < L; k *= 2) {
        double const other = __shfl_up_sync(team.all, value, k, L);
        if (rank >= k) value = fmax(value, other);
    }
    __syncwarp(); /* columns are rounded */
    put_outputs<real>(b, matrix, live && (found || !works), found ? row.scale : NOT_FINITE, team, at, rank, value, bad);
}

template <typename real, int N>
static eig_status launch(eig_context *ctx, const stemr_batch_part &b, cudaStream_t stream)
{
    using shape = twist_shape<N>;
    return cuda_launch(
        ctx, "stemr: pairs_kernel", stream,
        {(b.count + shape::teams - 1) / shape::teams, TWIST_THREADS, shape::teams * twist_batch<N>::bytes},
        pairs_kernel<real, N>, b);
}

template <typename real> static eig_status launch(eig_context *ctx, const stemr_batch_part &b, cudaStream_t stream)
{
    return b.p.n <= 16   ? launch<real, 16>(ctx, b, stream)
           : b.p.n <= 24 ? launch<real, 24>(ctx, b, stream)
                         : launch<real, 32>(ctx, b, stream);
}

eig_status eig_cuda_stemr_batch_twist(eig_context *ctx, const stemr_batch_part &b, cudaStream_t stream)
{
    return b.p.type == EIG_S ? launch<float>(ctx, b, stream) : launch<double>(ctx, b, stream);
}
