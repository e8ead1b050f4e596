/* stebz on the CPU: Sturm counts of many shifts at once by pivots, and the next shifts inside many brackets.  Both are
 * in double for either type.  Compiled once for each instruction set.
 *
 * Mapping   as in stebz_product.c: a SIMD lane is a shift, and several vectors of shifts are in flight.
 * Cost      a division a row and vector.
 * Promises  a lane's result depends on its shift or its bracket alone.
 *
 * Everything here is static but the table at the end, so that no other file can link to this ISA's code. */
#include "stebz_kernels.h"

#include "bracket.h"
#include "simd.h"

enum { VECTORS = 4 }; /* of shifts in flight */

/* sturm_pivot, a vector at a time. */
SIMD_FN void count_vectors(const stebz_matrix *t, int const vectors, int first, stebz_counts *c)
{
    const double *a = t->a, *b = t->b;
    vreal const least = simd_splat(DBL_TRUE_MIN);
    vreal x[VECTORS], q[VECTORS];
    vint count[VECTORS];
    for (int v = 0; v < vectors; ++v) {
        for (int l = 0; l < SIMD_LANES; ++l) x[v][l] = c->x[first + v * SIMD_LANES + l];
        q[v] = simd_splat(1), count[v] = (vint){0};
    }
    for (int64_t i = 0; i < t->n; ++i) {
        vreal const ai = simd_splat(a[i]), bi = simd_splat(b[i]);
        for (int v = 0; v < vectors; ++v) {
            vreal const next = (ai - x[v]) - bi * (bi / q[v]);
            q[v] = simd_select(next == 0, least, next);
            count[v] -= (vint)q[v] < 0;
        }
    }
    for (int v = 0; v < vectors; ++v)
        for (int l = 0; l < SIMD_LANES; ++l) c->count[first + v * SIMD_LANES + l] = count[v][l];
}

static void count_shifts(const stebz_matrix *t, int shifts, stebz_counts *c)
{
    for (int first = 0; first < shifts; first += VECTORS * SIMD_LANES) {
        if (shifts - first <= SIMD_LANES)
            count_vectors(t, 1, first, c);
        else
            count_vectors(t, VECTORS, first, c);
    }
}

static void points(const stebz_ends *k, int lanes, double abstol, double reltol, double *x)
{
#pragma omp simd
    for (int l = 0; l < lanes; ++l) {
        double const xa = k->xa[l], xb = k->xb[l];
        double const size = fabs(xa) > fabs(xb) ? fabs(xa) : fabs(xb);
        double const width = abstol > reltol * size ? abstol : reltol * size;
        x[l] = bracket_point(xa, k->ma[l], k->ea[l], xb, k->mb[l], k->eb[l], k->xc[l], k->mc[l], k->ec[l],
                             (int)k->has_c[l], (int)k->interpolate[l], width);
    }
}

const stebz_pivot ISA_TYPED(eig_cpu_stebz_pivot) = {
    .shifts = VECTORS * SIMD_LANES, .count = count_shifts, .points = points};
