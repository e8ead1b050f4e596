/* What all calls have in common, on the device named by the argument: leading dimensions and strides, lent workspaces, times of
 * passes, threads, streams, texts.  What info says: test_info.c. */
#define _POSIX_C_SOURCE 200809L
#include "bench/support/cases.h"
#include "bench/support/passes.h"
#include "support/operations.h"

#include <math.h>
#include <unistd.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* ------------------------------------------------------------ all functions */

/* Each function of eigpack.h that computes has an operation, so that these tests call it. */
static void test_every_function(void **state)
{
    (void)state;
    for (int i = 0; i < FUNCTIONS; ++i) {
        int found = 0;
        for (int k = 0; k < ALL_OPERATIONS; ++k) found += operation_is(&operations[k], public_functions[i].name);
        if (!found) fail_msg("eig_%s has no row in tests/support/calls.h", public_functions[i].name);
    }
}

/* The function of each type's letter gives the bits of the one that takes the type. */
static void test_typed_forms(void **state)
{
    static outputs erased, typed;
    (void)state;
    eig_context *ctx = test_context(2);
    for (int i = 0; i < operations_here(); ++i) {
        const operation *const op = &operations[i];
        for (const char *letter = function_of(op->name)->types; *letter; ++letter) {
            outputs_clear(&erased), outputs_clear(&typed);
            assert_int_equal(operate_in(ctx, op, (eig_type)*letter, false, &erased, NULL), EIG_OK);
            assert_int_equal(operate_in(ctx, op, (eig_type)*letter, true, &typed, NULL), EIG_OK);
            if (memcmp(erased.block, typed.block, BLOCK) != 0) fail_msg("%s: other bits with %c", op->name, *letter);
        }
    }
    eig_destroy(ctx);
}

/* ------------------------------------------- leading dimensions and strides */

/* Bits do not depend on them; that nothing is read or written between the elements, operate_well sees. */
static void test_padding(void **state)
{
    static outputs close = {.dense = true}, apart;
    static char elements[2][BLOCK];
    (void)state;
    eig_context *ctx = test_context(2);
    for (int i = 0; i < 2 * operations_here(); ++i) {
        const operation *const op = &operations[i / 2];
        operate_well(ctx, op, real_types[i % 2], &close);
        operate_well(ctx, op, real_types[i % 2], &apart);
        outputs_gather(&close, elements[0]), outputs_gather(&apart, elements[1]);
        if (memcmp(elements[0], elements[1], BLOCK) != 0)
            fail_msg("%s %s: other bits with large strides", op->name, type_name(real_types[i % 2]));
    }
    eig_destroy(ctx);
}

/* Arrays that are aligned to their real numbers alone give the bits of others. */
static void test_alignment(void **state)
{
    static outputs aligned, shifted;
    static char elements[2][BLOCK];
    (void)state;
    eig_context *ctx = test_context(2);
    for (int i = 0; i < 2 * operations_here(); ++i) {
        const operation *const op = &operations[i / 2];
        shifted.shift = type_size(real_types[i % 2]);
        operate_well(ctx, op, real_types[i % 2], &aligned);
        operate_well(ctx, op, real_types[i % 2], &shifted);
        outputs_gather(&aligned, elements[0]), outputs_gather(&shifted, elements[1]);
        if (memcmp(elements[0], elements[1], BLOCK) != 0)
            fail_msg("%s %s: other bits %zu bytes on", op->name, type_name(real_types[i % 2]), shifted.shift);
    }
    eig_destroy(ctx);
}

/* The bits of an output do not depend on whether others are NULL: each that may be, and all of them.  Those of geev may: on a
 * GPU where vectors are wanted, since condition numbers take another road; on a CPU, n > 64, eigenvalues alone. */
