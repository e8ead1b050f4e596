/* stemr on CUDA, matrices of up to 64 rows: workspace, the arrays of a call (driver.cuh), and the matrices that are
 * solved again. */
#include "cuda/crossovers.h"
#include "driver.cuh"
#include "stemr_batch.cuh"
#include "stemr_stats.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ workspace */

enum {
    MOST_WORK = 256 << 20,
    RUN = 65536,     /* matrices after which the host looks whether one is to be solved again */
    MOST_SWEEPS = 60 /* of QL for a value */
};

/* What QL keeps of `part` matrices. */
static void layout_ql(arena *a, const stemr_problem *p, int64_t part, stemr_batch_part *b)
{
    size_t const real = type_size(p->type);
    int64_t const n = p->n;
    heev_job *const job = &b->ql;
    job->p.type = p->type, job->p.n = n, job->p.max_sweeps = MOST_SWEEPS;
    job->p.w = arena_take(a, part * n, real), job->p.stride_w = n;
    job->p.v = job->p.w; /* vectors are wanted; QL itself writes none */
    job->d = b->t.d, job->e = b->t.e, job->unit = arena_take(a, part, real);
    job->most_rotations = heev_most_rotations(n), job->most_sweeps = heev_most_sweeps(n);
    job->rotations = arena_take(a, part * job->most_rotations, sizeof(int64_t));
    job->sweeps = (uint16_t *)arena_take(a, part * job->most_sweeps, sizeof(uint16_t));
    job->sweep_count = (int *)arena_take(a, part, sizeof(int));
    job->failed = (int *)arena_take(a, part, sizeof(int));
    job->order = (uint8_t *)arena_take(a, part * n, 1);
}

/* Room for `part` matrices at a time; with base NULL it only measures.  Returns the bytes. */
static size_t layout(void *base, const stemr_problem *p, int64_t part, stemr_batch_part *b)
{
    size_t const real = type_size(p->type);
    int64_t const n = p->n;
    arena a = {(char *)base, 0};
    b->ql = heev_job{};
    b->counts = (stemr_batch_counts *)arena_take(&a, 1, sizeof(stemr_batch_counts));
    b->bad = (int *)arena_take(&a, RUN, sizeof(int));
    b->slow = (int *)arena_take(&a, RUN, sizeof(int)), b->list = NULL;
    b->range = p->range == EIG_RANGE_VALUE ? (int *)arena_take(&a, 2 * RUN, sizeof(int)) : NULL;
    b->scale = (int *)arena_take(&a, part, sizeof(int));
    b->t = heev_tridiagonals{n, part, p->type == EIG_S, true, NULL, NULL, NULL, NULL, NULL};
    b->t.d = arena_take(&a, part * n, real), b->t.e = arena_take(&a, part * n, real);
    if (n <= HEEV_WARP) {
        layout_ql(&a, p, part, b);
        return arena_rounded(a.used);
    }
    b->t.z = arena_take(&a, part * n * n, real);
    b->t.failed = (int *)arena_take(&a, part, sizeof(int));
    b->t.work = arena_take(&a, (int64_t)eig_cuda_heev_divide_bytes(&b->t), 1);
    return arena_rounded(a.used);
}

/* How many matrices at a time so many bytes have room for. */
static int64_t part_of(const stemr_problem *p, int64_t count, size_t bytes)
{
    stemr_batch_part b;
    int64_t part = count < RUN ? count : (int64_t)RUN;
    while (part > 1 && layout(NULL, p, part, &b) > bytes) part /= 2;
    return part;
}

/* Bytes for `count` matrices, as many at a time as MOST_WORK has room for, and for one on the other road. */
static size_t batch_bytes(const eig_context *ctx, const stemr_problem *p, int64_t count)
{
    stemr_batch_part b;
    size_t const one = eig_cuda_stemr_work_size(ctx, p), all = layout(NULL, p, part_of(p, count, MOST_WORK), &b);
    return all > one ? all : one;
}

size_t eig_cuda_stemr_batch_bytes(const stemr_problem *p)
{
    stemr_batch_part b;
    return layout(NULL, p, 1, &b);
}

/* ------------------------------------------------------------- device arrays */

/* The matrices of a run that are marked, one by one. */
static eig_status solve_again(eig_context *ctx, const stemr_batch *all, int64_t first, int64_t count, const int *marks,
                              void *work, cudaStream_t stream, eig_stemr_stats *sum)
{
    size_t const bytes = (size_t)count * sizeof(int);
    int *const bad = (int *)malloc(bytes);
    if (!bad) return eig_fail(ctx, EIG_NO_MEMORY, "stemr: cannot allocate %zu bytes", bytes);
    eig_status status = eig_cuda_read(ctx, bad, marks, bytes, stream);
    for (int64_t k = 0; k < count && status == EIG_OK; ++k) {
        if (!bad[k]) continue;
        eig_stemr_stats own = EIG_STEMR_STATS;
        stemr_problem const p = eig_stemr_member(all, first + k, all->first.stats ? &own : NULL);
        status = eig_cuda_stemr_enqueue(ctx, &p, work, stream);
        stemr_add_stats(sum, &own);
    }
    free(bad);
    return status;
}

