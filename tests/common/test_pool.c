/* The threads that a context keeps: every piece is done once and all that began have returned, whatever comes late; ranks differ;
 * work that waits for all gets all; the child of a fork makes threads of its own; sleeping threads end; signals are the caller's. */
#define _DEFAULT_SOURCE
#include "pool.h"
#include "support/operations.h"
#include "team.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, PIECES = 40, SECONDS = 40 };

typedef struct pieces {
    atomic_int next, inside, done[PIECES], rank[THREADS];
    cpu_team team;
} pieces;

static void take_pieces(void *argument, int rank, int size)
{
    pieces *const all = argument;
    atomic_fetch_add(&all->inside, 1);
    if (rank < 0 || rank >= size || size > THREADS) abort();
    for (int k; (k = atomic_fetch_add(&all->next, 1)) < PIECES;) {
        if (atomic_fetch_add(&all->rank[rank], 1) != 0) abort(); /* another thread has the rank */
        atomic_fetch_add(&all->done[k], 1);
        if (k % 8 == 7) usleep(20);
        atomic_fetch_sub(&all->rank[rank], 1);
    }
    atomic_fetch_sub(&all->inside, 1);
}

static bool shares(eig_context *ctx)
{
    pieces all = {0};
    eig_cpu_share(ctx, THREADS, take_pieces, &all);
    for (int k = 0; k < PIECES; ++k)
        if (all.done[k] != 1) return false;
    return all.inside == 0;
}

static void do_nothing(void *argument, int rank, int size)
{
    (void)size;
    atomic_fetch_add((atomic_int *)argument, rank == 0 ? 1 : 0);
}

/* Jobs so short that workers find them closed, and then another's places. */
static void test_late(void **state)
{
    (void)state;
    eig_context *ctx = test_context(1);
    for (int k = 0; k < 2000; ++k) {
        atomic_int calls = 0;
        eig_cpu_share(ctx, 2 + k % (THREADS - 1), do_nothing, &calls);
        assert_int_equal(calls, 1);
        if (k % 20 == 0) assert_true(shares(ctx));
        if (k % 500 == 0) usleep(2000); /* workers sleep */
    }
    eig_destroy(ctx);
}

static void meet(void *argument, int rank, int size)
{
    pieces *const all = argument;
    cpu_member who = {.team = &all->team, .rank = rank, .size = size};
    for (int k = 1; k <= 3; ++k) {
        atomic_fetch_add(&all->next, 1);
        cpu_team_meet(&who);
        if (all->next != k * size) abort();
        cpu_team_meet(&who);
    }
}

static void test_together(void **state)
{
    (void)state;
    eig_context *ctx = test_context(1);
    for (int k = 0; k < 200; ++k) {
        pieces all = {.team.crowded = true};
        eig_cpu_share(ctx, 2 + k % (THREADS - 1), meet, &all);
        if (k % 50 == 0) usleep(2000);
        assert_true(shares(ctx));
    }
    eig_destroy(ctx);
}

typedef struct masks {
    sigset_t of[THREADS];
    cpu_team team;
    int size;
} masks;

static void note_mask(void *argument, int rank, int size)
{
    masks *const all = argument;
    cpu_member who = {.team = &all->team, .rank = rank, .size = size};
    pthread_sigmask(SIG_BLOCK, NULL, &all->of[rank]);
    if (rank == 0) all->size = size;
    cpu_team_meet(&who); /* all come */
}

/* A handler of the caller's never runs in a thread that the context has made, whatever the caller blocks. */
static void test_signals(void **state)
{
    static int const signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGALRM, SIGCHLD, SIGPROF, SIGPIPE};
    sigset_t own, before;
    (void)state;
    if (getenv("OMP_PROC_BIND") || getenv("OMP_PLACES")) skip_because("these are OpenMP's threads");
    sigemptyset(&own);
    sigaddset(&own, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &own, &before);
    eig_context *ctx = test_context(1);
    masks all = {.team.crowded = true};
    eig_cpu_share(ctx, THREADS, note_mask, &all);
    if (all.size < 2) skip_because("no thread can be made here");
    for (int rank = 1; rank < all.size; ++rank)
        for (size_t k = 0; k < sizeof signals / sizeof *signals; ++k)
            if (sigismember(&all.of[rank], signals[k]) != 1) fail_msg("thread %d takes signal %d", rank, signals[k]);
    for (size_t k = 0; k < sizeof signals / sizeof *signals; ++k)
        assert_int_equal(sigismember(&all.of[0], signals[k]), sigismember(&before, signals[k]));
    assert_int_equal(sigismember(&all.of[0], SIGUSR2), 1);
    eig_destroy(ctx);
    pthread_sigmask(SIG_SETMASK, &before, &own);
    for (size_t k = 0; k < sizeof signals / sizeof *signals; ++k)
        assert_int_equal(sigismember(&own, signals[k]), sigismember(&before, signals[k]));
}

static void test_fork(void **state)
{
    (void)state;
    eig_context *ctx = test_context(1);
    assert_true(shares(ctx));
    for (int use = 0; use < 2; ++use) {
        int status = -1;
        pid_t const child = fork();
        if (child == 0) {
            alarm(SECONDS);
            bool const bound = getenv("OMP_PROC_BIND") != NULL; /* libgomp's threads, which the child lacks */
            bool const well = !use || bound || (shares(ctx) && shares(ctx));
            eig_destroy(ctx);
            _exit(well ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    assert_true(shares(ctx));
    eig_destroy(ctx);
}

static void test_end(void **state)
{
    (void)state;
    for (int k = 0; k < 50; ++k) {
        eig_context *ctx = test_context(1);
        assert_true(shares(ctx));
        if (k % 2) usleep(1000); /* asleep, or not yet */
        eig_destroy(ctx);
    }
}

int main(void)
{
    alarm(SECONDS * 2); /* a thread that is waited for in vain */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_late), cmocka_unit_test(test_together), cmocka_unit_test(test_fork),
        cmocka_unit_test(test_end),  cmocka_unit_test(test_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
