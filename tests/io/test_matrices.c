/* The named matrices: their spectra against an independent Sturm count in long double, the generator against published
 * words, the same entries as ever, and the portable functions against the C library. */
#include "io/matrices.h"
#include "io/matrices_batch.h"
#include "io/matrices_hard.h"
#include "io/portable.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* ------------------------------------------------------------------ spectra */

/* The number of eigenvalues below x: negative pivots of T - x. */
static int64_t count_below(const io_tridiagonal *t, long double x)
{
    int64_t count = 0;
    long double pivot = 1.0L;
    for (int64_t i = 0; i < t->n; ++i) {
        long double const e = i > 0 ? (long double)t->e[i - 1] : 0.0L;
        pivot = (long double)t->d[i] - x - e * e / pivot;
        if (fabsl(pivot) < 1e-4000L) pivot = -1e-4000L;
        count += pivot < 0.0L;
    }
    return count;
}

static long double norm(const io_tridiagonal *t)
{
    long double largest = 0.0L;
    for (int64_t i = 0; i < t->n; ++i) {
        long double const left = i > 0 ? fabsl((long double)t->e[i - 1]) : 0.0L;
        long double const right = i + 1 < t->n ? fabsl((long double)t->e[i]) : 0.0L;
        largest = fmaxl(largest, left + fabsl((long double)t->d[i]) + right);
    }
    return largest;
}

static io_tridiagonal make(const char *kind, int64_t n, uint64_t seed)
{
    io_error error;
    io_tridiagonal t;
    if (!matrices_tridiagonal(kind, n, seed, &t, &error)) fail_msg("%s", error.text);
    return t;
}

/* Each w[k] of a formula is eigenvalue k of the matrix, within 2 eps ||T||: what the roundings of its entries and of w
 * may move. */
static void test_spectra(void **state)
{
    static const char *const known[] = {"121", "clement", "chebyshev", "zero", "identity"};
    static const int64_t orders[] = {1, 2, 3, 20, 501};
    (void)state;
    for (size_t c = 0; c < COUNT(known); ++c) {
        for (size_t o = 0; o < COUNT(orders); ++o) {
            int64_t const n = orders[o];
            double w[501];
            io_tridiagonal t = make(known[c], n, 1);
            assert_true(matrices_tridiagonal_spectrum(known[c], n, w));
            long double const slack = 2.0L * DBL_EPSILON * norm(&t) + 1e-300L;
            for (int64_t k = 0; k < n; ++k) {
                if (count_below(&t, w[k] - slack) > k || count_below(&t, w[k] + slack) <= k) {
                    fail_msg("%s, n = %d: w[%d] = %.17g is not the eigenvalue", known[c], (int)n, (int)k, w[k]);
                }
            }
            io_tridiagonal_free(&t);
        }
    }
    double w;
    assert_false(matrices_tridiagonal_spectrum("uniform", 1, &w));
    assert_false(matrices_tridiagonal_spectrum("no such kind", 1, &w));
}

/* The smallest eigenvalue of 121 is accurate relative to itself: pi^2/(n+1)^2 to first order, where 2 - 2 cos would
 * have lost half its digits. */
static void test_121_small(void **state)
{
    enum { N = 100000 };
    double *const w = (double *)malloc(N * sizeof *w);
    (void)state;
    assert_non_null(w);
    matrices_tridiagonal_spectrum("121", N, w);
    long double const x = 3.14159265358979323846264338327950288L / (N + 1.0L);
    long double const exact = x * x * (1.0L - x * x / 12.0L + x * x * x * x / 360.0L);
    assert_true(fabsl(w[0] - exact) <= DBL_EPSILON * exact);
    free(w);
}

/* Nodes of Gauss quadrature known in closed form: the count at node -/+ slack jumps by one. */
static void test_gauss_nodes(void **state)
{
    static const struct {
        const char *kind;
        int64_t n;
        double node;
    } nodes[] = {
        {"legendre", 2, 0.57735026918962576},
        {"legendre", 3, 0.77459666924148338},
        {"legendre", 3, 0.0},
        {"legendre", 5, 0.90617984593866399},
        {"hermite", 2, 0.70710678118654752},
        {"hermite", 3, 1.2247448713915890},
        {"hermite", 5, 2.0201828704560856},
        {"laguerre", 1, 1.0},
        {"laguerre", 2, 3.4142135623730950},
        {"laguerre", 3, 0.41577455678347908},
        {"laguerre", 3, 6.2899450829374792},
    };
    (void)state;
    for (size_t c = 0; c < COUNT(nodes); ++c) {
        io_tridiagonal t = make(nodes[c].kind, nodes[c].n, 1);
        long double const slack = 4.0L * DBL_EPSILON * norm(&t);
        if (count_below(&t, nodes[c].node + slack) != count_below(&t, nodes[c].node - slack) + 1) {
            fail_msg("%s, n = %d: %.17g is no eigenvalue", nodes[c].kind, (int)nodes[c].n, nodes[c].node);
        }
        io_tridiagonal_free(&t);
    }
}

