/* Which device a rank computes on, and with how many threads. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "context.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MPI_TRY(call)                                         \
    do {                                                      \
        eig_status const tried = eig_mpi_status(ctx, (call)); \
        if (tried != EIG_OK) return tried;                    \
    } while (0)

/* Another device in place of the one that is open, if any. */
static eig_status reopen(eig_mpi_context *ctx, const char *device)
{
    eig_destroy(ctx->local);
    ctx->local = NULL;
    return eig_mpi_local_failure(ctx, eig_create(&ctx->local, device));
}

static eig_status open_gpu(eig_mpi_context *ctx, int number)
{
    char name[32];
    snprintf(name, sizeof name, "cuda:%d", number);
    return reopen(ctx, name);
}

/* This rank's number among those of the host that want a GPU. */
static eig_status number_among(eig_mpi_context *ctx, bool wanted, int *number)
{
    int const one = wanted;
    MPI_Request request;
    *number = 0;
    MPI_TRY(MPI_Iexscan(&one, number, 1, MPI_INT, MPI_SUM, ctx->wire.host, &request));
    MPI_TRY(eig_wire_wait(&ctx->wire, 1, &request));
    if (ctx->wire.host_rank == 0) *number = 0; /* which MPI leaves open */
    return EIG_OK;
}

/* GPU number r for rank r among those of the host; the ranks that find none learn how many there are, and take turns. 
 * A launcher may also show each rank a GPU of its own, as number 0. */
static eig_status deal_gpus(eig_mpi_context *ctx, bool wanted, eig_status *status)
{
    int mine;
    eig_status const failed = number_among(ctx, wanted, &mine);
    if (failed != EIG_OK) return failed;
    *status = wanted ? open_gpu(ctx, mine) : EIG_OK;
    int gpus = wanted && *status == EIG_OK ? mine + 1 : 0;
    MPI_TRY(eig_wire_reduce(&ctx->wire, ctx->wire.host, &gpus, 1, MPI_INT, MPI_MAX));
    if (wanted && *status != EIG_OK && gpus > 0) *status = open_gpu(ctx, mine % gpus);
    return EIG_OK;
}

/* The processors that a rank may run on, each divided among the ranks that may; at least 1. */
static eig_status share_of_host(eig_mpi_context *ctx, int *share, int *processors)
{
    int users[CPU_SETSIZE] = {0};
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) CPU_SET(0, &set);
    for (int i = 0; i < CPU_SETSIZE; ++i) users[i] = CPU_ISSET(i, &set) != 0;
    MPI_TRY(eig_wire_reduce(&ctx->wire, ctx->wire.host, users, CPU_SETSIZE, MPI_INT, MPI_SUM));
    double sum = 0;
    for (int i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET(i, &set)) sum += 1.0 / users[i];
    *share = sum > 1 ? (int)(sum + 1e-6) : 1;
    *processors = CPU_COUNT(&set);
    return EIG_OK;
}

/* The threads that a CPU context would take by itself: "cpu avx2, 16 threads"; 0 for other devices. */
static int own_threads(eig_context *local)
{
    const char *const comma = strchr(eig_describe(local), ',');
    int threads = 0;
    if (comma && strncmp(eig_describe(local), "cpu", 3) == 0) sscanf(comma, ", %d thread", &threads);
    return threads;
}

static eig_status set_threads(eig_mpi_context *ctx, eig_status so_far)
{
    int share, processors;
    eig_status const status = share_of_host(ctx, &share, &processors);
    if (status != EIG_OK || so_far != EIG_OK || getenv("OMP_NUM_THREADS")) return status;
    /* A quota that is lower than the number of processors holds for the whole host, too. */
    int const own = own_threads(ctx->local), quota = own / ctx->wire.host_size > 1 ? own / ctx->wire.host_size : 1;
    if (own > 0 && own < processors && quota < share) share = quota;
    return eig_mpi_local_failure(ctx, eig_set_threads(ctx->local, share));
}

eig_status eig_mpi_open_device(eig_mpi_context *ctx, const char *device)
{
    bool const any = !device || strcmp(device, "auto") == 0, gpu = any || strcmp(device, "cuda") == 0;
    eig_status status;
    eig_status failed = deal_gpus(ctx, gpu, &status);
    if (failed != EIG_OK) return failed;
    int lacking = any && status != EIG_OK;
    MPI_TRY(eig_wire_reduce(&ctx->wire, ctx->wire.comm, &lacking, 1, MPI_INT, MPI_MAX));
    if (!gpu) status = reopen(ctx, device);
    if (any && lacking) status = reopen(ctx, "cpu");
    failed = set_threads(ctx, status);
    return eig_mpi_agree(ctx, status != EIG_OK ? status : failed, NULL);
}
