/* heev on CUDA, n > 32: the kernel of one-sided block Jacobi (heev_blocks.cuh): its queue, sweeps and results. */
#include "heev/heev_gauge.cuh"
#include "heev/jacobi/heev_blocks.cuh"
#include "per_type.cuh"

/* ------------------------------------------------------------------- workspace */

/* What the blocks of a group tell each other; zero before the launch. */
struct blocks_control {
    unsigned arrived; /* counts at the group's barrier */
    int64_t matrix;
    int worked[2][BLOCKS_GROUP]; /* whether the block rotated anything, by the sweep's parity */
};

/* The work area of a group. */
template <typename number> struct blocks_area {
    using real = typename number::real;
    blocks_control *control;
    number *x; /* column j from x + j*pitch: rows of X, then rows of Q, each with zeros up to a multiple of 16 */
    real *largest, *square; /* for each column of A: the largest part, or -1; the sum of squares */
    real *d;                /* the diagonal */
    int *bad;               /* columns that hold what has not converged */
};

/* Columns of X, for blocks of W / 2 columns. */
static inline __host__ __device__ int64_t blocks_columns(int64_t n, int width)
{
    return (n + width - 1) / width * width;
}

/* Columns of a pair of blocks: 16 or 32, measured, see docs/maintainers/cuda/heev.md. */
static inline int blocks_width(const heev_problem *p)
{
    return p->n <= 48 || (p->type == EIG_Z && p->n > 64 && p->n <= 80) ? 16 : 32;
}

template <typename number> static size_t blocks_layout(int64_t n, int width, char *base, blocks_area<number> *s)
{
    int64_t const columns = blocks_columns(n, width);
    arena a = {base, 0};
    s->control = (blocks_control *)arena_take(&a, 1, sizeof *s->control);
    s->x = (number *)arena_take(&a, columns * 2 * blocks_rows(n), sizeof(number));
    s->largest = (typename number::real *)arena_take(&a, columns, sizeof *s->largest);
    s->square = (typename number::real *)arena_take(&a, columns, sizeof *s->square);
    s->d = (typename number::real *)arena_take(&a, columns, sizeof *s->d);
    s->bad = (int *)arena_take(&a, columns, sizeof *s->bad);
    return arena_rounded(a.used);
}

/* -------------------------------------------------------------------- a matrix */

