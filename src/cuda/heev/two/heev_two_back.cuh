/* heev on CUDA, two stages, the vectors: Z := Q Z for the chase's reflections Q.
 *
 * Formula  Sweeps k0, ..., k0 + TWO_BAND - 1 are a group.  Their reflections of step s, the first sweep's on the left, are a block
 *          I - V F V^H of 2 TWO_BAND - 1 rows; column c of V has TWO_BAND numbers, from row c on.  F is upper triangular, its
 *          inverse V^H V / 2 on and V^H V above the diagonal.  Blocks of a group stand from the last step to the first, groups from
 *          the first to the last: so the last group, and in it the first step, is applied first (as C. Bischof, B. Lang and X. Sun,
 *          ACM Trans. Math. Softw. 26 (2000)).
 * Kernels  blocks: V, and U = V F^H, of some groups.  sweeps: Z - V (U^H Z).
 * Mapping  sweeps: a column of Z is a few lanes' own, from the first block to the last: nothing waits for another column.  A window of
 *          BACK_TOGETHER + 1 times TWO_BAND rows of it is in registers, and goes down the rows; BACK_TOGETHER groups are applied on
 *          the way, each one step behind the one ahead of it.  U and V come through shared memory, one block ahead.  Doubles go through
 *          tensor cores, a warp with the transpose of its columns: what one product leaves is where the next one takes it.
 * Bits     a column's sums depend on no other column.
 * Cost     some 2.5 n^2 k FMA for k columns, 2 n^2 k without the triangles' zeros. */
#ifndef EIG_HEEV_TWO_BACK_CUH
#define EIG_HEEV_TWO_BACK_CUH

#include "heev/two/heev_two.cuh"
#include "words/copy.cuh"
#include "words/tensor.cuh"

enum {
    BACK_ROWS = 2 * TWO_BAND,             /* of a block, the last of them zero */
    BACK_THREADS = 128,                   /* of the kernel blocks */
    BACK_TOGETHER = 2,                    /* groups that go down the rows together */
    BACK_BLOCK = 2 * BACK_ROWS * TWO_BAND /* numbers of U and V, by rows */
};

static_assert((int)BACK_BLOCK == (int)HEEV_TWO_BLOCK && TWO_BAND == (int)HEEV_TWO_ABOVE + 1,
              "heev_cuda.cuh has the same numbers");

/* The chase's reflections of a matrix, and Z. */
struct back_job {
    const void *a; /* as in two_job: of sweep k its numbers from row k + 1 on stand at the head of column n - 1 - k */
    int64_t pitch;
    void *re, *im;   /* Z, column by column; real and imaginary parts */
    int64_t z_pitch; /* of both */
    int n, columns;
    int top, groups; /* groups top, top - 1, ..., top - groups + 1 */
    int steps;       /* of group 0 */
    void *blocks;    /* [groups][steps][BACK_BLOCK] numbers: U, then V */
};

/* The last block of rows, TWO_BAND b + 1, ..., in which a reflection begins: step s of group g is in block g + s. */
static __host__ __device__ __forceinline__ int back_last(int n)
{
    return (n - 2) / TWO_BAND;
}

/* ---------------------------------------------------------------------- blocks */

template <typename number> struct back_blocks_shape {
    static constexpr int of_v = BACK_ROWS + 1, of_f = TWO_BAND + 1;
    static constexpr size_t bytes = (size_t)(TWO_BAND * of_v + 2 * TWO_BAND * of_f) * sizeof(number);
};

