/* Random tridiagonal matrices that are hard for MRRR: copies of a block, joined by little; entries of all sizes;
 * clusters inside clusters, or beside each other; spectra in groups; and two of these side by side.  The same seed
 * gives the same matrix. */
#ifndef EIG_TEST_ADVERSARY_TRIDIAGONAL_H
#define EIG_TEST_ADVERSARY_TRIDIAGONAL_H

#include "adversary_copies.h"
#include "io/matrices_hard.h"

/* -------------------------------------------------------------- specials */

/* Graded to the middle, or from it. */
static inline void special_graded(matrices_rng *rng, int64_t n, double *d, double *e)
{
    double const step = draw_decades(rng, -3, 0.3), middle = (double)(n - 1) / 2;
    bool const outwards = draw_chance(rng, 0.5);
    for (int64_t i = 0; i < n; ++i) {
        double const away = fabs((double)i - middle),
                     size = pow(10, fmax(-300, -step * (outwards ? away : middle - away)));
        d[i] = size * draw_between(rng, 0.5, 1), e[i] = size * matrices_uniform(rng);
    }
}

/* Few entries are large, and the others as good as 0 beside them. */
static inline void special_two_sizes(matrices_rng *rng, int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) {
        d[i] = draw_between(rng, -1, 1) * (draw_chance(rng, 0.1) ? 1e300 : 1e-300);
        e[i] = draw_between(rng, -1, 1) * (draw_chance(rng, 0.1) ? 1e300 : 1e-300);
    }
}

static inline void special_all_sizes(matrices_rng *rng, int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i)
        d[i] = draw_sign(rng) * draw_decades(rng, -300, 300), e[i] = draw_decades(rng, -300, 300);
}

/* One cluster, with noise that may be larger than its width. */
static inline void special_one_cluster(matrices_rng *rng, int64_t n, double *d, double *e)
{
    double const width = draw_decades(rng, -18, -9), noise = draw_chance(rng, 0.5) ? 0 : draw_decades(rng, -17, -9);
    for (int64_t i = 0; i < n; ++i)
        d[i] = 1 + noise * draw_between(rng, -1, 1), e[i] = width * draw_between(rng, 0.5, 1);
}

static inline void special_disordered_wells(matrices_rng *rng, int64_t n, double *d, double *e)
{
    int64_t const period = draw_integer(rng, 3, 25);
    double const disorder = draw_decades(rng, -16, -8), depth = draw_between(rng, 3, 15);
    for (int64_t i = 0; i < n; ++i) d[i] = i % period ? 0 : depth + disorder * draw_between(rng, -1, 1), e[i] = 1;
}

/* Every second well is deeper by little. */
static inline void special_two_wells(matrices_rng *rng, int64_t n, double *d, double *e)
{
    int64_t const period = draw_integer(rng, 6, 25);
    double const deeper = draw_decades(rng, -9, -1), depth = draw_between(rng, 5, 15);
    for (int64_t i = 0; i < n; ++i) {
        int64_t const place = i % period;
        d[i] = place == 0 ? depth : place == period / 2 ? depth + deeper : 0, e[i] = 1;
    }
}

/* Two clusters that are nearer to each other than rounding errors, in halves that hardly meet. */
static inline void special_beside(matrices_rng *rng, int64_t n, double *d, double *e)
{
    int64_t const period = draw_integer(rng, 6, 20);
    double const apart = draw_decades(rng, -16, -9), meet = draw_decades(rng, -20, -9);
    for (int64_t i = 0; i < n; ++i) {
        d[i] = i % period ? 0 : i < n / 2 ? 10 : 10 + apart;
        e[i] = i == n / 2 ? meet : 1;
    }
}

/* Wilkinson's matrices in a few blocks of T. */
static inline void special_split(matrices_rng *rng, int64_t n, double *d, double *e)
{
    int64_t const rows = draw_integer(rng, 8, 21);
    double const glue = draw_decades(rng, -300, -15);
    for (int64_t i = 0; i < n; ++i)
        d[i] = fabs((double)(i % rows) - (double)(rows - 1) / 2), e[i] = i % rows == rows - 1 ? glue : 1;
    for (int zero = 0; zero < 5; ++zero) e[draw_integer(rng, 0, n - 1)] = 0;
}

