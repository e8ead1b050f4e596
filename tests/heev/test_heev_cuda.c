/* heev on CUDA: each kernel against the plain one, and device arrays in every form and layout, which give the bits of host
 * arrays.  Streams, graphs and what else a call on a GPU promises: test_heev_calls_cuda.c. */
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
    for (int c = 0; c < 16; ++c) {
        int64_t const n = c / 4 < 3 ? 12 + c / 4 * 6 : 32, count = small ? 5 : 100;
        batch b = batch_make("hermitian", n, count, all_types[c % 4], 3);
        long double const unit = (long double)n * (long double)type_eps(b.type);
        long double residual = 0, orthogonality = 0;
        solve_by(ctx, EIG_HEEV_TRIDIAGONAL, &b);
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
        o.method = EIG_HEEV_TRIDIAGONAL;
        for (size_t q = 0; q < COUNT(places); ++q) {
            if ((small || n > 100) && (c + q) % (small ? 7 : 3) != 0) continue;
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

int main(int argc, char **argv)
{
    small = argc > 1 && strcmp(argv[1], "small") == 0;
    char *arguments[] = {argv[0], "cuda", NULL};
    if (!test_device_answers(2, arguments)) return 77;
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_kernels),   cmocka_unit_test(test_accuracy), cmocka_unit_test(test_placements),
        cmocka_unit_test(test_alignment), cmocka_unit_test(test_blocked),
    };
    if (argc > 1 + small) cmocka_set_test_filter(argv[1 + small]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
