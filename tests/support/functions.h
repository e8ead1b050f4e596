/* The functions that compute, as include/eigpack.h declares them: the build makes functions.inc of its prototypes and of the table
 * of shapes in scripts/interface. */
#ifndef EIG_TEST_FUNCTIONS_H
#define EIG_TEST_FUNCTIONS_H

#include "calls.h"
#include "outputs.h"

enum argument_kind { IS_SIZE, IS_LEADING, IS_STRIDE, IS_INPUT, IS_OUTPUT, IS_CHOICE };

/* An argument behind context, type and options. */
typedef struct public_argument {
    enum argument_kind kind;
    char of; /* arrays: T numbers of the call's type, R real ones, C complex ones, L int64_t, I int, S a structure */
    const char *name;
} public_argument;

typedef union call_value {
    int64_t whole;
    const void *in;
    void *out;
} call_value;

enum { MOST_ARGUMENTS = 24 };

typedef struct public_function {
    const char *name, *types; /* without eig_; its letters */
    /* typed: by the function of the type's letter. */
    eig_status (*call)(eig_context *ctx, eig_type type, bool typed, const void *options, const call_value *v);
    eig_status (*work_size)(eig_context *ctx, eig_type type, const void *options, int64_t n, int64_t m, int vectors,
                            int64_t batch, size_t *bytes);
    const char *shapes; /* of its arrays, in the form that scripts/interface tells */
    int count;
    public_argument argument[MOST_ARGUMENTS];
} public_function;

#include "functions.inc"

enum { FUNCTIONS = sizeof public_functions / sizeof *public_functions };

typedef struct call_sizes {
    int64_t n, m, k, batch;
} call_sizes;

static inline const public_function *function_of(const char *name)
{
    size_t const length = strcspn(name, " ");
    for (int i = 0; i < FUNCTIONS; ++i)
        if (strlen(public_functions[i].name) == length && memcmp(public_functions[i].name, name, length) == 0)
            return &public_functions[i];
    fail_msg("%s: eigpack.h has no such function", name);
    return NULL;
}

/* Its place among the arguments; -1: it has none of the name. */
static inline int argument_of(const public_function *f, const char *before, const char *name, size_t length)
{
    size_t const skipped = strlen(before);
    for (int i = 0; i < f->count; ++i) {
        const char *const own = f->argument[i].name;
        if (strlen(own) == skipped + length && strncmp(own, before, skipped) == 0 &&
            memcmp(own + skipped, name, length) == 0)
            return i;
    }
    return -1;
}

static inline bool is_batched(const public_function *f)
{
    return argument_of(f, "", "batch", 5) >= 0 || argument_of(f, "", "points", 6) >= 0;
}

/* The rest of its shape behind the array's name. */
static inline const char *shape_of(const public_function *f, const char *array, size_t length)
{
    for (const char *at = f->shapes; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strncmp(at, array, length) == 0 && strcspn(at, "[@*?&~= ") == length) return at + length;
    fail_msg("%s: SHAPES of scripts/interface lacks %.*s", f->name, (int)length, array);
    return "";
}

/* A letter, or a number. */
static inline int64_t choice_of(const public_function *f, const char *name)
{
    const char *const shape = shape_of(f, name, strlen(name));
    char const letter = shape[0] == '=' ? shape[1] : '0';
    return letter >= '0' && letter <= '9' ? letter - '0' : letter;
}

/* Of "n", "n-1", "2k". */
static inline int64_t shape_number(const char **at, const call_sizes *s)
{
    char *end;
    int64_t number = 1;
    if (**at >= '0' && **at <= '9') number = strtoll(*at, &end, 10), *at = end;
    if (**at == 'n' || **at == 'm' || **at == 'k') number *= **at == 'n' ? s->n : **at == 'm' ? s->m : s->k, ++*at;
    if (**at == '-' || **at == '+') number += strtoll(*at, &end, 10), *at = end;
    return number > 0 ? number : 0;
}

typedef struct array_shape {
    extent least; /* close together */
    int stride;   /* argument that tells the distance of two, times `times`; -1: none does */
    int64_t times;
    char null; /* '?', '&', '~', or 0 */
    bool is_matrix;
} array_shape;

