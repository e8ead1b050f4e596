/* eigpack: eigenvalues and eigenvectors, many at a time, on CPUs and GPUs.
 *
 * The whole interface of the library, in plain C11; it needs neither CUDA nor MPI and is usable from C++.
 *
 *   eig_create, eig_destroy ...   a context: which device computes, with how many threads, what went wrong
 *   eig_{s,d}stebz                eigenvalues of one symmetric tridiagonal matrix, by bisection on Sturm counts
 *   eig_{s,d}stebz_batched        the same for many matrices of one order
 *   eig_{s,d}stebz_count          how many eigenvalues lie below each of a list of shifts
 *
 * Conventions.  Letters as in LAPACK: s is float, d is double.  Every size, index, stride and batch is an int64_t;
 * indices of eigenvalues count from 1, ascending.  Inputs are never overwritten.  All arrays of one call lie on the
 * same side: in host memory, or (with a CUDA context) in the memory of the context's device.  Options structures
 * are always in host memory; NULL stands for all defaults.
 *
 * Two kinds of failure.  The returned eig_status is about the call; eig_error_detail then holds one sentence that
 * names argument, value and limit.  info[b] is about problem b of a batch: one bad matrix never spoils the others.
 *
 * Threads.  A context serves one thread at a time; different contexts are independent.  There is no global state:
 * the library never prints, never exits, and reads one environment variable, EIG_CPU (see eig_describe). */
#ifndef EIGPACK_H
#define EIGPACK_H

#include <stddef.h>
#include <stdint.h>

#define EIG_VERSION_MAJOR 0
#define EIG_VERSION_MINOR 1
#define EIG_VERSION_PATCH 0

#if defined(_WIN32)
#define EIG_API
#elif defined(EIG_BUILDING)
#define EIG_API __attribute__((visibility("default")))
#else
#define EIG_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ status */

/* X(name, value, text): numbers are stable; new ones are only added. */
#define EIG_STATUS_LIST(X)                                                       \
    X(EIG_OK, 0, "success")                                                      \
    X(EIG_BAD_ARGUMENT, 1, "an argument has an illegal value")                   \
    X(EIG_BAD_WORKSPACE, 2, "the workspace is too small or misaligned")          \
    X(EIG_NO_BACKEND, 3, "the device is absent from this build or this machine") \
    X(EIG_NO_MEMORY, 4, "a memory allocation failed")                            \
    X(EIG_CUDA_FAILURE, 5, "a CUDA call failed")                                 \
    X(EIG_NOT_FINITE, 6, "an input holds a NaN or an infinity")                  \
    X(EIG_CANCELLED, 7, "the progress callback asked to stop")

typedef enum eig_status {
#define EIG_STATUS_ENUM(name, value, text) name = value,
    EIG_STATUS_LIST(EIG_STATUS_ENUM)
#undef EIG_STATUS_ENUM
} eig_status;

/* Values of info[b] common to all families; positive values are the family's own. */
enum { EIG_INFO_OK = 0, EIG_INFO_NOT_FINITE = -1 };

/* The text of a status, e.g. "a memory allocation failed".  Never NULL. */
EIG_API const char *eig_status_text(eig_status status);

/* The version of the library that runs, as 10000*major + 100*minor + patch. */
EIG_API int eig_version(void);

/* ----------------------------------------------------------------- context */

typedef struct eig_context eig_context;

/* Opens a context on a device: "cpu", "cuda" (its first GPU), "cuda:1", or "auto" (a GPU where one answers, else the
 * CPU); NULL is "auto".  As with sqlite3_open, a failed call also hands out a context (unless memory is exhausted:
 * then *ctx is NULL), so that eig_error_detail can say why; every other call refuses it, and it must be destroyed. */
EIG_API eig_status eig_create(eig_context **ctx, const char *device);

/* Releases a context and its workspace.  NULL is accepted. */
EIG_API void eig_destroy(eig_context *ctx);

/* One sentence about the last call that failed on this context; "" if none did.  Valid until the next call. */
EIG_API const char *eig_error_detail(const eig_context *ctx);

