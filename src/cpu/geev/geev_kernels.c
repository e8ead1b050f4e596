/* geev on the CPU: a tile of matrices, a matrix in each lane of a vector.  Compiled once for each instruction set and type.
 *
 * Mapping   element (i, j) of all matrices of the tile is a vector, h[i*row + j].  The lanes go through the steps of
 *           geev_reference.c in lockstep: scale, balance, Hessenberg form, double-shift sweeps.  A sweep runs over the
 *           union of the lanes' windows; in rows outside its own window a lane's reflector is the identity.  Only the
 *           bounds of a lane's window are scalar.
 * Memory    geev_tile_vectors: 71 KB a tile at n = 30, 291 KB at n = 64, with vectors of 64 bytes.
 * Cost      the scalar work divided by the lanes, over the fraction of lanes at work: lanes stay in step, since they
 *           deflate at nearly the same rate.  A reflector's square root and divisions run beside the updates of the
 *           reflector before it.
 * Promises  a lane's results depend on its matrix alone, not on its neighbours: the lanes share only the number of
 *           times that a loop runs, and an idle lane is updated by zeros.  Nothing depends on the sign of a zero.
 *           A matrix that takes more than GEEV_STEPS steps for an eigenvalue is left to the reference.
 *
 * Everything here is static except the table at the end, so that no other file can link to the code of this instruction
 * set. */
#include "geev_hessenberg.h"
#include "geev_iterate.h"

enum { GEEV_STEPS = 30 };

static void eigenvalues(tile_state *tile)
{
    int const n = tile->n, row = tile->row;
    for (int k = 0; k < n; ++k) tile->re[k] = tile->h[k * row + k], tile->im[k] = (vreal){0};
    for (int k = 0; k < n - 1; ++k) {
        vint pair;
        for (int t = 0; t < SIMD_LANES; ++t) pair[t] = -(int)(tile->pairs[t] >> k & 1);
        if (!simd_any(pair)) continue;
        const vreal *const d = tile->h + k * row + k;
        vreal re1, re2, im;
        francis_block_lanes(d[0], d[1], d[row], d[row + 1], &re1, &re2, &im);
        tile->re[k] = simd_select(pair, re1, tile->re[k]), tile->re[k + 1] = simd_select(pair, re2, tile->re[k + 1]);
        tile->im[k] = simd_select(pair, im, tile->im[k]), tile->im[k + 1] = simd_select(pair, -im, tile->im[k + 1]);
    }
    vreal const nan = simd_splat((real)NAN);
    for (int k = 0; k < n; ++k) {
        tile->re[k] = simd_select(tile->finite, tile->re[k], nan);
        tile->im[k] = simd_select(tile->finite, tile->im[k], nan);
    }
}

static unsigned solve_tile(const geev_problem *p, int64_t first, int count, void *work)
{
    int const n = (int)p->n, row = geev_tile_row(n);
    vreal *const h = (vreal *)work + 1, *const rest = h + (n + 2) * row;
    tile_state tile = {.n = n, .row = row, .h = h, .scale = rest, .u = rest + n + 1};
    tile.max_steps = p->max_steps < GEEV_STEPS ? p->max_steps : GEEV_STEPS;
    tile.re = rest + 2 * (n + 1), tile.im = rest + 3 * (n + 1);
    h[-1] = (vreal){0};
    load(&tile, p, first, count);
    normalise(&tile);
    if (p->balance) balance_tile(&tile);
    hessenberg_tile(&tile);
    iterate_tile(&tile, count);
    eigenvalues(&tile);
    for (int t = 0; t < count; ++t) {
        if (tile.failed >> t & 1) continue;
        TYPED(eig_cpu_geev_store)
        (p, first + t, lane(tile.re, t), lane(tile.im, t), SIMD_LANES, 1 / tile.factor[t],
         tile.finite[t] ? EIG_INFO_OK : EIG_INFO_NOT_FINITE);
    }
    return tile.failed;
}

const geev_tiles ISA_TYPED(eig_cpu_geev_tiles) = {.lanes = SIMD_LANES, .solve = solve_tile};
