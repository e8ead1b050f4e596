/* geev on CUDA, n > GEEV_MOST: what a group of thread blocks does before the reduction. */
#ifndef EIG_GEEV_GROUP_LOAD_CUH
#define EIG_GEEV_GROUP_LOAD_CUH

#include "geev/reduce/geev_group.cuh"

enum { LOAD_TILE = 32 * 33 }; /* numbers of shared memory for each warp that loads */

/* Loads matrix b, row by row, all blocks together, by `warps` warps of each.  space: [warps][LOAD_TILE] in shared memory.
 * Returns whether this block's entries are finite. */
template <typename entry>
static __device__ bool load_matrix(const geev_member &member, const geev_problem &p, int64_t b, entry *a, entry *space,
                                   int warps)
{
    int const n = (int)p.n, warp = threadIdx.x / 32, lane = threadIdx.x % 32, tiles = (n + 31) / 32;
    bool const by_rows = geev_lies_by_rows(p);
    bool finite = true;
    entry(*const tile)[33] = (entry(*)[33])(space + warp * LOAD_TILE);
    for (int at = warp * member.count + member.rank; warp < warps && at < tiles * tiles; at += warps * member.count) {
        int const i0 = at / tiles * 32, j0 = at % tiles * 32;
        for (int k = 0; k < 32; ++k) {
            int const i = i0 + (by_rows ? k : lane), j = j0 + (by_rows ? lane : k);
            entry const x = i < n && j < n ? geev_entry<entry>(p, b, i, j) : entry_of<entry>((real_of<entry>)0);
            finite = finite && fabs(real_part(x)) < (real_of<entry>)INFINITY &&
                     fabs(imaginary(x)) < (real_of<entry>)INFINITY;
            tile[by_rows ? k : lane][by_rows ? lane : k] = x;
        }
        __syncwarp();
        for (int k = 0; k < 32; ++k)
            if (i0 + k < n && j0 + lane < n) a[(int64_t)(i0 + k) * n + j0 + lane] = tile[k][lane];
        __syncwarp();
    }
    return __syncthreads_and(finite);
}

/* Whether balancing has anything to do: a warp takes the norms of a row, a thread those of a column.  row, row_most: [n] */
template <typename entry, typename real = real_of<entry>>
static __device__ bool wants_balance(block_team<GROUP_THREADS> team, geev_view<entry> h, int lo, int hi, real *row,
                                     real *row_most)
{
    lane_team<32> const warp(team.rank % 32);
    for (int i = lo + team.rank / 32; i <= hi; i += GROUP_WARPS) {
        real sum = 0, most = 0;
        for (int k = lo + warp.rank; k <= hi; k += 32)
            most = fmax(most, larger_part(h(i, k))), sum = square_add(h(i, k), sum);
        sum = warp.sum(sum), most = warp.max(most);
        if (warp.rank == 0) row[i] = sum, row_most[i] = most;
    }
    team.sync();
    bool wants = false;
    for (int i = lo + team.rank; i <= hi; i += GROUP_THREADS) {
        real sum = 0, most = 0;
        for (int k = lo; k <= hi; ++k) most = fmax(most, larger_part(h(k, i))), sum = square_add(h(k, i), sum);
        bool const tiny = most < real_limits<real>::square_safe || row_most[i] < real_limits<real>::square_safe;
        wants |= tiny || balance_factor(sqrt(sum), sqrt(row[i]), most, row_most[i], (real)1) != 1;
    }
    return team.any(wants);
}

#endif
