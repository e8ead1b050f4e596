/* stebz on the device named by the argument: ranges by value that end where eigenvalues are, exactly; eigenvalues that
 * overflow; small ones beside large ones. */
#include "support/ranges.h"
#include "support/stebz_fixture.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static eig_stebz_options with_method(eig_stebz_method method)
{
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    options.method = method;
    return options;
}

/* Diagonal matrices: their entries are their eigenvalues.  Up to 8 entries; the rest is 0. */
static struct {
    int n;
    double d[8];
} const diagonals[] = {
    {2, {0, 1}},
    {3, {0}},
    {3, {0.0, -0.0, 2}},
    {5, {-5e-324, 5e-324, 0, 1e-323, 1}},
    {4, {1e-150, 1e200, 2e-150, -1e-150}},
    {6, {1.7e308, -1.7e308, 5e-324, -5e-324, 0, 1e-300}},
    {4, {1e-300, 2e-300, -1e-300, 1e-310}},
    {4, {0, 1e290, -1e290, 0}},
    {8, {3, 3, 1, -2, 0, 0, 1e-17, 5}},
    {6, {3e38, 1e-45, 0, -1e-45, 3e-45, -3e38}}, /* floats */
    {4, {1e38, 1e-40, -1e-40, 1e-20}},
};

static int64_t entries_upto(const fixture *f, double x)
{
    int64_t count = 0;
    for (int64_t i = 0; i < f->t.n; ++i) count += f->t.d[i] <= x;
    return count;
}

/* The range (vl, vu] holds exactly those entries, and a second range takes it up where it ends. */
static void check_diagonal_range(eig_context *ctx, fixture *f, eig_stebz_options options, double vl, double vu)
{
    if (!(vl < vu)) return;
    options.range = EIG_RANGE_VALUE, options.vl = vl, options.vu = vu;
    int64_t const below = isinf(vl) ? 0 : entries_upto(f, vl), upto = entries_upto(f, vu);
    if (solve_with(ctx, &options, f, true) != upto - below)
        fail_msg("%s, method %d: %lld of %lld eigenvalues in (%.17g, %.17g]", type_name(f->type), (int)options.method,
                 (long long)f->m, (long long)(upto - below), vl, vu);
    certify("diagonal", f, below + 1, f->m, 0);
    certify_enclosures("diagonal", f, below + 1);
}

/* A range ends at entries themselves, at the numbers beside them, and at 0. */
static void test_diagonal_ranges(void **state)
{
    (void)state;
    eig_context *ctx = test_context(2);
    for (size_t k = 0; k < COUNT(diagonals); ++k)
        for (int t = 0; t < 2; ++t) {
            int const n = diagonals[k].n;
            fixture f = make("uniform", n, 1, real_types[t]);
            for (int i = 0; i < n; ++i) f.t.d[i] = diagonals[k].d[i];
            memset(f.t.e, 0, (size_t)(n - 1) * sizeof(double));
            take(&f);
            for (int i = 0; i < 3 * n && fits(&f); ++i) {
                double const at = f.t.d[i / 3],
                             end = i % 3 == 0 ? at : nextafter(at, i % 3 == 1 ? -INFINITY : INFINITY);
                for (int method = EIG_STEBZ_MULTISECTION; method <= EIG_STEBZ_REFERENCE; ++method) {
                    eig_stebz_options const o = with_method((eig_stebz_method)method);
                    check_diagonal_range(ctx, &f, o, -INFINITY, end);
                    check_diagonal_range(ctx, &f, o, end, INFINITY);
                    check_diagonal_range(ctx, &f, o, -1, end);
                    check_diagonal_range(ctx, &f, o, end, 0);
                    check_diagonal_range(ctx, &f, o, 0, end);
                }
            }
            drop(&f);
        }
    eig_destroy(ctx);
}

/* The path Laplacian, of eigenvalues 0 to 4. */
static void path_laplacian(io_tridiagonal *t)
{
    int64_t const n = t->n;
    for (int64_t i = 0; i < n; ++i) t->d[i] = i == 0 || i == n - 1 ? 1 : 2;
    for (int64_t i = 0; i + 1 < n; ++i) t->e[i] = -1;
}

