/* What only a GPU context has, for all public functions: device arrays, streams, graphs, lent workspaces, several
 * contexts and threads, errors of the caller's own.  Arrays in unusual places: test_cuda_arrays.c. */
#include "bench/support/cuda_side.h"
#include "bench/support/passes.h"
#include "support/operations.h"

#include <pthread.h>

static int small; /* sizes for compute-sanitizer, which takes a thousand times as long */

static void *to_device(const void *from, size_t bytes)
{
    void *const to = device_memory(bytes);
    CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    return to;
}

/* A block of outputs on the device.  Copies of inputs stay until the device is given back: the tests are small. */
static void place_on_device(outputs *o, elsewhere *there)
{
    *there = (elsewhere){device_memory(BLOCK), to_device};
    o->there = there;
}

/* Clears both sides of the outputs. */
static void poison(outputs *o)
{
    outputs_clear(o);
    CUDA(cudaMemset(o->there->block, UNTOUCHED, BLOCK));
    CUDA(cudaDeviceSynchronize());
}

static void fetch(outputs *o)
{
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(o->block, o->there->block, BLOCK, cudaMemcpyDeviceToHost));
}

static void succeed(eig_context *ctx, const operation *op, eig_type type, outputs *o)
{
    eig_status const status = operate_once(ctx, op, type, o, NULL);
    if (status != EIG_OK) fail_msg("%s %s: %s", op->name, type_name(type), eig_error_detail(ctx));
}

/* --------------------------------------------------------- both sides, loans */

static outputs host, device; /* large: not on the stack */
static elsewhere device_side;

/* With so many bytes lent a call is refused, and nothing is written, whichever of the outputs that may be NULL is NULL. */
static void refuse_loan(eig_context *ctx, const operation *op, eig_type type, void *work, size_t bytes)
{
    assert_int_equal(eig_set_workspace(ctx, work, bytes), EIG_OK);
    for (device.without = device.optional; device.without >= 0; --device.without) {
        poison(&device);
        eig_status const status = operate_once(ctx, op, type, &device, NULL);
        if (status != EIG_BAD_WORKSPACE)
            fail_msg(
                "%s %s: status %d with a workspace of %zu bytes, without number %d of the outputs that may be NULL",
                op->name, type_name(type), (int)status, bytes, device.without);
        expect_refused(ctx, status, EIG_BAD_WORKSPACE, "need");
        fetch(&device);
        assert_true(outputs_untouched(&device));
    }
    device.without = 0;
}

/* Device arrays give the bits of host arrays; with a lent workspace of exactly the size, whose guard holds; a byte less
 * is refused and nothing written. */
static void test_device_arrays(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    for (int i = 0; i < 2 * OPERATIONS; ++i) {
        const operation *const op = &operations[i / 2];
        eig_type const type = real_types[i % 2];
        operate_well(ctx, op, type, &host);
        poison(&device);
        succeed(ctx, op, type, &device);
        fetch(&device);
        same_outputs(op, &host, &device, "on the device");
        size_t need = 0;
        assert_int_equal(operate_once(ctx, op, type, &device, &need), EIG_OK);
        void *const work = device_memory(need);
        assert_int_equal(eig_set_workspace(ctx, work, need), EIG_OK);
        poison(&device);
        succeed(ctx, op, type, &device);
        fetch(&device);
        same_outputs(op, &host, &device, "with a lent workspace");
        assert_true(device_guard_holds(work, need));
        if (need > 0) {
            refuse_loan(ctx, op, type, work, need - 1);
            operate_well(ctx, op, type, &host); /* host arrays do not use the loan */
        }
        assert_int_equal(eig_set_workspace(ctx, NULL, 0), EIG_OK);
        CUDA(cudaFree(work));
    }
    eig_destroy(ctx);
}

/* The two forms of stebz take other roads for one matrix, and one number of bytes. */
static void test_loan_of_one(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    for (int64_t n = 2; n <= 1200; n = 2 * n + 1) {
        numbers d = some(EIG_D, n);
        double *const there = to_device(d.data, numbers_bytes(&d)), *const w = device_memory((size_t)n * sizeof *w);
        size_t need;
        assert_int_equal(eig_stebz_work_size(ctx, EIG_D, NULL, n, 1, &need), EIG_OK);
        void *const work = device_memory(need);
        for (size_t less = 0; less <= 1; ++less) {
            eig_status const want = less ? EIG_BAD_WORKSPACE : EIG_OK;
            assert_int_equal(eig_set_workspace(ctx, work, need - less), EIG_OK);
            assert_int_equal(eig_dstebz(ctx, NULL, n, there, there, NULL, w, NULL, NULL, NULL), want);
            assert_int_equal(eig_dstebz_batched(ctx, NULL, n, there, n, there, n, w, NULL, NULL, n, NULL, 1), want);
        }
        assert_true(device_guard_holds(work, need));
        numbers_free(&d);
        CUDA(cudaFree(there)), CUDA(cudaFree(w)), CUDA(cudaFree(work));
        assert_int_equal(eig_set_workspace(ctx, NULL, 0), EIG_OK);
    }
    eig_destroy(ctx);
}

