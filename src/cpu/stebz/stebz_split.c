/* stebz on the CPU: a T whose off-diagonals vanish here and there.  Its eigenvalues are those of its blocks, found by
 * themselves and then sorted, so that the cost follows the sum of the blocks' squares instead of n^2.
 *
 * Negligible  in the product form: what lies below its floor (numerics/sturm.h), since it moves eigenvalues by less
 *             than eps/4 of the norm either way.  In the pivot form, which promises relative accuracy: zeros alone.
 * Blocks      of up to STEBZ_SHORT_ROWS rows go to stebz_short.c, many at a time.  Longer ones go to the engine: one a
 *             thread, or, where one is a large part of the work, one after another with all threads.
 * Bits        a block's results depend on that block and on the norm of T alone; sorting leaves no choice. */
#include "stebz_cpu.h"

#include "openmp.h"
#include "sort.h"

#include <math.h>
#include <string.h>

enum {
    TASK_BLOCKS = 256,  /* short blocks that a thread takes at a time */
    LONG_SHARED = 4096, /* rows of a block from which all threads work on it */
    ROUNDS = 12         /* counts that an eigenvalue takes, about */
};

/* ------------------------------------------------------------------- blocks */

/* The blocks of T; first[r] .. first[r+1]: the places in `sorted` of those of r rows. */
typedef struct block_list {
    int64_t longs, first[STEBZ_SHORT_ROWS + 2];
    int64_t dropped, below; /* eigenvalues of blocks that are not wanted, and how many of them lie below what is */
    double work;            /* counts times rows */
} block_list;

static double negligible(const stebz_search *search, eig_type type)
{
    return search->pivot ? 0 : type_is_single(type) ? (double)STURM_FLOOR_S : STURM_FLOOR_D;
}

/* First rows of the blocks, in order.  Returns the number of blocks. */
static int64_t find_starts(const double *b, int64_t n, double floor, int64_t *start)
{
    int64_t blocks = 1;
    start[0] = 0;
    for (int64_t i = 1; i < n; ++i) {
        start[blocks] = i;
        blocks += fabs(b[i]) <= floor;
    }
    return blocks;
}

static int64_t length_of(const int64_t *start, int64_t block, int64_t blocks, int64_t n)
{
    return (block + 1 < blocks ? start[block + 1] : n) - start[block];
}

bool eig_cpu_stebz_splits(stebz_search *search, eig_type type)
{
    int64_t const n = search->matrix.n;
    int64_t *const start = search->all_starts;
    search->found.split = false;
    search->blocks = find_starts(search->b, n, negligible(search, type), start);
    if (search->blocks == 1) return false;
    double cost = 0;
    for (int64_t i = 0; i < search->blocks; ++i) {
        int64_t const length = length_of(start, i, search->blocks, n);
        cost += (double)length * (double)length;
    }
    /* The part that is wanted does not matter: a part has the bits of the whole. */
    if (cost > 0.75 * (double)n * (double)n && !(search->pivot && search->loses)) return false;
    for (int64_t i = 1; i < search->blocks; ++i) search->b[start[i]] = 0;
    return search->found.split = true;
}

/* -------------------------------------------------------------------- solving */

typedef struct block_job {
    const eig_context *ctx;
    stebz_search *search;
    eig_type type;
    block_list list;
    double from, upto;        /* no wanted eigenvalue lies outside, nor its bracket */
    atomic_int_fast64_t done; /* eigenvalues */
} block_job;

/* Counts by pivots at some shifts of all lanes. */
static void count_pivots(const stebz_search *search, const stebz_matrix *matrix, int shifts, stebz_counts *c)
{
    for (int l = shifts; l < STEBZ_LANES; ++l) c->x[l] = c->x[0];
    search->kernels->pivot->count(matrix, shifts, c);
}

/* Rows start to start+length-1 as a matrix of their own. */
static stebz_matrix rows_of(const stebz_search *search, int64_t start, int64_t length)
{
    return (stebz_matrix){.n = length, .a = search->a + start, .b = search->b + start};
}

/* Eigenvalues of a block below two values. */
typedef struct two_counts {
    int64_t below, upto;
} two_counts;

