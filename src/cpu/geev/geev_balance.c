/* geev on the CPU, plain code: balancing of one matrix by the rules of LAPACK's dgebal.  Strides are free (geev_view).
 * Compiled once for each type. */
#include "geev_cpu.h"

#include "geev.h"
#include "geev_plain.h"

static void swap(int64_t n, real *x, real *y, int64_t step, int64_t im)
{
    for (int64_t k = 0; k < n; ++k) {
        for (int part = 0; part < GEEV_PARTS; ++part) {
            int64_t const at = k * step + part * im;
            real const t = x[at];
            x[at] = y[at], y[at] = t;
        }
    }
}

/* Exchanges indices i and j in rows 0..hi and columns lo..n-1; the rest of the matrix is zero there. */
static void exchange(int64_t n, int64_t lo, int64_t hi, int64_t i, int64_t j, geev_view v, int64_t *from)
{
    if (i == j) return;
    swap(hi + 1, v.a + i * v.sj, v.a + j * v.sj, v.si, v.im);
    swap(n - lo, v.a + i * v.si + lo * v.sj, v.a + j * v.si + lo * v.sj, v.sj, v.im);
    if (!from) return;
    int64_t const t = from[i];
    from[i] = from[j], from[j] = t;
}

/* Whether entry (i, j) is not zero. */
static bool is_some(geev_view v, int64_t i, int64_t j)
{
    const real *const x = v.a + i * v.si + j * v.sj;
    return x[0] != 0 || (EIG_COMPLEX && x[EIG_COMPLEX * v.im] != 0);
}

/* counts[i]: how many entries of row i, off the diagonal, are not zero in columns lo..hi, for rows lo..hi.  Columns are
 * those of the view: with exchanged strides they are rows. */
static void count_entries(geev_view v, int64_t lo, int64_t hi, int *counts)
{
    for (int64_t i = lo; i <= hi; ++i) counts[i] = is_some(v, i, i) ? -1 : 0;
    for (int64_t j = lo; j <= hi; ++j) {
        if (v.si == 1 && !EIG_COMPLEX) /* known steps become vectors */
            for (int64_t i = lo; i <= hi; ++i) counts[i] += v.a[i + j * v.sj] != 0;
        else
            for (int64_t i = lo; i <= hi; ++i) counts[i] += is_some(v, i, j);
    }
}

/* Index `from` is exchanged with `to`, which leaves the block that is counted: rows lo..hi are left. */
static void count_less(geev_view v, int64_t lo, int64_t hi, int64_t from, int64_t to, int *counts)
{
    counts[from] = counts[to];
    for (int64_t i = lo; i <= hi; ++i) counts[i] -= is_some(v, i, to);
}

/* The permutation of dgebal.  Counts of the entries that are not zero find it in n^2 steps; a search of the rows after
 * each exchange takes n^3. */
void TYPED(eig_cpu_geev_isolate)(int64_t n, geev_view v, int64_t *from, int *counts, int64_t *lo_out, int64_t *hi_out)
{
    int64_t lo = 0, hi = n - 1;
    geev_view const across = {v.a, v.sj, v.si, v.im};
    for (int64_t i = 0; from && i < n; ++i) from[i] = i;
    /* A row without off-diagonal entries goes to the bottom ... */
    count_entries(v, 0, hi, counts);
    for (bool found = true; found && hi >= 0;) {
        found = false;
        for (int64_t i = hi; i >= 0; --i) {
            if (counts[i] != 0) continue;
            exchange(n, 0, hi, i, hi, v, from);
            --hi;
            count_less(v, 0, hi, i, hi + 1, counts);
            found = true;
        }
    }
    /* ... and a column to the left. */
    count_entries(across, lo, hi, counts);
    for (bool found = true; found && lo <= hi;) {
        found = false;
        for (int64_t j = lo; j <= hi; ++j) {
            if (counts[j] != 0) continue;
            exchange(n, lo, hi, j, lo, v, from);
            ++lo;
            count_less(across, lo, hi, j, lo - 1, counts);
            found = true;
        }
    }
    /* Beside the block no eigenvalue depends on the entries above the diagonal; eigenvectors do. */
    for (int64_t j = 1; j < n && !from; ++j)
        for (int64_t i = 0; i < j && (i < lo || j > hi); ++i)
            for (int part = 0; part < GEEV_PARTS; ++part) v.a[i * v.si + j * v.sj + part * v.im] = 0;
    *lo_out = lo, *hi_out = hi;
}