template <typename number, int W> struct blocks_matrix {
    using real = typename number::real;
    enum { WARPS = BLOCKS_THREADS / 32 };
    const heev_job &job;
    blocks_area<number> at;
    blocks_visit<number> visit;
    block_team<BLOCKS_THREADS> team;
    lane_team<32> lanes;
    int64_t n, b; /* b: the matrix */
    int group, rank;
    unsigned barriers;

    __device__ __forceinline__ blocks_matrix(const heev_job &call, const blocks_area<number> &area, int group_size,
                                             double *reduced)
        : job(call),
          at(area), visit{area.x, call.p.n, 0, 0, false, 0, 0, area.d, NULL}, team{(int)threadIdx.x, reduced},
          lanes((int)threadIdx.x), n(call.p.n), b(0), group(group_size), rank((int)blockIdx.x % group_size), barriers(0)
    {
    }

    /* Waits for all blocks of the group; they then see what the others have written. */
    __device__ __forceinline__ void meet()
    {
        if (group == 1)
            __syncthreads();
        else
            counter_barrier(&at.control->arrived, ++barriers * (unsigned)group);
    }

    /* The next matrix of the queue; false: none is left. */
    __device__ __forceinline__ bool next()
    {
        if (rank == 0 && threadIdx.x == 0) at.control->matrix = (int64_t)atomicAdd(job.queue, 1ull);
        meet();
        b = *(volatile int64_t *)&at.control->matrix;
        return b < job.p.batch;
    }

    /* Calls f(j) for columns j < count, a warp a column, shared by the group. */
    template <typename function> __device__ __forceinline__ void each_column(int64_t count, function f)
    {
        for (int64_t j = rank * WARPS + threadIdx.x / 32; j < count; j += group * WARPS) f(j);
    }

    /* Element (i, j), from the triangle that is given. */
    __device__ __forceinline__ number given(const number *a, int64_t i, int64_t j) const
    {
        bool const here = job.p.upper ? i <= j : i >= j;
        number x = load_number(a + (here ? i * job.at_a.i + j * job.at_a.j : j * job.at_a.i + i * job.at_a.j));
        if (i == j) set(x, x.re, (real)0);
        x = lower_of(x, job.p.upper);
        return i < j ? conj(x) : x;
    }

    /* Loads the matrix, scaled to entries in [1, 2), or for a relative test as jacobi.inc tells, and makes Q the
     * identity; false where it is not finite, and then X is zero. */
    __device__ bool load(real *unit)
    {
        const number *const a = (const number *)job.p.a + b * job.at_a.b;
        each_column(n, [&](int64_t j) {
            real big = 0;
            bool finite = true;
            for (int64_t i = lanes.rank; i < n; i += 32) {
                if (job.p.upper ? i > j : i < j) continue;
                number const x = given(a, i, j);
                real const most = real_limits<real>::largest;
                finite = finite && fabs(x.re) <= most && fabs(imaginary(x)) <= most;
                big = fmax(big, larger_part(x));
            }
            big = lanes.max(big);
            if (lanes.any(!finite)) big = -1;
            if (lanes.rank == 0) at.largest[j] = big;
        });
        meet();
        real big = 0;
        bool finite = true;
        for (int64_t j = team.rank; j < n; j += BLOCKS_THREADS) {
            finite = finite && at.largest[j] >= 0;
            big = fmax(big, at.largest[j]);
        }
        finite = !team.any(!finite);
        big = finite ? team.max(big) : (real)1;
        *unit = job.p.relative ? pow2_inverse(heev_scale_relative(big)) : heev_unit(big);
        store_columns(a, finite, pow2_inverse(*unit));
        meet();
        real squares = 0;
        for (int64_t j = team.rank; j < n; j += BLOCKS_THREADS) squares += at.square[j];
        squares = team.sum(squares);
        /* X errs by some eps times the mean size of an eigenvalue, also where its own eigenvalue is 0. */
        visit.bound = fmax((real)job.p.tolerance * (sqrt(squares) / (real)n),
                           4 * real_limits<real>::eps * sqrt(squares / (real)n));
        visit.tolerance = job.p.relative ? fmax((real)job.p.tolerance, BLOCKS_NOISE * real_limits<real>::eps) : (real)0;
        return finite;
    }

    __device__ __forceinline__ void store_columns(const number *a, bool finite, real by)
    {
        int64_t const rows = blocks_rows(n);
        each_column(blocks_columns(n, W), [&](int64_t j) {
            real squares = 0;
            number *const to = at.x + j * 2 * rows;
            for (int64_t i = lanes.rank; i < rows; i += 32) {
                number x, one;
                set(x, (real)0, (real)0);
                set(one, i == j && j < n ? (real)1 : (real)0, (real)0);
                if (finite && i < n && j < n) x = scaled(by, given(a, i, j));
                squares += square(x);
                to[i] = x, to[rows + i] = one;
            }
            squares = lanes.sum(squares);
            if (lanes.rank == 0) at.square[j] = squares, at.bad[j] = 0;
        });
    }

    /* A sweep: every pair of column blocks meets once. Returns whether any was not diagonal enough. */
    __device__ __forceinline__ bool sweep(int number_of_it, bool marks)
    {
        int const blocks = (int)(blocks_columns(n, W) / (W / 2)), used = (int)((n + W / 2 - 1) / (W / 2));
        bool worked = false;
        for (int round = 0; round < blocks - 1; ++round) {
            for (int k = rank; k < blocks / 2; k += group) {
                int64_t p, q;
                jacobi_pair(blocks, round, k, &p, &q);
                if (q >= used && round > 0) continue; /* block p rests */
                visit.p = (int)p, visit.q = (int)q, visit.all = round == 0, visit.marks = marks ? at.bad : NULL;
                worked = blocks_do<number, W>(visit) || worked;
            }
            if (round == blocks - 2 && threadIdx.x == 0) at.control->worked[number_of_it % 2][rank] = worked;
            meet();
        }
        worked = false;
        for (int k = 0; k < group; ++k) worked = worked || ((volatile int *)at.control->worked[number_of_it % 2])[k];
        return worked;
    }

    __device__ __forceinline__ void store(bool finite, real unit, int sweeps)
    {
        int failed = 0;
        for (int64_t j = team.rank; j < n; j += BLOCKS_THREADS) failed += at.bad[j] != 0;
        failed = team.sum(failed);
        int64_t const good = finite ? n - failed : 0, rows = blocks_rows(n);
        batch_strides const s = job.at_v;
        each_column(n, [&](int64_t j) {
            int place = 0;
            real const own = at.d[j];
            int const own_bad = at.bad[j];
            for (int64_t k = lanes.rank; k < n; k += 32) {
                real const d = at.d[k];
                int const bad = at.bad[k];
                place += bad < own_bad || (bad == own_bad && (d < own || (d == own && k < j)));
            }
            place = lanes.sum(place);
            if (lanes.rank == 0)
                ((real *)job.p.w)[b * job.p.stride_w + place] = place < good ? own * unit + (real)0 : (real)NAN;
            if (!job.p.v) return;
            number *const v = (number *)job.p.v + (b * s.b + place * s.j);
            const number *const from = at.x + (j * 2 + 1) * rows;
            number const lead = gauge_warp_lead<number>(lanes.rank, n, [&](int64_t i) { return from[i]; });
            number const by = gauge_factor(lead);
            for (int64_t i = lanes.rank; i < n; i += 32) {
                number x = gauge_turned(lead, by, from[i]);
                if (place >= good) set(x, (real)NAN, (real)NAN);
                store_number(v + i * s.i, x);
            }
        });
        if (rank > 0 || threadIdx.x > 0) return;
        if (job.p.info) job.p.info[b] = finite ? failed : EIG_INFO_NOT_FINITE;
        if (job.p.sweeps) job.p.sweeps[b] = sweeps;
    }
};

