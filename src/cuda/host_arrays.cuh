/* Arrays of a call: on which side they lie, and, where that is the host, their way through the device.
 *
 * A family lists its arrays once (cuda_call) and gives two functions: the workspace of a chunk of its problems, and the
 * solver of a chunk on device arrays.  Everything else stands here and in driver.cu: the check of the sides, chunks,
 * pinned or staged copies, streams, progress, times.
 *
 * A chunk of the batch goes through one of three channels, each with a stream, device memory and pinned staging: while
 * one chunk computes, the next is copied in and the last one out.  On the device arrays lie dense.  An array that is
 * pinned and lies in long rows is copied directly; of the others all inputs of a chunk pass through one pinned buffer
 * and one copy, and all outputs likewise, filled and emptied by several threads.  A batch may be larger than the
 * device's memory. */
#ifndef EIG_HOST_ARRAYS_CUH
#define EIG_HOST_ARRAYS_CUH

#include "copy_nest.h"
#include "plan.cuh"

/* Which level of an array's nest counts the problems of the batch; an input that all problems share has none. */
enum cuda_batch_level { CUDA_BATCH_OUTER = 0, CUDA_BATCH_MIDDLE = 1, CUDA_BATCH_INNER = 2, CUDA_SHARED = -1 };

struct cuda_array {
    const char *name;
    void *pointer; /* NULL: the call has no such array */
    bool output;
    int batch_level;
    copy_nest nest; /* of the whole batch */
    bool keeps;     /* an output of which the solver writes a part: the rest stays as the caller has it */
    bool pinned;    /* found by eig_cuda_find_side */
};

enum { CUDA_MOST_ARRAYS = 9 };

struct cuda_call;

/* Some problems of a call, ready on the device. */
struct cuda_chunk {
    int64_t first, count;
    void *array[CUDA_MOST_ARRAYS]; /* dense device arrays, in the call's order; NULL where the call has none */
    void *work;
    cudaStream_t stream;
    cuda_clock *clock;
    bool whole;     /* the only chunk of host arrays: the solver may wait and report progress itself */
    bool on_device; /* all problems, whose arrays are the caller's: `array` is empty */
};

struct cuda_call {
    const char *family;
    const void *problem; /* the family's */
    int64_t batch;
    int64_t chunk; /* problems that travel together; 0 = chosen */
    size_t (*work_size)(const eig_context *ctx, const void *problem, int64_t count);
    eig_status (*solve)(eig_context *ctx, const void *problem, const cuda_chunk *chunk); /* enqueues; need not wait */
    const char *(*told)(const eig_context *ctx, const void *problem); /* by eig_get_road; cuda_state.captured is set */
    cuda_passes passes;
    bool waits = false;           /* it cannot be captured */
    bool counts = false;          /* eig_get_repairs has something to tell */
    call_repairs *repairs = NULL; /* NULL, or of host arrays that is added here, too */
    const int64_t *cut = NULL;    /* where the chunks begin, and at last the batch; NULL: chunks of equal length */
    int arrays = 0;
    cuda_array array[CUDA_MOST_ARRAYS] = {};
};

/* Adds an array of one row of `length` elements a problem, `stride` elements apart. */
static inline void cuda_add_rows(cuda_call *call, const char *name, const void *pointer, bool output, int64_t length,
                                 int64_t stride, size_t size)
{
    copy_nest const nest = {{call->batch, 1, 1}, {stride * (int64_t)size, 0, 0}, (size_t)length * size};
    call->array[call->arrays++] = cuda_array{name, (void *)pointer, output, CUDA_BATCH_OUTER, nest, false, false};
}

/* Matrices of order n in a layout, `ld` and `stride` elements of `size` bytes apart as eig_layout says: levels from the
 * outermost to the innermost, around rows of entries that are neighbours. */
static inline cuda_array cuda_matrices(const char *name, const void *pointer, bool output, eig_layout layout, int64_t n,
                                       int64_t ld, int64_t stride, int64_t batch, int64_t size)
{
    cuda_array a = {name,
                    (void *)pointer,
                    output,
                    CUDA_BATCH_OUTER,
                    {{batch, n, 1}, {stride * size, ld * size, 0}, (size_t)(n * size)},
                    false,
                    false};
    if (layout == EIG_LAYOUT_ELEMENT_WISE) {
        a.batch_level = CUDA_BATCH_INNER;
        a.nest = copy_nest{{n, n, batch}, {ld * stride * size, stride * size, size}, (size_t)size};
    } else if (layout == EIG_LAYOUT_ROW_WISE) {
        a.batch_level = CUDA_BATCH_MIDDLE;
        a.nest = copy_nest{{n, batch, 1}, {stride * size, ld * size, 0}, (size_t)(n * size)};
    }
    return a;
}

/* The stride of `count` such matrices in a chunk, where they are dense: ld is n. */
static inline int64_t cuda_dense_stride(eig_layout layout, int64_t n, int64_t count)
{
    return layout == EIG_LAYOUT_MATRIX_WISE ? n * n : layout == EIG_LAYOUT_ELEMENT_WISE ? count : count * n;
}

extern "C" {

/* Tells on which side the arrays of a call lie, and which are pinned; refuses a mix, and memory of another device. */
eig_status eig_cuda_find_side(eig_context *ctx, cuda_call *call, bool *on_device);

/* Reads a few words of device memory when the stream's work is done, and waits.  Once the context has computed a call
 * on host arrays a kernel brings them: a copy would wait for those of the other channels. */
eig_status eig_cuda_read(eig_context *ctx, void *to, const void *from, size_t bytes, cudaStream_t stream);

/* Computes a call on host arrays; the results are in place when it returns. */
eig_status eig_cuda_run_host(eig_context *ctx, const cuda_call *call);
}

#endif
