/* Arrays on the host: chunks, channels, copies; host_arrays.cuh tells the whole. */
#include "host_arrays.cuh"

#include <string.h>

enum { CHUNKS = 16, WARP = 32, READBACK_BYTES = 4096 };

/* A chunk's bytes: long ones keep the link and the kernels busy, short ones shorten the time before the first kernel
 * and after the last one; measured on an H200 (docs/maintainers/cuda/geev.md). */
static const int64_t LEAST_CHUNK_BYTES = (int64_t)1 << 24, MOST_CHUNK_BYTES = (int64_t)1 << 27;

/* The device's copy engine is not used for rows shorter than this, nor for rows further apart than it can copy
 * (cudaDevAttrMaxPitch). */
static const size_t LEAST_ROW = 512;
static const int64_t MOST_PITCH = INT32_MAX;

/* ------------------------------------------------------------------------ side */

eig_status eig_cuda_find_side(eig_context *ctx, cuda_call *call, bool *on_device)
{
    int const here = cuda_state_of(ctx)->device;
    const char *host = NULL, *device = NULL;
    for (int k = 0; k < call->arrays; ++k) {
        cuda_array *const a = &call->array[k];
        if (!a->pointer) continue;
        cudaPointerAttributes attributes;
        CUDA_TRY(cudaPointerGetAttributes(&attributes, a->pointer));
        bool const there = attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
        if (attributes.type == cudaMemoryTypeDevice && attributes.device != here)
            return eig_fail(ctx, EIG_BAD_ARGUMENT, "%s: %s lies on cuda:%d, the context is on cuda:%d", call->family,
                            a->name, attributes.device, here);
        a->pinned = attributes.type == cudaMemoryTypeHost;
        (there ? device : host) = a->name;
    }
    if (host && device)
        return eig_fail(ctx, EIG_BAD_ARGUMENT, "%s: %s lies in device memory but %s in host memory", call->family,
                        device, host);
    *on_device = device != NULL;
    return EIG_OK;
}

/* ---------------------------------------------------------------------- chunks */

/* Bytes that one problem brings along and takes away. */
static int64_t bytes_each(const cuda_call *call)
{
    int64_t bytes = 0;
    for (int k = 0; k < call->arrays; ++k) {
        const cuda_array *const a = &call->array[k];
        if (a->pointer && a->batch_level != CUDA_SHARED) bytes += (int64_t)nest_bytes(&a->nest) / call->batch;
    }
    return bytes > 0 ? bytes : 1;
}

static int64_t chunk_problems(const cuda_call *call)
{
    int64_t const each = bytes_each(call);
    int64_t bytes = call->batch / CHUNKS * each;
    bytes = bytes < LEAST_CHUNK_BYTES ? LEAST_CHUNK_BYTES : bytes > MOST_CHUNK_BYTES ? MOST_CHUNK_BYTES : bytes;
    int64_t const fit = bytes / each; /* whole warps of small problems; at least one of large ones */
    int64_t const chosen = call->chunk > 0 ? call->chunk : fit >= WARP ? fit / WARP * WARP : fit > 0 ? fit : 1;
    return chosen > call->batch ? call->batch : chosen;
}

/* A part of one array that a chunk needs. */
struct array_piece {
    char *host;
    copy_nest nest; /* simplified */
    bool output, direct, keeps;
    size_t at; /* offset in the channel's device memory, and, unless direct, in its pinned memory */
};

struct chunk_plan {
    cuda_chunk chunk;
    int pieces;
    array_piece piece[CUDA_MOST_ARRAYS];
    int of[CUDA_MOST_ARRAYS]; /* the array that the piece belongs to */
    size_t staged_in, staged; /* staged inputs lie in [0, staged_in), staged outputs in [staged_in, staged) */
    size_t device_bytes, work_at;
    cuda_clock clock;
};

/* Below this size a copy of its own costs more than staging. */
static const size_t LEAST_DIRECT = (size_t)1 << 16;

/* Whether the device's copy engine does it alone. */
static bool is_direct(const cuda_array *a, const copy_nest *nest)
{
    if (!a->pinned || nest_bytes(nest) < LEAST_DIRECT || nest->count[0] > 1 || nest->count[1] > 1) return false;
    return nest->count[2] == 1 || (nest->width >= LEAST_ROW && nest->stride[2] <= MOST_PITCH);
}

