/* Every public function as one row of a table, on one small problem: for the tests of what all calls have in common.
 * A call writes all its outputs into one block, so that two answers can be compared, and "nothing was written" seen. */
#ifndef EIG_TEST_OPERATIONS_H
#define EIG_TEST_OPERATIONS_H

#include "device.h"
#include "io/numbers.h"

enum { BLOCK = 65536, UNTOUCHED = 0x55 };

/* Outputs, in the order in which a call asked for them. */
typedef struct outputs {
    _Alignas(16) char block[BLOCK];
    size_t used;
} outputs;

static inline void *output(outputs *o, int64_t count, size_t size)
{
    void *const at = o->block + o->used;
    o->used += ((size_t)count * size + 15) & ~(size_t)15;
    if (o->used > BLOCK) fail_msg("the block of outputs is too small");
    return at;
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

/* Count numbers uniform in [-1, 1), the same for every caller. */
static inline numbers some(eig_type type, int64_t count)
{
    numbers x;
    if (!numbers_make(&x, type, count)) fail_msg("no memory");
    numbers_random(&x, 7);
    for (int64_t k = 0; k < numbers_parts(&x); ++k) numbers_put_part(&x, k, 2 * numbers_part(&x, k) - 1);
    return x;
}

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
    numbers d = some(type, N), e = some(type, N);
    void *const w = output(o, N, real), *const lower = output(o, N, real), *const upper = output(o, N, real);
    int64_t *const m = output(o, 1, sizeof *m);
    int *const info = output(o, 1, sizeof *info);
    eig_status const status = eig_stebz(ctx, type, &options, N, d.data, e.data, m, w, lower, upper, info);
    numbers_free(&d), numbers_free(&e);
    return status;
}

static inline eig_status operate_stebz_batched(eig_context *ctx, eig_type type, int method, outputs *o, size_t *bytes)
{
    enum { N = 40, BATCH = 19 };
    eig_stebz_options const options = stebz_options(method);
    size_t const real = type_size(type);
    if (bytes) return eig_stebz_work_size(ctx, type, &options, N, BATCH, bytes);
    numbers d = some(type, N * BATCH), e = some(type, N * BATCH);
    void *const w = output(o, N * BATCH, real), *const lower = output(o, N * BATCH, real);
    void *const upper = output(o, N * BATCH, real);
    int *const info = output(o, BATCH, sizeof *info);
    eig_status const status =
        eig_stebz_batched(ctx, type, &options, N, d.data, N, e.data, N, w, lower, upper, N, info, BATCH);
    numbers_free(&d), numbers_free(&e);
    return status;
}

static inline eig_status operate_stebz_count(eig_context *ctx, eig_type type, int method, outputs *o, size_t *bytes)
{
    enum { N = 333, M = 70 };
    (void)method;
    if (bytes) return eig_stebz_count_work_size(ctx, type, N, M, bytes);
    numbers d = some(type, N), e = some(type, N), x = some(type, M);
    int64_t *const count = output(o, M, sizeof *count);
    int *const info = output(o, 1, sizeof *info);
    eig_status const status = eig_stebz_count(ctx, type, N, d.data, e.data, M, x.data, count, info);
    numbers_free(&d), numbers_free(&e), numbers_free(&x);
    return status;
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
    numbers a = some(type, n * n * batch);
    void *const w = output(o, n * batch, 2 * type_size(type));
    int *const info = output(o, batch, sizeof *info);
    eig_status const status = eig_geev_batched(ctx, type, &options, n, a.data, n, n * n, w, n, info, batch);
    numbers_free(&a);
    return status;
}

static inline eig_status operate_geev(eig_context *ctx, eig_type type, int method, outputs *o, size_t *bytes)
{
    enum { N = 30 };
    eig_geev_options const options = geev_options(method);
    if (bytes) return eig_geev_work_size(ctx, type, &options, N, 1, bytes);
    numbers a = some(type, N * N);
    void *const w = output(o, N, 2 * type_size(type));
    int *const info = output(o, 1, sizeof *info);
    eig_status const status = eig_geev(ctx, type, &options, N, a.data, N, w, info);
    numbers_free(&a);
    return status;
}

static inline eig_status operate_geev_affine(eig_context *ctx, eig_type type, int method, outputs *o, size_t *bytes)
{
    enum { N = 15, M = 2, POINTS = 40 };
    eig_geev_options const options = geev_options(method);
    if (bytes) return eig_geev_work_size(ctx, type, &options, N, POINTS, bytes);
    numbers a = some(type, (M + 1) * N * N), x = some(type, M * POINTS);
    void *const w = output(o, N * POINTS, 2 * type_size(type)), *const value = output(o, POINTS, type_size(type));
    int *const info = output(o, POINTS, sizeof *info);
    eig_status const status = eig_geev_affine(ctx, type, &options, N, M, a.data, N, N * N, x.data, M, w, N,
                                              EIG_GEEV_RADIUS, value, info, POINTS);
    numbers_free(&a), numbers_free(&x);
    return status;
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
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Makes the call, which must succeed. */
static inline void operate_well(eig_context *ctx, const operation *op, eig_type type, outputs *o)
{
    outputs_clear(o);
    eig_status const status = op->run(ctx, type, op->method, o, NULL);
    if (status != EIG_OK) fail_msg("%s %s: %s", op->name, type_name(type), eig_error_detail(ctx));
}

static inline void same_outputs(const operation *op, const outputs *x, const outputs *y, const char *what)
{
    if (memcmp(x->block, y->block, BLOCK) != 0) fail_msg("%s: other bits %s", op->name, what);
}

#endif
