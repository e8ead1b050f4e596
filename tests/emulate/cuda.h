/* The driver's types, as far as eigpack names them. */
#ifndef EIG_EMULATE_CUDA_H
#define EIG_EMULATE_CUDA_H

typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef enum { CUDA_SUCCESS = 0, CUDA_ERROR_OUT_OF_MEMORY = 2 } CUresult;

#endif
