/* stebz on CUDA, host arrays: one matrix is copied in, computed and copied out on the context's stream; a batch goes
 * through three slots of pinned and device memory, each with its own stream, so that copies and kernels overlap. */
#include "stebz_cuda.cuh"

#include <cmath>
#include <cstring>

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
    size_t const size = stebz_bytes_of(p->precision);
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

eig_status stebz_solve_host(eig_context *ctx, const stebz_problem *p)
{
    cuda_state *const state = cuda_state_of(ctx);
    eig_status status = refuse_not_finite(ctx, p);
    if (status != EIG_OK) return status;
    if ((status = eig_report_progress(ctx, "stebz", 0)) != EIG_OK) return status;
    if (p->pass_ms) memset(p->pass_ms, 0, 4 * sizeof *p->pass_ms);
    size_t const size = stebz_bytes_of(p->precision);
    stebz_job job = {};
    void *tree;
    staged s;
    size_t const work_bytes = stebz_layout(p, NULL, &job, &tree);
    status = cuda_grow_device(ctx, &state->staging, stage_layout(p, 1, work_bytes, NULL, &s));
    if (status != EIG_OK) return status;
    stage_layout(p, 1, work_bytes, (char *)state->staging.data, &s);
    stebz_problem const q = staged_problem(p, &s, 1);
    job = stebz_make_job(&q, 0);
    stebz_layout(p, (char *)s.work, &job, &tree);
    CUDA_TRY(cudaMemcpyAsync(s.d, p->d, (size_t)p->n * size, cudaMemcpyHostToDevice, state->stream));
    if (p->n > 1)
        CUDA_TRY(cudaMemcpyAsync(s.e, p->e, (size_t)(p->n - 1) * size, cudaMemcpyHostToDevice, state->stream));
    if ((status = stebz_solve(ctx, &q, job, tree, true)) != EIG_OK) return status;
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
    size_t const size = stebz_bytes_of(p->precision);
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
    size_t const size = stebz_bytes_of(p->precision);
    copy_rows((char *)h->d, p->n, (const char *)p->d + first * p->stride_d * size, p->stride_d, p->n, batch, size);
    copy_rows((char *)h->e, p->n - 1, (const char *)p->e + first * p->stride_e * size, p->stride_e, p->n - 1, batch,
              size);
    size_t const in = (size_t)((char *)h->w - (char *)h->d), out = (size_t)((char *)h->work - (char *)h->w);
    CUDA_TRY(cudaMemcpyAsync(g->d, h->d, in, cudaMemcpyHostToDevice, slot->stream));
    stebz_problem const q = staged_problem(p, g, batch);
    cudaStream_t const caller = cuda_state_of(ctx)->stream;
    cuda_state_of(ctx)->stream = slot->stream;
    eig_status const status = stebz_solve_device(ctx, &q);
    cuda_state_of(ctx)->stream = caller;
    if (status != EIG_OK) return status;
    CUDA_TRY(cudaMemcpyAsync(h->w, g->w, out, cudaMemcpyDeviceToHost, slot->stream));
    CUDA_TRY(cudaEventRecord(slot->done, slot->stream));
    return EIG_OK;
}

eig_status stebz_solve_host_batch(eig_context *ctx, const stebz_problem *p)
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

eig_status stebz_count_host(eig_context *ctx, const stebz_count_problem *p)
{
    const void *const arrays[] = {p->d, p->e, p->x};
    int64_t const lengths[] = {p->n, p->n - 1, p->m};
    cuda_state *const state = cuda_state_of(ctx);
    size_t const size = stebz_bytes_of(p->precision);
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
    if ((status = stebz_count_device(ctx, &q)) != EIG_OK) return status;
    CUDA_TRY(cudaMemcpyAsync(p->count, count, (size_t)p->m * sizeof(int64_t), cudaMemcpyDeviceToHost, state->stream));
    CUDA_TRY(cudaStreamSynchronize(state->stream));
    return EIG_OK;
}
