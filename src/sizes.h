/* Whether arrays can be addressed, at no cost where they are small. */
#ifndef EIG_SIZES_H
#define EIG_SIZES_H

#include "problem.h"

/* eig_addressable, whose divisions cost a call of a small matrix as much as its other checks together. */
static inline bool eig_fits(int64_t count, int64_t stride, int64_t length, size_t size)
{
    uint64_t const all = (uint64_t)count | (uint64_t)stride | (uint64_t)length;
    return all < (uint64_t)1 << 28 || eig_addressable(count, stride, length, size);
}

#endif
