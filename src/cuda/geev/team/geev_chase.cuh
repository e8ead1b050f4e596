/* geev on CUDA, kernel 2: one sweep of a tile, the bulge chased from row `begin` to row `end`.
 *
 * Slots    thread r of a team owns the indices q = r, r + P, ..., its slots.  A slot is a row of the matrix while it is
 *          above the bulge, and a column while it is to the right of the bulge.  The thread keeps in registers the two
 *          entries of a slot that the next reflector needs again: a step loads an entry, computes three, stores one.
 * Bulge    every thread of the team holds the 3 x 3 block that contains the bulge, and computes the next reflector from
 *          it.  Index k leaves the block as a row; index k+3 enters it.
 * Runs     the steps that begin in slots B and B+1 share their code.  In it the slots below B are rows, and those well
 *          above B+1 are columns: a load, five multiply-adds and a store each.  Runs of a single slot would be a little
 *          shorter, but the code of all runs would not fit the instruction cache.
 * Branches  there is no branch between the chain of operations that makes the next reflector and the operations of the
 *          slots, so that these fill the waiting times of the chain.  Slots beyond the window are computed, and not
 *          stored (n = 30 takes 40 ms; 45 ms with branches around them).
 * Idle     all matrices are at the same row k.  A matrix with nothing to do has a zero reflector, which changes no bit.
 * Reads    go up to two rows below the window, where a zero multiplies whatever is there: tiles end in finite padding.
 */
#ifndef EIG_GEEV_CHASE_CUH
#define EIG_GEEV_CHASE_CUH

#include "geev/geev_reflector.cuh"
#include "geev/team/geev_qr_state.cuh"
#include "primitives/team.cuh"

enum { QR_RUN = 2 }; /* slots of a run */

/* The place of a step; the same in all threads of a team.  Offsets are in bytes. */
struct qr_cursor {
    int k, end;
    int row0, row1, row2; /* origins of the columns of rows k, k+1, k+2 */
    int down;             /* from row k to row k+1 */
    int column;           /* of column k in a row */
};

/* The block from the left and from the right; c: column k+2, sub: h[k+3][k+2].  Returns row k+3 in f. */
template <typename real, int P, int S>
static __device__ __forceinline__ void transform_block(qr_state<real, P, S> &q, const reflector3<real> &t, real (&c)[3],
                                                       real sub, real (&f)[3])
{
    t.apply(q.b00, q.b10, q.b20);
    t.apply(q.b01, q.b11, q.b21);
    t.apply(c[0], c[1], c[2]);
    t.apply(q.b10, q.b11, c[1]);
    t.apply(q.b20, q.b21, c[2]);
    real const dot = -t.u2 * sub;
    f[0] = dot * t.tau, f[1] = dot * t.t1, f[2] = fma(dot, t.t2, sub);
    t.apply(q.b00, q.b01, c[0]);
}

/* A reflector under way, and the new value of the entry above the two that it removes. */
template <typename real> struct next_reflector {
    reflector3<real> t;
    real square, sub;
    bool acts;
};

/* The reflector of step k, from the column left of the block.  begin_reflector has the chain of operations that the
 * next step waits for, without a branch; finish_reflector has what is seldom done, and the store.  The entry at `at` is
 * final unless the sweep begins in row k.  The last entry is stored after the sweep, since until then reads beyond a
 * row's end may meet it. */
template <typename real, int P, int S>
static __device__ __forceinline__ next_reflector<real> begin_reflector(const qr_state<real, P, S> &q, int k)
{
    next_reflector<real> next;
    next.acts = (unsigned)(k - q.m) < (unsigned)(q.i - q.m);
    next.square = fma(q.v2, q.v2, fma(q.v1, q.v1, q.v0 * q.v0));
    next.t = reflector_of(next.acts, q.v0, q.v1, q.v2, next.square, &next.sub);
    return next;
}

