/* What the tests of eigpack_mpi share: a check that tells rank and line, matrices, typed arrays. */
#ifndef EIG_TEST_MPI_SUPPORT_H
#define EIG_TEST_MPI_SUPPORT_H

#include "eigpack_mpi.h"

#include <stdbool.h>
#include <stddef.h>

extern int test_failures, test_rank, test_size;

void test_failed(const char *file, int line, const char *what);

#define CHECK(cond)                                          \
    do {                                                     \
        if (!(cond)) test_failed(__FILE__, __LINE__, #cond); \
    } while (0)

/* Matrices that are as different as they come. */
typedef enum matrix_kind {
    RANDOM,   /* U(0,1) */
    TOEPLITZ, /* 1-2-1 */
    GLUED,    /* Wilkinson's W21+, glued by 1e-8: clusters */
    SPLIT,    /* blocks of 7 rows */
    BLOCKS,   /* blocks of a third of the rows, and more */
    GRADED,   /* down to 1e-30 */
    ZERO,
    KINDS
} matrix_kind;

typedef struct test_matrix {
    eig_type type;
    int64_t n;
    void *d, *e;
} test_matrix;

test_matrix test_make(eig_type type, matrix_kind kind, int64_t n);
void test_free(test_matrix *t);

/* Room for count numbers (at least one), filled with a byte that no result has. */
void *test_array(size_t size, int64_t count);

/* Whether count numbers have the same bits; `at` is counted in numbers. */
bool test_same(const void *a, int64_t at_a, const void *b, int64_t at_b, size_t size, int64_t count);

/* Runs the tests of one program between MPI_Init and MPI_Finalize; its exit status. */
int test_main(int argc, char **argv, void (*tests)(eig_mpi_context *ctx, const char *device));

#endif
