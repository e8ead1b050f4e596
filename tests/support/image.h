/* An array of a call as it must be afterwards, byte for byte: results, what lies between them, and a guard on both sides. */
#ifndef EIG_TEST_IMAGE_H
#define EIG_TEST_IMAGE_H

#include "device.h"
#include "io/numbers.h"

#include <math.h>

enum { IMAGE_GUARD = 192, IMAGE_IN = 0xff, IMAGE_OUT = 0x55 }; /* bytes of 0xff are NaN */

typedef struct image {
    const char *name;
    size_t size;                                 /* of an element */
    eig_type real;                               /* of its parts; 0: whole numbers */
    size_t bytes;                                /* with the guards */
    size_t first;                                /* where element 0 lies */
    unsigned char *start, *want, *got, *written; /* before the call; after it; where the call writes */
} image;

/* An array of so many elements, all of them poison; shift: this many bytes off a multiple of 64. */
static inline void image_make(image *x, const char *name, int64_t count, size_t size, eig_type real, int poison,
                              size_t shift)
{
    *x = (image){.name = name, .size = size, .real = real, .first = IMAGE_GUARD + shift};
    x->bytes = 2 * IMAGE_GUARD + shift + (size_t)count * size;
    size_t const rounded = (x->bytes + 63) / 64 * 64;
    unsigned char **const all[] = {&x->start, &x->want, &x->got, &x->written};
    for (int k = 0; k < 4; ++k) {
        *all[k] = aligned_alloc(64, rounded);
        if (!*all[k]) fail_msg("no memory");
        memset(*all[k], k < 3 ? poison : 0, rounded);
    }
}

static inline void image_free(image *x)
{
    free(x->start), free(x->want), free(x->got), free(x->written);
    *x = (image){0};
}

/* The array for the call; NULL where it was not made. */
static inline void *image_at(const image *x)
{
    return x->got ? x->got + x->first : NULL;
}

/* An element of an input. */
static inline void image_hold(image *x, int64_t k, const void *element)
{
    size_t const at = x->first + (size_t)k * x->size;
    memcpy(x->start + at, element, x->size);
    memcpy(x->want + at, element, x->size);
}

/* An element that the call must write. */
static inline void image_want(image *x, int64_t k, const void *element)
{
    if (!x->want) return;
    size_t const at = x->first + (size_t)k * x->size;
    memcpy(x->want + at, element, x->size);
    memset(x->written + at, 1, x->size);
}

static inline void image_want_whole(image *x, int64_t k, int64_t value)
{
    int const narrow = (int)value;
    image_want(x, k, x->size == sizeof narrow ? (const void *)&narrow : &value);
}

static inline void image_begin(image *x)
{
    if (x->got) memcpy(x->got, x->start, x->bytes);
}

/* Whether nothing was written. */
static inline bool image_untouched(const image *x)
{
    return !x->got || memcmp(x->got, x->start, x->bytes) == 0;
}

/* Whether nothing was written but where the call writes. */
static inline bool image_padding_kept(const image *x)
{
    for (size_t k = 0; x->got && k < x->bytes; ++k)
        if (!x->written[k] && x->got[k] != x->start[k]) return false;
    return true;
}

/* Of NaN, which NaN does not count. */
static inline bool image_both_nan(const image *x, size_t at)
{
    if (x->real == EIG_D) {
        double a, b;
        memcpy(&a, x->got + at, sizeof a), memcpy(&b, x->want + at, sizeof b);
        return isnan(a) && isnan(b);
    }
    float a, b;
    memcpy(&a, x->got + at, sizeof a), memcpy(&b, x->want + at, sizeof b);
    return x->real == EIG_S && isnan(a) && isnan(b);
}

/* The first byte that is not as it must be; -1: there is none. */
static inline int64_t image_differs(const image *x)
{
    if (!x->got || memcmp(x->got, x->want, x->bytes) == 0) return -1;
    size_t const part = x->real == EIG_D ? sizeof(double) : sizeof(float);
    for (size_t k = 0; k < x->bytes; ++k) {
        if (x->got[k] == x->want[k]) continue;
        size_t const at = k < x->first ? k : x->first + (k - x->first) / part * part;
        if (!x->written[k] || !x->real || !image_both_nan(x, at)) return (int64_t)k - (int64_t)x->first;
        k = at + part - 1;
    }
    return -1;
}

#endif
