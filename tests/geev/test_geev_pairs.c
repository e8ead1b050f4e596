/* geev on a CPU and on several: all options crossed by twos, of matrices, affine families and Schur forms.  The reference is the
 * plain call, a matrix at a time, which is itself held against residuals and traces. */
#define _POSIX_C_SOURCE 200809L
#include "support/crossed.h"

#include <complex.h>
#undef complex /* a type's name here */
#include <float.h>

enum {
    F_LAYOUT = F_COMMON,
    F_FAMILY,
    F_FORM,
    F_LEFT,
    F_RIGHT,
    F_CONDITION,
    F_INFO,
    F_METHOD,
    F_BALANCE,
    F_EARLY,
    F_OUT_PAD,
    F_MEASURE,
    F_PARAMETERS,
    F_ROW_MAJOR,
    FACTORS
};
enum { MATRICES, AFFINE, SCHUR };
enum {
    A,
    X,
    W,
    LEFT,
    RIGHT,
    CONDITION,
    INFO
}; /* arrays; T and Q of Schur forms are LEFT and RIGHT, values CONDITION */

static eig_type const types[] = {EIG_S, EIG_D, EIG_C, EIG_Z};
static int const small_orders[] = {1, 2, 3, 5, 8, 13, 16, 17, 33, 63, 64, 65, 70}, large_orders[] = {129, 200};
static int const small_batches[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 35}, large_batches[] = {1, 2};
static const int *orders, *batches;

static void mend(int *row)
{
    int const batch = batches[row[F_BATCH]];
    crossed_mend(row, batch == 1);
    if (row[F_FAMILY] != MATRICES && row[F_FORM] == 1) row[F_FORM] = 0;
    if (row[F_FAMILY] == AFFINE || (row[F_FORM] == 1 && batch > 1)) row[F_FORM] = row[F_FORM] == 1 ? 0 : row[F_FORM];
    if (row[F_FAMILY] == AFFINE || row[F_FORM] == 1) row[F_LAYOUT] = 0;
    if (row[F_FAMILY] == AFFINE && row[F_BAD] != BAD_NONE && row[F_PARAMETERS] == 0) row[F_BAD] = BAD_NONE;
}

typedef struct job {
    eig_type type, real, complex;
    int family;
    int64_t n, m, batch, lda, stride_a, stride_x, stride_w, ldl, stride_l, ldr, stride_r;
    eig_geev_options o;
    eig_geev_measure measure;
    bool one, typed;
    const void *a, *x;
    void *w, *left, *right, *condition;
    int *info;
} job;

static eig_status run(eig_context *ctx, void *user)
{
    const job *const j = user;
    const eig_geev_options *const o = &j->o;
#define GEEV(l)                                                                                                        \
    (j->family == AFFINE  ? eig_##l##geev_affine(ctx, o, j->n, j->m, j->a, j->lda, j->stride_a, j->x, j->stride_x,     \
                                                 j->w, j->stride_w, j->measure, j->condition, j->info, j->batch)       \
     : j->family == SCHUR ? eig_##l##geev_schur(ctx, o, j->n, j->a, j->lda, j->stride_a, j->w, j->stride_w, j->left,   \
                                                j->ldl, j->stride_l, j->right, j->ldr, j->stride_r, j->info, j->batch) \
     : j->one                                                                                                          \
         ? eig_##l##geev(ctx, o, j->n, j->a, j->lda, j->w, j->left, j->ldl, j->right, j->ldr, j->condition, j->info)   \
         : eig_##l##geev_batched(ctx, o, j->n, j->a, j->lda, j->stride_a, j->w, j->stride_w, j->left, j->ldl,          \
                                 j->stride_l, j->right, j->ldr, j->stride_r, j->condition, j->info, j->batch))
    if (j->typed) return j->type == EIG_S ? GEEV(s) : j->type == EIG_D ? GEEV(d) : j->type == EIG_C ? GEEV(c) : GEEV(z);
    if (j->family == AFFINE)
        return eig_geev_affine(ctx, j->type, o, j->n, j->m, j->a, j->lda, j->stride_a, j->x, j->stride_x, j->w,
                               j->stride_w, j->measure, j->condition, j->info, j->batch);
    if (j->family == SCHUR)
        return eig_geev_schur(ctx, j->type, o, j->n, j->a, j->lda, j->stride_a, j->w, j->stride_w, j->left, j->ldl,
                              j->stride_l, j->right, j->ldr, j->stride_r, j->info, j->batch);
    if (j->one)
        return eig_geev(ctx, j->type, o, j->n, j->a, j->lda, j->w, j->left, j->ldl, j->right, j->ldr, j->condition,
                        j->info);
    return eig_geev_batched(ctx, j->type, o, j->n, j->a, j->lda, j->stride_a, j->w, j->stride_w, j->left, j->ldl,
                            j->stride_l, j->right, j->ldr, j->stride_r, j->condition, j->info, j->batch);
}

