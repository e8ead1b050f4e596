/* The Schur form A = Q T Q^H of a matrix by a team of threads: reduction to Hessenberg form, QR iteration; Q is
 * accumulated where it is wanted.  Real matrices: double shifts, T quasi-triangular, a 2 x 2 block for each complex
 * pair.  Complex matrices: single shifts, T triangular.
 *
 * Teams    a block with the matrix in global memory, or a few lanes with the matrix in shared memory.  The teams of a
 *          warp go through all steps together; those with nothing to do change nothing (team.anywhere).
 * Order    of the arithmetic depends on the size of the team: sums over its threads.
 * Source   J. Francis (1961-62); the tests and shifts are those of LAPACK's dlahqr and zlahqr, see francis.inc,
 *          schur.inc. */
#ifndef EIG_GEEV_SCHUR_CUH
#define EIG_GEEV_SCHUR_CUH

#include "geev/geev_reflector.cuh"
#include "geev/reduce/geev_balance.cuh"
#include "primitives/team.cuh"

/* What a team has of its matrix. */
template <typename entry_> struct schur_area {
    using entry_type = entry_;
    using entry = entry_;
    using real = real_of<entry>;
    using complex = complex_of<real>;
    int n, ld;
    entry *t, *q; /* [n][ld] row by row; q NULL: not wanted */
    entry *v;     /* [n][ld] for left vectors where right ones are wanted too */
    entry *row;   /* [2n] */
    complex *w;   /* [n] */
    complex *own; /* [n] */
    real *scale;  /* [n] of balancing */
    int *origin;  /* [n] of the rows and columns of T before the iteration */

    __device__ __forceinline__ entry &at(int i, int j) const
    {
        return t[(int64_t)i * ld + j];
    }
    /* Row r of T, or from n on row r - n of Q. */
    __device__ __forceinline__ entry *stacked(int r) const
    {
        return r < n ? t + (int64_t)r * ld : q + (int64_t)(r - n) * ld;
    }
};

/* The rows that an update from the right goes through, for a loop over m = rank, rank + size, ... < count: rows
 * first..last of T, then rows lo..hi of Q. */
struct schur_rows {
    int first, top, count, bottom;
    __device__ __forceinline__ schur_rows(int first, int last, bool acts, bool with_q, int lo, int hi, int n)
        : first(first), top(last - first + 1), count(acts ? top + (with_q ? hi - lo + 1 : 0) : 0), bottom(n + lo - top)
    {
    }
    __device__ __forceinline__ int operator()(int m) const
    {
        return m < top ? first + m : bottom + m;
    }
};

/* ------------------------------------------------------------------ the reduction */

/* The sum of squares of rows first, ..., end of column k, times unit. */
template <typename team_type, typename entry>
static __device__ __forceinline__ real_of<entry> column_squares(team_type team, const schur_area<entry> &a, int k,
                                                                int first, int end, real_of<entry> unit)
{
    real_of<entry> sum = 0;
    for (int i = first + team.rank; i <= end; i += team_type::size) sum = square_add(scaled(unit, a.at(i, k)), sum);
    return team.sum(sum);
}

/* The reflector I - tau u u^H that leaves column k of rows k+1..hi a single entry, which is returned; u takes the
 * column's place, without its first entry 1.  acts: false where nothing has to be removed. */
