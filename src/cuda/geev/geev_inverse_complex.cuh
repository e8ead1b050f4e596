/* Eigenvectors of a matrix whose eigenvalues are known, by inverse iteration on its Hessenberg form H: a thread a vector.
 *
 * Steps    load, balance and reduce as for the Schur form, with the reflectors below H; then for each eigenvalue w solve
 *          (H - w) x = b twice or thrice; the reflectors, back from balancing, norm 1.
 * Solving  goes from the last column to the first.  Of columns k - 1 and k, either is eliminated from row k with the other
 *          one's help, whichever has the larger entry there (partial pivoting); what remains is the running column c.  The
 *          finished column of the triangular factor is used at once, so that a vector takes two columns of memory: c, whose
 *          free places take the multipliers, and b, which becomes x.
 * Certificate   ||(H - w) x|| / ||x|| = ||b|| / ||x||, by how much x has grown.  A matrix with a vector that does not reach
 *          n eps ||H||, or with eigenvalues so close that their vectors might come out parallel, is given up: it is for
 *          the Schur form.
 * Source   LAPACK's hsein; J. Wilkinson, The algebraic eigenvalue problem (1965), chapter 9. */
#ifndef EIG_GEEV_INVERSE_COMPLEX_CUH
#define EIG_GEEV_INVERSE_COMPLEX_CUH

#include "geev_inverse_common.cuh"
#include "geev_schur_matrix.cuh"

/* A running column, of a vector's components or of H, in the order of one side. */
template <typename entry> struct inverse_column {
    using complex = complex_of<real_of<entry>>;
    entry *first;  /* component 0 */
    int along;     /* from component to component */
    int imaginary; /* from a real to its imaginary part; 0: it has none */

    __device__ __forceinline__ complex operator()(int i) const
    {
        entry const *const x = first + i * along;
        if constexpr (entry_kind<entry>::complex)
            return *x;
        else
            return {*x, imaginary ? x[imaginary] : (entry)0};
    }
    __device__ __forceinline__ void set(int i, complex x) const
    {
        put_parts(first + i * along, imaginary, x, imaginary != 0);
    }
};

/* Column k of H from its first row on, conjugate where that side's H is. */
template <typename entry> struct hessenberg_column {
    using complex = complex_of<real_of<entry>>;
    const entry *first;
    int along;
    bool left;

    __device__ __forceinline__ hessenberg_column(const schur_side<entry> &s, int k)
        : first(&s.a.at(s.left ? s.index(k) : 0, s.left ? s.index(0) : k)), along(s.left ? -1 : s.a.ld), left(s.left)
    {
    }
    __device__ __forceinline__ complex operator()(int i) const
    {
        entry const x = first[i * along];
        return {real_part(x), left ? -imaginary(x) : imaginary(x)};
    }
};

/* Eliminates row k: column k - 1 of H - w and the running column c become the new running column and a column of the
 * triangular factor, by which b is updated.  Returns whether the columns changed their roles. */
template <typename entry, typename complex, typename real>
static __device__ __forceinline__ bool eliminate_row(const schur_side<entry> &s, int k, complex w, real least,
                                                     inverse_column<entry> c, inverse_column<entry> b)
{
    hessenberg_column<entry> const h(s, k - 1);
    row_elimination<complex> const step(h(k), c(k), b(k), least);
    c.set(k, step.m), b.set(k, step.y);
    auto const update = [&](int i, complex a) {
        complex ci = c(i), bi = b(i);
        step.update(a, &ci, &bi);
        c.set(i, ci), b.set(i, bi);
    };
    update(k - 1, difference(h(k - 1), w));
#pragma unroll 4
    for (int i = 0; i < k - 1; ++i) update(i, h(i));
    return step.swaps;
}

/* Solves (H - w) x = b, |b| <= 1, in the place of b; x is scaled to 1 at most.  Returns by how much it was larger. */
template <typename entry, typename complex, typename real>
static __device__ __forceinline__ real inverse_step(const schur_side<entry> &s, complex w, real least,
                                                    inverse_column<entry> c, inverse_column<entry> b)
{
    int const n = s.a.n;
    unsigned long long swaps = 0;
    hessenberg_column<entry> const last(s, n - 1);
    for (int i = 0; i < n - 1; ++i) c.set(i, last(i));
    c.set(n - 1, difference(last(n - 1), w));
    for (int k = n - 1; k > 0; --k)
        if (eliminate_row(s, k, w, least, c, b)) swaps |= 1ull << k;
    complex pivot = c(0);
    schur_pivot(least, &pivot.re, &pivot.im);
    complex z = product_add(b(0), fast_inverse(pivot), complex{0, 0});
    real most = 0;
    for (int k = 1; k < n; ++k) { /* the columns' exchanges and multipliers */
        complex const y = minus_product(c(k), z, b(k));
        bool const swapped = swaps >> k & 1;
        complex const x = swapped ? y : z;
        b.set(k - 1, x);
        most = fmax(most, larger_part(x));
        if (!swapped) z = y;
    }
    b.set(n - 1, z);
    most = fmax(most, larger_part(z));
    real const scale = 1 / most;
    for (int i = 0; i < n; ++i) b.set(i, scaled(scale, b(i)));
    return most;
}

