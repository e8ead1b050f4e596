/* Random Hermitian matrices that are hard for reductions and rotations: graded, of low rank, with equal or nearly equal
 * eigenvalues, sparse, of copies, with elements of all sizes.  The same seed gives the same matrix. */
#ifndef EIG_TEST_ADVERSARY_HERMITIAN_H
#define EIG_TEST_ADVERSARY_HERMITIAN_H

#include "adversary.h"

#include <stdlib.h>

/* n x n in C order; element (i, j) is re[i*n + j] + i im[i*n + j], and (j, i) its conjugate. */
typedef struct hermitian_draw {
    int64_t n;
    bool is_complex;
    double *re, *im;
} hermitian_draw;

static inline hermitian_draw hermitian_draw_new(int64_t n, bool is_complex)
{
    size_t const square = (size_t)(n * n) + 1;
    hermitian_draw h = {n, is_complex, calloc(square, sizeof(double)), calloc(square, sizeof(double))};
    if (!h.re || !h.im) abort();
    return h;
}

static inline void hermitian_draw_free(hermitian_draw *h)
{
    free(h->re), free(h->im);
}

/* Elements (i, j) and (j, i). */
static inline void hermitian_put(hermitian_draw *h, int64_t i, int64_t j, double re, double im)
{
    if (i == j || !h->is_complex) im = 0;
    h->re[i * h->n + j] = h->re[j * h->n + i] = re;
    h->im[i * h->n + j] = im, h->im[j * h->n + i] = i == j ? im : -im;
}

typedef void fill_hermitian(matrices_rng *rng, hermitian_draw *h);

static inline void hermitian_normal(matrices_rng *rng, hermitian_draw *h)
{
    for (int64_t i = 0; i < h->n; ++i)
        for (int64_t j = 0; j <= i; ++j) hermitian_put(h, i, j, matrices_normal(rng), matrices_normal(rng));
}

static inline void hermitian_zero(matrices_rng *rng, hermitian_draw *h)
{
    (void)rng, (void)h;
}

static inline void hermitian_ones(matrices_rng *rng, hermitian_draw *h)
{
    (void)rng;
    for (int64_t i = 0; i < h->n; ++i)
        for (int64_t j = 0; j <= i; ++j) hermitian_put(h, i, j, 1, 0);
}

/* Diagonals 0, 1 and 2. */
static inline void hermitian_levels(matrices_rng *rng, hermitian_draw *h)
{
    for (int64_t i = 0; i < h->n; ++i) hermitian_put(h, i, i, (double)draw_integer(rng, 0, 2), 0);
}

static inline void hermitian_graded(matrices_rng *rng, hermitian_draw *h)
{
    double const step = draw_decades(rng, -1.5, 0.3);
    bool const upwards = draw_chance(rng, 0.5);
    for (int64_t i = 0; i < h->n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            int64_t const from = upwards ? 2 * (h->n - 1) - i - j : i + j;
            double const size = pow(10, fmax(-280, -step * (double)from));
            hermitian_put(h, i, j, size * matrices_normal(rng), size * matrices_normal(rng));
        }
}

/* Tridiagonal: Wilkinson's matrices, joined by little. */
static inline void hermitian_wilkinson(matrices_rng *rng, hermitian_draw *h)
{
    for (int64_t i = 0; i < h->n; ++i) {
        hermitian_put(h, i, i, fabs((double)(i % 21) - 10), 0);
        if (i > 0) hermitian_put(h, i, i - 1, i % 21 ? 1 : draw_decades(rng, -16, -5), 0);
    }
}

/* Copies of a block of up to five rows, one after the other, or with their rows interleaved. */
static inline void hermitian_copies(matrices_rng *rng, hermitian_draw *h)
{
    int64_t const rows = draw_integer(rng, 1, 5), many = h->n / rows;
    bool const interleaved = draw_chance(rng, 0.5);
    hermitian_draw block = hermitian_draw_new(rows, h->is_complex);
    hermitian_normal(rng, &block);
    for (int64_t copy = 0; copy < many; ++copy)
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j <= i; ++j) {
                int64_t const row = interleaved ? i * many + copy : copy * rows + i;
                int64_t const column = interleaved ? j * many + copy : copy * rows + j;
                hermitian_put(h, row, column, block.re[i * rows + j], block.im[i * rows + j]);
            }
    hermitian_draw_free(&block);
}

