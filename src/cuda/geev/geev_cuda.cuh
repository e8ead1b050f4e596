/* geev on CUDA: what its files share.
 *
 * geev_cuda.cu       what the driver (driver.cuh) has to know: the arrays of a call, slices
 * geev_roads.cu      the table of roads: which kernels take a call, with how many threads a matrix; slices of a batch,
 *                    and their arrays
 * thread/            small n: all of it in one kernel, a thread a matrix, in registers
 * reduce/            kernel 1, to Hessenberg form: geev_prepare.cu for n <= 64 (geev_grid.cuh: in registers),
 *                    geev_block_prepare.cu with a block a matrix, geev_group.cuh with one or more blocks a matrix;
 *                    geev_balance.cuh, geev_turn.cuh: balancing, the transpose
 * team/              kernel 2 for n <= 64, double-shift QR out of shared memory
 * block/             n > 64, and fewer rows of few matrices: geev_block.cu, kernel 2 with a block a matrix, while the
 *                    matrix fits its shared memory; geev_blocks.cu, all of it in one kernel, larger n and complex
 *                    matrices; geev_chain.cuh: their QR
 * aberth/            Aberth's iteration, which comes before QR on the roads block and blocks in double
 * complex/           complex matrices: reduction, single-shift QR
 * schur/             all in one kernel, by way of the Schur form: where eigenvalues are close, or a vector is not
 *                    certain
 * vectors/           eigenvectors where eigenvalues are there, by inverse iteration: geev_inverse.cu,
 *                    geev_large_vectors.cu for n > 64
 * geev_plain.cu      the plain solver, a thread block a matrix: larger n, and second attempts
 * geev_certify.cu    a look at all results; geev_certify.cuh: what is asked; geev_second.cu: what is doubtful, solved
 *                    again
 * geev_entry.cuh, geev_reflector.cuh   real and complex entries; reflectors and shifts of the fast kernels
 *
 * A team is the p threads that compute a matrix.  A tile is the matrices that a warp (swb) or a block of p warps (mwb)
 * computes side by side: 32/p or 32.  In a tile, entry e of matrix g lies at [e*matrices + g], so that threads of
 * different matrices never read the same bank at the same time. */
#ifndef EIG_GEEV_CUDA_CUH
#define EIG_GEEV_CUDA_CUH

#include "plan.cuh"

enum {
    GEEV_MOST = 64,    /* largest order of the fast kernels */
    GEEV_SINGLE = 96,  /* the same of geev_single.cu, eigenvalues alone */
    GEEV_SMALL_S = 16, /* largest order of float and of double that a thread computes in registers */
    GEEV_SMALL_D = 13,
    GEEV_STAGES = 5,          /* of kernel 2, at most */
    GEEV_SCALARS = 1 << 10,   /* bytes of static shared memory of a kernel, at most */
    GEEV_CERTIFY_SMALL = 32,  /* largest order at which a lane looks at a vector */
    GEEV_SUMS = 6,            /* numbers of a block for a matrix that it certifies with others */
    GEEV_SLAB = 16,           /* vectors of a larger matrix that a block finds together */
    GEEV_BALANCE_SWEEPS = 100 /* guards against endless scaling; the rules end it after a few sweeps */
};

/* Entries of an upper Hessenberg matrix of order n: rows follow each other, each from its subdiagonal entry on. */
static inline int64_t geev_packed(int64_t n)
{
    return n * (n + 1) / 2 + n - 1;
}

/* Numbers of a work area of Aberth's iteration (geev_aberth.cuh, on the road `blocks`): half a square of tiles of 16 x
 * 16, and vectors. */
static inline __host__ __device__ int64_t geev_root_numbers(int64_t n)
{
    int64_t const blocks = (n + 15) / 16;
    return blocks * (blocks + 1) * 128 + blocks * 16 + (9 * n + 2 * blocks + 4) / 2 * 2;
}

