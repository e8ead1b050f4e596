/* geev on the device named by the argument: the same bits in every position, layout and chunk and with any number of
 * threads; options, progress, refused arguments.  What is the same for every family: test_calls.c. */
#include "support/geev_fixture.h"
#include "support/sanitizer.h"

static void same_results(const batch *x, const batch *y, const char *what)
{
    for (int64_t m = 0; m < x->count; ++m) {
        if (x->info[m] != y->info[m]) fail_msg("%s: info of matrix %lld differs", what, (long long)m);
        if (memcmp(x->w + 2 * m * x->n, y->w + 2 * m * x->n, (size_t)(2 * x->n) * sizeof(double)) != 0)
            fail_msg("%s n=%lld %s: matrix %lld differs", what, (long long)x->n, type_name(x->type), (long long)m);
    }
}

/* A batch that has something of everything, so that lanes and warps meet neighbours of all sorts. */
static batch mixture(int64_t n, int64_t count, eig_type type)
{
    batch b = batch_new(n, count, type);
    for (int64_t m = 0, k = 0; m < count; ++m, ++k) {
        if (!matrices_nonsymmetric_names[k]) k = 0;
        double *const a = b.a + m * n * n;
        matrices_nonsymmetric(matrices_nonsymmetric_names[k], n, 1, (uint64_t)m, a);
        if (m % 23 == 22 && n > 0) a[n * n / 2] = NAN;
    }
    batch_round(&b);
    return b;
}

static void test_bits(void **state)
{
    static const int64_t orders[] = {1, 2, 3, 5, 8, 17, 30, 64, 67};
    (void)state;
    for (size_t c = 0; c < 2 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 2], count = ADDRESS_SANITIZED ? 53 : n > 16 ? 61 : 211;
        batch first = mixture(n, count, real_types[c % 2]), again = mixture(n, count, real_types[c % 2]);
        eig_context *ctx = test_context(1);
        solve(ctx, NULL, &first);
        /* One by one, then in odd chunks. */
        for (int64_t m = 0; m < count; ++m)
            solve_part(ctx, NULL, &again, place(EIG_LAYOUT_MATRIX_WISE, n, 1, 0), m, 1, 0);
        same_results(&first, &again, "one by one");
        for (int64_t m = 0, chunk = 3; m < count; m += chunk, chunk = chunk * 2 + 1) {
            int64_t const part = chunk < count - m ? chunk : count - m;
            solve_part(ctx, NULL, &again, place(EIG_LAYOUT_MATRIX_WISE, n, part, 0), m, part, 0);
        }
        same_results(&first, &again, "in chunks");
        eig_geev_options option = EIG_GEEV_OPTIONS;
        for (option.chunk = 1; option.chunk < count; option.chunk = 6 * option.chunk + 1) {
            solve(ctx, &option, &again);
            same_results(&first, &again, "the option chunk");
        }
        /* Layouts, padded and not. */
        static const eig_layout layouts[] = {EIG_LAYOUT_MATRIX_WISE, EIG_LAYOUT_ELEMENT_WISE, EIG_LAYOUT_ROW_WISE};
        for (size_t l = 0; l < 6; ++l) {
            solve_part(ctx, NULL, &again, place(layouts[l / 2], n, count, l % 2 ? 3 : 0), 0, count, l % 2 ? 5 : 0);
            same_results(&first, &again, "another layout");
            solve_part(ctx, NULL, &again, place_rows(layouts[l / 2], n, count, l % 2 ? 3 : 0), 0, count, l % 2 ? 5 : 0);
            same_results(&first, &again, "row-major");
        }
        eig_destroy(ctx);
        /* Another number of threads, more than the machine has. */
        ctx = test_context(7);
        solve(ctx, NULL, &again);
        same_results(&first, &again, "seven threads");
        eig_destroy(ctx);
        batch_free(&first);
        batch_free(&again);
    }
}

