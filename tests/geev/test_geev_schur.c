/* Schur forms of geev: certificates of T and Q, the form of T, the same bits wherever a matrix lies in a batch, all layouts. */
#include "support/adversary_nonsymmetric.h"
#include "support/geev_vectors_fixture.h"

/* Solves matrices first, ..., first + count - 1 in that place, with `pad` more numbers everywhere: T goes to b->vl and Q to
 * b->vr, column by column. */
static void schur_part(eig_context *ctx, const eig_geev_options *options, pairs *b, placement p, int64_t first,
                       int64_t count, int64_t pad)
{
    int64_t const n = b->n, stride_w = n + pad, ld = n + pad, stride = ld * n + pad;
    int64_t const parts = type_is_complex(b->type) ? 2 : 1;
    eig_geev_options const o = pairs_options(options, p);
    numbers a = pairs_load(b, p, first, count), w, form[2];
    bool const made = numbers_make(&w, type_complex(b->type), count * stride_w) &&
                      numbers_make(&form[0], b->type, count * stride) &&
                      numbers_make(&form[1], b->type, count * stride);
    if (!made) fail_msg("no memory for %lld matrices", (long long)count);
    numbers_fill(&w, 77), numbers_fill(&form[0], 77), numbers_fill(&form[1], 77);
    eig_status const status =
        eig_geev_schur(ctx, b->type, &o, n, a.data, p.lda, p.stride, w.data, stride_w, form[0].data, ld, stride,
                       form[1].data, ld, stride, b->info + first, count);
    if (status != EIG_OK) fail_msg("%s: %s", eig_status_text(status), eig_error_detail(ctx));
    for (int64_t m = 0; m < count; ++m)
        for (int64_t k = 0; k < 2 * stride_w; ++k) {
            double const x = numbers_part(&w, 2 * m * stride_w + k);
            if (k < 2 * n)
                b->w[2 * (first + m) * n + k] = x;
            else
                assert_true(x == 77);
        }
    for (int s = 0; s < 2; ++s)
        for (int64_t m = 0; m < count; ++m)
            for (int64_t k = 0; k < stride; ++k) {
                int64_t const i = ld > 0 ? k % ld : 0, j = ld > 0 ? k / ld : 0, to = ((first + m) * n + j) * n + i;
                for (int64_t part = 0; part < parts; ++part) {
                    double const x = numbers_part(&form[s], parts * (m * stride + k) + part);
                    if (i < n && j < n)
                        (s ? b->vr : b->vl)[2 * to + part] = x;
                    else
                        assert_true(x == 77);
                }
            }
    numbers_free(&a), numbers_free(&w), numbers_free(&form[0]), numbers_free(&form[1]);
}

static void schur(eig_context *ctx, const eig_geev_options *options, pairs *b)
{
    schur_part(ctx, options, b, place(EIG_LAYOUT_MATRIX_WISE, b->n, b->count, 0), 0, b->count, 0);
}

static dense_number entry(const double *x, int64_t n, int64_t i, int64_t j)
{
    return number_at(x, j * n + i);
}

/* ||A - Q T Q^H|| and ||Q^H Q - I|| in units of n eps (||A||). */
static void certify_products(const char *what, const pairs *b, int64_t m, long double limit)
{
    int64_t const n = b->n;
    const double *const a = b->a + 2 * m * n * n, *const t = b->vl + 2 * m * n * n, *const q = b->vr + 2 * m * n * n;
    dense_number *const product = room((size_t)(n * n), sizeof *product);
    long double off = 0, skew = 0;
    for (int64_t j = 0; j < n; ++j) /* Q T */
        for (int64_t i = 0; i < n; ++i) {
            dense_number sum = 0;
            for (int64_t k = 0; k < n && k <= j + 1; ++k) sum += entry(q, n, i, k) * entry(t, n, k, j);
            product[i + j * n] = sum;
        }
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
            dense_number r = -number_at(a, i * n + j), s = i == j ? -1 : 0;
            for (int64_t k = 0; k < n; ++k) {
                r += product[i + k * n] * conjl(entry(q, n, j, k));
                s += conjl(entry(q, n, k, i)) * entry(q, n, k, j);
            }
            off += creall(r) * creall(r) + cimagl(r) * cimagl(r);
            skew += creall(s) * creall(s) + cimagl(s) * cimagl(s);
        }
    long double const eps = type_is_single(b->type) ? FLT_EPSILON : DBL_EPSILON;
    long double const unit = residual_unit(b, m);
    if (!(sqrtl(off) <= limit * unit) || !(sqrtl(skew) <= 10 * (long double)n * eps) || b->info[m] != 0)
        fail_msg("%s n=%lld %s: A - Q T Q^H is off by %.1Lf n eps |A|, Q by %.1Lf n eps, info %d", what, (long long)n,
                 type_name(b->type), unit > 0 ? sqrtl(off) / unit : 0, sqrtl(skew) / ((long double)n * eps),
                 b->info[m]);
    free(product);
}

