/* stemr on a GPU: device arrays, where a call writes and where it does not, workspaces, streams; the same bits as with host
 * arrays.  `small` limits the sizes for compute-sanitizer. */
#include "bench/support/cuda_side.h"
#include "problem.h"
#include "stemr_limits.h"
#include "support/stemr_fixture.h"

static bool small;

/* The fixture's arrays on the device, z with a row more than n. */
typedef struct on_device {
    int64_t ldz;
    void *d, *e, *w, *z, *residual, *orthogonality;
    int64_t *m, *isuppz;
    int *info;
    size_t bytes[9];
    void *array[9];
} on_device;

static on_device put(const fixture *f)
{
    size_t const size = type_size(f->type), n = (size_t)f->n;
    on_device g = {.ldz = f->n + 1};
    size_t const bytes[9] = {n * size,       n * size, n * size,        n * (n + 1) * size,
                             n * size,       size,     sizeof(int64_t), 2 * n * sizeof(int64_t),
                             n * sizeof(int)};
    for (int i = 0; i < 9; ++i) g.bytes[i] = bytes[i], g.array[i] = device_memory(bytes[i]);
    g.d = g.array[0], g.e = g.array[1], g.w = g.array[2], g.z = g.array[3], g.residual = g.array[4];
    g.orthogonality = g.array[5], g.m = g.array[6], g.isuppz = g.array[7], g.info = g.array[8];
    CUDA(cudaMemcpy(g.d, f->d.data, n * size, cudaMemcpyHostToDevice));
    if (n > 1) CUDA(cudaMemcpy(g.e, f->e.data, (n - 1) * size, cudaMemcpyHostToDevice));
    return g;
}

static void leave(on_device *g)
{
    for (int i = 0; i < 9; ++i) CUDA(cudaFree(g->array[i]));
}

static void solve_there(eig_context *ctx, const eig_stemr_options *options, const fixture *f, on_device *g,
                        eig_stemr_stats *stats)
{
    if (eig_stemr(ctx, f->type, options, f->n, g->d, g->e, g->m, g->w, g->z, g->ldz, g->isuppz, g->info, g->residual,
                  g->orthogonality, stats) != EIG_OK)
        fail_msg("%s", eig_error_detail(ctx));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 9; ++i)
        if (!device_guard_holds(g->array[i], g->bytes[i])) fail_msg("array %d is written beyond its end", i);
}

