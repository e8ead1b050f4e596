/* heev on CUDA: what its files share.
 *
 * heev_cuda.cu         the driver: the arrays of a call, chunks, slices
 * heev_roads.cu        the table of roads: which kernels take a call
 * heev_parts.cu        n > 32, tridiagonal: slices in parts, the order of the kernels, values
 * whole/               the reduction by all of the GPU, or a team of blocks, n > 64
 * few/                 all of the tridiagonal method in one launch, for few matrices of 8 < n <= 64
 * two/                 the reduction of a large matrix by all of the GPU in two stages, and its vectors
 * thread/ warp/ grid/ block/   kernels of the tridiagonal method, by who works on a matrix; thread/ also has Jacobi for
 *                              n <= 3
 * divide/              eigenpairs of tridiagonal matrices by divide and conquer, n > 32
 * jacobi/              two-sided Jacobi in shared memory (n <= 32), one-sided by blocks of columns above
 * heev_reference.cu    the plain version
 * heev_certify.cu      tests of all results; heev_certify.cuh
 * heev_entry.cuh       entries of a matrix, and the unit that it is divided by
 * heev_reflector.cuh   Householder's reflector
 * heev_rotation.cuh    Jacobi's rotation
 * heev_gauge.cuh       the sign or phase of a vector
 * heev_matrix.cuh      what grid/ and block/ share */
#ifndef EIG_HEEV_CUDA_CUH
#define EIG_HEEV_CUDA_CUH

#include "cuda_common.cuh"

/* Largest orders: of Jacobi in registers, of the tridiagonal method in registers, of kernels with a few lanes a
 * matrix, of those with a grid of threads a matrix. HEEV_MOST_BYTES: most bytes of the workspace; for n > HEEV_WARP
 * the input's size, where that is more. */
enum { HEEV_SMALL = 3, HEEV_TINY = 8, HEEV_WARP = 32, HEEV_GRID = 64, HEEV_MOST_BYTES = 256 << 20 };

/* The largest order of one matrix or few whose call can be captured in a graph. */
enum { HEEV_MOST_CAPTURED = 2048 };

/* Reflectors that road block, and road whole, apply at once. */
enum { HEEV_REFLECTORS = 32, HEEV_WHOLE_REFLECTORS = 64, HEEV_GRAM_PARTS = 4 };

/* Two stages: rows above the first that the panels' reflectors change, but one; groups of sweeps whose reflections are
 * made blocks at a time, and numbers of a block (heev_two_back.cu). */
enum { HEEV_TWO_ABOVE = 31, HEEV_TWO_GROUPS = 4, HEEV_TWO_BLOCK = 4096 };

/* Numbers, in double, of the blocks of these groups. */
static inline int64_t heev_two_blocks(int64_t n)
{
    int64_t const steps = (n + HEEV_TWO_ABOVE - 1) / (HEEV_TWO_ABOVE + 1);
    return (steps < HEEV_TWO_GROUPS ? steps : (int64_t)HEEV_TWO_GROUPS) * steps * HEEV_TWO_BLOCK;
}

/* Of the time of a slice with eigenvectors. */
#define HEEV_REDUCTION_SHARE 0.75

/* The room for what QL notes of a matrix: rotations in all, and sweeps. Random matrices take about 1.2 n^2 rotations
 * in 2.2 n sweeps. The worst of 20,000 had 383 and 42 at n = 16, 1363 and 78 at n = 32. A matrix that takes more has
 * to iterate twice. */
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

/* Sums over some of A's entries, all times `unit`: see heev_certify.cu. */
struct heev_certificate {
    double most, unit, trace, squares,
        form; /* most: the largest entry; infinite where one is not finite.  form: x^H A x */
};

/* A slice of a problem on device arrays; passed to kernels by value.  The arrays of the tridiagonal method have one row
 * a matrix of the slice. */
