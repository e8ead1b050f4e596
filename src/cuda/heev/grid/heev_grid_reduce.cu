/* heev on CUDA, 32 < n <= 64, tridiagonal, kernel 1: A = Q T Q^H by Householder reflectors, a block of 8 x 8 threads a
 * matrix.
 *
 * Formula  as heev_reduce.cu: H = I - tau u u^H, u = (1, ...), makes real off-diagonals.
 * Mapping  thread (p, q) has elements (8 I + p, 8 J + q) of the blocks I >= J; of the blocks on the diagonal both
 *          triangles.  An element below them counts twice in A u, by its row and by its column.
 * Step     two barriers, behind the column x and behind the parts of A x.  Since u is (x - beta e_1) divisor, A u
 *          follows from A x and the next column, so that the product need not wait for the norm of x.  Each warp finds
 *          u and w for itself.
 * Memory   a step reads 8 numbers of x, u and w by rows and 8 by columns for 36 elements; reflectors go to v, below the
 *          diagonal, column by column.
 * Cost     2/3 n^3 (complex: 8/3 n^3) FMA; bound by the chain of dependent operations of a step, then by shared
 *          memory. */
#include "heev/grid/heev_grid.cuh"
#include "heev/heev_reflector.cuh"
#include "per_type.cuh"