/* Pair k of the device is pair j of the fixture; the row beyond n of its column is untouched. */
static void same_pair(const char *what, const fixture *f, const on_device *g, int64_t j, int64_t k)
{
    size_t const size = type_size(f->type), n = (size_t)f->n;
    char *const column = malloc((n + 1) * size), w[8];
    CUDA(cudaMemcpy(column, (char *)g->z + (size_t)k * (n + 1) * size, (n + 1) * size, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(w, (char *)g->w + (size_t)k * size, size, cudaMemcpyDeviceToHost));
    if (memcmp(w, numbers_at(&f->w, j), size) != 0) fail_msg("%s: value %lld differs", what, (long long)j);
    if (memcmp(column, numbers_at(&f->z, j * f->ldz), n * size) != 0)
        fail_msg("%s: vector %lld differs", what, (long long)j);
    for (size_t i = 0; i < size; ++i) assert_int_equal((unsigned char)column[n * size + i], 0xff);
    free(column);
}

static void check_case(eig_context *ctx, const char *what, eig_stemr_method method, fixture *f)
{
    eig_stemr_stats stats = EIG_STEMR_STATS;
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    size_t need = 0;
    o.method = method;
    solve(ctx, &o, f);
    certify(what, f, 1);
    for (int part = 0; part < 3; ++part) {
        on_device g = put(f);
        int64_t m = -1;
        o.range = part == 0 ? EIG_RANGE_ALL : EIG_RANGE_INDEX;
        o.il = part == 0 ? 0 : f->n / 3 + 1, o.iu = part == 0 ? 0 : f->n / 3 + part;
        if (o.iu > f->n) o.iu = f->n;
        assert_int_equal(eig_stemr_work_size(ctx, f->type, &o, f->n, 1, &need), EIG_OK);
        void *const work = device_memory(need);
        assert_int_equal(eig_set_workspace(ctx, work, need), EIG_OK);
        solve_there(ctx, &o, f, &g, &stats);
        assert_true(device_guard_holds(work, need));
        CUDA(cudaMemcpy(&m, g.m, sizeof m, cudaMemcpyDeviceToHost));
        assert_int_equal(m, part == 0 ? f->n : o.iu - o.il + 1);
        for (int64_t k = 0; k < m; ++k) same_pair(what, f, &g, part == 0 ? k : o.il - 1 + k, k);
        assert_int_equal(eig_set_workspace(ctx, work, need - 1), EIG_OK);
        eig_status const refused =
            eig_stemr(ctx, f->type, &o, f->n, g.d, g.e, g.m, g.w, g.z, g.ldz, NULL, NULL, NULL, NULL, NULL);
        expect_refused(ctx, refused, EIG_BAD_WORKSPACE, "stemr");
        assert_int_equal(eig_set_workspace(ctx, NULL, 0), EIG_OK);
        CUDA(cudaFree(work));
        leave(&g);
    }
}

/* All families at a few orders, by auto and by mrrr, on the device as on the host, and subsets in exactly as much workspace as is asked for. */
static void test_arrays(void **state)
{
    static const int64_t orders[] = {1, 2, 21, 64, 300};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t i = 0; i < COUNT(orders) - (small ? 2 : 0); ++i)
        for (size_t k = 0; k < COUNT(families); k += small ? 5 : 1)
            for (int c = 0; c < 4; ++c) {
                fixture f = make_family(k, orders[i], real_types[c % 2]);
                check_case(ctx, families[k].name, c < 2 ? EIG_STEMR_AUTO : EIG_STEMR_MRRR, &f);
                drop(&f);
            }
    eig_destroy(ctx);
}

/* A mix of sides is refused with the name of the array. */
static void test_sides(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    fixture f = make("uniform", 5, EIG_D);
    on_device g = put(&f);
    expect_refused(ctx, eig_dstemr(ctx, NULL, 5, g.d, g.e, NULL, f.w.data, g.z, 6, NULL, NULL, NULL, NULL, NULL),
                   EIG_BAD_ARGUMENT, "stemr");
    leave(&g), drop(&f);
    eig_destroy(ctx);
}

/* How often a call reports progress: before each slice, and at its end. */
static int count_reports(void *user, double fraction)
{
    (void)fraction;
    ++*(int *)user;
    return 0;
}

/* Arrays of a call that goes to the host in slices; how many slices there were. */
static int solve_sliced(eig_context *ctx, int slice, int64_t il, int64_t iu, fixture *f)
{
    stemr_limits limits = STEMR_LIMITS;
    limits.slice = slice;
    stemr_problem p = {.type = f->type, .n = f->n, .d = f->d.data, .e = f->n > 1 ? f->e.data : NULL, .m = &f->m};
    p.w = f->w.data, p.z = f->z.data, p.ldz = f->ldz, p.vectors = true, p.certify = true;
    p.most_depth = 6, p.limits = &limits;
    p.isuppz = f->isuppz, p.info = f->info, p.residual = f->residual.data;
    p.stats = &f->stats;
    p.range = il == 1 && iu == f->n ? EIG_RANGE_ALL : EIG_RANGE_INDEX, p.il = il, p.iu = iu;
    int reports = 0;
    assert_int_equal(eig_set_progress(ctx, count_reports, &reports), EIG_OK);
    if (ctx->backend->stemr(ctx, &p) != EIG_OK) fail_msg("%s", eig_error_detail(ctx));
    assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
    return reports - 1;
}

