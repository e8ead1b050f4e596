/* What the tests of heev share: batches in any layout, one call for all types, and the certificates. */
#ifndef EIG_TEST_HEEV_FIXTURE_H
#define EIG_TEST_HEEV_FIXTURE_H

#include "bench/support/hermitian.h"
#include "device.h"
#include "io/matrices_hermitian.h"

#include <float.h>
#include <math.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static eig_type const all_types[4] __attribute__((unused)) = {EIG_S, EIG_D, EIG_C, EIG_Z};

/* Matrices in C order, and what a call gave: w[b*n + k], v in C order with the vectors as columns. */
typedef struct batch {
    eig_type type;
    int64_t n, count;
    numbers a, w, v;
    int *info, *sweeps;
} batch;

static inline numbers numbers_room(eig_type type, int64_t count)
{
    numbers x;
    if (!numbers_make(&x, type, count)) fail_msg("no memory for %lld numbers", (long long)count);
    return x;
}

static inline batch batch_new(int64_t n, int64_t count, eig_type type)
{
    batch b = {.type = type, .n = n, .count = count, .a = numbers_room(type, n * n * count)};
    b.w = numbers_room(type_real(type), n * count), b.v = numbers_room(type, n * n * count);
    b.info = calloc((size_t)count + 1, sizeof(int)), b.sweeps = calloc((size_t)count + 1, sizeof(int));
    if (!b.info || !b.sweeps) fail_msg("no memory");
    return b;
}

static inline batch batch_make(const char *kind, int64_t n, int64_t count, eig_type type, uint64_t seed)
{
    batch b = batch_new(n, count, type);
    io_error error;
    if (!matrices_hermitian(kind, n, count, seed, &b.a, &error)) fail_msg("%s", error.text);
    return b;
}

static inline void batch_free(batch *b)
{
    numbers_free(&b->a), numbers_free(&b->w), numbers_free(&b->v);
    free(b->info), free(b->sweeps);
}

/* How a call's arrays lie in memory. */
typedef struct placement {
    eig_layout layout;
    bool row_major, upper, values_only, in_place;
    int64_t pad; /* rows and entries that are unused */
} placement;

/* A batch as it lies: where element (i, j) of matrix b is, from 0. */
typedef struct lying {
    eig_layout layout;
    bool row_major;
    int64_t ld, stride, entries;
} lying;

static inline lying lying_of(eig_layout layout, bool row_major, int64_t n, int64_t count, int64_t pad)
{
    lying l = {.layout = layout, .row_major = row_major, .ld = n + pad};
    l.stride = layout == EIG_LAYOUT_ELEMENT_WISE ? count + pad
               : layout == EIG_LAYOUT_ROW_WISE   ? count * l.ld + pad
                                                 : n * l.ld + pad;
    l.entries = layout == EIG_LAYOUT_MATRIX_WISE ? count * l.stride
                : layout == EIG_LAYOUT_ROW_WISE  ? n * l.stride
                                                 : n * l.ld * l.stride;
    return l;
}

static inline int64_t lying_at(const lying *l, int64_t row, int64_t column, int64_t b)
{
    int64_t const i = l->row_major ? column : row, j = l->row_major ? row : column;
    if (l->layout == EIG_LAYOUT_ELEMENT_WISE) return (i * l->ld + j) * l->stride + b;
    if (l->layout == EIG_LAYOUT_ROW_WISE) return i * l->stride + b * l->ld + j;
    return i + j * l->ld + b * l->stride;
}

/* Element `to` of x := element `from` of y. */
static inline void copy_element(numbers *x, int64_t to, const numbers *y, int64_t from)
{
    memcpy(numbers_at(x, to), numbers_at(y, from), type_size(x->type));
}

static inline bool element_is_filler(const numbers *x, int64_t k)
{
    return numbers_re(x, k) == 55 && (!type_is_complex(x->type) || numbers_im(x, k) == 55);
}

