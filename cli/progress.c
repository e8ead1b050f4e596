/* The progress bar and Ctrl-C.  A signal handler can reach nothing but globals, so this file has the program's only
 * ones: the signal that came, and the one bar of the one terminal. */
#define _POSIX_C_SOURCE 200809L /* sigaction */
#include "progress.h"
#include "bench/support/times.h"
#include "cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { BAR_WIDTH = 40 };
static const double first_shown_ms = 500, redraw_ms = 100;

static volatile sig_atomic_t caught;
static struct {
    bool visible, shown;
    double start, drawn; /* clock_ms: when the run began, when the bar was last drawn */
    int64_t part, parts;
} bar = {.parts = 1};

/* Notes the first signal.  Another one after a second or more ends the program at once; one that comes together with
 * the first (timeout(1) signals the process and then its group) says nothing new. */
static void note_signal(int number)
{
    static time_t first;
    if (caught && time(NULL) - first > 1) {
        signal(number, SIG_DFL);
        raise(number);
    }
    if (caught) return;
    caught = number;
    first = time(NULL);
}

void progress_catch_signals(void)
{
    int const signals[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = note_signal;
        action.sa_flags = SA_RESTART;
        sigaction(signals[i], &action, NULL);
    }
}

int progress_signal(void)
{
    return caught;
}

static void draw(double fraction, double elapsed)
{
    int const filled = (int)(fraction * BAR_WIDTH);
    fprintf(stderr, "\r[%.*s%*s] %3.0f %%", filled, "########################################", BAR_WIDTH - filled, "",
            100 * fraction);
    if (fraction > 0.02) fprintf(stderr, "  %.0f s left ", elapsed / 1000 * (1 - fraction) / fraction);
    fflush(stderr);
}

static int on_progress(void *user, double fraction)
{
    (void)user;
    if (bar.visible) {
        double const now = clock_ms();
        double const whole = ((double)bar.part + fraction) / (double)bar.parts;
        if (now - bar.start > first_shown_ms && now - bar.drawn > redraw_ms) {
            draw(whole < 0 ? 0 : whole > 1 ? 1 : whole, now - bar.start);
            bar.drawn = now;
            bar.shown = true;
        }
    }
    return caught != 0;
}

void progress_attach(eig_context *ctx, bool visible)
{
    bar.visible = visible;
    bar.start = clock_ms();
    eig_set_progress(ctx, on_progress, NULL);
}

void progress_part(int64_t part, int64_t parts)
{
    bar.part = part;
    bar.parts = parts;
    if (part == 0) bar.start = clock_ms();
}

void progress_clear(void)
{
    if (bar.shown) fprintf(stderr, "\r\033[K");
    bar.shown = false;
}
