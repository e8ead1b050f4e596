/* What all layers share: one structure per family that holds a whole call, the table each backend fills, and the
 * context.  The road is the same for every family:
 *     public function (src/<family>.c) -> problem -> checks -> backend table -> driver -> kernel. */
#ifndef EIG_PROBLEM_H
#define EIG_PROBLEM_H

#include "eigpack.h"
#include "float_mode.h"
#include "range.h"
#include "type.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One call of eig_stebz or eig_stebz_batched: filled once by the public function, read by every layer. */
typedef struct stebz_problem {
    eig_type type; /* of what the void pointers point to; s or d */
    bool batched;  /* false: one matrix, and m may be set */
    int64_t n, batch;
    eig_range range;
    int64_t il, iu;        /* always set for ALL and INDEX */
    value_range by_value;  /* of VALUE */
    double abstol, reltol; /* as the caller gave them; 0 = by the matrix's norm */
    eig_stebz_method method;
    const void *d, *e; /* e is NULL where n is 1 */
    int64_t stride_d, stride_e, stride_w;
    void *w, *lower, *upper;
    int64_t *m;       /* NULL: not wanted */
    int *info;        /* NULL: not wanted */
    int64_t limit_ns; /* CUDA: a launch ends after so long, so that the host can report progress; 0: it does all */
} stebz_problem;

/* The most eigenvalues of one matrix that a call can find. */
static inline int64_t stebz_most_wanted(const stebz_problem *p)
{
    return p->range == EIG_RANGE_INDEX ? p->iu - p->il + 1 : p->n;
}

typedef struct stebz_count_problem {
    eig_type type;
    int64_t n, m;
    const void *d, *e, *x;
    int64_t *count;
    int *info;  /* NULL: not wanted */
    bool rough; /* counts of a T that is some eps ||T|| away will do; T is finite and not zero, the type is d */
} stebz_count_problem;

/* One call of eig_stemr. */
typedef struct stemr_problem {
    eig_type type; /* of what the void pointers point to; s or d */
    int64_t n;
    eig_range range;
    int64_t il, iu;       /* always set for ALL and INDEX */
    bool moves;           /* eigenvalues are moved into by_value, whatever the range; set of VALUE */
    value_range by_value; /* of VALUE */
    eig_stemr_method method;
    int most_depth;    /* levels of clusters that get a representation; >= 0 */
    bool certify;      /* whether vectors are measured */
    bool vectors;      /* whether z is wanted; set in a workspace query too, which has no z */
    bool same_bits;    /* one matrix is solved as a batch is */
    const void *d, *e; /* e is NULL where n is 1 */
    int64_t *m;
    void *w, *z;
    int64_t ldz;
    int64_t *isuppz;
    int *info;
    void *residual, *orthogonality;
    eig_stemr_stats *stats; /* all from m on except w may be NULL: not wanted */
    eig_stemr_node *tree;   /* [tree_room], NULL where that is 0; on the host */
    int64_t tree_room;
    const struct stemr_limits *limits; /* NULL, but in tests (stemr_limits.h) */
} stemr_problem;

/* One call of eig_stemr_batched: the first matrix, and how far the others lie; its arrays are checked. */
typedef struct stemr_batch {
    stemr_problem first;
    int64_t stride_d, stride_e, stride_w, stride_z, batch;
} stemr_batch;

/* Matrix b of it; stats may be NULL. */
stemr_problem eig_stemr_member(const stemr_batch *all, int64_t b, eig_stemr_stats *stats);

/* What is chosen by the number of matrices is chosen as if they were so many, in a call that has option
 * same_bits_in_batches. */
#define EIG_ANY_NUMBER INT64_MAX

/* What eig_get_repairs returns. */
typedef struct call_repairs {
    int64_t matrices, vectors;
} call_repairs;

