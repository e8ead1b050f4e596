/* stemr on CUDA: workspace, the first kernels, the arrays of a call (driver.cuh).
 *
 *     root          scale, T~, brackets by the engine of stebz, singles and clusters
 *     tree          members of clusters are parted, as the call's road does it (stemr_roads.cu)
 *     refinement    every eigenvalue by Rayleigh quotients, in twice the digits
 *     vectors       one more walk a pair; its vector straight into its column
 *     fallbacks     pairs that nothing parted; certificate
 *
 * Host      reads counters after the root, once or, with a range by value or a cluster that the range cuts, some times.
 *           Where there are clusters it also reads their number, and how many members are left after some rounds of
 *           sections; method mrrr does so for each level. */
#include "driver.cuh"
#include "gaps.h"
#include "stemr_cuda.cuh"
#include "stemr_stats.h"

#include <limits.h>
#include <stdlib.h>

enum { BESIDE = 32 /* eigenvalues beside those that are asked for, at first */ };

/* ----------------------------------------------------------------- workspace */

static void layout(arena *a, const eig_context *ctx, stemr_task *t)
{
    int64_t const n = t->n;
    stebz_problem engine = {};
    engine.n = n, engine.type = EIG_D, engine.range = EIG_RANGE_INDEX, engine.il = 1, engine.iu = n;
    stebz_job *const job = &t->job;
    t->counts = (stemr_counts *)arena_take(a, 1, sizeof(stemr_counts));
    eig_cuda_stebz_carve_rows(a, n, job);
    eig_cuda_stebz_carve_table(a, &engine, &job->table);
    t->entry = (stemr_entry *)arena_take(a, n, sizeof(stemr_entry));
    t->a = (double *)arena_take(a, n, sizeof(double));
    t->e = (double *)arena_take(a, n, sizeof(double));
    t->w = (double *)arena_take(a, n, sizeof(double));
    t->pair = (stemr_eigenpair *)arena_take(a, n, sizeof(stemr_eigenpair));
    t->list = (int *)arena_take(a, 4 * n, sizeof(int));
    t->left = t->counts ? t->counts->left[0] : NULL;
    t->room_lanes = eig_cuda_stemr_room_lanes(n);
    t->room = t->p.vectors ? NULL : (double *)arena_take(a, t->room_lanes, (size_t)n * sizeof(double));
    /* The pool is the scratch of inverse iteration and of the certificate, too: four slots at least. */
    int64_t const clusters = n / 2 + 1, slots = 64 + (1 << 18) / n;
    t->slots = clusters < 4 ? 4 : clusters < slots ? clusters : slots;
    t->pool = (stemr_row *)arena_take(a, t->slots * n, sizeof(stemr_row));
    eig_cuda_stemr_road(&t->p)->carve(a, ctx, &t->p, t);
    job->w = t->w;
}

/* The limits in effect. */
static stemr_limits limits_of(const stemr_problem *p)
{
    return p->limits ? *p->limits : stemr_limits STEMR_LIMITS;
}

static stemr_task task_of(const stemr_problem *p)
{
    stemr_task t = {};
    t.p = *p, t.n = p->n;
    t.job.d = p->d, t.job.e = p->e;
    t.job.range = p->range;
    t.job.il = p->il, t.job.iu = p->iu, t.job.by_value = p->by_value;
    t.limits = limits_of(p);
    return t;
}

extern "C" size_t eig_cuda_stemr_work_size(const eig_context *ctx, const stemr_problem *p)
{
    arena measure = {NULL, 0};
    stemr_task t = task_of(p);
    layout(&measure, ctx, &t);
    size_t const bytes = arena_rounded(measure.used);
    if (!eig_cuda_stemr_batch_serves(p)) return bytes;
    size_t const batch = eig_cuda_stemr_batch_bytes(p);
    return bytes > batch ? bytes : batch;
}

/* ------------------------------------------------------------- device arrays */

static eig_status read_counts(eig_context *ctx, const stemr_task *t, stemr_counts *counts, cudaStream_t stream)
{
    return eig_cuda_read(ctx, counts, t->counts, sizeof *counts, stream);
}

/* A range by value becomes one by index, as stebz decides it; of a T that is not finite it is that of all. */
static eig_status read_range(eig_context *ctx, stemr_task *t, cudaStream_t stream)
{
    stebz_facts facts;
    eig_status const status = eig_cuda_read(ctx, &facts, t->job.facts, sizeof facts, stream);
    if (status != EIG_OK) return status;
    t->p.range = EIG_RANGE_INDEX;
    if (facts.finite) t->p.il = facts.il, t->p.iu = facts.iu;
    return EIG_OK;
}

