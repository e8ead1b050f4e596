/* heev on CUDA, n > 32, method jacobi and `relative`: one-sided block Jacobi against the plain kernel, by certificates, and
 * the same bits in every position and beside any neighbours. */
#include "support/heev_fixture.h"

static int small; /* sizes for compute-sanitizer */

static int64_t const orders[] = {33, 40, 48, 63, 64, 65, 96, 100, 127, 128, 129, 200, 256};
static int64_t const few[] = {33, 50, 65};

static size_t order_count(void)
{
    return small ? COUNT(few) : COUNT(orders);
}

static int64_t order_of(size_t k)
{
    return small ? few[k] : orders[k];
}

static eig_heev_options by(eig_heev_method method, int relative)
{
    eig_heev_options o = EIG_HEEV_OPTIONS;
    o.method = method, o.relative = relative;
    return o;
}

/* Values as the plain kernel's, to `limit` n eps of the largest, or each of itself. */
static void as_plainly(const batch *b, const batch *plain, double limit, bool relative)
{
    for (int64_t k = 0; k < b->n * b->count; ++k) {
        int64_t const first = k / b->n * b->n;
        double const x = numbers_re(&b->w, k), y = numbers_re(&plain->w, k);
        double const most = fmax(fabs(numbers_re(&plain->w, first)), fabs(numbers_re(&plain->w, first + b->n - 1)));
        if (!(fabs(x - y) <= limit * (double)b->n * (double)type_eps(b->type) * (relative ? fabs(y) : most)))
            fail_msg("n = %lld %s: value %lld is %.17g, the plain kernel's is %.17g", (long long)b->n,
                     type_name(b->type), (long long)(k - first), x, y);
    }
}

/* Every type and size: measures (9) and (10), values with vectors and without, sweeps that are told. */
static void test_sizes(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < 4 * order_count(); ++c) {
        int64_t const n = order_of(c / 4), count = n > 100 ? 2 : 5;
        if (n > 129 && c % 4 % 3) continue; /* certificates take a second each */
        batch b = batch_make("hermitian", n, count, all_types[c % 4], 5);
        batch plain = batch_make("hermitian", n, count, all_types[c % 4], 5);
        eig_heev_options const o = by(EIG_HEEV_JACOBI, 0);
        solve_by(ctx, EIG_HEEV_REFERENCE, &plain);
        solve(ctx, &o, &b);
        for (int64_t m = 0; m < count; ++m) {
            certify_vectors("hermitian", &b, m, 4);
            assert_in_range(b.sweeps[m], 3, 20);
        }
        as_plainly(&b, &plain, 4, false);
        solve_part(ctx, &o, &b, (placement){.values_only = true}, 0, count);
        as_plainly(&b, &plain, 4, false);
        batch_free(&b), batch_free(&plain);
    }
    eig_destroy(ctx);
}

/* `relative`: every value of a graded positive definite matrix, to some n eps of itself. */
static void test_relative(void **state)
{
    static int64_t const sizes[] = {40, 65, 100, 129};
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < (small ? 4 : 4 * COUNT(sizes)); ++c) {
        batch b = batch_make("graded-definite", sizes[c / 4], 3, all_types[c % 4], 5);
        batch plain = batch_make("graded-definite", sizes[c / 4], 3, all_types[c % 4], 5);
        eig_heev_options const o = by(EIG_HEEV_AUTO, 1), reference = by(EIG_HEEV_REFERENCE, 1);
        solve(ctx, &o, &b);
        solve(ctx, &reference, &plain);
        as_plainly(&b, &plain, 8, true);
        for (int64_t m = 0; m < 3; ++m) certify_vectors("graded", &b, m, 4);
        batch_free(&b), batch_free(&plain);
    }
    eig_destroy(ctx);
}

/* Matrices of all kinds, some not finite, more of them than run at once: each has the bits that it has alone, and those
 * of the other way round. */
