/* heev of matrices on which rounding or underflow adds up: columns below the diagonal so small that squares of their
 * elements lose digits, or vanish, and phases that all turn by one angle, where vectors must be orthogonal all the same; zeros
 * of either sign; and graded matrices for `relative`. */
#include "support/adversary_hermitian.h"
#include "support/heev_fixture.h"

/* The smallest element is 2^-least of the largest. */
static int least_of(eig_type type)
{
    return type_is_single(type) ? 76 : 540;
}

/* Around 2^-power reflections begin to count elements as 0. */
static int power_of_limits(eig_type type)
{
    return type_is_single(type) ? 50 : 450;
}

static void put_both(batch *b, int64_t m, int64_t i, int64_t j, double re, double im)
{
    int64_t const parts = type_is_complex(b->type) ? 2 : 1, n = b->n;
    for (int mirror = 0; mirror < 2; ++mirror) {
        int64_t const at = (m * n + (mirror ? j : i)) * n + (mirror ? i : j);
        numbers_put_part(&b->a, parts * at, re);
        if (parts == 2) numbers_put_part(&b->a, 2 * at + 1, i == j ? 0 : mirror ? 0 - im : im);
    }
}

/* Diagonals are about 1, other elements of matrix m some 2^-power, each another one. */
static void fill_small(batch *b, int64_t m, int power)
{
    for (int64_t i = 0; i < b->n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            int const own = i == j ? 0 : power + (int)((i * 7 + j * 5) % 17);
            put_both(b, m, i, j, ldexp(sin((double)(1 + i * i + 3 * j + m)), -own),
                     ldexp(cos((double)(2 + i + 5 * j * j + m)), -own));
        }
}

/* Element (i, j) is some 2^-(i+j) step; upwards the other way round. */
static void fill_graded(batch *b, int64_t m, double step, bool upwards)
{
    int64_t const n = b->n;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            double const scale = exp2(-step * (double)(upwards ? 2 * n - 2 - i - j : i + j));
            put_both(b, m, i, j, scale * sin((double)(1 + i * i + 3 * j + m)), scale * cos((double)(2 + i * j + m)));
        }
}

static int64_t const orders[] = {2, 3, 5, 8, 9, 16, 17, 32, 33, 64, 65, 100};