/* Whether geev_single.cu keeps the form of each matrix, for its vectors. */
static inline __host__ __device__ bool geev_keeps_forms(const geev_problem *p)
{
    return p->vectors && p->n <= GEEV_MOST;
}

/* What that is: the scale of balancing, the reflectors' factors, and the
 * Hessenberg form with the reflectors, row by row. */
template <typename real, typename entry> struct geev_single_form {
    real *scale, *factor; /* [n] */
    entry *h;             /* [n][n] */
    __host__ __device__ geev_single_form(void *base, int64_t n)
        : scale((real *)base), factor(scale + n), h((entry *)(scale + 2 * n))
    {
    }
    static size_t bytes(int64_t n)
    {
        return (size_t)(geev_single_form(NULL, n).h + n * n);
    }
};

/* Bytes of a work area of geev_plain.cu: a matrix and three rows. */
static inline size_t geev_plain_bytes(const geev_problem *p)
{
    return arena_rounded((size_t)(p->n * p->n + 3 * p->n) * type_size(p->type));
}

/* Shared memory of geev_block_prepare.cu: a matrix and three vectors. */
static inline size_t geev_block_bytes(const geev_problem *p)
{
    return (size_t)(p->n * (p->n | 1) + 3 * p->n) * type_size(p->type);
}

static inline bool geev_block_fits(const eig_context *ctx, const geev_problem *p)
{
    return geev_block_bytes(p) + GEEV_SCALARS <= (size_t)cuda_state_of(ctx)->shared_bytes;
}

/* What kernel 2 needs of a matrix besides its Hessenberg form. */
struct geev_record {
    double unscale; /* eigenvalues are multiplied by it; a power of two */
    int lo, hi;     /* triangular outside rows lo..hi */
    int info;       /* EIG_INFO_NOT_FINITE, or 0 */
    int found;      /* kernel 2 has nothing to do: the eigenvalues are stored (geev_aberth.cuh) */
    int turned;     /* the transpose (geev_turn.cuh): its right vectors are, conjugated, the caller's left ones */
};

/* The state of a matrix between two stages of kernel 2. */
struct geev_progress {
    unsigned long long small; /* rows of subdiagonal entries to be tested; see qr_state */
    int small_word;
    int l, i, steps; /* the window, i = -1: done; steps on it */
};

/* Shared by all blocks of a launch; zeroed before kernel 1. */
struct geev_queue {
    unsigned long long iterate[GEEV_STAGES]; /* tiles handed out so far by each stage of kernel 2 */
    unsigned long long failed;               /* matrices on the list */
    unsigned long long doubtful;             /* matrices at its end (geev_certify.cu) */
};

/* What the blocks that compute a matrix together tell each other (geev_blocks.cu); zeroed before the launch. */
struct geev_group {
    unsigned barrier;            /* blocks that have come to it so far */
    int bad;                     /* an entry of the matrix is not finite */
    int top, from, order, right; /* of the leader's transformation; order 0: the matrix is done */
    geev_record record;
    int proved; /* Aberth's iteration has found all eigenvalues */
    int64_t at; /* number of the matrix in the slice */
};

/* What is known of a matrix whose vectors come by inverse iteration (geev_large_vectors.cu). */
struct geev_reduced {
    geev_record record;
    double norm;   /* of H */
    int bad, lost; /* the matrix is given up: before inverse iteration, in it */
    int spread;    /* see geev_certify.cuh */
};

/* What is known of a matrix of n > GEEV_CERTIFY_SMALL that is certified. */
struct geev_certificate {
    double norm, unit; /* of A times unit */
    int listed;        /* or not to be listed */
};

/* Matrices that did not converge or are in doubt, and the solver that takes them: plain, or by the Schur form. */
struct geev_list_work {
    geev_queue *queue;
    int64_t *failed;    /* [count] their numbers */
    void *plain;        /* work areas of the solver, an area for each block */
    size_t plain_bytes; /* of each */
    int plain_blocks;
};

