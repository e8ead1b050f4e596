/* stemr from the inside: every fallback is forced, by inputs that need it or by limits of the method that are moved
 * (stemr_limits), and held to the same promises; cuts of clusters; steps of a single and kernels by themselves.  On CUDA
 * what has its limits there. */
#include "cpu/stemr/stemr_cpu.h"
#include "support/stemr_forced.h"

enum { GRADED = 7 }; /* to 1e-16, of the families */

/* A graded matrix, half of whose eigenvalues are one cluster at 0: no shift near it will do, one far away does. */
static void test_far_shifts(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    fixture f = make_family(GRADED, 420, EIG_D);
    solve(ctx, NULL, &f);
    certify(families[GRADED].name, &f, 1);
    assert_true(f.stats.shifts > 16 * f.stats.clusters);
    assert_int_equal(f.stats.bad_representations, 0);
    assert_int_equal(f.stats.inverse_iterations, 0);
    drop(&f);
    eig_destroy(ctx);
    /* The same where growth is hardly allowed. */
    stemr_limits strict = usual;
    strict.growth = 0x1p30;
    eig_stemr_stats const sum = all_families(&strict, 90);
    assert_true(sum.shifts > 18 * sum.clusters && sum.bad_representations > 0);
}

/* Wide gaps asked for: clusters of clusters, down to the last level and beyond it. */
static void test_deep_trees(void **state)
{
    (void)state;
    stemr_limits wide = usual;
    wide.gap_root = 0x1p-3, wide.gap = 0x1p-5;
    eig_stemr_stats const sum = all_families(&wide, 90);
    assert_int_equal(sum.depth, STEMR_DEPTH);
    assert_true(sum.inverse_iterations > 0);
    wide.gap = 0x1p-16;
    assert_true(all_families(&wide, 90).depth >= 2);
}

/* Without random changes copies agree in more than a double's digits: clusters of clusters; and inverse iteration has to
 * orthogonalise. */
static void test_without_noise(void **state)
{
    (void)state;
    stemr_limits quiet = usual;
    quiet.noise = 0;
    assert_true(all_families(&quiet, 90).depth >= 2);
    quiet.bad_level = 1;
    assert_true(all_families(&quiet, 90).inverse_iterations > 50);
}

/* Brackets of clusters of clusters that miss their eigenvalues are widened. */
static void test_missing_brackets(void **state)
{
    (void)state;
    stemr_limits missing = usual;
    missing.gap_root = 0x1p-3, missing.gap = 0x1p-12;
    for (missing.miss = -5; missing.miss <= 5; missing.miss += 2.5) assert_true(all_families(&missing, 60).depth >= 2);
}

/* No representation is good enough, on the first level or the second. */
static void test_bad_representations(void **state)
{
    (void)state;
    stemr_limits bad = usual;
    bad.gap_root = 0x1p-12, bad.gap = 0x1p-16;
    for (bad.bad_level = 1; bad.bad_level <= 2; ++bad.bad_level) {
        eig_stemr_stats const sum = all_families(&bad, 60);
        assert_int_equal(sum.depth, bad.bad_level - 1);
        assert_true(sum.bad_representations > 0 && sum.inverse_iterations >= 2 * sum.bad_representations);
    }
}

/* The same of a subset that cuts clusters: the values keep their bits, the vectors their promises. */
static void test_bad_subsets(void **state)
{
    enum { N = 60 };
    (void)state;
    eig_context *const ctx = test_context(1);
    stemr_limits bad = usual;
    bad.bad_level = 1;
    int64_t inverse = 0;
    for (size_t k = 0; k < COUNT(families); ++k) {
        fixture whole = make_family(k, N, EIG_D), part = make_family(k, N, EIG_D);
        solve_within(ctx, &bad, 1, N, &whole);
        for (int64_t il = 1; il + 8 <= N; il += 7) {
            solve_within(ctx, &bad, il, il + 8, &part);
            assert_memory_equal(numbers_at(&whole.w, il - 1), part.w.data, 9 * sizeof(double));
            certify(families[k].name, &part, il);
            inverse += part.stats.inverse_iterations;
        }
        drop(&whole), drop(&part);
    }
    assert_true(inverse > 100);
    eig_destroy(ctx);
}

