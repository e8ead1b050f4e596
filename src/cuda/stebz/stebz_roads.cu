/* stebz on CUDA: the table of roads.  The first row that serves a call takes it; docs/maintainers/cuda/stebz.md has the
 * table too. */
#include "cuda/crossovers.h"
#include "stebz_cuda.cuh"
#include "stebz_pace.h"

/* ------------------------------------------------- all matrices, or one after another */

static void slice_all(const eig_context *, const stebz_problem *p, stebz_call *call)
{
    call->count = p->batch;
}

static void carve_nothing(arena *, const eig_context *, const stebz_problem *, stebz_call *) {}

static void slice_each(const eig_context *, const stebz_problem *, stebz_call *call)
{
    call->count = 1;
}

static void carve_rows(arena *a, const eig_context *, const stebz_problem *p, stebz_call *call)
{
    eig_cuda_stebz_carve_rows(a, p->n, &call->job);
}

/* ----------------------------------------------------------------------- small */

static bool is_small(const eig_context *, const stebz_problem *p)
{
    return p->method == EIG_STEBZ_MULTISECTION && p->batched && p->n <= STEBZ_SMALL_ROWS &&
           crosses(stebz_few_rows, p->type, false, p->n, p->batch);
}

static eig_status enqueue_small(eig_context *ctx, const stebz_call &call, cudaStream_t stream, cuda_clock *)
{
    return eig_cuda_stebz_small(ctx, call.p, stream);
}

/* ----------------------------------------------------------------------- batch */

static bool is_batch(const eig_context *ctx, const stebz_problem *p)
{
    return p->method == EIG_STEBZ_MULTISECTION && eig_cuda_stebz_batch_fits(ctx, p);
}

static eig_status enqueue_batch(eig_context *ctx, const stebz_call &call, cudaStream_t stream, cuda_clock *)
{
    return eig_cuda_stebz_batch(ctx, call.p, stream);
}

/* ----------------------------------------------------------------------- whole */

/* The table that all blocks share: where eigenvalues are in it, and its points. */
static void carve_whole(arena *a, const eig_context *ctx, const stebz_problem *p, stebz_call *call)
{
    stebz_table *const t = &call->job.table;
    carve_rows(a, ctx, p, call);
    t->points = STEBZ_WHOLE_POINTS;
    t->count = (int64_t *)arena_take(a, p->n, sizeof(int64_t));
    t->first = (int64_t *)arena_take(a, t->points, sizeof(int64_t));
    t->mantissa = (double *)arena_take(a, t->points, sizeof(double));
    t->exponent = (double *)arena_take(a, t->points, sizeof(double));
}

static eig_status enqueue_whole(eig_context *ctx, const stebz_call &call, cudaStream_t stream, cuda_clock *)
{
    return eig_cuda_stebz_whole(ctx, call.p->type, &call.job, stream);
}

static bool is_whole(const eig_context *ctx, const stebz_problem *p)
{
    return p->method == EIG_STEBZ_MULTISECTION && eig_cuda_stebz_whole_serves(ctx, p);
}

/* ---------------------------------------------------------------- multisection */

enum { MOST_BLOCKS = 32 }; /* of one multiprocessor, on any GPU */

static bool is_multisection(const eig_context *, const stebz_problem *p)
{
    return p->method == EIG_STEBZ_MULTISECTION;
}

/* What a T that splits needs besides.  The work size is asked for without knowing whether enclosures are wanted. */
static void carve_blocks(arena *a, const stebz_problem *p, stebz_job *job)
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
static void carve_rest(const eig_context *ctx, arena *a, stebz_job *job)
{
    int64_t const multiprocessors = cuda_state_of(ctx)->multiprocessors;
    job->rest.first = (int64_t *)arena_take(a, multiprocessors * MOST_BLOCKS, sizeof(int64_t));
    job->rest.lanes = arena_take(a, eig_cuda_stebz_most_lanes(ctx), STEBZ_LANE_BYTES);
}