static inline void special_mostly_split(matrices_rng *rng, int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i)
        d[i] = (double)draw_integer(rng, 0, 2), e[i] = draw_chance(rng, 0.7) ? 0 : draw_decades(rng, -18, 0);
}

/* A block of few rows again and again, times a number that is no power of two: as many equal eigenvalues as copies, which nothing
 * parts, or the last bits of T. */
static inline void special_repeated(matrices_rng *rng, int64_t n, double *d, double *e)
{
    int64_t const rows = draw_integer(rng, 1, 5);
    double const times = draw_between(rng, 0.5, 4), glue = draw_chance(rng, 0.5) ? 0 : draw_decades(rng, -30, -13);
    double const noise = draw_chance(rng, 0.5) ? 0 : draw_decades(rng, -18, -15);
    bool const zero = draw_chance(rng, 0.5);
    double level[5];
    for (int64_t k = 0; k < rows; ++k) level[k] = zero ? 0 : (double)draw_integer(rng, -2, 2);
    for (int64_t i = 0; i < n; ++i) {
        d[i] = times * (level[i % rows] + noise * draw_between(rng, -1, 1));
        e[i] = times * (i % rows < rows - 1 ? 1 : glue * draw_between(rng, -1, 1));
    }
}

/* Levels of wells differ by little, by a thousandth of it, and by a millionth. */
static inline void special_nested(matrices_rng *rng, int64_t n, double *d, double *e)
{
    int64_t const period = draw_integer(rng, 8, 30);
    double const width = draw_decades(rng, -14, -9);
    for (int64_t i = 0; i < n; ++i) {
        int64_t const well = i / period;
        double const level = 12 + width * ((well % 7 == 0) + 1e-3 * (well % 5 == 0) + 1e-6 * (double)(well % 3));
        d[i] = i % period == period / 2 ? level : 0.3 * matrices_uniform(rng), e[i] = 1;
    }
}

static inline void special_harper(matrices_rng *rng, int64_t n, double *d, double *e)
{
    double const strength = draw_between(rng, 0.1, 5);
    for (int64_t i = 0; i < n; ++i) d[i] = 2 * strength * cos(3.8832220774509332 * (double)i), e[i] = 1;
}

/* Entries of all sizes, many of them 0 or equal. */
static inline void special_diagonal(matrices_rng *rng, int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) {
        bool const small = draw_chance(rng, 0.5);
        d[i] = small ? (double)draw_integer(rng, -2, 2) : draw_sign(rng) * draw_decades(rng, -300, 300), e[i] = 0;
    }
}

/* The Laplacian of a path, with the eigenvalue 0, and of shorter ones, side by side. */
static inline void special_paths(matrices_rng *rng, int64_t n, double *d, double *e)
{
    double const share = draw_chance(rng, 0.5) ? 0 : 0.2;
    for (int64_t i = 0; i < n; ++i) {
        e[i] = draw_chance(rng, share) ? 0 : -1;
        d[i] = (i > 0 ? -e[i - 1] : 0) + (i + 1 < n ? -e[i] : 0);
    }
}

static struct {
    const char *name;
    fill_block *fill;
    bool scaled; /* holds numbers of all sizes */
} const specials[] = {
    {"graded", special_graded, false},
    {"two sizes", special_two_sizes, true},
    {"all sizes", special_all_sizes, true},
    {"one cluster", special_one_cluster, false},
    {"disordered wells", special_disordered_wells, false},
    {"two wells", special_two_wells, false},
    {"clusters beside each other", special_beside, false},
    {"split", special_split, false},
    {"mostly split", special_mostly_split, false},
    {"diagonal", special_diagonal, true},
    {"paths", special_paths, false},
    {"repeated short blocks", special_repeated, false},
    {"nested clusters", special_nested, false},
    {"Harper", special_harper, false},
    {"Wilkinson", block_wilkinson, false},
};

