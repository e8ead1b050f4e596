/* A whole matrix in a thread block's shared memory, counted by one thread. */
#ifndef EIG_STEBZ_RESIDENT_CUH
#define EIG_STEBZ_RESIDENT_CUH

#include "stebz_count.cuh"

/* Down so many blocks of rows, of which the first `padding` rows are none; smooth: none of the blocks has plain rows;
 * stops: bits of those that have, the first full one being number 0, if they are few, else NULL.
 * one_loop: for all of them, which is less code. */
template <typename real, int pitch, bool one_loop>
static __device__ __forceinline__ sturm_walk<real> walk_resident(const pair_of<real> *rows,
                                                                 const stebz_edge<real> *edges, int blocks, int padding,
                                                                 real x, bool smooth, const unsigned *stops)
{
    sturm_walk<real> s = {0, 1, 0, 0, 0, 0};
    int const skip = padding > 0;
    if (skip) walk_slow_block(s, rows, edges[0], padding, -x);
    if (blocks == skip) return s;
    rows += skip * pitch, edges += skip, blocks -= skip;
    if constexpr (sizeof(real) == 8 || one_loop) {
        walk_blocks<real, pitch>(s, rows, edges, blocks, -x);
    } else if (smooth) {
        walk_smooth<pitch>(s, rows, edges, blocks, -x);
    } else {
        s = walk_uneven<pitch>(s, rows, edges, blocks, -x, stops);
    }
    return s;
}

/* A matrix resident in shared memory.  In the product form pitch pairs lie between the first rows of two blocks, in the
 * pivot form the rows lie close. */
template <typename real, int pitch = STURM_BLOCK, bool one_loop = true> struct resident {
    stebz_rows t;
    bool smooth;                  /* no block of rows is plain */
    const unsigned *stops = NULL; /* those that are, if they are few */

    __device__ stebz_value count(const stebz_facts &f, double x) const
    {
        int const padding = (int)(t.blocks * STURM_BLOCK - t.n);
        stebz_value value = {0, 0, 0};
        if (f.pivot) {
            double q = 1;
            const double2 *const row = (const double2 *)t.rows;
            for (int j = padding; j < padding + (int)t.n; ++j) {
                q = sturm_pivot(row[j].x, row[j].y, x, q);
                value.count += q < 0;
            }
            return value;
        }
        sturm_walk<real> const s =
            walk_resident<real, pitch, one_loop>((const pair_of<real> *)t.rows, (const stebz_edge<real> *)t.edges,
                                                 (int)t.blocks, padding, (real)x, smooth, stops);
        value.count = s.count;
        value.mantissa = s.r1;
        value.exponent = s.exponent;
        return value;
    }
};

#endif
