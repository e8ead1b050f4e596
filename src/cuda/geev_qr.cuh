/* geev on CUDA, kernel 2: eigenvalues of packed Hessenberg matrices by double-shift QR, out of shared memory.
 *
 * Mapping  p threads a matrix: lanes of one warp (swb), or the same lane of p warps (mwb).  A warp (mwb: a block) takes
 *          tiles of matrices from a queue.  Thread r of a team owns the indices q = r, r + p, ... ("slots"): a row
 *          of the matrix as long as it is above the bulge, a column as long as it is to the right of it.
 * Chase    the 3 x 3 block on which the bulge sits is kept in registers by every thread of the team, which so knows the
 *          next reflector without asking anybody.  Of its rows and columns a thread keeps the two entries in registers
 *          that the next reflector needs again: a step loads one entry of a slot, computes three, stores one.  Rows and
 *          columns differ by addresses alone, so teams at different places still run the same instructions.
 * Pace     all matrices of a tile stand at the same row k, so that addresses and modes are nearly the same in all
 * lanes: a sweep of the tile runs from the first row where any of them begins to the last row of the largest window.
 *          Before its first row and behind its last one a matrix gets identities for reflectors, which change no bit,
 *          and above and beside its window it updates entries that no eigenvalue depends on any more.  Between two
 *          sweeps they look for deflations and find their shifts together.
 * Order    each entry goes through the same arithmetic whatever the method, p, tile and pace: same bits.
 * Results  an eigenvalue's real part replaces its diagonal entry; the imaginary part of a pair replaces the subdiagonal
 *          entry between the two, all other subdiagonal entries become zero. */
#ifndef EIG_GEEV_QR_CUH
#define EIG_GEEV_QR_CUH

#include "geev_qr_state.cuh"
#include "geev_reflector.cuh"

/* ------------------------------------------------------------------ chase */

/* Entries x0, x1, x2 of a row or column times the reflector I - tau u u', u = (1, u1, u2)', t = tau u. */
template <typename real>
static __device__ __forceinline__ void reflect3(real u1, real u2, real tau, real t1, real t2, real &x0, real &x1,
                                                real &x2)
{
    real const dot = -fma(u2, x2, fma(u1, x1, x0));
    x0 = fma(dot, tau, x0), x1 = fma(dot, t1, x1), x2 = fma(dot, t2, x2);
}

/* Whether a subdiagonal entry may be negligible, sum being that of the diagonal entries beside it. */
template <typename real> static __device__ __forceinline__ bool is_small(real sub, real sum)
{
    return fabs(sub) <= fma(geev_limits<real>::eps, sum, 128 * (geev_limits<real>::safmin / geev_limits<real>::eps)) ||
           sum == 0;
}

/* One step of the tile's sweep, which ends in row `end`: row and column k of the bulge's block leave it, row and column
 * k+3 enter.  at: place of entry (k, k).  Slots first, ..., last are inside some matrix's window. */
