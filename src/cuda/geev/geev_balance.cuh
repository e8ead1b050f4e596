/* Scaling and balancing by one team: a safe range, permutations that isolate eigenvalues, then scaling by powers of
 * two.  The same steps in the same order as on the CPU (LAPACK's dgebal); rows and columns are shared out among the
 * threads of the team. */
#ifndef EIG_GEEV_BALANCE_CUH
#define EIG_GEEV_BALANCE_CUH

#include "geev_cuda.cuh"

/* A matrix of order n in memory of which a team owns it alone: entry (i, j) at base[(i*row + j)*step]. */
template <typename real> struct geev_view {
    real *base;
    int n, row, step;
    __device__ __forceinline__ real &operator()(int i, int j) const
    {
        return base[((int64_t)i * row + j) * step];
    }
};

/* Scales a matrix into the safe range; a matrix that is not finite becomes zero. */
template <typename real, typename team_type>
static __device__ void normalise(team_type team, geev_view<real> h, geev_record *record)
{
    real most = 0;
    bool finite = true;
    for (int i = team.rank; i < h.n; i += team_type::size) {
        for (int j = 0; j < h.n; ++j) {
            real const x = fabs(h(i, j));
            most = x > most ? x : most;
            finite = finite && x < (real)INFINITY;
        }
    }
    finite = !team.any(!finite);
    most = team.max(most);
    real const scale = finite ? geev_scale(most) : (real)0;
    record->info = finite ? EIG_INFO_OK : EIG_INFO_NOT_FINITE;
    record->unscale = finite ? (double)(1 / scale) : 1.0;
    if (scale != 1)
        for (int i = team.rank; i < h.n; i += team_type::size)
            for (int j = 0; j < h.n; ++j) h(i, j) = finite ? h(i, j) * scale : (real)0;
    team.sync();
}

/* The last row at or above `from` whose off-diagonal entries in columns 0..hi are all zero; -1: none. */
template <typename real, typename team_type>
static __device__ int isolated_row(team_type team, geev_view<real> h, int from, int hi)
{
    int found = -1;
    for (int i = from - team.rank; i >= 0 && found < 0; i -= team_type::size) {
        bool zero = true;
        for (int j = 0; j <= hi && zero; ++j) zero = j == i || h(i, j) == 0;
        if (zero) found = i;
    }
    return team.max(found);
}

/* The last column at or left of `from` whose off-diagonal entries in rows lo..hi are all zero; -1: none. */
template <typename real, typename team_type>
static __device__ int isolated_column(team_type team, geev_view<real> h, int from, int lo, int hi)
{
    int found = -1;
    for (int j = from - team.rank; j >= lo && found < 0; j -= team_type::size) {
        bool zero = true;
        for (int i = lo; i <= hi && zero; ++i) zero = i == j || h(i, j) == 0;
        if (zero) found = j;
    }
    return team.max(found);
}

/* Exchanges indices i and j, as far as rows 0..hi and columns lo..n-1 go. */
template <typename real, typename team_type>
static __device__ void exchange(team_type team, geev_view<real> h, int lo, int hi, int i, int j)
{
    if (i == j) return;
    for (int k = team.rank; k <= hi; k += team_type::size) {
        real const t = h(k, i);
        h(k, i) = h(k, j), h(k, j) = t;
    }
    team.sync();
    for (int k = lo + team.rank; k < h.n; k += team_type::size) {
        real const t = h(i, k);
        h(i, k) = h(j, k), h(j, k) = t;
    }
    team.sync();
}

/* Permutes so that the matrix is upper triangular but for the diagonal block lo..hi (hi < lo: nothing is left). */
template <typename real, typename team_type>
static __device__ void isolate(team_type team, geev_view<real> h, int *lo, int *hi)
{
    for (int from = *hi;;) {
        int const i = isolated_row(team, h, from, *hi);
        if (i < 0 && from == *hi) break;
        if (i >= 0) {
            exchange(team, h, 0, *hi, i, *hi);
            --*hi;
        }
        from = i > 0 ? i - 1 : *hi;
    }
    for (int from = *hi; *lo <= *hi;) {
        bool const whole = from == *hi;
        int const j = isolated_column(team, h, from, *lo, *hi);
        if (j < 0 && whole) break;
        if (j >= 0) {
            exchange(team, h, *lo, *hi, j, *lo);
            ++*lo;
        }
        from = j > *lo ? j - 1 : *hi;
    }
}

/* Norms and largest entries of a row and a column, as balance_factor takes them. */
template <typename real> struct geev_norms {
    real column, row, column_most, row_most;
};

/* Entries are multiplied by unit (a power of two) before they are squared. */
template <typename real, typename team_type>
static __device__ geev_norms<real> norms(team_type team, geev_view<real> h, int lo, int hi, int i, real column_unit,
                                         real row_unit)
{
    geev_norms<real> s = {0, 0, 0, 0};
    for (int k = team.rank; k < h.n; k += team_type::size) {
        real const x = k <= hi ? fabs(h(k, i)) : (real)0, y = k >= lo ? fabs(h(i, k)) : (real)0;
        s.column_most = x > s.column_most ? x : s.column_most;
        s.row_most = y > s.row_most ? y : s.row_most;
        if (k < lo || k > hi) continue;
        s.column = fma(x * column_unit, x * column_unit, s.column);
        s.row = fma(y * row_unit, y * row_unit, s.row);
    }
    s.column = sqrt(team.sum(s.column)) / column_unit;
    s.row = sqrt(team.sum(s.row)) / row_unit;
    s.column_most = team.max(s.column_most);
    s.row_most = team.max(s.row_most);
    return s;
}

/* 1 / 2^exponent of x, within the range where that is normal. */
template <typename real> static __device__ real unit_of(real x)
{
    return pow2_inverse(pow2_floor(x > geev_limits<real>::safmin ? x : geev_limits<real>::safmin));
}

/* Scales rows and columns lo..hi by powers of two until their norms are close.  scale[i*step]: work. */
template <typename real, typename team_type>
static __device__ void balance(team_type team, geev_view<real> h, int lo, int hi, real *scale)
{
    for (int i = lo + team.rank; i <= hi; i += team_type::size) scale[i * h.step] = 1;
    team.sync();
    bool changed = true;
    for (int sweep = 0; sweep < GEEV_BALANCE_SWEEPS && changed; ++sweep) {
        changed = false;
        for (int i = lo; i <= hi; ++i) {
            geev_norms<real> s = norms(team, h, lo, hi, i, (real)1, (real)1);
            /* Squares of tiny entries lost digits: once more, scaled. */
            if (s.column_most < geev_limits<real>::square_safe || s.row_most < geev_limits<real>::square_safe)
                s = norms(team, h, lo, hi, i, unit_of(s.column_most), unit_of(s.row_most));
            real const f = balance_factor(s.column, s.row, s.column_most, s.row_most, scale[i * h.step]);
            team.sync();
            if (f == 1) continue;
            if (team.rank == 0) scale[i * h.step] *= f;
            /* A thread scales the diagonal entry both times, since both loops give it k = i. */
            for (int k = team.rank; k < h.n; k += team_type::size) {
                if (k >= lo) h(i, k) *= 1 / f;
                if (k <= hi) h(k, i) *= f;
            }
            team.sync();
            changed = true;
        }
    }
}

#endif
