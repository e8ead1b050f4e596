/* One large tridiagonal matrix on several devices: the bits of one device for all ranges, cuts between clusters, and corners.
 *
 *     test_multi_tridiagonal                    on CPUs
 *     test_multi_tridiagonal cuda [cuda:0,1]    on GPUs, as test_multi */
#include "gaps.h"
#include "io/matrices.h"
#include "parts.h"
#include "support/multi_fixture.h"

#include <float.h>
#include <math.h>

enum { ORDER = 420 };

typedef struct pairs {
    int64_t m, isuppz[2 * ORDER];
    int info[ORDER];
    double w[ORDER], z[ORDER * ORDER], lower[ORDER], upper[ORDER], residual[ORDER], orthogonality;
    eig_stemr_stats stats;
} pairs;

static void solve_both(eig_context *ctx, const io_tridiagonal *t, eig_range range, int64_t il, int64_t iu, double vl,
                       double vu, pairs *values, pairs *vectors)
{
    memset(values, 0x55, sizeof *values), memset(vectors, 0x55, sizeof *vectors);
    vectors->stats.size = sizeof vectors->stats;
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
    eig_stemr_options q = EIG_STEMR_OPTIONS;
    o.range = q.range = range, o.il = q.il = il, o.iu = q.iu = iu, o.vl = q.vl = vl, o.vu = q.vu = vu;
    assert_int_equal(
        eig_dstebz(ctx, &o, t->n, t->d, t->e, &values->m, values->w, values->lower, values->upper, values->info),
        EIG_OK);
    assert_int_equal(eig_dstemr(ctx, &q, t->n, t->d, t->e, &vectors->m, vectors->w, vectors->z, ORDER, vectors->isuppz,
                                vectors->info, vectors->residual, &vectors->orthogonality, &vectors->stats),
                     EIG_OK);
}

/* T of a kind; "diagonal"; "alike": all its eigenvalues are one cluster. */
static void make_matrix(const char *kind, io_tridiagonal *t)
{
    bool const diagonal = strcmp(kind, "diagonal") == 0, alike = strcmp(kind, "alike") == 0;
    if (!matrices_tridiagonal(diagonal || alike ? "uniform" : kind, ORDER, 3, t, NULL)) fail_msg("%s", kind);
    for (int i = 0; alike && i < ORDER; ++i) t->d[i] = 1;
    for (int i = 0; i < ORDER - 1; ++i) t->e[i] *= diagonal ? 0 : alike ? 1e-13 : 1;
}

/* Clusters are never cut: sums over the devices are those of one, and T's blocks count once for each. */
static void check_sums(const eig_stemr_stats *one, const eig_stemr_stats *several)
{
    assert_true(several->clusters == one->clusters && several->shifts == one->shifts && several->skew == one->skew);
    assert_true(several->inverse_iterations == one->inverse_iterations && several->depth == one->depth);
    assert_true(several->bad_representations == one->bad_representations);
    assert_true(several->largest_cluster == one->largest_cluster);
    assert_true(several->representations >= one->representations);
    assert_true((several->representations - one->representations) % one->blocks == 0);
}

/* The largest estimate of one device is no less than that of either half of the pairs, or nearly: the cut is elsewhere. */
static void test_orthogonality(void **state)
{
    static pairs all, half;
    (void)state;
    eig_context *const plain = open_one(), *const two = open_several(1);
    io_tridiagonal t;
    make_matrix("glued", &t);
    double most = 0;
    for (int side = 0; side < 2; ++side) {
        solve_both(plain, &t, EIG_RANGE_INDEX, side * ORDER / 2 + 1, (side + 1) * ORDER / 2, 0, 0, &all, &half);
        most = fmax(most, half.orthogonality);
    }
    solve_both(two, &t, EIG_RANGE_ALL, 0, 0, 0, 0, &half, &all);
    if (!(all.orthogonality >= 0.5 * most && all.orthogonality <= 10 * ORDER * DBL_EPSILON))
        fail_msg("orthogonality %g of two devices, %g of the halves", all.orthogonality, most);
    io_tridiagonal_free(&t);
    eig_destroy(plain), eig_destroy(two);
}

/* Where half of the eigenvalues lie near -10, the others near 10, the cut is between: what is told is the larger estimate of the
 * halves, whichever device ends first. */
static void test_largest_orthogonality(void **state)
{
    enum { SEEDS = 12 };
    static pairs all, half;
    (void)state;
    eig_context *const plain = open_one(), *const two = open_several(1);
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        io_tridiagonal t;
        double told[2];
        if (!matrices_tridiagonal("uniform", ORDER, seed, &t, NULL)) fail_msg("no matrix");
        for (int i = 0; i < ORDER; ++i) t.d[i] += i % 2 ? 10 : -10;
        for (int side = 0; side < 2; ++side) {
            solve_both(plain, &t, EIG_RANGE_INDEX, side * (ORDER / 2) + 1, (side + 1) * (ORDER / 2), 0, 0, &all, &half);
            told[side] = half.orthogonality;
        }
        solve_both(two, &t, EIG_RANGE_ALL, 0, 0, 0, 0, &half, &all);
        if (all.orthogonality != fmax(told[0], told[1]))
            fail_msg("seed %d: orthogonality %g of two devices, %g and %g of the halves", (int)seed, all.orthogonality,
                     told[0], told[1]);
        io_tridiagonal_free(&t);
    }
    eig_destroy(plain), eig_destroy(two);
}

