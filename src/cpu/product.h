/* Products of blocks in planes of real and imaginary parts, for kernels.
 *
 * Mapping   a tile of 3 vectors of rows and 8 (with 16 registers: 4) columns of C stays in registers.
 * Bound by  the rate of fused multiply-adds: a step makes 24 of them from 3 vectors of A and 8 numbers of B.
 * Promises  an element of C is one sum over k, in ascending order, in two runs where the factors are complex.  It
 *           depends on neither its neighbours nor the width of a vector. */
#ifndef EIG_PRODUCT_H
#define EIG_PRODUCT_H

#include "simd.h"

#if defined(__AVX512F__) || defined(__aarch64__)
enum { PRODUCT_COLUMNS = 8 };
#else
enum { PRODUCT_COLUMNS = 4 };
#endif
enum { PRODUCT_VECTORS = 3 };

/* A block, column-major, whose columns begin at whole vectors. */
typedef struct block {
    real *part[3]; /* real, imaginary; and their sum, where a product by thirds needs it */
    int64_t ld;
} block;

/* A factor whose element (k, j) is at k*row + j*column of each part. */
typedef struct factor {
    const real *part[3];
    int64_t row, column;
    int64_t ahead; /* 0, or how far behind an element lies what will soon be read */
} factor;

typedef struct product_tile {
    vreal sum[PRODUCT_COLUMNS][PRODUCT_VECTORS];
} product_tile;

/* tile += A B, or tile -= A B where `minus`; column[c]: where column c of B begins. */
SIMD_FN void product_run(int vectors, int64_t k, const real *a, int64_t lda, const real *b, int64_t row,
                         const int64_t *column, int64_t ahead, bool minus, product_tile *tile)
{
    for (int64_t l = 0; l < k; ++l, a += lda, b += row) {
        vreal x[PRODUCT_VECTORS];
        __builtin_prefetch(b + ahead);
#pragma GCC unroll 3
        for (int u = 0; u < vectors; ++u) x[u] = ((const vreal *)a)[u];
#pragma GCC unroll 8
        for (int c = 0; c < PRODUCT_COLUMNS; ++c) {
            vreal const y = simd_splat(b[column[c]]);
#pragma GCC unroll 3
            for (int u = 0; u < vectors; ++u) tile->sum[c][u] = simd_fma(minus ? -x[u] : x[u], y, tile->sum[c][u]);
        }
    }
}

/* What becomes of A B: B may be conjugate, and the product replaces C, is added to it or subtracted from it. */
typedef enum product_sort { PRODUCT_SET, PRODUCT_ADD, PRODUCT_SUBTRACT, PRODUCT_SUBTRACT_CONJUGATE } product_sort;

SIMD_FN vreal product_end(product_sort sort, vreal c, vreal product)
{
    return sort == PRODUCT_SET ? product : sort == PRODUCT_ADD ? c + product : c - product;
}

/* `vectors` vectors of rows from `at` on, and up to PRODUCT_COLUMNS columns. */
SIMD_FN void product_rows(int vectors, int parts, product_sort sort, block c, int64_t at, int columns, int64_t k,
                          block a, factor b, const int64_t *column)
{
#pragma GCC unroll 2
    for (int part = 0; part < parts; ++part) {
        bool const conjugate = sort == PRODUCT_SUBTRACT_CONJUGATE;
        if (sort != PRODUCT_SET)
            for (int j = 0; j < columns; ++j)
                for (int u = 0; u < vectors; ++u) __builtin_prefetch((vreal *)(c.part[part] + at + j * c.ld) + u, 1);
        product_tile tile = {0};
        product_run(vectors, k, a.part[0] + at, a.ld, b.part[part], b.row, column, b.ahead, part == 1 && conjugate,
                    &tile);
        if (parts == 2)
            product_run(vectors, k, a.part[1] + at, a.ld, b.part[1 - part], b.row, column, b.ahead,
                        part == 0 && !conjugate, &tile);
        for (int j = 0; j < columns; ++j) {
            vreal *const to = (vreal *)(c.part[part] + at + j * c.ld);
            for (int u = 0; u < vectors; ++u) to[u] = product_end(sort, to[u], tile.sum[j][u]);
        }
    }
}

/* The same for two complex factors by three real products: with R = Ar Br, I = Ai Bi and S = (Ar + Ai) (Br + Bi) it is
 * R - I + i (S - R - I).  Its errors are small compared with |A| |B|, part by part or not (N. J. Higham, SIAM J. Matrix
 * Anal.  Appl. 13 (1992)). */
