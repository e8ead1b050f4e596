/* heev on CUDA: divide and conquer on batches of tridiagonal matrices; what its kernels share.
 *
 * heev_divide.cu          the levels, the workspace
 * heev_divide_leaf.cu    blocks of at most 32 rows from single rows on, in shared memory; a warp a block
 * heev_divide_merge.cu   a level: values and vectors' coefficients of pairs of blocks; a thread block a pair
 * heev_divide_update.cu  a level: the products of the vectors
 * heev_merge.cuh, heev_secular.cuh   the steps of a merge, by lanes or a block; the roots
 *
 * Tree     level L has 2^L nodes; node q holds rows floor(q n / 2^L) to floor((q + 1) n / 2^L).  Below n = 48 the first of the
 *          two halves has 32 rows, a whole leaf.  The tree's depth, and so every order of operations, follows from n alone.
 * Failure  an entry that is not finite, or a root that is not found, makes all values of its node NaN, and so of the
 *          nodes above it. */
#ifndef EIG_HEEV_DIVIDE_CUH
#define EIG_HEEV_DIVIDE_CUH

#include "heev/divide/heev_merge.cuh"
#include "heev/heev_cuda.cuh"

enum { DIVIDE_LEAF = 32 };

/* What the products of a merge need. */
struct divide_counts {
    int k, k_upper, k_both; /* see heev_merge */
    int good;
};

struct divide_job {
    heev_tridiagonals t;
    int levels;                  /* levels of merges by thread blocks; below them are leaves */
    int level;                   /* of this launch */
    void *from, *to;             /* [count][n*n] the vectors of the level below, and of this one */
    void *first, *last;          /* values only: [count][n] first and last entries of the vectors of each node */
    void *pole, *z;              /* [count][n] by node: poles and z' in the order of their columns */
    void *start, *offset, *norm; /* [count][n] a root is start + offset; norm: the inverse */
    int *source, *place;         /* [count][n] columns in order, with marks; the places of roots or columns */
    divide_counts *counts;       /* [count][2^level] */
    char *room;                  /* merges that are too large for shared memory: a merge_space each */
    size_t room_bytes;
};

/* Rows of the first node of level 1. */
static __host__ __device__ __forceinline__ int64_t divide_half(int64_t n)
{
    return n > DIVIDE_LEAF && n < DIVIDE_LEAF + DIVIDE_LEAF / 2 ? (int64_t)DIVIDE_LEAF : n / 2;
}

static __host__ __device__ __forceinline__ int divide_row(int64_t n, int level, int64_t node)
{
    if (level == 0 || n >= DIVIDE_LEAF + DIVIDE_LEAF / 2) return (int)((node * n) >> level);
    int64_t const half = divide_half(n), nodes = (int64_t)1 << (level - 1);
    return (int)(node < nodes ? (node * half) >> (level - 1) : half + (((node - nodes) * (n - half)) >> (level - 1)));
}

/* The largest number of rows of a node. */
static __host__ __device__ __forceinline__ int divide_rows(int64_t n, int level)
{
    if (level == 0 || n >= DIVIDE_LEAF + DIVIDE_LEAF / 2) return (int)((n + ((int64_t)1 << level) - 1) >> level);
    int64_t const half = divide_half(n), most = half > n - half ? half : n - half;
    return (int)((most + ((int64_t)1 << (level - 1)) - 1) >> (level - 1));
}

/* Rows of a node of a level, and of the upper one of its halves. */
struct divide_node {
    int row, m1, m;
    __device__ __forceinline__ divide_node(int64_t n, int level, int64_t node)
    {
        row = divide_row(n, level, node);
        m1 = divide_row(n, level + 1, 2 * node + 1) - row, m = divide_row(n, level, node + 1) - row;
    }
};

/* First and last entries of the vectors of a node, for values alone: the new ones come from those of both halves. */
template <typename real> struct divide_ends {
    real *first, *last, *ordered_first, *ordered_last; /* [m] by column; by pole, then by what was deflated */

    __device__ __forceinline__ void open(real *memory, int most, int at)
    {
        first = memory + at, last = first + most, ordered_first = last + most, ordered_last = ordered_first + most;
    }

    /* z is there already.  The first row is zero in the columns of the lower half. */
    template <typename merge_type> __device__ void begin(const merge_type &merge) const
    {
        for (int i = merge.team.rank; i < merge.m; i += merge.team.size)
            if (i < merge.m1)
                last[i] = 0;
            else
                first[i] = 0;
        merge.team.sync(); /* both rows are whole */
    }

    template <typename merge_type> __device__ void rotate(const merge_type &merge, int rotations) const
    {
        for (int row = merge.team.rank; row < 2; row += merge.team.size) {
            real *const x = row ? last : first;
            for (int i = 0; i < rotations; ++i)
                merge.rotate_row(i, COLUMN_UPPER | COLUMN_LOWER, [x](int column) { return x + column; });
        }
    }

    template <typename merge_type> __device__ void arrange(const merge_type &merge) const
    {
        for (int i = merge.team.rank; i < merge.m; i += merge.team.size) {
            int const column = merge.at.source[i < merge.k ? merge.at.slot[i] : i] & COLUMN_NUMBER;
            ordered_first[i] = first[column], ordered_last[i] = last[column];
        }
    }

    template <typename merge_type> __device__ void norms(merge_type &merge) const
    {
        real x = 0, y = 0;
        auto const use = [&](int i, real u) { x = fma(ordered_first[i], u, x), y = fma(ordered_last[i], u, y); };
        merge.norms(use, [&](root_lanes lanes, int j, real norm) {
            x = lanes.sum(x), y = lanes.sum(y);
            if (lanes.rank == 0) merge.at.z[j] = x * norm, merge.at.inverse_norm[j] = y * norm;
            x = y = 0;
        });
    }

    template <typename merge_type> __device__ void end(const merge_type &merge) const
    {
        for (int i = merge.team.rank; i < merge.m; i += merge.team.size) {
            int const to = merge.at.place[i];
            first[to] = i < merge.k ? merge.at.z[i] : ordered_first[i];
            last[to] = i < merge.k ? merge.at.inverse_norm[i] : ordered_last[i];
        }
    }
};

extern "C" {
#define DIVIDE_LAUNCHERS(pass)                                                                                \
    eig_status eig_cuda_heev_divide_##pass##_s(eig_context *ctx, const divide_job &job, cudaStream_t stream); \
    eig_status eig_cuda_heev_divide_##pass##_d(eig_context *ctx, const divide_job &job, cudaStream_t stream);
DIVIDE_LAUNCHERS(leaf)
DIVIDE_LAUNCHERS(merge)
DIVIDE_LAUNCHERS(update)
#undef DIVIDE_LAUNCHERS

/* Bytes of a merge_space and of the entries that go with it, for a merge of m rows. */
size_t eig_cuda_heev_divide_merge_bytes(const heev_tridiagonals *t, int64_t m);
}

#endif
