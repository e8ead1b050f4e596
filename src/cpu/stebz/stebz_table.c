/* stebz on the CPU, method multisection: the table of counts, in which every eigenvalue's bracket begins.
 *
 * Points     of a uniform grid over the interval of all eigenvalues; they are the same whatever is wanted, so that a
 *            part of the spectrum begins with the brackets of the whole.
 * Cost       a count a point.  For a part only those points are counted that enclose what is wanted. */
#include "stebz_cpu.h"

#include "openmp.h"

/* Counts at `m` <= STEBZ_LANES points of the table. */
static void table_count(stebz_search *search, const int64_t *points, int m)
{
    stebz_count_table *const t = &search->table;
    stebz_counts c;
    for (int l = 0; l < m; ++l) c.x[l] = stebz_table_point(search, points[l]);
    for (int l = m; l < STEBZ_LANES; ++l) c.x[l] = c.x[0];
    search->count(&search->matrix, m, &c);
    for (int l = 0; l < m; ++l) {
        t->count[points[l]] = c.count[l];
        t->mantissa[points[l]] = c.mantissa[l], t->exponent[points[l]] = c.exponent[l];
    }
}

/* The running maximum.  Points that were not counted (-1) take the count of the one before. */
static void table_finish(stebz_search *search)
{
    stebz_count_table *const t = &search->table;
    /* The ends of the whole interval need no rounding analysis: no eigenvalue lies below, all lie above. */
    if (t->lo == search->lo) t->count[0] = 0;
    if (t->hi == search->hi) t->count[t->cells] = search->matrix.n;
    int64_t highest = 0;
    for (int64_t j = 0; j <= t->cells; ++j) {
        if (t->count[j] < 0) t->count[j] = t->count[j - 1];
        t->highest[j] = highest = highest > t->count[j] ? highest : t->count[j];
    }
}

/* STEBZ_LANES points from j0 on. */
static void fill_from(stebz_search *search, int64_t j0)
{
    int64_t const points = search->table.cells + 1;
    if (!stebz_look(search, STEBZ_TABLE_SHARE * (double)j0 / (double)points)) return;
    int const m = (int)(points - j0 < STEBZ_LANES ? points - j0 : STEBZ_LANES);
    int64_t list[STEBZ_LANES];
    for (int l = 0; l < m; ++l) list[l] = j0 + l;
    table_count(search, list, m);
}

/* A region of one thread would cost as much as a small matrix. */
static void table_fill(stebz_search *search, int threads)
{
    int64_t const points = search->table.cells + 1;
    if (threads > 1) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (int64_t j0 = 0; j0 < points; j0 += STEBZ_LANES) {
            USUAL_FLOAT_MODE;
            fill_from(search, j0);
        }
    } else {
        for (int64_t j0 = 0; j0 < points; j0 += STEBZ_LANES) fill_from(search, j0);
    }
    table_finish(search);
}

/* Whether the stretch of `width` cells from point j on holds eigenvalues that are wanted; its ends have been counted,
 * or were in no wanted stretch. */
static bool stretch_is_wanted(const stebz_search *search, int64_t j, int64_t width)
{
    const stebz_count_table *const t = &search->table;
    int64_t const right = j + width < t->cells ? j + width : t->cells;
    if (t->count[j] < 0 || t->count[right] < 0) return false;
    return t->count[right] >= search->il && t->count[j] < search->iu && t->count[j] < t->count[right];
}

/* Lists the points that part every wanted stretch of parts*width cells; returns their number. */
static int64_t list_points(const stebz_search *search, int64_t width, int64_t parts, int64_t *list)
{
    const stebz_count_table *const t = &search->table;
    int64_t listed = 0;
    for (int64_t j = 0; j < t->cells; j += parts * width) {
        if (!stretch_is_wanted(search, j, parts * width)) continue;
        for (int64_t at = j + width; at < j + parts * width && at < t->cells; at += width) list[listed++] = at;
    }
    return listed;
}

static void count_from(stebz_search *search, const int64_t *list, int64_t listed, int64_t i)
{
    if (!stebz_look(search, STEBZ_TABLE_SHARE * (double)i / (double)listed)) return;
    table_count(search, list + i, (int)(listed - i < STEBZ_LANES ? listed - i : STEBZ_LANES));
}

static void count_listed(stebz_search *search, const int64_t *list, int64_t listed, int threads)
{
    if (threads > 1 && listed > STEBZ_LANES) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (int64_t i = 0; i < listed; i += STEBZ_LANES) {
            USUAL_FLOAT_MODE;
            count_from(search, list, listed, i);
        }
    } else {
        for (int64_t i = 0; i < listed; i += STEBZ_LANES) count_from(search, list, listed, i);
    }
}

/* The table of all eigenvalues, counted only where those lie that are wanted: the points of their cells are those of a
 * full table, and so are their brackets.  Few stretches are separated into many, so that lanes are full. */
static void table_sparse(stebz_search *search, int threads)
{
    stebz_count_table *const t = &search->table;
    int64_t const ends[2] = {0, t->cells};
    for (int64_t j = 0; j <= t->cells; ++j) t->count[j] = -1;
    table_count(search, ends, 2);
    t->count[0] = 0, t->count[t->cells] = search->matrix.n;
    int64_t width = 1;
    while (width < t->cells) width *= 2;
    while (width > 1 && eig_cpu_watch_status(search->watch) == EIG_OK) {
        int64_t wanted = 0, parts = 2;
        for (int64_t j = 0; j < t->cells; j += width) wanted += stretch_is_wanted(search, j, width);
        while (parts < width && 2 * parts * wanted <= STEBZ_LANES) parts *= 2;
        width /= parts;
        int64_t *const list = t->highest; /* not yet in use */
        count_listed(search, list, list_points(search, width, parts, list), threads);
    }
    table_finish(search);
}

/* Whether counts ascend from point to point, whatever their roundings. */
static bool table_is_coarse(const stebz_search *search)
{
    const stebz_count_table *const t = &search->table;
    return t->hi - t->lo > 64 * (double)t->cells * search->error;
}

/* For a small part of a large spectrum: a coarse table first, then the table proper between the coarse points that
 * enclose what is wanted. */
static void table_narrow(stebz_search *search, int threads)
{
    stebz_count_table *const t = &search->table;
    int64_t const cells = t->cells;
    t->cells = cells < STEBZ_LANES ? cells : STEBZ_LANES;
    table_fill(search, threads);
    int64_t left = 0, right = t->cells;
    while (left + 1 < right && t->highest[left + 1] < search->il) ++left;
    while (right - 1 > left && t->count[right - 1] >= search->iu) --right;
    double const lo = stebz_table_point(search, left), hi = stebz_table_point(search, right);
    t->lo = lo, t->hi = hi, t->cells = cells;
    table_fill(search, threads);
}

void eig_cpu_stebz_table(stebz_search *search, int threads)
{
    int64_t const n = search->matrix.n, part = search->iu - search->il + 1;
    if (search->steady && part < n && table_is_coarse(search))
        table_sparse(search, threads);
    else if (!search->steady && part < n / 4)
        table_narrow(search, threads);
    else
        table_fill(search, threads);
}
