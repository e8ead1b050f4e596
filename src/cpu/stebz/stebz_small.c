/* stebz on the CPU: all eigenvalues of a small T that is loaded, in double for either type.
 *
 * Method    QL sweeps propose the eigenvalues; counts by pivots prove them: a bracket as wide as the tolerance around each is
 *           moved until it holds its eigenvalue, which it does at once as a rule.  A table and brackets that grow narrow, as
 *           larger matrices take them, cost several times as much here.  A diagonal T and two rows (stebz_twos) need no count.
 * Bits      all eigenvalues are found whatever part is wanted, from the loaded rows alone. */
#include "stebz_cpu.h"

#include "sort.h"

#include <math.h>
#include <string.h>

#define EIG_FN static inline
#define LOGICAL bool
#define SELECT(mask, a, b) ((mask) ? (a) : (b))
#define real double
#define NAME(f) f##_d
#define REAL(c) c
#define SQRT sqrt
#include "pwk.inc"
#undef real

enum {
    WHOLE = 32, /* shifts: whole vectors of any instruction set */
    MOST_SWEEPS = 8,
    MOST_MOVES = 16 /* for an eigenvalue; two or three, and none, are the rule */
};

/* The entries of a T whose off-diagonals are all negligible; false where they are not. */
static bool diagonal(const stebz_search *search, bool single, double *w)
{
    int const n = (int)search->matrix.n;
    double const floor = single ? (double)STURM_FLOOR_S : STURM_FLOOR_D;
    double most = 0, scratch[STEBZ_SMALL];
    for (int i = 1; i < n; ++i) most = fabs(search->b[i]) > most ? fabs(search->b[i]) : most;
    if (most > floor) return false;
    memcpy(w, search->a, (size_t)n * sizeof *w);
    eig_cpu_sort(w, n, scratch);
    return true;
}

/* Approximate eigenvalues, ascending. */
static void propose(const stebz_search *search, double *w)
{
    int const n = (int)search->matrix.n;
    double e2[STEBZ_SMALL], least = 0.125 * search->abstol;
    least *= least;
    for (int i = 0; i < n; ++i) w[i] = search->a[i], e2[i] = i + 1 < n ? search->b[i + 1] * search->b[i + 1] : 0;
    for (int l = 0; l + 1 < n; ++l)
        for (int sweeps = 0; sweeps < MOST_SWEEPS && e2[l] > least; ++sweeps) {
            int m = l + 1;
            while (e2[m] > least) ++m;
            if (m == l + 1) {
                double const two[2] = {w[l], w[m]};
                stebz_twos(two[0], two[1], sqrt(e2[l]), w + l);
                e2[l] = 0;
                break;
            }
            double const shift = pwk_shift_d(w[l], w[l + 1], e2[l]);
            double c = 1, s = 0, gamma = w[m] - shift, p = gamma * gamma, below;
            for (int i = m - 1; i >= l; --i) {
                pwk_row_d(e2[i], w[i], shift, &c, &s, &gamma, &p, &below, &w[i + 1]);
                if (i + 1 < m) e2[i + 1] = below;
            }
            e2[l] = s * p, w[l] = shift + gamma;
        }
    double scratch[STEBZ_SMALL];
    eig_cpu_sort(w, n, scratch);
}

/* Brackets around w, moved by counts; false where one does not come to hold its eigenvalue. */
static bool prove(const stebz_search *search, const double *w, stebz_group *g)
{
    int const n = (int)search->matrix.n;
    double step[STEBZ_SMALL];
    for (int k = 0; k < n; ++k) {
        double const own = search->reltol * fabs(w[k]), width = search->abstol > own ? search->abstol : own;
        step[k] = width > DBL_EPSILON ? width : DBL_EPSILON; /* the spacing of numbers below 2 */
        g[k].lo = w[k] - 0.5 * step[k], g[k].hi = w[k] + 0.5 * step[k];
    }
    for (int moves = 0; moves < MOST_MOVES; ++moves) {
        stebz_counts c;
        bool done = true;
        for (int k = 0; k < n; ++k) c.x[2 * k] = g[k].lo, c.x[2 * k + 1] = g[k].hi;
        for (int l = 2 * n; l < WHOLE; ++l) c.x[l] = 0;
        search->kernels->pivot->count(&search->matrix, 2 * n, &c);
        for (int k = 0; k < n; ++k) {
            bool const down = c.count[2 * k] > k, up = c.count[2 * k + 1] <= k;
            if (down) g[k].hi = g[k].lo, g[k].lo -= step[k];
            if (up && !down) g[k].lo = g[k].hi, g[k].hi += step[k];
            done = done && !down && !up;
        }
        if (done) return true;
    }
    return false;
}

bool eig_cpu_stebz_small(stebz_search *search, eig_type type)
{
    int64_t const n = search->matrix.n;
    stebz_group g[STEBZ_SMALL];
    double w[STEBZ_SMALL];
    if (diagonal(search, type_is_single(type), w)) {
        for (int k = 0; k < n; ++k) g[k].lo = g[k].hi = w[k];
    } else if (n == 2) {
        stebz_twos(search->a[0], search->a[1], search->b[1], w);
        for (int k = 0; k < 2; ++k) g[k].lo = g[k].hi = w[k];
    } else {
        if (n > STEBZ_SWEPT) return false;
        propose(search, w);
        if (!prove(search, w, g)) return false;
    }
    for (int64_t k = search->il; k <= search->iu; ++k) search->groups[k - search->il] = g[k - 1];
    return true;
}
