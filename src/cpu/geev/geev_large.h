/* geev on the CPU, n > 64: one matrix at a time.  What the parts of geev_large.c share. */
#ifndef EIG_GEEV_LARGE_H
#define EIG_GEEV_LARGE_H

#include "blocks.h"
#include "geev_plain.h"
#include "geev_room.h"
#include "householder.h"
#include "pow2.h"
#include "product.h"

/* Complex numbers in two parts; the second one is 0 where the type is real, and the compiler drops it. */
typedef struct number {
    real re, im;
} number;

/* ------------------------------------------------------------------- threads */

/* A piece of work that threads share: each does its part, by its rank.  What a part gives does not depend on who does
 * it. */
typedef void large_job(const geev_schur *s, int rank, int size, void *detail);

typedef struct large_order {
    large_job *job;
    const geev_schur *s;
    void *detail;
} large_order;

/* Has it done by the team, whose other threads wait in help(). */
static void share_out(const geev_schur *s, large_job *job, void *detail)
{
    large_order order = {job, s, detail};
    if (s->who->size == 1) {
        job(s, 0, 1, detail);
        return;
    }
    s->who->team->shared = &order;
    cpu_team_meet(s->who);
    job(s, 0, s->who->size, detail);
    cpu_team_meet(s->who);
}

static void help(cpu_member *who)
{
    for (;;) {
        cpu_team_meet(who);
        const large_order *const order = who->team->shared;
        if (!order) return;
        order->job(order->s, who->rank, who->size, order->detail);
        cpu_team_meet(who);
    }
}

/* A part of 0, ..., count - 1, in whole numbers of `step`. */
static span part_of(int64_t count, int64_t step, int rank, int size)
{
    int64_t const steps = (count + step - 1) / step;
    return (span){least(steps * rank / size * step, count), least(steps * (rank + 1) / size * step, count)};
}

static real *own_room(const geev_schur *s, int rank)
{
    return (real *)(s->room->own + (size_t)rank * s->room->own_bytes);
}

/* -------------------------------------------------------------------- blocks */

/* The block of a matrix from element (i, j) on. */
static block block_at(geev_view v, int64_t i, int64_t j)
{
    block b = {.ld = v.sj};
    for (int part = 0; part < GEEV_PARTS; ++part) b.part[part] = v.a + i + j * v.sj + part * v.im;
    return b;
}

static factor factor_at(geev_view v, int64_t i, int64_t j)
{
    factor b = {.row = 1, .column = v.sj};
    for (int part = 0; part < GEEV_PARTS; ++part) b.part[part] = v.a + i + j * v.sj + part * v.im;
    return b;
}

/* `columns` columns of length ld, in planes. */
static geev_view plane_view(void *room, int64_t ld, int64_t columns)
{
    geev_view const v = {room, 1, ld, ld * columns};
    return v;
}

static void clear(geev_view v, int64_t rows, int64_t columns)
{
    for (int part = 0; part < GEEV_PARTS; ++part)
        for (int64_t j = 0; j < columns; ++j)
            for (int64_t i = 0; i < rows; ++i) v.a[i + j * v.sj + part * v.im] = 0;
}

static void make_identity(geev_view v, int64_t n)
{
    clear(v, v.sj, n);
    for (int64_t i = 0; i < n; ++i) v.a[i + i * v.sj] = 1;
}

static number number_of(geev_view v, int64_t i, int64_t j)
{
    const real *const x = v.a + i + j * v.sj;
    return (number){x[0], EIG_COMPLEX ? x[v.im * EIG_COMPLEX] : 0};
}

/* ----------------------------------------------- sums of columns, products with them */

enum { SUM_GROUP = EIG_COMPLEX ? 4 : 8, DOT_GROUP = SIMD_BYTES == 64 || !EIG_COMPLEX ? 4 : 2 };

/* y := y + X c in these rows, whole blocks; X: `count` columns from x on. */
static void add_columns(geev_view x, int64_t count, const number *c, span rows, real *y, int64_t im)
{
    for (int64_t l = 0; l < count; l += SUM_GROUP) {
        real *from[SUM_GROUP];
        vreal cr[SUM_GROUP], ci[SUM_GROUP];
        for (int t = 0; t < SUM_GROUP; ++t) {
            bool const there = l + t < count;
            cr[t] = simd_splat(there ? c[l + t].re : 0), ci[t] = simd_splat(there ? c[l + t].im : 0);
            from[t] = x.a + (there ? l + t : count - 1) * x.sj;
        }
        for (int64_t i = rows.first; i < rows.last; i += SIMD_LANES) {
            vreal yr = *at(y, i), yi = EIG_COMPLEX ? *at(y, i + im) : (vreal){0};
#pragma GCC unroll 8
            for (int t = 0; t < SUM_GROUP; ++t) {
                vreal const xr = *at(from[t], i);
                yr = simd_fma(xr, cr[t], yr);
                if (!EIG_COMPLEX) continue;
                vreal const xi = *at(from[t], i + x.im);
                yr = simd_fma(-xi, ci[t], yr);
                yi = simd_fma(xr, ci[t], simd_fma(xi, cr[t], yi));
            }
            *at(y, i) = yr;
            if (EIG_COMPLEX) *at(y, i + im) = yi;
        }
    }
}

