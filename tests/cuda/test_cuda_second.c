/* The second GPU alone: a context on cuda:1 computes without waking the first GPU, and leaves the caller's CUDA context
 * as it was.  A program of its own, because other tests use the first GPU; skipped (77) with fewer than two. */
#define _GNU_SOURCE
#include "bench/support/cases.h"
#include "support/device.h"

#include <cuda.h>
#include <dlfcn.h>

/* The driver, opened at run time: the machine that compiles need not have it. */
static struct driver {
    CUresult (*init)(unsigned flags);
    CUresult (*count)(int *devices);
    CUresult (*state)(CUdevice device, unsigned *flags, int *active);
    CUresult (*current)(CUcontext *context);
    CUresult (*set_current)(CUcontext context);
    CUresult (*retain)(CUcontext *context, CUdevice device);
    CUresult (*release)(CUdevice device);
} driver;

static bool find(void *library, const char *name, void *function)
{
    void *const symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool open_driver(void)
{
    void *const library = dlopen("libcuda.so.1", RTLD_NOW);
    return library && find(library, "cuInit", &driver.init) && find(library, "cuDeviceGetCount", &driver.count) &&
           find(library, "cuDevicePrimaryCtxGetState", &driver.state) &&
           find(library, "cuCtxGetCurrent", &driver.current) && find(library, "cuCtxSetCurrent", &driver.set_current) &&
           find(library, "cuDevicePrimaryCtxRetain", &driver.retain) &&
           find(library, "cuDevicePrimaryCtxRelease_v2", &driver.release);
}

static bool first_is_awake(void)
{
    unsigned flags;
    int active = -1;
    assert_int_equal(driver.state(0, &flags, &active), CUDA_SUCCESS);
    return active != 0;
}

/* Everything that a context does, on host arrays. */
static void compute(void)
{
    eig_context *ctx = test_context(0);
    for (int k = 0; k < 4; ++k) {
        bench_case c = k % 2 ? case_new(&case_stebz, "uniform", EIG_D, k < 2 ? 40 : 700, k < 2 ? 30 : 1)
                             : case_new(&case_geev, "random", EIG_D, k < 2 ? 8 : 20, 500);
        io_error error;
        double worst = 0;
        assert_true(case_make(&c, &error));
        assert_int_equal(case_call(ctx, &c), EIG_OK);
        assert_int_equal(case_check(ctx, &c, &worst), EIG_OK);
        assert_true(case_passed(&c, worst));
        case_free(&c);
    }
    assert_true(strncmp(eig_describe(ctx), "cuda:1", 6) == 0);
    assert_int_equal(eig_synchronize(ctx), EIG_OK);
    eig_destroy(ctx);
}

static void test_first_sleeps(void **state)
{
    (void)state;
    CUcontext before = NULL, after = NULL;
    assert_false(first_is_awake());
    assert_int_equal(driver.current(&before), CUDA_SUCCESS);
    compute();
    assert_int_equal(driver.current(&after), CUDA_SUCCESS);
    assert_false(first_is_awake());
    assert_ptr_equal(before, after);
}

/* A caller who works on the first GPU finds it current after every call. */
static void test_current_stays(void **state)
{
    (void)state;
    CUcontext first = NULL, after = NULL;
    assert_int_equal(driver.retain(&first, 0), CUDA_SUCCESS);
    assert_int_equal(driver.set_current(first), CUDA_SUCCESS);
    compute();
    assert_int_equal(driver.current(&after), CUDA_SUCCESS);
    assert_ptr_equal(first, after);
    assert_int_equal(driver.set_current(NULL), CUDA_SUCCESS);
    assert_int_equal(driver.release(0), CUDA_SUCCESS);
}

int main(void)
{
    int devices = 0;
    if (!open_driver() || driver.init(0) != CUDA_SUCCESS || driver.count(&devices) != CUDA_SUCCESS || devices < 2) {
        printf("skipped: %d GPUs\n", devices);
        return 77;
    }
    test_device = "cuda:1";
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_sleeps), cmocka_unit_test(test_current_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
