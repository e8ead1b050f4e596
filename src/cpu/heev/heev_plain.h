/* heev on the CPU: a matrix in planes of real and imaginary parts, from and to the caller's arrays. Plain code of
 * one type, which the files of heev share. */
#ifndef EIG_HEEV_PLAIN_H
#define EIG_HEEV_PLAIN_H

#include "gauge.h"
#include "heev.h"
#include "heev_cpu.h"
#include "simd.h"

/* Element (i, j) at i + j*ld of each plane; im is NULL where the type is real. */
typedef struct heev_matrix {
    int64_t n, ld;
    real *re, *im;
} heev_matrix;

enum { HEEV_PARTS = EIG_COMPLEX ? 2 : 1 };

/* Takes the planes of an n x n matrix from *work, and moves it behind them. */
static inline heev_matrix heev_take(int64_t n, real **work)
{
    heev_matrix m = {.n = n, .ld = heev_column(n), .re = *work};
    *work += n * m.ld;
    if (EIG_COMPLEX) m.im = *work, *work += n * m.ld;
    return m;
}

static inline void heev_identity(heev_matrix v)
{
    for (int64_t j = 0; j < v.n; ++j) {
        for (int64_t i = 0; i < v.n; ++i) {
            v.re[i + j * v.ld] = i == j;
            if (EIG_COMPLEX) v.im[i + j * v.ld] = 0;
        }
    }
}

/* Loads both triangles of matrix b from the one that the call names, scaled by *scale. Returns false where it holds
 * a NaN or an infinity. Adding zero makes -0 to 0, so that either triangle gives the same bits. */
static inline bool heev_load(const heev_problem *p, int64_t b, heev_matrix m, real *scale)
{
    batch_strides const s = heev_strides_of(p);
    const real *const a = (const real *)p->a + HEEV_PARTS * b * s.b;
    real most = 0;
    bool finite = true;
    for (int64_t j = 0; j < m.n; ++j) {
        for (int64_t i = j; i < m.n; ++i) {
            const real *const from = a + HEEV_PARTS * (p->upper ? j * s.i + i * s.j : i * s.i + j * s.j);
            real const re = from[0],
                       im = EIG_COMPLEX && i > j ? (p->upper ? -from[HEEV_PARTS - 1] : from[HEEV_PARTS - 1]) : 0;
            m.re[i + j * m.ld] = re + (real)0;
            if (EIG_COMPLEX) m.im[i + j * m.ld] = im + (real)0;
            finite = finite && isfinite(re) && isfinite(im);
            most = fabs(re) > most ? fabs(re) : most;
            most = fabs(im) > most ? fabs(im) : most;
        }
    }
    if (!finite) return false;
    *scale = p->relative ? REAL_TYPED(heev_scale_relative)(most) : REAL_TYPED(heev_scale)(most);
    for (int64_t j = 0; j < m.n; ++j) {
        for (int64_t i = j; i < m.n; ++i) {
            real const re = m.re[i + j * m.ld] * *scale;
            m.re[i + j * m.ld] = m.re[j + i * m.ld] = re;
            if (!EIG_COMPLEX) continue;
            real const im = m.im[i + j * m.ld] * *scale;
            m.im[i + j * m.ld] = im, m.im[j + i * m.ld] = -im;
        }
    }
    return true;
}

/* The row of a vector whose component decides its sign or phase (gauge.inc), and the number c + i s that makes it real.
 * */
typedef struct heev_turn {
    int64_t row;
    real c, s;
} heev_turn;

/* |x|; of a complex number its square. */
static inline real heev_size(real re, real im)
{
    return EIG_COMPLEX ? fma_one(im, im, re * re) : (real)fabs(re);
}

/* The same for the vector of n components, `step` apart in each plane; one that is all 0, or has a NaN, stays as it
 * is. */
static inline heev_turn heev_turn_of(int64_t n, const real *re, const real *im, int64_t step)
{
    enum { SIDE_BY_SIDE = 8 }; /* maxima that do not wait for each other */
    heev_turn t = {.c = 1};
    real most[SIDE_BY_SIDE] = {0};
    int64_t i = 0;
    for (; i + SIDE_BY_SIDE <= n; i += SIDE_BY_SIDE)
        for (int k = 0; k < SIDE_BY_SIDE; ++k) {
            real const size = heev_size(re[(i + k) * step], EIG_COMPLEX ? im[(i + k) * step] : 0);
            most[k] = size > most[k] ? size : most[k];
        }
    for (; i < n; ++i) {
        real const size = heev_size(re[i * step], EIG_COMPLEX ? im[i * step] : 0);
        most[0] = size > most[0] ? size : most[0];
    }
    for (int k = 1; k < SIDE_BY_SIDE; ++k) most[0] = most[k] > most[0] ? most[k] : most[0];
    if (!(most[0] > 0)) return t;
    real const least = EIG_COMPLEX ? REAL_TYPED(gauge_least_square)(most[0]) : REAL_TYPED(gauge_least)(most[0]);
    for (i = 0; i + SIDE_BY_SIDE <= n; i += SIDE_BY_SIDE) {
        int near = 0;
        for (int k = 0; k < SIDE_BY_SIDE; ++k)
            near |= heev_size(re[(i + k) * step], EIG_COMPLEX ? im[(i + k) * step] : 0) >= least;
        if (near) break;
    }
    while (!(heev_size(re[i * step], EIG_COMPLEX ? im[i * step] : 0) >= least)) ++i;
    real const x = re[i * step], y = EIG_COMPLEX ? im[i * step] : 0;
    t.row = i;
    if (EIG_COMPLEX)
        REAL_TYPED(gauge_turn)(x, y, 1 / (real)sqrt(heev_size(x, y)), &t.c, &t.s);
    else
        t.c = REAL_TYPED(gauge_sign)(x);
    return t;
}

