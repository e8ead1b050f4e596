/* heev on CUDA, few matrices: A = Q T Q^H by Householder reflectors, a thread block a matrix.
 *
 * Formula  as heev_reduce.cu: H = I - tau u u^H, u = (1, ...), makes real off-diagonals.
 * Mapping  thread (row, q) has elements (rows*I + row, 8 J + q) of the square in registers.
 * Step     one barrier.  A pass over A applies the reflector before and multiplies the column x by what comes out; since u is
 *          (x - beta e_1) divisor, A u and u^H A u follow from A x, x^H A x and the next column.  Behind the barrier each warp finds
 *          u, w and the next column for itself, a lane a place.
 * Cost     n steps of a chain: the product, five shuffles, the barrier, some 40 operations. */
#ifndef EIG_HEEV_FEW_REDUCE_CUH
#define EIG_HEEV_FEW_REDUCE_CUH

#include "heev/few/heev_few.cuh"
#include "heev/heev_certify.cuh"
#include "heev/heev_reflector.cuh"

/* The number of a lane of the warp. */
NUMBER_WORD NUMBER_R of_lane(NUMBER_R x, int lane)
{
    return {__shfl_sync(0xffffffffu, x.re, lane)};
}
NUMBER_WORD NUMBER_Z of_lane(NUMBER_Z x, int lane)
{
    return {__shfl_sync(0xffffffffu, x.re, lane), __shfl_sync(0xffffffffu, x.im, lane)};
}

