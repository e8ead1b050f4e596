/* heev on CUDA, n > 64, tridiagonal, kernel 1 where a matrix fits the shared memory of a block: A = Q T Q^H by Householder
 * reflectors, a thread block a matrix.
 *
 * Formula  as heev_reduce.cu: H = I - tau u u^H with u = (1, ...), real off-diagonals.
 * Step     two parts, a barrier each.  update: A - v w^H - w v^H of the step before, and its product with x, the next
 *          column, in one pass over A; beside it one more warp computes the reflector's numbers.  finish: u and w, and the
 *          next x.  Since u is (x - beta e_1) / (x_1 - beta), A u and u^H A u follow from A x, x^H A x and a column of A.
 * Mapping  lanes take rows from the step's first one on; warps share the columns, and as rows become fewer, more warps
 *          share them.
 * Cost     complex 4 n^3 FMA, both triangles being worked on; bound by latency for few matrices, by shared memory for many. */
#ifndef EIG_HEEV_FUSED_CUH
#define EIG_HEEV_FUSED_CUH

#include "heev/heev_matrix.cuh"
#include "heev/heev_reflector.cuh"

/* The block's shared memory. */
template <typename number> static size_t fused_bytes(int64_t n, int warps)
{
    int64_t const rows = (n + 31) / 32 * 32;
    return (size_t)(n * (n | 1) + 3 * rows + 32 * warps + 2) * sizeof(number) +
           (size_t)(rows + warps + 1) * sizeof(typename number::real);
}

