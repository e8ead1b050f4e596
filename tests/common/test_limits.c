/* Sizes, strides and indices near the largest integers, on the device named by the argument: every one is refused with
 * a sentence or means what it says; no product wraps.  The sanitizers look on. */
#include "support/operations.h"

#include <limits.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Larger than any size or stride that can be. */
static int64_t const huge[] = {INT64_MAX,     INT64_MAX - 1,  INT64_MAX / 2 + 1, INT64_MAX / 4 + 1,
                               INT64_MAX / 8, INT64_MAX / 16, INT64_MAX / 64 + 1};
static int64_t const negative[] = {-1, INT64_MIN, INT64_MIN + 1};

/* The arrays of small calls. */
static double d[64], e[64], x[64], value[64], lower[64];
static eig_z w[64], vectors[64]; /* the latter also as 128 real numbers */
static int64_t count[64];
static int info[64];

static void refused(eig_context *ctx, eig_status status, const char *what, int64_t size)
{
    if (status != EIG_BAD_ARGUMENT) fail_msg("%s = %lld: status %d", what, (long long)size, (int)status);
    if (strlen(eig_error_detail(ctx)) < 10) fail_msg("%s = %lld: no sentence", what, (long long)size);
}

static void good(eig_context *ctx, eig_status status, const char *what, int64_t size)
{
    if (status != EIG_OK) fail_msg("%s = %lld: %s", what, (long long)size, eig_error_detail(ctx));
}

/* Every huge and every negative value of what the call reads as s. */
#define ALL_REFUSED(what, call)                           \
    do {                                                  \
        for (size_t k_ = 0; k_ < COUNT(huge); ++k_) {     \
            int64_t const s = huge[k_];                   \
            refused(ctx, call, what, s);                  \
        }                                                 \
        for (size_t k_ = 0; k_ < COUNT(negative); ++k_) { \
            int64_t const s = negative[k_];               \
            refused(ctx, call, what, s);                  \
        }                                                 \
    } while (0)

/* Values that are not used. */
#define ALL_GOOD(what, call)                              \
    do {                                                  \
        for (size_t k_ = 0; k_ < COUNT(huge); ++k_) {     \
            int64_t const s = huge[k_];                   \
            good(ctx, call, what, s);                     \
        }                                                 \
        for (size_t k_ = 0; k_ < COUNT(negative); ++k_) { \
            int64_t const s = negative[k_];               \
            good(ctx, call, what, s);                     \
        }                                                 \
    } while (0)

/* The last whole number of the sentence about the last refused call. */
static int64_t last_number(const eig_context *ctx)
{
    const char *const text = eig_error_detail(ctx), *at = text + strlen(text);
    while (at > text && !(at[-1] >= '0' && at[-1] <= '9')) --at;
    while (at > text && at[-1] >= '0' && at[-1] <= '9') --at;
    return strtoll(at, NULL, 10);
}

/* The call reads s as a number that must be at least, or at most, `limit`.  One that is refused has a sentence that names the
 * argument, the value, and last the limit. */
static void names_limit(eig_context *ctx, eig_status status, const char *argument, int64_t given, int64_t limit)
{
    char told[80];
    refused(ctx, status, argument, given);
    snprintf(told, sizeof told, "%s = %lld", argument, (long long)given);
    if (!strstr(eig_error_detail(ctx), told) || last_number(ctx) != limit)
        fail_msg("\"%s\" does not name %s and the limit %lld", eig_error_detail(ctx), told, (long long)limit);
}

/* What is named as the least is taken, and one less is refused. */
#define LEAST(argument, least, call)                           \
    do {                                                       \
        int64_t s = (least)-1;                                 \
        names_limit(ctx, call, argument, s, (int64_t)(least)); \
        s = (least);                                           \
        good(ctx, call, argument, s);                          \
    } while (0)

/* One more than the most is refused; such sizes are not tried. */
#define MOST(argument, most, call)                            \
    do {                                                      \
        int64_t const s = (most) + 1;                         \
        names_limit(ctx, call, argument, s, (int64_t)(most)); \
    } while (0)