/* Gerschgorin's interval and single rows save most of the counts where blocks are short. */
static two_counts count_block(const stebz_search *search, int64_t start, int64_t length, double from, double upto)
{
    const double *const a = search->a + start, *const b = search->b + start;
    if (length == 1) return (two_counts){a[0] < from, a[0] < upto};
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t i = 0; i < length; ++i) {
        double const radius = fabs(b[i]) + (i + 1 < length ? fabs(b[i + 1]) : 0);
        double const left = a[i] - radius, right = a[i] + radius;
        lo = left < lo ? left : lo, hi = right > hi ? right : hi;
    }
    lo -= search->error, hi += search->error;
    if (hi < from) return (two_counts){length, length};
    if (lo > upto) return (two_counts){0, 0};
    stebz_matrix const block = rows_of(search, start, length);
    stebz_counts c;
    c.x[0] = from, c.x[1] = upto;
    count_pivots(search, &block, 2, &c);
    return (two_counts){c.count[0], c.count[1]};
}

/* Narrows [lo, hi] with C(lo) < k <= C(hi) to less than the spectrum's n-th part, by counts of T. */
static void narrow_around(const stebz_search *search, int64_t k, double *lo, double *hi)
{
    double const enough = (*hi - *lo) / (double)search->matrix.n;
    int const shifts = search->shifts;
    while (*hi - *lo > enough) {
        stebz_counts c;
        double const step = (*hi - *lo) / (shifts + 1), from = *lo;
        for (int l = 0; l < STEBZ_LANES; ++l) c.x[l] = stebz_rounded(search, from + step * ((l < shifts ? l : 0) + 1));
        search->count(&search->matrix, shifts, &c);
        int l = 0;
        while (l < shifts && c.count[l] < k) ++l;
        if (l < shifts) *hi = c.x[l];
        if (l > 0) *lo = c.x[l - 1];
        if (step <= search->error) return;
    }
}

/* Values that enclose what is wanted, with room for roundings and for what a bracket may be wide. */
static void find_window(block_job *job)
{
    stebz_search whole = *job->search;
    double const most = 2 * whole.norm, size = fmax(whole.abstol, whole.reltol * most);
    double const margin = 64 * whole.error + 2 * size + 4 * DBL_MIN;
    job->from = -INFINITY, job->upto = INFINITY;
    if (whole.il == 1 && whole.iu == whole.matrix.n) return;
    eig_cpu_stebz_open(job->ctx, &whole, job->type, true);
    double lo = -most - margin, hi = most + margin;
    if (whole.il > 1) {
        narrow_around(&whole, whole.il, &lo, &hi);
        job->from = lo - margin;
    }
    lo = -most - margin, hi = most + margin;
    if (whole.iu < whole.matrix.n) {
        narrow_around(&whole, whole.iu, &lo, &hi);
        job->upto = hi + margin;
    }
}

/* Whether the block has eigenvalues in the window; if not, adds those below it to *below.  Where entries have to be
 * restored at the end, all are wanted. */
static bool block_is_wanted(const block_job *job, int64_t start, int64_t length, int64_t *below)
{
    const stebz_search *const search = job->search;
    if ((job->from == -INFINITY && job->upto == INFINITY) || (search->pivot && search->loses)) return true;
    two_counts const c = count_block(search, start, length, job->from, job->upto);
    if (c.below < c.upto) return true;
    *below += c.below;
    return false;
}

/* Lists the long blocks that are wanted, and sorts the short ones by their rows.  Eigenvalues of the others become NaN
 * in found.lo. */
static void list_blocks(block_job *job)
{
    stebz_search *const search = job->search;
    block_list *const list = &job->list;
    int64_t const n = search->matrix.n, blocks = search->blocks;
    const int64_t *const start = search->all_starts;
    double *const lo = search->found.lo;
    int64_t rows = 0, points = 0;
    *list = (block_list){0};
    for (int64_t i = 0; i < blocks; ++i) {
        int64_t const length = length_of(start, i, blocks, n);
        bool const wanted = block_is_wanted(job, start[i], length, &list->below);
        lo[start[i]] = 0;
        for (int64_t k = 0; k < length && !wanted; ++k) lo[start[i] + k] = NAN;
        list->dropped += wanted ? 0 : length;
        list->work += wanted ? ROUNDS * (double)length * (double)length : 0;
        if (length <= STEBZ_SHORT_ROWS) {
            ++list->first[length + 1];
        } else if (wanted) {
            search->longs[list->longs++] = (stebz_long){start[i], length, rows, points};
            rows += (length + STURM_BLOCK - 1) / STURM_BLOCK * STURM_BLOCK;
            points += length + 1;
        }
    }
    for (int r = 1; r <= STEBZ_SHORT_ROWS + 1; ++r) list->first[r] += list->first[r - 1];
    int64_t next[STEBZ_SHORT_ROWS + 2];
    memcpy(next, list->first, sizeof next);
    for (int64_t i = 0; i < blocks; ++i) {
        int64_t const length = length_of(start, i, blocks, n);
        if (length > STEBZ_SHORT_ROWS) continue;
        search->shorts[next[length]++] = (stebz_short_rows){start[i], (int)length, !isnan(lo[start[i]])};
    }
}