/* info tells which promise a pair lacks, and no other. */
static void test_info(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    stemr_limits lacking = usual;
    lacking.bad_level = 1;
    for (int turn = 1; turn < 4; ++turn) {
        lacking.info_above[0] = turn & EIG_STEMR_RESIDUAL ? -1 : 1,
        lacking.info_above[1] = turn & EIG_STEMR_ORTHOGONALITY ? -1 : 4;
        fixture f = make_family(0, 84, EIG_S);
        solve_within(ctx, &lacking, 1, 84, &f);
        int inverse = 0, both = 0;
        for (int k = 0; k < 84; ++k) {
            if ((f.info[k] & EIG_STEMR_RESIDUAL) != (turn & EIG_STEMR_RESIDUAL))
                fail_msg("info[%d] = %d", k, f.info[k]);
            inverse += (f.info[k] & EIG_STEMR_ORTHOGONALITY) != 0;
            both += f.info[k] == 3;
        }
        assert_int_equal(inverse, turn & EIG_STEMR_ORTHOGONALITY ? f.stats.inverse_iterations : 0);
        assert_true(f.stats.inverse_iterations > 0 && (turn < 3 || both == inverse));
        drop(&f);
    }
    eig_destroy(ctx);
}

/* How many residuals are larger than promised, of pairs whose info is 0. */
static int64_t large_residuals(const fixture *f)
{
    int64_t large = 0;
    for (int64_t k = 0; k < f->m; ++k)
        large += !(residual_of(f, k) <= 10 * (double)f->n * type_eps(f->type)) && f->info[k] == EIG_INFO_OK;
    return large;
}

/* On CUDA small entries of vectors are wrong, by too little to show in their lengths: where vectors are measured all are mended, and
 * without that nobody sees them.  On a CPU vectors are measured with a wrong eigenvalue, and made anew. */
static void test_bent(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    stemr_limits bent = usual;
    bent.bent = 3;
    int64_t wrong = 0, mended = 0, alone = 0;
    for (size_t k = 0; k < COUNT(families); ++k) {
        fixture f = make_family(k, 90, real_types[k % 2]);
        solve_within(ctx, &bent, 1, f.n, &f);
        if (large_residuals(&f) > 0) fail_msg("%s: %lld are left", families[k].name, (long long)large_residuals(&f));
        mended += f.stats.inverse_iterations;
        solve_as(ctx, EIG_STEMR_AUTO, false, &bent, 1, f.n, &f);
        wrong += large_residuals(&f);
        drop(&f);
    }
    for (int c = 0; c < 2; ++c) { /* without clusters */
        fixture f = make("uniform", 200, real_types[c]);
        solve_within(ctx, &bent, 1, f.n, &f);
        certify("bent", &f, 1);
        alone += f.stats.inverse_iterations;
        solve_as(ctx, EIG_STEMR_AUTO, false, &bent, 1, f.n, &f);
        assert_int_equal(f.stats.inverse_iterations, 0);
        wrong += large_residuals(&f);
        drop(&f);
    }
    printf("%lld vectors mended, %lld of T without clusters; %lld wrong without certificates\n", (long long)mended,
           (long long)alone, (long long)wrong);
    assert_true(mended > 60 && alone > 30 && (test_on_cpu() ? wrong == 0 : wrong > 60));
    eig_destroy(ctx);
}

/* What inverse iteration does not mend is told: no vector is good enough here, and no residual that was measured is 0. */
static void test_told(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    stemr_limits none = usual;
    none.measured = -1, none.info_above[0] = 0;
    fixture f = make_family(2, 63, EIG_D);
    solve_within(ctx, &none, 1, 63, &f);
    assert_int_equal(f.stats.inverse_iterations, 63);
    for (int k = 0; k < 63; ++k) assert_true(f.info[k] & EIG_STEMR_RESIDUAL);
    none.info_above[0] = 1;
    solve_within(ctx, &none, 1, 63, &f);
    certify("all vectors by inverse iteration", &f, 1);
    drop(&f);
    eig_destroy(ctx);
}

/* Neighbours whose inner product is not 0 count as skew, and go to inverse iteration. */
static void test_skew(void **state)
{
    (void)state;
    stemr_limits strict = usual;
    strict.skew = 0;
    eig_stemr_stats const sum = all_families(&strict, 90);
    assert_true(sum.skew > 100 && sum.inverse_iterations > sum.skew);
}

