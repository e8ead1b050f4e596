/* stemr on the CPU: pairs on the lanes.  Units of pairs of one block are shared out to threads; what a unit finds
 * depends on its pairs alone. */
#include "stemr_cpu.h"

#include "openmp.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 260 }; /* of a single: a bracket of 2^-44 halves at least every other step, down to 2^-106 of it */

/* ------------------------------------------------------------------- units */

static const stemr_pair *pair_of(const stemr_task *t, stemr_kind kind, int64_t item)
{
    return &t->pair[kind == STEMR_NODES ? t->node[item].first : kind == STEMR_PROBES ? t->probe[item].pair : item];
}

/* What items on the lanes of a unit have in common: a node whose representation is kept, or that they have one of their
 * own, or that they have none. */
enum { OWN = -1, NONE = -2 };

static int64_t source_of(const stemr_task *t, stemr_kind kind, int64_t item)
{
    int64_t const node = kind == STEMR_NODES ? t->node[item].parent : pair_of(t, kind, item)->node;
    if (node < 0) return NONE;
    return kind == STEMR_NODES || t->node[node].slot < 0 ? OWN : node;
}

/* The order of pairs in which neighbours make units: with twists near each other. */
static bool comes_before(const stemr_task *t, int64_t j, int64_t k)
{
    const stemr_pair *const p = &t->pair[j], *const q = &t->pair[k];
    if (p->block != q->block) return p->block < q->block;
    int64_t const of_p = source_of(t, STEMR_PAIRS, j), of_q = source_of(t, STEMR_PAIRS, k);
    if (of_p != of_q) return of_p < of_q;
    return p->twist != q->twist ? p->twist < q->twist : j < k;
}

static bool go_together(const stemr_task *t, stemr_kind kind, int64_t item, int64_t next)
{
    const stemr_pair *const p = pair_of(t, kind, item), *const q = pair_of(t, kind, next);
    if (kind == STEMR_PAIRS && (p->twist < 0) != (q->twist < 0)) return false;
    return p->block == q->block && source_of(t, kind, item) == source_of(t, kind, next);
}

static void cut_units(stemr_task *t, stemr_kind kind, int64_t count)
{
    t->units = 0;
    for (int64_t k = 0; k < count; ++k) {
        stemr_unit *const u = t->units > 0 ? &t->unit[t->units - 1] : NULL;
        if (u && u->count < STEMR_LANES && go_together(t, kind, t->list[u->first], t->list[k])) {
            ++u->count;
            continue;
        }
        t->unit[t->units++] = (stemr_unit){.first = k, .count = 1, .own = source_of(t, kind, t->list[k]) == OWN};
    }
}

/* number: of the thread among those of this call, which may itself be a thread of the caller's team. */
static void work_units(stemr_task *t, stemr_work *work, atomic_int_fast64_t *next, int number)
{
    void *const scratch = t->scratch + (size_t)number * t->scratch_bytes;
    for (;;) {
        int64_t const u = atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
        if (u >= t->units || !eig_cpu_watch_look(&t->watch, t->from + 0.5 * t->part * (double)u / (double)t->units))
            return;
        work(t, &t->unit[u], scratch);
    }
}

eig_status eig_cpu_stemr_share(stemr_task *t, stemr_kind kind, int64_t count, stemr_work *work)
{
    atomic_int_fast64_t next;
    atomic_init(&next, 0);
    if (kind == STEMR_PAIRS) eig_cpu_stemr_sort(t, t->list, t->order, count, comes_before);
    cut_units(t, kind, count);
    int const threads = t->units < t->threads ? (int)t->units : t->threads;
    if (threads <= 1) {
        work_units(t, work, &next, 0);
    } else {
#pragma omp parallel num_threads(threads)
        {
            USUAL_FLOAT_MODE;
            work_units(t, work, &next, cpu_thread_number());
        }
    }
    t->from += 0.5 * t->part, t->part *= 0.5; /* what follows in this pass counts as its second half */
    return t->watch.status;
}

/* ------------------------------------------------------------------- lanes */

static void set_shift(stemr_lanes *x, int l, wide_d shift)
{
    x->hi[l] = shift.hi, x->lo[l] = shift.lo;
}

