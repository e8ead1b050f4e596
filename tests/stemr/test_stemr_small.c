/* stemr of few rows, which formulas and sweeps of their own solve: every part of the spectrum has the bits of the whole, and a
 * batch tells of its matrices what calls of their own tell. */
#include "support/stemr_fixture.h"

/* What a call does not write must show. */
static void forget(fixture *f)
{
    numbers *const arrays[] = {&f->w, &f->z, &f->residual, &f->orthogonality};
    for (size_t i = 0; i < COUNT(arrays); ++i) numbers_fill(arrays[i], NAN);
    for (int64_t k = 0; k < f->n; ++k) f->isuppz[2 * k] = f->isuppz[2 * k + 1] = f->info[k] = -7;
}

static void same_number(const numbers *x, int64_t j, const numbers *y, int64_t k, const char *what)
{
    if (memcmp(numbers_at(x, j), numbers_at(y, k), type_size(x->type)) != 0)
        fail_msg("%s: %.17g of the whole, %.17g of a part", what, numbers_part(x, j), numbers_part(y, k));
}

/* Pairs il to iu, from 1, of `whole` are all that `part` has. */
static void same_part(const fixture *whole, const fixture *part, int64_t il, int64_t iu)
{
    assert_int_equal(part->m, iu - il + 1);
    for (int64_t k = 0; k < part->m; ++k) {
        int64_t const j = il - 1 + k;
        same_number(&whole->w, j, &part->w, k, "w");
        same_number(&whole->residual, j, &part->residual, k, "residual");
        for (int64_t i = 0; i < whole->n; ++i)
            same_number(&whole->z, i + j * whole->ldz, &part->z, i + k * part->ldz, "z");
        assert_int_equal(part->info[k], whole->info[j]);
        assert_int_equal(part->isuppz[2 * k], whole->isuppz[2 * j]);
        assert_int_equal(part->isuppz[2 * k + 1], whole->isuppz[2 * j + 1]);
    }
    for (int64_t k = 2 * part->m; k < 2 * part->n; ++k) assert_true(part->isuppz[k] == -7 || part->isuppz[k] == FILLER);
}

/* Half-way from eigenvalue k, from 1, to the next one; NaN where these are not apart. */
static double between(const fixture *f, int64_t k)
{
    if (k == 0) return -INFINITY;
    if (k == f->n) return INFINITY;
    double const w = numbers_part(&f->w, k - 1), next = numbers_part(&f->w, k);
    return next - w > 64 * type_eps(f->type) ? w + 0.5 * (next - w) : NAN;
}

/* By indices, and by values between the neighbours' ends. */
static void check_parts(eig_context *ctx, eig_stemr_method method, const fixture *whole, fixture *part)
{
    for (int64_t il = 1; il <= whole->n; ++il)
        for (int64_t iu = il; iu <= whole->n; ++iu) {
            eig_stemr_options o = EIG_STEMR_OPTIONS;
            o.method = method, o.range = EIG_RANGE_INDEX, o.il = il, o.iu = iu;
            forget(part);
            solve(ctx, &o, part);
            same_part(whole, part, il, iu);
            o.range = EIG_RANGE_VALUE, o.vl = between(whole, il - 1), o.vu = between(whole, iu);
            if (!(o.vl < o.vu)) continue;
            forget(part);
            solve(ctx, &o, part);
            same_part(whole, part, il, iu);
        }
}

/* Matrices whose couplings are all there, and such as split behind every row or every other one. */
static void test_parts(void **state)
{
    enum { MOST = 9 };
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int c = 0; c < 2 * 3 * 3; ++c)
        for (int64_t n = 1; n <= MOST; ++n) {
            eig_stemr_options o = EIG_STEMR_OPTIONS;
            o.method = (eig_stemr_method)(c / 2 % 3);
            fixture whole = make("uniform", n, real_types[c % 2]), part = make("uniform", n, real_types[c % 2]);
            for (int64_t i = 0; i + 1 < n && c / 6 > 0; i += c / 6) {
                numbers_put_part(&whole.e, i, 0), numbers_put_part(&part.e, i, 0);
                whole.plain_e[i] = part.plain_e[i] = 0;
            }
            solve(ctx, &o, &whole);
            certify("few rows", &whole, 1);
            check_parts(ctx, o.method, &whole, &part);
            drop(&whole), drop(&part);
        }
    eig_destroy(ctx);
}

