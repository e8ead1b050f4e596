/* stebz on the device named by the argument: counts, batches, refused arguments, progress, and where the workspace
 * ends. What is the same for every family: test_calls.c. */
#include "support/stebz_fixture.h"

static void test_count(void **state)
{
    (void)state;
    enum { N = 500, M = 333 };
    eig_context *ctx = test_context(2);
    for (int t = 0; t < 2; ++t) {
        fixture f = make("harper", N, 2, real_types[t]);
        numbers x;
        int64_t count[M];
        int info = 5;
        assert_true(numbers_make(&x, f.type, M));
        numbers_random(&x, 4);
        for (int64_t j = 0; j < M; ++j) numbers_put_part(&x, j, 9 * numbers_part(&x, j) - 4.5);
        numbers_put_part(&x, 0, -INFINITY), numbers_put_part(&x, 1, INFINITY);
        assert_int_equal(eig_stebz_count(ctx, f.type, N, f.d.data, f.e.data, M, x.data, count, &info), EIG_OK);
        assert_true(info == EIG_INFO_OK && count[0] == 0 && count[1] == N);
        for (int64_t j = 2; j < M; ++j)
            assert_int_equal(count[j], reference_count(N, f.t.d, f.t.e, numbers_part(&x, j)));
        numbers_free(&x);
        drop(&f);
    }
    double const d[] = {1, 1e300, -1e300, 1e-10}, e[] = {0, 0, 0}, at[] = {-1e300, 1e-10, 1, 1.5, 1e300};
    static const int64_t exactly[] = {0, 1, 2, 3, 3};
    int64_t count[5];
    assert_int_equal(eig_dstebz_count(ctx, 4, d, e, 5, at, count, NULL), EIG_OK);
    for (int j = 0; j < 5; ++j) assert_int_equal(count[j], exactly[j]);
    /* -1e-200, 1e-200 and 1: squares underflow, and the 1 keeps the matrix from being scaled */
    double const near_zero[] = {0, 0, 1}, tiny[] = {1e-200, 0}, around[] = {-2e-200, -5e-201, 5e-201, 2e-200};
    static const int64_t below[] = {0, 1, 1, 2};
    assert_int_equal(eig_dstebz_count(ctx, 3, near_zero, tiny, 4, around, count, NULL), EIG_OK);
    for (int j = 0; j < 4; ++j) assert_int_equal(count[j], below[j]);
    /* 5e-324 and about -1e300, 1e300: where T is scaled, only the row that stands alone is counted by its own entry */
    double const least[][3] = {{5e-324, 5e-324, 0}, {0, 5e-324, 5e-324}}, large[][2] = {{0, 1e300}, {1e300, 0}};
    double const beside[] = {-1, 0, 5e-324, 1e-323};
    static const int64_t of_three[] = {1, 1, 1, 2};
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(eig_dstebz_count(ctx, 3, least[k], large[k], 4, beside, count, NULL), EIG_OK);
        for (int j = 0; j < 4; ++j) assert_int_equal(count[j], of_three[j]);
    }
    eig_destroy(ctx);
}

