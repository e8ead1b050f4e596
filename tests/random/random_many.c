/* Millions of random hard matrices, small ones, through geev and heev with all vectors: every pair is checked in plain double
 * arithmetic, and what certificates found is counted.
 *     random_many [DEVICE [MATRICES [SEED [FAMILY]]]]
 * DEVICE    cpu (default), cuda, ...
 * MATRICES  of each family (default 100000)
 * SEED      default 1
 * FAMILY    this one alone: geev or heev
 * A line a family: matrices; info > 0; solved again; vectors found again; wrong, that is ||A v - w v|| > 10 n eps ||A||_F, or a
 * vector whose length is not 1, or, heev, vectors that are not orthogonal, with info 0.  The first wrong ones are printed.
 * Exit 0 none is wrong, 1 some are, 2 usage, 77 no device. */
#include "support/adversary_hermitian.h"
#include "support/adversary_nonsymmetric.h"
#include "support/device.h"

#include <complex.h>
#include <float.h>
#include <time.h>

#ifdef _OPENMP
#include <omp.h>
#endif

enum { MOST_ORDER = 40, ENTRIES = 1 << 19, MOST_COUNT = 1 << 13, SHOWN = 20 };

typedef struct tally {
    int64_t matrices, failed, again, vectors, wrong;
    double worst;
} tally;

/* A batch of one order and type; numbers are complex doubles whatever the type, column by column. */
typedef struct many {
    bool hermitian;
    eig_type type;
    int64_t n, count;
    void *a, *w, *v;
    int *info;
    const char **kind;
} many;

static void *room(size_t count, size_t size)
{
    void *const p = calloc(count > 0 ? count : 1, size);
    if (!p) fprintf(stderr, "no memory for %zu x %zu bytes\n", count, size), exit(3);
    return p;
}

static bool is_single(eig_type type)
{
    return type == EIG_S || type == EIG_C;
}
static bool is_complex(eig_type type)
{
    return type == EIG_C || type == EIG_Z;
}
static double eps_of(eig_type type)
{
    return is_single(type) ? FLT_EPSILON : DBL_EPSILON;
}

/* re + i im, exactly, NaN and infinities too; not every compiler has CMPLX. */
static double complex complex_of(double re, double im)
{
    union {
        double parts[2];
        double complex z;
    } const both = {{re, im}};
    return both.z;
}

/* Entry k of an array of numbers of the type. */
static double complex get(const void *x, eig_type type, int64_t k)
{
    switch (type) {
    case EIG_S:
        return (double)((const float *)x)[k];
    case EIG_D:
        return ((const double *)x)[k];
    case EIG_C:
        return complex_of((double)((const float *)x)[2 * k], (double)((const float *)x)[2 * k + 1]);
    default:
        return complex_of(((const double *)x)[2 * k], ((const double *)x)[2 * k + 1]);
    }
}

static void put(void *x, eig_type type, int64_t k, double re, double im)
{
    switch (type) {
    case EIG_S:
        ((float *)x)[k] = (float)re;
        break;
    case EIG_D:
        ((double *)x)[k] = re;
        break;
    case EIG_C:
        ((float *)x)[2 * k] = (float)re, ((float *)x)[2 * k + 1] = (float)im;
        break;
    default:
        ((double *)x)[2 * k] = re, ((double *)x)[2 * k + 1] = im;
    }
}

static size_t size_of(eig_type type)
{
    return (is_single(type) ? sizeof(float) : sizeof(double)) * (is_complex(type) ? 2 : 1);
}

/* --------------------------------------------------------------------- matrices */

static double clamped(double x, bool single)
{
    return single ? fmin(fmax(x, -1e30), 1e30) : x;
}

static void draw_general(many *b, int64_t m, matrices_rng *rng)
{
    int64_t const n = b->n;
    bool const single = is_single(b->type), turns = is_complex(b->type);
    double a[MOST_ORDER * MOST_ORDER];
    memset(a, 0, (size_t)(n * n) * sizeof *a);
    b->kind[m] = adversary_nonsymmetric(rng, n, a, single);
    double const angle = turns ? draw_between(rng, 0, 6) : 0, step = turns && draw_chance(rng, 0.5) ? 1 : 0;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
            double const x = clamped(a[i * n + j], single), turn = angle + step * (double)(i - j);
            put(b->a, b->type, m * n * n + i + j * n, turns ? x * cos(turn) : x, x * sin(turn));
        }
}

