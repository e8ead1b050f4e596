/* heev: eigenvalues and eigenvectors of batches of Hermitian and symmetric matrices.  Public functions -> problem ->
 * checks -> backend. */
#include "problem.h"

#include <float.h>

/* Sweeps, or QL steps per eigenvalue, unless the caller says otherwise: twice as many as hard matrices take. */
enum { USUAL_SWEEPS = 30 };

/* The problem's options: the caller's, with defaults resolved, checked. */
static eig_status heev_options(eig_context *ctx, const eig_heev_options *options, heev_problem *p)
{
    eig_heev_options o;
    eig_status const status = eig_read_options(ctx, "heev", options, &o, sizeof o);
    if (status != EIG_OK) return status;
    p->layout = o.layout ? o.layout : EIG_LAYOUT_MATRIX_WISE;
    p->method = o.method;
    p->upper = o.uplo == EIG_UPLO_UPPER;
    p->row_major = o.row_major;
    p->relative = o.relative;
    p->max_sweeps = o.max_sweeps ? o.max_sweeps : USUAL_SWEEPS;
    p->tolerance = o.tolerance != 0 ? o.tolerance : type_is_single(p->type) ? (double)FLT_EPSILON : DBL_EPSILON;
    p->chunk = o.chunk;
    REQUIRE(o.uplo == 0 || o.uplo == EIG_UPLO_LOWER || o.uplo == EIG_UPLO_UPPER, "heev: uplo = %d, must be 'L' or 'U'",
            (int)o.uplo);
    REQUIRE(p->layout == EIG_LAYOUT_MATRIX_WISE || p->layout == EIG_LAYOUT_ELEMENT_WISE ||
                p->layout == EIG_LAYOUT_ROW_WISE,
            "heev: layout = %d, must be 'M', 'E' or 'R'", (int)p->layout);
    REQUIRE(p->method == EIG_HEEV_AUTO || p->method == EIG_HEEV_JACOBI || p->method == EIG_HEEV_TRIDIAGONAL ||
                p->method == EIG_HEEV_REFERENCE,
            "heev: method = %d, must be 0 (auto), 1 (jacobi), 2 (tridiagonal) or 3 (reference)", (int)p->method);
    REQUIRE(o.row_major == 0 || o.row_major == 1, "heev: row_major = %d, must be 0 or 1", o.row_major);
    REQUIRE(o.relative == 0 || o.relative == 1, "heev: relative = %d, must be 0 or 1", o.relative);
    REQUIRE(!o.relative || p->method != EIG_HEEV_TRIDIAGONAL,
            "heev: relative = 1 with method = 2 (tridiagonal), must be 0: the reduction loses small eigenvalues");
    REQUIRE(o.max_sweeps >= 0, "heev: max_sweeps = %d, must be >= 0", o.max_sweeps);
    REQUIRE(o.tolerance >= 0 && o.tolerance < 1, "heev: tolerance = %g, must be >= 0 and < 1", o.tolerance);
    REQUIRE(p->chunk >= 0, "heev: chunk = %lld, must be >= 0", (long long)p->chunk);
    return EIG_OK;
}

/* Sizes come first: products of n cannot overflow once these limits hold. */
static eig_status heev_check_sizes(eig_context *ctx, const heev_problem *p)
{
    long long const n = p->n, batch = p->batch;
    REQUIRE(type_index(p->type) >= 0, "heev: type = %d, must be 's', 'd', 'c' or 'z'", (int)p->type);
    REQUIRE(n >= 0, "heev: n = %lld, must be >= 0", n);
    REQUIRE(n <= 100000000, "heev: n = %lld is too large", n);
    REQUIRE(batch >= 0, "heev: batch = %lld, must be >= 0", batch);
    REQUIRE(batch <= EIG_MOST_COUNT, "heev: batch = %lld is too large", batch);
    return EIG_OK;
}

static eig_status heev_check_input(eig_context *ctx, const heev_problem *p)
{
    long long const n = p->n, batch = p->batch, lda = p->lda, stride = p->stride_a;
    size_t const size = type_size(p->type);
    bool addressable = true;
    REQUIRE(p->a, "heev: a is NULL with n = %lld", n);
    REQUIRE(lda >= n, "heev: lda = %lld < n = %lld", lda, n);
    REQUIRE(eig_addressable(n, lda, n, size), "heev: lda = %lld is too large", lda);
    if (p->layout == EIG_LAYOUT_MATRIX_WISE) {
        REQUIRE(batch == 1 || stride >= lda * n, "heev: stride_a = %lld < lda*n = %lld", stride, lda * n);
        addressable = eig_addressable(batch, stride, lda * n, size);
    } else if (p->layout == EIG_LAYOUT_ELEMENT_WISE) {
        REQUIRE(stride >= batch, "heev: stride_a = %lld < batch = %lld (layout 'E')", stride, batch);
        addressable = eig_addressable(lda * n, stride, batch, size);
    } else {
        REQUIRE(stride / lda >= batch, "heev: stride_a = %lld < batch*lda (layout 'R')", stride);
        addressable = eig_addressable(n, stride, stride, size);
    }
    REQUIRE(addressable, "heev: %lld matrices with stride_a = %lld are too large", batch, stride);
    return EIG_OK;
}

