/* The named Hermitian matrices.  A kind is one function that fills the lower triangle of a zeroed n x n matrix of pairs
 * (re, im) in C order, and one row of the table; a second function where the spectrum has a formula.  In a real type
 * all imaginary parts stay 0. */
#include "matrices_hermitian.h"

#include "hermitian_sketch.h"
#include "internal.h"
#include "portable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fills the sketch; the parameter is the row's. */
typedef void (*fill)(sketch *s, double parameter);

/* Fills w[0..n-1], ascending. */
typedef void (*exact_spectrum)(int64_t n, bool is_complex, double *w);

/* ------------------------------------------------------------------ random */

/* Parts of entries uniform in [least, 1). */
static void fill_uniform(sketch *s, double least)
{
    double const width = 1 - least;
    for (int64_t i = 0; i < s->n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            sketch_at(s, i, j)[0] = width * matrices_uniform(&s->rng) + least;
            if (i != j && type_is_complex(s->type)) sketch_at(s, i, j)[1] = width * matrices_uniform(&s->rng) + least;
        }
}

/* The Gaussian ensembles, GOE and GUE: entries of variance 1 beside the diagonal, 2 or 1 on it; times 2^exponent, where
 * floats have exponents of a tenth. */
static void fill_ensemble(sketch *s, double exponent)
{
    int const power = (int)(type_is_single(s->type) ? exponent / 10 : exponent);
    double const beside = type_is_complex(s->type) ? sqrt(0.5) : 1, diagonal = type_is_complex(s->type) ? 1 : sqrt(2.0);
    for (int64_t i = 0; i < s->n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            double *const x = sketch_at(s, i, j);
            sketch_normal(s, x);
            for (int part = 0; part < 2; ++part) x[part] = ldexp((i == j ? diagonal : beside) * x[part], power);
            if (i == j) x[1] = 0;
        }
}

static void fill_diagonal(sketch *s, double parameter)
{
    (void)parameter;
    for (int64_t i = 0; i < s->n; ++i) sketch_at(s, i, i)[0] = matrices_normal(&s->rng);
}

/* v v^H with v normal. */
static void fill_rank_one(sketch *s, double parameter)
{
    (void)parameter;
    for (int64_t i = 0; i < s->n; ++i) sketch_normal(s, s->v + 2 * i);
    sketch_add_square(s, 1);
}

/* D B D: D powers of two from 1 down to 2^-range, B diagonally dominant with diagonal 1: positive definite, its small
 * eigenvalues determined to high relative accuracy. */
static void fill_graded(sketch *s, double range)
{
    int64_t const n = s->n;
    fill_uniform(s, -1);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            double const steps = n > 1 ? range / (double)(n - 1) : 0;
            int const power = -(int)floor(steps * (double)i) - (int)floor(steps * (double)j);
            double *const x = sketch_at(s, i, j);
            for (int part = 0; part < 2; ++part) x[part] = ldexp(x[part] / (4 * (double)n), power);
            if (i == j) x[0] = ldexp(1, power);
        }
}

/* ------------------------------------------------------- from a spectrum */

/* A := H A H with H = I - 2 v v^H / (v^H v): with q = p - (v^H p / v^H v) v, p = 2 A v / v^H v, that is
 * A - v q^H - q v^H.  Reads and writes the lower triangle. */
static void reflect(sketch *s)
{
    int64_t const n = s->n;
    double square = 0, inner = 0;
    for (int64_t i = 0; i < n; ++i) {
        sketch_normal(s, s->v + 2 * i);
        square += s->v[2 * i] * s->v[2 * i] + s->v[2 * i + 1] * s->v[2 * i + 1];
    }
    if (square == 0) return;
    for (int64_t i = 0; i < n; ++i) {
        double re = 0, im = 0;
        for (int64_t j = 0; j < n; ++j) {
            const double *const x = j <= i ? sketch_at(s, i, j) : sketch_at(s, j, i), *const y = s->v + 2 * j;
            double const above = j <= i ? x[1] : -x[1];
            re += x[0] * y[0] - above * y[1], im += x[0] * y[1] + above * y[0];
        }
        s->q[2 * i] = 2 * re / square, s->q[2 * i + 1] = 2 * im / square;
        inner += s->v[2 * i] * s->q[2 * i] + s->v[2 * i + 1] * s->q[2 * i + 1];
    }
    for (int64_t k = 0; k < 2 * n; ++k) s->q[k] -= inner / square * s->v[k];
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            const double *const v = s->v + 2 * i, *const q = s->q + 2 * i, *const x = s->v + 2 * j,
                                *const y = s->q + 2 * j;
            sketch_at(s, i, j)[0] -= v[0] * y[0] + v[1] * y[1] + (q[0] * x[0] + q[1] * x[1]);
            sketch_at(s, i, j)[1] -= i == j ? 0 : v[1] * y[0] - v[0] * y[1] + (q[1] * x[0] - q[0] * x[1]);
        }
}

