/* heev on CUDA: what its files share.
 *
 * heev_small.cuh      n <= 3: a thread a matrix, in registers, by Jacobi
 * heev_tiny.cuh       tridiagonal, n <= 8: a thread a matrix, in registers; its QL: heev_tiny_ql.cuh
 * heev_reduce.cuh     tridiagonal, n > 8, kernel 1: load, scale, Householder reduction; a lane a row
 * heev_ql.cu          kernel 2: implicit QL (heev_ql.cuh) on the tridiagonal matrices, a thread a matrix; notes its
 *                     rotations
 * heev_vectors.cuh    kernel 3: the rotations on rows of Z, then the reflectors on columns of it
 * heev_jacobi.cuh     two-sided Jacobi in shared memory, 8, 32 or 128 threads a matrix
 * heev_plain.cu       the plain version: Jacobi, a thread a matrix
 * heev_fused.cuh, heev_panel.cuh  n > 64, tridiagonal: the reduction, a block a matrix, in shared or in global memory;
 *                     heev_matrix.cuh: what they share
 * heev_divide.cuh     n > 32: eigenpairs of tridiagonal matrices by divide and conquer
 * heev_grid_reduce.cuh, heev_grid_back.cuh  32 < n <= 64, tridiagonal: reduction and vectors in registers, a block a
 *                     matrix; heev_grid.cuh: what they share
 * heev_back.cuh       n > 64, tridiagonal: vectors of A from those of T; heev_tile.cuh: products by a warp
 * heev_blocked.cu     n > 32, tridiagonal: slices, order of the kernels, values
 * heev_blocks.cuh     n > 32, jacobi: one-sided block Jacobi; heev_blocks_kernel.cuh: its kernel, heev_blocks_tiles.cuh: its
 *                     products, heev_turn.cuh: its rotation
 * heev_large.cu       n > 32, plainly: Jacobi, a block a matrix
 * heev_number.cuh     numbers of the four types, the rotation; heev_load.cuh: a matrix into shared memory
 * heev_cuda.cu        the driver: workspace, slices, the arrays of a call */
#ifndef EIG_HEEV_CUDA_CUH
#define EIG_HEEV_CUDA_CUH

#include "cuda_common.cuh"

/* Largest orders: of Jacobi in registers, of the tridiagonal method in registers, of kernels with a few lanes a matrix, of
 * those with a grid of threads a matrix; most bytes of the workspace, or for n > HEEV_MOST the input's size where that is more. */
enum { HEEV_SMALL = 3, HEEV_TINY = 8, HEEV_MOST = 32, HEEV_GRID = 64, HEEV_MOST_BYTES = 256 << 20 };

/* The room for what QL notes of a matrix: rotations in all, and sweeps.  Random matrices take about 1.2 n^2 rotations in
 * 2.2 n sweeps, the worst of 20,000 had 383 and 42 at n = 16, 1363 and 78 at n = 32; one that takes more has to iterate
 * twice. */
static inline int64_t heev_most_rotations(int64_t n)
{
    return (5 * n * n / 4 + 6 * n + 16) & ~1;
}

static inline int64_t heev_most_sweeps(int64_t n)
{
    return 3 * n + 16;
}

/* Whether matrices with these distances lie one behind the other without a gap. */
static inline bool heev_lies_dense(batch_strides s, int64_t n)
{
    return s.b == n * n && ((s.i == 1 && s.j == n) || (s.i == n && s.j == 1));
}

/* A slice of a problem on device arrays; passed to kernels by value.  The arrays of the tridiagonal method have one row
 * a matrix of the slice. */
struct heev_job {
    heev_problem p;
    batch_strides at_a, at_v;
    int64_t first, count; /* matrices first, ..., first + count - 1 of the problem */
    void *d, *e;          /* [count][n] real: the tridiagonal matrix; e[n-1] is 0 */
    void *unit;           /* [count] real: it times unit is A's; NaN where A is not finite */
    void *tau;            /* [count][n] numbers: the reflectors' factors; the reflectors themselves lie in v */
    void *rotations;      /* [count][most_rotations] of 8 bytes, ql_note */
    uint16_t *sweeps;     /* [count][most_sweeps] lo + 256 hi: rotations of columns (hi-1, hi), ..., (lo, lo+1) */
    int64_t most_rotations, most_sweeps;
    int *sweep_count;          /* [count]; -1: there was no room for all */
    int *failed;               /* [count] values that did not converge */
    uint8_t *order;            /* [count][n] the place of each eigenvalue in w */
    unsigned long long *queue; /* jacobi: matrices handed out so far */
    /* n > 32, tridiagonal */
    int64_t part; /* matrices of the slice whose eigenvectors are computed at a time */
    void *matrix; /* the first matrix while it is reduced, then its reflectors: in v, or in the workspace */
    int64_t matrix_pitch, matrix_stride;
    void *z, *imaginary; /* [part][n*n] real: vectors of T, then the parts of V; imaginary: where T is worked on, too */
    void *factors;       /* [part][blocks of 32 reflectors][32*32] numbers */
    void *plain; /* reference: [n*n][count] numbers; n > 32: [count] areas, of a block (heev_large.cu) or of a group
                            of blocks (heev_blocks.cuh) */
};

