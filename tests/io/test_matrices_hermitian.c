/* The named Hermitian matrices: Hermitian to the bit, with the spectra that they are said to have, the same entries as
 * ever. */
#include "bench/support/hermitian.h"
#include "io/matrices.h"
#include "io/matrices_hermitian.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define KINDS matrices_hermitian_names

static eig_type const types[] = {EIG_S, EIG_D, EIG_C, EIG_Z};

static numbers make(const char *kind, eig_type type, int64_t n, int64_t batch, uint64_t seed)
{
    numbers a;
    io_error error;
    assert_true(numbers_make(&a, type, n * n * batch));
    if (!matrices_hermitian(kind, n, batch, seed, &a, &error)) fail_msg("%s", error.text);
    return a;
}

static void test_hermitian(void **state)
{
    static const int64_t orders[] = {0, 1, 2, 3, 10, 33};
    (void)state;
    for (size_t k = 0; KINDS[k]; ++k)
        for (size_t c = 0; c < COUNT(types) * COUNT(orders); ++c) {
            int64_t const n = orders[c / 4];
            numbers a = make(KINDS[k], types[c % 4], n, 2, 5);
            assert_int_equal(numbers_not_finite(&a), -1);
            bool zero = true;
            for (int64_t m = 0; m < 2; ++m)
                for (int64_t i = 0; i < n; ++i)
                    for (int64_t j = 0; j <= i; ++j) {
                        int64_t const below = (m * n + i) * n + j, above = (m * n + j) * n + i;
                        double const re = numbers_re(&a, below), im = numbers_im(&a, below);
                        assert_true(re == numbers_re(&a, above) && im == -numbers_im(&a, above));
                        zero = zero && re == 0 && im == 0;
                    }
            /* n = 1: a ring with a quarter turn is 2 cos(pi / 2) = 0. */
            assert_true(n <= 1 || zero == (strcmp(KINDS[k], "zeros") == 0));
            numbers_free(&a);
        }
}

/* A complex kind is complex, and none is real where it should not be. */
static void test_complex(void **state)
{
    static const char *const real[] = {"diagonal", "min", "eye", "zeros"};
    (void)state;
    for (size_t k = 0; KINDS[k]; ++k) {
        numbers a = make(KINDS[k], EIG_Z, 12, 1, 5);
        bool wanted = true, found = false;
        for (size_t i = 0; i < COUNT(real); ++i) wanted = wanted && strcmp(real[i], KINDS[k]) != 0;
        for (int64_t i = 0; i < a.count; ++i) found = found || numbers_im(&a, i) != 0;
        assert_int_equal(found, wanted);
        numbers_free(&a);
    }
}

/* The formulas; those of matrices made from their spectra hold to the rounding of their making. */
static void test_spectra(void **state)
{
    static const int64_t orders[] = {1, 2, 3, 4, 9, 32, 61};
    (void)state;
    int known = 0;
    for (size_t k = 0; KINDS[k]; ++k)
        for (size_t c = 0; c < COUNT(types) * COUNT(orders); ++c) {
            int64_t const n = orders[c / 4];
            eig_type const type = types[c % 4];
            double w[61];
            if (!matrices_hermitian_spectrum(KINDS[k], type, n, w)) continue;
            ++known;
            numbers a = make(KINDS[k], type, n, 1, 9);
            hermitian h = hermitian_new(n, &a, 0);
            long double const tolerance = ((long double)n + 2) * (long double)type_eps(type) * h.norm + 1e-300L;
            for (int64_t i = 0; i < n; ++i) {
                assert_true(i == 0 || w[i - 1] <= w[i]);
                if (!hermitian_holds(&h, i + 1, w[i], tolerance))
                    fail_msg("%s %s n = %d: %.17g is not eigenvalue %d", KINDS[k], type_name(type), (int)n, w[i],
                             (int)i + 1);
            }
            hermitian_free(&h);
            numbers_free(&a);
        }
    assert_int_equal(known, 8 * 4 * (int)COUNT(orders));
    double w;
    assert_false(matrices_hermitian_spectrum("ensemble", EIG_D, 1, &w));
    assert_false(matrices_hermitian_spectrum("no such kind", EIG_D, 1, &w));
}

