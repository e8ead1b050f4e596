/* Scaling and balancing of a matrix by a team: a safe range, permutations that isolate eigenvalues, then scaling by
 * powers of two.  The steps and their order are those of the CPU (LAPACK's dgebal); the threads of the team share out
 * rows and columns.
 *
 * The teams of a warp stay in the loops until the last team is done (team.anywhere).  The compiler then knows that all
 * threads of a warp are at the same instruction.  Where it does not know that, it adds a test and a second branch to
 * every exchange of values between lanes, here and in all later code of the calling kernel. */
#ifndef EIG_GEEV_BALANCE_CUH
#define EIG_GEEV_BALANCE_CUH

#include "geev/geev_entry.cuh"

/* A matrix of order n in memory that only one team uses: entry (i, j) is base[(i*row + j)*step]. */
template <typename entry> struct geev_view {
    entry *base;
    int n, row, step;
    __device__ __forceinline__ entry &operator()(int i, int j) const
    {
        return base[((int64_t)i * row + j) * step];
    }
};

/* Scales rows and columns lo..hi of the record into the safe range.  A matrix that is not finite becomes zero.  A
 * complex number counts by its larger part. */
template <typename entry, typename team_type>
static __device__ void normalise(team_type team, geev_view<entry> h, geev_record *record)
{
    using real = real_of<entry>;
    real most = 0;
    bool finite = true;
#pragma unroll 1
    for (int i = team.rank; i < h.n; i += team_type::size) {
        for (int j = 0; j < h.n; ++j) {
            real const x = larger_part(h(i, j));
            bool const inside = i >= record->lo && i <= record->hi && j >= record->lo && j <= record->hi;
            most = inside && x > most ? x : most;
            finite = finite && fabs(real_part(h(i, j))) < (real)INFINITY && fabs(imaginary(h(i, j))) < (real)INFINITY;
        }
    }
    finite = !team.any(!finite);
    most = team.max(most);
    real const scale = finite ? geev_scale(most) : (real)0;
    record->info = finite ? EIG_INFO_OK : EIG_INFO_NOT_FINITE;
    record->unscale = finite ? (double)(1 / scale) : 1.0;
    int const first = finite ? record->lo : 0, last = finite ? record->hi : h.n - 1;
    if (scale != 1)
        for (int i = first + team.rank; i <= last; i += team_type::size)
            for (int j = first; j <= last; ++j) h(i, j) = finite ? scaled(scale, h(i, j)) : entry_of<entry>((real)0);
    team.sync();
}

/* The last row at or above `from` whose off-diagonal entries in columns 0..hi are all zero; -1: none. */
template <typename entry, typename team_type>
static __device__ int isolated_row(team_type team, geev_view<entry> h, int from, int hi)
{
    int found = -1;
#pragma unroll 1
    for (int i = from - team.rank; i >= 0 && found < 0; i -= team_type::size) {
        bool zero = true;
#pragma unroll 1
        for (int j = 0; j <= hi && zero; ++j) zero = j == i || is_zero(h(i, j));
        if (zero) found = i;
    }
    return team.max(found);
}

/* The last column at or left of `from` whose off-diagonal entries in rows lo..hi are all zero; -1: none. */
template <typename entry, typename team_type>
static __device__ int isolated_column(team_type team, geev_view<entry> h, int from, int lo, int hi)
{
    int found = -1;
#pragma unroll 1
    for (int j = from - team.rank; j >= lo && found < 0; j -= team_type::size) {
        bool zero = true;
#pragma unroll 1
        for (int i = lo; i <= hi && zero; ++i) zero = i == j || is_zero(h(i, j));
        if (zero) found = j;
    }
    return team.max(found);
}

/* Exchanges indices i and j in rows 0..hi and columns lo..n-1; i < 0: nothing is exchanged. */
template <typename entry, typename team_type>
static __device__ void exchange(team_type team, geev_view<entry> h, int lo, int hi, int i, int j)
{
    bool const acts = i >= 0 && i != j;
#pragma unroll 1
    for (int k = team.rank; acts && k <= hi; k += team_type::size) {
        entry const t = h(k, i);
        h(k, i) = h(k, j), h(k, j) = t;
    }
    team.sync();
#pragma unroll 1
    for (int k = lo + team.rank; acts && k < h.n; k += team_type::size) {
        entry const t = h(i, k);
        h(i, k) = h(j, k), h(j, k) = t;
    }
    team.sync();
}

/* Notes that indices i and j were exchanged; origin NULL: not wanted. */
template <typename team_type> static __device__ __forceinline__ void note(team_type team, int *origin, int i, int j)
{
    if (!origin || i < 0 || team.rank != 0) return;
    int const t = origin[i];
    origin[i] = origin[j], origin[j] = t;
}

/* Permutes the matrix so that it is upper triangular except for the diagonal block lo..hi (hi < lo: there is no such
 * block).  origin: where the indices come from, in and out; NULL where only eigenvalues are wanted: then above and
 * beside that block only the diagonal stays. */
