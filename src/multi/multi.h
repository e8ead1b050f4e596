/* Several devices in one context: what the files of this backend share.
 *
 *     backend_multi.c       opens the children, describes them; the table
 *     multi_workers.c       a thread for each child, the queue, progress, errors
 *     multi_batches.c       geev, heev, batched stebz and stemr: parts are matrices
 *     multi_tridiagonal.c   one tridiagonal matrix: parts are eigenvalues or shifts
 *
 * A child is a context like any other; its thread calls the child's backend on a part of the caller's problem, whose
 * arrays begin further on in the caller's.  No result is copied or computed here.  Only where one T is cut, a copy of
 * it in double is made for the counts (gaps.h, find_indices). */
#ifndef EIG_MULTI_H
#define EIG_MULTI_H

#include "problem.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MULTI_MOST_CHILDREN = 64 };

/* Part [first, first + count) of a call: its matrices, eigenvalues or shifts, from 0.  Called by a child's thread; a
 * part's results that are not arrays go to call->result, under the lock (eig_multi_lock). */
struct multi_call;
typedef eig_status multi_work(eig_context *child, const struct multi_call *call, int64_t first, int64_t count);

typedef struct multi_call {
    const char *family; /* for the sentences */
    multi_work *work;
    const void *problem;
    void *result;        /* of the work's own kind, or NULL */
    int64_t count;       /* what is shared out */
    int64_t parts;       /* > 0: part k for child k; 0: children take parts from a queue, a long one first, then shorter
                            ones */
    const int64_t *cut;  /* [parts + 1] where the parts begin, some of them empty; NULL: equal parts */
    int64_t head, least; /* of the queue: length of the first part of each child, length of the shortest part */
    bool silent;         /* a small part of the caller's call: no progress, no times */
} multi_call;

typedef struct multi_state multi_state;

/* One child and its thread.  The thread alone uses the child between a call's start and its end. */
typedef struct multi_worker {
    multi_state *state;
    eig_context *child;
    char name[32]; /* "cuda:1", for the sentences */
    pthread_t thread;
    bool started;
    bool served;             /* with its first part; under the lock, as is `at` */
    int64_t at;              /* length of the part in work */
    _Atomic double fraction; /* of it that is done */
    int passes;              /* times of this call's parts, added up */
    eig_pass pass[EIG_MOST_PASSES];
} multi_worker;

struct multi_state {
    int workers;
    multi_worker worker[MULTI_MOST_CHILDREN];
    /* A call of less work is not shared out.  Work is the multiplications of a batch; for one T rows times eigenvalues
     * or shifts, and four times that for stemr. */
    int64_t grain;
    bool started; /* threads may run */
    bool alike;   /* the children are of one kind */
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    /* Under the lock, except for stop: */
    const multi_call *call; /* NULL: the threads end */
    int64_t turn;           /* how many calls there were */
    int active, running;    /* workers that take part, and those that have not finished */
    int64_t next;           /* what the queue has not yet given, from 0 */
    int64_t done;
    atomic_bool stop;
    int failed; /* the worker that failed first, or -1 */
    eig_status status;
};

static inline multi_state *multi_state_of(const eig_context *ctx)
{
    return (multi_state *)ctx->state;
}

/* Opens one child for each name of the list, e.g. "cuda:0,1" or, for tests, "cpu,cpu".  Where all is open ctx->backend
 * is set. */
eig_status eig_multi_open(eig_context *ctx, const char *devices);

/* As eig_create, for tests: any children, and calls are shared out from this much work on. */
eig_status eig_multi_create(eig_context **ctx, const char *devices, int64_t grain);

/* Starts and ends the threads. */
eig_status eig_multi_start(eig_context *ctx);
void eig_multi_stop(multi_state *state);

/* Shares a call out among the first `most` children, and waits for all of them. */
eig_status eig_multi_run(eig_context *ctx, const multi_call *call, int64_t most);

/* For a work that adds to call->result. */
void eig_multi_lock(const eig_context *child);
void eig_multi_unlock(const eig_context *child);

/* An array of a call, for the sentence that refuses it; at is NULL where the call has none. */
typedef struct multi_array {
    const char *name;
    const void *at;
} multi_array;

/* Refuses arrays in device memory. */
eig_status eig_multi_check(eig_context *ctx, const char *family, const multi_array *arrays, int count);

size_t eig_multi_stebz_work_size(const eig_context *ctx, const stebz_problem *p);
eig_status eig_multi_stebz(eig_context *ctx, const stebz_problem *p);
size_t eig_multi_stebz_count_work_size(const eig_context *ctx, const stebz_count_problem *p);
eig_status eig_multi_stebz_count(eig_context *ctx, const stebz_count_problem *p);
size_t eig_multi_stemr_work_size(const eig_context *ctx, const stemr_problem *p);
eig_status eig_multi_stemr(eig_context *ctx, const stemr_problem *p);
eig_status eig_multi_stemr_batch(eig_context *ctx, const stemr_batch *all, eig_stemr_stats *sum);
size_t eig_multi_heev_work_size(const eig_context *ctx, const heev_problem *p);
eig_status eig_multi_heev(eig_context *ctx, const heev_problem *p);
bool eig_multi_heev_ranges(const eig_context *ctx, const heev_problem *p);
eig_status eig_multi_heev_select(eig_context *ctx, const heev_selection *s);
size_t eig_multi_geev_work_size(const eig_context *ctx, const geev_problem *p);
eig_status eig_multi_geev(eig_context *ctx, const geev_problem *p);

/* A batch of stebz, after the arrays have been checked. */
eig_status eig_multi_stebz_batch(eig_context *ctx, const stebz_problem *p);

/* Whether several children share this matrix; refuses its arrays in device memory. */
bool eig_multi_stemr_is_shared(const eig_context *ctx, const stemr_problem *p);
eig_status eig_multi_check_stemr(eig_context *ctx, const stemr_problem *p);

#endif
