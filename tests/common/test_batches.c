/* Option same_bits_in_batches, in each family: a matrix has the same bits alone and in batches of 3, of 200 and of 1,000.
 *
 *     test_batches DEVICE [small]     small: for CUDA on the CPU */
#include "io/numbers.h"
#include "support/device.h"

static bool small;

static eig_type const types[] = {EIG_S, EIG_D, EIG_C, EIG_Z};

/* Matrices of one order, and results that lie close together. */
typedef struct batch {
    eig_type type;
    int64_t n, count;
    bool vectors;
    numbers a, e; /* dense matrices, or diagonals and off-diagonals */
    numbers w, v, again_w, again_v;
    int *info, *again_info; /* [n] a matrix */
} batch;

typedef eig_status family_call(eig_context *ctx, const batch *b, int64_t first, int64_t count, void *w, void *v,
                               int *info);

static eig_status heev(eig_context *ctx, const batch *b, int64_t first, int64_t count, void *w, void *v, int *info)
{
    eig_heev_options o = EIG_HEEV_OPTIONS;
    o.same_bits_in_batches = 1;
    int64_t const n = b->n;
    return eig_heev_batched(ctx, b->type, &o, n, numbers_at(&b->a, first * n * n), n, n * n, NULL, w, n, v, n, n * n,
                            info, NULL, count);
}

static eig_status geev(eig_context *ctx, const batch *b, int64_t first, int64_t count, void *w, void *v, int *info)
{
    eig_geev_options o = EIG_GEEV_OPTIONS;
    o.same_bits_in_batches = 1;
    int64_t const n = b->n;
    return eig_geev_batched(ctx, b->type, &o, n, numbers_at(&b->a, first * n * n), n, n * n, w, n, NULL, 0, 0, v, n,
                            n * n, NULL, info, count);
}

static eig_status stebz(eig_context *ctx, const batch *b, int64_t first, int64_t count, void *w, void *v, int *info)
{
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
    o.same_bits_in_batches = 1;
    int64_t const n = b->n;
    const void *const d = numbers_at(&b->a, first * n), *const e = numbers_at(&b->e, first * n);
    (void)v;
    if (count == 1) return eig_stebz(ctx, b->type, &o, n, d, e, NULL, w, NULL, NULL, info);
    return eig_stebz_batched(ctx, b->type, &o, n, d, n, e, n, w, NULL, NULL, n, info, count);
}

/* One matrix by the call for one. */
static eig_status stemr(eig_context *ctx, const batch *b, int64_t first, int64_t count, void *w, void *v, int *info)
{
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    o.same_bits_in_batches = 1;
    int64_t const n = b->n;
    const void *const d = numbers_at(&b->a, first * n), *const e = numbers_at(&b->e, first * n);
    eig_stemr_stats stats = EIG_STEMR_STATS;
    if (count == 1)
        return eig_stemr(ctx, b->type, &o, n, d, e, NULL, w, v, n, NULL, info, NULL, NULL, first % 2 ? &stats : NULL);
    return eig_stemr_batched(ctx, b->type, &o, n, d, n, e, n, NULL, w, n, v, n, n * n, NULL, info, NULL, NULL, NULL,
                             count);
}

/* The same in batches of one. */
static eig_status stemr_batches(eig_context *ctx, const batch *b, int64_t first, int64_t count, void *w, void *v,
                                int *info)
{
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    o.same_bits_in_batches = 1;
    int64_t const n = b->n;
    return eig_stemr_batched(ctx, b->type, &o, n, numbers_at(&b->a, first * n), n, numbers_at(&b->e, first * n), n,
                             NULL, w, n, v, n, n * n, NULL, info, NULL, NULL, NULL, count);
}

/* ------------------------------------------------------------------- a case */

static void fill(numbers *x, uint64_t seed)
{
    for (int64_t k = 0; k < numbers_parts(x); ++k) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        numbers_put_part(x, k, (double)(seed >> 11) * 0x1p-53 - 0.25);
    }
}

static batch make(eig_type type, eig_type of_w, bool dense, bool vectors, int64_t n, int64_t count)
{
    batch b = {.type = type, .n = n, .count = count, .vectors = vectors};
    eig_type const of_v = type_is_complex(of_w) ? of_w : type;
    bool good = numbers_make(&b.a, type, dense ? n * n * count : n * count) && numbers_make(&b.e, type, n * count) &&
                numbers_make(&b.w, of_w, n * count) && numbers_make(&b.again_w, of_w, n * count);
    if (vectors)
        good = good && numbers_make(&b.v, of_v, n * n * count) && numbers_make(&b.again_v, of_v, n * n * count);
    b.info = calloc((size_t)(n * count), sizeof *b.info), b.again_info = calloc((size_t)(n * count), sizeof *b.info);
    if (!good || !b.info || !b.again_info) fail_msg("no memory");
    fill(&b.a, 17 + (uint64_t)n), fill(&b.e, 5);
    return b;
}

static void drop(batch *b)
{
    numbers_free(&b->a), numbers_free(&b->e), numbers_free(&b->w), numbers_free(&b->again_w);
    numbers_free(&b->v), numbers_free(&b->again_v);
    free(b->info), free(b->again_info);
}

static void expect_same(const char *what, const batch *b, const numbers *x, const numbers *again, int64_t at,
                        int64_t count, const char *family, int64_t size)
{
    size_t const bytes = (size_t)count * type_size(x->type);
    if (x->data && memcmp(numbers_at(x, at), numbers_at(again, at), bytes) != 0)
        fail_msg("%s, type %c, n = %lld: %s of a batch of %lld differ from those of %lld", family, (char)b->type,
                 (long long)b->n, what, (long long)size, (long long)b->count);
}

