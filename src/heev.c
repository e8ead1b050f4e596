/* heev: eigenvalues and eigenvectors of batches of Hermitian and symmetric matrices.  Public functions -> problem ->
 * checks -> backend. */
#include "arena.h"
#include "multi/multi.h"
#include "problem.h"
#include "sizes.h"

#include <float.h>
#include <stdlib.h>

/* Sweeps, or QL steps per eigenvalue, unless the caller says otherwise: twice as many as hard matrices take. */
enum { USUAL_SWEEPS = 30 };

/* The problem's options: the caller's, with defaults resolved, checked. */
static eig_status heev_options(eig_context *ctx, const eig_heev_options *options, heev_problem *p)
{
    eig_heev_options copy;
    const eig_heev_options *const o = eig_read_options(ctx, "heev", options, &copy, sizeof copy);
    if (!o) return EIG_BAD_ARGUMENT;
    p->layout = o->layout == (eig_layout)'M' ? EIG_LAYOUT_MATRIX_WISE : o->layout;
    p->range = o->range, p->il = o->il, p->iu = o->iu;
    eig_status const status = eig_read_range(ctx, "heev", p->n, &p->range, &p->il, &p->iu, o->vl, o->vu);
    if (status != EIG_OK) return status;
    bool const on_host = ctx->backend == &eig_backend_cpu || ctx->backend == &eig_backend_multi;
    p->counts = p->range == EIG_RANGE_VALUE && on_host, p->upto = NULL;
    if (p->range == EIG_RANGE_VALUE) p->by_value = range_of_values(type_real_of(p->type), o->vl, o->vu);
    p->method = o->method;
    p->upper = o->uplo == EIG_UPLO_UPPER;
    p->row_major = o->row_major;
    p->relative = o->relative;
    p->max_sweeps = o->max_sweeps ? o->max_sweeps : USUAL_SWEEPS;
    p->tolerance = o->tolerance != 0 ? o->tolerance : type_is_single(p->type) ? (double)FLT_EPSILON : DBL_EPSILON;
    p->chunk = o->chunk;
    p->certify = !o->no_certificate;
    p->all = o->same_bits_in_batches ? EIG_ANY_NUMBER : p->batch;
    p->repairs = NULL;
    REQUIRE(o->uplo == EIG_UPLO_LOWER || o->uplo == (eig_uplo)'L' || o->uplo == EIG_UPLO_UPPER,
            "heev: uplo = %d, must be 'L' or 'U'", (int)o->uplo);
    REQUIRE(o->no_certificate == 0 || o->no_certificate == 1, "heev: no_certificate = %d, must be 0 or 1",
            o->no_certificate);
    REQUIRE(o->same_bits_in_batches == 0 || o->same_bits_in_batches == 1,
            "heev: same_bits_in_batches = %d, must be 0 or 1", o->same_bits_in_batches);
    REQUIRE(p->layout == EIG_LAYOUT_MATRIX_WISE || p->layout == EIG_LAYOUT_ELEMENT_WISE ||
                p->layout == EIG_LAYOUT_ROW_WISE,
            "heev: layout = %d, must be 'M', 'E' or 'R'", (int)p->layout);
    REQUIRE(p->method == EIG_HEEV_AUTO || p->method == EIG_HEEV_JACOBI || p->method == EIG_HEEV_TRIDIAGONAL ||
                p->method == EIG_HEEV_REFERENCE,
            "heev: method = %d, must be 0 (auto), 1 (jacobi), 2 (tridiagonal) or 3 (reference)", (int)p->method);
    REQUIRE(o->row_major == 0 || o->row_major == 1, "heev: row_major = %d, must be 0 or 1", o->row_major);
    REQUIRE(o->relative == 0 || o->relative == 1, "heev: relative = %d, must be 0 or 1", o->relative);
    REQUIRE(!o->relative || p->method != EIG_HEEV_TRIDIAGONAL,
            "heev: relative = 1 with method = 2 (tridiagonal), must be 0: the reduction loses small eigenvalues");
    REQUIRE(o->max_sweeps >= 0, "heev: max_sweeps = %d, must be >= 0", o->max_sweeps);
    REQUIRE(o->tolerance >= 0 && o->tolerance < 1, "heev: tolerance = %g, must be >= 0 and < 1", o->tolerance);
    REQUIRE(p->chunk >= 0, "heev: chunk = %lld, must be >= 0", (long long)p->chunk);
    return EIG_OK;
}

