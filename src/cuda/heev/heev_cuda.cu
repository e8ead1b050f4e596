/* heev on CUDA: the driver.
 *
 * n <= HEEV_SMALL   a thread a matrix (heev_small.cuh)
 * tridiagonal       n <= HEEV_TINY: one (heev_tiny.cuh); above three kernels: heev_reduce.cuh, heev_ql.cu and, for vectors, heev_vectors.cuh
 * jacobi            one (heev_jacobi.cuh)
 * reference         one (heev_plain.cu)
 * n > HEEV_MOST     tridiagonal: heev_blocked.cu with kernels of its own; jacobi: one, by blocks of columns
 *                   (heev_blocks.cuh); reference: plain Jacobi (heev_large.cu)
 *
 * Larger batches go in slices that bound the workspace.  Nothing waits on the host, so that a call with a lent
 * workspace can be captured in a graph. */
#include "heev_cuda.cuh"
#include "host_arrays.cuh"

enum {
    WARP = 32,
    LARGE_EACH = 4 /* blocks on a multiprocessor for n > HEEV_MOST */
};

enum heev_road {
    ROAD_SMALL,
    ROAD_TINY,
    ROAD_TRIDIAGONAL,
    ROAD_JACOBI,
    ROAD_PLAIN,
    ROAD_BLOCKED,
    ROAD_BLOCKS,
    ROAD_LARGE
};

static heev_road road_of(const eig_context *ctx, const heev_problem *p)
{
    if (p->method == EIG_HEEV_REFERENCE) return p->n > HEEV_MOST ? ROAD_LARGE : ROAD_PLAIN;
    bool const jacobi = p->method == EIG_HEEV_JACOBI || p->relative;
    if (p->n > HEEV_MOST) return jacobi || !eig_cuda_heev_blocked_fits(ctx, p) ? ROAD_BLOCKS : ROAD_BLOCKED;
    bool const small =
        jacobi || p->n < HEEV_SMALL || (p->vectors && !type_is_complex(p->type)); /* the faster at n = 3 */
    if (p->n <= HEEV_SMALL && small) return ROAD_SMALL;
    if (jacobi) return ROAD_JACOBI;
    return p->n <= HEEV_TINY ? ROAD_TINY : ROAD_TRIDIAGONAL;
}

/* ------------------------------------------------------------------- workspace */

/* Those whose blocks stay and take all matrices of the batch, one after another: no slices. */
static bool stays(heev_road road)
{
    return road == ROAD_LARGE || road == ROAD_BLOCKS;
}

/* Carves the arrays of a slice of job->count matrices, or of as many blocks or groups of blocks. */
static void carve(arena *a, const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    size_t const real = type_is_single(p->type) ? sizeof(float) : sizeof(double);
    int64_t const n = p->n, count = job->count;
    heev_road const road = road_of(ctx, p);
    if (road == ROAD_BLOCKED) eig_cuda_heev_blocked_carve(a, ctx, p, job);
    if (road == ROAD_JACOBI || road == ROAD_BLOCKS)
        job->queue = (unsigned long long *)arena_take(a, 1, sizeof *job->queue);
    if (road == ROAD_BLOCKS) {
        heev_blocks_plan plan;
        eig_cuda_heev_blocks_plan(ctx, p, &plan);
        job->plain = arena_take(a, count, plan.bytes);
    }
    if (road == ROAD_LARGE) job->plain = arena_take(a, count, eig_cuda_heev_large_bytes(p));
    if (road == ROAD_PLAIN) job->plain = arena_take(a, count * n * n, type_size(p->type));
    if (road != ROAD_TRIDIAGONAL) return;
    job->d = arena_take(a, count * n, real);
    job->e = arena_take(a, count * n, real);
    job->unit = arena_take(a, count, real);
    if (!p->vectors) return;
    job->tau = arena_take(a, count * n, type_size(p->type));
    job->rotations = arena_take(a, count * job->most_rotations, sizeof(int64_t));
    job->sweeps = (uint16_t *)arena_take(a, count * job->most_sweeps, sizeof(uint16_t));
    job->sweep_count = (int *)arena_take(a, count, sizeof(int));
    job->failed = (int *)arena_take(a, count, sizeof(int));
    job->order = (uint8_t *)arena_take(a, count * n, 1);
}

