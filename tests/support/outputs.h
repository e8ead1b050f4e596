/* Arrays of a call.  It writes all its outputs into one block, so that two answers can be compared, and "nothing was
 * written" seen.  Leading dimensions and strides are larger than they must be; what lies between is NaN in an input,
 * and in an output it must stay untouched. */
#ifndef EIG_TEST_OUTPUTS_H
#define EIG_TEST_OUTPUTS_H

#include "device.h"
#include "float_mode.h"
#include "io/numbers.h"

#include <math.h>

enum { BLOCK = 1 << 18, UNTOUCHED = 0x55, INPUTS = 4, OUTPUTS = 8, ALL_OF_THEM = -1 };

/* Where an array's elements lie: columns of so many rows, ld apart, in matrices that are a stride apart. */
typedef struct extent {
    int64_t rows, columns, ld, count, stride;
} extent;

static inline extent line(int64_t length)
{
    return (extent){length, 1, length, 1, length};
}

static inline int64_t extent_elements(extent e)
{
    return e.rows * e.columns * e.count;
}

/* Up to the last element. */
static inline int64_t extent_span(extent e)
{
    return extent_elements(e) > 0 ? (e.count - 1) * e.stride + (e.columns - 1) * e.ld + e.rows : 0;
}

/* Where element k lies, in the order in which they would lie close together. */
static inline int64_t extent_at(extent e, int64_t k)
{
    return k % e.rows + k / e.rows % e.columns * e.ld + k / e.rows / e.columns * e.stride;
}

/* Memory elsewhere: a block for the outputs, and copies of inputs, which last as long as it does. */
typedef struct elsewhere {
    char *block;
    void *(*copy)(const void *from, size_t bytes);
} elsewhere;

/* Outputs, in the order in which a call asked for them, and the inputs of the call. */
typedef struct outputs {
    _Alignas(16) char block[BLOCK];
    size_t used;
    struct {
        size_t at, size;
        extent extent;
    } out[OUTPUTS];
    int outs;
    numbers in[INPUTS];
    extent in_extent[INPUTS];
    int inputs;
    bool dense;             /* leading dimensions and strides are the least */
    int without;            /* of the outputs that may be NULL the one by this number from 1, or ALL_OF_THEM, are */
    int optional;           /* how many there were */
    int exponent;           /* inputs are multiplied by 2 to this power */
    size_t shift;           /* this many bytes behind a multiple of 16 lie the arrays, but for those of int64_t */
    char *shifted[INPUTS];  /* the inputs, where there is a shift */
    const elsewhere *there; /* NULL: all lies on the host */
} outputs;

/* What a leading dimension or stride has above the least. */
static inline int64_t above(const outputs *o, int64_t pad)
{
    return o->dense ? 0 : pad;
}

static inline void *output_in(outputs *o, extent e, size_t size)
{
    if (o->used == 0) o->outs = o->optional = 0;
    o->used = ((o->used + 15) & ~(size_t)15) + o->shift;
    void *const at = (o->there ? o->there->block : o->block) + o->used;
    if (o->outs == OUTPUTS) fail_msg("too many outputs");
    o->out[o->outs].at = o->used, o->out[o->outs].size = size, o->out[o->outs++].extent = e;
    o->used += ((size_t)extent_span(e) * size + 15) & ~(size_t)15;
    if (o->used > BLOCK) fail_msg("the block of outputs is too small");
    return at;
}

/* Of whole numbers. */
static inline int64_t *output_whole_in(outputs *o, extent e)
{
    size_t const shift = o->shift;
    o->shift = 0;
    int64_t *const at = output_in(o, e, sizeof *at);
    o->shift = shift;
    return at;
}

/* The last output goes with the one before: both are there, or neither. */
static inline void *goes_with_it(outputs *o, void *last)
{
    if (o->without != ALL_OF_THEM && o->without != o->optional) return last;
    o->out[o->outs - 1].extent.count = 0;
    return NULL;
}

/* The last output is one that may be NULL. */
static inline void *may_be_null(outputs *o, void *last)
{
    o->optional += 1;
    return goes_with_it(o, last);
}

