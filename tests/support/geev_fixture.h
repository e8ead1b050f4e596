/* What the tests of geev share: batches in any layout, one call for both precisions, and the certificates. */
#ifndef EIG_TEST_GEEV_FIXTURE_H
#define EIG_TEST_GEEV_FIXTURE_H

#include "bench/support/dense.h"
#include "device.h"
#include "io/matrices_batch.h"
#include "io/numbers.h"

#include <float.h>
#include <math.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* A batch of matrices in C order, every entry a number of the type, and the eigenvalues that a call gave, as pairs
 * (re, im); all as double. */
typedef struct batch {
    eig_type type;
    int64_t n, count;
    double *a, *w;
    int *info;
} batch;

static inline void *room(size_t count, size_t size)
{
    void *const p = calloc(count > 0 ? count : 1, size);
    if (!p) fail_msg("no memory for %zu x %zu bytes", count, size);
    return p;
}

static inline batch batch_new(int64_t n, int64_t count, eig_type type)
{
    batch b = {.type = type, .n = n, .count = count};
    b.a = room((size_t)(n * n * count), sizeof(double));
    b.w = room((size_t)(2 * n * count), sizeof(double));
    b.info = room((size_t)count, sizeof(int));
    return b;
}

static inline void batch_free(batch *b)
{
    free(b->a);
    free(b->w);
    free(b->info);
}

/* Makes every entry a number of the type. */
static inline void batch_round(batch *b)
{
    for (int64_t k = 0; type_is_single(b->type) && k < b->n * b->n * b->count; ++k) b->a[k] = (double)(float)b->a[k];
}

static inline batch batch_make(const char *kind, int64_t n, int64_t count, eig_type type, uint64_t seed)
{
    batch b = batch_new(n, count, type);
    if (!matrices_nonsymmetric(kind, n, count, seed, b.a)) fail_msg("no kind %s", kind);
    batch_round(&b);
    return b;
}

/* How a batch lies in memory. */
typedef struct placement {
    eig_layout layout;
    bool row_major;
    int64_t lda, stride, entries;
} placement;

/* The layout with `pad` unused rows or columns, and unused entries between matrices. */
static inline placement place(eig_layout layout, int64_t n, int64_t count, int64_t pad)
{
    placement p = {.layout = layout, .lda = n + pad};
    p.stride = layout == EIG_LAYOUT_ELEMENT_WISE ? count + pad
               : layout == EIG_LAYOUT_ROW_WISE   ? count * p.lda + pad
                                                 : 0;
    if (layout == EIG_LAYOUT_MATRIX_WISE) p.stride = n * p.lda + pad;
    p.entries = layout == EIG_LAYOUT_MATRIX_WISE ? count * p.stride
                : layout == EIG_LAYOUT_ROW_WISE  ? n * p.stride
                                                 : n * p.lda * p.stride;
    return p;
}

/* The same with the options' row_major. */
static inline placement place_rows(eig_layout layout, int64_t n, int64_t count, int64_t pad)
{
    placement p = place(layout, n, count, pad);
    p.row_major = true;
    return p;
}

static inline int64_t place_of(const placement *p, int64_t row, int64_t column, int64_t b)
{
    int64_t const i = p->row_major ? column : row, j = p->row_major ? row : column;
    if (p->layout == EIG_LAYOUT_ELEMENT_WISE) return (i * p->lda + j) * p->stride + b;
    if (p->layout == EIG_LAYOUT_ROW_WISE) return i * p->stride + b * p->lda + j;
    return i + j * p->lda + b * p->stride;
}

/* Matrices first, ..., first + count - 1 of the batch in that place; what is unused is NaN. */
static inline numbers laid_out(const batch *b, const placement *p, int64_t first, int64_t count)
{
    numbers x;
    if (!numbers_make(&x, b->type, p->entries)) fail_msg("no memory for %lld numbers", (long long)p->entries);
    numbers_fill(&x, NAN);
    for (int64_t m = 0; m < count; ++m)
        for (int64_t i = 0; i < b->n; ++i)
            for (int64_t j = 0; j < b->n; ++j)
                numbers_put_part(&x, place_of(p, i, j, m), b->a[((first + m) * b->n + i) * b->n + j]);
    return x;
}

/* Solves matrices first, ..., first + count - 1; w with a stride of n + pad_w.  Results go to the batch. */
static inline void solve_part(eig_context *ctx, const eig_geev_options *options, batch *b, placement p, int64_t first,
                              int64_t count, int64_t pad_w)
{
    int64_t const stride_w = b->n + pad_w;
    numbers a = laid_out(b, &p, first, count), w;
    if (!numbers_make(&w, type_complex(b->type), count * stride_w)) fail_msg("no memory for the eigenvalues");
    eig_geev_options o = EIG_GEEV_OPTIONS;
    if (options) o = *options;
    o.layout = p.layout, o.row_major = p.row_major;
    eig_status const status = eig_geev_batched(ctx, b->type, &o, b->n, a.data, p.lda, p.stride, w.data, stride_w, NULL,
                                               0, 0, NULL, 0, 0, NULL, b->info + first, count);
    if (status != EIG_OK) fail_msg("%s: %s", eig_status_text(status), eig_error_detail(ctx));
    expect_proved(ctx);
    for (int64_t m = 0; m < count; ++m) {
        numbers_to(&w, 2 * m * stride_w, b->w + 2 * (first + m) * b->n, 2 * b->n);
        for (int64_t k = 0; k < 2 * b->n; ++k)
            if (b->w[2 * (first + m) * b->n + k] == 0 && signbit(b->w[2 * (first + m) * b->n + k]))
                fail_msg("matrix %lld: a zero has a sign", (long long)m);
        for (int64_t k = 2 * b->n; k < 2 * stride_w; ++k) /* between the rows of w nothing is written */
            if (numbers_part(&w, 2 * m * stride_w + k) != 0)
                fail_msg("matrix %lld: wrote beyond its eigenvalues", (long long)m);
    }
    numbers_free(&a);
    numbers_free(&w);
}

