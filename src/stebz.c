/* stebz: eigenvalues of symmetric tridiagonal matrices.  Public functions -> problem -> checks -> backend. */
#include "problem.h"
#include "sizes.h"

#include <math.h>

/* The problem's options: the caller's, with defaults resolved, checked. */
static eig_status stebz_options(eig_context *ctx, const eig_stebz_options *options, stebz_problem *p)
{
    eig_stebz_options copy;
    const eig_stebz_options *const o = eig_read_options(ctx, "stebz", options, &copy, sizeof copy);
    if (!o) return EIG_BAD_ARGUMENT;
    p->range = o->range, p->il = o->il, p->iu = o->iu;
    p->method = o->method;
    p->abstol = o->abstol, p->reltol = o->reltol;
    eig_status const status = eig_read_range(ctx, "stebz", p->n, &p->range, &p->il, &p->iu, o->vl, o->vu);
    if (status != EIG_OK) return status;
    if (p->range == EIG_RANGE_VALUE) p->by_value = range_of_values(p->type, o->vl, o->vu);
    REQUIRE(o->same_bits_in_batches == 0 || o->same_bits_in_batches == 1,
            "stebz: same_bits_in_batches = %d, must be 0 or 1", o->same_bits_in_batches);
    REQUIRE(!p->batched || p->range != EIG_RANGE_VALUE, "stebz: a batch takes range 'A' or 'I', not 'V'");
    REQUIRE(p->abstol >= 0 && isfinite(p->abstol), "stebz: abstol = %g, must be >= 0 and finite", p->abstol);
    REQUIRE(p->reltol >= 0 && p->reltol < 1, "stebz: reltol = %g, must be >= 0 and < 1", p->reltol);
    REQUIRE(p->method == EIG_STEBZ_MULTISECTION || p->method == EIG_STEBZ_INTERVAL_TREE ||
                p->method == EIG_STEBZ_REFERENCE,
            "stebz: method = %d, must be 0 (multisection), 1 (interval tree) or 2 (reference)", (int)p->method);
    return EIG_OK;
}

static eig_status stebz_check_sizes(eig_context *ctx, const char *call, eig_type type, int64_t n, int64_t batch)
{
    REQUIRE(type == EIG_S || type == EIG_D, "%s: type = %d, must be 's' or 'd'", call, (int)type);
    REQUIRE(n >= 0, "%s: n = %lld, must be >= 0", call, (long long)n);
    REQUIRE(n <= EIG_MOST_ROWS, "%s: n = %lld is too large, must be at most %lld", call, (long long)n,
            (long long)EIG_MOST_ROWS);
    REQUIRE(batch >= 0, "%s: batch = %lld, must be >= 0", call, (long long)batch);
    REQUIRE(batch <= EIG_MOST_COUNT, "%s: batch = %lld is too large, must be at most %lld", call, (long long)batch,
            (long long)EIG_MOST_COUNT);
    return EIG_OK;
}

static eig_status stebz_check_arrays(eig_context *ctx, const stebz_problem *p)
{
    long long const n = p->n, batch = p->batch, wanted = stebz_most_wanted(p);
    size_t const size = type_size(p->type);
    REQUIRE(p->d, "stebz: d is NULL with n = %lld", n);
    REQUIRE(p->e || n == 1, "stebz: e is NULL with n = %lld", n);
    REQUIRE(p->w, "stebz: w is NULL with n = %lld", n);
    REQUIRE(p->m || p->range != EIG_RANGE_VALUE, "stebz: m is NULL with range 'V', must tell how many are found");
    REQUIRE(!p->lower == !p->upper, "stebz: one of lower and upper is NULL; give both or none");
    if (batch == 1) return EIG_OK;
    REQUIRE(p->stride_d >= n, "stebz: stride_d = %lld < n = %lld", (long long)p->stride_d, n);
    REQUIRE(p->stride_e >= n - 1, "stebz: stride_e = %lld < n-1 = %lld", (long long)p->stride_e, n - 1);
    REQUIRE(p->stride_w >= wanted, "stebz: stride_w = %lld < %lld eigenvalues a matrix", (long long)p->stride_w,
            wanted);
    REQUIRE(eig_fits(batch, p->stride_d, n, size), "stebz: batch = %lld with stride_d = %lld is too large", batch,
            (long long)p->stride_d);
    REQUIRE(eig_fits(batch, p->stride_e, n, size), "stebz: batch = %lld with stride_e = %lld is too large", batch,
            (long long)p->stride_e);
    REQUIRE(eig_fits(batch, p->stride_w, n, size), "stebz: batch = %lld with stride_w = %lld is too large", batch,
            (long long)p->stride_w);
    return EIG_OK;
}

