/* The named tridiagonal matrices.  A kind is one function that fills d and e and one row of the table; a second
 * function where the spectrum has a formula. */
#include "matrices.h"
#include "internal.h"
#include "matrices_hard.h"
#include "portable.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fills d[0..n-1] and e[0..n-2], which are zero; n >= 1.  The parameter is the row's. */
typedef void (*fill)(int64_t n, double parameter, matrices_rng *rng, double *d, double *e);

/* Fills w[0..n-1], ascending. */
typedef void (*exact_spectrum)(int64_t n, double *w);

static double symmetric_uniform(matrices_rng *rng)
{
    return 2.0 * matrices_uniform(rng) - 1.0;
}

/* ------------------------------------------------------------------ random */

/* d and e uniform in [-1, 1), times the parameter. */
static void fill_uniform(int64_t n, double scale, matrices_rng *rng, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = scale * symmetric_uniform(rng);
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = scale * symmetric_uniform(rng);
}

/* In [0, 1). */
static void fill_positive(int64_t n, double unused, matrices_rng *rng, double *d, double *e)
{
    (void)unused;
    for (int64_t i = 0; i < n; ++i) d[i] = matrices_uniform(rng);
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = matrices_uniform(rng);
}

static void fill_normal(int64_t n, double scale, matrices_rng *rng, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = scale * matrices_normal(rng);
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = scale * matrices_normal(rng);
}

/* Three off-diagonals in four lie between 2^-500 and 2^-1074, where squares, and at last the numbers themselves,
 * underflow; the others are uniform. */
static void fill_tiny(int64_t n, double unused, matrices_rng *rng, double *d, double *e)
{
    (void)unused;
    for (int64_t i = 0; i < n; ++i) d[i] = symmetric_uniform(rng);
    for (int64_t i = 0; i + 1 < n; ++i) {
        double const x = symmetric_uniform(rng), exponent = 500.0 + 574.0 * matrices_uniform(rng);
        e[i] = matrices_uniform(rng) < 0.75 ? ldexp(x, -(int)exponent) : x;
    }
}

static void fill_anderson(int64_t n, double width, matrices_rng *rng, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = 0.5 * width * symmetric_uniform(rng);
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = 1.0;
}

/* ------------------------------------------------------------------ structured */

static void fill_constant(int64_t n, double value, matrices_rng *rng, double *d, double *e)
{
    (void)rng;
    (void)e;
    for (int64_t i = 0; i < n; ++i) d[i] = value;
}

static void fill_121(int64_t n, double unused, matrices_rng *rng, double *d, double *e)
{
    (void)unused;
    (void)rng;
    for (int64_t i = 0; i < n; ++i) d[i] = 2.0;
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = -1.0;
}

static void fill_wilkinson(int64_t n, double unused, matrices_rng *rng, double *d, double *e)
{
    (void)unused;
    (void)rng;
    for (int64_t i = 0; i < n; ++i) d[i] = fabs(0.5 * (double)(n - 1) - (double)i);
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = 1.0;
}

static void fill_wilkinson_minus(int64_t n, double unused, matrices_rng *rng, double *d, double *e)
{
    (void)unused;
    (void)rng;
    for (int64_t i = 0; i < n; ++i) d[i] = 0.5 * (double)(n - 1) - (double)i;
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = 1.0;
}

static void fill_glued(int64_t n, double glue, matrices_rng *rng, double *d, double *e)
{
    enum { BLOCK = 21 };
    (void)rng;
    for (int64_t i = 0; i < n; ++i) d[i] = fabs(10.0 - (double)(i % BLOCK));
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = i % BLOCK == BLOCK - 1 ? glue : 1.0;
}

static void fill_blocks(int64_t n, double rows, matrices_rng *rng, double *d, double *e)
{
    fill_uniform(n, 1.0, rng, d, e);
    for (int64_t i = (int64_t)rows; i < n; i += (int64_t)rows) e[i - 1] = 0;
}