template <typename real, int P, int S, int N, typename team_type>
static __device__ __forceinline__ void chase_step(team_type team, qr_state<real, P, S, N> &q,
                                                  qr_entries<real, team_type::matrices> h, int k, int at, int end,
                                                  int first, int last)
{
    constexpr int G = team_type::matrices;
    using row_set = typename qr_state<real, P, S, N>::row_set;
    int const down = q.order() - k; /* distance of entries (k, j) and (k+1, j) */
    bool const three = k + 2 <= end;
    bool const acts = q.phase == QR_CHASES && k >= q.m && k < q.i, ends = k == q.i - 1;
    auto const place = [&](int s) {
        int const index = s * P + team.r;
        if (N == 0) return q.place[s];
        return (index > k ? place_of(N, k, index) : place_of(N, index, k)) * G;
    };
    /* The same in all lanes.  With constants for places it pays to skip less. */
    auto const skips = [=](int s) { return s > last || (N == 0 && s < first); };
    /* Column k+2 enters the block. */
    real c0 = 0, c1 = 0, c2 = 0, sub = 0, x2[S];
    if (N > 0 ? k + 2 < N : three) c0 = h[at + 2], c1 = h[at + down + 2], c2 = h[at + 2 * down + 1];
    if (N > 0 ? k + 3 < N : k + 3 <= end) sub = h[at + 3 * down - 1];
    /* With constants for places all other loads come first too: they arrive while the reflector is made. */
    auto const load = [&](int s) {
        bool const column = s * P + team.r > k;
        x2[s] = 0;
        if (N > 0 ? k + 2 < N : three && s * P + team.r <= end)
            x2[s] = h.base[place(s) + (column ? 2 * down - 1 : 2) * G];
    };
#pragma unroll
    for (int s = 0; s < S; ++s)
        if (N > 0 && !skips(s)) load(s);
    real const v0 = k == q.m ? q.first0 : q.v0, v1 = k == q.m ? q.first1 : q.v1, v2 = k == q.m ? q.first2 : q.v2;
    real u1, u2, tau, beta;
    fast_reflector(acts ? v0 : (real)1, acts ? v1 : (real)0, acts ? v2 : (real)0, &u1, &u2, &tau, &beta);
    real const t1 = tau * u1, t2 = tau * u2;
    /* The block from the left, then with row k+3 = (0, 0, sub) from the right. */
    reflect3(u1, u2, tau, t1, t2, q.b00, q.b10, q.b20);
    reflect3(u1, u2, tau, t1, t2, q.b01, q.b11, q.b21);
    reflect3(u1, u2, tau, t1, t2, c0, c1, c2);
    reflect3(u1, u2, tau, t1, t2, q.b00, q.b01, c0);
    reflect3(u1, u2, tau, t1, t2, q.b10, q.b11, c1);
    reflect3(u1, u2, tau, t1, t2, q.b20, q.b21, c2);
    real const dot = -u2 * sub;
    real const f0 = dot * tau, f1 = dot * t1, f2 = fma(dot, t2, sub);
    if (acts && team.r == 0) {
        h[at] = q.b00;
        if (k > q.m)
            h[at - 1] = beta;
        else if (k > q.l)
            h[at - 1] *= 1 - tau;
        if (ends) h[at + 1] = q.b01, h[at + down] = q.b10, h[at + down + 1] = q.b11;
    }
    /* h[k][k-1], and in the last step h[k+1][k], are final, and so are the diagonal entries beside them. */
    real const size = fabs(q.b00);
    if (acts && k > q.m && is_small(beta, q.size + size)) q.small |= (row_set)1 << k;
    if (acts && ends && is_small(q.b10, size + fabs(q.b11))) q.small |= (row_set)2 << k;
    q.size = size;
#pragma unroll
    for (int s = 0; s < S; ++s) {
        if (skips(s)) continue;
        if (N == 0) load(s);
        int const away = s * P + team.r - k, to = place(s);
        bool const column = away > 0, outside = (unsigned)away > 2u && (N > 0 || away <= end - k);
        real x0 = q.x0[s], x1 = q.x1[s];
        reflect3(u1, u2, tau, t1, t2, x0, x1, x2[s]);
        if (outside) h.base[to] = x0;
        if (outside && away == 3) { /* enters the block next */
            h.base[to + down * G] = x1;
            h.base[to + (2 * down - 1) * G] = x2[s];
        }
        q.x0[s] = away == 0 ? q.b01 : x1; /* leaves the block as a row */
        q.x1[s] = away == 0 ? c0 : x2[s];
        if (N == 0) q.place[s] = to + (column ? down : 1) * G;
    }
    q.v0 = q.b10, q.v1 = q.b20, q.v2 = f0;
    q.b00 = q.b11, q.b01 = c1, q.b10 = q.b21, q.b11 = c2, q.b20 = f1, q.b21 = f2;
    team.sync();
}

/* The least x of the warp. */
static __device__ __forceinline__ int warp_min(int x)
{
    for (int d = 1; d < 32; d *= 2) {
        int const other = __shfl_xor_sync(0xffffffffu, x, d);
        x = x < other ? x : other;
    }
    return x;
}

