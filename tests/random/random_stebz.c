/* stebz of random hard matrices: certificates; ranges by value that end at eigenvalues, beside them and at 0; counts,
 * of diagonal matrices exactly; the same bits in a part, in a batch and in a second run. */
#include "random.h"
#include "support/adversary_tridiagonal.h"
#include "support/ranges.h"
#include "support/stebz_fixture.h"

static int64_t matrices, ranges, counts;

/* ------------------------------------------------------------------- draws */

/* An entry of a diagonal matrix: 0, of either sign; some times the least number; a small integer; of any size. */
static double draw_entry(matrices_rng *rng, bool single)
{
    double const least = single ? 0x1p-149 : 0x1p-1074;
    switch (draw_integer(rng, 0, 4)) {
    case 0:
        return draw_sign(rng) * 0.0;
    case 1:
        return draw_sign(rng) * least * (double)draw_integer(rng, 1, 4);
    case 2:
        return (double)draw_integer(rng, -3, 3);
    default:
        return draw_sign(rng) * (single ? draw_decades(rng, -44, 38) : draw_decades(rng, -322, 308));
    }
}

static tridiagonal draw_diagonal(matrices_rng *rng, int64_t n, bool single)
{
    tridiagonal t = tridiagonal_new(n);
    bool const alike = draw_chance(rng, 0.2);
    for (int64_t i = 0; i < n; ++i) t.d[i] = i > 0 && alike ? t.d[0] : draw_entry(rng, single), t.e[i] = 0;
    snprintf(t.name, sizeof t.name, "diagonal");
    return t;
}

/* A path Laplacian, of any size, which has an eigenvalue 0. */
static tridiagonal draw_laplacian(matrices_rng *rng, int64_t n, bool single)
{
    tridiagonal t = tridiagonal_new(n);
    double const size = ldexp(1, (int)draw_integer(rng, single ? -140 : -1070, single ? 120 : 1020));
    for (int64_t i = 0; i < n; ++i) t.e[i] = -size, t.d[i] = i == 0 || i == n - 1 ? size : 2 * size;
    snprintf(t.name, sizeof t.name, "path Laplacian");
    return t;
}

/* Small integers, coupled by about the spacing of numbers: neighbouring brackets overlap. */
static void fill_near_integers(matrices_rng *rng, tridiagonal *t, bool single)
{
    double const eps = single ? FLT_EPSILON : DBL_EPSILON;
    for (int64_t i = 0; i < t->n; ++i)
        t->d[i] = (double)draw_integer(rng, -1, 1), t->e[i] = eps * 0.125 * (double)draw_integer(rng, 0, 16);
    snprintf(t->name, sizeof t->name, "near integers");
}

/* Entries near the largest number, and coupled by less than rounding errors: some eigenvalues are that, none overflows. */
static void fill_near_largest(matrices_rng *rng, tridiagonal *t, bool single)
{
    double const largest = single ? FLT_MAX : DBL_MAX, eps = single ? FLT_EPSILON : DBL_EPSILON;
    for (int64_t i = 0; i < t->n; ++i) {
        t->d[i] =
            draw_sign(rng) * largest * (draw_chance(rng, 0.5) ? 1 : 1 - eps * (double)draw_integer(rng, 1, 400000));
        t->e[i] = 0;
    }
    snprintf(t->name, sizeof t->name, "near the largest number");
}

/* Every second off-diagonal, or most of them, become 0, and some rows between them too. */
static void split_at_random(matrices_rng *rng, tridiagonal *t)
{
    double const share = draw_chance(rng, 0.5) ? 0.5 : 0.95;
    for (int64_t i = 0; i < t->n; ++i) {
        if (draw_chance(rng, share)) t->e[i] = 0;
        if (draw_chance(rng, 0.1)) t->d[i] = 0;
    }
    snprintf(t->name + strlen(t->name), sizeof t->name - strlen(t->name), ", split");
}

static fixture draw_fixture(matrices_rng *rng, uint64_t seed, char name[256])
{
    eig_type const type = draw_chance(rng, 0.3) ? EIG_S : EIG_D;
    bool const single = type == EIG_S;
    int64_t const n = draw_chance(rng, 0.5) ? draw_integer(rng, 1, 12) : draw_integer(rng, 13, 150);
    double const choice = matrices_uniform(rng);
    tridiagonal t = choice < 0.4   ? draw_diagonal(rng, n, single)
                    : choice < 0.5 ? draw_laplacian(rng, n, single)
                                   : adversary_tridiagonal(rng, n, single);
    if (choice > 0.7) split_at_random(rng, &t);
    /* Draws of their own, so that older seeds keep their matrices but for one in eight. */
    matrices_rng other = matrices_seed(seed + (UINT64_C(1) << 33));
    int64_t const kind = draw_integer(&other, 0, 15);
    if (kind == 0) fill_near_integers(&other, &t, single);
    if (kind == 1) fill_near_largest(&other, &t, single);
    fixture f = make("uniform", n, 1, type);
    memcpy(f.t.d, t.d, (size_t)n * sizeof(double));
    if (n > 1) memcpy(f.t.e, t.e, (size_t)(n - 1) * sizeof(double));
    take(&f);
    snprintf(name, 256, "seed %llu, %s, n = %lld", (unsigned long long)seed, t.name, (long long)n);
    tridiagonal_free(&t);
    return f;
}