/* A matrix that is not finite has done nothing, wherever it stands, whoever solves it: stats are those of the others. */
static void test_stats_of_not_finite(void **state)
{
    enum { MATRICES = 900, MOST = 3 };
    static double d[MATRICES * MOST], e[MATRICES * MOST], w[MATRICES * MOST];
    (void)state;
    for (int threads = 1; threads <= 7; threads += 6)
        for (int64_t n = 1; n <= MOST; ++n)
            for (int64_t batch = 3; batch <= MATRICES; batch *= 300) {
                eig_context *const ctx = test_context(threads);
                eig_stemr_stats stats = EIG_STEMR_STATS;
                int64_t representations = 0;
                for (int64_t k = 0; k < batch * MOST; ++k) d[k] = sin((double)k), e[k] = 1;
                for (int64_t b = 0; b < batch; ++b) {
                    eig_stemr_stats own = EIG_STEMR_STATS;
                    if (b % 3 == 1) d[b * n] = NAN;
                    assert_int_equal(
                        eig_dstemr(ctx, NULL, n, d + b * n, e + b * n, NULL, w, NULL, 1, NULL, NULL, NULL, NULL, &own),
                        EIG_OK);
                    assert_true(b % 3 != 1 || (own.blocks == 0 && own.representations == 0));
                    representations += own.representations;
                }
                assert_int_equal(eig_dstemr_batched(ctx, NULL, n, d, n, e, n, NULL, w, n, NULL, 0, 0, NULL, NULL, NULL,
                                                    NULL, &stats, batch),
                                 EIG_OK);
                if (stats.representations != representations && test_on_cpu())
                    fail_msg("%lld matrices of order %lld, %d threads: %lld representations are told as %lld",
                             (long long)batch, (long long)n, threads, (long long)representations,
                             (long long)stats.representations);
                eig_destroy(ctx);
            }
}

/* The passes are those that the header tells, however few the rows are. */
static void test_passes(void **state)
{
    static const char *const usual[] = {"root", "tree", "refinement", "vectors", "fallbacks"};
    double const d[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, e[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    double w[9];
    (void)state;
    eig_context *const ctx = test_context(1);
    assert_int_equal(eig_set_timing(ctx, 1), EIG_OK);
    for (int64_t n = 1; n <= 9; ++n)
        for (int method = EIG_STEMR_AUTO; method <= EIG_STEMR_MRRR; ++method) {
            eig_stemr_options o = EIG_STEMR_OPTIONS;
            bool const formulas = n <= 2 && method == EIG_STEMR_AUTO;
            o.method = (eig_stemr_method)method;
            assert_int_equal(eig_dstemr(ctx, &o, n, d, e, NULL, w, NULL, 1, NULL, NULL, NULL, NULL, NULL), EIG_OK);
            assert_int_equal(eig_get_passes(ctx), formulas ? 1 : COUNT(usual));
            for (int k = 0; k < eig_get_passes(ctx); ++k) {
                eig_pass pass = EIG_PASS;
                assert_int_equal(eig_get_pass(ctx, k, &pass), EIG_OK);
                assert_string_equal(pass.name, formulas ? "formulas" : usual[k]);
            }
        }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    struct CMUnitTest const tests[] = {cmocka_unit_test(test_parts), cmocka_unit_test(test_stats_of_not_finite),
                                       cmocka_unit_test(test_passes)};
    if (!test_device_answers(argc, argv)) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
