/* heev on CUDA, n > 64, tridiagonal: the factor F of a block of reflectors, H_k ... H_{k+K-1} = I - Y F Y^H, F upper
 * triangular (Schreiber and Van Loan, SIAM J. Sci. Stat. Comput. 10 (1989)). */
#ifndef EIG_HEEV_FACTOR_CUH
#define EIG_HEEV_FACTOR_CUH

#include "heev/heev_cuda.cuh"
#include "heev/heev_entry.cuh"

static constexpr __host__ __device__ int factor_pitch(int block)
{
    return block + 1;
}

/* F of `block` reflectors from the products Y^H Y, whose lower triangle is overwritten, by 4 * block threads; both have
 * factor_pitch(block) numbers a row.  Blocks of 8 on the diagonal come column by column, F(:, t) = -tau F Y^H y_t.
 * Then two blocks F1, F2 twice become one, with -F1 Y1^H Y2 F2 beside them. */
template <int block, typename number>
static __device__ __forceinline__ void factor_of_products(number *products, number *f, const heev_job &job, int64_t m,
                                                          int k0)
{
    constexpr int pitch = factor_pitch(block), threads = 4 * block;
    int const n = (int)job.p.n, rank = (int)threadIdx.x;
    number zero;
    set(zero, (typename number::real)0, (typename number::real)0);
    for (int g = rank; g < block * pitch; g += threads) f[g] = zero;
    __syncthreads(); /* the products are there, and F is 0 */
    if (rank < block) {
        int const base = rank / 8 * 8, i = rank % 8;
        number *const row = f + rank * pitch + base;
        for (int t = 0; t < 8; ++t) {
            number tau = zero, total = zero;
            if (k0 + base + t < n - 1) tau = ((const number *)job.tau)[m * n + k0 + base + t];
            for (int c = i; c < t; ++c) total = product_add(row[c], products[(base + c) * pitch + base + t], total);
            if (i <= t) row[t] = i == t ? tau : negative(product_add(tau, total, zero));
        }
    }
    for (int half = 8; half < block; half *= 2) {
        int const count = block / 2 * half; /* elements beside the diagonal blocks */
        __syncthreads();                    /* the blocks are there */
        for (int g = rank; g < count; g += threads) {
            int const base = g / (half * half) * 2 * half, i = g / half % half, j = g % half;
            number total = zero;
            for (int c = 0; c <= j; ++c)
                total = product_add(products[(base + i) * pitch + base + half + c],
                                    f[(base + half + c) * pitch + base + half + j], total);
            products[(base + half + i) * pitch + base + j] = negative(total);
        }
        __syncthreads(); /* -Y1^H Y2 F2 is there */
        for (int g = rank; g < count; g += threads) {
            int const base = g / (half * half) * 2 * half, i = g / half % half, j = g % half;
            number total = zero;
            for (int c = i; c < half; ++c)
                total = product_add(f[(base + i) * pitch + base + c], products[(base + half + c) * pitch + base + j],
                                    total);
            f[(base + i) * pitch + base + half + j] = total;
        }
    }
}

#endif