template <typename number, int warps> struct fused_reduction {
    using real = typename number::real;
    int n, pitch;
    number *a, *x, *v, *w, *parts, *tau, *divisor;
    real *squares, *forms, *beta; /* of x, behind its first number; parts of x^H A x */
    number *keep;                 /* NULL, or where the reflectors go, columns keep_pitch apart */
    int64_t keep_pitch;
    int rank, lane, warp;
    int chunks, groups, chunk,
        group; /* the rows that are left, in chunks of 32; groups of warps that share the columns; this warp's */

    /* Shares out the rows from `first` on. The shares change only where the rows fill their last chunk. */
    __device__ __forceinline__ void share(int first)
    {
        chunks = (n - first + 31) / 32, groups = warps / chunks;
        chunk = warp % chunks, group = warp / chunks;
    }

    __device__ void carve(int order, void *memory)
    {
        rank = (int)threadIdx.x, lane = rank % 32, warp = rank / 32, n = order, pitch = n | 1;
        int const rows = (n + 31) / 32 * 32;
        a = (number *)memory, x = a + n * pitch, v = x + rows, w = v + rows, parts = w + rows;
        tau = parts + 32 * warps, divisor = tau + 1;
        squares = (real *)(divisor + 1), forms = squares + rows, beta = forms + warps;
        for (int f = rank; f < 3 * rows; f += (int)blockDim.x) x[f] = zero_of<number>();
    }

    /* Loads matrix b; returns its unit, or NaN where it is not finite, and then all is zero. */
    __device__ real load(const heev_job &job, int64_t b)
    {
        matrix_source<number> const from(job, b);
        real const unit = from.unit_of(warp, warps + 1, squares), inverse = pow2_inverse(unit == unit ? unit : (real)1);
        from.each(warp, warps + 1, [&](number z, int r, int j) {
            z = unit == unit ? scaled(inverse, z) : zero_of<number>();
            a[r + j * pitch] = z, a[j + r * pitch] = conj(z);
        });
        return unit;
    }

    /* The reflector that takes x to beta e_1: beta, tau, and what x - beta e_1 is multiplied by. */
    __device__ __forceinline__ void reflect(int first) const
    {
        real rest = 0;
        for (int r = first + 1 + lane; r < n; r += 32) rest += squares[r];
        reflector_by_division<number> const h(x[first], warp_sum(rest));
        if (lane == 0) *beta = h.beta, *tau = h.tau, *divisor = h.divisor;
    }

    /* A - v w^H - w v^H from row and column `first` on, and its product with x. */
    __device__ __forceinline__ void update(int first) const
    {
        if (group >= groups) {
            if (lane == 0) forms[warp] = 0;
            return;
        }
        int const r = first + 32 * chunk + lane;
        number y = zero_of<number>();
        real form = 0;
        if (r < n) {
            number const vr = negative(v[r]), wr = negative(w[r]);
#pragma unroll 4
            for (int j = first + group; j < n; j += groups) {
                number z = a[r + j * pitch];
                z = conj_product_add(v[j], wr, conj_product_add(w[j], vr, z));
                a[r + j * pitch] = z;
                y = product_add(z, x[j], y);
            }
            form = real_dot(x[r], y);
        }
        parts[(group * chunks + chunk) * 32 + lane] = y;
        form = warp_sum(form);
        if (lane == 0) forms[warp] = form;
    }

    /* Ends step first - 1, if first is not 0, and makes x of column `first`. */
    __device__ __forceinline__ void finish(int first, real *d)
    {
        if (32 * warp >= n - first) return;
        int const r = first + rank;
        bool const live = r < n;
        number u = zero_of<number>(), own_w = u, pivot = u, z = live ? a[r + first * pitch] : u;
        bool const reflects = first > 0 && tau->re != 0;
        if (reflects) {
            number const by = *divisor, factor = product_add(*tau, by, zero_of<number>());
            real const end = *beta, corner = a[first + first * pitch].re;
            number top = u, y = u; /* rows `first` and r of A x */
#pragma unroll 2
            for (int k = 0; k < groups; ++k) {
                top = sum(top, parts[32 * k * chunks]);
                y = sum(y, parts[32 * k * chunks + rank]);
            }
            real form = total_of<warps>(forms);
            form = square(by) * fma(end, fma(end, corner, -2 * top.re), form); /* u^H A u */
            real const more = (real)-0.5 * square(*tau) * form;
            number edge;
            set(edge, fma(-end, corner, top.re), imaginary(top));
            set(pivot, more, (real)0);
            pivot = product_add(factor, edge, pivot);
            if (live) {
                y = scaled_add(-end, z, y);
                u = product_add(by, x[r], u);
                if (rank == 0) set(u, (real)1, (real)0);
                own_w = rank == 0 ? pivot : product_add(factor, y, scaled(more, u));
                z = conj_product_add(negative(pivot), u, z);
                z = sum(z, negative(own_w));
            }
        }
        if (live && first > 0) {
            v[r] = u, w[r] = own_w;
            if (keep) store_number(keep + (r + (first - 1) * keep_pitch), u);
        }
        if (live) x[r] = rank == 0 ? zero_of<number>() : z;
        if (rank == 0) *d = z.re;
        if (live) squares[r] = square(z);
    }

    __device__ void run(real *d, real *e, number *taus)
    {
        finish(0, d);
        for (int k = 0; k < n - 1; ++k) {
            if (k == 0 || (n - k - 1) % 32 == 0) share(k + 1);
            __syncthreads(); /* x, v and w */
            if (warp == warps)
                reflect(k + 1);
            else
                update(k + 1);
            __syncthreads(); /* A x in parts, and the reflector's numbers */
            if (rank == 0) e[k] = *beta;
            if (rank == 0 && taus) taus[k] = *tau;
            finish(k + 1, d + k + 1);
        }
        if (rank == 0) e[n - 1] = 0;
    }
};

/* The fewest blocks on a multiprocessor, which bounds registers; before sm_80 it has room for 1024 threads. */
template <typename number, int warps> static constexpr int fused_blocks()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
    return warps > 8 ? 1 : 3;
#else
    return warps > 8 ? 1 : sizeof(number) == 16 ? 3 : 4;
#endif
}

template <typename number, int warps>
static __global__ void __launch_bounds__(32 * warps + 32, fused_blocks<number, warps>()) heev_fused_kernel(heev_job job)
{
    using real = typename number::real;
    extern __shared__ double panel_memory[];
    int64_t const m = blockIdx.x, n = job.p.n;
    fused_reduction<number, warps> x;
    x.keep = job.p.v ? (number *)job.matrix + m * job.matrix_stride : NULL, x.keep_pitch = job.matrix_pitch;
    x.carve((int)n, panel_memory);
    real const unit = x.load(job, job.first + m);
    __syncthreads(); /* the matrix is there, and squares is free */
    x.run((real *)job.d + m * n, (real *)job.e + m * n, job.p.v ? (number *)job.tau + m * n : NULL);
    if (threadIdx.x == 0) ((real *)job.unit)[m] = unit;
}

template <typename number, int warps>
static eig_status launch_fused(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return cuda_launch(ctx, "heev: fused_kernel", stream,
                       {job.count, 32 * warps + 32, fused_bytes<number>(job.p.n, warps)},
                       heev_fused_kernel<number, warps>, job);
}

#endif
