/* Sturm counts on the device: the rows of T stream through shared memory while every lane counts at its own shift.
 *
 * Mapping   one shift a lane; a row is one broadcast load for the 32 lanes of a warp.
 * Memory    two tiles of 16 KB of rows and 2 KB of edges.  A matrix of at most two tiles (2048 rows in double, 4096 in
 *           float) stays there and warps run freely; a larger one passes through, copied one tile ahead (cp.async), and
 *           the block's warps move in step: one barrier a tile.
 * Cost      per row and shift two FMAs and one funnel shift, which collects the sign: 16 rows' changes are one popc.
 *           The chain is one FMA a row.  Rows are loaded into registers half a block ahead. */
#ifndef EIG_STEBZ_COUNT_CUH
#define EIG_STEBZ_COUNT_CUH

#include "primitives/copy.cuh"
#include "primitives/ptx.cuh"
#include "stebz_cuda.cuh"

enum { STEBZ_TILE_BYTES = 16384, STEBZ_TILE_EDGES = 2048, STEBZ_SHARED = 2 * (STEBZ_TILE_BYTES + STEBZ_TILE_EDGES) };

/* Bits of a number: the word with its sign, its biased exponent, and a power of two from an exponent. */
static __device__ __forceinline__ unsigned sign_word(float x)
{
    return __float_as_uint(x);
}
static __device__ __forceinline__ unsigned sign_word(double x)
{
    return (unsigned)__double2hiint(x);
}
static __device__ __forceinline__ int exponent_field(float x)
{
    return (__float_as_int(x) >> 23) & 0xff;
}
static __device__ __forceinline__ int exponent_field(double x)
{
    return (__double2hiint(x) >> 20) & 0x7ff;
}
template <typename real> constexpr int exponent_bias = sizeof(real) == 4 ? 127 : 1023;
template <typename real> static __device__ __forceinline__ real power_of_two(int e);
template <> __device__ __forceinline__ float power_of_two<float>(int e)
{
    return __int_as_float((127 + e) << 23);
}
template <> __device__ __forceinline__ double power_of_two<double>(int e)
{
    return __hiloint2double((1023 + e) << 20, 0);
}

/* A count on its way down the rows. */
template <typename real> struct sturm_walk {
    real r0, r1;      /* the determinants of the last two rows, scaled */
    unsigned signs;   /* of the last 32 rows, newest lowest */
    unsigned changes; /* sign changes of the last block, not yet counted */
    int count;
    int exponent; /* of the factor taken out so far */
};

template <typename real> static __device__ __forceinline__ void walk_push(sturm_walk<real> &s, real next)
{
    s.signs = __funnelshift_l(sign_word(next), s.signs, 1);
    s.r0 = s.r1;
    s.r1 = next;
}

template <typename real>
static __device__ __forceinline__ void walk_row(sturm_walk<real> &s, pair_of<real> row, real minus_x)
{
    walk_push(s, fma(fma(minus_x, row.y, row.x), s.r1, -s.r0));
}

/* Multiplies both determinants by the power of two that brings the larger into [1, 2). */
template <typename real> static __device__ __forceinline__ void walk_normalise(sturm_walk<real> &s)
{
    int const e = max(exponent_field(s.r0), exponent_field(s.r1)) - exponent_bias<real>;
    real const factor = power_of_two<real>(-e);
    s.r0 *= factor;
    s.r1 *= factor;
    s.exponent += e;
}

/* Rows [from, STURM_BLOCK) of one block without haste: the first block of a matrix, and blocks of plain rows.  These
 * are rescaled every second row: squares of 2^-54 and exact zeros leave a determinant of 2^-108 then, of 2^-162 after
 * four rows, which is 0. */
template <typename real>
static __device__ __forceinline__ void walk_slow_block(sturm_walk<real> &s, const pair_of<real> *rows,
                                                       const stebz_edge<real> &edge, int from, real minus_x)
{
    bool const plain = edge.e0 == STEBZ_PLAIN;
    if (plain) walk_normalise(s);
#pragma unroll 1
    for (int j = from; j < STURM_BLOCK; ++j) {
        pair_of<real> const row = rows[j];
        if (plain) {
            walk_push(s, fma(row.x + minus_x, s.r1, -(row.y * s.r0)));
            if (j & 1) walk_normalise(s);
        } else {
            walk_row<real>(s, row, minus_x);
        }
    }
    if (!plain) {
        s.r0 *= edge.s0;
        s.r1 *= edge.s1;
        walk_normalise(s);
    }
    unsigned const mask = (1u << (STURM_BLOCK - from)) - 1;
    s.count += __popc((s.signs ^ (s.signs >> 1)) & mask);
}