struct heev_job {
    heev_problem p;
    batch_strides at_a, at_v;
    int64_t first, count; /* matrices first, ..., first + count - 1 of the problem */
    void *d, *e;          /* [count][n] real: the tridiagonal matrix; e[n-1] is 0 */
    void *unit;           /* [count] real: it times unit is A's; NaN where A is not finite */
    void *tau;        /* [count][n] numbers: the reflectors' factors, the reflectors themselves lie in v; then leads */
    void *rotations;  /* [count][most_rotations] of 8 bytes, ql_note */
    uint16_t *sweeps; /* [count][most_sweeps] lo + 256 hi: rotations of columns (hi-1, hi), ..., (lo, lo+1) */
    int64_t most_rotations, most_sweeps;
    int *sweep_count;          /* [count]; -1: there was no room for all */
    int *failed;               /* [count] values that did not converge */
    uint8_t *order;            /* [count][n] the place of each eigenvalue in w */
    int *list, *listed;        /* [count], [1] warp: matrices whose pairs QL is to find, in any order; NULL: all */
    unsigned long long *queue; /* jacobi: matrices handed out so far */
    /* n > 32, tridiagonal */
    int64_t part; /* matrices of the slice whose eigenvectors are computed at a time */
    void *matrix; /* the first matrix while it is reduced, then its reflectors: in v, or in the workspace */
    int64_t matrix_pitch, matrix_stride;
    void *z, *imaginary; /* [part][n*n] real: vectors of T, then the parts of V; imaginary: where T is worked on, too */
    int64_t z_pitch;     /* of both, reals: n, but for two stages */
    void *factors;       /* [part][blocks of K reflectors][K*K] numbers, K = HEEV_REFLECTORS or HEEV_WHOLE_REFLECTORS */
    int64_t columns;     /* vectors that are wanted of a matrix; z and imaginary have as many */
    /* whole/ */
    void *grams;           /* numbers: [part][blocks of K reflectors][HEEV_GRAM_PARTS][K*K] parts of Y^H Y */
    void *sums, *products; /* numbers: parts of Y^H Z; [part][columns][K] the product of F and Y^H Z */
    void *values;          /* [count][n] real: eigenvalues of T, before they become those of A */
    void *turns, *blocks;  /* numbers, two/: [n] what makes T real; blocks of the chase's reflections */
    int *pair_info;        /* [n] of stemr */
    int64_t *found;        /* [1] pairs of a range by value */
    bool reports;          /* the host may wait, and tell how far the call is */
    double done, share;    /* of the whole call: before this slice, and what it is */
    void *areas; /* [count], of a block (heev_reference.cu) or of a group (heev_blocks.cuh); whole_bytes in all */
    /* heev_certify.cu */
    int shares;                     /* blocks that sum up a matrix */
    heev_certificate *certificates; /* [count][shares]; NULL: there are none */
    int *marks;                     /* [count] whether it is listed */
    double2 *forms;                 /* [count] sum w |x^H v|^2 and sum |x^H v|^2 */
    int *arrived;                   /* [count] groups of 32 vectors whose parts are in them */
    int64_t *doubtful;              /* [count] of the problem's matrices those to solve again, in any order */
    int *doubts;                    /* [1] how many */
    unsigned long long *repairs;    /* [1] matrices solved again, of the call */
    bool second;                    /* reference: those are the matrices to solve */
};

#ifdef __CUDACC__
/* Matrices that QL is to solve, and which is the turn-th. */
static __device__ __forceinline__ int64_t heev_listed(const heev_job &job)
{
    return job.list ? *job.listed : job.count;
}
static __device__ __forceinline__ int64_t heev_member(const heev_job &job, int64_t turn)
{
    return job.list ? job.list[turn] : turn;
}
#endif

/* The most pairs of a matrix that a call can find. */
static inline int64_t heev_columns_of(const heev_problem *p)
{
    return p->range == EIG_RANGE_INDEX ? p->iu - p->il + 1 : p->n;
}

static inline size_t heev_real_size(const heev_problem *p)
{
    return type_is_single(p->type) ? sizeof(float) : sizeof(double);
}

/* What heev_blocks.cuh needs: columns of a pair of blocks, bytes of a group of thread blocks, and how many of those may
 * run at once. */
struct heev_blocks_plan {
    int width;
    size_t bytes;
    int64_t groups;
};

/* Eigenpairs of `count` symmetric tridiagonal matrices T, n > 32, whose norm is about 1, or T is zero.  The bits of a
 * matrix do not depend on its place or on count. */
struct heev_tridiagonals {
    int64_t n, count;
    bool single;  /* float; else double */
    bool vectors; /* or values only */
    void *d, *e;  /* [count][n]; e[n-1] is unused; both are overwritten: d by the eigenvalues, ascending */
    void *z;      /* [count][n*n]: column j of matrix b, z + b*n*n + j*n, belongs to d[j]; NULL without vectors */
    int *failed;  /* [count]: values that were not found; where it is not 0, all of d and z are NaN */
    void *work;   /* eig_cuda_heev_divide_bytes of it */
};

/* Where a matrix of order n lies while it is reduced by block/. */
enum heev_panel_place { HEEV_PANEL_NOWHERE /* too large */, HEEV_PANEL_SHARED, HEEV_PANEL_GLOBAL };

