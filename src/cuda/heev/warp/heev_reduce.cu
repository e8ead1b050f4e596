/* heev on CUDA, kernel 1 of the tridiagonal method, n <= 32: A = Q T Q^H by Householder reflectors.
 *
 * Mapping  L = 8, 16 or 32 lanes a matrix, 4, 2 or 1 matrices a warp; lane r has row r of A in registers, indexed by
 *          constants alone.  Blocks of 8 columns are written out; in front of the diagonal everything is 0.
 * Memory   a step's vectors u and w go through shared memory, from which all lanes read the same 16 bytes at once.  The
 *          reflectors are left in v, below the diagonal, where kernel 3 takes them from.
 * Formula  as LAPACK's zhetd2 and zlarfg: H = I - tau u u^H, u = (1, ...), makes real off-diagonals.  Entries are
 *          scaled to about 1, so that a column whose squares vanish is negligible: it counts as 0.
 * Cost     complex: 12 n^3 / 2 FMA a matrix, both triangles being worked on; bound by FP64 and by shared memory. */
#include "heev/heev_certify.cuh"
#include "heev/heev_reflector.cuh"
#include "heev/warp/heev_load.cuh"
#include "per_type.cuh"

/* A row of A and what becomes of it. */
template <typename number, int N> struct heev_row {
    using real = typename number::real;
    using shape = heev_shape<number, N>;
    using team_type = lane_team<shape::lanes>;
    number a[N];
    real d, e;  /* of T, at this lane's row */
    number tau; /* of this lane's reflector */

    /* Column k of the block of 8 from `at` on, without a run-time index. */
    template <int at> __device__ __forceinline__ number column(int k) const
    {
        number x[4];
#pragma unroll
        for (int m = 0; m < 4; ++m) x[m] = k & 1 ? a[at + 2 * m + 1] : a[at + 2 * m];
        number const low = k & 2 ? x[1] : x[0], high = k & 2 ? x[3] : x[2];
        return k & 4 ? high : low;
    }

    /* The reflector that takes x, rows k+1.. of column k, to a multiple of the first: u and tau; the multiple. */
    __device__ __forceinline__ real reflect(const team_type &team, int k, number x, number *u, number *factor) const
    {
        number alpha;
        real const im = __shfl_sync(team.all, imaginary(x), k + 1, shape::lanes);
        set(alpha, __shfl_sync(team.all, x.re, k + 1, shape::lanes), im);
        real const rest = team.sum(team.rank > k + 1 ? square(x) : (real)0) + im * im;
        heev_reflector<number> const h = reflector_of(alpha, rest);
        number zero;
        set(zero, (real)0, (real)0);
        *u = product_add(h.divisor, x, zero);
        if (team.rank <= k) *u = zero;
        if (team.rank == k + 1) set(*u, (real)1, (real)0);
        *factor = h.factor;
        return h.beta;
    }

    /* A <- H^H A H for the reflector u.  Rows and columns that are done with change too, to no effect. */
    template <int at>
    __device__ __forceinline__ void apply(const team_type &team, number u, number factor, number *us, number *ws)
    {
        constexpr int together = shape::together;
        us[team.rank] = u;
        __syncwarp(); /* u is there */
        number p[together];
#pragma unroll
        for (int m = 0; m < together; ++m) set(p[m], (real)0, (real)0);
#pragma unroll
        for (int j = at; j < N; j += together) {
            heev_pack<number> const v = *(const heev_pack<number> *)(us + j);
#pragma unroll
            for (int m = 0; m < together; ++m) p[m] = product_add(a[j + m], v.x[m], p[m]);
        }
#pragma unroll
        for (int m = 1; m < together; ++m) p[0] = sum(p[0], p[m]);
        number zero;
        set(zero, (real)0, (real)0);
        number const q = product_add(factor, p[0], zero);
        number const part = conj_product_add(q, u, zero);
        number dot;
        set(dot, team.sum(part.re), number::complex ? team.sum(imaginary(part)) : (real)0);
        number const half = product_add(scaled((real)-0.5, factor), dot, zero);
        number const w = product_add(half, u, q);
        ws[team.rank] = w;
        __syncwarp(); /* w is there */
        number const minus_u = negative(u), minus_w = negative(w);
#pragma unroll
        for (int j = at; j < N; j += together) {
            heev_pack<number> const v = *(const heev_pack<number> *)(us + j);
            heev_pack<number> const x = *(const heev_pack<number> *)(ws + j);
#pragma unroll
            for (int m = 0; m < together; ++m)
                a[j + m] = conj_product_add(v.x[m], minus_w, conj_product_add(x.x[m], minus_u, a[j + m]));
        }
        __syncwarp(); /* u and w are free */
    }

    /* Steps at, ..., at + 7, then those that follow. */
    template <int at>
    __device__ __forceinline__ void reduce(const team_type &team, int n, number *us, number *ws, number *v,
                                           int64_t along, int64_t across)
    {
#pragma unroll 1
        for (int k = at; k < at + 8 && k < n; ++k) {
            number const x = column<at>(k - at);
            if (team.rank == k) d = x.re;
            if (k == n - 1) return;
            number u, factor;
            real const beta = reflect(team, k, x, &u, &factor);
            if (team.rank == k) e = beta, tau = factor;
            if (v && team.rank > k && team.rank < n) store_number(v + team.rank * along + k * across, u);
            apply<at>(team, u, factor, us, ws);
        }
        if constexpr (at + 8 < N) reduce<at + 8>(team, n, us, ws, v, along, across);
    }
};

