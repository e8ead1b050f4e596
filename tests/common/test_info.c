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

/* ------------------------------------------------------------ all functions */

/* An output of matrix b: all its real numbers are NaN, or its bits are those of `clean`. */
static void check_output(const char *name, const outputs *o, const outputs *clean, int out, int64_t b, size_t real,
                         bool nan)
{
    extent const e = o->out[out].extent;
    size_t const size = o->out[out].size;
    for (int64_t k = b * e.rows * e.columns; k < (b + 1) * e.rows * e.columns; ++k) {
        size_t const at = o->out[out].at + (size_t)extent_at(e, k) * size;
        bool good = nan || memcmp(o->block + at, clean->block + at, size) == 0;
        for (size_t part = 0; nan && part < size; part += real)
            good = good && isnan(type_get(real == sizeof(float) ? EIG_S : EIG_D, o->block + at + part, 0));
        if (!good)
            fail_msg("%s: output %d of matrix %lld %s", name, out, (long long)b, nan ? "is not NaN" : "has other bits");
    }
}

/* One entry of an input, that of the middle matrix where there are several, is bad: so are the matrices that have it, and no others. */
static void not_finite(eig_context *ctx, const operation *op, eig_type type, int input, double bad,
                       const outputs *clean)
{
    static outputs o;
    const public_function *const f = function_of(op->name);
    call_sizes const s = operation_sizes(op);
    call_value v[MOST_ARGUMENTS];
    outputs_clear(&o);
    call_prepare(f, &s, op->absent, type, &o, v);
    extent const e = o.in_extent[input];
    bool const own = is_batched(f) && e.count == s.batch; /* each matrix has its own */
    int64_t const b = e.count / 2;
    numbers_put_part(&o.in[input], (type_is_complex(type) ? 2 : 1) * extent_at(e, b * e.rows * e.columns), bad);
    if (f->call(ctx, type, false, op->options, v) != EIG_OK) fail_msg("%s: %s", op->name, eig_error_detail(ctx));
    padding_untouched(op->name, &o);
    inputs_free(&o);
    for (int i = 0, out = 0; i < f->count; ++i) {
        if (f->argument[i].kind != IS_OUTPUT || !v[i].out) continue;
        for (int64_t k = 0; k < (is_batched(f) ? s.batch : 1); ++k) {
            bool const spoiled = !own || k == b;
            extent const to = o.out[out].extent;
            if (strcmp(f->argument[i].name, "info") == 0 && spoiled)
                for (int64_t each = 0; each < to.rows; ++each)
                    assert_int_equal(((int *)v[i].out)[extent_at(to, k * to.rows + each)], EIG_INFO_NOT_FINITE);
            else if (!spoiled || strchr("TRC", f->argument[i].of))
                check_output(op->name, &o, clean, out, k, type_size(type_real_of(type)), spoiled);
        }
        ++out;
    }
}

static void test_not_finite(void **state)
{
    static outputs clean;
    (void)state;
    eig_context *ctx = test_context(2);
    for (int i = 0; i < operations_here(); ++i) {
        const operation *const op = &operations[i];
        const public_function *const f = function_of(op->name);
        int inputs = 0;
        if (operation_is(op, "stebz_count")) continue; /* below */
        for (int k = 0; k < f->count; ++k) inputs += f->argument[k].kind == IS_INPUT;
        for (int k = 0; k < 6 * inputs; ++k) {
            eig_type const type = op->is_complex ? type_complex_of(real_types[k % 2]) : real_types[k % 2];
            operate_well(ctx, op, real_types[k % 2], &clean);
            not_finite(ctx, op, type, k / 6, bad_values[k / 2 % 3], &clean);
        }
    }
    eig_destroy(ctx);
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
        cmocka_unit_test(test_not_finite),       cmocka_unit_test(test_stebz),
        cmocka_unit_test(test_stebz_count),      cmocka_unit_test(test_geev),
        cmocka_unit_test(test_single_is_batch),  cmocka_unit_test(test_heev),
        cmocka_unit_test(test_empty_work_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
