/* geev on CUDA, kernel 2, what happens between two sweeps: teams of a tile, the state of a matrix, deflation, shifts
 * and the first row of the next sweep.  geev_qr.cuh tells the whole. */
#ifndef EIG_GEEV_QR_STATE_CUH
#define EIG_GEEV_QR_STATE_CUH

#include "geev_cuda.cuh"

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
template <typename real, int P, int S, int N> struct qr_state {
    using row_set = typename std::conditional<P * S <= 32, unsigned, unsigned long long>::type;
    int n, lo, hi;
    /* The order that the entries are packed for: a constant N >= n, or n itself. */
    __device__ __forceinline__ int order() const
    {
        return N > 0 ? N : n;
    }
    int i, l, steps, info;
    qr_phase phase;
    /* Subdiagonal entries h[k][k-1] that the last sweep made small enough to be looked at; unknown: look at all. */
    row_set small;
    bool unknown;
    /* the chase: the sweep's first row, and a multiple of the first column of (H - s1)(H - s2) there */
    int m;
    real first0, first1, first2;
    real v0, v1, v2;                   /* becomes a multiple of the first unit vector */
    real size;                         /* |h[k-1][k-1]| */
    real b00, b01, b10, b11, b20, b21; /* rows k..k+2 of columns k and k+1, as far as not loaded later */
    real x0[S], x1[S];                 /* slots: entries (q, k), (q, k+1) of a row; (k, q), (k+1, q) of a column */
    int place[S];                      /* of x0 */
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
template <typename real, int G, int P, int S, int N>
static __device__ __forceinline__ bool negligible(const qr_state<real, P, S, N> &q, qr_entries<real, G> h, int k)
{
    int const n = q.order(), at = place_of(n, k, k), above = at - (n - k + 2);
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
template <typename real, int G, int P, int S, int N>
static __device__ __forceinline__ int find_negligible(const qr_state<real, P, S, N> &q, qr_entries<real, G> h, int rank)
{
    if (q.unknown) {
        for (int k = q.i - rank; k > q.l; k -= P)
            if (negligible(q, h, k)) return k;
        return -1;
    }
    typename qr_state<real, P, S, N>::row_set rows = q.small;
    while (rows) {
        int const k = sizeof rows == 4 ? 31 - __clz((int)rows) : 63 - __clzll((long long)rows);
        rows ^= (typename qr_state<real, P, S, N>::row_set)1 << k;
        if (k > q.i) continue;
        if (k <= q.l) return -1;
        if (negligible(q, h, k)) return k;
    }
    return -1;
}

/* Lets every waiting matrix of the tile deflate what it can, until it has a window of order 3 or more, or is done.
 * Returns whether this thread's matrix was waiting and now begins a sweep. */
template <typename real, int P, int S, int N, typename team_type>
static __device__ __forceinline__ bool deflate(team_type team, qr_state<real, P, S, N> &q,
                                               qr_entries<real, team_type::matrices> h)
{
    int const n = q.order(), most = 30 * (q.n > 10 ? q.n : 10);
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
template <typename real, int P, int S, int N, typename team_type>
static __device__ __forceinline__ void begin_sweep(team_type team, qr_state<real, P, S, N> &q,
                                                   qr_entries<real, team_type::matrices> h, bool begins)
{
    int const n = q.order();
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
    q.m = found > q.l ? found : q.l;
    int const at = place_of(n, q.m, q.m), below = at + n - q.m + 1;
    francis_first_column(h[at], h[at + 1], h[below - 1], h[below], h[below + n - q.m - 1], re1, re2, im, &q.first0,
                         &q.first1, &q.first2);
    /* Row m's own subdiagonal entry and those above it stay; of them only this one's neighbour changes. */
    q.small = q.m > q.l ? (typename qr_state<real, P, S, N>::row_set)1 << q.m : 0;
}

/* Loads the bulge's block at row k and the slots. */
template <typename real, int P, int S, int N, typename team_type>
static __device__ __forceinline__ void load_slots(team_type team, qr_state<real, P, S, N> &q,
                                                  qr_entries<real, team_type::matrices> h, int k, int last)
{
    int const n = q.order(), at = place_of(n, k, k), below = at + n - k + 1;
    q.b00 = h[at], q.b01 = h[at + 1], q.b10 = h[below - 1], q.b11 = h[below];
    q.b20 = 0, q.b21 = h[below + n - k - 1];
    q.size = 0;
    q.v0 = q.v1 = q.v2 = 0;
#pragma unroll
    for (int s = 0; s < S; ++s) {
        int const index = s * P + team.r;
        q.place[s] = (index >= k ? place_of(n, k, index) : place_of(n, index, k)) * team_type::matrices;
        if ((N == 0 && index > last) || (index >= k && index <= k + 2)) continue;
        q.x0[s] = h.base[q.place[s]];
        q.x1[s] = h.base[q.place[s] + (index > k ? n - k : 1) * team_type::matrices];
    }
}

#endif
