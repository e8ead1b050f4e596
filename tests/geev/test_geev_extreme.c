/* geev on the device named by the argument: numbers of extreme size, blocks that cancel, graded and badly scaled matrices, and
 * input that is not finite. */
#include "support/geev_fixture.h"

/* --------------------------------------------------------- extreme numbers */

/* Scaling by a power of two scales every eigenvalue: but for square roots of odd powers, exactly. */
static void test_scaled(void **state)
{
    static const int exponents[] = {-900, -460, -300, 300, 458, 520, 1000};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int64_t n = 2; n <= 32; n += 15) {
        batch b = batch_make("gaussian", n, 9, EIG_D, 23), scaled = batch_new(n, 9, EIG_D);
        solve(ctx, NULL, &b);
        for (size_t c = 0; c < COUNT(exponents); ++c) {
            for (int64_t k = 0; k < 9 * n * n; ++k) scaled.a[k] = ldexp(b.a[k], exponents[c]);
            solve(ctx, NULL, &scaled);
            for (int64_t k = 0; k < 18 * n; k += 2) {
                double const size = hypot(b.w[k], b.w[k + 1]), limit = ldexp(4 * DBL_EPSILON * size, exponents[c]);
                for (int part = 0; part < 2; ++part)
                    assert_true(fabs(scaled.w[k + part] - ldexp(b.w[k + part], exponents[c])) <= limit);
            }
        }
        batch_free(&b);
        batch_free(&scaled);
    }
    eig_destroy(ctx);
}

/* Subnormal numbers only; and the largest there are. */
static void test_limits(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int single = 0; single < 2; ++single) {
        for (int64_t n = 1; n <= 65; n += 16) {
            batch b = batch_make("gaussian", n, 10, real_types[single], 29);
            for (int64_t k = 0; k < 10 * n * n; ++k) {
                int const low = single ? -140 : -1060, high = single ? 124 : 1020;
                b.a[k] = ldexp(fmax(fmin(b.a[k], 4), -4), k < 5 * n * n ? low : high);
            }
            batch_round(&b);
            solve(ctx, NULL, &b);
            certify("subnormal", &b, 3);
            for (int64_t k = 0; k < 2 * n && n < 8; ++k) assert_true(isfinite(b.w[2 * 7 * n + k]));
            if (n < 8) certify("huge", &b, 7); /* a larger n has eigenvalues beyond the largest number */
            batch_free(&b);
        }
    }
    eig_destroy(ctx);
}

/* 2 x 2 blocks whose formula must not cancel, over- or underflow. */
static void test_blocks(void **state)
{
    static const double cases[][8] = {
        {0, -1, 1, 0, 0, 1, 0, -1}, /* a, b, c, d, and the two eigenvalues */
        {1, 1e-300, -1e-300, 1, 1, 1e-300, 1, -1e-300},
        {3, 1e200, 0, -5, 3, 0, -5, 0}, /* triangular */
        {3, 0, 1e-200, -5, 3, 0, -5, 0},
        {1e8, 1, 1, 0, 1e8, 0, -1e-8, 0}, /* the small one from the product */
        {0, 1e150, 1e-150, 0, 1, 0, -1, 0},
        {2, 0, 0, 2, 2, 0, 2, 0},
    };
    (void)state;
    eig_context *const ctx = test_context(1);
    batch b = batch_new(2, (int64_t)COUNT(cases), EIG_D);
    for (size_t c = 0; c < COUNT(cases); ++c) memcpy(b.a + 4 * c, cases[c], 4 * sizeof(double));
    solve(ctx, NULL, &b);
    for (size_t c = 0; c < COUNT(cases); ++c) {
        double const *const want = cases[c] + 4;
        double const far = distance(2, want, b.w + 4 * c),
                     least = fmin(hypot(want[0], want[1]), hypot(want[2], want[3]));
        if (!(far <= 4 * DBL_EPSILON * least)) fail_msg("block %zu: off by %g", c, far);
    }
    batch_free(&b);
    eig_destroy(ctx);
}

/* Balancing undoes a scaling of rows and columns by powers of two: the eigenvalues are as good as those of the matrix
 * before it, however far the scaling goes, of all indices, or of one alone, whose row holds one tiny entry. */
static void test_balanced(void **state)
{
    static const int64_t orders[] = {3, 5, 13, 30, 66};
    static const int octaves[][2] = {{40, 15}, {220, 30}, {560, 60}}; /* for double and float */
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 2 * COUNT(orders); ++c)
        for (size_t far = 0; far < COUNT(octaves); ++far) {
            int64_t const n = orders[c / 2];
            if (far == 2 && n > 5) continue; /* along a longer cycle its rules end before the norms agree */
            batch plain = batch_make(far < 2 ? "gaussian" : "cyclic", n, 9, real_types[c % 2], 43);
            batch scaled = batch_new(n, 9, real_types[c % 2]);
            int power[66];
            for (int64_t i = 0; i < n; ++i) {
                int const most = octaves[far][c % 2];
                power[i] = far < 2 ? (int)(i * 7 % n * 2 * most / n) - most : i == n / 2 ? -most : 0;
            }
            for (int64_t m = 0; m < 9; ++m)
                for (int64_t i = 0; i < n; ++i)
                    for (int64_t j = 0; j < n; ++j) {
                        int64_t const at = (m * n + i) * n + j;
                        scaled.a[at] = ldexp(plain.a[at], power[i] - power[j]);
                    }
            for (int method = EIG_GEEV_AUTO; method <= EIG_GEEV_REFERENCE; method += EIG_GEEV_REFERENCE) {
                eig_geev_options options = EIG_GEEV_OPTIONS;
                options.method = (eig_geev_method)method;
                solve(ctx, &options, &scaled);
                memcpy(plain.w, scaled.w, (size_t)(9 * 2 * n) * sizeof *plain.w);
                for (int64_t m = 0; m < 9; m += 4) certify("balanced", &plain, m);
            }
            batch_free(&plain), batch_free(&scaled);
        }
    eig_destroy(ctx);
}

