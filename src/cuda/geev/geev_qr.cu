/* geev on CUDA, kernel 2: eigenvalues of packed Hessenberg matrices by double-shift QR, out of shared memory.
 *
 * Mapping  p threads a matrix: lanes of one warp (swb), or the same lane of p warps (mwb).  A warp (mwb: a block) takes
 *          tiles of matrices from a queue.
 * Rounds   all matrices of a tile look for deflations and find their shifts (geev_qr_state.cuh); then all of them sweep
 *          (geev_chase.cuh), from the first row where any sweep begins to the last row of the largest window.  Addresses
 *          are then nearly the same in all lanes.
 * Order    the arithmetic of an entry does not depend on method, p and tile: same bits.
 * Stages   a stage ends when no window of a tile is larger than slice.stop.  The leading blocks of that order and the state
 *          of their iteration go to the next launch: it has smaller tiles, of which more run at once.
 * Results  blocks of order 2 stay until a stage's end; then all of their eigenvalues are computed. */
#include "geev_chase.cuh"
#include "per_type.cuh"

/* Entries of a matrix in a tile, with the padding that sweeps read. */
static __host__ __device__ inline int tile_entries(int n, int slots)
{
    return n * (n + 1) / 2 + (slots > n ? slots : n) + 2;
}

/* The largest upper word of a matrix's entries. */
template <typename real, typename team_type>
static __device__ __forceinline__ int largest_word(team_type team, const real *tile, int entries)
{
    int most = 0;
    for (int e = team.thread; e < entries * team_type::matrices; e += team_type::threads) {
        int const word = upper_word(tile[e]);
        most = word > most ? word : most;
    }
    return team.max(most);
}

/* Eigenvalue k of matrix t, which is triangular now except for blocks of order 2. */
template <typename real, typename entry_type>
static __device__ __forceinline__ void eigenvalue(entry_type entry, int n, int k, int t, real *re, real *im)
{
    int const at = place_of(n, k, k), below = place_of(n, k + 1, k);
    real const next = k + 1 < n ? entry(below, t) : (real)0, before = k > 0 ? entry(at - 1, t) : (real)0;
    real other;
    *re = entry(at, t), *im = 0;
    if (next != 0) {
        francis_block(*re, entry(at + 1, t), next, entry(below + 1, t), re, &other, im);
    } else if (before != 0) {
        int const above = place_of(n, k - 1, k - 1);
        francis_block(entry(above, t), entry(above + 1, t), before, *re, &other, re, im);
        *im = -*im;
    }
}

/* Writes the results of this thread's matrix, number b of the problem: eigenvalues first, ..., last, which this stage has
 * found, and their measure with those found before.  entry(place, t): of matrix t of the tile. */
template <typename real, typename team_type, typename entry_type>
static __device__ void store_results(team_type team, const geev_slice &slice, int64_t b, int first, int last, int info,
                                     entry_type entry)
{
    constexpr int P = team_type::threads / team_type::matrices;
    const geev_problem &p = slice.p;
    real const unscale = (real)slice.records[b - slice.first].unscale,
               factor = info == EIG_INFO_NOT_FINITE ? (real)NAN : unscale;
    for (int k = first + team.r; p.w && k <= last; k += P) {
        real re, im;
        eigenvalue(entry, slice.order, k, team.g, &re, &im);
        geev_put(p, b, k, re * factor, im * factor);
    }
    if (!p.value || team.r != 0 || first > last) return;
    real *const value = (real *)p.value + b;
    real measure = slice.stage > 0 ? *value : (real)0;
    for (int k = first; k <= last; ++k) {
        real re, im;
        eigenvalue(entry, slice.order, k, team.g, &re, &im);
        measure = geev_measure(p.measure, measure, re * unscale, im * unscale, slice.stage == 0 && k == first);
    }
    *value = info == 0 ? measure : (real)NAN;
}

/* Most warps of a block of method swb: the registers suffice for so many with S slots a thread. */
static constexpr int most_warps(int S)
{
    return S <= 5 ? 16 : S <= 6 ? 12 : S <= 8 ? 10 : 8;
}

