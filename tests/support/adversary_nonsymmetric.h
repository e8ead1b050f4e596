/* Random real matrices that are hard for balancing, reduction and QR: defective, nilpotent, badly scaled, graded,
 * permuted, with columns that vanish, with entries of all sizes.  The same seed gives the same matrix. */
#ifndef EIG_TEST_ADVERSARY_NONSYMMETRIC_H
#define EIG_TEST_ADVERSARY_NONSYMMETRIC_H

#include "adversary.h"

#include <stdlib.h>

/* Fills a[n*n], which is zero before, in C order. */
typedef void fill_nonsymmetric(matrices_rng *rng, int64_t n, double *a);

static inline void dense_normal(matrices_rng *rng, int64_t n, double *a)
{
    for (int64_t k = 0; k < n * n; ++k) a[k] = matrices_normal(rng);
}

static inline void dense_zero(matrices_rng *rng, int64_t n, double *a)
{
    (void)rng, (void)n, (void)a;
}

static inline void dense_ones(matrices_rng *rng, int64_t n, double *a)
{
    (void)rng;
    for (int64_t k = 0; k < n * n; ++k) a[k] = 1;
}

static inline void dense_jordan(matrices_rng *rng, int64_t n, double *a)
{
    (void)rng;
    for (int64_t i = 0; i < n; ++i) {
        a[i * n + i] = 2;
        if (i + 1 < n) a[i * n + i + 1] = 1;
    }
}

/* Strictly upper triangular; at times its rows and columns are permuted. */
static inline void dense_nilpotent(matrices_rng *rng, int64_t n, double *a)
{
    int64_t *const place = malloc(sizeof *place * (size_t)n);
    bool const permuted = draw_chance(rng, 0.5);
    if (!place) abort();
    for (int64_t i = 0; i < n; ++i) place[i] = i;
    for (int64_t i = n - 1; permuted && i > 0; --i) {
        int64_t const j = draw_integer(rng, 0, i), kept = place[i];
        place[i] = place[j], place[j] = kept;
    }
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = i + 1; j < n; ++j) a[place[i] * n + place[j]] = matrices_normal(rng);
    free(place);
}

/* The companion matrix of (x - 1)(x - 2)...(x - n). */
static inline void dense_companion(matrices_rng *rng, int64_t n, double *a)
{
    long double *const c = calloc((size_t)n + 1, sizeof *c);
    (void)rng;
    if (!c) abort();
    c[0] = 1;
    for (int64_t k = 1; k <= n; ++k)
        for (int64_t i = k; i > 0; --i) c[i] -= c[i - 1] * (long double)k;
    for (int64_t j = 0; j < n; ++j) a[j] = -(double)c[j + 1];
    for (int64_t i = 1; i < n; ++i) a[i * n + i - 1] = 1;
    free(c);
}

static inline void dense_cycle(matrices_rng *rng, int64_t n, double *a)
{
    (void)rng;
    for (int64_t i = 0; i < n; ++i) a[(i + 1) % n * n + i] = 1;
}

static inline void dense_frank(matrices_rng *rng, int64_t n, double *a)
{
    (void)rng;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = i > 0 ? i - 1 : 0; j < n; ++j) a[i * n + j] = (double)(n - (j < i ? i : j));
}

static inline void dense_grcar(matrices_rng *rng, int64_t n, double *a)
{
    (void)rng;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = i > 0 ? i - 1 : 0; j < n && j < i + 4; ++j) a[i * n + j] = j < i ? -1 : 1;
}

static inline void dense_graded(matrices_rng *rng, int64_t n, double *a)
{
    double const step = draw_decades(rng, -1, 0.3);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
            a[i * n + j] = matrices_normal(rng) * pow(10, fmax(-200, -step * (double)(i + j)));
}

/* D^-1 A D. */
static inline void dense_unbalanced(matrices_rng *rng, int64_t n, double *a)
{
    double const decades = draw_between(rng, 1, 140);
    double *const scale = malloc(sizeof *scale * (size_t)n);
    if (!scale) abort();
    for (int64_t i = 0; i < n; ++i) scale[i] = draw_decades(rng, -decades, decades);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) a[i * n + j] = matrices_normal(rng) * scale[i] / scale[j];
    free(scale);
}

/* On which QR with standard shifts does not converge.
 * Source: D. Day, Sandia report 96-0913 (1996). */
static inline void dense_standing(matrices_rng *rng, int64_t n, double *a)
{
    double const small = draw_decades(rng, -16, -1);
    for (int64_t i = 0; i + 1 < n; ++i)
        a[i * n + i + 1] = i % 4 == 1 ? small : 1, a[(i + 1) * n + i] = i % 4 == 1 ? -small : 1;
}

