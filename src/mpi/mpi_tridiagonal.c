/* The road of a call: agreement, T, indices, runs, computing, gathering. */
#include "tridiagonal.h"

#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ T, indices */

static eig_status broadcast_matrix(tridiagonal_call *call)
{
    eig_mpi_context *const ctx = call->ctx;
    if (call->where.input != EIG_MPI_INPUT_ROOT || call->n == 0) return EIG_OK;
    if (call->owned) call->d = call->owned, call->e = (char *)call->owned + call_bytes(call, call->n);
    eig_status status = eig_mpi_status(
        ctx, eig_wire_broadcast(&ctx->wire, (void *)call->d, (size_t)call_bytes(call, call->n), call->where.root));
    if (status != EIG_OK || call->n == 1) return status;
    return eig_mpi_status(
        ctx, eig_wire_broadcast(&ctx->wire, (void *)call->e, (size_t)call_bytes(call, call->n - 1), call->where.root));
}

/* eig_stebz_count by double, of T in whatever type, at one point. */
static eig_status count_below(tridiagonal_call *call, double x, int64_t *count, int *info)
{
    int64_t const n = call->n;
    const void *d = call->d, *e = call->e;
    double *wide = NULL;
    if (call->type == EIG_S) {
        wide = malloc(2 * (size_t)n * sizeof *wide);
        if (!wide) return eig_mpi_fail(call->ctx, EIG_NO_MEMORY, "%s: no memory for T in double", call->family);
        for (int64_t i = 0; i < n; ++i) wide[i] = ((const float *)d)[i];
        for (int64_t i = 0; i + 1 < n; ++i) wide[n + i] = ((const float *)e)[i];
        d = wide, e = wide + n;
    }
    eig_status const status = eig_dstebz_count(call->ctx->local, n, d, e, 1, &x, count, info);
    free(wide);
    return eig_mpi_local_failure(call->ctx, status);
}

/* Sums of the agreement about a range by value. */
enum { SUM_BELOW, SUM_UPTO, SUM_NOT_FINITE };

/* The number of eigenvalues up to x: those below the next number.  For x = -infinity there are none. */
static eig_status count_upto(tridiagonal_call *call, double x, int64_t *count, int *info)
{
    return count_below(call, x == -INFINITY ? x : nextafter(x, INFINITY), count, info);
}

/* Rank 0 finds out which eigenvalues lie in (vl, vu]. */
static eig_status find_indices(tridiagonal_call *call)
{
    int64_t sums[WIRE_SUMS] = {0};
    eig_status status = EIG_OK;
    int info = EIG_INFO_OK;
    if (call->ctx->wire.rank == 0) {
        status = count_upto(call, call->by_value.vl, &sums[SUM_BELOW], &info);
        if (status == EIG_OK) status = count_upto(call, call->by_value.vu, &sums[SUM_UPTO], &info);
        sums[SUM_NOT_FINITE] = info == EIG_INFO_NOT_FINITE;
    }
    status = eig_mpi_agree(call->ctx, status, sums);
    call->il = sums[SUM_BELOW] + 1, call->iu = sums[SUM_UPTO];
    if (sums[SUM_NOT_FINITE]) call->il = 1, call->iu = 0, call->run.info = EIG_INFO_NOT_FINITE;
    return status;
}

/* --------------------------------------------------------------------- outputs */

static int64_t first_of(const tridiagonal_call *call, int rank)
{
    return eig_part_begin(call->run.total, call->ctx->wire.size, rank);
}

static void *item_at(const call_array *a, int64_t item)
{
    return (char *)a->given + (size_t)(item * a->stride) * a->size;
}

/* Where this rank's run goes: into the caller's arrays, or into memory of its own, which the root will ask for. */
static eig_status place_outputs(tridiagonal_call *call)
{
    eig_status status = EIG_OK;
    for (int i = 0; i < CALL_ARRAYS; ++i) {
        call_array *const a = &call->array[i];
        if (!a->wanted || call->run.count == 0) continue;
        if (call_has_outputs(call)) {
            bool const whole = call->where.output != EIG_MPI_OUTPUT_RUNS;
            a->mine = item_at(a, whole ? first_of(call, call->ctx->wire.rank) : 0);
            continue;
        }
        a->stride = a->length;
        a->mine = a->owned = malloc((size_t)call->run.count * (size_t)a->length * a->size);
        if (!a->owned)
            status = eig_mpi_fail(call->ctx, EIG_NO_MEMORY, "%s: no memory for %lld eigenvalues' %s", call->family,
                                  (long long)call->run.count, a->name);
    }
    return call->where.output == EIG_MPI_OUTPUT_ROOT ? eig_mpi_agree(call->ctx, status, NULL) : status;
}

