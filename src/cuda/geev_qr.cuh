/* geev on CUDA, kernel 2: eigenvalues of packed Hessenberg matrices by double-shift QR, out of shared memory.
 *
 * Mapping  p threads a matrix: lanes of one warp (swb), or the same lane of p warps (mwb).  A warp (mwb: a block) takes
 *          tiles of matrices from a queue.  Thread r of a team owns the indices q = r, r + p, ... ("slots"): a row
 *          of the matrix as long as it is above the bulge, a column as long as it is to the right of it.
 * Chase    the 3 x 3 block on which the bulge sits is kept in registers by every thread of the team, which so knows the
 *          next reflector without asking anybody.  Of its rows and columns a thread keeps the two entries in registers
 *          that the next reflector needs again: a step loads one entry of a slot, computes three, stores one.  Rows and
 *          columns differ by addresses alone, so teams at different places still run the same instructions.
 * Pace     a matrix waits at the end of a sweep until enough others of its tile wait too: then they look for
 *          deflations and prepare their next sweeps together.  `eager` times the waiting ones must reach the others.
 * Order    each entry goes through the same arithmetic whatever the method, p, tile and pace: same bits.
 * Results  an eigenvalue's real part replaces its diagonal entry; the imaginary part of a pair replaces the subdiagonal
 *          entry between the two, all other subdiagonal entries become zero. */
#ifndef EIG_GEEV_QR_CUH
#define EIG_GEEV_QR_CUH

#include "geev_cuda.cuh"
#include "geev_reflector.cuh"

#include <type_traits>

/* The threads that share a tile, and this thread's place: matrix g of the tile, thread r of its team. */
template <int P, bool multiple> struct tile_team {
    static constexpr int matrices = multiple ? 32 : 32 / P, threads = multiple ? 32 * P : 32;
    int g, r, thread;
    int *exchange; /* [P*32], multiple warps */

    __device__ __forceinline__ tile_team()
        : g(threadIdx.x % matrices), r(threadIdx.x % threads / matrices), thread(threadIdx.x % threads), exchange(NULL)
    {
    }
    __device__ __forceinline__ void sync() const
    {
        if (multiple)
            __syncthreads();
        else
            __syncwarp();
    }
    /* The largest x of the team; all threads of the tile call it, and it orders memory as sync does. */
    __device__ __forceinline__ int max(int x) const
    {
        if (!multiple) {
#pragma unroll
            for (int d = matrices; d < 32; d *= 2) {
                int const other = __shfl_xor_sync(0xffffffffu, x, d);
                x = x > other ? x : other;
            }
            __syncwarp();
            return x;
        }
        exchange[r * 32 + g] = x;
        __syncthreads();
        for (int other = 0; other < P; ++other) x = x > exchange[other * 32 + g] ? x : exchange[other * 32 + g];
        __syncthreads(); /* all have read */
        return x;
    }
};

enum qr_phase { QR_WAITS, QR_CHASES, QR_DONE };

/* One matrix on its way; every thread of the team holds the same values, but for its slots. */
template <typename real, int P, int S> struct qr_state {
    using row_set = typename std::conditional<P * S <= 32, unsigned, unsigned long long>::type;
    int n, lo, hi;
    int i, l, steps, info;
    qr_phase phase;
    /* Subdiagonal entries h[k][k-1] that the last sweep made small enough to be looked at; unknown: look at all. */
    row_set small;
    bool unknown;
    /* the chase: row k of the bulge, the sweep's first row m, place of entry (k, k) */
    int k, m, at;
    real size;                         /* |h[k-1][k-1]| */
    real v0, v1, v2;                   /* becomes a multiple of the first unit vector */
    real b00, b01, b10, b11, b20, b21; /* rows k..k+2 of columns k and k+1, as far as not loaded later */
    real x0[S], x1[S];                 /* slots: entries (q, k), (q, k+1) of a row; (k, q), (k+1, q) of a column */
    int place[S];                      /* of x0 */
    unsigned live;                     /* slots inside the window */
};

/* Place of entry (i, j) among the packed ones, j >= i - 1. */
static __device__ __forceinline__ int place_of(int n, int i, int j)
{
    return i * n - i * (i - 1) / 2 + j;
}