/* What the certificate asks of A, a row of which is in a lane, times `inverse`; most: its largest part.  Its x are
 * constants. */
template <typename number, int N, typename team_type>
static __device__ __forceinline__ void put_sums(const heev_job &job, int64_t m, bool live, const team_type &team,
                                                typename number::real most, typename number::real inverse,
                                                const number *row)
{
    using real = typename number::real;
    real squares = 0, trace = 0;
    number zero;
    set(zero, (real)0, (real)0);
    number with = zero; /* the row times x */
#pragma unroll
    for (int j = 0; j < N; ++j) {
        squares = squares + square(row[j]);
        with = product_add(probe_at<number>(j), row[j], with);
        if (j == team.rank) trace = row[j].re;
    }
    real form = probe_add(with, (unsigned)team.rank, zero).re;
    trace = team.sum(trace), squares = team.sum(squares), form = team.sum(form);
    if (live && team.rank == 0) {
        job.certificates[m] = {(double)most, (double)inverse, (double)trace, (double)squares, (double)form};
        job.marks[m] = 0;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) *job.doubts = 0;
}

template <typename number, int N>
static __global__ void __launch_bounds__(heev_shape<number, N>::threads, resident_blocks<heev_shape<number, N>>())
    heev_reduce_kernel(heev_job job)
{
    using real = typename number::real;
    using shape = heev_shape<number, N>;
    extern __shared__ double heev_memory[];
    lane_team<shape::lanes> const team(threadIdx.x % 32);
    int const n = (int)job.p.n, place = threadIdx.x / shape::lanes;
    number *const tile = (number *)heev_memory + place * shape::place;
    number *const us = tile + shape::tile, *const ws = us + shape::lanes;
    int64_t const m = (int64_t)blockIdx.x * shape::teams + place;
    bool const live = m < job.count;
    if (job.listed && blockIdx.x == 0 && threadIdx.x == 0) *job.listed = 0;
    real const big = heev_load<number, N>(job, job.first + m, live, team, shape::pitch, tile);
    bool const finite = big == big;
    real const unit = heev_unit(finite ? big : (real)1), inverse = pow2_inverse(unit);
    __syncwarp(); /* the tile is loaded */
    heev_row<number, N> row;
#pragma unroll
    for (int j = 0; j < N; ++j) {
        set(row.a[j], (real)0, (real)0);
        if (finite && j < n && team.rank < n) row.a[j] = scaled(inverse, tile[team.rank * shape::pitch + j]);
    }
    if (job.certificates) put_sums<number, N>(job, m, live, team, finite ? big : (real)INFINITY, inverse, row.a);
    row.d = row.e = 0;
    set(row.tau, (real)0, (real)0);
    batch_strides const s = job.at_v;
    number *const v = live && job.p.v ? (number *)job.p.v + (job.first + m) * s.b : NULL;
    row.template reduce<0>(team, n, us, ws, v, s.i, s.j);
    if (!live) return;
    if (team.rank < n) {
        ((real *)job.d)[m * n + team.rank] = row.d, ((real *)job.e)[m * n + team.rank] = row.e;
        if (v) ((number *)job.tau)[m * n + team.rank] = row.tau;
    }
    if (team.rank == 0) ((real *)job.unit)[m] = finite ? unit : (real)NAN;
}

template <typename number, int N>
static eig_status launch_reduce(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    using shape = heev_shape<number, N>;
    return cuda_launch(
        ctx, "heev: reduce_kernel", stream,
        {(job.count + shape::teams - 1) / shape::teams, shape::threads, shape::teams * shape::place * sizeof(number)},
        heev_reduce_kernel<number, N>, job);
}

eig_status TYPED(eig_cuda_heev_reduce)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    if (job.p.n <= 16) return launch_reduce<number, 16>(ctx, job, stream);
    if (job.p.n <= 24) return launch_reduce<number, 24>(ctx, job, stream);
    return launch_reduce<number, 32>(ctx, job, stream);
}
