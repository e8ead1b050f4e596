/* heev of one large matrix at a time on a CPU: divide and conquer on inputs that are hard for it, orders up to 512, the
 * same bits for every instruction set that has fused multiply-adds and for any number of threads that share a matrix, a stop in the
 * midst of one. */
#define _POSIX_C_SOURCE 200112L /* setenv */
#include "support/heev_fixture.h"

static void test_orders(void **state)
{
    static const int64_t orders[] = {65, 81, 100, 128, 129, 192, 256, 300, 512};
    static const char *const kinds[] = {"hermitian", "clustered", "repeated", "geometric"};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < COUNT(orders); ++c)
        for (size_t k = 0; k < (orders[c] > 300 ? 2 : COUNT(kinds)); ++k) {
            batch b = batch_make(kinds[k], orders[c], 1, all_types[(c + k) % 4], 11);
            solve(ctx, NULL, &b);
            certify_vectors(kinds[k], &b, 0, 4);
            if (orders[c] <= 129) certify_values(kinds[k], &b, 0);
            solve_part(ctx, NULL, &b, (placement){.values_only = true}, 0, 1);
            if (orders[c] <= 129) certify_values(kinds[k], &b, 0);
            batch_free(&b);
        }
    eig_destroy(ctx);
}

/* Rows and columns of T = tridiag(e, d, e): what divide and conquer finds hard, since much deflates, or nearly. */
typedef void tridiagonal(int64_t n, double *d, double *e);

/* Wilkinson's W21+ many times, glued: clusters of as many eigenvalues as there are copies. */
static void glued(int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = fabs(10 - (double)(i % 21)), e[i] = i % 21 == 20 ? 0x1p-30 : 1;
}

static void second_difference(int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = 2, e[i] = -1;
}

/* Blocks that are not joined, of unequal length, some of them equal. */
static void split(int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = (double)(i % 7), e[i] = i % 13 == 3 || i % 32 == 31 || i == n / 2 ? 0 : 0.5;
}

/* One number many times, joined by almost nothing. */
static void nearly_equal(int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = 1, e[i] = ldexp(1, -20 - (int)(i % 40));
}

static void graded(int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = ldexp(1, (int)(-i / 2)), e[i] = ldexp(1, (int)(-i / 2) - 1);
}

/* The other way round, and so that e is larger than d. */
static void graded_upwards(int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = ldexp(1, (int)(i - n)), e[i] = ldexp(1, (int)(i - n) + 3);
}

/* Two eigenvalues 1e-15 apart to each that has d[i]. */
static void pairs(int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = (double)(i / 2), e[i] = i % 2 ? 0x1p-26 : 0x1p-50;
}

static void test_tridiagonals(void **state)
{
    static tridiagonal *const kinds[] = {glued, second_difference, split, nearly_equal, graded, graded_upwards, pairs};
    static const int64_t orders[] = {65, 100, 128, 129, 256, 300};
    double d[300], e[300];
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 4 * COUNT(orders) * COUNT(kinds); ++c) {
        int64_t const n = orders[c / 4 % COUNT(orders)];
        int const t = (int)(c % 4);
        if (n > 129 && t != (int)(c / 4 % 7 % 4)) continue; /* seconds */
        eig_type const type = all_types[t];
        bool const is_complex = type_is_complex(type);
        int const power = (int)(c % 3 - 1) * (type_is_single(type) ? 60 : 900);
        batch b = batch_new(n, 1, type);
        long double exact[2][300];
        kinds[c / 4 / COUNT(orders)](n, d, e);
        for (int64_t i = 0; i < n; ++i) {
            double const beside = ldexp(e[i], power);
            numbers_put_part(&b.a, (i * n + i) * (is_complex ? 2 : 1), ldexp(d[i], power));
            exact[0][i] = numbers_re(&b.a, i * n + i);
            if (i + 1 == n) continue;
            /* In a complex type what is beside the diagonal is imaginary: the spectrum is the same. */
            int64_t const below = (i + 1) * n + i, above = i * n + i + 1;
            numbers_put_part(&b.a, is_complex ? 2 * below + 1 : below, beside);
            numbers_put_part(&b.a, is_complex ? 2 * above + 1 : above, is_complex ? -beside : beside);
            exact[1][i] = is_complex ? numbers_im(&b.a, below) : numbers_re(&b.a, below);
        }
        for (int values_only = 0; values_only < 2; ++values_only) {
            solve_part(ctx, NULL, &b, (placement){.values_only = values_only}, 0, 1);
            if (!values_only) certify_vectors("tridiagonal", &b, 0, 4);
            hermitian const h = {.n = n, .d = exact[0], .e = exact[1]};
            long double const most =
                fmaxl(fabsl((long double)numbers_re(&b.w, 0)), fabsl((long double)numbers_re(&b.w, n - 1)));
            for (int64_t k = 0; k < n; ++k)
                if (!hermitian_holds(&h, k + 1, numbers_re(&b.w, k),
                                     4 * (long double)n * (long double)type_eps(type) * most))
                    fail_msg("kind %d n=%lld %s: eigenvalue %lld is not %g", (int)(c / 4 / COUNT(orders)), (long long)n,
                             type_name(type), (long long)k, numbers_re(&b.w, k));
        }
        batch_free(&b);
    }
    eig_destroy(ctx);
}

