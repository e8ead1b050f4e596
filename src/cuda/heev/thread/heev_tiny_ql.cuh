/* heev on CUDA, n <= 8: implicit QL by one thread, T and Z in registers with constant indices. */
#ifndef EIG_HEEV_TINY_QL_CUH
#define EIG_HEEV_TINY_QL_CUH

#include "heev/heev_rotation.cuh"
#include "heev/warp/heev_ql.cuh"

/* T of a thread in shared memory, beside that in registers: rows by a run-time index. */
template <typename real, int N> struct tiny_rows {
    enum { LANES = 32 };
    real *at; /* of this lane; others' lie between */

    __device__ __forceinline__ real &d(int i) const
    {
        return at[i * LANES];
    }
    __device__ __forceinline__ real &e(int i) const
    {
        return at[(N + i) * LANES];
    }
};

/* Brings T there, reversed where ql_reverses says so, and back; whether it is reversed.  n is N or N - 1. */
template <typename real, int N>
static __device__ __forceinline__ bool tiny_reverse(int n, real (&d)[N], real (&e)[N], tiny_rows<real, N> rows)
{
    bool const full = n == N;
    bool const reversed = ql_reverses(d[0], e[0], full ? d[N - 1] : d[N - 2], full ? e[N - 2] : e[N - 3]);
#pragma unroll
    for (int i = 0; i < N; ++i) {
        if (i < n) rows.d(ql_row(reversed, n, i)) = d[i];
        if (i < n - 1) rows.e(ql_beside(reversed, n, i)) = e[i];
    }
#pragma unroll
    for (int i = 0; i < N; ++i) {
        if (i < n) d[i] = rows.d(i);
        if (i < n - 1) e[i] = rows.e(i);
    }
    return reversed;
}

/* What splits T: see ql_threshold. */
template <typename real, int N>
static __device__ __forceinline__ real tiny_threshold(int n, const real (&d)[N], const real (&e)[N])
{
    real norm = 0, before = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        if (i >= n) continue;
        real const beside = i < n - 1 ? fabs(e[i]) : (real)0;
        norm = fmax(norm, before + fabs(d[i]) + beside), before = beside;
    }
    return ql_threshold(norm);
}

/* The eigenvalues of T, which is in rows, too, in d, and the rotations on the rows of z; how many values are good, the first
 * ones.  As heev_ql.cuh does it. */
template <typename real, int N, bool vectors>
static __device__ __forceinline__ int tiny_ql(int n, int max_sweeps, real (&d)[N], real (&e)[N],
                                              tiny_rows<real, N> rows, real (&z)[vectors ? N : 1][N])
{
    ql_state<real, 2> state;
    state.start(n);
    state.small = tiny_threshold(n, d, e);
#pragma unroll
    for (int i = 0; i < N - 1; ++i)
        if (i < n - 1 && fabs(e[i]) <= state.small) state.mask |= 1u << i;
    int m;
#pragma unroll 1
    while (state.find(max_sweeps, &m)) {
        int const low = state.l;
        ql_bulge<real> bulge;
        bulge.start(rows.d(m), shift_of(rows.d(low), rows.e(low), rows.d(low + 1)));
        unsigned found = 0, steps = (1u << m) - (1u << low);
#pragma unroll
        for (int i = N - 2; i >= 0; --i) {
            if (!(steps & 1u << i)) continue;
            real here, beside;
            bool const moved = bulge.move(d[i], e[i], &here, &beside);
            if (!moved) here = bulge.below, beside = 0, steps = 0;
            e[i + 1] = rows.e(i + 1) = beside, d[i + 1] = rows.d(i + 1) = here;
            found |= fabs(beside) <= state.small ? 1u << (i + 1) : 0; /* row m splits anyway */
            if (vectors) {
                pair_of<real> j = ql_rotation(bulge.c, bulge.s);
                if (!moved) j.x = 1, j.y = 0;
#pragma unroll
                for (int r = 0; r < N; ++r) ql_rotate(j, z[vectors ? r : 0][i], z[vectors ? r : 0][i + 1]);
            }
            if (i == low && moved) {
                d[i] = rows.d(i) = bulge.above - bulge.p, e[i] = rows.e(i) = bulge.g;
                found |= fabs(e[i]) <= state.small ? 1u << i : 0;
            }
        }
        state.end_sweep(m, found);
    }
    return state.l;
}

/* The same for n = 3: sweeps of two steps until an off-diagonal is negligible, then one rotation. */
template <typename real, bool vectors>
static __device__ __forceinline__ int tiny_ql3(int max_sweeps, real (&d)[3], real (&e)[3],
                                               real (&z)[vectors ? 3 : 1][3])
{
    real const small = tiny_threshold(3, d, e);
    bool upper, lower; /* whether e[0], e[1] are negligible */
#pragma unroll 1
    for (int sweep = 0;; ++sweep) {
        upper = fabs(e[0]) <= small, lower = fabs(e[1]) <= small;
        if (upper || lower) break;
        if (sweep == max_sweeps) return 0;
        ql_bulge<real> bulge;
        real beside;
        bulge.start(d[2], shift_of(d[0], e[0], d[1]));
        bulge.move(d[1], e[1], &d[2], &beside); /* e[1] is not 0: there is a bulge */
        pair_of<real> const j = ql_rotation(bulge.c, bulge.s);
        bool const moved = bulge.move(d[0], e[0], &d[1], &e[1]);
        if (!moved) d[1] = bulge.below, e[1] = 0;
        pair_of<real> const k = ql_rotation(bulge.c, bulge.s);
        if (moved) d[0] = bulge.above - bulge.p, e[0] = bulge.g;
        if (vectors)
#pragma unroll
            for (int r = 0; r < 3; ++r) {
                ql_rotate(j, z[vectors ? r : 0][1], z[vectors ? r : 0][2]);
                if (moved) ql_rotate(k, z[vectors ? r : 0][0], z[vectors ? r : 0][1]);
            }
    }
    if (upper && lower) return 3;
    using number = number_of<real, false>;
    real shift;
    heev_rotation<number> const last =
        rotation_of(upper ? d[1] : d[0], upper ? d[2] : d[1], number{upper ? e[1] : e[0]}, &shift);
    pair_of<real> const j = {1 - last.g, last.s.re};
    if (upper)
        d[1] -= shift, d[2] += shift;
    else
        d[0] -= shift, d[1] += shift;
    if (vectors)
#pragma unroll
        for (int r = 0; r < 3; ++r) {
            real *const row = z[vectors ? r : 0];
            real x = upper ? row[1] : row[0], y = upper ? row[2] : row[1];
            ql_rotate(j, x, y);
            row[0] = upper ? row[0] : x, row[1] = upper ? x : y, row[2] = upper ? y : row[2];
        }
    return 3;
}

#endif
