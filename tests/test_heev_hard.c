/* heev of matrices whose columns below the diagonal are so small that squares of their elements lose digits, or vanish:
 * reflections must be orthogonal all the same. */
#include "support/heev_fixture.h"

/* The smallest element is 2^-least of the largest. */
static int least_of(eig_type type)
{
    return type_is_single(type) ? 76 : 540;
}

/* Around 2^-power reflections begin to count elements as 0. */
static int power_of_limits(eig_type type)
{
    return type_is_single(type) ? 50 : 450;
}

static void put_both(batch *b, int64_t m, int64_t i, int64_t j, double re, double im)
{
    int64_t const parts = type_is_complex(b->type) ? 2 : 1, n = b->n;
    for (int mirror = 0; mirror < 2; ++mirror) {
        int64_t const at = (m * n + (mirror ? j : i)) * n + (mirror ? i : j);
        numbers_put_part(&b->a, parts * at, re);
        if (parts == 2) numbers_put_part(&b->a, 2 * at + 1, i == j ? 0 : mirror ? -im : im);
    }
}

/* Diagonals are about 1, other elements of matrix m some 2^-power, each another one. */
static void fill_small(batch *b, int64_t m, int power)
{
    for (int64_t i = 0; i < b->n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            int const own = i == j ? 0 : power + (int)((i * 7 + j * 5) % 17);
            put_both(b, m, i, j, ldexp(sin((double)(1 + i * i + 3 * j + m)), -own),
                     ldexp(cos((double)(2 + i + 5 * j * j + m)), -own));
        }
}

/* Element (i, j) is some 2^-(i+j) step; upwards the other way round. */
static void fill_graded(batch *b, int64_t m, double step, bool upwards)
{
    int64_t const n = b->n;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            double const scale = exp2(-step * (double)(upwards ? 2 * n - 2 - i - j : i + j));
            put_both(b, m, i, j, scale * sin((double)(1 + i * i + 3 * j + m)), scale * cos((double)(2 + i * j + m)));
        }
}

static int64_t const orders[] = {2, 3, 5, 8, 9, 16, 17, 32, 33, 64, 65, 100};

static void test_small(void **state)
{
    enum { MATRICES = 24 };
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 4 * COUNT(orders); ++c) {
        batch b = batch_new(orders[c / 4], orders[c / 4] < 33 ? MATRICES : MATRICES / 4, all_types[c % 4]);
        int const least = least_of(b.type);
        for (int64_t m = 0; m < b.count; ++m) fill_small(&b, m, (int)(least * (m + 1) / (b.count + 1)));
        for (int64_t m = 0; m < 3; ++m) fill_small(&b, m, power_of_limits(b.type) - 12 + 5 * (int)m);
        solve_by(ctx, EIG_HEEV_TRIDIAGONAL, &b);
        for (int64_t m = 0; m < b.count; ++m) certify_vectors("small", &b, m, 5);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

static void test_graded(void **state)
{
    enum { MATRICES = 8 };
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 4 * COUNT(orders); ++c) {
        batch b = batch_new(orders[c / 4], MATRICES, all_types[c % 4]);
        double const most = (double)least_of(b.type) / (double)b.n;
        for (int64_t m = 0; m < b.count; ++m)
            fill_graded(&b, m, most * (double)(m / 2 + 1) / (MATRICES / 2), m % 2 == 1);
        solve(ctx, NULL, &b);
        for (int64_t m = 0; m < b.count; ++m) certify_vectors("graded", &b, m, 5);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_graded)};
    if (!test_device_answers(argc, argv) || !heev_answers()) return 77;
    return cmocka_run_group_tests_name("heev_hard", tests, NULL, NULL);
}