/* One call of eig_heev_batched. */
typedef struct heev_problem {
    eig_type type; /* of a and v; w is of its real type */
    int64_t n, batch;
    const void *a;
    int64_t lda, stride_a;
    eig_layout layout; /* of a; v is matrix-wise */
    bool row_major;    /* element (i, j) of a and v lies where the layout has (j, i) */
    bool upper;        /* the triangle that is read, of A itself */
    void *w;
    int64_t stride_w;
    bool vectors; /* whether v is wanted; set in a workspace query too, which has no v */
    void *v;      /* may be a: then ldv and stride_v are lda and stride_a, and the layout is matrix-wise */
    int64_t ldv, stride_v;
    int *info;   /* NULL: not wanted */
    int *sweeps; /* NULL: not wanted */
    int64_t all; /* matrices of the call, of which batch may be a part: they choose; or EIG_ANY_NUMBER */
    int64_t *m;  /* NULL: not wanted; as the range for the public function and heev_select alone, unless heev_ranges */
    eig_range range;
    int64_t il, iu;       /* always set for ALL and INDEX */
    value_range by_value; /* of VALUE */
    bool counts;          /* large matrices on CPUs count in by_value, into upto */
    int64_t *
        upto; /* [2*batch] of each matrix how many eigenvalues lie up to both ends; -1, as before the call: not known */
    eig_heev_method method;
    bool relative;         /* only where the method is not tridiagonal */
    double tolerance;      /* > 0 */
    int max_sweeps;        /* > 0 */
    int64_t chunk;         /* 0 = the backend chooses */
    bool certify;          /* what fails a certificate is solved again, or told by info */
    call_repairs *repairs; /* NULL, or matrices solved again are added here, atomically */
} heev_problem;

/* The pairs of some matrices, and those of them that a call asked for. */
typedef struct heev_selection {
    const heev_problem *p; /* the call: its range, and where its w, v and m lie */
    int64_t first, count;  /* matrices */
    const int64_t *upto;   /* [2*count] as in heev_problem; NULL: w tells what is in a range by value */
    const void *w, *v;    /* [n] and [n*n] a matrix, one after the other, v column-major or row-major as p says; w NULL:
                              only m is wanted, of a range that is not by value */
    const void *deciding; /* [n] a matrix: the eigenvalues that decide in place of w; NULL: w decides */
} heev_selection;

/* Distances between neighbours in the three directions of a batch: row i, column j, matrix b. */
typedef struct batch_strides {
    int64_t i, j, b;
} batch_strides;

static inline batch_strides batch_strides_of(eig_layout layout, bool row_major, int64_t lda, int64_t stride)
{
    batch_strides s = {1, lda, stride};
    if (layout == EIG_LAYOUT_ELEMENT_WISE) s.i = lda * stride, s.j = stride, s.b = 1;
    if (layout == EIG_LAYOUT_ROW_WISE) s.i = stride, s.j = 1, s.b = lda;
    int64_t const i = s.i;
    if (row_major) s.i = s.j, s.j = i;
    return s;
}

static inline batch_strides heev_strides_of(const heev_problem *p)
{
    return batch_strides_of(p->layout, p->row_major, p->lda, p->stride_a);
}

/* Those of v. */
static inline batch_strides heev_strides_of_v(const heev_problem *p)
{
    batch_strides const s = {p->row_major ? p->ldv : 1, p->row_major ? 1 : p->ldv, p->stride_v};
    return s;
}

/* One call of eig_geev, eig_geev_batched, eig_geev_affine or eig_geev_schur. */
typedef struct geev_problem {
    eig_type type; /* of a, x, t and q; w, vl and vr are of its complex type, condition and value of its real one */
    bool affine; /* false: matrix b is b of the batch; true: it is a_0 + sum over k < m of x[k + b*stride_x] a_{k+1} */
    int64_t n, batch; /* affine: batch is the number of points */
    int64_t all;      /* as in heev_problem */
    const void *a;
    int64_t lda, stride_a;
    eig_layout layout; /* affine: always matrix-wise */
    bool row_major;    /* element (i, j) of a lies where the layout has (j, i) */
    int64_t m;
    const void *x;
    int64_t stride_x;
    void *w; /* NULL only where value is set */
    int64_t stride_w;
    bool vectors;  /* any of vl, vr, condition, t and q; set in a workspace query too, which has none of them */
    void *vl, *vr; /* NULL: not wanted; as is condition */
    int64_t ldvl, ldvr, stride_vl, stride_vr;
    void *condition; /* [n] every stride_w */
    bool schur;      /* the Schur form is asked for: no scaling, since D is not unitary */
    void *t, *q;     /* NULL: not wanted */
    int64_t ldt, ldq, stride_t, stride_q;
    eig_geev_measure measure; /* 'A', 'R' or 'D' */
    void *value;              /* NULL: not wanted */
    int *info;                /* NULL: not wanted */
    bool balance;
    eig_geev_method method;
    int threads_per_matrix; /* 0 = the backend chooses */
    int64_t chunk;          /* 0 = the backend chooses */
    int max_steps;          /* between two deflations; > 0 */
    bool certify;           /* what fails a certificate is solved again, by plain code */
    call_repairs *repairs;  /* NULL, or what was repaired is added here, atomically: of a part of a call */
} geev_problem;

static inline batch_strides geev_strides_of(const geev_problem *p)
{
    return batch_strides_of(p->layout, p->row_major, p->lda, p->stride_a);
}

