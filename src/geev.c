/* geev: eigenvalues and eigenvectors of nonsymmetric matrices, mostly in batches.  Public functions -> problem ->
 * checks -> backend. */
#include "problem.h"
#include "sizes.h"

/* The problem's options: the caller's, with defaults resolved, checked. */
static eig_status geev_options(eig_context *ctx, const eig_geev_options *options, geev_problem *p)
{
    eig_geev_options copy;
    const eig_geev_options *const o = eig_read_options(ctx, "geev", options, &copy, sizeof copy);
    if (!o) return EIG_BAD_ARGUMENT;
    p->layout = o->layout == (eig_layout)'M' ? EIG_LAYOUT_MATRIX_WISE : o->layout;
    p->row_major = o->row_major;
    p->method = o->method;
    p->balance = !o->no_balance;
    p->threads_per_matrix = o->threads_per_matrix;
    p->chunk = o->chunk;
    REQUIRE(o->max_steps >= 0, "geev: max_steps = %lld, must be >= 0", (long long)o->max_steps);
    int64_t const most_steps = 1 << 30, steps = o->max_steps != 0 ? o->max_steps : 30 * (p->n > 10 ? p->n : 10);
    p->max_steps = (int)(steps < most_steps ? steps : most_steps);
    p->certify = !o->no_certificate;
    p->repairs = NULL;
    p->all = o->same_bits_in_batches ? EIG_ANY_NUMBER : p->batch;
    REQUIRE(o->same_bits_in_batches == 0 || o->same_bits_in_batches == 1,
            "geev: same_bits_in_batches = %d, must be 0 or 1", o->same_bits_in_batches);
    REQUIRE(p->layout == EIG_LAYOUT_MATRIX_WISE || p->layout == EIG_LAYOUT_ELEMENT_WISE ||
                p->layout == EIG_LAYOUT_ROW_WISE,
            "geev: layout = %d, must be 'M', 'E' or 'R'", (int)p->layout);
    REQUIRE(o->row_major == 0 || o->row_major == 1, "geev: row_major = %d, must be 0 or 1", o->row_major);
    REQUIRE(p->method == EIG_GEEV_AUTO || p->method == EIG_GEEV_SWB || p->method == EIG_GEEV_MWB ||
                p->method == EIG_GEEV_REFERENCE,
            "geev: method = %d, must be 0 (auto), 1 (swb), 2 (mwb) or 3 (reference)", (int)p->method);
    REQUIRE(p->threads_per_matrix >= 0 && p->threads_per_matrix <= 32, "geev: threads_per_matrix = %d, must be 0 to 32",
            p->threads_per_matrix);
    REQUIRE(p->chunk >= 0, "geev: chunk = %lld, must be >= 0", (long long)p->chunk);
    return EIG_OK;
}

/* Sizes first: products of n cannot overflow once these limits hold. */
static eig_status geev_check_sizes(eig_context *ctx, const geev_problem *p)
{
    long long const n = p->n, batch = p->batch;
    REQUIRE(type_index(p->type) >= 0, "geev: type = %d, must be 's', 'd', 'c' or 'z'", (int)p->type);
    REQUIRE(n >= 0, "geev: n = %lld, must be >= 0", n);
    REQUIRE(n <= EIG_MOST_ORDER, "geev: n = %lld is too large, must be at most %lld", n, (long long)EIG_MOST_ORDER);
    REQUIRE(batch >= 0, "geev: batch = %lld, must be >= 0", batch);
    REQUIRE(batch <= EIG_MOST_COUNT, "geev: batch = %lld is too large, must be at most %lld", batch,
            (long long)EIG_MOST_COUNT);
    return EIG_OK;
}

static eig_status geev_check_input(eig_context *ctx, const geev_problem *p)
{
    long long const n = p->n, batch = p->batch, lda = p->lda, stride = p->stride_a;
    size_t const size = type_size(p->type);
    int64_t const matrices = p->affine ? p->m + 1 : batch;
    bool addressable = true;
    REQUIRE(p->a, "geev: a is NULL with n = %lld", n);
    REQUIRE(lda >= n, "geev: lda = %lld < n = %lld", lda, n);
    REQUIRE(eig_fits(n, lda, n, size), "geev: lda = %lld is too large", lda);
    if (p->layout == EIG_LAYOUT_MATRIX_WISE) {
        REQUIRE(matrices == 1 || stride >= lda * n, "geev: stride_a = %lld < lda*n = %lld", stride, lda * n);
        addressable = eig_fits(matrices, stride, lda * n, size);
    } else if (p->layout == EIG_LAYOUT_ELEMENT_WISE) {
        REQUIRE(stride >= batch, "geev: stride_a = %lld < batch = %lld (layout 'E')", stride, batch);
        addressable = eig_fits(lda * n, stride, batch, size);
    } else {
        REQUIRE(stride / lda >= batch, "geev: stride_a = %lld < batch*lda (layout 'R')", stride);
        addressable = eig_fits(n, stride, stride, size);
    }
    REQUIRE(addressable, "geev: %lld matrices with stride_a = %lld are too large", (long long)matrices, stride);
    return EIG_OK;
}

