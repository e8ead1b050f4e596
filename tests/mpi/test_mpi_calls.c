/* What fails on one rank fails on all, with the same status and sentence, and hangs none; progress, batches, contexts. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "support.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 60 };

static double d[N], e[N], w[N], z[N * N], lower[N], upper[N];

/* The same status on all ranks, and the same sentence, with these words in it. */
static void same_everywhere(eig_mpi_context *ctx, eig_status status, eig_status expected, const char *words)
{
    char first[400] = "", text[400];
    int root_status = (int)status;
    snprintf(text, sizeof text, "%s", eig_mpi_error_detail(ctx));
    memcpy(first, text, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Bcast(&root_status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    CHECK(status == expected && root_status == (int)status);
    CHECK(strcmp(first, text) == 0);
    if (!strstr(text, words)) fprintf(stderr, "got \"%s\", expected \"%s\"\n", text, words);
    CHECK(strstr(text, words) != NULL);
}

static void who(char *text, size_t room, int culprit, const char *words)
{
    if (test_size > 1)
        snprintf(text, room, "rank %d of %d: %s", culprit, test_size, words);
    else
        snprintf(text, room, "%s", words);
}

static void works(eig_mpi_context *ctx)
{
    eig_mpi_run run = EIG_MPI_RUN;
    CHECK(eig_mpi_dstebz(ctx, NULL, NULL, N, d, e, &run, w, NULL, NULL) == EIG_OK && run.total == N);
    CHECK(eig_mpi_error_detail(ctx)[0] == '\0');
}

static void test_bad_arguments(eig_mpi_context *ctx)
{
    char words[200];
    for (int culprit = 0; culprit < test_size; ++culprit) {
        bool const bad = test_rank == culprit;
        who(words, sizeof words, culprit, "stebz: d is NULL with n = 60");
        same_everywhere(ctx, eig_mpi_dstebz(ctx, NULL, NULL, N, bad ? NULL : d, e, NULL, w, NULL, NULL),
                        EIG_BAD_ARGUMENT, words);
        who(words, sizeof words, culprit, "stebz: w is NULL");
        same_everywhere(ctx, eig_mpi_dstebz(ctx, NULL, NULL, N, d, e, NULL, bad ? NULL : w, NULL, NULL),
                        EIG_BAD_ARGUMENT, words);
        who(words, sizeof words, culprit, "stebz: one of lower and upper is NULL");
        same_everywhere(ctx, eig_mpi_dstebz(ctx, NULL, NULL, N, d, e, NULL, w, bad ? lower : NULL, NULL),
                        EIG_BAD_ARGUMENT, words);
        who(words, sizeof words, culprit, "stebz: n = -1, must be >= 0");
        same_everywhere(ctx, eig_mpi_dstebz(ctx, NULL, NULL, bad ? -1 : N, d, e, NULL, w, NULL, NULL), EIG_BAD_ARGUMENT,
                        words);
        eig_stebz_options o = EIG_STEBZ_OPTIONS;
        if (bad) o.abstol = -1;
        who(words, sizeof words, culprit, "stebz: abstol = -1");
        same_everywhere(ctx, eig_mpi_dstebz(ctx, NULL, &o, N, d, e, NULL, w, NULL, NULL), EIG_BAD_ARGUMENT, words);
        eig_mpi_options where = EIG_MPI_OPTIONS;
        if (bad) where.root = test_size;
        who(words, sizeof words, culprit, "stebz: where->root");
        same_everywhere(ctx, eig_mpi_dstebz(ctx, &where, NULL, N, d, e, NULL, w, NULL, NULL), EIG_BAD_ARGUMENT, words);
        where = (eig_mpi_options)EIG_MPI_OPTIONS;
        if (bad) where.size = 3;
        who(words, sizeof words, culprit, "stebz: where->size = 3");
        same_everywhere(ctx, eig_mpi_dstebz(ctx, &where, NULL, N, d, e, NULL, w, NULL, NULL), EIG_BAD_ARGUMENT, words);
        who(words, sizeof words, culprit, "stemr: ldz = 59 < n = 60");
        same_everywhere(
            ctx, eig_mpi_dstemr(ctx, NULL, NULL, N, d, e, NULL, w, z, bad ? N - 1 : N, NULL, NULL, NULL, NULL, NULL),
            EIG_BAD_ARGUMENT, words);
        works(ctx);
    }
}

/* Each rank's arguments are sound, but they differ. */
static void test_differences(eig_mpi_context *ctx)
{
    char words[200];
    for (int culprit = 1; culprit < test_size; ++culprit) {
        bool const other = test_rank == culprit;
        who(words, sizeof words, culprit, "stebz: n = 59, on rank 0 it is 60");
        same_everywhere(ctx, eig_mpi_dstebz(ctx, NULL, NULL, other ? N - 1 : N, d, e, NULL, w, NULL, NULL),
                        EIG_BAD_ARGUMENT, words);
        who(words, sizeof words, culprit, "stebz: the T is not that of rank 0");
        double const kept = e[N - 2];
        if (other) e[N - 2] = nextafter(kept, 10);
        same_everywhere(ctx, eig_mpi_dstebz(ctx, NULL, NULL, N, d, e, NULL, w, NULL, NULL), EIG_BAD_ARGUMENT, words);
        e[N - 2] = kept;
        double const first = d[0];
        if (other) d[0] = d[4], d[4] = first;
        who(words, sizeof words, culprit, "stebz: the T is not that of rank 0");
        same_everywhere(ctx, eig_mpi_dstebz(ctx, NULL, NULL, N, d, e, NULL, w, NULL, NULL), EIG_BAD_ARGUMENT, words);
        if (other) d[4] = d[0], d[0] = first;
        who(words, sizeof words, culprit, "stemr: the function is not that of rank 0");
        eig_status const status =
            other ? eig_mpi_dstemr(ctx, NULL, NULL, N, d, e, NULL, w, NULL, 0, NULL, NULL, NULL, NULL, NULL)
                  : eig_mpi_dstebz(ctx, NULL, NULL, N, d, e, NULL, w, NULL, NULL);
        same_everywhere(ctx, status, EIG_BAD_ARGUMENT, words);
        eig_stebz_options o = EIG_STEBZ_OPTIONS;
        o.range = EIG_RANGE_VALUE, o.vl = 0, o.vu = other ? 2 : 1;
        who(words, sizeof words, culprit, "stebz: the options->vu is not that of rank 0");
        same_everywhere(ctx, eig_mpi_dstebz(ctx, NULL, &o, N, d, e, NULL, w, NULL, NULL), EIG_BAD_ARGUMENT, words);
        who(words, sizeof words, culprit, "stebz: the set of outputs is not that of rank 0");
        same_everywhere(ctx,
                        eig_mpi_dstebz(ctx, NULL, NULL, N, d, e, NULL, w, other ? lower : NULL, other ? upper : NULL),
                        EIG_BAD_ARGUMENT, words);
        works(ctx);
    }
}

/* A workspace that is lent and too small stands for memory that is short on one rank: on its CPU, whatever the others
 * compute on, since a GPU that takes host arrays does not use what is lent. */
static void test_one_fails_in_the_middle(const char *device)
{
    static _Alignas(256) char small[256];
    char words[200];
    for (int culprit = 0; culprit < test_size; ++culprit) {
        eig_mpi_context *ctx;
        CHECK(eig_mpi_create(&ctx, MPI_COMM_WORLD, test_rank == culprit ? "cpu" : device) == EIG_OK);
        who(words, sizeof words, culprit, "stebz: the workspace lent has 256 bytes");
        if (test_rank == culprit) CHECK(eig_set_workspace(eig_mpi_local(ctx), small, sizeof small) == EIG_OK);
        same_everywhere(ctx, eig_mpi_dstebz(ctx, NULL, NULL, N, d, e, NULL, w, NULL, NULL), EIG_BAD_WORKSPACE, words);
        who(words, sizeof words, culprit, "stemr: the workspace lent has 256 bytes");
        same_everywhere(ctx, eig_mpi_dstemr(ctx, NULL, NULL, N, d, e, NULL, w, z, N, NULL, NULL, NULL, NULL, NULL),
                        EIG_BAD_WORKSPACE, words);
        CHECK(eig_set_workspace(eig_mpi_local(ctx), NULL, 0) == EIG_OK);
        works(ctx);
        eig_mpi_destroy(ctx);
    }
}

/* ------------------------------------------------------------------ progress */

typedef struct listener {
    eig_mpi_context *ctx;
    int calls, stop_at;
    double last;
    eig_status inside;
} listener;

static int listen_to(void *user, double fraction)
{
    listener *const l = user;
    CHECK(fraction >= l->last && fraction <= 1);
    l->last = fraction;
    l->inside = eig_mpi_dstebz(l->ctx, NULL, NULL, N, d, e, NULL, w, NULL, NULL);
    return ++l->calls == l->stop_at;
}

static void test_progress(eig_mpi_context *ctx)
{
    listener l = {.ctx = ctx};
    CHECK(eig_mpi_set_progress(ctx, listen_to, &l) == EIG_OK);
    works(ctx);
    CHECK(l.calls >= 2 && l.inside == EIG_BUSY);
    char words[200];
    for (int culprit = 0; culprit < test_size; ++culprit) {
        l = (listener){.ctx = ctx, .stop_at = test_rank == culprit};
        who(words, sizeof words, culprit, "stebz: cancelled by the progress callback");
        same_everywhere(ctx, eig_mpi_dstebz(ctx, NULL, NULL, N, d, e, NULL, w, NULL, NULL), EIG_CANCELLED, words);
        l = (listener){.ctx = ctx};
        works(ctx);
    }
    CHECK(eig_mpi_set_progress(ctx, NULL, NULL) == EIG_OK);
    works(ctx);
}

/* One rank cancels a computation of a minute on a CPU, or one long enough that a GPU reports several times: all are back
 * at once. */
static void test_cancel_early(eig_mpi_context *ctx, const char *device)
{
    int64_t const n = strcmp(device, "cpu") == 0 ? 60000 : 250000 * (int64_t)test_size;
    test_matrix t = test_make(EIG_D, RANDOM, n);
    double *const values = test_array(sizeof *values, n);
    listener l = {.ctx = ctx, .stop_at = test_rank == test_size - 1 ? 3 : 0};
    CHECK(eig_mpi_set_progress(ctx, listen_to, &l) == EIG_OK);
    double const begin = MPI_Wtime();
    char words[200];
    who(words, sizeof words, test_size - 1, "stebz: cancelled by the progress callback");
    same_everywhere(ctx, eig_mpi_dstebz(ctx, NULL, NULL, n, t.d, t.e, NULL, values, NULL, NULL), EIG_CANCELLED, words);
    CHECK(MPI_Wtime() - begin < 10);
    CHECK(eig_mpi_set_progress(ctx, NULL, NULL) == EIG_OK);
    works(ctx);
    free(values);
    test_free(&t);
}

/* ------------------------------------------------------------------ contexts */

static void test_contexts(eig_mpi_context *ctx, const char *device)
{
    int rank = -1, size = -1;
    char begin[64];
    CHECK(eig_mpi_ranks(ctx, &rank, &size) == EIG_OK && rank == test_rank && size == test_size);
    snprintf(begin, sizeof begin, "rank %d of %d, %.3s", rank, size, device);
    CHECK(strncmp(eig_mpi_describe(ctx), begin, strlen(begin)) == 0);
    /* Two at once, over another order of the ranks. */
    MPI_Comm reversed;
    eig_mpi_context *other;
    MPI_Comm_split(MPI_COMM_WORLD, 0, test_size - test_rank, &reversed);
    CHECK(eig_mpi_create(&other, reversed, device) == EIG_OK);
    MPI_Comm_free(&reversed); /* it talks on its own */
    works(other);
    works(ctx);
    CHECK(eig_mpi_ranks(other, &rank, NULL) == EIG_OK && rank == test_size - 1 - test_rank);
    eig_mpi_destroy(other);
    /* A device that one rank has not. */
    for (int culprit = 0; culprit < test_size; ++culprit) {
        eig_status const status = eig_mpi_create(&other, MPI_COMM_WORLD, test_rank == culprit ? "abacus" : device);
        char words[100];
        who(words, sizeof words, culprit, "unknown device \"abacus\"");
        same_everywhere(other, status, EIG_BAD_ARGUMENT, words);
        CHECK(eig_mpi_local(other) == NULL);
        CHECK(eig_mpi_dstebz(other, NULL, NULL, N, d, e, NULL, w, NULL, NULL) == EIG_BAD_ARGUMENT);
        CHECK(eig_mpi_set_progress(other, NULL, NULL) == EIG_BAD_ARGUMENT);
        CHECK(strstr(eig_mpi_error_detail(other), "abacus"));
        eig_mpi_destroy(other);
        /* A rank without a place for the context. */
        CHECK(eig_mpi_create(test_rank == culprit ? NULL : &other, MPI_COMM_WORLD, device) == EIG_BAD_ARGUMENT);
        if (test_rank != culprit) CHECK(other == NULL);
    }
    CHECK(eig_mpi_create(&other, MPI_COMM_WORLD, "auto") == EIG_OK);
    works(other);
    eig_mpi_destroy(other);
    CHECK(eig_mpi_create(&other, MPI_COMM_NULL, device) == EIG_BAD_ARGUMENT);
    CHECK(strstr(eig_mpi_error_detail(other), "MPI_COMM_NULL"));
    eig_mpi_destroy(other);
    eig_mpi_destroy(NULL);
    CHECK(eig_mpi_dstebz(NULL, NULL, NULL, N, d, e, NULL, w, NULL, NULL) == EIG_BAD_ARGUMENT);
}

/* The ranks of a host share its processors; one that has a host for itself takes what one process takes. */
static void test_threads(eig_mpi_context *ctx, const char *device)
{
    int on_host, mine = 0, alone = 0, sum, processors[CPU_SETSIZE], count = 0;
    cpu_set_t set;
    MPI_Comm host;
    if (strcmp(device, "cpu") != 0 || getenv("OMP_NUM_THREADS")) return;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, test_rank, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &on_host);
    CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    for (int i = 0; i < CPU_SETSIZE; ++i) processors[i] = CPU_ISSET(i, &set) != 0;
    MPI_Allreduce(MPI_IN_PLACE, processors, CPU_SETSIZE, MPI_INT, MPI_MAX, host);
    for (int i = 0; i < CPU_SETSIZE; ++i) count += processors[i];
    eig_context *single;
    CHECK(eig_create(&single, "cpu") == EIG_OK);
    CHECK(sscanf(eig_describe(single), "cpu %*[a-z0-9], %d thread", &alone) == 1);
    CHECK(sscanf(eig_describe(eig_mpi_local(ctx)), "cpu %*[a-z0-9], %d thread", &mine) == 1);
    eig_destroy(single);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, host);
    CHECK(mine >= 1 && sum <= (count > on_host ? count : on_host));
    CHECK(on_host > 1 || mine == alone);
    const char *const each = getenv("EIG_TEST_HOST");
    CHECK(!each || on_host <= atoi(each));
    MPI_Comm_free(&host);
}

