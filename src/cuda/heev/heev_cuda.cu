/* heev on CUDA: the driver.  A row of the table of roads (heev_roads.cu) knows the kernels and their arrays.
 *
 * Larger batches go in slices that bound the workspace.  Nothing waits on the host, so that a call with a lent
 * workspace can be captured in a graph. */
#include "heev/whole/heev_whole.cuh"
#include "host_arrays.cuh"

/* The areas of the reference, by which matrices that fail their certificate are solved again, and how many they are:
 * within `bytes` if one is. */
static void carve_second(arena *a, const heev_problem *p, size_t bytes, const heev_job *job, heev_job *second)
{
    enum { MOST = 16 };
    size_t const each = eig_cuda_heev_kernels(p->type)->reference_bytes(p->n);
    int64_t const fit = (int64_t)(bytes / arena_rounded(each)), count = fit < 1 ? 1 : fit < MOST ? fit : (int64_t)MOST;
    *second = *job;
    second->second = true, second->columns = heev_columns_of(p);
    second->count = count < p->batch ? count : p->batch;
    second->areas = arena_take(a, second->count, each);
}

/* Makes the job of a slice, and that of what is solved again; with base NULL it only measures.  Returns what it
 * takes. */
static size_t layout(const eig_context *ctx, const heev_problem *p, void *base, heev_job *job, heev_job *second)
{
    const heev_road *const road = eig_cuda_heev_road(ctx, p);
    *job = heev_job{};
    job->p = *p, job->repairs = cuda_state_of(ctx)->repairs;
    job->at_a = heev_strides_of(p), job->at_v = heev_strides_of_v(p);
    job->most_rotations = heev_most_rotations(p->n), job->most_sweeps = heev_most_sweeps(p->n);
    road->slice(ctx, p, job);
    arena a = {(char *)base, 0};
    bool const certified = p->certify && road->certifies != HEEV_CERTIFIES_ITSELF;
    if (certified) eig_cuda_heev_carve_certificate(&a, ctx, p, road->stays ? p->batch : job->count, job);
    arena again = a; /* what fails is solved again when the road's arrays are done with */
    road->carve(&a, ctx, p, job);
    if (certified) carve_second(&again, p, arena_rounded(a.used) - arena_rounded(again.used), job, second);
    return arena_rounded(a.used > again.used ? a.used : again.used);
}

size_t eig_cuda_heev_work_size(const eig_context *ctx, const heev_problem *p)
{
    heev_job job, second;
    return layout(ctx, p, NULL, &job, &second);
}

eig_status eig_cuda_heev_tell(eig_context *ctx, const heev_job &job, cudaStream_t stream, double part)
{
    if (!job.reports) return EIG_OK;
    CUDA_TRY(cudaStreamSynchronize(stream));
    return eig_report_progress(ctx, "heev", job.done + job.share * part);
}

/* Judges the results of a slice, `count` matrices, and solves again what fails; in place, or of a range, it is given
 * up. */
static eig_status certify(eig_context *ctx, const heev_job &job, heev_job second, int64_t count, cudaStream_t stream)
{
    const heev_kernels *const k = eig_cuda_heev_kernels(job.p.type);
    second.first = job.first;
    heev_job all = second;
    all.count = count;
    eig_status const status = k->certify_judge(ctx, all, stream);
    if (status != EIG_OK) return status;
    bool const lost = (job.p.v && job.p.v == job.p.a) || job.p.range != EIG_RANGE_ALL;
    return (lost ? k->certify_reject : k->reference)(ctx, second, stream);
}

/* One slice. */
static eig_status solve_slice(eig_context *ctx, const heev_road *road, const heev_job &job, const heev_job &second,
                              cudaStream_t stream, cuda_clock *clock)
{
    bool const certified = job.p.certify && road->certifies != HEEV_CERTIFIES_ITSELF;
    int64_t const count = road->stays ? job.p.batch : job.count;
    eig_status status = EIG_OK;
    if (certified && road->certifies == HEEV_CERTIFIED) {
        heev_job all = job;
        all.count = count;
        status = eig_cuda_heev_kernels(job.p.type)->certify_sums(ctx, all, stream);
    }
    if (status == EIG_OK) status = road->enqueue(ctx, job, stream, clock);
    return status == EIG_OK && certified ? certify(ctx, job, second, count, stream) : status;
}