/* Its eigenvalue 0, and also those of a last row that stands alone: ranges that meet at 0 hold each eigenvalue once. */
static void test_ranges_at_zero(void **state)
{
    static double const ends[] = {-INFINITY, -1, -0.0, 5, INFINITY};
    (void)state;
    eig_context *ctx = test_context(2);
    for (int n = 3; n <= 70; n += n < 10 ? 1 : 20)
        for (int t = 0; t < 4; ++t) {
            fixture f = make("uniform", n, 1, real_types[t % 2]);
            path_laplacian(&f.t);
            if (t >= 2) f.t.d[n - 2] = 1, f.t.d[n - 1] = 0, f.t.e[n - 2] = 0;
            take(&f);
            for (int method = EIG_STEBZ_MULTISECTION; method <= EIG_STEBZ_REFERENCE; ++method) {
                eig_stebz_options o = with_method((eig_stebz_method)method);
                int64_t sum = 0;
                o.range = EIG_RANGE_VALUE;
                for (int k = 0; k < 4; ++k) {
                    o.vl = ends[k], o.vu = ends[k + 1];
                    int64_t const m = solve(ctx, &o, &f);
                    certify("at zero", &f, sum + 1, m, 0);
                    if (k == 1 && t >= 2) assert_true(m >= 1); /* the last row's 0 */
                    sum += m;
                }
                assert_int_equal(sum, n);
            }
            drop(&f);
        }
    eig_destroy(ctx);
}

/* Eigenvalues -3.4e308, which overflows, and 0: all of them, in every range that has no end. */
static void test_overflowing_values(void **state)
{
    (void)state;
    eig_context *ctx = test_context(2);
    for (int t = 0; t < 2; ++t)
        for (int method = EIG_STEBZ_MULTISECTION; method <= EIG_STEBZ_REFERENCE; ++method) {
            double const most = real_types[t] == EIG_D ? 1.7e308 : 3e38;
            fixture f = make("uniform", 2, 1, real_types[t]);
            f.t.d[0] = f.t.d[1] = -most, f.t.e[0] = most;
            take(&f);
            eig_stebz_options o = with_method((eig_stebz_method)method);
            o.range = EIG_RANGE_VALUE, o.vl = -INFINITY, o.vu = INFINITY;
            assert_int_equal(solve_with(ctx, &o, &f, true), 2);
            assert_true(w_of(&f, 0) == -INFINITY && fabs(w_of(&f, 1)) <= 4 * type_eps(f.type) * most);
            assert_true(numbers_part(&f.lower, 0) == -INFINITY && numbers_part(&f.upper, 0) < -most);
            o.vl = -most;
            assert_int_equal(solve(ctx, &o, &f), 1);
            o.vl = -INFINITY, o.vu = -most;
            assert_int_equal(solve(ctx, &o, &f), 1);
            /* mirrored: DBL_MAX is an end as good as infinity */
            f.t.d[0] = f.t.d[1] = most;
            take(&f);
            static double const ends[] = {INFINITY, DBL_MAX};
            for (int k = 0; k < 2; ++k) {
                o.vl = -INFINITY, o.vu = ends[k];
                assert_int_equal(solve_with(ctx, &o, &f, true), 2);
                assert_true(fabs(w_of(&f, 0)) <= 4 * type_eps(f.type) * most && w_of(&f, 1) == INFINITY);
                o.vl = most;
                assert_int_equal(solve(ctx, &o, &f), 1);
                assert_true(w_of(&f, 0) == INFINITY);
            }
            drop(&f);
        }
    eig_destroy(ctx);
}

