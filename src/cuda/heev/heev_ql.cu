/* heev on CUDA, kernel 2 of the tridiagonal method: eigenvalues of T by implicit QL, a thread a matrix.
 *
 * Mapping  32 matrices a warp, a warp a block; d and e in shared memory, entry i of matrix g at [i*33 + g].
 * Vectors  the rotations are noted, sweep by sweep, for kernel 3: so the chain of dependent operations runs once a
 *          matrix, and their use on the rows of Z is left to many threads.
 * Room     a matrix that takes more rotations than there is room for gets its values here, and its vectors by a second
 *          iteration in kernel 3.
 * Cost     about 1.3 n^2 rotations of some 150 clocks each, one after the other.
 * Ends     a value is given up after max_sweeps sweeps. */
#include "heev_ql.cuh"

enum { QL_PITCH = 33 };

/* Stores the values of `live` matrices from `first` on in ascending order, those from good on as NaN behind them, and
 * their order; a warp.  good: of this lane's matrix. */
template <typename real>
static __device__ void put_values(const heev_job &job, int64_t first, int live, const real *d, int good, int lane)
{
    int const n = (int)job.p.n;
    real const unit = lane < live ? ((const real *)job.unit)[first + lane] : (real)1;
    for (int f = lane; f < 32 * n; f += 32) { /* element f % n of matrix f / n */
        int const g = f / n, k = f % n, own_good = __shfl_sync(0xffffffffu, good, g);
        real const own_unit = __shfl_sync(0xffffffffu, unit, g), own = d[k * QL_PITCH + g];
        if (g >= live) continue;
        int place = k;
        if (k < own_good) {
            place = 0;
            for (int j = 0; j < own_good; ++j) {
                real const other = d[j * QL_PITCH + g];
                place += other < own || (other == own && j < k);
            }
        }
        real *const w = (real *)job.p.w + (job.first + first + g) * job.p.stride_w;
        w[place] = k < own_good ? own * own_unit + (real)0 : (real)NAN;
        if (job.p.v) job.order[first * n + f] = (uint8_t)place;
    }
    if (lane >= live) return;
    int64_t const m = first + lane, b = job.first + m;
    if (job.p.v) job.failed[m] = unit == unit ? n - good : n;
    if (job.p.info) job.p.info[b] = unit == unit ? n - good : EIG_INFO_NOT_FINITE;
    if (job.p.sweeps) job.p.sweeps[b] = 0;
}

template <typename real, bool notes> static __global__ void __launch_bounds__(32) heev_ql_kernel(heev_job job)
{
    extern __shared__ double ql_memory[];
    int const n = (int)job.p.n, lane = threadIdx.x;
    int64_t const first = (int64_t)blockIdx.x * 32, left = job.count - first;
    int const live = left < 32 ? (int)left : 32;
    real *const d = (real *)ql_memory, *const e = d + n * QL_PITCH;
#pragma unroll 4
    for (int f = lane; f < live * n; f += 32) {
        d[f % n * QL_PITCH + f / n] = ((const real *)job.d)[first * n + f];
        e[f % n * QL_PITCH + f / n] = ((const real *)job.e)[first * n + f];
    }
    __syncwarp(); /* loaded */
    int good = 0;
    if (lane < live) {
        int64_t const m = first + lane;
        ql_notes<real> to = {};
        if (notes) {
            to.rotations = (pair_of<real> *)job.rotations + m * job.most_rotations;
            to.sweeps = job.sweeps + m * job.most_sweeps;
            to.most_rotations = job.most_rotations, to.most_sweeps = (int)job.most_sweeps;
        }
        /* One loop, so that a thread does not wait for the values of others. */
        ql_state<real, QL_PITCH> state;
        state.start(n, d + lane, e + lane);
        while (state.template step<notes>(job.p.max_sweeps, d + lane, e + lane, &to)) {}
        good = state.l;
        if (notes) job.sweep_count[m] = to.full ? -1 : to.count;
    }
    __syncwarp(); /* the values are there */
    put_values(job, first, live, d, good, lane);
}

template <typename real> static eig_status launch(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    cuda_shape const shape = {(job.count + 31) / 32, 32, 2 * (size_t)job.p.n * QL_PITCH * sizeof(real)};
    return cuda_launch(ctx, "heev: ql_kernel", stream, shape,
                       job.p.v ? heev_ql_kernel<real, true> : heev_ql_kernel<real, false>, job);
}

eig_status eig_cuda_heev_ql(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return type_is_single(job.p.type) ? launch<float>(ctx, job, stream) : launch<double>(ctx, job, stream);
}
