/* The plain solver of geev, method reference: it is right where the lanes are not asked, and a matrix that does not
 * converge keeps what was found and says which that is. */
#include "support/geev_fixture.h"

static eig_geev_options plainly(void)
{
    eig_geev_options options = EIG_GEEV_OPTIONS;
    options.method = EIG_GEEV_REFERENCE;
    return options;
}

static eig_context *open_cpu(void)
{
    eig_context *ctx;
    assert_int_equal(eig_create(&ctx, "cpu"), EIG_OK);
    return ctx;
}

/* The reference's eigenvalues are certified like the library's. */
static void test_certified(void **state)
{
    (void)state;
    eig_geev_options const options = plainly();
    eig_context *const ctx = open_cpu();
    for (size_t c = 0; matrices_nonsymmetric_names[c]; ++c) {
        for (int64_t n = 1; n <= 41; n += 8) {
            batch b = batch_make(matrices_nonsymmetric_names[c], n, 2, EIG_D, 3);
            solve(ctx, &options, &b);
            for (int64_t m = 0; m < 2; ++m) certify(matrices_nonsymmetric_names[c], &b, m);
            batch_free(&b);
        }
    }
    eig_destroy(ctx);
}

/* With fewer and fewer steps allowed: info = k > 0, w[k..n-1] are eigenvalues, w[0..k-1] are NaN. */
static void test_gives_up(void **state)
{
    enum { N = 12, MATRICES = 40 };
    (void)state;
    int seen[N + 1] = {0};
    eig_geev_options options = plainly();
    options.no_balance = 1; /* it would isolate eigenvalues, which are then found whatever happens */
    eig_context *const ctx = open_cpu();
    batch b = batch_make("gaussian", N, MATRICES, EIG_D, 1);
    for (options.max_steps = 1; options.max_steps <= 8; ++options.max_steps) {
        solve(ctx, &options, &b);
        for (int64_t m = 0; m < MATRICES; ++m) {
            const double *const a = b.a + m * N * N, *const w = b.w + 2 * m * N;
            int const info = b.info[m];
            assert_in_range(info, 0, N);
            ++seen[info];
            for (int k = 0; k < N; ++k) {
                dense_number determinant;
                if (k < info)
                    assert_true(isnan(w[2 * k]) && isnan(w[2 * k + 1]));
                else
                    assert_true(dense_sigma_min(N, a, dense_complex(w[2 * k], w[2 * k + 1]), &determinant) <=
                                10 * N * DBL_EPSILON * dense_norm(N, a));
            }
        }
    }
    batch_free(&b);
    eig_destroy(ctx);
    assert_true(seen[0] > 0 && seen[N] > 0);
    int between = 0;
    for (int k = 1; k < N; ++k) between += seen[k];
    assert_true(between > 10);
}

int main(void)
{
    struct CMUnitTest const tests[] = {cmocka_unit_test(test_certified), cmocka_unit_test(test_gives_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
