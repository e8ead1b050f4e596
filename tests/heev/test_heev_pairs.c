/* heev on a CPU and on several: all options crossed by twos.  The reference is the plain call, a matrix at a time, which is itself
 * held against residual, orthogonality and traces. */
#define _POSIX_C_SOURCE 200809L
#include "support/crossed.h"

#include <float.h>

enum {
    F_LAYOUT = F_COMMON,
    F_UPLO,
    F_ROW_MAJOR,
    F_RANGE,
    F_VECTORS,
    F_INFO,
    F_SWEEPS,
    F_M,
    F_METHOD,
    F_EARLY,
    F_PARTS,
    F_FORM,
    F_OUT_PAD,
    FACTORS
};
enum { RANGE_ALL, RANGE_MIDDLE, RANGE_LAST, RANGE_VALUES, RANGE_BELOW, RANGE_NONE, RANGES };
enum { VECTORS_NONE, VECTORS, VECTORS_IN_PLACE };
enum { EARLY_NONE, EARLY_SWEEPS, EARLY_TOLERANCE };
enum { METHOD_RELATIVE = 4, METHODS };

static eig_type const types[] = {EIG_S, EIG_D, EIG_C, EIG_Z};
/* On both sides of what the table of roads tells, and of a tile. */
static int const small_orders[] = {1, 2, 3, 4, 5, 8, 17, 33, 63, 64, 65, 70}, large_orders[] = {129, 512, 640};
static int const small_batches[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 35}, large_batches[] = {1, 3};
static const int *orders, *batches;

static void mend(int *row)
{
    int const batch = batches[row[F_BATCH]];
    bool const large = orders == large_orders;
    crossed_mend(row, batch == 1);
    if (row[F_VECTORS] == VECTORS_IN_PLACE) row[F_LAYOUT] = 0, row[F_RANGE] = RANGE_ALL;
    if (row[F_RANGE] >= RANGE_VALUES) row[F_M] = 1;
    if (row[F_FORM] == 1 && (batch > 1 || row[F_LAYOUT] != 0)) row[F_FORM] = 0;
    /* Jacobi, and vectors of the largest, take long. */
    if (large && (row[F_METHOD] == EIG_HEEV_JACOBI || row[F_METHOD] >= EIG_HEEV_REFERENCE))
        row[F_METHOD] = EIG_HEEV_AUTO;
    if (large && orders[row[F_N]] > 129 && row[F_VECTORS] != VECTORS_NONE &&
        (row[F_TYPE] != 1 || orders[row[F_N]] > 512))
        row[F_VECTORS] = VECTORS_NONE;
    if (large && orders[row[F_N]] > 129 && row[F_VECTORS] != VECTORS_NONE) row[F_BATCH] = 0;
    /* Values of a range by value are not reduced in two stages, as those of the full run are: they have other bits. */
    if (large && orders[row[F_N]] > 129 && row[F_VECTORS] == VECTORS_NONE && row[F_RANGE] >= RANGE_VALUES)
        row[F_RANGE] = RANGE_MIDDLE;
    if (large) crossed_mend(row, batches[row[F_BATCH]] == 1);
}

typedef struct job {
    eig_type type, real;
    size_t size, real_size;
    int64_t n, batch, lda, stride_a, stride_w, ldv, stride_v, most;
    eig_heev_options o;
    bool one, typed;
    const void *a;
    void *w, *v;
    int64_t *m;
    int *info, *sweeps;
} job;

static eig_status run_typed(eig_context *ctx, const job *j)
{
#define TYPED(name)                                                                                                    \
    (j->one ? eig_##name(ctx, &j->o, j->n, j->a, j->lda, j->m, j->w, j->v, j->ldv, j->info, j->sweeps)                 \
            : eig_##name##_batched(ctx, &j->o, j->n, j->a, j->lda, j->stride_a, j->m, j->w, j->stride_w, j->v, j->ldv, \
                                   j->stride_v, j->info, j->sweeps, j->batch))
    return j->type == EIG_S   ? TYPED(ssyev)
           : j->type == EIG_D ? TYPED(dsyev)
           : j->type == EIG_C ? TYPED(cheev)
                              : TYPED(zheev);
}