static inline array_shape array_named(const public_function *f, const char *array, size_t length, const call_sizes *s)
{
    const char *at = shape_of(f, array, length);
    array_shape shape = {.least = {1, 1, 1, is_batched(f) ? s->batch : 1, 1}, .times = 1};
    shape.stride = argument_of(f, "stride_", array, length);
    if (*at == '[') {
        ++at, shape.least.rows = shape_number(&at, s);
        if (*at == ',') ++at, shape.least.columns = shape_number(&at, s), shape.is_matrix = true;
        ++at;
    }
    if (*at == '@') {
        ++at;
        if (*at == '2') ++at, shape.times = 2;
        size_t const owner = strcspn(at, "?&~ ");
        shape.stride = argument_of(f, "stride_", at, owner), at += owner;
    }
    if (*at == '*') ++at, shape.least.count = shape_number(&at, s);
    shape.null = *at == '?' || *at == '&' || *at == '~' ? *at : 0;
    shape.least.ld = shape.least.rows, shape.least.stride = shape.least.rows * shape.least.columns;
    return shape;
}

static inline bool is_array(const public_function *f, int i)
{
    return (f->argument[i].kind == IS_INPUT || f->argument[i].kind == IS_OUTPUT) && f->argument[i].of != 'S';
}

static inline array_shape array_of(const public_function *f, int i, const call_sizes *s)
{
    return array_named(f, f->argument[i].name, strlen(f->argument[i].name), s);
}

/* The least that a leading dimension or a stride may be, where the leading dimensions are those of v. */
static inline int64_t least_of(const public_function *f, int i, const call_sizes *s, const call_value *v)
{
    const char *const name = f->argument[i].name;
    if (f->argument[i].kind == IS_LEADING) return array_named(f, name + 2, strlen(name + 2), s).least.rows;
    const char *const array = name + strlen("stride_");
    extent const e = array_named(f, array, strlen(array), s).least;
    int const leading = argument_of(f, "ld", array, strlen(array));
    return (leading < 0 ? e.ld : v[leading].whole) * e.columns;
}

static inline bool is_among(const char *names, const char *name)
{
    size_t const length = strlen(name);
    for (const char *at = names; at && *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && memcmp(at, name, length) == 0) return true;
    return false;
}

/* Makes the arrays of a call with these sizes; those named in `absent`, with spaces between, are NULL. */
static inline void call_prepare(const public_function *f, const call_sizes *s, const char *absent, eig_type type,
                                outputs *o, call_value *v)
{
    for (int i = 0; i < f->count; ++i) {
        const public_argument *const a = &f->argument[i];
        if (a->kind == IS_SIZE) v[i].whole = a->name[0] == 'n' ? s->n : a->name[0] == 'm' ? s->m : s->batch;
        if (a->kind == IS_CHOICE) v[i].whole = choice_of(f, a->name);
        if (a->kind == IS_LEADING) v[i].whole = least_of(f, i, s, v) + above(o, 1 + i % 4);
    }
    for (int i = 0; i < f->count; ++i)
        if (f->argument[i].kind == IS_STRIDE) v[i].whole = least_of(f, i, s, v) + above(o, 1 + i % 5);
    for (int i = 0; i < f->count; ++i) {
        const public_argument *const a = &f->argument[i];
        if (a->of == 'S') v[i].out = NULL;
        if (!is_array(f, i)) continue;
        array_shape const shape = array_of(f, i, s);
        int const leading = argument_of(f, "ld", a->name, strlen(a->name));
        extent e = shape.least;
        if (leading >= 0) e.ld = v[leading].whole, e.stride = e.ld * e.columns;
        if (shape.stride >= 0) e.stride = shape.times * v[shape.stride].whole;
        eig_type const element = a->of == 'R' ? type_real_of(type) : a->of == 'C' ? type_complex_of(type) : type;
        if (a->kind == IS_INPUT) {
            v[i].in = input_in(o, element, e);
        } else if (is_among(absent, a->name)) {
            v[i].out = NULL;
        } else {
            v[i].out =
                a->of == 'L' ? output_whole_in(o, e) : output_in(o, e, a->of == 'I' ? sizeof(int) : type_size(element));
            if (shape.null == '?') v[i].out = may_be_null(o, v[i].out);
            if (shape.null == '&') v[i].out = goes_with_it(o, v[i].out);
        }
    }
}

/* Whether a call wants vectors, or a Schur form: matrices that it writes. */
static inline bool wants_matrices(const public_function *f, const char *absent)
{
    call_sizes const any = {1, 1, 1, 1};
    for (int i = 0; i < f->count; ++i)
        if (f->argument[i].kind == IS_OUTPUT && is_array(f, i) && !is_among(absent, f->argument[i].name) &&
            array_of(f, i, &any).is_matrix)
            return true;
    return false;
}

#endif
