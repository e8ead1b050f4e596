/* Eigenvectors and condition numbers of geev, of real and complex matrices: certificates of every pair, matrices whose
 * vectors and condition numbers are known, defective ones. */
#include "support/geev_vectors_fixture.h"

static eig_geev_method const methods[] = {EIG_GEEV_AUTO, EIG_GEEV_REFERENCE};

static eig_geev_options by(eig_geev_method method, int no_balance)
{
    eig_geev_options o = EIG_GEEV_OPTIONS;
    o.method = method, o.no_balance = no_balance;
    return o;
}

static bool verbose(void)
{
    return getenv("EIG_TEST_VERBOSE") != NULL;
}

/* All kinds of matrices, all types, both methods, balanced and not. */
static void kinds_of(eig_context *ctx, const char *kind, int64_t n, int64_t count)
{
    for (size_t c = 0; c < 4 * COUNT(all_types); ++c) {
        pairs b = pairs_make(kind, n, count, all_types[c / 4], 3);
        eig_geev_options const o = by(methods[c / 2 % 2], c % 2);
        long double worst = 0;
        pairs_solve(ctx, &o, &b, WANT_ALL);
        /* Balanced, a badly scaled matrix has the residuals that LAPACK's have, too: docs/families/geev.md. */
        bool const harmed = strstr(kind, "graded") && !o.no_balance;
        for (int64_t m = 0; m < count; ++m) worst = fmaxl(worst, certify_vectors(kind, &b, m, harmed ? 1000 : 10));
        if (verbose() && worst > 1)
            printf("%s n=%lld %s method %d no_balance %d: %.2Lf\n", kind, (long long)n, type_name(b.type),
                   (int)o.method, o.no_balance, worst);
        pairs_free(&b);
    }
}

static void test_kinds(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t k = 0; matrices_nonsymmetric_names[k]; ++k)
        for (int64_t n = 1; n <= 33; n = n < 5 ? n + 1 : n + 9) kinds_of(ctx, matrices_nonsymmetric_names[k], n, 3);
    eig_destroy(ctx);
}

/* The sums of the eigenvalues of matrix m, of their squares and of their cubes are the traces of A, A^2 and A^3.  (The first two do
 * not see a wrong entry above the diagonal of a Hessenberg matrix.) */
static void certify_sums(const char *name, const pairs *b, int64_t m)
{
    int64_t const n = b->n;
    const double *const a = b->a + 2 * m * n * n;
    long double const norm = pairs_norm(b, m), limit = 4 * sqrtl((long double)n) * residual_unit(b, m);
    dense_number off[3] = {0, 0, 0};
    for (int64_t i = 0; i < n; ++i) {
        dense_number const w = number_at(b->w, m * n + i), square = dense_product(w, w);
        off[0] += number_at(a, i * n + i) - w, off[1] -= square, off[2] -= dense_product(square, w);
        for (int64_t j = 0; j < n; ++j) {
            dense_number const back = number_at(a, j * n + i);
            dense_number sum = 0; /* entry (i, j) of A^2 */
            for (int64_t k = 0; k < n; ++k) sum += dense_product(number_at(a, i * n + k), number_at(a, k * n + j));
            off[1] += dense_product(number_at(a, i * n + j), back), off[2] += dense_product(sum, back);
        }
    }
    bool good = b->info[m] == 0;
    long double most = limit;
    for (int power = 0; power < 3; ++power, most *= norm) good = good && cabsl(off[power]) <= (power + 1) * most;
    if (!good)
        fail_msg("%s n=%lld %s matrix %lld: traces are off by %.1Lg, %.1Lg, %.1Lg, norm %.1Lg, info %d", name,
                 (long long)n, type_name(b->type), (long long)m, cabsl(off[0]), cabsl(off[1]), cabsl(off[2]), norm,
                 b->info[m]);
}

/* Eigenvalues alone, in a batch and one by one. */
static void test_values(void **state)
{
    static const int64_t orders[] = {1, 2, 3, 5, 8, 9, 16, 17, 31, 32, 33, 48, 49, 64, 65};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t k = 0; matrices_nonsymmetric_names[k]; ++k)
        for (size_t c = 0; c < COUNT(orders); ++c) {
            const char *const kind = matrices_nonsymmetric_names[k];
            int64_t const n = orders[c], count = 5;
            eig_type const type = all_types[(k + c) % 4];
            pairs b = pairs_make(kind, n, count, type, 4), alone = pairs_make(kind, n, count, type, 4);
            eig_geev_options const o = by(EIG_GEEV_AUTO, strstr(kind, "graded") != NULL);
            pairs_solve(ctx, &o, &b, 0);
            for (int64_t m = 0; m < count; ++m) {
                if (m == n % count || n < 20) certify_sums(kind, &b, m);
                pairs_solve_part(ctx, &o, &alone, place(EIG_LAYOUT_MATRIX_WISE, n, 1, 0), m, 1, 0, 0);
            }
            if (memcmp(b.w, alone.w, (size_t)(2 * n * count) * sizeof(double)) != 0)
                fail_msg("%s n=%lld %s: other bits in a batch", kind, (long long)n, type_name(type));
            pairs_free(&b), pairs_free(&alone);
        }
    eig_destroy(ctx);
}

