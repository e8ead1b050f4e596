/* Several devices in one context: the same bits as one device however many share a call out, and what becomes of the whole
 * where one fails or the caller cancels.  Programs of the families run on "cpu,cpu,cpu" besides.
 *
 *     test_multi                    on CPUs
 *     test_multi cuda [cuda:0,1]    on GPUs, of which one may be named twice, the default; 77 where they do not answer */
#define _POSIX_C_SOURCE 200809L
#include "bench/support/passes.h"
#include "support/multi_fixture.h"
#include "support/operations.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

/* -------------------------------------------------------------------- the same bits */

/* The estimate of orthogonality, the last output, is that of a child's own vectors where one T is shared. */
static void forget_estimate(const operation *op, outputs *o)
{
    int const last = o->outs - 1;
    if (!operation_is(op, "stemr")) return;
    memset(o->block + o->out[last].at, 0, (size_t)extent_span(o->out[last].extent) * o->out[last].size);
}

static void test_same_bits(void **state)
{
    static outputs one, several;
    eig_context *ctx[DEVICES], *const plain = open_one();
    (void)state;
    for (int k = 0; k < DEVICES; ++k) ctx[k] = open_several(k);
    for (int i = 0; i < 2 * operations_here(); ++i) {
        const operation *const op = &operations[i / 2];
        eig_type const type = real_types[i % 2];
        operate_well(plain, op, type, &one);
        forget_estimate(op, &one);
        for (int turn = 0; turn < 2 * DEVICES; ++turn) {
            operate_well(ctx[turn / 2], op, type, &several);
            forget_estimate(op, &several);
            same_outputs(op, &one, &several, devices[turn / 2]);
        }
    }
    for (int k = 0; k < DEVICES; ++k) eig_destroy(ctx[k]);
    eig_destroy(plain);
}

/* Batches from none to more than enough for long and short parts, with one matrix that is not finite. */
static void test_batches(void **state)
{
    enum { N = 3, MOST = 5000 };
    static int const batches[] = {0, 1, 2, 3, 4, 7, 31, 33, 1279, 1281, MOST};
    static double a[MOST * N * N];
    static eig_z one[MOST * N], several[MOST * N];
    int info_one[MOST], info[MOST];
    eig_context *ctx[DEVICES], *const plain = open_one();
    (void)state;
    for (int i = 0; i < MOST * N * N; ++i) a[i] = sin(1.0 + i);
    for (int k = 0; k < DEVICES; ++k) ctx[k] = open_several(k);
    for (size_t b = 0; b < sizeof batches / sizeof *batches; ++b) {
        int const batch = batches[b];
        double const held = a[batch / 2 * N * N];
        a[batch / 2 * N * N] = batch > 1 ? NAN : held;
        memset(one, 0, sizeof one), memset(info_one, 0x55, sizeof info_one);
        assert_int_equal(
            eig_dgeev_batched(plain, NULL, N, a, N, N * N, one, N, NULL, 0, 0, NULL, 0, 0, NULL, info_one, batch),
            EIG_OK);
        for (int k = 0; k < DEVICES; ++k) {
            memset(several, 0, sizeof several), memset(info, 0x55, sizeof info);
            assert_int_equal(
                eig_dgeev_batched(ctx[k], NULL, N, a, N, N * N, several, N, NULL, 0, 0, NULL, 0, 0, NULL, info, batch),
                EIG_OK);
            assert_memory_equal(one, several, sizeof one);
            assert_memory_equal(info_one, info, sizeof info);
            assert_true(batch < 2 || info[batch / 2] == EIG_INFO_NOT_FINITE);
        }
        a[batch / 2 * N * N] = held;
    }
    for (int k = 0; k < DEVICES; ++k) eig_destroy(ctx[k]);
    eig_destroy(plain);
}

/* All that stemr tells of a batch, with strides. */
typedef struct stemr_answer {
    int64_t *m, *isuppz;
    double *w, *z, *residual, *orthogonality;
    int *info;
    eig_stemr_stats stats;
} stemr_answer;

enum { STEMR_MOST = 500000 };