template <typename real, int P, int S, typename team_type>
static __device__ __forceinline__ reflector3<real> finish_reflector(team_type team, qr_state<real, P, S> &q,
                                                                    qr_entries<real, team_type::matrices> h, int k,
                                                                    int at, bool stores, next_reflector<real> next)
{
    using row_set = typename qr_state<real, P, S>::row_set;
    bool tiny;
    if (any_tiny(next.acts, next.square, &tiny)) {
        real beta;
        reflector3<real> const t = tiny_reflector(q.v0, q.v1, q.v2, &beta);
        if (tiny) next.t = t, next.sub = beta;
    }
    bool const final = (unsigned)(k - 1 - q.m) < (unsigned)(q.i - q.m); /* rows m+1 to i */
    if (final && stores && team.r == 0) h.at(at) = next.sub;
    if (final && upper_word(next.sub) < q.small_word) q.small |= (row_set)1 << k;
    return next.t;
}

/* A step of the sweep with this reflector; k is in slot B or in its run.  The next reflector is made while the slots go
 * through this reflector. */
template <int B, typename real, int P, int S, typename team_type>
static __device__ __forceinline__ void chase_step(team_type team, qr_state<real, P, S> &q,
                                                  qr_entries<real, team_type::matrices> h, const qr_cursor &c,
                                                  reflector3<real> &reflector)
{
    constexpr int unit = qr_entries<real, team_type::matrices>::unit, across = P * unit;
    constexpr int above = B + QR_RUN < S ? B + QR_RUN : S;                      /* slots from here on are no rows */
    constexpr int entering = above + (P + 2) / P < S ? above + (P + 2) / P : S; /* and none of these is k+3 */
    reflector3<real> const t = reflector;
    int const next = c.column + 2 * unit;
    real column[3] = {h.at(c.row0 + next), h.at(c.row1 + next), h.at(c.row2 + next)};
    real const sub = h.at(c.row2 + next + c.down - 2 * unit);
    int const shift = team.r * unit, col0 = c.row0 + shift, col2 = c.row2 + shift;
    int const away = team.r - c.k; /* of index r from k */
    int here[S];
    real x2[S];
#pragma unroll
    for (int s = 0; s < S; ++s) {
        if (s < B) {
            here[s] = q.row[s] + c.column;
            x2[s] = h.at(here[s] + 2 * unit);
        } else if (s < above) {
            bool const is_column = away + s * P > 0;
            here[s] = is_column ? col0 + s * across : q.row[s] + c.column;
            x2[s] = h.at(is_column ? col2 + s * across : here[s] + 2 * unit);
        } else {
            here[s] = col0 + s * across;
            x2[s] = h.at(col2 + s * across);
        }
    }
    real f[3];
    transform_block(q, t, column, sub, f);
    if ((unsigned)(c.k - q.m) <= (unsigned)(q.i - q.m) && team.r == 0) h.at(c.row0 + c.column) = q.b00;
    real const leaving = q.b01;
    q.v0 = q.b10, q.v1 = q.b20, q.v2 = f[0];
    q.b00 = q.b11, q.b01 = column[1], q.b10 = q.b21, q.b11 = column[2], q.b20 = f[1], q.b21 = f[2];
    next_reflector<real> const after = begin_reflector(q, c.k + 1);
#pragma unroll
    for (int s = 0; s < S; ++s) {
        bool const inside = s * P + team.r <= c.end;
        real x0 = q.x0[s], x1 = q.x1[s];
        t.apply(x0, x1, x2[s]);
        if (s < B)
            h.at(here[s]) = x0;
        else if (s < above ? (unsigned)(away + s * P) > 2u && inside : (s >= entering || away + s * P > 2) && inside)
            h.at(here[s]) = x0;
        if (s >= B && s < entering && away + s * P == 3 && inside) { /* enters the block next */
            h.at(c.row1 + shift + s * across) = x1;
            h.at(col2 + s * across) = x2[s];
        }
        bool const leaves = s >= B && s < above && away + s * P == 0; /* the block, as a row */
        q.x0[s] = leaves ? leaving : x1;
        q.x1[s] = leaves ? column[0] : x2[s];
    }
    reflector = finish_reflector(team, q, h, c.k + 1, c.row1 + c.column, c.k + 1 < c.end, after);
    team.sync();
}