static void fill_clement(int64_t n, double unused, matrices_rng *rng, double *d, double *e)
{
    (void)unused;
    (void)rng;
    (void)d;
    for (int64_t k = 1; k < n; ++k) e[k - 1] = sqrt((double)k * (double)(n - k));
}

static void fill_graded(int64_t n, double decades, matrices_rng *rng, double *d, double *e)
{
    double const step = n > 1 ? decades * 3.3219280948873623 / (double)(n - 1) : 0.0; /* times log2(10) */
    (void)rng;
    for (int64_t i = 0; i < n; ++i) d[i] = portable_exp2(-step * (double)i);
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = 0.25 * portable_exp2(-step * ((double)i + 0.5));
}

static void fill_harper(int64_t n, double lambda, matrices_rng *rng, double *d, double *e)
{
    double const golden = 0.5 * (sqrt(5.0) - 1.0);
    (void)rng;
    for (int64_t i = 0; i < n; ++i) d[i] = 2.0 * lambda * portable_cos2pi(golden * (double)(i + 1));
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = 1.0;
}

/* ------------------------------------------------------------------ orthogonal polynomials */

/* Jacobi matrices: the eigenvalues are the nodes of Gauss quadrature (G. Golub and J. Welsch, Math. Comp. 23, 1969). */

static void fill_hermite(int64_t n, double unused, matrices_rng *rng, double *d, double *e)
{
    (void)unused;
    (void)rng;
    (void)d;
    for (int64_t k = 1; k < n; ++k) e[k - 1] = sqrt(0.5 * (double)k);
}

static void fill_legendre(int64_t n, double unused, matrices_rng *rng, double *d, double *e)
{
    (void)unused;
    (void)rng;
    (void)d;
    for (int64_t k = 1; k < n; ++k) e[k - 1] = (double)k / sqrt(4.0 * (double)k * (double)k - 1.0);
}

static void fill_laguerre(int64_t n, double unused, matrices_rng *rng, double *d, double *e)
{
    (void)unused;
    (void)rng;
    for (int64_t k = 1; k <= n; ++k) d[k - 1] = (double)(2 * k - 1);
    for (int64_t k = 1; k < n; ++k) e[k - 1] = (double)k;
}

static void fill_chebyshev(int64_t n, double unused, matrices_rng *rng, double *d, double *e)
{
    (void)unused;
    (void)rng;
    (void)d;
    for (int64_t k = 1; k < n; ++k) e[k - 1] = k == 1 ? sqrt(0.5) : 0.5;
}

/* ------------------------------------------------------------------ prescribed spectra */

/* NaN where there is no memory. */
static void fill_mode(int mode, int64_t n, double condition, matrices_rng *rng, double *d, double *e)
{
    double *const x = malloc(2 * (size_t)n * sizeof *x);
    if (!x) {
        for (int64_t i = 0; i < n; ++i) d[i] = NAN;
        return;
    }
    hard_spectrum(mode, n, condition, rng, x);
    hard_inverse(n, x, x + n, rng, d, e);
    free(x);
}

#define FILL_MODE(mode)                                                                               \
    static void fill_mode##mode(int64_t n, double condition, matrices_rng *rng, double *d, double *e) \
    {                                                                                                 \
        fill_mode(mode, n, condition, rng, d, e);                                                     \
    }
FILL_MODE(1)
FILL_MODE(2)
FILL_MODE(3)
FILL_MODE(4)
FILL_MODE(5)
FILL_MODE(6)
FILL_MODE(7)
FILL_MODE(8)
FILL_MODE(9)

/* ------------------------------------------------------------------ spectra */

static long double pi(void)
{
    return acosl(-1.0L);
}

static void spectrum_zero(int64_t n, double *w)
{
    for (int64_t k = 0; k < n; ++k) w[k] = 0.0;
}