template <typename team_type, typename entry>
static __device__ __forceinline__ entry reduce_column(team_type team, const schur_area<entry> &a, int k, int hi,
                                                      bool *acts, real_of<entry> *tau)
{
    using real = real_of<entry>;
    constexpr int P = team_type::size;
    constexpr real least = reflector_least<entry>();
    int const end = *acts ? hi : -1;
    real unit = 1, tail = column_squares(team, a, k, k + 2, end, unit);
    entry head = *acts ? a.at(k + 1, k) : entry_of<entry>((real)1);
    if (team.anywhere(*acts && square_add(head, tail) < least)) { /* squares lost digits: again, scaled */
        real most = 0;
        for (int i = k + 1 + team.rank; i <= end; i += P) most = fmax(most, larger_part(a.at(i, k)));
        most = team.max(most);
        unit = square_add(head, tail) < least ? unit_of(most) : (real)1;
        tail = column_squares(team, a, k, k + 2, end, unit);
        head = scaled(unit, head);
    }
    *acts = *acts && tail > 0;
    real const length = square_add(head, (real)0), square = *acts ? length + tail : (real)1, root = fast_rsqrt(square),
               norm = square * root;
    real size = fabs(real_part(head));
    entry phase = entry_of<entry>(real_part(head) < 0 ? (real)-1 : (real)1);
    if constexpr (entry_kind<entry>::complex) {
        bool const none = length < real_limits<real>::safmin / real_limits<real>::eps;
        size = none ? (real)0 : sqrt(length);
        phase = none ? entry{1, 0} : scaled(1 / size, head);
    }
    real const pivot = size + norm;
    entry const inverse = scaled(fast_reciprocal(*acts ? pivot : (real)1), conj(phase));
    *tau = *acts ? pivot * root : (real)0;
    for (int i = k + 2 + team.rank; *acts && i <= end; i += P)
        a.at(i, k) = product_add(scaled(unit, a.at(i, k)), inverse, entry_of<entry>((real)0));
    return *acts ? scaled(-norm * pow2_inverse(unit), phase) : a.at(k + 1, k);
}

/* The sum of the lanes' x, in all of them. */
template <typename lanes_type, typename real> static __device__ __forceinline__ real sum_of(lanes_type lanes, real x)
{
    return lanes.sum(x);
}
template <typename lanes_type, typename real>
static __device__ __forceinline__ complex_of<real> sum_of(lanes_type lanes, complex_of<real> x)
{
    return {lanes.sum(x.re), lanes.sum(x.im)};
}

/* Takes rows and columns lo..hi to Hessenberg form; Q becomes the product of the reflectors.  L lanes share a row or a
 * column.  factors: NULL, or tau of each reflector goes there, and its u, without its first entry 1, stays below the
 * subdiagonal. */
template <int L, typename team_type, typename entry>
static __device__ void schur_reduce(team_type team, const schur_area<entry> &a, int lo, int hi,
                                    real_of<entry> *factors = NULL)
{
    using real = real_of<entry>;
    constexpr int P = team_type::size;
    sub_team<L> const lanes(team.rank);
    int const n = a.n, own = team.rank / L;
    for (int e = team.rank; a.q && e < n * n; e += P)
        a.q[e / n * (int64_t)a.ld + e % n] = entry_of<entry>((real)(e / n == e % n));
    for (int k = 0; k + 2 < n; ++k) {
        bool acts = k >= lo && k + 1 < hi;
        real tau;
        entry const sub = reduce_column(team, a, k, hi, &acts, &tau);
        if (factors && team.rank == 0) factors[k] = tau;
        team.sync();
        for (int j = k + 1 + own; acts && j < n; j += P / L) {
            entry dot = lanes.rank == 0 ? a.at(k + 1, j) : entry{};
#pragma unroll 4
            for (int i = k + 2 + lanes.rank; i <= hi; i += L) dot = conj_product_add(a.at(i, k), a.at(i, j), dot);
            dot = scaled(-tau, sum_of(lanes, dot));
            if (lanes.rank == 0) a.at(k + 1, j) = total(dot, a.at(k + 1, j));
#pragma unroll 4
            for (int i = k + 2 + lanes.rank; i <= hi; i += L) a.at(i, j) = product_add(dot, a.at(i, k), a.at(i, j));
        }
        team.sync();
        schur_rows const rows(0, hi, acts, a.q, lo, hi, n);
        for (int m = own; m < rows.count; m += P / L) {
            entry *const row = a.q ? a.stacked(rows(m)) : &a.at(m, 0);
            entry dot = lanes.rank == 0 ? row[k + 1] : entry{};
#pragma unroll 4
            for (int j = k + 2 + lanes.rank; j <= hi; j += L) dot = product_add(row[j], a.at(j, k), dot);
            dot = scaled(-tau, sum_of(lanes, dot));
            if (lanes.rank == 0) row[k + 1] = total(dot, row[k + 1]);
#pragma unroll 4
            for (int j = k + 2 + lanes.rank; j <= hi; j += L) row[j] = conj_product_add(a.at(j, k), dot, row[j]);
        }
        team.sync();
        for (int i = k + 2 + team.rank; acts && !factors && i <= hi; i += P) a.at(i, k) = entry_of<entry>((real)0);
        if (acts && team.rank == 0) a.at(k + 1, k) = sub;
        team.sync();
    }
}

