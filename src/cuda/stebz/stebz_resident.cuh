/* A whole matrix in a thread block's shared memory, counted by one thread. */
#ifndef EIG_STEBZ_RESIDENT_CUH
#define EIG_STEBZ_RESIDENT_CUH

#include "stebz_count.cuh"

/* A matrix resident in shared memory. */
template <typename real> struct resident {
    stebz_rows t;

    __device__ stebz_value count(const stebz_facts &f, double x) const
    {
        int const padding = (int)(t.blocks * STURM_BLOCK - t.n);
        stebz_value value = {0, 0, 0};
        if (f.pivot) {
            double q = 1;
            const double2 *const row = (const double2 *)t.rows;
            for (int j = padding; j < padding + (int)t.n; ++j) {
                q = sturm_pivot(row[j].x, row[j].y, x, q, f.pivmin);
                value.count += q < 0;
            }
            return value;
        }
        const pair_of<real> *const rows = (const pair_of<real> *)t.rows;
        const stebz_edge<real> *const edges = (const stebz_edge<real> *)t.edges;
        sturm_walk<real> s = {0, 1, 0, 0, 0, 0};
        int const skip = padding > 0, left = (int)t.blocks - skip;
        if (skip) walk_slow_block(s, rows, edges[0], padding, -(real)x);
        if (left > 0) walk_blocks(s, rows + skip * STURM_BLOCK, edges + skip, left, -(real)x);
        value.count = s.count;
        value.mantissa = s.r1;
        value.exponent = s.exponent;
        return value;
    }
};

#endif
