/* stebz on the device named by the argument: a T whose off-diagonals vanish here and there, so that its blocks are
 * solved by themselves and sorted.  Truth, enclosures, ranges, tolerances, bits; parts of any spectrum. */
#include "bench/support/passes.h"
#include "support/stebz_fixture.h"

#include <float.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* How T splits: the rows of its blocks, in turn (0 ends the list), and what stands between them, in units of eps. */
typedef struct pattern {
    const char *name, *kind;
    int64_t n;
    int rows[12];
    double glue;
} pattern;

static const pattern patterns[] = {
    {"diagonal", "uniform", 1500, {1}, 0},
    {"of two rows", "uniform", 1500, {2}, 0},
    {"of three rows", "normal", 1501, {3}, 0},
    {"of one to nine rows", "uniform", 1500, {1, 2, 3, 4, 5, 6, 7, 8, 9}, 0},
    {"Wilkinson's, of 21 rows", "wilkinson", 1512, {21}, 0},
    {"glued weakly", "uniform", 1500, {20}, 0x1p-8},
    {"glued, hardly negligible", "uniform", 1500, {20}, 0x1p-5},
    {"glued, not negligible", "uniform", 1500, {20}, 0x1p-2},
    {"all alike, glued by more than eps ||T||", "121", 1500, {1}, 12},
    {"about the limit of small blocks", "uniform", 1500, {62, 63, 64, 65, 66}, 0},
    {"one row and many", "normal", 1500, {1, 299}, 0},
    {"two halves", "uniform", 3000, {1500}, 0},
    {"a long one among small ones", "uniform", 2600, {1100, 2, 3, 2, 1, 60}, 0},
};

/* The matrix of a pattern.  Blocks are all alike where the kind repeats itself.  A GPU splits from 2048 rows on. */
static fixture make_blocks(const pattern *p, eig_type type, double scale)
{
    bool const cpu = test_on_cpu();
    int64_t const n = cpu ? p->n : p->n + 1500;
    fixture f = make(p->kind, n, 7, type);
    int which = 0;
    for (int64_t at = 0; at < n;) {
        at += p->rows[which];
        which = which + 1 < (int)COUNT(p->rows) && p->rows[which + 1] ? which + 1 : 0;
        if (at < n) f.t.e[at - 1] = p->glue * type_eps(type);
    }
    if (strcmp(p->kind, "wilkinson") == 0) /* the same block again and again: every eigenvalue many times */
        for (int64_t i = 0; i < n; ++i) f.t.d[i] = fabs((double)(i % p->rows[0]) - 0.5 * (p->rows[0] - 1));
    for (int64_t i = 0; i < n; ++i) f.t.d[i] *= scale;
    for (int64_t i = 0; i + 1 < n; ++i) f.t.e[i] *= scale;
    take(&f);
    return f;
}

static void test_patterns(void **state)
{
    (void)state;
    eig_context *ctx = test_context(2);
    for (size_t k = 0; k < COUNT(patterns); ++k)
        for (int t = 0; t < 2; ++t) {
            fixture f = make_blocks(&patterns[k], real_types[t], 1);
            assert_int_equal(solve_with(ctx, NULL, &f, true), f.t.n);
            assert_int_equal(f.info, EIG_INFO_OK);
            certify(patterns[k].name, &f, 1, f.t.n, 0);
            certify_enclosures(patterns[k].name, &f, 1);
            for (int64_t i = 0; i < f.t.n; ++i) {
                double const width = numbers_part(&f.upper, i) - numbers_part(&f.lower, i);
                if (width > 24 * type_eps(f.type) * f.scale)
                    fail_msg("%s: the enclosure of %lld is %g wide", patterns[k].name, (long long)i + 1, width);
            }
            drop(&f);
        }
    eig_destroy(ctx);
}

