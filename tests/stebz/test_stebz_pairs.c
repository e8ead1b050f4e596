/* stebz, stebz_count and stemr on a CPU and on several: all options crossed by twos.  The reference is the plain call, a matrix at a
 * time, which is itself held against Sturm counts, residuals and orthogonality. */
#define _POSIX_C_SOURCE 200809L
#include "support/crossed.h"

#include <float.h>

enum {
    F_FAMILY = F_COMMON,
    F_FORM,
    F_KIND,
    F_RANGE,
    F_METHOD,
    F_OUT_PAD,
    F_VECTORS,
    F_BOUNDS,
    F_INFO,
    F_M,
    F_RESIDUAL,
    F_ORTHOGONALITY,
    F_SUPPORT,
    F_STATS,
    F_ABSTOL,
    FACTORS
};
enum { STEBZ, STEMR, COUNTS, STEMR_AGAIN, FAMILIES }; /* stemr has most outputs: two levels, the odd ones */
enum { RANGE_ALL, RANGE_MIDDLE, RANGE_LAST, RANGE_VALUES, RANGE_BELOW, RANGE_NONE, RANGES };
enum { KIND_RANDOM, KIND_SPLIT, KIND_DIAGONAL, KIND_CLUSTERS, KINDS };
enum { D, E, W, Z, LOWER, UPPER, INFO, M, RESIDUAL, ORTHOGONALITY, SUPPORT };

static eig_type const types[] = {EIG_S, EIG_D};
static int const orders[] = {1, 2, 3, 7, 8, 9, 16, 17, 33, 64, 65, 130, 255, 256, 300};
static int const batches[] = {1, 2, 3, 5, 8, 17, 40};
#define SIZE(array) (int)(sizeof(array) / sizeof *(array))

static void mend(int *row)
{
    if (row[F_KIND] == KIND_CLUSTERS && row[F_FORM] == 1) row[F_FORM] = 2; /* sums of stats tell more of a batch */
    bool const many = batches[row[F_BATCH]] > 1;
    if (orders[row[F_N]] > 130 && batches[row[F_BATCH]] > 5) row[F_BATCH] = 1 + row[F_BATCH] % 3;
    if (orders[row[F_N]] < 33 && row[F_KIND] == KIND_CLUSTERS) row[F_N] = 8 + row[F_N] % 3; /* below there are none */
    if (orders[row[F_N]] > 65 && row[F_KIND] == KIND_CLUSTERS) row[F_BATCH] = 1; /* inverse iteration is slow */
    if (row[F_FAMILY] == COUNTS || row[F_FORM] == 1) row[F_BATCH] = 0;
    if (row[F_FAMILY] == STEBZ && row[F_FORM] != 1 && row[F_RANGE] >= RANGE_VALUES) row[F_RANGE] = RANGE_ALL;
    /* Vectors by inverse iteration are those of the range. */
    if (row[F_FAMILY] % 2 == STEMR && row[F_KIND] == KIND_CLUSTERS) row[F_RANGE] = RANGE_ALL, row[F_STATS] = 1;
    if (row[F_RANGE] >= RANGE_VALUES) row[F_M] = 1;
    /* Where threads share a batch, they do. */
    bool const much = batches[row[F_BATCH]] >= 5 && orders[row[F_N]] >= 33;
    if (much) row[F_THREADS] = 1;
    if (much && row[F_FAMILY] % 2 == STEMR && row[F_WORK] == WORK_LENT)
        row[F_WORK] = WORK_OWN; /* the loan is for one matrix */
    crossed_mend(row, !many || row[F_BATCH] == 0);
    if (row[F_BATCH] == 0 && row[F_BAD] != BAD_NONE)
        row[F_PROGRESS] = PROGRESS_NONE, row[F_TIMING] = 0; /* nothing is computed */
}

typedef struct job {
    eig_type type;
    size_t size;
    int family;
    int64_t n, batch, stride_d, stride_e, stride_w, ldz, stride_z, most;
    eig_stebz_options stebz;
    eig_stemr_options stemr;
    bool one, typed;
    const void *d, *e;
    void *w, *z, *lower, *upper, *residual, *orthogonality;
    int64_t *m, *isuppz;
    int *info;
    eig_stemr_stats stats, *told;
} job;

