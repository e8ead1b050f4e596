/* heev on CUDA, n > 8: looks at the results of a slice before their info may be 0, and lists what is doubtful
 * (heev_certify.cuh says what is asked).  The reference solves it again where A is still there.
 *
 *   certify_sums         before the kernels, since A may be lost: trace, norm and x^H A x, by one block or more a
 *                        matrix, or a warp where matrices are many (road warp: heev_reduce.cu)
 *   certify_judge        behind them: w against these sums, lengths of the vectors, and all pairs by x; a warp for some
 *                        columns, of which the last one of a matrix sums up
 *   certify_judge_small  n <= 32: 16 or 32 lanes a matrix
 *   certify_reject       what cannot be solved again: NaN, and an info of n
 *
 * Sums      in double, of A times `unit`: a power of two, 1 unless squares could over- or underflow.
 * Cost      A's triangle and V are read once more: n^2 numbers beside n^3 operations.  A lane has some rows, whose
 *           entries of x it makes once; sums over lanes are made of 8 columns at a time. */
#include "heev/heev_certify.cuh"
#include "per_type.cuh"
#include "primitives/team.cuh"

enum { CERTIFY_THREADS = 256, CERTIFY_WARPS = CERTIFY_THREADS / 32, CERTIFY_EACH = 8, REJECT_BLOCKS = 16 };
/* Blocks of a multiprocessor, for their registers. */
enum { SUMS_BLOCKS = number::complex ? 3 : 4, JUDGE_BLOCKS = number::complex ? 2 : 3 };

/* The unit of a matrix with this largest entry. */
static __device__ __forceinline__ double unit_for(double most)
{
    bool const safe = most == 0 || (most >= 0x1p-400 && most <= 0x1p400);
    return safe ? 1.0 : pow2_inverse(heev_unit(most));
}

/* ------------------------------------------------------------------------ A */

/* The largest |x| with this upper word. */
static __device__ __forceinline__ double largest_of(int word)
{
    return sizeof(real) == sizeof(double) ? __hiloint2double(word, -1) : (double)__int_as_float(word);
}

namespace
{ /* the code differs by type */
using wide_number = number_of<double, number::complex>;

/* Of lines from, ..., end - 1 of the triangle that is read, in one look. */
struct triangle_sums {
    int most;                              /* upper word of the largest part */
    double trace, diagonal, form_diagonal; /* of the diagonal: squares, and its part of x^H A x */
    double squares, form;                  /* the same of what is beside it, once */

    __device__ __forceinline__ void look(number x)
    {
        most = max(most, upper_word(x.re));
        if (number::complex) most = max(most, upper_word(imaginary(x)));
    }

