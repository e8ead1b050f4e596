/* stebz on CUDA, the driver: workspace, and the order of the kernels.
 *
 * Kernels are enqueued on one stream, and nothing is waited for, unless a long call on host arrays reports progress. */
#include "stebz_cuda.cuh"
#include "stebz_pace.h"

enum { MOST_BLOCKS = 32 }; /* of one multiprocessor, on any GPU */

/* ----------------------------------------------------------------- workspace */

/* Lays out what every method needs; with base NULL it only measures. */
static void layout_rows(arena *a, int64_t n, stebz_job *job)
{
    job->t.n = n;
    job->t.blocks = (n + STURM_BLOCK - 1) / STURM_BLOCK;
    job->facts = (stebz_facts *)arena_take(a, 1, sizeof(stebz_facts));
    job->partials = (stebz_partial *)arena_take(a, STEBZ_MEASURE_BLOCKS, sizeof(stebz_partial));
    job->t.rows = arena_take(a, job->t.blocks * STURM_BLOCK, sizeof(double2));
    job->t.edges = arena_take(a, job->t.blocks, sizeof(stebz_edge<double>));
}

/* What a T that splits needs besides.  The work size is asked for without knowing whether enclosures are wanted. */
static void layout_blocks(arena *a, const stebz_problem *p, stebz_job *job)
{
    size_t const size = type_size(p->type);
    job->split = (stebz_split *)arena_take(a, 1, sizeof(stebz_split));
    job->room.starts = (int64_t *)arena_take(a, p->n, sizeof(int64_t));
    job->room.longs = (int64_t *)arena_take(a, p->n / STEBZ_SHORT_ROWS + 1, sizeof(int64_t));
    job->room.counts = (int64_t *)arena_take(a, STEBZ_SPLIT_GRID, sizeof(int64_t));
    void **const found[] = {&job->room.w, &job->room.lower, &job->room.upper, &job->room.scratch};
    for (void **array : found) *array = arena_take(a, p->n, size);
    if (!job->lower) job->room.lower = job->room.upper = NULL;
}

/* What a launch that may end early needs besides. */
static void layout_rest(const eig_context *ctx, arena *a, stebz_job *job)
{
    int64_t const multiprocessors = cuda_state_of(ctx)->multiprocessors;
    job->rest.first = (int64_t *)arena_take(a, multiprocessors * MOST_BLOCKS, sizeof(int64_t));
    job->rest.lanes = arena_take(a, eig_cuda_stebz_most_lanes(ctx), STEBZ_LANE_BYTES);
}

/* Lays out the workspace of one matrix; returns its size. */
static size_t layout(const eig_context *ctx, const stebz_problem *p, int64_t limit_ns, void *base, stebz_job *job,
                     void **tree)
{
    arena a = {(char *)base, 0};
    layout_rows(&a, p->n, job);
    *tree = NULL;
    if (p->method == EIG_STEBZ_INTERVAL_TREE) {
        *tree = arena_take(&a, (int64_t)eig_cuda_stebz_tree_bytes(p->n), 1);
    } else if (p->method == EIG_STEBZ_MULTISECTION) {
        job->table.points = eig_cuda_stebz_table_points(p);
        job->table.count = (int64_t *)arena_take(&a, job->table.points, sizeof(int64_t));
        job->table.mantissa = (double *)arena_take(&a, job->table.points, sizeof(double));
        job->table.exponent = (double *)arena_take(&a, job->table.points, sizeof(double));
        job->table.first = (int64_t *)arena_take(&a, STEBZ_FIRST_POINTS, sizeof(int64_t));
        if (p->n >= STEBZ_SPLIT_FROM) layout_blocks(&a, p, job);
        if (limit_ns > 0) layout_rest(ctx, &a, job);
        job->rest.limit_ns = limit_ns;
    }
    return arena_rounded(a.used);
}