/* Brackets and classes of all that is wanted, whole clusters; of a range that holds nothing none. */
static eig_status find_classes(eig_context *ctx, stemr_task *t, stemr_counts *counts, cudaStream_t stream)
{
    CUDA_TRY(cudaMemsetAsync(t->counts, 0, sizeof *t->counts, stream));
    eig_status status = eig_cuda_stemr_load(ctx, t, stream);
    if (t->p.range == EIG_RANGE_VALUE && status == EIG_OK) status = read_range(ctx, t, stream);
    int64_t const il = t->p.il, iu = t->p.iu;
    if (il > iu || status != EIG_OK) return status;
    bool const plain = t->p.method == EIG_STEMR_REFERENCE; /* of all pairs */
    for (int64_t beside = plain ? t->n : (int64_t)BESIDE; status == EIG_OK; beside *= 8) {
        t->first = il > beside ? il - beside : 1;
        int64_t const last = iu < t->n - beside ? iu + beside : t->n;
        t->pairs = last - t->first + 1;
        status = eig_cuda_stemr_root(ctx, t, beside > BESIDE && !plain, stream);
        if (status == EIG_OK) status = read_counts(ctx, t, counts, stream);
        if (status != EIG_OK || !counts->cut) break;
    }
    return status;
}

static eig_status solve(eig_context *ctx, stemr_task *t, cudaStream_t stream, cuda_clock *clock)
{
    stemr_counts counts = {};
    eig_status status = find_classes(ctx, t, &counts, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if (status != EIG_OK) return status;
    bool const none = t->p.il > t->p.iu;
    if (none || !counts.finite || counts.zero || t->n == 1) {
        if (t->p.stats) *t->p.stats = counts.stats;
        return eig_cuda_stemr_trivial(ctx, t, none || counts.finite, t->p.iu - t->p.il + 1, t->p.il - 1, stream);
    }
    t->clustered = counts.fresh > 0;
    status = eig_cuda_stemr_road(&t->p)->enqueue(ctx, *t, stream, clock);
    if (t->p.stats && status == EIG_OK) {
        status = read_counts(ctx, t, &counts, stream);
        *t->p.stats = counts.stats;
    }
    return status;
}

/* --------------------------------------------------------------------- driver */

/* The arrays of a call, as they stand in the chunk. */
enum { ARRAY_D, ARRAY_E, ARRAY_W, ARRAY_Z, ARRAY_ISUPPZ, ARRAY_INFO, ARRAY_RESIDUAL, ARRAY_ORTHOGONALITY, ARRAY_M };

static size_t chunk_work_size(const eig_context *ctx, const void *problem, int64_t)
{
    return eig_cuda_stemr_work_size(ctx, (const stemr_problem *)problem);
}

static eig_status solve_task(eig_context *ctx, const stemr_problem *p, void *work, cudaStream_t stream,
                             cuda_clock *clock)
{
    stemr_task t = task_of(p);
    arena a = {(char *)work, 0};
    layout(&a, ctx, &t);
    return solve(ctx, &t, stream, clock);
}

extern "C" eig_status eig_cuda_stemr_enqueue(eig_context *ctx, const stemr_problem *p, void *work, cudaStream_t stream)
{
    cuda_clock off;
    return solve_task(ctx, p, work, stream, &off);
}

static eig_status solve_on_device(eig_context *ctx, const stemr_problem *p, void *work, cudaStream_t stream,
                                  cuda_clock *clock)
{
    eig_status const status = eig_cuda_start_clock(ctx, clock, stream);
    return status == EIG_OK ? solve_task(ctx, p, work, stream, clock) : status;
}

/* The pairs of a chunk.  Its work is added to that of the chunks before it. */
static eig_status solve_chunk(eig_context *ctx, const void *problem, const cuda_chunk *chunk)
{
    const stemr_problem *const p = (const stemr_problem *)problem;
    eig_stemr_stats own = {};
    stemr_problem q = *p;
    if (chunk->on_device) return solve_on_device(ctx, p, chunk->work, chunk->stream, chunk->clock);
    if (!chunk->whole) q.range = EIG_RANGE_INDEX, q.il += chunk->first, q.iu = q.il + chunk->count - 1;
    q.d = chunk->array[ARRAY_D], q.e = chunk->array[ARRAY_E];
    q.w = chunk->array[ARRAY_W], q.z = chunk->array[ARRAY_Z], q.ldz = q.n;
    q.isuppz = (int64_t *)chunk->array[ARRAY_ISUPPZ], q.info = (int *)chunk->array[ARRAY_INFO];
    q.residual = chunk->array[ARRAY_RESIDUAL], q.orthogonality = chunk->array[ARRAY_ORTHOGONALITY];
    q.m = (int64_t *)chunk->array[ARRAY_M];
    if (p->stats) q.stats = &own;
    eig_status const status = solve_on_device(ctx, &q, chunk->work, chunk->stream, chunk->clock);
    if (!p->stats) return status;
    if (chunk->first > 0) own.representations -= own.blocks; /* each chunk represents them all */
    stemr_add_stats(p->stats, &own);
    p->stats->nodes = own.nodes;
    return status;
}

/* An array that belongs to no pair. */
static void add_shared(cuda_call *call, const char *name, const void *pointer, bool output, int64_t length, size_t size)
{
    copy_nest const nest = {{1, 1, 1}, {0, 0, 0}, (size_t)length * size};
    call->array[call->arrays++] = cuda_array{name, (void *)pointer, output, CUDA_SHARED, nest, false, false};
}

static const char *tell(const eig_context *, const void *problem)
{
    return eig_cuda_stemr_road((const stemr_problem *)problem)->name;
}

/* A call's batch are its pairs. */
static cuda_call list_call(const stemr_problem *p)
{
    size_t const size = type_size(p->type);
    int64_t const n = p->n, wanted = p->range == EIG_RANGE_INDEX ? p->iu - p->il + 1 : n;
    bool const z = p->z != NULL;
    cuda_call call = {"stemr", p, wanted, wanted, chunk_work_size, solve_chunk, tell, eig_cuda_stemr_road(p)->passes};
    call.waits = true;
    add_shared(&call, "d", p->d, false, n, size);
    add_shared(&call, "e", p->e, false, n - 1, size);
    cuda_add_rows(&call, "w", p->w, true, 1, 1, size);
    cuda_add_rows(&call, "z", p->z, true, n, p->ldz, size);
    cuda_add_rows(&call, "isuppz", z ? p->isuppz : NULL, true, 2, 2, sizeof *p->isuppz);
    cuda_add_rows(&call, "info", p->info, true, 1, 1, sizeof *p->info);
    cuda_add_rows(&call, "residual", z ? p->residual : NULL, true, 1, 1, size);
    for (int k = ARRAY_W; k <= ARRAY_RESIDUAL; ++k) call.array[k].keeps = p->range == EIG_RANGE_VALUE;
    add_shared(&call, "orthogonality", z ? p->orthogonality : NULL, true, 1, size);
    add_shared(&call, "m", p->m, true, 1, sizeof *p->m);
    return call;
}

/* Slices of a call on host arrays.  Vectors of a slice go to the host while those of the next one are computed; with
 * STEMR_LIMITS' slice computing takes no longer than the copy.  There is one slice where the call asks for what all
 * pairs tell as a whole. */
static int64_t slices_of(const stemr_problem *p)
{
    bool const whole = p->orthogonality || p->tree_room > 0 || p->method == EIG_STEMR_REFERENCE;
    if (!p->z || p->range == EIG_RANGE_VALUE || whole) return 1;
    int64_t const slice = limits_of(p).slice;
    return (p->iu - p->il + slice) / slice;
}

/* Cuts of the slices, between clusters.  No slice is empty.  No progress is reported. */
static eig_status cut_slices(eig_context *ctx, const stemr_problem *p, int64_t slices, int64_t *cut)
{
    gap_search const search = {p->type, p->n, p->d, p->e, p->il, p->iu, GAP_POINTS_GPU, eig_cuda_stebz_count};
    auto const progress = ctx->progress;
    ctx->progress = NULL;
    eig_status const status = eig_cut_at_gaps(ctx, &search, slices, cut);
    ctx->progress = progress;
    int64_t kept = 0;
    for (int64_t k = 1; k <= slices; ++k)
        if (cut[k] > cut[kept]) cut[++kept] = cut[k];
    return status;
}

extern "C" eig_status eig_cuda_stemr(eig_context *ctx, const stemr_problem *p)
{
    if (p->n > INT_MAX / 2)
        return eig_fail(ctx, EIG_BAD_ARGUMENT, "stemr: n = %lld is too large for a GPU", (long long)p->n);
    cuda_scope const scope(ctx);
    cuda_call call = list_call(p);
    bool on_device = false;
    eig_status status = eig_cuda_find_side(ctx, &call, &on_device);
    if (status != EIG_OK) return status;
    if (p->stats) *p->stats = eig_stemr_stats{};
    int64_t const slices = on_device ? 1 : slices_of(p);
    int64_t *const cut = slices > 1 ? (int64_t *)malloc((size_t)(slices + 1) * sizeof *cut) : NULL;
    if (cut) status = cut_slices(ctx, p, slices, cut);
    call.cut = cut;
    if (status == EIG_OK) status = eig_cuda_run_on(ctx, &call, on_device);
    if (cut && p->m && *p->m > 0) *p->m = call.batch; /* each slice has put its own */
    free(cut);
    return status;
}