static void draw_hermitian(many *b, int64_t m, matrices_rng *rng)
{
    int64_t const n = b->n;
    bool const single = is_single(b->type);
    hermitian_draw h = hermitian_draw_new(n, is_complex(b->type));
    b->kind[m] = adversary_hermitian(rng, &h, single);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
            put(b->a, b->type, m * n * n + i + j * n, h.re[i * n + j], i == j ? 0 : h.im[i * n + j]);
    hermitian_draw_free(&h);
}

/* ----------------------------------------------------------------------- checks */

/* The power of two by which matrix m is multiplied, so that squares fit. */
static double unit_of(const many *b, int64_t m)
{
    double most = 0;
    int exponent;
    for (int64_t k = m * b->n * b->n; k < (m + 1) * b->n * b->n; ++k) {
        double complex const x = get(b->a, b->type, k);
        most = fmax(most, fmax(fabs(creal(x)), fabs(cimag(x))));
    }
    frexp(most, &exponent);
    return ldexp(1, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
}

/* The largest of all that must be small, in n eps: residuals by ||A||_F, lengths, and inner products where A is Hermitian. */
static double measure(const many *b, int64_t m)
{
    int64_t const n = b->n, at = m * n * n;
    eig_type const vectors = b->hermitian         ? b->type
                             : is_single(b->type) ? EIG_C
                                                  : EIG_Z,
                   values = !b->hermitian        ? vectors
                            : is_single(b->type) ? EIG_S
                                                 : EIG_D;
    double const unit = unit_of(b, m), eps = eps_of(b->type), tiny = is_single(b->type) ? 0x1p-149 : 0x1p-1074;
    double complex a[MOST_ORDER * MOST_ORDER], v[MOST_ORDER * MOST_ORDER];
    double norm = 0, worst = 0;
    for (int64_t k = 0; k < n * n; ++k) {
        a[k] = unit * get(b->a, b->type, at + k), v[k] = get(b->v, vectors, at + k);
        norm += creal(a[k]) * creal(a[k]) + cimag(a[k]) * cimag(a[k]);
    }
    double const bound = (double)n * eps * sqrt(norm) + 2 * unit * tiny;
    for (int64_t k = 0; k < n; ++k) {
        double complex const w = unit * get(b->w, values, m * n + k), *const x = v + k * n;
        double complex r[MOST_ORDER];
        double size = 0, residual = 0;
        for (int64_t i = 0; i < n; ++i) r[i] = -w * x[i], size += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < n; ++i) r[i] += a[i + j * n] * x[j];
        for (int64_t i = 0; i < n; ++i) residual += creal(r[i]) * creal(r[i]) + cimag(r[i]) * cimag(r[i]);
        if (!(sqrt(residual) <= worst * bound))
            worst = bound > 0 ? sqrt(residual) / bound : residual > 0 ? INFINITY : worst;
        if (!(fabs(size - 1) <= 4 * worst * (double)(n + 4) * eps))
            worst = fabs(size - 1) / (4 * (double)(n + 4) * eps);
        for (int64_t j = 0; b->hermitian && j < k; ++j) {
            double complex dot = 0;
            for (int64_t i = 0; i < n; ++i) dot += conj(v[j * n + i]) * x[i];
            if (!(cabs(dot) <= worst * (double)(n + 3) * eps)) worst = cabs(dot) / ((double)(n + 3) * eps);
        }
        if (isnan(worst)) return INFINITY;
    }
    return worst;
}

/* ------------------------------------------------------------------------ calls */

static eig_status solve(eig_context *ctx, many *b, matrices_rng *rng)
{
    int64_t const n = b->n;
    int64_t const method = draw_integer(rng, 0, 11);
    if (b->hermitian) {
        eig_heev_options o = EIG_HEEV_OPTIONS;
        o.method = method == 0 ? EIG_HEEV_JACOBI : method == 1 ? EIG_HEEV_TRIDIAGONAL : EIG_HEEV_AUTO;
        return eig_heev_batched(ctx, b->type, &o, n, b->a, n, n * n, NULL, b->w, n, b->v, n, n * n, b->info, NULL,
                                b->count);
    }
    eig_geev_options o = EIG_GEEV_OPTIONS;
    o.method = method == 0 ? EIG_GEEV_SWB : method == 1 ? EIG_GEEV_MWB : EIG_GEEV_AUTO;
    o.no_balance = draw_chance(rng, 0.25);
    bool const left = draw_chance(rng, 0.1); /* of the transpose: not checked, but certified */
    void *const vl = left ? room((size_t)(n * n * b->count), 16) : NULL;
    eig_status const status = eig_geev_batched(ctx, b->type, &o, n, b->a, n, n * n, b->w, n, vl, n, n * n, b->v, n,
                                               n * n, NULL, b->info, b->count);
    free(vl);
    return status;
}

