/* heev on the device named by the argument: the same bits in every position, layout and chunk and with any number of
 * threads; in place; options, NaN, workspaces, progress, refused arguments. */
#include "bench/support/passes.h"
#include "support/heev_fixture.h"

static const eig_heev_method methods[] = {EIG_HEEV_AUTO, EIG_HEEV_JACOBI, EIG_HEEV_TRIDIAGONAL, EIG_HEEV_REFERENCE};

static void same_results(const batch *x, const batch *y, bool vectors, const char *what)
{
    for (int64_t m = 0; m < x->count; ++m)
        if (x->info[m] != y->info[m] || x->sweeps[m] != y->sweeps[m])
            fail_msg("%s: info or sweeps of matrix %lld differs", what, (long long)m);
    if (!numbers_same(&x->w, &y->w)) fail_msg("%s n=%lld %s: w differs", what, (long long)x->n, type_name(x->type));
    if (vectors && !numbers_same(&x->v, &y->v))
        fail_msg("%s n=%lld %s: v differs", what, (long long)x->n, type_name(x->type));
}

/* A batch that has something of everything, so that lanes and warps meet neighbours of all sorts. */
static batch mixture(int64_t n, int64_t count, eig_type type)
{
    batch b = batch_new(n, count, type);
    numbers one = numbers_room(type, n * n);
    io_error error;
    for (int64_t m = 0, k = 0; m < count; ++m, ++k) {
        if (!matrices_hermitian_names[k]) k = 0;
        if (!matrices_hermitian(matrices_hermitian_names[k], n, 1, (uint64_t)m, &one, &error))
            fail_msg("%s", error.text);
        for (int64_t i = 0; i < n * n; ++i) copy_element(&b.a, m * n * n + i, &one, i);
        int64_t const at = m * n * n + n * n - 1; /* on the diagonal: in either triangle */
        if (m % 23 == 22) numbers_put_part(&b.a, type_is_complex(type) ? 2 * at : at, m % 2 ? NAN : INFINITY);
    }
    numbers_free(&one);
    return b;
}

static eig_heev_options by(eig_heev_method method)
{
    eig_heev_options o = EIG_HEEV_OPTIONS;
    o.method = method;
    return o;
}

static void check_bits(int64_t n, int64_t count, eig_type type, eig_heev_method method)
{
    batch first = mixture(n, count, type), again = mixture(n, count, type);
    eig_heev_options const o = by(method);
    eig_context *ctx = test_context(1);
    solve(ctx, &o, &first);
    /* One by one, then in odd chunks. */
    for (int64_t m = 0; m < count; ++m) solve_part(ctx, &o, &again, (placement){0}, m, 1);
    same_results(&first, &again, true, "one by one");
    for (int64_t m = 0, chunk = 3; m < count; m += chunk, chunk = chunk * 2 + 1)
        solve_part(ctx, &o, &again, (placement){.pad = 2}, m, chunk < count - m ? chunk : count - m);
    same_results(&first, &again, true, "in chunks");
    /* Layouts, padded and not, column- and row-major, either triangle. */
    static const eig_layout layouts[] = {EIG_LAYOUT_MATRIX_WISE, EIG_LAYOUT_ELEMENT_WISE, EIG_LAYOUT_ROW_WISE};
    for (int l = 0; l < 24; ++l) {
        placement const p = {layouts[l / 8], l & 1, l & 2, false, false, l & 4 ? 3 : 0};
        solve_part(ctx, &o, &again, p, 0, count);
        same_results(&first, &again, true, "another layout");
    }
    for (int l = 0; l < 8; ++l) {
        placement const p = {EIG_LAYOUT_MATRIX_WISE, l & 1, l & 2, false, true, l & 4 ? 3 : 0};
        solve_part(ctx, &o, &again, p, 0, count);
        same_results(&first, &again, true, "in place");
    }
    eig_destroy(ctx);
    /* Another number of threads, more than the machine has. */
    ctx = test_context(7);
    solve(ctx, &o, &again);
    same_results(&first, &again, true, "seven threads");
    eig_destroy(ctx);
    batch_free(&first), batch_free(&again);
}

