/* The CUDA runtime on a CPU: one device, a few multiprocessors of sm_90.
 *
 * Memory   of the device is the host's, from malloc: AddressSanitizer sees an access beyond an allocation.  Fresh memory is all ones.
 * Streams  run at once what they are given; a stream that is captured notes it in a graph instead.
 * Checks   the limits of a launch, the sides of a copy, shared memory that nobody allowed, a wait for a captured stream. */
#include <time.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <unordered_map>

#include "cuda.h"
#include "cuda_runtime.h"

enum {
    SHARED_OPTIN = 227 << 10,
    SHARED_PLAIN = 48 << 10,
    SHARED_OF_MULTIPROCESSOR = 228 << 10,
    SHARED_OF_SYSTEM = 1 << 10
};
enum { MOST_THREADS = 1024, THREADS_OF_MULTIPROCESSOR = 2048, MOST_EACH = 2, MOST_CLUSTER = 16 };
static const size_t ALL_MEMORY = (size_t)16 << 30, MOST_POISON = (size_t)64 << 20;

struct CUgraph_st {
    std::vector<std::function<void()>> steps;
    std::vector<cudaStream_t> streams; /* that are captured into it */
};
struct CUgraphExec_st {
    std::vector<std::function<void()>> steps;
};
struct CUstream_st {
    cudaGraph_t graph; /* NULL: it is not captured */
};
struct CUevent_st {
    bool timed;
    timespec at;
    cudaGraph_t graph; /* in whose capture it was recorded last */
};
struct allocation {
    size_t bytes;
    cudaMemoryType type;
};

static std::recursive_mutex lock;
static std::map<uintptr_t, allocation> allocations;
static size_t allocated;
static std::unordered_map<const void *, int> allowed; /* dynamic shared memory of kernels */
static __thread cudaError_t last_error;
static pid_t const owner = getpid();

#define GUARDED std::lock_guard<std::recursive_mutex> const guard_(lock)

static cudaError_t note(cudaError_t code)
{
    if (code != cudaSuccess) last_error = code;
    return code;
}

/* --------------------------------------------------------------- device, errors */

const char *cudaGetErrorName(cudaError_t code)
{
    switch (code) {
    case cudaSuccess:
        return "cudaSuccess";
    case cudaErrorInvalidValue:
        return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
        return "cudaErrorMemoryAllocation";
    case cudaErrorInitializationError:
        return "cudaErrorInitializationError";
    case cudaErrorInvalidDevice:
        return "cudaErrorInvalidDevice";
    case cudaErrorCooperativeLaunchTooLarge:
        return "cudaErrorCooperativeLaunchTooLarge";
    case cudaErrorStreamCaptureUnsupported:
        return "cudaErrorStreamCaptureUnsupported";
    default:
        return "another error of CUDA";
    }
}

const char *cudaGetErrorString(cudaError_t code)
{
    return cudaGetErrorName(code);
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t const code = last_error;
    last_error = cudaSuccess;
    return code;
}