enum { STEBZ_HALF = STURM_BLOCK / 2 };

/* Half a block of rows, in loads of 16 bytes. */
static __device__ __forceinline__ void load_half(double2 (&a)[STEBZ_HALF], const double2 *rows)
{
#pragma unroll
    for (int j = 0; j < STEBZ_HALF; ++j) a[j] = rows[j];
}
static __device__ __forceinline__ void load_half(float2 (&a)[STEBZ_HALF], const float2 *rows)
{
#pragma unroll
    for (int j = 0; j < STEBZ_HALF; j += 2) {
        float4 const two = *(const float4 *)(rows + j);
        a[j] = make_float2(two.x, two.y);
        a[j + 1] = make_float2(two.z, two.w);
    }
}

/* A full block of plain rows: what walk_slow_block does there, with all rows loaded ahead. */
static __device__ __forceinline__ void walk_plain_block(sturm_walk<float> &s, const float2 *rows, float minus_x)
{
    float2 a[STURM_BLOCK];
#pragma unroll
    for (int j = 0; j < STURM_BLOCK; j += 2) {
        float4 const two = *(const float4 *)(rows + j);
        a[j] = make_float2(two.x, two.y), a[j + 1] = make_float2(two.z, two.w);
    }
    walk_normalise(s);
#pragma unroll
    for (int j = 0; j < STURM_BLOCK; ++j) {
        walk_push(s, fma(a[j].x + minus_x, s.r1, -(a[j].y * s.r0)));
        if (j & 1) walk_normalise(s);
    }
    s.count += __popc((s.signs ^ (s.signs >> 1)) & ((1u << STURM_BLOCK) - 1));
}

/* The factors for both determinants at the end of a block, from its rows up to STEBZ_LOOK. */
template <typename real>
static __device__ __forceinline__ pair_of<real> walk_look(sturm_walk<real> &s, const stebz_edge<real> &edge)
{
    int const e = max(exponent_field(s.r0) + edge.e0, exponent_field(s.r1) + edge.e1);
    real const factor = power_of_two<real>(-e);
    s.exponent += e;
    return {edge.s0 * factor, edge.s1 * factor};
}

template <typename real> static __device__ __forceinline__ void walk_end(sturm_walk<real> &s, pair_of<real> factors)
{
    s.r0 *= factors.x;
    s.r1 *= factors.y;
    s.changes = (s.signs ^ (s.signs >> 1)) & ((1u << STURM_BLOCK) - 1);
}

/* Full blocks, rows[0] being the first row of the first, and pitch rows after it that of the next. */
template <typename real, int pitch = STURM_BLOCK>
static __device__ __forceinline__ void walk_blocks(sturm_walk<real> &s, const pair_of<real> *rows,
                                                   const stebz_edge<real> *edges, int blocks, real minus_x)
{
    pair_of<real> a[STEBZ_HALF], b[STEBZ_HALF];
    constexpr bool early = sizeof(real) == 4; /* edges a block ahead: in float a branch waits for them */
    if (early) {
        rows = keep_shared(rows);
        edges = keep_shared(edges);
    }
    minus_x = keep_value(minus_x);
    load_half(a, rows);
    stebz_edge<real> edge = edges[0];
    s.changes = 0;
#pragma unroll 2
    for (int block = 0; block < blocks; ++block) {
        int const ahead = block + 1 < blocks;
        stebz_edge<real> const next_edge = edges[block + ahead];
        if (!early) edge = edges[block];
        const pair_of<real> *const next = rows + ahead * pitch;
        load_half(b, rows + STEBZ_HALF);
        if constexpr (sizeof(real) == 4)
            if (edge.e0 == STEBZ_PLAIN) {
                s.count += __popc(s.changes);
                s.changes = 0;
                walk_plain_block(s, rows, minus_x);
                load_half(a, next);
                rows = next;
                edge = next_edge;
                continue;
            }
#pragma unroll
        for (int j = 0; j < STEBZ_HALF; ++j) walk_row<real>(s, a[j], minus_x);
        s.count += __popc(s.changes);
        load_half(a, next);
        pair_of<real> factors = {};
#pragma unroll
        for (int j = 0; j < STEBZ_HALF; ++j) {
            walk_row<real>(s, b[j], minus_x);
            if (STEBZ_HALF + j == STEBZ_LOOK) factors = walk_look(s, edge);
        }
        walk_end(s, factors);
        rows = next;
        edge = next_edge;
    }
    s.count += __popc(s.changes);
}

