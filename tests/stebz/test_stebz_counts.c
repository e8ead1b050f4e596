/* stebz on the CPU, method multisection, from the inside: how many counts an eigenvalue takes, and what becomes of
 * counts that are not monotone.  The search is made here and its kernel replaced, so that every count is seen. */
#include "cpu/stebz/stebz_cpu.h"
#include "io/matrices.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 600, PADDED = MOST + STURM_BLOCK };

/* The counts seen so far, the kernel that makes them, and after how many a search must have ended. */
static int64_t counts, most_counts;
static stebz_counter *kernel;

static void counting(const stebz_matrix *t, int shifts, stebz_counts *c)
{
    counts += shifts;
    if (counts > most_counts) fail_msg("%lld counts and no end", (long long)counts);
    kernel(t, shifts, c);
}

/* A search on a T of norm 1, with all that it needs. */
typedef struct setting {
    eig_context *ctx;
    cpu_watch watch;
    stebz_search search;
    double a[MOST], b[MOST], rows[2 * PADDED], scales[2 * PADDED];
    stebz_group groups[MOST];
    int64_t count[MOST + 1], highest[MOST + 1];
    double mantissa[MOST + 1], exponent[MOST + 1];
} setting;

static setting *open_setting(int64_t n)
{
    setting *const s = calloc(1, sizeof *s);
    assert_non_null(s);
    assert_int_equal(eig_create(&s->ctx, "cpu"), EIG_OK);
    stebz_search *const g = &s->search;
    g->kernels = &eig_cpu_kernels(s->ctx, EIG_D)->stebz;
    eig_cpu_watch_start(&s->watch, s->ctx, "stebz", 1);
    g->watch = &s->watch;
    g->matrix = (stebz_matrix){.n = n, .a = s->a, .b = s->b, .rows = s->rows, .scales = s->scales};
    g->matrix.padded = (n + STURM_BLOCK - 1) / STURM_BLOCK * STURM_BLOCK;
    g->norm = 1, g->lo = -1.001, g->hi = 1.001;
    g->abstol = DBL_EPSILON, g->reltol = 2 * DBL_EPSILON;
    g->groups = s->groups;
    g->table.count = s->count, g->table.highest = s->highest;
    g->table.mantissa = s->mantissa, g->table.exponent = s->exponent;
    g->count = counting;
    return s;
}

static void close_setting(setting *s)
{
    eig_destroy(s->ctx);
    free(s);
}

/* A matrix of the kind, scaled to a norm of 1. */
static void take_kind(setting *s, const char *kind)
{
    int64_t const n = s->search.matrix.n;
    io_tridiagonal t;
    assert_true(matrices_tridiagonal(kind, n, 5, &t, NULL));
    double norm = 0;
    for (int64_t i = 0; i < n; ++i)
        norm = fmax(norm, (i > 0 ? fabs(t.e[i - 1]) : 0) + fabs(t.d[i]) + (i + 1 < n ? fabs(t.e[i]) : 0));
    for (int64_t i = 0; i < n; ++i) s->a[i] = t.d[i] / norm, s->b[i] = i > 0 ? t.e[i - 1] / norm : 0;
    io_tridiagonal_free(&t);
    assert_true(s->search.kernels->setup->load_product(n, s->a, s->b, s->rows, s->scales));
    kernel = s->search.kernels->product->count, s->search.shifts = s->search.kernels->product->shifts;
}

/* Eigenvalues il to iu; returns how many counts that took without the table's. */
static int64_t refine(setting *s, int64_t il, int64_t iu, int64_t most)
{
    stebz_search *const g = &s->search;
    int64_t const wanted = iu - il + 1, cells = wanted > 32 ? wanted : 32;
    g->il = il, g->iu = iu;
    g->table.cells = cells, g->table.lo = g->lo, g->table.hi = g->hi;
    counts = 0, most_counts = most * wanted + cells + STEBZ_LANES + 2;
    assert_int_equal(eig_cpu_stebz_refine(g, 1, NULL), EIG_OK);
    return counts - (wanted < g->matrix.n / 4 ? STEBZ_LANES + 1 + cells + 1 : cells + 1);
}

/* ------------------------------------------------------------- what it costs */

/* About 10 counts an eigenvalue on generic matrices (docs/families/stebz.md measures 8 to 11); bisection takes 41. */
static void test_generic(void **state)
{
    static const char *const kinds[] = {"uniform", "normal", "anderson", "121", "clement", "laguerre"};
    (void)state;
    for (int k = 0; k < 6; ++k) {
        setting *const s = open_setting(MOST);
        take_kind(s, kinds[k]);
        double const each = (double)refine(s, 1, MOST, 60) / MOST;
        if (!(each > 4 && each < 13)) fail_msg("%s: %.1f counts an eigenvalue", kinds[k], each);
        close_setting(s);
    }
}