/* `count` matrices of the part or of its list, of those `size` at a time. */
static eig_status solve_parts(eig_context *ctx, stemr_batch_part b, const stemr_batch *all, int64_t first,
                              int64_t count, int64_t size, bool listed, cudaStream_t stream)
{
    int *const marks = b.bad;
    const int *const range = b.range;
    eig_status status = EIG_OK;
    for (int64_t k = 0; k < count && status == EIG_OK; k += size) {
        b.count = b.t.count = b.ql.count = size < count - k ? size : count - k;
        b.p = eig_stemr_member(all, listed ? first : first + k, all->first.stats);
        b.bad = listed ? marks : marks + k, b.list = listed ? b.slow + k : NULL;
        b.range = listed || !range ? range : range + 2 * k;
        status = eig_cuda_stemr_batch_part(ctx, b, stream);
    }
    return status;
}

/* Matrices first .. first + count - 1, RUN at most, `part` at a time where they are not solved all at once. */
static eig_status solve_run(eig_context *ctx, const stemr_batch *all, int64_t first, int64_t count, int64_t part,
                            void *work, cudaStream_t stream, eig_stemr_stats *sum)
{
    stemr_batch_part b = {};
    stemr_batch_counts counts;
    layout(work, &all->first, part, &b);
    b.stride_d = all->stride_d, b.stride_e = all->stride_e, b.stride_w = all->stride_w, b.stride_z = all->stride_z;
    bool const twists = crosses(stemr_twists, all->first.type, true, all->first.n, all->batch);
    CUDA_TRY(cudaMemsetAsync(b.counts, 0, (size_t)((char *)(b.bad + count) - (char *)b.counts), stream)); /* and bad */
    eig_status status = EIG_OK;
    b.p = eig_stemr_member(all, first, all->first.stats), b.count = count;
    if (b.range) status = eig_cuda_stemr_batch_range(ctx, b, (int *)b.range, stream);
    if (status != EIG_OK) return status;
    if (twists) {
        status = eig_cuda_stemr_batch_twist(ctx, b, stream);
    } else {
        status = solve_parts(ctx, b, all, first, count, part, false, stream);
    }
    if (status == EIG_OK) status = eig_cuda_read(ctx, &counts, b.counts, sizeof counts, stream);
    if (status == EIG_OK && twists && counts.slow > 0) {
        status = solve_parts(ctx, b, all, first, counts.slow, part, true, stream);
        if (status == EIG_OK) status = eig_cuda_read(ctx, &counts, b.counts, sizeof counts, stream);
    }
    if (status != EIG_OK) return status;
    eig_stemr_stats own = EIG_STEMR_STATS;
    own.blocks = counts.most_blocks, own.representations = (int64_t)counts.blocks;
    stemr_add_stats(sum, &own);
    return counts.bad ? solve_again(ctx, all, first, count, b.bad, work, stream, sum) : EIG_OK;
}

/* All matrices of a batch on device arrays, in so many bytes of workspace. */
static eig_status solve_batch(eig_context *ctx, const stemr_batch *all, void *work, size_t bytes, cudaStream_t stream,
                              eig_stemr_stats *sum)
{
    int64_t const part = part_of(&all->first, all->batch, bytes);
    eig_status status = EIG_OK;
    for (int64_t first = 0; first < all->batch && status == EIG_OK; first += RUN)
        status = solve_run(ctx, all, first, RUN < all->batch - first ? (int64_t)RUN : all->batch - first, part, work,
                           stream, sum);
    return status;
}

/* --------------------------------------------------------------------- driver */

/* What chunks of host arrays know of the call. */
struct batch_call {
    const stemr_batch *all;
    eig_stemr_stats *sum;
    size_t lent; /* bytes of a workspace on the device that is lent; 0: there is none */
};

enum { ARRAY_D, ARRAY_E, ARRAY_W, ARRAY_Z, ARRAY_ISUPPZ, ARRAY_INFO, ARRAY_RESIDUAL, ARRAY_ORTHOGONALITY, ARRAY_M };

static int64_t wanted_of(const stemr_problem *p)
{
    return p->range == EIG_RANGE_INDEX ? p->iu - p->il + 1 : p->n;
}

static size_t chunk_work_size(const eig_context *ctx, const void *problem, int64_t count)
{
    const batch_call *const call = (const batch_call *)problem;
    return call->lent > 0 ? call->lent : batch_bytes(ctx, &call->all->first, count);
}

