/* stemr on the CPU: clusters.  Level by level each cluster gets a shift and with it a representation, against which its
 * members are bisected until gaps separate them, or until they agree in all but their last digits: these are the
 * clusters of the next level.
 *
 * Shift     CANDIDATES at once, outside at both ends and inside; the least growth of D wins, a near one before a far
 *           one.  Representations carry twice the digits: growth costs accuracy only where it leaves too few of them
 *           beside the gaps to the cluster's neighbours (most_growth).
 * Brackets  Members whose brackets overlap share their shifts, which lie evenly between the ends of all: a hundred
 *           members of one bracket are separated by one round of counts, where bisection would take seven.
 * Limits    a bracket loses a bit a round and ends at limits.gap/16 of its size or at 2^-200; one that misses its
 *           eigenvalue doubles: MOST_ROUNDS at most a level, STEMR_DEPTH levels. */
#include "stemr_cpu.h"

#include <math.h>

enum { CANDIDATES = 16, TRIES = 3, MOST_ROUNDS = 300 };

/* Brackets of a member are not narrowed below this. */
#define LEAST_WIDTH 0x1p-200

wide_d eig_cpu_stemr_shift(const stemr_task *t, int64_t block, int64_t node)
{
    wide_d sum = {0, 0};
    for (; node >= 0; node = t->node[node].parent) sum = wide_add_d(sum, t->node[node].shift);
    return wide_add_d(sum, wide_of(t->block[block].sigma));
}

void eig_cpu_stemr_cluster(stemr_task *t, int64_t parent, int64_t first, int64_t last, double left, double right)
{
    int const level = parent < 0 ? 1 : t->node[parent].level + 1;
    bool const deep = level > t->p->most_depth;
    ++t->stats.clusters;
    if (last - first + 1 > t->stats.largest_cluster) t->stats.largest_cluster = last - first + 1;
    for (int64_t k = first; k <= last; ++k) {
        t->pair[k].state = deep ? STEMR_INVERSE : STEMR_FRESH;
        t->pair[k].gap = fmin(left, right);
        t->pair[k].run = first;
        if (deep) t->pair[k].x = wide_middle(t->pair[k].lo, t->pair[k].hi);
    }
    if (deep) return;
    int64_t const number = t->nodes++;
    t->node[number] = (stemr_node){.parent = parent, .first = first, .last = last, .level = level};
    t->node[number].left = left, t->node[number].right = right;
    int64_t const rows = t->block[t->pair[first].block].length;
    bool const kept = last - first + 1 >= STEMR_CROWD && rows <= t->pool_rows - t->pool_used;
    t->node[number].slot = kept ? t->pool_used : -1;
    if (kept) t->pool_used += rows;
}

/* ----------------------------------------------------------------- shifts */

/* The shift of candidate j, relative to the parent's representation, and its penalty. At first near the cluster and
 * inside; then on both sides, farther and farther out: where copies of one block nearly share an eigenvalue, growth
 * only falls as one over the distance, while relative gaps shrink with it. */
static wide_d candidate(const stemr_task *t, const stemr_node *c, int j, double *penalty)
{
    static const double far[4] = {0.25, 1, 4, 16}, against[4] = {1, 1.5, 2, 4};
    wide_d const lo = t->pair[c->first].lo, hi = t->pair[c->last].hi;
    double const width = fmax(wide_difference(hi, lo).hi, DBL_MIN);
    *penalty = 1;
    if (c->tries > 0) {
        double const distance = ldexp(width, 2 * (j / 2) + 6 + CANDIDATES * (c->tries - 1));
        return j % 2 ? wide_add_d(hi, wide_of(distance)) : wide_add_d(lo, wide_of(-distance));
    }
    *penalty = j < 8 ? against[j % 4] : 3;
    if (j < 4) return wide_add_d(lo, wide_of(-width * far[j]));
    if (j < 8) return wide_add_d(hi, wide_of(width * far[j - 4]));
    return wide_add_d(lo, wide_of(width * (2 * (j - 8) + 1) / 16));
}

/* More growth than this would let errors of the representation reach beyond the gaps beside the cluster. */
static double most_growth(const stemr_task *t, const stemr_node *c)
{
    bool const bad = t->limits.bad_level > 0 && c->level >= t->limits.bad_level;
    return bad ? 0 : t->limits.growth * fmin(c->left, c->right);
}

