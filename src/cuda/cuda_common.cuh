/* What every CUDA file shares: the context's state, errors, launches, memory that grows, times of passes.
 *
 *   plan.cuh               the tables of a family: roads, launchers
 *   driver.cuh             a call from its arrays' side to its times
 *   host_arrays.cuh        on which side the arrays of a call lie; host arrays travel in chunks
 *   primitives/team.cuh    the threads that compute one problem together, and their reductions */
#ifndef EIG_CUDA_COMMON_CUH
#define EIG_CUDA_COMMON_CUH

#include "arena.h"
#include "problem.h"

#include <cuda.h>
#include <cuda_runtime.h>

/* Channels through which host arrays travel: one fills, one computes, one drains. */
enum { CUDA_CHANNELS = 3, CUDA_ALLOWED = 16 };

/* Memory that grows on demand and is kept: pinned host memory or device memory. */
struct cuda_buffer {
    void *data;
    size_t bytes;
};

struct cuda_channel {
    cudaStream_t stream;
    cudaEvent_t done;
    cuda_buffer pinned, device;
};

/* The driver's functions that the runtime has no equivalent of: they make a device current for a while without
 * touching another device, or what the caller had made current. */
struct cuda_driver {
    CUresult (*retain)(CUcontext *, CUdevice);
    CUresult (*release)(CUdevice);
    CUresult (*push)(CUcontext);
    CUresult (*pop)(CUcontext *);
};

/* eig_context.state of a CUDA context. */
struct cuda_state {
    int device;
    int multiprocessors;
    int shared_bytes;    /* most shared memory of a thread block */
    bool tensor_doubles; /* FP64 tensor cores that are faster than its other units */
    int cluster;         /* most blocks of a cluster, at most 16; 1: there are no clusters */
    cuda_driver driver;
    CUcontext primary;   /* the device's primary context, which the runtime uses too */
    cudaStream_t stream; /* of the calls; the caller's, or the default stream */
    cudaStream_t worked; /* on which the workspace was used last; has_worked: there was such a use */
    bool has_worked;
    cudaEvent_t idle;  /* when that use ends */
    bool captured;     /* the call under way is captured into a graph */
    bool guarded;      /* it uses the context's own workspace, and is not captured */
    cudaStream_t side; /* for work beside that on the call's stream, and the events that bind the two */
    cudaEvent_t forked, joined;
    cuda_channel channels[CUDA_CHANNELS];
    unsigned long long
        *repairs; /* [2] on the device: matrices solved again, vectors found again, of the last call that certified */
    cuda_buffer readback;              /* pinned: what eig_cuda_read brings while copies are on their way */
    const void *allowed[CUDA_ALLOWED]; /* kernels that may have all shared memory; the oldest makes room */
    unsigned allowances;
};

static inline cuda_state *cuda_state_of(const eig_context *ctx)
{
    return (cuda_state *)ctx->state;
}

extern "C" {

/* Reports a failed CUDA call in one sentence that names it; out of memory becomes EIG_NO_MEMORY. */
eig_status eig_cuda_fail(eig_context *ctx, const char *call, cudaError_t code);

/* The workspace of a call on device arrays, as eig_workspace.  It is safe to use on the context's stream from then on:
 * the stream waits for what uses it on another one.  Refused while the stream is captured, unless it is lent. */
eig_status eig_cuda_workspace(eig_context *ctx, const char *family, size_t need, void **work);

/* Ends such a call, which returns status: notes until when the workspace is in use. */
eig_status eig_cuda_end_call(eig_context *ctx, eig_status status);

/* At least bytes of device or pinned memory in the buffer; the old content is lost when it grows. */
eig_status eig_cuda_grow_device(eig_context *ctx, cuda_buffer *buffer, size_t bytes);
eig_status eig_cuda_grow_pinned(eig_context *ctx, cuda_buffer *buffer, size_t bytes);

/* Lets the kernel have as much dynamic shared memory as the device gives a block: always that same amount, so that
 * contexts on one device do not take it from each other. */
eig_status eig_cuda_allow_shared(eig_context *ctx, const void *kernel);

/* The families' drivers. */
size_t eig_cuda_stebz_work_size(const eig_context *ctx, const stebz_problem *p);
eig_status eig_cuda_stebz(eig_context *ctx, const stebz_problem *p);
size_t eig_cuda_stebz_count_work_size(const eig_context *ctx, const stebz_count_problem *p);
eig_status eig_cuda_stebz_count(eig_context *ctx, const stebz_count_problem *p);
size_t eig_cuda_stemr_work_size(const eig_context *ctx, const stemr_problem *p);
eig_status eig_cuda_stemr(eig_context *ctx, const stemr_problem *p);
eig_status eig_cuda_stemr_batch(eig_context *ctx, const stemr_batch *all, eig_stemr_stats *sum);

/* What another family calls on device arrays, with a workspace of the size that is told: enqueues, marks no clock.
 * stebz waits for nothing; stemr waits for the stream, which must not be captured. */
eig_status eig_cuda_stebz_enqueue(eig_context *ctx, const stebz_problem *p, void *work, cudaStream_t stream);
eig_status eig_cuda_stemr_enqueue(eig_context *ctx, const stemr_problem *p, void *work, cudaStream_t stream);
size_t eig_cuda_heev_work_size(const eig_context *ctx, const heev_problem *p);
eig_status eig_cuda_heev(eig_context *ctx, const heev_problem *p);
eig_status eig_cuda_read_repairs(eig_context *ctx);
bool eig_cuda_heev_ranges(const eig_context *ctx, const heev_problem *p);
eig_status eig_cuda_heev_select(eig_context *ctx, const heev_selection *s);
size_t eig_cuda_geev_work_size(const eig_context *ctx, const geev_problem *p);
eig_status eig_cuda_geev(eig_context *ctx, const geev_problem *p);
}