static eig_status run(eig_context *ctx, void *user)
{
    job *const j = user;
    bool const wide = j->type == EIG_D;
    eig_stebz_options const *const o = &j->stebz;
    j->stats = (eig_stemr_stats)EIG_STEMR_STATS;
    if (j->family == COUNTS) /* e is that of n rows, w the shifts */
        return j->typed ? (wide ? eig_dstebz_count(ctx, j->n, j->d, j->e, j->most, j->lower, j->m, j->info)
                                : eig_sstebz_count(ctx, j->n, j->d, j->e, j->most, j->lower, j->m, j->info))
                        : eig_stebz_count(ctx, j->type, j->n, j->d, j->e, j->most, j->lower, j->m, j->info);
#define STEBZ_ONE j->n, j->d, j->e, j->m, j->w, j->lower, j->upper, j->info
#define STEBZ_MANY j->n, j->d, j->stride_d, j->e, j->stride_e, j->w, j->lower, j->upper, j->stride_w, j->info, j->batch
#define STEMR_ONE \
    &j->stemr, j->n, j->d, j->e, j->m, j->w, j->z, j->ldz, j->isuppz, j->info, j->residual, j->orthogonality, j->told
#define STEMR_MANY                                                                                             \
    &j->stemr, j->n, j->d, j->stride_d, j->e, j->stride_e, j->m, j->w, j->stride_w, j->z, j->ldz, j->stride_z, \
        j->isuppz, j->info, j->residual, j->orthogonality, j->told, j->batch
    if (j->family == STEBZ && j->one)
        return !j->typed ? eig_stebz(ctx, j->type, o, STEBZ_ONE)
               : wide    ? eig_dstebz(ctx, o, STEBZ_ONE)
                         : eig_sstebz(ctx, o, STEBZ_ONE);
    if (j->family == STEBZ)
        return !j->typed ? eig_stebz_batched(ctx, j->type, o, STEBZ_MANY)
               : wide    ? eig_dstebz_batched(ctx, o, STEBZ_MANY)
                         : eig_sstebz_batched(ctx, o, STEBZ_MANY);
    if (j->one)
        return !j->typed ? eig_stemr(ctx, j->type, STEMR_ONE)
               : wide    ? eig_dstemr(ctx, STEMR_ONE)
                         : eig_sstemr(ctx, STEMR_ONE);
    return !j->typed ? eig_stemr_batched(ctx, j->type, STEMR_MANY)
           : wide    ? eig_dstemr_batched(ctx, STEMR_MANY)
                     : eig_sstemr_batched(ctx, STEMR_MANY);
}

static eig_status size(eig_context *ctx, void *user, size_t *bytes)
{
    const job *const j = user;
    if (j->family == COUNTS) return eig_stebz_count_work_size(ctx, j->type, j->n, j->most, bytes);
    if (j->family == STEMR) return eig_stemr_work_size(ctx, j->type, &j->stemr, j->n, j->z != NULL, bytes);
    return eig_stebz_work_size(ctx, j->type, &j->stebz, j->n, j->batch, bytes);
}

/* d[i] and e[i] of matrix b. */
static void entry(const int *row, const job *j, int64_t b, int64_t i, double *d, double *e)
{
    int const kind = row[F_KIND], power = crossed_power(row, j->type);
    *d = crossed_random(b, i, 1, 0), *e = crossed_random(b, i, 2, 0);
    if (kind == KIND_SPLIT && i % 11 == 4) *e = i % 2 ? 0 : 1e-30;
    if (kind == KIND_DIAGONAL) *e = 0;
    if (kind == KIND_CLUSTERS) *d = fabs(10.0 - (double)(i % 21)) + 0.0625 * (double)b, *e = i % 21 == 20 ? 1e-9 : 1;
    double *const bad = kind % 2 && j->n > 1 ? e : d;
    if (b == crossed_bad(row, j->batch) && i == (j->n - 1) / 2) *bad = crossed_poison(row);
    *d = ldexp(*d, power), *e = ldexp(*e, power);
}

