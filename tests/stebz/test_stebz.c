/* stebz on the device named by the argument: truth, certificates, ranges, tolerances, enclosures, bits; the fast
 * methods beside the plain one.  What is promised of arguments: test_stebz_calls.c. */
#include "support/stebz_fixture.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define KINDS matrices_tridiagonal_names

static eig_stebz_options with_method(eig_stebz_method method)
{
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    options.method = method;
    return options;
}

/* The three methods do the same work in no more than a number of rows, for the tests' time: the tree is 10 times as slow as
 * multisection, the reference 40 times. */
static bool affordable(eig_stebz_method method, int64_t n)
{
    return n <= (method == EIG_STEBZ_MULTISECTION ? INT64_MAX : method == EIG_STEBZ_INTERVAL_TREE ? 257 : 100);
}

static void solve_and_certify(eig_context *ctx, const char *kind, int64_t n, eig_stebz_method method)
{
    eig_stebz_options const options = with_method(method);
    for (int t = 0; t < 2; ++t) {
        fixture f = make(kind, n, 5, real_types[t]);
        if (fits(&f)) {
            assert_int_equal(solve(ctx, &options, &f), n);
            assert_int_equal(f.info, EIG_INFO_OK);
            certify(kind, &f, 1, n, 0);
        }
        drop(&f);
    }
}

/* ------------------------------------------------------------------- truth */

static void test_all_kinds(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 5, 16, 17, 31, 64, 100, 257, 600};
    eig_context *ctx = test_context(2);
    for (int k = 0; KINDS[k]; ++k)
        for (size_t s = 0; s < COUNT(sizes); ++s)
            for (int method = EIG_STEBZ_MULTISECTION; method <= EIG_STEBZ_REFERENCE; ++method)
                if (affordable((eig_stebz_method)method, sizes[s]))
                    solve_and_certify(ctx, KINDS[k], sizes[s], (eig_stebz_method)method);
    solve_and_certify(ctx, "uniform", 2500, EIG_STEBZ_MULTISECTION);
    solve_and_certify(ctx, "glued", 2100, EIG_STEBZ_MULTISECTION);
    solve_and_certify(ctx, "uniform", 1100, EIG_STEBZ_INTERVAL_TREE);
    eig_destroy(ctx);
}

static void test_known_spectra(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    for (int k = 0; KINDS[k]; ++k) {
        int64_t const n = 301;
        double exact[301];
        if (!matrices_tridiagonal_spectrum(KINDS[k], n, exact)) continue;
        fixture f = make(KINDS[k], n, 1, EIG_D);
        solve(ctx, NULL, &f);
        for (int64_t i = 0; i < n; ++i)
            if (fabs(w_of(&f, i) - exact[i]) > 6 * DBL_EPSILON * f.scale)
                fail_msg("%s: w[%lld] = %.17g, exactly %.17g", KINDS[k], (long long)i, w_of(&f, i), exact[i]);
        drop(&f);
    }
    eig_destroy(ctx);
}

/* Off-diagonals that vanish, or nearly: a block of 38 rows and 1/2 twice, too few zeros to solve the blocks by
 * themselves; and ones on the diagonal that 2^-45 couples (2^-18 in float), too much to be taken for zero. */
static void test_small_couplings(void **state)
{
    enum { N = 40 };
    (void)state;
    eig_context *ctx = test_context(1);
    for (int t = 0; t < 2; ++t)
        for (int method = EIG_STEBZ_MULTISECTION; method <= EIG_STEBZ_REFERENCE; ++method) {
            eig_stebz_options const options = with_method((eig_stebz_method)method);
            fixture f = make("uniform", N, 8, real_types[t]);
            f.t.d[N - 2] = f.t.d[N - 1] = 0.5, f.t.e[N - 3] = f.t.e[N - 2] = 0;
            take(&f);
            assert_int_equal(solve_with(ctx, &options, &f, true), N);
            certify("few zeros", &f, 1, N, 0);
            certify_enclosures("few zeros", &f, 1);
            for (int i = 0; i < N; ++i) f.t.d[i] = 1;
            for (int i = 0; i + 1 < N; ++i) f.t.e[i] = real_types[t] == EIG_D ? 0x1p-45 : 0x1p-18;
            take(&f);
            assert_int_equal(solve_with(ctx, &options, &f, true), N);
            certify("small couplings", &f, 1, N, 0);
            certify_enclosures("small couplings", &f, 1);
            drop(&f);
        }
    eig_destroy(ctx);
}

