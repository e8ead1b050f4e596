/* geev on the CPU: what its files share.  geev_cpu.c is the driver; geev_kernels.c computes one matrix a SIMD lane;
 * geev_reference.inc is the plain solver of one matrix of any order: the oracle, the way for n > GEEV_MOST, and the
 * second chance of a matrix on which the lanes did not converge. */
#ifndef EIG_GEEV_CPU_H
#define EIG_GEEV_CPU_H

#include "problem.h"

enum {
    GEEV_MOST = 64,           /* largest order that the lanes take */
    GEEV_LANES = 16,          /* most matrices of a tile, for any instruction set and precision */
    GEEV_BALANCE_SWEEPS = 100 /* guards against endless scaling; dgebal's rules end it after a few sweeps */
};

/* Distances between neighbours in the three directions of a batch: row i, column j, matrix b. */
typedef struct geev_strides {
    int64_t i, j, b;
} geev_strides;

static inline geev_strides geev_strides_of(const geev_problem *p)
{
    if (p->layout == EIG_LAYOUT_ELEMENT_WISE) return (geev_strides){p->lda * p->stride_a, p->stride_a, 1};
    if (p->layout == EIG_LAYOUT_ROW_WISE) return (geev_strides){p->stride_a, 1, p->lda};
    return (geev_strides){1, p->lda, p->stride_a};
}

/* The kernels of one instruction set.  tile_? computes matrices first, ..., first + count - 1 of a problem with
 * 1 <= n <= GEEV_MOST, count <= lanes_?, stores their results, and returns a mask of those that it did not store
 * because they did not converge (bit t: matrix first + t).  work: 64 geev_tile_vectors bytes, aligned to 64. */
typedef struct geev_kernels {
    int lanes_s, lanes_d;
    unsigned (*tile_s)(const geev_problem *p, int64_t first, int count, void *work);
    unsigned (*tile_d)(const geev_problem *p, int64_t first, int count, void *work);
} geev_kernels;

extern const geev_kernels geev_kernels_baseline, geev_kernels_avx2, geev_kernels_avx512;

/* Distance of two columns of a matrix in the reference. */
static inline int64_t geev_column(int64_t n)
{
    return n | 1;
}

/* Distance of two rows of a tile, in vectors: odd, so that a column does not fall on one set of the cache; a column
 * (and two rows below) more than n: zeros that the last reflector of a sweep may touch. */
static inline int geev_tile_row(int n)
{
    return (n + 1) | 1;
}

/* Vectors (of up to 64 bytes) of a tile: one of padding ahead, n + 2 rows, then scales, reflector, and eigenvalues. */
static inline int64_t geev_tile_vectors(int64_t n)
{
    return 1 + (n + 2) * geev_tile_row((int)n) + 4 * (n + 1);
}

#endif