enum { B = 2 }; /* matrices */

static const void *options; /* of the operation under test */

/* A call with argument number i changed; 0 is NULL of an array. */
static eig_status with(eig_context *ctx, const public_function *f, const call_value *v, int i, int64_t s)
{
    call_value changed[MOST_ARGUMENTS];
    memcpy(changed, v, sizeof changed);
    if (is_array(f, i))
        changed[i].out = NULL;
    else
        changed[i].whole = s;
    return f->call(ctx, EIG_D, false, options, changed);
}

/* Argument number i of a call that is good with v: as a number that is too large, negative, or one too small; as a NULL. */
static void limits_of(eig_context *ctx, const public_function *f, int i, const call_sizes *sizes, const call_value *v)
{
    const public_argument *const a = &f->argument[i];
    if (is_array(f, i) && v[i].out && !array_of(f, i, sizes).null) {
        expect_refused(ctx, with(ctx, f, v, i, 0), EIG_BAD_ARGUMENT, "is NULL");
        assert_non_null(strstr(eig_error_detail(ctx), a->name));
    }
    if (a->kind == IS_SIZE) ALL_REFUSED(a->name, with(ctx, f, v, i, s));
    if (a->kind != IS_LEADING && a->kind != IS_STRIDE) return;
    const char *const array = a->name + (a->kind == IS_LEADING ? strlen("ld") : strlen("stride_"));
    int const own = argument_of(f, "", array, strlen(array));
    if (!v[own].out || (a->kind == IS_STRIDE && array_of(f, own, sizes).least.count == 1)) {
        ALL_GOOD(a->name, with(ctx, f, v, i, s));
    } else {
        ALL_REFUSED(a->name, with(ctx, f, v, i, s));
        LEAST(a->name, least_of(f, i, sizes, v), with(ctx, f, v, i, s));
    }
}

/* Every argument of every operation, and types that it does not have. */
static void test_every_limit(void **state)
{
    static outputs o;
    (void)state;
    eig_context *ctx = test_context(2);
    for (int k = 0; k < operations_here(); ++k) {
        const public_function *const f = function_of(operations[k].name);
        call_sizes const sizes = operation_sizes(&operations[k]);
        call_value v[MOST_ARGUMENTS];
        options = operations[k].options;
        outputs_clear(&o);
        call_prepare(f, &sizes, operations[k].absent, EIG_D, &o, v);
        good(ctx, f->call(ctx, EIG_D, false, options, v), operations[k].name, sizes.n);
        for (int i = 0; i < f->count; ++i) limits_of(ctx, f, i, &sizes, v);
        for (const char *type = "xcz"; *type; ++type)
            if (!strchr(f->types, *type))
                expect_refused(ctx, f->call(ctx, (eig_type)*type, false, options, v), EIG_BAD_ARGUMENT, "type = ");
        inputs_free(&o);
    }
    eig_destroy(ctx);
}

/* Of parts of the spectrum by rows, where the vectors' leading dimension is their number. */
static void test_limits_of_rows(void **state)
{
    (void)state;
    eig_context *ctx = test_context(2);
    double *const z = (double *)vectors;
    eig_heev_options o = EIG_HEEV_OPTIONS;
    o.range = EIG_RANGE_INDEX, o.il = 2, o.iu = 3, o.row_major = 1;
#define SOME(ldv, sv) eig_dsyev_batched(ctx, &o, 4, d, 4, 16, NULL, value, 2, z, ldv, sv, info, NULL, B)
    LEAST("ldv", 2, SOME(s, 20));
    LEAST("stride_v", 12, SOME(3, s));
    eig_destroy(ctx);
}

