/* geev on CUDA: looks at all results of a slice before their info may be 0, and lists what is doubtful (geev_certify.cuh says what
 * is asked; geev_second.cu solves it again).
 *
 *   certify_small     n <= 32: P lanes a matrix, which lies in shared memory; a lane a vector
 *   certify_largest, certify_sums, certify_values   larger n: the largest entry, traces and norm by one or more blocks a matrix,
 *                     and what they say of the eigenvalues
 *   certify_vectors   larger n: a block for 32 vectors: A V - V diag(w) in tiles
 *
 * Cost     one pass over A and V: n^2 numbers, and 2 n^3 multiplications a side beside the 20 to 30 n^3 of the vectors. */
#include "geev_certify.cuh"

enum {
    CERTIFY_THREADS = 128,
    SUMS_THREADS = 256,
    CERTIFY_WORDS = 5, /* of a block's sums: ||A||^2, the traces of A and of A^2 */
    TILE_ROWS = 64,
    TILE_COLUMNS = 32,
    TILE_DEPTH = 16
};

extern __shared__ __align__(16) char certify_memory[];

/* ----------------------------------------------------------------- small matrices */

/* Whether this lane's vector is good.  a: [n][ld], scaled; w: too. */
template <int N>
static __device__ __forceinline__ bool certify_column(const entry *a, int n, int ld, const complex *column, complex w,
                                                      bool left, real bound)
{
    complex v[N];
    real size = 0, sum = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        v[i] = i < n ? load_number(column + i) : complex{0, 0};
        size = square_add(v[i], size);
    }
    w = complex{-w.re, left ? w.im : -w.im};
    for (int i = 0; i < n; ++i) {
        complex r = product(w, load_number(column + i));
#pragma unroll
        for (int j = 0; j < N; ++j) {
            if (j >= n) break;
            entry const x = left ? conj(a[j * ld + i]) : a[i * ld + j];
            add_to(&r, x, v[j]);
        }
        sum = square_add(r, sum);
    }
    return certifies_length(n, size) && sum <= bound;
}

/* P lanes a matrix of order P at most. */
template <int P> static __global__ void __launch_bounds__(CERTIFY_THREADS) certify_small(geev_slice slice)
{
    lane_team<P> const team(threadIdx.x % 32);
    const geev_problem &p = slice.p;
    int const n = (int)p.n, ld = n | 1, k = team.rank;
    int64_t const at = ((int64_t)blockIdx.x * CERTIFY_THREADS + threadIdx.x) / P;
    int64_t const b = slice.first + (at < slice.count ? at : 0);
    entry *const a = (entry *)certify_memory + threadIdx.x / P * (n * ld);
    bool const asks = at < slice.count && !(p.info && p.info[b] != EIG_INFO_OK), mine = asks && k < n;
    real most = 0;
    bool finite = true;
    for (int j = 0; mine && j < n; ++j) {
        entry const x = geev_entry<entry>(p, b, k, j);
        a[k * ld + j] = x, most = fmax(most, larger_part(x)), finite = finite && is_finite(x);
    }
    bool const lives = !team.any(!finite) && asks, owns = lives && k < n;
    real const unit = unit_of(team.max(most));
    for (int j = 0; owns && j < n; ++j) a[k * ld + j] = scaled(unit, a[k * ld + j]);
    team.sync(); /* the matrix is there */
    complex const w = owns ? scaled(unit, stored_value(p, b, k)) : complex{0, 0};
    real norm = 0;
    complex sum = w, square = product(w, w);
    for (int j = 0; owns && j < n; ++j) {
        entry const x = a[k * ld + j];
        norm = square_add(x, norm);
        square = difference(square, as_complex(product(x, a[j * ld + k])));
    }
    if (owns) sum = difference(sum, as_complex(a[k * ld + k]));
    certificate_scale const scale = {sqrt((double)team.sum(norm)), unit};
    complex_of<double> const off = {team.sum(sum.re), team.sum(sum.im)},
                             off2 = {team.sum(square.re), team.sum(square.im)};
    bool const values = certifies_values(n, scale, off, off2);
    bool good = true;
    for (int side = 0; p.vectors && side < 2; ++side) {
        const complex *const column = stored_vector(p, b, owns ? k : 0, side == 0);
        if (column && owns)
            good =
                certify_column<P>(a, n, ld, column, w, side == 0, (real)scale.residual_bound(n, CERTIFY_LOOK)) && good;
    }
    good = !team.any(!good);
    if (lives && k == 0 && !(values && good)) list_doubtful(slice, b, !values);
}

