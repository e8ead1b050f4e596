/* stebz on the CPU, method reference: bisection as in the books, the oracle of everything faster.
 *
 * Every eigenvalue is bisected by itself, from the interval that holds the whole spectrum to a bracket that is as
 * narrow as the tolerances ask.  Counts are sturm_pivot's in double, one shift at a time. Cost      about 60 counts an
 * eigenvalue, n divisions each. Promises  a bracket halves with every count, or, where small eigenvalues are wanted to
 * relative accuracy, its ends come nearer by orders of magnitude; it ends where no number lies between them. */
#include "stebz_cpu.h"

#include "openmp.h"

enum { EIGENVALUES_BETWEEN_REPORTS = 256 };

static int64_t count_below(const stebz_matrix *t, double x)
{
    double q = 1;
    int64_t count = 0;
    for (int64_t i = 0; i < t->n; ++i) {
        q = sturm_pivot_d(t->a[i], t->b[i], x, q, t->pivmin);
        count += q < 0;
    }
    return count;
}

static void bisect(stebz_job *job, int64_t k)
{
    double lo = job->lo, hi = job->hi;
    for (;;) {
        double const mid = stebz_middle(job, lo, hi);
        if (stebz_narrow_enough(job, lo, hi) || !(lo < mid && mid < hi)) break;
        if (count_below(&job->matrix, mid) >= k)
            hi = mid;
        else
            lo = mid;
    }
    job->slots[k - job->il].lo = lo;
    job->slots[k - job->il].hi = hi;
}

eig_status stebz_bisect(eig_context *ctx, stebz_job *job, int threads, double *pass_ms)
{
    double const start = cpu_clock();
    int64_t const wanted = job->iu - job->il + 1;
    (void)threads;
    for (int64_t first = job->il; first <= job->iu; first += EIGENVALUES_BETWEEN_REPORTS) {
        int64_t const next = first + EIGENVALUES_BETWEEN_REPORTS, last = next <= job->iu ? next - 1 : job->iu;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
        for (int64_t k = first; k <= last; ++k) bisect(job, k);
        eig_status const status = eig_report_progress(ctx, "stebz", (double)(last - job->il + 1) / (double)wanted);
        if (status != EIG_OK) return status;
    }
    if (pass_ms) pass_ms[1] += cpu_clock() - start;
    return EIG_OK;
}