/* The header's largest orders and batches. */
static void test_named_most(void **state)
{
    enum { ORDER = 100000000 };
    int64_t const rows = ((int64_t)1 << 47) - 1, batch = ((int64_t)1 << 57) - 1;
    size_t bytes;
    (void)state;
    eig_context *ctx = test_context(2);
    MOST("n", rows, eig_dstebz(ctx, NULL, s, d, e, NULL, value, NULL, NULL, NULL));
    MOST("n", rows, eig_dstebz_count(ctx, s, d, e, 1, x, count, NULL));
    MOST("n", rows, eig_dstemr(ctx, NULL, s, d, e, NULL, value, NULL, 0, NULL, NULL, NULL, NULL, NULL));
    MOST("n", ORDER, eig_dsyev(ctx, NULL, s, d, s, NULL, value, NULL, 0, NULL, NULL));
    MOST("n", ORDER, eig_dgeev(ctx, NULL, s, d, s, w, NULL, 0, NULL, 0, NULL, NULL));
    MOST("n", rows, eig_stebz_work_size(ctx, EIG_D, NULL, s, 1, &bytes));
    MOST("n", rows, eig_stemr_work_size(ctx, EIG_D, NULL, s, 1, &bytes));
    MOST("n", ORDER, eig_heev_work_size(ctx, EIG_Z, NULL, s, 1, 1, &bytes));
    MOST("n", ORDER, eig_geev_work_size(ctx, EIG_Z, NULL, s, 1, 1, &bytes));
    MOST("batch", batch, eig_stebz_work_size(ctx, EIG_D, NULL, 2, s, &bytes));
    MOST("batch", batch, eig_heev_work_size(ctx, EIG_D, NULL, 2, 1, s, &bytes));
    MOST("batch", batch, eig_geev_work_size(ctx, EIG_D, NULL, 2, 1, s, &bytes));
    MOST("batch", batch,
         eig_dstemr_batched(ctx, NULL, 2, d, 2, e, 1, NULL, value, 2, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, s));
    eig_destroy(ctx);
}

static void test_stebz(void **state)
{
    (void)state;
    eig_context *ctx = test_context(2);
    ALL_REFUSED("batch of n = 0", eig_dstebz_batched(ctx, NULL, 0, NULL, 0, NULL, 0, NULL, NULL, NULL, 0, NULL, s));
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
    o.range = EIG_RANGE_INDEX;
#define INDEX(first, last) \
    (o.il = first, o.iu = last, eig_dstebz(ctx, &o, 4, d, e, NULL, (double *)w, NULL, NULL, info))
    ALL_REFUSED("il", INDEX(s, 4));
    ALL_REFUSED("iu", INDEX(1, s));
    ALL_REFUSED("il and iu", INDEX(s, s));
    eig_destroy(ctx);
}

static void test_geev(void **state)
{
    (void)state;
    eig_context *ctx = test_context(2);
    eig_geev_options o = EIG_GEEV_OPTIONS;
#define GEEV(n, lda, sa, sw, b) eig_dgeev_batched(ctx, &o, n, d, lda, sa, w, sw, NULL, 0, 0, NULL, 0, 0, NULL, info, b)
    ALL_REFUSED("batch of n = 0",
                eig_dgeev_batched(ctx, NULL, 0, NULL, 1, 0, NULL, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, s));
    static eig_layout const layouts[] = {EIG_LAYOUT_ELEMENT_WISE, EIG_LAYOUT_ROW_WISE};
    for (int k = 0; k < 2; ++k) {
        o.layout = layouts[k];
        ALL_REFUSED("n", GEEV(s, 2, 6, 2, 2));
        ALL_REFUSED("lda", GEEV(2, s, 6, 2, 2));
        ALL_REFUSED("lda and stride_a", GEEV(2, s, s, 2, 2));
        ALL_REFUSED("stride_a", GEEV(2, 2, s, 2, 3));
        ALL_REFUSED("stride_w", GEEV(2, 2, 6, s, 3));
        ALL_REFUSED("batch", GEEV(2, 2, 6, 2, s));
        ALL_GOOD("stride_w of one matrix", GEEV(2, 2, 6, s, 1));
    }
    o.layout = EIG_LAYOUT_MATRIX_WISE;
    for (size_t k = 0; k < COUNT(huge); ++k) {
        o.chunk = o.max_steps = huge[k];
        good(ctx, GEEV(2, 2, 4, 2, 3), "chunk and max_steps", huge[k]);
    }
    o = (eig_geev_options)EIG_GEEV_OPTIONS;
    ALL_REFUSED("chunk", (o.chunk = s < 0 ? s : -1, GEEV(2, 2, 4, 2, 3)));
    o = (eig_geev_options)EIG_GEEV_OPTIONS;
    ALL_REFUSED("max_steps", (o.max_steps = s < 0 ? s : -1, GEEV(2, 2, 4, 2, 3)));
    o = (eig_geev_options)EIG_GEEV_OPTIONS;
    for (int k = 0; k < 2; ++k) {
        o.threads_per_matrix = k ? INT_MIN : INT_MAX;
        refused(ctx, GEEV(2, 2, 4, 2, 3), "threads_per_matrix", o.threads_per_matrix);
    }
    eig_destroy(ctx);
}

