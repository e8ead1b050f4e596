/* stemr on the CPU: blocks of up to STEMR_SHORT_ROWS rows.  One row is its own pair.  With more rows, implicit QL
 * sweeps find all pairs, backward stable and orthogonal to some eps, where brackets and representations would cost many
 * times as much: half of the blocks of a T that splits at random have two or three rows.
 *
 * Vectors   wait in t->inverse, which is used last: those of a block take length^2 of the 10 length numbers there.
 * Bits      a block's pairs depend on its rows alone.
 * Source    J. Wilkinson and C. Reinsch, Handbook for Automatic Computation II (1971), contribution II/4. */
#include "stemr_cpu.h"

#include <math.h>
#include <string.h>

enum { MOST_SWEEPS = 30 }; /* for an eigenvalue; two are the rule */

/* A block: e[i] couples rows i and i+1; v: columns of n rows. */
typedef struct short_block {
    int n;
    double d[STEMR_SHORT_ROWS], e[STEMR_SHORT_ROWS], *v;
} short_block;

/* Turns columns i and i+1. */
static void turn(short_block *b, int i, double c, double s)
{
    double *const x = b->v + i * b->n, *const y = x + b->n;
    for (int k = 0; k < b->n; ++k) {
        double const f = y[k];
        y[k] = s * x[k] + c * f;
        x[k] = c * x[k] - s * f;
    }
}

/* One sweep from row m up to row l, by the shift of rows l and l+1. */
static void sweep(short_block *b, int l, int m)
{
    double *const d = b->d, *const e = b->e;
    double const slope = (d[l + 1] - d[l]) / (2 * e[l]);
    double g = d[m] - d[l] + e[l] / (slope + copysign(sqrt(slope * slope + 1), slope)), s = 1, c = 1, p = 0;
    for (int i = m - 1; i >= l; --i) {
        double const f = s * e[i], h = c * e[i], r = sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r == 0) { /* it has split */
            d[i + 1] -= p;
            e[m] = 0;
            return;
        }
        s = f / r, c = g / r;
        g = d[i + 1] - p;
        double const t = (d[i] - g) * s + 2 * c * h;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - h;
        turn(b, i, c, s);
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
}

/* All pairs, ascending; false where an eigenvalue takes too long. */
static bool solve(short_block *b)
{
    int const n = b->n;
    b->e[n - 1] = 0;
    for (int l = 0; l < n; ++l)
        for (int sweeps = 0;; ++sweeps) {
            int m = l;
            while (m < n - 1 && fabs(b->e[m]) > 0.5 * DBL_EPSILON * (fabs(b->d[m]) + fabs(b->d[m + 1]))) ++m;
            if (m == l) break;
            if (sweeps == MOST_SWEEPS) return false;
            sweep(b, l, m);
        }
    for (int i = 1; i < n; ++i)
        for (int j = i; j > 0 && b->d[j] < b->d[j - 1]; --j) {
            double const d = b->d[j];
            b->d[j] = b->d[j - 1], b->d[j - 1] = d;
            for (int k = 0; k < n; ++k) {
                double *const x = b->v + (j - 1) * n + k, *const y = x + n, v = *x;
                *x = *y, *y = v;
            }
        }
    return true;
}

static double *vectors_of(const stemr_task *t, const stemr_block *b)
{
    return t->inverse + STEMR_INVERSE_ROW * b->start;
}

/* T v - x v within the block: its length, and, where quotient is not NULL, v'(T v - x v). */
static double residual_of(const stemr_task *t, const stemr_block *b, double x, const double *v, double *quotient)
{
    const double *const a = t->a + b->start, *const beside = t->b + b->start;
    double sum = 0, inner = 0;
    for (int64_t i = 0; i < b->length; ++i) {
        double r = (a[i] - x) * v[i];
        if (i > 0) r += beside[i] * v[i - 1];
        if (i + 1 < b->length) r += beside[i + 1] * v[i + 1];
        sum += r * r, inner += r * v[i];
    }
    if (quotient) *quotient = inner;
    return sqrt(sum);
}

/* The sweeps leave some eps of the norm; Rayleigh's quotient leaves the rounding of the residual. */
static double corrected(const stemr_task *t, const stemr_block *b, double x, const double *v)
{
    double quotient;
    residual_of(t, b, x, v, &quotient);
    return x + quotient;
}

/* Pair k of the block, whose eigenvalue is x. */
static void add_pair(stemr_task *t, int64_t number, int64_t k, double x)
{
    t->pair[t->pairs++] = (stemr_pair){.block = number,
                                       .index = k,
                                       .node = -1,
                                       .column = -1,
                                       .ready = true,
                                       .x = wide_of(x),
                                       .gap = 2.0,
                                       .state = STEMR_SINGLE};
}

bool eig_cpu_stemr_short(stemr_task *t, int64_t number, int64_t first, int64_t last)
{
    stemr_block *const b = &t->block[number];
    int const n = (int)b->length;
    if (n == 1) {
        if (first <= last) add_pair(t, number, 1, t->a[b->start]);
    } else {
        double *const v = vectors_of(t, b);
        short_block s;
        s.n = n, s.v = v;
        memcpy(s.d, t->a + b->start, (size_t)n * sizeof *s.d);
        memcpy(s.e, t->b + b->start + 1, (size_t)(n - 1) * sizeof *s.e);
        for (int i = 0; i < n * n; ++i) v[i] = i % (n + 1) == 0;
        if (!solve(&s)) return false;
        for (int64_t k = first; k <= last; ++k) add_pair(t, number, k, corrected(t, b, s.d[k - 1], v + (k - 1) * n));
    }
    b->sigma = 0;
    b->is_short = true;
    ++t->stats.representations; /* blocks count as theirs */
    return true;
}

void eig_cpu_stemr_short_vector(stemr_task *t, stemr_pair *pair)
{
    const stemr_problem *const p = t->p;
    const stemr_block *const b = &t->block[pair->block];
    memset(type_at(p->type, p->z, pair->column * p->ldz), 0, (size_t)p->n * type_size(p->type));
    pair->support_first = b->start, pair->support_last = b->start + b->length - 1;
    pair->residual = 0;
    if (b->length == 1) {
        type_put(p->type, p->z, pair->column * p->ldz + b->start, 1);
        return;
    }
    const double *const v = vectors_of(t, b) + (pair->index - 1) * b->length, sign = stemr_sign(v, b->length);
    for (int64_t i = 0; i < b->length; ++i)
        type_put(p->type, p->z, pair->column * p->ldz + b->start + i, sign * v[i] + 0.0);
    pair->residual = residual_of(t, b, pair->x.hi, v, NULL);
}
