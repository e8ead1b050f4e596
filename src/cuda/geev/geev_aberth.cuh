/* Eigenvalues of a real upper Hessenberg matrix in double, all at a time, by one or several thread blocks: Aberth's iteration.
 *
 * Formula    z_k := z_k - N / (1 - N S), N = r(z_k) / r'(z_k) (geev_hyman.cuh), S = sum of 1 / (z_k - z_j) over j != k: Newton's step
 *            for a polynomial from which the other roots are divided (Ehrlich, Commun. ACM 10, 1967; Aberth, Math. Comp. 27, 1973;
 *            for tridiagonal matrices Bini, Gemignani and Tisseur, SIAM J. Matrix Anal. Appl. 27, 2005).
 * Start      divide and conquer: eigenvalues of diagonal blocks of 16 rows, of 32, 64, ..., each from those of its parts, moved
 *            apart a little.  Smaller blocks are solved roughly.
 * End        of a root: |r| is what rounding leaves, 4 eps ||H||_F ||x||, or it is small and falls no more.
 * Proof      a polynomial of degree m has a root within m |N| of any z.  The results count where these m discs, widened by the
 *            rounding errors, are disjoint: then each holds exactly one eigenvalue, and a disc that its mirror image alone meets
 *            holds a real one.  Otherwise, and where steps do not end, the caller's QR takes the matrix.
 *            So do those whose sum or sum of squares is not that of the traces of H and H^2 within m eps of the norms: QR's are.
 * Bits       depend on H alone, not on the number of blocks: all roots step together. */
#ifndef EIG_GEEV_ABERTH_CUH
#define EIG_GEEV_ABERTH_CUH

#include "geev_cuda.cuh"
#include "geev_hyman.cuh"
#include "words/fast.cuh"

enum {
    ABERTH_LEAST = 17, /* rows from which on it is worth it */
    ABERTH_ROUGH = 8,  /* steps of a smaller block, at most */
    ABERTH_EARLY = 14, /* the last step at which more than half of the roots may be on their way */
    ABERTH_STEPS = 30, /* steps of the whole, at most */
    ABERTH_ON_ITS_WAY = 0,
    ABERTH_DONE = 1,
    ABERTH_LOST = 2
};

/* What all blocks of a matrix share, in global memory. */
struct aberth_area {
    hyman_matrix g;
    hyman_complex *next[2]; /* [m] */
    double *radius, *past;  /* [m]: of the disc; the residual of the step before */
    int *state[2];          /* [m] */
};

/* base: aligned to 16 bytes. */
static __device__ __forceinline__ aberth_area aberth_place(double *base, int m)
{
    aberth_area w;
    w.g = {base, NULL, m, hyman_blocks(m)};
    w.next[0] = (hyman_complex *)hyman_tile(w.g, w.g.blocks, 0), w.next[1] = w.next[0] + m;
    w.radius = (double *)(w.next[1] + m), w.past = w.radius + m;
    w.g.lift = w.past + m;
    w.state[0] = (int *)(w.g.lift + w.g.blocks * HYMAN_ROWS), w.state[1] = w.state[0] + m;
    return w;
}

/* Shared memory of a block, in bytes: what all warps have, and what each has for T points. */
static __host__ __device__ inline int aberth_common_bytes(int64_t n)
{
    int64_t const blocks = (n + HYMAN_ROWS - 1) / HYMAN_ROWS;
    return (int)((16 * n + 4 * blocks * HYMAN_ROWS + 4 * (blocks + 1) + 2 * n + 31) / 16 * 16);
}

static __host__ __device__ inline int aberth_warp_bytes(int64_t n, int points)
{
    int64_t const blocks = (n + HYMAN_ROWS - 1) / HYMAN_ROWS;
    return (int)((blocks * HYMAN_ROWS + 1) * 4 * points + 2 * HYMAN_STAGE) * (int)sizeof(double);
}

