/* Shared by the tests of the families: the device is the program's argument, and a missing GPU means "skipped". */
#ifndef EIG_TEST_DEVICE_H
#define EIG_TEST_DEVICE_H

#include "eigpack.h"
#include "multi/multi.h"
#include "skip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *test_device = "cpu";

/* For loops over both: index 0 and 1. */
static eig_type const real_types[2] __attribute__((unused)) = {EIG_D, EIG_S};

/* Whether it is a CPU, and whether it is several devices in one context. */
static inline bool test_on_cpu(void)
{
    return strncmp(test_device, "cpu", 3) == 0;
}

static inline bool test_on_several(void)
{
    return strchr(test_device, ',') != NULL;
}

/* Opens the device under test; "cpu,cpu" or "cuda:0,0" is one context of two, which share out every call. */
static inline eig_status test_open(eig_context **ctx)
{
    return test_on_several() ? eig_multi_create(ctx, test_device, 1) : eig_create(ctx, test_device);
}

/* A context on the device under test, with this many threads (CPU). */
static inline eig_context *test_context(int threads)
{
    eig_context *ctx = NULL;
    if (test_open(&ctx) != EIG_OK) fail_msg("%s: %s", test_device, eig_error_detail(ctx));
    assert_int_equal(eig_set_threads(ctx, threads), EIG_OK);
    return ctx;
}

/* Whether EIG_CPU asks for the kernels that the machine takes by itself, and CTest runs those without EIG_CPU already. */
static inline bool test_isa_is_usual(void)
{
    char asked[256] = "", usual[256] = "", isa[32];
    const char *const wanted = getenv("EIG_CPU");
    eig_context *ctx = NULL;
    if (!wanted || !getenv("EIG_TEST_OTHER_ISA")) return false;
    snprintf(isa, sizeof isa, "%s", wanted);
    if (eig_create(&ctx, "cpu") == EIG_OK) snprintf(asked, sizeof asked, "%s", eig_describe(ctx));
    eig_destroy(ctx);
    unsetenv("EIG_CPU");
    if (eig_create(&ctx, "cpu") == EIG_OK) snprintf(usual, sizeof usual, "%s", eig_describe(ctx));
    eig_destroy(ctx);
    setenv("EIG_CPU", isa, 1);
    return strcmp(asked, usual) == 0;
}

/* Reads the device from the arguments; false, after saying so, when it does not answer, or has been tested already. */
static inline int test_device_answers(int argc, char **argv)
{
    if (argc > 1) test_device = argv[1];
    if (test_isa_is_usual()) return printf("skipped: the kernels that this machine takes without EIG_CPU\n"), false;
    eig_context *ctx = NULL;
    eig_status const status = test_open(&ctx);
    if (status != EIG_OK) printf("skipped: %s\n", eig_error_detail(ctx));
    eig_destroy(ctx);
    return status == EIG_OK;
}

/* The call must return this status, with a sentence that holds this text. */
static inline void expect_refused(eig_context *ctx, eig_status got, eig_status want, const char *text)
{
    assert_int_equal(got, want);
    if (!strstr(eig_error_detail(ctx), text)) fail_msg("\"%s\" lacks \"%s\"", eig_error_detail(ctx), text);
}

/* How many matrices of a call may fail a certificate and be solved again: none, but of entries of all sizes ("wild") on a GPU, whose
 * sweeps may gather more rounding errors than a certificate lets pass. */
static int64_t test_may_be_solved_again __attribute__((unused));

/* A sound kernel's answers pass their certificates. */
static inline void expect_proved(eig_context *ctx)
{
    int64_t matrices = -1;
    int64_t const most = test_on_cpu() ? 0 : test_may_be_solved_again;
    if (eig_get_repairs(ctx, &matrices, NULL) != EIG_OK) fail_msg("eig_get_repairs: %s", eig_error_detail(ctx));
    if (matrices < 0 || matrices > most)
        fail_msg("road %s: %lld matrices failed a certificate and were solved again", eig_get_road(ctx),
                 (long long)matrices);
}

#endif
