/* geev on CUDA: what its files share.
 *
 * geev_small.cuh     small n: all of it in one kernel, a thread a matrix; geev_small_*.cu compile it
 * geev_small_matrix.cuh  its steps, in registers
 * geev_prepare.cuh   kernel 1 of larger n: load, balance, Hessenberg form, packed into the workspace; geev_prepare_*.cu
 * geev_grid.cuh      its steps, in registers; geev_balance.cuh, team.cuh: for matrices that need permuting
 * geev_qr.cuh        kernel 2: double-shift QR out of shared memory; geev_qr_*.cu compile it
 * geev_qr_state.cuh  its steps; also geev_chase.cuh and geev_reflector.cuh
 * geev_mapping.cu    which kernel, with how many threads a matrix, computes a problem
 * geev_table.cuh     which one `auto` takes, as measured
 * geev_plain.cu      any order, a thread block a matrix, with geev_hessenberg.cuh: n > 64, and second attempts
 * geev_cuda.cu       the driver: workspace, chunks, the arrays of a call
 *
 * A team is the p threads that compute one matrix; a tile is the matrices that one warp (swb) or one block of p warps
 * (mwb) computes side by side: 32/p or 32.  In a tile, entry e of matrix g lies at [e*matrices + g], so that threads
 * of different matrices never want the same bank at once. */
#ifndef EIG_GEEV_CUDA_CUH
#define EIG_GEEV_CUDA_CUH

#include "cuda_common.cuh"

enum {
    GEEV_MOST = 64,    /* largest order of the fast kernels */
    GEEV_SMALL_S = 16, /* largest order of float and of double that a thread computes in registers */
    GEEV_SMALL_D = 13,
    GEEV_STAGES = 5,          /* of kernel 2, at most */
    GEEV_BALANCE_SWEEPS = 100 /* guards against endless scaling; the rules end it after a few sweeps */
};

/* Entries of an upper Hessenberg matrix of order n, row by row, each from its subdiagonal entry on. */
static inline int64_t geev_packed(int64_t n)
{
    return n * (n + 1) / 2 + n - 1;
}

/* What kernel 1 tells kernel 2 about a matrix, besides its Hessenberg form. */
struct geev_record {
    double unscale; /* eigenvalues are multiplied by it; a power of two */
    int lo, hi;     /* triangular outside rows lo..hi */
    int info;       /* EIG_INFO_NOT_FINITE, or 0 */
};

/* What a stage of kernel 2 tells the next about a matrix. */
struct geev_progress {
    unsigned long long small; /* rows of subdiagonal entries to be tested; see qr_state */
    int small_word;
    int l, i, steps; /* the window, i = -1: done; steps on it */
};

/* Shared by all blocks of a launch; zeroed before kernel 1. */
struct geev_queue {
    unsigned long long iterate[GEEV_STAGES]; /* tiles handed out so far by each stage of kernel 2 */
    unsigned long long failed;               /* matrices on the list */
};

/* One chunk of a problem on device arrays; passed to kernels by value. */
struct geev_job {
    geev_problem p;
    int64_t first, count;    /* matrices first, ..., first + count - 1 of the problem */
    int tile;                /* packed matrices that lie side by side; a power of two */
    void *packed;            /* [tiles][geev_packed(n)][tile]; a stage leaves leading blocks, packed likewise */
    int stage;               /* of kernel 2: 0, 1, ... */
    int order;               /* of its matrices */
    int stop;                /* it ends when no window is larger than this */
    geev_record *records;    /* [count] */
    geev_progress *progress; /* [count] */
    geev_queue *queue;
    int64_t *failed;    /* [count] numbers of the matrices that did not converge */
    void *plain;        /* work areas of the plain solver, one a block */
    size_t plain_bytes; /* of each */
    int plain_blocks;
};

/* How a problem is laid on threads: method swb or mwb with this many threads a matrix; or method auto: one thread
 * computes a matrix in registers. */
struct geev_mapping {
    eig_geev_method method;
    int threads;
};

/* Functions that these files share.  They have C names, so that nothing but eig_... is visible to a program that is
 * linked with the static library. */
