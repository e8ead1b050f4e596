/* stebz on the CPU: the counting kernels, one table per instruction set. */
#ifndef EIG_STEBZ_KERNELS_H
#define EIG_STEBZ_KERNELS_H

#include "sturm.h"

enum {
    STEBZ_LANES = 64 /* most shifts that one call of a kernel counts, for any instruction set */
};

/* One matrix, scaled, as the kernels read it.  Which arrays are set follows from the kernel that will be used. */
typedef struct stebz_matrix {
    int64_t n;
    int64_t padded;      /* n rounded up to a multiple of STURM_BLOCK, for the product form */
    const void *rows;    /* [padded] pairs (alpha, gamma) of the product form */
    const void *scales;  /* [padded / STURM_BLOCK] pairs (s of the last row but one, s of the last row) */
    const double *a, *b; /* [n] diagonal and off-diagonal (b[0] = 0, b[i] couples rows i-1 and i) of the pivot form */
    double pivmin;
} stebz_matrix;

/* A batch of counts.  Lanes are independent: what a lane gets does not depend on its neighbours or its place. */
typedef struct stebz_counts {
    double x[STEBZ_LANES]; /* in: shifts, representable in the kernel's precision */
    int64_t count[STEBZ_LANES];
    double mantissa[STEBZ_LANES],
        exponent[STEBZ_LANES]; /* product form: p(x) = mantissa 2^exponent, up to one factor */
} stebz_counts;

/* The ends of the brackets that the lanes refine; a structure of arrays, so that the update vectorises. */
typedef struct stebz_ends {
    double xa[STEBZ_LANES], ma[STEBZ_LANES], ea[STEBZ_LANES]; /* the end that moved last */
    double xb[STEBZ_LANES], mb[STEBZ_LANES], eb[STEBZ_LANES]; /* the other end */
    double xc[STEBZ_LANES], mc[STEBZ_LANES], ec[STEBZ_LANES]; /* the point dropped last */
    int64_t has_c[STEBZ_LANES], interpolate[STEBZ_LANES];
} stebz_ends;

typedef struct stebz_kernels {
    const char *isa;
    int lanes_s, lanes_d; /* shifts that a full call counts; a call for fewer costs proportionally less */
    void (*count_product_s)(const stebz_matrix *t, int lanes, stebz_counts *c);
    void (*count_product_d)(const stebz_matrix *t, int lanes, stebz_counts *c);
    void (*count_pivot)(const stebz_matrix *t, int lanes, stebz_counts *c);
    /* x[l] = the next shift of lane l, by bracket_point. */
    void (*points)(const stebz_ends *k, int lanes, double abstol, double reltol, double *x);
} stebz_kernels;

extern const stebz_kernels stebz_kernels_baseline, stebz_kernels_avx2, stebz_kernels_avx512;

/* The kernels of the instruction set that was chosen when the context was opened. */
struct eig_context;
const stebz_kernels *stebz_kernels_of(const struct eig_context *ctx);

#endif
