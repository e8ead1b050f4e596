/* heev on CUDA: products of small matrices by a warp, complex ones on planes of real and of imaginary parts.
 *
 * Doubles go through the tensor cores (mma.sync, from sm_80 on), others through FMA: a lane has the same rows either way. */
#ifndef EIG_HEEV_TILE_CUH
#define EIG_HEEV_TILE_CUH

#include "heev_number.cuh"

/* A matrix of 8 R rows and 8 C columns in the registers of a warp. */
template <typename number, int R, int C> struct heev_tile {
    using real = typename number::real;
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
        set(z, re[e], im[number::complex ? e : 0]);
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

    /* c += a b, c two neighbours of a row in each lane. */
    static __device__ __forceinline__ void multiply_eight(double *c, double a, double b)
    {
#if __CUDA_ARCH__ >= 800
        asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
            : "+d"(c[0]), "+d"(c[1])
            : "d"(a), "d"(b));
#endif
    }
    static __device__ __forceinline__ void multiply_eight(float *, float, float) {}

    /* Adds A B: element (i, k) of A is a(i, k), element (k, j) of B is b(k, j), k < K. */
    template <int K, typename left, typename right> __device__ __forceinline__ void add_product(left a, right b)
    {
        number x[R], y[2 * C];
        if constexpr (tensor) {
#pragma unroll 4
            for (int k = lane % 4; k < K; k += 4) {
#pragma unroll
                for (int r = 0; r < R; ++r) x[r] = a(8 * r + lane / 4, k);
#pragma unroll
                for (int c = 0; c < C; ++c) y[c] = b(k, 8 * c + lane / 4);
#pragma unroll
                for (int f = 0; f < R * C; ++f) {
                    multiply_eight(re + 2 * f, x[f / C].re, y[f % C].re);
                    if (!number::complex) continue;
                    multiply_eight(re + 2 * f, -imaginary(x[f / C]), imaginary(y[f % C]));
                    multiply_eight(im + 2 * f * number::complex, x[f / C].re, imaginary(y[f % C]));
                    multiply_eight(im + 2 * f * number::complex, imaginary(x[f / C]), y[f % C].re);
                }
            }
        } else {
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
