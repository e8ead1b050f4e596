/* stebz: eigenvalues of symmetric tridiagonal matrices.  Public functions -> problem -> checks -> backend. */
#include "problem.h"

#include <math.h>

/* The caller's options, or the defaults; a structure of another size is refused later, so it is not read here. */
static eig_stebz_options stebz_options(const eig_stebz_options *options)
{
    eig_stebz_options const defaults = EIG_STEBZ_OPTIONS;
    return options && options->size == sizeof *options ? *options : defaults;
}

static stebz_problem stebz_pack(const eig_stebz_options *options, char precision, int64_t n, int64_t batch)
{
    eig_stebz_options const o = stebz_options(options);
    return (stebz_problem){
        .precision = precision,
        .n = n,
        .batch = batch,
        .range = o.range,
        .il = o.range == EIG_RANGE_INDEX ? o.il : 1,
        .iu = o.range == EIG_RANGE_INDEX ? o.iu : n,
        .vl = o.vl,
        .vu = o.vu,
        .abstol = o.abstol,
        .reltol = o.reltol,
        .method = o.method,
        .lower = o.lower,
        .upper = o.upper,
        .pass_ms = o.pass_ms,
        .work = o.work,
        .work_bytes = o.work_bytes,
        .stride_d = n,
        .stride_e = n - 1,
        .stride_w = n,
    };
}

static eig_status stebz_check_options(eig_context *ctx, const eig_stebz_options *options, const stebz_problem *p)
{
    REQUIRE(!options || options->size == sizeof *options,
            "stebz: options->size = %zu, must be %zu: begin with EIG_STEBZ_OPTIONS", options ? options->size : 0,
            sizeof *options);
    REQUIRE(p->range == EIG_RANGE_ALL || p->range == EIG_RANGE_INDEX || p->range == EIG_RANGE_VALUE,
            "stebz: range = %d, must be 'A', 'I' or 'V'", (int)p->range);
    REQUIRE(p->n == 0 || p->range != EIG_RANGE_INDEX || (1 <= p->il && p->il <= p->iu && p->iu <= p->n),
            "stebz: need 1 <= il <= iu <= n, got il = %lld, iu = %lld, n = %lld", (long long)p->il, (long long)p->iu,
            (long long)p->n);
    REQUIRE(p->range != EIG_RANGE_VALUE || p->vl < p->vu, "stebz: need vl < vu, got vl = %g, vu = %g", p->vl, p->vu);
    REQUIRE(p->abstol >= 0 && isfinite(p->abstol), "stebz: abstol = %g, must be >= 0 and finite", p->abstol);
    REQUIRE(p->reltol >= 0 && p->reltol < 1, "stebz: reltol = %g, must be >= 0 and < 1", p->reltol);
    REQUIRE(p->method == EIG_STEBZ_MULTISECTION || p->method == EIG_STEBZ_INTERVAL_TREE,
            "stebz: method = %d, must be 0 (multisection) or 1 (interval tree)", (int)p->method);
    REQUIRE(!p->lower == !p->upper, "stebz: of lower and upper one is NULL; give both or none");
    return EIG_OK;
}

static eig_status stebz_check_arrays(eig_context *ctx, const stebz_problem *p)
{
    long long const n = p->n, batch = p->batch;
    REQUIRE(n >= 0, "stebz: n = %lld, must be >= 0", n);
    REQUIRE(n <= INT64_MAX / 64, "stebz: n = %lld is too large", n);
    REQUIRE(batch >= 0, "stebz: batch = %lld, must be >= 0", batch);
    if (n == 0 || batch == 0) return EIG_OK;
    REQUIRE(p->d, "stebz: d is NULL with n = %lld", n);
    REQUIRE(p->e || n == 1, "stebz: e is NULL with n = %lld", n);
    REQUIRE(p->w, "stebz: w is NULL with n = %lld", n);
    if (batch == 1) return EIG_OK;
    REQUIRE(p->stride_d >= n, "stebz: stride_d = %lld < n = %lld", (long long)p->stride_d, n);
    REQUIRE(p->stride_e >= n - 1, "stebz: stride_e = %lld < n-1 = %lld", (long long)p->stride_e, n - 1);
    REQUIRE(p->stride_w >= p->iu - p->il + 1, "stebz: stride_w = %lld < %lld eigenvalues a matrix",
            (long long)p->stride_w, (long long)(p->iu - p->il + 1));
    return EIG_OK;
}

