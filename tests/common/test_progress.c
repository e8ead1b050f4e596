/* Progress on a CPU: who calls the callback and how often, how soon a call ends that is asked to stop, and what a
 * callback may do with its context. */
#define _POSIX_C_SOURCE 200809L
#include "bench/support/cases.h"
#include "support/operations.h"
#include "support/sanitizer.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

/* What a callback saw; times in seconds of the processors, so that others who share the machine do not count. */
typedef struct record {
    eig_context *ctx; /* NULL: it is not asked what it is, as several CPUs whose threads vary */
    pthread_t caller;
    int calls, stop_at; /* stop_at > 0: this call asks to stop */
    double last, stopped, highest_pause, called;
    char described[120]; /* what the context says of itself outside */
    char wrong[300];     /* what was wrong first */
} record;

static double processor_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* After the call: a callback must return, and so cannot fail a test itself. */
static void nothing_wrong(const record *r, const char *what)
{
    if (r->wrong[0]) fail_msg("%s: %s", what, r->wrong);
}

static int note(void *user, double fraction)
{
    record *const r = user;
    double const now = processor_ms();
    if (!r->wrong[0] && !pthread_equal(pthread_self(), r->caller))
        snprintf(r->wrong, sizeof r->wrong, "another thread than the caller's");
    if (!r->wrong[0] && !(fraction >= r->last && fraction <= 1))
        snprintf(r->wrong, sizeof r->wrong, "fraction %.17g after %.17g", fraction, r->last);
    if (!r->wrong[0] && r->ctx && strcmp(eig_describe(r->ctx), r->described) != 0)
        snprintf(r->wrong, sizeof r->wrong, "at %g the context is \"%s\", outside \"%s\"", fraction,
                 eig_describe(r->ctx), r->described);
    r->highest_pause = fmax(r->highest_pause, now - r->called);
    r->last = fraction, r->called = now;
    if (++r->calls != r->stop_at) return 0;
    r->stopped = now;
    return r->calls % 2 ? 1 : -1; /* whatever is not zero */
}

static record record_of(eig_context *ctx, record *r, int stop_at)
{
    *r = (record){
        .ctx = test_on_several() ? NULL : ctx, .caller = pthread_self(), .stop_at = stop_at, .called = processor_ms()};
    snprintf(r->described, sizeof r->described, "%s", eig_describe(ctx));
    assert_int_equal(eig_set_progress(ctx, note, r), EIG_OK);
    return *r;
}

/* A batch of test matrices of the family, made and not yet computed. */
static bench_case make(const case_family *family, const char *kind, int64_t n, int64_t batch)
{
    bench_case c = case_new(family, kind, EIG_D, n, batch);
    io_error error;
    if (!case_make(&c, &error)) fail_msg("%s", error.text);
    return c;
}

/* Every call begins at 0 and ends at 1, on the calling thread; the bits are those without a callback.  Whichever report
 * asks to stop, the last one too, the call is cancelled, there is no report after it, and the next call is as ever. */
static void test_every_call(void **state)
{
    static outputs plain, watched;
    (void)state;
    eig_context *ctx = test_context(3);
    for (int i = 0; i < 2 * operations_here(); ++i) {
        const operation *const op = &operations[i / 2];
        eig_type const type = real_types[i % 2];
        record r;
        assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
        operate_well(ctx, op, type, &plain);
        record_of(ctx, &r, 0);
        r.last = -1;
        operate_well(ctx, op, type, &watched);
        nothing_wrong(&r, op->name);
        if (r.calls < 2 || r.last != 1) fail_msg("%s: %d reports, the last at %g", op->name, r.calls, r.last);
        same_outputs(op, &plain, &watched, "with progress");
        for (int at = 1; at <= 2; ++at) {
            record_of(ctx, &r, at);
            outputs_clear(&watched);
            expect_refused(ctx, operate_once(ctx, op, type, &watched, NULL), EIG_CANCELLED, "cancelled");
            nothing_wrong(&r, op->name);
            if (r.calls != at || (at == 1 && r.last != 0))
                fail_msg("%s: stopped by report %d, there were %d, the last at %g", op->name, at, r.calls, r.last);
        }
        assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
        operate_well(ctx, op, type, &watched);
        same_outputs(op, &plain, &watched, "after a stop");
    }
    eig_destroy(ctx);
}