template <typename number, int N> struct grid_reduction {
    using real = typename number::real;
    static constexpr int wide = N / GRID_ROWS, elements = wide * (wide + 1) / 2, threads = GRID_ROWS * GRID_ROWS;
    static constexpr int words = sizeof(number) / 4;
    static constexpr int blocks = grid_blocks((elements + 3 * wide) * words + 24, threads);

    number a[elements];
    int rank, lane, p, q, shift; /* row i stands at place i + shift */
    number *x, *next;            /* [N]: column k behind place k, and column k + 1 */
    number *parts;               /* [3][N] parts of A x: of the warps by rows, and by columns */
    number *u, *w;               /* [N], of this warp */
    real *d, *e;
    number *taus, *keep; /* NULL, or where the reflectors go, columns keep_pitch apart */
    int64_t keep_pitch;

    static __device__ __forceinline__ constexpr int at_of(int row, int column)
    {
        return row * (row + 1) / 2 + column;
    }

    /* Elements from the caller's array; aligned: to whole numbers. */
    template <bool aligned> __device__ __forceinline__ void fetch(const heev_job &job, int64_t b)
    {
        bool const upper = job.p.upper;
        int64_t const down = upper ? job.at_a.j : job.at_a.i, across = upper ? job.at_a.i : job.at_a.j;
        const number *const from = (const number *)job.p.a + b * job.at_a.b;
#pragma unroll
        for (int I = 0; I < wide; ++I)
#pragma unroll
            for (int J = 0; J <= I; ++J) {
                int const i = GRID_ROWS * I + p - shift, j = GRID_ROWS * J + q - shift;
                const number *const element = from + (max(i, j) * down + min(i, j) * across);
                number z = zero_of<number>();
                if (i >= 0 && j >= 0) z = aligned ? *element : load_number(element);
                z = lower_of(z, upper);
                if (i < j) z = conj(z);
                if (i == j) set(z, z.re, (real)0);
                a[at_of(I, J)] = z;
            }
    }

    /* Loads matrix b; returns its unit, or NaN where it is not finite, and then all is zero. */
    __device__ __forceinline__ real load(const heev_job &job, int64_t b, real *space)
    {
        real big = 0;
        bool finite = true;
        if (!number::complex || (uintptr_t)job.p.a % sizeof(number) == 0)
            fetch<true>(job, b);
        else
            fetch<false>(job, b);
#pragma unroll
        for (int f = 0; f < elements; ++f) {
            real const largest = real_limits<real>::largest;
            finite = finite && fabs(a[f].re) <= largest && fabs(imaginary(a[f])) <= largest;
            big = fmax(big, larger_part(a[f]));
        }
        for (int g = 16; g > 0; g /= 2) big = fmax(big, __shfl_xor_sync(0xffffffffu, big, g));
        if (lane == 0) space[rank / 32] = big;
        finite = __syncthreads_and(finite);
        real const unit = heev_unit(finite ? fmax(space[0], space[1]) : (real)1), inverse = pow2_inverse(unit);
#pragma unroll
        for (int f = 0; f < elements; ++f) a[f] = finite ? scaled(inverse, a[f]) : zero_of<number>();
        return finite ? unit : (real)NAN;
    }

    /* Parts of A x from block `at` on, summed as far as the lanes of a warp go. */
    template <int at> __device__ __forceinline__ void multiply() const
    {
        constexpr int left = wide - at, count = left > 4 ? 8 : left > 2 ? 4 : left;
        number rows[left], by_row[count], by_column[count];
#pragma unroll
        for (int f = 0; f < count; ++f) by_row[f] = by_column[f] = zero_of<number>();
#pragma unroll
        for (int I = 0; I < left; ++I) rows[I] = x[GRID_ROWS * (at + I) + p];
#pragma unroll
        for (int J = 0; J < left; ++J) {
            number const column = x[GRID_ROWS * (at + J) + q];
#pragma unroll
            for (int I = J; I < left; ++I) {
                number const z = a[at_of(at + I, at + J)];
                by_row[I] = product_add(z, column, by_row[I]);
                if (I > J) by_column[J] = conj_product_add(z, rows[I], by_column[J]);
            }
        }
        constexpr int stay = count > 4 ? 2 : 1, same = count < 4 ? 4 / count : 1;
        scatter_sums<count, 16, 8>(rank, by_row);
        number *const to = parts + rank / 32 * N + p;
#pragma unroll
        for (int f = 0; f < stay; ++f) {
            int const I = at + q % 4 / same * stay + f;
            if (q % same == 0 && I < wide) to[GRID_ROWS * I] = by_row[f];
        }
        scatter_sums<count, 4, 1>(rank, by_column);
        int const J = at + p / (GRID_ROWS / count);
        if (p % (GRID_ROWS / count) == 0 && J < wide) parts[2 * N + GRID_ROWS * J + q] = by_column[0];
    }

    /* A - u w^H - w u^H; w has the other sign in memory. */
    template <int at> __device__ __forceinline__ void update()
    {
        constexpr int left = wide - at;
        number rows[left], w_rows[left];
#pragma unroll
        for (int I = 0; I < left; ++I) rows[I] = u[GRID_ROWS * (at + I) + p], w_rows[I] = w[GRID_ROWS * (at + I) + p];
#pragma unroll
        for (int J = 0; J < left; ++J) {
            number const column = u[GRID_ROWS * (at + J) + q], w_column = w[GRID_ROWS * (at + J) + q];
#pragma unroll
            for (int I = J; I < left; ++I) {
                number &z = a[at_of(at + I, at + J)];
                z = conj_product_add(column, w_rows[I], conj_product_add(w_column, rows[I], z));
            }
        }
    }

    /* Puts columns k and k + 1 into shared memory. */
    template <int at> __device__ __forceinline__ void put_columns(int k)
    {
        int const column = k - GRID_ROWS * at, beside = (k + 1) % GRID_ROWS;
        if (q == column) {
            if (p == column) d[k - shift] = a[at_of(at, at)].re;
#pragma unroll
            for (int I = at; I < wide; ++I)
                x[GRID_ROWS * I + p] = choose(I > at || p > column, a[at_of(I, at)], zero_of<number>());
        }
        if (q != beside) return;
        constexpr int other = at + 1 < wide ? at + 1 : at; /* the block of column k + 1, where that column begins one */
        if (beside > 0) {
#pragma unroll
            for (int I = at; I < wide; ++I) next[GRID_ROWS * I + p] = a[at_of(I, at)];
        } else {
#pragma unroll
            for (int I = other; I < wide; ++I) next[GRID_ROWS * I + p] = a[at_of(I, other)];
        }
    }

    /* The step of the column at place k of block `at`. */
    template <int at> __device__ __forceinline__ void step(int k)
    {
        constexpr int left = wide - at, each = left > 4 ? 2 : 1; /* rows a lane, in both warps */
        put_columns<at>(k);
        __syncthreads(); /* the columns are there, and the parts of the step before are read */
        number const alpha = x[k + 1];
        number own[each], edge[each];
        real rest = 0;
#pragma unroll
        for (int f = 0; f < each; ++f) {
            int const place = GRID_ROWS * at + lane + 32 * f;
            bool const live = place > k && place < N;
            own[f] = live ? x[place] : zero_of<number>(), edge[f] = live ? next[place] : zero_of<number>();
            rest += place == k + 1 ? (real)0 : square(own[f]);
        }
        rest = warp_sum(rest);
        heev_reflector<number> const h = reflector_of(alpha, rest + imaginary(alpha) * imaginary(alpha));
        multiply<at>();
        __syncthreads(); /* the parts of A x are there, and the columns are read */
        number product[each];
        real form = 0;
#pragma unroll
        for (int f = 0; f < each; ++f) {
            int const place = GRID_ROWS * at + lane + 32 * f;
            bool const live = place > k && place < N;
            own[f] = product_add(h.divisor, own[f], zero_of<number>());
            if (place == k + 1) set(own[f], (real)1, (real)0);
            product[f] = scaled_add(-h.beta, edge[f], zero_of<number>());
            if (live) product[f] = sum(product[f], sum(sum(parts[place], parts[N + place]), parts[2 * N + place]));
            product[f] = product_add(h.divisor, product[f], zero_of<number>()); /* A u */
            form += real_dot(own[f], product[f]);
        }
        real const more = (real)-0.5 * square(h.factor) * warp_sum(form);
#pragma unroll
        for (int f = 0; f < each; ++f) {
            int const place = GRID_ROWS * at + lane + 32 * f;
            if (place >= N) continue;
            u[place] = own[f], w[place] = negative(product_add(h.factor, product[f], scaled(more, own[f])));
            if (keep && rank / 32 == f && place > k)
                store_number(keep + (place - shift + (k - shift) * keep_pitch), own[f]);
        }
        if (rank == 0) e[k - shift] = h.beta;
        if (rank == 0 && keep) taus[k - shift] = h.factor;
        __syncwarp(); /* u and w are there */
        update<at>();
        __syncwarp(); /* u and w are read */
    }

    /* The steps of block `at` and of those behind it. */
    template <int at> __device__ __forceinline__ void run()
    {
        int const end = min(GRID_ROWS * (at + 1), N - 1);
#pragma unroll 1
        for (int k = max(shift, GRID_ROWS * at); k < end; ++k) step<at>(k);
        if constexpr (at + 1 < wide) run<at + 1>();
    }
};

