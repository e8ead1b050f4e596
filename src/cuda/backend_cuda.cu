/* The CUDA backend: opening a device, memory, streams, errors, and the table of drivers. */
#include "cuda_common.cuh"

#include <cstdio>
#include <cstdlib>
#include <cstring>

eig_status eig_cuda_fail(eig_context *ctx, const char *call, cudaError_t code)
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
    if (code == cudaErrorInitializationError)
        return eig_fail(ctx, EIG_NO_BACKEND,
                        "CUDA does not start in this process; in one that was forked after its parent had used CUDA it "
                        "never does");
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

/* A function of the driver by its name, without linking to the driver. */
template <typename function> static bool find_function(const char *name, function *found)
{
    void *address = NULL;
    cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION >= 12050
    cudaError_t const code = cudaGetDriverEntryPointByVersion(name, &address, 12000, cudaEnableDefault, &result);
#else
    cudaError_t const code = cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &result);
#endif
    *found = (function)address;
    return code == cudaSuccess && address;
}

static bool find_driver(cuda_driver *driver)
{
    return find_function("cuDevicePrimaryCtxRetain", &driver->retain) &&
           find_function("cuDevicePrimaryCtxRelease", &driver->release) &&
           find_function("cuCtxPushCurrent", &driver->push) && find_function("cuCtxPopCurrent", &driver->pop);
}

static __global__ void probe_kernel() {}

/* The most blocks of a cluster, up to 16, that run with 512 threads and all of the shared memory; 1: there are no
 * clusters. */
static int most_of_cluster(int shared_bytes)
{
    for (int blocks = 16; blocks > 1; blocks /= 2) {
        cudaLaunchAttribute cluster = {};
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim.x = (unsigned)blocks, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3((unsigned)blocks), config.blockDim = dim3(512);
        config.dynamicSmemBytes = (size_t)shared_bytes, config.attrs = &cluster, config.numAttrs = 1;
        int active = 0;
        if (cudaFuncSetAttribute(probe_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes) ==
                cudaSuccess &&
            cudaFuncSetAttribute(probe_kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess &&
            cudaOccupancyMaxActiveClusters(&active, probe_kernel, &config) == cudaSuccess && active > 0)
            return blocks;
        cudaGetLastError();
    }
    return 1;
}

/* Whether the build has code for the device, which is current. */
static eig_status probe(eig_context *ctx, const cudaDeviceProp &properties)
{
    cudaFuncAttributes attributes;
    cudaError_t const code = cudaFuncGetAttributes(&attributes, probe_kernel);
    if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction) {
        cudaGetLastError();
        return eig_fail(ctx, EIG_NO_BACKEND, "this build has no code for cuda:%d (%s, sm_%d%d)",
                        cuda_state_of(ctx)->device, properties.name, properties.major, properties.minor);
    }
    CUDA_TRY(code);
    cuda_state *const state = cuda_state_of(ctx);
    state->cluster = attributes.ptxVersion >= 90 ? most_of_cluster(state->shared_bytes) : 1;
    for (cudaEvent_t *event : {&state->idle, &state->forked, &state->joined})
        CUDA_TRY(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    CUDA_TRY(cudaStreamCreateWithFlags(&state->side, cudaStreamNonBlocking));
    CUDA_TRY(cudaMalloc((void **)&state->repairs, 2 * sizeof *state->repairs));
    CUDA_TRY(cudaMemset(state->repairs, 0, 2 * sizeof *state->repairs));
    return EIG_OK;
}

int eig_cuda_devices(void)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) == cudaSuccess) return devices;
    cudaGetLastError();
    return 0;
}

static void cuda_close(eig_context *ctx);

static eig_status cuda_open(eig_context *ctx, int device)
{
    int devices = 0;
    cudaError_t const code = cudaGetDeviceCount(&devices);
    if (code != cudaSuccess || devices == 0) return no_device(ctx, code);
    if (device >= devices)
        return eig_fail(ctx, EIG_NO_BACKEND, "cuda:%d does not exist: this machine has %d GPU%s", device, devices,
                        devices == 1 ? "" : "s");
    cudaDeviceProp properties;
    CUDA_TRY(cudaGetDeviceProperties(&properties, device));
    cuda_driver driver;
    if (!find_driver(&driver)) return eig_fail(ctx, EIG_NO_BACKEND, "the NVIDIA driver lacks functions of CUDA 12");
    cuda_state *const state = (cuda_state *)calloc(1, sizeof *state);
    if (!state) return eig_fail(ctx, EIG_NO_MEMORY, "cannot allocate the CUDA context's state");
    state->device = device;
    state->multiprocessors = properties.multiProcessorCount;
    state->shared_bytes = (int)properties.sharedMemPerBlockOptin;
    state->tensor_doubles = properties.major >= 8 && properties.major <= 10 && properties.minor == 0;
    state->driver = driver;
    CUresult const retained = driver.retain(&state->primary, device);
    if (retained != CUDA_SUCCESS) {
        free(state);
        return eig_fail(ctx, retained == CUDA_ERROR_OUT_OF_MEMORY ? EIG_NO_MEMORY : EIG_NO_BACKEND,
                        "cuda:%d (%s) does not open: the driver's error %d", device, properties.name, (int)retained);
    }
    ctx->state = state;
    eig_status status;
    {
        cuda_scope const scope(ctx);
        status = probe(ctx, properties);
    }
    if (status != EIG_OK) cuda_close(ctx);
    return status;
}

