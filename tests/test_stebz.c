/* stebz on the device named by the argument: truth, certificates, ranges, tolerances, bits, bad input. */
#include "io/matrices.h"
#include "support/device.h"
#include "support/reference.h"

#include <float.h>
#include <math.h>

/* One matrix with room for everything a call may write; float copies hold what the float functions see. */
typedef struct fixture {
    io_tridiagonal t;
    double *w, *lower, *upper;
    float *df, *ef, *wf, *lowerf, *upperf;
    double scale; /* largest |eigenvalue| */
} fixture;

static double *doubles(int64_t n)
{
    double *const a = malloc(sizeof *a * (size_t)(n > 0 ? n : 1));
    for (int64_t i = 0; i < n; ++i) a[i] = NAN;
    return a;
}

static float *floats(int64_t n)
{
    float *const a = malloc(sizeof *a * (size_t)(n > 0 ? n : 1));
    for (int64_t i = 0; i < n; ++i) a[i] = NAN;
    return a;
}

static void prepare(fixture *f)
{
    int64_t const n = f->t.n;
    f->w = doubles(n), f->lower = doubles(n), f->upper = doubles(n);
    f->df = floats(n), f->ef = floats(n), f->wf = floats(n), f->lowerf = floats(n), f->upperf = floats(n);
    for (int64_t i = 0; i < n; ++i) f->df[i] = (float)f->t.d[i];
    for (int64_t i = 0; i + 1 < n; ++i) f->ef[i] = (float)f->t.e[i];
    f->scale = 0;
    if (n > 0)
        f->scale = fmax(fabs((double)reference_eigenvalue(n, f->t.d, f->t.e, 1)),
                        fabs((double)reference_eigenvalue(n, f->t.d, f->t.e, n)));
}

static void drop_results(fixture *f)
{
    free(f->w), free(f->lower), free(f->upper);
    free(f->df), free(f->ef), free(f->wf), free(f->lowerf), free(f->upperf);
}

static fixture make(const char *kind, int64_t n, uint64_t seed)
{
    fixture f = {0};
    io_error error;
    if (!matrices_tridiagonal(kind, n, seed, &f.t, &error)) fail_msg("%s n=%lld: %s", kind, (long long)n, error.text);
    prepare(&f);
    return f;
}

static void drop(fixture *f)
{
    io_tridiagonal_free(&f->t);
    drop_results(f);
}

/* The matrix that the float functions see, in double. */
static fixture float_matrix(const fixture *f)
{
    fixture g = {.t = {f->t.n, doubles(f->t.n), doubles(f->t.n)}};
    for (int64_t i = 0; i < f->t.n; ++i) g.t.d[i] = f->df[i];
    for (int64_t i = 0; i + 1 < f->t.n; ++i) g.t.e[i] = f->ef[i];
    prepare(&g);
    return g;
}

/* Eigenvalues first..first+m-1 are within 4 eps max|w| + extra, ascending; all of a small matrix, a sample of a large.
 */
static void certify(const char *what, const fixture *f, int64_t first, int64_t m, const double *w, double eps,
                    double extra)
{
    int64_t const step = m > 64 ? m / 37 : 1;
    for (int64_t i = 1; i < m; ++i)
        if (!(w[i - 1] <= w[i])) fail_msg("%s: w[%lld] > w[%lld]", what, (long long)i - 1, (long long)i);
    for (int64_t i = 0; i < m; i += step)
        if (!reference_holds(f->t.n, f->t.d, f->t.e, first + i, w[i], 4 * eps * f->scale + extra + 1e-320))
            fail_msg("%s: n = %lld, w[%lld] = %.17g is not eigenvalue %lld within 4 eps max|w|", what,
                     (long long)f->t.n, (long long)i, w[i], (long long)(first + i));
}

