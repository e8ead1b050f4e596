/* stebz on the CPU: tables of what is compiled once for each type, or for each instruction set and type. */
#ifndef EIG_STEBZ_KERNELS_H
#define EIG_STEBZ_KERNELS_H

#include "problem.h"
#include "sturm.h"

#include <math.h>

enum {
    STEBZ_LANES = 64 /* most shifts that one call of a kernel counts, for any instruction set and type */
};

/* One matrix, scaled, as the kernels read it.  Which arrays are set follows from the kernel that will be used. */
typedef struct stebz_matrix {
    int64_t n;
    int64_t padded;      /* n rounded up to a multiple of STURM_BLOCK, for the product form */
    const void *rows;    /* [padded] pairs (alpha, gamma) of the product form */
    const void *scales;  /* [padded / STURM_BLOCK] pairs (s of the last row but one, s of the last row) */
    const double *a, *b; /* [n] diagonal and off-diagonal (b[0] = 0, b[i] couples rows i-1 and i) of the pivot form */
} stebz_matrix;

/* A batch of counts.  Lanes are independent: what a lane gets does not depend on its neighbours or its place. */
typedef struct stebz_counts {
    double x[STEBZ_LANES]; /* in: shifts, representable in the kernel's precision */
    int64_t count[STEBZ_LANES];
    double mantissa[STEBZ_LANES], exponent[STEBZ_LANES]; /* product form: p(x) = mantissa 2^exponent up to a factor */
} stebz_counts;

/* The ends of the brackets that the lanes refine; a structure of arrays, so that the update vectorises. */
typedef struct stebz_ends {
    double xa[STEBZ_LANES], ma[STEBZ_LANES], ea[STEBZ_LANES]; /* the end that moved last */
    double xb[STEBZ_LANES], mb[STEBZ_LANES], eb[STEBZ_LANES]; /* the other end */
    double xc[STEBZ_LANES], mc[STEBZ_LANES], ec[STEBZ_LANES]; /* the point dropped last */
    int64_t has_c[STEBZ_LANES], interpolate[STEBZ_LANES];
} stebz_ends;

/* Counts at the first `shifts` numbers of c->x. */
typedef void stebz_counter(const stebz_matrix *t, int shifts, stebz_counts *c);

/* stebz_product.c: the product form in one type. */
typedef struct stebz_product {
    int shifts; /* of a full call; a call for fewer costs proportionally less */
    stebz_counter *count;
} stebz_product;

/* stebz_pivot.c: pivots, in double for either type. */
typedef struct stebz_pivot {
    int shifts;
    stebz_counter *count;
    /* x[l] = the next shift of lane l, by bracket_point. */
    void (*points)(const stebz_ends *k, int lanes, double abstol, double reltol, double *x);
} stebz_pivot;

/* The eigenvalues of two rows a, b, c: m -+ sqrt(h^2 + b^2) with m = (a + c)/2, h = (a - c)/2.  With entries below 1
 * and u = 2^-53 the roundings of m (1), of the root (3) and of the last sum (1) leave at most 5 u of the norm, 2.5 of
 * its spacings; that is less than STURM_ERROR_PRODUCT, so that an enclosure of width 0 is widened enough when it is
 * stored. */
static inline void stebz_twos(double a, double c, double b, double w[2])
{
    double const half = 0.5 * (a - c), middle = 0.5 * (a + c), root = sqrt(half * half + b * b);
    w[0] = middle - root, w[1] = middle + root;
}

enum { STEBZ_SHORT_ROWS = 64 }; /* most rows of a matrix that stebz_short.c takes */

/* What stebz_short.c reads and writes: matrices that stand one after another, and how exactly they are wanted. */
typedef struct stebz_short {
    const double *a, *b; /* as in stebz_matrix */
    double *lo, *hi;     /* final brackets; those of a matrix stand where its rows do */
    double margin, abstol, reltol;
    bool fine; /* small eigenvalues are wanted to relative accuracy */
} stebz_short;

/* One of them: its first row, and 1 to STEBZ_SHORT_ROWS rows.  One that is not wanted gets no results. */
typedef struct stebz_short_rows {
    int64_t start;
    int rows;
    bool wanted;
} stebz_short_rows;

/* stebz_short.c: many short matrices, in double for either type. */
typedef struct stebz_short_kernel {
    /* All eigenvalues of those of `count` matrices, sorted by their rows, that are wanted. */
    void (*solve)(const stebz_short *t, const stebz_short_rows *matrix, int64_t count);
} stebz_short_kernel;

struct stebz_search;
struct stebz_few;

/* stebz_setup.c and stebz_tree.c: plain code of one type, from the caller's arrays to a scaled matrix in double, and
 * from brackets to the outputs. */
typedef struct stebz_setup {
    /* The largest absolute value of an entry; NaN where one is not finite. */
    double (*largest_entry)(int64_t n, const void *d, const void *e);
    /* The matrix in double, times 2^-scale: a[i] the diagonal, b[i] what couples rows i-1 and i, b[0] = 0. */
    void (*load)(int64_t n, const void *d, const void *e, int scale, double *a, double *b);
    /* Rows of the product form, in this type, from a and b.  False where this type is too narrow for them. */
    bool (*load_product)(int64_t n, const double *a, const double *b, void *rows, void *scales);
    /* Writes the eigenvalues that the search has found, and their enclosures where they are wanted; or NaN. */
    void (*store)(const stebz_problem *p, const struct stebz_search *search, int64_t matrix);
    void (*store_few)(const stebz_problem *p, const struct stebz_few *found, int64_t matrix);
    void (*store_nan)(const stebz_problem *p, int64_t matrix);
    /* Method interval tree. */
    eig_status (*tree)(struct stebz_search *search, int threads, double *pass_ms);
} stebz_setup;

/* The kernels of one instruction set and type. */
typedef struct stebz_kernels {
    const stebz_setup *setup;
    const stebz_product *product;
    const stebz_pivot *pivot;
    const stebz_short_kernel *short_blocks;
} stebz_kernels;

extern const stebz_setup eig_cpu_stebz_setup_s, eig_cpu_stebz_setup_d;
extern const stebz_product eig_cpu_stebz_product_baseline_s, eig_cpu_stebz_product_avx2_s,
    eig_cpu_stebz_product_avx512_s;
extern const stebz_product eig_cpu_stebz_product_baseline_d, eig_cpu_stebz_product_avx2_d,
    eig_cpu_stebz_product_avx512_d;
extern const stebz_pivot eig_cpu_stebz_pivot_baseline_d, eig_cpu_stebz_pivot_avx2_d, eig_cpu_stebz_pivot_avx512_d;
extern const stebz_short_kernel eig_cpu_stebz_short_baseline_d, eig_cpu_stebz_short_avx2_d,
    eig_cpu_stebz_short_avx512_d;

#endif