static eig_status size(eig_context *ctx, void *user, size_t *bytes)
{
    const job *const j = user;
    bool const vectors = j->family == SCHUR || (j->family == MATRICES && (j->left || j->right || j->condition));
    return eig_geev_work_size(ctx, j->type, &j->o, j->n, vectors, j->batch, bytes);
}

/* Entry (i, k) of matrix b, of a family too: a full one, triangular, or with zero rows; a permuted one to balance. */
static void entry(const int *row, const job *j, int64_t b, int64_t i, int64_t k, double *z)
{
    int const kind = (int)(b % 4),
              power = crossed_power(row, j->type) - (j->family == AFFINE && row[F_SCALE] == 1 ? 4 : 0);
    z[0] = crossed_random(b, i, k, 0), z[1] = crossed_random(b, i, k, 1);
    if (kind == 1 && i > k && j->family != AFFINE) z[0] = z[1] = 0;
    if (kind == 2 && i == j->n / 3 && i != k) z[0] = z[1] = 0;
    if (kind == 3 && i % 3 == 1) z[0] *= 16, z[1] *= 16;
    if (j->family != AFFINE && b == crossed_bad(row, j->batch) && i == j->n - 1 && k == j->n / 2)
        z[0] = crossed_poison(row);
    z[0] = ldexp(z[0], power), z[1] = type_is_complex(j->type) ? ldexp(z[1], power) : 0;
}

static void parameter(const int *row, const job *j, int64_t b, int64_t k, double *z)
{
    z[0] = crossed_random(b, k, 77, 0), z[1] = type_is_complex(j->type) ? crossed_random(b, k, 77, 1) : 0;
    if (b == crossed_bad(row, j->batch) && k == j->m - 1) z[0] = crossed_poison(row);
}

static void put(eig_type type, void *element, const double *z)
{
    type_put(type, element, 0, z[0]);
    if (type_is_complex(type)) type_put(type, element, 1, z[1]);
}

static int64_t place(const job *j, int64_t b, int64_t row, int64_t column)
{
    int64_t const i = j->o.row_major ? column : row, k = j->o.row_major ? row : column;
    return j->o.layout == EIG_LAYOUT_ELEMENT_WISE ? (i * j->lda + k) * j->stride_a + b
           : j->o.layout == EIG_LAYOUT_ROW_WISE   ? i * j->stride_a + b * j->lda + k
                                                  : i + k * j->lda + b * j->stride_a;
}

static void fill_input(const int *row, const job *j, image *a, image *x)
{
    char element[16];
    double z[2];
    int64_t const n = j->n;
    for (int64_t b = 0; b < (j->family == AFFINE ? j->m + 1 : j->batch); ++b)
        for (int64_t e = 0; e < n * n; ++e) {
            entry(row, j, b, e % n, e / n, z);
            put(j->type, element, z);
            image_hold(a, place(j, b, e % n, e / n), element);
        }
    for (int64_t k = 0; j->family == AFFINE && k < j->m * j->batch; ++k) {
        parameter(row, j, k / j->m, k % j->m, z);
        put(j->type, element, z);
        image_hold(x, k % j->m + k / j->m * j->stride_x, element);
    }
}

/* ---------------------------------------------------------------- reference */

typedef struct plain {
    numbers a, w, left, right, condition;
    int info;
} plain;

