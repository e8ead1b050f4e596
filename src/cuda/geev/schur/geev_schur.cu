/* geev on CUDA by way of the Schur form: eigenvectors and condition numbers that inverse iteration gave up, complex
 * matrices where no other road fits.
 *
 *   schur_lanes    n <= 64: P lanes a matrix, in shared memory: T, Q and what a vector needs
 *   schur_blocks   any n: a block a matrix, in global memory; the plain version
 *
 * Both run the steps of geev_schur_matrix.cuh.  Sums of a reflector are over the threads of a team: their results
 * differ in the last places. */
#include "geev/schur/geev_lanes.cuh"

enum { SCHUR_THREADS = 256 };

template <int P> static __global__ void schur_lanes(geev_slice slice, bool listed, int bytes, bool both)
{
    bool const vectors = slice.p.vectors;
    schur_area<entry> const area = lanes_area<P>(slice.p, bytes, vectors, both);
    int64_t const count = listed ? (int64_t)slice.queue->failed : slice.count;
    for (int64_t first = lanes_first<P>(); first < count; first += lanes_step<P>()) {
        int64_t const at = first + threadIdx.x % 32 / P;
        bool const lives = at < count;
        schur_matrix(lane_team<P>(threadIdx.x % 32), area, slice,
                     !lives   ? 0
                     : listed ? slice.failed[at]
                              : slice.first + at,
                     lives);
    }
}

static __global__ void __launch_bounds__(SCHUR_THREADS) schur_blocks(geev_slice slice, bool listed)
{
    __shared__ double space[SCHUR_THREADS / 32];
    block_team<SCHUR_THREADS> const team = {(int)threadIdx.x, space};
    int const n = (int)slice.p.n;
    schur_area<entry> area;
    schur_carve(&area, (char *)slice.plain + blockIdx.x * slice.plain_bytes, n, n, slice.p.vectors, slice.p.vectors);
    int64_t const count = listed ? (int64_t)slice.queue->failed : slice.count;
    for (int64_t m = blockIdx.x; m < count; m += gridDim.x)
        schur_matrix(team, area, slice, listed ? slice.failed[m] : slice.first + m, true);
}

/* ---------------------------------------------------------------------- launchers */

size_t TYPED(eig_cuda_geev_schur_bytes)(const geev_problem *p, int threads)
{
    schur_area<entry> area;
    if (threads == 0) return schur_carve(&area, (char *)NULL, (int)p->n, (int)p->n, p->vectors, p->vectors);
    return lanes_bytes(p, threads, p->vectors) * (32 / threads);
}

template <int P>
static eig_status launch_schur(eig_context *ctx, const geev_slice &slice, geev_which which, cudaStream_t stream)
{
    const geev_problem *const p = &slice.p;
    bool const both = p->condition || (p->vl && p->vr), listed = which == GEEV_LISTED;
    return launch_lanes<P>(ctx, "geev: schur_lanes", slice, lanes_bytes(p, P, both), listed, stream, schur_lanes<P>,
                           both);
}

eig_status TYPED(eig_cuda_geev_schur)(eig_context *ctx, int threads, const geev_slice &slice, geev_which which,
                                      cudaStream_t stream)
{
    if (threads == 16) return launch_schur<16>(ctx, slice, which, stream);
    if (threads == 32) return launch_schur<32>(ctx, slice, which, stream);
    return cuda_launch(ctx, "geev: schur_blocks", stream, {slice.plain_blocks, SCHUR_THREADS}, schur_blocks, slice,
                       which == GEEV_LISTED);
}
