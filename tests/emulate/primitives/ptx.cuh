/* primitives/ptx.cuh for the emulation. */
#ifndef EIG_PTX_CUH
#define EIG_PTX_CUH

#include <ctime>

/* --------------------------------------------------------------------- numbers */

/* The GPU's approximations of doubles see and give the upper word alone; what is not normal counts as zero. */
static inline double emulate_upper(double x)
{
    uint64_t const bits = emulate_bits<uint64_t>(x) & 0xffffffff00000000u;
    return emulate_bits<double>(fabs(x) < DBL_MIN ? bits & 0x8000000000000000u : bits);
}
static inline float emulate_normal(float x)
{
    return fabsf(x) < FLT_MIN ? copysignf(0, x) : x;
}
static inline double rough_inverse(double x)
{
    return emulate_upper(1 / emulate_upper(x));
}
static inline float rough_inverse(float x)
{
    return emulate_normal(1 / emulate_normal(x));
}
static inline double rough_inverse_root(double x)
{
    return emulate_upper(1 / std::sqrt(emulate_upper(x)));
}
static inline float rough_inverse_root(float x)
{
    return emulate_normal(1 / std::sqrt(emulate_normal(x)));
}
static inline float rough_root(float x)
{
    return std::sqrt(emulate_normal(x));
}

template <typename real> static inline real choose(bool first, real x, real y)
{
    return first ? x : y;
}

template <typename T> static inline T keep_value(T x)
{
    return x;
}
template <typename T> static inline const T *keep_shared(const T *p)
{
    return p;
}

/* --------------------------------------------------------------- time and memory */

static inline long long nanoseconds()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static inline void fetch_soon(const void *) {}

/* Loops that wait for another thread come through here, and let it run. */
template <typename T> static inline T poll(const volatile T *at)
{
    emulate_yield();
    return *at;
}
static inline unsigned long long team_read(const unsigned long long *from)
{
    emulate_yield();
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}
static inline void team_read(const unsigned long long *from, unsigned long long &x, unsigned long long &y)
{
    x = team_read(from), y = __atomic_load_n(from + 1, __ATOMIC_ACQUIRE);
}
static inline void team_write(unsigned long long *to, unsigned long long x)
{
    __atomic_store_n(to, x, __ATOMIC_RELEASE);
}
static inline void team_write(unsigned long long *to, unsigned long long x, unsigned long long y)
{
    team_write(to, x), team_write(to + 1, y);
}

static inline void follow_launch() {}

/* x; the compiler does not know what it is. */
static inline int hidden(int x)
{
    return x;
}

/* ---------------------------------------------------------------------- barriers */

/* Here all threads of the block take part. */
static inline void part_barrier(int)
{
    emulate_block_barrier(false);
}
static inline void skip_part_barrier()
{
    emulate_block_barrier(false);
}

/* -------------------------------------------------------------------- clusters */

/* A barrier in shared memory: bytes that are expected and have not come, arrivals that are missing, phases that are over. */
struct emulate_arrivals {
    int32_t bytes;
    int16_t missing;
    uint16_t phase;
};
template <typename change> static inline void emulate_arrive(unsigned barrier, change apply)
{
    emulate_atomic((uint64_t *)emulate_shared_pointer(barrier), [=](uint64_t old) {
        emulate_arrivals state = emulate_bits<emulate_arrivals>(old);
        apply(state);
        if (state.missing == 0 && state.bytes == 0) state.missing = 1, ++state.phase;
        return emulate_bits<uint64_t>(state);
    });
}

static inline unsigned shared_address(const void *p)
{
    return emulate_shared_address(p);
}
static inline unsigned address_of_peer(unsigned mine, int of)
{
    return emulate_address_of_peer(mine, of);
}
static inline void send_to_peer(unsigned to, unsigned barrier, unsigned long long x)
{
    *(unsigned long long *)emulate_shared_pointer(to) = x;
    emulate_arrive(barrier, [](emulate_arrivals &state) { state.bytes -= 8; });
}
static inline void send_to_peer(unsigned to, unsigned barrier, unsigned long long x, unsigned long long y)
{
    ((unsigned long long *)emulate_shared_pointer(to))[1] = y;
    send_to_peer(to, barrier, x);
    emulate_arrive(barrier, [](emulate_arrivals &state) { state.bytes -= 8; });
}
static inline void begin_arrivals(unsigned barrier)
{
    emulate_arrivals const none = {0, 1, 0};
    memcpy(emulate_shared_pointer(barrier), &none, sizeof none);
}
static inline void expect_bytes(unsigned barrier, unsigned bytes)
{
    emulate_arrive(barrier, [=](emulate_arrivals &state) { state.bytes += (int32_t)bytes, --state.missing; });
}
static inline bool bytes_are_there(unsigned barrier, unsigned parity)
{
    uint64_t const now = __atomic_load_n((uint64_t *)emulate_shared_pointer(barrier), __ATOMIC_ACQUIRE);
    bool const there = (emulate_bits<emulate_arrivals>(now).phase & 1) != parity;
    if (!there) emulate_yield();
    return there;
}
static inline void cluster_barrier()
{
    emulate_cluster_barrier();
}
template <typename real> static inline real read_peer(const real *mine, int of)
{
    return *(const volatile real *)emulate_shared_pointer(address_of_peer(shared_address(mine), of));
}

#endif
