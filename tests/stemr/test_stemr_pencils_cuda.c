/* stemr on a GPU from the inside: limits of the method that are moved, so that counts against T itself or pencils do not part
 * the members of clusters.  `small` limits the sizes for compute-sanitizer. */
#include "support/gauge.h"
#include "support/stemr_forced.h"

static bool small;

/* Families from this one on, and up to this one. */
static size_t first_family(void)
{
    return small ? 3 : 0;
}

static size_t last_family(void)
{
    return small ? 4 : COUNT(families) - 1;
}

/* Subsets of all families have the bits of the full run. */
static void same_subsets(eig_context *ctx, const stemr_limits *limits, int64_t n, int64_t wanted, int64_t apart)
{
    for (size_t k = first_family(); k <= last_family(); ++k) {
        fixture whole = make_family(k, n, EIG_D), part = make_family(k, n, EIG_D);
        solve_within(ctx, limits, 1, n, &whole);
        for (int64_t il = 1; il + wanted <= n + 1; il += small ? 4 * apart : apart) {
            solve_within(ctx, limits, il, il + wanted - 1, &part);
            same_pairs(families[k].name, &whole, &part, il);
        }
        drop(&whole), drop(&part);
    }
}

/* The values of subsets of all families have the bits of the full run, and their vectors keep the promises: inverse
 * iteration orthogonalises them against those alone that were asked for. */
static void same_values(eig_context *ctx, const stemr_limits *limits, int64_t n, int64_t wanted, int64_t apart)
{
    for (size_t k = first_family(); k <= last_family(); ++k) {
        fixture whole = make_family(k, n, EIG_D), part = make_family(k, n, EIG_D);
        solve_within(ctx, limits, 1, n, &whole);
        for (int64_t il = 1; il + wanted <= n + 1; il += small ? 4 * apart : apart) {
            solve_within(ctx, limits, il, il + wanted - 1, &part);
            assert_memory_equal(numbers_at(&whole.w, il - 1), part.w.data, (size_t)wanted * sizeof(double));
            certify(families[k].name, &part, il);
        }
        drop(&whole), drop(&part);
    }
}

/* Clusters that counts against T itself do not part go to inverse iteration, and no others. */
static void test_unparted(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    stemr_limits moved = usual;
    assert_int_equal(small ? 0 : all_families(&usual, 90).inverse_iterations, 0);
    for (moved.part = 0x1p-36; moved.part >= 0x1p-60; moved.part *= 0x1p-8) {
        same_values(ctx, &moved, 60, 9, 7);
        if (small) continue;
        eig_stemr_stats const sum = all_families(&moved, 90);
        printf("part 2^%d: %lld clusters, %lld vectors by inverse iteration\n", ilogb(moved.part),
               (long long)sum.clusters, (long long)sum.inverse_iterations);
        assert_int_equal(sum.bad_representations, 0);
        assert_true(sum.inverse_iterations > 50);
    }
    eig_destroy(ctx);
}

enum { LARGE = 310 /* rows: clusters of enough members for pencils */ };

static void expect_signs(const char *name, const fixture *f)
{
    for (int64_t k = 0; k < f->m; ++k) {
        gauge_vector const x = {&f->z, f->n, k * f->ldz, 1};
        expect_gauge(name, k, &x);
    }
}

/* Solves a family by either limits, the other ones certified; whether their vectors have other bits. */
static bool other_bits(eig_context *ctx, size_t k, eig_type type, const stemr_limits *one, const stemr_limits *other)
{
    fixture f = make_family(k, LARGE, type), g = make_family(k, LARGE, type);
    solve_within(ctx, one, 1, LARGE, &f);
    solve_within(ctx, other, 1, LARGE, &g);
    certify(families[k].name, &g, 1);
    expect_signs(families[k].name, &f), expect_signs(families[k].name, &g);
    bool const differ = !numbers_same(&f.z, &g.z);
    drop(&f), drop(&g);
    return differ;
}

/* Families whose vectors have other bits by these limits. */
static int others_by(eig_context *ctx, const stemr_limits *one, const stemr_limits *other)
{
    int others = 0;
    for (size_t k = first_family(); k <= last_family(); ++k)
        for (int c = 0; c < 2; ++c) others += other_bits(ctx, k, real_types[c], one, other);
    return others;
}

/* Pencils that are left, since gaps of members are too narrow for their entries, or the last round comes before the
 * members are parted: their clusters go on against T.  Families of clusters have other bits then. */
static void test_left_pencils(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    stemr_limits narrow = usual, few = usual;
    narrow.narrow = 1, few.rounds = 0;
    int const by_gap = others_by(ctx, &usual, &narrow), by_round = others_by(ctx, &usual, &few);
    printf("pencils are left in %d families for their gaps, in %d for want of rounds\n", by_gap, by_round);
    assert_true(small || (by_gap >= 4 && by_round >= 4));
    same_subsets(ctx, &narrow, LARGE, 21, 66);
    same_subsets(ctx, &few, LARGE, 21, 66);
    eig_destroy(ctx);
}