static void test_least_outputs(void **state)
{
    static outputs all, least;
    (void)state;
    eig_context *ctx = test_context(2);
    for (int i = 0; i < 2 * operations_here(); ++i) {
        const operation *const op = &operations[i / 2];
        if (!test_on_cpu() && operation_is(op, "geev_batched") && !op->absent) continue;
        operate_well(ctx, op, real_types[i % 2], &all);
        assert_true(all.optional > 0);
        for (least.without = ALL_OF_THEM; least.without <= all.optional; ++least.without) {
            operate_well(ctx, op, real_types[i % 2], &least);
            bool const other_values =
                least.without == ALL_OF_THEM && strcmp(op->name, "geev_batched vectors n = 70") == 0;
            for (int k = other_values; k < all.outs; ++k) { /* w is the first one */
                size_t const at = all.out[k].at, bytes = (size_t)extent_span(least.out[k].extent) * all.out[k].size;
                if (memcmp(all.block + at, least.block + at, bytes) != 0)
                    fail_msg("%s %s: other bits in output %d without number %d of those that may be NULL", op->name,
                             type_name(real_types[i % 2]), k, least.without);
            }
        }
    }
    eig_destroy(ctx);
}

/* ---------------------------------------------------------------- workspaces */

/* Exactly as large as the query says: nothing behind it is touched, a byte less is refused before anything is written,
 * whichever of the outputs that may be NULL is NULL, and the bits are those of the context's own workspace.  Host arrays on a GPU use none. */
static void test_workspace(void **state)
{
    enum { GUARD = 512 };
    static outputs own, lent;
    (void)state;
    if (!test_on_cpu() || test_on_several()) skip_because("host arrays use no lent workspace here");
    eig_context *ctx = test_context(3);
    for (int i = 0; i < 2 * operations_here(); ++i) {
        const operation *const op = &operations[i / 2];
        eig_type const type = real_types[i % 2];
        size_t bytes = 0;
        operate_well(ctx, op, type, &own);
        assert_int_equal(operate_once(ctx, op, type, &lent, &bytes), EIG_OK);
        assert_true(bytes > 0);
        unsigned char *const work = aligned_alloc(256, (bytes + GUARD + 255) / 256 * 256);
        assert_non_null(work);
        memset(work, 0xa5, bytes + GUARD);
        assert_int_equal(eig_set_workspace(ctx, work, bytes), EIG_OK);
        operate_well(ctx, op, type, &lent);
        same_outputs(op, &own, &lent, "with a lent workspace");
        for (int k = 0; k < GUARD; ++k) assert_int_equal(work[bytes + (size_t)k], 0xa5);
        for (size_t less = 1; less <= bytes; less = 2 * less + 7) {
            assert_int_equal(eig_set_workspace(ctx, work, bytes - less), EIG_OK);
            for (lent.without = own.optional; lent.without >= 0; --lent.without) {
                outputs_clear(&lent);
                expect_refused(ctx, operate_once(ctx, op, type, &lent, NULL), EIG_BAD_WORKSPACE, "need");
                assert_true(outputs_untouched(&lent));
            }
            lent.without = 0;
        }
        expect_refused(ctx, eig_set_workspace(ctx, work + 128, bytes), EIG_BAD_ARGUMENT, "aligned to 256");
        assert_int_equal(eig_set_workspace(ctx, NULL, 0), EIG_OK); /* takes the loan back */
        free(work);
        operate_well(ctx, op, type, &lent);
        same_outputs(op, &own, &lent, "after a loan");
    }
    expect_refused(ctx, eig_set_workspace(ctx, NULL, 8), EIG_BAD_ARGUMENT, "work is NULL");
    eig_destroy(ctx);
}

/* --------------------------------------------------------------------- times */

