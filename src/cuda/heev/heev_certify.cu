/* heev on CUDA, n > 8: looks at the results of a slice before their info may be 0, and lists what is doubtful (heev_certify.cuh says
 * what is asked).  The reference solves it again where A is still there.
 *
 *   certify_sums    before the kernels, since A may be lost: trace and norm of A, one block or more a matrix (road warp: heev_reduce.cu)
 *   certify_judge   behind them: a block for 32 vectors, a warp where n <= 32; w against these sums, lengths of the vectors
 *   certify_reject  what cannot be solved again: NaN, and an info of n
 *
 * Sums      in double, of A times `unit`: a power of two, 1 unless squares could over- or underflow.
 * Cost      A's triangle and V are read once more: n^2 numbers beside n^3 operations. */
#include "heev/heev_certify.cuh"
#include "per_type.cuh"
#include "words/team.cuh"

enum { CERTIFY_THREADS = 256, CERTIFY_WARPS = CERTIFY_THREADS / 32, CERTIFY_COLUMNS = 32, REJECT_BLOCKS = 16 };

/* |unit x|^2 in double. */
static __device__ __forceinline__ double wide_square(number x, double unit)
{
    double const re = unit * (double)x.re, im = unit * (double)imaginary(x);
    return fma(re, re, im * im);
}

/* The unit of a matrix with this largest entry. */
static __device__ __forceinline__ double unit_for(double most)
{
    bool const safe = most == 0 || (most >= 0x1p-400 && most <= 0x1p400);
    return safe ? 1.0 : pow2_inverse(heev_unit(most));
}

/* ------------------------------------------------------------------------ A */

/* Calls f(x, on_diagonal) for this thread's entries of the triangle that is read: of lines from, ..., end - 1, a warp a line along
 * which neighbours lie close. */
template <typename function>
static __device__ __forceinline__ void each_entry(const heev_job &job, int64_t b, int64_t from, int64_t end, function f)
{
    batch_strides const s = job.at_a;
    int64_t const n = job.p.n;
    bool const rows = s.j < s.i, behind = rows == job.p.upper; /* whether a line begins at the diagonal */
    int64_t const along = rows ? s.j : s.i, across = rows ? s.i : s.j;
    int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int64_t c = from + warp; c < end; c += CERTIFY_WARPS) {
        const number *const line = (const number *)job.p.a + (b * s.b + c * across);
        int64_t const first = behind ? c : 0, last = behind ? n : c + 1;
        for (int64_t k = first + lane; k < last; k += 32) f(load_number(line + k * along), k == c);
    }
}

static __global__ void __launch_bounds__(CERTIFY_THREADS) certify_sums(heev_job job)
{
    __shared__ double space[CERTIFY_WARPS];
    block_team<CERTIFY_THREADS> const team = {(int)threadIdx.x, space};
    int64_t const m = blockIdx.x / job.shares, n = job.p.n, b = job.first + m;
    int64_t const each = (n + job.shares - 1) / job.shares, from = (int64_t)(blockIdx.x % job.shares) * each,
                  end = from + each < n ? from + each : n;
    double most = 0, unit = 1, trace, squares;
    for (int pass = 0;; ++pass) {
        trace = squares = 0;
        each_entry(job, b, from, end, [&](number x, bool diagonal) {
            if (diagonal) set(x, x.re, (real)0);
            real const largest = real_limits<real>::largest;
            bool const finite = fabs(x.re) <= largest && fabs(imaginary(x)) <= largest;
            double const square = wide_square(x, unit);
            most = finite ? fmax(most, (double)larger_part(x)) : (double)INFINITY;
            squares += diagonal ? square : 2 * square, trace += diagonal ? unit * (double)x.re : 0;
        });
        most = team.max(most);
        if (pass == 1 || !(most < (double)INFINITY)) break;
        unit = unit_for(most);
        if (unit == 1) break;
    }
    trace = team.sum(trace), squares = team.sum(squares);
    if (team.rank > 0) return;
    job.certificates[blockIdx.x] = {most, unit, trace, squares};
    if (blockIdx.x % job.shares == 0) job.marks[m] = 0;
    if (blockIdx.x == 0) *job.doubts = 0;
}