/* What a backend offers; no entry may be NULL.  A driver gets arguments that are checked, options whose defaults are
 * resolved, and n, batch and m > 0.  A work_size is exact, and 0 where nothing is needed. */
typedef struct backend {
    const char *name;
    bool dies_in_fork; /* its contexts are refused in a child of the process that made them */
    eig_status (*open)(eig_context *ctx, int device); /* fills ctx->state */
    void (*close)(eig_context *ctx);
    void (*describe)(eig_context *ctx); /* writes ctx->description */
    /* Workspace, 256-byte aligned; NULL when there is none, perhaps with a sentence in the context. */
    void *(*allocate)(eig_context *ctx, size_t bytes);
    void (*release)(eig_context *ctx, void *work);
    /* The workspace of a call: the lent one, or the context's own; refused where a captured stream needs a lent one. */
    eig_status (*workspace)(eig_context *ctx, const char *family, size_t need, void **work);
    eig_status (*set_stream)(eig_context *ctx, void *stream);
    eig_status (*synchronize)(eig_context *ctx);
    eig_status (*clear)(eig_context *ctx, void *array, size_t bytes); /* sets an array of a call to zero, on its side */
    bool (*on_device)(eig_context *ctx, const void *array);           /* whether it lies in a GPU's memory */
    size_t (*stebz_work_size)(const eig_context *ctx, const stebz_problem *p);
    eig_status (*stebz)(eig_context *ctx, const stebz_problem *p);
    size_t (*stebz_count_work_size)(const eig_context *ctx, const stebz_count_problem *p);
    eig_status (*stebz_count)(eig_context *ctx, const stebz_count_problem *p);
    size_t (*stemr_work_size)(const eig_context *ctx, const stemr_problem *p);
    eig_status (*stemr)(eig_context *ctx, const stemr_problem *p);
    /* Many matrices, or one that has same_bits, and what their stats say together; eig_stemr_each where threads or the
     * device share one matrix. */
    eig_status (*stemr_batch)(eig_context *ctx, const stemr_batch *all, eig_stemr_stats *sum);
    size_t (*heev_work_size)(const eig_context *ctx, const heev_problem *p);
    eig_status (*heev)(eig_context *ctx,
                       const heev_problem *p); /* all pairs, unless heev_ranges; then it also sets m */
    /* Whether heev finds the pairs of the range alone; heev_work_size is then that of the range. */
    bool (*heev_ranges)(const eig_context *ctx, const heev_problem *p);
    eig_status (*heev_select)(eig_context *ctx, const heev_selection *s);
    size_t (*geev_work_size)(const eig_context *ctx, const geev_problem *p);
    eig_status (*geev)(eig_context *ctx, const geev_problem *p);
    eig_status (*read_repairs)(eig_context *ctx); /* ctx->repairs of a call that has counted them on the device */
} backend;

extern const backend eig_backend_cpu;
extern const backend eig_backend_multi;
#ifdef EIG_WITH_CUDA
extern const backend eig_backend_cuda;

/* How many GPUs there are; 0 where none answers. */
int eig_cuda_devices(void);
#endif

enum { EIG_MOST_PASSES = 8 };

struct eig_context {
    const backend *backend; /* NULL: eig_create failed, and detail says why */
    void *state;            /* the backend's own */
    int threads;            /* 0 = OpenMP's default */
    int quota;              /* processors that the CPU quota grants; 0: there is none */
    long process;           /* the one that made the context */
    struct cpu_pool *pool;  /* of a context of the CPU: its threads; NULL: none yet */
    eig_progress progress;
    void *progress_user;
    bool reporting;       /* the callback runs */
    float_mode mode;      /* the caller's, while a call runs */
    const void *occupant; /* marks the thread whose call runs, NULL: none; eig_enter and eig_leave alone, atomically */
    void *work;           /* the context's own workspace, grown on demand */
    size_t work_bytes;
    void *lent; /* the caller's, or NULL */
    size_t lent_bytes;
    size_t range_bytes;   /* heev, a range: of all pairs of the matrices that are solved at a time; tests lower it */
    const char *road;     /* of the last call, by its name in the table; NULL: none */
    call_repairs repairs; /* of the last call */
    bool repairs_there;   /* they are counted on a device: backend->read_repairs brings them */
    bool timing;
    int passes;
    eig_pass pass[EIG_MOST_PASSES];
    char description[160];
    char detail[240];
};

/* A context without a backend; NULL where there is no memory. */
eig_context *eig_new_context(void);

/* Writes the sentence that eig_error_detail returns; returns its status, so that callers can return it. */
eig_status eig_fail(eig_context *ctx, eig_status status, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));