/* Reversed: each matrix meets other neighbours in another lane. */
static void test_order(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int64_t n = 3; n <= 33; n += 10) {
        int64_t const count = 83, square = n * n;
        batch b = mixture(n, count, EIG_D), reversed = mixture(n, count, EIG_D), back = mixture(n, count, EIG_D);
        for (int64_t m = 0; m < count; ++m)
            memcpy(reversed.a + m * square, b.a + (count - 1 - m) * square, (size_t)square * sizeof(double));
        solve(ctx, NULL, &b);
        solve(ctx, NULL, &reversed);
        for (int64_t m = 0; m < count; ++m) {
            memcpy(back.w + 2 * m * n, reversed.w + 2 * (count - 1 - m) * n, (size_t)(2 * n) * sizeof(double));
            back.info[m] = reversed.info[count - 1 - m];
        }
        same_results(&b, &back, "reversed");
        batch_free(&b), batch_free(&reversed), batch_free(&back);
    }
    eig_destroy(ctx);
}

/* Certifies matrix m, unless `seen` holds these very eigenvalues, which have been certified then.  How many it certified. */
static int certify_once(const batch *b, int64_t m, double *seen)
{
    size_t const bytes = (size_t)(2 * b->n) * sizeof *seen;
    const double *const w = b->w + 2 * m * b->n;
    if (b->info[m] == 0 && memcmp(w, seen, bytes) == 0) return 0;
    certify("gaussian", b, m);
    memcpy(seen, w, bytes);
    return 1;
}

/* Every method and number of threads a matrix is accepted, and gives right answers. */
static void test_methods(void **state)
{
    static const int64_t orders[] = {1, 5, 12, 30, 64};
    static const int threads[] = {0, 1, 2, 3, 4, 7, 8, 16, 31, 32};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 2 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 2];
        batch b = batch_make("gaussian", n, 41, real_types[c % 2], 3);
        double *const seen = room((size_t)(4 * n), sizeof *seen); /* zeros, which no Gaussian matrix has */
        int certified = 0;
        for (int method = EIG_GEEV_AUTO; method <= EIG_GEEV_REFERENCE; ++method) {
            for (size_t t = 0; t < COUNT(threads); ++t) {
                eig_geev_options options = EIG_GEEV_OPTIONS;
                options.method = (eig_geev_method)method, options.threads_per_matrix = threads[t];
                solve(ctx, &options, &b);
                certified += certify_once(&b, 0, seen) + certify_once(&b, 40, seen + 2 * n);
            }
        }
        assert_true(certified >= 2);
        free(seen);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* Given up after few steps: info = k > 0, w[k..n-1] are eigenvalues, w[0..k-1] are NaN; matrices that are done by then
 * are as ever, and the measure of the others is NaN. */
static void test_gives_up(void **state)
{
    static const int64_t orders[] = {3, 5, 8, 10, 15, 30, 64, 66};
    enum { MANY = 37 };
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 2 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 2];
        batch b = batch_make("gaussian", n, MANY, real_types[c % 2], 5);
        int given_up = 0, done = 0, found = 0;
        for (int steps = 1; steps <= 4; ++steps) {
            eig_geev_options options = EIG_GEEV_OPTIONS;
            options.max_steps = steps;
            solve(ctx, &options, &b);
            for (int64_t m = 0; m < MANY; ++m) {
                int const info = b.info[m];
                assert_in_range(info, 0, n);
                if (info == 0 && m % 9 == 0) certify("gaussian", &b, m);
                done += info == 0, given_up += info > 0, found += info > 0 && info < n;
                double const norm = dense_norm((int)n, b.a + m * n * n), eps = type_eps(b.type);
                for (int64_t k = 0; k < n && info > 0 && m % 9 == 0; ++k) {
                    double const re = b.w[2 * (m * n + k)], im = b.w[2 * (m * n + k) + 1];
                    dense_number determinant;
                    if (k < info)
                        assert_true(isnan(re) && isnan(im));
                    else if (n <= 15 || k == info)
                        assert_true(dense_sigma_min((int)n, b.a + m * n * n, dense_complex(re, im), &determinant) <=
                                    10 * (double)n * eps * norm);
                }
            }
        }
        assert_true(given_up > 0 && (done > 0 || n > 15) && (found > 0 || n < 5));
        /* So many steps between two deflations are enough, though not for all of a large matrix. */
        eig_geev_options options = EIG_GEEV_OPTIONS;
        options.max_steps = 30;
        solve(ctx, &options, &b);
        for (int64_t m = 0; m < MANY; ++m) assert_int_equal(b.info[m], 0);
        batch_free(&b);
    }
    /* A companion matrix takes more than one step; the parameter makes the second point triangular. */
    double const a[] = {0, 0, -6, 1, 0, 11, 0, 1, 6, 0, 0, 6, 0, 0, -11, 0, 0, 0}, x[] = {0, 1};
    double value[2];
    int info[2];
    eig_geev_options options = EIG_GEEV_OPTIONS;
    options.max_steps = 1;
    static const eig_geev_measure measures[] = {EIG_GEEV_RADIUS, EIG_GEEV_ABSCISSA, EIG_GEEV_DAMPING};
    static double const expected[] = {6, 6, -1};
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(eig_dgeev_affine(ctx, &options, 3, 1, a, 3, 9, x, 1, NULL, 0, measures[k], value, info, 2),
                         EIG_OK);
        assert_true(info[0] > 0 && isnan(value[0]) && info[1] == 0 && value[1] == expected[k]);
    }
    eig_destroy(ctx);
}

