/* The ranks of a program that mpirun started, working as one. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "run/ranks.h"
#include "parts.h"
#include "run/progress.h"
#include "run/ranks_open.h"
#include "run/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const eig_ranks *ranks; /* NULL: alone */
static char kept[1024];        /* this rank's sentence */
static bool over;              /* an agreement has failed: there are no more */

/* Keeps what this rank would say until they agree; false: it is alone, and may say it. */
static bool ranks_keep(const char *sentence)
{
    if (ranks && kept[0] == '\0') snprintf(kept, sizeof kept, "%s", sentence);
    return ranks != NULL;
}

int ranks_open(void)
{
    int const status = ranks_load(&ranks);
    if (ranks) progress_of_ranks(ranks), say_through(ranks_keep);
    if (status == CLI_OK && ranks_rank() > 0 && !freopen("/dev/null", "w", stdout))
        return cli_fail(CLI_FAILED, "/dev/null cannot be opened");
    return status;
}

int ranks_end(int status)
{
    status = ranks_agree(status);
    if (!ranks) return status;
    /* All is done and printed.  Once a rank ends with a status other than 0, mpirun ends the others by a signal.  So no
     * rank ends before all ranks ignore that signal, in all threads, MPI's too.  A user's signal to mpirun arrives
     * here, too; mpirun itself does not report it. */
    progress_outlive_signals(status == CLI_OK && ranks->rank == 0);
    ranks->barrier();
    ranks->finish();
    ranks = NULL;
    progress_of_ranks(NULL);
    return status;
}

bool ranks_several(void)
{
    return ranks != NULL;
}

int ranks_rank(void)
{
    return ranks ? ranks->rank : 0;
}

int ranks_size(void)
{
    return ranks ? ranks->size : 1;
}

const eig_ranks *ranks_table(void)
{
    return ranks;
}

int ranks_agree(int status)
{
    int from = 0;
    if (!ranks || over) return status;
    if (status > 0) ranks->stop();
    int const all = ranks->agree(status, kept, sizeof kept, &from);
    if (all == CLI_OK) return CLI_OK;
    over = true;
    if (ranks->rank == 0 && kept[0] && from == 0) fprintf(stderr, "eigpack: %s\n", kept);
    if (ranks->rank == 0 && kept[0] && from > 0) fprintf(stderr, "eigpack: rank %d: %s\n", from, kept);
    return all > 0 ? all : CLI_FAILED;
}

void ranks_part(int64_t count, int64_t *first, int64_t *mine)
{
    int const rank = ranks_rank(), size = ranks_size();
    *first = eig_part_begin(count, size, rank);
    *mine = eig_part_begin(count, size, rank + 1) - *first;
}

void ranks_sum(int64_t *value)
{
    if (ranks) ranks->sum(value, 1);
}

void ranks_largest(double *values, int count)
{
    if (ranks) ranks->largest(values, count);
}

/* ------------------------------------------------------------------- files */

static int said(bool good, const io_error *error)
{
    return good ? CLI_OK : cli_fail(CLI_FAILED, "%s", error->text);
}

/* Rank 0 sends the name of its temporary file; the others open that file too. */
static bool join(io_sink *sink, io_error *error)
{
    char name[4096] = "";
    if (!sink->path) return true;
    if (sink->whole) return ranks->rank == 0 || io_sink_hold_part(sink, error);
    if (ranks->rank == 0) snprintf(name, sizeof name, "%s", io_sink_temporary(sink));
    ranks->broadcast(name, sizeof name, 0);
    return ranks->rank == 0 || io_sink_join(sink, name, error);
}

int ranks_sinks_open(io_sink *sinks, int count)
{
    io_error error;
    if (!ranks) return said(io_sinks_open(sinks, count, &error), &error);
    for (int k = 0; k < count; k++) sinks[k].whole = sinks[k].path && !io_sink_can_join(sinks[k].path);
    int status = ranks_agree(ranks->rank > 0 ? CLI_OK : said(io_sinks_open(sinks, count, &error), &error));
    if (status != CLI_OK) return status;
    bool good = true;
    for (int k = 0; k < count; k++) {
        io_error own;
        if (join(&sinks[k], &own) || !good) continue;
        good = false, error = own;
    }
    return ranks_agree(said(good, &error));
}

