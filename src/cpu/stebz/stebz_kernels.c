/* stebz on the CPU: Sturm counts of many shifts at once.  Compiled once per instruction set (EIG_ISA).
 *
 * Mapping   a SIMD lane is a shift; several vectors of shifts are in flight, to cover the latency of the FMA chain
 *           (one a row), and the matrix is read once for all of them, a row being broadcast.
 * Memory    16 bytes a row in double, 8 in float, streamed; the state of the recurrence stays in registers.
 * Cost      product form: 2 FMA and a sign capture a row and vector (one shift instruction with AVX-512 VBMI2, three
 *           operations else), plus about 14 operations every 16 rows.  Pivot form: a division a row and vector.
 * Promises  a lane's result depends on its shift alone, so results do not depend on how shifts are grouped.  Variants
 *           with FMA give equal bits; the baseline of x86-64 has no FMA and may differ in the last place.
 *
 * Everything here is static but the table at the end, so that no other file can link to this ISA's code. */
#include "stebz_kernels.h"

#include "bracket.h"
#include "simd.h"

#include <stdbool.h>
#include <string.h>

/* Words for the template: the vector of reals, its integer twin, and how the pieces are called. */
#define vreal vf
#define vint vi
#define FIELD_SHIFT 23
#define FIELD_MASK 0xff
#define FIELD_BIAS 127
#define simd_fma simd_fma_s
#define simd_push_sign simd_push_sign_s
#define simd_popcount16 simd_popcount16_i
#define simd_select simd_select_i
#define real float
#define NAME(f) f##_s
#include "stebz_kernels.inc"

#define vreal vd
#define vint vl
#define FIELD_SHIFT 52
#define FIELD_MASK 0x7ff
#define FIELD_BIAS 1023
#define simd_fma simd_fma_d
#define simd_push_sign simd_push_sign_d
#define simd_popcount16 simd_popcount16_l
#define simd_select simd_select_l
#define real double
#define NAME(f) f##_d
#include "stebz_kernels.inc"

/* sturm_pivot, a vector at a time, in double for both precisions; a comparison is -1 where it holds. */
SIMD_FN void count_pivot_vectors(const stebz_matrix *t, int const vectors, int first, stebz_counts *c)
{
    const double *a = t->a, *b = t->b;
    vd const pivmin = splat_d(t->pivmin);
    vl const sign = (vl)splat_d(-0.0);
    vd x[VECTORS], q[VECTORS];
    vl count[VECTORS];
    for (int v = 0; v < vectors; ++v) {
        for (int l = 0; l < WIDTH_d; ++l) x[v][l] = c->x[first + v * WIDTH_d + l];
        q[v] = splat_d(1), count[v] = (vl){0};
    }
    for (int64_t i = 0; i < t->n; ++i) {
        vd const ai = splat_d(a[i]), bi = splat_d(b[i]);
        for (int v = 0; v < vectors; ++v) {
            vd const next = (ai - x[v]) - bi * (bi / q[v]);
            vl const small = (vd)((vl)next & ~sign) < pivmin;
            q[v] = (vd)simd_select_l(small, (vl)pivmin, (vl)next);
            count[v] -= (vl)q[v] < 0;
        }
    }
    for (int v = 0; v < vectors; ++v)
        for (int l = 0; l < WIDTH_d; ++l) c->count[first + v * WIDTH_d + l] = count[v][l];
}

static void count_pivot(const stebz_matrix *t, int lanes, stebz_counts *c)
{
    for (int first = 0; first < lanes; first += VECTORS * WIDTH_d) {
        if (lanes - first <= WIDTH_d)
            count_pivot_vectors(t, 1, first, c);
        else
            count_pivot_vectors(t, VECTORS, first, c);
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

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

const stebz_kernels PASTE(stebz_kernels_, EIG_ISA) = {
    .isa = TEXT(EIG_ISA),
    .lanes_s = VECTORS * (int)(SIMD_BYTES / sizeof(float)),
    .lanes_d = VECTORS * (int)(SIMD_BYTES / sizeof(double)),
    .count_product_s = count_product_s,
    .count_product_d = count_product_d,
    .count_pivot = count_pivot,
    .points = points,
};
