/* geev on CUDA, kernel 2: how a tile's matrices come from the workspace, and how their results leave. */
#ifndef EIG_GEEV_QR_TILE_CUH
#define EIG_GEEV_QR_TILE_CUH

#include "geev/team/geev_qr_state.cuh"

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

/* Writes the results of this thread's matrix, number b of the problem: eigenvalues first, ..., last, which this stage
 * has found, and their measure with those found before.  entry(place, t): of matrix t of the tile. */
template <typename real, typename team_type, typename entry_type>
static __device__ void store_results(team_type team, const geev_slice &slice, int64_t b, int first, int last, int info,
                                     entry_type entry)
{
    constexpr int P = team_type::size;
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
    constexpr int G = team_type::matrices, P = team_type::size;
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

#endif
