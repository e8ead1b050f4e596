/* CUDA C++ for an ordinary compiler: what kernels are written with.  Threads, warps and blocks are fibers.cpp's. */
#ifndef EIG_EMULATE_CUDA_RUNTIME_H
#define EIG_EMULATE_CUDA_RUNTIME_H

#include "cuda_runtime_api.h"

#ifdef __cplusplus
/* Before the macros: the standard library has attributes of these names. */
#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <tuple>
#include <type_traits>
#include <vector>

#include <math.h>
#include <stdlib.h>

#include "emulate.h"

#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __shared__ thread_local /* an OS thread has one block at a time */

/* -------------------------------------------------------- numbers in one access */

#define EMULATE_VECTORS(part, name, align)                               \
    struct alignas(2 * sizeof(part)) name##2                             \
    {                                                                    \
        part x, y;                                                       \
    };                                                                   \
    struct name##3                                                       \
    {                                                                    \
        part x, y, z;                                                    \
    };                                                                   \
    struct alignas(align) name##4                                        \
    {                                                                    \
        part x, y, z, w;                                                 \
    };                                                                   \
    static inline name##2 make_##name##2(part x, part y)                 \
    {                                                                    \
        return {x, y};                                                   \
    }                                                                    \
    static inline name##4 make_##name##4(part x, part y, part z, part w) \
    {                                                                    \
        return {x, y, z, w};                                             \
    }
EMULATE_VECTORS(int, int, 16)
EMULATE_VECTORS(unsigned, uint, 16)
EMULATE_VECTORS(float, float, 16)
EMULATE_VECTORS(double, double, 16)
EMULATE_VECTORS(long long, longlong, 16)
EMULATE_VECTORS(unsigned long long, ulonglong, 16)

/* ---------------------------------------------------------------------- numbers */

#define EMULATE_LEAST(type)                \
    static inline type min(type a, type b) \
    {                                      \
        return b < a ? b : a;              \
    }                                      \
    static inline type max(type a, type b) \
    {                                      \
        return a < b ? b : a;              \
    }
EMULATE_LEAST(int)
EMULATE_LEAST(unsigned)
EMULATE_LEAST(long)
EMULATE_LEAST(unsigned long)
EMULATE_LEAST(long long)
EMULATE_LEAST(unsigned long long)
static inline long long min(long a, long long b)
{
    return b < a ? b : a;
}
static inline long long min(long long a, long b)
{
    return b < a ? b : a;
}
static inline float min(float a, float b)
{
    return fminf(a, b);
}
static inline float max(float a, float b)
{
    return fmaxf(a, b);
}
static inline double min(double a, double b)
{
    return fmin(a, b);
}
static inline double max(double a, double b)
{
    return fmax(a, b);
}

template <typename to, typename from> static inline to emulate_bits(from x)
{
    static_assert(sizeof(to) == sizeof(from), "the same bits");
    to y;
    memcpy(&y, &x, sizeof y);
    return y;
}
static inline int __float_as_int(float x)
{
    return emulate_bits<int>(x);
}
static inline unsigned __float_as_uint(float x)
{
    return emulate_bits<unsigned>(x);
}
static inline float __int_as_float(int x)
{
    return emulate_bits<float>(x);
}
static inline long long __double_as_longlong(double x)
{
    return emulate_bits<long long>(x);
}
static inline double __longlong_as_double(long long x)
{
    return emulate_bits<double>(x);
}
static inline int __double2hiint(double x)
{
    return (int)(emulate_bits<uint64_t>(x) >> 32);
}
static inline int __double2loint(double x)
{
    return (int)emulate_bits<uint64_t>(x);
}
static inline double __hiloint2double(int hi, int lo)
{
    return emulate_bits<double>((uint64_t)(unsigned)hi << 32 | (unsigned)lo);
}

static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
static inline int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
static inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
static inline int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned by)
{
    return (unsigned)((((uint64_t)hi << 32 | lo) << (by & 31)) >> 32);
}
/* The place of the set bit number `offset`, counted from 1 at `base` upwards, or downwards where negative. */
static inline unsigned __fns(unsigned mask, unsigned base, int offset)
{
    if (offset == 0) return mask >> base & 1 ? base : ~0u;
    int const step = offset > 0 ? 1 : -1;
    for (int at = (int)base, left = std::abs(offset); at >= 0 && at < 32; at += step)
        if ((mask >> at & 1) && --left == 0) return (unsigned)at;
    return ~0u;
}

