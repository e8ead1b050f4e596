/* The CPU backend: its table, and the choice of an instruction set, made once when a context is opened. */
#define _POSIX_C_SOURCE 199309L
#define _DEFAULT_SOURCE /* madvise */
#include "backend_cpu.h"

#include "arena.h"
#include "openmp.h"
#include "pool.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

typedef struct isa {
    const char *name;
    bool built;
} isa;

double eig_cpu_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* In the order of cpu_isa; CMake says which ones it builds. */
static const isa isas[] = {{"baseline", EIG_HAVE_BASELINE}, {"avx2", EIG_HAVE_AVX2}, {"avx512", EIG_HAVE_AVX512}};
enum { ISAS = sizeof isas / sizeof isas[0] };

/* The best that the machine has, or what EIG_CPU asks for. */
static eig_status choose_isa(eig_context *ctx, cpu_isa *chosen)
{
    const char *wanted = getenv("EIG_CPU");
    bool found = false;
    *chosen = CPU_BASELINE;
    for (int i = 0; i < ISAS; ++i) {
        bool const usable = isas[i].built && cpu_has((cpu_isa)i);
        if (wanted && *wanted && strcmp(wanted, isas[i].name) == 0) {
            if (!usable)
                return eig_fail(ctx, EIG_NO_BACKEND, "EIG_CPU=%s: this machine or build lacks it", isas[i].name);
            *chosen = (cpu_isa)i;
            return EIG_OK;
        }
        if (usable) found = true, *chosen = (cpu_isa)i;
    }
    if (wanted && *wanted)
        return eig_fail(ctx, EIG_BAD_ARGUMENT, "EIG_CPU=%.20s: must be baseline, avx2 or avx512", wanted);
    if (!found)
        return eig_fail(ctx, EIG_NO_BACKEND, "this build has no kernels for this processor, only for newer ones");
    return EIG_OK;
}

/* The context's state points into isas: nothing to allocate. */
static cpu_isa isa_of(const eig_context *ctx)
{
    return (cpu_isa)((const isa *)ctx->state - isas);
}

static void describe(eig_context *ctx)
{
    int const threads = cpu_threads(ctx, INT_MAX);
    snprintf(ctx->description, sizeof ctx->description, "cpu %s, %d thread%s", isas[isa_of(ctx)].name, threads,
             threads == 1 ? "" : "s");
}

static eig_status cpu_open(eig_context *ctx, int device)
{
    (void)device;
    cpu_isa chosen;
    eig_status const status = choose_isa(ctx, &chosen);
    if (status != EIG_OK) return status;
    ctx->state = (void *)&isas[chosen];
    return EIG_OK;
}

static void cpu_close(eig_context *ctx)
{
    eig_cpu_pool_end(ctx);
}

/* A large block asks for huge pages: columns of a large matrix lie on more pages than the processor keeps addresses of.
 * */
static void *cpu_allocate(eig_context *ctx, size_t bytes)
{
    (void)ctx;
    if (bytes > PTRDIFF_MAX) return NULL;
#ifdef MADV_HUGEPAGE
    size_t const huge = (size_t)2 << 20;
    if (bytes >= 4 * huge && bytes < PTRDIFF_MAX - huge) {
        size_t const whole = (bytes + huge - 1) / huge * huge;
        void *const block = aligned_alloc(huge, whole);
        if (block) (void)madvise(block, whole, MADV_HUGEPAGE);
        return block;
    }
#endif
    return aligned_alloc(EIG_ALIGNMENT, arena_rounded(bytes));
}

static void cpu_release(eig_context *ctx, void *work)
{
    (void)ctx;
    free(work);
}

static eig_status cpu_set_stream(eig_context *ctx, void *stream)
{
    REQUIRE(!stream, "eig_set_stream: the context computes on a CPU, which has no streams");
    return EIG_OK;
}

static eig_status cpu_synchronize(eig_context *ctx)
{
    (void)ctx;
    return EIG_OK;
}

