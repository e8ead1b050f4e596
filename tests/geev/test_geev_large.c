/* geev of orders above 64 on the device named by the argument: on a GPU a block or several compute a matrix (roads `block`
 * and `blocks`).  Certificates, known spectra, same bits in any batch, matrices that are not finite, given up ones. */
#include "support/geev_vectors_fixture.h"

/* Certificates that cost O(n^2): the pairs, the trace, the trace of A^2. */
static void certify_sums(const char *name, const batch *b, int64_t m)
{
    int64_t const n = b->n;
    const double *const a = b->a + m * n * n, *const w = b->w + 2 * m * n;
    long double const norm = dense_norm(n, a), unit = (long double)n * (long double)type_eps(b->type) * norm;
    long double trace = 0, square = 0, sum = 0, sum2 = 0, imaginary = 0;
    if (b->info[m] != 0) fail_msg("%s n=%lld: info = %d", name, (long long)n, b->info[m]);
    certify_pairs(name, n, w);
    for (int64_t k = 0; k < n; ++k) {
        long double const re = w[2 * k], im = w[2 * k + 1];
        sum += re, imaginary += im, sum2 += re * re - im * im, trace += a[k * n + k];
        for (int64_t j = 0; j < n; ++j) square += (long double)a[k * n + j] * (long double)a[j * n + k];
    }
    if (imaginary != 0) fail_msg("%s n=%lld: imaginary parts do not cancel", name, (long long)n);
    if (!(fabsl(sum - trace) <= 10 * unit)) fail_msg("%s n=%lld: the trace is off", name, (long long)n);
    if (!(fabsl(sum2 - square) <= 20 * unit * norm))
        fail_msg("%s n=%lld: the sum of squares is off", name, (long long)n);
}

/* Eigenvalue k of matrix m is one of a matrix within 10 n eps ||A||_F of it. */
static void certify_one(const char *name, const batch *b, int64_t m, int64_t k)
{
    int64_t const n = b->n;
    const double *const a = b->a + m * n * n, *const w = b->w + 2 * (m * n + k);
    dense_number determinant;
    long double const sigma = dense_sigma_min(n, a, dense_complex(w[0], w[1]), &determinant);
    long double const limit = 10 * (long double)n * (long double)type_eps(b->type) * dense_norm(n, a);
    if (!(sigma <= limit))
        fail_msg("%s n=%lld %s: eigenvalue %lld = %g%+gi is off by %Lg, allowed %Lg", name, (long long)n,
                 type_name(b->type), (long long)k, w[0], w[1], sigma, limit);
}

/* Every kind of matrix; floats cannot hold one. */
static void test_kinds(void **state)
{
    static const int64_t orders[] = {96, 129, 170, 243, 300};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t k = 0; matrices_nonsymmetric_names[k]; ++k)
        for (size_t c = 0; c < 2 * COUNT(orders); ++c) {
            const char *const kind = matrices_nonsymmetric_names[k];
            if (real_types[c % 2] == EIG_S && strcmp(kind, "graded-full") == 0) continue;
            batch b = batch_make(kind, orders[c / 2], 1, real_types[c % 2], 100 + c);
            eig_geev_options options = EIG_GEEV_OPTIONS;
            options.no_balance = c == 3;
            solve(ctx, &options, &b);
            certify_sums(kind, &b, 0);
            for (int64_t at = 0; at < b.n && b.n < 200; at += b.n / 2 - 1) certify_one(kind, &b, 0, at);
            batch_free(&b);
        }
    eig_destroy(ctx);
}

