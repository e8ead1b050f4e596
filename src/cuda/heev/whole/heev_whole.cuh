/* heev on CUDA, one matrix or few: what its files share. */
#ifndef EIG_HEEV_WHOLE_CUH
#define EIG_HEEV_WHOLE_CUH

#include "heev/heev_cuda.cuh"

/* Whether kernels that take all matrices T at once are faster than those with all of the GPU for one after the other.
 * They find no range. */
extern "C" bool eig_cuda_heev_are_many(const heev_problem *p);

/* Whether divide and conquer finds all pairs of T. */
extern "C" bool eig_cuda_heev_divides(const heev_problem *p);

/* Rows and columns that a thread block of the products has: the narrow tiles up to HEEV_NARROW_MOST, where there would
 * be too few of the others. */
enum { HEEV_NARROW = 32, HEEV_WIDE = 64, HEEV_NARROW_MOST = 1024 };

static __host__ __device__ __forceinline__ int heev_product_tile(int64_t n)
{
    return n <= HEEV_NARROW_MOST ? HEEV_NARROW : HEEV_WIDE;
}

/* Rows of a part of Y^H Z, and how many parts there are where Y has `all` rows; they depend on n alone. */
struct project_parts {
    int rows, count;
    __host__ __device__ project_parts(int64_t n, int64_t all)
    {
        enum { LEAST = 64 };
        int64_t const blocks =
            heev_product_tile(n) == HEEV_NARROW ? 528 : 396; /* what an H200 has at a time, or less */
        int64_t const tile = heev_product_tile(n), tiles = (n + tile - 1) / tile * (HEEV_WHOLE_REFLECTORS / tile);
        int64_t const most = blocks / tiles > 0 ? blocks / tiles : 1, fit = (all + LEAST - 1) / LEAST;
        int64_t const parts = fit < most ? fit : most;
        rows = (int)((all + parts * LEAST - 1) / (parts * LEAST) * LEAST);
        count = (int)((all + rows - 1) / rows);
    }
};

/* Part s of column j of matrix m: where its numbers begin in job.sums. */
static __host__ __device__ __forceinline__ int64_t project_at(const heev_job &job, int parts, int64_t m, int s,
                                                              int64_t j)
{
    return ((m * parts + s) * job.columns + j) * HEEV_WHOLE_REFLECTORS;
}

#endif