/* What the kinds without a formula are made to have. */
static void test_characters(void **state)
{
    (void)state;
    /* The two largest eigenvalues of W21+, 10.746194182903322 and 10.746194182903393 (J. Wilkinson, The Algebraic
     * Eigenvalue Problem, 1965), agree to 14 digits. */
    io_tridiagonal t = make("wilkinson", 21, 1);
    assert_int_equal(count_below(&t, 10.7461941829033L), 19);
    assert_int_equal(count_below(&t, 10.7461941829034L), 21);
    io_tridiagonal_free(&t);
    /* Ten blocks glued by 1e-7: twenty eigenvalues lie there, and the blocks are not apart. */
    t = make("glued", 210, 1);
    assert_int_equal(count_below(&t, 10.7461942829L) - count_below(&t, 10.7461940829L), 20);
    assert_true(t.e[20] == 1e-7 && t.e[19] == 1.0 && t.e[21] == 1.0 && t.d[20] == 10.0 && t.d[21] == 10.0);
    io_tridiagonal_free(&t);
    /* Graded: positive definite, over twelve decades. */
    t = make("graded", 100, 1);
    assert_int_equal(count_below(&t, 0.0L), 0);
    assert_true(t.d[0] == 1.0 && fabs(t.d[99] - 1e-12) < 1e-25);
    assert_true(count_below(&t, 2e-12L) >= 1);
    io_tridiagonal_free(&t);
    /* Tiny: most squares underflow, some entries are denormal, some are ordinary. */
    t = make("tiny", 1000, 1);
    int small = 0, denormal = 0;
    for (int i = 0; i < 999; ++i) {
        small += fabs(t.e[i]) < 0x1p-500;
        denormal += t.e[i] != 0.0 && fabs(t.e[i]) < DBL_MIN;
    }
    assert_true(small > 700 && small < 800 && denormal > 30);
    io_tridiagonal_free(&t);
}

/* ------------------------------------------------------------------ the generator */

static void test_generator(void **state)
{
    /* SplitMix64 from 1234567 and xoshiro256** from 1, 2, 3, 4, as their authors' programs print them. */
    static const uint64_t splitmix[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                        UINT64_C(9817491932198370423), UINT64_C(4593380528125082431)};
    static const uint64_t xoshiro[] = {11520,
                                       0,
                                       1509978240,
                                       UINT64_C(1215971899390074240),
                                       UINT64_C(1216172134540287360),
                                       UINT64_C(607988272756665600)};
    (void)state;
    matrices_rng rng = matrices_seed(1234567);
    for (int i = 0; i < 4; ++i) assert_true(rng.s[i] == splitmix[i]);
    rng = (matrices_rng){{1, 2, 3, 4}};
    for (int i = 0; i < 6; ++i) assert_true(matrices_next(&rng) == xoshiro[i]);
    rng = (matrices_rng){{1, 2, 3, 4}};
    assert_true(matrices_uniform(&rng) == (11520 >> 11) * 0x1p-53);
}

/* Mean, deviation and fourth moment of many numbers, within five standard errors. */
static void test_normal(void **state)
{
    enum { N = 1000000 };
    matrices_rng rng = matrices_seed(1);
    double m1 = 0.0, m2 = 0.0, m4 = 0.0;
    (void)state;
    for (int i = 0; i < N; ++i) {
        double const x = matrices_normal(&rng);
        m1 += x / N;
        m2 += x * x / N;
        m4 += x * x * x * x / N;
    }
    assert_true(fabs(m1) < 5.0 * 1e-3);
    assert_true(fabs(m2 - 1.0) < 5.0 * sqrt(2.0) * 1e-3);
    assert_true(fabs(m4 - 3.0) < 5.0 * sqrt(96.0) * 1e-3);
}

static void test_portable(void **state)
{
    matrices_rng rng = matrices_seed(2);
    (void)state;
    for (int i = 0; i < 100000; ++i) {
        double const u = matrices_uniform(&rng) + 0x1p-60, x = 200.0 * u - 100.0;
        long double const c = cosl(2.0L * acosl(-1.0L) * x);
        assert_true(fabsl(portable_log(u) - logl(u)) <= 2.0L * DBL_EPSILON * fabsl(logl(u)));
        assert_true(fabsl(portable_exp2(x) - exp2l(x)) <= 2.0L * DBL_EPSILON * exp2l(x));
        assert_true(fabsl(portable_cos2pi(x) - c) <= DBL_EPSILON);
    }
    assert_true(portable_log(1.0) == 0.0 && portable_exp2(-1074.0) == 0x1p-1074 && portable_cos2pi(0.25) == 0.0);
}

