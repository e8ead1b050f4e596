/* Eigenvectors out of the Schur form A = Q T Q^H by a team of threads.
 *
 * Vectors  T x = w x by back-substitution: a thread owns vectors k = rank, rank + size, ...; the rows of T are read by
 *          all.
 *          Then Q x, back from balancing, norm 1, the largest component real.
 * Left     vectors are right ones of T^H, which is upper triangular with rows and columns in reverse order: the same
 *          code goes through T the other way (schur_side).
 * Pairs    of a real matrix: the vector of the eigenvalue with the positive imaginary part lies in columns k (real
 *          parts) and k + 1 (imaginary parts).
 * Places   right vectors take the place of T's strict upper triangle, row by row as it is used up; left ones the strict
 *          lower triangle, so that they come first.  Diagonal blocks stay: what a vector has there is in area.own.
 * Source   LAPACK's trevc; formulas in schur.inc. */
#ifndef EIG_GEEV_BACK_CUH
#define EIG_GEEV_BACK_CUH

#include "gauge.h"
#include "geev/geev_certify.cuh"
#include "geev/reduce/geev_turn.cuh"
#include "geev/schur/geev_schur.cuh"

/* T and its vectors as one side sees them. */
template <typename entry> struct schur_side {
    using real = real_of<entry>;
    using complex = complex_of<real>;
    schur_area<entry> a;
    bool left;

    __device__ __forceinline__ int index(int j) const
    {
        return left ? a.n - 1 - j : j;
    }
    __device__ __forceinline__ entry t(int i, int j) const
    {
        return left ? conj(a.at(index(j), index(i))) : a.at(i, j);
    }
    __device__ __forceinline__ entry &x(int i, int k) const
    {
        return a.at(index(i), index(k));
    }
    __device__ __forceinline__ entry q(int i, int m) const
    {
        return a.q[(int64_t)i * a.ld + index(m)];
    }
    __device__ __forceinline__ complex w(int k) const
    {
        complex const w = a.w[index(k)];
        return left ? conj(w) : w;
    }
    __device__ __forceinline__ bool is_first(int k) const
    {
        return !entry_kind<entry>::complex && w(k).im > 0;
    }
    __device__ __forceinline__ bool is_second(int k) const
    {
        return !entry_kind<entry>::complex && w(k).im < 0;
    }
};

/* ---------------------------------------------------------------- in two parts */

/* Component m < k of vector k; pair: it lies in two columns. */
template <typename real>
static __device__ __forceinline__ complex_of<real> component(const schur_side<real> &s, int m, int k, bool pair)
{
    return {s.x(m, k), pair ? s.x(m, k + 1) : (real)0};
}
template <typename real>
static __device__ __forceinline__ complex_of<real> component(const schur_side<complex_of<real>> &s, int m, int k, bool)
{
    return s.x(m, k);
}
template <typename real>
static __device__ __forceinline__ void put_parts(real *row, int64_t along, complex_of<real> x, bool pair)
{
    row[0] = x.re;
    if (pair) row[along] = x.im;
}
template <typename real>
static __device__ __forceinline__ void put_parts(complex_of<real> *row, int64_t, complex_of<real> x, bool)
{
    row[0] = x;
}

/* ------------------------------------------------------------ the back-substitution */

/* What a vector has in the diagonal block that it begins in, (1) or (x, y). */
template <typename entry> static __device__ void begin_vectors(const schur_side<entry> &s, int rank, int step)
{
    using real = real_of<entry>;
    using complex = complex_of<real>;
    complex *const own = s.a.own;
    for (int k = rank; k < s.a.n; k += step) {
        if (s.is_second(k)) continue;
        own[k] = complex{1, 0};
        if constexpr (!entry_kind<entry>::complex)
            if (s.is_first(k)) {
                complex const w = s.w(k);
                complex x, y;
                schur_start(s.t(k, k), s.t(k, k + 1), s.t(k + 1, k), s.t(k + 1, k + 1), w.re, w.im, &x.re, &x.im, &y.re,
                            &y.im);
                own[k] = x, own[k + 1] = y;
            }
    }
}

/* Multiplies components from..k-1 and the rest of vector k by a power of two. */
template <typename entry>
static __device__ __noinline__ void scale_vector(const schur_side<entry> &s, int from, int k, bool pair,
                                                 real_of<entry> f)
{
    for (int m = from; m < k; ++m) {
        s.x(m, k) = scaled(f, s.x(m, k));
        if (pair) s.x(m, k + 1) = scaled(f, s.x(m, k + 1));
    }
    s.a.own[k] = scaled(f, s.a.own[k]);
    if (pair) s.a.own[k + 1] = scaled(f, s.a.own[k + 1]);
}