/* Kernel 1 and kernel 2: Hessenberg matrices on their way from one to the other. */
struct geev_packed_work {
    int tile;                /* packed matrices that lie side by side; a power of two */
    void *packed;            /* [tiles][geev_packed(n)][tile]; a stage leaves leading blocks, packed likewise */
    geev_record *records;    /* [count] */
    geev_progress *progress; /* [count] */
    int *origins;            /* [count][n] where the rows of a complex matrix come from (geev_single.cu) */
    int stage;               /* of kernel 2 with teams: 0, 1, ... */
    int order;               /* of its matrices */
    int stop;                /* it ends when no window is larger than this */
};

/* geev_block.cu and geev_blocks.cu */
struct geev_blocks_work {
    int points;         /* of geev_aberth.cuh: roots of a warp at a time; 0: QR takes all matrices */
    geev_group *groups; /* [plain_blocks], of geev_blocks.cu, whose work areas the plain solver takes over */
    int folded;         /* the largest window of geev_blocks.cu that is folded into shared memory */
    int panel;          /* columns of a panel of its reduction */
};

/* Vectors, n > GEEV_MOST; these arrays take the place of those above.  And forms of geev_single.cu. */
struct geev_vectors_work {
    geev_reduced *reduced;     /* [count] */
    geev_group *vector_groups; /* [count], or one a multiprocessor */
    void *forms;               /* [count] of form_bytes: Hessenberg matrices and reflectors, see geev_single_form */
    void *slabs;               /* [slab_blocks] of slab_bytes */
    void *again; /* [again_blocks] work areas of again_bytes of the Schur form, in the place of all of them */
    size_t form_bytes, slab_bytes, again_bytes;
    int slab_blocks, again_blocks;
    void *lefts; /* [count][n][n] left vectors of n <= GEEV_MOST, where condition numbers are wanted */
};

/* Certificates, whose arrays, but spreads and spread, take the place of all of the road's. */
struct geev_certificate_work {
    unsigned *spreads;              /* [1] matrices that balancing has scaled much, */
    int *spread;                    /* [count] and which they are, from `first` on; NULL: nobody asks */
    bool own_values;                /* the road's kernels certify eigenvalues */
    int *marks;                     /* [count] with vectors, n <= GEEV_CERTIFY_SMALL: matrices that are on the list */
    void *rows;                     /* [count][2][n] complex, with vectors, larger n: x^H A of both sides */
    geev_certificate *certificates; /* [count] */
    double *partials;               /* [count][parts][GEEV_SUMS]: of the blocks of a matrix */
    int parts;
    geev_list_work doubts;       /* takes the place of the road's list */
    unsigned long long *repairs; /* [2] matrices solved again, vectors found again; added to */
};

/* A slice of a problem on device arrays; passed to kernels by value.  Each road has work of its own. */
struct geev_slice : cuda_slice,
                    geev_list_work,
                    geev_packed_work,
                    geev_blocks_work,
                    geev_vectors_work,
                    geev_certificate_work {
    geev_problem p;
};

/* Functions that these files share.  They have C names, so that a program that is linked with the static library sees
 * no name but eig_... */
