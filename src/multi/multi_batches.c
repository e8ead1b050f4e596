/* Several devices in one context: batches.  A child that is free takes the next part, a run of matrices.
 *
 * A part is the caller's problem with a smaller batch, whose arrays begin further on.  So every layout and stride stays
 * as the caller gave it, and calls in place stay in place. */
#include "multi.h"
#include "stemr_stats.h"

enum {
    FEW = 256, /* with fewer matrices a child, parts have equal lengths: shorter ones would not fill a GPU */
    STEP = 32, /* parts are multiples of it */
    SHARE = 16 /* the shortest part is this share of an equal one; like GPUs begin with all but that share */
};

/* Shares a batch out where that is worthwhile: a matrix takes `each` multiplications. alone: the fewest matrices of a
 * part. */
static eig_status run_batch(eig_context *ctx, const char *family, multi_work *work, const void *problem, int64_t batch,
                            double each, int64_t alone)
{
    const multi_state *const s = multi_state_of(ctx);
    int64_t const fits = batch / alone > 1 ? batch / alone : 1, children = s->workers < fits ? s->workers : fits;
    bool const worth = each * (double)batch >= (double)s->grain;
    multi_call call = {.family = family, .work = work, .problem = problem, .count = batch};
    if (!worth) {
        call.parts = 1;
    } else if (batch < FEW * children) {
        call.parts = children;
    } else {
        call.least = (batch / (children * SHARE) + STEP - 1) / STEP * STEP;
        call.head = batch / children * (s->alike ? SHARE - 1 : SHARE / 2) / SHARE / STEP * STEP;
    }
    return eig_multi_run(ctx, &call, worth ? children : 1);
}

/* Where matrix `first` of a batch begins. */
static const void *matrix_at(eig_type type, const void *a, eig_layout layout, int64_t lda, int64_t stride,
                             int64_t first)
{
    return type_at(type, a,
                   layout == EIG_LAYOUT_MATRIX_WISE    ? first * stride
                   : layout == EIG_LAYOUT_ELEMENT_WISE ? first
                                                       : first * lda);
}

/* ------------------------------------------------------------------------ geev */

static eig_status geev_part(eig_context *child, const multi_call *call, int64_t first, int64_t count)
{
    geev_problem q = *(const geev_problem *)call->problem;
    eig_type const complex = type_complex_of(q.type), real = type_real_of(q.type);
    q.batch = count;
    if (q.affine)
        q.x = q.x ? type_at(q.type, q.x, first * q.stride_x) : NULL;
    else
        q.a = matrix_at(q.type, q.a, q.layout, q.lda, q.stride_a, first);
    if (q.w) q.w = type_at(complex, q.w, first * q.stride_w);
    if (q.vl) q.vl = type_at(complex, q.vl, first * q.stride_vl);
    if (q.vr) q.vr = type_at(complex, q.vr, first * q.stride_vr);
    if (q.t) q.t = type_at(q.type, q.t, first * q.stride_t);
    if (q.q) q.q = type_at(q.type, q.q, first * q.stride_q);
    if (q.condition) q.condition = type_at(real, q.condition, first * q.stride_w);
    if (q.value) q.value = type_at(real, q.value, first);
    if (q.info) q.info += first;
    return child->backend->geev(child, &q);
}

size_t eig_multi_geev_work_size(const eig_context *ctx, const geev_problem *p)
{
    (void)ctx, (void)p;
    return 0;
}

eig_status eig_multi_geev(eig_context *ctx, const geev_problem *p)
{
    multi_array const arrays[] = {
        {"a", p->a},         {"x", p->affine ? p->x : NULL},
        {"w", p->w},         {"vl", p->vl},
        {"vr", p->vr},       {"condition", p->condition},
        {"value", p->value}, {"info", p->info},
        {"t", p->t},         {"q", p->q},
    };
    eig_status const status = eig_multi_check(ctx, "geev", arrays, 10);
    if (status != EIG_OK) return status;
    double const n = (double)p->n;
    call_repairs repairs = {0};
    geev_problem counting = *p;
    counting.repairs = &repairs;
    eig_status const end =
        run_batch(ctx, "geev", geev_part, &counting, p->batch, (p->vectors ? 25 : 10) * n * n * n, 1);
    ctx->repairs = repairs;
    return end;
}

/* ------------------------------------------------------------------------ heev */