/* Orders around those where another road, another number of bulges or of columns of a panel begins. */
static void test_orders(void **state)
{
    static const int64_t orders[] = {65,  66,  67,  81,  95,  97,  127, 128, 159, 160, 161, 166, 167, 168,
                                     169, 192, 221, 222, 226, 227, 228, 229, 238, 239, 240, 256, 321};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 2 * COUNT(orders); ++c) {
        batch b = batch_make("gaussian", orders[c / 2], 1, real_types[c % 2], 300 + c);
        solve(ctx, NULL, &b);
        certify_sums("gaussian", &b, 0);
        if (b.n < 130) certify_one("gaussian", &b, 0, b.n / 3);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

static void test_larger(void **state)
{
    static const int64_t orders[] = {400, 512, 600, 1100};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 2 * COUNT(orders); ++c) {
        batch b = batch_make(c % 4 < 2 ? "gaussian" : "random", orders[c / 2], 1, real_types[c % 2], 400 + c);
        solve(ctx, NULL, &b);
        certify_sums("larger", &b, 0);
        if (b.n == 400) certify_one("larger", &b, 0, 200);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* Hessenberg matrices, and those that one entry below the subdiagonal keeps from that form. */
static void test_hessenberg(void **state)
{
    static const int64_t n = 100, place[][2] = {{1, 0}, {52, 50}, {99, 97}, {99, 0}, {99, 96}, {2, 0}};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 2 * COUNT(place); ++c) {
        batch b = batch_make("gaussian", n, 1, real_types[c % 2], 600 + c);
        for (int64_t i = 2; i < n; ++i)
            for (int64_t j = 0; j + 1 < i; ++j) b.a[i * n + j] = 0;
        b.a[place[c / 2][0] * n + place[c / 2][1]] = 30, b.a[place[c / 2][1] * n + place[c / 2][0]] = 30;
        solve(ctx, NULL, &b);
        certify_sums("hessenberg", &b, 0);
        for (int64_t k = 0; k < n; k += 33) certify_one("hessenberg", &b, 0, k);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* The same bits for one matrix, for a few, which share the device out among themselves, and for many. */
static void test_batches(void **state)
{
    static const int64_t orders[] = {70, 130, 180, 260};
    enum { MANY = 100 }; /* more of double are not few any more for a GPU */
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 2 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 2], count = n > 200 ? 9 : n > 150 ? 32 : MANY;
        batch one = batch_make("gaussian", n, 3, real_types[c % 2], 500 + c), all = batch_new(n, count, one.type);
        for (int64_t m = 0; m < count; ++m)
            memcpy(all.a + m * n * n, one.a + m % 3 * n * n, (size_t)(n * n) * sizeof *all.a);
        all.a[4 * n * n + 17] = NAN; /* it spoils no other */
        for (int64_t m = 0; m < 3; ++m) solve_part(ctx, NULL, &one, place(EIG_LAYOUT_MATRIX_WISE, n, 1, 1), m, 1, 2);
        solve_part(ctx, NULL, &all, place_rows(EIG_LAYOUT_MATRIX_WISE, n, count, 3), 0, count, 1);
        for (int64_t m = 0; m < count; ++m) {
            if (m == 4) {
                assert_int_equal(all.info[m], EIG_INFO_NOT_FINITE);
                for (int64_t k = 0; k < 2 * n; ++k) assert_true(isnan(all.w[2 * m * n + k]));
                continue;
            }
            assert_int_equal(all.info[m], 0);
            if (memcmp(all.w + 2 * m * n, one.w + 2 * (m % 3) * n, (size_t)(2 * n) * sizeof *all.w) != 0)
                fail_msg("n=%lld %s: matrix %lld of %lld has other bits", (long long)n, type_name(one.type),
                         (long long)m, (long long)count);
        }
        batch_free(&one), batch_free(&all);
    }
    eig_destroy(ctx);
}

/* The cyclic permutation's eigenvalues are exact to rounding; scaling by a power of two scales them exactly. */
static void test_known(void **state)
{
    static const int64_t orders[] = {101, 200, 261};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 2 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 2];
        double *const known = room((size_t)(2 * n), sizeof *known);
        batch b = batch_make("anticyclic", n, 2, real_types[c % 2], 1);
        assert_true(matrices_nonsymmetric_spectrum("anticyclic", n, known));
        double const scale = type_is_single(b.type) ? 0x1p100 : 0x1p900;
        for (int64_t k = 0; k < n * n; ++k) b.a[n * n + k] *= scale;
        solve(ctx, NULL, &b);
        assert_true(distance(n, known, b.w) <= 10 * (double)n * type_eps(b.type));
        for (int64_t k = 0; k < 2 * n; ++k) b.w[2 * n + k] /= scale;
        assert_true(distance(n, known, b.w + 2 * n) <= 10 * (double)n * type_eps(b.type));
        batch_free(&b);
        free(known);
    }
    eig_destroy(ctx);
}

/* [G X; 0 T] with rows and columns in another order: balancing finds the eigenvalues of the triangular T, exactly, and
 * the rest is scaled by itself. */
static void test_isolated(void **state)
{
    static const int64_t orders[] = {90, 210};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < COUNT(orders); ++c) {
        int64_t const n = orders[c], half = n / 2;
        batch g = batch_make("gaussian", n, 1, EIG_D, 47), b = batch_new(n, 1, EIG_D);
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j) {
                bool const zero = i >= half && j < i;
                double const x = zero ? 0 : g.a[i * n + j] * (i < half && j < half ? 0x1p600 : 1);
                b.a[(n - 1 - i) * n + n - 1 - j] = x;
            }
        solve(ctx, NULL, &b);
        assert_int_equal(b.info[0], 0);
        for (int64_t i = half; i < n; ++i) {
            bool found = false;
            for (int64_t k = 0; k < n; ++k) found |= b.w[2 * k] == g.a[i * n + i] && b.w[2 * k + 1] == 0;
            if (!found) fail_msg("n=%lld: %.17g is not found", (long long)n, g.a[i * n + i]);
        }
        batch_free(&g), batch_free(&b);
    }
    eig_destroy(ctx);
}