static void add_piece(chunk_plan *plan, const cuda_call *call, int k, int64_t first, int64_t count)
{
    const cuda_array *const a = &call->array[k];
    array_piece *const s = &plan->piece[plan->pieces];
    *s = array_piece{(char *)a->pointer, a->nest, a->output, false, a->keeps, 0};
    if (a->batch_level != CUDA_SHARED) {
        s->host += first * s->nest.stride[a->batch_level];
        s->nest.count[a->batch_level] = count;
    }
    s->nest = eig_cuda_simplify_nest(s->nest);
    s->direct = is_direct(a, &s->nest);
    plan->of[plan->pieces++] = k;
}

/* Places the pieces one kind after the other: staged inputs, staged outputs, the others. */
static void place_pieces(chunk_plan *plan, int kind)
{
    for (int k = 0; k < plan->pieces; ++k) {
        array_piece *const s = &plan->piece[k];
        if ((s->direct ? 2 : s->output ? 1 : 0) != kind) continue;
        s->at = plan->device_bytes;
        plan->device_bytes += (nest_bytes(&s->nest) + EIG_ALIGNMENT - 1) & ~(size_t)(EIG_ALIGNMENT - 1);
    }
}

static void plan_chunk(const eig_context *ctx, const cuda_call *call, int64_t first, int64_t count, chunk_plan *plan)
{
    plan->chunk = cuda_chunk{};
    plan->chunk.first = first, plan->chunk.count = count, plan->chunk.whole = count == call->batch;
    plan->pieces = 0, plan->device_bytes = 0;
    for (int k = 0; k < call->arrays; ++k)
        if (call->array[k].pointer) add_piece(plan, call, k, first, count);
    place_pieces(plan, 0);
    plan->staged_in = plan->device_bytes;
    place_pieces(plan, 1);
    plan->staged = plan->device_bytes;
    place_pieces(plan, 2);
    plan->work_at = plan->device_bytes;
    plan->device_bytes += call->work_size(ctx, call->problem, count);
}

/* ---------------------------------------------------------------------- copies */

/* Fills or empties the pinned memory of the staged pieces of one direction. */
static void stage(const eig_context *ctx, const chunk_plan *plan, const cuda_channel *channel, bool output)
{
    for (int k = 0; k < plan->pieces; ++k) {
        const array_piece *const s = &plan->piece[k];
        if (s->direct || (s->output != output && !s->keeps)) continue;
        eig_cuda_copy_nest(ctx, &s->nest, s->host, (char *)channel->pinned.data + s->at, output);
    }
}

/* Enqueues the copies of one direction: one for all staged pieces, one for each direct one. */
static eig_status enqueue_copies(eig_context *ctx, const chunk_plan *plan, const cuda_channel *channel, bool output)
{
    char *const device = (char *)channel->device.data, *const pinned = (char *)channel->pinned.data;
    size_t const from = output ? plan->staged_in : 0, to = output ? plan->staged : plan->staged_in;
    if (from < to && output)
        CUDA_TRY(cudaMemcpyAsync(pinned + from, device + from, to - from, cudaMemcpyDeviceToHost, channel->stream));
    if (from < to && !output)
        CUDA_TRY(cudaMemcpyAsync(device + from, pinned + from, to - from, cudaMemcpyHostToDevice, channel->stream));
    for (int k = 0; k < plan->pieces; ++k) {
        const array_piece *const s = &plan->piece[k];
        if (s->keeps && !s->direct && !output)
            CUDA_TRY(cudaMemcpyAsync(device + s->at, pinned + s->at, nest_bytes(&s->nest), cudaMemcpyHostToDevice,
                                     channel->stream));
        if (!s->direct || (s->output != output && !s->keeps)) continue;
        size_t const width = s->nest.width, rows = (size_t)s->nest.count[2];
        size_t const pitch = rows > 1 ? (size_t)s->nest.stride[2] : width;
        if (output)
            CUDA_TRY(cudaMemcpy2DAsync(s->host, pitch, device + s->at, width, width, rows, cudaMemcpyDeviceToHost,
                                       channel->stream));
        else
            CUDA_TRY(cudaMemcpy2DAsync(device + s->at, width, s->host, pitch, width, rows, cudaMemcpyHostToDevice,
                                       channel->stream));
    }
    return EIG_OK;
}

/* -------------------------------------------------------------------- channels */

static eig_status open_channel(eig_context *ctx, cuda_channel *channel, const chunk_plan *plan)
{
    if (!channel->stream) CUDA_TRY(cudaStreamCreateWithFlags(&channel->stream, cudaStreamNonBlocking));
    if (!channel->done) CUDA_TRY(cudaEventCreateWithFlags(&channel->done, cudaEventDisableTiming));
    eig_status const status = eig_cuda_grow_device(ctx, &channel->device, plan->device_bytes);
    return status == EIG_OK ? eig_cuda_grow_pinned(ctx, &channel->pinned, plan->staged) : status;
}

