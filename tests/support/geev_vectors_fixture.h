/* What the tests of geev's eigenvectors share: batches of real and complex matrices, calls with everything in every
 * layout, certificates of each pair. */
#ifndef EIG_TEST_GEEV_VECTORS_FIXTURE_H
#define EIG_TEST_GEEV_VECTORS_FIXTURE_H

#include "geev_fixture.h"

static eig_type const all_types[4] __attribute__((unused)) = {EIG_D, EIG_S, EIG_Z, EIG_C};

/* Whether the matrices are so badly scaled that eigenvalues of a balanced one need not be good for A. */
static bool pairs_may_be_solved_again __attribute__((unused));

/* A batch and all results of a call; every number is two doubles, its parts, also where the type is real.  Matrices are in
 * C order; element i of vector k of matrix m is vr[2 ((m n + k) n + i)]. */
typedef struct pairs {
    eig_type type;
    int64_t n, count;
    double *a, *w, *vl, *vr, *condition;
    int *info;
} pairs;

static inline pairs pairs_new(int64_t n, int64_t count, eig_type type)
{
    pairs b = {.type = type, .n = n, .count = count};
    size_t const matrices = (size_t)(2 * n * n * count);
    b.a = room(matrices, sizeof(double)), b.vl = room(matrices, sizeof(double)), b.vr = room(matrices, sizeof(double));
    b.w = room((size_t)(2 * n * count), sizeof(double)), b.condition = room((size_t)(n * count), sizeof(double));
    b.info = room((size_t)count, sizeof(int));
    return b;
}

static inline void pairs_free(pairs *b)
{
    free(b->a), free(b->w), free(b->vl), free(b->vr), free(b->condition), free(b->info);
}

/* Makes every part a number of the type; those too large for it and for eigenvalues become 1e30. */
static inline void pairs_round(pairs *b)
{
    for (int64_t k = 0; type_is_single(b->type) && k < 2 * b->n * b->n * b->count; ++k)
        b->a[k] = (double)(float)fmin(fmax(b->a[k], -1e30), 1e30);
}

/* Matrices of a kind; complex ones are the real ones with rows and columns turned by a diagonal unitary matrix, which keeps
 * their structure, times a number of modulus 1. */
static inline pairs pairs_make(const char *kind, int64_t n, int64_t count, eig_type type, uint64_t seed)
{
    pairs b = pairs_new(n, count, type);
    double *const a = room((size_t)(n * n * count), sizeof *a);
    if (!matrices_nonsymmetric(kind, n, count, seed, a)) fail_msg("no kind %s", kind);
    for (int64_t m = 0; m < count; ++m)
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j) {
                int64_t const at = (m * n + i) * n + j;
                double const angle = type_is_complex(type) ? (double)(i - j) * (double)(m + 1) + 0.5 : 0;
                b.a[2 * at] = a[at] * cos(angle), b.a[2 * at + 1] = a[at] * sin(angle);
            }
    free(a);
    pairs_round(&b);
    return b;
}

/* What a call asks for. */
enum { WANT_LEFT = 1, WANT_RIGHT = 2, WANT_CONDITION = 4, WANT_ALL = 7 };

/* Columns of an output with its paddings: they become those of the batch, and what lies between must be untouched. */
static inline void take_columns(const numbers *from, int64_t n, int64_t ld, int64_t stride, int64_t count, double *to)
{
    for (int64_t m = 0; m < count; ++m)
        for (int64_t k = 0; ld > 0 && k < (m + 1 < count ? stride / ld : n); ++k)
            for (int64_t i = 0; i < 2 * ld; ++i) {
                double const x = numbers_part(from, 2 * (m * stride + k * ld) + i);
                if (k < n && i < 2 * n)
                    to[2 * (m * n + k) * n + i] = x;
                else if (x != 77)
                    fail_msg("matrix %lld: wrote beside its vectors", (long long)m);
            }
}