/* read_repairs of a backend without a device. */
eig_status eig_have_repairs(eig_context *ctx);

/* Whether this process is not the one that made the context. */
bool eig_forked(const eig_context *ctx);

/* Begins a call: refuses a context that is NULL, that eig_create could not open, that another call occupies, or that a
 * fork has made useless.  Else the context is this call's: *entered is ctx, the last error is cleared, and the thread
 * computes in the library's floating-point mode.  Where
 * another thread's call runs, nothing of the context is touched, not even its sentence. */
eig_status eig_enter(eig_context *ctx, eig_context **entered);

/* Ends the call that entered, in the caller's floating-point mode; nothing where *entered is NULL. */
void eig_leave(eig_context **entered);

/* The first line of a public function: eig_enter, and eig_leave wherever the function returns. */
#define ENTER(ctx)                                                   \
    __attribute__((cleanup(eig_leave))) eig_context *entered = NULL; \
    do {                                                             \
        eig_status const entrance = eig_enter(ctx, &entered);        \
        if (entrance != EIG_OK) return entrance;                     \
    } while (0)

/* The caller's options (NULL: none), whatever size the caller's header gave them: where they lie if that is known_size,
 * else copied into known, over zeros.  NULL, with a sentence, for sizes that cannot be, and for fields beyond the known
 * ones that are not 0: EIG_BAD_ARGUMENT. */
const void *eig_read_options(eig_context *ctx, const char *family, const void *given, void *known, size_t known_size);

/* Solves one matrix after the other by the backend's stemr. */
eig_status eig_stemr_each(eig_context *ctx, const stemr_batch *all, eig_stemr_stats *sum);

/* Whether a structure that the caller lends begins with a size that can be. */
bool eig_structure_is_sane(const void *given);

/* Writes what a call knows into such a structure, whatever size the caller's header gave it; fields beyond are 0. */
void eig_write_structure(void *given, const void *known, size_t known_size);

/* Resolves which eigenvalues are wanted; sets il and iu where the caller's do not count. */
eig_status eig_read_range(eig_context *ctx, const char *call, int64_t n, eig_range *range, int64_t *il, int64_t *iu,
                          double vl, double vu);

/* Refuses a workspace that cannot be addressed. */
eig_status eig_check_need(eig_context *ctx, const char *family, size_t need);

/* Sets *work to a workspace of at least need bytes: the lent one if there is any, else the context's own, grown.
 * family names the caller in the error's sentence. */
eig_status eig_workspace(eig_context *ctx, const char *family, size_t need, void **work);

/* Calls the progress callback, if there is one, in the caller's floating-point mode; EIG_CANCELLED when it asks to
 * stop. */
eig_status eig_report_progress(eig_context *ctx, const char *family, double fraction);

/* Notes the call's road; where times are measured, begins the list of its passes, all of 0 ms. */
void eig_begin_passes(eig_context *ctx, const char *road, int count, const char *const *names);

/* A call whose matrices a backend solves in several steps: progress goes on from one step to the next, and the times of
 * the passes are added up. */
typedef struct call_steps {
    eig_progress callback;
    void *user;
    int64_t batch;
    double first, share; /* of the step that runs; share is that of one matrix unless the caller sets it */
    double ms[EIG_MOST_PASSES];
} call_steps;

void eig_steps_begin(eig_context *ctx, call_steps *steps, int64_t batch);
void eig_steps_next(eig_context *ctx, call_steps *steps, int64_t matrices); /* after a step of this many */
void eig_steps_end(eig_context *ctx, call_steps *steps);

/* The most problems of a batch, parameters or shifts: sizes of 64 bytes each do not overflow.  The most rows of a
 * tridiagonal matrix, which also has vectors, and of a dense one. */
#define EIG_MOST_COUNT (INT64_MAX / 64)
#define EIG_MOST_ROWS (INT64_MAX / 65536)
#define EIG_MOST_ORDER ((int64_t)100000000)

/* Whether count blocks of `length` elements each, `stride` apart, can be addressed: no product of theirs overflows. */
static inline bool eig_addressable(int64_t count, int64_t stride, int64_t length, size_t size)
{
    int64_t const most = INT64_MAX / 4 / (int64_t)size;
    return length <= most && (count <= 1 || stride <= (most - length) / (count - 1));
}

/* Returns EIG_BAD_ARGUMENT with a sentence unless cond holds; for the check functions of the families. */
#define REQUIRE(cond, ...)                                                \
    do {                                                                  \
        if (!(cond)) return eig_fail(ctx, EIG_BAD_ARGUMENT, __VA_ARGS__); \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
