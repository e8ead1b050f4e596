/* geev on CUDA: eigenvectors and condition numbers of matrices of order up to 64 whose eigenvalues are there, by inverse iteration.
 * Matrices that it gives up go to the slice's list.  Real matrices: geev_inverse.cuh, in four shapes of the grid; complex ones:
 * geev_inverse_complex.cuh. */
#include "geev/schur/geev_lanes.cuh"
#include "geev/vectors/geev_inverse.cuh"
#include "geev/vectors/geev_inverse_complex.cuh"

/* Lists a matrix that did not get vectors, and notes one whose vectors are to be looked at. */
template <typename team_type>
static __device__ __forceinline__ void end_matrix(team_type team, const schur_area<entry> &a, const geev_slice &slice,
                                                  int64_t b, bool good, bool lives)
{
    bool const scaled = is_spread(team, a.scale, a.n, lives && good), spread = scaled || !slice.p.balance;
    /* where balancing may have spoilt vectors, condition numbers are those of the Schur form, whatever else is wanted */
    if (scaled && slice.p.condition) good = false;
    if (!lives || team.rank != 0) return;
    if (!good) slice.failed[atomicAdd(&slice.queue->failed, 1ull)] = b;
    if (spread && good) note_spread(slice, b);
}

/* Real matrices, 4 C lanes each; C, TR, TC: the grid's. */
template <int C, int TR, int TC>
static __global__ void __launch_bounds__(LANES_MOST_THREADS, C < 8 ? 4 : 2)
    inverse_lanes(geev_slice slice, bool, int bytes, bool)
{
    constexpr int P = 4 * C;
    char *behind;
    schur_area<entry> const area = lanes_area<P>(slice.p, bytes, true, true, &behind);
    lane_team<P> const team(threadIdx.x % 32);
    int64_t const at = lanes_first<P>() + threadIdx.x % 32 / P, b = slice.first + at;
    bool const lives = at < slice.count;
    geev_record const record =
        begin_inverse<geev_grid<real, C, TR, TC>>(team, area, (real *)behind, slice.p, lives ? b : slice.first, lives);
    end_matrix(team, area, slice, b, inverse_matrix(team, area, record, slice, b, lives), lives);
}

/* The same, W warps each: the first one reduces. */
template <int W, int TR, int TC>
static __global__ void __launch_bounds__(32 * W) inverse_block(geev_slice slice, int bytes)
{
    __shared__ double space[W];
    __shared__ geev_record record;
    char *behind;
    schur_area<entry> const area = lanes_area<32 * W>(slice.p, bytes, true, true, &behind);
    block_team<32 *W> const team = {(int)threadIdx.x, space};
    int64_t const b = slice.first + blockIdx.x;
    if (threadIdx.x < 32) {
        lane_team<32> const first(threadIdx.x);
        geev_record const mine =
            begin_inverse<geev_grid<real, 8, TR, TC>>(first, area, (real *)behind, slice.p, b, true);
        if (threadIdx.x == 0) record = mine;
    }
    __syncthreads(); /* H is there */
    end_matrix(team, area, slice, b, inverse_matrix(team, area, record, slice, b, true), true);
}

/* Complex matrices, P lanes each. */
template <int P> static __global__ void inverse_complex_lanes(geev_slice slice, bool, int bytes, bool)
{
    schur_area<entry> const area = lanes_area<P>(slice.p, bytes, true, true);
    lane_team<P> const team(threadIdx.x % 32);
    int64_t const at = lanes_first<P>() + threadIdx.x % 32 / P, b = slice.first + at;
    bool const lives = at < slice.count;
    geev_record const record = load_form(team, area, slice, lives ? at : 0);
    end_matrix(team, area, slice, b, inverse_complex_matrix<1>(team, area, record, slice, b, lives), lives);
}

/* Larger ones, W warps each: four lanes a vector. */
template <int W> static __global__ void __launch_bounds__(32 * W) inverse_complex_block(geev_slice slice, int bytes)
{
    __shared__ double space[W];
    schur_area<entry> const area = lanes_area<32 * W>(slice.p, bytes, true, true);
    block_team<32 *W> const team = {(int)threadIdx.x, space};
    int64_t const b = slice.first + blockIdx.x;
    geev_record const record = load_form(team, area, slice, blockIdx.x);
    end_matrix(team, area, slice, b, inverse_complex_matrix<4>(team, area, record, slice, b, true), true);
}

/* --------------------------------------------------------------- launchers */

template <int C, int TR, int TC>
static eig_status launch_inverse(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    size_t const bytes = lanes_bytes(&slice.p, 4 * C, true, geev_grid<real, C, TR, TC>::space * sizeof(real));
    return launch_lanes<4 * C>(ctx, "geev: inverse_lanes", slice, bytes, false, stream, inverse_lanes<C, TR, TC>, true);
}

template <int W, int TR, int TC>
static eig_status launch_block(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    size_t const bytes = lanes_bytes(&slice.p, 32, true, geev_grid<real, 8, TR, TC>::space * sizeof(real));
    return cuda_launch(ctx, "geev: inverse_block", stream, {slice.count, 32 * W, bytes}, inverse_block<W, TR, TC>,
                       slice, (int)bytes);
}

template <int P> static eig_status launch_complex(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    return launch_lanes<P>(ctx, "geev: inverse_lanes", slice, lanes_bytes(&slice.p, P, true), false, stream,
                           inverse_complex_lanes<P>, true);
}

template <int W> static eig_status launch_complex_block(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    size_t const bytes = lanes_bytes(&slice.p, 32, true);
    return cuda_launch(ctx, "geev: inverse_block", stream, {slice.count, 32 * W, bytes}, inverse_complex_block<W>,
                       slice, (int)bytes);
}

eig_status TYPED(eig_cuda_geev_inverse)(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    int64_t const n = slice.p.n;
    if constexpr (number::complex) {
        if (n <= 8) return launch_complex<8>(ctx, slice, stream);
        if (n <= 16) return launch_complex<16>(ctx, slice, stream);
        if (n <= 32) return launch_complex_block<4>(ctx, slice, stream);
        return n <= 48 ? launch_complex_block<6>(ctx, slice, stream) : launch_complex_block<8>(ctx, slice, stream);
    } else {
        if (n <= 16) return launch_inverse<4, 4, 4>(ctx, slice, stream);
        if (n <= 32) return launch_inverse<8, 8, 4>(ctx, slice, stream);
        if (n <= 48) return launch_block<2, 12, 6>(ctx, slice, stream);
        return launch_block<2, 16, 8>(ctx, slice, stream);
    }
}
