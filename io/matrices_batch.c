/* The named nonsymmetric matrices.  A kind is one function that fills a zeroed n x n matrix in C order, and one row of
 * the table; a second function where the spectrum has a formula. */
#include "matrices_batch.h"
#include "matrices.h"
#include "portable.h"

#include <math.h>
#include <string.h>

/* Fills a; the generator stands at the start of matrix b's own sequence. */
typedef void (*fill)(int64_t n, double parameter, uint64_t seed, matrices_rng *rng, double *a);

/* Fills w with n pairs (re, im). */
typedef void (*exact_spectrum)(int64_t n, double *w);

#define UNUSED(x) ((void)(x))

/* ------------------------------------------------------------------ random */

static void fill_uniform(int64_t n, double parameter, uint64_t seed, matrices_rng *rng, double *a)
{
    UNUSED(parameter), UNUSED(seed);
    for (int64_t k = 0; k < n * n; ++k) a[k] = matrices_uniform(rng);
}

static void fill_normal(int64_t n, double parameter, uint64_t seed, matrices_rng *rng, double *a)
{
    UNUSED(parameter), UNUSED(seed);
    for (int64_t k = 0; k < n * n; ++k) a[k] = matrices_normal(rng);
}

/* D R D^-1 with R normal and D of powers of two from 2^-width to 2^width: balancing undoes it. */
static void fill_scaled(int64_t n, double width, uint64_t seed, matrices_rng *rng, double *a)
{
    fill_normal(n, 0, seed, rng, a);
    for (int64_t i = 0; i < n; ++i) {
        int const exponent = (int)floor((2 * matrices_uniform(rng) - 1) * width);
        for (int64_t j = 0; j < n; ++j) {
            a[i * n + j] = ldexp(a[i * n + j], exponent);
            a[j * n + i] = ldexp(a[j * n + i], -exponent);
        }
    }
}

/* A plant x' = A0 x + B u, y = C x, three inputs and outputs, closed by u = -diag(k1, k2, k3) y: the family that a
 * search over three gains has to evaluate.  A0 is normal over sqrt(n), moved left by 1. */
static void fill_closed_loop(int64_t n, double gain, uint64_t seed, matrices_rng *rng, double *a)
{
    enum { GAINS = 3 };
    double const unit = 1 / sqrt((double)n);
    matrices_rng plant = matrices_seed(seed);
    for (int64_t k = 0; k < n * n; ++k) a[k] = unit * matrices_normal(&plant);
    for (int64_t i = 0; i < n; ++i) a[i * n + i] -= 1;
    for (int g = 0; g < GAINS; ++g) {
        /* Input g acts on states g, g + 3, ...; output g is one random combination of all states. */
        double const k = gain * matrices_uniform(rng);
        for (int64_t j = 0; j < n; ++j) {
            double const c = k * unit * matrices_normal(&plant);
            for (int64_t i = g; i < n; i += GAINS) a[i * n + j] -= c;
        }
    }
}

/* The companion matrix of a polynomial with normal coefficients. */
static void fill_companion(int64_t n, double parameter, uint64_t seed, matrices_rng *rng, double *a)
{
    UNUSED(parameter), UNUSED(seed);
    for (int64_t j = 0; j < n; ++j) a[j] = -matrices_normal(rng);
    for (int64_t i = 1; i < n; ++i) a[i * n + i - 1] = 1;
}

static void fill_triangular(int64_t n, double parameter, uint64_t seed, matrices_rng *rng, double *a)
{
    UNUSED(parameter), UNUSED(seed);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = i; j < n; ++j) a[i * n + j] = matrices_normal(rng);
}

/* A product of plane rotations: an orthogonal Hessenberg matrix, all eigenvalues on the unit circle. */
static void fill_orthogonal(int64_t n, double parameter, uint64_t seed, matrices_rng *rng, double *a)
{
    UNUSED(parameter), UNUSED(seed);
    for (int64_t i = 0; i < n; ++i) a[i * n + i] = 1;
    for (int64_t k = 0; k + 1 < n; ++k) {
        double const turn = matrices_uniform(rng), c = portable_cos2pi(turn), s = portable_cos2pi(turn - 0.25);
        for (int64_t i = 0; i < n; ++i) {
            double const x = a[i * n + k], y = a[i * n + k + 1];
            a[i * n + k] = c * x + s * y;
            a[i * n + k + 1] = c * y - s * x;
        }
    }
}

/* Entries 10^(g_i + g_j) times a uniform number, with g from -range/2 to range/2. */
static void fill_graded(int64_t n, double range, uint64_t seed, matrices_rng *rng, double *a)
{
    UNUSED(seed);
    double const step = n > 1 ? range / (double)(n - 1) : 0, octaves = 3.3219280948873623;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
            a[i * n + j] =
                (0.5 + matrices_uniform(rng)) * portable_exp2(octaves * 0.5 * (step * (double)(i + j) - range));
}