template <typename number, int R> struct few_reduction {
    using real = typename number::real;
    using shape = few_shape<R>;
    static constexpr int high = shape::high, wide = shape::wide, each = R / 32; /* places a lane */
    static constexpr size_t bytes = (3 * shape::warps + 4) * R * sizeof(number) + 2 * shape::warps * sizeof(real);

    number a[high][wide];
    number own[each]; /* the column at this lane's places, below the diagonal */
    int lane, warp, row, q, shift;
    number *x, *u, *w;         /* [R] of this warp: column k, the reflector before; w has the other sign */
    number *products;          /* [2][2 R] A x and the column behind x, in turn */
    real *forms;               /* [2][warps] parts of x^H A x */
    real *d, *e;               /* [n] */
    number *tau, *vectors;     /* [n]; [n - 1][R] the reflectors, or NULL */
    spectrum_sums<real> *sums; /* [warps] of each warp's part of A */

    __device__ __forceinline__ few_reduction(void *memory, int n)
        : lane((int)threadIdx.x % 32), warp((int)threadIdx.x / 32), row((int)threadIdx.x / FEW_ACROSS),
          q((int)threadIdx.x % FEW_ACROSS), shift(R - n), x((number *)memory + 3 * R * warp), u(x + R), w(u + R),
          products((number *)memory + 3 * R * shape::warps), forms((real *)(products + 4 * R))
    {
    }

    /* Elements from the caller's array. */
    __device__ __forceinline__ void fetch(const heev_job &job, int64_t b)
    {
        bool const upper = job.p.upper;
        int64_t const down = upper ? job.at_a.j : job.at_a.i, across = upper ? job.at_a.i : job.at_a.j;
        const number *const from = (const number *)job.p.a + b * job.at_a.b;
#pragma unroll
        for (int I = 0; I < high; ++I)
#pragma unroll
            for (int J = 0; J < wide; ++J) {
                int const i = shape::rows * I + row - shift, j = FEW_ACROSS * J + q - shift;
                number z = zero_of<number>();
                if (i >= 0 && j >= 0) z = load_number(from + (max(i, j) * down + min(i, j) * across));
                z = lower_of(z, upper);
                if (i < j) z = conj(z);
                if (i == j) set(z, z.re, (real)0);
                a[I][J] = z;
            }
    }

    /* Loads matrix b; returns its unit, or NaN where it is not finite, and then all is zero.  space: [warps]. */
    __device__ __forceinline__ real load(const heev_job &job, int64_t b, real *space)
    {
        real const largest = real_limits<real>::largest;
        real big = 0;
        bool finite = true;
        fetch(job, b);
#pragma unroll
        for (int I = 0; I < high; ++I)
#pragma unroll
            for (int J = 0; J < wide; ++J) {
                finite = finite && fabs(a[I][J].re) <= largest && fabs(imaginary(a[I][J])) <= largest;
                big = fmax(big, larger_part(a[I][J]));
            }
        for (int across = 16; across > 0; across /= 2) big = fmax(big, __shfl_xor_sync(0xffffffffu, big, across));
        if (lane == 0) space[warp] = big;
        finite = __syncthreads_and(finite);
        big = space[0];
        for (int k = 1; k < shape::warps; ++k) big = fmax(big, space[k]);
        real const unit = heev_unit(finite ? big : (real)1), inverse = pow2_inverse(unit);
#pragma unroll
        for (int I = 0; I < high; ++I)
#pragma unroll
            for (int J = 0; J < wide; ++J) a[I][J] = finite ? scaled(inverse, a[I][J]) : zero_of<number>();
        spectrum_sums<real> part = {0, 0, 0};
#pragma unroll
        for (int I = 0; I < high; ++I)
#pragma unroll
            for (int J = 0; J < wide; ++J) {
                int const i = shape::rows * I + row, j = FEW_ACROSS * J + q; /* places: what lies before is 0 */
                part.squares = part.squares + square(a[I][J]);
                part.form = part.form + probe_form(a[I][J], (unsigned)i, (unsigned)j);
                if (i == j) part.trace = part.trace + a[I][J].re;
            }
        part.trace = lanes_sum<32>(0xffffffffu, part.trace), part.squares = lanes_sum<32>(0xffffffffu, part.squares);
        part.form = lanes_sum<32>(0xffffffffu, part.form);
        if (lane == 0) sums[warp] = part;
        return finite ? unit : (real)NAN;
    }

    /* Puts column `place` into edge[R]. */
    template <int at> __device__ __forceinline__ void put_column(int place, number *edge) const
    {
        if (q != place % FEW_ACROSS) return;
#pragma unroll
        for (int I = FEW_ACROSS * at / shape::rows; I < high; ++I) {
            number z = a[I][at];
#pragma unroll
            for (int J = at + 1; J < wide; ++J) z = choose(J == place / FEW_ACROSS, a[I][J], z);
            edge[shape::rows * I + row] = z;
        }
    }

    /* A lane's places of the column at place k: its diagonal goes to d, what is below to own and x. */
    template <int at> __device__ __forceinline__ void take_column(int k, const number *column)
    {
#pragma unroll
        for (int f = FEW_ACROSS * at / 32; f < each; ++f) {
            int const place = lane + 32 * f;
            if (warp == 0 && place == k) d[k - shift] = column[f].re;
            own[f] = place > k ? column[f] : zero_of<number>();
            x[place] = own[f];
        }
    }

    /* Applies the reflector before to blocks `at` and on, puts A x and column k + 1 into `product` and this warp's part of x^H A x
     * into *form.  Returns the sum of |x|^2 without the real part of its first number. */
    template <int at> __device__ __forceinline__ real pass(int k, number *product, real *form)
    {
        constexpr int first = FEW_ACROSS * at / shape::rows;
        number rows[high], w_rows[high], sums[high];
        real rest = 0;
#pragma unroll
        for (int I = 0; I < high; ++I) {
            sums[I] = zero_of<number>();
            if (I >= first) rows[I] = u[shape::rows * I + row], w_rows[I] = w[shape::rows * I + row];
        }
#pragma unroll
        for (int J = at; J < wide; ++J) {
            int const place = FEW_ACROSS * J + q;
            number const column = x[place], u_column = u[place], w_column = w[place];
            number part = column;
            if (place == k + 1) set(part, (real)0, imaginary(column));
            rest += square(part);
#pragma unroll
            for (int I = first; I < high; ++I) {
                number &z = a[I][J];
                z = conj_product_add(u_column, w_rows[I], conj_product_add(w_column, rows[I], z));
                sums[I] = product_add(z, column, sums[I]);
            }
        }
        put_column<at>(k + 1, product + R);
        constexpr int lanes = FEW_ACROSS / 2, same = FEW_ACROSS / high; /* same: lanes that end with one sum */
        scatter_sums<high, lanes, 1>(lane, sums);
        int const own_row = shape::rows * (q / same) + row;
        if (q % same == 0) product[own_row] = sums[0];
        real part = real_dot(x[own_row], sums[0]);
#pragma unroll
        for (int across = lanes; across > 0; across /= 2) rest += __shfl_xor_sync(0xffffffffu, rest, across);
#pragma unroll
        for (int across = 16; across >= same; across /= 2) part += __shfl_xor_sync(0xffffffffu, part, across);
        if (lane == 0) *form = part;
        return rest;
    }

    /* The step of the column at place k. */
    template <int at> __device__ __forceinline__ void step(int k)
    {
        constexpr int first = FEW_ACROSS * at / 32;
        number *const product = products + k % 2 * 2 * R, *const edge = product + R;
        real *const form = forms + k % 2 * shape::warps;
        real const rest = pass<at>(k, product, form + warp);
        heev_reflector<number> const h = reflector_of(x[k + 1], rest);
        __syncthreads(); /* A x is there, and the column behind x; the ones before are read */
        number reflector[each], other[each], column[each];
        /* u^H A u = |divisor|^2 (x - beta e)^H A (x - beta e), e the unit vector of place k + 1 */
        real const middle = fma(h.beta, edge[k + 1].re, (real)-2 * product[k + 1].re);
        real const whole = square(h.divisor) * fma(h.beta, middle, total_of<shape::warps>(form));
        real const more = (real)-0.5 * square(h.factor) * whole;
#pragma unroll
        for (int f = first; f < each; ++f) {
            int const place = lane + 32 * f;
            column[f] = edge[place], other[f] = product[place];
            reflector[f] = product_add(h.divisor, own[f], zero_of<number>());
            if (place == k + 1) set(reflector[f], (real)1, (real)0);
            other[f] = product_add(h.divisor, scaled_add(-h.beta, column[f], other[f]), zero_of<number>()); /* A u */
            if (place <= k) other[f] = zero_of<number>();
        }
        number beside = zero_of<number>(); /* w at place k + 1 */
#pragma unroll
        for (int f = first; f < each; ++f) {
            other[f] = negative(product_add(h.factor, other[f], scaled(more, reflector[f])));
            beside = choose(f == (k + 1) / 32, other[f], beside);
        }
        beside = of_lane(beside, (k + 1) % 32);
#pragma unroll
        for (int f = first; f < each; ++f) {
            int const place = lane + 32 * f;
            column[f] = conj_product_add(beside, reflector[f], sum(column[f], other[f]));
            u[place] = reflector[f], w[place] = other[f];
        }
        if (vectors && warp >= first && warp < each) {
            number kept = reflector[first];
#pragma unroll
            for (int f = first + 1; f < each; ++f) kept = choose(f == warp, reflector[f], kept);
            vectors[(k - shift) * R + 32 * warp + lane] = kept;
        }
        take_column<at>(k + 1, column);
        if (threadIdx.x == 0) e[k - shift] = h.beta, tau[k - shift] = h.factor;
        __syncwarp(); /* x, u and w are there */
    }

    /* The first column, and no reflector before it. */
    __device__ __forceinline__ void begin()
    {
        number *const edge = products + (shift + 1) % 2 * 2 * R + R;
        number column[each];
        put_column<0>(shift, edge);
        __syncthreads(); /* the column is there */
#pragma unroll
        for (int f = 0; f < each; ++f) {
            column[f] = edge[lane + 32 * f];
            u[lane + 32 * f] = w[lane + 32 * f] = zero_of<number>();
        }
        take_column<0>(shift, column);
        __syncwarp(); /* x, u and w are there */
    }

    /* The steps whose next column lies in blocks `at` and on. */
    template <int at> __device__ __forceinline__ void run()
    {
        int const end = min(FEW_ACROSS * (at + FEW_STAGE) - 1, R - 1);
#pragma unroll 1
        for (int k = max(shift, FEW_ACROSS * at - 1); k < end; ++k) step<at>(k);
        if constexpr (at + FEW_STAGE < wide) run<at + FEW_STAGE>();
    }
};

#endif
