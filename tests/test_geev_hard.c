/* geev of matrices whose reduction meets columns of subnormal numbers. */
#include "support/geev_fixture.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* As given, and balanced first. */
static void check(eig_context *ctx, const char *name, batch *b)
{
    batch_round(b);
    for (int c = 0; c < 6; ++c) {
        eig_geev_options o = EIG_GEEV_OPTIONS;
        o.no_balance = c % 2;
        o.method = c < 2 ? EIG_GEEV_AUTO : c < 4 ? EIG_GEEV_REFERENCE : EIG_GEEV_MWB;
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equal), cmocka_unit_test(test_subnormal)};
    if (!test_device_answers(argc, argv)) return 77;
    return cmocka_run_group_tests_name("geev_hard", tests, NULL, NULL);
}
