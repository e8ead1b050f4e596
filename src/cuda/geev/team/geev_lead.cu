/* geev on CUDA, kernel 2 for many matrices of double: as geev_qr.cu, but a block takes a tile, in which one warp makes the
 * reflectors of all matrices and the others apply them (geev_lead.cuh).
 *
 * Rounds   the leader deflates and finds the next shifts by itself; then all warps sweep.
 * Memory   tiles are as large as two of them fit a multiprocessor: what a block waits for, another one fills. */
#include "geev/team/geev_lead.cuh"
#include "geev/team/geev_qr_tile.cuh"
#include "primitives/copy.cuh"

/* Sends the tile's matrices on their way to shared memory. */
template <typename real, typename team_type>
static __device__ __forceinline__ void send_tile(team_type team, const geev_slice &slice, int64_t matrix, int entries,
                                                 real *tile)
{
    const real *const packed = geev_packed_matrix<real>(slice, matrix);
    for (int e = team.r; e < entries && team.owns; e += team_type::size)
        copy_number(&tile[e * team_type::matrices + team.g], &packed[(int64_t)e * slice.tile]);
    copy_end();
}

/* The largest upper word of each matrix, to all of its threads; word: 0 before. */
template <typename team_type, typename real>
static __device__ __forceinline__ int largest_of(team_type team, const real *matrix, int entries, int *word)
{
    int most = 0;
    for (int e = team.r; e < entries; e += team_type::size) {
        int const here = upper_word(matrix[e * team_type::matrices]);
        most = here > most ? here : most;
    }
    atomicMax(&word[team.g], most);
    __syncthreads();
    return word[team.g];
}

/* The cursor at the beginning of the sweep that was told. */
template <typename real, int M>
static __device__ __forceinline__ qr_cursor first_step(qr_entries<real, M> h, int n, int begin, int end)
{
    constexpr int unit = qr_entries<real, M>::unit;
    int const row = h.base + place_of(n, begin, 0) * unit, down = (n - begin) * unit;
    return {begin, end, row, row + down, row + 2 * down - unit, down, begin * unit};
}

/* All sweeps of a tile, by its leader. */
template <typename real, typename team_type>
static __device__ __forceinline__ void lead_tile(team_type team, lead_state<real> &q,
                                                 qr_entries<real, team_type::matrices> h, const geev_slice &slice,
                                                 int place)
{
    auto *const shared = shared_at<real, team_type::matrices>(place);
    bool begins = slice.stage > 0 ? q.waits : deflate_alone(q, h);
    while (__any_sync(0xffffffffu, q.waits && q.i >= slice.stop)) {
        if (begins) {
            begin_sweep(q, h);
            q.likely = (q.likely & ~rows_between<unsigned>(q.m + 1, q.i)) | 1u << q.m;
        } else {
            q.m = q.i;
        }
        int const begin = warp_min(begins ? q.m : GEEV_MOST), end = warp_max(begins ? q.i : 0);
        shared->begin = begin, shared->end = end;
        lead(team, q, h, begins, place, first_step(h, q.n, begin, end));
        begins = deflate_alone(q, h);
    }
    shared->end = -1;
    if (team.owns) shared->i[team.g] = q.i, shared->waits[team.g] = q.waits, shared->info[team.g] = q.info;
    __syncthreads();
}

/* The same by a follower. */
template <int W, int S, typename real, typename team_type>
static __device__ __forceinline__ void follow_tile(team_type team, lead_state<real> &q,
                                                   qr_entries<real, team_type::matrices> h, int place)
{
    auto *const shared = shared_at<real, team_type::matrices>(place);
    lead_slots<real, S> slots;
#pragma unroll
    for (int s = 0; s < S; ++s) slots.row[s] = h.base + place_of(q.n, s * (W - 1) + team.r - 1, 0) * h.unit;
    for (;;) {
        __syncthreads();
        int const end = shared->end;
        if (end < 0) break;
        follow<W - 1>(team, slots, h, place, first_step(h, q.n, shared->begin, end));
        __syncthreads(); /* the sweep is done */
    }
    q.i = shared->i[team.g], q.waits = shared->waits[team.g], q.info = shared->info[team.g];
}