/* ------------------------------------------------------------------ ranges */

static const int64_t index_ranges[][2] = {{1, 1}, {700, 700}, {350, 350}, {1, 10}, {691, 700}, {123, 456}, {1, 700}};
static const double value_ranges[][2] = {{-INFINITY, INFINITY}, {-0.5, 0.25}, {1, 1.0625}, {-9, -8},
                                         {9, INFINITY},         {0, 1e-9}};

static void check_index_ranges(eig_context *ctx, fixture *f, eig_stebz_options options)
{
    int64_t const n = f->t.n;
    options.range = EIG_RANGE_INDEX;
    for (size_t r = 0; r < COUNT(index_ranges); ++r) {
        options.il = index_ranges[r][0], options.iu = index_ranges[r][1];
        int64_t const wanted = options.iu - options.il + 1;
        numbers_put_part(&f->w, wanted < n ? wanted : n - 1, 77);
        assert_int_equal(solve_with(ctx, &options, f, true), wanted);
        certify("index range", f, options.il, wanted, 0);
        certify_enclosures("index range", f, options.il);
        if (wanted < n) assert_true(w_of(f, wanted) == 77); /* nothing is written behind the range */
    }
}

static void check_value_ranges(eig_context *ctx, fixture *f, eig_stebz_options options)
{
    int64_t const n = f->t.n;
    options.range = EIG_RANGE_VALUE;
    for (size_t r = 0; r < COUNT(value_ranges); ++r) {
        options.vl = value_ranges[r][0], options.vu = value_ranges[r][1];
        solve_with(ctx, &options, f, true);
        int64_t const below = isinf(options.vl) ? 0 : reference_count(n, f->t.d, f->t.e, options.vl);
        int64_t const upto = isinf(options.vu) ? n : reference_count(n, f->t.d, f->t.e, options.vu);
        assert_int_equal(f->m, upto - below);
        certify("value range", f, below + 1, f->m, 0);
        certify_enclosures("value range", f, below + 1);
    }
}

/* All methods, both types, 700 rows (the plain one takes its time for them too). */
static void test_ranges(void **state)
{
    (void)state;
    eig_context *ctx = test_context(2);
    for (int method = EIG_STEBZ_MULTISECTION; method <= EIG_STEBZ_REFERENCE; ++method)
        for (int t = 0; t < 2; ++t) {
            fixture f = make("uniform", 700, 9, real_types[t]);
            check_index_ranges(ctx, &f, with_method((eig_stebz_method)method));
            check_value_ranges(ctx, &f, with_method((eig_stebz_method)method));
            drop(&f);
        }
    /* (vl, vu] at eigenvalues themselves, which a diagonal matrix makes exact */
    double const d[] = {3, 1, 2, 5}, e[] = {0, 0, 0};
    double w[4];
    int64_t m;
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    options.range = EIG_RANGE_VALUE, options.vl = 1, options.vu = 3;
    assert_int_equal(eig_dstebz(ctx, &options, 4, d, e, &m, w, NULL, NULL, NULL), EIG_OK);
    assert_int_equal(m, 2);
    assert_true(fabs(w[0] - 2) <= 8 * DBL_EPSILON && fabs(w[1] - 3) <= 8 * DBL_EPSILON);
    eig_destroy(ctx);
}

/* -------------------------------------------------------------- tolerances */

static void test_tolerances(void **state)
{
    (void)state;
    int64_t const n = 400;
    eig_context *ctx = test_context(0);
    fixture f = make("normal", n, 3, EIG_D);
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    for (double tolerance = 1e-2; tolerance > 1e-13; tolerance /= 100) {
        options.abstol = tolerance;
        solve(ctx, &options, &f);
        certify("abstol", &f, 1, n, 0.5 * tolerance);
    }
    options.abstol = 0, options.reltol = 1e-3;
    solve(ctx, &options, &f);
    for (int64_t k = 1; k <= n; k += 13) {
        double const exact = (double)reference_eigenvalue(n, f.t.d, f.t.e, k);
        assert_true(fabs(w_of(&f, k - 1) - exact) <= 0.51e-3 * fabs(exact) * 1.01 + 4 * DBL_EPSILON * f.scale);
    }
    drop(&f);
    /* small eigenvalues of a graded, diagonally dominant matrix, to high relative accuracy */
    f = make("uniform", n, 3, EIG_D);
    for (int64_t i = 0; i < n; ++i) f.t.d[i] = exp2((double)-i);
    for (int64_t i = 0; i + 1 < n; ++i) f.t.e[i] = 0.25 * exp2((double)-i - 0.5) * (double)(i % 3 - 1);
    take(&f);
    options = (eig_stebz_options)EIG_STEBZ_OPTIONS;
    options.abstol = 2 * DBL_MIN;
    solve(ctx, &options, &f);
    for (int64_t k = 1; k <= n; k += 7) {
        double const exact = (double)reference_eigenvalue(n, f.t.d, f.t.e, k);
        if (fabs(w_of(&f, k - 1) - exact) > 16 * DBL_EPSILON * fabs(exact))
            fail_msg("graded: w[%lld] = %.17g, exactly %.17g", (long long)k - 1, w_of(&f, k - 1), exact);
    }
    drop(&f);
    eig_destroy(ctx);
}

