/* One call in one row of crossed options (pairs.h): what all families have in common.  It is made on a context of one device or
 * of several, with threads, a lent workspace, a callback, times; afterwards every array is as its image says, and every number that
 * the library tells is beside a measured one. */
#ifndef EIG_TEST_CROSSED_H
#define EIG_TEST_CROSSED_H

#include "image.h"
#include "pairs.h"
#include "problem.h"

#include <pthread.h>
#include <time.h>

/* The factors that every family has, the first ones of its rows. */
enum {
    F_TYPE,
    F_N,
    F_BATCH,
    F_SCALE,
    F_BAD,
    F_DEVICE,
    F_THREADS,
    F_WORK,
    F_PROGRESS,
    F_TIMING,
    F_PAD,
    F_SHIFT,
    F_COMMON
};
enum { WORK_OWN, WORK_LENT, WORK_LARGER, WORKS };
enum { PROGRESS_NONE, PROGRESS_COUNTED, PROGRESS_STOPPED, PROGRESS_STOPPED_LATER, PROGRESSES };
enum { BAD_NONE, BAD_NAN, BAD_LAST, BADS };
enum { CROSSED_IMAGES = 12 };

typedef struct crossed {
    const char *name;
    const int *row;
    eig_status (*run)(eig_context *ctx, void *user);
    eig_status (*size)(eig_context *ctx, void *user, size_t *bytes);
    void *user;
    bool easy; /* the matrices need less than the workspace that any of their order must have */
    image image[CROSSED_IMAGES];
    int images;
} crossed;

/* The contexts serve all rows, so that one call's remains meet the next. */
static eig_context *crossed_on[2], *crossed_plain;

static inline void crossed_open(void)
{
    for (int k = 0; k < 2; ++k)
        if ((k ? eig_multi_create(&crossed_on[k], "cpu,cpu,cpu", 1) : eig_create(&crossed_on[k], "cpu")) != EIG_OK)
            fail_msg("no context");
    if (eig_create(&crossed_plain, "cpu") != EIG_OK) fail_msg("no context");
    assert_int_equal(eig_set_threads(crossed_plain, 1), EIG_OK);
}

static inline void crossed_close(void)
{
    eig_destroy(crossed_on[0]), eig_destroy(crossed_on[1]), eig_destroy(crossed_plain);
}

#define CROSSED_FAIL(c, ...)                                                                                    \
    do {                                                                                                        \
        print_error("%s, row:", (c)->name);                                                                     \
        for (int crossed_f = 0; crossed_f < PAIR_FACTORS; ++crossed_f) print_error(" %d", (c)->row[crossed_f]); \
        print_error("\n");                                                                                      \
        fail_msg(__VA_ARGS__);                                                                                  \
    } while (0)

/* ---------------------------------------------------------------- progress */

typedef struct watcher {
    pthread_t thread;
    int calls, after, others, falls; /* after: since it asked to stop */
    double stop, first, last;        /* stops from this fraction on */
    bool stopped;
} watcher;

static inline int watch_progress(void *user, double fraction)
{
    watcher *const w = user;
    w->after += w->stopped;
    w->others += !pthread_equal(w->thread, pthread_self());
    if (w->calls++ == 0) w->first = fraction;
    w->falls += !(fraction >= w->last && fraction >= 0 && fraction <= 1);
    w->last = fraction;
    w->stopped |= fraction >= w->stop;
    return w->stopped;
}

static inline double crossed_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static inline void crossed_begin(crossed *c)
{
    for (int k = 0; k < c->images; ++k) image_begin(&c->image[k]);
}

/* A call that its callback stops: what it need not write it leaves alone, and the context goes on. */
static inline void crossed_stop(crossed *c, eig_context *ctx)
{
    watcher w = {.thread = pthread_self(), .stop = c->row[F_PROGRESS] == PROGRESS_STOPPED ? 0 : 1e-9};
    assert_int_equal(eig_set_progress(ctx, watch_progress, &w), EIG_OK);
    crossed_begin(c);
    eig_status const status = c->run(ctx, c->user);
    if (status != EIG_CANCELLED || !w.stopped) CROSSED_FAIL(c, "status %d of a call that was stopped", (int)status);
    if (w.after || w.others) CROSSED_FAIL(c, "%d reports after a stop, %d by other threads", w.after, w.others);
    if (!strstr(eig_error_detail(ctx), "cancelled")) CROSSED_FAIL(c, "\"%s\"", eig_error_detail(ctx));
    for (int k = 0; k < c->images; ++k)
        if (!image_padding_kept(&c->image[k])) CROSSED_FAIL(c, "stopped: padding of %s was written", c->image[k].name);
    assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
}