static void test_timing(void **state)
{
    static outputs plain, timed;
    (void)state;
    eig_context *ctx = test_context(2);
    eig_pass pass[PASSES_MOST];
    int count = passes_read(ctx, pass);
    assert_int_equal(count, 0);
    for (int i = 0; i < operations_here(); ++i) {
        const operation *const op = &operations[i];
        const char *const *const names = test_on_cpu() ? op->cpu_passes : op->cuda_passes;
        operate_well(ctx, op, EIG_D, &plain);
        assert_int_equal(eig_set_timing(ctx, 1), EIG_OK);
        operate_well(ctx, op, EIG_D, &timed);
        same_outputs(op, &plain, &timed, "with times");
        count = passes_read(ctx, pass);
        double sum = 0;
        for (int k = 0; k < count; ++k) {
            if (names[0] && (!names[k] || strcmp(pass[k].name, names[k]) != 0))
                fail_msg("%s: pass %d is \"%s\"", op->name, k, pass[k].name);
            assert_true(pass[k].ms >= 0 && pass[k].ms < 1e5);
            sum += pass[k].ms;
        }
        assert_true(count >= 1 && sum > 0 && (!names[0] || count == COUNT(op->cpu_passes) || !names[count]));
        /* Off: the list stays. */
        eig_pass held[8];
        memcpy(held, pass, (size_t)count * sizeof *pass);
        assert_int_equal(eig_set_timing(ctx, 0), EIG_OK);
        operate_well(ctx, &operations[(i + 1) % operations_here()], EIG_S, &plain);
        int again = 0;
        again = passes_read(ctx, pass);
        assert_int_equal(again, count);
        for (int k = 0; k < count; ++k) assert_true(pass[k].ms == held[k].ms && pass[k].name == held[k].name);
    }
    eig_pass none = EIG_PASS, unsized = {0};
    assert_int_equal(eig_get_pass(ctx, 0, NULL), EIG_BAD_ARGUMENT);
    assert_int_equal(eig_get_pass(ctx, 0, &unsized), EIG_BAD_ARGUMENT);
    assert_int_equal(eig_get_pass(ctx, -1, &none), EIG_BAD_ARGUMENT);
    assert_int_equal(eig_get_pass(ctx, eig_get_passes(ctx), &none), EIG_BAD_ARGUMENT);
    assert_int_equal(eig_get_pass(NULL, 0, &none), EIG_BAD_ARGUMENT);
    assert_int_equal(eig_get_passes(NULL), 0);
    assert_null(none.name);
    eig_destroy(ctx);
}

/* The road of a call is a row of its family's table. */
static void test_roads(void **state)
{
    static double a[40 * 40], large[70 * 70], w[140], d[40], e[40];
    (void)state;
    eig_context *ctx = test_context(2);
    eig_stebz_options stebz = EIG_STEBZ_OPTIONS;
    eig_geev_options geev = EIG_GEEV_OPTIONS;
    eig_heev_options heev = EIG_HEEV_OPTIONS;
    eig_stemr_options stemr = EIG_STEMR_OPTIONS;
    assert_string_equal(eig_get_road(ctx), "");
    assert_string_equal(eig_get_road(NULL), "");
    stebz.method = EIG_STEBZ_REFERENCE, geev.method = EIG_GEEV_REFERENCE, heev.method = EIG_HEEV_REFERENCE;
    stemr.method = EIG_STEMR_REFERENCE;
    for (int i = 0; i < 40; ++i) a[i + 40 * i] = d[i] = i, e[i] = 1;
    assert_int_equal(eig_dstebz(ctx, &stebz, 40, d, e, NULL, w, NULL, NULL, NULL), EIG_OK);
    assert_string_equal(eig_get_road(ctx), "reference");
    assert_int_equal(eig_dsyev(ctx, NULL, 20, a, 40, NULL, w, NULL, 0, NULL, NULL), EIG_OK);
    assert_string_equal(eig_get_road(ctx), test_on_cpu() ? "tile" : "few");
    assert_int_equal(eig_dsyev(ctx, &heev, 20, a, 40, NULL, w, NULL, 0, NULL, NULL), EIG_OK);
    assert_string_equal(eig_get_road(ctx), "reference");
    assert_int_equal(eig_dgeev(ctx, NULL, 40, a, 40, (eig_z *)(void *)w, NULL, 0, NULL, 0, NULL, NULL), EIG_OK);
    assert_true(strlen(eig_get_road(ctx)) > 0 && strcmp(eig_get_road(ctx), "reference") != 0);
    for (int i = 0; i < 70; ++i) large[71 * i] = i;
    assert_int_equal(eig_dgeev(ctx, NULL, 70, large, 70, (eig_z *)(void *)w, NULL, 0, NULL, 0, NULL, NULL), EIG_OK);
    if (test_on_cpu())
        assert_string_equal(eig_get_road(ctx), "large");
    else
        assert_true(strcmp(eig_get_road(ctx), "block, Aberth") == 0 || strcmp(eig_get_road(ctx), "block, QR") == 0);
    assert_int_equal(eig_dgeev(ctx, &geev, 40, a, 40, (eig_z *)(void *)w, NULL, 0, NULL, 0, NULL, NULL), EIG_OK);
    assert_string_equal(eig_get_road(ctx), "reference");
    assert_int_equal(eig_dstemr(ctx, NULL, 40, d, e, NULL, w, NULL, 0, NULL, NULL, NULL, NULL, NULL), EIG_OK);
    assert_string_equal(eig_get_road(ctx), "auto");
    assert_int_equal(eig_dstemr(ctx, &stemr, 40, d, e, NULL, w, NULL, 0, NULL, NULL, NULL, NULL, NULL), EIG_OK);
    assert_string_equal(eig_get_road(ctx), "reference");
    eig_destroy(ctx);
}

