/* heev on CUDA: eigenpairs of blocks of at most 32 rows, from single rows on by merges; a warp a block.
 *
 * Mapping  at the level where blocks have up to 2^k rows, 2^k lanes merge two of them: a lane a row, a pole or a root.
 * Memory   Z and the matrix U of a level in shared memory, 20 KB a warp in double; without vectors 4 KB.
 * Cost     for 32 rows some 62 poles a lane, 4 to 10 times each, and 32^3 multiplications; bound by the FP64 units. */
#include "heev_divide.cuh"

enum { LEAF_Z = DIVIDE_LEAF + 1, LEAF_U = DIVIDE_LEAF + 2 };

template <typename real> struct leaf_matrix {
    real *z, *u; /* entry (i, j) at [i*LEAF_Z + j], [i*LEAF_U + j] */

    /* U of the merge of rows from `row` on, by columns of Z and places of the new ones. */
    template <typename merge_type> __device__ void make_u(const merge_type &merge, int row) const
    {
        for (int j = merge.team.rank; j < merge.m; j += merge.team.size) {
            real *const to = u + row * LEAF_U + merge.at.place[j];
            for (int i = 0; i < merge.m; ++i) to[i * LEAF_U] = 0;
            if (j >= merge.k) to[(merge.at.source[j] & COLUMN_NUMBER) * LEAF_U] = 1;
            for (int i = 0; i < merge.k && j < merge.k; ++i)
                to[(merge.at.source[merge.at.slot[i]] & COLUMN_NUMBER) * LEAF_U] =
                    merge.at.z_new[i] * inverse(merge.distance(i, j)) * merge.at.inverse_norm[j];
        }
        __syncwarp(); /* U is there */
    }

    /* Z U, a lane a row, for blocks of at most `most` rows. */
    template <int most, typename merge_type> __device__ void multiply(const merge_type &merge, int row, int turns) const
    {
        int const rank = merge.team.rank, own = (row + rank) * LEAF_Z + row;
        bool const upper = rank < merge.m1, works = rank<merge.m, whole = turns> 0;
        real sum[most];
#pragma unroll
        for (int j = 0; j < most; ++j) sum[j] = 0;
        int const end = !works ? 0 : upper && !whole ? merge.m1 : merge.m;
        for (int i = upper || whole ? 0 : merge.m1; i < end; ++i) {
            real const factor = z[own + i];
            const pair_of<real> *const by = (const pair_of<real> *)(u + (row + i) * LEAF_U);
#pragma unroll
            for (int j = 0; j < most; j += 2) {
                pair_of<real> const two = by[j / 2];
                sum[j] = fma(factor, two.x, sum[j]), sum[j + 1] = fma(factor, two.y, sum[j + 1]);
            }
        }
        __syncwarp(); /* Z's place is free */
#pragma unroll
        for (int j = 0; j < most; ++j)
            if (works && j < merge.m) z[own + j] = sum[j];
        __syncwarp(); /* the new Z is there */
    }

    template <typename merge_type> __device__ void multiply(const merge_type &merge, int row, int turns) const
    {
        switch (merge.team.size) {
        case 2:
            return multiply<2>(merge, row, turns);
        case 4:
            return multiply<4>(merge, row, turns);
        case 8:
            return multiply<8>(merge, row, turns);
        case 16:
            return multiply<16>(merge, row, turns);
        default:
            return multiply<32>(merge, row, turns);
        }
    }
};

