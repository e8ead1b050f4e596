/* geev of matrices that meet subnormal numbers: in columns of the reduction, in quotients of the iteration, or where a
 * matrix is scaled. */
#include "support/adversary_nonsymmetric.h"
#include "support/geev_fixture.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static eig_geev_method const all_methods[] = {EIG_GEEV_AUTO, EIG_GEEV_REFERENCE, EIG_GEEV_SWB, EIG_GEEV_MWB};

/* As given, and balanced first. */
static void check(eig_context *ctx, const char *name, batch *b)
{
    batch_round(b);
    for (size_t c = 0; c < 2 * COUNT(all_methods); ++c) {
        eig_geev_options o = EIG_GEEV_OPTIONS;
        o.no_balance = c % 2;
        o.method = all_methods[c / 2];
        solve(ctx, &o, b);
        for (int64_t m = 0; m < b->count; ++m) certify(name, b, m);
    }
    batch_free(b);
}

static int64_t const orders[] = {3, 5, 8, 13, 14, 20, 26, 33, 40, 65, 68};

/* All elements are equal: what a reflection leaves is as small as rounding errors, and the next one leaves their squares. */
static void test_equal(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t k = 0; k < COUNT(orders); ++k)
        for (int c = 0; c < 2; ++c) {
            batch b = batch_new(orders[k], 3, real_types[c]);
            for (int64_t m = 0; m < 3; ++m)
                for (int64_t i = 0; i < b.n * b.n; ++i) b.a[m * b.n * b.n + i] = 1 + (double)m / 3;
            check(ctx, "equal", &b);
        }
    eig_destroy(ctx);
}

/* The first column is subnormal below the diagonal, and 0 just there. */
static void test_subnormal(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t k = 0; k < COUNT(orders); ++k)
        for (int c = 0; c < 2; ++c) {
            batch b = batch_new(orders[k], 2, real_types[c]);
            double const least = type_is_single(b.type) ? 0x1p-149 : 0x1p-1074;
            for (int64_t m = 0; m < 2; ++m)
                for (int64_t i = 0; i < b.n; ++i)
                    for (int64_t j = 0; j < b.n; ++j) {
                        double const x = sin((double)(1 + 3 * i * i + 5 * j + i * j + m));
                        b.a[(m * b.n + i) * b.n + j] = j > 0 || i == 0 ? x : i == 1 ? 0 : least * (double)(1 + m);
                    }
            check(ctx, "subnormal", &b);
        }
    eig_destroy(ctx);
}

/* Skew-symmetric of order 3: the eigenvalue 0 is approached until the subdiagonal entry beside it counts as zero, however
 * large the others are. */
static void test_skew(void **state)
{
    (void)state;
    static double const above[][3] = {{0x1.b8f735d9f96e4p-3, 0x1.0595fdfc25cc4p-8, 0x1.ad889c402cd46p+0},
                                      {-0x1.ddd359816cd5p-1, -0x1.f281e3d347a65p-1, 5},
                                      {0, -0x1.cd93cdaa29993p-1, 4}};
    eig_context *const ctx = test_context(1);
    for (int c = 0; c < 2; ++c)
        for (int step = -10; step <= 10; ++step) {
            batch b = batch_new(3, COUNT(above), real_types[c]);
            for (int64_t m = 0; m < b.count; ++m)
                for (int k = 0; k < 3; ++k) {
                    static int const row[] = {0, 0, 1}, column[] = {1, 2, 2};
                    double const x = ldexp(above[m][k], (type_is_single(b.type) ? 10 : 40) * step);
                    b.a[9 * m + 3 * row[k] + column[k]] = x, b.a[9 * m + 3 * column[k] + row[k]] = -x;
                }
            check(ctx, "skew-symmetric", &b);
        }
    eig_destroy(ctx);
}

/* The relative distance of the eigenvalue that is nearest to x. */
static double nearest(int64_t n, const double *w, double x)
{
    double least = INFINITY;
    for (int64_t k = 0; k < n; ++k) least = fmin(least, hypot(w[2 * k] - x, w[2 * k + 1]) / fabs(x));
    return least;
}

/* A window whose small entries once stood still beside large ones.  Its eigenvalues are -1e84, -1e95, two near
 * 3.16e-6, known to more digits than double has, and -1e64: that is below the rounding errors of the balanced matrix,
 * and only bounded. */
