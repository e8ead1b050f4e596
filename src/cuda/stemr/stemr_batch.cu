/* stemr on CUDA, batches of matrices of up to 64 rows, all at once; those of 9 to 32 rows that stemr_batch_twist.cu
 * lists.
 *
 * Ranges    by value: counts of T by pivots tell first which pairs are wanted.
 * Kernels   load (scales every T to a norm of about 1); up to 32 rows heev's QL, a thread a matrix, and a kernel in
 *           which a lane has a row of Z and applies QL's rotations to it; above heev's divide and conquer
 *           (heev/divide/).
 * Finish    Z lies in shared memory, and a thread takes a column: residual, eigenvalue, outputs.
 * Values    Rayleigh's quotient where the residual is small beside the gap; else bisection from where the residual
 *           says.
 * Proof     every residual is measured.  A matrix with one beyond the promise, or whose roots were not found, is solved
 *           again by itself, on the road of longer ones.
 * Memory    a matrix: up to 32 rows QL's notes, some 10 n^2 bytes; above 2 n^2 + 10 n numbers.  Parts of a batch take
 *           turns where the workspace has no room for all.
 * Bits      of a pair depend on its matrix and its number alone. */
#include "stemr_batch_finish.cuh"

#include "stebz/stebz_prepare.cuh"

#include "heev/warp/heev_load.cuh"
#include "heev/warp/heev_rows.cuh"

enum { THREADS = 128, MOST_ROWS = STEMR_BATCH_ROWS };

/* ---------------------------------------------------------------------- load */