/* A matrix with the eigenvalues w, of which v has room for n: a diagonal one behind four random reflections. */
static void fill_spectrum(sketch *s, exact_spectrum of)
{
    enum { REFLECTIONS = 4 };
    of(s->n, type_is_complex(s->type), s->v);
    for (int64_t i = 0; i < s->n; ++i) sketch_at(s, i, i)[0] = s->v[i];
    for (int k = 0; k < REFLECTIONS && s->n > 1; ++k) reflect(s);
}

static void spectrum_arithmetic(int64_t n, bool is_complex, double *w)
{
    (void)is_complex;
    for (int64_t k = 0; k < n; ++k) w[k] = n > 1 ? (double)(2 * k - (n - 1)) / (double)(n - 1) : 1;
}

static void spectrum_geometric(int64_t n, bool is_complex, double *w)
{
    double const octaves = 3.3219280948873623 * 12; /* 12 decades */
    (void)is_complex;
    for (int64_t k = 0; k < n; ++k) w[k] = n > 1 ? portable_exp2(-octaves * (double)(n - 1 - k) / (double)(n - 1)) : 1;
}

/* Three clusters, around -1, 1/2 and 1, neighbours 2^-44 apart. */
static void spectrum_clustered(int64_t n, bool is_complex, double *w)
{
    (void)is_complex;
    for (int64_t k = 0; k < n; ++k)
        w[k] = (k < n / 3 ? -1 : k < 2 * (n / 3) ? 0.5 : 1) + ldexp((double)(k - n / 2), -44);
}

/* -1, 0 and 2, each a third of them. */
static void spectrum_repeated(int64_t n, bool is_complex, double *w)
{
    (void)is_complex;
    for (int64_t k = 0; k < n; ++k) w[k] = k < n / 3 ? -1 : k < 2 * (n / 3) ? 0 : 2;
}

static void fill_arithmetic(sketch *s, double parameter)
{
    (void)parameter;
    fill_spectrum(s, spectrum_arithmetic);
}

static void fill_geometric(sketch *s, double parameter)
{
    (void)parameter;
    fill_spectrum(s, spectrum_geometric);
}

static void fill_clustered(sketch *s, double parameter)
{
    (void)parameter;
    fill_spectrum(s, spectrum_clustered);
}

static void fill_repeated(sketch *s, double parameter)
{
    (void)parameter;
    fill_spectrum(s, spectrum_repeated);
}

/* -------------------------------------------------------------- structured */

static void fill_zero(sketch *s, double parameter)
{
    (void)s, (void)parameter;
}

static void spectrum_zero(int64_t n, bool is_complex, double *w)
{
    (void)is_complex;
    for (int64_t k = 0; k < n; ++k) w[k] = 0;
}

static void fill_eye(sketch *s, double parameter)
{
    (void)parameter;
    for (int64_t i = 0; i < s->n; ++i) sketch_at(s, i, i)[0] = 1;
}

static void spectrum_eye(int64_t n, bool is_complex, double *w)
{
    (void)is_complex;
    for (int64_t k = 0; k < n; ++k) w[k] = 1;
}

/* A ring of n places with neighbours joined by 1, and by i between the last and the first (in a real type by 1). */
static void fill_ring(sketch *s, double parameter)
{
    (void)parameter;
    for (int64_t i = 1; i < s->n; ++i) sketch_at(s, i, i - 1)[0] = 1;
    double *const corner = sketch_at(s, s->n - 1, 0);
    if (s->n == 1) {
        corner[0] = type_is_complex(s->type) ? 0 : 2;
    } else {
        corner[0] += type_is_complex(s->type) ? 0 : 1;
        corner[1] += type_is_complex(s->type) ? 1 : 0;
    }
}

