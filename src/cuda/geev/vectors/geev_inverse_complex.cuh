/* Eigenvectors of a complex matrix whose eigenvalues are known, by inverse iteration on its Hessenberg form H: L lanes a
 * vector.
 *
 * Steps    load what geev_single.cu has balanced and reduced, with the reflectors below H; then for each eigenvalue w solve
 *          (H - w) x = b once or twice; the reflectors, back from balancing, norm 1.
 * Solving  goes from the last column to the first.  Of columns k - 1 and k, either is eliminated from row k with the other
 *          one's help, whichever has the larger entry there (partial pivoting); what remains is the running column c.  The
 *          finished column of the triangular factor is used at once, so that a vector takes two columns of memory: c, whose
 *          free places take the multipliers, and b, which becomes x.  A lane owns every L-th row.
 * Certificate   ||(H - w) x|| / ||x|| = ||b|| / ||x||, by how much x has grown.  A matrix with a vector that does not reach
 *          n eps ||H||, or with eigenvalues so close that their vectors might come out parallel, is given up: it is for
 *          the Schur form.  So is one whose terms cancel, which growth does not show, and one that has grown by far more: several pivots were as small as rounding errors, of a graded
 *          matrix, and the growth says nothing of the residual.
 * Source   LAPACK's hsein; J. Wilkinson, The algebraic eigenvalue problem (1965), chapter 9. */
#ifndef EIG_GEEV_INVERSE_COMPLEX_CUH
#define EIG_GEEV_INVERSE_COMPLEX_CUH

#include "geev/schur/geev_schur_matrix.cuh"
#include "geev/vectors/geev_inverse_common.cuh"

/* A vector in memory, in the order of one side. */
template <typename complex> struct inverse_column {
    complex *first; /* component 0 */
    int along;      /* from component to component */

    __device__ __forceinline__ complex &operator()(int i) const
    {
        return first[i * along];
    }
};

/* Column k of H from its first row on, conjugate where that side's H is. */
template <typename complex> struct hessenberg_column {
    const complex *first;
    int along;
    bool left;

    __device__ __forceinline__ hessenberg_column(const schur_side<complex> &s, int k)
        : first(&s.a.at(s.left ? s.index(k) : 0, s.left ? s.index(0) : k)), along(s.left ? -1 : s.a.ld), left(s.left)
    {
    }
    __device__ __forceinline__ complex operator()(int i) const
    {
        complex const x = first[i * along];
        return {x.re, left ? -x.im : x.im};
    }
};

/* Eliminates row k: column k - 1 of H - w and the running column c become the new running column and a column of the
 * triangular factor, by which b is updated.  Returns whether the columns changed their roles. */
template <int L, typename complex, typename real>
static __device__ __forceinline__ bool eliminate_row(sub_team<L> lanes, const schur_side<complex> &s, int k, complex w,
                                                     real least, inverse_column<complex> c, inverse_column<complex> b)
{
    hessenberg_column<complex> const h(s, k - 1);
    row_elimination<complex> const step(h(k), c(k), b(k), least);
    if ((k - 1) % L == lanes.rank) step.update(difference(h(k - 1), w), &c(k - 1), &b(k - 1));
#pragma unroll 4
    for (int i = lanes.rank; i < k - 1; i += L) step.update(h(i), &c(i), &b(i));
    lanes.sync(); /* all have read row k; row k - 1 is there */
    if (lanes.rank == 0) c(k) = step.m, b(k) = step.y;
    return step.swaps;
}

/* Solves (H - w) x = b, |b| <= 1, in the place of b; x is scaled to 1 at most.  Returns by how much it was larger; 0 where the
 * solution of the triangular system is so much larger than x, which its columns make of it, that x has lost digits. */
template <int L, typename complex, typename real>
static __device__ __forceinline__ real inverse_step(sub_team<L> lanes, const schur_side<complex> &s, complex w,
                                                    real least, inverse_column<complex> c, inverse_column<complex> b)
{
    int const n = s.a.n;
    unsigned long long swaps = 0;
    hessenberg_column<complex> const last(s, n - 1);
    for (int i = lanes.rank; i < n; i += L) c(i) = i < n - 1 ? last(i) : difference(last(i), w);
    lanes.sync(); /* row n - 1 is there */
    for (int k = n - 1; k > 0; --k)
        if (eliminate_row(lanes, s, k, w, least, c, b)) swaps |= 1ull << k;
    lanes.sync(); /* multipliers are there */
    real most = 0, wide = 0;
    if (lanes.rank == 0) {
        complex pivot = c(0);
        schur_pivot(least, &pivot.re, &pivot.im);
        complex z = product(b(0), fast_inverse(pivot));
        wide = larger_part(z);
        for (int k = 1; k < n; ++k) { /* the columns' exchanges and multipliers */
            wide = fmax(wide, larger_part(b(k)));
            complex const y = minus_product(c(k), z, b(k));
            bool const swapped = swaps >> k & 1;
            complex const x = swapped ? y : z;
            b(k - 1) = x;
            most = fmax(most, larger_part(x));
            if (!swapped) z = y;
        }
        b(n - 1) = z;
        most = fmax(most, larger_part(z));
    }
    lanes.sync(); /* x is there */
    most = lanes.max(most), wide = lanes.max(wide);
    real const scale = 1 / most;
    for (int i = lanes.rank; i < n; i += L) b(i) = scaled(scale, b(i));
    lanes.sync(); /* b is there */
    return wide <= (real)INVERSE_CANCELS * most ? most : (real)0;
}

