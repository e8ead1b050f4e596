/* heev on the CPU: what its files share.
 *
 *     heev_cpu.c          the driver, and the table of roads
 *     heev_select.c       of all pairs those of a range
 *
 * compiled once for each instruction set and type:
 *
 *     heev_kernels.c      a tile of matrices, one a SIMD lane; its parts are
 *     heev_tile.h           loading, scaling, storing
 *     heev_tridiagonal.h    the tridiagonal method
 *     heev_alone.h          the same for one matrix, with the same bits
 *     heev_jacobi.h         Jacobi
 *     heev_jacobi_alone.h   the same for one matrix, with the same bits
 *     heev_lanes.h          formulas and complex numbers for lanes
 *     heev_large.c          one matrix, n > 64, by the tridiagonal method; its parts are
 *     heev_large.h            what they share
 *     heev_large_reduce.h     reduction in panels
 *     heev_stages_band.h      values alone: reduction to a band, and
 *     heev_stages_chase.h     from the band to tridiagonal form
 *     heev_large_divide.h     divide and conquer, with
 *     heev_secular.h          the eigenpairs of a diagonal matrix and a correction of rank one
 *     heev_large_ql.h           QL for its leaves
 *     heev_large_back.h       back-transformation
 *
 * compiled once for each type:
 *
 *     heev_reference.c    plain two-sided Jacobi for one matrix of any order: the oracle
 *     heev_plain.h        loading and storing of one matrix
 *     heev_certify.h      tests of its results */
#ifndef EIG_HEEV_CPU_H
#define EIG_HEEV_CPU_H

#include "cpu/crossovers.h"
#include "problem.h"
#include "stebz/stebz_values.h"
#include "team.h"
#include "watch.h"

/* Computes matrix b of the problem and stores its results. work: heev_reference_bytes or heev_large_bytes, aligned.
 * watch: NULL, or read between steps; nothing is stored of a matrix that it stops.  What fails its certificate gets NaN
 * and an info of n. */
typedef void heev_solver(const heev_problem *p, int64_t b, void *work, cpu_watch *watch);

/* Computes matrices first, ..., first + count - 1 and stores their results; 1 <= n <= HEEV_TILE, count <= lanes.
 * work: heev_tile_bytes, aligned to 64.  A bit for each that failed its certificate: those have NaN and an info of n.
 * */
typedef unsigned heev_tile_solver(const heev_problem *p, int64_t first, int count, void *work);

/* Matrix b as a tile solver would.  Whether it failed its certificate. */
typedef bool heev_alone_solver(const heev_problem *p, int64_t b, void *work);

/* heev_kernels.c: many matrices at once, and one. */
typedef struct heev_tiles {
    int lanes;
    heev_tile_solver *jacobi, *tridiagonal;
    heev_alone_solver *jacobi_alone, *alone;
} heev_tiles;

/* As heev_solver; every thread of a team calls it for the same matrix, and gets back whether that failed its
 * certificate. work: heev_large_bytes, and behind them heev_member_bytes for each thread but the first; aligned to
 * 64. */
typedef bool heev_team_solver(const heev_problem *p, int64_t b, void *work, cpu_watch *watch, cpu_member *who);

/* heev_large.c: one matrix. */
typedef struct heev_large_kernels {
    heev_team_solver *solve;
} heev_large_kernels;

/* The kernels of one instruction set and type. */
typedef struct heev_kernels {
    heev_solver *reference;
    const heev_tiles *tiles;
    const heev_large_kernels *large;
} heev_kernels;

typedef bool heev_team_runner(const heev_kernels *kernels, const heev_problem *p, int64_t b, void *work,
                              cpu_watch *watch, cpu_member *who);

/* A road that a call can take. */
typedef struct heev_road {
    const char *name;
    bool (*serves)(const heev_problem *p);
    bool tiles;                              /* a unit of work is a tile of matrices; else one matrix */
    int64_t (*bytes)(const heev_problem *p); /* of a thread's work area */
    unsigned (*run)(const heev_kernels *kernels, const heev_problem *p, int64_t first, int count, void *work,
                    cpu_watch *watch); /* one unit; a bit for each matrix that is to be solved again */
    heev_team_runner *run_together;    /* NULL, or one matrix by several threads, with the same bits */
    bool (*run_alone)(const heev_kernels *kernels, const heev_problem *p, int64_t b,
                      void *work); /* NULL, or one matrix of
                                                          an unfilled tile, with the same bits */
} heev_road;

/* The first row of the table that serves the call: one always does. */
const heev_road *eig_cpu_heev_road(const heev_problem *p);
const heev_road *eig_cpu_heev_roads(int *count);

extern heev_solver eig_cpu_heev_reference_s, eig_cpu_heev_reference_d;
extern heev_solver eig_cpu_heev_reference_c, eig_cpu_heev_reference_z;

