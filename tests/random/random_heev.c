/* heev of batches of random hard matrices: certificates of vectors and values; values alone; a NaN or an infinity
 * spoils its matrix alone; a matrix has the same bits by itself; `relative` gives every eigenvalue digits of its own. */
#include "random.h"
#include "support/adversary_hermitian.h"
#include "support/heev_fixture.h"

enum { SMALL = 33 };

static int64_t matrices;
static double worst_residual, worst_orthogonality, worst_values, worst_relative;

static void put_matrix(batch *b, int64_t m, const hermitian_draw *h)
{
    int const parts = type_is_complex(b->type) ? 2 : 1;
    for (int64_t k = 0; k < b->n * b->n; ++k) {
        numbers_put_part(&b->a, parts * (m * b->n * b->n + k), h->re[k]);
        if (parts == 2) numbers_put_part(&b->a, 2 * (m * b->n * b->n + k) + 1, h->im[k]);
    }
}

/* A NaN or an infinity in the triangle that is read, which is the lower one where not `upper`. */
static void spoil(matrices_rng *rng, batch *b, int64_t m, bool upper)
{
    int64_t const i = draw_integer(rng, 0, b->n - 1), j = draw_integer(rng, 0, i);
    int64_t const at = m * b->n * b->n + (upper ? j * b->n + i : i * b->n + j);
    int const parts = type_is_complex(b->type) ? 2 : 1, part = i != j && draw_chance(rng, 0.5) ? parts - 1 : 0;
    numbers_put_part(&b->a, parts * at + part, draw_chance(rng, 0.3) ? NAN : draw_sign(rng) * INFINITY);
}

static void expect_spoilt(const char *name, const batch *b, int64_t m)
{
    if (b->info[m] != EIG_INFO_NOT_FINITE) fail_msg("%s: info = %d", name, b->info[m]);
    for (int64_t k = 0; k < b->n; ++k)
        if (!isnan(numbers_re(&b->w, m * b->n + k)))
            fail_msg("%s: not finite, and w[%lld] is no NaN", name, (long long)k);
    for (int64_t k = m * b->n * b->n; k < (m + 1) * b->n * b->n; ++k)
        if (!isnan(numbers_re(&b->v, k))) fail_msg("%s: not finite, and a vector is no NaN", name);
}

static void check_matrix(const char *name, const batch *b, int64_t m, const batch *alone)
{
    int64_t const n = b->n;
    double const eps = type_eps(b->type);
    certify_vectors(name, b, m, n < 4 ? 40 / (long double)n : 10);
    hermitian_norms const norms = hermitian_measure(n, &b->a, &b->w, &b->v, m, true);
    if (n <= SMALL) certify_values(name, b, m);
    if (norms.a > 1e-300L && !type_is_single(b->type))
        worst_residual = fmax(worst_residual, (double)(norms.residual / norms.a) / ((double)n * eps));
    worst_orthogonality = fmax(worst_orthogonality, (double)norms.orthogonality / ((double)n * eps));
    long double const unit = (long double)n * (long double)eps * norms.a;
    long double const tiny = type_is_single(b->type) ? 0x1p-149L : 0x1p-1074L;
    for (int64_t k = m * n; k < (m + 1) * n; ++k) {
        long double const apart = fabsl((long double)numbers_re(&b->w, k) - (long double)numbers_re(&alone->w, k));
        if (!(apart <= 10 * unit + tiny)) fail_msg("%s: values alone differ by %Lg", name, apart);
        if (unit > 1e-320L) worst_values = fmax(worst_values, (double)(apart / unit));
    }
}

/* On CUDA the number of matrices decides from this order on which kernels compute them (eigpack.h). */
enum { NUMBER_DECIDES = 116 };

/* Matrix m has the bits that it has in the batch by itself, or, where the number of matrices decides, in another place of as large a
 * batch. */
static void check_position(eig_context *ctx, const char *name, const eig_heev_options *o, const batch *b, placement p,
                           int64_t m)
{
    bool const alone = strncmp(eig_describe(ctx), "cpu", 3) == 0 || b->n < NUMBER_DECIDES;
    int64_t const square = b->n * b->n, count = alone ? 1 : b->count;
    size_t const size = type_size(b->type), real_size = type_size(type_real(b->type));
    batch other = batch_new(b->n, count, b->type);
    for (int64_t k = 0; k < count; ++k) /* matrix m comes last */
        memcpy(numbers_at(&other.a, k * square), numbers_at(&b->a, (m + 1 + k + b->count - count) % b->count * square),
               (size_t)square * size);
    solve_part(ctx, o, &other, p, 0, count);
    if (memcmp(numbers_at(&other.w, (count - 1) * b->n), numbers_at(&b->w, m * b->n), (size_t)b->n * real_size) != 0 ||
        memcmp(numbers_at(&other.v, (count - 1) * square), numbers_at(&b->v, m * square), (size_t)square * size) != 0)
        fail_msg("%s: other bits %s than in a batch of %lld", name, alone ? "by itself" : "in the last place",
                 (long long)b->count);
    batch_free(&other);
}