/* -------------------------------------------------------------- structured */

/* F. Frank, J. SIAM 6 (1958): upper Hessenberg, eigenvalues real, positive and in pairs x, 1/x, the small ones
 * ill-conditioned. */
static void fill_frank(int64_t n, double parameter, uint64_t seed, matrices_rng *rng, double *a)
{
    UNUSED(parameter), UNUSED(seed), UNUSED(rng);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = i > 0 ? i - 1 : 0; j < n; ++j) a[i * n + j] = (double)(n - (i > j ? i : j));
}

/* J. Grcar (1989): Toeplitz, -1 below the diagonal, 1 on it and on the three diagonals above it. */
static void fill_grcar(int64_t n, double parameter, uint64_t seed, matrices_rng *rng, double *a)
{
    UNUSED(parameter), UNUSED(seed), UNUSED(rng);
    for (int64_t i = 0; i < n; ++i) {
        if (i > 0) a[i * n + i - 1] = -1;
        for (int64_t j = i; j < n && j <= i + 3; ++j) a[i * n + j] = 1;
    }
}

/* One Jordan block of the eigenvalue 1, hidden by a random reflection on both sides. */
static void fill_jordan(int64_t n, double parameter, uint64_t seed, matrices_rng *rng, double *a)
{
    enum { MOST = 4096 };
    UNUSED(parameter), UNUSED(seed);
    for (int64_t i = 0; i < n; ++i) {
        a[i * n + i] = 1;
        if (i + 1 < n) a[i * n + i + 1] = 1;
    }
    if (n < 2 || n > MOST) return;
    double v[MOST], square = 0;
    for (int64_t i = 0; i < n; ++i) v[i] = matrices_normal(rng), square += v[i] * v[i];
    for (int side = 0; side < 2; ++side) {
        for (int64_t j = 0; j < n; ++j) {
            double *const x = side == 0 ? a + j : a + j * n;
            int64_t const step = side == 0 ? n : 1;
            double dot = 0;
            for (int64_t i = 0; i < n; ++i) dot += v[i] * x[i * step];
            for (int64_t i = 0; i < n; ++i) x[i * step] -= 2 * dot / square * v[i];
        }
    }
}

/* W. Kahan, Canad. Math. Bull. 9 (1966): triangular, rows s^i (1, -c, ..., -c) with s = sin, c = cos of 1.2. */
static void fill_kahan(int64_t n, double parameter, uint64_t seed, matrices_rng *rng, double *a)
{
    UNUSED(parameter), UNUSED(seed), UNUSED(rng);
    double const c = 0.36235775447667362, s = 0.93203908596722629;
    double scale = 1;
    for (int64_t i = 0; i < n; ++i, scale *= s) {
        a[i * n + i] = scale;
        for (int64_t j = i + 1; j < n; ++j) a[i * n + j] = -c * scale;
    }
}

/* The cyclic permutation, with `corner` in place of its last 1.  It is orthogonal, and the shifts taken from it are
 * zero: QR steps without exceptional shifts leave it as it is.  S. Batterson, Linear Algebra Appl. 207 (1994), on such
 * normal matrices. */
static void fill_cyclic(int64_t n, double corner, uint64_t seed, matrices_rng *rng, double *a)
{
    UNUSED(seed), UNUSED(rng);
    for (int64_t i = 1; i < n; ++i) a[i * n + i - 1] = 1;
    if (n > 0) a[n - 1] = corner;
}

/* D. Day, Sandia report 96-0913 (1996): blocks [0 1; 1 0] in a weak cycle, on which shifted QR wanders. */
static void fill_day(int64_t n, double weak, uint64_t seed, matrices_rng *rng, double *a)
{
    UNUSED(seed), UNUSED(rng);
    for (int64_t i = 1; i < n; ++i) a[i * n + i - 1] = i % 2 ? 1 : weak;
    for (int64_t i = 0; i + 1 < n; i += 2) a[i * n + i + 1] = 1;
    if (n > 2) a[n - 1] += weak;
}

/* P. Clement, SIAM Review 1 (1959): zero diagonal, 1, 2, ..., n-1 above it and n-1, ..., 1 below it. */
static void fill_clement(int64_t n, double parameter, uint64_t seed, matrices_rng *rng, double *a)
{
    UNUSED(parameter), UNUSED(seed), UNUSED(rng);
    for (int64_t i = 0; i + 1 < n; ++i) {
        a[i * n + i + 1] = (double)(i + 1);
        a[(i + 1) * n + i] = (double)(n - 1 - i);
    }
}

static void fill_zero(int64_t n, double parameter, uint64_t seed, matrices_rng *rng, double *a)
{
    UNUSED(n), UNUSED(parameter), UNUSED(seed), UNUSED(rng), UNUSED(a);
}

/* ------------------------------------------------------------------ spectra */