void eig_cpu_stemr_represent(stemr_task *t, const int64_t *nodes, int lanes, const stemr_row *rows, int64_t n,
                             stemr_lanes *x, void *scratch)
{
    int deepest = 0;
    for (int l = 0; l < lanes; ++l)
        if (nodes[l] >= 0 && t->node[nodes[l]].level > deepest) deepest = t->node[nodes[l]].level;
    /* A lane that is there already takes shifts of 0, which change no bit. */
    for (int level = 1; level <= deepest; ++level) {
        for (int l = 0; l < STEMR_LANES; ++l) {
            int64_t node = nodes[l < lanes ? l : 0];
            while (node >= 0 && t->node[node].level > level) node = t->node[node].parent;
            bool const here = node >= 0 && t->node[node].level == level;
            set_shift(x, l, here ? t->node[node].shift : wide_of(0));
        }
        t->kernel->represent(rows, n, level > 1, lanes, x, scratch);
    }
}

/* What the functions below begin with: pairs on the lanes, with their representations. */
typedef struct stemr_group_lanes {
    const stemr_row *rows;
    int64_t n;
    stemr_pair *pair[STEMR_LANES];
    int lanes;
} stemr_group_lanes;

static stemr_group_lanes load(stemr_task *t, stemr_kind kind, const stemr_unit *u, stemr_lanes *x, void *scratch)
{
    stemr_group_lanes g = {.lanes = u->count};
    int64_t nodes[STEMR_LANES];
    for (int l = 0; l < STEMR_LANES; ++l) {
        g.pair[l] = (stemr_pair *)pair_of(t, kind, t->list[u->first + (l < u->count ? l : 0)]);
        nodes[l] = g.pair[l]->node;
    }
    const stemr_block *const b = &t->block[g.pair[0]->block];
    g.rows = t->rows + b->start, g.n = b->length;
    if (u->own)
        eig_cpu_stemr_represent(t, nodes, u->count, g.rows, g.n, x, scratch);
    else if (nodes[0] >= 0)
        g.rows = t->pool + t->node[nodes[0]].slot;
    return g;
}

static void count_unit(stemr_task *t, const stemr_unit *u, void *scratch)
{
    stemr_lanes x;
    stemr_group_lanes const g = load(t, STEMR_PROBES, u, &x, scratch);
    stemr_probe *const probe = &t->probe[t->list[u->first]];
    for (int l = 0; l < STEMR_LANES; ++l) set_shift(&x, l, probe[l < g.lanes ? l : 0].x);
    t->kernel->count(g.rows, g.n, u->own, g.lanes, &x, scratch);
    for (int l = 0; l < g.lanes; ++l) probe[l].count = x.count[l];
}

eig_status eig_cpu_stemr_count(stemr_task *t, int64_t count)
{
    for (int64_t k = 0; k < count; ++k) t->list[k] = k;
    return eig_cpu_stemr_share(t, STEMR_PROBES, count, count_unit);
}

/* ------------------------------------------------------------------ singles */

/* The residual r = |gamma| / ||z|| of a unit vector bounds the distance of x and an eigenvalue, x + gamma / ||z||^2 is
 * off by r^2 / gap, and a vector for that shift by r^2 / gap^2: r = 2^-28 gap is enough, for a float's 2^-14 gap. */
bool eig_cpu_stemr_step(stemr_pair *k, double enough, int64_t count, double gamma, double norm)
{
    double const r = fabs(gamma) / sqrt(norm), least = 0x1p-96 * fabs(k->x.hi);
    wide_d const next = wide_add_d(k->x, wide_of(gamma / norm));
    if (count >= k->index)
        k->hi = k->x;
    else
        k->lo = k->x;
    bool const inside = wide_less(k->lo, next) && wide_less(next, k->hi);
    if (r <= enough * k->gap || r <= least || stemr_width(k) <= least) {
        if (inside) k->x = next;
        return true;
    }
    bool const progress = inside && r < 0.5 * k->before;
    k->x = progress ? next : wide_middle(k->lo, k->hi);
    k->before = progress ? r : INFINITY;
    return false;
}