/* The whole of a problem on device arrays, slice by slice. */
static eig_status solve(eig_context *ctx, const heev_problem *p, void *work, cudaStream_t stream, cuda_clock *clock,
                        bool reports)
{
    const heev_road *const road = eig_cuda_heev_road(ctx, p);
    heev_job job, second;
    layout(ctx, p, work, &job, &second);
    int64_t const slice = road->stays ? p->batch : job.count;
    eig_status status = EIG_OK;
    for (job.first = 0; job.first < p->batch && status == EIG_OK; job.first += slice) {
        if (p->batch - job.first < slice) job.count = p->batch - job.first;
        job.reports = reports;
        job.done = (double)job.first / (double)p->batch, job.share = (double)job.count / (double)p->batch;
        if (job.first > 0) status = eig_cuda_read_clock(ctx, clock);
        if (status == EIG_OK) status = eig_cuda_start_clock(ctx, clock, stream);
        if (status == EIG_OK) status = solve_slice(ctx, road, job, second, stream, clock);
    }
    return status;
}

/* ----------------------------------------------------------------- host arrays */

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

static size_t chunk_work_size(const eig_context *ctx, const void *problem, int64_t count)
{
    heev_problem q = *(const heev_problem *)problem;
    q.batch = count;
    return eig_cuda_heev_work_size(ctx, &q);
}

static eig_status solve_chunk(eig_context *ctx, const void *problem, const cuda_chunk *chunk)
{
    heev_problem const q = problem_of_chunk((const heev_problem *)problem, chunk);
    return solve(ctx, &q, chunk->work, chunk->stream, chunk->clock, chunk->whole && ctx->progress);
}

static cuda_call list_arrays(const heev_problem *p)
{
    int64_t const number = (int64_t)type_size(p->type);
    size_t const size = type_is_single(p->type) ? sizeof(float) : sizeof(double);
    cuda_call call = {"heev", p, p->batch, p->chunk, chunk_work_size, solve_chunk, 0, {}};
    int64_t const columns = heev_columns_of(p), rows = p->row_major ? p->n : columns,
                  length = p->row_major ? columns : p->n;
    copy_nest const v = {{p->batch, rows, 1}, {p->stride_v * number, p->ldv * number, 0}, (size_t)(length * number)};
    call.array[call.arrays++] = cuda_matrices("a", p->a, false, p->layout, p->n, p->lda, p->stride_a, p->batch, number);
    cuda_add_rows(&call, "w", p->w, true, columns, p->stride_w, size);
    call.array[call.arrays++] = cuda_array{"v", p->v, true, CUDA_BATCH_OUTER, v, false, false};
    call.array[ARRAY_W].keeps = call.array[ARRAY_V].keeps = p->range == EIG_RANGE_VALUE;
    cuda_add_rows(&call, "info", p->info, true, 1, 1, sizeof *p->info);
    cuda_add_rows(&call, "sweeps", p->sweeps, true, 1, 1, sizeof *p->sweeps);
    cuda_add_rows(&call, "m", p->range == EIG_RANGE_ALL ? NULL : p->m, true, 1, 1, sizeof *p->m);
    return call;
}

/* --------------------------------------------------------------------- driver */

bool eig_cuda_heev_ranges(const eig_context *ctx, const heev_problem *p)
{
    return p->range != EIG_RANGE_ALL && p->vectors && eig_cuda_heev_road(ctx, p)->ranges && !eig_cuda_heev_are_many(p);
}

eig_status eig_cuda_heev(eig_context *ctx, const heev_problem *p)
{
    cuda_scope const scope(ctx);
    cuda_call call = list_arrays(p);
    bool on_device;
    eig_status status = eig_cuda_find_side(ctx, &call, &on_device);
    if (status != EIG_OK) return status;
    const heev_road *const road = eig_cuda_heev_road(ctx, p);
    bool const counts = p->certify && road->certifies != HEEV_CERTIFIES_ITSELF;
    eig_begin_passes(ctx, eig_cuda_heev_told(ctx, p, false), road->passes, road->pass);
    if (!on_device) return eig_cuda_run_host_counting(ctx, &call, counts, p->repairs);
    void *work;
    cuda_clock clock;
    status = eig_cuda_workspace(ctx, "heev", eig_cuda_heev_work_size(ctx, p), &work);
    if (status == EIG_OK && counts) status = eig_cuda_clear_repairs(ctx, cuda_state_of(ctx)->stream);
    if (status != EIG_OK) return status;
    ctx->repairs_there = counts;
    ctx->road = eig_cuda_heev_told(ctx, p, cuda_state_of(ctx)->captured);
    status = solve(ctx, p, work, cuda_state_of(ctx)->stream, &clock, false);
    status = eig_cuda_end_call(ctx, status);
    return status == EIG_OK ? eig_cuda_read_clock(ctx, &clock) : status;
}
