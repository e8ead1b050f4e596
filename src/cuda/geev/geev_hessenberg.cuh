/* Reduction to Hessenberg form by one team: H := Q' H Q for rows and columns lo..hi, in memory.
 *
 * Each thread takes four columns, then four rows at a time: four sums run side by side and share the loads of the
 * reflector.  Below the subdiagonal the reflectors stay behind.  What lies beside the block lo..hi is not updated,
 * since only eigenvalues are wanted. */
#ifndef EIG_GEEV_HESSENBERG_CUH
#define EIG_GEEV_HESSENBERG_CUH

#include "geev_balance.cuh"
#include "words/team.cuh"

enum { GEEV_SIDE_BY_SIDE = 4 };

/* Applies I - tau u u' to vectors first, ..., hi of the team's matrix: entry m of vector v at start[v*apart + m*along],
 * entry m of u at u[m*u_along]; m < length. */
template <typename real, typename team_type>
static __device__ __forceinline__ void reflect(team_type team, int first, int hi, int length, real tau, real *start,
                                               int64_t apart, int64_t along, const real *u, int64_t u_along)
{
    constexpr int U = GEEV_SIDE_BY_SIDE, P = team_type::size;
    for (int v = first + team.rank; v <= hi; v += U * P) {
        real *x[U];
        real sum[U];
#pragma unroll
        for (int c = 0; c < U; ++c) {
            x[c] = start + (v + c * P <= hi ? v + c * P : v) * apart; /* beyond the end: v once more, not stored */
            sum[c] = 0;
        }
#pragma unroll 2
        for (int m = 0; m < length; ++m) {
            real const um = u[m * u_along];
#pragma unroll
            for (int c = 0; c < U; ++c) sum[c] = fma(um, x[c][m * along], sum[c]);
        }
#pragma unroll
        for (int c = 0; c < U; ++c) sum[c] *= -tau;
#pragma unroll 2
        for (int m = 0; m < length; ++m) {
            real const um = u[m * u_along];
            real y[U];
#pragma unroll
            for (int c = 0; c < U; ++c) y[c] = fma(sum[c], um, x[c][m * along]);
#pragma unroll
            for (int c = 0; c < U; ++c)
                if (c == 0 || v + c * P <= hi) x[c][m * along] = y[c];
        }
    }
}

template <typename real, typename team_type>
static __device__ void hessenberg(team_type team, geev_view<real> h, int lo, int hi)
{
    constexpr int P = team_type::size;
    for (int k = lo; k < hi - 1; ++k) {
        /* The reflector that leaves column k one entry below the diagonal; u takes the place of what it removes. */
        real most = 0, tail = 0;
        for (int i = k + 1 + team.rank; i <= hi; i += P) most = fmax(most, fabs(h(i, k)));
        real const scale = unit_of(team.max(most));
        for (int i = k + 2 + team.rank; i <= hi; i += P) tail = fma(h(i, k) * scale, h(i, k) * scale, tail);
        tail = team.sum(tail);
        if (tail == 0) { /* nothing to remove, or too small to matter: below SAFMIN */
            for (int i = k + 2 + team.rank; i <= hi; i += P) h(i, k) = 0;
            team.sync();
            continue;
        }
        real const x0 = h(k + 1, k) * scale;
        real norm, pivot, tau;
        householder(x0, x0 * x0 + tail, &norm, &pivot, &tau);
        real const inverse = 1 / pivot;
        team.sync();
        /* scale / pivot may overflow where the column is subnormal */
        for (int i = k + 2 + team.rank; i <= hi; i += P) h(i, k) = h(i, k) * scale * inverse;
        if (team.rank == 0) h(k + 1, k) = 1;
        team.sync();
        int const length = hi - k;
        int64_t const row = (int64_t)h.row * h.step;
        reflect(team, k + 1, hi, length, tau, &h(k + 1, 0), h.step, row, &h(k + 1, k), row);
        team.sync();
        reflect(team, lo, hi, length, tau, &h(0, k + 1), row, h.step, &h(k + 1, k), row);
        team.sync();
        if (team.rank == 0) h(k + 1, k) = -norm / scale;
        team.sync();
    }
}

#endif