/* Matrices first, ..., first + count - 1 in that place, NaN between them. */
static inline numbers pairs_load(const pairs *b, placement p, int64_t first, int64_t count)
{
    int64_t const n = b->n, parts = type_is_complex(b->type) ? 2 : 1;
    numbers a;
    if (!numbers_make(&a, b->type, p.entries)) fail_msg("no memory for %lld matrices", (long long)count);
    numbers_fill(&a, NAN);
    for (int64_t m = 0; m < count; ++m)
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j)
                for (int64_t part = 0; part < parts; ++part)
                    numbers_put_part(&a, parts * place_of(&p, i, j, m) + part,
                                     b->a[2 * (((first + m) * n + i) * n + j) + part]);
    return a;
}

/* The options of a call on matrices in that place. */
static inline eig_geev_options pairs_options(const eig_geev_options *options, placement p)
{
    eig_geev_options o = EIG_GEEV_OPTIONS;
    if (options) o = *options;
    o.layout = p.layout, o.row_major = p.row_major;
    return o;
}

/* Solves matrices first, ..., first + count - 1 in that place, with `pad` more numbers everywhere. */
static inline void pairs_solve_part(eig_context *ctx, const eig_geev_options *options, pairs *b, placement p,
                                    int64_t first, int64_t count, int64_t pad, int wanted)
{
    int64_t const n = b->n, stride_w = n + pad, ld = n + pad, stride = ld * n + pad;
    eig_geev_options const o = pairs_options(options, p);
    numbers a = pairs_load(b, p, first, count), w, vl, vr, condition;
    bool const made = numbers_make(&w, type_complex(b->type), count * stride_w) &&
                      numbers_make(&vl, type_complex(b->type), count * stride) &&
                      numbers_make(&vr, type_complex(b->type), count * stride) &&
                      numbers_make(&condition, type_real(b->type), count * stride_w);
    if (!made) fail_msg("no memory for %lld matrices", (long long)count);
    numbers_fill(&w, 77), numbers_fill(&vl, 77), numbers_fill(&vr, 77), numbers_fill(&condition, 77);
    eig_status const status =
        eig_geev_batched(ctx, b->type, &o, n, a.data, p.lda, p.stride, w.data, stride_w,
                         wanted & WANT_LEFT ? vl.data : NULL, ld, stride, wanted & WANT_RIGHT ? vr.data : NULL, ld,
                         stride, wanted & WANT_CONDITION ? condition.data : NULL, b->info + first, count);
    if (status != EIG_OK) fail_msg("%s: %s", eig_status_text(status), eig_error_detail(ctx));
    if (!pairs_may_be_solved_again) expect_proved(ctx);
    for (int64_t m = 0; m < count; ++m)
        for (int64_t k = 0; k < stride_w; ++k) {
            double const x[3] = {numbers_part(&w, 2 * (m * stride_w + k)), numbers_part(&w, 2 * (m * stride_w + k) + 1),
                                 numbers_part(&condition, m * stride_w + k)};
            int64_t const to = (first + m) * n + k;
            if (k < n)
                b->w[2 * to] = x[0], b->w[2 * to + 1] = x[1], b->condition[to] = x[2];
            else if (x[0] != 77 || x[1] != 77 || x[2] != 77)
                fail_msg("matrix %lld: wrote beside its eigenvalues", (long long)m);
        }
    take_columns(&vl, n, ld, stride, count, b->vl + 2 * first * n * n);
    take_columns(&vr, n, ld, stride, count, b->vr + 2 * first * n * n);
    numbers_free(&a), numbers_free(&w), numbers_free(&vl), numbers_free(&vr), numbers_free(&condition);
}

static inline void pairs_solve(eig_context *ctx, const eig_geev_options *options, pairs *b, int wanted)
{
    pairs_solve_part(ctx, options, b, place(EIG_LAYOUT_MATRIX_WISE, b->n, b->count, 0), 0, b->count, 0, wanted);
}

