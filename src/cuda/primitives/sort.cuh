/* Sorting of numbers by all blocks of a launch that runs at once: tiles in shared memory, then merged in pairs.
 *
 * Method    Bitonic sorts of SORT_TILE numbers; then passes that merge neighbouring runs, in which a thread makes
 *           SORT_EACH neighbouring outputs from where the path of the merge crosses its first one (a binary search).
 * Cost      log2(n / SORT_TILE) passes over the numbers, a barrier of the grid each.
 * Bits      one result: neither the launch's shape nor the order of equal numbers shows. */
#ifndef EIG_SORT_CUH
#define EIG_SORT_CUH

#include "primitives/team.cuh"

#include <stdint.h>

enum { SORT_TILE = 2048, SORT_EACH = 8 };

/* Sorts a tile; missing numbers are infinite.  tile: [SORT_TILE] in shared memory.  All threads of the block. */
template <typename real> static __device__ void sort_tile(real *x, int count, real *tile)
{
    for (int i = threadIdx.x; i < SORT_TILE; i += blockDim.x) tile[i] = i < count ? x[i] : (real)INFINITY;
    for (int run = 2; run <= SORT_TILE; run *= 2)
        for (int step = run / 2; step > 0; step /= 2) {
            __syncthreads(); /* the last step is done */
            for (int pair = threadIdx.x; pair < SORT_TILE / 2; pair += blockDim.x) {
                int const i = 2 * step * (pair / step) + pair % step, j = i + step;
                bool const ascends = (i & run) == 0;
                real const a = tile[i], b = tile[j];
                if (ascends == (a > b)) tile[i] = b, tile[j] = a;
            }
        }
    __syncthreads(); /* the tile is sorted */
    for (int i = threadIdx.x; i < count; i += blockDim.x) x[i] = tile[i];
    __syncthreads(); /* the tile is free */
}

/* SORT_EACH outputs, from number `at` on, of the merge of a[na] and b[nb]. */
template <typename real>
static __device__ void merge_some(const real *a, int64_t na, const real *b, int64_t nb, int64_t at, real *out)
{
    int64_t lo = at > nb ? at - nb : 0, hi = at < na ? at : na; /* of a before output `at` */
    while (lo < hi) {
        int64_t const mid = lo + (hi - lo) / 2;
        if (a[mid] <= b[at - 1 - mid])
            lo = mid + 1;
        else
            hi = mid;
    }
    int64_t i = lo, j = at - lo;
    for (int k = 0; k < SORT_EACH && at + k < na + nb; ++k) {
        bool const from_a = j >= nb || (i < na && a[i] <= b[j]);
        out[at + k] = from_a ? a[i++] : b[j++];
    }
}

/* Sorts x[n], ascending; no NaN among them.  Returns where the result is: x or scratch.  turn: barriers so far.  All
 * threads of the launch, whose blocks all fit on the device at once. */
template <typename real>
static __device__ real *grid_sort(real *x, int64_t n, real *scratch, real *tile, unsigned *barrier, unsigned &turn)
{
    for (int64_t first = (int64_t)blockIdx.x * SORT_TILE; first < n; first += (int64_t)gridDim.x * SORT_TILE)
        sort_tile(x + first, (int)(n - first < SORT_TILE ? n - first : SORT_TILE), tile);
    grid_barrier(barrier, ++turn);
    real *from = x, *to = scratch;
    int64_t const step = (int64_t)gridDim.x * blockDim.x * SORT_EACH;
    for (int64_t run = SORT_TILE; run < n; run *= 2) {
        for (int64_t at = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * SORT_EACH; at < n; at += step) {
            int64_t const base = at / (2 * run) * (2 * run), half = base + run < n ? base + run : n;
            int64_t const end = base + 2 * run < n ? base + 2 * run : n;
            merge_some(from + base, half - base, from + half, end - half, at - base, to + base);
        }
        grid_barrier(barrier, ++turn);
        real *const swap = from;
        from = to, to = swap;
    }
    return from;
}

#endif
