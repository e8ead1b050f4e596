/* stebz on CUDA, what only a GPU context has: device arrays, streams, graphs, lent workspaces, both sides at once, long
 * matrices that stream through shared memory; and the same eigenvalues as a CPU context. */
#include "bench/support/certify.h"
#include "bench/support/cuda_side.h"
#include "bench/support/passes.h"
#include "io/matrices.h"
#include "support/device.h"

#include <float.h>
#include <math.h>

static int small; /* sizes for compute-sanitizer, which takes a thousand times as long */

/* A matrix on both sides; e has an entry of 0 more than is read. */
typedef struct sides {
    eig_type type;
    size_t real;
    int64_t n;
    numbers d, e, w, cpu;            /* host */
    void *gd, *ge, *gw, *glow, *ghi; /* device */
    int64_t *gm;
    int *ginfo;
    double norm;
} sides;

static void upload(const sides *s)
{
    CUDA(cudaMemcpy(s->gd, s->d.data, numbers_bytes(&s->d), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(s->ge, s->e.data, numbers_bytes(&s->e), cudaMemcpyHostToDevice));
}

static sides make(const char *kind, eig_type type, int64_t n)
{
    sides s = {.type = type, .real = type_size(type), .n = n};
    io_tridiagonal t;
    io_error error;
    numbers *const arrays[] = {&s.d, &s.e, &s.w, &s.cpu};
    if (!matrices_tridiagonal(kind, n, 3, &t, &error)) fail_msg("%s: %s", kind, error.text);
    for (int i = 0; i < 4; ++i) assert_true(numbers_make(arrays[i], type, n));
    numbers_from(&s.d, 0, t.d, n), numbers_from(&s.e, 0, t.e, n - 1);
    numbers_to(&s.d, 0, t.d, n), numbers_to(&s.e, 0, t.e, n - 1);
    s.norm = tridiagonal_norm(&t);
    io_tridiagonal_free(&t);
    void **const there[] = {&s.gd, &s.ge, &s.gw, &s.glow, &s.ghi};
    for (int i = 0; i < 5; ++i) *there[i] = device_memory((size_t)n * s.real);
    s.gm = device_memory(sizeof *s.gm), s.ginfo = device_memory(sizeof *s.ginfo);
    upload(&s);
    return s;
}

static void drop(sides *s)
{
    numbers *const arrays[] = {&s->d, &s->e, &s->w, &s->cpu};
    void *const there[] = {s->gd, s->ge, s->gw, s->glow, s->ghi, s->gm, s->ginfo};
    for (int i = 0; i < 4; ++i) numbers_free(arrays[i]);
    for (int i = 0; i < 7; ++i) CUDA(cudaFree(there[i]));
}

static eig_status solve(eig_context *ctx, const eig_stebz_options *o, int64_t n, const sides *s, const void *d,
                        const void *e, int64_t *m, void *w)
{
    return eig_stebz(ctx, s->type, o, n, d, e, m, w, NULL, NULL, NULL);
}

/* Solves on device arrays and brings the results to s->w; returns m. */
static int64_t solve_device(eig_context *ctx, const eig_stebz_options *o, sides *s)
{
    int64_t m = -1;
    CUDA(cudaMemset(s->gw, 0xff, (size_t)s->n * s->real));
    assert_int_equal(solve(ctx, o, s->n, s, s->gd, s->ge, s->gm, s->gw), EIG_OK);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(&m, s->gm, sizeof m, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(s->w.data, s->gw, (size_t)s->n * s->real, cudaMemcpyDeviceToHost));
    return m;
}

/* Largest difference from a CPU context in units of eps*norm. */
static double difference(const eig_stebz_options *o, sides *s, int64_t m)
{
    eig_context *cpu;
    assert_int_equal(eig_create(&cpu, "cpu"), EIG_OK);
    int64_t found = -1;
    assert_int_equal(solve(cpu, o, s->n, s, s->d.data, s->e.data, &found, s->cpu.data), EIG_OK);
    eig_destroy(cpu);
    assert_int_equal(found, m);
    double worst = 0;
    for (int64_t i = 0; i < m; ++i) worst = fmax(worst, fabs(numbers_part(&s->w, i) - numbers_part(&s->cpu, i)));
    return worst / (type_eps(s->type) * s->norm);
}

/* ------------------------------------------------------------------- tests */

static void test_like_cpu(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 47, 1000, 2049, 4097, 5003};
    static const char *const kinds[] = {"uniform", "glued", "121"};
    eig_context *ctx = test_context(0);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes - (small ? 4 : 0); ++i)
            for (int p = 0; p < 2; ++p)
                for (int method = 0; method < 2; ++method) {
                    eig_stebz_options o = EIG_STEBZ_OPTIONS;
                    o.method = (eig_stebz_method)method;
                    sides s = make(kinds[k], p == 0 ? EIG_S : EIG_D, sizes[i]);
                    assert_int_equal(solve_device(ctx, &o, &s), s.n);
                    double const worst = difference(&o, &s, s.n);
                    if (!(worst <= 5))
                        fail_msg("%s %c n = %lld method %d: %g eps ||T|| from the CPU", kinds[k], "sd"[p],
                                 (long long)s.n, method, worst);
                    drop(&s);
                }
    eig_destroy(ctx);
}

