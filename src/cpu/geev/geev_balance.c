/* geev on the CPU, plain code: balancing of one matrix by the rules of LAPACK's dgebal.  Strides are free: element
 * (i, j) is a[i*si + j*sj].  Compiled once for each type. */
#include "geev_cpu.h"

#include "geev.h"
#include "geev_plain.h"

static void swap(int64_t n, real *x, real *y, int64_t step)
{
    for (int64_t k = 0; k < n; ++k) {
        real const t = x[k * step];
        x[k * step] = y[k * step], y[k * step] = t;
    }
}

/* Exchanges indices i and j in rows 0..hi and columns lo..n-1; the rest of the matrix is no part of a diagonal block. */
static void exchange(int64_t n, int64_t lo, int64_t hi, int64_t i, int64_t j, real *a, int64_t si, int64_t sj)
{
    if (i == j) return;
    swap(hi + 1, a + i * sj, a + j * sj, si);
    swap(n - lo, a + i * si + lo * sj, a + j * si + lo * sj, sj);
}

/* Whether x[from..to] is zero except for x[except]. */
static bool isolated(const real *x, int64_t step, int64_t from, int64_t to, int64_t except)
{
    for (int64_t k = from; k <= to; ++k)
        if (k != except && x[k * step] != 0) return false;
    return true;
}

void TYPED(eig_cpu_geev_isolate)(int64_t n, real *a, int64_t si, int64_t sj, int64_t *lo_out, int64_t *hi_out)
{
    int64_t lo = 0, hi = n - 1;
    /* A row without off-diagonal entries goes to the bottom ... */
    for (bool found = true; found && hi >= 0;) {
        found = false;
        for (int64_t i = hi; i >= 0; --i) {
            if (!isolated(a + i * si, sj, 0, hi, i)) continue;
            exchange(n, 0, hi, i, hi, a, si, sj);
            --hi;
            found = true;
        }
    }
    /* ... and a column to the left. */
    for (bool found = true; found && lo <= hi;) {
        found = false;
        for (int64_t j = lo; j <= hi; ++j) {
            if (!isolated(a + j * sj, si, lo, hi, j)) continue;
            exchange(n, lo, hi, j, lo, a, si, sj);
            ++lo;
            found = true;
        }
    }
    /* Beside the block no eigenvalue depends on the entries above the diagonal. */
    for (int64_t j = 1; j < n; ++j)
        for (int64_t i = 0; i < j && (i < lo || j > hi); ++i) a[i * si + j * sj] = 0;
    *lo_out = lo, *hi_out = hi;
}

/* The 2-norm of x, whose largest absolute entry is `most`.  It is accurate even where that is tiny. */
static real norm(int64_t count, const real *x, int64_t step, real most)
{
    real const unit = TYPED(pow2_floor)(most > REAL_MIN ? most : REAL_MIN), scale = TYPED(pow2_inverse)(unit);
    real sum = 0;
    for (int64_t k = 0; k < count; ++k) {
        real const y = x[k * step] * scale;
        sum += y * y;
    }
    return unit * sqrt(sum);
}

/* The limit on sweeps only guards against endless repetition: any scaling is an exact similarity. */
void TYPED(eig_cpu_geev_balance)(int64_t n, real *a, int64_t si, int64_t sj, real *scale, int64_t lo, int64_t hi)
{
    int64_t const size = hi - lo + 1;
    for (int64_t i = lo; i <= hi; ++i) scale[i] = 1;
    bool changed = true;
    for (int sweep = 0; sweep < GEEV_BALANCE_SWEEPS && changed; ++sweep) {
        changed = false;
        for (int64_t i = lo; i <= hi; ++i) {
            real *const column = a + i * sj, *const row = a + i * si;
            real const c_max = geev_largest(hi + 1, column, si), r_max = geev_largest(n - lo, row + lo * sj, sj);
            real const c = norm(size, column + lo * si, si, c_max);
            real const r = norm(size, row + lo * sj, sj, r_max);
            real const f = TYPED(balance_factor)(c, r, c_max, r_max, scale[i]);
            if (f == 1) continue;
            scale[i] *= f;
            for (int64_t k = lo; k < n; ++k) row[k * sj] *= 1 / f;
            for (int64_t k = 0; k <= hi; ++k) column[k * si] *= f;
            changed = true;
        }
    }
}