/* Sizes come first: products of n cannot overflow once these limits hold. */
static eig_status heev_check_sizes(eig_context *ctx, const heev_problem *p)
{
    long long const n = p->n, batch = p->batch;
    REQUIRE(type_index(p->type) >= 0, "heev: type = %d, must be 's', 'd', 'c' or 'z'", (int)p->type);
    REQUIRE(n >= 0, "heev: n = %lld, must be >= 0", n);
    REQUIRE(n <= EIG_MOST_ORDER, "heev: n = %lld is too large, must be at most %lld", n, (long long)EIG_MOST_ORDER);
    REQUIRE(batch >= 0, "heev: batch = %lld, must be >= 0", batch);
    REQUIRE(batch <= EIG_MOST_COUNT, "heev: batch = %lld is too large, must be at most %lld", batch,
            (long long)EIG_MOST_COUNT);
    return EIG_OK;
}

static eig_status heev_check_input(eig_context *ctx, const heev_problem *p)
{
    long long const n = p->n, batch = p->batch, lda = p->lda, stride = p->stride_a;
    size_t const size = type_size(p->type);
    bool addressable = true;
    REQUIRE(p->a, "heev: a is NULL with n = %lld", n);
    REQUIRE(lda >= n, "heev: lda = %lld < n = %lld", lda, n);
    REQUIRE(eig_fits(n, lda, n, size), "heev: lda = %lld is too large", lda);
    if (p->layout == EIG_LAYOUT_MATRIX_WISE) {
        REQUIRE(batch == 1 || stride >= lda * n, "heev: stride_a = %lld < lda*n = %lld", stride, lda * n);
        addressable = eig_fits(batch, stride, lda * n, size);
    } else if (p->layout == EIG_LAYOUT_ELEMENT_WISE) {
        REQUIRE(stride >= batch, "heev: stride_a = %lld < batch = %lld (layout 'E')", stride, batch);
        addressable = eig_fits(lda * n, stride, batch, size);
    } else {
        REQUIRE(stride / lda >= batch, "heev: stride_a = %lld < batch*lda (layout 'R')", stride);
        addressable = eig_fits(n, stride, stride, size);
    }
    REQUIRE(addressable, "heev: %lld matrices with stride_a = %lld are too large", batch, stride);
    return EIG_OK;
}

static eig_status heev_check_output(eig_context *ctx, const heev_problem *p)
{
    long long const n = p->n, batch = p->batch, stride_w = p->stride_w, ldv = p->ldv, stride_v = p->stride_v;
    long long const wanted = p->iu - p->il + 1, rows = p->row_major ? n : wanted;
    size_t const size = type_size(p->type);
    REQUIRE(p->w, "heev: w is NULL with n = %lld", n);
    REQUIRE(p->m || p->range != EIG_RANGE_VALUE, "heev: m is NULL with range 'V', must tell how many are found");
    REQUIRE(batch == 1 || stride_w >= wanted, "heev: stride_w = %lld < %s = %lld", stride_w,
            wanted < n ? "iu-il+1" : "n", wanted);
    REQUIRE(eig_fits(batch, stride_w, n, size), "heev: batch = %lld with stride_w = %lld is too large", batch,
            stride_w);
    if (!p->v) return EIG_OK;
    long long const least = p->row_major ? wanted : n;
    REQUIRE(ldv >= least, "heev: ldv = %lld < %s = %lld", ldv, least < n ? "iu-il+1" : "n", least);
    REQUIRE(eig_fits(rows, ldv, n, size), "heev: ldv = %lld is too large", ldv);
    REQUIRE(batch == 1 || stride_v >= ldv * rows, "heev: stride_v = %lld < ldv*%s = %lld", stride_v,
            rows < n ? "(iu-il+1)" : "n", ldv * rows);
    REQUIRE(eig_fits(batch, stride_v, ldv * rows, size), "heev: batch = %lld with stride_v = %lld is too large", batch,
            stride_v);
    if (p->v != p->a) return EIG_OK;
    REQUIRE(p->range == EIG_RANGE_ALL, "heev: v is a with range '%c', must be all in place", (int)p->range);
    REQUIRE(p->layout == EIG_LAYOUT_MATRIX_WISE, "heev: v is a with layout = '%c', must be 'M' in place",
            (int)p->layout);
    REQUIRE(ldv == p->lda, "heev: v is a with ldv = %lld, must be lda = %lld in place", ldv, (long long)p->lda);
    REQUIRE(batch == 1 || stride_v == p->stride_a,
            "heev: v is a with stride_v = %lld, must be stride_a = %lld in place", stride_v, (long long)p->stride_a);
    return EIG_OK;
}