/* More eigenvalues than lanes of one pass, rows in many tiles, several runs of lanes. */
static void test_large(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    for (int p = 0; p < 2; ++p) {
        eig_stebz_options o = EIG_STEBZ_OPTIONS;
        sides s = make("uniform", p == 0 ? EIG_D : EIG_S, small ? 2100 : 20011);
        if (!small) {
            assert_int_equal(solve_device(ctx, &o, &s), s.n);
            assert_true(difference(&o, &s, s.n) <= 5);
        }
        o.range = EIG_RANGE_INDEX, o.il = s.n / 2, o.iu = s.n / 2 + 19;
        assert_int_equal(solve_device(ctx, &o, &s), 20);
        assert_true(difference(&o, &s, 20) <= 5);
        if (small) {
            drop(&s);
            break; /* double: rows stream */
        }
        o.range = EIG_RANGE_VALUE, o.vl = -0.125, o.vu = 0.25;
        int64_t const m = solve_device(ctx, &o, &s);
        assert_true(m > 100 && difference(&o, &s, m) <= 5);
        drop(&s);
    }
    eig_destroy(ctx);
}

/* Float blocks whose scales leave float's range, next to blocks that do not. */
static void test_small_couplings(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
    sides s = make("uniform", EIG_S, small ? 203 : 1003);
    for (int64_t i = 0; i < s.n; ++i) {
        if (i % 100 < 40) numbers_put_part(&s.e, i, (double)(float)numbers_part(&s.e, i) * (double)1e-6f);
        if (i % 100 == 50) numbers_put_part(&s.e, i, 0);
    }
    upload(&s);
    assert_int_equal(solve_device(ctx, &o, &s), s.n);
    assert_true(difference(&o, &s, s.n) <= 5);
    drop(&s);
    eig_destroy(ctx);
}

/* A stream of the caller's, a lent workspace of exactly the size, a graph: all the same bits. */
static void test_stream_and_graph(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    for (int method = 0; method < 2; ++method)
        for (int ranged = 0; ranged < 2; ++ranged) {
            eig_stebz_options o = EIG_STEBZ_OPTIONS;
            o.method = (eig_stebz_method)method;
            if (ranged) o.range = EIG_RANGE_VALUE, o.vl = -1, o.vu = 1;
            sides s = make("uniform", EIG_D, small ? 150 : 3001);
            size_t const bytes = (size_t)s.n * s.real;
            void *const first = malloc(bytes);
            assert_int_equal(eig_set_stream(ctx, NULL), EIG_OK);
            int64_t const m = solve_device(ctx, &o, &s);
            memcpy(first, s.w.data, bytes);
            size_t need = 0;
            assert_int_equal(eig_stebz_work_size(ctx, EIG_D, &o, s.n, 1, &need), EIG_OK);
            char *const work = device_memory(need);
            assert_int_equal(eig_set_stream(ctx, stream), EIG_OK);
            assert_int_equal(eig_set_workspace(ctx, work, need - 1), EIG_OK);
            expect_refused(ctx, solve(ctx, &o, s.n, &s, s.gd, s.ge, s.gm, s.gw), EIG_BAD_WORKSPACE, "need");
            assert_int_equal(eig_set_workspace(ctx, work, need), EIG_OK);
            assert_int_equal(solve_device(ctx, &o, &s), m);
            assert_memory_equal(first, s.w.data, (size_t)m * s.real);
            assert_true(device_guard_holds(work, need));

            CUDA(cudaMemset(s.gw, 0xff, bytes));
            CUDA(cudaDeviceSynchronize());
            CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
            assert_int_equal(solve(ctx, &o, s.n, &s, s.gd, s.ge, s.gm, s.gw), EIG_OK);
            device_replay(stream);
            CUDA(cudaMemcpy(s.w.data, s.gw, bytes, cudaMemcpyDeviceToHost));
            assert_memory_equal(first, s.w.data, (size_t)m * s.real);
            assert_int_equal(eig_set_workspace(ctx, NULL, 0), EIG_OK);
            CUDA(cudaFree(work));
            free(first);
            drop(&s);
        }
    CUDA(cudaStreamDestroy(stream));
    eig_destroy(ctx);
}

