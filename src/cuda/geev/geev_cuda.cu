/* geev on CUDA: the driver.
 *
 * small n         one kernel (geev_small.cu)
 * n <= GEEV_MOST  kernel 1 (geev_prepare.cu) and kernel 2 (geev_qr.cu), in chunks that bound the workspace
 * larger n        the plain solver, a block a matrix
 *
 * In the first two cases the plain solver follows on the list of matrices that did not converge, nearly always empty.
 * Where there are several chunks they go in turn to two streams, the call's and one of the context's own, which begins
 * after and ends before what is enqueued on the call's: the last tiles of a chunk leave multiprocessors idle, which the
 * next chunk fills.  Nothing waits on the host, so a call with a lent workspace can be captured in a graph. */
#include "geev_cuda.cuh"
#include "host_arrays.cuh"

/* Most bytes of the workspace, unless a single matrix needs more. */
static const int64_t MOST_BYTES = (int64_t)256 << 20;

enum {
    SECOND_ATTEMPTS = 16, /* blocks of the plain solver behind kernel 2 */
    PLAIN_EACH = 2,       /* blocks of it on a multiprocessor, for larger n */
    LANES = 2,            /* chunks under way at a time */
    WARP = 32
};

/* Whether every matrix goes to the plain solver. */
static bool plainly(const geev_problem *p)
{
    return p->n > GEEV_MOST || p->method == EIG_GEEV_REFERENCE;
}

/* Carves the arrays of a chunk of job->count matrices. */
static void carve(arena *a, const geev_problem *p, bool packs, geev_job *job)
{
    job->plain = arena_take(a, job->plain_blocks, job->plain_bytes);
    if (plainly(p)) return;
    if (packs) {
        int64_t const tiles = (job->count + job->tile - 1) / job->tile;
        job->packed = arena_take(a, tiles * job->tile * geev_packed(p->n), type_size(p->type));
        job->records = (geev_record *)arena_take(a, job->count, sizeof(geev_record));
        job->progress = (geev_progress *)arena_take(a, job->count, sizeof(geev_progress));
    }
    job->failed = (int64_t *)arena_take(a, job->count, sizeof(int64_t));
    job->queue = (geev_queue *)arena_take(a, 1, sizeof(geev_queue));
}

/* The matrices of a chunk: as many as fit in `bytes`. */
static int64_t chunk_matrices(const geev_problem *p, bool packs, const geev_job *job, int64_t bytes)
{
    if (plainly(p)) return p->batch;
    int64_t const size = (int64_t)type_size(p->type), entries = geev_packed(p->n);
    int64_t const each = (packs ? entries * size + (int64_t)(sizeof(geev_record) + sizeof(geev_progress)) : 0) +
                         (int64_t)sizeof(int64_t);
    int64_t const others = job->plain_blocks * (int64_t)job->plain_bytes + 8 * EIG_ALIGNMENT;
    int64_t const fit = (bytes - others) / each / WARP * WARP;
    return fit < p->batch ? fit : p->batch;
}

/* Makes the job of one lane out of a workspace of `bytes` at most; with base NULL it only measures.  Returns what it
 * takes. */
static size_t layout_lane(const eig_context *ctx, const geev_problem *p, int64_t bytes, void *base, geev_job *job)
{
    arena a = {(char *)base, 0};
    *job = geev_job{};
    job->p = *p;
    job->plain_bytes = geev_plain_bytes(p);
    int64_t const fit = bytes / (int64_t)job->plain_bytes;
    int64_t const wide =
        plainly(p) ? (int64_t)PLAIN_EACH * cuda_state_of(ctx)->multiprocessors : (int64_t)SECOND_ATTEMPTS;
    int64_t const blocks = wide < fit ? wide : fit;
    job->plain_blocks = (int)(blocks > p->batch ? p->batch : blocks > 1 ? blocks : 1);
    geev_mapping const mapping = plainly(p) ? geev_mapping{} : eig_cuda_geev_choose_mapping(ctx, p);
    bool const packs = mapping.method != EIG_GEEV_AUTO;
    if (packs) job->tile = eig_cuda_geev_tile_matrices(mapping);
    job->count = chunk_matrices(p, packs, job, bytes);
    carve(&a, p, packs, job);
    return arena_rounded(a.used);
}