static int multiprocessors()
{
    const char *const text = getenv("EIG_EMULATE_SMS");
    int const asked = text ? atoi(text) : 0;
    return asked > 0 ? asked : 4;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return note(getpid() == owner ? cudaSuccess : cudaErrorInitializationError);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    if (device != 0) return note(cudaErrorInvalidDevice);
    *properties = {"emulated on a CPU", 9, 0, multiprocessors(), SHARED_OPTIN};
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

static CUresult retain(CUcontext *context, CUdevice)
{
    static char primary;
    *context = (CUcontext)&primary;
    return CUDA_SUCCESS;
}

static CUresult ignore_device(CUdevice)
{
    return CUDA_SUCCESS;
}

static CUresult ignore_context(CUcontext)
{
    return CUDA_SUCCESS;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult *result)
{
    *function = !strcmp(name, "cuDevicePrimaryCtxRelease") ? (void *)ignore_device
                : !strcmp(name, "cuCtxPushCurrent")        ? (void *)ignore_context
                                                           : (void *)retain; /* or cuCtxPopCurrent */
    *result = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

/* ----------------------------------------------------------------------- memory */

static cudaError_t allocate(void **data, size_t bytes, cudaMemoryType type)
{
    GUARDED;
    *data = NULL;
    if (bytes == 0) return cudaSuccess;
    if (bytes > ALL_MEMORY - allocated) return note(cudaErrorMemoryAllocation);
    *data = aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (!*data) return note(cudaErrorMemoryAllocation);
    memset(*data, 0xff, bytes < MOST_POISON ? bytes : MOST_POISON);
    allocations[(uintptr_t)*data] = {bytes, type};
    allocated += bytes;
    return cudaSuccess;
}

static cudaError_t release(void *data, cudaMemoryType type)
{
    GUARDED;
    if (!data) return cudaSuccess;
    auto const found = allocations.find((uintptr_t)data);
    if (found == allocations.end() || found->second.type != type) return note(cudaErrorInvalidValue);
    allocated -= found->second.bytes;
    allocations.erase(found);
    free(data);
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **data, size_t bytes)
{
    return allocate(data, bytes, cudaMemoryTypeDevice);
}

cudaError_t cudaFree(void *data)
{
    return release(data, cudaMemoryTypeDevice);
}

cudaError_t cudaMallocHost(void **data, size_t bytes)
{
    return allocate(data, bytes, cudaMemoryTypeHost);
}

cudaError_t cudaFreeHost(void *data)
{
    return release(data, cudaMemoryTypeHost);
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *all)
{
    GUARDED;
    *all = ALL_MEMORY, *left = ALL_MEMORY - allocated;
    return cudaSuccess;
}

static cudaMemoryType type_of(const void *data)
{
    GUARDED;
    auto next = allocations.upper_bound((uintptr_t)data);
    if (next == allocations.begin()) return cudaMemoryTypeUnregistered;
    --next;
    return (uintptr_t)data - next->first < next->second.bytes ? next->second.type : cudaMemoryTypeUnregistered;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *data)
{
    *attributes = {type_of(data), 0};
    return cudaSuccess;
}

/* ------------------------------------------------------- streams, events, graphs */

/* Runs it, or notes it in the graph of the stream's capture. */
static cudaError_t submit(cudaStream_t stream, std::function<void()> step)
{
    if (stream && stream->graph)
        stream->graph->steps.push_back(std::move(step));
    else
        step();
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t pitch_to, const void *from, size_t pitch_from, size_t width, size_t rows,
                              cudaMemcpyKind kind, cudaStream_t stream)
{
    bool const to_device = type_of(to) == cudaMemoryTypeDevice, from_device = type_of(from) == cudaMemoryTypeDevice;
    bool const needs_to = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool const needs_from = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (width == 0 || rows == 0) return cudaSuccess;
    if (kind != cudaMemcpyDefault && (to_device != needs_to || from_device != needs_from))
        return note(cudaErrorInvalidValue);
    if (rows > 1 && (pitch_to < width || pitch_from < width)) return note(cudaErrorInvalidValue);
    return submit(stream, [=] {
        for (size_t k = 0; k < rows; ++k) memcpy((char *)to + k * pitch_to, (const char *)from + k * pitch_from, width);
    });
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}

cudaError_t cudaMemcpy2D(void *to, size_t pitch_to, const void *from, size_t pitch_from, size_t width, size_t rows,
                         cudaMemcpyKind kind)
{
    return cudaMemcpy2DAsync(to, pitch_to, from, pitch_from, width, rows, kind, NULL);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, bytes, kind, NULL);
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t rows, cudaStream_t stream)
{
    if (width == 0 || rows == 0) return cudaSuccess;
    if (type_of(to) == cudaMemoryTypeUnregistered) return note(cudaErrorInvalidValue);
    return submit(stream, [=] {
        for (size_t k = 0; k < rows; ++k) memset((char *)to + k * pitch, value, width);
    });
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    return cudaMemset2DAsync(to, bytes, value, bytes, 1, stream);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    return cudaMemsetAsync(to, value, bytes, NULL);
}

cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    *stream = new CUstream_st{NULL};
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    delete stream;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return note(stream && stream->graph ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    if (!stream || !event->graph || stream->graph == event->graph) return cudaSuccess;
    stream->graph = event->graph; /* the capture goes on here */
    stream->graph->streams.push_back(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status)
{
    *status = stream && stream->graph ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
    if (!stream || stream->graph) return note(cudaErrorStreamCaptureUnsupported);
    stream->graph = new CUgraph_st{{}, {stream}};
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    if (!stream || !stream->graph) return note(cudaErrorInvalidValue);
    *graph = stream->graph;
    for (cudaStream_t captured : (*graph)->streams) captured->graph = NULL;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *replay, cudaGraph_t graph, unsigned long long)
{
    *replay = new CUgraphExec_st{graph->steps};
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t replay, cudaStream_t stream)
{
    for (const std::function<void()> &step : replay->steps) submit(stream, step);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    delete graph;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t replay)
{
    delete replay;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    *event = new CUevent_st{!(flags & cudaEventDisableTiming), {}, NULL};
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    event->graph = stream ? stream->graph : NULL;
    clock_gettime(CLOCK_MONOTONIC, &event->at);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t upto)
{
    if (!from->timed || !upto->timed) return note(cudaErrorInvalidValue);
    *ms = (float)(1e3 * (double)(upto->at.tv_sec - from->at.tv_sec) +
                  1e-6 * (double)(upto->at.tv_nsec - from->at.tv_nsec));
    return cudaSuccess;
}

/* --------------------------------------------------------------------- launches */

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel)
{
    GUARDED;
    auto const found = allowed.find(kernel);
    *attributes = {0, found == allowed.end() ? SHARED_PLAIN : found->second, 90};
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    GUARDED;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 || value > SHARED_OPTIN) return note(cudaErrorInvalidValue);
    allowed[kernel] = value;
    return cudaSuccess;
}

