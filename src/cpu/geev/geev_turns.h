/* geev on the CPU, n > 64: the turns of a chain of bulges, applied far from the diagonal.  Part of geev_large.c.
 *
 * A bulge that has gone down some rows leaves a turn for each, a reflector of three rows or a rotation of two.  All
 * turns of a chain of bulges pass over a few rows of T and Q while these lie in the first cache; a turn of a bulge
 * takes one load and one store an entry, since what two turns share stays in registers.  So the flops are those of
 * single bulges, where accumulated turns take two to three times as many (K. Braman, R. Byers and R. Mathias, SIAM J.
 * Matrix Anal.  Appl. 23 (2002)).
 *
 * Mapping   from the right a lane is a row of the matrix, from the left a column: squares of 64 bytes are transposed
 *           when they are copied to a scratch and back.
 * Threads   rows and columns: a lane depends on nothing but its own entries. */
#ifndef EIG_GEEV_TURNS_H
#define EIG_GEEV_TURNS_H

#include "geev_large.h"

#if EIG_COMPLEX
enum { SPAN = 2 }; /* rows that a turn acts on */

/* (x, y) := (x, y) G^H, G = [c s; -conj(s) c] */
typedef rotation turn;
#else
enum { SPAN = 3 };

/* x := x + dot t, dot = x0 + u1 x1 + u2 x2 */
typedef struct turn {
    real u1, u2, t0, t1, t2;
} turn;
#endif

enum {
    MOST_BULGES = GEEV_CHAIN_ROWS / SPAN,
    ABREAST = EIG_COMPLEX || SIMD_BYTES < 64 ? 4 : 8 /* vectors that stay in registers */
};

/* A chain of bulges going down a slab: turn k of bulge b acts on rows first[b] + k and below. */
typedef struct chain {
    int bulges;
    int64_t top, bottom; /* rows that the turns or their fill touch: top, ..., bottom */
    int64_t last;        /* the window's last row */
    int64_t first[MOST_BULGES], count[MOST_BULGES];
    const turn *turns; /* [MOST_BULGES][GEEV_SLAB] */
} chain;

#if EIG_COMPLEX
/* The turns of a bulge on columns x, x + ld, ... of `vectors` vectors of rows, from the right, or, where `conjugate`,
 * on columns that are rows transposed. */
SIMD_FN void turn_columns(int const vectors, bool const conjugate, real *x, int64_t im, int64_t ld, int64_t count,
                          const turn *turns, bool last_two)
{
    (void)last_two;
    vreal a[ABREAST], b[ABREAST];
    for (int v = 0; v < vectors; ++v) a[v] = at(x, 0)[v], b[v] = at(x, im)[v];
    for (int64_t k = 0; k < count; ++k, x += ld) {
        vreal const g = simd_splat(turns[k].c), re = simd_splat(turns[k].re);
        vreal const s = simd_splat(conjugate ? -turns[k].im : turns[k].im);
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v) {
            vreal const c = at(x, ld)[v], d = at(x, ld + im)[v];
            at(x, 0)[v] = simd_fma(re, c, simd_fma(s, d, g * a[v]));
            at(x, im)[v] = simd_fma(re, d, simd_fma(-s, c, g * b[v]));
            vreal const e = simd_fma(-re, a[v], simd_fma(s, b[v], g * c));
            b[v] = simd_fma(-re, b[v], simd_fma(-s, a[v], g * d)), a[v] = e;
        }
    }
    for (int v = 0; v < vectors; ++v) at(x, 0)[v] = a[v], at(x, im)[v] = b[v];
}
#else
/* The turns of a bulge on columns x, x + ld, ... of `vectors` vectors of rows; last_two: the last one has two rows. */
SIMD_FN void turn_columns(int const vectors, bool const conjugate, real *x, int64_t im, int64_t ld, int64_t count,
                          const turn *turns, bool last_two)
{
    (void)conjugate, (void)im;
    vreal a[ABREAST], b[ABREAST];
    for (int v = 0; v < vectors; ++v) a[v] = at(x, 0)[v], b[v] = at(x, ld)[v];
    int64_t const whole = last_two ? count - 1 : count;
    int64_t k = 0;
    for (; k < whole; ++k, x += ld) {
        vreal const u1 = simd_splat(turns[k].u1), u2 = simd_splat(turns[k].u2);
        vreal const t0 = simd_splat(turns[k].t0), t1 = simd_splat(turns[k].t1), t2 = simd_splat(turns[k].t2);
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v) {
            vreal const c = at(x, 2 * ld)[v];
            vreal const dot = simd_fma(u1, b[v], simd_fma(u2, c, a[v]));
            at(x, 0)[v] = simd_fma(dot, t0, a[v]);
            a[v] = simd_fma(dot, t1, b[v]), b[v] = simd_fma(dot, t2, c);
        }
    }
    for (int v = 0; v < vectors && last_two; ++v) {
        vreal const dot = simd_fma(simd_splat(turns[k].u1), b[v], a[v]);
        a[v] = simd_fma(dot, simd_splat(turns[k].t0), a[v]), b[v] = simd_fma(dot, simd_splat(turns[k].t1), b[v]);
    }
    for (int v = 0; v < vectors; ++v) at(x, 0)[v] = a[v], at(x, ld)[v] = b[v];
}
#endif