/* ---------------------------------------------------------------- reference */

typedef struct plain {
    numbers d, e, w, z, lower, upper, residual, orthogonality;
    int *info;
    int64_t *isuppz;
    eig_stemr_stats stats;
} plain;

static void free_plain(plain *p)
{
    numbers *const all[] = {&p->d, &p->e, &p->w, &p->z, &p->lower, &p->upper, &p->residual, &p->orthogonality};
    for (int k = 0; k < SIZE(all); ++k) numbers_free(all[k]);
    free(p->info), free(p->isuppz);
}

/* Eigenvalues below x: signs of pivots of T - x, in long double. */
static int64_t below(const job *j, const plain *p, double up, long double x)
{
    long double q = 1;
    int64_t count = 0;
    for (int64_t i = 0; i < j->n; ++i) {
        long double const e = i > 0 ? (long double)numbers_part(&p->e, i - 1) * (long double)up : 0;
        q = (long double)numbers_part(&p->d, i) * (long double)up - x - (i > 0 ? e * e / q : 0);
        if (fabsl(q) < 1e-300L) q = -1e-300L;
        count += q < 0;
    }
    return count;
}

static void certify(const crossed *c, const job *j, const plain *p)
{
    int64_t const n = j->n;
    double const up = ldexp(1, -crossed_power(c->row, j->type)), eps = type_eps(j->type);
    double norm = 0, most = 0;
    for (int64_t i = 0; i < n; ++i) {
        double const e = i + 1 < n ? fabs(numbers_part(&p->e, i)) : 0, f = i > 0 ? fabs(numbers_part(&p->e, i - 1)) : 0;
        norm = fmax(norm, (fabs(numbers_part(&p->d, i)) + e + f) * up);
    }
    for (int64_t k = 0; k < n; ++k) {
        double const w = numbers_part(&p->w, k) * up, error = 4 * eps * norm + 1e-290;
        if (below(j, p, up, (long double)w - error) > k || below(j, p, up, (long double)w + error) <= k)
            CROSSED_FAIL(c, "the plain call: w[%lld] = %g is no eigenvalue", (long long)k, w);
        if (k > 0 && !(numbers_part(&p->w, k - 1) <= numbers_part(&p->w, k))) CROSSED_FAIL(c, "w does not ascend");
        if (j->family == STEBZ) {
            double const low = numbers_part(&p->lower, k) * up, high = numbers_part(&p->upper, k) * up;
            double const wide = (c->row[F_ABSTOL] ? 2e-3 * norm : 0) + 16 * eps * norm;
            if (!(low <= w && w <= high && (norm == 0 || high - low <= wide)))
                CROSSED_FAIL(c, "w[%lld] in [%g, %g]: %g", (long long)k, low, high, w);
        }
    }
    if (j->family != STEMR) return;
    for (int64_t k = 0; k < n; ++k) {
        double residual = 0;
        int64_t const first = p->isuppz[2 * k] - 1, last = p->isuppz[2 * k + 1] - 1;
        if (first < 0 || last >= n || first > last)
            CROSSED_FAIL(c, "support %lld to %lld", (long long)first, (long long)last);
        for (int64_t i = 0; i < n; ++i) {
            double r = (numbers_part(&p->d, i) * up - numbers_part(&p->w, k) * up) * numbers_part(&p->z, i + k * n);
            if (i > 0) r += numbers_part(&p->e, i - 1) * up * numbers_part(&p->z, i - 1 + k * n);
            if (i + 1 < n) r += numbers_part(&p->e, i) * up * numbers_part(&p->z, i + 1 + k * n);
            residual = hypot(residual, r);
            if ((i < first || i > last) && numbers_part(&p->z, i + k * n) != 0)
                CROSSED_FAIL(c, "outside of the support");
        }
        double const told = numbers_part(&p->residual, k) * up;
        double const least = (type_is_single(j->type) ? 0x1p-149 : 0x1p-1074) * up; /* a subnormal's step */
        double const doubt = 0.1 * residual + 8 * eps * eps * norm + 3 * DBL_EPSILON * norm + least;
        if (!(residual <= 10 * (double)n * eps * norm + least && fabs(told - residual) <= doubt))
            CROSSED_FAIL(c, "residual %g, told %g, norm %g", residual, told, norm);
        for (int64_t l = 0; l <= k; ++l) {
            double dot = -(double)(l == k);
            for (int64_t i = 0; i < n; ++i) dot += numbers_part(&p->z, i + k * n) * numbers_part(&p->z, i + l * n);
            most = fmax(most, fabs(dot));
        }
    }
    double const told = numbers_part(&p->orthogonality, 0);
    if (!(most <= 10 * (double)n * eps && told <= 3 * (double)n * most + 4 * eps + 1e-14 &&
          8 * told + 4 * eps >= most / sqrt((double)n)))
        CROSSED_FAIL(c, "orthogonality %g, told %g", most, told);
}

