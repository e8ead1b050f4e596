/* stebz on the CPU: all eigenvalues of a small T, in double for either type: of one that a search has loaded, or from
 * the caller's arrays straight to the outputs, since a search costs as much as two or three rows.
 *
 * Method    QL sweeps propose the eigenvalues; counts by pivots prove them: a bracket as wide as the tolerance around
 *           each is moved until it holds its eigenvalue, which it does at once as a rule.  A table and brackets that
 *           grow narrow, as larger matrices take them, cost several times as much here.  A diagonal T and two rows
 *           (stebz_twos) need no count.
 * Bits      proposals are made of all rows, and each bracket by itself.  Brackets may overlap, so that those below a
 *           part are made too, for the running maximum: a part has the bits of the whole. */
#include "stebz_cpu.h"

#include "sort.h"

#include <math.h>

#define EIG_FN static inline
#define LOGICAL bool
#define SELECT(mask, a, b) ((mask) ? (a) : (b))
#define real double
#define NAME(f) f##_d
#define REAL(c) c
#define SQRT sqrt
#include "pwk.inc"
#undef real

enum {
    WHOLE = 32, /* shifts: whole vectors of any instruction set */
    MOST_SWEEPS = 8,
    MOST_MOVES = 16 /* for an eigenvalue; two or three, and none, are the rule */
};

/* Norms from its reciprocal up to this: no sum overflows, and no count needs a scale of its own (stebz_load.c). */
#define USUAL_NORM 0x1p390

/* Copies for orders that are known: straight code, without loops. */
#define EACH_ORDER static inline __attribute__((always_inline))

/* The entries of a T whose off-diagonals are all negligible; false where they are not. */
EACH_ORDER bool diagonal(stebz_few *t, int const n)
{
    double const floor = t->single ? (double)STURM_FLOOR_S : STURM_FLOOR_D;
    double most = 0;
    for (int i = 1; i < n; ++i) most = fabs(t->b[i]) > most ? fabs(t->b[i]) : most;
    if (most > floor) return false;
    for (int i = 0; i < n; ++i) t->lo[i] = t->a[i];
    cpu_insertion_sort(t->lo, n);
    for (int i = 0; i < n; ++i) t->hi[i] = t->lo[i];
    return true;
}

/* Approximate eigenvalues, ascending. */
EACH_ORDER void propose(const stebz_few *t, double *w, int const n)
{
    double e2[STEBZ_SMALL], least = 0.125 * t->abstol;
    least *= least;
    for (int i = 0; i < n; ++i) w[i] = t->a[i], e2[i] = i + 1 < n ? t->b[i + 1] * t->b[i + 1] : 0;
    for (int l = 0; l + 1 < n; ++l)
        for (int sweeps = 0; sweeps < MOST_SWEEPS && e2[l] > least; ++sweeps) {
            int m = l + 1;
            while (e2[m] > least) ++m;
            if (m == l + 1) {
                double const two[2] = {w[l], w[m]};
                stebz_twos(two[0], two[1], sqrt(e2[l]), w + l);
                e2[l] = 0;
                break;
            }
            double const shift = pwk_shift_d(w[l], w[l + 1], e2[l]);
            double c = 1, s = 0, gamma = w[m] - shift, p = gamma * gamma, below;
            for (int i = m - 1; i >= l; --i) {
                pwk_row_d(e2[i], w[i], shift, &c, &s, &gamma, &p, &below, &w[i + 1]);
                if (i + 1 < m) e2[i + 1] = below;
            }
            e2[l] = s * p, w[l] = shift + gamma;
        }
    cpu_insertion_sort(w, n);
}

/* The bracket of eigenvalue k, from 0, by itself: where its proposal was bad. */
static void bisect(stebz_few *t, const stebz_pivot *pivot, int k, double width)
{
    stebz_matrix const matrix = {.n = t->n, .a = t->a, .b = t->b};
    double lo = -2, hi = 2; /* the norm is less than 1 */
    while (hi - lo > width) {
        stebz_counts c;
        double const middle = lo + 0.5 * (hi - lo);
        for (int l = 0; l < WHOLE; ++l) c.x[l] = middle;
        pivot->count(&matrix, 1, &c);
        *(c.count[0] > k ? &hi : &lo) = middle;
    }
    t->lo[k] = lo, t->hi[k] = hi;
}

