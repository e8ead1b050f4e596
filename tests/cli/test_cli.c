/* The program's checks of answers: they must accept what is right to within rounding, and refuse what is not. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "io/matrices.h"
#include "run/memory.h"
#include "run/tridiagonal.h"
#include "support/sanitizer.h"
#include "support/skip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N = 100 };

/* ----------------------------------------------------- comparison with files */

static void test_compare_exact(void **state)
{
    (void)state;
    double w[] = {-1.2345678901234567, 0, 3.1415926535897931};
    double reference[3];
    memcpy(reference, w, sizeof w);
    spectrum const s = {.m = 3, .first = 1, .w = w};
    assert_true(spectrum_compare(&s, EIG_D, reference, 0).passed);
    w[1] = 5e-16; /* within 4 eps max|w| = 2.8e-15 */
    assert_true(spectrum_compare(&s, EIG_D, reference, 0).passed);
    w[1] = 1e-14;
    comparison const c = spectrum_compare(&s, EIG_D, reference, 0);
    assert_false(c.passed);
    assert_int_equal(c.worst, 1);
    assert_true(c.difference == 1e-14 && c.allowed < 5e-15);
    assert_true(spectrum_compare(&s, EIG_D, reference, 1e-13).passed);
    assert_true(spectrum_compare(&s, EIG_S, reference, 0).passed); /* float computed these */
    w[1] = NAN;
    assert_false(spectrum_compare(&s, EIG_D, reference, 1).passed);
}

/* A reference of 6 digits is good to half a unit of the sixth. */
static void test_compare_printed(void **state)
{
    (void)state;
    double reference[] = {-2.11439, 0.0123457};
    double w[] = {-2.1143949, 0.01234567};
    spectrum const s = {.m = 2, .first = 1, .w = w};
    assert_true(spectrum_compare(&s, EIG_D, reference, 0).passed);
    w[0] = -2.1143961;
    assert_false(spectrum_compare(&s, EIG_D, reference, 0).passed);
    w[0] = -2.1143949, w[1] = 0.0123459;
    assert_false(spectrum_compare(&s, EIG_D, reference, 0).passed);
}

/* A reference of floats is good to half an ulp of float. */
static void test_compare_floats(void **state)
{
    (void)state;
    double w[] = {1.0 / 3, 2.0 / 3};
    double reference[] = {(float)w[0], (float)w[1]};
    spectrum const s = {.m = 2, .first = 1, .w = w};
    assert_true(spectrum_compare(&s, EIG_D, reference, 0).passed);
    w[1] += 2e-7;
    assert_false(spectrum_compare(&s, EIG_D, reference, 0).passed);
}

/* -------------------------------------------------------------- certificates */

static void test_certify(void **state)
{
    (void)state;
    io_tridiagonal t = {0};
    io_error error;
    tridiagonal a;
    spectrum s;
    eig_context *ctx;
    bool passed = false;
    double w[N];
    assert_true(matrices_tridiagonal("121", N, 1, &t, &error));
    assert_true(matrices_tridiagonal_spectrum("121", N, w));
    assert_int_equal(tridiagonal_make(&a, &t, EIG_D), CLI_OK);
    assert_int_equal(eig_create(&ctx, "cpu"), EIG_OK);
    eig_stebz_options const options = EIG_STEBZ_OPTIONS;
    assert_int_equal(tridiagonal_stebz(ctx, &options, &a, false, &s), CLI_OK);
    assert_int_equal(s.m, N);
    assert_int_equal(spectrum_certify(ctx, &a, &s, 1e-14, &passed), CLI_OK);
    assert_true(passed);

    /* one eigenvalue moved by twice the tolerance, either way; one missing; not a number */
    double const right = s.w[N / 2], wrong[] = {right - 2e-10, right + 2e-10, s.w[N / 2 + 1], NAN, INFINITY};
    for (int i = 0; i < 5; i++) {
        s.w[N / 2] = wrong[i];
        int64_t bad[] = {3, N / 2, N - 1}, count = 3;
        assert_int_equal(certify_stebz(ctx, &a.exact, 1, s.w, 1e-10, bad, &count), EIG_OK);
        assert_int_equal(count, 1);
        assert_int_equal(bad[0], N / 2);
        assert_int_equal(spectrum_certify(ctx, &a, &s, 1e-10, &passed), CLI_OK);
        assert_false(passed);
    }
    s.w[N / 2] = right;
    for (int k = 0; k < N; k++) assert_true(fabs(s.w[k] - w[k]) < 1e-14);
    spectrum_free(&s);
    tridiagonal_free(&a);
    eig_destroy(ctx);
}

static void test_norm(void **state)
{
    (void)state;
    double d[] = {1, -2, 0.5}, e[] = {-3, 4}, low, high;
    io_tridiagonal const t = {.n = 3, .d = d, .e = e};
    tridiagonal_gerschgorin(&t, &low, &high);
    assert_true(low == -9 && high == 5);
    assert_true(tridiagonal_norm(&t) == 9);
}