/* Makes the job of a slice; with base NULL it only measures.  Returns what it takes. */
static size_t layout(const eig_context *ctx, const heev_problem *p, void *base, heev_job *job)
{
    *job = heev_job{};
    job->p = *p;
    job->at_a = heev_strides_of(p), job->at_v = heev_strides_of_v(p);
    job->most_rotations = heev_most_rotations(p->n), job->most_sweeps = heev_most_sweeps(p->n);
    heev_road const road = road_of(ctx, p);
    int64_t most = p->batch; /* matrices, or blocks, at a time */
    if (stays(road)) {
        heev_blocks_plan plan = {0, 0, 0};
        if (road == ROAD_BLOCKS) eig_cuda_heev_blocks_plan(ctx, p, &plan);
        if (road == ROAD_LARGE) plan.bytes = eig_cuda_heev_large_bytes(p);
        int64_t const fit = HEEV_MOST_BYTES / (int64_t)arena_rounded(plan.bytes + 1); /* and the queue */
        int64_t const wide =
            road == ROAD_BLOCKS ? plan.groups : (int64_t)LARGE_EACH * cuda_state_of(ctx)->multiprocessors;
        most = fit < 1 ? 1 : fit < wide ? fit : wide;
    } else if (road == ROAD_PLAIN || road == ROAD_TRIDIAGONAL) {
        arena one = {NULL, 0};
        job->count = WARP;
        carve(&one, ctx, p, job);
        most = HEEV_MOST_BYTES / (int64_t)arena_rounded(one.used) * WARP;
    } else if (road == ROAD_BLOCKED) {
        eig_cuda_heev_blocked_slice(ctx, p, job);
        most = job->count;
    }
    job->count = most < p->batch ? most : p->batch;
    arena a = {(char *)base, 0};
    carve(&a, ctx, p, job);
    return arena_rounded(a.used);
}

size_t eig_cuda_heev_work_size(const eig_context *ctx, const heev_problem *p)
{
    heev_job job;
    return layout(ctx, p, NULL, &job);
}

/* --------------------------------------------------------------------- kernels */

