/* geev on CUDA, n > GEEV_MOST: what the roads `block` and `blocks` share: the team of geev_chain.cuh, the folded matrix, results. */
#ifndef EIG_GEEV_CHAIN_BLOCK_CUH
#define EIG_GEEV_CHAIN_BLOCK_CUH

#include "geev/block/geev_chain.cuh"
#include "primitives/team.cuh"

/* A thread block of W warps, as geev_chain.cuh wants it: the last one makes reflectors while the others apply them. */
template <int W> struct chain_block {
    using warp_type = lane_team<32>;
    using group_type = lane_team<GEEV_LANES>;
    static constexpr int group_slots = 1;
    __device__ __forceinline__ warp_type warp() const
    {
        return warp_type(threadIdx.x % 32);
    }
    __device__ __forceinline__ int warp_rank() const
    {
        return threadIdx.x / 32;
    }
    __device__ __forceinline__ bool makes() const
    {
        return warp_rank() == W - 1;
    }
    /* This warp's number among those that apply reflectors, and how many those are. */
    __device__ __forceinline__ int worker() const
    {
        return warp_rank();
    }
    __device__ __forceinline__ int workers() const
    {
        return W - 1;
    }
    __device__ __forceinline__ int rank() const
    {
        return threadIdx.x;
    }
    __device__ __forceinline__ int size() const
    {
        return 32 * W;
    }
    __device__ __forceinline__ void sync() const
    {
        __syncthreads();
    }
    /* A barrier of the warps that apply reflectors; the one that makes them passes by. */
    __device__ __forceinline__ void sync_workers() const
    {
        part_barrier(32 * (W - 1));
    }
    __device__ __forceinline__ void skip_workers() const
    {
        skip_part_barrier();
    }
    __device__ __forceinline__ group_type group() const
    {
        return group_type(threadIdx.x % 32);
    }
    __device__ __forceinline__ int group_rank() const
    {
        return threadIdx.x / GEEV_LANES;
    }
    __device__ __forceinline__ int groups() const
    {
        return 32 * W / GEEV_LANES;
    }
};

/* An upper Hessenberg matrix and two more diagonals below it, where bulges are, folded: row r > half lies backwards behind
 * row n + 1 - r.  It takes half of a square, and neighbouring rows and columns still lie in different banks. */
template <typename entry> struct geev_folded {
    static constexpr bool complex = entry_kind<entry>::complex;
    entry *base;
    int n, ld;
    __device__ __forceinline__ bool direct(int r) const
    {
        return r <= (n + 1) / 2;
    }
    __device__ __forceinline__ int step(int r) const
    {
        return direct(r) ? 1 : -1;
    }
    __device__ __forceinline__ entry *row(int r) const
    {
        return base + (direct(r) ? r * ld + 5 : (n + 1 - r) * ld + n - 1);
    }
    __device__ __forceinline__ entry &operator()(int r, int c) const
    {
        return row(r)[direct(r) ? c : -c];
    }
    /* Goes down a column: where its entry is if its row is direct, and if it is not. */
    struct walker {
        entry *base;
        int direct, folded, left, ld; /* left: direct rows from here on */
        __device__ __forceinline__ geev_place<entry> place() const
        {
            return {base + (left >= 0 ? direct : folded), left >= 0 ? 1 : -1};
        }
        __device__ __forceinline__ void down(int rows)
        {
            direct += rows * ld, folded -= rows * ld, left -= rows;
        }
    };
    __device__ __forceinline__ walker walk(int r, int c) const
    {
        return {base, r * ld + 5 + c, (n + 1 - r) * ld + n - 1 - c, (n + 1) / 2 - r, ld};
    }
};

static __host__ __device__ inline int folded_ld(int n)
{
    return (n + 5) | 1;
}

static __host__ __device__ inline int folded_entries(int n)
{
    return ((n + 1) / 2 + 1) * folded_ld(n);
}

/* The largest order that this many numbers hold. */
static inline int folded_most(int64_t numbers)
{
    int n = 0;
    while (folded_entries(n + 1) <= numbers) ++n;
    return n;
}

/* Makes all of the folded matrix of order n zero; a barrier is to follow. */
template <int W, typename entry> static __device__ geev_folded<entry> empty_folded(entry *base, int n)
{
    for (int e = threadIdx.x; e < folded_entries(n); e += 32 * W) base[e] = entry{};
    return geev_folded<entry>{base, n, folded_ld(n)};
}

/* What eigenvalue k is multiplied by.  geev_prepare.cu, for n <= GEEV_MOST, scales all of a matrix; the kernels of larger n scale rows
 * lo..hi, and leave what is isolated outside them as it was. */
static __device__ __forceinline__ double unscale_of(const geev_record &record, int64_t n, int k)
{
    return n > GEEV_MOST && (k < record.lo || k > record.hi) ? 1.0 : record.unscale;
}

/* Stores the results of matrix b, which has converged or was not finite. */
template <typename real>
static __device__ void store_results(const geev_slice &slice, int64_t b, const geev_record &record, const real *re,
                                     const real *im)
{
    const geev_problem &p = slice.p;
    int const n = (int)p.n;
    bool const good = record.info == 0;
    for (int k = threadIdx.x; p.w && k < n; k += blockDim.x) {
        real const factor = good ? (real)unscale_of(record, n, k) : (real)NAN;
        geev_put(p, b, k, good ? re[k] * factor : factor, good ? im[k] * factor : factor);
    }
    if (threadIdx.x > 0) return;
    real measure = good ? (real)0 : (real)NAN;
    for (int k = 0; good && p.value && k < n; ++k) {
        real const factor = (real)unscale_of(record, n, k);
        measure = geev_measure(p.measure, measure, re[k] * factor, im[k] * factor, k == 0);
    }
    if (p.value) ((real *)p.value)[b] = measure;
    if (p.info) p.info[b] = record.info;
}

#endif