template <typename real, bool vectors> struct leaf_warp {
    leaf_matrix<real> matrix;
    divide_ends<real> ends;
    char *space;
    const real *e; /* of the leaf's rows */
    int *turns;

    static constexpr size_t bytes = (vectors ? DIVIDE_LEAF * (LEAF_Z + LEAF_U) : 4 * DIVIDE_LEAF) * sizeof(real) +
                                    DIVIDE_LEAF * (sizeof(real) + sizeof(int) + merge_space<real>::row_bytes);

    /* The merges of one level; `node` is this lane's, its rows counted from the leaf's first one. */
    __device__ void merge_level(int team_size, divide_node node, int lane)
    {
        merge_lanes const team(lane, team_size);
        int const rows = node.m1 == 0 || node.m1 == node.m ? 0 : node.m;
        heev_merge<real, merge_lanes> merge = {team, {}, node.m1, rows};
        merge.at.open(space, DIVIDE_LEAF, node.row);
        merge.turns = turns + lane / team_size;
        ends.open((real *)(space + DIVIDE_LEAF * merge_space<real>::row_bytes), DIVIDE_LEAF, node.row);
        int const rank = team.rank, cut = node.row + node.m1;
        if (rank < rows)
            merge.at.z[rank] = vectors          ? matrix.z[(rank < node.m1 ? cut - 1 : cut) * LEAF_Z + node.row + rank]
                               : rank < node.m1 ? ends.last[rank]
                                                : ends.first[rank];
        __syncwarp(); /* z is there */
        bool good = merge.sort(rows > 0 ? e[cut - 1] : (real)0);
        if (!vectors) ends.begin(merge);
        int const turned = merge.deflate();
        for (int i = 0; vectors && rank < merge.m && i < turned; ++i)
            merge.turn_row(i, COLUMN_UPPER | COLUMN_LOWER,
                           [&](int column) { return matrix.z + (node.row + rank) * LEAF_Z + node.row + column; });
        if (!vectors) ends.turn(merge, turned);
        merge.divide();
        if (!vectors) ends.arrange(merge);
        good = merge.solve() && good;
        if (vectors)
            merge.norms([](int, int, real) {}, [](int, real) {});
        else
            ends.norms(merge);
        merge.order();
        if (vectors)
            matrix.make_u(merge, node.row), matrix.multiply(merge, node.row, turned);
        else
            ends.end(merge);
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
    if (vectors)
        x.matrix.u = memory, x.matrix.z = memory + DIVIDE_LEAF * LEAF_U, memory += DIVIDE_LEAF * (LEAF_U + LEAF_Z);
    real *const e = memory;
    x.e = e, x.turns = (int *)((char *)leaf_memory + warp::bytes) - DIVIDE_LEAF, x.space = (char *)(e + DIVIDE_LEAF);
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
    for (int j = 0; vectors && j < DIVIDE_LEAF; ++j) x.matrix.z[lane * LEAF_Z + j] = lane == j ? (real)1 : (real)0;
    __syncwarp(); /* the rows are there */
    int depth = 0;
    while (divide_rows(n, job.levels + depth) > 1) ++depth;
    for (int up = depth - 1; up >= 0; --up) {
        int const size = DIVIDE_LEAF >> up;
        divide_node node(n, job.levels + up, (leaf << up) + lane / size);
        node.row -= row;
        x.merge_level(size, node, lane);
    }
    if (lane >= rows) return;
    d[lane] = values[lane];
    if (!vectors) {
        ((real *)job.first)[b * n + row + lane] = x.ends.first[lane];
        ((real *)job.last)[b * n + row + lane] = x.ends.last[lane];
        return;
    }
    real *const to = (real *)job.to + b * n * n + row * n + row + lane;
    for (int j = 0; j < rows; ++j) to[j * n] = x.matrix.z[lane * LEAF_Z + j];
}

template <typename real> static eig_status launch_leaves(eig_context *ctx, const divide_job &job, cudaStream_t stream)
{
    size_t const bytes = job.t.vectors ? leaf_warp<real, true>::bytes : leaf_warp<real, false>::bytes;
    return cuda_launch(ctx, "heev: divide_leaf_kernel", stream, {job.t.count << job.levels, 32, bytes},
                       job.t.vectors ? heev_divide_leaf_kernel<real, true> : heev_divide_leaf_kernel<real, false>, job);
}