/* ----------------------------------------------------------------- larger matrices */

/* Columns from, ..., end - 1 of this block's share. */
static __device__ __forceinline__ void share_of(int n, int parts, int part, int *from, int *end)
{
    int const each = (n + parts - 1) / parts;
    *from = part * each < n ? part * each : n, *end = *from + each < n ? *from + each : n;
}

/* The largest entry of these columns; infinite where one is not finite. */
static __device__ real largest_of(block_team<SUMS_THREADS> team, const geev_problem &p, int64_t b, int from, int end)
{
    real most = 0;
    for (int j = from + team.rank / 32; j < end; j += SUMS_THREADS / 32)
        for (int i = team.rank % 32; i < (int)p.n; i += 32) {
            entry const x = geev_entry<entry>(p, b, i, j);
            most = is_finite(x) ? fmax(most, larger_part(x)) : (real)INFINITY;
        }
    return team.max(most);
}

static __global__ void __launch_bounds__(SUMS_THREADS) certify_largest(geev_slice slice)
{
    __shared__ double space[SUMS_THREADS / 32];
    block_team<SUMS_THREADS> const team = {(int)threadIdx.x, space};
    int64_t const at = blockIdx.x / slice.parts;
    int from, end;
    share_of((int)slice.p.n, slice.parts, (int)(blockIdx.x % slice.parts), &from, &end);
    double const most = largest_of(team, slice.p, slice.first + at, from, end);
    if (team.rank == 0) atomicMax(&slice.certificates[at].most, (unsigned long long)__double_as_longlong(most));
}

/* What these sums say of matrix `at` and its eigenvalues. */
static __device__ void judge_values(block_team<SUMS_THREADS> team, const geev_slice &slice, int64_t at, double unit,
                                    const double *sums)
{
    const geev_problem &p = slice.p;
    int64_t const b = slice.first + at;
    complex_of<double> sum = {0, 0}, square = {0, 0};
    for (int k = team.rank; k < (int)p.n; k += SUMS_THREADS) {
        complex const w = stored_value(p, b, k);
        double const re = unit * w.re, im = unit * w.im;
        sum = {sum.re + re, sum.im + im};
        square = {square.re + (re * re - im * im), square.im + 2 * re * im};
    }
    sum = {team.sum(sum.re) - sums[1], team.sum(sum.im) - sums[2]};
    square = {team.sum(square.re) - sums[3], team.sum(square.im) - sums[4]};
    if (team.rank != 0) return;
    certificate_scale const scale = {sqrt(sums[0]), unit};
    geev_certificate &c = slice.certificates[at];
    bool const asks = unit > 0 && !(p.info && p.info[b] != EIG_INFO_OK);
    c.norm = scale.norm, c.unit = unit, c.listed = 1;
    if (!asks) return;
    if (!certifies_values((int)p.n, scale, sum, square))
        list_doubtful(slice, b, true);
    else
        c.listed = 0;
}