/* T is (quasi-)triangular, its blocks are standard, and the eigenvalues are those of its diagonal. */
static void certify_form(const char *what, const pairs *b, int64_t m)
{
    int64_t const n = b->n;
    const double *const t = b->vl + 2 * m * n * n, *const w = b->w + 2 * m * n;
    double const eps = type_is_single(b->type) ? FLT_EPSILON : DBL_EPSILON;
    for (int64_t k = 0; k < n; ++k) {
        bool const pair = !type_is_complex(b->type) && k + 1 < n && creall(entry(t, n, k + 1, k)) != 0;
        for (int64_t i = k + 1 + pair; i < n; ++i)
            if (entry(t, n, i, k) != 0)
                fail_msg("%s n=%lld: T(%lld, %lld)", what, (long long)n, (long long)i, (long long)k);
        double const re = (double)creall(entry(t, n, k, k)), im = (double)cimagl(entry(t, n, k, k));
        if (!pair) {
            assert_true(w[2 * k] == re && w[2 * k + 1] == im);
            continue;
        }
        double const up = (double)creall(entry(t, n, k, k + 1)), down = (double)creall(entry(t, n, k + 1, k));
        double const size = sqrt(fabs(up)) * sqrt(fabs(down));
        for (int64_t i = k + 2; i < n; ++i) assert_true(entry(t, n, i, k + 1) == 0);
        assert_true((double)creall(entry(t, n, k + 1, k + 1)) == re && up * (down / fabs(down)) < 0);
        assert_true(w[2 * k] == re && w[2 * k + 2] == re && w[2 * k + 1] == -w[2 * k + 3]);
        double const tiny = type_is_single(b->type) ? 0x1p-149 : 0x1p-1074; /* to which both may be rounded */
        assert_true(fabs(w[2 * k + 1] - size) <= 4 * eps * size + tiny && w[2 * k + 1] > 0);
        ++k;
    }
}

static void certify_schur(const char *what, const pairs *b, int64_t m)
{
    certify_form(what, b, m);
    certify_products(what, b, m, 10);
}

static eig_geev_options by(eig_geev_method method, int no_balance)
{
    eig_geev_options o = EIG_GEEV_OPTIONS;
    o.method = method, o.no_balance = no_balance;
    return o;
}

static void test_kinds(void **state)
{
    static const int64_t orders[] = {0, 1, 2, 3, 7, 16, 21, 33};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t k = 0; matrices_nonsymmetric_names[k]; ++k)
        for (size_t c = 0; c < 4 * COUNT(orders); ++c) {
            const char *const kind = matrices_nonsymmetric_names[k];
            pairs b = pairs_make(kind, orders[c / 4], 3, all_types[c % 4], 5);
            eig_geev_options const o = by(c / 4 % 2 ? EIG_GEEV_REFERENCE : EIG_GEEV_AUTO, (k + c) % 3 == 0);
            schur(ctx, &o, &b);
            for (int64_t m = 0; m < b.count; ++m) certify_schur(kind, &b, m);
            pairs_free(&b);
        }
    eig_destroy(ctx);
}

/* Matrices that a permutation makes triangular, but for a block of order 2: balancing finds it, and Q must tell of it. */
static void test_permuted(void **state)
{
    static const int64_t orders[] = {3, 8, 21, 66};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 8 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 8];
        pairs b = pairs_make("gaussian", n, 2, all_types[c % 4], 5);
        for (int64_t m = 0; m < b.count; ++m)
            for (int64_t i = 0; i < n; ++i)
                for (int64_t j = 0; j < n; ++j) {
                    int64_t const row = (5 * i + 2) % n, column = (5 * j + 2) % n, at = 2 * (m * n * n + i * n + j);
                    if (row > column && !(row == 2 && column == 1)) b.a[at] = b.a[at + 1] = 0;
                }
        eig_geev_options const o = by(c / 4 % 2 ? EIG_GEEV_REFERENCE : EIG_GEEV_AUTO, 0);
        schur(ctx, &o, &b);
        for (int64_t m = 0; m < b.count; ++m) certify_schur("permuted", &b, m);
        pairs_free(&b);
    }
    eig_destroy(ctx);
}