/* At 0, at 1 and in between at most every 50 ms, whatever the number of units. */
static void test_how_often(void **state)
{
    (void)state;
    eig_context *ctx = test_context(2);
    bench_case c[] = {make(&case_geev, "random", 8, 20000), make(&case_stebz, "uniform", 100, 2000)};
    for (int i = 0; i < 2; ++i) {
        record r;
        record_of(ctx, &r, 0);
        double const start = clock_ms();
        assert_int_equal(case_call(ctx, &c[i]), EIG_OK);
        nothing_wrong(&r, c[i].family->name);
        double const most = 2 + (clock_ms() - start) / 50;
        if (r.calls < 2 || r.calls > most || r.last != 1)
            fail_msg("%s: %d calls, at most %.1f; the last at %.3f", c[i].family->name, r.calls, most, r.last);
        case_free(&c[i]);
    }
    eig_destroy(ctx);
}

/* One matrix, all methods, the whole spectrum, a small part of it, and a T that splits: from 0 to 1, never back. */
static void test_one_matrix(void **state)
{
    (void)state;
    static const char *const kinds[] = {"uniform", "blocks100"};
    eig_context *ctx = test_context(2);
    for (int method = EIG_STEBZ_MULTISECTION; method <= EIG_STEBZ_REFERENCE; ++method)
        for (int part = 0; part < 2; ++part)
            for (int k = 0; k < 2; ++k) {
                bench_case c = make(&case_stebz, kinds[k], method == EIG_STEBZ_MULTISECTION ? 20000 : 600, 1);
                c.stebz.method = (eig_stebz_method)method;
                if (part) c.stebz.range = EIG_RANGE_INDEX, c.stebz.il = 5, c.stebz.iu = 60;
                record r;
                record_of(ctx, &r, 0);
                assert_int_equal(case_call(ctx, &c), EIG_OK);
                nothing_wrong(&r, "stebz");
                if (r.calls < 2 || r.last != 1) fail_msg("%d calls, the last at %.3f", r.calls, r.last);
                case_free(&c);
            }
    eig_destroy(ctx);
}

enum { SOON = ADDRESS_SANITIZED ? 3000 : 300 };

typedef eig_status long_call(eig_context *ctx, bench_case *c);

/* Units that take long by themselves: the second report comes in the midst of the work, and the call ends soon after it
 * asks to stop. */
static void stops_soon_by(eig_context *ctx, int threads, bench_case *c, const char *what, long_call *call)
{
    record r;
    double const most = SOON * threads * (test_on_several() ? 3 : 1); /* of all processors together */
    record_of(ctx, &r, 2);
    expect_refused(ctx, call(ctx, c), EIG_CANCELLED, "cancelled");
    double const now = processor_ms();
    int percent = -1;
    const char *const told = strstr(eig_error_detail(ctx), " at ");
    if (!told || sscanf(told, " at %d %%", &percent) != 1 || fabs(percent - 100 * r.last) > 0.501)
        fail_msg("%s: stopped at %g, \"%s\"", what, r.last, eig_error_detail(ctx));
    nothing_wrong(&r, what);
    bool const at_end = r.last == 1 && !test_on_several(); /* where several share the work it may end first */
    if (r.calls != 2 || at_end || now - r.stopped > most || r.highest_pause > most)
        fail_msg("%s: %d calls, the last at %g, %.0f ms without a report, ended after %.0f ms", what, r.calls, r.last,
                 r.highest_pause, now - r.stopped);
    assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
    case_free(c);
}

static void stops_soon(eig_context *ctx, int threads, bench_case *c, const char *what)
{
    stops_soon_by(ctx, threads, c, what, case_call);
}

/* From the first report to the last, and to the end, never long without one. */
static void reports_often(eig_context *ctx, int threads, bench_case *c, const char *what, long_call *call)
{
    record r;
    double const most = SOON * threads * (test_on_several() ? 3 : 1);
    record_of(ctx, &r, 0);
    assert_int_equal(call(ctx, c), EIG_OK);
    r.highest_pause = fmax(r.highest_pause, processor_ms() - r.called);
    nothing_wrong(&r, what);
    if (r.last != 1 || r.highest_pause > most)
        fail_msg("%s: %.0f ms without a report, the last at %g", what, r.highest_pause, r.last);
    assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
    case_free(c);
}

