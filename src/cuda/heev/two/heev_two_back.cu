/* heev on CUDA, the vectors of one large matrix by two stages: V = Q1 Q2 D Z, with Z the eigenvectors of T, D what
 * makes T real, Q2 the chase's reflections, Q1 those of the panels (whole/heev_whole_back.cu). */
#include "heev/two/heev_two.cuh"
#include "per_type.cuh"
#include "primitives/copy.cuh"
#include "primitives/tensor.cuh"

/* Z := Q Z for the chase's reflections Q.
 *
 * Formula  Sweeps k0, ..., k0 + TWO_BAND - 1 are a group.  Their reflections of step s, the first sweep's on the left,
 *          are a block I - V F V^H of 2 TWO_BAND - 1 rows; column c of V has TWO_BAND numbers, from row c on.  F is
 *          upper triangular, its inverse V^H V / 2 on and V^H V above the diagonal.  Blocks of a group stand from the
 *          last step to the first, groups from the first to the last: so the last group, and in it the first step, is
 *          applied first (as C. Bischof, B. Lang and X. Sun, ACM Trans. Math. Softw. 26 (2000)).
 * Kernels  blocks: V, and U = V F^H, of some groups.  sweeps: Z - V (U^H Z).
 * Mapping  sweeps: a warp has the transpose of 16 real columns of Z, or of 8 complex ones, in pieces of tensor cores
 *          (primitives/tensor.cuh): what one product leaves is where the next one takes it.  Nothing waits for another
 *          warp's columns.  A window of 2 TWO_BAND rows is in registers, and goes down the rows.  Of real matrices two
 *          warps have the same columns: one applies a group and hands its rows to the other, which applies the next
 *          group.  U and V come through shared memory, one step ahead.
 * Float    Z alone is in float; U, V and all products are in double: tensor cores are as fast as FMA in float, and need
 *          fewer loads.
 * Bits     a column's sums depend on no other column.
 * Cost     some 2.9 n^2 k FMA for k columns, 2 n^2 k without the triangles' zeros. */

enum {
    BACK_ROWS = 2 * TWO_BAND,             /* of a block, the last of them zero */
    BACK_THREADS = 128,                   /* of the kernel blocks */
    BACK_TOGETHER = 2,                    /* groups that go down the rows together */
    BACK_BLOCK = 2 * BACK_ROWS * TWO_BAND /* numbers of U and V, by rows */
};

static_assert((int)BACK_BLOCK == (int)HEEV_TWO_BLOCK && TWO_BAND == (int)HEEV_TWO_ABOVE + 1,
              "heev_cuda.cuh has the same numbers");

/* The chase's reflections of a matrix, and Z. */
struct back_job {
    const void *a; /* as in two_job: of sweep k its numbers from row k + 1 on stand at the head of column n - 1 - k */
    int64_t pitch;
    void *re, *im;   /* Z, column by column; real and imaginary parts */
    int64_t z_pitch; /* of both */
    int n, columns;
    int top, groups; /* groups top, top - 1, ..., top - groups + 1 */
    int steps;       /* of group 0 */
    void *blocks;    /* [groups][steps][BACK_BLOCK] numbers, double: U, then V */
};

/* The last block of rows, TWO_BAND b + 1, ..., in which a reflection begins: step s of group g is in block g + s. */
static __host__ __device__ __forceinline__ int back_last(int n)
{
    return (n - 2) / TWO_BAND;
}

/* ---------------------------------------------------------------------- blocks */

template <typename number> using wide_of = number_of<double, number::complex>;

/* The number in double. */
NUMBER_WORD number_of<double, false> widened(NUMBER_R x)
{
    return {(double)x.re};
}
NUMBER_WORD number_of<double, true> widened(NUMBER_Z x)
{
    return {(double)x.re, (double)x.im};
}

template <typename number> struct back_blocks_shape {
    using wide = wide_of<number>;
    static constexpr int of_v = BACK_ROWS + 1, of_f = TWO_BAND + 1;
    static constexpr size_t bytes = (size_t)(TWO_BAND * of_v + 2 * TWO_BAND * of_f) * sizeof(wide);
};