/* Vector k of H.  Returns whether it is good. */
template <typename entry> static __device__ bool inverse_vector(const schur_side<entry> &s, int k, real_of<entry> norm)
{
    using real = real_of<entry>;
    using complex = complex_of<real>;
    constexpr real eps = real_limits<real>::eps;
    int const n = s.a.n;
    int const along = s.left ? -s.a.ld : s.a.ld,
              imaginary = !s.is_first(k) ? 0
                          : s.left       ? -1
                                         : 1,
              at = s.index(0) * s.a.ld + s.index(k);
    inverse_column<entry> const c = {s.a.q + at, along, imaginary}, b = {s.a.v + at, along, imaginary};
    real const fine = 1 / (INVERSE_FINE * eps * norm * sqrt((real)n));
    for (int i = 0; i < n; ++i) b.set(i, complex{1, 0});
    real growth = 0;
    for (int round = 0; round < INVERSE_ROUNDS && !(growth >= fine); ++round)
        growth = inverse_step(s, s.w(k), norm * (eps / 8), c, b);
    return growth * ((real)INVERSE_GOOD / INVERSE_FINE) >= fine && growth < (real)INFINITY;
}

/* Takes vector k from H's coordinates to the balanced matrix's. */
template <typename entry>
static __device__ void apply_reflectors(const schur_side<entry> &s, int lo, int hi, const real_of<entry> *factors,
                                        int k)
{
    using complex = complex_of<real_of<entry>>;
    inverse_column<entry> const x = {s.a.v + s.index(k), s.a.ld, !s.is_first(k) ? 0 : s.left ? -1 : 1};
    for (int j = hi - 2; j >= lo; --j) {
        complex dot = x(j + 1);
#pragma unroll 4
        for (int i = j + 2; i <= hi; ++i) add_to(&dot, conj(s.a.at(i, j)), x(i));
        dot = scaled(-factors[j], dot);
        x.set(j + 1, total(dot, x(j + 1)));
#pragma unroll 4
        for (int i = j + 2; i <= hi; ++i) {
            complex y = x(i);
            add_to(&y, s.a.at(i, j), dot);
            x.set(i, y);
        }
    }
}

/* Lists the indices of vectors, of a pair the first one's.  Returns how many they are. */
template <typename team_type, typename entry>
static __device__ int list_vectors(team_type team, const schur_side<entry> &s, int *list)
{
    int count = 0;
    for (int k = 0; k < s.a.n; ++k) {
        if (s.is_second(k)) continue;
        if (k % team_type::size == team.rank) list[count] = k;
        ++count;
    }
    team.sync();
    return count;
}

/* One side of matrix b; good: in and out, whether all its vectors are. */
template <typename team_type, typename entry>
static __device__ bool inverse_side(team_type team, const schur_side<entry> &s, int lo, int hi, real_of<entry> norm,
                                    const real_of<entry> *factors, bool good)
{
    int *const list = (int *)s.a.own;
    int const count = list_vectors(team, s, list);
    bool all = true;
    for (int m = team.rank; good && m < count; m += team_type::size) all = inverse_vector(s, list[m], norm) && all;
    good = !team.any(!all) && good;
    for (int m = team.rank; good && m < count; m += team_type::size) {
        apply_reflectors(s, lo, hi, factors, list[m]);
        normalise_vector(s, s.a.v, list[m], (real_of<entry> *)NULL);
    }
    team.sync();
    return good;
}

/* Eigenvectors of matrix b, whose eigenvalues p.w has.  Returns whether they are found. */
template <typename team_type, typename entry>
static __device__ bool inverse_complex_matrix(team_type team, const schur_area<entry> &a, const geev_problem &p,
                                              int64_t b, bool lives)
{
    using real = real_of<entry>;
    using complex = complex_of<real>;
    geev_record const record = begin_matrix(team, a, p, b, lives);
    bool good = lives && record.info == EIG_INFO_OK;
    int const lo = good ? record.lo : 0, hi = good ? record.hi : -1, n = a.n;
    real *const factors = (real *)a.row;
    schur_reduce(team, a, lo, hi, factors);
    for (int k = team.rank; lives && k < n; k += team_type::size) {
        complex const w = load_number((const complex *)p.w + b * p.stride_w + k);
        a.w[k] = scaled(1 / (real)record.unscale, w);
    }
    team.sync();
    real const norm = hessenberg_norm(team, a, good);
    good = !has_cluster(team, a, INVERSE_APART * n * real_limits<real>::eps * norm, good) && good;
    for (int side = 0; side < 2; ++side) {
        void *const to = side ? p.vr : p.vl;
        if (!to) continue;
        schur_side<entry> const s = {a, side == 0};
        good = inverse_side(team, s, lo, hi, norm, factors, good);
        if (good)
            store_vectors(team, s, a.v, true, (complex *)to + b * (side ? p.stride_vr : p.stride_vl),
                          side ? p.ldvr : p.ldvl);
        team.sync(); /* stored before the other side begins */
    }
    return good;
}

#endif