/* Left vectors, right ones, or both, without condition numbers: certificates of every pair. */
static void test_sides(void **state)
{
    static const int64_t orders[] = {1, 2, 3, 5, 8, 9, 16, 17, 32, 33, 48, 49, 64};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t k = 0; matrices_nonsymmetric_names[k]; ++k)
        for (size_t c = 0; c < 3 * COUNT(orders); ++c) {
            const char *const kind = matrices_nonsymmetric_names[k];
            int64_t const n = orders[c / 3];
            int const wanted = (int)(c % 3) + 1;
            pairs b = pairs_make(kind, n, 2, all_types[(k + c / 3) % 4], 9);
            eig_geev_options const o = by(EIG_GEEV_AUTO, strstr(kind, "graded") != NULL);
            pairs_solve(ctx, &o, &b, wanted);
            for (int64_t m = 0; m < b.count; ++m)
                for (int left = 0; left < 2; ++left)
                    for (int64_t j = 0; wanted & (left ? WANT_LEFT : WANT_RIGHT) && j < n; ++j) {
                        long double const r = pair_residual(&b, m, j, left), unit = residual_unit(&b, m);
                        if (!(r <= 10 * unit) || b.info[m] != 0)
                            fail_msg("%s n=%lld %s: pair %lld is off by %.1Lf n eps |A|, info %d", kind, (long long)n,
                                     type_name(b.type), (long long)j, r / unit, b.info[m]);
                        certify_shape(kind, &b, m, j, left);
                    }
            pairs_free(&b);
        }
    eig_destroy(ctx);
}

/* Every order up to 66, and some larger ones, of which every so many pairs are certified. */
static void test_orders(void **state)
{
    static const int64_t large[] = {100, 127, 128, 129, 200};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int64_t c = 0; c < 67 + (int64_t)COUNT(large); ++c) {
        int64_t const n = c < 67 ? c : large[c - 67];
        eig_type const type = all_types[c % 4];
        pairs b = pairs_make("gaussian", n, n < 20 ? 17 : 1, type, (uint64_t)c);
        eig_geev_options const o = by(methods[c / 4 % 2], 0);
        pairs_solve(ctx, &o, &b, WANT_ALL);
        for (int64_t m = 0; m < b.count; m += 8) certify_vectors("gaussian", &b, m, 10);
        pairs_free(&b);
    }
    eig_destroy(ctx);
}

/* All that a call gives is the same, as far as it was asked for. */
static void same_pairs(const pairs *x, const pairs *y, int wanted, const char *what)
{
    size_t const n = (size_t)x->n, count = (size_t)x->count;
    assert_memory_equal(x->info, y->info, count * sizeof(int));
    bool same = memcmp(x->w, y->w, 2 * n * count * sizeof(double)) == 0;
    if (wanted & WANT_LEFT) same = same && memcmp(x->vl, y->vl, 2 * n * n * count * sizeof(double)) == 0;
    if (wanted & WANT_RIGHT) same = same && memcmp(x->vr, y->vr, 2 * n * n * count * sizeof(double)) == 0;
    if (wanted & WANT_CONDITION) same = same && memcmp(x->condition, y->condition, n * count * sizeof(double)) == 0;
    if (!same) fail_msg("%s n=%lld %s: other bits", what, (long long)x->n, type_name(x->type));
}

/* Matrices of all kinds, some with a NaN. */
static pairs mixture(int64_t n, int64_t count, eig_type type)
{
    pairs b = pairs_new(n, count, type);
    for (int64_t m = 0, k = 0; m < count; ++m, ++k) {
        if (!matrices_nonsymmetric_names[k]) k = 0;
        pairs one = pairs_make(matrices_nonsymmetric_names[k], n, 1, type, (uint64_t)m);
        memcpy(b.a + 2 * m * n * n, one.a, (size_t)(2 * n * n) * sizeof(double));
        if (m % 11 == 5) b.a[2 * (m * n * n + n * n / 2) + (type_is_complex(type) ? 1 : 0)] = m % 2 ? NAN : INFINITY;
        pairs_free(&one);
    }
    return b;
}

/* More complex matrices than a GPU has multiprocessors: they go another way there up to n = 96. */
static void test_many(void **state)
{
    static const int64_t orders[] = {66, 81, 96, 97};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 2 * COUNT(orders); ++c) {
        pairs b = mixture(orders[c / 2], test_on_cpu() ? 3 : 170, all_types[2 + c % 2]);
        eig_geev_options const o = by(EIG_GEEV_AUTO, 1);
        pairs_solve(ctx, &o, &b, WANT_ALL);
        for (int64_t m = 0; m < b.count; ++m) {
            assert_int_equal(b.info[m], m % 11 == 5 ? EIG_INFO_NOT_FINITE : 0);
            if (m % 19 == 0 && b.info[m] == 0) certify_vectors("many", &b, m, 10);
        }
        pairs_free(&b);
    }
    eig_destroy(ctx);
}

/* The same bits in every layout with paddings, alone, in parts, with other threads, and whatever else is asked for; matrices
 * that are not finite spoil only themselves. */
