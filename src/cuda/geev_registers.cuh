/* Reduction to Hessenberg form in registers, by a team of R*R lanes: lane (r, c) holds the entries (i, j) with
 * i % R = r, j % R = c, in a T x T array; n <= R*T.
 *
 * For each column k a reflector I - tau u u' is applied from both sides at once: with w = tau A'u and z = tau A u,
 *     (I - tau u u') A (I - tau u u') = A - u w' - (z - tau (u'z) u) u',
 * so each entry is read once for the two products and once for the update, and all of that stays in registers.  Vectors
 * go from lane to lane by shuffles.  Arrays are indexed by constants alone: the loop over k / R is unrolled.
 * Cost     5 R T^3 / 3 FMAs and about 4 R T^2 shuffles a lane; entries beside lo..hi are updated too, as far as that
 *          leaves the eigenvalues alone. */
#ifndef EIG_GEEV_REGISTERS_CUH
#define EIG_GEEV_REGISTERS_CUH

#include "geev_balance.cuh"
#include "geev_team.cuh"

template <typename real, int R, int T> struct register_tile {
    real x[T][T];
    int r, c; /* the lane's place */
    unsigned mask;

    __device__ __forceinline__ explicit register_tile(geev_team<R * R> team)
        : r(team.rank / R), c(team.rank % R), mask(team.mask)
    {
    }
    /* Sums over the lanes of a column (rows of lanes) or of a row of the grid. */
    __device__ __forceinline__ real sum_rows(real value) const
    {
#pragma unroll
        for (int d = R; d < R * R; d *= 2) value += __shfl_xor_sync(mask, value, d);
        return value;
    }
    __device__ __forceinline__ real sum_columns(real value) const
    {
#pragma unroll
        for (int d = 1; d < R; d *= 2) value += __shfl_xor_sync(mask, value, d);
        return value;
    }
    __device__ __forceinline__ real max_rows(real value) const
    {
#pragma unroll
        for (int d = R; d < R * R; d *= 2) value = fmax(value, __shfl_xor_sync(mask, value, d));
        return value;
    }
    /* The value that lane (row, column) of the team's grid holds. */
    __device__ __forceinline__ real from(real value, int row, int column) const
    {
        return R == 1 ? value : __shfl_sync(mask, value, row * R + column, R * R);
    }
    __device__ __forceinline__ void load(geev_view<real> h)
    {
#pragma unroll
        for (int a = 0; a < T; ++a)
#pragma unroll
            for (int b = 0; b < T; ++b) {
                int const i = a * R + r, j = b * R + c;
                x[a][b] = i < h.n && j < h.n ? h(i, j) : (real)0;
            }
    }
    __device__ __forceinline__ void store(geev_view<real> h) const
    {
#pragma unroll
        for (int a = 0; a < T; ++a)
#pragma unroll
            for (int b = 0; b < T; ++b) {
                int const i = a * R + r, j = b * R + c;
                if (i < h.n && j < h.n) h(i, j) = x[a][b];
            }
    }

    /* Whether balancing would change nothing: no row and column differ by a factor of two.  May say no too often. */
    __device__ __forceinline__ bool is_balanced(int n) const
    {
        bool balanced = true;
#pragma unroll
        for (int a = 0; a < T; ++a) {
            real column = 0, row = 0;
#pragma unroll
            for (int b = 0; b < T; ++b) {
                column = fma(x[b][a], x[b][a], column);
                row = fma(x[a][b], x[a][b], row);
            }
            column = sum_rows(column), row = sum_columns(row);
            column = from(column, 0, r); /* of column a*R + r, as the row */
            real const least = geev_limits<real>::square_safe;
            bool const safe = row > least && column > least && row < 1 / least && column < 1 / least;
            if (a * R + r < n && !(safe && column >= (real)0.25 * row && (real)0.25 * column < row)) balanced = false;
        }
        return balanced;
    }

    /* The reflector for column k = kb*R + kc in rows k+1..hi: ur and uc are u at the rows and columns of this lane.
     * Returns tau; 0: there is nothing to remove. */
    template <int kb> __device__ __forceinline__ real reflector(int kc, int hi, real *ur, real *uc, real *beta) const
    {
        int const k = kb * R + kc;
        real most = 0, tail = 0, head = 0;
#pragma unroll
        for (int a = kb; a < T; ++a) {
            int const i = a * R + r;
            real const value = from(x[a][kb], r, kc);
            ur[a] = i > k && i <= hi ? value : (real)0;
            most = fmax(most, fabs(ur[a]));
            head += i == k + 1 ? ur[a] : (real)0;
            tail = i == k + 1 ? tail : fma(ur[a], ur[a], tail);
        }
        most = max_rows(most), head = sum_rows(head);
        real scale = 1;
        if (most < geev_limits<real>::square_safe) { /* squares lost digits: once more, scaled */
            scale = unit_of(most);
            tail = 0;
#pragma unroll
            for (int a = kb; a < T; ++a)
                if (a * R + r != k + 1) tail = fma(ur[a] * scale, ur[a] * scale, tail);
        }
        tail = sum_rows(tail);
        real const x0 = head * scale, norm = sqrt(x0 * x0 + tail), signed_norm = x0 < 0 ? -norm : norm;
        real const pivot = x0 + signed_norm, factor = tail > 0 ? scale / pivot : (real)0;
        *beta = tail > 0 ? -signed_norm / scale : head;
#pragma unroll
        for (int a = kb; a < T; ++a) ur[a] = a * R + r == k + 1 ? (real)1 : ur[a] * factor;
#pragma unroll
        for (int b = kb; b < T; ++b) uc[b] = from(ur[b], c, 0);
        return tail > 0 ? fabs(pivot) / norm : (real)0;
    }

    /* Step k of the reduction. */
    template <int kb> __device__ __forceinline__ void step(int kc, int hi)
    {
        int const k = kb * R + kc;
        real ur[T], uc[T], beta;
        real const tau = reflector<kb>(kc, hi, ur, uc, &beta);
        real w[T], z[T], inner = 0;
#pragma unroll
        for (int b = kb; b < T; ++b) {
            w[b] = 0;
#pragma unroll
            for (int a = kb; a < T; ++a) w[b] = fma(ur[a], x[a][b], w[b]);
            w[b] = b * R + c > k ? -tau * sum_rows(w[b]) : (real)0 * sum_rows(w[b]);
        }
#pragma unroll
        for (int a = 0; a < T; ++a) {
            z[a] = 0;
#pragma unroll
            for (int b = kb; b < T; ++b) z[a] = fma(uc[b], x[a][b], z[a]);
            z[a] = -tau * sum_columns(z[a]);
            if (a >= kb) inner = fma(ur[a], z[a], inner);
        }
        inner = tau * sum_rows(inner);
#pragma unroll
        for (int a = kb; a < T; ++a) z[a] = fma(-inner, ur[a], z[a]);
#pragma unroll
        for (int a = 0; a < T; ++a)
#pragma unroll
            for (int b = kb; b < T; ++b) {
                if (a >= kb) x[a][b] = fma(ur[a], w[b], x[a][b]);
                x[a][b] = fma(z[a], uc[b], x[a][b]);
            }
#pragma unroll
        for (int a = kb; a < T; ++a) {
            int const i = a * R + r;
            if (c == kc && i > k && i <= hi) x[a][kb] = i == k + 1 ? beta : (real)0;
        }
    }

    template <int kb> __device__ __forceinline__ void reduce_from(int lo, int hi)
    {
        for (int kc = 0; kc < R; ++kc) {
            int const k = kb * R + kc;
            if (k >= lo && k < hi - 1) step<kb>(kc, hi);
        }
        if constexpr (kb + 1 < T) reduce_from<kb + 1>(lo, hi);
    }
    __device__ __forceinline__ void reduce(int lo, int hi)
    {
        reduce_from<0>(lo, hi);
    }
};

#endif
