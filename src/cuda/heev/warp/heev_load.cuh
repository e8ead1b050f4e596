/* heev on CUDA: a matrix from the caller's arrays into shared memory, and vectors back, by a team of lanes. */
#ifndef EIG_HEEV_LOAD_CUH
#define EIG_HEEV_LOAD_CUH

#include "heev/heev_cuda.cuh"
#include "heev/heev_entry.cuh"
#include "primitives/team.cuh"

/* 16 bytes of numbers. */
template <typename number> struct alignas(16) heev_pack {
    number x[16 / sizeof(number)];
};

/* What order N takes.  blocks: on a multiprocessor, by the registers of a row. */
template <typename number, int N> struct heev_shape {
    static constexpr int lanes = N <= 8 ? 8 : N <= 16 ? 16 : 32, threads = 128, teams = threads / lanes;
    static constexpr int pitch = N + 1, together = 16 / sizeof(number);
    static constexpr int words = N * (int)sizeof(number) / 4, blocks = words >= 96   ? 3
                                                                       : words >= 64 ? 4
                                                                       : words >= 40 ? 5
                                                                       : words >= 32 ? 6
                                                                       : words >= 16 ? 10
                                                                                     : 12;
    /* A team's place in shared memory: the matrix, then two vectors; an odd number of 16 bytes, so that teams of a warp
     * use different banks. */
    static constexpr int tile = (N * pitch + 3) / 4 * 4, needed = tile + 2 * lanes;
    static constexpr int place = needed + (needed / together % 2 == 0 ? together : 0);
};

/* The blocks that a multiprocessor is to hold.  Turing's holds 1024 threads at most, and ptxas ignores, with a warning,
 * a number that asks for more. */
template <typename shape> constexpr int resident_blocks()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
    return shape::blocks * shape::threads > 1024 ? 1024 / shape::threads : shape::blocks;
#else
    return shape::blocks;
#endif
}

/* Loads matrix b, both triangles of it, by L lanes: element (i, j) goes to tile[i*pitch + j].  Returns its largest
 * part; NaN where it holds what is not finite.  Lanes go along the direction in which neighbours lie closer. */
template <typename number, int N, int L>
static __device__ __forceinline__ typename number::real heev_load(const heev_job &job, int64_t b, bool live,
                                                                  const lane_team<L> &team, int pitch, number *tile)
{
    using real = typename number::real;
    const heev_problem &p = job.p;
    batch_strides const s = job.at_a;
    int const n = (int)p.n, rank = team.rank;
    bool const rows = s.j < s.i;
    const number *const a = (const number *)p.a + (b * s.b + rank * (rows ? s.j : s.i));
    int64_t const across = rows ? s.i : s.j;
    number x[N];
#pragma unroll
    for (int c = 0; c < N; ++c) {
        bool const lower = rows ? rank <= c : rank >= c;
        set(x[c], (real)0, (real)0);
        if (live && c < n && rank < n && (rank == c || lower != p.upper)) x[c] = load_number(a + c * across);
    }
    real big = 0;
    bool finite = true;
#pragma unroll
    for (int c = 0; c < N; ++c) {
        bool const lower = rows ? rank <= c : rank >= c;
        int const i = rows ? c : rank, j = rows ? rank : c;
        if (rank == c) set(x[c], x[c].re, (real)0);
        real const size = larger_part(x[c]);
        real const most = real_limits<real>::largest;
        finite = finite && fabs(x[c].re) <= most && fabs(imaginary(x[c])) <= most;
        big = fmax(big, size);
        if (c >= n || rank >= n || (rank != c && lower == p.upper)) continue;
        number const below = lower_of(x[c], p.upper);
        tile[max(i, j) * pitch + min(i, j)] = below, tile[min(i, j) * pitch + max(i, j)] = conj(below);
    }
    big = team.max(big);
    return team.any(!finite) ? (real)NAN : big;
}

/* Stores the n x n matrix whose element (i, j) is get(i, j) into v, matrix b. */
template <typename number, int N, int L, typename function>
static __device__ __forceinline__ void heev_store(const heev_job &job, int64_t b, const lane_team<L> &team,
                                                  function get)
{
    batch_strides const s = job.at_v;
    int const n = (int)job.p.n, rank = team.rank;
    bool const rows = s.j < s.i;
    number *const v = (number *)job.p.v + (b * s.b + rank * (rows ? s.j : s.i));
    int64_t const across = rows ? s.i : s.j;
#pragma unroll 8
    for (int c = 0; c < N; ++c)
        if (c < n && rank < n) store_number(v + c * across, rows ? get(c, rank) : get(rank, c));
}

#endif