/* The sums of all shares of matrix m. */
static __device__ heev_certificate whole_certificate(const heev_job &job, int64_t m)
{
    const heev_certificate *const c = job.certificates + m * job.shares;
    heev_certificate all = {0, (double)INFINITY, 0, 0};
    for (int k = 0; k < job.shares; ++k) {
        all.most = fmax(all.most, c[k].most);
        if (c[k].most > 0) all.unit = fmin(all.unit, c[k].unit);
    }
    if (!(all.unit < (double)INFINITY)) all.unit = 1;
    for (int k = 0; k < job.shares; ++k) {
        double const by = all.unit / c[k].unit;
        all.trace += by * c[k].trace, all.squares += by * c[k].squares * by;
    }
    return all;
}

/* --------------------------------------------------------------- the results */

/* Whether sums of w, times the unit, are those of the matrix. */
static __device__ __forceinline__ bool certify_values(const heev_job &job, const heev_certificate &c, double first,
                                                      double second)
{
    double const n = (double)job.p.n, eps = (double)real_limits<real>::eps;
    bool const jacobi = job.p.method == EIG_HEEV_JACOBI || job.p.relative;
    return spectrum_has_sums(n * eps, c.squares, first - c.trace, second - c.squares,
                             jacobi ? spectrum_left(n, job.p.tolerance) : 0.0,
                             n * c.unit * (double)real_limits<real>::safmin * eps);
}

/* Whether matrix m, of the job, claims to be solved. */
static __device__ __forceinline__ bool claims(const heev_job &job, int64_t m, double most)
{
    return most < (double)INFINITY && !(job.p.info && job.p.info[job.first + m] != 0);
}

static __device__ __forceinline__ void list_doubtful(const heev_job &job, int64_t m)
{
    if (atomicExch(job.marks + m, 1) == 0) job.doubtful[atomicAdd(job.doubts, 1)] = job.first + m;
}

/* Columns first, ..., first + 31 of V of matrix b: whether those of this thread have length 1.  space: [warps][32]. */
static __device__ bool certify_lengths(const heev_job &job, int64_t b, int64_t first, int64_t columns, real *space)
{
    batch_strides const s = job.at_v;
    int64_t const n = job.p.n;
    int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const number *const v = (const number *)job.p.v + b * s.b;
    if (s.j < s.i) { /* a lane a column */
        real size = 0;
        for (int64_t i = warp; i < n && first + lane < columns; i += CERTIFY_WARPS)
            size = size + square(load_number(v + (i * s.i + (first + lane) * s.j)));
        space[warp * 32 + lane] = size;
        __syncthreads(); /* the parts are there */
        if (warp > 0 || first + lane >= columns) return true;
        size = space[lane];
        for (int k = 1; k < CERTIFY_WARPS; ++k) size += space[k * 32 + lane];
        return spectrum_has_length((real)n, size);
    }
    bool good = true;
    for (int64_t j = first + warp; j < columns && j < first + CERTIFY_COLUMNS; j += CERTIFY_WARPS) {
        real size = 0;
        for (int64_t i = lane; i < n; i += 32) size = size + square(load_number(v + (i * s.i + j * s.j)));
        for (int across = 16; across > 0; across /= 2) size += __shfl_xor_sync(0xffffffffu, size, across);
        good = good && spectrum_has_length((real)n, size);
    }
    return good;
}