/* A call with a size of 0 has neither road nor passes, whatever the call before it had; arrays without elements may be NULL; whole
 * numbers that are told of matrices are 0. */
static void test_empty(void **state)
{
    static double w[40], d[40], e[40];
    static outputs o;
    (void)state;
    eig_context *ctx = test_context(2);
    assert_int_equal(eig_set_timing(ctx, 1), EIG_OK);
    for (int i = 0; i < 40; ++i) d[i] = i, e[i] = 1;
    for (int which = 0; which < 3 * FUNCTIONS; ++which) {
        const public_function *const f = &public_functions[which / 3];
        int64_t const n = which % 3 == 0 ? 0 : 4;
        call_sizes const s = {n, which % 3 == 1 ? 0 : 2, n, which % 3 == 2 ? 0 : 3};
        call_value v[MOST_ARGUMENTS];
        if (which % 3 == 1 && argument_of(f, "", "count", 5) < 0) continue; /* without parameters there is A_0 */
        if (which % 3 == 2 && !is_batched(f)) continue;
        outputs_clear(&o);
        call_prepare(f, &s, NULL, EIG_D, &o, v);
        for (int i = 0; i < f->count; ++i)
            if (is_array(f, i) && extent_elements(array_of(f, i, &s).least) == 0) v[i].out = NULL;
        assert_int_equal(eig_dstebz(ctx, NULL, 40, d, e, NULL, w, NULL, NULL, NULL), EIG_OK);
        assert_true(strlen(eig_get_road(ctx)) > 0 && eig_get_passes(ctx) > 0);
        if (f->call(ctx, EIG_D, false, NULL, v) != EIG_OK) fail_msg("%s: %s", f->name, eig_error_detail(ctx));
        if (eig_get_road(ctx)[0] || eig_get_passes(ctx) != 0)
            fail_msg("%s: road \"%s\", %d passes", f->name, eig_get_road(ctx), eig_get_passes(ctx));
        for (int i = 0; i < f->count; ++i) {
            if (!is_array(f, i) || !v[i].out || (f->argument[i].of != 'I' && f->argument[i].of != 'L')) continue;
            size_t const bytes = (size_t)extent_elements(array_of(f, i, &s).least) * (f->argument[i].of == 'I' ? 4 : 8);
            for (size_t at = 0; at < bytes; ++at)
                if (((char *)v[i].out)[at]) fail_msg("%s: %s is not 0", f->name, f->argument[i].name);
        }
        inputs_free(&o);
    }
    eig_destroy(ctx);
}

/* The cases of test_times: methods beside the default are longer roads, each with passes of its own. */
static const struct {
    const case_family *family;
    int method; /* of the family */
    const char *kind;
    int64_t n, batch;
} timed[] = {
    {&case_stebz, EIG_STEBZ_MULTISECTION, "uniform", 6000, 1},
    {&case_stebz, EIG_STEBZ_MULTISECTION, "uniform", 200, 300},
    {&case_stebz, EIG_STEBZ_INTERVAL_TREE, "uniform", 500, 1},
    {&case_stebz, EIG_STEBZ_REFERENCE, "uniform", 400, 1},
    {&case_stemr, EIG_STEMR_AUTO, "uniform", 1000, 1},
    {&case_stemr, EIG_STEMR_REFERENCE, "uniform", 200, 1},
    {&case_geev, EIG_GEEV_AUTO, "random", 20, 1500},
    {&case_geev, EIG_GEEV_AUTO, "random", 200, 1},
    {&case_geev, EIG_GEEV_REFERENCE, "random", 100, 1},
    {&case_heev, EIG_HEEV_AUTO, "ensemble", 500, 1},
    {&case_heev, EIG_HEEV_AUTO, "ensemble", 16, 20000},
    {&case_heev, EIG_HEEV_JACOBI, "ensemble", 40, 64},
    {&case_heev, EIG_HEEV_REFERENCE, "ensemble", 60, 1},
};