/* Begins a matrix, in the first stage or a later one. */
template <typename real, int P, int S, typename team_type>
static __device__ __forceinline__ void begin_matrix(team_type team, qr_state<real, P, S> &q, const geev_slice &slice,
                                                    int base, const geev_record &record, const geev_progress &progress)
{
    using row_set = typename qr_state<real, P, S>::row_set;
    int const n = slice.order;
    q.n = n, q.lo = record.lo, q.hi = record.hi, q.info = record.info;
    q.i = progress.i, q.l = q.m = progress.l, q.steps = progress.steps, q.most_steps = slice.p.max_steps;
    q.waits = q.info == 0 && q.lo <= q.i;
    q.small = (row_set)progress.small;
    q.small_word = progress.small_word;
    q.first0 = q.first1 = q.first2 = 0;
#pragma unroll
    for (int s = 0; s < S; ++s) {
        q.row[s] = base + place_of(n, s * P + team.r, 0) * team_type::matrices * (int)sizeof(real);
        asm("" : "+r"(q.row[s])); /* kept, not computed again in every step */
    }
}

/* The state at the beginning of the first stage: the whole matrix is the window. */
static __device__ __forceinline__ geev_progress whole_matrix(const geev_record &record, int small_word)
{
    unsigned long long const rows = rows_between<unsigned long long>(record.lo + 1, record.hi);
    return geev_progress{rows, small_word, record.lo, record.hi, 0};
}

/* The leading blocks of order slice.stop, for the next stage. */
template <typename real, typename team_type>
static __device__ void store_leading(team_type team, const geev_slice &slice, int64_t m, const real *tile)
{
    constexpr int G = team_type::matrices, P = team_type::threads / G;
    real *to = geev_packed_matrix<real>(slice, m);
    for (int row = 0; row < slice.stop; ++row) {
        int const from = row > 0 ? row - 1 : 0, places = slice.stop - from;
        const real *const at = tile + place_of(slice.order, row, from) * G + team.g;
        for (int e = team.r; e < places; e += P) to[(int64_t)e * slice.tile] = at[e * G];
        to += (int64_t)places * slice.tile;
    }
}

/* A stage's end for this thread's matrix, number m of the slice.  last: its last eigenvalue that was not known when the
 * stage began; -1: all were known. */
template <typename real, int P, int S, typename team_type>
static __device__ void leave_matrix(team_type team, const geev_slice &slice, int64_t m, const qr_state<real, P, S> &q,
                                    int last, const real *tile)
{
    bool const ends = !q.waits && (slice.stage == 0 || last >= 0);
    int64_t const b = slice.first + m;
    if (ends && team.r == 0 && slice.p.info) slice.p.info[b] = q.info;
    if (ends && team.r == 0 && q.info > 0) slice.failed[atomicAdd(&slice.queue->failed, 1ull)] = b;
    store_results<real>(team, slice, b, q.waits ? q.i + 1 : 0, last, q.info,
                        [=](int place, int t) { return tile[place * team_type::matrices + t]; });
    if (slice.stop == 0) return;
    if (team.r == 0) slice.progress[m] = geev_progress{q.small, q.small_word, q.l, q.waits ? q.i : -1, q.steps};
    store_leading<real>(team, slice, m, tile);
}

/* The number of the next tile, the same for all its threads. */
template <typename team_type>
static __device__ __forceinline__ unsigned long long next_tile(team_type team, const geev_slice &slice)
{
    __shared__ unsigned long long block_tile;
    unsigned long long number = 0;
    if (team.thread == 0) number = atomicAdd(&slice.queue->iterate[slice.stage], 1ull);
    if (team_type::threads == 32) return __shfl_sync(0xffffffffu, number, 0);
    if (team.thread == 0) block_tile = number;
    __syncthreads(); /* block_tile is there; the next one is written after the barriers that follow */
    return block_tile;
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
        geev_record record = {1, 0, -1, 0};
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
