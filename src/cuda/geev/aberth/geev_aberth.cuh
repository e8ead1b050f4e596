/* Eigenvalues of a real upper Hessenberg matrix in double, all at a time, by one or several thread blocks: Aberth's
 * iteration.
 *
 * Formula    z_k := z_k - W_k / (1 + sum of W_j / (z_k - z_j)), W_k = p(z_k) / product of (z_k - z_j), j != k, p monic:
 *            the step of Ehrlich (Commun. ACM 10, 1967) and Aberth (Math. Comp. 27, 1973) for the polynomial from which
 *            the other roots are divided, in the form of Boersch-Supan (Numer. Math. 14, 1970), which needs no
 *            derivative.  p comes from Hyman's recurrence, by `points`: hyman_points or hyman_lanes (both of
 *            geev_hyman.cuh).
 * Start      divide and conquer: eigenvalues of diagonal blocks of 16 rows, then of blocks of two or four of those
 *            (GROWTH), and so on, each from the eigenvalues of its parts, moved apart a little.  Smaller blocks are
 *            solved roughly.
 * End        of a root: |r| is what rounding leaves, 4 eps ||H||_F ||x||, or it is small and falls no more.
 * Proof      a root z of p has |z - z_k| <= m |W_k| for some k, since the sum of W_k / (z_k - z) is 1.  The results
 *            count where these m discs, widened by the rounding errors of p, are disjoint: then each holds exactly one
 *            eigenvalue (Braess and Hadeler, Numer. Math. 21, 1973), and a disc that its mirror image alone meets holds
 *            a real one.  Otherwise, and where steps do not end, the caller's QR takes the matrix.
 *            So do those whose sum or sum of squares is not that of the traces of H and H^2 within m eps of the norms,
 *            as QR's are.
 * Bits       depend on H alone, not on the number of blocks: all roots step together. */
#ifndef EIG_GEEV_ABERTH_CUH
#define EIG_GEEV_ABERTH_CUH

#include "geev/aberth/geev_hyman.cuh"
#include "geev/geev_cuda.cuh"
#include "primitives/fast.cuh"

enum {
    ABERTH_LEAST = 17, /* rows from which on it is worth it */
    ABERTH_ROUGH = 6,  /* steps of a smaller block, at most */
    ABERTH_EARLY = 14, /* the last step at which more than half of the roots may be on their way */
    ABERTH_STEPS = 30, /* steps of the whole, at most */
    ABERTH_ON_ITS_WAY = 0,
    ABERTH_DONE = 1,
    ABERTH_LOST = 2
};

/* A root of a smaller block is done when its step is this part of ||H||_F / sqrt(n). */
constexpr double ABERTH_CLOSE = 1e-2;

static __host__ __device__ constexpr double square_of(double x)
{
    return x * x;
}

/* What all blocks of a matrix share. */
template <typename matrix> struct aberth_area {
    matrix g;
    hyman_complex *next, *weight; /* [m]: z after the step; W */
    double *value, *size;         /* [m]: |r|^2 and ||x||^2, times 4^exponent */
    double *past;                 /* [m]: |r|^2 / (||x|| ||H||)^2 of the step before */
    double *lead;                 /* [blocks + 1]: product of all lift before block row b, times 2^lead_exponent */
    double *radius;               /* [m], in the end: of the disc; in the place of past */
    int *exponent, *state;        /* [m] */
    int *ended; /* [m]: by its residual; a step writes it before all others have read state of the step before */
    int *lead_exponent; /* [blocks + 1] */
    int m, blocks;      /* of 16 rows */
};

/* Numbers of it besides those of the matrix. */
static __host__ __device__ inline int64_t aberth_numbers(int64_t m)
{
    int64_t const blocks = (m + HYMAN_ROWS - 1) / HYMAN_ROWS;
    return (9 * m + 2 * blocks + 4) / 2 * 2;
}

/* base: aligned to 16 bytes. */
template <typename matrix> static __device__ __forceinline__ aberth_area<matrix> aberth_place(double *base, int m)
{
    aberth_area<matrix> w;
    w.m = m, w.blocks = hyman_blocks(m);
    w.next = (hyman_complex *)base, w.weight = w.next + m;
    w.value = (double *)(w.weight + m), w.size = w.value + m, w.past = w.radius = w.size + m;
    w.lead = w.past + m;
    w.exponent = (int *)(w.lead + w.blocks + 1), w.state = w.exponent + m, w.ended = w.state + m,
    w.lead_exponent = w.ended + m;
    w.g = matrix::place(base + aberth_numbers(m), m);
    return w;
}