static inline void dense_skew(matrices_rng *rng, int64_t n, double *a)
{
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < i; ++j) a[i * n + j] = matrices_normal(rng), a[j * n + i] = -a[i * n + j];
}

static inline void dense_sparse(matrices_rng *rng, int64_t n, double *a)
{
    for (int64_t k = 0; k < n * n; ++k) a[k] = draw_chance(rng, 0.15) ? matrices_normal(rng) : 0;
}

static inline void dense_all_sizes(matrices_rng *rng, int64_t n, double *a)
{
    for (int64_t k = 0; k < n * n; ++k) a[k] = draw_sign(rng) * draw_decades(rng, -140, 140);
}

/* Hessenberg with subdiagonals that are zero or small. */
static inline void dense_hessenberg(matrices_rng *rng, int64_t n, double *a)
{
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = i; j < n; ++j) a[i * n + j] = matrices_normal(rng);
        if (i > 0) a[i * n + i - 1] = draw_chance(rng, 0.3) ? 0 : draw_decades(rng, -18, 0);
    }
}

/* Equal blocks of rank 1 with unit blocks beside them. */
static inline void dense_defective(matrices_rng *rng, int64_t n, double *a)
{
    int64_t const rows = draw_integer(rng, 1, 4);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
            if (i / rows == j / rows) a[i * n + j] = (double)((i % rows + 1) * (j % rows - 1));
            if (j / rows == i / rows + 1) a[i * n + j] = 1;
        }
}

/* 2 x 2 blocks whose elements differ by up to 300 decades. */
static inline void dense_far_pairs(matrices_rng *rng, int64_t n, double *a)
{
    for (int64_t i = 0; i + 1 < n; i += 2) {
        a[i * n + i + 1] = draw_decades(rng, -150, 150);
        a[(i + 1) * n + i] = draw_sign(rng) * draw_decades(rng, -150, 150);
    }
}

/* Nearly a Jordan block, closed to a ring by little. */
static inline void dense_ring(matrices_rng *rng, int64_t n, double *a)
{
    double const small = draw_decades(rng, -8, -1);
    for (int64_t i = 0; i + 1 < n; ++i) a[i * n + i + 1] = 1, a[(i + 1) * n + i] = small;
    a[n - 1] = draw_decades(rng, -20, 0);
}

static inline void dense_antidiagonal(matrices_rng *rng, int64_t n, double *a)
{
    (void)rng;
    for (int64_t i = 0; i < n; ++i) a[(n - 1 - i) * n + i] = (double)(i + 1);
}

static inline void dense_hilbert(matrices_rng *rng, int64_t n, double *a)
{
    (void)rng;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) a[i * n + j] = 1 / (double)(i + j + 1);
}

/* The first column that is not 0 below the diagonal is subnormal there, or nearly: in float, or in double. */
static inline void dense_subnormal_column(matrices_rng *rng, int64_t n, double *a)
{
    double const least = draw_chance(rng, 0.5) ? draw_between(rng, -46, -36) : draw_between(rng, -324, -304);
    int64_t const column = draw_chance(rng, 0.7) ? 0 : draw_integer(rng, 0, n - 1);
    dense_normal(rng, n, a);
    for (int64_t j = 0; j <= column; ++j)
        for (int64_t i = j + 1; i < n; ++i)
            a[i * n + j] = j < column || i == j + 1 ? 0 : draw_sign(rng) * draw_decades(rng, least, least + 2);
}

/* Entries within float's range, or of nearly all sizes. */
static inline double draw_wild(matrices_rng *rng, double decades)
{
    return draw_sign(rng) * draw_decades(rng, -decades, decades);
}

static inline double draw_range(matrices_rng *rng)
{
    return draw_chance(rng, 0.5) ? 36 : 130;
}

/* Tridiagonal; at times the diagonal is zero. */
static inline void dense_wild_tridiagonal(matrices_rng *rng, int64_t n, double *a)
{
    double const range = draw_range(rng);
    bool const zero = draw_chance(rng, 0.5);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = i > 0 ? i - 1 : 0; j < n && j <= i + 1; ++j)
            a[i * n + j] = zero && j == i ? 0 : draw_wild(rng, range);
}

static inline void dense_wild_hessenberg(matrices_rng *rng, int64_t n, double *a)
{
    double const range = draw_range(rng);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = i > 0 ? i - 1 : 0; j < n; ++j) a[i * n + j] = draw_wild(rng, range);
}

/* Skew-symmetric and tridiagonal. */
static inline void dense_wild_skew(matrices_rng *rng, int64_t n, double *a)
{
    double const range = draw_range(rng);
    for (int64_t i = 0; i + 1 < n; ++i) {
        a[i * n + i + 1] = draw_wild(rng, range);
        a[(i + 1) * n + i] = -a[i * n + i + 1];
    }
}