/* No eigenvalue of any kind takes more than 250, alone or to high relative accuracy. */
static void test_no_more_than_250(void **state)
{
    (void)state;
    for (int k = 0; matrices_tridiagonal_names[k]; ++k)
        for (int tight = 0; tight < 2; ++tight) {
            if (strcmp(matrices_tridiagonal_names[k], "zero") == 0) continue;
            setting *const s = open_setting(200);
            take_kind(s, matrices_tridiagonal_names[k]);
            if (tight) {
                s->search.pivot = true, s->search.abstol = 2 * DBL_MIN;
                kernel = s->search.kernels->pivot->count, s->search.shifts = s->search.kernels->pivot->shifts;
            }
            for (int64_t i = 1; i <= 200; i += 11) refine(s, i, i, 250);
            close_setting(s);
        }
    /* Eigenvalues down to 2^-800, to high relative accuracy. */
    setting *const s = open_setting(200);
    for (int i = 0; i < 200; ++i) s->a[i] = ldexp(0.5, -4 * i), s->b[i] = i > 0 ? ldexp(0.1, 2 - 4 * i) : 0;
    s->search.pivot = true, s->search.abstol = 2 * DBL_MIN;
    kernel = s->search.kernels->pivot->count, s->search.shifts = s->search.kernels->pivot->shifts;
    for (int64_t i = 1; i <= 200; i += 11) {
        refine(s, i, i, 250);
        stebz_group const *const g = &s->groups[0];
        if (!(g->hi - g->lo <= 4 * DBL_EPSILON * g->hi))
            fail_msg("eigenvalue %lld: [%g, %g]", (long long)i, g->lo, g->hi);
    }
    close_setting(s);
}

/* One eigenvalue at a place, and values of the polynomial that always send the search to the wrong end. */
static double place;

static void misleading(const stebz_matrix *t, int shifts, stebz_counts *c)
{
    (void)t;
    for (int l = 0; l < shifts; ++l) {
        bool const above = c->x[l] > place;
        c->count[l] = above;
        c->mantissa[l] = above ? -1 : 1;
        c->exponent[l] = above == (place > 0) ? 0 : -900; /* small where the eigenvalue is far */
    }
}

static void test_misled(void **state)
{
    static const double places[] = {0.7, -0.7, 0.123456789, -0.999, 1e-3, -1e-9};
    (void)state;
    setting *const s = open_setting(1);
    kernel = misleading, s->search.shifts = STEBZ_LANES;
    for (int k = 0; k < 6; ++k) {
        place = places[k];
        int64_t const taken = refine(s, 1, 1, 250);
        assert_true(taken > 45); /* else it was not misled */
        assert_true(s->groups[0].lo <= place && place <= s->groups[0].hi);
        assert_true(s->groups[0].hi - s->groups[0].lo <= DBL_EPSILON);
    }
    close_setting(s);
}

/* Counts of few rows that deny what the sweeps have proposed. */
static const double denied[5] = {-0.9, -0.25, -0.125 - 1e-13, 0.5, 0.9999};

static void denying(const stebz_matrix *t, int shifts, stebz_counts *c)
{
    (void)t;
    for (int l = 0; l < shifts; ++l) {
        c->count[l] = 0;
        for (int k = 0; k < 5; ++k) c->count[l] += denied[k] < c->x[l];
    }
}

static void test_bad_proposals(void **state)
{
    (void)state;
    setting *const s = open_setting(5);
    stebz_search *const g = &s->search;
    stebz_pivot const pivot = {.shifts = STEBZ_LANES, .count = denying};
    stebz_kernels kernels = *g->kernels;
    stebz_group whole[5];
    kernels.pivot = &pivot, g->kernels = &kernels;
    g->a = s->a, g->b = s->b, g->il = 1, g->iu = 5;
    for (int i = 0; i < 5; ++i) s->a[i] = 0.1 * i, s->b[i] = i > 0 ? 0.25 : 0;
    assert_true(eig_cpu_stebz_small(g, EIG_D));
    memcpy(whole, s->groups, sizeof whole);
    for (int k = 0; k < 5; ++k) {
        assert_true(whole[k].lo <= denied[k] && denied[k] < whole[k].hi);
        assert_true(whole[k].hi - whole[k].lo <= 2 * DBL_EPSILON);
    }
    g->il = 2, g->iu = 4;
    assert_true(eig_cpu_stebz_small(g, EIG_D));
    /* Brackets below the part are made too. */
    for (int k = 0; k < 4; ++k) assert_true(s->groups[k].lo == whole[k].lo && s->groups[k].hi == whole[k].hi);
    close_setting(s);
}