/* A product or a sum, rounded to the type. */
static double rounded(const job *j, double x)
{
    double volatile const wide = x;
    float volatile const narrow = (float)wide;
    return type_is_single(j->type) ? (double)narrow : wide;
}

/* A(x), each product and each sum rounded; a complex product from four rounded ones. */
static void form(const int *row, const job *j, int64_t b, numbers *a)
{
    for (int64_t e = 0; e < j->n * j->n; ++e) {
        char element[16];
        double sum[2] = {0, 0}, z[2], x[2];
        for (int64_t k = 0; k <= (j->family == AFFINE ? j->m : 0); ++k) {
            entry(row, j, j->family == AFFINE ? k : b, e % j->n, e / j->n, z);
            put(j->type, element, z);
            z[0] = type_get(j->type, element, 0), z[1] = type_is_complex(j->type) ? type_get(j->type, element, 1) : 0;
            if (k == 0) {
                sum[0] = z[0], sum[1] = z[1];
                continue;
            }
            parameter(row, j, b, k - 1, x);
            put(j->type, element, x);
            x[0] = type_get(j->type, element, 0), x[1] = type_is_complex(j->type) ? type_get(j->type, element, 1) : 0;
            double const re = rounded(j, x[0] * z[0]), cross = rounded(j, x[1] * z[1]);
            double const im = rounded(j, x[0] * z[1]), other = rounded(j, x[1] * z[0]);
            bool const complex = type_is_complex(j->type);
            sum[0] = rounded(j, sum[0] + (complex ? rounded(j, re - cross) : re));
            sum[1] = rounded(j, sum[1] + rounded(j, im + other));
        }
        put(j->type, numbers_at(a, e), sum);
    }
}

static double _Complex number(const numbers *x, int64_t k, double up)
{
    return numbers_re(x, k) * up + numbers_im(x, k) * up * _Complex_I;
}

/* Traces of A and of its square; residuals of vectors, or of Schur forms. */
static void certify(const crossed *c, const job *j, const plain *p)
{
    int64_t const n = j->n;
    double const up = ldexp(1, -crossed_power(c->row, j->type));
    double norm = 0, worst = 0, most = 0;
    double _Complex trace = 0, square = 0, sum = 0, squares = 0;
    for (int64_t e = 0; e < n * n; ++e) {
        double _Complex const z = number(&p->a, e, up);
        norm = hypot(norm, cabs(z)), square += z * number(&p->a, e / n + e % n * n, up);
        if (e % n == e / n) trace += z;
    }
    for (int64_t k = 0; k < n; ++k) {
        double _Complex const w = number(&p->w, k, up);
        sum += w, squares += w * w, most = fmax(most, cabs(w));
    }
    double const bound = 100 * (double)n * type_eps(j->type) * norm;
    if (!(cabs(trace - sum) <= bound && cabs(square - squares) <= 2 * bound * norm))
        CROSSED_FAIL(c, "the plain call: traces differ by %g and %g, norm %g", cabs(trace - sum),
                     cabs(square - squares), norm);
    for (int64_t k = 0; (j->left || j->right || j->condition) && k < n; ++k)
        for (int64_t i = 0; i < n; ++i) {
            double _Complex right = 0, left = 0;
            for (int64_t l = 0; l < n; ++l) {
                double _Complex const a = number(&p->a, i + l * n, up), x = number(&p->right, l + k * n, 1);
                right += a * x;
                if (j->family == SCHUR) right -= number(&p->right, i + l * n, 1) * number(&p->left, l + k * n, up);
                if (j->family != SCHUR) left += conj(number(&p->a, l + i * n, up)) * number(&p->left, l + k * n, 1);
            }
            double _Complex const w = number(&p->w, k, up);
            if (j->family == MATRICES)
                right -= w * number(&p->right, i + k * n, 1), left -= conj(w) * number(&p->left, i + k * n, 1);
            worst = fmax(worst, fmax(cabs(right), cabs(left)));
        }
    if (!(worst <= bound)) CROSSED_FAIL(c, "the plain call: residual %g of %g", worst, bound);
}

