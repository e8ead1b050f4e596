/* stemr on CUDA: pairs by two lanes of a warp, from the top and from the bottom; lists of pairs, and where lanes leave states. */
#ifndef EIG_STEMR_LANES_CUH
#define EIG_STEMR_LANES_CUH

#include "stemr_cuda.cuh"

/* Where a lane leaves states: 3 numbers each, 5 with twice the digits (stemr_locate.cu). */
struct stemr_state_room {
    double *doubles; /* one of the two is set */
    unsigned *words;
    int n;
    bool back;

    __device__ __forceinline__ int at(int place, int k, int words_each) const
    {
        int const from_end = place + k * words_each;
        return back ? n - words_each - from_end : from_end;
    }
    __device__ __forceinline__ void put(int place, int k, double x) const
    {
        if (doubles) {
            doubles[at(place, k, 1)] = x;
        } else {
            unsigned *const to = words + at(place, k, 2);
            to[0] = (unsigned)__double2loint(x), to[1] = (unsigned)__double2hiint(x);
        }
    }
    __device__ __forceinline__ double get(int place, int k) const
    {
        if (doubles) return doubles[at(place, k, 1)];
        const unsigned *const from = words + at(place, k, 2);
        return __hiloint2double((int)from[1], (int)from[0]);
    }
};

/* That of pair k, whose number among the pairs of this launch is `lane`. */
static __device__ stemr_state_room stemr_room_of(const stemr_task &t, const stemr_pair *k, int64_t lane, bool back)
{
    const stemr_problem &p = t.p;
    stemr_state_room r = {NULL, NULL, (int)t.n, back};
    if (!p.z)
        r.doubles = t.room + lane * t.n;
    else if (p.type == EIG_S)
        r.words = (unsigned *)p.z + k->column * p.ldz;
    else
        r.doubles = (double *)p.z + k->column * p.ldz;
    return r;
}

/* Where a lane's entry of a list goes, or -1: those of a warp stay together, so that they read the same rows. */
static __device__ __forceinline__ int stemr_place_in_list(bool mine, int *count)
{
    unsigned const mask = __ballot_sync(0xffffffffu, mine);
    int const lane = threadIdx.x % 32;
    int base = 0;
    if (lane == 0 && mask) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(0xffffffffu, base, 0);
    return mine ? base + __popc(mask & ((1u << lane) - 1)) : -1;
}

/* The product of x over the lanes up to this one. */
static __device__ __forceinline__ double stemr_scan_product(double x, int lane)
{
    for (int d = 1; d < 32; d *= 2) {
        double const before = __shfl_up_sync(0xffffffffu, x, d);
        x = lane >= d ? x * before : x;
    }
    return x;
}

/* Entries of vectors that are smaller count as 0. */
template <typename real> static __device__ __forceinline__ constexpr double stemr_least_entry()
{
    return sizeof(real) == 4 ? 0x1p-60 : 0x1p-100;
}

/* Entries of a vector, a lane each, from their ratios to the entries before them.  *carry: the entry before that of lane
 * 0; then that of lane 31, or 0 from where it is so small that none follows. */
template <typename real> static __device__ __forceinline__ double stemr_entry_of(double ratio, int lane, double *carry)
{
    double entry = *carry == 0 ? 0 : *carry * stemr_scan_product(ratio, lane);
    entry = fabs(entry) <= 2 ? entry : 0; /* also where partial products have overflowed */
    *carry = __shfl_sync(0xffffffffu, entry, 31);
    if (fabs(*carry) < 0x1p-600) *carry = 0;
    return fabs(entry) < stemr_least_entry<real>() ? 0 : entry;
}

/* The pair's twist among n rows, whatever it says: no walk leaves its column. */
static __device__ __forceinline__ int stemr_twist_of(const stemr_pair &pair, int n)
{
    return min(max(pair.twist, 0), n - 1);
}

static __device__ __forceinline__ double stemr_eps(const stemr_task &t)
{
    return t.p.type == EIG_S ? FLT_EPSILON : DBL_EPSILON;
}

/* Whether a vector whose squared length is this is not of length 1; a NaN is not. */
static __device__ __forceinline__ bool stemr_wrong_length(const stemr_task &t, double square)
{
    return !(fabs(square - 1) <= 4 * (double)t.n * stemr_eps(t));
}

/* Thread blocks of a warp each for the pairs of a list. */
static inline int64_t stemr_warps(const stemr_task *t)
{
    int64_t const blocks = (t->pairs + STEMR_HALF - 1) / STEMR_HALF, room = t->room_lanes / STEMR_HALF;
    return !t->p.z && blocks > room ? room : blocks;
}

#endif
