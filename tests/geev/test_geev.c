/* geev on the device named by the argument: certificates for every kind of matrix, known spectra, a second opinion.
 * Extreme numbers: test_geev_extreme.c; bits and arguments: test_geev_calls.c. */
#include "io/matrices.h"
#include "support/geev_fixture.h"

#ifdef EIG_TEST_LAPACK
void dgeev_(const char *left, const char *right, const int *n, double *a, const int *lda, double *re, double *im,
            double *vl, const int *ldvl, double *vr, const int *ldvr, double *work, const int *size, int *info,
            size_t left_length, size_t right_length);
#endif

/* ------------------------------------------------------------- certificates */

/* Floats cannot hold some kinds. */
static bool fits(const char *kind, eig_type type)
{
    return type == EIG_D || strcmp(kind, "graded-full") != 0;
}

static void test_kinds(void **state)
{
    static const int64_t orders[] = {1, 2, 3, 4, 5, 8, 13, 30, 64, 70};
    (void)state;
    eig_context *const ctx = test_context(2);
    eig_geev_options options = EIG_GEEV_OPTIONS;
    for (size_t k = 0; matrices_nonsymmetric_names[k]; ++k) {
        const char *const kind = matrices_nonsymmetric_names[k];
        for (size_t c = 0; c < 2 * COUNT(orders); ++c) {
            int64_t const n = orders[c / 2], count = n > 32 ? 5 : 19;
            if (!fits(kind, real_types[c % 2])) continue;
            batch b = batch_make(kind, n, count, real_types[c % 2], 100 + c);
            for (options.no_balance = 0; options.no_balance < 2; ++options.no_balance) {
                solve(ctx, &options, &b);
                certify(kind, &b, 0);
                certify(kind, &b, count - 1);
                if (n <= 13) certify(kind, &b, count / 2);
            }
            if (n <= 30) { /* the plain version, which is slow */
                options.method = EIG_GEEV_REFERENCE, options.no_balance = 0;
                solve(ctx, &options, &b);
                certify(kind, &b, count / 2);
                options.method = EIG_GEEV_AUTO;
            }
            batch_free(&b);
        }
    }
    eig_destroy(ctx);
}

