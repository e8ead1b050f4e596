/* The caller's floating-point mode: rounding, subnormal numbers as zeros, traps.  Answers have the bits of the usual mode, whatever the
 * mode of the calling thread and of OpenMP's other threads is; after the call the mode is the caller's, and so it is in a callback. */
#include "support/operations.h"

#include <float.h>
#include <pthread.h>

typedef struct mode {
    const char *name;
    uint64_t control;
} mode;

#if defined(__x86_64__)
static const mode usual = {"the usual mode", 0x1f80};
static const mode modes[] = {{"subnormal numbers are zeros", 0x9fc0},
                             {"subnormal results are zeros", 0x9f80},
                             {"rounding down", 0x3f80},
                             {"rounding up", 0x5f80},
                             {"rounding to zero", 0x7f80},
                             {"traps", 0x1900}};
static const mode odd = {"rounding up, subnormal numbers are zeros", 0xdfc0};

static uint64_t mode_now(void)
{
    uint32_t now;
    __asm__ volatile("stmxcsr %0" : "=m"(now) : : "memory");
    return now & ~0x3fu; /* without flags */
}

static void set_mode(const mode *m)
{
    uint32_t const next = (uint32_t)m->control;
    __asm__ volatile("ldmxcsr %0" : : "m"(next) : "memory");
}
#elif defined(__aarch64__)
static const mode usual = {"the usual mode", 0};
static const mode modes[] = {{"subnormal numbers are zeros", 1 << 24},
                             {"rounding up", 1 << 22},
                             {"rounding down", 2 << 22},
                             {"rounding to zero", 3 << 22}};
static const mode odd = {"rounding up, subnormal numbers are zeros", 5 << 22};

static uint64_t mode_now(void)
{
    uint64_t now;
    __asm__ volatile("mrs %0, fpcr" : "=r"(now) : : "memory");
    return now;
}

static void set_mode(const mode *m)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(m->control) : "memory");
}
#else
#error "how is the mode set here?"
#endif
enum { MODES = sizeof modes / sizeof *modes };

/* Back to the usual mode, after a look at what was left. */
static bool mode_was(const mode *m)
{
    uint64_t const now = mode_now();
    set_mode(&usual);
    return now == m->control;
}

static void set_odd_modes(int threads)
{
    (void)threads;
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int k = 0; k < threads; ++k)
        if (k % 2) set_mode(&odd);
}

/* --------------------------------------------------------- every function */

static outputs want, got; /* large: not on the stack */

/* A call in this mode: as good as any, with the bits of `want`, and its bytes of workspace. */
static void try_mode(eig_context *ctx, const operation *op, eig_type type, const mode *m, size_t bytes)
{
    size_t same = 0;
    outputs_clear(&got);
    set_mode(m);
    eig_status const status = operate_once(ctx, op, type, &got, NULL);
    if (!mode_was(m)) fail_msg("%s leaves another mode than \"%s\"", op->name, m->name);
    if (status != EIG_OK) fail_msg("%s: %s", op->name, eig_error_detail(ctx));
    if (memcmp(want.block, got.block, BLOCK) != 0)
        fail_msg("%s %s: other bits with %s", op->name, type_name(type), m->name);
    set_mode(m);
    eig_status const asked = operate_once(ctx, op, type, &got, &same);
    assert_true(mode_was(m));
    assert_int_equal(asked, EIG_OK);
    assert_true(same == bytes);
    if (!test_on_cpu() || test_on_several()) return;
    void *const work = aligned_alloc(256, 256);
    assert_int_equal(eig_set_workspace(ctx, work, bytes > 0), EIG_OK);
    outputs_clear(&got);
    set_mode(m);
    eig_status const refused = operate_once(ctx, op, type, &got, NULL);
    if (!mode_was(m)) fail_msg("%s, refused, leaves another mode than \"%s\"", op->name, m->name);
    assert_int_equal(refused, EIG_BAD_WORKSPACE);
    assert_int_equal(eig_set_workspace(ctx, NULL, 0), EIG_OK);
    free(work);
}