static eig_status run(eig_context *ctx, void *user)
{
    const job *const j = user;
    if (j->typed) return run_typed(ctx, j);
    if (j->one) return eig_heev(ctx, j->type, &j->o, j->n, j->a, j->lda, j->m, j->w, j->v, j->ldv, j->info, j->sweeps);
    return eig_heev_batched(ctx, j->type, &j->o, j->n, j->a, j->lda, j->stride_a, j->m, j->w, j->stride_w, j->v, j->ldv,
                            j->stride_v, j->info, j->sweeps, j->batch);
}

static eig_status size(eig_context *ctx, void *user, size_t *bytes)
{
    const job *const j = user;
    return eig_heev_work_size(ctx, j->type, &j->o, j->n, j->v != NULL, j->batch, bytes);
}

/* Entry (i, j) of matrix b: a full one, a diagonal one, or one with a multiple eigenvalue, in turn; of definite ones for `relative`. */
static void entry(const int *row, const job *j, int64_t b, int64_t i, int64_t k, double *z)
{
    int const kind = (int)(b % 5), power = crossed_power(row, j->type);
    int64_t const low = i > k ? i : k, high = i > k ? k : i;
    z[0] = crossed_random(b, low, high, 0), z[1] = i == k ? 0 : crossed_random(b, low, high, 1) * (i > k ? 1 : -1);
    if (kind == 1 && i != k) z[0] = z[1] = 0;
    if (kind == 3) z[0] = i == k ? 2 : 1, z[1] = 0;
    if (row[F_METHOD] == METHOD_RELATIVE && i == k) z[0] += 2 * (double)j->n;
    if (b == crossed_bad(row, j->batch) && low == j->n - 1 && high == j->n / 2) z[0] = crossed_poison(row);
    z[0] = ldexp(z[0], power), z[1] = type_is_complex(j->type) ? ldexp(z[1], power) : 0;
}

static void put(eig_type type, void *element, const double *z)
{
    type_put(type, element, 0, z[0]);
    if (type_is_complex(type)) type_put(type, element, 1, z[1]);
}

static int64_t place(const job *j, int64_t b, int64_t i, int64_t k)
{
    int64_t const row = j->o.row_major ? k : i, column = j->o.row_major ? i : k;
    return j->o.layout == EIG_LAYOUT_ELEMENT_WISE ? (row * j->lda + column) * j->stride_a + b
           : j->o.layout == EIG_LAYOUT_ROW_WISE   ? row * j->stride_a + b * j->lda + column
                                                  : row + column * j->lda + b * j->stride_a;
}

static void fill_input(const int *row, const job *j, image *a)
{
    bool const upper = j->o.uplo == EIG_UPLO_UPPER;
    for (int64_t b = 0; b < j->batch; ++b)
        for (int64_t k = 0; k < j->n; ++k)
            for (int64_t i = upper ? 0 : k; i < (upper ? k + 1 : j->n); ++i) {
                double z[2];
                char element[16];
                entry(row, j, b, i, k, z);
                if (i == k) z[1] = NAN; /* not read */
                put(j->type, element, z);
                image_hold(a, place(j, b, i, k), element);
            }
}

/* ---------------------------------------------------------------- reference */

typedef struct plain {
    numbers a, w, v;
    int info, sweeps;
} plain;

