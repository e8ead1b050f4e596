/* Every public function as one row of a table, on one small problem: for the tests of what all calls have in common.
 * A call writes all its outputs into one block, so that two answers can be compared, and "nothing was written" seen.
 * Leading dimensions and strides are all larger than they must be, and all different; what lies between is NaN in an
 * input, and in an output it must stay untouched. */
#ifndef EIG_TEST_OPERATIONS_H
#define EIG_TEST_OPERATIONS_H

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

static inline extent lines(int64_t length, int64_t count, int64_t stride)
{
    return (extent){length, 1, length, count, stride};
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

static inline void *output(outputs *o, int64_t count, size_t size)
{
    return output_in(o, line(count), size);
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

static inline int64_t *output_whole(outputs *o, int64_t count)
{
    return output_whole_in(o, line(count));
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

static inline const void *input(outputs *o, eig_type type, int64_t count)
{
    return input_in(o, type, line(count));
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

/* Makes the call, or asks for its workspace where bytes is not NULL. */
typedef eig_status operate(eig_context *ctx, eig_type type, int method, outputs *o, size_t *bytes);

typedef struct operation {
    const char *name;
    operate *run;
    int method;
    const char *cpu_passes[5], *cuda_passes[5]; /* their names; none: not told */
} operation;

enum { TIGHT = 100 }; /* added to a method of stebz: abstol below eps ||T|| */

static inline eig_stebz_options stebz_options(int method)
{
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    options.method = (eig_stebz_method)(method % TIGHT);
    options.abstol = method >= TIGHT ? 1e-30 : 0;
    return options;
}

static inline eig_status operate_stebz(eig_context *ctx, eig_type type, int method, outputs *o, size_t *bytes)
{
    enum { N = 333 };
    eig_stebz_options const options = stebz_options(method);
    size_t const real = type_size(type);
    if (bytes) return eig_stebz_work_size(ctx, type, &options, N, 1, bytes);
    const void *const d = input(o, type, N), *const e = input(o, type, N - 1);
    void *const w = output(o, N, real), *const lower = may_be_null(o, output(o, N, real));
    void *const upper = goes_with_it(o, output(o, N, real));
    int64_t *const m = may_be_null(o, output_whole(o, 1));
    int *const info = may_be_null(o, output(o, 1, sizeof *info));
    return eig_stebz(ctx, type, &options, N, d, e, m, w, lower, upper, info);
}

static inline eig_status operate_stebz_batched(eig_context *ctx, eig_type type, int method, outputs *o, size_t *bytes)
{
    enum { N = 40, BATCH = 19 };
    eig_stebz_options const options = stebz_options(method);
    size_t const real = type_size(type);
    if (bytes) return eig_stebz_work_size(ctx, type, &options, N, BATCH, bytes);
    int64_t const stride_d = N + above(o, 2), stride_e = N - 1 + above(o, 5), stride_w = N + above(o, 3);
    const void *const d = input_in(o, type, lines(N, BATCH, stride_d));
    const void *const e = input_in(o, type, lines(N - 1, BATCH, stride_e));
    extent const found = lines(N, BATCH, stride_w);
    void *const w = output_in(o, found, real), *const lower = may_be_null(o, output_in(o, found, real));
    void *const upper = goes_with_it(o, output_in(o, found, real));
    int *const info = may_be_null(o, output(o, BATCH, sizeof *info));
    return eig_stebz_batched(ctx, type, &options, N, d, stride_d, e, stride_e, w, lower, upper, stride_w, info, BATCH);
}

static inline eig_status operate_stebz_count(eig_context *ctx, eig_type type, int method, outputs *o, size_t *bytes)
{
    enum { N = 333, M = 70 };
    (void)method;
    if (bytes) return eig_stebz_count_work_size(ctx, type, N, M, bytes);
    const void *const d = input(o, type, N), *const e = input(o, type, N - 1), *const x = input(o, type, M);
    int64_t *const count = output_whole(o, M);
    int *const info = may_be_null(o, output(o, 1, sizeof *info));
    return eig_stebz_count(ctx, type, N, d, e, M, x, count, info);
}

enum { LARGE = 100 }; /* added to a method of geev: order 70, above the kernels' largest */

/* Added to a method: c or z in place of s or d; of geev: vectors and condition numbers; of heev: no vectors; of heev: some pairs. */
enum { COMPLEX = 1000, VECTORS = 2000, VALUES = 2000, RANGED = 4000 };

static inline eig_geev_options geev_options(int method)
{
    eig_geev_options options = EIG_GEEV_OPTIONS;
    options.method = (eig_geev_method)(method % LARGE);
    return options;
}

static inline eig_status operate_geev_batched(eig_context *ctx, eig_type real, int method, outputs *o, size_t *bytes)
{
    bool const large = method % COMPLEX >= LARGE, vectors = method >= VECTORS;
    eig_type const type = method % VECTORS >= COMPLEX ? type_complex(real) : real;
    int64_t const n = large ? 70 : 14, batch = large ? (vectors ? 1 : 3) : vectors ? 20 : 50;
    eig_geev_options const options = geev_options(method % COMPLEX);
    if (bytes) return eig_geev_work_size(ctx, type, &options, n, vectors, batch, bytes);
    int64_t const lda = n + above(o, 1), stride_a = lda * n + above(o, 3), stride_w = n + above(o, 2);
    int64_t const ldvl = n + above(o, 2), stride_vl = ldvl * n + above(o, 1), ldvr = n + above(o, 1);
    int64_t const stride_vr = ldvr * n + above(o, 4);
    const void *const a = input_in(o, type, (extent){n, n, lda, batch, stride_a});
    void *const w = output_in(o, lines(n, batch, stride_w), 2 * type_size(real)), *vl = NULL, *vr = NULL;
    void *condition = NULL;
    if (vectors) {
        size_t const size = 2 * type_size(real);
        vl = may_be_null(o, output_in(o, (extent){n, n, ldvl, batch, stride_vl}, size));
        vr = may_be_null(o, output_in(o, (extent){n, n, ldvr, batch, stride_vr}, size));
        condition = may_be_null(o, output_in(o, lines(n, batch, stride_w), type_size(real)));
    }
    int *const info = may_be_null(o, output(o, batch, sizeof *info));
    return eig_geev_batched(ctx, type, &options, n, a, lda, stride_a, w, stride_w, vl, ldvl, stride_vl, vr, ldvr,
                            stride_vr, condition, info, batch);
}

static inline eig_status operate_geev(eig_context *ctx, eig_type type, int method, outputs *o, size_t *bytes)
{
    enum { N = 30 };
    eig_geev_options const options = geev_options(method);
    if (bytes) return eig_geev_work_size(ctx, type, &options, N, 0, 1, bytes);
    int64_t const lda = N + above(o, 3);
    const void *const a = input_in(o, type, (extent){N, N, lda, 1, 0});
    void *const w = output(o, N, 2 * type_size(type));
    int *const info = may_be_null(o, output(o, 1, sizeof *info));
    return eig_geev(ctx, type, &options, N, a, lda, w, NULL, 0, NULL, 0, NULL, info);
}

static inline eig_status operate_geev_affine(eig_context *ctx, eig_type type, int method, outputs *o, size_t *bytes)
{
    enum { N = 15, M = 2, POINTS = 40 };
    eig_geev_options const options = geev_options(method);
    if (bytes) return eig_geev_work_size(ctx, type, &options, N, 0, POINTS, bytes);
    int64_t const lda = N + above(o, 2), stride_a = lda * N + above(o, 3), stride_x = M + above(o, 1);
    int64_t const stride_w = N + above(o, 5);
    const void *const a = input_in(o, type, (extent){N, N, lda, M + 1, stride_a});
    const void *const x = input_in(o, type, lines(M, POINTS, stride_x));
    void *const w = output_in(o, lines(N, POINTS, stride_w), 2 * type_size(type));
    void *const value = output(o, POINTS, type_size(type));
    int *const info = may_be_null(o, output(o, POINTS, sizeof *info));
    return eig_geev_affine(ctx, type, &options, N, M, a, lda, stride_a, x, stride_x, w, stride_w, EIG_GEEV_RADIUS,
                           value, info, POINTS);
}

/* Only the lower triangle is read, so that any numbers make a Hermitian matrix. */
static inline eig_status operate_heev(eig_context *ctx, eig_type real, int method, outputs *o, size_t *bytes)
{
    bool const ranged = method >= RANGED, values = method % RANGED >= VALUES, is_complex = method % VALUES >= COMPLEX;
    eig_type const type = is_complex ? type_complex(real) : real;
    int64_t const n = method % COMPLEX >= LARGE ? 70 : 11, batch = n == 70 ? 1 : 21, pairs = ranged ? 4 : n;
    eig_heev_options options = EIG_HEEV_OPTIONS;
    options.method = (eig_heev_method)(method % LARGE);
    if (ranged) options.range = EIG_RANGE_INDEX, options.il = 5, options.iu = 8;
    if (bytes) return eig_heev_work_size(ctx, type, &options, n, !values, batch, bytes);
    int64_t const lda = n + above(o, 1), stride_a = lda * n + above(o, 4), stride_w = pairs + above(o, 3);
    int64_t const ldv = n + above(o, 2), stride_v = ldv * pairs + above(o, 1);
    const void *const a = input_in(o, type, (extent){n, n, lda, batch, stride_a});
    int64_t *const m = ranged ? may_be_null(o, output_whole(o, batch)) : NULL;
    void *const w = output_in(o, lines(pairs, batch, stride_w), type_size(real));
    void *const v = values ? NULL : output_in(o, (extent){n, pairs, ldv, batch, stride_v}, type_size(type));
    int *const info = may_be_null(o, output(o, batch, sizeof *info));
    int *const sweeps = may_be_null(o, output(o, batch, sizeof *sweeps));
    return eig_heev_batched(ctx, type, &options, n, a, lda, stride_a, m, w, stride_w, v, ldv, stride_v, info, sweeps,
                            batch);
}

/* Beside the method; most_depth = -1 leaves clusters to inverse iteration. */
enum { STEMR_VALUES = 10, STEMR_SUBSET = 20 };

static inline eig_status operate_stemr(eig_context *ctx, eig_type type, int method, outputs *o, size_t *bytes)
{
    enum { N = 60 };
    bool const values = method / 10 * 10 == STEMR_VALUES;
    eig_stemr_options options = EIG_STEMR_OPTIONS;
    options.method = (eig_stemr_method)(method % 10);
    if (method / 10 * 10 == STEMR_SUBSET) options.range = EIG_RANGE_INDEX, options.il = 20, options.iu = 33;
    if (bytes) return eig_stemr_work_size(ctx, type, &options, N, !values, bytes);
    size_t const real = type_size(type);
    int64_t const ldz = N + above(o, 5), pairs = options.range == EIG_RANGE_INDEX ? options.iu - options.il + 1 : N;
    const void *const d = input(o, type, N), *const e = input(o, type, N - 1);
    int64_t *const m = may_be_null(o, output_whole(o, 1));
    void *const w = output(o, pairs, real);
    void *const z = values ? NULL : output_in(o, (extent){N, pairs, ldz, 1, 0}, real);
    int64_t *const isuppz = may_be_null(o, output_whole(o, 2 * pairs));
    int *const info = may_be_null(o, output(o, pairs, sizeof *info));
    void *const residual = may_be_null(o, output(o, pairs, real));
    void *const orthogonality = may_be_null(o, output(o, 1, real));
    return eig_stemr(ctx, type, &options, N, d, e, m, w, z, ldz, isuppz, info, residual, orthogonality, NULL);
}

static inline eig_status operate_stemr_batched(eig_context *ctx, eig_type type, int method, outputs *o, size_t *bytes)
{
    enum { N = 20, BATCH = 32, IL = 8, IU = 12 };
    eig_stemr_options options = EIG_STEMR_OPTIONS;
    options.method = (eig_stemr_method)(method % 10);
    bool const subset = method / 10 * 10 == STEMR_SUBSET;
    if (subset) options.range = EIG_RANGE_INDEX, options.il = IL, options.iu = IU;
    if (bytes) return eig_stemr_work_size(ctx, type, &options, N, 1, bytes);
    size_t const real = type_size(type);
    int64_t const pairs = subset ? IU - IL + 1 : N, stride_d = N + above(o, 2), stride_e = N - 1 + above(o, 5);
    int64_t const stride_w = pairs + above(o, 3), ldz = N + above(o, 1), stride_z = ldz * pairs + above(o, 4);
    const void *const d = input_in(o, type, lines(N, BATCH, stride_d));
    const void *const e = input_in(o, type, lines(N - 1, BATCH, stride_e));
    int64_t *const m = may_be_null(o, output_whole(o, BATCH));
    void *const w = output_in(o, lines(pairs, BATCH, stride_w), real);
    void *const z = output_in(o, (extent){N, pairs, ldz, BATCH, stride_z}, real);
    int64_t *const isuppz = may_be_null(o, output_whole_in(o, lines(2 * pairs, BATCH, 2 * stride_w)));
    int *const info = may_be_null(o, output_in(o, lines(pairs, BATCH, stride_w), sizeof *info));
    void *const residual = may_be_null(o, output_in(o, lines(pairs, BATCH, stride_w), real));
    void *const orthogonality = may_be_null(o, output(o, BATCH, real));
    return eig_stemr_batched(ctx, type, &options, N, d, stride_d, e, stride_e, m, w, stride_w, z, ldz, stride_z, isuppz,
                             info, residual, orthogonality, NULL, BATCH);
}

#define STEMR_PASSES                                         \
    {"root", "tree", "refinement", "vectors", "fallbacks"},  \
    {                                                        \
        "root", "tree", "refinement", "vectors", "fallbacks" \
    }
#define HEEV_PASSES                           \
    {"all"},                                  \
    {                                         \
        "reduction", "tridiagonal", "vectors" \
    }
#define GEEV_PASSES                                      \
    {"all"},                                             \
    {                                                    \
        "reduction", "iteration", "plain", "certificate" \
    }
#define GEEV_VECTOR_PASSES                                          \
    {"all"},                                                        \
    {                                                               \
        "reduction", "iteration", "plain", "vectors", "certificate" \
    }
static operation const operations[] = {
    {"stebz", operate_stebz, EIG_STEBZ_MULTISECTION, {"preparation", "table", "brackets"}, {"whole"}},
    {"stebz tight", operate_stebz, EIG_STEBZ_MULTISECTION + TIGHT, {"preparation", "table", "brackets"}, {"whole"}},
    {"stebz tree",
     operate_stebz,
     EIG_STEBZ_INTERVAL_TREE,
     {"preparation", "step 1", "one-intervals", "mult-intervals"},
     {"preparation", "step 1", "one-intervals", "mult-intervals"}},
    {"stebz reference", operate_stebz, EIG_STEBZ_REFERENCE, {"preparation", "bisection"}, {"preparation", "bisection"}},
    {"stebz_batched", operate_stebz_batched, EIG_STEBZ_MULTISECTION, {"batch"}, {"batch"}},
    {"stebz_batched tree", operate_stebz_batched, EIG_STEBZ_INTERVAL_TREE, {"batch"}, {NULL}},
    {"stebz_batched reference", operate_stebz_batched, EIG_STEBZ_REFERENCE, {"batch"}, {NULL}},
    {"stebz_count", operate_stebz_count, 0, {NULL}, {NULL}},
    {"geev_batched", operate_geev_batched, EIG_GEEV_AUTO, GEEV_PASSES},
    {"geev_batched n = 70", operate_geev_batched, EIG_GEEV_AUTO + LARGE, GEEV_PASSES},
    {"geev_batched reference", operate_geev_batched, EIG_GEEV_REFERENCE, GEEV_PASSES},
    {"geev_batched complex", operate_geev_batched, EIG_GEEV_AUTO + COMPLEX, GEEV_PASSES},
    {"geev_batched vectors", operate_geev_batched, EIG_GEEV_AUTO + VECTORS, GEEV_VECTOR_PASSES},
    {"geev_batched complex vectors", operate_geev_batched, EIG_GEEV_AUTO + VECTORS + COMPLEX, GEEV_VECTOR_PASSES},
    {"geev_batched reference vectors", operate_geev_batched, EIG_GEEV_REFERENCE + VECTORS, {"all"}, {NULL}},
    {"geev_batched vectors n = 70", operate_geev_batched, EIG_GEEV_AUTO + VECTORS + LARGE, GEEV_VECTOR_PASSES},
    {"geev", operate_geev, EIG_GEEV_AUTO, GEEV_PASSES},
    {"geev_affine", operate_geev_affine, EIG_GEEV_AUTO, GEEV_PASSES},
    {"heev_batched", operate_heev, EIG_HEEV_AUTO, {"all"}, {"tridiagonal"}},
    {"heev_batched complex", operate_heev, EIG_HEEV_AUTO + COMPLEX, {"all"}, {"tridiagonal"}},
    {"heev_batched values", operate_heev, EIG_HEEV_AUTO + VALUES, {"all"}, {"tridiagonal"}},
    {"heev_batched jacobi", operate_heev, EIG_HEEV_JACOBI + COMPLEX, {"all"}, {"sweeps"}},
    {"heev_batched range", operate_heev, EIG_HEEV_AUTO + RANGED, {"all"}, {NULL}},
    {"heev_batched reference", operate_heev, EIG_HEEV_REFERENCE, {"all"}, {"sweeps"}},
    {"heev_batched n = 70", operate_heev, EIG_HEEV_AUTO + LARGE, {"all"}, {NULL}},
    {"heev_batched jacobi n = 70", operate_heev, EIG_HEEV_JACOBI + LARGE, {"all"}, {NULL}},
    {"heev_batched tridiagonal", operate_heev, EIG_HEEV_TRIDIAGONAL, HEEV_PASSES},
    {"stemr", operate_stemr, EIG_STEMR_AUTO, STEMR_PASSES},
    {"stemr values", operate_stemr, EIG_STEMR_AUTO + STEMR_VALUES, STEMR_PASSES},
    {"stemr subset", operate_stemr, EIG_STEMR_AUTO + STEMR_SUBSET, STEMR_PASSES},
    {"stemr reference", operate_stemr, EIG_STEMR_REFERENCE, STEMR_PASSES},
    {"stemr mrrr", operate_stemr, EIG_STEMR_MRRR, STEMR_PASSES},
    {"stemr_batched", operate_stemr_batched, EIG_STEMR_AUTO, {NULL}, {NULL}},
    {"stemr_batched subset", operate_stemr_batched, EIG_STEMR_MRRR + STEMR_SUBSET, {NULL}, {NULL}},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Makes the call, or asks for its workspace. */
static inline eig_status operate_once(eig_context *ctx, const operation *op, eig_type type, outputs *o, size_t *bytes)
{
    eig_status const status = op->run(ctx, type, op->method, o, bytes);
    inputs_kept(op->name, o);
    inputs_free(o);
    return status;
}

/* Makes the call, which must succeed. */
static inline void operate_well(eig_context *ctx, const operation *op, eig_type type, outputs *o)
{
    outputs_clear(o);
    eig_status const status = operate_once(ctx, op, type, o, NULL);
    if (status != EIG_OK) fail_msg("%s %s: %s", op->name, type_name(type), eig_error_detail(ctx));
    padding_untouched(op->name, o);
}

static inline void same_outputs(const operation *op, const outputs *x, const outputs *y, const char *what)
{
    if (memcmp(x->block, y->block, BLOCK) != 0) fail_msg("%s: other bits %s", op->name, what);
}

#endif
