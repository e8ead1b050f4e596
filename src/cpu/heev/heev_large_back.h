/* heev on the CPU, n > 64: V = Q (phases) Z.  Part of heev_large.c.
 *
 * Some reflections at a time are I - V M, M = S V^H with an upper triangle S (R. Schreiber and C. Van Loan, SIAM J.
 * Sci. Stat. Comput. 10 (1989)), so that both steps, W = M Z and Z - V W, are products.
 *
 * Threads   take columns of Z, and columns of M before.
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
 * sums of the parts of V, M, W and of the columns of Z that are in progress. */
typedef struct bundle {
    int64_t first, count, start;
    int64_t width; /* rows of V^H, M and W, of which `count` are not 0 */
    block columns; /* V */
    block h, m, s, w;
    block z; /* columns of Z */
} bundle;

/* Columns of V^H, with rows of zeros behind. */
static void transpose(const large_matrix *m, const bundle *b, span columns)
{
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int64_t i = columns.first; i < columns.last; ++i)
            for (int64_t l = 0; l < b->width; ++l) {
                real const x = l < b->count ? b->columns.part[part][i + l * m->ld] : 0;
                b->h.part[part][l + i * b->width] = part ? -x : x;
            }
}

static factor as_factor(block x)
{
    return (factor){.part = {x.part[0], x.part[1], x.part[2]}, .row = 1, .column = x.ld};
}

/* Puts the sum of the two parts of a complex block where its third part points to. */
static void add_parts(block x, int64_t rows, int64_t columns)
{
    for (int64_t j = 0; j < columns && EIG_COMPLEX; ++j)
        for (int64_t i = j * x.ld; i < j * x.ld + rows; i += SIMD_LANES)
            *at(x.part[2], i) = *at(x.part[0], i) + *at(x.part[EIG_COMPLEX], i);
}

/* The same from column `first` on. */
static block from_column(block x, int64_t first)
{
    for (int part = 0; part < 3; ++part)
        if (x.part[part]) x.part[part] += first * x.ld;
    return x;
}

/* Where the bundle's blocks lie: in the first thread's scratch, but W and the sums of columns of Z in this one's. */
static void lay_out_bundle(const large_matrix *m, bundle *b)
{
    int64_t at = 0;
    b->columns = b->z = (block){.ld = m->ld};
    b->h = b->m = b->s = b->w = (block){.ld = b->width};
    for (int part = 0; part < HEEV_PARTS; ++part) {
        b->columns.part[part] = m->a[part] + b->start + b->first * m->ld;
        b->h.part[part] = m->first_scratch + at, at += b->width * m->ld;
        b->m.part[part] = m->first_scratch + at, at += b->width * m->ld;
        b->s.part[part] = m->first_scratch + at, at += b->width * b->width;
        b->w.part[part] = m->scratch + at, at += b->width * COLUMNS;
    }
    if (EIG_COMPLEX) {
        b->columns.part[2] = m->first_scratch + at, at += b->width * m->ld;
        b->m.part[2] = m->first_scratch + at, at += b->width * m->ld;
        b->w.part[2] = m->scratch + at, at += b->width * COLUMNS;
        b->z.part[2] = m->scratch + at;
    }
}

/* V^H, S and M of the bundle. */
static bool gather(const large_matrix *m, bundle *b)
{
    int64_t const rows = m->ld - b->start;
    span const mine = share_of(m, rows, BLOCK);
    lay_out_bundle(m, b);
    transpose(m, b, mine);
    if (!cpu_team_meet(m->who)) return false;
    if (m->who->rank == 0) {
        for (int part = 0; part < HEEV_PARTS; ++part)
            for (int64_t k = 0; k < b->width * b->width; ++k) b->s.part[part][k] = 0;
        product_set(b->s, b->width, b->count, rows, b->h, as_factor(b->columns));
        make_triangle(b->s, (span){0, b->width}, m->tau + b->first, b->count);
        add_parts(b->columns, rows, b->count);
    }
    if (!cpu_team_meet(m->who)) return false;
    int64_t const columns = mine.last - mine.first;
    block const part_of_m = from_column(b->m, mine.first), part_of_h = from_column(b->h, mine.first);
    product_set(part_of_m, b->width, columns, b->width, b->s, as_factor(part_of_h));
    add_parts(part_of_m, b->width, columns);
    return cpu_team_meet(m->who);
}

/* Z := (phases) Z, these columns */
static void apply_phases(large_matrix *m, span columns)
{
    for (int64_t j = columns.first; j < columns.last; ++j) {
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
    span const mine = share_of(m, m->n, COLUMNS);
    apply_phases(m, mine);
    int64_t const most = m->n - 2; /* reflections */
    int64_t const width = m->n <= FEW_UP_TO ? FEW : REFLECTIONS;
    for (int64_t first = (most - 1) / width * width; first >= 0; first -= width) {
        bundle b = {.width = width, .first = first, .count = least(width, most - first), .start = block_of(first + 1)};
        int64_t const rows = m->ld - b.start;
        if (!gather(m, &b)) return false;
        for (int64_t j = mine.first; j < mine.last; j += COLUMNS) {
            if (!team_goes_on(m, watch, 1 - 0.3 * (double)first / (double)m->n)) break;
            int64_t const columns = least(COLUMNS, mine.last - j);
            for (int part = 0; part < HEEV_PARTS; ++part) b.z.part[part] = m->z[part] + b.start + j * m->ld;
            add_parts(b.z, rows, columns);
            product_set_by_thirds(b.w, width, columns, rows, b.m, as_factor(b.z));
            add_parts(b.w, width, columns);
            product_subtract_by_thirds(b.z, rows, columns, b.count, b.columns, as_factor(b.w));
        }
        if (!cpu_team_meet(m->who)) return false;
    }
    return true;
}

#endif
