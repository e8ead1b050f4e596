/* Certificates of geev's eigenvalues, from the inside: wrong answers fail them, and a matrix whose fast solver was wrong is solved
 * again by plain code.  Compiled for doubles, as the sources are. */
#include "geev.h"
#include "geev_cpu.h"
#include "geev_descent.h"
#include "geev_plain.h"
#include "geev_plain_reduce.h"
#include "support/geev_fixture.h"

/* ------------------------------------------------------------------- the formula */

/* Sums that agree within rounding pass; what is wrong by more, infinite or no number fails, in each place. */
static void test_formula(void **state)
{
    static const double bad[] = {1e-12, -1e-12, 1e160, INFINITY, -INFINITY, NAN};
    (void)state;
    for (int n = 1; n <= 1000; n *= 10) {
        assert_true(geev_has_traces_d(n, 1, 0, 0, 0, 0));
        assert_true(geev_has_traces_d(n, 1, 1e-16, -1e-16, 1e-16, 1e-16));
        assert_true(geev_has_traces_d(n, 0, 0, 0, 0, 0));
        for (size_t c = 0; c < COUNT(bad); ++c)
            for (int place = 0; place < 4; ++place) {
                double x[4] = {0};
                x[place] = bad[c] * n * sqrt(n);
                assert_false(geev_has_traces_d(n, 1, x[0], x[1], x[2], x[3]));
                float const y[4] = {(float)(1e8 * x[0]), (float)(1e8 * x[1]), (float)(1e8 * x[2]), (float)(1e8 * x[3])};
                assert_false(geev_has_traces_s((float)n, 1, y[0], y[1], y[2], y[3]));
            }
        assert_false(geev_has_traces_d(n, INFINITY, 1, 0, 1, 0));
        assert_false(geev_has_traces_d(n, NAN, 0, 0, 0, 0));
    }
}

/* -------------------------------------------------------------- a solver that errs */

static int fault, errs; /* which fault; how often the solver is still wrong */

/* The plain iteration, and then a fault. */
static bool iterate_wrongly(const geev_schur *s, int most, int *info, cpu_watch *watch)
{
    bool const went_on = iterate(s, most, info, watch);
    int64_t const k = s->n / 2;
    if (errs-- <= 0) return went_on;
    if (fault == 0) s->re[k] = NAN;
    if (fault == 1) s->re[k] = 3e160;
    if (fault == 2) s->re[k] += 1e-9;
    if (fault == 3) s->im[k] = INFINITY;
    if (fault == 4) s->re[0] += 0.125, s->re[k] -= 0.125; /* with the right sum */
    return went_on;
}

/* Matrix b of the batch by that solver, right vectors too where v is given. */
static int solve_by(const batch *b, double *w, double *v, call_repairs *repairs)
{
    geev_form const form = {hessenberg, iterate_wrongly, eig_cpu_geev_vectors_d};
    int info = 77;
    geev_problem p = {.type = EIG_D, .n = b->n, .batch = 1, .a = b->a, .lda = b->n, .stride_a = b->n * b->n};
    p.layout = EIG_LAYOUT_MATRIX_WISE, p.w = w, p.stride_w = b->n, p.info = &info;
    p.vectors = v != NULL, p.vr = v, p.ldvr = b->n, p.balance = true, p.max_steps = 300;
    p.certify = true, p.repairs = repairs;
    void *const work = room((size_t)geev_reference_bytes(&p) + 64, 1);
    geev_schur s = eig_cpu_geev_carve_d(b->n, !v, (char *)work + (64 - (uintptr_t)work % 64) % 64);
    eig_cpu_geev_by_d(&p, 0, &s, &form, NULL);
    free(work);
    return info;
}

static void test_solved_again(void **state)
{
    (void)state;
    for (fault = 0; fault < 5; ++fault)
        for (int64_t n = 5; n <= 65; n += 20)
            for (int vectors = 0; vectors < 2; ++vectors) {
                batch b = batch_make("gaussian", n, 1, EIG_D, 7);
                double *const v = vectors ? room((size_t)(2 * n * n), sizeof *v) : NULL;
                call_repairs repairs = {0};
                errs = 1;
                b.info[0] = solve_by(&b, b.w, v, &repairs);
                assert_int_equal(repairs.matrices, 1);
                certify("solved again", &b, 0);
                errs = 0;
                assert_int_equal(solve_by(&b, b.w, v, &repairs), 0);
                assert_int_equal(repairs.matrices, 1);
                free(v);
                batch_free(&b);
            }
}

int main(void)
{
    struct CMUnitTest const tests[] = {cmocka_unit_test(test_formula), cmocka_unit_test(test_solved_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