/* Small eigenvalues beside large ones, apart from them or coupled by little, where the tolerance asks for them. */
static void test_small_beside_large(void **state)
{
    (void)state;
    static double const large[2] = {1e200, 1e30}, small[2] = {1e-200, 1e-30};
    eig_context *ctx = test_context(2);
    for (int t = 0; t < 2; ++t)
        for (int method = EIG_STEBZ_MULTISECTION; method <= EIG_STEBZ_REFERENCE; ++method) {
            eig_stebz_options o = with_method((eig_stebz_method)method);
            o.abstol = 2 * DBL_MIN;
            double const eps = type_eps(real_types[t]), one = small[t];
            fixture f = make("uniform", 5, 1, real_types[t]);
            double const d[5] = {large[t], one, 2 * one, 1, -3 * one}, e[4] = {0, one, 0, 0};
            memcpy(f.t.d, d, sizeof d), memcpy(f.t.e, e, sizeof e);
            take(&f);
            double const root = sqrt(1.25), exact[5] = {-3 * one, (1.5 - root) * one, (1.5 + root) * one, 1, large[t]};
            assert_int_equal(solve_with(ctx, &o, &f, true), 5);
            for (int k = 0; k < 5; ++k)
                if (!(fabs(w_of(&f, k) - exact[k]) <= 16 * eps * fabs(exact[k])))
                    fail_msg("%s, method %d: %.17g is not %.17g", type_name(f.type), method, w_of(&f, k), exact[k]);
            certify_enclosures("small beside large", &f, 1);
            drop(&f);
        }
    eig_destroy(ctx);
}

/* The same where T has to be scaled, since its norm overflows: rows that stand alone keep their entries. */
static void test_small_beside_largest(void **state)
{
    (void)state;
    if (!test_on_cpu()) skip_because("a GPU does not give rows that stand alone exactly there");
    enum { N = 9 };
    static double const d[N] = {1.7e308, 0, 1e-300, 1.7e308, -3e-310, 1e-200, 2, 2, 2},
                        e[N - 1] = {1e300, 0, 0, 0, 0, 0, 1, 1};
    static double const exact[] = {-3e-310, 1e-300, 1e-200};
    eig_context *ctx = test_context(2);
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
    o.abstol = 2 * DBL_MIN;
    fixture f = make("uniform", N, 1, EIG_D);
    memcpy(f.t.d, d, sizeof d), memcpy(f.t.e, e, sizeof e);
    take(&f);
    assert_int_equal(solve_with(ctx, &o, &f, true), N);
    for (int k = 0; k < 3; ++k) assert_true(w_of(&f, k + 1) == exact[k]);
    certify("beside the largest", &f, 1, N, 0);
    certify_enclosures("beside the largest", &f, 1);
    double w[2 * N], d2[2 * N], e2[2 * N];
    for (int b = 0; b < 2; ++b) memcpy(d2 + b * N, d, sizeof d), memcpy(e2 + b * N, e, sizeof e);
    assert_int_equal(eig_dstebz_batched(ctx, &o, N, d2, N, e2, N, w, NULL, NULL, N, NULL, 2), EIG_OK);
    for (int k = 0; k < 2 * N; ++k) assert_true(w[k] == w_of(&f, k % N));
    drop(&f);
    eig_destroy(ctx);
}

/* One row that stands alone beside one long block, whose squares are nearly all of the work: at either end and within, of
 * any size, for norms from the promise's border to the largest. */
static void test_one_row_beside_largest(void **state)
{
    (void)state;
    if (!test_on_cpu()) skip_because("a GPU does not give rows that stand alone exactly there");
    enum { N = 40 };
    static const int norms[] = {959, 962, 1000, 1020}, orders[] = {2, 3, 7, N};
    static double const alone[] = {1e-300, -3e-310, 5e-324, 1e-290, -1e-200, 1};
    eig_context *ctx = test_context(2);
    for (int c = 0; c < 4 * 4 * 6 * 3; ++c) {
        int const n = orders[c / 4 % 4], at = c / 96 == 0 ? 0 : c / 96 == 1 ? n / 2 : n - 1;
        double const largest = ldexp(1, norms[c % 4]), one = alone[c / 16 % 6];
        eig_stebz_options o = EIG_STEBZ_OPTIONS;
        o.abstol = 5e-324;
        fixture f = make("uniform", n, 1, EIG_D);
        for (int i = 0; i < n; ++i) f.t.d[i] = largest * (1 + 0.1 * i);
        for (int i = 0; i + 1 < n; ++i) f.t.e[i] = i + 1 == at || i == at ? 0 : largest / 8;
        f.t.d[at] = one;
        take(&f);
        assert_int_equal(solve_with(ctx, &o, &f, true), n);
        int found = 0;
        for (int k = 0; k < n; ++k) found += fabs(w_of(&f, k) - one) <= 16 * DBL_EPSILON * fabs(one);
        if (found != 1)
            fail_msg("n = %d, ||T|| near 2^%d: row %d of %.17g is lost, w[0] = %.17g", n, norms[c % 4], at, one,
                     w_of(&f, 0));
        certify("one row", &f, 1, n, 0);
        certify_enclosures("one row", &f, 1);
        drop(&f);
    }
    eig_destroy(ctx);
}