static void spectrum_identity(int64_t n, double *w)
{
    for (int64_t k = 0; k < n; ++k) w[k] = 1.0;
}

/* 2 - 2 cos(k pi / (n+1)) = 4 sin^2(k pi / (2n+2)), without the cancellation. */
static void spectrum_121(int64_t n, double *w)
{
    for (int64_t k = 1; k <= n; ++k) {
        long double const s = sinl((long double)k * pi() / (2.0L * ((long double)n + 1.0L)));
        w[k - 1] = (double)(4.0L * s * s);
    }
}

static void spectrum_clement(int64_t n, double *w)
{
    for (int64_t k = 0; k < n; ++k) w[k] = (double)(2 * k - (n - 1));
}

/* The zeros cos((2k-1) pi / (2n)), as sines of angles from the middle, so that the small ones are accurate too. */
static void spectrum_chebyshev(int64_t n, double *w)
{
    for (int64_t k = 0; k < n; ++k) w[k] = (double)sinl((long double)(2 * k + 1 - n) * pi() / (2.0L * (long double)n));
}

/* ------------------------------------------------------------------ table */

/* X(name, text, fill, parameter, exact) */
#define KIND_LIST(X)                                                                                                   \
    X("uniform", "d and e uniform in [-1, 1)", fill_uniform, 1.0, NULL)                                                \
    X("uniform01", "d and e uniform in [0, 1)", fill_positive, 0.0, NULL)                                              \
    X("normal", "d and e normal, mean 0, deviation 1", fill_normal, 1.0, NULL)                                         \
    X("121", "2 on the diagonal, -1 beside it", fill_121, 0.0, spectrum_121)                                           \
    X("wilkinson", "Wilkinson's W+: d = |(n-1)/2 - i|, i = 0..n-1; e = 1", fill_wilkinson, 0.0, NULL)                  \
    X("wilkinson-minus", "Wilkinson's W-: d = (n-1)/2 - i, i = 0..n-1; e = 1", fill_wilkinson_minus, 0.0, NULL)        \
    X("glued", "blocks W21+ (the last one cut), glued by 1e-7", fill_glued, 1e-7, NULL)                                \
    X("glued14", "blocks W21+ (the last one cut), glued by 1e-14", fill_glued, 1e-14, NULL)                            \
    X("blocks2", "uniform, in blocks of 2 rows (the last one cut)", fill_blocks, 2.0, NULL)                            \
    X("blocks100", "uniform, in blocks of 100 rows (the last one cut)", fill_blocks, 100.0, NULL)                      \
    X("clement", "d = 0, e[k] = sqrt(k (n-k)), k = 1..n-1", fill_clement, 0.0, spectrum_clement)                       \
    X("hermite", "Jacobi matrix of the Hermite polynomials (weight exp(-x^2))", fill_hermite, 0.0, NULL)               \
    X("legendre", "Jacobi matrix of the Legendre polynomials", fill_legendre, 0.0, NULL)                               \
    X("laguerre", "Jacobi matrix of the Laguerre polynomials (weight exp(-x))", fill_laguerre, 0.0, NULL)              \
    X("chebyshev", "Jacobi matrix of the Chebyshev polynomials, first kind", fill_chebyshev, 0.0, spectrum_chebyshev)  \
    X("graded", "d[i] = g^i, e[i] = g^(i+1/2) / 4, i = 0.., from d[0] = 1 to d[n-1] = 1e-12", fill_graded, 12.0, NULL) \
    X("anderson", "Anderson's model: d uniform in [-1/2, 1/2), e = 1", fill_anderson, 1.0, NULL)                       \
    X("harper", "Harper's model: d[j] = 2 cos(2 pi a j), j = 1..n, a = (sqrt(5)-1)/2; e = 1", fill_harper, 1.0, NULL)  \
    X("latms1", "dlatms, mode 1: eigenvalues 1, 1/c, 1/c, ... (c = 2^52 or --condition)", fill_mode1, 0x1p52, NULL)    \
    X("latms2", "dlatms, mode 2: eigenvalues 1, ..., 1, 1/c", fill_mode2, 0x1p52, NULL)                                \
    X("latms3", "dlatms, mode 3: geometric, from 1 to 1/c", fill_mode3, 0x1p52, NULL)                                  \
    X("latms4", "dlatms, mode 4: arithmetic, from 1 to 1/c", fill_mode4, 0x1p52, NULL)                                 \
    X("latms5", "dlatms, mode 5: random, logarithms uniform, between 1/c and 1", fill_mode5, 0x1p52, NULL)             \
    X("latms6", "dlatms, mode 6: random, normal", fill_mode6, 0.0, NULL)                                               \
    X("stetester7", "Algorithm 880's: eigenvalues eps, 2 eps, 3 eps, ..., 1", fill_mode7, 0.0, NULL)                   \
    X("stetester8", "Algorithm 880's: eigenvalues eps, 1 + k sqrt(eps), 2", fill_mode8, 0.0, NULL)                     \
    X("stetester9", "Algorithm 880's: eigenvalues 1 + 100 k eps", fill_mode9, 0.0, NULL)                               \
    X("zero", "all zero", fill_constant, 0.0, spectrum_zero)                                                           \
    X("identity", "d = 1, e = 0", fill_constant, 1.0, spectrum_identity)                                               \
    X("tiny", "d uniform in [-1, 1), three e in four below 2^-500, some denormal", fill_tiny, 0.0, NULL)               \
    X("small", "uniform times 1e-300: every e^2 underflows", fill_uniform, 1e-300, NULL)                               \
    X("huge", "uniform times 1e300: nearly every e^2 overflows", fill_uniform, 1e300, NULL)

