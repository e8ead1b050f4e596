/* geev on CUDA, kernel 1: from the caller's matrices to packed Hessenberg matrices, in registers.
 *
 * Mapping  8 lanes a matrix (n > 16: 16, n > 32: 32), 4 warps a block.
 * Memory   shared memory holds each team's vectors, and a place where the block's matrices are packed side by side, so
 *          that whole sectors are written.  A team that must scale or permute uses this place first.
 * Loads    matrix-wise input goes to registers directly, 32 bytes of a column at a time.  Other input, or an affine
 *          family, goes through shared memory.
 * Cost     10 n^3/3 flops; reads the matrix once; writes geev_packed(n) entries.
 * Limits   in double with n > 40 some entries of a lane do not fit its registers and go to local memory (for n > 56,
 *          3.7 KB of stores in the code).  With the matrix in shared memory throughout the kernel was still slower. */
#include "geev/reduce/geev_grid.cuh"
#include "per_type.cuh"
#include "primitives/team.cuh"

/* Warps on a multiprocessor, as many as the registers allow when a lane holds this many words of the matrix. */
static constexpr int grid_warps(int words)
{
    return words > 80 ? 8 : words > 48 ? 12 : 16;
}

/* A block has as many warps as fit the shared memory.  With so many matrices side by side, writes of packed entries
 * fill whole sectors of memory, or halves of them. */
template <typename real, int C> struct grid_block {
    static constexpr int lanes = 4 * C, warps = C > 4 ? 2 : 4, teams = 32 * warps / lanes; /* at most */
    /* Distance of the teams' places: entries of consecutive teams in different banks. */
    static __host__ __device__ int stride(int n, int vectors)
    {
        constexpr int banks = 128 / (int)sizeof(real), spread = banks / teams, aligned = 16 / (int)sizeof(real);
        constexpr int shift = spread > aligned ? spread : aligned;
        int const whole = n * (n | 1) + n, packed = n * (n + 1) / 2 + n - 1;
        int const least = vectors + (whole > packed ? whole : packed);
        return (least - shift + banks - 1) / banks * banks + shift;
    }
};

/* The team's matrix from any source, into h. */
template <typename real, int lanes>
static __device__ void gather(const geev_problem &p, int64_t b, int lane, geev_view<real> h)
{
    bool const by_rows = geev_lies_by_rows(p);
    for (int outer = 0; outer < h.n; ++outer)
        for (int inner = lane; inner < h.n; inner += lanes) {
            int const i = by_rows ? outer : inner, j = by_rows ? inner : outer;
            h(i, j) = geev_entry<real>(p, b, i, j);
        }
}

/* All of a block's dynamic shared memory. */
extern __shared__ __align__(16) char prepare_memory[];

/* The team's matrix of order n, in the block's shared memory from this offset on. */
template <typename real> static __device__ __forceinline__ geev_view<real> shared_view(int offset, int n)
{
    return geev_view<real>{(real *)(prepare_memory + offset), n, n | 1, 1};
}

/* Scales, permutes and balances the team's matrix in shared memory, if that is wanted.  All teams of a warp call it.
 * Out of line, since few matrices need it. */
template <typename real, int lanes>
static __device__ __noinline__ geev_record treat_shared(int offset, int n, bool wanted, bool balances)
{
    lane_team<lanes> const team(threadIdx.x % 32);
    geev_view<real> h = shared_view<real>(offset, n);
    if (!wanted) h.n = 0;
    return treat(team, h, balances, h.base + h.n * h.row);
}

/* Scaling, permutations, balancing and the better direction, before the reduction. */
template <typename real, int C, int TR, int TC>
static __device__ __forceinline__ geev_record condition(geev_grid<real, C, TR, TC> &grid, bool live, bool balances,
                                                        int offset, int n)
{
    geev_view<real> const h = shared_view<real>(offset, n);
    geev_record record = {1, 0, n - 1, 0, 0, 0};
    auto const norms = grid.find_norms(n);
    bool const odd = grid.ballot(!norms.plain) != 0 && live;
    if (__any_sync(0xffffffffu, odd)) {
        grid.store(h);
        __syncwarp();
        geev_record const treated = treat_shared<real, 4 * C>(offset, n, odd, balances);
        grid.load(h);
        if (odd) record = treated;
    }
    __syncwarp();
    grid.balance(n, balances && live && !odd, norms);
    bool const turns = grid.triangles().turns(record) && live;
    if (__any_sync(0xffffffffu, turns)) {
        grid.store(h);
        __syncwarp();
        transpose(lane_team<4 * C>(threadIdx.x % 32), h, turns, &record, (int *)NULL, (real *)NULL);
        grid.load(h);
        __syncwarp();
    }
    return record;
}

