/* What all layers share: one structure per family that holds a whole call, the table each backend fills, and the
 * context.  The road is the same for every family:
 *     public function (src/<family>.c) -> problem -> checks -> backend table -> driver -> kernel. */
#ifndef EIG_PROBLEM_H
#define EIG_PROBLEM_H

#include "eigpack.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One call of eig_?stebz or eig_?stebz_batched: filled once by the public function, read by every layer. */
typedef struct stebz_problem {
    char precision; /* 's' or 'd': the type behind the void pointers */
    bool batched;   /* false: one matrix; then info is NULL and m may be set */
    int64_t n, batch;
    eig_range range;
    int64_t il, iu; /* always set for ALL and INDEX */
    double vl, vu;
    double abstol, reltol; /* as the caller gave them; 0 = default */
    eig_stebz_method method;
    const void *d, *e;
    int64_t stride_d, stride_e, stride_w;
    void *w, *lower, *upper;
    int64_t *m;
    int *info;
    double *pass_ms;
    void *work;
    size_t work_bytes;
} stebz_problem;

typedef struct stebz_count_problem {
    char precision;
    int64_t n, m;
    const void *d, *e, *x;
    int64_t *count;
} stebz_count_problem;

/* One call of eig_?geev_batched or eig_?geev_affine. */
typedef struct geev_problem {
    char precision;
    bool affine; /* false: matrix b is b of the batch; true: it is a_0 + sum over k < m of x[k + b*stride_x] a_{k+1} */
    int64_t n, batch; /* affine: batch is the number of points */
    const void *a;
    int64_t lda, stride_a;
    eig_layout layout; /* affine: always matrix-wise */
    int64_t m;
    const void *x;
    int64_t stride_x;
    void *w; /* eig_complex_s or eig_complex_d; NULL only where value is set */
    int64_t stride_w;
    eig_geev_measure measure;
    void *value; /* NULL: not wanted */
    int *info;   /* NULL: not wanted */
    bool balance;
    eig_geev_method method;
    int threads_per_matrix; /* 0 = the backend chooses */
    int64_t chunk;          /* 0 = the backend chooses */
    int max_steps;          /* between two deflations; > 0 */
    double *pass_ms;        /* [3] or NULL */
    void *work;
    size_t work_bytes;
} geev_problem;

/* What a backend offers.  No slot may be NULL.  Arguments are checked when a driver is called; n and batch may be 0
 * (a driver then only writes *m). */
typedef struct backend {
    const char *name;
    eig_status (*open)(eig_context *ctx, int device); /* fills ctx->state */
    void (*close)(eig_context *ctx);
    void (*describe)(eig_context *ctx);                /* writes ctx->description */
    void *(*allocate)(eig_context *ctx, size_t bytes); /* workspace, 256-byte aligned; NULL when there is none */
    void (*release)(eig_context *ctx, void *work);
    size_t (*stebz_work_size)(const eig_context *ctx, const stebz_problem *p);
    eig_status (*stebz)(eig_context *ctx, const stebz_problem *p);
    eig_status (*stebz_count)(eig_context *ctx, const stebz_count_problem *p);
    size_t (*geev_work_size)(const eig_context *ctx, const geev_problem *p); /* n, batch > 0 */
    eig_status (*geev)(eig_context *ctx, const geev_problem *p);             /* n, batch > 0 */
} backend;

extern const backend backend_cpu;
#ifdef EIG_WITH_CUDA
extern const backend backend_cuda;
#endif

struct eig_context {
    const backend *backend; /* NULL: eig_create failed, and detail says why */
    void *state;            /* the backend's own */
    int threads;            /* 0 = OpenMP's default */
    eig_progress progress;
    void *progress_user;
    void *work; /* kept workspace, grown on demand */
    size_t work_bytes;
    char description[160];
    char detail[240];
};

/* Writes the sentence that eig_error_detail returns; hands back its status, so that callers can return it. */
eig_status eig_fail(eig_context *ctx, eig_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Refuses a context that is NULL or that eig_create could not open; else clears the last error. */
eig_status eig_enter(eig_context *ctx);

/* Sets *work to a workspace of at least need bytes: the lent one if there is any, else the context's own, grown.
 * family names the caller in the error's sentence. */
eig_status eig_workspace(eig_context *ctx, const char *family, void *lent, size_t lent_bytes, size_t need, void **work);

/* Calls the progress callback, if there is one; EIG_CANCELLED when it asks to stop. */
eig_status eig_report_progress(eig_context *ctx, const char *family, double fraction);

/* Returns EIG_BAD_ARGUMENT with a sentence unless cond holds; for the check functions of the families. */
#define REQUIRE(cond, ...)                                                \
    do {                                                                  \
        if (!(cond)) return eig_fail(ctx, EIG_BAD_ARGUMENT, __VA_ARGS__); \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
