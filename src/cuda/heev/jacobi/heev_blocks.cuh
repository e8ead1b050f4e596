/* heev on CUDA, n > 32: one-sided block Jacobi, several thread blocks a matrix.
 *
 * Idea     X = A Q and Q lie one upon the other in the workspace, column by column; the pairs of column blocks of a
 *          round, W = 2 nb columns each, are independent.  For a pair: G = Q^H X of its columns, W x W; rotations make
 *          it more diagonal, their product is J; its columns of X and Q become those times J.
 * Mapping  a group of thread blocks has a matrix, a block a pair or several; the group waits for its last block after
 *          each round.  Groups stay and take the next matrix from a queue when theirs has converged.
 * Pair     one kernel: tiles of 8 rows of Q and X arrive behind the product of those before; G and J lie in shared
 *          memory; the first tile of the update, 32 rows, arrives during the rotations.  A pair whose G is diagonal
 *          enough is left as it is.
 * Turns    one sweep a visit, not more: in the first round of a sweep of all pairs of columns, later of those that have
 *          one column in each block.  G is not Hermitian to the last digits: element (i, j) errs by some eps |w_j|, its
 *          mirror by some eps |w_i|; the better one is taken, and counts as 0 below its error.
 * Cost     48 n^3 flops (complex) a sweep, about 4 + log2(n) sweeps; bound by the tensor cores and, in the rotations,
 *          by shared memory.
 * Source   R. Huang, S. Liu and Y. Zhao, Computer Science 50 (2023), Algorithm 3. */
#ifndef EIG_HEEV_BLOCKS_CUH
#define EIG_HEEV_BLOCKS_CUH

#include "heev/heev_cuda.cuh"
#include "heev/heev_entry.cuh"
#include "heev/heev_rotation.cuh"
#include "primitives/copy.cuh"
#include "primitives/team.cuh"
#include "primitives/tensor.cuh"

/* Products of matrices in shared memory by the warps of a block.
 *
 * A warp has MT x NT pieces of 8 x 8 of the product.  A lane holds of each piece row lane / 4 and columns 2*(lane % 4)
 * and the next: what mma.sync gives it.  Doubles go through the FP64 tensor cores from sm_80 on; float, and older
 * devices, through plain FMA with the same pieces. */

/* A warp's part of a product, the real and the imaginary parts apart. */
template <typename number, int MT, int NT> struct warp_product {
    using real = typename number::real;
    static constexpr int parts = number::complex ? 2 : 1;
    real c[parts][MT][NT][2];

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int f = 0; f < parts * MT * NT * 2; ++f) (&c[0][0][0][0])[f] = 0;
    }
    /* Element k = 0, 1 of piece (u, v). */
    __device__ __forceinline__ number get(int u, int v, int k) const
    {
        number x;
        set(x, c[0][u][v][k], c[parts - 1][u][v][k]);
        return x;
    }
    /* Adds what four columns of the left and four rows of the right give: left(i, k) and right(k, j), i from 0 to
     * 8 MT, j to 8 NT, k to 4. */
    template <typename left_function, typename right_function>
    __device__ __forceinline__ void add(left_function left, right_function right)
    {
#if __CUDA_ARCH__ >= 800
        if constexpr (sizeof(real) == sizeof(double)) {
            add_pieces(left, right);
            return;
        }
#endif
        int const lane = (int)threadIdx.x % 32, row = lane / 4, column = 2 * (lane % 4);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            number a[MT], b[NT][2];
#pragma unroll
            for (int u = 0; u < MT; ++u) a[u] = left(8 * u + row, k);
#pragma unroll
            for (int v = 0; v < NT; ++v) b[v][0] = right(k, 8 * v + column), b[v][1] = right(k, 8 * v + column + 1);
#pragma unroll
            for (int f = 0; f < MT * NT * 2; ++f) {
                int const u = f / 2 / NT, v = f / 2 % NT, h = f % 2;
                number const x = product_add(a[u], b[v][h], get(u, v, h));
                c[0][u][v][h] = x.re;
                if (parts == 2) c[parts - 1][u][v][h] = imaginary(x);
            }
        }
    }
    template <typename left_function, typename right_function>
    __device__ __forceinline__ void add_pieces(left_function left, right_function right)
    {
        int const lane = (int)threadIdx.x % 32;
        number a[MT], b[NT];
#pragma unroll
        for (int u = 0; u < MT; ++u) a[u] = left(8 * u + lane / 4, lane % 4);
#pragma unroll
        for (int v = 0; v < NT; ++v) b[v] = right(lane % 4, 8 * v + lane / 4);
        add_parts(
            c[0], a, b, [](number x) { return x.re; }, [](number x) { return x.re; });
        if constexpr (number::complex) {
            add_parts(
                c[1], a, b, [](number x) { return x.re; }, [](number x) { return x.im; });
            add_parts(
                c[0], a, b, [](number x) { return -x.im; }, [](number x) { return x.im; });
            add_parts(
                c[1], a, b, [](number x) { return x.im; }, [](number x) { return x.re; });
        }
    }
    template <typename left_part, typename right_part>
    static __device__ __forceinline__ void add_parts(double (*sum)[NT][2], const number *a, const number *b,
                                                     left_part left, right_part right)
    {
#pragma unroll
        for (int f = 0; f < MT * NT; ++f) {
            int const u = f / NT, v = f % NT;
            if (MT % 2 == 1)
                tensor_8x8x4(sum[u][v], left(a[u]), right(b[v]));
            else if (u % 2 == 0)
                tensor_16x8x4(sum[u][v], sum[u + (MT > 1)][v], left(a[u]), left(a[u + (MT > 1)]), right(b[v]));
        }
    }
};

