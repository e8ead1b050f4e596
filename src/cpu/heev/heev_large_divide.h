/* heev on the CPU, n > 64: T = Z diag(d) Z^T by divide and conquer.  Part of heev_large.c.
 *
 * T is two smaller matrices and a correction of rank one; their eigenpairs are merged (J. J. M. Cuppen, Numer. Math. 36
 * (1981)).  Columns that the correction hardly touches are deflated, with the tolerance of LAPACK's dlaed2;
 * heev_secular.h solves the rest.  QL solves matrices of up to LEAF rows.
 *
 * Threads   the lowest mergers go to one thread each with all below them; those above are shared: a thread has some
 *           roots, some poles, then some rows of Z. Bits do not depend on it.
 * Memory    Z in place: a strip of rows at a time goes to scratch and comes back multiplied.  Columns that end above
 *           the cut, or begin below it, meet only their rows of the secular vectors.
 * Cost      4/3 n^3 flops for the products, less where columns deflate, and some 20 n^2 divisions. */
#ifndef EIG_HEEV_LARGE_DIVIDE_H
#define EIG_HEEV_LARGE_DIVIDE_H

#include "heev_large_ql.h"
#include "heev_secular.h"

enum { LEAF = 24, STRIP_ROWS = HEEV_STRIP_BYTES / (int)sizeof(real) };

/* Where a column of Z is not 0. */
enum { ABOVE, ACROSS, BELOW, SORTS };

/* The merger of rows (and columns) lo..cut-1 and cut..hi-1. */
typedef struct merger {
    int64_t lo, cut, hi;
    int64_t k, gone;   /* columns that are merged, and that are deflated */
    int64_t *merged;   /* [k] by ascending d, */
    int64_t *deflated; /* [gone] likewise */
    int64_t *place;    /* [k] row of the secular vectors: those of one kind are neighbours */
    int64_t *column;   /* [k] the column of Z of such a row */
    int64_t *sort;     /* [n] of each column of Z */
    int64_t of[SORTS]; /* how many */
    real *z;           /* [n] the correction's vector in terms of the columns */
    real unit;         /* of s.d and s.rho: a power of two */
    secular s;
} merger;

/* order[lo..hi) := its two halves, merged by ascending d. */
static void merge_order(large_matrix *m, int64_t lo, int64_t cut, int64_t hi, int64_t *scratch)
{
    int64_t const *const order = m->order;
    int64_t x = lo, y = cut;
    for (int64_t t = lo; t < hi; ++t) {
        bool const first = y == hi || (x < cut && m->d[order[x]] <= m->d[order[y]]);
        scratch[t] = order[first ? x++ : y++];
    }
    for (int64_t t = lo; t < hi; ++t) m->order[t] = scratch[t];
}

/* Columns x and y of Z become c x + s y and c y - s x. */
static void rotate(large_matrix *m, const merger *g, int64_t x, int64_t y, real c, real s)
{
    vreal const cosine = simd_splat(c), sine = simd_splat(s);
    for (int64_t i = g->lo; i < g->hi; i += SIMD_LANES) {
        vreal *const p = at(m->z[0], x * m->ld + i), *const q = at(m->z[0], y * m->ld + i);
        vreal const a = *p, b = *q;
        *p = simd_fma(cosine, a, sine * b), *q = simd_fma(cosine, b, -(sine * a));
    }
}

/* Lists a deflated column by ascending d. Its d has grown less than the others'. */
static void deflate(const large_matrix *m, merger *g, int64_t column)
{
    int64_t t = g->gone++;
    for (; t > 0 && m->d[g->deflated[t - 1]] > m->d[column]; --t) g->deflated[t] = g->deflated[t - 1];
    g->deflated[t] = column;
}

/* Where columns x and y, d[x] <= d[y], are so close that a rotation frees x of the correction, rotates them and
 * returns true. No element of z here is so small that its square underflows (sort_out). */
static bool deflate_pair(large_matrix *m, merger *g, int64_t x, int64_t y, real tolerance)
{
    real const s = g->z[x], c = g->z[y], size = sqrt(c * c + s * s), cosine = c / size, sine = -s / size;
    if (!(fabs((m->d[y] - m->d[x]) * cosine * sine) <= tolerance)) return false;
    g->z[y] = size, g->z[x] = 0;
    if (g->sort[x] != g->sort[y]) g->sort[y] = ACROSS;
    rotate(m, g, x, y, cosine, sine);
    real const dx = m->d[x], dy = m->d[y];
    m->d[x] = dx * (cosine * cosine) + dy * (sine * sine);
    m->d[y] = dx * (sine * sine) + dy * (cosine * cosine);
    return true;
}