/* Full blocks in float, none of which has plain rows: a test for them in each block keeps the rows behind it from being
 * loaded in time.  Two rows of the next block come as soon as two of this one have been used. */
template <int pitch>
static __device__ __forceinline__ void walk_smooth(sturm_walk<float> &s, const float2 *rows,
                                                   const stebz_edge<float> *edges, int blocks, float minus_x)
{
    float4 a[STEBZ_HALF];
    minus_x = keep_value(minus_x);
#pragma unroll
    for (int j = 0; j < STEBZ_HALF; ++j) a[j] = ((const float4 *)rows)[j];
    stebz_edge<float> edge = edges[0];
    s.changes = 0;
#pragma unroll 4
    for (int block = 0; block < blocks; ++block) {
        int const ahead = block + 1 < blocks;
        stebz_edge<float> const next_edge = edges[block + ahead];
        const float2 *const next = rows + ahead * pitch;
        s.count += __popc(s.changes);
        float2 factors = {};
#pragma unroll
        for (int j = 0; j < STEBZ_HALF; ++j) {
            float4 const two = a[j];
            walk_row<float>(s, make_float2(two.x, two.y), minus_x);
            walk_row<float>(s, make_float2(two.z, two.w), minus_x);
            a[j] = ((const float4 *)next)[j];
            if (2 * j + 1 == STEBZ_LOOK) factors = walk_look(s, edge);
        }
        walk_end(s, factors);
        rows = next;
        edge = next_edge;
    }
    s.count += __popc(s.changes);
}

/* A full block in float, which has plain rows or not. */
static __device__ __forceinline__ void walk_any_block(sturm_walk<float> &s, const float2 *rows,
                                                      const stebz_edge<float> &edge, float minus_x)
{
    if (edge.e0 == STEBZ_PLAIN) return walk_plain_block(s, rows, minus_x);
    float2 a[STURM_BLOCK], factors = {};
#pragma unroll
    for (int j = 0; j < STURM_BLOCK; ++j) a[j] = rows[j];
#pragma unroll
    for (int j = 0; j < STURM_BLOCK; ++j) {
        walk_row<float>(s, a[j], minus_x);
        if (j == STEBZ_LOOK) factors = walk_look(s, edge);
    }
    walk_end(s, factors);
    s.count += __popc(s.changes);
}

/* The first block from `block` on of which `stops` has the bit; `blocks`: none. */
static __device__ __forceinline__ int next_stop(const unsigned *stops, int block, int blocks)
{
    while (block < blocks) {
        unsigned const word = stops[block / 32] >> block % 32;
        if (word) return min(block + __ffs(word) - 1, blocks);
        block = (block / 32 + 1) * 32;
    }
    return blocks;
}

/* Full blocks in float, of which few have plain rows: `stops` has their bits, the same for all lanes of the warp,
 * though their rows may be others.  The blocks between are walked as if there were none. */
template <int pitch>
static __device__ __forceinline__ void walk_between(sturm_walk<float> &s, const float2 *rows,
                                                    const stebz_edge<float> *edges, int blocks, float minus_x,
                                                    const unsigned *stops)
{
#pragma unroll 1
    for (int block = 0; block < blocks; ++block) {
        int const stop = next_stop(stops, block, blocks);
        if (stop > block) walk_smooth<pitch>(s, rows + block * pitch, edges + block, stop - block, minus_x);
        block = stop;
        if (block < blocks) walk_any_block(s, rows + block * pitch, edges[block], minus_x);
    }
}

/* Full blocks in float, of which some have plain rows: few, and stops has their bits, or stops is NULL.  No inline
 * code, of which there would be too much.  Rows, edges and stops are in shared memory. */
template <int pitch>
static __device__ __noinline__ sturm_walk<float> walk_uneven(sturm_walk<float> s, const float2 *rows,
                                                             const stebz_edge<float> *edges, int blocks, float minus_x,
                                                             const unsigned *stops)
{
    if (stops)
        walk_between<pitch>(s, keep_shared(rows), keep_shared(edges), blocks, minus_x, keep_shared(stops));
    else
        walk_blocks<float, pitch>(s, rows, edges, blocks, minus_x);
    return s;
}

/* A count and, from the division-free form, the characteristic polynomial there: mantissa 2^exponent. */
struct stebz_value {
    int64_t count;
    double mantissa, exponent;
};

