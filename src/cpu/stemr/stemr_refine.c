/* stemr on the CPU: pairs on the lanes.  Units of pairs of one block are shared out to threads; what a unit finds depends
 * on its pairs alone. */
#include "stemr_cpu.h"

#include "openmp.h"

#include <math.h>
#include <string.h>

enum {
    BISECTIONS = 6,   /* between two classifications */
    MOST_POLISH = 260 /* steps of a single: a bracket of 2^-44 halves at least every other step, down to 2^-106 of it */
};

/* ------------------------------------------------------------------- units */

static int64_t block_of(const stemr_task *t, bool nodes, int64_t item)
{
    return t->pair[nodes ? t->node[item].first : item].block;
}

static bool is_own(const stemr_task *t, bool nodes, int64_t item)
{
    return (nodes ? t->node[item].parent : t->pair[item].node) >= 0;
}

/* Cuts list[0..count-1] into units: neighbours of one block, that have representations of their own or have not. */
static void cut_units(stemr_task *t, int64_t count, bool nodes, int most)
{
    t->units = 0;
    for (int64_t k = 0; k < count; ++k) {
        stemr_unit *const u = t->units > 0 ? &t->unit[t->units - 1] : NULL;
        bool const own = is_own(t, nodes, t->list[k]);
        if (u && u->count < most && u->own == own &&
            block_of(t, nodes, t->list[k]) == block_of(t, nodes, t->list[u->first])) {
            ++u->count;
            continue;
        }
        t->unit[t->units++] = (stemr_unit){.first = k, .count = 1, .own = own};
    }
}

static void work_units(stemr_task *t, stemr_work *work, atomic_int_fast64_t *next)
{
    void *const scratch = t->scratch + (size_t)cpu_thread_number() * t->scratch_bytes;
    for (;;) {
        int64_t const u = atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
        if (u >= t->units || !eig_cpu_watch_look(&t->watch, t->from + 0.5 * t->part * (double)u / (double)t->units))
            return;
        work(t, &t->unit[u], scratch);
    }
}

static eig_status share(stemr_task *t, stemr_work *work)
{
    atomic_int_fast64_t next;
    atomic_init(&next, 0);
    int const threads = t->units < t->threads ? (int)t->units : t->threads;
    if (threads <= 1) {
        work_units(t, work, &next);
    } else {
#pragma omp parallel num_threads(threads)
        work_units(t, work, &next);
    }
    t->from += 0.5 * t->part, t->part *= 0.5; /* what comes next in this pass is told as its second half */
    return t->watch.status;
}

eig_status eig_cpu_stemr_share(stemr_task *t, int64_t count, stemr_work *work)
{
    /* First those that share the block's representation, then the others: fuller units. */
    int64_t own = 0, plain = 0;
    for (int64_t k = 0; k < count; ++k) {
        if (is_own(t, false, t->list[k]))
            t->order[own++] = t->list[k];
        else
            t->list[plain++] = t->list[k];
    }
    for (int64_t k = 0; k < own; ++k) t->list[plain + k] = t->order[k];
    cut_units(t, count, false, STEMR_LANES);
    return share(t, work);
}