/* On a diagonal T the count is exact, however its entries' sizes differ, and as near 0 as a shift may be. */
static void test_count_of_diagonals(void **state)
{
    (void)state;
    static double const rows[][6] = {
        {0, 1, 0, 1, 0, 1},
        {1e-150, 1e200, -1e-150, 3e-150, 1, -1e200},
        {1.7e308, -1.7e308, 5e-324, -5e-324, 0, 1e-300},
        {5e-324, -5e-324, -0.0, 1e-323, -1e-323, 0},
        {0, 1e290, -1e290, -0.0, 3e290, 0}, /* small shifts alone are lost where T is scaled */
        {3e38, 1e-45, 0, -1e-45, 3e-45, -3e38},
        {1e-39, 1e30, 2e-39, -1e-39, 1e-44, 0},
    };
    enum { N = 6, M = 3 * N + 4 };
    eig_context *ctx = test_context(2);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k)
        for (int t = 0; t < 2; ++t) {
            fixture f = make("uniform", N, 1, real_types[t]);
            memcpy(f.t.d, rows[k], sizeof rows[k]), memset(f.t.e, 0, (N - 1) * sizeof(double));
            take(&f);
            numbers x;
            int64_t count[M];
            assert_true(numbers_make(&x, f.type, M));
            static double const fixed[] = {0, 2e-150, 5e-324, 2e-45};
            for (int j = 0; j < M; ++j) {
                double const at = f.t.d[j / 3 % N], away = j % 3 == 1 ? -INFINITY : INFINITY;
                double const beside =
                    type_is_single(f.type) ? (double)nextafterf((float)at, (float)away) : nextafter(at, away);
                numbers_put_part(&x, j, j >= 3 * N ? fixed[j - 3 * N] : j % 3 == 0 ? at : beside);
            }
            if (fits(&f)) {
                assert_int_equal(eig_stebz_count(ctx, f.type, N, f.d.data, f.e.data, M, x.data, count, NULL), EIG_OK);
                for (int j = 0; j < M; ++j) {
                    int64_t below = 0;
                    for (int i = 0; i < N; ++i) below += f.t.d[i] < numbers_part(&x, j);
                    if (count[j] != below)
                        fail_msg("%s, row %d: %lld eigenvalues below %.17g, not %lld", type_name(f.type), (int)k,
                                 (long long)count[j], numbers_part(&x, j), (long long)below);
                }
            }
            numbers_free(&x);
            drop(&f);
        }
    eig_destroy(ctx);
}

static void test_batched(void **state)
{
    (void)state;
    enum { N = 37, BATCH = 21, LD = 40 };
    static double d[BATCH * LD], e[BATCH * LD], w[BATCH * LD], alone[N];
    int info[BATCH];
    eig_context *ctx = test_context(2);
    for (int b = 0; b < BATCH; ++b) {
        fixture f = make(b % 2 ? "uniform" : "wilkinson", N, (uint64_t)b, EIG_D);
        for (int i = 0; i < N; ++i) d[b * LD + i] = f.t.d[i], e[b * LD + i] = i + 1 < N ? f.t.e[i] : NAN;
        drop(&f);
    }
    e[5 * LD + 30] = NAN, d[9 * LD] = INFINITY;
    for (int i = 0; i < BATCH * LD; ++i) w[i] = 55;
    assert_int_equal(eig_dstebz_batched(ctx, NULL, N, d, LD, e, LD, w, NULL, NULL, LD, info, BATCH), EIG_OK);
    for (int b = 0; b < BATCH; ++b) {
        bool const bad = b == 5 || b == 9;
        assert_int_equal(info[b], bad ? EIG_INFO_NOT_FINITE : EIG_INFO_OK);
        assert_true(w[b * LD + N] == 55); /* nothing between the matrices is touched */
        if (bad) {
            for (int i = 0; i < N; ++i) assert_true(isnan(w[b * LD + i]));
            continue;
        }
        assert_int_equal(eig_dstebz(ctx, NULL, N, d + b * LD, e + b * LD, NULL, alone, NULL, NULL, NULL), EIG_OK);
        for (int i = 0; i < N; ++i) assert_true(fabs(alone[i] - w[b * LD + i]) <= 64 * DBL_EPSILON * 4);
        if (test_on_cpu()) assert_memory_equal(alone, w + b * LD, sizeof alone);
    }
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    options.range = EIG_RANGE_INDEX, options.il = 2, options.iu = 4;
    assert_int_equal(eig_dstebz_batched(ctx, &options, N, d, LD, e, LD, w, NULL, NULL, 3, info, 2), EIG_OK);
    assert_int_equal(eig_dstebz(ctx, &options, N, d + LD, e + LD, NULL, alone, NULL, NULL, NULL), EIG_OK);
    for (int i = 0; i < 3; ++i) assert_true(fabs(alone[i] - w[3 + i]) <= 64 * DBL_EPSILON * 4);
    eig_destroy(ctx);
}

/* A diagonal T in float whose entries are a few large ones and many that scale to 0, of both signs: some count at 0 decides
 * where its eigenvalues lie, and +0 and -0 must count alike.  The same bits alone, where the table is dense around 0, and in a
 * batch. */
