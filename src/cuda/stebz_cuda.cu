/* stebz on CUDA, the driver: workspace, the order of the kernels, and host arrays.
 *
 * Device arrays  kernels are enqueued on the context's stream and nothing is waited for.
 * Host arrays    one matrix is copied in, computed and copied out on the context's stream; a batch goes through three
 *                slots of pinned and device memory, each with its own stream, so that copies and kernels overlap. */
#include "stebz_cuda.cuh"

#include <cmath>
#include <cstring>

/* Eigenvalues between two reports of progress, and the order from which reports are made on the way. */
enum { SLICE = 65536, SLICED_FROM = 200000 };

static size_t bytes_of(char precision)
{
    return precision == 's' ? sizeof(float) : sizeof(double);
}

/* Lays out the workspace of one matrix; with base NULL it only measures. */
static size_t layout(const stebz_problem *p, char *base, stebz_job *job, void **tree)
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

static stebz_job make_job(const stebz_problem *p, int64_t matrix)
{
    size_t const size = bytes_of(p->precision);
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
    return layout(p, NULL, &job, &tree);
}

/* --------------------------------------------------------------- pass times */

enum { MARKS = 5 };

struct pass_clock {
    cudaEvent_t marks[MARKS];
    bool on;
    ~pass_clock()
    {
        for (cudaEvent_t mark : marks)
            if (mark) cudaEventDestroy(mark);
    }
};

static eig_status start_clock(eig_context *ctx, pass_clock *clock, bool on)
{
    *clock = pass_clock{};
    clock->on = on;
    if (!on) return EIG_OK;
    for (cudaEvent_t &mark : clock->marks) CUDA_TRY(cudaEventCreate(&mark));
    CUDA_TRY(cudaEventRecord(clock->marks[0], cuda_state_of(ctx)->stream));
    return EIG_OK;
}

static eig_status mark_pass(eig_context *ctx, pass_clock *clock, int mark)
{
    if (clock->on) CUDA_TRY(cudaEventRecord(clock->marks[mark], cuda_state_of(ctx)->stream));
    return EIG_OK;
}

static eig_status read_clock(eig_context *ctx, pass_clock *clock, double *pass_ms)
{
    if (!clock->on) return EIG_OK;
    CUDA_TRY(cudaEventSynchronize(clock->marks[MARKS - 1]));
    for (int i = 0; i + 1 < MARKS; ++i) {
        float ms = 0;
        CUDA_TRY(cudaEventElapsedTime(&ms, clock->marks[i], clock->marks[i + 1]));
        pass_ms[i] += ms;
    }
    return EIG_OK;
}

/* ------------------------------------------------------------ device arrays */

static __global__ void info_kernel(const stebz_facts *facts, int *info)
{
    *info = facts->finite ? EIG_INFO_OK : EIG_INFO_NOT_FINITE;
}

/* One matrix on device arrays.  wait: the call may synchronise between slices to report progress. */
static eig_status solve(eig_context *ctx, const stebz_problem *p, stebz_job job, void *tree, bool wait)
{
    pass_clock clock;
    eig_status status = start_clock(ctx, &clock, p->pass_ms != NULL);
    if (status != EIG_OK) return status;
    if ((status = stebz_prepare(ctx, p->precision, job)) != EIG_OK) return status;
    if ((status = mark_pass(ctx, &clock, 1)) != EIG_OK) return status;
    if (p->method == EIG_STEBZ_INTERVAL_TREE) {
        status = stebz_tree(ctx, p->precision, job, tree, clock.on ? clock.marks + 2 : NULL);
    } else {
        if ((status = stebz_fill_table(ctx, p->precision, job)) != EIG_OK) return status;
        if ((status = mark_pass(ctx, &clock, 2)) != EIG_OK) return status;
        int64_t const last = job.last, slice = wait && last >= SLICED_FROM ? (int64_t)SLICE : last;
        for (job.first = 0; job.first < last && status == EIG_OK; job.first += slice) {
            job.last = job.first + slice < last ? job.first + slice : last;
            status = stebz_refine(ctx, p->precision, job);
            if (status != EIG_OK || slice == last) continue;
            CUDA_TRY(cudaStreamSynchronize(cuda_state_of(ctx)->stream));
            status = eig_report_progress(ctx, "stebz", (double)job.last / (double)last);
        }
        if (status == EIG_OK) status = mark_pass(ctx, &clock, 3);
    }
    if (status != EIG_OK) return status;
    if ((status = mark_pass(ctx, &clock, 4)) != EIG_OK) return status;
    return read_clock(ctx, &clock, p->pass_ms);
}