enum {
    BLOCKS_THREADS = 128, /* four warps, each a quarter of a product */
    BLOCKS_GROUP = 60,    /* most thread blocks of a matrix */
    GRAM_ROWS = 8,        /* of a tile of G's product */
    GRAM_TILES = 4,       /* in shared memory at a time */
    UPDATE_ROWS = 32,     /* of a tile of the update */
    BLOCKS_NOISE = 16     /* rounding errors of an element of G, in eps min(|w_i|, |w_j|): those of Q^H Q too */
};

/* Rows of X, with zeros up to a multiple of 16. */
static inline __host__ __device__ int64_t blocks_rows(int64_t n)
{
    return (n + 15) / 16 * 16;
}

/* A block's shared memory.  Pitches are free of bank conflicts for the lanes of a piece. */
template <typename number, int W> struct blocks_space {
    using real = typename number::real;
    static constexpr int tile_pitch = UPDATE_ROWS + (number::complex ? 2 : 4);
    static constexpr int j_pitch = W + (number::complex ? 2 : 4), g_pitch = W + 1;
    static constexpr int tile_size = W * tile_pitch, gram_size = W * GRAM_ROWS; /* gram_size: of Q alone, or of X */
    static_assert(GRAM_TILES * gram_size <= tile_size && W * g_pitch <= tile_size, "they share their place");
    alignas(16) number tiles[2 * tile_size];   /* of the update; before it those for G, then, in the second half, G */
    number j[W * j_pitch];                     /* by rows */
    heev_rotation<number> rotations[2][W / 2]; /* of this round and the next */
    real d[W];
};

/* That of this block. */
template <typename number, int W> static __device__ __forceinline__ blocks_space<number, W> &blocks_shared()
{
    extern __shared__ double blocks_memory[];
    return *(blocks_space<number, W> *)blocks_memory;
}

/* The triangle a < b < count, count even, as a rectangle of count / 2 rows and count columns, of which the last is
 * empty: row r holds b = count - 1 - r and, behind it, b = r.  Neighbours have mostly one b.  False: empty. */
static __device__ __forceinline__ bool blocks_fold(int count, int f, int *a, int *b)
{
    int const r = f / count, c = f % count, longer = count - 1 - r;
    *a = c < longer ? c : c - longer, *b = c < longer ? longer : r;
    return r < count / 2 && c < count - 1;
}

/* ----------------------------------------------------------------------- a pair */