/* ||A V - V W||, ||V^H V - I||, and for values the traces of A and of its square. */
static void certify(const crossed *c, const job *j, const plain *p, bool vectors)
{
    int64_t const n = j->n;
    double const up = ldexp(1, -crossed_power(c->row, j->type)), eps = type_eps(j->type);
    double norm = 0, trace = 0, sum = 0, square = 0, residual = 0, orthogonality = 0;
    for (int64_t k = 0; k < n * n; ++k) norm = hypot(norm, hypot(numbers_re(&p->a, k), numbers_im(&p->a, k)) * up);
    for (int64_t k = 0; k < n; ++k) {
        double const w = numbers_part(&p->w, k) * up;
        trace += numbers_re(&p->a, k + k * n) * up, sum += w, square += w * w;
        if (k > 0 && !(numbers_part(&p->w, k - 1) * up <= w)) CROSSED_FAIL(c, "the plain call: w does not ascend");
    }
    double const bound = 10 * (double)n * eps * norm + (n < 4 ? 40 * eps * norm : 0);
    if (!(fabs(trace - sum) <= 4 * bound && fabs(norm * norm - square) <= 4 * bound * norm))
        CROSSED_FAIL(c, "the plain call: traces %g %g, %g %g", trace, sum, norm * norm, square);
    for (int64_t k = 0; vectors && k < n; ++k) {
        for (int64_t i = 0; i < n; ++i) {
            double re = 0, im = 0, dot = 0, cross = 0;
            double const w = numbers_part(&p->w, k) * up;
            for (int64_t l = 0; l < n; ++l) {
                double const ar = numbers_re(&p->a, i + l * n) * up, ai = numbers_im(&p->a, i + l * n) * up;
                double const vr = numbers_re(&p->v, l + k * n), vi = numbers_im(&p->v, l + k * n);
                double const ur = numbers_re(&p->v, l + i * n), ui = numbers_im(&p->v, l + i * n);
                re += ar * vr - ai * vi, im += ar * vi + ai * vr;
                dot += ur * vr + ui * vi, cross += ur * vi - ui * vr;
            }
            residual =
                hypot(residual, hypot(re - w * numbers_re(&p->v, i + k * n), im - w * numbers_im(&p->v, i + k * n)));
            orthogonality = hypot(orthogonality, hypot(dot - (i == k), cross));
        }
    }
    if (!(residual <= bound && orthogonality <= (10 * (double)n + 40) * eps))
        CROSSED_FAIL(c, "the plain call: residual %g of %g, orthogonality %g", residual, bound, orthogonality);
}

static plain solve_plain(const crossed *c, const job *j, int64_t b)
{
    plain p;
    int64_t const n = j->n;
    eig_heev_options o = j->o;
    o.uplo = EIG_UPLO_LOWER, o.layout = EIG_LAYOUT_MATRIX_WISE, o.row_major = 0, o.range = EIG_RANGE_ALL;
    if (!numbers_make(&p.a, j->type, n * n) || !numbers_make(&p.w, j->real, n) || !numbers_make(&p.v, j->type, n * n))
        fail_msg("no memory");
    for (int64_t k = 0; k < n * n; ++k) {
        double z[2];
        entry(c->row, j, b, k % n, k / n, z);
        put(j->type, numbers_at(&p.a, k), z);
    }
    assert_int_equal(eig_heev(crossed_plain, j->type, &o, n, p.a.data, n, NULL, p.w.data, j->v ? p.v.data : NULL, n,
                              &p.info, &p.sweeps),
                     EIG_OK);
    bool const bad = b == crossed_bad(c->row, j->batch);
    if ((p.info == EIG_INFO_NOT_FINITE) != bad) CROSSED_FAIL(c, "the plain call: info %d", p.info);
    if (!bad && o.max_sweeps == 0 && p.info != 0) CROSSED_FAIL(c, "the plain call: info %d", p.info);
    if (p.info == 0 && o.tolerance == 0 && n <= 130) certify(c, j, &p, j->v != NULL);
    return p;
}

static void free_plain(plain *p)
{
    numbers_free(&p->a), numbers_free(&p->w), numbers_free(&p->v);
}

/* ------------------------------------------------------------------ the call */

/* The range's ends lie on eigenvalues of the first matrix, which half-open intervals tell apart; of larger orders, where counts decide,
 * beside them. */
static void set_range(const int *row, job *j, const plain *first)
{
    int64_t const n = j->n;
    eig_heev_options *const o = &j->o;
    j->most = n;
    if (row[F_RANGE] == RANGE_MIDDLE || row[F_RANGE] == RANGE_LAST) {
        o->range = EIG_RANGE_INDEX;
        o->il = row[F_RANGE] == RANGE_LAST ? n : n / 3 + 1, o->iu = row[F_RANGE] == RANGE_LAST ? n : n - n / 4;
        j->most = o->iu - o->il + 1;
    } else if (row[F_RANGE] >= RANGE_VALUES) {
        double const low = numbers_part(&first->w, n / 4), high = numbers_part(&first->w, n - 1 - n / 5);
        bool const usable = isfinite(low) && isfinite(high);
        o->range = EIG_RANGE_VALUE;
        double const beside = n > 64 || !test_on_cpu() ? 1024 * type_eps(j->type) * fmax(fabs(low), fabs(high)) : 0;
        o->vl = usable ? low - beside : -1, o->vu = usable ? high + beside : 1;
        if (o->vu <= o->vl) o->vu = o->vl + fabs(o->vl) + DBL_MIN;
        if (row[F_RANGE] == RANGE_BELOW) o->vl = -INFINITY;
        if (row[F_RANGE] == RANGE_NONE) o->vl = ldexp(1, crossed_power(row, j->type)) * 1e5, o->vu = INFINITY;
    }
}