/* groups: of 32 columns a matrix. */
static __global__ void __launch_bounds__(CERTIFY_THREADS) certify_judge(heev_job job, int groups)
{
    __shared__ double space[CERTIFY_WARPS];
    __shared__ real parts[CERTIFY_WARPS * 32];
    block_team<CERTIFY_THREADS> const team = {(int)threadIdx.x, space};
    int64_t const m = blockIdx.x / groups, b = job.first + m, group = blockIdx.x % groups;
    bool const all = job.p.range == EIG_RANGE_ALL;
    int64_t const columns = all || !job.p.m ? job.columns : job.p.m[b];
    heev_certificate const c = whole_certificate(job, m);
    if (!claims(job, m, c.most)) return;
    bool good = true;
    if (group == 0 && all) {
        const real *const w = (const real *)job.p.w + b * job.p.stride_w;
        double first = 0, second = 0;
        for (int64_t k = team.rank; k < job.p.n; k += CERTIFY_THREADS) {
            double const x = c.unit * (double)w[k];
            first += x, second = fma(x, x, second);
        }
        first = team.sum(first), second = team.sum(second);
        good = certify_values(job, c, first, second);
    }
    if (job.p.v) good = certify_lengths(job, b, group * CERTIFY_COLUMNS, columns, parts) && good;
    good = !team.any(!good);
    if (!good && team.rank == 0) list_doubtful(job, m);
}

/* n <= 32: a warp a matrix; all pairs. */
static __global__ void __launch_bounds__(CERTIFY_THREADS) certify_judge_small(heev_job job)
{
    int const n = (int)job.p.n, lane = threadIdx.x % 32;
    int64_t const m = (int64_t)blockIdx.x * CERTIFY_WARPS + threadIdx.x / 32, b = job.first + m;
    if (m >= job.count) return;
    heev_certificate const c = whole_certificate(job, m);
    if (!claims(job, m, c.most)) return;
    lane_team<32> const team(lane);
    double const w = lane < n ? c.unit * (double)((const real *)job.p.w)[b * job.p.stride_w + lane] : 0;
    double const first = team.sum(w), second = team.sum(w * w);
    bool good = certify_values(job, c, first, second);
    if (job.p.v) {
        batch_strides const s = job.at_v;
        bool const rows = s.j < s.i;
        const number *const v = (const number *)job.p.v + (b * s.b + lane * (rows ? s.j : s.i));
        int64_t const across = rows ? s.i : s.j;
        real size = 0; /* rows: of column `lane`; else of its row's entries, in turn */
#pragma unroll 8
        for (int k = 0; k < n; ++k) {
            real part = 0;
            if (lane < n) part = square(load_number(v + k * across));
            if (!rows) part = team.sum(part);
            size = rows ? size + part : lane == k ? part : size;
        }
        good = good && (lane >= n || spectrum_has_length((real)n, size));
    }
    good = !team.any(!good);
    if (!good && lane == 0) list_doubtful(job, m);
}

static __global__ void __launch_bounds__(CERTIFY_THREADS) certify_reject(heev_job job)
{
    for (int at = blockIdx.x; at < *job.doubts; at += gridDim.x) {
        int64_t const b = job.doubtful[at];
        int64_t const columns = job.p.range == EIG_RANGE_ALL || !job.p.m ? job.columns : job.p.m[b];
        heev_reject<number>(job.p, job.at_v, b, columns, threadIdx.x, CERTIFY_THREADS);
    }
}

/* ----------------------------------------------------------------- launchers */

eig_status TYPED(eig_cuda_heev_certify_sums)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return cuda_launch(ctx, "heev: certify_sums", stream, {job.count * job.shares, CERTIFY_THREADS}, certify_sums, job);
}

eig_status TYPED(eig_cuda_heev_certify_judge)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    if (job.p.n <= 32)
        return cuda_launch(ctx, "heev: certify_judge_small", stream,
                           {(job.count + CERTIFY_WARPS - 1) / CERTIFY_WARPS, CERTIFY_THREADS}, certify_judge_small,
                           job);
    int const groups = job.p.v ? (int)((job.columns + CERTIFY_COLUMNS - 1) / CERTIFY_COLUMNS) : 1;
    return cuda_launch(ctx, "heev: certify_judge", stream, {job.count * groups, CERTIFY_THREADS}, certify_judge, job,
                       groups);
}

eig_status TYPED(eig_cuda_heev_certify_reject)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return cuda_launch(ctx, "heev: certify_reject", stream, {REJECT_BLOCKS, CERTIFY_THREADS}, certify_reject, job);
}
