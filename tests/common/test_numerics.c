/* The formulas of src/numerics by themselves: each is held to what it says of itself, in long double or in words that
 * need no arithmetic.  The lanes of the CPU and the kernels of the GPU compile the same text. */
#include "bracket.h"
#include "geev.h"
#include "io/matrices.h"
#include "sturm.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static matrices_rng rng;

static double signed_uniform(void)
{
    return 2 * matrices_uniform(&rng) - 1;
}

/* A number of any size from 2^-octaves to 2^octaves. */
static double of_any_size(int octaves)
{
    return ldexp(0.5 + 0.5 * matrices_uniform(&rng), (int)((double)octaves * signed_uniform()));
}

/* |x - y| <= limit |y| */
static bool near(long double x, long double y, double limit)
{
    return fabsl(x - y) <= (long double)limit * fabsl(y);
}

/* ------------------------------------------------------------------- sturm */

static int count_below(int n, const double *a, const double *b, double x)
{
    double q = 1;
    int count = 0;
    for (int i = 0; i < n; ++i) q = sturm_pivot_d(a[i], i > 0 ? b[i - 1] : 0, x, q), count += q < 0;
    return count;
}

/* An eigenvalue that equals x is not below x; and no square under- or overflows. */
static void test_sturm_pivot(void **state)
{
    double const a[] = {0, 0, 5}, b[] = {1, 0}; /* eigenvalues -1, 1, 5 */
    (void)state;
    assert_int_equal(count_below(3, a, b, -1), 0);
    assert_int_equal(count_below(3, a, b, 1), 1);
    assert_int_equal(count_below(3, a, b, 5), 2);
    assert_int_equal(count_below(3, a, b, 5.5), 3);
    assert_true(sturm_pivot_s(7, 0, 7, 1) > 0);
    assert_true(sturm_pivot_d(0, 1e-200, 0, 1e-200) == -1e-200);
    assert_true(sturm_pivot_d(0, 1e200, 0, 1e200) == -1e200);
    assert_true(sturm_pivot_d(0, 1, 0, 0) == -INFINITY); /* then b / q = 0: */
    assert_true(sturm_pivot_d(3, 1, 1, -INFINITY) == 2);
}

/* A pivot of 0 lies below those of smaller x: the count at 0, -2^-1060 being an eigenvalue, is not less than the one at -2^-1074. */
static void test_sturm_rises(void **state)
{
    double const a[] = {0, 1}, b[] = {0x1p-530};
    (void)state;
    assert_int_equal(count_below(2, a, b, -0x1p-1074), 1);
    assert_int_equal(count_below(2, a, b, 0), 1);
    assert_int_equal(count_below(2, a, b, 0x1p-1074), 1);
}

/* s_i r_i are the determinants of the leading blocks of T - xI. */
static void test_sturm_coefficients(void **state)
{
    (void)state;
    for (int turn = 0; turn < 100; ++turn) {
        double const x = signed_uniform();
        double scale_2 = 1, scale_1 = 1, alpha, gamma, r0 = 0, r1 = 1;
        long double p0 = 0, p1 = 1;
        for (int i = 0; i < STURM_BLOCK; ++i) {
            double const a = signed_uniform(), b = i > 0 ? 0.25 + matrices_uniform(&rng) : 1;
            sturm_coefficients_d(a, b, &scale_2, &scale_1, &alpha, &gamma);
            double const r = (alpha - x * gamma) * r1 - r0;
            long double const p = ((long double)a - x) * p1 - (i > 0 ? (long double)b * b : 0) * p0;
            long double const size = fabsl((long double)a - x) * fabsl(p1) + (long double)b * b * fabsl(p0);
            r0 = r1, r1 = r, p0 = p1, p1 = p;
            assert_true(fabsl((long double)scale_1 * r1 - p1) <= 1e-12L * size);
        }
    }
}

/* ----------------------------------------------------------------- bracket */

/* Values of 2^e m with the mantissa and exponent of a count. */
static void parts(double value, double *m, double *e)
{
    int exponent;
    *m = frexp(value, &exponent), *e = exponent;
    int const shift = (int)(8 * signed_uniform());
    *m = ldexp(*m, shift), *e -= shift;
}

/* A straight line gives its zero at once, and so does a parabola x(p) through the bracket's ends and the point dropped
 * beyond one of them; a common factor does not matter, however large. */