static void test_bits(void **state)
{
    static const int64_t orders[] = {1, 2, 3, 5, 8, 17, 33, 65};
    (void)state;
    for (size_t c = 0; c < 4 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 4];
        for (size_t k = 0; k < COUNT(methods); ++k)
            if (n < 10 || k == c % 4) check_bits(n, n > 30 ? 5 : n > 10 ? 24 : 37, all_types[c % 4], methods[k]);
    }
    for (int c = 0; c < 4; ++c) check_bits(101 + c, 3, all_types[c], EIG_HEEV_AUTO);
}

/* A matrix alone and in a full batch, of every order for which a CPU has tiles; with steps enough, and with too few. */
static void test_alone(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    int64_t given_up = 0;
    for (int64_t n = 1; n <= 64; ++n)
        for (int c = 0; c < 4; ++c) {
            if (n > 8 && c % 2 == (int)(n % 2)) continue;
            int64_t const count = 16;
            batch whole = mixture(n, count, all_types[c]), again = mixture(n, count, all_types[c]);
            eig_heev_options o = by(EIG_HEEV_TRIDIAGONAL);
            for (o.max_sweeps = 0; o.max_sweeps < 2; ++o.max_sweeps) {
                solve(ctx, &o, &whole);
                for (int64_t m = 0; m < count; ++m) {
                    placement const p = {.upper = m % 2};
                    solve_part(ctx, &o, &again, p, m, 1);
                    given_up += again.info[m] > 0;
                }
                same_results(&whole, &again, true, "alone");
            }
            batch_free(&whole), batch_free(&again);
        }
    assert_true(given_up > 100);
    eig_destroy(ctx);
}

/* Reversed: each matrix meets other neighbours in another lane. */
static void test_order(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int64_t n = 3; n <= 24; n += 7)
        for (int c = 0; c < 16; ++c) {
            int64_t const count = 43, square = n * n;
            batch b = mixture(n, count, all_types[c % 4]), reversed = mixture(n, count, all_types[c % 4]);
            for (int64_t k = 0; k < count * square; ++k)
                copy_element(&reversed.a, k, &b.a, (count - 1 - k / square) * square + k % square);
            solve_by(ctx, methods[c / 4], &b);
            solve_by(ctx, methods[c / 4], &reversed);
            for (int64_t k = 0; k < count * square; ++k) {
                int64_t const other = (count - 1 - k / square) * square + k % square;
                if (memcmp(numbers_at(&b.v, k), numbers_at(&reversed.v, other), type_size(b.type)) != 0)
                    fail_msg("n=%lld: matrix %lld differs", (long long)n, (long long)(k / square));
            }
            batch_free(&b), batch_free(&reversed);
        }
    eig_destroy(ctx);
}

/* More matrices than a tile or a warp holds; three of an order that a CPU computes alone. */
static int64_t several(int64_t n)
{
    return n > 64 ? 3 : 21;
}

/* Values only: within the rounding of those that come with vectors. */
static void test_values_only(void **state)
{
    static const int64_t orders[] = {1, 2, 3, 8, 17, 66};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 16 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 16], count = several(n);
        eig_heev_options const o = by(methods[c / 4 % 4]);
        batch b = batch_make("ensemble", n, count, all_types[c % 4], 7);
        solve_part(ctx, &o, &b, (placement){.values_only = true, .pad = 2}, 0, count);
        for (int64_t m = 0; m < count; ++m) certify_values("values only", &b, m);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* A NaN or an infinity in what is read, at any place: NaN out, and neighbours as ever. */
