/* Arrays of numbers whose type is known at run time. */
#include "numbers.h"

#include "internal.h"
#include "matrices.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- types */

const char *type_name(eig_type type)
{
    static const char *const names[] = {"f32", "f64", "c64", "c128"};
    int const index = type_index(type);
    return index < 0 ? "no type" : names[index];
}

eig_type type_real(eig_type type)
{
    return type_is_single(type) ? EIG_S : EIG_D;
}

eig_type type_complex(eig_type type)
{
    return type_is_single(type) ? EIG_C : EIG_Z;
}

double type_eps(eig_type type)
{
    return type_is_single(type) ? (double)FLT_EPSILON : DBL_EPSILON;
}

int type_digits(eig_type type)
{
    return type_is_single(type) ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG;
}

io_type type_in_file(eig_type type)
{
    static const io_type types[] = {IO_F32, IO_F64, IO_C64, IO_C128};
    return types[type_index(type)];
}

/* ------------------------------------------------------------------ arrays */

bool numbers_make(numbers *x, eig_type type, int64_t count)
{
    size_t const size = type_size(type);
    *x = (numbers){.type = type, .count = count};
    if (count < 0 || (uint64_t)count > SIZE_MAX / 2 / size) return false;
    x->data = calloc(count > 0 ? (size_t)count : 1, size);
    return x->data != NULL;
}

void numbers_free(numbers *x)
{
    free(x->data);
    *x = (numbers){0};
}

void numbers_fill(numbers *x, double value)
{
    for (int64_t k = 0; k < numbers_parts(x); ++k) numbers_put_part(x, k, value);
}

/* 24 bits for float, 53 for double: a float is then below 1 too. */
void numbers_random(numbers *x, uint64_t seed)
{
    matrices_rng rng = matrices_seed(seed);
    int64_t const parts = numbers_parts(x);
    if (type_is_single(x->type)) {
        for (int64_t k = 0; k < parts; ++k) ((float *)x->data)[k] = (float)(matrices_next(&rng) >> 40) * 0x1p-24F;
    } else {
        for (int64_t k = 0; k < parts; ++k) ((double *)x->data)[k] = matrices_uniform(&rng);
    }
}

void numbers_from(numbers *x, int64_t first, const double *from, int64_t count)
{
    for (int64_t k = 0; k < count; ++k) numbers_put_part(x, first + k, from[k]);
}

void numbers_to(const numbers *x, int64_t first, double *to, int64_t count)
{
    for (int64_t k = 0; k < count; ++k) to[k] = numbers_part(x, first + k);
}

int64_t numbers_not_finite(const numbers *x)
{
    for (int64_t k = 0; k < numbers_parts(x); ++k)
        if (!isfinite(numbers_part(x, k))) return type_is_complex(x->type) ? k / 2 : k;
    return -1;
}

bool numbers_same(const numbers *x, const numbers *y)
{
    return x->type == y->type && x->count == y->count &&
           memcmp(x->data, y->data, (size_t)x->count * type_size(x->type)) == 0;
}

void numbers_put(numbers *x, int64_t first, const io_array *a)
{
    bool const given = a->type == IO_C64 || a->type == IO_C128, wanted = type_is_complex(x->type);
    int64_t const parts = given ? 2 * io_array_count(a) : io_array_count(a), step = wanted && !given ? 2 : 1;
    int64_t const from = wanted ? 2 * first : first;
    for (int64_t k = 0; k < parts; ++k) {
        numbers_put_part(x, from + step * k, io_array_part(a, k));
        if (step == 2) numbers_put_part(x, from + 2 * k + 1, 0);
    }
}

bool numbers_take(numbers *x, eig_type type, const char *path, const io_array *a, io_error *error)
{
    bool const given = a->type == IO_C64 || a->type == IO_C128, wanted = type_is_complex(type);
    int64_t const count = io_array_count(a);
    *x = (numbers){0};
    if (given && !wanted) return io_fail(error, path, "is complex; real numbers are needed");
    if (!numbers_make(x, type, count))
        return io_fail(error, path, "holds %lld numbers, for which there is not enough memory", (long long)count);
    numbers_put(x, 0, a);
    return true;
}