/* Numbers of usual size, and such as are subnormal, where rounding is no other. */
static void test_functions(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        eig_context *ctx = test_context(threads);
        for (int i = 0; i < 4 * operations_here(); ++i) {
            const operation *const op = &operations[i / 4];
            eig_type const type = real_types[i % 2];
            want.exponent = got.exponent = i % 4 < 2 ? 0 : type == EIG_S ? FLT_MIN_EXP - 5 : DBL_MIN_EXP - 5;
            size_t bytes = 0;
            operate_well(ctx, op, type, &want);
            assert_int_equal(operate_once(ctx, op, type, &got, &bytes), EIG_OK);
            for (int k = 0; k < MODES; ++k)
                if (i % 4 < 2 || !strstr(modes[k].name, "rounding")) try_mode(ctx, op, type, &modes[k], bytes);
        }
        eig_destroy(ctx);
    }
    want.exponent = got.exponent = 0;
}

/* Calls that end before they compute, and those about the context itself. */
static void test_others(void **state)
{
    (void)state;
    eig_context *ctx = test_context(1);
    double x[1] = {1};
    for (int k = 0; k < MODES; ++k) {
        set_mode(&modes[k]);
        eig_status const good = eig_set_threads(ctx, 1), bad = eig_set_threads(ctx, -1),
                         null = eig_set_threads(NULL, 1),
                         none = eig_dgeev(ctx, NULL, 0, NULL, 1, NULL, NULL, 0, NULL, 0, NULL, NULL),
                         few = eig_dsyev(ctx, NULL, -1, x, 1, NULL, x, NULL, 1, NULL, NULL);
        eig_context *other = NULL;
        eig_status const made = eig_create(&other, test_device);
        bool const described = eig_describe(ctx)[0] != '\0';
        eig_destroy(other);
        if (!mode_was(&modes[k])) fail_msg("another mode than \"%s\"", modes[k].name);
        assert_int_equal(good, EIG_OK);
        assert_int_equal(null, EIG_BAD_ARGUMENT);
        assert_int_equal(bad, EIG_BAD_ARGUMENT);
        assert_int_equal(none, EIG_OK);
        assert_int_equal(few, EIG_BAD_ARGUMENT);
        assert_true(described && (made == EIG_OK || test_on_several()));
    }
    eig_destroy(ctx);
}

/* ---------------------------------------------------------------- callback */

typedef struct seen {
    uint64_t mode;
    int calls, cancel; /* the call after which it stops; 0: none */
} seen;

static int look(void *user, double fraction)
{
    seen *const s = user;
    (void)fraction;
    if (s->calls++ == 0 || mode_now() != s->mode) s->mode = mode_now();
    return s->calls == s->cancel;
}

/* The callback has the caller's mode, the call's bits are the same, also where it is cancelled. */
static void test_callback(void **state)
{
    (void)state;
    eig_context *ctx = test_context(3);
    int told = 0;
    for (int i = 0; i < operations_here(); ++i) {
        const operation *const op = &operations[i];
        assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
        operate_well(ctx, op, EIG_D, &want);
        for (int k = 0; k < MODES; ++k)
            for (int cancel = 0; cancel <= 2; ++cancel) {
                seen s = {.cancel = cancel};
                assert_int_equal(eig_set_progress(ctx, look, &s), EIG_OK);
                outputs_clear(&got);
                set_mode(&modes[k]);
                eig_status const status = operate_once(ctx, op, EIG_D, &got, NULL);
                if (!mode_was(&modes[k])) fail_msg("%s leaves another mode than \"%s\"", op->name, modes[k].name);
                bool const stopped = cancel > 0 && s.calls >= cancel;
                assert_int_equal(status, stopped ? EIG_CANCELLED : EIG_OK);
                if (!stopped) same_outputs(op, &want, &got, "with a callback");
                if (s.calls > 0 && s.mode != modes[k].control)
                    fail_msg("%s: the callback has another mode than \"%s\"", op->name, modes[k].name);
                told += s.calls;
            }
    }
    assert_true(told > 0);
    eig_destroy(ctx);
}