/* However many steps are allowed, it ends as with the default. */
static void test_many_steps(void **state)
{
    static const int64_t many[] = {INT32_MAX, (int64_t)1 << 31, (int64_t)1 << 32, ((int64_t)1 << 40) + 1, INT64_MAX};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 2 * COUNT(many); ++c) {
        int64_t const n = c < COUNT(many) ? 7 : 66;
        batch usual = batch_make("gaussian", n, 3, EIG_D, 5), b = batch_make("gaussian", n, 3, EIG_D, 5);
        eig_geev_options options = EIG_GEEV_OPTIONS;
        options.max_steps = many[c % COUNT(many)];
        solve(ctx, NULL, &usual);
        solve(ctx, &options, &b);
        for (int64_t m = 0; m < 3; ++m) assert_int_equal(b.info[m], 0);
        same_results(&usual, &b, "many steps");
        batch_free(&usual), batch_free(&b);
    }
    eig_destroy(ctx);
}

/* Given up, with two eigenvalues that balancing isolates above and two below: those behind place info are found, the one
 * before it is not. */
static void test_gives_up_isolated(void **state)
{
    enum { MANY = 40 };
    static const int64_t orders[] = {7, 12, 20, 40};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 2 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 2];
        int given_up = 0;
        batch b = batch_make("gaussian", n, MANY, real_types[c % 2], 3);
        for (int64_t m = 0; m < MANY; ++m)
            for (int64_t i = 0; i < n; ++i)
                for (int64_t j = 0; j < i; ++j)
                    if (j < 2 || i >= n - 2) b.a[(m * n + i) * n + j] = 0;
        eig_geev_options options = EIG_GEEV_OPTIONS;
        for (options.max_steps = 1; options.max_steps <= 4; ++options.max_steps) {
            solve(ctx, &options, &b);
            for (int64_t m = 0; m < MANY; ++m) {
                int64_t const info = b.info[m];
                assert_in_range(info, 0, n - 2);
                given_up += info > 0;
                if (info > 0) assert_true(isnan(b.w[2 * (m * n + info - 1)]));
                for (int64_t k = info; k < n; ++k) assert_false(isnan(b.w[2 * (m * n + k)]));
            }
        }
        assert_true(given_up > 0);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* Zeros come without a sign (solve sees to it), whatever sign those of the matrix have. */
static void test_zeros(void **state)
{
    static const int64_t orders[] = {1, 2, 3, 5, 20, 64, 66};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 2 * COUNT(orders); ++c)
        for (int method = EIG_GEEV_AUTO; method <= EIG_GEEV_REFERENCE; method += EIG_GEEV_REFERENCE) {
            int64_t const n = orders[c / 2];
            eig_geev_options options = EIG_GEEV_OPTIONS;
            options.method = (eig_geev_method)method;
            batch b = batch_make("triangular", n, 3, real_types[c % 2], 7);
            for (int64_t k = 0; k < n * n; ++k) b.a[k] = -0.0;
            for (int64_t i = 0; i < n; i += 2) b.a[2 * n * n + i * (n + 1)] = -0.0;
            for (options.no_balance = 0; options.no_balance < 2; ++options.no_balance) {
                solve(ctx, &options, &b);
                for (int64_t k = 0; k < 2 * n; ++k) assert_true(b.w[k] == 0);
            }
            batch_free(&b);
        }
    eig_destroy(ctx);
}