static eig_status stebz(eig_context *ctx, const eig_stebz_options *options, stebz_problem p)
{
    eig_status status = eig_enter(ctx);
    if (status != EIG_OK) return status;
    if ((status = stebz_check_arrays(ctx, &p)) != EIG_OK) return status;
    if ((status = stebz_check_options(ctx, options, &p)) != EIG_OK) return status;
    REQUIRE(!p.batched || p.range != EIG_RANGE_VALUE, "stebz: a batch takes range 'A' or 'I', not 'V'");
    return ctx->backend->stebz(ctx, &p);
}

static eig_status stebz_count(eig_context *ctx, stebz_count_problem p)
{
    eig_status const status = eig_enter(ctx);
    if (status != EIG_OK) return status;
    long long const n = p.n, m = p.m;
    REQUIRE(n >= 0 && n <= INT64_MAX / 64, "stebz_count: n = %lld, must be >= 0", n);
    REQUIRE(m >= 0, "stebz_count: m = %lld, must be >= 0", m);
    REQUIRE(p.d || n == 0, "stebz_count: d is NULL with n = %lld", n);
    REQUIRE(p.e || n <= 1, "stebz_count: e is NULL with n = %lld", n);
    REQUIRE((p.x && p.count) || m == 0, "stebz_count: x or count is NULL with m = %lld", m);
    return m == 0 ? EIG_OK : ctx->backend->stebz_count(ctx, &p);
}

eig_status eig_stebz_work_size(eig_context *ctx, const eig_stebz_options *options, char precision, int64_t n,
                               int64_t batch, size_t *bytes)
{
    eig_status status = eig_enter(ctx);
    if (status != EIG_OK) return status;
    REQUIRE(bytes, "stebz_work_size: bytes is NULL");
    REQUIRE(precision == 's' || precision == 'd', "stebz_work_size: precision = '%c', must be 's' or 'd'", precision);
    REQUIRE(n >= 0 && n <= INT64_MAX / 64, "stebz_work_size: n = %lld, must be >= 0", (long long)n);
    REQUIRE(batch >= 0, "stebz_work_size: batch = %lld, must be >= 0", (long long)batch);
    stebz_problem p = stebz_pack(options, precision, n, batch);
    p.batched = batch != 1;
    if ((status = stebz_check_options(ctx, options, &p)) != EIG_OK) return status;
    *bytes = n == 0 || batch == 0 ? 0 : ctx->backend->stebz_work_size(ctx, &p);
    return EIG_OK;
}

/* The typed public functions: nothing but packing. */
#define STEBZ(letter, real)                                                                                           \
    eig_status eig_##letter##stebz(eig_context *ctx, const eig_stebz_options *options, int64_t n, const real *d,      \
                                   const real *e, int64_t *m, real *w)                                                \
    {                                                                                                                 \
        stebz_problem p = stebz_pack(options, #letter[0], n, 1);                                                      \
        p.d = d, p.e = e, p.m = m, p.w = w;                                                                           \
        return stebz(ctx, options, p);                                                                                \
    }                                                                                                                 \
    eig_status eig_##letter##stebz_batched(eig_context *ctx, const eig_stebz_options *options, int64_t n,             \
                                           const real *d, int64_t stride_d, const real *e, int64_t stride_e, real *w, \
                                           int64_t stride_w, int *info, int64_t batch)                                \
    {                                                                                                                 \
        stebz_problem p = stebz_pack(options, #letter[0], n, batch);                                                  \
        p.batched = true;                                                                                             \
        p.d = d, p.e = e, p.w = w, p.info = info;                                                                     \
        p.stride_d = stride_d, p.stride_e = stride_e, p.stride_w = stride_w;                                          \
        return stebz(ctx, options, p);                                                                                \
    }                                                                                                                 \
    eig_status eig_##letter##stebz_count(eig_context *ctx, int64_t n, const real *d, const real *e, int64_t m,        \
                                         const real *x, int64_t *count)                                               \
    {                                                                                                                 \
        return stebz_count(ctx, (stebz_count_problem){#letter[0], n, m, d, e, x, count});                             \
    }
STEBZ(s, float)
STEBZ(d, double)
