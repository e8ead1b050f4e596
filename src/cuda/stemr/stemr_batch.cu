/* stemr on CUDA, batches of matrices of up to 64 rows, all at once.
 *
 * Kernels   load (scales every T to a norm of about 1); up to 32 rows heev's QL, a thread a matrix, and a kernel in which a
 *           lane has a row of Z and applies QL's rotations to it; above heev's divide and conquer (heev/divide/).
 * Finish    Z lies in shared memory, and a thread takes a column: residual, eigenvalue, outputs.
 * Values    Rayleigh's quotient where the residual is small beside the gap; else bisection from where the residual says.
 * Proof     every residual is measured.  A matrix with one beyond the promise, or whose roots were not found, is solved
 *           again by itself, on the road of longer ones.
 * Memory    a matrix: up to 32 rows QL's notes, some 10 n^2 bytes; above 2 n^2 + 10 n numbers.  Parts of a batch take turns
 *           where the workspace has no room for all.
 * Bits      of a pair depend on its matrix and its number alone. */
#include "stemr_batch.cuh"

#include "heev/warp/heev_load.cuh"
#include "heev/warp/heev_rows.cuh"

enum { THREADS = 128, MOST_ROWS = STEMR_BATCH_ROWS, PROBES = STEMR_PROBES, NOT_FINITE = 0x7fffffff };

/* No eigenvalue of a scaled T lies so far away. */
static constexpr double OUTSIDE = 2;

/* ---------------------------------------------------------------------- load */

