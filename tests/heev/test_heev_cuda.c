/* heev on CUDA: each kernel against the plain one, and device arrays in every form and layout, which give the bits of host
 * arrays.  Streams, graphs and what else a call on a GPU promises: test_heev_calls_cuda.c. */
#include "io/matrices_hermitian.h"
#include "support/heev_cuda.h"

/* Every kernel, by order, type and method: certificates, and values as the plain version's. */
static void test_kernels(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < 4 * order_count(); ++c) {
        int64_t const n = order_of(c / 4), count = small ? 5 : 67;
        batch b = batch_make("hermitian", n, count, all_types[c % 4], 5);
        batch plain = batch_make("hermitian", n, count, all_types[c % 4], 5);
        solve_by(ctx, EIG_HEEV_REFERENCE, &plain);
        for (size_t k = 0; k < COUNT(methods); ++k) {
            solve_by(ctx, methods[k], &b);
            for (int64_t m = 0; m < count; ++m) certify_vectors("hermitian", &b, m, k == 2 || k == 0 ? 4 : 10);
            for (int64_t m = 0; m < n * count; ++m) {
                double const x = numbers_re(&b.w, m), y = numbers_re(&plain.w, m);
                double const most =
                    fmax(fabs(numbers_re(&plain.w, m / n * n)), fabs(numbers_re(&plain.w, m / n * n + n - 1)));
                if (!(fabs(x - y) <= 4 * (double)n * (double)type_eps(b.type) * most))
                    fail_msg("n = %lld %s method %d: %.17g, the plain version's is %.17g", (long long)n,
                             type_name(b.type), (int)methods[k], x, y);
            }
        }
        batch_free(&b), batch_free(&plain);
    }
    eig_destroy(ctx);
}

/* n = 12 to 32: means of (9) and (10) over a batch, in n eps, as small as a careful QL has them.  A step that lets s^2 drift
 * from s has 0.6 and more of the one, rotations by (c, s) have 1.1 of the other in c128. */
static void test_accuracy(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(0);
    for (int c = 0; c < 32; ++c) { /* by one launch, then by three */
        int64_t const n = c / 4 % 4 < 3 ? 12 + c / 4 % 4 * 6 : 32, count = small ? 5 : 100;
        batch b = batch_make("hermitian", n, count, all_types[c % 4], 3);
        long double const unit = (long double)n * (long double)type_eps(b.type);
        long double residual = 0, orthogonality = 0;
        solve_by(ctx, c < 16 ? EIG_HEEV_AUTO : EIG_HEEV_TRIDIAGONAL, &b);
        for (int64_t m = 0; m < count; ++m) {
            hermitian_norms const norms = hermitian_measure(n, &b.a, &b.w, &b.v, m, true);
            residual += norms.residual / norms.a / unit, orthogonality += norms.orthogonality / unit;
        }
        if (!(residual <= 0.5L * count && orthogonality <= count))
            fail_msg("n = %lld %s: A V - V W is %.2Lf n eps ||A||, V^H V - I %.2Lf n eps", (long long)n,
                     type_name(b.type), residual / count, orthogonality / count);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* Device arrays in every layout, triangle and order of rows, padded, in place, without vectors: the bits of host arrays
 * that lie plainly. */
static void test_placements(void **state)
{
    static const placement places[] = {
        {.pad = 0},
        {.pad = 3, .upper = true},
        {.pad = 1, .layout = EIG_LAYOUT_ELEMENT_WISE},
        {.pad = 2, .layout = EIG_LAYOUT_ROW_WISE, .upper = true},
        {.row_major = true, .pad = 1},
        {.row_major = true, .upper = true},
        {.in_place = true},
        {.in_place = true, .row_major = true, .upper = true, .pad = 2},
        {.values_only = true, .layout = EIG_LAYOUT_ELEMENT_WISE, .row_major = true},
        {.values_only = true, .pad = 1},
    };
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < 4 * order_count(); ++c)
        for (size_t k = 0; k < COUNT(methods); ++k)
            for (size_t q = 0; q < COUNT(places); ++q) {
                if ((c + k + q) % (small ? 23 : 3) != 0) continue; /* each two of them meet */
                resident r = make("hermitian", order_of(c / 4), small ? 5 : 37, all_types[c % 4], places[q]);
                eig_heev_options o = EIG_HEEV_OPTIONS;
                o.method = methods[k];
                solve_part(ctx, &o, &r.host, (placement){.values_only = places[q].values_only}, 0, r.host.count);
                run(ctx, &o, &r, "on the device");
                drop(&r);
            }
    eig_destroy(ctx);
}

/* Complex arrays that are aligned to their real numbers alone. */
static void test_alignment(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < 2 * order_count(); ++c)
        for (size_t k = 0; k < COUNT(methods); ++k) {
            eig_type const type = c % 2 ? EIG_C : EIG_Z;
            size_t const size = type_size(type) / 2;
            resident r = make("hermitian", order_of(c / 2), small ? 3 : 20, type, (placement){0});
            eig_heev_options o = EIG_HEEV_OPTIONS;
            o.method = methods[k];
            solve(ctx, &o, &r.host);
            resident shifted = r;
            shifted.at_a = (char *)r.at_a + size, shifted.at_v = (char *)r.at_v + size;
            run(ctx, &o, &shifted, "aligned to real numbers");
            drop(&r);
        }
    eig_destroy(ctx);
}