static void test_orders(void **state)
{
    static const int64_t orders[] = {48, 63, 64, 65, 66, 100};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 4 * COUNT(orders); ++c) {
        pairs b = pairs_make("gaussian", orders[c / 4], 2, all_types[c % 4], 5);
        schur(ctx, NULL, &b);
        certify_schur("gaussian", &b, 1);
        pairs_free(&b);
    }
    eig_destroy(ctx);
}

/* A cycle times 1 + i: all rotations of a sweep have one length, and what each is too short by adds up. */
static void test_cycle(void **state)
{
    static const int64_t orders[] = {16, 40, 64, 65, 100, 130};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 4 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 4];
        pairs b = pairs_new(n, 1, all_types[c % 4]);
        for (int64_t i = 0; i < n; ++i) {
            double *const to = b.a + 2 * ((i + 1) % n * n + i);
            to[0] = 1, to[1] = type_is_complex(b.type) ? 1 : 0;
        }
        schur(ctx, NULL, &b);
        certify_form("cycle", &b, 0);
        certify_products("cycle", &b, 0, 4);
        pairs_free(&b);
    }
    eig_destroy(ctx);
}

/* Blocks whose entries, or imaginary parts, underflow where T is scaled back. */
static void test_tiny(void **state)
{
    static const int64_t orders[] = {2, 5, 16, 40, 64, 66, 100};
    (void)state;
    eig_context *const ctx = test_context(1);
    matrices_rng rng = matrices_seed(11);
    for (size_t c = 0; c < 6 * COUNT(orders); ++c)
        for (int again = 0; again < 5; ++again) {
            int64_t const n = orders[c / 6];
            bool const single = c % 2;
            double *const a = room((size_t)(n * n), sizeof *a);
            pairs b = pairs_new(n, 1, single ? EIG_S : EIG_D);
            dense_tiny_rank(&rng, n, a, single, c / 2 % 3);
            for (int64_t k = 0; k < n * n; ++k) b.a[2 * k] = a[k];
            pairs_round(&b);
            schur(ctx, NULL, &b);
            if (again == 0)
                certify_schur("tiny", &b, 0);
            else
                certify_form("tiny", &b, 0);
            pairs_free(&b), free(a);
        }
    eig_destroy(ctx);
}

/* The same bits in all layouts, with paddings, one by one and with other threads; a matrix that is not finite spoils itself. */
static void test_bits(void **state)
{
    static const int64_t orders[] = {1, 2, 5, 17, 33, 66};
    static const eig_layout layouts[] = {EIG_LAYOUT_MATRIX_WISE, EIG_LAYOUT_ELEMENT_WISE, EIG_LAYOUT_ROW_WISE};
    (void)state;
    eig_context *const ctx = test_context(1), *const seven = test_context(7);
    for (size_t c = 0; c < 4 * COUNT(orders); ++c) {
        int64_t const n = orders[c / 4], count = 21;
        pairs first = pairs_new(n, count, all_types[c % 4]), again = pairs_new(n, count, all_types[c % 4]);
        for (int64_t m = 0, k = 0; m < count; ++m, ++k) {
            if (!matrices_nonsymmetric_names[k]) k = 0;
            pairs one = pairs_make(matrices_nonsymmetric_names[k], n, 1, first.type, (uint64_t)m);
            memcpy(first.a + 2 * m * n * n, one.a, (size_t)(2 * n * n) * sizeof(double));
            if (m % 11 == 5) first.a[2 * (m * n * n + n * n / 2)] = m % 2 ? NAN : INFINITY;
            pairs_free(&one);
        }
        memcpy(again.a, first.a, (size_t)(2 * n * n * count) * sizeof(double));
        schur(seven, NULL, &first);
        for (int way = 0; way < 7; ++way) {
            if (way > 3)
                schur_part(ctx, NULL, &again, place_rows(layouts[way - 4], n, count, 3), 0, count, 2);
            else if (way < 3)
                schur_part(ctx, NULL, &again, place(layouts[way], n, count, 3), 0, count, 2);
            else
                for (int64_t m = 0; m < count; ++m)
                    schur_part(ctx, NULL, &again, place(EIG_LAYOUT_MATRIX_WISE, n, 1, 0), m, 1, 0);
            assert_memory_equal(first.info, again.info, (size_t)count * sizeof(int));
            assert_memory_equal(first.w, again.w, (size_t)(2 * n * count) * sizeof(double));
            assert_memory_equal(first.vl, again.vl, (size_t)(2 * n * n * count) * sizeof(double));
            assert_memory_equal(first.vr, again.vr, (size_t)(2 * n * n * count) * sizeof(double));
        }
        for (int64_t m = 0; m < count; ++m) {
            bool const spoilt = m % 11 == 5;
            assert_int_equal(first.info[m], spoilt ? EIG_INFO_NOT_FINITE : 0);
            for (int64_t k = 0; k < n * n; ++k)
                assert_true(spoilt == (bool)isnan(first.vl[2 * (m * n * n + k)]) &&
                            spoilt == (bool)isnan(first.vr[2 * (m * n * n + k)]));
        }
        pairs_free(&first), pairs_free(&again);
    }
    eig_destroy(ctx), eig_destroy(seven);
}