/* ------------------------------------------------------------------ the same entries as ever */

/* FNV-1a over the bits of d and e, least significant byte first. */
static uint64_t fingerprint(const io_tridiagonal *t)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int64_t i = 0; i < 2 * t->n - 1; ++i) {
        uint64_t bits;
        memcpy(&bits, i < t->n ? &t->d[i] : &t->e[i - t->n], sizeof bits);
        for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (bits >> 8 * byte & 255)) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* n = 100, seed 7. */
static const struct {
    const char *kind;
    uint64_t hash;
} prints[] = {
    {"uniform", UINT64_C(0x89279e7e55dbb2dc)},    {"uniform01", UINT64_C(0xb8be852c99e31633)},
    {"normal", UINT64_C(0x2d4a5ad5ddea894f)},     {"121", UINT64_C(0xb74a3f00c43e1e58)},
    {"wilkinson", UINT64_C(0x07c1eb1d91228728)},  {"wilkinson-minus", UINT64_C(0x5d5664d83e9d4a28)},
    {"glued", UINT64_C(0x4308be96ab6920f6)},      {"glued14", UINT64_C(0x9c258f7864ebd196)},
    {"blocks2", UINT64_C(0x5cca807fb0cfa6ab)},    {"blocks100", UINT64_C(0x89279e7e55dbb2dc)},
    {"clement", UINT64_C(0x96c809c6ac678478)},    {"hermite", UINT64_C(0x76565f17a2dfc866)},
    {"legendre", UINT64_C(0xa3391653bef63fcc)},   {"laguerre", UINT64_C(0xb8b36eb346d1217d)},
    {"chebyshev", UINT64_C(0xd69f92cd12623e39)},  {"graded", UINT64_C(0xacc3d5f495ef4521)},
    {"anderson", UINT64_C(0xf2d27e5d5b624a13)},   {"harper", UINT64_C(0x35c17dd84d481e1b)},
    {"latms1", UINT64_C(0xeec3a2542ecb4e5e)},     {"latms2", UINT64_C(0xf2d27e287ff975e8)},
    {"latms3", UINT64_C(0xf945858f0b2c1190)},     {"latms4", UINT64_C(0xfaa9affb9712c7a9)},
    {"latms5", UINT64_C(0x4b4a98c39c31a471)},     {"latms6", UINT64_C(0xf5e6b625d47058d6)},
    {"stetester7", UINT64_C(0xf81fc17e94ca841f)}, {"stetester8", UINT64_C(0x8facf84bd3a7a3f7)},
    {"stetester9", UINT64_C(0xfb1d18bf9bb73f23)}, {"zero", UINT64_C(0x28fad838e6bf5d85)},
    {"identity", UINT64_C(0xcf4c96c28003c045)},   {"tiny", UINT64_C(0xdfbce534566ee06c)},
    {"small", UINT64_C(0xe0487e8dd1927c66)},      {"huge", UINT64_C(0x3da4625307218ca3)},
};

static void test_fingerprints(void **state)
{
    (void)state;
    for (size_t c = 0; matrices_tridiagonal_names[c]; ++c) {
        assert_true(c < COUNT(prints));
        assert_string_equal(matrices_tridiagonal_names[c], prints[c].kind);
        io_tridiagonal t = make(prints[c].kind, 100, 7);
        if (fingerprint(&t) != prints[c].hash) {
            fail_msg("%s has changed: 0x%016llx", prints[c].kind, (unsigned long long)fingerprint(&t));
        }
        io_tridiagonal_free(&t);
    }
}

/* Matrices with prescribed spectra have them: as many eigenvalues below x as are asked for, but within rounding. */
static void test_prescribed(void **state)
{
    static const char *const kinds[HARD_MODES] = {"latms1", "latms2",     "latms3",     "latms4",    "latms5",
                                                  "latms6", "stetester7", "stetester8", "stetester9"};
    static const int64_t orders[] = {1, 2, 3, 30, 300};
    (void)state;
    for (int mode = 1; mode <= HARD_MODES; ++mode)
        for (size_t c = 0; c < 2 * COUNT(orders); ++c) {
            int64_t const n = orders[c / 2];
            matrices_more const more = {.condition = mode <= 5 && c % 2 ? 1e3 : 0};
            io_tridiagonal t;
            io_error error;
            double *const w = malloc((size_t)n * sizeof *w);
            double most = 0;
            assert_true(matrices_tridiagonal_more(kinds[mode - 1], n, 3, &more, &t, &error));
            matrices_rng rng = matrices_seed(3);
            hard_spectrum(mode, n, more.condition > 0 ? more.condition : 0x1p52, &rng, w);
            for (int64_t i = 0; i < n; ++i) most = fmax(most, fabs(w[i]));
            for (int64_t i = 0; i < n; ++i) {
                int64_t below = 0, upto = 0;
                double const tolerance = 20 * DBL_EPSILON * most;
                for (int64_t j = 0; j < n; ++j)
                    below += w[j] < w[i] - 2 * tolerance, upto += w[j] <= w[i] + 2 * tolerance;
                int64_t const left = count_below(&t, (long double)w[i] - tolerance);
                int64_t const right = count_below(&t, (long double)w[i] + tolerance);
                if (left < below || left > upto || right < below || right > upto || right <= left)
                    fail_msg("%s n=%d: %.17g is not there", kinds[mode - 1], (int)n, w[i]);
            }
            free(w);
            io_tridiagonal_free(&t);
        }
    assert_true(matrices_tridiagonal_takes_condition("latms5") && !matrices_tridiagonal_takes_condition("latms6"));
    assert_false(matrices_tridiagonal_takes_condition("spiral"));
}

