/* heev on CUDA, few matrices: V = Q Z, a thread block a matrix.
 *
 * Mapping  thread (row, q) has of columns rows*c + row the places 8 r + q, in registers.
 * Step     a reflector takes products with a column, their sum over 8 lanes, and an update: no barrier. */
#ifndef EIG_HEEV_FEW_BACK_CUH
#define EIG_HEEV_FEW_BACK_CUH

#include "heev/few/heev_few.cuh"
#include "heev/heev_gauge.cuh"

template <typename number, int R> struct few_back {
    using real = typename number::real;
    using shape = few_shape<R>;
    static constexpr int high = shape::high, wide = shape::wide;

    number y[high][wide];
    int lane, row, q, n, shift;
    const number *vectors, *tau; /* [n - 1][R] by places, [n - 1] */

    __device__ __forceinline__ few_back(const real *z, int order)
        : lane((int)threadIdx.x % 32), row((int)threadIdx.x / FEW_ACROSS), q((int)threadIdx.x % FEW_ACROSS), n(order),
          shift(R - order)
    {
#pragma unroll
        for (int c = 0; c < high; ++c)
#pragma unroll
            for (int r = 0; r < wide; ++r) {
                int const i = FEW_ACROSS * r + q - shift, j = shape::rows * c + row;
                set(y[c][r], i >= 0 && j < n ? z[j * shape::pitch + i] : (real)0, (real)0);
            }
    }

    /* The reflectors of the steps behind `at`, then of its own, the last one first. */
    template <int at> __device__ __forceinline__ void run()
    {
        if constexpr (at + FEW_STAGE < wide) run<at + FEW_STAGE>();
#pragma unroll 2
        for (int k = min(FEW_ACROSS * (at + FEW_STAGE) - 1, R - 1) - 1; k >= max(shift, FEW_ACROSS * at - 1); --k) {
            const number *const from = vectors + (k - shift) * R + q;
            number const factor = negative(tau[k - shift]);
            number part[wide], dot[high];
#pragma unroll
            for (int r = at; r < wide; ++r) part[r] = from[FEW_ACROSS * r];
#pragma unroll
            for (int c = 0; c < high; ++c) {
                dot[c] = zero_of<number>();
#pragma unroll
                for (int r = at; r < wide; ++r) dot[c] = conj_product_add(part[r], y[c][r], dot[c]);
            }
            all_sums<high, FEW_ACROSS / 2>(lane, dot);
#pragma unroll
            for (int c = 0; c < high; ++c) {
                dot[c] = product_add(factor, dot[c], zero_of<number>());
#pragma unroll
                for (int r = at; r < wide; ++r) y[c][r] = product_add(part[r], dot[c], y[c][r]);
            }
        }
    }

    /* Whether the columns of this thread have length 1; its warp's parts of the sums of all pairs go to own[0] and own[1]. */
    __device__ __forceinline__ bool certify(const real *values, real *own) const
    {
        bool good = true;
        real form = 0, span = 0;
#pragma unroll
        for (int c = 0; c < high; ++c) {
            int const j = shape::rows * c + row;
            real size = 0;
            number with = zero_of<number>();
#pragma unroll
            for (int r = 0; r < wide; ++r) {
                size = size + square(y[c][r]);
                with = probe_add(y[c][r], (unsigned)(FEW_ACROSS * r + q), with);
            }
            size = lanes_sum<FEW_ACROSS>(0xffffffffu, size);
            set(with, lanes_sum<FEW_ACROSS>(0xffffffffu, with.re),
                number::complex ? lanes_sum<FEW_ACROSS>(0xffffffffu, imaginary(with)) : (real)0);
            good = good && (j >= n || spectrum_has_length((real)n, size));
            if (j < n && q == 0) form = fma(values[j], square(with), form), span = span + square(with);
        }
        form = lanes_sum<32>(0xffffffffu, form), span = lanes_sum<32>(0xffffffffu, span);
        if (lane == 0) own[0] = form, own[1] = span;
        return good;
    }

    __device__ __forceinline__ void store(const heev_job &job, int64_t b, bool good) const
    {
        batch_strides const s = job.at_v;
        number *const v = (number *)job.p.v + b * s.b;
#pragma unroll
        for (int c = 0; c < high; ++c) {
            number const lead = gauge_shared_lead<FEW_ACROSS, wide, number>(q, [&](int r) { return y[c][r]; });
            number const by = gauge_factor(lead);
#pragma unroll
            for (int r = 0; r < wide; ++r) {
                int const i = FEW_ACROSS * r + q - shift, j = shape::rows * c + row;
                number x = gauge_turned(lead, by, y[c][r]);
                if (!good) set(x, (real)NAN, (real)NAN);
                if (i >= 0 && j < n) store_number(v + (i * s.i + j * s.j), x);
            }
        }
    }
};

#endif
