/* heev on CUDA, n > 8: looks at the results of a slice before their info may be 0, and lists what is doubtful (heev_certify.cuh says
 * what is asked).  The reference solves it again where A is still there.
 *
 *   certify_sums    before the kernels, since A may be lost: trace, norm and x^H A x, one block or more a matrix (road warp:
 *                   heev_reduce.cu)
 *   certify_judge   behind them: a block for 32 vectors, a warp where n <= 32; w against these sums, lengths of the vectors, and all
 *                   pairs by x: the last block of a matrix sums up
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

/* Calls f(x, i, j) for this thread's entries of the triangle that is read, and for zeros beside it: of lines from, ..., end - 1, a warp
 * four lines along which neighbours lie close. */
template <typename function>
static __device__ __forceinline__ void each_entry(const heev_job &job, int64_t b, int64_t from, int64_t end, function f)
{
    batch_strides const s = job.at_a;
    int64_t const n = job.p.n;
    bool const rows = s.j < s.i, behind = rows == job.p.upper; /* whether a line begins at the diagonal */
    int64_t const along = rows ? s.j : s.i, across = rows ? s.i : s.j;
    enum { EACH = 4 };
    int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int64_t c = from + warp * EACH; c < end; c += CERTIFY_WARPS * EACH) { /* lines side by side, loaded together */
        int64_t const most = c + EACH < end ? c + EACH : end, first = behind ? c : 0, last = behind ? n : most;
#pragma unroll 2
        for (int64_t k = first / 32 * 32 + lane; k < last; k += 32) {
            number x[EACH];
#pragma unroll
            for (int u = 0; u < EACH; ++u) {
                bool const there = c + u < most && (behind ? k >= c + u : k <= c + u);
                set(x[u], (real)0, (real)0);
                if (there) x[u] = load_number((const number *)job.p.a + (b * s.b + (c + u) * across + k * along));
            }
#pragma unroll
            for (int u = 0; u < EACH; ++u) f(x[u], rows ? c + u : k, rows ? k : c + u);
        }
    }
}

static __global__ void __launch_bounds__(CERTIFY_THREADS) certify_sums(heev_job job)
{
    __shared__ double space[CERTIFY_WARPS];
    block_team<CERTIFY_THREADS> const team = {(int)threadIdx.x, space};
    int64_t const m = blockIdx.x / job.shares, n = job.p.n, b = job.first + m;
    int64_t const each = (n + job.shares - 1) / job.shares, from = (int64_t)(blockIdx.x % job.shares) * each,
                  end = from + each < n ? from + each : n;
    double most = 0, unit = 1, trace, squares, beside;
    for (int pass = 0;; ++pass) {
        trace = squares = beside = 0;
        each_entry(job, b, from, end, [&](number x, int64_t i, int64_t j) {
            bool const diagonal = i == j;
            if (diagonal) set(x, x.re, (real)0);
            real const largest = real_limits<real>::largest;
            bool const finite = fabs(x.re) <= largest && fabs(imaginary(x)) <= largest;
            double const square = wide_square(x, unit);
            most = finite ? fmax(most, (double)larger_part(x)) : (double)INFINITY;
            squares += diagonal ? square : 2 * square, trace += diagonal ? unit * (double)x.re : 0;
            beside += diagonal ? 0 : unit * (double)certify_turned(x, (unsigned)i, (unsigned)j).re;
        });
        most = team.max(most);
        if (pass == 1 || !(most < (double)INFINITY)) break;
        unit = unit_for(most);
        if (unit == 1) break;
    }
    trace = team.sum(trace), squares = team.sum(squares), beside = team.sum(beside);
    if (team.rank > 0) return;
    job.certificates[blockIdx.x] = {most, unit, trace, squares, trace + 2 * beside};
    if (blockIdx.x % job.shares == 0) {
        job.marks[m] = 0;
        if (job.arrived) job.arrived[m] = 0, job.forms[m] = {0, 0};
    }
    if (blockIdx.x == 0) *job.doubts = 0;
}