/* The jobs of all lanes: one where all matrices are one chunk, else LANES.  Returns their workspace. */
static size_t layout(const eig_context *ctx, const geev_problem *p, void *base, geev_job *jobs, int *lanes)
{
    size_t const whole = layout_lane(ctx, p, MOST_BYTES, base, jobs);
    *lanes = 1;
    if (jobs->count == p->batch) return whole;
    size_t each = 0;
    for (*lanes = 0; *lanes < LANES; ++*lanes)
        each = layout_lane(ctx, p, MOST_BYTES / LANES, base ? (char *)base + *lanes * each : NULL, &jobs[*lanes]);
    return LANES * each;
}

size_t eig_cuda_geev_work_size(const eig_context *ctx, const geev_problem *p)
{
    geev_job jobs[LANES];
    int lanes;
    return layout(ctx, p, NULL, jobs, &lanes);
}

/* The kernels for a chunk, in three passes. */
static eig_status enqueue(eig_context *ctx, const geev_job &job, cudaStream_t stream, cuda_clock *clock)
{
    const geev_kernels *const k = eig_cuda_geev_kernels(job.p.type);
    bool const fast = !plainly(&job.p);
    geev_mapping const mapping = fast ? eig_cuda_geev_choose_mapping(ctx, &job.p) : geev_mapping{};
    bool const small = mapping.method == EIG_GEEV_AUTO;
    if (fast) CUDA_TRY(cudaMemsetAsync(job.queue, 0, sizeof *job.queue, stream));
    eig_status status = EIG_OK;
    if (fast && !small) status = k->prepare(ctx, job, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if (status == EIG_OK && fast)
        status = small ? k->small(ctx, job, stream) : eig_cuda_geev_launch_qr(ctx, job, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if (status == EIG_OK) status = k->plain(ctx, job, fast, stream);
    return status == EIG_OK ? eig_cuda_mark_clock(ctx, clock) : status;
}

/* Lets stream `after` wait for what has been enqueued on stream `before`. */
static eig_status order_streams(eig_context *ctx, cudaStream_t before, cudaStream_t after, cudaEvent_t event)
{
    CUDA_TRY(cudaEventRecord(event, before));
    CUDA_TRY(cudaStreamWaitEvent(after, event, 0));
    return EIG_OK;
}

/* The whole of a problem on device arrays, in chunks that bound the workspace.  Where times are measured, chunks follow
 * one another on one stream. */
static eig_status solve(eig_context *ctx, const geev_problem *p, void *work, cudaStream_t stream, cuda_clock *clock)
{
    const cuda_state *const state = cuda_state_of(ctx);
    geev_job jobs[LANES];
    int lanes;
    layout(ctx, p, work, jobs, &lanes);
    bool const forks = lanes > 1 && !ctx->timing;
    int64_t const chunk = jobs->count;
    eig_status status = forks ? order_streams(ctx, stream, state->side, state->forked) : EIG_OK;
    int lane = 0;
    for (int64_t first = 0; first < p->batch && status == EIG_OK; first += chunk, lane = (lane + 1) % lanes) {
        geev_job job = jobs[lane];
        job.first = first;
        job.count = p->batch - first < chunk ? p->batch - first : chunk;
        if (first > 0) status = eig_cuda_read_clock(ctx, clock);
        if (status == EIG_OK) status = eig_cuda_start_clock(ctx, clock, stream);
        if (status == EIG_OK) status = enqueue(ctx, job, forks && lane > 0 ? state->side : stream, clock);
    }
    /* Whatever happened, the side stream joins again: a capture could not end without it. */
    eig_status const joined = forks ? order_streams(ctx, state->side, stream, state->joined) : EIG_OK;
    return status == EIG_OK ? joined : status;
}

/* ----------------------------------------------------------------- host arrays */

/* The arrays of a call, as they stand in a chunk. */
enum { ARRAY_A, ARRAY_X, ARRAY_W, ARRAY_VALUE, ARRAY_INFO };

/* The problem that a chunk holds: its arrays are dense device arrays. */
static geev_problem problem_of_chunk(const geev_problem *p, const cuda_chunk *chunk)
{
    geev_problem q = *p;
    q.batch = chunk->count;
    q.a = chunk->array[ARRAY_A], q.x = chunk->array[ARRAY_X];
    q.w = chunk->array[ARRAY_W], q.value = chunk->array[ARRAY_VALUE], q.info = (int *)chunk->array[ARRAY_INFO];
    q.lda = p->n, q.stride_x = p->m, q.stride_w = p->n;
    q.stride_a = cuda_dense_stride(p->layout, p->n, chunk->count);
    return q;
}

static size_t chunk_work_size(const eig_context *ctx, const void *problem, int64_t count)
{
    geev_problem q = *(const geev_problem *)problem;
    q.batch = count;
    return eig_cuda_geev_work_size(ctx, &q);
}

static eig_status solve_chunk(eig_context *ctx, const void *problem, const cuda_chunk *chunk)
{
    geev_problem const q = problem_of_chunk((const geev_problem *)problem, chunk);
    return solve(ctx, &q, chunk->work, chunk->stream, chunk->clock);
}

/* The matrices of the batch; the affine family's m + 1 are shared by all of its points, and lie matrix-wise. */
static cuda_array input_of(const geev_problem *p)
{
    int64_t const size = (int64_t)type_size(p->type);
    if (!p->affine) return cuda_matrices("a", p->a, false, p->layout, p->n, p->lda, p->stride_a, p->batch, size);
    cuda_array a = cuda_matrices("a", p->a, false, EIG_LAYOUT_MATRIX_WISE, p->n, p->lda, p->stride_a, p->m + 1, size);
    a.batch_level = CUDA_SHARED;
    return a;
}

static cuda_call list_arrays(const geev_problem *p)
{
    size_t const size = type_size(p->type);
    cuda_call call = {"geev", p, p->batch, p->chunk, chunk_work_size, solve_chunk, 0, {}};
    call.array[call.arrays++] = input_of(p);
    cuda_add_rows(&call, "x", p->m > 0 ? p->x : NULL, false, p->m, p->stride_x, size);
    cuda_add_rows(&call, "w", p->w, true, p->n, p->stride_w, 2 * size);
    cuda_add_rows(&call, "value", p->value, true, 1, 1, size);
    cuda_add_rows(&call, "info", p->info, true, 1, 1, sizeof *p->info);
    return call;
}

/* --------------------------------------------------------------------- driver */

eig_status eig_cuda_geev(eig_context *ctx, const geev_problem *p)
{
    static const char *const passes[] = {"reduction", "iteration", "plain"};
    cuda_scope const scope(ctx);
    cuda_call call = list_arrays(p);
    bool on_device;
    eig_status status = eig_cuda_find_side(ctx, &call, &on_device);
    if (status != EIG_OK) return status;
    eig_begin_passes(ctx, 3, passes);
    if (!on_device) return eig_cuda_run_host(ctx, &call);
    void *work;
    cuda_clock clock;
    status = eig_cuda_workspace(ctx, "geev", eig_cuda_geev_work_size(ctx, p), &work);
    if (status != EIG_OK) return status;
    status = solve(ctx, p, work, cuda_state_of(ctx)->stream, &clock);
    status = eig_cuda_end_call(ctx, status);
    return status == EIG_OK ? eig_cuda_read_clock(ctx, &clock) : status;
}