static void same_array(const char *what, const void *a, const void *b, size_t bytes)
{
    if (memcmp(a, b, bytes) != 0) fail_msg("%s", what);
}

/* In slices as at once, for all families, those with a NaN or one large cluster among them. */
static void test_slices(void **state)
{
    int64_t const n = small ? 64 : 300;
    int most = 0; /* slices of a call: one cluster is never cut */
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t k = 0; k <= COUNT(families); k += small ? 5 : 1)
        for (int c = 0; c < 6; ++c) {
            bool const bad = k == COUNT(families);
            eig_type const type = real_types[c % 2];
            int64_t const il = c < 2 ? 1 : 5, iu = c < 2 ? n : n - 7, m = iu - il + 1;
            fixture one = make_family(bad ? 0 : k, n, type), many = make_family(bad ? 0 : k, n, type);
            if (bad) numbers_fill(&one.d, NAN), numbers_fill(&many.d, NAN);
            assert_int_equal(solve_sliced(ctx, 10000, il, iu, &one), 1);
            int const slices = solve_sliced(ctx, c < 4 ? 20 : 1, il, iu, &many);
            most = slices > most ? slices : most;
            assert_int_equal(many.m, bad ? 0 : m);
            const char *const what = bad ? "NaN" : families[k].name;
            size_t const size = (size_t)m * type_size(type);
            same_array(what, one.w.data, many.w.data, size);
            same_array(what, one.z.data, many.z.data, size * (size_t)one.ldz);
            same_array(what, one.residual.data, many.residual.data, size);
            same_array(what, one.info, many.info, (size_t)m * sizeof *one.info);
            same_array(what, one.isuppz, many.isuppz, 2 * (size_t)m * sizeof *one.isuppz);
            same_array(what, &one.stats, &many.stats, sizeof one.stats);
            drop(&one), drop(&many);
        }
    printf("at most %d slices\n", most);
    assert_true(most > 10);
    eig_destroy(ctx);
}

/* Orders at which warps and runs of rows end anywhere, against the certificates. */
static void test_sizes(void **state)
{
    static const int64_t orders[] = {15, 16, 17, 31, 33, 127, 255, 513, 1025};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t i = 0; i < COUNT(orders) - (small ? 4 : 0); ++i)
        for (int c = 0; c < 4; ++c) {
            fixture f = make(c / 2 ? "121" : "uniform", orders[i], real_types[c % 2]);
            solve(ctx, NULL, &f);
            certify(c / 2 ? "121" : "uniform", &f, 1);
            assert_int_equal(f.stats.inverse_iterations, 0);
            drop(&f);
        }
    eig_destroy(ctx);
}

/* |1 - |z'y|| of vector j of one and vector k of the other. */
static double turned(const fixture *f, int64_t j, const fixture *g, int64_t k)
{
    double dot = 0;
    for (int64_t i = 0; i < f->n; ++i) dot += z_of(f, i, j) * z_of(g, i, k);
    return fabs(1 - fabs(dot));
}

