/* stebz on the CPU, plain code: from the caller's arrays to a scaled matrix, and from brackets to the outputs.
 * Compiled once for each type. */
#include "stebz_cpu.h"

#include "per_type.h"

static void load(int64_t n, const void *diagonal, const void *beside, int scale, double *a, double *b)
{
    const real *const d = diagonal, *const e = beside;
    stebz_power const factor = stebz_power_of(-scale);
    for (int64_t i = 0; i < n; ++i) a[i] = stebz_scaled((double)d[i], factor);
    b[0] = 0;
    for (int64_t i = 1; i < n; ++i) b[i] = stebz_scaled((double)e[i - 1], factor);
}

/* The largest magnitude of x[n]; NaN where an entry is not finite. */
static real largest_of(int64_t n, const real *x)
{
    real largest = 0, check = 0;
#pragma omp simd simdlen(8) reduction(max : largest) reduction(+ : check)
    for (int64_t i = 0; i < n; ++i) {
        real const size = x[i] < 0 ? -x[i] : x[i];
        largest = size > largest ? size : largest;
        check += x[i] - x[i]; /* 0, or NaN */
    }
    return largest + check;
}

static double largest_entry(int64_t n, const void *diagonal, const void *beside)
{
    real const of_d = largest_of(n, diagonal), of_e = n > 1 ? largest_of(n - 1, beside) : 0;
    return of_d > of_e || isnan(of_d) ? (double)of_d : (double)of_e;
}

/* The last block is filled up with rows whose eigenvalues lie above every shift. */
static bool load_product(int64_t n, const double *a, const double *b, void *product_rows, void *product_scales)
{
    double const least_b = FLOAT_OR_DOUBLE(STURM_FLOOR_S, STURM_FLOOR_D);
    real *rows = product_rows, *scales = product_scales;
    double least = 1;
    if (n >= FLOAT_OR_DOUBLE(INT32_MAX / 2, INT64_MAX)) return false; /* the kernels count in int32_t for float */
    for (int64_t i0 = 0; i0 < n; i0 += STURM_BLOCK, scales += 2) {
        real scale_2 = 1, scale_1 = 1;
        for (int64_t i = i0; i < i0 + STURM_BLOCK; ++i, rows += 2) {
            double const ai = i < n ? a[i] : 4;
            double const bi = i == 0 ? 1 : i < n ? fmax(fabs(b[i]), least_b) : i == n ? least_b : 0.5;
            TYPED(sturm_coefficients)((real)ai, (real)bi, &scale_2, &scale_1, rows, rows + 1);
            least = fmin(least, (double)scale_1);
        }
        scales[0] = scale_2, scales[1] = scale_1;
    }
    return least >= FLOAT_OR_DOUBLE(STURM_LEAST_SCALE_S, 0);
}

/* x in real, rounded down or up. */
static real below(double x)
{
    real const r = (real)x;
    return (double)r > x ? nextafter(r, -INFINITY) : r;
}

static real above(double x)
{
    real const r = (real)x;
    return (double)r < x ? nextafter(r, INFINITY) : r;
}

/* The outputs of one matrix; of eigenvalues stored one after another the largest one. */
typedef struct places {
    real *w, *lower, *upper;
    stebz_power back;
    double error;
    double largest;           /* number of the type, in the units of brackets */
    const value_range *range; /* NULL: it is not by value */
    real highest;
} places;

static places places_of(const stebz_problem *p, int64_t matrix, int scale, double error)
{
    int64_t const at = matrix * p->stride_w;
    return (places){.w = (real *)p->w + at,
                    .lower = p->lower ? (real *)p->lower + at : NULL,
                    .upper = p->upper ? (real *)p->upper + at : NULL,
                    .back = stebz_power_of(scale),
                    .error = error,
                    .largest = stebz_scaled((double)REAL_MAX, stebz_power_of(-scale)),
                    .range = p->range == EIG_RANGE_VALUE ? &p->by_value : NULL,
                    .highest = -INFINITY};
}

