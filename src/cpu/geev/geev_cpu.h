/* geev on the CPU: what its files share.
 *
 *     geev_cpu.c          the driver, with the table of roads: who computes a call
 *
 * compiled once for each instruction set and type:
 *
 *     geev_kernels.c      a tile of matrices, a matrix in each SIMD lane; its parts are
 *     geev_tile.h           loading, scaling, balancing
 *     geev_hessenberg.h     the reduction to Hessenberg form
 *     geev_iterate.h        the iteration, with
 *     geev_double_sweep.h     double-shift sweeps of real matrices, or
 *     geev_single_sweep.h     single-shift sweeps of complex ones
 *     geev_back.h           eigenvectors of one matrix, a vector in each lane
 *     geev_lanes.h          the formulas of src/numerics for lanes
 *     geev_tile_certify.h   the certificate of the eigenvalues
 *     geev_solve.h          all of it, from matrices to results
 *
 *     geev_narrow.c       the same tile with fewer lanes, for one matrix or few
 *     geev_alone.c        one matrix by the plain solver's own steps, for one that its lane leaves
 *     geev_large.c        one matrix, n > GEEV_MOST; its parts are
 *     geev_large.h          what they share
 *     geev_large_reduce.h   the reduction in panels
 *     geev_large_iterate.h  the iteration, with
 *     geev_early.h            early deflation, and windows that are solved by themselves
 *     geev_swap.h             exchanges of diagonal blocks
 *     geev_chase.h            chains of bulges
 *     geev_turns.h            their turns on what lies far from them
 *     geev_large_back.h     eigenvectors
 *
 * compiled once for each type:
 *
 *     geev_reference.c    the plain solver of a matrix of any order: the oracle.  It serves a matrix whose lane did not
 *                         converge
 *     geev_balance.c      plain balancing, for this solver, for large matrices and for a lane that must be permuted
 *     geev_plain_reduce.h the reduction of this solver
 *     geev_descent.h      its iteration, with the steps of
 *     geev_francis.h        double shifts for the real types
 *     geev_single_shift.h   single shifts for the complex ones
 *     geev_vectors.c      eigenvectors and condition numbers from a Schur form
 *     geev_certify.c      the certificate of the eigenvalues of a matrix
 *     geev_repair.c       tests eigenvectors, of lanes and large matrices too, and finds again those that fail
 *     geev_vector.h       what the first and the third do with one vector
 *     geev_store.c        stores the eigenvalues of a matrix
 *     geev_plain.h        what these files share
 *     geev_room.h         the work area of geev_large.c */
#ifndef EIG_GEEV_CPU_H
#define EIG_GEEV_CPU_H

#include "arena.h"
#include "geev_room.h"
#include "problem.h"
#include "team.h"
#include "watch.h"

enum {
    GEEV_MOST = 64,           /* largest order that the lanes take */
    GEEV_BACK_ROWS = 6,       /* vectors for each row that geev_back.h works with */
    GEEV_BALANCE_SWEEPS = 100 /* guards against endless scaling; dgebal's rules end it after a few sweeps */
};

/* One matrix, and the steps that solve it; geev_plain.h has the structures, which know the type. */
struct geev_schur;
struct geev_form;
struct geev_kernels;

/* geev_kernels.c: many matrices at once. */
typedef struct geev_tiles {
    int lanes;
    /* Computes matrices first, ..., first + count - 1 and stores their results; 1 <= n <= GEEV_MOST, count <= lanes.
     * Returns a mask: bit t is set where matrix first + t is left to the reference, and nothing of it is stored.
     * work: geev_tile_bytes, aligned to 64. */
    unsigned (*solve)(const geev_problem *p, int64_t first, int count, void *work);
    /* Stores eigenvectors and condition numbers of matrix b from its Schur form. */
    bool (*vectors)(const geev_problem *p, int64_t b, const struct geev_schur *schur, cpu_watch *watch);
} geev_tiles;

/* geev_reference.c: computes matrix b of the problem and stores its results.  work: geev_reference_bytes.  fast: NULL,
 * or the kernels that do its steps.  watch: NULL, or it may stop the matrix between two steps; then nothing of it is
 * stored. */
typedef void geev_solver(const geev_problem *p, int64_t b, void *work, const struct geev_kernels *fast,
                         cpu_watch *watch);

/* The same for a matrix that balancing makes triangular; false, and nothing is stored, for others: most of them cost a
 * look at an entry of each row and column. */
typedef bool geev_finisher(const geev_problem *p, int64_t b, void *work, const struct geev_kernels *fast);

/* geev_large.c: matrix b of an order above GEEV_MOST.  Every thread of a team calls it for the same matrix.  work:
 * geev_large_bytes, aligned to EIG_ALIGNMENT. */
typedef void geev_team_solver(const geev_problem *p, int64_t b, void *work, cpu_watch *watch, cpu_member *who);

/* The kernels of an instruction set and type. */
typedef struct geev_kernels {
    geev_solver *reference;
    geev_finisher *triangular;
    const geev_tiles *tiles;
    const geev_tiles *const *narrow; /* the same with fewer lanes; without vectors() */
    const struct geev_form *form;
    geev_team_solver *const *large;
} geev_kernels;

extern geev_solver eig_cpu_geev_reference_s, eig_cpu_geev_reference_d, eig_cpu_geev_reference_c,
    eig_cpu_geev_reference_z;
