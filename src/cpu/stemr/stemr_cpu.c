/* stemr on the CPU: the driver.
 *
 *     root          scale, split, brackets by the engine of stebz, a representation for each block
 *     tree          clusters get representations of their own, until their members are separated
 *     refinement    every eigenvalue to full accuracy in twice the digits, by Rayleigh quotients inside its bracket
 *     vectors       ranks, then one more twisted factorisation a pair, straight into its column
 *     fallbacks     pairs that nothing separated; certificate
 *
 * Digits    representations, shifts and factorisations carry twice the digits of a double, which costs some ten times a
 *           double's time and leaves trees flat and vectors orthogonal (docs/families/stemr.md).
 * Bits      a pair's result depends on T and its index alone: brackets are steady, lanes are independent. */
#include "stemr_cpu.h"

#include "openmp.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- workspace */

/* The most pairs that a call can find. */
static int64_t most_pairs(const stemr_problem *p)
{
    return p->range == EIG_RANGE_INDEX ? p->iu - p->il + 1 : p->n;
}

/* A thread is worth waking for about a quarter of a millisecond of work; a pair takes some 10 ns a row. */
static int threads_of(const eig_context *ctx, const stemr_problem *p)
{
    double const worth = 1 + (double)p->n * (double)most_pairs(p) / 25e3;
    return cpu_threads(ctx, worth < INT_MAX ? (int64_t)worth : INT_MAX);
}

static void layout(arena *a, stemr_task *t)
{
    int64_t const n = t->p->n, padded = (n + STURM_BLOCK - 1) / STURM_BLOCK * STURM_BLOCK;
    int64_t const points = (n > STEBZ_LEAST_CELLS ? n : STEBZ_LEAST_CELLS) + 1;
    stebz_search *const s = &t->search;
    t->a = arena_take(a, n, sizeof(double));
    t->b = arena_take(a, n, sizeof(double));
    t->rows = arena_take(a, n, sizeof(stemr_row));
    t->block = arena_take(a, n, sizeof(stemr_block));
    t->pair = arena_take(a, n, sizeof(stemr_pair));
    t->node = arena_take(a, (n / 2 + 1) * STEMR_DEPTH, sizeof(stemr_node));
    t->list = arena_take(a, STEMR_PROBE_ROW * n, sizeof(int64_t));
    t->order = arena_take(a, n, sizeof(int64_t));
    t->unit = arena_take(a, STEMR_PROBE_ROW * n, sizeof(stemr_unit));
    t->probe = arena_take(a, STEMR_PROBE_ROW * n, sizeof(stemr_probe));
    t->pool_rows = t->limits.pool * n;
    t->pool = arena_take(a, t->pool_rows, sizeof(stemr_row));
    t->inverse = arena_take(a, STEMR_INVERSE_ROW * n, sizeof(double));
    t->groups = arena_take(a, n, sizeof(stebz_group));
    s->rows = arena_take(a, 2 * padded, sizeof(double));
    s->scales = arena_take(a, 2 * (padded / STURM_BLOCK), sizeof(double));
    s->table.count = arena_take(a, points, sizeof(int64_t));
    s->table.highest = arena_take(a, points, sizeof(int64_t));
    s->table.mantissa = arena_take(a, points, sizeof(double));
    s->table.exponent = arena_take(a, points, sizeof(double));
    t->scratch_bytes = arena_rounded(arena_product((size_t)n, t->kernel->row_bytes));
    t->scratch = arena_take(a, t->threads, t->scratch_bytes);
}

static void open_task(stemr_task *t, eig_context *ctx, const stemr_problem *p)
{
    memset(t, 0, sizeof *t);
    t->ctx = ctx, t->p = p;
    t->limits = p->limits ? *p->limits : (stemr_limits)STEMR_LIMITS;
    t->split = type_is_single(p->type) ? STEMR_SPLIT_SINGLE : STEMR_SPLIT;
    t->enough = type_is_single(p->type) ? STEMR_ENOUGH_SINGLE : STEMR_ENOUGH;
    t->fine = type_is_single(p->type) ? STEMR_FINE_SINGLE : 0;
    t->threads = threads_of(ctx, p);
    t->kernel = eig_cpu_kernels(ctx, EIG_D)->stemr;
    t->search.kernels = &eig_cpu_kernels(ctx, EIG_D)->stebz;
}

