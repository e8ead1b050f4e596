/* heev on the CPU, n > 64: implicit QL on rows of T.  Part of heev_large.c.
 *
 * QL runs on T alone and notes its rotations; they are applied to Z by thousands, one strip of rows after the other,
 * which stays in the first cache. */
#ifndef EIG_HEEV_LARGE_QL_H
#define EIG_HEEV_LARGE_QL_H

#include "heev_large.h"

enum { MOST_VECTORS = 4 };

/* Applies the noted rotations to `vectors` vectors of rows from `row` on. The second of two in a row mostly takes
 * the column that the first leaves: it stays in registers. */
SIMD_FN void apply_to_rows(const large_matrix *m, int64_t row, int vectors)
{
    vreal carry[MOST_VECTORS];
    int64_t carried = m->noted[0].i + 1;
    for (int u = 0; u < vectors; ++u) carry[u] = at(m->z[0], carried * m->ld + row)[u];
    for (int k = 0; k < m->count; ++k) {
        rotation const next = m->noted[k];
        vreal *const x = at(m->z[0], next.i * m->ld + row), *const y = at(m->z[0], (next.i + 1) * m->ld + row);
        if (next.i + 1 != carried) {
            for (int u = 0; u < vectors; ++u) at(m->z[0], carried * m->ld + row)[u] = carry[u];
            for (int u = 0; u < vectors; ++u) carry[u] = y[u];
        }
        vreal const c = simd_splat(next.c), s = simd_splat(next.s);
        for (int u = 0; u < vectors; ++u) {
            vreal const a = x[u], b = carry[u];
            y[u] = simd_fma(c, b, s * a), carry[u] = simd_fma(c, a, -(s * b));
        }
        carried = next.i;
    }
    for (int u = 0; u < vectors; ++u) at(m->z[0], carried * m->ld + row)[u] = carry[u];
}

/* Applies them to the rows of Z. Numbers behind the last row in its block are 0. */
static void apply_noted(large_matrix *m, span z)
{
    int64_t row = z.first;
    for (; row + MOST_VECTORS * SIMD_LANES <= z.last; row += MOST_VECTORS * SIMD_LANES)
        apply_to_rows(m, row, MOST_VECTORS);
    for (; row < z.last; row += SIMD_LANES) apply_to_rows(m, row, 1);
    m->count = 0;
}

static void note(large_matrix *m, span z, int64_t i, real c, real s)
{
    /* The rounding that c and s share is taken out again: its errors would add up. */
    real const excess = (real)0.5 * (1 - c * c - s * s);
    m->noted[m->count++] = (rotation){c + c * excess, s + s * excess, i};
    if (m->count == HEEV_NOTED) apply_noted(m, z);
}

/* One step of implicit QL on rows l..r. */
static void ql_step(large_matrix *m, span z, int64_t l, int64_t r)
{
    real *const d = m->d, *const e = m->e;
    real const h = (d[l + 1] - d[l]) / (2 * e[l]), root = sqrt(h * h + 1);
    real g = d[r] - d[l] + e[l] / (h + (h < 0 ? -root : root)), s = 1, c = 1, p = 0;
    for (int64_t i = r - 1; i >= l; --i) {
        real const f = s * e[i], b = c * e[i], sum = f * f + g * g;
        bool const plain = sum >= TINY * TINY;
        real const size = plain ? sqrt(sum) : g;
        s = plain ? f / size : 0, c = plain ? g / size : 1;
        e[i + 1] = size;
        real const q = d[i + 1] - p, t = (d[i] - q) * s + 2 * c * b;
        p = s * t;
        d[i + 1] = q + p, g = c * t - b;
        note(m, z, i, c, s);
    }
    d[l] -= p, e[l] = g, e[r] = 0;
}

/* Whether rows i and i+1 are joined; sets a negligible e[i] to 0. */
static bool joined(large_matrix *m, int64_t i)
{
    real const bound = (fabs(m->d[i]) + fabs(m->d[i + 1])) * REAL_EPSILON;
    if (fabs(m->e[i]) > bound && fabs(m->e[i]) > NEGLIGIBLE) return true;
    m->e[i] = 0;
    return false;
}

/* The part of a matrix's work that a step is, as the watch sees it. */
typedef struct share {
    double from, to;
} share;

static double share_at(share work, double part)
{
    return work.from + part * (work.to - work.from);
}

/* At most `most` steps. Marks in bad what has not converged by then, and returns how many; -1 where the watch stops
 * it. The row behind the last one is not joined to it. */
static int64_t iterate(large_matrix *m, span all, int64_t most, share work, cpu_watch *watch)
{
    int64_t steps = 0;
    for (int64_t l = all.first; l + 1 < all.last && steps < most;) {
        int64_t r = l;
        while (r + 1 < all.last && joined(m, r)) ++r;
        if (r == l) {
            ++l;
            continue;
        }
        double const part = (double)(l - all.first) / (double)(all.last - all.first);
        if (steps % 8 == 0 && !go_on(watch, share_at(work, part))) return -1;
        ql_step(m, all, l, r);
        ++steps;
    }
    if (m->count > 0) apply_noted(m, all);
    int64_t failed = 0;
    for (int64_t i = all.first; i + 1 < all.last; ++i) joined(m, i);
    for (int64_t i = all.first; i < all.last; ++i)
        failed += m->bad[i] = m->e[i] != 0 || (i > all.first && m->e[i - 1] != 0);
    return failed;
}

#endif