/* What computes, e.g. "cpu avx512, 16 threads" or "cuda:0 NVIDIA H200, sm_90".  Valid until the next call.  The
 * instruction set of a CPU context is the best that the machine has; EIG_CPU=baseline|avx2|avx512 chooses another. */
EIG_API const char *eig_describe(eig_context *ctx);

/* Threads of a CPU context; 0 = OpenMP's default.  Results do not depend on it. */
EIG_API eig_status eig_set_threads(eig_context *ctx, int threads);

/* Called from long computations with the fraction done, 0 to 1, always by the thread that made the call.  A non-zero
 * return cancels the computation: it returns EIG_CANCELLED and its outputs are undefined.  NULL takes it off.  Calls
 * on device arrays do not report progress. */
typedef int (*eig_progress)(void *user, double fraction);
EIG_API eig_status eig_set_progress(eig_context *ctx, eig_progress callback, void *user);

/* ------------------------------------------------------------------- stebz */

typedef enum eig_range {
    EIG_RANGE_ALL = 'A',
    EIG_RANGE_INDEX = 'I', /* eigenvalues il to iu, 1-based, inclusive */
    EIG_RANGE_VALUE = 'V'  /* eigenvalues in the half-open interval (vl, vu] */
} eig_range;

typedef enum eig_stebz_method {
    EIG_STEBZ_MULTISECTION = 0, /* one table of shifts, then an independent bracket for each eigenvalue */
    EIG_STEBZ_INTERVAL_TREE = 1 /* Lessig's Algorithms 2 to 6 with the monotone pivot count: the plain reference */
} eig_stebz_method;

/* Begin with EIG_STEBZ_OPTIONS (all defaults), then set what differs:
 *     eig_stebz_options options = EIG_STEBZ_OPTIONS;
 *     options.range = EIG_RANGE_INDEX, options.il = 1, options.iu = 10; */
typedef struct eig_stebz_options {
    size_t size;             /* sizeof(eig_stebz_options): lets the structure grow */
    eig_range range;         /* all */
    int64_t il, iu;          /* for EIG_RANGE_INDEX: 1 <= il <= iu <= n */
    double vl, vu;           /* for EIG_RANGE_VALUE: vl < vu; infinities are allowed */
    double abstol, reltol;   /* a bracket [lo, hi] is narrow enough when hi - lo <= max(abstol, reltol*max(|lo|, |hi|));
                                abstol = 0 stands for eps*||T||, reltol = 0 for 2*eps; see eig_dstebz */
    eig_stebz_method method; /* multisection */
    void *lower, *upper;     /* [as w, same type] out, or both NULL: lower[k] <= exact eigenvalue <= upper[k] */
    double *pass_ms; /* [4] out, or NULL: milliseconds of the passes: preparation, table of shifts (interval tree: step
                        1), brackets of one eigenvalue, brackets of several.  With device arrays it synchronises. */
    void *work;      /* work_bytes of memory on the arrays' side, aligned to 256 bytes; NULL: the context's own */
    size_t work_bytes; /* at least eig_stebz_work_size */
} eig_stebz_options;

#define EIG_STEBZ_OPTIONS                                                                                             \
    {                                                                                                                 \
        sizeof(eig_stebz_options), EIG_RANGE_ALL, 0, 0, 0.0, 0.0, 0.0, 0.0, EIG_STEBZ_MULTISECTION, NULL, NULL, NULL, \
            NULL, 0                                                                                                   \
    }

