/* The program's ranks under mpirun (cli/run/ranks_open.h), run with 1 and more ranks: every rank checks, and exit status 0 says
 * that all were content.  With one rank the loader finds that nobody started several. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "../../cli/run/ranks_open.h"

#include "../../cli/run/say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int failures;

/* In place of the program's. */
int cli_fail(int status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    return status;
}

#define CHECK(cond)                                                            \
    do {                                                                       \
        if (!(cond)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #cond); \
            ++failures;                                                        \
        }                                                                      \
    } while (0)

static double shown;
static int shows;

static void remember(void *user, double fraction)
{
    (void)user;
    CHECK(fraction >= shown && fraction <= 1);
    shown = fraction;
    ++shows;
}

static void check_collectives(const eig_ranks *r)
{
    int64_t sums[2] = {r->rank, 1};
    double most = r->rank;
    char word[64] = "";
    r->sum(sums, 2);
    CHECK(sums[0] == (int64_t)r->size * (r->size - 1) / 2 && sums[1] == r->size);
    r->largest(&most, 1);
    CHECK(most == r->size - 1);
    if (r->rank == r->size - 1) strcpy(word, "from the last");
    r->broadcast(word, sizeof word, r->size - 1);
    CHECK(strcmp(word, "from the last") == 0);
    r->barrier();
}

/* Every rank sends rank 0 some words, of which none has a length of its own; rank 0 takes the last rank's first. */
static void check_messages(const eig_ranks *r)
{
    char text[16];
    for (int from = r->size - 1; from > 0; --from)
        for (int i = 0; i < 3; ++i) {
            int const length = snprintf(text, sizeof text, "%d", 1000 * from + i);
            if (r->rank == from) r->send(text, (size_t)length);
            char got[16] = "";
            if (r->rank == 0) r->receive(got, (size_t)length, from);
            CHECK(r->rank > 0 || strcmp(got, text) == 0);
        }
}

static void check_agreement(const eig_ranks *r)
{
    char sentence[80] = "nobody";
    int from = -1;
    CHECK(r->agree(0, sentence, sizeof sentence, &from) == 0);
    /* Two ranks fail: the lower one is heard. */
    bool const bad = r->rank == 1 || r->rank == r->size - 1;
    snprintf(sentence, sizeof sentence, "rank %d is full", r->rank);
    CHECK(r->agree(bad ? 40 + r->rank : 0, sentence, sizeof sentence, &from) == 41);
    CHECK(from == 1 && strcmp(sentence, "rank 1 is full") == 0);
}

static void wait_ms(int ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

/* Fractions reach rank 0, also while it waits. */
static void check_progress(const eig_ranks *r)
{
    char sentence[8] = "";
    int from;
    shown = shows = 0;
    if (r->rank == 0) r->show(remember, NULL);
    for (int i = 0; i <= (r->rank == 0 ? 0 : 10); ++i, wait_ms(25)) CHECK(r->progress(r->rank == 0 ? 1 : 0.1 * i) == 0);
    CHECK(r->agree(0, sentence, sizeof sentence, &from) == 0);
    if (r->rank == 0) CHECK(shows >= 3 && shown > 0.5);
    r->show(NULL, NULL);
}

/* The last rank fails midway: the others hear of it, and what it says is what counts. */
static void check_stop(const eig_ranks *r)
{
    char sentence[80] = "stopped";
    int from, stopped = 0, status = EIG_RANKS_STOPPED;
    if (r->rank == r->size - 1) {
        strcpy(sentence, "the disk is full");
        status = 7;
        r->stop();
    }
    for (int i = 0; i < 400 && status < 0 && !stopped; ++i, wait_ms(5)) stopped = r->progress(0.5);
    CHECK(stopped || status == 7);
    CHECK(r->agree(status, sentence, sizeof sentence, &from) == 7);
    CHECK(from == r->size - 1 && strcmp(sentence, "the disk is full") == 0);
    CHECK(r->progress(0) == 0);
    CHECK(r->agree(0, sentence, sizeof sentence, &from) == 0);
}

int main(int argc, char **argv)
{
    const eig_ranks *r;
    int const wanted = argc > 1 ? atoi(argv[1]) : 1, status = ranks_load(&r);
    if (status != 0) return status;
    if (!r) {
        CHECK(wanted == 1);
        return failures > 0;
    }
    const char *const each = getenv("EIG_TEST_HOST"); /* ranks of a host, else all; see hosts.c */
    int const of_host = each ? atoi(each) : r->size;
    CHECK(r->size == wanted && r->host_size == of_host && r->host_rank == r->rank % of_host);
    CHECK(strlen(r->library) > 3 && !strchr(r->library, '\n'));
    check_collectives(r);
    check_messages(r);
    check_agreement(r);
    for (int i = 0; i < 3; ++i) {
        check_progress(r);
        check_stop(r);
    }
    r->finish();
    return failures > 0;
}