static stemr_answer stemr_answer_new(void)
{
    stemr_answer const a = {calloc(STEMR_MOST, sizeof *a.m),        calloc(STEMR_MOST, sizeof *a.isuppz),
                            calloc(STEMR_MOST, sizeof *a.w),        calloc(STEMR_MOST * 6, sizeof *a.z),
                            calloc(STEMR_MOST, sizeof *a.residual), calloc(STEMR_MOST, sizeof *a.orthogonality),
                            calloc(STEMR_MOST, sizeof *a.info),     EIG_STEMR_STATS};
    assert_true(a.m && a.isuppz && a.w && a.z && a.residual && a.orthogonality && a.info);
    return a;
}

static void stemr_answer_drop(stemr_answer *a)
{
    free(a->m), free(a->isuppz), free(a->w), free(a->z), free(a->residual), free(a->orthogonality), free(a->info);
}

static void stemr_answer_make(eig_context *ctx, const eig_stemr_options *o, int n, int batch, const double *d,
                              const double *e, stemr_answer *a)
{
    int const wide = n + 1, tall = n + 2, apart = tall * wide + 3;
    assert_true((int64_t)batch * wide <= STEMR_MOST / 2 && (int64_t)batch * apart <= 6 * STEMR_MOST);
    a->stats = (eig_stemr_stats)EIG_STEMR_STATS;
    eig_status const status = eig_dstemr_batched(ctx, o, n, d, tall, e, tall, a->m, a->w, wide, a->z, tall, apart,
                                                 a->isuppz, a->info, a->residual, a->orthogonality, &a->stats, batch);
    if (status != EIG_OK) fail_msg("n = %d, batch = %d: %s", n, batch, eig_error_detail(ctx));
}

static void same_answers(const stemr_answer *a, const stemr_answer *b, bool shared)
{
    assert_memory_equal(a->m, b->m, STEMR_MOST * sizeof *a->m);
    assert_memory_equal(a->isuppz, b->isuppz, STEMR_MOST * sizeof *a->isuppz);
    assert_memory_equal(a->w, b->w, STEMR_MOST * sizeof *a->w);
    assert_memory_equal(a->z, b->z, STEMR_MOST * 6 * sizeof *a->z);
    assert_memory_equal(a->residual, b->residual, STEMR_MOST * sizeof *a->residual);
    assert_memory_equal(a->info, b->info, STEMR_MOST * sizeof *a->info);
    if (shared) return; /* a GPU's own vectors, and its own work */
    assert_memory_equal(a->orthogonality, b->orthogonality, STEMR_MOST * sizeof *a->orthogonality);
    assert_memory_equal(&a->stats, &b->stats, sizeof a->stats);
}

/* Batches of stemr: T that a GPU solves in a batch in another way than by themselves (up to 64 rows), also as the only one of a
 * part; longer ones; T that several devices share.  One matrix is not finite. */
static void test_stemr_batches(void **state)
{
    static const struct {
        int n, batch;
    } list[] = {{5, 2}, {5, 3}, {5, 4}, {20, 33}, {40, 7}, {5, 3000}, {70, 6}, {1024, 2}};
    (void)state;
    eig_context *ctx[DEVICES], *const plain = open_one();
    for (int k = 0; k < DEVICES; ++k) ctx[k] = open_several(k);
    double *const d = malloc(STEMR_MOST * sizeof *d), *const e = malloc(STEMR_MOST * sizeof *e);
    assert_true(d && e);
    stemr_answer one = stemr_answer_new(), several = stemr_answer_new();
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
        int const n = list[i].n, batch = list[i].batch, bad = batch > 2 ? batch / 2 * (n + 2) : -1;
        for (int j = 0; j < STEMR_MOST; ++j) d[j] = j == bad ? NAN : sin(1.0 + j), e[j] = cos(1.0 + j);
        eig_stemr_options o = EIG_STEMR_OPTIONS;
        if (n == 20) o.range = EIG_RANGE_INDEX, o.il = 3, o.iu = 9;
        if (n == 40) o.range = EIG_RANGE_VALUE, o.vl = -1, o.vu = 0.5;
        stemr_answer_make(plain, &o, n, batch, d, e, &one);
        for (int k = 0; k < DEVICES; ++k) {
            stemr_answer_make(ctx[k], &o, n, batch, d, e, &several);
            same_answers(&one, &several, n >= 1024 && batch < multi_state_of(ctx[k])->workers);
            if (batch > 2) assert_int_equal(several.m[batch / 2], 0);
        }
    }
    stemr_answer_drop(&one), stemr_answer_drop(&several);
    free(d), free(e);
    for (int k = 0; k < DEVICES; ++k) eig_destroy(ctx[k]);
    eig_destroy(plain);
}