static plain solve_plain(const crossed *c, const job *j, int64_t b)
{
    int64_t const n = j->n;
    plain p = {.info = calloc((size_t)n, sizeof *p.info), .isuppz = calloc((size_t)n, 2 * sizeof *p.isuppz)};
    numbers *const all[] = {&p.d, &p.e, &p.w, &p.lower, &p.upper, &p.residual};
    bool made = p.info && p.isuppz && numbers_make(&p.z, j->type, n * n) && numbers_make(&p.orthogonality, j->type, 1);
    for (int k = 0; k < SIZE(all); ++k) made = made && numbers_make(all[k], j->type, n);
    if (!made) fail_msg("no memory");
    for (int64_t i = 0; i < n; ++i) {
        double d, e;
        entry(c->row, j, b, i, &d, &e);
        numbers_put_part(&p.d, i, d), numbers_put_part(&p.e, i, e);
    }
    eig_stebz_options stebz = j->stebz;
    eig_stemr_options stemr = j->stemr;
    stebz.range = stemr.range = EIG_RANGE_ALL;
    p.stats = (eig_stemr_stats)EIG_STEMR_STATS;
    bool const bad = b == crossed_bad(c->row, j->batch);
    eig_status const status = j->family == STEMR ? eig_stemr(crossed_plain, j->type, &stemr, n, p.d.data, p.e.data,
                                                             NULL, p.w.data, j->z ? p.z.data : NULL, n, p.isuppz,
                                                             p.info, p.residual.data, p.orthogonality.data, &p.stats)
                                                 : eig_stebz(crossed_plain, j->type, &stebz, n, p.d.data, p.e.data,
                                                             NULL, p.w.data, p.lower.data, p.upper.data, p.info);
    if (status != EIG_OK) CROSSED_FAIL(c, "the plain call: %s", eig_error_detail(crossed_plain));
    if (p.info[0] != (bad ? EIG_INFO_NOT_FINITE : 0)) CROSSED_FAIL(c, "the plain call: info %d", p.info[0]);
    if (!bad && n <= 130 && (j->family != STEMR || j->z) && !(j->family != STEMR && c->row[F_ABSTOL]))
        certify(c, j, &p);
    return p;
}

/* ------------------------------------------------------------------ the call */

