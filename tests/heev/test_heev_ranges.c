/* heev on the device named by the argument: ranges by index and by value are parts of the full run, bit by bit, and nothing
 * beside them is written; single matrices; work sizes. */
#include "support/heev_fixture.h"
#include "support/sanitizer.h"

enum { FILLER = 55, PAD = 3 };

/* What a call with a range gave: w every stride_w entries, v by ldv and stride_v. */
typedef struct ranged {
    int64_t *m, stride_w, ldv, stride_v, columns;
    numbers w, v;
} ranged;

static ranged ranged_new(const batch *b, int64_t columns, bool row_major)
{
    ranged r = {.columns = columns, .stride_w = columns + PAD, .m = calloc((size_t)b->count, sizeof *r.m)};
    r.ldv = (row_major ? columns : b->n) + PAD;
    r.stride_v = r.ldv * (row_major ? b->n : columns) + PAD;
    r.w = numbers_room(type_real(b->type), b->count * r.stride_w), numbers_fill(&r.w, FILLER);
    r.v = numbers_room(b->type, b->count * r.stride_v), numbers_fill(&r.v, FILLER);
    return r;
}

static void ranged_free(ranged *r)
{
    free(r->m), numbers_free(&r->w), numbers_free(&r->v);
}

/* b->a lies row-major: element (i, j) of matrix m at (m*n + i)*n + j. */
static eig_status call_range(eig_context *ctx, eig_heev_options o, batch *b, ranged *r, bool vectors)
{
    o.row_major = 1;
    return eig_heev_batched(ctx, b->type, &o, b->n, b->a.data, b->n, b->n * b->n, r->m, r->w.data, r->stride_w,
                            vectors ? r->v.data : NULL, r->ldv, r->stride_v, b->info, NULL, b->count);
}

static bool same_number(const numbers *x, int64_t i, const numbers *y, int64_t j)
{
    size_t const size = type_size(x->type);
    return memcmp((char *)x->data + (size_t)i * size, (char *)y->data + (size_t)j * size, size) == 0;
}

/* Matrix m: pairs first to first+count-1 of the full run b, and the filler elsewhere. */
static void expect_part(const batch *b, int64_t m, const ranged *r, int64_t first, int64_t count, bool vectors)
{
    int64_t const n = b->n;
    if (r->m[m] != count) fail_msg("n=%lld: m = %lld, not %lld", (long long)n, (long long)r->m[m], (long long)count);
    for (int64_t k = 0; k < r->stride_w; ++k)
        if (k < count ? !same_number(&r->w, m * r->stride_w + k, &b->w, m * n + first + k)
                      : numbers_re(&r->w, m * r->stride_w + k) != FILLER)
            fail_msg("n=%lld %s matrix %lld: w[%lld]", (long long)n, type_name(b->type), (long long)m, (long long)k);
    for (int64_t f = 0; f < r->stride_v; ++f) {
        int64_t const i = f / r->ldv, k = f % r->ldv, at = m * r->stride_v + f;
        bool const wanted = vectors && i < n && k < count;
        if (wanted ? !same_number(&r->v, at, &b->v, (m * n + i) * n + first + k) : numbers_re(&r->v, at) != FILLER)
            fail_msg("n=%lld %s matrix %lld: v(%lld, %lld)", (long long)n, type_name(b->type), (long long)m,
                     (long long)i, (long long)k);
    }
}

/* The full run, row-major as the parts are; values alone may have other bits than with vectors. */
static batch whole(eig_context *ctx, int64_t n, int64_t count, eig_type type, bool vectors)
{
    batch b = batch_make("ensemble", n, count, type, 11);
    if (count > 2) numbers_put_part(&b.a, (type_is_complex(type) ? 2 : 1) * n * n, NAN); /* matrix 1 */
    eig_heev_options o = EIG_HEEV_OPTIONS;
    o.row_major = 1;
    assert_int_equal(eig_heev_batched(ctx, type, &o, n, b.a.data, n, n * n, NULL, b.w.data, n,
                                      vectors ? b.v.data : NULL, n, n * n, b.info, NULL, count),
                     EIG_OK);
    return b;
}

static const int64_t orders[] = {1, 2, 3, 5, 9, 20, 33, 66};
#define EACH_BATCH(b, vectors)                                                                                      \
    for (size_t t_ = 0; t_ < 8 * COUNT(orders); ++t_)                                                               \
        for (int vectors = t_ % 2, once_ = 1; once_; once_ = 0)                                                     \
            for (batch b = whole(ctx, orders[t_ / 8], orders[t_ / 8] > 32 ? 3 : 6, all_types[t_ / 2 % 4], vectors); \
                 b.n > 0; batch_free(&b), b.n = 0)

