/* Several devices in one context: one tridiagonal matrix.  The parts are runs of its eigenvalues, or of shifts.
 *
 * Every child reads all of T and computes its part as a call with EIG_RANGE_INDEX. The results of such a call have the
 * bits of the full run; those of stemr have them where no cluster is cut (gaps.h).  So the parts are put side by side
 * as they are.  A range by value becomes a range by index where the counts leave no doubt.  Else, and where it holds no
 * eigenvalue, the first child computes all. */
#include "gaps.h"
#include "multi.h"
#include "stemr_stats.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t children_of(const eig_context *ctx)
{
    return multi_state_of(ctx)->workers;
}

static bool is_worth(const eig_context *ctx, int64_t n, int64_t wanted)
{
    return (double)n * (double)wanted >= (double)multi_state_of(ctx)->grain;
}

/* --------------------------------------------------------------------- ranges */

/* T in double, and the shifts at which it is counted. */
typedef struct range_counts {
    double *d, *e;
    double x[4];
    int64_t count[4];
    int info;
} range_counts;

static eig_status count_part(eig_context *child, const multi_call *call, int64_t first, int64_t count)
{
    (void)first, (void)count;
    return child->backend->stebz_count(child, call->problem);
}

/* Counts by the first child, within a call. */
static eig_status count_silently(eig_context *ctx, const stebz_count_problem *p)
{
    multi_call const call = {
        .family = "counts", .work = count_part, .problem = p, .count = 1, .parts = 1, .silent = true};
    return eig_multi_run(ctx, &call, 1);
}

static void widen(eig_type type, const void *from, int64_t count, double *to)
{
    for (int64_t i = 0; i < count; ++i) to[i] = type_get(type, from, i);
}

/* More than the rounding errors of any count and of any eigenvalue, in units of eps ||T||. */
enum { DOUBT = 32 };

/* Counts on both sides of vl and of vu, as far away as rounding errors may reach. */
static eig_status count_around(eig_context *ctx, eig_type type, int64_t n, double vl, double vu, range_counts *r)
{
    double const eps = type_is_single(type) ? (double)FLT_EPSILON : DBL_EPSILON;
    double norm = 0;
    for (int64_t i = 0; i < n; ++i) {
        double const sum = fabs(r->d[i]) + (i > 0 ? fabs(r->e[i - 1]) : 0) + (i < n - 1 ? fabs(r->e[i]) : 0);
        norm = sum > norm ? sum : norm;
    }
    double const largest = type_is_single(type) ? (double)FLT_MAX : DBL_MAX;
    double const least = type_is_single(type) ? (double)FLT_MIN : DBL_MIN;
    double const doubt = norm < largest / 2 ? DOUBT * eps * norm + least : INFINITY; /* eigenvalues may overflow */
    double const x[4] = {vl - doubt, vl + doubt, vu - doubt, vu + doubt};
    memcpy(r->x, x, sizeof x);
    for (int i = 0; i < 4; ++i)
        if (isnan(r->x[i])) r->x[i] = i % 2 ? INFINITY : -INFINITY; /* an infinite end, or norm */
    stebz_count_problem const q = {EIG_D, n, 4, r->d, n > 1 ? r->e : NULL, r->x, r->count, &r->info, false};
    return count_silently(ctx, &q);
}

/* True where (vl, vu] certainly holds the eigenvalues with the indices *il to *iu, and at least one. */
static eig_status find_indices(eig_context *ctx, eig_type type, int64_t n, const void *d, const void *e, double vl,
                               double vu, int64_t *il, int64_t *iu, bool *known)
{
    *known = false;
    range_counts r = {.d = malloc((size_t)n * sizeof(double)), .e = malloc((size_t)n * sizeof(double))};
    eig_status status = EIG_OK;
    if (!r.d || !r.e) {
        status = eig_fail(ctx, EIG_NO_MEMORY, "cannot allocate two arrays of %lld numbers", (long long)n);
    } else {
        widen(type, d, n, r.d);
        widen(type, e, n - 1, r.e);
        status = count_around(ctx, type, n, vl, vu, &r);
    }
    free(r.d);
    free(r.e);
    if (status != EIG_OK || r.info != EIG_INFO_OK) return status;
    *il = r.count[0] + 1, *iu = r.count[2];
    *known = r.count[0] == r.count[1] && r.count[2] == r.count[3] && *il <= *iu;
    return EIG_OK;
}

/* The first child computes all. */
static eig_status run_whole(eig_context *ctx, const char *family, multi_work *work, const void *problem)
{
    multi_call const call = {.family = family, .work = work, .problem = problem, .count = 1, .parts = 1};
    return eig_multi_run(ctx, &call, 1);
}

/* Parts of `count` eigenvalues: one for each child, if there are this many. */
static int64_t parts_of(const eig_context *ctx, int64_t count)
{
    return children_of(ctx) < count ? children_of(ctx) : count;
}