/* What the kinds without a formula are made to have. */
static void test_characters(void **state)
{
    enum { N = 24 };
    (void)state;
    for (size_t c = 0; c < COUNT(types); ++c) {
        eig_type const type = types[c];
        long double const eps = (long double)type_eps(type);
        numbers a = make("graded-definite", type, N, 1, 3);
        hermitian h = hermitian_new(N, &a, 0);
        assert_int_equal(hermitian_count(&h, 0), 0);
        assert_true(hermitian_count(&h, 2e-12L) >= 1 && hermitian_count(&h, 0.5L) < N);
        hermitian_free(&h), numbers_free(&a);
        a = make("rank-one", type, N, 1, 3), h = hermitian_new(N, &a, 0);
        assert_int_equal(hermitian_count(&h, N * eps * h.norm) - hermitian_count(&h, -N * eps * h.norm), N - 1);
        hermitian_free(&h), numbers_free(&a);
        /* Wigner's semicircle: the spectrum of an ensemble fills [-2 sqrt(n), 2 sqrt(n)], half of it on either side. */
        a = make("ensemble", type, N, 1, 3), h = hermitian_new(N, &a, 0);
        long double const edge = 2 * sqrtl(N);
        assert_true(hermitian_count(&h, 1.3L * edge) == N && hermitian_count(&h, -1.3L * edge) == 0);
        assert_true(hermitian_count(&h, 0) > N / 3 && hermitian_count(&h, 0) < N - N / 3);
        numbers huge = make("ensemble-huge", type, N, 1, 3), tiny = make("ensemble-tiny", type, N, 1, 3);
        int const power = type_is_single(type) ? 100 : 1000;
        for (int64_t k = 0; k < numbers_parts(&a); ++k) {
            assert_true(numbers_part(&huge, k) == ldexp(numbers_part(&a, k), power));
            assert_true(numbers_part(&tiny, k) == ldexp(numbers_part(&a, k), -power));
        }
        hermitian_free(&h), numbers_free(&a), numbers_free(&huge), numbers_free(&tiny);
    }
}

static void count_is(const hermitian *h, long double x, int64_t count, const char *what)
{
    if (hermitian_count(h, x) != count) fail_msg("%s: %d eigenvalues below %Lg", what, (int)hermitian_count(h, x), x);
}

/* Matrices of practice. */
static void test_models(void **state)
{
    enum { N = 23 }; /* a prime: every flux p/N has no smaller denominator */
    (void)state;
    for (size_t c = 0; c < COUNT(types); ++c) {
        eig_type const type = types[c];
        numbers a = make("hermitian01", type, N, 1, 3);
        long double least = 1, most = 0;
        for (int64_t k = 0; k < a.count; ++k) {
            least = fminl(least, numbers_re(&a, k)), most = fmaxl(most, numbers_re(&a, k));
            if (k % N < k / N) assert_true(numbers_im(&a, k) >= 0 && numbers_im(&a, k) < 1);
        }
        assert_true(least >= 0 && least < 0.05L && most > 0.95L && most <= 1);
        numbers_free(&a);
        for (uint64_t seed = 0; seed < 20; ++seed) {
            a = make("tensor", type, 3, 1, seed);
            hermitian h = hermitian_new(3, &a, 0);
            count_is(&h, 0.15L, 0, "tensor"), count_is(&h, 0.42L, 2, "tensor"), count_is(&h, 2.1L, 3, "tensor");
            hermitian_free(&h), numbers_free(&a);
        }
        a = make("covariance", type, N, 1, 3);
        hermitian h = hermitian_new(N, &a, 0);
        long double trace = 0, edge = sqrtl(0.5L);
        for (int64_t i = 0; i < N; ++i) trace += numbers_re(&a, i * (N + 1));
        assert_true(fabsl(trace - N) < 0.15L * N);
        count_is(&h, 0.5L * (1 - edge) * (1 - edge), 0, "covariance");
        count_is(&h, 1.2L * (1 + edge) * (1 + edge), N, "covariance");
        hermitian_free(&h), numbers_free(&a);
    }
}

