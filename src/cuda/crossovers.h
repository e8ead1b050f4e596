/* The measured choices of CUDA: orders and numbers of matrices at which a family takes another road or algorithm.  What
 * a kernel can hold (registers, shared memory, copies of a template) is no choice, and stands beside the kernel.  Plain
 * C. */
#ifndef EIG_CUDA_CROSSOVERS_H
#define EIG_CUDA_CROSSOVERS_H

#include "crossover.h"

/* ------------------------------------------------------------------------ heev */

/* Road few: a block a matrix, in one launch.  Of large complex matrices a multiprocessor has room for one. */
static const crossover heev_few[] = {
    {OF_ALL, 0, 9, 32, 1, 400, 0, 0, 0, "notes-heev.md"},
    {OF_S | OF_D | OF_C, 0, 33, 64, 1, 200, 0, 0, 0, "notes-heev.md"},
    {OF_Z, 0, 33, 64, 1, 130, 0, 0, 0, "notes-heev.md"},
    CROSSOVER_END,
};

/* Road whole: all of the GPU on one matrix, or teams of blocks on some.  Measured for f64, and for f32 up to n =
 * 2048. */
static const crossover heev_whole[] = {
    {OF_ALL, 0, 1, 512, 1, 32, 0, 0, 0, "notes-heev.md"},
    {OF_S, 0, 513, 1024, 1, 20, -12, 512, 0, "notes-heev.md"},
    {OF_S, 0, 1025, 2048, 1, 18, -2, 1024, 0, "notes-heev.md"},
    {OF_S, 0, 2049, NO_END, 1, 34, 24, 1024, 0, "notes-heev.md"},
    {OF_D | OF_COMPLEX, 0, 513, 1024, 1, 10, -22, 512, 0, "notes-heev.md"},
    {OF_D | OF_COMPLEX, 0, 1025, NO_END, 1, 10, 24, 1024, 0, "notes-heev.md"},
    CROSSOVER_END,
};

/* There T's pairs come from stemr's kernels, and its values from stebz's, of one matrix after the other; those of more
 * matrices at once, by divide and conquer and by a block each. */
static const crossover heev_each[] = {
    {OF_ALL, 0, 1, NO_END, 1, 1, 1, 192, 0, "notes-heev.md"},
    CROSSOVER_END,
};

/* Calls with same_bits_in_batches: kernels of many matrices, as far as divide and conquer goes; of larger ones those of
 * one. */
static const crossover heev_as_many[] = {
    {OF_ALL, 0, 1, 2048, 1, NO_END, 0, 0, 0, NULL},
    CROSSOVER_END,
};

/* Road two stages, where road whole serves; tests may set another order for values alone. */
#ifndef HEEV_TWO_LEAST
#define HEEV_TWO_LEAST 3200
#endif
static const crossover heev_two[] = {
    {OF_ALL, 'N', HEEV_TWO_LEAST, NO_END, 1, NO_END, 0, 0, 0, "notes-heev.md"},
    {OF_S, 'V', 5000, NO_END, 1, NO_END, 0, 0, 0, "notes-heev.md"},
    {OF_D, 'V', 3800, NO_END, 1, NO_END, 0, 0, 0, "heev-few-cuda-h200"},
    {OF_Z, 'V', 4000, NO_END, 1, NO_END, 0, 0, 0, "heev-few-cuda-h200"},
    CROSSOVER_END,
};

/* ------------------------------------------------------------------------ geev */

/* Aberth's iteration before QR, on GPUs with fast FP64 tensor cores. */
static const crossover geev_aberth[] = {
    {OF_D, 0, 17, 64, 1, 100, 0, 0, 0, "geev-few-h100"},
    {OF_D, 0, 65, 300, 1, NO_END, 0, 0, 0, "notes-geev.md"},
    {OF_D, 0, 301, NO_END, 1, 32, 0, 0, 0, "geev-few-h100"},
    CROSSOVER_END,
};

/* Road single; fewer large matrices are faster with several blocks each. */
static const crossover geev_single[] = {
    {OF_COMPLEX, 0, 1, 64, 1, NO_END, 0, 0, 0, "notes-geev.md"},
    {OF_COMPLEX, 0, 65, 96, 160, NO_END, 0, 0, 0, "notes-geev.md"},
    CROSSOVER_END,
};

/* Lanes a matrix of road schur. */
static const crossover geev_lanes[] = {
    {OF_ALL, 0, 1, 16, 1, NO_END, 0, 0, 16, "notes-geev.md"},
    {OF_ALL, 0, 17, NO_END, 1, NO_END, 0, 0, 32, "notes-geev.md"},
    CROSSOVER_END,
};

/* A warp a matrix, and all of the iteration in one stage: what takes time is then the chain of a sweep's steps. */
static const crossover geev_warp[] = {
    {OF_REAL, 0, 1, 32, 1, 100, 0, 0, 0, "notes-geev.md"},
    CROSSOVER_END,
};

/* Threads a matrix of roads mwb and swb, of those that are left: by `eigpack bench geev --tune --device cuda`, which
 * prints them for the GPU that it runs on; from n = 19 on in double by bench_geev_cuda, whose matrices are random. */
