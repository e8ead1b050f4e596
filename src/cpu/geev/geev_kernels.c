/* geev on the CPU: a tile of matrices, a matrix in each lane of a vector.  Compiled once for each instruction set and
 * type.
 *
 * Mapping   element (i, j) of all matrices of the tile is a vector, h[i*row + j], of a complex type two.  The lanes go
 *           through the steps of geev_reference.c in lockstep: scale, balance, Hessenberg form, sweeps.  A sweep runs
 *           over the union of the lanes' windows; in rows outside its own window a lane's reflector is the identity.
 *           Only the bounds of a lane's window are scalar.  For vectors the lanes go on to the Schur form T and Q; then
 *           each matrix leaves the tile, and a lane is a vector (geev_back.h).
 * Memory    geev_tile_vectors: 71 KB a tile at n = 30, 291 KB at n = 64, with vectors of 64 bytes; twice that with Q,
 *           and twice for a complex type.
 * Cost      the scalar work divided by the lanes, over the fraction of lanes at work: lanes stay in step, since they
 *           deflate at nearly the same rate.  A reflector's square root and divisions run beside the updates of the
 *           reflector before it.
 * Promises  a lane's results depend on its matrix alone, not on its neighbours: the lanes share only the number of
 *           times that a loop runs, and an idle lane is updated by zeros.  Nothing depends on the sign of a zero.
 *           A matrix that takes more than GEEV_STEPS steps for an eigenvalue is left to the reference.
 *
 * Everything here is static except the table at the end, so that no other file can link to the code of this instruction
 * set. */
#include "geev_back.h"
#include "geev_solve.h"

static unsigned solve(const geev_problem *p, int64_t first, int count, void *work)
{
    return solve_tile(p, first, count, back_matrix, work);
}

const geev_tiles ISA_TYPED(eig_cpu_geev_tiles) = {.lanes = SIMD_LANES, .solve = solve, .vectors = back_matrix};