static inline void solve(eig_context *ctx, const eig_geev_options *options, batch *b)
{
    solve_part(ctx, options, b, place(EIG_LAYOUT_MATRIX_WISE, b->n, b->count, 0), 0, b->count, 0);
}

/* Conjugate pairs are adjacent, exact, and have +im first. */
static inline void certify_pairs(const char *name, int64_t n, const double *w)
{
    for (int64_t k = 0; k < n; ++k) {
        if (w[2 * k + 1] == 0) continue;
        if (w[2 * k + 1] < 0 || k + 1 == n || w[2 * k + 2] != w[2 * k] || w[2 * k + 3] != -w[2 * k + 1])
            fail_msg("%s n=%lld: eigenvalue %lld = %g%+gi stands without its conjugate", name, (long long)n,
                     (long long)k, w[2 * k], w[2 * k + 1]);
        ++k;
    }
}

/* Every w (of large matrices every seventh, for the test's time) is an eigenvalue of a matrix within limit n eps ||A||_F
 * of A; together they have A's trace, the trace of A^2, and, where A is far from singular, its determinant.
 * A is real: what holds for w holds for its conjugate, of which certify_pairs has seen that it is exact. */
static inline void certify_within(const char *name, const batch *b, int64_t m, long double limit)
{
    int64_t const n = b->n;
    const double *const a = b->a + m * n * n, *const w = b->w + 2 * m * n;
    long double const eps = (long double)type_eps(b->type), norm = dense_norm(n, a);
    /* Results below the smallest normal number are rounded to a multiple of the smallest one. */
    long double const unit = (long double)n * eps * norm + (type_is_single(b->type) ? 0x1p-149L : 0x1p-1074L);
    long double trace = 0, square = 0;
    dense_number sum = 0, sum2 = 0, product = 1, determinant = 0;
    if (b->info[m] != 0) fail_msg("%s n=%lld: info = %d", name, (long long)n, b->info[m]);
    certify_pairs(name, n, w);
    for (int64_t k = 0; k < n; ++k) {
        dense_number const x = dense_complex(w[2 * k], w[2 * k + 1]);
        bool const checked = (n <= 32 || (k + m) % 7 == 0) && w[2 * k + 1] >= 0;
        long double const sigma = checked ? dense_sigma_min(n, a, x, &determinant) : 0;
        if (!(sigma <= limit * unit))
            fail_msg("%s n=%lld %s matrix %lld: eigenvalue %lld = %g%+gi is off by %.1Lf n eps |A|", name, (long long)n,
                     type_name(b->type), (long long)m, (long long)k, w[2 * k], w[2 * k + 1], sigma / unit);
        sum += x, sum2 += dense_product(x, x), product = dense_product(product, x);
        trace += a[k * n + k];
        for (int64_t j = 0; j < n; ++j) square += (long double)a[k * n + j] * (long double)a[j * n + k];
    }
    if (!(cabsl(sum - trace) <= 10 * unit)) fail_msg("%s n=%lld: the trace is off", name, (long long)n);
    if (!(cabsl(sum2 - square) <= 20 * unit * norm + 0x1p-1074L))
        fail_msg("%s n=%lld: the sum of squares is off", name, (long long)n);
    long double const bound = 10 * (long double)n * unit / dense_sigma_min(n, a, 0, &determinant);
    if (bound < 0.1L && !(cabsl(product / determinant - 1) <= bound))
        fail_msg("%s n=%lld: the determinant is off", name, (long long)n);
}

static inline void certify(const char *name, const batch *b, int64_t m)
{
    certify_within(name, b, m, 10);
}

/* The largest distance from a known eigenvalue to its partner: each takes the nearest that is left. */
static inline double distance(int64_t n, const double *known, const double *w)
{
    double worst = 0;
    bool *const taken = room((size_t)n, sizeof *taken);
    for (int64_t k = 0; k < n; ++k) {
        int64_t best = -1;
        double least = INFINITY;
        for (int64_t j = 0; j < n; ++j) {
            double const d = hypot(known[2 * k] - w[2 * j], known[2 * k + 1] - w[2 * j + 1]);
            if (!taken[j] && d < least) least = d, best = j;
        }
        if (best >= 0) taken[best] = true;
        worst = fmax(worst, least);
    }
    free(taken);
    return worst;
}

#endif