/* The sums of all shares of matrix m. */
static __device__ heev_certificate whole_certificate(const heev_job &job, int64_t m)
{
    const heev_certificate *const c = job.certificates + m * job.shares;
    heev_certificate all = {0, (double)INFINITY, 0, 0, 0};
    for (int k = 0; k < job.shares; ++k) {
        all.most = fmax(all.most, c[k].most);
        if (c[k].most > 0) all.unit = fmin(all.unit, c[k].unit);
    }
    if (!(all.unit < (double)INFINITY)) all.unit = 1;
    for (int k = 0; k < job.shares; ++k) {
        double const by = all.unit / c[k].unit;
        all.trace += by * c[k].trace, all.squares += by * c[k].squares * by, all.form += by * c[k].form;
    }
    return all;
}

/* --------------------------------------------------------------- the results */

/* What Jacobi may leave of the norm's square beside the diagonal; and how far w, times the unit, may be off, being subnormal. */
static __device__ __forceinline__ double left_by(const heev_job &job)
{
    bool const jacobi = job.p.method == EIG_HEEV_JACOBI || job.p.relative;
    return jacobi ? spectrum_left((double)job.p.n, job.p.tolerance) : 0.0;
}
static __device__ __forceinline__ double rounding_of(const heev_certificate &c)
{
    return c.unit * (double)(real_limits<real>::safmin * real_limits<real>::eps);
}

/* Whether sums of w, times the unit, are those of the matrix. */
static __device__ __forceinline__ bool certify_values(const heev_job &job, const heev_certificate &c, double first,
                                                      double second)
{
    double const n = (double)job.p.n, eps = (double)real_limits<real>::eps;
    return spectrum_has_sums(n * eps, c.squares, first - c.trace, second - c.squares, left_by(job), n * rounding_of(c));
}

/* The same of sums of its pairs.  n eps of the type, in double. */
static __device__ __forceinline__ bool certify_pairs(const heev_job &job, const heev_certificate &c, double2 sums)
{
    double const n = (double)job.p.n, unit = n * (double)real_limits<real>::eps, norm = sqrt(c.squares);
    return fabs(sums.x - c.form) <= (CERTIFY_FORM * unit + n * sqrt(left_by(job))) * norm + n * rounding_of(c) &&
           fabs(sums.y - n) <= CERTIFY_SPAN * unit * sqrt(n);
}

/* Whether matrix m, of the job, claims to be solved. */
static __device__ __forceinline__ bool claims(const heev_job &job, int64_t m, double most)
{
    return most < (double)INFINITY && !(job.p.info && job.p.info[job.first + m] != 0);
}

static __device__ __forceinline__ void list_doubtful(const heev_job &job, int64_t m)
{
    if (atomicExch(job.marks + m, 1) != 0) return;
    job.doubtful[atomicAdd(job.doubts, 1)] = job.first + m;
    atomicAdd(job.repairs, 1ull);
}

/* What is asked of a vector: its length and x^H v. */
struct vector_sums {
    real size, re, im;

    __device__ __forceinline__ void add(number v, int64_t i)
    {
        number const turned = certify_turned(v, (unsigned)i);
        size = size + square(v), re = re + turned.re, im = im + imaginary(turned);
    }
    /* Whether it has length 1; adds its part to the sums.  w: its value, times the unit. */
    __device__ __forceinline__ bool ends(int64_t n, double w, double2 *sums) const
    {
        double const part = (double)re * (double)re + (double)im * (double)im;
        sums->x = fma(w, part, sums->x), sums->y += part;
        return spectrum_has_length((real)n, size);
    }
};

/* Columns first, ..., first + 31 of V of matrix b: whether those of this thread have length 1; *sums: their parts.
 * space: [3][warps][32]. */
