/* heev of large matrices on a CPU, values alone: the road of two stages, against values that come with vectors by another
 * road, known spectra and counts; and what is promised of bits, scales, stops and matrices that are not finite.
 *
 *     test_heev_values cpu [large]     large: orders up to 4096 */
#define _POSIX_C_SOURCE 200112L /* setenv */
#include "support/heev_fixture.h"

/* In units of n eps max|w|. */
static double const LIMIT = 4;

/* The first order of a type that takes two stages, and orders around whole panels of 48 columns. */
static int64_t first_order(eig_type type)
{
    return type_is_single(type) ? 800 : 640;
}

static void solve_values(eig_context *ctx, batch *b)
{
    solve_part(ctx, NULL, b, (placement){.values_only = true}, 0, b->count);
    const char *const road = eig_get_road(ctx);
    if (strcmp(road, "two stages") != 0) fail_msg("n=%lld takes the road %s", (long long)b->n, road);
}

static double largest(const numbers *w)
{
    return fmax(fabs(numbers_re(w, 0)), fabs(numbers_re(w, w->count - 1)));
}

/* Of one matrix: ascending, and all within LIMIT n eps max|w| of what is wanted. */
static void compare(const char *name, const batch *b, const double *want, double most)
{
    double const near = LIMIT * (double)b->n * (double)type_eps(b->type) * most;
    assert_int_equal(b->info[0], 0);
    for (int64_t k = 0; k < b->n; ++k) {
        double const w = numbers_re(&b->w, k);
        if (k > 0 && !(w >= numbers_re(&b->w, k - 1))) fail_msg("%s: w does not ascend", name);
        if (!(fabs(w - want[k]) <= near))
            fail_msg("%s n=%lld %s: eigenvalue %lld is %.17g, must be %.17g", name, (long long)b->n, type_name(b->type),
                     (long long)k, w, want[k]);
    }
}

/* Dense matrices of all kinds. Those that come with vectors were certified by residuals, up to n = 512, by other tests. */
static void certify_kind(eig_context *ctx, const char *kind, int64_t n, eig_type type, bool vectors)
{
    batch b = batch_make(kind, n, 1, type, 11);
    double *const want = malloc(sizeof *want * (size_t)n);
    if (!want) fail_msg("no memory");
    if (vectors) {
        solve(ctx, NULL, &b);
        for (int64_t k = 0; k < n; ++k) want[k] = numbers_re(&b.w, k);
        double const most = largest(&b.w);
        solve_values(ctx, &b);
        compare(kind, &b, want, most);
    } else {
        solve_values(ctx, &b);
    }
    if (matrices_hermitian_spectrum(kind, type, n, want))
        compare(kind, &b, want, fmax(fabs(want[0]), fabs(want[n - 1])));
    free(want);
    batch_free(&b);
}

static void test_kinds(void **state)
{
    static const char *const kinds[] = {"hermitian", "clustered", "repeated",
                                        "geometric", "rank-one",  "graded-definite"};
    static const int64_t behind[] = {0, 1, 33, 32, 34, 47}; /* n mod 48: 16, 17, 1, 0, 2, 15 (double); 32, ... */
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int c = 0; c < 8; ++c) {
        eig_type const type = all_types[c % 4];
        certify_kind(ctx, kinds[c % 6], first_order(type) + behind[c % 6], type, true);
    }
    eig_destroy(ctx);
}

/* T = tridiag(e, d, e), dense in a complex type up to phases: what is below the diagonal is a band already, or nothing. */
typedef void tridiagonal(int64_t n, double *d, double *e);

static void glued(int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = fabs(10 - (double)(i % 21)), e[i] = i % 21 == 20 ? 0x1p-30 : 1;
}

static void split(int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = (double)(i % 7), e[i] = i % 13 == 3 || i % 48 == 47 || i == n / 2 ? 0 : 0.5;
}

static void graded(int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = ldexp(1, (int)(-i / 4)), e[i] = ldexp(1, (int)(-i / 4) - 1);
}