static void set_range(const int *row, job *j, const plain *first)
{
    int64_t const n = j->n;
    eig_stemr_options *const o = &j->stemr;
    j->most = n;
    if (row[F_RANGE] == RANGE_MIDDLE || row[F_RANGE] == RANGE_LAST) {
        o->range = EIG_RANGE_INDEX;
        o->il = row[F_RANGE] == RANGE_LAST ? n : n / 3 + 1, o->iu = row[F_RANGE] == RANGE_LAST ? n : n - n / 4;
        j->most = o->iu - o->il + 1;
    } else if (row[F_RANGE] >= RANGE_VALUES) {
        double const low = numbers_part(&first->w, n / 4), high = numbers_part(&first->w, n - 1 - n / 5);
        bool const usable = isfinite(low) && isfinite(high);
        o->range = EIG_RANGE_VALUE;
        o->vl = usable ? low : -1, o->vu = usable ? high : 1;
        if (usable) /* which lie in it counts decide: away from eigenvalues there is no doubt */
            o->vl -= 64 * type_eps(j->type) * fmax(fabs(low), fabs(high)),
                o->vu += 64 * type_eps(j->type) * fmax(fabs(low), fabs(high));
        if (o->vu <= o->vl) o->vu = o->vl + fabs(o->vl) + DBL_MIN;
        if (row[F_RANGE] == RANGE_BELOW) o->vl = -INFINITY;
        if (row[F_RANGE] == RANGE_NONE) o->vl = ldexp(1, crossed_power(row, j->type)) * 1e5, o->vu = INFINITY;
    }
    j->stebz.range = o->range, j->stebz.il = o->il, j->stebz.iu = o->iu, j->stebz.vl = o->vl, j->stebz.vu = o->vu;
}

static void want_results(crossed *c, const job *j, int64_t b, const plain *p)
{
    image *const x = c->image;
    int64_t const n = j->n;
    bool const by_value = j->stemr.range == EIG_RANGE_VALUE, bad = b == crossed_bad(c->row, j->batch);
    int64_t first = j->stemr.range == EIG_RANGE_INDEX ? j->stemr.il - 1 : 0, count = j->most;
    if (by_value && !bad) {
        /* counts decide, not w */
        double const up = ldexp(1, -crossed_power(c->row, j->type));
        first = isinf(j->stemr.vl) ? 0 : below(j, p, up, (long double)j->stemr.vl * (long double)up);
        count = (isinf(j->stemr.vu) ? n : below(j, p, up, (long double)j->stemr.vu * (long double)up)) - first;
    }
    image_want_whole(&x[M], b, bad ? 0 : count);
    if (j->family == STEBZ) image_want_whole(&x[INFO], b, p->info[0]);
    for (int64_t k = 0; k < count; ++k) {
        int64_t const at = k + b * j->stride_w, from = first + k;
        image_want(&x[W], at, numbers_at(&p->w, from));
        image_want(&x[LOWER], at, numbers_at(&p->lower, from));
        image_want(&x[UPPER], at, numbers_at(&p->upper, from));
        if (j->family == STEBZ) continue;
        image_want_whole(&x[INFO], at, p->info[from]);
        if (!j->z) continue;
        image_want(&x[RESIDUAL], at, numbers_at(&p->residual, from));
        image_want_whole(&x[SUPPORT], 2 * at, p->isuppz[2 * from]);
        image_want_whole(&x[SUPPORT], 2 * at + 1, p->isuppz[2 * from + 1]);
        for (int64_t i = 0; i < n; ++i)
            image_want(&x[Z], i + k * j->ldz + b * j->stride_z, numbers_at(&p->z, i + from * n));
    }
    if (j->family == STEMR && j->z && (count == n || bad))
        image_want(&x[ORTHOGONALITY], b, numbers_at(&p->orthogonality, 0));
}

/* How many lie below each of some shifts: eigenvalues, numbers between, and beyond. */
static void want_counts(crossed *c, const job *j, const plain *p)
{
    bool const bad = 0 == crossed_bad(c->row, 1);
    double const up = ldexp(1, -crossed_power(c->row, j->type));
    for (int64_t k = 0; k < j->most; ++k) {
        double const x = k == 0   ? -INFINITY
                         : k == 1 ? INFINITY
                                  : ldexp(3 * crossed_random(k, 5, 5, 0), crossed_power(c->row, j->type));
        char element[8];
        type_put(j->type, element, 0, x);
        image_hold(&c->image[LOWER], k, element);
        long double const at = (long double)type_get(j->type, element, 0) * (long double)up;
        image_want_whole(&c->image[M], k, bad ? -1 : k == 0 ? 0 : k == 1 ? j->n : below(j, p, up, at));
    }
    image_want_whole(&c->image[INFO], 0, bad ? EIG_INFO_NOT_FINITE : 0);
}

