/* heev on CUDA, kernel 2 of the tridiagonal method, n <= 32: eigenpairs of T, a lane a pair (heev_twist.cuh), and from
 * them those of A = Q Z.  Values alone take the same steps, and have the same bits.
 *
 * Mapping  as kernel 1; Z and then the reflectors lie in shared memory, and a lane has a column of Z, on which the
 *          reflectors work.
 * Else     a matrix whose pairs are not found so is listed, and heev_ql.cu and heev_vectors.cu solve it: close
 *          eigenvalues, and what is not finite.
 * Cost     45 n^3 operations for T, n^3 FMA (complex: 4 n^3) for the reflectors. */
#include "heev/warp/heev_reflect.cuh"
#include "heev/warp/heev_twist.cuh"
#include "per_type.cuh"

/* A team's place: T's pairs, or the reflectors and V, and the reflectors' factors. */
template <typename number, int N> struct heev_twist_shape : heev_shape<number, N> {
    using base = heev_shape<number, N>;
    static constexpr size_t space = (size_t)base::tile * sizeof(number);
    static constexpr size_t needed = space + base::lanes * sizeof(number);
    static constexpr size_t bytes =
        ((needed > twist_place<N>::bytes ? needed : twist_place<N>::bytes) + 31) / 32 * 32 + 16;
    static constexpr int blocks = base::blocks < 4 ? base::blocks : 4;
};

template <typename number, int N>
static __global__ void __launch_bounds__(heev_shape<number, N>::threads, heev_twist_shape<number, N>::blocks)
    heev_twist_kernel(heev_job job)
{
    using real = typename number::real;
    using shape = heev_twist_shape<number, N>;
    constexpr int pitch = twist_shape<N>::pitch;
    extern __shared__ double heev_memory[];
    lane_team<shape::lanes> const team(threadIdx.x % 32);
    int const n = (int)job.p.n, rank = team.rank;
    int64_t const m = (int64_t)blockIdx.x * shape::teams + threadIdx.x / shape::lanes, b = job.first + m;
    bool const live = m < job.count;
    char *const memory = (char *)heev_memory + threadIdx.x / shape::lanes * shape::bytes;
    twist_place<N> const pairs(memory);
    double d = 0, e = 0;
    if (live && rank < n) d = (double)((const real *)job.d)[m * n + rank];
    if (live && rank < n - 1) e = (double)((const real *)job.e)[m * n + rank];
    real const unit = live ? ((const real *)job.unit)[m] : (real)NAN;
    twist_entry const row = twist_scaled(team, d, e);
    double norm, x;
    bool const found =
        twist_pairs<N>(team, n, unit == unit && row.finite, row, pairs, (int)(shape::bytes / 8), &norm, &x);
    if (live && !found && rank == 0) job.list[atomicAdd(job.listed, 1)] = (int)m;
    /* A value is not below the one before it. */
    if (rank >= n) x = INFINITY;
#pragma unroll
    for (int k = 1; k < shape::lanes; k *= 2) {
        double const other = __shfl_up_sync(team.all, x, k, shape::lanes);
        if (rank >= k) x = fmax(x, other);
    }
    if (found && rank < n) ((real *)job.p.w)[b * job.p.stride_w + rank] = (real)scalbn(x, row.scale) * unit + (real)0;
    if (found && rank == 0 && job.p.info) job.p.info[b] = 0;
    if (found && rank == 0 && job.p.sweeps) job.p.sweeps[b] = 0;
    if (!job.p.v || !__any_sync(0xffffffffu, found)) return;
    number y[N];
#pragma unroll
    for (int i = 0; i < N; ++i) set(y[i], found ? (real)pairs.z[i * pitch + rank] : (real)0, (real)0);
    __syncwarp(); /* the place is free */
    put_vectors<number, N>(job, m, found, team, (number *)memory, (number *)(memory + shape::space), y, rank, true);
}

template <typename number, int N>
static eig_status launch_twist(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    using shape = heev_twist_shape<number, N>;
    return cuda_launch(ctx, "heev: twist_kernel", stream,
                       {(job.count + shape::teams - 1) / shape::teams, shape::threads, shape::teams * shape::bytes},
                       heev_twist_kernel<number, N>, job);
}

eig_status TYPED(eig_cuda_heev_twist)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    if (job.p.n <= 16) return launch_twist<number, 16>(ctx, job, stream);
    if (job.p.n <= 24) return launch_twist<number, 24>(ctx, job, stream);
    return launch_twist<number, 32>(ctx, job, stream);
}