/* Hofstadter's model: Tr A = 0 and Tr A^2 = 4 n at every flux and point; the two bands of flux 1/2 have a formula. */
static void test_hofstadter(void **state)
{
    enum { N = 23 };
    (void)state;
    for (size_t c = 0; c < COUNT(types) * 10; ++c) {
        eig_type const type = types[c % 4];
        long double const eps = (long double)type_eps(type);
        numbers a = make("hofstadter", type, N, 1, c);
        hermitian h = hermitian_new(N, &a, 0);
        long double trace = 0;
        for (int64_t i = 0; i < N; ++i) trace += numbers_re(&a, i * (N + 1));
        assert_true(fabsl(trace) < 4 * N * eps && fabsl(h.norm * h.norm - 4 * N) < 30 * N * eps);
        count_is(&h, -4 - 40 * eps, 0, "hofstadter"), count_is(&h, 4 + 40 * eps, N, "hofstadter");
        hermitian_free(&h), numbers_free(&a);
        matrices_rng rng = matrices_seed(c); /* the flux, x, y */
        (void)matrices_uniform(&rng);
        long double const turn = 2 * acosl(-1.0L);
        long double x = matrices_uniform(&rng), y = matrices_uniform(&rng);
        if (!type_is_complex(type)) x = 0;
        a = make("hofstadter", type, 2, 1, c), h = hermitian_new(2, &a, 0);
        double const w = (double)(2 * hypotl(cosl(turn * x), cosl(turn * y)));
        assert_true(hermitian_holds(&h, 1, -w, 20 * eps) && hermitian_holds(&h, 2, w, 20 * eps));
        hermitian_free(&h), numbers_free(&a);
    }
}

/* A graph that hangs together has one eigenvalue 0, and the others above it. */
static void test_laplacian(void **state)
{
    static const int64_t orders[] = {2, 3, 7, 24};
    (void)state;
    for (size_t c = 0; c < COUNT(types) * COUNT(orders); ++c) {
        eig_type const type = types[c % 4];
        int64_t const n = orders[c / 4];
        numbers a = make("laplacian", type, n, 1, 3);
        hermitian h = hermitian_new(n, &a, 0);
        long double const tolerance = (long double)n * (long double)type_eps(type) * h.norm;
        count_is(&h, -tolerance, 0, "laplacian"), count_is(&h, tolerance, 1, "laplacian");
        for (int64_t i = 0; i < n && !type_is_complex(type); ++i) {
            long double sum = 0;
            for (int64_t j = 0; j < n; ++j) {
                sum += numbers_re(&a, i * n + j);
                assert_true(i == j || numbers_re(&a, i * n + j) <= 0);
            }
            assert_true(fabsl(sum) <= tolerance);
        }
        hermitian_free(&h), numbers_free(&a);
    }
}