/* --------------------------------------------------- counts that are not monotone */

/* MOST eigenvalues in clusters; a shift is counted as if it lay a little to the left or right of where it is. */
static double spectrum[MOST], wobble;

static int64_t wavering_count(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits ^ bits >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    double const at = x + wobble * ((double)(bits >> 40) * 0x1p-23 - 1);
    int64_t count = 0;
    while (count < MOST && spectrum[count] < at) ++count;
    return count;
}

static void wavering(const stebz_matrix *t, int shifts, stebz_counts *c)
{
    (void)t;
    for (int l = 0; l < shifts; ++l) {
        c->count[l] = wavering_count(c->x[l]);
        c->mantissa[l] = c->count[l] % 2 ? -1 : 1, c->exponent[l] = 0;
    }
}

/* Each eigenvalue that is asked for is found, between counts that were made at the ends of its own bracket. */
static void check_wavering(setting *s, int64_t il, int64_t iu)
{
    memset(s->groups, 0, sizeof s->groups);
    refine(s, il, iu, 400);
    for (int64_t k = il; k <= iu; ++k) {
        stebz_group const *const g = &s->groups[k - il];
        int64_t const below = g->lo == s->search.lo ? 0 : wavering_count(g->lo);
        int64_t const upto = g->hi == s->search.hi ? MOST : wavering_count(g->hi);
        if (!(below < k && k <= upto))
            fail_msg("[%.17g, %.17g] with counts %lld and %lld does not hold eigenvalue %lld", g->lo, g->hi,
                     (long long)below, (long long)upto, (long long)k);
        assert_true(g->hi - g->lo <= 2 * DBL_EPSILON);
        assert_true(fabs(0.5 * (g->lo + g->hi) - spectrum[k - 1]) <= 1.01 * wobble + DBL_EPSILON);
    }
}

static void test_wavering(void **state)
{
    static const double wobbles[] = {0.1, 1e-2, 1e-4, 1e-9, 1e-15};
    (void)state;
    setting *const s = open_setting(MOST);
    kernel = wavering, s->search.shifts = STEBZ_LANES;
    for (int i = 0; i < MOST; ++i) spectrum[i] = (double)(i / 7) / 60 - 0.7 + 1e-12 * (i % 7);
    for (int k = 0; k < 5; ++k) {
        wobble = wobbles[k];
        check_wavering(s, 1, MOST);
        check_wavering(s, 100, 130);
        check_wavering(s, 598, 600);
        check_wavering(s, 300, 300);
    }
    close_setting(s);
}

/* What is stored: midpoints that ascend though brackets overlap, bounds that lie outside of the brackets by the counts'
 * error, also where the type is narrower than the brackets. */
static void test_store(void **state)
{
    (void)state;
    setting *const s = open_setting(3);
    stebz_search *const g = &s->search;
    g->il = 1, g->iu = 3, g->scale = 2, g->error = 0;
    for (int t = 0; t < 2; ++t)
        for (int turn = 0; turn < 1000; ++turn) {
            g->kernels = &eig_cpu_kernels(s->ctx, t ? EIG_D : EIG_S)->stebz;
            double const at = 0.5 + turn * 1e-3 / 3, narrow = turn % 2 ? 1e-9 : 1e-15;
            double const lo[3] = {at, at - narrow, at - 2 * narrow}, hi[3] = {at + narrow, at, at + narrow};
            double w[9];
            float v[9];
            for (int k = 0; k < 3; ++k) s->groups[k].lo = lo[k], s->groups[k].hi = hi[k];
            void *const first = t ? (void *)w : (void *)v;
            stebz_problem const p = {.type = t ? EIG_D : EIG_S,
                                     .n = 3,
                                     .batch = 1,
                                     .w = first,
                                     .stride_w = 3,
                                     .lower = t ? (void *)(w + 3) : v + 3,
                                     .upper = t ? (void *)(w + 6) : v + 6};
            g->kernels->setup->store(&p, g, 0);
            for (int k = 0; k < 9 && !t; ++k) w[k] = (double)v[k];
            assert_true(w[0] <= w[1] && w[1] <= w[2]);
            assert_true(fabs(w[0] - 4 * at) <= 4 * narrow + 4 * (t ? DBL_EPSILON : (double)FLT_EPSILON));
            for (int k = 0; k < 3; ++k) assert_true(w[3 + k] < 4 * lo[k] && 4 * hi[k] < w[6 + k]);
        }
    close_setting(s);
}

int main(void)
{
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_generic),       cmocka_unit_test(test_no_more_than_250), cmocka_unit_test(test_misled),
        cmocka_unit_test(test_bad_proposals), cmocka_unit_test(test_wavering),         cmocka_unit_test(test_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
