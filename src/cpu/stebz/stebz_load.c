/* stebz on the CPU: from the caller's matrix to a search.  Scale, norm, interval, the kernel that counts. */
#include "stebz_cpu.h"
#include "stebz_values.h"

#include <math.h>

static const stebz_kernels *kernels_of(const eig_context *ctx, eig_type type)
{
    return &eig_cpu_kernels(ctx, type)->stebz;
}

bool eig_cpu_stebz_finite(stebz_search *search, const stebz_problem *p, int64_t number)
{
    stebz_entries const t = stebz_entries_of(p, number);
    search->largest = search->kernels->setup->largest_entry(p->n, t.d, t.e);
    return isfinite(search->largest);
}

void eig_cpu_stebz_load(stebz_search *search, const stebz_problem *p, int64_t number, int scale)
{
    stebz_entries const t = stebz_entries_of(p, number);
    search->kernels->setup->load(p->n, t.d, t.e, scale, search->a, search->b);
    search->matrix = (stebz_matrix){.n = p->n, .a = search->a, .b = search->b};
    search->scale = scale;
}

double eig_cpu_stebz_norm(const stebz_search *search)
{
    const double *a = search->a, *b = search->b;
    int64_t const n = search->matrix.n;
    double norm = 0;
#pragma omp simd simdlen(8) reduction(max : norm)
    for (int64_t i = 0; i < n - 1; ++i) {
        double const sum = fabs(a[i]) + (fabs(b[i]) + fabs(b[i + 1]));
        norm = sum > norm ? sum : norm;
    }
    return fmax(norm, fabs(a[n - 1]) + fabs(b[n - 1]));
}

int eig_cpu_stebz_exponent(stebz_search *search, const stebz_problem *p, int64_t number)
{
    search->norm = 0;
    if (search->largest == 0) return 0;
    int first, second;
    frexp(search->largest, &first);
    eig_cpu_stebz_load(search, p, number, first); /* so that no sum overflows */
    search->norm = frexp(eig_cpu_stebz_norm(search), &second);
    return first + second;
}

/* Matrices whose norm is no further from 1 than this power of two are not scaled for the pivot form, so that counts
 * see the caller's numbers and nothing underflows. */
enum { PIVOT_EXPONENT = 400 };

/* The exponent of the smallest entry that is not 0. */
static int least_exponent(const stebz_problem *p, int64_t number)
{
    stebz_entries const t = stebz_entries_of(p, number);
    double least = INFINITY;
    int exponent;
    for (int64_t i = 0; i < p->n; ++i) {
        double const a = fabs(type_get(p->type, t.d, i)), b = i + 1 < p->n ? fabs(type_get(p->type, t.e, i)) : 0;
        if (a > 0 && a < least) least = a;
        if (b > 0 && b < least) least = b;
    }
    frexp(least, &exponent);
    return exponent;
}

int eig_cpu_stebz_pivot_scale(stebz_search *search, const stebz_problem *p, int64_t number, int exponent)
{
    search->loses = false;
    if (-PIVOT_EXPONENT <= exponent && exponent <= PIVOT_EXPONENT) return 0;
    int const least = least_exponent(p, number), scale = sturm_pivot_scale(exponent, least, STURM_PIVOT_MOST_D);
    search->loses = scale > 0 && least - scale < DBL_MIN_EXP;
    return scale;
}

int eig_cpu_stebz_tree_scale(const stebz_problem *p, int64_t number, int exponent)
{
    int const most = type_is_single(p->type) ? STURM_PIVOT_MOST_S : STURM_PIVOT_MOST_D;
    return sturm_pivot_scale(exponent, least_exponent(p, number), most);
}

int64_t eig_cpu_stebz_count_lost(const stebz_search *search, const stebz_problem *p, int64_t number, double x,
                                 double x_scaled)
{
    stebz_entries const t = stebz_entries_of(p, number);
    int64_t count = 0;
    bool const loses = search->loses || (x != 0 && fabs(x_scaled) <= DBL_MIN);
    if (search->scale <= 0 || !loses) return 0;
    for (int64_t i = 0; i < p->n; ++i) {
        bool const coupled =
            (i > 0 && type_get(p->type, t.e, i - 1) != 0) || (i + 1 < p->n && type_get(p->type, t.e, i) != 0);
        if (!coupled) count += (type_get(p->type, t.d, i) < x) - (search->a[i] < x_scaled);
    }
    return count;
}