static void want_results(crossed *c, const job *j, int64_t b, const plain *p)
{
    enum { A, W, V, M, INFO, SWEEPS };
    bool const by_value = j->o.range == EIG_RANGE_VALUE;
    int64_t const n = j->n;
    int64_t first = j->o.range == EIG_RANGE_INDEX ? j->o.il - 1 : 0, count = j->most;
    if (by_value) {
        count = 0;
        for (int64_t k = 0; k < n; ++k) {
            double const w = numbers_part(&p->w, k);
            if (w <= j->o.vl) first = k + 1;
            count += w > j->o.vl && w <= j->o.vu;
        }
    }
    image *const v = c->row[F_VECTORS] == VECTORS_IN_PLACE ? &c->image[A] : &c->image[V];
    for (int64_t k = 0; k < count; ++k) {
        image_want(&c->image[W], k + b * j->stride_w, numbers_at(&p->w, first + k));
        for (int64_t i = 0; c->row[F_VECTORS] != VECTORS_NONE && i < n; ++i)
            image_want(v, b * j->stride_v + (j->o.row_major ? i * j->ldv + k : i + k * j->ldv),
                       numbers_at(&p->v, i + (first + k) * n));
    }
    image_want_whole(&c->image[M], b, count);
    image_want_whole(&c->image[INFO], b, p->info);
    image_want_whole(&c->image[SWEEPS], b, p->sweeps);
}

static void set_options(const int *row, job *j)
{
    static eig_layout const layouts[] = {EIG_LAYOUT_MATRIX_WISE, EIG_LAYOUT_ELEMENT_WISE, EIG_LAYOUT_ROW_WISE};
    j->o = (eig_heev_options)EIG_HEEV_OPTIONS;
    j->o.layout = layouts[row[F_LAYOUT]], j->o.row_major = row[F_ROW_MAJOR];
    j->o.uplo = row[F_UPLO] ? EIG_UPLO_UPPER : EIG_UPLO_LOWER;
    j->o.relative = row[F_METHOD] == METHOD_RELATIVE;
    j->o.method = j->o.relative ? EIG_HEEV_AUTO : (eig_heev_method)row[F_METHOD];
    j->o.max_sweeps = row[F_EARLY] == EARLY_SWEEPS ? 1 : 0;
    j->o.tolerance = row[F_EARLY] == EARLY_TOLERANCE ? 0.01 : 0;
}

static void set_sizes(const int *row, job *j)
{
    int64_t const n = j->n, pad = row[F_PAD];
    j->lda = n + 3 * pad;
    j->stride_a = j->o.layout == EIG_LAYOUT_ELEMENT_WISE ? j->batch + 2 * pad
                  : j->o.layout == EIG_LAYOUT_ROW_WISE   ? j->lda * j->batch + 5 * pad
                                                         : j->lda * n + 7 * pad;
}

static void set_output_sizes(const int *row, job *j)
{
    int64_t const n = j->n, pad = row[F_OUT_PAD];
    bool const in_place = row[F_VECTORS] == VECTORS_IN_PLACE;
    j->stride_w = j->most + 4 * pad;
    j->ldv = in_place ? j->lda : n + 2 * pad;
    j->stride_v = in_place ? j->stride_a : j->ldv * (j->o.row_major ? n : j->most) + 9 * pad;
}

