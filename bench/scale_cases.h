/* The cases of bench_scale: a large call of each family on host arrays; inputs are one block of memory, outputs
 * another. */
#ifndef EIG_BENCH_SCALE_CASES_H
#define EIG_BENCH_SCALE_CASES_H

#include "eigpack.h"

#include <stdbool.h>

typedef struct scale_case {
    const char *family;
    eig_type type;
    int64_t n, batch;
    size_t in_bytes, out_bytes;
    void (*fill)(const struct scale_case *c, void *in);
    eig_status (*call)(eig_context *ctx, const struct scale_case *c, const void *in, void *out);
    /* Whether the answer is right; a CPU context checks it. */
    bool (*right)(eig_context *cpu, const struct scale_case *c, const void *in, const void *out);
} scale_case;

/* The abscissae of a control loop at side^3 points; all eigenvalues, or eigenpairs, of a T of order n; eigenpairs of a batch. */
scale_case scale_case_geev(int64_t side);
scale_case scale_case_stebz(int64_t n);
scale_case scale_case_stemr(int64_t n);
scale_case scale_case_heev(int64_t n, int64_t batch);

/* Ends the program where a call of the library failed. */
void scale_must(eig_context *ctx, eig_status status);

#endif
