/* geev of matrices that meet subnormal numbers: in columns of the reduction, or in quotients of the iteration. */
#include "support/geev_fixture.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* As given, and balanced first. */
static void check(eig_context *ctx, const char *name, batch *b)
{
    batch_round(b);
    static eig_geev_method const methods[] = {EIG_GEEV_AUTO, EIG_GEEV_REFERENCE, EIG_GEEV_SWB, EIG_GEEV_MWB};
    for (size_t c = 0; c < 2 * COUNT(methods); ++c) {
        eig_geev_options o = EIG_GEEV_OPTIONS;
        o.no_balance = c % 2;
        o.method = methods[c / 2];
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equal), cmocka_unit_test(test_subnormal),
                                       cmocka_unit_test(test_skew)};
    if (!test_device_answers(argc, argv)) return 77;
    return cmocka_run_group_tests_name("geev_hard", tests, NULL, NULL);
}
