/* What every CUDA file shares: the context's state, errors, on which side an array lies, staging of host arrays. */
#ifndef EIG_CUDA_COMMON_CUH
#define EIG_CUDA_COMMON_CUH

#include "arena.h"
#include "problem.h"

#include <cuda_runtime.h>

/* Slots of the staging pipeline of batches: one fills, one computes, one drains. */
enum { CUDA_SLOTS = 3 };

/* Memory that grows on demand and is kept: pinned host memory or device memory. */
struct cuda_buffer {
    void *data;
    size_t bytes;
};

struct cuda_slot {
    cudaStream_t stream;
    cudaEvent_t done;
    cuda_buffer host, device;
};

/* eig_context.state of a CUDA context. */
struct cuda_state {
    int device;
    int multiprocessors;
    int shared_bytes;    /* most shared memory of a thread block */
    cudaStream_t stream; /* of the calls; the caller's, or the default stream */
    cuda_buffer staging; /* device copies of one call's host arrays */
    cuda_slot slots[CUDA_SLOTS];
};

static inline cuda_state *cuda_state_of(const eig_context *ctx)
{
    return (cuda_state *)ctx->state;
}

/* Reports a failed CUDA call in one sentence that names it; out of memory becomes EIG_NO_MEMORY. */
eig_status cuda_fail(eig_context *ctx, const char *call, cudaError_t code);

#define CUDA_TRY(call)                                                 \
    do {                                                               \
        cudaError_t const code_ = (call);                              \
        if (code_ != cudaSuccess) return cuda_fail(ctx, #call, code_); \
    } while (0)

/* After a launch: reports a refused one under the kernel's name. */
#define CUDA_LAUNCHED(kernel)                                           \
    do {                                                                \
        cudaError_t const code_ = cudaGetLastError();                   \
        if (code_ != cudaSuccess) return cuda_fail(ctx, kernel, code_); \
    } while (0)

/* Makes the context's device current for a scope. */
struct cuda_scope {
    int previous;
    explicit cuda_scope(const eig_context *ctx)
    {
        if (cudaGetDevice(&previous) != cudaSuccess) previous = -1;
        cudaSetDevice(cuda_state_of(ctx)->device);
    }
    ~cuda_scope()
    {
        if (previous >= 0) cudaSetDevice(previous);
    }
    cuda_scope(const cuda_scope &) = delete;
    cuda_scope &operator=(const cuda_scope &) = delete;
};

/* An array of a call, for cuda_find_side; pointers that are NULL are skipped. */
struct cuda_argument {
    const char *name;
    const void *pointer;
};

/* On which side the arrays of a call lie; refuses a mix, and memory of another device. */
eig_status cuda_find_side(eig_context *ctx, const char *family, const cuda_argument *arguments, int count,
                          bool *on_device);

/* At least bytes of device or pinned memory in the buffer; the old content is lost when it grows. */
eig_status cuda_grow_device(eig_context *ctx, cuda_buffer *buffer, size_t bytes);
eig_status cuda_grow_pinned(eig_context *ctx, cuda_buffer *buffer, size_t bytes);

/* Streams and events of the staging slots, made on first use. */
eig_status cuda_open_slots(eig_context *ctx);

/* Times of the passes of a call on device arrays: events between them, where the caller wants the times. */
struct cuda_clock {
    enum { MOST_MARKS = 5 };
    cudaEvent_t marks[MOST_MARKS] = {};
    int count = 0; /* 0: off */
    cudaStream_t stream;
    cuda_clock() = default;
    ~cuda_clock();
    cuda_clock(const cuda_clock &) = delete;
    cuda_clock &operator=(const cuda_clock &) = delete;
    eig_status start(eig_context *ctx, int passes, cudaStream_t on); /* makes the marks, and sets the first */
    eig_status mark(eig_context *ctx, int pass);                     /* pass is over, 1, 2, ... */
    eig_status read(eig_context *ctx, double *pass_ms);              /* waits; adds the times */
};

/* The families' drivers. */
size_t stebz_cuda_work_size(const eig_context *ctx, const stebz_problem *p);
eig_status stebz_cuda(eig_context *ctx, const stebz_problem *p);
eig_status stebz_count_cuda(eig_context *ctx, const stebz_count_problem *p);
size_t geev_cuda_work_size(const eig_context *ctx, const geev_problem *p);
eig_status geev_cuda(eig_context *ctx, const geev_problem *p);

#endif
