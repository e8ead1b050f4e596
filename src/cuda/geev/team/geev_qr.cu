/* geev on CUDA, kernel 2: eigenvalues of packed Hessenberg matrices by double-shift QR, out of shared memory.
 *
 * Mapping  p threads a matrix: lanes of one warp (swb), or the same lane of p warps (mwb).  A warp (mwb: a block) takes
 *          tiles of matrices from a queue.
 * Rounds   all matrices of a tile look for deflations and find their shifts (geev_qr_state.cuh); then all of them sweep
 *          (geev_chase.cuh), from the first row where any sweep begins to the last row of the largest window.
 *          Addresses are then nearly the same in all lanes.
 * Order    the arithmetic of an entry does not depend on method, p and tile: same bits.
 * Stages   a stage ends when no window of a tile is larger than slice.stop.  The leading blocks of that order and the
 *          state of their iteration go to the next launch: it has smaller tiles, of which more run at once.
 * Results  blocks of order 2 stay until a stage's end; then all of their eigenvalues are computed. */
#include "geev/team/geev_chase.cuh"
#include "geev/team/geev_qr_tile.cuh"
#include "per_type.cuh"

/* Most warps of a block of method swb: the registers suffice for so many with S slots a thread. */
static constexpr int most_warps(int S)
{
    return S <= 5 ? 16 : S <= 6 ? 12 : S <= 8 ? 10 : 8;
}

template <typename real, int P, int S, bool multiple>
static __global__ void __launch_bounds__(multiple ? 32 * P : 32 * most_warps(S)) qr_kernel(geev_slice slice)
{
    using team_type = tile_team<P, multiple>;
    constexpr int G = team_type::matrices;
    int const n = slice.order, entries = n * (n + 1) / 2 + n - 1, space = tile_entries(n, P * S);
    team_type team;
    real *const tile = (real *)qr_memory + (size_t)(threadIdx.x / team_type::threads) * space * G;
    if (multiple) team.exchange = (int *)((real *)qr_memory + (size_t)space * G);
    for (int e = entries * G + team.thread; e < space * G; e += team_type::threads) tile[e] = 0;
    for (;;) {
        int64_t const first = (int64_t)next_tile(team, slice) * G, mine = first + team.g;
        if (first >= slice.count) return;
        bool const lives = mine < slice.count; /* the others load the first matrix, and do nothing with it */
        const real *const packed = geev_packed_matrix<real>(slice, lives ? mine : first);
#pragma unroll 8
        for (int e = team.r; e < entries; e += P) tile[e * G + team.g] = packed[(int64_t)e * slice.tile];
        geev_record record = {1, 0, -1, 0, 0, 0};
        if (lives) record = slice.records[mine];
        geev_progress progress = whole_matrix(record, 0);
        if (slice.stage > 0 && lives) progress = slice.progress[mine];
        team.sync(); /* the tile is loaded */
        if (slice.stage == 0) progress.small_word = largest_word<real>(team, tile, entries) - qr_flags<real>::step;
        qr_state<real, P, S> q;
        qr_entries<real, G> const h = {(int)((char *)(tile + team.g) - qr_memory)};
        begin_matrix(team, q, slice, h.base, record, progress);
        int const last = slice.stage > 0 ? q.i : n - 1;
        bool begins =
            slice.stage > 0 ? q.waits : deflate(team, q, h); /* a later stage goes on where the stage before stopped */
        while (__any_sync(0xffffffffu, q.waits && q.i >= slice.stop)) {
            if (begins) begin_sweep(q, h);
            sweep(team, q, h, begins);
            begins = deflate(team, q, h);
        }
        if (lives) leave_matrix(team, slice, mine, q, last, tile);
        team.sync(); /* results are read before the next tile comes */
    }
}

/* --------------------------------------------------------------- launchers */

template <typename real, int P, int S, bool multiple>
static eig_status launch_qr(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    using team_type = tile_team<P, multiple>;
    const cuda_state *const state = cuda_state_of(ctx);
    int64_t const bytes = (int64_t)tile_entries(slice.order, P * S) * team_type::matrices * (int64_t)sizeof(real);
    int64_t const tiles = (slice.count + team_type::matrices - 1) / team_type::matrices;
    /* A single large block leaves more memory to tiles than many small blocks; but all multiprocessors need work. */
    int64_t const share = (tiles + state->multiprocessors - 1) / state->multiprocessors,
                  fit = (state->shared_bytes - 64) / bytes;
    int64_t const most = fit < most_warps(S) ? fit : most_warps(S), several = share < most ? share : most;
    int const teams = multiple || several < 1 ? 1 : (int)several, threads = teams * team_type::threads;
    size_t const total = (size_t)(teams * bytes) + (multiple ? P * 32 * sizeof(int) : 0);
    auto const kernel = qr_kernel<real, P, S, multiple>;
    eig_status const status = eig_cuda_allow_shared(ctx, (const void *)kernel);
    if (status != EIG_OK) return status;
    int each = 0;
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, total));
    int64_t const want = (tiles + teams - 1) / teams, room = (int64_t)(each > 0 ? each : 1) * state->multiprocessors;
    return cuda_launch(ctx, "geev: qr_kernel", stream, {want < room ? want : room, threads, total}, kernel, slice);
}

/* The kernel with P threads a matrix and the fewest of these numbers of slots that suffice. */
template <int P, bool multiple, int S, int... more>
static eig_status launch_slots(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    if constexpr (sizeof...(more) > 0)
        if (slice.order > P * S) return launch_slots<P, multiple, more...>(ctx, slice, stream);
    return launch_qr<real, P, S, multiple>(ctx, slice, stream);
}

/* The kernels that exist.  More slots than n needs give the same bits more slowly.  Where `auto` takes a number of
 * threads, in a first or a later stage, there are several numbers of slots; elsewhere few, since each kernel costs a
 * second of compilation.  Another table of roads needs another list. */
static constexpr bool is_single = sizeof(real) == sizeof(float);

template <bool multiple>
static eig_status launch_many_threads(eig_context *ctx, int threads, const geev_slice &slice, cudaStream_t stream)
{
    if (threads == 4) return launch_slots<4, multiple, 8, 16>(ctx, slice, stream);
    if (threads == 8) return launch_slots<8, multiple, 8>(ctx, slice, stream);
    if (threads == 16) return launch_slots<16, multiple, 4>(ctx, slice, stream);
    if constexpr (multiple)
        return launch_slots<32, true, 2>(ctx, slice, stream);
    else
        return launch_slots<32, false, 1, 2>(ctx, slice, stream);
}

eig_status TYPED(eig_cuda_geev_swb)(eig_context *ctx, int threads, const geev_slice &slice, cudaStream_t stream)
{
    if (threads > 2) return launch_many_threads<false>(ctx, threads, slice, stream);
    if (threads == 1) return launch_slots<1, false, 16>(ctx, slice, stream);
    if constexpr (is_single)
        return launch_slots<2, false, 16>(ctx, slice, stream);
    else
        return launch_slots<2, false, 10, 13, 16>(ctx, slice, stream);
}

eig_status TYPED(eig_cuda_geev_mwb)(eig_context *ctx, int threads, const geev_slice &slice, cudaStream_t stream)
{
    if (threads > 2) return launch_many_threads<true>(ctx, threads, slice, stream);
    if constexpr (is_single)
        return launch_slots<2, true, 8, 10, 13, 16>(ctx, slice, stream);
    else
        return launch_slots<2, true, 8, 10, 16>(ctx, slice, stream);
}