size_t eig_cpu_stemr_work_size(const eig_context *ctx, const stemr_problem *p)
{
    stemr_task t;
    arena measure = {0};
    if (stemr_is_few(p)) return 0;
    open_task(&t, (eig_context *)ctx, p);
    layout(&measure, &t);
    return measure.used;
}

/* ------------------------------------------------------------------ outputs */

void eig_cpu_stemr_fill_nan(const stemr_problem *p)
{
    int64_t const most = most_pairs(p);
    for (int64_t k = 0; k < most; ++k) {
        type_put(p->type, p->w, k, NAN);
        if (p->residual && p->z) type_put(p->type, p->residual, k, NAN);
        if (p->info) p->info[k] = EIG_INFO_NOT_FINITE;
        if (p->isuppz && p->z) p->isuppz[2 * k] = 1, p->isuppz[2 * k + 1] = p->n;
        for (int64_t i = 0; p->z && i < p->n; ++i) type_put(p->type, p->z, k * p->ldz + i, NAN);
    }
    if (p->orthogonality && p->z) type_put(p->type, p->orthogonality, 0, NAN);
    if (p->m) *p->m = 0;
}

/* Merges runs, of which a list that is in order has one. */
void eig_cpu_stemr_sort(const stemr_task *t, int64_t *list, int64_t *room, int64_t count, stemr_before *before)
{
    int64_t *from = list, *to = room;
    for (bool sorted = false; !sorted;) {
        sorted = true;
        for (int64_t at = 0; at < count;) {
            int64_t const first = at;
            int64_t middle = at + 1;
            while (middle < count && !before(t, from[middle], from[middle - 1])) ++middle;
            int64_t end = middle < count ? middle + 1 : count;
            while (end < count && !before(t, from[end], from[end - 1])) ++end;
            sorted = sorted && (first == 0 && middle == count);
            int64_t left = first, right = middle;
            for (; at < end; ++at) {
                bool const take = left < middle && (right >= end || !before(t, from[right], from[left]));
                to[at] = take ? from[left++] : from[right++];
            }
        }
        int64_t *const other = from;
        from = to, to = other;
    }
    if (from != list) memcpy(list, from, (size_t)count * sizeof *from);
}

static bool is_less(const stemr_task *t, int64_t j, int64_t k)
{
    return t->pair[j].value < t->pair[k].value;
}

/* t->order: the pairs by their values; equal ones stay in the order of their blocks. */
static void order_pairs(stemr_task *t)
{
    enum { FEW = 24 };
    for (int64_t k = 0; k < t->pairs; ++k) t->order[k] = k;
    if (t->pairs > FEW) {
        eig_cpu_stemr_sort(t, t->order, t->list, t->pairs, is_less);
        return;
    }
    for (int64_t k = 1; k < t->pairs; ++k) {
        int64_t at = k;
        for (; at > 0 && is_less(t, k, t->order[at - 1]); --at) t->order[at] = t->order[at - 1];
        t->order[at] = k;
    }
}

/* An eigenvalue of T. */
static double value_of(const stemr_task *t, const stemr_pair *pair)
{
    if (t->block[pair->block].is_short) return pair->x.hi + 0.0; /* sigma is 0; as by the sum, -0 becomes 0 */
    return wide_add_d(eig_cpu_stemr_shift(t, pair->block, pair->node), pair->x).hi;
}

/* Values of all pairs, ranks, and columns of those that are asked for; how many these are. */
static int64_t rank_pairs(stemr_task *t)
{
    const stemr_problem *const p = t->p;
    stebz_power const up = stebz_power_of(t->scale);
    int64_t columns = 0;
    for (int64_t k = 0; k < t->pairs; ++k) {
        stemr_pair *const pair = &t->pair[k];
        pair->value = value_of(t, pair);
        pair->residual = INFINITY; /* it has no vector yet: if it gets none, info tells */
    }
    order_pairs(t);
    for (int64_t r = 0; r < t->pairs; ++r) {
        stemr_pair *const pair = &t->pair[t->order[r]];
        int64_t const rank = t->below + r + 1;
        if (rank < p->il || p->iu < rank) continue;
        double const w = stebz_scaled(pair->value, up);
        pair->column = columns++;
        type_put(p->type, p->w, pair->column, p->moves ? range_moved(&p->by_value, w) : w);
    }
    return columns;
}