/* The middle of a bracket in the caller's units; where it overflows and the bracket does not, the largest number. */
static inline real middle_between(const places *o, double lo, double hi)
{
    double mid = lo + 0.5 * (hi - lo);
    if (mid > o->largest && lo <= o->largest) mid = o->largest;
    if (mid < -o->largest && hi >= -o->largest) mid = -o->largest;
    return (real)stebz_scaled(mid, o->back);
}

/* The middle of eigenvalue il + k's bracket, in the caller's units. */
static real middle_of(const stebz_search *search, int64_t k, const places *o)
{
    const stebz_found *const f = &search->found;
    const stebz_group *const g = search->groups + k;
    return f->split ? (real)stebz_scaled(f->middle[search->il - 1 + k], o->back) : middle_between(o, g->lo, g->hi);
}

/* Eigenvalue k of the outputs, mid in the caller's units, and its bracket.  A running maximum makes the eigenvalues
 * ascend, since neighbouring brackets may overlap by an ulp or so.  The later one of two equal numbers is stored.  So a
 * zero keeps its own sign, wherever a part begins. */
static inline void put(places *o, int64_t k, real mid, double lo, double hi)
{
    o->w[k] = o->highest = mid >= o->highest ? mid : o->highest;
    if (o->range) o->w[k] = (real)range_moved(o->range, (double)o->w[k]);
    if (!o->lower) return;
    /* One step further out for the roundings of lo - error and of a scaling that leaves the normal numbers. */
    o->lower[k] = below(nextafter(stebz_scaled(nextafter(lo - o->error, -INFINITY), o->back), -INFINITY));
    o->upper[k] = above(nextafter(stebz_scaled(nextafter(hi + o->error, INFINITY), o->back), INFINITY));
    if (!o->range) return;
    o->lower[k] = o->w[k] < o->lower[k] ? o->w[k] : o->lower[k];
    o->upper[k] = o->w[k] > o->upper[k] ? o->w[k] : o->upper[k];
}

/* Brackets of different cells do not overlap: for a part of the spectrum the maximum begins with the part's first cell.
 *  Those of a small matrix may: it begins with the first eigenvalue. */
static void store(const stebz_problem *p, const stebz_search *search, int64_t matrix)
{
    places o = places_of(p, matrix, search->scale, search->error);
    const stebz_found *const f = &search->found;
    for (int64_t k = search->steady ? search->begin - search->il : 0; k < 0; ++k) {
        real const mid = middle_of(search, k, &o);
        o.highest = mid >= o.highest ? mid : o.highest;
    }
    for (int64_t k = 0; k <= search->iu - search->il; ++k) {
        double const lo = f->split ? f->lo[search->il - 1 + k] : search->groups[k].lo;
        double const hi = f->split ? f->hi[search->il - 1 + k] : search->groups[k].hi;
        put(&o, k, middle_of(search, k, &o), lo, hi);
    }
}

static void store_few(const stebz_problem *p, const stebz_few *found, int64_t matrix)
{
    places o = places_of(p, matrix, found->scale, found->error);
    for (int64_t k = 0; k < p->iu; ++k) {
        double const lo = found->lo[k], hi = found->hi[k];
        real const mid = middle_between(&o, lo, hi);
        if (k >= p->il - 1)
            put(&o, k - (p->il - 1), mid, lo, hi);
        else
            o.highest = mid >= o.highest ? mid : o.highest;
    }
}

static void store_nan(const stebz_problem *p, int64_t matrix)
{
    int64_t const m = stebz_most_wanted(p);
    void *const outputs[] = {p->w, p->lower, p->upper};
    for (int o = 0; o < 3; ++o)
        for (int64_t k = 0; outputs[o] && k < m; ++k) ((real *)outputs[o])[matrix * p->stride_w + k] = (real)NAN;
}

const stebz_setup TYPED(eig_cpu_stebz_setup) = {
    .largest_entry = largest_entry,
    .load = load,
    .load_product = load_product,
    .store = store,
    .store_few = store_few,
    .store_nan = store_nan,
    .tree = TYPED(eig_cpu_stebz_tree),
};
