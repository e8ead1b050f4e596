/* Contexts: choosing a backend, threads, workspace, progress, and the sentence about the last error. */
#define _POSIX_C_SOURCE 200809L /* getpid, uselocale */
#include "arena.h"
#include "multi/multi.h"
#include "problem.h"
#include "threads.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *eig_status_text(eig_status status)
{
    switch (status) {
#define EIG_STATUS_TEXT(name, value, text) \
    case name:                             \
        return text;
        EIG_STATUS_LIST(EIG_STATUS_TEXT)
#undef EIG_STATUS_TEXT
    }
    return "unknown status";
}

const char *eig_info_text(int info)
{
    if (info == EIG_INFO_OK) return "success";
    if (info == EIG_INFO_NOT_FINITE) return "the input holds a NaN or an infinity";
    return info > 0 ? "the iteration did not converge" : "unknown info";
}

const char *eig_geev_info_text(int64_t n, int info)
{
    if (info > 0 && info - 1 == n) return "the eigenvalues are good, but a vector within the bound was not found";
    return eig_info_text(info);
}

size_t eig_type_size(eig_type type)
{
    return type_index(type) < 0 ? 0 : type_size(type);
}

int eig_version(void)
{
    return 10000 * EIG_VERSION_MAJOR + 100 * EIG_VERSION_MINOR + EIG_VERSION_PATCH;
}

/* Numbers have a point, whatever the caller's locale says. */
eig_status eig_fail(eig_context *ctx, eig_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    locale_t const plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t const before = plain ? uselocale(plain) : (locale_t)0;
    vsnprintf(ctx->detail, sizeof ctx->detail, format, args);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    va_end(args);
    return status;
}

bool eig_forked(const eig_context *ctx)
{
    return ctx->process != (long)getpid();
}

/* Its address marks a thread. */
static _Thread_local char this_thread;

