/* The measured choices of the CPU: orders at which a family takes another road or algorithm, and the threads another
 * way to share.
 * The number of matrices chooses nothing that changes a bit.  Plain C. */
#ifndef EIG_CPU_CROSSOVERS_H
#define EIG_CPU_CROSSOVERS_H

#include "crossover.h"

/* ------------------------------------------------------------------------ heev */

/* Road tile jacobi of method auto: `eigpack bench heev --tune`, on a Zen 5 with AVX-512. */
static const crossover heev_tile_jacobi[] = {
    {OF_S, 0, 1, 4, 1, NO_END, 0, 0, 0, NULL},
    {OF_D | OF_C, 0, 1, 3, 1, NO_END, 0, 0, 0, NULL},
    {OF_Z, 0, 1, 2, 1, NO_END, 0, 0, 0, NULL},
    {0},
};

/* Road two stages: values alone, through a band. */
static const crossover heev_stages[] = {
    {OF_S | OF_C, 'N', 800, NO_END, 1, NO_END, 0, 0, 0, "notes-heev.md"},
    {OF_D | OF_Z, 'N', 640, NO_END, 1, NO_END, 0, 0, 0, "notes-heev.md"},
    {0},
};

/* Orders from which on several threads may work on a matrix, and rows have sums of their own; from which on these bands
 * of rows are longer. */
enum { HEEV_TOGETHER = 512, HEEV_LONG_BANDS = 2048 };
static const crossover heev_together[] = {
    {OF_ALL, 0, HEEV_TOGETHER, NO_END, 1, NO_END, 0, 0, 0, NULL},
    {0},
};
static const crossover heev_long_bands[] = {
    {OF_ALL, 0, HEEV_LONG_BANDS, NO_END, 1, NO_END, 0, 0, 0, NULL},
    {0},
};

/* ------------------------------------------------------------------------ geev */

/* Threads may share a matrix. */
static const crossover geev_together[] = {
    {OF_ALL, 0, 512, NO_END, 1, NO_END, 0, 0, 0, NULL},
    {0},
};

/* ----------------------------------------------------------------------- stebz */

/* Road small: eigenvalues by sweeps, then proven. */
enum { STEBZ_SWEPT = 9 };
static const crossover stebz_swept[] = {
    {OF_REAL, 0, 1, STEBZ_SWEPT, 1, NO_END, 0, 0, 0, NULL},
    {0},
};

/* ----------------------------------------------------------------------- stemr */

/* Blocks of T by QL sweeps; rows from which on a matrix of a batch has work for several threads. */
enum { STEMR_SHORT_ROWS = 8 };
static const crossover stemr_short[] = {
    {OF_REAL, 0, 2, STEMR_SHORT_ROWS, 1, NO_END, 0, 0, 0, NULL},
    {0},
};
static const crossover stemr_shared[] = {
    {OF_REAL, 0, 256, NO_END, 1, NO_END, 0, 0, 0, NULL},
    {0},
};

static const crossover_table cpu_crossovers[] = {
    {"heev", "road tile jacobi", heev_tile_jacobi},
    {"heev", "road two stages", heev_stages},
    {"heev", "threads may share a matrix", heev_together},
    {"heev", "longer bands of rows", heev_long_bands},
    {"geev", "threads may share a matrix", geev_together},
    {"stebz", "road small: sweeps", stebz_swept},
    {"stemr", "blocks of T by QL", stemr_short},
    {"stemr", "threads share a matrix of a batch", stemr_shared},
    {NULL, NULL, NULL},
};

#endif
