/* Instructions that CUDA C++ has no function for: with copy.cuh and tensor.cuh all inline assembly that stands for more
 * than nothing.  tests/emulate/primitives has the same words in C++. */
#ifndef EIG_PTX_CUH
#define EIG_PTX_CUH

/* --------------------------------------------------------------------- numbers */

/* 1 / x and 1 / sqrt(x) to some 20 bits; x and the result normal numbers. */
static __device__ __forceinline__ double rough_inverse(double x)
{
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
}
static __device__ __forceinline__ float rough_inverse(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static __device__ __forceinline__ double rough_inverse_root(double x)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
}
static __device__ __forceinline__ float rough_inverse_root(float x)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
/* sqrt(x), likewise. */
static __device__ __forceinline__ float rough_root(float x)
{
    float y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* x or y. The compiler makes branches of many choices that are written with ?: on one condition, and lanes then wait
 * for each other. */
static __device__ __forceinline__ float choose(bool first, float x, float y)
{
    float z;
    asm("{ .reg .pred p; setp.ne.s32 p, %3, 0; selp.f32 %0, %1, %2, p; }" : "=f"(z) : "f"(x), "f"(y), "r"((int)first));
    return z;
}
static __device__ __forceinline__ double choose(bool first, double x, double y)
{
    double z;
    asm("{ .reg .pred p; setp.ne.s32 p, %3, 0; selp.f64 %0, %1, %2, p; }" : "=d"(z) : "d"(x), "d"(y), "r"((int)first));
    return z;
}

/* In float the compiler would rather derive the shift (from a double) and the shared address (from a special register)
 * anew in every block than keep them in registers, which costs more than the block's arithmetic; these hide where a
 * value came from. */
static __device__ __forceinline__ float keep_value(float x)
{
    asm volatile("" : "+f"(x));
    return x;
}
static __device__ __forceinline__ double keep_value(double x)
{
    return x;
}
template <typename T> static __device__ __forceinline__ const T *keep_shared(const T *p)
{
    unsigned address = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("" : "+r"(address));
    return (const T *)__cvta_shared_to_generic(address);
}

/* --------------------------------------------------------------- time and memory */

/* By a clock that all multiprocessors share. */
static __device__ __forceinline__ long long nanoseconds()
{
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* Asks for what lies there to be in the first cache soon. */
static __device__ __forceinline__ void fetch_soon(const void *at)
{
    asm volatile("prefetch.global.L1 [%0];" : : "l"(at));
}

/* What lies there now, where another block writes: for loops that wait for it. */
template <typename T> static __device__ __forceinline__ T poll(const volatile T *at)
{
    return *at;
}

/* The same in words that come whole, and that a writer sends so. */
static __device__ __forceinline__ unsigned long long team_read(const unsigned long long *from)
{
    unsigned long long x;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(from) : "memory");
    return x;
}
static __device__ __forceinline__ void team_read(const unsigned long long *from, unsigned long long &x,
                                                 unsigned long long &y)
{
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(from) : "memory");
}
static __device__ __forceinline__ void team_write(unsigned long long *to, unsigned long long x)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(x) : "memory");
}
static __device__ __forceinline__ void team_write(unsigned long long *to, unsigned long long x, unsigned long long y)
{
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(x), "l"(y) : "memory");
}

/* In a kernel that is launched as `dependent` (cuda_common.cuh): waits until the kernel ahead of it has ended, with all
 * it wrote, and then lets the next such kernel begin.  What a thread block reads before was written two kernels ahead,
 * or earlier. */
static __device__ __forceinline__ void follow_launch()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* x; the compiler does not know what it is. */
static __device__ __forceinline__ int hidden(int x)
{
    asm volatile("" : "+r"(x));
    return x;
}

/* ---------------------------------------------------------------------- barriers */

/* A barrier of `threads` threads of the block, whole warps, and what all others call in its stead. */
static __device__ __forceinline__ void part_barrier(int threads)
{
    asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
}
static __device__ __forceinline__ void skip_part_barrier() {}

/* -------------------------------------------------------------------- clusters */

#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 900
#define CLUSTER_ASM(...) asm volatile(__VA_ARGS__)
#else
#define CLUSTER_ASM(...) /* no clusters: nothing comes here */
#endif

static __device__ __forceinline__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
/* The same place in the shared memory of block `of` of the cluster. */
static __device__ __forceinline__ unsigned address_of_peer(unsigned mine, int of)
{
    unsigned other = 0;
    CLUSTER_ASM("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(mine), "r"(of));
    return other;
}
/* Sends words to a peer; its barrier counts their bytes. */
static __device__ __forceinline__ void send_to_peer(unsigned to, unsigned barrier, unsigned long long x)
{
    CLUSTER_ASM("st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%0], %1, [%2];" ::"r"(to), "l"(x),
                "r"(barrier)
                : "memory");
}
static __device__ __forceinline__ void send_to_peer(unsigned to, unsigned barrier, unsigned long long x,
                                                    unsigned long long y)
{
    CLUSTER_ASM("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u64 [%0], {%1, %2}, [%3];" ::"r"(to), "l"(x),
                "l"(y), "r"(barrier)
                : "memory");
}
static __device__ __forceinline__ void begin_arrivals(unsigned barrier)
{
    CLUSTER_ASM("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(barrier)
                : "memory");
}
static __device__ __forceinline__ void expect_bytes(unsigned barrier, unsigned bytes)
{
    CLUSTER_ASM("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
static __device__ __forceinline__ bool bytes_are_there(unsigned barrier, unsigned parity)
{
    unsigned done = 1;
    CLUSTER_ASM("{\n.reg .pred p;\n"
                "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
                "selp.u32 %0, 1, 0, p;\n}"
                : "=r"(done)
                : "r"(barrier), "r"(parity)
                : "memory");
    return done;
}
static __device__ __forceinline__ void cluster_barrier()
{
    CLUSTER_ASM("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}
template <typename real> static __device__ __forceinline__ real read_peer(const real *mine, int of)
{
    unsigned const from = address_of_peer(shared_address(mine), of);
    real x = 0;
    if constexpr (sizeof(real) == 8)
        CLUSTER_ASM("ld.shared::cluster.f64 %0, [%1];" : "=d"(x) : "r"(from) : "memory");
    else
        CLUSTER_ASM("ld.shared::cluster.f32 %0, [%1];" : "=f"(x) : "r"(from) : "memory");
    return x;
}

#endif