static inline dense_number number_at(const double *x, int64_t k)
{
    return dense_complex(x[2 * k], x[2 * k + 1]);
}

static inline long double pairs_norm(const pairs *b, int64_t m)
{
    long double sum = 0;
    for (int64_t k = 0; k < 2 * b->n * b->n; ++k) {
        long double const x = b->a[2 * m * b->n * b->n + k];
        sum += x * x;
    }
    return sqrtl(sum);
}

/* ||A x - w x||, or ||y^H A - w y^H||, of pair k. */
static inline long double pair_residual(const pairs *b, int64_t m, int64_t k, bool left)
{
    int64_t const n = b->n;
    const double *const a = b->a + 2 * m * n * n, *const x = (left ? b->vl : b->vr) + 2 * (m * n + k) * n;
    dense_number const w = number_at(b->w, m * n + k);
    long double sum = 0;
    for (int64_t i = 0; i < n; ++i) {
        dense_number r = 0;
        for (int64_t j = 0; j < n; ++j) {
            dense_number const y = number_at(x, j);
            r += left ? dense_product(conjl(y), number_at(a, j * n + i)) : dense_product(number_at(a, i * n + j), y);
        }
        r -= dense_product(w, left ? conjl(number_at(x, i)) : number_at(x, i));
        sum += creall(r) * creall(r) + cimagl(r) * cimagl(r);
    }
    return sqrtl(sum);
}

/* Vector k has the 2-norm 1, and the first of its largest entries, those within 2^-10 of the largest, is real and positive; a real
 * eigenvalue of a real matrix has a real one. */
static inline void certify_shape(const char *name, const pairs *b, int64_t m, int64_t k, bool left)
{
    int64_t const n = b->n;
    const double *const x = (left ? b->vl : b->vr) + 2 * (m * n + k) * n;
    double const eps = type_eps(b->type);
    long double sum = 0, most = 0;
    for (int64_t i = 0; i < n; ++i) {
        long double const size = cabsl(number_at(x, i));
        sum += size * size;
        most = size > most ? size : most;
        if (!type_is_complex(b->type) && b->w[2 * (m * n + k) + 1] == 0 && x[2 * i + 1] != 0)
            fail_msg("%s n=%lld %s: vector %lld of a real eigenvalue, %g, is not real: %g%+gi", name, (long long)n,
                     type_name(b->type), (long long)k, b->w[2 * (m * n + k)], x[2 * i], x[2 * i + 1]);
    }
    if (!(fabsl(sum - 1) <= (double)(n + 10) * eps))
        fail_msg("%s n=%lld %s: vector %lld has norm^2 1%+Lg", name, (long long)n, type_name(b->type), (long long)k,
                 sum - 1);
    long double const share = 1 - 0x1p-10L, slack = 16 * eps; /* by which a rounded entry may miss the border */
    bool decided = false;
    for (int64_t i = 0; i < n && !decided; ++i) {
        long double const size = cabsl(number_at(x, i));
        decided = size >= (share - slack) * most && x[2 * i + 1] == 0 && x[2 * i] > 0;
        if (!decided && !(size < (share + slack) * most))
            fail_msg(
                "%s n=%lld %s: entry %lld of vector %lld, %g%+gi, is the first large one, and not real and positive",
                name, (long long)n, type_name(b->type), (long long)i, (long long)k, x[2 * i], x[2 * i + 1]);
    }
}

/* n eps ||A|| of matrix m, and what subnormal numbers add. */
static inline long double residual_unit(const pairs *b, int64_t m)
{
    long double const n = (long double)b->n;
    return n * type_eps(b->type) * pairs_norm(b, m) + (type_is_single(b->type) ? 0x1p-149L : 0x1p-1074L) * n;
}