/* --------------------------------------------------------- sizes and refusals */

static void test_empty(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    double a = 1;
    eig_z w = {7, 7};
    int info[5] = {7, 7, 7, 7, 7};
    size_t bytes = 7;
    assert_int_equal(eig_dgeev_batched(ctx, NULL, 0, &a, 1, 0, &w, 0, NULL, 0, 0, NULL, 0, 0, NULL, info, 5), EIG_OK);
    for (int b = 0; b < 5; ++b) assert_int_equal(info[b], 0);
    assert_int_equal(eig_dgeev_batched(ctx, NULL, 0, NULL, 0, 0, NULL, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 5),
                     EIG_OK);
    assert_int_equal(eig_dgeev_batched(ctx, NULL, 3, NULL, 3, 9, NULL, 3, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0),
                     EIG_OK);
    assert_int_equal(eig_dgeev_affine(ctx, NULL, 0, 2, NULL, 1, 0, NULL, 2, NULL, 0, EIG_GEEV_ABSCISSA, NULL, NULL, 4),
                     EIG_OK);
    assert_int_equal(eig_geev_work_size(ctx, EIG_D, NULL, 0, 0, 4, &bytes), EIG_OK);
    assert_true(bytes == 0 && w.re == 7);
    assert_int_equal(eig_dgeev_batched(ctx, NULL, 1, &a, 1, 1, &w, 1, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 1), EIG_OK);
    assert_true(w.re == 1 && w.im == 0);
    eig_destroy(ctx);
}

/* no_balance changes the bits of a graded matrix on every road. */
static void test_no_balance(void **state)
{
    static const int64_t n[] = {6, 20, 40, 70};
    static double a[70 * 70];
    static eig_z w[2][70];
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t k = 0; k < COUNT(n); ++k)
        for (int reference = 0; reference < 2; ++reference) {
            int64_t const order = n[k];
            for (int64_t f = 0; f < order * order; ++f)
                a[f] = sin(1 + 7.1 * (double)(f % order) + 3.3 * (double)(f / order)) *
                       pow(10, (double)(f % order - f / order) / 4);
            for (int b = 0; b < 2; ++b) {
                eig_geev_options o = EIG_GEEV_OPTIONS;
                o.no_balance = b, o.method = reference ? EIG_GEEV_REFERENCE : EIG_GEEV_AUTO;
                assert_int_equal(eig_dgeev(ctx, &o, order, a, order, w[b], NULL, 0, NULL, 0, NULL, NULL), EIG_OK);
            }
            if (memcmp(w[0], w[1], (size_t)order * sizeof **w) == 0)
                fail_msg("n=%lld reference %d: no_balance changes nothing", (long long)order, reference);
        }
    eig_destroy(ctx);
}

