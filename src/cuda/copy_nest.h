/* Nests of rows: how a strided array lies in memory, and its copy on several threads. */
#ifndef EIG_COPY_NEST_H
#define EIG_COPY_NEST_H

#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NEST_LEVELS = 3 };

/* count[0]*count[1]*count[2] rows of `width` bytes each: row (i, j, k) begins at i*stride[0] + j*stride[1] +
 * k*stride[2] bytes.  A dense copy holds the rows one after the other, k fastest. */
typedef struct copy_nest {
    int64_t count[NEST_LEVELS], stride[NEST_LEVELS];
    size_t width;
} copy_nest;

/* Bytes of the dense copy. */
static inline size_t nest_bytes(const copy_nest *nest)
{
    return (size_t)(nest->count[0] * nest->count[1] * nest->count[2]) * nest->width;
}

/* The same rows in fewer levels, the longest rows that there are; levels that are not needed have count 1 and come
 * first. */
copy_nest eig_cuda_simplify_nest(copy_nest nest);

/* Copies a nest to its dense copy, or (to_strided) back, on the context's threads, 8 at most: more do not make the
 * memory faster. */
void eig_cuda_copy_nest(const eig_context *ctx, const copy_nest *nest, void *strided, void *dense, bool to_strided);

#ifdef __cplusplus
}
#endif

#endif