static __device__ bool certify_columns(const heev_job &job, int64_t b, double unit, int64_t first, int64_t columns,
                                       real *space, double2 *sums)
{
    enum { PART = CERTIFY_WARPS * 32, EACH = CERTIFY_COLUMNS / CERTIFY_WARPS };
    batch_strides const s = job.at_v;
    int64_t const n = job.p.n;
    int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const number *const v = (const number *)job.p.v + b * s.b;
    const real *const w = (const real *)job.p.w + b * job.p.stride_w;
    if (s.j < s.i) { /* a lane a column */
        vector_sums all = {0, 0, 0};
        for (int64_t i = warp; i < n && first + lane < columns; i += CERTIFY_WARPS)
            all.add(load_number(v + (i * s.i + (first + lane) * s.j)), i);
        real *const own = space + warp * 32 + lane;
        own[0] = all.size, own[PART] = all.re, own[2 * PART] = all.im;
        __syncthreads(); /* the parts are there */
        if (warp > 0 || first + lane >= columns) return true;
        for (int k = 1; k < CERTIFY_WARPS; ++k) {
            const real *const part = space + k * 32 + lane;
            all.size += part[0], all.re += part[PART], all.im += part[2 * PART];
        }
        return all.ends(n, unit * (double)w[first + lane], sums);
    }
    bool good = true;
    vector_sums all[EACH]; /* of the warp's columns, whose loads are under way together */
#pragma unroll
    for (int u = 0; u < EACH; ++u) all[u] = {0, 0, 0};
#pragma unroll 2
    for (int64_t i = lane; i < n; i += 32)
#pragma unroll
        for (int u = 0; u < EACH; ++u) {
            int64_t const j = first + warp + u * CERTIFY_WARPS;
            if (j < columns) all[u].add(load_number(v + (i * s.i + j * s.j)), i);
        }
#pragma unroll
    for (int u = 0; u < EACH; ++u) {
        int64_t const j = first + warp + u * CERTIFY_WARPS;
        if (j >= columns) break;
        all[u].size = lanes_sum<32>(0xffffffffu, all[u].size), all[u].re = lanes_sum<32>(0xffffffffu, all[u].re);
        if (number::complex) all[u].im = lanes_sum<32>(0xffffffffu, all[u].im);
        double2 part = {0, 0};
        good = all[u].ends(n, unit * (double)w[j], &part) && good;
        if (lane == 0) sums->x += part.x, sums->y += part.y;
    }
    return good;
}

/* Whether all pairs of matrix m are good, as far as their sums tell: asked of the last of its blocks alone. */
static __device__ bool certify_together(block_team<CERTIFY_THREADS> team, const heev_job &job, int64_t m,
                                        const heev_certificate &c, double2 sums, int groups)
{
    sums.x = team.sum(sums.x), sums.y = team.sum(sums.y);
    if (team.rank > 0) return true;
    if (groups > 1) {
        double2 *const all = job.forms + m;
        atomicAdd(&all->x, sums.x), atomicAdd(&all->y, sums.y);
        __threadfence(); /* the parts are there before the count is */
        if (atomicAdd(job.arrived + m, 1) < groups - 1) return true;
        __threadfence();
        const volatile double2 *const whole = all;
        sums = {whole->x, whole->y};
    }
    return certify_pairs(job, c, sums);
}

/* groups: of 32 columns a matrix. */
static __global__ void __launch_bounds__(CERTIFY_THREADS) certify_judge(heev_job job, int groups)
{
    __shared__ double space[CERTIFY_WARPS];
    __shared__ real parts[3 * CERTIFY_WARPS * 32];
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
    if (job.p.v) {
        double2 sums = {0, 0};
        good = certify_columns(job, b, c.unit, group * CERTIFY_COLUMNS, columns, parts, &sums) && good;
        if (all) good = certify_together(team, job, m, c, sums, groups) && good;
    }
    good = !team.any(!good);
    if (!good && team.rank == 0) list_doubtful(job, m);
}

/* n <= 32: a warp a matrix; all pairs. */
static __global__ void __launch_bounds__(CERTIFY_THREADS) certify_judge_small(heev_job job)
{
    enum { TOGETHER = 8 };
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
        vector_sums all = {0, 0, 0}; /* of column `lane` */
        if (rows) {
#pragma unroll 8
            for (int i = 0; i < n; ++i)
                if (lane < n) all.add(load_number(v + i * across), i);
        } else {
#pragma unroll 1
            for (int k = 0; k < n; k += TOGETHER) {
                vector_sums part[TOGETHER];
#pragma unroll
                for (int u = 0; u < TOGETHER; ++u) {
                    part[u] = {0, 0, 0};
                    if (lane < n && k + u < n) part[u].add(load_number(v + (k + u) * across), lane);
                }
#pragma unroll
                for (int u = 0; u < TOGETHER; ++u) {
                    real const size = team.sum(part[u].size), re = team.sum(part[u].re),
                               im = number::complex ? team.sum(part[u].im) : (real)0;
                    if (lane == k + u) all = {size, re, im};
                }
            }
        }
        double2 sums = {0, 0};
        if (lane < n) good = all.ends(n, w, &sums) && good;
        sums = {team.sum(sums.x), team.sum(sums.y)};
        good = certify_pairs(job, c, sums) && good;
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