/* A block of threads has step blockIdx.x % steps of group top - blockIdx.x / steps. */
template <typename number>
static __global__ void __launch_bounds__(BACK_THREADS) heev_two_blocks_kernel(const __grid_constant__ back_job job)
{
    using real = typename number::real;
    using shape = back_blocks_shape<number>;
    extern __shared__ double two_memory[];
    number *const v = (number *)two_memory, *const products = v + TWO_BAND * shape::of_v,
                  *const f = products + TWO_BAND * shape::of_f;
    int const rank = (int)threadIdx.x, s = (int)blockIdx.x % job.steps, g = job.top - (int)blockIdx.x / job.steps;
    if (g + s > back_last(job.n)) return;
    for (int e = rank; e < TWO_BAND * BACK_ROWS; e += BACK_THREADS) {
        int const c = e / BACK_ROWS, r = e % BACK_ROWS, i = r - c, k = g * TWO_BAND + c;
        bool const there = i >= 0 && i < TWO_BAND && k < job.n - 1 && k + 1 + s * TWO_BAND + i < job.n;
        v[c * shape::of_v + r] =
            there ? ((const number *)job.a)[s * TWO_BAND + i + (job.n - 1 - k) * job.pitch] : zero_of<number>();
    }
    __syncthreads(); /* V is there */
    for (int e = rank; e < TWO_BAND * TWO_BAND; e += BACK_THREADS) {
        int const i = e / TWO_BAND, j = e % TWO_BAND;
        number y = zero_of<number>();
        if (i <= j)
#pragma unroll 4
            for (int r = j; r < i + TWO_BAND; ++r)
                y = conj_product_add(v[i * shape::of_v + r], v[j * shape::of_v + r], y);
        products[i * shape::of_f + j] = y;
        f[i * shape::of_f + j] = zero_of<number>();
    }
    __syncthreads(); /* V^H V is there */
    if (rank < TWO_BAND)
        for (int j = rank; j < TWO_BAND; ++j) {
            real const twice = products[j * shape::of_f + j].re, tau = twice > 0 ? 2 / twice : (real)0;
            number y = zero_of<number>();
            if (j == rank) set(y, (real)-1, (real)0);
            for (int c = rank; c < j; ++c) y = product_add(f[rank * shape::of_f + c], products[c * shape::of_f + j], y);
            f[rank * shape::of_f + j] = scaled(-tau, y);
        }
    __syncthreads(); /* F is there */
    number *const to = (number *)job.blocks + (int64_t)blockIdx.x * BACK_BLOCK;
    for (int e = rank; e < BACK_ROWS * TWO_BAND; e += BACK_THREADS) {
        int const r = e / TWO_BAND, i = e % TWO_BAND;
        number y = zero_of<number>();
        for (int j = i; j < TWO_BAND; ++j) y = product_add(v[j * shape::of_v + r], conj(f[i * shape::of_f + j]), y);
        to[e] = y;
        to[BACK_ROWS * TWO_BAND + e] = v[i * shape::of_v + r];
    }
}

/* ---------------------------------------------------------------------- sweeps */

/* What lanes hold of columns of Z in TWO_BAND rows is a part of `each` elements.  By FMA: 4 lanes have a column, lane q rows q, q + 4,
 * ... of it. */
template <typename number> struct back_by_fma {
    using real = typename number::real;
    using element = number;
    enum { LANES = 4, each = TWO_BAND / LANES, columns = 32 / LANES /* of a warp */, most_warps = 8 };
    static constexpr int per = 16 / (int)sizeof(number); /* numbers of a load */
    static constexpr int u_pitch = TWO_BAND + per, v_pitch = u_pitch;
    struct alignas(16) piece {
        number x[per];
    };
    real *re, *im;
    int n, q;
    bool there;

    __device__ __forceinline__ back_by_fma(const back_job &job, int64_t warp, int lane)
        : n(job.n), q(lane % LANES), there(warp * columns + lane / LANES < job.columns)
    {
        int64_t const at = (warp * columns + lane / LANES) * job.z_pitch;
        re = (real *)job.re + at, im = (real *)job.im + at;
    }
    __device__ __forceinline__ void load(int block, element (&to)[each]) const
    {
#pragma unroll
        for (int t = 0; t < each; ++t) {
            int const row = block * TWO_BAND + 1 + t * LANES + q;
            to[t] = zero_of<number>();
            if (there && row > 0 && row < n) set(to[t], re[row], number::complex ? im[row] : (real)0);
        }
    }
    __device__ __forceinline__ void store(int block, const element (&from)[each]) const
    {
#pragma unroll
        for (int t = 0; t < each; ++t) {
            int const row = block * TWO_BAND + 1 + t * LANES + q;
            if (!there || row <= 0 || row >= n) continue;
            re[row] = from[t].re;
            if (number::complex) im[row] = imaginary(from[t]);
        }
    }

    /* These two parts, one below the other, become I - V U^H times them. */
    __device__ __forceinline__ void reflect(const number *u, const number *v, element (&low)[each],
                                            element (&high)[each]) const
    {
        number p[TWO_BAND];
#pragma unroll
        for (int c = 0; c < TWO_BAND; ++c) p[c] = zero_of<number>();
#pragma unroll
        for (int t = 0; t < 2 * each; ++t)
#pragma unroll
            for (int c = 0; c < TWO_BAND; c += per) {
                if (c > t * LANES + LANES - 1) continue; /* zeros */
                piece const x = *(const piece *)(u + (t * LANES + q) * u_pitch + c);
#pragma unroll
                for (int i = 0; i < per; ++i)
                    p[c + i] = conj_product_add(x.x[i], t < each ? low[t] : high[t - each], p[c + i]);
            }
#pragma unroll
        for (int across = 1; across < LANES; across *= 2)
#pragma unroll
            for (int c = 0; c < TWO_BAND; ++c) p[c] = sum(p[c], from_lane(p[c], across));
#pragma unroll
        for (int c = 0; c < TWO_BAND; ++c) p[c] = negative(p[c]);
#pragma unroll
        for (int t = 0; t < 2 * each; ++t)
#pragma unroll
            for (int c = 0; c < TWO_BAND; c += per) {
                if (c > t * LANES + LANES - 1 || c + per + TWO_BAND - 2 < t * LANES) continue; /* zeros */
                piece const x = *(const piece *)(v + (t * LANES + q) * v_pitch + c);
#pragma unroll
                for (int i = 0; i < per; ++i) {
                    number &z = t < each ? low[t] : high[t - each];
                    z = product_add(x.x[i], p[c + i], z);
                }
            }
    }
};