/* Leaves the eigenvalues that were computed, and counts what is wanted among them; returns their number. */
static int64_t keep_wanted(stebz_search *search, int64_t below, int64_t dropped)
{
    stebz_found *const f = &search->found;
    int64_t const n = search->matrix.n;
    int64_t kept = 0;
    if (dropped == 0) return n;
    for (int64_t k = 0; k < n; ++k) {
        f->lo[kept] = f->lo[k], f->hi[kept] = f->hi[k];
        kept += !isnan(f->lo[k]);
    }
    search->il -= below, search->iu -= below;
    return kept;
}

/* The eigenvalues of a long block that may be wanted: il to iu of the part. */
static void find_wanted(const block_job *job, stebz_search *part)
{
    stebz_counts c;
    c.x[0] = job->from, c.x[1] = job->upto;
    count_pivots(job->search, &part->matrix, 2, &c);
    part->il = c.count[0] + 1, part->iu = c.count[1];
    part->steady = part->il > 1 || part->iu < part->matrix.n;
    part->groups += part->il - 1;
}

static double fraction_done(const block_job *job)
{
    return (double)atomic_load_explicit(&job->done, memory_order_relaxed) / (double)job->search->matrix.n;
}

/* share: how much of the call the block is, for its progress. */
static void solve_long(block_job *job, const stebz_long *t, int threads, double share)
{
    stebz_search *const whole = job->search;
    stebz_search part = *whole;
    part.from = whole->from + whole->share * fraction_done(job), part.share = share;
    part.a += t->start, part.b += t->start;
    part.matrix = (stebz_matrix){.n = t->length, .a = part.a, .b = part.b};
    part.groups += t->start;
    find_wanted(job, &part);
    part.rows = (double *)part.rows + 2 * t->rows;
    part.scales = (double *)part.scales + 2 * (t->rows / STURM_BLOCK);
    part.table.count += t->points, part.table.highest += t->points;
    part.table.mantissa += t->points, part.table.exponent += t->points;
    if (part.il <= part.iu) {
        eig_cpu_stebz_open(job->ctx, &part, job->type, true);
        eig_cpu_stebz_refine(&part, threads, NULL);
    }
    /* An eigenvalue that is not wanted gets an end of the window: it keeps a place when all are sorted. */
    for (int64_t k = 1; k <= t->length; ++k) {
        bool const below = k<part.il, above = k> part.iu;
        const stebz_group *const g = &part.groups[k - part.il];
        whole->found.lo[t->start + k - 1] = below ? job->from : above ? job->upto : g->lo;
        whole->found.hi[t->start + k - 1] = below ? job->from : above ? job->upto : g->hi;
    }
    atomic_fetch_add_explicit(&job->done, t->length, memory_order_relaxed);
}

/* Short blocks from place `from` of the sorted list on, at most TASK_BLOCKS. */
static void solve_task(block_job *job, int64_t from)
{
    const stebz_search *const search = job->search;
    stebz_short const t = {
        .a = search->a,
        .b = search->b,
        .lo = search->found.lo,
        .hi = search->found.hi,
        .margin = search->error + 4 * DBL_MIN,
        .abstol = search->abstol,
        .reltol = search->reltol,
        .fine = search->pivot,
    };
    int64_t const shorts = job->list.first[STEBZ_SHORT_ROWS + 1];
    int64_t done = 0;
    int64_t const count = shorts - from < TASK_BLOCKS ? shorts - from : TASK_BLOCKS;
    search->kernels->short_blocks->solve(&t, search->shorts + from, count);
    for (int64_t i = from; i < from + count; ++i) done += search->shorts[i].rows;
    atomic_fetch_add_explicit(&job->done, done, memory_order_relaxed);
}

static bool takes_all_threads(const block_job *job, const stebz_long *t, int threads)
{
    double const work = ROUNDS * (double)t->length * (double)t->length;
    return threads == 1 || t->length >= LONG_SHARED || work > job->list.work / (4 * threads);
}

/* Blocks that are a large part of the work, one after another. */
static void solve_large_blocks(block_job *job, int threads)
{
    const stebz_search *const search = job->search;
    for (int64_t i = 0; i < job->list.longs && eig_cpu_watch_status(search->watch) == EIG_OK; ++i) {
        const stebz_long *const t = &search->longs[i];
        if (takes_all_threads(job, t, threads))
            solve_long(job, t, threads, search->share * (double)t->length / (double)search->matrix.n);
    }
}

