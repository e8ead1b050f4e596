/* heev on CUDA: products of matrices in shared memory by the warps of a block.
 *
 * A warp has MT x NT pieces of 8 x 8 of the product.  A lane holds of each piece row lane / 4 and columns 2*(lane % 4)
 * and the next: what mma.sync gives it.  Doubles go through the FP64 tensor cores from sm_80 on; float, and older
 * devices, through plain FMA with the same pieces. */
#ifndef EIG_HEEV_BLOCKS_TILES_CUH
#define EIG_HEEV_BLOCKS_TILES_CUH

#include "heev/heev_cuda.cuh"
#include "heev/heev_entry.cuh"
#include "primitives/tensor.cuh"

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

#endif