template <typename number, int N>
static __global__ void __launch_bounds__(grid_reduction<number, N>::threads, grid_reduction<number, N>::blocks)
    heev_grid_reduce_kernel(heev_job job)
{
    using real = typename number::real;
    __shared__ double2 memory[9 * N * sizeof(number) / sizeof(double2)];
    __shared__ real space[2];
    grid_reduction<number, N> x;
    int64_t const m = blockIdx.x;
    int const n = (int)job.p.n;
    x.rank = (int)threadIdx.x, x.lane = x.rank % 32, x.p = x.rank % GRID_ROWS, x.q = x.rank / GRID_ROWS;
    x.shift = N - n, x.x = (number *)memory, x.next = x.x + N, x.parts = x.next + N;
    x.u = x.parts + (3 + x.rank / 32 * 2) * N, x.w = x.u + N;
    x.d = (real *)job.d + m * n, x.e = (real *)job.e + m * n;
    x.keep = job.p.v ? (number *)job.matrix + m * job.matrix_stride : NULL, x.keep_pitch = job.matrix_pitch;
    x.taus = job.p.v ? (number *)job.tau + m * n : NULL;
    real const unit = x.load(job, job.first + m, space);
    x.template run<0>();
    if (x.rank == x.threads - 1) x.d[n - 1] = x.a[x.elements - 1].re, x.e[n - 1] = 0;
    if (x.rank == 0) ((real *)job.unit)[m] = unit;
}

template <typename number, int N>
static eig_status launch_grid_reduce(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return cuda_launch(ctx, "heev: grid_reduce_kernel", stream, {job.count, grid_reduction<number, N>::threads},
                       heev_grid_reduce_kernel<number, N>, job);
}

eig_status TYPED(eig_cuda_heev_grid_reduce)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    if (job.p.n <= GRID_FEW) return launch_grid_reduce<number, GRID_FEW>(ctx, job, stream);
    if (job.p.n <= GRID_SOME) return launch_grid_reduce<number, GRID_SOME>(ctx, job, stream);
    return launch_grid_reduce<number, HEEV_GRID>(ctx, job, stream);
}