/* FNV-1a over the bits of all parts, least significant byte first. */
static uint64_t fingerprint(const numbers *a)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int64_t k = 0; k < numbers_parts(a); ++k) {
        double const x = numbers_part(a, k) + 0.0; /* one zero */
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (bits >> 8 * byte & 255)) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* n = 20, two matrices, seed 7. */
static const struct {
    const char *kind;
    uint64_t f64, c128;
} prints[] = {
    {"hermitian", UINT64_C(0x658f187318b26e96), UINT64_C(0xa37b58f951b22b9f)},
    {"hermitian01", UINT64_C(0x0e6c090348a14708), UINT64_C(0x4a6eeef4cc842f26)},
    {"ensemble", UINT64_C(0x8fb7a27733f667c2), UINT64_C(0xdfdc683cd6f43da0)},
    {"ensemble-tiny", UINT64_C(0x65c10f2c9285479d), UINT64_C(0x5c8f5cf949d6408c)},
    {"ensemble-huge", UINT64_C(0x2abe732f87ef1fdb), UINT64_C(0xc88085bd19142bbc)},
    {"arithmetic", UINT64_C(0x346e6b84e95a9d62), UINT64_C(0x7d00535ba7c8dc0d)},
    {"geometric", UINT64_C(0x93504c2506b35aca), UINT64_C(0x355da5ebd4079bc1)},
    {"clustered", UINT64_C(0x95fa44cc2f0d9d10), UINT64_C(0xffbad0135ca5c016)},
    {"repeated", UINT64_C(0x673a0050a1869d34), UINT64_C(0xce7d76d8fa8d3003)},
    {"graded-definite", UINT64_C(0xce009cc003471bd9), UINT64_C(0xa7632607008c53b1)},
    {"diagonal", UINT64_C(0xd8ddc3c9a93bf962), UINT64_C(0xc67948767ffeb262)},
    {"rank-one", UINT64_C(0x083617de415e25a1), UINT64_C(0x1515a84c784b7390)},
    {"ring", UINT64_C(0xc55c383bcb6f8125), UINT64_C(0xe615db06f8456b25)},
    {"min", UINT64_C(0x866011fdbb3aed5d), UINT64_C(0x8655ec42acda0c5d)},
    {"tensor", UINT64_C(0xbdc83619a4b95d7b), UINT64_C(0xf3006e4512b6a38f)},
    {"covariance", UINT64_C(0x7b380968a83da426), UINT64_C(0xca69b48bbd9ba4da)},
    {"hofstadter", UINT64_C(0xf6fe6d3cb078b0bd), UINT64_C(0x28d3d9119a0309a1)},
    {"laplacian", UINT64_C(0xe43d589f3cc29a61), UINT64_C(0x73a5d901c20d3277)},
    {"eye", UINT64_C(0x1f293b2e6d3f40a5), UINT64_C(0x9828419ff19cc225)},
    {"zeros", UINT64_C(0x7501636cb8119725), UINT64_C(0x79e6435029510b25)},
};

static void test_fingerprints(void **state)
{
    (void)state;
    for (size_t c = 0; KINDS[c]; ++c) {
        assert_true(c < COUNT(prints));
        assert_string_equal(KINDS[c], prints[c].kind);
        numbers a = make(KINDS[c], EIG_D, 20, 2, 7), z = make(KINDS[c], EIG_Z, 20, 2, 7);
        if (fingerprint(&a) != prints[c].f64 || fingerprint(&z) != prints[c].c128)
            fail_msg("%s has changed: 0x%016llx, 0x%016llx", KINDS[c], (unsigned long long)fingerprint(&a),
                     (unsigned long long)fingerprint(&z));
        numbers_free(&a), numbers_free(&z);
    }
}

/* Matrix b of a batch is that of seed + b; what does not exist is refused. */
static void test_batches(void **state)
{
    enum { N = 7 };
    (void)state;
    for (size_t c = 0; KINDS[c]; ++c) {
        assert_non_null(matrices_hermitian_text(KINDS[c]));
        numbers both = make(KINDS[c], EIG_C, N, 2, 4), second = make(KINDS[c], EIG_C, N, 1, 5);
        assert_memory_equal(numbers_at(&both, N * N), second.data, N * N * sizeof(eig_c));
        numbers_free(&both), numbers_free(&second);
    }
    numbers a;
    io_error error;
    assert_true(numbers_make(&a, EIG_D, 9));
    assert_false(matrices_hermitian("spiral", 3, 1, 1, &a, &error));
    assert_non_null(strstr(error.text, "spiral: there is no such kind"));
    assert_null(matrices_hermitian_text("spiral"));
    numbers_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hermitian),  cmocka_unit_test(test_complex),      cmocka_unit_test(test_spectra),
        cmocka_unit_test(test_models),     cmocka_unit_test(test_hofstadter),   cmocka_unit_test(test_laplacian),
        cmocka_unit_test(test_characters), cmocka_unit_test(test_fingerprints), cmocka_unit_test(test_batches),
    };
    return cmocka_run_group_tests_name("matrices_hermitian", tests, NULL, NULL);
}