static void diagonal(int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = (double)(i * 37 % n) - (double)n / 3, e[i] = 0;
}

/* Rows in another order: far from the diagonal, with a count of eigenvalues that is exact all the same. */
static int64_t place(int64_t i, int64_t n, bool turned)
{
    return turned ? i * 7 % n : i;
}

static void test_tridiagonals(void **state)
{
    static tridiagonal *const kinds[] = {glued, split, graded, diagonal};
    enum { MOST = 900 };
    static double d[MOST], e[MOST];
    static long double exact[2][MOST];
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int c = 0; c < 16; ++c) {
        eig_type const type = all_types[c % 4];
        bool const is_complex = type_is_complex(type), turned = c % 3 > 0;
        int64_t const n = first_order(type) + 1; /* no multiple of 7 */
        int const power = (c / 4 + c) % 3 - 1, scale = power * (type_is_single(type) ? 100 : 990);
        batch b = batch_new(n, 1, type);
        kinds[c / 4](n, d, e);
        for (int64_t i = 0; i < n; ++i) {
            int64_t const r = place(i, n, turned), s = place((i + 1) % n, n, turned);
            numbers_put_part(&b.a, (r * n + r) * (is_complex ? 2 : 1), ldexp(d[i], scale));
            exact[0][i] = numbers_re(&b.a, r * n + r);
            if (i + 1 == n) continue;
            int64_t const below = s * n + r, above = r * n + s;
            numbers_put_part(&b.a, is_complex ? 2 * below + 1 : below, ldexp(e[i], scale));
            numbers_put_part(&b.a, is_complex ? 2 * above + 1 : above, ldexp(is_complex ? -e[i] : e[i], scale));
            exact[1][i] = is_complex ? numbers_im(&b.a, below) : numbers_re(&b.a, below);
        }
        solve_values(ctx, &b);
        assert_int_equal(b.info[0], 0);
        hermitian const h = {.n = n, .d = exact[0], .e = exact[1]};
        long double const near = (long double)LIMIT * (long double)n * (long double)type_eps(type) * largest(&b.w);
        for (int64_t k = 0; k < n; ++k)
            if (!hermitian_holds(&h, k + 1, numbers_re(&b.w, k), near))
                fail_msg("kind %d %s: eigenvalue %lld is not %g", c / 4, type_name(type), (long long)k,
                         numbers_re(&b.w, k));
        batch_free(&b);
    }
    eig_destroy(ctx);
}

static void same_values(const char *name, const batch *x, const batch *y)
{
    for (int64_t m = 0; m < x->count; ++m) assert_int_equal(x->info[m], y->info[m]);
    if (!numbers_same(&x->w, &y->w)) fail_msg("%s n=%lld %s: other bits", name, (long long)x->n, type_name(x->type));
}

/* Any number of threads, a batch of which the last matrix is not finite, either triangle, either instruction set. */
static void test_bits(void **state)
{
    (void)state;
    const char *const before = getenv("EIG_CPU");
    char saved[40] = "";
    if (before) snprintf(saved, sizeof saved, "%s", before);
    for (int c = 0; c < 4; ++c) {
        eig_type const type = all_types[c];
        int64_t const n = first_order(type) + 3;
        batch one = batch_make(c % 2 ? "hermitian" : "clustered", n, 3, type, 5);
        batch more = batch_make(c % 2 ? "hermitian" : "clustered", n, 3, type, 5);
        int64_t const last = (3 * n * n - 1) * (type_is_complex(type) ? 2 : 1);
        numbers_put_part(&one.a, last, NAN), numbers_put_part(&more.a, last, NAN);
        for (int threads = 1; threads <= 4; ++threads) {
            eig_context *const ctx = test_context(threads);
            solve_values(ctx, threads == 1 ? &one : &more);
            if (threads > 1) same_values("threads", &one, &more);
            if (threads == 2) {
                solve_part(ctx, NULL, &more, (placement){.values_only = true, .upper = true}, 0, 3);
                same_values("upper", &one, &more);
            }
            eig_destroy(ctx);
        }
        assert_int_equal(one.info[0], 0), assert_int_equal(one.info[2], EIG_INFO_NOT_FINITE);
        for (int set = 0; set < 2; ++set) {
            assert_int_equal(setenv("EIG_CPU", set ? "avx512" : "avx2", 1), 0);
            eig_context *ctx;
            bool const there = eig_create(&ctx, "cpu") == EIG_OK;
            if (there) solve_values(ctx, &more);
            eig_destroy(ctx);
            if (there && !before) same_values(set ? "avx512" : "avx2", &one, &more);
        }
        assert_int_equal(before ? setenv("EIG_CPU", saved, 1) : unsetenv("EIG_CPU"), 0);
        batch_free(&one), batch_free(&more);
    }
}