/* The 2-norm of x, whose largest absolute entry is `most`.  It is accurate even where that is tiny. */
static real norm(int64_t count, const real *x, int64_t step, int64_t im, real most)
{
    real const unit = REAL_TYPED(pow2_floor)(most > REAL_MIN ? most : REAL_MIN);
    real const scale = REAL_TYPED(pow2_inverse)(unit);
    real sum = 0;
    for (int64_t k = 0; k < count; ++k) {
        for (int part = 0; part < GEEV_PARTS; ++part) {
            real const y = x[k * step + part * im] * scale;
            sum += y * y;
        }
    }
    return unit * sqrt(sum);
}

static void multiply(int64_t count, real *x, int64_t step, int64_t im, real factor)
{
    for (int part = 0; part < GEEV_PARTS; ++part)
        for (int64_t k = 0; k < count; ++k) x[k * step + part * im] *= factor;
}

/* The limit on sweeps only guards against endless repetition: any scaling is an exact similarity. */
void TYPED(eig_cpu_geev_balance)(int64_t n, geev_view v, real *scale, int64_t lo, int64_t hi)
{
    int64_t const size = hi - lo + 1, im = v.im;
    for (int64_t i = 0; i < n; ++i) scale[i] = 1;
    bool changed = true;
    for (int sweep = 0; sweep < GEEV_BALANCE_SWEEPS && changed; ++sweep) {
        changed = false;
        for (int64_t i = lo; i <= hi; ++i) {
            real *const column = v.a + i * v.sj, *const row = v.a + i * v.si;
            real const c_max = geev_largest(hi + 1, column, v.si, im);
            real const r_max = geev_largest(n - lo, row + lo * v.sj, v.sj, im);
            real const c = norm(size, column + lo * v.si, v.si, im, c_max);
            real const r = norm(size, row + lo * v.sj, v.sj, im, r_max);
            real const f = REAL_TYPED(balance_factor)(c, r, c_max, r_max, scale[i]);
            if (f == 1) continue;
            scale[i] *= f;
            multiply(n - lo, row + lo * v.sj, v.sj, im, 1 / f);
            multiply(hi + 1, column, v.si, im, f);
            changed = true;
        }
    }
}

/* ------------------------------------------------------------------- the transpose */

static bool is_better_turned(geev_view v, int64_t lo, int64_t hi)
{
    real lower = 0, upper = 0;
    for (int64_t j = lo; j <= hi; ++j) {
        real above = 0, below = 0;
        for (int part = 0; part < GEEV_PARTS; ++part) {
            const real *const x = v.a + j * v.sj + part * v.im;
            for (int64_t i = lo; i < j; ++i) above += x[i * v.si] * x[i * v.si];
            for (int64_t i = j + 1; i <= hi; ++i) below += x[i * v.si] * x[i * v.si];
        }
        upper += above, lower += below;
    }
    return REAL_TYPED(balance_turns)(lower, upper);
}

static void swap_two(real *x, real *y)
{
    real const t = *x;
    *x = *y, *y = t;
}

/* Mirrors the matrix at its other diagonal: the transpose in reverse order, which is upper triangular where the matrix
 * was. */
static void mirror(int64_t n, geev_view v)
{
    for (int part = 0; part < GEEV_PARTS; ++part) {
        real *const a = v.a + part * v.im;
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < n - 1 - j; ++i)
                swap_two(a + i * v.si + j * v.sj, a + (n - 1 - j) * v.si + (n - 1 - i) * v.sj);
    }
}

bool TYPED(eig_cpu_geev_turn)(int64_t n, geev_view v, int64_t *from, real *scale, real *alone, int64_t *lo, int64_t *hi)
{
    if (*hi - *lo < 2 || !is_better_turned(v, *lo, *hi)) return false;
    mirror(n, v);
    for (int64_t i = 0, j = n - 1; i < j; ++i, --j) {
        int64_t const last = from ? from[j] : 0;
        if (from) from[j] = from[i], from[i] = last;
        if (scale) swap_two(scale + i, scale + j);
        if (alone) swap_two(alone + i, alone + j), swap_two(alone + n + i, alone + n + j);
    }
    for (int64_t i = 0; scale && i < n; ++i) scale[i] = 1 / scale[i];
    int64_t const first = n - 1 - *hi, end = n - 1 - *lo;
    /* Within the block the order is that of before: a grading stays. */
    for (int64_t i = first, j = end; i < j; ++i, --j) {
        exchange(n, first, end, i, j, v, from);
        if (scale) swap_two(scale + i, scale + j);
    }
    *lo = first, *hi = end;
    return true;
}