/* Brackets so wide that Rayleigh's quotient begins far away. */
static void test_wide_brackets(void **state)
{
    (void)state;
    stemr_limits loose = usual;
    for (loose.bracket = 0x1p-10; loose.bracket >= 0x1p-40; loose.bracket *= 0x1p-10) {
        all_families(&loose, 43);
        eig_context *const ctx = test_context(1);
        for (int64_t n = 2; n <= 40; n += 19) {
            fixture f = make("uniform", n, EIG_D), g = make("121", n, EIG_D);
            solve_within(ctx, &loose, 1, n, &f), certify("uniform", &f, 1);
            solve_within(ctx, &loose, 1, n, &g), certify("121", &g, 1);
            drop(&f), drop(&g);
        }
        eig_destroy(ctx);
    }
}

/* All families, and matrices without clusters, of which the first has vectors of few rows. */
static void all_kinds(const stemr_limits *limits)
{
    eig_context *const ctx = test_context(2);
    all_families(limits, 90);
    for (int c = 0; c < 2; ++c) {
        fixture f = make("uniform", 300, real_types[c]), g = make("121", 300, real_types[c]);
        solve_within(ctx, limits, 1, 300, &f), certify("uniform", &f, 1);
        solve_within(ctx, limits, 1, 300, &g), certify("121", &g, 1);
        drop(&f), drop(&g);
    }
    eig_destroy(ctx);
}

/* A twist where the vector is small is sought anew. */
static void test_blind_twists(void **state)
{
    (void)state;
    stemr_limits blind = usual;
    blind.blind = true;
    all_kinds(&blind);
}

/* Windows that are too narrow for the eigenvalue, or for the vector alone, are given up. */
static void test_narrow_windows(void **state)
{
    (void)state;
    stemr_limits narrow = usual;
    for (narrow.window = 4; narrow.window <= 64; narrow.window *= 2) all_kinds(&narrow);
}

/* Representations of clusters that are not kept, because there is no room, are the same when they are made again. */
static void test_kept_representations(void **state)
{
    enum { N = 420 };
    (void)state;
    eig_context *const ctx = test_context(2);
    stemr_limits none = usual;
    none.pool = 0;
    for (size_t k = 0; k < 5; k += 2) {
        fixture f = make_family(k, N, EIG_D), g = make_family(k, N, EIG_D);
        solve_within(ctx, &usual, 1, N, &f);
        solve_within(ctx, &none, 1, N, &g);
        assert_true(f.stats.largest_cluster >= STEMR_CROWD);
        assert_memory_equal(f.w.data, g.w.data, N * sizeof(double));
        assert_true(numbers_same(&f.z, &g.z));
        drop(&f), drop(&g);
    }
    eig_destroy(ctx);
}

/* ------------------------------------------------------------------- steps */

static bool step_to(stemr_pair *k, int64_t count, double gamma)
{
    return eig_cpu_stemr_step(k, STEMR_ENOUGH, count, gamma, 1);
}

/* A step inside the bracket is taken; one that leaves it, is no number, or makes no progress becomes a bisection; the
 * count moves the bracket; none of that goes on for ever. */
static void test_steps(void **state)
{
    (void)state;
    stemr_pair const fresh = {.index = 3, .lo = {1, 0}, .hi = {2, 0}, .x = {1.5, 0}, .gap = 1, .before = INFINITY};
    stemr_pair k = fresh;
    assert_false(step_to(&k, 2, 0.125));
    assert_true(k.x.hi == 1.625 && k.lo.hi == 1.5 && k.hi.hi == 2 && k.before == 0.125);
    assert_false(step_to(&k, 3, -0.1)); /* not less than half: a bisection */
    assert_true(k.x.hi == 1.5625 && k.hi.hi == 1.625 && k.before == INFINITY);
    static double const leaving[] = {0.75, -0.5, 1e300, -INFINITY, NAN};
    for (size_t i = 0; i < COUNT(leaving); ++i) {
        k = fresh;
        assert_false(step_to(&k, 3, leaving[i]));
        assert_true(k.x.hi == 1.25 && k.lo.hi == 1 && k.hi.hi == 1.5 && k.before == INFINITY);
        k = fresh;
        assert_false(step_to(&k, 2, leaving[i]));
        assert_true(k.x.hi == 1.75 && k.lo.hi == 1.5 && k.hi.hi == 2);
    }
    k = fresh;
    assert_true(step_to(&k, 2, 0x1p-30)); /* small enough, and still taken */
    assert_true(k.x.hi == 1.5 + 0x1p-30);
    k = fresh;
    int steps = 0;
    while (!step_to(&k, k.x.hi > 1.7 ? 3 : 2, NAN)) ++steps;
    assert_in_range(steps, 90, 110);
    assert_true(fabs(k.x.hi - 1.7) <= 1e-15);
}