extern const heev_tiles eig_cpu_heev_tiles_baseline_s, eig_cpu_heev_tiles_avx2_s, eig_cpu_heev_tiles_avx512_s;
extern const heev_tiles eig_cpu_heev_tiles_baseline_d, eig_cpu_heev_tiles_avx2_d, eig_cpu_heev_tiles_avx512_d;
extern const heev_tiles eig_cpu_heev_tiles_baseline_c, eig_cpu_heev_tiles_avx2_c, eig_cpu_heev_tiles_avx512_c;
extern const heev_tiles eig_cpu_heev_tiles_baseline_z, eig_cpu_heev_tiles_avx2_z, eig_cpu_heev_tiles_avx512_z;

extern const heev_large_kernels eig_cpu_heev_large_baseline_s, eig_cpu_heev_large_avx2_s, eig_cpu_heev_large_avx512_s;
extern const heev_large_kernels eig_cpu_heev_large_baseline_d, eig_cpu_heev_large_avx2_d, eig_cpu_heev_large_avx512_d;
extern const heev_large_kernels eig_cpu_heev_large_baseline_c, eig_cpu_heev_large_avx2_c, eig_cpu_heev_large_avx512_c;
extern const heev_large_kernels eig_cpu_heev_large_baseline_z, eig_cpu_heev_large_avx2_z, eig_cpu_heev_large_avx512_z;

enum { HEEV_TILE = 64 /* largest order of a tile */ };

/* Distance of two rows of a tile's A, or columns of its V, in numbers: odd, as heev_column. */
static inline int heev_tile_row(int n)
{
    return n | 1;
}

/* The work area of a tile, in vectors of up to 64 bytes: A, V, the diagonal and what lies beside it, marks, two
 * vectors, phases, factors. */
static inline int64_t heev_lanes_bytes(const heev_problem *p)
{
    int64_t const parts = type_is_complex(p->type) ? 2 : 1, n = p->n;
    return 64 * (parts * n * heev_tile_row((int)n) * (p->vectors ? 2 : 1) + 3 * n + parts * 3 * n + n);
}

/* One matrix: distance of two columns in reals, an odd number of blocks of 64 bytes. */
static inline int64_t heev_padded_column(int64_t n, size_t real)
{
    int64_t const block = 64 / (int64_t)real;
    return ((n + block - 1) / block | 1) * block;
}

enum { HEEV_ALONE_VECTORS = 10 };

/* The work area of heev_alone.h: A, Z, V, vectors. */
static inline int64_t heev_alone_bytes(const heev_problem *p)
{
    size_t const real = type_is_single(p->type) ? sizeof(float) : sizeof(double);
    int64_t const parts = type_is_complex(p->type) ? 2 : 1, planes = p->vectors ? 2 * parts + 1 : parts;
    return (planes * p->n + HEEV_ALONE_VECTORS) * heev_padded_column(p->n, real) * (int64_t)real;
}

/* The work area of a tile, or of one matrix in its place. */
static inline int64_t heev_tile_bytes(const heev_problem *p)
{
    int64_t const tile = heev_lanes_bytes(p), alone = heev_alone_bytes(p);
    return tile > alone ? tile : alone;
}

enum {
    HEEV_NOTED = 4096,      /* rotations that wait, */
    HEEV_NOTED_BYTES = 24,  /* and their size */
    HEEV_SPARE = 4,         /* columns of zeros behind A */
    HEEV_PANEL = 32,        /* most columns of a panel */
    HEEV_REFLECTIONS = 48,  /* that are applied at once */
    HEEV_COLUMNS = 32,      /* of Z to which they are applied at once */
    HEEV_STRIP_BYTES = 768, /* of a column that a merger takes at once */
    HEEV_LISTS = 5,         /* of n indices */
    HEEV_WIDTH = 48,        /* two stages: the band's diagonals below the main one: whole tiles of a product */
    HEEV_SMALL_SQUARES = 6  /* of that order */
};

/* Reals of a band's sums, in whole blocks of 64 bytes. */
#define HEEV_BAND_SUMS(real) (4 * HEEV_PANEL + 64 / (int)(real))

/* Rows of a band, whole blocks: the order alone decides, so that bits do not depend on threads. */
static inline int64_t heev_band(int64_t n, size_t real)
{
    return n < HEEV_TOGETHER ? heev_padded_column(n, real) : n < HEEV_LONG_BANDS ? 256 : 512;
}

static inline int64_t heev_bands(int64_t n, size_t real)
{
    int64_t const band = heev_band(n, real);
    return (heev_padded_column(n, real) + band - 1) / band;
}

/* Whether a large matrix goes to tridiagonal form through a band. */
static inline bool heev_in_stages(const heev_problem *p)
{
    return !p->counts && crosses(heev_stages, p->type, p->vectors, p->n, 1);
}

/* Distance of two columns of the band in reals, less one: twice the width, since the chase fills as many diagonals, and
 * a block of zeros at either end. */
static inline int64_t heev_band_column(size_t real)
{
    return 2 * HEEV_WIDTH + 2 * (64 / (int64_t)real);
}

