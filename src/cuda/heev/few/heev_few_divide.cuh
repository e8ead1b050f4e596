/* heev on CUDA, few matrices: eigenpairs of T by divide and conquer, a thread block a matrix.
 *
 * Mapping  the threads are shared out among the merges of a level; FEW_SHARE lanes find a root.  Sorting and deflation, where a thread
 *          has an entry or two, are left to the first warp of a merge, which needs no barrier of the block for them.
 * Memory   the vectors of all levels have one place: a thread sums its new entries in registers, then writes them. */
#ifndef EIG_HEEV_FEW_DIVIDE_CUH
#define EIG_HEEV_FEW_DIVIDE_CUH

#include "heev/divide/heev_divide.cuh"
#include "heev/few/heev_few.cuh"

/* The threads of a merge: 2^k of the block's.  space: an int for each warp, in shared memory. */
struct few_team {
    int size, rank, share;
    int *space;
    static constexpr int together = 4;

    __device__ __forceinline__ void sync() const
    {
        if (size <= 32)
            __syncwarp();
        else
            __syncthreads();
    }
    __device__ __forceinline__ bool any(bool x) const
    {
        unsigned const all = __ballot_sync(0xffffffffu, x);
        int const lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, warps = size / 32;
        if (size <= 32) return (all >> (lane / size * size) & (0xffffffffu >> (32 - size))) != 0;
        __syncthreads(); /* space is free */
        if (lane == 0) space[warp] = all != 0;
        __syncthreads(); /* space is filled */
        bool some = false;
        for (int k = warp / warps * warps; k < (warp / warps + 1) * warps; ++k) some = some || space[k];
        return some;
    }
};

/* What the first warp of a merge tells the others. */
template <typename real> struct few_merge_state {
    int k, k_upper, k_both, m;
    real rho;
};

