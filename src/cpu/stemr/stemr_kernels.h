/* stemr on the CPU: the table of what is compiled once for each instruction set, in double for either type. */
#ifndef EIG_STEMR_KERNELS_H
#define EIG_STEMR_KERNELS_H

#include "mrrr.h"

#include <stdbool.h>
#include <stddef.h>

enum { STEMR_LANES = 32 }; /* most lanes of one call, for any instruction set */

/* A row of a representation: mrrr.inc has D and G; b couples it and the next one. */
typedef struct stemr_row {
    wide_d d, g;
    double b;
} stemr_row;

/* What the lanes read and find.  Lanes are independent: what one finds depends neither on its place nor on its
 * neighbours. */
typedef struct stemr_lanes {
    double hi[STEMR_LANES], lo[STEMR_LANES]; /* in: the shift x of each lane's representation N */
    int64_t count[STEMR_LANES]; /* eigenvalues of N below x, by the signs of pivots; of a window's rows alone */
    double gamma[STEMR_LANES];  /* of N - x at the twist: 1 over the entry of its inverse there */
    double norm[STEMR_LANES];   /* square of the length of the vector that is 1 at the twist */
    int64_t twist[STEMR_LANES]; /* the row where |gamma| is least, or nearly: in for step and vectors */
    int64_t top[STEMR_LANES], bottom[STEMR_LANES]; /* the same: rows of the window, beside which the vector is 0 */
    double edge[STEMR_LANES];   /* of step and vectors: the larger entry of the vector where the window cuts it, or 0 */
    double most[STEMR_LANES];   /* of vectors: the largest modulus of an entry */
    int bits;                   /* in: windows end where vectors are 2^-bits */
    double growth[STEMR_LANES]; /* largest |D+|: of a representation that was made */
} stemr_lanes;

/* Where a lane's vector goes. */
typedef struct stemr_column {
    void *z;             /* [n] */
    double scale;        /* that makes its length 1 */
    double most;         /* its largest modulus before that */
    int64_t first, last; /* in: rows beside which it is 0; out: those of its support */
    double w;            /* in, where vectors are measured: the eigenvalue */
    double residual;     /* out, likewise: the square of ||T z - w z|| */
    double square;       /* and of the length */
} stemr_column;

/* Rows of the scaled T that columns are measured with: b[i] couples rows i - 1 and i.  NULL: they are not measured. */
typedef struct stemr_matrix {
    const double *a, *b;
} stemr_matrix;

/* Each function takes n rows of the representation that the block begins with, and scratch of row_bytes*n.  own: every
 * lane has a representation of its own, which `represent` has made in the scratch; else all take that of `rows`. */
typedef struct stemr_kernel {
    size_t row_bytes;
    /* N - x becomes every lane's own representation; N is the lane's own one, or that of rows. */
    void (*represent)(const stemr_row *rows, int64_t n, bool own, int lanes, stemr_lanes *t, void *scratch);
    /* The representation that it made for a lane, as rows; that of `rows` has the same b. */
    void (*keep)(int64_t n, int lane, const void *scratch, const stemr_row *rows, stemr_row *to);
    /* Counts. */
    void (*count)(const stemr_row *rows, int64_t n, bool own, int lanes, stemr_lanes *t, const void *scratch);
    /* Counts, twists, gammas and norms. */
    void (*twist)(const stemr_row *rows, int64_t n, bool own, int lanes, stemr_lanes *t, void *scratch);
    /* Twists, where vectors are largest, nearly, and windows: by a double's digits, of representations that are
     * definite. */
    void (*seek)(const stemr_row *rows, int64_t n, int lanes, stemr_lanes *t, void *scratch);
    /* Counts, gammas, norms and edges for the twists and windows that t has: of the rows of the windows. */
    void (*step)(const stemr_row *rows, int64_t n, bool own, int lanes, stemr_lanes *t, void *scratch);
    /* The same, and vectors in the scratch, with the exact norms of these. */
    void (*vectors)(const stemr_row *rows, int64_t n, bool own, int lanes, stemr_lanes *t, void *scratch);
    /* Those into columns of floats or doubles, with the sign of gauge.inc; entries below `least` at the ends become 0.
     * */
    void (*store)(int64_t n, int lanes, const void *scratch, bool single, double least, stemr_matrix matrix,
                  stemr_column *columns);
} stemr_kernel;

extern const stemr_kernel eig_cpu_stemr_kernel_baseline_d, eig_cpu_stemr_kernel_avx2_d, eig_cpu_stemr_kernel_avx512_d;

#endif