static inline int64_t heev_band_reals(int64_t n, size_t real)
{
    int64_t const block = 64 / (int64_t)real, all = n * (heev_band_column(real) + 1) + HEEV_WIDTH + 2 * block;
    return (all + block - 1) / block * block;
}

/* What the two stages take beside the matrix, in reals: V, W and V, by columns; V^T and (A V)^T; small squares; the
 * band. */
static inline int64_t heev_stages_reals(int64_t n, int64_t parts, size_t real)
{
    int64_t const ld = heev_padded_column(n, real);
    return parts * (5 * HEEV_WIDTH * ld + HEEV_SMALL_SQUARES * HEEV_WIDTH * HEEV_WIDTH + heev_band_reals(n, real));
}

/* The panels V, W and V of a reduction in one stage, in reals. */
static inline int64_t heev_panel_reals(int64_t n, int64_t parts, size_t real)
{
    return parts * 3 * HEEV_PANEL * heev_padded_column(n, real);
}

/* The scratch of heev_large.c with vectors, in reals. Reduction: panels. Mergers: a strip of Z, the vectors, and a
 * block for each. Back-transformation: V, V^H, M, S, W and columns of Z, with sums of real and imaginary parts. */
static inline int64_t heev_large_scratch(int64_t n, int64_t parts, size_t real)
{
    int64_t const ld = heev_padded_column(n, real), block = 64 / (int64_t)real,
                  strip = HEEV_STRIP_BYTES / (int64_t)real;
    int64_t const reduce = heev_panel_reals(n, parts, real), divide = (strip + block) * n + 5 * (ld + 2 * block);
    int64_t const back = 3 * HEEV_REFLECTIONS * (2 * ld + HEEV_REFLECTIONS + HEEV_COLUMNS) + HEEV_COLUMNS * ld;
    int64_t const most = reduce > divide ? reduce : divide;
    return ((most > back ? most : back) + block - 1) / block * block;
}

/* What each thread that works on a matrix has for itself, with vectors: scratch, rotations, lists. */
static inline int64_t heev_member_bytes(const heev_problem *p)
{
    if (!p->vectors) return 0;
    size_t const real = type_is_single(p->type) ? sizeof(float) : sizeof(double);
    int64_t const parts = type_is_complex(p->type) ? 2 : 1;
    int64_t const bytes = heev_large_scratch(p->n, parts, real) * (int64_t)real +
                          (int64_t)HEEV_NOTED * HEEV_NOTED_BYTES + HEEV_LISTS * p->n * (int64_t)sizeof(int64_t);
    return (bytes + 63) / 64 * 64;
}

/* What heev_large.c takes beside A for values alone: panels or what two stages take, in reals; */
static inline int64_t heev_reduction_reals(const heev_problem *p)
{
    size_t const real = type_is_single(p->type) ? sizeof(float) : sizeof(double);
    int64_t const parts = type_is_complex(p->type) ? 2 : 1;
    return heev_in_stages(p) ? heev_stages_reals(p->n, parts, real) : heev_panel_reals(p->n, parts, real);
}

/* and with what stebz takes, in bytes. */
static inline int64_t heev_values_bytes(const heev_problem *p)
{
    bool const single = type_is_single(p->type);
    return heev_reduction_reals(p) * (int64_t)(single ? sizeof(float) : sizeof(double)) +
           eig_cpu_stebz_values_bytes(single ? EIG_S : EIG_D, p->n);
}

/* The work area of heev_large.c: A; Z with a plane for mergers, or what values alone take; ten vectors; sums of bands;
 * the order; what the first thread has. */
static inline int64_t heev_large_bytes(const heev_problem *p)
{
    size_t const real = type_is_single(p->type) ? sizeof(float) : sizeof(double);
    int64_t const parts = type_is_complex(p->type) ? 2 : 1, ld = heev_padded_column(p->n, real);
    int64_t const bands = heev_bands(p->n, real);
    int64_t const columns = parts * (p->n + HEEV_SPARE + bands) + (p->vectors ? 2 * p->n : 0) + 10;
    int64_t const values = p->vectors ? 0 : heev_values_bytes(p);
    int64_t const shared = (columns * ld + bands * HEEV_BAND_SUMS(real)) * (int64_t)real + values;
    return (shared + p->n * (int64_t)sizeof(int64_t) + 63) / 64 * 64 + heev_member_bytes(p);
}

/* Distance of two columns of a matrix: odd, so that a row does not fall on one set of the cache. */
static inline int64_t heev_column(int64_t n)
{
    return n | 1;
}

/* The work area of the reference: the order, A and V in planes of real and imaginary parts, eigenvalues, marks. */
static inline int64_t heev_reference_bytes(const heev_problem *p)
{
    int64_t const planes = (type_is_complex(p->type) ? 2 : 1) * (p->vectors ? 2 : 1);
    int64_t const real = type_is_single(p->type) ? sizeof(float) : sizeof(double);
    return p->n * (int64_t)sizeof(int64_t) + (planes * p->n * heev_column(p->n) + 2 * p->n) * real;
}

#endif
