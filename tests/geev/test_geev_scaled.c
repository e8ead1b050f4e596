/* geev on the device named by the argument: eigenvectors of badly scaled matrices.  Balancing solves another matrix; what is
 * promised is promised for A itself: ||A v - w v|| <= 10 n eps ||A||, right and left. */
#include "support/adversary_nonsymmetric.h"
#include "support/geev_vectors_fixture.h"
#include "support/sanitizer.h"

/* Solves the batch with all that can be wanted, and certifies every pair. */
static void solve_and_certify(eig_context *ctx, const char *name, pairs *b)
{
    pairs_round(b);
    pairs_solve(ctx, NULL, b, WANT_ALL);
    for (int64_t m = 0; m < b->count; ++m) {
        certify_vectors(name, b, m, 10);
        certify_traces(name, b, m);
    }
}

/* The type's matrix: a complex one turns the rows and columns of a real one by a unitary diagonal. */
static void put(pairs *b, int64_t m, const double *a)
{
    int64_t const n = b->n;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
            double const angle = type_is_complex(b->type) ? 0.3 + (double)(i - j) : 0;
            double *const to = b->a + 2 * ((m * n + i) * n + j);
            to[0] = a[i * n + j] * cos(angle), to[1] = a[i * n + j] * sin(angle);
        }
}

/* ----------------------------------------------------------------- small matrices */

/* [a b; c d] of which balancing's vectors are wrong; both orders in memory, in doubles and in what float holds of them. */
static void test_examples(void **state)
{
    static const double cases[][4] = {
        {0, 1, -1e-100, 1e-20}, {0, 1, -1e-32, 1e-12}, {1e-40, 1, 1e-40, 1}, {1e-20, 1, 1e-20, 1}, {1, 1e-30, 1e30, 1},
    };
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int t = 0; t < 4; ++t)
        for (size_t c = 0; c < COUNT(cases); ++c)
            for (int turned = 0; turned < 2; ++turned) {
                const double *const x = cases[c];
                double const a[4] = {x[0], x[turned ? 2 : 1], x[turned ? 1 : 2], x[3]};
                char name[40];
                snprintf(name, sizeof name, "example %zu, %d", c, turned);
                pairs b = pairs_new(2, 1, all_types[t]);
                put(&b, 0, a);
                solve_and_certify(ctx, name, &b);
                pairs_free(&b);
            }
    eig_destroy(ctx);
}

/* The vector of the large eigenvalue of [[1e-40, 1], [1e-40, 1]] is (1, 1) / sqrt 2; balancing gives (0, 1). */
static void test_known_vector(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    pairs b = pairs_new(2, 1, EIG_D);
    b.a[0] = b.a[4] = 1e-40, b.a[2] = b.a[6] = 1;
    pairs_solve(ctx, NULL, &b, WANT_ALL);
    int64_t const k = b.w[0] > 0.5 ? 0 : 1;
    assert_true(fabs(b.w[2 * k] - 1) <= 4 * DBL_EPSILON);
    for (int i = 0; i < 2; ++i) assert_true(fabs(b.vr[2 * (2 * k + i)] - sqrt(0.5)) <= 8 * DBL_EPSILON);
    assert_true(fabs(b.condition[k] - sqrt(0.5)) <= 8 * DBL_EPSILON);
    pairs_free(&b);
    eig_destroy(ctx);
}

static void test_complex_pair(void **state)
{
    static const double a[8] = {-0.8019, 1.1360, -1.3244e-40, 0.1097e-40, -0.2484, -0.5526, 4.2e-41, -7.85e-41};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int turned = 0; turned < 2; ++turned) {
        pairs b = pairs_new(2, 1, EIG_Z);
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j)
                for (int part = 0; part < 2; ++part)
                    b.a[2 * (2 * i + j) + part] = a[2 * (turned ? 2 * j + i : 2 * i + j) + part];
        solve_and_certify(ctx, "complex 2 x 2", &b);
        pairs_free(&b);
    }
    eig_destroy(ctx);
}

/* randn(2, 2) diag(10^-s, 1), and its transpose: many at once, for each s. */
static void test_many_small(void **state)
{
    enum { MANY = 1000 };
    static const double decades[] = {4, 8, 12, 20, 30, 40};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int t = 0; t < 4; ++t)
        for (size_t c = 0; c < COUNT(decades); ++c) {
            matrices_rng rng = matrices_seed(47 + c);
            pairs b = pairs_new(2, MANY, all_types[t]);
            for (int64_t m = 0; m < MANY; ++m)
                for (int e = 0; e < 8; e += 2) {
                    bool const small = m % 2 ? e < 4 : e % 4 == 0;
                    double const scale = small ? pow(10, -decades[c]) : 1;
                    b.a[8 * m + e] = matrices_normal(&rng) * scale;
                    b.a[8 * m + e + 1] = type_is_complex(b.type) ? matrices_normal(&rng) * scale : 0;
                }
            solve_and_certify(ctx, "small", &b);
            pairs_free(&b);
        }
    eig_destroy(ctx);
}

