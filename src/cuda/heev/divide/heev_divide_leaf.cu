/* heev on CUDA: eigenpairs of blocks of at most 32 rows, from blocks of two rows on by merges; a warp a block.
 *
 * Mapping  at the level where blocks have up to 2^k rows, 2^k lanes merge two of them: a lane a row, a pole or a root.
 * Memory   the vectors in both arrays of the levels above, in turn; 8 columns of U, and the rest, in 5 KB of shared
 *          memory a warp in double.
 * Cost     for 32 rows some 62 poles a lane, 4 to 10 times each, and 32^3 multiplications; bound by the FP64 units. */
#include "heev/divide/heev_divide.cuh"
#include "per_type.cuh"

enum { LEAF_CHUNK = 8, LEAF_U = LEAF_CHUNK + 2 };

/* The vectors of a leaf: those of the level below, and of this one, by columns n apart. */
template <typename real> struct leaf_matrix {
    real *from, *to;
    int64_t n;
    real *u; /* of some roots: entry (i, j) of U at [i*LEAF_U + j] */

    /* The rows of U in the order of the sources; a lane has a pole. */
    template <int count, typename merge_type> __device__ void make_u(const merge_type &merge, int row, int first) const
    {
        int const rank = merge.team.rank;
        if (rank >= merge.k) return;
        real const own = merge.at.pole[rank], factor = merge.at.z_new[rank];
        real *const at = u + (row + merge.at.slot[rank]) * LEAF_U;
#pragma unroll
        for (int j = 0; j < count; ++j) {
            int const root = min(first + j, merge.k - 1);
            real const far = (own - merge.at.pole[merge.at.origin[root]]) - merge.at.offset[root];
            at[j] = factor * inverse(far) * merge.at.inverse_norm[root];
        }
    }

    /* The new vectors, a lane a row, `count` columns at a time. */
    template <int count, typename merge_type> __device__ void multiply(const merge_type &merge, int row) const
    {
        int const rank = merge.team.rank;
        bool const upper = rank < merge.m1, works = rank < merge.m;
        int const half = upper ? COLUMN_UPPER : COLUMN_LOWER;
        const real *const here = from + row + rank + row * n;
        real *const there = to + row + rank + row * n;
        int const begin = upper ? 0 : merge.k_upper, end = !works ? 0 : upper ? merge.k_upper + merge.k_both : merge.k;
        for (int first = 0; first < merge.team.size; first += count) {
            make_u<count>(merge, row, first);
            __syncwarp(); /* U is there */
            real sum[count];
#pragma unroll
            for (int j = 0; j < count; ++j) sum[j] = 0;
#pragma unroll 4
            for (int i = begin; i < end && first < merge.k; ++i) {
                real const factor = here[(merge.at.source[i] & COLUMN_NUMBER) * n];
                const pair_of<real> *const by = (const pair_of<real> *)(u + (row + i) * LEAF_U);
#pragma unroll
                for (int j = 0; j < count; j += 2) {
                    pair_of<real> const two = by[j / 2];
                    sum[j] = fma(factor, two.x, sum[j]), sum[j + 1] = fma(factor, two.y, sum[j + 1]);
                }
            }
#pragma unroll
            for (int j = 0; j < count; ++j) {
                if (!works || first + j >= merge.m) continue;
                if (first + j >= merge.k) {
                    int const source = merge.at.source[first + j];
                    sum[j] = source & half ? here[(source & COLUMN_NUMBER) * n] : (real)0;
                }
                there[merge.at.place[first + j] * n] = sum[j];
            }
            __syncwarp(); /* U's place is free; after the last slice, the new vectors are there */
        }
    }

    template <typename merge_type> __device__ void multiply(const merge_type &merge, int row) const
    {
        if (merge.team.size == 4)
            multiply<4>(merge, row);
        else
            multiply<LEAF_CHUNK>(merge, row);
    }
};