static void solve_and_certify(eig_context *ctx, const char *kind, int64_t n, eig_stebz_method method)
{
    fixture f = make(kind, n, 5);
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    options.method = method;
    int64_t m = -1;
    assert_int_equal(eig_dstebz(ctx, &options, n, f.t.d, f.t.e, &m, f.w, NULL, NULL, NULL), EIG_OK);
    assert_int_equal(m, n);
    certify(kind, &f, 1, n, f.w, DBL_EPSILON, 0);
    int in_float = 1;
    for (int64_t i = 0; i < n; ++i) in_float &= isfinite(f.df[i]) && (i + 1 >= n || isfinite(f.ef[i]));
    if (in_float) {
        fixture g = float_matrix(&f);
        assert_int_equal(eig_sstebz(ctx, &options, n, f.df, f.ef, &m, f.wf, NULL, NULL, NULL), EIG_OK);
        for (int64_t i = 0; i < n; ++i) g.w[i] = f.wf[i];
        certify(kind, &g, 1, n, g.w, FLT_EPSILON, FLT_TRUE_MIN);
        drop(&g);
    }
    drop(&f);
}

/* ------------------------------------------------------------------- tests */

static void test_all_kinds(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 5, 16, 17, 31, 64, 100, 257, 600};
    eig_context *ctx = test_context(2);
    for (int k = 0; matrices_tridiagonal_names[k]; ++k)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
            solve_and_certify(ctx, matrices_tridiagonal_names[k], sizes[s], EIG_STEBZ_MULTISECTION);
            if (sizes[s] <= 257)
                solve_and_certify(ctx, matrices_tridiagonal_names[k], sizes[s], EIG_STEBZ_INTERVAL_TREE);
        }
    solve_and_certify(ctx, "uniform", 2500, EIG_STEBZ_MULTISECTION);
    solve_and_certify(ctx, "glued", 2100, EIG_STEBZ_MULTISECTION);
    solve_and_certify(ctx, "uniform", 1100, EIG_STEBZ_INTERVAL_TREE);
    eig_destroy(ctx);
}

static void test_known_spectra(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    for (int k = 0; matrices_tridiagonal_names[k]; ++k) {
        int64_t const n = 301;
        double exact[301];
        if (!matrices_tridiagonal_spectrum(matrices_tridiagonal_names[k], n, exact)) continue;
        fixture f = make(matrices_tridiagonal_names[k], n, 1);
        assert_int_equal(eig_dstebz(ctx, NULL, n, f.t.d, f.t.e, NULL, f.w, NULL, NULL, NULL), EIG_OK);
        for (int64_t i = 0; i < n; ++i)
            if (fabs(f.w[i] - exact[i]) > 6 * DBL_EPSILON * f.scale)
                fail_msg("%s: w[%lld] = %.17g, exactly %.17g", matrices_tridiagonal_names[k], (long long)i, f.w[i],
                         exact[i]);
        drop(&f);
    }
    eig_destroy(ctx);
}

static void test_ranges(void **state)
{
    (void)state;
    int64_t const n = 700;
    eig_context *ctx = test_context(2);
    fixture f = make("uniform", n, 9);
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    options.range = EIG_RANGE_INDEX;
    static const int64_t ranges[][2] = {{1, 1}, {700, 700}, {350, 350}, {1, 10}, {691, 700}, {123, 456}, {1, 700}};
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; ++r) {
        options.il = ranges[r][0], options.iu = ranges[r][1];
        int64_t m = -1, const_m = options.iu - options.il + 1;
        f.w[const_m < n ? const_m : n - 1] = 77;
        assert_int_equal(eig_dstebz(ctx, &options, n, f.t.d, f.t.e, &m, f.w, NULL, NULL, NULL), EIG_OK);
        assert_int_equal(m, const_m);
        certify("index range", &f, options.il, m, f.w, DBL_EPSILON, 0);
        if (m < n) assert_true(f.w[m] == 77); /* nothing is written behind the range */
    }
    options.range = EIG_RANGE_VALUE;
    static const double values[][2] = {{-INFINITY, INFINITY}, {-0.5, 0.25}, {1, 1.0625}, {-9, -8},
                                       {9, INFINITY},         {0, 1e-9}};
    for (size_t r = 0; r < sizeof values / sizeof *values; ++r) {
        options.vl = values[r][0], options.vu = values[r][1];
        int64_t m = -1;
        assert_int_equal(eig_dstebz(ctx, &options, n, f.t.d, f.t.e, &m, f.w, NULL, NULL, NULL), EIG_OK);
        int64_t const below = isinf(options.vl) ? 0 : reference_count(n, f.t.d, f.t.e, options.vl);
        int64_t const upto = isinf(options.vu) ? n : reference_count(n, f.t.d, f.t.e, options.vu);
        assert_int_equal(m, upto - below);
        certify("value range", &f, below + 1, m, f.w, DBL_EPSILON, 0);
    }
    drop(&f);
    /* (vl, vu] at eigenvalues themselves, which a diagonal matrix makes exact */
    double const d[] = {3, 1, 2, 5}, e[] = {0, 0, 0};
    double w[4];
    int64_t m;
    options.vl = 1, options.vu = 3;
    assert_int_equal(eig_dstebz(ctx, &options, 4, d, e, &m, w, NULL, NULL, NULL), EIG_OK);
    assert_int_equal(m, 2);
    assert_true(fabs(w[0] - 2) <= 8 * DBL_EPSILON && fabs(w[1] - 3) <= 8 * DBL_EPSILON);
    eig_destroy(ctx);
}