static eig_stebz_options draw_options(matrices_rng *rng, const fixture *f)
{
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
    o.method =
        draw_chance(rng, 0.7) ? EIG_STEBZ_MULTISECTION : (eig_stebz_method)draw_integer(rng, 0, EIG_STEBZ_REFERENCE);
    if (f->t.n > 60) o.method = EIG_STEBZ_MULTISECTION;
    if (draw_chance(rng, 0.4)) o.abstol = 2 * DBL_MIN;
    return o;
}

/* ------------------------------------------------------------------ checks */

static bool is_diagonal(const fixture *f)
{
    for (int64_t i = 0; i + 1 < f->t.n; ++i)
        if (f->t.e[i] != 0) return false;
    return true;
}

/* An eigenvalue, a number beside it, an entry, or 0. */
static double draw_end(matrices_rng *rng, const fixture *f, const double *w)
{
    int64_t const k = draw_integer(rng, 0, f->t.n - 1), choice = draw_integer(rng, 0, 5);
    double const at = draw_chance(rng, 0.5) ? w[k] : f->t.d[k];
    return choice == 0 ? 0 : choice == 1 ? nextafter(at, -INFINITY) : choice == 2 ? nextafter(at, INFINITY) : at;
}

/* The eigenvalues up to x by the count of the library, which must be exact on a diagonal T, and elsewhere within what
 * rounding allows. */
static int64_t check_upto(eig_context *ctx, const char *name, const fixture *f, double x)
{
    int64_t const n = f->t.n;
    double const next = range_shift_of(f->type, x);
    int64_t count, low = 0, high = 0;
    if (eig_dstebz_count(ctx, n, f->t.d, f->t.e, 1, &next, &count, NULL) != EIG_OK)
        fail_msg("%s: %s", name, eig_error_detail(ctx));
    if (is_diagonal(f)) {
        for (int64_t i = 0; i < n; ++i) low += f->t.d[i] < next;
        high = low;
    } else {
        long double const error = 4 * DBL_EPSILON * (long double)f->scale + 0x1p-1070L;
        low = isinf(next) ? count : reference_count(n, f->t.d, f->t.e, (long double)next - error);
        high = isinf(next) ? count : reference_count(n, f->t.d, f->t.e, (long double)next + error);
    }
    if (count < low || count > high)
        fail_msg("%s: %lld eigenvalues below %.17g, not %lld to %lld", name, (long long)count, next, (long long)low,
                 (long long)high);
    ++counts;
    return count;
}

/* The eigenvalues in (vl, vu] are those that the counts say, with the bits of the full run where those lie in the range. */
static void check_range(eig_context *ctx, const char *name, fixture *f, eig_stebz_options o, const double *w)
{
    o.range = EIG_RANGE_VALUE;
    int64_t const below = check_upto(ctx, name, f, o.vl), upto = check_upto(ctx, name, f, o.vu);
    if (solve(ctx, &o, f) != upto - below)
        fail_msg("%s: method %d: %lld of %lld eigenvalues in (%.17g, %.17g]", name, (int)o.method, (long long)f->m,
                 (long long)(upto - below), o.vl, o.vu);
    /* The baseline's range has other intervals. */
    for (int64_t k = 0; k < f->m && o.method != EIG_STEBZ_INTERVAL_TREE; ++k) {
        double const part = w_of(f, k), all = range_value_of(f->type, w[below + k], o.vl, o.vu);
        if (memcmp(&part, &all, sizeof part) != 0)
            fail_msg("%s: eigenvalue %lld of a range is %.17g, of all %.17g", name, (long long)(below + k + 1), part,
                     w[below + k]);
    }
    for (int64_t k = 0; k < f->m; ++k)
        if (!(o.vl < w_of(f, k) || o.vl == -INFINITY) || !(w_of(f, k) <= o.vu || o.vu == DBL_MAX))
            fail_msg("%s: %.17g is not in (%.17g, %.17g]", name, w_of(f, k), o.vl, o.vu);
    ++ranges;
}

