/* heev on CUDA: what its files share.
 *
 * heev_cuda.cu         what the driver (driver.cuh) has to know: the arrays of a call, slices, certificates
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

#include "plan.cuh"

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

/* QL of n <= HEEV_WARP; stemr's batches have one, too. */
struct heev_ql_work {
    void *rotations;  /* [count][most_rotations] of 8 bytes, ql_note */
    uint16_t *sweeps; /* [count][most_sweeps] lo + 256 hi: rotations of columns (hi-1, hi), ..., (lo, lo+1) */
    int64_t most_rotations, most_sweeps;
    int *sweep_count;   /* [count]; -1: there was no room for all */
    uint8_t *order;     /* [count][n] the place of each eigenvalue in w */
    int *list, *listed; /* [count], [1] matrices whose pairs QL is to find, in any order; NULL: all */
};

/* Blocks, or groups of them, that take one matrix after another: of the reference and of Jacobi. */
struct heev_turns_work {
    unsigned long long *queue; /* matrices handed out so far */
    int64_t workers;           /* how many there are, where each has an area */
    void *areas;               /* [workers] */
};

/* Roads of heev_parts.cu, n > 32, tridiagonal. */
enum heev_parts_road { HEEV_OF_GRID, HEEV_OF_BLOCK, HEEV_OF_WHOLE, HEEV_OF_TWO };

struct heev_parts_work {
    heev_parts_road road;
    int64_t part; /* matrices of the slice whose eigenvectors are computed at a time */
    void *matrix; /* the first matrix while it is reduced, then its reflectors: in v, or in the workspace */
    int64_t matrix_pitch, matrix_stride;
    int64_t columns;     /* vectors that are wanted of a matrix; z and imaginary have as many */
    void *z, *imaginary; /* [part][n*n] real: vectors of T, then the parts of V; imaginary: of complex A */
    int64_t z_pitch;     /* of both, reals: n, but for two stages */
    void *pairs;         /* where T is worked on: in the place of `imaginary`, which is needed later */
    void *factors;       /* [part][blocks of K reflectors][K*K] numbers, K = HEEV_REFLECTORS or HEEV_WHOLE_REFLECTORS */
    /* whole/ and two/ */
    void *room;            /* whole_bytes or two_bytes of the reduction */
    void *grams;           /* numbers: [part][blocks of K reflectors][HEEV_GRAM_PARTS][K*K] parts of Y^H Y */
    void *sums, *products; /* numbers: parts of Y^H Z; [part][columns][K] the product of F and Y^H Z */
    void *values;          /* [count][n] real: eigenvalues of T, before they become those of A */
    void *turns, *blocks;  /* numbers, two/: [n] what makes T real; blocks of the chase's reflections */
    int *pair_info;        /* [n] of stemr */
    int64_t *found;        /* [1] pairs of a range by value */
};

/* heev_certify.cu */
struct heev_certificate_work {
    int shares;                     /* blocks that sum up a matrix */
    heev_certificate *certificates; /* [count][shares]; NULL: there are none */
    int *marks;                     /* [count] whether it is listed */
    double2 *forms;                 /* [count] sum w |x^H v|^2 and sum |x^H v|^2 */
    int *arrived;                   /* [count] groups of 32 vectors whose parts are in them */
    int64_t *doubtful;              /* [count] of the problem's matrices those to solve again, in any order */
    int *doubts;                    /* [1] how many */
    unsigned long long *repairs;    /* [1] matrices solved again, of the call */
    bool second;                    /* reference: those are the matrices to solve */
    heev_turns_work again;          /* by which it solves them, when the road's arrays are done with */
};

/* A slice of a problem on device arrays; passed to kernels by value.  The arrays of the tridiagonal method have one row
 * a matrix of the slice.  Each road has work of its own. */
