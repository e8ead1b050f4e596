/* The checks of the benchmarks: they pass what the library computes, and nothing that is wrong. */
#include "bench/support/cases.h"
#include "support/device.h"

#include <math.h>

enum { N = 12, BATCH = 7 };

static bench_case solved(eig_context *ctx, const case_family *family, const char *kind, eig_type type, bool values_only)
{
    bench_case c = case_new(family, kind, type, N, BATCH);
    io_error error;
    c.values_only = values_only;
    if (!case_make(&c, &error)) fail_msg("%s", error.text);
    assert_int_equal(case_call(ctx, &c), EIG_OK);
    return c;
}

static bool passes(eig_context *ctx, const bench_case *c)
{
    double error;
    assert_int_equal(case_check(ctx, c, &error), EIG_OK);
    return case_passed(c, error);
}

/* Adds to part k of x; the check must fail while it stands there. */
static void spoiled(eig_context *ctx, const bench_case *c, numbers *x, int64_t k, double by)
{
    double const before = numbers_part(x, k);
    numbers_put_part(x, k, before + by);
    if (passes(ctx, c))
        fail_msg("%s %s: passes with element %d wrong by %g", c->family->name, type_name(c->type), (int)k, by);
    numbers_put_part(x, k, before);
}

static void check_case(eig_context *ctx, bench_case *c)
{
    assert_true(passes(ctx, c));
    double const eps = type_eps(c->type), far = 200 * N * eps;
    for (int64_t m = 0; m < BATCH; m += BATCH - 1) {
        int64_t const parts = numbers_parts(&c->w) / BATCH;
        spoiled(ctx, c, &c->w, m * parts, NAN);
        spoiled(ctx, c, &c->w, m * parts, -far), spoiled(ctx, c, &c->w, (m + 1) * parts - 1, far);
        c->info[m] = 1;
        assert_false(passes(ctx, c));
        c->info[m] = 0;
        if (!c->v.data) continue;
        int64_t const entries = numbers_parts(&c->v) / BATCH;
        for (int64_t k = 0; k < entries; k += 5) spoiled(ctx, c, &c->v, m * entries + k, far);
        spoiled(ctx, c, &c->v, m * entries + 1, NAN);
    }
    case_poison(c);
    assert_false(passes(ctx, c));
    case_free(c);
}

/* Parts first, ... and second, ..., `count` of them. */
static void exchange(numbers *x, int64_t first, int64_t second, int64_t count)
{
    for (int64_t k = 0; k < count; ++k) {
        double const held = numbers_part(x, first + k);
        numbers_put_part(x, first + k, numbers_part(x, second + k));
        numbers_put_part(x, second + k, held);
    }
}

static void test_heev(void **state)
{
    static eig_type const types[] = {EIG_S, EIG_D, EIG_C, EIG_Z};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int k = 0; k < 8; ++k) {
        bench_case c = solved(ctx, &case_heev, "hermitian", types[k / 2], k % 2);
        check_case(ctx, &c);
        /* Two vectors exchanged: all are of length 1 and orthogonal.  Then their eigenvalues as well: each pair is right, but
         * w no longer ascends. */
        c = solved(ctx, &case_heev, "hermitian", types[k / 2], false);
        exchange(&c.v, 0, numbers_parts(&c.v) / (BATCH * N), numbers_parts(&c.v) / (BATCH * N));
        assert_false(passes(ctx, &c));
        exchange(&c.w, 0, 1, 1);
        assert_false(passes(ctx, &c));
        case_free(&c);
    }
    /* The paper's matrices, and those whose answers are exact. */
    static const char *const kinds[] = {"hermitian01", "eye", "zeros", "rank-one", "ensemble-tiny", "ensemble-huge"};
    for (size_t k = 0; k < 2 * sizeof kinds / sizeof *kinds; ++k) {
        bench_case c = solved(ctx, &case_heev, kinds[k / 2], EIG_Z, k % 2);
        if (!passes(ctx, &c)) fail_msg("%s does not pass", kinds[k / 2]);
        case_free(&c);
    }
    eig_destroy(ctx);
}

static void test_geev_and_stebz(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int k = 0; k < 2; ++k) {
        eig_type const type = k == 0 ? EIG_D : EIG_S;
        bench_case c = solved(ctx, &case_geev, "random", type, false);
        check_case(ctx, &c);
        c = solved(ctx, &case_stebz, "uniform", type, false);
        check_case(ctx, &c);
    }
    eig_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_heev), cmocka_unit_test(test_geev_and_stebz)};
    return cmocka_run_group_tests_name("cases", tests, NULL, NULL);
}