static inline void hermitian_arrow(matrices_rng *rng, hermitian_draw *h)
{
    for (int64_t i = 0; i < h->n; ++i) {
        hermitian_put(h, i, i, matrices_uniform(rng), 0);
        if (i > 0) hermitian_put(h, i, 0, matrices_normal(rng), matrices_normal(rng));
    }
}

/* P D P with a reflection P = I - 2 v v^H: rank 1 where D is one number among zeros, else groups of eigenvalues. */
static inline void hermitian_reflected(matrices_rng *rng, hermitian_draw *h)
{
    int64_t const n = h->n;
    bool const one = draw_chance(rng, 0.3);
    double const width = draw_decades(rng, -16, -6);
    double *const d = calloc((size_t)(3 * n) + 1, sizeof *d), *const vr = d + n, *const vi = vr + n;
    double square = 0, share = 0;
    if (!d) abort();
    for (int64_t k = 0; k < n; ++k) {
        d[k] = one ? k == 0 : (double)draw_integer(rng, 0, 3) + width * matrices_uniform(rng);
        vr[k] = matrices_normal(rng), vi[k] = h->is_complex ? matrices_normal(rng) : 0;
        square += vr[k] * vr[k] + vi[k] * vi[k], share += d[k] * (vr[k] * vr[k] + vi[k] * vi[k]);
    }
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            double const factor = 4 * share / (square * square) - 2 * (d[i] + d[j]) / square;
            double const re = vr[i] * vr[j] + vi[i] * vi[j], im = vi[i] * vr[j] - vr[i] * vi[j];
            hermitian_put(h, i, j, (i == j ? d[i] : 0) + factor * re, factor * im);
        }
    free(d);
}

static inline void hermitian_sparse(matrices_rng *rng, hermitian_draw *h)
{
    for (int64_t i = 0; i < h->n; ++i)
        for (int64_t j = 0; j <= i; ++j)
            if (draw_chance(rng, 0.1)) hermitian_put(h, i, j, matrices_normal(rng), matrices_normal(rng));
}

static inline void hermitian_all_sizes(matrices_rng *rng, hermitian_draw *h)
{
    for (int64_t i = 0; i < h->n; ++i)
        for (int64_t j = 0; j <= i; ++j)
            hermitian_put(h, i, j, draw_decades(rng, -150, 150), draw_sign(rng) * draw_decades(rng, -150, 150));
}

static inline void hermitian_antidiagonal(matrices_rng *rng, hermitian_draw *h)
{
    (void)rng;
    for (int64_t i = 0; i < h->n; ++i) hermitian_put(h, i, h->n - 1 - i, 1, 0);
}

/* The antidiagonal, or copies of a block of few rows whose elements are -1, 0 and 1, interleaved or not; times a number that is no
 * power of two, at times with noise in the last bits. */
static inline void hermitian_repeated(matrices_rng *rng, hermitian_draw *h)
{
    int64_t const rows = draw_integer(rng, 2, 5), many = h->n / rows;
    double const times = draw_between(rng, 0.5, 4), noise = draw_chance(rng, 0.7) ? 0 : draw_decades(rng, -18, -15);
    bool const antidiagonal = draw_chance(rng, 0.3), interleaved = draw_chance(rng, 0.5);
    double block[5][5];
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j <= i; ++j) block[i][j] = (double)draw_integer(rng, -1, 1);
    for (int64_t i = 0; i < h->n && antidiagonal; ++i) hermitian_put(h, i, h->n - 1 - i, times, 0);
    for (int64_t copy = 0; copy < many && !antidiagonal; ++copy)
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j <= i; ++j)
                hermitian_put(h, interleaved ? i * many + copy : copy * rows + i,
                              interleaved ? j * many + copy : copy * rows + j, times * block[i][j], 0);
    for (int64_t i = 0; i < h->n && noise > 0; ++i) h->re[i * h->n + i] += times * noise * draw_between(rng, -1, 1);
}

/* Elements off the diagonal are so small that their squares vanish or lose digits: in float, or in double. */
static inline void hermitian_nearly_diagonal(matrices_rng *rng, hermitian_draw *h)
{
    double const least = draw_chance(rng, 0.5) ? draw_between(rng, -165, -130) : draw_between(rng, -24, -12);
    for (int64_t i = 0; i < h->n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            double const size = i == j ? 1 : draw_decades(rng, least, least + 5);
            hermitian_put(h, i, j, size * matrices_normal(rng), size * matrices_normal(rng));
        }
}