/* ------------------------------------------------------------------ ranges */

/* Whether the context, or one of its devices, is a GPU. */
static bool uses_gpu(const eig_context *ctx)
{
    if (ctx->backend != &eig_backend_multi) return ctx->backend != &eig_backend_cpu;
    const multi_state *const state = multi_state_of(ctx);
    for (int k = 0; k < state->workers; ++k)
        if (state->worker[k].child->backend != &eig_backend_cpu) return true;
    return false;
}

/* Room for all pairs of some matrices at a time, from which those asked for are copied: w, then v, then counts. Bytes
 * of each for a matrix, and the number of matrices.  On a GPU the eigenvalues of a call without vectors decide what is
 * in a range by value, with vectors too, so that both calls find equally many: they are the fourth. */
typedef struct range_room {
    size_t w, v, upto, deciding;
    int64_t count;
} range_room;

static range_room heev_range_room(const eig_context *ctx, const heev_problem *p)
{
    size_t const most = ctx->range_bytes, size = type_size(p->type), n = (size_t)p->n;
    range_room r = {n * (type_is_complex(p->type) ? size / 2 : size), p->vectors ? n * n * size : 0,
                    p->counts ? 2 * sizeof(int64_t) : 0, 0, 1};
    if (uses_gpu(ctx) && p->vectors && p->range == EIG_RANGE_VALUE) r.deciding = r.w;
    size_t const fit = most / (r.w + r.v);
    r.count = (int64_t)fit < p->batch ? (fit > 1 ? (int64_t)fit : 1) : p->batch;
    return r;
}

static size_t heev_range_bytes(const range_room *r)
{
    size_t const count = (size_t)r->count;
    return arena_rounded(count * r->w) + arena_rounded(count * r->v) + arena_rounded(count * r->upto) +
           arena_rounded(count * r->deciding);
}

/* A driver never sees m, and for a range it sees the room in place of w and v: so where they lie is checked here. */
static eig_status heev_check_sides(eig_context *ctx, const heev_problem *p)
{
    bool const there = ctx->backend->on_device(ctx, p->w);
    REQUIRE(!p->v || ctx->backend->on_device(ctx, p->v) == there,
            "heev: one of w and v lies in the memory of the GPU, the other in that of the host");
    REQUIRE(!p->m || ctx->backend->on_device(ctx, p->m) == there,
            "heev: one of w and m lies in the memory of the GPU, the other in that of the host");
    return EIG_OK;
}

/* Matrices first to first+count-1, all their pairs, to w and v. */
static heev_problem heev_part(const heev_problem *p, int64_t first, int64_t count, void *w, void *v)
{
    heev_problem part = *p;
    part.range = EIG_RANGE_ALL, part.il = 1, part.iu = p->n, part.m = NULL;
    part.batch = count;
    part.a = type_at(p->type, p->a, first * heev_strides_of(p).b);
    part.w = w, part.stride_w = p->n;
    if (p->vectors) part.v = v, part.ldv = p->n, part.stride_v = p->n * p->n;
    if (p->info) part.info = p->info + first;
    if (p->sweeps) part.sweeps = p->sweeps + first;
    return part;
}

/* The same, eigenvalues alone. */
static heev_problem heev_part_alone(const heev_problem *part, void *w)
{
    heev_problem alone = *part;
    alone.vectors = alone.counts = false, alone.v = NULL, alone.upto = NULL, alone.w = w;
    return alone;
}

/* The workspace of the calls for all pairs, and of those for the eigenvalues that decide. */
static size_t heev_inner_bytes(const eig_context *ctx, const heev_problem *part, const range_room *r)
{
    heev_problem const alone = heev_part_alone(part, NULL);
    size_t const pairs = ctx->backend->heev_work_size(ctx, part),
                 values = r->deciding ? ctx->backend->heev_work_size(ctx, &alone) : 0;
    return pairs > values ? pairs : values;
}