/* A block of threads has step blockIdx.x % steps of group top - blockIdx.x / steps. */
template <typename number>
static __global__ void __launch_bounds__(BACK_THREADS) heev_two_blocks_kernel(const __grid_constant__ back_job job)
{
    using shape = back_blocks_shape<number>;
    using wide = typename shape::wide;
    extern __shared__ double two_memory[];
    wide *const v = (wide *)two_memory, *const products = v + TWO_BAND * shape::of_v,
                *const f = products + TWO_BAND * shape::of_f;
    int const rank = (int)threadIdx.x, s = (int)blockIdx.x % job.steps, g = job.top - (int)blockIdx.x / job.steps;
    if (g + s > back_last(job.n)) return;
    for (int e = rank; e < TWO_BAND * BACK_ROWS; e += BACK_THREADS) {
        int const c = e / BACK_ROWS, r = e % BACK_ROWS, i = r - c, k = g * TWO_BAND + c;
        bool const there = i >= 0 && i < TWO_BAND && k < job.n - 1 && k + 1 + s * TWO_BAND + i < job.n;
        v[c * shape::of_v + r] =
            there ? widened(((const number *)job.a)[s * TWO_BAND + i + (job.n - 1 - k) * job.pitch]) : zero_of<wide>();
    }
    __syncthreads(); /* V is there */
    for (int e = rank; e < TWO_BAND * TWO_BAND; e += BACK_THREADS) {
        int const i = e / TWO_BAND, j = e % TWO_BAND;
        wide y = zero_of<wide>();
        if (i <= j)
#pragma unroll 4
            for (int r = j; r < i + TWO_BAND; ++r)
                y = conj_product_add(v[i * shape::of_v + r], v[j * shape::of_v + r], y);
        products[i * shape::of_f + j] = y;
        f[i * shape::of_f + j] = zero_of<wide>();
    }
    __syncthreads(); /* V^H V is there */
    if (rank < TWO_BAND)
        for (int j = rank; j < TWO_BAND; ++j) {
            double const twice = products[j * shape::of_f + j].re, tau = twice > 0 ? 2 / twice : 0;
            wide y = zero_of<wide>();
            if (j == rank) set(y, -1.0, 0.0);
            for (int c = rank; c < j; ++c) y = product_add(f[rank * shape::of_f + c], products[c * shape::of_f + j], y);
            f[rank * shape::of_f + j] = scaled(-tau, y);
        }
    __syncthreads(); /* F is there */
    wide *const to = (wide *)job.blocks + (int64_t)blockIdx.x * BACK_BLOCK;
    for (int e = rank; e < BACK_ROWS * TWO_BAND; e += BACK_THREADS) {
        int const r = e / TWO_BAND, i = e % TWO_BAND;
        wide y = zero_of<wide>();
        for (int j = i; j < TWO_BAND; ++j) y = product_add(v[j * shape::of_v + r], conj(f[i * shape::of_f + j]), y);
        to[e] = y;
        to[BACK_ROWS * TWO_BAND + e] = v[i * shape::of_v + r];
    }
}

/* ---------------------------------------------------------------------- sweeps */

/* A warp's columns: the first lanes / 4 rows of pieces of 16 x 8, and those 8 further on, which are the next 8 columns,
 * or imaginary parts.  TWO_BAND rows of Z are PIECES pieces. */
