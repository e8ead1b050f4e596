/* geev on CUDA, kernel 2, between two sweeps: teams of a tile, the state of a matrix, deflation, shifts and the first
 * row of the next sweep.  geev_qr.cu has the overview. */
#ifndef EIG_GEEV_QR_STATE_CUH
#define EIG_GEEV_QR_STATE_CUH

#include "geev/geev_reflector.cuh"

#include <type_traits>

/* The threads that share a tile, and this thread's place: matrix g of the tile, thread r of its team. */
template <int P, bool multiple> struct tile_team {
    static constexpr int size = P, matrices = multiple ? 32 : 32 / P, threads = multiple ? 32 * P : 32;
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
    /* The union of the team's sets, and the largest x of the team.  All threads of the tile call them. */
    __device__ __forceinline__ unsigned unite(unsigned x) const
    {
        if (!multiple) {
#pragma unroll
            for (int d = matrices; d < 32; d *= 2) x |= __shfl_xor_sync(0xffffffffu, x, d);
            return x;
        }
        exchange[r * 32 + g] = (int)x;
        __syncthreads();
        for (int other = 0; other < P; ++other) x |= (unsigned)exchange[other * 32 + g];
        __syncthreads(); /* all have read */
        return x;
    }
    __device__ __forceinline__ unsigned long long unite(unsigned long long x) const
    {
        unsigned const upper = unite((unsigned)(x >> 32));
        return (unsigned long long)upper << 32 | unite((unsigned)x);
    }
    __device__ __forceinline__ int max(int x) const
    {
        if (!multiple) {
#pragma unroll
            for (int d = matrices; d < 32; d *= 2) {
                int const other = __shfl_xor_sync(0xffffffffu, x, d);
                x = x > other ? x : other;
            }
            return x;
        }
        exchange[r * 32 + g] = x;
        __syncthreads();
        for (int other = 0; other < P; ++other) x = x > exchange[other * 32 + g] ? x : exchange[other * 32 + g];
        __syncthreads(); /* all have read */
        return x;
    }
};

/* All of a block's dynamic shared memory. */
extern __shared__ __align__(16) char qr_memory[];

/* The entries of a thread's matrix in its tile.  Offsets are in bytes of shared memory; the places of a matrix lie
 * `unit` apart. */
template <typename real, int G> struct qr_entries {
    static constexpr int unit = G * (int)sizeof(real);
    int base; /* offset of entry (0, 0) */
    __device__ __forceinline__ real &at(int offset) const
    {
        return *(real *)(qr_memory + offset);
    }
    __device__ __forceinline__ real &operator[](int place) const
    {
        return at(base + place * unit);
    }
};

/* The state of a matrix.  Every thread of the team holds the same values, except for its slots. */
template <typename real, int P, int S> struct qr_state {
    using row_set = typename std::conditional<P * S <= 32, unsigned, unsigned long long>::type;
    int n;
    int lo, hi; /* triangular outside these rows */
    int l, i;   /* the window: rows that the iteration works on */
    int m;      /* the first row of its sweep */
    int steps, info;
    int most_steps;
    bool waits; /* not done */
    /* Subdiagonal entries h[k][k-1] that are small beside the matrix's largest entry (qr_flags): no other entry can be
     * negligible.  Entries are compared by their upper words. */
    row_set small;
    int small_word;
    real first0, first1, first2;       /* a multiple of the first column of (H - s1)(H - s2), rows m.. */
    real v0, v1, v2;                   /* becomes a multiple of the first unit vector */
    real b00, b01, b10, b11, b20, b21; /* rows k..k+2 of columns k and k+1 */
    real x0[S], x1[S];                 /* slots: entries (q, k), (q, k+1) of a row; (k, q), (k+1, q) of a column */
    int row[S];                        /* offset of the origin of row q's columns */
};

template <typename real> struct qr_flags;
template <> struct qr_flags<double> {
    static constexpr int step = 24 << 20; /* 2^-24 in an upper word */
};
template <> struct qr_flags<float> {
    static constexpr int step = 12 << 23; /* 2^-12 */
};

static __device__ __forceinline__ int top_bit(unsigned set)
{
    return 31 - __clz((int)set);
}

static __device__ __forceinline__ int top_bit(unsigned long long set)
{
    return 63 - __clzll((long long)set);
}