/* The passes together take what the call takes, but for some checks; in one of some calls, where others share the machine. */
static void test_times(void **state)
{
    (void)state;
    if (!test_on_cpu() || test_on_several()) skip_because("passes of several devices or streams overlap");
    eig_context *ctx = test_context(2);
    assert_int_equal(eig_set_timing(ctx, 1), EIG_OK);
    for (size_t k = 0; k < COUNT(timed); ++k) {
        bench_case c = case_new(timed[k].family, timed[k].kind, EIG_D, timed[k].n, timed[k].batch);
        double most = 0;
        if (c.family == &case_stebz) c.stebz.method = (eig_stebz_method)timed[k].method;
        if (c.family == &case_stemr) c.stemr.method = (eig_stemr_method)timed[k].method;
        if (c.family == &case_geev) c.geev.method = (eig_geev_method)timed[k].method;
        if (c.family == &case_heev) c.heev.method = (eig_heev_method)timed[k].method;
        if (!case_make(&c, &(io_error){""})) fail_msg("no %s", timed[k].kind);
        for (int turn = 0; turn < 5 && most < 0.95; ++turn) {
            eig_pass pass[PASSES_MOST];
            int count;
            double sum = 0;
            double const start = clock_ms();
            assert_int_equal(case_call(ctx, &c), EIG_OK);
            double const whole = clock_ms() - start;
            count = passes_read(ctx, pass);
            for (int i = 0; i < count; ++i) sum += pass[i].ms;
            if (!(sum <= whole))
                fail_msg("%s, method %d: a call of %.3f ms has passes of %.3f ms", c.family->name, timed[k].method,
                         whole, sum);
            most = fmax(most, sum / whole);
        }
        if (most < 0.95)
            fail_msg("%s, method %d, n=%lld: passes are %.2f of the call", c.family->name, timed[k].method,
                     (long long)c.n, most);
        case_free(&c);
    }
    eig_destroy(ctx);
}

/* The same of a call that solves its matrices one after the other: a pass is that of all of them. */
static void test_times_of_steps(void **state)
{
    enum { N = 120, BATCH = 16 };
    static double d[BATCH * N], e[BATCH * N], w[BATCH * N], z[BATCH * N * N];
    double most = 0;
    int64_t m[BATCH];
    (void)state;
    if (!test_on_cpu() || test_on_several()) skip_because("passes of several devices or streams overlap");
    for (int i = 0; i < BATCH * N; ++i) d[i] = cos(i), e[i] = sin(3 * i);
    eig_context *ctx = test_context(1);
    assert_int_equal(eig_set_timing(ctx, 1), EIG_OK);
    for (int turn = 0; turn < 5 && most < 0.8; ++turn) {
        eig_pass pass[PASSES_MOST];
        double sum = 0;
        double const start = clock_ms();
        assert_int_equal(
            eig_dstemr_batched(ctx, NULL, N, d, N, e, N, m, w, N, z, N, N * N, NULL, NULL, NULL, NULL, NULL, BATCH),
            EIG_OK);
        double const whole = clock_ms() - start;
        int const count = passes_read(ctx, pass);
        for (int i = 0; i < count; ++i) sum += pass[i].ms;
        if (!(sum <= whole)) fail_msg("a call of %.3f ms has passes of %.3f ms", whole, sum);
        most = fmax(most, sum / whole);
    }
    if (most < 0.8) fail_msg("passes of %d matrices are %.2f of the call", BATCH, most);
    eig_destroy(ctx);
}

/* ---------------------------------------------------------- threads, streams */

