/* heev on the device named by the argument: every vector has the sign or phase that is promised, whatever computed it, so that it
 * depends neither on the number of matrices nor on rounding.  `small` behind the device: few orders, for an emulated GPU; and so under
 * a sanitizer. */
#include "support/gauge.h"
#include "support/heev_fixture.h"
#include "support/sanitizer.h"

static bool small;

static eig_heev_method const methods[] = {EIG_HEEV_AUTO, EIG_HEEV_TRIDIAGONAL, EIG_HEEV_JACOBI, EIG_HEEV_REFERENCE};

static gauge_vector vector_of(const batch *b, int64_t m, int64_t k)
{
    return (gauge_vector){&b->v, b->n, m * b->n * b->n + k, b->n};
}

static void expect_all(const char *name, const batch *b)
{
    for (int64_t m = 0; m < b->count; ++m)
        for (int64_t k = 0; k < b->n; ++k) {
            gauge_vector const x = vector_of(b, m, k);
            if (b->info[m] != 0) fail_msg("%s: info = %d", name, b->info[m]);
            expect_gauge(name, k, &x);
        }
}

/* Orders of every road: all up to 70, then some. */
static int64_t next_order(int64_t n)
{
    static const int64_t few[] = {1, 2, 3, 4, 6, 7, 8, 9, 16, 17, 24, 31, 33, 40, 64, 66, 100, 130, 0};
    if (!small) return n < 70 ? n + 1 : n < 100 ? 100 : n < 300 ? n + 100 : 0;
    for (int k = 0;; ++k)
        if (few[k] > n || few[k] == 0) return few[k];
}

static void test_rule(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int64_t n = next_order(0); n > 0; n = next_order(n))
        for (int c = 0; c < 16; ++c) {
            eig_heev_options o = EIG_HEEV_OPTIONS;
            o.method = methods[c / 4];
            if (n > 70 && o.method >= EIG_HEEV_REFERENCE) continue;
            if (n > 100 && o.method == EIG_HEEV_JACOBI) continue;
            batch b = batch_make(n % 2 ? "ensemble" : "hermitian", n, 3, all_types[c % 4], (uint64_t)n);
            placement const p = {.row_major = (n + c) % 3 == 0, .pad = c % 2 ? 3 : 0, .in_place = n % 5 == 0};
            solve_part(ctx, &o, &b, p, 0, 3);
            expect_all("rule", &b);
            batch_free(&b);
        }
    eig_destroy(ctx);
}

/* By index, and one matrix alone. */
static void test_ranges(void **state)
{
    static const int64_t orders[] = {1, 2, 5, 8, 20, 33, 66, 130, 200};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 8 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 8], il = n / 3 + 1, iu = n - n / 4, count = iu - il + 1;
        eig_heev_options o = EIG_HEEV_OPTIONS;
        if (small && n > 70) continue;
        o.range = EIG_RANGE_INDEX, o.il = il, o.iu = iu, o.row_major = c % 2;
        batch b = batch_make("ensemble", n, 1, all_types[c / 2 % 4], c);
        int64_t const ldv = (o.row_major ? count : n) + 2;
        numbers v = numbers_room(b.type, ldv * n);
        if (eig_heev(ctx, b.type, &o, n, b.a.data, n, NULL, b.w.data, v.data, ldv, b.info, NULL) != EIG_OK)
            fail_msg("%s", eig_error_detail(ctx));
        for (int64_t k = 0; k < count; ++k) {
            gauge_vector const x = {&v, n, o.row_major ? k : k * ldv, o.row_major ? ldv : 1};
            expect_gauge("range", k, &x);
        }
        numbers_free(&v), batch_free(&b);
    }
    eig_destroy(ctx);
}

/* tridiag(1, 2, 1) with a phase e^(ij) in row j, and what its vectors are: those of the real one, sin(j k pi / (n+1)), times that. */
static batch toeplitz_new(int64_t n, int64_t count, eig_type type)
{
    batch b = batch_new(n, count, type);
    int const parts = type_is_complex(type) ? 2 : 1;
    numbers_fill(&b.a, 0);
    for (int64_t m = 0; m < count; ++m)
        for (int64_t i = 0; i < n; ++i) {
            int64_t const at = (m * n + i) * n + i;
            if (parts == 2) numbers_put_part(&b.a, 2 * at + 1, 0);
            numbers_put_part(&b.a, parts * at, 2);
            for (int64_t j = i - 1; j <= i + 1; j += 2) {
                if (j < 0 || j >= n) continue;
                numbers_put_part(&b.a, parts * (at + j - i), parts == 2 ? cos((double)(i - j)) : 1);
                if (parts == 2) numbers_put_part(&b.a, 2 * (at + j - i) + 1, sin((double)(i - j)));
            }
        }
    return b;
}

/* Component i of vector k, and the largest one's modulus. */
static long double sine(int64_t n, int64_t i, int64_t k)
{
    long double const pi = 3.14159265358979323846264338327950288L;
    return sinl((long double)((i + 1) * (n - k)) * pi / (long double)(n + 1)); /* w ascends */
}