/* Ranges whose ends lie between eigenvalues, on one of them, and where there are none, of matrices with clusters. */
static void test_ranges(void **state)
{
    static const char *const kinds[] = {"uniform", "121", "wilkinson", "glued", "diagonal"};
    static pairs one[2], several[2];
    (void)state;
    eig_context *ctx[DEVICES], *const plain = open_one();
    for (int k = 1; k < DEVICES; ++k) ctx[k] = open_several(k);
    for (int c = 0; c < 5; ++c) {
        io_tridiagonal t;
        make_matrix(kinds[c], &t);
        solve_both(plain, &t, EIG_RANGE_ALL, 0, 0, 0, 0, &one[0], &one[1]);
        double const low = one[0].w[0], high = one[0].w[ORDER - 1], third = one[0].w[ORDER / 3];
        double const ends[][2] = {{low - 1, high + 1},   {low + 0.1, third},   {third, high},
                                  {third, third + 1e-3}, {high + 1, high + 2}, {-INFINITY, third + 0.01}};
        for (int r = 0; r < 9; ++r) {
            eig_range const range = r == 0 ? EIG_RANGE_ALL : r < 3 ? EIG_RANGE_INDEX : EIG_RANGE_VALUE;
            int64_t const il = r == 1 ? 7 : 100, iu = r == 1 ? 400 : 102;
            double const vl = r < 3 ? 0 : ends[r - 3][0], vu = r < 3 ? 0 : ends[r - 3][1];
            solve_both(plain, &t, range, il, iu, vl, vu, &one[0], &one[1]);
            for (int k = 1; k < DEVICES; ++k) {
                solve_both(ctx[k], &t, range, il, iu, vl, vu, &several[0], &several[1]);
                assert_memory_equal(&one[0], &several[0], sizeof one[0]);
                assert_true(several[1].orthogonality <= 10 * ORDER * 2.3e-16);
                assert_true(several[1].stats.blocks == one[1].stats.blocks);
                if (r == 0) check_sums(&one[1].stats, &several[1].stats);
                several[1].orthogonality = one[1].orthogonality, several[1].stats = one[1].stats;
                assert_memory_equal(&one[1], &several[1], sizeof one[1]);
            }
        }
        io_tridiagonal_free(&t);
    }
    for (int k = 1; k < DEVICES; ++k) eig_destroy(ctx[k]);
    eig_destroy(plain);
}

/* Cuts lie in gaps, and where there are gaps everywhere the parts are alike. */
static void test_cuts(void **state)
{
    static const char *const kinds[] = {"uniform", "121", "wilkinson", "glued", "diagonal", "alike"};
    static double w[ORDER];
    (void)state;
    eig_context *const plain = open_one();
    for (int c = 0; c < 6; ++c) {
        io_tridiagonal t;
        make_matrix(kinds[c], &t);
        assert_int_equal(eig_dstebz(plain, NULL, ORDER, t.d, t.e, NULL, w, NULL, NULL, NULL), EIG_OK);
        double const norm = fmax(fabs(w[0]), fabs(w[ORDER - 1]));
        for (int parts = 1; parts <= 64; parts *= 4)
            for (int points = 512; points <= 4096; points *= 8) {
                int64_t const il = parts, iu = ORDER - 2, slack = (iu - il + 1) / parts / 64;
                gap_search const s = {EIG_D, ORDER, t.d, t.e, il, iu, points, plain->backend->stebz_count};
                int64_t cut[65];
                assert_int_equal(eig_cut_at_gaps(plain, &s, parts, cut), EIG_OK);
                assert_true(cut[0] == 0 && cut[parts] == iu - il + 1);
                for (int k = 1; k < parts; ++k) {
                    int64_t const at = il - 1 + cut[k]; /* the first eigenvalue behind it, from 0 */
                    assert_true(cut[k - 1] <= cut[k] && cut[k] <= cut[parts]);
                    assert_true(cut[k] == 0 || cut[k] == cut[parts] || w[at] - w[at - 1] >= 0x1p-33 * norm);
                    if (c < 2) assert_true(llabs(cut[k] - eig_part_begin(iu - il + 1, parts, k)) <= slack);
                    if (c == 5) assert_true(cut[k] == 0 || cut[k] == cut[parts]);
                }
            }
        io_tridiagonal_free(&t);
    }
    eig_destroy(plain);
}

