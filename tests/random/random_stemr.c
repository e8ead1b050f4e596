/* stemr of random hard matrices: certificates; the same bits in a second run, in a subset, in ranges by value, and of
 * values alone. */
#include "random.h"
#include "support/adversary_tridiagonal.h"
#include "support/ranges.h"
#include "support/stemr_fixture.h"

enum { MOST_PAIRS = 300, FULL = 500 };

static int64_t matrices, pairs, last_resorts;

/* Small orders, those around 128, and at times large ones. */
static int64_t draw_order(matrices_rng *rng)
{
    double const choice = matrices_uniform(rng);
    if (choice < 0.08) return draw_integer(rng, 1, 12);
    if (choice < 0.4) return draw_integer(rng, 2, 127);
    if (choice < 0.8) return draw_integer(rng, 128, 250);
    return choice < 0.97 ? draw_integer(rng, 251, FULL) : draw_integer(rng, FULL + 1, 2500);
}

/* What a call wrote. */
typedef struct results {
    char *w, *z;
    int64_t *isuppz;
    int *info;
} results;

static results results_new(const fixture *f, int64_t count)
{
    size_t const size = type_size(f->type), m = (size_t)count;
    results r = {calloc(m, size), calloc(m * (size_t)f->n, size), calloc(2 * m, sizeof *r.isuppz),
                 calloc(m, sizeof *r.info)};
    if (!r.w || !r.z || !r.isuppz || !r.info) fail_msg("no memory");
    return r;
}

static void results_free(results *r)
{
    free(r->w), free(r->z), free(r->isuppz), free(r->info);
}

/* Pairs first, ..., first + count - 1 (from 0) of the fixture. */
static results results_of(const fixture *f, int64_t first, int64_t count)
{
    results r = results_new(f, count);
    size_t const size = type_size(f->type), m = (size_t)count;
    memcpy(r.w, numbers_at(&f->w, first), m * size);
    for (size_t k = 0; k < m; ++k)
        memcpy((char *)r.z + k * (size_t)f->n * size, numbers_at(&f->z, (first + (int64_t)k) * f->ldz),
               (size_t)f->n * size);
    memcpy(r.isuppz, f->isuppz + 2 * first, 2 * m * sizeof *r.isuppz);
    memcpy(r.info, f->info + first, m * sizeof *r.info);
    return r;
}

/* Values, and where `vectors` all else, have the same bits. */
static void expect_same(const char *name, const char *what, const fixture *f, const results *a, const results *b,
                        int64_t count, bool vectors)
{
    size_t const size = type_size(f->type), m = (size_t)count;
    if (memcmp(a->w, b->w, m * size) != 0) fail_msg("%s: %s: values have other bits", name, what);
    if (!vectors) return;
    if (memcmp(a->z, b->z, m * (size_t)f->n * size) != 0) fail_msg("%s: %s: vectors have other bits", name, what);
    if (memcmp(a->isuppz, b->isuppz, 2 * m * sizeof *a->isuppz) != 0) fail_msg("%s: %s: another support", name, what);
    if (memcmp(a->info, b->info, m * sizeof *a->info) != 0) fail_msg("%s: %s: another info", name, what);
}

/* A second run, without the measures that may be asked for, has the same bits; so have the values alone. */
static void check_again(eig_context *ctx, const char *name, const fixture *f, const eig_stemr_options *o,
                        const results *once)
{
    results again = results_new(f, f->m);
    int64_t m = -1;
    for (int vectors = 1; vectors >= 0; --vectors) {
        if (eig_stemr(ctx, f->type, o, f->n, f->d.data, f->e.data, &m, again.w, vectors ? again.z : NULL, f->n,
                      vectors ? again.isuppz : NULL, vectors ? again.info : NULL, NULL, NULL, NULL) != EIG_OK)
            fail_msg("%s: %s", name, eig_error_detail(ctx));
        if (m != f->m) fail_msg("%s: %lld pairs, then %lld", name, (long long)f->m, (long long)m);
        expect_same(name, vectors ? "a second run" : "values alone", f, once, &again, m, vectors);
        memset(again.w, 0, (size_t)m * type_size(f->type));
    }
    results_free(&again);
}

/* Some of the pairs il, ..., which the fixture holds, by themselves: all is promised of them, and the bits are the
 * same, but for vectors of the last resort, which depend on their neighbours. */
static void check_subset(eig_context *ctx, const char *name, fixture *f, int64_t il, matrices_rng *rng)
{
    int64_t const first = draw_integer(rng, 0, f->m - 1), most = draw_chance(rng, 0.5) ? 5 : f->m;
    int64_t const last = draw_integer(rng, first, first + most < f->m ? first + most : f->m - 1),
                  count = last - first + 1;
    bool const same_way = f->stats.inverse_iterations == 0;
    results among = results_of(f, first, count);
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    o.range = EIG_RANGE_INDEX, o.il = il + first, o.iu = il + last;
    solve(ctx, &o, f);
    if (f->m != count) fail_msg("%s: %lld pairs of %lld", name, (long long)f->m, (long long)count);
    results alone = results_of(f, 0, count);
    expect_same(name, "a subset", f, &among, &alone, count, same_way);
    if (!same_way) certify(name, f, o.il);
    results_free(&among), results_free(&alone);
}