static eig_status call_stemr(eig_context *ctx, bench_case *c, eig_stemr_method method, int most_depth, bool vectors)
{
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    size_t const real = type_size(c->type), n = (size_t)c->n;
    void *const residual = malloc(n * real), *const orthogonality = malloc(real);
    o.method = method, o.most_depth = most_depth;
    eig_status const status = eig_stemr(ctx, c->type, &o, c->n, c->in[0].data, c->in[1].data, NULL, c->w.data,
                                        vectors ? c->v.data : NULL, c->n, NULL, NULL, residual, orthogonality, NULL);
    free(residual), free(orthogonality);
    return status;
}

static eig_status call_stemr_values(eig_context *ctx, bench_case *c)
{
    return call_stemr(ctx, c, EIG_STEMR_AUTO, 0, false);
}

static eig_status call_stemr_measured(eig_context *ctx, bench_case *c)
{
    return call_stemr(ctx, c, EIG_STEMR_AUTO, 0, true);
}

static eig_status call_stemr_plainly(eig_context *ctx, bench_case *c)
{
    return call_stemr(ctx, c, EIG_STEMR_REFERENCE, 0, true);
}

/* Clusters are left to inverse iteration. */
static eig_status call_stemr_inverse(eig_context *ctx, bench_case *c)
{
    return call_stemr(ctx, c, EIG_STEMR_AUTO, -1, true);
}

/* heev: each method, values alone, several matrices that share the threads; stemr: each of its passes. */
static void test_stops_with_vectors(void **state)
{
    static const struct {
        const char *kind;
        int64_t n, batch;
        eig_heev_method method;
        bool values_only;
    } heev[] = {{"ensemble", 1600, 1, EIG_HEEV_AUTO, false},  {"clustered", 1600, 1, EIG_HEEV_AUTO, true},
                {"ensemble", 420, 1, EIG_HEEV_JACOBI, false}, {"ensemble", 300, 1, EIG_HEEV_REFERENCE, false},
                {"ensemble", 300, 60, EIG_HEEV_AUTO, false},  {"ensemble", 32, 12000, EIG_HEEV_AUTO, false}};
    (void)state;
    for (int threads = 1; threads <= 2; ++threads) {
        eig_context *ctx = test_context(threads);
        for (size_t k = 0; k < sizeof heev / sizeof *heev; ++k) {
            char what[80];
            bench_case c = make(&case_heev, heev[k].kind, heev[k].n, heev[k].batch);
            c.heev.method = heev[k].method, c.values_only = heev[k].values_only;
            snprintf(what, sizeof what, "heev n = %lld x %lld, method %d", (long long)c.n, (long long)c.batch,
                     (int)heev[k].method);
            stops_soon(ctx, threads, &c, what);
        }
        bench_case one = make(&case_stemr, "uniform", 4500, 1), copies = make(&case_stemr, "glued", 4500, 1);
        stops_soon(ctx, threads, &one, "stemr");
        stops_soon(ctx, threads, &copies, "stemr of clusters");
        bench_case values = make(&case_stebz, "uniform", 20000, 1); /* without room for vectors */
        bench_case plain = make(&case_stemr, "uniform", 400, 1);
        stops_soon_by(ctx, threads, &values, "stemr, values alone", call_stemr_values);
        stops_soon_by(ctx, threads, &plain, "stemr, plainly", call_stemr_plainly);
        if (threads == 1) {
            bench_case measured = make(&case_stemr, "uniform", 5000, 1), inverse = make(&case_stemr, "glued", 630, 1);
            reports_often(ctx, threads, &measured, "stemr", call_stemr_measured);
            reports_often(ctx, threads, &inverse, "stemr by inverse iteration", call_stemr_inverse);
        }
        eig_destroy(ctx);
    }
}

