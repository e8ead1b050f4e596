/* What info says, on the device named by the argument: a NaN or an infinity in any argument of any function, sizes of
 * 0, info that is not wanted; and that a single call is a batch of one. */
#include "support/operations.h"

#include <math.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
static double const bad_values[] = {NAN, INFINITY, -INFINITY};

static void all_nan(const numbers *x, int64_t first, int64_t parts, const char *what)
{
    for (int64_t k = 0; k < parts; ++k)
        if (!isnan(numbers_part(x, first + k))) fail_msg("%s: output %lld is not NaN", what, (long long)k);
}

static numbers filled(eig_type type, int64_t count, double value)
{
    numbers x;
    if (!numbers_make(&x, type, count)) fail_msg("no memory");
    numbers_fill(&x, value);
    return x;
}

/* ------------------------------------------------------------------- stebz */

/* One bad entry at any place of d or e. */
static void test_stebz(void **state)
{
    static const int64_t orders[] = {1, 2, 7, 40, 600};
    (void)state;
    eig_context *ctx = test_context(2);
    for (size_t c = 0; c < 2 * COUNT(orders); ++c)
        for (int method = EIG_STEBZ_MULTISECTION; method <= EIG_STEBZ_REFERENCE; ++method)
            for (int turn = 0; turn < 9; ++turn) {
                eig_type const type = real_types[c % 2];
                int64_t const n = orders[c / 2], place = turn / 3 * (n - 1) / 2;
                numbers d = some(type, n), e = some(type, n), out[3];
                for (int i = 0; i < 3; ++i) out[i] = filled(type, n, 55);
                bool const in_e = n > 1 && turn % 2;
                numbers_put_part(in_e ? &e : &d, in_e && place == n - 1 ? n - 2 : place, bad_values[turn % 3]);
                eig_stebz_options o = EIG_STEBZ_OPTIONS;
                o.method = (eig_stebz_method)method;
                if (turn % 3 == 1) o.range = EIG_RANGE_VALUE, o.vl = -1, o.vu = 1;
                int64_t m = 9;
                int info = 9;
                bool const bounds = turn % 2;
                assert_int_equal(eig_stebz(ctx, type, &o, n, d.data, e.data, &m, out[0].data,
                                           bounds ? out[1].data : NULL, bounds ? out[2].data : NULL, &info),
                                 EIG_OK);
                assert_true(m == 0 && info == EIG_INFO_NOT_FINITE);
                for (int i = 0; i < (bounds ? 3 : 1); ++i) all_nan(&out[i], 0, n, "stebz");
                /* info need not be wanted, nor m where the range is not by value. */
                numbers_fill(&out[0], 55);
                assert_int_equal(eig_stebz(ctx, type, &o, n, d.data, e.data, o.range == EIG_RANGE_VALUE ? &m : NULL,
                                           out[0].data, NULL, NULL, NULL),
                                 EIG_OK);
                all_nan(&out[0], 0, n, "stebz without info");
                numbers_free(&d), numbers_free(&e);
                for (int i = 0; i < 3; ++i) numbers_free(&out[i]);
            }
    eig_destroy(ctx);
}

/* A range by index: w has room for iu-il+1, and no more is written. */
static void test_stebz_range(void **state)
{
    (void)state;
    eig_context *ctx = test_context(1);
    double d[6] = {1, 2, NAN, 4, 5, 6}, e[5] = {1, 1, 1, 1, 1}, w[4] = {55, 55, 55, 55};
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
    o.range = EIG_RANGE_INDEX, o.il = 2, o.iu = 4;
    for (int method = EIG_STEBZ_MULTISECTION; method <= EIG_STEBZ_REFERENCE; ++method) {
        int64_t m = 9;
        o.method = (eig_stebz_method)method;
        assert_int_equal(eig_dstebz(ctx, &o, 6, d, e, &m, w, NULL, NULL, NULL), EIG_OK);
        assert_true(m == 0 && isnan(w[0]) && isnan(w[2]) && w[3] == 55);
    }
    eig_destroy(ctx);
}