static size_t work_size(const eig_context *ctx, const stebz_problem *p, int64_t limit_ns)
{
    stebz_job job = {};
    void *tree;
    return eig_cuda_stebz_batch_fits(ctx, p) ? 0 : layout(ctx, p, limit_ns, NULL, &job, &tree);
}

size_t eig_cuda_stebz_work_size(const eig_context *ctx, const stebz_problem *p)
{
    return work_size(ctx, p, 0);
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
    job.vl = p->vl, job.vu = p->vu;
    job.abstol = p->abstol, job.reltol = p->reltol;
    job.pivots = p->method != EIG_STEBZ_MULTISECTION;
    job.last = stebz_most_wanted(p);
    return job;
}

/* After a launch that may have left something: waits for it and reads the facts.  Sets job->rest.resume if it has. */
static eig_status end_launch(eig_context *ctx, cudaStream_t stream, stebz_job *job, stebz_facts *facts)
{
    eig_status const status = eig_cuda_read(ctx, facts, job->facts, sizeof *facts, stream);
    if (status != EIG_OK) return status;
    job->rest.resume = facts->left > 0;
    CUDA_TRY(cudaMemsetAsync(&job->facts->since, 0, sizeof facts->since, stream));
    CUDA_TRY(cudaMemsetAsync(&job->facts->left, 0, sizeof facts->left, stream));
    return EIG_OK;
}

/* The blocks of T, if it splits; a call that they end has no limit any more. */
static eig_status solve_blocks(eig_context *ctx, eig_type type, stebz_job *job, cudaStream_t stream)
{
    stebz_facts facts;
    stebz_split split = {};
    eig_status status;
    for (bool unfinished = true; unfinished; job->rest.resume = unfinished) {
        status = eig_cuda_stebz_split(ctx, type, job, stream);
        if (job->rest.limit_ns == 0 || status != EIG_OK) return status;
        status = end_launch(ctx, stream, job, &facts);
        if (status == EIG_OK) status = eig_cuda_read(ctx, &split, job->split, sizeof split, stream);
        unfinished = split.unfinished;
        if (status == EIG_OK && unfinished)
            status = eig_report_progress(ctx, "stebz", (double)split.next_long / (double)split.longs);
        if (status != EIG_OK) return status;
    }
    if (split.solved) job->rest.limit_ns = 0;
    return EIG_OK;
}

/* Part of the whole that the table is. */
#define TABLE_SHARE (STEBZ_TABLE_COUNTS / (STEBZ_TABLE_COUNTS + STEBZ_BRACKET_COUNTS))

static eig_status fill_table(eig_context *ctx, eig_type type, stebz_job *job, cudaStream_t stream)
{
    stebz_facts facts;
    eig_status status;
    do {
        status = eig_cuda_stebz_table(ctx, type, job, stream);
        if (job->rest.limit_ns == 0 || status != EIG_OK) return status;
        status = end_launch(ctx, stream, job, &facts);
        double const left = fmin((double)facts.left / (double)job->table.points, 1);
        if (status == EIG_OK) status = eig_report_progress(ctx, "stebz", TABLE_SHARE * (1 - left));
    } while (job->rest.resume && status == EIG_OK);
    return status;
}

/* The brackets, after the table. */
static eig_status refine(eig_context *ctx, eig_type type, stebz_job *job, cudaStream_t stream)
{
    stebz_facts facts;
    eig_status status;
    do {
        status = eig_cuda_stebz_refine(ctx, type, job, stream);
        if (job->rest.limit_ns == 0 || status != EIG_OK) return status;
        status = end_launch(ctx, stream, job, &facts);
        double const wanted = fmax((double)(facts.iu - facts.il + 1), 1);
        double const next = (double)facts.next / (job->t.n >= STEBZ_SLOW_FIRST ? 2 : 1);
        double const begun = next > 0 ? fmin(next, wanted) : wanted; /* 0: there was no queue */
        double const done = 1 - fmin((double)facts.left / wanted, 1) - (1 - begun / wanted);
        if (status == EIG_OK)
            status = eig_report_progress(ctx, "stebz", TABLE_SHARE + (1 - TABLE_SHARE) * fmax(done, 0));
    } while (job->rest.resume && status == EIG_OK);
    return status;
}