/* Times of passes, on both sides; they change no bits. */
static void test_timing(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    for (int i = 0; i < OPERATIONS; ++i) {
        const operation *const op = &operations[i];
        eig_pass pass[PASSES_MOST];
        int count;
        double sum = 0;
        assert_int_equal(eig_set_timing(ctx, 0), EIG_OK);
        operate_well(ctx, op, EIG_D, &host);
        assert_int_equal(eig_set_timing(ctx, 1), EIG_OK);
        poison(&device);
        succeed(ctx, op, EIG_D, &device);
        count = passes_read(ctx, pass);
        for (int k = 0; k < count; ++k) {
            if (op->cuda_passes[0]) assert_true(op->cuda_passes[k] && strcmp(pass[k].name, op->cuda_passes[k]) == 0);
            assert_true(pass[k].ms >= 0 && pass[k].ms < 1e5);
            sum += pass[k].ms;
        }
        assert_true(count > 0 && sum > 0);
        fetch(&device);
        same_outputs(op, &host, &device, "with times");
    }
    eig_destroy(ctx);
}

/* ------------------------------------------------------------------ streams */

/* Two streams take turns on one context, without a wait between them: what runs on the one needs the workspace that the
 * other still uses.  Cases that take long and fill it with different things. */
static void test_two_streams(void **state)
{
    enum { ROUNDS = 50 };
    (void)state;
    eig_context *ctx = test_context(0);
    io_error error;
    cudaStream_t stream[2];
    bench_case c[2] = {case_new(&case_geev, "random", EIG_D, 24, small ? 20 : 20000),
                       case_new(&case_stebz, "uniform", EIG_D, small ? 100 : 4000, 1)};
    device_case d[2];
    numbers first[2];
    for (int i = 0; i < 2; ++i) {
        CUDA(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
        assert_true(case_make(&c[i], &error));
        d[i] = device_new(ctx, &c[i], stream[i]);
        device_poison(&d[i]);
        assert_int_equal(device_enqueue(&d[i]), EIG_OK);
        device_fetch(&d[i]);
        double worst = 0;
        assert_int_equal(case_check(ctx, &c[i], &worst), EIG_OK);
        assert_true(case_passed(&c[i], worst));
        assert_true(numbers_make(&first[i], c[i].w.type, c[i].w.count));
        memcpy(first[i].data, c[i].w.data, numbers_bytes(&first[i]));
        device_poison(&d[i]);
    }
    CUDA(cudaDeviceSynchronize());
    for (int round = 0; round < (small ? 4 : ROUNDS); ++round)
        for (int i = 0; i < 2; ++i) {
            assert_int_equal(eig_set_stream(ctx, stream[i]), EIG_OK);
            device_poison(&d[i]);
            assert_int_equal(device_enqueue(&d[i]), EIG_OK);
            if (round % 10 != 9) continue;
            device_fetch(&d[i]);
            assert_true(numbers_same(&first[i], &c[i].w));
        }
    assert_int_equal(eig_synchronize(ctx), EIG_OK);
    for (int i = 0; i < 2; ++i) {
        device_fetch(&d[i]);
        assert_true(numbers_same(&first[i], &c[i].w));
        numbers_free(&first[i]);
        device_free(&d[i]);
        case_free(&c[i]);
        CUDA(cudaStreamDestroy(stream[i]));
    }
    eig_destroy(ctx);
}

/* A thread with a context of its own: it runs all operations, again and again. */
typedef struct worker {
    outputs o;
    char expected[OPERATIONS][BLOCK];
    int rounds, wrong;
} worker;

static void *work(void *user)
{
    worker *const w = user;
    eig_context *ctx = NULL;
    if (eig_create(&ctx, test_device) != EIG_OK) w->wrong = 1000;
    for (int round = 0; round < w->rounds && w->wrong < 1000; ++round)
        for (int i = 0; i < OPERATIONS; ++i) {
            outputs_clear(&w->o);
            if (operate_once(ctx, &operations[i], EIG_D, &w->o, NULL) != EIG_OK) ++w->wrong;
            if (memcmp(w->o.block, w->expected[i], BLOCK) != 0) ++w->wrong;
        }
    eig_destroy(ctx);
    return NULL;
}

static void test_two_threads(void **state)
{
    static worker workers[2];
    pthread_t thread[2];
    (void)state;
    eig_context *ctx = test_context(0);
    for (int i = 0; i < OPERATIONS; ++i) {
        operate_well(ctx, &operations[i], EIG_D, &host);
        for (int k = 0; k < 2; ++k) memcpy(workers[k].expected[i], host.block, BLOCK);
    }
    for (int k = 0; k < 2; ++k) {
        workers[k].rounds = small ? 1 : 20;
        assert_int_equal(pthread_create(&thread[k], NULL, work, &workers[k]), 0);
    }
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(pthread_join(thread[k], NULL), 0);
        assert_int_equal(workers[k].wrong, 0);
    }
    eig_destroy(ctx);
}

/* ------------------------------------------------------------------- graphs */

/* Whether calls wait for their stream: eigpack.h says so. */
static bool waits(const operation *op)
{
    return strncmp(op->name, "stemr", 5) == 0;
}