static inline tridiagonal adversary_special(matrices_rng *rng, int64_t n)
{
    size_t const kind = (size_t)draw_integer(rng, 0, sizeof specials / sizeof *specials - 1);
    tridiagonal t = tridiagonal_new(n);
    specials[kind].fill(rng, n, t.d, t.e);
    if (draw_chance(rng, 0.1) && !specials[kind].scaled)
        tridiagonal_multiply(&t, draw_chance(rng, 0.5) ? 1e-290 : 1e290);
    snprintf(t.name, sizeof t.name, "%s", specials[kind].name);
    return t;
}

/* Eigenvalues in groups, of which each has a width of its own, and some by themselves. */
static inline tridiagonal adversary_groups(matrices_rng *rng, int64_t n)
{
    enum { MOST = 12 };
    int64_t const groups = draw_integer(rng, 1, MOST);
    double const share = matrices_uniform(rng);
    double centre[MOST], width[MOST];
    tridiagonal t = tridiagonal_new(n), room = tridiagonal_new(n);
    for (int64_t k = 0; k < groups; ++k) centre[k] = draw_between(rng, -1, 1), width[k] = draw_decades(rng, -15, -8);
    for (int64_t i = 0; i < n; ++i) {
        int64_t const k = draw_integer(rng, 0, groups - 1);
        room.d[i] = draw_between(rng, -1, 1);
        if (draw_chance(rng, share)) room.d[i] = centre[k] + width[k] * room.d[i];
    }
    hard_inverse(n, room.d, room.e, rng, t.d, t.e);
    tridiagonal_free(&room);
    snprintf(t.name, sizeof t.name, "eigenvalues in %d groups, the first %.1e wide", (int)groups, width[0]);
    return t;
}

/* Two parts of other kinds, at times of other sizes. */
static inline tridiagonal adversary_joined(matrices_rng *rng, int64_t n)
{
    tridiagonal t = tridiagonal_new(n);
    int64_t const lengths[2] = {n / 2, n - n / 2};
    for (int part = 0; part < 2; ++part) {
        int64_t const from = part == 0 ? 0 : lengths[0];
        if (lengths[part] == 0) continue;
        tridiagonal x =
            draw_chance(rng, 0.6) ? adversary_copies(rng, lengths[part]) : adversary_special(rng, lengths[part]);
        double const most = tridiagonal_most(&x), size = draw_chance(rng, 0.5) ? 1 : draw_decades(rng, -14, 0);
        if (most > 0) tridiagonal_multiply(&x, size / most);
        memcpy(t.d + from, x.d, (size_t)x.n * sizeof(double));
        memcpy(t.e + from, x.e, (size_t)x.n * sizeof(double));
        if (part == 0) t.e[x.n - 1] = draw_glue(rng);
        snprintf(t.name + strlen(t.name), sizeof t.name - strlen(t.name), "%s%.70s", part ? " | " : "", x.name);
        tridiagonal_free(&x);
    }
    return t;
}

/* Any of these, at times shifted; its entries are numbers of the type. */
static inline tridiagonal adversary_tridiagonal(matrices_rng *rng, int64_t n, bool single)
{
    double const choice = matrices_uniform(rng);
    tridiagonal t = choice < 0.5   ? adversary_copies(rng, n)
                    : choice < 0.8 ? adversary_special(rng, n)
                    : choice < 0.9 ? adversary_groups(rng, n)
                                   : adversary_joined(rng, n);
    double most = tridiagonal_most(&t);
    double const shift = draw_chance(rng, 0.1) && most < 1e100 ? draw_between(rng, -3, 3) * most : 0;
    for (int64_t i = 0; i < n; ++i) t.d[i] += shift;
    most = tridiagonal_most(&t);
    if (single && most > 0 && (most > 1e30 || most < 1e-20)) tridiagonal_multiply(&t, 1 / most);
    return t;
}

#endif