template <typename number, int W> struct blocks_pair {
    using real = typename number::real;
    using space_type = blocks_space<number, W>;
    static constexpr int half = W / 2, quarter = W / 16; /* pairs of columns; pieces of a warp along W */
    static constexpr int chunk = 16 / (int)sizeof(number);
    static constexpr int tile_pitch = space_type::tile_pitch, gram_size = space_type::gram_size;
    static constexpr int j_pitch = space_type::j_pitch, g_pitch = space_type::g_pitch;
    space_type &at;
    number *front, *back; /* the first columns of the two blocks; back: less half of W columns */
    int pitch, rows;      /* of X and Q together, of X */
    int64_t first, other; /* columns of the two blocks */
    int thread, lane, warp_row, warp_column;
    real bound, tolerance; /* tolerance: of a relative test; 0: the test is absolute */

    /* Column c of the pair: its number, and its rows from `row` on. */
    __device__ __forceinline__ int64_t column(int c) const
    {
        return (c < half ? first : other) + c;
    }
    __device__ __forceinline__ number *column_at(int c, int row) const
    {
        return (c < half ? front : back) + (c * pitch + row);
    }
    __device__ __forceinline__ number *g() const
    {
        return at.tiles + space_type::tile_size;
    }

    /* Whether a value of element (i, j) of G is above 0 for the test or, with share < 1, above this share of the
     * limit. Its rounding errors are some eps min(|w_i|, |w_j|). */
    __device__ __forceinline__ bool above(number value, int i, int j, real share) const
    {
        real const p = fabs(at.d[i]), q = fabs(at.d[j]);
        if (tolerance > 0) return magnitude(value) > share * tolerance * (sqrt(p) * sqrt(q));
        real const limit = share * fmax(bound, BLOCKS_NOISE * real_limits<real>::eps * fmin(p, q));
        return square(value) > limit * limit; /* G's entries are below 2 n: nothing of interest underflows */
    }
    /* Element (i, j) of G or its mirror. */
    __device__ __forceinline__ number element(int i, int j) const
    {
        return i > j ? g()[i * g_pitch + j] : conj(g()[j * g_pitch + i]);
    }
    __device__ __forceinline__ void put(int i, int j, number value) const
    {
        if (i > j)
            g()[i * g_pitch + j] = value;
        else
            g()[j * g_pitch + i] = conj(value);
    }

    /* Tile t of the update. */
    __device__ __forceinline__ void fetch(int t) const
    {
        constexpr int chunks = UPDATE_ROWS / chunk;
        number *const to = at.tiles + t % 2 * space_type::tile_size;
#pragma unroll
        for (int f = thread; f < W * chunks; f += BLOCKS_THREADS)
            copy_16(to + f / chunks * tile_pitch + f % chunks * chunk,
                    column_at(f / chunks, t * UPDATE_ROWS + f % chunks * chunk));
        copy_end();
    }

    /* Where row k of column c lies in a tile for G, of Q or of X: no bank conflicts for the lanes of a piece. */
    static __device__ __forceinline__ int gram_place(int c, int k)
    {
        return c * GRAM_ROWS + (k ^ (sizeof(number) == 16 ? 4 * (c & 1) : sizeof(number) == 8 ? 2 * (c & 2) : 0));
    }
    __device__ __forceinline__ void fetch_gram(int t) const
    {
        constexpr int chunks = GRAM_ROWS / chunk;
        number *const to = at.tiles + t % GRAM_TILES * 2 * gram_size;
#pragma unroll
        for (int f = thread; f < W * chunks; f += BLOCKS_THREADS) {
            int const c = f / chunks, k = f % chunks * chunk;
            copy_16(to + gram_place(c, k), column_at(c, rows + t * GRAM_ROWS + k));
            copy_16(to + gram_size + gram_place(c, k), column_at(c, t * GRAM_ROWS + k));
        }
    }

    /* G = Q^H X into shared memory, whole, and the identity into J. */
    __device__ __forceinline__ void gram() const
    {
        warp_product<number, quarter, quarter> sum;
        sum.clear();
        int const i0 = warp_row * half, j0 = warp_column * half, tiles = rows / GRAM_ROWS;
#pragma unroll
        for (int t = 0; t < GRAM_TILES - 1; ++t) {
            if (t < tiles) fetch_gram(t);
            copy_end();
        }
#pragma unroll 1
        for (int t = 0; t < tiles; ++t) {
            copy_wait<GRAM_TILES - 2>();
            __syncthreads(); /* tile t is there, and that before it is free */
            if (t + GRAM_TILES - 1 < tiles) fetch_gram(t + GRAM_TILES - 1);
            copy_end();
            const number *const q = at.tiles + t % GRAM_TILES * 2 * gram_size, *const a = q + gram_size;
#pragma unroll
            for (int k0 = 0; k0 < GRAM_ROWS; k0 += 4)
                sum.add([&](int i, int k) { return conj(q[gram_place(i0 + i, k0 + k)]); },
                        [&](int k, int j) { return a[gram_place(j0 + j, k0 + k)]; });
        }
        __syncthreads(); /* the tiles are free */
#pragma unroll
        for (int f = 0; f < quarter * quarter * 2; ++f) {
            int const u = f / 2 / quarter, v = f / 2 % quarter, h = f % 2;
            g()[(i0 + 8 * u + lane / 4) * g_pitch + j0 + 8 * v + 2 * (lane % 4) + h] = sum.get(u, v, h);
        }
        for (int f = thread; f < W * W; f += BLOCKS_THREADS)
            set(at.j[f / W * j_pitch + f % W], f / W == f % W ? (real)1 : (real)0, (real)0);
        __syncthreads(); /* G is there */
    }

    /* Keeps, in the lower triangle, of each element of G and its mirror image the one with the smaller error.
     * Returns whether any is above its limit. marks: notes the columns of those. */
    __device__ __forceinline__ bool look(real *d, int *marks) const
    {
        if (thread < W) d[column(thread)] = at.d[thread] = g()[thread * g_pitch + thread].re;
        __syncthreads(); /* the diagonal is there */
        bool some = false;
#pragma unroll
        for (int f = thread; f < W * W / 2; f += BLOCKS_THREADS) {
            int i, j;
            if (!blocks_fold(W, f, &j, &i)) continue;
            bool const mirror = fabs(at.d[i]) < fabs(at.d[j]);
            number const value = mirror ? conj(g()[j * g_pitch + i]) : g()[i * g_pitch + j];
            if (mirror) g()[i * g_pitch + j] = value;
            if (!above(value, i, j, 1)) continue;
            some = true;
            if (marks) marks[column(i)] = marks[column(j)] = 1;
        }
        return __syncthreads_or(some);
    }

    /* Pair k of a round: round-robin over all columns, or a column of each block. */
    static __device__ __forceinline__ void meet(bool all, int round, int k, int *p, int *q)
    {
        int const right = round + k, left = round - k;
        if (all) {
            *p = right < W - 1 ? right : right - (W - 1);
            *q = k == 0 ? W - 1 : left >= 0 ? left : left + W - 1;
        } else {
            *p = k, *q = half + (right < half ? right : right - half);
        }
    }
    /* Makes the rotation of a pair in a round; whether it is not the identity. */
    __device__ __forceinline__ bool make_rotation(bool all, int round, heev_rotation<number> *to) const
    {
        int p, q;
        meet(all, round, thread, &p, &q);
        number const apq = element(p, q);
        real const app = at.d[p], aqq = at.d[q];
        real change;
        heev_rotation<number> rotation = quick_rotation_of(app, aqq, apq, &change);
        bool const acts = above(apq, p, q, (real)0.5);
        number zero;
        set(zero, (real)0, (real)0);
        if (acts) {
            at.d[p] = app - change, at.d[q] = aqq + change;
            put(p, q, zero);
        } else {
            rotation.g = 0, rotation.s = zero;
        }
        *to = rotation;
        return acts;
    }
    /* Where the rows of pair a cross the columns of pair b. */
    __device__ __forceinline__ void rotate_block(bool all, int round, int a, int b) const
    {
        int p, q, u, v;
        heev_rotation<number> const ja = at.rotations[round % 2][a], jb = at.rotations[round % 2][b];
        if (!acts(ja) && !acts(jb)) return;
        meet(all, round, a, &p, &q);
        meet(all, round, b, &u, &v);
        number pu = element(p, u), pv = element(p, v), qu = element(q, u), qv = element(q, v);
        rotate_rows_by_difference(ja, pu, qu), rotate_rows_by_difference(ja, pv, qv);
        rotate_columns_by_difference(jb, pu, pv), rotate_columns_by_difference(jb, qu, qv);
        put(p, u, pu), put(p, v, pv), put(q, u, qu), put(q, v, qv);
    }
    static __device__ __forceinline__ bool acts(const heev_rotation<number> &j)
    {
        return j.s.re != 0 || imaginary(j.s) != 0;
    }

    /* The rows of J that this thread rotates, with its pair k. */
    __device__ __forceinline__ void rotate_rows_of_j(bool all, int round) const
    {
        constexpr int step = (BLOCKS_THREADS - 32) / half, batch = 3;
        int const k = (thread - 32) % half;
        heev_rotation<number> const rotation = at.rotations[round % 2][k];
        if (!acts(rotation)) return;
        int p, q;
        meet(all, round, k, &p, &q);
        for (int i0 = (thread - 32) / half; i0 < W; i0 += batch * step) {
            number x[batch], y[batch];
#pragma unroll
            for (int f = 0; f < batch; ++f)
                if (i0 + f * step < W)
                    x[f] = at.j[(i0 + f * step) * j_pitch + p], y[f] = at.j[(i0 + f * step) * j_pitch + q];
#pragma unroll
            for (int f = 0; f < batch; ++f) {
                if (i0 + f * step >= W) continue;
                rotate_columns_by_difference(rotation, x[f], y[f]);
                at.j[(i0 + f * step) * j_pitch + p] = x[f], at.j[(i0 + f * step) * j_pitch + q] = y[f];
            }
        }
    }

    /* A sweep over G, of all pairs or of those across the blocks; J is the product of its rotations. The first warp
     * computes the rotations of the next round while the others apply those of this round to J. */
    __device__ __forceinline__ void rotate(bool all) const
    {
        int const rounds = all ? W - 1 : half;
        int a, b; /* this thread's pair of pairs */
        static_assert(half * half / 2 <= BLOCKS_THREADS, "one for each thread");
        bool const has_block = blocks_fold(half, thread, &a, &b);
        bool acts = thread < half && make_rotation(all, 0, &at.rotations[0][thread]);
#pragma unroll 1
        for (int round = 0; round < rounds; ++round) {
            bool const some = __syncthreads_or(acts); /* rotations are there */
            if (some) {
                if (has_block) rotate_block(all, round, a, b);
                __syncthreads(); /* G is rotated */
            }
            acts = false;
            if (thread < half && round + 1 < rounds)
                acts = make_rotation(all, round + 1, &at.rotations[(round + 1) % 2][thread]);
            if (thread >= 32 && some) rotate_rows_of_j(all, round);
        }
    }

    /* The pair's columns of X and Q times J; the first tile is on its way. */
    __device__ __forceinline__ void update() const
    {
        int const tiles = 2 * rows / UPDATE_ROWS, i0 = warp_row * (UPDATE_ROWS / 2), j0 = warp_column * half;
#pragma unroll 1
        for (int t = 0; t < tiles; ++t) {
            copy_wait<0>();
            __syncthreads(); /* tile t is there, and that before it is free */
            if (t + 1 < tiles) fetch(t + 1);
            const number *const from = at.tiles + t % 2 * space_type::tile_size + i0, *const j = at.j + j0;
            warp_product<number, 2, quarter> sum;
            sum.clear();
#pragma unroll
            for (int k0 = 0; k0 < W; k0 += 4)
                sum.add([&](int i, int k) { return from[(k0 + k) * tile_pitch + i]; },
                        [&](int k, int c) { return j[(k0 + k) * j_pitch + c]; });
#pragma unroll
            for (int f = 0; f < 2 * quarter * 2; ++f) {
                int const u = f / 2 / quarter, v = f / 2 % quarter, h = f % 2;
                *column_at(j0 + 8 * v + 2 * (lane % 4) + h, t * UPDATE_ROWS + i0 + 8 * u + lane / 4) = sum.get(u, v, h);
            }
        }
    }
};

