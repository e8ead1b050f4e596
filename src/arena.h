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

/* Sizes that do not fit in a size_t are SIZE_MAX from there on. */

static inline size_t arena_product(size_t count, size_t size)
{
    return size > 0 && count > SIZE_MAX / size ? SIZE_MAX : count * size;
}

/* Rounded up to EIG_ALIGNMENT. */
static inline size_t arena_rounded(size_t bytes)
{
    return bytes > SIZE_MAX - EIG_ALIGNMENT ? SIZE_MAX : (bytes + EIG_ALIGNMENT - 1) & ~(size_t)(EIG_ALIGNMENT - 1);
}

/* An array of count elements of the given size, aligned to EIG_ALIGNMENT bytes; NULL while measuring. */
static inline void *arena_take(arena *a, int64_t count, size_t size)
{
    size_t const at = arena_rounded(a->used), bytes = arena_product((size_t)count, size);
    a->used = bytes > SIZE_MAX - at ? SIZE_MAX : at + bytes;
    return a->base ? a->base + at : NULL;
}

#endif
