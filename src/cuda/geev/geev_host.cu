/* geev on CUDA, host arrays: chunks of the batch travel through three slots, each with a stream, device memory and, for
 * arrays that are not pinned, pinned staging: while one chunk computes, the next is copied in and the last one out.
 *
 * Memory    pinned arrays are copied from and to in place; others pass through the slot's staging, copied there by
 *           several threads.  A batch may be larger than the device's memory: only three chunks are ever there.
 * Chunks    options->chunk matrices, or a sixteenth of the batch, but 16 to 128 MB: short ones shorten the time
 *           before the first kernel and after the last, long ones keep the link and the kernels busy
 *           (docs/geev-cuda.md has the measurements). */
#include "geev_cuda.cuh"

#include "copy_rows.h"

enum { PIECES = 5, CHUNKS = 16 };
static const int64_t LEAST_CHUNK_BYTES = (int64_t)1 << 24, MOST_CHUNK_BYTES = (int64_t)1 << 27;

/* A part of one array that a chunk needs: rows of `width` bytes, every `pitch` bytes on the host, dense on the device.
 */
struct piece {
    char *host;
    size_t width, pitch, rows;
    bool pinned, output;
    size_t device_at, staging_at; /* offsets in the slot's memories */
};

struct chunk_plan {
    geev_problem p; /* of the chunk; its arrays are device arrays */
    piece pieces[PIECES];
    int count;
    size_t work_at, device_bytes, staging_bytes;
};

static size_t real_size(const geev_problem *p)
{
    return p->precision == 's' ? sizeof(float) : sizeof(double);
}

/* Bytes that a matrix brings along and takes away. */
static int64_t bytes_each(const geev_problem *p)
{
    int64_t const in = p->affine ? p->m : p->n * p->n, out = (p->w ? 2 * p->n : 0) + (p->value ? 1 : 0);
    return (in + out + 1) * (int64_t)real_size(p);
}

static int64_t chunk_matrices(const geev_problem *p)
{
    int64_t const each = bytes_each(p), total = each * p->batch;
    int64_t bytes = total / CHUNKS;
    bytes = bytes < LEAST_CHUNK_BYTES ? LEAST_CHUNK_BYTES : bytes > MOST_CHUNK_BYTES ? MOST_CHUNK_BYTES : bytes;
    int64_t const fit = bytes / each; /* whole warps of small matrices; at least one of large ones */
    int64_t const chosen = p->chunk > 0 ? p->chunk : fit >= 32 ? fit / 32 * 32 : fit > 0 ? fit : 1;
    return chosen > p->batch ? p->batch : chosen;
}

static bool is_pinned(const void *pointer)
{
    cudaPointerAttributes attributes;
    bool const known = cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess;
    if (!known) cudaGetLastError();
    return known && attributes.type == cudaMemoryTypeHost;
}

/* Adds a piece; returns its offset in device memory. */
static size_t add_piece(chunk_plan *plan, const void *host, size_t width, size_t pitch, size_t rows, bool output)
{
    piece *const s = &plan->pieces[plan->count++];
    bool const dense = pitch == width || rows == 1;
    *s = piece{
        (char *)host, dense ? width * rows : width, dense ? width * rows : pitch, dense ? 1 : rows, is_pinned(host),
        output,       plan->device_bytes,           plan->staging_bytes};
    size_t const bytes = (width * rows + EIG_ALIGNMENT - 1) & ~(size_t)(EIG_ALIGNMENT - 1);
    plan->device_bytes += bytes;
    if (!s->pinned) plan->staging_bytes += bytes;
    return s->device_at;
}

/* The input of matrices first, ..., first + count - 1, and how it lies on the device. */
static size_t plan_input(chunk_plan *plan, const geev_problem *p, int64_t first, int64_t count)
{
    size_t const size = real_size(p);
    int64_t const n = p->n, lda = p->lda, stride = p->stride_a;
    const char *const a = (const char *)p->a;
    if (p->layout == EIG_LAYOUT_ELEMENT_WISE) {
        plan->p.stride_a = count;
        return add_piece(plan, a + first * size, count * size, stride * size, (n - 1) * lda + n, false);
    }
    if (p->layout == EIG_LAYOUT_ROW_WISE) {
        plan->p.stride_a = (count - 1) * lda + n; /* the last row may end there */
        return add_piece(plan, a + first * lda * size, plan->p.stride_a * size, stride * size, n, false);
    }
    int64_t const matrices = p->affine ? p->m + 1 : count, at = p->affine ? 0 : first;
    int64_t const length = (matrices - 1) * stride + (n - 1) * lda + n;
    return add_piece(plan, a + at * stride * size, length * size, length * size, 1, false);
}

/* Plans a chunk: which parts of which arrays travel, and where everything lies in the slot. */
static void plan_chunk(const eig_context *ctx, const geev_problem *p, int64_t first, int64_t count, chunk_plan *plan)
{
    size_t const size = real_size(p);
    *plan = chunk_plan{};
    plan->p = *p;
    plan->p.batch = count;
    plan->p.stride_w = p->n;
    plan->p.pass_ms = NULL; /* would wait */
    size_t const a_at = plan_input(plan, p, first, count);
    size_t x_at = 0, w_at = 0, value_at = 0, info_at = 0;
    if (p->x && p->m > 0) {
        size_t const length = (count - 1) * p->stride_x + p->m;
        x_at = add_piece(plan, (const char *)p->x + first * p->stride_x * size, length * size, length * size, 1, false);
    }
    if (p->w)
        w_at = add_piece(plan, (const char *)p->w + 2 * first * p->stride_w * size, 2 * p->n * size,
                         2 * p->stride_w * size, count, true);
    if (p->value)
        value_at = add_piece(plan, (const char *)p->value + first * size, count * size, count * size, 1, true);
    if (p->info) info_at = add_piece(plan, p->info + first, count * sizeof(int), count * sizeof(int), 1, true);
    plan->work_at = plan->device_bytes;
    /* Offsets become addresses when the slot's memory is known: see bind_chunk. */
    plan->p.a = (void *)a_at, plan->p.x = p->x ? (void *)x_at : NULL, plan->p.w = (void *)w_at;
    plan->p.value = (void *)value_at, plan->p.info = (int *)info_at;
    plan->device_bytes += eig_cuda_geev_device_bytes(ctx, &plan->p);
}

