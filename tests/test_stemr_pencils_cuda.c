/* stemr on a GPU from the inside: limits of the method that are moved, so that counts against T itself or pencils do not part
 * the members of clusters.  `small` limits the sizes for compute-sanitizer. */
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

/* Members of clusters that counts against T itself do not part get representations, beside others that T serves; where
 * these are bad, the whole cluster goes to inverse iteration. */
static void test_unparted(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    stemr_limits moved = usual;
    for (moved.part = 0x1p-36; moved.part >= 0x1p-60; moved.part *= 0x1p-8) {
        same_subsets(ctx, &moved, 60, 9, 7);
        if (small) continue;
        eig_stemr_stats const sum = all_families(&moved, 90);
        moved.bad_level = 1;
        eig_stemr_stats const bad = all_families(&moved, 90);
        moved.bad_level = 0;
        printf("part 2^%d: %lld clusters, %lld vectors by inverse iteration, %lld where representations are bad\n",
               ilogb(moved.part), (long long)sum.clusters, (long long)sum.inverse_iterations,
               (long long)bad.inverse_iterations);
        assert_int_equal(sum.inverse_iterations, 0);
        assert_true(bad.inverse_iterations > 50);
    }
    eig_destroy(ctx);
}

enum { LARGE = 310 /* rows: clusters of enough members for pencils */ };

/* Solves a family by either limits, the other ones certified; whether their vectors have other bits. */
static bool other_bits(eig_context *ctx, size_t k, eig_type type, const stemr_limits *one, const stemr_limits *other)
{
    fixture f = make_family(k, LARGE, type), g = make_family(k, LARGE, type);
    solve_within(ctx, one, 1, LARGE, &f);
    solve_within(ctx, other, 1, LARGE, &g);
    certify(families[k].name, &g, 1);
    bool const differ = memcmp(f.z.data, g.z.data, (size_t)(LARGE * LARGE) * type_size(type)) != 0;
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

/* Pencils beside representations in one call: without the pencils such a family has other bits, and where representations
 * are bad it needs inverse iteration. */
static void test_pencils_beside(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    stemr_limits moved = usual;
    moved.part = 0x1p-52;
    stemr_limits without = moved, bad = moved;
    without.rounds = 0, bad.bad_level = 1;
    int beside = 0;
    for (size_t k = first_family(); k <= last_family(); ++k)
        for (int c = 0; c < 2; ++c) {
            bool const pencils = other_bits(ctx, k, real_types[c], &without, &moved);
            fixture f = make_family(k, LARGE, real_types[c]);
            solve_within(ctx, &bad, 1, LARGE, &f);
            certify(families[k].name, &f, 1);
            beside += pencils && f.stats.inverse_iterations > 0;
            drop(&f);
        }
    printf("pencils beside representations in %d families\n", beside);
    assert_true(small || beside > 0);
    same_subsets(ctx, &moved, LARGE, 21, 66);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_unparted),
        cmocka_unit_test(test_left_pencils),
        cmocka_unit_test(test_pencils_beside),
    };
    char *arguments[] = {argv[0], "cuda", NULL};
    small = argc > 1 && strcmp(argv[1], "small") == 0;
    if (!test_device_answers(2, arguments)) return 77;
    if (argc > 1 + small) cmocka_set_test_filter(argv[1 + small]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