static void test_bits(void **state)
{
    static const int64_t orders[] = {1, 2, 5, 17, 33, 66};
    (void)state;
    eig_context *const ctx = test_context(1), *const seven = test_context(7);
    for (size_t c = 0; c < 4 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 4], count = n > 20 ? 23 : 53;
        pairs first = mixture(n, count, all_types[c % 4]), again = mixture(n, count, all_types[c % 4]);
        static const eig_layout layouts[] = {EIG_LAYOUT_MATRIX_WISE, EIG_LAYOUT_ELEMENT_WISE, EIG_LAYOUT_ROW_WISE};
        static int const sets[] = {WANT_RIGHT, WANT_LEFT | WANT_RIGHT, WANT_ALL};
        for (size_t a = 0; a < COUNT(sets);
             ++a) { /* a GPU has a road of its own for vectors without condition numbers */
            pairs_solve(ctx, NULL, &first, sets[a]);
            for (int64_t m = 0; m < count; ++m)
                pairs_solve_part(ctx, NULL, &again, place(EIG_LAYOUT_MATRIX_WISE, n, 1, 0), m, 1, 0, sets[a]);
            same_pairs(&first, &again, sets[a], "one by one");
            for (size_t l = 0; l < COUNT(layouts); ++l) {
                pairs_solve_part(ctx, NULL, &again, place(layouts[l], n, count, 3), 0, count, 2, sets[a]);
                same_pairs(&first, &again, sets[a], "another layout");
                pairs_solve_part(ctx, NULL, &again, place_rows(layouts[l], n, count, 3), 0, count, 2, sets[a]);
                same_pairs(&first, &again, sets[a], "row-major");
            }
        }
        for (int wanted = test_on_cpu() ? 1 : WANT_CONDITION; wanted < WANT_ALL; ++wanted) {
            pairs_solve(seven, NULL, &again, wanted);
            same_pairs(&first, &again, wanted, "less, with seven threads");
        }
        for (int64_t m = 0; m < count; ++m) {
            bool const spoilt = m % 11 == 5;
            assert_int_equal(first.info[m], spoilt ? EIG_INFO_NOT_FINITE : 0);
            for (int64_t k = 0; k < 2 * n * n; ++k)
                assert_true(spoilt == (bool)isnan(first.vr[2 * m * n * n + k]) &&
                            spoilt == (bool)isnan(first.vl[2 * m * n * n + k]));
            for (int64_t k = 0; k < n; ++k) assert_true(spoilt == (bool)isnan(first.condition[m * n + k]));
        }
        pairs_free(&first), pairs_free(&again);
    }
    eig_destroy(ctx), eig_destroy(seven);
}

/* Condition numbers of matrix m that no call has given, from its vectors. */
static void fill_condition(const pairs *b, int64_t m)
{
    for (int64_t k = 0; k < b->n; ++k) {
        const double *const y = b->vl + 2 * (m * b->n + k) * b->n, *const x = b->vr + 2 * (m * b->n + k) * b->n;
        double re = 0, im = 0;
        for (int64_t i = 0; i < 2 * b->n; i += 2)
            re += y[i] * x[i] + y[i + 1] * x[i + 1], im += y[i] * x[i + 1] - y[i + 1] * x[i];
        b->condition[m * b->n + k] = fmin(hypot(re, im), 1);
    }
}

/* A matrix that is heavy below the diagonal is solved as its transpose: the bits of that, left and right exchanged and
 * conjugated; with a row that is isolated in some, whose place then is another. */
static void test_transposes(void **state)
{
    enum { BOTH = WANT_LEFT | WANT_RIGHT };
    static const int64_t orders[] = {3, 4, 5, 8, 17, 33, 64, 66, 150};
    static const int wants[4][2] = {{WANT_ALL, WANT_ALL}, {WANT_ALL, WANT_ALL}, {BOTH, BOTH}, {WANT_RIGHT, WANT_LEFT}};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 16 * COUNT(orders); ++c) {
        const int *const wanted = wants[c / 4 % 4];
        int64_t const n = orders[c / 16], count = n > 64 ? 3 : 9, square = 2 * n * n;
        eig_geev_options o = by(c / 4 % 4 == 1 ? EIG_GEEV_REFERENCE : EIG_GEEV_AUTO, false);
        if (n > 64 && c / 4 % 4 > 0) continue;
        pairs b = pairs_make("gaussian", n, count, all_types[c % 4], c / 16 * 8 + c % 8),
              other = pairs_new(n, count, b.type), values;
        for (int64_t m = 0; m < count; ++m)
            for (int64_t i = 0; i < n; ++i)
                for (int64_t j = 0; j < n; ++j)
                    for (int part = 0; part < 2; ++part) {
                        double *const x = b.a + m * square + 2 * (i * n + j) + part;
                        if (j > i) *x /= 64;
                        if (m % 3 == 2 && i != j && i == n / 2) *x = 0;
                        other.a[m * square + 2 * (j * n + i) + part] = *x;
                    }
        values = pairs_new(n, count, b.type);
        memcpy(values.a, b.a, (size_t)(square * count) * sizeof *b.a);
        pairs_solve(ctx, &o, &b, wanted[0]), pairs_solve(ctx, &o, &other, wanted[1]), pairs_solve(ctx, &o, &values, 0);
        for (int64_t m = 0; m < count; ++m) {
            if (wanted[0] == BOTH) fill_condition(&b, m);
            if (wanted[0] & WANT_LEFT) certify_vectors("lower", &b, m, 10);
            certify_sums("lower", &values, m);
            for (int64_t k = 0; m % 3 < 2 && k < 2 * n * n; ++k) {
                double const sign = k % 2 ? -1 : 1;
                if (b.vr[m * square + k] != sign * other.vl[m * square + k] ||
                    (wanted[0] & WANT_LEFT && b.vl[m * square + k] != sign * other.vr[m * square + k]))
                    fail_msg("n=%lld %s matrix %lld: number %lld is another one", (long long)n, type_name(b.type),
                             (long long)m, (long long)k);
            }
            if (m % 3 < 2) assert_memory_equal(b.w + 2 * m * n, other.w + 2 * m * n, (size_t)(2 * n) * sizeof *b.w);
        }
        pairs_free(&b), pairs_free(&other), pairs_free(&values);
    }
    eig_destroy(ctx);
}