/* Shared memory of a block besides that of its warps, in bytes. */
static __host__ __device__ inline int aberth_common_bytes(int64_t n)
{
    int64_t const blocks = (n + HYMAN_ROWS - 1) / HYMAN_ROWS;
    return (int)((16 * n + 4 * blocks * HYMAN_ROWS + 4 * (blocks + 1) + 2 * n + 31) / 16 * 16);
}

/* Points of a warp at a time, 8 or 4, as many as leave room for some warps; 0: the matrix is too large. */
static __host__ __device__ inline int aberth_points(int64_t n, int64_t bytes)
{
    int64_t const rest = bytes - aberth_common_bytes(n);
    if (rest >= 3 * (int64_t)hyman_points<8>::warp_bytes(n)) return 8;
    return rest >= hyman_points<4>::warp_bytes(n) ? 4 : 0;
}

/* The blocks and warps that compute a matrix, and their shared memory.  Threads of all of its warps call; `evaluators`
 * of a block's warps have room for points. */
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

/* Norm of rows lo..hi, and whether no subdiagonal entry is so small that x would overflow; by all threads.  sums:
 * [m] */
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

/* Takes over what the step has made of the roots on the list, and leaves those on it that are on their way.  Whether
 * one is lost.  Others see a root of a smaller block that is done as an exact one.  A root of the whole that is done
 * stays where its W was found: its last step is made in the end. */