#define CUDA_TRY(call)                                                     \
    do {                                                                   \
        cudaError_t const code_ = (call);                                  \
        if (code_ != cudaSuccess) return eig_cuda_fail(ctx, #call, code_); \
    } while (0)

/* Makes the context's device current for a scope; what the caller had made current comes back after it. */
struct cuda_scope {
    const cuda_state *state;
    bool pushed; /* false where the driver refuses: the CUDA calls that follow then say why */
    explicit cuda_scope(const eig_context *ctx)
        : state(cuda_state_of(ctx)), pushed(state->driver.push(state->primary) == CUDA_SUCCESS)
    {
    }
    ~cuda_scope()
    {
        CUcontext popped;
        if (pushed) state->driver.pop(&popped);
    }
    cuda_scope(const cuda_scope &) = delete;
    cuda_scope &operator=(const cuda_scope &) = delete;
};

/* -------------------------------------------------------------------- launches */

struct cuda_shape {
    int64_t blocks;
    int threads;
    size_t shared_bytes = 0;  /* dynamic */
    int cluster = 1;          /* blocks of a cluster */
    bool dependent = false;   /* may begin before the kernel ahead of it has ended: the kernel waits itself */
    bool cooperative = false; /* all blocks run at once, or the launch fails: they wait for each other */
};

/* Launches kernel(arguments...) and reports the status of this launch alone: an error that the caller left behind is
 * not taken for ours. */
template <typename... parameters, typename... arguments>
static eig_status cuda_launch(eig_context *ctx, const char *name, cudaStream_t stream, cuda_shape shape,
                              void (*kernel)(parameters...), arguments... values)
{
    enum { SHARED_WITHOUT_ASKING = 48 << 10 };
    if (shape.shared_bytes > SHARED_WITHOUT_ASKING / 2) { /* the kernel's static shared memory counts too */
        eig_status const status = eig_cuda_allow_shared(ctx, (const void *)kernel);
        if (status != EIG_OK) return status;
    }
    cudaLaunchAttribute attributes[3];
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)shape.blocks);
    config.blockDim = dim3((unsigned)shape.threads);
    config.dynamicSmemBytes = shape.shared_bytes;
    config.stream = stream;
    config.attrs = attributes;
    if (shape.cluster > 1) {
        cudaLaunchAttribute *const a = &attributes[config.numAttrs++];
        a->id = cudaLaunchAttributeClusterDimension;
        a->val.clusterDim.x = (unsigned)shape.cluster, a->val.clusterDim.y = a->val.clusterDim.z = 1;
    }
    if (shape.dependent) {
        cudaLaunchAttribute *const a = &attributes[config.numAttrs++];
        a->id = cudaLaunchAttributeProgrammaticStreamSerialization;
        a->val.programmaticStreamSerializationAllowed = 1;
    }
    if (shape.cooperative) {
        cudaLaunchAttribute *const a = &attributes[config.numAttrs++];
        a->id = cudaLaunchAttributeCooperative;
        a->val.cooperative = 1;
    }
    cudaError_t const code = cudaLaunchKernelEx(&config, kernel, (parameters)values...);
    return code == cudaSuccess ? EIG_OK : eig_cuda_fail(ctx, name, code);
}

/* ----------------------------------------------------------------------- times */

/* Times of the passes of a call: events between them, where the caller wants the times. */
struct cuda_clock {
    enum { MOST_MARKS = 6 };
    cudaEvent_t marks[MOST_MARKS] = {};
    int count = 0;       /* marks set since the start; 0: off */
    bool silent = false; /* of a call within a call: it is never on */
    cudaStream_t stream = NULL;
    cuda_clock() = default;
    ~cuda_clock()
    {
        for (cudaEvent_t event : marks)
            if (event) cudaEventDestroy(event);
    }
    cuda_clock(const cuda_clock &) = delete;
    cuda_clock &operator=(const cuda_clock &) = delete;
};

extern "C" {

/* Where times are measured: sets the first mark on the stream. */
eig_status eig_cuda_start_clock(eig_context *ctx, cuda_clock *clock, cudaStream_t stream);

/* Another pass is over. */
eig_status eig_cuda_mark_clock(eig_context *ctx, cuda_clock *clock);

/* Waits for the last mark, adds the times to the context's passes, and turns the clock off. */
eig_status eig_cuda_read_clock(eig_context *ctx, cuda_clock *clock);
}

/* What follows on `later` waits for what is on `sooner` now. */
static inline eig_status cuda_order_streams(eig_context *ctx, cudaStream_t sooner, cudaStream_t later,
                                            cudaEvent_t event)
{
    CUDA_TRY(cudaEventRecord(event, sooner));
    CUDA_TRY(cudaStreamWaitEvent(later, event, 0));
    return EIG_OK;
}

#endif