/* Divides the columns into those that are merged and those that are not. */
static void sort_out(large_matrix *m, merger *g, real rho, real tolerance)
{
    int64_t waiting = -1;
    g->k = g->gone = 0;
    for (int64_t t = g->lo; t < g->hi; ++t) {
        int64_t const here = m->order[t];
        if (rho * fabs(g->z[here]) <= tolerance) {
            deflate(m, g, here);
            continue;
        }
        if (waiting >= 0) {
            if (deflate_pair(m, g, waiting, here, tolerance))
                deflate(m, g, waiting);
            else
                g->merged[g->k++] = waiting;
        }
        waiting = here;
    }
    if (waiting >= 0) g->merged[g->k++] = waiting;
}

/* Rows of the secular vectors, so that columns of one kind are neighbours. */
static void find_places(merger *g)
{
    int64_t next[SORTS] = {0};
    g->of[ABOVE] = g->of[ACROSS] = g->of[BELOW] = 0;
    for (int64_t t = 0; t < g->k; ++t) ++g->of[g->sort[g->merged[t]]];
    next[ACROSS] = g->of[ABOVE], next[BELOW] = g->of[ABOVE] + g->of[ACROSS];
    for (int64_t t = 0; t < g->k; ++t) {
        int64_t const column = g->merged[t];
        g->place[t] = next[g->sort[column]]++;
        g->column[g->place[t]] = column;
    }
}

/* Rows from `row` on, whole blocks, of the new columns, from the `rank` secular rows from `first` on. */
static void merge_strip(large_matrix *m, const merger *g, int64_t row, int64_t rows, int64_t first, int64_t rank)
{
    size_t const bytes = (size_t)rows * sizeof(real);
    real *const strip = m->scratch, *const z = m->z[0] + row;
    for (int64_t t = 0; t < rank; ++t) memcpy(strip + t * STRIP_ROWS, z + g->column[first + t] * m->ld, bytes);
    for (int64_t t = 0; t < g->gone; ++t) memcpy(strip + (rank + t) * STRIP_ROWS, z + g->deflated[t] * m->ld, bytes);
    for (int64_t t = 0; t < g->k; t += BLOCK) {
        block const c = {{z + (g->lo + t) * m->ld}, m->ld}, a = {{strip}, STRIP_ROWS};
        factor const b = {.part = {m->u + t * g->k + first * BLOCK}, .row = BLOCK, .column = 1};
        product_real(c, rows, least(BLOCK, g->k - t), rank, a, b);
    }
    for (int64_t t = 0; t < g->gone; ++t)
        memcpy(z + (g->lo + g->k + t) * m->ld, strip + (rank + t) * STRIP_ROWS, bytes);
}

/* Thread `rank` of `size` takes every size-th strip. */
static bool merge_vectors(large_matrix *m, const merger *g, int rank, int size, share work, cpu_watch *watch)
{
    int64_t const end = block_of(g->hi + BLOCK - 1), above = g->of[ABOVE] + g->of[ACROSS], step = size * STRIP_ROWS;
    for (int64_t row = g->lo + rank * STRIP_ROWS; row < g->cut; row += step) {
        if (!go_on(watch, share_at(work, (double)(row - g->lo) / (double)(end - g->lo)))) return false;
        merge_strip(m, g, row, least(STRIP_ROWS, g->cut - row), 0, above);
    }
    for (int64_t row = g->cut + (size - 1 - rank) * STRIP_ROWS; row < end; row += step) {
        if (!go_on(watch, share_at(work, (double)(row - g->lo) / (double)(end - g->lo)))) return false;
        merge_strip(m, g, row, least(STRIP_ROWS, end - row), g->of[ABOVE], g->k - g->of[ABOVE]);
    }
    return true;
}

/* The new d, in the order of the new columns, and their order. */
static void merge_values(large_matrix *m, const merger *g, int64_t *scratch)
{
    real *const d = g->z; /* which is free by now */
    for (int64_t t = 0; t < g->gone; ++t) d[t] = m->d[g->deflated[t]];
    for (int64_t t = 0; t < g->k; ++t) m->d[g->lo + t] = (g->s.base[t] + g->s.tau[t]) * g->unit;
    for (int64_t t = 0; t < g->gone; ++t) m->d[g->lo + g->k + t] = d[t];
    for (int64_t t = g->lo; t < g->hi; ++t) m->order[t] = t;
    merge_order(m, g->lo, g->lo + g->k, g->hi, scratch);
}

