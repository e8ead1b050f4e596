/* The clock and the median of all measurements, and contestants that take turns. */
#ifndef EIG_BENCH_TIMES_H
#define EIG_BENCH_TIMES_H

#include <stdbool.h>

enum { TIMES_MOST = 101 }; /* repeats of one contestant */

/* Milliseconds of a clock that never goes back. */
double clock_ms(void);

/* Repeats of one contestant. */
typedef struct times {
    int count;
    double ms[TIMES_MOST], total_ms;
} times;
void times_add(times *t, double ms);
double times_median(const times *t);

/* Runs once and sets *ms; 0, or a number that ends the measurement. */
typedef struct contestant {
    int (*run)(void *user, double *ms);
    void *user;
} contestant;

/* The contestants take turns, so that a noisy moment of the machine meets all of them, until each has used budget_ms
 * or run TIMES_MOST times; each runs at least once.  The first one runs once before, to warm up.  Fills t[0] to
 * t[count-1]; returns 0, or the number with which a run ended. */
int times_of_turns(const contestant *who, int count, double budget_ms, times *t);

#endif