/* ----------------------------------------------------- stebz and stemr alike */

/* The eigenvalues up to x, by the rule. */
static int64_t counted_upto(eig_context *ctx, const fixture *f, double x)
{
    double const shift = range_shift_of(f->type, x);
    int64_t count;
    assert_int_equal(eig_dstebz_count(ctx, f->t.n, f->t.d, f->t.e, 1, &shift, &count, NULL), EIG_OK);
    return count;
}

static void expect_inside(const char *what, const fixture *f, const numbers *w, int64_t m, int64_t want, double vl,
                          double vu)
{
    if (m != want)
        fail_msg("%s %s, n = %lld: %lld of %lld eigenvalues in (%.17g, %.17g]", what, type_name(f->type),
                 (long long)f->t.n, (long long)m, (long long)want, vl, vu);
    for (int64_t k = 0; k < m; ++k)
        if (!(vl < numbers_part(w, k) && numbers_part(w, k) <= vu))
            fail_msg("%s %s, n = %lld: %.17g is not in (%.17g, %.17g]", what, type_name(f->type), (long long)f->t.n,
                     numbers_part(w, k), vl, vu);
}

/* Each call finds what the counts say, and within the range: stebz by all methods, stemr by all, alone and in a batch, with
 * vectors and without. */
static void check_alike(eig_context *ctx, fixture *f, double vl, double vu)
{
    int64_t const n = f->t.n, want = counted_upto(ctx, f, vu) - counted_upto(ctx, f, vl);
    numbers d, e, w, z;
    int64_t m[2];
    for (int method = EIG_STEBZ_MULTISECTION; method <= EIG_STEBZ_REFERENCE; ++method) {
        eig_stebz_options o = with_method((eig_stebz_method)method);
        o.range = EIG_RANGE_VALUE, o.vl = vl, o.vu = vu;
        expect_inside("stebz", f, &f->w, solve_with(ctx, &o, f, true), want, vl, vu);
        certify_enclosures("in a range", f, counted_upto(ctx, f, vl) + 1);
    }
    if (!numbers_make(&d, f->type, 2 * n) || !numbers_make(&e, f->type, 2 * n) || !numbers_make(&w, f->type, 2 * n) ||
        !numbers_make(&z, f->type, 2 * n * n))
        fail_msg("no memory");
    for (int b = 0; b < 2; ++b) numbers_from(&d, b * n, f->t.d, n), numbers_from(&e, b * n, f->t.e, n - 1);
    for (int c = 0; c < 8; ++c) {
        eig_stemr_options o = EIG_STEMR_OPTIONS;
        int64_t const batch = c / 2 < 3 ? 1 : 2;
        o.method = (eig_stemr_method)(c / 2 % 3), o.range = EIG_RANGE_VALUE, o.vl = vl, o.vu = vu;
        if (o.method == EIG_STEMR_REFERENCE && n > 20) continue; /* it takes long on a GPU */
        assert_int_equal(eig_stemr_batched(ctx, f->type, &o, n, d.data, n, e.data, n, m, w.data, n,
                                           c % 2 ? z.data : NULL, n, n * n, NULL, NULL, NULL, NULL, NULL, batch),
                         EIG_OK);
        expect_inside("stemr", f, &w, m[0], want, vl, vu);
        if (batch == 2) assert_int_equal(m[1], want);
    }
    numbers_free(&d), numbers_free(&e), numbers_free(&w), numbers_free(&z);
}

