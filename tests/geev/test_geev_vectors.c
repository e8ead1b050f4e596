/* Eigenvectors and condition numbers of geev, of real and complex matrices: certificates of every pair, matrices whose
 * vectors and condition numbers are known, defective ones. */
#include "support/geev_vectors_fixture.h"

static eig_geev_method const methods[] = {EIG_GEEV_AUTO, EIG_GEEV_REFERENCE};

static eig_geev_options by(eig_geev_method method, int no_balance)
{
    eig_geev_options o = EIG_GEEV_OPTIONS;
    o.method = method, o.no_balance = no_balance;
    return o;
}

static bool verbose(void)
{
    return getenv("EIG_TEST_VERBOSE") != NULL;
}

/* All kinds of matrices, all types, both methods, balanced and not. */
static void kinds_of(eig_context *ctx, const char *kind, int64_t n, int64_t count)
{
    for (size_t c = 0; c < 4 * COUNT(all_types); ++c) {
        pairs b = pairs_make(kind, n, count, all_types[c / 4], 3);
        eig_geev_options const o = by(methods[c / 2 % 2], c % 2);
        long double worst = 0;
        pairs_solve(ctx, &o, &b, WANT_ALL);
        /* Balanced, a badly scaled matrix has the residuals that LAPACK's have, too: docs/geev.md. */
        bool const harmed = strstr(kind, "graded") && !o.no_balance;
        for (int64_t m = 0; m < count; ++m) worst = fmaxl(worst, certify_vectors(kind, &b, m, harmed ? 1000 : 10));
        if (verbose() && worst > 1)
            printf("%s n=%lld %s method %d no_balance %d: %.2Lf\n", kind, (long long)n, type_name(b.type),
                   (int)o.method, o.no_balance, worst);
        pairs_free(&b);
    }
}

static void test_kinds(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t k = 0; matrices_nonsymmetric_names[k]; ++k)
        for (int64_t n = 1; n <= 33; n = n < 5 ? n + 1 : n + 9) kinds_of(ctx, matrices_nonsymmetric_names[k], n, 3);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv) || !vectors_are_there()) return 77;
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
