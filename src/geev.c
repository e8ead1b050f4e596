/* geev: eigenvalues of batches of nonsymmetric matrices.  Public functions -> problem -> checks -> backend. */
#include "problem.h"

/* The caller's options, or the defaults; a structure of another size is refused later, so it is not read here. */
static geev_problem geev_pack(const eig_geev_options *options, char precision, int64_t n, int64_t batch)
{
    eig_geev_options const defaults = EIG_GEEV_OPTIONS;
    eig_geev_options const o = options && options->size == sizeof *options ? *options : defaults;
    return (geev_problem){
        .precision = precision,
        .n = n,
        .batch = batch,
        .layout = o.layout,
        .measure = EIG_GEEV_ABSCISSA,
        .balance = o.balance != 0,
        .method = o.method,
        .threads_per_matrix = o.threads_per_matrix,
        .chunk = o.chunk,
        .max_steps = o.max_steps != 0 ? o.max_steps
                     : n > 10         ? (int)(30 * (n < 1000000 ? n : 1000000))
                                      : 300,
        .pass_ms = o.pass_ms,
        .work = o.work,
        .work_bytes = o.work_bytes,
    };
}

static eig_status geev_check_options(eig_context *ctx, const eig_geev_options *options, const geev_problem *p)
{
    REQUIRE(!options || options->size == sizeof *options,
            "geev: options->size = %zu, must be %zu: begin with EIG_GEEV_OPTIONS", options ? options->size : 0,
            sizeof *options);
    REQUIRE(p->layout == EIG_LAYOUT_MATRIX_WISE || p->layout == EIG_LAYOUT_ELEMENT_WISE ||
                p->layout == EIG_LAYOUT_ROW_WISE,
            "geev: layout = %d, must be 'M', 'E' or 'R'", (int)p->layout);
    REQUIRE(p->method == EIG_GEEV_AUTO || p->method == EIG_GEEV_SWB || p->method == EIG_GEEV_MWB,
            "geev: method = %d, must be 0 (auto), 1 (swb) or 2 (mwb)", (int)p->method);
    REQUIRE(p->threads_per_matrix >= 0 && p->threads_per_matrix <= 32, "geev: threads_per_matrix = %d, must be 0 to 32",
            p->threads_per_matrix);
    REQUIRE(p->max_steps >= 0, "geev: max_steps = %d, must be >= 0", p->max_steps);
    REQUIRE(p->chunk >= 0, "geev: chunk = %lld, must be >= 0", (long long)p->chunk);
    return EIG_OK;
}

/* Sizes first: the products below cannot overflow once these limits hold. */
static eig_status geev_check_sizes(eig_context *ctx, const geev_problem *p)
{
    long long const n = p->n, batch = p->batch;
    REQUIRE(n >= 0, "geev: n = %lld, must be >= 0", n);
    REQUIRE(n <= 1000000000, "geev: n = %lld is too large", n);
    REQUIRE(batch >= 0, "geev: batch = %lld, must be >= 0", batch);
    REQUIRE(batch <= INT64_MAX / 64, "geev: batch = %lld is too large", batch);
    return EIG_OK;
}

static eig_status geev_check_input(eig_context *ctx, const geev_problem *p)
{
    long long const n = p->n, batch = p->batch, lda = p->lda, stride = p->stride_a;
    REQUIRE(p->a, "geev: a is NULL with n = %lld", n);
    REQUIRE(lda >= n, "geev: lda = %lld < n = %lld", lda, n);
    REQUIRE(lda <= INT64_MAX / 64 / n, "geev: lda = %lld is too large", lda);
    int64_t const matrices = p->affine ? p->m + 1 : batch;
    if (p->layout == EIG_LAYOUT_MATRIX_WISE)
        REQUIRE(matrices == 1 || stride >= lda * n, "geev: stride_a = %lld < lda*n = %lld", stride, lda * n);
    if (p->layout == EIG_LAYOUT_ELEMENT_WISE)
        REQUIRE(stride >= batch, "geev: stride_a = %lld < batch = %lld (layout 'E')", stride, batch);
    if (p->layout == EIG_LAYOUT_ROW_WISE)
        REQUIRE(stride / lda >= batch, "geev: stride_a = %lld < batch*lda (layout 'R')", stride);
    return EIG_OK;
}