/* Upper triangular, permuted, with a block of order 2 at most. */
static inline void dense_wild_triangular(matrices_rng *rng, int64_t n, double *a)
{
    double const range = draw_range(rng);
    bool const reversed = draw_chance(rng, 0.5);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = i; j < n; ++j) a[reversed ? (n - 1 - i) * n + n - 1 - j : i * n + j] = draw_wild(rng, range);
    if (n > 1 && draw_chance(rng, 0.5)) a[1] = draw_wild(rng, range), a[n] = draw_wild(rng, range);
}

/* Columns, or rows, from 1 down to 10^-span, as numpy's geomspace, or up. */
static inline void dense_span(matrices_rng *rng, int64_t n, double *a, bool columns)
{
    double const span = draw_between(rng, 4, 40);
    bool const up = draw_chance(rng, 0.5);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
            int64_t const at = columns ? j : i, step = up ? n - 1 - at : at;
            a[i * n + j] = matrices_normal(rng) * pow(10, n > 1 ? -span * (double)step / (double)(n - 1) : 0);
        }
}

static inline void dense_graded_columns(matrices_rng *rng, int64_t n, double *a)
{
    dense_span(rng, n, a, true);
}

static inline void dense_graded_rows(matrices_rng *rng, int64_t n, double *a)
{
    dense_span(rng, n, a, false);
}

static inline void dense_sparse_sizes(matrices_rng *rng, int64_t n, double *a)
{
    double const decades = draw_chance(rng, 0.5) ? 60 : 18;
    for (int64_t k = 0; k < n * n; ++k)
        if (draw_chance(rng, 0.4)) a[k] = draw_sign(rng) * draw_decades(rng, -decades, decades);
}

/* The companion matrix of (1 - x)(1 - 2 x)...(1 - n x). */
static inline void dense_reversed_wilkinson(matrices_rng *rng, int64_t n, double *a)
{
    long double *const c = calloc((size_t)n + 1, sizeof *c);
    (void)rng;
    if (!c) abort();
    c[0] = 1;
    for (int64_t k = 1; k <= n; ++k)
        for (int64_t i = k; i > 0; --i) c[i] -= c[i - 1] * (long double)k;
    for (int64_t j = 0; j < n; ++j) a[j] = -(double)(c[n - 1 - j] / c[n]);
    for (int64_t i = 1; i < n; ++i) a[i * n + i - 1] = 1;
    free(c);
}

/* A chain of integrators with gains of all sizes, at times with feedback. */
static inline void dense_integrators(matrices_rng *rng, int64_t n, double *a)
{
    double const decades = draw_between(rng, 0, 20);
    bool const closed = draw_chance(rng, 0.7);
    for (int64_t i = 0; i + 1 < n; ++i) a[i * n + i + 1] = draw_decades(rng, -decades, decades);
    for (int64_t j = 0; j < n && closed; ++j)
        if (draw_chance(rng, 0.6)) a[(n - 1) * n + j] = draw_sign(rng) * draw_decades(rng, -30, 2);
}

static inline void dense_small_subdiagonal(matrices_rng *rng, int64_t n, double *a)
{
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = i; j < n; ++j) a[i * n + j] = matrices_normal(rng);
        if (i > 0) a[i * n + i - 1] = draw_decades(rng, -20, 0);
    }
}

static inline void dense_small_couplings(matrices_rng *rng, int64_t n, double *a)
{
    for (int64_t k = 0; k < n * n; ++k) {
        double const drawn = matrices_uniform(rng);
        a[k] = drawn < 0.3 ? 0 : drawn < 0.6 ? matrices_normal(rng) : draw_sign(rng) * draw_decades(rng, -100, -10);
    }
}

static inline void dense_nearly_triangular(matrices_rng *rng, int64_t n, double *a)
{
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = i; j < n; ++j) a[i * n + j] = matrices_normal(rng);
        if (i > 0) a[i * n + i - 1] = pow(2, draw_between(rng, -60, -40));
    }
}

/* A Jordan block with a small corner. */
static inline void dense_forsythe(matrices_rng *rng, int64_t n, double *a)
{
    double const value = draw_chance(rng, 0.5) ? 0 : matrices_normal(rng);
    for (int64_t i = 0; i < n; ++i) {
        a[i * n + i] = value;
        if (i + 1 < n) a[i * n + i + 1] = 1;
    }
    if (n > 1) a[(n - 1) * n] = draw_decades(rng, -20, -6);
}