/* ----------------------------------------------------------------------- stebz */

typedef struct stebz_result {
    int64_t m;
    int info;
} stebz_result;

static eig_status stebz_part(eig_context *child, const multi_call *call, int64_t first, int64_t count)
{
    stebz_problem q = *(const stebz_problem *)call->problem;
    stebz_result *const result = call->result, mine = {0, EIG_INFO_OK};
    stebz_result own = mine;
    q.range = EIG_RANGE_INDEX, q.il += first, q.iu = q.il + count - 1;
    q.w = type_at(q.type, q.w, first);
    if (q.lower) q.lower = type_at(q.type, q.lower, first);
    if (q.upper) q.upper = type_at(q.type, q.upper, first);
    q.m = &own.m, q.info = &own.info;
    eig_status const status = child->backend->stebz(child, &q);
    eig_multi_lock(child);
    result->m += own.m;
    if (own.info != EIG_INFO_OK) result->info = own.info;
    eig_multi_unlock(child);
    return status;
}

static eig_status stebz_whole(eig_context *child, const multi_call *call, int64_t first, int64_t count)
{
    (void)first, (void)count;
    return child->backend->stebz(child, call->problem);
}

/* One matrix.  Baselines stay whole. */
static eig_status stebz_single(eig_context *ctx, stebz_problem p)
{
    bool cut = p.method == EIG_STEBZ_MULTISECTION && children_of(ctx) > 1 && is_worth(ctx, p.n, stebz_most_wanted(&p));
    if (cut && p.range == EIG_RANGE_VALUE) {
        eig_status const status =
            find_indices(ctx, p.type, p.n, p.d, p.e, p.by_value.vl, p.by_value.vu, &p.il, &p.iu, &cut);
        if (status != EIG_OK) return status;
    }
    if (!cut) return run_whole(ctx, "stebz", stebz_whole, &p);
    stebz_result result = {0, EIG_INFO_OK};
    multi_call call = {.family = "stebz", .work = stebz_part, .problem = &p, .result = &result};
    call.count = p.iu - p.il + 1, call.parts = parts_of(ctx, call.count);
    eig_status const status = eig_multi_run(ctx, &call, call.parts);
    if (status == EIG_OK && p.m) *p.m = result.m;
    if (status == EIG_OK && p.info) *p.info = result.info;
    return status;
}

size_t eig_multi_stebz_work_size(const eig_context *ctx, const stebz_problem *p)
{
    (void)ctx, (void)p;
    return 0;
}

eig_status eig_multi_stebz(eig_context *ctx, const stebz_problem *p)
{
    multi_array const arrays[] = {
        {"d", p->d}, {"e", p->e}, {"w", p->w}, {"lower", p->lower}, {"upper", p->upper}, {"m", p->m}, {"info", p->info},
    };
    eig_status const status = eig_multi_check(ctx, "stebz", arrays, 7);
    if (status != EIG_OK) return status;
    return p->batch == 1 ? stebz_single(ctx, *p) : eig_multi_stebz_batch(ctx, p);
}

/* ---------------------------------------------------------------------- counts */

static eig_status shifts_part(eig_context *child, const multi_call *call, int64_t first, int64_t count)
{
    stebz_count_problem q = *(const stebz_count_problem *)call->problem;
    int info = EIG_INFO_OK;
    q.m = count, q.x = type_at(q.type, q.x, first), q.count += first, q.info = &info;
    eig_status const status = child->backend->stebz_count(child, &q);
    eig_multi_lock(child);
    if (info != EIG_INFO_OK) *(int *)call->result = info;
    eig_multi_unlock(child);
    return status;
}

size_t eig_multi_stebz_count_work_size(const eig_context *ctx, const stebz_count_problem *p)
{
    (void)ctx, (void)p;
    return 0;
}

eig_status eig_multi_stebz_count(eig_context *ctx, const stebz_count_problem *p)
{
    multi_array const arrays[] = {
        {"d", p->d}, {"e", p->e}, {"x", p->x}, {"count", p->count}, {"info", p->info},
    };
    eig_status status = eig_multi_check(ctx, "stebz_count", arrays, 5);
    if (status != EIG_OK) return status;
    int info = EIG_INFO_OK;
    multi_call call = {.family = "stebz_count", .work = shifts_part, .problem = p, .result = &info, .count = p->m};
    call.parts = is_worth(ctx, p->n, p->m) ? children_of(ctx) : 1;
    if (call.parts > p->m) call.parts = p->m;
    status = eig_multi_run(ctx, &call, call.parts);
    if (status == EIG_OK && p->info) *p->info = info;
    return status;
}

/* ----------------------------------------------------------------------- stemr */

typedef struct stemr_result {
    int64_t m;
    double orthogonality;
    eig_stemr_stats stats;
} stemr_result;