/* Shifts, twists and windows of the lanes' pairs. */
static void set_walk(stemr_lanes *x, const stemr_group_lanes *g)
{
    for (int l = 0; l < STEMR_LANES; ++l) {
        const stemr_pair *const k = g->pair[l];
        set_shift(x, l, k->x);
        x->twist[l] = k->twist, x->top[l] = k->top, x->bottom[l] = k->bottom;
    }
}

/* A step on the rows of a window. It can only be the last step, since a count of these rows says nothing about T, but
 * the sign of gamma does. The window is given up where the step is not the last, where it leaves the bracket, or where
 * the window cuts off too much. */
static bool step_in_window(const stemr_task *t, stemr_pair *k, double gamma, double norm, double edge)
{
    stemr_pair stepped = *k;
    bool const done = eig_cpu_stemr_step(&stepped, t->enough, gamma < 0 ? k->index : k->index - 1, gamma, norm);
    bool const moved = stepped.x.hi != k->x.hi || stepped.x.lo != k->x.lo;
    bool const holds = edge <= t->enough * t->enough * k->gap * sqrt(norm), last = done && moved && holds;
    if (last)
        *k = stepped;
    else
        k->top = 0, k->bottom = t->block[k->block].length - 1;
    return last;
}

/* After a bisection the twist is searched for again. */
static void step_unit(stemr_task *t, const stemr_unit *u, void *scratch)
{
    stemr_lanes x;
    stemr_group_lanes const g = load(t, STEMR_PAIRS, u, &x, scratch);
    set_walk(&x, &g);
    (x.twist[0] >= 0 ? t->kernel->step : t->kernel->twist)(g.rows, g.n, u->own, g.lanes, &x, scratch);
    for (int l = 0; l < g.lanes; ++l) {
        stemr_pair *const k = g.pair[l];
        if (k->top > 0 || k->bottom < g.n - 1) {
            k->ready = step_in_window(t, k, x.gamma[l], x.norm[l], x.edge[l]);
            continue;
        }
        k->ready = eig_cpu_stemr_step(k, t->enough, x.count[l], x.gamma[l], x.norm[l]);
        k->twist = k->ready || k->before < INFINITY ? x.twist[l] : -1;
    }
}

static void seek_unit(stemr_task *t, const stemr_unit *u, void *scratch)
{
    stemr_lanes x;
    stemr_group_lanes const g = load(t, STEMR_PAIRS, u, &x, scratch);
    set_walk(&x, &g);
    x.bits = t->limits.window;
    t->kernel->seek(g.rows, g.n, g.lanes, &x, scratch);
    for (int l = 0; l < g.lanes; ++l) {
        g.pair[l]->twist = t->limits.blind ? 0 : x.twist[l];
        if (!t->limits.blind) g.pair[l]->top = x.top[l], g.pair[l]->bottom = x.bottom[l];
    }
}

/* All steps of a round at once, so that lanes stay full and pairs with near twists share them. */
eig_status eig_cpu_stemr_refine(stemr_task *t)
{
    int64_t count = 0;
    for (int64_t k = 0; k < t->pairs; ++k)
        if (t->pair[k].state == STEMR_SINGLE && t->pair[k].node < 0 && t->pair[k].twist < 0) t->list[count++] = k;
    eig_status status = eig_cpu_stemr_share(t, STEMR_PAIRS, count, seek_unit);
    for (int64_t k = 0; k < t->pairs; ++k) {
        /* The middle of a narrow bracket is at once good enough for a vector of floats. */
        t->pair[k].ready = t->pair[k].ready || stemr_width(&t->pair[k]) <= t->fine * t->pair[k].gap;
        t->pair[k].before = INFINITY;
    }
    for (int round = 0; round < MOST_STEPS && status == EIG_OK; ++round) {
        count = 0;
        for (int64_t k = 0; k < t->pairs; ++k)
            if (t->pair[k].state == STEMR_SINGLE && !t->pair[k].ready) t->list[count++] = k;
        if (count == 0) break;
        status = eig_cpu_stemr_share(t, STEMR_PAIRS, count, step_unit);
    }
    return status;
}

