/* eig_mpi_context: its life, its failures, and the watch over a computation. */
#include "context.h"

#include "parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ failures */

eig_status eig_mpi_fail(eig_mpi_context *ctx, eig_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(ctx->detail, sizeof ctx->detail, format, args);
    va_end(args);
    return status;
}

eig_status eig_mpi_local_failure(eig_mpi_context *ctx, eig_status status)
{
    if (status == EIG_OK) return status;
    const char *const detail = eig_error_detail(ctx->local);
    return eig_mpi_fail(ctx, status, "%s", detail[0] ? detail : eig_status_text(status));
}

eig_status eig_mpi_status(eig_mpi_context *ctx, int code)
{
    if (code == MPI_SUCCESS) return EIG_OK;
    char text[MPI_MAX_ERROR_STRING];
    int length;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) strcpy(text, "no reason given");
    return eig_mpi_fail(ctx, EIG_MPI_FAILURE, "MPI failed: %.200s", text);
}

eig_status eig_mpi_agree(eig_mpi_context *ctx, int mine, int64_t *sums)
{
    int status = mine, from;
    char sentence[sizeof ctx->detail - 40];
    snprintf(sentence, sizeof sentence, "%.*s", (int)sizeof sentence - 1, ctx->detail);
    eig_status const failed =
        eig_mpi_status(ctx, eig_wire_agree(&ctx->wire, &status, sentence, sizeof sentence, &from, sums));
    if (failed != EIG_OK) return failed;
    ctx->detail[0] = '\0';
    if (status == 0) return EIG_OK;
    if (ctx->wire.size == 1) return eig_mpi_fail(ctx, (eig_status)status, "%s", sentence);
    return eig_mpi_fail(ctx, (eig_status)status, "rank %d of %d: %s", from, ctx->wire.size, sentence);
}

/* ------------------------------------------------------------------ the watch */

/* Asks the callback; the first that says stop is passed on. */
static void ask(void *user, double fraction)
{
    eig_mpi_context *const ctx = user;
    if (!ctx->progress || ctx->cancelled) return;
    float_mode_leave(&ctx->mode);
    int const stop = ctx->progress(ctx->progress_user, fraction);
    ctx->mode = float_mode_enter();
    if (stop == 0 || ctx->waiting) return;
    ctx->cancelled = true;
    eig_mpi_fail(ctx, EIG_CANCELLED, "%s: cancelled by the progress callback at %.0f %%", ctx->family, 100 * fraction);
    eig_wire_stop(&ctx->wire);
}

/* The callback of this rank's own context. */
static int watch(void *user, double fraction)
{
    eig_mpi_context *const ctx = user;
    return eig_wire_progress(&ctx->wire, fraction) || ctx->cancelled;
}

void eig_mpi_begin(eig_mpi_context *ctx)
{
    ctx->cancelled = ctx->waiting = false;
    ctx->wire.show = ask, ctx->wire.show_user = ctx;
    if (ctx->wire.size > 1 || ctx->progress) eig_set_progress(ctx->local, watch, ctx);
}

eig_status eig_mpi_end(eig_mpi_context *ctx, eig_status mine, int64_t *sums)
{
    int said = (int)mine;
    if (ctx->cancelled)
        said = EIG_CANCELLED; /* its sentence is there */
    else if (mine == EIG_CANCELLED)
        said = WIRE_STOPPED;
    else if (mine != EIG_OK)
        eig_wire_stop(&ctx->wire);
    eig_set_progress(ctx->local, NULL, NULL);
    ctx->waiting = true;
    eig_status const status = eig_mpi_agree(ctx, said, sums);
    ctx->wire.show = NULL;
    return status;
}

eig_status eig_mpi_set_progress(eig_mpi_context *ctx, eig_progress callback, void *user)
{
    if (!ctx) return EIG_BAD_ARGUMENT;
    if (ctx->created != EIG_OK) return ctx->created;
    if (ctx->busy) return EIG_BUSY;
    ctx->progress = callback;
    ctx->progress_user = user;
    return EIG_OK;
}

/* ------------------------------------------------------------- create, destroy */

