/* What the files of `bits` share. */
#ifndef EIG_TEST_BITS_H
#define EIG_TEST_BITS_H

#include "eigpack.h"

extern eig_context *bits_ctx;

/* Adds bytes, or reals of a type, with one pattern for all NaN, to the checksum of the case. */
void bits_digest(const void *data, size_t bytes);
void bits_reals(eig_type type, const void *x, int64_t count);

/* Prints the checksum, or compares it, and begins another case. */
void bits_end_case(const char *name);

/* A problem that cannot be computed ends the program. */
void bits_demand(eig_status status);

/* Zeros: count elements of any type. */
void *bits_room(int64_t count);

/* The cases of heev. */
void bits_heev(eig_type type);

/* Those of stemr, on a CPU. */
void bits_stemr(eig_type type);

/* One and more of every function, on a CPU. */
void bits_calls(void);

#endif
