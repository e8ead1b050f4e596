/* heev on CUDA, road whole: one matrix or few, on which all of the GPU works.  Orders on both sides of every border, kinds that are
 * hard for the eigenpairs of T, ranges, NaN. */
#include "support/heev_cuda.h"

/* Values alone are those with vectors, but for the rounding errors of both. */
static void same_values(eig_context *ctx, const char *name, batch *b)
{
    numbers with_vectors = numbers_room(b->w.type, b->n * b->count);
    for (int64_t k = 0; k < b->n * b->count; ++k) copy_element(&with_vectors, k, &b->w, k);
    solve_part(ctx, NULL, b, (placement){.values_only = true}, 0, b->count);
    for (int64_t k = 0; k < b->n * b->count; ++k) {
        int64_t const first = k / b->n * b->n, last = first + b->n - 1;
        double const most = fmax(fabs(numbers_re(&with_vectors, first)), fabs(numbers_re(&with_vectors, last)));
        if (!(fabs(numbers_re(&b->w, k) - numbers_re(&with_vectors, k)) <= 16 * (double)type_eps(b->type) * most))
            fail_msg("%s n=%lld %s: w[%lld] is %.17g alone, %.17g with vectors", name, (long long)b->n,
                     type_name(b->type), (long long)k, numbers_re(&b->w, k), numbers_re(&with_vectors, k));
    }
    numbers_free(&with_vectors);
}

/* ---------------------------------------------------------------------- orders */

/* Both sides of the borders of blocks of reflectors, tiles, parts of the products, and kernels of the reduction. */
static void test_orders(void **state)
{
    static int64_t const all[] = {65,  66,  96,  97,  127, 128,  129,  130,  191,  192,  193,  256,  257, 300,
                                  400, 511, 512, 513, 639, 1000, 1024, 1025, 1300, 1301, 2048, 2049, 2100};
    static int64_t const some[] = {65, 96, 129};
    (void)state;
    eig_context *const ctx = test_context(0);
    size_t const count = small ? COUNT(some) : COUNT(all);
    for (size_t c = 0; c < 4 * count; ++c) {
        int64_t const n = small ? some[c / 4] : all[c / 4];
        if (n > 300 && c % 4 != c / 4 % 4 && c % 4 != (c / 4 + 2) % 4) continue; /* seconds */
        batch b = batch_make("ensemble", n, n <= 300 ? 2 : 1, all_types[c % 4], 7);
        solve(ctx, NULL, &b);
        for (int64_t m = 0; m < b.count; ++m) certify_vectors("ensemble", &b, m, 4);
        same_values(ctx, "ensemble", &b);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* ----------------------------------------------------------------------- kinds */

/* Rows and columns of T = tridiag(e, d, e). */
typedef void tridiagonal(int64_t n, double *d, double *e);

static void glued(int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = fabs(10 - (double)(i % 21)), e[i] = i % 21 == 20 ? 0x1p-30 : 1;
}

static void graded(int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = exp2(-40 * (double)i / (double)n), e[i] = 0.3 * d[i];
}

static void clustered(int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = (double)(i % 3) + 0x1p-46 * (double)(i / 3), e[i] = 0;
}

static void deficient(int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = i < n - 20 ? 0 : (double)(i - n), e[i] = 0;
}

static void second_difference(int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = 2, e[i] = -1;
}

/* Rows i and j of a := a - u (a^H u)^H tau and so on: H a H, H = I - 2 u u^H, |u| = 1.  a: planes in C order. */
static void reflect(int64_t n, double *re, double *im, const double *ur, const double *ui, double *pr, double *pi)
{
    double share = 0;
    for (int64_t i = 0; i < n; ++i) {
        pr[i] = pi[i] = 0;
        for (int64_t j = 0; j < n; ++j) {
            pr[i] += re[i * n + j] * ur[j] - im[i * n + j] * ui[j];
            pi[i] += re[i * n + j] * ui[j] + im[i * n + j] * ur[j];
        }
        share += ur[i] * pr[i] + ui[i] * pi[i];
    }
    for (int64_t i = 0; i < n; ++i) pr[i] = 2 * (pr[i] - share * ur[i]), pi[i] = 2 * (pi[i] - share * ui[i]);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) { /* a - p u^H - u p^H */
            re[i * n + j] -= pr[i] * ur[j] + pi[i] * ui[j] + ur[i] * pr[j] + ui[i] * pi[j];
            im[i * n + j] -= pi[i] * ur[j] - pr[i] * ui[j] + ui[i] * pr[j] - ur[i] * pi[j];
        }
}

/* T times 2^power, filled by three reflections, Hermitian to the bit. */
static batch filled(tridiagonal *kind, int64_t n, eig_type type, int power)
{
    enum { REFLECTIONS = 3 };
    batch b = batch_new(n, 1, type);
    bool const is_complex = type_is_complex(type);
    double *const re = calloc((size_t)(2 * n * n + 6 * n), sizeof *re), *const im = re + n * n;
    double *const d = im + n * n, *const e = d + n, *const ur = e + n, *const ui = ur + n, *const p = ui + n;
    if (!re) skip_because("no memory for a matrix");
    kind(n, d, e);
    for (int64_t i = 0; i < n; ++i) {
        re[i * n + i] = d[i];
        if (i + 1 < n) re[i * n + i + 1] = re[(i + 1) * n + i] = e[i];
    }
    for (int f = 0; f < REFLECTIONS; ++f) {
        double square = 0;
        for (int64_t i = 0; i < n; ++i) {
            ur[i] = cos(1.7 * (double)(i * (f + 2)) + f), ui[i] = is_complex ? sin(2.3 * (double)(i * (f + 1))) : 0;
            square += ur[i] * ur[i] + ui[i] * ui[i];
        }
        for (int64_t i = 0; i < n; ++i) ur[i] /= sqrt(square), ui[i] /= sqrt(square);
        reflect(n, re, im, ur, ui, p, p + n);
    }
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
            int64_t const at = i >= j ? i * n + j : j * n + i, to = (i * n + j) * (is_complex ? 2 : 1);
            numbers_put_part(&b.a, to, ldexp(re[at], power));
            if (is_complex) numbers_put_part(&b.a, to + 1, i == j ? 0 : ldexp(i > j ? im[at] : -im[at], power));
        }
    free(re);
    return b;
}

