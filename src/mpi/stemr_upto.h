/* Turns a range by value of stemr into a range by index, which the ranks then divide: for eigpack_mpi and the program
 * under mpirun. */
#ifndef EIG_STEMR_UPTO_H
#define EIG_STEMR_UPTO_H

#include "type.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Eigenvalues number first to last, alone, into w. */
static inline eig_status eig_stemr_values(eig_context *ctx, eig_type type, const eig_stemr_options *options, int64_t n,
                                          const void *d, const void *e, int64_t first, int64_t last, void *w)
{
    eig_stemr_options o = *options;
    o.range = EIG_RANGE_INDEX, o.il = first, o.iu = last;
    o.tree = NULL, o.tree_room = 0;
    return eig_stemr(ctx, type, &o, n, d, e, NULL, w, NULL, 0, NULL, NULL, NULL, NULL, NULL);
}

/* How many of the eigenvalues that stemr computes are x or less.  `about`, a Sturm count, says where to look. */
static inline eig_status eig_stemr_upto(eig_context *ctx, eig_type type, const eig_stemr_options *options, int64_t n,
                                        const void *d, const void *e, double x, int64_t about, int64_t *count)
{
    eig_status status = EIG_OK;
    bool inside = n == 0 || x == -(double)INFINITY; /* none is -infinity or less */
    *count = inside ? 0 : about;
    for (int64_t beside = 2; status == EIG_OK && !inside; beside *= 8) {
        int64_t const first = about > beside ? about - beside : 1, last = about + beside < n ? about + beside : n;
        void *const w = malloc((size_t)(last - first + 1) * eig_type_size(type));
        status = w ? eig_stemr_values(ctx, type, options, n, d, e, first, last, w) : EIG_NO_MEMORY;
        if (status == EIG_OK) {
            inside = (first == 1 || type_get(type, w, 0) <= x) && (last == n || type_get(type, w, last - first) > x);
            for (*count = first - 1; *count < last && type_get(type, w, *count - first + 1) <= x;) ++*count;
        }
        free(w);
    }
    return status;
}

#endif