static eig_status heev_range_parts(eig_context *ctx, const heev_problem *p, const range_room *r, char *room,
                                   const backend *selects)
{
    char *const v = room + arena_rounded((size_t)r->count * r->w);
    char *const counts = v + arena_rounded((size_t)r->count * r->v);
    int64_t *const upto = p->counts ? (int64_t *)counts : NULL;
    char *const deciding = r->deciding ? counts + arena_rounded((size_t)r->count * r->upto) : NULL;
    eig_status status = EIG_OK;
    call_steps steps;
    eig_steps_begin(ctx, &steps, p->batch);
    for (int64_t first = 0; first < p->batch && status == EIG_OK; first += r->count) {
        int64_t const left = p->batch - first, count = left < r->count ? left : r->count;
        double const share = (double)count / (double)p->batch;
        steps.share = deciding ? 0 : share; /* in halves progress could fall by a rounding error */
        heev_problem part = heev_part(p, first, count, room, v), alone = heev_part_alone(&part, deciding);
        heev_selection const s = {p, first, count, upto, room, v, deciding};
        if (deciding) {
            status = ctx->backend->heev(ctx, &alone);
            if (status != EIG_OK) break;
            steps.share = share;
        }
        for (int64_t k = 0; upto && k < 2 * count; ++k) upto[k] = -1;
        part.upto = upto;
        status = ctx->backend->heev(ctx, &part);
        if (status == EIG_OK) status = selects->heev_select(ctx, &s);
        eig_steps_next(ctx, &steps, count);
    }
    eig_steps_end(ctx, &steps);
    return status;
}

/* Arrays of the host: a CUDA context stages them itself, so that the room is the host's. */
static eig_status heev_range_on_host(eig_context *ctx, const heev_problem *p, const range_room *r)
{
    size_t const bytes = heev_range_bytes(r);
    char *const room = malloc(bytes);
    if (!room) return eig_fail(ctx, EIG_NO_MEMORY, "heev: cannot allocate %zu bytes for a range's pairs", bytes);
    eig_status const status = heev_range_parts(ctx, p, r, room, &eig_backend_cpu);
    free(room);
    return status;
}

/* The workspace is the room, and behind it that of the calls for all pairs. */
static eig_status heev_range(eig_context *ctx, const heev_problem *p)
{
    range_room const r = heev_range_room(ctx, p);
    if (ctx->backend != &eig_backend_cpu && !ctx->backend->on_device(ctx, p->w)) return heev_range_on_host(ctx, p, &r);
    heev_problem const part = heev_part(p, 0, r.count, NULL, NULL);
    size_t const bytes = heev_range_bytes(&r), inner = heev_inner_bytes(ctx, &part, &r);
    void *room, *const lent = ctx->lent;
    size_t const lent_bytes = ctx->lent_bytes;
    eig_status status = ctx->backend->workspace(ctx, "heev", bytes + inner, &room);
    if (status != EIG_OK) return status;
    ctx->lent = (char *)room + bytes, ctx->lent_bytes = inner;
    status = heev_range_parts(ctx, p, &r, room, ctx->backend);
    ctx->lent = lent, ctx->lent_bytes = lent_bytes;
    return status;
}

/* ---------------------------------------------------------------- functions */

static eig_status heev(eig_context *ctx, const eig_heev_options *options, heev_problem *p, bool one)
{
    ENTER(ctx);
    eig_status status;
    if ((status = heev_check_sizes(ctx, p)) != EIG_OK) return status;
    if ((status = heev_options(ctx, options, p)) != EIG_OK) return status;
    REQUIRE(!one || p->layout == EIG_LAYOUT_MATRIX_WISE, "heev: layout = '%c', must be 'M' for one matrix",
            (int)p->layout);
    if (p->n == 0 || p->batch == 0) {
        eig_begin_passes(ctx, NULL, 0, NULL);
        if (p->info) status = ctx->backend->clear(ctx, p->info, (size_t)p->batch * sizeof *p->info);
        if (p->m && status == EIG_OK) status = ctx->backend->clear(ctx, p->m, (size_t)p->batch * sizeof *p->m);
        return p->sweeps && status == EIG_OK ? ctx->backend->clear(ctx, p->sweeps, (size_t)p->batch * sizeof *p->sweeps)
                                             : status;
    }
    if ((status = heev_check_input(ctx, p)) != EIG_OK) return status;
    if ((status = heev_check_output(ctx, p)) != EIG_OK) return status;
    /* Strides of one matrix are unused: they enter no product. */
    if (p->batch == 1) {
        p->stride_w = p->n, p->stride_v = p->ldv * p->n;
        if (p->layout == EIG_LAYOUT_MATRIX_WISE) p->stride_a = p->lda * p->n;
    }
    if ((p->range != EIG_RANGE_ALL || p->m) && (status = heev_check_sides(ctx, p)) != EIG_OK) return status;
    bool const ranged = p->range != EIG_RANGE_ALL, alone = ranged && ctx->backend->heev_ranges(ctx, p);
    if (ranged && !alone) return heev_range(ctx, p);
    status = ctx->backend->heev(ctx, p);
    if (alone) return status;
    heev_selection const all = {.p = p, .count = p->batch};
    return p->m && status == EIG_OK ? ctx->backend->heev_select(ctx, &all) : status;
}

