/* Options that grow, on the device named by the argument: callers with older and newer headers, sizes that none can have,
 * every number at both sides of its limits. */
#include "support/operations.h"

#include <float.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

enum { MATRIX = 5 };
static double const d[MATRIX] = {3, -1, 4, 1, -5}, e[MATRIX - 1] = {1, 2, 3, 4}, a[4] = {0, 1, -2, 3};

/* A call of each family with options of any size; the eigenvalues are compared as bits. */
static eig_status call_stebz(eig_context *ctx, const void *options, double *w)
{
    return eig_dstebz(ctx, options, MATRIX, d, e, NULL, w, NULL, NULL, NULL);
}

static eig_status call_geev(eig_context *ctx, const void *options, double *w)
{
    return eig_dgeev(ctx, options, 2, a, 2, (eig_z *)w, NULL, 0, NULL, 0, NULL, NULL);
}

static eig_status call_heev(eig_context *ctx, const void *options, double *w)
{
    return eig_dsyev_batched(ctx, options, 2, a, 2, 4, NULL, w, 2, NULL, 0, 0, NULL, NULL, 1);
}

static eig_status call_stemr(eig_context *ctx, const void *options, double *w)
{
    return eig_dstemr(ctx, options, MATRIX, d, e, NULL, w, NULL, 1, NULL, NULL, NULL, NULL, NULL);
}

static eig_status size_stebz(eig_context *ctx, const void *options, double *w)
{
    return eig_stebz_work_size(ctx, EIG_D, options, MATRIX, 1, (size_t *)w);
}

static eig_status size_geev(eig_context *ctx, const void *options, double *w)
{
    return eig_geev_work_size(ctx, EIG_D, options, 2, 0, 1, (size_t *)w);
}

static eig_status size_heev(eig_context *ctx, const void *options, double *w)
{
    return eig_heev_work_size(ctx, EIG_D, options, 2, 0, 1, (size_t *)w);
}

static eig_status size_stemr(eig_context *ctx, const void *options, double *w)
{
    return eig_stemr_work_size(ctx, EIG_D, options, MATRIX, 1, (size_t *)w);
}

typedef struct structure {
    const char *name;
    size_t size, last; /* of the structure; where its last field begins */
    void (*init)(void *options, size_t size);
    eig_status (*call)(eig_context *ctx, const void *options, double *w);
} structure;

static void init_stebz(void *options, size_t size)
{
    eig_stebz_options_init(options, size);
}

static void init_geev(void *options, size_t size)
{
    eig_geev_options_init(options, size);
}

static void init_heev(void *options, size_t size)
{
    eig_heev_options_init(options, size);
}

static void init_stemr(void *options, size_t size)
{
    eig_stemr_options_init(options, size);
}

static structure const structures[] = {
    {"stebz", sizeof(eig_stebz_options), offsetof(eig_stebz_options, reltol), init_stebz, call_stebz},
    {"geev", sizeof(eig_geev_options), offsetof(eig_geev_options, max_steps), init_geev, call_geev},
    {"heev", sizeof(eig_heev_options), offsetof(eig_heev_options, no_certificate), init_heev, call_heev},
    {"stebz", sizeof(eig_stebz_options), offsetof(eig_stebz_options, reltol), init_stebz, size_stebz},
    {"geev", sizeof(eig_geev_options), offsetof(eig_geev_options, max_steps), init_geev, size_geev},
    {"heev", sizeof(eig_heev_options), offsetof(eig_heev_options, no_certificate), init_heev, size_heev},
    {"stemr", sizeof(eig_stemr_options), offsetof(eig_stemr_options, no_certificate), init_stemr, call_stemr},
    {"stemr", sizeof(eig_stemr_options), offsetof(eig_stemr_options, no_certificate), init_stemr, size_stemr},
};

/* A caller's structure with room behind it. */
typedef union caller {
    size_t size;
    unsigned char bytes[512];
} caller;

/* The call gives the bits that it gives without options. */
static void as_without(eig_context *ctx, const structure *s, const caller *options)
{
    double plain[16] = {0}, w[16] = {0};
    assert_int_equal(s->call(ctx, NULL, plain), EIG_OK);
    eig_status const status = s->call(ctx, options, w);
    if (status != EIG_OK) fail_msg("%s: %s", s->name, eig_error_detail(ctx));
    assert_memory_equal(plain, w, sizeof w);
}

/* From an older header, whose structure ends before its now last field, or after its size: what lies behind is not
 * read, whatever it holds. */