static void test_not_finite(void **state)
{
    static const int64_t orders[] = {1, 2, 3, 7, 16, 65};
    static double const bad_values[] = {NAN, INFINITY, -INFINITY};
    enum { BATCH = 9, BAD = 4 };
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 16 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 16];
        batch good = batch_make("hermitian", n, BATCH, all_types[c % 4], 9);
        solve_by(ctx, methods[c / 4 % 4], &good);
        for (int turn = 0; turn < 4; ++turn) {
            int64_t const i = turn * (n - 1) / 3, j = turn == 3 ? 0 : i / 2;
            batch b = batch_make("hermitian", n, BATCH, all_types[c % 4], 9);
            int64_t const at = (BAD * n + i) * n + j;
            bool const imaginary = type_is_complex(b.type) && i != j && turn % 2;
            numbers_put_part(&b.a, type_is_complex(b.type) ? 2 * at + imaginary : at, bad_values[turn % 3]);
            solve_by(ctx, methods[c / 4 % 4], &b);
            for (int64_t m = 0; m < BATCH; ++m) {
                assert_int_equal(b.info[m], m == BAD ? EIG_INFO_NOT_FINITE : 0);
                for (int64_t k = m * n; k < (m + 1) * n; ++k)
                    assert_true(m == BAD ? isnan(numbers_re(&b.w, k)) : numbers_re(&b.w, k) == numbers_re(&good.w, k));
                int64_t const parts = numbers_parts(&b.v) / BATCH;
                for (int64_t k = m * parts; k < (m + 1) * parts; ++k)
                    assert_true(m == BAD ? isnan(numbers_part(&b.v, k))
                                         : numbers_part(&b.v, k) == numbers_part(&good.v, k));
            }
            batch_free(&b);
        }
        batch_free(&good);
    }
    eig_destroy(ctx);
}

/* Given up after one sweep: the last k values and vectors are NaN, the others are eigenpairs. */
static void test_gives_up(void **state)
{
    static const int64_t orders[] = {2, 3, 5, 8, 16, 31, 40, 66};
    (void)state;
    eig_context *const ctx = test_context(1);
    int64_t given_up = 0;
    for (size_t c = 0; c < 16 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 16], count = several(n);
        eig_heev_options o = by(methods[c / 4 % 4]);
        o.max_sweeps = 1;
        batch b = batch_make(n % 2 ? "hermitian" : "rank-one", n, count, all_types[c % 4], 5);
        solve(ctx, &o, &b);
        for (int64_t m = 0; m < count; ++m) {
            assert_true(b.info[m] >= 0 && b.info[m] <= n && b.sweeps[m] <= 1);
            given_up += b.info[m] > 0;
            hermitian h = hermitian_new(n, &b.a, m * n * n);
            long double const tolerance = 8 * (long double)n * (long double)type_eps(b.type) * h.norm;
            for (int64_t k = 0; k < n; ++k) {
                double const w = numbers_re(&b.w, m * n + k);
                bool const good = k < n - b.info[m];
                for (int64_t i = 0; i < n; ++i) assert_true(isfinite(numbers_re(&b.v, (m * n + i) * n + k)) == good);
                assert_true(isfinite(w) == good);
                if (good && k > 0) assert_true(w >= numbers_re(&b.w, m * n + k - 1));
                if (good && hermitian_count(&h, w - tolerance) == hermitian_count(&h, w + tolerance))
                    fail_msg("n=%lld: %g is no eigenvalue", (long long)n, w);
            }
            hermitian_free(&h);
        }
        batch_free(&b);
    }
    assert_true(given_up > 500); /* most that are not of rank one */
    eig_destroy(ctx);
}

/* So many sweeps as are told are enough, and one less is not. */
static void test_sweeps(void **state)
{
    static const int64_t orders[] = {2, 3, 9, 31, 40, 66};
    enum { BATCH = 3 };
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 8 * COUNT(orders); ++c) {
        batch b = batch_make("hermitian", orders[c / 8], BATCH, all_types[c % 4], 5);
        eig_heev_options o = by(c / 4 % 2 ? EIG_HEEV_REFERENCE : EIG_HEEV_JACOBI);
        solve(ctx, &o, &b);
        for (int m = 0; m < BATCH; ++m) {
            int const told = b.sweeps[m];
            assert_true(told > 0 && b.info[m] == 0);
            for (o.max_sweeps = told; o.max_sweeps >= told - 1 && o.max_sweeps > 0; --o.max_sweeps) {
                solve_part(ctx, &o, &b, (placement){0}, m, 1);
                bool const given_up =
                    test_on_cpu() ? o.max_sweeps < told : b.info[m] > 0; /* a GPU may find it enough */
                if (b.sweeps[m] != o.max_sweeps || (b.info[m] > 0) != given_up)
                    fail_msg("n=%lld: %d sweeps are told, at most %d give %d, info %d", (long long)b.n, told,
                             o.max_sweeps, b.sweeps[m], b.info[m]);
            }
        }
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* A loose tolerance: fewer sweeps, and errors of its size. */
static void test_tolerance(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int64_t n = 8; n <= 40; n += 16) {
        batch tight = batch_make("hermitian", n, 5, EIG_Z, 5), loose = batch_make("hermitian", n, 5, EIG_Z, 5);
        eig_heev_options o = by(EIG_HEEV_JACOBI);
        solve(ctx, &o, &tight);
        o.tolerance = 1e-3;
        solve(ctx, &o, &loose);
        for (int64_t m = 0; m < 5; ++m) {
            assert_true(loose.info[m] == 0 && loose.sweeps[m] < tight.sweeps[m]);
            for (int64_t k = m * n; k < (m + 1) * n; ++k)
                assert_true(fabs(numbers_re(&loose.w, k) - numbers_re(&tight.w, k)) <= 1e-3 * (double)n);
        }
        batch_free(&tight), batch_free(&loose);
    }
    eig_destroy(ctx);
}