template <typename entry, typename team_type>
static __device__ void isolate(team_type team, geev_view<entry> h, int *lo, int *hi, int *origin = NULL)
{
    bool going = true;
    for (int from = *hi; team.anywhere(going);) {
        int const i = isolated_row(team, h, going ? from : -1, *hi);
        going = going && (i >= 0 || from < *hi);
        exchange(team, h, 0, *hi, i, *hi);
        note(team, origin, i, *hi);
        if (i >= 0) --*hi;
        from = i > 0 ? i - 1 : *hi;
    }
    going = *lo <= *hi;
    for (int from = *hi; team.anywhere(going);) {
        int const j = isolated_column(team, h, going ? from : -1, *lo, *hi);
        going = going && (j >= 0 || from < *hi);
        exchange(team, h, *lo, *hi, j, *lo);
        note(team, origin, j, *lo);
        if (j >= 0) ++*lo;
        from = j > *lo ? j - 1 : *hi;
        going = going && *lo <= *hi;
    }
#pragma unroll 1
    for (int j = 1 + team.rank; !origin && j < h.n; j += team_type::size)
        for (int i = 0; i < j && (i < *lo || j > *hi); ++i) h(i, j) = entry_of<entry>((real_of<entry>)0);
    team.sync();
}

/* Norms and largest entries of a row and a column, as balance_factor takes them. */
template <typename real> struct geev_norms {
    real column, row, column_most, row_most;
};

/* The norms of row and column i.  Entries are multiplied by a unit (a power of two) before they are squared. */
template <typename entry, typename team_type, typename real = real_of<entry>>
static __device__ geev_norms<real> norms(team_type team, geev_view<entry> h, int lo, int hi, int i, real column_unit,
                                         real row_unit)
{
    geev_norms<real> s = {0, 0, 0, 0};
#pragma unroll 1
    for (int k = team.rank; k < h.n; k += team_type::size) {
        real const x = k <= hi ? larger_part(h(k, i)) : (real)0, y = k >= lo ? larger_part(h(i, k)) : (real)0;
        s.column_most = x > s.column_most ? x : s.column_most;
        s.row_most = y > s.row_most ? y : s.row_most;
        if (k < lo || k > hi) continue;
        s.column = square_add(scaled(column_unit, h(k, i)), s.column);
        s.row = square_add(scaled(row_unit, h(i, k)), s.row);
    }
    s.column = sqrt(team.sum(s.column)) / column_unit;
    s.row = sqrt(team.sum(s.row)) / row_unit;
    s.column_most = team.max(s.column_most);
    s.row_most = team.max(s.row_most);
    return s;
}

/* Scales rows and columns lo..hi by powers of two until the norms of row i and column i agree by the rules of dgebal.
 * scale[i*step]: work. */
template <typename entry, typename team_type, typename real = real_of<entry>>
static __device__ void balance(team_type team, geev_view<entry> h, int lo, int hi, real *scale)
{
#pragma unroll 1
    for (int i = lo + team.rank; i <= hi; i += team_type::size) scale[i * h.step] = 1;
    team.sync();
    bool changed = true;
    for (int sweep = 0; sweep < GEEV_BALANCE_SWEEPS && team.anywhere(changed); ++sweep) {
        int const last = changed ? hi : -1;
        changed = false;
        for (int i = lo; team.anywhere(i <= last); ++i) {
            bool const acts = i <= last;
            int const at = acts ? i : 0;
            geev_norms<real> s = norms(team, h, lo, hi, at, (real)1, (real)1);
            bool const tiny =
                s.column_most < real_limits<real>::square_safe || s.row_most < real_limits<real>::square_safe;
            if (team.anywhere(acts && tiny)) { /* squares of tiny entries lost digits: again, scaled */
                geev_norms<real> const again = norms(team, h, lo, hi, at, unit_of(s.column_most), unit_of(s.row_most));
                if (tiny) s = again;
            }
            real const f =
                acts ? balance_factor(s.column, s.row, s.column_most, s.row_most, scale[at * h.step]) : (real)1;
            team.sync();
            if (!team.anywhere(f != 1)) continue;
            if (f != 1 && team.rank == 0) scale[at * h.step] *= f;
                /* The same thread scales the diagonal entry twice, since both updates have it at k = i. */
#pragma unroll 1
            for (int k = team.rank; f != 1 && k < h.n; k += team_type::size) {
                if (k >= lo) h(at, k) = scaled(1 / f, h(at, k));
                if (k <= hi) h(k, at) = scaled(f, h(k, at));
            }
            team.sync();
            changed = changed || f != 1;
        }
    }
}

/* All of this for a matrix in the team's memory; scale: as above.  A team with h.n = 0 has no matrix.  A matrix that
 * was scaled down and isolates eigenvalues is left to the plain solver by its info.  The plain solver isolates first
 * and scales then, so that isolated eigenvalues keep their digits. */
template <typename real, typename team_type>
static __device__ __forceinline__ geev_record treat(team_type team, geev_view<real> h, bool balances, real *scale)
{
    geev_record record = {1, 0, h.n - 1, EIG_INFO_OK, 0, 0};
    normalise(team, h, &record);
    if (balances) {
        isolate(team, h, &record.lo, &record.hi);
        if (record.unscale > 1 && record.hi - record.lo + 1 < h.n) record.info = h.n;
        balance(team, h, record.lo, record.hi, scale);
    }
    return record;
}

#endif