static inline __attribute__((always_inline)) void heev_put_apart(int64_t n, const heev_turn *t, const real *re,
                                                                 const real *im, int64_t step, real *to, int64_t apart)
{
    for (int64_t i = 0; i < n; ++i) {
        real const x = re[i * step], y = EIG_COMPLEX ? im[i * step] : 0;
        to[i * apart] = (EIG_COMPLEX ? fma_one(-y, t->s, x * t->c) : x * t->c) + (real)0;
        if (EIG_COMPLEX) to[i * apart + EIG_COMPLEX] = fma_one(y, t->c, x * t->s) + (real)0;
    }
}

/* The vector, turned, to `to`, its components `apart` reals from each other.  Adding zero makes -0 to 0. */
static inline void heev_put_turned(int64_t n, const real *re, const real *im, int64_t step, real *to, int64_t apart)
{
    heev_turn const t = heev_turn_of(n, re, im, step);
    if (step == 1 && apart == HEEV_PARTS) /* the usual way is compiled by itself */
        heev_put_apart(n, &t, re, im, 1, to, HEEV_PARTS);
    else
        heev_put_apart(n, &t, re, im, step, to, apart);
    if (EIG_COMPLEX) to[t.row * apart + EIG_COMPLEX] = 0;
}

/* A vector of n NaN. */
static inline void heev_put_nan(int64_t n, real *to, int64_t step)
{
    for (int64_t i = 0; i < n; ++i)
        for (int part = 0; part < HEEV_PARTS; ++part) to[i * step + part] = (real)NAN;
}

/* Of values w that are to be multiplied by `unit` and then by 1/up: those that are too large for a number become
 * infinite, and bad, where that is not NULL; what is too large by its rounding errors alone becomes the largest number
 * (unscaled.inc).  Returns how many are too large. */
static inline int64_t heev_cut(int64_t n, real *w, real *bad, real unit, real up)
{
    real const down = 1 / up;
    int64_t count = 0;
    for (int64_t k = 0; k < n && up < 1; ++k) {
        w[k] = REAL_TYPED(unscaled)((real)n, w[k] * unit, down) * up / unit;
        bool const over = fabs(w[k]) > REAL_MAX;
        if (over && bad) bad[k] = 1;
        count += over;
    }
    return count;
}

/* Stores as results first to last-1 of matrix b the values w[order[k]] * unscale and columns order[k] of v; the last
 * `bad` of all are NaN.  Vectors get their sign or phase here. v: NULL where the call wants no vectors; order: NULL
 * where all are NaN. */
static inline void heev_store_some(const heev_problem *p, int64_t b, int64_t first, int64_t last, const real *w,
                                   const heev_matrix *v, const int64_t *order, int64_t bad, real unscale)
{
    batch_strides const s = heev_strides_of_v(p);
    real *const to_w = (real *)p->w + b * p->stride_w;
    real *const to_v = p->v ? (real *)p->v + HEEV_PARTS * b * s.b : NULL;
    for (int64_t k = first; k < last; ++k) {
        bool const good = k < p->n - bad;
        to_w[k] = good ? w[order[k]] * unscale : (real)NAN;
        if (!to_v) continue;
        if (!good) {
            heev_put_nan(p->n, to_v + HEEV_PARTS * k * s.j, HEEV_PARTS * s.i);
            continue;
        }
        const real *const re = v->re + order[k] * v->ld, *const im = EIG_COMPLEX ? v->im + order[k] * v->ld : NULL;
        heev_put_turned(p->n, re, im, 1, to_v + HEEV_PARTS * k * s.j, HEEV_PARTS * s.i);
    }
}

/* All of them. */
static inline void heev_store(const heev_problem *p, int64_t b, const real *w, const heev_matrix *v,
                              const int64_t *order, int64_t bad, real unscale)
{
    heev_store_some(p, b, 0, p->n, w, v, order, bad, unscale);
}

/* order: the indices 0..n-1 by ascending w, bad ones last; equal ones keep their order. */
static inline void heev_sort(int64_t n, const real *w, const real *bad, int64_t *order)
{
    for (int64_t k = 0; k < n; ++k) {
        int64_t at = k;
        for (; at > 0; --at) {
            int64_t const other = order[at - 1];
            if (bad[other] < bad[k] || (bad[other] == bad[k] && w[other] <= w[k])) break;
            order[at] = other;
        }
        order[at] = k;
    }
}

/* info and sweeps of matrix b. */
static inline void heev_store_info(const heev_problem *p, int64_t b, int64_t info, int sweeps)
{
    if (p->info) p->info[b] = (int)info;
    if (p->sweeps) p->sweeps[b] = sweeps;
}

#endif