    /* Of this thread's share, times unit where it is scaled: of `warps` warps, each has four lines along which
     * neighbours lie close. */
    template <bool scales>
    __device__ __forceinline__ void collect(const heev_job &job, int64_t b, int from, int end, int warps, int warp,
                                            double unit)
    {
        enum { EACH = 4 };
        batch_strides const s = job.at_a;
        int const n = (int)job.p.n, lane = threadIdx.x % 32;
        bool const rows = s.j < s.i, behind = rows == job.p.upper; /* whether a line begins at the diagonal */
        int64_t const along = rows ? s.j : s.i, across = rows ? s.i : s.j;
        const number *const a = (const number *)job.p.a + b * s.b;
        double const by = scales ? unit : 1.0;
        most = 0, trace = diagonal = form_diagonal = squares = form = 0;
        for (int k = from + 32 * warp + lane; k < end; k += 32 * warps) {
            number const x = load_number(a + k * (along + across));
            double const own = by * (double)x.re;
            most = max(most, upper_word(x.re));
            trace += own, diagonal = fma(own, own, diagonal);
            form_diagonal = fma(square(probe_at<wide_number>((unsigned)k)), own, form_diagonal);
        }
#pragma unroll 1
        for (int c = from + warp * EACH; c < end; c += warps * EACH) {
            int const first = behind ? c / 32 * 32 : 0, stop = behind ? n : min(c + EACH, end), lines = end - c;
            const number *from_k = a + (c * across + (first + lane) * along);
            wide_number with[EACH] = {}; /* a line's entries, times x's along it */
#pragma unroll 1
            for (int k = first + lane; k < stop; k += 32, from_k += 32 * along) {
                wide_number const own = scaled(by, probe_at<wide_number>((unsigned)k)),
                                  along_k = rows ? own : conj(own);
                number x[EACH];
#pragma unroll
                for (int u = 0; u < EACH; ++u) { /* loaded together */
                    bool const there = u < lines && (behind ? k > c + u : k < c + u);
                    set(x[u], (real)0, (real)0);
                    if (there) x[u] = load_number(from_k + u * across);
                }
#pragma unroll
                for (int u = 0; u < EACH; ++u) {
                    look(x[u]);
                    wide_number y;
                    set(y, (double)x[u].re, (double)imaginary(x[u]));
                    double const part = by * y.re, other = by * imaginary(y);
                    squares = fma(part, part, squares), with[u] = product_add(along_k, y, with[u]);
                    if (number::complex) squares = fma(other, other, squares);
                }
            }
            wide_number const own = probe_at<wide_number>((unsigned)(c + lane % EACH)),
                              across_c = rows ? conj(own) : own;
#pragma unroll
            for (int u = 0; u < EACH; ++u) {
                form = fma(__shfl_sync(0xffffffffu, across_c.re, u), with[u].re, form);
                if (number::complex)
                    form = fma(-__shfl_sync(0xffffffffu, imaginary(across_c), u), imaginary(with[u]), form);
            }
        }
    }
    /* Over a team. */
    template <typename team_type> __device__ __forceinline__ void sum(const team_type &team)
    {
        most = team.max(most), trace = team.sum(trace), diagonal = team.sum(diagonal), squares = team.sum(squares);
        form = team.sum(form), form_diagonal = team.sum(form_diagonal);
    }
};
} // namespace

/* The share's number, its matrix m of the job, and a team for it. */
template <typename team_type>
static __device__ __forceinline__ void certify_share(const heev_job &job, int64_t share, const team_type &team)
{
    constexpr int infinite = sizeof(real) == sizeof(double) ? 0x7ff00000 : 0x7f800000, warps = team_type::size / 32;
    int64_t const m = share / job.shares, b = job.first + m;
    int const n = (int)job.p.n, each = (n + job.shares - 1) / job.shares, from = (int)(share % job.shares) * each,
              end = min(from + each, n);
    double unit = 1;
    triangle_sums all = {};
    all.template collect<false>(job, b, from, end, warps, team.rank / 32, unit), all.sum(team);
    bool const finite = all.most < infinite;
    double const most = finite ? largest_of(all.most) : (double)INFINITY;
    if (finite) unit = unit_for(most);
    if (unit != 1) all.template collect<true>(job, b, from, end, warps, team.rank / 32, unit), all.sum(team);
    if (team.rank > 0) return;
    job.certificates[share] = {most, unit, all.trace, fma(2.0, all.squares, all.diagonal),
                               fma(2.0, all.form, all.form_diagonal)};
    if (share % job.shares == 0) {
        job.marks[m] = 0;
        if (job.arrived) job.arrived[m] = 0, job.forms[m] = {0, 0};
    }
    if (share == 0) *job.doubts = 0;
}

/* A block a share. */
static __global__ void __launch_bounds__(CERTIFY_THREADS, SUMS_BLOCKS) certify_sums(heev_job job)
{
    __shared__ double space[CERTIFY_WARPS];
    certify_share(job, blockIdx.x, block_team<CERTIFY_THREADS>{(int)threadIdx.x, space});
}

