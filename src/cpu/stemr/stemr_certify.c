/* stemr on the CPU: the errors of the answer, measured on the outputs themselves: residuals against the caller's T, and
 * orthogonality by random vectors: the entries of (Z'Z - I) x, x of 1 and -1, are as large as rows of Z'Z - I are
 * long. */
#include "stemr_cpu.h"

#include "openmp.h"

#include <float.h>
#include <math.h>

enum { PROBES = 4, ROWS = 512 };

/* Sums that do not wait for each other. */
enum { SUMS = 8 };

static double total(const double *sum)
{
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

static double dot_s(const float *x, const float *y, int64_t n)
{
    double sum[SUMS] = {0};
    int64_t i = 0;
    for (; i + SUMS <= n; i += SUMS)
        for (int k = 0; k < SUMS; ++k) sum[k] += (double)x[i + k] * y[i + k];
    for (; i < n; ++i) sum[0] += (double)x[i] * y[i];
    return total(sum);
}

static double dot_d(const double *x, const double *y, int64_t n)
{
    double sum[SUMS] = {0};
    int64_t i = 0;
    for (; i + SUMS <= n; i += SUMS)
        for (int k = 0; k < SUMS; ++k) sum[k] += x[i + k] * y[i + k];
    for (; i < n; ++i) sum[0] += x[i] * y[i];
    return total(sum);
}

double eig_cpu_stemr_dot(const stemr_problem *p, const stemr_pair *j, const stemr_pair *k)
{
    int64_t const first = j->support_first > k->support_first ? j->support_first : k->support_first;
    int64_t const last = j->support_last < k->support_last ? j->support_last : k->support_last;
    const void *const x = type_at(p->type, p->z, j->column * p->ldz + first);
    const void *const y = type_at(p->type, p->z, k->column * p->ldz + first);
    if (first > last) return 0;
    return type_is_single(p->type) ? dot_s(x, y, last - first + 1) : dot_d(x, y, last - first + 1);
}

/* ||T z - w z|| of the scaled T. */
static double residual_of(const stemr_task *t, int64_t column)
{
    const stemr_problem *const p = t->p;
    stebz_power const down = stebz_power_of(-t->scale);
    double const w = stebz_scaled(type_get(p->type, p->w, column), down);
    double sum = 0, before = 0, here = stemr_entry(p, column, 0);
    for (int64_t i = 0; i < p->n; ++i) {
        double const next = i + 1 < p->n ? stemr_entry(p, column, i + 1) : 0, coupling = i + 1 < p->n ? t->b[i + 1] : 0;
        double const r = (t->a[i] - w) * here + (t->b[i] * before + coupling * next);
        sum += r * r;
        before = here, here = next;
    }
    return sqrt(sum);
}

double eig_cpu_stemr_measure(const stemr_task *t, const stemr_pair *pair)
{
    return residual_of(t, pair->column);
}

void eig_cpu_stemr_judge(stemr_task *t, stemr_pair *pair, double residual, double square)
{
    double const unit = (double)t->p->n * (type_is_single(t->p->type) ? FLT_EPSILON : DBL_EPSILON);
    bool const small = sqrt(residual) <= t->limits.measured * unit, right = fabs(square - 1) <= 4 * unit;
    if (small && right) return;
    pair->state = STEMR_INVERSE, pair->failed = true;
    pair->residual = INFINITY;
    pair->run = eig_cpu_stemr_cluster_of(t, pair).first;
}

stemr_run eig_cpu_stemr_cluster_of(const stemr_task *t, const stemr_pair *pair)
{
    int64_t const at = pair - t->pair;
    if (pair->node < 0) return (stemr_run){at, at};
    const stemr_node *cluster = &t->node[pair->node];
    while (cluster->parent >= 0) cluster = &t->node[cluster->parent];
    return (stemr_run){cluster->first, cluster->last};
}

/* Whether to go on with a step of which so much is done: first the residuals, then two steps a probe. */
static bool look(stemr_task *t, int step, int64_t done, int64_t of)
{
    double const part = ((double)step + (double)done / (double)of) / (1 + 2 * PROBES);
    return eig_cpu_watch_look(&t->watch, t->from + t->part * part);
}

static double sign_of(int probe, int64_t k)
{
    return mrrr_noise((uint64_t)k * PROBES + (uint64_t)probe) < 0 ? -1 : 1;
}

/* The largest entry of (Z'Z - I) x over the probes x. */
static double skewness(stemr_task *t, int64_t columns)
{
    const stemr_problem *const p = t->p;
    double *const y = t->inverse;
    double largest = 0;
    for (int probe = 0; probe < PROBES; ++probe) {
#pragma omp parallel for schedule(dynamic) num_threads(t->threads) if (t->threads > 1)
        for (int64_t i0 = 0; i0 < p->n; i0 += ROWS) {
            USUAL_FLOAT_MODE;
            if (!look(t, 1 + 2 * probe, i0, p->n)) continue;
            int64_t const i1 = i0 + ROWS < p->n ? i0 + ROWS : p->n;
            for (int64_t i = i0; i < i1; ++i) y[i] = 0;
            for (int64_t k = 0; k < columns; ++k)
                for (int64_t i = i0; i < i1; ++i) y[i] += sign_of(probe, k) * stemr_entry(p, k, i);
        }
#pragma omp parallel for schedule(static) num_threads(t->threads) reduction(max : largest) if (t->threads > 1)
        for (int64_t k = 0; k < columns; ++k) {
            USUAL_FLOAT_MODE;
            if (!look(t, 2 + 2 * probe, k, columns)) continue;
            double sum[4] = {0};
            for (int64_t i = 0; i < p->n; ++i) sum[i & 3] += stemr_entry(p, k, i) * y[i];
            double const off = fabs((sum[0] + sum[1]) + (sum[2] + sum[3]) - sign_of(probe, k));
            largest = off > largest ? off : largest;
        }
    }
    return largest;
}

eig_status eig_cpu_stemr_certify(stemr_task *t, int64_t columns)
{
    const stemr_problem *const p = t->p;
    stebz_power const up = stebz_power_of(t->scale);
    if (p->residual) {
        /* T with what was split off. */
        const stebz_setup *const setup = eig_cpu_kernels(t->ctx, p->type)->stebz.setup;
        setup->load(p->n, p->d, p->e, t->scale, t->a, t->b);
#pragma omp parallel for schedule(static) num_threads(t->threads) if (t->threads > 1)
        for (int64_t k = 0; k < columns; ++k) {
            USUAL_FLOAT_MODE;
            if (look(t, 0, k, columns)) type_put(p->type, p->residual, k, stebz_scaled(residual_of(t, k), up));
        }
    }
    if (p->orthogonality) type_put(p->type, p->orthogonality, 0, skewness(t, columns));
    return t->watch.status;
}