static void test_by_index(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    EACH_BATCH(b, vectors)
    {
        int64_t const n = b.n,
                      ends[][2] = {{1, n}, {1, 1}, {n, n}, {(n + 1) / 2, (n + 1) / 2}, {(n + 2) / 3, (2 * n + 2) / 3}};
        for (size_t k = 0; k < COUNT(ends); ++k) {
            eig_heev_options o = EIG_HEEV_OPTIONS;
            o.range = EIG_RANGE_INDEX, o.il = ends[k][0], o.iu = ends[k][1];
            ranged r = ranged_new(&b, o.iu - o.il + 1, true);
            if (call_range(ctx, o, &b, &r, vectors) != EIG_OK) fail_msg("%s", eig_error_detail(ctx));
            for (int64_t m = 0; m < b.count; ++m) expect_part(&b, m, &r, o.il - 1, r.columns, vectors);
            ranged_free(&r);
        }
    }
    eig_destroy(ctx);
}

/* Orders of which counts may decide what is in a range, so that w may be moved, or be missed; on a GPU all: w alone decides. */
enum { COUNTED_FROM = 65 };

/* (vl, vu] of one matrix's own eigenvalues, of what lies around, and of doubles that no float can be; of larger orders of numbers
 * where no eigenvalue is near. */
static void test_by_value(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    EACH_BATCH(b, vectors)
    {
        int64_t const n = b.n, own = (b.count - 1) * n; /* the last matrix gives the ends */
        double const low = numbers_re(&b.w, own), high = numbers_re(&b.w, own + n - 1),
                     middle = numbers_re(&b.w, own + n / 2);
        double const beside = test_on_cpu() && n < COUNTED_FROM ? 0 : 1e-4 * (high - low);
        double const ends[][2] = {{-INFINITY, INFINITY},
                                  {-INFINITY, low},
                                  {low, INFINITY},
                                  {high, INFINITY},
                                  {low - 1, middle},
                                  {middle, high + 1},
                                  {-3e30, -2e30},
                                  {-INFINITY, nextafter(middle, -INFINITY)},
                                  {nextafter(middle, -INFINITY), INFINITY}};
        for (size_t k = 0; k < COUNT(ends); ++k) {
            eig_heev_options o = EIG_HEEV_OPTIONS;
            o.range = EIG_RANGE_VALUE, o.vl = ends[k][0] + beside, o.vu = ends[k][1] + beside;
            ranged r = ranged_new(&b, n, true);
            if (call_range(ctx, o, &b, &r, vectors) != EIG_OK) fail_msg("%s", eig_error_detail(ctx));
            for (int64_t m = 0; m < b.count; ++m) {
                int64_t first = 0, last = 0;
                for (int64_t i = 0; i < n; ++i) {
                    first += numbers_re(&b.w, m * n + i) <= o.vl;
                    last += numbers_re(&b.w, m * n + i) <= o.vu;
                }
                expect_part(&b, m, &r, first, last - first, vectors);
            }
            ranged_free(&r);
        }
    }
    eig_destroy(ctx);
}

/* Ranges that end at eigenvalues, as they are returned with vectors or without: what is returned lies inside, and calls with
 * vectors and without find equally many; on a GPU of orders of which no pairs are computed alone. */
