/* geev on the CPU, plain code: the certificate of the eigenvalues of one matrix, by its traces (certificate.inc). 
 * Compiled once for each type. */
#include "geev.h"
#include "geev_plain.h"

/* Adds the product of two numbers. */
static void add_product(const real *x, const real *y, int64_t im, real factor, real *sum)
{
    real const a = x[0] * factor, b = y[0] * factor, c = EIG_COMPLEX ? x[im] * factor : 0,
               d = EIG_COMPLEX ? y[im] * factor : 0;
    sum[0] += EIG_COMPLEX ? a * b - c * d : a * b;
    sum[1] += EIG_COMPLEX ? a * d + b * c : 0;
}

/* What the iteration takes for zero, SAFMIN n / eps, is eps of this norm: a matrix with a smaller one, which only
 * balancing can have made, is solved as well as one of it. */
static real least_norm(const geev_schur *s)
{
    return REAL_MIN / (REAL_EPSILON * REAL_EPSILON) * (real)(s->hi - s->lo + 1);
}

/* Sums go over a column first, then over the columns: their rounding errors grow with n, not with n^2. */
geev_traces TYPED(eig_cpu_geev_traces)(const geev_schur *s)
{
    geev_view const t = s->t;
    real const large = geev_largest_of(t, s->lo, s->hi, s->hi), most = large < 1 / REAL_MIN ? large : 1 / REAL_MIN;
    geev_traces sum = {.factor = REAL_TYPED(pow2_inverse)(REAL_TYPED(pow2_floor)(most > REAL_MIN ? most : REAL_MIN))};
    real const least = least_norm(s) * sum.factor;
    sum.square = least * least;
    for (int64_t j = s->lo; j <= s->hi; ++j) {
        real square = 0, crossed[2] = {0}, diagonal[2] = {0};
        const real *const column = t.a + j * t.sj, *const row = t.a + j * t.si, *const d = column + j * t.si;
        for (int64_t i = s->lo; i <= s->hi; ++i)
            for (int part = 0; part < GEEV_PARTS; ++part) {
                real const x = column[i * t.si + part * t.im] * sum.factor;
                square += x * x;
            }
        for (int64_t i = s->lo; i < j; ++i) add_product(column + i * t.si, row + i * t.sj, t.im, sum.factor, crossed);
        add_product(d, d, t.im, sum.factor, diagonal);
        sum.square += square;
        for (int part = 0; part < GEEV_PARTS; ++part) {
            sum.first[part] += d[part * t.im] * sum.factor;
            sum.second[part] += 2 * crossed[part] + diagonal[part];
        }
    }
    return sum;
}

bool TYPED(eig_cpu_geev_has_traces)(const geev_schur *s, const geev_traces *traces)
{
    real first[2] = {0}, second[2] = {0};
    for (int64_t k = s->lo; k <= s->hi; ++k) {
        real const re = s->re[k] * traces->factor, im = s->im[k] * traces->factor;
        first[0] += re, first[1] += im;
        second[0] += re * re - im * im, second[1] += 2 * re * im;
    }
    return REAL_TYPED(geev_has_traces)((real)(s->hi - s->lo + 1), traces->square, first[0] - traces->first[0],
                                       first[1] - traces->first[1], second[0] - traces->second[0],
                                       second[1] - traces->second[1]);
}