static void check_standing(const char *name, const batch *b, int64_t m, bool balanced)
{
    static double const known[] = {-1e84, -1e95, 3.16227766021838e-6, -3.16227766011838e-6};
    const double *const w = b->w + 2 * m * b->n;
    int large = 0;
    certify(name, b, m);
    if (!balanced) return;
    for (size_t k = 0; k < COUNT(known); ++k)
        if (!(nearest(b->n, w, known[k]) <= 1e-13))
            fail_msg("%s: no eigenvalue is near %.15g: %g %g %g %g %g", name, known[k], w[0], w[2], w[4], w[6], w[8]);
    for (int64_t k = 0; k < b->n; ++k) large += hypot(w[2 * k], w[2 * k + 1]) > 1e82;
    assert_int_equal(large, 2);
}

/* By all methods, at every position of a batch, with the same bits; its transpose, too. */
static void test_standing(void **state)
{
    static double const standing[5][5] = {{-1e84, -1e46},
                                          {-1e22, 1e-100, 1e114},
                                          {0, 1e-125, 1e-110, 1e56},
                                          {0, 0, 1e-108, -1e-121, -1e115},
                                          {0, 0, 0, 1e44, -1e95}};
    enum { POSITIONS = 35 };
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 8 * COUNT(all_methods); ++c) {
        eig_geev_options o = EIG_GEEV_OPTIONS;
        double first[10];
        bool const transposed = c >= 4 * COUNT(all_methods);
        o.method = all_methods[c / 4 % COUNT(all_methods)], o.no_balance = c % 2, o.threads_per_matrix = c / 2 % 2;
        for (int64_t p = 0; p < POSITIONS; ++p) {
            char name[80];
            batch b = batch_make("gaussian", 5, POSITIONS, EIG_D, 3);
            for (int k = 0; k < 25; ++k) b.a[25 * p + k] = transposed ? standing[k % 5][k / 5] : standing[k / 5][k % 5];
            solve(ctx, &o, &b);
            snprintf(name, sizeof name, "standing%s, method %d%s, position %lld", transposed ? "'" : "", (int)o.method,
                     o.no_balance ? ", not balanced" : "", (long long)p);
            check_standing(name, &b, p, !o.no_balance);
            if (p == 0) memcpy(first, b.w, sizeof first);
            assert_memory_equal(first, b.w + 10 * p, sizeof first);
            for (int64_t m = 0; m < POSITIONS; m += 7)
                if (m != p) certify("beside a standing one", &b, m);
            batch_free(&b);
        }
    }
    eig_destroy(ctx);
}

/* In both orders in memory: the same bits.  Of the Toeplitz matrix with 1.8 above the diagonal -2 and 0.1 below, whose eigenvalues are
 * sensitive but for errors that respect its structure, all are found to the last digits, and those of its transpose.  Aberth's
 * iteration on a GPU finds fewer digits of them, a few all the same; a limit on steps keeps it out. */
static void test_toeplitz(void **state)
{
    static const int64_t sizes[] = {8, 13, 14, 30, 64};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 6 * COUNT(sizes); ++c) {
        int64_t const n = sizes[c / 6];
        bool const transposed = c / 3 % 2, aberth = c % 3 == 2 && n > 14 && !test_on_cpu();
        batch b = batch_new(n, 1, EIG_D);
        double *const first = room((size_t)(2 * n), sizeof *first);
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j)
                b.a[i * n + j] = i == j                           ? -2
                                 : j == i + (transposed ? -1 : 1) ? 1.8
                                 : labs((long)(i - j)) == 1       ? 0.1
                                                                  : 0;
        eig_geev_options o = EIG_GEEV_OPTIONS;
        o.method = c % 3 == 1 ? EIG_GEEV_REFERENCE : EIG_GEEV_AUTO;
        if (c % 3 == 0 && n > 14) o.max_steps = 29 * n;
        solve(ctx, &o, &b);
        memcpy(first, b.w, (size_t)(2 * n) * sizeof *first);
        solve_part(ctx, &o, &b, place_rows(EIG_LAYOUT_MATRIX_WISE, n, 1, 1), 0, 1, 0);
        assert_memory_equal(first, b.w, (size_t)(2 * n) * sizeof *first);
        for (int64_t k = 1; k <= n; ++k) {
            double const known = -2 + 2 * sqrt(0.18) * cos((double)k * acos(-1) / (double)(n + 1));
            if (!(nearest(n, b.w, known) <= (aberth ? 1e-8 : 100 * DBL_EPSILON)))
                fail_msg("Toeplitz%s, n = %lld, method %d: no eigenvalue is near %.15g",
                         transposed ? ", transposed" : "", (long long)n, (int)o.method, known);
        }
        free(first), batch_free(&b);
    }
    eig_destroy(ctx);
}