/* A unit of nodes: the shift of each. */
static void choose_shifts(stemr_task *t, const stemr_unit *u, void *scratch)
{
    enum { ONCE = STEMR_LANES / CANDIDATES };
    const stemr_block *const b = &t->block[t->pair[t->node[t->list[u->first]].first].block];
    stemr_lanes x;
    for (int at = 0; at < u->count; at += ONCE) {
        int const nodes = u->count - at < ONCE ? u->count - at : ONCE, lanes = nodes * CANDIDATES;
        int64_t parents[STEMR_LANES];
        for (int l = 0; l < STEMR_LANES; ++l)
            parents[l] = t->node[t->list[u->first + at + (l < lanes ? l / CANDIDATES : 0)]].parent;
        eig_cpu_stemr_represent(t, parents, STEMR_LANES, t->rows + b->start, b->length, &x, scratch);
        double penalty[STEMR_LANES];
        wide_d shift[STEMR_LANES];
        for (int l = 0; l < STEMR_LANES; ++l) {
            const stemr_node *const c = &t->node[t->list[u->first + at + (l < lanes ? l / CANDIDATES : 0)]];
            shift[l] = candidate(t, c, l % CANDIDATES, &penalty[l]);
            x.hi[l] = shift[l].hi, x.lo[l] = shift[l].lo;
        }
        t->kernel->represent(t->rows + b->start, b->length, u->own, lanes, &x, scratch);
        for (int c = 0; c < nodes; ++c) {
            stemr_node *const node = &t->node[t->list[u->first + at + c]];
            /* At first the least growth wins; later the first growth that is small enough. */
            double const enough = node->tries > 0 ? most_growth(t, node) : 4;
            int best = c * CANDIDATES;
            for (int l = best; l < (c + 1) * CANDIDATES; ++l) {
                if (!(x.growth[l] < INFINITY)) x.growth[l] = INFINITY; /* NaN */
                if (fmax(x.growth[l], enough) * penalty[l] < fmax(x.growth[best], enough) * penalty[best]) best = l;
            }
            if (node->tries > 0 && node->growth <= x.growth[best]) continue;
            node->shift = shift[best], node->growth = x.growth[best];
            if (node->slot >= 0) t->kernel->keep(b->length, best, scratch, t->rows + b->start, t->pool + node->slot);
        }
    }
}

/* The members of a node, in its own numbers; for inverse iteration where its representation is of no use. */
static void enter_node(stemr_task *t, int64_t number)
{
    const stemr_node *const c = &t->node[number];
    bool const good = c->growth <= most_growth(t, c);
    for (int64_t k = c->first; k <= c->last; ++k) {
        stemr_pair *const pair = &t->pair[k];
        if (!good) {
            pair->state = STEMR_INVERSE, pair->run = c->first;
            pair->x = wide_middle(pair->lo, pair->hi);
            continue;
        }
        wide_d const off = c->level > 1 ? wide_add_d(c->shift, wide_of(t->limits.miss * stemr_width(pair))) : c->shift;
        pair->node = number;
        /* The engine's brackets hold their eigenvalues; others are checked, and get narrower on each level. */
        if (c->level == 1) pair->state = STEMR_ACTIVE;
        pair->goal = c->level == 1 ? INFINITY : stemr_width(pair) / 64;
        pair->lo = wide_difference(pair->lo, off), pair->hi = wide_difference(pair->hi, off);
    }
    if (good) {
        ++t->stats.representations;
        if (c->level > t->stats.depth) t->stats.depth = c->level;
    } else {
        ++t->stats.bad_representations;
    }
}

/* ---------------------------------------------------------- classification */

static double size_of(const stemr_pair *k)
{
    return fmax(fabs(k->lo.hi), fabs(k->hi.hi));
}

/* Distance between member k and the next one; for the last one, to the neighbour outside the cluster. */
static double gap_of(const stemr_task *t, const stemr_node *c, int64_t k)
{
    if (k < c->first) return c->left;
    if (k >= c->last) return c->right;
    return wide_difference(t->pair[k + 1].lo, t->pair[k].hi).hi;
}

/* Whether k and the next one are separated: by a relative gap, and well enough for a Rayleigh quotient. */
static bool parted(const stemr_task *t, const stemr_node *c, int64_t k)
{
    if (k < c->first || k >= c->last) return true;
    const stemr_pair *const p = &t->pair[k], *const q = &t->pair[k + 1];
    double const gap = gap_of(t, c, k);
    if (p->state == STEMR_FRESH || q->state == STEMR_FRESH) return false;
    return gap >= t->limits.gap * fmax(size_of(p), size_of(q)) && gap >= 2 * fmax(stemr_width(p), stemr_width(q));
}