static void carve_multisection(arena *a, const eig_context *ctx, const stebz_problem *p, stebz_call *call)
{
    stebz_job *const job = &call->job;
    carve_rows(a, ctx, p, call);
    eig_cuda_stebz_carve_table(a, p, &job->table);
    if (p->n >= STEBZ_SPLIT_FROM) carve_blocks(a, p, job);
    if (job->rest.limit_ns > 0) carve_rest(ctx, a, job);
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

/* Solves the blocks of T, if it splits.  Where that finishes the call, it ends the clock's limit too. */
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

static eig_status enqueue_multisection(eig_context *ctx, const stebz_call &call, cudaStream_t stream, cuda_clock *clock)
{
    eig_type const type = call.p->type;
    stebz_job own = call.job, *const job = &own;
    eig_status status = eig_cuda_stebz_prepare(ctx, type, job, stream);
    if (status == EIG_OK && job->split) status = solve_blocks(ctx, type, job, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if (status == EIG_OK) status = eig_cuda_stebz_window(ctx, type, job, stream);
    if (status == EIG_OK) status = fill_table(ctx, type, job, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    return status == EIG_OK ? refine(ctx, type, job, stream) : status;
}

/* --------------------------------------------------- interval tree and reference */

static bool is_tree(const eig_context *, const stebz_problem *p)
{
    return p->method == EIG_STEBZ_INTERVAL_TREE;
}

static void carve_tree(arena *a, const eig_context *ctx, const stebz_problem *p, stebz_call *call)
{
    carve_rows(a, ctx, p, call);
    call->tree = arena_take(a, (int64_t)eig_cuda_stebz_tree_bytes(p->n), 1);
}

static eig_status enqueue_tree(eig_context *ctx, const stebz_call &call, cudaStream_t stream, cuda_clock *clock)
{
    eig_status status = eig_cuda_stebz_prepare(ctx, call.p->type, &call.job, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    return status == EIG_OK ? eig_cuda_stebz_tree(ctx, call.p->type, &call.job, call.tree, stream, clock) : status;
}

static bool is_reference(const eig_context *, const stebz_problem *)
{
    return true;
}

static eig_status enqueue_reference(eig_context *ctx, const stebz_call &call, cudaStream_t stream, cuda_clock *clock)
{
    eig_status status = eig_cuda_stebz_prepare(ctx, call.p->type, &call.job, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    return status == EIG_OK ? eig_cuda_stebz_bisect(ctx, call.p->type, &call.job, stream) : status;
}

/* ------------------------------------------------------------------- the table */

static const char *const small[] = {"small"}, *const batch[] = {"batch"}, *const whole[] = {"whole"},
                         *const multisection[] = {"preparation", "table", "brackets"},
                         *const tree[] = {"preparation", "step 1", "one-intervals", "mult-intervals"},
                         *const reference[] = {"preparation", "bisection"};

static const stebz_road roads[] = {
    {"small", NULL, is_small, slice_all, carve_nothing, enqueue_small, {1, small}},
    {"batch", NULL, is_batch, slice_all, carve_nothing, enqueue_batch, {1, batch}},
    {"whole", NULL, is_whole, slice_each, carve_whole, enqueue_whole, {1, whole}},
    {"multisection", NULL, is_multisection, slice_each, carve_multisection, enqueue_multisection, {3, multisection}},
    {"interval tree", NULL, is_tree, slice_each, carve_tree, enqueue_tree, {4, tree}},
    {"reference", NULL, is_reference, slice_each, carve_rows, enqueue_reference, {2, reference}},
};

const stebz_road *eig_cuda_stebz_road(const eig_context *ctx, const stebz_problem *p)
{
    return cuda_road_of(roads, ctx, p);
}

const stebz_road *eig_cuda_stebz_roads(int *count)
{
    *count = sizeof roads / sizeof *roads;
    return roads;
}