/* Eigenvalues of a real symmetric tridiagonal matrix T = tridiag(e, d, e), all or some, by bisection.
 *
 *   ctx      context
 *   options  NULL = all eigenvalues to full accuracy
 *   n        order of T, n >= 0
 *   d        [n]    diagonal
 *   e        [n-1]  off-diagonal; may be NULL when n <= 1
 *   m        [1]    out: the number of eigenvalues found; may be NULL
 *   w        [n]    out: the eigenvalues, ascending, in w[0..m-1] ([iu-il+1] suffices for EIG_RANGE_INDEX)
 *
 * Each w[k] is the midpoint of a bracket that Sturm counts prove to hold the eigenvalue asked for.  Its error is at
 * most half the tolerance above plus 3 eps ||T||, where eps is DBL_EPSILON or FLT_EPSILON and ||T|| the largest
 * absolute row sum.  A positive abstol below eps*||T|| selects the pivot count with exact splitting, which finds
 * small eigenvalues of graded matrices to high relative accuracy where T determines them (as LAPACK's dstebz does);
 * it is about three times slower.
 *
 * Returns EIG_OK, EIG_BAD_ARGUMENT, EIG_BAD_WORKSPACE, EIG_NO_MEMORY, EIG_NOT_FINITE (w is filled with NaN; with
 * device arrays the call returns EIG_OK, w is filled with NaN and *m is 0), EIG_CANCELLED or EIG_CUDA_FAILURE.
 * Device arrays: enqueued on the context's stream; does not synchronise, and can be captured in a CUDA graph where
 * the workspace is lent.  Same bits for any number of threads and from run to run.
 * Cost: O(n) a count; about 12 counts an eigenvalue on generic matrices, at most 128, plus a table of 2n counts.
 * Source: W. Kahan, Stanford CS41 (1966); J. Demmel, I. Dhillon and H. Ren, ETNA 3 (1995); docs/stebz.md. */
EIG_API eig_status eig_dstebz(eig_context *ctx, const eig_stebz_options *options, int64_t n, const double *d,
                              const double *e, int64_t *m, double *w);
EIG_API eig_status eig_sstebz(eig_context *ctx, const eig_stebz_options *options, int64_t n, const float *d,
                              const float *e, int64_t *m, float *w);

/* The same for batch matrices of one order n.
 *
 *   d        [n] every stride_d entries, stride_d >= n
 *   e        [n-1] every stride_e entries, stride_e >= n-1
 *   w        [n] every stride_w entries ([iu-il+1] for EIG_RANGE_INDEX); likewise options->lower and upper
 *   info     [batch] out, or NULL: 0, or EIG_INFO_NOT_FINITE (that matrix's w is NaN)
 *
 * Ranges: all, or by index.  Returns as eig_dstebz, but a matrix that is not finite is told by info alone. */
EIG_API eig_status eig_dstebz_batched(eig_context *ctx, const eig_stebz_options *options, int64_t n, const double *d,
                                      int64_t stride_d, const double *e, int64_t stride_e, double *w, int64_t stride_w,
                                      int *info, int64_t batch);
EIG_API eig_status eig_sstebz_batched(eig_context *ctx, const eig_stebz_options *options, int64_t n, const float *d,
                                      int64_t stride_d, const float *e, int64_t stride_e, float *w, int64_t stride_w,
                                      int *info, int64_t batch);

/* count[j] = the number of eigenvalues of T that are smaller than x[j], for j = 0..m-1 (the Sturm count).
 *
 * Uses the pivot count, which is monotone in x and exact for a matrix whose off-diagonals differ from T's by a few
 * eps relative; on a diagonal T it is exact.  x may hold infinities, not NaN.  Returns as eig_dstebz; on device
 * arrays a T or x that is not finite gives counts of -1. */
EIG_API eig_status eig_dstebz_count(eig_context *ctx, int64_t n, const double *d, const double *e, int64_t m,
                                    const double *x, int64_t *count);
EIG_API eig_status eig_sstebz_count(eig_context *ctx, int64_t n, const float *d, const float *e, int64_t m,
                                    const float *x, int64_t *count);

/* Bytes of workspace that a call takes, exactly: precision 's' or 'd'; batch 1 for the single form.  With a CUDA
 * context this is for device arrays; host arrays are staged by the context itself, and a lent workspace is unused. */
EIG_API eig_status eig_stebz_work_size(eig_context *ctx, const eig_stebz_options *options, char precision, int64_t n,
                                       int64_t batch, size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