static void test_tolerances(void **state)
{
    (void)state;
    int64_t const n = 400;
    eig_context *ctx = test_context(0);
    fixture f = make("normal", n, 3);
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    for (double tolerance = 1e-2; tolerance > 1e-13; tolerance /= 100) {
        options.abstol = tolerance;
        assert_int_equal(eig_dstebz(ctx, &options, n, f.t.d, f.t.e, NULL, f.w, NULL, NULL, NULL), EIG_OK);
        certify("abstol", &f, 1, n, f.w, DBL_EPSILON, 0.5 * tolerance);
    }
    options.abstol = 0, options.reltol = 1e-3;
    assert_int_equal(eig_dstebz(ctx, &options, n, f.t.d, f.t.e, NULL, f.w, NULL, NULL, NULL), EIG_OK);
    for (int64_t k = 1; k <= n; k += 13) {
        double const exact = (double)reference_eigenvalue(n, f.t.d, f.t.e, k);
        assert_true(fabs(f.w[k - 1] - exact) <= 0.51e-3 * fabs(exact) * 1.01 + 4 * DBL_EPSILON * f.scale);
    }
    drop(&f);
    /* small eigenvalues of a graded, diagonally dominant matrix, to high relative accuracy */
    f = make("uniform", n, 3);
    for (int64_t i = 0; i < n; ++i) f.t.d[i] = exp2((double)-i);
    for (int64_t i = 0; i + 1 < n; ++i) f.t.e[i] = 0.25 * exp2((double)-i - 0.5) * (i % 3 - 1);
    options = (eig_stebz_options)EIG_STEBZ_OPTIONS;
    options.abstol = 2 * DBL_MIN;
    assert_int_equal(eig_dstebz(ctx, &options, n, f.t.d, f.t.e, NULL, f.w, NULL, NULL, NULL), EIG_OK);
    for (int64_t k = 1; k <= n; k += 7) {
        double const exact = (double)reference_eigenvalue(n, f.t.d, f.t.e, k);
        if (fabs(f.w[k - 1] - exact) > 16 * DBL_EPSILON * fabs(exact))
            fail_msg("graded: w[%lld] = %.17g, exactly %.17g", (long long)k - 1, f.w[k - 1], exact);
    }
    drop(&f);
    eig_destroy(ctx);
}

