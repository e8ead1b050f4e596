/* stebz on the CPU, method reference: bisection as in the books, the oracle of everything faster.
 *
 * Every eigenvalue is bisected by itself, from the interval that holds the whole spectrum to a bracket that is as
 * narrow as the tolerances ask.  Counts are sturm_pivot's in double, one shift at a time.
 *
 * Cost      about 60 counts an eigenvalue, n divisions each.
 * Promises  a bracket halves with every count, or, where small eigenvalues are wanted to relative accuracy, its ends
 *           come nearer by orders of magnitude.  It ends where no number lies between them. */
#include "stebz_cpu.h"

static int64_t count_below(const stebz_matrix *t, double x)
{
    double q = 1;
    int64_t count = 0;
    for (int64_t i = 0; i < t->n; ++i) {
        q = sturm_pivot_d(t->a[i], t->b[i], x, q);
        count += q < 0;
    }
    return count;
}

/* Eigenvalue k; `done` of the call is done. */
static void bisect(stebz_search *search, int64_t k, double done)
{
    double lo = search->lo, hi = search->hi;
    while (stebz_look(search, done)) {
        double const mid = stebz_middle(search, lo, hi);
        if (stebz_narrow_enough(search, lo, hi) || !(lo < mid && mid < hi)) break;
        if (count_below(&search->matrix, mid) >= k)
            hi = mid;
        else
            lo = mid;
    }
    search->groups[k - search->il].lo = lo;
    search->groups[k - search->il].hi = hi;
}

eig_status eig_cpu_stebz_bisect(stebz_search *search, int threads, double *pass_ms)
{
    double const start = eig_cpu_clock();
    int64_t const wanted = search->iu - search->il + 1;
    (void)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (int64_t k = search->il; k <= search->iu; ++k) {
        USUAL_FLOAT_MODE;
        bisect(search, k, (double)(k - search->il) / (double)wanted);
    }
    if (pass_ms) pass_ms[1] += eig_cpu_clock() - start;
    return eig_cpu_watch_status(search->watch);
}