/* The rows of one matrix passing through a thread block's shared memory. */
template <typename real> struct stebz_stream {
    using pair = pair_of<real>;
    enum { TILE_BLOCKS = STEBZ_TILE_BYTES / (STURM_BLOCK * (int)sizeof(pair)) };
    const char *rows, *edges;
    char *shared;
    int64_t blocks;
    int tiles, padding, turn;

    __device__ bool resident() const
    {
        return tiles <= 2;
    }
    __device__ const pair *tile_rows(int buffer) const
    {
        return (const pair *)(shared + buffer * STEBZ_TILE_BYTES);
    }
    __device__ const stebz_edge<real> *tile_edges(int buffer) const
    {
        return (const stebz_edge<real> *)(shared + 2 * STEBZ_TILE_BYTES + buffer * STEBZ_TILE_EDGES);
    }
    __device__ int tile_blocks(int tile) const
    {
        int64_t const left = blocks - (int64_t)tile * TILE_BLOCKS;
        return left < TILE_BLOCKS ? (int)left : (int)TILE_BLOCKS;
    }

    __device__ void copy(int tile, int buffer)
    {
        int const row_bytes = tile_blocks(tile) * STURM_BLOCK * (int)sizeof(pair);
        int const edge_bytes = edges ? tile_blocks(tile) * (int)sizeof(stebz_edge<real>) : 0;
        const char *const from_rows = rows + (int64_t)tile * STEBZ_TILE_BYTES;
        const char *const from_edges = edges + (int64_t)tile * TILE_BLOCKS * sizeof(stebz_edge<real>);
        for (int at = threadIdx.x * 16; at < row_bytes; at += blockDim.x * 16)
            copy_16(shared + buffer * STEBZ_TILE_BYTES + at, from_rows + at);
        for (int at = threadIdx.x * 16; at < edge_bytes; at += blockDim.x * 16)
            copy_16(shared + 2 * STEBZ_TILE_BYTES + buffer * STEBZ_TILE_EDGES + at, from_edges + at);
        copy_end();
    }

    /* Pivot counts have no edges.  All threads of the block. */
    __device__ void open(const stebz_rows &t, bool pivots, char *memory)
    {
        rows = (const char *)t.rows, edges = pivots ? NULL : (const char *)t.edges, shared = memory, blocks = t.blocks;
        tiles = (int)((blocks + TILE_BLOCKS - 1) / TILE_BLOCKS);
        padding = (int)(blocks * STURM_BLOCK - t.n);
        turn = 0;
        copy(0, 0);
        if (!resident()) return;
        if (tiles == 2) copy(1, 1);
        copy_wait<0>();
        __syncthreads();
    }

    /* The buffer that holds the tile; starts the copy of the one after it.  The barrier publishes this tile's copy and
     * proves that nobody reads the other buffer any more.  All threads of the block, unless resident. */
    __device__ int acquire(int tile)
    {
        if (resident()) return tile;
        copy_wait<0>();
        __syncthreads();
        int const buffer = turn & 1;
        turn ^= 1;
        copy(tile + 1 < tiles ? tile + 1 : 0, buffer ^ 1);
        return buffer;
    }

    /* Division-free count at x.  All threads of the block, unless resident; those that are not working only copy. */
    __device__ stebz_value count(real x, bool working)
    {
        sturm_walk<real> s = {0, 1, 0, 0, 0, 0};
        stebz_value value = {0, 0, 0};
        for (int tile = 0; tile < tiles; ++tile) {
            int const buffer = acquire(tile), here = tile_blocks(tile);
            if (!working) continue;
            int skip = 0;
            if (tile == 0 && padding > 0) {
                walk_slow_block(s, tile_rows(buffer), tile_edges(buffer)[0], padding, -x);
                skip = 1;
            }
            if (here > skip)
                walk_blocks(s, tile_rows(buffer) + skip * STURM_BLOCK, tile_edges(buffer) + skip, here - skip, -x);
            value.count += s.count;
            value.exponent += s.exponent;
            s.count = s.exponent = 0;
        }
        value.mantissa = s.r1;
        return value;
    }

    /* Pivot count at x, rows being pairs (a, b) of double. */
    __device__ stebz_value count_pivots(double x, bool working)
    {
        stebz_value value = {0, 0, 0};
        double q = 1;
        for (int tile = 0; tile < tiles; ++tile) {
            const pair *const row = tile_rows(acquire(tile));
            if (!working) continue;
            int const end = tile_blocks(tile) * STURM_BLOCK;
            int count = 0;
            for (int j = tile == 0 ? padding : 0; j < end; ++j) {
                q = sturm_pivot((double)row[j].x, (double)row[j].y, x, q);
                count += q < 0;
            }
            value.count += count;
        }
        return value;
    }
};

#endif