/* One matrix; marks the clock's passes. */
static eig_status solve_one(eig_context *ctx, const stebz_problem *p, int64_t matrix, void *work, cudaStream_t stream,
                            cuda_clock *clock, int64_t limit_ns)
{
    stebz_job job = make_job(p, matrix);
    void *tree;
    layout(ctx, p, limit_ns, work, &job, &tree);
    eig_status status = eig_cuda_stebz_prepare(ctx, p->type, &job, stream);
    if (status == EIG_OK && job.split) status = solve_blocks(ctx, p->type, &job, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if (status != EIG_OK) return status;
    switch (p->method) {
    case EIG_STEBZ_INTERVAL_TREE:
        status = eig_cuda_stebz_tree(ctx, p->type, &job, tree, stream, clock);
        break;
    case EIG_STEBZ_REFERENCE:
        status = eig_cuda_stebz_bisect(ctx, p->type, &job, stream);
        break;
    default:
        status = eig_cuda_stebz_window(ctx, p->type, &job, stream);
        if (status == EIG_OK) status = fill_table(ctx, p->type, &job, stream);
        if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
        if (status == EIG_OK) status = refine(ctx, p->type, &job, stream);
    }
    return status == EIG_OK ? eig_cuda_mark_clock(ctx, clock) : status;
}

/* All matrices of a problem on device arrays. */
static eig_status solve(eig_context *ctx, const stebz_problem *p, void *work, cudaStream_t stream, cuda_clock *clock,
                        int64_t limit_ns)
{
    eig_status status = EIG_OK;
    if (eig_cuda_stebz_batch_fits(ctx, p)) {
        status = eig_cuda_start_clock(ctx, clock, stream);
        if (status == EIG_OK) status = eig_cuda_stebz_batch(ctx, p, stream);
        return status == EIG_OK ? eig_cuda_mark_clock(ctx, clock) : status;
    }
    for (int64_t matrix = 0; matrix < p->batch && status == EIG_OK; ++matrix) {
        if (matrix > 0) status = eig_cuda_read_clock(ctx, clock);
        if (status == EIG_OK) status = eig_cuda_start_clock(ctx, clock, stream);
        if (status == EIG_OK) status = solve_one(ctx, p, matrix, work, stream, clock, limit_ns);
    }
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

/* Begins the list of passes that solve marks. */
static void begin_passes(eig_context *ctx, const stebz_problem *p)
{
    static const char *const multisection[] = {"preparation", "table", "brackets"};
    static const char *const tree[] = {"preparation", "step 1", "one-intervals", "mult-intervals"};
    static const char *const reference[] = {"preparation", "bisection"};
    static const char *const batch[] = {"batch"};
    if (eig_cuda_stebz_batch_fits(ctx, p))
        eig_begin_passes(ctx, 1, batch);
    else if (p->method == EIG_STEBZ_MULTISECTION)
        eig_begin_passes(ctx, 3, multisection);
    else if (p->method == EIG_STEBZ_INTERVAL_TREE)
        eig_begin_passes(ctx, 4, tree);
    else
        eig_begin_passes(ctx, 2, reference);
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
    begin_passes(ctx, p);
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
    layout_rows(&a, p->n, job);
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
    eig_begin_passes(ctx, 1, passes);
    if (!on_device) return eig_cuda_run_host(ctx, &call);
    void *work;
    cuda_clock clock;
    status = eig_cuda_workspace(ctx, "stebz_count", eig_cuda_stebz_count_work_size(ctx, p), &work);
    if (status != EIG_OK) return status;
    status = count(ctx, p, work, cuda_state_of(ctx)->stream, &clock);
    status = eig_cuda_end_call(ctx, status);
    return status == EIG_OK ? eig_cuda_read_clock(ctx, &clock) : status;
}