/* Without T or Q the rest has the same bits; what is wrong is refused; entries as large and as small as they may be. */
static void test_calls(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    double const sizes[] = {1, 0x1p1000, 0x1p-1000};
    for (size_t c = 0; c < COUNT(sizes); ++c) {
        pairs b = pairs_make("gaussian", 6, 1, EIG_D, 8);
        double a[36], t[36], q[36], other[36];
        eig_z w[6], same[6];
        int info;
        for (int k = 0; k < 36; ++k) a[k] = b.a[2 * k] *= sizes[c];
        assert_int_equal(eig_dgeev_schur(ctx, NULL, 6, a, 6, 36, w, 6, t, 6, 36, q, 6, 36, &info, 1), EIG_OK);
        assert_int_equal(eig_dgeev_schur(ctx, NULL, 6, a, 6, 36, same, 6, other, 6, 36, NULL, 0, 0, NULL, 1), EIG_OK);
        assert_memory_equal(w, same, sizeof w);
        assert_memory_equal(t, other, sizeof t);
        assert_int_equal(eig_dgeev_schur(ctx, NULL, 6, a, 6, 36, same, 6, NULL, 0, 0, other, 6, 36, NULL, 1), EIG_OK);
        assert_memory_equal(q, other, sizeof q);
        schur(ctx, NULL, &b);
        certify_form("large and small", &b, 0);
        pairs_free(&b);
    }
    double a[4] = {1, 2, 3, 4}, t[4];
    eig_z w[2];
    assert_int_equal(eig_dgeev_schur(ctx, NULL, 2, a, 2, 4, NULL, 2, t, 2, 4, NULL, 0, 0, NULL, 1), EIG_BAD_ARGUMENT);
    assert_int_equal(eig_dgeev_schur(ctx, NULL, 2, a, 2, 4, w, 2, t, 1, 4, NULL, 0, 0, NULL, 1), EIG_BAD_ARGUMENT);
    assert_string_equal(eig_error_detail(ctx), "geev: ldt = 1 < n = 2");
    assert_int_equal(eig_dgeev_schur(ctx, NULL, 2, a, 2, 4, w, 2, NULL, 0, 0, t, 2, 3, NULL, 1), EIG_OK);
    assert_int_equal(eig_dgeev_schur(ctx, NULL, 0, NULL, 1, 0, NULL, 0, NULL, 1, 0, NULL, 1, 0, NULL, 3), EIG_OK);
    eig_geev_options few = EIG_GEEV_OPTIONS;
    few.max_steps = 1;
    pairs b = pairs_make("cyclic", 9, 2, EIG_D, 8);
    schur(ctx, &few, &b);
    for (int64_t m = 0; m < 2; ++m)
        assert_true(b.info[m] > 0 && isnan(b.vl[2 * m * 81]) && isnan(b.vr[2 * m * 81 + 160]));
    pairs_free(&b);
    eig_destroy(ctx);
}

/* A GPU says that it has none. */
static void test_refused(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    double a[4] = {1, 2, 3, 4}, t[4];
    eig_z w[2];
    assert_int_equal(eig_dgeev_schur(ctx, NULL, 2, a, 2, 4, w, 2, t, 2, 4, NULL, 0, 0, NULL, 1), EIG_NO_BACKEND);
    assert_non_null(strstr(eig_error_detail(ctx), "use a CPU context"));
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds), cmocka_unit_test(test_permuted), cmocka_unit_test(test_orders),
        cmocka_unit_test(test_bits),  cmocka_unit_test(test_calls),    cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_tiny),
    };
    const struct CMUnitTest refused[] = {cmocka_unit_test(test_refused)};
    return test_on_cpu() ? cmocka_run_group_tests(tests, NULL, NULL) : cmocka_run_group_tests(refused, NULL, NULL);
}
