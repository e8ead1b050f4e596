/* stemr on the device named by the argument: every vector has the sign that is promised, whatever computed it, so that it depends
 * neither on the number of matrices nor on rounding.  `small` behind the device: few orders, for an emulated GPU. */
#include "support/gauge.h"
#include "support/stemr_fixture.h"

static bool small;

static eig_stemr_method const methods[] = {EIG_STEMR_AUTO, EIG_STEMR_MRRR, EIG_STEMR_REFERENCE};

static void expect_all(const char *name, const fixture *f)
{
    for (int64_t k = 0; k < f->m; ++k) {
        gauge_vector const x = {&f->z, f->n, k * f->ldz, 1};
        expect_gauge(name, k, &x);
    }
}

/* All, or a range by index or by value. */
static void check(eig_context *ctx, const char *name, fixture *f, eig_stemr_method method)
{
    static eig_range const ranges[] = {EIG_RANGE_ALL, EIG_RANGE_INDEX, EIG_RANGE_VALUE};
    for (int r = 0; r < 3; ++r) {
        eig_stemr_options o = EIG_STEMR_OPTIONS;
        if (r > 0 && method == EIG_STEMR_REFERENCE) continue; /* it takes the time of all */
        o.method = method, o.range = ranges[r];
        if (r == 1) o.il = f->n / 3 + 1, o.iu = f->n - f->n / 4;
        if (r == 2) o.vl = -0.1 * f->norm, o.vu = 0.3 * f->norm;
        if (r == 2 && !(o.vl < o.vu)) continue;
        solve(ctx, &o, f);
        expect_all(name, f);
    }
}

static void test_rule(void **state)
{
    static const int64_t longer[] = {100, 200, 300};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int64_t at = 1; at <= 73; at += small && at > 10 ? 9 : 1) {
        int64_t const n = at <= 70 ? at : longer[at - 71];
        for (int c = 0; c < 6; ++c) {
            if (methods[c / 2] == EIG_STEMR_REFERENCE && n % 8 != 1) continue;
            fixture f = make("uniform", n, real_types[c % 2]);
            check(ctx, "uniform", &f, methods[c / 2]);
            drop(&f);
        }
    }
    eig_destroy(ctx);
}

/* Clusters: trees, pencils, inverse iteration. */
static void test_families(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t k = 0; k < COUNT(families); ++k)
        for (int c = 0; c < 6; ++c) {
            bool const plain = methods[c / 2] == EIG_STEMR_REFERENCE;
            fixture f = make_family(k, small || plain ? 64 : 210, real_types[c % 2]);
            if (fits(&f)) check(ctx, families[k].name, &f, methods[c / 2]);
            drop(&f);
        }
    eig_destroy(ctx);
}

/* sin((i+1) (k+1) pi / (n+1)) times (-1)^i for w descending: of tridiag(1, 2, 1), whose w ascend. */
static double sine(int64_t n, int64_t i, int64_t k)
{
    long double const pi = 3.14159265358979323846264338327950288L;
    return (double)sinl((long double)((i + 1) * (n - k)) * pi / (long double)(n + 1));
}

static void expect_sine(const fixture *f, int64_t k)
{
    int64_t const n = f->n;
    double most = 0, dot = 0, part = 1 - 0x1p-10;
    int64_t lead = 0;
    for (int64_t i = 0; i < n; ++i) most = fmax(most, fabs(sine(n, i, k)));
    while (fabs(sine(n, lead, k)) < part * most) ++lead;
    if (fabs(fabs(sine(n, lead, k)) - part * most) < 1e-4 * most) return; /* rounding may choose here */
    for (int64_t i = 0; i < n; ++i) dot += sine(n, i, k) * z_of(f, i, k);
    if (!((sine(n, lead, k) < 0 ? -dot : dot) > 0))
        fail_msg("n = %lld, %s: vector %lld has the other sign", (long long)n, type_name(f->type), (long long)k);
}