static void test_enclosures(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    for (int k = 0; matrices_tridiagonal_names[k]; ++k)
        for (int mode = 0; mode < 3; ++mode) {
            int64_t const n = 150;
            fixture f = make(matrices_tridiagonal_names[k], n, 11);
            eig_stebz_options options = EIG_STEBZ_OPTIONS;
            if (mode == 1) options.abstol = 2 * DBL_MIN;
            if (mode == 2) options.method = EIG_STEBZ_INTERVAL_TREE;
            assert_int_equal(eig_dstebz(ctx, &options, n, f.t.d, f.t.e, NULL, f.w, f.lower, f.upper, NULL), EIG_OK);
            for (int64_t i = 0; i < n; ++i) {
                long double const below = nextafterl((long double)f.lower[i], -INFINITY);
                long double const above = nextafterl((long double)f.upper[i], INFINITY);
                if (!(f.lower[i] <= f.w[i] && f.w[i] <= f.upper[i]) || reference_count(n, f.t.d, f.t.e, below) > i ||
                    reference_count(n, f.t.d, f.t.e, above) <= i)
                    fail_msg("%s mode %d: [%.17g, %.17g] does not hold eigenvalue %lld", matrices_tridiagonal_names[k],
                             mode, f.lower[i], f.upper[i], (long long)i + 1);
                if (f.upper[i] - f.lower[i] > 24 * DBL_EPSILON * f.scale + 1e-306)
                    fail_msg("%s: the enclosure of %lld is %g wide", matrices_tridiagonal_names[k], (long long)i + 1,
                             f.upper[i] - f.lower[i]);
            }
            drop(&f);
        }
    eig_destroy(ctx);
}

static void test_count(void **state)
{
    (void)state;
    int64_t const n = 500, m = 333;
    eig_context *ctx = test_context(2);
    fixture f = make("harper", n, 2);
    double x[333];
    int64_t count[333];
    matrices_rng rng = matrices_seed(4);
    for (int64_t j = 0; j < m; ++j) x[j] = 9 * matrices_uniform(&rng) - 4.5;
    x[0] = -INFINITY, x[1] = INFINITY;
    assert_int_equal(eig_dstebz_count(ctx, n, f.t.d, f.t.e, m, x, count, NULL), EIG_OK);
    assert_int_equal(count[0], 0);
    assert_int_equal(count[1], n);
    for (int64_t j = 2; j < m; ++j) assert_int_equal(count[j], reference_count(n, f.t.d, f.t.e, x[j]));
    float xf[3] = {-1, 0.5f, 7};
    assert_int_equal(eig_sstebz_count(ctx, n, f.df, f.ef, 3, xf, count, NULL), EIG_OK);
    fixture g = float_matrix(&f);
    for (int j = 0; j < 3; ++j) assert_int_equal(count[j], reference_count(n, g.t.d, g.t.e, xf[j]));
    drop(&g), drop(&f);
    double const d[] = {1, 1e300, -1e300, 1e-10}, e[] = {0, 0, 0}, at[] = {-1e300, 1e-10, 1, 1.5, 1e300, NAN};
    assert_int_equal(eig_dstebz_count(ctx, 4, d, e, 5, at, count, NULL), EIG_OK);
    static const int64_t exactly[] = {0, 1, 2, 3, 3};
    for (int j = 0; j < 5; ++j) assert_int_equal(count[j], exactly[j]);
    int info = 5;
    assert_int_equal(eig_dstebz_count(ctx, 4, d, e, 6, at, count, &info), EIG_OK);
    assert_true(info == EIG_INFO_NOT_FINITE && count[5] == -1);
    for (int j = 0; j < 5; ++j) assert_int_equal(count[j], exactly[j]);
    assert_int_equal(eig_dstebz_count(ctx, 0, NULL, NULL, 2, at, count, NULL), EIG_OK);
    assert_int_equal(count[1], 0);
    eig_destroy(ctx);
}

static void test_same_bits(void **state)
{
    (void)state;
    static const char *const kinds[] = {"uniform", "glued", "graded"};
    for (int k = 0; k < 3; ++k) {
        int64_t const n = 1500;
        fixture f = make(kinds[k], n, 21);
        for (int threads = 1; threads <= 5; threads += 2) {
            eig_context *ctx = test_context(threads);
            double *const w = threads == 1 ? f.w : f.lower;
            float *const wf = threads == 1 ? f.wf : f.lowerf;
            assert_int_equal(eig_dstebz(ctx, NULL, n, f.t.d, f.t.e, NULL, w, NULL, NULL, NULL), EIG_OK);
            assert_int_equal(eig_sstebz(ctx, NULL, n, f.df, f.ef, NULL, wf, NULL, NULL, NULL), EIG_OK);
            assert_memory_equal(w, f.w, sizeof *w * (size_t)n);
            assert_memory_equal(wf, f.wf, sizeof *wf * (size_t)n);
            eig_destroy(ctx);
        }
        drop(&f);
    }
}