#define LAUNCH(pass, type)                        \
    ((type) == EIG_S   ? eig_cuda_heev_##pass##_s \
     : (type) == EIG_D ? eig_cuda_heev_##pass##_d \
     : (type) == EIG_C ? eig_cuda_heev_##pass##_c \
                       : eig_cuda_heev_##pass##_z)

static eig_status enqueue_tridiagonal(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock)
{
    eig_status status = LAUNCH(reduce, job.p.type)(ctx, job, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if (status == EIG_OK) status = eig_cuda_heev_ql(ctx, job, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if (status == EIG_OK && job.p.v) status = LAUNCH(vectors, job.p.type)(ctx, job, stream);
    return status == EIG_OK ? eig_cuda_mark_clock(ctx, clock) : status;
}

static eig_status enqueue(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock)
{
    heev_road const road = road_of(ctx, &job.p);
    if (road == ROAD_BLOCKED) return eig_cuda_heev_blocked(ctx, job, stream, clock);
    if (road == ROAD_TRIDIAGONAL) return enqueue_tridiagonal(ctx, job, stream, clock);
    eig_status status = EIG_OK;
    if (road == ROAD_SMALL) status = LAUNCH(small, job.p.type)(ctx, job, stream);
    if (road == ROAD_TINY) status = LAUNCH(tiny, job.p.type)(ctx, job, stream);
    if (road == ROAD_JACOBI) status = LAUNCH(jacobi, job.p.type)(ctx, job, stream);
    if (road == ROAD_PLAIN) status = eig_cuda_heev_plain(ctx, job, stream);
    if (road == ROAD_BLOCKS) status = LAUNCH(blocks, job.p.type)(ctx, job, stream);
    if (road == ROAD_LARGE) status = eig_cuda_heev_large(ctx, job, stream);
    return status == EIG_OK ? eig_cuda_mark_clock(ctx, clock) : status;
}

/* The whole of a problem on device arrays, slice by slice. */
static eig_status solve(eig_context *ctx, const heev_problem *p, void *work, cudaStream_t stream, cuda_clock *clock)
{
    heev_job job;
    layout(ctx, p, work, &job);
    int64_t const slice = stays(road_of(ctx, p)) ? p->batch : job.count;
    eig_status status = EIG_OK;
    for (job.first = 0; job.first < p->batch && status == EIG_OK; job.first += slice) {
        if (p->batch - job.first < slice) job.count = p->batch - job.first;
        if (job.first > 0) status = eig_cuda_read_clock(ctx, clock);
        if (status == EIG_OK) status = eig_cuda_start_clock(ctx, clock, stream);
        if (status == EIG_OK) status = enqueue(ctx, job, stream, clock);
    }
    return status;
}

/* ----------------------------------------------------------------- host arrays */

/* The arrays of a call, as they stand in a chunk. */
enum { ARRAY_A, ARRAY_W, ARRAY_V, ARRAY_INFO, ARRAY_SWEEPS };

/* The problem that a chunk holds: its arrays are dense device arrays. */
static heev_problem problem_of_chunk(const heev_problem *p, const cuda_chunk *chunk)
{
    heev_problem q = *p;
    q.batch = chunk->count;
    q.a = chunk->array[ARRAY_A], q.w = chunk->array[ARRAY_W], q.v = chunk->array[ARRAY_V];
    q.info = (int *)chunk->array[ARRAY_INFO], q.sweeps = (int *)chunk->array[ARRAY_SWEEPS];
    q.lda = q.ldv = p->n, q.stride_w = p->n, q.stride_v = p->n * p->n;
    q.stride_a = cuda_dense_stride(p->layout, p->n, chunk->count);
    return q;
}

static size_t chunk_work_size(const eig_context *ctx, const void *problem, int64_t count)
{
    heev_problem q = *(const heev_problem *)problem;
    q.batch = count;
    return eig_cuda_heev_work_size(ctx, &q);
}

static eig_status solve_chunk(eig_context *ctx, const void *problem, const cuda_chunk *chunk)
{
    heev_problem const q = problem_of_chunk((const heev_problem *)problem, chunk);
    return solve(ctx, &q, chunk->work, chunk->stream, chunk->clock);
}

static cuda_call list_arrays(const heev_problem *p)
{
    int64_t const number = (int64_t)type_size(p->type);
    size_t const size = type_is_single(p->type) ? sizeof(float) : sizeof(double);
    cuda_call call = {"heev", p, p->batch, p->chunk, chunk_work_size, solve_chunk, 0, {}};
    call.array[call.arrays++] = cuda_matrices("a", p->a, false, p->layout, p->n, p->lda, p->stride_a, p->batch, number);
    cuda_add_rows(&call, "w", p->w, true, p->n, p->stride_w, size);
    call.array[call.arrays++] =
        cuda_matrices("v", p->v, true, EIG_LAYOUT_MATRIX_WISE, p->n, p->ldv, p->stride_v, p->batch, number);
    cuda_add_rows(&call, "info", p->info, true, 1, 1, sizeof *p->info);
    cuda_add_rows(&call, "sweeps", p->sweeps, true, 1, 1, sizeof *p->sweeps);
    return call;
}

/* --------------------------------------------------------------------- driver */

static void begin_passes(eig_context *ctx, const heev_problem *p)
{
    static const char *const three[] = {"reduction", "tridiagonal", "vectors"}, *const sweeps[] = {"sweeps"};
    heev_road const road = road_of(ctx, p);
    if (road == ROAD_TRIDIAGONAL || road == ROAD_BLOCKED)
        eig_begin_passes(ctx, 3, three);
    else
        eig_begin_passes(ctx, 1, road == ROAD_TINY ? three + 1 : sweeps);
}

eig_status eig_cuda_heev(eig_context *ctx, const heev_problem *p)
{
    cuda_scope const scope(ctx);
    cuda_call call = list_arrays(p);
    bool on_device;
    eig_status status = eig_cuda_find_side(ctx, &call, &on_device);
    if (status != EIG_OK) return status;
    begin_passes(ctx, p);
    if (!on_device) return eig_cuda_run_host(ctx, &call);
    void *work;
    cuda_clock clock;
    status = eig_cuda_workspace(ctx, "heev", eig_cuda_heev_work_size(ctx, p), &work);
    if (status != EIG_OK) return status;
    status = solve(ctx, p, work, cuda_state_of(ctx)->stream, &clock);
    status = eig_cuda_end_call(ctx, status);
    return status == EIG_OK ? eig_cuda_read_clock(ctx, &clock) : status;
}
