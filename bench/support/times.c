/* The clock and the median of all measurements, and contestants that take turns. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "times.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

void times_add(times *t, double ms)
{
    if (t->count < TIMES_MOST) t->ms[t->count++] = ms;
    t->total_ms += ms;
}

static int ascending(const void *a, const void *b)
{
    double const x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double times_median(const times *t)
{
    double sorted[TIMES_MOST];
    if (t->count == 0) return 0;
    memcpy(sorted, t->ms, sizeof sorted);
    qsort(sorted, (size_t)t->count, sizeof *sorted, ascending);
    int const middle = t->count / 2;
    return t->count % 2 ? sorted[middle] : 0.5 * (sorted[middle - 1] + sorted[middle]);
}

static bool wants_more(const times *t, double budget_ms)
{
    return t->count == 0 || (t->count < TIMES_MOST && t->total_ms < budget_ms);
}

int times_of_turns(const contestant *who, int count, double budget_ms, times *t)
{
    double ms = 0;
    for (int i = 0; i < count; ++i) t[i] = (times){0};
    int ended = count > 0 ? who[0].run(who[0].user, &ms) : 0;
    for (bool more = true; more && ended == 0;) {
        more = false;
        for (int i = 0; i < count && ended == 0; ++i) {
            if (!wants_more(&t[i], budget_ms)) continue;
            ended = who[i].run(who[i].user, &ms);
            if (ended == 0) times_add(&t[i], ms);
            more = true;
        }
    }
    return ended;
}
