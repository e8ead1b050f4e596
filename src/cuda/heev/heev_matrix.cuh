/* heev on CUDA, n > 32, tridiagonal: what the two reductions share. */
#ifndef EIG_HEEV_MATRIX_CUH
#define EIG_HEEV_MATRIX_CUH

#include "heev/heev_cuda.cuh"
#include "heev/heev_entry.cuh"
#include "primitives/copy.cuh"

template <typename number> static __device__ __forceinline__ number zero_of()
{
    number z;
    set(z, (typename number::real)0, (typename number::real)0);
    return z;
}

/* What stands where a number has yet to come from another block: all bits set, a NaN that no arithmetic makes. */
enum { HEEV_MARK = 0xff /* each byte */ };
static __device__ __forceinline__ bool is_mark(double z)
{
    return __double_as_longlong(z) == -1;
}
static __device__ __forceinline__ bool is_mark(float z)
{
    return __float_as_int(z) == -1;
}

/* The number of the lane whose rank differs in the bits of `across`. */
NUMBER_WORD NUMBER_R from_lane(NUMBER_R x, int across)
{
    return {__shfl_xor_sync(0xffffffffu, x.re, across)};
}
NUMBER_WORD NUMBER_Z from_lane(NUMBER_Z x, int across)
{
    return {__shfl_xor_sync(0xffffffffu, x.re, across), __shfl_xor_sync(0xffffffffu, x.im, across)};
}

/* The sum over a warp's lanes, in all of them. */
NUMBER_WORD real warp_sum(real x)
{
#pragma unroll
    for (int across = 16; across > 0; across /= 2) x += __shfl_xor_sync(0xffffffffu, x, across);
    return x;
}
template <typename number> static __device__ __forceinline__ number warp_total(number x)
{
#pragma unroll
    for (int across = 16; across > 0; across /= 2) x = sum(x, from_lane(x, across));
    return x;
}

/* The sum of x[0..count-1], count a power of two, two by two. */
template <int count, typename real> static __device__ __forceinline__ real total_of(const real *x)
{
    if constexpr (count == 1)
        return x[0];
    else
        return total_of<count / 2>(x) + total_of<count / 2>(x + count / 2);
}

/* Sends a number to shared memory, zero where it is not there, or (not later) copies it at once: it need not be
 * aligned. */
template <bool later, typename number>
static __device__ __forceinline__ void copy_later(number *to, const number *from, bool there)
{
    if (later)
        copy_number_or_zero(to, from, there);
    else
        *to = there ? load_number(from) : zero_of<number>();
}

/* Sums x[0..count-1] over the lanes of a warp, count a power of two: returns the one of x[lane / (32 / count)]. */
template <int count, typename number> static __device__ __forceinline__ number warp_totals(int lane, number *x)
{
    int const lanes = 32 / count;
#pragma unroll
    for (int half = count / 2; half > 0; half /= 2) {
        bool const upper = lane & (lanes * half);
#pragma unroll
        for (int c = 0; c < half; ++c) {
            number const keep = upper ? x[c + half] : x[c], give = upper ? x[c] : x[c + half];
            x[c] = sum(keep, from_lane(give, lanes * half));
        }
    }
#pragma unroll
    for (int across = lanes / 2; across > 0; across /= 2) x[0] = sum(x[0], from_lane(x[0], across));
    return x[0];
}

/* The lower triangle of matrix b as the caller has it. */
template <typename number> struct matrix_source {
    using real = typename number::real;
    enum { TOGETHER = 8 /* loads */ };
    const number *from;
    int64_t down, across;
    int n;
    bool upper;

    __device__ __forceinline__ matrix_source(const heev_job &job, int64_t b)
        : from((const number *)job.p.a + b * job.at_a.b), down(job.p.upper ? job.at_a.j : job.at_a.i),
          across(job.p.upper ? job.at_a.i : job.at_a.j), n((int)job.p.n), upper(job.p.upper)
    {
    }

    /* Calls work(z, r, j) for element (r, j) of the triangle; by all warps of the block. */
    template <typename function> __device__ __forceinline__ void each(int warp, int warps, function work) const
    {
        for (int j = TOGETHER * warp; j < n; j += TOGETHER * warps)
            for (int r = j / 32 * 32 + (int)threadIdx.x % 32; r < n; r += 32) {
                number z[TOGETHER];
#pragma unroll
                for (int c = 0; c < TOGETHER; ++c)
                    z[c] = r >= j + c ? load_number(from + (r * down + (j + c) * across)) : zero_of<number>();
#pragma unroll
                for (int c = 0; c < TOGETHER; ++c) {
                    if (r == j + c) set(z[c], z[c].re, (real)0);
                    if (r >= j + c) work(lower_of(z[c], upper), r, j + c);
                }
            }
    }

    /* What the matrix is to be divided by; NaN where it is not finite.  space: [warps] in shared memory. */
    __device__ real unit_of(int warp, int warps, real *space) const
    {
        real big = 0;
        bool finite = true;
        each(warp, warps, [&](number z, int, int) {
            real const largest = real_limits<real>::largest;
            finite = finite && fabs(z.re) <= largest && fabs(imaginary(z)) <= largest;
            big = fmax(big, larger_part(z));
        });
        for (int d = 16; d > 0; d /= 2) big = fmax(big, __shfl_xor_sync(0xffffffffu, big, d));
        if (threadIdx.x % 32 == 0) space[warp] = big;
        finite = !__syncthreads_or(!finite);
        big = space[0];
        for (int k = 1; k < warps; ++k) big = fmax(big, space[k]);
        return finite ? heev_unit(big) : (real)NAN;
    }
};

#endif