static void test_stops_soon(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; ++threads) {
        eig_context *ctx = test_context(threads);
        bench_case one = make(&case_geev, "random", 1000, 1);
        stops_soon(ctx, threads, &one, "geev n = 1000");
        bench_case three = make(&case_geev, "random", 700, 3);
        stops_soon(ctx, threads, &three, "geev n = 700 x 3");
        static const eig_stebz_method methods[] = {EIG_STEBZ_MULTISECTION, EIG_STEBZ_INTERVAL_TREE,
                                                   EIG_STEBZ_REFERENCE};
        for (int i = 0; i < 3; ++i) {
            bench_case single = make(&case_stebz, "uniform", i == 0 ? 100000 : 20000, 1);
            single.stebz.method = methods[i];
            stops_soon(ctx, threads, &single, "stebz, one matrix");
        }
        bench_case batch = make(&case_stebz, "uniform", 20000, 3);
        batch.stebz.abstol = 1e-300; /* the pivot count, which takes longest */
        stops_soon(ctx, threads, &batch, "stebz n = 20000 x 3");
        eig_destroy(ctx);
    }
}

/* A stop at the first report, which comes before the work: nothing of it is done, however long it is, and nobody is asked again. */
static void test_stops_before_the_work(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; ++threads) {
        eig_context *ctx = test_context(threads);
        bench_case c[] = {make(&case_geev, "random", 700, 3), make(&case_heev, "ensemble", 700, 3),
                          make(&case_stemr, "uniform", 3000, 1), make(&case_stebz, "uniform", 20000, 3)};
        for (size_t k = 0; k < sizeof c / sizeof *c; ++k) {
            record r;
            record_of(ctx, &r, 1);
            expect_refused(ctx, case_call(ctx, &c[k]), EIG_CANCELLED, "cancelled");
            nothing_wrong(&r, c[k].family->name);
            if (r.calls != 1 || r.last != 0)
                fail_msg("%s: %d reports, the last at %g", c[k].family->name, r.calls, r.last);
            case_free(&c[k]);
        }
        eig_destroy(ctx);
    }
}

/* ------------------------------------------------------- calls from a callback */

/* What a callback tries on its own context, and on another one. */
typedef struct intruder {
    eig_context *own, *other;
    int calls;
} intruder;

static void refused_busy(eig_context *ctx, eig_status status)
{
    expect_refused(ctx, status, EIG_BUSY, "progress callback");
}

static int intrude(void *user, double fraction)
{
    static outputs o;
    intruder *const i = user;
    eig_context *const ctx = i->own;
    eig_pass pass = EIG_PASS;
    size_t bytes;
    (void)fraction;
    if (i->calls++ > 2) return 0;
    for (int k = 0; k < operations_here(); ++k) {
        outputs_clear(&o);
        refused_busy(ctx, operate_once(ctx, &operations[k], EIG_D, &o, NULL));
        assert_true(outputs_untouched(&o));
        refused_busy(ctx, operate_once(ctx, &operations[k], EIG_D, &o, &bytes));
    }
    refused_busy(ctx, eig_set_threads(ctx, 1));
    refused_busy(ctx, eig_set_progress(ctx, NULL, NULL));
    refused_busy(ctx, eig_set_workspace(ctx, NULL, 0));
    refused_busy(ctx, eig_set_stream(ctx, NULL));
    refused_busy(ctx, eig_synchronize(ctx));
    refused_busy(ctx, eig_set_timing(ctx, 1));
    assert_int_equal(eig_get_passes(ctx), 0);
    assert_int_equal(eig_get_pass(ctx, 0, &pass), EIG_BUSY);
    eig_destroy(ctx);
    assert_non_null(strstr(eig_error_detail(ctx), "eig_destroy"));
    assert_non_null(strstr(eig_describe(ctx), test_device));
    operate_well(i->other, &operations[i->calls % operations_here()], EIG_D, &o);
    return 0;
}

static void test_own_context(void **state)
{
    static outputs plain, watched;
    (void)state;
    eig_context *other = test_context(1);
    for (int i = 0; i < operations_here(); ++i) {
        eig_context *ctx = test_context(2);
        operate_well(ctx, &operations[i], EIG_D, &plain);
        intruder user = {ctx, other, 0};
        assert_int_equal(eig_set_progress(ctx, intrude, &user), EIG_OK);
        operate_well(ctx, &operations[i], EIG_D, &watched);
        same_outputs(&operations[i], &plain, &watched, "with calls from the callback");
        if (strstr(operations[i].name, "geev") || strstr(operations[i].name, "batched")) assert_true(user.calls >= 2);
        assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
        operate_well(ctx, &operations[i], EIG_D, &watched);
        eig_destroy(ctx);
    }
    eig_destroy(other);
}