cudaError_t emulate_occupancy(int *blocks, int threads, size_t shared_bytes)
{
    size_t const by_shared = SHARED_OF_MULTIPROCESSOR / (shared_bytes + SHARED_OF_SYSTEM);
    int const by_threads = threads > MOST_THREADS ? 0 : THREADS_OF_MULTIPROCESSOR / threads;
    *blocks = std::min({by_threads, (int)std::min<size_t>(by_shared, MOST_EACH), (int)MOST_EACH});
    return cudaSuccess;
}

cudaError_t emulate_clusters(int *active, const cudaLaunchConfig_t *config)
{
    *active = (int)config->gridDim.x <= multiprocessors();
    return cudaSuccess;
}

cudaError_t emulate_enqueue(const cudaLaunchConfig_t *config, const void *kernel, std::function<void()> thread)
{
    emulate_launch launch = {config->gridDim.x, config->blockDim.x, 1, config->dynamicSmemBytes, false};
    cudaFuncAttributes attributes;
    int each = 0;
    for (unsigned k = 0; k < config->numAttrs; ++k) {
        const cudaLaunchAttribute &a = config->attrs[k];
        if (a.id == cudaLaunchAttributeClusterDimension) launch.cluster = a.val.clusterDim.x;
        if (a.id == cudaLaunchAttributeCooperative) launch.cooperative = a.val.cooperative;
    }
    cudaFuncGetAttributes(&attributes, kernel);
    if (launch.blocks == 0 || launch.blocks > 0x7fffffffu || launch.threads == 0 || launch.threads > MOST_THREADS ||
        launch.shared_bytes > (size_t)attributes.maxDynamicSharedSizeBytes || launch.cluster == 0 ||
        launch.cluster > MOST_CLUSTER || launch.blocks % launch.cluster != 0)
        return note(cudaErrorInvalidValue);
    emulate_occupancy(&each, (int)launch.threads, launch.shared_bytes);
    if (launch.cooperative && launch.blocks > (unsigned)(each * multiprocessors()))
        return note(cudaErrorCooperativeLaunchTooLarge);
    return submit(config->stream, [=] { emulate_run(launch, thread); });
}