/* Which guarantee a pair lacks. */
static int info_of(const stemr_task *t, const stemr_pair *pair)
{
    double const eps = type_is_single(t->p->type) ? FLT_EPSILON : DBL_EPSILON;
    bool const small = pair->residual <= t->limits.info_above[0] * (double)t->p->n * eps;
    return small ? pair->info : pair->info | EIG_STEMR_RESIDUAL;
}

static void tell_pairs(const stemr_task *t, int64_t columns)
{
    const stemr_problem *const p = t->p;
    for (int64_t k = 0; k < t->pairs; ++k) {
        const stemr_pair *const pair = &t->pair[k];
        if (pair->column < 0) continue;
        if (p->info) p->info[pair->column] = p->z ? info_of(t, pair) : EIG_INFO_OK;
        if (!p->isuppz || !p->z) continue;
        p->isuppz[2 * pair->column] = pair->support_first + 1;
        p->isuppz[2 * pair->column + 1] = pair->support_last + 1;
    }
    if (p->m) *p->m = columns;
}

/* ------------------------------------------------------------------ passes */

/* The time of the current pass; 0 where it is not measured. */
static double lap(const stemr_task *t, double *since)
{
    if (!t->ctx->timing) return 0;
    double const now = eig_cpu_clock(), ms = now - *since;
    *since = now;
    return ms;
}

/* The end of both methods: the fallback, and the outputs. */
static eig_status finish(stemr_task *t, int64_t columns)
{
    t->from = 0.85, t->part = 0.1;
    eig_status const status = t->p->z ? eig_cpu_stemr_inverse(t) : EIG_OK;
    if (status != EIG_OK) return status;
    tell_pairs(t, columns);
    t->from = 0.95, t->part = 0.05;
    return t->p->z ? eig_cpu_stemr_certify(t, columns) : EIG_OK;
}

/* All passes, on a T that is finite.  The shares of progress are those of a random T. */
static eig_status solve(stemr_task *t, double *ms)
{
    double since = t->ctx->timing ? eig_cpu_clock() : 0;
    eig_status status = eig_cpu_stemr_root(t);
    ms[0] = lap(t, &since);
    t->from = 0.2, t->part = 0.1;
    if (status == EIG_OK) status = eig_cpu_stemr_tree(t);
    ms[1] = lap(t, &since);
    t->from = 0.3, t->part = 0.3;
    if (status == EIG_OK) status = eig_cpu_stemr_refine(t);
    if (status != EIG_OK) return status;
    ms[2] = lap(t, &since);
    int64_t const columns = rank_pairs(t);
    eig_cpu_stemr_copy_tree(t);
    t->from = 0.6, t->part = 0.25;
    if (t->p->z) status = eig_cpu_stemr_vectors(t);
    if (status != EIG_OK) return status;
    ms[3] = lap(t, &since);
    status = finish(t, columns);
    ms[4] = lap(t, &since);
    return status;
}

/* The same plainly. */
static eig_status solve_plainly(stemr_task *t, double *ms)
{
    double since = t->ctx->timing ? eig_cpu_clock() : 0;
    t->from = 0, t->part = 0.8;
    eig_status status = eig_cpu_stemr_reference(t);
    if (status != EIG_OK) return status;
    ms[0] = lap(t, &since);
    int64_t const columns = rank_pairs(t);
    for (int64_t k = 0; t->p->z && k < t->pairs; ++k) {
        if (t->pair[k].state != STEMR_SINGLE || t->pair[k].column < 0) continue;
        if (!eig_cpu_watch_look(&t->watch, 0.8 + 0.05 * (double)k / (double)t->pairs)) return t->watch.status;
        eig_cpu_stemr_reference_vector(t, &t->pair[k]);
    }
    ms[3] = lap(t, &since);
    status = finish(t, columns);
    ms[4] = lap(t, &since);
    return status;
}