/* Each rank computes its slice of a batch; together they are all, once. */
static void test_slices(eig_mpi_context *ctx)
{
    static const int64_t counts[] = {0, 1, 2, 4, 5, 17, INT64_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        int64_t next = 0, first, number, least = INT64_MAX, most = 0;
        for (int r = 0; r < test_size; ++r) {
            eig_mpi_slice(counts[i], r, test_size, &first, &number);
            CHECK(number == 0 || first == next);
            next += number;
            least = number < least ? number : least, most = number > most ? number : most;
        }
        CHECK(next == counts[i] && most - least <= 1);
    }
    int64_t first, number;
    double a[4 * 9], all[2 * 9], values[2 * 9];
    for (int k = 0; k < 9; ++k) a[4 * k] = k, a[4 * k + 1] = a[4 * k + 2] = 1, a[4 * k + 3] = -k;
    eig_mpi_slice(9, test_rank, test_size, &first, &number);
    eig_context *const local = eig_mpi_local(ctx);
    CHECK(eig_dsyev_batched(local, NULL, 2, a, 2, 4, NULL, all, 2, NULL, 0, 0, NULL, NULL, 9) == EIG_OK);
    CHECK(eig_dsyev_batched(local, NULL, 2, a + 4 * first, 2, 4, NULL, values, 2, NULL, 0, 0, NULL, NULL, number) ==
          EIG_OK);
    CHECK(test_same(values, 0, all, 2 * first, sizeof(double), 2 * number));
}

