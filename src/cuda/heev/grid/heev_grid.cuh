/* heev on CUDA, 32 < n <= 64, tridiagonal: what the reduction and the back-transformation by a grid of threads share.
 *
 * A block has a matrix: 8 threads down, 8 or 16 across, and thread (p, q) has every eighth row from p on, in registers
 * that are indexed by constants alone.  Rows stand at the end of N places, so that all orders end with the same
 * steps. */
#ifndef EIG_HEEV_GRID_CUH
#define EIG_HEEV_GRID_CUH

#include "heev/heev_matrix.cuh"
#include "primitives/ptx.cuh"

/* Threads down; places N of the smaller kernels, which need fewer registers. */
enum { GRID_ROWS = 8, GRID_FEW = 40, GRID_SOME = 48 };

NUMBER_WORD NUMBER_R choose(bool first, NUMBER_R x, NUMBER_R y)
{
    return {choose(first, x.re, y.re)};
}
NUMBER_WORD NUMBER_Z choose(bool first, NUMBER_Z x, NUMBER_Z y)
{
    return {choose(first, x.re, y.re), choose(first, x.im, y.im)};
}

/* Sums x[0], ..., x[count - 1], count a power of two, over the lanes that differ in the bits `across`, across / 2,
 * ..., least. With each bit a lane keeps half of the numbers, the upper half where it has the bit. The last number
 * stays in both lanes. */
template <int count, int across, int least, typename number>
static __device__ __forceinline__ void scatter_sums(int lane, number *x)
{
    if constexpr (across >= least) {
        if constexpr (count > 1) {
            bool const upper = lane & across;
#pragma unroll
            for (int c = 0; c < count / 2; ++c) {
                number const keep = choose(upper, x[c + count / 2], x[c]), give = choose(upper, x[c], x[c + count / 2]);
                x[c] = sum(keep, from_lane(give, across));
            }
        } else {
            x[0] = sum(x[0], from_lane(x[0], across));
        }
        scatter_sums<(count + 1) / 2, across / 2, least>(lane, x);
    }
}

/* The sums of x[0], ..., x[count - 1] over the lanes that differ in those bits down to 1, in all of them. */
template <int count, int across, typename number> static __device__ __forceinline__ void all_sums(int lane, number *x)
{
    if constexpr (across > 0 && count % 2 == 0) {
        bool const upper = lane & across;
        number half[count / 2];
#pragma unroll
        for (int c = 0; c < count / 2; ++c) {
            number const keep = choose(upper, x[c + count / 2], x[c]), give = choose(upper, x[c], x[c + count / 2]);
            half[c] = sum(keep, from_lane(give, across));
        }
        all_sums<count / 2, across / 2>(lane, half);
#pragma unroll
        for (int c = 0; c < count / 2; ++c) {
            number const other = from_lane(half[c], across);
            x[c] = choose(upper, other, half[c]), x[c + count / 2] = choose(upper, half[c], other);
        }
    } else if constexpr (across > 0) {
#pragma unroll
        for (int c = 0; c < count; ++c) x[c] = sum(x[c], from_lane(x[c], across));
        all_sums<count, across / 2>(lane, x);
    }
}

/* Blocks on a multiprocessor: by the registers that a thread needs; before sm_80 it has room for 1024 threads. */
static constexpr int grid_blocks(int registers, int threads)
{
    int const most = 65536 / (threads * (registers < 248 ? registers : 248)), all = 1024 / threads;
    return most < 1 ? 1 : most < all ? most : all;
}

#endif