/* A warp a matrix. */
template <typename real> static __global__ void __launch_bounds__(THREADS) load_kernel(stemr_batch_part b)
{
    constexpr int each = MOST_ROWS / 32;
    int64_t const matrix = (int64_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    int const lane = threadIdx.x % 32, n = (int)b.p.n;
    if (matrix >= b.count) return;
    lane_team<32> const team(lane);
    int64_t const source = b.list ? b.list[matrix] : matrix;
    const real *const d = (const real *)b.p.d + source * b.stride_d;
    const real *const e = (const real *)b.p.e + source * b.stride_e;
    double own_d[each], own_e[each], most = 0;
    bool finite = true;
    for (int j = 0; j < each; ++j) {
        int const i = lane + 32 * j;
        own_d[j] = i < n ? (double)d[i] : 0, own_e[j] = i + 1 < n ? (double)e[i] : 0;
        finite &= isfinite(own_d[j]) && isfinite(own_e[j]);
        most = fmax(most, fmax(fabs(own_d[j]), fabs(own_e[j])));
    }
    finite = !team.any(!finite), most = finite ? team.max(most) : 0;
    int scale = 0, blocks = 0;
    if (most > 0) frexp(most, &scale), ++scale; /* rows add up to less than 3/2 */
    for (int j = 0; j < each; ++j) {
        int const i = lane + 32 * j;
        if (i >= n) continue;
        double const off = finite ? scalbn(own_e[j], -scale) : 0;
        ((real *)b.t.d)[matrix * n + i] = (real)(finite ? scalbn(own_d[j], -scale) : 0);
        ((real *)b.t.e)[matrix * n + i] = (real)off;
        blocks += fabs(off) <= STEMR_SPLIT;
    }
    blocks = team.sum(blocks);
    if (lane > 0) return;
    b.scale[matrix] = finite ? scale : NOT_FINITE;
    if (b.ql.unit) ((real *)b.ql.unit)[matrix] = 1;
    if (!b.p.stats || b.list) return;
    atomicAdd(&b.counts->blocks, (unsigned long long)blocks);
    atomicMax(&b.counts->most_blocks, blocks);
}

/* ---------------------------------------------------------------------- QL */

/* Blocks on a multiprocessor: more would cost the registers that the rest of the kernel takes. */
template <typename real, int N>
constexpr int rotate_blocks =
    heev_shape<number_of<real, false>, N>::blocks < 7 ? heev_shape<number_of<real, false>, N>::blocks : 7;

template <typename real, int N>
static __global__ void __launch_bounds__(THREADS, rotate_blocks<real, N>) rotate_kernel(stemr_batch_part b)
{
    constexpr int lanes = heev_shape<number_of<real, false>, N>::lanes, teams = THREADS / lanes, pitch = N + 1;
    static_assert((size_t)(2 * N + 4 + lanes) * 8 <= batch_place<real>::head_bytes(N), "no room to iterate anew");
    extern __shared__ double2 batch_memory[];
    lane_team<lanes> const team(threadIdx.x % 32);
    const heev_job &job = b.ql;
    int const n = (int)b.p.n, rank = team.rank, in_block = threadIdx.x / lanes;
    char *const memory = (char *)batch_memory + in_block * batch_place<real>::bytes(N, pitch);
    batch_place<real> const at(memory, N, pitch);
    int64_t const matrix = (int64_t)blockIdx.x * teams + in_block;
    bool const live = matrix < b.count;
    const real *const d = (const real *)job.d + matrix * n, *const e = (const real *)job.e + matrix * n;
    {
        real z[N];
        int const one = ql_row(live && ql_reverses(n, d, e), n, rank);
#pragma unroll
        for (int k = 0; k < N; ++k) z[k] = k == one;
        rotate_row<real, N>(job, matrix, live, team, (pair_of<real> *)at.z, z);
#pragma unroll
        for (int k = 0; k < N; ++k)
            if (rank < N) at.z[rank * pitch + k] = z[k] + 0; /* +0 for -0, as in heev_vectors.cu */
    }
    bool const slow = live && job.sweep_count[matrix] < 0;
    if (__any_sync(team.all, slow)) {
        real *const again = (real *)memory;
        rotate_slowly<real, N>(d, e, n, job.p.max_sweeps, slow, team, (ql_note<real> *)(at.a + 2 * N + 4), again, at.z);
    }
    __syncwarp(); /* Z is there */
    int place = 0;
    real x = 0;
    if (live && rank < n) place = job.order[matrix * n + rank], x = ((const real *)job.p.w)[matrix * n + place];
    finish(b, live && b.list ? b.list[matrix] : matrix, live ? b.scale[matrix] : NOT_FINITE, live, team, at, place,
           (double)x);
}

template <typename real, int N>
static eig_status launch_rotate(eig_context *ctx, const stemr_batch_part &b, cudaStream_t stream)
{
    constexpr int teams = THREADS / heev_shape<number_of<real, false>, N>::lanes;
    return cuda_launch(ctx, "stemr: rotate_kernel", stream,
                       {(b.count + teams - 1) / teams, THREADS, teams * batch_place<real>::bytes(N, N + 1)},
                       rotate_kernel<real, N>, b);
}

template <typename real> static eig_status enqueue_ql(eig_context *ctx, const stemr_batch_part &b, cudaStream_t stream)
{
    eig_status const status = eig_cuda_heev_ql(ctx, b.ql, stream);
    if (status != EIG_OK) return status;
    return b.p.n <= 8    ? launch_rotate<real, 8>(ctx, b, stream)
           : b.p.n <= 16 ? launch_rotate<real, 16>(ctx, b, stream)
           : b.p.n <= 24 ? launch_rotate<real, 24>(ctx, b, stream)
                         : launch_rotate<real, 32>(ctx, b, stream);
}

/* -------------------------------------------------------- divide and conquer */

/* Column k of Z from from + k*n on to column k of the place. */
template <typename real, typename team_type>
static __device__ __forceinline__ void fetch_columns(const batch_place<real> &at, const team_type &team, int n,
                                                     const real *from)
{
    enum { AT_ONCE = 8 };
    int const down = team.size % n, across = team.size / n;
    int i = team.rank % n, k = team.rank / n;
    for (int first = team.rank; first < n * n; first += AT_ONCE * team.size) {
        real x[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; ++j)
            if (first + j * team.size < n * n) x[j] = from[first + j * team.size];
#pragma unroll
        for (int j = 0; j < AT_ONCE; ++j) {
            if (first + j * team.size < n * n) at.z[i * at.pitch + k] = x[j];
            i += down, k += across;
            if (i >= n) i -= n, ++k;
        }
    }
}

template <typename real> static __global__ void __launch_bounds__(MOST_ROWS) finish_kernel(stemr_batch_part b)
{
    __shared__ double space[MOST_ROWS / 32];
    extern __shared__ double2 batch_memory[];
    int const n = (int)b.p.n, rank = threadIdx.x;
    int64_t const matrix = blockIdx.x;
    block_team<MOST_ROWS> const team = {rank, space};
    batch_place<real> const at(batch_memory, n, n | 1);
    fetch_columns(at, team, n, (const real *)b.t.z + matrix * n * n);
    double const x = rank < n ? (double)((const real *)b.t.d)[matrix * n + rank] : 0;
    finish(b, matrix, b.scale[matrix], true, team, at, rank, x);
}

template <typename real>
static eig_status enqueue_divide(eig_context *ctx, const stemr_batch_part &b, cudaStream_t stream)
{
    int const n = (int)b.p.n;
    eig_status const status = eig_cuda_heev_divide(ctx, b.t, stream);
    if (status != EIG_OK) return status;
    return cuda_launch(ctx, "stemr: finish_kernel", stream, {b.count, MOST_ROWS, batch_place<real>::bytes(n, n | 1)},
                       finish_kernel<real>, b);
}

/* ---------------------------------------------------------- ranges by value */

/* As stebz counts; a thread an end of a matrix's range. */
template <typename real> static __global__ void __launch_bounds__(THREADS) range_kernel(stemr_batch_part b, int *range)
{
    int64_t const at = (int64_t)blockIdx.x * THREADS + threadIdx.x, matrix = at / 2;
    if (matrix >= b.count) return;
    stebz_job job = {};
    job.d = (const real *)b.p.d + matrix * b.stride_d, job.e = (const real *)b.p.e + matrix * b.stride_e;
    job.t.n = b.p.n;
    stebz_facts const f = find_facts<real>(job, measure_rows((const real *)job.d, (const real *)job.e, b.p.n, 0, 1));
    range[at] = f.finite ? (int)count_alone<real>(job, f, sturm_above(at % 2 ? b.p.by_value.vu : b.p.by_value.vl)) : 0;
}

eig_status eig_cuda_stemr_batch_range(eig_context *ctx, const stemr_batch_part &b, int *range, cudaStream_t stream)
{
    cuda_shape const shape = {(2 * b.count + THREADS - 1) / THREADS, THREADS};
    return b.p.type == EIG_S ? cuda_launch(ctx, "stemr: range_kernel", stream, shape, range_kernel<float>, b, range)
                             : cuda_launch(ctx, "stemr: range_kernel", stream, shape, range_kernel<double>, b, range);
}

/* ------------------------------------------------------------------ launchers */

template <typename real> static eig_status solve_part(eig_context *ctx, const stemr_batch_part &b, cudaStream_t stream)
{
    int64_t const matrices = THREADS / 32;
    eig_status const status = cuda_launch(ctx, "stemr: load_kernel", stream,
                                          {(b.count + matrices - 1) / matrices, THREADS}, load_kernel<real>, b);
    if (status != EIG_OK) return status;
    return b.p.n <= HEEV_WARP ? enqueue_ql<real>(ctx, b, stream) : enqueue_divide<real>(ctx, b, stream);
}

eig_status eig_cuda_stemr_batch_part(eig_context *ctx, const stemr_batch_part &b, cudaStream_t stream)
{
    return b.p.type == EIG_S ? solve_part<float>(ctx, b, stream) : solve_part<double>(ctx, b, stream);
}
