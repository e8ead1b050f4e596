/* heev on the CPU: a tile of matrices, one in each lane of a vector.  Compiled once for each instruction set and type.
 *
 * Mapping   element (i, j), j <= i, of all matrices of the tile is one vector (complex: two).  The lanes take the
 *           same steps in lockstep; a lane that is done is rotated by identities.
 * Memory    heev_tile_bytes: A and V, 2 n^2 vectors of 64 bytes (complex: 4 n^2): 270 KB for c128 at n = 32, 1 MB at
 *           64.
 * Cost      the scalar work divided by the lanes, over the fraction of lanes at work.
 * Promises  a lane's results depend on its matrix alone. The lanes share only how many times a loop runs, and an idle
 *           lane is rotated by zeros.  Nothing depends on the sign of a zero.
 *
 * Everything here is static but the table at the end, so that no other file can link to this ISA's code. */
#include "heev_alone.h"
#include "heev_jacobi.h"
#include "heev_jacobi_alone.h"
#include "heev_tridiagonal.h"

static unsigned solve_tile(const heev_problem *p, int64_t first, int count, void *work, bool jacobi)
{
    int const n = (int)p->n;
    int64_t const plane = HEEV_PARTS * (int64_t)n * heev_tile_row(n);
    vreal *rest = work;
    tile_state tile = {.n = n, .count = count, .a = rest};
    rest += plane;
    if (p->vectors) tile.z = rest, rest += plane;
    tile.d = rest, tile.e = rest + n, tile.mark = rest + 2 * n, rest += 3 * n;
    tile.x = rest, tile.y = rest + HEEV_PARTS * n, rest += HEEV_PARTS * 2 * n;
    vreal *const phase = rest, *const tau = rest + HEEV_PARTS * n;
    load(&tile, p, first);
    normalise(&tile, jacobi, p->relative);
    if (p->certify) sum_up(&tile);
    if (jacobi)
        jacobi_tile(&tile, p);
    else
        tridiagonal_tile(&tile, phase, tau, p->max_sweeps);
    unsigned const failed = p->certify ? certify_lanes(&tile, p, jacobi) : 0;
    cut_lanes(&tile);
    if (!tile.z) sort_lanes(&tile);
    store_lanes(&tile, p, first);
    return failed;
}

static unsigned solve_jacobi(const heev_problem *p, int64_t first, int count, void *work)
{
    return solve_tile(p, first, count, work, true);
}

static unsigned solve_tridiagonal(const heev_problem *p, int64_t first, int count, void *work)
{
    return solve_tile(p, first, count, work, false);
}

const heev_tiles ISA_TYPED(eig_cpu_heev_tiles) = {SIMD_LANES, solve_jacobi, solve_tridiagonal, solve_jacobi_alone,
                                                  solve_alone};