/* [1 a; 0 2] has the condition numbers 1/sqrt(1 + a^2); so has each of several copies side by side. */
static void test_known_condition(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 4 * COUNT(methods); ++c)
        for (int64_t n = 2; n <= 68; n += 6)
            for (double a = 1; a < 1e6; a *= 10) {
                pairs b = pairs_new(n, 1, all_types[c / 2]);
                for (int64_t i = 0; i < n; ++i) {
                    b.a[2 * (i * n + i)] = (double)(i + 1);
                    if (i % 2 == 0) b.a[2 * (i * n + i + 1) + (c / 2 >= 2)] = a;
                }
                eig_geev_options const o = by(methods[c % 2], 1);
                pairs_solve(ctx, &o, &b, WANT_ALL);
                certify_vectors("blocks", &b, 0, 10);
                /* Vectors of a GPU have errors of eps ||A|| over the distance of eigenvalues, 1. */
                double const known = 1 / sqrt(1 + a * a), size = (double)n + (n > 64 ? a : 0),
                             scale = test_on_cpu() ? 1 : size;
                for (int64_t k = 0; k < n; ++k)
                    if (!(fabs(b.condition[k] - known) <= 20 * scale * type_eps(b.type)))
                        fail_msg("n=%lld a=%g %s: condition %g in place of %g", (long long)n, a, type_name(b.type),
                                 b.condition[k], known);
                pairs_free(&b);
            }
    eig_destroy(ctx);
}

/* Normal matrices have 1: circulant ones, whose eigenvalues are far enough apart. */
static void test_normal(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 4 * COUNT(methods); ++c)
        for (int64_t n = 1; n <= 70; n = 2 * n + 1) {
            pairs b = pairs_make("cyclic", n, 1, all_types[c / 2], 1);
            eig_geev_options const o = by(methods[c % 2], 0);
            pairs_solve(ctx, &o, &b, WANT_ALL);
            certify_vectors("cyclic", &b, 0, 10);
            for (int64_t k = 0; k < n; ++k)
                if (!(b.condition[k] >= 1 - 100 * (double)n * type_eps(b.type)))
                    fail_msg("cyclic n=%lld %s: condition 1-%g", (long long)n, type_name(b.type), 1 - b.condition[k]);
            pairs_free(&b);
        }
    eig_destroy(ctx);
}

/* A vector of A - w I's null space by inverse iteration in long double, which shares no code with the library; or of its
 * adjoint's. */
static void null_vectors(int64_t n, const double *a, dense_number w, dense_number *x, dense_number *y)
{
    dense_number *const lu = room((size_t)(n * n), sizeof *lu), *const t = room((size_t)n, sizeof *t), determinant;
    int64_t *const order = room((size_t)n, sizeof *order);
    if (!dense_factor(n, a, w, lu, order, &determinant)) fail_msg("a pivot is zero");
    for (int64_t i = 0; i < n; ++i) y[i] = 1 + (long double)(i * 7 % 11) / 11;
    for (int round = 0; round < 4; ++round) {
        dense_solve(n, lu, order, y, x);
        long double const size = dense_length(n, x);
        for (int64_t i = 0; i < n; ++i) x[i] /= size, t[i] = x[i];
        dense_solve_adjoint(n, lu, order, t, y);
        long double const length = dense_length(n, y);
        for (int64_t i = 0; i < n; ++i) y[i] /= length;
    }
    free(lu), free(t), free(order);
}

/* Condition numbers and vectors against inverse iteration, for well separated eigenvalues of real matrices. */
static void test_against_inverse_iteration(void **state)
{
    static const int64_t orders[] = {2, 3, 7, 16, 40, 70};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < COUNT(orders) * COUNT(methods); ++c) {
        int64_t const n = orders[c / 2];
        pairs b = pairs_make("gaussian", n, 2, EIG_D, 77);
        eig_geev_options const o = by(methods[c % 2], 0);
        double *const a = room((size_t)(n * n), sizeof *a);
        dense_number *const x = room((size_t)(2 * n), sizeof *x), *const y = x + n;
        pairs_solve(ctx, &o, &b, WANT_ALL);
        for (int64_t m = 0; m < 2; ++m) {
            for (int64_t k = 0; k < n * n; ++k) a[k] = b.a[2 * (m * n * n + k)];
            for (int64_t k = 0; k<n; k += n> 20 ? 9 : 1) {
                null_vectors(n, a, number_at(b.w, m * n + k), x, y);
                dense_number s = 0, same = 0;
                for (int64_t i = 0; i < n; ++i) {
                    s += dense_product(conjl(y[i]), x[i]);
                    same += dense_product(conjl(x[i]), number_at(b.vr + 2 * (m * n + k) * n, i));
                }
                if (!(fabsl(cabsl(s) - b.condition[m * n + k]) <= 1e-9L * b.condition[m * n + k]))
                    fail_msg("n=%lld: condition %g in place of %Lg", (long long)n, b.condition[m * n + k], cabsl(s));
                assert_true(fabsl(cabsl(same) - 1) <= 1e-12L);
            }
        }
        free(a), free(x);
        pairs_free(&b);
    }
    eig_destroy(ctx);
}

