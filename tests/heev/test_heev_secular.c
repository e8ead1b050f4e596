/* heev's divide and conquer from the inside: the eigenpairs of D + rho z z^T (src/cpu/heev/heev_secular.h) against the
 * matrix itself in long double.  Compiled for float and for double, by their plainest instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "heev_secular.h"

#include "io/matrices.h"

enum { MOST = 320, ROOM = MOST + 2 * BLOCK };

/* D + rho z z^T as it is given, and what the solver makes of it. */
typedef struct trial {
    const char *name;
    int64_t k;
    real rho, d[MOST], z[MOST], sd[ROOM], sz[ROOM], base[ROOM], tau[ROOM];
    int64_t place[MOST];
    int steps;
    secular s;
    real *u; /* as secular_vectors leaves them */
} trial;

/* Row j of vector i. */
static real vector_at(const trial *t, int64_t j, int64_t i)
{
    return t->u[(i / BLOCK * t->k + t->place[j]) * BLOCK + i % BLOCK];
}

static void solve(trial *t)
{
    real *const room = aligned_alloc(64, sizeof(real) * (size_t)(ROOM * ROOM + MOST * BLOCK + 4 * ROOM));
    real *rest = room;
    t->u = rest, rest += ROOM * ROOM;
    t->s = (secular){.k = t->k, .rho = t->rho, .ratio = rest};
    rest += MOST * BLOCK;
    real **const arrays[] = {&t->s.d, &t->s.z, &t->s.base, &t->s.tau};
    for (int a = 0; a < 4; ++a) *arrays[a] = rest, rest += ROOM;
    for (int64_t j = 0; j < t->k; ++j) t->s.d[j] = t->d[j], t->s.z[j] = t->z[j], t->place[j] = t->k - 1 - j;
    span const all = {0, t->s.k};
    secular_prepare(&t->s);
    t->steps = secular_roots(&t->s, all);
    secular_weights(&t->s, all);
    secular_vectors(&t->s, all, t->place, t->u);
    for (int64_t j = 0; j < t->k + BLOCK; ++j) {
        t->sd[j] = t->s.d[j], t->sz[j] = t->s.z[j];
        if (j < t->k) t->base[j] = t->s.base[j], t->tau[j] = t->s.tau[j];
    }
}

static long double norm_of(const trial *t)
{
    long double sum = 0, most = 0;
    for (int64_t j = 0; j < t->k; ++j) {
        sum += (long double)t->z[j] * t->z[j];
        most = fmaxl(most, fabsl((long double)t->d[j]));
    }
    return most + t->rho * sum;
}

/* Each root lies in its interval, and f is there as small as its terms' roundings. */
static void certify_roots(const trial *t)
{
    for (int64_t i = 0; i < t->k; ++i) {
        long double const base = t->base[i], tau = t->tau[i];
        if (!(t->base[i] == t->d[i] ? tau > 0 : i + 1 < t->k && t->base[i] == t->d[i + 1] && tau < 0))
            fail_msg("%s k=%lld: root %lld is not between its poles", t->name, (long long)t->k, (long long)i);
        long double f = 1 / (long double)t->rho, size = f;
        for (int64_t j = 0; j < t->k; ++j) {
            long double const gap = ((long double)t->d[j] - base) - tau, term = (long double)t->z[j] * t->z[j] / gap;
            f += term, size += fabsl(term) + fabsl(tau * term / gap);
        }
        if (!(fabsl(f) <= (8 + (long double)t->k) * REAL_EPSILON * size))
            fail_msg("%s k=%lld: root %lld is off: f = %Lg", t->name, (long long)t->k, (long long)i, f);
    }
}