static eig_status geev_check_affine(eig_context *ctx, const geev_problem *p)
{
    long long const m = p->m;
    REQUIRE(p->x || m == 0, "geev_affine: x is NULL with m = %lld", m);
    REQUIRE(p->batch == 1 || p->stride_x >= m, "geev_affine: stride_x = %lld < m = %lld", (long long)p->stride_x, m);
    REQUIRE(eig_fits(p->batch, p->stride_x, m, type_size(p->type)),
            "geev_affine: %lld points with stride_x = %lld are too large", (long long)p->batch, (long long)p->stride_x);
    REQUIRE(p->w || p->value, "geev_affine: w and value are both NULL");
    REQUIRE(!p->value || p->measure == (eig_geev_measure)'A' || p->measure == EIG_GEEV_RADIUS ||
                p->measure == EIG_GEEV_DAMPING,
            "geev_affine: measure = %d, must be 'A', 'R' or 'D'", (int)p->measure);
    return EIG_OK;
}

/* An array of matrices that a call writes; name: "vl", "vr", "t" or "q". */
static eig_status geev_check_matrices(eig_context *ctx, const geev_problem *p, const char *name, eig_type type,
                                      const void *v, int64_t ld, int64_t stride)
{
    long long const n = p->n, batch = p->batch;
    size_t const size = type_size(type);
    if (!v) return EIG_OK;
    REQUIRE(ld >= n, "geev: ld%s = %lld < n = %lld", name, (long long)ld, n);
    REQUIRE(eig_fits(n, ld, n, size), "geev: ld%s = %lld is too large", name, (long long)ld);
    REQUIRE(batch == 1 || stride >= ld * n, "geev: stride_%s = %lld < ld%s*n = %lld", name, (long long)stride, name,
            (long long)ld * n);
    REQUIRE(eig_fits(batch, stride, ld * n, size), "geev: batch = %lld with stride_%s = %lld is too large", batch, name,
            (long long)stride);
    return EIG_OK;
}

static eig_status geev_check_output(eig_context *ctx, const geev_problem *p)
{
    REQUIRE(p->w || p->affine, "geev: w is NULL with n = %lld", (long long)p->n);
    REQUIRE(!p->w || p->batch == 1 || p->stride_w >= p->n, "geev: stride_w = %lld < n = %lld", (long long)p->stride_w,
            (long long)p->n);
    REQUIRE(!p->w || eig_fits(p->batch, p->stride_w, p->n, type_size(type_complex_of(p->type))),
            "geev: batch = %lld with stride_w = %lld is too large", (long long)p->batch, (long long)p->stride_w);
    eig_type const complex = type_complex_of(p->type);
    eig_status status = geev_check_matrices(ctx, p, "vl", complex, p->vl, p->ldvl, p->stride_vl);
    if (status == EIG_OK) status = geev_check_matrices(ctx, p, "vr", complex, p->vr, p->ldvr, p->stride_vr);
    if (status == EIG_OK) status = geev_check_matrices(ctx, p, "t", p->type, p->t, p->ldt, p->stride_t);
    return status == EIG_OK ? geev_check_matrices(ctx, p, "q", p->type, p->q, p->ldq, p->stride_q) : status;
}