static eig_status stebz(eig_context *ctx, const eig_stebz_options *options, stebz_problem *p)
{
    ENTER(ctx);
    eig_status status;
    if ((status = stebz_check_sizes(ctx, "stebz", p->type, p->n, p->batch)) != EIG_OK) return status;
    if ((status = stebz_options(ctx, options, p)) != EIG_OK) return status;
    if (p->n == 0 || p->batch == 0) {
        eig_begin_passes(ctx, NULL, 0, NULL);
        if (p->m) status = ctx->backend->clear(ctx, p->m, sizeof *p->m);
        if (p->info && status == EIG_OK) status = ctx->backend->clear(ctx, p->info, (size_t)p->batch * sizeof *p->info);
        return status;
    }
    if ((status = stebz_check_arrays(ctx, p)) != EIG_OK) return status;
    if (p->n == 1) p->e = NULL;
    if (p->batch == 1) p->stride_d = p->stride_e = p->stride_w = p->n;
    return ctx->backend->stebz(ctx, p);
}

eig_status eig_stebz(eig_context *ctx, eig_type type, const eig_stebz_options *options, int64_t n, const void *d,
                     const void *e, int64_t *m, void *w, void *lower, void *upper, int *info)
{
    stebz_problem p; /* all of it is set here or by its options: nothing is cleared first */
    p.type = type, p.batched = false, p.n = n, p.batch = 1, p.d = d, p.e = e;
    p.stride_d = p.stride_e = p.stride_w = n, p.limit_ns = 0;
    p.w = w, p.lower = lower, p.upper = upper, p.m = m, p.info = info;
    return stebz(ctx, options, &p);
}

eig_status eig_stebz_batched(eig_context *ctx, eig_type type, const eig_stebz_options *options, int64_t n,
                             const void *d, int64_t stride_d, const void *e, int64_t stride_e, void *w, void *lower,
                             void *upper, int64_t stride_w, int *info, int64_t batch)
{
    stebz_problem p = {.type = type, .batched = true, .n = n, .batch = batch, .d = d, .e = e, .w = w};
    p.lower = lower, p.upper = upper, p.info = info;
    p.stride_d = stride_d, p.stride_e = stride_e, p.stride_w = stride_w;
    return stebz(ctx, options, &p);
}

eig_status eig_stebz_count(eig_context *ctx, eig_type type, int64_t n, const void *d, const void *e, int64_t m,
                           const void *x, int64_t *count, int *info)
{
    stebz_count_problem const p = {type, n, m, d, n > 1 ? e : NULL, x, count, info, false};
    ENTER(ctx);
    eig_status status;
    if ((status = stebz_check_sizes(ctx, "stebz_count", type, n, 1)) != EIG_OK) return status;
    REQUIRE(m >= 0 && m <= EIG_MOST_COUNT, "stebz_count: m = %lld, must be 0 to 2^57", (long long)m);
    REQUIRE(d || n == 0, "stebz_count: d is NULL with n = %lld", (long long)n);
    REQUIRE(e || n <= 1, "stebz_count: e is NULL with n = %lld", (long long)n);
    REQUIRE((x && count) || m == 0, "stebz_count: x or count is NULL with m = %lld", (long long)m);
    if (n > 0 && m > 0) return ctx->backend->stebz_count(ctx, &p);
    eig_begin_passes(ctx, NULL, 0, NULL);
    if (m > 0) status = ctx->backend->clear(ctx, count, (size_t)m * sizeof *count);
    if (info && status == EIG_OK) status = ctx->backend->clear(ctx, info, sizeof *info);
    return status;
}