SIMD_FN void product_rows_by_thirds(int vectors, product_sort sort, block c, int64_t at, int columns, int64_t k,
                                    block a, factor b, const int64_t *column)
{
    product_tile third[3];
#pragma GCC unroll 1
    for (int part = 0; part < 3; ++part) {
        product_tile tile = {0};
        product_run(vectors, k, a.part[part] + at, a.ld, b.part[part], b.row, column, b.ahead, false, &tile);
        third[part] = tile;
    }
    for (int j = 0; j < columns; ++j) {
        vreal *const re = (vreal *)(c.part[0] + at + j * c.ld), *const im = (vreal *)(c.part[1] + at + j * c.ld);
        for (int u = 0; u < vectors; ++u) {
            vreal const r = third[0].sum[j][u], i = third[1].sum[j][u];
            vreal const x = r - i, y = third[2].sum[j][u] - (r + i);
            re[u] = product_end(sort, re[u], x), im[u] = product_end(sort, im[u], y);
        }
    }
}

SIMD_FN void product_some(int vectors, int parts, product_sort sort, block c, int64_t at, int columns, int64_t k,
                          block a, factor b, const int64_t *column)
{
    if (parts == 3)
        product_rows_by_thirds(vectors, sort, c, at, columns, k, a, b, column);
    else
        product_rows(vectors, parts, sort, c, at, columns, k, a, b, column);
}

/* C of `rows`, whole vectors, and `columns`; complex by thirds where parts is 3. */
SIMD_FN void product_all(int parts, product_sort sort, block c, int64_t rows, int64_t columns, int64_t k, block a,
                         factor b)
{
    for (int64_t j = 0; j < columns; j += PRODUCT_COLUMNS) {
        int const here = columns - j < PRODUCT_COLUMNS ? (int)(columns - j) : PRODUCT_COLUMNS;
        int64_t column[PRODUCT_COLUMNS];
        for (int t = 0; t < PRODUCT_COLUMNS; ++t) column[t] = (t < here ? t : 0) * b.column;
        enum { ROWS = PRODUCT_VECTORS * SIMD_LANES };
        int64_t i = 0;
        for (; i + ROWS <= rows; i += ROWS) product_some(3, parts, sort, c, i, here, k, a, b, column);
        if (i + 2 * SIMD_LANES <= rows)
            product_some(2, parts, sort, c, i, here, k, a, b, column);
        else if (i < rows)
            product_some(1, parts, sort, c, i, here, k, a, b, column);
        for (int part = 0; part < parts; ++part) b.part[part] += here * b.column;
        for (int part = 0; part < (parts == 1 ? 1 : 2); ++part) c.part[part] += here * c.ld;
    }
}

enum { PRODUCT_PARTS = EIG_COMPLEX ? 2 : 1, PRODUCT_THIRDS = EIG_COMPLEX ? 3 : 1 };

/* C := A B, real whatever the type. */
__attribute__((noinline, unused)) static void product_real(block c, int64_t rows, int64_t columns, int64_t k, block a,
                                                           factor b)
{
    product_all(1, PRODUCT_SET, c, rows, columns, k, a, b);
}

/* C := C - A B, real whatever the type. */
__attribute__((noinline, unused)) static void product_real_subtract(block c, int64_t rows, int64_t columns, int64_t k,
                                                                    block a, factor b)
{
    product_all(1, PRODUCT_SUBTRACT, c, rows, columns, k, a, b);
}

/* C := A B */
__attribute__((noinline, unused)) static void product_set(block c, int64_t rows, int64_t columns, int64_t k, block a,
                                                          factor b)
{
    product_all(PRODUCT_PARTS, PRODUCT_SET, c, rows, columns, k, a, b);
}

/* C := A B by thirds: both factors need the sums of their parts. */
__attribute__((noinline, unused)) static void product_set_by_thirds(block c, int64_t rows, int64_t columns, int64_t k,
                                                                    block a, factor b)
{
    product_all(PRODUCT_THIRDS, PRODUCT_SET, c, rows, columns, k, a, b);
}

/* C := C - A B by thirds */
__attribute__((noinline, unused)) static void product_subtract_by_thirds(block c, int64_t rows, int64_t columns,
                                                                         int64_t k, block a, factor b)
{
    product_all(PRODUCT_THIRDS, PRODUCT_SUBTRACT, c, rows, columns, k, a, b);
}

/* C := C + A B */
__attribute__((noinline, unused)) static void product_add(block c, int64_t rows, int64_t columns, int64_t k, block a,
                                                          factor b)
{
    product_all(PRODUCT_PARTS, PRODUCT_ADD, c, rows, columns, k, a, b);
}

/* C := C - A B */
__attribute__((noinline, unused)) static void product_subtract(block c, int64_t rows, int64_t columns, int64_t k,
                                                               block a, factor b)
{
    product_all(PRODUCT_PARTS, PRODUCT_SUBTRACT, c, rows, columns, k, a, b);
}

/* C := C - A conj(B) */
__attribute__((noinline, unused)) static void product_subtract_conjugate(block c, int64_t rows, int64_t columns,
                                                                         int64_t k, block a, factor b)
{
    product_all(PRODUCT_PARTS, PRODUCT_SUBTRACT_CONJUGATE, c, rows, columns, k, a, b);
}

#endif