static void test_instruction_sets(void **state)
{
    static const char *const sets[] = {"avx2", "avx512"}; /* a machine that has but one of them shows nothing */
    (void)state;
    const char *const before = getenv("EIG_CPU");
    char saved[40] = "";
    if (before) snprintf(saved, sizeof saved, "%s", before);
    for (int c = 0; c < 16; ++c) {
        batch result[2];
        bool solved[2];
        for (int k = 0; k < 2; ++k) {
            result[k] = batch_make(c % 8 < 4 ? "ensemble" : "clustered",
                                   c < 4    ? 70
                                   : c < 8  ? 101
                                   : c < 12 ? 259
                                            : 523,
                                   1, all_types[c % 4], 5);
            assert_int_equal(setenv("EIG_CPU", sets[k], 1), 0);
            eig_context *ctx;
            solved[k] = eig_create(&ctx, "cpu") == EIG_OK;
            if (solved[k]) solve(ctx, NULL, &result[k]);
            eig_destroy(ctx);
        }
        if (solved[0] && solved[1])
            assert_true(numbers_same(&result[0].w, &result[1].w) && numbers_same(&result[0].v, &result[1].v));
        batch_free(&result[0]), batch_free(&result[1]);
    }
    assert_int_equal(before ? setenv("EIG_CPU", saved, 1) : unsetenv("EIG_CPU"), 0);
}

static void same_as(const batch *x, const batch *y, int threads, bool vectors)
{
    for (int64_t m = 0; m < x->count; ++m) assert_int_equal(x->info[m], y->info[m]);
    if (!numbers_same(&x->w, &y->w) || (vectors && !numbers_same(&x->v, &y->v)))
        fail_msg("n=%lld %s: other bits with %d threads", (long long)x->n, type_name(x->type), threads);
}

/* From n = 512 on threads share what is left of a batch where each has had as many matrices; the last matrix is not finite. */
static void test_together(void **state)
{
    static const char *const kinds[] = {"hermitian", "clustered", "geometric", "rank-one"};
    (void)state;
    for (int c = 0; c < 5; ++c) {
        int64_t const n = c < 4 ? 512 : 521, count = c == 4 ? 3 : 1;
        batch one = batch_make(kinds[c % 4], n, count, all_types[(c + c / 4) % 4], 5);
        if (count > 1) numbers_put_part(&one.a, (count * n * n - 1) * (type_is_complex(one.type) ? 2 : 1), NAN);
        batch more = batch_make(kinds[c % 4], n, count, one.type, 5),
              values = batch_make(kinds[c % 4], n, count, one.type, 5);
        if (count > 1) numbers_put_part(&more.a, (count * n * n - 1) * (type_is_complex(one.type) ? 2 : 1), NAN);
        if (count > 1) numbers_put_part(&values.a, (count * n * n - 1) * (type_is_complex(one.type) ? 2 : 1), NAN);
        for (int threads = 1; threads <= (c == 0 ? 5 : 3); ++threads) {
            eig_context *const ctx = test_context(threads);
            solve(ctx, NULL, threads == 1 ? &one : &more);
            if (threads > 1) same_as(&one, &more, threads, true);
            solve_part(ctx, NULL, threads == 1 ? &values : &more, (placement){.values_only = true}, 0, count);
            if (threads > 1) same_as(&values, &more, threads, false);
            eig_destroy(ctx);
        }
        batch_free(&values);
        if (count > 1)
            assert_int_equal(one.info[count - 1], EIG_INFO_NOT_FINITE);
        else
            certify_vectors(kinds[c % 4], &one, 0, 4);
        batch_free(&one), batch_free(&more);
    }
}