template <typename real, bool vectors> struct leaf_warp {
    leaf_matrix<real> matrix;
    divide_ends<real> ends;
    char *space;
    const real *e; /* of the leaf's rows */
    int *rotations;

    static constexpr size_t bytes = (vectors ? DIVIDE_LEAF * LEAF_U : 4 * DIVIDE_LEAF) * sizeof(real) +
                                    DIVIDE_LEAF * (sizeof(real) + sizeof(int) + merge_space<real>::row_bytes);

    /* Nodes of at most two rows; `node` is this lane's. */
    __device__ void solve_pairs(int team_size, divide_node node, int lane) const
    {
        int const rank = lane % team_size;
        real *const values = (real *)space + node.row;
        bool const two = node.m == 2;
        real const off = two ? e[node.row] : (real)0, beside = fabs(off);
        heev_pair<real> const pair(node.m > 0 ? values[0] + beside : (real)0, two ? values[1] + beside : (real)0, off);
        __syncwarp(); /* the entries are read */
        if (rank < node.m) {
            if (two) values[rank] = rank == 0 ? pair.low : pair.high;
            real const in_low = rank == 0 ? -pair.high_y : pair.high_x, in_high = rank == 0 ? pair.high_x : pair.high_y;
            if (vectors) {
                real *const to = matrix.to + node.row + rank + node.row * matrix.n;
                to[0] = two ? in_low : (real)1;
                if (two) to[matrix.n] = in_high;
            } else if (two) {
                ends.first[node.row + rank] = in_low, ends.last[node.row + rank] = in_high;
            }
        }
        __syncwarp(); /* all is there */
    }

    /* The merges of one level; `node` is this lane's, and its rows count from the leaf's first row. */
    __device__ void merge_level(int team_size, divide_node node, int lane)
    {
        merge_lanes const team(lane, team_size);
        int const rows = node.m1 == 0 || node.m1 == node.m ? 0 : node.m;
        heev_merge<real, merge_lanes> merge = {team, {}, node.m1, rows};
        merge.at.open(space, DIVIDE_LEAF, node.row);
        merge.rotations = rotations + lane / team_size;
        ends.open((real *)(space + DIVIDE_LEAF * merge_space<real>::row_bytes), DIVIDE_LEAF, node.row);
        int const rank = team.rank, cut = node.row + node.m1;
        if (!__any_sync(0xffffffffu, rows > 0)) {
            if (vectors && rank < node.m) matrix.to[(node.row + rank) * (matrix.n + 1)] = 1; /* a row alone */
            __syncwarp();                                                                    /* they are there */
            return;
        }
        if (rank < rows)
            merge.at.z[rank] = vectors ? matrix.from[(rank < node.m1 ? cut - 1 : cut) + (node.row + rank) * matrix.n]
                               : rank < node.m1 ? ends.last[rank]
                                                : ends.first[rank];
        __syncwarp(); /* z is there */
        bool good = merge.sort(rows > 0 ? e[cut - 1] : (real)0);
        if (!vectors) ends.begin(merge);
        int const rotated = merge.deflate();
        for (int i = 0; vectors && rank < merge.m && i < rotated; ++i)
            merge.rotate_row(i, rank < merge.m1 ? COLUMN_UPPER : COLUMN_LOWER, [&](int column) {
                return matrix.from + node.row + rank + (node.row + column) * matrix.n;
            });
        if (!vectors) ends.rotate(merge, rotated);
        merge.divide();
        if (!vectors) ends.arrange(merge);
        good = merge.solve() && good;
        if (vectors)
            merge.norms([](int, real) {}, [](root_lanes, int, real) {});
        else
            ends.norms(merge);
        merge.order();
        if (vectors) {
            matrix.multiply(merge, node.row);
            if (rows == 0 && rank < node.m) matrix.to[(node.row + rank) * (matrix.n + 1)] = 1; /* a row alone */
        } else {
            ends.end(merge);
        }
        if (rank < merge.m) merge.at.pole[merge.at.place[rank]] = merge.at.value[rank];
        __syncwarp(); /* the values are there */
        if (!good && rank < rows) merge.at.pole[rank] = (real)NAN;
        __syncwarp(); /* what failed is marked */
    }
};

template <typename real, bool vectors>
static __global__ void __launch_bounds__(32) heev_divide_leaf_kernel(divide_job job)
{
    extern __shared__ double2 leaf_memory[];
    using warp = leaf_warp<real, vectors>;
    int64_t const n = job.t.n, b = blockIdx.x >> job.levels, leaf = blockIdx.x & ((1u << job.levels) - 1);
    int const lane = (int)threadIdx.x, row = divide_row(n, job.levels, leaf);
    int const rows = divide_row(n, job.levels, leaf + 1) - row;
    warp x;
    real *memory = (real *)leaf_memory;
    if (vectors) x.matrix.u = memory, memory += DIVIDE_LEAF * LEAF_U;
    real *const e = memory;
    x.e = e, x.rotations = (int *)((char *)leaf_memory + warp::bytes) - DIVIDE_LEAF,
    x.space = (char *)(e + DIVIDE_LEAF);
    real *const values = (real *)x.space, *const d = (real *)job.t.d + b * n + row;
    x.ends.open((real *)(x.space + DIVIDE_LEAF * merge_space<real>::row_bytes), DIVIDE_LEAF, 0);
    if (lane < rows) {
        const real *const from = (const real *)job.t.e + b * n + row;
        real own = d[lane];
        if (row + lane > 0) own -= fabs(from[lane - 1]);
        if (row + lane < n - 1) own -= fabs(from[lane]), e[lane] = from[lane];
        values[lane] = own;
        if (!vectors) x.ends.first[lane] = x.ends.last[lane] = 1;
    }
    int depth = 0;
    while (divide_rows(n, job.levels + depth) > 1) ++depth;
    if (vectors) { /* the last level writes job.to */
        int64_t const corner = b * n * n + row * (n + 1);
        real *const to = (real *)job.to + corner, *const from = (real *)job.from + corner;
        x.matrix.n = n, x.matrix.to = depth % 2 ? from : to, x.matrix.from = depth % 2 ? to : from;
    }
    __syncwarp(); /* the rows are there */
    for (int up = depth - 1; up >= 0; --up) {
        int const size = DIVIDE_LEAF >> up;
        divide_node node(n, job.levels + up, (leaf << up) + lane / size);
        node.row -= row;
        real *const swap = x.matrix.from;
        x.matrix.from = x.matrix.to, x.matrix.to = swap;
        if (up == depth - 1)
            x.solve_pairs(size, node, lane);
        else
            x.merge_level(size, node, lane);
    }
    if (lane >= rows) return;
    d[lane] = values[lane];
    if (vectors) return;
    ((real *)job.first)[b * n + row + lane] = x.ends.first[lane];
    ((real *)job.last)[b * n + row + lane] = x.ends.last[lane];
}

eig_status TYPED(eig_cuda_heev_divide_leaf)(eig_context *ctx, const divide_job &job, cudaStream_t stream)
{
    using real = number::real;
    size_t const bytes = job.t.vectors ? leaf_warp<real, true>::bytes : leaf_warp<real, false>::bytes;
    return cuda_launch(ctx, "heev: divide_leaf_kernel", stream, {job.t.count << job.levels, 32, bytes},
                       job.t.vectors ? heev_divide_leaf_kernel<real, true> : heev_divide_leaf_kernel<real, false>, job);
}
