/* The formulas of heev in src/numerics by themselves, in long double: the Jacobi rotation, its pairs, the scales, products of
 * phases. */
#include "heev.h"
#include "io/matrices.h"

#include <complex.h>
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static matrices_rng rng;

static double signed_uniform(void)
{
    return 2 * matrices_uniform(&rng) - 1;
}

/* ---------------------------------------------------------------- rotation */

typedef long double complex number;

static number complex_of(long double re, long double im)
{
    number x = 0;
    ((long double *)&x)[0] = re, ((long double *)&x)[1] = im;
    return x;
}

/* J^H A J of A = [app, x; conj(x), aqq] by columns: x becomes x - (g x + conj(s) y), y becomes y + (s x - g y). */
static void apply(number m[2][2], number s, long double g)
{
    for (int i = 0; i < 2; ++i) {
        number const x = m[i][0], y = m[i][1];
        m[i][0] = x - (g * x + conjl(s) * y), m[i][1] = y + (s * x - g * y);
    }
}

static void check_rotation(double app, double aqq, double re, double im)
{
    double g, s_re, s_im, change;
    jacobi_rotation_d(app, aqq, re, im, &g, &s_re, &s_im, &change);
    number const s = complex_of(s_re, s_im), x = complex_of(re, im);
    long double const c = 1 - (long double)g, size = cabsl(x) + fabsl((long double)app) + fabsl((long double)aqq);
    /* Unitary, and the smaller angle. */
    assert_true(fabsl(c * c + creall(s * conjl(s)) - 1) <= 4 * DBL_EPSILON);
    assert_true(g >= 0 && cabsl(s) <= c * (1 + 4 * DBL_EPSILON));
    number m[2][2] = {{app, x}, {conjl(x), aqq}}, h[2][2];
    apply(m, s, g);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) h[i][j] = conjl(m[j][i]);
    apply(h, s, g);
    if (cabsl(h[0][1]) > 8 * DBL_EPSILON * size) fail_msg("%g %g %g %g: element (p, q) is left", app, aqq, re, im);
    assert_true(cabsl(h[0][0] - ((long double)app - change)) <= 8 * DBL_EPSILON * size);
    assert_true(cabsl(h[1][1] - ((long double)aqq + change)) <= 8 * DBL_EPSILON * size);
}

static void test_rotation(void **state)
{
    (void)state;
    for (int turn = 0; turn < 4000; ++turn) {
        double const size = ldexp(1, turn % 3 ? 0 : turn % 400 - 200), beside = turn % 5 ? 1 : 1e-9;
        double const im = turn % 2 ? signed_uniform() : 0;
        check_rotation(size * signed_uniform(), size * signed_uniform(), size * beside * signed_uniform(),
                       size * beside * im);
    }
    check_rotation(1, 1, 0.5, 0), check_rotation(0, 0, 0, -1), check_rotation(1, 1, 1e-17, 1e-17);
    check_rotation(1, -1, 1e-9, 0), check_rotation(-3, 5, -1, 2);
    /* app = aqq: an angle of a right angle's half, to the positive side. */
    double g, re, im, change;
    jacobi_rotation_d(2, 2, 3, 4, &g, &re, &im, &change);
    assert_true(change == 5 && fabs(re - sqrt(0.18)) <= 1e-15 && fabs(im - sqrt(0.32)) <= 1e-15);
    jacobi_rotation_d(2, 2, -3, 0, &g, &re, &im, &change);
    assert_true(change == 3 && re < 0);
}

/* Far apart: |a_pq|^2 / (aqq - app) is what the smaller element changes by, though h^2 overflows. */
static void test_far(void **state)
{
    (void)state;
    for (int power = 50; power <= 1000; power += 7) {
        double const small = ldexp(1, -power), beside = ldexp(0.6, (power % 3 - 1) * 15), large = ldexp(1, power);
        double g, re, im, change;
        jacobi_rotation_d(large, small, beside, -beside, &g, &re, &im, &change);
        double const want = 2 * beside / large * beside / (1 - small / large);
        if (!(fabs(change + want) <= 4 * DBL_EPSILON * want + 0x1p-1074))
            fail_msg("2^%d: %g is not %g", power, change, -want);
        jacobi_rotation_d(small, large, beside, -beside, &g, &re, &im, &change);
        assert_true(fabs(change - want) <= 4 * DBL_EPSILON * want + 0x1p-1074);
    }
    for (int power = 15; power <= 120; ++power) {
        float const small = ldexpf(1, -power), large = ldexpf(1, power);
        float g, re, im, change;
        jacobi_rotation_s(large, small, 0.5F, 0, &g, &re, &im, &change);
        assert_true(fabsf(change + 0.25F * small) <= 4 * FLT_EPSILON * small);
        jacobi_rotation_s(small, large, 0, 0.5F, &g, &re, &im, &change);
        assert_true(fabsf(change - 0.25F * small) <= 4 * FLT_EPSILON * small);
    }
}