/* More threads than any machine has: none of them ends the process, and the bits stay. */
static void test_many_threads(void **state)
{
    static outputs one, many;
    (void)state;
    eig_context *few = test_context(1), *ctx = test_context(65536);
    for (int i = 0; i < 2 * operations_here(); ++i) {
        operate_well(few, &operations[i / 2], real_types[i % 2], &one);
        operate_well(ctx, &operations[i / 2], real_types[i % 2], &many);
        same_outputs(&operations[i / 2], &one, &many, "with 65536 threads");
    }
    expect_refused(ctx, eig_set_threads(ctx, 65537), EIG_BAD_ARGUMENT, "threads = 65537");
    expect_refused(ctx, eig_set_threads(ctx, -1), EIG_BAD_ARGUMENT, "threads = -1");
    eig_destroy(few);
    eig_destroy(ctx);
}

static int threads_told(eig_context *ctx)
{
    int threads = 0;
    assert_int_equal(sscanf(strrchr(eig_describe(ctx), ',') + 1, " %d thread", &threads), 1);
    return threads;
}

/* As many as asked for, but at most twice the processors, or 32; without a number the quota counts, where nobody has
 * chosen OpenMP's. */
static void test_teams(void **state)
{
    (void)state;
    if (!test_on_cpu() || test_on_several()) skip_because("about the threads of one CPU context");
    long const processors = sysconf(_SC_NPROCESSORS_ONLN), twice = 2 * processors, most = twice > 32 ? twice : 32;
    eig_context *ctx = test_context(1);
    assert_int_equal(threads_told(ctx), 1);
    for (int asked = 2; asked <= 65536; asked *= 8) {
        assert_int_equal(eig_set_threads(ctx, asked), EIG_OK);
        assert_true(threads_told(ctx) <= most && threads_told(ctx) <= asked);
    }
    assert_int_equal(eig_set_threads(ctx, 0), EIG_OK);
    ctx->quota = 1;
    if (!getenv("OMP_NUM_THREADS")) assert_int_equal(threads_told(ctx), 1);
    ctx->quota = 0;
    assert_true(threads_told(ctx) <= processors || getenv("OMP_NUM_THREADS"));
    eig_destroy(ctx);
}

/* EIG_CPU names the instruction set that computes; the description tells which it is. */
static void test_instruction_sets(void **state)
{
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    (void)state;
    if (!test_on_cpu()) skip_because("about the CPU's instruction sets");
    const char *const given = getenv("EIG_CPU");
    char *const before = given ? strdup(given) : NULL;
    int opened = 0;
    for (int k = 0; k < 3; ++k) {
        eig_context *ctx = NULL;
        assert_int_equal(setenv("EIG_CPU", names[k], 1), 0);
        eig_status const status = eig_create(&ctx, "cpu");
        if (status == EIG_OK) {
            char want[32];
            snprintf(want, sizeof want, "cpu %s,", names[k]);
            if (strncmp(eig_describe(ctx), want, strlen(want)) != 0)
                fail_msg("EIG_CPU=%s: %s", names[k], eig_describe(ctx));
            ++opened;
        } else {
            expect_refused(ctx, status, EIG_NO_BACKEND, names[k]);
        }
        eig_destroy(ctx);
    }
    assert_true(opened > 0);
    eig_context *ctx = NULL;
    assert_int_equal(setenv("EIG_CPU", "abacus", 1), 0);
    assert_int_equal(eig_create(&ctx, "cpu"), EIG_BAD_ARGUMENT);
    assert_non_null(strstr(eig_error_detail(ctx), "EIG_CPU=abacus"));
    eig_destroy(ctx);
    assert_int_equal(before ? setenv("EIG_CPU", before, 1) : unsetenv("EIG_CPU"), 0);
    free(before);
}

static void test_streams(void **state)
{
    (void)state;
    eig_context *ctx = test_context(1);
    assert_int_equal(eig_set_stream(ctx, NULL), EIG_OK);
    assert_int_equal(eig_synchronize(ctx), EIG_OK);
    if (test_on_cpu()) expect_refused(ctx, eig_set_stream(ctx, &ctx), EIG_BAD_ARGUMENT, "eig_set_stream");
    eig_destroy(ctx);
}

