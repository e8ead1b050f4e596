/* heev on CUDA: merges of pairs of blocks, all of one level; a thread block a merge.
 *
 * Mapping  a lane or two a pole or a root; up to 512 threads, which may have several.
 * Memory   70 bytes a row in double (102 without vectors) in shared memory, or where that is too little in the
 *          workspace.  What the products need goes to the workspace; without vectors that is nothing.
 * Cost     about 6 k^2 reciprocals with 8 operations each for k poles that are left: bound by the FP64 units. */
#include "heev/divide/heev_divide.cuh"
#include "per_type.cuh"

enum { MERGE_MOST = 512, MERGE_SHARED = MERGE_MOST / 2 };

/* Lanes a root: several where there are few roots. */
static __host__ __device__ __forceinline__ int merge_share(int rows)
{
    return rows <= MERGE_SHARED ? 2 : 1;
}

/* Where the rows and vectors of a merge lie. */
template <typename real> struct merge_rows {
    int64_t n, at; /* number of row 0 among all rows of the batch */
    real *d, *z;   /* its value; the corner of diag(Q1, Q2) */
    real *first, *last;
};

/* Rows of Q1 and Q2, and the values. */
template <typename real, bool vectors>
static __device__ void load_rows(heev_merge<real, merge_block> &merge, const divide_ends<real> &ends,
                                 const merge_rows<real> &rows)
{
    for (int i = merge.team.rank; i < merge.m; i += merge.team.size) {
        bool const upper = i < merge.m1;
        merge.at.pole[i] = rows.d[i];
        if (vectors) {
            merge.at.z[i] = rows.z[(upper ? merge.m1 - 1 : merge.m1) + i * rows.n];
        } else {
            real const first = rows.first[i], last = rows.last[i];
            ends.first[i] = first, ends.last[i] = last, merge.at.z[i] = upper ? last : first;
        }
    }
    merge.team.sync(); /* the rows are there */
}

/* The rotations of the columns, a thread a row. */
template <typename real>
static __device__ void rotate_columns(const heev_merge<real, merge_block> &merge, const merge_rows<real> &rows,
                                      int rotations)
{
    for (int i = merge.team.rank; i < merge.m && rotations > 0; i += merge.team.size) {
        int const half = i < merge.m1 ? COLUMN_UPPER : COLUMN_LOWER;
        real *const row = rows.z + i;
        for (int t = 0; t < rotations; ++t)
            merge.rotate_row(t, half, [row, &rows](int column) { return row + column * rows.n; });
    }
}

/* What the products need. */
template <typename real>
static __device__ void store_vectors(const divide_job &job, const heev_merge<real, merge_block> &merge, int64_t at)
{
    for (int i = merge.team.rank; i < merge.m; i += merge.team.size) {
        job.place[at + i] = merge.at.place[i], job.source[at + i] = merge.at.source[i];
        if (i >= merge.k) continue;
        int const slot = merge.at.slot[i];
        ((real *)job.pole)[at + slot] = merge.at.pole[i], ((real *)job.z)[at + slot] = merge.at.z_new[i];
        ((real *)job.start)[at + i] = merge.at.pole[merge.at.origin[i]];
        ((real *)job.offset)[at + i] = merge.at.offset[i], ((real *)job.norm)[at + i] = merge.at.inverse_norm[i];
    }
}

template <typename real, bool vectors, bool shared>
static __global__ void __launch_bounds__(MERGE_MOST, 2) heev_divide_merge_kernel(divide_job job)
{
    extern __shared__ double2 merge_memory[];
    __shared__ double space[32];
    __shared__ int rotations;
    int64_t const n = job.t.n, b = blockIdx.x >> job.level;
    divide_node const node(n, job.level, blockIdx.x & ((1u << job.level) - 1));
    int const most = (divide_rows(n, job.level) + 7) / 8 * 8;
    char *const memory = shared ? (char *)merge_memory : job.room + blockIdx.x * job.room_bytes;
    heev_merge<real, merge_block> merge = {
        {(int)blockDim.x, (int)threadIdx.x, space, merge_share(most)}, {}, node.m1, node.m};
    divide_ends<real> ends;
    merge.at.open(memory, most, 0);
    merge.rotations = &rotations;
    ends.open((real *)(memory + most * merge_space<real>::row_bytes), most, 0);
    int64_t const at = b * n + node.row;
    merge_rows<real> const rows = {n,
                                   at,
                                   (real *)job.t.d + at,
                                   (real *)job.from + b * n * n + node.row * (n + 1),
                                   (real *)job.first + at,
                                   (real *)job.last + at};
    load_rows<real, vectors>(merge, ends, rows);
    bool good = merge.sort(((const real *)job.t.e)[at + node.m1 - 1]);
    if (!vectors) ends.begin(merge);
    int const rotated = merge.deflate();
    if (vectors)
        rotate_columns(merge, rows, rotated);
    else
        ends.rotate(merge, rotated);
    merge.divide();
    if (!vectors) ends.arrange(merge);
    good = merge.solve() && good;
    if (vectors)
        merge.norms([](int, real) {}, [](root_lanes, int, real) {});
    else
        ends.norms(merge);
    merge.order();
    if (vectors) {
        store_vectors(job, merge, at);
        if (threadIdx.x == 0) job.counts[blockIdx.x] = {merge.k, merge.k_upper, merge.k_both, good};
    } else {
        ends.end(merge);
        __syncthreads(); /* the rows are there */
        for (int i = merge.team.rank; i < merge.m; i += merge.team.size)
            rows.first[i] = ends.first[i], rows.last[i] = ends.last[i];
    }
    for (int i = merge.team.rank; i < node.m; i += merge.team.size)
        if (good)
            rows.d[merge.at.place[i]] = merge.at.value[i];
        else
            rows.d[i] = (real)NAN;
    if (job.level == 0 && threadIdx.x == 0) job.t.failed[b] = good ? 0 : (int)n;
}

eig_status TYPED(eig_cuda_heev_divide_merge)(eig_context *ctx, const divide_job &job, cudaStream_t stream)
{
    using real = number::real;
    int const rows = divide_rows(job.t.n, job.level), all = (rows + 31) / 32 * 32 * merge_share((rows + 7) / 8 * 8);
    int const threads = all < MERGE_MOST ? all : (int)MERGE_MOST;
    size_t const bytes = eig_cuda_heev_divide_merge_bytes(&job.t, rows);
    bool const vectors = job.t.vectors;
    if (job.room)
        return cuda_launch(
            ctx, "heev: divide_merge_kernel", stream, {job.t.count << job.level, threads},
            vectors ? heev_divide_merge_kernel<real, true, false> : heev_divide_merge_kernel<real, false, false>, job);
    return cuda_launch(
        ctx, "heev: divide_merge_kernel", stream, {job.t.count << job.level, threads, bytes},
        vectors ? heev_divide_merge_kernel<real, true, true> : heev_divide_merge_kernel<real, false, true>, job);
}