/* ---------------------------------------------------------------------- all kinds */

static void test_forsythe(void **state)
{
    static const int64_t orders[] = {25, 64, 70};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int t = 0; t < 4; ++t)
        for (size_t c = 0; c < COUNT(orders); ++c) {
            int64_t const n = orders[c];
            double *const a = room((size_t)(n * n), sizeof *a);
            for (int64_t i = 0; i + 1 < n; ++i) a[i * n + i + 1] = 1;
            a[(n - 1) * n] = type_is_single(all_types[t]) ? 1e-7 : 1e-16;
            pairs b = pairs_new(n, 1, all_types[t]);
            put(&b, 0, a);
            solve_and_certify(ctx, "Forsythe", &b);
            pairs_free(&b), free(a);
        }
    eig_destroy(ctx);
}

/* Columns, then rows, from 1 down to 1e-40 (float: 1e-30), then up. */
static void test_graded(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int t = 0; t < 4; ++t)
        for (int64_t n = 2; n <= 70; n += ADDRESS_SANITIZED && n > 8 ? 9 : n < 20 ? 1 : n < 62 ? 7 : 1) {
            matrices_rng rng = matrices_seed((uint64_t)n);
            pairs b = pairs_new(n, 4, all_types[t]);
            double *const a = room((size_t)(n * n), sizeof *a);
            for (int64_t m = 0; m < 4; ++m) {
                double const span = (type_is_single(b.type) ? 30 : 40) / (double)(n - 1);
                for (int64_t i = 0; i < n; ++i)
                    for (int64_t j = 0; j < n; ++j) {
                        int64_t const at = m % 2 ? i : j;
                        a[i * n + j] = matrices_normal(&rng) * pow(10, -span * (double)(m < 2 ? at : n - 1 - at));
                    }
                put(&b, m, a);
            }
            solve_and_certify(ctx, "graded", &b);
            pairs_free(&b), free(a);
        }
    eig_destroy(ctx);
}

/* The generators of test_random that are badly scaled. */
static void test_kinds(void **state)
{
    static fill_nonsymmetric *const fills[] = {
        dense_graded_columns, dense_graded_rows,       dense_sparse_sizes,    dense_reversed_wilkinson,
        dense_integrators,    dense_small_subdiagonal, dense_small_couplings, dense_nearly_triangular,
        dense_forsythe,       dense_unbalanced,        dense_far_pairs,
    };
    static const int64_t orders[] = {2, 3, 5, 10, 17, 33, 50, 64, 65, 70};
    enum { FEW = ADDRESS_SANITIZED ? 2 : 6 };
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t kind = 0; kind < COUNT(fills); ++kind)
        for (size_t c = 0; c < COUNT(orders); ++c)
            for (int t = 0; t < 4; ++t) {
                int64_t const n = orders[c], count = n > 40 ? 2 : FEW;
                if (ADDRESS_SANITIZED && n > 40 && n != 65) continue; /* certificates take n^3 */
                matrices_rng rng = matrices_seed(1000 * kind + c);
                pairs b = pairs_new(n, count, all_types[t]);
                double *const a = room((size_t)(n * n), sizeof *a);
                char name[40];
                for (int64_t m = 0; m < count; ++m) {
                    double most = 0;
                    memset(a, 0, (size_t)(n * n) * sizeof *a);
                    fills[kind](&rng, n, a);
                    for (int64_t k = 0; k < n * n; ++k) most = fmax(most, fabs(a[k]));
                    for (int64_t k = 0; k < n * n && type_is_single(b.type) && most > 0; ++k) a[k] /= most;
                    put(&b, m, a);
                }
                snprintf(name, sizeof name, "kind %zu", kind);
                solve_and_certify(ctx, name, &b);
                pairs_free(&b), free(a);
            }
    eig_destroy(ctx);
}

/* Of very few matrices eigenvalues of the balanced one are not good for A, and no vector is: these are solved without balancing. */
static void test_unfit(void **state)
{
    enum { N = 12, MANY = 3000 };
    (void)state;
    eig_context *const ctx = test_context(2);
    matrices_rng rng = matrices_seed(16306);
    int64_t unfit = 0;
    double a[N * N];
    pairs_may_be_solved_again = true;
    for (int t = 0; t < 4; t += 2) {
        pairs b = pairs_new(N, MANY, all_types[t]);
        for (int64_t m = 0; m < MANY; ++m) dense_small_couplings(&rng, N, a), put(&b, m, a);
        solve_and_certify(ctx, "small couplings", &b);
        int64_t matrices = 0;
        assert_int_equal(eig_get_repairs(ctx, &matrices, NULL), EIG_OK);
        unfit += matrices;
        pairs_free(&b);
    }
    pairs_may_be_solved_again = false;
    if (test_on_cpu()) assert_in_range(unfit, 1, 60);
    eig_destroy(ctx);
}

