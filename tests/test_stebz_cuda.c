/* stebz on CUDA, what only a GPU context has: device arrays, streams, graphs, lent workspaces, both sides at once, long
 * matrices that stream through shared memory; and the same eigenvalues as a CPU context. */
#include "io/matrices.h"
#include "support/device.h"

#include <cuda_runtime_api.h>
#include <float.h>
#include <math.h>

#define CUDA(call) assert_int_equal((call), cudaSuccess)

static int small; /* sizes for compute-sanitizer, which takes a thousand times as long */

/* A matrix on both sides, in one precision. */
typedef struct sides {
    eig_type type;
    size_t real;
    int64_t n;
    void *d, *e, *w, *cpu;           /* host */
    void *gd, *ge, *gw, *glow, *ghi; /* device */
    int64_t *gm;
    double norm;
} sides;

static double entry(const sides *s, const void *x, int64_t i)
{
    return s->type == EIG_S ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void *device(size_t bytes)
{
    void *p = NULL;
    CUDA(cudaMalloc(&p, bytes + 256));
    CUDA(cudaMemset(p, 0xff, bytes + 256));
    return p;
}

static sides make(const char *kind, eig_type type, int64_t n)
{
    sides s = {.type = type, .real = eig_type_size(type), .n = n};
    io_tridiagonal t;
    io_error error;
    if (!matrices_tridiagonal(kind, n, 3, &t, &error)) fail_msg("%s: %s", kind, error.text);
    size_t const bytes = (size_t)n * s.real;
    s.d = malloc(bytes), s.e = malloc(bytes), s.w = malloc(bytes), s.cpu = malloc(bytes);
    for (int64_t i = 0; i < n; ++i) {
        double const b = i + 1 < n ? t.e[i] : 0;
        if (type == EIG_S)
            ((float *)s.d)[i] = (float)t.d[i], ((float *)s.e)[i] = (float)b;
        else
            ((double *)s.d)[i] = t.d[i], ((double *)s.e)[i] = b;
    }
    io_tridiagonal_free(&t);
    for (int64_t i = 0; i < n; ++i) {
        double const before = i > 0 ? fabs(entry(&s, s.e, i - 1)) : 0;
        s.norm = fmax(s.norm, fabs(entry(&s, s.d, i)) + before + fabs(entry(&s, s.e, i)));
    }
    s.gd = device(bytes), s.ge = device(bytes), s.gw = device(bytes), s.glow = device(bytes), s.ghi = device(bytes);
    s.gm = device(sizeof(int64_t));
    CUDA(cudaMemcpy(s.gd, s.d, bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(s.ge, s.e, bytes, cudaMemcpyHostToDevice));
    return s;
}

static void drop(sides *s)
{
    free(s->d), free(s->e), free(s->w), free(s->cpu);
    CUDA(cudaFree(s->gd));
    CUDA(cudaFree(s->ge));
    CUDA(cudaFree(s->gw));
    CUDA(cudaFree(s->glow));
    CUDA(cudaFree(s->ghi));
    CUDA(cudaFree(s->gm));
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
    CUDA(cudaMemcpy(s->w, s->gw, (size_t)s->n * s->real, cudaMemcpyDeviceToHost));
    return m;
}

/* Largest difference from a CPU context in units of eps*norm. */
static double difference(const eig_stebz_options *o, sides *s, int64_t m)
{
    eig_context *cpu;
    assert_int_equal(eig_create(&cpu, "cpu"), EIG_OK);
    int64_t found = -1;
    assert_int_equal(solve(cpu, o, s->n, s, s->d, s->e, &found, s->cpu), EIG_OK);
    eig_destroy(cpu);
    assert_int_equal(found, m);
    double worst = 0;
    for (int64_t i = 0; i < m; ++i) worst = fmax(worst, fabs(entry(s, s->w, i) - entry(s, s->cpu, i)));
    return worst / ((s->type == EIG_S ? FLT_EPSILON : DBL_EPSILON) * s->norm);
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
        if (i % 100 < 40) ((float *)s.e)[i] *= 1e-6f;
        if (i % 100 == 50) ((float *)s.e)[i] = 0;
    }
    CUDA(cudaMemcpy(s.ge, s.e, (size_t)s.n * s.real, cudaMemcpyHostToDevice));
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
            memcpy(first, s.w, bytes);
            size_t need = 0;
            assert_int_equal(eig_stebz_work_size(ctx, EIG_D, &o, s.n, 1, &need), EIG_OK);
            char *const work = device(need);
            assert_int_equal(eig_set_stream(ctx, stream), EIG_OK);
            assert_int_equal(eig_set_workspace(ctx, work, need - 1), EIG_OK);
            expect_refused(ctx, solve(ctx, &o, s.n, &s, s.gd, s.ge, s.gm, s.gw), EIG_BAD_WORKSPACE, "need");
            assert_int_equal(eig_set_workspace(ctx, work, need), EIG_OK);
            assert_int_equal(solve_device(ctx, &o, &s), m);
            assert_memory_equal(first, s.w, (size_t)m * s.real);
            unsigned char beyond[256];
            CUDA(cudaMemcpy(beyond, work + need, sizeof beyond, cudaMemcpyDeviceToHost));
            for (size_t i = 0; i < sizeof beyond; ++i) assert_int_equal(beyond[i], 0xff);

            cudaGraph_t graph;
            cudaGraphExec_t replay;
            CUDA(cudaMemset(s.gw, 0xff, bytes));
            CUDA(cudaDeviceSynchronize());
            CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
            assert_int_equal(solve(ctx, &o, s.n, &s, s.gd, s.ge, s.gm, s.gw), EIG_OK);
            CUDA(cudaStreamEndCapture(stream, &graph));
            CUDA(cudaGraphInstantiate(&replay, graph, 0));
            for (int r = 0; r < 3; ++r) CUDA(cudaGraphLaunch(replay, stream));
            CUDA(cudaStreamSynchronize(stream));
            CUDA(cudaMemcpy(s.w, s.gw, bytes, cudaMemcpyDeviceToHost));
            assert_memory_equal(first, s.w, (size_t)m * s.real);
            CUDA(cudaGraphExecDestroy(replay));
            CUDA(cudaGraphDestroy(graph));
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
    const eig_pass *pass;
    int passes;
    assert_int_equal(eig_get_timing(ctx, &pass, &passes), EIG_OK);
    assert_int_equal(passes, 3);
    for (int i = 0; i < passes; ++i) assert_true(pass[i].ms > 0);
    assert_int_equal(eig_set_timing(ctx, 0), EIG_OK);
    CUDA(cudaMemcpy(s.w, s.gw, (size_t)s.n * 8, cudaMemcpyDeviceToHost));
    double *const lo = malloc((size_t)s.n * 8), *const hi = malloc((size_t)s.n * 8);
    int64_t *const count = malloc((size_t)s.n * 8);
    CUDA(cudaMemcpy(lo, s.glow, (size_t)s.n * 8, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(hi, s.ghi, (size_t)s.n * 8, cudaMemcpyDeviceToHost));
    int64_t *const gcount = device((size_t)s.n * 8);
    assert_int_equal(eig_dstebz_count(ctx, s.n, s.gd, s.ge, s.n, s.glow, gcount, NULL), EIG_OK);
    CUDA(cudaMemcpy(count, gcount, (size_t)s.n * 8, cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < s.n; ++i) assert_true(lo[i] <= entry(&s, s.w, i) && count[i] <= i);
    assert_int_equal(eig_dstebz_count(ctx, s.n, s.gd, s.ge, s.n, s.ghi, gcount, NULL), EIG_OK);
    CUDA(cudaMemcpy(count, gcount, (size_t)s.n * 8, cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < s.n; ++i) assert_true(hi[i] >= entry(&s, s.w, i) && count[i] > i);
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
        CUDA(cudaMemcpy(s.w, s.gw, (size_t)s.n * 8, cudaMemcpyDeviceToHost));
        assert_int_equal(m, 0);
        for (int64_t i = 0; i < s.n; ++i) assert_true(isnan(entry(&s, s.w, i)));
        int64_t count = 5, *const gcount = device(sizeof count);
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
    expect_refused(ctx, solve(ctx, NULL, s.n, &s, s.gd, s.ge, NULL, s.w), EIG_BAD_ARGUMENT, "w in host memory");
    expect_refused(ctx, solve(ctx, NULL, s.n, &s, s.d, s.ge, NULL, s.w), EIG_BAD_ARGUMENT, "e lies in device memory");
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
    static const int64_t sizes[] = {1, 7, 32, 33, 200}, batches[] = {200000, 70000, 30000, 20000, 3000};
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; ++c) {
        int64_t const n = sizes[c], batch = small ? batches[c] / 1000 : batches[c], bad = batch / 3;
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
        double *const gd = device(bytes), *const ge = device(bytes), *const gw = device(bytes);
        int *const ginfo = device((size_t)batch * sizeof *ginfo);
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

/* A long matrix on host arrays reports on its way and can be cancelled. */
static void test_progress(void **state)
{
    (void)state;
    if (small) skip();
    eig_context *ctx = test_context(0);
    sides s = make("121", EIG_S, 250000);
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
    o.abstol = 1e-3;
    int calls = 0;
    assert_int_equal(eig_set_progress(ctx, stop_at, &calls), EIG_OK);
    expect_refused(ctx, solve(ctx, &o, s.n, &s, s.d, s.e, NULL, s.w), EIG_CANCELLED, "cancelled");
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
    if (argc > 1 && !small) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
