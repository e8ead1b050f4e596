/* geev on CUDA: the driver on device arrays.
 *
 * small n         one kernel (geev_small.cuh)
 * n <= GEEV_MOST  kernel 1 (geev_prepare.cuh) and kernel 2 (geev_qr.cuh), in chunks that bound the workspace
 * larger n        the plain solver, a block a matrix
 *
 * In the first two cases the plain solver follows on the list of matrices that did not converge, nearly always empty.
 * Everything is enqueued on one stream; nothing waits, so a call with a lent workspace can be captured in a graph. */
#include "geev_cuda.cuh"

/* Bounds of the workspace: packed matrices of a chunk, and work areas of the plain solver. */
static const size_t CHUNK_BYTES = (size_t)1 << 30, PLAIN_BYTES = (size_t)1 << 32;

enum {
    SECOND_ATTEMPTS = 16, /* blocks of the plain solver behind kernel 2 */
    PLAIN_EACH = 2        /* blocks of it on a multiprocessor, for larger n */
};

static size_t real_size(const geev_problem *p)
{
    return p->precision == 's' ? sizeof(float) : sizeof(double);
}

/* Lays out the workspace; with base NULL it only measures.  The job's chunk is the largest that fits the bounds. */
static size_t layout(const eig_context *ctx, const geev_problem *p, char *base, geev_job *job)
{
    arena a = {base, 0};
    *job = geev_job{};
    job->p = *p;
    job->plain_bytes = eig_cuda_geev_plain_bytes(p);
    int64_t const fit = (int64_t)(PLAIN_BYTES / job->plain_bytes);
    int const wide = p->n > GEEV_MOST ? (int)PLAIN_EACH * cuda_state_of(ctx)->multiprocessors : (int)SECOND_ATTEMPTS;
    int64_t const blocks = wide < fit ? wide : fit;
    job->plain_blocks = (int)(blocks > p->batch ? p->batch : blocks > 1 ? blocks : 1);
    job->plain = arena_take(&a, job->plain_blocks, job->plain_bytes);
    job->count = p->batch;
    if (p->n <= GEEV_MOST) {
        geev_mapping const mapping = eig_cuda_geev_choose_mapping(ctx, p);
        int64_t const entries = geev_packed(p->n), most = (int64_t)(CHUNK_BYTES / real_size(p)) / entries / 32 * 32;
        if (job->count > most) job->count = most;
        if (mapping.method != EIG_GEEV_AUTO) {
            job->tile = eig_cuda_geev_tile_matrices(mapping);
            int64_t const tiles = (job->count + job->tile - 1) / job->tile;
            job->packed = arena_take(&a, tiles * job->tile * entries, real_size(p));
            job->records = (geev_record *)arena_take(&a, job->count, sizeof(geev_record));
            job->progress = (geev_progress *)arena_take(&a, job->count, sizeof(geev_progress));
        }
        job->failed = (int64_t *)arena_take(&a, job->count, sizeof(int64_t));
        job->queue = (geev_queue *)arena_take(&a, 1, sizeof(geev_queue));
    }
    return (a.used + EIG_ALIGNMENT - 1) & ~(size_t)(EIG_ALIGNMENT - 1);
}

size_t eig_cuda_geev_device_bytes(const eig_context *ctx, const geev_problem *p)
{
    geev_job job;
    return layout(ctx, p, NULL, &job);
}

/* The kernels for a chunk, in three passes. */
static eig_status enqueue(eig_context *ctx, const geev_job &job, cudaStream_t stream, cuda_clock *clock)
{
    bool const fast = job.p.n <= GEEV_MOST;
    geev_mapping const mapping = fast ? eig_cuda_geev_choose_mapping(ctx, &job.p) : geev_mapping{};
    bool const small = mapping.method == EIG_GEEV_AUTO;
    if (fast) CUDA_TRY(cudaMemsetAsync(job.queue, 0, sizeof *job.queue, stream));
    eig_status status = EIG_OK;
    if (fast && !small) status = eig_cuda_geev_launch_prepare(ctx, job, stream);
    if (status == EIG_OK) status = clock->mark(ctx, 1);
    if (status == EIG_OK && fast)
        status = small ? eig_cuda_geev_launch_small(ctx, job, stream) : eig_cuda_geev_launch_qr(ctx, job, stream);
    if (status == EIG_OK) status = clock->mark(ctx, 2);
    if (status == EIG_OK) status = eig_cuda_geev_launch_plain(ctx, job, fast, stream);
    return status == EIG_OK ? clock->mark(ctx, 3) : status;
}

eig_status eig_cuda_geev_device(eig_context *ctx, const geev_problem *p, void *work, cudaStream_t stream)
{
    geev_job job;
    layout(ctx, p, (char *)work, &job);
    int64_t const chunk = job.count;
    for (job.first = 0; job.first < p->batch; job.first += chunk) {
        job.count = p->batch - job.first < chunk ? p->batch - job.first : chunk;
        cuda_clock clock;
        eig_status status = p->pass_ms ? clock.start(ctx, 3, stream) : EIG_OK;
        if (status == EIG_OK) status = enqueue(ctx, job, stream, &clock);
        if (status == EIG_OK) status = clock.read(ctx, p->pass_ms);
        if (status != EIG_OK) return status;
    }
    return EIG_OK;
}

size_t geev_cuda_work_size(const eig_context *ctx, const geev_problem *p)
{
    return eig_cuda_geev_device_bytes(ctx, p);
}

eig_status geev_cuda(eig_context *ctx, const geev_problem *p)
{
    cuda_scope const scope(ctx);
    cuda_argument const arguments[] = {{"a", p->a}, {"x", p->x}, {"w", p->w}, {"value", p->value}, {"info", p->info}};
    bool on_device;
    eig_status status = cuda_find_side(ctx, "geev", arguments, sizeof arguments / sizeof *arguments, &on_device);
    if (status != EIG_OK) return status;
    if (!on_device) return eig_cuda_geev_host(ctx, p);
    void *work;
    status = eig_workspace(ctx, "geev", p->work, p->work_bytes, eig_cuda_geev_device_bytes(ctx, p), &work);
    if (status != EIG_OK) return status;
    return eig_cuda_geev_device(ctx, p, work, cuda_state_of(ctx)->stream);
}