/* All equal, or of rank 1, or with columns that fall off: all of it near the smallest normal number of a type. */
static inline void dense_tiny_rank(matrices_rng *rng, int64_t n, double *a, bool single, int which)
{
    double const size = single ? 1e-36 : 1e-305, step = draw_between(rng, 4, 40) / (double)n;
    double *const row = malloc(sizeof *row * (size_t)n);
    if (!row) abort();
    for (int64_t j = 0; j < n; ++j) row[j] = matrices_normal(rng);
    for (int64_t i = 0; i < n; ++i) {
        double const left = matrices_normal(rng);
        for (int64_t j = 0; j < n; ++j) {
            double const x = which == 0   ? 1
                             : which == 1 ? left * row[j]
                                          : matrices_normal(rng) * pow(10, -step * (double)j);
            a[i * n + j] = size * x;
        }
    }
    free(row);
}

static inline void dense_tiny(matrices_rng *rng, int64_t n, double *a)
{
    bool const single = draw_chance(rng, 0.5);
    dense_tiny_rank(rng, n, a, single, (int)draw_integer(rng, 0, 2));
}

/* A cycle times 1 + i, or what is left of it in real numbers: all rotations of its QR iteration have one length. */
static inline void dense_turned_cycle(matrices_rng *rng, int64_t n, double *a)
{
    int64_t const by = draw_integer(rng, 1, n);
    double const f = draw_chance(rng, 0.5) ? 1 : matrices_normal(rng);
    for (int64_t i = 0; i < n; ++i) a[(i + by) % n * n + i] = f;
}

/* Entries nearly as large as numbers can be, few enough that eigenvalues are numbers, of complex matrices too. */
static inline void dense_largest(matrices_rng *rng, int64_t n, double *a)
{
    double const most = draw_chance(rng, 0.5) ? 0x1.fffffep+126 : 0x1.fffffffffffffp+1022;
    for (int64_t i = 0; i < n; ++i) a[i * n + n - 1 - i] = draw_sign(rng) * (draw_chance(rng, 0.5) ? most : 1);
}

/* Antidiagonals, and pairs of any sizes, whose products underflow where the largest entry is 1. */
static inline void dense_wild_antidiagonal(matrices_rng *rng, int64_t n, double *a)
{
    double const range = draw_chance(rng, 0.5) ? 36 : 300;
    for (int64_t i = 0; i < n; ++i) a[i * n + n - 1 - i] = draw_wild(rng, range);
}

static struct {
    const char *name;
    fill_nonsymmetric *fill;
} const nonsymmetric_kinds[] = {
    {"normal", dense_normal},
    {"zero", dense_zero},
    {"ones", dense_ones},
    {"Jordan", dense_jordan},
    {"nilpotent", dense_nilpotent},
    {"companion", dense_companion},
    {"cycle", dense_cycle},
    {"Frank", dense_frank},
    {"Grcar", dense_grcar},
    {"graded", dense_graded},
    {"unbalanced", dense_unbalanced},
    {"standing", dense_standing},
    {"skew", dense_skew},
    {"sparse", dense_sparse},
    {"all sizes", dense_all_sizes},
    {"Hessenberg", dense_hessenberg},
    {"defective", dense_defective},
    {"far pairs", dense_far_pairs},
    {"ring", dense_ring},
    {"antidiagonal", dense_antidiagonal},
    {"Hilbert", dense_hilbert},
    {"subnormal column", dense_subnormal_column},
    {"wild tridiagonal", dense_wild_tridiagonal},
    {"wild Hessenberg", dense_wild_hessenberg},
    {"wild skew", dense_wild_skew},
    {"wild triangular", dense_wild_triangular},
    {"graded columns", dense_graded_columns},
    {"graded rows", dense_graded_rows},
    {"sparse, of all sizes", dense_sparse_sizes},
    {"reversed Wilkinson", dense_reversed_wilkinson},
    {"integrators", dense_integrators},
    {"small subdiagonal", dense_small_subdiagonal},
    {"small couplings", dense_small_couplings},
    {"nearly triangular", dense_nearly_triangular},
    {"Forsythe", dense_forsythe},
    {"tiny", dense_tiny},
    {"turned cycle", dense_turned_cycle},
    {"largest", dense_largest},
    {"wild antidiagonal", dense_wild_antidiagonal},
};

/* Fills a[n*n], which is zero before, and returns the kind's name. */
static inline const char *adversary_nonsymmetric(matrices_rng *rng, int64_t n, double *a, bool single)
{
    size_t const kind = (size_t)draw_integer(rng, 0, sizeof nonsymmetric_kinds / sizeof *nonsymmetric_kinds - 1);
    double most = 0;
    nonsymmetric_kinds[kind].fill(rng, n, a);
    for (int64_t k = 0; k < n * n; ++k) most = fmax(most, fabs(a[k]));
    double const scale = draw_scale(rng, most, single);
    for (int64_t k = 0; k < n * n; ++k) a[k] *= scale;
    return nonsymmetric_kinds[kind].name;
}

#endif