static void spectrum_clement(int64_t n, double *w)
{
    for (int64_t k = 0; k < n; ++k) w[2 * k] = (double)(n - 1 - 2 * k), w[2 * k + 1] = 0;
}

/* The n-th roots of 1 (shift 0) or -1 (shift 1/2): turns (k + shift) / n, a pair k and its mirror adjacent. */
static void roots(int64_t n, double shift, double *w)
{
    int64_t at = 0;
    for (int64_t k = 0; k < n && at < n; ++k) {
        double const turn = ((double)k + shift) / (double)n, re = portable_cos2pi(turn);
        bool const is_real = turn == 0 || turn == 0.5;
        double const im = is_real ? 0 : portable_cos2pi(turn - 0.25);
        w[2 * at] = re, w[2 * at + 1] = im, ++at;
        if (!is_real) w[2 * at] = re, w[2 * at + 1] = -im, ++at;
    }
}

static void spectrum_cyclic(int64_t n, double *w)
{
    roots(n, 0, w);
}

static void spectrum_anticyclic(int64_t n, double *w)
{
    roots(n, 0.5, w);
}

static void spectrum_kahan(int64_t n, double *w)
{
    double scale = 1;
    for (int64_t k = 0; k < n; ++k, scale *= 0.93203908596722629) w[2 * k] = scale, w[2 * k + 1] = 0;
}

static void spectrum_zero(int64_t n, double *w)
{
    for (int64_t k = 0; k < 2 * n; ++k) w[k] = 0;
}

/* -------------------------------------------------------------------- table */

/* X(name, text, fill, parameter, exact) */
#define KIND_LIST(X)                                                                                                   \
    X("random", "entries uniform in [0, 1)", fill_uniform, 0, NULL)                                                    \
    X("gaussian", "entries normal, mean 0, deviation 1", fill_normal, 0, NULL)                                         \
    X("closed-loop", "a random plant under feedback with three gains in [0, 4)", fill_closed_loop, 4, NULL)            \
    X("companion", "companion matrices of polynomials with normal coefficients", fill_companion, 0, NULL)              \
    X("frank", "Frank's matrix: real eigenvalues in pairs x, 1/x", fill_frank, 0, NULL)                                \
    X("grcar", "Grcar's Toeplitz matrix: sensitive complex eigenvalues", fill_grcar, 0, NULL)                          \
    X("jordan", "one Jordan block of the eigenvalue 1, hidden by a reflection", fill_jordan, 0, NULL)                  \
    X("kahan", "Kahan's triangular matrix", fill_kahan, 0, spectrum_kahan)                                             \
    X("cyclic", "the cyclic permutation: roots of 1", fill_cyclic, 1, spectrum_cyclic)                                 \
    X("anticyclic", "the cyclic permutation with -1 in the corner: roots of -1", fill_cyclic, -1, spectrum_anticyclic) \
    X("day", "Day's blocks [0 1; 1 0] in a cycle of 1e-6: hard for shifted QR", fill_day, 1e-6, NULL)                  \
    X("orthogonal", "random orthogonal Hessenberg matrices: |w| = 1", fill_orthogonal, 0, NULL)                        \
    X("kac", "the Sylvester-Kac (Clement) matrix, not made symmetric: integers", fill_clement, 0, spectrum_clement)    \
    X("badly-scaled", "D R D^-1, R normal, D powers of two from 2^-30 to 2^30", fill_scaled, 30, NULL)                 \
    X("graded-full", "entries from 1e-150 to 1e150", fill_graded, 300, NULL)                                           \
    X("triangular", "upper triangular, normal", fill_triangular, 0, NULL)                                              \
    X("null", "all zero", fill_zero, 0, spectrum_zero)

#define KIND_NAMES matrices_nonsymmetric_names
#include "kinds.h"

const char *matrices_nonsymmetric_text(const char *kind)
{
    return kind_text(kind);
}

bool matrices_nonsymmetric_part(const char *kind, int64_t n, int64_t first, int64_t count, uint64_t seed, double *a)
{
    const struct kind *const found = find_kind(kind);
    if (!found) return false;
    for (int64_t b = 0; b < count; ++b) {
        double *const matrix = a + b * n * n;
        matrices_rng rng = matrices_seed(seed + (uint64_t)(first + b));
        if (count > 1) io_tell("making", kind, b, count);
        for (int64_t k = 0; k < n * n; ++k) matrix[k] = 0;
        if (n > 0) found->fill(n, found->parameter, seed, &rng, matrix);
    }
    if (count > 1) io_tell("making", kind, 1, 1);
    return true;
}

bool matrices_nonsymmetric(const char *kind, int64_t n, int64_t batch, uint64_t seed, double *a)
{
    return matrices_nonsymmetric_part(kind, n, 0, batch, seed, a);
}

bool matrices_nonsymmetric_spectrum(const char *kind, int64_t n, double *w)
{
    const struct kind *const found = find_kind(kind);
    if (!found || !found->exact) return false;
    found->exact(n, w);
    return true;
}
