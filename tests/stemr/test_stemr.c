/* stemr on the device named by the argument: residuals, orthogonality and eigenvalues of all kinds of matrices, in both
 * types, by both methods; each road that a pair can take. */
#include "support/stemr_fixture.h"

static eig_stemr_options by(eig_stemr_method method)
{
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    o.method = method;
    return o;
}

/* By the methods auto and mrrr, and plainly where that does not take long. */
static void certify_all(eig_context *ctx, const char *what, fixture *f)
{
    for (int method = 0; method < 3; ++method) {
        eig_stemr_options const o = by((eig_stemr_method)method);
        if (!fits(f) || (method == EIG_STEMR_REFERENCE && f->n > 44)) continue;
        if (method == EIG_STEMR_MRRR && test_on_cpu()) continue; /* there that is auto */
        solve(ctx, &o, f);
        assert_int_equal(f->m, f->n);
        certify(what, f, 1);
    }
}

static void test_kinds(void **state)
{
    static const int64_t orders[] = {1, 2, 3, 4, 9, 33, 100};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t k = 0; matrices_tridiagonal_names[k]; ++k)
        for (size_t c = 0; c < 2 * COUNT(orders); ++c) {
            fixture f = make(matrices_tridiagonal_names[k], orders[c / 2], real_types[c % 2]);
            certify_all(ctx, matrices_tridiagonal_names[k], &f);
            drop(&f);
        }
    eig_destroy(ctx);
}

static void test_families(void **state)
{
    static const int64_t orders[] = {1, 2, 3, 21, 43, 150, 256};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t k = 0; k < COUNT(families); ++k)
        for (size_t c = 0; c < 2 * COUNT(orders); ++c) {
            fixture f = make_family(k, orders[c / 2], real_types[c % 2]);
            certify_all(ctx, families[k].name, &f);
            drop(&f);
        }
    eig_destroy(ctx);
}

/* Every order once, where lanes and blocks end anywhere. */
static void test_orders(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int64_t n = 1; n <= 70; ++n)
        for (int c = 0; c < 2; ++c) {
            fixture f = make("uniform", n, real_types[c]),
                    g = make_family((size_t)n % COUNT(families), n, real_types[c]);
            certify_all(ctx, "uniform", &f);
            certify_all(ctx, families[(size_t)n % COUNT(families)].name, &g);
            drop(&f), drop(&g);
        }
    eig_destroy(ctx);
}

/* A hundred copies: clusters of a hundred and two hundred. */
static void test_copies(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t k = 0; k < 5; k += 2) {
        fixture f = make_family(k, 2100, EIG_D);
        solve(ctx, NULL, &f);
        certify(families[k].name, &f, 1);
        assert_true(f.stats.largest_cluster >= 90);
        assert_int_equal(f.stats.inverse_iterations, 0);
        drop(&f);
    }
    eig_destroy(ctx);
}

/* Without representations for clusters, inverse iteration answers, and says so. */
static void test_last_resort(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    int64_t inverse = 0;
    o.most_depth = -1;
    for (size_t k = 0; k < COUNT(families); ++k)
        for (int c = 0; c < 2; ++c) {
            fixture f = make_family(k, 90, real_types[c]);
            solve(ctx, &o, &f);
            certify(families[k].name, &f, 1);
            assert_int_equal(f.stats.depth, 0);
            inverse += f.stats.inverse_iterations;
            drop(&f);
        }
    assert_true(inverse > 500);
    eig_destroy(ctx);
}

/* Clusters have representations where the method makes them: none is left over for inverse iteration. */
static void test_tree(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t turn = 0; turn < 2 * COUNT(families); ++turn) {
        size_t const k = turn / 2;
        fixture f = make_family(k, 210, EIG_D);
        eig_stemr_options const o = by(turn % 2 ? EIG_STEMR_MRRR : EIG_STEMR_AUTO);
        solve(ctx, &o, &f);
        if (turn % 2) certify(families[k].name, &f, 1);
        if (f.stats.inverse_iterations > 0) fail_msg("%s: inverse iteration", families[k].name);
        assert_int_equal(f.stats.bad_representations, 0);
        bool const makes = turn % 2 || test_on_cpu();
        if (f.stats.clusters > 0 && makes) assert_true(f.stats.depth >= 1 && f.stats.shifts >= 16 * f.stats.clusters);
        if (makes) assert_true(f.stats.representations >= f.stats.clusters + 1);
        drop(&f);
    }
    eig_destroy(ctx);
}