/* Multiplying T by a power of two multiplies the eigenvalues, to the bit, from the smallest normal to the largest. */
static void test_scaling(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    int64_t const n = 90;
    fixture f = make("uniform", n, 2);
    assert_int_equal(eig_dstebz(ctx, NULL, n, f.t.d, f.t.e, NULL, f.w, NULL, NULL, NULL), EIG_OK);
    static const int exponents[] = {-900, -511, 1, 513, 1020};
    for (int s = 0; s < 5; ++s) {
        double d[90], e[90], w[90];
        for (int64_t i = 0; i < n; ++i)
            d[i] = ldexp(f.t.d[i], exponents[s]), e[i] = i + 1 < n ? ldexp(f.t.e[i], exponents[s]) : 0;
        assert_int_equal(eig_dstebz(ctx, NULL, n, d, e, NULL, w, NULL, NULL, NULL), EIG_OK);
        for (int64_t i = 0; i < n; ++i) assert_true(w[i] == ldexp(f.w[i], exponents[s]));
    }
    /* denormals: right to their own spacing */
    fixture g = make("uniform", n, 2);
    for (int64_t i = 0; i < n; ++i) g.t.d[i] = ldexp(g.t.d[i], -1060);
    for (int64_t i = 0; i + 1 < n; ++i) g.t.e[i] = ldexp(g.t.e[i], -1060);
    drop_results(&g);
    prepare(&g);
    assert_int_equal(eig_dstebz(ctx, NULL, n, g.t.d, g.t.e, NULL, g.w, NULL, NULL, NULL), EIG_OK);
    certify("denormal", &g, 1, n, g.w, DBL_EPSILON, 5e-324);
    drop(&g), drop(&f);
    eig_destroy(ctx);
}

static void test_batched(void **state)
{
    (void)state;
    enum { N = 37, BATCH = 21, LD = 40 };
    static double d[BATCH * LD], e[BATCH * LD], w[BATCH * LD], alone[N];
    int info[BATCH];
    eig_context *ctx = test_context(2);
    for (int b = 0; b < BATCH; ++b) {
        fixture f = make(b % 2 ? "uniform" : "wilkinson", N, (uint64_t)b);
        for (int i = 0; i < N; ++i) d[b * LD + i] = f.t.d[i], e[b * LD + i] = i + 1 < N ? f.t.e[i] : NAN;
        drop(&f);
    }
    e[5 * LD + 30] = NAN, d[9 * LD] = INFINITY;
    for (int i = 0; i < BATCH * LD; ++i) w[i] = 55;
    assert_int_equal(eig_dstebz_batched(ctx, NULL, N, d, LD, e, LD, w, NULL, NULL, LD, info, BATCH), EIG_OK);
    for (int b = 0; b < BATCH; ++b) {
        bool const bad = b == 5 || b == 9;
        assert_int_equal(info[b], bad ? EIG_INFO_NOT_FINITE : EIG_INFO_OK);
        assert_true(w[b * LD + N] == 55); /* nothing between the matrices is touched */
        if (bad) {
            for (int i = 0; i < N; ++i) assert_true(isnan(w[b * LD + i]));
            continue;
        }
        assert_int_equal(eig_dstebz(ctx, NULL, N, d + b * LD, e + b * LD, NULL, alone, NULL, NULL, NULL), EIG_OK);
        for (int i = 0; i < N; ++i) assert_true(fabs(alone[i] - w[b * LD + i]) <= 64 * DBL_EPSILON * 4);
        if (strcmp(test_device, "cpu") == 0) assert_memory_equal(alone, w + b * LD, sizeof alone);
    }
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    options.range = EIG_RANGE_INDEX, options.il = 2, options.iu = 4;
    assert_int_equal(eig_dstebz_batched(ctx, &options, N, d, LD, e, LD, w, NULL, NULL, 3, info, 2), EIG_OK);
    assert_int_equal(eig_dstebz(ctx, &options, N, d + LD, e + LD, NULL, alone, NULL, NULL, NULL), EIG_OK);
    for (int i = 0; i < 3; ++i) assert_true(fabs(alone[i] - w[3 + i]) <= 64 * DBL_EPSILON * 4);
    assert_int_equal(eig_dstebz_batched(ctx, NULL, N, d, LD, e, LD, w, NULL, NULL, LD, info, 0), EIG_OK);
    assert_int_equal(eig_dstebz_batched(ctx, NULL, 0, NULL, 0, NULL, 0, NULL, NULL, NULL, 0, NULL, 7), EIG_OK);
    eig_destroy(ctx);
}