/* A tile's entries, from one thread's point of view: those of its matrix. */
template <typename real, int G> struct qr_entries {
    real *base;
    __device__ __forceinline__ real &operator[](int place) const
    {
        return base[place * G];
    }
    __device__ __forceinline__ real &operator()(int n, int i, int j) const
    {
        return base[place_of(n, i, j) * G];
    }
};

/* ------------------------------------------------------------- deflation */

/* Whether h[k][k-1] is negligible. */
template <typename real, int G, int P, int S>
static __device__ __forceinline__ bool negligible(const qr_state<real, P, S> &q, qr_entries<real, G> h, int k)
{
    int const n = q.n, at = place_of(n, k, k), above = at - (n - k + 2);
    real const sub = h[at - 1], upper = h[above], lower = h[at];
    real const tiny = geev_limits<real>::safmin * ((real)(q.hi - q.lo + 1) / geev_limits<real>::eps);
    real beside = 0;
    if (upper == 0 && lower == 0) {
        if (k - 2 >= q.lo) beside = fabs(h[above - 1]);
        if (k < q.hi) beside += fabs(h(n, k + 1, k));
    }
    return francis_may_deflate(sub, upper, lower, beside, tiny) &&
           francis_deflates(sub, h[above + 1], upper, lower, beside, tiny);
}

/* Eigenvalues of the window l..i of order 1 or 2. */
template <typename real, int G>
static __device__ __forceinline__ void finish_block(qr_entries<real, G> h, int n, int lo, int l, int i)
{
    int const at = place_of(n, i, i);
    if (l == i) {
        if (i > lo) h[at - 1] = 0;
        return;
    }
    int const above = place_of(n, l, l);
    real re1, re2, im;
    francis_block(h[above], h[above + 1], h[at - 1], h[at], &re1, &re2, &im);
    h[above] = re1, h[at] = re2, h[at - 1] = im;
}

/* The last k in l+1..i with a negligible h[k][k-1], or -1; of all k a thread looks at its share. */
template <typename real, int G, int P, int S>
static __device__ __forceinline__ int find_negligible(const qr_state<real, P, S> &q, qr_entries<real, G> h, int rank)
{
    if (q.unknown) {
        for (int k = q.i - rank; k > q.l; k -= P)
            if (negligible(q, h, k)) return k;
        return -1;
    }
    typename qr_state<real, P, S>::row_set rows = q.small;
    while (rows) {
        int const k = sizeof rows == 4 ? 31 - __clz((int)rows) : 63 - __clzll((long long)rows);
        rows ^= (typename qr_state<real, P, S>::row_set)1 << k;
        if (k > q.i) continue;
        if (k <= q.l) return -1;
        if (negligible(q, h, k)) return k;
    }
    return -1;
}

/* Lets every waiting matrix of the tile deflate what it can, until it has a window of order 3 or more, or is done.
 * Returns whether this thread's matrix was waiting and now begins a sweep. */
template <typename real, int P, int S, typename team_type>
static __device__ __forceinline__ bool deflate(team_type team, qr_state<real, P, S> &q,
                                               qr_entries<real, team_type::matrices> h)
{
    int const n = q.n, most = 30 * (n > 10 ? n : 10);
    bool begins = false, looks = q.phase == QR_WAITS;
    while (__any_sync(0xffffffffu, looks)) {
        int const found = team.max(looks ? find_negligible(q, h, team.r) : -1);
        if (looks) {
            int const top = found >= 0 ? found : q.l;
            if (found >= 0 && team.r == 0) h[place_of(n, found, found) - 1] = 0;
            if (top >= q.i - 1) {
                if (team.r == 0) finish_block(h, n, q.lo, top, q.i);
                q.i = top - 1, q.steps = 0;
                /* What is left of the window is known as before; beyond it nothing is. */
                if (top == q.l) q.l = q.lo, q.unknown = true;
                looks = q.i >= q.lo;
                if (!looks) q.phase = QR_DONE;
            } else if (q.steps == most) {
                q.info = q.i + 1, q.phase = QR_DONE, looks = false;
            } else {
                ++q.steps, q.l = top, begins = true, looks = false;
            }
        }
        team.sync();
    }
    return begins;
}

/* ------------------------------------------------------ beginning a sweep */