static void bind_chunk(const geev_problem *p, chunk_plan *plan, char *base)
{
    plan->p.a = base + (size_t)plan->p.a;
    plan->p.x = p->x ? base + (size_t)plan->p.x : NULL;
    plan->p.w = p->w ? base + (size_t)plan->p.w : NULL;
    plan->p.value = p->value ? base + (size_t)plan->p.value : NULL;
    plan->p.info = p->info ? (int *)(base + (size_t)plan->p.info) : NULL;
}

/* Enqueues the copy of one piece, by way of the staging where the host array is not pinned. */
static eig_status copy_piece(eig_context *ctx, const piece &s, const cuda_slot &slot)
{
    char *const device = (char *)slot.device.data + s.device_at;
    char *const host = s.pinned ? s.host : (char *)slot.host.data + s.staging_at;
    size_t const pitch = s.pinned ? s.pitch : s.width;
    if (!s.output && !s.pinned) eig_copy_rows(ctx, host, s.width, s.host, s.pitch, s.width, s.rows);
    if (s.output)
        CUDA_TRY(cudaMemcpy2DAsync(host, pitch, device, s.width, s.width, s.rows, cudaMemcpyDeviceToHost, slot.stream));
    else
        CUDA_TRY(cudaMemcpy2DAsync(device, s.width, host, pitch, s.width, s.rows, cudaMemcpyHostToDevice, slot.stream));
    return EIG_OK;
}

/* Waits for a slot's chunk and brings staged results home. */
static eig_status finish_chunk(eig_context *ctx, cuda_slot *slot, chunk_plan *plan)
{
    if (plan->count == 0) return EIG_OK;
    CUDA_TRY(cudaEventSynchronize(slot->done));
    for (int k = 0; k < plan->count; ++k) {
        const piece &s = plan->pieces[k];
        if (s.output && !s.pinned)
            eig_copy_rows(ctx, s.host, s.pitch, (char *)slot->host.data + s.staging_at, s.width, s.width, s.rows);
    }
    plan->count = 0;
    return EIG_OK;
}

static eig_status start_chunk(eig_context *ctx, const geev_problem *p, cuda_slot *slot, chunk_plan *plan)
{
    eig_status status = cuda_grow_device(ctx, &slot->device, plan->device_bytes);
    if (status == EIG_OK) status = cuda_grow_pinned(ctx, &slot->host, plan->staging_bytes);
    if (status != EIG_OK) return status;
    bind_chunk(p, plan, (char *)slot->device.data);
    for (int k = 0; k < plan->count && status == EIG_OK; ++k)
        if (!plan->pieces[k].output) status = copy_piece(ctx, plan->pieces[k], *slot);
    if (status == EIG_OK)
        status = eig_cuda_geev_device(ctx, &plan->p, (char *)slot->device.data + plan->work_at, slot->stream);
    for (int k = 0; k < plan->count && status == EIG_OK; ++k)
        if (plan->pieces[k].output) status = copy_piece(ctx, plan->pieces[k], *slot);
    if (status != EIG_OK) return status;
    CUDA_TRY(cudaEventRecord(slot->done, slot->stream));
    return EIG_OK;
}

eig_status eig_cuda_geev_host(eig_context *ctx, const geev_problem *p)
{
    eig_status status = cuda_open_slots(ctx);
    if (status != EIG_OK) return status;
    cuda_slot *const slots = cuda_state_of(ctx)->slots;
    chunk_plan plans[CUDA_SLOTS] = {};
    int64_t const chunk = chunk_matrices(p);
    int64_t turn = 0;
    for (int64_t first = 0; first < p->batch && status == EIG_OK; first += chunk, ++turn) {
        int const k = (int)(turn % CUDA_SLOTS);
        status = finish_chunk(ctx, &slots[k], &plans[k]);
        if (status == EIG_OK) status = eig_report_progress(ctx, "geev", (double)first / (double)p->batch);
        if (status != EIG_OK) break;
        plan_chunk(ctx, p, first, p->batch - first < chunk ? p->batch - first : chunk, &plans[k]);
        status = start_chunk(ctx, p, &slots[k], &plans[k]);
        if (status != EIG_OK) plans[k].count = 0;
    }
    /* Nothing may be in flight when the caller gets the arrays back, whatever happened. */
    for (int k = 0; k < CUDA_SLOTS; ++k) {
        eig_status const finished = finish_chunk(ctx, &slots[(turn + k) % CUDA_SLOTS], &plans[(turn + k) % CUDA_SLOTS]);
        if (status == EIG_OK) status = finished;
        cudaStreamSynchronize(slots[k].stream);
    }
    return status == EIG_OK ? eig_report_progress(ctx, "geev", 1) : status;
}