/* Gerschgorin's interval (Corollary 2 of Lessig's report), widened so that it holds the eigenvalues of every matrix for
 * which a computed count may be exact. */
static void find_interval(stebz_search *search, double eps)
{
    const double *a = search->matrix.a, *b = search->matrix.b;
    int64_t const n = search->matrix.n;
    double lo = INFINITY, hi = -INFINITY;
#pragma omp simd reduction(min : lo) reduction(max : hi)
    for (int64_t i = 0; i < n - 1; ++i) {
        double const radius = fabs(b[i]) + fabs(b[i + 1]), left = a[i] - radius, right = a[i] + radius;
        lo = left < lo ? left : lo;
        hi = right > hi ? right : hi;
    }
    double const margin = 8 * eps * search->norm + 4 * DBL_MIN;
    search->lo = fmin(lo, a[n - 1] - fabs(b[n - 1])) - margin;
    search->hi = fmax(hi, a[n - 1] + fabs(b[n - 1])) + margin;
}

void eig_cpu_stebz_find_indices(stebz_search *search, const stebz_problem *p, int64_t number)
{
    stebz_counts c;
    stebz_power const scale = stebz_power_of(-search->scale);
    double const end[2] = {sturm_above(p->by_value.vl), sturm_above(p->by_value.vu)};
    for (int l = 0; l < STEBZ_LANES; ++l) c.x[l] = stebz_scaled(end[l > 0], scale);
    search->kernels->pivot->count(&search->matrix, 2, &c);
    for (int l = 0; l < 2; ++l) c.count[l] += eig_cpu_stebz_count_lost(search, p, number, end[l], c.x[l]);
    search->il = c.count[0] + 1;
    search->iu = c.count[1];
}

void eig_cpu_stebz_range(const eig_context *ctx, const stebz_problem *p, double *a, double *b, int64_t *il, int64_t *iu)
{
    stebz_search search = {.kernels = kernels_of(ctx, p->type), .a = a, .b = b};
    *il = 1, *iu = 0;
    if (!eig_cpu_stebz_finite(&search, p, 0)) return;
    int const exponent = eig_cpu_stebz_exponent(&search, p, 0);
    eig_cpu_stebz_load(&search, p, 0, eig_cpu_stebz_pivot_scale(&search, p, 0, exponent));
    eig_cpu_stebz_find_indices(&search, p, 0);
    *il = search.il, *iu = search.iu;
}

/* Chooses the kernel that counts, and makes what it reads: rows of the product form are of the caller's type where it
 * can hold them, else in double. */
static void choose_kernel(const eig_context *ctx, stebz_search *search, eig_type type)
{
    const stebz_kernels *const own = search->kernels, *const wide = kernels_of(ctx, EIG_D);
    stebz_matrix *const t = &search->matrix;
    search->narrow = false;
    search->count = own->pivot->count, search->shifts = own->pivot->shifts;
    if (search->pivot) return;
    t->padded = (t->n + STURM_BLOCK - 1) / STURM_BLOCK * STURM_BLOCK;
    t->rows = search->rows, t->scales = search->scales;
    bool const fits = own->setup->load_product(t->n, t->a, t->b, search->rows, search->scales);
    if (!fits) wide->setup->load_product(t->n, t->a, t->b, search->rows, search->scales);
    const stebz_product *const product = fits ? own->product : wide->product;
    search->count = product->count, search->shifts = product->shifts;
    search->narrow = fits && type_is_single(type);
}

void eig_cpu_stebz_open(const eig_context *ctx, stebz_search *search, eig_type type, bool counts)
{
    find_interval(search, type_is_single(type) ? FLT_EPSILON : DBL_EPSILON);
    if (counts) choose_kernel(ctx, search, type);
    int64_t const wanted = search->steady ? search->matrix.n : search->iu - search->il + 1;
    search->table.cells = wanted > STEBZ_LEAST_CELLS ? wanted : STEBZ_LEAST_CELLS;
    search->table.lo = search->lo, search->table.hi = search->hi;
}