static void test_options(void)
{
    eig_mpi_options o, expected = EIG_MPI_OPTIONS;
    memset(&o, 0xff, sizeof o);
    eig_mpi_options_init(&o, sizeof o);
    CHECK(o.size == expected.size && o.input == expected.input && o.output == expected.output && o.root == 0);
    eig_mpi_options_init(NULL, sizeof o);
}

/* ------------------------------------------------------------------- a death */

static int die(void *user, double fraction)
{
    (void)user;
    if (fraction > 0 && test_rank == test_size - 1) raise(SIGKILL);
    return 0;
}

/* The last rank is killed in the middle of a long computation: killed.sh looks how it ends. */
static void be_killed(eig_mpi_context *ctx, const char *device)
{
    int64_t const n = strcmp(device, "cpu") == 0 ? 200000 : 1000000;
    test_matrix t = test_make(EIG_D, RANDOM, n);
    double *const values = test_array(sizeof *values, n);
    CHECK(eig_mpi_set_progress(ctx, die, NULL) == EIG_OK);
    if (test_rank == test_size - 1) fprintf(stderr, "rank %d will be killed\n", test_rank);
    eig_mpi_dstebz(ctx, NULL, NULL, n, t.d, t.e, NULL, values, NULL, NULL);
    fprintf(stderr, "rank %d went on\n", test_rank);
}

static void tests(eig_mpi_context *ctx, const char *device)
{
    if (getenv("EIG_TEST_KILLED")) {
        be_killed(ctx, device);
        return;
    }
    for (int i = 0; i < N; ++i) d[i] = 2 + 0.01 * i, e[i] = 1;
    works(ctx);
    test_bad_arguments(ctx);
    test_differences(ctx);
    test_one_fails_in_the_middle(device);
    test_progress(ctx);
    test_cancel_early(ctx, device);
    test_contexts(ctx, device);
    test_threads(ctx, device);
    test_slices(ctx);
    test_options();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, tests);
}