/* By tensor cores: a warp has the transpose of 16 real columns, or of 8 complex ones, real parts above imaginary parts, in pieces of
 * 16 x 8 (words/tensor.cuh); a piece is of rows 8 t, ... of the part.  Terms of a product are taken in the order in which a piece
 * has them. */
template <typename number> struct back_by_tensor {
    using real = typename number::real;
    using element = double;
    enum { PIECES = TWO_BAND / 8, each = 4 * PIECES, columns = number::complex ? 8 : 16, most_warps = 4 };
    static constexpr int u_pitch = TWO_BAND + (number::complex ? 1 : 2), v_pitch = TWO_BAND + (number::complex ? 1 : 8);
    double *at[2]; /* rows lane / 4 and lane / 4 + 8 of pieces */
    bool there[2];
    int n, q, m;

    __device__ __forceinline__ back_by_tensor(const back_job &job, int64_t warp, int lane)
        : n(job.n), q(lane % 4), m(lane / 4)
    {
#pragma unroll
        for (int f = 0; f < 2; ++f) {
            int64_t const column = warp * columns + m + (number::complex ? 0 : 8 * f);
            at[f] = (double *)(number::complex && f > 0 ? job.im : job.re) + column * job.z_pitch;
            there[f] = column < job.columns;
        }
    }
    __device__ __forceinline__ void load(int block, element (&to)[each]) const
    {
#pragma unroll
        for (int e = 0; e < each; ++e) {
            int const row = block * TWO_BAND + 1 + e / 4 * 8 + 2 * q + e % 2, f = e / 2 % 2;
            to[e] = there[f] && row > 0 && row < n ? at[f][row] : 0;
        }
    }
    __device__ __forceinline__ void store(int block, const element (&from)[each]) const
    {
#pragma unroll
        for (int e = 0; e < each; ++e) {
            int const row = block * TWO_BAND + 1 + e / 4 * 8 + 2 * q + e % 2, f = e / 2 % 2;
            if (there[f] && row > 0 && row < n) at[f][row] = from[e];
        }
    }

    /* Adds to a piece another one times b, of the terms that this lane has first and second; imaginary parts count with `sign`. */
    static __device__ __forceinline__ void multiply(double *to, const double *x, number b, number b4, double sign)
    {
        tensor_16x8x8(to, to + 2, x[0], x[2], x[1], x[3], b.re, b4.re);
        if constexpr (number::complex)
            tensor_16x8x8(to, to + 2, -sign * x[2], sign * x[0], -sign * x[3], sign * x[1], b.im, b4.im);
    }

    __device__ __forceinline__ void reflect(const number *u, const number *v, element (&low)[each],
                                            element (&high)[each]) const
    {
        double p[each]; /* of the sweeps */
#pragma unroll
        for (int e = 0; e < each; ++e) p[e] = 0;
#pragma unroll
        for (int t = 0; t < 2 * PIECES; ++t)
#pragma unroll
            for (int c = 0; c < PIECES; ++c) {
                if (c > t) continue; /* zeros */
                const number *const b = u + (8 * t + 2 * q) * u_pitch + 8 * c + m;
                multiply(p + 4 * c, t < PIECES ? low + 4 * t : high + 4 * (t - PIECES), b[0], b[u_pitch], -1);
            }
#pragma unroll
        for (int e = 0; e < each; ++e) p[e] = -p[e];
#pragma unroll
        for (int c = 0; c < PIECES; ++c)
#pragma unroll
            for (int t = 0; t < 2 * PIECES; ++t) {
                if (c > t || c < t - PIECES) continue; /* zeros */
                const number *const b = v + (8 * t + m) * v_pitch + 8 * c + 2 * q;
                alignas(16) number both[2];
                if constexpr (number::complex)
                    both[0] = b[0], both[1] = b[1];
                else
                    *(double2 *)both = *(const double2 *)b;
                multiply(t < PIECES ? low + 4 * t : high + 4 * (t - PIECES), p + 4 * c, both[0], both[1], 1);
            }
    }
};

