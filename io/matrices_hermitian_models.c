/* Hermitian matrices that come in batches in practice: a voxel, a window of samples, a point of a Brillouin zone, a
 * graph. */
#include "hermitian_sketch.h"
#include "portable.h"

#include <math.h>

/* A diffusion tensor as magnetic resonance measures it, in 1e-3 mm^2/s: 0.3 across a fibre of random direction, from
 * 0.5 to 1.9 along it, and noise beside and on the diagonal.  With an order other than 3: one axis among n. */
void matrices_fill_tensor(sketch *s, double noise)
{
    double const across = 0.3, along = 0.2 + 1.4 * matrices_uniform(&s->rng), step = noise / sqrt((double)s->n);
    double square = 0;
    for (int64_t i = 0; i < s->n; ++i) {
        double *const x = s->v + 2 * i;
        sketch_normal(s, x);
        square += x[0] * x[0] + x[1] * x[1];
    }
    for (int64_t i = 0; i < s->n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            double *const x = sketch_at(s, i, j);
            x[0] = step * (2 * matrices_uniform(&s->rng) - 1);
            if (i != j && type_is_complex(s->type)) x[1] = step * (2 * matrices_uniform(&s->rng) - 1);
            if (i == j) x[0] += across;
        }
    sketch_add_square(s, square > 0 ? along / square : 0);
}

/* The covariance of as many samples for each variable, all normal of variance 1: with m samples for each of n variables
 * the eigenvalues fill [(1 - 1/sqrt(m))^2, (1 + 1/sqrt(m))^2] as n grows (V. Marchenko and L. Pastur, 1967). */
void matrices_fill_covariance(sketch *s, double samples)
{
    int64_t const count = (int64_t)samples * s->n;
    double const variance = type_is_complex(s->type) ? 2 : 1;
    for (int64_t k = 0; k < count; ++k) {
        for (int64_t i = 0; i < s->n; ++i) sketch_normal(s, s->v + 2 * i);
        sketch_add_square(s, 1 / (variance * (double)count));
    }
}

/* An electron on a square lattice in a magnetic field (D. Hofstadter, Phys. Rev. B 14, 1976): flux p/n a cell, p from 1 to
 * n-1, so that n sites in a row make one magnetic cell; at a random point (x, y) of the Brillouin zone, in turns:
 *
 *     d[j] = 2 cos(2 pi (p j / n + y)), neighbours joined by 1, the last site and the first one by exp(2 pi i n x).
 *
 * In a real type x is 0.  A seed gives the same p, x and y in every type. */
void matrices_fill_hofstadter(sketch *s, double parameter)
{
    int64_t const n = s->n;
    double const flux = n > 1 ? 1 + floor(matrices_uniform(&s->rng) * (double)(n - 1)) : 0;
    double const x = matrices_uniform(&s->rng), y = matrices_uniform(&s->rng);
    double const turn = type_is_complex(s->type) ? (double)n * x : 0;
    (void)parameter;
    for (int64_t j = 0; j < n; ++j)
        sketch_at(s, j, j)[0] = 2 * portable_cos2pi(fmod(flux * (double)j, (double)n) / (double)n + y);
    for (int64_t j = 1; j < n; ++j) sketch_at(s, j, j - 1)[0] = 1;
    double *const corner = sketch_at(s, n - 1, 0);
    corner[0] += n == 1 ? 2 * portable_cos2pi(turn) : portable_cos2pi(turn);
    if (n > 1 && type_is_complex(s->type)) corner[1] += portable_cos2pi(turn - 0.25);
}

/* The Laplacian of a random graph: a ring, so that all hangs together, and a share of the chords; weights uniform in
 * (0, 1].  In a complex type each place has a phase of its own, which changes no eigenvalue. */
void matrices_fill_laplacian(sketch *s, double share)
{
    int64_t const n = s->n;
    for (int64_t i = 0; i < n; ++i) {
        double const turn = type_is_complex(s->type) ? matrices_uniform(&s->rng) : 0;
        s->v[2 * i] = portable_cos2pi(turn),
                 s->v[2 * i + 1] = type_is_complex(s->type) ? portable_cos2pi(turn - 0.25) : 0;
    }
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < i; ++j) {
            bool const joined = matrices_uniform(&s->rng) < share || i - j == 1 || i - j == n - 1;
            double const weight = joined ? 1 - matrices_uniform(&s->rng) : 0;
            const double *const x = s->v + 2 * i, *const y = s->v + 2 * j;
            sketch_at(s, i, j)[0] = -weight * (x[0] * y[0] + x[1] * y[1]);
            sketch_at(s, i, j)[1] = -weight * (x[1] * y[0] - x[0] * y[1]);
            sketch_at(s, i, i)[0] += weight, sketch_at(s, j, j)[0] += weight;
        }
}