/* A mode that the callback sets stays. */
static int change(void *user, double fraction)
{
    (void)fraction;
    set_mode(user);
    return 0;
}

static void test_callback_changes(void **state)
{
    (void)state;
    eig_context *ctx = test_context(3);
    for (int i = 0; i < operations_here(); ++i) {
        const operation *const op = &operations[i];
        seen s = {0};
        assert_int_equal(eig_set_progress(ctx, look, &s), EIG_OK);
        operate_well(ctx, op, EIG_D, &want);
        mode changed = modes[0];
        assert_int_equal(eig_set_progress(ctx, change, &changed), EIG_OK);
        outputs_clear(&got);
        eig_status const status = operate_once(ctx, op, EIG_D, &got, NULL);
        if (!mode_was(s.calls > 0 ? &changed : &usual)) fail_msg("%s: the callback's mode is lost", op->name);
        assert_int_equal(status, EIG_OK);
        same_outputs(op, &want, &got, "with a callback that changes the mode");
    }
    eig_destroy(ctx);
}

/* ------------------------------------------------------------ several threads */

enum { LARGE_CALLS = 15, LARGE_ROOM = 1 << 18 };

typedef struct answer {
    numbers w, v; /* of the real type, and of the matrix's */
    int64_t count[4000];
} answer;

/* Those of the first tenth alone, or all; T in one piece, or in blocks of 1 to 9 rows and a long one. */
enum { FEW = 100, BLOCKS = 200 };

static eig_status large_stebz(eig_context *ctx, eig_type type, int method, int64_t n, int64_t batch, answer *a)
{
    numbers t = some_in(type, line(n * batch), 0), e = some_in(type, line(n * batch), 0);
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
    o.method = (eig_stebz_method)(method % FEW);
    if (method / FEW * FEW == FEW) o.range = EIG_RANGE_INDEX, o.il = 1, o.iu = n / 10;
    for (int64_t i = 0; method / FEW * FEW == BLOCKS && i < n * 2 / 3; i += 1 + i % 9) numbers_put_part(&e, i, 0);
    char *const w = a->w.data, *const room = a->v.data;
    size_t const bytes = (size_t)(n * batch) * type_size(type);
    eig_status const status =
        batch == 1 ? eig_stebz(ctx, type, &o, n, t.data, e.data, NULL, w, room, room + bytes, NULL)
                   : eig_stebz_batched(ctx, type, &o, n, t.data, n, e.data, n, w, room, room + bytes, n, NULL, batch);
    numbers_free(&t), numbers_free(&e);
    return status;
}

static eig_status large_stemr(eig_context *ctx, eig_type type, eig_stemr_method method, int depth, int64_t n,
                              int64_t batch, answer *a)
{
    numbers t = some_in(type, line(n * batch), 0);
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    o.method = method, o.most_depth = depth;
    char *const residual = (char *)a->w.data + (size_t)(n * batch) * type_size(type);
    eig_status const status = batch == 1
                                  ? eig_stemr(ctx, type, &o, n, t.data, t.data, NULL, a->w.data, a->v.data, n, NULL,
                                              NULL, residual, residual + (size_t)n * type_size(type), NULL)
                                  : eig_stemr_batched(ctx, type, &o, n, t.data, n, t.data, n, NULL, a->w.data, n,
                                                      a->v.data, n, n * n, NULL, NULL, residual, NULL, NULL, batch);
    numbers_free(&t);
    return status;
}

