/* heev on CUDA, n <= 32: vectors of A = Q Z from those of T, a lane a column, for kernels 2 and 3 of the tridiagonal
 * method (heev_twist.cu, heev_vectors.cu). */
#ifndef EIG_HEEV_REFLECT_CUH
#define EIG_HEEV_REFLECT_CUH

#include "heev/heev_gauge.cuh"
#include "heev/warp/heev_load.cuh"

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

/* Column y of Z, of this lane, becomes column `to` of V, NaN unless good; lanes beyond the matrix only help.  tile and
 * space: parts of the team's place. */
template <typename number, int N, int L>
static __device__ __forceinline__ void put_vectors(const heev_job &job, int64_t m, bool live, const lane_team<L> &team,
                                                   number *tile, number *space, number *y, int to, bool good)
{
    using real = typename number::real;
    constexpr int pitch = heev_shape<number, N>::pitch;
    int const n = (int)job.p.n, rank = team.rank;
    int64_t const b = job.first + m;
    load_reflectors<number, N>(job, b, live, team, tile);
    set(space[rank], (real)0, (real)0);
    if (live && rank < n) space[rank] = ((const number *)job.tau)[m * n + rank];
    __syncwarp(); /* the reflectors are there */
    reflect_column<number, N, 0>(n, tile, space, y);
    __syncwarp(); /* the tile is free */
    if (live && rank < n) {
        number const lead = gauge_lead<N>(y), by = gauge_factor(lead);
#pragma unroll
        for (int i = 0; i < N; ++i) {
            /* -0 becomes 0: a sweep of another matrix of the warp may have changed a zero's sign. */
            number x = gauge_turned(lead, by, y[i]);
            if (!good) set(x, (real)NAN, (real)NAN);
            if (i < n) tile[to * pitch + i] = x;
        }
    }
    __syncwarp(); /* V is there, column by column */
    if (live) heev_store<number, N>(job, b, team, [=](int i, int j) { return tile[j * pitch + i]; });
}

#endif
