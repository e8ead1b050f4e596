/* The rounds of test_random: each draws matrices from its seed, solves them and certifies what is promised. */
#ifndef EIG_TEST_RANDOM_H
#define EIG_TEST_RANDOM_H

#include "eigpack.h"

void random_stebz(eig_context *ctx, uint64_t seed);
void random_stemr(eig_context *ctx, uint64_t seed);
void random_heev(eig_context *ctx, uint64_t seed);
void random_geev(eig_context *ctx, uint64_t seed);

/* A line with the worst numbers so far. */
void random_stebz_report(void);
void random_stemr_report(void);
void random_heev_report(void);
void random_geev_report(void);

#endif
