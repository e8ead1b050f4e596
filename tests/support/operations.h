/* Every public function as one row of a table, on one small problem: for the tests of what all calls have in common.
 * A call writes all its outputs into one block, so that two answers can be compared, and "nothing was written" seen. */
#ifndef EIG_TEST_OPERATIONS_H
#define EIG_TEST_OPERATIONS_H

#include "device.h"
#include "io/numbers.h"

enum { BLOCK = 65536, UNTOUCHED = 0x55, INPUTS = 4 };

/* Memory elsewhere: a block for the outputs, and copies of inputs, which last as long as it does. */
typedef struct elsewhere {
    char *block;
    void *(*copy)(const void *from, size_t bytes);
} elsewhere;

/* Outputs, in the order in which a call asked for them, and the inputs of the call. */
typedef struct outputs {
    _Alignas(16) char block[BLOCK];
    size_t used;
    numbers in[INPUTS];
    int inputs;
    const elsewhere *there; /* NULL: all lies on the host */
} outputs;

static inline void *output(outputs *o, int64_t count, size_t size)
{
    void *const at = (o->there ? o->there->block : o->block) + o->used;
    o->used += ((size_t)count * size + 15) & ~(size_t)15;
    if (o->used > BLOCK) fail_msg("the block of outputs is too small");
    return at;
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

/* The same as an input of a call. */
static inline const void *input(outputs *o, eig_type type, int64_t count)
{
    numbers *const x = &o->in[o->inputs++];
    *x = some(type, count);
    return o->there ? o->there->copy(x->data, (size_t)count * type_size(type)) : x->data;
}

/* No call overwrites its inputs. */
static inline void inputs_kept(const char *name, const outputs *o)
{
    for (int i = 0; i < o->inputs; ++i) {
        numbers x = some(o->in[i].type, o->in[i].count);
        if (!numbers_same(&x, &o->in[i])) fail_msg("%s overwrites an input", name);
        numbers_free(&x);
    }
}

static inline void inputs_free(outputs *o)
{
    while (o->inputs > 0) numbers_free(&o->in[--o->inputs]);
}

static inline void outputs_clear(outputs *o)
{
    memset(o->block, UNTOUCHED, BLOCK);
    o->used = 0;
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
    const void *const d = input(o, type, N), *const e = input(o, type, N);
    void *const w = output(o, N, real), *const lower = output(o, N, real), *const upper = output(o, N, real);
    int64_t *const m = output(o, 1, sizeof *m);
    int *const info = output(o, 1, sizeof *info);
    return eig_stebz(ctx, type, &options, N, d, e, m, w, lower, upper, info);
}

static inline eig_status operate_stebz_batched(eig_context *ctx, eig_type type, int method, outputs *o, size_t *bytes)
{
    enum { N = 40, BATCH = 19 };
    eig_stebz_options const options = stebz_options(method);
    size_t const real = type_size(type);
    if (bytes) return eig_stebz_work_size(ctx, type, &options, N, BATCH, bytes);
    const void *const d = input(o, type, N * BATCH), *const e = input(o, type, N * BATCH);
    void *const w = output(o, N * BATCH, real), *const lower = output(o, N * BATCH, real);
    void *const upper = output(o, N * BATCH, real);
    int *const info = output(o, BATCH, sizeof *info);
    return eig_stebz_batched(ctx, type, &options, N, d, N, e, N, w, lower, upper, N, info, BATCH);
}

static inline eig_status operate_stebz_count(eig_context *ctx, eig_type type, int method, outputs *o, size_t *bytes)
{
    enum { N = 333, M = 70 };
    (void)method;
    if (bytes) return eig_stebz_count_work_size(ctx, type, N, M, bytes);
    const void *const d = input(o, type, N), *const e = input(o, type, N), *const x = input(o, type, M);
    int64_t *const count = output(o, M, sizeof *count);
    int *const info = output(o, 1, sizeof *info);
    return eig_stebz_count(ctx, type, N, d, e, M, x, count, info);
}

enum { LARGE = 100 }; /* added to a method of geev: order 70, above the kernels' largest */

static inline eig_geev_options geev_options(int method)
{
    eig_geev_options options = EIG_GEEV_OPTIONS;
    options.method = (eig_geev_method)(method % LARGE);
    return options;
}

static inline eig_status operate_geev_batched(eig_context *ctx, eig_type type, int method, outputs *o, size_t *bytes)
{
    int64_t const n = method >= LARGE ? 70 : 14, batch = method >= LARGE ? 3 : 50;
    eig_geev_options const options = geev_options(method);
    if (bytes) return eig_geev_work_size(ctx, type, &options, n, batch, bytes);
    const void *const a = input(o, type, n * n * batch);
    void *const w = output(o, n * batch, 2 * type_size(type));
    int *const info = output(o, batch, sizeof *info);
    return eig_geev_batched(ctx, type, &options, n, a, n, n * n, w, n, info, batch);
}

static inline eig_status operate_geev(eig_context *ctx, eig_type type, int method, outputs *o, size_t *bytes)
{
    enum { N = 30 };
    eig_geev_options const options = geev_options(method);
    if (bytes) return eig_geev_work_size(ctx, type, &options, N, 1, bytes);
    const void *const a = input(o, type, N * N);
    void *const w = output(o, N, 2 * type_size(type));
    int *const info = output(o, 1, sizeof *info);
    return eig_geev(ctx, type, &options, N, a, N, w, info);
}

static inline eig_status operate_geev_affine(eig_context *ctx, eig_type type, int method, outputs *o, size_t *bytes)
{
    enum { N = 15, M = 2, POINTS = 40 };
    eig_geev_options const options = geev_options(method);
    if (bytes) return eig_geev_work_size(ctx, type, &options, N, POINTS, bytes);
    const void *const a = input(o, type, (M + 1) * N * N), *const x = input(o, type, M * POINTS);
    void *const w = output(o, N * POINTS, 2 * type_size(type)), *const value = output(o, POINTS, type_size(type));
    int *const info = output(o, POINTS, sizeof *info);
    return eig_geev_affine(ctx, type, &options, N, M, a, N, N * N, x, M, w, N, EIG_GEEV_RADIUS, value, info, POINTS);
}

enum { COMPLEX = 1000, VALUES = 2000 }; /* added to a method of heev: c or z in place of s or d; no vectors */

/* Only the lower triangle is read, so that any numbers make a Hermitian matrix. */
static inline eig_status operate_heev(eig_context *ctx, eig_type real, int method, outputs *o, size_t *bytes)
{
    bool const values = method >= VALUES, is_complex = method % VALUES >= COMPLEX;
    eig_type const type = is_complex ? type_complex(real) : real;
    int64_t const n = method % COMPLEX >= LARGE ? 70 : 11, batch = n == 70 ? 1 : 21;
    eig_heev_options options = EIG_HEEV_OPTIONS;
    options.method = (eig_heev_method)(method % LARGE);
    if (bytes) return eig_heev_work_size(ctx, type, &options, n, !values, batch, bytes);
    const void *const a = input(o, type, n * n * batch);
    void *const w = output(o, n * batch, type_size(real));
    void *const v = values ? NULL : output(o, n * n * batch, type_size(type));
    int *const info = output(o, batch, sizeof *info), *const sweeps = output(o, batch, sizeof *sweeps);
    return eig_heev_batched(ctx, type, &options, n, a, n, n * n, w, n, v, n, n * n, info, sweeps, batch);
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
    const void *const d = input(o, type, N), *const e = input(o, type, N);
    int64_t *const m = output(o, 1, sizeof *m);
    void *const w = output(o, N, real), *const z = values ? NULL : output(o, N * N, real);
    int64_t *const isuppz = output(o, 2 * N, sizeof *isuppz);
    int *const info = output(o, N, sizeof *info);
    void *const residual = output(o, N, real), *const orthogonality = output(o, 1, real);
    return eig_stemr(ctx, type, &options, N, d, e, m, w, z, N, isuppz, info, residual, orthogonality, NULL);
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
#define GEEV_PASSES                       \
    {"all"},                              \
    {                                     \
        "reduction", "iteration", "plain" \
    }
static operation const operations[] = {
    {"stebz",
     operate_stebz,
     EIG_STEBZ_MULTISECTION,
     {"preparation", "table", "brackets"},
     {"preparation", "table", "brackets"}},
    {"stebz tight",
     operate_stebz,
     EIG_STEBZ_MULTISECTION + TIGHT,
     {"preparation", "table", "brackets"},
     {"preparation", "table", "brackets"}},
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
    {"geev", operate_geev, EIG_GEEV_AUTO, GEEV_PASSES},
    {"geev_affine", operate_geev_affine, EIG_GEEV_AUTO, GEEV_PASSES},
    {"heev_batched", operate_heev, EIG_HEEV_AUTO, HEEV_PASSES},
    {"heev_batched complex", operate_heev, EIG_HEEV_AUTO + COMPLEX, HEEV_PASSES},
    {"heev_batched values", operate_heev, EIG_HEEV_AUTO + VALUES, HEEV_PASSES},
    {"heev_batched jacobi", operate_heev, EIG_HEEV_JACOBI + COMPLEX, {"all"}, {"sweeps"}},
    {"heev_batched reference", operate_heev, EIG_HEEV_REFERENCE, {"all"}, {"sweeps"}},
    {"heev_batched n = 70", operate_heev, EIG_HEEV_AUTO + LARGE, {"all"}, {NULL}},
    {"heev_batched jacobi n = 70", operate_heev, EIG_HEEV_JACOBI + LARGE, {"all"}, {NULL}},
    {"stemr", operate_stemr, EIG_STEMR_AUTO, STEMR_PASSES},
    {"stemr values", operate_stemr, EIG_STEMR_AUTO + STEMR_VALUES, STEMR_PASSES},
    {"stemr subset", operate_stemr, EIG_STEMR_AUTO + STEMR_SUBSET, STEMR_PASSES},
    {"stemr reference", operate_stemr, EIG_STEMR_REFERENCE, STEMR_PASSES},
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
}

static inline void same_outputs(const operation *op, const outputs *x, const outputs *y, const char *what)
{
    if (memcmp(x->block, y->block, BLOCK) != 0) fail_msg("%s: other bits %s", op->name, what);
}

#endif