static void test_refused(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    double d[4] = {1, 2, 3, 4}, e[3] = {1, 1, 1}, w[4];
    int64_t m = 9;
#define REFUSED(text, ...) expect_refused(ctx, eig_dstebz(ctx, __VA_ARGS__, NULL, NULL, NULL), EIG_BAD_ARGUMENT, text)
    REFUSED("n = -1", NULL, -1, d, e, &m, w);
    REFUSED("d is NULL", NULL, 4, NULL, e, &m, w);
    REFUSED("e is NULL", NULL, 4, d, NULL, &m, w);
    REFUSED("w is NULL", NULL, 4, d, e, &m, NULL);
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
#define WITH(text, ...)                       \
    o = (eig_stebz_options)EIG_STEBZ_OPTIONS; \
    __VA_ARGS__;                              \
    REFUSED(text, &o, 4, d, e, &m, w)
    WITH("size", o.size = 3);
    WITH("range", o.range = (eig_range)'X');
    WITH("il = 3, iu = 2", o.range = EIG_RANGE_INDEX, o.il = 3, o.iu = 2);
    WITH("il = 0", o.range = EIG_RANGE_INDEX, o.il = 0, o.iu = 2);
    WITH("iu = 5", o.range = EIG_RANGE_INDEX, o.il = 1, o.iu = 5);
    WITH("vl < vu", o.range = EIG_RANGE_VALUE, o.vl = 2, o.vu = 2);
    WITH("vl < vu", o.range = EIG_RANGE_VALUE, o.vl = NAN, o.vu = 2);
    WITH("abstol", o.abstol = -1);
    WITH("abstol", o.abstol = NAN);
    WITH("reltol", o.reltol = 1);
    WITH("method", o.method = (eig_stebz_method)7);
    expect_refused(ctx, eig_dstebz(ctx, NULL, 4, d, e, &m, w, w + 1, NULL, NULL), EIG_BAD_ARGUMENT, "lower and upper");
    d[2] = NAN;
    int info = 0;
    assert_int_equal(eig_dstebz(ctx, NULL, 4, d, e, &m, w, NULL, NULL, &info), EIG_OK);
    assert_true(info == EIG_INFO_NOT_FINITE && m == 0 && isnan(w[0]) && isnan(w[3]));
    d[2] = 3, e[1] = -INFINITY;
    assert_int_equal(eig_dstebz(ctx, NULL, 4, d, e, NULL, w, NULL, NULL, NULL), EIG_OK);
    assert_true(isnan(w[0]) && isnan(w[3]));
    e[1] = 1;
    assert_int_equal(eig_dstebz(ctx, NULL, 4, d, e, &m, w, NULL, NULL, NULL), EIG_OK);
    assert_string_equal(eig_error_detail(ctx), "");
    assert_int_equal(eig_dstebz(ctx, NULL, 0, NULL, NULL, &m, NULL, NULL, NULL, NULL), EIG_OK);
    assert_int_equal(m, 0);
    assert_int_equal(eig_dstebz(NULL, NULL, 4, d, e, &m, w, NULL, NULL, NULL), EIG_BAD_ARGUMENT);
    o = (eig_stebz_options)EIG_STEBZ_OPTIONS;
    o.range = EIG_RANGE_VALUE, o.vu = 1;
    expect_refused(ctx, eig_dstebz_batched(ctx, &o, 4, d, 4, e, 3, w, NULL, NULL, 4, NULL, 1), EIG_BAD_ARGUMENT,
                   "batch");
    expect_refused(ctx, eig_dstebz_batched(ctx, NULL, 4, d, 3, e, 3, w, NULL, NULL, 4, NULL, 2), EIG_BAD_ARGUMENT,
                   "stride_d = 3");
    expect_refused(ctx, eig_dstebz_batched(ctx, NULL, 4, d, 4, e, 3, w, NULL, NULL, 4, NULL, -2), EIG_BAD_ARGUMENT,
                   "batch = -2");
    eig_destroy(ctx);
}