static void expect_sine(const batch *b, int64_t m, int64_t k)
{
    int64_t const n = b->n;
    long double most = 0, squares = 0;
    for (int64_t i = 0; i < n; ++i) most = fmaxl(most, fabsl(sine(n, i, k)));
    int64_t lead = 0;
    while (fabsl(sine(n, lead, k)) < (1 - 0x1p-10L) * most) ++lead;
    if (fabsl(fabsl(sine(n, lead, k)) - (1 - 0x1p-10L) * most) < 1e-4L * most) return; /* rounding may choose here */
    for (int64_t i = 0; i < n; ++i) squares += sine(n, i, k) * sine(n, i, k);
    long double const scale = (sine(n, lead, k) < 0 ? -1 : 1) / sqrtl(squares);
    for (int64_t i = 0; i < n; ++i) {
        int64_t const at = (m * n + i) * n + k;
        long double const want = scale * sine(n, i, k), by = type_is_complex(b->type) ? (long double)(i - lead) : 0;
        long double const re = (long double)numbers_re(&b->v, at) - want * cosl(by);
        long double const im = type_is_complex(b->type) ? (long double)numbers_im(&b->v, at) - want * sinl(by) : 0;
        if (!(fabsl(re) + fabsl(im) <= 0.05L / sqrtl((long double)n)))
            fail_msg("n = %lld, %s, vector %lld: component %lld is %g, and not %Lg", (long long)n, type_name(b->type),
                     (long long)k, (long long)i, numbers_re(&b->v, at), want * cosl(by));
    }
}

/* Every vector has components of equal moduli and opposite signs, first and last. */
static void test_toeplitz(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int64_t n = 2; n <= (small ? 66 : 200); n += n < 70 && !small ? 1 : n < 12 ? 1 : 13)
        for (int c = 0; c < 12; ++c) {
            eig_heev_options o = EIG_HEEV_OPTIONS;
            o.method = methods[c / 4];
            if (type_is_single(all_types[c % 4]) && n > 24) continue; /* its vectors have no digits below 2^-10 */
            if (n > 70 && o.method == EIG_HEEV_JACOBI) continue;
            batch b = toeplitz_new(n, 2, all_types[c % 4]);
            solve(ctx, &o, &b);
            expect_all("tridiag(1, 2, 1)", &b);
            for (int64_t k = 0; k < n; ++k) expect_sine(&b, 0, k), expect_sine(&b, 1, k);
            batch_free(&b);
        }
    eig_destroy(ctx);
}

/* Eigenvalues that are equal: ones alone, and a block that is repeated. */
static void test_equal(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int64_t n = 1; n <= (small ? 40 : 129); n = n < 34 ? n + 1 : 3 * n / 2)
        for (int c = 0; c < 8; ++c) {
            eig_type const type = all_types[c / 2];
            batch b = batch_new(n, 2, type);
            numbers_fill(&b.a, 0);
            for (int64_t f = 0; f < 2 * n * n; ++f) {
                int64_t const i = f / n % n, j = f % n;
                double const x = c % 2 == 0 ? 1 : i / 3 != j / 3 ? 0 : i % 3 == j % 3 ? 1.0 + (double)(i % 3) : 0.5;
                numbers_put_part(&b.a, (type_is_complex(type) ? 2 : 1) * f, x);
                if (type_is_complex(type)) numbers_put_part(&b.a, 2 * f + 1, 0);
            }
            solve(ctx, NULL, &b);
            expect_all("equal", &b);
            for (int64_t i = 0; i < n && c % 2 == 0; ++i)
                if (!(numbers_re(&b.v, i * n + n - 1) > 0.9 / sqrt((double)n)))
                    fail_msg("n = %lld: the vector of ones has component %g", (long long)n,
                             numbers_re(&b.v, i * n + n - 1));
            batch_free(&b);
        }
    eig_destroy(ctx);
}

/* Vectors of matrix m, alone and in a batch, where eigenvalues are apart and no component lies at the border. */
static int64_t compare_alone(const batch *many, int64_t m, const batch *alone)
{
    int64_t const n = many->n;
    double const eps = type_eps(many->type), first = numbers_re(&many->w, m * n),
                 norm = fmax(fabs(first), fabs(numbers_re(&many->w, m * n + n - 1)));
    int64_t compared = 0;
    for (int64_t k = 0; k < n; ++k) {
        double const here = numbers_re(&many->w, m * n + k);
        double const left = k > 0 ? here - numbers_re(&many->w, m * n + k - 1) : INFINITY;
        double const right = k + 1 < n ? numbers_re(&many->w, m * n + k + 1) - here : INFINITY;
        double const error = 2 * (double)n * eps * norm / fmin(left, right);
        gauge_vector const x = vector_of(many, m, k), y = vector_of(alone, 0, k);
        if (!(error < 1e-3) || gauge_is_open(&x, error)) continue;
        if (!(gauge_apart(&x, &y) <= 0.02))
            fail_msg("n = %lld, %s: vector %lld of matrix %lld is %g from the same alone", (long long)n,
                     type_name(many->type), (long long)k, (long long)m, gauge_apart(&x, &y));
        ++compared;
    }
    return compared;
}

static void test_alone(void **state)
{
    static const int64_t orders[] = {2, 3, 5, 8, 16, 20, 33, 64, 130};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 4 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 4], count = n > 70 ? 40 : 500, step = count / 20;
        if (small && n > 20) continue;
        if (type_is_single(all_types[c % 4]) && n > 70) continue; /* too few eigenvalues are apart */
        batch b = batch_make("ensemble", n, count, all_types[c % 4], 77), alone = batch_new(n, 1, b.type);
        int64_t compared = 0, all = 0;
        solve(ctx, NULL, &b);
        for (int64_t m = 0; m < count; m += step, all += n) {
            memcpy(alone.a.data, numbers_at(&b.a, m * n * n), (size_t)(n * n) * type_size(b.type));
            solve(ctx, NULL, &alone);
            compared += compare_alone(&b, m, &alone);
        }
        if (2 * compared < all) fail_msg("n = %lld: %lld of %lld", (long long)n, (long long)compared, (long long)all);
        batch_free(&b), batch_free(&alone);
    }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    small = ADDRESS_SANITIZED || (argc > 2 && strcmp(argv[2], "small") == 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rule),  cmocka_unit_test(test_ranges), cmocka_unit_test(test_toeplitz),
        cmocka_unit_test(test_equal), cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