/* Whether the sweep may start at row m: the two subdiagonal entries around it are small enough. */
template <typename real, int G>
static __device__ __forceinline__ bool may_start(qr_entries<real, G> h, int n, int m, real re1, real re2, real im)
{
    int const at = place_of(n, m, m), below = at + n - m + 1;
    real const h00 = h[at], h01 = h[at + 1], h10 = h[below - 1], h11 = h[below], h21 = h[below + n - m - 1];
    real const sub = fabs(h[at - 1]), around = fabs(h[at - (n - m + 2)]) + fabs(h00) + fabs(h11);
    /* First a bound without divisions, on |v0| from above and |v1| + |v2| from below: it nearly always says no.  Where
     * it overflows it says yes or, from 0*inf, no: a start at l is always good. */
    real const eps = geev_limits<real>::eps, size = fabs(h00 - re2) + fabs(im) + fabs(h10);
    real const v0_most = fma(fabs(h10), fabs(h01), (fabs(h00 - re1) + fabs(im)) * size);
    if (!(sub * (fabs(h10) * fabs(h21)) <= 2 * eps * v0_most * around)) return false;
    real v0, v1, v2;
    francis_first_column(h00, h01, h10, h11, h21, re1, re2, im, &v0, &v1, &v2);
    real const sum = fabs(v0) + fabs(v1) + fabs(v2), safe = sum > 0 ? sum : 1;
    return sub * (fabs(v1 / safe) + fabs(v2 / safe)) <= eps * fabs(v0 / safe) * around;
}

/* Shifts and first row of the next sweep, for threads whose matrix begins one; then the bulge and the slots are loaded.
 * All threads of the tile take part. */
template <typename real, int P, int S, typename team_type>
static __device__ __forceinline__ void begin_sweep(team_type team, qr_state<real, P, S> &q,
                                                   qr_entries<real, team_type::matrices> h, bool begins)
{
    int const n = q.n;
    real re1 = 0, re2 = 0, im = 0;
    int found = -1;
    if (begins) {
        int const at = place_of(n, q.i, q.i), above = at - (n - q.i + 2);
        real h11 = h[above], h12 = h[above + 1], h21 = h[at - 1], h22 = h[at];
        if (q.steps % 20 == 0) {
            francis_exceptional(h22, h21, h[above - 1], &h11, &h12, &h21, &h22);
        } else if (q.steps % 10 == 0) {
            int const first = place_of(n, q.l, q.l);
            francis_exceptional(h[first], h[first + n - q.l], h(n, q.l + 2, q.l + 1), &h11, &h12, &h21, &h22);
        }
        francis_shifts(h11, h12, h21, h22, &re1, &re2, &im);
        for (int m = q.l + 1 + team.r; m <= q.i - 2; m += P)
            if (may_start(h, n, m, re1, re2, im)) found = m;
    }
    found = team.max(found);
    if (!begins) return;
    q.phase = QR_CHASES;
    q.unknown = false;
    q.m = q.k = found > q.l ? found : q.l;
    q.at = place_of(n, q.m, q.m);
    int const below = q.at + n - q.m + 1;
    q.b00 = h[q.at], q.b01 = h[q.at + 1];
    q.b10 = h[below - 1], q.b11 = h[below];
    q.b20 = 0, q.b21 = h[below + n - q.m - 1];
    francis_first_column(q.b00, q.b01, q.b10, q.b11, q.b21, re1, re2, im, &q.v0, &q.v1, &q.v2);
    /* Row m's own subdiagonal entry and those above it stay; of them only this one's neighbour changes. */
    q.small = q.m > q.l ? (typename qr_state<real, P, S>::row_set)1 << q.m : 0;
    q.size = fabs(q.m > q.l ? h[q.at - (n - q.m + 2)] : (real)0);
    q.live = 0;
#pragma unroll
    for (int s = 0; s < S; ++s) {
        int const index = s * P + team.r;
        q.place[s] = index >= q.m ? place_of(n, q.m, index) : place_of(n, index, q.m);
        if (index < q.l || index > q.i) continue;
        q.live |= 1u << s;
        if (index >= q.m && index <= q.m + 2) continue; /* lies in the bulge's block */
        q.x0[s] = h[q.place[s]];
        q.x1[s] = h[q.place[s] + (index > q.m ? n - q.m : 1)];
    }
}

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