static eig_status geev(eig_context *ctx, const eig_geev_options *options, geev_problem *p, bool matrix_wise)
{
    ENTER(ctx);
    eig_status status;
    if ((status = geev_check_sizes(ctx, p)) != EIG_OK) return status;
    if ((status = geev_options(ctx, options, p)) != EIG_OK) return status;
    REQUIRE(!matrix_wise || p->layout == EIG_LAYOUT_MATRIX_WISE, "geev: layout = '%c', must be 'M' %s", (int)p->layout,
            p->affine ? "for affine families" : "for one matrix");
    REQUIRE(!p->affine || p->m >= 0, "geev_affine: m = %lld, must be >= 0", (long long)p->m);
    REQUIRE(p->m <= EIG_MOST_COUNT, "geev_affine: m = %lld is too large, must be at most %lld", (long long)p->m,
            (long long)EIG_MOST_COUNT);
    if (p->n == 0 || p->batch == 0) {
        eig_begin_passes(ctx, NULL, 0, NULL);
        return p->info ? ctx->backend->clear(ctx, p->info, (size_t)p->batch * sizeof *p->info) : EIG_OK;
    }
    if (p->affine && (status = geev_check_affine(ctx, p)) != EIG_OK) return status;
    if ((status = geev_check_input(ctx, p)) != EIG_OK) return status;
    if ((status = geev_check_output(ctx, p)) != EIG_OK) return status;
    /* Strides of one matrix or point are unused: they enter no product. */
    if (p->batch == 1) {
        p->stride_w = p->n, p->stride_x = p->m;
        p->stride_vl = p->ldvl * p->n, p->stride_vr = p->ldvr * p->n;
        p->stride_t = p->ldt * p->n, p->stride_q = p->ldq * p->n;
    }
    if (p->layout == EIG_LAYOUT_MATRIX_WISE && (p->affine ? p->m + 1 : p->batch) == 1) p->stride_a = p->lda * p->n;
    return ctx->backend->geev(ctx, p);
}

eig_status eig_geev_batched(eig_context *ctx, eig_type type, const eig_geev_options *options, int64_t n, const void *a,
                            int64_t lda, int64_t stride_a, void *w, int64_t stride_w, void *vl, int64_t ldvl,
                            int64_t stride_vl, void *vr, int64_t ldvr, int64_t stride_vr, void *condition, int *info,
                            int64_t batch)
{
    geev_problem p = {.type = type, .n = n, .batch = batch, .a = a, .lda = lda, .stride_a = stride_a};
    p.w = w, p.stride_w = stride_w, p.info = info, p.vectors = vl || vr || condition;
    p.vl = vl, p.ldvl = vl ? ldvl : 0, p.stride_vl = vl ? stride_vl : 0;
    p.vr = vr, p.ldvr = vr ? ldvr : 0, p.stride_vr = vr ? stride_vr : 0;
    p.condition = condition;
    return geev(ctx, options, &p, false);
}

/* One matrix is a batch of one. */
eig_status eig_geev(eig_context *ctx, eig_type type, const eig_geev_options *options, int64_t n, const void *a,
                    int64_t lda, void *w, void *vl, int64_t ldvl, void *vr, int64_t ldvr, void *condition, int *info)
{
    geev_problem p; /* all of it is set here or by its options: nothing is cleared first */
    p.type = type, p.affine = false, p.n = n, p.batch = 1, p.a = a, p.lda = lda, p.stride_a = 0;
    p.m = 0, p.x = NULL, p.stride_x = 0, p.w = w, p.stride_w = n, p.info = info;
    p.vectors = vl || vr || condition;
    p.vl = vl, p.ldvl = vl ? ldvl : 0, p.vr = vr, p.ldvr = vr ? ldvr : 0, p.stride_vl = p.stride_vr = 0;
    p.condition = condition, p.schur = false, p.t = p.q = NULL, p.ldt = p.ldq = p.stride_t = p.stride_q = 0;
    p.measure = (eig_geev_measure)'A', p.value = NULL;
    return geev(ctx, options, &p, true);
}

eig_status eig_geev_affine(eig_context *ctx, eig_type type, const eig_geev_options *options, int64_t n, int64_t m,
                           const void *a, int64_t lda, int64_t stride_a, const void *x, int64_t stride_x, void *w,
                           int64_t stride_w, eig_geev_measure measure, void *value, int *info, int64_t points)
{
    geev_problem p = {.type = type, .affine = true, .n = n, .batch = points, .a = a, .lda = lda, .stride_a = stride_a};
    p.m = m, p.x = x, p.stride_x = stride_x;
    p.w = w, p.stride_w = stride_w, p.info = info;
    p.measure = measure == EIG_GEEV_ABSCISSA ? (eig_geev_measure)'A' : measure, p.value = value;
    return geev(ctx, options, &p, true);
}

