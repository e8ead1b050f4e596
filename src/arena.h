/* Carves one buffer into aligned arrays.  With base == NULL it only measures, so that a workspace query and the
 * driver that uses the workspace run the same layout function and cannot disagree. */
#ifndef EIG_ARENA_H
#define EIG_ARENA_H

#include <stddef.h>
#include <stdint.h>

#define EIG_ALIGNMENT 256

typedef struct arena {
    char *base;
    size_t used;
} arena;

/* An array of count elements of the given size, aligned to EIG_ALIGNMENT bytes; NULL while measuring. */
static inline void *arena_take(arena *a, int64_t count, size_t size)
{
    size_t const at = (a->used + EIG_ALIGNMENT - 1) & ~(size_t)(EIG_ALIGNMENT - 1);
    a->used = at + (size_t)count * size;
    return a->base ? a->base + at : NULL;
}

#endif
