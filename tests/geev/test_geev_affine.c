/* geev of a matrix over a grid of parameters (eig_?geev_affine), on the device named by the argument: the bits of matrices that are
 * formed by hand, and measures. */
#include "support/geev_fixture.h"

/* The measure of the eigenvalues of one matrix, plainly. */
static double measured(int kind, int64_t n, const double *w)
{
    double worst = kind == 'D' ? INFINITY : -INFINITY;
    for (int64_t k = 0; k < n; ++k) {
        double const size = hypot(w[2 * k], w[2 * k + 1]);
        double const damping = size == 0 ? -1 : -w[2 * k] / size;
        if (kind == 'A') worst = fmax(worst, w[2 * k]);
        if (kind == 'R') worst = fmax(worst, size);
        if (kind == 'D') worst = fmin(worst, damping);
    }
    return worst;
}

/* eig_dgeev_affine gives the bits that eig_dgeev_batched gives for the matrices formed by hand. */
static void test_affine(void **state)
{
    enum { M = 3, POINTS = 45 };
    static const int64_t orders[] = {1, 2, 4, 15, 64, 66};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < COUNT(orders); ++c) {
        int64_t const n = orders[c], square = n * n;
        batch terms = batch_make("gaussian", n, M + 1, EIG_D, 13), b = batch_new(n, POINTS, EIG_D);
        double *const x = room(4 * POINTS, sizeof *x), *const value = room(POINTS, sizeof *value);
        placement const p =
            c % 2 ? place_rows(EIG_LAYOUT_MATRIX_WISE, n, M + 1, 2) : place(EIG_LAYOUT_MATRIX_WISE, n, M + 1, 2);
        eig_geev_options o = EIG_GEEV_OPTIONS;
        o.row_major = p.row_major;
        numbers a = laid_out(&terms, &p, 0, M + 1);
        for (int64_t k = 0; k < 4 * POINTS; ++k) x[k] = k % 4 == 3 ? NAN : sin((double)k);
        x[4 * 17 + 1] = INFINITY;
        for (int64_t m = 0; m < POINTS; ++m)
            for (int64_t k = 0; k < square; ++k) {
                double volatile sum = terms.a[k], product;
                for (int64_t t = 0; t < M; ++t) product = x[4 * m + t] * terms.a[(t + 1) * square + k], sum += product;
                b.a[m * square + k] = sum;
            }
        solve(ctx, NULL, &b);
        eig_z *const w = room((size_t)(n * POINTS), sizeof *w);
        int info[POINTS];
        for (int kind = 'A'; kind <= 'R'; kind += kind == 'A' ? 'D' - 'A' : 'R' - 'D') {
            assert_int_equal(eig_dgeev_affine(ctx, &o, n, M, a.data, p.lda, p.stride, x, 4, kind == 'D' ? NULL : w, n,
                                              (eig_geev_measure)kind, value, info, POINTS),
                             EIG_OK);
            if (kind != 'D') assert_memory_equal(w, b.w, (size_t)(2 * n * POINTS) * sizeof(double));
            for (int64_t m = 0; m < POINTS; ++m) {
                assert_int_equal(info[m], m == 17 ? EIG_INFO_NOT_FINITE : 0);
                double const want = measured(kind, n, b.w + 2 * m * n);
                assert_true(m == 17 ? isnan(value[m]) : fabs(value[m] - want) <= 4 * DBL_EPSILON * fabs(want));
            }
        }
        /* A point alone, whose other strides are unused. */
        memset(w, 0, (size_t)n * sizeof *w);
        assert_int_equal(eig_dgeev_affine(ctx, &o, n, M, a.data, p.lda, p.stride, x + 4 * 5, 0, w, 0, EIG_GEEV_RADIUS,
                                          value, info, 1),
                         EIG_OK);
        assert_memory_equal(w, b.w + 2 * 5 * n, (size_t)(2 * n) * sizeof(double));
        numbers_free(&a);
        free(x), free(value), free(w);
        batch_free(&terms), batch_free(&b);
    }
    eig_destroy(ctx);
}