static void test_stebz_count(void **state)
{
    enum { N = 50, M = 9 };
    (void)state;
    eig_context *ctx = test_context(2);
    for (int turn = 0; turn < 6; ++turn) {
        eig_type const type = real_types[turn % 2];
        numbers d = some(type, N), e = some(type, N), x = some(type, M);
        int64_t count[M], right[M];
        int info = 9;
        assert_int_equal(eig_stebz_count(ctx, type, N, d.data, e.data, M, x.data, right, &info), EIG_OK);
        assert_int_equal(info, EIG_INFO_OK);
        /* A NaN among the shifts spoils its own count alone, wherever it stands. */
        for (int at = 0; at < M; ++at) {
            double const kept = numbers_part(&x, at);
            numbers_put_part(&x, at, NAN);
            info = 9;
            assert_int_equal(eig_stebz_count(ctx, type, N, d.data, e.data, M, x.data, count, &info), EIG_OK);
            assert_int_equal(info, EIG_INFO_NOT_FINITE);
            for (int j = 0; j < M; ++j) assert_int_equal(count[j], j == at ? -1 : right[j]);
            numbers_put_part(&x, at, kept);
        }
        /* Infinities are numbers here. */
        info = 9;
        numbers_put_part(&x, 3, NAN), numbers_put_part(&x, 4, INFINITY), numbers_put_part(&x, 5, -INFINITY);
        assert_int_equal(eig_stebz_count(ctx, type, N, d.data, e.data, M, x.data, count, &info), EIG_OK);
        assert_true(info == EIG_INFO_NOT_FINITE && count[3] == -1 && count[4] == N && count[5] == 0);
        for (int j = 0; j < M; ++j) assert_true((j >= 3 && j <= 5) || count[j] == right[j]);
        numbers_put_part(turn < 3 ? &d : &e, turn < 3 ? N - 1 : N - 2, bad_values[turn % 3]);
        info = 9;
        assert_int_equal(eig_stebz_count(ctx, type, N, d.data, e.data, M, x.data, count, &info), EIG_OK);
        for (int j = 0; j < M; ++j) assert_int_equal(count[j], -1);
        assert_int_equal(info, EIG_INFO_NOT_FINITE);
        assert_int_equal(eig_stebz_count(ctx, type, N, d.data, e.data, M, x.data, count, NULL), EIG_OK);
        numbers_free(&d), numbers_free(&e), numbers_free(&x);
    }
    eig_destroy(ctx);
}

/* -------------------------------------------------------------------- geev */

static void test_geev(void **state)
{
    static const int64_t orders[] = {1, 2, 5, 13, 17, 64, 70};
    enum { BATCH = 9, BAD = 4 };
    (void)state;
    eig_context *ctx = test_context(2);
    for (size_t c = 0; c < 2 * COUNT(orders); ++c)
        for (int turn = 0; turn < 6; ++turn) {
            eig_type const type = real_types[c % 2];
            int64_t const n = orders[c / 2], square = n * n, place = turn * (square - 1) / 5;
            numbers a = some(type, BATCH * square), w = filled(type_complex(type), BATCH * n, 55);
            numbers one = filled(type_complex(type), n, 55);
            int info[BATCH], alone = 9;
            eig_geev_options o = EIG_GEEV_OPTIONS;
            o.method = turn % 2 ? EIG_GEEV_REFERENCE : EIG_GEEV_AUTO;
            numbers_put_part(&a, BAD * square + place, bad_values[turn % 3]);
            assert_int_equal(eig_geev_batched(ctx, type, &o, n, a.data, n, square, w.data, n, NULL, 0, 0, NULL, 0, 0,
                                              NULL, info, BATCH),
                             EIG_OK);
            for (int b = 0; b < BATCH; ++b) assert_int_equal(info[b], b == BAD ? EIG_INFO_NOT_FINITE : EIG_INFO_OK);
            all_nan(&w, 2 * BAD * n, 2 * n, "geev_batched");
            assert_true(isfinite(numbers_part(&w, 2 * (BAD - 1) * n)) && isfinite(numbers_part(&w, 2 * (BAD + 1) * n)));
            assert_int_equal(
                eig_geev(ctx, type, &o, n, numbers_at(&a, BAD * square), n, one.data, NULL, 0, NULL, 0, NULL, &alone),
                EIG_OK);
            all_nan(&one, 0, 2 * n, "geev");
            assert_int_equal(alone, EIG_INFO_NOT_FINITE);
            assert_int_equal(
                eig_geev(ctx, type, &o, n, numbers_at(&a, BAD * square), n, one.data, NULL, 0, NULL, 0, NULL, NULL),
                EIG_OK);
            numbers_free(&a), numbers_free(&w), numbers_free(&one);
        }
    eig_destroy(ctx);
}