static void cuda_describe(eig_context *ctx)
{
    int const device = cuda_state_of(ctx)->device;
    cudaDeviceProp properties;
    if (eig_forked(ctx) || cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
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
    if (eig_forked(ctx)) { /* what lies on the device is the parent's */
        free(state);
        ctx->state = NULL;
        return;
    }
    {
        cuda_scope const scope(ctx);
        for (cudaEvent_t event : {state->idle, state->forked, state->joined})
            if (event) cudaEventDestroy(event);
        if (state->side) cudaStreamDestroy(state->side);
        cudaFree(state->repairs);
        cudaFreeHost(state->readback.data);
        for (cuda_channel &channel : state->channels) {
            cudaFree(channel.device.data);
            cudaFreeHost(channel.pinned.data);
            if (channel.done) cudaEventDestroy(channel.done);
            if (channel.stream) cudaStreamDestroy(channel.stream);
        }
    }
    state->driver.release(state->device);
    free(state);
    ctx->state = NULL;
}

/* ----------------------------------------------------------------- streams */

static eig_status cuda_set_stream(eig_context *ctx, void *stream)
{
    cuda_state_of(ctx)->stream = (cudaStream_t)stream;
    return EIG_OK;
}

static eig_status cuda_synchronize(eig_context *ctx)
{
    cuda_scope const scope(ctx);
    CUDA_TRY(cudaStreamSynchronize(cuda_state_of(ctx)->stream));
    return EIG_OK;
}

/* Whether the workspace of a call is the context's own; a range of heev lends a part of that. */
static bool is_own(const eig_context *ctx, size_t need)
{
    const char *const own = (const char *)ctx->work, *const lent = (const char *)ctx->lent;
    return need > 0 && (!lent || (lent >= own && lent < own + ctx->work_bytes));
}

eig_status eig_cuda_workspace(eig_context *ctx, const char *family, size_t need, void **work)
{
    cuda_state *const state = cuda_state_of(ctx);
    cudaStreamCaptureStatus capture;
    CUDA_TRY(cudaStreamIsCapturing(state->stream, &capture));
    state->captured = capture != cudaStreamCaptureStatusNone;
    if (state->captured && ctx->timing)
        return eig_fail(ctx, EIG_BAD_ARGUMENT, "%s: times cannot be measured while the stream is captured", family);
    if (state->captured && !ctx->lent && need > 0)
        return eig_fail(ctx, EIG_BAD_WORKSPACE,
                        "%s: while the stream is captured a workspace must be lent (eig_set_workspace), here %zu bytes",
                        family, need);
    eig_status const status = eig_workspace(ctx, family, need, work);
    state->guarded = status == EIG_OK && !state->captured && is_own(ctx, need);
    if (!state->guarded || !state->has_worked || state->worked == state->stream) return status;
    CUDA_TRY(cudaStreamWaitEvent(state->stream, state->idle, 0));
    return EIG_OK;
}

static eig_status cuda_workspace(eig_context *ctx, const char *family, size_t need, void **work)
{
    cuda_scope const scope(ctx);
    return eig_cuda_workspace(ctx, family, need, work);
}

eig_status eig_cuda_end_call(eig_context *ctx, eig_status status)
{
    cuda_state *const state = cuda_state_of(ctx);
    if (!state->guarded) return status;
    state->worked = state->stream, state->has_worked = true;
    cudaError_t const code = cudaEventRecord(state->idle, state->stream);
    return status != EIG_OK || code == cudaSuccess ? status : eig_cuda_fail(ctx, "cudaEventRecord", code);
}

/* ------------------------------------------------------------------ memory */

/* cudaMalloc, which says how much was needed and how much there is. */
static eig_status take_memory(eig_context *ctx, void **data, size_t bytes)
{
    cudaError_t const code = cudaMalloc(data, bytes);
    if (code != cudaErrorMemoryAllocation) return code == cudaSuccess ? EIG_OK : eig_cuda_fail(ctx, "cudaMalloc", code);
    cudaGetLastError();
    size_t left = 0, all = 0;
    if (cudaMemGetInfo(&left, &all) != cudaSuccess) return eig_cuda_fail(ctx, "cudaMalloc", code);
    return eig_fail(ctx, EIG_NO_MEMORY, "needs %.3g GB more of the memory of cuda:%d, %.3g GB are free",
                    1e-9 * (double)bytes, cuda_state_of(ctx)->device, 1e-9 * (double)left);
}

static void *cuda_allocate(eig_context *ctx, size_t bytes)
{
    cuda_scope const scope(ctx);
    void *work = NULL;
    return take_memory(ctx, &work, bytes) == EIG_OK ? work : NULL;
}

/* The workspace may still be in use by work on a stream; cudaFree waits for it. */
static void cuda_release(eig_context *ctx, void *work)
{
    if (eig_forked(ctx)) return; /* the parent's */
    cuda_scope const scope(ctx);
    cudaFree(work);
}

static eig_status cuda_clear(eig_context *ctx, void *array, size_t bytes)
{
    cuda_scope const scope(ctx);
    cudaPointerAttributes attributes;
    CUDA_TRY(cudaPointerGetAttributes(&attributes, array));
    if (attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged)
        CUDA_TRY(cudaMemsetAsync(array, 0, bytes, cuda_state_of(ctx)->stream));
    else
        memset(array, 0, bytes);
    return EIG_OK;
}

static bool cuda_on_device(eig_context *ctx, const void *array)
{
    cuda_scope const scope(ctx);
    cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, array) == cudaSuccess)
        return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
    cudaGetLastError();
    return false;
}

