/* stebz on the CPU, method interval tree, plain code: Algorithms 2 to 6 of C. Lessig, Eigenvalue Computation with CUDA
 * (NVIDIA, 2007 and 2012).  Compiled once for each type.
 *
 * A list holds the intervals of one level of the tree of bisections, each with the counts at its ends.  The coarse pass
 * (Algorithm 3) splits all of them, level by level, until they converge or are more than TREE_BLOCK / 2.  Then they are
 * sorted into those that hold one eigenvalue (Algorithm 5) and batches of the others, each of at most TREE_BLOCK
 * eigenvalues where an interval does not hold more by itself (Algorithms 4 and 6).
 *
 * Counts are sturm_pivot's in this type, one shift at a time: monotone, so that the counts of an interval's ends may be
 * subtracted. */
#include "stebz_cpu.h"

#include "openmp.h"
#include "per_type.h"

enum { TREE_BLOCK = 512 };

static int64_t count_below(const stebz_search *search, double x)
{
    const double *a = search->matrix.a, *b = search->matrix.b;
    real q = 1;
    int64_t count = 0;
    for (int64_t i = 0; i < search->matrix.n; ++i) {
        q = TYPED(sturm_pivot)((real)a[i], (real)b[i], (real)x, q);
        count += q < 0;
    }
    return count;
}

/* The middle of an interval, or its left end when it has converged. */
static double middle(const stebz_search *search, const tree_interval *t)
{
    real const mid = (real)(t->lo + 0.5 * (t->hi - t->lo));
    double const size = fmax(fabs(t->lo), fabs(t->hi));
    bool const converged = t->hi - t->lo <= fmax(search->abstol, search->reltol * size);
    return converged || !(t->lo < mid && mid < t->hi) ? t->lo : (double)mid;
}

/* Whether an interval holds an eigenvalue that is wanted. */
static bool wanted(const stebz_search *search, const tree_interval *t)
{
    return t->below < t->upto && t->below < search->iu && t->upto >= search->il;
}

/* A part of the call: where it begins, how much it is, and how many levels it will take. */
typedef struct tree_part {
    double from, share, levels;
    int level;
} tree_part;

/* Whether to go on, after so much of a level. */
static bool look(const stebz_search *search, const tree_part *part, double of_level)
{
    double const done = (part->level + of_level) / part->levels;
    return stebz_look(search, part->from + part->share * (done < 1 ? done : 1));
}

/* One level (Algorithm 3): splits every interval of the list, compacts the second children behind the first ones.
 * second[] is scratch for as many intervals.  Returns the new length; *moved tells whether any interval was split. */
static int64_t split_level(const stebz_search *search, tree_interval *list, int64_t length, tree_interval *second,
                           int threads, const tree_part *part, bool *moved)
{
    bool any = false;
    (void)threads;
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads) if (threads > 1) reduction(|| : any)
    for (int64_t i = 0; i < length; ++i) {
        USUAL_FLOAT_MODE;
        tree_interval *const t = &list[i];
        second[i] = (tree_interval){0};
        if (!look(search, part, (double)i / (double)length)) continue;
        double const mid = middle(search, t);
        if (mid == t->lo) continue;
        any = true;
        int64_t const count = count_below(search, mid);
        tree_interval const left = {t->lo, mid, t->below, count};
        tree_interval const right = {mid, t->hi, count, t->upto};
        bool const keep_left = wanted(search, &left), keep_right = wanted(search, &right);
        *t = keep_left ? left : right;
        if (keep_left && keep_right) second[i] = right;
    }
    int64_t end = length;
    for (int64_t i = 0; i < length; ++i)
        if (second[i].upto > 0) list[end++] = second[i];
    *moved = any;
    return end;
}

static void finish(stebz_search *search, const tree_interval *list, int64_t length)
{
    for (int64_t i = 0; i < length; ++i) {
        int64_t const first = list[i].below + 1 > search->il ? list[i].below + 1 : search->il;
        int64_t const last = list[i].upto < search->iu ? list[i].upto : search->iu;
        for (int64_t k = first; k <= last; ++k) {
            search->groups[k - search->il].lo = list[i].lo;
            search->groups[k - search->il].hi = list[i].hi;
        }
    }
}

/* About how many levels a list will take. */
static double levels_of(const stebz_search *search, const tree_interval *list, int64_t length)
{
    double widest = 0;
    for (int64_t i = 0; i < length; ++i) widest = fmax(widest, list[i].hi - list[i].lo);
    return search->abstol > 0 && widest > search->abstol ? ceil(log2(widest / search->abstol)) + 1 : 1;
}

/* Splits a list to convergence; length at most the list's room. */
static eig_status converge(stebz_search *search, tree_interval *list, int64_t length, tree_interval *second,
                           tree_part part, int threads)
{
    part.levels = levels_of(search, list, length);
    for (bool moved = true; moved && eig_cpu_watch_status(search->watch) == EIG_OK; ++part.level)
        length = split_level(search, list, length, second, threads, &part, &moved);
    finish(search, list, length);
    return eig_cpu_watch_status(search->watch);
}

/* The intervals are shared out to the list, scratch, U_o and U_m, each of m = iu-il+1. */
eig_status TYPED(eig_cpu_stebz_tree)(stebz_search *search, int threads, double *pass_ms)
{
    int64_t const m = search->iu - search->il + 1;
    tree_interval *const list = search->intervals, *const second = list + m, *const one = list + 2 * m,
                         *const many = list + 3 * m;
    double const start = eig_cpu_clock();
    int64_t length = 1, ones = 0, manies = 0, done = 0;
    list[0] = (tree_interval){search->lo, search->hi, 0, search->matrix.n};
    tree_part part = {.levels = levels_of(search, list, 1)}; /* each level of the coarse pass is a small part of one */
    for (bool moved = true; moved && length <= TREE_BLOCK / 2;)
        length = split_level(search, list, length, second, threads, &part, &moved);
    for (int64_t i = 0; i < length; ++i) {
        bool const single = list[i].upto - list[i].below == 1;
        if (single)
            one[ones++] = list[i];
        else
            many[manies++] = list[i];
    }
    double const coarse = eig_cpu_clock();
    double const all = (double)search->matrix.n;
    eig_status status = converge(search, one, ones, second, (tree_part){.share = (double)ones / all}, threads);
    done = ones;
    double const onei = eig_cpu_clock();
    for (int64_t i = 0; i < manies && status == EIG_OK;) {
        int64_t batch = 0, eigenvalues = 0;
        for (; i + batch < manies; ++batch) {
            eigenvalues += many[i + batch].upto - many[i + batch].below;
            if (batch > 0 && eigenvalues > TREE_BLOCK) break;
            list[batch] = many[i + batch];
        }
        part = (tree_part){.from = (double)done / all, .share = (double)eigenvalues / all};
        status = converge(search, list, batch, second, part, threads);
        done += eigenvalues;
        i += batch;
    }
    if (pass_ms) pass_ms[1] += coarse - start, pass_ms[2] += onei - coarse, pass_ms[3] += eig_cpu_clock() - onei;
    return status;
}
