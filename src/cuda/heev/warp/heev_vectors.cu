/* heev on CUDA, kernel 3 of the tridiagonal method, n <= 32: vectors of A = Q Z, Z those of T.
 *
 * Mapping  as kernel 1.  While QL's rotations are applied, a lane has a row of the real Z in registers; then Z is
 *          transposed in shared memory, and a lane has a column of it, on which the reflectors work.
 * Memory   the rotations of some sweeps are read together, each by one lane; they, and later the reflectors, go through
 *          shared memory, from which all lanes of a team read the same 16 bytes at once.
 * Cost     5 n^3 FMA for the rotations, n^3 (complex: 4 n^3) for the reflectors; bound by FP64. */
#include "heev/warp/heev_reflect.cuh"
#include "heev/warp/heev_rows.cuh"
#include "per_type.cuh"

template <typename number, int N>
static __global__ void __launch_bounds__(heev_shape<number, N>::threads, resident_blocks<heev_shape<number, N>>())
    heev_vectors_kernel(heev_job job)
{
    using real = typename number::real;
    using shape = heev_vectors_shape<number, N>;
    extern __shared__ double heev_memory[];
    lane_team<shape::lanes> const team(threadIdx.x % 32);
    int const n = (int)job.p.n, rank = team.rank;
    number *const tile = (number *)heev_memory + threadIdx.x / shape::lanes * shape::place;
    number *const space = tile + shape::tile;
    real *const transposed = (real *)tile;
    int64_t const at_most = heev_listed(job), turn = (int64_t)blockIdx.x * shape::teams + threadIdx.x / shape::lanes;
    bool const live = turn < at_most;
    if ((int64_t)blockIdx.x * shape::teams >= at_most) return;
    int64_t const m = live ? heev_member(job, turn) : 0;
    {
        real z[N];
        int const at =
            ql_row(live && ql_reverses(n, (const real *)job.d + m * n, (const real *)job.e + m * n), n, rank);
#pragma unroll
        for (int k = 0; k < N; ++k) z[k] = k == at;
        rotate_row<real, N>(job, m, live, team, (pair_of<real> *)tile, z);
#pragma unroll
        for (int k = 0; k < N; ++k)
            if (rank < N) transposed[rank * shape::pitch + k] = z[k];
    }
    bool const slow = live && job.sweep_count[m] < 0;
    if (__any_sync(team.all, slow))
        rotate_slowly<real, N>((const real *)job.d + m * n, (const real *)job.e + m * n, n, job.p.max_sweeps, slow,
                               team, (ql_note<real> *)space, (real *)(space + shape::beside), transposed);
    __syncwarp(); /* Z is there */
    number y[N];
#pragma unroll
    for (int i = 0; i < N; ++i) set(y[i], rank < N ? transposed[i * shape::pitch + rank] : (real)0, (real)0);
    __syncwarp(); /* the tile is free */
    int const to = live && rank < n ? job.order[m * n + rank] : 0;
    put_vectors<number, N>(job, m, live, team, tile, space, y, to, live && to < n - job.failed[m]);
}

template <typename number, int N>
static eig_status launch_vectors(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    using shape = heev_vectors_shape<number, N>;
    return cuda_launch(
        ctx, "heev: vectors_kernel", stream,
        {(job.count + shape::teams - 1) / shape::teams, shape::threads, shape::teams * shape::place * sizeof(number)},
        heev_vectors_kernel<number, N>, job);
}

eig_status TYPED(eig_cuda_heev_vectors)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    if (job.p.n <= 16) return launch_vectors<number, 16>(ctx, job, stream);
    if (job.p.n <= 24) return launch_vectors<number, 24>(ctx, job, stream);
    return launch_vectors<number, 32>(ctx, job, stream);
}
