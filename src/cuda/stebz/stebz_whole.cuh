/* A whole matrix in one launch, what its files share: a block's shared memory, and T made there. */
#ifndef EIG_STEBZ_WHOLE_CUH
#define EIG_STEBZ_WHOLE_CUH

#include "stebz_bracket.cuh"
#include "stebz_prepare.cuh"
#include "stebz_resident.cuh"

enum {
    THREADS = 384, /* 24 blocks of rows; the first of them count */
    HALF = 16,     /* shifts of a warp that counts from both ends; lane i + 16 has the second half for lane i */
    MOST_BLOCKS = 128,
    MOST_ROWS = 2048, /* in double three launches are as fast from here on */
    MOST_EACH = (MOST_ROWS + MOST_BLOCKS - 1) / MOST_BLOCKS,
    WARPS = 4, /* that count, one for each scheduler */
    LANES = 32 * WARPS
};

/* Pairs from one block of rows to the next: 16 bytes more than they take, so that threads that make blocks do not write
 * to the same bank. */
template <typename real> constexpr int pitch_of = STURM_BLOCK + 16 / (int)sizeof(pair_of<real>);

/* Where things lie in a block's shared memory, rows first. */
struct whole_layout {
    int edges, back, back_edges, raw, table, bytes;
};

template <typename real> static __host__ __device__ whole_layout whole_layout_of(int n, bool may_pivot)
{
    int const blocks = (n + STURM_BLOCK - 1) / STURM_BLOCK, bottom = blocks - blocks / 2;
    int const block_bytes = pitch_of<real> * (int)sizeof(pair_of<real>), edge_bytes = (int)sizeof(stebz_edge<real>);
    int const pivot_bytes = may_pivot ? STURM_BLOCK * (int)sizeof(double2) : 0;
    whole_layout s;
    s.edges = blocks * (block_bytes > pivot_bytes ? block_bytes : pivot_bytes);
    s.back = s.edges + blocks * edge_bytes;
    s.back_edges = s.back + bottom * block_bytes;
    s.raw = s.back_edges + bottom * edge_bytes;
    s.table = (s.raw + 2 * (n + n / STURM_BLOCK + 1) * (int)sizeof(real) + 15) / 16 * 16;
    s.bytes = s.table + LANES * 4 * (int)sizeof(double);
    return s;
}

/* ---------------------------------------------------------------- preparation */

/* T in shared memory, first as the caller gave it; neighbours in a block lie close, blocks in different banks. */
template <typename real> struct raw_rows {
    real *d, *e;
    int n;

    static __device__ __forceinline__ int place(int i)
    {
        return i + (int)((unsigned)i / STURM_BLOCK);
    }
    /* Row i, from the end if `back`: its diagonal entry, and the off-diagonal one before it, which row 0 has not: 1. */
    __device__ __forceinline__ real diagonal(int i, bool back) const
    {
        return d[place(back ? n - 1 - i : i)];
    }
    __device__ __forceinline__ real before(int i, bool back) const
    {
        return i > 0 ? e[place(back ? n - 1 - i : i - 1)] : (real)1;
    }
};

/* The code of what follows is short on purpose, with loops that are not unrolled: it runs once, and has to be
 * fetched. */

/* T to shared memory, and the facts.  All threads of the block. */
template <typename real>
static __device__ void load_whole(const stebz_job &job, const raw_rows<real> &raw, stebz_facts *facts)
{
    enum { EACH = (MOST_ROWS + THREADS - 1) / THREADS, BLOCK_WARPS = THREADS / 32 };
    __shared__ stebz_extremes<1> of_warp[BLOCK_WARPS];
    __shared__ bool tiny;
    const real *const d = (const real *)job.d, *const e = (const real *)job.e;
    int const n = raw.n, lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < EACH; ++j) {
        int const i = threadIdx.x + j * THREADS;
        if (i < n) raw.d[raw.place(i)] = d[i];
        if (i < n - 1) raw.e[raw.place(i)] = e[i];
    }
    __syncthreads(); /* the entries are there */
    stebz_partial p = no_rows();