/* Count numbers uniform in [-1, 1), the same for every caller. */
static inline numbers some(eig_type type, int64_t count)
{
    numbers x;
    if (!numbers_make(&x, type, count)) fail_msg("no memory");
    numbers_random(&x, 7);
    for (int64_t k = 0; k < numbers_parts(&x); ++k) numbers_put_part(&x, k, 2 * numbers_part(&x, k) - 1);
    return x;
}

/* The same numbers times 2^exponent where the extent has them, NaN between; in whatever floating-point mode the caller is. */
static inline numbers some_in(eig_type type, extent e, int exponent)
{
    USUAL_FLOAT_MODE;
    numbers from = some(type, extent_elements(e)), x;
    for (int64_t k = 0; exponent != 0 && k < numbers_parts(&from); ++k)
        numbers_put_part(&from, k, ldexp(numbers_part(&from, k), exponent));
    if (!numbers_make(&x, type, extent_span(e))) fail_msg("no memory");
    numbers_fill(&x, NAN);
    for (int64_t k = 0; k < from.count; ++k)
        memcpy(numbers_at(&x, extent_at(e, k)), numbers_at(&from, k), type_size(type));
    numbers_free(&from);
    return x;
}

/* The same as an input of a call. */
static inline const void *input_in(outputs *o, eig_type type, extent e)
{
    numbers *const x = &o->in[o->inputs];
    *x = some_in(type, e, o->exponent);
    size_t const bytes = (size_t)x->count * type_size(type);
    if (o->shift && !(o->shifted[o->inputs] = malloc(bytes + o->shift))) fail_msg("no memory");
    char *const shifted = o->shift ? o->shifted[o->inputs] + o->shift : NULL;
    o->in_extent[o->inputs++] = e;
    if (shifted) return memcpy(shifted, x->data, bytes);
    return o->there ? o->there->copy(x->data, bytes) : x->data;
}

/* No call overwrites its inputs. */
static inline void inputs_kept(const char *name, const outputs *o)
{
    for (int i = 0; i < o->inputs; ++i) {
        numbers x = some_in(o->in[i].type, o->in_extent[i], o->exponent);
        const char *const at = o->shift ? o->shifted[i] + o->shift : o->in[i].data;
        if (memcmp(at, x.data, (size_t)x.count * type_size(x.type)) != 0) fail_msg("%s overwrites an input", name);
        numbers_free(&x);
    }
}

static inline void inputs_free(outputs *o)
{
    while (o->inputs > 0) {
        numbers_free(&o->in[--o->inputs]);
        if (o->shift) free(o->shifted[o->inputs]);
    }
}

static inline void outputs_clear(outputs *o)
{
    memset(o->block, UNTOUCHED, BLOCK);
    o->used = 0, o->outs = 0;
}

/* Nothing is written between the elements of the outputs, nor behind them. */
static inline void padding_untouched(const char *name, const outputs *o)
{
    static _Thread_local char ours[BLOCK];
    memset(ours, 0, sizeof ours);
    for (int i = 0; i < o->outs; ++i)
        for (int64_t k = 0; k < extent_elements(o->out[i].extent); ++k)
            memset(ours + o->out[i].at + (size_t)extent_at(o->out[i].extent, k) * o->out[i].size, 1, o->out[i].size);
    for (size_t at = 0; at < BLOCK; ++at)
        if (!ours[at] && o->block[at] != UNTOUCHED) {
            int i = 0;
            while (i + 1 < o->outs && o->out[i + 1].at <= at) ++i;
            fail_msg("%s: byte %zu of output %d, between its elements, is written", name, at - o->out[i].at, i);
        }
}

/* The elements of the outputs, close together. */
static inline void outputs_gather(const outputs *o, char *to)
{
    memset(to, UNTOUCHED, BLOCK);
    for (int i = 0; i < o->outs; ++i) {
        size_t const size = o->out[i].size;
        for (int64_t k = 0; k < extent_elements(o->out[i].extent); ++k, to += size)
            memcpy(to, o->block + o->out[i].at + (size_t)extent_at(o->out[i].extent, k) * size, size);
    }
}

static inline bool outputs_untouched(const outputs *o)
{
    for (size_t i = 0; i < BLOCK; ++i)
        if (o->block[i] != UNTOUCHED) return false;
    return true;
}

#endif