/* The phase of the smallest numbers. */
static void test_subnormal(void **state)
{
    (void)state;
    double g, re, im, change;
    jacobi_rotation_d(0, 0, 0x1p-1074, -0x1p-1074, &g, &re, &im, &change);
    assert_true(fabs(re - 0.5) <= 1e-15 && fabs(im + 0.5) <= 1e-15);
    jacobi_rotation_d(0, 0, 0, 0x1p-1074, &g, &re, &im, &change);
    assert_true(re == 0 && fabs(im - sqrt(0.5)) <= 1e-15 && change == 0x1p-1074);
    float h, x, y, by;
    jacobi_rotation_s(0, 0, 0x1p-149F, 0, &h, &x, &y, &by);
    assert_true(fabsf(x - sqrtf(0.5F)) <= 1e-6F && y == 0 && by == 0x1p-149F);
}

/* ------------------------------------------------------------------- pairs */

/* In a sweep every pair meets once, and in a round no column twice. */
static void test_pairs(void **state)
{
    enum { MOST = 41 };
    (void)state;
    for (int64_t n = 2; n <= MOST; ++n) {
        int met[MOST][MOST] = {{0}};
        assert_true(jacobi_rounds(n) == (n % 2 ? n : n - 1));
        for (int64_t round = 0; round < jacobi_rounds(n); ++round) {
            bool busy[MOST] = {false};
            for (int64_t k = 0; k < n / 2; ++k) {
                int64_t p, q;
                jacobi_pair(n, round, k, &p, &q);
                assert_true(0 <= p && p < q && q < n && !busy[p] && !busy[q]);
                busy[p] = busy[q] = true;
                ++met[p][q];
            }
        }
        for (int64_t q = 0; q < n; ++q)
            for (int64_t p = 0; p < q; ++p) assert_int_equal(met[p][q], 1);
    }
}

/* ------------------------------------------------------------------- scale */

/* A power of two, 1 where squares of the entries neither overflow nor vanish; it moves no further than to there. */
static void test_scale(void **state)
{
    (void)state;
    for (int e = -1074; e <= 1023; ++e) {
        double const largest = ldexp(1.5, e), scale = heev_scale_d(largest), after = largest * scale;
        int exponent;
        assert_true(frexp(scale, &exponent) == 0.5);
        assert_true(e < -459 || e > 458 ? scale != 1 : scale == 1);
        assert_true(after >= 0x1p-460 && after <= 0x1p460);
    }
    for (int e = -149; e <= 127; ++e) {
        float const largest = ldexpf(1.5F, e), scale = heev_scale_s(largest), after = largest * scale;
        int exponent;
        assert_true(frexpf(scale, &exponent) == 0.5F);
        assert_true(after >= 0x1p-41F && after <= 0x1p41F);
    }
    double const zero = heev_scale_d(0);
    assert_true(zero >= 1 && zero < INFINITY);
}

/* For `relative`: what the type's largest numbers leave of a sum, and what makes the smallest ones normal. */
static void test_scale_relative(void **state)
{
    (void)state;
    for (int e = -1074; e <= 1023; ++e) {
        double const scale = heev_scale_relative_d(ldexp(1.5, e));
        int exponent;
        assert_true(frexp(scale, &exponent) == 0.5);
        assert_true(ldexp(1.5, e) * scale < 0x1p1001);
        assert_true(e > 1000 ? scale >= 0x1p-23 : e > 800 ? scale >= 1 : scale == 0x1p200);
    }
    for (int e = -149; e <= 127; ++e) {
        float const scale = heev_scale_relative_s(ldexpf(1.5F, e));
        int exponent;
        assert_true(frexpf(scale, &exponent) == 0.5F);
        assert_true(ldexpf(1.5F, e) * scale < 0x1p113F);
        assert_true(e > 112 ? scale >= 0x1p-15F : e > 64 ? scale >= 1 : scale == 0x1p48F);
    }
    assert_true(heev_scale_relative_d(0) == 0x1p200 && heev_scale_relative_s(0) == 0x1p48F);
}

/* ------------------------------------------------------------------ phases */

/* A million turns by one angle: of length 1, and by a million times the angle. */
static void test_phase(void **state)
{
    (void)state;
    for (int turn = 1; turn <= 20; ++turn) {
        double const angle = 0.3 * turn, c = cos(angle), s = sin(angle);
        float const cs = (float)c, ss = (float)s;
        double re = 1, im = 0;
        float re_s = 1, im_s = 0;
        for (int k = 0; k < 1000000; ++k)
            heev_phase_d(re, im, c, s, &re, &im), heev_phase_s(re_s, im_s, cs, ss, &re_s, &im_s);
        assert_true(fabs(hypot(re, im) - 1) <= 2 * DBL_EPSILON);
        assert_true(fabs(hypot((double)re_s, (double)im_s) - 1) <= 2 * FLT_EPSILON);
        long double const whole = 1e6L * atan2l((long double)s, (long double)c);
        assert_true(fabsl((long double)re - cosl(whole)) <= 1e-9L && fabsl((long double)im - sinl(whole)) <= 1e-9L);
    }
}

int main(void)
{
    rng = matrices_seed(1);
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_rotation), cmocka_unit_test(test_far),   cmocka_unit_test(test_subnormal),
        cmocka_unit_test(test_pairs),    cmocka_unit_test(test_scale), cmocka_unit_test(test_scale_relative),
        cmocka_unit_test(test_phase),
    };
    return cmocka_run_group_tests_name("numerics_heev", tests, NULL, NULL);
}