/* A complex pair so small beside the largest entry that it underflows where the Schur form is scaled. */
static void test_tiny_pair(void **state)
{
    static const int64_t orders[] = {4, 5, 33, 64, 65, 90};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < COUNT(orders); ++c)
        for (int balanced = 0; balanced < 2; ++balanced)
            for (int single = 0; single < 2; ++single) {
                int64_t const n = orders[c];
                double const large = single ? 1e36 : 1e300, small = single ? 1e-8 : 1e-24;
                eig_geev_options o = EIG_GEEV_OPTIONS;
                o.no_balance = !balanced, o.no_certificate = 1; /* no repair hides what back-substitution makes */
                pairs b = pairs_new(n, 1, real_types[single]);
                for (int64_t i = 0; i + 1 < n; i += 2) {
                    bool const tiny = i % 4 == 2;
                    b.a[2 * (i * n + i + 1)] = tiny ? small : large;
                    b.a[2 * ((i + 1) * n + i)] = tiny ? -2 * small : large;
                }
                pairs_round(&b);
                pairs_solve(ctx, &o, &b, WANT_ALL);
                for (int64_t k = 0; k < 2 * n; ++k) certify_shape("tiny pair", &b, 0, k / 2, k % 2);
                /* Residuals of numbers near the largest one: times a power of two. */
                for (int64_t k = 0; k < 2 * n * n; ++k) b.a[k] = ldexp(b.a[k], single ? -120 : -1000);
                for (int64_t k = 0; k < 2 * n; ++k) b.w[k] = ldexp(b.w[k], single ? -120 : -1000);
                for (int64_t k = 0; k < 2 * n; ++k)
                    assert_true(pair_residual(&b, 0, k / 2, k % 2) <= 10 * residual_unit(&b, 0));
                pairs_free(&b);
            }
    eig_destroy(ctx);
}

/* ---------------------------------------------------------------- what is told of it */

/* Vectors are found again where balancing spoils them, and only there; without certificates they stay as they are. */
static void test_counts(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int64_t n = 4; n <= 68; n += 32) {
        matrices_rng rng = matrices_seed(3);
        int64_t matrices = -1, vectors = -1;
        eig_geev_options o = EIG_GEEV_OPTIONS;
        pairs b = pairs_new(n, 3, EIG_D);
        for (int64_t k = 0; k < 3 * n * n; ++k) b.a[2 * k] = matrices_normal(&rng);
        pairs_solve(ctx, &o, &b, WANT_ALL);
        assert_int_equal(eig_get_repairs(ctx, &matrices, &vectors), EIG_OK);
        assert_int_equal(matrices, 0);
        assert_int_equal(vectors, 0);
        for (int64_t k = 0; k < 3 * n * n; ++k) b.a[2 * k] *= pow(10, -40 * (double)(n - 1 - k % n) / (double)(n - 1));
        pairs_solve(ctx, &o, &b, WANT_ALL);
        assert_int_equal(eig_get_repairs(ctx, &matrices, &vectors), EIG_OK);
        assert_int_equal(matrices, 0);
        if (vectors <= 0 || vectors > 6 * n) fail_msg("n = %lld: %lld vectors", (long long)n, (long long)vectors);
        o.no_certificate = 1;
        long double worst = 0;
        pairs_solve(ctx, &o, &b, WANT_ALL);
        for (int64_t k = 0; k < n; ++k) worst = fmaxl(worst, pair_residual(&b, 0, k, false) / residual_unit(&b, 0));
        assert_true(worst > 1000);
        assert_int_equal(eig_get_repairs(ctx, NULL, &vectors), EIG_OK);
        assert_int_equal(vectors, 0);
        pairs_free(&b);
    }
    assert_int_equal(eig_get_repairs(NULL, NULL, NULL), EIG_BAD_ARGUMENT);
    eig_destroy(ctx);
}

/* Condition numbers alone are those of the vectors that are found again. */
static void test_condition_alone(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int t = 0; t < 4; ++t)
        for (int wanted = WANT_CONDITION; wanted < WANT_ALL; ++wanted) {
            bool const single = type_is_single(all_types[t]);
            double const a[4] = {single ? 1e-20 : 1e-40, 1, single ? 1e-20 : 1e-40, 1};
            pairs b = pairs_new(2, 1, all_types[t]);
            put(&b, 0, a);
            pairs_round(&b);
            pairs_solve(ctx, NULL, &b, wanted);
            for (int64_t k = 0; k < 2; ++k)
                if (!(fabs(b.condition[k] - sqrt(0.5)) <= 16 * type_eps(b.type)))
                    fail_msg("%s: condition %g, wanted %d", type_name(b.type), b.condition[k], wanted);
            pairs_free(&b);
        }
    eig_destroy(ctx);
}