/* Ranges from one eigenvalue to another, as they were returned, and to the numbers beside them: of floats doubles, too. */
static void test_ends_at_eigenvalues(void **state)
{
    static const char *const kinds[] = {"uniform", "121", "wilkinson", "clement"};
    static const int64_t orders[] = {2, 3, 8, 9, 20, 33, 64, 70, 150};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 2 * COUNT(orders) * COUNT(kinds); ++c) {
        int64_t const n = orders[c / 2 % COUNT(orders)];
        fixture f = make(kinds[c / 2 / COUNT(orders)], n, 3, real_types[c % 2]);
        assert_int_equal(solve(ctx, NULL, &f), n);
        double const first = w_of(&f, n / 4), last = w_of(&f, n - 1 - n / 4), mid = w_of(&f, n / 2);
        double const ends[][2] = {
            {first, last}, {first, mid}, {nextafter(mid, -INFINITY), mid}, {mid, nextafter(mid, INFINITY)}};
        for (size_t k = 0; k < COUNT(ends); ++k)
            if (ends[k][0] < ends[k][1]) check_alike(ctx, &f, ends[k][0], ends[k][1]);
        drop(&f);
    }
    eig_destroy(ctx);
}

/* ---------------------------------------------------------- counts do not fall */

/* Shifts that are 0, or an entry, make a pivot 0; numbers are so small that a substitute for it is not far below them. */
static void test_counts_do_not_fall(void **state)
{
    static struct {
        int n;
        double d[5], e[4];
    } const rows[] = {
        {2, {0, 1}, {0x1p-530}},
        {3, {1, 0, 1}, {0x1p-530, 0x1p-531}},
        {5, /* at 2^-1033 of the norm */
         {-0x1.12300132f0904p-1001, 0x1.0dd56434320aap-998, 0x1.5028579d680e3p-997, 0x1.c86111f408cc1p-998,
          0x1.690e587a065b6p-999},
         {0x1.d84e29a0eaf26p+995, 0x1.05ec0dba73fb6p-998, -0x1.244bae751660bp-997, 0x1.241ac3a7be9a4p-997}},
    };
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t k = 0; k < COUNT(rows); ++k)
        for (int i = 0; i < rows[k].n; ++i) {
            int const n = rows[k].n;
            double const at = rows[k].d[i];
            double const x[] = {nextafter(nextafter(at, -INFINITY), -INFINITY), nextafter(at, -INFINITY), at,
                                nextafter(at, INFINITY), nextafter(nextafter(at, INFINITY), INFINITY)};
            int64_t count[COUNT(x)], m;
            double w[5];
            assert_int_equal(eig_dstebz_count(ctx, n, rows[k].d, rows[k].e, COUNT(x), x, count, NULL), EIG_OK);
            for (size_t j = 1; j < COUNT(x); ++j) {
                if (count[j] < count[j - 1])
                    fail_msg("%lld eigenvalues below %a, %lld below %a", (long long)count[j - 1], x[j - 1],
                             (long long)count[j], x[j]);
                eig_stebz_options o = EIG_STEBZ_OPTIONS;
                o.range = EIG_RANGE_VALUE, o.vl = nextafter(x[j - 1], -INFINITY), o.vu = nextafter(x[j], -INFINITY);
                assert_int_equal(eig_dstebz(ctx, &o, n, rows[k].d, rows[k].e, &m, w, NULL, NULL, NULL), EIG_OK);
                assert_int_equal(m, count[j] - count[j - 1]);
            }
        }
    eig_destroy(ctx);
}

/* ------------------------------------------------------------------ by index */