static eig_status geev_check_affine(eig_context *ctx, const geev_problem *p)
{
    long long const m = p->m;
    REQUIRE(m >= 0, "geev_affine: m = %lld, must be >= 0", m);
    REQUIRE(p->layout == EIG_LAYOUT_MATRIX_WISE, "geev_affine: layout = '%c', must be 'M'", (int)p->layout);
    if (p->n == 0 || p->batch == 0) return EIG_OK;
    REQUIRE(p->x || m == 0, "geev_affine: x is NULL with m = %lld", m);
    REQUIRE(p->batch == 1 || p->stride_x >= m, "geev_affine: stride_x = %lld < m = %lld", (long long)p->stride_x, m);
    REQUIRE(p->w || p->value, "geev_affine: w and value are both NULL");
    REQUIRE(!p->value || p->measure == EIG_GEEV_ABSCISSA || p->measure == EIG_GEEV_RADIUS ||
                p->measure == EIG_GEEV_DAMPING,
            "geev_affine: measure = %d, must be 'A', 'R' or 'D'", (int)p->measure);
    return EIG_OK;
}

static eig_status geev(eig_context *ctx, const eig_geev_options *options, const geev_problem *p)
{
    eig_status status = eig_enter(ctx);
    if (status != EIG_OK) return status;
    if ((status = geev_check_options(ctx, options, p)) != EIG_OK) return status;
    if (p->pass_ms) p->pass_ms[0] = p->pass_ms[1] = p->pass_ms[2] = 0;
    if ((status = geev_check_sizes(ctx, p)) != EIG_OK) return status;
    if (p->affine && (status = geev_check_affine(ctx, p)) != EIG_OK) return status;
    if (p->n == 0 || p->batch == 0) return EIG_OK;
    if ((status = geev_check_input(ctx, p)) != EIG_OK) return status;
    REQUIRE(p->w || p->affine, "geev: w is NULL with n = %lld", (long long)p->n);
    REQUIRE(!p->w || p->batch == 1 || p->stride_w >= p->n, "geev: stride_w = %lld < n = %lld", (long long)p->stride_w,
            (long long)p->n);
    return ctx->backend->geev(ctx, p);
}

eig_status eig_geev_work_size(eig_context *ctx, const eig_geev_options *options, char precision, int64_t n,
                              int64_t batch, size_t *bytes)
{
    eig_status status = eig_enter(ctx);
    if (status != EIG_OK) return status;
    REQUIRE(bytes, "geev_work_size: bytes is NULL");
    REQUIRE(precision == 's' || precision == 'd', "geev_work_size: precision = '%c', must be 's' or 'd'", precision);
    geev_problem const p = geev_pack(options, precision, n, batch);
    if ((status = geev_check_options(ctx, options, &p)) != EIG_OK) return status;
    if ((status = geev_check_sizes(ctx, &p)) != EIG_OK) return status;
    *bytes = n == 0 || batch == 0 ? 0 : ctx->backend->geev_work_size(ctx, &p);
    return EIG_OK;
}

/* The typed public functions: nothing but packing. */
#define GEEV(letter, real)                                                                                             \
    eig_status eig_##letter##geev_batched(eig_context *ctx, const eig_geev_options *options, int64_t n, const real *a, \
                                          int64_t lda, int64_t stride_a, eig_complex_##letter *w, int64_t stride_w,    \
                                          int *info, int64_t batch)                                                    \
    {                                                                                                                  \
        geev_problem p = geev_pack(options, #letter[0], n, batch);                                                     \
        p.a = a, p.lda = lda, p.stride_a = stride_a;                                                                   \
        p.w = w, p.stride_w = stride_w, p.info = info;                                                                 \
        return geev(ctx, options, &p);                                                                                 \
    }                                                                                                                  \
    eig_status eig_##letter##geev_affine(eig_context *ctx, const eig_geev_options *options, int64_t n, int64_t m,      \
                                         const real *a, int64_t lda, int64_t stride_a, const real *x,                  \
                                         int64_t stride_x, eig_complex_##letter *w, int64_t stride_w,                  \
                                         eig_geev_measure measure, real *value, int *info, int64_t points)             \
    {                                                                                                                  \
        geev_problem p = geev_pack(options, #letter[0], n, points);                                                    \
        p.affine = true;                                                                                               \
        p.a = a, p.lda = lda, p.stride_a = stride_a;                                                                   \
        p.m = m, p.x = x, p.stride_x = stride_x;                                                                       \
        p.w = w, p.stride_w = stride_w, p.info = info;                                                                 \
        p.measure = measure, p.value = value;                                                                          \
        return geev(ctx, options, &p);                                                                                 \
    }
GEEV(s, float)
GEEV(d, double)