/* One Jordan block: all vectors are the first unit vector, all left ones the last; tiny condition numbers; no NaN.  The
 * couplings have every sign and phase: what keeps a vector in range must look at both parts of a number, whatever their signs. */
static void test_defective(void **state)
{
    static double const phases[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 32 * COUNT(methods); ++c)
        for (int64_t n = 2; n <= 70; n += n < 10 ? 1 : 20) {
            const double *const phase = phases[c / (8 * COUNT(methods))];
            pairs b = pairs_new(n, 1, all_types[c / 4 % 4]);
            double const value = c / 2 % 2 ? 3 : 0;
            if (phase[1] != 0 && !type_is_complex(b.type)) {
                pairs_free(&b);
                continue;
            }
            for (int64_t i = 0; i < n; ++i) {
                b.a[2 * (i * n + i)] = value;
                if (i + 1 < n) b.a[2 * (i * n + i + 1)] = phase[0], b.a[2 * (i * n + i + 1) + 1] = phase[1];
            }
            eig_geev_options const o = by(methods[c % 2], 0);
            pairs_solve(ctx, &o, &b, WANT_ALL);
            certify_vectors("jordan", &b, 0, 10);
            for (int64_t k = 0; k < n; ++k) {
                double const eps = type_eps(b.type), *const x = b.vr + 2 * k * n, *const y = b.vl + 2 * k * n;
                assert_true(b.w[2 * k] == value && b.w[2 * k + 1] == 0);
                assert_true(x[0] >= 1 - 10 * eps && y[2 * (n - 1)] >= 1 - 10 * eps);
                assert_true(b.condition[k] <= 10 * eps * (1 + value));
            }
            pairs_free(&b);
        }
    eig_destroy(ctx);
}

/* The balanced matrix B has D apart by far more than the range of a number's half: the vectors of D B D^-1 are those of B
 * times D, left ones times its inverse, entry by entry, and nothing overflows. */
static void test_badly_balanced(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 4 * COUNT(methods); ++c)
        for (int64_t n = 2; n <= 77; n = 2 * n + 3) {
            eig_type const type = all_types[c / 2];
            int const most = type_is_single(type) ? 30 : 300;
            pairs plain = pairs_make("gaussian", n, 1, type, 5), b = pairs_make("gaussian", n, 1, type, 5);
            for (int64_t i = 0; i < n; ++i)
                for (int64_t j = 0; j < n; ++j)
                    for (int part = 0; part < 2; ++part)
                        b.a[2 * (i * n + j) + part] =
                            ldexp(plain.a[2 * (i * n + j) + part], (int)(most * i / (n - 1) - most * j / (n - 1)));
            eig_geev_options const o = by(methods[c % 2], 0);
            pairs_solve(ctx, &o, &plain, WANT_ALL);
            pairs_solve(ctx, &o, &b, WANT_ALL);
            assert_int_equal(b.info[0], 0);
            for (int64_t k = 0; k < n; ++k) {
                /* The eigenvalue's partner, then the vector of the plain matrix times D. */
                int64_t near = 0;
                for (int64_t j = 0; j < n; ++j)
                    if (cabsl(number_at(plain.w, j) - number_at(b.w, k)) <
                        cabsl(number_at(plain.w, near) - number_at(b.w, k)))
                        near = j;
                for (int left = 0; left < 2; ++left) {
                    const double *const x = (left ? b.vl : b.vr) + 2 * k * n, *const known =
                                                                                  (left ? plain.vl : plain.vr) +
                                                                                  2 * near * n;
                    double const tolerance = 1e4 * (double)n * type_eps(type);
                    int64_t const top = left ? 0 : n - 1; /* where D, or its inverse, is 1 */
                    dense_number const ratio = number_at(x, top) / number_at(known, top);
                    for (int64_t i = 0; i < n; ++i) {
                        int const power = (int)(most * i / (n - 1));
                        double const d = ldexp(1, left ? -power : power - most);
                        long double const off = cabsl(number_at(x, i) - dense_product(ratio, number_at(known, i)) * d);
                        if (!(off <= tolerance * cabsl(ratio) * d))
                            fail_msg("n=%lld %s: entry %lld of %s vector %lld is off by %Lg", (long long)n,
                                     type_name(type), (long long)i, left ? "left" : "right", (long long)k, off);
                    }
                }
                certify_shape("badly balanced", &b, 0, k, false), certify_shape("badly balanced", &b, 0, k, true);
            }
            pairs_free(&plain), pairs_free(&b);
        }
    eig_destroy(ctx);
}