/* A warp a matrix. */
template <typename real> static __global__ void __launch_bounds__(THREADS) load_kernel(stemr_batch_part b)
{
    constexpr int each = MOST_ROWS / 32;
    int64_t const matrix = (int64_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    int const lane = threadIdx.x % 32, n = (int)b.p.n;
    if (matrix >= b.count) return;
    lane_team<32> const team(lane);
    const real *const d = (const real *)b.p.d + matrix * b.stride_d;
    const real *const e = (const real *)b.p.e + matrix * b.stride_e;
    double own_d[each], own_e[each], most = 0;
    bool finite = true;
    for (int j = 0; j < each; ++j) {
        int const i = lane + 32 * j;
        own_d[j] = i < n ? (double)d[i] : 0, own_e[j] = i + 1 < n ? (double)e[i] : 0;
        finite &= isfinite(own_d[j]) && isfinite(own_e[j]);
        most = fmax(most, fmax(fabs(own_d[j]), fabs(own_e[j])));
    }
    finite = !team.any(!finite), most = finite ? team.max(most) : 0;
    int scale = 0, blocks = 0;
    if (most > 0) frexp(most, &scale), ++scale; /* rows add up to less than 3/2 */
    for (int j = 0; j < each; ++j) {
        int const i = lane + 32 * j;
        if (i >= n) continue;
        double const off = finite ? scalbn(own_e[j], -scale) : 0;
        ((real *)b.t.d)[matrix * n + i] = (real)(finite ? scalbn(own_d[j], -scale) : 0);
        ((real *)b.t.e)[matrix * n + i] = (real)off;
        blocks += fabs(off) <= STEMR_SPLIT;
    }
    blocks = team.sum(blocks);
    if (lane > 0) return;
    b.scale[matrix] = finite ? scale : NOT_FINITE;
    if (b.ql.unit) ((real *)b.ql.unit)[matrix] = 1;
    if (!b.p.stats) return;
    atomicAdd(&b.counts->blocks, (unsigned long long)blocks);
    atomicMax(&b.counts->most_blocks, blocks);
}

/* -------------------------------------------------------------------- finish */

/* What a team has of a matrix in shared memory: the scaled T, eigenvalues by place, which column of Z has each, and Z:
 * row i of column k at z[i*pitch + k], pitch being odd. */
template <typename real> struct batch_place {
    double *a, *e, *value; /* [rows] */
    int *column;           /* [rows] */
    real *z;
    int pitch;

    static __host__ __device__ constexpr size_t head_bytes(int rows)
    {
        return ((size_t)rows * (3 * sizeof(double) + sizeof(int)) + 15) / 16 * 16;
    }
    static __host__ __device__ constexpr size_t bytes(int rows, int pitch)
    {
        return (head_bytes(rows) + (size_t)(rows * pitch) * sizeof(real) + 15) / 16 * 16;
    }
    __device__ __forceinline__ batch_place(void *memory, int rows, int pitch)
        : a((double *)memory), e(a + rows), value(e + rows), column((int *)(value + rows)),
          z((real *)((char *)memory + head_bytes(rows))), pitch(pitch)
    {
    }
};

/* Of r = T y - x y, y a column: r'r and y'r. */
struct batch_residual {
    double square, product;
};

template <typename real>
static __device__ batch_residual residual_of(const batch_place<real> &at, int n, int column, double x)
{
    batch_residual sum = {0, 0};
    double before = 0, y = (double)at.z[column];
    for (int i = 0; i < n; ++i) {
        double const next = i + 1 < n ? (double)at.z[(i + 1) * at.pitch + column] : 0, beside = at.e[i];
        double const r = fma(at.a[i] - x, y, fma(beside, next, before));
        sum.square = fma(r, r, sum.square), sum.product = fma(y, r, sum.product);
        before = beside * y, y = next;
    }
    return sum;
}

/* How many eigenvalues of T are below x. */
template <typename real> static __device__ int count_below(const batch_place<real> &at, int n, double x)
{
    int count = 0;
    double q = 1;
    for (int i = 0; i < n; ++i) {
        q = sturm_pivot(at.a[i], i > 0 ? at.e[i - 1] : 0.0, x, q, 1e-290);
        count += q < 0;
    }
    return count;
}

/* Eigenvalue `place` of T, which should be within `far` of x. */
template <typename real>
static __device__ double bisect(const batch_place<real> &at, int n, int place, double x, double far)
{
    double lo = fmax(x - far, -OUTSIDE), hi = fmin(x + far, OUTSIDE); /* x may be a NaN */
    for (double step = far; lo > -OUTSIDE && count_below(at, n, lo) > place; step *= 16) lo = fmax(lo - step, -OUTSIDE);
    for (double step = far; hi < OUTSIDE && count_below(at, n, hi) <= place; step *= 16) hi = fmin(hi + step, OUTSIDE);
    while (hi - lo > 0.0625 * (double)real_limits<real>::eps) {
        double const middle = 0.5 * (lo + hi);
        if (middle <= lo || middle >= hi) break;
        if (count_below(at, n, middle) > place)
            hi = middle;
        else
            lo = middle;
    }
    return 0.5 * (lo + hi);
}

/* The scaled eigenvalue of a thread's column, approximately x.  Rayleigh's quotient errs by the square of the residual over the
 * gap. */
template <typename real>
static __device__ double value_of(const batch_place<real> &at, int n, int place, double x, const batch_residual &r)
{
    double const eps = (double)real_limits<real>::eps;
    double const left = place > 0 ? x - at.value[place - 1] : INFINITY;
    double const right = place + 1 < n ? at.value[place + 1] - x : INFINITY;
    if (r.square <= eps / 32 * fmin(left, right)) return x + r.product;
    return bisect(at, n, place, x, 4 * sqrt(r.square) + 8 * eps);
}

/* All outputs of a matrix that is not finite. */
template <typename real, typename team_type>
static __device__ void store_not_finite(const stemr_batch_part &b, int64_t matrix, const team_type &team)
{
    int const n = (int)b.p.n, wanted = b.p.range == EIG_RANGE_VALUE ? n : (int)(b.p.iu - b.p.il + 1);
    int64_t const at = matrix * b.stride_w;
    for (int k = team.rank; k < wanted; k += team.size) {
        ((real *)b.p.w)[at + k] = (real)NAN;
        if (b.p.info) b.p.info[at + k] = EIG_INFO_NOT_FINITE;
        if (b.p.z && b.p.residual) ((real *)b.p.residual)[at + k] = (real)NAN;
        if (b.p.z && b.p.isuppz) b.p.isuppz[2 * (at + k)] = 1, b.p.isuppz[2 * (at + k) + 1] = n;
        for (int i = 0; b.p.z && i < n; ++i) ((real *)b.p.z)[matrix * b.stride_z + k * b.p.ldz + i] = (real)NAN;
    }
    if (team.rank > 0) return;
    if (b.p.m) b.p.m[matrix] = 0;
    if (b.p.z && b.p.orthogonality) ((real *)b.p.orthogonality)[matrix] = (real)NAN;
}

/* An estimate of the longest row of Z'Z - I, for columns of `count` places from `first` on (stemr_certify.cu); a and the
 * signs in `column` are overwritten.  `own`: this thread's place, -1: none. */
template <typename real, typename team_type>
static __device__ double skew_of(const batch_place<real> &at, const team_type &team, int n, int first, int count,
                                 int own)
{
    enum { BITS = 8 }; /* signs stand above a column's number */
    unsigned const signs = own >= 0 ? stemr_signs_of(own - first) : 0;
    if (own >= 0) at.column[own] |= (int)(signs << BITS);
    double most = 0;
    for (int p = 0; p < PROBES; ++p) {
        team.sync(); /* the signs are there, and a is free */
        double sum = 0;
        for (int k = first; k < first + count && team.rank < n; ++k) {
            int const column = at.column[k];
            sum +=
                stemr_with_sign((double)at.z[team.rank * at.pitch + column % (1 << BITS)], (unsigned)column >> BITS, p);
        }
        if (team.rank < n) at.a[team.rank] = sum;
        team.sync(); /* the sum of the columns is there */
        double product = 0;
        for (int i = 0; i < n && own >= 0; ++i) product = fma((double)at.z[i * at.pitch + team.rank], at.a[i], product);
        if (own >= 0) most = fmax(most, fabs(product - stemr_with_sign(1.0, signs, p)));
    }
    team.sync(); /* all have read the signs */
    if (own >= 0) at.column[own] = team.rank;
    team.sync(); /* the columns' numbers are there */
    return team.max(most);
}

/* Columns of `count` places from `first` on to the caller's z. */
template <typename real, typename team_type>
static __device__ void store_columns(const batch_place<real> &at, const team_type &team, int n, int first, int count,
                                     int64_t ldz, real *z)
{
    int const down = team.size % n, across = team.size / n;
    int i = team.rank % n, k = team.rank / n;
#pragma unroll 4
    while (k < count) {
        z[k * ldz + i] = at.z[i * at.pitch + at.column[first + k]];
        i += down, k += across;
        if (i >= n) i -= n, ++k;
    }
}

/* Values, proofs and outputs of a matrix whose Z is in place; x and `place` are those of this thread's column, if rank < n.
 * All threads of the team; `live`: it has a matrix. */
template <typename real, typename team_type>
static __device__ void finish(const stemr_batch_part &b, int64_t matrix, bool live, const team_type &team,
                              const batch_place<real> &at, int place, double x)
{
    int const n = (int)b.p.n, rank = team.rank, scale = live ? b.scale[matrix] : NOT_FINITE;
    bool const works = scale != NOT_FINITE && rank < n;
    if (works) {
        const real *const e = (const real *)b.p.e + matrix * b.stride_e;
        at.a[rank] = scalbn((double)((const real *)b.p.d)[matrix * b.stride_d + rank], -scale);
        at.e[rank] = rank + 1 < n ? scalbn((double)e[rank], -scale) : 0;
        at.value[place] = x, at.column[place] = rank;
    }
    team.sync(); /* T and what is known of its eigenvalues are there */
    double value = NAN, apart = 0, norm = 0;
    if (works) {
        batch_residual const r = residual_of(at, n, rank, x);
        value = value_of(at, n, place, x, r);
        apart = sqrt(r.square) + fabs(value - x);
        norm = fabs(at.a[rank]) + fabs(at.e[rank]) + (rank > 0 ? fabs(at.e[rank - 1]) : 0);
    }
    norm = team.max(norm);
    team.sync(); /* the approximate values have been read */
    if (works) at.value[place] = value;
    team.sync(); /* the values are there */
    for (int k = 0; works && k < place; ++k) value = fmax(value, at.value[k]);
    bool const bad = team.any(works && !(apart <= 10.0 * n * (double)real_limits<real>::eps * norm));
    real const w = works ? (real)scalbn(value, scale) : (real)0;
    bool const by_value = b.p.range == EIG_RANGE_VALUE;
    bool const wanted =
        works && (by_value ? sturm_in_range((double)w, b.p.vl, b.p.vu) != 0 : b.p.il - 1 <= place && place < b.p.iu);
    int const count = team.sum(wanted ? 1 : 0), first = n - team.max(wanted ? n - place : 0);
    if (wanted) {
        int64_t const to = matrix * b.stride_w + place - first;
        ((real *)b.p.w)[to] = w;
        if (b.p.info) b.p.info[to] = 0;
        if (b.p.z && b.p.isuppz) b.p.isuppz[2 * to] = 1, b.p.isuppz[2 * to + 1] = n;
        if (b.p.z && b.p.residual) {
            double const length =
                sqrt(residual_of(at, n, rank, isfinite(w) ? scalbn((double)w, -scale) : value).square);
            ((real *)b.p.residual)[to] = (real)scalbn(length, scale);
        }
    }
    double skew = 0;
    if (b.p.z && b.p.orthogonality) skew = skew_of(at, team, n, first, count, wanted ? place : -1);
    if (!live) return;
    if (scale == NOT_FINITE) return store_not_finite<real>(b, matrix, team);
    if (b.p.z) store_columns(at, team, n, first, count, b.p.ldz, (real *)b.p.z + matrix * b.stride_z);
    if (rank > 0) return;
    if (b.p.z && b.p.orthogonality) ((real *)b.p.orthogonality)[matrix] = (real)skew;
    if (b.p.m) b.p.m[matrix] = count;
    if (bad) b.bad[matrix] = 1, atomicAdd(&b.counts->bad, 1);
}

/* ---------------------------------------------------------------------- QL */

/* Blocks on a multiprocessor: more would cost the registers that the rest of the kernel takes. */
template <typename real, int N>
constexpr int rotate_blocks =
    heev_shape<number_of<real, false>, N>::blocks < 7 ? heev_shape<number_of<real, false>, N>::blocks : 7;

template <typename real, int N>
static __global__ void __launch_bounds__(THREADS, rotate_blocks<real, N>) rotate_kernel(stemr_batch_part b)
{
    constexpr int lanes = heev_shape<number_of<real, false>, N>::lanes, teams = THREADS / lanes, pitch = N + 1;
    static_assert((size_t)(2 * N + 4 + lanes) * 8 <= batch_place<real>::head_bytes(N), "no room to iterate anew");
    extern __shared__ double2 batch_memory[];
    lane_team<lanes> const team(threadIdx.x % 32);
    const heev_job &job = b.ql;
    int const n = (int)b.p.n, rank = team.rank, in_block = threadIdx.x / lanes;
    char *const memory = (char *)batch_memory + in_block * batch_place<real>::bytes(N, pitch);
    batch_place<real> const at(memory, N, pitch);
    int64_t const matrix = (int64_t)blockIdx.x * teams + in_block;
    bool const live = matrix < b.count;
    const real *const d = (const real *)job.d + matrix * n, *const e = (const real *)job.e + matrix * n;
    {
        real z[N];
        int const one = ql_row(live && ql_reverses(n, d, e), n, rank);
#pragma unroll
        for (int k = 0; k < N; ++k) z[k] = k == one;
        rotate_row<real, N>(job, matrix, live, team, (pair_of<real> *)at.z, z);
#pragma unroll
        for (int k = 0; k < N; ++k)
            if (rank < N) at.z[rank * pitch + k] = z[k] + 0; /* +0 for -0, as in heev_vectors.cu */
    }
    bool const slow = live && job.sweep_count[matrix] < 0;
    if (__any_sync(team.all, slow)) {
        real *const again = (real *)memory;
        rotate_slowly<real, N>(d, e, n, job.p.max_sweeps, slow, team, (ql_note<real> *)(at.a + 2 * N + 4), again, at.z);
    }
    __syncwarp(); /* Z is there */
    int place = 0;
    real x = 0;
    if (live && rank < n) place = job.order[matrix * n + rank], x = ((const real *)job.p.w)[matrix * n + place];
    finish(b, matrix, live, team, at, place, (double)x);
}

template <typename real, int N>
static eig_status launch_rotate(eig_context *ctx, const stemr_batch_part &b, cudaStream_t stream)
{
    constexpr int teams = THREADS / heev_shape<number_of<real, false>, N>::lanes;
    return cuda_launch(ctx, "stemr: rotate_kernel", stream,
                       {(b.count + teams - 1) / teams, THREADS, teams * batch_place<real>::bytes(N, N + 1)},
                       rotate_kernel<real, N>, b);
}

template <typename real> static eig_status enqueue_ql(eig_context *ctx, const stemr_batch_part &b, cudaStream_t stream)
{
    eig_status const status = eig_cuda_heev_ql(ctx, b.ql, stream);
    if (status != EIG_OK) return status;
    return b.p.n <= 8    ? launch_rotate<real, 8>(ctx, b, stream)
           : b.p.n <= 16 ? launch_rotate<real, 16>(ctx, b, stream)
           : b.p.n <= 24 ? launch_rotate<real, 24>(ctx, b, stream)
                         : launch_rotate<real, 32>(ctx, b, stream);
}

/* -------------------------------------------------------- divide and conquer */

/* Column k of Z from from + k*n on to column k of the place. */
template <typename real, typename team_type>
static __device__ __forceinline__ void fetch_columns(const batch_place<real> &at, const team_type &team, int n,
                                                     const real *from)
{
    enum { AT_ONCE = 8 };
    int const down = team.size % n, across = team.size / n;
    int i = team.rank % n, k = team.rank / n;
    for (int first = team.rank; first < n * n; first += AT_ONCE * team.size) {
        real x[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; ++j)
            if (first + j * team.size < n * n) x[j] = from[first + j * team.size];
#pragma unroll
        for (int j = 0; j < AT_ONCE; ++j) {
            if (first + j * team.size < n * n) at.z[i * at.pitch + k] = x[j];
            i += down, k += across;
            if (i >= n) i -= n, ++k;
        }
    }
}

template <typename real> static __global__ void __launch_bounds__(MOST_ROWS) finish_kernel(stemr_batch_part b)
{
    __shared__ double space[MOST_ROWS / 32];
    extern __shared__ double2 batch_memory[];
    int const n = (int)b.p.n, rank = threadIdx.x;
    int64_t const matrix = blockIdx.x;
    block_team<MOST_ROWS> const team = {rank, space};
    batch_place<real> const at(batch_memory, n, n | 1);
    fetch_columns(at, team, n, (const real *)b.t.z + matrix * n * n);
    double const x = rank < n ? (double)((const real *)b.t.d)[matrix * n + rank] : 0;
    finish(b, matrix, true, team, at, rank, x);
}

template <typename real>
static eig_status enqueue_divide(eig_context *ctx, const stemr_batch_part &b, cudaStream_t stream)
{
    int const n = (int)b.p.n;
    eig_status const status = eig_cuda_heev_divide(ctx, b.t, stream);
    if (status != EIG_OK) return status;
    return cuda_launch(ctx, "stemr: finish_kernel", stream, {b.count, MOST_ROWS, batch_place<real>::bytes(n, n | 1)},
                       finish_kernel<real>, b);
}

/* ------------------------------------------------------------------ launchers */

template <typename real> static eig_status solve_part(eig_context *ctx, const stemr_batch_part &b, cudaStream_t stream)
{
    int64_t const matrices = THREADS / 32;
    eig_status const status = cuda_launch(ctx, "stemr: load_kernel", stream,
                                          {(b.count + matrices - 1) / matrices, THREADS}, load_kernel<real>, b);
    if (status != EIG_OK) return status;
    return b.p.n <= HEEV_WARP ? enqueue_ql<real>(ctx, b, stream) : enqueue_divide<real>(ctx, b, stream);
}

eig_status eig_cuda_stemr_batch_part(eig_context *ctx, const stemr_batch_part &b, cudaStream_t stream)
{
    return b.p.type == EIG_S ? solve_part<float>(ctx, b, stream) : solve_part<double>(ctx, b, stream);
}
