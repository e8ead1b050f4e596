/* stebz on the CPU, few rows: the short road gives the bits of the search, which a call with a progress callback takes, and sees
 * every entry that is not finite. */
#include "eigpack.h"
#include "io/matrices.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 16 };

static eig_context *ctx;

static int go_on(void *user, double fraction)
{
    (void)user, (void)fraction;
    return 0;
}

/* What a call of either type gives; w, lower and upper as doubles. */
typedef struct answer {
    double w[MOST], lower[MOST], upper[MOST];
    int64_t m;
    int info;
} answer;

static answer solve(bool single, const eig_stebz_options *o, int n, const double *d, const double *e, bool bounds)
{
    answer a;
    float df[MOST], ef[MOST], w[MOST], lower[MOST], upper[MOST];
    memset(&a, 0, sizeof a);
    a.m = -1, a.info = -7;
    for (int i = 0; i < n; ++i) df[i] = (float)d[i], ef[i] = (float)e[i], w[i] = lower[i] = upper[i] = 0;
    if (single) {
        assert_int_equal(eig_sstebz(ctx, o, n, df, ef, &a.m, w, bounds ? lower : NULL, bounds ? upper : NULL, &a.info),
                         EIG_OK);
        for (int i = 0; i < n; ++i) a.w[i] = w[i], a.lower[i] = lower[i], a.upper[i] = upper[i];
    } else {
        assert_int_equal(
            eig_dstebz(ctx, o, n, d, e, &a.m, a.w, bounds ? a.lower : NULL, bounds ? a.upper : NULL, &a.info), EIG_OK);
    }
    return a;
}

static void check_same(bool single, const eig_stebz_options *o, int n, const double *d, const double *e)
{
    for (int bounds = 0; bounds < 2; ++bounds) {
        answer const a = solve(single, o, n, d, e, bounds);
        assert_int_equal(eig_set_progress(ctx, go_on, NULL), EIG_OK);
        answer const b = solve(single, o, n, d, e, bounds);
        assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
        if (a.m != b.m || a.info != b.info || memcmp(a.w, b.w, sizeof a.w) != 0 ||
            memcmp(a.lower, b.lower, sizeof a.lower) != 0 || memcmp(a.upper, b.upper, sizeof a.upper) != 0)
            fail_msg("%s, n = %d, il = %lld: d = %g, %g ..., e = %g ..., w = %.17g and %.17g", single ? "s" : "d", n,
                     (long long)o->il, d[0], d[n > 1], e[0], a.w[0], b.w[0]);
    }
}

/* Entry i of a kind of matrix. */
static double entry(int kind, int i, bool diagonal, matrices_rng *rng)
{
    double const u = 2 * matrices_uniform(rng) - 1;
    switch (kind) {
    case 0:
        return u;
    case 1:
        return diagonal ? u : 0;
    case 2:
        return ldexp(u, -5 * i - (diagonal ? 0 : 2));
    case 3:
        return diagonal ? 1 : ldexp(u, -30 * (i + 1)); /* couplings around what is negligible */
    case 4:
        return diagonal ? (i % 2 ? -0.0 : 0.0) : i % 3 ? 0 : u;
    case 5:
        return diagonal ? (i % 2 ? 0.5 : -0.0) : -0.0;
    default:
        return 0;
    }
}

static void test_same_bits(void **state)
{
    static const int scales[] = {0,    1,    -7,   100, -120, 290,  -290, 299,  300,  301,
                                 -299, -300, -302, 389, 391,  -389, -392, 1000, -1060};
    (void)state;
    for (int n = 1; n <= MOST; ++n)
        for (int kind = 0; kind < 7; ++kind)
            for (size_t s = 0; s < sizeof scales / sizeof *scales; ++s)
                for (int single = 0; single < 2; ++single) {
                    double d[MOST], e[MOST];
                    matrices_rng rng = matrices_seed((uint64_t)(n + 100 * kind));
                    if (single && (scales[s] > 120 || scales[s] < -140)) continue;
                    for (int i = 0; i < n; ++i) {
                        d[i] = ldexp(entry(kind, i, true, &rng), scales[s]);
                        e[i] = ldexp(entry(kind, i, false, &rng), scales[s]);
                    }
                    eig_stebz_options o = EIG_STEBZ_OPTIONS;
                    check_same(single, &o, n, d, e);
                    o.reltol = 1e-9;
                    check_same(single, &o, n, d, e);
                    o.range = EIG_RANGE_INDEX, o.il = n / 3 + 1, o.iu = n / 2 + 1;
                    check_same(single, &o, n, d, e);
                }
}

static void test_not_finite(void **state)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    eig_stebz_options const o = EIG_STEBZ_OPTIONS;
    (void)state;
    for (int n = 1; n <= MOST; ++n)
        for (int at = 0; at < 2 * n - 1; ++at)
            for (int turn = 0; turn < 12; ++turn) {
                double d[MOST], e[MOST];
                for (int i = 0; i < n; ++i) d[i] = turn % 2 ? 0 : i, e[i] = turn % 4 > 1 ? 0 : 1;
                *(at < n ? &d[at] : &e[at - n]) = bad[turn % 3];
                answer const a = solve(turn > 5, &o, n, d, e, turn % 2);
                assert_true(a.info == EIG_INFO_NOT_FINITE && a.m == 0);
                for (int k = 0; k < n; ++k) assert_true(isnan(a.w[k]) && (turn % 2 == 0 || isnan(a.lower[k])));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits), cmocka_unit_test(test_not_finite)};
    if (eig_create(&ctx, "cpu") != EIG_OK) return 1;
    int const failed = cmocka_run_group_tests(tests, NULL, NULL);
    eig_destroy(ctx);
    return failed;
}