static void make_arrays(crossed *c, job *j)
{
    const int *const row = c->row;
    int64_t const n = j->n, batch = j->batch, pad = row[F_PAD], out = row[F_OUT_PAD], counts = j->family == COUNTS;
    /* Several devices estimate orthogonality each of its own vectors. */
    bool const stemr = j->family == STEMR, stebz = j->family == STEBZ, bounds = stebz && row[F_BOUNDS];
    eig_type const t = j->type;
    j->stride_d = n + 3 * pad, j->stride_e = n - 1 + 2 * pad, j->stride_w = j->most + 4 * out;
    j->ldz = n + 2 * out, j->stride_z = j->ldz * j->most + 9 * out;
    int64_t const each = (batch - 1) * j->stride_w + j->most;
    crossed_array(c, "d", (batch - 1) * j->stride_d + n, j->size, t, IMAGE_IN);
    crossed_array(c, "e", (batch - 1) * j->stride_e + n - 1, j->size, t, IMAGE_IN);
    crossed_output(c, !counts, "w", each, j->size, t);
    crossed_output(c, stemr && row[F_VECTORS], "z", (batch - 1) * j->stride_z + (j->most - 1) * j->ldz + n, j->size, t);
    if (counts)
        crossed_array(c, "x", j->most, j->size, t, IMAGE_IN);
    else
        crossed_output(c, bounds, "lower", each, j->size, t);
    crossed_output(c, bounds, "upper", each, j->size, t);
    crossed_output(c, row[F_INFO], "info", stemr ? each : counts ? 1 : batch, sizeof *j->info, 0);
    crossed_output(c, counts || (row[F_M] && (j->one || stemr)), "m", counts ? j->most : batch, sizeof *j->m, 0);
    crossed_output(c, stemr && row[F_RESIDUAL], "residual", each, j->size, t);
    crossed_output(c, stemr && row[F_ORTHOGONALITY] && !row[F_DEVICE] && j->most == n && row[F_RANGE] < RANGE_VALUES,
                   "orthogonality", batch, j->size, t);
    crossed_output(c, stemr && row[F_SUPPORT], "isuppz", 2 * each, sizeof *j->isuppz, 0);
    for (int64_t k = 0; k < n * batch; ++k) {
        char element[8];
        double d, e;
        entry(row, j, k / n, k % n, &d, &e);
        type_put(t, element, 0, d);
        image_hold(&c->image[D], k % n + k / n * j->stride_d, element);
        type_put(t, element, 0, e);
        if (k % n < n - 1) image_hold(&c->image[E], k % n + k / n * j->stride_e, element);
    }
    const image *const x = c->image;
    j->d = image_at(&x[D]), j->e = image_at(&x[E]), j->w = image_at(&x[W]), j->z = image_at(&x[Z]);
    j->lower = image_at(&x[LOWER]), j->upper = image_at(&x[UPPER]), j->info = image_at(&x[INFO]),
    j->m = image_at(&x[M]);
    j->residual = image_at(&x[RESIDUAL]), j->orthogonality = image_at(&x[ORTHOGONALITY]),
    j->isuppz = image_at(&x[SUPPORT]);
    j->told = stemr && row[F_STATS] ? &j->stats : NULL;
}

static void set_options(const int *row, job *j)
{
    j->stebz = (eig_stebz_options)EIG_STEBZ_OPTIONS, j->stemr = (eig_stemr_options)EIG_STEMR_OPTIONS;
    j->stebz.method = (eig_stebz_method)row[F_METHOD], j->stemr.method = (eig_stemr_method)row[F_METHOD];
    if (row[F_ABSTOL]) j->stebz.abstol = ldexp(1e-3, crossed_power(row, j->type));
}