/* A range of the spectrum is that part of it, whichever way it was found. */
static void test_ranges(void **state)
{
    (void)state;
    static const int64_t ranges[][2] = {{1, 1}, {1, 30}, {200, 900}, {1000, 1499}, {2, 1500}};
    eig_context *ctx = test_context(2);
    for (size_t k = 0; k < COUNT(patterns); ++k) {
        fixture f = make_blocks(&patterns[k], EIG_D, 1);
        eig_stebz_options options = EIG_STEBZ_OPTIONS;
        options.range = EIG_RANGE_INDEX;
        for (size_t r = 0; r < COUNT(ranges); ++r) {
            options.il = ranges[r][0], options.iu = ranges[r][1];
            int64_t const wanted = options.iu - options.il + 1;
            numbers_put_part(&f.w, wanted, 77);
            assert_int_equal(solve_with(ctx, &options, &f, true), wanted);
            certify(patterns[k].name, &f, options.il, wanted, 0);
            certify_enclosures(patterns[k].name, &f, options.il);
            assert_true(w_of(&f, wanted) == 77); /* nothing is written behind the range */
        }
        options.range = EIG_RANGE_VALUE, options.vl = 0.25, options.vu = 0.75;
        solve_with(ctx, &options, &f, true);
        int64_t const below = reference_count(f.t.n, f.t.d, f.t.e, options.vl);
        assert_int_equal(f.m, reference_count(f.t.n, f.t.d, f.t.e, options.vu) - below);
        certify(patterns[k].name, &f, below + 1, f.m, 0);
        certify_enclosures(patterns[k].name, &f, below + 1);
        drop(&f);
    }
    eig_destroy(ctx);
}

/* A loose tolerance; a tight one, with which a block of tiny numbers beside large ones keeps its digits. */
static void test_tolerances(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    for (size_t k = 0; k < COUNT(patterns); ++k)
        for (int t = 0; t < 2; ++t) {
            fixture f = make_blocks(&patterns[k], real_types[t], 1);
            options.abstol = 1e-3;
            solve(ctx, &options, &f);
            certify(patterns[k].name, &f, 1, f.t.n, 0.5e-3);
            options.abstol = type_is_single(f.type) ? 2 * (double)FLT_MIN : 2 * DBL_MIN;
            solve_with(ctx, &options, &f, true);
            certify(patterns[k].name, &f, 1, f.t.n, 0);
            certify_enclosures(patterns[k].name, &f, 1);
            drop(&f);
        }
    /* blocks of 2 and 3 rows, each 2^-8 times the one before, those of two rows graded besides: positive definite, so
     * that all eigenvalues are determined by the entries to high relative accuracy */
    enum { N = 250 };
    fixture f = make("uniform", N, 3, EIG_D);
    for (int64_t i = 0; i < N; ++i) f.t.d[i] = ldexp(1, (int)(-8 * (i / 5)) - (i % 5 == 1 ? 60 : 0));
    for (int64_t i = 0; i + 1 < N; ++i)
        f.t.e[i] = i % 5 == 1 || i % 5 == 4 ? 0 : ldexp(0.25, (int)(-8 * (i / 5)) - (i % 5 == 0 ? 30 : 0));
    take(&f);
    options.abstol = 2 * DBL_MIN;
    solve(ctx, &options, &f);
    for (int64_t k = 1; k <= N; ++k) {
        double const exact = (double)reference_eigenvalue(N, f.t.d, f.t.e, k);
        if (fabs(w_of(&f, k - 1) - exact) > 16 * DBL_EPSILON * fabs(exact))
            fail_msg("graded blocks: w[%lld] = %.17g, exactly %.17g", (long long)k - 1, w_of(&f, k - 1), exact);
    }
    drop(&f);
    eig_destroy(ctx);
}

/* Any number of threads, and a scale that is a power of two, give the same bits. */
static void test_same_bits(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(patterns); ++k)
        for (int t = 0; t < 2; ++t) {
            fixture first = make_blocks(&patterns[k], real_types[t], 1);
            fixture again = make_blocks(&patterns[k], real_types[t], 1);
            fixture larger = make_blocks(&patterns[k], real_types[t], 0x1p40);
            for (int threads = 1; threads <= 5; threads += 2) {
                eig_context *ctx = test_context(threads);
                solve_with(ctx, NULL, threads == 1 ? &first : &again, true);
                if (threads == 1) solve_with(ctx, NULL, &larger, true);
                if (threads > 1) assert_true(numbers_same(&first.w, &again.w));
                if (threads > 1) assert_true(numbers_same(&first.lower, &again.lower));
                if (threads > 1) assert_true(numbers_same(&first.upper, &again.upper));
                eig_destroy(ctx);
            }
            for (int64_t i = 0; i < first.t.n; ++i) assert_true(w_of(&larger, i) == 0x1p40 * w_of(&first, i));
            drop(&first), drop(&again), drop(&larger);
        }
}