/* x / d; the vector, x and `other` are scaled down where the quotient would be too large. */
template <typename entry>
static __device__ __forceinline__ complex_of<real_of<entry>>
guarded_quotient(const schur_side<entry> &s, int from, int k, bool pair, complex_of<real_of<entry>> x,
                 complex_of<real_of<entry>> d, complex_of<real_of<entry>> *other)
{
    real_of<entry> const f = schur_guard(x.re, x.im, d.re, d.im);
    if (f != 1) {
        scale_vector(s, from, k, pair, f);
        x = scaled(f, x), *other = scaled(f, *other);
    }
    complex_of<real_of<entry>> y;
    schur_divide(x.re, x.im, d.re, d.im, &y.re, &y.im);
    return y;
}

/* Minus row j of T times components from, from + 1, ... of vector k. */
template <typename entry>
static __device__ __forceinline__ complex_of<real_of<entry>> row_sum(const schur_side<entry> &s, int j, int from, int k,
                                                                     bool pair)
{
    using complex = complex_of<real_of<entry>>;
    complex sum = {0, 0};
    for (int m = from; m < k; ++m) add_to(&sum, s.t(j, m), component(s, m, k, pair));
    add_to(&sum, s.t(j, k), s.a.own[k]);
    if (pair) add_to(&sum, s.t(j, k + 1), s.a.own[k + 1]);
    return negative(sum);
}

/* Component j of vector k. */
template <typename entry>
static __device__ __forceinline__ void solve_row(const schur_side<entry> &s, int j, int k, real_of<entry> floor,
                                                 entry *row)
{
    using complex = complex_of<real_of<entry>>;
    bool const pair = s.is_first(k);
    complex const w = s.w(k);
    complex none = {0, 0}, d = {real_part(s.t(j, j)) - w.re, imaginary(s.t(j, j)) - w.im};
    schur_pivot(schur_least(w.re, w.im, floor), &d.re, &d.im);
    complex const x = guarded_quotient(s, j + 1, k, pair, row_sum(s, j, j + 1, k, pair), d, &none);
    put_parts(row + k, 1, x, pair);
}

/* Components j - 1 and j, whose diagonal block belongs to a pair. */
template <typename real>
static __device__ __forceinline__ void solve_rows(const schur_side<real> &s, int j, int k, real floor, real *row)
{
    using complex = complex_of<real>;
    bool const pair = s.is_first(k);
    complex const w = s.w(k);
    complex const sum1 = row_sum(s, j - 1, j + 1, k, pair), sum2 = row_sum(s, j, j + 1, k, pair);
    real const a[2] = {s.t(j - 1, j - 1) - w.re, -w.im}, d[2] = {s.t(j, j) - w.re, -w.im};
    real u[6], r[4] = {sum1.re, sum1.im, sum2.re, sum2.im};
    schur_eliminate(a, s.t(j - 1, j), s.t(j, j - 1), d, schur_least(w.re, w.im, floor), u, r);
    complex first = {r[0], r[1]}, none = {0, 0};
    complex const u12 = {u[2], u[3]};
    complex y = guarded_quotient(s, j + 1, k, pair, complex{r[2], r[3]}, complex{u[4], u[5]}, &first);
    first = product_add(negative(u12), y, first);
    none = y;
    complex const x = guarded_quotient(s, j + 1, k, pair, first, complex{u[0], u[1]}, &none);
    put_parts(row + k, 1, none, pair);
    put_parts(row + s.a.n + k, 1, x, pair);
}
template <typename real>
static __device__ __forceinline__ void solve_rows(const schur_side<complex_of<real>> &, int, int, real,
                                                  complex_of<real> *)
{
}

/* All vectors of T, which is scaled so that its largest entry lies between 1/2 and 2. */
template <typename team_type, typename entry>
static __device__ void solve_vectors(team_type team, const schur_side<entry> &s, bool lives)
{
    using real = real_of<entry>;
    constexpr int P = team_type::size;
    int const n = s.a.n;
    real const floor = real_limits<real>::safmin * ((real)n / real_limits<real>::eps);
    entry *const row = s.a.row;
    begin_vectors(s, lives ? team.rank : n, P);
    team.sync();
    for (int j = lives ? n - 2 : -1; team.anywhere(j >= 0);) {
        bool const block = j >= 1 && s.is_second(j), acts = j >= 0 && !s.is_first(j);
        for (int k = team.rank; acts && k < n; k += P) {
            if (k <= j || s.is_second(k)) continue;
            if (block)
                solve_rows(s, j, k, floor, row);
            else
                solve_row(s, j, k, floor, row);
        }
        team.sync(); /* all have read rows j - 1 and j */
        for (int k = team.rank; acts && k < n; k += P) {
            if (k <= j || s.is_second(k)) continue;
            bool const pair = s.is_first(k);
            s.x(j, k) = row[k];
            if (pair) s.x(j, k + 1) = row[k + 1];
            if (block) s.x(j - 1, k) = row[n + k];
            if (block && pair) s.x(j - 1, k + 1) = row[n + k + 1];
        }
        j -= block ? 2 : 1;
    }
    team.sync();
}