/* Orders around those at which kernels change, in every form that a call can have, against the plain version and against
 * host arrays. */
static void test_blocked(void **state)
{
    static const placement places[] = {{.pad = 0},
                                       {.pad = 1, .upper = true},
                                       {.pad = 3, .row_major = true},
                                       {.row_major = true, .upper = true},
                                       {.in_place = true},
                                       {.in_place = true, .upper = true, .pad = 1},
                                       {.in_place = true, .row_major = true, .pad = 2},
                                       {.pad = 1, .layout = EIG_LAYOUT_ELEMENT_WISE},
                                       {.layout = EIG_LAYOUT_ROW_WISE, .upper = true},
                                       {.values_only = true, .row_major = true}};
    static int64_t const all[] = {33,  40,  41,  48,  49,  63,  64,  65,  96,  97,  100, 115,
                                  116, 127, 128, 129, 166, 167, 200, 237, 238, 256, 300};
    static int64_t const some[] = {34, 47, 64, 65, 119};
    (void)state;
    eig_context *const ctx = test_context(0);
    size_t const count = small ? COUNT(some) : COUNT(all);
    for (size_t c = 0; c < 4 * count; ++c) {
        int64_t const n = small ? some[c / 4] : all[c / 4];
        eig_heev_options o = EIG_HEEV_OPTIONS;
        for (size_t q = 0; q < COUNT(places); ++q) {
            if ((small || n > 100) && (c + q) % (small ? 7 : 3) != 0) continue;
            o.method = (c + q) % 2 ? EIG_HEEV_TRIDIAGONAL : EIG_HEEV_AUTO;
            resident r = make("hermitian", n, 3, all_types[c % 4], places[q]);
            solve_part(ctx, &o, &r.host, (placement){.values_only = places[q].values_only}, 0, 3);
            if (!places[q].values_only) certify_vectors("hermitian", &r.host, q % 3, 4);
            run(ctx, &o, &r, "blocked");
            if (!type_is_complex(all_types[c % 4]) || places[q].in_place || places[q].values_only) {
                drop(&r);
                continue;
            }
            resident shifted = r; /* aligned to real numbers alone */
            shifted.at_a = (char *)r.at_a + type_size(all_types[c % 4]) / 2;
            shifted.at_v = (char *)r.at_v + type_size(all_types[c % 4]) / 2;
            run(ctx, &o, &shifted, "blocked, aligned to real numbers");
            drop(&r);
        }
    }
    eig_destroy(ctx);
}

/* Batches of matrices of road block that do not fit a block's shared memory: more than road whole takes.  Both sides of the borders of
 * tiles and panels; columns that are and that are not aligned to 16 bytes have the same bits. */
static void test_streamed(void **state)
{
    static const placement places[] = {{.pad = 0},
                                       {.pad = 1, .upper = true},
                                       {.pad = 4, .row_major = true},
                                       {.in_place = true},
                                       {.pad = 3, .layout = EIG_LAYOUT_ROW_WISE}};
    eig_heev_options const o = EIG_HEEV_OPTIONS;
    static int64_t const all[] = {238, 240, 255, 256, 257, 300, 383, 384, 389, 640, 641, 1021};
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < (small ? 1 : 2 * COUNT(all)); ++c) {
        int64_t const n = all[c / 2], count = n < 1000 ? 33 : 24;
        eig_type const type = c % 2 && n < 400 ? all_types[c / 2 % 4] : EIG_S;
        resident r = make("hermitian", n, count, type, places[(c + 1) % COUNT(places)]);
        solve_part(ctx, NULL, &r.host, (placement){0}, 0, count);
        assert_string_equal(eig_get_road(ctx), "block");
        for (int64_t m = 0; m < count; m += 11) certify_vectors("hermitian", &r.host, m, 4);
        run(ctx, &o, &r, "streamed");
        drop(&r);
    }
    eig_destroy(ctx);
}