static plain solve_plain(const crossed *c, const job *j, int64_t b)
{
    plain p;
    int64_t const n = j->n;
    eig_geev_options o = j->o;
    eig_type const vectors = j->family == SCHUR ? j->type : j->complex;
    o.layout = EIG_LAYOUT_MATRIX_WISE, o.row_major = 0;
    if (!numbers_make(&p.a, j->type, n * n) || !numbers_make(&p.w, j->complex, n) ||
        !numbers_make(&p.left, vectors, n * n) || !numbers_make(&p.right, vectors, n * n) ||
        !numbers_make(&p.condition, j->real, n))
        fail_msg("no memory");
    form(c->row, j, b, &p.a);
    bool const all = j->family == MATRICES && (j->left || j->right || j->condition);
    eig_status const status =
        j->family == SCHUR ? eig_geev_schur(crossed_plain, j->type, &o, n, p.a.data, n, n * n, p.w.data, n, p.left.data,
                                            n, n * n, p.right.data, n, n * n, &p.info, 1)
                           : eig_geev(crossed_plain, j->type, &o, n, p.a.data, n, p.w.data, all ? p.left.data : NULL, n,
                                      all ? p.right.data : NULL, n, all ? p.condition.data : NULL, &p.info);
    if (status != EIG_OK) CROSSED_FAIL(c, "the plain call: %s", eig_error_detail(crossed_plain));
    bool const bad = b == crossed_bad(c->row, j->batch);
    if ((p.info == EIG_INFO_NOT_FINITE) != bad) CROSSED_FAIL(c, "the plain call: info %d", p.info);
    if (!bad && o.max_steps == 0 && p.info != 0) CROSSED_FAIL(c, "the plain call: info %d", p.info);
    if (p.info == 0 && n <= 70) certify(c, j, &p);
    return p;
}

static void free_plain(plain *p)
{
    numbers_free(&p->a), numbers_free(&p->w), numbers_free(&p->left), numbers_free(&p->right),
        numbers_free(&p->condition);
}

/* ------------------------------------------------------------------ the call */

/* Of a point's eigenvalues; in the type's precision within some eps. */
static double measure_of(const job *j, const plain *p)
{
    if (p->info != 0) return NAN;
    double value = j->measure == EIG_GEEV_DAMPING ? INFINITY : -INFINITY;
    for (int64_t k = 0; k < j->n; ++k) {
        double const re = numbers_re(&p->w, k), im = numbers_im(&p->w, k);
        int power = 0;
        frexp(fmax(fabs(re), fabs(im)), &power);
        double const size = hypot(ldexp(re, -power), ldexp(im, -power));
        if (j->measure == EIG_GEEV_RADIUS) value = fmax(value, ldexp(size, power));
        if (j->measure == EIG_GEEV_DAMPING) value = fmin(value, size > 0 ? -ldexp(re, -power) / size : -1);
        if (j->measure == EIG_GEEV_ABSCISSA) value = fmax(value, re);
    }
    return value;
}

static void want_results(crossed *c, const job *j, int64_t b, const plain *p)
{
    int64_t const n = j->n;
    for (int64_t k = 0; k < n; ++k) {
        image_want(&c->image[W], k + b * j->stride_w, numbers_at(&p->w, k));
        if (j->family == MATRICES) image_want(&c->image[CONDITION], k + b * j->stride_w, numbers_at(&p->condition, k));
        for (int64_t i = 0; j->family != AFFINE && i < n; ++i) {
            image_want(&c->image[LEFT], i + k * j->ldl + b * j->stride_l, numbers_at(&p->left, i + k * n));
            image_want(&c->image[RIGHT], i + k * j->ldr + b * j->stride_r, numbers_at(&p->right, i + k * n));
        }
    }
    if (j->family == AFFINE) {
        char element[8];
        type_put(j->real, element, 0, measure_of(j, p));
        image_want(&c->image[CONDITION], b, element);
    }
    image_want_whole(&c->image[INFO], b, p->info);
}

/* The measures may differ from those made here by rounding: where they are near they become what is wanted. */
static eig_status run_near(eig_context *ctx, void *user);