#pragma unroll 1
    for (int i = threadIdx.x; i < n; i += THREADS) {
        double const before = i > 0 ? (double)raw.e[raw.place(i - 1)] : 0,
                     after = i < n - 1 ? (double)raw.e[raw.place(i)] : 0;
        measure_row<1>(p, (double)raw.d[raw.place(i)], before, after);
    }
    stebz_extremes<1> most;
    most.take(p);
    most.reduce(16);
    if (lane == 0) of_warp[threadIdx.x / 32] = most;
    p.finite = __syncthreads_and(p.finite); /* of_warp is complete */
    if (threadIdx.x < 32) {
        most = of_warp[min(lane, (int)BLOCK_WARPS - 1)];
        most.reduce(8);
        most.give(p);
        p.norm[1] = p.norm[0]; /* not 0, if it is not tiny */
        if (lane == 0) tiny = p.norm[0] < STEBZ_TINY;
        if (lane == 0 && !(p.norm[0] < STEBZ_TINY)) *facts = find_facts<real>(job, p);
    }
    __syncthreads(); /* the facts are there */
    if (!tiny) return;
    p = reduce_block<2, THREADS>(measure_rows(d, e, n, threadIdx.x, THREADS));
    if (threadIdx.x == 0) *facts = find_facts<real>(job, p);
    __syncthreads(); /* the facts are there */
}

/* Scales T where it lies; off-diagonals become positive, and no smaller than the floor.  All threads of the block. */
template <typename real> static __device__ void scale_whole(const raw_rows<real> &raw, const stebz_facts &f)
{
    real const floor = sizeof(real) == 4 ? (real)STURM_FLOOR_S : (real)STURM_FLOOR_D;
    stebz_scaling const by = stebz_scaling_of(f.scale);
    bool const once =
        sizeof(real) == 4 && abs(f.scale) < 126; /* a power of two that float has: no way through double */
    real const power = once ? (real)by.first * (real)by.second : (real)0;
#pragma unroll 1
    for (int i = threadIdx.x; i < raw.n; i += THREADS) {
        real *const d = raw.d + raw.place(i), *const e = raw.e + raw.place(i);
        double2 row = {};
        if (!once) row = stebz_scaled((double)*d, i < raw.n - 1 ? (double)*e : 0.0, by);
        *d = once ? *d * power : (real)row.x;
        if (i < raw.n - 1) *e = fmax(once ? fabs(*e * power) : (real)row.y, floor);
    }
    __syncthreads(); /* T is scaled */
}

/* Blocks of rows in the order of one end of T, in shared memory. */
template <typename real> struct rows_from {
    pair_of<real> *rows;
    stebz_edge<real> *edges;
    int blocks, padding;
    bool back;
};

/* The scales of a block, and its edge: what the row coefficients of the product form are made of.  Whether its rows are
 * plain. */
template <typename real>
static __device__ bool make_scales(const raw_rows<real> &raw, const rows_from<real> &to, int block)
{
    int const row = block * STURM_BLOCK - to.padding, from = block == 0 ? to.padding : 0;
    real b[STURM_BLOCK], scale_2 = 1, scale_1 = 1, least = 1, alpha, gamma;
    pair_of<real> *const rows = to.rows + block * pitch_of<real>;
    stebz_edge<real> out = {};
#pragma unroll
    for (int j = 0; j < STURM_BLOCK; ++j) b[j] = j >= from ? raw.before(row + j, to.back) : (real)1;
#pragma unroll
    for (int j = 0; j < STURM_BLOCK; ++j) {
        rows[j] = pair_of<real>{scale_2, scale_1};
        if (j >= from) sturm_coefficients((real)0, b[j], &scale_2, &scale_1, &alpha, &gamma);
        least = fmin(least, scale_1);
        if (j == STEBZ_LOOK - 1) out.e0 = exponent_field(scale_1) - 2 * exponent_bias<real>;
        if (j == STEBZ_LOOK) out.e1 = exponent_field(scale_1) - 2 * exponent_bias<real>;
    }
    out.s0 = scale_2, out.s1 = scale_1;
    bool const plain = sizeof(real) == 4 && !(least >= (real)STEBZ_LEAST_SCALE);
    if (plain) out.e0 = STEBZ_PLAIN;
    to.edges[block] = out;
    return plain;
}

