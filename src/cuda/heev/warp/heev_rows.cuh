/* heev on CUDA: rows of Z, the product of the rotations that QL noted (heev_ql.cu), a lane a row; for A's vectors
 * (heev_vectors.cu), and for those of T alone (stemr/stemr_batch.cu). */
#ifndef EIG_HEEV_ROWS_CUH
#define EIG_HEEV_ROWS_CUH

#include "heev/warp/heev_ql.cuh"
#include "words/team.cuh"

/* Row `rank` of Z: the product of all rotations that QL noted.  space: [lanes + 1] pairs in shared memory. */
template <typename real, int N, int L>
static __device__ __forceinline__ void rotate_row(const heev_job &job, int64_t m, bool live, const lane_team<L> &team,
                                                  pair_of<real> *space, real *z)
{
    /* Rotations that are done or left out together. Those outside of a sweep change nothing. */
    constexpr int group = sizeof(real) == 4 ? 4 : 2;
    const ql_note<real> *rotations = (const ql_note<real> *)job.rotations + m * job.most_rotations;
    const uint16_t *const sweeps = job.sweeps + m * job.most_sweeps;
    int const rank = team.rank, own = live ? max(job.sweep_count[m], 0) : 0, count = warp_max(own);
    auto const window = [=](int sweep) { return sweep < own ? (int)sweeps[sweep] : 0; };
    auto const in = [=](int sweep) { return rank >= (sweep & 255) && rank < sweep >> 8; };
    /* The note of rotation (rank, rank+1) of a sweep. */
    auto const fetch = [&](int sweep) {
        ql_note<real> one = {};
        if (in(sweep)) one = rotations[(sweep >> 8) - 1 - rank];
        rotations += notes_of(sweep);
        return one;
    };
    int now = window(0), next = window(1), after = window(2);
    ql_note<real> mine = fetch(now), ahead = fetch(next); /* fetched two sweeps ahead */
#pragma unroll 1
    for (int k = 0; k < count; ++k) {
        int const lo = L == 32 ? now & 255 : warp_min((now & 255) < now >> 8 ? now & 255 : N);
        int const hi = L == 32 ? now >> 8 : warp_max(now >> 8);
        pair_of<real> one = ql_half_angle_of(mine);
        if (!in(now)) one.x = one.y = 0;
        __syncwarp(); /* all have read the last sweep's */
        space[rank] = one;
        __syncwarp(); /* this sweep's are there */
        now = next, next = after, after = window(k + 3);
        mine = ahead, ahead = fetch(next);
#pragma unroll
        for (int top = N - 2; top >= 0; top -= group) {
            if (lo > top || hi <= top - group + 1) continue;
#pragma unroll
            for (int i = top; i >= 0 && i > top - group; --i) ql_rotate_by_half_angle(space[i], z[i], z[i + 1]);
        }
    }
    __syncwarp(); /* space is free */
}

/* The rows of Z of a matrix whose rotations had no room. The first lane iterates anew; all lanes apply each sweep to
 * their rows, which begin as rotate_row leaves them without rotations. de: [2 N + 2], space: [lanes], rows at
 * transposed + rank*(N + 1), in shared memory. All threads of the warp call it. */
template <typename real, int N, int L>
static __device__ __noinline__ void rotate_slowly(const real *from_d, const real *from_e, int n, int max_sweeps,
                                                  bool works, lane_team<L> team, ql_note<real> *space, real *de,
                                                  real *transposed)
{
    int const rank = team.rank;
    real *const d = de + 2, *const z = transposed + rank * (N + 1);
    ql_state<real, 2> state;
    state.start(n);
    if (works && rank < n) {
        bool const over = ql_reverses(n, from_d, from_e);
        d[2 * ql_row(over, n, rank)] = from_d[rank], d[2 * ql_beside(over, n, rank) + 1] = from_e[rank];
    }
    __syncwarp(); /* T is there */
    if (works && rank == 0) state.mark_splits(d);
    for (;;) {
        int window = 0; /* lo + 256 hi; 0: none */
        if (works && rank == 0) window = state.template step<true>(max_sweeps, d, space, N);
        window = __shfl_sync(team.all, window, 0, L);
        if (!__any_sync(team.all, window > 0)) break;
        int const lo = window & 255, hi = window >> 8;
        __syncwarp(); /* the rotations are there */
        for (int i = hi - 1; i >= lo && rank < N; --i)
            ql_rotate_by_half_angle(ql_half_angle_of(space[hi - 1 - i]), z[i], z[i + 1]);
        __syncwarp(); /* they are applied */
    }
}

#endif