/* ----------------------------------------------------------------- the iteration */

/* A window l..i of the iteration, and the steps on it since a deflation. */
template <typename real> struct schur_window {
    int lo, hi; /* of the block that balancing left */
    int l, i, steps;
    real tiny; /* subdiagonal entries below it are zero; see francis_grown */
};

/* The largest absolute entry of the window. */
template <typename team_type, typename area_type>
static __device__ typename area_type::real window_largest(team_type team, const area_type &a, int l, int i)
{
    typename area_type::real most = 0;
    for (int j = l + team.rank; j <= i; j += team_type::size)
        for (int r = l; r <= i && r <= j + 1; ++r) most = fmax(most, larger_part(a.at(r, j)));
    return team.max(most);
}

/* Whether entry (k, k-1) is negligible. */
template <typename area_type, typename real>
static __device__ __forceinline__ bool subdiagonal_deflates(const area_type &a, const schur_window<real> &s, int k)
{
    real const beside =
        (k - 2 >= s.lo ? taxicab(a.at(k - 1, k - 2)) : (real)0) + (k < s.hi ? taxicab(a.at(k + 1, k)) : (real)0);
    if constexpr (entry_kind<typename area_type::entry>::complex)
        return francis_negligible(taxicab(a.at(k, k - 1)), taxicab(a.at(k - 1, k)), taxicab(a.at(k - 1, k - 1)),
                                  taxicab(a.at(k, k)), taxicab(difference(a.at(k - 1, k - 1), a.at(k, k))), beside,
                                  s.tiny);
    else
        return francis_deflates(a.at(k, k - 1), a.at(k - 1, k), a.at(k - 1, k - 1), a.at(k, k), beside, s.tiny);
}

/* The first row of the window that ends at i: the largest k > l with a negligible entry (k, k-1), else l. */
template <typename team_type, typename area_type>
static __device__ int window_begin(team_type team, const area_type &a, const schur_window<typename area_type::real> &s)
{
    int found = s.l;
    for (int k = s.i - team.rank; k > s.l && found == s.l; k -= team_type::size)
        if (subdiagonal_deflates(a, s, k)) found = k;
    return team.max(found);
}

/* The iteration of this team; lives: false where it has no matrix.  Returns info as eig_dgeev_batched defines it. */
template <typename team_type, typename area_type>
static __device__ int schur_iterate(team_type team, const area_type &a, int lo, int hi, bool lives, int most)
{
    using real = typename area_type::real;
    using entry = typename area_type::entry;
    constexpr int block = entry_kind<entry>::complex ? 1 : 2; /* largest window that is finished */
    real const least = real_limits<real>::safmin * ((real)(hi - lo + 1) / real_limits<real>::eps);
    schur_window<real> s = {lo, hi, lo, lives ? hi : lo - 1, 0, least};
    int info = 0;
    while (team.anywhere(s.i >= lo)) {
        bool found = s.i >= lo;
        while (team.anywhere(found)) {
            int const l = window_begin(team, a, s);
            team.sync(); /* all have looked at the subdiagonal */
            if (found && l > lo && team.rank == 0) a.at(l, l - 1) = entry_of<entry>((real)0);
            team.sync();
            if (found) s.l = l;
            found = found && l > s.i - block;
            if (found) s.i = l - 1, s.l = lo, s.steps = 0, s.tiny = least;
            found = found && s.i >= lo;
        }
        if (s.i >= lo && s.steps == most) info = s.i + 1, s.i = lo - 1;
        ++s.steps;
        schur_step(team, a, s, s.i >= lo);
        bool const stands = s.i >= lo && s.steps >= FRANCIS_PATIENCE;
        if (team.anywhere(stands)) {
            real const largest = window_largest(team, a, stands ? s.l : 0, stands ? s.i : -1);
            if (stands) s.tiny = francis_grown(s.tiny, largest);
        }
    }
    return info;
}

#endif