/* Room for a merger behind the strip, and for its lists. */
static void lay_out_merger(const large_matrix *m, merger *g)
{
    real *rest = m->scratch + STRIP_ROWS * m->n;
    int64_t const room = m->ld + 2 * BLOCK;
    real **const vectors[] = {&g->z, &g->s.d, &g->s.z, &g->s.base, &g->s.tau};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) *vectors[k] = rest, rest += room;
    g->s.ratio = rest;
    int64_t **const lists[] = {&g->merged, &g->deflated, &g->place, &g->column, &g->sort};
    _Static_assert(sizeof lists / sizeof *lists == HEEV_LISTS, "room for the lists");
    for (size_t k = 0; k < sizeof lists / sizeof *lists; ++k) *lists[k] = m->lists + (int64_t)k * m->n;
}

/* What comes before the secular equation of rows lo..cut-1 and cut..hi-1, which rho joined. k = 0: there is none. */
static void begin_merger(large_matrix *m, merger *g, real rho)
{
    int64_t const lo = g->lo, cut = g->cut, hi = g->hi;
    lay_out_merger(m, g);
    merge_order(m, lo, cut, hi, g->place);
    real most = 2 * rho;
    for (int64_t t = lo; t < hi; ++t) {
        real const x = fabs(m->d[t]);
        most = x > most ? x : most;
        g->sort[t] = t < cut ? ABOVE : BELOW;
        g->z[t] = m->z[0][(t < cut ? cut - 1 : cut) + t * m->ld] * (real)0.70710678118654752440;
    }
    g->k = 0;
    if (!(most > NEGLIGIBLE)) return;
    sort_out(m, g, 2 * rho, 4 * REAL_EPSILON * most);
    if (g->k == 0) return;
    find_places(g);
    g->unit = REAL_TYPED(pow2_floor)(most);
    g->s.k = g->k, g->s.rho = 2 * rho / g->unit;
    for (int64_t t = 0; t < g->k; ++t) g->s.d[t] = m->d[g->merged[t]] / g->unit, g->s.z[t] = g->z[g->merged[t]];
    secular_prepare(&g->s);
}

/* By one thread. */
static bool merge(large_matrix *m, int64_t lo, int64_t cut, int64_t hi, real rho, share work, cpu_watch *watch)
{
    merger g = {.lo = lo, .cut = cut, .hi = hi};
    begin_merger(m, &g, rho);
    if (g.k == 0) return true;
    span const all = {0, g.k};
    secular_roots(&g.s, all);
    secular_weights(&g.s, all);
    secular_vectors(&g.s, all, g.place, m->u);
    if (!merge_vectors(m, &g, 0, 1, work, watch)) return false;
    merge_values(m, &g, g.place);
    return true;
}

/* By all threads, of which the first does what is not worth sharing. */
static bool merge_together(large_matrix *m, int64_t lo, int64_t cut, int64_t hi, real rho, share work, cpu_watch *watch)
{
    cpu_member *const who = m->who;
    merger own = {.lo = lo, .cut = cut, .hi = hi};
    if (who->rank == 0) {
        begin_merger(m, &own, rho);
        who->team->shared = &own;
    }
    if (!cpu_team_meet(who)) return false;
    merger const g = *(const merger *)who->team->shared;
    if (g.k == 0) return cpu_team_meet(who); /* shared is read */
    span const mine = share_of(m, g.k, BLOCK);
    secular_roots(&g.s, mine);
    if (!cpu_team_meet(who)) return false;
    secular_weights(&g.s, mine);
    if (!cpu_team_meet(who)) return false;
    secular_vectors(&g.s, mine, g.place, m->u);
    if (!cpu_team_meet(who)) return false;
    if (!merge_vectors(m, &g, who->rank, who->size, work, watch)) cpu_team_stop(who);
    if (!cpu_team_meet(who)) return false;
    if (who->rank == 0) merge_values(m, &g, g.place);
    return cpu_team_meet(who);
}

/* Where rows lo..hi-1 are cut in two. */
static int64_t cut_of(int64_t lo, int64_t hi)
{
    return lo + block_of((hi - lo) / 2 + BLOCK / 2);
}