static void test_toeplitz(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int64_t n = 2; n <= 200; n += small && n > 10 ? 19 : n < 70 ? 1 : 11)
        for (int c = 0; c < 6; ++c) {
            fixture f = {.type = real_types[c % 2], .n = n};
            if (type_is_single(f.type) && n > 24) continue; /* its vectors have no digits below 2^-10 */
            if (n % 16 != 0 && methods[c / 2] == EIG_STEMR_REFERENCE) continue;
            f.plain_d = calloc((size_t)n + 1, sizeof(double)), f.plain_e = calloc((size_t)n + 1, sizeof(double));
            for (int64_t i = 0; i < n; ++i) f.plain_d[i] = 2, f.plain_e[i] = 1;
            take(&f);
            eig_stemr_options o = EIG_STEMR_OPTIONS;
            o.method = methods[c / 2];
            solve(ctx, &o, &f);
            expect_all("tridiag(1, 2, 1)", &f);
            for (int64_t k = 0; k < n; ++k) expect_sine(&f, k);
            drop(&f);
        }
    eig_destroy(ctx);
}

/* A batch, against its matrices alone: every vector whose eigenvalue is apart. */
static void check_batch(eig_context *ctx, int64_t n, int64_t count, eig_type type)
{
    numbers d, e, w, z, w1, z1;
    matrices_rng rng = matrices_seed((uint64_t)n);
    if (!numbers_make(&d, type, n * count) || !numbers_make(&e, type, n * count) ||
        !numbers_make(&w, type, n * count) || !numbers_make(&z, type, n * n * count) || !numbers_make(&w1, type, n) ||
        !numbers_make(&z1, type, n * n))
        fail_msg("no memory");
    for (int64_t k = 0; k < n * count; ++k) {
        numbers_put_part(&d, k, 2 * matrices_uniform(&rng) - 1);
        numbers_put_part(&e, k, 2 * matrices_uniform(&rng) - 1);
    }
    if (eig_stemr_batched(ctx, type, NULL, n, d.data, n, e.data, n, NULL, w.data, n, z.data, n, n * n, NULL, NULL, NULL,
                          NULL, NULL, count) != EIG_OK)
        fail_msg("%s", eig_error_detail(ctx));
    int64_t compared = 0;
    for (int64_t m = 0; m < count; m += count / 20 + 1) {
        if (eig_stemr(ctx, type, NULL, n, numbers_at(&d, m * n), numbers_at(&e, m * n), NULL, w1.data, z1.data, n, NULL,
                      NULL, NULL, NULL, NULL) != EIG_OK)
            fail_msg("%s", eig_error_detail(ctx));
        for (int64_t k = 0; k < n; ++k) {
            gauge_vector const x = {&z, n, (m * n + k) * n, 1}, y = {&z1, n, k * n, 1};
            double const here = numbers_re(&w1, k), left = k > 0 ? here - numbers_re(&w1, k - 1) : INFINITY;
            double const right = k + 1 < n ? numbers_re(&w1, k + 1) - here : INFINITY;
            double const error = 4 * (double)n * type_eps(type) / fmin(left, right);
            expect_gauge("batch", k, &x);
            if (!(error < 1e-3) || gauge_is_open(&x, error)) continue;
            if (!(gauge_apart(&x, &y) <= 0.02))
                fail_msg("n = %lld, %s: vector %lld of matrix %lld is %g from the same alone", (long long)n,
                         type_name(type), (long long)k, (long long)m, gauge_apart(&x, &y));
            ++compared;
        }
    }
    if (compared < 2 * n) fail_msg("n = %lld: %lld vectors compared", (long long)n, (long long)compared);
    numbers_free(&d), numbers_free(&e), numbers_free(&w), numbers_free(&z), numbers_free(&w1), numbers_free(&z1);
}

static void test_batches(void **state)
{
    static const int64_t orders[] = {2, 3, 8, 9, 16, 20, 31, 33, 64};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 2 * COUNT(orders); ++c) check_batch(ctx, orders[c / 2], small ? 20 : 500, real_types[c % 2]);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    small = argc > 2 && strcmp(argv[2], "small") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rule),
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_toeplitz),
        cmocka_unit_test(test_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