/* A bad term spoils all points, a bad parameter its own point. */
static void test_geev_affine(void **state)
{
    enum { N = 6, M = 2, POINTS = 12 };
    (void)state;
    eig_context *ctx = test_context(2);
    for (int turn = 0; turn < 6; ++turn) {
        eig_type const type = real_types[turn % 2];
        numbers a = some(type, (M + 1) * N * N), x = some(type, M * POINTS), value = filled(type, POINTS, 55);
        numbers w = filled(type_complex(type), N * POINTS, 55);
        int info[POINTS];
        if (turn < 3)
            numbers_put_part(&a, 2 * N * N - 1, bad_values[turn]);
        else
            numbers_put_part(&x, M * 5 + 1, bad_values[turn - 3]);
        assert_int_equal(eig_geev_affine(ctx, type, NULL, N, M, a.data, N, N * N, x.data, M, w.data, N,
                                         EIG_GEEV_ABSCISSA, value.data, info, POINTS),
                         EIG_OK);
        for (int p = 0; p < POINTS; ++p) {
            bool const bad = turn < 3 || p == 5;
            assert_int_equal(info[p], bad ? EIG_INFO_NOT_FINITE : EIG_INFO_OK);
            assert_true(bad ? isnan(numbers_part(&value, p)) : isfinite(numbers_part(&value, p)));
            if (bad) all_nan(&w, 2 * p * N, 2 * N, "geev_affine");
        }
        numbers_free(&a), numbers_free(&x), numbers_free(&value), numbers_free(&w);
    }
    eig_destroy(ctx);
}

/* -------------------------------------------------------------------- heev */

/* One bad part of an entry of the triangle that is read; of the diagonal only the real part is. */
static void test_heev(void **state)
{
    static const int64_t orders[] = {1, 2, 3, 5, 13, 32, 33, 64, 70};
    static eig_type const types[] = {EIG_S, EIG_D, EIG_C, EIG_Z};
    static const eig_heev_method methods[] = {EIG_HEEV_AUTO, EIG_HEEV_JACOBI, EIG_HEEV_REFERENCE};
    enum { BATCH = 9, BAD = 4 };
    (void)state;
    eig_context *ctx = test_context(2);
    for (size_t c = 0; c < 4 * COUNT(orders); ++c)
        for (int turn = 0; turn < 6; ++turn) {
            eig_type const type = types[c % 4];
            int64_t const n = orders[c / 4], square = n * n, parts = type_is_complex(type) ? 2 : 1;
            int64_t const row = turn * (n - 1) / 5, column = turn % 2 ? row / 2 : row;
            numbers a = some(type, BATCH * square), w = filled(type_real(type), BATCH * n, 55);
            numbers v = filled(type, BATCH * square, 55);
            int info[BATCH];
            bool const vectors = turn % 3 != 2;
            eig_heev_options o = EIG_HEEV_OPTIONS;
            o.method = methods[turn % 3];
            int64_t const place = BAD * square + row + column * n, above = BAD * square + (n - 1) * n;
            numbers_put_part(&a, parts * place + (row != column ? parts - 1 : 0), bad_values[turn % 3]);
            for (int b = 0; b < BATCH && n > 1; ++b) /* what is not read may be anything */
                numbers_put_part(&a, parts * (above + (b - BAD) * square), NAN);
            assert_int_equal(eig_heev_batched(ctx, type, &o, n, a.data, n, square, NULL, w.data, n,
                                              vectors ? v.data : NULL, n, square, info, NULL, BATCH),
                             EIG_OK);
            for (int b = 0; b < BATCH; ++b) assert_int_equal(info[b], b == BAD ? EIG_INFO_NOT_FINITE : EIG_INFO_OK);
            all_nan(&w, BAD * n, n, "heev");
            if (vectors) all_nan(&v, parts * BAD * square, parts * square, "vectors of heev");
            for (int b = BAD - 1; b <= BAD + 1; b += 2) {
                assert_true(isfinite(numbers_part(&w, b * n)) && isfinite(numbers_part(&w, (b + 1) * n - 1)));
                assert_true(!vectors || isfinite(numbers_part(&v, parts * b * square)));
            }
            numbers_fill(&w, 55);
            assert_int_equal(eig_heev_batched(ctx, type, &o, n, numbers_at(&a, BAD * square), n, square, NULL, w.data,
                                              n, NULL, 0, 0, NULL, NULL, 1),
                             EIG_OK);
            all_nan(&w, 0, n, "heev without info");
            numbers_free(&a), numbers_free(&w), numbers_free(&v);
        }
    eig_destroy(ctx);
}