/* --------------------------------------------------------------------- back to A */

/* V = Q X, in the place of q or in v. */
template <typename team_type, typename entry>
static __device__ void multiply_vectors(team_type team, const schur_side<entry> &s, bool lives, entry *v)
{
    using complex = complex_of<real_of<entry>>;
    constexpr int P = team_type::size;
    int const n = s.a.n, end = lives ? n : 0;
    for (int i = 0; i < n; ++i) {
        for (int k = team.rank; k < end; k += P) {
            if (s.is_second(k)) continue;
            bool const pair = s.is_first(k);
            complex sum = {0, 0};
            for (int m = 0; m < k; ++m) add_to(&sum, s.q(i, m), component(s, m, k, pair));
            add_to(&sum, s.q(i, k), s.a.own[k]);
            if (pair) add_to(&sum, s.q(i, k + 1), s.a.own[k + 1]);
            put_parts(s.a.row + k, 1, sum, pair);
        }
        team.sync(); /* all have read row i */
        for (int k = team.rank; k < end; k += P) {
            if (s.is_second(k)) continue;
            v[(int64_t)i * s.a.ld + s.index(k)] = s.a.row[k];
            if (s.is_first(k)) v[(int64_t)i * s.a.ld + s.index(k + 1)] = s.a.row[k + 1];
        }
    }
}

/* Component i of vector k of A, times unit, back from balancing. */
template <typename entry>
static __device__ __forceinline__ complex_of<real_of<entry>> unbalanced(const schur_side<entry> &s, const entry *v,
                                                                        int i, int k, bool pair, real_of<entry> unit)
{
    using real = real_of<entry>;
    const entry *const row = v + (int64_t)i * s.a.ld;
    real const scale = s.a.scale[i];
    entry const re = row[s.index(k)];
    complex_of<real> x = {real_part(re), imaginary(re)};
    if (pair) x.im = real_part(row[s.index(k + 1)]);
    return scaled(s.left && scale != 1 ? 1 / scale : scale, scaled(unit, x));
}

/* What makes a vector one of norm 1 whose component that decides (gauge.inc) is positive. */
template <typename real> struct vector_size {
    real sum, largest;    /* of squares */
    complex_of<real> top; /* the component that becomes positive */
    int at;               /* its place */
};

/* What a vector of this size is multiplied by; is_real: all its components are. */
template <typename real>
static __device__ __forceinline__ complex_of<real> unit_factor(const vector_size<real> &size, bool is_real)
{
    real const inverse = fast_rsqrt(size.sum);
    if (is_real) return {copysign(inverse, size.top.re), 0};
    return scaled(inverse * fast_rsqrt(square(size.top)), conj(size.top));
}

/* The size of vector k times unit times unit2. */
template <typename entry>
static __device__ __forceinline__ vector_size<real_of<entry>>
size_of_vector(const schur_side<entry> &s, const entry *v, int k, bool pair, real_of<entry> unit, real_of<entry> unit2)
{
    using real = real_of<entry>;
    vector_size<real> found = {0, 0, {1, 0}, 0};
    real next = 0; /* the largest but one */
    for (int i = 0; i < s.a.n; ++i) {
        complex_of<real> const x = scaled(unit2, unbalanced(s, v, i, k, pair, unit));
        real const size = square(x);
        found.sum += size;
        next = fmax(next, fmin(size, found.largest));
        if (size > found.largest) found.largest = size, found.top = x, found.at = i;
    }
    if (!(next >= gauge_least_square(found.largest))) return found;
    for (int i = 0; i < s.a.n; ++i) { /* it is not the only one */
        complex_of<real> const x = scaled(unit2, unbalanced(s, v, i, k, pair, unit));
        if (square(x) >= gauge_least_square(found.largest) && s.a.origin[i] < s.a.origin[found.at])
            found.top = x, found.at = i;
    }
    return found;
}