static void test_bracket_interpolates(void **state)
{
    (void)state;
    for (int turn = 0; turn < 1000; ++turn) {
        double const root = signed_uniform(), slope = of_any_size(20), bend = turn % 2 ? 0.05 * signed_uniform() : 0;
        double const at[3] = {-0.2 - matrices_uniform(&rng), 0.2 + matrices_uniform(&rng), -2};
        double x[3], m[3], e[3];
        double const common = floor(30000 * signed_uniform());
        for (int k = 0; k < 3; ++k) {
            x[k] = root + slope * (at[k] + bend * at[k] * at[k]);
            parts(at[k], &m[k], &e[k]);
            e[k] += common;
        }
        bool const has_c = turn % 2;
        double const size = fabs(root) + 4 * slope;
        double const found =
            bracket_point(x[0], m[0], e[0], x[1], m[1], e[1], x[2], m[2], e[2], has_c, 1, 1e-14 * size);
        if (fabs(found - root) > 1e-12 * size) fail_msg("turn %d: %.17g, the zero is %.17g", turn, found, root);
    }
}

/* Inside the bracket; no nearer to an end than half the width wanted; the middle where it must not interpolate, or
 * where the values say nothing. */
static void test_bracket_inside(void **state)
{
    (void)state;
    for (int turn = 0; turn < 1000; ++turn) {
        double const lo = signed_uniform(), hi = lo + of_any_size(10), width = (hi - lo) * 0.4 * matrices_uniform(&rng);
        bool const flip = turn % 2;
        double const xa = flip ? hi : lo, xb = flip ? lo : hi, tiny = ldexp(1, -(int)(60 * matrices_uniform(&rng)));
        double x = bracket_point(xa, tiny, 0, xb, -1, 0, 0, 0, 0, 0, 1, width);
        double const least = 0.499999 * width;
        assert_true(x >= lo + least && x <= hi - least);
        double const mid = lo + 0.5 * (hi - lo);
        x = bracket_point(xa, tiny, 0, xb, -1, 0, 0, 0, 0, 0, 0, width);
        assert_true(fabs(x - mid) <= 4 * DBL_EPSILON * (fabs(lo) + fabs(hi)));
        double const useless[] = {NAN, INFINITY, 0};
        for (int k = 0; k < 3; ++k) {
            x = bracket_point(xa, useless[k], 0, xb, useless[k], 0, 2, 1, 0, flip, 1, width);
            assert_true(fabs(x - mid) <= 4 * DBL_EPSILON * (fabs(lo) + fabs(hi)));
        }
    }
}

/* -------------------------------------------------------------- powers of two */

static void test_powers(void **state)
{
    (void)state;
    for (int turn = 0; turn < 1000; ++turn) {
        double const x = of_any_size(1000), floor_d = pow2_floor_d(x);
        float const y = (float)of_any_size(120), floor_s = pow2_floor_s(y);
        int exponent;
        assert_true(frexp(floor_d, &exponent) == 0.5 && floor_d <= x && x < 2 * floor_d);
        assert_true(frexpf(floor_s, &exponent) == 0.5F && floor_s <= y && y < 2 * floor_s);
        assert_true(pow2_inverse_d(floor_d) * floor_d == 1 && pow2_inverse_s(floor_s) * floor_s == 1);
    }
    for (int e = -1000; e <= 1000; ++e) assert_true(bracket_power_of_two(e) == ldexp(1, e));
    assert_true(bracket_power_of_two(-1e9) == ldexp(1, -1000) && bracket_power_of_two(1e9) == ldexp(1, 1000));
}

/* Into the safe range, by a power of two, no further than its edge; not at all from inside. */
static void test_scale(void **state)
{
    (void)state;
    double const small = 0x1p-459, big = 0x1p459;
    for (int e = -1074; e <= 1023; ++e) {
        double const largest = ldexp(1, e) * (e > -1000 ? 1.25 : 1), f = geev_scale_d(largest);
        int exponent;
        assert_true(frexp(f, &exponent) == 0.5);
        double const scaled = largest * f;
        if (largest >= small && largest <= big) assert_true(f == 1);
        if (largest < small) assert_true(scaled >= small && scaled < 2 * small);
        if (largest > big) assert_true(scaled <= big && scaled > big / 4);
    }
    assert_true(geev_scale_s(0x1p-149F) * 0x1p-149F == 0x1p-40F && geev_scale_s(FLT_MAX) * FLT_MAX <= 0x1p40F);
    assert_true(isfinite(geev_scale_d(0)) && geev_scale_d(0) > 0);
}

