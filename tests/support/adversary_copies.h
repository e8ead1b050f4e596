/* Random tridiagonal matrices made of copies of a block, joined by little; and what other kinds share with these. */
#ifndef EIG_TEST_ADVERSARY_COPIES_H
#define EIG_TEST_ADVERSARY_COPIES_H

#include "adversary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* e has n entries, of which the last is unused. */
typedef struct tridiagonal {
    int64_t n;
    double *d, *e;
    char name[160];
} tridiagonal;

static inline tridiagonal tridiagonal_new(int64_t n)
{
    tridiagonal t = {.n = n, .d = calloc((size_t)n + 1, sizeof(double)), .e = calloc((size_t)n + 1, sizeof(double))};
    if (!t.d || !t.e) abort();
    return t;
}

static inline void tridiagonal_free(tridiagonal *t)
{
    free(t->d), free(t->e);
}

static inline double tridiagonal_most(const tridiagonal *t)
{
    double most = 0;
    for (int64_t i = 0; i < t->n; ++i) most = fmax(most, fabs(t->d[i]));
    for (int64_t i = 0; i + 1 < t->n; ++i) most = fmax(most, fabs(t->e[i]));
    return most;
}

static inline void tridiagonal_multiply(tridiagonal *t, double factor)
{
    for (int64_t i = 0; i < t->n; ++i) t->d[i] *= factor, t->e[i] *= factor;
}

/* ---------------------------------------------------------------- blocks */

/* Fills d[n] and e[n]. */
typedef void fill_block(matrices_rng *rng, int64_t n, double *d, double *e);

static inline void block_wilkinson(matrices_rng *rng, int64_t n, double *d, double *e)
{
    double const sign = draw_sign(rng), middle = (double)(n - 1) / 2;
    for (int64_t i = 0; i < n; ++i) d[i] = sign > 0 ? fabs((double)i - middle) : middle - (double)i, e[i] = 1;
}

static inline void block_uniform(matrices_rng *rng, int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = draw_between(rng, -1, 1), e[i] = matrices_uniform(rng);
}

static inline void block_normal(matrices_rng *rng, int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = matrices_normal(rng), e[i] = matrices_normal(rng);
}

static inline void block_second_difference(matrices_rng *rng, int64_t n, double *d, double *e)
{
    (void)rng;
    for (int64_t i = 0; i < n; ++i) d[i] = 2, e[i] = -1;
}

/* Wells of one to three rows, with low noise between them. */
static inline void block_wells(matrices_rng *rng, int64_t n, double *d, double *e)
{
    int64_t const period = draw_integer(rng, 2, 14), width = draw_integer(rng, 1, 3);
    double const depth = draw_between(rng, 4, 20), noise = draw_chance(rng, 0.5) ? 0.1 : 0;
    for (int64_t i = 0; i < n; ++i) d[i] = i % period < width ? depth : noise * matrices_uniform(rng), e[i] = 1;
}

static inline void block_graded(matrices_rng *rng, int64_t n, double *d, double *e)
{
    double const step = draw_decades(rng, -2, 0.5);
    for (int64_t i = 0; i < n; ++i) {
        d[i] = pow(10, -step * (double)i) * (1 + matrices_uniform(rng));
        e[i] = pow(10, -step * ((double)i + 0.5)) * matrices_uniform(rng);
    }
}

/* Largest in the middle. */
static inline void block_peak(matrices_rng *rng, int64_t n, double *d, double *e)
{
    double const step = draw_decades(rng, -2, 0), middle = (double)n / 2;
    for (int64_t i = 0; i < n; ++i) {
        d[i] = pow(10, -step * fabs((double)i - middle));
        e[i] = 0.5 * pow(10, -step * fabs((double)i + 0.5 - middle));
    }
}

/* Eigenvalues in pairs w and -w. */
static inline void block_no_diagonal(matrices_rng *rng, int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = 0, e[i] = matrices_uniform(rng);
}

static inline void block_all_close(matrices_rng *rng, int64_t n, double *d, double *e)
{
    double const width = draw_decades(rng, -17, -8);
    for (int64_t i = 0; i < n; ++i) {
        d[i] = draw_chance(rng, 0.5) ? 1 + width * draw_between(rng, -1, 1) : 1;
        e[i] = width * draw_between(rng, 0.1, 1);
    }
}

/* Diagonals 0 to 3. */
static inline void block_levels(matrices_rng *rng, int64_t n, double *d, double *e)
{
    double const coupling = draw_decades(rng, -14, -2);
    for (int64_t i = 0; i < n; ++i) d[i] = (double)draw_integer(rng, 0, 3), e[i] = coupling;
}