static void test_heev(void **state)
{
    (void)state;
    eig_context *ctx = test_context(2);
    eig_heev_options o = EIG_HEEV_OPTIONS;
#define HEEV(n, lda, sa, sw, ldv, sv, b) \
    eig_zheev_batched(ctx, &o, n, w, lda, sa, NULL, d, sw, ldv ? vectors : NULL, ldv, sv, info, NULL, b)
    ALL_REFUSED("batch of n = 0",
                eig_dsyev_batched(ctx, NULL, 0, NULL, 1, 0, NULL, NULL, 0, NULL, 1, 0, NULL, NULL, s));
    static eig_layout const layouts[] = {EIG_LAYOUT_ELEMENT_WISE, EIG_LAYOUT_ROW_WISE};
    for (int k = 0; k < 2; ++k) {
        o.layout = layouts[k];
        ALL_REFUSED("n", HEEV(s, 2, 6, 2, 2, 4, 2));
        ALL_REFUSED("lda", HEEV(2, s, 6, 2, 2, 4, 2));
        ALL_REFUSED("lda and stride_a", HEEV(2, s, s, 2, 2, 4, 2));
        ALL_REFUSED("stride_a", HEEV(2, 2, s, 2, 2, 4, 3));
        ALL_REFUSED("stride_w", HEEV(2, 2, 6, s, 2, 4, 3));
        ALL_REFUSED("ldv", HEEV(2, 2, 6, 2, s, 4, 3));
        ALL_REFUSED("ldv and stride_v", HEEV(2, 2, 6, 2, s, s, 3));
        ALL_REFUSED("stride_v", HEEV(2, 2, 6, 2, 2, s, 3));
        ALL_REFUSED("batch", HEEV(2, 2, 6, 2, 2, 4, s));
        ALL_GOOD("stride_w of one matrix", HEEV(2, 2, 6, s, 2, 4, 1));
        ALL_GOOD("stride_v of one matrix", HEEV(2, 2, 6, 2, 2, s, 1));
        ALL_GOOD("stride_v without vectors", HEEV(2, 2, 6, 2, 0, s, 3));
    }
    o.layout = EIG_LAYOUT_MATRIX_WISE;
    for (size_t k = 0; k < COUNT(huge); ++k) {
        o.chunk = huge[k], o.max_sweeps = INT_MAX - (int)k;
        good(ctx, HEEV(2, 2, 4, 2, 2, 4, 3), "chunk and max_sweeps", huge[k]);
    }
    o = (eig_heev_options)EIG_HEEV_OPTIONS;
    ALL_REFUSED("chunk", (o.chunk = s < 0 ? s : -1, HEEV(2, 2, 4, 2, 2, 4, 3)));
    o = (eig_heev_options)EIG_HEEV_OPTIONS;
    for (int k = 0; k < 2; ++k) {
        o.max_sweeps = k ? INT_MIN : -1;
        refused(ctx, HEEV(2, 2, 4, 2, 2, 4, 3), "max_sweeps", o.max_sweeps);
    }
    eig_destroy(ctx);
}

