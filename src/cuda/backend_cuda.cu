/* The CUDA backend: opening a device, memory, errors, and the table of drivers. */
#include "cuda_common.cuh"
#include "eigpack_cuda.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

eig_status cuda_fail(eig_context *ctx, const char *call, cudaError_t code)
{
    cudaGetLastError(); /* an error that is not sticky must not surface in a later call */
    int const length = (int)strcspn(call, "(");
    if (code == cudaErrorMemoryAllocation)
        return eig_fail(ctx, EIG_NO_MEMORY, "%.*s: out of device memory on cuda:%d", length, call,
                        ctx->state ? cuda_state_of(ctx)->device : 0);
    return eig_fail(ctx, EIG_CUDA_FAILURE, "%.*s failed: %s (%s)", length, call, cudaGetErrorString(code),
                    cudaGetErrorName(code));
}

/* ---------------------------------------------------------- open and close */

/* Says why no device answers; the order goes from no driver at all to a machine without a GPU. */
static eig_status no_device(eig_context *ctx, cudaError_t code)
{
    cudaGetLastError();
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (driver == 0) return eig_fail(ctx, EIG_NO_BACKEND, "no NVIDIA driver is installed on this machine");
    if (code == cudaErrorInsufficientDriver)
        return eig_fail(ctx, EIG_NO_BACKEND, "the NVIDIA driver is too old: it offers CUDA %d.%d, need %d.%d",
                        driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    if (code == cudaErrorNoDevice || code == cudaSuccess)
        return eig_fail(ctx, EIG_NO_BACKEND, "the NVIDIA driver finds no GPU on this machine");
    return eig_fail(ctx, EIG_NO_BACKEND, "the NVIDIA driver does not answer: %s (%s)", cudaGetErrorString(code),
                    cudaGetErrorName(code));
}

static __global__ void probe_kernel() {}

static eig_status cuda_open(eig_context *ctx, int device)
{
    int devices = 0;
    cudaError_t code = cudaGetDeviceCount(&devices);
    if (code != cudaSuccess || devices == 0) return no_device(ctx, code);
    if (device >= devices)
        return eig_fail(ctx, EIG_NO_BACKEND, "cuda:%d does not exist: this machine has %d GPU%s", device, devices,
                        devices == 1 ? "" : "s");
    cudaDeviceProp properties;
    CUDA_TRY(cudaGetDeviceProperties(&properties, device));
    int previous = 0;
    CUDA_TRY(cudaGetDevice(&previous));
    CUDA_TRY(cudaSetDevice(device));
    cudaFuncAttributes attributes;
    code = cudaFuncGetAttributes(&attributes, probe_kernel);
    cudaSetDevice(previous);
    if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction) {
        cudaGetLastError();
        return eig_fail(ctx, EIG_NO_BACKEND, "this build has no code for cuda:%d (%s, sm_%d%d)", device,
                        properties.name, properties.major, properties.minor);
    }
    CUDA_TRY(code);
    cuda_state *const state = (cuda_state *)calloc(1, sizeof *state);
    if (!state) return eig_fail(ctx, EIG_NO_MEMORY, "cannot allocate the CUDA context's state");
    state->device = device;
    state->multiprocessors = properties.multiProcessorCount;
    state->shared_bytes = (int)properties.sharedMemPerBlockOptin;
    ctx->state = state;
    return EIG_OK;
}

static void cuda_describe(eig_context *ctx)
{
    int const device = cuda_state_of(ctx)->device;
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
        cudaGetLastError();
        snprintf(ctx->description, sizeof ctx->description, "cuda:%d, which does not answer", device);
        return;
    }
    snprintf(ctx->description, sizeof ctx->description, "cuda:%d %.100s, sm_%d%d", device, properties.name,
             properties.major, properties.minor);
}

static void cuda_close(eig_context *ctx)
{
    cuda_state *const state = cuda_state_of(ctx);
    {
        cuda_scope const scope(ctx);
        cudaFree(state->staging.data);
        for (cuda_slot &slot : state->slots) {
            cudaFree(slot.device.data);
            cudaFreeHost(slot.host.data);
            if (slot.done) cudaEventDestroy(slot.done);
            if (slot.stream) cudaStreamDestroy(slot.stream);
        }
    }
    free(state);
    ctx->state = NULL;
}

