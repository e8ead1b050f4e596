/* The times of a call's passes. */
#ifndef EIG_BENCH_PASSES_H
#define EIG_BENCH_PASSES_H

#include "eigpack.h"

enum { PASSES_MOST = 16 };

/* Those of the last call that measured them; how many. */
static inline int passes_read(const eig_context *ctx, eig_pass pass[PASSES_MOST])
{
    int const count = eig_get_passes(ctx) < PASSES_MOST ? eig_get_passes(ctx) : PASSES_MOST;
    for (int k = 0; k < count; ++k) {
        pass[k].size = sizeof *pass;
        eig_get_pass(ctx, k, &pass[k]);
    }
    return count;
}

#endif