/* A diagonal but for one pair (p, q), of this size, in the last part of the type: real or imaginary. */
static batch one_pair(int64_t n, eig_type type, int64_t p, int64_t q, double size)
{
    batch b = batch_new(n, 1, type);
    int const parts = type_is_complex(type) ? 2 : 1;
    numbers_fill(&b.a, 0);
    for (int64_t i = 0; i < n; ++i) numbers_put_part(&b.a, parts * (i * n + i), (double)(i + 1));
    numbers_put_part(&b.a, parts * (q * n + p) + parts - 1, size);
    numbers_put_part(&b.a, parts * (p * n + q) + parts - 1, parts == 2 ? -size : size);
    return b;
}

/* What counts as 0 of an element: just below the bound it is left where it is, in no sweep, just above it is not. */
static void test_bound(void **state)
{
    static const int64_t orders[] = {5, 10, 40, 70};
    static double const tolerances[] = {0.1, 1e-3};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 4 * 2 * 2 * 2 * 3 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 96], places[3][2] = {{0, 1}, {n / 2, n - 1}, {0, n - 1}};
        int64_t const p = places[c / 32 % 3][0], q = places[c / 32 % 3][1];
        eig_heev_options o = by(c / 4 % 2 ? EIG_HEEV_REFERENCE : EIG_HEEV_JACOBI);
        o.tolerance = tolerances[c / 8 % 2], o.relative = (int)(c / 16 % 2);
        double squares = 0;
        for (int64_t i = 1; i <= n; ++i) squares += (double)(i * i);
        /* x = tolerance sqrt(squares + 2 x^2) / n */
        double const part = o.tolerance / (double)n;
        double const bound =
            o.relative ? o.tolerance * sqrt((double)((p + 1) * (q + 1))) : part * sqrt(squares / (1 - 2 * part * part));
        for (int above = 0; above < 2; ++above) {
            batch b = one_pair(n, all_types[c % 4], p, q, bound * (above ? 1.001 : 0.999));
            bool kept = true;
            solve(ctx, &o, &b);
            for (int64_t k = 0; k < n; ++k) kept = kept && numbers_re(&b.w, k) == (double)(k + 1);
            if (b.info[0] != 0 || (b.sweeps[0] > 0) != above || (!above && !kept))
                fail_msg("method %d%s, n=%lld %s: an element (%lld, %lld) just %s the tolerance %g: %d sweeps, w[%lld] "
                         "= %.17g",
                         (int)o.method, o.relative ? " relative" : "", (long long)n, type_name(b.type), (long long)q,
                         (long long)p, above ? "above" : "below", o.tolerance, b.sweeps[0], (long long)p,
                         numbers_re(&b.w, p));
            batch_free(&b);
        }
    }
    eig_destroy(ctx);
}

/* One sweep, or one QL step an eigenvalue, is too little for a full matrix on every road that has them, and is told. Thirty are
 * enough. */