/* A warp a share. */
static __global__ void __launch_bounds__(CERTIFY_THREADS, SUMS_BLOCKS) certify_sums_many(heev_job job)
{
    int64_t const share = (int64_t)blockIdx.x * CERTIFY_WARPS + threadIdx.x / 32;
    if (share < job.count * job.shares) certify_share(job, share, lane_team<32>((int)threadIdx.x % 32));
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

/* What Jacobi may leave of the norm's square beside the diagonal; and how far w, times the unit, may be off, being
 * subnormal. */
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

/* The same of sums of its pairs, with x^H x.  n eps of the type, in double. */
static __device__ __forceinline__ bool certify_pairs(const heev_job &job, const heev_certificate &c, double2 sums,
                                                     double span)
{
    double const n = (double)job.p.n;
    pair_sums<double> const pairs = {sums.x, sums.y, c.form, span};
    return pairs.certify(n, n * (double)real_limits<real>::eps, c.squares, left_by(job), rounding_of(c));
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

/* What is asked of a vector: its length and x^H v; and of all: their part of the sums of pairs.  w: its value, times
 * the unit. */
static __device__ __forceinline__ bool judge_vector(int64_t n, double w, real size, real re, real im, double2 *sums)
{
    double const part = (double)re * (double)re + (double)im * (double)im;
    sums->x = fma(w, part, sums->x), sums->y += part;
    return spectrum_has_length((real)n, size);
}

namespace
{ /* the code differs by type */
/* Sums over the rows of CERTIFY_EACH columns, a lane a row. */
struct column_sums {
    real size[CERTIFY_EACH];
    number with[CERTIFY_EACH]; /* x^H v */

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int u = 0; u < CERTIFY_EACH; ++u) size[u] = 0, set(with[u], (real)0, (real)0);
    }
    /* Row i of the first `count` columns, from v on. */
    __device__ __forceinline__ void add(const number *v, int64_t across, int count, int i)
    {
        number x[CERTIFY_EACH];
#pragma unroll
        for (int u = 0; u < CERTIFY_EACH; ++u) { /* loaded together */
            set(x[u], (real)0, (real)0);
            if (u < count) x[u] = load_number(v + u * across);
        }
#pragma unroll
        for (int u = 0; u < CERTIFY_EACH; ++u)
            size[u] = size[u] + square(x[u]), with[u] = probe_add(x[u], (unsigned)i, with[u]);
    }
    /* Over P lanes; the columns' values are at w, times unit.  Whether their vectors are good; their part of the sums,
     * in the first lanes of the team. */
    template <int P>
    __device__ __forceinline__ bool judge(const lane_team<P> &team, int64_t n, int64_t count, const real *w,
                                          double unit, double2 *sums)
    {
        real re[CERTIFY_EACH], im[CERTIFY_EACH];
#pragma unroll
        for (int u = 0; u < CERTIFY_EACH; ++u) re[u] = with[u].re, im[u] = imaginary(with[u]);
        real const all = lanes_sum_each<P, CERTIFY_EACH>(size, team.rank),
                   part = lanes_sum_each<P, CERTIFY_EACH>(re, team.rank),
                   other = number::complex ? lanes_sum_each<P, CERTIFY_EACH>(im, team.rank) : (real)0;
        return team.rank >= CERTIFY_EACH || team.rank >= count ||
               judge_vector(n, unit * (double)w[team.rank], all, part, other, sums);
    }
};
} // namespace

/* Columns first, ..., end - 1 of V of matrix b, where a column's entries lie side by side. */
static __device__ __forceinline__ bool judge_columns(const lane_team<32> &team, const heev_job &job, int64_t b,
                                                     double unit, int64_t first, int64_t end, double2 *sums)
{
    batch_strides const s = job.at_v;
    int64_t const n = job.p.n;
    const real *const w = (const real *)job.p.w + b * job.p.stride_w;
    bool good = true;
#pragma unroll 1
    for (int64_t j = first; j < end; j += CERTIFY_EACH) {
        const number *const v = (const number *)job.p.v + (b * s.b + j * s.j);
        column_sums all;
        all.clear();
        for (int64_t i = team.rank; i < n; i += 32) all.add(v + i * s.i, s.j, (int)(end - j), (int)i);
        good = all.judge(team, n, end - j, w + j, unit, sums) && good;
    }
    return good;
}