typedef struct near {
    job *j;
    image *value;
} near;

static eig_status run_near(eig_context *ctx, void *user)
{
    const near *const u = user;
    eig_status const status = run(ctx, u->j);
    for (int64_t b = 0; status == EIG_OK && u->j->condition && u->j->family == AFFINE && b < u->j->batch; ++b) {
        double const got = type_get(u->j->real, u->j->condition, b),
                     want = type_get(u->j->real, u->value->want + u->value->first, b);
        if (fabs(got - want) <= 4 * type_eps(u->j->type) * fabs(want)) type_put(u->j->real, u->j->condition, b, want);
    }
    return status;
}

static eig_status size_near(eig_context *ctx, void *user, size_t *bytes)
{
    return size(ctx, ((const near *)user)->j, bytes);
}

static void set_options(const int *row, job *j)
{
    static eig_layout const layouts[] = {EIG_LAYOUT_MATRIX_WISE, EIG_LAYOUT_ELEMENT_WISE, EIG_LAYOUT_ROW_WISE};
    static eig_geev_method const methods[] = {EIG_GEEV_AUTO, EIG_GEEV_SWB, EIG_GEEV_REFERENCE};
    static eig_geev_measure const measures[] = {EIG_GEEV_ABSCISSA, EIG_GEEV_RADIUS, EIG_GEEV_DAMPING};
    j->o = (eig_geev_options)EIG_GEEV_OPTIONS;
    j->o.layout = layouts[row[F_LAYOUT]], j->o.method = methods[row[F_METHOD]];
    j->o.row_major = row[F_ROW_MAJOR];
    j->o.no_balance = row[F_BALANCE], j->o.max_steps = row[F_EARLY] ? 1 : 0;
    j->measure = measures[row[F_MEASURE]];
    int64_t const n = j->n, pad = row[F_PAD], out = row[F_OUT_PAD];
    j->m = j->family == AFFINE ? row[F_PARAMETERS] : 0;
    j->lda = n + 3 * pad;
    j->stride_a = j->o.layout == EIG_LAYOUT_ELEMENT_WISE ? j->batch + 2 * pad
                  : j->o.layout == EIG_LAYOUT_ROW_WISE   ? j->lda * j->batch + 5 * pad
                                                         : j->lda * n + 7 * pad;
    j->stride_x = j->m + 2 * pad, j->stride_w = n + 4 * out;
    j->ldl = n + 2 * out, j->stride_l = j->ldl * n + 9 * out, j->ldr = n + 5 * out, j->stride_r = j->ldr * n + 3 * out;
}

static void make_arrays(crossed *c, job *j)
{
    const int *const row = c->row;
    int64_t const n = j->n, batch = j->batch, members = j->family == AFFINE ? j->m + 1 : batch;
    eig_type const vectors = j->family == SCHUR ? j->type : j->complex;
    bool const affine = j->family == AFFINE;
    int64_t const last = j->o.layout == EIG_LAYOUT_MATRIX_WISE ? (members - 1) * j->stride_a + (n - 1) * j->lda + n
                         : j->o.layout == EIG_LAYOUT_ROW_WISE  ? (n - 1) * j->stride_a + (batch - 1) * j->lda + n
                                                               : ((n - 1) * j->lda + n - 1) * j->stride_a + batch;
    crossed_array(c, "a", last, type_size(j->type), j->real, IMAGE_IN);
    if (affine && j->m > 0)
        crossed_array(c, "x", (batch - 1) * j->stride_x + j->m, type_size(j->type), j->real, IMAGE_IN);
    else
        crossed_output(c, false, "x", 0, 0, 0);
    bool const values = !affine || !row[F_CONDITION] || row[F_LEFT];
    crossed_output(c, values, "w", (batch - 1) * j->stride_w + n, type_size(j->complex), j->real);
    crossed_output(c, !affine && row[F_LEFT], "vl", (batch - 1) * j->stride_l + (n - 1) * j->ldl + n,
                   type_size(vectors), j->real);
    crossed_output(c, !affine && row[F_RIGHT], "vr", (batch - 1) * j->stride_r + (n - 1) * j->ldr + n,
                   type_size(vectors), j->real);
    crossed_output(c, j->family != SCHUR && row[F_CONDITION], affine ? "value" : "condition",
                   affine ? batch : (batch - 1) * j->stride_w + n, type_size(j->real), j->real);
    crossed_output(c, row[F_INFO], "info", batch, sizeof *j->info, 0);
    fill_input(row, j, &c->image[A], &c->image[X]);
    j->a = image_at(&c->image[A]), j->x = image_at(&c->image[X]), j->w = image_at(&c->image[W]);
    j->left = image_at(&c->image[LEFT]), j->right = image_at(&c->image[RIGHT]);
    j->condition = image_at(&c->image[CONDITION]), j->info = image_at(&c->image[INFO]);
}