static void test_small(void **state)
{
    enum { MATRICES = 24 };
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 4 * COUNT(orders); ++c) {
        batch b = batch_new(orders[c / 4], orders[c / 4] < 33 ? MATRICES : MATRICES / 4, all_types[c % 4]);
        int const least = least_of(b.type);
        for (int64_t m = 0; m < b.count; ++m) fill_small(&b, m, (int)(least * (m + 1) / (b.count + 1)));
        for (int64_t m = 0; m < 3; ++m) fill_small(&b, m, power_of_limits(b.type) - 12 + 5 * (int)m);
        solve_by(ctx, EIG_HEEV_TRIDIAGONAL, &b);
        for (int64_t m = 0; m < b.count; ++m) certify_vectors("small", &b, m, 5);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

static void test_graded(void **state)
{
    enum { MATRICES = 8 };
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 4 * COUNT(orders); ++c) {
        batch b = batch_new(orders[c / 4], MATRICES, all_types[c % 4]);
        double const most = (double)least_of(b.type) / (double)b.n;
        for (int64_t m = 0; m < b.count; ++m)
            fill_graded(&b, m, most * (double)(m / 2 + 1) / (MATRICES / 2), m % 2 == 1);
        solve(ctx, NULL, &b);
        for (int64_t m = 0; m < b.count; ++m) certify_vectors("graded", &b, m, 5);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* A constant beside the diagonal: errors of its phase, or of its sign, all go to the same side. */
static void test_phases(void **state)
{
    static int64_t const sizes[] = {8, 32, 33, 64, 65, 130, 512};
    double const re = -0.6077288948101016, im = 2.0170879081873316;
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 4 * COUNT(sizes); ++c) {
        batch b = batch_new(sizes[c / 4], sizes[c / 4] > 100 ? 1 : 12, all_types[c % 4]);
        for (int64_t m = 0; m < b.count; ++m) {
            double const size = hypot(re, im) * (1 + (double)m / 7), angle = atan2(im, re) + (double)m;
            for (int64_t i = 0; i < b.n; ++i) {
                put_both(&b, m, i, i, 2, 0);
                if (i > 0) put_both(&b, m, i, i - 1, size * cos(angle), size * sin(angle));
            }
        }
        solve_by(ctx, EIG_HEEV_TRIDIAGONAL, &b);
        for (int64_t m = 0; m < b.count; ++m) certify_vectors("one phase", &b, m, 4);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* Many elements are 0, or have no real or no imaginary part. */
static void fill_with_zeros(batch *b, int64_t m)
{
    matrices_rng rng = matrices_seed((uint64_t)(100 * b->n + m));
    for (int64_t i = 0; i < b->n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            double const most = m % 2 ? 1 : i - j < 2;
            double const re = most * (double)draw_integer(&rng, -1, 1), im = most * (double)draw_integer(&rng, -1, 1);
            put_both(b, m, i, j, re, draw_chance(&rng, 0.5) ? 0 : im);
        }
}

/* The same bits from either triangle, signs of zeros too. */
static void test_triangles(void **state)
{
    static eig_heev_method const methods[] = {EIG_HEEV_TRIDIAGONAL, EIG_HEEV_JACOBI, EIG_HEEV_REFERENCE};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 12 * COUNT(orders); ++c) {
        eig_heev_options o = EIG_HEEV_OPTIONS;
        o.method = methods[c / 4 % 3];
        batch b = batch_new(orders[c / 12], 6, all_types[c % 4]), upper = batch_new(b.n, b.count, b.type);
        for (int64_t m = 0; m < b.count; ++m) fill_with_zeros(&b, m), fill_with_zeros(&upper, m);
        solve(ctx, &o, &b);
        solve_part(ctx, &o, &upper, (placement){.upper = true}, 0, b.count);
        for (int64_t m = 0; m < b.count; ++m) certify_vectors("zeros", &b, m, 5);
        if (!numbers_same(&b.w, &upper.w) || !numbers_same(&b.v, &upper.v))
            fail_msg("n=%lld %s, method %d: the triangles give other bits", (long long)b.n, type_name(b.type),
                     (int)o.method);
        batch_free(&b), batch_free(&upper);
    }
    eig_destroy(ctx);
}

static eig_heev_method const relative_methods[] = {EIG_HEEV_AUTO, EIG_HEEV_JACOBI, EIG_HEEV_REFERENCE};

/* `relative` for pairs of sizes as far apart as a type holds them, side by side and in blocks of a larger matrix. */
static void test_relative_pairs(void **state)
{
    static struct {
        double large, beside, small;
    } const singles[] = {{1e20, 0.5, 1e-20}, {1e30, 0, 1e-30},      {1e25, 0.5, 1e-25}, {1e33, -0.25, 1e-33},
                         {1e38, 1e5, 1e-27}, {1e-10, 3e-24, 1e-37}, {1e-33, 0, 1e-37},  {1e38, 9e37, 1e38}},
            doubles[] = {{1e150, 5e-6, 1e-160}, {1e300, 0, 1e-300},      {1e300, 0.5, 1e-300}, {1e200, -0.5, 1e-200},
                         {1e307, 1e5, 1e-296},  {1e-10, 3e-160, 1e-307}, {1e-290, 0, 1e-307},  {1e307, 9e306, 1e307}};
    static int64_t const sizes[] = {2, 3, 4, 7, 16, 33};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 12 * COUNT(sizes); ++c) {
        eig_heev_options o = EIG_HEEV_OPTIONS;
        o.relative = 1, o.method = relative_methods[c / 4 % 3];
        batch b = batch_new(sizes[c / 12], 2 * COUNT(doubles), all_types[c % 4]);
        for (int64_t m = 0; m < b.count; ++m) {
            bool const single = type_is_single(b.type), turned = m % 2;
            double const large = single ? singles[m / 2].large : doubles[m / 2].large;
            double const beside = single ? singles[m / 2].beside : doubles[m / 2].beside;
            double const small = single ? singles[m / 2].small : doubles[m / 2].small;
            for (int64_t i = 0; i < b.n; ++i) put_both(&b, m, i, i, (i % 2 == 1) != turned ? small : large, 0);
            for (int64_t i = 1; i < b.n; i += 2)
                put_both(&b, m, i, i - 1, beside * (m % 4 < 2 ? 1 : 0.6), m % 4 < 2 ? 0 : beside * 0.8);
        }
        solve(ctx, &o, &b);
        for (int64_t m = 0; m < b.count; ++m) certify_relative("pairs", &b, m, 4), certify_vectors("pairs", &b, m, 5);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* `relative` for random matrices D B D with numbers of all sizes in D. */
static void test_relative_graded(void **state)
{
    static int64_t const sizes[] = {2, 3, 4, 5, 6, 8, 17, 33, 48};
    (void)state;
    eig_context *const ctx = test_context(1);
    matrices_rng rng = matrices_seed(8);
    for (size_t c = 0; c < 12 * COUNT(sizes); ++c) {
        eig_heev_options o = EIG_HEEV_OPTIONS;
        o.relative = 1, o.method = relative_methods[c / 4 % 3];
        batch b = batch_new(sizes[c / 12], sizes[c / 12] < 10 ? 40 : 1, all_types[c % 4]);
        for (int64_t m = 0; m < b.count; ++m) {
            hermitian_draw h = hermitian_draw_new(b.n, type_is_complex(b.type));
            adversary_definite(&rng, &h, type_is_single(b.type));
            for (int64_t i = 0; i < b.n; ++i)
                for (int64_t j = 0; j <= i; ++j) put_both(&b, m, i, j, h.re[i * b.n + j], h.im[i * b.n + j]);
            hermitian_draw_free(&h);
        }
        solve(ctx, &o, &b);
        for (int64_t m = 0; m < b.count; ++m) certify_relative("D B D", &b, m, 4), certify_vectors("D B D", &b, m, 5);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* ----------------------------------------------------------------- the largest numbers */

/* Whether what is not NaN of matrix m is good: it ascends, and its vectors have length 1. */
static void check_rest(const batch *b, int64_t m, int64_t good, bool vectors)
{
    int64_t const n = b->n, parts = type_is_complex(b->type) ? 2 : 1;
    for (int64_t k = 0; k < n; ++k) {
        double const w = numbers_re(&b->w, m * n + k);
        long double sum = 0;
        for (int64_t i = 0; i < parts * n && vectors; ++i) {
            double const x = numbers_part(&b->v, parts * ((m * n + i / parts) * n + k) + i % parts);
            sum += (long double)x * x;
        }
        if (k >= good) {
            assert_true(isnan(w) && (!vectors || isnan((double)sum)));
            continue;
        }
        assert_true(isfinite(w) && (k == 0 || w >= numbers_re(&b->w, m * n + k - 1)));
        assert_true(!vectors || fabsl(sum - 1) <= (long double)(8 * n + 32) * (long double)type_eps(b->type));
    }
}

/* +-D on the antidiagonal: all eigenvalues are D or -D, which must come out.  D everywhere, and once more with -D in a corner: one
 * and two are too large; these count as not converged, the others are good.  The kernels for few matrices on a GPU give up all of such
 * a matrix. */
static void test_largest(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 4 * COUNT(orders); ++c)
        for (int variant = 0; variant < 16; ++variant) {
            int64_t const n = orders[c / 4];
            bool const values_only = variant & 1, many = variant & 2;
            eig_heev_method const methods[] = {EIG_HEEV_AUTO, EIG_HEEV_JACOBI, EIG_HEEV_TRIDIAGONAL,
                                               EIG_HEEV_REFERENCE};
            eig_heev_options o = EIG_HEEV_OPTIONS;
            o.method = methods[variant / 4];
            batch b = batch_new(n, many ? 12 : 3, all_types[c % 4]);
            double const most = type_is_single(b.type) ? (double)FLT_MAX : DBL_MAX;
            for (int64_t m = 0; m < b.count; ++m)
                for (int64_t i = 0; i < n; ++i)
                    for (int64_t j = 0; j <= i; ++j) {
                        double const x = m % 3 == 0                 ? (i + j == n - 1) * (i % 3 ? most : -most)
                                         : i + j == 0 && m % 3 == 2 ? -most
                                                                    : most;
                        put_both(&b, m, i, j, x, 0);
                    }
            test_may_be_solved_again = b.count; /* what is no number fails a certificate, too */
            solve_part(ctx, &o, &b, (placement){.values_only = values_only}, 0, b.count);
            test_may_be_solved_again = 0;
            for (int64_t m = 0; m < b.count; ++m) {
                int64_t const lost = m % 3;
                if (m % 3 == 0 || test_on_cpu())
                    assert_int_equal(b.info[m], lost);
                else
                    assert_true(b.info[m] == lost || b.info[m] == n);
                check_rest(&b, m, n - b.info[m], !values_only);
                for (int64_t k = 0; m % 3 == 0 && k < n; ++k)
                    assert_true(fabs(numbers_re(&b.w, m * n + k)) >= most * (1 - 10 * (double)n * type_eps(b.type)));
            }
            batch_free(&b);
        }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),     cmocka_unit_test(test_graded),         cmocka_unit_test(test_phases),
        cmocka_unit_test(test_triangles), cmocka_unit_test(test_relative_pairs), cmocka_unit_test(test_relative_graded),
        cmocka_unit_test(test_largest),
    };
    if (!test_device_answers(argc, argv) || !heev_answers()) return 77;
    return cmocka_run_group_tests_name("heev_hard", tests, NULL, NULL);
}
