/* geev on the CPU: the iteration of one matrix of any order, a step at a time.  Part of geev_reference.c and
 * geev_alone.c, and in geev_large.c for small windows and for those that make no progress. */
#ifndef EIG_GEEV_DESCENT_H
#define EIG_GEEV_DESCENT_H

#include "geev_plain.h"
#if EIG_COMPLEX
#include "geev_single_shift.h"
#else
#include "geev_francis.h"
#endif

/* How much of the matrix is done when its window ends at row i. */
static double done_at(const geev_schur *s, int64_t i)
{
    return 1 - (1 - geev_reduction) * geev_cube((double)(i + 1) / (double)s->n);
}

/* Eigenvalues that balancing has isolated; the others are not known yet. */
static void begin_values(const geev_schur *s)
{
    for (int64_t k = 0; k < s->n; ++k) {
        bool const alone = k < s->lo || k > s->hi;
        const real *const d = s->t.a + k + k * s->t.sj;
        s->re[k] = alone ? d[0] : (real)NAN;
        s->im[k] = alone && EIG_COMPLEX ? d[s->t.im] : s->re[k] - s->re[k];
    }
}

/* Sets the subdiagonal entry before row l to zero, but that of the first row. */
static void cut(const geev_schur *s, int64_t l)
{
    if (l == s->lo) return;
    for (int part = 0; part < GEEV_PARTS; ++part) s->t.a[l + (l - 1) * s->t.sj + part * s->t.im] = 0;
}

/* What a step has made of its window. */
typedef enum step_end {
    STEP_TAKEN,
    STEP_SOLVED,   /* all eigenvalues of the window are found, */
    STEP_GIVEN_UP, /* or the leading *info ones of the matrix are not, */
    STEP_STOPPED   /* or the watch stops it */
} step_end;

/* The `steps`-th step on the window l..i since a deflation; most, info, watch: iterate_by's. */
typedef step_end window_step(const geev_schur *s, int64_t l, int64_t i, int steps, int most, int *info,
                             cpu_watch *watch);

/* The iteration by such steps, at most `most` between two deflations. */
static inline bool iterate_by(window_step *step, const geev_schur *s, int most, int *info, cpu_watch *watch)
{
    int64_t const lo = s->lo, hi = s->hi;
    real const smallest = REAL_MIN * ((real)(hi - lo + 1) / REAL_EPSILON);
    real tiny = smallest;
    int64_t i = hi, l = lo;
    int steps = 0;
    *info = 0;
    begin_values(s);
    while (i >= lo) {
        step_end end = STEP_SOLVED;
        l = find_window(s, l, i, tiny);
        cut(s, l);
        if (i - l + 1 < LEAST_WINDOW) {
            deflate(s, l, i);
        } else if (steps == most) {
            *info = (int)(i + 1);
            break;
        } else {
            if (!geev_go_on(watch, done_at(s, i))) return false;
            end = step(s, l, i, ++steps, most, info, watch);
        }
        if (end == STEP_STOPPED) return false;
        if (end == STEP_GIVEN_UP) break;
        if (end == STEP_SOLVED)
            i = l - 1, l = lo, steps = 0, tiny = smallest;
        else if (steps >= FRANCIS_PATIENCE)
            tiny = REAL_TYPED(francis_grown)(tiny, geev_largest_of(s->t, l, i, 1));
    }
    return true;
}

static step_end take_plain_step(const geev_schur *s, int64_t l, int64_t i, int steps, int most, int *info,
                                cpu_watch *watch)
{
    (void)most, (void)info, (void)watch;
    take_step(s, l, i, steps);
    return STEP_TAKEN;
}

static bool iterate(const geev_schur *s, int most, int *info, cpu_watch *watch)
{
    return iterate_by(take_plain_step, s, most, info, watch);
}

#endif