static inline double rsqrt(double x)
{
    return 1 / std::sqrt(x);
}
static inline float rsqrtf(float x)
{
    return (float)(1 / std::sqrt((double)x));
}
static inline float __frcp_rn(float x)
{
    return 1 / x;
}
/* a + b, a - b rounded up, down: the sum's error is exact. */
static inline double __dadd_ru(double a, double b)
{
    double const sum = a + b, of_b = sum - a, error = (a - (sum - of_b)) + (b - of_b);
    return error > 0 ? std::nextafter(sum, INFINITY) : sum;
}
static inline double __dsub_rd(double a, double b)
{
    return -__dadd_ru(-a, b);
}

/* --------------------------------------------------------------------- memory */

template <typename T> static inline T __ldg(const T *from)
{
    return *from;
}
template <typename T> static inline T __ldcg(const T *from)
{
    return *(const volatile T *)from;
}
static inline uint4 __ldcg(const uint4 *from)
{
    return *from;
}
static inline float4 __ldcg(const float4 *from)
{
    return *from;
}
static inline float2 __ldcg(const float2 *from)
{
    return {__ldcg(&from->x), __ldcg(&from->y)};
}
static inline double2 __ldcg(const double2 *from)
{
    return {__ldcg(&from->x), __ldcg(&from->y)};
}
static inline void __threadfence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline size_t __cvta_generic_to_shared(const void *at)
{
    return emulate_shared_address(at);
}
static inline void *__cvta_shared_to_generic(size_t at)
{
    return emulate_shared_pointer((unsigned)at);
}

