/* A batch in slices, through three stages that overlap: see stream.h. */
#define _POSIX_C_SOURCE 200809L /* sysconf, sigset_t */
#include "run/stream.h"
#include "bench/support/times.h"
#include "run/memory.h"
#include "run/progress.h"
#include "run/ranks.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the threads share.  A slice goes from `taken` to `read` to `solved` to `written`. */
typedef struct pipeline {
    stream *s;
    int64_t count, slices; /* problems in a slice, except for the last one */
    int slots;
    int workers;                    /* 0: a thread for each stage */
    eig_context *ctx[STREAM_SLOTS]; /* of the workers */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int64_t taken, read, solved, written; /* slices that are through a stage */
    cli_times times;
    bool stopped;
    int status;     /* of the stage that failed first; its sentence, where there is one */
    io_error error; /* "": it was said */
} pipeline;

static stream_slice slice_of(const pipeline *p, int64_t k, int slot, eig_context *ctx)
{
    int64_t const begin = k * p->count, left = p->s->batch - begin;
    return (stream_slice){p->s->first + begin, left < p->count ? left : p->count, slot, ctx};
}

static stream_slice slice_in_turn(const pipeline *p, int64_t k)
{
    return slice_of(p, k, (int)(k % p->slots), p->s->ctx);
}

/* ------------------------------------------------------------------ stages */

/* Waits until *counter is more than k; false: the run has to stop. */
static bool wait_for(pipeline *p, const int64_t *counter, int64_t k)
{
    pthread_mutex_lock(&p->mutex);
    while (!p->stopped && *counter <= k) pthread_cond_wait(&p->changed, &p->mutex);
    bool const go = !p->stopped;
    pthread_mutex_unlock(&p->mutex);
    return go;
}

/* One more slice is through a stage, which took until now; the context's passes are added where it is not NULL.  Or the
 * stage has failed, with a sentence where error is not NULL. */
static bool pass_on(pipeline *p, int64_t *counter, int status, const io_error *error, double *ms, double start,
                    eig_context *ctx)
{
    pthread_mutex_lock(&p->mutex);
    if (ms) *ms += clock_ms() - start;
    if (status == CLI_OK) {
        ++*counter;
        if (ctx) cli_add_passes(&p->times, ctx);
    } else if (!p->stopped) {
        p->stopped = true, p->status = status;
        if (error) p->error = *error;
    }
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->mutex);
    return status == CLI_OK;
}

static bool read_slice(pipeline *p, const stream_slice *slice)
{
    io_error error = {""};
    double const start = clock_ms();
    bool const good = p->s->read(p->s->job, slice, &error);
    return pass_on(p, &p->read, good ? CLI_OK : CLI_USAGE, &error, &p->times.read_ms, start, NULL);
}

static bool solve_slice(pipeline *p, const stream_slice *slice)
{
    double const start = clock_ms();
    int const status = p->s->solve(p->s->job, slice);
    return pass_on(p, &p->solved, status, NULL, &p->times.solve_ms, start, slice->ctx);
}

/* By the thread that shows progress, which may stop the run. */
static bool solve_in_turn(pipeline *p, int64_t k)
{
    stream_slice const slice = slice_in_turn(p, k);
    progress_part(k, p->slices);
    if (!solve_slice(p, &slice)) return false;
    bool const tells = p->slices > 1 || ranks_several();
    if (!tells || !progress_done((double)(k + 1) / (double)p->slices)) return true;
    return pass_on(p, NULL, CLI_STOPPED, NULL, NULL, 0, NULL);
}

static bool write_slice(pipeline *p, const stream_slice *slice)
{
    io_error error = {""};
    double const start = clock_ms();
    bool const good = p->s->write(p->s->job, slice, &error);
    return pass_on(p, &p->written, good ? CLI_OK : CLI_FAILED, &error, &p->times.write_ms, start, NULL);
}

static void *read_all(void *shared)
{
    pipeline *const p = (pipeline *)shared;
    for (int64_t k = 0; k < p->slices; k++) {
        stream_slice const slice = slice_in_turn(p, k);
        if (!wait_for(p, &p->written, k - p->slots) || !read_slice(p, &slice)) break;
    }
    return NULL;
}