/* Makes the context this thread's; else returns the mark of the thread that has it. */
static const void *occupy(eig_context *ctx)
{
    const void *other = NULL;
    __atomic_compare_exchange_n(&ctx->occupant, &other, &this_thread, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    return other;
}

static void vacate(eig_context *ctx)
{
    __atomic_store_n(&ctx->occupant, NULL, __ATOMIC_RELEASE);
}

void eig_leave(eig_context **entered)
{
    if (!*entered) return;
    float_mode_leave(&(*entered)->mode);
    vacate(*entered);
}

eig_status eig_enter(eig_context *ctx, eig_context **entered)
{
    if (!ctx) return EIG_BAD_ARGUMENT;
    if (!ctx->backend) return EIG_NO_BACKEND; /* detail keeps the reason from eig_create */
    const void *const other = occupy(ctx);
    if (other == &this_thread)
        return eig_fail(ctx, EIG_BUSY, "a progress callback called a function on the context that runs it");
    if (other) return EIG_BUSY;
    ctx->mode = float_mode_enter();
    *entered = ctx;
    if (ctx->backend->dies_in_fork && eig_forked(ctx))
        return eig_fail(ctx, EIG_CUDA_FAILURE,
                        "the context was made before a fork, which CUDA does not survive: use it in the process that "
                        "made it");
    ctx->detail[0] = '\0';
    return EIG_OK;
}

eig_context *eig_new_context(void)
{
    eig_context *const ctx = (eig_context *)calloc(1, sizeof *ctx);
    if (!ctx) return NULL;
    ctx->process = (long)getpid();
    ctx->quota = eig_threads_quota();
    ctx->range_bytes = (size_t)256 << 20;
    return ctx;
}

/* The length of a GPU's number, 0..9999, at the beginning of the text; 0 if there is none. */
static size_t number_length(const char *text)
{
    size_t const digits = strspn(text, "0123456789");
    return digits <= 4 ? digits : 0;
}

/* "cuda" or "cuda:K"; false if the name is anything else. */
static bool parse_cuda(const char *name, int *device)
{
    if (strncmp(name, "cuda", 4) != 0) return false;
    *device = 0;
    if (name[4] == '\0') return true;
    size_t const digits = name[4] == ':' ? number_length(name + 5) : 0;
    if (digits == 0 || name[5 + digits] != '\0') return false;
    *device = atoi(name + 5);
    return true;
}

/* Whether it is "cuda:K,L,..." with two numbers or more. */
static bool names_several(const char *name)
{
    if (strncmp(name, "cuda:", 5) != 0) return false;
    int numbers = 0;
    for (name += 5;; ++name) {
        size_t const digits = number_length(name);
        if (digits == 0) return false;
        ++numbers;
        name += digits;
        if (*name == '\0') return numbers > 1;
        if (*name != ',') return false;
    }
}

static eig_status open_backend(eig_context *ctx, const backend *candidate, int device)
{
    eig_status const status = candidate->open(ctx, device);
    if (status == EIG_OK) ctx->backend = candidate;
    return status;
}

static eig_status open_cuda(eig_context *ctx, int device)
{
#ifdef EIG_WITH_CUDA
    return open_backend(ctx, &eig_backend_cuda, device);
#else
    (void)device;
    return eig_fail(ctx, EIG_NO_BACKEND,
                    "this build of eigpack has no CUDA backend (configure with -DEIG_CUDA=ON; Python: the package "
                    "eigpack-cuda)");
#endif
}

/* All GPUs of the machine; where there is one, as "cuda". */
static eig_status open_all(eig_context *ctx)
{
#ifdef EIG_WITH_CUDA
    int const devices = eig_cuda_devices();
    if (devices > 1) return open_backend(ctx, &eig_backend_multi, devices);
#endif
    return open_cuda(ctx, 0);
}

eig_status eig_create(eig_context **out, const char *device)
{
    USUAL_FLOAT_MODE; /* for drivers, too, which no trap may end */
    if (!out) return EIG_BAD_ARGUMENT;
    eig_context *const ctx = *out = eig_new_context();
    if (!ctx) return EIG_NO_MEMORY;
    if (!device || strcmp(device, "auto") == 0) {
        if (open_cuda(ctx, 0) == EIG_OK) return EIG_OK;
        ctx->detail[0] = '\0';
        return open_backend(ctx, &eig_backend_cpu, 0);
    }
    if (strcmp(device, "cpu") == 0) return open_backend(ctx, &eig_backend_cpu, 0);
    if (strcmp(device, "cuda:all") == 0) return open_all(ctx);
    int index;
    if (parse_cuda(device, &index)) return open_cuda(ctx, index);
    if (names_several(device)) return eig_multi_open(ctx, device);
    return eig_fail(ctx, EIG_BAD_ARGUMENT,
                    "unknown device \"%.40s\": use auto, cpu, cuda, cuda:K, cuda:K,L,... or cuda:all", device);
}

void eig_destroy(eig_context *ctx)
{
    USUAL_FLOAT_MODE;
    if (!ctx) return;
    const void *const other = occupy(ctx);
    if (other == &this_thread)
        eig_fail(ctx, EIG_BUSY, "a progress callback called eig_destroy on the context that runs it");
    if (other) return;
    if (ctx->backend) {
        ctx->backend->release(ctx, ctx->work);
        ctx->backend->close(ctx);
    }
    free(ctx);
}

const char *eig_error_detail(const eig_context *ctx)
{
    return ctx ? ctx->detail : "the context is NULL";
}

const char *eig_describe(eig_context *ctx)
{
    USUAL_FLOAT_MODE;
    if (!ctx || !ctx->backend) return "no device";
    const void *const other = occupy(ctx);
    if (other && other != &this_thread) return "a context that another thread uses";
    ctx->backend->describe(ctx);
    if (!other) vacate(ctx); /* a progress callback may ask, too */
    return ctx->description;
}

eig_status eig_set_threads(eig_context *ctx, int threads)
{
    ENTER(ctx);
    REQUIRE(threads >= 0 && threads <= 65536, "eig_set_threads: threads = %d, must be 0 to 65536", threads);
    ctx->threads = threads;
    return EIG_OK;
}

eig_status eig_set_progress(eig_context *ctx, eig_progress callback, void *user)
{
    ENTER(ctx);
    ctx->progress = callback;
    ctx->progress_user = user;
    return EIG_OK;
}

eig_status eig_report_progress(eig_context *ctx, const char *family, double fraction)
{
    if (!ctx->progress) return EIG_OK;
    ctx->reporting = true;
    float_mode_leave(&ctx->mode);
    int const stop = ctx->progress(ctx->progress_user, fraction);
    ctx->mode = float_mode_enter(); /* the callback may have changed it */
    ctx->reporting = false;
    if (!stop) return EIG_OK;
    return eig_fail(ctx, EIG_CANCELLED, "%s: cancelled by the progress callback at %.0f %%", family, 100 * fraction);
}

eig_status eig_set_workspace(eig_context *ctx, void *work, size_t bytes)
{
    ENTER(ctx);
    REQUIRE(work || bytes == 0, "eig_set_workspace: work is NULL with bytes = %zu", bytes);
    REQUIRE(bytes <= PTRDIFF_MAX, "eig_set_workspace: bytes = %zu is too large", bytes);
    REQUIRE((uintptr_t)work % EIG_ALIGNMENT == 0, "eig_set_workspace: work = %p, must be aligned to %d bytes", work,
            EIG_ALIGNMENT);
    ctx->lent = work;
    ctx->lent_bytes = bytes;
    return EIG_OK;
}

eig_status eig_check_need(eig_context *ctx, const char *family, size_t need)
{
    REQUIRE(need <= PTRDIFF_MAX, "%s: the sizes are too large: the workspace would have more than 2^63 bytes", family);
    return EIG_OK;
}

eig_status eig_workspace(eig_context *ctx, const char *family, size_t need, void **work)
{
    *work = ctx->lent;
    eig_status const status = eig_check_need(ctx, family, need);
    if (status != EIG_OK) return status;
    if (ctx->lent && ctx->lent_bytes < need)
        return eig_fail(ctx, EIG_BAD_WORKSPACE, "%s: the workspace lent has %zu bytes, need %zu", family,
                        ctx->lent_bytes, need);
    if (ctx->lent) return EIG_OK;
    if (ctx->work_bytes < need) {
        ctx->backend->release(ctx, ctx->work);
        ctx->detail[0] = '\0';
        ctx->work = ctx->backend->allocate(ctx, need);
        ctx->work_bytes = ctx->work ? need : 0;
        if (!ctx->work && ctx->detail[0]) return EIG_NO_MEMORY; /* the backend has said it */
        if (!ctx->work) return eig_fail(ctx, EIG_NO_MEMORY, "%s: cannot allocate %zu bytes of workspace", family, need);
    }
    *work = ctx->work;
    return EIG_OK;
}

/* ------------------------------------------------------------------ streams */

eig_status eig_set_stream(eig_context *ctx, void *stream)
{
    ENTER(ctx);
    return ctx->backend->set_stream(ctx, stream);
}

eig_status eig_synchronize(eig_context *ctx)
{
    ENTER(ctx);
    return ctx->backend->synchronize(ctx);
}

/* -------------------------------------------------------------------- times */

eig_status eig_set_timing(eig_context *ctx, int on)
{
    ENTER(ctx);
    ctx->timing = on != 0;
    return EIG_OK;
}

int eig_get_passes(const eig_context *ctx)
{
    return !ctx || __atomic_load_n(&ctx->occupant, __ATOMIC_ACQUIRE) ? 0 : ctx->passes;
}

eig_status eig_get_pass(const eig_context *ctx, int k, eig_pass *pass)
{
    if (!ctx || !eig_structure_is_sane(pass)) return EIG_BAD_ARGUMENT;
    if (__atomic_load_n(&ctx->occupant, __ATOMIC_ACQUIRE)) return EIG_BUSY;
    if (k < 0 || k >= ctx->passes) return EIG_BAD_ARGUMENT;
    eig_write_structure(pass, &ctx->pass[k], sizeof *pass);
    return EIG_OK;
}

const char *eig_get_road(const eig_context *ctx)
{
    return !ctx || __atomic_load_n(&ctx->occupant, __ATOMIC_ACQUIRE) || !ctx->road ? "" : ctx->road;
}

eig_status eig_have_repairs(eig_context *ctx)
{
    (void)ctx;
    return EIG_OK;
}

eig_status eig_get_repairs(eig_context *ctx, int64_t *matrices, int64_t *vectors)
{
    ENTER(ctx);
    eig_status const status = ctx->repairs_there ? ctx->backend->read_repairs(ctx) : EIG_OK;
    if (status != EIG_OK) return status;
    if (matrices) *matrices = ctx->repairs.matrices;
    if (vectors) *vectors = ctx->repairs.vectors;
    return EIG_OK;
}

void eig_begin_passes(eig_context *ctx, const char *road, int count, const char *const *names)
{
    ctx->road = road;
    ctx->repairs = (call_repairs){0}, ctx->repairs_there = false;
    if (!ctx->timing) return;
    ctx->passes = count;
    for (int i = 0; i < count; ++i) ctx->pass[i] = (eig_pass){sizeof(eig_pass), names[i], 0};
}

/* -------------------------------------------------------------------- steps */

static int tell_step(void *user, double fraction)
{
    const call_steps *const s = user;
    double const all = s->first + s->share * fraction;
    return s->callback(s->user, all < 1 ? all : 1);
}

void eig_steps_begin(eig_context *ctx, call_steps *steps, int64_t batch)
{
    *steps = (call_steps){.callback = ctx->progress, .user = ctx->progress_user, .batch = batch};
    steps->share = 1 / (double)batch;
    if (steps->callback) ctx->progress = tell_step, ctx->progress_user = steps;
}

void eig_steps_next(eig_context *ctx, call_steps *steps, int64_t matrices)
{
    steps->first += (double)matrices / (double)steps->batch;
    for (int k = 0; ctx->timing && k < ctx->passes; ++k) ctx->pass[k].ms = steps->ms[k] += ctx->pass[k].ms;
}

void eig_steps_end(eig_context *ctx, call_steps *steps)
{
    ctx->progress = steps->callback, ctx->progress_user = steps->user;
}