static __global__ void __launch_bounds__(SUMS_THREADS) certify_sums(geev_slice slice)
{
    __shared__ double space[SUMS_THREADS / 32];
    block_team<SUMS_THREADS> const team = {(int)threadIdx.x, space};
    const geev_problem &p = slice.p;
    int const n = (int)p.n, part = (int)(blockIdx.x % slice.parts);
    int64_t const at = blockIdx.x / slice.parts, b = slice.first + at;
    int from, end;
    share_of(n, slice.parts, part, &from, &end);
    real const most = slice.parts == 1 ? largest_of(team, p, b, from, end)
                                       : (real)__longlong_as_double((long long)slice.certificates[at].most);
    double const unit = most < (real)INFINITY ? (double)unit_of(most) : 0.0;
    double sums[CERTIFY_WORDS] = {0};
    for (int j = from + team.rank / 32; j < end && unit > 0; j += SUMS_THREADS / 32)
        for (int i = team.rank % 32; i < n; i += 32) {
            entry const x = geev_entry<entry>(p, b, i, j), y = geev_entry<entry>(p, b, j, i);
            complex_of<double> const s = {unit * real_part(x), unit * imaginary(x)},
                                     t = {unit * real_part(y), unit * imaginary(y)};
            sums[0] = square_add(s, sums[0]);
            if (i == j) sums[1] += s.re, sums[2] += s.im;
            sums[3] = fma(s.re, t.re, fma(-s.im, t.im, sums[3])), sums[4] = fma(s.re, t.im, fma(s.im, t.re, sums[4]));
        }
    for (double &x : sums) x = team.sum(x);
    if (slice.parts == 1) {
        judge_values(team, slice, at, unit, sums);
    } else if (team.rank < CERTIFY_WORDS) {
        double mine = 0;
        for (int k = 0; k < CERTIFY_WORDS; ++k) mine = team.rank == k ? sums[k] : mine;
        slice.partials[(at * slice.parts + part) * CERTIFY_WORDS + team.rank] = mine;
    }
}

static __global__ void __launch_bounds__(SUMS_THREADS) certify_values(geev_slice slice)
{
    __shared__ double space[SUMS_THREADS / 32];
    block_team<SUMS_THREADS> const team = {(int)threadIdx.x, space};
    int64_t const at = blockIdx.x;
    double const most = __longlong_as_double((long long)slice.certificates[at].most);
    double sums[CERTIFY_WORDS] = {0};
    for (int part = 0; part < slice.parts; ++part)
        for (int k = 0; k < CERTIFY_WORDS; ++k)
            sums[k] += slice.partials[(at * slice.parts + part) * CERTIFY_WORDS + k];
    judge_values(team, slice, at, most < (double)INFINITY ? (double)unit_of((real)most) : 0.0, sums);
}

/* 32 vectors of a matrix: of tiles of 64 rows a thread has four rows and two columns. */
static __global__ void __launch_bounds__(SUMS_THREADS) certify_vectors(geev_slice slice, int columns)
{
    __shared__ entry tile[TILE_DEPTH][TILE_ROWS + 1];
    __shared__ complex vectors[TILE_DEPTH][TILE_COLUMNS + 1];
    __shared__ real partial[2][16][TILE_COLUMNS];
    const geev_problem &p = slice.p;
    int const n = (int)p.n, tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    int64_t const at = blockIdx.x / (2 * columns), b = slice.first + at;
    bool const left = blockIdx.x / columns % 2 == 0;
    int const first = (int)(blockIdx.x % columns) * TILE_COLUMNS;
    geev_certificate &c = slice.certificates[at];
    if (!stored_vector(p, b, 0, left)) return;
    if (__syncthreads_or(threadIdx.x == 0 && *(volatile int *)&c.listed != 0))
        return; /* other blocks may list it meanwhile */
    real const unit = (real)c.unit;
    complex w[2];
    real size[2] = {0, 0}, sum[2] = {0, 0};
    int k[2];
    for (int u = 0; u < 2; ++u) {
        k[u] = first + tx + 16 * u < n ? first + tx + 16 * u : n - 1;
        w[u] = scaled(-unit, stored_value(p, b, k[u]));
        if (left) w[u] = conj(w[u]);
    }
    for (int top = 0; top < n; top += TILE_ROWS) {
        complex r[4][2];
        for (int u = 0; u < 2; ++u)
            for (int s = 0; s < 4; ++s) {
                int const i = top + ty + 16 * s;
                complex const v = i < n ? load_number(stored_vector(p, b, k[u], left) + i) : complex{0, 0};
                size[u] = square_add(v, size[u]), r[s][u] = product(w[u], v);
            }
        for (int from = 0; from < n; from += TILE_DEPTH) {
            __syncthreads(); /* the tiles are free */
            for (int e = threadIdx.x; e < TILE_DEPTH * TILE_ROWS; e += SUMS_THREADS) {
                int const d = left ? e % TILE_DEPTH : e / TILE_ROWS, i = left ? e / TILE_DEPTH : e % TILE_ROWS;
                bool const inside = from + d < n && top + i < n;
                entry x = entry_of<entry>((real)0);
                if (inside)
                    x = left ? geev_entry<entry>(p, b, from + d, top + i) : geev_entry<entry>(p, b, top + i, from + d);
                tile[d][i] = scaled(unit, left ? conj(x) : x);
            }
            for (int e = threadIdx.x; e < TILE_DEPTH * TILE_COLUMNS; e += SUMS_THREADS) {
                int const d = e % TILE_DEPTH, j = e / TILE_DEPTH;
                bool const inside = from + d < n && first + j < n;
                vectors[d][j] = inside ? load_number(stored_vector(p, b, first + j, left) + from + d) : complex{0, 0};
            }
            __syncthreads(); /* the tiles are there */
#pragma unroll 4
            for (int d = 0; d < TILE_DEPTH; ++d) {
                complex const v0 = vectors[d][tx], v1 = vectors[d][tx + 16];
#pragma unroll
                for (int s = 0; s < 4; ++s) {
                    entry const x = tile[d][ty + 16 * s];
                    add_to(&r[s][0], x, v0), add_to(&r[s][1], x, v1);
                }
            }
        }
        for (int u = 0; u < 2; ++u)
            for (int s = 0; s < 4; ++s)
                if (top + ty + 16 * s < n) sum[u] = square_add(r[s][u], sum[u]);
    }
    for (int u = 0; u < 2; ++u) partial[0][ty][tx + 16 * u] = size[u], partial[1][ty][tx + 16 * u] = sum[u];
    __syncthreads(); /* the sums are there */
    if (threadIdx.x >= TILE_COLUMNS || first + (int)threadIdx.x >= n) return;
    real all[2] = {0, 0};
    for (int q = 0; q < 2; ++q)
        for (int row = 0; row < 16; ++row) all[q] += partial[q][row][threadIdx.x];
    certificate_scale const scale = {c.norm, c.unit};
    if (certifies_length(n, all[0]) && all[1] <= (real)scale.residual_bound(n, CERTIFY_LOOK)) return;
    if (atomicExch(&c.listed, 1) == 0) list_doubtful(slice, b, false);
}

