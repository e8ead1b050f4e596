/* Copies between the caller's memory and pinned staging, on several threads. */
#ifndef EIG_COPY_ROWS_H
#define EIG_COPY_ROWS_H

#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Copies rows of width bytes, row r from from + r*from_pitch to to + r*to_pitch, on the context's threads, at most 8:
 * so many bring the memory to its speed. */
void eig_copy_rows(const eig_context *ctx, char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t width,
                   size_t rows);

#ifdef __cplusplus
}
#endif

#endif