/* Rows first..last, 0 <= first; empty where last < first. */
template <typename row_set> static __device__ __forceinline__ row_set rows_between(int first, int last)
{
    constexpr int bits = 8 * sizeof(row_set);
    return last < first ? (row_set)0 : (~(row_set)0 >> (bits - 1 - last)) & (~(row_set)0 << first);
}

/* ------------------------------------------------------------- deflation */

/* Whether h[k][k-1] is negligible. */
template <typename state, typename real, int G>
static __device__ __forceinline__ bool negligible(const state &q, qr_entries<real, G> h, int k)
{
    int const n = q.n, at = place_of(n, k, k), above = at - (n - k + 2);
    real const sub = h[at - 1], upper = h[above], lower = h[at];
    real const tiny = real_limits<real>::safmin * ((real)(q.hi - q.lo + 1) / real_limits<real>::eps);
    real beside = 0;
    if (upper == 0 && lower == 0) {
        if (k - 2 >= q.lo) beside = fabs(h[above - 1]);
        if (k < q.i) beside += fabs(h[at + n - k]); /* below row i stands a zero */
    }
    return francis_may_deflate(sub, upper, lower, beside, tiny) &&
           francis_deflates(sub, h[above + 1], upper, lower, beside, tiny);
}

/* Rows r, r + P, ..., which thread r of a team tests. */
template <typename row_set, int P> static __device__ __forceinline__ row_set rows_of_thread(int r)
{
    row_set rows = 0;
#pragma unroll
    for (int k = 0; k < 8 * (int)sizeof(row_set); k += P) rows |= (row_set)1 << k;
    return rows << r;
}

/* The rows k of this set with a negligible h[k][k-1]. */
template <typename state, typename real, int G>
static __device__ __forceinline__ typename state::row_set negligible_rows(const state &q, qr_entries<real, G> h,
                                                                          typename state::row_set rows)
{
    using row_set = typename state::row_set;
    row_set found = 0;
    while (rows) {
        int const k = top_bit(rows);
        rows ^= (row_set)1 << k;
        if (negligible(q, h, k)) found |= (row_set)1 << k;
    }
    return found;
}

/* What comes next for a matrix. */
enum qr_next { QR_LOOKS_AGAIN, QR_SWEEPS, QR_IS_DONE };

/* Splits the window at its last negligible subdiagonal entry, which is in row top (l: there is none).  A block of order
 * 1 or 2 stays as it is. */
template <typename state> static __device__ __forceinline__ qr_next split_at(state &q, int top)
{
    if (top >= q.i - 1) {
        if (top == q.l) q.l = q.lo;
        q.i = top - 1, q.steps = 0;
        return q.i >= q.lo ? QR_LOOKS_AGAIN : QR_IS_DONE;
    }
    if (q.steps == q.most_steps) {
        q.info = q.i + 1;
        return QR_IS_DONE;
    }
    ++q.steps, q.l = top;
    return QR_SWEEPS;
}

/* Splits at the last of these rows, found negligible, until a window of order 3 or more is left, or one whose rows are
 * yet to be tested, or none.  Returns whether the matrix is to be looked at again. */
template <typename state> static __device__ __forceinline__ bool split_all(state &q, typename state::row_set found)
{
    for (;;) {
        int const l = q.l;
        typename state::row_set const rows = found & rows_between<typename state::row_set>(l + 1, q.i);
        qr_next const next = split_at(q, rows ? top_bit(rows) : l);
        q.waits = next != QR_IS_DONE;
        if (next != QR_LOOKS_AGAIN) return false;
        if (!rows) return true;
    }
}

/* Sets these subdiagonal entries, h[k][k-1], to zero. */
template <typename row_set, typename real, int G>
static __device__ __forceinline__ void clear_rows(qr_entries<real, G> h, int n, row_set rows)
{
    while (rows) {
        int const k = top_bit(rows);
        rows ^= (row_set)1 << k;
        h[place_of(n, k, k) - 1] = 0;
    }
}

/* Deflates every matrix of the tile until it has a window of order 3 or more, or is done.  The threads of a team share
 * out the flagged rows of the window.  Returns whether this thread's matrix now begins a sweep. */