static eig_status large_dense(eig_context *ctx, eig_type type, bool hermitian, int64_t n, int64_t batch, answer *a)
{
    numbers m = some_in(type, line(n * n * batch), 0);
    eig_status const status = hermitian ? eig_heev_batched(ctx, type, NULL, n, m.data, n, n * n, NULL, a->w.data, n,
                                                           a->v.data, n, n * n, NULL, NULL, batch)
                                        : eig_geev_batched(ctx, type, NULL, n, m.data, n, n * n, a->w.data, n, NULL, 0,
                                                           0, a->v.data, n, n * n, NULL, NULL, batch);
    numbers_free(&m);
    return status;
}

/* Counts at the eigenvalues, where a rounding decides. */
static eig_status large_count(eig_context *ctx, eig_type type, int64_t n, answer *a)
{
    numbers t = some_in(type, line(n), 0);
    eig_status status = eig_stebz(ctx, type, NULL, n, t.data, t.data, NULL, a->w.data, NULL, NULL, NULL);
    if (status == EIG_OK) status = eig_stebz_count(ctx, type, n, t.data, t.data, n, a->w.data, a->count, NULL);
    numbers_free(&t);
    return status;
}

/* Large enough that threads share it. */
static eig_status large_call(eig_context *ctx, int which, eig_type type, answer *a)
{
    switch (which) {
    case 0:
        return large_stebz(ctx, type, EIG_STEBZ_MULTISECTION, 2000, 1, a);
    case 1:
        return large_stebz(ctx, type, EIG_STEBZ_MULTISECTION + FEW, 4000, 1, a);
    case 2:
        return large_stebz(ctx, type, EIG_STEBZ_MULTISECTION + BLOCKS, 4000, 1, a);
    case 3:
        return large_stebz(ctx, type, EIG_STEBZ_INTERVAL_TREE, 1300, 1, a);
    case 4:
        return large_stebz(ctx, type, EIG_STEBZ_REFERENCE, 900, 1, a);
    case 5:
        return large_stebz(ctx, type, EIG_STEBZ_MULTISECTION, 200, 100, a);
    case 6:
        return large_count(ctx, type, 3000, a);
    case 7:
        return large_stemr(ctx, type, EIG_STEMR_AUTO, 0, 500, 1, a);
    case 8:
        return large_stemr(ctx, type, EIG_STEMR_MRRR, 0, 500, 1, a);
    case 9:
        return large_stemr(ctx, type, EIG_STEMR_AUTO, -1, 500, 1, a);
    case 10:
        return large_stemr(ctx, type, EIG_STEMR_AUTO, 0, 30, 200, a);
    case 11:
        return large_dense(ctx, type, true, 30, 200, a);
    case 12:
        return large_dense(ctx, type, true, 200, 1, a);
    case 13:
        return large_dense(ctx, type, false, 30, 100, a);
    default:
        return large_dense(ctx, type, false, 150, 1, a);
    }
}

static answer answer_new(eig_type type)
{
    answer a = {.count = {0}};
    assert_true(numbers_make(&a.w, type, LARGE_ROOM) && numbers_make(&a.v, type, 2 * LARGE_ROOM));
    numbers_fill(&a.w, 7), numbers_fill(&a.v, 7);
    return a;
}

static void answer_free(answer *a)
{
    numbers_free(&a->w), numbers_free(&a->v);
}

/* One thread in the usual mode, and several, of which the caller has the mode m, the usual one and another, and every other one of
 * OpenMP's an odd one. */
static void test_threads(void **state)
{
    (void)state;
    eig_context *alone = test_context(1);
    for (int i = 0; i < 2 * LARGE_CALLS; ++i) {
        eig_type const type = real_types[i % 2];
        static answer a, b;
        a = answer_new(type);
        assert_int_equal(large_call(alone, i / 2, type, &a), EIG_OK);
        for (int k = 0; k < 2; ++k) {
            const mode *const m = k == 0 ? &usual : &modes[i % MODES];
            b = answer_new(type);
            eig_context *ctx = test_context(4); /* its threads begin in this mode */
            set_odd_modes(4);
            set_mode(m);
            eig_status const status = large_call(ctx, i / 2, type, &b);
            if (!mode_was(m)) fail_msg("call %d leaves another mode than \"%s\"", i / 2, m->name);
            assert_int_equal(status, EIG_OK);
            if (!numbers_same(&a.w, &b.w) || !numbers_same(&a.v, &b.v) || memcmp(a.count, b.count, sizeof a.count) != 0)
                fail_msg("call %d %s: other bits with 4 threads, %s", i / 2, type_name(type), m->name);
            eig_destroy(ctx);
            answer_free(&b);
        }
        answer_free(&a);
    }
    eig_destroy(alone);
}

