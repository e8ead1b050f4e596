/* heev on the CPU, n > 64: V = Q (phases) Z.  Part of heev_large.c.
 *
 * Some reflections at a time are I - V M, M = S V^H with an upper triangle S (R. Schreiber and C. Van Loan, SIAM J.
 * Sci. Stat. Comput. 10 (1989)), so that both steps, W = M Z and Z - V W, are products.
 *
 * Cost      2 n^3 flops (complex: 6, by thirds) at the rate of products. */
#ifndef EIG_HEEV_LARGE_BACK_H
#define EIG_HEEV_LARGE_BACK_H

#include "heev_large.h"

enum {
    REFLECTIONS = HEEV_REFLECTIONS, /* at once, at most */
    FEW = FLOAT_OR_DOUBLE(32, 24),  /* in a complex type, and up to an order of FEW_UP_TO */
    FEW_UP_TO = EIG_COMPLEX ? INT32_MAX : 300,
    COLUMNS = HEEV_COLUMNS
};
_Static_assert((int)FEW <= (int)REFLECTIONS && REFLECTIONS % BLOCK == 0, "whole blocks");

/* Reflections first, ..., first + count - 1: V as it lies in A from row `start` on; beside it V^H, M, S, W; and the
 * sums of the parts of V, M, W and of the columns of Z that are under way. */
typedef struct bundle {
    int64_t first, count, start;
    int64_t width; /* rows of V^H, M and W, of which `count` are not 0 */
    block columns; /* V */
    block h, m, s, w;
    block z; /* columns of Z */
} bundle;

/* V^H, with rows of zeros behind. */
static void transpose(const large_matrix *m, const bundle *b)
{
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int64_t i = 0; i < m->ld - b->start; ++i)
            for (int64_t l = 0; l < b->width; ++l) {
                real const x = l < b->count ? b->columns.part[part][i + l * m->ld] : 0;
                b->h.part[part][l + i * b->width] = part ? -x : x;
            }
}

/* S from G = V^H V, in its place: column l is -tau_l S G(:, l) above the diagonal, tau_l on it. */
static void make_triangle(const large_matrix *m, const bundle *b)
{
    for (int64_t l = 0; l < b->width; ++l) {
        real column[2][REFLECTIONS] = {{0}};
        real const tau = l < b->count ? m->tau[b->first + l] : 0;
        for (int64_t t = 0; t < l; ++t) {
            real const re = b->s.part[0][t + l * b->width], im = EIG_COMPLEX ? b->s.part[1][t + l * b->width] : 0;
            for (int64_t i = 0; i <= t; ++i) {
                real const x = b->s.part[0][i + t * b->width];
                real const y = EIG_COMPLEX ? b->s.part[1][i + t * b->width] : 0;
                column[0][i] += x * re - y * im, column[1][i] += x * im + y * re;
            }
        }
        for (int64_t i = 0; i < b->width; ++i) {
            b->s.part[0][i + l * b->width] = i < l ? -tau * column[0][i] : i == l ? tau : 0;
            if (EIG_COMPLEX) b->s.part[1][i + l * b->width] = i < l ? -tau * column[1][i] : 0;
        }
    }
}

static factor as_factor(block x)
{
    return (factor){{x.part[0], x.part[1], x.part[2]}, 1, x.ld};
}

/* Puts the sum of the two parts of a complex block where its third part points to. */
static void add_parts(block x, int64_t rows, int64_t columns)
{
    for (int64_t j = 0; j < columns && EIG_COMPLEX; ++j)
        for (int64_t i = j * x.ld; i < j * x.ld + rows; i += SIMD_LANES)
            *at(x.part[2], i) = *at(x.part[0], i) + *at(x.part[EIG_COMPLEX], i);
}

/* V^H, S and M of the bundle. */
static void gather(const large_matrix *m, bundle *b)
{
    int64_t const rows = m->ld - b->start;
    real *rest = m->scratch;
    b->columns = (block){.ld = m->ld};
    b->h = b->m = b->s = b->w = (block){.ld = b->width};
    for (int part = 0; part < HEEV_PARTS; ++part) {
        b->columns.part[part] = m->a[part] + b->start + b->first * m->ld;
        b->h.part[part] = rest, rest += b->width * m->ld;
        b->m.part[part] = rest, rest += b->width * m->ld;
        b->s.part[part] = rest, rest += b->width * b->width;
        b->w.part[part] = rest, rest += b->width * COLUMNS;
    }
    b->z = (block){.ld = m->ld};
    if (EIG_COMPLEX) {
        b->columns.part[2] = rest, rest += b->width * m->ld;
        b->m.part[2] = rest, rest += b->width * m->ld;
        b->w.part[2] = rest, rest += b->width * COLUMNS;
        b->z.part[2] = rest, rest += COLUMNS * m->ld;
    }
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int64_t k = 0; k < b->width * b->width; ++k) b->s.part[part][k] = 0;
    transpose(m, b);
    product_set(b->s, b->width, b->count, rows, b->h, as_factor(b->columns));
    make_triangle(m, b);
    product_set(b->m, b->width, rows, b->width, b->s, as_factor(b->h));
    add_parts(b->columns, rows, b->count);
    add_parts(b->m, b->width, rows);
}

/* Z := (phases) Z */
static void apply_phases(large_matrix *m)
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

static bool back_transform(large_matrix *m, cpu_watch *watch)
{
    apply_phases(m);
    int64_t const most = m->n - 2; /* reflections */
    int64_t const width = m->n <= FEW_UP_TO ? FEW : REFLECTIONS;
    for (int64_t first = (most - 1) / width * width; first >= 0; first -= width) {
        bundle b = {.width = width, .first = first, .count = least(width, most - first), .start = block_of(first + 1)};
        int64_t const rows = m->ld - b.start;
        gather(m, &b);
        for (int64_t j = 0; j < m->n; j += COLUMNS) {
            if (!go_on(watch, 1 - 0.3 * (double)first / (double)m->n)) return false;
            int64_t const columns = least(COLUMNS, m->n - j);
            for (int part = 0; part < HEEV_PARTS; ++part) b.z.part[part] = m->z[part] + b.start + j * m->ld;
            add_parts(b.z, rows, columns);
            product_set_by_thirds(b.w, width, columns, rows, b.m, as_factor(b.z));
            add_parts(b.w, width, columns);
            product_subtract_by_thirds(b.z, rows, columns, b.count, b.columns, as_factor(b.w));
        }
    }
    return true;
}

#endif