/* ------------------------------------------------------------------ kernels */

enum { ROWS = 40 };

/* N = L D L' with small integers; off-diagonals of 2, so that pivots of N - x are 0 for many integers x. */
static void fill_rows(stemr_row *rows, int variant)
{
    static double const choice[5] = {4, -2, 1, 2, -4};
    for (int i = 0; i < ROWS; ++i) {
        double const d = choice[(i * (variant % 7) + i * i * (variant / 7) + variant) % 5];
        rows[i] = (stemr_row){.d = {d, 0}, .b = i + 1 < ROWS ? 2 : 0};
        rows[i].g = (wide_d){rows[i].b * rows[i].b / d, 0};
    }
}

/* The same as a plain T. */
static void plain_of(const stemr_row *rows, double *d, double *e)
{
    for (int i = 0; i < ROWS; ++i) {
        d[i] = rows[i].d.hi + (i > 0 ? rows[i - 1].g.hi : 0);
        if (i + 1 < ROWS) e[i] = rows[i].b;
    }
}

static int zero_pivots(const double *d, const double *e, double x)
{
    double q = d[0] - x;
    int zeros = q == 0;
    for (int i = 1; i < ROWS; ++i) {
        q = d[i] - x - (q == 0 ? e[i - 1] * e[i - 1] / 1e-300 : e[i - 1] * e[i - 1] / q);
        zeros += q == 0;
    }
    return zeros;
}

/* (N - x) z = gamma e_twist, for a z of length 1. */
static void check_vector(const double *d, const double *e, double x, const double *z, double gamma, int64_t twist)
{
    for (int i = 0; i < ROWS; ++i) {
        double const left = i > 0 ? e[i - 1] * z[i - 1] : 0, right = i + 1 < ROWS ? e[i] * z[i + 1] : 0;
        double const r = (d[i] - x) * z[i] + left + right - (i == twist ? gamma * z[i] : 0);
        if (!(fabs(r) <= 100 * DBL_EPSILON)) fail_msg("x = %g: row %d of the residual is %g", x, i, r);
    }
}

/* Pivots that are exactly 0: counts are right, vectors are vectors, nothing is infinite or NaN. */
static void test_zero_pivots(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    const stemr_kernel *const kernel = eig_cpu_kernels(ctx, EIG_D)->stemr;
    void *const scratch = aligned_alloc(256, (ROWS * kernel->row_bytes + 255) / 256 * 256);
    stemr_row rows[ROWS];
    double d[ROWS], e[ROWS], z[STEMR_LANES][ROWS];
    int zeros = 0;
    assert_non_null(scratch);
    for (int variant = 0; variant < 49; ++variant) {
        stemr_lanes t;
        stemr_column columns[STEMR_LANES];
        fill_rows(rows, variant);
        plain_of(rows, d, e);
        for (int l = 0; l < STEMR_LANES; ++l) {
            t.hi[l] = (l - 16) * 0.5, t.lo[l] = 0, t.top[l] = 0, t.bottom[l] = ROWS - 1;
            zeros += zero_pivots(d, e, t.hi[l]);
        }
        kernel->count(rows, ROWS, false, STEMR_LANES, &t, scratch);
        for (int l = 0; l < STEMR_LANES; ++l) { /* x itself may be an eigenvalue */
            assert_in_range(t.count[l], reference_count(ROWS, d, e, t.hi[l] - 1e-13L),
                            reference_count(ROWS, d, e, t.hi[l] + 1e-13L));
        }
        kernel->twist(rows, ROWS, false, STEMR_LANES, &t, scratch);
        for (int l = 0; l < STEMR_LANES; ++l) assert_true(isfinite(t.gamma[l]) && t.norm[l] >= 1);
        stemr_lanes again = t;
        kernel->step(rows, ROWS, false, STEMR_LANES, &again, scratch);
        for (int l = 0; l < STEMR_LANES; ++l) {
            assert_true(again.gamma[l] == t.gamma[l] && again.norm[l] == t.norm[l]);
            assert_in_range(again.count[l], reference_count(ROWS, d, e, t.hi[l] - 1e-13L),
                            reference_count(ROWS, d, e, t.hi[l] + 1e-13L));
        }
        kernel->vectors(rows, ROWS, false, STEMR_LANES, &t, scratch);
        for (int l = 0; l < STEMR_LANES; ++l)
            columns[l] = (stemr_column){.z = z[l], .scale = 1 / sqrt(t.norm[l]), .last = ROWS - 1};
        kernel->store(ROWS, STEMR_LANES, scratch, false, 0x1p-100, (stemr_matrix){NULL, NULL}, columns);
        for (int l = 0; l < STEMR_LANES; ++l) check_vector(d, e, t.hi[l], z[l], t.gamma[l], t.twist[l]);
    }
    assert_true(zeros > 50);
    free(scratch);
    eig_destroy(ctx);
}