/* Every layout, in place too, of matrices with strides. */
static void test_layouts(void **state)
{
    enum { N = 5, LD = 7, BATCH = 600, STRIDE = LD * N + 3 };
    static eig_layout const layouts[] = {EIG_LAYOUT_MATRIX_WISE, EIG_LAYOUT_ELEMENT_WISE, EIG_LAYOUT_ROW_WISE};
    static double a[STRIDE * BATCH], in_place[STRIDE * BATCH], w[2][BATCH * N], v[2][STRIDE * BATCH];
    (void)state;
    for (int i = 0; i < STRIDE * BATCH; ++i) a[i] = sin(1.0 + i);
    eig_context *const ctx[2] = {open_one(), open_several(SEVERAL)};
    for (int k = 0; k < 3; ++k) {
        eig_heev_options o = EIG_HEEV_OPTIONS;
        o.layout = layouts[k];
        int64_t const stride = k == 0 ? STRIDE : k == 1 ? BATCH : LD * BATCH;
        memset(v, 0, sizeof v);
        for (int c = 0; c < 2; ++c)
            assert_int_equal(
                eig_dsyev_batched(ctx[c], &o, N, a, LD, stride, NULL, w[c], N, v[c], LD, STRIDE, NULL, NULL, BATCH),
                EIG_OK);
        assert_memory_equal(w[0], w[1], sizeof w[0]);
        assert_memory_equal(v[0], v[1], sizeof v[0]);
        if (k > 0) continue;
        memcpy(in_place, a, sizeof a);
        assert_int_equal(eig_dsyev_batched(ctx[1], &o, N, in_place, LD, STRIDE, NULL, w[1], N, in_place, LD, STRIDE,
                                           NULL, NULL, BATCH),
                         EIG_OK);
        for (int b = 0; b < BATCH; ++b)
            for (int j = 0; j < N; ++j)
                assert_memory_equal(in_place + b * STRIDE + j * LD, v[0] + b * STRIDE + j * LD, N * sizeof(double));
    }
    eig_destroy(ctx[0]);
    eig_destroy(ctx[1]);
}

/* ------------------------------------------------------------------------ what fails */

/* One child cannot get its workspace: the call says which, all end, and the next call works. */
static void test_failing_child(void **state)
{
    static outputs before, after;
    static _Alignas(256) char little[256];
    (void)state;
    if (!test_on_cpu()) skip_because("a GPU does not use the loan");
    for (int k = 1; k < DEVICES; ++k) {
        eig_context *const ctx = open_several(k);
        multi_worker *const worker = &multi_state_of(ctx)->worker[1];
        strcpy(worker->name, "second");
        for (int i = 0; i < operations_here(); ++i) {
            const operation *const op = &operations[i];
            operate_well(ctx, op, EIG_D, &before);
            assert_int_equal(eig_set_workspace(worker->child, little, sizeof little), EIG_OK);
            outputs_clear(&after);
            eig_status const status = operate_once(ctx, op, EIG_D, &after, NULL);
            if (status != EIG_OK) expect_refused(ctx, status, EIG_BAD_WORKSPACE, "second: ");
            assert_int_equal(eig_set_workspace(worker->child, NULL, 0), EIG_OK);
            operate_well(ctx, op, EIG_D, &after);
            if (!operation_is(op, "stemr")) same_outputs(op, &before, &after, "after a failure");
            /* Those that are shared out for certain. */
            if (strcmp(op->name, "stebz") == 0) assert_true(status != EIG_OK);
        }
        eig_destroy(ctx);
    }
}

/* All of a GPU's memory but the last few megabytes; how many pieces. */
static int fill_gpu(eig_context *child, int most, void **piece)
{
    int pieces = 0;
    for (size_t bytes = (size_t)1 << 36; bytes >= (size_t)1 << 20;) {
        void *const at = pieces < most ? child->backend->allocate(child, bytes) : NULL;
        if (at)
            piece[pieces++] = at;
        else
            bytes /= 2;
    }
    return pieces;
}

