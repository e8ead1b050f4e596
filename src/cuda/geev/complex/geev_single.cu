/* geev on CUDA: complex matrices of order up to GEEV_SINGLE; of vectors, those up to GEEV_MOST.
 *
 *   reduce_lanes, reduce_block   load, balance, Hessenberg form; packed into the workspace, with the reflectors where vectors
 *                                are wanted: P lanes a matrix, or W warps
 *   single_kernel                the eigenvalues by single-shift QR, out of shared memory: P lanes a matrix, S slots a lane
 */
#include "geev/complex/geev_single.cuh"
#include "geev/schur/geev_lanes.cuh"

/* ---------------------------------------------------------------- the reduction */

/* Matrix number `at` of the slice. */
template <int L, typename team_type>
static __device__ void reduce_matrix(team_type team, const schur_area<entry> &a, const geev_slice &slice, int64_t at,
                                     bool lives)
{
    int const n = a.n, end = lives ? n * n : 0;
    geev_record const record = begin_matrix(team, a, slice.p, slice.first + at, lives);
    real *const factors = (real *)a.row;
    bool const good = lives && record.info == EIG_INFO_OK;
    schur_reduce<L>(team, a, good ? record.lo : 0, good ? record.hi : -1, factors);
    bool const keeps = geev_keeps_forms(&slice.p);
    geev_single_form<real, entry> const form((char *)slice.forms + at * slice.form_bytes, n);
    entry *const packed = geev_packed_matrix<entry>(slice, at);
    if (lives && team.rank == 0) slice.records[at] = record;
    for (int i = team.rank; lives && i < n; i += team_type::size) slice.origins[at * n + i] = a.origin[i];
    for (int i = team.rank; lives && keeps && i < n; i += team_type::size)
        form.scale[i] = a.scale[i], form.factor[i] = factors[i];
    for (int e = team.rank; e < end; e += team_type::size) {
        int const i = e / n, j = e % n;
        entry const x = a.at(i, j);
        if (keeps) form.h[e] = x;
        if (j >= i - 1) packed[place_of(n, i, j)] = x;
    }
}

template <int P> static __global__ void reduce_lanes(geev_slice slice, bool, int bytes, bool)
{
    schur_area<entry> const area = lanes_area<P>(slice.p, bytes, false, false);
    int64_t const at = lanes_first<P>() + threadIdx.x % 32 / P;
    bool const lives = at < slice.count;
    reduce_matrix<1>(lane_team<P>(threadIdx.x % 32), area, slice, lives ? at : 0, lives);
}

template <int W> static __global__ void __launch_bounds__(32 * W) reduce_block(geev_slice slice, int bytes)
{
    __shared__ double space[W];
    schur_area<entry> const area = lanes_area<32 * W>(slice.p, bytes, false, false);
    reduce_matrix<4>(block_team<32 * W>{(int)threadIdx.x, space}, area, slice, blockIdx.x, true);
}

/* ---------------------------------------------------------------- the iteration */

/* Bytes of a team's matrix. */
template <int S> static __host__ __device__ size_t single_bytes(int n)
{
    return (size_t)(n * (n + 1) / 2 + n - 1 + single_area<real, S>::PADDING) * sizeof(entry);
}

template <int P, int S> static __global__ void single_kernel(geev_slice slice, bool, int bytes, bool)
{
    extern __shared__ __align__(16) char lanes_memory[];
    lane_team<P> const team(threadIdx.x % 32);
    int const n = (int)slice.p.n;
    int64_t const at = lanes_first<P>() + threadIdx.x % 32 / P, m = at < slice.count ? at : 0;
    single_area<real, S> a;
    a.n = n, a.h = (entry *)(lanes_memory + threadIdx.x / P * bytes);
    a.w = a.own = (entry *)((char *)a.h + single_bytes<S>(n)), a.origin = slice.origins + m * n;
    const entry *const packed = geev_packed_matrix<entry>(slice, m);
    int const entries = n * (n + 1) / 2 + n - 1;
#pragma unroll 8
    for (int e = team.rank; e < entries; e += P) a.h[e] = packed[e];
    geev_record const record = slice.records[m];
    bool const lives = at < slice.count, finite = lives && record.info == EIG_INFO_OK;
    int const lo = finite ? record.lo : 0, hi = finite ? record.hi : -1;
    team.sync(); /* the matrix is there */
    int info = schur_iterate(team, a, lo, hi, finite, slice.p.max_steps);
    if (!finite) info = record.info;
    team.sync();
    for (int k = team.rank; k < n; k += P) a.w[k] = a.at(k, k);
    team.sync();
    store_values(team, a, slice.p, slice.first + m, lives, record, info);
}

/* --------------------------------------------------------------- launchers */

template <int W> static eig_status launch_reduce(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    geev_problem values = slice.p;
    values.vectors = false;
    size_t const bytes = lanes_bytes(&values, 32, false);
    return cuda_launch(ctx, "geev: reduce_block", stream, {slice.count, 32 * W, bytes}, reduce_block<W>, slice,
                       (int)bytes);
}

template <int P> static eig_status launch_reduce_lanes(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    geev_problem values = slice.p;
    values.vectors = false;
    return launch_lanes<P>(ctx, "geev: reduce_lanes", slice, lanes_bytes(&values, P, false), false, stream,
                           reduce_lanes<P>, false);
}

eig_status TYPED(eig_cuda_geev_reduce)(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    if (slice.p.n <= 8) return launch_reduce_lanes<8>(ctx, slice, stream);
    if (slice.p.n <= 16) return launch_reduce_lanes<16>(ctx, slice, stream);
    if (slice.p.n <= 32) return launch_reduce_lanes<32>(ctx, slice, stream);
    if (slice.p.n <= 48) return launch_reduce<6>(ctx, slice, stream);
    return slice.p.n <= GEEV_MOST ? launch_reduce<8>(ctx, slice, stream) : launch_reduce<16>(ctx, slice, stream);
}

template <int P, int S> static eig_status launch_single(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    int const n = (int)slice.p.n;
    size_t const bytes = spread_bytes((single_bytes<S>(n) + (size_t)n * sizeof(entry) + 15) / 16 * 16, P);
    return launch_lanes<P>(ctx, "geev: single_kernel", slice, bytes, false, stream, single_kernel<P, S>, false);
}

eig_status TYPED(eig_cuda_geev_single)(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    int64_t const n = slice.p.n;
    if (n <= 8) return launch_single<4, 2>(ctx, slice, stream);
    if (n <= 16) return launch_single<4, 4>(ctx, slice, stream);
    if (n <= 32) return launch_single<8, 4>(ctx, slice, stream);
    if (n <= 48) return launch_single<16, 3>(ctx, slice, stream);
    if (n <= 64) return launch_single<32, 2>(ctx, slice, stream);
    return launch_single<32, 3>(ctx, slice, stream);
}
