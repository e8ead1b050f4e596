/* stebz on CUDA where T splits, what only a GPU context has: device arrays, graphs, two streams at once, progress on the
 * way; and the same eigenvalues as a CPU context. */
#include "bench/support/cuda_side.h"
#include "cuda/stebz/stebz_pace.h"
#include "io/numbers.h"
#include "support/device.h"

#include <float.h>
#include <math.h>

static int small; /* sizes for compute-sanitizer, which takes a thousand times as long */

/* A matrix on both sides, its blocks of given rows in turn. */
typedef struct sides {
    eig_type type;
    int64_t n;
    size_t bytes;
    numbers d, e, w, lower, upper, cpu;
    void *gd, *ge, *gw, *glow, *ghi;
} sides;

static sides make(eig_type type, int64_t n, const int64_t *rows, int kinds)
{
    sides s = {.type = type, .n = n, .bytes = (size_t)n * type_size(type)};
    numbers *const arrays[] = {&s.d, &s.e, &s.w, &s.lower, &s.upper, &s.cpu};
    for (int i = 0; i < 6; ++i) assert_true(numbers_make(arrays[i], type, n));
    int64_t left = rows[0];
    for (int64_t i = 0, block = 0; i < n; ++i) {
        numbers_put_part(&s.d, i, sin(1.7 * (double)i));
        numbers_put_part(&s.e, i, 0.3 + 0.5 * fabs(sin((double)(i * i % 1009))));
        if (--left > 0) continue;
        numbers_put_part(&s.e, i, block % 2 ? 0 : 0x1p-8 * type_eps(type));
        left = rows[++block % kinds];
    }
    void **const there[] = {&s.gd, &s.ge, &s.gw, &s.glow, &s.ghi};
    for (int i = 0; i < 5; ++i) *there[i] = device_memory(s.bytes);
    CUDA(cudaMemcpy(s.gd, s.d.data, s.bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(s.ge, s.e.data, s.bytes, cudaMemcpyHostToDevice));
    return s;
}

static void drop(sides *s)
{
    numbers *const arrays[] = {&s->d, &s->e, &s->w, &s->lower, &s->upper, &s->cpu};
    void *const there[] = {s->gd, s->ge, s->gw, s->glow, s->ghi};
    for (int i = 0; i < 6; ++i) numbers_free(arrays[i]);
    for (int i = 0; i < 5; ++i) CUDA(cudaFree(there[i]));
}

static eig_status enqueue(eig_context *ctx, const eig_stebz_options *o, const sides *s)
{
    return eig_stebz(ctx, s->type, o, s->n, s->gd, s->ge, NULL, s->gw, s->glow, s->ghi, NULL);
}

static void fetch(sides *s)
{
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(s->w.data, s->gw, s->bytes, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(s->lower.data, s->glow, s->bytes, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(s->upper.data, s->ghi, s->bytes, cudaMemcpyDeviceToHost));
}

/* The first m results: ascending, inside their enclosures, and as a CPU context has them. */
static void check(const eig_stebz_options *o, sides *s, int64_t m)
{
    eig_context *cpu;
    assert_int_equal(eig_create(&cpu, "cpu"), EIG_OK);
    assert_int_equal(eig_stebz(cpu, s->type, o, s->n, s->d.data, s->e.data, NULL, s->cpu.data, NULL, NULL, NULL),
                     EIG_OK);
    eig_destroy(cpu);
    for (int64_t i = 0; i < m; ++i) {
        double const w = numbers_part(&s->w, i), cpu_w = numbers_part(&s->cpu, i);
        if (!(fabs(w - cpu_w) <= 16 * type_eps(s->type))) /* ||T|| < 3 */
            fail_msg("w[%lld] = %.17g, on the CPU %.17g", (long long)i, w, cpu_w);
        assert_true(i == 0 || numbers_part(&s->w, i - 1) <= w);
        assert_true(numbers_part(&s->lower, i) <= w && w <= numbers_part(&s->upper, i));
    }
}

static const int64_t ones[] = {1}, twos[] = {2}, mixed[] = {1100, 2, 3, 1, 255, 1024, 1025, 17}, halves[] = {1050};
static const struct {
    const int64_t *rows;
    int kinds;
} patterns[] = {{ones, 1}, {twos, 1}, {mixed, 8}, {halves, 1}};

static void test_like_cpu(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    for (int k = 0; k < 4; ++k)
        for (int t = 0; t < 2; ++t)
            for (int tight = 0; tight < 2; ++tight) {
                eig_stebz_options o = EIG_STEBZ_OPTIONS;
                if (tight) o.abstol = t ? 2 * DBL_MIN : 2 * (double)FLT_MIN;
                if (small && (tight || k == 3)) continue;
                sides s = make(t ? EIG_D : EIG_S, small ? 2100 : 10007, patterns[k].rows, patterns[k].kinds);
                assert_int_equal(enqueue(ctx, &o, &s), EIG_OK);
                fetch(&s);
                check(&o, &s, s.n);
                o.range = EIG_RANGE_INDEX, o.il = s.n / 3, o.iu = s.n - 5;
                assert_int_equal(enqueue(ctx, &o, &s), EIG_OK);
                fetch(&s);
                check(&o, &s, o.iu - o.il + 1);
                drop(&s);
            }
    eig_destroy(ctx);
}

/* A captured graph, played several times, and a matrix that does not split after one that does: the same bits. */
static void test_graph(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    sides s = make(EIG_D, small ? 2100 : 9000, mixed, 8);
    numbers first = {0};
    assert_true(numbers_make(&first, EIG_D, s.n));
    assert_int_equal(enqueue(ctx, NULL, &s), EIG_OK);
    fetch(&s);
    memcpy(first.data, s.w.data, s.bytes);
    size_t need = 0;
    assert_int_equal(eig_stebz_work_size(ctx, EIG_D, NULL, s.n, 1, &need), EIG_OK);
    char *const work = device_memory(need);
    assert_int_equal(eig_set_stream(ctx, stream), EIG_OK);
    assert_int_equal(eig_set_workspace(ctx, work, need), EIG_OK);
    CUDA(cudaMemset(s.gw, 0xff, s.bytes));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    assert_int_equal(enqueue(ctx, NULL, &s), EIG_OK);
    device_replay(stream);
    fetch(&s);
    assert_true(numbers_same(&first, &s.w));
    assert_true(device_guard_holds(work, need));
    /* one block: the same workspace must not remember the blocks of the matrix before */
    for (int64_t i = 0; i < s.n; ++i) numbers_put_part(&s.e, i, 0.25);
    CUDA(cudaMemcpy(s.ge, s.e.data, s.bytes, cudaMemcpyHostToDevice));
    assert_int_equal(enqueue(ctx, NULL, &s), EIG_OK);
    fetch(&s);
    check(NULL, &s, s.n);
    assert_int_equal(eig_set_workspace(ctx, NULL, 0), EIG_OK);
    CUDA(cudaFree(work));
    CUDA(cudaStreamDestroy(stream));
    numbers_free(&first);
    drop(&s);
    eig_destroy(ctx);
}

/* Contexts on two streams at once: launches that wait for all of their blocks must not wait for each other. */
static void test_two_streams(void **state)
{
    (void)state;
    enum { STREAMS = 2, CALLS = 20 };
    eig_context *ctx[STREAMS];
    cudaStream_t stream[STREAMS];
    sides s[STREAMS];
    for (int i = 0; i < STREAMS; ++i) {
        ctx[i] = test_context(0);
        CUDA(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
        assert_int_equal(eig_set_stream(ctx[i], stream[i]), EIG_OK);
        s[i] = make(EIG_D, small ? 2100 : 70000, mixed, 8);
    }
    for (int call = 0; call < (small ? 2 : CALLS); ++call)
        for (int i = 0; i < STREAMS; ++i) assert_int_equal(enqueue(ctx[i], NULL, &s[i]), EIG_OK);
    for (int i = 0; i < STREAMS; ++i) fetch(&s[i]);
    assert_true(numbers_same(&s[0].w, &s[1].w));
    for (int i = 0; i < STREAMS; ++i) {
        eig_destroy(ctx[i]);
        CUDA(cudaStreamDestroy(stream[i]));
        drop(&s[i]);
    }
}

typedef struct reports {
    int calls;
    double last, stop_at;
    bool ascend;
} reports;

static int note_report(void *user, double fraction)
{
    reports *const r = user;
    r->ascend &= fraction >= r->last && fraction <= 1;
    r->last = fraction;
    ++r->calls;
    return fraction >= r->stop_at;
}

/* All values from host arrays, by launches of some milliseconds. */
static eig_status solve_paced(eig_context *ctx, const sides *s)
{
    stebz_problem p = {.type = s->type, .n = s->n, .batch = 1, .range = EIG_RANGE_ALL, .il = 1, .iu = s->n};
    p.d = s->d.data, p.e = s->e.data, p.w = s->cpu.data;
    p.stride_d = p.stride_e = p.stride_w = s->n;
    return eig_cuda_stebz_paced(ctx, &p, 5);
}

/* Long blocks on host arrays report on their way, can be cancelled, and give the bits of one launch. */
static void test_progress(void **state)
{
    (void)state;
    if (small) skip_because("takes too long under compute-sanitizer");
    static const int64_t longs[] = {70001, 3, 40000, 2};
    eig_context *ctx = test_context(0);
    sides s = make(EIG_S, 250000, longs, 4);
    assert_int_equal(enqueue(ctx, NULL, &s), EIG_OK);
    fetch(&s);
    reports r = {.stop_at = 2, .ascend = true};
    assert_int_equal(eig_set_progress(ctx, note_report, &r), EIG_OK);
    assert_int_equal(solve_paced(ctx, &s), EIG_OK);
    assert_true(numbers_same(&s.w, &s.cpu));
    assert_true(r.calls >= 3 && r.ascend);
    r = (reports){.stop_at = 0.3, .ascend = true};
    assert_int_equal(solve_paced(ctx, &s), EIG_CANCELLED);
    drop(&s);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    small = argc > 1 && strcmp(argv[1], "small") == 0;
    char *arguments[] = {argv[0], "cuda", NULL};
    if (!test_device_answers(2, arguments)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_cpu),
        cmocka_unit_test(test_graph),
        cmocka_unit_test(test_two_streams),
        cmocka_unit_test(test_progress),
    };
    if (argc > 1 + small) cmocka_set_test_filter(argv[1 + small]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