/* What counts as 0 is up to the type: on a CPU floats split where doubles do not; on a GPU they are doubles then. */
static void test_splits(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int c = 0; c < 2; ++c) {
        fixture f = make_family(2, 210, real_types[c]); /* glued by 1e-8 */
        solve(ctx, NULL, &f);
        certify("glued by 1e-8", &f, 1);
        assert_int_equal(f.stats.blocks, f.type == EIG_S && test_on_cpu() ? 10 : 1);
        drop(&f);
    }
    eig_destroy(ctx);
}

/* Blocks of 1, 2, ..., `most` rows, again and again: the short ones have a road of their own on a CPU. */
static void test_short_blocks(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int c = 0; c < 2 * 12; ++c) {
        int64_t const n = 201, most = 1 + c / 2;
        fixture f = make("uniform", n, real_types[c % 2]);
        for (int64_t i = 0, length = 1; i + length < n; i += length, length = length % most + 1) {
            numbers_put_part(&f.e, i + length - 1, 0);
            f.plain_e[i + length - 1] = 0;
        }
        certify_all(ctx, "short blocks", &f);
        drop(&f);
    }
    eig_destroy(ctx);
}

/* Five hundred clusters of two: more than the representations that a CUDA context keeps at once. */
static void test_many_clusters(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t turn = 0; turn < 2 * COUNT(families); ++turn) {
        size_t const k = turn / 2;
        if (families[k].fill != fill_mirror) continue;
        fixture f = make_family(k, 1000, EIG_D);
        eig_stemr_options const o = by(turn % 2 ? EIG_STEMR_MRRR : EIG_STEMR_AUTO);
        solve(ctx, &o, &f);
        certify(families[k].name, &f, 1);
        assert_true(f.stats.clusters >= 450);
        assert_int_equal(f.stats.inverse_iterations, 0);
        drop(&f);
    }
    eig_destroy(ctx);
}

/* Spectra that have a formula. */
static void test_spectra(void **state)
{
    enum { N = 200 };
    (void)state;
    double *const want = malloc(N * sizeof *want);
    eig_context *const ctx = test_context(1);
    for (size_t kind = 0; matrices_tridiagonal_names[kind]; ++kind) {
        if (!matrices_tridiagonal_spectrum(matrices_tridiagonal_names[kind], N, want)) continue;
        fixture f = make(matrices_tridiagonal_names[kind], N, EIG_D);
        solve(ctx, NULL, &f);
        for (int64_t k = 0; k < N; ++k)
            if (!(fabs(numbers_part(&f.w, k) - want[k]) <= 10 * DBL_EPSILON * f.norm))
                fail_msg("%s: %.17g is not %.17g", matrices_tridiagonal_names[kind], numbers_part(&f.w, k), want[k]);
        drop(&f);
    }
    eig_destroy(ctx);
    free(want);
}

/* The certificate tells what is measured here: residuals are told in double, and those of a double matrix are rounding
 * errors of a size that doubles have themselves, so that only most of them agree to better than half an eps ||T||.  The estimate
 * of the longest row is never far below it, and seldom thrice as long. */