static void test_kinds(void **state)
{
    static const struct {
        const char *name;
        tridiagonal *fill;
    } kinds[] = {{"glued", glued},
                 {"graded", graded},
                 {"clustered", clustered},
                 {"deficient", deficient},
                 {"1-2-1", second_difference}};
    static int64_t const orders_here[] = {129, 300, 700, 1500};
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < COUNT(kinds) * (small ? 1 : COUNT(orders_here)); ++c)
        for (int t = 0; t < 4; ++t) {
            size_t const k = c % COUNT(kinds);
            int64_t const n = small ? 70 : orders_here[c / COUNT(kinds)];
            if (n > 300 && t != (int)(c % 4)) continue; /* seconds */
            int const power = (int)((c + (size_t)t) % 3 - 1) * (type_is_single(all_types[t]) ? 100 : 990);
            batch b = filled(kinds[k].fill, n, all_types[t], power);
            solve(ctx, NULL, &b);
            certify_vectors(kinds[k].name, &b, 0, 4);
            same_values(ctx, kinds[k].name, &b);
            batch_free(&b);
        }
    eig_destroy(ctx);
}

/* ---------------------------------------------------------------------- ranges */

/* Pairs il to iu of a matrix, column-major; by value where vl < vu. */
static void call_range(eig_context *ctx, const batch *b, eig_heev_options o, bool vectors, numbers *w, numbers *v,
                       int64_t *m)
{
    o.row_major = 0;
    numbers_fill(w, 55), numbers_fill(v, 55);
    eig_status const status = eig_heev_batched(ctx, b->type, &o, b->n, b->a.data, b->n, b->n * b->n, m, w->data, b->n,
                                               vectors ? v->data : NULL, b->n, b->n * b->n, NULL, NULL, b->count);
    if (status != EIG_OK) fail_msg("%s", eig_error_detail(ctx));
}