/* Vector k of H.  Returns whether it is good. */
template <int L, typename complex>
static __device__ bool inverse_vector(sub_team<L> lanes, const schur_side<complex> &s, int k, real_of<complex> norm)
{
    using real = real_of<complex>;
    constexpr real eps = real_limits<real>::eps;
    int const n = s.a.n, along = s.left ? -s.a.ld : s.a.ld, at = s.index(0) * s.a.ld + s.index(k);
    inverse_column<complex> const c = {s.a.q + at, along}, b = {s.a.v + at, along};
    real const fine = 1 / (INVERSE_FINE * eps * norm * sqrt((real)n));
    for (int i = lanes.rank; i < n; i += L) b(i) = complex{1, 0};
    real growth = 0;
    for (int round = 0; round < INVERSE_ROUNDS && !(growth >= fine); ++round)
        growth = inverse_step(lanes, s, s.w(k), norm * (eps / 8), c, b);
    return growth * ((real)INVERSE_GOOD / INVERSE_FINE) >= fine && growth < fine * (real)INVERSE_MOST_GROWTH;
}

/* Takes vector k from H's coordinates to the balanced matrix's. */
template <int L, typename complex>
static __device__ void apply_reflectors(sub_team<L> lanes, const schur_side<complex> &s, int lo, int hi,
                                        const real_of<complex> *factors, int k)
{
    inverse_column<complex> const x = {s.a.v + s.index(k), s.a.ld};
    lanes.sync(); /* x is there; left vectors lie backwards */
    for (int j = hi - 2; j >= lo; --j) {
        int const first = j + 1 + (lanes.rank + L - (j + 1) % L) % L;
        complex dot = {0, 0};
#pragma unroll 4
        for (int i = first; i <= hi; i += L)
            dot = i == j + 1 ? total(dot, x(i)) : conj_product_add(s.a.at(i, j), x(i), dot);
        dot = scaled(-factors[j], sum_of(lanes, dot));
#pragma unroll 4
        for (int i = first; i <= hi; i += L)
            x(i) = i == j + 1 ? total(dot, x(i)) : product_add(s.a.at(i, j), dot, x(i));
    }
    lanes.sync(); /* the vector is there */
}

/* One side of matrix b; good: in and out, whether all its vectors are. */
template <int L, typename team_type, typename complex>
static __device__ bool inverse_side(team_type team, const schur_side<complex> &s, int lo, int hi, real_of<complex> norm,
                                    const real_of<complex> *factors, bool good)
{
    constexpr int step = team_type::size / L;
    sub_team<L> const lanes(team.rank);
    int const first = team.rank / L, n = s.a.n;
    bool all = true;
    for (int k = first; good && k < n; k += step) all = inverse_vector(lanes, s, k, norm) && all;
    good = !team.any(!all) && good;
    for (int k = first; good && k < n; k += step) apply_reflectors(lanes, s, lo, hi, factors, k);
    for (int k = first; good && k < n; k += step)
        if (lanes.rank == 0) normalise_vector(s, s.a.v, k);
    team.sync();
    return good;
}

/* Loads matrix number `at` of the slice, which geev_single.cu has reduced. */
template <typename team_type, typename complex>
static __device__ geev_record load_form(team_type team, const schur_area<complex> &a, const geev_slice &slice,
                                        int64_t at)
{
    using real = real_of<complex>;
    int const n = a.n;
    geev_single_form<real, complex> const form((char *)slice.forms + at * slice.form_bytes, n);
#pragma unroll 8
    for (int e = team.rank; e < n * n; e += team_type::size) a.at(e / n, e % n) = form.h[e];
    for (int i = team.rank; i < n; i += team_type::size) {
        a.origin[i] = slice.origins[at * n + i], a.scale[i] = form.scale[i];
        ((real *)a.row)[i] = form.factor[i];
    }
    return slice.records[at];
}

/* Eigenvectors of matrix b, which is reduced, and whose eigenvalues p.w has.  Returns whether they are found. */
template <int L, typename team_type, typename complex>
static __device__ bool inverse_complex_matrix(team_type team, const schur_area<complex> &a, const geev_record &record,
                                              const geev_slice &slice, int64_t b, bool lives)
{
    using real = real_of<complex>;
    const geev_problem &p = slice.p;
    bool good = lives && record.info == EIG_INFO_OK;
    int const lo = good ? record.lo : 0, hi = good ? record.hi : -1, n = a.n;
    for (int k = team.rank; lives && k < n; k += team_type::size) {
        complex const w = load_number((const complex *)p.w + b * p.stride_w + k);
        a.w[k] = scaled(1 / (real)record.unscale, w);
    }
    team.sync(); /* all is there */
    real const norm = hessenberg_norm(team, a, good);
    good = !has_cluster(team, a, INVERSE_APART * n * real_limits<real>::eps * norm, good) && good;
    for (int side = 0; side < 2; ++side) {
        bool const left = side == 0;
        geev_target<complex> const place = inverse_place<complex>(slice, b, left, record.turned);
        if (!place.to && !p.condition) continue;
        schur_side<complex> const s = {a, left != (bool)record.turned};
        good = inverse_side<L>(team, s, lo, hi, norm, (const real *)a.row, good);
        if (good && place.to) store_vectors(team, s, a.v, true, place);
        team.sync(); /* stored before the other side begins */
    }
    return p.condition ? inverse_conditions(team, a, slice, b, record.turned, good) : good;
}

#endif