/* Entries of all sizes: none is given up, and the kernels give numbers that are finite, without a certificate too. */
static void test_wild(void **state)
{
    static fill_nonsymmetric *const fills[] = {dense_wild_tridiagonal, dense_wild_hessenberg, dense_wild_skew};
    static int64_t const sizes[] = {5, 8, 12, 20, 30, 66};
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < 2 * COUNT(fills) * COUNT(sizes); ++c) {
        int64_t const n = sizes[c / 2 % COUNT(sizes)];
        eig_type const type = real_types[c % 2];
        batch b = batch_new(n, n <= 20 ? 2000 : 90, type);
        matrices_rng rng = matrices_seed(c);
        for (int64_t m = 0; m < b.count; ++m) {
            fills[c / 2 / COUNT(sizes)](&rng, n, b.a + m * n * n);
            for (int64_t k = 0; k < n * n; ++k)
                if (type_is_single(type) && fabs(b.a[m * n * n + k]) > 1e37) b.a[m * n * n + k] = 1e37;
        }
        batch_round(&b);
        for (size_t k = 0; k < 2 * COUNT(all_methods); ++k) {
            eig_geev_options o = EIG_GEEV_OPTIONS;
            o.method = all_methods[k / 2], o.no_balance = k % 2, o.no_certificate = n > 20;
            test_may_be_solved_again = 2;
            solve(ctx, &o, &b);
            test_may_be_solved_again = 0;
            for (int64_t m = 0; m < b.count; ++m) {
                if (b.info[m] != 0) fail_msg("case %zu, matrix %lld: info = %d", c, (long long)m, b.info[m]);
                for (int64_t j = 0; j < 2 * n; ++j) assert_true(isfinite(b.w[2 * m * n + j]));
            }
            for (int64_t m = (int64_t)k; n <= 8 && m < b.count; m += 97) certify("wild", &b, m);
        }
        batch_free(&b);
    }
    eig_destroy(ctx);
}

static int in_order(const void *x, const void *y)
{
    double const a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* What stands alone on the diagonal comes out exactly, however far a matrix must be scaled: triangular matrices, at
 * times permuted; and a block of order 2 beside larger entries keeps its digits. */
static void check_isolated(eig_context *ctx, int64_t n, eig_type type, bool reversed)
{
    int const top = type_is_single(type) ? 120 : 1000;
    batch b = batch_new(n, 3, type);
    double *const want = room((size_t)n, sizeof *want), *const found = room((size_t)n, sizeof *found);
    for (int64_t m = 0; m < b.count; ++m)
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = i; j < n; ++j) {
                double const x = ldexp(1 + (double)(7 * i + j + m) / 1024, top - (int)(2 * (top - 5) * j / (n - 1)));
                b.a[m * n * n + (reversed ? (n - 1 - i) * n + n - 1 - j : i * n + j)] = j % 2 ? x : -x;
            }
    batch_round(&b);
    for (size_t c = 0; c < COUNT(all_methods); ++c) {
        eig_geev_options o = EIG_GEEV_OPTIONS;
        o.method = all_methods[c];
        solve(ctx, &o, &b);
        for (int64_t m = 0; m < b.count; ++m) {
            for (int64_t k = 0; k < n; ++k) want[k] = b.a[(m * n + k) * n + k], found[k] = b.w[2 * (m * n + k)];
            qsort(want, (size_t)n, sizeof *want, in_order), qsort(found, (size_t)n, sizeof *found, in_order);
            assert_int_equal(b.info[m], 0);
            for (int64_t k = 0; k < n; ++k)
                if (found[k] != want[k])
                    fail_msg("triangular, n = %lld, method %d: %.17g, exactly %.17g", (long long)n, (int)o.method,
                             found[k], want[k]);
        }
    }
    free(want), free(found);
    batch_free(&b);
}

