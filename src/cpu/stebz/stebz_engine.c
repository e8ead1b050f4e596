/* stebz on the CPU, method multisection: a table of shifts, then an independent bracket for each group of eigenvalues.
 *
 * Mapping    every thread drives the lanes of one kernel call.  A lane refines one bracket; a lane that has finished
 *            takes another, so that a slow bracket delays no other.  All eigenvalues in a bracket share it until a
 *            count separates them: the count of the shared point is the count that each of them would have asked for.
 * Order      of waiting brackets: first the thread's own list, then the next cell of the table, then a shared list.
 * Bits       the points of a bracket depend on the bracket alone, not on lanes, threads or order.
 * Invariant  C(lo) < k <= C(hi) for each eigenvalue k of a bracket, by counts that were evaluated for its own ends.
 *            Counts of different brackets are never subtracted, so that a count that is not monotone in the last places
 *            costs no eigenvalue. */
#include "stebz_cpu.h"

#include "bracket.h"
#include "openmp.h"

#include <limits.h>
#include <sched.h>
#include <stdatomic.h>

typedef struct engine {
    stebz_search *search;
    atomic_int_fast64_t next_cell, remaining; /* eigenvalues not finished yet */
    atomic_int waiting;                       /* threads without work */
    atomic_flag lock;                         /* guards shared */
    int64_t shared;                           /* list of pending brackets that any thread may take */
} engine;

/* The lanes of one thread. */
typedef struct worker {
    stebz_ends k;
    stebz_counts c;
    int64_t first[STEBZ_LANES], last[STEBZ_LANES];
    int64_t count_a[STEBZ_LANES], count_b[STEBZ_LANES];
    int idle_steps[STEBZ_LANES]; /* steps in a row that did not halve the bracket */
    int active;
    int64_t own, own_length; /* list of pending brackets */
} worker;

/* ------------------------------------------------------------- the lists */

static void lock(engine *g)
{
    while (atomic_flag_test_and_set_explicit(&g->lock, memory_order_acquire)) {}
}

static void unlock(engine *g)
{
    atomic_flag_clear_explicit(&g->lock, memory_order_release);
}

static stebz_group *group_of(const engine *g, int64_t k)
{
    return &g->search->groups[k - g->search->il];
}

static void push_own(engine *g, worker *w, int64_t k)
{
    group_of(g, k)->next = w->own;
    w->own = k;
    ++w->own_length;
}

/* Eigenvalues *first to *last lie in cell j of the table; whether they are refined.  A steady search takes cells whole:
 * what a bracket has seen, and so its next points, depends on the eigenvalues that share it. */
static bool cell_is_wanted(const stebz_search *search, int64_t j, int64_t *first, int64_t *last)
{
    const stebz_count_table *const t = &search->table;
    *first = t->highest[j] + 1, *last = t->highest[j + 1];
    if (*first > *last || *last < search->il || *first > search->iu) return false;
    if (search->steady) return true;
    if (*first < search->il) *first = search->il;
    if (*last > search->iu) *last = search->iu;
    return true;
}

/* Puts the eigenvalues that lie in cell j of the table into a pending bracket; 0 if the cell is not wanted. */
static int64_t bracket_of_cell(engine *g, int64_t j)
{
    const stebz_search *const search = g->search;
    const stebz_count_table *const t = &search->table;
    int64_t first, last;
    if (!cell_is_wanted(search, j, &first, &last)) return 0;
    *group_of(g, first) = (stebz_group){
        .lo = stebz_table_point(search, j),
        .hi = stebz_table_point(search, j + 1),
        .mantissa_lo = t->mantissa[j],
        .exponent_lo = t->exponent[j],
        .mantissa_hi = t->mantissa[j + 1],
        .exponent_hi = t->exponent[j + 1],
        .count_lo = t->count[j],
        .count_hi = t->count[j + 1],
        .last = last,
    };
    return first;
}

/* A pending bracket for a lane, by its first eigenvalue; 0 if there is none at the moment. */
static int64_t take(engine *g, worker *w)
{
    int64_t k = w->own;
    if (k) {
        w->own = group_of(g, k)->next;
        --w->own_length;
        return k;
    }
    if (atomic_load_explicit(&g->next_cell, memory_order_relaxed) < g->search->table.cells) {
        for (;;) {
            int64_t const j = atomic_fetch_add_explicit(&g->next_cell, 1, memory_order_relaxed);
            if (j >= g->search->table.cells) break;
            if ((k = bracket_of_cell(g, j)) != 0) return k;
        }
    }
    lock(g);
    k = g->shared;
    if (k) g->shared = group_of(g, k)->next;
    unlock(g);
    return k;
}