static void test_older_options(void **state)
{
    (void)state;
    eig_context *ctx = test_context(1);
    for (size_t i = 0; i < COUNT(structures); ++i) {
        size_t const ends[] = {structures[i].last, sizeof(size_t)};
        for (int k = 0; k < 2; ++k) {
            caller c;
            memset(&c, 0xff, sizeof c);
            structures[i].init(&c, ends[k]);
            assert_true(c.size == ends[k] && c.bytes[ends[k]] == 0xff);
            as_without(ctx, &structures[i], &c);
        }
    }
    /* A field inside the old size counts. */
    caller c = {0};
    double w[16] = {0};
    eig_stebz_options *const o = (eig_stebz_options *)(void *)c.bytes;
    *o = (eig_stebz_options)EIG_STEBZ_OPTIONS;
    o->size = offsetof(eig_stebz_options, reltol), o->range = EIG_RANGE_INDEX, o->il = o->iu = 2, o->reltol = 7;
    assert_int_equal(call_stebz(ctx, &c, w), EIG_OK);
    assert_true(w[0] != 0 && w[1] == 0);
    o->abstol = -1;
    expect_refused(ctx, call_stebz(ctx, &c, w), EIG_BAD_ARGUMENT, "abstol = -1");
    eig_destroy(ctx);
}

/* From a newer header: fields that the library does not know must be 0. */
static void test_newer_options(void **state)
{
    (void)state;
    eig_context *ctx = test_context(1);
    for (size_t i = 0; i < COUNT(structures); ++i) {
        const structure *const s = &structures[i];
        caller c;
        memset(&c, 0xff, sizeof c);
        s->init(&c, s->size + 24);
        as_without(ctx, s, &c);
        for (size_t at = s->size; at < s->size + 24; ++at) {
            double w[16] = {0};
            c.bytes[at] = 1;
            expect_refused(ctx, s->call(ctx, &c, w), EIG_BAD_ARGUMENT, "eigpack.h is newer than the library");
            assert_true(w[0] == 0 && strstr(eig_error_detail(ctx), s->name));
            c.bytes[at] = 0;
        }
        c.bytes[s->size + 24] = 1; /* behind the caller's structure */
        as_without(ctx, s, &c);
    }
    eig_destroy(ctx);
}

static void test_sizes_of_options(void **state)
{
    static size_t const wrong[] = {0, 1, 4, 7, 4097, SIZE_MAX};
    (void)state;
    eig_context *ctx = test_context(1);
    for (size_t i = 0; i < COUNT(structures); ++i) {
        const structure *const s = &structures[i];
        caller c = {0};
        double w[16] = {0};
        for (size_t k = 0; k < COUNT(wrong); ++k) {
            c.size = wrong[k];
            expect_refused(ctx, s->call(ctx, &c, w), EIG_BAD_ARGUMENT, "options->size");
        }
        c.size = s->size; /* all else 0 */
        as_without(ctx, s, &c);
    }
    /* The macro, the function and zeros behind the size are the same. */
    static const eig_stebz_options stebz_options = EIG_STEBZ_OPTIONS;
    static const eig_geev_options geev_options_ = EIG_GEEV_OPTIONS;
    static const eig_heev_options heev_options = EIG_HEEV_OPTIONS;
    static const eig_stemr_options stemr_options = EIG_STEMR_OPTIONS;
    const void *const macros[] = {&stebz_options, &geev_options_, &heev_options,  &stebz_options,
                                  &geev_options_, &heev_options,  &stemr_options, &stemr_options};
    for (size_t i = 0; i < COUNT(structures); ++i) {
        caller zeros = {0}, made;
        memset(&made, 0x55, sizeof made);
        structures[i].init(&made, structures[i].size);
        zeros.size = structures[i].size;
        assert_memory_equal(&made, &zeros, structures[i].size);
        assert_memory_equal(macros[i], &zeros, structures[i].size);
    }
    eig_stebz_options stebz, stebz_macro = EIG_STEBZ_OPTIONS;
    eig_geev_options geev, geev_macro = EIG_GEEV_OPTIONS;
    eig_stebz_options_init(&stebz, sizeof stebz), eig_geev_options_init(&geev, sizeof geev);
    assert_true(stebz.size == stebz_macro.size && stebz.method == stebz_macro.method && stebz.abstol == 0);
    assert_true(geev.size == geev_macro.size && geev.no_balance == 0 && geev.max_steps == 0);
    caller c = {0};
    structures[0].init(&c, 4), structures[1].init(&c, 0); /* no room for a size: nothing is written */
    assert_true(c.size == 0);
    eig_stebz_options_init(NULL, 64), eig_geev_options_init(NULL, 64);
    eig_destroy(ctx);
}