static eig_status start_chunk(eig_context *ctx, const cuda_call *call, cuda_channel *channel, chunk_plan *plan)
{
    eig_status status = open_channel(ctx, channel, plan);
    if (status != EIG_OK) return status;
    char *const device = (char *)channel->device.data;
    for (int k = 0; k < plan->pieces; ++k) plan->chunk.array[plan->of[k]] = device + plan->piece[k].at;
    plan->chunk.work = device + plan->work_at;
    plan->chunk.stream = channel->stream;
    plan->chunk.clock = &plan->clock;
    stage(ctx, plan, channel, false);
    status = enqueue_copies(ctx, plan, channel, false);
    if (status == EIG_OK) status = call->solve(ctx, call->problem, &plan->chunk);
    if (status == EIG_OK) status = enqueue_copies(ctx, plan, channel, true);
    if (status != EIG_OK) return status;
    CUDA_TRY(cudaEventRecord(channel->done, channel->stream));
    return EIG_OK;
}

/* Waits for a channel's chunk, if there is one, and brings staged results home. */
static eig_status finish_chunk(eig_context *ctx, const cuda_channel *channel, chunk_plan *plan)
{
    if (plan->pieces == 0) return EIG_OK;
    CUDA_TRY(cudaEventSynchronize(channel->done));
    stage(ctx, plan, channel, true);
    plan->pieces = 0;
    return eig_cuda_read_clock(ctx, &plan->clock);
}

/* ----------------------------------------------------------------------- words */

static __global__ void readback_kernel(uint32_t *to, const uint32_t *from, int words)
{
    for (int i = threadIdx.x; i < words; i += WARP) to[i] = from[i];
}

eig_status eig_cuda_read(eig_context *ctx, void *to, const void *from, size_t bytes, cudaStream_t stream)
{
    void *const pinned = cuda_state_of(ctx)->readback.data;
    bool const words = pinned && bytes <= READBACK_BYTES && bytes % sizeof(uint32_t) == 0;
    if (words) {
        eig_status const status =
            cuda_launch(ctx, "readback_kernel", stream, {1, WARP}, readback_kernel, (uint32_t *)pinned,
                        (const uint32_t *)from, (int)(bytes / sizeof(uint32_t)));
        if (status != EIG_OK) return status;
    } else {
        CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream));
    }
    CUDA_TRY(cudaStreamSynchronize(stream));
    if (words) memcpy(to, pinned, bytes);
    return EIG_OK;
}

/* ------------------------------------------------------------------------- all */

eig_status eig_cuda_run_host(eig_context *ctx, const cuda_call *call)
{
    eig_status status = eig_cuda_grow_pinned(ctx, &cuda_state_of(ctx)->readback, READBACK_BYTES);
    if (status != EIG_OK) return status;
    cuda_channel *const channels = cuda_state_of(ctx)->channels;
    chunk_plan plans[CUDA_CHANNELS] = {};
    int64_t const chunk = chunk_problems(call);
    int64_t turn = 0;
    for (int64_t first = 0, end; first < call->batch && status == EIG_OK; first = end, ++turn) {
        int const k = (int)(turn % CUDA_CHANNELS);
        status = finish_chunk(ctx, &channels[k], &plans[k]);
        if (status == EIG_OK) status = eig_report_progress(ctx, call->family, (double)first / (double)call->batch);
        if (status != EIG_OK) break;
        end = call->cut ? call->cut[turn + 1] : first + chunk < call->batch ? first + chunk : call->batch;
        plan_chunk(ctx, call, first, end - first, &plans[k]);
        status = start_chunk(ctx, call, &channels[k], &plans[k]);
        if (status != EIG_OK) plans[k].pieces = 0;
    }
    /* Nothing may be in flight when the caller gets the arrays back, whatever happened. */
    for (int k = 0; k < CUDA_CHANNELS; ++k) {
        int const next = (int)((turn + k) % CUDA_CHANNELS);
        eig_status const finished = finish_chunk(ctx, &channels[next], &plans[next]);
        if (status == EIG_OK) status = finished;
        if (channels[next].stream && status != EIG_OK) cudaStreamSynchronize(channels[next].stream);
    }
    return status == EIG_OK ? eig_report_progress(ctx, call->family, 1) : status;
}