/* A NaN on the diagonal, in any part of a matrix that threads share: at the beginning, in the middle, at the end. */
static void test_not_finite_together(void **state)
{
    enum { N = 514 };
    static int64_t const places[] = {0, N / 2 * (N + 1), N * N - 1};
    (void)state;
    eig_context *const ctx = test_context(3);
    for (size_t k = 0; k < 2 * COUNT(places); ++k) {
        eig_type const type = all_types[k % 4];
        batch b = batch_make("hermitian", N, 1, type, 5);
        numbers_put_part(&b.a, places[k / 2] * (type_is_complex(type) ? 2 : 1), NAN);
        solve_part(ctx, NULL, &b, (placement){.values_only = k % 2 == 1}, 0, 1);
        assert_int_equal(b.info[0], EIG_INFO_NOT_FINITE);
        for (int64_t i = 0; i < N; ++i) assert_true(isnan(numbers_re(&b.w, i)));
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* Threads that share a matrix keep to the workspace that the query tells of. */
static void test_lent_together(void **state)
{
    enum { GUARD = 1 << 14 };
    (void)state;
    for (int c = 0; c < 4; ++c) {
        bool const vectors = c % 2;
        batch own = batch_make("hermitian", 512, 1, c < 2 ? EIG_S : EIG_C, 5);
        batch lent = batch_make("hermitian", 512, 1, own.type, 5);
        placement const p = {.values_only = !vectors};
        eig_context *const ctx = test_context(3);
        size_t bytes = 0;
        solve_part(ctx, NULL, &own, p, 0, 1);
        assert_int_equal(eig_heev_work_size(ctx, own.type, NULL, own.n, vectors, 1, &bytes), EIG_OK);
        unsigned char *const work = aligned_alloc(256, (bytes + GUARD + 255) / 256 * 256);
        assert_non_null(work);
        memset(work, 0xa5, bytes + GUARD);
        assert_int_equal(eig_set_workspace(ctx, work, bytes), EIG_OK);
        solve_part(ctx, NULL, &lent, p, 0, 1);
        same_as(&own, &lent, 3, vectors);
        for (int k = 0; k < GUARD; ++k) assert_int_equal(work[bytes + (size_t)k], 0xa5);
        free(work);
        eig_destroy(ctx);
        batch_free(&own), batch_free(&lent);
    }
}

/* With and without vectors: a stop in the midst of the matrix ends the call, and progress does not fall before. */
static void test_progress(void **state)
{
    enum { N = 900 };
    (void)state;
    batch b = batch_make("ensemble", N, 1, EIG_Z, 5);
    for (int c = 0; c < 4; ++c) {
        int const vectors = c % 2;
        eig_context *const ctx = test_context(c < 2 ? 1 : 3);
        double last = 0;
        assert_int_equal(eig_set_progress(ctx, progress_rises, &last), EIG_OK);
        solve_part(ctx, NULL, &b, (placement){.values_only = !vectors}, 0, 1);
        assert_true(last == 1);
        last = 0;
        assert_int_equal(eig_set_progress(ctx, progress_stops, &last), EIG_OK);
        eig_status const status = eig_heev_batched(ctx, EIG_Z, NULL, N, b.a.data, N, N * N, NULL, b.w.data, N,
                                                   vectors ? b.v.data : NULL, N, N * N, NULL, NULL, 1);
        assert_int_equal(status, EIG_CANCELLED);
        assert_true(last > 0 && last < 1);
        eig_destroy(ctx);
    }
    batch_free(&b);
}

/* Two matrices that four threads share, one after the other: together they are the whole. */
static void test_progress_of_two(void **state)
{
    (void)state;
    batch b = batch_make("ensemble", 700, 2, EIG_D, 5);
    eig_context *const ctx = test_context(4);
    double last = 0;
    assert_int_equal(eig_set_progress(ctx, progress_rises, &last), EIG_OK);
    solve(ctx, NULL, &b);
    assert_true(last == 1);
    eig_destroy(ctx);
    batch_free(&b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_tridiagonals),
        cmocka_unit_test(test_instruction_sets),
        cmocka_unit_test(test_together),
        cmocka_unit_test(test_lent_together),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_not_finite_together),
        cmocka_unit_test(test_progress_of_two),
    };
    if (!test_device_answers(argc, argv) || !heev_answers()) return 77;
    return cmocka_run_group_tests_name("heev, large matrices", tests, NULL, NULL);
}