/* Units, powers of two, that keep the squares of vector k's components in range. */
template <typename entry>
static __device__ __noinline__ void vector_units(const schur_side<entry> &s, const entry *v, int k, bool pair,
                                                 real_of<entry> *unit, real_of<entry> *unit2)
{
    using real = real_of<entry>;
    real most = 0;
    for (int i = 0; i < s.a.n; ++i) {
        const entry *const row = v + (int64_t)i * s.a.ld;
        most = fmax(most, larger_part(row[s.index(k)]));
        if (pair) most = fmax(most, larger_part(row[s.index(k + 1)]));
    }
    *unit = unit_of(most), most = 0;
    for (int i = 0; i < s.a.n; ++i) most = fmax(most, larger_part(unbalanced(s, v, i, k, pair, *unit)));
    *unit2 = unit_of(most);
}

/* Gives vector k norm 1 and makes one of its largest components positive. */
template <typename entry> static __device__ void normalise_vector(const schur_side<entry> &s, entry *v, int k)
{
    using real = real_of<entry>;
    using complex = complex_of<real>;
    constexpr real least = real_limits<real>::square_safe, most = 1 / least;
    bool const pair = s.is_first(k);
    real unit = 1, unit2 = 1;
    vector_size<real> size = size_of_vector(s, v, k, pair, unit, unit2);
    if (!(size.largest > least && size.sum < most)) {
        vector_units(s, v, k, pair, &unit, &unit2);
        size = size_of_vector(s, v, k, pair, unit, unit2);
    }
    complex const factor = unit_factor(size, !pair && !entry_kind<entry>::complex);
    for (int i = 0; i < s.a.n; ++i) {
        complex x = product_add(scaled(unit2, unbalanced(s, v, i, k, pair, unit)), factor, complex{0, 0});
        if (i == size.at) x.im = 0;
        put_parts(v + (int64_t)i * s.a.ld + s.index(k), s.left ? -1 : 1, x, pair);
    }
}

/* All of one side: v becomes its vectors, in the order of s.index; column k of a pair as above. */
template <typename team_type, typename entry>
static __device__ void side_vectors(team_type team, const schur_side<entry> &s, bool lives, entry *v)
{
    solve_vectors(team, s, lives);
    multiply_vectors(team, s, lives, v);
    for (int k = team.rank; lives && k < s.a.n; k += team_type::size)
        if (!s.is_second(k)) normalise_vector(s, v, k);
    team.sync();
}

/* Component i, in the order of the balanced matrix, of the vector of eigenvalue number `column`. */
template <typename entry>
static __device__ __forceinline__ complex_of<real_of<entry>> vector_entry(const schur_side<entry> &s, const entry *v,
                                                                          int i, int column)
{
    const entry *const row = v + (int64_t)i * s.a.ld;
    real_of<entry> const im = s.a.w[column].im;
    complex_of<real_of<entry>> x = {real_part(row[column]), imaginary(row[column])};
    if (!entry_kind<entry>::complex && im != 0) {
        /* real parts lie where this side has the first of the pair */
        int const other = im > 0 ? column + 1 : column - 1;
        bool const here = s.left ? im < 0 : im > 0;
        x.re = real_part(row[here ? column : other]), x.im = real_part(row[here ? other : column]);
        if (!here) x.im = -x.im;
    }
    return x;
}

/* Stores a matrix of vectors: element (i, k) goes to row origin[i]. */
template <typename team_type, typename entry>
static __device__ void store_vectors(team_type team, const schur_side<entry> &s, const entry *v, bool good,
                                     const geev_target<complex_of<real_of<entry>>> &place)
{
    using real = real_of<entry>;
    using complex = complex_of<real>;
    int const n = s.a.n;
    int i = team.rank, column = 0;
    for (int e = team.rank; e < n * n; e += team_type::size, i += team_type::size) {
        while (i >= n) i -= n, ++column;
        complex x = {(real)NAN, (real)NAN};
        if (good) x = vector_entry(s, v, i, column);
        place.put(s.a.origin[i], column, x);
    }
}

/* The condition number of eigenvalue k: |y^H x|.  y(i): component i of the left vector, in the order of the balanced
 * matrix. */
template <typename entry, typename function>
static __device__ real_of<entry> condition_of(const schur_side<entry> &right, function y, const entry *x, int k)
{
    using real = real_of<entry>;
    int const n = right.a.n;
    complex_of<real> sum = {0, 0};
    for (int i = 0; i < n; ++i) sum = conj_product_add(y(i), vector_entry(right, x, i, k), sum);
    return fmin(sqrt(square(sum)), (real)1);
}

#endif