/* Every number of the options at both sides of its limits; what is refused names its family, and a letter is what it says. */
static void test_limits_of_options(void **state)
{
    enum { STEBZ = 0, GEEV = 1, HEEV = 2, STEMR = 6 };
#define FIELD(family, name) offsetof(eig_##family##_options, name), sizeof(((eig_##family##_options *)0)->name)
    static const struct {
        int structure;
        size_t at, size;
        bool real;
        double good[4], bad[4];
        int goods, bads;
    } limits[] = {
        {STEBZ, FIELD(stebz, range), false, {0, 'A'}, {'B', 'a', -1, 1}, 2, 4},
        {STEBZ, FIELD(stebz, method), false, {0, 1, 2}, {-1, 3}, 3, 2},
        {STEBZ, FIELD(stebz, abstol), true, {0, 1e-300, 1e300}, {-1e-300, INFINITY, NAN}, 3, 3},
        {STEBZ, FIELD(stebz, reltol), true, {0, 1 - DBL_EPSILON}, {-1e-300, 1, INFINITY, NAN}, 2, 4},
        {GEEV, FIELD(geev, layout), false, {0, 'M'}, {'N', 'e', -1, 1}, 2, 4},
        {GEEV, FIELD(geev, method), false, {0, 1, 2, 3}, {-1, 4}, 4, 2},
        {GEEV, FIELD(geev, row_major), false, {0, 1}, {-1, 2}, 2, 2},
        {GEEV, FIELD(geev, threads_per_matrix), false, {0, 1, 32}, {-1, 33}, 3, 2},
        {GEEV, FIELD(geev, chunk), false, {0, 1, 0x1p62}, {-1, -0x1p63}, 3, 2},
        {GEEV, FIELD(geev, max_steps), false, {0, 1, 0x1p62}, {-1, -0x1p63}, 3, 2},
        {HEEV, FIELD(heev, uplo), false, {0, 'L'}, {'M', 'l', -1, 1}, 2, 4},
        {HEEV, FIELD(heev, layout), false, {0, 'M'}, {'N', 'e', -1, 1}, 2, 4},
        {HEEV, FIELD(heev, method), false, {0, 1, 2, 3}, {-1, 4}, 4, 2},
        {HEEV, FIELD(heev, row_major), false, {0, 1}, {-1, 2}, 2, 2},
        {HEEV, FIELD(heev, relative), false, {0, 1}, {-1, 2}, 2, 2},
        {HEEV, FIELD(heev, max_sweeps), false, {0, 1, INT32_MAX}, {-1, INT32_MIN}, 3, 2},
        {HEEV, FIELD(heev, tolerance), true, {0, 1e-300, 0.5}, {-1e-300, 1, INFINITY, NAN}, 3, 4},
        {HEEV, FIELD(heev, chunk), false, {0, 1, 0x1p62}, {-1, -0x1p63}, 3, 2},
        {HEEV, FIELD(heev, range), false, {0, 'A'}, {'B', 'a', -1, 1}, 2, 4},
        {HEEV, FIELD(heev, no_certificate), false, {0, 1}, {-1, 2}, 2, 2},
        {STEMR, FIELD(stemr, no_certificate), false, {0, 1}, {-1, 2}, 2, 2},
        {STEMR, FIELD(stemr, range), false, {0, 'A'}, {'B', 'a', -1, 1}, 2, 4},
        {STEMR, FIELD(stemr, method), false, {0, 1, 2}, {-1, 3}, 3, 2},
        {STEMR, FIELD(stemr, most_depth), false, {-1, 0, 6}, {-2, 7}, 3, 2},
        {STEMR, FIELD(stemr, tree_room), false, {0}, {-1, -0x1p63, 1}, 1, 3}, /* tree is NULL */
    };
#undef FIELD
    (void)state;
    eig_context *ctx = test_context(1);
    for (size_t i = 0; i < COUNT(limits); ++i)
        for (int k = 0; k < limits[i].goods + limits[i].bads; ++k) {
            const structure *const s = &structures[limits[i].structure];
            bool const good = k < limits[i].goods;
            double const value = good ? limits[i].good[k] : limits[i].bad[k - limits[i].goods];
            int const integer = limits[i].size == sizeof(int) ? (int)value : 0;
            int64_t const wide = limits[i].real ? 0 : (int64_t)value;
            double w[16] = {0};
            caller c;
            s->init(&c, s->size);
            memcpy(c.bytes + limits[i].at,
                   limits[i].real                  ? (const void *)&value
                   : limits[i].size == sizeof(int) ? (const void *)&integer
                                                   : (const void *)&wide,
                   limits[i].size);
            eig_status const status = s->call(ctx, &c, w);
            if (status != (good ? EIG_OK : EIG_BAD_ARGUMENT))
                fail_msg("%s: %g at byte %zu: %s", s->name, value, limits[i].at, eig_error_detail(ctx));
            if (!good) assert_true(w[0] == 0 && strncmp(eig_error_detail(ctx), s->name, strlen(s->name)) == 0);
            if (good && integer >= 'A' && integer <= 'Z') as_without(ctx, s, &c); /* the default's other name */
        }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_older_options),
        cmocka_unit_test(test_newer_options),
        cmocka_unit_test(test_sizes_of_options),
        cmocka_unit_test(test_limits_of_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