static eig_status heev_part(eig_context *child, const multi_call *call, int64_t first, int64_t count)
{
    heev_problem q = *(const heev_problem *)call->problem;
    eig_type const real = type_real_of(q.type);
    q.batch = count;
    q.a = matrix_at(q.type, q.a, q.layout, q.lda, q.stride_a, first);
    q.w = type_at(real, q.w, first * q.stride_w);
    if (q.v) q.v = type_at(q.type, q.v, first * q.stride_v);
    if (q.info) q.info += first;
    if (q.sweeps) q.sweeps += first;
    if (q.upto) q.upto += 2 * first;
    return child->backend->heev(child, &q);
}

size_t eig_multi_heev_work_size(const eig_context *ctx, const heev_problem *p)
{
    (void)ctx, (void)p;
    return 0;
}

eig_status eig_multi_heev(eig_context *ctx, const heev_problem *p)
{
    multi_array const arrays[] = {
        {"a", p->a}, {"w", p->w}, {"v", p->v}, {"info", p->info}, {"sweeps", p->sweeps},
    };
    eig_status const status = eig_multi_check(ctx, "heev", arrays, 5);
    if (status != EIG_OK) return status;
    double const n = (double)p->n;
    call_repairs repairs = {0};
    heev_problem counting = *p;
    counting.repairs = &repairs;
    eig_status const end = run_batch(ctx, "heev", heev_part, &counting, p->batch, 10 * n * n * n, 1);
    ctx->repairs = repairs;
    return end;
}

bool eig_multi_heev_ranges(const eig_context *ctx, const heev_problem *p)
{
    (void)ctx, (void)p;
    return false;
}

/* The arrays are the host's. */
eig_status eig_multi_heev_select(eig_context *ctx, const heev_selection *s)
{
    return eig_backend_cpu.heev_select(ctx, s);
}

/* ----------------------------------------------------------------------- stebz */

static eig_status stebz_batch_part(eig_context *child, const multi_call *call, int64_t first, int64_t count)
{
    stebz_problem q = *(const stebz_problem *)call->problem;
    q.batch = count;
    q.d = type_at(q.type, q.d, first * q.stride_d);
    if (q.e) q.e = type_at(q.type, q.e, first * q.stride_e);
    q.w = type_at(q.type, q.w, first * q.stride_w);
    if (q.lower) q.lower = type_at(q.type, q.lower, first * q.stride_w);
    if (q.upper) q.upper = type_at(q.type, q.upper, first * q.stride_w);
    if (q.info) q.info += first;
    return child->backend->stebz(child, &q);
}

eig_status eig_multi_stebz_batch(eig_context *ctx, const stebz_problem *p)
{
    double const counts = 12 * (double)stebz_most_wanted(p);
    return run_batch(ctx, "stebz", stebz_batch_part, p, p->batch, counts * (double)p->n, 2);
}

/* ----------------------------------------------------------------------- stemr */

typedef struct stemr_batch_call {
    const stemr_batch *all;
    eig_stemr_stats *sum;
} stemr_batch_call;

/* A part of one matrix is a batch too: it has the bits of a batch. */
static eig_status stemr_batch_part(eig_context *child, const multi_call *call, int64_t first, int64_t count)
{
    const stemr_batch_call *const whole = call->problem;
    eig_stemr_stats own = EIG_STEMR_STATS;
    stemr_batch part = *whole->all;
    part.first = eig_stemr_member(whole->all, first, whole->all->first.stats ? &own : NULL), part.batch = count;
    eig_stemr_stats sum = EIG_STEMR_STATS;
    eig_status const status = child->backend->stemr_batch(child, &part, &sum);
    eig_multi_lock(child);
    stemr_add_stats(whole->sum, &sum);
    eig_multi_unlock(child);
    return status;
}

enum {
    LONG = 1024
}; /* rows of a T that several children may share; a GPU solves short ones of a batch in its own way */

/* Fewer matrices than children go one by one where a matrix has work for all of them. */
eig_status eig_multi_stemr_batch(eig_context *ctx, const stemr_batch *all, eig_stemr_stats *sum)
{
    const stemr_problem *const p = &all->first;
    if (p->n >= LONG && all->batch < multi_state_of(ctx)->workers && eig_multi_stemr_is_shared(ctx, p))
        return eig_stemr_each(ctx, all, sum);
    eig_status const status = eig_multi_check_stemr(ctx, p);
    if (status != EIG_OK) return status;
    double const n = (double)p->n;
    stemr_batch_call const call = {all, sum};
    return run_batch(ctx, "stemr", stemr_batch_part, &call, all->batch, 10 * n * n * n, 1);
}