/* --------------------------------------------------- calls from another thread */

/* What another thread tries on a context while a call runs on it; wrong: how many calls were not refused.  The sentence is that of
 * a call which the callback itself has tried: no other thread may change it, or take it away. */
typedef struct stranger {
    eig_context *ctx;
    bool asked;
    int wrong;
    char sentence[300];
} stranger;

static void *try_all(void *user)
{
    static outputs o;
    stranger *const s = user;
    eig_pass pass = EIG_PASS;
    size_t bytes;
    eig_status const refused[] = {eig_set_threads(s->ctx, 1),
                                  eig_set_progress(s->ctx, NULL, NULL),
                                  eig_set_workspace(s->ctx, NULL, 0),
                                  eig_set_stream(s->ctx, NULL),
                                  eig_synchronize(s->ctx),
                                  eig_set_timing(s->ctx, 1),
                                  eig_get_pass(s->ctx, 0, &pass)};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) s->wrong += refused[i] != EIG_BUSY;
    for (int k = 0; k < operations_here(); ++k) {
        outputs_clear(&o);
        s->wrong += operate_once(s->ctx, &operations[k], EIG_D, &o, NULL) != EIG_BUSY;
        s->wrong += !outputs_untouched(&o);
        s->wrong += operate_once(s->ctx, &operations[k], EIG_D, &o, &bytes) != EIG_BUSY;
    }
    eig_destroy(s->ctx);
    s->wrong += strstr(eig_describe(s->ctx), "another thread") == NULL;
    s->wrong += strcmp(eig_error_detail(s->ctx), s->sentence) != 0;
    return NULL;
}

static int ask_a_stranger(void *user, double fraction)
{
    stranger *const s = user;
    pthread_t thread;
    (void)fraction;
    if (s->asked) return 0;
    s->wrong += eig_set_threads(s->ctx, 1) != EIG_BUSY;
    snprintf(s->sentence, sizeof s->sentence, "%s", eig_error_detail(s->ctx));
    s->wrong += strstr(s->sentence, "progress callback") == NULL;
    s->asked = pthread_create(&thread, NULL, try_all, s) == 0;
    if (!s->asked) return 0;
    pthread_join(thread, NULL);
    return 0;
}

static void test_other_thread(void **state)
{
    static outputs plain, shared;
    (void)state;
    for (int i = 0; i < operations_here(); ++i) {
        eig_context *ctx = test_context(2);
        operate_well(ctx, &operations[i], EIG_D, &plain);
        stranger s = {ctx, false, 0, ""};
        assert_int_equal(eig_set_progress(ctx, ask_a_stranger, &s), EIG_OK);
        operate_well(ctx, &operations[i], EIG_D, &shared);
        assert_int_equal(s.wrong, 0);
        assert_string_equal(eig_error_detail(ctx), s.sentence);
        same_outputs(&operations[i], &plain, &shared, "with calls from another thread");
        if (strstr(operations[i].name, "geev") || strstr(operations[i].name, "batched")) assert_true(s.asked);
        eig_destroy(ctx);
    }
}

enum { SHARING = 4, SHARED_CALLS = 200 };

/* One of several threads that share a context without any agreement: a call is right, or refused. */
typedef struct sharer {
    eig_context *ctx;
    int right, busy, wrong;
} sharer;

static void *share(void *user)
{
    sharer *const s = user;
    for (int call = 0; call < SHARED_CALLS; ++call) {
        int64_t const n = 1 + call % 60;
        double d[60], e[60], w[60];
        for (int64_t i = 0; i < n; ++i) d[i] = 2, e[i] = -1, w[i] = -7;
        eig_status const status = eig_dstebz(s->ctx, NULL, n, d, e, NULL, w, NULL, NULL, NULL);
        bool right = status == EIG_OK;
        for (int64_t i = 0; i < n && right; ++i)
            right = fabs(w[i] - (2 - 2 * cos((double)(i + 1) * acos(-1) / (double)(n + 1)))) < 1e-14;
        s->right += right;
        s->busy += status == EIG_BUSY && w[0] == -7;
    }
    s->wrong = SHARED_CALLS - s->right - s->busy;
    return NULL;
}