/* Every matrix of a large random batch, so that rare roads are met as well. */
static void test_many(void **state)
{
    static const int64_t orders[] = {3, 6, 10};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 2 * COUNT(orders); ++c) {
        batch b = batch_make("gaussian", orders[c / 2], 701, real_types[c % 2], 7);
        solve(ctx, NULL, &b);
        for (int64_t m = 0; m < b.count; ++m) certify("gaussian", &b, m);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

static void test_large(void **state)
{
    static const int64_t orders[] = {100, 161};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < COUNT(orders); ++c) {
        batch b = batch_make("random", orders[c], 2, real_types[c % 2], 3);
        solve(ctx, NULL, &b);
        certify("random", &b, 1);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* An order that takes long to certify: the trace, the pairs, and that no eigenvalue exceeds the norm. */
static void test_1024(void **state)
{
    enum { N = 1024 };
    (void)state;
    eig_context *const ctx = test_context(1);
    batch b = batch_make("gaussian", N, 1, EIG_D, 41);
    solve(ctx, NULL, &b);
    double const norm = (double)dense_norm(N, b.a);
    long double trace = 0;
    assert_int_equal(b.info[0], 0);
    certify_pairs("gaussian", N, b.w);
    for (int64_t k = 0; k < N; ++k) {
        trace += (long double)b.a[k * N + k] - (long double)b.w[2 * k];
        assert_true(hypot(b.w[2 * k], b.w[2 * k + 1]) <= norm);
    }
    assert_true(fabsl(trace) <= 10 * N * DBL_EPSILON * norm);
    batch_free(&b);
    eig_destroy(ctx);
}

/* ------------------------------------------------------------ known spectra */

/* Normal matrices (cyclic ...) move their eigenvalues by no more than their backward error; Clement's by 2^n of it. */
static void test_known(void **state)
{
    static const int64_t orders[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 31, 64, 66};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t k = 0; matrices_nonsymmetric_names[k]; ++k) {
        const char *const kind = matrices_nonsymmetric_names[k];
        bool const clement = strcmp(kind, "kac") == 0;
        for (size_t c = 0; c < 2 * COUNT(orders); ++c) {
            int64_t const n = orders[c / 2];
            double *const known = room((size_t)(2 * n), sizeof *known);
            if (matrices_nonsymmetric_spectrum(kind, n, known) && !(clement && n > 9)) {
                batch b = batch_make(kind, n, 3, real_types[c % 2], 1);
                solve(ctx, NULL, &b);
                double const norm = (double)dense_norm(n, b.a), eps = type_eps(b.type);
                double const far = distance(n, known, b.w + 2 * n);
                double const limit = 10 * (double)n * eps * norm * (clement ? ldexp(1, (int)n) : 1);
                if (!(far <= limit)) fail_msg("%s n=%lld: off by %g, allowed %g", kind, (long long)n, far, limit);
                batch_free(&b);
            }
            free(known);
        }
    }
    eig_destroy(ctx);
}

/* A triangular matrix gives its diagonal, exactly; so does one that a permutation makes triangular. */
static void test_triangular(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int64_t n = 1; n <= 66; n += 13) {
        batch b = batch_make("triangular", n, 2, EIG_D, 5);
        double *const known = room((size_t)(2 * n), sizeof *known);
        for (int64_t i = 0; i < n; ++i) known[2 * i] = b.a[n * n + i * n + i];
        /* Matrix 0 is matrix 1 with its indices backwards, from another start. */
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j) b.a[i * n + j] = b.a[n * n + (2 * n + 3 - i) % n * n + (2 * n + 3 - j) % n];
        solve(ctx, NULL, &b);
        assert_true(distance(n, known, b.w) == 0);
        assert_true(distance(n, known, b.w + 2 * n) == 0);
        free(known);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* [G X; 0 T] and [T X; 0 G], T triangular, with rows and columns in any order: balancing finds the eigenvalues of T,
 * exactly, however many passes it takes. */
static void test_isolated(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int64_t n = 6; n <= 66; n += 12) {
        int64_t const half = n / 2, square = n * n;
        batch b = batch_make("gaussian", n, 8, EIG_D, 47);
        double *const dense = room((size_t)square, sizeof *dense);
        matrices_rng rng = matrices_seed((uint64_t)n);
        int64_t order[66];
        double known[8][66];
        for (int64_t m = 0; m < 8; ++m) {
            int64_t const from = m % 2 ? 0 : n - half; /* where T begins */
            for (int64_t i = 0; i < n; ++i)
                for (int64_t j = 0; j < n; ++j) {
                    bool const in_t = i >= from && i < from + half, beside = j >= from && j < from + half;
                    bool const zero = m % 2 ? beside && (!in_t || i > j) : in_t && (!beside || i > j);
                    dense[i * n + j] = zero ? 0 : b.a[m * square + i * n + j];
                }
            for (int64_t i = 0; i < half; ++i) known[m][i] = dense[(from + i) * (n + 1)];
            for (int64_t i = 0; i < n; ++i) order[i] = m < 2 ? n - 1 - i : i;
            for (int64_t i = n - 1; i > 0 && m > 3; --i) { /* a random order */
                int64_t const j = (int64_t)(matrices_uniform(&rng) * (double)(i + 1)), k = order[i];
                order[i] = order[j], order[j] = k;
            }
            for (int64_t i = 0; i < n; ++i)
                for (int64_t j = 0; j < n; ++j) b.a[m * square + i * n + j] = dense[order[i] * n + order[j]];
        }
        for (int method = EIG_GEEV_AUTO; method <= EIG_GEEV_REFERENCE; method += EIG_GEEV_REFERENCE) {
            eig_geev_options options = EIG_GEEV_OPTIONS;
            options.method = (eig_geev_method)method;
            solve(ctx, &options, &b);
            for (int64_t m = 0; m < 8; ++m) {
                certify("isolated", &b, m);
                for (int64_t k = 0; k < half; ++k) {
                    bool found = false;
                    for (int64_t i = 0; i < n; ++i)
                        found |= b.w[2 * (m * n + i)] == known[m][k] && b.w[2 * (m * n + i) + 1] == 0;
                    if (!found) fail_msg("n=%lld matrix %d: %.17g is not found", (long long)n, (int)m, known[m][k]);
                }
            }
        }
        free(dense);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* A Jordan block of order n scatters by eps^(1/n): no closer is possible, and no further is right. */
static void test_jordan(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int64_t n = 2; n <= 32; n *= 2) {
        batch b = batch_make("jordan", n, 4, EIG_D, 11);
        solve(ctx, NULL, &b);
        for (int64_t k = 0; k < 4 * n; ++k)
            assert_true(hypot(b.w[2 * k] - 1, b.w[2 * k + 1]) <=
                        2 * pow(20 * (double)n * DBL_EPSILON, 1.0 / (double)n));
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* ----------------------------------------------------------- second opinion */

static void test_lapack(void **state)
{
    (void)state;
#ifdef EIG_TEST_LAPACK
    static const int64_t orders[] = {1, 2, 5, 10, 20, 30, 64};
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < COUNT(orders); ++c) {
        int const n = (int)orders[c], size = 40 * n + 40, one = 1;
        batch b = batch_make("closed-loop", n, 20, EIG_D, 17);
        double *const a = room((size_t)(n * n + 6 * n + size), sizeof *a), *const re = a + n * n, *const im = re + n;
        double *const known = im + n, *const work = known + 4 * n;
        solve(ctx, NULL, &b);
        for (int64_t m = 0; m < b.count; ++m) {
            double norm = 0;
            int info;
            for (int64_t i = 0; i < n; ++i)
                for (int64_t j = 0; j < n; ++j) a[i + j * n] = b.a[(m * n + i) * n + j], norm += fabs(a[i + j * n]);
            dgeev_("N", "N", &n, a, &n, re, im, NULL, &one, NULL, &one, work, &size, &info, 1, 1);
            assert_int_equal(info, 0);
            for (int k = 0; k < n; ++k) known[2 * k] = re[k], known[2 * k + 1] = im[k];
            /* Random matrices have eigenvalues with condition numbers of a few hundred at most. */
            assert_true(distance(n, known, b.w + 2 * m * n) <= 1000 * n * DBL_EPSILON * norm);
        }
        free(a);
        batch_free(&b);
    }
    eig_destroy(ctx);
#else
    skip_because("the build has no LAPACK to compare with");
#endif
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    struct CMUnitTest const tests[] = {
        /* the quick ones first */
        cmocka_unit_test(test_triangular), cmocka_unit_test(test_isolated), cmocka_unit_test(test_known),
        cmocka_unit_test(test_jordan),     cmocka_unit_test(test_lapack),   cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_many),       cmocka_unit_test(test_large),    cmocka_unit_test(test_1024),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
