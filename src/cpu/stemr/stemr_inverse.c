/* stemr on the CPU: the fallback, for eigenvalues that no representation parts.  Inverse iteration in twice the digits,
 * with Gaussian elimination that exchanges rows; each vector is orthogonalised against those before it in its run.
 * Plain and serial: runs of this kind are rare.
 *
 * Source: J. Wilkinson, The Algebraic Eigenvalue Problem (1965), chapter 5; I. Ipsen, SIAM Review 39 (1997). */
#include "stemr_cpu.h"

#include <math.h>

enum {
    ITERATIONS = 8,
    NEIGHBOURS = 64 /* with which the result is compared, on either side */
};

/* P (N - y) = L U, and a vector that is solved for, rows of one block. */
typedef struct stemr_lu {
    wide_d *u0, *u1, *factor, *z;
    double *u2, *swapped;
} stemr_lu;

static stemr_lu lu_of(stemr_task *t)
{
    int64_t const n = t->p->n;
    wide_d *const w = (wide_d *)t->inverse;
    return (stemr_lu){w, w + n, w + 2 * n, w + 3 * n, t->inverse + 8 * n, t->inverse + 9 * n};
}

static wide_d times(wide_d x, double y)
{
    return wide_product_d(x, wide_of(y));
}

static wide_d over(wide_d x, wide_d y)
{
    return wide_quotient_d(x, y, 1 / y.hi);
}

/* Diagonal element i of N. */
static wide_d entry(const stemr_row *rows, int64_t i)
{
    return i == 0 ? rows[0].d : wide_add_d(rows[i].d, rows[i - 1].g);
}

static void factorise(const stemr_lu *f, const stemr_row *rows, int64_t n, wide_d y)
{
    wide_d here = wide_difference(entry(rows, 0), y), beside = wide_of(rows[0].b);
    for (int64_t i = 0; i < n; ++i) {
        if (i == n - 1) {
            f->u0[i] = mrrr_pivot_d(here), f->u1[i] = wide_of(0), f->u2[i] = 0;
            return;
        }
        double const b = rows[i].b;
        wide_d const next = wide_difference(entry(rows, i + 1), y);
        bool const swap = fabs(b) > fabs(here.hi);
        f->swapped[i] = swap;
        if (swap) {
            f->factor[i] = over(here, wide_of(b));
            f->u0[i] = wide_of(b), f->u1[i] = next, f->u2[i] = rows[i + 1].b;
            here = wide_difference(beside, wide_product_d(f->factor[i], next));
            beside = wide_minus_d(times(f->factor[i], rows[i + 1].b));
        } else {
            f->u0[i] = mrrr_pivot_d(here), f->u1[i] = beside, f->u2[i] = 0;
            f->factor[i] = over(wide_of(b), f->u0[i]);
            here = wide_difference(next, wide_product_d(f->factor[i], beside));
            beside = wide_of(rows[i + 1].b);
        }
    }
}

static void solve(const stemr_lu *f, int64_t n)
{
    wide_d *const z = f->z;
    for (int64_t i = 0; i + 1 < n; ++i) {
        if (f->swapped[i] != 0) {
            wide_d const other = z[i];
            z[i] = z[i + 1], z[i + 1] = other;
        }
        z[i + 1] = wide_difference(z[i + 1], wide_product_d(f->factor[i], z[i]));
    }
    for (int64_t i = n - 1; i >= 0; --i) {
        if (i + 1 < n) z[i] = wide_difference(z[i], wide_product_d(f->u1[i], z[i + 1]));
        if (i + 2 < n) z[i] = wide_difference(z[i], times(z[i + 2], f->u2[i]));
        z[i] = over(z[i], f->u0[i]);
    }
}

/* Length 1, and no more digits than a double has. */
static void normalise(const stemr_lu *f, int64_t n)
{
    double most = 0, sum = 0;
    for (int64_t i = 0; i < n; ++i) most = fmax(most, fabs(f->z[i].hi));
    int exponent;
    frexp(most, &exponent);
    for (int64_t i = 0; i < n; ++i) {
        double const x = ldexp(f->z[i].hi, -exponent);
        sum += x * x;
    }
    double const scale = 1 / sqrt(sum);
    for (int64_t i = 0; i < n; ++i) f->z[i] = wide_of(ldexp(f->z[i].hi, -exponent) * scale);
}

/* Takes out what lies in the direction of a column. */
static void orthogonalise(const stemr_lu *f, const stemr_problem *p, const stemr_block *b, int64_t column)
{
    double dot = 0;
    for (int64_t i = 0; i < b->length; ++i) dot += f->z[i].hi * stemr_entry(p, column, b->start + i);
    for (int64_t i = 0; i < b->length; ++i) f->z[i] = wide_of(f->z[i].hi - dot * stemr_entry(p, column, b->start + i));
}

/* Takes out the vectors of its run that are there: those before it; of a vector that failed also those behind it. */
static void orthogonalise_run(const stemr_task *t, const stemr_lu *f, const stemr_pair *pair)
{
    const stemr_block *const b = &t->block[pair->block];
    int64_t const last = pair->failed ? eig_cpu_stemr_cluster_of(t, pair).last : pair - t->pair;
    for (int64_t k = pair->run; k <= last; ++k) {
        const stemr_pair *const other = &t->pair[k];
        bool const there = other < pair || (other > pair && other->state == STEMR_SINGLE);
        if (there && other->column >= 0) orthogonalise(f, t->p, b, other->column);
    }
}

