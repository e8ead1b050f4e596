/* What the tests of several devices in one context share: the contexts, on CPUs or GPUs as the program's arguments say. */
#ifndef EIG_TEST_MULTI_FIXTURE_H
#define EIG_TEST_MULTI_FIXTURE_H

#include "device.h"

enum { DEVICES = 4, SEVERAL = 2 };
static const char *devices[DEVICES] = {"cpu", "cpu,cpu", "cpu,cpu,cpu", "cpu,cpu,cpu,cpu,cpu"};

static inline eig_context *open_several(int which)
{
    eig_context *ctx = NULL;
    if (eig_multi_create(&ctx, devices[which], 1) != EIG_OK) fail_msg("%s", eig_error_detail(ctx));
    assert_int_equal(eig_set_threads(ctx, 4), EIG_OK);
    return ctx;
}

static inline eig_context *open_one(void)
{
    return test_context(2);
}

/* Takes the devices from the arguments; false, after saying so, where they do not answer. */
static inline bool devices_answer(int argc, char **argv)
{
    static const char *const gpus[DEVICES] = {"cuda:0", "cuda:0,0", "cuda:0,0,0", "cuda:0,0,0,0,0"};
    if (argc < 2) return true;
    for (int k = 0; k < DEVICES; ++k) devices[k] = k > 0 && argc > 2 ? argv[2] : gpus[k];
    eig_context *ctx = NULL;
    eig_status const status = eig_create(&ctx, devices[1]);
    if (status != EIG_OK) printf("skipped: %s\n", eig_error_detail(ctx));
    eig_destroy(ctx);
    test_device = "cuda";
    return status == EIG_OK;
}

#endif
