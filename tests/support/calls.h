/* What tests must be told of a function that computes, beside its prototypes and shapes (functions.h): calls of it on small
 * problems, with which the tests of tests/common try what all functions promise.  test_calls.c demands one of every function. */
#ifndef EIG_TEST_CALLS_H
#define EIG_TEST_CALLS_H

#include "eigpack.h"

#include <stdbool.h>

typedef struct operation {
    const char *name; /* that of the function, and behind a space what is particular */
    const void *options;
    int64_t n, batch;
    const char *cpu_passes[5], *cuda_passes[5]; /* their names; none: not told */
    int64_t k, m;                               /* eigenvalues wanted, 0: n; shifts or parameters */
    const char *absent;                         /* outputs that are NULL */
    bool is_complex;                            /* c and z in place of s and d */
} operation;

#define WITH(structure, ...) (&(structure const){.size = sizeof(structure), __VA_ARGS__})
#define STEBZ(...) WITH(eig_stebz_options, __VA_ARGS__)
#define STEMR(...) WITH(eig_stemr_options, __VA_ARGS__)
#define HEEV(...) WITH(eig_heev_options, __VA_ARGS__)
#define GEEV(...) WITH(eig_geev_options, __VA_ARGS__)

/* clang-format off */
#define STEBZ_PASSES {"preparation", "table", "brackets"}, {"whole"}
#define TREE_PASSES {"preparation", "step 1", "one-intervals", "mult-intervals"}, \
                    {"preparation", "step 1", "one-intervals", "mult-intervals"}
#define STEMR_PASSES {"root", "tree", "refinement", "vectors", "fallbacks"}, \
                     {"root", "tree", "refinement", "vectors", "fallbacks"}
#define GEEV_PASSES {"all"}, {"reduction", "iteration", "plain", "certificate"}
#define VECTOR_PASSES {"all"}, {"reduction", "iteration", "plain", "vectors", "certificate"}
#define NO_VECTORS .absent = "vl vr condition"
static operation const operations[] = {
    {.name = "stebz", STEBZ(0), 333, 1, STEBZ_PASSES},
    {.name = "stebz tight", STEBZ(.abstol = 1e-30), 333, 1, STEBZ_PASSES}, /* below eps ||T|| */
    {.name = "stebz tree", STEBZ(.method = EIG_STEBZ_INTERVAL_TREE), 333, 1, TREE_PASSES},
    {.name = "stebz reference", STEBZ(.method = EIG_STEBZ_REFERENCE), 333, 1, {"preparation", "bisection"}, {"preparation", "bisection"}},
    {.name = "stebz range", STEBZ(.range = EIG_RANGE_INDEX, .il = 5, .iu = 8), 333, 1, .k = 4},
    {.name = "stebz_batched", STEBZ(0), 40, 19, {"batch"}, {"batch"}},
    {.name = "stebz_batched tree", STEBZ(.method = EIG_STEBZ_INTERVAL_TREE), 40, 19, {"batch"}},
    {.name = "stebz_batched reference", STEBZ(.method = EIG_STEBZ_REFERENCE), 40, 19, {"batch"}},
    {.name = "stebz_count", NULL, 333, 1, .m = 70},
    {.name = "geev_batched", GEEV(0), 14, 50, GEEV_PASSES, NO_VECTORS},
    {.name = "geev_batched n = 70", GEEV(0), 70, 3, GEEV_PASSES, NO_VECTORS}, /* above the kernels' largest */
    {.name = "geev_batched reference", GEEV(.method = EIG_GEEV_REFERENCE), 14, 50, GEEV_PASSES, NO_VECTORS},
    {.name = "geev_batched complex", GEEV(0), 14, 50, GEEV_PASSES, NO_VECTORS, .is_complex = true},
    {.name = "geev_batched vectors", GEEV(0), 14, 20, VECTOR_PASSES},
    {.name = "geev_batched complex vectors", GEEV(0), 14, 20, VECTOR_PASSES, .is_complex = true},
    {.name = "geev_batched reference vectors", GEEV(.method = EIG_GEEV_REFERENCE), 14, 20, {"all"}},
    {.name = "geev_batched vectors n = 70", GEEV(0), 70, 1, VECTOR_PASSES},
    {.name = "geev", GEEV(0), 30, 1, GEEV_PASSES, NO_VECTORS},
    {.name = "geev_affine", GEEV(0), 15, 40, GEEV_PASSES, .m = 2},
    /* Only the lower triangle is read, so that any numbers make a Hermitian matrix. */
    {.name = "heev", HEEV(0), 40, 1, {"all"}},
    {.name = "heev_batched", HEEV(0), 11, 21, {"all"}, {"tridiagonal"}},
    {.name = "heev_batched complex", HEEV(0), 11, 21, {"all"}, {"tridiagonal"}, .is_complex = true},
    {.name = "heev_batched values", HEEV(0), 11, 21, {"all"}, {"tridiagonal"}, .absent = "v"},
    {.name = "heev_batched jacobi", HEEV(.method = EIG_HEEV_JACOBI), 11, 21, {"all"}, {"sweeps"}, .is_complex = true},
    {.name = "heev_batched range", HEEV(.range = EIG_RANGE_INDEX, .il = 5, .iu = 8), 11, 21, {"all"}, .k = 4},
    {.name = "heev_batched reference", HEEV(.method = EIG_HEEV_REFERENCE), 11, 21, {"all"}, {"sweeps"}},
    {.name = "heev_batched n = 70", HEEV(0), 70, 1, {"all"}},
    {.name = "heev_batched jacobi n = 70", HEEV(.method = EIG_HEEV_JACOBI), 70, 1, {"all"}},
    {.name = "heev_batched tridiagonal", HEEV(.method = EIG_HEEV_TRIDIAGONAL), 11, 21, {"all"}, {"reduction", "tridiagonal", "vectors"}},
    {.name = "stemr", STEMR(0), 60, 1, STEMR_PASSES},
    {.name = "stemr values", STEMR(0), 60, 1, STEMR_PASSES, .absent = "z isuppz residual orthogonality"},
    {.name = "stemr subset", STEMR(.range = EIG_RANGE_INDEX, .il = 20, .iu = 33), 60, 1, STEMR_PASSES, .k = 14},
    {.name = "stemr reference", STEMR(.method = EIG_STEMR_REFERENCE), 60, 1, STEMR_PASSES},
    {.name = "stemr mrrr", STEMR(.method = EIG_STEMR_MRRR), 60, 1, STEMR_PASSES},
    {.name = "stemr_batched", STEMR(0), 20, 32},
    {.name = "stemr_batched subset", STEMR(.method = EIG_STEMR_MRRR, .range = EIG_RANGE_INDEX, .il = 8, .iu = 12), 20, 32, .k = 5},
    /* On a CPU alone. */
    {.name = "geev_schur", GEEV(0), 14, 20, {"all"}},
    {.name = "geev_schur complex", GEEV(0), 14, 20, {"all"}, .is_complex = true},
    {.name = "geev_schur n = 70", GEEV(0), 70, 1, {"all"}},
};
/* clang-format on */
#undef STEBZ
#undef STEMR
#undef HEEV
#undef GEEV
enum { ALL_OPERATIONS = sizeof operations / sizeof *operations, OPERATIONS = ALL_OPERATIONS - 3 };

#endif
