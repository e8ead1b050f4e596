/* eigpack: eigenvalues and eigenvectors, many at a time, on CPUs and GPUs.
 *
 * The whole interface of the library, in plain C11; it needs neither CUDA nor MPI and is usable from C++.
 *
 *   eig_create, eig_destroy ...   a context: which device computes, with how many threads, what went wrong
 *   eig_{s,d}stebz                eigenvalues of one symmetric tridiagonal matrix, by bisection on Sturm counts
 *   eig_{s,d}stebz_batched        the same for many matrices of one order
 *   eig_{s,d}stebz_count          how many eigenvalues lie below each of a list of shifts
 *   eig_{s,d}stemr                all or some eigenvalues and eigenvectors of one symmetric tridiagonal matrix, by MRRR
 *   eig_{s,d}stemr_batched        the same for many matrices of one order
 *   eig_{s,d}syev                 all or some eigenvalues and eigenvectors of a real symmetric matrix
 *   eig_{s,d}syev_batched         the same for many matrices of one order
 *   eig_{c,z}heev[_batched]       the same for complex Hermitian matrices
 *   eig_{s,d,c,z}geev             eigenvalues and eigenvectors of a nonsymmetric matrix, by shifted QR
 *   eig_{s,d,c,z}geev_batched     the same for many small matrices of one order
 *   eig_{s,d,c,z}geev_affine      eigenvalues of A0 + x_1 A_1 + ... + x_m A_m over a list of points x
 *   eig_{s,d,c,z}geev_schur       Schur forms A = Q T Q^H, on a CPU
 *
 * Types.  Letters as in LAPACK: s is float, d is double, c and z are complex of these.  Every typed function
 * eig_?NAME(ctx, ...) has a form eig_NAME(ctx, type, ...) whose arrays are void pointers to the type, for callers that
 * learn the type at run time.
 *
 * Arguments.  Every size, index, stride and batch is an int64_t; indices of eigenvalues count from 1, ascending.
 * Inputs are never overwritten.  An output overlaps neither an input nor another output, unless a function says "in
 * place".  All arrays of one call lie on the same side: in host memory, or (with a CUDA context) in the memory of the
 * context's device.  An array must be aligned to the real type of its elements, no more.
 *
 * Structures are in host memory.  Each begins with its size, which the caller sets: the macro named beside it does.  In
 * every other field of an options structure 0 is the default.  So a caller that was compiled with an older or a newer
 * header works: fields that the caller does not know have their defaults, and fields that the library does not know
 * must be 0, else the call is refused.  NULL stands for all defaults.  Where a call fills a structure, it writes the
 * fields that both know and sets the others to 0.
 *
 * Two kinds of failure.  The returned eig_status is about the call; eig_error_detail then holds one sentence that
 * names argument, value and limit.  A call that returns EIG_BAD_ARGUMENT, EIG_BAD_WORKSPACE or EIG_BUSY has written
 * nothing; after any other status but EIG_OK the contents of the outputs are undefined.  info is about the problem, or
 * about each problem of a batch: one bad matrix never spoils the others, and the call returns EIG_OK.  A problem with a
 * NaN or an infinity in its input has info EIG_INFO_NOT_FINITE, and its outputs are NaN.  info may be NULL.
 *
 * Sizes that are too large for their arrays or workspace to be addressed are refused; so is n above 10^8 for heev and
 * geev, from 2^47 on for stebz and stemr, and a batch from 2^57 on.  Strides of a single matrix or point are unused.
 *
 * Sizes of 0.  Nothing is computed; info of each problem, if there are any, is 0.
 *
 * Threads.  A context serves one thread at a time; different contexts are independent.  A call on a context while
 * another thread's call runs on it returns EIG_BUSY at once and touches nothing, not even the context's sentence; the
 * running call goes on.  A context must not be destroyed while another thread may use it.  Several threads may create
 * contexts at the same time.  The global state is two notes: that a fork has happened, and how many threads a calling
 * thread could create before a context made others.  The library never prints, never exits, and reads one environment
 * variable, EIG_CPU (see eig_describe).
 *
 * Floating-point mode.  A call computes with rounding to nearest, subnormal numbers and no traps, on all of its
 * threads, whatever the caller's mode is; it leaves the caller's mode as it was, and calls a progress callback in it.
 *
 * Fork.  The child of a fork may use contexts of the CPU, its parent's and new ones.  Where the process had several
 * threads, calls from the child's first thread compute with one thread, since libgomp's team does not survive the fork;
 * threads that the child creates have no such limit.  The child can only destroy a CUDA context; every other call on it
 * is refused there.  The parent keeps it.
 *
 * CUDA.  A context uses the primary context of its device, as the CUDA runtime does, and keeps it alive; after a call
 * the thread's current device is what it was.  Managed memory counts as the device's.  NULL as a stream is the legacy
 * default stream.  Work of two contexts on one stream is done in the order of the calls.  Two contexts may be lent the
 * same workspace where their work cannot overlap: on one stream, or with a wait between.
 * An error of a kernel that was enqueued before, the library's or the caller's, shows at a later call or at
 * eig_synchronize, as EIG_CUDA_FAILURE with CUDA's words.  After one that CUDA calls sticky (an illegal address, say of
 * an array that is too small) CUDA refuses all work of this process; after any other the context goes on.
 *
 * Versions.  A function exists since version 0.2 unless its comment names a later one ("since").  While the major
 * number is 0, a new minor number may change the binary interface.  The shared library's name then changes, so that a
 * program that was linked with the old one does not start with the new one.  A patch number never changes the
 * interface.  From 1.0 on a function is removed only with a new major number, after one minor version in which the
 * header called it deprecated.  Fields that are "for experiments" are for tests and tuning, and may change in any
 * version. */
#ifndef EIGPACK_H
#define EIGPACK_H

#include <stddef.h>
#include <stdint.h>

/* The one place of the version: builds and packages read these three lines. */
#define EIG_VERSION_MAJOR 0
#define EIG_VERSION_MINOR 3
#define EIG_VERSION_PATCH 0
#define EIG_VERSION (10000 * EIG_VERSION_MAJOR + 100 * EIG_VERSION_MINOR + EIG_VERSION_PATCH)
#define EIG_VERSION_QUOTED(x) #x
#define EIG_VERSION_JOINED(major, minor, patch) EIG_VERSION_QUOTED(major.minor.patch)
#define EIG_VERSION_STRING EIG_VERSION_JOINED(EIG_VERSION_MAJOR, EIG_VERSION_MINOR, EIG_VERSION_PATCH)

#if defined(EIG_BUILDING)
#define EIG_API __attribute__((visibility("default")))
#else
#define EIG_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------- status and info */

/* X(name, value, text): numbers are stable; new ones are only added.  6 was in use before version 0.2. */
#define EIG_STATUS_LIST(X)                                                       \
    X(EIG_OK, 0, "success")                                                      \
    X(EIG_BAD_ARGUMENT, 1, "an argument has an illegal value")                   \
    X(EIG_BAD_WORKSPACE, 2, "the workspace lent is too small, or none is")       \
    X(EIG_NO_BACKEND, 3, "the device is absent from this build or this machine") \
    X(EIG_NO_MEMORY, 4, "a memory allocation failed")                            \
    X(EIG_CUDA_FAILURE, 5, "a CUDA call failed")                                 \
    X(EIG_CANCELLED, 7, "the progress callback asked to stop")                   \
    X(EIG_BUSY, 8, "the context is busy: another call runs on it")               \
    X(EIG_MPI_FAILURE, 9, "an MPI call failed")

typedef enum eig_status {
#define EIG_STATUS_ENUM(name, value, text) name = value,
    EIG_STATUS_LIST(EIG_STATUS_ENUM)
#undef EIG_STATUS_ENUM
} eig_status;

/* The text of a status, e.g. "a memory allocation failed".  Never NULL. */
EIG_API const char *eig_status_text(eig_status status);

/* Values of info.  A positive one says that the iteration did not end; the family's comment says what the number
 * counts.  For stemr a positive one says which bounds a pair misses. */
enum { EIG_INFO_OK = 0, EIG_INFO_NOT_FINITE = -1 };

/* The text of an info, e.g. "the input holds a NaN or an infinity".  Never NULL. */
EIG_API const char *eig_info_text(int info);

/* The same for geev, where n + 1 means: the eigenvalues are good, a vector within the bound was not found.  Never
 * NULL. */
EIG_API const char *eig_geev_info_text(int64_t n, int info);

/* The version of the library that runs, in the form of EIG_VERSION, which is that of this header. */
EIG_API int eig_version(void);

/* ------------------------------------------------------------------- types */

typedef enum eig_type { EIG_S = 's', EIG_D = 'd', EIG_C = 'c', EIG_Z = 'z' } eig_type;

/* Bytes of an element: 4, 8, 8, 16; 0 for any other value. */
EIG_API size_t eig_type_size(eig_type type);

/* A complex number; same layout as C99's float complex and double complex, and as std::complex. */
typedef struct eig_c {
    float re, im;
} eig_c;
typedef struct eig_z {
    double re, im;
} eig_z;

