/* geev on CUDA, kernel 2: eigenvalues of packed Hessenberg matrices by double-shift QR, out of shared memory.
 *
 * Mapping  p threads a matrix: lanes of one warp (swb), or the same lane of p warps (mwb).  A warp (mwb: a block) takes
 *          tiles of matrices from a queue.
 * Rounds   all matrices of a tile look for deflations and find their shifts together (geev_qr_state.cuh), then sweep
 *          together (geev_chase.cuh): from the first row where any of them begins to the last row of the largest
 *          window, so that addresses are nearly the same in all lanes.
 * Order    each entry goes through the same arithmetic whatever the method, p and tile: same bits.
 * Results  blocks of order 2 stay until the end, where their eigenvalues are computed all at once. */
#ifndef EIG_GEEV_QR_CUH
#define EIG_GEEV_QR_CUH

#include "geev_chase.cuh"

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

/* Eigenvalue k of matrix t, which has become triangular but for blocks of order 2. */
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

/* Writes what the call asks for.  b: the first of the tile's `live` matrices; thread: of so many that share the tile;
 * entry(place, t): of matrix t.  Each matrix has one thread that knows its info; mine is the number of this thread's
 * matrix, or -1. */
template <typename real, typename entry_type>
static __device__ void store_results(const geev_job &job, int64_t b, int live, int thread, int threads, int mine,
                                     int info, entry_type entry)
{
    int const n = (int)job.p.n;
    const geev_problem &p = job.p;
    const geev_record *const records = job.records + (b - job.first);
    if (mine >= 0 && mine < live) {
        if (p.info) p.info[b + mine] = info;
        if (info > 0) job.failed[atomicAdd(&job.queue->failed, 1ull)] = b + mine;
        if (p.value) {
            real const unscale = (real)records[mine].unscale;
            real measure = 0;
            for (int k = 0; k < n; ++k) {
                real re, im;
                eigenvalue(entry, n, k, mine, &re, &im);
                measure = geev_measure(p.measure, measure, re * unscale, im * unscale, k == 0);
            }
            ((real *)p.value)[b + mine] = info == 0 ? measure : (real)NAN;
        }
    }
    if (!p.w) return;
    for (int f = thread; f < live * n; f += threads) {
        int const t = f / n, k = f - t * n;
        real const factor = records[t].info == 0 ? (real)records[t].unscale : (real)NAN;
        real re, im;
        eigenvalue(entry, n, k, t, &re, &im);
        geev_put(p, b + t, k, re * factor, im * factor);
    }
}

/* Most warps of a block of method swb: registers for S slots a thread suffice for as many. */
static constexpr int most_warps(int S)
{
    return S <= 5 ? 16 : S <= 6 ? 12 : S <= 8 ? 10 : 8;
}

/* Begins a matrix. */
template <typename real, int P, int S, typename team_type>
static __device__ __forceinline__ void begin_matrix(team_type team, qr_state<real, P, S> &q, int n, int most_steps,
                                                    int base, const geev_record &record, int largest)
{
    using row_set = typename qr_state<real, P, S>::row_set;
    q.n = n, q.lo = record.lo, q.hi = record.hi, q.info = record.info;
    q.i = q.hi, q.l = q.m = q.lo, q.steps = 0, q.most_steps = most_steps;
    q.waits = q.info == 0 && q.lo <= q.hi;
    q.small = rows_between<row_set>(q.lo + 1, q.hi);
    q.small_word = largest - qr_flags<real>::step;
    q.first0 = q.first1 = q.first2 = 0;
#pragma unroll
    for (int s = 0; s < S; ++s) {
        q.row[s] = base + place_of(n, s * P + team.r, 0) * team_type::matrices * (int)sizeof(real);
        asm("" : "+r"(q.row[s])); /* kept, not computed again in every step */
    }
}

