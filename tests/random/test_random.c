/* Random hard matrices of stebz, stemr, heev and geev: certificates and sameness, one seed after the other.
 *     test_random [DEVICE [NUMBER [FIRST [FAMILY]]]]
 * DEVICE  cpu (default), cuda, ...
 * NUMBER  of seeds for stemr (default 30), three times as many for heev and geev, ten times for stebz, which cost less; with an s behind
 *         it, seconds for each family
 * FIRST   the first seed (default 1000)
 * FAMILY  this one alone: stebz, stemr, heev or geev
 * The first failure of a family ends its search, and names seed and kind of matrix; with the next seed as FIRST the
 * search goes on. */
#include "random.h"
#include "support/device.h"

#include <time.h>

static uint64_t first_seed = 1000;
static double number = 30;
static int in_seconds;

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* `times` as many seeds as asked for. */
static void run(void (*round)(eig_context *ctx, uint64_t seed), int times)
{
    eig_context *const ctx = test_context(2);
    double const start = now();
    for (uint64_t k = 0; in_seconds ? now() - start < number : (double)k < times * number; ++k)
        round(ctx, first_seed + k);
    eig_destroy(ctx);
}

static void test_stebz(void **state)
{
    (void)state;
    run(random_stebz, 10);
}

static void test_stemr(void **state)
{
    (void)state;
    run(random_stemr, 1);
}

static void test_heev(void **state)
{
    (void)state;
    run(random_heev, 3);
}

static void test_geev(void **state)
{
    (void)state;
    run(random_geev, 3);
}

int main(int argc, char **argv)
{
    struct CMUnitTest const tests[] = {cmocka_unit_test(test_stebz), cmocka_unit_test(test_stemr),
                                       cmocka_unit_test(test_heev), cmocka_unit_test(test_geev)};
    char *rest = "";
    if (argc > 2) number = strtod(argv[2], &rest);
    in_seconds = strcmp(rest, "s") == 0;
    if (argc > 3) first_seed = strtoull(argv[3], NULL, 10);
    char family[32] = "test_*";
    if (argc > 4) snprintf(family, sizeof family, "test_%s", argv[4]);
    cmocka_set_test_filter(family);
    if (!(number > 0) || (*rest && !in_seconds)) {
        fprintf(stderr,
                "usage: test_random [DEVICE [NUMBER of seeds, or seconds with an s behind [FIRST seed [FAMILY]]]]\n");
        return 2;
    }
    if (!test_device_answers(argc, argv)) return 77;
    int const failed = cmocka_run_group_tests(tests, NULL, NULL);
    random_stebz_report(), random_stemr_report(), random_heev_report(), random_geev_report();
    return failed;
}
