/* Every function that computes (functions.h) as a row of a table, or as several, on one small problem: for the tests of
 * what all calls have in common.  test_calls.c demands a row for each. */
#ifndef EIG_TEST_OPERATIONS_H
#define EIG_TEST_OPERATIONS_H

#include "functions.h"

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
    {.name = "stemr values", STEMR(0), 60, 1, STEMR_PASSES, .absent = "z"},
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

/* Those of the device under test. */
static inline int operations_here(void)
{
    return test_on_cpu() ? ALL_OPERATIONS : OPERATIONS;
}

static inline bool operation_is(const operation *op, const char *function)
{
    return strcmp(function_of(op->name)->name, function) == 0;
}

static inline call_sizes operation_sizes(const operation *op)
{
    return (call_sizes){op->n, op->m, op->k ? op->k : op->n, op->batch};
}

/* Makes the call in the type, or asks for its workspace where bytes is not NULL. */
static inline eig_status operate_in(eig_context *ctx, const operation *op, eig_type type, bool typed, outputs *o,
                                    size_t *bytes)
{
    const public_function *const f = function_of(op->name);
    call_sizes const s = operation_sizes(op);
    call_value v[MOST_ARGUMENTS];
    if (bytes) return f->work_size(ctx, type, op->options, s.n, s.m, wants_matrices(f, op->absent), s.batch, bytes);
    call_prepare(f, &s, op->absent, type, o, v);
    eig_status const status = f->call(ctx, type, typed, op->options, v);
    inputs_kept(op->name, o);
    inputs_free(o);
    return status;
}

/* The same in s or d, or the complex type of it where the operation is complex. */
static inline eig_status operate_once(eig_context *ctx, const operation *op, eig_type real, outputs *o, size_t *bytes)
{
    return operate_in(ctx, op, op->is_complex ? type_complex_of(real) : real, false, o, bytes);
}

/* Makes the call, which must succeed. */
static inline void operate_well(eig_context *ctx, const operation *op, eig_type type, outputs *o)
{
    outputs_clear(o);
    eig_status const status = operate_once(ctx, op, type, o, NULL);
    if (status != EIG_OK) fail_msg("%s %s: %s", op->name, type_name(type), eig_error_detail(ctx));
    padding_untouched(op->name, o);
}

static inline void same_outputs(const operation *op, const outputs *x, const outputs *y, const char *what)
{
    if (memcmp(x->block, y->block, BLOCK) != 0) fail_msg("%s: other bits %s", op->name, what);
}

#endif
