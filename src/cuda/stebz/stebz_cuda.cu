/* stebz on CUDA, the driver: workspace, the order of the kernels, and host arrays.
 *
 * On device arrays kernels are enqueued on the context's stream and nothing is waited for. */
#include "stebz_cuda.cuh"

#include <cstring>

/* Eigenvalues between two reports of progress, and the order from which reports are made on the way. */
enum { SLICE = 65536, SLICED_FROM = 200000 };

/* Lays out the workspace of one matrix; with base NULL it only measures. */
size_t stebz_layout(const stebz_problem *p, char *base, stebz_job *job, void **tree)
{
    arena a = {base, 0};
    job->t.n = p->n;
    job->t.blocks = (p->n + STURM_BLOCK - 1) / STURM_BLOCK;
    job->facts = (stebz_facts *)arena_take(&a, 1, sizeof(stebz_facts));
    job->partials = (stebz_partial *)arena_take(&a, STEBZ_MEASURE_BLOCKS, sizeof(stebz_partial));
    job->t.rows = arena_take(&a, job->t.blocks * STURM_BLOCK, sizeof(double2));
    job->t.edges = arena_take(&a, job->t.blocks, sizeof(stebz_edge<double>));
    if (p->method == EIG_STEBZ_INTERVAL_TREE) {
        *tree = arena_take(&a, (int64_t)stebz_tree_bytes(p->n), 1);
    } else {
        job->table.points = stebz_table_points(p);
        job->table.count = (int64_t *)arena_take(&a, job->table.points, sizeof(int64_t));
        job->table.mantissa = (double *)arena_take(&a, job->table.points, sizeof(double));
        job->table.exponent = (double *)arena_take(&a, job->table.points, sizeof(double));
        *tree = NULL;
    }
    return (a.used + EIG_ALIGNMENT - 1) & ~(size_t)(EIG_ALIGNMENT - 1);
}

stebz_job stebz_make_job(const stebz_problem *p, int64_t matrix)
{
    size_t const size = stebz_bytes_of(p->precision);
    stebz_job job = {};
    job.d = (const char *)p->d + (size_t)(matrix * p->stride_d) * size;
    job.e = (const char *)p->e + (size_t)(matrix * p->stride_e) * size;
    job.w = (char *)p->w + (size_t)(matrix * p->stride_w) * size;
    if (p->lower) job.lower = (char *)p->lower + (size_t)(matrix * p->stride_w) * size;
    if (p->upper) job.upper = (char *)p->upper + (size_t)(matrix * p->stride_w) * size;
    job.m = p->m;
    job.range = p->range;
    job.il = p->il;
    job.iu = p->iu;
    job.vl = p->vl;
    job.vu = p->vu;
    job.abstol = p->abstol;
    job.reltol = p->reltol;
    job.pivots = p->method == EIG_STEBZ_INTERVAL_TREE;
    job.last = p->range == EIG_RANGE_VALUE ? p->n : p->iu - p->il + 1;
    return job;
}

size_t stebz_cuda_work_size(const eig_context *ctx, const stebz_problem *p)
{
    stebz_job job = {};
    void *tree;
    if (p->batched && stebz_batch_fits(ctx, p)) return 0;
    return stebz_layout(p, NULL, &job, &tree);
}

/* ------------------------------------------------------------ device arrays */

static __global__ void info_kernel(const stebz_facts *facts, int *info)
{
    *info = facts->finite ? EIG_INFO_OK : EIG_INFO_NOT_FINITE;
}

/* One matrix on device arrays.  wait: the call may synchronise between slices to report progress. */
eig_status stebz_solve(eig_context *ctx, const stebz_problem *p, stebz_job job, void *tree, bool wait)
{
    cuda_clock clock;
    eig_status status = p->pass_ms ? clock.start(ctx, 4, cuda_state_of(ctx)->stream) : EIG_OK;
    if (status != EIG_OK) return status;
    if ((status = stebz_prepare(ctx, p->precision, job)) != EIG_OK) return status;
    if ((status = clock.mark(ctx, 1)) != EIG_OK) return status;
    if (p->method == EIG_STEBZ_INTERVAL_TREE) {
        status = stebz_tree(ctx, p->precision, job, tree, clock.count > 0 ? clock.marks + 2 : NULL);
    } else {
        if ((status = stebz_fill_table(ctx, p->precision, job)) != EIG_OK) return status;
        if ((status = clock.mark(ctx, 2)) != EIG_OK) return status;
        int64_t const last = job.last, slice = wait && last >= SLICED_FROM ? (int64_t)SLICE : last;
        for (job.first = 0; job.first < last && status == EIG_OK; job.first += slice) {
            job.last = job.first + slice < last ? job.first + slice : last;
            status = stebz_refine(ctx, p->precision, job);
            if (status != EIG_OK || slice == last) continue;
            CUDA_TRY(cudaStreamSynchronize(cuda_state_of(ctx)->stream));
            status = eig_report_progress(ctx, "stebz", (double)job.last / (double)last);
        }
        if (status == EIG_OK) status = clock.mark(ctx, 3);
    }
    if (status != EIG_OK) return status;
    if ((status = clock.mark(ctx, 4)) != EIG_OK) return status;
    return clock.read(ctx, p->pass_ms);
}