template <typename real, int P, int S, bool multiple>
static __global__ void __launch_bounds__(multiple ? 32 * P : 32 * most_warps(S)) qr_kernel(geev_job job)
{
    using team_type = tile_team<P, multiple>;
    constexpr int G = team_type::matrices;
    __shared__ unsigned long long block_turn;
    int const n = (int)job.p.n, entries = n * (n + 1) / 2 + n - 1, space = tile_entries(n, P * S);
    team_type team;
    real *const tile = (real *)qr_memory + (size_t)(threadIdx.x / team_type::threads) * space * G;
    if (multiple) team.exchange = (int *)((real *)qr_memory + (size_t)space * G);
    for (int e = entries * G + team.thread; e < space * G; e += team_type::threads) tile[e] = 0;
    for (;;) {
        unsigned long long turn = 0;
        if (team.thread == 0) turn = atomicAdd(&job.queue->iterate, 1ull);
        if (multiple) {
            if (team.thread == 0) block_turn = turn;
            __syncthreads(); /* block_turn is there */
            turn = block_turn;
        } else {
            turn = __shfl_sync(0xffffffffu, turn, 0);
        }
        int64_t const first = (int64_t)turn * G;
        if (first >= job.count) return;
        int const live = (int)(job.count - first < G ? job.count - first : G);
        const real *const packed = (const real *)job.packed + (int64_t)turn * entries * G;
#pragma unroll 8
        for (int e = team.thread; e < entries * G; e += team_type::threads) tile[e] = packed[e];
        geev_record record = {1, 0, -1, 0};
        if (team.g < live) record = job.records[first + team.g];
        team.sync(); /* the tile is loaded */
        qr_state<real, P, S> q;
        qr_entries<real, G> const h = {(int)((char *)(tile + team.g) - qr_memory)};
        begin_matrix(team, q, n, job.p.max_steps, h.base, record, largest_word<real>(team, tile, entries));
        while (__any_sync(0xffffffffu, q.waits)) {
            if (deflate(team, q, h)) begin_sweep(q, h);
            if (__any_sync(0xffffffffu, q.waits)) sweep(team, q, h, q.waits);
        }
        team.sync();
        store_results<real>(job, job.first + first, live, team.thread, team_type::threads, team.r == 0 ? team.g : -1,
                            q.info, [=](int place, int t) { return tile[place * G + t]; });
        team.sync(); /* results are read before the next tile comes */
    }
}

/* ---------------------------------------------------------------- launcher */

template <typename real, int P, int S, bool multiple>
static eig_status launch_qr(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    using team_type = tile_team<P, multiple>;
    const cuda_state *const state = cuda_state_of(ctx);
    int64_t const bytes = (int64_t)tile_entries((int)job.p.n, P * S) * team_type::matrices * (int64_t)sizeof(real);
    int64_t const tiles = (job.count + team_type::matrices - 1) / team_type::matrices;
    /* One large block a multiprocessor leaves more memory to tiles than many small ones; but all have to get work. */
    int64_t const share = (tiles + state->multiprocessors - 1) / state->multiprocessors,
                  fit = (state->shared_bytes - 64) / bytes;
    int64_t const most = fit < most_warps(S) ? fit : most_warps(S), several = share < most ? share : most;
    int const teams = multiple || several < 1 ? 1 : (int)several, threads = teams * team_type::threads;
    size_t const total = (size_t)(teams * bytes) + (multiple ? P * 32 * sizeof(int) : 0);
    CUDA_TRY(
        cudaFuncSetAttribute(qr_kernel<real, P, S, multiple>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)total));
    int each = 0;
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, qr_kernel<real, P, S, multiple>, threads, total));
    int64_t const want = (tiles + teams - 1) / teams, room = (int64_t)(each > 0 ? each : 1) * state->multiprocessors;
    qr_kernel<real, P, S, multiple><<<(int)(want < room ? want : room), threads, total, stream>>>(job);
    CUDA_LAUNCHED("geev: qr_kernel");
    return EIG_OK;
}

/* The form with so many threads a matrix and enough slots for n; geev_form.cu only asks for forms that exist. */
template <typename real, bool multiple>
static eig_status launch_form(eig_context *ctx, int threads, const geev_job &job, cudaStream_t stream)
{
    int const n = (int)job.p.n;
    switch (threads) {
    case 1: /* one warp for 32 matrices: both methods are the same */
        return n <= 8 ? launch_qr<real, 1, 8, false>(ctx, job, stream)
                      : launch_qr<real, 1, 16, false>(ctx, job, stream);
    case 2:
        return n <= 16   ? launch_qr<real, 2, 8, multiple>(ctx, job, stream)
               : n <= 20 ? launch_qr<real, 2, 10, multiple>(ctx, job, stream)
               : n <= 26 ? launch_qr<real, 2, 13, multiple>(ctx, job, stream)
                         : launch_qr<real, 2, 16, multiple>(ctx, job, stream);
    case 4:
        return n <= 16   ? launch_qr<real, 4, 4, multiple>(ctx, job, stream)
               : n <= 20 ? launch_qr<real, 4, 5, multiple>(ctx, job, stream)
               : n <= 24 ? launch_qr<real, 4, 6, multiple>(ctx, job, stream)
               : n <= 28 ? launch_qr<real, 4, 7, multiple>(ctx, job, stream)
               : n <= 32 ? launch_qr<real, 4, 8, multiple>(ctx, job, stream)
                         : launch_qr<real, 4, 16, multiple>(ctx, job, stream);
    case 8:
        return n <= 32 ? launch_qr<real, 8, 4, multiple>(ctx, job, stream)
                       : launch_qr<real, 8, 8, multiple>(ctx, job, stream);
    case 16:
        return n <= 32 ? launch_qr<real, 16, 2, multiple>(ctx, job, stream)
                       : launch_qr<real, 16, 4, multiple>(ctx, job, stream);
    default:
        return launch_qr<real, 32, 2, multiple>(ctx, job, stream);
    }
}

#endif