template <typename real, int C, int TR, int TC>
static __global__ void __launch_bounds__(32 * grid_block<real, C>::warps,
                                         grid_warps(TR *TC *(int)sizeof(real) / 4) / grid_block<real, C>::warps)
    prepare_kernel(geev_slice slice)
{
    using block = grid_block<real, C>;
    using grid_type = geev_grid<real, C, TR, TC>;
    constexpr int lanes = block::lanes;
    int const n = (int)slice.p.n, team = threadIdx.x / lanes, teams = blockDim.x / lanes;
    int const stride = block::stride(n, grid_type::space), entries = n * (n + 1) / 2 + n - 1;
    real *const packed = (real *)prepare_memory + grid_type::space, *const own = packed + team * stride;
    int const offset = (grid_type::space + team * stride) * (int)sizeof(real); /* of own */
    int64_t const first = (int64_t)blockIdx.x * teams, at = first + team;
    bool const live = at < slice.count;

    grid_type grid(threadIdx.x, own - grid_type::space);
    geev_apart<real> const apart(slice.p, slice.first + at);
    if (apart.serves) {
        grid.load(apart, live ? n : 0);
    } else {
        geev_view<real> const h = shared_view<real>(offset, n);
        if (live) gather<real, lanes>(slice.p, slice.first + at, grid.lane, h);
        __syncwarp();
        grid.load(h);
    }
    geev_record const record = condition(grid, live, slice.p.balance, offset, n);
    grid.reduce(n, record.lo, record.hi);

    grid.pack(own, n);
    if (grid.lane == 0 && live) slice.records[at] = record;
    __syncthreads();
    int const g = threadIdx.x % teams;
    if (first + g >= slice.count) return;
    real *const to = geev_packed_matrix<real>(slice, first + g);
    for (int e = threadIdx.x / teams; e < entries; e += lanes) to[(int64_t)e * slice.tile] = packed[g * stride + e];
}

template <typename real, int C, int TR, int TC>
static eig_status launch_prepare(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    using block = grid_block<real, C>;
    int const each = (int)sizeof(real) * block::stride((int)slice.p.n, geev_grid<real, C, TR, TC>::space);
    int teams = block::teams; /* those of a warp take 36 KB at most */
    while (teams * each > cuda_state_of(ctx)->shared_bytes && teams * block::lanes > 32) teams /= 2;
    return cuda_launch(ctx, "geev: prepare_kernel", stream,
                       {(slice.count + teams - 1) / teams, teams * block::lanes, (size_t)(teams * each)},
                       prepare_kernel<real, C, TR, TC>, slice);
}

/* The shapes that `auto` needs, which begins with n = 14 (float: 17).  Smaller n, which only a caller's own method
 * reaches, take the smallest shape. */
eig_status TYPED(eig_cuda_geev_prepare)(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    int64_t const n = slice.p.n;
    if (n <= 16) return launch_prepare<real, 2, 4, 8>(ctx, slice, stream);
    if (n <= 20) return launch_prepare<real, 4, 5, 5>(ctx, slice, stream);
    if (n <= 24) return launch_prepare<real, 4, 6, 6>(ctx, slice, stream);
    if (n <= 28) return launch_prepare<real, 4, 7, 7>(ctx, slice, stream);
    if (n <= 32) return launch_prepare<real, 4, 8, 8>(ctx, slice, stream);
    if (n <= 40) return launch_prepare<real, 8, 10, 5>(ctx, slice, stream);
    if (n <= 48) return launch_prepare<real, 8, 12, 6>(ctx, slice, stream);
    if (n <= 56) return launch_prepare<real, 8, 14, 7>(ctx, slice, stream);
    return launch_prepare<real, 8, 16, 8>(ctx, slice, stream);
}
