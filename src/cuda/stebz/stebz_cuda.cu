/* stebz on CUDA, the driver: workspace, arrays, counts.  A row of the table of roads (stebz_roads.cu) knows the
 * kernels.
 *
 * Kernels are enqueued on one stream, and nothing is waited for, unless a long call on host arrays reports progress. */
#include "stebz_cuda.cuh"
#include "stebz_pace.h"

/* ----------------------------------------------------------------- workspace */

/* What every road of one matrix needs. */
static void carve_rows(arena *a, int64_t n, stebz_job *job)
{
    job->t.n = n;
    job->t.blocks = (n + STURM_BLOCK - 1) / STURM_BLOCK;
    job->facts = (stebz_facts *)arena_take(a, 1, sizeof(stebz_facts));
    job->partials = (stebz_partial *)arena_take(a, STEBZ_MEASURE_BLOCKS, sizeof(stebz_partial));
    job->t.rows = arena_take(a, job->t.blocks * STURM_BLOCK, sizeof(double2));
    job->t.edges = arena_take(a, job->t.blocks, sizeof(stebz_edge<double>));
}

/* Lays out the workspace of a road; with base NULL it only measures.  Returns its size. */
static size_t layout(const eig_context *ctx, const stebz_road *road, void *base, stebz_call *call)
{
    arena a = {(char *)base, 0};
    if (road->each) carve_rows(&a, call->p->n, &call->job);
    if (road->carve) road->carve(&a, ctx, call);
    return arena_rounded(a.used);
}

static size_t work_size(const eig_context *ctx, const stebz_problem *p, int64_t limit_ns)
{
    stebz_call call = {};
    call.p = p;
    call.job.rest.limit_ns = limit_ns;
    return layout(ctx, eig_cuda_stebz_road(ctx, p), NULL, &call);
}

/* Of one matrix enough for both forms, which may take different roads: the query knows not which of them comes. */
size_t eig_cuda_stebz_work_size(const eig_context *ctx, const stebz_problem *p)
{
    size_t const need = work_size(ctx, p, 0);
    if (p->batch != 1) return need;
    stebz_problem other = *p;
    other.batched = !p->batched;
    size_t const others = work_size(ctx, &other, 0);
    return need > others ? need : others;
}

/* ------------------------------------------------------------- device arrays */

static stebz_job make_job(const stebz_problem *p, int64_t matrix)
{
    stebz_job job = {};
    job.d = type_at(p->type, p->d, matrix * p->stride_d);
    job.e = p->e ? type_at(p->type, p->e, matrix * p->stride_e) : NULL;
    job.w = type_at(p->type, p->w, matrix * p->stride_w);
    if (p->lower) job.lower = type_at(p->type, p->lower, matrix * p->stride_w);
    if (p->upper) job.upper = type_at(p->type, p->upper, matrix * p->stride_w);
    job.m = p->m;
    job.info = p->info ? p->info + matrix : NULL;
    job.range = p->range;
    job.il = p->il, job.iu = p->iu;
    job.by_value = p->by_value;
    job.abstol = p->abstol, job.reltol = p->reltol;
    job.pivots = p->method != EIG_STEBZ_MULTISECTION;
    job.last = stebz_most_wanted(p);
    return job;
}

/* One matrix of a problem on device arrays, or all where the road takes them so. */
static eig_status enqueue(eig_context *ctx, const stebz_problem *p, int64_t matrix, void *work, cudaStream_t stream,
                          cuda_clock *clock, int64_t limit_ns)
{
    const stebz_road *const road = eig_cuda_stebz_road(ctx, p);
    stebz_call call = {p, make_job(p, matrix), NULL};
    call.job.rest.limit_ns = limit_ns;
    layout(ctx, road, work, &call);
    eig_status const status = road->enqueue(ctx, &call, stream, clock);
    bool const by_value = p->range == EIG_RANGE_VALUE;
    return by_value && status == EIG_OK ? eig_cuda_stebz_move(ctx, p->type, &call.job, stream) : status;
}

static int64_t steps_of(const eig_context *ctx, const stebz_problem *p)
{
    return eig_cuda_stebz_road(ctx, p)->each ? p->batch : 1;
}