extern "C" {

/* What files that are compiled once for each type export.  They enqueue on the stream, and wait for nothing.
 *   small        all that the other kernels do, in turn; swb, mwb (with so many threads a matrix): one stage
 *   plain        all matrices, or those on the list
 *   schur        by way of the Schur form, all in one kernel: threads 8, 16 or 32 lanes a matrix, or 0: a block, in
 *                work areas; schur_bytes: of shared memory of a warp, or of a work area
 *   reduce       of complex matrices, before single
 *   inverse      vectors and condition numbers of the eigenvalues that the problem's w has; matrices where some cannot
 *                be found go to the list; large_vectors: of n > GEEV_MOST; large_sizes: bytes of a form and of a slab
 *   block_form   the reduction for these, where geev_block_fits; complex matrices have none
 *   fits         a panel of that order
 *   certify      the look at all results; second: another attempt at what it lists */
enum geev_which { GEEV_ALL, GEEV_LISTED };
typedef eig_status geev_launch(eig_context *ctx, const geev_slice &slice, cudaStream_t stream);
typedef eig_status geev_launch_threads(eig_context *ctx, int threads, const geev_slice &slice, cudaStream_t stream);
typedef eig_status geev_launch_plain(eig_context *ctx, const geev_slice &slice, bool listed, cudaStream_t stream);
typedef eig_status geev_launch_schur(eig_context *ctx, int threads, const geev_slice &slice, geev_which which,
                                     cudaStream_t stream);
typedef size_t geev_area(int64_t n);
typedef size_t geev_schur_area(const geev_problem *p, int threads);
typedef size_t geev_second_area(const geev_problem *p);
typedef bool geev_fits(const eig_context *ctx, int64_t n);
typedef void geev_sizes(int64_t n, size_t *form, size_t *slab);
#define GEEV_KERNELS(OF, OF_REAL, OF_COMPLEX) \
    OF_REAL(geev, launch, small)              \
    OF_REAL(geev, launch, prepare)            \
    OF_REAL(geev, launch_threads, swb)        \
    OF_REAL(geev, launch_threads, mwb)        \
    OF_REAL(geev, launch, block_prepare)      \
    OF_REAL(geev, launch, block)              \
    OF_REAL(geev, launch_plain, plain)        \
    OF_COMPLEX(geev, launch, reduce)          \
    OF_COMPLEX(geev, launch, single)          \
    OF(geev, fits, blocks_fit)                \
    OF(geev, area, blocks_area)               \
    OF(geev, launch, blocks)                  \
    OF(geev, schur_area, schur_bytes)         \
    OF(geev, launch_schur, schur)             \
    OF(geev, launch, inverse)                 \
    OF(geev, fits, large_fit)                 \
    OF(geev, sizes, large_sizes)              \
    OF(geev, launch, large_vectors)           \
    OF(geev, launch, certify)                 \
    OF(geev, second_area, second_bytes)       \
    OF(geev, launch, second)
GEEV_KERNELS(CUDA_DECLARE, CUDA_DECLARE_REAL, CUDA_DECLARE_COMPLEX)
CUDA_DECLARE(geev, launch, block_form)

/* All of one type; NULL where it has none. */
struct geev_kernels {
    GEEV_KERNELS(CUDA_MEMBER, CUDA_MEMBER, CUDA_MEMBER)
};

/* Certificates: what decides their sizes in a workspace of about `bytes`, which may lower slice->count; their arrays;
 * their kernels, when the road has ended. */
void eig_cuda_geev_slice_certificate(const eig_context *ctx, int64_t bytes, geev_slice *slice);
void eig_cuda_geev_carve_certificate(arena *a, geev_slice *slice);
eig_status eig_cuda_geev_enqueue_certificate(eig_context *ctx, const geev_slice &slice, cudaStream_t stream);

/* cuda_road.has: threads a matrix of kernel 2 with teams, 0 where the road has none; a block of several warps for 32
 * matrices (mwb), not a warp for several; its own kernels certify eigenvalues. */
enum { GEEV_THREADS = 63, GEEV_MWB = 64, GEEV_CERTIFIES_VALUES = 128 };

typedef cuda_road<geev_problem, geev_slice> geev_road;
const geev_road *eig_cuda_geev_road(const eig_context *ctx, const geev_problem *p);
const geev_road *eig_cuda_geev_roads(int *count);
}

#ifdef __CUDACC__

#include "geev.h"
#include "primitives/number.cuh"