/* Where element (i, j), both from 0, of matrix b of a batch lies. */
typedef enum eig_layout {
    EIG_LAYOUT_MATRIX_WISE = 0,    /* a[i + j*lda + b*stride_a]: column-major, one matrix after the other; also 'M' */
    EIG_LAYOUT_ELEMENT_WISE = 'E', /* a[(i*lda + j)*stride_a + b]: the batch varies fastest; stride_a >= batch */
    EIG_LAYOUT_ROW_WISE = 'R'      /* a[i*stride_a + b*lda + j]: row i of all matrices; stride_a >= batch*lda */
} eig_layout;

/* ----------------------------------------------------------------- context */

typedef struct eig_context eig_context;

/* Opens a context on a device: "cpu", "cuda" (the first GPU), "cuda:1", "cuda:0,1" or "cuda:all" (several GPUs), or
 * "auto" (a GPU where one answers, else the CPU); NULL is "auto".  A failed call gives a context too, as sqlite3_open
 * does, so that eig_error_detail can say why (where memory is exhausted *ctx is NULL).  Every other call refuses this
 * context, and it must be destroyed.
 *
 * Several GPUs share each call; its arrays must be host arrays.  Matrices of a batch go to the GPU that is free.  Each
 * GPU computes some neighbouring eigenvalues or shifts of one large tridiagonal matrix, for stemr whole clusters.
 * Results have the bits of one GPU.  Two outputs differ.  The orthogonality of one T by stemr is the largest estimate
 * of any GPU for its own vectors.  Its stats are sums over the GPUs, but blocks, depth and largest_cluster are the
 * largest of any GPU, and representations counts T's blocks once for each GPU.  The first GPU alone computes small
 * calls, the methods for comparison, stemr with a tree, and a range by value where an end lies within rounding errors
 * of an eigenvalue.  Each GPU has a workspace of its own: work sizes are 0.  The time of a stage is that of the GPU
 * where it took longest.  Where one GPU fails, the others are stopped, and the call's sentence names it.  A GPU may be
 * named twice: two threads of the host then serve it.  On a machine with one GPU "cuda:all" is "cuda". */
EIG_API eig_status eig_create(eig_context **ctx, const char *device);

/* Releases a context and its workspace.  NULL is accepted.  Does nothing while a call runs on the context: in its own
 * progress callback, or in another thread.  Work that is enqueued still ends properly: eig_destroy waits for work that
 * uses the context's own workspace; work that uses a lent one goes on. */
EIG_API void eig_destroy(eig_context *ctx);

/* One sentence about the last call that failed on this context; "" if none did.  Valid until the next call. */
EIG_API const char *eig_error_detail(const eig_context *ctx);

/* What computes, e.g. "cpu avx512, 16 threads", "cuda:0 NVIDIA H200, sm_90" or "cuda:0,1 NVIDIA H200, sm_90".  Valid
 * until the next call.  The instruction set of a CPU context is the best that the machine has;
 * EIG_CPU=baseline|avx2|avx512 chooses another. */
EIG_API const char *eig_describe(eig_context *ctx);

/* Threads of a CPU context, and of the copies between pageable and pinned memory of a CUDA context.  0 = OpenMP's
 * default, or the CPU quota of the process's cgroup where that is less and OpenMP's number was not set.  At most 32
 * threads are started, or twice the processors that the process may run on where that is more.  Results do not depend
 * on the number.  heev and geev create threads of the context at the first call that wants them.  These stay awake for
 * some milliseconds after a call, then sleep.  All signals are blocked in them.  eig_destroy ends them.
 *
 * Where a thread cannot be created, libgomp ends the process.  The first calls of each calling thread therefore try
 * whether the threads can be created, and use fewer where a limit (RLIMIT_NPROC, pids.max, memory) forbids them.  One
 * case remains: other processes or threads reach a limit later, while libgomp enlarges its team. */
EIG_API eig_status eig_set_threads(eig_context *ctx, int threads);

/* Called from long computations with the fraction done, 0 to 1, always by the thread that made the call.  A non-zero
 * return cancels the computation: it returns EIG_CANCELLED and its outputs are undefined.  NULL removes the callback.
 * Calls on device arrays do not report progress.
 *
 * The callback must return.  It may use eig_error_detail and eig_describe on its own context; every other function is
 * refused with EIG_BUSY, and the computation goes on.  Other contexts are free. */
typedef int (*eig_progress)(void *user, double fraction);
EIG_API eig_status eig_set_progress(eig_context *ctx, eig_progress callback, void *user);

/* Lends memory to the context for the workspace of its calls: bytes at work, on the side of the calls' arrays, aligned
 * to 256 bytes; it must stay valid while calls use it.  A call that needs more returns EIG_BAD_WORKSPACE.  NULL ends
 * the loan: the context then allocates a workspace of its own and keeps it.  eig_<family>_work_size tells how much a
 * call needs.  With host arrays on a CUDA context the loan is unused: the context stages them in memory of its own. */
EIG_API eig_status eig_set_workspace(eig_context *ctx, void *work, size_t bytes);

/* The CUDA stream (a cudaStream_t) on which the context enqueues its work from now on; NULL, with which a context
 * begins, is the default stream.  The stream must belong to the context's device and outlive its use here.  Work on
 * the new stream that uses the context's workspace waits, on the device, for what still uses it on the old one.
 * While a stream is captured into a CUDA graph, calls on it need a lent workspace, which the graph then uses whenever
 * it is launched.  A CPU context accepts NULL only. */
EIG_API eig_status eig_set_stream(eig_context *ctx, void *stream);

/* Waits until everything that the context has enqueued is done.  Calls on device arrays return before that, calls on
 * host arrays after. */
EIG_API eig_status eig_synchronize(eig_context *ctx);

/* The time of one stage ("pass") of a call. */
typedef struct eig_pass {
    size_t size;      /* sizeof(eig_pass): lets the structure grow */
    const char *name; /* e.g. "reduction" */
    double ms;
} eig_pass;

#define EIG_PASS                    \
    {                               \
        sizeof(eig_pass), NULL, 0.0 \
    }

/* on = 1: later calls measure how long their stages take; 0: they do not.  On device arrays a call that measures waits
 * for its work, and is refused while its stream is captured. */
EIG_API eig_status eig_set_timing(eig_context *ctx, int on);

/* The path of the last computation through the library: the name of its row in the family's table
 * (docs/families/heev.md, docs/maintainers/cuda/heev.md and so on), e.g. "warp", and the algorithm where the path has
 * several: "blocks, Aberth", "blocks, QR".  With several devices it is that of the first one; "" where there was none,
 * or where a call runs.  Valid while the library is loaded.  Since 0.3. */
EIG_API const char *eig_get_road(const eig_context *ctx);

/* The number of stages of the last call that measured them; 0 where no call did, or where one runs.  Since 0.3. */
EIG_API int eig_get_passes(const eig_context *ctx);

/* Stage number k of that call, from 0:
 *     eig_pass pass = EIG_PASS;
 *     for (int k = 0; k < eig_get_passes(ctx) && eig_get_pass(ctx, k, &pass) == EIG_OK; ++k)
 *         printf("%s %g ms\n", pass.name, pass.ms);
 * Returns EIG_BAD_ARGUMENT where there is no such stage, EIG_BUSY where a call runs; neither writes a sentence.  The
 * name is valid while the library is loaded.  Since 0.3. */
EIG_API eig_status eig_get_pass(const eig_context *ctx, int k, eig_pass *pass);

/* What the certificates of the last call of heev or geev found (see no_certificate in eig_heev_options): the number of
 * matrices that failed one and were solved again by the plain version, and the number of eigenvectors of geev that
 * failed and were computed again.  Either may be NULL.  Both are 0 where the call certified nothing, as in other
 * families.  A correct library solves no matrix again; it may compute many vectors again where matrices are badly
 * scaled.  After a call on device arrays it waits for the context's stream, which must not be captured.  Since 0.3. */
EIG_API eig_status eig_get_repairs(eig_context *ctx, int64_t *matrices, int64_t *vectors);

/* ------------------------------------------------------------------- stebz */

typedef enum eig_range {
    EIG_RANGE_ALL = 0,     /* also 'A' */
    EIG_RANGE_INDEX = 'I', /* eigenvalues il to iu, 1-based, inclusive */
    EIG_RANGE_VALUE = 'V'  /* eigenvalues in the half-open interval (vl, vu] */
} eig_range;

/* Ranges by value: one rule for eigenvalues and eigenpairs of a tridiagonal T, on every device.  eig_dstebz_count of T
 * at the doubles after vl and vu decides which eigenvalues lie in (vl, vu].  So stebz and stemr find the same number of
 * eigenvalues of the same T and range; adjacent ranges hold each eigenvalue once; and of a diagonal T they hold exactly
 * its entries.  Every w that is returned lies in (vl, vu].  Where the error of a w has taken it outside, it is moved to
 * the nearest number of its type in the range, and its enclosure is widened to hold it; all other w have the bits of
 * the full run.  For floats vl and vu are first rounded down to floats.  vl = -infinity and vu = infinity include
 * eigenvalues that overflow, whose w is infinite; DBL_MAX is as good as infinity. */

typedef enum eig_stebz_method {
    EIG_STEBZ_MULTISECTION = 0,  /* one table of shifts, then an independent bracket for each eigenvalue */
    EIG_STEBZ_INTERVAL_TREE = 1, /* Lessig's Algorithms 2 to 6 with the monotone pivot count */
    EIG_STEBZ_REFERENCE = 2      /* the plain version: every eigenvalue bisected by itself, with pivot counts */
} eig_stebz_method;