static const crossover geev_mwb[] = {
    {OF_S, 0, 17, 32, 1, NO_END, 0, 0, 2, "geev-tune-h200.txt"},
    {OF_D, 0, 14, 18, 1, NO_END, 0, 0, 2, "geev-tune-h200.txt"},
    CROSSOVER_END,
};
static const crossover geev_swb[] = {
    {OF_S, 0, 1, 16, 1, NO_END, 0, 0, 1, "geev-tune-h200.txt"},
    {OF_S, 0, 33, NO_END, 1, NO_END, 0, 0, 4, "geev-tune-h200.txt"},
    {OF_D, 0, 1, 13, 1, NO_END, 0, 0, 1, "geev-tune-h200.txt"},
    {OF_D, 0, 19, 28, 1, NO_END, 0, 0, 2, "geev-cuda-h200"},
    {OF_D, 0, 29, 47, 1, NO_END, 0, 0, 4, "geev-cuda-h200"},
    {OF_D, 0, 48, NO_END, 1, NO_END, 0, 0, 8, "geev-cuda-h200"},
    CROSSOVER_END,
};

/* The largest window that a stage of kernel 2 leaves to the next stage, three quarters of its order or less; of other
 * orders it leaves none.  More stages gain nothing. */
static const crossover geev_stops[] = {
    {OF_REAL, 0, 18, 20, 1, NO_END, 0, 0, 14, "notes-geev.md"},
    {OF_REAL, 0, 21, 25, 1, NO_END, 0, 0, 16, "notes-geev.md"},
    {OF_REAL, 0, 26, 41, 1, NO_END, 0, 0, 20, "notes-geev.md"},
    {OF_REAL, 0, 42, 62, 1, NO_END, 0, 0, 32, "notes-geev.md"},
    {OF_REAL, 0, 63, NO_END, 1, NO_END, 0, 0, 48, "notes-geev.md"},
    CROSSOVER_END,
};

/* ----------------------------------------------------------------------- stebz */

/* Road small, of batches: a lane is as fast as a warp; of larger orders there have to be so many that their number, and
 * not the chain of operations of one, decides. */
static const crossover stebz_few_rows[] = {
    {OF_REAL, 0, 1, 4, 1, NO_END, 0, 0, 0, "notes-stebz.md"},
    {OF_REAL, 0, 5, 64, 800, NO_END, 200, 1, 0, "notes-stebz.md"},
    CROSSOVER_END,
};

/* Road multisection: a first table where all eigenvalues are wanted. */
static const crossover stebz_first_table[] = {
    {OF_REAL, 0, 65536, NO_END, 1, NO_END, 0, 0, 0, "notes-stebz.md"},
    CROSSOVER_END,
};

/* ----------------------------------------------------------------------- stemr */

/* Road batch, method auto: two matrices and more, and one that is to have the same bits; the pairs of some by twisted
 * factorisations, of shorter ones by QL, of longer ones by divide and conquer. */
static const crossover stemr_batched[] = {
    {OF_REAL, 0, 2, 64, 1, NO_END, 0, 0, 0, "stemr-batch-h200"},
    CROSSOVER_END,
};
static const crossover stemr_twists[] = {
    {OF_REAL, 0, 9, 32, 1, NO_END, 0, 0, 0, "stemr-batch-h200"},
    CROSSOVER_END,
};

/* Road auto: pencils of clusters of so many members, of T of so many rows. */
enum { STEMR_PENCIL_MEMBERS = 8, STEMR_PENCIL_ROWS = 128 };
static const crossover stemr_pencils[] = {
    {OF_REAL, 0, STEMR_PENCIL_ROWS, NO_END, 1, NO_END, 0, 0, STEMR_PENCIL_MEMBERS, "notes-stemr.md"},
    CROSSOVER_END,
};

static const crossover_table cuda_crossovers[] = {
    {"heev", "road few", heev_few},
    {"heev", "road whole", heev_whole},
    {"heev", "road whole: T's pairs of one matrix after the other", heev_each},
    {"heev", "same_bits_in_batches: kernels of many matrices", heev_as_many},
    {"heev", "road two stages", heev_two},
    {"geev", "Aberth's iteration before QR", geev_aberth},
    {"geev", "road single", geev_single},
    {"geev", "road schur: lanes a matrix", geev_lanes},
    {"geev", "a warp a matrix, one stage", geev_warp},
    {"geev", "roads mwb: threads a matrix", geev_mwb},
    {"geev", "roads swb: threads a matrix", geev_swb},
    {"geev", "the window that ends a stage", geev_stops},
    {"stebz", "road small", stebz_few_rows},
    {"stebz", "road multisection: a first table for all eigenvalues", stebz_first_table},
    {"stemr", "road batch", stemr_batched},
    {"stemr", "road batch: twisted factorisations", stemr_twists},
    {"stemr", "road auto: pencils of clusters of so many members", stemr_pencils},
    {NULL, NULL, NULL},
};

#endif