/* Wilkinson's matrices of 7 rows, glued by 2^-power. */
static void fill_glued(numbers *a, int64_t n, int power)
{
    int64_t const parts = type_is_complex(a->type) ? 2 : 1;
    numbers_fill(a, 0);
    for (int64_t i = 0; i < n; ++i) {
        numbers_put_part(a, parts * (i * n + i), fabs(3 - (double)(i % 7)));
        double const beside = i % 7 ? 1 : ldexp(1, -power);
        if (i > 0) numbers_put_part(a, parts * (i * n + i - 1), beside);
        if (i > 0) numbers_put_part(a, parts * ((i - 1) * n + i), beside);
    }
}

enum { GLUED = 11 }; /* so many of them */

/* Matrix m of a batch for the road few: of some kind, near the lower or the upper end of the range or not. */
static void fill_few(batch *b, int64_t m, const char *kind)
{
    int64_t const n = b->n, parts = (type_is_complex(b->type) ? 2 : 1) * n * n;
    int const end = type_is_single(b->type) ? 100 : 960,
              power = strncmp(kind, "ensemble-", 9) ? (int)(m % 3 - 1) * end : 0;
    numbers one;
    io_error error;
    assert_true(numbers_make(&one, b->type, n * n));
    if (strcmp(kind, "glued") == 0)
        fill_glued(&one, n, (int)(m / 3 % GLUED) * 5);
    else if (!matrices_hermitian(kind, n, 1, (uint64_t)m, &one, &error))
        fail_msg("%s", error.text);
    for (int64_t k = 0; k < parts; ++k) numbers_put_part(&b->a, m * parts + k, ldexp(numbers_part(&one, k), power));
    numbers_free(&one);
}

/* The kind of matrix m: one of so many with a name, or "glued". */
static const char *kind_of(int64_t m, int kinds)
{
    int const kind = (int)(m / 3 % (kinds + GLUED));
    return kind < kinds ? matrices_hermitian_names[kind] : "glued";
}

/* Few matrices, all by one launch: of all kinds, and of all sizes; one that is not finite spoils no other; alone, and without
 * vectors, the same bits. */
static void test_few(void **state)
{
    static int64_t const all[] = {9, 10, 13, 16, 17, 24, 25, 31, 32, 33, 34, 40, 47, 48, 49, 56, 63, 64},
                         some[] = {9, 18, 37};
    (void)state;
    eig_context *const ctx = test_context(0);
    int kinds = 0;
    while (matrices_hermitian_names[kinds]) ++kinds;
    for (size_t c = 0; c < 4 * (small ? COUNT(some) : COUNT(all)); ++c) {
        int64_t const n = small ? some[c / 4] : all[c / 4], count = 3 * (kinds + GLUED) + 1, bad = count / 2;
        batch b = batch_new(n, count, all_types[c % 4]), again = batch_new(n, count, b.type);
        for (int64_t m = 0; m < count; ++m) fill_few(&b, m, kind_of(m, kinds));
        numbers_put_part(&b.a, bad * numbers_parts(&b.a) / count, NAN);
        memcpy(again.a.data, b.a.data, numbers_bytes(&b.a));
        solve(ctx, NULL, &b);
        assert_string_equal(eig_get_road(ctx), "few");
        for (int64_t m = 0; m < count; ++m)
            if (m != bad)
                certify_vectors(kind_of(m, kinds), &b, m, 4);
            else
                assert_true(b.info[m] == EIG_INFO_NOT_FINITE && isnan(numbers_re(&b.w, m * n)) &&
                            isnan(numbers_re(&b.v, m * n * n)));
        for (int64_t m = 0; m < count; m += 7) solve_part(ctx, NULL, &again, (placement){.upper = m % 2}, m, 1);
        for (int64_t m = 0; m < count; m += 7) {
            assert_memory_equal(numbers_at(&again.w, m * n), numbers_at(&b.w, m * n), (size_t)n * type_size(b.w.type));
            assert_memory_equal(numbers_at(&again.v, m * n * n), numbers_at(&b.v, m * n * n),
                                (size_t)(n * n) * type_size(b.type));
        }
        solve_part(ctx, NULL, &again, (placement){.values_only = true}, 0, count);
        assert_memory_equal(again.w.data, b.w.data, numbers_bytes(&b.w));
        batch_free(&b), batch_free(&again);
    }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    small = argc > 1 && strcmp(argv[1], "small") == 0;
    char *arguments[] = {argv[0], "cuda", NULL};
    if (!test_device_answers(2, arguments)) return 77;
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_kernels),   cmocka_unit_test(test_accuracy), cmocka_unit_test(test_placements),
        cmocka_unit_test(test_alignment), cmocka_unit_test(test_blocked),  cmocka_unit_test(test_streamed),
        cmocka_unit_test(test_few),
    };
    if (argc > 1 + small) cmocka_set_test_filter(argv[1 + small]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