static int gather_array(tridiagonal_call *call, call_array *a, const int *count, const int *first)
{
    eig_mpi_context *const ctx = call->ctx;
    MPI_Datatype packed, item;
    MPI_Request request;
    int const length = (int)a->length;
    int code = MPI_Type_contiguous(length, a->number, &packed);
    if (code != MPI_SUCCESS) return code;
    code = MPI_Type_create_resized(packed, 0, (MPI_Aint)((size_t)a->stride * a->size), &item);
    MPI_Type_free(&packed);
    if (code != MPI_SUCCESS) return code;
    MPI_Type_commit(&item);
    int const root = call->where.root, mine = count[ctx->wire.rank];
    if (call->where.output == EIG_MPI_OUTPUT_ALL)
        code = MPI_Iallgatherv(MPI_IN_PLACE, 0, item, a->given, count, first, item, ctx->wire.comm, &request);
    else if (ctx->wire.rank == root)
        code = MPI_Igatherv(MPI_IN_PLACE, 0, item, a->given, count, first, item, root, ctx->wire.comm, &request);
    else
        code = MPI_Igatherv(a->mine, mine, item, NULL, NULL, NULL, item, root, ctx->wire.comm, &request);
    if (code == MPI_SUCCESS) code = eig_wire_wait(&ctx->wire, 1, &request);
    MPI_Type_free(&item);
    return code;
}

static eig_status gather(tridiagonal_call *call, const int *count)
{
    eig_status status = EIG_OK;
    for (int i = 0; i < CALL_ARRAYS && status == EIG_OK; ++i)
        if (call->array[i].wanted)
            status =
                eig_mpi_status(call->ctx, gather_array(call, &call->array[i], count, count + call->ctx->wire.size));
    return status;
}

/* How many eigenvalues each rank has, and where they begin: [2 size], or NULL. */
static int *list_runs(const tridiagonal_call *call)
{
    int const size = call->ctx->wire.size;
    int *const count = malloc(2 * (size_t)size * sizeof *count);
    for (int r = 0; count && r < size; ++r) {
        count[size + r] = (int)first_of(call, r);
        count[r] = (int)first_of(call, r + 1) - count[size + r];
    }
    return count;
}

/* --------------------------------------------------------------------- the road */

/* Sums of the last agreement. */
enum { SUM_BAD };

static eig_status compute(tridiagonal_call *call, const int *count)
{
    eig_mpi_context *const ctx = call->ctx;
    int64_t sums[WIRE_SUMS] = {0};
    int info = EIG_INFO_OK;
    eig_status status =
        count ? EIG_OK : eig_mpi_fail(ctx, EIG_NO_MEMORY, "%s: no memory for a list of ranks", call->family);
    eig_mpi_begin(ctx);
    if (status == EIG_OK && call->run.count > 0) status = call->compute(call, &info);
    sums[SUM_BAD] = info == EIG_INFO_NOT_FINITE;
    status = eig_mpi_end(ctx, status, sums);
    if (sums[SUM_BAD]) call->run.info = EIG_INFO_NOT_FINITE;
    return status;
}

static eig_status solve(tridiagonal_call *call, const eig_mpi_options *where)
{
    eig_mpi_context *const ctx = call->ctx;
    eig_status status = eig_mpi_ask(call, where);
    if (status == EIG_OK) status = broadcast_matrix(call);
    if (status != EIG_OK || call->n == 0) return status;
    if (call->range == EIG_RANGE_VALUE) {
        call->by_value = range_of_values(call->type, call->vl, call->vu);
        if ((status = find_indices(call)) != EIG_OK) return status;
    }
    call->run.total = call->iu >= call->il ? call->iu - call->il + 1 : 0;
    call->run.first = call->il + first_of(call, ctx->wire.rank);
    call->run.count = call->il + first_of(call, ctx->wire.rank + 1) - call->run.first;
    if (call->run.total == 0) return EIG_OK;
    if ((status = place_outputs(call)) != EIG_OK) return status;
    int *const count = list_runs(call);
    status = compute(call, count);
    if (status == EIG_OK && call->finish) status = call->finish(call);
    if (status == EIG_OK && call->where.output != EIG_MPI_OUTPUT_RUNS) status = gather(call, count);
    free(count);
    return status;
}

eig_status eig_mpi_solve(tridiagonal_call *call, const eig_mpi_options *where, eig_mpi_run *run)
{
    eig_mpi_context *const ctx = call->ctx;
    if (!ctx) return EIG_BAD_ARGUMENT;
    if (ctx->created != EIG_OK) return ctx->created; /* the sentence stays */
    if (ctx->busy) return EIG_BUSY;
    ctx->busy = true;
    ctx->family = call->family;
    ctx->detail[0] = '\0';
    call->told = run;
    eig_status const status = solve(call, where);
    for (int i = 0; i < CALL_ARRAYS; ++i) free(call->array[i].owned);
    free(call->owned);
    ctx->busy = false;
    if (!run || !eig_mpi_is_sane(run)) return status;
    if (call->run.info != EIG_INFO_OK) call->run.count = call->run.total = 0;
    eig_mpi_write(run, status == EIG_OK ? &call->run : &(eig_mpi_run)EIG_MPI_RUN, sizeof *run);
    return status;
}
