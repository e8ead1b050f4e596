/* Progress on a CPU: who calls the callback and how often, how soon a call ends that is asked to stop, and what a
 * callback may do with its context. */
#define _POSIX_C_SOURCE 200809L
#include "bench/support/cases.h"
#include "support/operations.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

/* What a callback saw. */
typedef struct record {
    pthread_t caller;
    int calls, stop_at; /* stop_at > 0: this call asks to stop */
    double last, stopped, highest_pause, called;
} record;

static int note(void *user, double fraction)
{
    record *const r = user;
    double const now = clock_ms();
    assert_true(pthread_equal(pthread_self(), r->caller));
    assert_true(fraction >= r->last && fraction <= 1);
    r->highest_pause = fmax(r->highest_pause, now - r->called);
    r->last = fraction, r->called = now;
    if (++r->calls != r->stop_at) return 0;
    r->stopped = now;
    return 1;
}

static record record_of(eig_context *ctx, record *r, int stop_at)
{
    *r = (record){.caller = pthread_self(), .stop_at = stop_at, .called = clock_ms()};
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

/* Every call begins at 0 and ends at 1, on the calling thread; the bits are those without a callback. */
static void test_every_call(void **state)
{
    static outputs plain, watched;
    (void)state;
    eig_context *ctx = test_context(3);
    for (int i = 0; i < OPERATIONS; ++i) {
        record r;
        assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
        operate_well(ctx, &operations[i], EIG_D, &plain);
        record_of(ctx, &r, 0);
        operate_well(ctx, &operations[i], EIG_D, &watched);
        same_outputs(&operations[i], &plain, &watched, "with progress");
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
        double const most = 2 + (clock_ms() - start) / 50;
        if (r.calls < 2 || r.calls > most || r.last != 1)
            fail_msg("%s: %d calls, at most %.1f; the last at %.3f", c[i].family->name, r.calls, most, r.last);
        case_free(&c[i]);
    }
    eig_destroy(ctx);
}

/* Units that take long by themselves: the second report comes, and the call ends soon after it asks to stop. */
static void stops_soon(eig_context *ctx, bench_case *c, const char *what)
{
    record r;
    record_of(ctx, &r, 2);
    expect_refused(ctx, case_call(ctx, c), EIG_CANCELLED, "cancelled");
    double const now = clock_ms();
    /* Half a second is promised; the bounds leave room for a busy machine and for sanitizers. */
    if (r.calls != 2 || now - r.stopped > 2000 || r.highest_pause > 2000)
        fail_msg("%s: %d calls, %.0f ms without a report, ended after %.0f ms", what, r.calls, r.highest_pause,
                 now - r.stopped);
    assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
    case_free(c);
}

static void test_stops_soon(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; ++threads) {
        eig_context *ctx = test_context(threads);
        bench_case one = make(&case_geev, "random", 1000, 1);
        stops_soon(ctx, &one, "geev n = 1000");
        bench_case three = make(&case_geev, "random", 700, 3);
        stops_soon(ctx, &three, "geev n = 700 x 3");
        bench_case batch = make(&case_stebz, "uniform", 20000, 3);
        batch.stebz.abstol = 1e-300; /* the pivot count, which takes longest */
        stops_soon(ctx, &batch, "stebz n = 20000 x 3");
        eig_destroy(ctx);
    }
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_call),
        cmocka_unit_test(test_how_often),
        cmocka_unit_test(test_stops_soon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