/* Begin with EIG_STEBZ_OPTIONS (all defaults), then set what differs:
 *     eig_stebz_options options = EIG_STEBZ_OPTIONS;
 *     options.range = EIG_RANGE_INDEX, options.il = 1, options.iu = 10; */
typedef struct eig_stebz_options {
    size_t size;              /* sizeof(eig_stebz_options): lets the structure grow */
    eig_range range;          /* all */
    eig_stebz_method method;  /* multisection */
    int64_t il, iu;           /* for EIG_RANGE_INDEX: 1 <= il <= iu <= n */
    double vl, vu;            /* for EIG_RANGE_VALUE: vl < vu; infinities are allowed */
    double abstol;            /* a bracket of this width is narrow enough; 0 = eps*||T||.  See eig_dstebz */
    double reltol;            /* a bracket of this width, relative to its larger end, is narrow enough; 0 = 2*eps */
    int same_bits_in_batches; /* no effect: a matrix always has the same bits alone and in a batch.  Since 0.3 */
    int reserved;             /* 0 */
} eig_stebz_options;

#define EIG_STEBZ_OPTIONS                                                                                \
    {                                                                                                    \
        sizeof(eig_stebz_options), EIG_RANGE_ALL, EIG_STEBZ_MULTISECTION, 0, 0, 0.0, 0.0, 0.0, 0.0, 0, 0 \
    }

/* All defaults in size = sizeof *options bytes, for callers that cannot use the macro. */
EIG_API void eig_stebz_options_init(eig_stebz_options *options, size_t size);

/* Eigenvalues of a real symmetric tridiagonal matrix T = tridiag(e, d, e), all or some, by bisection.
 *
 *   ctx      context
 *   options  NULL = all eigenvalues to full accuracy
 *   n        order of T, n >= 0
 *   d        [n]    diagonal
 *   e        [n-1]  off-diagonal; may be NULL when n <= 1
 *   m        [1]    out: the number of eigenvalues found; may be NULL where the range is not by value
 *   w        [n]    out: the eigenvalues, ascending, in w[0..m-1] ([iu-il+1] suffices for EIG_RANGE_INDEX)
 *   lower, upper    [as w] out, or both NULL: lower[k] <= exact eigenvalue <= upper[k]
 *   info     [1]    out, or NULL: 0, or EIG_INFO_NOT_FINITE (*m is 0; w, lower, upper are NaN)
 *
 * Each w[k] is the midpoint of a bracket [lo, hi] that Sturm counts prove to hold the eigenvalue asked for, with
 * hi - lo <= t = max(abstol, reltol*max(|lo|, |hi|)).  Its error is at most t/2 plus 3 eps ||T||, where eps is
 * DBL_EPSILON or FLT_EPSILON and ||T|| the largest absolute row sum.  A positive abstol below eps*||T|| selects the
 * pivot count with exact splitting, which finds small eigenvalues of graded matrices to high relative accuracy where T
 * determines them (as LAPACK's dstebz does); it takes several times as long (docs/families/stebz.md).  Where ||T||
 * exceeds 2^960 (1e289), numbers below 2^-956 lose digits; multisection on a CPU keeps the digits of rows whose
 * off-diagonals are 0.  Where the middle of a bracket overflows and the bracket does not, w is the largest number.  The
 * comment at eig_range has the rule of EIG_RANGE_VALUE.
 *
 * Returns EIG_OK, EIG_BAD_ARGUMENT, EIG_BAD_WORKSPACE, EIG_NO_MEMORY, EIG_CANCELLED or EIG_CUDA_FAILURE.
 * Device arrays: enqueued on the context's stream; does not synchronise unless times are measured, and can be captured
 * in a CUDA graph where the workspace is lent; m and info are device arrays too.
 * Stages: "preparation" (on a CPU the only one for a small T); then for multisection "table" and "brackets", or
 * where T splits on a CPU "blocks" and "sorting" (a GPU does these in the preparation), for the interval tree "step 1",
 * "one-intervals" and "mult-intervals", for the reference "bisection".  A batch that one kernel or several threads
 * solve has "batch"; on a GPU also "small" (a batch of small matrices) and "whole" (one matrix in one launch).
 * The bits are the same for any number of threads, from run to run, alone and in a batch; a range has the bits of the
 * full run.
 * Cost: O(n) a count; about 10 counts an eigenvalue on generic matrices after a table of n to 2n counts.  Where
 * off-diagonals of T are negligible its blocks are solved by themselves: n is then that of the block.  A bracket
 * halves at least every fourth count, so that an eigenvalue takes no more than about 250.
 * Source: W. Kahan, Stanford CS41 (1966); J. Demmel, I. Dhillon and H. Ren, ETNA 3 (1995); docs/families/stebz.md. */
EIG_API eig_status eig_dstebz(eig_context *ctx, const eig_stebz_options *options, int64_t n, const double *d,
                              const double *e, int64_t *m, double *w, double *lower, double *upper, int *info);
EIG_API eig_status eig_sstebz(eig_context *ctx, const eig_stebz_options *options, int64_t n, const float *d,
                              const float *e, int64_t *m, float *w, float *lower, float *upper, int *info);
EIG_API eig_status eig_stebz(eig_context *ctx, eig_type type, const eig_stebz_options *options, int64_t n,
                             const void *d, const void *e, int64_t *m, void *w, void *lower, void *upper, int *info);

/* The same for batch matrices of one order n.
 *
 *   d        [n] every stride_d entries, stride_d >= n
 *   e        [n-1] every stride_e entries, stride_e >= n-1
 *   w        [n] every stride_w entries ([iu-il+1] for EIG_RANGE_INDEX); likewise lower and upper
 *   info     [batch] out, or NULL: as above, of each matrix
 *
 * Ranges: all, or by index.  Returns as eig_dstebz. */
EIG_API eig_status eig_dstebz_batched(eig_context *ctx, const eig_stebz_options *options, int64_t n, const double *d,
                                      int64_t stride_d, const double *e, int64_t stride_e, double *w, double *lower,
                                      double *upper, int64_t stride_w, int *info, int64_t batch);
EIG_API eig_status eig_sstebz_batched(eig_context *ctx, const eig_stebz_options *options, int64_t n, const float *d,
                                      int64_t stride_d, const float *e, int64_t stride_e, float *w, float *lower,
                                      float *upper, int64_t stride_w, int *info, int64_t batch);
EIG_API eig_status eig_stebz_batched(eig_context *ctx, eig_type type, const eig_stebz_options *options, int64_t n,
                                     const void *d, int64_t stride_d, const void *e, int64_t stride_e, void *w,
                                     void *lower, void *upper, int64_t stride_w, int *info, int64_t batch);

/* count[j] = the number of eigenvalues of T that are smaller than x[j], for j = 0..m-1 (the Sturm count).
 *
 *   m        the number of shifts, m >= 0
 *   x        [m] the shifts; may hold infinities
 *   count    [m] out: the counts
 *   info     [1] out, or NULL: 0, or EIG_INFO_NOT_FINITE where T holds a NaN or an infinity (all counts are -1) or x
 *            holds a NaN (its count is -1)
 *
 * Uses the pivot count, which is monotone in x and exact for a matrix whose off-diagonals differ from T's by a few
 * eps relative.  It is exact for a diagonal T, and for rows of any T whose off-diagonals are 0.  Returns as eig_dstebz.
 * Stage: "counts". */
EIG_API eig_status eig_dstebz_count(eig_context *ctx, int64_t n, const double *d, const double *e, int64_t m,
                                    const double *x, int64_t *count, int *info);
EIG_API eig_status eig_sstebz_count(eig_context *ctx, int64_t n, const float *d, const float *e, int64_t m,
                                    const float *x, int64_t *count, int *info);
EIG_API eig_status eig_stebz_count(eig_context *ctx, eig_type type, int64_t n, const void *d, const void *e, int64_t m,
                                   const void *x, int64_t *count, int *info);

/* Bytes of workspace that a call takes, exactly; batch 1 for the single form.  With a CUDA context this is for device
 * arrays.  On a CPU it depends on the number of threads. */
EIG_API eig_status eig_stebz_work_size(eig_context *ctx, eig_type type, const eig_stebz_options *options, int64_t n,
                                       int64_t batch, size_t *bytes);
EIG_API eig_status eig_stebz_count_work_size(eig_context *ctx, eig_type type, int64_t n, int64_t m, size_t *bytes);

/* ------------------------------------------------------------------- stemr */

typedef enum eig_stemr_method {
    EIG_STEMR_AUTO = 0,      /* the fastest: on a CPU mrrr, for a short T QL sweeps; on a GPU see eig_dstemr */
    EIG_STEMR_REFERENCE = 1, /* the plain version: one pair after the other */
    EIG_STEMR_MRRR = 2       /* the tree of relatively robust representations, many pairs at a time */
} eig_stemr_method;

/* info[k] of a pair is the sum of those that apply, or EIG_INFO_OK or EIG_INFO_NOT_FINITE. */
enum {
    EIG_STEMR_RESIDUAL = 1,     /* the residual is above its bound */
    EIG_STEMR_ORTHOGONALITY = 2 /* the vector may not be orthogonal to others within the bound */
};

