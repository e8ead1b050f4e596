/* Cuts of the spectrum of T between clusters, by Sturm counts.
 *
 * Two shifts with the same count k have no eigenvalue between them: eigenvalues k and k + 1 are at least as far apart.
 * So counts at ever closer shifts around the place of an equal cut find a gap beside it; nothing else is computed.  The
 * rounding errors of the counts, some eps ||T||, are far smaller than GAP. */
#include "gaps.h"

#include "parts.h"

#include <math.h>
#include <stdlib.h>

/* Eigenvalues this far apart, in units of ||T||, belong to different clusters on every device. stemr asks for an eighth
 * to a quarter of it (2^-34 where the norm is in [1/2, 1): STEMR_GAP_ROOT, stemr_limits). */
#define GAP 0x1p-31

enum {
    ROUNDS = 12,
    SLACK = 64 /* a gap this share of a part away from the equal cut is near enough */
};

/* A shift and the eigenvalues below it. */
typedef struct shift {
    double x;
    int64_t count;
} shift;

typedef struct gap_state {
    const gap_search *search;
    double *d, *e, gap; /* the scaled T; the least gap */
    shift *shift;       /* ascending, those whose counts are known */
    int64_t shifts, room;
    double *x; /* [points] the next ones */
    int64_t *count;
} gap_state;

/* ------------------------------------------------------------------------- T */

/* T scaled by a power of two to entries below 1, and the first two shifts: all eigenvalues lie between them.  False
 * where T is zero or not finite. */
static bool load(gap_state *g)
{
    const gap_search *const s = g->search;
    double most = 0;
    for (int64_t i = 0; i < s->n; ++i) {
        double const a = fabs(type_get(s->type, s->d, i)), b = i < s->n - 1 ? fabs(type_get(s->type, s->e, i)) : 0;
        if (!isfinite(a) || !isfinite(b)) return false;
        most = fmax(most, fmax(a, b));
    }
    if (most == 0) return false;
    int scale;
    frexp(most, &scale);
    double norm = 0;
    for (int64_t i = 0; i < s->n; ++i) {
        g->d[i] = scalbn(type_get(s->type, s->d, i), -scale);
        g->e[i] = i < s->n - 1 ? scalbn(type_get(s->type, s->e, i), -scale) : 0;
        norm = fmax(norm, fabs(g->d[i]) + fabs(g->e[i]) + (i > 0 ? fabs(g->e[i - 1]) : 0));
    }
    g->gap = GAP * norm;
    g->shift[0] = (shift){-1.01 * norm, 0}, g->shift[1] = (shift){1.01 * norm, s->n};
    g->shifts = 2;
    return true;
}

/* ---------------------------------------------------------------------- search */

/* The number of eigenvalues below the equal cut before part k. */
static int64_t equal_cut(const gap_search *s, int64_t parts, int64_t k)
{
    return s->il - 1 + eig_part_begin(s->iu - s->il + 1, parts, k);
}

/* The number of the last shift that has at most `below` eigenvalues below it; never the last shift of all. */
static int64_t place_of(const gap_state *g, int64_t below)
{
    int64_t lo = 0, hi = g->shifts - 1;
    while (hi - lo > 1) {
        int64_t const middle = lo + (hi - lo) / 2;
        if (g->shift[middle].count <= below)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

/* Whether there is a gap behind shift number i, or one that ends the range. */
static bool is_gap(const gap_state *g, int64_t i)
{
    return g->shift[i].count == g->shift[i + 1].count && g->shift[i + 1].x - g->shift[i].x >= g->gap;
}

/* The number of eigenvalues below the known gap that is nearest to `below`; the ends of the range are gaps. */
static int64_t nearest_gap(const gap_state *g, int64_t below)
{
    int64_t const first = g->search->il - 1, last = g->search->iu, at = place_of(g, below);
    int64_t left = at, right = at;
    while (left >= 0 && g->shift[left].count > first && !is_gap(g, left)) --left;
    while (right < g->shifts - 1 && g->shift[right].count < last && !is_gap(g, right)) ++right;
    int64_t const before = left < 0 || g->shift[left].count < first ? first : g->shift[left].count;
    int64_t const after = g->shift[right].count > last ? last : g->shift[right].count;
    return below - before <= after - below ? before : after;
}

/* Fills g->x with shifts around the cuts whose gap is too far away; how many. */
static int64_t next_shifts(gap_state *g, int64_t parts)
{
    const gap_search *const s = g->search;
    int64_t const slack = (s->iu - s->il + 1) / parts / SLACK, each = s->points / (parts - 1);
    int64_t filled = 0, last = -1;
    for (int64_t k = 1; k < parts; ++k) {
        int64_t const below = equal_cut(s, parts, k), at = place_of(g, below);
        if (at == last || llabs(nearest_gap(g, below) - below) <= slack) continue;
        double const lo = g->shift[at].x, width = g->shift[at + 1].x - lo, cells = floor(width / g->gap);
        int64_t const pieces = cells < (double)each + 1 ? (int64_t)cells : each + 1;
        for (int64_t i = 1; i < pieces; ++i) g->x[filled++] = lo + width * ((double)i / (double)pieces);
        last = at;
    }
    return filled;
}

static int compare(const void *a, const void *b)
{
    double const x = ((const shift *)a)->x, y = ((const shift *)b)->x;
    return (x > y) - (x < y);
}

static eig_status find_gaps(eig_context *ctx, gap_state *g, int64_t parts)
{
    const gap_search *const s = g->search;
    for (int round = 0; round < ROUNDS; ++round) {
        int64_t const m = next_shifts(g, parts);
        if (m == 0) break;
        stebz_count_problem const q = {EIG_D, s->n, m, g->d, s->n > 1 ? g->e : NULL, g->x, g->count, NULL, true};
        eig_status const status = s->counts(ctx, &q);
        if (status != EIG_OK) return status;
        for (int64_t i = 0; i < m; ++i) g->shift[g->shifts++] = (shift){g->x[i], g->count[i]};
        qsort(g->shift, (size_t)g->shifts, sizeof *g->shift, compare);
    }
    return EIG_OK;
}

/* ------------------------------------------------------------------------ whole */

static bool allocate(gap_state *g, int64_t parts)
{
    const gap_search *const s = g->search;
    int64_t const points = s->points > parts ? s->points : parts;
    g->d = malloc((size_t)s->n * sizeof *g->d), g->e = malloc((size_t)s->n * sizeof *g->e);
    g->shift = malloc((size_t)(points * ROUNDS + 2) * sizeof *g->shift);
    g->x = malloc((size_t)points * sizeof *g->x), g->count = malloc((size_t)points * sizeof *g->count);
    return g->d && g->e && g->shift && g->x && g->count;
}

eig_status eig_cut_at_gaps(eig_context *ctx, const gap_search *search, int64_t parts, int64_t *cut)
{
    gap_state g = {.search = search};
    int64_t const first = search->il - 1;
    for (int64_t k = 0; k <= parts; ++k) cut[k] = equal_cut(search, parts, k) - first;
    if (parts < 2) return EIG_OK;
    eig_status status = EIG_OK;
    if (!allocate(&g, parts)) {
        status = eig_fail(ctx, EIG_NO_MEMORY, "cannot allocate room for a search of %lld rows", (long long)search->n);
    } else if (load(&g)) {
        status = find_gaps(ctx, &g, parts);
        for (int64_t k = 1; k < parts && status == EIG_OK; ++k) cut[k] = nearest_gap(&g, first + cut[k]) - first;
    }
    free(g.d), free(g.e), free(g.shift), free(g.x), free(g.count);
    return status;
}
