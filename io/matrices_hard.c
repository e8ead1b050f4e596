/* Tridiagonal matrices with prescribed spectra. */
#include "matrices_hard.h"
#include "portable.h"

#include <float.h>
#include <math.h>

void hard_spectrum(int mode, int64_t n, double condition, matrices_rng *rng, double *w)
{
    double const least = 1 / condition, bits = portable_log(condition) / 0.69314718055994531;
    for (int64_t i = 0; i < n; ++i) {
        double const part = n > 1 ? (double)i / (double)(n - 1) : 0;
        double const values[HARD_MODES] = {i == 0 ? 1 : least,
                                           i < n - 1 || n == 1 ? 1 : least,
                                           portable_exp2(-bits * part),
                                           1 - part * (1 - least),
                                           mode == 5 ? portable_exp2(-bits * matrices_uniform(rng)) : 0,
                                           mode == 6 ? matrices_normal(rng) : 0,
                                           i < n - 1 ? DBL_EPSILON * (double)(i + 1) : 1,
                                           i == 0      ? DBL_EPSILON
                                           : i < n - 1 ? 1 + 0x1p-26 * (double)(i + 1)
                                                       : 2,
                                           1 + 100 * DBL_EPSILON * (double)i};
        w[i] = values[mode - 1];
    }
}

/* Nodes come one after the other, each by a sweep of rotations; here the off-diagonals are squares. */
static void add_node(int64_t i, double node, double weight, double *x, double *w)
{
    double gamma = 1, sigma = 0, t = 0;
    for (int64_t k = 0; k <= i; ++k) {
        double const rho = w[k] + weight, next = gamma * rho, before = sigma;
        gamma = rho > 0 ? w[k] / rho : 1;
        sigma = rho > 0 ? weight / rho : 0;
        double const step = sigma * (x[k] - node) - gamma * t;
        x[k] -= step - t;
        t = step;
        weight = sigma > 0 ? t * t / sigma : before * w[k];
        w[k] = next;
    }
}

void hard_inverse(int64_t n, double *x, double *w, matrices_rng *rng, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) {
        double const component = matrices_normal(rng), weight = component * component;
        w[i] = i == 0 ? weight : 0;
        if (i > 0) add_node(i, x[i], weight, x, w);
    }
    for (int64_t i = 0; i < n; ++i) d[i] = x[i];
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = sqrt(w[i + 1]);
}