/* Pencils beside inverse iteration in one call: without the pencils such a family has other bits. */
static void test_pencils_beside(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    stemr_limits moved = usual;
    moved.part = 0x1p-52;
    stemr_limits without = moved;
    without.rounds = 0;
    int beside = 0;
    for (size_t k = first_family(); k <= last_family(); ++k)
        for (int c = 0; c < 2; ++c) {
            bool const pencils = other_bits(ctx, k, real_types[c], &without, &moved);
            fixture f = make_family(k, LARGE, real_types[c]);
            solve_within(ctx, &moved, 1, LARGE, &f);
            certify(families[k].name, &f, 1);
            beside += pencils && f.stats.inverse_iterations > 0;
            drop(&f);
        }
    printf("pencils beside inverse iteration in %d families\n", beside);
    assert_true(small || beside > 0);
    same_values(ctx, &moved, LARGE, 21, 66);
    eig_destroy(ctx);
}

/* Pairs whose info says that the residual is larger than promised; only pairs that are hurt may say so, every
 * `hurt`th.  What info says nothing of is right. */
static int64_t told_of(const char *what, const fixture *f, int64_t hurt)
{
    double const limit = 10 * (double)f->n * type_eps(f->type);
    int64_t told = 0;
    for (int64_t k = 0; k < f->m; ++k) {
        bool const tells = f->info[k] & EIG_STEMR_RESIDUAL;
        told += tells;
        if (tells && hurt > 0 && (k + 1) % hurt != 0) fail_msg("%s: info[%lld] = %d", what, (long long)k, f->info[k]);
        if (f->info[k] == EIG_OK && !(residual_of(f, k) <= limit))
            fail_msg("%s n=%lld: vector %lld is wrong, info 0", what, (long long)f->n, (long long)k);
        for (int64_t j = 0; j <= k && f->info[k] == EIG_OK; ++j)
            if (f->info[j] == EIG_OK && !(fabs(inner(f, j, k) - (j == k)) <= limit))
                fail_msg("%s n=%lld: inner product of %lld and %lld is wrong, info 0", what, (long long)f->n,
                         (long long)j, (long long)k);
    }
    return told;
}

/* What is told of all families, and their inverse iterations. */
static void hurt_families(eig_context *ctx, bool certify, const stemr_limits *limits, int64_t n, int64_t *told,
                          int64_t *mended)
{
    int64_t const hurt = limits->lost + limits->stretched;
    *told = *mended = 0;
    for (size_t k = first_family(); k <= last_family(); ++k)
        for (int c = 0; c < 2; ++c) {
            fixture f = make_family(k, n, real_types[c]);
            solve_as(ctx, EIG_STEMR_AUTO, certify, limits, 1, n, &f);
            int64_t const here = told_of(families[k].name, &f, hurt);
            if (hurt > 0 && here + f.stats.inverse_iterations < n / hurt)
                fail_msg("%s: %lld told, %lld mended", families[k].name, (long long)here,
                         (long long)f.stats.inverse_iterations);
            *told += here, *mended += f.stats.inverse_iterations;
            drop(&f);
        }
}

/* Pairs that have lost the rows of their twists, or whose vectors have a wrong length: info tells, or inverse
 * iteration mends them, all of them where vectors are measured.  Where nothing is hurt, neither happens. */
static void test_hurt(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    stemr_limits lost = usual, stretched = usual;
    lost.lost = 5, stretched.stretched = 5;
    const stemr_limits *const turns[] = {&usual, &lost, &stretched};
    for (int64_t n = 60; n <= LARGE; n += LARGE - 60)
        for (size_t i = 0; i < 2 * COUNT(turns); ++i) {
            size_t const turn = i / 2;
            bool const certify = i % 2;
            int64_t told, mended;
            hurt_families(ctx, certify, turns[turn], n, &told, &mended);
            printf("n=%lld, %s, %s: %lld pairs told, %lld inverse iterations\n", (long long)n,
                   turn == 0   ? "as it is"
                   : turn == 1 ? "rows lost"
                               : "wrong lengths",
                   certify ? "measured" : "not measured", (long long)told, (long long)mended);
            if (turn == 0 && told + mended > 0) fail_msg("nothing is hurt");
            if (certify && told > 0) fail_msg("what was measured is left as it was");
        }
    eig_destroy(ctx);
}

/* Members of pencils of which small entries are wrong, by too little for their lengths, are made anew; without certificates nobody
 * sees them. */
static void test_bent_members(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    stemr_limits bent = usual;
    bent.bent = 5;
    int64_t wrong[2] = {0, 0}, mended = 0;
    for (size_t k = first_family(); k <= last_family(); ++k)
        for (int certify = 0; certify < 2; ++certify) {
            if (families[k].fill != fill_blocks) continue;
            fixture f = make_family(k, LARGE, EIG_D);
            solve_as(ctx, EIG_STEMR_AUTO, certify, &bent, 1, LARGE, &f);
            for (int64_t i = 0; i < LARGE; ++i)
                wrong[certify] += f.info[i] == EIG_OK && !(residual_of(&f, i) <= 10 * LARGE * DBL_EPSILON);
            mended += certify ? f.stats.inverse_iterations : 0;
            drop(&f);
        }
    printf("%lld bent vectors, of which %lld are mended and %lld left\n", (long long)wrong[0], (long long)mended,
           (long long)wrong[1]);
    assert_true(wrong[0] > 0 && wrong[1] == 0 && mended >= wrong[0]);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_unparted), cmocka_unit_test(test_left_pencils), cmocka_unit_test(test_pencils_beside),
        cmocka_unit_test(test_hurt),     cmocka_unit_test(test_bent_members),
    };
    char *arguments[] = {argv[0], "cuda", NULL};
    small = argc > 1 && strcmp(argv[1], "small") == 0;
    if (!test_device_answers(2, arguments)) return 77;
    if (argc > 1 + small) cmocka_set_test_filter(argv[1 + small]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