/* What a rank wrote, at its place on rank 0. */
static void take_part(io_sink *sink, int from)
{
    io_run run;
    int64_t runs;
    size_t const size = io_type_size(sink->a.type);
    ranks->receive(&runs, sizeof runs, from);
    for (int64_t i = 0; i < runs; i++) {
        ranks->receive(&run, sizeof run, from);
        ranks->receive((char *)sink->a.data + (size_t)run.first * size, (size_t)run.count * size, from);
    }
}

static void give_part(io_sink *sink)
{
    size_t const size = io_type_size(sink->a.type);
    ranks->send(&sink->runs, sizeof sink->runs);
    for (int64_t i = 0; i < sink->runs; i++) {
        const io_run *const run = &sink->run[i];
        ranks->send(run, sizeof *run);
        ranks->send((char *)sink->a.data + (size_t)run->first * size, (size_t)run->count * size);
    }
    io_sink_drop(sink);
}

static void collect(io_sink *sink)
{
    if (!sink->whole) return;
    for (int from = 1; ranks->rank == 0 && from < ranks->size; from++) take_part(sink, from);
    if (ranks->rank > 0) give_part(sink);
}

int ranks_sinks_close(io_sink *sinks, int count)
{
    io_error error;
    if (!ranks) return said(io_sinks_close(sinks, count, &error), &error);
    int const status = ranks_agree(said(io_sinks_settle(sinks, count, &error), &error));
    if (status != CLI_OK) return status;
    for (int k = 0; k < count; k++) collect(&sinks[k]);
    return ranks_agree(said(io_sinks_publish(sinks, count, &error), &error));
}

/* ---------------------------------------------------------------- printing */

static struct {
    FILE *file;
    char *text;
    size_t length;
    bool lost; /* for want of memory */
} printed;     /* by a rank other than 0 */

static FILE *out(void)
{
    if (ranks_rank() == 0) return stdout;
    if (!printed.file && !printed.lost) printed.file = open_memstream(&printed.text, &printed.length);
    printed.lost |= !printed.file;
    return printed.file ? printed.file : stdout; /* which goes nowhere; ranks_print tells */
}

/* A stream of memory does not keep its error: glibc's ferror and fclose do not report it. */
void ranks_printf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool const good = vfprintf(out(), format, args) >= 0;
    va_end(args);
    if (ranks_rank() > 0) printed.lost |= !good;
}

enum { PIECE = 1 << 16 }; /* of a text in progress */

/* Prints what another rank sends. */
static bool print_part(int from)
{
    static char piece[PIECE];
    int64_t left;
    bool good = true;
    for (ranks->receive(&left, sizeof left, from); left > 0; left -= PIECE) {
        size_t const some = left < PIECE ? (size_t)left : PIECE;
        ranks->receive(piece, some, from);
        good = good && fwrite(piece, 1, some, stdout) == some;
    }
    return good;
}

static void give_text(void)
{
    int64_t const length = (int64_t)printed.length;
    ranks->send(&length, sizeof length);
    for (int64_t done = 0; done < length; done += PIECE)
        ranks->send(printed.text + done, (size_t)(length - done < PIECE ? length - done : PIECE));
}

int ranks_print(void)
{
    bool good = !printed.lost;
    if (!ranks) return CLI_OK;
    if (printed.file) good = fclose(printed.file) == 0 && good;
    printed.file = NULL;
    int const status = ranks_agree(good ? CLI_OK : cli_fail(CLI_FAILED, "no memory for what is printed"));
    for (int from = 1; status == CLI_OK && ranks->rank == 0 && from < ranks->size; from++)
        good = print_part(from) && good;
    if (status == CLI_OK && ranks->rank > 0) give_text();
    free(printed.text);
    printed.text = NULL, printed.length = 0;
    if (status != CLI_OK) return status;
    return good ? CLI_OK : cli_fail(CLI_FAILED, "cannot write to standard output");
}
