/* heev on the CPU: what its files share.
 *
 *     heev_cpu.c          the driver
 *
 * compiled once for each type:
 *
 *     heev_reference.c    plain two-sided Jacobi for one matrix of any order: the oracle
 *     heev_plain.h        loading and storing of one matrix */
#ifndef EIG_HEEV_CPU_H
#define EIG_HEEV_CPU_H

#include "problem.h"
#include "watch.h"

/* Computes matrix b of the problem and stores its results.  work: heev_reference_bytes, aligned.  watch: NULL, or looked at between steps; nothing is stored of a matrix that it stops. */
typedef void heev_solver(const heev_problem *p, int64_t b, void *work, cpu_watch *watch);

/* Of one instruction set and type. */
typedef struct heev_kernels {
    heev_solver *reference;
} heev_kernels;

extern heev_solver eig_cpu_heev_reference_s, eig_cpu_heev_reference_d;
extern heev_solver eig_cpu_heev_reference_c, eig_cpu_heev_reference_z;

/* Distance of two columns of a matrix: odd, so that a row does not fall on one set of the cache. */
static inline int64_t heev_column(int64_t n)
{
    return n | 1;
}

/* The work area of the reference: the order, A and V in planes of real and imaginary parts, eigenvalues, marks. */
static inline int64_t heev_reference_bytes(const heev_problem *p)
{
    int64_t const planes = (type_is_complex(p->type) ? 2 : 1) * (p->vectors ? 2 : 1);
    int64_t const real = type_is_single(p->type) ? sizeof(float) : sizeof(double);
    return p->n * (int64_t)sizeof(int64_t) + (planes * p->n * heev_column(p->n) + 2 * p->n) * real;
}

#endif