/* Scaled by a power of two, A has the scaled values, to the bit. */
static void test_scale(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int c = 0; c < 8; ++c) {
        eig_type const type = all_types[c % 4];
        int const power = (c < 4 ? 1 : -1) * (type_is_single(type) ? 100 : 990);
        batch b = batch_make("hermitian", first_order(type), 1, type, 5),
              scaled = batch_make("hermitian", b.n, 1, type, 5);
        for (int64_t k = 0; k < numbers_parts(&b.a); ++k) {
            bool const one = !type_is_complex(type), re = k % 2 == 0;
            double const x = one ? numbers_re(&b.a, k) : re ? numbers_re(&b.a, k / 2) : numbers_im(&b.a, k / 2);
            numbers_put_part(&scaled.a, k, ldexp(x, power));
        }
        solve_values(ctx, &b), solve_values(ctx, &scaled);
        for (int64_t k = 0; k < b.n; ++k)
            if (numbers_re(&scaled.w, k) != ldexp(numbers_re(&b.w, k), power))
                fail_msg("%s: eigenvalue %lld of 2^%d A is %g", type_name(type), (long long)k, power,
                         numbers_re(&scaled.w, k));
        batch_free(&b), batch_free(&scaled);
    }
    eig_destroy(ctx);
}

/* A stop in the midst of the matrix ends the call, and progress does not fall before. */
static void test_progress(void **state)
{
    enum { N = 1800 }; /* a tenth of a second on fast machines */
    (void)state;
    batch b = batch_make("ensemble", N, 1, EIG_Z, 5);
    for (int threads = 1; threads <= 3; ++threads) {
        eig_context *const ctx = test_context(threads);
        double last = 0;
        assert_int_equal(eig_set_progress(ctx, progress_rises, &last), EIG_OK);
        if (threads < 3) solve_values(ctx, &b);
        if (threads < 3) assert_true(last == 1);
        last = 0;
        assert_int_equal(eig_set_progress(ctx, progress_stops, &last), EIG_OK);
        assert_int_equal(eig_zheev(ctx, NULL, N, b.a.data, N, NULL, b.w.data, NULL, N, NULL, NULL), EIG_CANCELLED);
        assert_true(last > 0 && last < 1);
        eig_destroy(ctx);
    }
    batch_free(&b);
}

/* Known spectra need no other road. */
static void test_large(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int c = 0; c < 4; ++c) certify_kind(ctx, c % 2 ? "clustered" : "geometric", 2100 - c, all_types[c], c == 1);
    certify_kind(ctx, "geometric", 4096, EIG_D, false);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds), cmocka_unit_test(test_tridiagonals),
                                       cmocka_unit_test(test_bits), cmocka_unit_test(test_scale),
                                       cmocka_unit_test(test_progress)};
    const struct CMUnitTest large[] = {cmocka_unit_test(test_large)};
    if (!test_device_answers(argc, argv) || !heev_answers()) return 77;
    if (argc > 2 && strcmp(argv[2], "large") == 0)
        return cmocka_run_group_tests_name("heev, values of the largest matrices", large, NULL, NULL);
    return cmocka_run_group_tests_name("heev, values alone of large matrices", tests, NULL, NULL);
}
