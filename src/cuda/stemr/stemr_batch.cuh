/* stemr on CUDA, matrices of up to 64 rows: what kernels (stemr_batch.cu) and driver (stemr_batch_cuda.cu) share. */
#ifndef EIG_STEMR_BATCH_CUH
#define EIG_STEMR_BATCH_CUH

#include "heev/heev_cuda.cuh"
#include "stemr_cuda.cuh"

enum { STEMR_BATCH_ROWS = 64 };

/* What the matrices of a call tell together, in device memory. */
struct stemr_batch_counts {
    unsigned long long blocks; /* sum */
    int most_blocks;
    int bad;  /* matrices that are to be solved again, by themselves */
    int slow; /* matrices that QL is to solve */
};

/* A part of a batch on device arrays; passed to kernels by value. */
struct stemr_batch_part {
    stemr_problem p; /* arrays of its first matrix */
    int64_t stride_d, stride_e, stride_w, stride_z, count;
    heev_job ql;         /* n <= HEEV_WARP; without vectors of its own */
    heev_tridiagonals t; /* else; d and e always: the scaled T */
    int *scale;          /* [count] T is 2^scale times what is solved; the largest int: T is not finite */
    int *bad;            /* of each matrix 1: to be solved again */
    int *slow;           /* those that QL is to solve, in any order */
    const int *list;     /* [count] the matrices of the part, or NULL: all */
    const int *range;    /* by value: of each matrix how many eigenvalues lie up to vl, and how many up to vu */
    stemr_batch_counts *counts;
};

extern "C" {
/* A range by value: the counts of `count` matrices, those of p, into range. */
eig_status eig_cuda_stemr_batch_range(eig_context *ctx, const stemr_batch_part &b, int *range, cudaStream_t stream);
/* Solves the matrices of the part; nothing waits. */
eig_status eig_cuda_stemr_batch_part(eig_context *ctx, const stemr_batch_part &b, cudaStream_t stream);
/* The same for these orders, but for the matrices that it lists: of the part only p, the strides, count, bad, slow and
 * counts are used. */
eig_status eig_cuda_stemr_batch_twist(eig_context *ctx, const stemr_batch_part &b, cudaStream_t stream);
}

#endif
