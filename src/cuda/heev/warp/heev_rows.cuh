/* heev on CUDA: rows of Z, the product of the rotations that QL noted (heev_ql.cu), a lane a row; for A's vectors
 * (heev_vectors.cu), and for those of T alone (stemr/stemr_batch.cu). */
#ifndef EIG_HEEV_ROWS_CUH
#define EIG_HEEV_ROWS_CUH

#include "heev/warp/heev_ql.cuh"
#include "primitives/team.cuh"

/* Sweeps whose notes are fetched and made rotations together, so that their chains run side by side. */
enum { ROTATE_SWEEPS = 4 };

/* Row `rank` of Z: the product of all rotations that QL noted.  space: [ROTATE_SWEEPS * L] pairs
 * in shared memory, no more than rows of N + 1 numbers. */
template <typename real, int N, int L>
static __device__ __forceinline__ void rotate_row(const heev_job &job, int64_t m, bool live, const lane_team<L> &team,
                                                  pair_of<real> *space, real *z)
{
    static_assert(ROTATE_SWEEPS * 2 * L <= N * (N + 1), "a matrix has too little room");
    /* Rotations that are done or left out together. Those outside of a sweep change nothing. */
    constexpr int group = 4;
    const ql_note<real> *rotations = (const ql_note<real> *)job.rotations + m * job.most_rotations;
    const uint16_t *const sweeps = job.sweeps + m * job.most_sweeps;
    int const rank = team.rank, own = live ? max(job.sweep_count[m], 0) : 0, count = warp_max(own);
    int windows = 0; /* of sweeps k - k % L + rank */
    auto const window = [&](int k) { return __shfl_sync(0xffffffffu, windows, k % L, L); };
#pragma unroll 1
    for (int k = 0; k < count; k += ROTATE_SWEEPS) {
        if (k % L == 0) windows = k + rank < own ? sweeps[k + rank] : 0;
        ql_note<real> note[ROTATE_SWEEPS] = {}; /* of rotation (rank, rank+1) */
        bool in[ROTATE_SWEEPS];
#pragma unroll
        for (int j = 0; j < ROTATE_SWEEPS; ++j) {
            int const sweep = window(k + j);
            in[j] = rank >= (sweep & 255) && rank < sweep >> 8;
            if (in[j]) note[j] = rotations[(sweep >> 8) - 1 - rank];
            rotations += notes_of(sweep);
        }
        __syncwarp(); /* all have read the sweeps before */
#pragma unroll
        for (int j = 0; j < ROTATE_SWEEPS; ++j) {
            pair_of<real> one = ql_half_angle_of(note[j]);
            if (!in[j]) one.x = one.y = 0;
            space[j * L + rank] = one;
        }
        __syncwarp(); /* these sweeps are there */
#pragma unroll 1
        for (int j = 0; j < ROTATE_SWEEPS; ++j) {
            int const now = window(k + j);
            int const lo = L == 32 ? now & 255 : warp_min((now & 255) < now >> 8 ? now & 255 : N);
            int const hi = L == 32 ? now >> 8 : warp_max(now >> 8);
            const pair_of<real> *const here = space + j * L;
#pragma unroll
            for (int top = N - 2; top >= 0; top -= group) {
                if (lo > top) break;
                if (hi <= top - group + 1) continue;
#pragma unroll
                for (int i = top; i >= 0 && i > top - group; --i) ql_rotate_by_half_angle(here[i], z[i], z[i + 1]);
            }
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