/* The second of two children finds no memory, the first one has its own from before. */
static void test_full_gpu(void **state)
{
    enum { N = 8, BATCH = 100000, PIECES = 400 };
    (void)state;
    if (test_on_cpu()) skip_because("about the memory of a GPU");
    double *const a = malloc(sizeof *a * N * N * BATCH);
    eig_z *const w[2] = {malloc(sizeof **w * N * BATCH), malloc(sizeof **w * N * BATCH)};
    assert_true(a && w[0] && w[1]);
    for (int i = 0; i < N * N * BATCH; ++i) a[i] = sin(1.0 + i);
    eig_context *const ctx = open_several(1), *const first = multi_state_of(ctx)->worker[0].child;
    eig_context *const second = multi_state_of(ctx)->worker[1].child;
    assert_int_equal(eig_dgeev_batched(first, NULL, N, a, N, N * N, w[0], N, NULL, 0, 0, NULL, 0, 0, NULL, NULL, BATCH),
                     EIG_OK);
    void *piece[PIECES];
    int const pieces = fill_gpu(second, PIECES, piece);
    eig_status const status =
        eig_dgeev_batched(ctx, NULL, N, a, N, N * N, w[1], N, NULL, 0, 0, NULL, 0, 0, NULL, NULL, BATCH);
    expect_refused(ctx, status, EIG_NO_MEMORY, multi_state_of(ctx)->worker[1].name);
    assert_int_equal(multi_state_of(ctx)->failed, 1);
    for (int i = 0; i < pieces; ++i) second->backend->release(second, piece[i]);
    assert_int_equal(eig_dgeev_batched(ctx, NULL, N, a, N, N * N, w[1], N, NULL, 0, 0, NULL, 0, 0, NULL, NULL, BATCH),
                     EIG_OK);
    assert_memory_equal(w[0], w[1], sizeof **w * N * BATCH);
    eig_destroy(ctx);
    free(a), free(w[0]), free(w[1]);
}

/* What a callback has seen: fractions that never fall, from the thread that called. */
typedef struct report {
    pthread_t caller;
    int calls, most;
    double last;
} report;

static int note(void *user, double fraction)
{
    report *const r = user;
    assert_true(pthread_equal(r->caller, pthread_self()) && fraction >= r->last && fraction <= 1);
    r->last = fraction;
    return ++r->calls > r->most;
}

/* At the beginning, in the middle of work that takes each child some 70 ms and more, and at the end. */
static void test_cancel(void **state)
{
    enum { LARGE_N = 30000, N = 300 };
    static double d[LARGE_N], e[LARGE_N], w[LARGE_N], again[N];
    (void)state;
    eig_context *const ctx = open_several(SEVERAL);
    assert_int_equal(eig_set_threads(ctx, 1), EIG_OK);
    for (int i = 0; i < LARGE_N; ++i) d[i] = sin(1.0 + i), e[i] = cos(1.0 + i);
    for (int most = 0; most < 2; ++most) {
        report r = {pthread_self(), 0, most, 0};
        assert_int_equal(eig_set_progress(ctx, note, &r), EIG_OK);
        expect_refused(ctx, eig_dstebz(ctx, NULL, LARGE_N, d, e, NULL, w, NULL, NULL, NULL), EIG_CANCELLED,
                       "cancelled");
        assert_int_equal(r.calls, most + 1);
        /* The children have stopped too; a GPU looks up from large matrices alone. */
        if (test_on_cpu()) assert_true(r.last < 1 && multi_state_of(ctx)->done < LARGE_N);
        r = (report){pthread_self(), 0, most, 0};
        expect_refused(ctx, eig_dstebz(ctx, NULL, N, d, e, NULL, w, NULL, NULL, NULL), EIG_CANCELLED, "cancelled");
        assert_int_equal(r.calls, most + 1);
    }
    report r = {pthread_self(), 0, 1 << 30, 0};
    assert_int_equal(eig_set_progress(ctx, note, &r), EIG_OK);
    assert_int_equal(eig_dstebz(ctx, NULL, N, d, e, NULL, w, NULL, NULL, NULL), EIG_OK);
    assert_true(r.calls >= 2 && r.last == 1);
    assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
    assert_int_equal(eig_dstebz(ctx, NULL, N, d, e, NULL, again, NULL, NULL, NULL), EIG_OK);
    assert_memory_equal(w, again, sizeof again);
    eig_destroy(ctx);
}