/* Given up after a step, also in the second of two blocks: what info says is known is right. */
static void test_gives_up(void **state)
{
    static const int64_t orders[] = {100, 180};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 2 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 2];
        batch b = batch_make("gaussian", n, 3, real_types[c % 2], 5);
        for (int64_t i = n / 2; i < n; ++i)
            for (int64_t j = 0; j < n / 2; ++j) b.a[(n + i) * n + j] = 0; /* matrix 1 has two blocks */
        eig_geev_options options = EIG_GEEV_OPTIONS;
        int given_up = 0;
        for (options.max_steps = 1; options.max_steps <= 2; ++options.max_steps) {
            solve(ctx, &options, &b);
            for (int64_t m = 0; m < 3; ++m) {
                int64_t const info = b.info[m];
                assert_in_range(info, 0, n);
                given_up += info > 0;
                for (int64_t k = 0; k < n; ++k) assert_true(isnan(b.w[2 * (m * n + k)]) == (k < info));
                if (info > 0 && info < n) certify_one("given up", &b, m, info);
            }
        }
        assert_true(given_up > 0);
        options.max_steps = 30;
        solve(ctx, &options, &b);
        for (int64_t m = 0; m < 3; ++m) assert_int_equal(b.info[m], 0);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* The sums of complex eigenvalues and of their squares: the traces of A and A^2. */
static void certify_complex_sums(const char *name, const pairs *b, int64_t m)
{
    int64_t const n = b->n;
    long double const norm = pairs_norm(b, m), unit = residual_unit(b, m);
    dense_number sum = 0, square = 0;
    if (b->info[m] != 0) fail_msg("%s n=%lld: info = %d", name, (long long)n, b->info[m]);
    for (int64_t i = 0; i < n; ++i) {
        dense_number const w = number_at(b->w, m * n + i);
        sum += w - number_at(b->a, (m * n + i) * n + i), square += dense_product(w, w);
        for (int64_t j = 0; j < n; ++j)
            square -= dense_product(number_at(b->a, (m * n + i) * n + j), number_at(b->a, (m * n + j) * n + i));
    }
    if (!(cabsl(sum) <= 10 * unit)) fail_msg("%s n=%lld %s: the trace is off", name, (long long)n, type_name(b->type));
    if (!(cabsl(square) <= 20 * unit * norm))
        fail_msg("%s n=%lld %s: the sum of squares is off", name, (long long)n, type_name(b->type));
}

/* Eigenvalues alone of complex matrices of every kind; those of a batch have the bits of one, beside one that is not finite. */
static void test_complex(void **state)
{
    static const int64_t orders[] = {66, 161, 170, 235, 330};
    enum { MANY = 5, SPOILT = 2 };
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 2 * COUNT(orders); ++c)
        for (size_t k = 0; matrices_nonsymmetric_names[k]; ++k) {
            const char *const kind = matrices_nonsymmetric_names[k];
            int64_t const n = orders[c / 2];
            if ((n > 170 && (c + k) % 5 != 0) || (c % 2 && strcmp(kind, "graded-full") == 0)) continue;
            pairs b = pairs_make(kind, n, 1, all_types[2 + c % 2], 700 + c);
            pairs_solve(ctx, NULL, &b, 0);
            certify_complex_sums(kind, &b, 0);
            pairs_free(&b);
        }
    for (size_t c = 0; c < 4; ++c) {
        int64_t const n = c < 2 ? 70 : 180;
        pairs one = pairs_make("gaussian", n, 1, all_types[2 + c % 2], 5), all = pairs_new(n, MANY, one.type);
        for (int64_t m = 0; m < MANY; ++m) memcpy(all.a + 2 * m * n * n, one.a, (size_t)(2 * n * n) * sizeof *one.a);
        all.a[2 * SPOILT * n * n + 2 * n + 1] = NAN;
        pairs_solve(ctx, NULL, &one, 0);
        pairs_solve(ctx, NULL, &all, 0);
        for (int64_t m = 0; m < MANY; ++m) {
            bool const spoilt = m == SPOILT;
            assert_int_equal(all.info[m], spoilt ? EIG_INFO_NOT_FINITE : 0);
            for (int64_t k = 0; k < 2 * n; ++k)
                assert_true(spoilt ? isnan(all.w[2 * m * n + k]) : all.w[2 * m * n + k] == one.w[k]);
        }
        pairs_free(&one), pairs_free(&all);
    }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    struct CMUnitTest const tests[] = {
        /* the quick ones first */
        cmocka_unit_test(test_isolated),   cmocka_unit_test(test_known),  cmocka_unit_test(test_gives_up),
        cmocka_unit_test(test_hessenberg), cmocka_unit_test(test_orders), cmocka_unit_test(test_batches),
        cmocka_unit_test(test_complex),    cmocka_unit_test(test_kinds),  cmocka_unit_test(test_larger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
