/* eigpack on CUDA: the calls that name CUDA's types.  Everything else is in eigpack.h. */
#ifndef EIGPACK_CUDA_H
#define EIGPACK_CUDA_H

#include "eigpack.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The stream on which a CUDA context enqueues its work from now on; 0 (the beginning) is the default stream.  The
 * stream must belong to the context's device and outlive its use here.  Calls on device arrays return before the
 * results exist: synchronise the stream to wait for them. */
EIG_API eig_status eig_cuda_set_stream(eig_context *ctx, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