/* Eigenvalues up to x, as stebz counts them. */
static int64_t count_upto(eig_context *ctx, const char *name, const fixture *f, double x)
{
    int64_t const n = f->n;
    double const shift = range_shift_of(f->type, x);
    int64_t count;
    double *const d = calloc(2 * (size_t)n, sizeof *d), *const e = d + n;
    if (!d) fail_msg("no memory");
    for (int64_t i = 0; i < n; ++i) d[i] = numbers_part(&f->d, i);
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = numbers_part(&f->e, i);
    if (eig_dstebz_count(ctx, n, d, e, 1, &shift, &count, NULL) != EIG_OK)
        fail_msg("%s: %s", name, eig_error_detail(ctx));
    free(d);
    return count;
}

/* Two ranges by value that meet, often at a value, beside it or at 0: all pairs of the fixture, each once, as counts say, and
 * as stebz does it. */
static void check_values(eig_context *ctx, const char *name, const fixture *f, const results *all, matrices_rng *rng)
{
    int64_t const k = draw_integer(rng, 0, f->n - 1), choice = draw_integer(rng, 0, 3);
    double const at = type_get(f->type, all->w, k);
    double const ends[] = {at, 0, nextafter(at, -INFINITY), nextafter(at, INFINITY)}, end = ends[choice];
    int64_t m = -1;
    if (isinf(end)) return;
    int64_t const upto = count_upto(ctx, name, f, end);
    for (int side = 0; side < 2; ++side) {
        results part = results_new(f, f->n);
        eig_stemr_options o = EIG_STEMR_OPTIONS;
        o.range = EIG_RANGE_VALUE, o.vl = side ? end : -INFINITY, o.vu = side ? INFINITY : end;
        if (eig_stemr(ctx, f->type, &o, f->n, f->d.data, f->e.data, &m, part.w, NULL, 0, NULL, NULL, NULL, NULL,
                      NULL) != EIG_OK)
            fail_msg("%s: %s", name, eig_error_detail(ctx));
        int64_t const want = side ? f->n - upto : upto;
        if (m != want)
            fail_msg("%s: %lld of %lld values in (%.17g, %.17g]", name, (long long)m, (long long)want, o.vl, o.vu);
        for (int64_t j = 0; j < m; ++j) {
            double const w = type_get(f->type, part.w, j), same = type_get(f->type, all->w, j + (side ? upto : 0));
            double const inside = range_value_of(f->type, same, o.vl, o.vu);
            if (memcmp(&w, &inside, sizeof w) != 0)
                fail_msg("%s: a value in (%.17g, %.17g] is %.17g, of all %.17g", name, o.vl, o.vu, w, same);
        }
        eig_stebz_options other = EIG_STEBZ_OPTIONS;
        other.range = o.range, other.vl = o.vl, other.vu = o.vu;
        if (eig_stebz(ctx, f->type, &other, f->n, f->d.data, f->e.data, &m, part.w, NULL, NULL, NULL) != EIG_OK)
            fail_msg("%s: %s", name, eig_error_detail(ctx));
        if (m != want)
            fail_msg("%s: stebz finds %lld of %lld values in (%.17g, %.17g]", name, (long long)m, (long long)want, o.vl,
                     o.vu);
        results_free(&part);
    }
}

static fixture draw_fixture(matrices_rng *rng, uint64_t seed, char name[256])
{
    eig_type const type = draw_chance(rng, 0.25) ? EIG_S : EIG_D;
    tridiagonal t = adversary_tridiagonal(rng, draw_order(rng), type == EIG_S);
    fixture f = {.type = type, .n = t.n, .plain_d = t.d, .plain_e = t.e};
    snprintf(name, 256, "seed %llu, %s", (unsigned long long)seed, t.name);
    take(&f);
    return f;
}

void random_stemr(eig_context *ctx, uint64_t seed)
{
    matrices_rng rng = matrices_seed(seed);
    char name[256];
    fixture f = draw_fixture(&rng, seed, name);
    int64_t const il = f.n > FULL ? draw_integer(&rng, 1, f.n - MOST_PAIRS) : 1;
    int64_t const count = f.n > FULL ? draw_integer(&rng, 1, MOST_PAIRS) : f.n;
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    o.range = f.n > FULL ? EIG_RANGE_INDEX : EIG_RANGE_ALL, o.il = il, o.iu = il + count - 1;
    if (f.n <= FULL) o.il = o.iu = 0;
    if (call(ctx, &o, &f, true) != EIG_OK) fail_msg("%s: %s", name, eig_error_detail(ctx));
    if (f.m != count) fail_msg("%s: %lld pairs of %lld", name, (long long)f.m, (long long)count);
    certify(name, &f, il);
    ++matrices, pairs += f.m, last_resorts += f.stats.inverse_iterations;
    results once = results_of(&f, 0, f.m);
    check_again(ctx, name, &f, &o, &once);
    if (f.n <= FULL) check_values(ctx, name, &f, &once, &rng);
    check_subset(ctx, name, &f, il, &rng);
    results_free(&once), drop(&f);
}

void random_stemr_report(void)
{
    printf("stemr: %lld matrices, %lld pairs, %lld by the last resort; worst residual %.3f, inner product %.3f n eps\n",
           (long long)matrices, (long long)pairs, (long long)last_resorts, worst_residual, worst_orthogonality);
}