static void test_ends_at_eigenvalues(void **state)
{
    static const int64_t sizes[] = {2, 3, 4, 5, 7, 8, 40, 41, 65, 66, 130, 300, 520};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t c = 0; c < 8 * COUNT(sizes); ++c) {
        int64_t const n = sizes[c / 8];
        eig_type const type = all_types[c / 2 % 4];
        if (n > 200 && (ADDRESS_SANITIZED || !test_on_cpu())) continue; /* a sanitizer and the emulation take long */
        batch b = batch_make(c % 3 ? "ensemble" : "clustered", n, 1, type, 5);
        eig_heev_options o = EIG_HEEV_OPTIONS;
        ranged r = ranged_new(&b, n, true);
        o.row_major = 1;
        o.method = n == 41 ? EIG_HEEV_TRIDIAGONAL : EIG_HEEV_AUTO; /* of the roads for many matrices */
        assert_int_equal(
            eig_heev(ctx, type, &o, n, b.a.data, n, NULL, b.w.data, c % 2 ? b.v.data : NULL, n, NULL, NULL), EIG_OK);
        for (int64_t k = 0; k + 1 < n; k += 1 + n / (n > 200 ? 4 : 16)) {
            int64_t m[2];
            int64_t const last = k + 1 + k % 4;
            o.range = EIG_RANGE_VALUE, o.vl = numbers_re(&b.w, k), o.vu = numbers_re(&b.w, last < n ? last : n - 1);
            if (!(o.vl < o.vu)) continue;
            for (int vectors = 0; vectors < 2; ++vectors) {
                if (call_range(ctx, o, &b, &r, vectors) != EIG_OK) fail_msg("%s", eig_error_detail(ctx));
                m[vectors] = r.m[0];
                for (int64_t j = 0; j < r.m[0]; ++j)
                    if (!(o.vl < numbers_re(&r.w, j) && numbers_re(&r.w, j) <= o.vu))
                        fail_msg("n=%lld %s: %.17g is not in (%.17g, %.17g]", (long long)n, type_name(type),
                                 numbers_re(&r.w, j), o.vl, o.vu);
            }
            if ((test_on_cpu() || n < COUNTED_FROM) && m[0] != m[1])
                fail_msg("n=%lld %s: %lld values, %lld pairs in (%.17g, %.17g]", (long long)n, type_name(type),
                         (long long)m[0], (long long)m[1], o.vl, o.vu);
        }
        ranged_free(&r), batch_free(&b);
    }
    eig_destroy(ctx);
}

/* All with m; one matrix by the single form, column-major: the conjugate of the row-major one. */
static void test_all_and_one(void **state)
{
    enum { N = 7 };
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int t = 0; t < 4; ++t) {
        batch b = whole(ctx, N, 4, all_types[t], true), one = batch_new(N, 1, all_types[t]);
        ranged r = ranged_new(&b, N, true);
        assert_int_equal(call_range(ctx, (eig_heev_options)EIG_HEEV_OPTIONS, &b, &r, true), EIG_OK);
        for (int64_t m = 0; m < b.count; ++m) expect_part(&b, m, &r, 0, N, true);
        int64_t m = -1;
        eig_heev_options o = EIG_HEEV_OPTIONS;
        o.row_major = 1;
        assert_int_equal(eig_heev(ctx, b.type, &o, N, b.a.data, N, &m, one.w.data, one.v.data, N, one.info, one.sweeps),
                         EIG_OK);
        for (int64_t k = 0; k < N; ++k) assert_true(same_number(&one.w, k, &b.w, k));
        for (int64_t k = 0; k < N * N; ++k) assert_true(same_number(&one.v, k, &b.v, k));
        assert_true(m == N && one.info[0] == 0);
        o.range = EIG_RANGE_INDEX, o.il = 3, o.iu = 4;
        assert_int_equal(eig_heev(ctx, b.type, &o, N, b.a.data, N, &m, one.w.data, one.v.data, 2, one.info, NULL),
                         EIG_OK);
        assert_true(m == 2 && same_number(&one.w, 1, &b.w, 3) && same_number(&one.v, 2 * 2 + 1, &b.v, 2 * N + 3));
        o.layout = EIG_LAYOUT_ROW_WISE;
        expect_refused(ctx, eig_heev(ctx, b.type, &o, N, b.a.data, N, NULL, one.w.data, NULL, 0, NULL, NULL),
                       EIG_BAD_ARGUMENT, "for one matrix");
        ranged_free(&r), batch_free(&b), batch_free(&one);
    }
    double a = 3, w = 0, v = 0;
    float af = 3, wf = 0;
    eig_z az = {3, 0};
    eig_c ac = {3, 0};
    assert_int_equal(eig_dsyev(ctx, NULL, 1, &a, 1, NULL, &w, &v, 1, NULL, NULL), EIG_OK);
    assert_true(w == 3 && fabs(v) == 1);
    assert_int_equal(eig_ssyev(ctx, NULL, 1, &af, 1, NULL, &wf, NULL, 1, NULL, NULL), EIG_OK);
    assert_true(wf == 3);
    w = 0, wf = 0;
    assert_int_equal(eig_zheev(ctx, NULL, 1, &az, 1, NULL, &w, NULL, 1, NULL, NULL), EIG_OK);
    assert_int_equal(eig_cheev(ctx, NULL, 1, &ac, 1, NULL, &wf, NULL, 1, NULL, NULL), EIG_OK);
    assert_true(w == 3 && wf == 3);
    eig_destroy(ctx);
}