/* Points of a warp at a time, 4 or 2, as many as leave room for some warps; 0: the matrix is too large. */
static __host__ __device__ inline int aberth_points(int64_t n, int64_t bytes)
{
    int64_t const rest = bytes - aberth_common_bytes(n);
    if (rest >= 3 * (int64_t)aberth_warp_bytes(n, 4)) return 4;
    return rest >= aberth_warp_bytes(n, 2) ? 2 : 0;
}

/* The blocks and warps that compute a matrix, and their shared memory.  Threads of all of its warps call; `evaluators` of a block's
 * warps have room for points. */
template <typename member_type> struct aberth_team {
    member_type &member; /* rank, count, sync() */
    int evaluators;
    hyman_complex *z;            /* [m] */
    unsigned short *list, *kept; /* [16 blocks] each: roots on their way */
    unsigned *first;             /* [blocks + 1]: in list, the first root at or above 16 b */
    unsigned short *partner;     /* [m] */
    double *space;               /* of the warps */
    int count;                   /* of the list */

    __device__ aberth_team(member_type &member_, int evaluators_, char *memory, int n)
        : member(member_), evaluators(evaluators_), z((hyman_complex *)memory), count(0)
    {
        int const blocks = hyman_blocks(n);
        list = (unsigned short *)(z + n), kept = list + blocks * HYMAN_ROWS;
        first = (unsigned *)(kept + blocks * HYMAN_ROWS);
        partner = (unsigned short *)(first + blocks + 1);
        space = (double *)(memory + aberth_common_bytes(n));
    }
    __device__ __forceinline__ int warp() const
    {
        return (int)threadIdx.x / 32;
    }
    /* Number of this warp among those of all blocks that evaluate, and how many there are. */
    __device__ __forceinline__ int worker() const
    {
        return warp() * member.count + member.rank;
    }
    __device__ __forceinline__ int workers() const
    {
        return evaluators * member.count;
    }
};

static __device__ __forceinline__ double aberth_size(hyman_complex z)
{
    return sqrt(fma(z.re, z.re, z.im * z.im));
}

static __device__ __forceinline__ hyman_complex aberth_quotient(hyman_complex x, hyman_complex y)
{
    double const size = fmax(fabs(y.re), fabs(y.im)), unit = 1 / size, re = y.re * unit, im = y.im * unit;
    double const scale = unit / fma(re, re, im * im);
    return {fma(x.re, re, x.im * im) * scale, fma(x.im, re, -x.re * im) * scale};
}

/* A point of the unit disc, another one for each k: the golden angle (Vogel, Math. Biosciences 44, 1979). */
static __device__ __forceinline__ hyman_complex aberth_turn(int k)
{
    double sine, cosine;
    sincos(fma(2.39996322972865332, (double)k, 0.4), &sine, &cosine);
    return {cosine, sine};
}

/* H by a power of two. */
template <typename get> struct aberth_scaled {
    get h;
    double unit;
    __device__ __forceinline__ double operator()(int i, int j) const
    {
        return h(i, j) * unit;
    }
};

/* The power of two that brings the largest entry of rows lo..hi to 1 to 2; 0: all are zero.  space: [32] */
template <typename get> static __device__ double aberth_unit(get h, int lo, int hi, double *space)
{
    int const lane = threadIdx.x % 32;
    double most = 0;
    for (int i = lo + (int)threadIdx.x / 32; i <= hi; i += (int)blockDim.x / 32)
        for (int j = (i > lo ? i - 1 : lo) + lane; j <= hi; j += 32) most = fmax(most, fabs(h(i, j)));
    for (int d = 1; d < 32; d *= 2) most = fmax(most, __shfl_xor_sync(0xffffffffu, most, d));
    if (lane == 0) space[threadIdx.x / 32] = most;
    __syncthreads(); /* space is filled */
    for (int warp = 0; warp < (int)blockDim.x / 32; ++warp) most = fmax(most, space[warp]);
    __syncthreads(); /* space is free */
    return most > 0 ? ldexp(1.0, -ilogb(most)) : 0.0;
}

