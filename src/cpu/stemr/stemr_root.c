/* stemr on the CPU: from the caller's T to blocks with a representation each, and to brackets of the eigenvalues that
 * are wanted, by the engine of stebz.
 *
 * Subsets   an eigenvalue's bracket depends on the block and its index alone (steady tables), and a cluster that is cut
 *           is taken whole, so that the pairs of a subset have the bits of the full run. */
#include "stemr_cpu.h"

#include <math.h>

/* The error of values that the choice of a subset allows for. */
#define MARGIN 0x1p-45

/* A search of the engine for eigenvalues il to iu of rows start to start+n-1. */
static void open_search(stemr_task *t, int64_t start, int64_t n, int64_t il, int64_t iu)
{
    stebz_search *const s = &t->search;
    s->a = t->a + start, s->b = t->b + start;
    s->matrix = (stebz_matrix){.n = n, .a = s->a, .b = s->b};
    s->norm = eig_cpu_stebz_norm(s);
    s->abstol = t->limits.bracket, s->reltol = 0;
    s->pivot = false;
    s->error = STURM_ERROR_PRODUCT * DBL_EPSILON;
    s->il = il, s->iu = iu;
    s->watch = &t->watch, s->from = t->from, s->share = 0.5 * t->part;
    eig_cpu_stebz_open(t->ctx, s, EIG_D, true);
}

/* Brackets of eigenvalues il to iu into search.groups, those of a block the same whatever il and iu are. */
static eig_status find_brackets(stemr_task *t, const stemr_block *b, int64_t il, int64_t iu)
{
    t->search.steady = true;
    t->search.groups = t->groups + (il - 1);
    open_search(t, b->start, b->length, il, iu);
    int const threads = eig_cpu_stebz_threads(t->ctx, b->length, 12.0 * (double)(iu - il + 1));
    return eig_cpu_stebz_refine(&t->search, threads < t->threads ? threads : t->threads, NULL);
}

/* Eigenvalues of a block that lie below x.  Where Gerschgorin's circles tell, nothing is counted. */
static int64_t count_below(stemr_task *t, const stemr_block *b, double x)
{
    double lo = INFINITY, hi = -INFINITY, before = 0;
    if (b->length == 1) return t->a[b->start] < x;
    for (int64_t i = b->start; i < b->start + b->length; ++i) {
        double const after = i + 1 < b->start + b->length ? fabs(t->b[i + 1]) : 0, radius = before + after;
        double const left = t->a[i] - radius, right = t->a[i] + radius;
        lo = left < lo ? left : lo, hi = right > hi ? right : hi;
        before = after;
    }
    if (x < lo - 8 * DBL_EPSILON) return 0;
    if (x > hi + 8 * DBL_EPSILON) return b->length;
    stebz_matrix const m = {.n = b->length, .a = t->a + b->start, .b = t->b + b->start};
    stebz_counts c;
    for (int l = 0; l < STEBZ_LANES; ++l) c.x[l] = x;
    t->search.kernels->pivot->count(&m, 1, &c);
    return c.count[0];
}

/* A value just beside eigenvalue k of the open search, above or below it, as near as its neighbour on that side asks.
 * */
static double beside_eigenvalue(const stebz_search *s, int64_t k, bool above)
{
    double lo = s->lo, hi = s->hi, step = INFINITY;
    int64_t below_lo = 0, below_hi = s->matrix.n;
    while (step > s->error && (above ? below_hi > k : below_lo < k - 1)) {
        stebz_counts c;
        double const from = lo;
        int l = 0;
        step = (hi - lo) / (s->shifts + 1);
        for (int m = 0; m < STEBZ_LANES; ++m) c.x[m] = from + step * ((m < s->shifts ? m : 0) + 1);
        s->count(&s->matrix, s->shifts, &c);
        while (l < s->shifts && c.count[l] < k) ++l;
        if (l < s->shifts) hi = c.x[l], below_hi = c.count[l];
        if (l > 0) lo = c.x[l - 1], below_lo = c.count[l - 1];
    }
    return above ? hi : lo;
}

