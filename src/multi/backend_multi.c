/* The backend of several devices: its children, and the table of drivers.
 *
 * It has no arrays of its own: workspaces are the children's, and a lent one is not used.  Arrays lie on the host. */
#include "multi.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The least work that is shared out, in the units of multi_state's grain. */
static const int64_t GRAIN = (int64_t)1 << 28;

/* ---------------------------------------------------------------- open and close */

/* A new child by its name: "1" is "cuda:1". */
static eig_status open_child(eig_context *ctx, const char *name, size_t length)
{
    multi_state *const s = multi_state_of(ctx);
    if (s->workers == MULTI_MOST_CHILDREN)
        return eig_fail(ctx, EIG_BAD_ARGUMENT, "a context has at most %d devices", MULTI_MOST_CHILDREN);
    multi_worker *const worker = &s->worker[s->workers];
    bool const number = isdigit((unsigned char)*name);
    snprintf(worker->name, sizeof worker->name, "%s%.*s", number ? "cuda:" : "", (int)(length < 20 ? length : 20),
             name);
    worker->state = s;
    eig_status const status = eig_create(&worker->child, worker->name);
    if (worker->child) ++s->workers;
    if (status == EIG_OK) return EIG_OK;
    return eig_fail(ctx, status, "%s", worker->child ? eig_error_detail(worker->child) : "cannot allocate a context");
}

static eig_status open_children(eig_context *ctx, const char *devices)
{
    const char *name = strncmp(devices, "cuda:", 5) == 0 ? devices + 5 : devices;
    for (;;) {
        size_t const length = strcspn(name, ",");
        eig_status const status = open_child(ctx, name, length);
        if (status != EIG_OK || name[length] == '\0') return status;
        name += length + 1;
    }
}

/* What the child is, without its name: "cuda:1 NVIDIA H200, sm_90" is " NVIDIA H200, sm_90". */
static const char *kind_of(const multi_worker *worker)
{
    const char *const text = eig_describe(worker->child);
    size_t const length = strlen(worker->name);
    return strncmp(text, worker->name, length) == 0 ? text + length : text;
}

static void multi_close(eig_context *ctx)
{
    multi_state *const s = multi_state_of(ctx);
    if (s->started && !eig_forked(ctx)) eig_multi_stop(s); /* a fork has lost the threads */
    for (int i = 0; i < s->workers; ++i) eig_destroy(s->worker[i].child);
    free(s);
    ctx->state = NULL;
}

eig_status eig_multi_open(eig_context *ctx, const char *devices)
{
    multi_state *const s = ctx->state = calloc(1, sizeof *s);
    if (!s) return eig_fail(ctx, EIG_NO_MEMORY, "cannot allocate the context's state");
    s->grain = GRAIN, s->alike = true;
    eig_status status = open_children(ctx, devices);
    for (int i = 1; i < s->workers && status == EIG_OK; ++i)
        s->alike = s->alike && strcmp(kind_of(&s->worker[i]), kind_of(&s->worker[0])) == 0;
    if (status == EIG_OK) status = eig_multi_start(ctx);
    if (status == EIG_OK)
        ctx->backend = &eig_backend_multi;
    else
        multi_close(ctx);
    return status;
}

/* The first `count` GPUs. */
static eig_status multi_open(eig_context *ctx, int count)
{
    char devices[5 * MULTI_MOST_CHILDREN + 1] = "cuda:";
    for (int k = 0, at = 5; k < count && k < MULTI_MOST_CHILDREN; ++k)
        at += snprintf(devices + at, sizeof devices - (size_t)at, "%s%d", k ? "," : "", k);
    return eig_multi_open(ctx, devices);
}

eig_status eig_multi_create(eig_context **out, const char *devices, int64_t grain)
{
    eig_context *const ctx = *out = eig_new_context();
    if (!ctx) return EIG_NO_MEMORY;
    eig_status const status = eig_multi_open(ctx, devices);
    if (status == EIG_OK) multi_state_of(ctx)->grain = grain;
    return status;
}

/* "cuda:0,1 NVIDIA H200, sm_90"; where they differ the others' kinds follow, as far as there is room. */
static void multi_describe(eig_context *ctx)
{
    const multi_state *const s = multi_state_of(ctx);
    char *const text = ctx->description;
    size_t const size = sizeof ctx->description;
    size_t at = 0;
    for (int i = 0; i < s->workers && at < size; ++i) {
        const char *const name = s->worker[i].name;
        bool const again = i > 0 && strncmp(name, "cuda:", 5) == 0;
        at += (size_t)snprintf(text + at, size - at, "%s%s", i ? "," : "", again ? name + 5 : name);
    }
    for (int i = 0; i < s->workers && at < size; ++i) {
        const char *const kind = kind_of(&s->worker[i]);
        if (i > 0 && strcmp(kind, kind_of(&s->worker[i - 1])) == 0) continue;
        at += (size_t)snprintf(text + at, size - at, "%s%s", i ? ";" : "", kind);
    }
}

/* --------------------------------------------------------------- what all backends do */

static void *multi_allocate(eig_context *ctx, size_t bytes)
{
    (void)ctx, (void)bytes;
    return NULL; /* no caller asks */
}

static void multi_release(eig_context *ctx, void *work)
{
    (void)ctx, (void)work;
}

static eig_status multi_set_stream(eig_context *ctx, void *stream)
{
    REQUIRE(!stream, "eig_set_stream: the context has several devices, and its calls return when they are done");
    return EIG_OK;
}

static eig_status multi_synchronize(eig_context *ctx)
{
    (void)ctx;
    return EIG_OK;
}

static bool multi_on_device(eig_context *ctx, const void *array)
{
    eig_context *const child = multi_state_of(ctx)->worker[0].child;
    return child->backend->on_device(child, array);
}

eig_status eig_multi_check(eig_context *ctx, const char *family, const multi_array *arrays, int count)
{
    for (int i = 0; i < count; ++i)
        REQUIRE(!arrays[i].at || !multi_on_device(ctx, arrays[i].at),
                "%s: %s lies in device memory; a context with several devices takes arrays in host memory", family,
                arrays[i].name);
    return EIG_OK;
}

static eig_status multi_clear(eig_context *ctx, void *array, size_t bytes)
{
    multi_array const only = {"an output", array};
    eig_status const status = eig_multi_check(ctx, "sizes of 0", &only, 1);
    if (status == EIG_OK) memset(array, 0, bytes);
    return status;
}

const backend eig_backend_multi = {
    .name = "multi",
    .dies_in_fork = true,
    .open = multi_open,
    .close = multi_close,
    .describe = multi_describe,
    .allocate = multi_allocate,
    .release = multi_release,
    .workspace = eig_workspace,
    .set_stream = multi_set_stream,
    .synchronize = multi_synchronize,
    .clear = multi_clear,
    .on_device = multi_on_device,
    .stebz_work_size = eig_multi_stebz_work_size,
    .stebz = eig_multi_stebz,
    .stebz_count_work_size = eig_multi_stebz_count_work_size,
    .stebz_count = eig_multi_stebz_count,
    .stemr_work_size = eig_multi_stemr_work_size,
    .stemr = eig_multi_stemr,
    .stemr_batch = eig_multi_stemr_batch,
    .heev_work_size = eig_multi_heev_work_size,
    .heev = eig_multi_heev,
    .heev_ranges = eig_multi_heev_ranges,
    .heev_select = eig_multi_heev_select,
    .geev_work_size = eig_multi_geev_work_size,
    .geev = eig_multi_geev,
    .read_repairs = eig_have_repairs,
};
