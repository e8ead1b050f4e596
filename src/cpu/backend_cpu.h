/* What the families give to the CPU's table. */
#ifndef EIG_BACKEND_CPU_H
#define EIG_BACKEND_CPU_H

#include "problem.h"

/* The instruction sets for which kernels are compiled, worst first; which one a context uses is chosen once. */
typedef enum cpu_isa { CPU_BASELINE, CPU_AVX2, CPU_AVX512 } cpu_isa;

/* Milliseconds of a steady clock. */
double eig_cpu_clock(void);

cpu_isa cpu_isa_of(const eig_context *ctx);

size_t eig_cpu_stebz_work_size(const eig_context *ctx, const stebz_problem *p);
eig_status eig_cpu_stebz(eig_context *ctx, const stebz_problem *p);
size_t eig_cpu_stebz_count_work_size(const eig_context *ctx, const stebz_count_problem *p);
eig_status eig_cpu_stebz_count(eig_context *ctx, const stebz_count_problem *p);

size_t eig_cpu_geev_work_size(const eig_context *ctx, const geev_problem *p);
eig_status eig_cpu_geev(eig_context *ctx, const geev_problem *p);

#endif