/* An interval of values that holds all that is wanted. */
static void wanted_values(stemr_task *t, double *from, double *upto)
{
    const stemr_problem *const p = t->p;
    *from = -INFINITY, *upto = INFINITY;
    if (p->il == 1 && p->iu == p->n) return;
    t->search.steady = false;
    open_search(t, 0, p->n, p->il, p->iu);
    if (p->il > 1) *from = beside_eigenvalue(&t->search, p->il, false) - MARGIN;
    if (p->iu < p->n) *upto = beside_eigenvalue(&t->search, p->iu, true) + MARGIN;
}

/* Lower and upper end of eigenvalue k of the block. */
static double lower_end(const stemr_task *t, int64_t k)
{
    return t->groups[k - 1].lo - t->search.error - t->limits.noise;
}

static double upper_end(const stemr_task *t, int64_t k)
{
    return t->groups[k - 1].hi + t->search.error + t->limits.noise;
}

/* Distance of eigenvalues k and k+1, infinite at the block's ends. */
static double gap_after(const stemr_task *t, const stemr_block *b, int64_t k)
{
    return k < 1 || k >= b->length ? INFINITY : lower_end(t, k + 1) - upper_end(t, k);
}

static int64_t lesser(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static int64_t larger(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

/* Eigenvalues below x of the block whose brackets were found last, about. */
static int64_t count_about(const stemr_task *t, double x)
{
    stebz_counts c;
    for (int l = 0; l < STEBZ_LANES; ++l) c.x[l] = x;
    t->search.count(&t->search.matrix, 1, &c);
    return c.count[0];
}

/* Brackets of eigenvalues first to last of a block, extended to whole clusters, with one neighbour beside.  Where a
 * cluster goes on, a count tells how far. */
static eig_status find_whole(stemr_task *t, const stemr_block *b, int64_t *first, int64_t *last)
{
    int64_t from = *first, upto = *last;
    for (int64_t beside = 2;; beside *= 2) {
        int64_t const il = from > beside ? from - beside : 1;
        int64_t const iu = upto < b->length - beside ? upto + beside : b->length;
        eig_status const status = find_brackets(t, b, il, iu);
        t->from += 0.5 * t->part, t->part *= 0.5;
        if (status != EIG_OK) return status;
        while (*first > il && gap_after(t, b, *first - 1) < t->limits.gap_root) --*first;
        while (*last < iu && gap_after(t, b, *last) < t->limits.gap_root) ++*last;
        bool const below = *first == il && il > 1, above = *last == iu && iu < b->length;
        if (!below && !above) return EIG_OK;
        from = *first, upto = *last;
        if (below) from = lesser(from, count_about(t, lower_end(t, from) - 2 * t->limits.gap_root) + 1);
        if (above) upto = larger(upto, count_about(t, upper_end(t, upto) + 2 * t->limits.gap_root));
    }
}

/* The pairs of a block: singles, and clusters. */
static void add_pairs(stemr_task *t, int64_t number, int64_t first, int64_t last)
{
    const stemr_block *const b = &t->block[number];
    wide_d const sigma = wide_of(-b->sigma);
    for (int64_t k = first, end; k <= last; k = end + 1) {
        for (end = k; gap_after(t, b, end) < t->limits.gap_root;) ++end;
        double const left = gap_after(t, b, k - 1), right = gap_after(t, b, end);
        int64_t const at = t->pairs;
        for (int64_t j = k; j <= end; ++j) {
            stemr_pair *const pair = &t->pair[t->pairs++];
            *pair = (stemr_pair){.block = number, .index = j, .node = -1, .column = -1, .twist = -1};
            pair->state = STEMR_SINGLE, pair->bottom = b->length - 1;
            pair->lo = wide_add_d(wide_of(lower_end(t, j)), sigma);
            pair->hi = wide_add_d(wide_of(upper_end(t, j)), sigma);
            pair->x = wide_middle(pair->lo, pair->hi);
            pair->gap = fmin(fmin(left, right), 2.0);
        }
        if (end > k) eig_cpu_stemr_cluster(t, -1, at, t->pairs - 1, fmin(left, 2.0), fmin(right, 2.0));
    }
}

/* T - sigma = L D L^T, with diagonal elements perturbed.  sigma lies below Gerschgorin's circles: all D are positive.
 * */
void eig_cpu_stemr_first(stemr_task *t, stemr_block *b)
{
    double lo = INFINITY, size = 0;
    for (int64_t i = b->start; i < b->start + b->length; ++i) {
        double const next = i + 1 < b->start + b->length ? fabs(t->b[i + 1]) : 0;
        double const radius = (i > b->start ? fabs(t->b[i]) : 0) + next;
        lo = fmin(lo, t->a[i] - radius);
        size = fmax(size, fabs(t->a[i]) + radius);
    }
    b->sigma = b->length == 1 ? 0 : lo - fmax(0x1p-5 * size, 0x1p-50);
    wide_d coupling = {0, 0};
    for (int64_t i = b->start; i < b->start + b->length; ++i) {
        stemr_row *const row = &t->rows[i];
        wide_d const noise = wide_of(b->length == 1 ? 0 : t->limits.noise * mrrr_noise((uint64_t)i));
        wide_d const entry = wide_add_d(wide_add_d(wide_of(t->a[i]), wide_of(-b->sigma)), noise);
        row->b = i + 1 < b->start + b->length ? t->b[i + 1] : 0;
        row->d = mrrr_pivot_d(wide_difference(entry, coupling));
        coupling = row->g = mrrr_coupling_d(row->b, row->d, 1 / row->d.hi);
    }
    ++t->stats.representations;
}

/* Off-diagonals that the accuracy allows to drop become 0, and blocks begin there. */
void eig_cpu_stemr_split(stemr_task *t)
{
    int64_t const n = t->p->n;
    t->blocks = 0;
    for (int64_t i = 0; i < n; ++i) {
        if (i > 0 && fabs(t->b[i]) <= t->split) t->b[i] = 0;
        if (i == 0 || t->b[i] == 0) t->block[t->blocks++] = (stemr_block){.start = i};
        ++t->block[t->blocks - 1].length;
    }
    t->stats.blocks = t->blocks;
}

/* Method mrrr wants a tree of a T that does not split; tests that move limits want representations. */
static bool is_short(const stemr_task *t, const stemr_block *b)
{
    bool const plain = t->blocks > 1 || t->p->method == EIG_STEMR_AUTO;
    return b->length == 1 || (b->length <= STEMR_SHORT_ROWS && plain && !t->p->limits);
}

eig_status eig_cpu_stemr_root(stemr_task *t)
{
    const stemr_problem *const p = t->p;
    double from = -INFINITY, upto = INFINITY;
    eig_status status = EIG_OK;
    eig_cpu_stemr_split(t);
    /* A T that is short as a whole is solved whole: rank_pairs finds what is wanted.  If it is one long block, the
     * indices that are asked for are the block's. */
    bool const one = t->blocks == 1, whole = one && is_short(t, &t->block[0]);
    bool const told = one && !whole;
    if (!whole && !told) wanted_values(t, &from, &upto);
    for (int64_t number = 0; number < t->blocks && status == EIG_OK; ++number) {
        stemr_block *const b = &t->block[number];
        t->from = 0.02 + 0.18 * (double)b->start / (double)t->p->n,
        t->part = 0.18 * (double)b->length / (double)t->p->n;
        int64_t first = told ? p->il : from == -INFINITY ? 1 : count_below(t, b, from) + 1;
        int64_t last = told ? p->iu : upto == INFINITY ? b->length : count_below(t, b, upto);
        t->below += first - 1;
        if (first > last) continue;
        if (is_short(t, b) && eig_cpu_stemr_short(t, number, first, last)) continue;
        eig_cpu_stemr_first(t, b);
        int64_t const asked = first;
        status = find_whole(t, b, &first, &last);
        t->below -= asked - first;
        if (status == EIG_OK) add_pairs(t, number, first, last);
    }
    return status;
}