static void test_signed_zeros(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    static const char kind[] = "-A-++-+--++++B-+-+--+-++-++C+++-+--+--+++++--++-+-+++-+D--++++------++---";
    enum { N = sizeof kind - 1 };
    float d[2 * N], e[2 * N] = {0}, one[N], both[2 * N];
    int64_t m;
    int info[2];
    for (int i = 0; i < 2 * N; ++i) {
        char const c = kind[i % N];
        d[i] = c == 'A'   ? 0x1.01bdd6p+101f
               : c == 'B' ? 0x1.e003eap+95f
               : c == 'C' ? 0x1.cd023cp+114f
               : c == 'D' ? -0x1.770ffap+115f
               : c == '+' ? 0x1p-100f
                          : -0x1p-100f;
    }
    assert_int_equal(eig_sstebz(ctx, NULL, N, d, e, &m, one, NULL, NULL, info), EIG_OK);
    assert_int_equal(m, N);
    assert_int_equal(eig_sstebz_batched(ctx, NULL, N, d, N, e, N, both, NULL, NULL, N, info, 2), EIG_OK);
    assert_memory_equal(both, one, sizeof one);
    assert_memory_equal(both + N, one, sizeof one);
    eig_destroy(ctx);
}

/* Bounds of a batch hold its eigenvalues, for every method and both types; a bad matrix has NaN bounds. */
static void test_batched_enclosures(void **state)
{
    (void)state;
    enum { N = 60, BATCH = 5 };
    eig_context *ctx = test_context(2);
    for (int method = EIG_STEBZ_MULTISECTION; method <= EIG_STEBZ_REFERENCE; ++method)
        for (int t = 0; t < 2; ++t) {
            fixture f[BATCH];
            numbers d, e, w[3];
            int info[BATCH];
            assert_true(numbers_make(&d, real_types[t], N * BATCH) && numbers_make(&e, real_types[t], N * BATCH));
            for (int i = 0; i < 3; ++i) assert_true(numbers_make(&w[i], real_types[t], N * BATCH));
            for (int b = 0; b < BATCH; ++b) {
                f[b] = make(b % 2 ? "normal" : "glued", N, (uint64_t)b, real_types[t]);
                numbers_from(&d, b * N, f[b].t.d, N), numbers_from(&e, b * N, f[b].t.e, N - 1);
            }
            numbers_put_part(&d, 3 * N + 7, INFINITY);
            eig_stebz_options o = EIG_STEBZ_OPTIONS;
            o.method = (eig_stebz_method)method;
            assert_int_equal(eig_stebz_batched(ctx, real_types[t], &o, N, d.data, N, e.data, N, w[0].data, w[1].data,
                                               w[2].data, N, info, BATCH),
                             EIG_OK);
            for (int b = 0; b < BATCH; ++b) {
                numbers *const parts[] = {&f[b].w, &f[b].lower, &f[b].upper};
                for (int i = 0; i < 3; ++i)
                    memcpy(parts[i]->data, numbers_at(&w[i], b * N), N * type_size(real_types[t]));
                f[b].m = N;
                assert_int_equal(info[b], b == 3 ? EIG_INFO_NOT_FINITE : EIG_INFO_OK);
                if (b != 3) certify_enclosures("batch", &f[b], 1);
                for (int64_t i = 0; i < 3 * N && b == 3; ++i) assert_true(isnan(numbers_part(parts[i % 3], i / 3)));
                drop(&f[b]);
            }
            numbers_free(&d), numbers_free(&e);
            for (int i = 0; i < 3; ++i) numbers_free(&w[i]);
        }
    eig_destroy(ctx);
}