/* A cluster of the tree of representations. */
typedef struct eig_stemr_node {
    size_t size;      /* sizeof(eig_stemr_node): lets the structure grow */
    int64_t parent;   /* the number of the node of which it is a part; -1: it is a part of a whole block */
    int64_t members;  /* its eigenvalues */
    int level;        /* 1, 2, ... */
    int good;         /* 1: it has a representation; 0: no shift gave one */
    double low, high; /* its least and its largest eigenvalue */
    double shift;     /* its representation is one of T - shift */
    double growth;    /* the largest pivot of that representation, over ||T|| */
} eig_stemr_node;

/* Begin with EIG_STEMR_OPTIONS (all defaults), then set what differs. */
typedef struct eig_stemr_options {
    size_t size;             /* sizeof(eig_stemr_options): lets the structure grow */
    eig_range range;         /* all */
    eig_stemr_method method; /* auto */
    int64_t il, iu;          /* for EIG_RANGE_INDEX: 1 <= il <= iu <= n */
    double vl, vu;           /* for EIG_RANGE_VALUE: vl < vu; infinities are allowed */
    eig_stemr_node *tree; /* [tree_room] out, or NULL: the clusters of all levels, parents before children, as many as
                                there is room for; the caller sets tree[0].size.  stats.nodes tells how many were
                                written: on CUDA none unless the method is mrrr.  NULL for a batch */
    int64_t tree_room;
    int most_depth;     /* for experiments; levels of clusters that get a representation of their own; deeper clusters
                           go to inverse iteration.  0 = 6, the largest; -1 = none.  On CUDA auto makes no
                           representation of clusters: -1 sends all of them to inverse iteration, other numbers are
                           ignored */
    int no_certificate; /* 0: measure every vector, and compute again those that fail; 1: do not */
    int same_bits_in_batches; /* 1: on a GPU, as always on a CPU, a matrix has the same bits alone and in a batch of any
                                 size; few matrices can then take longer.  Since 0.3 */
    int reserved;             /* 0 */
} eig_stemr_options;

#define EIG_STEMR_OPTIONS                                                                             \
    {                                                                                                 \
        sizeof(eig_stemr_options), EIG_RANGE_ALL, EIG_STEMR_AUTO, 0, 0, 0.0, 0.0, NULL, 0, 0, 0, 0, 0 \
    }

/* All defaults in size = sizeof *options bytes, for callers that cannot use the macro. */
EIG_API void eig_stemr_options_init(eig_stemr_options *options, size_t size);

/* What a call did.  Begin with EIG_STEMR_STATS. */
typedef struct eig_stemr_stats {
    size_t size;                 /* sizeof(eig_stemr_stats): lets the structure grow */
    int64_t blocks;              /* into which T splits */
    int64_t representations;     /* of blocks and clusters */
    int64_t depth;               /* levels of clusters with representations */
    int64_t clusters;            /* of all levels */
    int64_t largest_cluster;     /* number of its eigenvalues */
    int64_t shifts;              /* tried for clusters */
    int64_t bad_representations; /* clusters for which no shift gave one */
    int64_t skew;                /* neighbours in a cluster whose vectors were found not to be orthogonal */
    int64_t inverse_iterations;  /* vectors by inverse iteration, the fallback */
    int64_t nodes;               /* written to options.tree */
} eig_stemr_stats;