/* In a batch, matrices that split and such that do not give what each gives alone, on a CPU to the bit. */
static void test_batch(void **state)
{
    (void)state;
    enum { N = 90, BATCH = 7 };
    eig_context *ctx = test_context(2);
    bool const cpu = test_on_cpu();
    double d[BATCH][N], e[BATCH][N], w[BATCH][N], alone[N];
    int info[BATCH];
    for (int b = 0; b < BATCH; ++b)
        for (int i = 0; i < N; ++i) {
            d[b][i] = sin(1 + 7 * b + i);
            e[b][i] = b % 2 && (i + 1) % (b + 1) == 0 ? 0 : cos(i);
        }
    assert_int_equal(eig_dstebz_batched(ctx, NULL, N, d[0], N, e[0], N, w[0], NULL, NULL, N, info, BATCH), EIG_OK);
    for (int b = 0; b < BATCH; ++b) {
        assert_int_equal(info[b], EIG_INFO_OK);
        assert_int_equal(eig_dstebz(ctx, NULL, N, d[b], e[b], NULL, alone, NULL, NULL, NULL), EIG_OK);
        for (int i = 0; i < N; ++i) assert_true(cpu ? w[b][i] == alone[i] : fabs(w[b][i] - alone[i]) < 1e-14);
    }
    eig_destroy(ctx);
}

/* ------------------------------------------------------------------- parts */

/* Eigenvalues il to iu alone have the bits that they have among all. */
static void expect_part(eig_context *ctx, const fixture *f, const fixture *all, eig_stebz_options o, int64_t il,
                        int64_t iu)
{
    size_t const size = type_size(f->type), bytes = (size_t)(iu - il + 1) * size, at = (size_t)(il - 1) * size;
    o.range = EIG_RANGE_INDEX, o.il = il, o.iu = iu;
    assert_int_equal(
        eig_stebz(ctx, f->type, &o, f->t.n, f->d.data, f->e.data, NULL, f->w.data, f->lower.data, f->upper.data, NULL),
        EIG_OK);
    const numbers *const parts[] = {&f->w, &f->lower, &f->upper}, *const wholes[] = {&all->w, &all->lower, &all->upper};
    for (int k = 0; k < 3; ++k)
        if (memcmp(parts[k]->data, (const char *)wholes[k]->data + at, bytes) != 0)
            fail_msg("eigenvalues %lld to %lld of %lld: other bits than among all, array %d", (long long)il,
                     (long long)iu, (long long)f->t.n, k);
}

/* Matrices with clusters, equal eigenvalues and blocks of any length, with a wide and with a tight tolerance. */
static void test_parts(void **state)
{
    (void)state;
    if (!test_on_cpu()) skip_because("on a GPU a part has not the bits of the whole");
    static int const orders[] = {2, 33, 400}, every[] = {0, 3, 150};
    static double const tolerances[] = {0, 1e-3, 1e-37};
    eig_context *ctx = test_context(2);
    for (int k = 0; matrices_tridiagonal_names[k]; ++k)
        for (int c = 0; c < 2 * 3 * 3 * 3; ++c) {
            int64_t const n = orders[c / 2 % 3], block = every[c / 6 % 3];
            fixture f = make(matrices_tridiagonal_names[k], n, 5, real_types[c % 2]);
            for (int64_t i = block; block > 0 && i < n; i += block) f.t.e[i - 1] = 0;
            take(&f);
            fixture all = make(matrices_tridiagonal_names[k], n, 5, real_types[c % 2]);
            eig_stebz_options o = EIG_STEBZ_OPTIONS;
            o.abstol = tolerances[c / 18];
            assert_int_equal(eig_stebz(ctx, f.type, &o, n, f.d.data, f.e.data, NULL, all.w.data, all.lower.data,
                                       all.upper.data, NULL),
                             EIG_OK);
            int64_t const third = n / 3 + 1;
            expect_part(ctx, &f, &all, o, 1, 1);
            expect_part(ctx, &f, &all, o, n, n);
            expect_part(ctx, &f, &all, o, third, third + 1 < n ? third + 1 : n);
            expect_part(ctx, &f, &all, o, 1, n / 2);
            expect_part(ctx, &f, &all, o, n / 2 + 1, n);
            drop(&f);
            drop(&all);
        }
    eig_destroy(ctx);
}

