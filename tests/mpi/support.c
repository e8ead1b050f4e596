#include "support.h"

#ifdef EIG_TEST_LEAKS
#include <sanitizer/lsan_interface.h>
#else /* without the leak sanitizer */
#define __lsan_disable() (void)0
#define __lsan_enable() (void)0
#define __lsan_do_recoverable_leak_check() 0
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int test_failures, test_rank, test_size;

void test_failed(const char *file, int line, const char *what)
{
    if (test_failures++ < 20)
        fprintf(stderr, "%s:%d: rank %d of %d: not so: %s\n", file, line, test_rank, test_size, what);
}

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (double)(*state >> 11) * 0x1p-53;
}

static void entry(matrix_kind kind, int64_t n, int64_t i, uint64_t *state, double *d, double *e)
{
    double const u = uniform(state), v = uniform(state);
    *d = u, *e = v;
    if (kind == TOEPLITZ) *d = 2, *e = 1;
    if (kind == GLUED) *d = fabs((double)(i % 21) - 10), *e = i % 21 == 20 ? 1e-8 : 1;
    if (kind == SPLIT && i % 7 == 6) *e = 0;
    if (kind == BLOCKS && (i + 1) % (n / 3 + 1) == 0) *e = 0;
    if (kind == GRADED) *d = pow(10, -30.0 * (double)i / (double)n), *e = 0.3 * *d;
    if (kind == ZERO) *d = *e = 0;
}

test_matrix test_make(eig_type type, matrix_kind kind, int64_t n)
{
    test_matrix t = {type, n, test_array(eig_type_size(type), n), test_array(eig_type_size(type), n)};
    uint64_t state = 7;
    for (int64_t i = 0; i < n; ++i) {
        double d, e;
        entry(kind, n, i, &state, &d, &e);
        if (type == EIG_S)
            ((float *)t.d)[i] = (float)d, ((float *)t.e)[i] = (float)e;
        else
            ((double *)t.d)[i] = d, ((double *)t.e)[i] = e;
    }
    return t;
}

void test_free(test_matrix *t)
{
    free(t->d);
    free(t->e);
}

void *test_array(size_t size, int64_t count)
{
    size_t const bytes = size * (size_t)(count > 0 ? count : 1);
    void *const array = malloc(bytes);
    if (!array) exit(99);
    memset(array, 0xa5, bytes);
    return array;
}

bool test_same(const void *a, int64_t at_a, const void *b, int64_t at_b, size_t size, int64_t count)
{
    return memcmp((const char *)a + (size_t)at_a * size, (const char *)b + (size_t)at_b * size, (size_t)count * size) ==
           0;
}

int test_main(int argc, char **argv, void (*tests)(eig_mpi_context *ctx, const char *device))
{
    int given;
    __lsan_disable(); /* Open MPI opens libraries to look at them, and closes them with something left */
    int const begun = MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    __lsan_enable();
    if (begun != MPI_SUCCESS) return 98;
    MPI_Comm_rank(MPI_COMM_WORLD, &test_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &test_size);
    const char *const device = argc > 1 ? argv[1] : "cpu";
    eig_mpi_context *ctx;
    eig_status const status = eig_mpi_create(&ctx, MPI_COMM_WORLD, device);
    bool const skipped = status == EIG_NO_BACKEND || status == EIG_CUDA_FAILURE;
    if (skipped && test_rank == 0) printf("skipped: %s\n", eig_mpi_error_detail(ctx));
    CHECK(status == EIG_OK || skipped);
    if (status == EIG_OK) tests(ctx, device);
    eig_mpi_destroy(ctx);
    /* While MPI's own libraries are open, so that leaks.txt knows theirs by their names. */
    CHECK(__lsan_do_recoverable_leak_check() == 0);
    MPI_Allreduce(MPI_IN_PLACE, &test_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return skipped ? 77 : test_failures > 0;
}