extern geev_finisher eig_cpu_geev_triangular_s, eig_cpu_geev_triangular_d, eig_cpu_geev_triangular_c,
    eig_cpu_geev_triangular_z;
extern const geev_tiles eig_cpu_geev_tiles_baseline_s, eig_cpu_geev_tiles_avx2_s, eig_cpu_geev_tiles_avx512_s;
extern const geev_tiles eig_cpu_geev_tiles_baseline_d, eig_cpu_geev_tiles_avx2_d, eig_cpu_geev_tiles_avx512_d;
extern const geev_tiles eig_cpu_geev_tiles_baseline_c, eig_cpu_geev_tiles_avx2_c, eig_cpu_geev_tiles_avx512_c;
extern const geev_tiles eig_cpu_geev_tiles_baseline_z, eig_cpu_geev_tiles_avx2_z, eig_cpu_geev_tiles_avx512_z;

extern const geev_tiles *const eig_cpu_geev_narrow_baseline_s, *const eig_cpu_geev_narrow_avx2_s,
                                                                   *const eig_cpu_geev_narrow_avx512_s;
extern const geev_tiles *const eig_cpu_geev_narrow_baseline_d, *const eig_cpu_geev_narrow_avx2_d,
                                                                   *const eig_cpu_geev_narrow_avx512_d;
extern const geev_tiles *const eig_cpu_geev_narrow_baseline_c, *const eig_cpu_geev_narrow_avx2_c,
                                                                   *const eig_cpu_geev_narrow_avx512_c;
extern const geev_tiles *const eig_cpu_geev_narrow_baseline_z, *const eig_cpu_geev_narrow_avx2_z,
                                                                   *const eig_cpu_geev_narrow_avx512_z;

extern const struct geev_form eig_cpu_geev_alone_baseline_s, eig_cpu_geev_alone_avx2_s, eig_cpu_geev_alone_avx512_s;
extern const struct geev_form eig_cpu_geev_alone_baseline_d, eig_cpu_geev_alone_avx2_d, eig_cpu_geev_alone_avx512_d;
extern const struct geev_form eig_cpu_geev_alone_baseline_c, eig_cpu_geev_alone_avx2_c, eig_cpu_geev_alone_avx512_c;
extern const struct geev_form eig_cpu_geev_alone_baseline_z, eig_cpu_geev_alone_avx2_z, eig_cpu_geev_alone_avx512_z;

extern geev_team_solver *const eig_cpu_geev_large_baseline_s, *const eig_cpu_geev_large_avx2_s,
                                                                  *const eig_cpu_geev_large_avx512_s;
extern geev_team_solver *const eig_cpu_geev_large_baseline_d, *const eig_cpu_geev_large_avx2_d,
                                                                  *const eig_cpu_geev_large_avx512_d;
extern geev_team_solver *const eig_cpu_geev_large_baseline_c, *const eig_cpu_geev_large_avx2_c,
                                                                  *const eig_cpu_geev_large_avx512_c;
extern geev_team_solver *const eig_cpu_geev_large_baseline_z, *const eig_cpu_geev_large_avx2_z,
                                                                  *const eig_cpu_geev_large_avx512_z;

/* Distance of two columns of a matrix in the reference. */
static inline int64_t geev_column(int64_t n)
{
    return n | 1;
}

/* Bytes of the work area of the reference: the matrix and five rows; for vectors also Q, four rows, a permutation and
 * spare vectors. */
static inline int64_t geev_reference_bytes(const geev_problem *p)
{
    int64_t const n = p->n, part = (int64_t)type_size(type_real_of(p->type));
    int64_t const matrix = n * geev_column(n) * (int64_t)type_size(p->type);
    if (!p->vectors) return matrix + 5 * n * part;
    int64_t const rows = n * (int64_t)(64 * GEEV_BACK_ROWS + sizeof(int64_t)) + 4 * n * n * part;
    return (int64_t)arena_rounded((size_t)(2 * matrix + 9 * n * part)) + rows;
}

/* Bytes of the work area of geev_large.c, where so many threads share a matrix. */
static inline int64_t geev_large_bytes(const geev_problem *p, int threads)
{
    arena measure = {0};
    geev_room room;
    geev_lay_out(&measure, p, threads, &room);
    return (int64_t)measure.used;
}

/* Distance of two rows of a tile, in vectors.  It is odd, so that the entries of a column do not fall on the same set
 * of the cache.  It is more than n, since the last reflector of a sweep may touch the column beside the matrix and two
 * rows below it, which are zero. */
static inline int geev_tile_row(int n)
{
    return (n + 1) | 1;
}

/* Bytes of a tile, with vectors of up to 64 bytes: padding, n + 2 rows, scales, work of the reduction; for vectors Q
 * and the permutations of the lanes, then what geev_back.h needs for one matrix. */
static inline int64_t geev_tile_bytes(const geev_problem *p)
{
    int64_t const n = p->n, row = geev_tile_row((int)n), parts = type_is_complex(p->type) ? 2 : 1;
    int64_t const values = parts + (n + 2) * row * parts + (n + 1) + (n + 1) * (4 * parts + 1);
    int64_t const one = (2 * n * geev_column(n) * parts + 3 * n + 4 * n * n) * (int64_t)sizeof(double);
    if (!p->vectors) return 64 * values;
    return 64 * (values + n * row * parts + 2 * n) + (n * GEEV_BACK_ROWS * 64 + one);
}

#endif