template <typename real, int P, int S, int N, typename team_type>
static __device__ __forceinline__ void iterate(team_type team, qr_state<real, P, S, N> &q,
                                               qr_entries<real, team_type::matrices> h)
{
    for (;;) {
        bool const begins = deflate(team, q, h);
        begin_sweep(team, q, h, begins);
        if (!__any_sync(0xffffffffu, begins)) return;
        /* Each warp of a block sees the same 32 matrices, and finds the same limits. */
        int const begin = warp_min(begins ? q.m : GEEV_MOST), end = -warp_min(begins ? -q.i : GEEV_MOST);
        int const first = warp_min(begins ? q.l : GEEV_MOST) / P, last = end / P;
        load_slots(team, q, h, begin, end);
        team.sync(); /* all have loaded before the first step stores */
        if constexpr (N > 0) {
#pragma unroll
            for (int k = 0; k < N - 1; ++k)
                if (k >= begin && k < end) chase_step(team, q, h, k, place_of(N, k, k), end, first, last);
        } else {
            for (int k = begin, at = place_of(q.n, k, k); k < end; at += q.n - k + 1, ++k)
                chase_step(team, q, h, k, at, end, first, last);
        }
        /* The rows' entries in column `end` are still in registers. */
#pragma unroll
        for (int s = 0; s < S; ++s)
            if (s * P + team.r < end && s >= first) h(q.order(), s * P + team.r, end) = q.x0[s];
        team.sync();
        if (begins) q.phase = QR_WAITS;
    }
}

/* --------------------------------------------------------- tiles in and out */

template <typename real, int P, int S, int N, typename team_type>
static __device__ __forceinline__ void iterate(team_type team, qr_state<real, P, S, N> &q,
                                               qr_entries<real, team_type::matrices> h, int eager)
{
    unsigned tile_live = 0;
    for (;;) {
        int const waiting = __popc(__ballot_sync(0xffffffffu, q.phase == QR_WAITS));
        int const chasing = __popc(__ballot_sync(0xffffffffu, q.phase == QR_CHASES));
        if (waiting + chasing == 0) return;
        if (waiting * eager >= chasing && waiting > 0) {
            bool const begins = deflate(team, q, h);
            begin_sweep(team, q, h, begins);
            tile_live = 0;
#pragma unroll
            for (int s = 0; s < S; ++s)
                tile_live |= __any_sync(0xffffffffu, q.phase == QR_CHASES && (q.live >> s & 1)) ? 1u << s : 0u;
            if (!__any_sync(0xffffffffu, q.phase == QR_CHASES)) return;
            team.sync(); /* all have loaded before the first step stores */
        }
        chase_step(team, q, h, tile_live);
    }
}

/* Imaginary part of eigenvalue k, from the entry between the two of a pair. */
template <typename real>
static __device__ __forceinline__ real imaginary(const real *tile, int G, int order, int n, int k)
{
    real const next = k + 1 < n ? tile[place_of(order, k + 1, k) * G] : (real)0;
    return next != 0 ? next : k > 0 ? -tile[place_of(order, k, k - 1) * G] : (real)0;
}

/* Writes what the call asks for.  b: the first matrix of the tile. */
template <typename real, int P, int S, int N, typename team_type>
static __device__ void store_results(team_type team, const geev_job &job, int64_t b, int live, const real *tile,
                                     const qr_state<real, P, S, N> &q, real unscale)
{
    constexpr int G = team_type::matrices;
    int const n = q.n, order = q.order();
    const geev_problem &p = job.p;
    bool const mine = team.r == 0 && team.g < live;
    if (mine && p.info) p.info[b + team.g] = q.info;
    if (mine && q.info > 0) job.failed[atomicAdd(&job.queue->failed, 1ull)] = b + team.g;
    if (mine && p.value) {
        real measure = 0;
        for (int k = 0; k < n; ++k)
            measure = geev_measure(p.measure, measure, tile[place_of(order, k, k) * G + team.g] * unscale,
                                   imaginary(tile + team.g, G, order, n, k) * unscale, k == 0);
        ((real *)p.value)[b + team.g] = q.info == 0 ? measure : (real)NAN;
    }
    if (!p.w) return;
    for (int f = team.thread; f < live * n; f += team_type::threads) {
        int const t = f / n, k = f - t * n;
        const geev_record &record = job.records[b - job.first + t];
        real const factor = record.info == 0 ? (real)record.unscale : (real)NAN;
        geev_put(p, b + t, k, tile[place_of(order, k, k) * G + t] * factor,
                 imaginary(tile + t, G, order, n, k) * factor);
    }
}