/* --------------------------------------------------------------------- cuts */

/* Every cut of every cluster, on either side, and every pair alone, has the bits of the full run. */
static void test_cuts(void **state)
{
    enum { N = 64 };
    (void)state;
    eig_context *const ctx = test_context(1);
    stemr_limits wide = usual;
    wide.gap_root = 0x1p-12, wide.gap = 0x1p-14;
    int clusters = 0, compared = 0;
    for (size_t k = 0; k < COUNT(families); ++k)
        for (int turn = 0; turn < 2; ++turn) {
            const stemr_limits *const limits = turn ? &wide : &usual;
            fixture whole = make_family(k, N, EIG_D), part = make_family(k, N, EIG_D);
            solve_within(ctx, limits, 1, N, &whole);
            clusters += (int)whole.stats.clusters;
            for (int64_t cut = 1; cut <= N && whole.stats.inverse_iterations == 0; ++cut) {
                int64_t const ends[3][2] = {{1, cut}, {cut, N}, {cut, cut}};
                for (int i = 0; i < 3; ++i, ++compared) {
                    solve_within(ctx, limits, ends[i][0], ends[i][1], &part);
                    assert_int_equal(part.m, ends[i][1] - ends[i][0] + 1);
                    same_pairs(families[k].name, &whole, &part, ends[i][0]);
                }
            }
            drop(&whole), drop(&part);
        }
    assert_true(clusters > 100 && compared > 3000);
    eig_destroy(ctx);
}

/* Copies that agree in all digits that a count has: the plain version orthogonalises their vectors. */
static void test_equal_copies(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    stemr_limits quiet = usual;
    quiet.noise = 0;
    for (size_t k = 0; k < COUNT(families); ++k)
        for (int c = 0; c < 2; ++c) {
            fixture f = make_family(k, 84, real_types[c]);
            solve_by(ctx, EIG_STEMR_REFERENCE, &quiet, 1, f.n, &f);
            certify(families[k].name, &f, 1);
            drop(&f);
        }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_without_noise),
        cmocka_unit_test(test_far_shifts),
        cmocka_unit_test(test_deep_trees),
        cmocka_unit_test(test_missing_brackets),
        cmocka_unit_test(test_bad_representations),
        cmocka_unit_test(test_bad_subsets),
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_skew),
        cmocka_unit_test(test_bent),
        cmocka_unit_test(test_told),
        cmocka_unit_test(test_wide_brackets),
        cmocka_unit_test(test_blind_twists),
        cmocka_unit_test(test_narrow_windows),
        cmocka_unit_test(test_kept_representations),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_zero_pivots),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_equal_copies),
    };
    struct CMUnitTest const on_cuda[] = {
        cmocka_unit_test(test_bad_subsets), cmocka_unit_test(test_info), cmocka_unit_test(test_skew),
        cmocka_unit_test(test_bent),        cmocka_unit_test(test_told), cmocka_unit_test(test_equal_copies),
    };
    if (!test_device_answers(argc, argv)) return 77;
    if (strncmp(test_device, "cuda", 4) == 0) return cmocka_run_group_tests(on_cuda, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