static void test_refused(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    double a[32] = {0};
    eig_z w[8];
    eig_geev_options o = EIG_GEEV_OPTIONS;
    size_t bytes;
    eig_status const BAD = EIG_BAD_ARGUMENT;
#define CALL(o, n, a, lda, stride, w, stride_w, batch) \
    eig_dgeev_batched(ctx, o, n, a, lda, stride, w, stride_w, NULL, 0, 0, NULL, 0, 0, NULL, NULL, batch)
    assert_int_equal(CALL(NULL, 2, a, 2, 0, w, 0, 1), EIG_OK); /* one matrix has no strides */
    o.layout = EIG_LAYOUT_ELEMENT_WISE;
    expect_refused(ctx, CALL(&o, 2, a, 2, 1, w, 2, 2), BAD, "stride_a = 1 < batch = 2");
    o.layout = EIG_LAYOUT_ROW_WISE;
    expect_refused(ctx, CALL(&o, 2, a, 2, 3, w, 2, 2), BAD, "batch*lda");
    o.layout = (eig_layout)'X';
    expect_refused(ctx, CALL(&o, 2, a, 2, 4, w, 2, 2), BAD, "layout = 88");
    o = (eig_geev_options)EIG_GEEV_OPTIONS, o.row_major = 2;
    expect_refused(ctx, CALL(&o, 2, a, 2, 4, w, 2, 2), BAD, "row_major = 2");
    o = (eig_geev_options)EIG_GEEV_OPTIONS, o.method = (eig_geev_method)4;
    expect_refused(ctx, CALL(&o, 2, a, 2, 4, w, 2, 2), BAD, "method = 4");
    o = (eig_geev_options)EIG_GEEV_OPTIONS, o.threads_per_matrix = 33;
    expect_refused(ctx, CALL(&o, 2, a, 2, 4, w, 2, 2), BAD, "threads_per_matrix = 33");
    o = (eig_geev_options)EIG_GEEV_OPTIONS, o.max_steps = -1;
    expect_refused(ctx, CALL(&o, 2, a, 2, 4, w, 2, 2), BAD, "max_steps = -1");
    o = (eig_geev_options)EIG_GEEV_OPTIONS, o.size = 3;
    expect_refused(ctx, CALL(&o, 2, a, 2, 4, w, 2, 2), BAD, "begin with the EIG_..._OPTIONS macro");
#undef CALL
#define CALL(o, m, x, stride_x, w, measure, value) \
    eig_dgeev_affine(ctx, o, 2, m, a, 2, 4, x, stride_x, w, 2, measure, value, NULL, 2)
    o = (eig_geev_options)EIG_GEEV_OPTIONS;
    expect_refused(ctx, CALL(NULL, 2, a, 2, NULL, EIG_GEEV_RADIUS, NULL), BAD, "both NULL");
    expect_refused(ctx, CALL(NULL, 2, a, 2, w, (eig_geev_measure)'x', a), BAD, "measure = 120");
    o.layout = EIG_LAYOUT_ROW_WISE;
    expect_refused(ctx, CALL(&o, 2, a, 2, w, EIG_GEEV_RADIUS, NULL), BAD, "layout = 'R'");
#undef CALL
    expect_refused(ctx, eig_geev_work_size(ctx, EIG_S, NULL, 1 << 20, 1, (int64_t)1 << 40, &bytes), BAD, "too large");
    expect_refused(ctx, eig_geev_work_size(ctx, (eig_type)'q', NULL, 2, 0, 2, &bytes), BAD, "type = 113");
    expect_refused(ctx, eig_geev_work_size(ctx, EIG_D, NULL, 2, 0, 2, NULL), BAD, "bytes is NULL");
    assert_int_equal(eig_dgeev_batched(NULL, NULL, 2, a, 2, 4, w, 2, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 2),
                     EIG_BAD_ARGUMENT);
    eig_destroy(ctx);
}

/* ----------------------------------------------------------------- progress */

static int watch(void *user, double fraction)
{
    double *const last = user;
    if (!(fraction >= *last && fraction <= 1)) *last = NAN;
    *last = fraction;
    return 0;
}

static int stop(void *user, double fraction)
{
    (void)user;
    return fraction > 0.3;
}

static void test_progress(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    batch plain = mixture(6, 20000, EIG_D), watched = mixture(6, 20000, EIG_D);
    double last = 0;
    solve(ctx, NULL, &plain);
    eig_set_progress(ctx, watch, &last);
    solve(ctx, NULL, &watched);
    assert_true(last == 1);
    same_results(&plain, &watched, "with progress");
    eig_set_progress(ctx, stop, NULL);
    eig_z *const w = room(6 * 20000, sizeof *w);
    expect_refused(ctx,
                   eig_dgeev_batched(ctx, NULL, 6, plain.a, 6, 36, w, 6, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 20000),
                   EIG_CANCELLED, "cancelled");
    free(w);
    batch_free(&plain), batch_free(&watched);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    struct CMUnitTest const tests[] = {
        /* the quick ones first */
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_no_balance),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_gives_up),
        cmocka_unit_test(test_many_steps),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_gives_up_isolated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