#define KIND_NAMES matrices_tridiagonal_names
#include "kinds.h"

const char *matrices_tridiagonal_text(const char *kind)
{
    return kind_text(kind);
}

bool matrices_tridiagonal_takes_condition(const char *kind)
{
    const struct kind *const k = find_kind(kind);
    return k && (k->fill == fill_mode1 || k->fill == fill_mode2 || k->fill == fill_mode3 || k->fill == fill_mode4 ||
                 k->fill == fill_mode5);
}

bool matrices_tridiagonal_more(const char *kind, int64_t n, uint64_t seed, const matrices_more *more, io_tridiagonal *t,
                               io_error *error)
{
    const struct kind *const k = find_kind(kind);
    *t = (io_tridiagonal){0};
    if (!k) return io_fail(error, kind, "there is no such kind of matrix");
    if (n < 0) return io_fail(error, kind, "n = %" PRId64 ", must be >= 0", n);
    if (!io_tridiagonal_create(kind, n, t, error)) return false;
    matrices_rng rng = matrices_seed(seed);
    int64_t const rows = more && more->block > 0 && more->block < n ? more->block : n;
    double const parameter = more && more->condition > 0 ? more->condition : k->parameter;
    if (n > 0) k->fill(rows, parameter, &rng, t->d, t->e);
    if (n > 0 && !isfinite(t->d[0])) {
        io_tridiagonal_free(t);
        return io_fail(error, kind, "no memory for n = %" PRId64, n);
    }
    for (int64_t i = rows; i < n; ++i) {
        t->d[i] = t->d[i - rows];
        t->e[i - 1] = i % rows == 0 ? more->glue : t->e[i - 1 - rows];
    }
    return true;
}

bool matrices_tridiagonal(const char *kind, int64_t n, uint64_t seed, io_tridiagonal *t, io_error *error)
{
    return matrices_tridiagonal_more(kind, n, seed, NULL, t, error);
}

bool matrices_tridiagonal_spectrum(const char *kind, int64_t n, double *w)
{
    const struct kind *const k = find_kind(kind);
    if (!k || !k->exact) return false;
    k->exact(n, w);
    return true;
}