/* What a visit needs to know. */
template <typename number> struct blocks_visit {
    using real = typename number::real;
    number *x; /* of the group */
    int64_t n;
    int p, q;              /* the column blocks */
    bool all;              /* rotations of all pairs of columns, or of those across */
    real bound, tolerance; /* see blocks_pair */
    real *d;               /* out: the diagonal */
    int *marks;            /* not NULL: notes the columns that hold what is not 0, and rotates nothing */
};

/* Visits a pair of column blocks; whether it was not diagonal enough. It is not inlined, so that the products have
 * the registers. */
template <typename number, int W> static __device__ __noinline__ bool blocks_do(const blocks_visit<number> &to)
{
    int const thread = (int)threadIdx.x, rows = (int)blocks_rows(to.n), half = W / 2;
    int64_t const first = (int64_t)to.p * half, other = (int64_t)to.q * half - half;
    blocks_pair<number, W> const pair = {blocks_shared<number, W>(),
                                         to.x + first * 2 * rows,
                                         to.x + other * 2 * rows,
                                         2 * rows,
                                         rows,
                                         first,
                                         other,
                                         thread,
                                         thread % 32,
                                         thread / 64,
                                         thread / 32 % 2,
                                         to.bound,
                                         to.tolerance};
    bool const all = to.all, look_only = to.marks != NULL;
    pair.gram();
    bool const some = pair.look(to.d, to.marks);
    if (some && !look_only) {
        pair.fetch(0);
        pair.rotate(all);
        pair.update();
    }
    __syncthreads(); /* shared memory is free */
    return some;
}

#endif