eig_status eig_cpu_stemr_share_nodes(stemr_task *t, int64_t count, stemr_work *work)
{
    cut_units(t, count, true, STEMR_LANES);
    return share(t, work);
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

/* What the functions below begin with: the unit's pairs on the lanes, with their representations. */
typedef struct stemr_group {
    const stemr_row *rows;
    int64_t n;
    stemr_pair *pair[STEMR_LANES];
    int lanes;
} stemr_group_lanes;

static stemr_group_lanes load(stemr_task *t, const stemr_unit *u, stemr_lanes *x, void *scratch)
{
    stemr_group_lanes g = {.lanes = u->count};
    int64_t nodes[STEMR_LANES];
    const stemr_block *const b = &t->block[t->pair[t->list[u->first]].block];
    g.rows = t->rows + b->start, g.n = b->length;
    for (int l = 0; l < STEMR_LANES; ++l) {
        g.pair[l] = &t->pair[t->list[u->first + (l < u->count ? l : 0)]];
        nodes[l] = g.pair[l]->node;
    }
    if (u->own) eig_cpu_stemr_represent(t, nodes, u->count, g.rows, g.n, x, scratch);
    return g;
}

/* A bracket from the parent's representation may miss its eigenvalue by the errors of both: it is widened until it
 * holds it. */
static void widen(stemr_task *t, stemr_group_lanes *g, bool own, stemr_lanes *x, const void *scratch)
{
    enum { MOST_WIDENINGS = 64 };
    bool fine[2] = {false, false};
    for (int turn = 0; turn < MOST_WIDENINGS && !(fine[0] && fine[1]); ++turn)
        for (int side = 0; side < 2; ++side) {
            if (fine[side]) continue;
            for (int l = 0; l < STEMR_LANES; ++l) set_shift(x, l, side ? g->pair[l]->hi : g->pair[l]->lo);
            t->kernel->count(g->rows, g->n, own, g->lanes, x, scratch);
            fine[side] = true;
            for (int l = 0; l < g->lanes; ++l) {
                stemr_pair *const k = g->pair[l];
                if (k->state != STEMR_FRESH || (x->count[l] >= k->index) == (side == 1)) continue;
                double const step = fmax(2 * stemr_width(k), 0x1p-100 * fabs(k->hi.hi));
                wide_d *const end = side ? &k->hi : &k->lo;
                *end = wide_add_d(*end, wide_of(side ? step : -step));
                fine[side] = false;
            }
        }
    for (int l = 0; l < g->lanes; ++l) g->pair[l]->state = STEMR_ACTIVE;
}

void eig_cpu_stemr_bisect(stemr_task *t, const stemr_unit *u, void *scratch)
{
    stemr_lanes x;
    stemr_group_lanes g = load(t, u, &x, scratch);
    bool fresh = false;
    for (int l = 0; l < g.lanes; ++l) fresh = fresh || g.pair[l]->state == STEMR_FRESH;
    if (fresh) widen(t, &g, u->own, &x, scratch);
    for (int step = 0; step < BISECTIONS; ++step) {
        for (int l = 0; l < STEMR_LANES; ++l) set_shift(&x, l, wide_middle(g.pair[l]->lo, g.pair[l]->hi));
        t->kernel->count(g.rows, g.n, u->own, g.lanes, &x, scratch);
        for (int l = 0; l < g.lanes; ++l) {
            wide_d const middle = {x.hi[l], x.lo[l]};
            if (x.count[l] >= g.pair[l]->index)
                g.pair[l]->hi = middle;
            else
                g.pair[l]->lo = middle;
        }
    }
}

/* ------------------------------------------------------------------ singles */

/* The residual r = |gamma| / ||z|| of a unit vector bounds the distance of x and an eigenvalue, x + gamma / ||z||^2 is off
 * by r^2 / gap, and a vector for that shift by r^2 / gap^2: r = 2^-28 gap is enough, for a float's 2^-14 gap. */
bool eig_cpu_stemr_step(stemr_pair *k, double close, int64_t count, double gamma, double norm, double *before)
{
    double const r = fabs(gamma) / sqrt(norm), least = 0x1p-96 * fabs(k->x.hi);
    wide_d const next = wide_add_d(k->x, wide_of(gamma / norm));
    if (count >= k->index)
        k->hi = k->x;
    else
        k->lo = k->x;
    bool const inside = wide_less(k->lo, next) && wide_less(next, k->hi);
    if (r <= close * k->gap || r <= least || stemr_width(k) <= least) {
        if (inside) k->x = next;
        return true;
    }
    k->x = inside && r < 0.5 * *before ? next : wide_middle(k->lo, k->hi);
    *before = inside && r < 0.5 * *before ? r : INFINITY;
    return false;
}

void eig_cpu_stemr_polish(stemr_task *t, const stemr_unit *u, void *scratch)
{
    stemr_lanes x;
    stemr_group_lanes const g = load(t, u, &x, scratch);
    double before[STEMR_LANES];
    bool done[STEMR_LANES];
    int left = g.lanes;
    for (int l = 0; l < g.lanes; ++l) before[l] = INFINITY, done[l] = false;
    for (int turn = 0; turn < MOST_POLISH && left > 0; ++turn) {
        for (int l = 0; l < STEMR_LANES; ++l) set_shift(&x, l, g.pair[l]->x);
        t->kernel->twist(g.rows, g.n, u->own, g.lanes, &x, scratch);
        for (int l = 0; l < g.lanes; ++l) {
            if (done[l]) continue;
            done[l] = eig_cpu_stemr_step(g.pair[l], t->close, x.count[l], x.gamma[l], x.norm[l], &before[l]);
            left -= done[l];
        }
    }
}

void eig_cpu_stemr_vectors(stemr_task *t, const stemr_unit *u, void *scratch)
{
    stemr_lanes x;
    stemr_group_lanes const g = load(t, u, &x, scratch);
    const stemr_problem *const p = t->p;
    const stemr_block *const b = &t->block[g.pair[0]->block];
    bool const single = type_is_single(p->type);
    stemr_column columns[STEMR_LANES];
    for (int l = 0; l < STEMR_LANES; ++l) set_shift(&x, l, g.pair[l]->x);
    t->kernel->vectors(g.rows, g.n, u->own, g.lanes, &x, scratch);
    for (int l = 0; l < g.lanes; ++l) {
        char *const z = type_at(p->type, p->z, g.pair[l]->column * p->ldz);
        size_t const size = type_size(p->type);
        memset(z, 0, (size_t)b->start * size);
        memset(z + (size_t)(b->start + b->length) * size, 0, (size_t)(p->n - b->start - b->length) * size);
        columns[l] = (stemr_column){.z = z + (size_t)b->start * size, .scale = 1 / sqrt(x.norm[l])};
    }
    t->kernel->store(g.n, g.lanes, scratch, single, single ? 0x1p-60 : 0x1p-100, columns);
    for (int l = 0; l < g.lanes; ++l) {
        stemr_pair *const k = g.pair[l];
        k->residual = fabs(x.gamma[l]) / sqrt(x.norm[l]);
        k->support_first = b->start + columns[l].first, k->support_last = b->start + columns[l].last;
    }
}