/* ----------------------------------------------------------------- workspace */

typedef struct loan {
    unsigned char *at;
    size_t bytes, told;
} loan;

enum { LOAN_POISON = 0xa5, LOAN_GUARD = 4096 };

/* Lends what the query tells, after a byte less was refused before anything was written. */
static inline loan crossed_lend(crossed *c, eig_context *ctx)
{
    loan l = {0};
    assert_int_equal(c->size(ctx, c->user, &l.told), EIG_OK);
    if (c->row[F_DEVICE] && l.told > 0) CROSSED_FAIL(c, "%zu bytes of workspace told by several devices", l.told);
    l.bytes = l.told + LOAN_GUARD;
    l.at = aligned_alloc(256, (l.bytes + 255) / 256 * 256);
    assert_non_null(l.at);
    memset(l.at, LOAN_POISON, l.bytes);
    if (l.told > 0) {
        assert_int_equal(eig_set_workspace(ctx, l.at, l.told - 1), EIG_OK);
        crossed_begin(c);
        eig_status const status = c->run(ctx, c->user);
        if (status != EIG_BAD_WORKSPACE) CROSSED_FAIL(c, "status %d with a byte of %zu too few", (int)status, l.told);
        for (int k = 0; k < c->images; ++k)
            if (!image_untouched(&c->image[k])) CROSSED_FAIL(c, "refused: %s was written", c->image[k].name);
    }
    size_t const lent = c->row[F_WORK] == WORK_LARGER ? l.bytes - 512 : l.told;
    assert_int_equal(eig_set_workspace(ctx, l.at, lent), EIG_OK);
    return l;
}

/* Nothing behind what was told was touched, and with one thread some of it was: the number is not too large either (a tile of
 * 16 has room for one matrix too). */
static inline void crossed_returned(crossed *c, eig_context *ctx, loan *l)
{
    size_t used = l->bytes;
    while (used > 0 && l->at[used - 1] == LOAN_POISON) --used;
    if (used > l->told) CROSSED_FAIL(c, "%zu bytes of workspace used, %zu told", used, l->told);
    if (!c->easy && c->row[F_THREADS] == 0 && c->row[F_BAD] == BAD_NONE && 32 * used + 2048 < l->told)
        CROSSED_FAIL(c, "%zu bytes of workspace used, %zu told", used, l->told);
    free(l->at);
    assert_int_equal(eig_set_workspace(ctx, NULL, 0), EIG_OK);
}

/* --------------------------------------------------------------------- calls */

/* Whether the passes take as long as the call, but for its begin and end, in which another program may have the processor. */
static inline bool crossed_times(crossed *c, eig_context *ctx, double wall)
{
    double sum = 0;
    int const passes = eig_get_passes(ctx);
    if (passes < 1) CROSSED_FAIL(c, "no passes");
    for (int k = 0; k < passes; ++k) {
        eig_pass pass = EIG_PASS;
        assert_int_equal(eig_get_pass(ctx, k, &pass), EIG_OK);
        if (!(pass.ms >= 0)) CROSSED_FAIL(c, "pass %s: %g ms", pass.name, pass.ms);
        sum += pass.ms;
    }
    if (c->row[F_DEVICE] == 0 && sum > 1.02 * wall + 0.05) CROSSED_FAIL(c, "passes %g ms, call %g ms", sum, wall);
    return c->row[F_DEVICE] || wall < 1 || sum >= 0.6 * wall;
}

/* Makes the call; where its times do not fit, again. */
static inline eig_status crossed_timed(crossed *c, eig_context *ctx)
{
    for (int turn = 0; turn < 8; ++turn) {
        crossed_begin(c);
        double const start = crossed_ms();
        eig_status const status = c->run(ctx, c->user);
        if (status != EIG_OK || !c->row[F_TIMING] || crossed_times(c, ctx, crossed_ms() - start)) return status;
        if (c->row[F_PROGRESS] == PROGRESS_COUNTED) return status; /* whose reports another call would add to */
    }
    CROSSED_FAIL(c, "the passes' times are not the call's");
    return EIG_OK;
}