/* A single call has the bits of a batch of one, and of a batch in which it has neighbours. */
static void test_single_is_batch(void **state)
{
    static const int64_t orders[] = {1, 2, 3, 8, 13, 14, 30, 64, 70};
    (void)state;
    eig_context *ctx = test_context(2);
    for (size_t c = 0; c < 2 * COUNT(orders); ++c)
        for (int reference = 0; reference < 2; ++reference) {
            eig_type const type = real_types[c % 2];
            int64_t const n = orders[c / 2];
            numbers a = some(type, 3 * n * n), w[3];
            int info[5] = {9, 9, 9, 9, 9};
            eig_geev_options o = EIG_GEEV_OPTIONS;
            o.method = reference ? EIG_GEEV_REFERENCE : EIG_GEEV_AUTO;
            for (int i = 0; i < 3; ++i) w[i] = filled(type_complex(type), 3 * n, 55);
            assert_int_equal(eig_geev(ctx, type, &o, n, a.data, n, w[0].data, NULL, 0, NULL, 0, NULL, &info[0]),
                             EIG_OK);
            assert_int_equal(eig_geev_batched(ctx, type, &o, n, a.data, n, 0, w[1].data, 0, NULL, 0, 0, NULL, 0, 0,
                                              NULL, &info[1], 1),
                             EIG_OK);
            assert_int_equal(eig_geev_batched(ctx, type, &o, n, a.data, n, n * n, w[2].data, n, NULL, 0, 0, NULL, 0, 0,
                                              NULL, &info[2], 3),
                             EIG_OK);
            for (int i = 0; i < 5; ++i) assert_int_equal(info[i], 0);
            assert_true(numbers_same(&w[0], &w[1]));
            assert_memory_equal(w[0].data, w[2].data, (size_t)n * type_size(w[0].type));
            numbers_free(&a);
            for (int i = 0; i < 3; ++i) numbers_free(&w[i]);
        }
    double const a[4] = {1, 2, 3, 4};
    eig_z w[2];
    eig_geev_options o = EIG_GEEV_OPTIONS;
    o.layout = EIG_LAYOUT_ROW_WISE;
    expect_refused(ctx, eig_dgeev(ctx, &o, 2, a, 2, w, NULL, 0, NULL, 0, NULL, NULL), EIG_BAD_ARGUMENT, "layout");
    expect_refused(ctx, eig_dgeev(ctx, NULL, 2, a, 1, w, NULL, 0, NULL, 0, NULL, NULL), EIG_BAD_ARGUMENT, "lda = 1");
    expect_refused(ctx, eig_dgeev(ctx, NULL, 2, a, 2, NULL, NULL, 0, NULL, 0, NULL, NULL), EIG_BAD_ARGUMENT,
                   "w is NULL");
    eig_destroy(ctx);
}

/* -------------------------------------------------------------- sizes of 0 */

/* The calls: test_calls.c. */
static void test_empty_work_sizes(void **state)
{
    (void)state;
    eig_context *ctx = test_context(1);
    size_t bytes = 9;
    assert_int_equal(eig_stebz_work_size(ctx, EIG_D, NULL, 0, 5, &bytes), EIG_OK);
    assert_int_equal(bytes, 0);
    assert_int_equal(eig_stebz_count_work_size(ctx, EIG_D, 7, 0, &bytes), EIG_OK);
    assert_int_equal(bytes, 0);
    assert_int_equal(eig_geev_work_size(ctx, EIG_D, NULL, 5, 0, 0, &bytes), EIG_OK);
    assert_int_equal(bytes, 0);
    bytes = 9;
    assert_int_equal(eig_heev_work_size(ctx, EIG_Z, NULL, 0, 1, 5, &bytes), EIG_OK);
    assert_int_equal(bytes, 0);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stebz), cmocka_unit_test(test_stebz_range),      cmocka_unit_test(test_stebz_count),
        cmocka_unit_test(test_geev),  cmocka_unit_test(test_geev_affine),      cmocka_unit_test(test_single_is_batch),
        cmocka_unit_test(test_heev),  cmocka_unit_test(test_empty_work_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