/* A permuted triangular matrix: balancing permutes it, its eigenvalues are exact, and its vectors go back. */
static void test_permuted(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 8 * COUNT(methods); ++c)
        for (int64_t n = 2; n <= 70; n = 2 * n + 1) {
            pairs b = pairs_make("gaussian", n, 9, all_types[c / 4], 8);
            bool const full_block = c / 2 % 2; /* in the middle */
            for (int64_t m = 0; m < b.count; ++m) {
                double *const a = b.a + 2 * m * n * n, *const from = room((size_t)(2 * n * n), sizeof *from);
                memcpy(from, a, (size_t)(2 * n * n) * sizeof *from);
                for (int64_t i = 0; i < n; ++i)
                    for (int64_t j = 0; j < n; ++j) {
                        bool const inside = full_block && i > n / 4 && i <= n / 2 && j > n / 4 && j <= n / 2;
                        int64_t const to = ((i * 5 + m) % n) * n + (j * 5 + m) % n;
                        for (int part = 0; part < 2; ++part)
                            if (n % 5 != 0) a[2 * to + part] = i <= j || inside ? from[2 * (i * n + j) + part] : 0;
                    }
                free(from);
            }
            eig_geev_options const o = by(methods[c % 2], 0);
            pairs_solve(ctx, &o, &b, WANT_ALL);
            for (int64_t m = 0; m < b.count; ++m) certify_vectors("permuted", &b, m, 10);
            pairs_free(&b);
        }
    eig_destroy(ctx);
}

/* From nearly the smallest to nearly the largest number. */
static void test_scaled(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 4 * COUNT(methods); ++c)
        for (int64_t n = 1; n <= 70; n = 2 * n + 1)
            for (int step = -3; step <= 3; ++step) {
                pairs b = pairs_make("gaussian", n, 3, all_types[c / 2], 8);
                for (int64_t k = 0; k < 2 * n * n * 3; ++k)
                    b.a[k] = ldexp(b.a[k], (type_is_single(b.type) ? 38 : 330) * step);
                pairs_round(&b);
                eig_geev_options const o = by(methods[c % 2], c % 2);
                pairs_solve(ctx, &o, &b, WANT_ALL);
                for (int64_t m = 0; m < 3; ++m) certify_vectors("scaled", &b, m, 10);
                pairs_free(&b);
            }
    eig_destroy(ctx);
}

/* Orders above 64, around those where other windows, chains and panels begin. */
static void test_large(void **state)
{
    static const char *const kinds[] = {"gaussian", "companion", "grcar", "kahan",       "jordan", "cyclic",
                                        "day",      "frank",     "null",  "graded-full", "random", "orthogonal"};
    static const int64_t orders[] = {65, 97, 98, 129, 161, 260, 321, 600};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < COUNT(orders) * COUNT(all_types); ++c)
        for (size_t k = 0; k < COUNT(kinds); ++k) {
            int64_t const n = orders[c / COUNT(all_types)];
            /* The certificates of a large one take seconds, and the plain solver's time on a GPU, where eigenvalues are close. */
            if ((n > 100 && (c + k) % 3 != 0) || (n > 200 && (c + k) % 9 != 0) || (n > 400 && !test_on_cpu())) continue;
            pairs b = pairs_make(kinds[k], n, 1, all_types[c % COUNT(all_types)], 21 + c);
            /* Balanced, these have the residuals that LAPACK's have, too: docs/families/geev.md. */
            bool const harmed = strstr(kinds[k], "graded") || strstr(kinds[k], "frank");
            eig_geev_options const o = by(EIG_GEEV_AUTO, harmed || c % 2);
            pairs_solve(ctx, &o, &b, WANT_ALL);
            certify_vectors(kinds[k], &b, 0, 10);
            pairs_free(&b);
        }
    eig_destroy(ctx);
}

/* A matrix that threads share has the bits of one thread; so has one of a batch of which some are shared. */
static void test_shared(void **state)
{
    static const int64_t orders[] = {520};
    (void)state;
    if (!test_on_cpu()) return;
    eig_context *const one = test_context(1), *const three = test_context(3);
    for (size_t c = 0; c < COUNT(orders) * COUNT(all_types); ++c)
        for (int64_t count = 1; count <= 4; count += 3) {
            int64_t const n = orders[c / COUNT(all_types)];
            pairs b = pairs_make("gaussian", n, count, all_types[c % COUNT(all_types)], c);
            pairs again = pairs_make("gaussian", n, count, b.type, c);
            for (int64_t m = 0; m < count; ++m)
                pairs_solve_part(one, NULL, &b, place(EIG_LAYOUT_MATRIX_WISE, n, 1, 0), m, 1, 0, WANT_ALL);
            pairs_solve(three, NULL, &again, WANT_ALL);
            same_pairs(&b, &again, WANT_ALL, "shared");
            pairs_free(&b), pairs_free(&again);
        }
    eig_destroy(one), eig_destroy(three);
}

/* a := H a H for Householder's reflector H of the vector (1, 2, ..., n) with the phases of powers of e^(i turn). */
static void reflect_both(int64_t n, dense_number *a, long double turn)
{
    dense_number *const u = room((size_t)n, sizeof *u);
    long double square = 0;
    for (int64_t i = 0; i < n; ++i) {
        long double const angle = turn * (long double)i;
        u[i] = dense_complex((long double)(i + 1) * cosl(angle), (long double)(i + 1) * sinl(angle));
        square += (long double)((i + 1) * (i + 1));
    }
    for (int side = 0; side < 2; ++side)
        for (int64_t k = 0; k < n; ++k) { /* column k from the left, then row k from the right */
            dense_number *const x = a + (side ? k * n : k);
            int64_t const step = side ? 1 : n;
            dense_number dot = 0;
            for (int64_t i = 0; i < n; ++i) dot += dense_product(side ? u[i] : conjl(u[i]), x[i * step]);
            dot *= 2 / square;
            for (int64_t i = 0; i < n; ++i) x[i * step] -= dense_product(dot, side ? conjl(u[i]) : u[i]);
        }
    free(u);
}