template <typename number> struct back_columns {
    using real = typename number::real;
    using wide = wide_of<number>;
    enum { PIECES = TWO_BAND / 8, each = 4 * PIECES, count = number::complex ? 8 : 16 };
    real *at[2];
    bool there[2];
    int n, q, m;

    template <typename job_type>
    __device__ __forceinline__ back_columns(const job_type &job, int64_t strip, int lane)
        : n(job.n), q(lane % 4), m(lane / 4)
    {
#pragma unroll
        for (int f = 0; f < 2; ++f) {
            int64_t const column = strip * count + m + (number::complex ? 0 : 8 * f);
            at[f] = (real *)(number::complex && f > 0 ? job.im : job.re) + column * job.z_pitch;
            there[f] = column < job.columns;
        }
    }
    /* Rows row0, ..., row0 + TWO_BAND - 1; what is not there is 0. */
    __device__ __forceinline__ void load(int row0, double (&to)[each]) const
    {
#pragma unroll
        for (int e = 0; e < each; ++e) {
            int const row = row0 + e / 4 * 8 + 2 * q + e % 2, f = e / 2 % 2;
            to[e] = there[f] && row >= 0 && row < n ? (double)at[f][row] : 0;
        }
    }
    __device__ __forceinline__ void store(int row0, const double (&from)[each]) const
    {
#pragma unroll
        for (int e = 0; e < each; ++e) {
            int const row = row0 + e / 4 * 8 + 2 * q + e % 2, f = e / 2 % 2;
            if (there[f] && row >= 0 && row < n) at[f][row] = (real)from[e];
        }
    }

    /* Adds to a piece another one times b, of the terms that this lane has first and second; imaginary parts count with
     * `sign`. */
    static __device__ __forceinline__ void multiply(double *to, const double *x, wide b, wide b4, double sign)
    {
        tensor_16x8x8(to, to + 2, x[0], x[2], x[1], x[3], b.re, b4.re);
        if constexpr (number::complex)
            tensor_16x8x8(to, to + 2, -sign * x[2], sign * x[0], -sign * x[3], sign * x[1], b.im, b4.im);
    }
    /* Two numbers that follow one another, in double. */
    template <typename other> static __device__ __forceinline__ void two_of(const other *from, wide (&both)[2])
    {
        if constexpr (sizeof(other) == 16) {
            both[0] = widened(from[0]), both[1] = widened(from[1]);
        } else {
            struct alignas(2 * sizeof(other)) pair {
                other x[2];
            };
            pair const x = *(const pair *)from;
            both[0] = widened(x.x[0]), both[1] = widened(x.x[1]);
        }
    }
};

template <typename number> struct back_shape {
    using columns = back_columns<number>;
    using wide = wide_of<number>;
    static constexpr int together = number::complex ? 1 : 2 /* groups */, most_strips = number::complex ? 8 : 4;
    static constexpr int per = 16 / (int)sizeof(wide), u_pitch = TWO_BAND + (number::complex ? 1 : 2),
                         v_pitch = TWO_BAND + (number::complex ? 1 : 8);
    static constexpr int of_u = BACK_ROWS * u_pitch, block = of_u + BACK_ROWS * v_pitch, stage = together * block;
    static constexpr int handed = (together - 1) * most_strips * 32 * columns::each; /* double */
    static constexpr size_t bytes = 2 * ((size_t)stage * sizeof(wide) + handed * sizeof(double));
};

/* These two parts, one below the other, become I - V U^H times them. */
template <typename number>
static __device__ __forceinline__ void back_reflect(const wide_of<number> *u, const wide_of<number> *v, int q, int m,
                                                    double (&low)[back_columns<number>::each],
                                                    double (&high)[back_columns<number>::each])
{
    using shape = back_shape<number>;
    using columns = typename shape::columns;
    using wide = wide_of<number>;
    enum { PIECES = columns::PIECES, each = columns::each };
    double p[each]; /* of the sweeps */
#pragma unroll
    for (int e = 0; e < each; ++e) p[e] = 0;
#pragma unroll
    for (int t = 0; t < 2 * PIECES; ++t)
#pragma unroll
        for (int c = 0; c < PIECES; ++c) {
            if (c > t) continue; /* zeros */
            const wide *const b = u + (8 * t + 2 * q) * shape::u_pitch + 8 * c + m;
            columns::multiply(p + 4 * c, t < PIECES ? low + 4 * t : high + 4 * (t - PIECES), b[0], b[shape::u_pitch],
                              -1);
        }
#pragma unroll
    for (int e = 0; e < each; ++e) p[e] = -p[e];
#pragma unroll
    for (int c = 0; c < PIECES; ++c)
#pragma unroll
        for (int t = 0; t < 2 * PIECES; ++t) {
            if (c > t || c < t - PIECES) continue; /* zeros */
            wide both[2];
            columns::two_of(v + (8 * t + m) * shape::v_pitch + 8 * c + 2 * q, both);
            columns::multiply(t < PIECES ? low + 4 * t : high + 4 * (t - PIECES), p + 4 * c, both[0], both[1], 1);
        }
}