/* Only what a call may read is a number: the rest, and imaginary parts of the diagonal, are NaN. */
static inline numbers laid_out(const batch *b, const lying *l, bool upper, int64_t first, int64_t count)
{
    numbers x = numbers_room(b->type, l->entries);
    numbers_fill(&x, NAN);
    for (int64_t m = 0; m < count; ++m)
        for (int64_t i = 0; i < b->n; ++i)
            for (int64_t j = upper ? i : 0; j < (upper ? b->n : i + 1); ++j) {
                int64_t const at = lying_at(l, i, j, m);
                copy_element(&x, at, &b->a, ((first + m) * b->n + i) * b->n + j);
                if (i == j && type_is_complex(b->type)) numbers_put_part(&x, 2 * at + 1, NAN);
            }
    return x;
}

/* Takes w and v of the part from the call's arrays; what lies between must be untouched: a filler, or in place what it
 * was before. */
static inline void take_results(batch *b, placement p, const lying *l, const numbers *w, const numbers *v,
                                const numbers *before, int64_t first, int64_t count)
{
    int64_t const n = b->n, stride_w = n + 2 * p.pad;
    char *const ours = calloc((size_t)(v->count + w->count + 1), 1);
    for (int64_t m = 0; m < count; ++m)
        for (int64_t k = 0; k < n; ++k) {
            copy_element(&b->w, (first + m) * n + k, w, m * stride_w + k);
            ours[v->count + m * stride_w + k] = 1;
            for (int64_t i = 0; i < n && v->data; ++i) {
                copy_element(&b->v, ((first + m) * n + i) * n + k, v, lying_at(l, i, k, m));
                ours[lying_at(l, i, k, m)] = 1;
            }
        }
    for (int64_t k = 0; k < v->count + w->count; ++k) {
        bool const in_v = k < v->count;
        if (ours[k]) continue;
        bool const kept = in_v && p.in_place ? memcmp(numbers_at(v, k), numbers_at(before, k), type_size(v->type)) == 0
                                             : element_is_filler(in_v ? v : w, in_v ? k : k - v->count);
        if (!kept) fail_msg("element %lld, beside the matrices, is written", (long long)k);
    }
    free(ours);
}

/* Solves matrices first, ..., first + count - 1.  Results go to the batch. */
static inline void solve_part(eig_context *ctx, const eig_heev_options *options, batch *b, placement p, int64_t first,
                              int64_t count)
{
    int64_t const n = b->n;
    eig_layout const layout = p.layout ? p.layout : EIG_LAYOUT_MATRIX_WISE;
    lying const la = lying_of(layout, p.row_major, n, count, p.pad);
    lying const lv = lying_of(EIG_LAYOUT_MATRIX_WISE, p.row_major, n, count, p.in_place ? p.pad : p.pad + p.pad / 2);
    numbers a = laid_out(b, &la, p.upper, first, count), before = laid_out(b, &la, p.upper, first, count);
    int64_t const stride_w = n + 2 * p.pad;
    numbers w = numbers_room(type_real(b->type), count * stride_w), v = {.type = b->type};
    if (!p.values_only && !p.in_place) v = numbers_room(b->type, lv.entries), numbers_fill(&v, 55);
    if (p.in_place) v = a;
    numbers_fill(&w, 55);
    eig_heev_options o = EIG_HEEV_OPTIONS;
    if (options) o = *options;
    o.layout = layout, o.row_major = p.row_major, o.uplo = p.upper ? EIG_UPLO_UPPER : EIG_UPLO_LOWER;
    eig_status const status = eig_heev_batched(ctx, b->type, &o, n, a.data, la.ld, la.stride, NULL, w.data, stride_w,
                                               v.data, lv.ld, lv.stride, b->info + first, b->sweeps + first, count);
    if (status != EIG_OK) fail_msg("%s: %s", eig_status_text(status), eig_error_detail(ctx));
    expect_proved(ctx);
    take_results(b, p, &lv, &w, &v, &before, first, count);
    if (!p.in_place && memcmp(a.data, before.data, (size_t)a.count * type_size(a.type)) != 0) fail_msg("a is written");
    if (!p.in_place) numbers_free(&v);
    numbers_free(&a), numbers_free(&before), numbers_free(&w);
}

static inline void solve(eig_context *ctx, const eig_heev_options *options, batch *b)
{
    solve_part(ctx, options, b, (placement){0}, 0, b->count);
}