static int ascending(const void *a, const void *b)
{
    double const x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static long double pi(void)
{
    return acosl(-1.0L);
}

/* 2 cos(2 pi (k + t) / n): t is the turn of the corner, a quarter in a complex type. */
static void spectrum_ring(int64_t n, bool is_complex, double *w)
{
    for (int64_t k = 0; k < n; ++k) w[k] = 2 * portable_cos2pi(((double)k + (is_complex ? 0.25 : 0)) / (double)n);
    qsort(w, (size_t)n, sizeof *w, ascending);
}

/* min(i, j), i, j = 1..n: the inverse of a second difference. */
static void fill_min(sketch *s, double parameter)
{
    (void)parameter;
    for (int64_t i = 0; i < s->n; ++i)
        for (int64_t j = 0; j <= i; ++j) sketch_at(s, i, j)[0] = (double)(j + 1);
}

static void spectrum_min(int64_t n, bool is_complex, double *w)
{
    (void)is_complex;
    for (int64_t k = 0; k < n; ++k) {
        long double const sine = sinl(pi() * (long double)(2 * (n - k) - 1) / (long double)(4 * n + 2));
        w[k] = (double)(1 / (4 * sine * sine));
    }
}

/* ------------------------------------------------------------------- table */

/* X(name, text, fill, parameter, exact) */
#define KIND_LIST(X)                                                                                                  \
    X("hermitian", "entries uniform in [-1, 1)", fill_uniform, -1, NULL)                                              \
    X("hermitian01", "entries uniform in [0, 1)", fill_uniform, 0, NULL)                                              \
    X("ensemble", "the Gaussian ensembles: GOE, complex GUE", fill_ensemble, 0, NULL)                                 \
    X("ensemble-tiny", "ensemble times 2^-1000 (floats: 2^-100): squares underflow", fill_ensemble, -1000, NULL)      \
    X("ensemble-huge", "ensemble times 2^1000 (floats: 2^100): squares overflow", fill_ensemble, 1000, NULL)          \
    X("arithmetic", "made from eigenvalues equally spaced in [-1, 1]", fill_arithmetic, 0, spectrum_arithmetic)       \
    X("geometric", "made from eigenvalues from 1e-12 to 1, at equal ratios", fill_geometric, 0, spectrum_geometric)   \
    X("clustered", "made from three clusters, neighbours 2^-44 apart", fill_clustered, 0, spectrum_clustered)         \
    X("repeated", "made from the eigenvalues -1, 0 and 2, each repeated", fill_repeated, 0, spectrum_repeated)        \
    X("graded-definite", "D B D, D powers of two from 1 to 2^-20, B well conditioned", fill_graded, 20, NULL)         \
    X("diagonal", "a normal diagonal", fill_diagonal, 0, NULL)                                                        \
    X("rank-one", "v v^H with v normal", fill_rank_one, 0, NULL)                                                      \
    X("ring", "neighbours in a ring; in a complex type a quarter turn around it", fill_ring, 0, spectrum_ring)        \
    X("min", "min(i, j): the inverse of a second difference", fill_min, 0, spectrum_min)                              \
    X("tensor", "diffusion tensors: positive definite, one axis of random direction", matrices_fill_tensor, 0.05,     \
      NULL)                                                                                                           \
    X("covariance", "covariances of 2 n normal samples of n variables", matrices_fill_covariance, 2, NULL)            \
    X("hofstadter", "Hofstadter's model at a flux p/n and a point k, both random", matrices_fill_hofstadter, 0, NULL) \
    X("laplacian", "Laplacians of random graphs, a third of the chords of a ring", matrices_fill_laplacian, 1.0 / 3,  \
      NULL)                                                                                                           \
    X("eye", "the identity", fill_eye, 0, spectrum_eye)                                                               \
    X("zeros", "all zero", fill_zero, 0, spectrum_zero)

#define KIND_NAMES matrices_hermitian_names
#include "kinds.h"

const char *matrices_hermitian_text(const char *kind)
{
    return kind_text(kind);
}

/* Element (i, j) and its mirror, from the lower triangle. */
static void store(const sketch *s, int64_t first, numbers *a)
{
    int64_t const parts = type_is_complex(a->type) ? 2 : 1;
    for (int64_t i = 0; i < s->n; ++i)
        for (int64_t j = 0; j < s->n; ++j)
            for (int64_t part = 0; part < parts; ++part) {
                double const x = (j <= i ? sketch_at(s, i, j) : sketch_at(s, j, i))[part];
                numbers_put_part(a, parts * (first + i * s->n + j) + part, j > i && part == 1 ? -x : x);
            }
}

bool matrices_hermitian(const char *kind, int64_t n, int64_t batch, uint64_t seed, numbers *a, io_error *error)
{
    const struct kind *const found = find_kind(kind);
    if (!found) return io_fail(error, kind, "there is no such kind of matrix");
    size_t const size = n > 0 ? (size_t)n : 1;
    sketch s = {.n = n, .type = a->type};
    s.a = (double *)malloc((2 * size + 4) * size * sizeof *s.a);
    if (!s.a) return io_fail(error, kind, "has order %lld, for which there is not enough memory", (long long)n);
    s.v = s.a + 2 * size * size, s.q = s.v + 2 * size;
    for (int64_t b = 0; b < batch && n > 0; ++b) {
        if (batch > 1) io_tell("making", kind, b, batch);
        memset(s.a, 0, 2 * size * size * sizeof *s.a);
        s.rng = matrices_seed(seed + (uint64_t)b);
        found->fill(&s, found->parameter);
        store(&s, b * n * n, a);
    }
    if (batch > 1) io_tell("making", kind, 1, 1);
    free(s.a);
    return true;
}

bool matrices_hermitian_spectrum(const char *kind, eig_type type, int64_t n, double *w)
{
    const struct kind *const found = find_kind(kind);
    if (!found || !found->exact) return false;
    found->exact(n, type_is_complex(type), w);
    return true;
}