eig_status stebz_solve_device(eig_context *ctx, const stebz_problem *p)
{
    if (p->pass_ms) memset(p->pass_ms, 0, 4 * sizeof *p->pass_ms);
    if (p->batched && stebz_batch_fits(ctx, p)) return stebz_batch(ctx, p, cuda_state_of(ctx)->stream);
    stebz_job sized = {};
    void *tree, *work;
    size_t const need = stebz_layout(p, NULL, &sized, &tree);
    eig_status status = eig_workspace(ctx, "stebz", p->work, p->work_bytes, need, &work);
    for (int64_t matrix = 0; matrix < p->batch && status == EIG_OK; ++matrix) {
        stebz_job job = stebz_make_job(p, matrix);
        stebz_layout(p, (char *)work, &job, &tree);
        status = stebz_solve(ctx, p, job, tree, false);
        if (status != EIG_OK || !p->info) continue;
        info_kernel<<<1, 1, 0, cuda_state_of(ctx)->stream>>>(job.facts, p->info + matrix);
        CUDA_LAUNCHED("stebz: info_kernel");
    }
    return status;
}

/* ------------------------------------------------------------------ drivers */

static __global__ void zero_kernel(int64_t *m)
{
    *m = 0;
}

eig_status stebz_cuda(eig_context *ctx, const stebz_problem *p)
{
    cuda_scope const scope(ctx);
    cuda_argument const arguments[] = {{"d", p->d},      {"e", p->n > 1 ? p->e : NULL}, {"w", p->w},
                                       {"m", p->m},      {"lower", p->lower},           {"upper", p->upper},
                                       {"info", p->info}};
    bool on_device = false;
    eig_status const status = cuda_find_side(ctx, "stebz", arguments, 7, &on_device);
    if (status != EIG_OK) return status;
    if (p->n == 0 || p->batch == 0) {
        if (p->m && on_device) {
            zero_kernel<<<1, 1, 0, cuda_state_of(ctx)->stream>>>(p->m);
            CUDA_LAUNCHED("stebz: zero_kernel");
        } else if (p->m) {
            *p->m = 0;
        }
        return EIG_OK;
    }
    if (on_device) return stebz_solve_device(ctx, p);
    return p->batched ? stebz_solve_host_batch(ctx, p) : stebz_solve_host(ctx, p);
}

/* Counts on device arrays; facts and partial results lie in the context's workspace. */
eig_status stebz_count_device(eig_context *ctx, const stebz_count_problem *p)
{
    stebz_job job = {};
    stebz_problem whole = {};
    whole.n = p->n;
    whole.range = EIG_RANGE_ALL;
    whole.il = 1;
    whole.iu = p->n;
    void *tree, *work;
    eig_status status = eig_workspace(ctx, "stebz_count", NULL, 0, stebz_layout(&whole, NULL, &job, &tree), &work);
    if (status != EIG_OK) return status;
    stebz_layout(&whole, (char *)work, &job, &tree);
    job.d = p->d;
    job.e = p->e;
    job.range = EIG_RANGE_ALL;
    if ((status = stebz_prepare(ctx, p->precision, job)) != EIG_OK) return status;
    return stebz_count_shifts(ctx, p->precision, job, p->x, p->m, p->count);
}

eig_status stebz_count_cuda(eig_context *ctx, const stebz_count_problem *p)
{
    cuda_scope const scope(ctx);
    cuda_argument const arguments[] = {
        {"d", p->n > 0 ? p->d : NULL}, {"e", p->n > 1 ? p->e : NULL}, {"x", p->x}, {"count", p->count}};
    bool on_device = false;
    eig_status const status = cuda_find_side(ctx, "stebz_count", arguments, 4, &on_device);
    if (status != EIG_OK) return status;
    if (p->n == 0) {
        if (on_device) CUDA_TRY(cudaMemsetAsync(p->count, 0, (size_t)p->m * 8, cuda_state_of(ctx)->stream));
        for (int64_t j = 0; !on_device && j < p->m; ++j) p->count[j] = 0;
        return EIG_OK;
    }
    return on_device ? stebz_count_device(ctx, p) : stebz_count_host(ctx, p);
}