static void *write_all(void *shared)
{
    pipeline *const p = (pipeline *)shared;
    for (int64_t k = 0; k < p->slices; k++) {
        stream_slice const slice = slice_in_turn(p, k);
        if (!wait_for(p, &p->solved, k) || !write_slice(p, &slice)) break;
    }
    return NULL;
}

/* ----------------------------------------------------------------- workers */

typedef struct worker {
    pipeline *p;
    int number;
} worker;

/* The next slice for a worker; -1: there is none, or the run has to stop. */
static int64_t take(pipeline *p)
{
    pthread_mutex_lock(&p->mutex);
    int64_t const k = p->stopped || p->taken == p->slices ? -1 : p->taken++;
    pthread_mutex_unlock(&p->mutex);
    return k;
}

/* Slice after slice through all stages. The thread that has the first slice not yet written never waits. */
static void *run_worker(void *of)
{
    const worker *const w = (const worker *)of;
    pipeline *const p = w->p;
    for (int64_t k; (k = take(p)) >= 0;) {
        stream_slice const slice = slice_of(p, k, w->number, p->ctx[w->number]);
        if (!read_slice(p, &slice) || !solve_slice(p, &slice)) break;
        if (w->number == 0) progress_done((double)(k + 1) / (double)p->slices);
        if ((!p->s->any_order && !wait_for(p, &p->written, k - 1)) || !write_slice(p, &slice)) break;
    }
    return NULL;
}

/* Contexts of one thread each, as the caller's. */
static int open_workers(pipeline *p, bool timing)
{
    int status = CLI_OK;
    for (int i = 0; i < p->workers && status == CLI_OK; i++) {
        eig_status const created = eig_create(&p->ctx[i], "cpu");
        status = cli_status(p->ctx[i], created);
        if (status == CLI_OK) status = cli_status(p->ctx[i], eig_set_threads(p->ctx[i], 1));
        if (status == CLI_OK) status = cli_status(p->ctx[i], eig_set_timing(p->ctx[i], timing));
    }
    return status;
}

/* Where fewer threads can be started, these do all. */
static void run_workers(pipeline *p)
{
    pthread_t thread[STREAM_SLOTS];
    worker w[STREAM_SLOTS];
    sigset_t all, before;
    int started = 1;
    for (int i = 0; i < p->workers; i++) w[i] = (worker){p, i};
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    while (started < p->workers && pthread_create(&thread[started], NULL, run_worker, &w[started]) == 0) started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    run_worker(&w[0]);
    for (int i = 1; i < started; i++) pthread_join(thread[i], NULL);
    /* What all have spent, as the time in which they did it. */
    double *const ms[] = {&p->times.read_ms, &p->times.solve_ms, &p->times.write_ms};
    for (int i = 0; i < 3; i++) *ms[i] /= started;
    for (int i = 0; i < p->times.passes; i++) p->times.pass[i].ms /= started;
}

/* ----------------------------------------------------------------- threads */

static void run_in_turn(pipeline *p)
{
    for (int64_t k = 0; k < p->slices; k++) {
        stream_slice const slice = slice_in_turn(p, k);
        if (!read_slice(p, &slice) || !solve_in_turn(p, k) || !write_slice(p, &slice)) break;
    }
}

/* Signals stay with the thread that computes: its handler ends the program while that thread renames nothing. */
static int start(pthread_t thread[2], pipeline *p)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int started = 0;
    if (pthread_create(&thread[started], NULL, read_all, p) == 0) started++;
    if (started == 1 && pthread_create(&thread[started], NULL, write_all, p) == 0) started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void run_at_once(pipeline *p)
{
    pthread_t thread[2];
    int const started = start(thread, p);
    if (started == 2) {
        for (int64_t k = 0; k < p->slices; k++)
            if (!wait_for(p, &p->read, k) || !solve_in_turn(p, k)) break;
    } else {
        io_error const error = {"no thread can be started to read or write"};
        pass_on(p, NULL, CLI_FAILED, &error, NULL, 0, NULL);
    }
    for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
}

/* ------------------------------------------------------------------ slices */

