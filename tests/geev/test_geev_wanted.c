/* geev on the device named by the argument: eigenvalues are the same, whatever else is wanted: nothing, vectors, condition numbers. */
#include "support/geev_vectors_fixture.h"

static const int wishes[] = {WANT_RIGHT, WANT_LEFT, WANT_LEFT | WANT_RIGHT, WANT_CONDITION, WANT_ALL};

/* Whether matrix m has the eigenvalues of x in y, in their order: on a CPU the same bits, elsewhere within 2 eps ||A||. */
static bool agrees(const pairs *x, const double *y, int64_t m)
{
    int64_t const n = x->n;
    double square = 0, most = 0;
    for (int64_t k = 0; k < 2 * n * n; ++k) square += x->a[2 * m * n * n + k] * x->a[2 * m * n * n + k];
    for (int64_t k = m * n; k < (m + 1) * n; ++k)
        most = fmax(most, hypot(x->w[2 * k] - y[2 * k], x->w[2 * k + 1] - y[2 * k + 1]));
    return most <= (test_on_cpu() ? 0 : 2 * type_eps(x->type) * sqrt(square));
}

/* No wish changes the eigenvalues of more than `most` matrices. */
static void expect_few_changed(eig_context *ctx, const char *name, pairs *b, int64_t most)
{
    int64_t const parts = 2 * b->n * b->count;
    double *const alone = room((size_t)parts, sizeof *alone);
    pairs_solve(ctx, NULL, b, 0);
    for (int64_t k = 0; k < parts; ++k) alone[k] = b->w[k];
    for (size_t wish = 0; wish < COUNT(wishes); ++wish) {
        int64_t changed = 0;
        pairs_solve(ctx, NULL, b, wishes[wish]);
        for (int64_t m = 0; m < b->count; ++m) changed += !agrees(b, alone, m);
        if (changed > most)
            fail_msg("%s n=%lld %s: %lld of %lld matrices have other eigenvalues with outputs %d", name,
                     (long long)b->n, type_name(b->type), (long long)changed, (long long)b->count, wishes[wish]);
    }
    free(alone);
}

/* Of random matrices a GPU gives up one in 200, whose vectors are for the Schur form, which has eigenvalues of its own. */
static void test_random(void **state)
{
    enum { MANY = 240, SOME = 60, FEW = 10 };
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int t = 0; t < 4; ++t)
        for (int64_t n = 1; n <= 64; n += n < 4 ? 1 : n < 20 ? 6 : 21) {
            pairs b = pairs_make("gaussian", n, n > 20 ? FEW : n > 4 ? SOME : MANY, all_types[t], 48);
            expect_few_changed(ctx, "gaussian", &b, test_on_cpu() ? 0 : 1 + b.count / 60);
            pairs_free(&b);
        }
    eig_destroy(ctx);
}

/* NumPy's matrices: [[1+2i, 2+3i], [3+4i, 4+5i]], its multiples, and the real ones beside it. */
static void test_numpy(void **state)
{
    enum { MULTIPLES = 5 };
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int t = 0; t < 4; ++t) {
        pairs b = pairs_new(2, MULTIPLES, all_types[t]);
        for (int64_t k = 0; k < 4 * MULTIPLES; ++k) {
            double const times = (double)(k / 4 + 1), entry = (double)(k % 4 + 1);
            b.a[2 * k] = times * entry, b.a[2 * k + 1] = type_is_complex(b.type) ? times * (entry + 1) : 0;
        }
        expect_few_changed(ctx, "NumPy's", &b, 0);
        pairs_free(&b);
    }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_numpy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