/* Every eigenvalue by itself, and up to the last one, has the bits of all; brackets of neighbours overlap. */
static void check_indices(eig_context *ctx, fixture *f)
{
    int64_t const n = f->t.n;
    double w[16];
    for (int method = EIG_STEBZ_MULTISECTION; method <= EIG_STEBZ_REFERENCE; method += EIG_STEBZ_REFERENCE)
        for (int enclosures = 0; enclosures < 2; ++enclosures) {
            eig_stebz_options o = with_method((eig_stebz_method)method);
            assert_int_equal(solve_with(ctx, &o, f, enclosures), n);
            for (int64_t k = 0; k < n; ++k) w[k] = w_of(f, k);
            o.range = EIG_RANGE_INDEX;
            for (o.il = 1; o.il <= n; ++o.il)
                for (o.iu = o.il; o.iu <= n; o.iu += o.iu < n ? n - o.iu : 1) {
                    assert_int_equal(solve_with(ctx, &o, f, enclosures), o.iu - o.il + 1);
                    for (int64_t k = 0; k < f->m; ++k)
                        if (w_of(f, k) != w[o.il - 1 + k])
                            fail_msg("n = %lld, method %d: eigenvalue %lld of %lld to %lld is %.17g, of all %.17g",
                                     (long long)n, method, (long long)(o.il + k), (long long)o.il, (long long)o.iu,
                                     w_of(f, k), w[o.il - 1 + k]);
                }
        }
}

static void test_overlapping_brackets(void **state)
{
    static double const d[4] = {-1, 0, 1, -1}, e[3] = {0.25 * 0x1p-52, 1.125 * 0x1p-52, 0.25 * 0x1p-52};
    matrices_rng rng = matrices_seed(17);
    (void)state;
    eig_context *const ctx = test_context(1);
    fixture f = make("uniform", 4, 1, EIG_D);
    memcpy(f.t.d, d, sizeof d), memcpy(f.t.e, e, sizeof e);
    take(&f);
    check_indices(ctx, &f);
    drop(&f);
    for (int turn = 0; turn < (test_on_cpu() ? 4000 : 40); ++turn) {
        int64_t const n = 4 + turn % 9;
        f = make("uniform", n, 1, real_types[turn % 16 == 0]);
        for (int64_t i = 0; i < n; ++i) f.t.d[i] = floor(3 * matrices_uniform(&rng)) - 1;
        for (int64_t i = 0; i + 1 < n; ++i) f.t.e[i] = 0.125 * type_eps(f.type) * floor(17 * matrices_uniform(&rng));
        take(&f);
        check_indices(ctx, &f);
        drop(&f);
    }
    eig_destroy(ctx);
}

/* Entries are the eigenvalues, and the largest number is one of them: no middle of a bracket overflows. */
static void test_largest_entries(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int c = 0; c < 12; ++c) {
        eig_type const type = real_types[c % 2];
        double const largest = type == EIG_D ? DBL_MAX : (double)FLT_MAX, sign = c / 2 % 2 ? -1 : 1;
        eig_stebz_options const o = with_method((eig_stebz_method)(c / 4));
        fixture f = make("uniform", 2, 1, type);
        f.t.d[0] = sign * 0.94 * largest, f.t.d[1] = sign * largest, f.t.e[0] = 0;
        take(&f);
        assert_int_equal(solve_with(ctx, &o, &f, true), 2);
        for (int k = 0; k < 2; ++k) {
            double const w = w_of(&f, k), exact = f.t.d[sign > 0 ? k : 1 - k];
            if (!(fabs(w) <= largest && fabs(w / largest - exact / largest) <= 4 * type_eps(type)))
                fail_msg("%s, method %d: %.17g is not %.17g", type_name(type), (int)o.method, w, exact);
        }
        drop(&f);
    }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diagonal_ranges),      cmocka_unit_test(test_ranges_at_zero),
        cmocka_unit_test(test_overflowing_values),   cmocka_unit_test(test_small_beside_large),
        cmocka_unit_test(test_small_beside_largest), cmocka_unit_test(test_one_row_beside_largest),
        cmocka_unit_test(test_ends_at_eigenvalues),  cmocka_unit_test(test_counts_do_not_fall),
        cmocka_unit_test(test_overlapping_brackets), cmocka_unit_test(test_largest_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