static eig_heev_method draw_method(matrices_rng *rng, int64_t n)
{
    switch (draw_integer(rng, 0, 9)) {
    case 0:
        return EIG_HEEV_JACOBI;
    case 1:
        return EIG_HEEV_TRIDIAGONAL;
    case 2:
        return n < 60 ? EIG_HEEV_REFERENCE : EIG_HEEV_AUTO;
    default:
        return EIG_HEEV_AUTO;
    }
}

static eig_layout draw_layout(matrices_rng *rng)
{
    static eig_layout const layouts[] = {EIG_LAYOUT_MATRIX_WISE, EIG_LAYOUT_ELEMENT_WISE, EIG_LAYOUT_ROW_WISE};
    return layouts[draw_integer(rng, 0, 2)];
}

/* A batch of positive definite matrices D B D with option `relative`; most of them small, few beyond what lanes and warps hold. */
static void random_relative(eig_context *ctx, uint64_t seed)
{
    static eig_heev_method const able[] = {EIG_HEEV_AUTO, EIG_HEEV_JACOBI, EIG_HEEV_REFERENCE};
    matrices_rng rng = matrices_seed(seed + (UINT64_C(1) << 32));
    eig_type const type = all_types[draw_integer(&rng, 0, 3)];
    int64_t const choice = draw_integer(&rng, 0, 29), n = draw_integer(&rng, 1,
                                                                       choice < 26   ? 8
                                                                       : choice < 29 ? 40
                                                                                     : 70);
    eig_heev_options o = EIG_HEEV_OPTIONS;
    o.relative = 1, o.method = able[draw_integer(&rng, 0, 2)];
    batch b = batch_new(n, n <= 8 ? 20 : 1, type);
    for (int64_t m = 0; m < b.count; ++m) {
        hermitian_draw h = hermitian_draw_new(n, type_is_complex(type));
        adversary_definite(&rng, &h, type_is_single(type));
        put_matrix(&b, m, &h);
        hermitian_draw_free(&h);
    }
    solve_part(ctx, &o, &b, (placement){.upper = draw_chance(&rng, 0.3)}, 0, b.count);
    for (int64_t m = 0; m < b.count; ++m, ++matrices) {
        char name[160];
        snprintf(name, sizeof name, "seed %llu, relative, matrix %lld of %lld, method %d", (unsigned long long)seed,
                 (long long)m, (long long)b.count, (int)o.method);
        certify_vectors(name, &b, m, n < 4 ? 40 / (long double)n : 10);
        worst_relative = fmax(worst_relative, certify_relative(name, &b, m, 4));
    }
    batch_free(&b);
}

void random_heev(eig_context *ctx, uint64_t seed)
{
    enum { MOST = 40 };
    matrices_rng rng = matrices_seed(seed);
    eig_type const type = all_types[draw_integer(&rng, 0, 3)];
    int64_t const n = draw_integer(&rng, 1, draw_chance(&rng, 0.7) ? SMALL : 130);
    int64_t const count = draw_integer(&rng, 1, n <= SMALL ? MOST : 4);
    eig_heev_options o = EIG_HEEV_OPTIONS;
    o.method = draw_method(&rng, n);
    placement p = {.layout = draw_layout(&rng), .upper = draw_chance(&rng, 0.3), .pad = draw_integer(&rng, 0, 3)};
    batch b = batch_new(n, count, type), alone = batch_new(n, count, type);
    const char *kinds[MOST];
    bool spoilt[MOST] = {false};
    for (int64_t m = 0; m < count; ++m) {
        hermitian_draw h = hermitian_draw_new(n, type_is_complex(type));
        kinds[m] = adversary_hermitian(&rng, &h, type_is_single(type));
        put_matrix(&b, m, &h);
        spoilt[m] = draw_chance(&rng, 0.06);
        if (spoilt[m]) spoil(&rng, &b, m, p.upper);
        hermitian_draw_free(&h);
    }
    memcpy(alone.a.data, b.a.data, (size_t)(n * n * count) * type_size(type));
    solve_part(ctx, &o, &b, p, 0, count);
    placement only = p;
    only.values_only = true;
    solve_part(ctx, &o, &alone, only, 0, count);
    for (int64_t m = 0; m < count; ++m) {
        char name[160];
        snprintf(name, sizeof name, "seed %llu, matrix %lld of %lld, %s, method %d", (unsigned long long)seed,
                 (long long)m, (long long)count, kinds[m], (int)o.method);
        ++matrices;
        if (spoilt[m])
            expect_spoilt(name, &b, m);
        else
            check_matrix(name, &b, m, &alone);
        if (draw_chance(&rng, 0.1) && !spoilt[m]) check_position(ctx, name, &o, &b, p, m);
    }
    batch_free(&b), batch_free(&alone);
    random_relative(ctx, seed);
}

void random_heev_report(void)
{
    printf("heev: %lld matrices; worst residual %.3f (double), orthogonality %.3f, values alone %.3f n eps, relative "
           "%.3f n eps cond(B)\n",
           (long long)matrices, worst_residual, worst_orthogonality, worst_values, worst_relative);
}