/* The same where a row's entries lie side by side: a lane a column. */
static __device__ __forceinline__ bool judge_rows(const lane_team<32> &team, const heev_job &job, int64_t b,
                                                  double unit, int64_t first, int64_t end, double2 *sums)
{
    batch_strides const s = job.at_v;
    int64_t const n = job.p.n;
    const real *const w = (const real *)job.p.w + b * job.p.stride_w;
    bool good = true;
#pragma unroll 1
    for (int64_t j = first + team.rank; j < end; j += 32) {
        const number *const v = (const number *)job.p.v + (b * s.b + j * s.j);
        real size = 0;
        number with;
        set(with, (real)0, (real)0);
#pragma unroll 8
        for (int64_t i = 0; i < n; ++i) {
            number const x = load_number(v + i * s.i);
            size = size + square(x), with = probe_add(x, (unsigned)i, with);
        }
        good = judge_vector(n, unit * (double)w[j], size, with.re, imaginary(with), sums) && good;
    }
    return good;
}

/* Whether all pairs of matrix m are good, as far as their sums tell: asked of the last of its `groups` warps alone. */
static __device__ __forceinline__ bool judge_together(const lane_team<32> &team, const heev_job &job, int64_t m,
                                                      const heev_certificate &c, double2 sums, int groups)
{
    double const span = team.sum(certify_span<wide_number>(0, job.p.n, team.rank, 32));
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
    return certify_pairs(job, c, sums, span);
}

/* A warp for `each` columns, `groups` of them a matrix. */
static __global__ void __launch_bounds__(CERTIFY_THREADS, JUDGE_BLOCKS)
    certify_judge(heev_job job, int64_t each, int groups)
{
    lane_team<32> const team((int)threadIdx.x % 32);
    int64_t const turn = (int64_t)blockIdx.x * CERTIFY_WARPS + threadIdx.x / 32, m = turn / groups,
                  first = turn % groups * each;
    if (m >= job.count) return;
    int64_t const b = job.first + m;
    bool const all = job.p.range == EIG_RANGE_ALL;
    int64_t const columns = all || !job.p.m ? job.columns : job.p.m[b],
                  end = first + each < columns ? first + each : columns;
    heev_certificate const c = whole_certificate(job, m);
    if (!claims(job, m, c.most)) return;
    bool good = true;
    if (first == 0 && all) {
        const real *const w = (const real *)job.p.w + b * job.p.stride_w;
        double sum = 0, squares = 0;
        for (int64_t k = team.rank; k < job.p.n; k += 32) {
            double const x = c.unit * (double)w[k];
            sum += x, squares = fma(x, x, squares);
        }
        good = certify_values(job, c, team.sum(sum), team.sum(squares));
    }
    if (job.p.v) {
        double2 sums = {0, 0};
        bool const rows = job.at_v.j < job.at_v.i;
        good = (rows ? judge_rows(team, job, b, c.unit, first, end, &sums)
                     : judge_columns(team, job, b, c.unit, first, end, &sums)) &&
               good;
        if (all) good = judge_together(team, job, m, c, sums, groups) && good;
    }
    good = !team.any(!good);
    if (!good && team.rank == 0) list_doubtful(job, m);
}

