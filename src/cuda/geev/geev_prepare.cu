/* geev on CUDA, kernel 1: from the caller's matrices to packed Hessenberg matrices, in registers.
 *
 * Mapping  8 lanes a matrix (n > 16: 16, n > 32: 32), 4 warps a block; where nothing is to be balanced a matrix takes
 *          the way memory, registers, memory.
 * Memory   shared memory holds each team's vectors; besides, a place where the block's matrices are packed side by
 *          side, so that whole sectors are written, and which a team first uses where it must scale or permute.
 * Loads    matrix-wise input goes to registers directly, 32 bytes of a column at a time; other input, or an affine
 *          family, through shared memory.
 * Cost     10 n^3/3 flops; one reading of the matrix; writes geev_packed(n) entries.  Double of n > 56 does not quite
 *          fit the registers; shared memory throughout was slower yet. */
#include "geev_grid.cuh"
#include "geev_team.cuh"

/* Warps on a multiprocessor, as far as registers for so many entries a lane allow. */
static constexpr int grid_warps(int words)
{
    return words > 80 ? 8 : words > 48 ? 12 : 16;
}

/* A block, of as many warps as fit the shared memory: so many matrices that whole sectors of packed entries are
 * written, or half ones. */
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
    bool const by_rows = !p.affine && p.layout == EIG_LAYOUT_ROW_WISE;
    for (int outer = 0; outer < h.n; ++outer)
        for (int inner = lane; inner < h.n; inner += lanes) {
            int const i = by_rows ? outer : inner, j = by_rows ? inner : outer;
            h(i, j) = geev_entry<real>(p, b, i, j);
        }
}

/* What is to be done before the reduction: scaling, permutations, balancing. */
template <typename real, int C, int TR, int TC>
static __device__ __forceinline__ void condition(geev_grid<real, C, TR, TC> &grid, bool live, bool balances,
                                                 geev_view<real> h, geev_record *record)
{
    auto const norms = grid.find_norms(h.n);
    bool const odd = grid.ballot(!norms.plain) != 0 && live;
    if (odd) {
        geev_team<4 * C> const team(threadIdx.x % 32);
        grid.store(h);
        team.sync();
        normalise(team, h, record);
        if (balances) {
            isolate(team, h, &record->lo, &record->hi);
            balance(team, h, record->lo, record->hi, h.base + h.n * h.row);
        }
        grid.load(h);
    }
    __syncwarp();
    grid.balance(h.n, balances && live && !odd, norms);
}

template <typename real, int C, int TR, int TC>
static __global__ void __launch_bounds__(32 * grid_block<real, C>::warps,
                                         grid_warps(TR *TC *(int)sizeof(real) / 4) / grid_block<real, C>::warps)
    prepare_kernel(geev_job job)
{
    using block = grid_block<real, C>;
    using grid_type = geev_grid<real, C, TR, TC>;
    constexpr int lanes = block::lanes;
    extern __shared__ __align__(16) unsigned char shared[];
    int const n = (int)job.p.n, team = threadIdx.x / lanes, teams = blockDim.x / lanes;
    int const stride = block::stride(n, grid_type::space), entries = n * (n + 1) / 2 + n - 1;
    real *const packed = (real *)shared + grid_type::space, *const own = packed + team * stride;
    geev_view<real> const h = {own, n, n | 1, 1};
    int64_t const first = (int64_t)blockIdx.x * teams, at = first + team;
    bool const live = at < job.count;
    geev_record record = {1, 0, n - 1, 0};

    grid_type grid(threadIdx.x, own - grid_type::space);
    if (job.p.layout == EIG_LAYOUT_MATRIX_WISE && !job.p.affine) {
        grid.load((const real *)job.p.a + (job.first + at) * job.p.stride_a, job.p.lda, live ? n : 0);
    } else {
        if (live) gather<real, lanes>(job.p, job.first + at, grid.lane, h);
        __syncwarp();
        grid.load(h);
    }
    condition(grid, live, job.p.balance, h, &record);
    grid.reduce(n, record.lo, record.hi);

    grid.pack(own, n);
    if (grid.lane == 0 && live) job.records[at] = record;
    __syncthreads();
    int const g = threadIdx.x % teams;
    if (first + g >= job.count) return;
    real *const to = geev_packed_matrix<real>(job, first + g);
    for (int e = threadIdx.x / teams; e < entries; e += lanes) to[(int64_t)e * job.tile] = packed[g * stride + e];
}

template <typename real, int C, int TR, int TC>
static eig_status launch(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    using block = grid_block<real, C>;
    int const each = (int)sizeof(real) * block::stride((int)job.p.n, geev_grid<real, C, TR, TC>::space);
    int teams = block::teams; /* those of a warp take 36 KB at most */
    while (teams * each > cuda_state_of(ctx)->shared_bytes && teams * block::lanes > 32) teams /= 2;
    return cuda_launch(ctx, "geev: prepare_kernel", stream,
                       {(job.count + teams - 1) / teams, teams * block::lanes, (size_t)(teams * each)},
                       prepare_kernel<real, C, TR, TC>, job);
}

template <typename real> static eig_status choose(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    int64_t const n = job.p.n;
    if (n <= 8) return launch<real, 2, 2, 4>(ctx, job, stream);
    if (n <= 12) return launch<real, 2, 3, 6>(ctx, job, stream);
    if (n <= 16) return launch<real, 2, 4, 8>(ctx, job, stream);
    if (n <= 20) return launch<real, 4, 5, 5>(ctx, job, stream);
    if (n <= 24) return launch<real, 4, 6, 6>(ctx, job, stream);
    if (n <= 28) return launch<real, 4, 7, 7>(ctx, job, stream);
    if (n <= 32) return launch<real, 4, 8, 8>(ctx, job, stream);
    if (n <= 40) return launch<real, 8, 10, 5>(ctx, job, stream);
    if (n <= 48) return launch<real, 8, 12, 6>(ctx, job, stream);
    if (n <= 56) return launch<real, 8, 14, 7>(ctx, job, stream);
    return launch<real, 8, 16, 8>(ctx, job, stream);
}

eig_status eig_cuda_geev_launch_prepare(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    return job.p.type == EIG_S ? choose<float>(ctx, job, stream) : choose<double>(ctx, job, stream);
}