/* The rows themselves, a thread a row; smooth: none is plain. */
template <typename real>
static __device__ __forceinline__ void make_coefficients(const raw_rows<real> &raw, const rows_from<real> &to,
                                                         bool smooth)
{
    int const j = threadIdx.x % STURM_BLOCK;
#pragma unroll 1
    for (int block = threadIdx.x / STURM_BLOCK; block < to.blocks; block += THREADS / STURM_BLOCK) {
        int const i = block * STURM_BLOCK + j - to.padding;
        if (i < 0) continue;
        pair_of<real> *const at = to.rows + block * pitch_of<real> + j;
        real const a = raw.diagonal(i, to.back), b = raw.before(i, to.back);
        pair_of<real> scales = *at;
        real alpha, gamma;
        sturm_coefficients(a, b, &scales.x, &scales.y, &alpha, &gamma);
        if (sizeof(real) == 4 && !smooth && to.edges[block].e0 == STEBZ_PLAIN) alpha = a, gamma = b * b;
        *at = pair_of<real>{alpha, gamma};
    }
}

/* Up to so many blocks of plain rows there are two loops: past them, and down the rows between. */
enum { FEW_PLAIN = 24 };

/* Bits of blocks of plain rows: of all, in their order, and of those that are so many blocks from one end or the
 * other. */
struct plain_blocks {
    unsigned whole[(MOST_ROWS / STURM_BLOCK + 31) / 32], ends[(MOST_ROWS / STURM_BLOCK / 2 + 31) / 32];
};

/* The rows of the product form, from both ends.  How many blocks are plain, in all threads.  All threads of the
 * block. */
template <typename real>
static __device__ int make_products(const raw_rows<real> &raw, const whole_layout &layout, char *memory, int blocks,
                                    plain_blocks *stops)
{
    rows_from<real> const top = {(pair_of<real> *)memory, (stebz_edge<real> *)(memory + layout.edges), blocks,
                                 blocks * STURM_BLOCK - raw.n, false};
    rows_from<real> const bottom = {(pair_of<real> *)(memory + layout.back),
                                    (stebz_edge<real> *)(memory + layout.back_edges),
                                    blocks > 1 ? blocks - blocks / 2 : 0, 0, true};
    bool plain = false;
    for (int at = threadIdx.x; at < blocks + bottom.blocks; at += THREADS) {
        bool const back = at >= blocks;
        if (!make_scales(raw, back ? bottom : top, back ? at - blocks : at)) continue;
        plain = true;
        int const number = back ? at - blocks : at - (top.padding > 0); /* -1: the block that is not full */
        if (!back && number >= 0) atomicOr(&stops->whole[number / 32], 1u << number % 32);
        if (number >= 0 && (back || at < blocks / 2)) atomicOr(&stops->ends[number / 32], 1u << number % 32);
    }
    int const uneven = __syncthreads_count(plain); /* the scales are there */
    bool const smooth = uneven == 0;
    make_coefficients(raw, top, smooth);
    make_coefficients(raw, bottom, smooth);
    __syncthreads(); /* the rows are there */
    return uneven;
}