/* The plain version keeps the promises by itself; the fast one has its values, and its vectors where gaps fix them. */
static void test_plain(void **state)
{
    static const int64_t orders[] = {2, 21, 84, 150};
    (void)state;
    eig_context *const ctx = test_context(1);
    int compared = 0;
    for (size_t i = 0; i < COUNT(orders) - (small ? 2 : 0); ++i)
        for (size_t k = 0; k < COUNT(families); k += small ? 5 : 1)
            for (int c = 0; c < 2; ++c) {
                int64_t const n = orders[i];
                fixture fast = make_family(k, n, real_types[c]), plain = make_family(k, n, real_types[c]);
                double const eps = type_eps(real_types[c]);
                eig_stemr_options o = EIG_STEMR_OPTIONS;
                solve(ctx, NULL, &fast);
                o.method = EIG_STEMR_REFERENCE;
                solve(ctx, &o, &plain);
                certify(families[k].name, &plain, 1);
                assert_int_equal(plain.stats.inverse_iterations, n);
                for (int64_t j = 0; j < n; ++j) {
                    double const w = numbers_part(&fast.w, j), gap = 1e-3 * fast.norm;
                    assert_true(fabs(w - numbers_part(&plain.w, j)) <= 2 * eps * fast.norm);
                    bool const alone = (j == 0 || w - numbers_part(&fast.w, j - 1) > gap) &&
                                       (j + 1 == n || numbers_part(&fast.w, j + 1) - w > gap);
                    if (alone && !(turned(&fast, j, &plain, j) <= 100 * (double)n * eps))
                        fail_msg("%s, n = %lld: vector %lld differs by %g", families[k].name, (long long)n,
                                 (long long)j, turned(&fast, j, &plain, j));
                    compared += alone;
                }
                o.range = EIG_RANGE_INDEX, o.il = n / 3 + 1, o.iu = n / 3 + (n + 2) / 3;
                solve(ctx, &o, &plain);
                certify("a part", &plain, o.il);
                drop(&fast), drop(&plain);
            }
    assert_true(compared > (small ? 50 : 2000));
    eig_destroy(ctx);
}

/* Batches of short T on device arrays: the bits of host arrays, in a workspace for one matrix and in one that grows, and nothing
 * is written beside the outputs. */
static void test_batches(void **state)
{
    enum { BATCH = 7 };
    static const int64_t orders[] = {2, 7, 16, 23, 32, 33, 64};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t i = 0; i < 2 * COUNT(orders); ++i) {
        int64_t const n = orders[i / 2], ldz = n + 1;
        eig_type const type = real_types[i % 2];
        size_t const size = type_size(type), values = (size_t)(BATCH * n) * size,
                     z_bytes = (size_t)(n * ldz * BATCH) * size;
        char *const host = calloc(1, 3 * values + z_bytes), *const there = calloc(1, values + z_bytes);
        void *const d = device_memory(values), *const e = device_memory(values), *const w = device_memory(values),
                    *const z = device_memory(z_bytes);
        for (int64_t b = 0; b < BATCH; ++b) {
            fixture f = make_family((size_t)(b * 3 + n) % COUNT(families), n, type);
            memcpy(host + (size_t)(b * n) * size, f.d.data, (size_t)n * size);
            memcpy(host + values + (size_t)(b * n) * size, f.e.data, (size_t)(n - 1) * size);
            drop(&f);
        }
        CUDA(cudaMemcpy(d, host, values, cudaMemcpyHostToDevice));
        CUDA(cudaMemcpy(e, host + values, values, cudaMemcpyHostToDevice));
        char *const host_w = host + 2 * values, *const host_z = host_w + values;
        memset(host_z, 0xff, z_bytes);
        size_t need = 0;
        assert_int_equal(eig_stemr_work_size(ctx, type, NULL, n, 1, &need), EIG_OK);
        void *const work = device_memory(need);
        assert_int_equal(eig_stemr_batched(ctx, type, NULL, n, host, n, host + values, n, NULL, host_w, n, host_z, ldz,
                                           n * ldz, NULL, NULL, NULL, NULL, NULL, BATCH),
                         EIG_OK);
        for (int lent = 0; lent < 2; ++lent) {
            assert_int_equal(eig_set_workspace(ctx, lent ? work : NULL, lent ? need : 0), EIG_OK);
            CUDA(cudaMemset(z, 0xff, z_bytes));
            if (eig_stemr_batched(ctx, type, NULL, n, d, n, e, n, NULL, w, n, z, ldz, n * ldz, NULL, NULL, NULL, NULL,
                                  NULL, BATCH) != EIG_OK)
                fail_msg("%s", eig_error_detail(ctx));
            CUDA(cudaMemcpy(there, w, values, cudaMemcpyDeviceToHost));
            CUDA(cudaMemcpy(there + values, z, z_bytes, cudaMemcpyDeviceToHost));
            if (memcmp(there, host_w, values) != 0) fail_msg("n = %lld: other values", (long long)n);
            if (memcmp(there + values, host_z, z_bytes) != 0) fail_msg("n = %lld: other vectors", (long long)n);
            assert_true(device_guard_holds(w, values) && device_guard_holds(z, z_bytes));
            assert_true(device_guard_holds(work, need));
        }
        assert_int_equal(eig_set_workspace(ctx, NULL, 0), EIG_OK);
        void *const arrays[] = {d, e, w, z, work};
        for (size_t k = 0; k < COUNT(arrays); ++k) CUDA(cudaFree(arrays[k]));
        free(host), free(there);
    }
    eig_destroy(ctx);
}