/* Copies with glue between them; the kind `glued` is one of these. */
static void test_glue(void **state)
{
    (void)state;
    io_error error;
    io_tridiagonal t, g = make("glued", 100, 1);
    matrices_more more = {.block = 21, .glue = 1e-7};
    assert_true(matrices_tridiagonal_more("wilkinson", 100, 1, &more, &t, &error));
    assert_memory_equal(t.d, g.d, 100 * sizeof(double));
    assert_memory_equal(t.e, g.e, 99 * sizeof(double));
    io_tridiagonal_free(&t), io_tridiagonal_free(&g);
    more.block = 100;
    g = make("uniform", 100, 5);
    assert_true(matrices_tridiagonal_more("uniform", 100, 5, &more, &t, &error));
    assert_memory_equal(t.e, g.e, 99 * sizeof(double));
    io_tridiagonal_free(&t), io_tridiagonal_free(&g);
    more.block = 1;
    assert_true(matrices_tridiagonal_more("uniform", 3, 5, &more, &t, &error));
    assert_true(t.d[0] == t.d[2] && t.e[0] == 1e-7 && t.e[1] == 1e-7);
    io_tridiagonal_free(&t);
}

/* Every kind has a line of text, is finite, and exists for n = 0, 1, 2; what does not exist is refused. */
static void test_every_kind(void **state)
{
    io_error error;
    io_tridiagonal t;
    (void)state;
    for (const char *const *kind = matrices_tridiagonal_names; *kind; ++kind) {
        assert_non_null(matrices_tridiagonal_text(*kind));
        for (int64_t n = 0; n < 50; ++n) {
            t = make(*kind, n, (uint64_t)n);
            assert_int_equal(t.n, n);
            for (int64_t i = 0; i < n; ++i) assert_true(isfinite(t.d[i]));
            for (int64_t i = 0; i + 1 < n; ++i) assert_true(isfinite(t.e[i]));
            io_tridiagonal_free(&t);
        }
        assert_false(matrices_tridiagonal(*kind, -1, 1, &t, &error));
        assert_non_null(strstr(error.text, "n = -1"));
        assert_false(matrices_tridiagonal(*kind, INT64_MAX, 1, &t, &error));
        assert_non_null(strstr(error.text, "memory"));
    }
    assert_false(matrices_tridiagonal("spiral", 3, 1, &t, &error));
    assert_non_null(strstr(error.text, "spiral: there is no such kind"));
    assert_null(matrices_tridiagonal_text("spiral"));
}

/* Parts of a batch are those of the whole, also where a kind has something from the first seed for all. */
static void test_parts(void **state)
{
    enum { SIZE = 5, BATCH = 7 };
    static double whole[BATCH * SIZE * SIZE], part[BATCH * SIZE * SIZE];
    (void)state;
    for (const char *const *kind = matrices_nonsymmetric_names; *kind; ++kind) {
        assert_true(matrices_nonsymmetric(*kind, SIZE, BATCH, 3, whole));
        for (int64_t first = 0; first < BATCH; first += 3)
            matrices_nonsymmetric_part(*kind, SIZE, first, first + 3 < BATCH ? 3 : BATCH - first, 3,
                                       part + first * SIZE * SIZE);
        assert_memory_equal(part, whole, sizeof whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spectra),    cmocka_unit_test(test_121_small),    cmocka_unit_test(test_gauss_nodes),
        cmocka_unit_test(test_characters), cmocka_unit_test(test_generator),    cmocka_unit_test(test_normal),
        cmocka_unit_test(test_portable),   cmocka_unit_test(test_fingerprints), cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_parts),      cmocka_unit_test(test_prescribed),   cmocka_unit_test(test_glue),
    };
    return cmocka_run_group_tests_name("matrices", tests, NULL, NULL);
}