static void test_one_sweep(void **state)
{
    static const int64_t orders[] = {8, 20, 32, 33, 40, 64, 65, 100};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 4 * 4 * 2 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 32];
        eig_heev_options o = by(methods[c / 4 % 4]);
        bool const jacobi = o.method == EIG_HEEV_JACOBI || o.method == EIG_HEEV_REFERENCE;
        placement const p = {.values_only = c / 16 % 2};
        bool const bisects = test_on_cpu() ? n > 64 && p.values_only : n > (o.method == EIG_HEEV_AUTO ? 8 : 32);
        if (bisects && !jacobi) continue; /* there is nothing that max_sweeps would limit */
        batch b = batch_make("ensemble", n, 3, all_types[c % 4], 5);
        for (o.max_sweeps = 1; o.max_sweeps <= 30; o.max_sweeps += 29) {
            solve_part(ctx, &o, &b, p, 0, 3);
            for (int m = 0; m < 3; ++m)
                if ((b.info[m] > 0) != (o.max_sweeps == 1) ||
                    (o.max_sweeps == 1 && o.method != EIG_HEEV_AUTO && b.sweeps[m] != jacobi))
                    fail_msg("method %d, n=%lld %s%s: at most %d sweeps give info %d, %d sweeps", (int)o.method,
                             (long long)n, type_name(b.type), p.values_only ? " values" : "", o.max_sweeps, b.info[m],
                             b.sweeps[m]);
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
    double a = 1, w = 7, v = 7;
    int info[5] = {7, 7, 7, 7, 7}, sweeps[5] = {7, 7, 7, 7, 7};
    size_t bytes = 7;
    assert_int_equal(eig_dsyev_batched(ctx, NULL, 0, &a, 1, 0, NULL, &w, 0, &v, 1, 0, info, sweeps, 5), EIG_OK);
    for (int b = 0; b < 5; ++b) assert_true(info[b] == 0 && sweeps[b] == 0);
    assert_int_equal(eig_dsyev_batched(ctx, NULL, 0, NULL, 0, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, 5), EIG_OK);
    assert_int_equal(eig_dsyev_batched(ctx, NULL, 3, NULL, 3, 9, NULL, NULL, 3, NULL, 0, 0, NULL, NULL, 0), EIG_OK);
    assert_int_equal(eig_heev_work_size(ctx, EIG_D, NULL, 0, 1, 4, &bytes), EIG_OK);
    assert_true(bytes == 0 && w == 7 && v == 7);
    assert_int_equal(eig_dsyev_batched(ctx, NULL, 1, &a, 1, 1, NULL, &w, 1, &v, 1, 1, NULL, NULL, 1), EIG_OK);
    assert_true(w == 1 && fabs(v) == 1);
    eig_destroy(ctx);
}

