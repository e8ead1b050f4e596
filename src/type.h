/* What the layers ask of an eig_type. */
#ifndef EIG_TYPE_H
#define EIG_TYPE_H

#include "eigpack.h"

#include <stdbool.h>

/* s, d, c, z: 0, 1, 2, 3, the place in tables; -1 for what is no type. */
static inline int type_index(eig_type type)
{
    return type == EIG_S ? 0 : type == EIG_D ? 1 : type == EIG_C ? 2 : type == EIG_Z ? 3 : -1;
}

static inline bool type_is_complex(eig_type type)
{
    return type == EIG_C || type == EIG_Z;
}

/* Whether its real numbers are floats. */
static inline bool type_is_single(eig_type type)
{
    return type == EIG_S || type == EIG_C;
}

/* The type of its complex numbers, and that of its real ones. */
static inline eig_type type_complex_of(eig_type type)
{
    return type_is_single(type) ? EIG_C : EIG_Z;
}

static inline eig_type type_real_of(eig_type type)
{
    return type_is_single(type) ? EIG_S : EIG_D;
}

static inline size_t type_size(eig_type type)
{
    return (type_is_single(type) ? sizeof(float) : sizeof(double)) << (type_is_complex(type) ? 1 : 0);
}

/* The array's element number `at`, for arrays whose type is known at run time only. */
static inline void *type_at(eig_type type, const void *array, int64_t at)
{
    return (char *)array + (size_t)at * type_size(type);
}

/* The same number of a real array, and a place in it that gets x, rounded to the type. */
static inline double type_get(eig_type type, const void *array, int64_t at)
{
    return type_is_single(type) ? (double)((const float *)array)[at] : ((const double *)array)[at];
}

static inline void type_put(eig_type type, void *array, int64_t at, double x)
{
    if (type_is_single(type))
        ((float *)array)[at] = (float)x;
    else
        ((double *)array)[at] = x;
}

#endif