/* The eigenvalues of matrix m have its trace, and that of its square. */
static inline void certify_traces(const char *name, const pairs *b, int64_t m)
{
    int64_t const n = b->n;
    long double const norm = pairs_norm(b, m), unit = residual_unit(b, m);
    dense_number sum = 0, sum2 = 0;
    for (int64_t k = 0; k < n; ++k) {
        dense_number const w = number_at(b->w, m * n + k);
        sum += w - number_at(b->a, (m * n + k) * n + k), sum2 += dense_product(w, w);
        for (int64_t j = 0; j < n; ++j)
            sum2 -= dense_product(number_at(b->a, (m * n + k) * n + j), number_at(b->a, (m * n + j) * n + k));
    }
    if (!(cabsl(sum) <= 10 * unit))
        fail_msg("%s n=%lld %s: the trace is off by %.1Lf n eps |A|", name, (long long)n, type_name(b->type),
                 cabsl(sum) / unit);
    if (!(cabsl(sum2) <= 20 * unit * norm))
        fail_msg("%s n=%lld %s: the sum of squares is off by %.1Lf n eps |A|^2", name, (long long)n, type_name(b->type),
                 cabsl(sum2) / unit / norm);
}

/* Every pair of matrix m: residuals up to limit n eps ||A||, shape, condition = |y^H x|, conjugate pairs exact.  Returns
 * the worst residual in units of n eps ||A||. */
static inline long double certify_vectors(const char *name, const pairs *b, int64_t m, long double limit)
{
    int64_t const n = b->n;
    long double const eps = type_eps(b->type), unit = residual_unit(b, m);
    long double worst = 0;
    if (b->info[m] != 0) fail_msg("%s n=%lld: info = %d", name, (long long)n, b->info[m]);
    if (!type_is_complex(b->type)) certify_pairs(name, n, b->w + 2 * m * n);
    for (int64_t k = 0; k < n; ++k) {
        const double *const x = b->vr + 2 * (m * n + k) * n, *const y = b->vl + 2 * (m * n + k) * n;
        for (int left = 0; left < 2; ++left) {
            long double const r = pair_residual(b, m, k, left);
            worst = r / unit > worst ? r / unit : worst;
            if (!(r <= limit * unit))
                fail_msg("%s n=%lld %s matrix %lld: %s pair %lld, w = %g%+gi, is off by %.1Lf n eps |A|", name,
                         (long long)n, type_name(b->type), (long long)m, left ? "left" : "right", (long long)k,
                         b->w[2 * (m * n + k)], b->w[2 * (m * n + k) + 1], r / unit);
            certify_shape(name, b, m, k, left);
        }
        dense_number product = 0;
        for (int64_t i = 0; i < n; ++i) product += dense_product(conjl(number_at(y, i)), number_at(x, i));
        long double const parts = type_is_complex(b->type) ? 2 : 1; /* operations of a complex product round twice */
        if (!(fabsl(cabsl(product) - b->condition[m * n + k]) <= 4 * parts * (long double)(n + 4) * eps))
            fail_msg("%s n=%lld %s: condition of %lld is %g, |y^H x| %Lg", name, (long long)n, type_name(b->type),
                     (long long)k, b->condition[m * n + k], cabsl(product));
        double const condition = b->condition[m * n + k];
        if (!(condition >= 0 && condition <= 1))
            fail_msg("%s n=%lld %s: condition of %lld is 1%+g", name, (long long)n, type_name(b->type), (long long)k,
                     condition - 1);
        bool const second = !type_is_complex(b->type) && b->w[2 * (m * n + k) + 1] < 0;
        for (int64_t i = 0; second && i < n; ++i)
            if (x[2 * i] != x[2 * (i - n)] || x[2 * i + 1] != -x[2 * (i - n) + 1] || y[2 * i] != y[2 * (i - n)] ||
                y[2 * i + 1] != -y[2 * (i - n) + 1])
                fail_msg("%s n=%lld: vectors of a pair are not conjugate", name, (long long)n);
    }
    return worst;
}

#endif