/* The test matrices of LAPACK's drvev: X T X^-1 with eigenvalues evenly spaced, at equal ratios, clustered or random, T
 * diagonal or upper triangular, X unitary or with a condition number of eps^-1/2. */
static void test_drvev(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int kind = 0; kind < 4 * 2 * 2; ++kind)
        for (int64_t n = 2; n <= 70; n = 2 * n + 2)
            for (size_t c = 0; c < COUNT(all_types) * COUNT(methods); ++c) {
                int const mode = kind % 4, full = kind / 4 % 2, skewed = kind / 8;
                pairs b = pairs_make("gaussian", n, 1, all_types[c / 2], (uint64_t)kind);
                long double const turn = type_is_complex(b.type) ? 0.3L : 0, eps = type_eps(b.type),
                                  last = (long double)n - 1;
                dense_number *const a = room((size_t)(n * n), sizeof *a);
                for (int64_t i = 0; i < n; ++i)
                    for (int64_t j = i; j < n; ++j) {
                        long double const at = (long double)i / last;
                        long double const size = mode == 0   ? 1 - at * (1 - eps)
                                                 : mode == 1 ? powl(eps, at)
                                                 : i > 0     ? eps
                                                             : 1;
                        dense_number const draw = number_at(b.a, i * n + j), sign = i % 2 ? -1 : 1;
                        a[i * n + j] = i < j       ? full * draw
                                       : mode == 3 ? draw
                                                   : sign * size * dense_complex(cosl(turn), sinl(turn));
                    }
                for (int64_t i = 0; i < n * n && skewed; ++i) /* rows and columns far apart */
                    a[i] *= powl(eps, ((long double)(i % n) - (long double)(i / n)) / (2 * last));
                reflect_both(n, a, turn);
                for (int64_t k = 0; k < n * n; ++k)
                    b.a[2 * k] = (double)creall(a[k]), b.a[2 * k + 1] = (double)cimagl(a[k]);
                pairs_round(&b);
                eig_geev_options const o = by(methods[c % 2], 0);
                pairs_solve(ctx, &o, &b, WANT_ALL);
                certify_vectors("drvev", &b, 0, 10);
                free(a);
                pairs_free(&b);
            }
    eig_destroy(ctx);
}

/* Given up after a step or two: w as ever, vectors and condition numbers NaN; those that are done have all. */
static void test_gives_up(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 4 * COUNT(methods); ++c) {
        int given_up = 0, done = 0;
        for (int64_t n = 3; n <= 70; n = 3 * n)
            for (int64_t steps = 1; steps <= 5; ++steps) {
                pairs b = pairs_make("gaussian", n, 20, all_types[c / 2], 5);
                eig_geev_options o = by(methods[c % 2], 0);
                o.max_steps = steps;
                pairs_solve(ctx, &o, &b, WANT_ALL);
                for (int64_t m = 0; m < b.count; ++m) {
                    assert_in_range(b.info[m], 0, n);
                    given_up += b.info[m] > 0, done += b.info[m] == 0;
                    if (b.info[m] == 0) certify_vectors("gaussian", &b, m, 10);
                    for (int64_t k = 0; k < n && b.info[m] > 0; ++k) {
                        assert_true(isnan(b.w[2 * (m * n + k)]) == (k < b.info[m]));
                        assert_true(isnan(b.condition[m * n + k]) && isnan(b.vl[2 * (m * n + k) * n]) &&
                                    isnan(b.vr[2 * (m * n + k + 1) * n - 1]));
                    }
                }
                pairs_free(&b);
            }
        assert_true(given_up > 0 && done > 0);
    }
    eig_destroy(ctx);
}

/* A complex family gives the bits of the matrices formed by hand: each product and sum is rounded. */
static void test_affine(void **state)
{
    enum { M = 2, POINTS = 21 };
    static const int64_t orders[] = {1, 4, 15, 66};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < COUNT(orders); ++c) {
        int64_t const n = orders[c], square = n * n;
        pairs terms = pairs_make("gaussian", n, M + 1, EIG_Z, 13), b = pairs_new(n, POINTS, EIG_Z);
        eig_z *const a = room((size_t)(square * (M + 1)), sizeof *a), *const w = room((size_t)(n * POINTS), sizeof *w);
        eig_z x[M * POINTS];
        double value[POINTS];
        int info[POINTS];
        for (int k = 0; k < M * POINTS; ++k) x[k].re = sin(k), x[k].im = cos(3 * k);
        for (int64_t t = 0; t <= M; ++t)
            for (int64_t k = 0; k < square; ++k) {
                const double *const from = terms.a + 2 * (t * square + k);
                eig_z *const to = a + t * square + k % n * n + k / n;
                to->re = from[0], to->im = from[1];
            }
        for (int64_t m = 0; m < POINTS; ++m)
            for (int64_t k = 0; k < square; ++k) {
                const double *const from = terms.a + 2 * k;
                double volatile re = from[0], im = from[1], p, q;
                for (int64_t t = 1; t <= M; ++t) {
                    eig_z const y = x[M * m + t - 1];
                    const double *const z = from + 2 * t * square;
                    p = y.re * z[0], q = y.im * z[1], p = p - q, re = re + p;
                    p = y.re * z[1], q = y.im * z[0], p = p + q, im = im + p;
                }
                b.a[2 * (m * square + k)] = re, b.a[2 * (m * square + k) + 1] = im;
            }
        pairs_solve(ctx, NULL, &b, 0);
        assert_int_equal(
            eig_zgeev_affine(ctx, NULL, n, M, a, n, square, x, M, w, n, EIG_GEEV_RADIUS, value, info, POINTS), EIG_OK);
        assert_memory_equal(w, b.w, (size_t)(2 * n * POINTS) * sizeof(double));
        for (int64_t m = 0; m < POINTS; ++m) {
            long double radius = 0;
            for (int64_t k = 0; k < n; ++k) radius = fmaxl(radius, cabsl(number_at(b.w, m * n + k)));
            assert_true(info[m] == 0 && fabsl(value[m] - radius) <= 4 * DBL_EPSILON * radius);
        }
        free(a), free(w);
        pairs_free(&terms), pairs_free(&b);
    }
    eig_destroy(ctx);
}

