/* heev on the CPU, one matrix: V = Q (phases) Z.  Part of heev_one.c.
 *
 * REFLECTIONS of them at a time are I - V M, M = S V^H with an upper triangle S (R. Schreiber and C. Van Loan, SIAM J.
 * Sci. Stat. Comput. 10 (1989)), so that both steps, W = M Z and Z - V W, are products.
 *
 * Cost      2 n^3 flops (complex: 8) at the rate of products. */
#ifndef EIG_HEEV_ONE_BACK_H
#define EIG_HEEV_ONE_BACK_H

#include "heev_one.h"

enum { REFLECTIONS = HEEV_REFLECTIONS, COLUMNS = 32 /* of Z at once */ };

/* Reflections first, ..., first + count - 1: V as it lies in A from row `start` on, and beside it V^H, M, S, W. */
typedef struct bundle {
    int64_t first, count, start;
    factor v;
    block columns; /* V again */
    block h, m, s, w;
} bundle;

/* What is conjugate and transposed of V, with rows of zeros behind. */
static void transpose(const one *m, const bundle *b)
{
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int64_t i = 0; i < m->ld - b->start; ++i)
            for (int64_t l = 0; l < REFLECTIONS; ++l) {
                real const x = l < b->count ? b->columns.part[part][i + l * m->ld] : 0;
                b->h.part[part][l + i * REFLECTIONS] = part ? -x : x;
            }
}

/* S from G = V^H V, in its place: column l is -tau_l S G(:, l) above the diagonal, tau_l on it. */
static void make_triangle(const one *m, const bundle *b)
{
    for (int64_t l = 0; l < REFLECTIONS; ++l) {
        real column[2][REFLECTIONS] = {{0}};
        real const tau = l < b->count ? m->tau[b->first + l] : 0;
        for (int64_t t = 0; t < l; ++t) {
            real const re = b->s.part[0][t + l * REFLECTIONS], im = EIG_COMPLEX ? b->s.part[1][t + l * REFLECTIONS] : 0;
            for (int64_t i = 0; i <= t; ++i) {
                real const x = b->s.part[0][i + t * REFLECTIONS];
                real const y = EIG_COMPLEX ? b->s.part[1][i + t * REFLECTIONS] : 0;
                column[0][i] += x * re - y * im, column[1][i] += x * im + y * re;
            }
        }
        for (int64_t i = 0; i < REFLECTIONS; ++i) {
            b->s.part[0][i + l * REFLECTIONS] = i < l ? -tau * column[0][i] : i == l ? tau : 0;
            if (EIG_COMPLEX) b->s.part[1][i + l * REFLECTIONS] = i < l ? -tau * column[1][i] : 0;
        }
    }
}

static factor as_factor(block x)
{
    return (factor){{x.part[0], x.part[1]}, 1, x.ld};
}

/* V^H, S and M of the bundle. */
static void gather(const one *m, bundle *b)
{
    int64_t const rows = m->ld - b->start;
    real *rest = m->scratch;
    b->columns = (block){.ld = m->ld};
    b->h = b->m = b->s = b->w = (block){.ld = REFLECTIONS};
    for (int part = 0; part < HEEV_PARTS; ++part) {
        b->columns.part[part] = m->a[part] + b->start + b->first * m->ld;
        b->h.part[part] = rest, rest += REFLECTIONS * m->ld;
        b->m.part[part] = rest, rest += REFLECTIONS * m->ld;
        b->s.part[part] = rest, rest += REFLECTIONS * REFLECTIONS;
        b->w.part[part] = rest, rest += REFLECTIONS * COLUMNS;
    }
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int64_t k = 0; k < REFLECTIONS * REFLECTIONS; ++k) b->s.part[part][k] = 0;
    transpose(m, b);
    product_set(b->s, REFLECTIONS, b->count, rows, b->h, as_factor(b->columns));
    make_triangle(m, b);
    product_set(b->m, REFLECTIONS, rows, REFLECTIONS, b->s, as_factor(b->h));
}

/* Columns from `first` on, each multiplied by the phases. */
static void turn_rows(one *m)
{
    for (int64_t j = 0; j < m->n; ++j) {
        real *const re = m->z[0] + j * m->ld, *const im = EIG_COMPLEX ? m->z[1] + j * m->ld : NULL;
        for (int64_t i = 0; i < m->ld; ++i) {
            real const z = re[i];
            re[i] = z * m->phase[0][i];
            if (EIG_COMPLEX) im[i] = z * m->phase[1][i];
        }
    }
}

static bool back_transform(one *m, cpu_watch *watch)
{
    turn_rows(m);
    int64_t const most = m->n - 2; /* reflections */
    for (int64_t first = (most - 1) / REFLECTIONS * REFLECTIONS; first >= 0; first -= REFLECTIONS) {
        bundle b = {.first = first, .count = least(REFLECTIONS, most - first), .start = block_of(first + 1)};
        int64_t const rows = m->ld - b.start;
        gather(m, &b);
        for (int64_t j = 0; j < m->n; j += COLUMNS) {
            if (!go_on(watch, 1 - 0.3 * (double)first / (double)m->n)) return false;
            int64_t const columns = least(COLUMNS, m->n - j);
            block z = {.ld = m->ld};
            for (int part = 0; part < HEEV_PARTS; ++part) z.part[part] = m->z[part] + b.start + j * m->ld;
            product_set(b.w, REFLECTIONS, columns, rows, b.m, as_factor(z));
            product_subtract(z, rows, columns, b.count, b.columns, as_factor(b.w));
        }
    }
    return true;
}

#endif