/* T times 2^scale, with an abstol that goes with it, or with a reltol: each method keeps the tolerance told, wherever T lies.
 * Float's powers are smaller. */
static void test_scaled_tolerances(void **state)
{
    (void)state;
    enum { N = 90 };
    static const int scales[] = {-100, -40, 0, 40, 100}, tolerances[] = {-4, -10, -17, -30, -45};
    eig_context *ctx = test_context(2);
    for (int method = EIG_STEBZ_MULTISECTION; method <= EIG_STEBZ_REFERENCE; ++method)
        for (int c = 0; c < 2 * 5 * 5; ++c) {
            bool const single = c % 2;
            int const scale = scales[c / 2 % 5] * (single ? 3 : 5) / 5, tolerance = tolerances[c / 10];
            eig_stebz_options options = with_method((eig_stebz_method)method);
            fixture f = make("uniform", N, 4, real_types[c % 2]);
            for (int64_t i = 0; i < N; ++i) f.t.d[i] = ldexp(f.t.d[i], scale);
            for (int64_t i = 0; i + 1 < N; ++i) f.t.e[i] = ldexp(f.t.e[i], scale);
            take(&f);
            for (int relative = 0; relative < 2; ++relative) {
                char what[80];
                snprintf(what, sizeof what, "method %d, T times 2^%d, %s 2^%d", method, scale,
                         relative ? "reltol" : "abstol", tolerance + (relative ? 0 : scale));
                options.abstol = relative ? 0 : ldexp(1, tolerance + scale);
                options.reltol = relative ? ldexp(1, tolerance) : 0;
                assert_int_equal(solve_with(ctx, &options, &f, true), N);
                certify_enclosures(what, &f, 1);
                if (!relative) certify(what, &f, 1, N, 0.5 * options.abstol);
                for (int64_t k = 0; relative && k < N; ++k) {
                    double const lower = numbers_part(&f.lower, k), upper = numbers_part(&f.upper, k);
                    double const most = options.reltol * fmax(fabs(lower), fabs(upper));
                    if (!(upper - lower <= most + 24 * type_eps(f.type) * f.scale))
                        fail_msg("%s: the enclosure of %lld, about %g, is %g wide", what, (long long)k + 1, w_of(&f, k),
                                 upper - lower);
                }
            }
            drop(&f);
        }
    eig_destroy(ctx);
}

/* A graded, diagonally dominant T: the tight tolerance that finds its small eigenvalues to high relative accuracy does so
 * wherever T lies. */
static void test_scaled_graded(void **state)
{
    (void)state;
    enum { N = 60 };
    eig_context *ctx = test_context(1);
    for (int method = EIG_STEBZ_MULTISECTION; method <= EIG_STEBZ_REFERENCE; ++method)
        for (int scale = -100; scale <= 100; scale += 50) {
            eig_stebz_options options = with_method((eig_stebz_method)method);
            fixture f = make("uniform", N, 3, EIG_D);
            for (int i = 0; i < N; ++i) f.t.d[i] = ldexp(1, scale - 3 * i);
            for (int i = 0; i + 1 < N; ++i) f.t.e[i] = i % 7 == 6 ? 0 : ldexp(0.25, scale - 3 * i - 2);
            take(&f);
            options.abstol = ldexp(1, scale - 300);
            solve(ctx, &options, &f);
            for (int64_t k = 1; k <= N; ++k) {
                double const exact = (double)reference_eigenvalue(N, f.t.d, f.t.e, k);
                if (fabs(w_of(&f, k - 1) - exact) > 16 * DBL_EPSILON * fabs(exact))
                    fail_msg("method %d, graded, times 2^%d: w[%lld] = %.17g, exactly %.17g", method, scale,
                             (long long)k - 1, w_of(&f, k - 1), exact);
            }
            drop(&f);
        }
    eig_destroy(ctx);
}