template <typename real, int P, int S, int N, bool multiple>
static __global__ void __launch_bounds__(multiple ? 32 * P : 128) qr_kernel(geev_job job)
{
    using team_type = tile_team<P, multiple>;
    constexpr int G = team_type::matrices;
    extern __shared__ double shared[];
    __shared__ unsigned long long block_turn;
    int const n = (int)job.p.n, order = N > 0 ? N : n, entries = order * (order + 1) / 2 + order - 1;
    team_type team;
    real *const tile = (real *)shared + (size_t)(threadIdx.x / team_type::threads) * entries * G;
    if (multiple) team.exchange = (int *)((real *)shared + (size_t)entries * G);
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
        qr_state<real, P, S, N> q;
        geev_record record = {1, 0, -1, 0};
        if (team.g < live) record = job.records[first + team.g];
        q.n = n, q.lo = record.lo, q.hi = record.hi, q.info = record.info;
        q.i = q.hi, q.l = q.lo, q.steps = 0, q.m = 0;
        q.small = 0, q.unknown = true;
        q.first0 = q.first1 = q.first2 = 0;
        q.phase = q.info == 0 && q.lo <= q.hi ? QR_WAITS : QR_DONE;
#pragma unroll
        for (int s = 0; s < S; ++s) q.x0[s] = q.x1[s] = 0, q.place[s] = 0;
        team.sync(); /* the tile is loaded */
        iterate(team, q, qr_entries<real, G>{tile + team.g});
        team.sync();
        store_results(team, job, job.first + first, live, tile, q, (real)record.unscale);
        team.sync(); /* results are read before the next tile comes */
    }
}

/* ---------------------------------------------------------------- launcher */

template <typename real, int P, int S, int N, bool multiple>
static eig_status launch_qr(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    using team_type = tile_team<P, multiple>;
    size_t const bytes = (size_t)geev_packed(job.order) * team_type::matrices * sizeof(real);
    int const teams = multiple || bytes > 8192 ? 1 : 4;
    size_t const total = teams * bytes + (multiple ? P * 32 * sizeof(int) : 0);
    int const threads = teams * team_type::threads;
    CUDA_TRY(cudaFuncSetAttribute(qr_kernel<real, P, S, N, multiple>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  (int)total));
    int each = 0;
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, qr_kernel<real, P, S, N, multiple>, threads, total));
    int64_t const tiles = (job.count + team_type::matrices - 1) / team_type::matrices;
    int64_t const want = (tiles + teams - 1) / teams;
    int64_t const most = (int64_t)(each > 0 ? each : 1) * cuda_state_of(ctx)->multiprocessors;
    qr_kernel<real, P, S, N, multiple><<<(int)(want < most ? want : most), threads, total, stream>>>(job);
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
        return n <= 8 ? launch_qr<real, 1, 8, 0, false>(ctx, job, stream)
                      : launch_qr<real, 1, 16, 0, false>(ctx, job, stream);
    case 2:
        return n <= 16 ? launch_qr<real, 2, 8, 0, multiple>(ctx, job, stream)
                       : launch_qr<real, 2, 16, 0, multiple>(ctx, job, stream);
    case 4:
        return n <= 16   ? launch_qr<real, 4, 4, 0, multiple>(ctx, job, stream)
               : n <= 32 ? launch_qr<real, 4, 8, 0, multiple>(ctx, job, stream)
                         : launch_qr<real, 4, 16, 0, multiple>(ctx, job, stream);
    case 8:
        return n <= 32 ? launch_qr<real, 8, 4, 0, multiple>(ctx, job, stream)
                       : launch_qr<real, 8, 8, 0, multiple>(ctx, job, stream);
    case 16:
        return n <= 32 ? launch_qr<real, 16, 2, 0, multiple>(ctx, job, stream)
                       : launch_qr<real, 16, 4, 0, multiple>(ctx, job, stream);
    default:
        return launch_qr<real, 32, 2, 0, multiple>(ctx, job, stream);
    }
}

#endif
