/* Cells of eigenvalues in float by rough counts alone: rounds of equally spaced shifts, no polynomial.
 *
 * A bracket is a range of cells of the grid, counted from the lower end of T's interval on. */
#ifndef EIG_STEBZ_SECTION_CUH
#define EIG_STEBZ_SECTION_CUH

#include "primitives/grid.cuh"
#include "stebz_whole.cuh"

enum { POINTS = HALF * WARPS /* of a block's table */ };

struct cell_range {
    int lo, hi;
};

static __device__ __forceinline__ int cells_of(const stebz_facts &f)
{
    return (int)rint((f.hi - f.lo) * f.per_grid);
}

static __device__ __forceinline__ double end_of_cell(const stebz_facts &f, int cell)
{
    return f.lo + cell * f.grid;
}

/* Point j of parts + 1 that are equally spaced over so many cells. */
static __device__ __forceinline__ int even_cell(int cells, int j, int parts)
{
    return j >= parts ? cells : (int)((double)cells * ((double)j * inverse((double)parts)));
}

/* Counts at the block's POINTS points, point j being at(j): to cell[j] and count[j] in shared memory.  All threads of the block. */
template <typename place>
static __device__ void count_points(const both_ends<float> &ends, const stebz_facts &f, int n, int cells,
                                    const place &at, int *cell, int *count)
{
    if (threadIdx.x < LANES) {
        int const j = threadIdx.x / 32 * HALF + threadIdx.x % HALF, mine = at(j);
        stebz_value const v = ends.count(end_of_cell(f, mine));
        if ((threadIdx.x & HALF) == 0) cell[j] = mine, count[j] = mine <= 0 ? 0 : mine >= cells ? n : (int)v.count;
    }
    __syncthreads(); /* the table is complete */
}

/* The bracket of eigenvalue k in the block's table. */
static __device__ cell_range range_of_table(const int *cell, const int *count, int k)
{
    int lo = 0, hi = POINTS - 1;
    while (hi - lo > 1) {
        int const middle = (lo + hi) / 2;
        if (count[middle] < k)
            lo = middle;
        else
            hi = middle;
    }
    return cell_range{cell[lo], cell[hi]};
}

/* One table for all blocks of the launch, of which each counts a part and tells in found[i] where eigenvalue f.il + i is.  All
 * threads of the launch. */
static __device__ void share_table(const both_ends<float> &ends, const stebz_facts &f, int n, int *memory,
                                   long long *found)
{
    int *const cell = memory, *const count = memory + POINTS;
    int const cells = cells_of(f), all = (int)gridDim.x * (POINTS - 1), from = (int)blockIdx.x * (POINTS - 1);
    count_points(
        ends, f, n, cells, [=](int j) { return even_cell(cells, from + j, all); }, cell, count);
    int const first = max(count[0] + 1, (int)f.il), last = min(count[POINTS - 1], (int)f.iu);
    for (int k = first + (int)threadIdx.x; k <= last; k += THREADS) {
        cell_range const r = range_of_table(cell, count, k);
        found[k - (int)f.il] = (long long)r.hi << 32 | r.lo;
    }
    meet_grid();
}

/* Where eigenvalues up to number `rank` end in a cell of the first table, if they lie evenly, and some more to the side. */
static __device__ int inner_cell(const int *cell, const int *count, int j, int rank, float side)
{
    float const width = (float)(cell[j + 1] - cell[j]), inside = fmaxf((float)(count[j + 1] - count[j]), 1.0f);
    float const part = ((float)(rank - count[j]) + side * (3 + 0.2f * inside)) * inverse(inside);
    return cell[j] + (int)(width * fminf(fmaxf(part, 0.0f), 1.0f));
}

/* Two tables of the block itself: of all of the spectrum, and of what the first one leaves for eigenvalues first .. last; its
 * ends are points of the first one.  The second one is left in memory.  All threads of the block. */
static __device__ void own_tables(const both_ends<float> &ends, const stebz_facts &f, int n, int first, int last,
                                  int *memory)
{
    __shared__ int below, above;
    int *const cell = memory, *const count = memory + POINTS;
    int const cells = cells_of(f);
    if (threadIdx.x == 0) below = 0, above = POINTS - 1;
    count_points(
        ends, f, n, cells, [=](int j) { return even_cell(cells, j, POINTS - 1); }, cell, count);
    for (int j = threadIdx.x; j < POINTS; j += THREADS) {
        if (count[j] < first) atomicMax(&below, j);
        if (count[j] >= last) atomicMin(&above, j);
    }
    __syncthreads(); /* the window is known */
    int const at_lo = min(below, POINTS - 2), at_hi = max(above, at_lo + 1), lo = cell[at_lo], hi = cell[at_hi];
    int const from = inner_cell(cell, count, at_lo, first - 1, -1), upto = inner_cell(cell, count, at_hi - 1, last, 1);
    __syncthreads(); /* the table has been read */
    auto const at = [=](int j) {
        return j == 0 ? lo : j >= POINTS - 1 ? hi : from + even_cell(max(upto - from, 0), j - 1, POINTS - 3);
    };
    count_points(ends, f, n, cells, at, cell, count);
}

/* Shift i of so many in a bracket: equally spaced, or the ends of its cells where these are no more. */
static __device__ __forceinline__ int section_of(cell_range r, int i, int points)
{
    int const width = r.hi - r.lo;
    int const inner =
        width <= points + 1 ? i + 1 : (int)((float)width * ((float)(i + 1) * inverse((float)(points + 1))));
    return min(r.lo + max(inner, 1), r.hi - 1);
}

/* Narrows eigenvalue k's bracket until it has no more than `most` cells, by rounds of a group of m lanes; k <= 0: the group has
 * none.  All lanes of the warp. */
static __device__ cell_range narrow_range(const both_ends<float> &ends, const stebz_facts &f, cell_range r, int k,
                                          int m, int most)
{
    unsigned const all = 0xffffffffu;
    int const lane = threadIdx.x % HALF, base = lane & ~(m - 1);
    while (__any_sync(all, k > 0 && r.hi - r.lo > most)) {
        stebz_value const v = ends.count(end_of_cell(f, section_of(r, lane - base, m)));
        unsigned const reached = __ballot_sync(all, v.count >= k) >> base & ((1u << m) - 1);
        int const next = reached ? __ffs(reached) - 1 : m;
        cell_range const old = r;
        if (next > 0) r.lo = section_of(old, next - 1, m);
        if (next < m) r.hi = section_of(old, next, m);
    }
    return r;
}

#endif
