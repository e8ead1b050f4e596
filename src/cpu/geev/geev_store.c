/* geev on the CPU, plain code: the results of a matrix, from planes of real and imaginary parts to the caller's arrays.
 * Compiled once for each type. */
#include "geev_plain.h"

#include "geev.h"

int TYPED(eig_cpu_geev_store)(const geev_problem *p, int64_t b, const real *re, const real *im, int64_t step,
                              real unscale, int info)
{
    int64_t const n = p->n;
    real *const w = p->w ? (real *)p->w + 2 * b * p->stride_w : NULL;
    bool const tests = p->certify && info == 0;
    real measure = 0;
    for (int64_t k = 0; k < n; ++k) {
        /* Adding zero makes -0 to 0: the sign of a zero may depend on the other lanes of a tile. */
        real x = REAL_TYPED(unscaled)((real)n, re[k * step], unscale) + (real)0;
        real y = REAL_TYPED(unscaled)((real)n, im[k * step], unscale) + (real)0;
        if (tests && !(isfinite(x) && isfinite(y))) x = y = (real)NAN, info = (int)(k + 1);
        if (w) w[2 * k] = x, w[2 * k + 1] = y;
        if (p->value) measure = REAL_TYPED(geev_measure)(p->measure, measure, x, y, k == 0);
    }
    if (p->value) ((real *)p->value)[b] = info == 0 ? measure : (real)NAN;
    if (p->info) p->info[b] = info;
    return info;
}

void TYPED(eig_cpu_geev_conjugate)(const geev_problem *p, int64_t b)
{
    real *const vectors[] = {p->vl ? (real *)p->vl + 2 * b * p->stride_vl : NULL,
                             p->vr ? (real *)p->vr + 2 * b * p->stride_vr : NULL};
    int64_t const ld[] = {p->ldvl, p->ldvr};
    for (int side = 0; side < 2; ++side)
        for (int64_t k = 0; vectors[side] && k < p->n; ++k)
            for (int64_t i = 0; i < p->n; ++i) {
                real *const x = vectors[side] + 2 * (k * ld[side] + i);
                x[1] = (real)0 - x[1];
            }
}