template <typename real, int P, int S, typename team_type>
static __device__ __forceinline__ bool deflate(team_type team, qr_state<real, P, S> &q,
                                               qr_entries<real, team_type::matrices> h)
{
    using row_set = typename qr_state<real, P, S>::row_set;
    row_set const own = rows_of_thread<row_set, P>(team.r);
    bool looks = q.waits;
    while (__any_sync(0xffffffffu, looks)) {
        row_set const window = looks ? rows_between<row_set>(q.l + 1, q.i) : (row_set)0;
        row_set mine = negligible_rows(q, h, q.small & own & window);
        row_set const found = team.unite(mine);
        team.sync(); /* all of the team have read */
        clear_rows(h, q.n, mine);
        if (looks) looks = split_all(q, found);
        team.sync();
    }
    return q.waits;
}

/* ------------------------------------------------------ beginning a sweep */

/* Whether the sweep may start at row m: the two subdiagonal entries around it are small enough. */
template <typename real, int G>
static __device__ __forceinline__ bool may_start(qr_entries<real, G> h, int n, int m, real re1, real re2, real im)
{
    int const at = place_of(n, m, m), below = at + n - m + 1;
    real const h00 = h[at], h01 = h[at + 1], h10 = h[below - 1], h11 = h[below], h21 = h[below + n - m - 1];
    real const sub = fabs(h[at - 1]), around = fabs(h[at - (n - m + 2)]) + fabs(h00) + fabs(h11);
    /* First a test without divisions, by a bound on |v0| from above and on |v1| + |v2| from below: it nearly always
     * says no.  Where it overflows it says yes or, from 0*inf, no: a start at l is always good. */
    real const eps = real_limits<real>::eps, size = fabs(h00 - re2) + fabs(im) + fabs(h10);
    real const v0_most = fma(fabs(h10), fabs(h01), (fabs(h00 - re1) + fabs(im)) * size);
    if (!(sub * (fabs(h10) * fabs(h21)) <= 2 * eps * v0_most * around)) return false;
    real v0, v1, v2;
    francis_first_column(h00, h01, h10, h11, h21, re1, re2, im, &v0, &v1, &v2);
    real const sum = fabs(v0) + fabs(v1) + fabs(v2), safe = sum > 0 ? sum : 1;
    return sub * (fabs(v1 / safe) + fabs(v2 / safe)) <= eps * fabs(v0 / safe) * around;
}

/* The shifts of a sweep. */
template <typename state, typename real, int G>
static __device__ __forceinline__ void choose_shifts(const state &q, qr_entries<real, G> h, real *re1, real *re2,
                                                     real *im)
{
    int const n = q.n, at = place_of(n, q.i, q.i), above = at - (n - q.i + 2);
    real h11 = h[above], h12 = h[above + 1], h21 = h[at - 1], h22 = h[at];
    francis_step const kind = francis_step_of(q.steps);
    if (kind == FRANCIS_AT_BOTTOM) {
        francis_exceptional(h22, h21, h[above - 1], &h11, &h12, &h21, &h22);
    } else if (kind == FRANCIS_AT_TOP) {
        int const first = place_of(n, q.l, q.l), second = first + n - q.l;
        francis_exceptional(h[first], h[second], h[second + n - q.l], &h11, &h12, &h21, &h22);
    }
    fast_shifts(h11, h12, h21, h22, re1, re2, im);
}

/* Shifts and first row of the next sweep, for threads whose matrix begins a sweep.  The product of a row's subdiagonal
 * entry and the next must be negligible, so rows between l and i-2 are tried only where both are flagged.  Row l is
 * always a right start. */
template <typename state, typename real, int G>
static __device__ __forceinline__ void begin_sweep(state &q, qr_entries<real, G> h)
{
    using row_set = typename state::row_set;
    int const n = q.n;
    real re1, re2, im;
    choose_shifts(q, h, &re1, &re2, &im);
    row_set tried = q.small & q.small >> 1 & rows_between<row_set>(q.l + 1, q.i - 2);
    q.m = q.l;
    while (tried) {
        int const m = top_bit(tried);
        tried ^= (row_set)1 << m;
        if (may_start(h, n, m, re1, re2, im)) q.m = m, tried = 0;
    }
    int const at = place_of(n, q.m, q.m), below = at + n - q.m + 1;
    francis_first_column(h[at], h[at + 1], h[below - 1], h[below], h[below + n - q.m - 1], re1, re2, im, &q.first0,
                         &q.first1, &q.first2);
    /* The sweep makes the entries below row m anew. */
    q.small &= ~rows_between<row_set>(q.m + 1, q.i);
}

#endif