/* Orthogonality, and the residual with the z that was given. */
static void certify_pairs(const trial *t)
{
    long double const unit = (long double)t->k * REAL_EPSILON, norm = norm_of(t);
    long double worst = 0, residual = 0;
    for (int64_t i = 0; i < t->k; ++i) {
        long double inner = 0, sum = 0;
        for (int64_t j = 0; j < t->k; ++j) inner += (long double)t->z[j] * vector_at(t, j, i);
        for (int64_t j = 0; j < t->k; ++j) {
            long double const gap = ((long double)t->d[j] - t->base[i]) - t->tau[i];
            long double const r = gap * vector_at(t, j, i) + t->rho * inner * t->z[j];
            sum += r * r;
        }
        residual = fmaxl(residual, sqrtl(sum));
        for (int64_t l = 0; l <= i; ++l) {
            long double dot = l == i ? -1 : 0;
            for (int64_t j = 0; j < t->k; ++j) dot += (long double)vector_at(t, j, i) * vector_at(t, j, l);
            worst = fmaxl(worst, fabsl(dot));
        }
    }
    if (!(worst <= unit + 8 * REAL_EPSILON))
        fail_msg("%s k=%lld: U^T U - I is %.2Lf k eps", t->name, (long long)t->k, worst / unit);
    if (!(residual <= (unit + 8 * REAL_EPSILON) * norm))
        fail_msg("%s k=%lld: a residual is %.2Lf k eps", t->name, (long long)t->k, residual / unit / norm);
}

/* d and z of the kind, with gaps and weights down to what the merger does not deflate. */
typedef struct kind {
    const char *name;
    double gap, ratio;     /* the first gap, and each over the one before */
    double weight, spread; /* the smallest z; its exponent is random up to that of 1 where spread is 1 */
    double rho;
} kind;

static kind const kinds[] = {
    {"equal gaps", 0.01, 1, 1, 0, 1},
    {"random weights", 0.01, 1, 1e-3, 1, 1},
    {"tiny weights", 0.01, 1, 8 * REAL_EPSILON, 1, 1},
    {"close poles", 16 * REAL_EPSILON, 1, 1, 0, 1},
    {"close poles, tiny weights", 16 * REAL_EPSILON, 1, 8 * REAL_EPSILON, 1, 1},
    {"growing gaps", 16 * REAL_EPSILON, 1.1, 8 * REAL_EPSILON, 1, 1},
    {"falling gaps", 0.3, 0.9, 8 * REAL_EPSILON, 1, 1},
    {"small correction", 0.01, 1, 1, 0, 16 * REAL_EPSILON},
    {"small correction, close poles", 64 * REAL_EPSILON, 1, 1e-3, 1, 1024 * REAL_EPSILON},
};

static void fill(trial *t, kind k, int64_t n, uint64_t seed)
{
    matrices_rng rng = matrices_seed(seed);
    double at = -1, gap = k.gap, sum = 0;
    *t = (trial){.name = k.name, .k = n, .rho = (real)k.rho};
    for (int64_t j = 0; j < n; ++j) {
        t->d[j] = (real)at;
        gap = fmin(fmax(gap, 32 * REAL_EPSILON), 0.1); /* float reaches both ends */
        at += gap * (0.5 + matrices_uniform(&rng)), gap *= k.ratio;
        double const size = k.spread > 0 ? pow(k.weight, matrices_uniform(&rng)) : 0.5 + matrices_uniform(&rng);
        t->z[j] = (real)(matrices_uniform(&rng) < 0.5 ? -size : size);
        sum += size * size;
    }
    for (int64_t j = 0; j < n; ++j) t->z[j] = (real)((double)t->z[j] / sqrt(sum));
}

static void test_eigenpairs(void **state)
{
    static const int64_t orders[] = {1, 2, 3, 4, 7, 8, 9, 16, 17, 33, 64, 100, 257};
    (void)state;
    int most = 0;
    for (size_t c = 0; c < sizeof orders / sizeof *orders; ++c)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
            for (uint64_t seed = 0; seed < (orders[c] < 40 ? 8 : 2); ++seed) {
                trial t;
                fill(&t, kinds[k], orders[c], seed);
                solve(&t);
                certify_roots(&t);
                certify_pairs(&t);
                most = t.steps > most ? t.steps : most;
                free(t.u);
            }
    /* Far from what halving alone would take. */
    if (most > 25) fail_msg("%d steps for a root", most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_eigenpairs)};
    return cmocka_run_group_tests_name("heev's secular equation", tests, NULL, NULL);
}
