/* stemr of one short block, again and again, that is multiplied by a number: as many equal eigenvalues as there are copies, which
 * only the last bits of T, or the library's own noise, part.  Numbers that are no powers of two have squares of more than 53 bits,
 * and copies that are the same up to their last bit cancel all words but the last one, copy after copy. */
#include "support/stemr_fixture.h"

static bool small;

typedef struct repeated {
    int64_t rows;       /* of the block */
    double times, glue; /* glue: what joins copies, beside the block, at most */
    double noise;       /* in the diagonal */
} repeated;

/* The block of two rows is [0 1; 1 0], others have no pattern. */
static void fill_repeated(const repeated *r, int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) {
        int64_t const row = i % r->rows;
        d[i] = r->times * ((r->rows == 2 ? 0 : sin((double)(3 * row * row + 1))) + r->noise * sin((double)(i * i)));
        double const inside = r->rows == 2 ? 1 : cos((double)(row * row + 2));
        if (i + 1 < n) e[i] = r->times * (row + 1 < r->rows ? inside : r->glue * cos((double)(i * i + i)));
    }
}

static fixture make_repeated(const repeated *r, int64_t n, eig_type type)
{
    fixture f = {.type = type, .n = n};
    f.plain_d = calloc((size_t)n + 1, sizeof(double)), f.plain_e = calloc((size_t)n + 1, sizeof(double));
    fill_repeated(r, n, f.plain_d, f.plain_e);
    take(&f);
    return f;
}

/* All pairs, and those of a range that cuts clusters. */
static void check(eig_context *ctx, const repeated *r, int64_t n, eig_type type, eig_stemr_method method)
{
    char what[120];
    snprintf(what, sizeof what, "method %d: blocks of %d times %g, glue %g, noise %g", (int)method, (int)r->rows,
             r->times, r->glue, r->noise);
    fixture f = make_repeated(r, n, type);
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    o.method = method;
    solve(ctx, &o, &f);
    certify(what, &f, 1);
    if (f.stats.inverse_iterations > 0) fail_msg("%s n=%lld: by inverse iteration", what, (long long)n);
    o.range = EIG_RANGE_INDEX, o.il = n / 3 + 1, o.iu = n / 3 + 5;
    solve(ctx, &o, &f);
    certify(what, &f, o.il);
    drop(&f);
}

static const int64_t lengths[] = {2, 3, 5, 1};
static const double times[] = {1.7, 1.339, 1, 0.77, 1e5 / 3}, glues[] = {0, 1e-17, 1e-30, 1e-14}, noises[] = {0, 1e-17};

/* Case k of those that the lists make. */
static repeated draw(size_t k)
{
    return (repeated){lengths[k % COUNT(lengths)], times[k / 2 % COUNT(times)], glues[k / 3 % COUNT(glues)],
                      noises[k / 5 % COUNT(noises)]};
}

static void test_orders(void **state)
{
    static const int64_t orders[] = {9, 20, 33, 64, 127, 128, 200, 400, 1000};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t i = 0; i < COUNT(orders) - (small ? 2 : 0); ++i) {
        size_t const cases = orders[i] > 400 ? 2 : orders[i] > 100 ? 8 : 30;
        for (size_t k = 0; k < cases; ++k) {
            repeated const r = draw(k);
            check(ctx, &r, orders[i], k % 4 == 3 ? EIG_S : EIG_D, k % 4 == 2 ? EIG_STEMR_MRRR : EIG_STEMR_AUTO);
        }
    }
    eig_destroy(ctx);
}

/* [0 c; c 0], that and no more, for many c. */
static void test_twins(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int k = 0; k < (small ? 12 : 60); ++k) {
        repeated const r = {2, pow(1.0371, k + 1), k % 3 == 2 ? 1e-17 : 0, 0};
        check(ctx, &r, 20 + 3 * k, k % 7 == 6 ? EIG_S : EIG_D, EIG_STEMR_AUTO);
    }
    eig_destroy(ctx);
}

/* Matrices of a batch, which have a road of their own on a GPU. */
static void check_batch(eig_context *ctx, int64_t n, eig_type type)
{
    enum { BATCH = 20 };
    numbers d, e, w, z;
    int *const info = malloc(sizeof *info * (size_t)(BATCH * n));
    if (!info || !numbers_make(&d, type, BATCH * n) || !numbers_make(&e, type, BATCH * n) ||
        !numbers_make(&w, type, BATCH * n) || !numbers_make(&z, type, BATCH * n * n))
        fail_msg("no memory");
    fixture f[BATCH];
    for (int b = 0; b < BATCH; ++b) {
        repeated const r = draw((size_t)b);
        f[b] = make_repeated(&r, n, type);
        numbers_from(&d, b * n, f[b].plain_d, n), numbers_from(&e, b * n, f[b].plain_e, n);
    }
    if (eig_stemr_batched(ctx, type, NULL, n, d.data, n, e.data, n, NULL, w.data, n, z.data, n, n * n, NULL, info, NULL,
                          NULL, NULL, BATCH) != EIG_OK)
        fail_msg("%s", eig_error_detail(ctx));
    for (int b = 0; b < BATCH; ++b) {
        f[b].m = n;
        for (int64_t k = 0; k < n; ++k) {
            f[b].info[k] = info[b * n + k], f[b].isuppz[2 * k] = 1, f[b].isuppz[2 * k + 1] = n;
            numbers_put_part(&f[b].w, k, numbers_part(&w, b * n + k));
            for (int64_t i = 0; i < n; ++i)
                numbers_put_part(&f[b].z, i + k * f[b].ldz, numbers_part(&z, (b * n + k) * n + i));
        }
        certify("a batch", &f[b], 1);
        drop(&f[b]);
    }
    numbers_free(&d), numbers_free(&e), numbers_free(&w), numbers_free(&z), free(info);
}

static void test_batches(void **state)
{
    static const int64_t orders[] = {2, 8, 9, 20, 32, 33, 64, 70};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 2 * COUNT(orders); ++c) check_batch(ctx, orders[c / 2], real_types[c % 2]);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    small = argc > 2 && strcmp(argv[2], "small") == 0;
    struct CMUnitTest const tests[] = {cmocka_unit_test(test_twins), cmocka_unit_test(test_orders),
                                       cmocka_unit_test(test_batches)};
    int const failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("worst residual %.3f, worst inner product %.3f, in n eps\n", worst_residual, worst_orthogonality);
    return failed;
}