static void test_shared(void **state)
{
    (void)state;
    pthread_t thread[SHARING];
    sharer s[SHARING];
    int right = 0;
    eig_context *ctx = test_context(2);
    for (int i = 0; i < SHARING; ++i) {
        s[i] = (sharer){ctx, 0, 0, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, share, &s[i]), 0);
    }
    for (int i = 0; i < SHARING; ++i) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(s[i].wrong, 0);
        right += s[i].right;
    }
    assert_true(right > 0);
    eig_destroy(ctx);
}

/* A call inside a parallel region of its caller computes with one thread, whatever its number there, and reports. */
static void test_inside_a_region(void **state)
{
    (void)state;
    int reports = 0;
#pragma omp parallel num_threads(3) reduction(+ : reports)
    {
        eig_context *ctx = NULL;
        double const a[4] = {0, 1, -1, 0};
        eig_z w[2];
        record r = {.caller = pthread_self(), .called = processor_ms()};
        if (test_open(&ctx) == EIG_OK && eig_set_progress(ctx, note, &r) == EIG_OK &&
            eig_dgeev(ctx, NULL, 2, a, 2, w, NULL, 0, NULL, 0, NULL, NULL) == EIG_OK && r.calls == 2 && w[0].im == 1)
            reports += 1;
        eig_destroy(ctx);
    }
    assert_true(reports >= 1);
#ifdef _OPENMP
    assert_int_equal(reports, 3);
#endif
}

/* There it writes nothing beyond its workspace, though its number may be that of a thread with one of its own elsewhere. */
static void test_workspace_inside_a_region(void **state)
{
    enum { N = 40, GUARD = 4096, MARK = 0x5a };
    static double d[N], e[N], w[N], z[N * N];
    (void)state;
    int same = 0;
    eig_context *outside = NULL;
    for (int i = 0; i < N; ++i) d[i] = 2 + 0.01 * (i % 17), e[i] = 1;
    assert_int_equal(test_open(&outside), EIG_OK);
    assert_int_equal(eig_dstemr(outside, NULL, N, d, e, NULL, w, z, N, NULL, NULL, NULL, NULL, NULL), EIG_OK);
    eig_destroy(outside);
#pragma omp parallel num_threads(3) reduction(+ : same)
    {
        eig_context *ctx = NULL;
        size_t bytes = 0;
        static _Thread_local double own_w[N], own_z[N * N];
        bool good = test_open(&ctx) == EIG_OK && eig_stemr_work_size(ctx, EIG_D, NULL, N, 1, &bytes) == EIG_OK;
        unsigned char *const work = aligned_alloc(256, bytes + GUARD);
        good = good && work && eig_set_workspace(ctx, work, bytes) == EIG_OK;
        for (size_t i = 0; i < GUARD && work; ++i) work[bytes + i] = MARK;
        good = good && eig_dstemr(ctx, NULL, N, d, e, NULL, own_w, own_z, N, NULL, NULL, NULL, NULL, NULL) == EIG_OK &&
               memcmp(w, own_w, sizeof w) == 0 && memcmp(z, own_z, sizeof z) == 0;
        for (size_t i = 0; i < GUARD && work; ++i) good = good && work[bytes + i] == MARK;
        same += good;
        eig_destroy(ctx);
        free(work);
    }
    assert_true(same >= 1);
#ifdef _OPENMP
    assert_int_equal(same, 3);
#endif
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_call),
        cmocka_unit_test(test_how_often),
        cmocka_unit_test(test_one_matrix),
        cmocka_unit_test(test_stops_soon),
        cmocka_unit_test(test_stops_before_the_work),
        cmocka_unit_test(test_stops_with_vectors),
        cmocka_unit_test(test_own_context),
        cmocka_unit_test(test_other_thread),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_inside_a_region),
        cmocka_unit_test(test_workspace_inside_a_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
