/* The progress bar and signals.  A signal handler can reach nothing but globals: the one bar of the one terminal, and in
 * together.c the ranks. */
#define _POSIX_C_SOURCE 200809L /* sigaction */
#include "progress.h"
#include "bench/support/times.h"
#include "cli.h"
#include "together.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 40, NAME_WIDTH = 20, OF_NAME = 64 };
static const double first_shown_ms = 500, redraw_ms = 100;

static volatile sig_atomic_t shown;
static struct {
    bool visible;
    const char *phase; /* what the library's calls do */
    const char *what;  /* what goes on, and of what */
    char name[OF_NAME];
    double quiet, start,
        drawn; /* clock_ms: since when there was no bar; when the phase began, when it was last drawn */
    int64_t part, parts;
} bar = {.phase = "", .what = "", .parts = 1};

/* ----------------------------------------------------------------- signals */

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return; /* there is nobody left to tell */
}

/* Ends the program by the signal itself, so that a shell's loop ends too.  Every call here is allowed in a handler. */
static void end_by(int number)
{
    io_remove_temporary();
    if (shown) say("\r\033[K");
    if (number != SIGPIPE && together_rank() == 0)
        say(io_output_begun() ? "eigpack: stopped before everything was written\n"
                              : "eigpack: stopped; nothing was written\n");
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, number);
    signal(number, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &own, NULL);
    raise(number);
    _exit(128 + number);
}

/* All but those that the program was started to ignore. */
static void on_signals(void (*handler)(int))
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action, before;
        memset(&action, 0, sizeof action);
        action.sa_handler = handler;
        action.sa_flags = SA_RESTART;
        sigfillset(&action.sa_mask); /* one signal ends it; another one meanwhile says nothing new */
        sigaction(signals[i], &action, &before);
        if (before.sa_handler == SIG_IGN) sigaction(signals[i], &before, NULL);
    }
}

void progress_catch_signals(void)
{
    on_signals(end_by);
}

static volatile sig_atomic_t may_tell;

static void go_on(int number)
{
    if (may_tell && number != SIGPIPE) say("eigpack: stopped; everything was written\n");
    may_tell = false;
}

void progress_outlive_signals(bool tell)
{
    may_tell = tell;
    on_signals(go_on);
}

/* --------------------------------------------------------------------- bar */

/* Bytes of the name that are shown: whole characters of UTF-8. */
static int shown_bytes(const char *name)
{
    if (strlen(name) <= NAME_WIDTH) return (int)strlen(name);
    int end = NAME_WIDTH;
    while (end > 0 && ((unsigned char)name[end] & 0xc0) == 0x80) end--;
    return end;
}

static void draw(double fraction, double elapsed)
{
    int const filled = (int)(fraction * BAR_WIDTH);
    fprintf(stderr, "\r[%.*s%*s] %3.0f %%", filled, "########################################", BAR_WIDTH - filled, "",
            100 * fraction);
    if (fraction > 0.02 && elapsed > redraw_ms)
        fprintf(stderr, "  %.0f s left", elapsed / 1000 * (1 - fraction) / fraction);
    if (bar.what[0]) fprintf(stderr, "  %s %.*s", bar.what, shown_bytes(bar.name), bar.name);
    fputs(" \033[K", stderr);
    fflush(stderr);
}

void progress_at(const char *what, const char *name, double fraction)
{
    if (!bar.visible) return;
    double const now = clock_ms();
    const char *const slash = strrchr(name, '/');
    const char *const end = slash && slash[1] ? slash + 1 : name;
    if (strcmp(what, bar.what) != 0 || strncmp(end, bar.name, OF_NAME - 1) != 0) {
        bar.what = what, bar.start = now;
        snprintf(bar.name, sizeof bar.name, "%s", end);
    }
    if (fraction >= 1) {
        progress_clear();
    } else if (now - bar.quiet > first_shown_ms && now - bar.drawn > redraw_ms) {
        shown = true;
        draw(fraction < 0 ? 0 : fraction, now - bar.start);
        bar.drawn = now;
    }
}

/* Where the numbers themselves go to the terminal there is no room for a bar. */
static void on_file(const char *what, const char *path, double fraction)
{
    static int terminal = -1;
    if (io_is_standard_output(path)) {
        if (terminal < 0) terminal = isatty(STDOUT_FILENO);
        if (terminal) return;
        path = "";
    }
    progress_at(what, path, fraction);
}

void progress_show(bool visible)
{
    bar.visible = visible;
    bar.quiet = clock_ms();
    io_watch(visible ? on_file : NULL);
}

void progress_files(bool shown_too)
{
    io_watch(bar.visible && shown_too ? on_file : NULL);
}

static void show(void *user, double fraction)
{
    (void)user;
    progress_at(bar.phase, "", fraction < 1 ? fraction : 0.999);
}

bool progress_done(double fraction)
{
    const eig_ranks *const ranks = together_ranks();
    if (ranks) return ranks->progress(fraction) != 0;
    show(NULL, fraction);
    return false;
}

static int on_progress(void *user, double fraction)
{
    (void)user;
    return progress_done(((double)bar.part + fraction) / (double)bar.parts);
}

void progress_attach(eig_context *ctx)
{
    const eig_ranks *const ranks = together_ranks();
    if (ranks) ranks->show(show, NULL);
    if (bar.visible || ranks) eig_set_progress(ctx, on_progress, NULL);
    bar.phase = "";
    progress_part(0, 1);
}

void progress_phase(const char *what)
{
    bar.phase = bar.what = what;
    bar.name[0] = '\0';
    bar.quiet = clock_ms();
    progress_part(0, 1);
}

void progress_part(int64_t part, int64_t parts)
{
    bar.part = part;
    bar.parts = parts;
    if (part == 0) bar.start = clock_ms();
}

void progress_clear(void)
{
    if (shown) fprintf(stderr, "\r\033[K");
    shown = false;
}