static void test_stemr(void **state)
{
    (void)state;
    eig_context *ctx = test_context(2);
    eig_stemr_options o = EIG_STEMR_OPTIONS;
#define STEMR(n, z, ldz) eig_dstemr(ctx, &o, n, d, e, NULL, value, z, ldz, NULL, info, lower, NULL, NULL)
    double *const z = (double *)vectors;
    ALL_REFUSED("n and ldz", STEMR(s, z, s));
    if (test_on_cpu()) ALL_GOOD("ldz of n = 0", STEMR(0, z, s));
    o.range = EIG_RANGE_INDEX;
    ALL_REFUSED("il", (o.il = s, o.iu = 4, STEMR(4, z, 4)));
    ALL_REFUSED("iu", (o.il = 1, o.iu = s, STEMR(4, z, 4)));
    ALL_REFUSED("il and iu", (o.il = s, o.iu = s, STEMR(4, z, 4)));
    o = (eig_stemr_options)EIG_STEMR_OPTIONS;
    for (int k = 0; k < 2; ++k) {
        o.most_depth = k ? INT_MIN : INT_MAX;
        refused(ctx, STEMR(4, z, 4), "most_depth", o.most_depth);
    }
    eig_destroy(ctx);
}

static void test_affine(void **state)
{
    (void)state;
    eig_context *ctx = test_context(2);
#define AFFINE(n, m, lda, sa, px, sx, sw, points) \
    eig_dgeev_affine(ctx, NULL, n, m, d, lda, sa, px, sx, sw ? w : NULL, sw, EIG_GEEV_RADIUS, value, info, points)
    ALL_REFUSED("m and stride_x", AFFINE(2, s, 2, 4, x, s, 2, 2));
    ALL_REFUSED("m of one point", AFFINE(2, s, 2, 4, x, 1, 2, 1));
    ALL_REFUSED("m of n = 0", AFFINE(0, s, 2, 4, x, 1, 2, 1));
    ALL_GOOD("stride_a without parameters", AFFINE(2, 0, 2, s, NULL, 0, 2, 3));
    ALL_GOOD("stride_x of one point", AFFINE(2, 1, 2, 4, x, s, 2, 1));
    ALL_GOOD("stride_w of one point", AFFINE(2, 1, 2, 4, x, 1, s, 1));
    good(ctx, AFFINE(2, 0, 2, 4, NULL, 0, 0, 3), "no parameters, no eigenvalues", 0);
    eig_destroy(ctx);
}

/* A query is refused, or says no less than the rows of one matrix take. */
static void plausible(eig_context *ctx, eig_status status, int64_t n, const size_t *bytes)
{
    if (status != EIG_OK) refused(ctx, status, "n", n);
    if (status == EIG_OK && (*bytes < (size_t)n || *bytes > PTRDIFF_MAX))
        fail_msg("n = %lld: %zu bytes", (long long)n, *bytes);
}