/* Gives half of a long own list away while other threads have nothing to do. */
static void share(engine *g, worker *w)
{
    if (w->own_length < 2 || atomic_load_explicit(&g->waiting, memory_order_relaxed) == 0) return;
    lock(g);
    for (int64_t give = w->own_length / 2; give > 0; --give) {
        int64_t const k = w->own;
        w->own = group_of(g, k)->next;
        group_of(g, k)->next = g->shared;
        g->shared = k;
        --w->own_length;
    }
    unlock(g);
}

/* --------------------------------------------------------------- the lanes */

static void finish(engine *g, int64_t first, int64_t last, double lo, double hi)
{
    for (int64_t k = first; k <= last; ++k) {
        group_of(g, k)->lo = lo;
        group_of(g, k)->hi = hi;
    }
    atomic_fetch_sub_explicit(&g->remaining, last - first + 1, memory_order_relaxed);
}

static void load_lane(engine *g, worker *w, int l, int64_t k)
{
    const stebz_group *const s = group_of(g, k);
    w->k.xa[l] = s->lo, w->k.ma[l] = s->mantissa_lo, w->k.ea[l] = s->exponent_lo, w->count_a[l] = s->count_lo;
    w->k.xb[l] = s->hi, w->k.mb[l] = s->mantissa_hi, w->k.eb[l] = s->exponent_hi, w->count_b[l] = s->count_hi;
    w->k.xc[l] = s->lo, w->k.mc[l] = 0, w->k.ec[l] = 0, w->k.has_c[l] = 0;
    w->first[l] = k, w->last[l] = s->last;
    w->idle_steps[l] = 0;
}

static void move_lane(worker *w, int to, int from)
{
    stebz_ends *const k = &w->k;
    k->xa[to] = k->xa[from], k->ma[to] = k->ma[from], k->ea[to] = k->ea[from], w->count_a[to] = w->count_a[from];
    k->xb[to] = k->xb[from], k->mb[to] = k->mb[from], k->eb[to] = k->eb[from], w->count_b[to] = w->count_b[from];
    k->xc[to] = k->xc[from], k->mc[to] = k->mc[from], k->ec[to] = k->ec[from], k->has_c[to] = k->has_c[from];
    k->interpolate[to] = k->interpolate[from];
    w->first[to] = w->first[from], w->last[to] = w->last[from];
    w->idle_steps[to] = w->idle_steps[from];
    w->c.x[to] = w->c.x[from];
}

/* The values of the polynomial guide the next step when the counts say that one eigenvalue is inside. */
static void choose_rule(const engine *g, worker *w, int l)
{
    int64_t const inside = w->count_b[l] - w->count_a[l];
    bool const patient = w->idle_steps[l] < BRACKET_PATIENCE;
    w->k.interpolate[l] = !g->search->pivot && (inside == 1 || inside == -1) && patient;
    if (!patient) w->idle_steps[l] = 0;
}

/* Fills free lanes and makes sure that every active one has a shift strictly inside its bracket. */
static void prepare_lanes(engine *g, worker *w)
{
    const stebz_search *const search = g->search;
    int fresh = w->active;
    for (; w->active < search->shifts; ++w->active) {
        int64_t const k = take(g, w);
        if (!k) break;
        load_lane(g, w, w->active, k);
    }
    for (; fresh < w->active; ++fresh) choose_rule(g, w, fresh);
    search->kernels->pivot->points(&w->k, w->active, search->abstol, search->reltol, w->c.x);
    for (int l = 0; l < w->active;) {
        double const a = w->k.xa[l], b = w->k.xb[l], lo = a < b ? a : b, hi = a < b ? b : a;
        double x = w->k.interpolate[l] ? stebz_rounded(search, w->c.x[l]) : stebz_middle(search, lo, hi);
        if (!(lo < x && x < hi)) x = stebz_middle(search, lo, hi);
        if (lo < x && x < hi && !stebz_narrow_enough(search, lo, hi)) {
            w->c.x[l++] = x;
            continue;
        }
        finish(g, w->first[l], w->last[l], lo, hi);
        move_lane(w, l, --w->active);
    }
}

