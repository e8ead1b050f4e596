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

/* The reflection I - tau v v^H that takes x to -norm direction e_1: v is x except for its first number, head. */
typedef struct reflection {
    real norm, tau, head[2], direction[2];
} reflection;

/* The reflection of an x that begins with `first` and whose squares add up to `square`; none, and norm 0, where x is
 * negligible. In heev_tridiagonal.h the size of a number comes from a product with a reciprocal, here from a division:
 * bits differ. */
static inline reflection reflection_of(real square, const real first[2])
{
    real const top = first[0] * first[0] + first[1] * first[1], size = top < BARE * BARE ? 0 : sqrt(top);
    real const x = size > 0 ? first[0] : 0, y = size > 0 ? first[1] : 0;
    bool const empty = square < NEGLIGIBLE * NEGLIGIBLE;
    real norm, pivot, unused;
    REAL_TYPED(householder)(size, square, &norm, &pivot, &unused);
    reflection r = {.direction = {size > 0 ? x / size : 1, size > 0 ? y / size : 0}};
    r.norm = empty ? 0 : norm, r.tau = empty ? 0 : 1 / (norm * pivot);
    r.head[0] = x + r.direction[0] * norm, r.head[1] = y + r.direction[1] * norm;
    return r;
}

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

/* Sums over a band of rows; where there are several, their sum in ascending order is the whole: so it does not depend
 * on who makes them. */
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
    real *a[2], *z[2]; /* planes; element (i, j) at i + j*ld; a holds the elements below the diagonal, else zeros */
    real *d, *e, *tau, *bad;       /* [ld] */
    real *phase[2], *x[2], *y[2];  /* [ld] */
    int64_t band, bands;           /* rows of a band, and how many bands there are */
    band_sums *sums;               /* [bands] */
    real *own[2];                  /* [bands * ld] */
    bool stages;                   /* T is reached through a band */
    real *values;                  /* [heev_reduction_reals] for values alone, */
    void *search;                  /* and what stebz takes */
    double reduced;                /* the part of the work that the reduction is */
    real up, unit;                 /* the matrix was multiplied by up, then divided by unit */
    rotation *noted;               /* [HEEV_NOTED] in the order of their use */
    int count;                     /* of them */
    real *u;                       /* a plane for a merger's vectors: that of z's imaginary parts where it is free */
    real *scratch, *first_scratch; /* [heev_large_scratch] of this thread and of the first one, which all may use */
    int64_t *order;                /* [n] columns of Z by ascending eigenvalue */
    int64_t *lists;                /* [HEEV_LISTS * n] of a merger */
} large_matrix;

/* These columns of the triangle S, where I - V S V^H is the product of reflections, from those of V^H V in their place:
 * column l is -tau_l S G(:, l) above the diagonal, tau_l on it; tau is 0 from `count` on. */
static inline void make_triangle(block s, span columns, const real *tau, int64_t count)
{
    for (int64_t l = columns.first; l < columns.last; ++l) {
        real column[2][HEEV_WIDTH] = {{0}};
        real const size = l < count ? tau[l] : 0;
        for (int64_t t = 0; t < l; ++t) {
            real const re = s.part[0][t + l * s.ld], im = EIG_COMPLEX ? s.part[EIG_COMPLEX][t + l * s.ld] : 0;
            for (int64_t i = 0; i <= t; ++i) {
                real const x = s.part[0][i + t * s.ld], y = EIG_COMPLEX ? s.part[EIG_COMPLEX][i + t * s.ld] : 0;
                column[0][i] += x * re - y * im, column[1][i] += x * im + y * re;
            }
        }
        for (int64_t i = 0; i < s.ld; ++i) {
            s.part[0][i + l * s.ld] = i < l ? -size * column[0][i] : i == l ? size : 0;
            if (EIG_COMPLEX) s.part[EIG_COMPLEX][i + l * s.ld] = i < l ? -size * column[1][i] : 0;
        }
    }
}
_Static_assert((int)HEEV_REFLECTIONS <= (int)HEEV_WIDTH, "room for a column");

/* Whether to go on with a matrix of which `part` is done. */
static inline bool go_on(cpu_watch *watch, double part)
{
    return !watch || eig_cpu_watch_look(watch, part);
}

/* The same of a thread of a team; all see a stop at the next barrier. */
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