/* sum + x a, rounded after the product and the sum; complex products by their four real ones. */
template <typename real> static __device__ __forceinline__ real affine_add(real sum, real x, real a)
{
    return sum + x * a;
}
template <typename real>
static __device__ __forceinline__ number_of<real, true> affine_add(number_of<real, true> sum, number_of<real, true> x,
                                                                   number_of<real, true> a)
{
    return {sum.re + (x.re * a.re - x.im * a.im), sum.im + (x.re * a.im + x.im * a.re)};
}

/* An entry of a caller's array, whose alignment is that of its real type. */
template <typename real> static __device__ __forceinline__ real geev_load(const real *from)
{
    return *from;
}
template <typename real>
static __device__ __forceinline__ number_of<real, true> geev_load(const number_of<real, true> *from)
{
    return load_number(from);
}

/* Entry (i, j) of matrix b: a real number, or a complex one of number.cuh. */
template <typename entry>
static __device__ __forceinline__ entry geev_entry(const geev_problem &p, int64_t b, int64_t i, int64_t j)
{
    const entry *const a = (const entry *)p.a;
    if (p.row_major) { /* the layout has (j, i) there */
        int64_t const row = i;
        i = j, j = row;
    }
    if (p.affine) {
        const entry *const x = (const entry *)p.x + b * p.stride_x, *const at = a + i + j * p.lda;
        entry sum = geev_load(at);
        for (int64_t k = 0; k < p.m; ++k) sum = affine_add(sum, geev_load(x + k), geev_load(at + (k + 1) * p.stride_a));
        return sum;
    }
    if (p.layout == EIG_LAYOUT_ELEMENT_WISE) return geev_load(a + (i * p.lda + j) * p.stride_a + b);
    if (p.layout == EIG_LAYOUT_ROW_WISE) return geev_load(a + i * p.stride_a + b * p.lda + j);
    return geev_load(a + i + j * p.lda + b * p.stride_a);
}

/* Whether the neighbour of an entry of A in memory is the next one of its row, not of its column. */
static __device__ __forceinline__ bool geev_lies_by_rows(const geev_problem &p)
{
    return p.row_major != (!p.affine && p.layout == EIG_LAYOUT_ROW_WISE);
}

/* Matrix b where it lies by itself: entry (i, j) is from[i*si + j*sj]. */
template <typename entry> struct geev_apart {
    const entry *from;
    int64_t si, sj;
    bool serves; /* else it does not lie so: geev_entry knows where */
    __device__ __forceinline__ geev_apart(const geev_problem &p, int64_t b)
        : from((const entry *)p.a + b * p.stride_a), si(p.row_major ? p.lda : 1), sj(p.row_major ? 1 : p.lda),
          serves(!p.affine && p.layout == EIG_LAYOUT_MATRIX_WISE)
    {
    }
};

/* Place of entry (i, j), j >= i - 1, among the packed entries; for j = 0: the origin of row i's columns. */
static __device__ __forceinline__ int place_of(int n, int i, int j)
{
    return i * n - i * (i - 1) / 2 + j;
}

/* Where the packed entries of matrix m of the slice begin; they lie slice.tile apart. */
template <typename real> static __device__ __forceinline__ real *geev_packed_matrix(const geev_slice &slice, int64_t m)
{
    int const n = (int)slice.p.n, shift = __ffs(slice.tile) - 1;
    int64_t const entries = n * (n + 1) / 2 + n - 1;
    return (real *)slice.packed + (((m >> shift) * entries) << shift) + (m & (slice.tile - 1));
}

/* Stores eigenvalue k of matrix b.  Adding zero makes -0 to 0, as on the CPU. */
template <typename real>
static __device__ __forceinline__ void geev_put(const geev_problem &p, int64_t b, int64_t k, real re, real im)
{
    using number = number_of<real, true>;
    store_number((number *)p.w + (b * p.stride_w + k), number{re + (real)0, im + (real)0});
}

#endif
#endif