template <typename number, int W>
static __global__ void __launch_bounds__(BLOCKS_THREADS, 4)
    heev_blocks_kernel(heev_job job, blocks_area<number> area, size_t bytes, int group)
{
    __shared__ double reduced[BLOCKS_THREADS / 32];
    size_t const by = (size_t)(blockIdx.x / (unsigned)group) * bytes;
    blocks_area<number> own;
    own.control = (blocks_control *)((char *)area.control + by), own.x = (number *)((char *)area.x + by);
    own.largest = (typename number::real *)((char *)area.largest + by);
    own.square = (typename number::real *)((char *)area.square + by);
    own.d = (typename number::real *)((char *)area.d + by), own.bad = (int *)((char *)area.bad + by);
    blocks_matrix<number, W> x(job, own, group, reduced);
    while (x.next()) {
        typename number::real unit;
        bool const finite = x.load(&unit);
        int sweeps = 0;
        while (x.sweep(sweeps, sweeps == job.p.max_sweeps) && sweeps < job.p.max_sweeps) ++sweeps;
        x.store(finite, unit, sweeps);
    }
}

/* -------------------------------------------------------------------- launcher */

/* Thread blocks of a matrix, from the number of pairs of a round. */
static inline int64_t blocks_group(int64_t n, int width, int64_t resident)
{
    int64_t const pairs = blocks_columns(n, width) / width, limit = BLOCKS_GROUP;
    int64_t const most = resident < limit ? resident : limit;
    int64_t const each = (pairs + most - 1) / most; /* visits of a block in a round */
    return (pairs + each - 1) / each;
}

template <typename number, int W>
static eig_status launch_blocks(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    blocks_area<number> area;
    size_t const bytes = blocks_layout(job.p.n, W, (char *)job.areas, &area);
    size_t const shared = sizeof(blocks_space<number, W>);
    eig_status const status = eig_cuda_allow_shared(ctx, (const void *)heev_blocks_kernel<number, W>);
    if (status != EIG_OK) return status;
    int each = 0;
    CUDA_TRY(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, heev_blocks_kernel<number, W>, BLOCKS_THREADS, shared));
    int64_t const resident = (int64_t)(each < 1 ? 1 : each) * cuda_state_of(ctx)->multiprocessors;
    int64_t const group = blocks_group(job.p.n, W, resident), fit = resident / group;
    int64_t const groups = job.workers < fit ? job.workers : fit;
    CUDA_TRY(cudaMemsetAsync(job.queue, 0, sizeof *job.queue, stream));
    CUDA_TRY(cudaMemset2DAsync(job.areas, bytes, 0, sizeof(blocks_control), (size_t)groups, stream));
    cuda_shape shape = {groups * group, BLOCKS_THREADS, shared};
    shape.cooperative = true;
    return cuda_launch(ctx, "heev: blocks_kernel", stream, shape, heev_blocks_kernel<number, W>, job, area, bytes,
                       (int)group);
}

void TYPED(eig_cuda_heev_blocks_plan)(const eig_context *ctx, const heev_problem *p, heev_blocks_plan *plan)
{
    const cuda_state *const state = cuda_state_of(ctx);
    int const width = blocks_width(p);
    blocks_area<number> area;
    size_t const shared = width == 16 ? sizeof(blocks_space<number, 16>) : sizeof(blocks_space<number, 32>);
    int64_t const each = state->shared_bytes / (int64_t)(shared + 1024), most = 2048 / BLOCKS_THREADS;
    int64_t const resident = (each < 1 ? 1 : each < most ? each : most) * state->multiprocessors;
    plan->width = width;
    plan->bytes = blocks_layout(p->n, width, NULL, &area);
    plan->groups = resident / blocks_group(p->n, width, resident);
}

eig_status TYPED(eig_cuda_heev_blocks)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return blocks_width(&job.p) == 16 ? launch_blocks<number, 16>(ctx, job, stream)
                                      : launch_blocks<number, 32>(ctx, job, stream);
}