static eig_status solve(eig_context *ctx, const stebz_problem *p, void *work, cudaStream_t stream, cuda_clock *clock,
                        int64_t limit_ns)
{
    int64_t const steps = steps_of(ctx, p);
    eig_status status = EIG_OK;
    for (int64_t matrix = 0; matrix < steps && status == EIG_OK; ++matrix) {
        if (matrix > 0) status = eig_cuda_read_clock(ctx, clock);
        if (status == EIG_OK) status = eig_cuda_start_clock(ctx, clock, stream);
        if (status == EIG_OK) status = enqueue(ctx, p, matrix, work, stream, clock, limit_ns);
        if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    }
    return status;
}

eig_status eig_cuda_stebz_enqueue(eig_context *ctx, const stebz_problem *p, void *work, cudaStream_t stream)
{
    cuda_clock off;
    int64_t const steps = steps_of(ctx, p);
    eig_status status = EIG_OK;
    for (int64_t matrix = 0; matrix < steps && status == EIG_OK; ++matrix)
        status = enqueue(ctx, p, matrix, work, stream, &off, 0);
    return status;
}

/* --------------------------------------------------------------------- driver */

/* The arrays of a call, as they stand in the chunk. */
enum { ARRAY_D, ARRAY_E, ARRAY_W, ARRAY_LOWER, ARRAY_UPPER, ARRAY_M, ARRAY_INFO };

/* A problem on host arrays. */
struct host_problem {
    stebz_problem p;
    int64_t limit_ns; /* of a launch; 0: none */
};

/* The problem that a chunk holds: its arrays are dense device arrays. */
static stebz_problem problem_of_chunk(const stebz_problem *p, const cuda_chunk *chunk)
{
    stebz_problem q = *p;
    q.batch = chunk->count;
    q.d = chunk->array[ARRAY_D], q.e = chunk->array[ARRAY_E];
    q.w = chunk->array[ARRAY_W], q.lower = chunk->array[ARRAY_LOWER], q.upper = chunk->array[ARRAY_UPPER];
    q.m = (int64_t *)chunk->array[ARRAY_M], q.info = (int *)chunk->array[ARRAY_INFO];
    q.stride_d = p->n, q.stride_e = p->n - 1, q.stride_w = stebz_most_wanted(p);
    return q;
}

static size_t chunk_work_size(const eig_context *ctx, const void *problem, int64_t count)
{
    const host_problem *const whole = (const host_problem *)problem;
    (void)count;
    return work_size(ctx, &whole->p, whole->limit_ns);
}

static eig_status solve_chunk(eig_context *ctx, const void *problem, const cuda_chunk *chunk)
{
    const host_problem *const whole = (const host_problem *)problem;
    stebz_problem const q = problem_of_chunk(&whole->p, chunk);
    return solve(ctx, &q, chunk->work, chunk->stream, chunk->clock, whole->limit_ns);
}

static cuda_call list_arrays(const host_problem *whole)
{
    const stebz_problem *const p = &whole->p;
    size_t const size = type_size(p->type);
    int64_t const wanted = stebz_most_wanted(p);
    cuda_call call = {"stebz", whole, p->batch, 0, chunk_work_size, solve_chunk, 0, {}};
    cuda_add_rows(&call, "d", p->d, false, p->n, p->stride_d, size);
    cuda_add_rows(&call, "e", p->e, false, p->n - 1, p->stride_e, size);
    cuda_add_rows(&call, "w", p->w, true, wanted, p->stride_w, size);
    cuda_add_rows(&call, "lower", p->lower, true, wanted, p->stride_w, size);
    cuda_add_rows(&call, "upper", p->upper, true, wanted, p->stride_w, size);
    for (int k = ARRAY_W; k <= ARRAY_UPPER; ++k) call.array[k].keeps = p->range == EIG_RANGE_VALUE;
    cuda_add_rows(&call, "m", p->m, true, 1, 1, sizeof *p->m);
    cuda_add_rows(&call, "info", p->info, true, 1, 1, sizeof *p->info);
    return call;
}

eig_status eig_cuda_stebz(eig_context *ctx, const stebz_problem *p)
{
    return eig_cuda_stebz_paced(ctx, p, STEBZ_LAUNCH_MS);
}