/* Facts and rows.  *uneven: how many blocks of rows are plain.  All threads of the block. */
template <typename real, bool may_pivot>
static __device__ raw_rows<real> prepare_whole(const stebz_job &job, const whole_layout &layout, char *memory,
                                               stebz_facts *facts, plain_blocks *stops, int *uneven)
{
    int const n = (int)job.t.n, blocks = (int)job.t.blocks;
    raw_rows<real> raw = {(real *)(memory + layout.raw), NULL, n};
    raw.e = raw.d + raw.place(n) + 1;
    for (int i = threadIdx.x; i < (int)(sizeof *stops / sizeof(unsigned)); i += THREADS) ((unsigned *)stops)[i] = 0;
    load_whole(job, raw, facts);
    if (!facts->finite || facts->zero) return raw;
    stebz_facts const f = facts_of<may_pivot>(facts);
    if (!f.pivot) {
        scale_whole(raw, f);
        *uneven = make_products<real>(raw, layout, memory, blocks, stops);
        return raw;
    }
    stebz_scaling const by = stebz_scaling_of(f.scale);
    double2 *const rows = (double2 *)memory + (blocks * STURM_BLOCK - n);
    for (int i = threadIdx.x; i < n; i += THREADS)
        rows[i] = stebz_scaled((double)raw.diagonal(i, false), i > 0 ? (double)raw.before(i, false) : 0.0, by);
    __syncthreads(); /* the rows are there */
    return raw;
}

/* --------------------------------------------------------------- rough counts */

/* T seen from both ends: this lane's half of the rows, and the square of what couples the halves. */
template <typename real> struct both_ends {
    const pair_of<real> *rows;
    const stebz_edge<real> *edges;
    int blocks, padding;
    bool smooth;
    const unsigned *stops;
    double square;

    /* With u, v the determinants of the halves, u', v' those without the row at the cut, det(T - x) = u v - b^2 u' v';
     * and the last pivot from below is that over u v', where it is v / v' without the coupling. */
    __device__ __forceinline__ stebz_value join(const sturm_walk<real> &s) const
    {
        double const mine = s.r1, mine_before = s.r0, other = __shfl_xor_sync(0xffffffffu, mine, HALF),
                     other_before = __shfl_xor_sync(0xffffffffu, mine_before, HALF);
        bool const top = (threadIdx.x & HALF) == 0;
        double const u = top ? mine : other, v = top ? other : mine;
        double const u_before = top ? mine_before : other_before, v_before = top ? other_before : mine_before;
        double const whole = fma(u, v, -(square * (u_before * v_before)));
        unsigned const joined = (sign_word(whole) ^ sign_word(u) ^ sign_word(v_before)) >> 31;
        unsigned const apart = (sign_word(v) ^ sign_word(v_before)) >> 31;
        int const count = s.count + __shfl_xor_sync(0xffffffffu, s.count, HALF);
        int const exponent = s.exponent + __shfl_xor_sync(0xffffffffu, s.exponent, HALF);
        return stebz_value{count + (int)joined - (int)apart, whole, (double)exponent};
    }

    /* The same in both lanes of a shift.  All lanes of the warp. */
    __device__ stebz_value count(double x) const
    {
        return join(walk_resident<real, pitch_of<real>, false>(rows, edges, blocks, padding, (real)x, smooth, stops));
    }
};

template <typename real>
static __device__ both_ends<real> open_ends(const stebz_job &job, const whole_layout &layout, char *memory,
                                            const raw_rows<real> &raw, bool smooth, const unsigned *stops)
{
    bool const top = (threadIdx.x & HALF) == 0;
    int const blocks = (int)job.t.blocks, above = blocks / 2;
    int const padding = blocks * STURM_BLOCK - raw.n,
              cut = above * STURM_BLOCK - padding; /* the second half's first row */
    double const b = cut > 0 ? (double)raw.before(cut, false) : 0;
    return both_ends<real>{(const pair_of<real> *)(memory + (top ? 0 : layout.back)),
                           (const stebz_edge<real> *)(memory + (top ? layout.edges : layout.back_edges)),
                           top ? above : blocks - above,
                           top ? padding : 0,
                           smooth,
                           stops,
                           b * b};
}

#endif
