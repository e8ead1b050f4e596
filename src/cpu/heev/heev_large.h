/* heev on the CPU, n > 64: one matrix at a time. What the parts of heev_large.c share. */
#ifndef EIG_HEEV_LARGE_H
#define EIG_HEEV_LARGE_H

#include "heev_plain.h"

#include "blocks.h"
#include "product.h"
#include "team.h"

/* Numbers that are not larger are neglected, as in heev_tridiagonal.h; entries are at most 2. */
#define NEGLIGIBLE FLOAT_OR_DOUBLE(0x1p-45f, 0x1p-420)
#define TINY FLOAT_OR_DOUBLE(0x1p-50f, 0x1p-450)
#define BARE FLOAT_OR_DOUBLE(0x1p-62f, 0x1p-500)

/* A rotation of columns i and i+1 of Z. */
typedef struct rotation {
    real c, s;
    int64_t i;
} rotation;
_Static_assert(sizeof(rotation) <= HEEV_NOTED_BYTES, "a rotation's room");

/* A number for each column of V and W of a panel. */
typedef struct coefficients {
    real re[2 * HEEV_PANEL], im[2 * HEEV_PANEL];
} coefficients;

/* Sums over a band of rows; where there are several, their sum in ascending order is the whole: so it does not depend on who makes
 * them. */
typedef struct band_sums {
    coefficients c;
    real square, dot, top[2]; /* of column k; element k+1 of it, in the first band */
    real rest[BLOCK - 4];
} band_sums;
_Static_assert(sizeof(band_sums) == HEEV_BAND_SUMS(sizeof(real)) * sizeof(real), "room for the sums");

/* As one thread sees it: each has its own scratch, rotations and lists, all else is shared. */
typedef struct large_matrix {
    int64_t n, ld;
    cpu_member *who;   /* the thread, of those that work on the matrix */
    bool edges;        /* Z has only two rows: the first and the last one of each diagonal block that is solved */
    int64_t ldz;       /* of z: ld, or BLOCK where there are two rows */
    real *a[2], *z[2]; /* planes; element (i, j) at i + j*ld; a holds the elements below the diagonal, else zeros */
    real *d, *e, *tau, *bad;      /* [ld] */
    real *phase[2], *x[2], *y[2]; /* [ld] */
    int64_t band, bands;          /* rows of a band, and how many bands there are */
    band_sums *sums;              /* [bands] */
    real *own[2];                 /* [bands * ld] */
    real up, unit;                /* the matrix was multiplied by up, then divided by unit */
    rotation *noted;              /* [HEEV_NOTED] in the order of their use */
    int count;                    /* of them */
    real *u; /* a plane for a merger's vectors: that of z's imaginary parts, or of A, where it is free */
    real *scratch, *first_scratch; /* [heev_large_scratch] of this thread and of the first one, which all may use */
    int64_t *order;                /* [n] columns of Z by ascending eigenvalue */
    int64_t *lists;                /* [HEEV_LISTS * n] of a merger */
} large_matrix;

/* Those of Z that belong to a diagonal block of T. */
static inline span rows_of_z(const large_matrix *m, span diagonal)
{
    return m->edges ? (span){0, 2} : diagonal;
}

/* Whether to go on with a matrix of which `part` is done. */
static inline bool go_on(cpu_watch *watch, double part)
{
    return !watch || eig_cpu_watch_look(watch, part);
}

/* The same of a thread of a team; all hear of a stop when they next meet. */
static inline bool team_goes_on(const large_matrix *m, cpu_watch *watch, double part)
{
    bool const on = go_on(watch, part);
    if (!on) cpu_team_stop(m->who);
    return on;
}

/* This thread's share of 0, ..., count - 1, in whole numbers of `step`. */
static inline span share_of(const large_matrix *m, int64_t count, int64_t step)
{
    int64_t const steps = (count + step - 1) / step, size = m->who->size, rank = m->who->rank;
    return (span){least(steps * rank / size * step, count), least(steps * (rank + 1) / size * step, count)};
}

#endif