/* A long block, or some short ones. */
static void solve_item(block_job *job, int64_t item, int threads)
{
    const stebz_search *const search = job->search;
    int64_t const longs = job->list.longs;
    if (!stebz_look(search, fraction_done(job))) return;
    if (item >= longs)
        solve_task(job, (item - longs) * TASK_BLOCKS);
    else if (!takes_all_threads(job, &search->longs[item], threads))
        solve_long(job, &search->longs[item], 1, 0);
}

/* All others: tasks that threads take. */
static void solve_tasks(block_job *job, int threads)
{
    int64_t const shorts = job->list.first[STEBZ_SHORT_ROWS + 1];
    int64_t const items = job->list.longs + (shorts + TASK_BLOCKS - 1) / TASK_BLOCKS;
    if (threads > 1) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (int64_t i = 0; i < items; ++i) {
            USUAL_FLOAT_MODE;
            solve_item(job, i, threads);
        }
    } else {
        for (int64_t i = 0; i < items; ++i) solve_item(job, i, 1);
    }
}

/* Undoes a scaling that has lost entries, before the results are sorted: the entry of a row that stands alone is its
 * eigenvalue, as the caller gave it. */
static void restore_entries(const block_job *job, const stebz_problem *p, int64_t number)
{
    stebz_search *const search = job->search;
    stebz_found *const f = &search->found;
    stebz_entries const given = stebz_entries_of(p, number);
    stebz_power const back = stebz_power_of(search->scale);
    double *const results[] = {f->middle, f->lo, f->hi};
    for (int r = 0; r < 3; ++r)
        for (int64_t k = 0; k < search->matrix.n; ++k) results[r][k] = stebz_scaled(results[r][k], back);
    for (int64_t i = job->list.first[1]; i < job->list.first[2]; ++i) {
        int64_t const row = search->shorts[i].start;
        for (int r = 0; r < 3; ++r) results[r][row] = type_get(p->type, given.d, row);
    }
    search->error = stebz_scaled(search->error, back);
    search->scale = 0;
}

/* Brackets of all that is wanted, each block's where its rows stand; returns how many there are. */
static int64_t solve_job(block_job *job, const stebz_problem *p, int64_t number, int threads)
{
    stebz_search *const search = job->search;
    stebz_found *const f = &search->found;
    int64_t const n = search->matrix.n;
    find_window(job);
    list_blocks(job);
    /* A short block costs more than its counts: as if each eigenvalue took 64 rows more. */
    int const useful = eig_cpu_stebz_threads(job->ctx, 1, job->list.work + 64.0 * (double)n);
    threads = threads > 1 && useful < threads ? useful : threads;
    solve_large_blocks(job, threads);
    solve_tasks(job, threads);
    int64_t const found = keep_wanted(search, job->list.below, job->list.dropped);
    for (int64_t k = 0; k < found; ++k) f->middle[k] = f->lo[k] + 0.5 * (f->hi[k] - f->lo[k]);
    if (search->pivot && search->loses) restore_entries(job, p, number);
    return found;
}

eig_status eig_cpu_stebz_solve_blocks(eig_context *ctx, stebz_search *search, const stebz_problem *p, int64_t number,
                                      int threads, double *pass_ms)
{
    double const start = pass_ms ? eig_cpu_clock() : 0;
    block_job job = {.ctx = ctx, .search = search, .type = p->type};
    stebz_found *const f = &search->found;
    double *const scratch = search->rows;
    int64_t found = search->matrix.n;
    bool const diagonal = search->blocks == found && !(search->pivot && search->loses);
    if (diagonal)
        memcpy(f->middle, search->a, (size_t)found * sizeof *f->middle);
    else
        found = solve_job(&job, p, number, threads);
    double const solved = pass_ms ? eig_cpu_clock() : 0;
    if (eig_cpu_watch_status(search->watch) != EIG_OK) return EIG_CANCELLED;
    eig_cpu_sort(f->middle, found, scratch);
    if (diagonal) {
        memcpy(f->lo, f->middle, (size_t)found * sizeof *f->lo);
        memcpy(f->hi, f->middle, (size_t)found * sizeof *f->hi);
    } else if (p->lower) {
        eig_cpu_sort(f->lo, found, scratch);
        eig_cpu_sort(f->hi, found, scratch);
    }
    if (pass_ms) pass_ms[1] += solved - start, pass_ms[2] += eig_cpu_clock() - solved;
    return EIG_OK;
}