/* In single precision; and with no parameter at all, where x may be NULL. */
static void test_affine_single(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    float const a[] = {0, 2, -1, 0, 1, 0, 0, 1}, x[] = {0, 1, -3};
    float value[3];
    eig_c w[6];
    assert_int_equal(eig_sgeev_affine(ctx, NULL, 2, 1, a, 2, 4, x, 1, w, 2, EIG_GEEV_RADIUS, value, NULL, 3), EIG_OK);
    for (int p = 0; p < 3; ++p) {
        assert_true(fabsf(w[2 * p].re - x[p]) <= 4e-7F && fabsf(w[2 * p].im - sqrtf(2)) <= 4e-7F);
        assert_true(fabsf(value[p] - hypotf(x[p], sqrtf(2))) <= 1e-6F);
    }
    assert_int_equal(eig_sgeev_affine(ctx, NULL, 2, 0, a, 2, 4, NULL, 0, NULL, 0, EIG_GEEV_DAMPING, value, NULL, 3),
                     EIG_OK);
    for (int p = 0; p < 3; ++p) assert_true(value[p] == 0);
    eig_destroy(ctx);
}

/* Measures of eigenvalues whose squares over- or underflow, and of zero. */
static void test_extreme_measures(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    static const double turn[] = {0, 0, 0, 0, 3, 4, -4, 3}, x[] = {1e300, 1e-300, 0, -1e300, -1e-300};
    double value[5];
    static const eig_geev_measure kinds[] = {EIG_GEEV_ABSCISSA, EIG_GEEV_RADIUS, EIG_GEEV_DAMPING};
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(eig_dgeev_affine(ctx, NULL, 2, 1, turn, 2, 4, x, 1, NULL, 0, kinds[k], value, NULL, 5),
                         EIG_OK);
        for (int p = 0; p < 5; ++p) { /* eigenvalues x (3 +- 4i) */
            double const want = k == 0 ? 3 * x[p] : k == 1 ? 5 * fabs(x[p]) : x[p] == 0 ? -1 : x[p] > 0 ? -0.6 : 0.6;
            if (!(fabs(value[p] - want) <= 16 * DBL_EPSILON * fabs(want)))
                fail_msg("measure %c at %g: %.17g, exactly %.17g", (int)kinds[k], x[p], value[p], want);
        }
    }
    eig_destroy(ctx);
}

/* Without value any measure will do, and the eigenvalues are as ever; one of both there must be.  With n = 0 there is nothing to
 * measure: value is not written, and info of each point is 0. */
static void test_outputs(void **state)
{
    enum { N = 5, M = 2, POINTS = 9 };
    (void)state;
    eig_context *const ctx = test_context(2);
    double a[(M + 1) * N * N], x[M * POINTS], value[POINTS];
    eig_z w[POINTS * N], alone[POINTS * N];
    int info[POINTS];
    for (int k = 0; k < (M + 1) * N * N; ++k) a[k] = sin(1 + 3 * k);
    for (int k = 0; k < M * POINTS; ++k) x[k] = cos(k);
#define AFFINE(n, w, measure, value) \
    eig_dgeev_affine(ctx, NULL, n, M, a, N, N *N, x, M, w, N, (eig_geev_measure)(measure), value, info, POINTS)
    assert_int_equal(AFFINE(N, w, EIG_GEEV_RADIUS, value), EIG_OK);
    static int const measures[] = {0, 'X', EIG_GEEV_ABSCISSA, -1};
    for (size_t k = 0; k < COUNT(measures); ++k) {
        memset(alone, 0, sizeof alone);
        assert_int_equal(AFFINE(N, alone, measures[k], NULL), EIG_OK);
        assert_memory_equal(alone, w, sizeof w);
    }
    expect_refused(ctx, AFFINE(N, w, 'X', value), EIG_BAD_ARGUMENT, "measure = 88");
    expect_refused(ctx, AFFINE(N, NULL, EIG_GEEV_RADIUS, NULL), EIG_BAD_ARGUMENT, "w and value are");
    for (int p = 0; p < POINTS; ++p) value[p] = 55, info[p] = 7;
    assert_int_equal(AFFINE(0, w, EIG_GEEV_RADIUS, value), EIG_OK);
    for (int p = 0; p < POINTS; ++p) assert_true(value[p] == 55 && info[p] == 0);
#undef AFFINE
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_affine),
        cmocka_unit_test(test_affine_single),
        cmocka_unit_test(test_extreme_measures),
        cmocka_unit_test(test_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