/* While a stream is captured a call without a lent workspace, or one that measures times, or one of a family that waits
 * for its stream, is refused with a sentence, and leaves the capture as it was: the calls after it are captured, and
 * their graph gives the bits of an ordinary call. */
static void test_capture(void **state)
{
    (void)state;
    cudaStream_t stream;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < OPERATIONS; ++i) {
        const operation *op = &operations[i];
        eig_context *ctx = test_context(0); /* without a workspace of its own */
        size_t need = 0;
        assert_int_equal(operate_once(ctx, op, EIG_D, &device, &need), EIG_OK);
        void *const lent = device_memory(need);
        poison(&device);
        assert_int_equal(eig_set_stream(ctx, stream), EIG_OK);
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
        if (need > 0) {
            assert_int_not_equal(operate_once(ctx, op, EIG_D, &device, NULL), EIG_OK);
            assert_true(strlen(eig_error_detail(ctx)) > 10);
        }
        assert_int_equal(eig_set_workspace(ctx, lent, need), EIG_OK);
        assert_int_equal(eig_set_timing(ctx, 1), EIG_OK);
        device.used = 0;
        assert_int_not_equal(operate_once(ctx, op, EIG_D, &device, NULL), EIG_OK);
        assert_true(strlen(eig_error_detail(ctx)) > 10);
        assert_int_equal(eig_set_timing(ctx, 0), EIG_OK);
        device.used = 0;
        if (waits(op)) {
            expect_refused(ctx, operate_once(ctx, op, EIG_D, &device, NULL), EIG_BAD_ARGUMENT, "cannot be captured");
            device.used = 0;
            op = &operations[0];
        }
        succeed(ctx, op, EIG_D, &device);
        cudaGraphExec_t const replay = device_captured(stream);
        poison(&device);
        for (int launch = 0; launch < 3; ++launch) CUDA(cudaGraphLaunch(replay, stream));
        fetch(&device);
        assert_int_equal(eig_set_stream(ctx, NULL), EIG_OK);
        operate_well(ctx, op, EIG_D, &host);
        same_outputs(op, &host, &device, "from a graph");
        CUDA(cudaGraphExecDestroy(replay));
        CUDA(cudaFree(lent));
        eig_destroy(ctx);
    }
    CUDA(cudaStreamDestroy(stream));
}

/* ------------------------------------------------------------------- errors */

/* An error that the caller left behind is the caller's. */
static void test_earlier_error(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    for (int i = 0; i < OPERATIONS; ++i) {
        void *nothing = NULL;
        operate_well(ctx, &operations[i], EIG_S, &host);
        poison(&device);
        assert_int_equal(cudaMalloc(&nothing, (size_t)1 << 60), cudaErrorMemoryAllocation);
        operate_well(ctx, &operations[i], EIG_S, &host);
        assert_int_equal(cudaMalloc(&nothing, (size_t)1 << 60), cudaErrorMemoryAllocation);
        succeed(ctx, &operations[i], EIG_S, &device);
        (void)cudaGetLastError();
        fetch(&device);
        same_outputs(&operations[i], &host, &device, "after an error");
    }
    eig_destroy(ctx);
}

/* Arrays of one call lie on one side. */
static void test_both_sides(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    double on_host[4] = {1, 2, 3, 4}, *const there = to_device(on_host, sizeof on_host);
    int info = 9;
    int64_t m;
    eig_status const BAD = EIG_BAD_ARGUMENT;
    expect_refused(ctx, eig_dstebz(ctx, NULL, 2, there, there, NULL, on_host, NULL, NULL, NULL), BAD, "host memory");
    expect_refused(ctx, eig_dstebz(ctx, NULL, 2, there, there, &m, there + 2, NULL, NULL, NULL), BAD, "host memory");
    expect_refused(ctx, eig_dstebz(ctx, NULL, 2, there, there, NULL, there + 2, NULL, NULL, &info), BAD, "host memory");
    expect_refused(ctx, eig_dgeev(ctx, NULL, 1, there, 1, (eig_z *)on_host, NULL, 0, NULL, 0, NULL, NULL), BAD,
                   "host memory");
    expect_refused(ctx, eig_dgeev(ctx, NULL, 1, there, 1, (eig_z *)(there + 2), NULL, 0, NULL, 0, NULL, &info), BAD,
                   "host memory");
    assert_int_equal(info, 9);
    CUDA(cudaFree(there));
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    small = argc > 1 && strcmp(argv[1], "small") == 0;
    char *arguments[] = {argv[0], "cuda", NULL};
    if (!test_device_answers(2, arguments)) return 77;
    place_on_device(&device, &device_side);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_arrays), cmocka_unit_test(test_loan_of_one), cmocka_unit_test(test_timing),
        cmocka_unit_test(test_two_streams),   cmocka_unit_test(test_two_threads), cmocka_unit_test(test_capture),
        cmocka_unit_test(test_earlier_error), cmocka_unit_test(test_both_sides),
    };
    if (argc > 1 + small) cmocka_set_test_filter(argv[1 + small]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