/* Functions that these files share, with C names (see geev_cuda.cuh). */
extern "C" {

/* The kernels, in files that are compiled once for each type: they enqueue on the stream, nothing waits.  tiny8 is
 * tiny's part for n = 7 and 8; whole_apply is whole_back without the copy to v; leads: heev_store.cu. */
#define HEEV_KERNELS(OF_TYPE) \
    OF_TYPE(small)            \
    OF_TYPE(tiny)             \
    OF_TYPE(tiny8)            \
    OF_TYPE(few)              \
    OF_TYPE(reduce)           \
    OF_TYPE(vectors)          \
    OF_TYPE(twist)            \
    OF_TYPE(grid_reduce)      \
    OF_TYPE(grid_back)        \
    OF_TYPE(panel)            \
    OF_TYPE(back)             \
    OF_TYPE(whole_back)       \
    OF_TYPE(whole_apply)      \
    OF_TYPE(leads)            \
    OF_TYPE(store)            \
    OF_TYPE(whole)            \
    OF_TYPE(two)              \
    OF_TYPE(two_back)         \
    OF_TYPE(jacobi)           \
    OF_TYPE(blocks)           \
    OF_TYPE(certify_sums)     \
    OF_TYPE(certify_judge)    \
    OF_TYPE(certify_reject)   \
    OF_TYPE(reference)
typedef eig_status heev_launch(eig_context *ctx, const heev_job &job, cudaStream_t stream);
#define HEEV_DECLARE(kernel)                                                                        \
    heev_launch eig_cuda_heev_##kernel##_s, eig_cuda_heev_##kernel##_d, eig_cuda_heev_##kernel##_c, \
        eig_cuda_heev_##kernel##_z;
HEEV_KERNELS(HEEV_DECLARE)
#undef HEEV_DECLARE

/* What some of them need: where panel keeps a matrix while it reduces it, with `most` bytes of shared memory a
 * block; the plan of block Jacobi; shared memory of a block of few, and of two_back; a work area of the reference. */
typedef heev_panel_place heev_place_of(int64_t n, size_t most);
typedef void heev_plan_of(const eig_context *ctx, const heev_problem *p, heev_blocks_plan *plan);
typedef size_t heev_bytes_of(int64_t n);
/* whole and two: bytes of job->areas.  whole: the columns that it reduces in job->matrix, whether vectors are wanted or
 * not.  two: the pitch of job->matrix, and its columns; 0 where the order does not fit. */
typedef size_t heev_whole_bytes_of(const eig_context *ctx, const heev_job *job);
typedef int64_t heev_whole_ahead_of(const eig_context *ctx, int64_t n);
heev_place_of eig_cuda_heev_panel_place_s, eig_cuda_heev_panel_place_d, eig_cuda_heev_panel_place_c,
    eig_cuda_heev_panel_place_z;
heev_plan_of eig_cuda_heev_blocks_plan_s, eig_cuda_heev_blocks_plan_d, eig_cuda_heev_blocks_plan_c,
    eig_cuda_heev_blocks_plan_z;
heev_whole_bytes_of eig_cuda_heev_whole_bytes_s, eig_cuda_heev_whole_bytes_d, eig_cuda_heev_whole_bytes_c,
    eig_cuda_heev_whole_bytes_z;
heev_whole_bytes_of eig_cuda_heev_two_bytes_s, eig_cuda_heev_two_bytes_d, eig_cuda_heev_two_bytes_c,
    eig_cuda_heev_two_bytes_z;
heev_whole_ahead_of eig_cuda_heev_two_pitch_s, eig_cuda_heev_two_pitch_d, eig_cuda_heev_two_pitch_c,
    eig_cuda_heev_two_pitch_z;
heev_whole_ahead_of eig_cuda_heev_whole_ahead_s, eig_cuda_heev_whole_ahead_d, eig_cuda_heev_whole_ahead_c,
    eig_cuda_heev_whole_ahead_z;
heev_bytes_of eig_cuda_heev_few_bytes_s, eig_cuda_heev_few_bytes_d, eig_cuda_heev_few_bytes_c,
    eig_cuda_heev_few_bytes_z;
heev_bytes_of eig_cuda_heev_two_back_bytes_s, eig_cuda_heev_two_back_bytes_d, eig_cuda_heev_two_back_bytes_c,
    eig_cuda_heev_two_back_bytes_z;
heev_bytes_of eig_cuda_heev_reference_bytes_s, eig_cuda_heev_reference_bytes_d, eig_cuda_heev_reference_bytes_c,
    eig_cuda_heev_reference_bytes_z;

/* All of one type, from heev_roads.cu. */
struct heev_kernels {
#define HEEV_MEMBER(kernel) heev_launch *kernel;
    HEEV_KERNELS(HEEV_MEMBER)
#undef HEEV_MEMBER
    heev_place_of *panel_place;
    heev_plan_of *blocks_plan;
    heev_bytes_of *few_bytes, *two_back_bytes, *reference_bytes;
    heev_whole_bytes_of *whole_bytes;
    heev_whole_ahead_of *whole_ahead;
    heev_whole_bytes_of *two_bytes;
    heev_whole_ahead_of *two_pitch;
};
const heev_kernels *eig_cuda_heev_kernels(eig_type type);

/* How a road's results are certified: by its own kernels; by heev_certify.cu; there, but that A's sums are its own
 * kernels'. */
enum heev_certifies { HEEV_CERTIFIES_ITSELF, HEEV_CERTIFIED, HEEV_CERTIFIED_BUT_SUMS };

/* A road that a call can take. */
struct heev_road {
    const char *name;
    bool (*serves)(const eig_context *ctx, const heev_problem *p);
    /* Sets job->count: the matrices of a slice, at most the batch. Where blocks stay and take one matrix of the
     * batch after another, it is the number of blocks, or groups of them. */
    void (*slice)(const eig_context *ctx, const heev_problem *p, heev_job *job);
    void (*carve)(arena *a, const eig_context *ctx, const heev_problem *p, heev_job *job); /* its arrays */
    bool stays; /* one launch for the batch */
    eig_status (*enqueue)(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock);
    int passes;
    const char *const *pass; /* their names */
    bool ranges;             /* it finds the pairs of a range alone; others are not called with one */
    enum heev_certifies certifies;
};

/* The first row of the table that serves the call: one always does. */
const heev_road *eig_cuda_heev_road(const eig_context *ctx, const heev_problem *p);
const heev_road *eig_cuda_heev_roads(int *count);

/* Its name, and the algorithm where it has several, of a call that is captured or not. */
const char *eig_cuda_heev_told(const eig_context *ctx, const heev_problem *p, bool captured);

/* heev_roads.cu: the arrays of the certificate of job->count matrices, and how many of them are in a slice.  A road's
 * slice counts these bytes. */
void eig_cuda_heev_carve_certificate(arena *a, const eig_context *ctx, const heev_problem *p, int64_t count,
                                     heev_job *job);

eig_status eig_cuda_heev_ql(eig_context *ctx, const heev_job &job, cudaStream_t stream);

/* Divide and conquer on all matrices, level by level; nothing waits, nothing is allocated. */
size_t eig_cuda_heev_divide_bytes(const heev_tridiagonals *t);
eig_status eig_cuda_heev_divide(eig_context *ctx, const heev_tridiagonals &t, cudaStream_t stream);

/* whole/heev_whole_pairs.cu: eigenpairs of the matrices T of the job, or of one those of the range: then it sets
 * job->columns.  Values become d, and failed is set.  The workspace is job->imaginary. */
size_t eig_cuda_heev_whole_pairs_bytes(const eig_context *ctx, const heev_job &job, const heev_tridiagonals &t);
eig_status eig_cuda_heev_whole_pairs(eig_context *ctx, heev_job *job, cudaStream_t stream);

/* Where the job reports: waits for the stream, and tells that this part of the slice is done.  EIG_CANCELLED where the
 * caller wants no more. */
eig_status eig_cuda_heev_tell(eig_context *ctx, const heev_job &job, cudaStream_t stream, double part);

/* heev_parts.cu: the matrices T of a job; the slice and the arrays of the roads grid, block, whole and two; their
 * kernels. */
heev_tridiagonals eig_cuda_heev_tridiagonals(const heev_job &job);
heev_panel_place eig_cuda_heev_place(const eig_context *ctx, const heev_problem *p); /* of road block */
void eig_cuda_heev_grid_slice(const eig_context *ctx, const heev_problem *p, heev_job *job);
void eig_cuda_heev_block_slice(const eig_context *ctx, const heev_problem *p, heev_job *job);
void eig_cuda_heev_whole_slice(const eig_context *ctx, const heev_problem *p, heev_job *job);
void eig_cuda_heev_two_slice(const eig_context *ctx, const heev_problem *p, heev_job *job);
void eig_cuda_heev_grid_carve(arena *a, const eig_context *ctx, const heev_problem *p, heev_job *job);
void eig_cuda_heev_block_carve(arena *a, const eig_context *ctx, const heev_problem *p, heev_job *job);
void eig_cuda_heev_whole_carve(arena *a, const eig_context *ctx, const heev_problem *p, heev_job *job);
void eig_cuda_heev_two_carve(arena *a, const eig_context *ctx, const heev_problem *p, heev_job *job);
eig_status eig_cuda_heev_grid(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock);
eig_status eig_cuda_heev_block(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock);
eig_status eig_cuda_heev_whole(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock);
eig_status eig_cuda_heev_two(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock);
}

#endif
