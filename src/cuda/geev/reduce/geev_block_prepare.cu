/* geev on CUDA, road `block`: from the caller's matrices to packed Hessenberg matrices, a thread block a matrix.
 *
 * Memory   the matrix lies in shared memory, row by row, in rows of odd length: threads of neighbouring rows read
 *          different banks, as do those of neighbouring columns.
 * Step     one warp makes the reflector u of a column; then y = A u and w = A' u, two threads a sum; then
 *          A := A - u w' - z u', z = y - (tau u'y) u, where y and w have the factor tau.  Three barriers.
 * Cost     10 n^3/3 flops; the matrix is read twice and written once from shared memory in each of n - 2 steps: that
 *          bounds it. */
#include "geev/geev_reflector.cuh"
#include "geev/reduce/geev_form.cuh"
#include "geev/reduce/geev_turn.cuh"
#include "per_type.cuh"
#include "primitives/team.cuh"

extern __shared__ __align__(16) char block_memory[];

/* What the threads of a block share besides the matrix: three vectors of n numbers each, and scalars. */
struct block_vectors {
    real *u, *y, *w;
    real *tau, *beta;
};

/* The matrix from any layout, into h. */
template <typename team_type>
static __device__ void gather(team_type team, const geev_problem &p, int64_t b, geev_view<real> h)
{
    bool const by_rows = geev_lies_by_rows(p);
    for (int e = team.rank; e < h.n * h.n; e += team_type::size) {
        int const outer = e / h.n, inner = e % h.n, i = by_rows ? outer : inner, j = by_rows ? inner : outer;
        h(i, j) = geev_entry<real>(p, b, i, j);
    }
    team.sync();
}

/* Whether balancing has anything to do: a thread takes the norms of a row and a column. */
template <typename team_type> static __device__ bool wants_balance(team_type team, geev_view<real> h, int lo, int hi)
{
    bool wants = false;
    for (int i = lo + team.rank; i <= hi; i += team_type::size) {
        real column = 0, row = 0, column_most = 0, row_most = 0;
        for (int k = lo; k <= hi; ++k) {
            real const x = fabs(h(k, i)), y = fabs(h(i, k));
            column_most = fmax(column_most, x), row_most = fmax(row_most, y);
            column = fma(x, x, column), row = fma(y, y, row);
        }
        bool const tiny = column_most < real_limits<real>::square_safe || row_most < real_limits<real>::square_safe;
        wants |= tiny || balance_factor(sqrt(column), sqrt(row), column_most, row_most, (real)1) != 1;
    }
    return team.any(wants);
}

/* Sums y[r] = tau A[r][.] u and w[c] = tau u' A[.][c] over rows and columns from..hi; half a warp's lanes take 16 of
 * them, the other half the second halves of the same sums. */
template <typename team_type>
static __device__ __forceinline__ void both_products(team_type team, geev_view<real> h, int top, int hi, int right,
                                                     int from, const block_vectors &v)
{
    int const lane = team.rank % 32, rows = hi - top + 1, length = hi - from + 1, items = rows + right - from + 1;
    int const half = (length + 1) / 2, begin = lane < 16 ? 0 : half, end = lane < 16 ? half : length;
    for (int at = team.rank / 32 * 16; at < items; at += team_type::size / 2) {
        int const item = at + lane % 16;
        bool const is_row = item < rows, acts = item < items;
        const real *const p = is_row ? &h(top + item, from) : &h(from, acts ? from + item - rows : from);
        int const step = is_row ? 1 : h.row;
        const real *const u = v.u + from;
        real s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        int m = begin;
        for (; m + 4 <= end; m += 4) {
            s0 = fma(u[m], p[m * step], s0), s1 = fma(u[m + 1], p[(m + 1) * step], s1);
            s2 = fma(u[m + 2], p[(m + 2) * step], s2), s3 = fma(u[m + 3], p[(m + 3) * step], s3);
        }
        for (; m < end; ++m) s0 = fma(u[m], p[m * step], s0);
        real sum = (s0 + s1) + (s2 + s3);
        sum += __shfl_xor_sync(0xffffffffu, sum, 16);
        if (acts && lane < 16) (is_row ? v.y[top + item] : v.w[from + item - rows]) = *v.tau * sum;
    }
}