/* Of matrix `at` pairs first to first + count - 1 of the full run, and the filler behind them. */
static void expect_pairs(const batch *b, const numbers *all_w, const numbers *all_v, const numbers *w, const numbers *v,
                         int64_t at, int64_t first, int64_t count)
{
    int64_t const n = b->n;
    size_t const real = type_size(w->type), size = type_size(b->type);
    if (memcmp(numbers_at(w, at * n), numbers_at(all_w, at * n + first), (size_t)count * real) != 0)
        fail_msg("n=%lld %s: other values in a range", (long long)n, type_name(b->type));
    if (all_v && memcmp(numbers_at(v, at * n * n), numbers_at(all_v, (at * n + first) * n), (size_t)(count * n) * size))
        fail_msg("n=%lld %s: other vectors in a range", (long long)n, type_name(b->type));
    for (int64_t k = count; k < n; ++k)
        if (numbers_re(w, at * n + k) != 55) fail_msg("n=%lld: w[%lld] is written", (long long)n, (long long)k);
    for (int64_t k = count * n; k < n * n && all_v; ++k)
        if (numbers_re(v, at * n * n + k) != 55) fail_msg("n=%lld: v[%lld] is written", (long long)n, (long long)k);
}

static void test_ranges(void **state)
{
    static int64_t const orders_here[] = {66, 130, 300, 700};
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < 8 * (small ? 1 : COUNT(orders_here)); ++c) {
        int64_t const n = orders_here[c / 8], count = n > 300 ? 1 : 2;
        bool const vectors = c % 2;
        batch b = batch_make("ensemble", n, count, all_types[c / 2 % 4], 3);
        numbers all_w = numbers_room(type_real(b.type), n * count), all_v = numbers_room(b.type, n * n * count);
        numbers w = numbers_room(type_real(b.type), n * count), v = numbers_room(b.type, n * n * count);
        int64_t m[2];
        call_range(ctx, &b, (eig_heev_options)EIG_HEEV_OPTIONS, vectors, &all_w, &all_v, NULL);
        int64_t const ends[][2] = {{1, n}, {1, 1}, {n, n}, {n / 3, n / 2}};
        for (size_t k = 0; k < 2 * COUNT(ends); ++k) {
            int64_t const il = ends[k / 2][0], iu = ends[k / 2][1], own = (count - 1) * n;
            eig_heev_options o = EIG_HEEV_OPTIONS;
            o.range = k % 2 ? EIG_RANGE_VALUE : EIG_RANGE_INDEX, o.il = il, o.iu = iu;
            /* Just above eigenvalues: where an end is one counts decide, not w. */
            double const beside = 1e-4 * (numbers_re(&all_w, own + n - 1) - numbers_re(&all_w, own));
            o.vl = il > 1 ? numbers_re(&all_w, own + il - 2) + beside : -INFINITY;
            o.vu = numbers_re(&all_w, own + iu - 1) + beside;
            call_range(ctx, &b, o, vectors, &w, &v, m);
            for (int64_t at = 0; at < count; ++at) {
                int64_t first = il - 1, upto = iu;
                if (k % 2) {
                    first = upto = 0;
                    for (int64_t i = 0; i < n; ++i) {
                        first += numbers_re(&all_w, at * n + i) <= o.vl;
                        upto += numbers_re(&all_w, at * n + i) <= o.vu;
                    }
                }
                assert_int_equal(m[at], upto - first);
                expect_pairs(&b, &all_w, vectors ? &all_v : NULL, &w, &v, at, first, upto - first);
            }
        }
        numbers_free(&all_w), numbers_free(&all_v), numbers_free(&w), numbers_free(&v), batch_free(&b);
    }
    eig_destroy(ctx);
}

/* ------------------------------------------------------------------------ bits */