/* ----------------------------------------------------------------------- launchers */

template <int P> static eig_status launch_small(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    int64_t const n = slice.p.n, teams = CERTIFY_THREADS / P;
    return cuda_launch(
        ctx, "geev: certify_small", stream,
        {(slice.count + teams - 1) / teams, CERTIFY_THREADS, (size_t)(teams * n * (n | 1)) * sizeof(entry)},
        certify_small<P>, slice);
}

eig_status TYPED(eig_cuda_geev_certify)(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    int64_t const n = slice.p.n, blocks = slice.count * slice.parts;
    if (n <= 4) return launch_small<4>(ctx, slice, stream);
    if (n <= 8) return launch_small<8>(ctx, slice, stream);
    if (n <= 16) return launch_small<16>(ctx, slice, stream);
    if (n <= GEEV_CERTIFY_SMALL) return launch_small<32>(ctx, slice, stream);
    eig_status status = EIG_OK;
    if (slice.parts > 1) {
        CUDA_TRY(cudaMemsetAsync(slice.certificates, 0, (size_t)slice.count * sizeof *slice.certificates, stream));
        status = cuda_launch(ctx, "geev: certify_largest", stream, {blocks, SUMS_THREADS}, certify_largest, slice);
    }
    if (status == EIG_OK)
        status = cuda_launch(ctx, "geev: certify_sums", stream, {blocks, SUMS_THREADS}, certify_sums, slice);
    if (status == EIG_OK && slice.parts > 1)
        status = cuda_launch(ctx, "geev: certify_values", stream, {slice.count, SUMS_THREADS}, certify_values, slice);
    if (status != EIG_OK || !(slice.p.vl || slice.p.vr)) return status;
    int const columns = (int)((n + TILE_COLUMNS - 1) / TILE_COLUMNS);
    return cuda_launch(ctx, "geev: certify_vectors", stream, {2 * slice.count * columns, SUMS_THREADS}, certify_vectors,
                       slice, columns);
}