eig_status eig_cuda_stebz_paced(eig_context *ctx, const stebz_problem *p, double launch_ms)
{
    cuda_scope const scope(ctx);
    bool const paced = p->batch == 1 && p->method == EIG_STEBZ_MULTISECTION;
    host_problem const whole = {*p, paced ? stebz_launch_limit(p->n, stebz_most_wanted(p), launch_ms) : 0};
    cuda_call call = list_arrays(&whole);
    bool on_device = false;
    eig_status status = eig_cuda_find_side(ctx, &call, &on_device);
    if (status != EIG_OK) return status;
    const stebz_road *const road = eig_cuda_stebz_road(ctx, p);
    eig_begin_passes(ctx, road->name, road->passes, road->pass);
    if (!on_device) return eig_cuda_run_host(ctx, &call);
    void *work;
    cuda_clock clock;
    status = eig_cuda_workspace(ctx, "stebz", eig_cuda_stebz_work_size(ctx, p), &work);
    if (status != EIG_OK) return status;
    status = solve(ctx, p, work, cuda_state_of(ctx)->stream, &clock, 0);
    status = eig_cuda_end_call(ctx, status);
    return status == EIG_OK ? eig_cuda_read_clock(ctx, &clock) : status;
}

/* --------------------------------------------------------------------- counts */

static size_t count_layout(const stebz_count_problem *p, void *base, stebz_job *job)
{
    arena a = {(char *)base, 0};
    carve_rows(&a, p->n, job);
    return arena_rounded(a.used);
}

size_t eig_cuda_stebz_count_work_size(const eig_context *ctx, const stebz_count_problem *p)
{
    (void)ctx;
    stebz_job job = {};
    return count_layout(p, NULL, &job);
}

static eig_status count(eig_context *ctx, const stebz_count_problem *p, void *work, cudaStream_t stream,
                        cuda_clock *clock)
{
    stebz_job job = {};
    count_layout(p, work, &job);
    job.d = p->d, job.e = p->e;
    job.range = EIG_RANGE_ALL, job.il = 1, job.iu = p->n;
    job.info = p->info;
    eig_status status = eig_cuda_start_clock(ctx, clock, stream);
    if (p->info) CUDA_TRY(cudaMemsetAsync(p->info, 0, sizeof *p->info, stream));
    if (status == EIG_OK) status = eig_cuda_stebz_prepare(ctx, p->type, &job, stream);
    if (status == EIG_OK)
        status = p->rough ? eig_cuda_stebz_rough(ctx, p, &job, stream) : eig_cuda_stebz_shifts(ctx, p, &job, stream);
    return status == EIG_OK ? eig_cuda_mark_clock(ctx, clock) : status;
}

enum { ARRAY_X = 2, ARRAY_COUNT, ARRAY_COUNT_INFO };

static size_t count_chunk_work_size(const eig_context *ctx, const void *problem, int64_t problems)
{
    (void)problems;
    return eig_cuda_stebz_count_work_size(ctx, (const stebz_count_problem *)problem);
}

static eig_status count_chunk(eig_context *ctx, const void *problem, const cuda_chunk *chunk)
{
    stebz_count_problem q = *(const stebz_count_problem *)problem;
    q.d = chunk->array[ARRAY_D], q.e = chunk->array[ARRAY_E], q.x = chunk->array[ARRAY_X];
    q.count = (int64_t *)chunk->array[ARRAY_COUNT], q.info = (int *)chunk->array[ARRAY_COUNT_INFO];
    return count(ctx, &q, chunk->work, chunk->stream, chunk->clock);
}

eig_status eig_cuda_stebz_count(eig_context *ctx, const stebz_count_problem *p)
{
    static const char *const passes[] = {"counts"};
    cuda_scope const scope(ctx);
    size_t const size = type_size(p->type);
    cuda_call call = {"stebz_count", p, 1, 0, count_chunk_work_size, count_chunk, 0, {}};
    cuda_add_rows(&call, "d", p->d, false, p->n, p->n, size);
    cuda_add_rows(&call, "e", p->e, false, p->n - 1, p->n, size);
    cuda_add_rows(&call, "x", p->x, false, p->m, p->m, size);
    cuda_add_rows(&call, "count", p->count, true, p->m, p->m, sizeof *p->count);
    cuda_add_rows(&call, "info", p->info, true, 1, 1, sizeof *p->info);
    bool on_device = false;
    eig_status status = eig_cuda_find_side(ctx, &call, &on_device);
    if (status != EIG_OK) return status;
    eig_begin_passes(ctx, "counts", 1, passes);
    if (!on_device) return eig_cuda_run_host(ctx, &call);
    void *work;
    cuda_clock clock;
    status = eig_cuda_workspace(ctx, "stebz_count", eig_cuda_stebz_count_work_size(ctx, p), &work);
    if (status != EIG_OK) return status;
    status = count(ctx, p, work, cuda_state_of(ctx)->stream, &clock);
    status = eig_cuda_end_call(ctx, status);
    return status == EIG_OK ? eig_cuda_read_clock(ctx, &clock) : status;
}