eig_status eig_stebz_work_size(eig_context *ctx, eig_type type, const eig_stebz_options *options, int64_t n,
                               int64_t batch, size_t *bytes)
{
    ENTER(ctx);
    eig_status status;
    REQUIRE(bytes, "stebz_work_size: bytes is NULL");
    stebz_problem p = {.type = type, .batched = batch != 1, .n = n, .batch = batch};
    if ((status = stebz_check_sizes(ctx, "stebz_work_size", type, n, batch)) != EIG_OK) return status;
    if ((status = stebz_options(ctx, options, &p)) != EIG_OK) return status;
    REQUIRE(batch <= 1 || eig_fits(batch, n, n, type_size(type)),
            "stebz_work_size: batch = %lld matrices with n = %lld are too large", (long long)batch, (long long)n);
    size_t const need = n == 0 || batch == 0 ? 0 : ctx->backend->stebz_work_size(ctx, &p);
    if ((status = eig_check_need(ctx, "stebz_work_size", need)) == EIG_OK) *bytes = need;
    return status;
}

eig_status eig_stebz_count_work_size(eig_context *ctx, eig_type type, int64_t n, int64_t m, size_t *bytes)
{
    ENTER(ctx);
    eig_status status;
    REQUIRE(bytes, "stebz_count_work_size: bytes is NULL");
    if ((status = stebz_check_sizes(ctx, "stebz_count_work_size", type, n, 1)) != EIG_OK) return status;
    REQUIRE(m >= 0 && m <= EIG_MOST_COUNT, "stebz_count_work_size: m = %lld, must be 0 to 2^57", (long long)m);
    stebz_count_problem const p = {.type = type, .n = n, .m = m};
    size_t const need = n == 0 || m == 0 ? 0 : ctx->backend->stebz_count_work_size(ctx, &p);
    if ((status = eig_check_need(ctx, "stebz_count_work_size", need)) == EIG_OK) *bytes = need;
    return status;
}

/* The typed public functions. */
#define STEBZ(letter, real, type)                                                                                     \
    eig_status eig_##letter##stebz(eig_context *ctx, const eig_stebz_options *options, int64_t n, const real *d,      \
                                   const real *e, int64_t *m, real *w, real *lower, real *upper, int *info)           \
    {                                                                                                                 \
        return eig_stebz(ctx, type, options, n, d, e, m, w, lower, upper, info);                                      \
    }                                                                                                                 \
    eig_status eig_##letter##stebz_batched(eig_context *ctx, const eig_stebz_options *options, int64_t n,             \
                                           const real *d, int64_t stride_d, const real *e, int64_t stride_e, real *w, \
                                           real *lower, real *upper, int64_t stride_w, int *info, int64_t batch)      \
    {                                                                                                                 \
        return eig_stebz_batched(ctx, type, options, n, d, stride_d, e, stride_e, w, lower, upper, stride_w, info,    \
                                 batch);                                                                              \
    }                                                                                                                 \
    eig_status eig_##letter##stebz_count(eig_context *ctx, int64_t n, const real *d, const real *e, int64_t m,        \
                                         const real *x, int64_t *count, int *info)                                    \
    {                                                                                                                 \
        return eig_stebz_count(ctx, type, n, d, e, m, x, count, info);                                                \
    }
STEBZ(s, float, EIG_S)
STEBZ(d, double, EIG_D)
