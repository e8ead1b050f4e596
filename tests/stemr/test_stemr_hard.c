/* stemr of matrices with clusters whose members are so close that few bits, or the last ones, part them: promises, and the
 * bits of subsets that cut clusters. */
#include "support/stemr_fixture.h"

/* Wilkinson's matrices of `rows` rows, side by side. */
static void fill_apart(int64_t n, double rows, double *d, double *e)
{
    int64_t const length = (int64_t)rows;
    for (int64_t i = 0; i < n; ++i) d[i] = fabs((double)(i % length) - (rows - 1) / 2);
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = i % length == length - 1 ? 1e-77 : 1;
}

/* Blocks of 30 rows, in each of which d is large in every p-th row; in some with the other sign. */
static void fill_wells(int64_t n, double p, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = i % 30 % (int64_t)p ? 0 : i / 30 * 7 % 3 ? 10 : -10;
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = i % 30 == 29 ? 1e-300 : 1;
}

/* Copies of a block of random numbers. */
static void fill_copies(int64_t n, double rows, double *d, double *e)
{
    int64_t const length = (int64_t)rows;
    for (int64_t i = 0; i < n; ++i) d[i] = sin((double)(i % length * (i % length) + 1));
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = i % length == length - 1 ? 0 : cos((double)(i % length * 3 + 2));
}

/* Clement's matrices of 21 rows, joined by little. */
static void fill_clements(int64_t n, double glue, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = 0;
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = i % 21 == 20 ? glue : sqrt((double)((i % 21 + 1) * (20 - i % 21)));
}

/* Few rows count beside the others, which are `size` large. */
static void fill_few(int64_t n, double size, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = (i % 9 ? size : 1 / size) * sin((double)(i * i + 1));
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = (i % 11 ? size : 1 / size) * cos((double)(i * 3 + 2));
}

/* Rows that are as good as equal. */
static void fill_equal(int64_t n, double apart, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = 1 + apart * sin((double)(i * i));
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = 0;
}

/* Two clusters that are closer than a double's digits tell. */
static void fill_beside(int64_t n, double p, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = i % (int64_t)p ? 0 : 10 + (i < n / 2 ? 0 : 0x1p-49);
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = i == n / 2 ? 1e-16 : 1;
}

static struct {
    const char *name;
    fill_family *fill;
    double parameter;
    int64_t n;
} const cases[] = {
    {"W17 side by side", fill_apart, 17, 1027},
    {"W18 side by side", fill_apart, 18, 700},
    {"wells, 5", fill_wells, 5, 244},
    {"wells, 7", fill_wells, 7, 690},
    {"wells, 4", fill_wells, 4, 1165},
    {"copies of 21", fill_copies, 21, 498},
    {"copies of 46", fill_copies, 46, 1178},
    {"copies of 34", fill_copies, 34, 551},
    {"Clement 1e-13", fill_clements, 1e-13, 638},
    {"Clement 1e-7", fill_clements, 1e-7, 690},
    {"few of size 1", fill_few, 1e-15, 700},
    {"few of size 1, many", fill_few, 1e-150, 2187},
    {"equal", fill_equal, 0, 700},
    {"equal, many", fill_equal, 0, 2405},
    {"nearly equal", fill_equal, 1e-15, 2405},
    {"clusters beside each other", fill_beside, 9, 700},
    {"the same, many", fill_beside, 9, 2312},
};

static fixture make_case(size_t k, eig_type type)
{
    fixture f = {.type = type, .n = cases[k].n};
    f.plain_d = calloc((size_t)f.n + 1, sizeof(double)), f.plain_e = calloc((size_t)f.n + 1, sizeof(double));
    cases[k].fill(f.n, cases[k].parameter, f.plain_d, f.plain_e);
    take(&f);
    return f;
}

/* Pairs il to iu, from 1, of which all is promised. */
static void solve_some(eig_context *ctx, const char *what, fixture *f, int64_t il, int64_t iu)
{
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    o.range = EIG_RANGE_INDEX, o.il = il, o.iu = iu;
    solve(ctx, &o, f);
    assert_int_equal(f->m, iu - il + 1);
    certify(what, f, il);
}

/* Pairs il to iu have the bits that they have among others, the first of which is `first`. */
static void check_subset(eig_context *ctx, const char *what, fixture *f, int64_t first, int64_t il, int64_t iu)
{
    size_t const size = type_size(f->type), ldz = (size_t)f->ldz, count = (size_t)(iu - il + 1),
                 from = (size_t)(il - first);
    char *const w = malloc(count * size), *const z = malloc(count * ldz * size);
    bool const same_way = f->stats.inverse_iterations == 0; /* the last resort's vectors depend on their neighbours */
    memcpy(w, numbers_at(&f->w, (int64_t)from), count * size);
    memcpy(z, numbers_at(&f->z, (int64_t)(from * ldz)), count * ldz * size);
    solve_some(ctx, what, f, il, iu);
    if (memcmp(f->w.data, w, count * size) != 0) fail_msg("%s: other values", what);
    if (same_way && memcmp(f->z.data, z, count * ldz * size) != 0)
        fail_msg("%s: vectors %lld to %lld have other bits", what, (long long)il, (long long)iu);
    free(w), free(z);
}

static void test_cases(void **state)
{
    enum { MANY = 1200, SOME = 300, FEW = 40 };
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t k = 0; k < COUNT(cases); ++k)
        for (int c = 0; c < (cases[k].n > 700 ? 1 : 2); ++c) {
            fixture f = make_case(k, real_types[c]);
            int64_t const part = f.n / 3, il = f.n > MANY ? part : 1, iu = f.n > MANY ? part + SOME : f.n;
            solve_some(ctx, cases[k].name, &f, il, iu);
            check_subset(ctx, cases[k].name, &f, il, part + 1, part + FEW);
            drop(&f);
        }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    struct CMUnitTest const tests[] = {cmocka_unit_test(test_cases)};
    if (!test_device_answers(argc, argv)) return 77;
    int const failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("worst residual %.3f, worst inner product %.3f, in n eps\n", worst_residual, worst_orthogonality);
    return failed;
}