static eig_status heev_check_output(eig_context *ctx, const heev_problem *p)
{
    long long const n = p->n, batch = p->batch, stride_w = p->stride_w, ldv = p->ldv, stride_v = p->stride_v;
    size_t const size = type_size(p->type);
    REQUIRE(p->w, "heev: w is NULL with n = %lld", n);
    REQUIRE(batch == 1 || stride_w >= n, "heev: stride_w = %lld < n = %lld", stride_w, n);
    REQUIRE(eig_addressable(batch, stride_w, n, size), "heev: batch = %lld with stride_w = %lld is too large", batch,
            stride_w);
    if (!p->v) return EIG_OK;
    REQUIRE(ldv >= n, "heev: ldv = %lld < n = %lld", ldv, n);
    REQUIRE(eig_addressable(n, ldv, n, size), "heev: ldv = %lld is too large", ldv);
    REQUIRE(batch == 1 || stride_v >= ldv * n, "heev: stride_v = %lld < ldv*n = %lld", stride_v, ldv * n);
    REQUIRE(eig_addressable(batch, stride_v, ldv * n, size), "heev: batch = %lld with stride_v = %lld is too large",
            batch, stride_v);
    if (p->v != p->a) return EIG_OK;
    REQUIRE(p->layout == EIG_LAYOUT_MATRIX_WISE, "heev: v is a with layout = '%c', must be 'M' in place",
            (int)p->layout);
    REQUIRE(ldv == p->lda, "heev: v is a with ldv = %lld, must be lda = %lld in place", ldv, (long long)p->lda);
    REQUIRE(batch == 1 || stride_v == p->stride_a,
            "heev: v is a with stride_v = %lld, must be stride_a = %lld in place", stride_v, (long long)p->stride_a);
    return EIG_OK;
}

eig_status eig_heev_batched(eig_context *ctx, eig_type type, const eig_heev_options *options, int64_t n, const void *a,
                            int64_t lda, int64_t stride_a, void *w, int64_t stride_w, void *v, int64_t ldv,
                            int64_t stride_v, int *info, int *sweeps, int64_t batch)
{
    heev_problem p = {.type = type, .n = n, .batch = batch, .a = a, .lda = lda, .stride_a = stride_a};
    p.w = w, p.stride_w = stride_w, p.info = info, p.sweeps = sweeps;
    p.v = v, p.ldv = ldv, p.stride_v = stride_v, p.vectors = v != NULL;
    ENTER(ctx);
    eig_status status;
    if ((status = heev_check_sizes(ctx, &p)) != EIG_OK) return status;
    if ((status = heev_options(ctx, options, &p)) != EIG_OK) return status;
    if (n == 0 || batch == 0) {
        eig_begin_passes(ctx, 0, NULL);
        if (info) status = ctx->backend->clear(ctx, info, (size_t)batch * sizeof *info);
        return sweeps && status == EIG_OK ? ctx->backend->clear(ctx, sweeps, (size_t)batch * sizeof *sweeps) : status;
    }
    if ((status = heev_check_input(ctx, &p)) != EIG_OK) return status;
    if ((status = heev_check_output(ctx, &p)) != EIG_OK) return status;
    /* Strides of one matrix are unused: they enter no product. */
    if (batch == 1) {
        p.stride_w = n, p.stride_v = ldv * n;
        if (p.layout == EIG_LAYOUT_MATRIX_WISE) p.stride_a = lda * n;
    }
    return ctx->backend->heev(ctx, &p);
}

eig_status eig_heev_work_size(eig_context *ctx, eig_type type, const eig_heev_options *options, int64_t n, int vectors,
                              int64_t batch, size_t *bytes)
{
    ENTER(ctx);
    eig_status status;
    REQUIRE(bytes, "heev_work_size: bytes is NULL");
    heev_problem p = {.type = type, .n = n, .batch = batch, .vectors = vectors != 0};
    if ((status = heev_check_sizes(ctx, &p)) != EIG_OK) return status;
    if ((status = heev_options(ctx, options, &p)) != EIG_OK) return status;
    REQUIRE(batch <= 1 || n == 0 || eig_addressable(batch, n * n, n * n, type_size(type)),
            "heev_work_size: batch = %lld matrices with n = %lld are too large", (long long)batch, (long long)n);
    size_t const need = n == 0 || batch == 0 ? 0 : ctx->backend->heev_work_size(ctx, &p);
    if ((status = eig_check_need(ctx, "heev_work_size", need)) == EIG_OK) *bytes = need;
    return status;
}

/* The typed public functions. */
#define HEEV(name, number, real, type)                                                                                \
    eig_status eig_##name##_batched(eig_context *ctx, const eig_heev_options *options, int64_t n, const number *a,    \
                                    int64_t lda, int64_t stride_a, real *w, int64_t stride_w, number *v, int64_t ldv, \
                                    int64_t stride_v, int *info, int *sweeps, int64_t batch)                          \
    {                                                                                                                 \
        return eig_heev_batched(ctx, type, options, n, a, lda, stride_a, w, stride_w, v, ldv, stride_v, info, sweeps, \
                                batch);                                                                               \
    }
HEEV(ssyev, float, float, EIG_S)
HEEV(dsyev, double, double, EIG_D)
HEEV(cheev, eig_c, float, EIG_C)
HEEV(zheev, eig_z, double, EIG_Z)