/* Scales T; false where it is not finite. */
static bool load(stemr_task *t)
{
    const stemr_problem *const p = t->p;
    const stebz_setup *const setup = eig_cpu_kernels(t->ctx, p->type)->stebz.setup;
    double const largest = setup->largest_entry(p->n, p->d, p->e);
    if (!isfinite(largest)) return false;
    int first = 0, second = 0;
    if (largest > 0) {
        frexp(largest, &first);
        setup->load(p->n, p->d, p->e, first, t->a, t->b);
        t->search.a = t->a, t->search.b = t->b, t->search.matrix.n = p->n;
        frexp(eig_cpu_stebz_norm(&t->search), &second);
    }
    t->scale = first + second;
    if (largest == 0 || second != 0) setup->load(p->n, p->d, p->e, t->scale, t->a, t->b);
    return true;
}

/* A range by value becomes one by index, as stebz decides it.  t->a and t->b are free. */
static void find_range(stemr_task *t, stemr_problem *p)
{
    stebz_problem const q = stemr_range_of(p);
    eig_cpu_stebz_range(t->ctx, &q, t->a, t->b, &p->il, &p->iu);
    p->range = EIG_RANGE_INDEX;
}

/* A range that holds nothing. */
static void store_none(const stemr_problem *p)
{
    if (p->m) *p->m = 0;
    if (p->orthogonality && p->z) type_put(p->type, p->orthogonality, 0, 0);
}

static eig_status solve_finite(stemr_task *t, stemr_problem *p, double *ms)
{
    if (p->il <= p->iu) return p->method == EIG_STEMR_REFERENCE ? solve_plainly(t, ms) : solve(t, ms);
    store_none(p);
    return EIG_OK;
}

/* A T of one or two rows. */
static eig_status solve_few(eig_context *ctx, const stemr_problem *p)
{
    static const char *const name[] = {"formulas"};
    double const start = ctx->timing ? eig_cpu_clock() : 0;
    bool const watched = ctx->progress || p->residual || p->orthogonality;
    cpu_watch watch;
    watch.status = EIG_OK;
    if (watched) eig_cpu_watch_start(&watch, ctx, "stemr", 1);
    if (watch.status == EIG_OK) watch.status = eig_cpu_stemr_few(ctx, p, &watch);
    eig_begin_passes(ctx, "auto", 1, name);
    if (ctx->timing) ctx->pass[0].ms = eig_cpu_clock() - start;
    return watched ? eig_cpu_watch_end(&watch) : watch.status;
}

eig_status eig_cpu_stemr(eig_context *ctx, const stemr_problem *p)
{
    static const char *const names[STEMR_PASSES] = {"root", "tree", "refinement", "vectors", "fallbacks"};
    if (stemr_is_few(p)) return solve_few(ctx, p);
    stemr_task t;
    void *work;
    double ms[STEMR_PASSES] = {0};
    open_task(&t, ctx, p);
    arena a = {0};
    layout(&a, &t);
    eig_status status = eig_workspace(ctx, "stemr", a.used, &work);
    if (status != EIG_OK) return status;
    a = (arena){.base = work};
    layout(&a, &t);
    eig_cpu_watch_start(&t.watch, ctx, "stemr", 1);
    status = t.watch.status;
    stemr_problem found = *p;
    if (status == EIG_OK && p->range == EIG_RANGE_VALUE) find_range(&t, &found);
    t.p = &found;
    if (status == EIG_OK && load(&t))
        status = solve_finite(&t, &found, ms);
    else if (status == EIG_OK)
        eig_cpu_stemr_fill_nan(p);
    if (p->stats) *p->stats = t.stats;
    eig_begin_passes(ctx, p->method == EIG_STEMR_REFERENCE ? "reference" : "auto", STEMR_PASSES, names);
    for (int i = 0; ctx->timing && i < STEMR_PASSES; ++i) ctx->pass[i].ms = ms[i];
    if (status != EIG_OK) return t.watch.status != EIG_OK ? t.watch.status : status;
    return eig_cpu_watch_end(&t.watch);
}