static eig_status cpu_clear(eig_context *ctx, void *array, size_t bytes)
{
    (void)ctx;
    memset(array, 0, bytes);
    return EIG_OK;
}

static bool cpu_on_device(eig_context *ctx, const void *array)
{
    (void)ctx, (void)array;
    return false;
}

/* The families of the real types. */
#define REAL_KERNELS(isa, type)                                                                                       \
    {                                                                                                                 \
        .stebz = {&eig_cpu_stebz_setup_##type, &eig_cpu_stebz_product_##isa##_##type, &eig_cpu_stebz_pivot_##isa##_d, \
                  &eig_cpu_stebz_short_##isa##_d},                                                                    \
        .heev = {eig_cpu_heev_reference_##type, &eig_cpu_heev_tiles_##isa##_##type,                                   \
                 &eig_cpu_heev_large_##isa##_##type},                                                                 \
        .geev = {eig_cpu_geev_reference_##type,      eig_cpu_geev_triangular_##type,                                  \
                 &eig_cpu_geev_tiles_##isa##_##type, &eig_cpu_geev_narrow_##isa##_##type,                             \
                 &eig_cpu_geev_alone_##isa##_##type, &eig_cpu_geev_large_##isa##_##type},                             \
        .stemr = &eig_cpu_stemr_kernel_##isa##_d,                                                                     \
    }

/* Those of the complex types. */
#define COMPLEX_KERNELS(isa, type)                                                        \
    {                                                                                     \
        .heev = {eig_cpu_heev_reference_##type, &eig_cpu_heev_tiles_##isa##_##type,       \
                 &eig_cpu_heev_large_##isa##_##type},                                     \
        .geev = {eig_cpu_geev_reference_##type,      eig_cpu_geev_triangular_##type,      \
                 &eig_cpu_geev_tiles_##isa##_##type, &eig_cpu_geev_narrow_##isa##_##type, \
                 &eig_cpu_geev_alone_##isa##_##type, &eig_cpu_geev_large_##isa##_##type}, \
    }

#define ALL_KERNELS(isa)                                                                              \
    {                                                                                                 \
        REAL_KERNELS(isa, s), REAL_KERNELS(isa, d), COMPLEX_KERNELS(isa, c), COMPLEX_KERNELS(isa, z), \
    }

/* By instruction set and type_index. */
static const cpu_kernels kernels[ISAS][4] = {
#if EIG_HAVE_BASELINE
    [CPU_BASELINE] = ALL_KERNELS(baseline),
#endif
#if EIG_HAVE_AVX2
    [CPU_AVX2] = ALL_KERNELS(avx2),
#endif
#if EIG_HAVE_AVX512
    [CPU_AVX512] = ALL_KERNELS(avx512),
#endif
};

const cpu_kernels *eig_cpu_kernels(const eig_context *ctx, eig_type type)
{
    return &kernels[isa_of(ctx)][type_index(type)];
}

const backend eig_backend_cpu = {
    .name = "cpu",
    .open = cpu_open,
    .close = cpu_close,
    .describe = describe,
    .allocate = cpu_allocate,
    .release = cpu_release,
    .workspace = eig_workspace,
    .set_stream = cpu_set_stream,
    .synchronize = cpu_synchronize,
    .clear = cpu_clear,
    .on_device = cpu_on_device,
    .stebz_work_size = eig_cpu_stebz_work_size,
    .stebz = eig_cpu_stebz,
    .stebz_count_work_size = eig_cpu_stebz_count_work_size,
    .stebz_count = eig_cpu_stebz_count,
    .stemr_work_size = eig_cpu_stemr_work_size,
    .stemr = eig_cpu_stemr,
    .stemr_batch = eig_cpu_stemr_batch,
    .heev_work_size = eig_cpu_heev_work_size,
    .heev = eig_cpu_heev,
    .heev_ranges = eig_cpu_heev_ranges,
    .heev_select = eig_cpu_heev_select,
    .geev_work_size = eig_cpu_geev_work_size,
    .geev = eig_cpu_geev,
    .read_repairs = eig_have_repairs,
};
