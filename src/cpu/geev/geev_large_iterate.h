/* geev on the CPU, n > 64: the iteration to Schur form, or to the eigenvalues alone, by multishift sweeps with early
 * deflation.  Part of geev_large.c.
 *
 * Promises  at most `most` steps between two deflations.  A window without progress after STUBBORN steps, or whose step
 *           is an exceptional one, takes the plain solver's steps, so that it gives up no more windows than that does.
 *           */
#ifndef EIG_GEEV_LARGE_ITERATE_H
#define EIG_GEEV_LARGE_ITERATE_H

#include "geev_descent.h"
#include "geev_early.h"

enum {
    PLAIN_UP_TO = 40, /* rows of a window that the plain solver takes */
    STUBBORN = 24,
    NIBBLE = 14,           /* percent of a window that must be deflated to go without a sweep */
    VALUES_PLAIN = 110,    /* rows of a window that goes to the plain solver where only eigenvalues are wanted, */
    SCHUR_WHOLE = 96,      /* and whose Schur form is found by itself where vectors are */
    SCHUR_WHOLE_INNER = 36 /* of a window within a window */
};

/* Shifts of a sweep on so many rows. */
static int shifts_of(int64_t rows)
{
    if (rows < 60) return 4;
    if (rows < 150) return 10;
    if (rows < 590) {
        int log2 = 7;
        while ((int64_t)1 << (log2 + 1) <= rows) ++log2;
        int const some = (int)(rows / log2);
        return some - some % 2;
    }
    return rows < 3000 ? 64 : 96;
}

/* Rows of the window that is searched for early deflations. */
static int64_t window_rows(const geev_schur *s, int64_t rows)
{
    int const shifts = shifts_of(rows);
    int64_t const wanted = rows <= 500 ? shifts : 3 * shifts / 2,
                  most = s->depth == 0 ? GEEV_WINDOW : GEEV_WINDOW_INNER;
    return least(least(wanted, most), rows - LEAST_WINDOW);
}

static bool iterate_large(const geev_schur *s, int most, int *info, cpu_watch *watch);

/* The Schur form of a window; how many of its eigenvalues were not found. */
static int solve_window(const geev_schur *w, int most)
{
    int info = 0;
    (w->n <= PLAIN_UP_TO || w->depth >= GEEV_WINDOWS ? iterate : iterate_large)(w, most, &info, NULL);
    return info;
}

/* The window l..i as a whole.  Returns how many eigenvalues were not found. */
static int solve_whole(const geev_schur *s, int64_t l, int64_t i, int most, cpu_watch *watch)
{
    int64_t const rows = i - l + 1;
    if (!s->q.a) {
        geev_schur w = *s;
        int info = 0;
        w.n = rows, w.lo = 0, w.hi = rows - 1, w.t.a += l + l * s->t.sj, w.re += l, w.im += l;
        return iterate(&w, most, &info, watch) ? info : -1;
    }
    cpu_member alone = {.size = 1};
    geev_schur const w = window_of(s, l, rows, &alone);
    int const failed = solve_window(&w, most);
    for (int64_t k = failed; k < rows; ++k) s->re[l + k] = w.re[k], s->im[l + k] = w.im[k];
    if (failed == 0) put_window(s, &w, l, l);
    return failed;
}

static bool is_small(const geev_schur *s, int64_t rows)
{
    return rows <= (!s->q.a ? VALUES_PLAIN : s->depth == 0 ? SCHUR_WHOLE : SCHUR_WHOLE_INNER);
}

/* An ordinary step: early deflation, and a sweep where that has not found much.  False where the watch stops it. */
static bool take_ordinary_step(const geev_schur *s, int64_t l, int64_t i, int steps, cpu_watch *watch)
{
    bulge_shift shifts[GEEV_WINDOW];
    int found;
    int64_t const rows = i - l + 1, window = window_rows(s, rows);
    int64_t const deflated = deflate_early(s, l, i, window, solve_window, shifts, &found);
    if (deflated * 100 > window * NIBBLE) return true;
    if (deflated < 0 || found == 0) {
        take_step(s, l, i, steps);
        return true;
    }
    int const wanted = shifts_of(rows) / (EIG_COMPLEX ? 1 : 2), sweep = found < wanted ? found : wanted;
    int64_t const end = i - deflated;
    if (end - l + 1 <= LEAST_WINDOW) return true;
    for (int done = 0; done < sweep; done += MOST_BULGES) {
        int const here = sweep - done < MOST_BULGES ? sweep - done : MOST_BULGES;
        if (!chase(s, l, end, shifts + (found - sweep) + done, here, watch)) return false;
    }
    return true;
}

static step_end take_large_step(const geev_schur *s, int64_t l, int64_t i, int steps, int most, int *info,
                                cpu_watch *watch)
{
    if (is_small(s, i - l + 1)) {
        int const failed = solve_whole(s, l, i, most, watch);
        if (failed > 0) *info = (int)(l + failed);
        return failed < 0 ? STEP_STOPPED : failed > 0 ? STEP_GIVEN_UP : STEP_SOLVED;
    }
    if (steps > STUBBORN || francis_step_of(steps) != FRANCIS_ORDINARY)
        take_step(s, l, i, steps);
    else if (!take_ordinary_step(s, l, i, steps, watch))
        return STEP_STOPPED;
    return STEP_TAKEN;
}

static bool iterate_large(const geev_schur *s, int most, int *info, cpu_watch *watch)
{
    return iterate_by(take_large_step, s, most, info, watch);
}

#endif