/* How far the call was; negative where that went back. */
static int goes_on(void *user, double fraction)
{
    double *const last = user;
    *last = fraction >= *last && fraction <= 1 ? fraction : -1;
    return *last < 0;
}

/* More matrices than are computed at a time, in each layout; test_heev_pairs crosses parts with the other options. */
static void test_many(void **state)
{
    enum { N = 3, MANY = 6000, SOME = 1000 };
    (void)state;
    eig_context *const ctx = test_context(2);
    ctx->range_bytes = 1 << 16; /* five parts */
    batch some = batch_make("ensemble", N, SOME, EIG_S, 5);
    float *const a = malloc(MANY * 9 * sizeof *a), *const w = malloc(MANY * sizeof *w),
                 *const v = malloc(MANY * 3 * sizeof *v);
    const float *const some_a = some.a.data;
    float *const one_w = malloc(SOME * sizeof *w), *const one_v = malloc(SOME * 3 * sizeof *v);
    if (!a || !w || !v || !one_w || !one_v) skip_because("no memory for the matrices");
    for (int64_t k = 0; k < MANY / SOME; ++k) memcpy(a + k * SOME * 9, some.a.data, SOME * 9 * sizeof *a);
    eig_heev_options o = EIG_HEEV_OPTIONS;
    o.range = EIG_RANGE_INDEX, o.il = o.iu = 2;
    double last = 0;
    assert_int_equal(eig_set_progress(ctx, goes_on, &last), EIG_OK);
    int *const info = malloc(MANY * sizeof *info);
    if (!info) skip_because("no memory for the matrices");
    int64_t const late = MANY - 7; /* in the last part */
    float const kept = a[late * 9];
    a[late * 9] = NAN;
    assert_int_equal(eig_ssyev_batched(ctx, &o, N, a, N, 9, NULL, w, 1, v, N, N, info, NULL, MANY), EIG_OK);
    for (int64_t k = 0; k < MANY; ++k)
        if (info[k] != (k == late ? EIG_INFO_NOT_FINITE : EIG_INFO_OK))
            fail_msg("info[%lld] = %d", (long long)k, info[k]);
    free(info);
    assert_true(last > 0.9);
    assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
    a[late * 9] = kept;
    assert_int_equal(eig_ssyev_batched(ctx, &o, N, a, N, 9, NULL, w, 1, v, N, N, NULL, NULL, MANY), EIG_OK);
    assert_int_equal(eig_ssyev_batched(ctx, &o, N, a, N, 9, NULL, one_w, 1, one_v, N, N, NULL, NULL, SOME), EIG_OK);
    for (int round = 0; round < 3; ++round) {
        for (int64_t k = 0; k < MANY / SOME; ++k) {
            assert_memory_equal(w + k * SOME, one_w, SOME * sizeof *w);
            assert_memory_equal(v + k * SOME * 3, one_v, SOME * 3 * sizeof *v);
        }
        if (round == 2) break;
        o.layout = round == 0 ? EIG_LAYOUT_ELEMENT_WISE : EIG_LAYOUT_ROW_WISE;
        bool const rows = round == 1;
        for (int64_t k = 0; k < MANY; ++k)
            for (int64_t e = 0; e < 9; ++e) /* element (i, j) = (e % 3, e / 3) */
                a[rows ? e % 3 * 3 * MANY + 3 * k + e / 3 : (e % 3 * 3 + e / 3) * MANY + k] = some_a[k % SOME * 9 + e];
        memset(w, 0, MANY * sizeof *w), memset(v, 0, MANY * 3 * sizeof *v);
        assert_int_equal(
            eig_ssyev_batched(ctx, &o, N, a, N, rows ? 3 * MANY : MANY, NULL, w, 1, v, N, N, NULL, NULL, MANY), EIG_OK);
    }
    free(a), free(w), free(v), free(one_w), free(one_v), batch_free(&some);
    eig_destroy(ctx);
}