static eig_status stemr_part(eig_context *child, const multi_call *call, int64_t first, int64_t count)
{
    stemr_problem q = *(const stemr_problem *)call->problem;
    stemr_result *const result = call->result;
    stemr_result own = {0};
    union {
        float s;
        double d;
    } orthogonality = {.d = 0};
    q.range = EIG_RANGE_INDEX, q.il += first, q.iu = q.il + count - 1;
    q.w = type_at(q.type, q.w, first);
    if (q.z) q.z = type_at(q.type, q.z, first * q.ldz);
    if (q.isuppz) q.isuppz += 2 * first;
    if (q.info) q.info += first;
    if (q.residual) q.residual = type_at(q.type, q.residual, first);
    if (q.orthogonality) q.orthogonality = &orthogonality;
    q.m = &own.m;
    if (q.stats) q.stats = &own.stats;
    eig_status const status = child->backend->stemr(child, &q);
    own.orthogonality = type_get(q.type, &orthogonality, 0);
    eig_multi_lock(child);
    result->m += own.m;
    if (isnan(own.orthogonality) || own.orthogonality > result->orthogonality)
        result->orthogonality = own.orthogonality;
    stemr_add_stats(&result->stats, &own.stats);
    eig_multi_unlock(child);
    return status;
}

static eig_status stemr_whole(eig_context *child, const multi_call *call, int64_t first, int64_t count)
{
    (void)first, (void)count;
    return child->backend->stemr(child, call->problem);
}

static void tell_result(const stemr_problem *p, const stemr_result *result)
{
    if (p->m) *p->m = result->m;
    if (p->stats) *p->stats = result->stats;
    if (p->orthogonality && p->z) type_put(p->type, p->orthogonality, 0, result->orthogonality);
}

static eig_status cut_at_gaps(eig_context *ctx, const stemr_problem *p, int64_t parts, int64_t *begin)
{
    bool const cpu = multi_state_of(ctx)->worker[0].child->backend == &eig_backend_cpu;
    gap_search const search = {.type = p->type,
                               .n = p->n,
                               .d = p->d,
                               .e = p->e,
                               .il = p->il,
                               .iu = p->iu,
                               .points = cpu ? GAP_POINTS_CPU : GAP_POINTS_GPU,
                               .counts = count_silently};
    return eig_cut_at_gaps(ctx, &search, parts, begin);
}

/* A call that returns its tree of representations is not shared, nor is the plain version. */
bool eig_multi_stemr_is_shared(const eig_context *ctx, const stemr_problem *p)
{
    int64_t const most = p->range == EIG_RANGE_INDEX ? p->iu - p->il + 1 : p->n;
    return p->method == EIG_STEMR_AUTO && p->tree_room == 0 && children_of(ctx) > 1 && is_worth(ctx, p->n, 4 * most);
}

static eig_status stemr_shared(eig_context *ctx, stemr_problem p)
{
    bool cut = eig_multi_stemr_is_shared(ctx, &p);
    stemr_result result = {0};
    if (cut && p.range == EIG_RANGE_VALUE) {
        eig_status const status =
            find_indices(ctx, p.type, p.n, p.d, p.e, p.by_value.vl, p.by_value.vu, &p.il, &p.iu, &cut);
        if (status != EIG_OK) return status;
    }
    if (!cut) return run_whole(ctx, "stemr", stemr_whole, &p);
    int64_t begin[MULTI_MOST_CHILDREN + 1];
    multi_call call = {.family = "stemr", .work = stemr_part, .problem = &p, .result = &result, .cut = begin};
    call.count = p.iu - p.il + 1, call.parts = parts_of(ctx, call.count);
    eig_status status = cut_at_gaps(ctx, &p, call.parts, begin);
    if (status == EIG_OK) status = eig_multi_run(ctx, &call, call.parts);
    if (status == EIG_OK) tell_result(&p, &result);
    return status;
}

size_t eig_multi_stemr_work_size(const eig_context *ctx, const stemr_problem *p)
{
    (void)ctx, (void)p;
    return 0;
}

eig_status eig_multi_check_stemr(eig_context *ctx, const stemr_problem *p)
{
    multi_array const arrays[] = {
        {"d", p->d},
        {"e", p->e},
        {"m", p->m},
        {"w", p->w},
        {"z", p->z},
        {"isuppz", p->isuppz},
        {"info", p->info},
        {"residual", p->residual},
        {"orthogonality", p->orthogonality},
    };
    return eig_multi_check(ctx, "stemr", arrays, 9);
}

eig_status eig_multi_stemr(eig_context *ctx, const stemr_problem *p)
{
    eig_status const status = eig_multi_check_stemr(ctx, p);
    return status == EIG_OK ? stemr_shared(ctx, *p) : status;
}