/* n <= P: P lanes a matrix; all pairs. */
template <int P> static __global__ void __launch_bounds__(CERTIFY_THREADS) certify_judge_small(heev_job job)
{
    lane_team<P> const team((int)threadIdx.x % 32);
    int const n = (int)job.p.n, lane = team.rank;
    int64_t const m = (int64_t)blockIdx.x * (CERTIFY_THREADS / P) + threadIdx.x / P, b = job.first + m;
    heev_certificate c = {(double)INFINITY, 1, 0, 0, 0};
    if (m < job.count) c = whole_certificate(job, m);
    bool const asks = m < job.count && claims(job, m, c.most), here = asks && lane < n;
    if (!__any_sync(0xffffffffu, asks)) return;
    const real *const w = (const real *)job.p.w + b * job.p.stride_w;
    double const own = here ? c.unit * (double)w[lane] : 0;
    bool good = certify_values(job, c, team.sum(own), team.sum(own * own));
    if (job.p.v) {
        batch_strides const s = job.at_v;
        bool const rows = s.j < s.i;
        const number *const v = (const number *)job.p.v + (b * s.b + lane * (rows ? s.j : s.i));
        double2 sums = {0, 0};
        if (rows) {
            real size = 0; /* of column `lane` */
            number with, x;
            set(with, (real)0, (real)0), x = with;
#pragma unroll 8
            for (int i = 0; i < n; ++i) {
                if (here) x = load_number(v + i * s.i);
                size = size + square(x), with = probe_add(x, (unsigned)i, with);
            }
            if (here) good = judge_vector(n, own, size, with.re, imaginary(with), &sums) && good;
        } else {
#pragma unroll 1
            for (int j = 0; j < n; j += CERTIFY_EACH) {
                column_sums part;
                part.clear(), part.add(v + j * s.j, s.j, here ? n - j : 0, lane);
                int const count = asks ? n - j : 0;
                good = part.judge(team, n, count, w + j, c.unit, &sums) && good;
            }
        }
        sums = {team.sum(sums.x), team.sum(sums.y)};
        good = certify_pairs(job, c, sums, team.sum(certify_span<wide_number>(0, n, lane, P))) && good;
    }
    good = !team.any(!good);
    if (asks && !good && lane == 0) list_doubtful(job, m);
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

/* Whether a matrix, or a share of it, has one warp: more warps would only wait for each other. */
static bool are_many(const eig_context *ctx, int64_t count)
{
    return count >= 16 * (int64_t)cuda_state_of(ctx)->multiprocessors;
}

eig_status TYPED(eig_cuda_heev_certify_sums)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    int64_t const shares = job.count * job.shares;
    if (are_many(ctx, shares))
        return cuda_launch(ctx, "heev: certify_sums_many", stream,
                           {(shares + CERTIFY_WARPS - 1) / CERTIFY_WARPS, CERTIFY_THREADS}, certify_sums_many, job);
    return cuda_launch(ctx, "heev: certify_sums", stream, {shares, CERTIFY_THREADS}, certify_sums, job);
}

template <int P> static eig_status launch_small(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    int64_t const teams = CERTIFY_THREADS / P;
    return cuda_launch(ctx, "heev: certify_judge_small", stream, {(job.count + teams - 1) / teams, CERTIFY_THREADS},
                       certify_judge_small<P>, job);
}

eig_status TYPED(eig_cuda_heev_certify_judge)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    if (job.p.n <= 16) return launch_small<16>(ctx, job, stream);
    if (job.p.n <= 32) return launch_small<32>(ctx, job, stream);
    int64_t const each = are_many(ctx, job.count) || !job.p.v ? job.columns
                                                              : CERTIFY_EACH * (job.at_v.j < job.at_v.i ? 4 : 1),
                  groups = (job.columns + each - 1) / each, warps = job.count * groups;
    return cuda_launch(ctx, "heev: certify_judge", stream,
                       {(warps + CERTIFY_WARPS - 1) / CERTIFY_WARPS, CERTIFY_THREADS}, certify_judge, job, each,
                       (int)groups);
}

eig_status TYPED(eig_cuda_heev_certify_reject)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return cuda_launch(ctx, "heev: certify_reject", stream, {REJECT_BLOCKS, CERTIFY_THREADS}, certify_reject, job);
}