template <typename real, int R> struct few_division {
    using shape = few_shape<R>;
    static constexpr int pitch = shape::pitch, u_pitch = shape::u_pitch, share = FEW_SHARE;
    using state = few_merge_state<real>;

    real *z;     /* [R][pitch] the vectors, column after column */
    real *u;     /* [R][u_pitch] U of all merges, without the norms; a merge begins at a multiple of its largest size */
    char *space; /* merge_space of R rows; the values are its poles */
    state *states;
    int *rotations, *flags; /* [R], [warps] */
    const real *d, *e;      /* T */
    int n;

    static constexpr size_t bytes = (R * pitch + R * u_pitch) * sizeof(real) + R * merge_space<real>::row_bytes +
                                    R * sizeof(state) + (R + shape::warps) * sizeof(int);

    __device__ __forceinline__ few_division(void *memory, const real *diagonal, const real *beside, int order)
        : d(diagonal), e(beside), n(order)
    {
        u = (real *)memory, z = u + R * u_pitch;
        states = (state *)(z + R * pitch), space = (char *)(states + R);
        rotations = (int *)(space + R * merge_space<real>::row_bytes), flags = rotations + R;
    }

    __device__ __forceinline__ real *values() const
    {
        return (real *)space;
    }

    /* The nodes of level `depth`, which have at most two rows. */
    __device__ __forceinline__ void solve_pairs(int depth) const
    {
        int const size = shape::threads >> depth, rank = (int)threadIdx.x % size;
        divide_node const node(n, depth, (int)threadIdx.x / size);
        real *const to = z + node.row * (pitch + 1) + rank;
        if (rank >= node.m) return;
        bool const two = node.m == 2;
        int const last = node.row + node.m - 1;
        real const above = node.row > 0 ? fabs(e[node.row - 1]) : (real)0,
                   below = last < n - 1 ? fabs(e[last]) : (real)0;
        heev_pair<real> const pair(d[node.row] - above, two ? d[last] - below : (real)0, two ? e[node.row] : (real)0);
        values()[node.row + rank] = !two ? d[node.row] - above - below : rank == 0 ? pair.low : pair.high;
        to[0] = !two ? (real)1 : rank == 0 ? -pair.high_y : pair.high_x;
        if (two) to[pitch] = rank == 0 ? pair.high_x : pair.high_y;
    }

    /* Poles, deflation, the order of the columns: by the first warp of each merge.  False where something is not finite. */
    __device__ __forceinline__ bool prepare(int team_size, int team, divide_node node, int rows) const
    {
        int const lane = (int)threadIdx.x % 32;
        real *const corner = z + node.row * (pitch + 1);
        heev_merge<real, merge_lanes> merge = {merge_lanes(lane, min(team_size, 32)), {}, node.m1, rows};
        merge.at.open(space, R, node.row);
        merge.rotations = rotations + team;
        for (int i = merge.team.rank; i < rows; i += merge.team.size)
            merge.at.z[i] = corner[i * pitch + (i < node.m1 ? node.m1 - 1 : node.m1)];
        __syncwarp(); /* z is there */
        bool const good = merge.sort(rows > 0 ? e[node.row + node.m1 - 1] : (real)0);
        int const rotated = merge.deflate();
        for (int i = merge.team.rank; i < merge.m && rotated > 0; i += merge.team.size)
            for (int t = 0; t < rotated; ++t)
                merge.rotate_row(t, i < node.m1 ? COLUMN_UPPER : COLUMN_LOWER,
                                 [=](int column) { return corner + (column * pitch + i); });
        merge.divide();
        if (merge.team.rank == 0) states[team] = {merge.k, merge.k_upper, merge.k_both, merge.m, merge.rho};
        return good;
    }

    /* The new vectors, `count` columns a thread, summed and then written.  most_rows: of a merge of this level. */
    template <int count, typename merge_type>
    __device__ __forceinline__ void multiply(const merge_type &merge, int team, int row, int most_rows) const
    {
        int const own = merge.team.rank % most_rows, first = merge.team.rank / most_rows * count;
        bool const upper = own < merge.m1, works = own < merge.m && first < merge.m;
        int const half = upper ? COLUMN_UPPER : COLUMN_LOWER;
        const real *const here = z + row * (pitch + 1) + own;
        const real *const by = u + team * most_rows * (u_pitch + 1) + first;
        const int *const source = merge.at.source;
        int const begin = upper ? 0 : merge.k_upper, end = upper ? merge.k_upper + merge.k_both : merge.k;
        real sum[count];
#pragma unroll
        for (int c = 0; c < count; ++c) sum[c] = 0;
        if (works && first < merge.k)
#pragma unroll 4
            for (int i = begin; i < end; ++i) {
                real const factor = here[(source[i] & COLUMN_NUMBER) * pitch];
                if constexpr (count == 1) {
                    sum[0] = fma(factor, by[i * u_pitch], sum[0]);
                } else {
                    const pair_of<real> *const pairs = (const pair_of<real> *)(by + i * u_pitch);
#pragma unroll
                    for (int c = 0; c < count; c += 2) {
                        pair_of<real> const two = pairs[c / 2];
                        sum[c] = fma(factor, two.x, sum[c]), sum[c + 1] = fma(factor, two.y, sum[c + 1]);
                    }
                }
            }
        if (works)
#pragma unroll
            for (int c = 0; c < count; ++c) {
                int const j = first + c;
                if (j < merge.k) sum[c] *= merge.at.inverse_norm[j];
                if (j < merge.k || j >= merge.m) continue;
                sum[c] = source[j] & half ? here[(source[j] & COLUMN_NUMBER) * pitch] : (real)0;
            }
        merge.team.sync(); /* the vectors of the level below are read */
        if (works)
#pragma unroll
            for (int c = 0; c < count; ++c)
                if (first + c < merge.m) z[(row + merge.at.place[first + c]) * pitch + row + own] = sum[c];
    }

    /* The same by as many columns a thread as share out those of the largest merge, or `count`. */
    template <int count, typename merge_type>
    __device__ __forceinline__ void multiply_by(const merge_type &merge, int team, int row, int most_rows) const
    {
        if constexpr (count > 1) {
            if (count * share > most_rows) return multiply_by<count / 2>(merge, team, row, most_rows);
        }
        multiply<count>(merge, team, row, most_rows);
    }

    /* The merges of a level. */
    __device__ __forceinline__ void merge_level(int level) const
    {
        int const size = shape::threads >> level, team = (int)threadIdx.x / size, rank = (int)threadIdx.x % size;
        int const most_rows = R >> level;
        divide_node const node(n, level, team);
        int const rows = node.m1 == 0 || node.m1 == node.m ? 0 : node.m;
        bool good = true;
        if (size <= 32 || rank < 32) good = prepare(size, team, node, rows);
        heev_merge<real, few_team> merge = {{size, rank, share, flags}, {}, node.m1, 0};
        merge.at.open(space, R, node.row);
        merge.team.sync(); /* what is left is there */
        state const own = states[team];
        merge.m = own.m, merge.k = own.k, merge.k_upper = own.k_upper, merge.k_both = own.k_both, merge.rho = own.rho;
        good = merge.solve() && good && merge.m == rows;
        real *const column = u + team * most_rows * (u_pitch + 1) + rank / share;
        const int *const slot = merge.at.slot;
        merge.norms([=](int i, real x) { column[slot[i] * u_pitch] = x; }, [](root_lanes, int, real) {});
        merge.order();
        multiply_by<R / share>(merge, team, node.row, most_rows);
        if (rank < rows) merge.at.pole[good ? merge.at.place[rank] : rank] = good ? merge.at.value[rank] : (real)NAN;
        __syncthreads(); /* values and vectors of the level are there */
    }

    /* All levels; by all threads of the block, when T is there. */
    __device__ __forceinline__ void run() const
    {
        int depth = 0;
        while (divide_rows(n, depth) > 2) ++depth;
        solve_pairs(depth);
        __syncthreads(); /* the pairs are there */
        for (int level = depth - 1; level >= 0; --level) merge_level(level);
    }
};

#endif