/* A communicator to talk on, or a sentence of this rank alone. */
static eig_status check_mpi(eig_mpi_context *ctx, MPI_Comm comm)
{
    int begun = 0, ended = 0;
    if (MPI_Initialized(&begun) != MPI_SUCCESS || !begun || MPI_Finalized(&ended) != MPI_SUCCESS || ended)
        return eig_mpi_fail(ctx, EIG_BAD_ARGUMENT, "eig_mpi_create: MPI is not running: call MPI_Init before");
    if (comm == MPI_COMM_NULL) return eig_mpi_fail(ctx, EIG_BAD_ARGUMENT, "eig_mpi_create: comm is MPI_COMM_NULL");
    return EIG_OK;
}

static eig_status open_context(eig_mpi_context *ctx, MPI_Comm comm, const char *device)
{
    int const code = eig_wire_open(&ctx->wire, comm);
    if (code == MPI_ERR_NO_MEM) return eig_mpi_fail(ctx, EIG_NO_MEMORY, "eig_mpi_create: no memory on some rank");
    if (code != MPI_SUCCESS) return eig_mpi_status(ctx, code);
    ctx->connected = true;
    return eig_mpi_open_device(ctx, device);
}

eig_status eig_mpi_create(eig_mpi_context **out, MPI_Comm comm, const char *device)
{
    eig_mpi_context *const ctx = calloc(1, sizeof *ctx);
    if (out) *out = ctx;
    if (ctx && (ctx->created = check_mpi(ctx, comm)) != EIG_OK) {
        if (out) return ctx->created;
        free(ctx);
        return EIG_BAD_ARGUMENT;
    }
    /* A rank without a context must not leave the others waiting. */
    int trouble = !out ? EIG_BAD_ARGUMENT : !ctx ? EIG_NO_MEMORY : EIG_OK;
    if (ctx || (MPI_Initialized(&(int){0}) == MPI_SUCCESS && comm != MPI_COMM_NULL))
        if (MPI_Allreduce(MPI_IN_PLACE, &trouble, 1, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS) trouble = EIG_MPI_FAILURE;
    if (trouble != EIG_OK) {
        free(ctx);
        if (out) *out = NULL;
        return (eig_status)trouble;
    }
    ctx->created = open_context(ctx, comm, device);
    return ctx->created;
}

void eig_mpi_destroy(eig_mpi_context *ctx)
{
    if (!ctx || ctx->busy) return;
    if (ctx->local) eig_destroy(ctx->local);
    if (ctx->connected) eig_wire_close(&ctx->wire);
    free(ctx);
}

/* ---------------------------------------------------------------- small things */

const char *eig_mpi_error_detail(const eig_mpi_context *ctx)
{
    return ctx ? ctx->detail : "the context is NULL";
}

eig_context *eig_mpi_local(eig_mpi_context *ctx)
{
    return ctx && ctx->created == EIG_OK ? ctx->local : NULL;
}

const char *eig_mpi_describe(eig_mpi_context *ctx)
{
    if (!ctx || ctx->created != EIG_OK) return "no device";
    snprintf(ctx->description, sizeof ctx->description, "rank %d of %d, %s", ctx->wire.rank, ctx->wire.size,
             eig_describe(ctx->local));
    return ctx->description;
}

eig_status eig_mpi_ranks(const eig_mpi_context *ctx, int *rank, int *size)
{
    if (!ctx) return EIG_BAD_ARGUMENT;
    if (ctx->created != EIG_OK) return ctx->created;
    if (rank) *rank = ctx->wire.rank;
    if (size) *size = ctx->wire.size;
    return EIG_OK;
}

void eig_mpi_slice(int64_t count, int rank, int size, int64_t *first, int64_t *number)
{
    bool const sound = count > 0 && 0 <= rank && rank < size;
    int64_t const begin = sound ? eig_part_begin(count, size, rank) : 0,
                  end = sound ? eig_part_begin(count, size, rank + 1) : 0;
    if (first) *first = begin;
    if (number) *number = end - begin;
}

void eig_mpi_options_init(eig_mpi_options *options, size_t size)
{
    if (!options || size < sizeof size) return;
    memset(options, 0, size);
    memcpy(options, &size, sizeof size);
}