/* The factor brings the norms of column and row to within 2 of each other, where that gains anything. */
static void test_balance_factor(void **state)
{
    (void)state;
    int grew = 0, shrank = 0;
    for (int turn = 0; turn < 1000; ++turn) {
        double const c = of_any_size(60), r = of_any_size(60), f = balance_factor_d(c, r, c, r, 1);
        int exponent;
        assert_true(frexp(f, &exponent) == 0.5);
        grew += f > 1, shrank += f < 1;
        double const ratio = c * f / (r / f);
        if (fmax(c, r) > 4 * fmin(c, r)) assert_true(f != 1);
        if (f != 1) assert_true(ratio >= 0.24 && ratio <= 4.1 && c * f + r / f < 0.95 * (c + r));
    }
    assert_true(grew > 300 && shrank > 300);
    assert_true(balance_factor_d(0, 1, 0, 1, 1) == 1 && balance_factor_d(1, 0, 1, 0, 1) == 1);
    assert_true(balance_factor_d(1, 1.5, 1, 1.5, 1) == 1);
}

/* -------------------------------------------------------------- reflectors */

/* I - tau u u' is orthogonal, since tau u'u = 2, and takes v to (beta, 0, 0). */
static void check_reflector(double v0, double v1, double v2)
{
    double u1, u2, tau, beta;
    francis_reflector_d(v0, v1, v2, &u1, &u2, &tau, &beta);
    long double const w1 = u1, w2 = u2, dot = v0 + w1 * v1 + w2 * v2;
    long double const norm = sqrtl((long double)v0 * v0 + (long double)v1 * v1 + (long double)v2 * v2);
    long double const left[3] = {v0 - tau * dot - beta, v1 - tau * dot * w1, v2 - tau * dot * w2};
    if (v1 == 0 && v2 == 0) {
        assert_true(u1 == 0 && u2 == 0 && tau == 0 && beta == v0);
        return;
    }
    if (!near(tau * (1 + w1 * w1 + w2 * w2), 2, 8 * DBL_EPSILON))
        fail_msg("(%g, %g, %g): tau u'u = %.17Lg", v0, v1, v2, tau * (1 + w1 * w1 + w2 * w2));
    assert_true(tau >= 1 && tau <= 2 && fabs(u1) <= 1.0001 && fabs(u2) <= 1.0001); /* nothing cancelled */
    for (int k = 0; k < 3; ++k) assert_true(fabsl(left[k]) <= 8 * DBL_EPSILON * norm + 0x1p-1074L);
}

static void test_reflector(void **state)
{
    (void)state;
    static const int sizes[] = {0, 400, -400, -520, -1000};
    for (int turn = 0; turn < 2000; ++turn) {
        double const size = ldexp(1, sizes[turn % 5]);
        check_reflector(signed_uniform() * size, signed_uniform() * size, turn % 7 ? signed_uniform() * size : 0);
        check_reflector(turn % 3 ? size : -size, 1e-9 * signed_uniform() * size, 1e-12 * signed_uniform() * size);
    }
    check_reflector(0, 1, 0), check_reflector(-1, 1e-17, 0), check_reflector(-2, 0, 0), check_reflector(0, 0, 0);
    check_reflector(-3, 4, 0), check_reflector(0, 0x1p-1020, 0x1p-1021);
}

/* ------------------------------------------------------ shifts, first column */

/* Shifts are the eigenvalues of the 2 x 2 matrix; of two real ones that nearer to h22, twice. */
static void test_shifts(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2000; ++turn) {
        double const size = turn % 3 ? 1 : of_any_size(400);
        double const a = signed_uniform() * size, b = signed_uniform() * size, c = signed_uniform() * size,
                     d = signed_uniform() * size;
        double re1, re2, im;
        francis_shifts_d(a, b, c, d, &re1, &re2, &im);
        long double const mean = ((long double)a + d) / 2, det = (a - mean) * (d - mean) - (long double)b * c;
        long double const root = sqrtl(fabsl(det));
        double const limit = 1e-7 * size; /* half the digits, where the eigenvalues meet */
        assert_true(re1 == re2 && im >= 0);
        if (det > 1e-15L * size * size) {
            assert_true(fabsl(re1 - mean) <= limit && fabsl(im - root) <= limit);
        } else if (det < -1e-15L * size * size) {
            long double const above = mean + root, below = mean - root;
            bool const up = fabsl(above - d) < fabsl(below - d);
            if (fabsl(fabsl(above - d) - fabsl(below - d)) > limit)
                assert_true(fabsl(re1 - (up ? above : below)) <= limit);
            assert_true(im == 0);
        }
    }
}