static void test_bits(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(0);
    for (int c = 0; c < 4; ++c) {
        int64_t const n = c % 2 ? 40 : 65, count = small ? 7 : 1100, square = n * n;
        eig_type const type = all_types[c];
        batch b = batch_new(n, count, type), reversed = batch_new(n, count, type), one = batch_new(n, 1, type);
        eig_heev_options const o = by(EIG_HEEV_JACOBI, 0);
        io_error error;
        for (int64_t m = 0, k = 0; m < count; ++m, ++k) {
            if (!matrices_hermitian_names[k]) k = 0;
            if (!matrices_hermitian(matrices_hermitian_names[k], n, 1, (uint64_t)m, &one.a, &error))
                fail_msg("%s", error.text);
            for (int64_t i = 0; i < square; ++i) copy_element(&b.a, m * square + i, &one.a, i);
            int64_t const last = (m + 1) * square - 1;
            if (m % 9 == 5) numbers_put_part(&b.a, type_is_complex(type) ? 2 * last : last, m % 2 ? NAN : INFINITY);
        }
        for (int64_t k = 0; k < count * square; ++k)
            copy_element(&reversed.a, k, &b.a, (count - 1 - k / square) * square + k % square);
        solve(ctx, &o, &b);
        solve(ctx, &o, &reversed);
        for (int64_t m = 0; m < count; ++m) {
            int64_t const other = count - 1 - m;
            assert_int_equal(b.info[m], m % 9 == 5 ? EIG_INFO_NOT_FINITE : 0);
            assert_int_equal(b.sweeps[m], reversed.sweeps[other]);
            assert_memory_equal(numbers_at(&b.v, m * square), numbers_at(&reversed.v, other * square),
                                (size_t)square * type_size(type));
            if (m % 9 == 5) assert_true(isnan(numbers_re(&b.w, m * n)) && isnan(numbers_re(&b.v, m * square)));
            if (m % 101 != 3) continue;
            for (int64_t i = 0; i < square; ++i) copy_element(&one.a, i, &b.a, m * square + i);
            solve(ctx, &o, &one);
            assert_memory_equal(numbers_at(&b.w, m * n), one.w.data, (size_t)n * type_size(type_real(type)));
            assert_memory_equal(numbers_at(&b.v, m * square), one.v.data, (size_t)square * type_size(type));
            if (m % 9 != 5) certify_vectors("alone", &one, 0, 4);
        }
        batch_free(&b), batch_free(&reversed), batch_free(&one);
    }
    eig_destroy(ctx);
}

/* Given up after some sweeps: as many NaN as info says, the others ascend, and with enough sweeps all are good. */
static void test_gives_up(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < 4 * order_count(); ++c) {
        int64_t const n = order_of(c / 4);
        if (n > 129) continue;
        batch b = batch_make("hermitian", n, 3, all_types[c % 4], 9);
        eig_heev_options o = by(EIG_HEEV_JACOBI, 0);
        solve(ctx, &o, &b);
        int const enough = b.sweeps[0];
        for (o.max_sweeps = 1; o.max_sweeps <= enough; ++o.max_sweeps) {
            solve(ctx, &o, &b);
            int const bad = b.info[0];
            assert_int_equal(b.sweeps[0], o.max_sweeps);
            assert_true(o.max_sweeps == 1 ? bad > n / 2 : bad >= 0);
            if (o.max_sweeps == enough) assert_int_equal(bad, 0);
            for (int64_t i = 0; i < n; ++i) {
                assert_int_equal(isnan(numbers_re(&b.w, i)), i >= n - bad);
                assert_int_equal(isnan(numbers_re(&b.v, i)), i >= n - bad);
                if (i > 0 && i < n - bad) assert_true(numbers_re(&b.w, i) >= numbers_re(&b.w, i - 1));
            }
        }
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* The workspace: at most 256 MB, or what one matrix takes. */
static void test_workspace(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(0);
    eig_heev_options const o = by(EIG_HEEV_JACOBI, 0);
    for (int64_t n = 33; n <= 1500; n += 61)
        for (size_t c = 0; c < 8; ++c) {
            size_t one = 0, many = 0;
            assert_int_equal(eig_heev_work_size(ctx, all_types[c / 2], &o, n, (int)(c % 2), 1, &one), EIG_OK);
            assert_int_equal(eig_heev_work_size(ctx, all_types[c / 2], &o, n, (int)(c % 2), 1000000, &many), EIG_OK);
            size_t const most = (size_t)256 << 20;
            if (many > (one > most ? one : most)) fail_msg("n = %lld: %zu bytes", (long long)n, many);
        }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    small = argc > 1 && strcmp(argv[1], "small") == 0;
    char *arguments[] = {argv[0], "cuda", NULL};
    if (!test_device_answers(2, arguments)) return 77;
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_sizes),    cmocka_unit_test(test_relative),  cmocka_unit_test(test_bits),
        cmocka_unit_test(test_gives_up), cmocka_unit_test(test_workspace),
    };
    if (argc > 1 + small) cmocka_set_test_filter(argv[1 + small]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