template <typename real, int M, int W, int S>
static __global__ void __launch_bounds__(32 * W) lead_kernel(geev_slice slice)
{
    __shared__ unsigned long long number;
    lead_team<M, W> const team;
    int const n = slice.order, entries = n * (n + 1) / 2 + n - 1, space = tile_entries(n, n);
    int const place = kept(space * M * (int)sizeof(real));
    auto *const shared = shared_at<real, M>(place);
    real *const tile = (real *)qr_memory;
    for (int e = entries * M + team.thread; e < space * M; e += team.threads) tile[e] = 0;
    for (;;) {
        if (team.thread == 0) number = atomicAdd(&slice.queue->iterate[slice.stage], 1ull);
        if (team.thread < M) shared->word[team.thread] = 0;
        __syncthreads();
        int64_t const first = (int64_t)number * M, mine = first + team.g;
        if (first >= slice.count) return;
        bool const there =
            team.owns && mine < slice.count; /* the others load the first matrix, and do nothing with it */
        send_tile(team, slice, there ? mine : first, entries, tile);
        geev_record record = {1, 0, -1, 0, 0, 0};
        if (there) record = slice.records[mine];
        geev_progress progress = whole_matrix(record, 0);
        if (slice.stage > 0 && there) progress = slice.progress[mine];
        copy_wait<0>();
        __syncthreads(); /* the tile is loaded */
        if (slice.stage == 0)
            progress.small_word = largest_of(team, tile + team.g, entries, shared->word) - qr_flags<real>::step;
        qr_entries<real, M> const h = {(int)((char *)(tile + team.g) - qr_memory)};
        lead_state<real> q;
        begin_matrix(team, q, slice, h.base, record, progress);
        q.likely = ~0u;
        q.tiny = real_limits<real>::safmin * ((real)(q.hi - q.lo + 1) / real_limits<real>::eps);
        int const last = slice.stage > 0 ? q.i : n - 1;
        if (team.r == 0)
            lead_tile(team, q, h, slice, place);
        else
            follow_tile<W, S>(team, q, h, place);
        if (there) leave_matrix(team, slice, mine, q, last, tile);
        __syncthreads(); /* results are read before the next tile comes */
    }
}

/* --------------------------------------------------------------- launchers */

template <typename real, int M, int W, int S>
static eig_status launch_lead(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    const cuda_state *const state = cuda_state_of(ctx);
    int64_t const tiles = (slice.count + M - 1) / M;
    size_t const bytes =
        (size_t)tile_entries(slice.order, slice.order) * M * sizeof(real) + sizeof(lead_shared<real, M>);
    auto const kernel = lead_kernel<real, M, W, S>;
    eig_status const status = eig_cuda_allow_shared(ctx, (const void *)kernel);
    if (status != EIG_OK) return status;
    int each = 0;
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, 32 * W, bytes));
    int64_t const room = (int64_t)(each > 0 ? each : 1) * state->multiprocessors;
    return cuda_launch(ctx, "geev: lead_kernel", stream, {tiles < room ? tiles : room, 32 * W, bytes}, kernel, slice);
}

/* For orders up to `most`: W warps, of which a follower has S slots. */
template <int most, int W>
static eig_status launch_order(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    constexpr int P = W - 1, S = (most - 4 + P - 1) / P;
    constexpr int M = most <= 28 ? 32 : most <= 30 ? 28 : 24; /* geev_lead_matrices */
    return launch_lead<double, M, W, S>(ctx, slice, stream);
}

/* Measured on an H100. */
eig_status eig_cuda_geev_lead(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    if (slice.order <= 16) return launch_order<16, 3>(ctx, slice, stream);
    if (slice.order <= 20) return launch_order<20, 4>(ctx, slice, stream);
    if (slice.order <= 25) return launch_order<25, 4>(ctx, slice, stream);
    if (slice.order <= 28) return launch_order<28, 4>(ctx, slice, stream);
    if (slice.order <= 30) return launch_order<30, 4>(ctx, slice, stream);
    return launch_order<32, 4>(ctx, slice, stream);
}