static void test_work_sizes(void **state)
{
    (void)state;
    if (test_on_several()) skip_because("each of several devices has a workspace of its own");
    eig_context *ctx = test_context(64);
    size_t bytes = 77; /* a refused query writes nothing */
    ALL_REFUSED("batch", eig_stebz_work_size(ctx, EIG_D, NULL, 1000000, s, &bytes));
    ALL_REFUSED("n", eig_stebz_work_size(ctx, EIG_D, NULL, s, 1, &bytes));
    ALL_REFUSED("n and batch", eig_stebz_work_size(ctx, EIG_D, NULL, s, s, &bytes));
    ALL_REFUSED("n of a count", eig_stebz_count_work_size(ctx, EIG_D, s, 1, &bytes));
    ALL_REFUSED("m of a count", eig_stebz_count_work_size(ctx, EIG_D, 4, s, &bytes));
    ALL_REFUSED("n of geev", eig_geev_work_size(ctx, EIG_D, NULL, s, 0, 1, &bytes));
    ALL_REFUSED("batch of geev", eig_geev_work_size(ctx, EIG_D, NULL, 4, 0, s, &bytes));
    ALL_REFUSED("n of heev", eig_heev_work_size(ctx, EIG_Z, NULL, s, 1, 1, &bytes));
    ALL_REFUSED("batch of heev", eig_heev_work_size(ctx, EIG_Z, NULL, 4, 1, s, &bytes));
    ALL_REFUSED("n of stemr", eig_stemr_work_size(ctx, EIG_D, NULL, s, 1, &bytes));
    assert_true(bytes == 77);
    for (int k = 0; k < 2; ++k) {
        for (int64_t n = INT64_MAX; n > 100000; n /= 3) {
            bytes = 0;
            plausible(ctx, eig_stebz_work_size(ctx, real_types[k], NULL, n, 1, &bytes), n, &bytes);
            plausible(ctx, eig_stebz_work_size(ctx, real_types[k], NULL, n, 1000, &bytes), n, &bytes);
            plausible(ctx, eig_stebz_count_work_size(ctx, real_types[k], n, INT64_MAX / 64, &bytes), n, &bytes);
            if (n <= INT_MAX) plausible(ctx, eig_geev_work_size(ctx, real_types[k], NULL, n, 0, 70, &bytes), n, &bytes);
            bytes = 0;
            plausible(ctx, eig_heev_work_size(ctx, real_types[k], NULL, n, k, 70, &bytes), n, &bytes);
            if (test_on_cpu()) plausible(ctx, eig_stemr_work_size(ctx, real_types[k], NULL, n, k, &bytes), n, &bytes);
        }
    }
    /* More work takes no less room; on a GPU a single matrix goes a way of its own. */
    size_t less = 0;
    for (int64_t batch = 1; batch < INT64_MAX / 64 / 1000; batch *= 4) {
        good(ctx, eig_stebz_work_size(ctx, EIG_D, NULL, 1000, batch, &bytes), "batch", batch);
        if (batch > 4) assert_true(bytes >= less);
        less = bytes;
    }
    eig_destroy(ctx);
}

/* Bytes beyond 2^31 and 2^32, as one matrix of n = 25,000 takes: none is lost in an int on the way. */
static void test_beyond_an_int(void **state)
{
    (void)state;
    if (!test_on_cpu()) skip_because("a GPU's workspace does not grow as n^2 in every kernel");
    if (test_on_several()) skip_because("each of several devices has a workspace of its own");
    eig_context *ctx = test_context(2);
    for (int64_t n = 16000; n <= 64000; n += 1000) {
        size_t heev = 0, geev = 0;
        good(ctx, eig_heev_work_size(ctx, EIG_D, NULL, n, 1, 1, &heev), "n", n);
        good(ctx, eig_geev_work_size(ctx, EIG_D, NULL, n, 1, 1, &geev), "n", n);
        assert_true(heev >= 24 * (size_t)(n * n) && geev >= 48 * (size_t)(n * n)); /* 3 and 6 copies of A */
    }
    eig_destroy(ctx);
}

static void test_context_sizes(void **state)
{
    (void)state;
    eig_context *ctx = test_context(1);
    _Alignas(256) static char memory[256];
    refused(ctx, eig_set_workspace(ctx, memory, SIZE_MAX), "bytes", -1);
    refused(ctx, eig_set_workspace(ctx, memory, (size_t)PTRDIFF_MAX + 1), "bytes", INT64_MAX);
    refused(ctx, eig_set_workspace(ctx, NULL, SIZE_MAX), "bytes", -1);
    refused(ctx, eig_set_threads(ctx, INT_MAX), "threads", INT_MAX);
    refused(ctx, eig_set_threads(ctx, INT_MIN), "threads", INT_MIN);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_limit),    cmocka_unit_test(test_stebz),
        cmocka_unit_test(test_geev),           cmocka_unit_test(test_affine),
        cmocka_unit_test(test_heev),           cmocka_unit_test(test_stemr),
        cmocka_unit_test(test_work_sizes),     cmocka_unit_test(test_context_sizes),
        cmocka_unit_test(test_limits_of_rows), cmocka_unit_test(test_beyond_an_int),
        cmocka_unit_test(test_named_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