/* -------------------------------------------------------------- free memory */

static void put(const char *path, const char *text)
{
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

/* What a group leaves counts the pages of files that can be dropped; the groups around it hold too. */
static void test_memory_free(void **state)
{
    (void)state;
    char folder[] = "memoryXXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("a", 0700) | mkdir("a/b", 0700) | mkdir("memory", 0700) | mkdir("memory/c", 0700), 0);
    put("meminfo", "MemTotal: 9000 kB\nMemFree:  10 kB\nMemAvailable:    8000 kB\n");
    put("groups", "4:cpu:/c\n0::/a/b\n");
    assert_int_equal(memory_free_at("absent", "absent", "."), (int64_t)4 << 30);
    assert_int_equal(memory_free_at("meminfo", "groups", "."), 8000 * 1024);
    put("a/b/memory.max", "max\n"), put("a/b/memory.current", "77\n");
    assert_int_equal(memory_free_at("meminfo", "groups", "."), 8000 * 1024);
    put("a/memory.max", "5000\n"), put("a/memory.current", "3000\n");
    assert_int_equal(memory_free_at("meminfo", "groups", "."), 2000);
    put("a/memory.stat", "anon 1\ninactive_file 1500\nactive_file 9\n");
    assert_int_equal(memory_free_at("meminfo", "groups", "."), 3500);
    put("a/b/memory.max", "70\n");
    assert_int_equal(memory_free_at("meminfo", "groups", "."), 0);
    put("groups", "9:memory:/c\n4:cpu:/c\n");
    assert_int_equal(memory_free_at("meminfo", "groups", "."), 8000 * 1024);
    put("memory/c/memory.limit_in_bytes", "9223372036854771712\n"), put("memory/c/memory.usage_in_bytes", "500\n");
    assert_int_equal(memory_free_at("meminfo", "groups", "."), 8000 * 1024);
    put("memory/c/memory.limit_in_bytes", "900\n"), put("memory/c/memory.usage_in_bytes", "500\n");
    assert_int_equal(memory_free_at("meminfo", "groups", "."), 400);
    assert_int_equal(chdir(".."), 0);
    assert_int_equal(system("rm -r memory??????"), 0);
    assert_true(memory_free() > 0);
}

/* Bytes that the process has taken, by a line of its status. */
static int64_t taken(const char *word)
{
    char line[200];
    long long kilobytes = 0;
    FILE *const file = fopen("/proc/self/status", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, word, strlen(word)) == 0) sscanf(line + strlen(word), "%lld", &kilobytes);
    fclose(file);
    assert_true(kilobytes > 0);
    return 1024 * kilobytes;
}

/* A limit of the process holds too: what it leaves is the limit less what is taken.  A check tells both numbers. */
static void test_memory_limit(void **state)
{
    int const limits[] = {RLIMIT_AS, RLIMIT_DATA};
    static const char *const words[] = {"VmSize:", "VmData:"};
    int64_t const more = (int64_t)32 << 20, slack = (int64_t)4 << 20; /* what reading may take */
    (void)state;
    if (ADDRESS_SANITIZED) skip_because("a sanitizer ends a process that gets no memory");
    int64_t const whole = memory_free();
    for (int k = 0; k < 2; k++) {
        struct rlimit before, less;
        assert_int_equal(getrlimit((__rlimit_resource_t)limits[k], &before), 0);
        if (before.rlim_cur != RLIM_INFINITY) continue;
        less = before, less.rlim_cur = (rlim_t)(taken(words[k]) + more);
        assert_int_equal(setrlimit((__rlimit_resource_t)limits[k], &less), 0);
        int64_t const some = memory_free();
        assert_true(more - slack <= some && some <= more + slack);
        less.rlim_cur = 4096; /* less than is taken */
        assert_int_equal(setrlimit((__rlimit_resource_t)limits[k], &less), 0);
        int64_t const none = memory_free();
        int const refused = memory_check("a test", 2e6, ": try less"), small = memory_check("a test", 1e5, "");
        assert_int_equal(setrlimit((__rlimit_resource_t)limits[k], &before), 0);
        assert_int_equal(none, 0);
        assert_int_equal(refused, CLI_FAILED);
        assert_int_equal(small, CLI_OK);
    }
    assert_int_equal(memory_check("a test", (double)whole / 2, ""), CLI_OK);
    assert_int_equal(memory_check("a test", 1e300, ""), CLI_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compare_exact),  cmocka_unit_test(test_compare_printed),
        cmocka_unit_test(test_compare_floats), cmocka_unit_test(test_certify),
        cmocka_unit_test(test_norm),           cmocka_unit_test(test_memory_free),
        cmocka_unit_test(test_memory_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