#define EIG_STEMR_STATS                                       \
    {                                                         \
        sizeof(eig_stemr_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/* Eigenvalues and, where wanted, eigenvectors of a real symmetric tridiagonal matrix T = tridiag(e, d, e), all or some,
 * by multiple relatively robust representations: T z = w z.
 *
 *   ctx       context
 *   options   NULL = all eigenpairs
 *   n         order of T, n >= 0
 *   d         [n]    diagonal
 *   e         [n-1]  off-diagonal; may be NULL when n <= 1
 *   m         [1]    out: the number of eigenpairs found; may be NULL where the range is not by value
 *   w         [n]    out: the eigenvalues, ascending, in w[0..m-1] ([iu-il+1] suffices for EIG_RANGE_INDEX, here and
 *                    in all outputs that follow)
 *   z         [ldz*n] out, or NULL: eigenvalues only.  z[i + k*ldz] is element i of the vector of w[k], of length 1
 *   ldz       >= max(1, n); unused where z is NULL
 *   isuppz    [2n]   out, or NULL: the vector of w[k] is 0 outside its elements isuppz[2k] to isuppz[2k+1], from 1.
 *                    Not written where z is NULL
 *   info      [n]    out, or NULL: for each pair 0, or the sum of EIG_STEMR_RESIDUAL and EIG_STEMR_ORTHOGONALITY that
 *                    says which bounds it misses; EIG_INFO_NOT_FINITE where T is not finite (*m is 0; all outputs are
 *                    NaN: iu-il+1 pairs with EIG_RANGE_INDEX, else n)
 *   residual  [n]    out, or NULL: ||T z - w z|| of each pair, measured on the outputs
 *   orthogonality  [1] out, or NULL: an estimate of the longest row of Z'Z - I, by four random vectors of 1 and -1.
 *                    residual and orthogonality are not written where z is NULL
 *   stats     out, or NULL: what the call did; always in host memory
 *
 * Certificates: an info of 0 says that ||T z - w z|| and the length of z were measured, on the numbers that are stored,
 * and are within their bounds.  A vector that fails is computed again by inverse iteration; stats.inverse_iterations
 * counts it.  One that fails again has EIG_STEMR_RESIDUAL in info; so has, on a CPU, any vector of a short block that
 * fails.  options->no_certificate = 1 skips these tests: info then follows from the factorisation alone.  Only
 * neighbours are tested for orthogonality, no other vectors of close eigenvalues.
 * Bounds: |w[k] - exact| <= 4 eps ||T||, ||T z - w z|| <= 10 n eps ||T||, max |Z'Z - I| <= 10 n eps, for every T that
 * is finite, whatever its clusters; eps is DBL_EPSILON or FLT_EPSILON, ||T|| the largest absolute row sum.  Eigenvalues
 * that are much smaller than ||T|| have no relative accuracy.
 * Sign of a vector: consider the elements whose modulus is at least 1 - 2^-10 times the largest one; the first of them
 * is positive.  This rule holds on every device, for every method, alone and in a batch.  Rounding can change the
 * choice only where a modulus equals that bound up to the vector's error, never between elements that differ by
 * rounding alone.
 * The comment at eig_range has the rule of EIG_RANGE_VALUE; residual is that of the w returned.
 * A subset has the bits of the full run, except for vectors by inverse iteration, which stats counts; it takes O(n k)
 * time for k pairs.  Off-diagonals up to eps/4 of ||T|| may count as 0.
 *
 * Returns EIG_OK, EIG_BAD_ARGUMENT, EIG_BAD_WORKSPACE, EIG_NO_MEMORY, EIG_CANCELLED, or EIG_CUDA_FAILURE.
 * On a GPU a call waits for its stream, because the host reads counters from it; it cannot be captured in a graph.
 * Method auto on a GPU makes no tree of representations.  It separates the members of a cluster by factorisations of T
 * itself, with triple-double arithmetic where gaps are narrow; inverse iteration computes those that this does not
 * separate.  In stats depth and shifts are then 0, and representations is the number of T's blocks.
 * Stages: "root", "tree", "refinement", "vectors", "fallbacks"; for one or two rows on a CPU, method auto, "formulas".
 * The bits are the same for any number of threads and from run to run.  On a GPU a matrix may have other bits in a
 * batch than alone, where eig_get_road differs; options->same_bits_in_batches gives a single matrix the bits of a
 * batch.
 * Cost: O(n) a pair.  Memory beside z: O(n), on a CPU 2.3 KB a row and 1.8 KB a row more for each thread, on a GPU some
 * 5 KB a row and 10 MB, and 256 MB more where z is NULL.
 * Source: I. Dhillon and B. Parlett, Linear Algebra Appl. 387 (2004); C. Lessig and P. Bientinesi, On parallelizing the
 * MRRR algorithm for data-parallel coprocessors (2009); twice the digits: M. Petschow, E. Quintana-Orti and
 * P. Bientinesi, arXiv 1304.1864 (2013); docs/families/stemr.md. */
EIG_API eig_status eig_dstemr(eig_context *ctx, const eig_stemr_options *options, int64_t n, const double *d,
                              const double *e, int64_t *m, double *w, double *z, int64_t ldz, int64_t *isuppz,
                              int *info, double *residual, double *orthogonality, eig_stemr_stats *stats);
EIG_API eig_status eig_sstemr(eig_context *ctx, const eig_stemr_options *options, int64_t n, const float *d,
                              const float *e, int64_t *m, float *w, float *z, int64_t ldz, int64_t *isuppz, int *info,
                              float *residual, float *orthogonality, eig_stemr_stats *stats);
EIG_API eig_status eig_stemr(eig_context *ctx, eig_type type, const eig_stemr_options *options, int64_t n,
                             const void *d, const void *e, int64_t *m, void *w, void *z, int64_t ldz, int64_t *isuppz,
                             int *info, void *residual, void *orthogonality, eig_stemr_stats *stats);

/* The same for batch matrices of one order n.  Since 0.3.
 *
 *   d, e      as for eig_dstebz_batched
 *   m         [batch] out: as above, of each matrix
 *   w         [n] every stride_w entries ([iu-il+1] for EIG_RANGE_INDEX); likewise info and residual, and isuppz every
 *             2*stride_w
 *   z         the vectors of matrix b begin at z[b*stride_z], stride_z >= ldz*n (ldz*(iu-il+1)); unused where z is NULL
 *   orthogonality  [batch] out, or NULL
 *   stats     out, or NULL: sums over the batch; blocks, depth and largest_cluster are the largest of any matrix
 *
 * options->tree must be NULL.  On a CPU each matrix has the results of eig_dstemr.  Threads share the matrices where
 * there is work for several (stage "batch"); else the matrices are solved one after the other, and progress is
 * reported between them.  A lent workspace that is k times what eig_stemr_work_size gives for one thread serves k
 * threads.
 * On a GPU method auto solves the short matrices of a batch together (stage "batch"), by other algorithms than a single
 * matrix; eig_get_road tells which.  The bounds hold, but the last bits differ from those of a single matrix; they are
 * the same in any such batch.  isuppz then names all rows.  A call takes as many matrices at a time as a lent workspace
 * has room for.  Several GPUs share the matrices, with the same bits; where there are fewer large matrices than GPUs,
 * they share each. */
EIG_API eig_status eig_dstemr_batched(eig_context *ctx, const eig_stemr_options *options, int64_t n, const double *d,
                                      int64_t stride_d, const double *e, int64_t stride_e, int64_t *m, double *w,
                                      int64_t stride_w, double *z, int64_t ldz, int64_t stride_z, int64_t *isuppz,
                                      int *info, double *residual, double *orthogonality, eig_stemr_stats *stats,
                                      int64_t batch);
EIG_API eig_status eig_sstemr_batched(eig_context *ctx, const eig_stemr_options *options, int64_t n, const float *d,
                                      int64_t stride_d, const float *e, int64_t stride_e, int64_t *m, float *w,
                                      int64_t stride_w, float *z, int64_t ldz, int64_t stride_z, int64_t *isuppz,
                                      int *info, float *residual, float *orthogonality, eig_stemr_stats *stats,
                                      int64_t batch);
EIG_API eig_status eig_stemr_batched(eig_context *ctx, eig_type type, const eig_stemr_options *options, int64_t n,
                                     const void *d, int64_t stride_d, const void *e, int64_t stride_e, int64_t *m,
                                     void *w, int64_t stride_w, void *z, int64_t ldz, int64_t stride_z, int64_t *isuppz,
                                     int *info, void *residual, void *orthogonality, eig_stemr_stats *stats,
                                     int64_t batch);

/* Bytes of workspace that a call of either form takes, exactly; vectors: 0 where its z is NULL, else 1.  On a CPU it
 * depends on the number of threads. */
EIG_API eig_status eig_stemr_work_size(eig_context *ctx, eig_type type, const eig_stemr_options *options, int64_t n,
                                       int vectors, size_t *bytes);

/* -------------------------------------------------------------------- heev */

typedef enum eig_heev_method {
    EIG_HEEV_AUTO = 0,        /* by n, from measurements; Jacobi where options->relative is set */
    EIG_HEEV_JACOBI = 1,      /* rotations by pairs of columns until A is diagonal */
    EIG_HEEV_TRIDIAGONAL = 2, /* Householder reduction to tridiagonal form, then the eigenpairs of that; on CUDA the
                                 smallest matrices take Jacobi */
    EIG_HEEV_REFERENCE = 3    /* the plain version: two-sided Jacobi, one matrix by one CPU thread or thread block */
} eig_heev_method;

/* Which triangle of a Hermitian matrix is read. */
typedef enum eig_uplo {
    EIG_UPLO_LOWER = 0,  /* elements (i, j) with i >= j; also 'L' */
    EIG_UPLO_UPPER = 'U' /* those with i <= j */
} eig_uplo;

/* Begin with EIG_HEEV_OPTIONS (all defaults), then set what differs. */
typedef struct eig_heev_options {
    size_t size;            /* sizeof(eig_heev_options): lets the structure grow */
    eig_uplo uplo;          /* the triangle of A that is read; 0 = lower */
    eig_layout layout;      /* of a; matrix-wise */
    eig_heev_method method; /* auto */
    int row_major;          /* 1: element (i, j) of a and of v lies where the layout has (j, i); uplo is that of A */
    int relative; /* 1: small eigenvalues of a positive definite A to high relative accuracy, by Jacobi rotations.  See
                     eig_dsyev_batched */
    eig_range range;  /* all */
    int64_t il, iu;   /* for EIG_RANGE_INDEX: 1 <= il <= iu <= n */
    double vl, vu;    /* for EIG_RANGE_VALUE: vl < vu; infinities are allowed */
    int64_t chunk;    /* CUDA, host arrays: matrices that are copied and computed together; 0 = chosen */
    double tolerance; /* Jacobi: |a_pq| <= tolerance*||A||/n counts as 0, with the Frobenius norm; if relative,
                         |a_pq| <= tolerance*sqrt(|a_pp a_qq|); 0 = eps of the type */
    int max_sweeps; /* for experiments; Jacobi sweeps, or QL steps per eigenvalue, until a matrix is given up; 0 = 30 */
    int no_certificate;       /* 0: test every answer, and solve again where a test fails; 1: do not */
    int same_bits_in_batches; /* 1: on a GPU, as always on a CPU, a matrix has the same bits alone and in a batch of any
                                 size; few matrices can then take longer.  Since 0.3 */
    int reserved;             /* 0 */
} eig_heev_options;

#define EIG_HEEV_OPTIONS                                                                                            \
    {                                                                                                               \
        sizeof(eig_heev_options), EIG_UPLO_LOWER, EIG_LAYOUT_MATRIX_WISE, EIG_HEEV_AUTO, 0, 0, EIG_RANGE_ALL, 0, 0, \
            0.0, 0.0, 0, 0.0, 0, 0, 0, 0                                                                            \
    }

/* All defaults in size = sizeof *options bytes, for callers that cannot use the macro. */
EIG_API void eig_heev_options_init(eig_heev_options *options, size_t size);

/* Eigenvalues and, where wanted, eigenvectors of batch Hermitian (real: symmetric) n x n matrices, all or some:
 * A V = V diag(w).
 *
 *   ctx       context
 *   options   NULL = all defaults
 *   n         order of the matrices, n >= 0
 *   a         the matrices, see eig_layout.  Only the triangle that options->uplo names is read, and only the real
 *             parts of the diagonal.  Not changed, unless the call is in place
 *   lda       >= max(1, n)
 *   stride_a  matrix-wise: distance of two matrices, >= lda*n; else see eig_layout.  batch = 1 matrix-wise: unused
 *   m         [batch] out: the number of eigenvalues found of each matrix; may be NULL where the range is not by value
 *   w         [n] every stride_w entries, out, real: the eigenvalues of matrix b, ascending, at w[b*stride_w]
 *             ([iu-il+1] suffices for EIG_RANGE_INDEX, here and for the columns of v)
 *   stride_w  >= n
 *   v         out, or NULL: eigenvalues only.  Column k of matrix b of v is the eigenvector of w[k + b*stride_w], of
 *             length 1: element i of it is v[i + k*ldv + b*stride_v] (row_major: v[i*ldv + k + b*stride_v])
 *   ldv       >= max(1, n); unused where v is NULL, as is stride_v
 *   stride_v  >= ldv*n (ldv*(iu-il+1); row_major: ldv*n)
 *   info      [batch] out, or NULL: 0, EIG_INFO_NOT_FINITE, or k > 0
 *   sweeps    [batch] out, or NULL: the number of Jacobi sweeps of each matrix; 0 unless Jacobi ran
 *
 * In place: v may be a, with ldv = lda, stride_v = stride_a, the matrix-wise layout and all eigenvalues.
 *
 * A range gives the bits of the full run, with three exceptions: vectors by inverse iteration (see eig_dstemr); a w
 * that is moved into a range by value; and a range by value of a large matrix on a CPU without vectors, where another
 * reduction is taken.  With vectors, on CUDA, one matrix or a few of larger orders take O(n^2 k) for k pairs after the
 * reduction.  All other calls compute all pairs and return those asked for.
 * EIG_RANGE_VALUE: every w that is returned lies in (vl, vu]; the other places of w and v, up to n, keep their
 * contents.  A range by value finds no eigenvalue of a matrix that is not finite.  On a CPU, for n > 64 and the
 * tridiagonal method, the rule at eig_range, applied to the T that A is reduced to, decides which eigenvalues lie in
 * the range, with vectors and without.  It also decides on CUDA with vectors where the pairs of the range alone are
 * computed.  Otherwise the w that a call without vectors computes decides, with vectors too: on CUDA a call with
 * vectors computes these w first, with the time and workspace of such a call, and moves a w that is outside into the
 * range.
 *
 * Backward stable: ||A V - V diag(w)|| <= 10 n eps ||A|| and ||V^H V - I|| <= 10 n eps (both for n < 4: 40 eps) in
 * Frobenius' norm, eps DBL_EPSILON or FLT_EPSILON.  The tests demand these bounds.  Intermediate results do not over-
 * or underflow where entries lie from 1e-300 to 1e300 (f: 1e-37 to 1e37).  options->relative, for positive definite A:
 * each eigenvalue has a relative error of at most 4 n eps times the condition number of D^-1 A D^-1, where D^2 is the
 * diagonal of A.  That number is small for graded matrices.  D^2 and the eigenvalues must lie from 1e-300 to 1e300 (f:
 * 1e-33 to 1e33).
 * Phase (sign) of a vector: consider the components whose modulus is at least 1 - 2^-10 times the largest one; the
 * first of them is real and positive, its imaginary part exactly 0.  This rule holds on every device, for every method,
 * alone and in a batch.  Rounding can change the choice only where a modulus equals that bound up to the vector's
 * error, some eps ||A|| over the gap of its eigenvalue, never between components that differ by rounding alone, as
 * those of a symmetric Toeplitz matrix do.
 *
 * info[b] = EIG_INFO_NOT_FINITE: the triangle of matrix b holds a NaN or an infinity; its w and v are all NaN.
 * info[b] = k > 0: after options->max_sweeps k eigenvalues have not converged, or k exceed the largest number by more
 * than 10 n eps; the last k of w and their vectors are NaN, the others are good and ascend.
 * Certificates: an info of 0 says that these tests passed.  The sum of w is the trace of A within 10 n eps ||A||, and
 * the sum of w^2 is ||A||^2 within 20 n eps ||A||^2, in Frobenius' norm (Jacobi: and within what options->tolerance
 * leaves).  Each vector has length 1.  On CUDA all pairs together also satisfy x^H A x = sum w |x^H v|^2 for one
 * pseudo-random vector x.  A matrix that fails is solved again by the plain version; eig_get_repairs counts it.  One
 * that fails there too, or is not solved again, has info[b] = n, and its w and v are NaN.  Calls in place are not
 * solved again, nor on CUDA the smallest matrices and, by method auto, few matrices of small order.  Where the pairs of
 * a range alone were computed, only the lengths of the vectors are tested.  options->no_certificate = 1 skips all
 * tests.
 *
 * Returns EIG_OK, EIG_BAD_ARGUMENT, EIG_BAD_WORKSPACE, EIG_NO_MEMORY, EIG_CANCELLED, EIG_CUDA_FAILURE, or
 * EIG_NO_BACKEND where the device has no code for the call.
 * Device arrays: enqueued on the context's stream; does not synchronise unless times are measured, and can be captured
 * in a CUDA graph where the workspace is lent.  One exception: with vectors, one matrix or a few of larger orders
 * (docs/maintainers/cuda/heev-large.md) wait for the stream, as eig_dstemr does.  In a capture they take divide and
 * conquer, with other bits; larger ones, and those with a range, are refused.  On CUDA, for n > 32, Jacobi stops at the
 * rounding errors of its products (docs/maintainers/cuda/heev.md) where the tolerance is smaller.  There method
 * tridiagonal has no sweeps, nor has method auto for few matrices of small order: info[b] is then 0 or n.  With
 * max_sweeps of 30 and more, small matrices take QL only where twisted factorisations fail.
 * Stages: CPU "all"; CUDA "reduction", "tridiagonal" and "vectors" (small: "tridiagonal" alone), or "sweeps".
 * Bits: on one device the same for any batch position, layout, triangle, chunking and number of CPU threads.  On CUDA
 * the number of matrices of a call may choose other kernels, which have other bits: eig_get_road tells which.
 * options->same_bits_in_batches chooses kernels that give a matrix the same bits for any number, mostly those of large
 * batches: few matrices can then take many times as long.  On a CPU, n > 64, w may differ in the last places with
 * vectors and without.
 * Source: C. Jacobi, J. reine angew. Math. 30 (1846); J. Demmel and K. Veselic, SIAM J. Matrix Anal. Appl. 13 (1992);
 * R. Huang, S. Liu and Y. Zhao, Computer Science 50 (2023). */
EIG_API eig_status eig_dsyev_batched(eig_context *ctx, const eig_heev_options *options, int64_t n, const double *a,
                                     int64_t lda, int64_t stride_a, int64_t *m, double *w, int64_t stride_w, double *v,
                                     int64_t ldv, int64_t stride_v, int *info, int *sweeps, int64_t batch);
EIG_API eig_status eig_ssyev_batched(eig_context *ctx, const eig_heev_options *options, int64_t n, const float *a,
                                     int64_t lda, int64_t stride_a, int64_t *m, float *w, int64_t stride_w, float *v,
                                     int64_t ldv, int64_t stride_v, int *info, int *sweeps, int64_t batch);
EIG_API eig_status eig_zheev_batched(eig_context *ctx, const eig_heev_options *options, int64_t n, const eig_z *a,
                                     int64_t lda, int64_t stride_a, int64_t *m, double *w, int64_t stride_w, eig_z *v,
                                     int64_t ldv, int64_t stride_v, int *info, int *sweeps, int64_t batch);
EIG_API eig_status eig_cheev_batched(eig_context *ctx, const eig_heev_options *options, int64_t n, const eig_c *a,
                                     int64_t lda, int64_t stride_a, int64_t *m, float *w, int64_t stride_w, eig_c *v,
                                     int64_t ldv, int64_t stride_v, int *info, int *sweeps, int64_t batch);

/* The type is that of a and v; w is real. */
EIG_API eig_status eig_heev_batched(eig_context *ctx, eig_type type, const eig_heev_options *options, int64_t n,
                                    const void *a, int64_t lda, int64_t stride_a, int64_t *m, void *w, int64_t stride_w,
                                    void *v, int64_t ldv, int64_t stride_v, int *info, int *sweeps, int64_t batch);

/* The same for one matrix: a is column-major (row_major: row-major); m, info and sweeps are [1].  Since 0.3. */
EIG_API eig_status eig_dsyev(eig_context *ctx, const eig_heev_options *options, int64_t n, const double *a, int64_t lda,
                             int64_t *m, double *w, double *v, int64_t ldv, int *info, int *sweeps);
EIG_API eig_status eig_ssyev(eig_context *ctx, const eig_heev_options *options, int64_t n, const float *a, int64_t lda,
                             int64_t *m, float *w, float *v, int64_t ldv, int *info, int *sweeps);
EIG_API eig_status eig_zheev(eig_context *ctx, const eig_heev_options *options, int64_t n, const eig_z *a, int64_t lda,
                             int64_t *m, double *w, eig_z *v, int64_t ldv, int *info, int *sweeps);
EIG_API eig_status eig_cheev(eig_context *ctx, const eig_heev_options *options, int64_t n, const eig_c *a, int64_t lda,
                             int64_t *m, float *w, eig_c *v, int64_t ldv, int *info, int *sweeps);
EIG_API eig_status eig_heev(eig_context *ctx, eig_type type, const eig_heev_options *options, int64_t n, const void *a,
                            int64_t lda, int64_t *m, void *w, void *v, int64_t ldv, int *info, int *sweeps);

/* Bytes of workspace that a call of any of these forms takes, exactly; vectors: 0 where its v is NULL, else 1.  With a
 * CUDA context this is for device arrays.  It is then at most 256 MB, for n > 32 also at most the size of a dense input
 * where that is more, unless a single matrix needs more; a range takes 256 MB more.  On a CPU it depends on the number
 * of threads. */
EIG_API eig_status eig_heev_work_size(eig_context *ctx, eig_type type, const eig_heev_options *options, int64_t n,
                                      int vectors, int64_t batch, size_t *bytes);

/* -------------------------------------------------------------------- geev */

typedef enum eig_geev_method {
    EIG_GEEV_AUTO = 0,     /* by n, from measurements; threads_per_matrix = 1 keeps small matrices in registers */
    EIG_GEEV_SWB = 1,      /* single-warp based: each warp computes whole matrices, p threads a matrix */
    EIG_GEEV_MWB = 2,      /* multiple-warp based: p warps compute 32 matrices, a lane a matrix */
    EIG_GEEV_REFERENCE = 3 /* the plain version: one matrix by one CPU thread, or by one thread block */
} eig_geev_method;

/* One number for all eigenvalues w of a matrix. */
typedef enum eig_geev_measure {
    EIG_GEEV_ABSCISSA = 0, /* max re w: negative where x' = A x is stable; also 'A' */
    EIG_GEEV_RADIUS = 'R', /* max |w|: below 1 where x(k+1) = A x(k) is stable */
    EIG_GEEV_DAMPING = 'D' /* min of -re w / |w|, the least damping ratio; w = 0 counts as -1 */
} eig_geev_measure;

/* Begin with EIG_GEEV_OPTIONS (all defaults), then set what differs. */
typedef struct eig_geev_options {
    size_t size;            /* sizeof(eig_geev_options): lets the structure grow */
    eig_layout layout;      /* of the input; matrix-wise */
    eig_geev_method method; /* auto; on a CPU swb and mwb are auto */
    int no_balance;         /* 1: do not permute and scale the matrices by powers of two first, unlike LAPACK's dgeev */
    int threads_per_matrix; /* on a GPU, for experiments: threads (swb) or warps (mwb) that share a matrix, 1 to 32;
                               0 = chosen */
    int64_t chunk;          /* CUDA, host arrays: matrices that are copied and computed together; 0 = chosen */
    int64_t max_steps;      /* QR steps between deflations after which a matrix is given up, for experiments;
                               0 = 30*max(10, n) */
    int no_certificate;     /* 0: test every answer, and solve again where a test fails; 1: do not.  Since 0.3 */
    int row_major;          /* 1: element (i, j) of a lies where the layout puts (j, i).  Since 0.3 */
    int same_bits_in_batches; /* 1: on a GPU, as always on a CPU, a matrix has the same bits alone and in a batch of any
                                 size; few matrices can then take longer.  Since 0.3 */
    int reserved;             /* 0 */
} eig_geev_options;

#define EIG_GEEV_OPTIONS                                                                        \
    {                                                                                           \
        sizeof(eig_geev_options), EIG_LAYOUT_MATRIX_WISE, EIG_GEEV_AUTO, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/* All defaults in size = sizeof *options bytes, for callers that cannot use the macro. */
EIG_API void eig_geev_options_init(eig_geev_options *options, size_t size);

/* Eigenvalues and, where wanted, eigenvectors of batch n x n matrices: A VR = VR diag(w), VL^H A = diag(w) VL^H.
 *
 *   ctx       context
 *   options   NULL = all defaults
 *   n         order of the matrices, n >= 0
 *   a         the matrices, see eig_layout; not changed.  options->row_major = 1: each matrix lies row by row, as the
 *             transpose would lie; all results are those of A itself, with the same bits, and vectors lie as below
 *   lda       >= max(1, n)
 *   stride_a  matrix-wise: distance of two matrices, >= lda*n; else see eig_layout.  batch = 1 matrix-wise: unused
 *   w         [n] every stride_w entries, out: the eigenvalues of matrix b at w[b*stride_w]
 *   stride_w  >= n
 *   vl        out, or NULL: left eigenvectors; column k of matrix b is that of w[k + b*stride_w], of 2-norm 1.  Among
 *             its elements whose modulus is at least 1 - 2^-10 times the largest one the first is real and positive.
 *             Its element i is vl[i + k*ldvl + b*stride_vl]
 *   ldvl      >= max(1, n); unused where vl is NULL, as is stride_vl
 *   stride_vl >= ldvl*n
 *   vr, ldvr, stride_vr   likewise, right eigenvectors
 *   condition [n] every stride_w entries, out, or NULL: |y^H x| of the unit left and right eigenvectors y and x of
 *             w[k]: an error E of A moves w[k] by about ||E|| / condition[k].  0 to 1; 0 or tiny where w[k] is
 *             defective
 *   info      [batch] out, or NULL: 0, EIG_INFO_NOT_FINITE, or k > 0
 *
 * Each right vector has ||A x - w x|| <= 10 n eps ||A||, each left one ||A^H y - conj(w) y|| <= 10 n eps ||A||, in
 * Frobenius' norm.  This holds for A itself, balanced or not: where balancing could spoil a vector it is tested, and
 * computed again from A where it fails (eig_get_repairs counts).  The vectors of a complex pair of a real matrix are
 * exact conjugates, and those of a real eigenvalue are real.  A defective eigenvalue of multiplicity m has m vectors
 * that nearly agree, each with a residual within the bound.
 *
 * The order is LAPACK's: an eigenvalue's place on the diagonal of the Schur form that the iteration ends in.  This may
 * be the Schur form of the transpose, where A has most of its norm below the diagonal (docs/families/geev.md).
 * Where Aberth's iteration finds the eigenvalues (below), the order is that of the method.  The eigenvalues of a
 * complex pair are adjacent, exact conjugates, that with the positive imaginary part first.
 * Backward stable: each w is an eigenvalue of some A + E with ||E|| <= 10 n eps ||A|| in Frobenius' norm, eps
 * DBL_EPSILON or FLT_EPSILON.  The tests demand this bound.  Intermediate results do not over- or underflow where
 * entries lie from 1e-300 to 1e300 (f: 1e-37 to 1e37).  Without no_balance E is an error of the balanced matrix D^-1 A
 * D, as with LAPACK's dgeev.  Balancing finds small eigenvalues of badly scaled matrices better, but ||E|| of some of
 * these, in terms of A, reaches hundreds of n eps ||A|| (docs/families/geev.md); no_balance = 1 keeps the bound for A
 * itself.  This concerns eigenvalues alone: the residuals above hold for A, with the w that is returned.
 * Certificates: an info of 0 says that the eigenvalues are finite; that their sum and the sum of their squares are the
 * traces of the balanced matrix and of its square, within 10 n eps and more of its norm; that each vector which
 * balancing could spoil has length 1 and the residual above; and on CUDA of all vectors that they have length 1 and
 * that the product of the residual with one pseudo-random vector is small.  A matrix that fails is solved again by the
 * plain version; one that fails there too has a positive info.  options->no_certificate = 1 skips these tests.
 * With balancing the eigenvalues of a triangular matrix, also of a permuted one, are exactly its diagonal.
 *
 * info[b] = EIG_INFO_NOT_FINITE: matrix b holds a NaN or an infinity; its w is all NaN.  info[b] = k > 0: after
 * options->max_steps steps the leading k eigenvalues have not all been found: w[k], ..., w[n-1] (counted from 0) are
 * good, and among w[0..k-1] those that are not NaN are good (balancing had isolated them); k is n where none was found.
 * Eigenvalues that exceed the largest number by more than 10 n eps, or that no solver could certify, are not found.
 * info[b] = n + 1: all of w is good, but no vector within the bound was found for one eigenvalue.
 * Where info[b] is not 0 the vectors and condition numbers of matrix b are NaN.
 *
 * Returns EIG_OK, EIG_BAD_ARGUMENT, EIG_BAD_WORKSPACE, EIG_NO_MEMORY, EIG_CANCELLED or EIG_CUDA_FAILURE.
 * Device arrays: enqueued on the context's stream; does not synchronise unless times are measured, and can be captured
 * in a CUDA graph where the workspace is lent; w, info and all other arrays are device arrays.
 * Stages: CUDA "reduction" and "iteration" (both names also where one kernel does both), "plain", "vectors" where vl,
 * vr or condition is wanted, and "certificate"; CPU "all".
 * Bits: on one device the same for any batch position, layout, chunking and number of CPU threads.  Methods swb and
 * mwb give the same bits for every threads_per_matrix.  Method auto may take other kernels, whose eigenvalues differ in
 * the last places, as those of the reference do.
 * On a GPU with fast FP64 tensor cores method auto finds the eigenvalues of some real matrices in double by Aberth's
 * iteration where it can prove them, with other bits and in another order (pairs stay adjacent).  On a GPU the number
 * of matrices of a call may choose other kernels, or Aberth's iteration, which have other bits: eig_get_road tells
 * which.  options->same_bits_in_batches chooses those of large batches for any number: few matrices can then take
 * longer.  w has the same bits whichever other outputs are wanted, with these exceptions: on a CPU, n > 64, with
 * vectors and without, and where a vector failed its test; on a GPU by method reference, and where the vectors and w
 * are those of a Schur form: where eigenvalues are close, where a vector is not certain, or, with condition numbers,
 * where balancing has scaled rows much.  On a GPU the other outputs that are wanted may change vl and vr in the last
 * places.
 * Cost: 10 n^3/3 flops for the Hessenberg form, then about 8 n^3 for the iteration; with vectors about 30 n^3 in all.
 * Complex matrices take four times as many.
 * Source: J. Francis, Computer J. 4 (1961-62); M. Ahues and F. Tisseur, LAPACK Working Note 122 (1997); LAPACK's
 * trevc3; docs/families/geev.md.
 */
EIG_API eig_status eig_dgeev_batched(eig_context *ctx, const eig_geev_options *options, int64_t n, const double *a,
                                     int64_t lda, int64_t stride_a, eig_z *w, int64_t stride_w, eig_z *vl, int64_t ldvl,
                                     int64_t stride_vl, eig_z *vr, int64_t ldvr, int64_t stride_vr, double *condition,
                                     int *info, int64_t batch);
EIG_API eig_status eig_sgeev_batched(eig_context *ctx, const eig_geev_options *options, int64_t n, const float *a,
                                     int64_t lda, int64_t stride_a, eig_c *w, int64_t stride_w, eig_c *vl, int64_t ldvl,
                                     int64_t stride_vl, eig_c *vr, int64_t ldvr, int64_t stride_vr, float *condition,
                                     int *info, int64_t batch);
EIG_API eig_status eig_zgeev_batched(eig_context *ctx, const eig_geev_options *options, int64_t n, const eig_z *a,
                                     int64_t lda, int64_t stride_a, eig_z *w, int64_t stride_w, eig_z *vl, int64_t ldvl,
                                     int64_t stride_vl, eig_z *vr, int64_t ldvr, int64_t stride_vr, double *condition,
                                     int *info, int64_t batch);
EIG_API eig_status eig_cgeev_batched(eig_context *ctx, const eig_geev_options *options, int64_t n, const eig_c *a,
                                     int64_t lda, int64_t stride_a, eig_c *w, int64_t stride_w, eig_c *vl, int64_t ldvl,
                                     int64_t stride_vl, eig_c *vr, int64_t ldvr, int64_t stride_vr, float *condition,
                                     int *info, int64_t batch);
EIG_API eig_status eig_geev_batched(eig_context *ctx, eig_type type, const eig_geev_options *options, int64_t n,
                                    const void *a, int64_t lda, int64_t stride_a, void *w, int64_t stride_w, void *vl,
                                    int64_t ldvl, int64_t stride_vl, void *vr, int64_t ldvr, int64_t stride_vr,
                                    void *condition, int *info, int64_t batch);

/* The same for one matrix: a is column-major (row_major: row-major); w and condition are [n], info is [1].  The type of
 * the type-erased forms is that of a; w, vl and vr are complex, condition is real. */
EIG_API eig_status eig_dgeev(eig_context *ctx, const eig_geev_options *options, int64_t n, const double *a, int64_t lda,
                             eig_z *w, eig_z *vl, int64_t ldvl, eig_z *vr, int64_t ldvr, double *condition, int *info);
EIG_API eig_status eig_sgeev(eig_context *ctx, const eig_geev_options *options, int64_t n, const float *a, int64_t lda,
                             eig_c *w, eig_c *vl, int64_t ldvl, eig_c *vr, int64_t ldvr, float *condition, int *info);
EIG_API eig_status eig_zgeev(eig_context *ctx, const eig_geev_options *options, int64_t n, const eig_z *a, int64_t lda,
                             eig_z *w, eig_z *vl, int64_t ldvl, eig_z *vr, int64_t ldvr, double *condition, int *info);
EIG_API eig_status eig_cgeev(eig_context *ctx, const eig_geev_options *options, int64_t n, const eig_c *a, int64_t lda,
                             eig_c *w, eig_c *vl, int64_t ldvl, eig_c *vr, int64_t ldvr, float *condition, int *info);
EIG_API eig_status eig_geev(eig_context *ctx, eig_type type, const eig_geev_options *options, int64_t n, const void *a,
                            int64_t lda, void *w, void *vl, int64_t ldvl, void *vr, int64_t ldvr, void *condition,
                            int *info);

/* Eigenvalues of A(x) = A_0 + x_1 A_1 + ... + x_m A_m at many points x.  The matrices are made where they are used: a
 * large grid of parameters takes no more input than its points.
 *
 *   n         order of the matrices, n >= 0
 *   m         number of parameters, m >= 0
 *   a         A_0, A_1, ..., A_m: m+1 matrices, column-major (row_major: row-major), lda >= max(1, n), every
 *             stride_a >= lda*n entries (options->layout must be matrix-wise)
 *   x         the points: x[k + p*stride_x] is parameter k+1 of point p; stride_x >= m; may be NULL when m = 0
 *   w         as in eig_dgeev_batched, for each point; or NULL: not wanted
 *   measure   which measure of the eigenvalues goes to value; ignored where value is NULL
 *   value     [points] out, or NULL: the measure of each point's eigenvalues, NaN where info is not 0; w or value must
 *             be given.  With n = 0 it is not written.
 *   info      [points] as in eig_dgeev_batched
 *
 * An entry of A(x) is rounded after each product and each sum, from k = 1 to m, so that it has the same bits on every
 * device.  A point whose A(x) overflows has info EIG_INFO_NOT_FINITE.  Otherwise as eig_dgeev_batched.
 * Source of the use: H. Tokura et al., Int. J. Networking and Computing 7 (2017), parameter space design. */
EIG_API eig_status eig_dgeev_affine(eig_context *ctx, const eig_geev_options *options, int64_t n, int64_t m,
                                    const double *a, int64_t lda, int64_t stride_a, const double *x, int64_t stride_x,
                                    eig_z *w, int64_t stride_w, eig_geev_measure measure, double *value, int *info,
                                    int64_t points);
EIG_API eig_status eig_sgeev_affine(eig_context *ctx, const eig_geev_options *options, int64_t n, int64_t m,
                                    const float *a, int64_t lda, int64_t stride_a, const float *x, int64_t stride_x,
                                    eig_c *w, int64_t stride_w, eig_geev_measure measure, float *value, int *info,
                                    int64_t points);
EIG_API eig_status eig_zgeev_affine(eig_context *ctx, const eig_geev_options *options, int64_t n, int64_t m,
                                    const eig_z *a, int64_t lda, int64_t stride_a, const eig_z *x, int64_t stride_x,
                                    eig_z *w, int64_t stride_w, eig_geev_measure measure, double *value, int *info,
                                    int64_t points);
EIG_API eig_status eig_cgeev_affine(eig_context *ctx, const eig_geev_options *options, int64_t n, int64_t m,
                                    const eig_c *a, int64_t lda, int64_t stride_a, const eig_c *x, int64_t stride_x,
                                    eig_c *w, int64_t stride_w, eig_geev_measure measure, float *value, int *info,
                                    int64_t points);
EIG_API eig_status eig_geev_affine(eig_context *ctx, eig_type type, const eig_geev_options *options, int64_t n,
                                   int64_t m, const void *a, int64_t lda, int64_t stride_a, const void *x,
                                   int64_t stride_x, void *w, int64_t stride_w, eig_geev_measure measure, void *value,
                                   int *info, int64_t points);

/* Schur forms A = Q T Q^H of batch n x n matrices, and their eigenvalues, as LAPACK's gees.  Since 0.3.  Complex: T is
 * upper triangular.  Real: T is quasi-triangular, with 1 x 1 blocks on the diagonal and 2 x 2 blocks of complex pairs
 * in LAPACK's standard form: equal diagonal entries, off-diagonal ones of opposite signs.
 *
 *   w         as in eig_dgeev_batched: the diagonal of T in its order; a 2 x 2 block [a b; c a] has a +- i sqrt(-b c)
 *   t         out, or NULL: element (i, j) of matrix b's T is t[i + j*ldt + b*stride_t]; below the diagonal blocks it
 *             has exact zeros
 *   ldt       >= max(1, n); unused where t is NULL, as is stride_t
 *   stride_t  >= ldt*n
 *   q, ldq, stride_q   likewise, the orthogonal or unitary Q
 *   info      [batch] as in eig_dgeev_batched; where it is not 0 T and Q of matrix b are NaN
 *
 * ||A - Q T Q^H|| <= 10 n eps ||A|| and ||Q^H Q - I|| <= 10 n eps in Frobenius' norm.  The matrix is permuted unless
 * no_balance is set, but not scaled, since scaling is no unitary transformation: w may differ from that of
 * eig_dgeev_batched within its bound.  The leading k columns of Q span an invariant subspace where they cut no 2 x 2
 * block.
 * CPU only: a CUDA context returns EIG_NO_BACKEND.  Otherwise as eig_dgeev_batched; eig_geev_work_size with
 * vectors = 1.
 * Source: as eig_dgeev_batched; LAPACK's lanv2 for the standard form. */
EIG_API eig_status eig_dgeev_schur(eig_context *ctx, const eig_geev_options *options, int64_t n, const double *a,
                                   int64_t lda, int64_t stride_a, eig_z *w, int64_t stride_w, double *t, int64_t ldt,
                                   int64_t stride_t, double *q, int64_t ldq, int64_t stride_q, int *info,
                                   int64_t batch);
EIG_API eig_status eig_sgeev_schur(eig_context *ctx, const eig_geev_options *options, int64_t n, const float *a,
                                   int64_t lda, int64_t stride_a, eig_c *w, int64_t stride_w, float *t, int64_t ldt,
                                   int64_t stride_t, float *q, int64_t ldq, int64_t stride_q, int *info, int64_t batch);
EIG_API eig_status eig_zgeev_schur(eig_context *ctx, const eig_geev_options *options, int64_t n, const eig_z *a,
                                   int64_t lda, int64_t stride_a, eig_z *w, int64_t stride_w, eig_z *t, int64_t ldt,
                                   int64_t stride_t, eig_z *q, int64_t ldq, int64_t stride_q, int *info, int64_t batch);
EIG_API eig_status eig_cgeev_schur(eig_context *ctx, const eig_geev_options *options, int64_t n, const eig_c *a,
                                   int64_t lda, int64_t stride_a, eig_c *w, int64_t stride_w, eig_c *t, int64_t ldt,
                                   int64_t stride_t, eig_c *q, int64_t ldq, int64_t stride_q, int *info, int64_t batch);
EIG_API eig_status eig_geev_schur(eig_context *ctx, eig_type type, const eig_geev_options *options, int64_t n,
                                  const void *a, int64_t lda, int64_t stride_a, void *w, int64_t stride_w, void *t,
                                  int64_t ldt, int64_t stride_t, void *q, int64_t ldq, int64_t stride_q, int *info,
                                  int64_t batch);

/* Bytes of workspace that a call of any of these forms takes, exactly; vectors: 0 where vl, vr and condition are NULL
 * and no Schur form is wanted, else 1; batch: matrices or points.  With a CUDA context this is for device arrays.  It
 * is then at most 256 MB (1 GB for n > 256, or with vectors for n > 64), unless a single matrix needs more.  On a CPU
 * it depends on the number of threads. */
EIG_API eig_status eig_geev_work_size(eig_context *ctx, eig_type type, const eig_geev_options *options, int64_t n,
                                      int vectors, int64_t batch, size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