/* Moves one end of lane l's bracket to the point just counted; parts the eigenvalues if it fell between them. */
static void update_lane(engine *g, worker *w, int l)
{
    stebz_ends *const k = &w->k;
    double const x = w->c.x[l], m = w->c.mantissa[l], e = w->c.exponent[l];
    int64_t const count = w->c.count[l];
    bool const a_is_lo = k->xa[l] < k->xb[l];
    double const width = fabs(k->xb[l] - k->xa[l]);
    bool const left = count >= w->first[l]; /* the first eigenvalue lies in [lo, x] */
    if (left && count < w->last[l]) {
        stebz_group *const s = group_of(g, count + 1);
        *s = (stebz_group){.lo = x, .mantissa_lo = m, .exponent_lo = e, .count_lo = count, .last = w->last[l]};
        s->hi = a_is_lo ? k->xb[l] : k->xa[l];
        s->mantissa_hi = a_is_lo ? k->mb[l] : k->ma[l];
        s->exponent_hi = a_is_lo ? k->eb[l] : k->ea[l];
        s->count_hi = a_is_lo ? w->count_b[l] : w->count_a[l];
        push_own(g, w, count + 1);
        w->last[l] = count;
    }
    if (left == a_is_lo) { /* the end opposite to a moves: drop b, a becomes the other end */
        k->xc[l] = k->xb[l], k->mc[l] = k->mb[l], k->ec[l] = k->eb[l];
        k->xb[l] = k->xa[l], k->mb[l] = k->ma[l], k->eb[l] = k->ea[l], w->count_b[l] = w->count_a[l];
    } else {
        k->xc[l] = k->xa[l], k->mc[l] = k->ma[l], k->ec[l] = k->ea[l];
    }
    k->xa[l] = x, k->ma[l] = m, k->ea[l] = e, w->count_a[l] = count;
    k->has_c[l] = 1;
    w->idle_steps[l] = fabs(k->xb[l] - x) > 0.5 * width ? w->idle_steps[l] + 1 : 0;
    choose_rule(g, w, l);
}

/* Whether to go on. */
static bool look(const engine *g)
{
    double const total = (double)(g->search->iu - g->search->il + 1);
    double const done = 1 - (double)atomic_load_explicit(&g->remaining, memory_order_relaxed) / total;
    return stebz_look(g->search, STEBZ_TABLE_SHARE + (1 - STEBZ_TABLE_SHARE) * done);
}

static void work(engine *g)
{
    worker w;
    w.active = 0, w.own = 0, w.own_length = 0;
    for (int l = 0; l < STEBZ_LANES; ++l) w.c.x[l] = 0;
    bool idle = false;
    while (atomic_load_explicit(&g->remaining, memory_order_relaxed) > 0 && look(g)) {
        prepare_lanes(g, &w);
        if (idle != (w.active == 0)) {
            idle = !idle;
            atomic_fetch_add(&g->waiting, idle ? 1 : -1);
        }
        if (idle) {
            if (atomic_load_explicit(&g->remaining, memory_order_relaxed) > 0) sched_yield();
            continue;
        }
        g->search->count(&g->search->matrix, w.active, &w.c);
        for (int l = 0; l < w.active; ++l) update_lane(g, &w, l);
        share(g, &w);
    }
}

int eig_cpu_stebz_threads(const eig_context *ctx, int64_t n, double counts)
{
    /* A thread is worth waking for about a quarter of a millisecond of work, 0.06 ns a row: on a busy machine a team
     * waits for its slowest thread's turn. */
    double const worth = (double)n * counts / 4e6;
    return cpu_threads(ctx, worth < INT_MAX ? (int64_t)worth : INT_MAX);
}

eig_status eig_cpu_stebz_refine(stebz_search *search, int threads, double *pass_ms)
{
    double const start = pass_ms ? eig_cpu_clock() : 0;
    int64_t const part = search->iu - search->il + 1;
    eig_cpu_stebz_table(search, threads);
    double const tabled = pass_ms ? eig_cpu_clock() : 0;
    if (eig_cpu_watch_status(search->watch) != EIG_OK) return EIG_CANCELLED;
    engine g = {.search = search, .lock = ATOMIC_FLAG_INIT};
    int64_t wanted = search->steady ? 0 : part, first, last;
    search->begin = search->il;
    for (int64_t j = 0; search->steady && j < search->table.cells; ++j) {
        if (!cell_is_wanted(search, j, &first, &last)) continue;
        wanted += last - first + 1;
        if (first < search->begin) search->begin = first;
    }
    atomic_init(&g.remaining, wanted);
    /* Half-empty lanes cost nearly as much as full ones: more threads than that would only wait. */
    if (threads > 2 * wanted / search->shifts + 1) threads = (int)(2 * wanted / search->shifts) + 1;
    if (threads == 1) {
        work(&g);
    } else {
#pragma omp parallel num_threads(threads)
        {
            USUAL_FLOAT_MODE;
            work(&g);
        }
    }
    if (pass_ms) {
        pass_ms[1] += tabled - start;
        pass_ms[2] += eig_cpu_clock() - tabled;
    }
    return eig_cpu_watch_status(search->watch);
}