static void test_refused(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    double a[32] = {0}, w[8], v[32];
    eig_heev_options o = EIG_HEEV_OPTIONS;
    size_t bytes;
    eig_status const BAD = EIG_BAD_ARGUMENT;
#define CALL(o, n, a, lda, stride, w, stride_w, v, ldv, stride_v, batch) \
    eig_dsyev_batched(ctx, o, n, a, lda, stride, NULL, w, stride_w, v, ldv, stride_v, NULL, NULL, batch)
    expect_refused(ctx, CALL(NULL, 2, a, 3, 6, w, 2, a, 2, 6, 2), BAD, "must be lda = 3 in place");
    expect_refused(ctx, CALL(NULL, 2, a, 2, 4, w, 2, a, 2, 5, 2), BAD, "must be stride_a = 4 in place");
    assert_int_equal(CALL(NULL, 2, a, 2, 0, w, 0, v, 2, 0, 1), EIG_OK); /* one matrix has no strides */
    assert_int_equal(CALL(NULL, 2, a, 2, 4, w, 2, NULL, -1, -1, 2), EIG_OK);
    o.layout = EIG_LAYOUT_ELEMENT_WISE;
    expect_refused(ctx, CALL(&o, 2, a, 2, 1, w, 2, v, 2, 4, 2), BAD, "stride_a = 1 < batch = 2");
    expect_refused(ctx, CALL(&o, 2, a, 2, 4, w, 2, a, 2, 4, 2), BAD, "must be 'M' in place");
    o.layout = EIG_LAYOUT_ROW_WISE;
    expect_refused(ctx, CALL(&o, 2, a, 2, 3, w, 2, v, 2, 4, 2), BAD, "batch*lda");
#define OPTION(field, value, text)                           \
    o = (eig_heev_options)EIG_HEEV_OPTIONS, o.field = value; \
    expect_refused(ctx, CALL(&o, 2, a, 2, 4, w, 2, v, 2, 4, 2), BAD, text)
    OPTION(layout, (eig_layout)'X', "layout = 88");
    OPTION(uplo, (eig_uplo)'X', "uplo = 88");
    OPTION(method, (eig_heev_method)4, "method = 4");
    OPTION(row_major, 2, "row_major = 2");
    OPTION(relative, -1, "relative = -1");
    OPTION(max_sweeps, -1, "max_sweeps = -1");
    OPTION(tolerance, -1, "tolerance = -1");
    OPTION(tolerance, NAN, "tolerance = ");
    OPTION(chunk, -1, "chunk = -1");
    OPTION(size, 3, "begin with the EIG_..._OPTIONS macro");
    OPTION(method, EIG_HEEV_TRIDIAGONAL; o.relative = 1, "relative = 1 with method = 2");
#undef OPTION
#undef CALL
    expect_refused(ctx, eig_heev_work_size(ctx, (eig_type)'q', NULL, 2, 1, 2, &bytes), BAD, "type = 113");
    expect_refused(ctx, eig_heev_work_size(ctx, EIG_D, NULL, 2, 1, 2, NULL), BAD, "bytes is NULL");
    expect_refused(ctx, eig_heev_work_size(ctx, EIG_D, NULL, INT64_MAX, 1, 2, &bytes), BAD, "too large");
    expect_refused(ctx, eig_heev_work_size(ctx, EIG_D, NULL, 2, 1, INT64_MAX, &bytes), BAD, "too large");
    assert_int_equal(eig_dsyev_batched(NULL, NULL, 2, a, 2, 4, NULL, w, 2, v, 2, 4, NULL, NULL, 2), EIG_BAD_ARGUMENT);
    eig_destroy(ctx);
}

/* eig_heev_options_init is the macro. */
static void test_options(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    eig_heev_options o;
    memset(&o, 0x55, sizeof o);
    eig_heev_options_init(&o, sizeof o);
    double const a[4] = {1, 2, NAN, 1};
    double w[2];
    assert_int_equal(eig_dsyev_batched(ctx, &o, 2, a, 2, 4, NULL, w, 2, NULL, 0, 0, NULL, NULL, 1), EIG_OK);
    assert_true(fabs(w[0] + 1) < 1e-15 && fabs(w[1] - 3) < 1e-15);
    eig_destroy(ctx);
}

/* ------------------------------------------------- workspace, progress, times */

/* A lent workspace of the size told is enough, one byte less is not; of a CUDA context it serves device arrays. */
static void test_workspace(void **state)
{
    static const int64_t orders[] = {1, 5, 33, 65};
    (void)state;
    if (!test_on_cpu() || test_on_several()) skip_because("host arrays use no lent workspace here");
    eig_context *const ctx = test_context(3), *const other = test_context(3);
    for (size_t c = 0; c < 32 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 32], count = several(n);
        bool const vectors = c & 1;
        eig_type const type = all_types[c / 2 % 4];
        eig_heev_options const o = by(methods[c / 8 % 4]);
        batch b = batch_make("hermitian", n, count, type, 3), lent = batch_make("hermitian", n, count, type, 3);
        placement const p = {.values_only = !vectors};
        solve_part(other, &o, &b, p, 0, count);
        size_t bytes = 1;
        assert_int_equal(eig_heev_work_size(ctx, type, &o, n, vectors, count, &bytes), EIG_OK);
        char *const work = aligned_alloc(256, (bytes + 511) / 256 * 256);
        assert_int_equal(eig_set_workspace(ctx, work, bytes), EIG_OK);
        solve_part(ctx, &o, &lent, p, 0, count);
        same_results(&b, &lent, vectors, "lent");
        assert_int_equal(eig_set_workspace(ctx, work, bytes - 1), EIG_OK);
        expect_refused(ctx,
                       eig_heev_batched(ctx, type, &o, n, b.a.data, n, n * n, NULL, lent.w.data, n,
                                        vectors ? lent.v.data : NULL, n, n * n, NULL, NULL, count),
                       EIG_BAD_WORKSPACE, "heev");
        free(work);
        batch_free(&b), batch_free(&lent);
    }
    eig_destroy(ctx), eig_destroy(other);
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
    for (size_t k = 0; k < COUNT(methods); ++k) {
        eig_heev_options const o = by(methods[k]);
        batch plain = batch_make("hermitian", 20, 2000, EIG_D, 5),
              watched = batch_make("hermitian", 20, 2000, EIG_D, 5);
        double last = 0;
        eig_pass passes[PASSES_MOST];
        int count;
        solve(ctx, &o, &plain);
        assert_int_equal(eig_set_timing(ctx, 1), EIG_OK);
        assert_int_equal(eig_set_progress(ctx, progress_rises, &last), EIG_OK);
        solve(ctx, &o, &watched);
        assert_true(last == 1);
        count = passes_read(ctx, passes);
        assert_true(count >= 1 && passes[0].ms > 0);
        same_results(&plain, &watched, true, "watched");
        assert_int_equal(eig_set_progress(ctx, stop, NULL), EIG_OK);
        eig_status const status = eig_heev_batched(ctx, EIG_D, &o, 20, plain.a.data, 20, 400, NULL, watched.w.data, 20,
                                                   watched.v.data, 20, 400, NULL, NULL, 2000);
        expect_refused(ctx, status, EIG_CANCELLED, "heev");
        assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
        solve(ctx, &o, &watched);
        same_results(&plain, &watched, true, "after a stop");
        batch_free(&plain), batch_free(&watched);
    }
    eig_destroy(ctx);
}