/* Whether the vector is worse than the error of x explains: its residual is at least its error times the gap. */
static bool is_poor(const stemr_task *t, const stemr_group_lanes *g, const stemr_lanes *x, int l)
{
    const stemr_pair *const k = g->pair[l];
    double const least = fmax(8 * t->enough * t->enough * k->gap, 0x1p-94 * fabs(k->x.hi));
    return !(fabs(x->gamma[l]) + x->edge[l] <= least * sqrt((double)g->n * x->norm[l]));
}

/* Vectors in the scratch.  Where one is small at its twist, errors of x weigh more: then the twist is searched for
 * again, in all rows; also where a window was too narrow. */
static void make_vectors(stemr_task *t, const stemr_group_lanes *g, bool own, stemr_lanes *x, void *scratch)
{
    stemr_lanes found = *x;
    bool poor = false;
    if (x->twist[0] < 0) t->kernel->twist(g->rows, g->n, own, g->lanes, x, scratch);
    t->kernel->vectors(g->rows, g->n, own, g->lanes, x, scratch);
    for (int l = 0; l < g->lanes; ++l) poor = poor || is_poor(t, g, x, l);
    if (!poor) return;
    t->kernel->twist(g->rows, g->n, own, g->lanes, &found, scratch);
    for (int l = 0; l < g->lanes; ++l)
        if (is_poor(t, g, x, l)) x->twist[l] = found.twist[l], x->top[l] = 0, x->bottom[l] = g->n - 1;
    t->kernel->vectors(g->rows, g->n, own, g->lanes, x, scratch);
}

/* The eigenvalue that the caller gets, of the scaled T; a wrong one for tests. */
static double told_value(const stemr_task *t, const stemr_pair *pair)
{
    bool const single = type_is_single(t->p->type), wrong = t->limits.bent > 0 && pair->index % t->limits.bent == 0;
    double const w = single ? (double)(float)pair->value : pair->value;
    return wrong ? w + sqrt(single ? FLT_EPSILON : DBL_EPSILON) : w;
}

static void vectors_unit(stemr_task *t, const stemr_unit *u, void *scratch)
{
    stemr_lanes x;
    stemr_group_lanes const g = load(t, STEMR_PAIRS, u, &x, scratch);
    const stemr_problem *const p = t->p;
    const stemr_block *const b = &t->block[g.pair[0]->block];
    bool const single = type_is_single(p->type);
    stemr_column columns[STEMR_LANES];
    set_walk(&x, &g);
    make_vectors(t, &g, u->own, &x, scratch);
    for (int l = 0; l < g.lanes; ++l) {
        char *const z = type_at(p->type, p->z, g.pair[l]->column * p->ldz);
        size_t const size = type_size(p->type);
        memset(z, 0, (size_t)b->start * size);
        memset(z + (size_t)(b->start + b->length) * size, 0, (size_t)(p->n - b->start - b->length) * size);
        columns[l] = (stemr_column){.z = z + (size_t)b->start * size, .scale = 1 / sqrt(x.norm[l]), .most = x.most[l]};
        columns[l].first = x.top[l], columns[l].last = x.bottom[l];
        columns[l].w = told_value(t, g.pair[l]);
    }
    stemr_matrix const matrix = {p->certify ? t->a + b->start : NULL, t->b + b->start};
    t->kernel->store(g.n, g.lanes, scratch, single, single ? 0x1p-60 : 0x1p-100, matrix, columns);
    for (int l = 0; l < g.lanes; ++l) {
        stemr_pair *const k = g.pair[l];
        k->residual = (fabs(x.gamma[l]) + x.edge[l]) / sqrt(x.norm[l]);
        k->support_first = b->start + columns[l].first, k->support_last = b->start + columns[l].last;
        if (p->certify) eig_cpu_stemr_judge(t, k, columns[l].residual, columns[l].square);
    }
}

eig_status eig_cpu_stemr_vectors(stemr_task *t)
{
    int64_t count = 0;
    for (int64_t k = 0; k < t->pairs; ++k) {
        stemr_pair *const pair = &t->pair[k];
        if (pair->state != STEMR_SINGLE || pair->column < 0) continue;
        if (t->block[pair->block].is_short)
            eig_cpu_stemr_short_vector(t, pair);
        else
            t->list[count++] = k;
    }
    return eig_cpu_stemr_share(t, STEMR_PAIRS, count, vectors_unit);
}