/* On a CPU the passes tell that T was solved by its blocks. */
static void test_passes(void **state)
{
    static const char *const names[] = {"preparation", "blocks", "sorting"};
    (void)state;
    if (!test_on_cpu() || test_on_several()) skip_because("a GPU has other passes, and several devices their own");
    eig_context *const ctx = test_context(1);
    fixture f = make_blocks(&patterns[0], EIG_D, 1);
    eig_pass pass[PASSES_MOST];
    int count;
    assert_int_equal(eig_set_timing(ctx, 1), EIG_OK);
    solve(ctx, NULL, &f);
    count = passes_read(ctx, pass);
    assert_int_equal(count, 3);
    for (int i = 0; i < 3; ++i) assert_string_equal(pass[i].name, names[i]);
    drop(&f);
    eig_destroy(ctx);
}

/* Entries 0, 1 and 2, each a multiple eigenvalue but for weak couplings: at 1 every second determinant of the plain rows of float is 0,
 * and those between shrink by 2^-54 a pair of rows.  In a batch as alone. */
static void test_vanishing(void **state)
{
    static const char entries[] =
        "2201020000010011120100022102010021011001000010201201000202021022001202110100100020120201100101112";
    static const struct {
        int row;
        float e;
    } couplings[] = {{0, 1.0145e-16f},    {5, 4.5769e-7f},   {7, 8.3766e-6f},   {13, 1.416e-15f},
                     {15, 5.4001544e-6f}, {35, 6.7655e-11f}, {39, 2.7541e-17f}, {58, 5.7914e-7f},
                     {68, 7.5703e-17f},   {80, 0.2171278f},  {83, 6.8258e-11f}, {88, 2.5191488e-5f}};
    enum { N = sizeof entries - 1 };
    eig_context *const one = test_context(1);
    float d[2 * N], e[2 * N] = {0}, w[2 * N];
    int info[2];
    (void)state;
    for (int i = 0; i < 2 * N; ++i) d[i] = (float)(entries[i % N] - '0');
    for (size_t k = 0; k < 2 * COUNT(couplings); ++k)
        e[(k < COUNT(couplings) ? 0 : N) + couplings[k % COUNT(couplings)].row] = couplings[k % COUNT(couplings)].e;
    assert_int_equal(eig_sstebz_batched(one, NULL, N, d, N, e, N, w, NULL, NULL, N, info, 2), EIG_OK);
    double wide[N], off[N], exact[N];
    for (int i = 0; i < N; ++i) wide[i] = d[i], off[i] = e[i];
    int64_t m;
    eig_context *cpu;
    assert_int_equal(eig_create(&cpu, "cpu"), EIG_OK);
    assert_int_equal(eig_dstebz(cpu, NULL, N, wide, off, &m, exact, NULL, NULL, info), EIG_OK);
    for (int k = 0; k < 2 * N; ++k)
        if (fabs((double)w[k] - exact[k % N]) > 6 * 2.3 * (double)FLT_EPSILON)
            fail_msg("eigenvalue %d is %.9g, exactly %.17g", k % N + 1, (double)w[k], exact[k % N]);
    eig_destroy(cpu), eig_destroy(one);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),  cmocka_unit_test(test_ranges),    cmocka_unit_test(test_tolerances),
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_batch),     cmocka_unit_test(test_parts),
        cmocka_unit_test(test_passes),    cmocka_unit_test(test_vanishing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
