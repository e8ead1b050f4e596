/* heev's certificates on the device named by the argument: no sound answer fails them, so that they change no bit; and with a fault in
 * a kernel (tests/faults) info tells, or the plain version repairs. */
#include "support/heev_fixture.h"
#include "support/sanitizer.h"

/* In units of n eps, as in test_heev.c, with a little room: a repaired answer is another method's. */
static long double const LIMIT = 5;

typedef struct form {
    int64_t n, count;
    bool slow; /* long on an emulated GPU or under a sanitizer */
} form;

/* Of every road of the table but two stages. */
static const form forms[] = {{1, 5, false},  {2, 37, false}, {3, 37, false}, {4, 37, false}, {5, 35, false},
                             {6, 33, false}, {8, 35, false}, {12, 9, false}, {17, 3, false}, {24, 3, false},
                             {32, 2, false}, {40, 2, false}, {64, 1, true},  {70, 1, true},  {150, 1, true}};
static const eig_heev_method methods[] = {EIG_HEEV_AUTO, EIG_HEEV_JACOBI, EIG_HEEV_TRIDIAGONAL, EIG_HEEV_REFERENCE};

static bool is_slow(form f)
{
    return (f.slow || f.n > 24) && (ADDRESS_SANITIZED || getenv("EIG_EMULATE_ORDER"));
}

static void same_bits(const numbers *x, const numbers *y, const char *what, const char *kind, form f, eig_type type,
                      eig_heev_method method)
{
    if (memcmp(x->data, y->data, (size_t)x->count * type_size(x->type)) != 0)
        fail_msg("%s n=%lld %s method %d: %s differ without certificates", kind, (long long)f.n, type_name(type),
                 (int)method, what);
}

static void compare_kind(eig_context *ctx, const char *kind, form f, eig_type type, eig_heev_options o)
{
    batch with = batch_make(kind, f.n, f.count, type, 5), without = batch_make(kind, f.n, f.count, type, 5);
    for (int in_place = 0; in_place < 3; ++in_place) {
        placement const p = {.in_place = in_place == 1, .values_only = in_place == 2, .row_major = f.n % 2 != 0};
        o.no_certificate = 0;
        solve_part(ctx, &o, &with, p, 0, f.count);
        o.no_certificate = 1;
        solve_part(ctx, &o, &without, p, 0, f.count);
        same_bits(&with.w, &without.w, "values", kind, f, type, o.method);
        if (!p.values_only) same_bits(&with.v, &without.v, "vectors", kind, f, type, o.method);
        for (int64_t m = 0; m < f.count; ++m)
            if (with.info[m] != without.info[m]) fail_msg("%s: info %d, then %d", kind, with.info[m], without.info[m]);
    }
    batch_free(&with), batch_free(&without);
}

/* A certificate that fails where nothing is wrong would cost a second solution, which has other bits. */
static void test_same_bits(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t k = 0; matrices_hermitian_names[k]; ++k)
        for (size_t c = 0; c < COUNT(forms) * COUNT(methods); ++c) {
            form const f = forms[c / COUNT(methods)];
            eig_heev_options o = EIG_HEEV_OPTIONS;
            o.method = methods[c % COUNT(methods)];
            if (is_slow(f) || (f.n > 64 && (o.method == EIG_HEEV_REFERENCE || k % 4 != 0))) continue;
            if (f.n > 8 && (k + c) % 3 != 0) continue;
            for (int t = 0; t < 4; ++t) compare_kind(ctx, matrices_hermitian_names[k], f, all_types[t], o);
        }
    eig_destroy(ctx);
}

/* Jacobi's own options: a tolerance that leaves much beside the diagonal, and `relative`, which scales otherwise. */
static void test_jacobi(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < COUNT(forms); ++c)
        for (int t = 0; t < 4; ++t) {
            eig_heev_options o = EIG_HEEV_OPTIONS;
            if (is_slow(forms[c]) || forms[c].n > 64) continue;
            o.method = EIG_HEEV_JACOBI, o.tolerance = 0.1;
            compare_kind(ctx, "hermitian", forms[c], all_types[t], o);
            o.tolerance = 0, o.relative = 1;
            compare_kind(ctx, "graded-definite", forms[c], all_types[t], o);
        }
    eig_destroy(ctx);
}

/* Never a wrong answer with info 0. */
static void told(eig_context *ctx, form f, eig_type type, eig_heev_method method, placement p)
{
    eig_heev_options o = EIG_HEEV_OPTIONS;
    o.method = method;
    batch b = batch_make("hermitian", f.n, f.count, type, 7);
    solve_part(ctx, &o, &b, p, 0, f.count);
    for (int64_t m = 0; m < f.count; ++m) {
        if (b.info[m] == 0) {
            certify_values("certified", &b, m);
            if (!p.values_only) certify_vectors("certified", &b, m, LIMIT);
            continue;
        }
        if (b.info[m] != f.n) fail_msg("n=%lld: info = %d", (long long)f.n, b.info[m]);
        for (int64_t k = 0; k < f.n; ++k)
            if (numbers_re(&b.w, m * f.n + k) == numbers_re(&b.w, m * f.n + k)) fail_msg("info is n, and w a number");
        for (int64_t k = 0; k < f.n * f.n && !p.values_only; ++k)
            if (numbers_re(&b.v, m * f.n * f.n + k) == numbers_re(&b.v, m * f.n * f.n + k))
                fail_msg("info is n, and v a number");
    }
    batch_free(&b);
}

static void test_told(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < COUNT(forms) * COUNT(methods) * 4; ++c) {
        form const f = forms[c / (4 * COUNT(methods))];
        eig_heev_method const method = methods[c / 4 % COUNT(methods)];
        if (is_slow(f) || (f.n > 64 && method == EIG_HEEV_REFERENCE)) continue;
        told(ctx, f, all_types[c % 4], method, (placement){.row_major = f.n % 2 != 0});
        told(ctx, f, all_types[c % 4], method, (placement){.in_place = true});
        told(ctx, f, all_types[c % 4], method, (placement){.values_only = true});
    }
    eig_destroy(ctx);
}

/* argv[2] "told": that test alone, as a planted fault must leave it. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits), cmocka_unit_test(test_jacobi)};
    const struct CMUnitTest last[] = {cmocka_unit_test(test_told)};
    if (!test_device_answers(argc, argv) || !heev_answers()) return 77;
    int failed = cmocka_run_group_tests_name("heev, answers that a fault spoils", last, NULL, NULL);
    if (argc > 2 && strcmp(argv[2], "told") == 0) return failed;
    failed += cmocka_run_group_tests_name("heev, certificates", tests, NULL, NULL);
    return failed;
}