static void add(eig_stemr_stats *sum, const eig_stemr_stats *one)
{
    sum->blocks = one->blocks > sum->blocks ? one->blocks : sum->blocks;
    sum->depth = one->depth > sum->depth ? one->depth : sum->depth;
    sum->largest_cluster = one->largest_cluster > sum->largest_cluster ? one->largest_cluster : sum->largest_cluster;
    sum->representations += one->representations, sum->clusters += one->clusters, sum->shifts += one->shifts;
    sum->bad_representations += one->bad_representations, sum->skew += one->skew;
    sum->inverse_iterations += one->inverse_iterations, sum->nodes += one->nodes;
}

static void cross(const int *row)
{
    job j = {
        .type = types[row[F_TYPE]], .n = orders[row[F_N]], .batch = batches[row[F_BATCH]], .family = row[F_FAMILY]};
    if (j.family == STEMR_AGAIN) j.family = STEMR;
    static const char *const names[] = {"stebz", "stemr", "stebz_count"};
    crossed c = {names[j.family],
                 row,
                 run,
                 size,
                 &j,
                 .easy = row[F_KIND] != KIND_RANDOM || row[F_RANGE] != RANGE_ALL || j.n <= 8};
    char mark;
    eig_stemr_stats sum = EIG_STEMR_STATS;
    j.size = type_size(j.type), j.one = row[F_FORM] == 1, j.typed = row[F_FORM] == 2 || (j.one && row[F_TIMING]);
    set_options(row, &j);
    j.z = j.family == STEMR && row[F_VECTORS] ? &mark : NULL;
    plain p = solve_plain(&c, &j, 0);
    set_range(row, &j, &p);
    if (j.family == COUNTS) j.most = 2 + 3 * (int64_t)row[F_RANGE];
    make_arrays(&c, &j);
    if (j.family == COUNTS) want_counts(&c, &j, &p);
    for (int64_t b = 0; j.family != COUNTS && b < j.batch; ++b) {
        if (b > 0) free_plain(&p), p = solve_plain(&c, &j, b);
        want_results(&c, &j, b, &p);
        add(&sum, &p.stats);
    }
    free_plain(&p);
    crossed_call(&c);
    sum.size = j.stats.size;
    if (j.told && row[F_RANGE] == RANGE_ALL && (row[F_DEVICE] == 0) && memcmp(&sum, &j.stats, sizeof sum) != 0)
        CROSSED_FAIL(&c, "stats are not those of the matrices: %lld blocks, %lld clusters", (long long)j.stats.blocks,
                     (long long)j.stats.clusters);
    crossed_free(&c);
}

/* ------------------------------------------------------------------- the rows */

static pairs table = {FACTORS, {0}, .mend = mend};

static void test_pairs(void **state)
{
    int const levels[FACTORS] = {
        [F_TYPE] = 2,
        [F_N] = SIZE(orders),
        [F_BATCH] = SIZE(batches),
        [F_SCALE] = 3,
        [F_BAD] = BADS,
        [F_DEVICE] = 2,
        [F_THREADS] = 2,
        [F_WORK] = WORKS,
        [F_TIMING] = 2,
        [F_PROGRESS] = PROGRESSES,
        [F_PAD] = 2,
        [F_SHIFT] = 2,
        [F_FAMILY] = FAMILIES,
        [F_FORM] = 3,
        [F_KIND] = KINDS,
        [F_RANGE] = RANGES,
        [F_METHOD] = 3,
        [F_OUT_PAD] = 2,
        [F_VECTORS] = 2,
        [F_BOUNDS] = 2,
        [F_INFO] = 2,
        [F_M] = 2,
        [F_RESIDUAL] = 2,
        [F_ORTHOGONALITY] = 2,
        [F_SUPPORT] = 2,
        [F_STATS] = 2,
        [F_ABSTOL] = 2,
    };
    (void)state;
    memcpy(table.levels, levels, sizeof levels);
    for (int round = 0; round < 2; ++round) {
        if (!pairs_make(&table, 2400 + (uint64_t)round)) fail_msg("too many rows");
        print_message("%d rows, %d pairs do not go together\n", table.rows, table.impossible);
        for (int r = 0; r < table.rows; ++r) cross(table.row[r]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs)};
    crossed_open();
    int const failed = cmocka_run_group_tests(tests, NULL, NULL);
    crossed_close();
    return failed;
}