/* An eigenvalue that is too large for a number is no success; the others are good. */
static void test_too_large(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    test_may_be_solved_again = 1; /* the road thread has its NaN from a second attempt */
    for (int t = 0; t < 4; ++t)
        for (int wanted = 0; wanted <= WANT_ALL; wanted += WANT_ALL) {
            double const most = type_is_single(all_types[t]) ? (double)FLT_MAX : DBL_MAX;
            pairs b = pairs_new(2, 1, all_types[t]);
            b.a[0] = b.a[2] = b.a[4] = b.a[6] = most;
            pairs_solve(ctx, NULL, &b, wanted);
            assert_true(b.info[0] == 1 || b.info[0] == 2);
            int64_t const k = b.info[0] - 1;
            assert_true(isnan(b.w[2 * k]) && isnan(b.w[2 * k + 1]));
            assert_true(fabs(b.w[2 * (1 - k)]) <= 8 * type_eps(b.type) * most);
            for (int64_t i = 0; i < 8 && wanted; ++i) assert_true(isnan(b.vr[i]) && isnan(b.vl[i]));
            pairs_free(&b);
        }
    test_may_be_solved_again = 0;
    eig_destroy(ctx);
}

/* Eigenvalues as large as a number can be come out, however they are rounded. */
static void test_largest(void **state)
{
    static const int64_t orders[] = {2, 3, 5, 9, 20, 33, 64, 65, 90};
    (void)state;
    eig_context *const ctx = test_context(1);
    pairs_may_be_solved_again = !test_on_cpu();
    for (size_t c = 0; c < 8 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 8];
        eig_type const type = all_types[c % 4];
        double const most = type_is_single(type) ? (double)FLT_MAX : DBL_MAX;
        pairs b = pairs_new(n, 1, type);
        for (int64_t i = 0; i < n; ++i) b.a[2 * (i * n + n - 1 - i)] = i == 0 || i == n - 1 || i == n / 2 ? most : 1;
        pairs_solve(ctx, NULL, &b, c / 4 % 2 ? WANT_ALL : 0);
        int large = 0;
        assert_int_equal(b.info[0], 0);
        for (int64_t k = 0; k < n; ++k) {
            assert_true(isfinite(b.w[2 * k]) && isfinite(b.w[2 * k + 1]));
            large += fabs(b.w[2 * k]) >= most * (1 - 10 * (double)n * type_eps(type));
        }
        assert_int_equal(large, n % 2 ? 3 : 2);
        pairs_free(&b);
    }
    pairs_may_be_solved_again = false;
    eig_destroy(ctx);
}

/* Of rank 1 and tiny: rounding makes pairs whose imaginary parts are no numbers once the matrix is scaled back.  Vectors are real as
 * their eigenvalues are, without a repair. */
static void test_lost_pairs(void **state)
{
    enum { MANY = 40 };
    static const int64_t orders[] = {2, 5, 16, 33, 64, 66, 90};
    (void)state;
    eig_context *const ctx = test_context(1);
    eig_geev_options o = EIG_GEEV_OPTIONS;
    o.no_certificate = 1;
    for (size_t c = 0; c < 6 * MANY * COUNT(orders); ++c) {
        int64_t const n = orders[c / (6 * MANY)];
        bool const single = c % 2;
        matrices_rng rng = matrices_seed(c);
        if (n > 16 && c % (6 * MANY) >= 6) continue;
        pairs b = pairs_new(n, 1, real_types[single]);
        double *const a = room((size_t)(n * n), sizeof *a);
        dense_tiny_rank(&rng, n, a, single, c / 2 % 3);
        put(&b, 0, a);
        pairs_round(&b);
        pairs_solve(ctx, &o, &b, WANT_ALL);
        assert_int_equal(b.info[0], 0);
        for (int64_t k = 0; k < 2 * n; ++k) certify_shape("tiny rank", &b, 0, k / 2, k % 2);
        pairs_free(&b), free(a);
    }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_examples),   cmocka_unit_test(test_known_vector),    cmocka_unit_test(test_complex_pair),
        cmocka_unit_test(test_many_small), cmocka_unit_test(test_forsythe),        cmocka_unit_test(test_graded),
        cmocka_unit_test(test_kinds),      cmocka_unit_test(test_tiny_pair),       cmocka_unit_test(test_unfit),
        cmocka_unit_test(test_counts),     cmocka_unit_test(test_condition_alone), cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_largest),    cmocka_unit_test(test_lost_pairs),
    };
    if (!test_device_answers(argc, argv)) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
