/* geev on the CPU: a tile of one matrix or few, by the steps of geev_kernels.c with vectors of 16 bytes: the same bits,
 * since a lane's results depend on its matrix alone, in a quarter of the memory, which is then that of the first cache,
 * and with shorter square roots and divisions.  Compiled once for each instruction set and type. */
#if defined(__AVX512F__) || defined(__AVX2__)
#define SIMD_BYTES 16
#include "geev_solve.h"

static unsigned solve(const geev_problem *p, int64_t first, int count, void *work)
{
    return solve_tile(p, first, count, ISA_TYPED(eig_cpu_geev_tiles).vectors, work);
}

static const geev_tiles tiles = {.lanes = SIMD_LANES, .solve = solve};
const geev_tiles *const ISA_TYPED(eig_cpu_geev_narrow) = &tiles;
#else
#include "geev_cpu.h"
#include "per_type.h"

const geev_tiles *const ISA_TYPED(eig_cpu_geev_narrow) = &ISA_TYPED(eig_cpu_geev_tiles);
#endif