/* All turns of the chain, on `vectors` vectors of rows; x: where column c->top begins. */
SIMD_FN void turn_all(int const vectors, bool const conjugate, const chain *c, real *x, int64_t im, int64_t ld)
{
    for (int b = 0; b < c->bulges; ++b) {
        if (c->count[b] <= 0) continue;
        bool const last_two = !EIG_COMPLEX && c->first[b] + c->count[b] == c->last;
        turn_columns(vectors, conjugate, x + (c->first[b] - c->top) * ld, im, ld, c->count[b], c->turns + b * GEEV_SLAB,
                     last_two);
    }
}

/* Rows first, ..., last - 1, whole blocks, from the right. */
__attribute__((noinline)) static void turn_rows(const chain *c, geev_view a, int64_t first, int64_t last)
{
    real *const x = a.a + c->top * a.sj;
    int64_t i = first;
    for (; i + ABREAST * SIMD_LANES <= last; i += ABREAST * SIMD_LANES) turn_all(ABREAST, false, c, x + i, a.im, a.sj);
    for (; i < last; i += SIMD_LANES) turn_all(1, false, c, x + i, a.im, a.sj);
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define HAS_SHUFFLE 1
#endif
#endif

#ifdef HAS_SHUFFLE
/* a and b := what lies in every second group of d lanes of both, the first ones and the second ones. */
#define EXCHANGE(...) __builtin_shufflevector(a, b, __VA_ARGS__)
SIMD_FN void exchange(int const d, vreal *x, vreal *y)
{
    vreal const a = *x, b = *y;
#if SIMD_BYTES / (EIG_SINGLE ? 4 : 8) == 16
    if (d == 1)
        *x = EXCHANGE(0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30),
        *y = EXCHANGE(1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
    else if (d == 2)
        *x = EXCHANGE(0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29),
        *y = EXCHANGE(2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
    else if (d == 4)
        *x = EXCHANGE(0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27),
        *y = EXCHANGE(4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
    else
        *x = EXCHANGE(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
        *y = EXCHANGE(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
#elif SIMD_BYTES / (EIG_SINGLE ? 4 : 8) == 8
    if (d == 1)
        *x = EXCHANGE(0, 8, 2, 10, 4, 12, 6, 14), *y = EXCHANGE(1, 9, 3, 11, 5, 13, 7, 15);
    else if (d == 2)
        *x = EXCHANGE(0, 1, 8, 9, 4, 5, 12, 13), *y = EXCHANGE(2, 3, 10, 11, 6, 7, 14, 15);
    else
        *x = EXCHANGE(0, 1, 2, 3, 8, 9, 10, 11), *y = EXCHANGE(4, 5, 6, 7, 12, 13, 14, 15);
#elif SIMD_BYTES / (EIG_SINGLE ? 4 : 8) == 4
    if (d == 1)
        *x = EXCHANGE(0, 4, 2, 6), *y = EXCHANGE(1, 5, 3, 7);
    else
        *x = EXCHANGE(0, 1, 4, 5), *y = EXCHANGE(2, 3, 6, 7);
#else
    *x = EXCHANGE(0, 2), *y = EXCHANGE(1, 3);
    (void)d;
#endif
}
#undef EXCHANGE

SIMD_FN void exchange_all(int const d, vreal *x)
{
#pragma GCC unroll 8
    for (int k = 0; k < SIMD_LANES / 2; ++k) exchange(d, x + k / d * 2 * d + k % d, x + k / d * 2 * d + k % d + d);
}

/* Element (i, j) of a square of lanes from from[i + j*ld_from] to to[j + i*ld_to]. */
SIMD_FN void transpose_square(const real *from, int64_t ld_from, real *to, int64_t ld_to)
{
    vreal x[SIMD_LANES];
#pragma GCC unroll 16
    for (int k = 0; k < SIMD_LANES; ++k) x[k] = *(const vreal *)(from + k * ld_from);
    exchange_all(1, x);
    if (SIMD_LANES > 2) exchange_all(2, x);
    if (SIMD_LANES > 4) exchange_all(4, x);
    if (SIMD_LANES > 8) exchange_all(8, x);
#pragma GCC unroll 16
    for (int k = 0; k < SIMD_LANES; ++k) *(vreal *)(to + k * ld_to) = x[k];
}
#else
SIMD_FN void transpose_square(const real *from, int64_t ld_from, real *to, int64_t ld_to)
{
    for (int j = 0; j < SIMD_LANES; ++j)
        for (int i = 0; i < SIMD_LANES; ++i) to[j + i * ld_to] = from[i + j * ld_from];
}
#endif

/* Columns first, ..., last - 1 from the left, at most ABREAST * SIMD_LANES; where there are fewer, the scratch is
 * larger than they, and the columns beside them are turned without effect. */
SIMD_FN void turn_strip(int const vectors, const chain *c, geev_view a, int64_t first, int64_t last, real *scratch)
{
    int64_t const width = vectors * SIMD_LANES, start = block_of(c->top), rows = block_of(c->bottom) + BLOCK - start;
    int64_t const plane = rows * width, columns = last - first;
    for (int part = 0; part < GEEV_PARTS; ++part)
        for (int64_t i = 0; i < rows; i += SIMD_LANES)
            for (int64_t j = 0; j < width; j += SIMD_LANES) {
                const real *const from = a.a + (start + i) + (first + j) * a.sj + part * a.im;
                real *const to = scratch + i * width + j + part * plane;
                if (j + SIMD_LANES <= columns)
                    transpose_square(from, a.sj, to, width);
                else
                    for (int64_t k = 0; k < SIMD_LANES; ++k)
                        for (int64_t l = 0; l < SIMD_LANES; ++l)
                            to[k * width + l] = j + l < columns ? from[k + l * a.sj] : 0;
            }
    turn_all(vectors, true, c, scratch + (c->top - start) * width, plane, width);
    for (int part = 0; part < GEEV_PARTS; ++part)
        for (int64_t j = 0; j < width; j += SIMD_LANES)
            for (int64_t i = 0; i < rows; i += SIMD_LANES) {
                real *const to = a.a + (start + i) + (first + j) * a.sj + part * a.im;
                const real *const from = scratch + i * width + j + part * plane;
                if (j + SIMD_LANES <= columns)
                    transpose_square(from, width, to, a.sj);
                else
                    for (int64_t l = 0; j + l < columns; ++l)
                        for (int64_t k = 0; k < SIMD_LANES; ++k) to[k + l * a.sj] = from[k * width + l];
            }
}

__attribute__((noinline)) static void turn_far_columns(const chain *c, geev_view a, int64_t first, int64_t last,
                                                       real *scratch)
{
    enum { FEW = 4 };
    for (int64_t j = first; j < last;) {
        if (last - j > 2 * SIMD_LANES) {
            int64_t const stop = least(j + FEW * SIMD_LANES, last);
            turn_strip(FEW, c, a, j, stop, scratch);
            j = stop;
        } else {
            int64_t const stop = least(j + SIMD_LANES, last);
            turn_strip(1, c, a, j, stop, scratch);
            j = stop;
        }
    }
}

/* What lies beside the window: rows above it, columns to its right, and Q. */
typedef struct far_detail {
    const chain *c;
    int64_t first_row, end_column; /* of T */
} far_detail;

static void far_job(const geev_schur *s, int rank, int size, void *detail)
{
    const far_detail *const f = detail;
    const chain *const c = f->c;
    int64_t const above = block_of(f->first_row), rows = c->top - above, right = f->end_column - c->bottom - 1;
    enum { STEP = ABREAST * SIMD_LANES };
    if (rows > 0) {
        span const mine = part_of((rows + BLOCK - 1) / BLOCK * BLOCK, STEP, rank, size);
        turn_rows(c, s->t, above + mine.first, above + mine.last);
    }
    if (right > 0) {
        span const mine = part_of(right, 4 * SIMD_LANES, rank, size);
        turn_far_columns(c, s->t, c->bottom + 1 + mine.first, c->bottom + 1 + mine.last, own_room(s, rank));
    }
    if (s->q.a) {
        span const mine = part_of(s->q.sj, STEP, rank, size);
        turn_rows(c, s->q, mine.first, mine.last);
    }
}

#endif
