/* Error sentences and the caller's locale: numbers keep their point, and the locale stays.  77: there is no German locale
 * (tests/common/locale.sh makes one). */
#define _POSIX_C_SOURCE 200809L
#include "support/device.h"

#include <locale.h>
#include <stdbool.h>

/* Whether the calling thread writes a comma. */
static bool writes_comma(void)
{
    char text[16];
    snprintf(text, sizeof text, "%g", 0.5);
    return strcmp(text, "0,5") == 0;
}

static void check_sentences(void)
{
    double const d[2] = {0, 0}, e[1] = {1};
    double w[2];
    eig_context *ctx = test_context(1);
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
#define SOLVE eig_dstebz(ctx, &o, 2, d, e, NULL, w, NULL, NULL, NULL)
    o.abstol = -0.25;
    expect_refused(ctx, SOLVE, EIG_BAD_ARGUMENT, "abstol = -0.25,");
    o.abstol = 0, o.reltol = 1.5;
    expect_refused(ctx, SOLVE, EIG_BAD_ARGUMENT, "reltol = 1.5,");
    o.reltol = 0, o.range = EIG_RANGE_VALUE, o.vl = 2.5, o.vu = 1.5;
    expect_refused(ctx, SOLVE, EIG_BAD_ARGUMENT, "vl = 2.5, vu = 1.5");
    assert_true(writes_comma());
    eig_destroy(ctx);
}

static void test_global(void **state)
{
    (void)state;
    check_sentences();
}

/* A locale of the thread's own. */
static void test_thread(void **state)
{
    (void)state;
    locale_t const german = newlocale(LC_NUMERIC_MASK, "de_DE.UTF-8", (locale_t)0);
    assert_true(german != (locale_t)0);
    setlocale(LC_ALL, "C");
    uselocale(german);
    check_sentences();
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(german);
}

int main(void)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8") || !writes_comma()) {
        printf("skipped: no locale de_DE.UTF-8\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_global),
        cmocka_unit_test(test_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