static bool exhausted(const stemr_task *t, const stemr_pair *k)
{
    return stemr_width(k) <= fmax(fmin(t->limits.gap / 16 * size_of(k), k->goal), LEAST_WIDTH);
}

/* Which members of a node are single. */
static void classify(stemr_task *t, int64_t number)
{
    const stemr_node *const c = &t->node[number];
    for (int64_t k = c->first; k <= c->last; ++k) {
        stemr_pair *const pair = &t->pair[k];
        if (pair->node != number || pair->state == STEMR_INVERSE || pair->state == STEMR_FRESH) continue;
        bool const single = parted(t, c, k - 1) && parted(t, c, k);
        pair->state = single ? STEMR_SINGLE : STEMR_ACTIVE;
        pair->gap = fmin(gap_of(t, c, k - 1), gap_of(t, c, k));
        pair->x = wide_middle(pair->lo, pair->hi);
    }
}

/* Members of a node that no gap separates become clusters of the next level. */
static void descend(stemr_task *t, int64_t number)
{
    stemr_node const c = t->node[number];
    for (int64_t k = c.first; k <= c.last; ++k) {
        if (t->pair[k].node != number || t->pair[k].state == STEMR_SINGLE || t->pair[k].state == STEMR_INVERSE)
            continue;
        int64_t end = k;
        while (end < c.last && !parted(t, &c, end)) ++end;
        eig_cpu_stemr_cluster(t, number, k, end, gap_of(t, &c, k - 1), gap_of(t, &c, end));
        k = end;
    }
}

/* ----------------------------------------------------------------- brackets */

/* Members j to end-1 of a cluster, whose brackets overlap, get probes that lie evenly between lo and hi; where brackets
 * are fresh, also there. */
static void lay_probes(stemr_task *t, int64_t j, int64_t end, wide_d lo, wide_d hi, int64_t each, int64_t *probes)
{
    bool fresh = false;
    for (int64_t k = j; k < end; ++k) fresh = fresh || t->pair[k].state == STEMR_FRESH;
    int64_t const least = fresh ? 2 : 1, count = each * (end - j) > least ? each * (end - j) : least;
    double const width = wide_difference(hi, lo).hi;
    for (int64_t i = 0; i < count; ++i) {
        double const part = fresh ? (double)i / (double)(count - 1) : (double)(i + 1) / (double)(count + 1);
        wide_d const x = part == 1 ? hi : wide_add_d(lo, wide_of(width * part));
        t->probe[*probes + i] = (stemr_probe){.pair = j, .x = x};
    }
    for (int64_t k = j; k < end; ++k) t->pair[k].probe = *probes, t->pair[k].probes = count;
    *probes += count;
}

static bool goes_on(const stemr_task *t, int64_t number, int64_t k)
{
    const stemr_pair *const pair = &t->pair[k];
    if (pair->node != number || pair->state == STEMR_SINGLE || pair->state == STEMR_INVERSE) return false;
    return pair->state == STEMR_FRESH || !exhausted(t, pair);
}

/* Probes for the members of a node that go on.  Where members share a bracket, the probes are as many as fill lanes. */
static void probe_node(stemr_task *t, int64_t number, int64_t *probes)
{
    const stemr_node *const c = &t->node[number];
    int64_t members = 0;
    for (int64_t k = c->first; k <= c->last; ++k) members += goes_on(t, number, k);
    bool const crowd = c->last - c->first + 1 >= STEMR_CROWD && members > 0;
    int64_t const each = crowd ? (members + STEMR_LANES - 1) / STEMR_LANES * STEMR_LANES / members : 1;
    for (int64_t k = c->first, end; k <= c->last; k = end) {
        end = k + 1;
        if (!goes_on(t, number, k)) continue;
        wide_d lo = t->pair[k].lo, hi = t->pair[k].hi;
        for (; end <= c->last && goes_on(t, number, end) && wide_less(t->pair[end].lo, hi); ++end) {
            if (wide_less(t->pair[end].lo, lo)) lo = t->pair[end].lo;
            if (wide_less(hi, t->pair[end].hi)) hi = t->pair[end].hi;
        }
        lay_probes(t, k, end, lo, hi, each, probes);
    }
}

