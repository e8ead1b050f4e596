/* The plain solver of geev, from the inside: it agrees with the lanes, and a matrix that does not converge keeps what
 * was found and says which that is. */
#include "support/geev_fixture.h"

#include "cpu/geev/geev_cpu.h"
#include "numerics/geev.h"

#define real double
#define NAME(f) f##_d
#define REAL(c) c
#define FABS fabs
#define SQRT sqrt
#define EPS DBL_EPSILON
#define SAFMIN DBL_MIN
#include "cpu/geev/geev_balance.inc"
#include "cpu/geev/geev_store.inc"

#include "cpu/geev/geev_reference.inc"

/* The reference's eigenvalues are certified like the library's. */
static void test_certified(void **state)
{
    (void)state;
    for (size_t c = 0; matrices_nonsymmetric_names[c]; ++c) {
        for (int64_t n = 1; n <= 41; n += 8) {
            batch b = batch_make(matrices_nonsymmetric_names[c], n, 2, false, 3);
            int64_t const end = n * geev_column(n);
            double *const work = room((size_t)(end + 2 * n), sizeof *work);
            geev_problem const p = {.type = EIG_D,
                                    .n = n,
                                    .batch = 2,
                                    .a = b.a,
                                    .lda = n,
                                    .stride_a = n * n,
                                    .layout = EIG_LAYOUT_MATRIX_WISE,
                                    .w = b.w,
                                    .stride_w = n,
                                    .info = b.info,
                                    .balance = true,
                                    .max_steps = 300};
            for (int64_t m = 0; m < 2; ++m) {
                geev_reference_d(&p, m, work, work + end);
                certify(matrices_nonsymmetric_names[c], &b, m);
            }
            free(work);
            batch_free(&b);
        }
    }
}

/* With fewer and fewer steps allowed: info = k > 0, w[k..n-1] are eigenvalues, w[0..k-1] are NaN. */
static void test_gives_up(void **state)
{
    enum { N = 12 };
    (void)state;
    int seen[N + 1] = {0};
    for (uint64_t seed = 0; seed < 40; ++seed) {
        batch b = batch_make("gaussian", N, 1, false, seed), all = batch_make("gaussian", N, 1, false, seed);
        for (int64_t most = 0; most <= 8; ++most) {
            double h[N * N], work[2 * N], re[N], im[N];
            memcpy(h, b.a, sizeof h);
            reference_hessenberg_d(N, N, 0, N - 1, h, work, work + N);
            int const info = reference_iterate_d(N, N, 0, N - 1, most, h, re, im);
            assert_in_range(info, 0, N);
            ++seen[info];
            for (int k = 0; k < N; ++k) {
                dense_number determinant;
                if (k < info)
                    assert_true(isnan(re[k]) && isnan(im[k]));
                else
                    assert_true(dense_sigma_min(N, all.a, dense_complex(re[k], im[k]), &determinant) <=
                                10 * N * DBL_EPSILON * dense_norm(N, all.a));
            }
        }
        batch_free(&b), batch_free(&all);
    }
    assert_true(seen[0] > 0 && seen[N] > 0);
    int between = 0;
    for (int k = 1; k < N; ++k) between += seen[k];
    assert_true(between > 10);
}

int main(void)
{
    struct CMUnitTest const tests[] = {cmocka_unit_test(test_certified), cmocka_unit_test(test_gives_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
