/* heev on the device named by the argument: eigenvalues against counts in long double and against known spectra,
 * vectors by residual and orthogonality, for every type and method. */
#include "support/heev_fixture.h"
#include "support/sanitizer.h"

/* Certificates take long under a sanitizer, and where long double is computed by functions, as on AArch64. */
enum { SLOW = ADDRESS_SANITIZED || LDBL_MANT_DIG > 64 };

/* In units of n eps; the measures (9) and (10) of Huang, Liu and Zhao. */
static long double const LIMIT = 4;

static const eig_heev_method methods[] = {EIG_HEEV_AUTO, EIG_HEEV_JACOBI, EIG_HEEV_TRIDIAGONAL, EIG_HEEV_REFERENCE};

/* Every matrix of a batch of the kind by every method, and its values alone. */
static void certify_kind(eig_context *ctx, const char *kind, int64_t n, int64_t count, eig_type type)
{
    batch b = batch_make(kind, n, count, type, 11);
    for (size_t k = 0; k < COUNT(methods); ++k) {
        if (n > 128 && methods[k] == EIG_HEEV_REFERENCE) continue; /* seconds */
        if (n > 200 && methods[k] != EIG_HEEV_AUTO) continue;
        solve_by(ctx, methods[k], &b);
        for (int64_t m = 0; m < count; ++m) {
            certify_vectors(kind, &b, m, LIMIT);
            if (n <= 65) certify_values(kind, &b, m);
        }
    }
    solve_part(ctx, NULL, &b, (placement){.values_only = true}, 0, count); /* may take another road */
    for (int64_t m = 0; m < count && n <= 65; ++m) {
        if (b.info[m] != 0) fail_msg("%s n=%lld %s: info = %d", kind, (long long)n, type_name(type), b.info[m]);
        certify_values(kind, &b, m);
    }
    batch_free(&b);
}

static void test_kinds(void **state)
{
    static const int64_t orders[] = {1, 2, 3, 4, 5, 7, 16, 33, 66};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t k = 0; matrices_hermitian_names[k]; ++k)
        for (size_t c = 0; c < 4 * COUNT(orders); ++c)
            certify_kind(ctx, matrices_hermitian_names[k], orders[c / 4],
                         orders[c / 4] > 33          ? 1
                         : orders[c / 4] > 16        ? 2
                         : orders[c / 4] > 4 && SLOW ? 2
                                                     : 19,
                         all_types[c % 4]);
    eig_destroy(ctx);
}

static void test_orders(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int64_t n = 1; n <= 40; n += SLOW && n >= 8 ? 5 : 1)
        for (int c = 0; c < 4; ++c) certify_kind(ctx, "hermitian", n, 2, all_types[c]);
    eig_destroy(ctx);
}

/* Up to 200 on a CPU: test_heev_large.c has larger ones of these kinds. */
static void test_large(void **state)
{
    static const int64_t orders[] = {63, 64, 65, 127, 128, 129, 200, 256, 512};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < COUNT(orders); ++c) {
        if (orders[c] > (SLOW ? 65 : 200) && test_on_cpu()) break;
        certify_kind(ctx, "hermitian", orders[c], 1, all_types[c % 4]);
        certify_kind(ctx, c % 2 ? "repeated" : "clustered", orders[c], 1, all_types[(c + 1) % 4]);
    }
    eig_destroy(ctx);
}

/* Spectra that have a formula, in double; those of matrices that are made from one are exact to their making. */
static void test_spectra(void **state)
{
    static const int64_t orders[] = {1, 2, 3, 9, 30, 65};
    double want[65];
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t kind = 0; matrices_hermitian_names[kind]; ++kind)
        for (size_t c = 0; c < 2 * COUNT(orders) * COUNT(methods); ++c) {
            int64_t const n = orders[c / 2 / COUNT(methods)];
            eig_type const type = c % 2 ? EIG_Z : EIG_D;
            if (!matrices_hermitian_spectrum(matrices_hermitian_names[kind], type, n, want)) continue;
            batch b = batch_make(matrices_hermitian_names[kind], n, 2, type, 3);
            solve_by(ctx, methods[c / 2 % COUNT(methods)], &b);
            double const most = fmax(fabs(want[0]), fabs(want[n - 1]));
            for (int64_t k = 0; k < 2 * n; ++k)
                if (!(fabs(numbers_re(&b.w, k) - want[k % n]) <= 10 * (double)n * DBL_EPSILON * most))
                    fail_msg("%s n=%lld: %.17g is not %.17g", matrices_hermitian_names[kind], (long long)n,
                             numbers_re(&b.w, k), want[k % n]);
            batch_free(&b);
        }
    eig_destroy(ctx);
}

/* Eigenvalues of A that are smaller than x, A = D B D positive definite with powers of two in D, from large to small:
 * the signs of the pivots of B - x D^-2, in long double. */