static void test_enclosures(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    sides s = make("uniform", EIG_D, small ? 150 : 2500);
    assert_int_equal(eig_set_timing(ctx, 1), EIG_OK);
    assert_int_equal(eig_dstebz(ctx, NULL, s.n, s.gd, s.ge, s.gm, s.gw, s.glow, s.ghi, NULL), EIG_OK);
    eig_pass pass[PASSES_MOST];
    int passes;
    passes = passes_read(ctx, pass);
    assert_int_equal(passes, s.n <= 2048 ? 1 : 3 /* road whole, or multisection */);
    for (int i = 0; i < passes; ++i) assert_true(pass[i].ms > 0);
    assert_int_equal(eig_set_timing(ctx, 0), EIG_OK);
    CUDA(cudaMemcpy(s.w.data, s.gw, (size_t)s.n * 8, cudaMemcpyDeviceToHost));
    double *const lo = malloc((size_t)s.n * 8), *const hi = malloc((size_t)s.n * 8);
    int64_t *const count = malloc((size_t)s.n * 8);
    CUDA(cudaMemcpy(lo, s.glow, (size_t)s.n * 8, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(hi, s.ghi, (size_t)s.n * 8, cudaMemcpyDeviceToHost));
    int64_t *const gcount = device_memory((size_t)s.n * 8);
    assert_int_equal(eig_dstebz_count(ctx, s.n, s.gd, s.ge, s.n, s.glow, gcount, NULL), EIG_OK);
    CUDA(cudaMemcpy(count, gcount, (size_t)s.n * 8, cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < s.n; ++i) assert_true(lo[i] <= numbers_part(&s.w, i) && count[i] <= i);
    assert_int_equal(eig_dstebz_count(ctx, s.n, s.gd, s.ge, s.n, s.ghi, gcount, NULL), EIG_OK);
    CUDA(cudaMemcpy(count, gcount, (size_t)s.n * 8, cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < s.n; ++i) assert_true(hi[i] >= numbers_part(&s.w, i) && count[i] > i);
    CUDA(cudaFree(gcount));
    free(lo), free(hi), free(count);
    drop(&s);
    eig_destroy(ctx);
}

static void test_not_finite(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    for (int method = 0; method < 2; ++method) {
        sides s = make("uniform", EIG_D, 10000);
        double const bad = NAN;
        eig_stebz_options o = EIG_STEBZ_OPTIONS;
        o.method = (eig_stebz_method)method;
        CUDA(cudaMemcpy((double *)s.ge + 7000, &bad, sizeof bad, cudaMemcpyHostToDevice));
        CUDA(cudaMemset(s.gw, 0, (size_t)s.n * 8));
        assert_int_equal(solve(ctx, &o, s.n, &s, s.gd, s.ge, s.gm, s.gw), EIG_OK);
        int64_t m = -1;
        CUDA(cudaMemcpy(&m, s.gm, sizeof m, cudaMemcpyDeviceToHost));
        CUDA(cudaMemcpy(s.w.data, s.gw, (size_t)s.n * 8, cudaMemcpyDeviceToHost));
        assert_int_equal(m, 0);
        for (int64_t i = 0; i < s.n; ++i) assert_true(isnan(numbers_part(&s.w, i)));
        int64_t count = 5, *const gcount = device_memory(sizeof count);
        assert_int_equal(eig_dstebz_count(ctx, s.n, s.gd, s.ge, 1, s.gd, gcount, NULL), EIG_OK);
        CUDA(cudaMemcpy(&count, gcount, sizeof count, cudaMemcpyDeviceToHost));
        assert_int_equal(count, -1);
        CUDA(cudaFree(gcount));
        drop(&s);
    }
    eig_destroy(ctx);
}

static void test_refused(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    sides s = make("uniform", EIG_D, 100);
    int64_t m;
    expect_refused(ctx, solve(ctx, NULL, s.n, &s, s.gd, s.ge, NULL, s.w.data), EIG_BAD_ARGUMENT, "w in host memory");
    expect_refused(ctx, solve(ctx, NULL, s.n, &s, s.d.data, s.ge, NULL, s.w.data), EIG_BAD_ARGUMENT,
                   "e lies in device memory");
    expect_refused(ctx, solve(ctx, NULL, s.n, &s, s.gd, s.ge, &m, s.gw), EIG_BAD_ARGUMENT, "m in host memory");
    drop(&s);
    eig_destroy(ctx);
    assert_int_equal(eig_create(&ctx, "cuda:99"), EIG_NO_BACKEND);
    assert_non_null(strstr(eig_error_detail(ctx), "cuda:99 does not exist"));
    assert_int_equal(eig_set_stream(ctx, NULL), EIG_NO_BACKEND);
    eig_destroy(ctx);
    assert_int_equal(eig_create(&ctx, "cpu"), EIG_OK);
    assert_int_equal(eig_set_stream(ctx, NULL), EIG_OK);
    expect_refused(ctx, eig_set_stream(ctx, ctx), EIG_BAD_ARGUMENT, "no streams");
    eig_destroy(ctx);
}

/* Batches: many chunks of host arrays, device arrays, one by one: the same bits; a bad matrix spoils nothing else. */
static void test_batches(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    /* From 200 n matrices on those of n <= 64 take the road small, up to n = 4 always; one alone takes another. */
    static const int64_t sizes[] = {1, 3, 7, 17, 32, 33, 64, 200}, few[] = {200, 40, 70, 3400, 30, 20, 10, 3},
                         batches[] = {200000, 100000, 70000, 50000, 30000, 20000, 13000, 3000};
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; ++c) {
        int64_t const n = sizes[c], batch = small ? few[c] : batches[c], bad = batch / 3;
        size_t const bytes = (size_t)(n * batch) * 8;
        double *const d = malloc(bytes), *const e = malloc(bytes), *const w = malloc(bytes),
                      *const again = malloc(bytes);
        int *const info = malloc((size_t)batch * sizeof *info);
        matrices_rng rng = matrices_seed(8);
        for (int64_t i = 0; i < n * batch; ++i) {
            d[i] = matrices_uniform(&rng);
            e[i] = matrices_uniform(&rng);
        }
        d[bad * n] = INFINITY;
        assert_int_equal(eig_dstebz_batched(ctx, NULL, n, d, n, e, n, w, NULL, NULL, n, info, batch), EIG_OK);
        for (int64_t b = 0; b < batch; ++b) assert_int_equal(info[b], b == bad ? EIG_INFO_NOT_FINITE : EIG_INFO_OK);
        for (int64_t i = 0; i < n; ++i) assert_true(isnan(w[bad * n + i]));
        double *const gd = device_memory(bytes), *const ge = device_memory(bytes), *const gw = device_memory(bytes);
        int *const ginfo = device_memory((size_t)batch * sizeof *ginfo);
        CUDA(cudaMemcpy(gd, d, bytes, cudaMemcpyHostToDevice));
        CUDA(cudaMemcpy(ge, e, bytes, cudaMemcpyHostToDevice));
        assert_int_equal(eig_dstebz_batched(ctx, NULL, n, gd, n, ge, n, gw, NULL, NULL, n, ginfo, batch), EIG_OK);
        CUDA(cudaMemcpy(again, gw, bytes, cudaMemcpyDeviceToHost));
        for (int64_t b = 0; b < batch; ++b)
            if (b != bad) assert_memory_equal(again + b * n, w + b * n, (size_t)n * 8);
        for (int64_t b = 0; b < batch; b += batch / 3)
            if (b != bad) {
                assert_int_equal(
                    eig_dstebz_batched(ctx, NULL, n, d + b * n, n, e + b * n, n, again, NULL, NULL, n, NULL, 1),
                    EIG_OK);
                assert_memory_equal(again, w + b * n, (size_t)n * 8);
            }
        CUDA(cudaFree(gd));
        CUDA(cudaFree(ge));
        CUDA(cudaFree(gw));
        CUDA(cudaFree(ginfo));
        free(d), free(e), free(w), free(again), free(info);
    }
    eig_destroy(ctx);
}

static int stop_at(void *user, double fraction)
{
    int *const calls = user;
    ++*calls;
    return fraction >= 0.5 && fraction < 1;
}

/* A long matrix on host arrays reports on its way and can be cancelled: this one takes four launches of a second each. */
static void test_progress(void **state)
{
    (void)state;
    if (small) skip_because("takes too long under compute-sanitizer");
    eig_context *ctx = test_context(0);
    sides s = make("121", EIG_D, 1000000);
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
    int calls = 0;
    assert_int_equal(eig_set_progress(ctx, stop_at, &calls), EIG_OK);
    expect_refused(ctx, solve(ctx, &o, s.n, &s, s.d.data, s.e.data, NULL, s.w.data), EIG_CANCELLED, "cancelled");
    assert_true(calls >= 3);
    drop(&s);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    small = argc > 1 && strcmp(argv[1], "small") == 0;
    char *arguments[] = {argv[0], "cuda", NULL};
    if (!test_device_answers(2, arguments)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_cpu),        cmocka_unit_test(test_large),
        cmocka_unit_test(test_small_couplings), cmocka_unit_test(test_stream_and_graph),
        cmocka_unit_test(test_enclosures),      cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_batches),
        cmocka_unit_test(test_progress),
    };
    if (argc > 1 + small) cmocka_set_test_filter(argv[1 + small]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
