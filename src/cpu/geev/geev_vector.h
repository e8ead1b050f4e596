/* geev on the CPU, plain code: what is done with one vector, [2n]: its real parts, then its imaginary parts.  Part of
 * geev_vectors.c and geev_repair.c. */
#ifndef EIG_GEEV_VECTOR_H
#define EIG_GEEV_VECTOR_H

#include "gauge.h"
#include "geev.h"
#include "geev_plain.h"

/* The mirrored matrix, and that of which a vector's entries in reverse order are the factors of the columns. */
static geev_view mirrored(geev_view t, int64_t n)
{
    geev_view const v = {t.a + (n - 1) * (t.si + t.sj), -t.sj, -t.si, t.im};
    return v;
}

static geev_view reversed(geev_view q, int64_t n)
{
    geev_view const v = {q.a + (n - 1) * q.sj, q.si, -q.sj, q.im};
    return v;
}

static real entry_re(geev_view v, int64_t i, int64_t j)
{
    return v.a[i * v.si + j * v.sj];
}

static real entry_im(geev_view v, int64_t i, int64_t j)
{
    return EIG_COMPLEX ? v.a[i * v.si + j * v.sj + v.im] : 0;
}

/* The largest part of a vector, and the vector times the power of two that brings it to 1. */
static void bring_to_one(int64_t n, real *x)
{
    real most = 0;
    for (int64_t i = 0; i < 2 * n; ++i) most = fabs(x[i]) > most ? fabs(x[i]) : most;
    real const size = most > REAL_MIN ? most : REAL_MIN;
    real const f = REAL_TYPED(pow2_inverse)(REAL_TYPED(pow2_floor)(size));
    for (int64_t i = 0; i < 2 * n; ++i) x[i] *= f;
}

/* to: Q x, or Q conj(x) for a left vector, whose entries above k are zero. */
static void multiply(geev_view q, const real *x, bool left, int64_t n, int64_t k, real *to)
{
    for (int64_t i = 0; i < 2 * n; ++i) to[i] = 0;
    for (int64_t j = 0; j <= k; ++j) {
        real const re = x[j], im = left ? -x[n + j] : x[n + j];
        for (int64_t i = 0; i < n; ++i) {
            real const a = entry_re(q, i, j), b = entry_im(q, i, j);
            to[i] += EIG_COMPLEX ? a * re - b * im : a * re;
            to[n + i] += EIG_COMPLEX ? a * im + b * re : a * im;
        }
    }
}

/* x with 2-norm 1 and the entry that decides (gauge.inc) real and positive; from: the caller's number of each entry. */
static void normalise(int64_t n, const int64_t *from, real *x)
{
    real sum = 0, most = 0;
    for (int64_t i = 0; i < n; ++i) {
        real const square = x[i] * x[i] + x[n + i] * x[n + i];
        sum += square;
        if (square > most) most = square;
    }
    int64_t place = -1;
    for (int64_t i = 0; i < n; ++i)
        if (x[i] * x[i] + x[n + i] * x[n + i] >= REAL_TYPED(gauge_least_square)(most) &&
            (place < 0 || (from ? from[i] < from[place] : i < place)))
            place = i;
    real const re = place < 0 ? 1 : x[place], im = place < 0 ? 0 : x[n + place];
    real const f = 1 / (sqrt(sum) * sqrt(re * re + im * im)), c = re * f, s = -im * f;
    for (int64_t i = 0; i < n; ++i) {
        real const a = x[i], b = x[n + i];
        x[i] = a * c - b * s, x[n + i] = i == place ? 0 : a * s + b * c;
    }
}

/* |y^H x| */
static real condition_of(int64_t n, const real *y, const real *x)
{
    real re = 0, im = 0;
    for (int64_t i = 0; i < n; ++i) {
        re += y[i] * x[i] + y[n + i] * x[n + i];
        im += y[i] * x[n + i] - y[n + i] * x[i];
    }
    real const size = REAL_TYPED(geev_modulus)(re, im);
    return size < 1 ? size : 1;
}

#endif