/* Atomics; of real types by their bits. */
template <typename T, typename function> static inline T emulate_atomic(T *at, function f)
{
    using word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    word *const bits = (word *)at;
    for (word old = __atomic_load_n(bits, __ATOMIC_SEQ_CST);;) {
        word const fresh = emulate_bits<word>((T)f(emulate_bits<T>(old)));
        if (__atomic_compare_exchange_n(bits, &old, fresh, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return emulate_bits<T>(old);
    }
}
template <typename T> static inline T atomicAdd(T *at, std::type_identity_t<T> x)
{
    return emulate_atomic(at, [=](T old) { return old + x; });
}
template <typename T> static inline T atomicMax(T *at, std::type_identity_t<T> x)
{
    return emulate_atomic(at, [=](T old) { return old < x ? x : old; });
}
template <typename T> static inline T atomicMin(T *at, std::type_identity_t<T> x)
{
    return emulate_atomic(at, [=](T old) { return x < old ? x : old; });
}
template <typename T> static inline T atomicOr(T *at, std::type_identity_t<T> x)
{
    return emulate_atomic(at, [=](T old) { return old | x; });
}
template <typename T> static inline T atomicExch(T *at, std::type_identity_t<T> x)
{
    return emulate_atomic(at, [=](T) { return x; });
}
template <typename T> static inline T atomicCAS(T *at, std::type_identity_t<T> expected, std::type_identity_t<T> x)
{
    return emulate_atomic(at, [=](T old) { return old == expected ? x : old; });
}

/* ----------------------------------------------------------------- blocks, warps */

static inline void __syncthreads()
{
    emulate_block_barrier(false);
}
static inline int __syncthreads_or(int x)
{
    return emulate_block_barrier(x != 0).yes > 0;
}
static inline int __syncthreads_count(int x)
{
    return emulate_block_barrier(x != 0).yes;
}
static inline int __syncthreads_and(int x)
{
    emulate_votes const votes = emulate_block_barrier(x != 0);
    return votes.yes == votes.all;
}

static inline void __syncwarp(unsigned mask = 0xffffffffu)
{
    emulate_meet(mask, &mask, [](void *const(&)[32], unsigned) {});
}

struct emulate_ballot {
    bool x;
    unsigned set;
};
static inline unsigned __ballot_sync(unsigned mask, int x)
{
    emulate_ballot own = {x != 0, 0};
    emulate_meet(mask, &own, [](void *const(&all)[32], unsigned present) {
        unsigned set = 0;
        for (int lane = 0; lane < 32; ++lane)
            if (present >> lane & 1) set |= (unsigned)((emulate_ballot *)all[lane])->x << lane;
        for (int lane = 0; lane < 32; ++lane)
            if (present >> lane & 1) ((emulate_ballot *)all[lane])->set = set;
    });
    return own.set;
}
static inline int __any_sync(unsigned mask, int x)
{
    return __ballot_sync(mask, x) != 0;
}
static inline int __all_sync(unsigned mask, int x)
{
    return __ballot_sync(mask, !x) == 0;
}

/* The value of lane `source`; what a lane has that does not take part is not defined: all bits are set. */
struct emulate_shuffle {
    uint64_t x, got;
    int source;
};
template <typename T> static inline T emulate_value_of(unsigned mask, T x, int source)
{
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    emulate_shuffle own = {0, 0, source};
    memcpy(&own.x, &x, sizeof x);
    emulate_meet(mask, &own, [](void *const(&all)[32], unsigned present) {
        for (int lane = 0; lane < 32; ++lane) {
            if (!(present >> lane & 1)) continue;
            emulate_shuffle *const to = (emulate_shuffle *)all[lane];
            to->got = present >> to->source & 1 ? ((emulate_shuffle *)all[to->source])->x : ~0ull;
        }
    });
    memcpy(&x, &own.got, sizeof x);
    return x;
}
static inline int emulate_lane()
{
    return (int)(threadIdx.x % 32);
}
template <typename T> static inline T __shfl_sync(unsigned mask, T x, int source, int width = 32)
{
    return emulate_value_of(mask, x, (emulate_lane() & ~(width - 1)) | (source & (width - 1)));
}
template <typename T> static inline T __shfl_xor_sync(unsigned mask, T x, int across, int width = 32)
{
    int const lane = emulate_lane(), source = lane ^ across;
    return emulate_value_of(mask, x, source / width > lane / width ? lane : source);
}
template <typename T> static inline T __shfl_up_sync(unsigned mask, T x, unsigned by, int width = 32)
{
    int const lane = emulate_lane();
    return emulate_value_of(mask, x, lane % width < (int)by ? lane : lane - (int)by);
}
template <typename T> static inline T __shfl_down_sync(unsigned mask, T x, unsigned by, int width = 32)
{
    int const lane = emulate_lane();
    return emulate_value_of(mask, x, lane % width + (int)by >= width ? lane : lane + (int)by);
}
/* All lanes of a warp, as eigpack uses it. */
static inline int __reduce_max_sync(unsigned mask, int x)
{
    for (int d = 1; d < 32; d *= 2) x = max(x, __shfl_xor_sync(mask, x, d));
    return x;
}
static inline int __reduce_min_sync(unsigned mask, int x)
{
    for (int d = 1; d < 32; d *= 2) x = min(x, __shfl_xor_sync(mask, x, d));
    return x;
}

/* --------------------------------------------------------------------- launches */

enum cudaLaunchAttributeID {
    cudaLaunchAttributeClusterDimension,
    cudaLaunchAttributeProgrammaticStreamSerialization,
    cudaLaunchAttributeCooperative
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    struct {
        dim3 clusterDim;
        int programmaticStreamSerializationAllowed, cooperative;
    } val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes;
    int maxDynamicSharedSizeBytes, ptxVersion;
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize,
    cudaFuncAttributePreferredSharedMemoryCarveout,
    cudaFuncAttributeNonPortableClusterSizeAllowed
};
enum { cudaSharedmemCarveoutMaxShared = 100 };

cudaError_t emulate_enqueue(const cudaLaunchConfig_t *config, const void *kernel, std::function<void()> thread);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value);
cudaError_t emulate_occupancy(int *blocks, int threads, size_t shared_bytes);
cudaError_t emulate_clusters(int *active, const cudaLaunchConfig_t *config);

template <typename... P> static cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, void (*kernel)(P...))
{
    return cudaFuncGetAttributes(attributes, (const void *)kernel);
}
template <typename... P>
static cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <typename... P>
static cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*)(P...), int threads,
                                                                 size_t shared_bytes)
{
    return emulate_occupancy(blocks, threads, shared_bytes);
}
template <typename... P>
static cudaError_t cudaOccupancyMaxActiveClusters(int *active, void (*)(P...), const cudaLaunchConfig_t *config)
{
    return emulate_clusters(active, config);
}
template <typename... P, typename... A>
static cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A &&...values)
{
    std::tuple<std::remove_cv_t<P>...> const arguments(values...);
    return emulate_enqueue(config, (const void *)kernel, [=] { std::apply(kernel, arguments); });
}
template <typename T> static cudaError_t cudaMalloc(T **data, size_t bytes)
{
    return cudaMalloc((void **)data, bytes);
}
#endif
#endif
