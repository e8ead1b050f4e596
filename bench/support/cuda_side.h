/* The device's side of a case (cases.h): its arrays in the GPU's memory, a lent workspace, times from CUDA events.  For
 * the GPU's benchmarks and tests; a CUDA call that fails ends the program. */
#ifndef EIG_BENCH_CUDA_SIDE_H
#define EIG_BENCH_CUDA_SIDE_H

#include "cases.h"
#include "rows.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICE_GUARD = 256 }; /* bytes of 0xff behind every array on the device */

static inline void device_must(cudaError_t status, const char *call)
{
    if (status == cudaSuccess) return;
    fprintf(stderr, "%s failed: %s\n", call, cudaGetErrorString(status));
    exit(1);
}
#define CUDA(call) device_must((call), #call)

static inline void *device_memory(size_t bytes)
{
    void *p = NULL;
    CUDA(cudaMalloc(&p, bytes + DEVICE_GUARD));
    CUDA(cudaMemset(p, 0xff, bytes + DEVICE_GUARD));
    return p;
}

/* Whether the bytes behind an array are as they were. */
static inline bool device_guard_holds(const void *array, size_t bytes)
{
    unsigned char guard[DEVICE_GUARD];
    CUDA(cudaMemcpy(guard, (const char *)array + bytes, sizeof guard, cudaMemcpyDeviceToHost));
    for (int i = 0; i < DEVICE_GUARD; ++i)
        if (guard[i] != 0xff) return false;
    return true;
}

typedef struct device_case {
    case_run run; /* of the case whose copies these are */
    case_arrays at;
    void *work;
    size_t work_bytes;
    cudaStream_t stream;
    cudaEvent_t begin, end;
} device_case;

static inline size_t numbers_bytes(const numbers *x)
{
    return (size_t)x->count * type_size(x->type);
}

/* Copies the input, and makes room for the output; the calls go to the stream, which becomes the context's. */
static inline device_case device_new(eig_context *gpu, bench_case *c, cudaStream_t stream)
{
    device_case d = {.run = case_run_new(gpu, c), .stream = stream};
    if (eig_set_stream(gpu, stream) != EIG_OK) exit(1);
    for (int i = 0; i < 2; ++i) {
        void *const in = device_memory(numbers_bytes(&c->in[i]));
        if (c->in[i].data) CUDA(cudaMemcpy(in, c->in[i].data, numbers_bytes(&c->in[i]), cudaMemcpyHostToDevice));
        d.at.in[i] = in;
    }
    d.at.w = device_memory(numbers_bytes(&c->w));
    if (c->v.data) d.at.v = device_memory(numbers_bytes(&c->v));
    d.at.info = device_memory((size_t)c->batch * sizeof(int));
    CUDA(cudaEventCreate(&d.begin));
    CUDA(cudaEventCreate(&d.end));
    return d;
}

/* Lends the context a workspace of exactly the size that the case needs with its present options. */
static inline eig_status device_lend(device_case *d)
{
    size_t need = 0;
    eig_status const status = d->run.c->family->work_size(d->run.ctx, d->run.c, &need);
    if (status != EIG_OK) return status;
    if (need > d->work_bytes || !d->work) {
        CUDA(cudaFree(d->work));
        d->work = device_memory(need);
        d->work_bytes = need;
    }
    return eig_set_workspace(d->run.ctx, d->work, need);
}

static inline void device_free(device_case *d)
{
    CUDA(cudaDeviceSynchronize());
    eig_set_workspace(d->run.ctx, NULL, 0);
    eig_set_stream(d->run.ctx, NULL);
    case_run_free(&d->run);
    for (int i = 0; i < 2; ++i) CUDA(cudaFree((void *)(uintptr_t)d->at.in[i]));
    CUDA(cudaFree(d->at.w));
    CUDA(cudaFree(d->at.v));
    CUDA(cudaFree(d->at.info));
    CUDA(cudaFree(d->work));
    CUDA(cudaEventDestroy(d->begin));
    CUDA(cudaEventDestroy(d->end));
}

/* NaN in every w and v, and no info that a call would write. */
static inline void device_poison(const device_case *d)
{
    CUDA(cudaMemsetAsync(d->at.w, 0xff, numbers_bytes(&d->run.c->w), d->stream));
    if (d->at.v) CUDA(cudaMemsetAsync(d->at.v, 0xff, numbers_bytes(&d->run.c->v), d->stream));
    CUDA(cudaMemsetAsync(d->at.info, 0xff, (size_t)d->run.c->batch * sizeof(int), d->stream));
}

static inline eig_status device_enqueue(device_case *d)
{
    return d->run.c->family->call(d->run.ctx, d->run.c, &d->at);
}

/* Waits, and brings the results to the case's own arrays. */
static inline void device_fetch(const device_case *d)
{
    const bench_case *const c = d->run.c;
    CUDA(cudaStreamSynchronize(d->stream));
    CUDA(cudaMemcpy(c->w.data, d->at.w, numbers_bytes(&c->w), cudaMemcpyDeviceToHost));
    if (d->at.v) CUDA(cudaMemcpy(c->v.data, d->at.v, numbers_bytes(&c->v), cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(c->info, d->at.info, (size_t)c->batch * sizeof(int), cudaMemcpyDeviceToHost));
}

/* A contestant (times.h): from before the call's first kernel to after its last; the results stay on the device. */
static inline int device_time(void *user, double *ms)
{
    device_case *const d = user;
    float elapsed = 0;
    device_poison(d);
    CUDA(cudaEventRecord(d->begin, d->stream));
    eig_status const status = device_enqueue(d);
    if (status != EIG_OK) return status;
    CUDA(cudaEventRecord(d->end, d->stream));
    CUDA(cudaEventSynchronize(d->end));
    CUDA(cudaEventElapsedTime(&elapsed, d->begin, d->end));
    *ms = elapsed;
    return EIG_OK;
}

/* Likewise, and brings the results home, where they are noted for the checks. */
static inline int device_run(void *user, double *ms)
{
    device_case *const d = user;
    int const status = device_time(user, ms);
    if (status != EIG_OK) return status;
    device_fetch(d);
    case_run_note(&d->run);
    return EIG_OK;
}

/* Ends the stream's capture; the caller launches and destroys the graph. */
static inline cudaGraphExec_t device_captured(cudaStream_t stream)
{
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&replay, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    return replay;
}

/* Ends the stream's capture and runs the graph three times. */
static inline void device_replay(cudaStream_t stream)
{
    cudaGraphExec_t const replay = device_captured(stream);
    for (int launch = 0; launch < 3; ++launch) CUDA(cudaGraphLaunch(replay, stream));
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaGraphExecDestroy(replay));
}

/* The call captured in a graph, which the caller launches and destroys. */
static inline cudaGraphExec_t device_graph(device_case *d, eig_status *status)
{
    CUDA(cudaStreamBeginCapture(d->stream, cudaStreamCaptureModeThreadLocal));
    *status = device_enqueue(d);
    return device_captured(d->stream);
}

#endif
