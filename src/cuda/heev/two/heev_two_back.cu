/* heev on CUDA, the vectors of one large matrix by two stages: V = Q1 Q2 D Z, with Z the eigenvectors of T, D what makes T real, Q2 the
 * chase's reflections (heev_two_back.cuh), Q1 those of the panels (whole/heev_whole_back.cu). */
#include "heev/two/heev_two_back.cuh"
#include "per_type.cuh"

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

/* turns: of T's elements below the diagonal, complex as the chase left them, to those of D: D(0) = 1, and D(k + 1) is D(k) times
 * the direction of element k.  A thread has some of them, one behind the other. */
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
