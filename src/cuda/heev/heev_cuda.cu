/* heev on CUDA: what its driver (driver.cuh) needs to know: slices, certificates, the arrays of a call.  A row of the
 * table of roads (heev_roads.cu) knows the kernels and their arrays.
 *
 * Nothing waits on the host but where stemr does, so that a call with a lent workspace can be captured in a graph. */
#include "driver.cuh"
#include "heev/whole/heev_whole.cuh"

/* Whether heev_certify.cu looks at the results. */
static bool is_certified(const heev_problem *p, const heev_road *road)
{
    return p->certify && !(road->has & HEEV_CERTIFIES_ITSELF);
}

/* The areas of the reference, by which matrices that fail their certificate are solved again, and how many they are:
 * within `bytes` if one is. */
static void carve_again(arena *a, const heev_problem *p, size_t bytes, heev_turns_work *again)
{
    enum { MOST = 16 };
    size_t const each = eig_cuda_heev_kernels(p->type)->reference_bytes(p->n);
    int64_t const fit = (int64_t)(bytes / arena_rounded(each)), count = fit < 1 ? 1 : fit < MOST ? fit : (int64_t)MOST;
    again->workers = count < p->batch ? count : p->batch;
    again->areas = arena_take(a, again->workers, each);
}

static size_t layout(const eig_context *ctx, const heev_problem *p, void *base, heev_job *job)
{
    const heev_road *const road = eig_cuda_heev_road(ctx, p);
    job->p = *p, job->repairs = cuda_state_of(ctx)->repairs;
    job->at_a = heev_strides_of(p), job->at_v = heev_strides_of_v(p);
    road->slice(ctx, p, job);
    arena a = {(char *)base, 0};
    bool const certified = is_certified(p, road);
    if (certified) eig_cuda_heev_carve_certificate(&a, ctx, p, job->count, job);
    arena again = a; /* what fails is solved again when the road's arrays are done with */
    road->carve(&a, ctx, p, job);
    if (certified) carve_again(&again, p, arena_rounded(a.used) - arena_rounded(again.used), &job->again);
    return arena_rounded(a.used > again.used ? a.used : again.used);
}

eig_status eig_cuda_heev_tell(eig_context *ctx, const heev_job &job, cudaStream_t stream, double part)
{
    if (!job.reports) return EIG_OK;
    CUDA_TRY(cudaStreamSynchronize(stream));
    return eig_report_progress(ctx, "heev", job.done + job.share * part);
}

/* Judges the results of a slice, and solves again what fails; in place, or of a range, it is given up. */
static eig_status certify(eig_context *ctx, const heev_job &given, cudaStream_t stream)
{
    const heev_kernels *const k = eig_cuda_heev_kernels(given.p.type);
    heev_job job = given;
    job.second = true, job.columns = heev_columns_of(&job.p);
    job.workers = given.again.workers, job.areas = given.again.areas;
    eig_status const status = k->certify_judge(ctx, job, stream);
    if (status != EIG_OK) return status;
    bool const lost = (job.p.v && job.p.v == job.p.a) || job.p.range != EIG_RANGE_ALL;
    return (lost ? k->certify_reject : k->reference)(ctx, job, stream);
}

static eig_status enqueue(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock)
{
    const heev_road *const road = eig_cuda_heev_road(ctx, &job.p);
    bool const certified = is_certified(&job.p, road);
    eig_status status = EIG_OK;
    if (certified && !(road->has & HEEV_SUMS_ITSELF))
        status = eig_cuda_heev_kernels(job.p.type)->certify_sums(ctx, job, stream);
    if (status == EIG_OK) status = road->enqueue(ctx, job, stream, clock);
    return status == EIG_OK && certified ? certify(ctx, job, stream) : status;
}

/* --------------------------------------------------------------------- arrays */

/* The arrays of a call, as they stand in a chunk. */
enum { ARRAY_A, ARRAY_W, ARRAY_V, ARRAY_INFO, ARRAY_SWEEPS, ARRAY_M };

/* The problem that a chunk holds: its arrays are dense device arrays. */
static heev_problem problem_of_chunk(const heev_problem *p, const cuda_chunk *chunk)
{
    heev_problem q = *p;
    q.batch = chunk->count;
    q.a = chunk->array[ARRAY_A], q.w = chunk->array[ARRAY_W], q.v = chunk->array[ARRAY_V];
    q.info = (int *)chunk->array[ARRAY_INFO], q.sweeps = (int *)chunk->array[ARRAY_SWEEPS];
    q.m = (int64_t *)chunk->array[ARRAY_M];
    q.lda = p->n, q.ldv = p->row_major ? heev_columns_of(p) : p->n;
    q.stride_w = heev_columns_of(p), q.stride_v = p->n * heev_columns_of(p);
    q.stride_a = cuda_dense_stride(p->layout, p->n, chunk->count);
    return q;
}

static void list_call(const heev_problem *p, const heev_road *road, cuda_call *call)
{
    int64_t const number = (int64_t)type_size(p->type);
    size_t const size = type_is_single(p->type) ? sizeof(float) : sizeof(double);
    int64_t const columns = heev_columns_of(p), rows = p->row_major ? p->n : columns,
                  length = p->row_major ? columns : p->n;
    copy_nest const v = {{p->batch, rows, 1}, {p->stride_v * number, p->ldv * number, 0}, (size_t)(length * number)};
    call->chunk = p->chunk, call->passes = road->passes;
    call->counts = is_certified(p, road), call->repairs = p->repairs;
    call->array[call->arrays++] =
        cuda_matrices("a", p->a, false, p->layout, p->n, p->lda, p->stride_a, p->batch, number);
    cuda_add_rows(call, "w", p->w, true, columns, p->stride_w, size);
    call->array[call->arrays++] = cuda_array{"v", p->v, true, CUDA_BATCH_OUTER, v, false, false};
    call->array[ARRAY_W].keeps = call->array[ARRAY_V].keeps = p->range == EIG_RANGE_VALUE;
    cuda_add_rows(call, "info", p->info, true, 1, 1, sizeof *p->info);
    cuda_add_rows(call, "sweeps", p->sweeps, true, 1, 1, sizeof *p->sweeps);
    cuda_add_rows(call, "m", p->range == EIG_RANGE_ALL ? NULL : p->m, true, 1, 1, sizeof *p->m);
}

/* --------------------------------------------------------------------- driver */

static int64_t most_bytes(const heev_problem *)
{
    return HEEV_MOST_BYTES;
}

static constexpr cuda_family<heev_problem, heev_job> family = {
    "heev", eig_cuda_heev_road, most_bytes, layout, enqueue, eig_cuda_heev_work_size, list_call, problem_of_chunk, 1};

size_t eig_cuda_heev_work_size(const eig_context *ctx, const heev_problem *p)
{
    return cuda_work_size(family, ctx, p);
}

bool eig_cuda_heev_ranges(const eig_context *ctx, const heev_problem *p)
{
    return p->range != EIG_RANGE_ALL && p->vectors && eig_cuda_heev_road(ctx, p)->has & HEEV_RANGES &&
           !eig_cuda_heev_are_many(p);
}

eig_status eig_cuda_heev(eig_context *ctx, const heev_problem *p)
{
    return cuda_drive<family>(ctx, p);
}