/* Brackets around the w up to the last one that is wanted, moved by counts. */
EACH_ORDER void prove(stebz_few *t, const stebz_pivot *pivot, const double *w, int const n)
{
    stebz_matrix const matrix = {.n = n, .a = t->a, .b = t->b};
    int const end = t->iu;
    double step[STEBZ_SMALL];
    bool bad[STEBZ_SMALL], done = false;
    for (int k = 0; k < end; ++k) {
        double const own = t->reltol * fabs(w[k]), width = t->abstol > own ? t->abstol : own;
        step[k] = width > DBL_EPSILON ? width : DBL_EPSILON; /* the spacing of numbers below 2 */
        t->lo[k] = w[k] - 0.5 * step[k], t->hi[k] = w[k] + 0.5 * step[k];
    }
    for (int moves = 0; moves < MOST_MOVES && !done; ++moves) {
        stebz_counts c;
        double *x = c.x;
        for (int k = 0; k < end; ++k) *x++ = t->lo[k], *x++ = t->hi[k];
        while (x < c.x + WHOLE) *x++ = 0;
        pivot->count(&matrix, 2 * end, &c);
        const int64_t *count = c.count;
        done = true;
        for (int k = 0; k < end; ++k, count += 2) {
            bool const down = count[0] > k, up = count[1] <= k;
            if (down) t->hi[k] = t->lo[k], t->lo[k] -= step[k];
            if (up && !down) t->lo[k] = t->hi[k], t->hi[k] += step[k];
            bad[k] = down || up;
            done = done && !bad[k];
        }
    }
    for (int k = 0; k < end && !done; ++k)
        if (bad[k]) bisect(t, pivot, k, step[k]);
}

/* All brackets that are wanted; false where the engine has to find them. */
EACH_ORDER bool solve(stebz_few *t, const stebz_pivot *pivot, int const n)
{
    double w[STEBZ_SMALL];
    if (diagonal(t, n)) return true;
    if (n == 2) {
        stebz_twos(t->a[0], t->a[1], t->b[1], t->lo);
        t->hi[0] = t->lo[0], t->hi[1] = t->lo[1];
        return true;
    }
    if (n > STEBZ_SWEPT) return false;
    propose(t, w, n);
    prove(t, pivot, w, n);
    return true;
}

static bool solve_any(stebz_few *t, const stebz_pivot *pivot)
{
    return t->n == 2 ? solve(t, pivot, 2) : t->n == 3 ? solve(t, pivot, 3) : solve(t, pivot, t->n);
}

bool eig_cpu_stebz_small(stebz_search *search, eig_type type)
{
    stebz_few t;
    t.n = (int)search->matrix.n, t.single = type_is_single(type), t.a = search->a, t.b = search->b;
    t.il = (int)search->il, t.iu = (int)search->iu;
    t.abstol = search->abstol, t.reltol = search->reltol;
    if (!solve_any(&t, search->kernels->pivot)) return false;
    search->steady = true, search->begin = 1;
    search->groups += search->il - 1;
    for (int64_t k = 1; k <= search->iu; ++k)
        search->groups[k - search->il] = (stebz_group){.lo = t.lo[k - 1], .hi = t.hi[k - 1]};
    return true;
}

/* The rows of the caller's matrix in double, as in stebz_matrix.  Returns the norm; infinite where the usual scale will
 * not do, or not all entries are finite. */
static double read_rows(const stebz_problem *p, int64_t number, int n, double *a, double *b)
{
    stebz_entries const t = stebz_entries_of(p, number);
    double norm = 0, check = 0;
    b[0] = b[n] = 0;
    if (type_is_single(p->type)) {
        for (int i = 0; i < n; ++i) a[i] = (double)((const float *)t.d)[i];
        for (int i = 1; i < n; ++i) b[i] = (double)((const float *)t.e)[i - 1];
    } else {
        for (int i = 0; i < n; ++i) a[i] = ((const double *)t.d)[i];
        for (int i = 1; i < n; ++i) b[i] = ((const double *)t.e)[i - 1];
    }
    for (int i = 0; i < n; ++i) {
        double const sum = fabs(a[i]) + (fabs(b[i]) + fabs(b[i + 1]));
        norm = sum > norm ? sum : norm;
        check += sum - sum; /* 0, or NaN */
    }
    bool const usual = (1 / USUAL_NORM <= norm && norm <= USUAL_NORM) || norm == 0;
    return usual && check == 0 ? norm : INFINITY;
}