/* A stop is asked for once so much is done. */
typedef struct stopper {
    double after, last;
} stopper;

static int stop(void *user, double fraction)
{
    stopper *const s = user;
    s->last = fraction;
    return fraction > s->after;
}

/* A large matrix is stopped between two steps of the reduction, and between two of the iteration. */
static void test_cancelled(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    for (size_t c = 0; c < 2 * COUNT(all_types); ++c) {
        bool const vectors = c < COUNT(all_types);
        /* Takes several times as long as from one report to the next. */
        int64_t const n = test_on_cpu() ? 1300 : vectors ? 600 : 500;
        pairs b = pairs_make("gaussian", n, 1, all_types[c % COUNT(all_types)], 5);
        size_t const size = type_size(b.type);
        char *const a = room((size_t)(n * n), size), *const v = room((size_t)(n * n), sizeof(eig_z));
        eig_z *const w = room((size_t)n, sizeof *w);
        stopper s = {vectors ? 0.2 : 0.35, -1};
        for (int64_t k = 0; k < n * n; ++k)
            for (int part = 0; part <= (int)type_is_complex(b.type); ++part)
                type_put(type_real(b.type), a, (type_is_complex(b.type) ? 2 : 1) * k + part, b.a[2 * k + part]);
        eig_set_progress(ctx, stop, &s);
        expect_refused(ctx, eig_geev(ctx, b.type, NULL, n, a, n, w, NULL, 0, vectors ? v : NULL, n, NULL, NULL),
                       EIG_CANCELLED, "cancelled");
        if (test_on_cpu() && !(s.last > s.after && s.last < 0.9)) fail_msg("stopped at %g", s.last);
        eig_set_progress(ctx, NULL, NULL);
        free(a), free(v), free(w);
        pairs_free(&b);
    }
    eig_destroy(ctx);
}

/* Eigenvalues of small matrices alone, with right vectors and with left ones: they agree to 2 eps ||A||.  NumPy's own tests compare
 * eigvals and eig of multiples of this complex matrix. */
static void test_same_values(void **state)
{
    static const double numpy[8] = {1, 2, 2, 3, 3, 4, 4, 5};
    enum { MANY = 19 };
    (void)state;
    eig_context *const ctx = test_context(1);
    for (int64_t n = 2; n <= 4; ++n)
        for (size_t c = 0; c < 8; ++c) {
            eig_type const type = all_types[c % 4];
            int64_t const count = c < 4 ? 1 : MANY;
            pairs values = pairs_make("gaussian", n, count, type, 7), both[2];
            for (int64_t k = 0; n == 2 && type_is_complex(type) && k < 8 * count; ++k)
                values.a[k] = numpy[k % 8] * (double)(k / 8 + 1);
            pairs_solve(ctx, NULL, &values, 0);
            for (int left = 0; left < 2; ++left) {
                both[left] = pairs_new(n, count, type);
                memcpy(both[left].a, values.a, (size_t)(2 * n * n * count) * sizeof(double));
                pairs_solve(ctx, NULL, &both[left], left ? WANT_LEFT : WANT_RIGHT);
                for (int64_t m = 0; m < count; ++m)
                    if (!(distance(n, values.w + 2 * m * n, both[left].w + 2 * m * n) <=
                          2 * type_eps(type) * (double)pairs_norm(&values, m)))
                        fail_msg("n=%lld %s: other eigenvalues with vectors", (long long)n, type_name(type));
                pairs_free(&both[left]);
            }
            pairs_free(&values);
        }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    struct CMUnitTest const tests[] = {
        /* the quick ones first */
        cmocka_unit_test(test_transposes),  cmocka_unit_test(test_known_condition),
        cmocka_unit_test(test_same_values), cmocka_unit_test(test_normal),
        cmocka_unit_test(test_defective),   cmocka_unit_test(test_scaled),
        cmocka_unit_test(test_permuted),    cmocka_unit_test(test_badly_balanced),
        cmocka_unit_test(test_gives_up),    cmocka_unit_test(test_affine),
        cmocka_unit_test(test_cancelled),   cmocka_unit_test(test_values),
        cmocka_unit_test(test_sides),       cmocka_unit_test(test_bits),
        cmocka_unit_test(test_orders),      cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_many),        cmocka_unit_test(test_against_inverse_iteration),
        cmocka_unit_test(test_shared),      cmocka_unit_test(test_large),
        cmocka_unit_test(test_drvev),
    };
    if (argc > 2) cmocka_set_test_filter(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
