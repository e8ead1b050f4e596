/* The progress bar and signals.  A signal handler reaches globals only: the one bar of the one terminal, and the ranks. */
#define _DEFAULT_SOURCE /* sigaction, winsize */
#include "run/progress.h"
#include "bench/support/times.h"
#include "io/io.h"
#include "run/say.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR_LEAST = 10, BAR_MOST = 40, NAME_MOST = 20, OF_NAME = 64 }; /* columns; bytes */
static const double first_shown_ms = 500, redraw_ms = 100, line_ms = 1000;

static volatile sig_atomic_t shown;
static struct {
    bool visible, plain; /* plain: lines, for terminals and logs that cannot take a line back */
    const char *phase;   /* what the library's calls do */
    const char *what;    /* what goes on, and of what */
    char name[OF_NAME];
    double quiet, start,
        drawn; /* clock_ms: since when there was no bar; when the phase began, when it was last drawn */
    int tenth; /* of the phase: the last one told in a plain line */
    int64_t part, parts;
} bar = {.phase = "", .what = "", .parts = 1};

static const eig_ranks *ranks; /* NULL: this process is alone */

void progress_of_ranks(const eig_ranks *of)
{
    ranks = of;
}

/* ----------------------------------------------------------------- signals */

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return; /* stderr is closed */
}

/* Ends the program by the signal itself, so that a shell's loop ends too.  Every call here is allowed in a handler. */
static void end_by(int number)
{
    io_remove_temporary();
    if (shown) say("\r\033[K");
    if (number != SIGPIPE && (!ranks || ranks->rank == 0))
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

/* Whole characters of UTF-8 that take up at most *columns, in bytes; *columns becomes what they take up.  One of three
 * bytes or more may be two columns wide. */
static int cut(const char *text, int *columns)
{
    int end = 0, used = 0;
    while (text[end]) {
        int next = end + 1;
        while (((unsigned char)text[next] & 0xc0) == 0x80) next++;
        int const wide = next - end > 2 ? 2 : 1;
        if (used + wide > *columns) break;
        used += wide, end = next;
    }
    *columns = used;
    return end;
}

/* The terminal's width, as it is now; COLUMNS may say less, or what no terminal says. */
static int width(void)
{
    struct winsize size;
    const char *const text = getenv("COLUMNS");
    int const wanted = text ? atoi(text) : 0;
    int const real = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
    if (wanted > 0 && (real == 0 || wanted < real)) return wanted;
    return real > 0 ? real : 80;
}

/* The words beside the bar: "12 s left", and of what. */
static void describe(char time[32], char words[OF_NAME + 32], double fraction, double elapsed)
{
    int columns = NAME_MOST;
    time[0] = words[0] = '\0';
    if (fraction > 0.02 && elapsed > redraw_ms) /* a second at least */
        snprintf(time, 32, "%.0f s left", floor(elapsed / 1000 * (1 - fraction) / fraction) + 1);
    if (bar.what[0]) snprintf(words, OF_NAME + 32, "%.30s %.*s", bar.what, cut(bar.name, &columns), bar.name);
}

/* One line.  The bar takes the room that the words leave.  In a narrow terminal the words are cut first; then bar and
 * time are left out. */
static void draw(double fraction, double elapsed)
{
    char time[32], words[OF_NAME + 32];
    describe(time, words, fraction, elapsed);
    int const time_columns = time[0] ? 2 + (int)strlen(time) : 0;
    int rest = width() - 1 - 5, words_columns = OF_NAME; /* behind the cursor's place and "100 %" */
    if (rest < 0) return;
    cut(words, &words_columns);
    bool const timed = rest >= time_columns;
    if (timed) rest -= time_columns;
    int length = rest - 3 - 2 - words_columns;
    length = length > BAR_MOST ? BAR_MOST : length > BAR_LEAST ? length : rest - 3 >= BAR_LEAST ? BAR_LEAST : 0;
    if (length > 0) rest -= length + 3;
    rest -= 2;
    int const bytes = rest > 0 ? cut(words, &rest) : 0, filled = (int)(fraction * length);
    fputc('\r', stderr);
    if (length > 0)
        fprintf(stderr, "[%.*s%*s] ", filled, "########################################", length - filled, "");
    fprintf(stderr, "%3.0f %%%s%s%s%.*s\033[K", 100 * fraction, timed && time[0] ? "  " : "", timed ? time : "",
            bytes > 0 ? "  " : "", bytes, words);
    fflush(stderr);
}

/* A line for each tenth. */
static void print_line(double fraction, double elapsed)
{
    char time[32], words[OF_NAME + 32];
    describe(time, words, fraction, elapsed);
    size_t const length = strlen(words);
    if (length > 0 && words[length - 1] == ' ') words[length - 1] = '\0'; /* there is no name */
    fprintf(stderr, "eigpack: %s%s%.0f %%%s%s\n", words, words[0] ? ", " : "", 100 * fraction, time[0] ? ", " : "",
            time);
}

void progress_at(const char *what, const char *name, double fraction)
{
    if (!bar.visible) return;
    double const now = clock_ms();
    const char *const slash = strrchr(name, '/');
    const char *const end = slash && slash[1] ? slash + 1 : name;
    if (strcmp(what, bar.what) != 0 || strncmp(end, bar.name, OF_NAME - 1) != 0) {
        bar.what = what, bar.start = now, bar.tenth = 0;
        io_escape(bar.name, sizeof bar.name, end);
    }
    if (fraction >= 1) {
        progress_clear();
    } else if (bar.plain) {
        int const tenth = (int)(10 * fraction);
        if (tenth <= bar.tenth || now - bar.quiet < line_ms || now - bar.drawn < line_ms) return;
        print_line(fraction, now - bar.start);
        bar.drawn = now, bar.tenth = tenth;
    } else if (now - bar.quiet > first_shown_ms && now - bar.drawn > redraw_ms) {
        shown = true;
        draw(fraction < 0 ? 0 : fraction, now - bar.start);
        bar.drawn = now;
    }
}

/* No bar where the numbers themselves go to the terminal. */
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
    const char *const terminal = getenv("TERM"), *const no_colour = getenv("NO_COLOR");
    bar.visible = visible;
    say_after(progress_clear);
    bar.plain = (terminal && strcmp(terminal, "dumb") == 0) || (no_colour && no_colour[0]);
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
    if (ranks) ranks->show(show, NULL);
    if (bar.visible || ranks) eig_set_progress(ctx, on_progress, NULL);
    bar.phase = "";
    progress_part(0, 1);
}

void progress_phase(const char *what)
{
    bar.phase = bar.what = what;
    bar.name[0] = '\0';
    bar.tenth = 0;
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