struct heev_job : cuda_slice, heev_ql_work, heev_turns_work, heev_parts_work, heev_certificate_work {
    heev_problem p;
    batch_strides at_a, at_v;
    void *d, *e; /* [count][n] real: the tridiagonal matrix; e[n-1] is 0 */
    void *unit;  /* [count] real: it times unit is A's; NaN where A is not finite */
    void *tau;   /* [count][n] numbers: the reflectors' factors, the reflectors themselves lie in v; then leads */
    int *failed; /* [count] values that did not converge */
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

/* What files that are compiled once for each type export.
 *   launch   a kernel: it enqueues on the stream, nothing waits.  tiny8 is tiny's part for n = 7 and 8; whole_apply is
 *            whole_back without the copy to v; leads: heev_store.cu
 *   place    where panel keeps a matrix while it reduces it, with `most` bytes of shared memory a block
 *   plan     of block Jacobi
 *   bytes    shared memory of a block of few, and of two_back; a work area of the reference
 *   room     bytes of the reductions whole and two
 *   columns  whole_ahead: those that it reduces in job.matrix, whether vectors are wanted or not; two_pitch: of
 *            job.matrix, and its columns, 0 where the order does not fit */
typedef eig_status heev_launch(eig_context *ctx, const heev_job &job, cudaStream_t stream);
typedef heev_panel_place heev_place(int64_t n, size_t most);
typedef void heev_plan(const eig_context *ctx, const heev_problem *p, heev_blocks_plan *plan);
typedef size_t heev_bytes(int64_t n);
typedef size_t heev_room(const eig_context *ctx, const heev_job *job);
typedef int64_t heev_columns(const eig_context *ctx, int64_t n);
#define HEEV_KERNELS(OF)             \
    OF(heev, launch, small)          \
    OF(heev, launch, tiny)           \
    OF(heev, launch, tiny8)          \
    OF(heev, launch, few)            \
    OF(heev, bytes, few_bytes)       \
    OF(heev, launch, reduce)         \
    OF(heev, launch, vectors)        \
    OF(heev, launch, twist)          \
    OF(heev, launch, grid_reduce)    \
    OF(heev, launch, grid_back)      \
    OF(heev, place, panel_place)     \
    OF(heev, launch, panel)          \
    OF(heev, launch, back)           \
    OF(heev, room, whole_bytes)      \
    OF(heev, columns, whole_ahead)   \
    OF(heev, launch, whole)          \
    OF(heev, launch, whole_apply)    \
    OF(heev, launch, whole_back)     \
    OF(heev, launch, leads)          \
    OF(heev, launch, store)          \
    OF(heev, room, two_bytes)        \
    OF(heev, columns, two_pitch)     \
    OF(heev, launch, two)            \
    OF(heev, bytes, two_back_bytes)  \
    OF(heev, launch, two_back)       \
    OF(heev, launch, jacobi)         \
    OF(heev, plan, blocks_plan)      \
    OF(heev, launch, blocks)         \
    OF(heev, launch, certify_sums)   \
    OF(heev, launch, certify_judge)  \
    OF(heev, launch, certify_reject) \
    OF(heev, bytes, reference_bytes) \
    OF(heev, launch, reference)
HEEV_KERNELS(CUDA_DECLARE)

/* All of one type, from heev_roads.cu. */
struct heev_kernels {
    HEEV_KERNELS(CUDA_MEMBER)
};
const heev_kernels *eig_cuda_heev_kernels(eig_type type);

/* cuda_road.has: it finds the pairs of a range alone, others are not called with one; its own kernels certify its
 * results, or make the sums of A that heev_certify.cu judges by. */
enum { HEEV_RANGES = 1, HEEV_CERTIFIES_ITSELF = 2, HEEV_SUMS_ITSELF = 4 };

typedef cuda_road<heev_problem, heev_job> heev_road;
const heev_road *eig_cuda_heev_road(const eig_context *ctx, const heev_problem *p);
const heev_road *eig_cuda_heev_roads(int *count);

/* heev_roads.cu: the arrays of the certificate of job->count matrices, and how many of them are in a slice.  A road's
 * slice counts these bytes. */
void eig_cuda_heev_carve_certificate(arena *a, const eig_context *ctx, const heev_problem *p, int64_t count,
                                     heev_job *job);

eig_status eig_cuda_heev_ql(eig_context *ctx, const heev_job &job, cudaStream_t stream);

/* Divide and conquer on all matrices, level by level; nothing waits, nothing is allocated. */
size_t eig_cuda_heev_divide_bytes(const heev_tridiagonals *t);
eig_status eig_cuda_heev_divide(eig_context *ctx, const heev_tridiagonals &t, cudaStream_t stream);

/* whole/heev_whole_pairs.cu: eigenpairs of the matrices T of the job, or of one those of the range: then it sets
 * job->columns. Values become d, and failed is set.  The workspace is job->pairs. */
size_t eig_cuda_heev_whole_pairs_bytes(const eig_context *ctx, const heev_job &job, const heev_tridiagonals &t);
eig_status eig_cuda_heev_whole_pairs(eig_context *ctx, heev_job *job, cudaStream_t stream);

/* Where the job reports: waits for the stream, and tells that this part of the slice is done.  EIG_CANCELLED where the
 * caller wants no more. */
eig_status eig_cuda_heev_tell(eig_context *ctx, const heev_job &job, cudaStream_t stream, double part);

/* heev_parts.cu: the matrices T of a job; slices, arrays and kernels of the roads grid, block, whole and two:
 * job->road. */
heev_tridiagonals eig_cuda_heev_tridiagonals(const heev_job &job);
heev_panel_place eig_cuda_heev_place(const eig_context *ctx, const heev_problem *p); /* of road block */
void eig_cuda_heev_slice_parts(const eig_context *ctx, const heev_problem *p, heev_job *job);
void eig_cuda_heev_carve_parts(arena *a, const eig_context *ctx, const heev_problem *p, heev_job *job);
eig_status eig_cuda_heev_parts(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock);
}

#endif