static inline void crossed_call(crossed *c)
{
    eig_context *const ctx = crossed_on[c->row[F_DEVICE]];
    int const progress = c->row[F_PROGRESS];
    watcher w = {.thread = pthread_self(), .stop = 2};
    loan l = {0};
    assert_int_equal(eig_set_threads(ctx, 1 + c->row[F_THREADS]), EIG_OK);
    if (c->row[F_WORK] != WORK_OWN) l = crossed_lend(c, ctx);
    if (progress >= PROGRESS_STOPPED) crossed_stop(c, ctx);
    if (progress == PROGRESS_COUNTED) assert_int_equal(eig_set_progress(ctx, watch_progress, &w), EIG_OK);
    assert_int_equal(eig_set_timing(ctx, c->row[F_TIMING]), EIG_OK);
    eig_status const status = crossed_timed(c, ctx);
    if (status != EIG_OK) CROSSED_FAIL(c, "status %d: %s", (int)status, eig_error_detail(ctx));
    if (eig_error_detail(ctx)[0]) CROSSED_FAIL(c, "a sentence after success: %s", eig_error_detail(ctx));
    if (progress == PROGRESS_COUNTED && (w.calls < 2 || w.first != 0 || w.last != 1 || w.falls || w.others))
        CROSSED_FAIL(c, "%d reports from %g to %g, %d falls, %d by other threads", w.calls, w.first, w.last, w.falls,
                     w.others);
    assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
    if (l.at) crossed_returned(c, ctx, &l);
    for (int k = 0; k < c->images; ++k) {
        const image *const x = &c->image[k];
        int64_t const at = image_differs(x);
        if (at < 0) continue;
        CROSSED_FAIL(c, "%s: element %lld of %lld (%s)", x->name, (long long)(at / (int64_t)x->size),
                     (long long)((x->bytes - x->first - IMAGE_GUARD) / x->size),
                     x->written[(size_t)(at + (int64_t)x->first)] ? "a result" : "not the call's to write");
    }
}

static inline void crossed_free(crossed *c)
{
    for (int k = 0; k < c->images; ++k) image_free(&c->image[k]);
}

/* The next array of the call: an input, whose elements image_hold brings, or an output. */
static inline image *crossed_array(crossed *c, const char *name, int64_t count, size_t size, eig_type real, int poison)
{
    if (c->images == CROSSED_IMAGES) fail_msg("too many arrays");
    image *const x = &c->image[c->images++];
    size_t const least = real == EIG_S ? sizeof(float) : real == EIG_D ? sizeof(double) : size;
    image_make(x, name, count, size, real, poison, c->row[F_SHIFT] ? least : 0);
    return x;
}

/* An output that this row may leave out: where it is not wanted its image holds no array. */
static inline image *crossed_output(crossed *c, bool wanted, const char *name, int64_t count, size_t size,
                                    eig_type real)
{
    if (wanted) return crossed_array(c, name, count, size, real, IMAGE_OUT);
    if (c->images == CROSSED_IMAGES) fail_msg("too many arrays");
    return &c->image[c->images++];
}

/* ----------------------------------------------------------------- matrices */

/* Uniform in [-1, 1), the same for the same numbers. */
static inline double crossed_random(int64_t b, int64_t i, int64_t j, int part)
{
    uint64_t x =
        (uint64_t)b * 0x9e3779b97f4a7c15u + (uint64_t)i * 0xbf58476d1ce4e5b9u + (uint64_t)j * 0x94d049bb133111ebu;
    x += (uint64_t)part * 0x2545f4914f6cdd1du;
    for (int k = 0; k < 3; ++k) x ^= x >> 31, x *= 0xd6e8feb86659fd93u;
    return (double)(int64_t)(x >> 11) * 0x1p-52 - 1;
}

/* The power of two of the row's scale: 1, some 1e300 and 1e-300, in single precision 1e36 and 1e-36. */
static inline int crossed_power(const int *row, eig_type type)
{
    int const most = type_is_single(type) ? 120 : 990;
    return row[F_SCALE] == 0 ? 0 : row[F_SCALE] == 1 ? most : -most;
}

/* Which matrix holds a NaN or an infinity; -1: none. */
static inline int64_t crossed_bad(const int *row, int64_t batch)
{
    return row[F_BAD] == BAD_NONE ? -1 : row[F_BAD] == BAD_NAN ? batch / 2 : batch - 1;
}

static inline double crossed_poison(const int *row)
{
    return row[F_BAD] == BAD_NAN ? NAN : -INFINITY;
}

/* A row that tells little is mended: a bad matrix stands beside good ones, but for the last one. */
static inline void crossed_mend(int *row, bool alone)
{
    if (row[F_BAD] == BAD_NAN && alone) row[F_BAD] = BAD_NONE;
}

#endif
