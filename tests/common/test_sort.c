/* The sort of the CPU (src/cpu/sort.h) beside the C library's, on numbers spread evenly, by orders of magnitude, in
 * clusters, and on runs that are sorted already. */
#include "cpu/sort.h"
#include "io/matrices.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 30000 };

static int compare(const void *a, const void *b)
{
    double const x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Number i of n, u being uniform in [-1, 1). */
static double number(const char *kind, int i, int n, double u)
{
    switch (kind[0]) {
    case 'e':
        return u; /* even */
    case 'o':
        return ldexp(u < 0 ? -1 : 1, (int)(2000 * u) % 1000); /* orders of magnitude, of both signs */
    case 'c':
        return i % 3 ? 1 + 1e-12 * u : -1 + 1e-9 * u; /* two clusters */
    case 's':
        return 5e-324 * (double)(int)(1000 * u); /* subnormal, many alike */
    case 'h':
        return 1.7e308 * u; /* a range that overflows */
    case 'r':
        return i % 2 ? i : n - i; /* a run up and one down */
    default:
        return 7; /* all alike */
    }
}

static void test_like_qsort(void **state)
{
    (void)state;
    static const char *const kinds[] = {"even", "orders", "clusters", "subnormal", "huge", "runs", "alike"};
    static const int sizes[] = {0, 1, 2, 3, 23, 24, 25, 49, 511, 512, 513, 2000, MOST};
    static double x[MOST + 1], wanted[MOST], scratch[MOST + 1];
    matrices_rng rng = matrices_seed(5);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
            int const n = sizes[s];
            for (int i = 0; i < n; ++i) x[i] = wanted[i] = number(kinds[k], i, n, 2 * matrices_uniform(&rng) - 1);
            x[n] = scratch[n] = -77;
            qsort(wanted, (size_t)n, sizeof *wanted, compare);
            eig_cpu_sort(x, n, scratch);
            for (int i = 0; i < n; ++i)
                if (x[i] != wanted[i]) fail_msg("%s, n = %d: x[%d] = %g, not %g", kinds[k], n, i, x[i], wanted[i]);
            assert_true(x[n] == -77 && scratch[n] == -77);
        }
}

/* Many numbers in the last cell, behind which nothing stands: of many ranges, since the largest number has a cell of its own where
 * its place is rounded up. */
static void test_last_cell(void **state)
{
    enum { N = 600 };
    (void)state;
    static double x[N], wanted[N], scratch[N];
    matrices_rng rng = matrices_seed(6);
    for (int round = 0; round < 200; ++round) {
        double const scale = 1 + matrices_uniform(&rng);
        for (int i = 0; i < N; ++i) {
            double const u = 2 * matrices_uniform(&rng) - 1;
            x[i] = wanted[i] = scale * (i % 2 ? 1 + 1e-9 * u : u);
        }
        qsort(wanted, N, sizeof *wanted, compare);
        eig_cpu_sort(x, N, scratch);
        for (int i = 0; i < N; ++i)
            if (x[i] != wanted[i]) fail_msg("range %g: x[%d] = %.17g, not %.17g", scale, i, x[i], wanted[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_like_qsort), cmocka_unit_test(test_last_cell)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