/* Threads of the caller's in different modes, each with a context. */
typedef struct job {
    pthread_t thread;
    const mode *m;
    answer a;
    eig_status status;
    bool kept;
} job;

static void *work(void *argument)
{
    job *const j = argument;
    eig_context *ctx = NULL;
    set_mode(j->m);
    j->status = test_open(&ctx);
    for (int turn = 0; turn < 3 && j->status == EIG_OK; ++turn) j->status = large_call(ctx, 11, EIG_S, &j->a);
    eig_destroy(ctx);
    j->kept = mode_was(j->m);
    return NULL;
}

static void test_callers(void **state)
{
    enum { THREADS = 4 };
    static job jobs[THREADS];
    (void)state;
    for (int k = 0; k < THREADS; ++k) {
        jobs[k].m = k == 0 ? &usual : &modes[k - 1];
        jobs[k].a = answer_new(EIG_S);
        assert_int_equal(pthread_create(&jobs[k].thread, NULL, work, &jobs[k]), 0);
    }
    for (int k = 0; k < THREADS; ++k) {
        pthread_join(jobs[k].thread, NULL);
        assert_int_equal(jobs[k].status, EIG_OK);
        assert_true(jobs[k].kept);
    }
    for (int k = 0; k < THREADS; ++k)
        assert_true(numbers_same(&jobs[0].a.w, &jobs[k].a.w) && numbers_same(&jobs[0].a.v, &jobs[k].a.v));
    for (int k = 0; k < THREADS; ++k) answer_free(&jobs[k].a);
}

/* -------------------------------------------------------------------- truths */

/* Subnormal entries are eigenvalues, and a matrix of them has such. */
static void test_subnormal(void **state)
{
    float const a[9] = {1, 0, 0, 0, 1e-2f, 0, 0, 0, 1e-40f}, d[2] = {1e-39f, 1e-39f}, e[1] = {1e-39f};
    float w[3];
    eig_c c[3];
    (void)state;
    for (int k = 0; k < MODES; ++k) {
        eig_context *ctx = test_context(1);
        set_mode(&modes[k]);
        eig_status const first = eig_ssyev(ctx, NULL, 3, a, 3, NULL, w, NULL, 3, NULL, NULL),
                         second = eig_sgeev(ctx, NULL, 3, a, 3, c, NULL, 0, NULL, 0, NULL, NULL);
        assert_true(mode_was(&modes[k]));
        assert_true(first == EIG_OK && second == EIG_OK);
        assert_true(w[0] == a[8] && w[1] == a[4] && w[2] == 1);
        float least = 1;
        for (int i = 0; i < 3; ++i) least = c[i].re < least ? c[i].re : least;
        assert_true(least == a[8]);
        set_mode(&modes[k]);
        eig_status const third = eig_sstebz(ctx, NULL, 2, d, e, NULL, w, NULL, NULL, NULL);
        assert_true(mode_was(&modes[k]));
        assert_int_equal(third, EIG_OK);
        assert_true(fabsf(w[0]) <= 2e-45f && fabsf(w[1] - 2e-39f) <= 2e-45f);
        eig_destroy(ctx);
    }
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions), cmocka_unit_test(test_others),  cmocka_unit_test(test_callback),
        cmocka_unit_test(test_threads),   cmocka_unit_test(test_callers), cmocka_unit_test(test_callback_changes),
        cmocka_unit_test(test_subnormal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
