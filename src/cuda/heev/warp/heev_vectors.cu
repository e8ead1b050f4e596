/* heev on CUDA, kernel 3 of the tridiagonal method, n <= 32: vectors of A = Q Z, Z those of T.
 *
 * Mapping  as kernel 1.  While QL's rotations are applied, a lane has a row of the real Z in registers; then Z is
 *          transposed in shared memory, and a lane has a column of it, on which the reflectors work.
 * Memory   the rotations of some sweeps are read together, each by one lane; they, and later the reflectors, go through
 *          shared memory, from which all lanes of a team read the same 16 bytes at once.
 * Cost     5 n^3 FMA for the rotations, n^3 (complex: 4 n^3) for the reflectors; bound by FP64. */
#include "heev/warp/heev_load.cuh"
#include "heev/warp/heev_rows.cuh"
#include "per_type.cuh"

/* Column y of Z becomes Q y: reflectors at + 7, ..., at, after those that follow; us: [N][N], reflector j at row j. */
template <typename number, int N, int at>
static __device__ __forceinline__ void reflect_column(int n, const number *us, const number *taus, number *y)
{
    constexpr int together = heev_shape<number, N>::together;
    if constexpr (at + 8 < N) reflect_column<number, N, at + 8>(n, us, taus, y);
    number zero;
    set(zero, (typename number::real)0, (typename number::real)0);
#pragma unroll 1
    for (int j = at + 7; j >= at; --j) {
        if (j > n - 2) continue;
        const number *const u = us + j * N;
        number dot[2] = {zero, zero};
#pragma unroll
        for (int i = at; i < N; i += together) {
            heev_pack<number> const v = *(const heev_pack<number> *)(u + i);
#pragma unroll
            for (int m = 0; m < together; ++m) {
                number &part = dot[(i + m) % 2];
                part = conj_product_add(v.x[m], y[i + m], part);
            }
        }
        number const factor = negative(product_add(taus[j], sum(dot[0], dot[1]), zero));
        /* The reflector is read again. Without the barrier the compiler would keep it, in registers that it lacks. */
        if constexpr (heev_shape<number, N>::words >= 64) __syncwarp();
#pragma unroll
        for (int i = at; i < N; i += together) {
            heev_pack<number> const v = *(const heev_pack<number> *)(u + i);
#pragma unroll
            for (int m = 0; m < together; ++m) y[i + m] = product_add(v.x[m], factor, y[i + m]);
        }
    }
}

/* The reflectors of matrix b from below the diagonal of v to us, with zeros elsewhere. */
template <typename number, int N, int L>
static __device__ __forceinline__ void load_reflectors(const heev_job &job, int64_t b, bool live,
                                                       const lane_team<L> &team, number *us)
{
    batch_strides const s = job.at_v;
    int const n = (int)job.p.n, rank = team.rank;
    bool const rows = s.j < s.i;
    const number *const v = (const number *)job.p.v + (b * s.b + rank * (rows ? s.j : s.i));
    int64_t const across = rows ? s.i : s.j;
#pragma unroll 1
    for (int c0 = 0; c0 < N; c0 += 8) { /* loads in flight at a time */
        number x[8];
#pragma unroll
        for (int c = 0; c < 8; ++c) {
            int const i = rows ? c0 + c : rank, j = rows ? rank : c0 + c;
            set(x[c], (typename number::real)0, (typename number::real)0);
            if (live && i < n && i > j) x[c] = load_number(v + (c0 + c) * across);
        }
#pragma unroll
        for (int c = 0; c < 8; ++c)
            if (rank < N) us[rows ? rank * N + c0 + c : (c0 + c) * N + rank] = x[c];
    }
}

/* A team's place in shared memory, in numbers: rotations, Z, the reflectors and V in turn; beside it the reflectors'
 * factors, or a sweep's rotations where QL iterates anew; and T. */
template <typename number, int N> struct heev_vectors_shape : heev_shape<number, N> {
    using base = heev_shape<number, N>;
    static constexpr int pairs = (2 * base::lanes + 2) * (int)sizeof(typename number::real) / (int)sizeof(number) + 1;
    static constexpr int beside = ((pairs > base::lanes ? pairs : base::lanes) + 3) / 4 * 4;
    static constexpr int de = (2 * N + 4) * (int)sizeof(typename number::real) / (int)sizeof(number);
    static constexpr int needed = base::tile + beside + de;
    static constexpr int place = needed + (needed / base::together % 2 == 0 ? base::together : 0);
};

template <typename number, int N>
static __global__ void __launch_bounds__(heev_shape<number, N>::threads, heev_shape<number, N>::blocks)
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
    int64_t const m = (int64_t)blockIdx.x * shape::teams + threadIdx.x / shape::lanes, b = job.first + m;
    bool const live = m < job.count;
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
    load_reflectors<number, N>(job, b, live, team, tile);
    set(space[rank], (real)0, (real)0);
    if (live && rank < n) space[rank] = ((const number *)job.tau)[m * n + rank];
    __syncwarp(); /* the reflectors are there */
    reflect_column<number, N, 0>(n, tile, space, y);
    __syncwarp(); /* the tile is free */
    if (live && rank < n) {
        int const to = job.order[m * n + rank];
        bool const good = to < n - job.failed[m];
#pragma unroll
        for (int i = 0; i < N; ++i) {
            /* Adding zero makes -0 to 0: a sweep of another matrix of the warp may have changed a zero's sign. */
            number x;
            set(x, y[i].re + (real)0, imaginary(y[i]) + (real)0);
            if (!good) set(x, (real)NAN, (real)NAN);
            if (i < n) tile[to * shape::pitch + i] = x;
        }
    }
    __syncwarp(); /* V is there, column by column */
    if (live) heev_store<number, N>(job, b, team, [=](int i, int j) { return tile[j * shape::pitch + i]; });
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
