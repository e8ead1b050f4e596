/* heev on CUDA, 32 < n <= 64, tridiagonal: vectors of A = Q Z, Z those of T, a block of 8 x 8 or 8 x 16 threads a
 * matrix.
 *
 * Mapping  thread (p, q) has every eighth row from p on, of every eighth (sixteenth) column from q on.
 * Memory   all reflectors are copied to shared memory before anything is written, since they lie in v.
 * Step     a reflector takes products with 8 rows a thread, their sums over 8 lanes, and an update: no barrier.
 * Cost     n^3 (complex: 4 n^3) FMA; bound by FP64. */
#include "heev/grid/heev_grid.cuh"
#include "heev/heev_gauge.cuh"
#include "per_type.cuh"

template <typename number, int N> struct grid_back {
    using real = typename number::real;
    static constexpr int across = sizeof(number) == 16 ? 16 : 8, threads = GRID_ROWS * across;
    static constexpr int high = N / GRID_ROWS, wide = N / across, words = sizeof(number) / 4;
    static constexpr int blocks = grid_blocks((high * wide + wide + 2) * words + 28, threads);

    number z[high][wide]; /* element (r, c): place 8 r + p, column across*c + q */
    int rank, p, q, shift, n;
    number *u, *tau; /* [n - 1][N], by places; [n - 1] */

    /* aligned: v, to whole numbers. */
    template <bool aligned> __device__ __forceinline__ void copy_reflectors(const heev_job &job, int64_t m) const
    {
        const number *const from = (const number *)job.matrix + m * job.matrix_stride;
        int const row = rank % 32;
        for (int k = rank / 32; k < n - 1; k += threads / 32)
#pragma unroll
            for (int place = row; place < N; place += 32) {
                int const i = place - shift;
                bool const there = i > k;
                copy_later<aligned>(u + (k * N + place), there ? from + (i + k * job.matrix_pitch) : from, there);
            }
    }

    __device__ __forceinline__ void load(const heev_job &job, int64_t m)
    {
        const real *const from_z = (const real *)job.z + m * n * n;
        if (!number::complex || (uintptr_t)job.matrix % sizeof(number) == 0)
            copy_reflectors<true>(job, m);
        else
            copy_reflectors<false>(job, m);
        copy_end();
        if (rank < n - 1) tau[rank] = ((const number *)job.tau)[m * n + rank];
#pragma unroll
        for (int r = 0; r < high; ++r)
#pragma unroll
            for (int c = 0; c < wide; ++c) {
                int const i = GRID_ROWS * r + p - shift, j = across * c + q;
                set(z[r][c], i >= 0 && j < n ? from_z[i + j * n] : (real)0, (real)0);
            }
        copy_wait<0>();
    }

    /* Reflectors of the blocks behind `at`, then those of this block, the last one first. */
    template <int at> __device__ __forceinline__ void run()
    {
        if constexpr (at + 1 < high) run<at + 1>();
#pragma unroll 1
        for (int place = min(GRID_ROWS * (at + 1) - 1, N - 2); place >= max(shift, GRID_ROWS * at); --place) {
            const number *const from = u + (place - shift) * N + p;
            number dot[wide];
#pragma unroll
            for (int c = 0; c < wide; ++c) dot[c] = zero_of<number>();
#pragma unroll
            for (int r = at; r < high; ++r)
#pragma unroll
                for (int c = 0; c < wide; ++c) dot[c] = conj_product_add(from[GRID_ROWS * r], z[r][c], dot[c]);
            all_sums<wide, GRID_ROWS / 2>(rank, dot);
            number const factor = negative(tau[place - shift]);
#pragma unroll
            for (int c = 0; c < wide; ++c) dot[c] = product_add(factor, dot[c], zero_of<number>());
#pragma unroll
            for (int r = at; r < high; ++r)
#pragma unroll
                for (int c = 0; c < wide; ++c) z[r][c] = product_add(from[GRID_ROWS * r], dot[c], z[r][c]);
        }
    }

    template <bool aligned> __device__ __forceinline__ void store(const heev_job &job, int64_t m) const
    {
        real const unit = ((const real *)job.unit)[m];
        bool const good = unit == unit && job.failed[m] == 0;
        batch_strides const s = job.at_v;
        number *const v = (number *)job.p.v + (job.first + m) * s.b;
#pragma unroll
        for (int c = 0; c < wide; ++c) {
            number const lead = gauge_shared_lead<GRID_ROWS, high, number>(p, [&](int r) { return z[r][c]; });
            number const by = gauge_factor(lead);
#pragma unroll
            for (int r = 0; r < high; ++r) {
                int const i = GRID_ROWS * r + p - shift, j = across * c + q;
                number x = gauge_turned(lead, by, z[r][c]);
                if (!good) set(x, (real)NAN, (real)NAN);
                if (i < 0 || j >= n) continue;
                number *const to = v + (i * s.i + j * s.j);
                if (aligned)
                    *to = x;
                else
                    store_number(to, x);
            }
        }
    }
};

template <typename number, int N>
static __global__ void __launch_bounds__(grid_back<number, N>::threads, grid_back<number, N>::blocks)
    heev_grid_back_kernel(heev_job job)
{
    extern __shared__ double2 grid_memory[];
    grid_back<number, N> x;
    int64_t const m = blockIdx.x;
    x.n = (int)job.p.n, x.shift = N - x.n;
    x.rank = (int)threadIdx.x, x.p = x.rank % GRID_ROWS, x.q = x.rank / GRID_ROWS;
    x.u = (number *)grid_memory, x.tau = x.u + (x.n - 1) * N;
    x.load(job, m);
    __syncthreads(); /* the reflectors are there, and v may be written */
    x.template run<0>();
    if (!number::complex || (uintptr_t)job.p.v % sizeof(number) == 0)
        x.template store<true>(job, m);
    else
        x.template store<false>(job, m);
}

template <typename number, int N>
static eig_status launch_grid_back(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    size_t const bytes = (size_t)(job.p.n - 1) * (N + 1) * sizeof(number);
    return cuda_launch(ctx, "heev: grid_back_kernel", stream, {job.count, grid_back<number, N>::threads, bytes},
                       heev_grid_back_kernel<number, N>, job);
}

eig_status TYPED(eig_cuda_heev_grid_back)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    if constexpr (GRID_FEW % grid_back<number, HEEV_GRID>::across == 0)
        if (job.p.n <= GRID_FEW) return launch_grid_back<number, GRID_FEW>(ctx, job, stream);
    if (job.p.n <= GRID_SOME) return launch_grid_back<number, GRID_SOME>(ctx, job, stream);
    return launch_grid_back<number, HEEV_GRID>(ctx, job, stream);
}