/* Eigenvalues il to iu have the bits of the full run, but for the baseline, whose intervals are others. */
static void check_indices(eig_context *ctx, const char *name, fixture *f, eig_stebz_options o, const double *w,
                          matrices_rng *rng)
{
    if (o.method == EIG_STEBZ_INTERVAL_TREE) return;
    o.range = EIG_RANGE_INDEX, o.il = draw_integer(rng, 1, f->t.n), o.iu = draw_integer(rng, o.il, f->t.n);
    if (draw_chance(rng, 0.5)) o.iu = o.il;
    if (solve_with(ctx, &o, f, draw_chance(rng, 0.5)) != o.iu - o.il + 1)
        fail_msg("%s: m = %lld", name, (long long)f->m);
    for (int64_t k = 0; k < f->m; ++k) {
        double const part = w_of(f, k);
        if (memcmp(&part, &w[o.il - 1 + k], sizeof part) != 0)
            fail_msg("%s: method %d: eigenvalue %lld of %lld to %lld is %.17g, of all %.17g", name, (int)o.method,
                     (long long)(o.il + k), (long long)o.il, (long long)o.iu, part, w[o.il - 1 + k]);
    }
}

/* With a tolerance that asks for it the entries of a diagonal matrix come out, each to its own last places, but, where
 * this is not a CPU's multisection, those that are too small beside the largest (eigpack.h). */
static void check_small(eig_context *ctx, const char *name, const fixture *f, const eig_stebz_options *o)
{
    double const eps = type_eps(f->type), spacing = type_is_single(f->type) ? 0x1p-149 : 0x1p-1074;
    bool const huge = f->scale > 0x1p959 || (type_is_single(f->type) && f->scale > 0x1p95);
    bool const baseline = o->method == EIG_STEBZ_INTERVAL_TREE && type_is_single(f->type); /* counts in float */
    bool const on_cpu = strncmp(eig_describe(ctx), "cpu", 3) == 0;    /* another file has the program's arguments */
    bool const exact = on_cpu && o->method == EIG_STEBZ_MULTISECTION; /* of rows that stand alone */
    if (!is_diagonal(f) || o->abstol == 0 || (huge && !exact) || baseline) return;
    for (int64_t k = 0; k < f->m; ++k) {
        double const at = w_of(f, k), error = o->abstol + 4 * eps * fabs(at) + spacing;
        int64_t low = 0, high = 0;
        for (int64_t i = 0; i < f->t.n; ++i) low += f->t.d[i] < at - error, high += f->t.d[i] <= at + error;
        if (low > k || high < k + 1) fail_msg("%s: %.17g is not entry %lld", name, at, (long long)k + 1);
    }
}

/* Two matrices in a batch: the bits of one by itself. */
static void check_batch(eig_context *ctx, const char *name, const fixture *f, eig_stebz_options o, const double *w)
{
    int64_t const n = f->t.n;
    int info[2];
    numbers d, e, both;
    if (!numbers_make(&d, f->type, 2 * n) || !numbers_make(&e, f->type, 2 * n) || !numbers_make(&both, f->type, 2 * n))
        fail_msg("no memory");
    for (int b = 0; b < 2; ++b) numbers_from(&d, b * n, f->t.d, n), numbers_from(&e, b * n, f->t.e, n - 1);
    if (eig_stebz_batched(ctx, f->type, &o, n, d.data, n, e.data, n, both.data, NULL, NULL, n, info, 2) != EIG_OK)
        fail_msg("%s: %s", name, eig_error_detail(ctx));
    for (int64_t k = 0; k < 2 * n; ++k) {
        double const one = numbers_part(&both, k);
        if (memcmp(&one, &w[k % n], sizeof one) != 0)
            fail_msg("%s: eigenvalue %lld is %.17g in a batch, %.17g alone", name, (long long)(k % n) + 1, one,
                     w[k % n]);
    }
    numbers_free(&d), numbers_free(&e), numbers_free(&both);
}

void random_stebz(eig_context *ctx, uint64_t seed)
{
    matrices_rng rng = matrices_seed(seed);
    char name[256];
    fixture f = draw_fixture(&rng, seed, name);
    eig_stebz_options o = draw_options(&rng, &f);
    if (!fits(&f)) {
        drop(&f);
        return;
    }
    if (solve_with(ctx, &o, &f, true) != f.t.n) fail_msg("%s: %lld eigenvalues", name, (long long)f.m);
    certify(name, &f, 1, f.m, 0.5 * o.abstol);
    certify_enclosures(name, &f, 1);
    check_small(ctx, name, &f, &o);
    double *const w = calloc((size_t)f.t.n, sizeof *w);
    if (!w) fail_msg("no memory");
    for (int64_t k = 0; k < f.t.n; ++k) w[k] = w_of(&f, k);
    for (int k = 0; k < 4; ++k) {
        double const one = k == 0 ? -INFINITY : draw_end(&rng, &f, w),
                     other = k == 1 ? INFINITY : draw_end(&rng, &f, w);
        o.vl = fmin(one, other), o.vu = fmax(one, other);
        if (o.vl < o.vu) check_range(ctx, name, &f, o, w);
    }
    for (int k = 0; k < 3; ++k) check_indices(ctx, name, &f, o, w, &rng);
    check_batch(ctx, name, &f, o, w);
    ++matrices;
    free(w), drop(&f);
}

void random_stebz_report(void)
{
    printf("stebz: %lld matrices, %lld ranges by value, %lld counts\n", (long long)matrices, (long long)ranges,
           (long long)counts);
}