/* c := X^H y over these rows. */
static void multiply_columns(geev_view x, int64_t count, span rows, real *y, int64_t yim, number *c)
{
    for (int64_t l = 0; l < count; l += DOT_GROUP) {
        wide_sum re[DOT_GROUP], im[DOT_GROUP];
        real *from[DOT_GROUP];
        for (int t = 0; t < DOT_GROUP; ++t) {
            from[t] = x.a + least(l + t, count - 1) * x.sj;
            for (int w = 0; w < WIDE; ++w) re[t].v[w] = im[t].v[w] = (vreal){0};
        }
        for (int64_t i = rows.first; i < rows.last; i += BLOCK)
#pragma GCC unroll 4
            for (int w = 0; w < WIDE; ++w) {
                vreal const yr = at(y, i)[w], yi = EIG_COMPLEX ? at(y, i + yim)[w] : (vreal){0};
#pragma GCC unroll 4
                for (int t = 0; t < DOT_GROUP; ++t) {
                    vreal const ar = at(from[t], i)[w];
                    re[t].v[w] = simd_fma(ar, yr, re[t].v[w]);
                    if (!EIG_COMPLEX) continue;
                    vreal const ai = at(from[t], i + x.im)[w];
                    re[t].v[w] = simd_fma(ai, yi, re[t].v[w]);
                    im[t].v[w] = simd_fma(-ai, yr, simd_fma(ar, yi, im[t].v[w]));
                }
            }
        for (int t = 0; t < DOT_GROUP && l + t < count; ++t)
            c[l + t] = (number){total(re[t]), EIG_COMPLEX ? total(im[t]) : 0};
    }
}

/* x y + z for complex types.  gcc 12 fuses sums and differences that stand side by side, whatever -ffp-contract says,
 * on one instruction set and not on another: those of complex numbers are fused by hand. */
static real fused(real x, real y, real z)
{
    return EIG_COMPLEX ? fma_one(x, y, z) : x * y + z;
}

static number times(number x, number y)
{
    if (!EIG_COMPLEX) return (number){x.re * y.re, 0};
    return (number){fma_one(x.re, y.re, -(x.im * y.im)), fma_one(x.re, y.im, x.im * y.re)};
}

static number negative(number x)
{
    return (number){-x.re, EIG_COMPLEX ? -x.im : 0};
}

static number conjugate_of(number x)
{
    return (number){x.re, EIG_COMPLEX ? -x.im : 0};
}

static number plus(number x, number y)
{
    return (number){x.re + y.re, EIG_COMPLEX ? x.im + y.im : 0};
}

/* ----------------------------------------------------------------- reflector */

/* The reflector I - tau v v^H that leaves of rows `first` to `last` of a column the first one alone: v, zero elsewhere
 * in its blocks, to `to`; the column's new entries in their place.  Returns tau, 0 where the column has that form. */
static real make_reflector(real *x, int64_t xim, int64_t first, int64_t last, real *v, int64_t vim)
{
    int64_t const start = block_of(first), end = block_of(last) + BLOCK;
    real const large = geev_largest(last - first + 1, x + first, 1, xim), most = large > REAL_MIN ? large : REAL_MIN;
    real const unit = REAL_TYPED(pow2_floor)(most), scale = REAL_TYPED(pow2_inverse)(unit);
    real head[2] = {x[first] * scale, EIG_COMPLEX ? x[first + xim] * scale : 0};
    wide_sum sum = {0};
    for (int part = 0; part < GEEV_PARTS; ++part) {
        real *const to = v + part * vim;
        for (int64_t i = start; i <= first; ++i) to[i] = 0;
        for (int64_t i = first + 1; i <= last; ++i) to[i] = x[i + part * xim] * scale, x[i + part * xim] = 0;
        for (int64_t i = last + 1; i < end; ++i) to[i] = 0;
        for (int64_t i = start; i < end; i += BLOCK)
            for (int w = 0; w < WIDE; ++w) sum.v[w] = simd_fma(at(to, i)[w], at(to, i)[w], sum.v[w]);
    }
    real const tail = total(sum);
    if (tail == 0) {
        v[first] = 1;
        return 0;
    }
    /* A head whose square has lost digits is negligible compared with the tail. */
    real const square = head[0] * head[0] + head[1] * head[1];
    bool const some = !EIG_COMPLEX || square >= REAL_MIN / REAL_EPSILON;
    real const size = !EIG_COMPLEX ? head[0] : some ? sqrt(square) : 0;
    real const turn_re = EIG_COMPLEX && some ? head[0] / size : 1, turn_im = EIG_COMPLEX && some ? head[1] / size : 0;
    real norm, pivot, tau;
    REAL_TYPED(householder)(size, (some ? square : 0) + tail, &norm, &pivot, &tau);
    x[first] = -norm * turn_re * unit;
    if (EIG_COMPLEX) x[first + xim] = -norm * turn_im * unit;
    for (int64_t i = first + 1; i <= last; ++i) { /* the tail times conj(turn) / pivot */
        real const re = v[i], im = EIG_COMPLEX ? v[i + vim] : 0;
        v[i] = EIG_COMPLEX ? fma_one(re, turn_re, im * turn_im) / pivot : re / pivot;
        if (EIG_COMPLEX) v[i + vim] = fma_one(im, turn_re, -(re * turn_im)) / pivot;
    }
    v[first] = 1;
    return tau;
}

#endif