static int64_t slices_of(const stream *s, int64_t count)
{
    return count > 0 ? (s->batch + count - 1) / count : 0;
}

static int slots_of(const stream *s, int64_t count)
{
    int64_t const slices = slices_of(s, count);
    return slices < STREAM_STAGES ? (int)slices : STREAM_STAGES;
}

static bool fits(const stream *s, int64_t count, int slots, int64_t budget)
{
    int64_t const work = s->work ? (int64_t)s->work(s->job, count) : 0;
    int64_t const left = budget - s->loaded - s->held - work;
    return left >= 0 && count <= left / slots / (s->bytes > 0 ? s->bytes : 1);
}

/* The GPUs of a context, by what describes it: "cuda:0,1 ..."; 0: a CPU. */
static int64_t gpus_of(eig_context *ctx)
{
    int64_t gpus = cli_on_cpu(ctx) ? 0 : 1;
    for (const char *at = eig_describe(ctx); gpus > 0 && *at && *at != ' '; at++) gpus += *at == ',';
    return gpus;
}

/* Workers, and how many problems a slice of theirs has; 0: none.  2 MB stay in a core's cache, 32 KB and 16 problems
 * are worth taking; larger problems want all threads for themselves. */
static int workers_of(const stream *s, int64_t budget, int64_t *count)
{
    enum { LARGE = 1 << 16, SLICE = 2 << 20, LEAST = 1 << 15, TILE = 16 };
    const char *const text = eig_describe(s->ctx), *const comma = strchr(text, ',');
    int threads = 0;
    if (!cli_on_cpu(s->ctx) || ranks_several() || s->bytes < 1 || s->bytes > LARGE) return 0;
    if (!comma || sscanf(comma, ", %d", &threads) != 1 || threads < 2) return 0;
    if (threads > STREAM_SLOTS) threads = STREAM_SLOTS;
    int64_t const least = LEAST / s->bytes > TILE ? LEAST / s->bytes : TILE;
    *count = SLICE / s->bytes / TILE * TILE;
    while (*count >= least && !fits(s, *count, threads, budget)) *count = *count * 3 / 4 / TILE * TILE;
    return *count >= least && slices_of(s, *count) >= 4 * threads ? threads : 0;
}

/* Slices of a megabyte a core, 8 MB at least, and enough problems for every thread: small slices stay in the caches and
 * let the stages overlap.  A GPU gets 32 MB and cuts them into chunks: with 655 MB in and out all sizes took 0.7 to 1.1
 * s on an H200, with no clear order. */
static int64_t count_of(const stream *s, int64_t budget)
{
    int64_t const gpus = gpus_of(s->ctx), cores = (int64_t)sysconf(_SC_NPROCESSORS_ONLN);
    int64_t const target = (gpus > 0 ? 32 * gpus : cores > 8 ? cores : 8) << 20;
    int64_t const least = gpus > 0 ? 256 * gpus : 16 * cores;
    int64_t count = target / (s->bytes > 0 ? s->bytes : 1);
    if (count < least) count = least;
    if (count > s->batch) count = s->batch;
    while (count > 1 && !fits(s, count, slots_of(s, count), budget)) count -= (count + 3) / 4;
    int64_t const slices = (s->batch + count - 1) / count;
    return (s->batch + slices - 1) / slices; /* equal slices */
}

static int make_slots(pipeline *p)
{
    for (int slot = 0; slot < p->slots; slot++)
        if (!p->s->make(p->s->job, slot, p->count))
            return cli_fail(CLI_FAILED, "no memory for %d slices of %lld each: %s", p->slots, (long long)p->count,
                            p->s->what);
    return CLI_OK;
}

static int run(pipeline *p, bool timing)
{
    int status = make_slots(p);
    if (status == CLI_OK) status = open_workers(p, timing);
    if (status != CLI_OK) return status;
    p->times = p->s->times;
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->changed, NULL);
    progress_files(p->slices <= 1);
    if (p->workers > 0)
        run_workers(p);
    else if (p->slices > 1)
        run_at_once(p);
    else
        run_in_turn(p);
    progress_files(true);
    progress_clear();
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->mutex);
    p->s->times = p->times;
    if (p->status != CLI_OK && p->error.text[0]) return cli_fail(p->status, "%s", p->error.text);
    return p->status;
}