/* One step of the sweep: row and column k of the bulge's block leave it, row and column k+3 enter.  Threads whose
 * matrix does not chase compute on what their registers hold and store nothing.  tile_live: slots that any thread of
 * the warp has in its window. */
template <typename real, int P, int S, typename team_type>
static __device__ __forceinline__ void chase_step(team_type team, qr_state<real, P, S> &q,
                                                  qr_entries<real, team_type::matrices> h, unsigned tile_live)
{
    bool const chases = q.phase == QR_CHASES, last = q.k == q.i - 1;
    bool const three = chases && q.k + 2 <= q.i, four = chases && q.k + 3 <= q.i;
    int const k = q.k, down = q.n - k; /* distance of entries (k, j) and (k+1, j) */
    /* Column k+2 enters the block; where the window ends, zeros do. */
    real c0 = 0, c1 = 0, c2 = 0, sub = 0;
    if (three) c0 = h[q.at + 2], c1 = h[q.at + down + 2], c2 = h[q.at + 2 * down + 1];
    if (four) sub = h[q.at + 3 * down - 1];
    real u1, u2, tau, beta;
    fast_reflector(q.v0, q.v1, q.v2, &u1, &u2, &tau, &beta);
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
    if (chases && team.r == 0) {
        h[q.at] = q.b00;
        if (k > q.m)
            h[q.at - 1] = beta;
        else if (k > q.l)
            h[q.at - 1] *= 1 - tau;
        if (last) h[q.at + 1] = q.b01, h[q.at + down] = q.b10, h[q.at + down + 1] = q.b11;
    }
    /* h[k][k-1], and in the last step h[k+1][k], are final, and so are the diagonal entries beside them. */
    using row_set = typename qr_state<real, P, S>::row_set;
    real const size = fabs(q.b00);
    if (k > q.m && is_small(beta, q.size + size)) q.small |= (row_set)1 << k;
    if (last && is_small(q.b10, size + fabs(q.b11))) q.small |= (row_set)2 << k;
    q.size = size;
#pragma unroll
    for (int s = 0; s < S; ++s) {
        if (!(tile_live >> s & 1)) continue; /* the same in all lanes */
        int const away = s * P + team.r - k;
        bool const acts = chases && (q.live >> s & 1) && (unsigned)away > 2u, column = away > 0;
        int const place = q.place[s];
        real x0 = q.x0[s], x1 = q.x1[s], x2 = 0;
        if (acts && three) x2 = h[place + (column ? 2 * down - 1 : 2)];
        reflect3(u1, u2, tau, t1, t2, x0, x1, x2);
        if (acts) h[place] = x0;
        if (acts && away == 3) h[place + down] = x1, h[place + 2 * down - 1] = x2; /* enters the block next */
        if (acts && last && !column) h[place + 1] = x1;
        q.x0[s] = away == 0 ? q.b01 : x1; /* leaves the block as a row */
        q.x1[s] = away == 0 ? c0 : x2;
        q.place[s] = place + (column ? down : 1);
    }
    q.v0 = q.b10, q.v1 = q.b20, q.v2 = f0;
    q.b00 = q.b11, q.b01 = c1, q.b10 = q.b21, q.b11 = c2, q.b20 = f1, q.b21 = f2;
    q.at += down + 1, q.k = k + 1;
    if (chases && last) q.phase = QR_WAITS;
    team.sync();
}

/* --------------------------------------------------------- tiles in and out */