static void test_certificate(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t k = 0; k < COUNT(families); ++k)
        for (int c = 0; c < 2; ++c) {
            fixture f = make_family(k, 120, real_types[c]);
            solve(ctx, NULL, &f);
            double const unit = DBL_EPSILON * f.norm, least = type_is_single(f.type) ? 0x1p-149 : 0x1p-1074;
            double told_squares = 0, squares = 0;
            for (int64_t j = 0; j < f.m; ++j) {
                double const told = numbers_part(&f.residual, j), measured = residual_of(&f, j) * f.norm;
                if (!(fabs(told - measured) <= 1e-3 * measured + 0.5 * unit + least))
                    fail_msg("%s: residual %g is told as %g", families[k].name, measured, told);
                told_squares += told * told / (f.norm * f.norm), squares += measured * measured / (f.norm * f.norm);
            }
            if (!(fabs(sqrt(told_squares) - sqrt(squares)) <= 0.25 * sqrt(squares)))
                fail_msg("%s: residuals of %g are told as %g in all", families[k].name, sqrt(squares),
                         sqrt(told_squares));
            double longest = 0;
            for (int64_t i = 0; i < f.m; ++i) {
                double sum = 0;
                for (int64_t j = 0; j < f.m; ++j) sum += pow(inner(&f, i, j) - (i == j), 2);
                longest = fmax(longest, sqrt(sum));
            }
            double const told = numbers_part(&f.orthogonality, 0);
            if (!(told <= 4 * longest + DBL_EPSILON && told >= 0.6 * longest))
                fail_msg("%s: the longest row is %g, told %g", families[k].name, longest, told);
            drop(&f);
        }
    eig_destroy(ctx);
}

#ifdef EIG_TEST_LAPACK
void dstemr_(const char *jobz, const char *range, const int *n, double *d, double *e, const double *vl,
             const double *vu, const int *il, const int *iu, int *m, double *w, double *z, const int *ldz,
             const int *nzc, int *isuppz, int *tryrac, double *work, const int *lwork, int *iwork, const int *liwork,
             int *info);

/* LAPACK's vectors of a random matrix, up to their signs. */
static void test_lapack(void **state)
{
    enum { N = 120 };
    static double d[N], e[N], w[N], z[N * N], work[18 * N];
    static int isuppz[2 * N], iwork[10 * N];
    int const n = N, one = 1, lwork = 18 * N, liwork = 10 * N;
    int m, tryrac = 1, info;
    double const zero = 0;
    (void)state;
    fixture f = make("uniform", N, EIG_D);
    eig_context *const ctx = test_context(1);
    solve(ctx, NULL, &f);
    memcpy(d, f.plain_d, sizeof d), memcpy(e, f.plain_e, sizeof e);
    dstemr_("V", "A", &n, d, e, &zero, &zero, &one, &n, &m, w, z, &n, &n, isuppz, &tryrac, work, &lwork, iwork, &liwork,
            &info);
    assert_int_equal(info, 0);
    for (int k = 0; k < N; ++k) {
        double dot = 0, gap = 1;
        for (int i = 0; i < N; ++i) dot += z[i + k * N] * z_of(&f, i, k);
        if (k > 0) gap = fmin(gap, w[k] - w[k - 1]);
        if (k + 1 < N) gap = fmin(gap, w[k + 1] - w[k]);
        if (!(fabs(w[k] - numbers_part(&f.w, k)) <= N * DBL_EPSILON * f.norm)) fail_msg("LAPACK's w[%d] differs", k);
        if (!(fabs(fabs(dot) - 1) <= 1e-13 / gap)) fail_msg("LAPACK's vector %d differs: %g", k, fabs(dot) - 1);
    }
    drop(&f);
    eig_destroy(ctx);
}
#endif

int main(int argc, char **argv)
{
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_kinds),       cmocka_unit_test(test_families),     cmocka_unit_test(test_orders),
        cmocka_unit_test(test_copies),      cmocka_unit_test(test_tree),         cmocka_unit_test(test_many_clusters),
        cmocka_unit_test(test_splits),      cmocka_unit_test(test_short_blocks), cmocka_unit_test(test_last_resort),
        cmocka_unit_test(test_certificate), cmocka_unit_test(test_spectra),
#ifdef EIG_TEST_LAPACK
        cmocka_unit_test(test_lapack),
#endif
    };
    if (!test_device_answers(argc, argv)) return 77;
    int const failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("worst residual %.3f, worst inner product %.3f, in n eps\n", worst_residual, worst_orthogonality);
    return failed;
}