static void cross(const int *row)
{
    job j = {
        .type = types[row[F_TYPE]], .n = orders[row[F_N]], .batch = batches[row[F_BATCH]], .family = row[F_FAMILY]};
    near user = {&j, NULL};
    crossed c = {"geev", row, run_near, size_near, &user, .easy = false};
    user.value = &c.image[CONDITION];
    j.real = type_real_of(j.type), j.complex = type_complex_of(j.type);
    j.one = row[F_FORM] == 1, j.typed = row[F_FORM] == 2 || (j.one && row[F_TIMING]);
    set_options(row, &j);
    make_arrays(&c, &j);
    for (int64_t b = 0; b < j.batch; ++b) {
        plain p = solve_plain(&c, &j, b);
        want_results(&c, &j, b, &p);
        free_plain(&p);
    }
    char road[32];
    snprintf(road, sizeof road, "%s", eig_get_road(crossed_plain));
    crossed_call(&c);
    if (row[F_DEVICE] == 0 && strcmp(road, eig_get_road(crossed_on[0])) != 0)
        CROSSED_FAIL(&c, "road \"%s\", of one matrix \"%s\"", eig_get_road(crossed_on[0]), road);
    crossed_free(&c);
}

/* ------------------------------------------------------------------- the rows */

static pairs table = {FACTORS, {0}, .mend = mend};

static void cross_all(const int *n, int orders_of, const int *batch, int batches_of, int rounds)
{
    int const levels[FACTORS] = {
        [F_TYPE] = 4,      [F_N] = orders_of, [F_BATCH] = batches_of, [F_SCALE] = 3,   [F_BAD] = BADS,
        [F_DEVICE] = 2,    [F_THREADS] = 2,   [F_WORK] = WORKS,       [F_TIMING] = 2,  [F_PROGRESS] = PROGRESSES,
        [F_PAD] = 2,       [F_SHIFT] = 2,     [F_LAYOUT] = 3,         [F_FAMILY] = 3,  [F_FORM] = 3,
        [F_LEFT] = 2,      [F_RIGHT] = 2,     [F_CONDITION] = 2,      [F_INFO] = 2,    [F_METHOD] = 3,
        [F_BALANCE] = 2,   [F_EARLY] = 2,     [F_OUT_PAD] = 2,        [F_MEASURE] = 3, [F_PARAMETERS] = 3,
        [F_ROW_MAJOR] = 2,
    };
    memcpy(table.levels, levels, sizeof levels);
    orders = n, batches = batch;
    for (int round = 0; round < rounds; ++round) {
        if (!pairs_make(&table, 240 + (uint64_t)round)) fail_msg("too many rows");
        print_message("%d rows, %d pairs do not go together\n", table.rows, table.impossible);
        for (int r = 0; r < table.rows; ++r) cross(table.row[r]);
    }
}

#define SIZE(array) (int)(sizeof(array) / sizeof *(array))

static void test_small(void **state)
{
    (void)state;
    cross_all(small_orders, SIZE(small_orders), small_batches, SIZE(small_batches), 1);
}

static void test_large(void **state)
{
    (void)state;
    cross_all(large_orders, SIZE(large_orders), large_batches, SIZE(large_batches), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_large)};
    crossed_open();
    int const failed = cmocka_run_group_tests(tests, NULL, NULL);
    crossed_close();
    return failed;
}