eig_status eig_heev_batched(eig_context *ctx, eig_type type, const eig_heev_options *options, int64_t n, const void *a,
                            int64_t lda, int64_t stride_a, int64_t *m, void *w, int64_t stride_w, void *v, int64_t ldv,
                            int64_t stride_v, int *info, int *sweeps, int64_t batch)
{
    heev_problem p = {.type = type, .n = n, .batch = batch, .a = a, .lda = lda, .stride_a = stride_a};
    p.m = m, p.w = w, p.stride_w = stride_w, p.info = info, p.sweeps = sweeps;
    p.v = v, p.ldv = ldv, p.stride_v = stride_v, p.vectors = v != NULL;
    return heev(ctx, options, &p, false);
}

/* One matrix is a batch of one. */
eig_status eig_heev(eig_context *ctx, eig_type type, const eig_heev_options *options, int64_t n, const void *a,
                    int64_t lda, int64_t *m, void *w, void *v, int64_t ldv, int *info, int *sweeps)
{
    heev_problem p; /* all of it is set here or by its options: nothing is cleared first */
    p.type = type, p.n = n, p.batch = 1, p.a = a, p.lda = lda, p.stride_a = 0;
    p.m = m, p.w = w, p.stride_w = 0, p.info = info, p.sweeps = sweeps;
    p.v = v, p.ldv = ldv, p.stride_v = 0, p.vectors = v != NULL;
    return heev(ctx, options, &p, true);
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
    REQUIRE(batch <= 1 || n == 0 || eig_fits(batch, n * n, n * n, type_size(type)),
            "heev_work_size: batch = %lld matrices with n = %lld are too large", (long long)batch, (long long)n);
    size_t need = 0;
    if (n > 0 && batch > 0) {
        range_room const r = heev_range_room(ctx, &p);
        bool const several = ctx->backend == &eig_backend_multi; /* their workspaces are their own */
        bool const all = p.range == EIG_RANGE_ALL || several || ctx->backend->heev_ranges(ctx, &p);
        if (!all) p.batch = r.count, p.range = EIG_RANGE_ALL;
        need = all ? ctx->backend->heev_work_size(ctx, &p) : heev_range_bytes(&r) + heev_inner_bytes(ctx, &p, &r);
    }
    if ((status = eig_check_need(ctx, "heev_work_size", need)) == EIG_OK) *bytes = need;
    return status;
}

/* The typed public functions. */
#define HEEV(name, number, real, type)                                                                                \
    eig_status eig_##name##_batched(eig_context *ctx, const eig_heev_options *options, int64_t n, const number *a,    \
                                    int64_t lda, int64_t stride_a, int64_t *m, real *w, int64_t stride_w, number *v,  \
                                    int64_t ldv, int64_t stride_v, int *info, int *sweeps, int64_t batch)             \
    {                                                                                                                 \
        return eig_heev_batched(ctx, type, options, n, a, lda, stride_a, m, w, stride_w, v, ldv, stride_v, info,      \
                                sweeps, batch);                                                                       \
    }                                                                                                                 \
    eig_status eig_##name(eig_context *ctx, const eig_heev_options *options, int64_t n, const number *a, int64_t lda, \
                          int64_t *m, real *w, number *v, int64_t ldv, int *info, int *sweeps)                        \
    {                                                                                                                 \
        return eig_heev(ctx, type, options, n, a, lda, m, w, v, ldv, info, sweeps);                                   \
    }
HEEV(ssyev, float, float, EIG_S)
HEEV(dsyev, double, double, EIG_D)
HEEV(cheev, eig_c, float, EIG_C)
HEEV(zheev, eig_z, double, EIG_Z)