/* -------------------------------------------------------------- enclosures */

/* Every kind, both types, all methods: the enclosures hold the eigenvalues and are narrow; those of the fast methods
 * overlap the plain one's, and so do those with a tight tolerance. */
static void test_enclosures(void **state)
{
    (void)state;
    enum { N = 150, MODES = 4 };
    eig_context *ctx = test_context(0);
    for (int k = 0; KINDS[k]; ++k)
        for (int t = 0; t < 2; ++t) {
            fixture f[MODES];
            for (int mode = 0; mode < MODES; ++mode) {
                f[mode] = make(KINDS[k], N, 11, real_types[t]);
                eig_stebz_options options = with_method((eig_stebz_method)(mode % 3));
                if (mode == 3) options.abstol = 2 * DBL_MIN;
                if (!fits(&f[mode])) continue;
                assert_int_equal(solve_with(ctx, &options, &f[mode], true), N);
                certify_enclosures(KINDS[k], &f[mode], 1);
                double const widest = 24 * type_eps(f[mode].type) * f[mode].scale + (t == 0 ? 1e-306 : 1e-37);
                for (int64_t i = 0; i < N; ++i) {
                    double const lower = numbers_part(&f[mode].lower, i), upper = numbers_part(&f[mode].upper, i);
                    if (upper - lower > widest)
                        fail_msg("%s: the enclosure of %lld is %g wide", KINDS[k], (long long)i + 1, upper - lower);
                    assert_true(lower <= numbers_part(&f[0].upper, i) && numbers_part(&f[0].lower, i) <= upper);
                }
            }
            for (int mode = 0; mode < MODES; ++mode) drop(&f[mode]);
        }
    eig_destroy(ctx);
}

/* Numbers so small that the step from one to the next counts: the least one beside a diagonal of zeros, whose eigenvalues
 * 2 cos(...) times it are no numbers. */
static void test_least_numbers(void **state)
{
    static const int64_t sizes[] = {3, 8, 40};
    (void)state;
    eig_context *ctx = test_context(1);
    for (size_t s = 0; s < 2 * COUNT(sizes); ++s)
        for (int method = EIG_STEBZ_MULTISECTION; method <= EIG_STEBZ_REFERENCE; ++method) {
            eig_stebz_options const options = with_method((eig_stebz_method)method);
            fixture f = make("uniform", sizes[s / 2], 1, real_types[s % 2]);
            for (int64_t i = 0; i < f.t.n; ++i) f.t.d[i] = 0;
            for (int64_t i = 0; i + 1 < f.t.n; ++i) f.t.e[i] = real_types[s % 2] == EIG_D ? 0x1p-1074 : 0x1p-149;
            take(&f);
            assert_int_equal(solve_with(ctx, &options, &f, true), f.t.n);
            certify_enclosures("least numbers", &f, 1);
            drop(&f);
        }
    eig_destroy(ctx);
}

/* Few rows, whose eigenvalues are proposed and then proven: four matrices of which a proposal was 4 eps off or more, and many of
 * whole numbers. */
static void test_few_rows(void **state)
{
    enum { N = 7, HARD = 4, MANY = 20000 };
    static double const hard[HARD][2 * N] = {
        {1, -2, 2, -3, 1, 1, -2, 1, 1, 1, 1, 1, 1},
        {1, 1, 0, 1, -1, 1, 2, 1, 1, 1, 1, 1, 1},
        {0, 0, 0, 0, 0, 0, 0, -0x1.99fdff162f316p-1, -0x1.51f3c10a66ec2p-1, -0x1.e4745f16223a8p-1, 0x1.91beb53b56a32p-1,
         -0x1.b2aeebcebf74cp-1, -0x1.98947a145bcd6p-1},
        {0, 0, 0, 0, 0, 0, 0, -0x1.872d2ef5af428p-2, 0x1.4c135f9d371fap-1, -0x1.173c71aa9856cp-2, -0x1.7af2896dee58p-3,
         0x1.d6e1f1f082356p-1, -0x1.0396ac6ac2e4p-5},
    };
    static double d[MANY * N], e[MANY * N], w[MANY * N], lower[MANY * N], upper[MANY * N];
    (void)state;
    eig_context *ctx = test_context(0);
    matrices_rng rng = matrices_seed(21);
    for (int b = 0; b < MANY; ++b)
        for (int i = 0; i < N; ++i) {
            d[b * N + i] = b < HARD ? hard[b][i] : floor(6 * matrices_uniform(&rng)) - 3;
            e[b * N + i] = b < HARD ? hard[b][N + i] : 1;
        }
    assert_int_equal(eig_dstebz_batched(ctx, NULL, N, d, N, e, N, w, lower, upper, N, NULL, MANY), EIG_OK);
    for (int k = 0; k < MANY * N; ++k) {
        const double *const a = d + k / N * N, *const c = e + k / N * N;
        long double const below = nextafterl((long double)lower[k], -INFINITY);
        long double const above = nextafterl((long double)upper[k], INFINITY);
        if (reference_count(N, a, c, below) > k % N || reference_count(N, a, c, above) <= k % N)
            fail_msg("matrix %d: [%.17g, %.17g] does not hold eigenvalue %d", k / N, lower[k], upper[k], k % N + 1);
    }
    eig_destroy(ctx);
}