/* Vectors of clusters by inverse iteration, which are orthogonal to those that are computed with them. */
static void test_clusters(void **state)
{
    static const char *const kinds[] = {"wilkinson", "glued", "alike"};
    static double w[2][ORDER], z[2][ORDER * ORDER];
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    o.most_depth = -1;
    (void)state;
    eig_context *const plain = open_one();
    for (int k = 1; k < DEVICES; k += 2) {
        eig_context *const ctx = open_several(k);
        for (int c = 0; c < 3; ++c) {
            io_tridiagonal t;
            eig_stemr_stats stats[2] = {EIG_STEMR_STATS, EIG_STEMR_STATS};
            make_matrix(kinds[c], &t);
            for (int i = 0; i < 2; ++i)
                assert_int_equal(eig_dstemr(i ? ctx : plain, &o, ORDER, t.d, t.e, NULL, w[i], z[i], ORDER, NULL, NULL,
                                            NULL, NULL, &stats[i]),
                                 EIG_OK);
            assert_true(stats[0].inverse_iterations > 0);
            assert_true(stats[1].inverse_iterations == stats[0].inverse_iterations);
            assert_memory_equal(w[0], w[1], sizeof w[0]);
            assert_memory_equal(z[0], z[1], sizeof z[0]);
            io_tridiagonal_free(&t);
        }
        eig_destroy(ctx);
    }
    eig_destroy(plain);
}

/* A NaN in T; a T of one row; as many shifts as a NaN among them. */
static void test_corners(void **state)
{
    enum { N = 40 };
    double d[N], e[N], w[2][N], z[2][N * N], x[3] = {0, NAN, 1};
    int64_t m[2], count[2][3];
    int info[2], infos[2][N];
    (void)state;
    for (int i = 0; i < N; ++i) d[i] = i, e[i] = 1;
    eig_context *const ctx[2] = {open_one(), open_several(SEVERAL)};
    for (int bad = 0; bad < 2; ++bad)
        for (int n = 1; n <= N; n += N - 1) {
            d[0] = bad ? NAN : 0;
            memset(w, 0, sizeof w), memset(z, 0, sizeof z);
            for (int c = 0; c < 2; ++c) {
                assert_int_equal(eig_dstebz(ctx[c], NULL, n, d, e, &m[c], w[c], NULL, NULL, &info[c]), EIG_OK);
                assert_true(m[c] == (bad ? 0 : n) && info[c] == (bad ? EIG_INFO_NOT_FINITE : EIG_INFO_OK));
                assert_int_equal(eig_dstebz_count(ctx[c], n, d, e, 3, x, count[c], &info[c]), EIG_OK);
                assert_true(info[c] == EIG_INFO_NOT_FINITE && count[c][1] == -1);
                assert_int_equal(eig_dstebz_count(ctx[c], n, d, e, 1, x, count[c], &info[c]), EIG_OK);
                assert_true(info[c] == (bad ? EIG_INFO_NOT_FINITE : EIG_INFO_OK));
                assert_int_equal(
                    eig_dstemr(ctx[c], NULL, n, d, e, &m[c], w[c], z[c], n, NULL, infos[c], NULL, NULL, NULL), EIG_OK);
                assert_true(m[c] == (bad ? 0 : n) && infos[c][n - 1] == (bad ? EIG_INFO_NOT_FINITE : EIG_INFO_OK));
            }
            assert_memory_equal(count[0], count[1], sizeof count[0]);
            for (int i = 0; i < N; ++i) assert_true(isnan(w[1][i]) == (bad && i < n));
            if (!bad) assert_memory_equal(z[0], z[1], sizeof z[0]);
        }
    eig_destroy(ctx[0]);
    eig_destroy(ctx[1]);
}

/* Eigenvalues that float cannot hold come out infinite, and whether a range holds them is what one device says. */
static void test_overflow(void **state)
{
    enum { N = 40 };
    float d[N] = {0}, e[N], w[2][N];
    int64_t m[2];
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    o.range = EIG_RANGE_VALUE, o.vl = -1e308, o.vu = INFINITY;
    (void)state;
    for (int i = 0; i < N; ++i) e[i] = 3e38F;
    eig_context *const ctx[2] = {open_one(), open_several(SEVERAL)};
    memset(w, 0, sizeof w);
    for (int c = 0; c < 2; ++c)
        assert_int_equal(eig_sstemr(ctx[c], &o, N, d, e, &m[c], w[c], NULL, 0, NULL, NULL, NULL, NULL, NULL), EIG_OK);
    assert_true(m[0] == m[1] && isinf(w[0][m[0] - 1]));
    assert_memory_equal(w[0], w[1], (size_t)m[0] * sizeof(float));
    eig_destroy(ctx[0]);
    eig_destroy(ctx[1]);
}

int main(int argc, char **argv)
{
    if (!devices_answer(argc, argv)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_clusters),      cmocka_unit_test(test_largest_orthogonality),
        cmocka_unit_test(test_orthogonality), cmocka_unit_test(test_corners),
        cmocka_unit_test(test_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