static void cross(const int *row)
{
    job j = {.type = types[row[F_TYPE]], .n = orders[row[F_N]], .batch = batches[row[F_BATCH]]};
    crossed c = {"heev", row, run, size, &j, .easy = false};
    j.real = type_real_of(j.type), j.size = type_size(j.type), j.real_size = type_size(j.real);
    j.one = row[F_FORM] == 1, j.typed = row[F_FORM] == 2 || (j.one && row[F_TIMING]);
    set_options(row, &j);
    set_sizes(row, &j);
    int64_t const n = j.n, batch = j.batch,
                  last = j.o.layout == EIG_LAYOUT_MATRIX_WISE ? (batch - 1) * j.stride_a + (n - 1) * j.lda + n
                         : j.o.layout == EIG_LAYOUT_ROW_WISE  ? (n - 1) * j.stride_a + (batch - 1) * j.lda + n
                                                              : ((n - 1) * j.lda + n - 1) * j.stride_a + batch;
    char mark;
    j.v = row[F_VECTORS] ? &mark : NULL;
    plain first = solve_plain(&c, &j, 0);
    set_range(row, &j, &first);
    set_output_sizes(row, &j);
    image *const a = crossed_array(&c, "a", last, j.size, j.real, IMAGE_IN);
    image *const w = crossed_array(&c, "w", (batch - 1) * j.stride_w + j.most, j.real_size, j.real, IMAGE_OUT);
    int64_t const rows = j.o.row_major ? n : j.most, length = j.o.row_major ? j.most : n;
    image *const v = crossed_output(&c, row[F_VECTORS] == VECTORS, "v",
                                    (batch - 1) * j.stride_v + (rows - 1) * j.ldv + length, j.size, j.real);
    image *const m = crossed_output(&c, row[F_M], "m", batch, sizeof *j.m, 0);
    image *const info = crossed_output(&c, row[F_INFO], "info", batch, sizeof *j.info, 0);
    image *const sweeps = crossed_output(&c, row[F_SWEEPS], "sweeps", batch, sizeof *j.sweeps, 0);
    fill_input(row, &j, a);
    j.a = image_at(a), j.w = image_at(w), j.m = image_at(m), j.info = image_at(info), j.sweeps = image_at(sweeps);
    j.v = row[F_VECTORS] == VECTORS_IN_PLACE ? image_at(a) : image_at(v);
    want_results(&c, &j, 0, &first);
    for (int64_t b = 1; b < batch; ++b) {
        plain p = solve_plain(&c, &j, b);
        want_results(&c, &j, b, &p);
        free_plain(&p);
    }
    eig_context *const ctx = crossed_on[row[F_DEVICE]];
    size_t const usual = ctx->range_bytes;
    char road[32];
    snprintf(road, sizeof road, "%s", eig_get_road(crossed_plain));
    if (row[F_PARTS]) ctx->range_bytes = (size_t)(n * (int64_t)j.real_size + (j.v ? n * n * (int64_t)j.size : 0)) * 2;
    crossed_call(&c);
    if (row[F_DEVICE] == 0 && strcmp(road, eig_get_road(ctx)) != 0)
        CROSSED_FAIL(&c, "road \"%s\", of one matrix \"%s\"", eig_get_road(ctx), road);
    ctx->range_bytes = usual;
    free_plain(&first);
    crossed_free(&c);
}

/* ------------------------------------------------------------------- the rows */

static pairs table = {FACTORS, {0}, .mend = mend};

static void cross_all(const int *n, int orders_of, const int *batch, int batches_of, int rounds)
{
    int const levels[FACTORS] = {
        [F_TYPE] = 4,         [F_N] = orders_of, [F_BATCH] = batches_of, [F_SCALE] = 3,  [F_BAD] = BADS,
        [F_DEVICE] = 2,       [F_THREADS] = 2,   [F_WORK] = WORKS,       [F_TIMING] = 2, [F_PROGRESS] = PROGRESSES,
        [F_PAD] = 2,          [F_SHIFT] = 2,     [F_LAYOUT] = 3,         [F_UPLO] = 2,   [F_ROW_MAJOR] = 2,
        [F_RANGE] = RANGES,   [F_VECTORS] = 3,   [F_INFO] = 2,           [F_SWEEPS] = 2, [F_M] = 2,
        [F_METHOD] = METHODS, [F_EARLY] = 3,     [F_PARTS] = 2,          [F_FORM] = 3,   [F_OUT_PAD] = 2,
    };
    memcpy(table.levels, levels, sizeof levels);
    orders = n, batches = batch;
    for (int round = 0; round < rounds; ++round) {
        if (!pairs_make(&table, 24 + (uint64_t)round)) fail_msg("too many rows");
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

/* With the argument `large` the large orders. */
int main(int argc, char **argv)
{
    const struct CMUnitTest small[] = {cmocka_unit_test(test_small)}, large[] = {cmocka_unit_test(test_large)};
    bool const is_large = argc > 1 && strcmp(argv[1], "large") == 0;
    crossed_open();
    int const failed = is_large ? cmocka_run_group_tests(large, NULL, NULL) : cmocka_run_group_tests(small, NULL, NULL);
    crossed_close();
    return failed;
}
