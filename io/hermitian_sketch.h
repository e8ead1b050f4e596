/* A Hermitian test matrix under construction: what the files of the kinds share.  A kind fills the lower triangle of a
 * zeroed n x n matrix of pairs (re, im) in C order.  In a real type all imaginary parts stay 0. */
#ifndef EIG_HERMITIAN_SKETCH_H
#define EIG_HERMITIAN_SKETCH_H

#include "matrices.h"
#include "numbers.h"

/* Element (i, j) is a[2*(i*n + j)] and the number behind it. */
typedef struct sketch {
    int64_t n;
    eig_type type;
    matrices_rng rng;
    double *a, *v, *q; /* v and q: room for vectors of n pairs */
} sketch;

static inline double *sketch_at(const sketch *s, int64_t i, int64_t j)
{
    return s->a + 2 * (i * s->n + j);
}

/* A number of the type with normal parts. */
static inline void sketch_normal(sketch *s, double *x)
{
    x[0] = matrices_normal(&s->rng);
    x[1] = type_is_complex(s->type) ? matrices_normal(&s->rng) : 0;
}

/* Adds factor v v^H. */
static inline void sketch_add_square(sketch *s, double factor)
{
    for (int64_t i = 0; i < s->n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            const double *const x = s->v + 2 * i, *const y = s->v + 2 * j;
            sketch_at(s, i, j)[0] += factor * (x[0] * y[0] + x[1] * y[1]);
            sketch_at(s, i, j)[1] += i == j ? 0 : factor * (x[1] * y[0] - x[0] * y[1]);
        }
}

/* matrices_hermitian_models.c: what batches are made of in practice.  The parameter is the row's of the table. */
void matrices_fill_tensor(sketch *s, double noise);
void matrices_fill_covariance(sketch *s, double samples);
void matrices_fill_hofstadter(sketch *s, double parameter);
void matrices_fill_laplacian(sketch *s, double share);

#endif