static void judge(const many *b, uint64_t seed, tally *t)
{
    int64_t failed = 0, wrong = 0;
    double worst = 0;
#pragma omp parallel for reduction(+ : failed, wrong) reduction(max : worst) schedule(dynamic, 64)
    for (int64_t m = 0; m < b->count; ++m) {
        if (b->info[m] != 0) {
            ++failed;
            continue;
        }
        double const x = measure(b, m);
        worst = fmax(worst, x);
        if (x <= 10.5) continue; /* the check's own rounding errors */
        ++wrong;
#pragma omp critical
        if (t->wrong++ < SHOWN)
            printf("  %s n=%lld type %c seed %llu matrix %lld of %lld, %s: %.3g n eps\n",
                   b->hermitian ? "heev" : "geev", (long long)b->n, (char)b->type, (unsigned long long)seed,
                   (long long)m, (long long)b->count, b->kind[m], x);
    }
    t->matrices += b->count, t->failed += failed, t->worst = fmax(t->worst, worst);
}

/* Batches from a few matrices to as many as ENTRIES hold, n mostly small. */
static eig_status round_of(eig_context *ctx, bool hermitian, uint64_t seed, int64_t most, tally *t)
{
    static eig_type const types[] = {EIG_D, EIG_S, EIG_Z, EIG_C};
    matrices_rng rng = matrices_seed(seed);
    many b = {.hermitian = hermitian, .type = types[draw_integer(&rng, 0, 3)]};
    b.n = draw_integer(&rng, 1, draw_chance(&rng, 0.7) ? 9 : draw_chance(&rng, 0.7) ? 17 : MOST_ORDER);
    int64_t const fit = ENTRIES / (b.n * b.n), few = draw_integer(&rng, 1, 400);
    b.count = draw_chance(&rng, 0.3) ? few : fit < MOST_COUNT ? fit : (int64_t)MOST_COUNT;
    if (b.count > most) b.count = most;
    size_t const square = (size_t)(b.n * b.n * b.count), size = size_of(b.type);
    b.a = room(square, size), b.v = room(square, 2 * sizeof(double));
    b.w = room((size_t)(b.n * b.count), 2 * sizeof(double)), b.info = room((size_t)b.count, sizeof(int));
    b.kind = room((size_t)b.count, sizeof *b.kind);
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t m = 0; m < b.count; ++m) {
        matrices_rng own = matrices_seed(seed * 1000003 + (uint64_t)m);
        if (hermitian)
            draw_hermitian(&b, m, &own);
        else
            draw_general(&b, m, &own);
    }
    eig_status const status = solve(ctx, &b, &rng);
    int64_t again = 0, vectors = 0;
    if (status == EIG_OK && eig_get_repairs(ctx, &again, &vectors) == EIG_OK) t->again += again, t->vectors += vectors;
    if (status == EIG_OK) judge(&b, seed, t);
    free(b.a), free(b.w), free(b.v), free(b.info), free(b.kind);
    return status;
}

int main(int argc, char **argv)
{
    int64_t const most = argc > 2 ? strtoll(argv[2], NULL, 10) : 100000;
    uint64_t const first = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    if (most <= 0) return fprintf(stderr, "usage: random_many [DEVICE [MATRICES [SEED [FAMILY]]]]\n"), 2;
    if (!test_device_answers(argc, argv)) return 77;
    eig_context *ctx = NULL;
    if (test_open(&ctx) != EIG_OK) return fprintf(stderr, "%s\n", eig_error_detail(ctx)), 3;
    int64_t wrong = 0;
    for (int hermitian = 0; hermitian < 2; ++hermitian) {
        const char *const family = hermitian ? "heev" : "geev";
        if (argc > 4 && strcmp(argv[4], family) != 0) continue;
        tally t = {0};
        time_t const start = time(NULL);
        for (uint64_t seed = first; t.matrices < most; ++seed)
            if (round_of(ctx, hermitian, seed, most - t.matrices, &t) != EIG_OK)
                return fprintf(stderr, "%s\n", eig_error_detail(ctx)), 3;
        printf("%s: %lld matrices from seed %llu, %lld with info > 0, %lld solved again, %lld vectors found again, "
               "%lld wrong; "
               "worst %.3g n eps; %.0f s\n",
               family, (long long)t.matrices, (unsigned long long)first, (long long)t.failed, (long long)t.again,
               (long long)t.vectors, (long long)t.wrong, t.worst, difftime(time(NULL), start));
        fflush(stdout);
        wrong += t.wrong;
    }
    eig_destroy(ctx);
    return wrong > 0;
}