static eig_status solve_device(eig_context *ctx, const stebz_problem *p)
{
    if (p->pass_ms) memset(p->pass_ms, 0, 4 * sizeof *p->pass_ms);
    if (p->batched && stebz_batch_fits(ctx, p)) return stebz_batch(ctx, p, cuda_state_of(ctx)->stream);
    stebz_job sized = {};
    void *tree, *work;
    size_t const need = layout(p, NULL, &sized, &tree);
    eig_status status = eig_workspace(ctx, "stebz", p->work, p->work_bytes, need, &work);
    for (int64_t matrix = 0; matrix < p->batch && status == EIG_OK; ++matrix) {
        stebz_job job = make_job(p, matrix);
        layout(p, (char *)work, &job, &tree);
        status = solve(ctx, p, job, tree, false);
        if (status != EIG_OK || !p->info) continue;
        info_kernel<<<1, 1, 0, cuda_state_of(ctx)->stream>>>(job.facts, p->info + matrix);
        CUDA_LAUNCHED("stebz: info_kernel");
    }
    return status;
}

/* -------------------------------------------------------------- host arrays */

static double entry_of(char precision, const void *x, int64_t i)
{
    return precision == 's' ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

/* Index of the first entry that is not finite, or -1. */
static int64_t first_not_finite(char precision, const void *x, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        if (!std::isfinite(entry_of(precision, x, i))) return i;
    return -1;
}

static void fill_nan(char precision, void *x, int64_t n)
{
    for (int64_t i = 0; x && i < n; ++i) {
        if (precision == 's')
            ((float *)x)[i] = NAN;
        else
            ((double *)x)[i] = NAN;
    }
}

static eig_status refuse_not_finite(eig_context *ctx, const stebz_problem *p)
{
    int64_t const in_d = first_not_finite(p->precision, p->d, p->n);
    int64_t const in_e = in_d < 0 ? first_not_finite(p->precision, p->e, p->n - 1) : -1;
    if (in_d < 0 && in_e < 0) return EIG_OK;
    int64_t const count = p->range == EIG_RANGE_INDEX ? p->iu - p->il + 1 : p->n;
    fill_nan(p->precision, p->w, count);
    fill_nan(p->precision, p->lower, count);
    fill_nan(p->precision, p->upper, count);
    if (p->m) *p->m = 0;
    int64_t const at = in_d >= 0 ? in_d : in_e;
    return eig_fail(ctx, EIG_NOT_FINITE, "stebz: %c[%lld] is %g", in_d >= 0 ? 'd' : 'e', (long long)at,
                    entry_of(p->precision, in_d >= 0 ? p->d : p->e, at));
}

/* Device copies of a host problem of batch matrices, packed without gaps. */
struct staged {
    void *d, *e, *w, *lower, *upper, *work;
    int64_t *m;
    int *info;
};

static size_t stage_layout(const stebz_problem *p, int64_t batch, size_t work_bytes, char *base, staged *s)
{
    size_t const size = bytes_of(p->precision);
    int64_t const count = p->range == EIG_RANGE_INDEX ? p->iu - p->il + 1 : p->n;
    arena a = {base, 0};
    s->d = arena_take(&a, batch * p->n, size);
    s->e = arena_take(&a, batch * (p->n - 1), size);
    s->w = arena_take(&a, batch * count, size);
    s->lower = arena_take(&a, p->lower ? batch * count : 0, size);
    s->upper = arena_take(&a, p->upper ? batch * count : 0, size);
    s->m = (int64_t *)arena_take(&a, 1, sizeof(int64_t));
    s->info = (int *)arena_take(&a, batch, sizeof(int));
    s->work = arena_take(&a, (int64_t)work_bytes, 1);
    return a.used;
}

static stebz_problem staged_problem(const stebz_problem *p, const staged *s, int64_t batch)
{
    stebz_problem q = *p;
    int64_t const count = p->range == EIG_RANGE_INDEX ? p->iu - p->il + 1 : p->n;
    q.batch = batch;
    q.d = s->d, q.e = s->e, q.w = s->w;
    q.stride_d = p->n, q.stride_e = p->n - 1, q.stride_w = count;
    q.lower = p->lower ? s->lower : NULL;
    q.upper = p->upper ? s->upper : NULL;
    q.m = s->m;
    q.info = s->info;
    q.work = s->work;
    return q;
}

static eig_status solve_host(eig_context *ctx, const stebz_problem *p)
{
    cuda_state *const state = cuda_state_of(ctx);
    eig_status status = refuse_not_finite(ctx, p);
    if (status != EIG_OK) return status;
    if ((status = eig_report_progress(ctx, "stebz", 0)) != EIG_OK) return status;
    if (p->pass_ms) memset(p->pass_ms, 0, 4 * sizeof *p->pass_ms);
    size_t const size = bytes_of(p->precision);
    stebz_job job = {};
    void *tree;
    staged s;
    size_t const work_bytes = layout(p, NULL, &job, &tree);
    status = cuda_grow_device(ctx, &state->staging, stage_layout(p, 1, work_bytes, NULL, &s));
    if (status != EIG_OK) return status;
    stage_layout(p, 1, work_bytes, (char *)state->staging.data, &s);
    stebz_problem const q = staged_problem(p, &s, 1);
    job = make_job(&q, 0);
    layout(p, (char *)s.work, &job, &tree);
    CUDA_TRY(cudaMemcpyAsync(s.d, p->d, (size_t)p->n * size, cudaMemcpyHostToDevice, state->stream));
    if (p->n > 1)
        CUDA_TRY(cudaMemcpyAsync(s.e, p->e, (size_t)(p->n - 1) * size, cudaMemcpyHostToDevice, state->stream));
    if ((status = solve(ctx, &q, job, tree, true)) != EIG_OK) return status;
    int64_t m = 0;
    CUDA_TRY(cudaMemcpyAsync(&m, s.m, sizeof m, cudaMemcpyDeviceToHost, state->stream));
    CUDA_TRY(cudaStreamSynchronize(state->stream));
    size_t const bytes = (size_t)m * size;
    CUDA_TRY(cudaMemcpyAsync(p->w, s.w, bytes, cudaMemcpyDeviceToHost, state->stream));
    if (p->lower) CUDA_TRY(cudaMemcpyAsync(p->lower, s.lower, bytes, cudaMemcpyDeviceToHost, state->stream));
    if (p->upper) CUDA_TRY(cudaMemcpyAsync(p->upper, s.upper, bytes, cudaMemcpyDeviceToHost, state->stream));
    CUDA_TRY(cudaStreamSynchronize(state->stream));
    if (p->m) *p->m = m;
    return eig_report_progress(ctx, "stebz", 1);
}

/* Copies batch rows of count entries between strided and packed memory. */
static void copy_rows(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t count, int64_t batch,
                      size_t size)
{
    for (int64_t b = 0; b < batch && count > 0; ++b)
        memcpy(to + (size_t)(b * to_stride) * size, from + (size_t)(b * from_stride) * size, (size_t)count * size);
}

/* Takes a slot's results out of its pinned memory into the caller's arrays. */
static void drain_slot(const stebz_problem *p, const staged *h, int64_t first, int64_t batch)
{
    size_t const size = bytes_of(p->precision);
    int64_t const count = p->iu - p->il + 1, at = first * p->stride_w;
    copy_rows((char *)p->w + at * size, p->stride_w, (const char *)h->w, count, count, batch, size);
    if (p->lower)
        copy_rows((char *)p->lower + at * size, p->stride_w, (const char *)h->lower, count, count, batch, size);
    if (p->upper)
        copy_rows((char *)p->upper + at * size, p->stride_w, (const char *)h->upper, count, count, batch, size);
    if (p->info) memcpy(p->info + first, h->info, (size_t)batch * sizeof(int));
}

/* Fills a slot with matrices first.. and enqueues copy, kernels and copy back on its stream. */
static eig_status feed_slot(eig_context *ctx, const stebz_problem *p, cuda_slot *slot, const staged *h, const staged *g,
                            int64_t first, int64_t batch)
{
    size_t const size = bytes_of(p->precision);
    copy_rows((char *)h->d, p->n, (const char *)p->d + first * p->stride_d * size, p->stride_d, p->n, batch, size);
    copy_rows((char *)h->e, p->n - 1, (const char *)p->e + first * p->stride_e * size, p->stride_e, p->n - 1, batch,
              size);
    size_t const in = (size_t)((char *)h->w - (char *)h->d), out = (size_t)((char *)h->work - (char *)h->w);
    CUDA_TRY(cudaMemcpyAsync(g->d, h->d, in, cudaMemcpyHostToDevice, slot->stream));
    stebz_problem const q = staged_problem(p, g, batch);
    cudaStream_t const caller = cuda_state_of(ctx)->stream;
    cuda_state_of(ctx)->stream = slot->stream;
    eig_status const status = solve_device(ctx, &q);
    cuda_state_of(ctx)->stream = caller;
    if (status != EIG_OK) return status;
    CUDA_TRY(cudaMemcpyAsync(h->w, g->w, out, cudaMemcpyDeviceToHost, slot->stream));
    CUDA_TRY(cudaEventRecord(slot->done, slot->stream));
    return EIG_OK;
}

static eig_status solve_host_batch(eig_context *ctx, const stebz_problem *p)
{
    cuda_state *const state = cuda_state_of(ctx);
    eig_status status = cuda_open_slots(ctx);
    if (status != EIG_OK) return status;
    stebz_problem sized = *p;
    size_t const work_bytes = stebz_cuda_work_size(ctx, &sized);
    staged s, host[CUDA_SLOTS], device[CUDA_SLOTS];
    size_t const each = stage_layout(p, 1, 0, NULL, &s), chunk_bytes = (size_t)16 << 20;
    int64_t chunk = each < chunk_bytes ? (int64_t)(chunk_bytes / each) : 1;
    if (chunk > p->batch) chunk = p->batch;
    for (int i = 0; i < CUDA_SLOTS; ++i) {
        cuda_slot *const slot = &state->slots[i];
        status = cuda_grow_pinned(ctx, &slot->host, stage_layout(p, chunk, 0, NULL, &s));
        if (status == EIG_OK)
            status = cuda_grow_device(ctx, &slot->device, stage_layout(p, chunk, work_bytes, NULL, &s));
        if (status != EIG_OK) return status;
        stage_layout(p, chunk, 0, (char *)slot->host.data, &host[i]);
        stage_layout(p, chunk, work_bytes, (char *)slot->device.data, &device[i]);
        sized.work_bytes = work_bytes;
    }
    int64_t const chunks = (p->batch + chunk - 1) / chunk;
    for (int64_t c = 0; c < chunks + CUDA_SLOTS && status == EIG_OK; ++c) {
        int const i = (int)(c % CUDA_SLOTS);
        int64_t const drained = c - CUDA_SLOTS;
        if (drained >= 0 && drained < chunks) {
            int64_t const first = drained * chunk, left = p->batch - first;
            CUDA_TRY(cudaEventSynchronize(state->slots[i].done));
            drain_slot(p, &host[i], first, left < chunk ? left : chunk);
            status = eig_report_progress(ctx, "stebz", (double)(drained + 1) / (double)chunks);
        }
        if (c < chunks && status == EIG_OK) {
            int64_t const first = c * chunk, left = p->batch - first;
            status = feed_slot(ctx, &sized, &state->slots[i], &host[i], &device[i], first, left < chunk ? left : chunk);
        }
    }
    for (cuda_slot &slot : state->slots) CUDA_TRY(cudaStreamSynchronize(slot.stream));
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
    if (on_device) return solve_device(ctx, p);
    return p->batched ? solve_host_batch(ctx, p) : solve_host(ctx, p);
}

/* Counts on device arrays; facts and partial results lie in the context's workspace. */
static eig_status count_device(eig_context *ctx, const stebz_count_problem *p)
{
    stebz_job job = {};
    stebz_problem whole = {};
    whole.n = p->n;
    whole.range = EIG_RANGE_ALL;
    whole.il = 1;
    whole.iu = p->n;
    void *tree, *work;
    eig_status status = eig_workspace(ctx, "stebz_count", NULL, 0, layout(&whole, NULL, &job, &tree), &work);
    if (status != EIG_OK) return status;
    layout(&whole, (char *)work, &job, &tree);
    job.d = p->d;
    job.e = p->e;
    job.range = EIG_RANGE_ALL;
    if ((status = stebz_prepare(ctx, p->precision, job)) != EIG_OK) return status;
    return stebz_count_shifts(ctx, p->precision, job, p->x, p->m, p->count);
}

static eig_status count_host(eig_context *ctx, const stebz_count_problem *p)
{
    const void *const arrays[] = {p->d, p->e, p->x};
    int64_t const lengths[] = {p->n, p->n - 1, p->m};
    cuda_state *const state = cuda_state_of(ctx);
    size_t const size = bytes_of(p->precision);
    for (int i = 0; i < 2; ++i) {
        int64_t const at = first_not_finite(p->precision, arrays[i], lengths[i]);
        if (at >= 0)
            return eig_fail(ctx, EIG_NOT_FINITE, "stebz_count: %c[%lld] is %g", i ? 'e' : 'd', (long long)at,
                            entry_of(p->precision, arrays[i], at));
    }
    for (int64_t j = 0; j < p->m; ++j)
        if (std::isnan(entry_of(p->precision, p->x, j)))
            return eig_fail(ctx, EIG_NOT_FINITE, "stebz_count: x[%lld] is nan", (long long)j);
    void *copies[3];
    int64_t *count = NULL;
    eig_status status = EIG_OK;
    for (int pass = 0; pass < 2 && status == EIG_OK; ++pass) {
        arena a = {pass ? (char *)state->staging.data : NULL, 0};
        for (int i = 0; i < 3; ++i) copies[i] = arena_take(&a, lengths[i], size);
        count = (int64_t *)arena_take(&a, p->m, sizeof(int64_t));
        if (pass == 0) status = cuda_grow_device(ctx, &state->staging, a.used);
    }
    if (status != EIG_OK) return status;
    for (int i = 0; i < 3; ++i)
        if (lengths[i] > 0)
            CUDA_TRY(cudaMemcpyAsync(copies[i], arrays[i], (size_t)lengths[i] * size, cudaMemcpyHostToDevice,
                                     state->stream));
    stebz_count_problem q = *p;
    q.d = copies[0], q.e = copies[1], q.x = copies[2], q.count = count;
    if ((status = count_device(ctx, &q)) != EIG_OK) return status;
    CUDA_TRY(cudaMemcpyAsync(p->count, count, (size_t)p->m * sizeof(int64_t), cudaMemcpyDeviceToHost, state->stream));
    CUDA_TRY(cudaStreamSynchronize(state->stream));
    return EIG_OK;
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
    return on_device ? count_device(ctx, p) : count_host(ctx, p);
}
