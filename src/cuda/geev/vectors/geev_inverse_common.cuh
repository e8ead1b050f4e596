/* What inverse iteration for real and for complex matrices shares. */
#ifndef EIG_GEEV_INVERSE_COMMON_CUH
#define EIG_GEEV_INVERSE_COMMON_CUH

#include "geev/schur/geev_back.cuh"

/* INVERSE_APART: eigenvalues closer than that many n eps ||H|| are for the Schur form.  INVERSE_FINE: a vector with a
 * residual of so many n eps ||H|| needs no more rounds; INVERSE_GOOD: with one of so many it is good.  Complex:
 * INVERSE_MOST_GROWTH, by how much more than that a vector may grow; one pivot that is replaced gives some 8 sqrt(n).
 * INVERSE_CANCELS, by how much terms of x may be larger than x: the residual gets as many eps ||H||. */
enum {
    INVERSE_ROUNDS = 2,
    INVERSE_APART = 64,
    INVERSE_FINE = 1,
    INVERSE_GOOD = 5,
    INVERSE_MOST_GROWTH = 1 << 14,
    INVERSE_CANCELS = 4
};

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

/* Where one side's vectors of matrix b go.  Left ones stay in the workspace where condition numbers alone need them. */
template <typename complex>
static __device__ __forceinline__ geev_target<complex> inverse_place(const geev_slice &slice, int64_t b, bool left,
                                                                     bool turned)
{
    const geev_problem &p = slice.p;
    geev_target<complex> place(p, b, left, turned);
    if (left && !place.to && p.condition)
        place.to = (complex *)slice.lefts + (b - slice.first) * p.n * p.n, place.ld = p.n;
    return place;
}

/* Condition numbers |y^H x| of matrix b: its left vectors are stored, the right ones (turned: their conjugates) are in
 * area.v.  Returns whether all are more than what rounding errors make of 0; good: whether there are vectors. */
template <typename team_type, typename entry>
static __device__ bool inverse_conditions(team_type team, const schur_area<entry> &a, const geev_slice &slice,
                                          int64_t b, bool turned, bool good)
{
    using complex = complex_of<real_of<entry>>;
    const geev_problem &p = slice.p;
    schur_side<entry> const right = {a, turned};
    geev_target<complex> const left = inverse_place<complex>(slice, b, true, turned);
    bool all = true;
    for (int k = team.rank; good && k < a.n; k += team_type::size) {
        const complex *const y = left.to + k * left.ld;
        auto const component = [&](int i) {
            complex const x = load_number(y + a.origin[i]);
            return turned ? conj(x) : x;
        };
        real_of<entry> const s = condition_of(right, component, a.v, k);
        ((real_of<entry> *)p.condition)[b * p.stride_w + k] = s;
        all = all && s > 64 * a.n * real_limits<real_of<entry>>::eps;
    }
    return !team.any(!all) && good;
}

/* 1 / d for a normal d. */
template <typename real> static __device__ __forceinline__ complex_of<real> fast_inverse(complex_of<real> d)
{
    real const scale = pow2_inverse(pow2_floor(larger_part(d)));
    complex_of<real> const x = scaled(scale, d);
    return scaled(scale * fast_reciprocal(square(x)), conj(x));
}

template <typename complex> static __device__ __forceinline__ complex minus_product(complex a, complex b, complex c)
{
    return product_add(negative(a), b, c);
}

/* How row k of H - w is eliminated from the running column c and the column a beside it, whose entries there are ck and
 * p: one of the two is the pivot, m times it is subtracted from the other one, which goes on as c, and y times it from
 * b. */
template <typename complex> struct row_elimination {
    bool swaps; /* a is the pivot */
    complex m, y;

    template <typename real>
    __device__ __forceinline__ row_elimination(complex p, complex ck, complex bk, real least)
        : swaps(taxicab(p) > taxicab(ck))
    {
        complex pivot = swaps ? p : ck;
        schur_pivot(least, &pivot.re, &pivot.im);
        complex const inverse = fast_inverse(pivot);
        m = product_add(swaps ? ck : p, inverse, complex{0, 0}), y = product_add(bk, inverse, complex{0, 0});
    }
    /* The rest of the columns: entry a of the one, c and b. */
    __device__ __forceinline__ void update(complex a, complex *c, complex *b) const
    {
        complex const from = swaps ? a : *c, to = swaps ? *c : a;
        *c = minus_product(m, from, to);
        *b = minus_product(y, from, *b);
    }
};

#endif