/* What is left of a matrix that was given up, without vectors: eigenvalues that ascend, then NaN. */
static void test_gives_up_values(void **state)
{
    enum { MATRICES = 9 };
    static const int64_t n[] = {5, 9, 12, 20, 32};
    int64_t given_up = 0;
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 4 * COUNT(n); ++c) {
        int64_t const order = n[c / 4];
        batch b = batch_make("ensemble", order, MATRICES, all_types[c % 4], 21);
        batch all = batch_make("ensemble", order, MATRICES, all_types[c % 4], 21);
        eig_heev_options o = EIG_HEEV_OPTIONS;
        o.method = EIG_HEEV_TRIDIAGONAL;
        solve_part(ctx, &o, &all, (placement){.values_only = true}, 0, MATRICES);
        o.max_sweeps = 1;
        solve_part(ctx, &o, &b, (placement){.values_only = true}, 0, MATRICES);
        for (int64_t m = 0; m < MATRICES; ++m) {
            double const most =
                fmax(fabs(numbers_re(&all.w, m * order)), fabs(numbers_re(&all.w, (m + 1) * order - 1)));
            int64_t const good = order - b.info[m];
            given_up += b.info[m] > 0;
            for (int64_t k = 0, near = 0; k < order; ++k) {
                double const w = numbers_re(&b.w, m * order + k);
                if (k >= good) {
                    assert_true(isnan(w));
                    continue;
                }
                double const allowed = 20 * (double)order * type_eps(b.type) * most;
                while (near < order && !(fabs(numbers_re(&all.w, m * order + near) - w) <= allowed)) ++near;
                if (near == order)
                    fail_msg("n=%lld %s matrix %lld: w[%lld] of %lld good ones is no eigenvalue, or does not ascend",
                             (long long)order, type_name(b.type), (long long)m, (long long)k, (long long)good);
            }
        }
        batch_free(&b), batch_free(&all);
    }
    assert_true(given_up > 0);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),           cmocka_unit_test(test_bits),       cmocka_unit_test(test_order),
        cmocka_unit_test(test_values_only),     cmocka_unit_test(test_not_finite), cmocka_unit_test(test_gives_up),
        cmocka_unit_test(test_sweeps),          cmocka_unit_test(test_tolerance),  cmocka_unit_test(test_bound),
        cmocka_unit_test(test_one_sweep),       cmocka_unit_test(test_empty),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_gives_up_values), cmocka_unit_test(test_options),    cmocka_unit_test(test_workspace),
        cmocka_unit_test(test_progress),
    };
    if (!test_device_answers(argc, argv) || !heev_answers()) return 77;
    return cmocka_run_group_tests_name("heev calls", tests, NULL, NULL);
}
