/* stebz on CUDA: what its driver (driver.cuh) needs to know: matrices, the arrays of a call; counts.  A row of the
 * table of roads (stebz_roads.cu) knows the kernels.
 *
 * Kernels are enqueued on one stream, and nothing is waited for, unless a long call on host arrays reports progress. */
#include "driver.cuh"
#include "stebz_cuda.cuh"
#include "stebz_pace.h"

/* ------------------------------------------------------------------- matrices */

void eig_cuda_stebz_carve_rows(arena *a, int64_t n, stebz_job *job)
{
    job->t.n = n;
    job->t.blocks = (n + STURM_BLOCK - 1) / STURM_BLOCK;
    job->facts = (stebz_facts *)arena_take(a, 1, sizeof(stebz_facts));
    job->partials = (stebz_partial *)arena_take(a, STEBZ_MEASURE_BLOCKS, sizeof(stebz_partial));
    job->t.rows = arena_take(a, job->t.blocks * STURM_BLOCK, sizeof(double2));
    job->t.edges = arena_take(a, job->t.blocks, sizeof(stebz_edge<double>));
}

void eig_cuda_stebz_carve_table(arena *a, const stebz_problem *p, stebz_table *table)
{
    table->points = eig_cuda_stebz_table_points(p);
    table->count = (int64_t *)arena_take(a, table->points, sizeof(int64_t));
    table->mantissa = (double *)arena_take(a, table->points, sizeof(double));
    table->exponent = (double *)arena_take(a, table->points, sizeof(double));
    table->first = (int64_t *)arena_take(a, STEBZ_FIRST_POINTS, sizeof(int64_t));
}

/* All of a job but its workspace. */
static void take_matrix(const stebz_problem *p, int64_t matrix, stebz_job *job)
{
    job->d = type_at(p->type, p->d, matrix * p->stride_d);
    job->e = p->e ? type_at(p->type, p->e, matrix * p->stride_e) : NULL;
    job->w = type_at(p->type, p->w, matrix * p->stride_w);
    if (p->lower) job->lower = type_at(p->type, p->lower, matrix * p->stride_w);
    if (p->upper) job->upper = type_at(p->type, p->upper, matrix * p->stride_w);
    job->m = p->m;
    job->info = p->info ? p->info + matrix : NULL;
    job->range = p->range;
    job->il = p->il, job->iu = p->iu;
    job->by_value = p->by_value;
    job->abstol = p->abstol, job->reltol = p->reltol;
    job->pivots = p->method != EIG_STEBZ_MULTISECTION;
    job->last = stebz_most_wanted(p);
    job->rest.limit_ns = p->limit_ns;
}

static size_t layout(const eig_context *ctx, const stebz_problem *p, void *base, stebz_call *call)
{
    const stebz_road *const road = eig_cuda_stebz_road(ctx, p);
    arena a = {(char *)base, 0};
    call->p = p;
    take_matrix(p, 0, &call->job);
    road->slice(ctx, p, call);
    road->carve(&a, ctx, p, call);
    return arena_rounded(a.used);
}

static eig_status enqueue(eig_context *ctx, const stebz_call &slice, cudaStream_t stream, cuda_clock *clock)
{
    const stebz_problem *const p = slice.p;
    stebz_call call = slice;
    take_matrix(p, call.first, &call.job);
    eig_status status = eig_cuda_stebz_road(ctx, p)->enqueue(ctx, call, stream, clock);
    if (p->range == EIG_RANGE_VALUE && status == EIG_OK) status = eig_cuda_stebz_move(ctx, p->type, &call.job, stream);
    return status == EIG_OK ? eig_cuda_mark_clock(ctx, clock) : status;
}

/* --------------------------------------------------------------------- arrays */

/* The arrays of a call, as they stand in the chunk. */
enum { ARRAY_D, ARRAY_E, ARRAY_W, ARRAY_LOWER, ARRAY_UPPER, ARRAY_M, ARRAY_INFO };

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

static void list_call(const stebz_problem *p, const stebz_road *road, cuda_call *call)
{
    size_t const size = type_size(p->type);
    int64_t const wanted = stebz_most_wanted(p);
    call->passes = road->passes;
    cuda_add_rows(call, "d", p->d, false, p->n, p->stride_d, size);
    cuda_add_rows(call, "e", p->e, false, p->n - 1, p->stride_e, size);
    cuda_add_rows(call, "w", p->w, true, wanted, p->stride_w, size);
    cuda_add_rows(call, "lower", p->lower, true, wanted, p->stride_w, size);
    cuda_add_rows(call, "upper", p->upper, true, wanted, p->stride_w, size);
    for (int k = ARRAY_W; k <= ARRAY_UPPER; ++k) call->array[k].keeps = p->range == EIG_RANGE_VALUE;
    cuda_add_rows(call, "m", p->m, true, 1, 1, sizeof *p->m);
    cuda_add_rows(call, "info", p->info, true, 1, 1, sizeof *p->info);
}

/* --------------------------------------------------------------------- driver */

static int64_t most_bytes(const stebz_problem *)
{
    return 0; /* no slice asks */
}