/* A := A - u w' - z u' for rows lo..hi, columns from..hi; a warp takes rows, its lanes columns. */
template <typename team_type>
static __device__ __forceinline__ void both_updates(team_type team, geev_view<real> h, int top, int hi, int right,
                                                    int from, const block_vectors &v)
{
    lane_team<32> const warp(team.rank % 32);
    real gamma = 0;
    for (int r = from + warp.rank; r <= hi; r += 32) gamma = fma(v.u[r], v.y[r], gamma);
    gamma = *v.tau * warp.sum(gamma);
    for (int c = from + warp.rank; c <= right; c += 32) {
        real const uc = v.u[c], wc = v.w[c];
#pragma unroll 4
        for (int r = top + team.rank / 32; r <= hi; r += team_type::size / 32) {
            real const ur = r < from ? (real)0 : v.u[r], z = fma(-gamma, ur, v.y[r]);
            h(r, c) = fma(-ur, wc, fma(-z, uc, h(r, c)));
        }
    }
}

/* A := Q' A Q, upper Hessenberg in rows and columns lo..hi.  factors: NULL, or all rows and columns follow, tau of each
 * reflector goes there, and its u, without the first entry 1, stays below the subdiagonal. */
template <typename team_type>
static __device__ void reduce(team_type team, geev_view<real> h, int lo, int hi, const block_vectors &v,
                              real *factors = NULL)
{
    int const top = factors ? 0 : lo, right = factors ? h.n - 1 : hi;
    for (int c = hi + 1 + team.rank; c <= right; c += team_type::size) v.u[c] = 0;
    for (int k = lo; k < hi - 1; ++k) {
        if (team.rank < 32) {
            real beta;
            real const tau = make_reflector(lane_team<32>(team.rank), &h(k + 1, k), h.row, hi - k, v.u + k + 1, &beta);
            if (team.rank == 0) *v.tau = tau, *v.beta = beta;
        }
        team.sync(); /* the reflector is there */
        if (team.rank == 0) h(k + 1, k) = *v.beta;
        for (int r = k + 2 + team.rank; factors && r <= hi; r += team_type::size)
            h(r, k) = *v.tau == 0 ? (real)0 : v.u[r];
        if (factors && team.rank == 0) factors[k] = *v.tau;
        if (*v.tau == 0) {
            team.sync();
            continue;
        }
        both_products(team, h, top, hi, right, k + 1, v);
        team.sync();
        both_updates(team, h, top, hi, right, k + 1, v);
        team.sync();
    }
}

/* The upper Hessenberg part, packed row by row. */
template <typename team_type> static __device__ void pack(team_type team, geev_view<real> h, real *to)
{
    for (int r = team.rank / 32; r < h.n; r += team_type::size / 32) {
        int const from = r > 0 ? r - 1 : 0;
        int64_t const at = (int64_t)r * h.n - (int64_t)r * (r - 1) / 2 + (r > 0 ? r - 1 : 0) - from;
        for (int c = from + team.rank % 32; c < h.n; c += 32) to[at + c] = h(r, c);
    }
}

static __device__ bool all_finite(const geev_view<real> &h, int rank, int size)
{
    bool finite = true;
    for (int e = rank; e < h.n * h.n; e += size) finite = finite && fabs(h(e / h.n, e % h.n)) < (real)INFINITY;
    return finite;
}

