/* heev on CUDA: products of small matrices by a warp, complex ones on planes of real and of imaginary parts.
 *
 * Doubles go through the tensor cores (mma.sync, from sm_80 on), others through FMA: a lane has the same rows either
 * way. */
#ifndef EIG_HEEV_TILE_CUH
#define EIG_HEEV_TILE_CUH

#include "heev/heev_entry.cuh"
#include "primitives/tensor.cuh"

template <bool wide, typename real> struct heev_tile_real {
    using type = real;
};
template <> struct heev_tile_real<true, float> {
    using type = double;
};

/* A matrix of 8 R rows and 8 C columns in the registers of a warp.  wide: in double, whatever the type, by tensor
 * cores, too. */
template <typename number, int R, int C, bool wide = false> struct heev_tile {
    using real = typename heev_tile_real<wide, typename number::real>::type;
#if __CUDA_ARCH__ >= 800
    static constexpr bool tensor = sizeof(real) == 8;
#else
    static constexpr bool tensor = false;
#endif
    static constexpr int size = 2 * R * C; /* elements a lane */
    real re[size], im[number::complex ? size : 1];
    int lane;

    __device__ __forceinline__ explicit heev_tile(int of) : lane(of) {}
    /* Where element e of the lane stands. */
    __device__ __forceinline__ int row(int e) const
    {
        return 8 * (e / 2 / C) + lane / 4;
    }
    __device__ __forceinline__ int column(int e) const
    {
        return 8 * (e / 2 % C) + (tensor ? 2 * (lane % 4) + e % 2 : 4 * (e % 2) + lane % 4);
    }
    __device__ __forceinline__ number get(int e) const
    {
        number z;
        set(z, (typename number::real)re[e], (typename number::real)im[number::complex ? e : 0]);
        return z;
    }
    __device__ __forceinline__ void put(int e, number z)
    {
        re[e] = z.re;
        if (number::complex) im[number::complex ? e : 0] = imaginary(z);
    }
    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int e = 0; e < size; ++e) re[e] = im[number::complex ? e : 0] = 0;
    }

    /* Parts of x times parts of y, added to `to`; x: [2][R] of the halves of k, y: [2][C]. */
    template <typename part_x, typename part_y>
    static __device__ __forceinline__ void multiply_parts(real *to, const number (*x)[R], const number (*y)[C],
                                                          part_x p, part_y q)
    {
        if constexpr (R % 2 == 0) {
#pragma unroll
            for (int f = 0; f < R / 2 * C; ++f) {
                int const r = f / C * 2, c = f % C;
                real *const at = to + 2 * (r * C + c);
                tensor_16x8x8(at, at + 2 * C, p(x[0][r]), p(x[0][r + 1]), p(x[1][r]), p(x[1][r + 1]), q(y[0][c]),
                              q(y[1][c]));
            }
        } else {
#pragma unroll
            for (int f = 0; f < 2 * R * C; ++f)
                tensor_8x8x4(to + f / 2 * 2, p(x[f % 2][f / 2 / C]), q(y[f % 2][f / 2 % C]));
        }
    }

    /* Adds A B: element (i, k) of A is a(i, k), element (k, j) of B is b(k, j), k < K. */
    template <int K, typename left, typename right> __device__ __forceinline__ void add_product(left a, right b)
    {
        if constexpr (tensor) {
            auto const re_of = [](number z) { return z.re; };
            auto const im_of = [](number z) { return imaginary(z); };
            auto const minus_im_of = [](number z) { return -imaginary(z); };
            number x[2][R], y[2][C];
#pragma unroll 2
            for (int k = lane % 4; k < K; k += 8) {
#pragma unroll
                for (int f = 0; f < 2 * R; ++f) x[f / R][f % R] = a(8 * (f % R) + lane / 4, k + 4 * (f / R));
#pragma unroll
                for (int f = 0; f < 2 * C; ++f) y[f / C][f % C] = b(k + 4 * (f / C), 8 * (f % C) + lane / 4);
                multiply_parts(re, x, y, re_of, re_of);
                if constexpr (number::complex) {
                    multiply_parts(im, x, y, re_of, im_of);
                    multiply_parts(im, x, y, im_of, re_of);
                    multiply_parts(re, x, y, minus_im_of, im_of);
                }
            }
        } else {
            number x[R], y[2 * C];
#pragma unroll 4
            for (int k = 0; k < K; ++k) {
#pragma unroll
                for (int r = 0; r < R; ++r) x[r] = a(8 * r + lane / 4, k);
#pragma unroll
                for (int c = 0; c < 2 * C; ++c) y[c] = b(k, 4 * c + lane % 4);
#pragma unroll
                for (int e = 0; e < size; ++e) put(e, product_add(x[e / 2 / C], y[e % (2 * C)], get(e)));
            }
        }
    }
};

#endif