/* A batch that is asked for its certificate too has the same pairs, and what it tells is as good as is promised: each order has
 * another number of lanes a matrix. */
static void test_certificates(void **state)
{
    enum { BATCH = 13, LAST = 6 };
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int64_t n = 2; n <= 64; n += small && n > 9 ? 7 : 1)
        for (int c = 0; c < 2; ++c) {
            eig_type const type = real_types[c];
            int64_t const ldz = n + 2;
            numbers d, e, w[2], z[2], residual, orthogonality;
            numbers *const all[] = {&d, &e, &w[0], &w[1], &z[0], &z[1], &residual, &orthogonality};
            int64_t const lengths[] = {n, n, n, n, n * ldz, n * ldz, n, 1};
            double norm[BATCH];
            for (size_t i = 0; i < COUNT(all); ++i) {
                if (!numbers_make(all[i], type, BATCH * lengths[i])) fail_msg("no memory");
                numbers_fill(all[i], 77);
            }
            for (int64_t b = 0; b < BATCH; ++b) {
                fixture f = make_family((size_t)b % LAST, n, type);
                norm[b] = f.norm;
                for (int64_t i = 0; i < n; ++i) numbers_put_part(&d, b * n + i, numbers_part(&f.d, i));
                for (int64_t i = 0; i < n - 1; ++i) numbers_put_part(&e, b * n + i, numbers_part(&f.e, i));
                drop(&f);
            }
            for (int asked = 0; asked < 2; ++asked)
                if (eig_stemr_batched(ctx, type, NULL, n, d.data, n, e.data, n, NULL, w[asked].data, n, z[asked].data,
                                      ldz, n * ldz, NULL, NULL, asked ? residual.data : NULL,
                                      asked ? orthogonality.data : NULL, NULL, BATCH) != EIG_OK)
                    fail_msg("n = %lld: %s", (long long)n, eig_error_detail(ctx));
            assert_memory_equal(w[0].data, w[1].data, numbers_bytes(&w[0]));
            assert_memory_equal(z[0].data, z[1].data, numbers_bytes(&z[0]));
            double const unit = 10.0 * (double)n * type_eps(type);
            for (int64_t b = 0; b < BATCH; ++b) {
                double const skew = numbers_part(&orthogonality, b);
                if (!(skew >= 0 && skew <= unit)) fail_msg("n = %lld: orthogonality %g is told", (long long)n, skew);
                for (int64_t k = 0; k < n; ++k) {
                    double const length = numbers_part(&residual, b * n + k);
                    assert_true(length >= 0 && length <= unit * norm[b]);
                }
            }
            for (size_t i = 0; i < COUNT(all); ++i) numbers_free(all[i]);
        }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_plain),        cmocka_unit_test(test_arrays), cmocka_unit_test(test_sides),
        cmocka_unit_test(test_sizes),        cmocka_unit_test(test_slices), cmocka_unit_test(test_batches),
        cmocka_unit_test(test_certificates),
    };
    char *arguments[] = {argv[0], "cuda", NULL};
    small = argc > 1 && strcmp(argv[1], "small") == 0;
    if (!test_device_answers(2, arguments)) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