/* With the sign of gauge.inc. */
static void write_column(stemr_task *t, const stemr_lu *f, stemr_pair *pair, const stemr_block *b)
{
    const stemr_problem *const p = t->p;
    double *const z = t->inverse; /* the factorisation is no longer needed */
    for (int64_t i = 0; i < b->length; ++i) z[i] = f->z[i].hi;
    double const sign = stemr_sign(z, b->length);
    for (int64_t i = 0; i < p->n; ++i) {
        bool const inside = i >= b->start && i < b->start + b->length;
        double const x = inside ? sign * z[i - b->start] + 0.0 : 0;
        type_put(p->type, p->z, pair->column * p->ldz + i, x);
    }
    pair->support_first = b->start, pair->support_last = b->start + b->length - 1;
}

/* The eigenvalue, against the block's first representation. */
static wide_d eigenvalue_of(const stemr_task *t, stemr_pair *pair)
{
    const stemr_block *const b = &t->block[pair->block];
    wide_d const here = wide_add_d(eig_cpu_stemr_shift(t, pair->block, pair->node), wide_of(-b->sigma));
    if (pair->node < 0) {
        eig_cpu_stemr_narrow(t->rows + b->start, b->length, pair->index, &pair->lo, &pair->hi);
        pair->x = wide_middle(pair->lo, pair->hi);
    }
    return wide_add_d(here, pair->x);
}

/* The largest inner product with a neighbour. */
static double skew_of(const stemr_task *t, const stemr_pair *pair)
{
    int64_t const at = pair - t->pair, from = at > NEIGHBOURS ? at - NEIGHBOURS : 0;
    double most = 0;
    for (int64_t k = from; k < t->pairs && k <= at + NEIGHBOURS; ++k)
        if (k != at && t->pair[k].column >= 0 && (k < at || t->pair[k].state != STEMR_INVERSE))
            most = fmax(most, fabs(eig_cpu_stemr_dot(t->p, &t->pair[k], pair)));
    return most;
}

/* False where the caller asks to stop. */
static bool iterate(stemr_task *t, stemr_pair *pair)
{
    stemr_lu const f = lu_of(t);
    const stemr_block *const b = &t->block[pair->block];
    const stemr_row *const rows = t->rows + b->start;
    wide_d const y = eigenvalue_of(t, pair);
    factorise(&f, rows, b->length, y);
    for (int64_t i = 0; i < b->length; ++i) f.z[i] = wide_of(mrrr_noise((uint64_t)(pair->index * t->p->n + i)));
    for (int iteration = 0; iteration < ITERATIONS; ++iteration) {
        if (!eig_cpu_watch_look(&t->watch, t->from + t->part * (double)(pair - t->pair) / (double)t->pairs))
            return false;
        solve(&f, b->length);
        for (int twice = 0; twice < 2; ++twice) {
            normalise(&f, b->length);
            orthogonalise_run(t, &f, pair);
        }
        normalise(&f, b->length);
    }
    write_column(t, &f, pair, b);
    pair->residual = eig_cpu_stemr_measure(t, pair);
    double const eps = type_is_single(t->p->type) ? FLT_EPSILON : DBL_EPSILON;
    if (!(skew_of(t, pair) <= t->limits.info_above[1] * (double)t->p->n * eps)) pair->info |= EIG_STEMR_ORTHOGONALITY;
    ++t->stats.inverse_iterations;
    return true;
}

/* Whether pair k and the next one are in or beside a cluster, and their vectors have been written. */
static bool may_be_skew(const stemr_task *t, int64_t k)
{
    const stemr_pair *const a = &t->pair[k], *const b = &t->pair[k + 1];
    bool const clustered = a->node >= 0 || b->node >= 0, there = a->column >= 0 && b->column >= 0;
    return clustered && there && a->block == b->block && a->state == STEMR_SINGLE && b->state == STEMR_SINGLE;
}

/* What neighbours k and k+1 have in common; -1 where that is known to be little. */
static double neighbours_skew(const stemr_task *t, int64_t k)
{
    return may_be_skew(t, k) ? fabs(eig_cpu_stemr_dot(t->p, &t->pair[k], &t->pair[k + 1])) : -1;
}

/* Neighbours whose vectors are not orthogonal: the cluster's representation was worse than its growth told. */
static void find_skew(stemr_task *t)
{
    double const eps = type_is_single(t->p->type) ? FLT_EPSILON : DBL_EPSILON;
    double const limit = t->limits.skew * (double)t->p->n * eps;
    double *const inner = t->inverse;
    if (t->threads > 1) {
#pragma omp parallel for schedule(static) num_threads(t->threads)
        for (int64_t k = 0; k < t->pairs - 1; ++k) {
            USUAL_FLOAT_MODE;
            inner[k] = neighbours_skew(t, k);
        }
    } else { /* no region of one thread, for which memory would be taken: a small T notices */
        for (int64_t k = 0; k < t->pairs - 1; ++k) inner[k] = neighbours_skew(t, k);
    }
    for (int64_t k = 0; k + 1 < t->pairs; ++k) {
        stemr_pair *const a = &t->pair[k], *const b = &t->pair[k + 1];
        if (inner[k] <= limit) continue;
        if (a->state != STEMR_INVERSE) a->run = k;
        a->state = b->state = STEMR_INVERSE;
        b->run = a->run;
        ++t->stats.skew;
    }
}

eig_status eig_cpu_stemr_inverse(stemr_task *t)
{
    if (t->nodes > 0) find_skew(t);
    for (int64_t k = 0; k < t->pairs; ++k)
        if (t->pair[k].state == STEMR_INVERSE && t->pair[k].column >= 0 && !iterate(t, &t->pair[k]))
            return t->watch.status;
    return EIG_OK;
}