static void test_refused(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    double d[4] = {1, 2, 3, 4}, e[3] = {1, 1, 1}, w[4] = {55, 55, 55, 55};
    int64_t m = 9;
    eig_status const BAD = EIG_BAD_ARGUMENT;
#define REFUSED(text, ...) expect_refused(ctx, eig_dstebz(ctx, __VA_ARGS__, NULL, NULL, NULL), BAD, text)
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
#define WITH(text, ...)                       \
    o = (eig_stebz_options)EIG_STEBZ_OPTIONS; \
    __VA_ARGS__;                              \
    REFUSED(text, &o, 4, d, e, &m, w)
    WITH("size", o.size = 3);
    WITH("range", o.range = (eig_range)'X');
    WITH("il = 3, iu = 2", o.range = EIG_RANGE_INDEX, o.il = 3, o.iu = 2);
    WITH("il = 0", o.range = EIG_RANGE_INDEX, o.il = 0, o.iu = 2);
    WITH("iu = 5", o.range = EIG_RANGE_INDEX, o.il = 1, o.iu = 5);
    WITH("vl < vu", o.range = EIG_RANGE_VALUE, o.vl = 2, o.vu = 2);
    WITH("vl < vu", o.range = EIG_RANGE_VALUE, o.vl = NAN, o.vu = 2);
    WITH("abstol", o.abstol = -1);
    WITH("abstol", o.abstol = NAN);
    WITH("abstol", o.abstol = INFINITY);
    WITH("reltol", o.reltol = 1);
    WITH("reltol", o.reltol = -1);
    WITH("reltol", o.reltol = NAN);
    WITH("method", o.method = (eig_stebz_method)7);
    expect_refused(ctx, eig_dstebz(ctx, NULL, 4, d, e, &m, w, w, NULL, NULL), BAD, "lower and upper");
    expect_refused(ctx, eig_stebz(ctx, EIG_Z, NULL, 4, d, e, &m, w, NULL, NULL, NULL), BAD, "type = 122");
    assert_true(m == 9);
    for (int k = 0; k < 4; ++k) assert_true(w[k] == 55); /* a refused call has written nothing */
    o = (eig_stebz_options)EIG_STEBZ_OPTIONS;
    o.range = EIG_RANGE_VALUE, o.vu = 1;
    expect_refused(ctx, eig_dstebz_batched(ctx, &o, 4, d, 4, e, 3, w, NULL, NULL, 4, NULL, 1), BAD, "batch");
    assert_int_equal(eig_dstebz(ctx, NULL, 4, d, e, &m, w, NULL, NULL, NULL), EIG_OK);
    assert_string_equal(eig_error_detail(ctx), "");
    assert_int_equal(eig_dstebz(NULL, NULL, 4, d, e, &m, w, NULL, NULL, NULL), EIG_BAD_ARGUMENT);
    eig_destroy(ctx);
}

static int stop_at_once(void *user, double fraction)
{
    *(double *)user = fraction;
    return 1;
}

static void test_progress(void **state)
{
    (void)state;
    bool const cpu = test_on_cpu();
    int64_t const n = cpu ? 6000 : 250000;
    eig_context *ctx = test_context(0);
    fixture f = {.type = EIG_D};
    io_error error;
    assert_true(matrices_tridiagonal("uniform", n, 1, &f.t, &error));
    numbers w;
    assert_true(numbers_make(&w, EIG_D, n));
    double fraction = -1;
    assert_int_equal(eig_set_progress(ctx, stop_at_once, &fraction), EIG_OK);
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
    if (cpu) o.abstol = 1e-300; /* the pivot count: long enough to be interrupted */
    expect_refused(ctx, eig_dstebz(ctx, &o, n, f.t.d, f.t.e, NULL, w.data, NULL, NULL, NULL), EIG_CANCELLED,
                   "cancelled");
    assert_true(fraction >= 0 && fraction <= 1);
    int64_t count;
    if (cpu)
        expect_refused(ctx, eig_dstebz_count(ctx, n, f.t.d, f.t.e, 1, f.t.d, &count, NULL), EIG_CANCELLED, "cancelled");
    assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
    o = (eig_stebz_options)EIG_STEBZ_OPTIONS;
    o.range = EIG_RANGE_INDEX, o.il = o.iu = 1;
    assert_int_equal(eig_dstebz(ctx, &o, n, f.t.d, f.t.e, NULL, w.data, NULL, NULL, NULL), EIG_OK);
    numbers_free(&w);
    io_tridiagonal_free(&f.t);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count),        cmocka_unit_test(test_count_of_diagonals), cmocka_unit_test(test_batched),
        cmocka_unit_test(test_signed_zeros), cmocka_unit_test(test_batched_enclosures), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