/* -------------------------------------------------------------------- bits */

static void test_same_bits(void **state)
{
    (void)state;
    static const char *const kinds[] = {"uniform", "glued", "graded"};
    for (int k = 0; k < 3; ++k)
        for (int t = 0; t < 2; ++t) {
            fixture first = make(kinds[k], 1500, 21, real_types[t]), again = make(kinds[k], 1500, 21, real_types[t]);
            for (int threads = 1; threads <= 5; threads += 2) {
                eig_context *ctx = test_context(threads);
                solve(ctx, NULL, threads == 1 ? &first : &again);
                if (threads > 1) assert_true(numbers_same(&first.w, &again.w));
                eig_destroy(ctx);
            }
            drop(&first), drop(&again);
        }
}

/* Multiplying T by a power of two multiplies the eigenvalues, to the bit, from the smallest normal to the largest. */
static void test_scaling(void **state)
{
    (void)state;
    enum { N = 90 };
    static const int exponents[] = {-900, -511, 1, 513, 1020};
    eig_context *ctx = test_context(0);
    fixture f = make("uniform", N, 2, EIG_D);
    solve(ctx, NULL, &f);
    for (int s = 0; s < 6; ++s) {
        int const exponent = s < 5 ? exponents[s] : -1060; /* the last: denormals, right to their own spacing */
        fixture g = make("uniform", N, 2, EIG_D);
        for (int64_t i = 0; i < N; ++i) g.t.d[i] = ldexp(g.t.d[i], exponent);
        for (int64_t i = 0; i + 1 < N; ++i) g.t.e[i] = ldexp(g.t.e[i], exponent);
        take(&g);
        solve(ctx, NULL, &g);
        for (int64_t i = 0; i < N && s < 5; ++i) assert_true(w_of(&g, i) == ldexp(w_of(&f, i), exponent));
        if (s == 5) certify("denormal", &g, 1, N, 5e-324);
        drop(&g);
    }
    drop(&f);
    eig_destroy(ctx);
}

/* Eigenvalues that round to -0 and to 0: in a part of the spectrum each has the sign that it has among all. */
static void test_signs_of_zero(void **state)
{
    (void)state;
    enum { N = 4 };
    double const d[N] = {0}, e[N - 1] = {5e-324, 9 * 5e-324, 5e-324}; /* the middle two: -0.11 and 0.11 of 5e-324 */
    double w[N], part;
    eig_context *ctx = test_context(1);
    assert_int_equal(eig_dstebz(ctx, NULL, N, d, e, NULL, w, NULL, NULL, NULL), EIG_OK);
    assert_true(w[0] < 0 && w[1] == 0 && w[2] == 0 && w[3] > 0);
    for (int k = 1; k <= N; ++k) {
        eig_stebz_options o = EIG_STEBZ_OPTIONS;
        o.range = EIG_RANGE_INDEX, o.il = o.iu = k;
        assert_int_equal(eig_dstebz(ctx, &o, N, d, e, NULL, &part, NULL, NULL, NULL), EIG_OK);
        assert_memory_equal(&part, &w[k - 1], sizeof part);
    }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds),       cmocka_unit_test(test_known_spectra),
        cmocka_unit_test(test_small_couplings), cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_tolerances),      cmocka_unit_test(test_enclosures),
        cmocka_unit_test(test_same_bits),       cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_signs_of_zero),   cmocka_unit_test(test_scaled_tolerances),
        cmocka_unit_test(test_scaled_graded),   cmocka_unit_test(test_few_rows),
        cmocka_unit_test(test_least_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