static inline void solve_by(eig_context *ctx, eig_heev_method method, batch *b)
{
    eig_heev_options o = EIG_HEEV_OPTIONS;
    o.method = method;
    solve(ctx, &o, b);
}

/* ||A V - V W||_F / (n eps ||A||_F) and ||V^H V - I||_F / (n eps), at most `limit`; w ascends. */
static inline void certify_vectors(const char *name, const batch *b, int64_t m, long double limit)
{
    int64_t const n = b->n;
    if (b->info[m] != 0) fail_msg("%s n=%lld %s: info = %d", name, (long long)n, type_name(b->type), b->info[m]);
    for (int64_t k = 1; k < n; ++k)
        if (!(numbers_re(&b->w, m * n + k) >= numbers_re(&b->w, m * n + k - 1)))
            fail_msg("%s: w does not ascend", name);
    hermitian_norms const norms = hermitian_certify(n, &b->a, &b->w, &b->v, m, true);
    long double const eps = (long double)type_eps(b->type), unit = (long double)n * eps;
    /* Eigenvalues below the smallest normal number are rounded to a multiple of the smallest one. */
    long double const tiny = type_is_single(b->type) ? 0x1p-149L : 0x1p-1074L;
    if (!(norms.orthogonality <= limit * unit))
        fail_msg("%s n=%lld %s: V^H V - I is %.2Lf n eps", name, (long long)n, type_name(b->type),
                 norms.orthogonality / unit);
    if (!(norms.residual <= limit * unit * norms.a + (long double)n * tiny))
        fail_msg("%s n=%lld %s: A V - V W is %.2Lf n eps ||A||", name, (long long)n, type_name(b->type),
                 norms.residual / norms.a / unit);
}

/* Every w lies within 4 n eps max|w| of its eigenvalue. */
static inline void certify_values(const char *name, const batch *b, int64_t m)
{
    int64_t const n = b->n;
    hermitian h = hermitian_new(n, &b->a, m * n * n);
    double const first = numbers_re(&b->w, m * n), last = numbers_re(&b->w, m * n + n - 1);
    long double const most = fmaxl(fabsl((long double)first), fabsl((long double)last));
    long double const tiny = type_is_single(b->type) ? 0x1p-149L : 0x1p-1074L;
    long double const tolerance = 4 * (long double)n * (long double)type_eps(b->type) * most + tiny;
    for (int64_t k = 0; k < n; ++k)
        if (!hermitian_holds(&h, k + 1, numbers_re(&b->w, m * n + k), tolerance))
            fail_msg("%s n=%lld %s: eigenvalue %lld is not %g", name, (long long)n, type_name(b->type), (long long)k,
                     numbers_re(&b->w, m * n + k));
    hermitian_free(&h);
}

/* Eigenvalues of a positive definite a, descending: one-sided Jacobi on the rows of Cholesky's factor, so that each has
 * digits of its own (Demmel and Veselic, SIAM J. Matrix Anal. Appl. 13 (1992), Algorithm 4.4).  C order; a is overwritten. */