/* What heev_blocks.cuh needs: columns of a pair of blocks, bytes of a group of thread blocks, and how many of those may run
 * at once. */
struct heev_blocks_plan {
    int width;
    size_t bytes;
    int64_t groups;
};

/* Eigenpairs of `count` symmetric tridiagonal matrices T, n > 32, whose norm is about 1, or T is zero.  The bits of a matrix do
 * not depend on its place or on count. */
struct heev_tridiagonals {
    int64_t n, count;
    bool single;  /* float; else double */
    bool vectors; /* or values only */
    void *d, *e;  /* [count][n]; e[n-1] is unused; both are overwritten: d by the eigenvalues, ascending */
    void *z;      /* [count][n*n]: column j of matrix b, z + b*n*n + j*n, belongs to d[j]; NULL without vectors */
    int *failed;  /* [count]: values that were not found; where it is not 0, all of d and z are NaN */
    void *work;   /* eig_cuda_heev_divide_bytes of it */
};

/* Functions that these files share, with C names (see geev_cuda.cuh). */
extern "C" {

/* The kernels on the stream, by the type of the problem; nothing waits. */
#define HEEV_LAUNCHERS(pass)                                                                         \
    eig_status eig_cuda_heev_##pass##_s(eig_context *ctx, const heev_job &job, cudaStream_t stream); \
    eig_status eig_cuda_heev_##pass##_d(eig_context *ctx, const heev_job &job, cudaStream_t stream); \
    eig_status eig_cuda_heev_##pass##_c(eig_context *ctx, const heev_job &job, cudaStream_t stream); \
    eig_status eig_cuda_heev_##pass##_z(eig_context *ctx, const heev_job &job, cudaStream_t stream);
HEEV_LAUNCHERS(small)
HEEV_LAUNCHERS(tiny)
HEEV_LAUNCHERS(tiny8) /* its part for n = 7 and 8 */
HEEV_LAUNCHERS(reduce)
HEEV_LAUNCHERS(vectors)
HEEV_LAUNCHERS(jacobi)
HEEV_LAUNCHERS(panel)
HEEV_LAUNCHERS(back)
HEEV_LAUNCHERS(grid_reduce)
HEEV_LAUNCHERS(grid_back)
HEEV_LAUNCHERS(blocks)
#undef HEEV_LAUNCHERS

eig_status eig_cuda_heev_ql(eig_context *ctx, const heev_job &job, cudaStream_t stream);
/* Divide and conquer on all matrices, level by level; nothing waits, nothing is allocated. */
size_t eig_cuda_heev_divide_bytes(const heev_tridiagonals *t);
eig_status eig_cuda_heev_divide(eig_context *ctx, const heev_tridiagonals &t, cudaStream_t stream);

/* n > 32, tridiagonal: whether the device can do order n so; the arrays of job->count matrices, of which job->part get
 * their eigenvectors at a time; as many matrices as the workspace allows; the kernels. */
bool eig_cuda_heev_blocked_fits(const eig_context *ctx, const heev_problem *p);
void eig_cuda_heev_blocked_carve(arena *a, const eig_context *ctx, const heev_problem *p, heev_job *job);
void eig_cuda_heev_blocked_slice(const eig_context *ctx, const heev_problem *p, heev_job *job);
eig_status eig_cuda_heev_blocked(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock);
eig_status eig_cuda_heev_plain(eig_context *ctx, const heev_job &job, cudaStream_t stream);
eig_status eig_cuda_heev_large(eig_context *ctx, const heev_job &job, cudaStream_t stream);
size_t eig_cuda_heev_large_bytes(const heev_problem *p); /* of a block */
void eig_cuda_heev_blocks_plan(const eig_context *ctx, const heev_problem *p, heev_blocks_plan *plan);
}

#endif