/* Warps have strips of columns, and as many again the same strips: group p of those that go together is applied by the
 * p-th of them, step s at time s + p, to rows that the warp ahead of it has handed over a time before. */
template <typename number>
static __global__ void __launch_bounds__(32 * back_shape<number>::most_strips * back_shape<number>::together, 1)
    heev_two_sweeps_kernel(const __grid_constant__ back_job job)
{
    using shape = back_shape<number>;
    using columns = typename shape::columns;
    using wide = wide_of<number>;
    enum { G = shape::together, each = columns::each };
    extern __shared__ double two_memory[];
    wide *const memory = (wide *)two_memory;
    double *const handed = (double *)(memory + 2 * shape::stage);
    int const threads = (int)blockDim.x, rank = (int)threadIdx.x, lane = rank % 32, last = back_last(job.n);
    int const strips = threads / 32 / G, strip = rank / 32 % strips, p = rank / 32 / strips;
    columns const x(job, blockIdx.x * (int64_t)strips + strip, lane);
    for (int begin = 0; begin < job.groups; begin += G) {
        int const top = job.top - begin, times = last - (top - (G - 1)) + G;
        auto const exists = [&](int group, int s) { return group >= 0 && s >= 0 && group + s <= last; };
        auto const send = [&](int time) {
            constexpr int row = TWO_BAND / shape::per;
#pragma unroll
            for (int f = 0; f < G; ++f) {
                if (!exists(top - f, time - f)) continue;
                const wide *const from =
                    (const wide *)job.blocks + ((int64_t)(begin + f) * job.steps + time - f) * BACK_BLOCK;
                wide *const u = memory + time % 2 * shape::stage + f * shape::block, *const v = u + shape::of_u;
#pragma unroll 4
                for (int e = rank; e < BACK_ROWS * row; e += threads) {
                    int const r = e / row, c = e % row * shape::per;
                    copy_16(u + r * shape::u_pitch + c, from + e * shape::per);
                    copy_16(v + r * shape::v_pitch + c, from + (BACK_ROWS * row + e) * shape::per);
                }
            }
            copy_end();
        };
        /* The block of rows that warp p hands over at a time. */
        auto const place = [&](int time, int from) {
            return handed + (((time & 1) * (G - 1) + from) * shape::most_strips + strip) * 32 * each + lane;
        };
        auto const row_of = [&](int block) { return block * TWO_BAND + 1; };
        double low[each], high[each], next[each];
        __syncthreads(); /* no thread reads the data of the pass before */
        send(0);
        x.load(row_of(top - p), low);
        if (p == 0) x.load(row_of(top + 1), high);
        for (int time = 0; time < times; ++time) {
            int const s = time - p;
            if (p == 0) x.load(row_of(top + s + 2), next);
            copy_wait<0>();
            __syncthreads(); /* U, V and what was handed over are there, and the places of the next ones are free */
            send(time + 1);
            if (s < 0) continue;
            if (p > 0)
#pragma unroll
                for (int e = 0; e < each; ++e) high[e] = place(time - 1, p - 1)[e * 32];
            const wide *const u = memory + time % 2 * shape::stage + p * shape::block;
            if (exists(top - p, s)) back_reflect<number>(u, u + shape::of_u, x.q, x.m, low, high);
            if (p < G - 1) {
#pragma unroll
                for (int e = 0; e < each; ++e) place(time, p)[e * 32] = low[e];
            } else {
                x.store(row_of(top - p + s), low);
            }
#pragma unroll
            for (int e = 0; e < each; ++e) {
                low[e] = high[e];
                if (p == 0) high[e] = next[e];
            }
        }
    }
}

enum {
    SCAN_THREADS = 1024,
    TURN_THREADS = 256,
    BACK_LEAST_WARPS = 2,  /* of a block */
    BACK_BYTES = 24 << 20, /* of blocks that are made at a time, where groups are as small: they should stay in L2 */
    BACK_SHARE_PARTS = 8   /* of the sweeps, that the caller is told of */
};

/* ----------------------------------------------------------------------- turns */