/* v is parallel to the first column of (H - s1)(H - s2). */
static void test_first_column(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2000; ++turn) {
        double h[5], v[3];
        double const size = turn % 3 ? 1 : of_any_size(300);
        for (int k = 0; k < 5; ++k) h[k] = signed_uniform() * size; /* h00 h01 h10 h11 h21 */
        bool const pair = turn % 2;
        double const re1 = signed_uniform() * size, re2 = pair ? re1 : signed_uniform() * size;
        double const im = pair ? matrices_uniform(&rng) * size : 0;
        francis_first_column_d(h[0], h[1], h[2], h[3], h[4], re1, re2, im, v, v + 1, v + 2);
        long double const x[] = {((long double)h[0] - re1) * (h[0] - re2) + (long double)h[1] * h[2] +
                                     (long double)im * im,
                                 h[2] * ((long double)h[0] + h[3] - re1 - re2), (long double)h[2] * h[4]};
        long double const vx = v[0] * x[0] + v[1] * x[1] + v[2] * x[2];
        long double const vv = (long double)v[0] * v[0] + (long double)v[1] * v[1] + (long double)v[2] * v[2];
        for (int k = 0; k < 3; ++k)
            assert_true(fabsl(x[k] - vx / vv * v[k]) <= 1e-13L * size * size * 4 && isfinite(v[k]));
    }
}

/* --------------------------------------------------------------- deflation */

/* Where the test says yes, setting the entry to zero moves the eigenvalue near `lower` by no more than its own last
 * places; where it may not say so, its necessary half says no.  Both say yes to what is tiny. */
static void test_deflation(void **state)
{
    (void)state;
    int yes = 0, no = 0;
    for (int turn = 0; turn < 20000; ++turn) {
        double const upper = of_any_size(80) * (turn & 1 ? 1 : -1), lower = of_any_size(80) * (turn & 2 ? 1 : -1);
        double const sub = of_any_size(160), sup = of_any_size(160), tiny = 1e-290;
        bool const does = francis_deflates_d(sub, sup, upper, lower, 0, tiny);
        bool const may = francis_may_deflate_d(sub, upper, lower, 0, tiny);
        if (does && !may) fail_msg("[%g %g; %g %g] deflates, but may not", upper, sup, sub, lower);
        if (does && !(sub * sup <= 2 * DBL_EPSILON * fabs(lower) * fabs(upper - lower)))
            fail_msg("[%g %g; %g %g] deflates and loses an eigenvalue", upper, sup, sub, lower);
        if (does && !(sub <= DBL_EPSILON * (fabs(upper) + fabs(lower)))) fail_msg("%g is not negligible", sub);
        bool const clearly = sub * sup <= 0.1 * DBL_EPSILON * fabs(lower) * fabs(upper - lower) &&
                             sub <= 0.1 * DBL_EPSILON * (fabs(upper) + fabs(lower));
        if (clearly && !does) fail_msg("[%g %g; %g %g] does not deflate", upper, sup, sub, lower);
        yes += does, no += may && !does;
    }
    assert_true(yes > 1000 && no > 1000);
    assert_true(francis_deflates_d(1e-291, 1e9, 0, 0, 0, 1e-290) && francis_may_deflate_d(1e-291, 0, 0, 0, 1e-290));
    assert_true(francis_deflates_d(1e-20, 1e-20, 0, 0, 1, 1e-290) == 0); /* gap 0: only what is tiny */
    assert_true(francis_may_deflate_d(1e-20, 0, 0, 1, 1e-290));          /* the neighbours stand in */
}

/* ------------------------------------------------------------ 2 x 2 blocks */