static inline void hermitian_hilbert(matrices_rng *rng, hermitian_draw *h)
{
    (void)rng;
    for (int64_t i = 0; i < h->n; ++i)
        for (int64_t j = 0; j <= i; ++j) hermitian_put(h, i, j, 1 / (double)(i + j + 1), 0);
}

static struct {
    const char *name;
    fill_hermitian *fill;
} const hermitian_kinds[] = {
    {"normal", hermitian_normal},
    {"zero", hermitian_zero},
    {"ones", hermitian_ones},
    {"levels", hermitian_levels},
    {"graded", hermitian_graded},
    {"Wilkinson", hermitian_wilkinson},
    {"copies", hermitian_copies},
    {"arrow", hermitian_arrow},
    {"reflected", hermitian_reflected},
    {"sparse", hermitian_sparse},
    {"all sizes", hermitian_all_sizes},
    {"antidiagonal", hermitian_antidiagonal},
    {"nearly diagonal", hermitian_nearly_diagonal},
    {"repeated small blocks", hermitian_repeated},
    {"Hilbert", hermitian_hilbert},
};

/* D B D, positive definite: B has a diagonal of 1 and is far from singular, D has numbers of all sizes, in descending,
 * ascending or no order, of two sizes, or of one. */
static inline void adversary_definite(matrices_rng *rng, hermitian_draw *h, bool single)
{
    int64_t const n = h->n, order = draw_integer(rng, 0, 4);
    double const end = single ? 16 : 149, width = draw_between(rng, 0, 2 * end), plain = draw_decades(rng, -2, 0.5);
    double const most = draw_between(rng, width - end, end), least = most - width;
    hermitian_draw m = hermitian_draw_new(n, h->is_complex);
    double *const d = calloc((size_t)(2 * n) + 1, sizeof *d), *const length = d + n;
    if (!d) abort();
    for (int64_t i = 0; i < n; ++i) {
        double const at = n > 1 ? width * (double)i / (double)(n - 1) : 0;
        d[i] = pow(10, order == 0   ? most - at
                       : order == 1 ? least + at
                       : order == 2 ? (draw_chance(rng, 0.5) ? most : least)
                       : order == 3 ? draw_between(rng, least, most)
                                    : most);
        for (int64_t j = 0; j < n; ++j) m.re[i * n + j] = matrices_normal(rng), m.im[i * n + j] = matrices_normal(rng);
        for (int64_t j = 0; j < n && !h->is_complex; ++j) m.im[i * n + j] = 0;
        for (int64_t j = 0; j < n; ++j)
            length[i] += m.re[i * n + j] * m.re[i * n + j] + m.im[i * n + j] * m.im[i * n + j];
    }
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            double const by = d[i] * d[j] / ((1 + plain) * sqrt(length[i] * length[j]));
            double re = 0, im = 0;
            for (int64_t k = 0; k < n; ++k) {
                re += m.re[i * n + k] * m.re[j * n + k] + m.im[i * n + k] * m.im[j * n + k];
                im += m.im[i * n + k] * m.re[j * n + k] - m.re[i * n + k] * m.im[j * n + k];
            }
            hermitian_put(h, i, j, i == j ? d[i] * d[i] : re * by, im * by);
        }
    free(d), hermitian_draw_free(&m);
}

/* Fills h and returns the kind's name. */
static inline const char *adversary_hermitian(matrices_rng *rng, hermitian_draw *h, bool single)
{
    size_t const kind = (size_t)draw_integer(rng, 0, sizeof hermitian_kinds / sizeof *hermitian_kinds - 1);
    double most = 0;
    hermitian_kinds[kind].fill(rng, h);
    for (int64_t k = 0; k < h->n * h->n; ++k) most = fmax(most, fmax(fabs(h->re[k]), fabs(h->im[k])));
    double const scale = draw_scale(rng, most, single);
    for (int64_t k = 0; k < h->n * h->n; ++k) h->re[k] *= scale, h->im[k] *= scale;
    return hermitian_kinds[kind].name;
}

#endif