/* The matrices that a chunk holds: their arrays are dense device arrays. */
static stemr_batch batch_of_chunk(stemr_batch all, const cuda_chunk *chunk)
{
    stemr_problem &p = all.first;
    int64_t const wanted = wanted_of(&p);
    p.d = chunk->array[ARRAY_D], p.e = chunk->array[ARRAY_E];
    p.w = chunk->array[ARRAY_W], p.z = chunk->array[ARRAY_Z], p.ldz = p.n;
    p.isuppz = (int64_t *)chunk->array[ARRAY_ISUPPZ], p.info = (int *)chunk->array[ARRAY_INFO];
    p.residual = chunk->array[ARRAY_RESIDUAL], p.orthogonality = chunk->array[ARRAY_ORTHOGONALITY];
    p.m = (int64_t *)chunk->array[ARRAY_M];
    all.stride_d = p.n, all.stride_e = p.n - 1, all.stride_w = wanted, all.stride_z = p.n * wanted;
    all.batch = chunk->count;
    return all;
}

static eig_status solve_chunk(eig_context *ctx, const void *problem, const cuda_chunk *chunk)
{
    const batch_call *const call = (const batch_call *)problem;
    stemr_batch const all = chunk->on_device ? *call->all : batch_of_chunk(*call->all, chunk);
    eig_status status = eig_cuda_start_clock(ctx, chunk->clock, chunk->stream);
    if (status != EIG_OK) return status;
    size_t const bytes = chunk_work_size(ctx, problem, chunk->count);
    status = solve_batch(ctx, &all, chunk->work, bytes, chunk->stream, call->sum);
    return status == EIG_OK ? eig_cuda_mark_clock(ctx, chunk->clock) : status;
}

static const char *tell(const eig_context *, const void *)
{
    return "batch";
}

static cuda_call list_call(const batch_call *problem)
{
    static const char *const pass[] = {"batch"};
    const stemr_batch *const all = problem->all;
    const stemr_problem *const p = &all->first;
    size_t const size = type_size(p->type);
    int64_t const n = p->n, wanted = wanted_of(p), stride = all->stride_w;
    bool const z = p->z != NULL;
    cuda_call call = {"stemr", problem, all->batch, 0, chunk_work_size, solve_chunk, tell, {1, pass}};
    call.waits = true;
    cuda_add_rows(&call, "d", p->d, false, n, all->stride_d, size);
    cuda_add_rows(&call, "e", p->e, false, n - 1, all->stride_e, size);
    cuda_add_rows(&call, "w", p->w, true, wanted, stride, size);
    cuda_add_rows(&call, "z", p->z, true, n, n, size);
    call.array[ARRAY_Z].nest = copy_nest{
        {all->batch, wanted, 1}, {all->stride_z * (int64_t)size, p->ldz * (int64_t)size, 0}, (size_t)n * size};
    cuda_add_rows(&call, "isuppz", z ? p->isuppz : NULL, true, 2 * wanted, 2 * stride, sizeof *p->isuppz);
    cuda_add_rows(&call, "info", p->info, true, wanted, stride, sizeof *p->info);
    cuda_add_rows(&call, "residual", z ? p->residual : NULL, true, wanted, stride, size);
    for (int k = ARRAY_W; k <= ARRAY_RESIDUAL; ++k) call.array[k].keeps = p->range == EIG_RANGE_VALUE;
    cuda_add_rows(&call, "orthogonality", z ? p->orthogonality : NULL, true, 1, 1, size);
    cuda_add_rows(&call, "m", p->m, true, 1, 1, sizeof *p->m);
    return call;
}

bool eig_cuda_stemr_batch_serves(const stemr_problem *p)
{
    return crosses(stemr_batched, p->type, p->vectors, p->n, 1) && p->method == EIG_STEMR_AUTO && p->most_depth > 0 &&
           !p->limits;
}

extern "C" eig_status eig_cuda_stemr_batch(eig_context *ctx, const stemr_batch *all, eig_stemr_stats *sum)
{
    if (!eig_cuda_stemr_batch_serves(&all->first)) return eig_stemr_each(ctx, all, sum);
    cuda_scope const scope(ctx);
    batch_call problem = {all, sum, 0};
    cuda_call call = list_call(&problem);
    bool on_device = false;
    eig_status const status = eig_cuda_find_side(ctx, &call, &on_device);
    if (status != EIG_OK) return status;
    if (on_device && ctx->lent) { /* it may be for one matrix, or for more */
        size_t const one = eig_cuda_stemr_work_size(ctx, &all->first);
        problem.lent = ctx->lent_bytes > one ? ctx->lent_bytes : one;
    }
    return eig_cuda_run_on(ctx, &call, on_device);
}