/* From run to run, on the device in several forms, with a NaN beside: the bits of a plain call. */
static void test_bits(void **state)
{
    static const placement places[] = {{.pad = 0},
                                       {.pad = 3, .upper = true},
                                       {.row_major = true, .pad = 1},
                                       {.in_place = true},
                                       {.in_place = true, .row_major = true, .upper = true, .pad = 2},
                                       {.values_only = true, .layout = EIG_LAYOUT_ELEMENT_WISE},
                                       {.layout = EIG_LAYOUT_ROW_WISE, .pad = 1}};
    static int64_t const orders_here[] = {65, 200, 513};
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < COUNT(places) * 4 * (small ? 1 : COUNT(orders_here)); ++c) {
        int64_t const n = orders_here[c / 4 / COUNT(places)];
        placement const p = places[c / 4 % COUNT(places)];
        if (small && c % 3 != 0) continue;
        resident r = make("ensemble", n, 2, all_types[c % 4], p);
        eig_heev_options const o = EIG_HEEV_OPTIONS;
        solve_part(ctx, NULL, &r.host, (placement){.values_only = p.values_only}, 0, 2);
        run(ctx, &o, &r, "whole");
        run(ctx, &o, &r, "whole, again");
        drop(&r);
    }
    eig_destroy(ctx);
}

/* One bad matrix spoils no other. */
static void test_bad(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(0);
    for (int t = 0; t < 4; ++t) {
        int64_t const n = small ? 70 : 260;
        batch good = batch_make("ensemble", n, 3, all_types[t], 5), bad = batch_make("ensemble", n, 3, all_types[t], 5);
        numbers_put_part(&bad.a, (n * n + 7 * n + 3) * (type_is_complex(all_types[t]) ? 2 : 1), t % 2 ? NAN : INFINITY);
        solve(ctx, NULL, &good), solve(ctx, NULL, &bad);
        for (int64_t m = 0; m < 3; ++m) {
            assert_int_equal(bad.info[m], m == 1 ? EIG_INFO_NOT_FINITE : 0);
            size_t const w = (size_t)n * type_size(bad.w.type), v = (size_t)(n * n) * type_size(bad.type);
            if (m == 1) {
                for (int64_t k = 0; k < n; ++k) assert_true(isnan(numbers_re(&bad.w, n + k)));
                for (int64_t k = 0; k < n * n; ++k) assert_true(isnan(numbers_re(&bad.v, n * n + k)));
            } else if (memcmp(numbers_at(&bad.w, m * n), numbers_at(&good.w, m * n), w) ||
                       memcmp(numbers_at(&bad.v, m * n * n), numbers_at(&good.v, m * n * n), v)) {
                fail_msg("n=%lld %s: a matrix beside one that is not finite has other bits", (long long)n,
                         type_name(all_types[t]));
            }
        }
        batch_free(&good), batch_free(&bad);
    }
    eig_destroy(ctx);
}

/* One large matrix, all pairs and a few; its values alone take two stages. */
static void test_large(void **state)
{
    (void)state;
    if (small) skip_because("sizes are small");
    eig_context *const ctx = test_context(0);
    batch b = batch_make("ensemble", 4000, 1, EIG_D, 7), few_pairs = batch_make("ensemble", 4000, 1, EIG_D, 7);
    solve(ctx, NULL, &b);
    certify_vectors("ensemble", &b, 0, 4);
    eig_heev_options o = EIG_HEEV_OPTIONS;
    int64_t m = 0;
    o.range = EIG_RANGE_INDEX, o.il = 11, o.iu = 20, o.row_major = 1;
    assert_int_equal(
        eig_heev(ctx, EIG_D, &o, b.n, b.a.data, b.n, &m, few_pairs.w.data, few_pairs.v.data, b.n, few_pairs.info, NULL),
        EIG_OK);
    assert_int_equal(m, 10);
    for (int64_t k = 0; k < 10; ++k)
        for (int64_t i = -1; i < b.n; ++i) {
            double const x = i < 0 ? numbers_re(&few_pairs.w, k) : numbers_re(&few_pairs.v, i * b.n + k);
            assert_true(x == (i < 0 ? numbers_re(&b.w, 10 + k) : numbers_re(&b.v, i * b.n + 10 + k)));
        }
    same_values(ctx, "ensemble", &b);
    batch_free(&b), batch_free(&few_pairs);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    small = argc > 1 && strcmp(argv[1], "small") == 0;
    char *arguments[] = {argv[0], "cuda", NULL};
    if (!test_device_answers(2, arguments)) return 77;
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_orders), cmocka_unit_test(test_kinds), cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_bits),   cmocka_unit_test(test_bad),   cmocka_unit_test(test_large),
    };
    if (argc > 1 + small) cmocka_set_test_filter(argv[1 + small]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