/* A context that could not be opened, and none at all, refuse every call. */
static void test_no_context(void **state)
{
    static outputs o;
    (void)state;
    eig_context *ctx = NULL;
    size_t bytes;
    assert_int_equal(eig_create(&ctx, "abacus"), EIG_BAD_ARGUMENT);
    for (int turn = 0; turn < 2; ++turn) {
        eig_status const want = turn == 0 ? EIG_NO_BACKEND : EIG_BAD_ARGUMENT;
        for (int i = 0; i < operations_here(); ++i) {
            outputs_clear(&o);
            assert_int_equal(operate_once(ctx, &operations[i], EIG_D, &o, NULL), want);
            assert_int_equal(operate_once(ctx, &operations[i], EIG_D, &o, &bytes), want);
            assert_true(outputs_untouched(&o));
        }
        assert_int_equal(eig_set_threads(ctx, 1), want);
        assert_int_equal(eig_set_stream(ctx, NULL), want);
        assert_int_equal(eig_synchronize(ctx), want);
        assert_int_equal(eig_set_timing(ctx, 1), want);
        assert_int_equal(eig_set_workspace(ctx, NULL, 0), want);
        assert_int_equal(eig_set_progress(ctx, NULL, NULL), want);
        assert_true(strlen(eig_error_detail(ctx)) > 0 && strlen(eig_describe(ctx)) > 0);
        eig_destroy(ctx);
        ctx = NULL;
    }
    assert_int_equal(eig_create(NULL, "cpu"), EIG_BAD_ARGUMENT);
    /* Whether a GPU answers or not, auto has not failed. */
    for (int turn = 0; turn < 2; ++turn) {
        assert_int_equal(eig_create(&ctx, turn ? "auto" : NULL), EIG_OK);
        assert_string_equal(eig_error_detail(ctx), "");
        eig_destroy(ctx);
    }
}

/* --------------------------------------------------------------------- texts */

static void test_texts(void **state)
{
    (void)state;
#define CHECK_TEXT(name, value, text)                 \
    assert_string_equal(eig_status_text(name), text); \
    assert_int_equal(name, value);
    EIG_STATUS_LIST(CHECK_TEXT)
    assert_true(strlen(eig_status_text((eig_status)6)) > 0 && strlen(eig_status_text((eig_status)-1)) > 0);
    assert_string_equal(eig_info_text(EIG_INFO_OK), "success");
    assert_string_equal(eig_info_text(EIG_INFO_NOT_FINITE), "the input holds a NaN or an infinity");
    assert_string_equal(eig_info_text(1), "the iteration did not converge");
    assert_string_equal(eig_info_text(INT32_MAX), eig_info_text(1));
    assert_true(strlen(eig_info_text(-2)) > 0);
    static const int infos[] = {EIG_INFO_NOT_FINITE, EIG_INFO_OK, 1, 6, 8, INT32_MAX};
    for (size_t k = 0; k < sizeof infos / sizeof *infos; k++)
        assert_string_equal(eig_geev_info_text(6, infos[k]), eig_info_text(infos[k]));
    assert_string_equal(eig_geev_info_text(6, 7),
                        "the eigenvalues are good, but a vector within the bound was not found");
    assert_string_equal(eig_geev_info_text(INT32_MAX, INT32_MAX), eig_info_text(1));
    static size_t const sizes[] = {4, 8, 8, 16};
    for (int k = 0; k < 4; ++k) assert_int_equal(eig_type_size((eig_type) "sdcz"[k]), sizes[k]);
    assert_int_equal(eig_type_size((eig_type)'x'), 0);
    assert_int_equal(eig_type_size((eig_type)0), 0);
    assert_int_equal(eig_version(), 10000 * EIG_VERSION_MAJOR + 100 * EIG_VERSION_MINOR + EIG_VERSION_PATCH);
}

int main(int argc, char **argv)
{
    if (!test_device_answers(argc, argv)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_function), cmocka_unit_test(test_typed_forms),
        cmocka_unit_test(test_padding),        cmocka_unit_test(test_roads),
        cmocka_unit_test(test_empty),          cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_least_outputs),  cmocka_unit_test(test_teams),
        cmocka_unit_test(test_workspace),      cmocka_unit_test(test_timing),
        cmocka_unit_test(test_times),          cmocka_unit_test(test_times_of_steps),
        cmocka_unit_test(test_many_threads),   cmocka_unit_test(test_instruction_sets),
        cmocka_unit_test(test_streams),        cmocka_unit_test(test_no_context),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