/* Compares what the smallest slices need with what is free. */
static int refuse(const stream *s, int64_t count, int64_t all, bool asked)
{
    char needed[IO_SIZE_TEXT], there[IO_SIZE_TEXT];
    double const work = s->work ? (double)s->work(s->job, count) : 0;
    double const need = (double)s->bytes * slots_of(s, count) * (double)count + work + (double)(s->loaded + s->held);
    io_size_text(needed, need < 0x1p62 ? (int64_t)need : INT64_MAX), io_size_text(there, all);
    if (asked)
        return cli_fail(CLI_USAGE, "a %s at a time needs %s, --memory gives %s: give more", s->what, needed, there);
    return cli_fail(CLI_FAILED, "a %s at a time needs %s, %s are free%s", s->what, needed, there,
                    s->loaded + s->held > 0 ? ": try .npy files, which are read and written in slices" : "");
}

int stream_run(stream *s, const arguments *args)
{
    int64_t asked = 0;
    if (!option_size(args, "memory", &asked)) return CLI_USAGE;
    if (s->batch == 0) return CLI_OK;
    int64_t const shares = ranks_several() ? ranks_table()->host_size : 1, own = s->loaded + s->held;
    int64_t const all = asked > 0 ? asked : memory_free() / shares + s->loaded;
    int64_t const budget = asked > 0 || all < own ? all : own + (all - own) / 4;
    int64_t count = 0;
    int const workers = workers_of(s, budget, &count);
    if (workers == 0) count = count_of(s, budget);
    int const slots = workers > 0 ? workers : slots_of(s, count);
    if (!fits(s, count, slots, all)) return refuse(s, count, all, asked > 0);
    pipeline p = {.s = s, .count = count, .slices = slices_of(s, count), .slots = slots, .workers = workers};
    int const status = run(&p, option_given(args, "timing"));
    for (int i = 0; i < workers; i++) eig_destroy(p.ctx[i]);
    return status;
}

void stream_count_failed(cli_failures *failed, const int *info, int64_t n, const stream_slice *s)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    for (int64_t b = 0; b < s->count; b++)
        if (info[b] != 0) cli_add_failure(failed, s->first + b), failed->vectors += info[b] == n + 1;
    pthread_mutex_unlock(&mutex);
}

int64_t stream_held(const io_sink *sinks, int count)
{
    int64_t bytes = 0;
    for (int k = 0; k < count; k++) bytes += io_sink_held(&sinks[k]);
    /* Ranks other than the first touch little more than their part. */
    return ranks_rank() > 0 ? bytes / ranks_size() : bytes;
}

/* ----------------------------------------------------------------- numbers */

static bool convert(const io_source *source, int64_t first, int64_t count, numbers *x, int64_t to, io_error *error)
{
    enum { SOME = 1 << 14 };
    void *const piece = malloc(SOME * io_type_size(source->a.type));
    if (!piece) {
        snprintf(error->text, sizeof error->text, "no memory to convert numbers of %.200s", source->path);
        return false;
    }
    int64_t const all = io_array_count(&source->a);
    bool good = true;
    for (int64_t done = 0; done < count && good; done += SOME) {
        int64_t const some = count - done < SOME ? count - done : SOME;
        io_slab const slab = {1, all, 1, first + done, some};
        good = io_source_read(source, &slab, piece, error);
        io_array const part = {.type = source->a.type, .rank = 1, .shape = {some}, .data = piece};
        if (good) numbers_put(x, to + done, &part);
    }
    free(piece);
    return good;
}

bool stream_numbers(const io_source *source, const io_slab *slab, numbers *x, io_error *error)
{
    if (source->a.type == type_in_file(x->type)) return io_source_read(source, slab, x->data, error);
    int64_t const run = slab->count * slab->inner;
    for (int64_t k = 0; k < slab->outer; k++) {
        int64_t const first = (k * slab->batch + slab->first) * slab->inner;
        if (!convert(source, first, run, x, k * run, error)) return false;
    }
    return true;
}