extern "C" {

/* The launchers.  eig_cuda_geev_launch_small does all that the other kernels do in turn; eig_cuda_geev_launch_qr
 * launches all stages. All enqueue on the stream and wait for nothing. */
eig_status eig_cuda_geev_launch_small(eig_context *ctx, const geev_job &job, cudaStream_t stream);
eig_status eig_cuda_geev_launch_prepare(eig_context *ctx, const geev_job &job, cudaStream_t stream);
eig_status eig_cuda_geev_launch_qr(eig_context *ctx, const geev_job &job, cudaStream_t stream);
eig_status eig_cuda_geev_launch_plain(eig_context *ctx, const geev_job &job, bool listed, cudaStream_t stream);

/* Their parts, each compiled in a file of its own: a type, a method, or the orders from a number on (s33: float, n = 33
 * and more); such a file passes on what is beyond its range. */
eig_status eig_cuda_geev_small_s(eig_context *ctx, const geev_job &job, cudaStream_t stream);
eig_status eig_cuda_geev_small_s11(eig_context *ctx, const geev_job &job, cudaStream_t stream);
eig_status eig_cuda_geev_small_s14(eig_context *ctx, const geev_job &job, cudaStream_t stream);
eig_status eig_cuda_geev_small_s16(eig_context *ctx, const geev_job &job, cudaStream_t stream);
eig_status eig_cuda_geev_small_d(eig_context *ctx, const geev_job &job, cudaStream_t stream);
eig_status eig_cuda_geev_small_d9(eig_context *ctx, const geev_job &job, cudaStream_t stream);
eig_status eig_cuda_geev_small_d12(eig_context *ctx, const geev_job &job, cudaStream_t stream);
eig_status eig_cuda_geev_prepare_s(eig_context *ctx, const geev_job &job, cudaStream_t stream);
eig_status eig_cuda_geev_prepare_s33(eig_context *ctx, const geev_job &job, cudaStream_t stream);
eig_status eig_cuda_geev_prepare_d(eig_context *ctx, const geev_job &job, cudaStream_t stream);
eig_status eig_cuda_geev_prepare_d33(eig_context *ctx, const geev_job &job, cudaStream_t stream);
eig_status eig_cuda_geev_qr_swb_s(eig_context *ctx, int threads, const geev_job &job, cudaStream_t stream);
eig_status eig_cuda_geev_qr_swb_d(eig_context *ctx, int threads, const geev_job &job, cudaStream_t stream);
eig_status eig_cuda_geev_qr_mwb_s(eig_context *ctx, int threads, const geev_job &job, cudaStream_t stream);
eig_status eig_cuda_geev_qr_mwb_d(eig_context *ctx, int threads, const geev_job &job, cudaStream_t stream);

/* The mapping that computes a problem: that of its options where there is a kernel for its order, else the next one for
 * which there is. */
geev_mapping eig_cuda_geev_choose_mapping(const eig_context *ctx, const geev_problem *p);
int eig_cuda_geev_tile_matrices(geev_mapping mapping);

/* Bytes of one work area of the plain solver. */
size_t eig_cuda_geev_plain_bytes(const geev_problem *p);
}

#ifdef __CUDACC__

#include "geev.h"
#include "words/real.cuh"

/* The upper word of |x|: exponent and first digits. */
static __device__ __forceinline__ int upper_word(double x)
{
    return __double2hiint(x) & 0x7fffffff;
}

static __device__ __forceinline__ int upper_word(float x)
{
    return __float_as_int(x) & 0x7fffffff;
}

/* Entry (i, j) of matrix b; an affine one is rounded after each product and sum. */
template <typename real>
static __device__ __forceinline__ real geev_entry(const geev_problem &p, int64_t b, int64_t i, int64_t j)
{
    const real *const a = (const real *)p.a;
    if (p.affine) {
        const real *const x = (const real *)p.x + b * p.stride_x, *const at = a + i + j * p.lda;
        real sum = at[0];
        for (int64_t k = 0; k < p.m; ++k) sum = sum + x[k] * at[(k + 1) * p.stride_a];
        return sum;
    }
    if (p.layout == EIG_LAYOUT_ELEMENT_WISE) return a[(i * p.lda + j) * p.stride_a + b];
    if (p.layout == EIG_LAYOUT_ROW_WISE) return a[i * p.stride_a + b * p.lda + j];
    return a[i + j * p.lda + b * p.stride_a];
}

/* Where the packed entries of matrix m of the chunk begin; they lie job.tile apart. */
template <typename real> static __device__ __forceinline__ real *geev_packed_matrix(const geev_job &job, int64_t m)
{
    int const n = (int)job.p.n, shift = __ffs(job.tile) - 1;
    int64_t const entries = n * (n + 1) / 2 + n - 1;
    return (real *)job.packed + (((m >> shift) * entries) << shift) + (m & (job.tile - 1));
}

/* Stores eigenvalue k of matrix b.  Adding zero makes -0 to 0, as on the CPU. */
template <typename real>
static __device__ __forceinline__ void geev_put(const geev_problem &p, int64_t b, int64_t k, real re, real im)
{
    complex_of<real> *const w = (complex_of<real> *)p.w + (b * p.stride_w + k);
    store_complex(w, complex_of<real>{re + (real)0, im + (real)0});
}

#endif
#endif