eig_status eig_geev_schur(eig_context *ctx, eig_type type, const eig_geev_options *options, int64_t n, const void *a,
                          int64_t lda, int64_t stride_a, void *w, int64_t stride_w, void *t, int64_t ldt,
                          int64_t stride_t, void *q, int64_t ldq, int64_t stride_q, int *info, int64_t batch)
{
    geev_problem p = {.type = type, .n = n, .batch = batch, .a = a, .lda = lda, .stride_a = stride_a};
    p.w = w, p.stride_w = stride_w, p.info = info, p.vectors = p.schur = true;
    p.t = t, p.ldt = t ? ldt : 0, p.stride_t = t ? stride_t : 0;
    p.q = q, p.ldq = q ? ldq : 0, p.stride_q = q ? stride_q : 0;
    return geev(ctx, options, &p, false);
}

eig_status eig_geev_work_size(eig_context *ctx, eig_type type, const eig_geev_options *options, int64_t n, int vectors,
                              int64_t batch, size_t *bytes)
{
    ENTER(ctx);
    eig_status status;
    REQUIRE(bytes, "geev_work_size: bytes is NULL");
    geev_problem p = {.type = type, .n = n, .batch = batch, .vectors = vectors != 0};
    if ((status = geev_check_sizes(ctx, &p)) != EIG_OK) return status;
    if ((status = geev_options(ctx, options, &p)) != EIG_OK) return status;
    REQUIRE(!vectors || batch <= 1 || n == 0 || eig_fits(batch, n * n, n * n, type_size(EIG_Z)),
            "geev_work_size: batch = %lld matrices with n = %lld are too large", (long long)batch, (long long)n);
    size_t const need = n == 0 || batch == 0 ? 0 : ctx->backend->geev_work_size(ctx, &p);
    if ((status = eig_check_need(ctx, "geev_work_size", need)) == EIG_OK) *bytes = need;
    return status;
}

/* The typed public functions. */
#define GEEV(letter, number, complex, real, type)                                                                      \
    eig_status eig_##letter##geev_batched(eig_context *ctx, const eig_geev_options *options, int64_t n,                \
                                          const number *a, int64_t lda, int64_t stride_a, complex *w,                  \
                                          int64_t stride_w, complex *vl, int64_t ldvl, int64_t stride_vl, complex *vr, \
                                          int64_t ldvr, int64_t stride_vr, real *condition, int *info, int64_t batch)  \
    {                                                                                                                  \
        return eig_geev_batched(ctx, type, options, n, a, lda, stride_a, w, stride_w, vl, ldvl, stride_vl, vr, ldvr,   \
                                stride_vr, condition, info, batch);                                                    \
    }                                                                                                                  \
    eig_status eig_##letter##geev(eig_context *ctx, const eig_geev_options *options, int64_t n, const number *a,       \
                                  int64_t lda, complex *w, complex *vl, int64_t ldvl, complex *vr, int64_t ldvr,       \
                                  real *condition, int *info)                                                          \
    {                                                                                                                  \
        return eig_geev(ctx, type, options, n, a, lda, w, vl, ldvl, vr, ldvr, condition, info);                        \
    }                                                                                                                  \
    eig_status eig_##letter##geev_affine(eig_context *ctx, const eig_geev_options *options, int64_t n, int64_t m,      \
                                         const number *a, int64_t lda, int64_t stride_a, const number *x,              \
                                         int64_t stride_x, complex *w, int64_t stride_w, eig_geev_measure measure,     \
                                         real *value, int *info, int64_t points)                                       \
    {                                                                                                                  \
        return eig_geev_affine(ctx, type, options, n, m, a, lda, stride_a, x, stride_x, w, stride_w, measure, value,   \
                               info, points);                                                                          \
    }                                                                                                                  \
    eig_status eig_##letter##geev_schur(eig_context *ctx, const eig_geev_options *options, int64_t n, const number *a, \
                                        int64_t lda, int64_t stride_a, complex *w, int64_t stride_w, number *t,        \
                                        int64_t ldt, int64_t stride_t, number *q, int64_t ldq, int64_t stride_q,       \
                                        int *info, int64_t batch)                                                      \
    {                                                                                                                  \
        return eig_geev_schur(ctx, type, options, n, a, lda, stride_a, w, stride_w, t, ldt, stride_t, q, ldq,          \
                              stride_q, info, batch);                                                                  \
    }
GEEV(s, float, eig_c, float, EIG_S)
GEEV(d, double, eig_z, double, EIG_D)
GEEV(c, eig_c, eig_c, float, EIG_C)
GEEV(z, eig_z, eig_z, double, EIG_Z)
