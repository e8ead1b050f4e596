/* What the families give to the CPU's table. */
#ifndef EIG_BACKEND_CPU_H
#define EIG_BACKEND_CPU_H

#include "geev/geev_cpu.h"
#include "heev/heev_cpu.h"
#include "isa.h"
#include "problem.h"
#include "stebz/stebz_kernels.h"
#include "stemr/stemr_kernels.h"

/* Milliseconds of a steady clock. */
double eig_cpu_clock(void);

/* What the families have for one instruction set and one type; of the complex types only heev and geev. */
typedef struct cpu_kernels {
    stebz_kernels stebz;
    heev_kernels heev;
    geev_kernels geev;
    const stemr_kernel *stemr; /* of d */
} cpu_kernels;

/* Those of the instruction set that was chosen when the context was opened. */
const cpu_kernels *eig_cpu_kernels(const eig_context *ctx, eig_type type);

size_t eig_cpu_stebz_work_size(const eig_context *ctx, const stebz_problem *p);
eig_status eig_cpu_stebz(eig_context *ctx, const stebz_problem *p);
size_t eig_cpu_stebz_count_work_size(const eig_context *ctx, const stebz_count_problem *p);
eig_status eig_cpu_stebz_count(eig_context *ctx, const stebz_count_problem *p);

size_t eig_cpu_stemr_work_size(const eig_context *ctx, const stemr_problem *p);
eig_status eig_cpu_stemr(eig_context *ctx, const stemr_problem *p);
eig_status eig_cpu_stemr_batch(eig_context *ctx, const stemr_batch *all, eig_stemr_stats *sum);

size_t eig_cpu_heev_work_size(const eig_context *ctx, const heev_problem *p);
eig_status eig_cpu_heev(eig_context *ctx, const heev_problem *p);
bool eig_cpu_heev_ranges(const eig_context *ctx, const heev_problem *p);
eig_status eig_cpu_heev_select(eig_context *ctx, const heev_selection *s);

size_t eig_cpu_geev_work_size(const eig_context *ctx, const geev_problem *p);
eig_status eig_cpu_geev(eig_context *ctx, const geev_problem *p);

#endif