/* A block's matrix in shared memory, the vectors behind it, and its team. */
template <int N> struct block_matrix {
    using team_type = block_team<N>;
    team_type team;
    geev_view<real> h;
    block_vectors v;

    /* space: [N/32]; scalars: [2]; in shared memory */
    __device__ __forceinline__ block_matrix(int n, double *space, real *scalars)
        : team{(int)threadIdx.x, space}, h{(real *)block_memory, n, n | 1, 1}
    {
        real *const vectors = h.base + (int64_t)n * h.row;
        v = {vectors, vectors + n, vectors + 2 * n, scalars, scalars + 1};
    }
    /* Balances rows and columns lo..hi of a normalised matrix, turns it, and reduces them.  origin, factors: NULL, or
     * vectors are wanted. */
    __device__ __forceinline__ void condition(geev_record *record, bool balances, real *scale, int *origin,
                                              real *factors)
    {
        if (balances && wants_balance(team, h, record->lo, record->hi)) balance(team, h, record->lo, record->hi, scale);
        turn(team, h, record, origin, origin ? scale : NULL);
        reduce(team, h, record->lo, record->hi, v, factors);
    }
};

template <int N> static __global__ void __launch_bounds__(N) block_prepare_kernel(geev_slice slice)
{
    __shared__ double space[N / 32];
    __shared__ real scalars[2];
    int const n = (int)slice.p.n;
    int64_t const at = blockIdx.x;
    block_matrix<N> a(n, space, scalars);
    gather(a.team, slice.p, slice.first + at, a.h);
    geev_record record = {1, 0, n - 1, 0, 0, 0};
    bool const finite = !a.team.any(!all_finite(a.h, a.team.rank, N));
    if (slice.p.balance && finite) isolate(a.team, a.h, &record.lo, &record.hi); /* it drops entries, a NaN too */
    normalise(a.team, a.h, &record);
    if (record.info == 0) a.condition(&record, slice.p.balance, a.v.u, NULL, NULL);
    pack(a.team, a.h, (real *)slice.packed + at * ((int64_t)n * (n + 1) / 2 + n - 1));
    if (a.team.rank == 0) slice.records[at] = record;
}

/* The same for vectors: all of the matrix follows, and the reflectors are kept (geev_large_vectors.cu). */
template <int N> static __global__ void __launch_bounds__(N) block_form_kernel(geev_slice slice)
{
    __shared__ double space[N / 32];
    __shared__ real scalars[2];
    int const n = (int)slice.p.n;
    int64_t const at = blockIdx.x;
    block_matrix<N> a(n, space, scalars);
    large_form<real> const form = place_form<real>(slice, at);
    begin_form(a.team, form, n);
    gather(a.team, slice.p, slice.first + at, a.h);
    geev_record record = {1, 0, n - 1, 0, 0, 0};
    normalise(a.team, a.h, &record); /* the whole matrix: vectors need its isolated parts to the same scale */
    if (record.info == 0) {
        if (slice.p.balance) isolate(a.team, a.h, &record.lo, &record.hi, form.origin);
        a.condition(&record, slice.p.balance, form.scale, form.origin, form.factors);
    }
    for (int e = a.team.rank; e < n * n; e += N) form.h[e] = a.h(e / n, e % n);
    if (a.team.rank == 0) slice.reduced[at].record = record;
}

/* A block a matrix, with more threads for larger ones. */
static eig_status launch_block(eig_context *ctx, const char *name, const geev_slice &slice, cudaStream_t stream,
                               void (*few)(geev_slice), void (*many)(geev_slice))
{
    int const threads = slice.p.n <= 96 ? 256 : 512;
    return cuda_launch(ctx, name, stream, {slice.count, threads, geev_block_bytes(&slice.p)},
                       threads == 256 ? few : many, slice);
}

eig_status TYPED(eig_cuda_geev_block_form)(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    return launch_block(ctx, "geev: block_form_kernel", slice, stream, block_form_kernel<256>, block_form_kernel<512>);
}

eig_status TYPED(eig_cuda_geev_block_prepare)(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    return launch_block(ctx, "geev: block_prepare_kernel", slice, stream, block_prepare_kernel<256>,
                        block_prepare_kernel<512>);
}