extern "C" eig_status eig_cuda_set_stream(eig_context *ctx, cudaStream_t stream)
{
    eig_status const status = eig_enter(ctx);
    if (status != EIG_OK) return status;
    REQUIRE(ctx->backend == &backend_cuda, "eig_cuda_set_stream: the context's backend is %s, not cuda",
            ctx->backend->name);
    cuda_state_of(ctx)->stream = stream;
    return EIG_OK;
}

/* ------------------------------------------------------------------ memory */

/* The workspace may still be in use by work on the stream; cudaFree waits for it. */
static void *cuda_allocate(eig_context *ctx, size_t bytes)
{
    cuda_scope const scope(ctx);
    void *work = NULL;
    if (cudaMalloc(&work, bytes) == cudaSuccess) return work;
    cudaGetLastError();
    return NULL;
}

static void cuda_release(eig_context *ctx, void *work)
{
    cuda_scope const scope(ctx);
    cudaFree(work);
}

eig_status cuda_grow_device(eig_context *ctx, cuda_buffer *buffer, size_t bytes)
{
    if (buffer->bytes >= bytes) return EIG_OK;
    cudaFree(buffer->data);
    *buffer = cuda_buffer{NULL, 0};
    CUDA_TRY(cudaMalloc(&buffer->data, bytes));
    buffer->bytes = bytes;
    return EIG_OK;
}

eig_status cuda_grow_pinned(eig_context *ctx, cuda_buffer *buffer, size_t bytes)
{
    if (buffer->bytes >= bytes) return EIG_OK;
    cudaFreeHost(buffer->data);
    *buffer = cuda_buffer{NULL, 0};
    cudaError_t const code = cudaMallocHost(&buffer->data, bytes);
    if (code == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        return eig_fail(ctx, EIG_NO_MEMORY, "cannot allocate %zu bytes of pinned host memory", bytes);
    }
    CUDA_TRY(code);
    buffer->bytes = bytes;
    return EIG_OK;
}

cuda_clock::~cuda_clock()
{
    for (int i = 0; i < count; ++i) cudaEventDestroy(marks[i]);
}

eig_status cuda_clock::start(eig_context *ctx, int passes, cudaStream_t on)
{
    stream = on;
    for (; count <= passes; ++count) CUDA_TRY(cudaEventCreate(&marks[count]));
    return mark(ctx, 0);
}

eig_status cuda_clock::mark(eig_context *ctx, int pass)
{
    if (count > 0) CUDA_TRY(cudaEventRecord(marks[pass], stream));
    return EIG_OK;
}

eig_status cuda_clock::read(eig_context *ctx, double *pass_ms)
{
    if (count > 0) CUDA_TRY(cudaEventSynchronize(marks[count - 1]));
    for (int pass = 0; pass + 1 < count; ++pass) {
        float ms = 0;
        CUDA_TRY(cudaEventElapsedTime(&ms, marks[pass], marks[pass + 1]));
        pass_ms[pass] += ms;
    }
    return EIG_OK;
}

eig_status cuda_open_slots(eig_context *ctx)
{
    for (cuda_slot &slot : cuda_state_of(ctx)->slots) {
        if (!slot.stream) CUDA_TRY(cudaStreamCreateWithFlags(&slot.stream, cudaStreamNonBlocking));
        if (!slot.done) CUDA_TRY(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming));
    }
    return EIG_OK;
}

eig_status cuda_find_side(eig_context *ctx, const char *family, const cuda_argument *arguments, int count,
                          bool *on_device)
{
    const char *host = NULL, *device = NULL;
    for (int i = 0; i < count; ++i) {
        if (!arguments[i].pointer) continue;
        cudaPointerAttributes attributes;
        CUDA_TRY(cudaPointerGetAttributes(&attributes, arguments[i].pointer));
        bool const here = attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
        if (attributes.type == cudaMemoryTypeDevice && attributes.device != cuda_state_of(ctx)->device)
            return eig_fail(ctx, EIG_BAD_ARGUMENT, "%s: %s lies on cuda:%d, the context is on cuda:%d", family,
                            arguments[i].name, attributes.device, cuda_state_of(ctx)->device);
        (here ? device : host) = arguments[i].name;
    }
    if (host && device)
        return eig_fail(ctx, EIG_BAD_ARGUMENT, "%s: %s lies in device memory but %s in host memory", family, device,
                        host);
    *on_device = device != NULL;
    return EIG_OK;
}

extern "C" const backend backend_cuda = {
    "cuda",     cuda_open,        cuda_close,          cuda_describe, cuda_allocate, cuda_release, stebz_cuda_work_size,
    stebz_cuda, stebz_count_cuda, geev_cuda_work_size, geev_cuda,
};
