/* Arrays of numbers whose type is known at run time: for the program, the benchmarks and the tests.  Numbers go in and
 * out as double; a complex array has two parts for each element, real and imaginary. */
#ifndef EIG_IO_NUMBERS_H
#define EIG_IO_NUMBERS_H

#include "io.h"
#include "type.h"

typedef struct numbers {
    eig_type type;
    int64_t count;
    void *data; /* NULL: no array, also where memory ran out */
} numbers;

/* The types' names in NumPy's short form: f32, f64, c64, c128. */
const char *type_name(eig_type type);

/* The real type of a type's parts, and the complex type made of a type's numbers. */
eig_type type_real(eig_type type);
eig_type type_complex(eig_type type);

/* FLT_EPSILON or DBL_EPSILON; and how many decimal digits tell all numbers apart. */
double type_eps(eig_type type);
int type_digits(eig_type type);

/* The type of a file's numbers. */
io_type type_in_file(eig_type type);

/* An array of zeros.  False where there is no memory for it. */
bool numbers_make(numbers *x, eig_type type, int64_t count);
void numbers_free(numbers *x);

/* The address of element k. */
static inline void *numbers_at(const numbers *x, int64_t k)
{
    return type_at(x->type, x->data, k);
}

static inline int64_t numbers_parts(const numbers *x)
{
    return type_is_complex(x->type) ? 2 * x->count : x->count;
}

/* Part k: element k of a real array; of a complex one the real (even k) or imaginary part of element k/2. */
static inline double numbers_part(const numbers *x, int64_t k)
{
    return type_get(x->type, x->data, k);
}

static inline void numbers_put_part(numbers *x, int64_t k, double value)
{
    type_put(x->type, x->data, k, value);
}

/* Element k; the imaginary part of a real number is 0. */
static inline double numbers_re(const numbers *x, int64_t k)
{
    return numbers_part(x, type_is_complex(x->type) ? 2 * k : k);
}

static inline double numbers_im(const numbers *x, int64_t k)
{
    return type_is_complex(x->type) ? numbers_part(x, 2 * k + 1) : 0;
}

/* Every part becomes the value. */
void numbers_fill(numbers *x, double value);

/* Every part uniform in [0, 1); the same seed gives the same numbers, rounded to the type. */
void numbers_random(numbers *x, uint64_t seed);

/* Parts first, ..., first + count - 1 from and to doubles. */
void numbers_from(numbers *x, int64_t first, const double *from, int64_t count);
void numbers_to(const numbers *x, int64_t first, double *to, int64_t count);

/* The first element that holds a NaN or an infinity; -1: there is none. */
int64_t numbers_not_finite(const numbers *x);

/* Whether all bits are the same. */
bool numbers_same(const numbers *x, const numbers *y);

/* Elements first, first + 1, ... become the array's; where the types differ, as numbers_take says. */
void numbers_put(numbers *x, int64_t first, const io_array *a);

/* A file's array in the given type, as a new array; an integer or a real number becomes a complex one with imaginary
 * part 0, and a complex array needs a complex type. False, with a sentence, where that is not so or memory ran out. */
bool numbers_take(numbers *x, eig_type type, const char *path, const io_array *a, io_error *error);

#endif