static void check_block(double a, double b, double c, double d)
{
    double re1, re2, im;
    francis_block_d(a, b, c, d, &re1, &re2, &im);
    long double const trace = (long double)a + d, size = fabsl(a) + fabsl(d) + sqrtl(fabsl(b)) * sqrtl(fabsl(c));
    long double const product = (long double)re1 * re2 + (long double)im * im;
    long double const det = (long double)a * d - (long double)b * c;
    assert_true(im >= 0 && (im == 0 || re1 == re2));
    if (b == 0 || c == 0) assert_true(re1 == a && re2 == d && im == 0);
    assert_true(fabsl((long double)re1 + re2 - trace) <= 8 * DBL_EPSILON * size);
    if (fabsl(product - det) > 8 * DBL_EPSILON * size * size)
        fail_msg("[%g %g; %g %g]: product %.17Lg, determinant %.17Lg", a, b, c, d, product, det);
}

static void test_block(void **state)
{
    (void)state;
    double re1, re2, im;
    for (int turn = 0; turn < 4000; ++turn) {
        double const size = turn % 3 ? 1 : of_any_size(200), skew = turn % 5 ? 1 : of_any_size(200);
        check_block(signed_uniform() * size, signed_uniform() * size * skew, signed_uniform() * size / skew,
                    signed_uniform() * size);
    }
    check_block(3, 1e200, 0, -5), check_block(3, 0, 1e-200, -5), check_block(2, 0, 0, 2), check_block(0, 0, 0, 0);
    check_block(1e-9, 3, 0, 1e9), check_block(0.1, 7, 0, 0.3);
    /* The small root keeps its digits: lambda = 1e8 + ..., and det / lambda. */
    francis_block_d(1e8, 1, 1, 0, &re1, &re2, &im);
    assert_true(near(fmin(re1, re2), -1 / (5e7L + sqrtl(2.5e15L + 1)), 4 * DBL_EPSILON) && im == 0);
    francis_block_d(0, -2, 8, 0, &re1, &re2, &im);
    assert_true(re1 == 0 && re2 == 0 && near(im, 4, 4 * DBL_EPSILON));
}

/* -------------------------------------------------- exceptional steps, measures */

static void test_steps(void **state)
{
    (void)state;
    for (int steps = 1; steps <= 200; ++steps)
        assert_int_equal(francis_step_of(steps), steps % 10   ? FRANCIS_ORDINARY
                                                 : steps % 20 ? FRANCIS_AT_TOP
                                                              : FRANCIS_AT_BOTTOM);
}

static void test_measures(void **state)
{
    (void)state;
    assert_true(near(geev_modulus_d(3e300, -4e300), 5e300L, 4 * DBL_EPSILON));
    assert_true(near(geev_modulus_d(-3e-300, 4e-300), 5e-300L, 4 * DBL_EPSILON));
    assert_true(near(geev_modulus_s(3e30F, -4e30F), 5e30L, 4 * (double)FLT_EPSILON));
    assert_true(geev_modulus_d(0, 0) == 0 && geev_modulus_d(0, -2) == 2);
    assert_true(near(geev_damping_d(-3, 4), 0.6L, 4 * DBL_EPSILON) && near(geev_damping_d(3e300, 4e300), -0.6L, 1e-15));
    assert_true(near(geev_damping_d(-3e-300, 4e-300), 0.6L, 4 * DBL_EPSILON));
    assert_true(geev_damping_d(0, 0) == -1 && geev_damping_d(-1e-320, 0) == 1 && geev_damping_s(0, 0) == -1);
    static const double w[3][2] = {{-1, 2}, {0.5, 0}, {-4, 0}};
    double worst[3] = {0};
    for (int k = 0; k < 3; ++k)
        for (int kind = 0; kind < 3; ++kind)
            worst[kind] = geev_measure_d("ARD"[kind], worst[kind], w[k][0], w[k][1], k == 0);
    assert_true(worst[0] == 0.5 && worst[1] == 4 && worst[2] == -1);
    assert_true(geev_measure_d('A', 9, -7, 0, 1) == -7); /* the first needs no one before it */
}

int main(void)
{
    rng = matrices_seed(1);
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_sturm_pivot),
        cmocka_unit_test(test_sturm_rises),
        cmocka_unit_test(test_sturm_coefficients),
        cmocka_unit_test(test_bracket_interpolates),
        cmocka_unit_test(test_bracket_inside),
        cmocka_unit_test(test_powers),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_balance_factor),
        cmocka_unit_test(test_reflector),
        cmocka_unit_test(test_shifts),
        cmocka_unit_test(test_first_column),
        cmocka_unit_test(test_deflation),
        cmocka_unit_test(test_block),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_measures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