/* x y, its length made 1 again. */
template <typename number> static __device__ __forceinline__ number turned(number x, number y)
{
    return direction_of(product_add(x, y, zero_of<number>()), (typename number::real)0);
}

/* turns: of T's elements below the diagonal, complex as the chase left them, to those of D: D(0) = 1, and D(k + 1) is
 * D(k) times the direction of element k.  A thread has some of them, one behind the other. */
template <typename number>
static __global__ void __launch_bounds__(SCAN_THREADS) heev_two_turns_kernel(number *turns, int n)
{
    using real = typename number::real;
    __shared__ number shared[2][SCAN_THREADS];
    int const rank = (int)threadIdx.x, each = (n + SCAN_THREADS - 1) / SCAN_THREADS;
    int const begin = min(n, rank * each), end = min(n, begin + each);
    number one = zero_of<number>();
    set(one, (real)1, (real)0);
    real const least = real_limits<real>::safmin / real_limits<real>::eps;
    auto const direction = [&](int k) { return k > 0 ? direction_of(turns[k - 1], least) : one; };
    number all = one;
    for (int k = begin; k < end; ++k) all = turned(all, direction(k));
    shared[0][rank] = all;
    __syncthreads(); /* all products are there */
    int from = 0;
    for (int apart = 1; apart < SCAN_THREADS; apart *= 2, from = 1 - from) {
        number const own = shared[from][rank];
        shared[1 - from][rank] = rank >= apart ? turned(shared[from][rank - apart], own) : own;
        __syncthreads(); /* the products of twice as many are there */
    }
    number x = rank > 0 ? shared[from][rank - 1] : one;
    number before = begin < end ? direction(begin) : one;
    __syncthreads(); /* a neighbour's last element has been read */
    for (int k = begin; k < end; ++k) {
        number const after = k + 1 < end ? direction(k + 1) : one;
        x = turned(x, before), before = after;
        turns[k] = x;
    }
}

/* Z := D Z. */
template <typename number>
static __global__ void __launch_bounds__(TURN_THREADS)
    heev_two_turn_kernel(const __grid_constant__ back_job job, const number *turns)
{
    using real = typename number::real;
    int64_t const at = blockIdx.x * job.z_pitch;
    for (int i = (int)threadIdx.x; i < job.n; i += TURN_THREADS) {
        real const z = ((const real *)job.re)[at + i];
        ((real *)job.re)[at + i] = turns[i].re * z;
        if (number::complex) ((real *)job.im)[at + i] = imaginary(turns[i]) * z;
    }
}

/* -------------------------------------------------------------------- launches */

/* Blocks of so many strips of columns of Z, each `together` warps, that all multiprocessors have some. */
template <typename shape_of> static cuda_shape shape_of_strips(const eig_context *ctx, int64_t columns, int together)
{
    int64_t const strips = (columns + shape_of::columns::count - 1) / shape_of::columns::count;
    int64_t const all = cuda_state_of(ctx)->multiprocessors, each = (strips + all - 1) / all;
    int64_t const least = each * together < BACK_LEAST_WARPS ? BACK_LEAST_WARPS / together : each;
    int64_t const own = least < shape_of::most_strips ? least : (int64_t)shape_of::most_strips;
    return {(strips + own - 1) / own, (int)own * together * 32, shape_of::bytes};
}