/* The steps from where the cursor stands to before row `stop`, run by run. */
template <int B, typename real, int P, int S, typename team_type>
static __device__ __forceinline__ void chase_from(team_type team, qr_state<real, P, S> &q,
                                                  qr_entries<real, team_type::matrices> h, qr_cursor &c, int stop,
                                                  reflector3<real> &reflector)
{
    constexpr int unit = qr_entries<real, team_type::matrices>::unit;
    int const last = stop < (B + QR_RUN) * P ? stop : (B + QR_RUN) * P;
#pragma unroll 1
    while (c.k < last) {
        chase_step<B>(team, q, h, c, reflector);
        c.row0 = c.row1, c.row1 = c.row2;
        c.row2 += c.down - 2 * unit, c.down -= unit, c.column += unit;
        ++c.k;
    }
    if constexpr (B + QR_RUN < S)
        if (c.k < stop) chase_from<B + QR_RUN>(team, q, h, c, stop, reflector);
}

/* Loads the bulge's block and the slots. */
template <typename real, int P, int S, typename team_type>
static __device__ __forceinline__ void load_slots(team_type team, qr_state<real, P, S> &q,
                                                  qr_entries<real, team_type::matrices> h, const qr_cursor &c)
{
    constexpr int unit = qr_entries<real, team_type::matrices>::unit;
    int const at = c.row0 + c.column, below = c.row1 + c.column;
    q.b00 = h.at(at), q.b01 = h.at(at + unit), q.b10 = h.at(below), q.b11 = h.at(below + unit);
    q.b20 = 0, q.b21 = h.at(c.row2 + c.column + unit);
    q.v0 = q.v1 = q.v2 = 0;
#pragma unroll
    for (int s = 0; s < S; ++s) {
        int const index = s * P + team.r;
        bool const is_row = index < c.k;
        q.x0[s] = q.x1[s] = 0;
        if (s * P > c.end) continue;
        q.x0[s] = h.at(is_row ? q.row[s] + c.column : c.row0 + index * unit);
        q.x1[s] = h.at(is_row ? q.row[s] + c.column + unit : c.row1 + index * unit);
    }
}

/* A sweep of every matrix of the tile that begins one. */
template <typename real, int P, int S, typename team_type>
static __device__ __forceinline__ void sweep(team_type team, qr_state<real, P, S> &q,
                                             qr_entries<real, team_type::matrices> h, bool begins)
{
    constexpr int unit = qr_entries<real, team_type::matrices>::unit;
    if (!begins) q.m = q.i;
    /* Each warp of a block sees the same 32 matrices, and finds the same limits. */
    int const begin = warp_min(begins ? q.m : GEEV_MOST);
    int const end = warp_max(begins ? q.i : 0);
    int const row = h.base + place_of(q.n, begin, 0) * unit, down = (q.n - begin) * unit;
    qr_cursor c = {begin, end, row, row + down, row + 2 * down - unit, down, begin * unit};
    load_slots(team, q, h, c);
    team.sync(); /* all have loaded before the first step stores */
    while (c.k < end) {
        /* Up to the next row where a sweep begins. */
        bool const enters = begins && c.k == q.m;
        if (enters) q.v0 = q.first0, q.v1 = q.first1, q.v2 = q.first2;
        reflector3<real> t = finish_reflector(team, q, h, c.k, c.row0 + c.column - unit, true, begin_reflector(q, c.k));
        if (enters && q.m > q.l && team.r == 0) h.at(c.row0 + c.column - unit) *= 1 - t.tau;
        int const stop = warp_min(begins && q.m > c.k ? q.m : end);
        chase_from<0>(team, q, h, c, stop, t);
    }
    /* Row `end` is still in the block, and the rows' entries in its column are in registers. */
    if (begins && q.i == end && team.r == 0) h.at(c.row0 + c.column - unit) = q.v0, h.at(c.row0 + c.column) = q.b00;
#pragma unroll
    for (int s = 0; s < S; ++s)
        if (s * P + team.r < end) h.at(q.row[s] + c.column) = q.x0[s];
    team.sync();
}

#endif