static inline void block_clement(matrices_rng *rng, int64_t n, double *d, double *e)
{
    (void)rng;
    for (int64_t i = 0; i < n; ++i) d[i] = 0, e[i] = sqrt((double)((i + 1) * (n > i + 1 ? n - 1 - i : 0)));
}

static struct {
    const char *name;
    fill_block *fill;
} const blocks[] = {
    {"Wilkinson", block_wilkinson}, {"uniform", block_uniform},
    {"normal", block_normal},       {"second difference", block_second_difference},
    {"wells", block_wells},         {"graded", block_graded},
    {"peak", block_peak},           {"no diagonal", block_no_diagonal},
    {"all close", block_all_close}, {"levels", block_levels},
    {"Clement", block_clement},
};
enum { BLOCKS = sizeof blocks / sizeof *blocks };

/* ---------------------------------------------------------------- copies */

/* What joins two blocks: nothing, next to nothing, or little. */
static inline double draw_glue(matrices_rng *rng)
{
    switch (draw_integer(rng, 0, 7)) {
    case 0:
        return 0;
    case 1:
        return 1e-300;
    case 2:
        return draw_decades(rng, -300, -17);
    case 3:
        return draw_decades(rng, -17, -14);
    default:
        return draw_decades(rng, -14, -1);
    }
}

/* By how much copies differ. */
static inline double draw_difference(matrices_rng *rng)
{
    switch (draw_integer(rng, 0, 4)) {
    case 0:
        return draw_decades(rng, -17, -13);
    case 1:
        return draw_decades(rng, -13, -9);
    case 2:
        return draw_decades(rng, -9, -2);
    default:
        return 0;
    }
}

/* How a matrix of copies is put together. */
typedef struct copies {
    int64_t kind, length;
    double glue, difference, shrink, zeros; /* shrink: each copy is this part of the one before */
    bool vary_glue, reverse, negate;
} copies;

static inline copies draw_copies(matrices_rng *rng)
{
    copies c = {.kind = draw_integer(rng, 0, BLOCKS - 1), .glue = draw_glue(rng), .difference = draw_difference(rng)};
    c.length = draw_chance(rng, 0.3) ? 21 : draw_integer(rng, 1, 80);
    c.shrink = draw_chance(rng, 0.2) ? draw_decades(rng, -3, -0.01) : 1;
    c.zeros = draw_chance(rng, 0.15) ? 0.2 * matrices_uniform(rng) : 0;
    c.vary_glue = draw_chance(rng, 0.3), c.reverse = draw_chance(rng, 0.4), c.negate = draw_chance(rng, 0.2);
    return c;
}

/* Copies of one block; where `more` is not NULL, it is every second copy. */
static inline void fill_copies(matrices_rng *rng, tridiagonal *t, const copies *first, const copies *more)
{
    const copies *const kinds[2] = {first, more ? more : first};
    tridiagonal block[2];
    double scale = 1;
    int64_t from = 0;
    for (int k = 0; k < 2; ++k) {
        block[k] = tridiagonal_new(kinds[k]->length);
        blocks[kinds[k]->kind].fill(rng, block[k].n, block[k].d, block[k].e);
    }
    for (int64_t copy = 0; from < t->n; ++copy) {
        int const k = more ? (int)(copy % 2) : 0;
        const tridiagonal *const b = &block[k];
        double const move = first->difference * draw_between(rng, -1, 1), sign = first->negate ? draw_sign(rng) : 1;
        bool const backwards = first->reverse && copy % 2;
        for (int64_t i = 0; i < b->n && from + i < t->n; ++i) {
            bool const last = i + 1 == b->n;
            t->d[from + i] = scale * (sign * b->d[backwards ? b->n - 1 - i : i] + move);
            t->e[from + i] =
                last ? first->vary_glue ? draw_glue(rng) : first->glue : b->e[backwards ? b->n - 2 - i : i];
            t->e[from + i] *= last ? scale * (draw_chance(rng, first->zeros) ? 0 : 1) : scale;
        }
        from += b->n;
        scale = scale * first->shrink < 1e-250 ? 1 : scale * first->shrink;
    }
    for (int k = 0; k < 2; ++k) tridiagonal_free(&block[k]);
}

static inline tridiagonal adversary_copies(matrices_rng *rng, int64_t n)
{
    tridiagonal t = tridiagonal_new(n);
    copies const first = draw_copies(rng), second = draw_copies(rng);
    bool const mixed = draw_chance(rng, 0.3);
    fill_copies(rng, &t, &first, mixed ? &second : NULL);
    snprintf(t.name, sizeof t.name, "copies of %s, %d rows%s%s, glue %.1e, apart %.1e", blocks[first.kind].name,
             (int)first.length, mixed ? ", and " : "", mixed ? blocks[second.kind].name : "", first.glue,
             first.difference);
    return t;
}

#endif