/* Groups whose blocks are made at a time. */
static eig_status enqueue_sweeps(eig_context *ctx, const heev_job &job, back_job back, cudaStream_t stream)
{
    using shape_of = back_shape<number>;
    cuda_shape const shape = shape_of_strips<shape_of>(ctx, job.columns, shape_of::together);
    int64_t const group_bytes = back.steps * (int64_t)(BACK_BLOCK * sizeof(wide_of<number>));
    int const fit = (int)(BACK_BYTES / group_bytes) / shape_of::together * shape_of::together;
    int const most = fit < shape_of::together ? shape_of::together : fit < HEEV_TWO_GROUPS ? fit : (int)HEEV_TWO_GROUPS;
    int const all = back_last(back.n) + 1;
    int untold = 0;
    eig_status status = EIG_OK;
    for (back.top = all - 1; back.top >= 0 && status == EIG_OK; back.top -= back.groups) {
        back.groups = back.top + 1 < most ? back.top + 1 : most;
        status = cuda_launch(ctx, "heev: two_blocks_kernel", stream,
                             {(int64_t)back.groups * back.steps, BACK_THREADS, back_blocks_shape<number>::bytes},
                             heev_two_blocks_kernel<number>, back);
        if (status == EIG_OK)
            status = cuda_launch(ctx, "heev: two_sweeps_kernel", stream, shape, heev_two_sweeps_kernel<number>, back);
        untold += back.groups;
        if (untold * BACK_SHARE_PARTS < all || status != EIG_OK) continue;
        double const left = (double)back.top / all;
        status =
            eig_cuda_heev_tell(ctx, job, stream, HEEV_REDUCTION_SHARE + (1 - HEEV_REDUCTION_SHARE) / 2 * (1 - left));
        untold = 0;
    }
    return status;
}

/* The panels' reflections: as if those of one stage were of the rows from TWO_BAND - 1 on. */
static eig_status enqueue_panels(eig_context *ctx, heev_job job, cudaStream_t stream)
{
    job.matrix = (number *)job.matrix + HEEV_TWO_ABOVE;
    job.z = (real *)job.z + HEEV_TWO_ABOVE, job.imaginary = (real *)job.imaginary + HEEV_TWO_ABOVE;
    job.p.n -= HEEV_TWO_ABOVE;
    return job.p.n > 1 ? TYPED(eig_cuda_heev_whole_apply)(ctx, job, stream) : EIG_OK;
}

/* To v: the matrix is not needed any more and takes Z, where Z stood in v. */
static eig_status enqueue_store(eig_context *ctx, heev_job job, cudaStream_t stream)
{
    size_t const row = (size_t)job.p.n * sizeof(real), pitch = (size_t)job.z_pitch * sizeof(real);
    if (job.p.range == EIG_RANGE_ALL) {
        real *const to = (real *)job.matrix, *const im = to + job.p.n * job.columns;
        CUDA_TRY(cudaMemcpy2DAsync(to, row, job.z, pitch, row, (size_t)job.columns, cudaMemcpyDeviceToDevice, stream));
        if (number::complex)
            CUDA_TRY(cudaMemcpy2DAsync(im, row, job.imaginary, pitch, row, (size_t)job.columns,
                                       cudaMemcpyDeviceToDevice, stream));
        job.z = to, job.imaginary = im, job.z_pitch = job.p.n;
    }
    eig_status const status = TYPED(eig_cuda_heev_leads)(ctx, job, stream);
    return status == EIG_OK ? TYPED(eig_cuda_heev_store)(ctx, job, stream) : status;
}

size_t TYPED(eig_cuda_heev_two_back_bytes)(int64_t)
{
    return back_shape<number>::bytes;
}

eig_status TYPED(eig_cuda_heev_two_back)(eig_context *ctx, const heev_job &given, cudaStream_t stream)
{
    if (given.columns == 0) return EIG_OK;
    heev_job job = given;
    if (job.p.range == EIG_RANGE_ALL) job.imaginary = (real *)job.z + job.p.n;
    int const n = (int)job.p.n;
    back_job back = {};
    back.a = job.matrix, back.pitch = job.matrix_pitch;
    back.re = job.z, back.im = number::complex ? job.imaginary : job.z, back.z_pitch = job.z_pitch;
    back.n = n, back.columns = (int)job.columns, back.steps = back_last(n) + 1, back.blocks = job.blocks;
    eig_status status = cuda_launch(ctx, "heev: two_turns_kernel", stream, {1, SCAN_THREADS},
                                    heev_two_turns_kernel<number>, (number *)job.turns, n);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "heev: two_turn_kernel", stream, {job.columns, TURN_THREADS},
                             heev_two_turn_kernel<number>, back, (const number *)job.turns);
    if (status == EIG_OK) status = enqueue_sweeps(ctx, job, back, stream);
    if (status == EIG_OK) status = enqueue_panels(ctx, job, stream);
    return status == EIG_OK ? enqueue_store(ctx, job, stream) : status;
}