/* Writes how many there are, and an info of 0. */
static inline void tell(const stebz_problem *p, int64_t number)
{
    if (p->m) *p->m = p->iu - p->il + 1;
    if (p->info) p->info[number] = EIG_INFO_OK;
}

/* Whether an entry of a diagonal T of two rows may leave the normal numbers when T is scaled, as it is with enclosures.
 * */
static inline bool loses_digits(double x, double norm)
{
    return x != 0 && fabs(x) < 2 * DBL_MIN * norm;
}

/* One or two rows without enclosures, unscaled; false where their size does not allow that. */
static bool by_formulas(const stebz_problem *p, int64_t number)
{
    stebz_entries const t = stebz_entries_of(p, number);
    bool const two = p->n == 2, single = type_is_single(p->type);
    double const a = type_get(p->type, t.d, 0), c = two ? type_get(p->type, t.d, 1) : a;
    double const b = two ? fabs(type_get(p->type, t.e, 0)) : 0, most = fabs(a) > fabs(c) ? fabs(a) : fabs(c);
    double const norm = most + b + (a - a); /* NaN, if a is */
    double w[2] = {a, c};
    if (!(1 / STEBZ_PLAIN_NORM <= norm && norm <= STEBZ_PLAIN_NORM)) return false;
    if (b > (single ? (double)STURM_FLOOR_S : STURM_FLOOR_D) * stebz_two_to(stebz_exponent_of(norm)))
        stebz_twos(a, c, b, w);
    else if (loses_digits(a, norm) || loses_digits(c, norm))
        return false;
    else if (c < a)
        w[0] = c, w[1] = a;
    /* A zero without its sign, as the middle of a bracket has none. */
    for (int64_t k = p->il; k <= p->iu; ++k) type_put(p->type, p->w, number * p->stride_w + k - p->il, w[k - 1] + 0.0);
    return true;
}

bool eig_cpu_stebz_alone(const stebz_kernels *kernels, const stebz_problem *p, int64_t number)
{
    bool const usual = p->method == EIG_STEBZ_MULTISECTION && p->range != EIG_RANGE_VALUE && p->abstol == 0;
    if (!usual || p->n > STEBZ_SMALL) return false;
    if (p->n <= 2 && !p->lower && by_formulas(p, number)) {
        tell(p, number);
        return true;
    }
    /* With more rows, only a diagonal T. */
    if (p->n > STEBZ_SWEPT && type_get(p->type, stebz_entries_of(p, number).e, 0) != 0) return false;
    int const n = (int)p->n;
    double const eps = type_is_single(p->type) ? FLT_EPSILON : DBL_EPSILON;
    double a[STEBZ_SMALL], b[STEBZ_SMALL + 1], norm = read_rows(p, number, n, a, b);
    stebz_few t;
    if (norm == INFINITY) return false;
    t.n = n, t.single = type_is_single(p->type), t.a = a, t.b = b, t.scale = 0;
    t.il = (int)p->il, t.iu = (int)p->iu;
    if (norm > 0) t.scale = stebz_exponent_of(norm);
    stebz_power const down = stebz_power_of(-t.scale);
    for (int i = 0; i < n; ++i) a[i] = stebz_scaled(a[i], down), b[i] = stebz_scaled(b[i], down);
    norm = stebz_scaled(norm, down);
    t.abstol = eps * norm, t.reltol = p->reltol > 0 ? p->reltol : 2 * eps;
    t.error = STURM_ERROR_PRODUCT * eps * norm;
    if (n == 1 || norm == 0) {
        for (int k = 0; k < n; ++k) t.lo[k] = t.hi[k] = a[0];
        t.error = 0;
    } else if (!solve_any(&t, kernels->pivot)) {
        return false;
    }
    kernels->setup->store_few(p, &t, number);
    tell(p, number);
    return true;
}