static constexpr cuda_family<stebz_problem, stebz_call> family = {
    "stebz",   eig_cuda_stebz_road, most_bytes, layout, enqueue, eig_cuda_stebz_work_size,
    list_call, problem_of_chunk,    1};

/* Of one matrix enough for both forms, which may take different roads: the query knows not which of them comes. */
size_t eig_cuda_stebz_work_size(const eig_context *ctx, const stebz_problem *p)
{
    size_t const need = cuda_work_size(family, ctx, p);
    if (p->batch != 1) return need;
    stebz_problem other = *p;
    other.batched = !p->batched;
    size_t const others = cuda_work_size(family, ctx, &other);
    return need > others ? need : others;
}

eig_status eig_cuda_stebz_enqueue(eig_context *ctx, const stebz_problem *p, void *work, cudaStream_t stream)
{
    cuda_clock off;
    off.silent = true;
    cuda_chunk all = {};
    all.count = p->batch, all.on_device = true, all.work = work, all.stream = stream, all.clock = &off;
    return cuda_solve(family, ctx, p, &all);
}

eig_status eig_cuda_stebz(eig_context *ctx, const stebz_problem *p)
{
    return eig_cuda_stebz_paced(ctx, p, STEBZ_LAUNCH_MS);
}

eig_status eig_cuda_stebz_paced(eig_context *ctx, const stebz_problem *p, double launch_ms)
{
    cuda_scope const scope(ctx);
    stebz_problem paced = *p;
    cuda_call call = cuda_call_of<family>(ctx, &paced);
    bool on_device = false;
    eig_status const status = eig_cuda_find_side(ctx, &call, &on_device);
    if (!on_device && p->batch == 1 && p->method == EIG_STEBZ_MULTISECTION)
        paced.limit_ns = stebz_launch_limit(p->n, stebz_most_wanted(p), launch_ms);
    return status == EIG_OK ? eig_cuda_run_on(ctx, &call, on_device) : status;
}

/* --------------------------------------------------------------------- counts */

static size_t count_layout(const stebz_count_problem *p, void *base, stebz_job *job)
{
    arena a = {(char *)base, 0};
    eig_cuda_stebz_carve_rows(&a, p->n, job);
    return arena_rounded(a.used);
}

size_t eig_cuda_stebz_count_work_size(const eig_context *, const stebz_count_problem *p)
{
    stebz_job job = {};
    return count_layout(p, NULL, &job);
}

static size_t count_chunk_work_size(const eig_context *ctx, const void *problem, int64_t)
{
    return eig_cuda_stebz_count_work_size(ctx, (const stebz_count_problem *)problem);
}

enum { ARRAY_X = 2, ARRAY_COUNT, ARRAY_COUNT_INFO };

static eig_status count_chunk(eig_context *ctx, const void *problem, const cuda_chunk *chunk)
{
    stebz_count_problem q = *(const stebz_count_problem *)problem;
    if (!chunk->on_device) {
        q.d = chunk->array[ARRAY_D], q.e = chunk->array[ARRAY_E], q.x = chunk->array[ARRAY_X];
        q.count = (int64_t *)chunk->array[ARRAY_COUNT], q.info = (int *)chunk->array[ARRAY_COUNT_INFO];
    }
    cudaStream_t const stream = chunk->stream;
    stebz_job job = {};
    count_layout(&q, chunk->work, &job);
    job.d = q.d, job.e = q.e;
    job.range = EIG_RANGE_ALL, job.il = 1, job.iu = q.n;
    job.info = q.info;
    eig_status status = eig_cuda_start_clock(ctx, chunk->clock, stream);
    if (q.info) CUDA_TRY(cudaMemsetAsync(q.info, 0, sizeof *q.info, stream));
    if (status == EIG_OK) status = eig_cuda_stebz_prepare(ctx, q.type, &job, stream);
    if (status == EIG_OK)
        status = q.rough ? eig_cuda_stebz_rough(ctx, &q, &job, stream) : eig_cuda_stebz_shifts(ctx, &q, &job, stream);
    return status == EIG_OK ? eig_cuda_mark_clock(ctx, chunk->clock) : status;
}

static const char *tell_counts(const eig_context *, const void *)
{
    return "counts";
}

eig_status eig_cuda_stebz_count(eig_context *ctx, const stebz_count_problem *p)
{
    static const char *const pass[] = {"counts"};
    cuda_scope const scope(ctx);
    size_t const size = type_size(p->type);
    cuda_call call = {"stebz_count", p, 1, 0, count_chunk_work_size, count_chunk, tell_counts, {1, pass}};
    cuda_add_rows(&call, "d", p->d, false, p->n, p->n, size);
    cuda_add_rows(&call, "e", p->e, false, p->n - 1, p->n, size);
    cuda_add_rows(&call, "x", p->x, false, p->m, p->m, size);
    cuda_add_rows(&call, "count", p->count, true, p->m, p->m, sizeof *p->count);
    cuda_add_rows(&call, "info", p->info, true, 1, 1, sizeof *p->info);
    return eig_cuda_run(ctx, &call);
}