/* Some in batches of this size, from a few places on. */
static void compare(eig_context *ctx, const char *family, family_call *call, batch *b, int64_t size)
{
    int64_t const n = b->n, each = b->vectors ? n * n : 0;
    for (int64_t part = 0; part < 3; ++part) {
        int64_t const first = part * (b->count - size) / 2;
        void *const v = b->vectors ? numbers_at(&b->again_v, first * each) : NULL;
        assert_int_equal(call(ctx, b, first, size, numbers_at(&b->again_w, first * n), v, b->again_info), EIG_OK);
        expect_same("eigenvalues", b, &b->w, &b->again_w, first * n, size * n, family, size);
        expect_same("vectors", b, &b->v, &b->again_v, first * each, size * each, family, size);
    }
}

/* `count` matrices at once, and batches of 1, 3 and 200 of them. */
static void run(const char *family, family_call *call, eig_type type, bool vectors, int64_t n, int64_t count)
{
    static int64_t const sizes[] = {1, 3, 200};
    bool const dense = call == heev || call == geev;
    eig_type const of_w = call == geev ? type_complex(type) : type_real(type);
    eig_context *const ctx = test_context(0);
    batch b = make(type, of_w, dense, vectors, n, count);
    assert_int_equal(call(ctx, &b, 0, count, b.w.data, b.v.data, b.info), EIG_OK);
    for (int k = 0; k < 3; ++k)
        if (sizes[k] < count) compare(ctx, family, call, &b, sizes[k]);
    drop(&b);
    eig_destroy(ctx);
}

/* Orders and numbers of matrices on both sides of what the roads choose by (src/cuda/crossovers.h). */
typedef struct shape {
    int64_t n, count;
    int types; /* 1: real ones, 2: complex ones, 3: all */
} shape;

enum { FEW_LARGE = 20 }; /* on a CPU, which chooses nothing by their number */

static void run_dense(const char *family, family_call *call, const shape *shapes)
{
    for (; shapes->n; ++shapes)
        for (int t = 0; t < 4; ++t)
            for (int vectors = 0; vectors < 2; ++vectors)
                if (shapes->types & (t < 2 ? 1 : 2))
                    run(family, call, types[t], vectors, shapes->n,
                        test_on_cpu() && shapes->n > 40 ? FEW_LARGE : shapes->count);
}

static void test_heev(void **state)
{
    static const shape all[] = {{2, 1000, 3},  {8, 1000, 3},  {9, 1000, 3},  {32, 1000, 3}, {40, 1000, 3},
                                {64, 1000, 3}, {130, 300, 3}, {300, 210, 3}, {0, 0, 0}},
                       few[] = {{3, 210, 3}, {10, 410, 3}, {34, 201, 3}, {0, 0, 0}};
    (void)state;
    run_dense("heev", heev, small ? few : all);
}

static void test_geev(void **state)
{
    static const shape all[] = {{2, 1000, 3},  {13, 1000, 3}, {20, 1000, 3}, {40, 1000, 3},
                                {64, 1000, 3}, {70, 300, 3},  {310, 40, 1},  {0, 0, 0}},
                       few[] = {{3, 210, 3}, {17, 101, 1}, {0, 0, 0}};
    (void)state;
    run_dense("geev", geev, small ? few : all);
}

static void test_tridiagonal(void **state)
{
    static int64_t const all[] = {2, 5, 8, 20, 33, 64, 65, 200}, few[] = {2, 20, 34};
    (void)state;
    for (int k = 0; k < (small ? 3 : 8); ++k)
        for (int t = 0; t < 2; ++t) {
            int64_t const n = small ? few[k] : all[k], count = n <= 64 ? 1000 : 40;
            run("stebz", stebz, types[t], false, n, small && n > 2 ? 201 : count);
            run("stemr", stemr, types[t], true, n, small && n > 2 ? 201 : count);
            run("stemr", stemr_batches, types[t], true, n, small && n > 2 ? 4 : count);
        }
}

/* What is neither 0 nor 1. */
static void test_refused(void **state)
{
    double const one = 1;
    double w[2];
    int64_t m;
    (void)state;
    eig_context *const ctx = test_context(0);
    eig_heev_options h = EIG_HEEV_OPTIONS;
    eig_geev_options g = EIG_GEEV_OPTIONS;
    eig_stebz_options s = EIG_STEBZ_OPTIONS;
    eig_stemr_options r = EIG_STEMR_OPTIONS;
    h.same_bits_in_batches = g.same_bits_in_batches = s.same_bits_in_batches = r.same_bits_in_batches = 2;
    const char *const text = "same_bits_in_batches = 2, must be 0 or 1";
    expect_refused(ctx, eig_heev(ctx, EIG_D, &h, 1, &one, 1, NULL, w, NULL, 1, NULL, NULL), EIG_BAD_ARGUMENT, text);
    expect_refused(ctx, eig_geev(ctx, EIG_D, &g, 1, &one, 1, w, NULL, 1, NULL, 1, NULL, NULL), EIG_BAD_ARGUMENT, text);
    expect_refused(ctx, eig_stebz(ctx, EIG_D, &s, 1, &one, NULL, &m, w, NULL, NULL, NULL), EIG_BAD_ARGUMENT, text);
    expect_refused(ctx, eig_stemr(ctx, EIG_D, &r, 1, &one, NULL, &m, w, NULL, 1, NULL, NULL, NULL, NULL, NULL),
                   EIG_BAD_ARGUMENT, text);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused), cmocka_unit_test(test_tridiagonal),
                                              cmocka_unit_test(test_heev), cmocka_unit_test(test_geev)};
    small = argc > 2 && strcmp(argv[2], "small") == 0;
    if (!test_device_answers(argc, argv)) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