static int stop_at_once(void *user, double fraction)
{
    *(double *)user = fraction;
    return 1;
}

static void test_progress(void **state)
{
    (void)state;
    int64_t const n = strcmp(test_device, "cpu") == 0 ? 6000 : 250000;
    eig_context *ctx = test_context(0);
    fixture f = {0};
    io_error error;
    assert_true(matrices_tridiagonal("uniform", n, 1, &f.t, &error));
    f.w = doubles(n);
    double fraction = -1;
    assert_int_equal(eig_set_progress(ctx, stop_at_once, &fraction), EIG_OK);
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
    if (strcmp(test_device, "cpu") == 0) o.abstol = 1e-300; /* the pivot count: long enough to be interrupted */
    expect_refused(ctx, eig_dstebz(ctx, &o, n, f.t.d, f.t.e, NULL, f.w, NULL, NULL, NULL), EIG_CANCELLED, "cancelled");
    assert_true(fraction >= 0 && fraction <= 1);
    assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
    o = (eig_stebz_options)EIG_STEBZ_OPTIONS;
    o.range = EIG_RANGE_INDEX, o.il = o.iu = 1;
    assert_int_equal(eig_dstebz(ctx, &o, n, f.t.d, f.t.e, NULL, f.w, NULL, NULL, NULL), EIG_OK);
    drop(&f);
    eig_destroy(ctx);
}

/* The workspace query is exact: that many bytes serve, one less does not (CPU; on CUDA it is for device arrays). */
static void test_workspace(void **state)
{
    (void)state;
    if (strcmp(test_device, "cpu") != 0) skip();
    eig_context *ctx = test_context(1);
    fixture f = make("uniform", 333, 1);
    for (int method = 0; method <= EIG_STEBZ_REFERENCE; ++method) {
        eig_stebz_options o = EIG_STEBZ_OPTIONS;
        o.method = (eig_stebz_method)method;
        size_t bytes = 0;
        assert_int_equal(eig_stebz_work_size(ctx, EIG_D, &o, 333, 1, &bytes), EIG_OK);
        char *const block = aligned_alloc(256, (bytes + 511) / 256 * 256);
        assert_int_equal(eig_set_workspace(ctx, block, bytes), EIG_OK);
        memset(block + bytes, 0x5a, 1);
        assert_int_equal(eig_dstebz(ctx, &o, 333, f.t.d, f.t.e, NULL, f.w, NULL, NULL, NULL), EIG_OK);
        assert_int_equal(block[bytes], 0x5a);
        assert_int_equal(eig_set_workspace(ctx, block, bytes - 1), EIG_OK);
        expect_refused(ctx, eig_dstebz(ctx, &o, 333, f.t.d, f.t.e, NULL, f.w, NULL, NULL, NULL), EIG_BAD_WORKSPACE,
                       "need");
        expect_refused(ctx, eig_set_workspace(ctx, block + 8, bytes), EIG_BAD_ARGUMENT, "aligned");
        assert_int_equal(eig_set_workspace(ctx, NULL, 0), EIG_OK);
        free(block);
    }
    drop(&f);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds),  cmocka_unit_test(test_known_spectra), cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_tolerances), cmocka_unit_test(test_enclosures),    cmocka_unit_test(test_count),
        cmocka_unit_test(test_same_bits),  cmocka_unit_test(test_scaling),       cmocka_unit_test(test_batched),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_progress),      cmocka_unit_test(test_workspace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