eig_status eig_cuda_grow_device(eig_context *ctx, cuda_buffer *buffer, size_t bytes)
{
    if (buffer->bytes >= bytes) return EIG_OK;
    cudaFree(buffer->data);
    *buffer = cuda_buffer{NULL, 0};
    eig_status const status = take_memory(ctx, &buffer->data, bytes);
    if (status == EIG_OK) buffer->bytes = bytes;
    return status;
}

eig_status eig_cuda_grow_pinned(eig_context *ctx, cuda_buffer *buffer, size_t bytes)
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

eig_status eig_cuda_allow_shared(eig_context *ctx, const void *kernel)
{
    cuda_state *const state = cuda_state_of(ctx);
    for (const void *known : state->allowed)
        if (known == kernel) return EIG_OK; /* no other code sets less, and to ask takes as long as a launch */
    cudaFuncAttributes attributes;
    CUDA_TRY(cudaFuncGetAttributes(&attributes, kernel));
    int const most = cuda_state_of(ctx)->shared_bytes - (int)attributes.sharedSizeBytes;
    if (attributes.maxDynamicSharedSizeBytes < most)
        CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    state->allowed[state->allowances++ % CUDA_ALLOWED] = kernel;
    return EIG_OK;
}

/* ------------------------------------------------------------------- times */

eig_status eig_cuda_start_clock(eig_context *ctx, cuda_clock *clock, cudaStream_t stream)
{
    clock->count = 0;
    if (!ctx->timing || clock->silent) return EIG_OK;
    clock->stream = stream;
    for (cudaEvent_t &event : clock->marks)
        if (!event) CUDA_TRY(cudaEventCreate(&event));
    CUDA_TRY(cudaEventRecord(clock->marks[clock->count++], stream));
    return EIG_OK;
}

eig_status eig_cuda_mark_clock(eig_context *ctx, cuda_clock *clock)
{
    if (clock->count == 0 || clock->count == cuda_clock::MOST_MARKS) return EIG_OK;
    CUDA_TRY(cudaEventRecord(clock->marks[clock->count++], clock->stream));
    return EIG_OK;
}

eig_status eig_cuda_read_clock(eig_context *ctx, cuda_clock *clock)
{
    int const count = clock->count;
    if (count == 0) return EIG_OK;
    CUDA_TRY(cudaEventSynchronize(clock->marks[count - 1]));
    for (int pass = 0; pass + 1 < count; ++pass) {
        float ms = 0;
        CUDA_TRY(cudaEventElapsedTime(&ms, clock->marks[pass], clock->marks[pass + 1]));
        ctx->pass[pass].ms += ms;
    }
    clock->count = 0;
    return EIG_OK;
}

/* In the order of the structure, which C++17 has no names for. */
extern "C" const backend eig_backend_cuda = {
    "cuda",
    true,
    cuda_open,
    cuda_close,
    cuda_describe,
    cuda_allocate,
    cuda_release,
    cuda_workspace,
    cuda_set_stream,
    cuda_synchronize,
    cuda_clear,
    cuda_on_device,
    eig_cuda_stebz_work_size,
    eig_cuda_stebz,
    eig_cuda_stebz_count_work_size,
    eig_cuda_stebz_count,
    eig_cuda_stemr_work_size,
    eig_cuda_stemr,
    eig_cuda_stemr_batch,
    eig_cuda_heev_work_size,
    eig_cuda_heev,
    eig_cuda_heev_ranges,
    eig_cuda_heev_select,
    eig_cuda_geev_work_size,
    eig_cuda_geev,
    eig_cuda_read_repairs,
};