static inline void definite_values(int64_t n, dense_number *a, long double *w)
{
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
            dense_number sum = j > i ? 0 : a[i * n + j];
            for (int64_t k = 0; k < j && j <= i; ++k) sum -= dense_product(a[i * n + k], conjl(a[j * n + k]));
            a[i * n + j] = j < i ? sum / creall(a[j * n + j]) : j == i ? sqrtl(creall(sum)) : 0;
        }
    bool turned = true;
    for (int sweep = 0; turned && sweep < 60; ++sweep) {
        turned = false;
        for (int64_t p = 0; p < n; ++p)
            for (int64_t q = p + 1; q < n; ++q) {
                dense_number *const x = a + p * n, *const y = a + q * n;
                dense_number inner = 0;
                long double xx = 0, yy = 0;
                for (int64_t k = 0; k < n; ++k) {
                    xx += creall(dense_product(x[k], conjl(x[k]))), yy += creall(dense_product(y[k], conjl(y[k])));
                    inner += dense_product(x[k], conjl(y[k]));
                }
                long double const size = cabsl(inner), h = (yy - xx) / (2 * size);
                if (!(size > 4 * LDBL_EPSILON * sqrtl(xx) * sqrtl(yy))) continue;
                long double const t = (h < 0 ? -1 : 1) / (fabsl(h) + hypotl(h, 1)), c = 1 / hypotl(t, 1);
                dense_number const s = inner / size * (t * c);
                for (int64_t k = 0; k < n; ++k) {
                    dense_number const before = x[k];
                    x[k] = c * before - dense_product(s, y[k]);
                    y[k] = dense_product(conjl(s), before) + c * y[k];
                }
                turned = true;
            }
    }
    if (turned) fail_msg("the values to compare with have not converged");
    for (int64_t i = 0; i < n; ++i) {
        w[i] = 0;
        for (int64_t k = 0; k < n; ++k) w[i] += creall(dense_product(a[i * n + k], conjl(a[i * n + k])));
    }
    for (int64_t i = 1; i < n; ++i)
        for (int64_t k = i; k > 0 && w[k] > w[k - 1]; --k) {
            long double const other = w[k];
            w[k] = w[k - 1], w[k - 1] = other;
        }
}

/* Every w of the positive definite matrix m = D B D, diag(B) = 1, to `limit` n eps cond(B) of itself; the largest error
 * in that unit. */
static inline double certify_relative(const char *name, const batch *b, int64_t m, double limit)
{
    int64_t const n = b->n;
    dense_number *const a = malloc(sizeof *a * (size_t)(n * n + 1));
    long double *const w = malloc(sizeof *w * (size_t)(3 * n + 1)), *const condition = w + n, *const d = w + 2 * n;
    double worst = 0;
    if (!a || !w) fail_msg("no memory");
    if (b->info[m] != 0) fail_msg("%s n=%lld %s: info = %d", name, (long long)n, type_name(b->type), b->info[m]);
    for (int64_t i = 0; i < n; ++i) d[i] = sqrtl((long double)numbers_re(&b->a, (m * n + i) * n + i));
    for (int scaled = 0; scaled < 2; ++scaled) {
        for (int64_t k = 0; k < n * n; ++k) {
            a[k] = dense_complex(numbers_re(&b->a, m * n * n + k), numbers_im(&b->a, m * n * n + k));
            if (scaled) a[k] /= d[k / n] * d[k % n];
        }
        definite_values(n, a, scaled ? condition : w);
    }
    long double const unit = (long double)n * (long double)type_eps(b->type) * condition[0] / condition[n - 1];
    for (int64_t k = 0; k < n; ++k) {
        long double const got = numbers_re(&b->w, m * n + k), want = w[n - 1 - k];
        double const error = (double)(fabsl(got - want) / (unit * want));
        if (!(error <= limit))
            fail_msg("%s n=%lld %s: eigenvalue %lld is %.9Lg, must be %.9Lg (condition %.3Lg)", name, (long long)n,
                     type_name(b->type), (long long)k, got, want, condition[0] / condition[n - 1]);
        worst = fmax(worst, error);
    }
    free(a), free(w);
    return worst;
}

/* The program's end where the device lacks heev: then its tests are skipped. */
static inline bool heev_answers(void)
{
    eig_context *ctx = test_context(1);
    double a = 1, w = 0;
    eig_status const status = eig_dsyev_batched(ctx, NULL, 1, &a, 1, 1, NULL, &w, 1, NULL, 0, 0, NULL, NULL, 1);
    if (status == EIG_NO_BACKEND) printf("skipped: %s\n", eig_error_detail(ctx));
    eig_destroy(ctx);
    return status != EIG_NO_BACKEND;
}

/* Callbacks: notes the last fraction, NaN where it fell. */
static inline int progress_rises(void *user, double fraction)
{
    double *const last = user;
    *last = fraction >= *last && fraction <= 1 ? fraction : NAN; /* stays NaN */
    return 0;
}

/* Stops, but not at the end, where no stop shows anything; notes when. */
static inline int progress_stops(void *user, double fraction)
{
    if (!(fraction > 0 && fraction < 1)) return 0;
    *(double *)user = fraction;
    return 1;
}

#endif