template <typename real, int P, int S, typename team_type>
static __device__ __forceinline__ void iterate(team_type team, qr_state<real, P, S> &q,
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
template <typename real> static __device__ __forceinline__ real imaginary(const real *tile, int G, int n, int k)
{
    real const next = k + 1 < n ? tile[(place_of(n, k + 1, k)) * G] : (real)0;
    return next != 0 ? next : k > 0 ? -tile[place_of(n, k, k - 1) * G] : (real)0;
}

/* Writes what the call asks for.  b: the first matrix of the tile. */
template <typename real, int P, int S, typename team_type>
static __device__ void store_results(team_type team, const geev_job &job, int64_t b, int live, const real *tile,
                                     const qr_state<real, P, S> &q, real unscale)
{
    constexpr int G = team_type::matrices;
    int const n = q.n;
    const geev_problem &p = job.p;
    bool const mine = team.r == 0 && team.g < live;
    if (mine && p.info) p.info[b + team.g] = q.info;
    if (mine && q.info > 0) job.failed[atomicAdd(&job.queue->failed, 1ull)] = b + team.g;
    if (mine && p.value) {
        real measure = 0;
        for (int k = 0; k < n; ++k)
            measure = geev_measure(p.measure, measure, tile[place_of(n, k, k) * G + team.g] * unscale,
                                   imaginary(tile + team.g, G, n, k) * unscale, k == 0);
        ((real *)p.value)[b + team.g] = q.info == 0 ? measure : (real)NAN;
    }
    if (!p.w) return;
    for (int f = team.thread; f < live * n; f += team_type::threads) {
        int const t = f / n, k = f - t * n;
        const geev_record &record = job.records[b - job.first + t];
        real const factor = record.info == 0 ? (real)record.unscale : (real)NAN;
        geev_put(p, b + t, k, tile[place_of(n, k, k) * G + t] * factor, imaginary(tile + t, G, n, k) * factor);
    }
}

template <typename real, int P, int S, bool multiple>
static __global__ void __launch_bounds__(multiple ? 32 * P : 128) qr_kernel(geev_job job)
{
    using team_type = tile_team<P, multiple>;
    constexpr int G = team_type::matrices;
    extern __shared__ double shared[];
    __shared__ unsigned long long block_turn;
    int const n = (int)job.p.n, entries = n * (n + 1) / 2 + n - 1;
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
        qr_state<real, P, S> q;
        geev_record record = {1, 0, -1, 0};
        if (team.g < live) record = job.records[first + team.g];
        q.n = n, q.lo = record.lo, q.hi = record.hi, q.info = record.info;
        q.i = q.hi, q.l = q.lo, q.steps = 0, q.k = q.m = q.at = 0;
        q.live = 0, q.small = 0, q.unknown = true, q.size = 0;
        q.v0 = q.v1 = q.v2 = q.b00 = q.b01 = q.b10 = q.b11 = q.b20 = q.b21 = 0;
        q.phase = q.info == 0 && q.lo <= q.hi ? QR_WAITS : QR_DONE;
#pragma unroll
        for (int s = 0; s < S; ++s) q.x0[s] = q.x1[s] = 0, q.place[s] = 0;
        team.sync(); /* the tile is loaded */
        iterate(team, q, qr_entries<real, G>{tile + team.g}, job.eager);
        team.sync();
        store_results(team, job, job.first + first, live, tile, q, (real)record.unscale);
        team.sync(); /* results are read before the next tile comes */
    }
}

/* ---------------------------------------------------------------- launcher */

template <typename real, int P, int S, bool multiple>
static eig_status launch_qr(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    using team_type = tile_team<P, multiple>;
    int const n = (int)job.p.n;
    size_t const bytes = (size_t)geev_packed(n) * team_type::matrices * sizeof(real);
    int const teams = multiple || bytes > 8192 ? 1 : 4;
    size_t const total = teams * bytes + (multiple ? P * 32 * sizeof(int) : 0);
    int const threads = teams * team_type::threads;
    CUDA_TRY(
        cudaFuncSetAttribute(qr_kernel<real, P, S, multiple>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)total));
    int each = 0;
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, qr_kernel<real, P, S, multiple>, threads, total));
    int64_t const tiles = (job.count + team_type::matrices - 1) / team_type::matrices;
    int64_t const want = (tiles + teams - 1) / teams;
    int64_t const most = (int64_t)(each > 0 ? each : 1) * cuda_state_of(ctx)->multiprocessors;
    qr_kernel<real, P, S, multiple><<<(int)(want < most ? want : most), threads, total, stream>>>(job);
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
        return n <= 16 ? launch_qr<real, 2, 8, multiple>(ctx, job, stream)
                       : launch_qr<real, 2, 16, multiple>(ctx, job, stream);
    case 4:
        return n <= 16   ? launch_qr<real, 4, 4, multiple>(ctx, job, stream)
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