/* [1 1; s t], or [1 s; 1 t], and 2, 3, ... on the diagonal below it. */
static batch graded_new(int64_t n, double s, double t, bool transposed)
{
    batch b = batch_new(n, 1, EIG_D);
    for (int64_t i = 2; i < n; ++i) b.a[i * n + i] = (double)i;
    b.a[0] = 1, b.a[n + 1] = t;
    b.a[1] = transposed ? s : 1, b.a[n] = transposed ? 1 : s;
    return b;
}

/* Such a matrix with s below eps but far above t: an eigenvalue of about t - s, which is lost where s is taken for zero
 * because of its neighbours on the diagonal. */
static void check_graded(eig_context *ctx, const eig_geev_options *options, int64_t n, int k, bool transposed)
{
    double const s = ldexp(k % 2 ? 1.5 : -1.5, -56 - k), t = ldexp(1, -62 - k);
    batch b = graded_new(n, s, t, transposed);
    solve(ctx, options, &b);
    /* det over the larger root, which is 1 + s to the last place of a long double. */
    long double const large = 1.0L + (long double)s, small = ((long double)t - (long double)s) / large;
    double found = b.w[0];
    for (int64_t i = 1; i < n; ++i) found = fabs(b.w[2 * i]) < fabs(found) ? b.w[2 * i] : found;
    if (fabsl((long double)found - small) > 16 * DBL_EPSILON * fabsl(small))
        fail_msg("[1 1; %g %g]%s, %lld rows: %.17g, exactly %.17Lg", s, t, transposed ? "'" : "", (long long)n, found,
                 small);
    batch_free(&b);
}

static void test_graded(void **state)
{
    static const int64_t orders[] = {2, 3, 6, 14, 40};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int method = EIG_GEEV_AUTO; method <= EIG_GEEV_REFERENCE; ++method)
        for (int plain = 0; plain < 2; ++plain)
            for (size_t i = 0; i < COUNT(orders); ++i)
                for (int k = 0; k < 16; ++k) {
                    eig_geev_options options = EIG_GEEV_OPTIONS;
                    options.method = (eig_geev_method)method, options.no_balance = plain;
                    check_graded(ctx, &options, orders[i], k % 8, k >= 8);
                }
    eig_destroy(ctx);
}

/* A nilpotent block under a large entry, plainly: shifts that an exceptional step takes from the window's top are useless
 * for it, those of the 20th step, from the bottom, are not.  It takes 25 steps, and 42 without that one. */
static void test_exceptional_at_bottom(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    eig_geev_options options = EIG_GEEV_OPTIONS;
    options.method = EIG_GEEV_REFERENCE, options.no_balance = 1, options.max_steps = 33;
    batch b = batch_new(4, 1, EIG_D);
    b.a[0] = 1e4, b.a[4] = 0.75, b.a[9] = -2, b.a[14] = 1e-4;
    solve(ctx, &options, &b);
    assert_int_equal(b.info[0], 0);
    certify("nilpotent", &b, 0);
    batch_free(&b);
    eig_destroy(ctx);
}

/* ---------------------------------------------------------------- not finite */

/* NaN and infinities in a few of a million: only those are NaN, and said to be. */
static void test_not_finite(void **state)
{
    enum { N = 2, MANY = 1000000 };
    static const int64_t bad[] = {0, 437, 438, 999999};
    static const double values[] = {NAN, INFINITY, -INFINITY, NAN};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int single = 0; single < 2; ++single) {
        batch clean = batch_make("random", N, MANY, real_types[single], 31),
              dirty = batch_make("random", N, MANY, real_types[single], 31);
        for (size_t c = 0; c < COUNT(bad); ++c) dirty.a[bad[c] * N * N + (int64_t)c] = values[c];
        solve(ctx, NULL, &clean);
        solve(ctx, NULL, &dirty);
        int64_t found = 0;
        for (int64_t m = 0; m < MANY; ++m) {
            bool const is_bad = m == bad[0] || m == bad[1] || m == bad[2] || m == bad[3];
            found += is_bad;
            assert_int_equal(clean.info[m], 0);
            assert_int_equal(dirty.info[m], is_bad ? EIG_INFO_NOT_FINITE : 0);
            for (int64_t k = 2 * m * N; k < 2 * (m + 1) * N; ++k)
                assert_true(is_bad ? isnan(dirty.w[k]) : dirty.w[k] == clean.w[k]);
        }
        assert_int_equal(found, COUNT(bad));
        batch_free(&clean);
        batch_free(&dirty);
    }
    /* The same above the kernels' largest order, and with everything NaN. */
    for (int64_t n = 5; n <= 70; n += 65) {
        batch b = batch_make("random", n, 3, EIG_D, 37);
        b.a[n * n + n] = NAN;
        for (int64_t k = 2 * n * n; k < 3 * n * n; ++k) b.a[k] = NAN;
        solve(ctx, NULL, &b);
        certify("random", &b, 0);
        for (int64_t k = 2 * n; k < 6 * n; ++k) assert_true(isnan(b.w[k]));
        assert_int_equal(b.info[1], EIG_INFO_NOT_FINITE);
        assert_int_equal(b.info[2], EIG_INFO_NOT_FINITE);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_blocks),     cmocka_unit_test(test_graded), cmocka_unit_test(test_exceptional_at_bottom),
        cmocka_unit_test(test_scaled),     cmocka_unit_test(test_limits), cmocka_unit_test(test_balanced),
        cmocka_unit_test(test_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