/* Takes the correction out of T; returns rho. */
static real tear(large_matrix *m, int64_t cut)
{
    real const rho = m->e[cut - 1]; /* the norm of a column: not negative */
    m->e[cut - 1] = 0, m->d[cut - 1] -= rho, m->d[cut] -= rho;
    return rho;
}

/* Solves rows lo..hi-1 of T; lo is the start of a block. These rows and columns of Z are an identity. Returns how many
 * eigenvalues have not converged, or -1 where the watch stops it. */
static int64_t divide(large_matrix *m, int64_t lo, int64_t hi, int max_sweeps, share work, cpu_watch *watch)
{
    if (hi - lo <= LEAF) {
        int64_t const failed = iterate(m, (span){lo, hi}, (hi - lo) * max_sweeps, work, watch);
        for (int64_t t = lo; t < hi; ++t) {
            int64_t at = t;
            for (; at > lo && m->d[m->order[at - 1]] > m->d[t]; --at) m->order[at] = m->order[at - 1];
            m->order[at] = t;
        }
        return failed;
    }
    int64_t const cut = cut_of(lo, hi);
    real const rho = tear(m, cut);
    double const quarter = share_at(work, 0.25), half = share_at(work, 0.5);
    int64_t const above = divide(m, lo, cut, max_sweeps, (share){work.from, quarter}, watch);
    if (above < 0) return -1;
    int64_t const below = divide(m, cut, hi, max_sweeps, (share){quarter, half}, watch);
    if (below < 0) return -1;
    if (above + below > 0) return above + below;
    return merge(m, lo, cut, hi, rho, (share){half, work.to}, watch) ? 0 : -1;
}

/* ------------------------------------------------------------- by a team */

enum { MOST_TREES = 16 }; /* so that none is as small as a leaf */
_Static_assert(HEEV_TOGETHER / MOST_TREES > LEAF, "leaves do not depend on threads");

/* Parts of T, numbered as a heap: 1 is the whole, 2 i and 2 i + 1 are its halves; those from `trees` on have one thread
 * each. */
typedef struct team_tree {
    int trees;
    int64_t lo[2 * MOST_TREES], hi[2 * MOST_TREES], failed[2 * MOST_TREES];
    real rho[MOST_TREES];
} team_tree;

/* Twice as many parts as threads, or as many where that is a power of two. */
static int trees_of(int size)
{
    int trees = 1;
    while (trees < MOST_TREES && (trees < size || (trees % size != 0 && trees < 2 * size))) trees *= 2;
    return trees;
}

/* Cuts T into the parts. */
static void tear_tree(large_matrix *m, team_tree *tree)
{
    tree->lo[1] = 0, tree->hi[1] = m->n;
    for (int i = 1; i < tree->trees; ++i) {
        int64_t const cut = cut_of(tree->lo[i], tree->hi[i]);
        tree->rho[i] = tear(m, cut);
        tree->lo[2 * i] = tree->lo[i], tree->hi[2 * i] = cut;
        tree->lo[2 * i + 1] = cut, tree->hi[2 * i + 1] = tree->hi[i];
    }
}

/* divide, of the whole T. */
static int64_t divide_together(large_matrix *m, int max_sweeps, share work, cpu_watch *watch)
{
    cpu_member *const who = m->who;
    if (who->size == 1) return divide(m, 0, m->n, max_sweeps, work, watch);
    team_tree own = {.trees = trees_of(who->size)};
    if (who->rank == 0) {
        tear_tree(m, &own);
        who->team->shared = &own;
    }
    if (!cpu_team_meet(who)) return -1;
    team_tree *const tree = who->team->shared;
    real *const u = m->u;
    double const half = share_at(work, 0.5);
    for (int i = tree->trees + who->rank; i < 2 * tree->trees; i += who->size) {
        m->u = u + tree->lo[i] * m->ld;
        tree->failed[i] = divide(m, tree->lo[i], tree->hi[i], max_sweeps, (share){work.from, half}, watch);
        if (tree->failed[i] < 0) cpu_team_stop(who);
    }
    m->u = u;
    if (!cpu_team_meet(who)) return -1;
    int64_t failed = 0;
    for (int i = tree->trees; i < 2 * tree->trees; ++i) failed += tree->failed[i];
    for (int i = tree->trees - 1; i > 0 && failed == 0; --i) {
        int64_t const cut = tree->hi[2 * i];
        share const part = {half, work.to};
        if (!merge_together(m, tree->lo[i], cut, tree->hi[i], tree->rho[i], part, watch)) return -1;
    }
    return cpu_team_meet(who) ? failed : -1; /* tree is read */
}

#endif