static void test_work_size(void **state)
{
    enum { N = 20, MANY = 5 };
    (void)state;
    if (!test_on_cpu() || test_on_several()) skip_because("arrays of the host use no lent workspace of a GPU");
    eig_context *const ctx = test_context(2);
    batch b = whole(ctx, N, MANY, EIG_Z, true);
    eig_heev_options o = EIG_HEEV_OPTIONS;
    o.range = EIG_RANGE_VALUE, o.vl = 0, o.vu = 10;
    ranged r = ranged_new(&b, N, true);
    size_t bytes = 0;
    assert_int_equal(eig_heev_work_size(ctx, EIG_Z, &o, N, 1, MANY, &bytes), EIG_OK);
    void *const work = aligned_alloc(256, (bytes + 255) / 256 * 256);
    assert_non_null(work);
    assert_int_equal(eig_set_workspace(ctx, work, bytes - 1), EIG_OK);
    expect_refused(ctx, call_range(ctx, o, &b, &r, true), EIG_BAD_WORKSPACE, "the workspace lent has");
    assert_int_equal(eig_set_workspace(ctx, work, bytes), EIG_OK);
    assert_int_equal(call_range(ctx, o, &b, &r, true), EIG_OK);
    /* The loan is as it was. */
    size_t all = 0;
    assert_int_equal(eig_heev_work_size(ctx, EIG_Z, NULL, N, 1, MANY, &all), EIG_OK);
    assert_true(all < bytes);
    assert_int_equal(call_range(ctx, o, &b, &r, true), EIG_OK);
    eig_destroy(ctx);
    free(work), ranged_free(&r), batch_free(&b);
}

static int stop(void *user, double fraction)
{
    (void)fraction;
    ++*(int *)user;
    return 1;
}

/* After a cancelled call the context is as before: its workspace is its own, and the callback the caller's. */
static void test_cancelled(void **state)
{
    enum { N = 50, MATRICES = 3000 };
    (void)state;
    eig_context *const ctx = test_context(2);
    batch b = batch_make("ensemble", N, MATRICES, EIG_D, 3);
    ranged r = ranged_new(&b, 1, true);
    eig_heev_options o = EIG_HEEV_OPTIONS;
    o.range = EIG_RANGE_INDEX, o.il = o.iu = 1;
    int calls = 0;
    assert_int_equal(eig_set_progress(ctx, stop, &calls), EIG_OK);
    assert_int_equal(call_range(ctx, o, &b, &r, true), EIG_CANCELLED);
    assert_true(calls > 0);
    assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
    batch one = batch_make("ensemble", 150, 1, EIG_D, 4);
    solve(ctx, NULL, &one);
    certify_vectors("after a cancelled range", &one, 0, 10);
    ranged_free(&r), batch_free(&b), batch_free(&one);
    eig_destroy(ctx);
}

static void test_refused(void **state)
{
    double a[4] = {2, 1, 1, 2}, w[2], v[4];
    int64_t m;
    (void)state;
    eig_context *const ctx = test_context(2);
    eig_heev_options o = EIG_HEEV_OPTIONS;
    o.range = EIG_RANGE_INDEX, o.il = 0, o.iu = 1;
    expect_refused(ctx, eig_dsyev(ctx, &o, 2, a, 2, &m, w, v, 2, NULL, NULL), EIG_BAD_ARGUMENT, "1 <= il <= iu <= n");
    o.il = 2, o.iu = 3;
    expect_refused(ctx, eig_dsyev(ctx, &o, 2, a, 2, &m, w, v, 2, NULL, NULL), EIG_BAD_ARGUMENT, "iu = 3, n = 2");
    o.iu = 2;
    expect_refused(ctx, eig_dsyev(ctx, &o, 2, a, 2, &m, w, a, 2, NULL, NULL), EIG_BAD_ARGUMENT, "in place");
    expect_refused(ctx, eig_dsyev_batched(ctx, &o, 2, a, 2, 4, &m, w, 0, NULL, 0, 0, NULL, NULL, 2), EIG_BAD_ARGUMENT,
                   "stride_w = 0 < iu-il+1 = 1");
    o.range = EIG_RANGE_VALUE, o.vl = o.vu = 1;
    expect_refused(ctx, eig_dsyev(ctx, &o, 2, a, 2, &m, w, v, 2, NULL, NULL), EIG_BAD_ARGUMENT, "vl < vu");
    o.vu = 2;
    expect_refused(ctx, eig_dsyev(ctx, &o, 2, a, 2, NULL, w, v, 2, NULL, NULL), EIG_BAD_ARGUMENT, "m is NULL");
    m = 7;
    assert_int_equal(eig_dsyev(ctx, &o, 0, NULL, 1, &m, NULL, NULL, 1, NULL, NULL), EIG_OK);
    assert_int_equal(m, 0);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_index),    cmocka_unit_test(test_by_value),
        cmocka_unit_test(test_all_and_one), cmocka_unit_test(test_many),
        cmocka_unit_test(test_work_size),   cmocka_unit_test(test_refused),
        cmocka_unit_test(test_cancelled),   cmocka_unit_test(test_ends_at_eigenvalues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
