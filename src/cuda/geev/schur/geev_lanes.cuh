/* Kernels in which P lanes of a warp have a matrix in shared memory: areas and launches. */
#ifndef EIG_GEEV_LANES_CUH
#define EIG_GEEV_LANES_CUH

#include "geev/schur/geev_schur_matrix.cuh"
#include "per_type.cuh"
#include "primitives/team.cuh"

#include <type_traits>

using entry = std::conditional<number::complex, number, real>::type;

enum { LANES_MOST_THREADS = 128 }; /* of a block */

/* Bytes of a team's memory, with which the teams of a warp lie so far apart that their rows are in different banks. */
static size_t spread_bytes(size_t bytes, int P)
{
    size_t const row = P * sizeof(entry);
    while (row < 128 && bytes % 128 != row) bytes += 16;
    return bytes;
}

/* Bytes of a matrix's area, in which rows have an odd number of entries, with `more` behind it. */
static size_t lanes_bytes(const geev_problem *p, int P, bool both, size_t more = 0)
{
    schur_area<entry> area;
    return spread_bytes(schur_carve(&area, (char *)NULL, (int)p->n, (int)p->n | 1, p->vectors, both) + more, P);
}

/* This team's area; *end: behind it. */
template <int P>
static __device__ __forceinline__ schur_area<entry> lanes_area(const geev_problem &p, int bytes, bool with_q,
                                                               bool with_v, char **end = NULL)
{
    extern __shared__ __align__(16) char lanes_memory[];
    char *const own = lanes_memory + threadIdx.x / P * bytes;
    schur_area<entry> area;
    size_t const used = schur_carve(&area, own, (int)p.n, (int)p.n | 1, with_q, with_v);
    if (end) *end = own + used;
    return area;
}

/* The first matrix of this warp, and how far its next ones lie. */
template <int P> static __device__ __forceinline__ int64_t lanes_first()
{
    return ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32 * (32 / P);
}
template <int P> static __device__ __forceinline__ int64_t lanes_step()
{
    return (int64_t)gridDim.x * blockDim.x / P;
}

/* All matrices of the slice, a team each; listed: as many as run at once, which share out the list. */
template <int P>
static eig_status launch_lanes(eig_context *ctx, const char *name, const geev_slice &slice, size_t bytes, bool listed,
                               cudaStream_t stream, void (*kernel)(geev_slice, bool, int, bool), bool both)
{
    enum {
        SMALL_BLOCK = 16 << 10
    }; /* bytes up to which a block has several warps: a multiprocessor has 32 blocks at most */
    const cuda_state *const state = cuda_state_of(ctx);
    size_t const warp = 32 / P * bytes;
    int const warps = 4 * warp <= SMALL_BLOCK ? 4 : 2 * warp <= SMALL_BLOCK ? 2 : 1;
    int64_t const matrices = 32 / P * warps, want = (slice.count + matrices - 1) / matrices;
    int each = 1;
    eig_status const status = eig_cuda_allow_shared(ctx, (const void *)kernel);
    if (status != EIG_OK) return status;
    CUDA_TRY(
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
    if (listed) CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, 32 * warps, warps * warp));
    int64_t const room = (int64_t)(each > 0 ? each : 1) * state->multiprocessors;
    return cuda_launch(ctx, name, stream, {listed && room < want ? room : want, 32 * warps, warps * warp}, kernel,
                       slice, listed, (int)bytes, both);
}

#endif
