/* What inverse iteration for real and for complex matrices shares. */
#ifndef EIG_GEEV_INVERSE_COMMON_CUH
#define EIG_GEEV_INVERSE_COMMON_CUH

#include "geev_back.cuh"

/* INVERSE_APART: eigenvalues closer than that many n eps ||H|| are for the Schur form.  INVERSE_FINE: a vector with a residual of
 * so many n eps ||H|| needs no more rounds; INVERSE_GOOD: with one of so many it is good. */
enum { INVERSE_ROUNDS = 2, INVERSE_APART = 64, INVERSE_FINE = 1, INVERSE_GOOD = 5 };

/* The Frobenius norm of H. */
template <typename team_type, typename entry>
static __device__ real_of<entry> hessenberg_norm(team_type team, const schur_area<entry> &a, bool lives)
{
    real_of<entry> sum = 0;
    for (int j = team.rank; lives && j < a.n; j += team_type::size)
        for (int i = 0; i < a.n && i <= j + 1; ++i) sum = square_add(a.at(i, j), sum);
    return sqrt(team.sum(sum));
}

/* Whether two eigenvalues are closer than `apart`; not finite ones are, too. */
template <typename team_type, typename entry>
static __device__ bool has_cluster(team_type team, const schur_area<entry> &a, real_of<entry> apart, bool lives)
{
    bool close = false;
    for (int k = team.rank; lives && k < a.n; k += team_type::size)
        for (int j = 0; j <= k; ++j) {
            real_of<entry> const gap = taxicab(difference(a.w[k], a.w[j]));
            close = close || !(j == k ? gap == 0 : gap > apart);
        }
    return team.any(close);
}

/* 1 / d for a normal d. */
template <typename real> static __device__ __forceinline__ complex_of<real> fast_inverse(complex_of<real> d)
{
    real const scale = pow2_inverse(pow2_floor(larger_part(d)));
    complex_of<real> const x = scaled(scale, d);
    return scaled(scale * fast_reciprocal(square(x)), conj(x));
}

#endif