/* What its probes tell about a member.  A fresh bracket, from the parent's representation, may miss its eigenvalue by
 * the errors of both: then it moves on, twice as wide. */
static void narrow(const stemr_task *t, stemr_pair *k)
{
    const stemr_probe *const p = t->probe + k->probe;
    int64_t const last = k->probes - 1;
    int64_t i = 0;
    while (i <= last && p[i].count < k->index) ++i;
    wide_d const below = i > 0 ? p[i - 1].x : k->lo, above = i <= last ? p[i].x : k->hi;
    if (k->state == STEMR_ACTIVE) {
        if (wide_less(k->lo, below) && wide_less(below, k->hi)) k->lo = below;
        if (wide_less(above, k->hi) && wide_less(k->lo, above)) k->hi = above;
        return;
    }
    double const step = fmax(2 * wide_difference(p[last].x, p[0].x).hi, 0x1p-100 * fabs(k->hi.hi));
    k->lo = i > 0 ? below : wide_add_d(above, wide_of(-step));
    k->hi = i <= last ? above : wide_add_d(below, wide_of(step));
    if (i > 0 && i <= last) k->state = STEMR_ACTIVE;
}

/* Refines the members of nodes from..upto-1. */
static eig_status refine_level(stemr_task *t, int64_t from, int64_t upto)
{
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        int64_t probes = 0;
        for (int64_t c = from; c < upto; ++c) classify(t, c);
        /* Nodes with a kept representation come first: their probes then fill whole units of lanes. */
        for (int kept = 1; kept >= 0; --kept)
            for (int64_t c = from; c < upto; ++c)
                if ((t->node[c].slot >= 0) == kept) probe_node(t, c, &probes);
        if (probes == 0) break;
        eig_status const status = eig_cpu_stemr_count(t, probes);
        if (status != EIG_OK) return status;
        for (int64_t c = from; c < upto; ++c)
            for (int64_t k = t->node[c].first; k <= t->node[c].last; ++k)
                if (goes_on(t, c, k)) narrow(t, &t->pair[k]);
    }
    for (int64_t c = from; c < upto; ++c) descend(t, c);
    return EIG_OK;
}

/* Shifts of nodes from..upto-1; where growth is large, other ones too. */
static eig_status shift_level(stemr_task *t, int64_t from, int64_t upto)
{
    eig_status status = EIG_OK;
    for (int tries = 0; tries < TRIES && status == EIG_OK; ++tries) {
        int64_t count = 0;
        for (int64_t c = from; c < upto; ++c) {
            stemr_node *const node = &t->node[c];
            node->tries = tries;
            if (tries == 0 || node->growth > most_growth(t, node)) t->list[count++] = c;
        }
        t->stats.shifts += CANDIDATES * count;
        status = eig_cpu_stemr_share(t, STEMR_NODES, count, choose_shifts);
    }
    return status;
}

eig_status eig_cpu_stemr_tree(stemr_task *t)
{
    for (int64_t from = 0, upto; from < t->nodes; from = upto) {
        upto = t->nodes;
        eig_status status = shift_level(t, from, upto);
        for (int64_t c = from; c < upto; ++c) enter_node(t, c);
        if (status == EIG_OK) status = refine_level(t, from, upto);
        if (status != EIG_OK) return status;
    }
    return EIG_OK;
}

void eig_cpu_stemr_copy_tree(stemr_task *t)
{
    stebz_power const up = stebz_power_of(t->scale);
    int64_t const count = t->nodes < t->p->tree_room ? t->nodes : t->p->tree_room;
    for (int64_t c = 0; c < count; ++c) {
        const stemr_node *const from = &t->node[c];
        eig_stemr_node *const to = &t->p->tree[c];
        *to = (eig_stemr_node){.parent = from->parent, .level = from->level, .growth = from->growth};
        to->members = from->last - from->first + 1;
        to->good = from->growth <= most_growth(t, from);
        to->shift = stebz_scaled(eig_cpu_stemr_shift(t, t->pair[from->first].block, c).hi, up);
        double low = INFINITY, high = -INFINITY;
        for (int64_t k = from->first; k <= from->last; ++k)
            low = fmin(low, t->pair[k].value), high = fmax(high, t->pair[k].value);
        to->low = stebz_scaled(low, up), to->high = stebz_scaled(high, up);
    }
    t->stats.nodes = count;
}