static void test_isolated(void **state)
{
    static double const cases[][4] = {{1e20, 1, 0, 1e-30}, {1e10, 1, 0, 1e-36}, {1e-30, 0, 1, 1e20}};
    static int64_t const sizes[] = {2, 3, 6, 13, 14, 20, 33, 66};
    (void)state;
    eig_context *const ctx = test_context(1);
    batch b = batch_new(2, COUNT(cases), EIG_S);
    memcpy(b.a, cases, sizeof cases);
    batch_round(&b);
    solve(ctx, NULL, &b);
    for (size_t m = 0; m < COUNT(cases); ++m) {
        assert_true(fmin(b.w[4 * m], b.w[4 * m + 2]) == fmin(b.a[4 * m], b.a[4 * m + 3]));
        assert_true(fmax(b.w[4 * m], b.w[4 * m + 2]) == fmax(b.a[4 * m], b.a[4 * m + 3]));
    }
    batch_free(&b);
    for (size_t c = 0; c < 4 * COUNT(sizes); ++c) check_isolated(ctx, sizes[c / 4], real_types[c % 2], c / 2 % 2);
    /* Eigenvalues 1e20 and +-sqrt(2) 1e-30 i */
    batch block = batch_new(3, 1, EIG_S);
    block.a[0] = 1e20, block.a[1] = block.a[2] = 1, block.a[5] = 1e-30, block.a[7] = -2e-30;
    batch_round(&block);
    for (size_t c = 0; c < COUNT(all_methods); ++c) {
        eig_geev_options o = EIG_GEEV_OPTIONS;
        o.method = all_methods[c];
        solve(ctx, &o, &block);
        double most = 0;
        for (int k = 0; k < 3; ++k) most = fmax(most, block.w[2 * k + 1]);
        if (fabs(most / (sqrt(2) * 1e-30) - 1) > 1e-6) fail_msg("a block of 1e-30: im = %.9g", most);
    }
    batch_free(&block);
    eig_destroy(ctx);
}

/* Zero, or triangular: all is isolated, and the one entry that is not finite would be dropped. */
static void check_not_finite(eig_context *ctx, const eig_geev_options *o, int64_t n, eig_type type, bool triangular)
{
    int64_t const entries = n * n, count = entries < 50 ? entries : 50;
    batch b = batch_new(n, 2 * count, type);
    for (int64_t m = 0; m < 2 * count; ++m)
        for (int64_t i = 0; i < n && triangular; ++i)
            for (int64_t j = i; j < n; ++j) b.a[m * entries + i * n + j] = 1 + (double)(i + j);
    for (int64_t m = 0; m < count; ++m) b.a[2 * m * entries + m * entries / count] = m % 2 ? NAN : -INFINITY;
    batch_round(&b);
    solve(ctx, o, &b);
    for (int64_t m = 0; m < 2 * count; ++m) {
        int const info = m % 2 ? EIG_INFO_OK : EIG_INFO_NOT_FINITE;
        if (b.info[m] != info)
            fail_msg("n = %lld, method %d, matrix %lld: info = %d", (long long)n, (int)o->method, (long long)m,
                     b.info[m]);
        for (int64_t k = 0; k < 2 * n; ++k) assert_true(isnan(b.w[2 * m * n + k]) == (info != EIG_INFO_OK));
    }
    batch_free(&b);
}

static void test_not_finite(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int64_t n = 1; n <= 70; n += n < 6 ? 1 : 8)
        for (size_t c = 0; c < 8 * COUNT(all_methods); ++c) {
            eig_geev_options o = EIG_GEEV_OPTIONS;
            o.method = all_methods[c / 8], o.no_balance = c / 4 % 2;
            check_not_finite(ctx, &o, n, real_types[c % 2], c / 2 % 2);
        }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equal),    cmocka_unit_test(test_subnormal),
                                       cmocka_unit_test(test_skew),     cmocka_unit_test(test_standing),
                                       cmocka_unit_test(test_wild),     cmocka_unit_test(test_toeplitz),
                                       cmocka_unit_test(test_isolated), cmocka_unit_test(test_not_finite)};
    if (!test_device_answers(argc, argv)) return 77;
    return cmocka_run_group_tests_name("geev_hard", tests, NULL, NULL);
}