/* Norm of rows lo..hi, and whether no subdiagonal entry is so small that x would overflow; by all threads.  sums: [m] */
template <typename get> static __device__ double aberth_norm(get h, int lo, int hi, double *sums, bool *serves)
{
    int const lane = threadIdx.x % 32, m = hi - lo + 1;
    double least = INFINITY;
    for (int i = lo + (int)threadIdx.x / 32; i <= hi; i += (int)blockDim.x / 32) {
        double sum = 0;
        for (int j = (i > lo ? i - 1 : lo) + lane; j <= hi; j += 32) {
            double const x = h(i, j);
            sum = fma(x, x, sum);
            if (j == i - 1) least = fmin(least, fabs(x));
        }
        for (int d = 1; d < 32; d *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
        if (lane == 0) sums[i - lo] = sum;
    }
    __syncthreads(); /* the sums are there */
    double total = 0;
    for (int i = lane; i < m; i += 32) total += sums[i];
    for (int d = 1; d < 32; d *= 2) total += __shfl_xor_sync(0xffffffffu, total, d);
    double const norm = sqrt(total), small = 0x1p-16 * norm * rsqrt((double)m);
    *serves = __syncthreads_and(least >= small);
    return norm;
}

/* z := points of a disc around the diagonal of each block of 16 rows. */
template <typename get, typename member_type>
static __device__ void aberth_start(aberth_team<member_type> &team, get h, int hi, int m, double spread)
{
    for (int b = threadIdx.x; b < hyman_blocks(m); b += blockDim.x) {
        int const from = b * HYMAN_ROWS, count = m - from < HYMAN_ROWS ? m - from : (int)HYMAN_ROWS;
        double sum = 0, radius = 1e-3 * spread, apart = 0;
        for (int k = 0; k < count; ++k) sum += h(hi - from - k, hi - from - k);
        double const centre = sum / count;
        for (int k = 0; k < count; ++k) {
            apart = fmax(apart, fabs(h(hi - from - k, hi - from - k) - centre));
            if (k + 1 < count) radius = fmax(radius, fabs(h(hi - from - k, hi - from - k - 1)));
        }
        radius = fmax(radius, 0.5 * apart);
        for (int k = 0; k < count; ++k) {
            hyman_complex const turn = aberth_turn(k);
            double const r = radius * sqrt((k + 0.5) / count);
            team.z[from + k] = {fma(r, turn.re, centre), r * turn.im};
        }
    }
    __syncthreads(); /* z is there */
}

/* Where the list's roots of each block row begin. */
template <typename member_type> static __device__ void aberth_mark(aberth_team<member_type> &team, int blocks)
{
    for (int i = threadIdx.x; i <= team.count; i += blockDim.x) {
        int const from = i > 0 ? team.list[i - 1] / HYMAN_ROWS + 1 : 0,
                  to = i < team.count ? team.list[i] / HYMAN_ROWS : blocks;
        for (int b = from; b <= to; ++b) team.first[b] = (unsigned)i;
    }
    __syncthreads(); /* the list is there */
}

/* All roots are on their way, moved by `shift`. */
template <typename member_type> static __device__ void aberth_begin(aberth_team<member_type> &team, int m, double shift)
{
    for (int k = threadIdx.x; k < m; k += blockDim.x) {
        hyman_complex const turn = aberth_turn(k);
        team.z[k] = {fma(shift, turn.re, team.z[k].re), fma(shift, turn.im, team.z[k].im)};
        team.list[k] = (unsigned short)k;
    }
    team.count = m;
    __syncthreads(); /* z is there */
    aberth_mark(team, hyman_blocks(m));
}

/* Takes over what the step has made of the roots on the list, and leaves those on it that are on their way.  Whether one is
 * lost. */
template <typename member_type>
static __device__ bool aberth_gather(aberth_team<member_type> &team, const hyman_complex *next, const int *state,
                                     int blocks)
{
    int const lane = threadIdx.x % 32, chunks = (team.count + 31) / 32;
    unsigned *const masks = team.first; /* their place is free: chunks <= blocks */
    bool lost = false;
    for (int c = team.warp(); c < chunks; c += (int)blockDim.x / 32) {
        int const i = 32 * c + lane;
        bool stays = false;
        if (i < team.count) {
            int const k = team.list[i], is = state[k];
            team.z[k] = next[k];
            stays = is == ABERTH_ON_ITS_WAY, lost = lost || is == ABERTH_LOST;
        }
        unsigned const mask = __ballot_sync(0xffffffffu, stays);
        if (lane == 0) masks[c] = mask;
    }
    lost = __syncthreads_or(lost);
    int total = 0;
    for (int c = 0; c < chunks; ++c) total += __popc(masks[c]);
    for (int c = team.warp(); c < chunks; c += (int)blockDim.x / 32) {
        int before = 0;
        for (int d = 0; d < c; ++d) before += __popc(masks[d]);
        unsigned const mask = masks[c];
        if (mask >> lane & 1) team.kept[before + __popc(mask & ((1u << lane) - 1))] = team.list[32 * c + lane];
    }
    unsigned short *const old = team.list;
    team.list = team.kept, team.kept = old, team.count = total;
    __syncthreads(); /* the list is there, and the masks are read */
    aberth_mark(team, blocks);
    return lost;
}

/* One step of the roots team.list[at], ..., `count` of them, in the block of roots from..from+m-1; by a warp. */
template <int T, typename member_type>
static __device__ void aberth_points_step(aberth_team<member_type> &team, const aberth_area &w, double *x, int at,
                                          int count, int from, int m, double norm, hyman_complex *next, int *state)
{
    hyman_points<T> const points(x, x + (w.g.blocks * HYMAN_ROWS + 1) * hyman_points<T>::ROW);
    int const lane = points.lane, k = team.list[at + (points.point < count ? points.point : 0)];
    bool const whole = m == w.g.m;
    double const eps = 2.220446049250313e-16, spread = norm * rsqrt((double)w.g.m);
    hyman_complex const z = team.z[k];
    hyman_value const value = points.evaluate(w.g, from / HYMAN_ROWS, m, z);
    hyman_complex const slope = {__shfl_sync(0xffffffffu, value.r.re, points.point + T),
                                 __shfl_sync(0xffffffffu, value.r.im, points.point + T)};
    double const slope_norm = __shfl_sync(0xffffffffu, value.norm, points.point + T);
    double sum_re = 0, sum_im = 0;
    for (int j = from + lane / T; j < from + m; j += 32 / T) {
        double const re = z.re - team.z[j].re, im = z.im - team.z[j].im;
        double const f = j != k ? inverse(fma(re, re, im * im)) : 0.0;
        sum_re = fma(re, f, sum_re), sum_im = fma(-im, f, sum_im);
    }
    for (int d = T; d < 32; d *= 2)
        sum_re += __shfl_xor_sync(0xffffffffu, sum_re, d), sum_im += __shfl_xor_sync(0xffffffffu, sum_im, d);
    if (lane >= count) return;
    hyman_complex const newton = aberth_quotient(value.r, slope);
    hyman_complex const rest = {1 - fma(newton.re, sum_re, -newton.im * sum_im),
                                -fma(newton.re, sum_im, newton.im * sum_re)};
    hyman_complex step = aberth_quotient(newton, rest);
    if (value.r.re == 0 && value.r.im == 0) step = {0, 0};
    double const size = aberth_size(step), far = 3 * spread;
    int is = ABERTH_ON_ITS_WAY;
    if (!whole) {
        if (size <= 1e-3 * spread) is = ABERTH_DONE;
    } else {
        double const left = aberth_size(value.r) * rsqrt(value.norm), now = left / norm, before = w.past[k];
        if (now <= 4 * eps || (now <= w.g.m * eps && now >= 0.25 * before)) is = ABERTH_DONE;
        w.past[k] = now;
        double const rounded = 4 * eps * norm, steep = aberth_size(slope) - rounded * sqrt(slope_norm);
        double const radius = fma(w.g.m / steep, fma(rounded, sqrt(value.norm), aberth_size(value.r)), size);
        w.radius[k] = steep > 0 ? radius : INFINITY;
    }
    if (size > far) step = {step.re * (far / size), step.im * (far / size)};
    if (!(size < (double)INFINITY)) is = ABERTH_LOST;
    next[k] = {z.re - step.re, z.im - step.im}, state[k] = is;
}

/* One step of all roots on the list, in blocks of `rows` tiles. */
template <int T, typename member_type>
static __device__ void aberth_step(aberth_team<member_type> &team, const aberth_area &w, int rows, double norm,
                                   hyman_complex *next, int *state)
{
    int const m = w.g.m;
    if (team.warp() >= team.evaluators) return;
    double *const x = team.space + team.warp() * (aberth_warp_bytes(m, T) / (int)sizeof(double));
    int task = team.worker();
    for (int b = 0; b < w.g.blocks; b += rows) {
        int const end = b + rows < w.g.blocks ? b + rows : w.g.blocks;
        int const begin = (int)team.first[b], count = (int)team.first[end] - begin, tasks = (count + T - 1) / T;
        int const from = b * HYMAN_ROWS, to = end * HYMAN_ROWS < m ? end * HYMAN_ROWS : m;
        for (; task < tasks; task += team.workers()) {
            int const at = task * T;
            aberth_points_step<T>(team, w, x, begin + at, count - at < T ? count - at : T, from, to - from, norm, next,
                                  state);
            __syncwarp();
        }
        task -= tasks;
    }
}

/* By the leader: whether the discs prove the eigenvalues, which then are re[k], im[k], k = 0, ..., m - 1, pairs side by side. */
template <typename member_type>
static __device__ bool aberth_prove(aberth_team<member_type> &team, const aberth_area &w, double trace, double square,
                                    double norm, double unscale, double *re, double *im)
{
    int const m = w.g.m;
    bool good = true;
    for (int k = threadIdx.x; k < m; k += blockDim.x) {
        hyman_complex const z = team.z[k];
        double const radius = w.radius[k];
        int partners = 0, partner = k;
        for (int j = 0; j < m; ++j) {
            double const both = radius + w.radius[j], across = z.re - team.z[j].re;
            double const beside = z.im - team.z[j].im, mirrored = z.im + team.z[j].im;
            if (j != k) good = good && fma(across, across, beside * beside) > both * both;
            if (fma(across, across, mirrored * mirrored) <= both * both) ++partners, partner = j;
        }
        good = good && partners == 1 && radius < (double)INFINITY;
        team.partner[k] = (unsigned short)partner;
    }
    if (!__syncthreads_and(good)) return false;
    double sum = 0, sum2 = 0; /* the same in all warps */
    for (int k = threadIdx.x % 32; k < m; k += 32) {
        hyman_complex const z = team.z[k];
        sum += z.re, sum2 += fma(z.re, z.re, -z.im * z.im);
    }
    for (int d = 1; d < 32; d *= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, d), sum2 += __shfl_xor_sync(0xffffffffu, sum2, d);
    double const unit = m * 2.220446049250313e-16 * norm;
    if (!(fabs(sum - trace) <= unit && fabs(sum2 - square) <= unit * norm)) return false;
    for (int k = threadIdx.x; k < m; k += blockDim.x) {
        int const j = team.partner[k];
        if (j < k) continue;
        int at = 0;
        for (int i = 0; i < k; ++i) at += team.partner[i] == i ? 1 : team.partner[i] > i ? 2 : 0;
        re[at] = unscale * (j == k ? team.z[k].re : 0.5 * (team.z[k].re + team.z[j].re)), im[at] = 0;
        if (j == k) continue;
        double const height = 0.5 * unscale * (fabs(team.z[k].im) + fabs(team.z[j].im));
        re[at + 1] = re[at], im[at] = height, im[at + 1] = -height;
    }
    __syncthreads(); /* the results are there */
    return true;
}

/* The iteration, for m = hi - lo + 1 rows; by all threads of all blocks.  Whether all roots were found, the same everywhere. */
template <int T, typename get, typename member_type>
static __device__ bool aberth_iterate(aberth_team<member_type> &team, const aberth_area &w, get h, int hi, double norm)
{
    int const m = w.g.m, blocks = w.g.blocks;
    double const spread = norm * rsqrt((double)m);
    int turn = 0;
    aberth_start(team, h, hi, m, spread);
    for (int rows = 1;; rows = blocks <= 3 * rows ? blocks : 2 * rows) {
        bool const whole = rows == blocks;
        aberth_begin(team, m, rows == 1 ? 0.0 : 1e-3 * spread);
        for (int step = 1; team.count > 0; ++step) {
            aberth_step<T>(team, w, rows, norm, w.next[turn], w.state[turn]);
            team.member.sync(); /* the step is done */
            bool const lost = aberth_gather(team, w.next[turn], w.state[turn], blocks);
            turn ^= 1;
            if (lost) return false;
            if (!whole && step >= ABERTH_ROUGH) break;
            if (whole && step >= ABERTH_STEPS && team.count > 0) return false;
            if (whole && step >= ABERTH_EARLY && 2 * team.count > m) return false;
        }
        if (whole) return true;
    }
}

/* Eigenvalues of rows lo..hi of H, whose entry (i, j) is h(i, j): re[k], im[k] of the leader, k = 0, ..., hi - lo.  By all threads of
 * all blocks of the group.  points: of a warp at a time, `most` or fewer.  base: geev_root_numbers(m) numbers of global memory; verdict: there, too.
 * memory: `bytes` of shared memory.  Returns whether they were found and proved, the same everywhere. */
template <int most, typename get, typename member_type>
static __device__ __noinline__ bool aberth_solve(member_type &member, get matrix, int lo, int hi, int points,
                                                 double *base, char *memory, int bytes, int *verdict, double *re,
                                                 double *im)
{
    int const m = hi - lo + 1, lane = threadIdx.x % 32;
    if (m < ABERTH_LEAST || points == 0) return false;
    int const fit = (bytes - aberth_common_bytes(m)) / aberth_warp_bytes(m, points), warps = (int)blockDim.x / 32;
    aberth_team<member_type> team(member, fit < warps ? fit : warps, memory, m);
    bool serves;
    aberth_scaled<get> const h = {matrix, aberth_unit(matrix, lo, hi, (double *)team.z)};
    if (h.unit == 0) return false;
    double const norm = aberth_norm(h, lo, hi, (double *)team.z, &serves);
    if (!serves) return false;
    aberth_area const w = aberth_place(base, m);
    int const threads = (int)blockDim.x * member.count, self = (int)(member.rank * blockDim.x + threadIdx.x);
    for (int k = self; k < w.g.blocks * HYMAN_ROWS; k += threads) {
        int const p = k + 1;
        w.g.lift[k] = p < m ? 1 / h(hi - p + 1, hi - p) : p == m ? 1.0 : 0.0;
        if (k < m) w.past[k] = INFINITY, w.radius[k] = INFINITY;
    }
    member.sync(); /* lift is there */
    int const tiles = w.g.blocks * (w.g.blocks + 1) / 2, all = threads / 32;
    for (int t = team.warp() * member.count + member.rank, row = 0, begin = 0; t < tiles; t += all) {
        while (begin + row + 1 <= t) begin += row + 1, ++row;
        hyman_fill(w.g, h, hi, row, t - begin);
    }
    member.sync(); /* G is there */
    bool found = false;
    if constexpr (most == 8)
        found = aberth_iterate<8>(team, w, h, hi, norm);
    else
        found = points == 4 ? aberth_iterate<4>(team, w, h, hi, norm) : aberth_iterate<2>(team, w, h, hi, norm);
    if (!found) return false;
    if (member.rank == 0) {
        double trace = 0, square = 0;
        for (int k = lo + lane; k <= hi; k += 32) {
            trace += h(k, k), square = fma(h(k, k), h(k, k), square);
            if (k < hi) square = fma(2 * h(k, k + 1), h(k + 1, k), square);
        }
        for (int d = 1; d < 32; d *= 2)
            trace += __shfl_xor_sync(0xffffffffu, trace, d), square += __shfl_xor_sync(0xffffffffu, square, d);
        found = aberth_prove(team, w, trace, square, norm, 1 / h.unit, re, im);
        if (threadIdx.x == 0) *verdict = found;
    }
    member.sync(); /* the verdict is there */
    return *(volatile int *)verdict != 0;
}

#endif