template <typename number, bool wide = sizeof(typename number::real) == 8> struct back_strip_of {
    using type = back_by_fma<number>;
};
template <typename number> struct back_strip_of<number, true> {
    using type = back_by_tensor<number>;
};
template <typename number> struct back_shape {
    using strip = typename back_strip_of<number>::type;
    static constexpr int per = 16 / (int)sizeof(number), of_u = BACK_ROWS * strip::u_pitch,
                         stage = of_u + BACK_ROWS * strip::v_pitch;
    static constexpr size_t bytes = 2 * (size_t)stage * sizeof(number);
};

template <typename number>
static __global__ void __launch_bounds__(32 * back_shape<number>::strip::most_warps)
    heev_two_sweeps_kernel(const __grid_constant__ back_job job)
{
    using shape = back_shape<number>;
    using strip = typename shape::strip;
    using element = typename strip::element;
    enum { G = BACK_TOGETHER, each = strip::each };
    extern __shared__ double two_memory[];
    number *const memory = (number *)two_memory;
    int const threads = (int)blockDim.x, rank = (int)threadIdx.x, last = back_last(job.n);
    strip const x(job, (blockIdx.x * (int64_t)threads + rank) / 32, rank % 32);
    for (int begin = 0; begin < job.groups; begin += G) {
        int const top = job.top - begin, low = max(top - (G - 1), 0), steps = last - low + 1;
        /* Block i of this pass is step i / G of group top - i % G. */
        auto const exists = [&](int i) {
            int const g = top - i % G;
            return g >= 0 && g + i / G <= last;
        };
        auto const send = [&](int i) {
            constexpr int row = TWO_BAND / shape::per;
            if (i < steps * G && exists(i)) {
                const number *const from =
                    (const number *)job.blocks + ((int64_t)(begin + i % G) * job.steps + i / G) * BACK_BLOCK;
                number *const u = memory + i % 2 * shape::stage, *const v = u + shape::of_u;
#pragma unroll 4
                for (int f = rank; f < BACK_ROWS * row; f += threads) {
                    int const r = f / row, c = f % row * shape::per;
                    copy_16(u + r * strip::u_pitch + c, from + f * shape::per);
                    copy_16(v + r * strip::v_pitch + c, from + (BACK_ROWS * row + f) * shape::per);
                }
            }
            copy_end();
        };
        element z[G + 1][each], next[each];
        __syncthreads(); /* nobody reads what the pass before left */
        send(0);
#pragma unroll
        for (int b = 0; b <= G; ++b) x.load(top - G + 1 + b, z[b]);
        for (int s = 0; s < steps; ++s) {
            x.load(top + s + 2, next);
            for (int p = 0; p < G; ++p) {
                int const i = s * G + p;
                copy_wait<0>();
                __syncthreads(); /* block i is there, and the place of the next one is free */
                send(i + 1);
                const number *const u = memory + i % 2 * shape::stage;
                if (exists(i)) x.reflect(u, u + shape::of_u, z[G - 1], z[G]);
#pragma unroll
                for (int e = 0; e < each; ++e) { /* the rows above come into place */
                    element const end = z[G][e];
#pragma unroll
                    for (int b = G; b > 0; --b) z[b][e] = z[b - 1][e];
                    z[0][e] = end;
                }
            }
            x.store(top - G + 1 + s, z[G]);
#pragma unroll
            for (int e = 0; e < each; ++e) z[G][e] = next[e];
        }
#pragma unroll
        for (int b = 0; b < G; ++b) x.store(top - G + 1 + steps + b, z[b]);
    }
}

#endif