static int64_t graded_count(const batch *b, int64_t m, long double x)
{
    int64_t const n = b->n;
    dense_number *const a = malloc(sizeof *a * (size_t)(n * n));
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            int64_t const at = (m * n + i) * n + j;
            long double const scale = sqrtl((long double)numbers_re(&b->a, (m * n + i) * n + i)) *
                                      sqrtl((long double)numbers_re(&b->a, (m * n + j) * n + j));
            a[i * n + j] = dense_complex(numbers_re(&b->a, at), numbers_im(&b->a, at)) / scale;
            if (i == j) a[i * n + i] -= x / scale;
        }
    for (int64_t k = 0; k < n; ++k) {
        long double const pivot = creall(a[k * n + k]);
        count += pivot < 0;
        for (int64_t i = k + 1; i < n; ++i) {
            dense_number const factor = a[i * n + k] / pivot;
            for (int64_t j = k + 1; j <= i; ++j) a[i * n + j] -= dense_product(factor, conjl(a[j * n + k]));
        }
    }
    free(a);
    return count;
}

/* `relative`: every eigenvalue of a graded positive definite matrix to a few n eps of itself. */
static void test_relative(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int64_t n = 2; n <= 66; n += 16)
        for (int c = 0; c < (n < 66 ? 12 : 4); ++c) { /* of the last order auto alone, one matrix: seconds */
            int64_t const count = n < 66 ? 3 : 1;
            static const eig_heev_method able[] = {EIG_HEEV_AUTO, EIG_HEEV_JACOBI, EIG_HEEV_REFERENCE};
            eig_heev_options o = EIG_HEEV_OPTIONS;
            o.relative = 1, o.method = able[c / 4];
            batch b = batch_make("graded-definite", n, count, all_types[c % 4], 5);
            solve(ctx, &o, &b);
            for (int64_t k = 0; k < count * n; ++k) {
                long double const w = numbers_re(&b.w, k);
                long double const near = 4 * (long double)n * (long double)type_eps(b.type);
                if (graded_count(&b, k / n, w * (1 - near)) > k % n || graded_count(&b, k / n, w * (1 + near)) <= k % n)
                    fail_msg("n=%lld %s: eigenvalue %lld is not %.17Lg", (long long)n, type_name(b.type), (long long)k,
                             w);
            }
            for (int64_t m = 0; m < count; ++m) certify_vectors("graded", &b, m, LIMIT);
            batch_free(&b);
        }
    eig_destroy(ctx);
}

/* Scaled by a power of two, A has the same vectors and scaled values, to the bit, where nothing underflows. */
static void test_scale(void **state)
{
    static const int64_t orders[] = {1, 2, 3, 6, 17, 66};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 4 * COUNT(orders) * COUNT(methods); ++c)
        for (int up = -1; up <= 1; up += 2) {
            eig_type const type = all_types[c % 4];
            int64_t const n = orders[c / 4 % COUNT(orders)];
            int const power = up * (type_is_single(type) ? 90 : 990);
            batch one = batch_make("hermitian", n, 3, type, 3), scaled = batch_make("hermitian", n, 3, type, 3);
            for (int64_t k = 0; k < numbers_parts(&one.a); ++k)
                numbers_put_part(&scaled.a, k, ldexp(numbers_part(&one.a, k), power));
            solve_by(ctx, methods[c / 4 / COUNT(orders)], &one);
            solve_by(ctx, methods[c / 4 / COUNT(orders)], &scaled);
            for (int64_t k = 0; k < 3 * n; ++k)
                assert_true(numbers_re(&scaled.w, k) == ldexp(numbers_re(&one.w, k), power));
            assert_true(numbers_same(&one.v, &scaled.v));
            batch_free(&one), batch_free(&scaled);
        }
    eig_destroy(ctx);
}

/* A matrix of subnormal numbers, the smallest of all among them. */
static void test_subnormal(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    double const t = 0x1p-1074;
    for (size_t k = 0; k < COUNT(methods); ++k) {
        eig_heev_options o = EIG_HEEV_OPTIONS;
        o.method = methods[k];
        eig_z const a[4] = {{0, 0}, {0, t}, {0, 0}, {0, 0}};
        eig_z v[4];
        double w[2];
        assert_int_equal(eig_zheev_batched(ctx, &o, 2, a, 2, 4, NULL, w, 2, v, 2, 4, NULL, NULL, 1), EIG_OK);
        assert_true(w[0] == -t && w[1] == t);
        for (int i = 0; i < 4; ++i) assert_true(fabs(hypot(v[i].re, v[i].im) - sqrt(0.5)) <= 4 * DBL_EPSILON);
    }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),     cmocka_unit_test(test_orders),   cmocka_unit_test(test_large),
        cmocka_unit_test(test_spectra),   cmocka_unit_test(test_relative), cmocka_unit_test(test_scale),
        cmocka_unit_test(test_subnormal),
    };
    if (!test_device_answers(argc, argv) || !heev_answers()) return 77;
    return cmocka_run_group_tests_name("heev", tests, NULL, NULL);
}
