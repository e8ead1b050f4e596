/* heev on CUDA, kernel 2 of the tridiagonal method: eigenvalues of T by implicit QL, a thread a matrix.
 *
 * Mapping  32 matrices a warp, a warp a block; d and e in shared memory, of row i and matrix g at [i*66 + g] and 33
 *          words behind it.
 * Vectors  the rotations are noted, sweep by sweep, for kernel 3: so the chain of dependent operations runs once a
 *          matrix, and their use on the rows of Z is left to many threads.
 * Room     a matrix that takes more rotations than there is room for gets its values here, and its vectors by a second
 *          iteration in kernel 3.
 * Cost     about 1.2 n^2 rotations of some 150 clocks each, one after the other.
 * Ends     a value is given up after max_sweeps sweeps. */
#include "heev/warp/heev_ql.cuh"

enum { QL_PITCH = 66 };

/* Stores the values of `live` matrices from the first-th of the job on in ascending order, those from good on as NaN
 * behind them, and their order; a warp.  good: of this lane's matrix. */
template <typename real>
static __device__ void put_values(const heev_job &job, int64_t first, int live, const real *d, int good, int lane)
{
    int const n = (int)job.p.n;
    int64_t const own_m = lane < live ? heev_member(job, first + lane) : 0;
    real const unit = lane < live ? ((const real *)job.unit)[own_m] : (real)1;
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
        int64_t const m = heev_member(job, first + g);
        real *const w = (real *)job.p.w + (job.first + m) * job.p.stride_w;
        w[place] = k < own_good ? own * own_unit + (real)0 : (real)NAN;
        if (job.p.v) job.order[m * n + k] = (uint8_t)place;
    }
    if (lane >= live) return;
    int64_t const m = own_m, b = job.first + m;
    if (job.p.v) job.failed[m] = unit == unit ? n - good : n;
    if (job.p.info) job.p.info[b] = unit == unit ? n - good : EIG_INFO_NOT_FINITE;
    if (job.p.sweeps) job.p.sweeps[b] = 0;
}

template <typename real, bool noted> static __global__ void __launch_bounds__(32) heev_ql_kernel(heev_job job)
{
    extern __shared__ double ql_memory[];
    int const n = (int)job.p.n, lane = threadIdx.x;
    int64_t const first = (int64_t)blockIdx.x * 32, left = heev_listed(job) - first;
    if (left <= 0) return;
    int const live = left < 32 ? (int)left : 32;
    real *const d = (real *)ql_memory + QL_PITCH; /* after a row that is read but not used */
    const real *const from_d = (const real *)job.d, *const from_e = (const real *)job.e;
    int64_t const m = lane < live ? heev_member(job, first + lane) : 0;
    unsigned const reversed = __ballot_sync(0xffffffffu, lane < live && ql_reverses(n, from_d + m * n, from_e + m * n));
#pragma unroll 4
    for (int f = lane; f < live * n; f += 32) {
        int const g = f / n, k = f % n;
        int64_t const from = heev_member(job, first + g) * n + k;
        bool const over = reversed >> g & 1;
        d[ql_row(over, n, k) * QL_PITCH + g] = from_d[from];
        d[ql_beside(over, n, k) * QL_PITCH + g + QL_PITCH / 2] = from_e[from];
    }
    __syncwarp(); /* loaded */
    int good = 0;
    if (lane < live) {
        ql_note<real> *const notes = (ql_note<real> *)job.rotations + (noted ? m * job.most_rotations : 0);
        uint16_t *const sweeps = job.sweeps + (noted ? m * job.most_sweeps : 0);
        int const most = noted ? (int)job.most_rotations : 0, most_sweeps = (int)job.most_sweeps;
        int const max_sweeps = job.p.max_sweeps;
        ql_state<real, QL_PITCH> state;
        state.start(n), state.mark_splits(d + lane);
        int window, used = 0, count = 0;
        /* One loop, so that a thread does not wait for the values of others. */
        while ((window = state.template step<noted>(max_sweeps, d + lane, notes + used,
                                                    count < most_sweeps ? most - used : 0)) != 0)
            if (noted) sweeps[count++] = (uint16_t)window, used += notes_of(window);
        if (noted) {
            bool const full = state.find(max_sweeps, &window);
            while (full && state.template step<false>(max_sweeps, d + lane, NULL, 0) != 0) {}
            job.sweep_count[m] = full ? -1 : count;
        }
        good = state.l;
    }
    __syncwarp(); /* the values are there */
    put_values(job, first, live, d, good, lane);
}

template <typename real> static eig_status launch(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    cuda_shape const shape = {(job.count + 31) / 32, 32, ((size_t)job.p.n + 1) * QL_PITCH * sizeof(real)};
    return cuda_launch(ctx, "heev: ql_kernel", stream, shape,
                       job.p.v ? heev_ql_kernel<real, true> : heev_ql_kernel<real, false>, job);
}

eig_status eig_cuda_heev_ql(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return type_is_single(job.p.type) ? launch<float>(ctx, job, stream) : launch<double>(ctx, job, stream);
}