/* ---------------------------------------------------------------------- the contexts */

static void *run_one(void *right)
{
    outputs *const mine = calloc(1, sizeof *mine);
    eig_context *const ctx = open_several(SEVERAL);
    bool *const good = right;
    for (int turn = 0; turn < 5; ++turn)
        for (int i = 0; i < operations_here(); ++i) {
            outputs_clear(mine);
            *good = *good && operate_once(ctx, &operations[i], EIG_D, mine, NULL) == EIG_OK;
        }
    eig_destroy(ctx);
    free(mine);
    return NULL;
}

static void test_two_threads(void **state)
{
    bool right[2] = {true, true};
    pthread_t thread[2];
    (void)state;
    for (int i = 0; i < 2; ++i) assert_int_equal(pthread_create(&thread[i], NULL, run_one, &right[i]), 0);
    for (int i = 0; i < 2; ++i) assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_true(right[0] && right[1]);
}

static void test_contexts(void **state)
{
    static const char *const bad[] = {"cuda:",        "cuda:0,", "cuda:,0",   "cuda:0,x", "cuda:0;1",
                                      "cuda:0,12345", "cpu,cpu", "cuda:alle", "cuda,cuda"};
    (void)state;
    eig_context *ctx = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        assert_int_equal(eig_create(&ctx, bad[i]), EIG_BAD_ARGUMENT);
        assert_non_null(strstr(eig_error_detail(ctx), "unknown device"));
        eig_destroy(ctx);
    }
    assert_int_equal(eig_create(&ctx, "cuda:0,9999"), EIG_NO_BACKEND);
    assert_non_null(strstr(eig_error_detail(ctx), test_on_cpu() ? " " : "9999 does not exist"));
    eig_destroy(ctx);
    assert_int_not_equal(eig_multi_create(&ctx, "cpu,abacus", 1), EIG_OK);
    eig_destroy(ctx);
    ctx = open_several(1);
    assert_memory_equal(eig_describe(ctx), devices[1], strlen(devices[1]));
    expect_refused(ctx, eig_set_stream(ctx, ctx), EIG_BAD_ARGUMENT, "several devices");
    assert_int_equal(eig_set_stream(ctx, NULL), EIG_OK);
    assert_int_equal(eig_synchronize(ctx), EIG_OK);
    size_t bytes = 7;
    assert_int_equal(eig_stebz_work_size(ctx, EIG_D, NULL, 1000, 1, &bytes), EIG_OK);
    assert_true(bytes == 0);
    eig_destroy(ctx);
}

/* Times are those of the child that took longest. */
static void test_times(void **state)
{
    static outputs o;
    (void)state;
    eig_context *const ctx = open_several(SEVERAL);
    eig_pass pass[PASSES_MOST];
    int count = 0;
    assert_int_equal(eig_set_timing(ctx, 1), EIG_OK);
    operate_well(ctx, &operations[0], EIG_D, &o);
    count = passes_read(ctx, pass);
    const char *const *const names = test_on_cpu() ? operations[0].cpu_passes : operations[0].cuda_passes;
    assert_true(count >= 1);
    assert_null(names[count]);
    for (int i = 0; i < count; ++i) {
        double longest = 0;
        for (int k = 0; k < multi_state_of(ctx)->workers; ++k) {
            const multi_worker *const worker = &multi_state_of(ctx)->worker[k];
            if (worker->passes > i && worker->pass[i].ms > longest) longest = worker->pass[i].ms;
        }
        assert_string_equal(pass[i].name, names[i]);
        assert_true(longest > 0 && pass[i].ms == longest);
    }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!devices_answer(argc, argv)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_batches),       cmocka_unit_test(test_stemr_batches),
        cmocka_unit_test(test_layouts),   cmocka_unit_test(test_failing_child), cmocka_unit_test(test_full_gpu),
        cmocka_unit_test(test_cancel),    cmocka_unit_test(test_two_threads),   cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