template <typename matrix, typename member_type>
static __device__ bool aberth_gather(aberth_team<member_type> &team, const aberth_area<matrix> &w, bool whole,
                                     bool last)
{
    int const lane = threadIdx.x % 32, chunks = (team.count + 31) / 32;
    unsigned *const masks = team.first; /* their place is free: chunks <= blocks */
    bool lost = false;
    for (int c = team.warp(); c < chunks; c += (int)blockDim.x / 32) {
        int const i = 32 * c + lane;
        bool stays = false;
        if (i < team.count) {
            int const k = team.list[i], is = w.state[k];
            if (is != ABERTH_DONE || !whole) team.z[k] = w.next[k];
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
        if (mask >> lane & 1)
            team.kept[before + __popc(mask & ((1u << lane) - 1))] = team.list[32 * c + lane];
        else if (total > 0 && !last && 32 * c + lane < team.count) /* else the next blocks' W may be there already */
            w.weight[team.list[32 * c + lane]] = {0, 0};
    }
    unsigned short *const old = team.list;
    team.list = team.kept, team.kept = old, team.count = total;
    __syncthreads(); /* the list is there, and the masks are read */
    aberth_mark(team, w.blocks);
    return lost;
}

/* Makes the larger part of a complex number 1 to 2; the power of two that it had. */
static __device__ __forceinline__ int aberth_normalise(hyman_complex &x)
{
    int const e = (__double2hiint(fmax(fabs(x.re), fabs(x.im))) >> 20) - 1023;
    double const scale = __hiloint2double((int)((unsigned)(1023 - e) << 20), 0);
    x.re *= scale, x.im *= scale;
    return e;
}

static __device__ __forceinline__ hyman_complex aberth_product(hyman_complex x, hyman_complex y)
{
    return {fma(x.re, y.re, -x.im * y.im), fma(x.re, y.im, x.im * y.re)};
}

/* The product of z_k - z_j over j = from, ..., from + m - 1 but k, times 2^exponent: the same in all lanes of the
 * point. */
template <typename points_type>
static __device__ __forceinline__ hyman_complex aberth_distances(const points_type &points, const hyman_complex *all,
                                                                 int k, int from, int m, int *exponent)
{
    hyman_complex const z = all[k];
    hyman_complex product = {1, 0};
    int shift = 0;
    for (int j = from + points.part; j < from + m;) {
#pragma unroll
        for (int t = 0; t < 4; ++t, j += points_type::PARTS) {
            hyman_complex const other = all[j < from + m ? j : k];
            bool const same = j == k || j >= from + m;
            product = aberth_product(product, {same ? 1.0 : z.re - other.re, same ? 0.0 : z.im - other.im});
        }
        shift += aberth_normalise(product);
    }
    for (int d = points.first_apart(); d <= points.last_apart(); d *= 2) {
        product = aberth_product(
            product, {__shfl_xor_sync(0xffffffffu, product.re, d), __shfl_xor_sync(0xffffffffu, product.im, d)});
        shift += __shfl_xor_sync(0xffffffffu, shift, d);
        shift += aberth_normalise(product);
    }
    *exponent = shift;
    return product;
}

/* 2^e; 0 and a large number where it is none. */
static __device__ __forceinline__ double aberth_power(int e)
{
    return __hiloint2double((e < -1023 ? 0 : e > 1023 ? 2046 : e + 1023) << 20, 0);
}

static __device__ __forceinline__ double aberth_square(hyman_complex z)
{
    return fma(z.re, z.re, z.im * z.im);
}

/* x / y, where |y|^2 is far from the ends of the range. */
static __device__ __forceinline__ hyman_complex aberth_quotient(hyman_complex x, hyman_complex y)
{
    double const f = inverse(aberth_square(y)), re = y.re * f, im = y.im * f;
    return {fma(x.re, re, x.im * im), fma(x.im, re, -x.re * im)};
}

/* The product of all lift of rows from, ..., times 2^exponent. */
template <typename matrix>
static __device__ __forceinline__ double aberth_leading(const aberth_area<matrix> &w, int from, int m, int *exponent)
{
    int const begin = from / HYMAN_ROWS, end = hyman_blocks(from + m);
    *exponent = w.lead_exponent[end] - w.lead_exponent[begin];
    return w.lead[end] * inverse(w.lead[begin]);
}

/* W of the roots team.list[at], ..., `count` of them, in the block of roots from..from+m-1; by a warp. */
template <typename points_type, typename member_type, typename matrix>
static __device__ __forceinline__ void aberth_weigh(aberth_team<member_type> &team, const points_type &points,
                                                    const aberth_area<matrix> &w, int at, int count, int from, int m,
                                                    double norm)
{
    double const eps = 2.220446049250313e-16;
    int const k = team.list[at + (points.point < count ? points.point : 0)];
    hyman_value const value = points.evaluate(from, m, team.z[k]);
    int shift, lead_shift;
    hyman_complex const apart = aberth_distances(points, team.z, k, from, m, &shift);
    double const lead = aberth_leading(w, from, m, &lead_shift);
    if (points.part > 0 || points.point >= count) return;
    hyman_complex const ratio = aberth_quotient(value.r, apart);
    double const unit = aberth_power(value.exponent - shift - lead_shift) * inverse(lead);
    w.weight[k] = {ratio.re * unit, ratio.im * unit};
    int is = ABERTH_ON_ITS_WAY;
    if (m == w.m) {
        double const left = aberth_square(value.r), now = left * inverse(value.norm * (norm * norm)),
                     before = w.past[k];
        if (now <= square_of(4 * eps) || (now <= square_of(m * eps) && now >= square_of(0.25) * before))
            is = ABERTH_DONE;
        w.past[k] = now, w.value[k] = left, w.size[k] = value.norm, w.exponent[k] = value.exponent;
    }
    w.ended[k] = is;
}

/* The step of the same roots; all W of the block are there. */
template <typename points_type, typename member_type, typename matrix>
static __device__ __forceinline__ void aberth_move(aberth_team<member_type> &team, const points_type &points,
                                                   const aberth_area<matrix> &w, int at, int count, int from, int m,
                                                   double norm)
{
    int const k = team.list[at + (points.point < count ? points.point : 0)];
    double const spread = norm * rsqrt((double)w.m);
    hyman_complex const z = team.z[k];
    double sum_re = 0, sum_im = 0;
#pragma unroll 4
    for (int j = from + points.part; j < from + m; j += points_type::PARTS) {
        hyman_complex const weight = w.weight[j], other = team.z[j];
        double const re = z.re - other.re, im = z.im - other.im;
        double const f = j != k ? inverse(fma(re, re, im * im)) : 0.0;
        sum_re = fma(fma(weight.re, re, weight.im * im), f, sum_re);
        sum_im = fma(fma(weight.im, re, -weight.re * im), f, sum_im);
    }
    hyman_complex rest = {1 + points.total(sum_re), points.total(sum_im)};
    if (points.part > 0 || points.point >= count) return;
    double const unit = aberth_power(-aberth_normalise(rest));
    hyman_complex step = aberth_quotient(w.weight[k], rest);
    step.re *= unit, step.im *= unit;
    double const size = aberth_square(step), far = 3 * spread, eps = 2.220446049250313e-16;
    bool const whole = m == w.m;
    int is = w.ended[k];
    if (whole ? size <= square_of(eps) * aberth_square(z) && w.past[k] <= square_of(64 * m * eps)
              : size <= square_of(ABERTH_CLOSE) * (spread * spread))
        is = ABERTH_DONE; /* the step does not move it, or is small enough here */
    if (size > far * far) step = {step.re * (far * rsqrt(size)), step.im * (far * rsqrt(size))};
    if (!(size < (double)INFINITY)) is = ABERTH_LOST;
    w.next[k] = {z.re - step.re, z.im - step.im}, w.state[k] = is;
}

/* One step of all roots on the list, in blocks of `rows` tiles: act(at, count, from, m) of each task. */
template <int P, typename member_type, typename action>
static __device__ __forceinline__ void aberth_tasks(aberth_team<member_type> &team, int blocks, int all, int rows,
                                                    action act)
{
    if (team.warp() >= team.evaluators) return;
    int task = team.worker();
    for (int b = 0; b < blocks; b += rows) {
        int const end = b + rows < blocks ? b + rows : blocks;
        int const begin = (int)team.first[b], count = (int)team.first[end] - begin, tasks = (count + P - 1) / P;
        int const from = b * HYMAN_ROWS, to = end * HYMAN_ROWS < all ? end * HYMAN_ROWS : all;
        for (; task < tasks; task += team.workers()) {
            int const at = task * P;
            act(begin + at, count - at < P ? count - at : P, from, to - from);
            __syncwarp();
        }
        task -= tasks;
    }
}

/* The radii of all discs, around where the last steps lead; by all warps that evaluate. */
template <typename points_type, typename member_type, typename matrix>
static __device__ __forceinline__ void aberth_radii(aberth_team<member_type> &team, const points_type &points,
                                                    const aberth_area<matrix> &w, double norm)
{
    double const eps = 2.220446049250313e-16;
    int const m = w.m;
    if (team.warp() >= team.evaluators) return;
    for (int at = team.worker() * points_type::POINTS; at < m; at += team.workers() * points_type::POINTS) {
        int const k = at + points.point < m ? at + points.point : m - 1;
        int shift, lead_shift;
        hyman_complex const apart = aberth_distances(points, team.z, k, 0, m, &shift);
        double const lead = aberth_leading(w, 0, m, &lead_shift);
        double const unit =
            aberth_power(w.exponent[k] - shift - lead_shift) / (fabs(lead) * sqrt(aberth_square(apart)));
        double const most = fma(4 * eps * norm, sqrt(w.size[k]), sqrt(w.value[k])); /* that |r| is */
        double const step = sqrt(aberth_square({w.next[k].re - team.z[k].re, w.next[k].im - team.z[k].im}));
        if (points.part == 0 && at + points.point < m) w.radius[k] = 1.001 * m * most * unit + step;
    }
}

/* By the leader: whether the discs prove the eigenvalues, which then are re[k], im[k], k = 0, ..., m - 1, pairs side by
 * side. */
template <typename member_type, typename matrix>
static __device__ bool aberth_prove(aberth_team<member_type> &team, const aberth_area<matrix> &w, double trace,
                                    double square, double norm, double unscale, double *re, double *im)
{
    int const m = w.m;
    bool good = true;
    for (int k = threadIdx.x; k < m; k += blockDim.x) team.z[k] = w.next[k];
    __syncthreads(); /* the last steps are made */
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

/* The iteration, for m = hi - lo + 1 rows; by all threads of all blocks.  Whether all roots were found, the same
 * everywhere. */
template <typename points_type, typename get, typename member_type, typename matrix>
static __device__ __forceinline__ bool aberth_iterate(aberth_team<member_type> &team, const points_type &points,
                                                      const aberth_area<matrix> &w, get h, int hi, double norm)
{
    int const m = w.m, blocks = w.blocks;
    double const spread = norm * rsqrt((double)m);
    aberth_start(team, h, hi, m, spread);
    constexpr int growth = points_type::GROWTH;
    for (int rows = 1;; rows = 2 * blocks <= 3 * growth * rows ? blocks : growth * rows) {
        bool const whole = rows >= blocks;
        aberth_begin(team, m, rows == 1 ? 0.0 : 1e-3 * spread);
        for (int step = 1; team.count > 0; ++step) {
            aberth_tasks<points_type::POINTS>(team, blocks, m, rows, [&](int at, int count, int from, int order) {
                aberth_weigh(team, points, w, at, count, from, order, norm);
            });
            team.member.sync(); /* W is there */
            aberth_tasks<points_type::POINTS>(team, blocks, m, rows, [&](int at, int count, int from, int order) {
                aberth_move(team, points, w, at, count, from, order, norm);
            });
            team.member.sync(); /* the step is done */
            if (aberth_gather(team, w, whole, whole || step >= ABERTH_ROUGH)) return false;
            if (!whole && step >= ABERTH_ROUGH) break;
            if (whole && step >= ABERTH_STEPS && team.count > 0) return false;
            if (whole && step >= ABERTH_EARLY && 2 * team.count > m) return false;
        }
        if (whole) break;
    }
    aberth_radii(team, points, w, norm);
    team.member.sync(); /* the radii are there */
    return true;
}

/* Products of lift, by the leader: of each block row's first, then of all before it. */
template <typename matrix> static __device__ void aberth_lead(const aberth_area<matrix> &w)
{
    for (int b = threadIdx.x; b < w.blocks; b += blockDim.x) {
        hyman_complex product = {1, 0};
        int shift = 0;
        for (int p = b * HYMAN_ROWS; p < (b + 1) * HYMAN_ROWS && p < w.m; ++p)
            product.re *= w.g.lift[p], shift += aberth_normalise(product);
        w.lead[b + 1] = product.re, w.lead_exponent[b + 1] = shift;
    }
    __syncthreads(); /* the products are there */
    if (threadIdx.x > 0) return;
    hyman_complex product = {1, 0};
    int shift = 0;
    w.lead[0] = 1, w.lead_exponent[0] = 0;
    for (int b = 1; b <= w.blocks; ++b) {
        product.re *= w.lead[b], shift += aberth_normalise(product) + w.lead_exponent[b];
        w.lead[b] = product.re, w.lead_exponent[b] = shift;
    }
}

/* Eigenvalues of rows lo..hi of H, whose entry (i, j) is h(i, j): re[k], im[k] of the leader, k = 0, ..., hi - lo.  By
 * all threads of all blocks of the group.  base: aberth_numbers and those of G for order hi - lo + 1, where all blocks
 * have access; verdict: there, too.  memory: aberth_common_bytes of shared memory, and behind it that of `evaluators`
 * warps.  Returns whether they were found and proved, the same everywhere. */
template <typename points_type, typename get, typename member_type>
static __device__ __forceinline__ bool aberth_solve(member_type &member, get matrix, int lo, int hi, int evaluators,
                                                    double *base, char *memory, int *verdict, double *re, double *im)
{
    int const m = hi - lo + 1, lane = threadIdx.x % 32;
    if (m < ABERTH_LEAST) return false;
    aberth_team<member_type> team(member, evaluators, memory, m);
    bool serves;
    aberth_scaled<get> const h = {matrix, aberth_unit(matrix, lo, hi, (double *)team.z)};
    if (h.unit == 0) return false;
    double const norm = aberth_norm(h, lo, hi, (double *)team.z, &serves);
    if (!serves) return false;
    auto const w = aberth_place<typename points_type::matrix>(base, m);
    int const threads = (int)blockDim.x * member.count, self = (int)(member.rank * blockDim.x + threadIdx.x);
    for (int k = self; k < w.g.rows(); k += threads) {
        int const p = k + 1;
        w.g.lift[k] = p < m ? 1 / h(hi - p + 1, hi - p) : p == m ? 1.0 : 0.0;
        if (k < m) w.past[k] = INFINITY;
    }
    member.sync(); /* lift is there */
    w.g.fill(h, hi, team.warp() * member.count + member.rank, threads / 32);
    if (member.rank == 0) aberth_lead(w);
    member.sync(); /* G is there */
    int const warp = team.warp() < evaluators ? team.warp() : 0;
    points_type const points(w.g, team.space + warp * (points_type::warp_bytes(m) / (int)sizeof(double)));
    if (!aberth_iterate(team, points, w, h, hi, norm)) return false;
    if (member.rank == 0) {
        double trace = 0, square = 0;
        for (int k = lo + lane; k <= hi; k += 32) {
            trace += h(k, k), square = fma(h(k, k), h(k, k), square);
            if (k < hi) square = fma(2 * h(k, k + 1), h(k + 1, k), square);
        }
        for (int d = 1; d < 32; d *= 2)
            trace += __shfl_xor_sync(0xffffffffu, trace, d), square += __shfl_xor_sync(0xffffffffu, square, d);
        bool const found = aberth_prove(team, w, trace, square, norm, 1 / h.unit, re, im);
        if (threadIdx.x == 0) *verdict = found;
    }
    member.sync(); /* the verdict is there */
    return *(volatile int *)verdict != 0;
}

#endif
