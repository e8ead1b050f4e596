/* geev on CUDA: looks at the results of a slice before their info may be 0, and lists what is doubtful
 * (geev_certify.cuh says what is asked; geev_second.cu solves it again).
 *
 *   look_small        n <= 32: the eigenvalues of all matrices, P lanes each, by traces and norm, and all vectors by
 *                     one x; the matrix lies in shared memory
 *   sums, values      larger n: eigenvalues by one or more blocks a matrix: sums, and what they say
 *   forms             larger n: all vectors of one side of a matrix by one x, a block each
 *   vectors_small     n <= 32: vectors of the matrices that are noted as spread, one by one, a lane each
 *   vectors_large     larger n: A V - V diag(w) in tiles, a block for 32 vectors
 *
 * By x     x^H (A v - w v) = (x^H A - w x^H) v for the probe x, which looks random (primitives/probe.cuh): n operations
 *          a vector.  A residual that is no good passes by a rare chance.  Left vectors are right ones of A^H.
 * Cost     one pass over A and the vectors, n^2 numbers each; roads that certify their eigenvalues themselves and have
 *          no vectors do without.  One by one: 2 n^3 multiplications a side of a spread matrix. */
#include "geev/geev_results.cuh"
#include "primitives/probe.cuh"

enum { SMALL_THREADS = 128, SMALL_BLOCKS = 6, SUMS_THREADS = 256, FORMS_BLOCKS = 3 };
enum { BLOCK = 32, TILE_ROWS = 64, TILE_COLUMNS = 32, TILE_DEPTH = 16 };
enum { EACH = 4 }; /* vectors that a lane is busy with at a time */

extern __shared__ __align__(16) char certify_memory[];

/* ------------------------------------------------------------------- eigenvalues, n <= 32 */

/* A in shared memory, column by column, ld apart, a lane a row or, where A lies by rows, a column; the largest part,
 * infinite where one is not finite. */
template <int P>
static __device__ __forceinline__ real load_small(lane_team<P> team, const geev_problem &p, int64_t b, entry *a, int n,
                                                  int ld, bool lives)
{
    enum { TOGETHER = 8 };
    geev_apart<entry> const apart(p, b);
    bool const by_rows = geev_lies_by_rows(p);
    int const own = team.rank;
    real most = 0;
    for (int from = 0; lives && own < n && from < n; from += TOGETHER) {
        entry x[TOGETHER];
#pragma unroll
        for (int c = 0; c < TOGETHER; ++c) {
            int const other = from + c < n ? from + c : n - 1, i = by_rows ? other : own, j = by_rows ? own : other;
            x[c] = apart.serves ? geev_load(apart.from + (i * apart.si + j * apart.sj)) : geev_entry<entry>(p, b, i, j);
        }
#pragma unroll
        for (int c = 0; c < TOGETHER; ++c) {
            if (from + c < n) a[by_rows ? own * ld + from + c : (from + c) * ld + own] = x[c];
            most = is_finite(x[c]) ? fmax(most, larger_part(x[c])) : (real)INFINITY;
        }
    }
    return team.max(most);
}

/* Whether the sums of eigenvalues are those of A, which lies in shared memory; *scale: of A.  lives: A is finite. */
template <int P>
static __device__ __forceinline__ bool certify_small(lane_team<P> team, const geev_problem &p, int64_t b,
                                                     const entry *a, int n, int ld, real unit, bool lives,
                                                     scale_type *scale)
{
    real norm = 0;
    complex sum = {0, 0}, square = {0, 0};
    int const k = team.rank;
    if (lives && k < n) {
        complex const w = scaled(unit, stored_value(p, b, k));
        sum = difference(w, as_complex(scaled(unit, a[k * ld + k]))), square = product(w, w);
#pragma unroll 4
        for (int j = 0; j < n; ++j) {
            entry const x = scaled(unit, a[j * ld + k]), y = scaled(unit, a[k * ld + j]);
            norm = square_add(x, norm), square = difference(square, as_complex(product(x, y)));
        }
    }
    *scale = scale_type{sqrt((double)team.sum(norm)), unit};
    complex_of<double> const off = {team.sum(sum.re), number::complex ? team.sum(sum.im) : (real)0},
                             off2 = {team.sum(square.re), number::complex ? team.sum(square.im) : (real)0};
    return scale->certifies(n, off, off2);
}

/* ----------------------------------------------------------------------- vectors, by x */

/* conj(x_k) times what is real or complex. */
template <typename value> static __device__ __forceinline__ value probed(value y, int k)
{
    number const x = probe_at<number>((unsigned)k);
    if constexpr (number::complex)
        return product(conj(x), y);
    else
        return scaled(x.re, y);
}

namespace
{ /* the code differs by type */
/* What is asked of some vectors, of which a lane has the same component: y: that of x^H A. */
template <int N> struct form_sums {
    real size[N], re[N], im[N];

    /* Vectors first, ..., first + N - 1 of the `end` ones of a side, component i. */
    __device__ __forceinline__ void add(const geev_problem &p, int64_t b, bool left, int first, int end, int i,
                                        complex y, real unit)
    {
        complex v[N];
#pragma unroll
        for (int u = 0; u < N; ++u) { /* loaded together */
            v[u] = complex{0, 0};
            if (first + u < end) v[u] = load_number(stored_vector(p, b, first + u, left) + i);
        }
#pragma unroll
        for (int u = 0; u < N; ++u) {
            if (first + u >= end) break;
            complex w = scaled(unit, stored_value(p, b, first + u));
            if (left) w = conj(w);
            complex const s = product(difference(y, probed(w, i)), v[u]);
            size[u] = square_add(v[u], size[u]), re[u] += s.re, im[u] += s.im;
        }
    }
    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int u = 0; u < N; ++u) size[u] = re[u] = im[u] = 0;
    }
    /* Over P lanes: whether the `count` vectors are good; of each lane the answer for one of them. */
    template <int P> __device__ __forceinline__ bool judge(const lane_team<P> &team, int n, int count, real bound)
    {
        real const all = lanes_sum_each<P, N>(size, team.rank), first = lanes_sum_each<P, N>(re, team.rank),
                   second = lanes_sum_each<P, N>(im, team.rank);
        return team.rank % N >= count ||
               (certifies_length(n, all) && square_add(complex{first, second}, (real)0) <= bound);
    }
};
} // namespace

/* Whether the vectors of one side are good, as far as x tells.  a: not scaled; lives: A is finite. */
template <int P>
static __device__ __forceinline__ bool certify_forms(lane_team<P> team, const geev_problem &p, int64_t b,
                                                     const entry *a, int n, int ld, const scale_type &scale, bool left,
                                                     bool lives)
{
    enum { N = P < EACH ? P : EACH };
    int const own = team.rank;
    bool const here = lives && own < n;
    real const unit = (real)scale.unit, bound = (real)scale.residual_bound(n, CERTIFY_FORM);
    entry sum = entry_of<entry>((real)0);
#pragma unroll
    for (int j = 0; j < P; ++j)
        if (here && j < n) {
            entry const x = left ? conj(a[j * ld + own]) : a[own * ld + j];
            sum = total(sum, probed(scaled(unit, x), j));
        }
    complex const y = as_complex(sum);
    bool good = true;
#pragma unroll 1
    for (int first = 0; first < n; first += N) {
        form_sums<N> part;
        part.clear();
        part.add(p, b, left, first, here ? n : 0, own, y, unit);
        good = part.judge(team, n, lives ? n - first : 0, bound) && good;
    }
    return good;
}

/* vectors: there are some. */
template <int P, bool vectors>
static __global__ void __launch_bounds__(SMALL_THREADS, SMALL_BLOCKS) look_small(geev_slice slice)
{
    lane_team<P> const team(threadIdx.x % 32);
    const geev_problem &p = slice.p;
    int const n = (int)p.n, ld = n | 1;
    int64_t const at = ((int64_t)blockIdx.x * SMALL_THREADS + threadIdx.x) / P;
    int64_t const b = slice.first + (at < slice.count ? at : 0);
    entry *const a = (entry *)certify_memory + threadIdx.x / P * (n * ld);
    bool const asks = at < slice.count && has_results(p, b);
    real const most = load_small(team, p, b, a, n, ld, asks);
    bool const lives = asks && most < (real)INFINITY;
    team.sync(); /* the matrix is there */
    scale_type scale;
    bool const values = certify_small(team, p, b, a, n, ld, certificate_unit(most), lives, &scale) || slice.own_values;
    bool good = true;
    if (vectors && p.vr) good = certify_forms(team, p, b, a, n, ld, scale, false, lives) && good;
    if (vectors && p.vl) good = certify_forms(team, p, b, a, n, ld, scale, true, lives) && good;
    good = !team.any(!good) && values;
    if (at >= slice.count || team.rank > 0) return;
    if (vectors) slice.marks[at] = lives && !good;
    if (lives && !good) list_doubtful(slice, b, !values);
}

/* ----------------------------------------------------- vectors one by one, n <= 32 */

/* Whether this lane's vector is good.  a: column by column, scaled; w: scaled. */
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
            add_to(&r, left ? conj(a[i * ld + j]) : a[j * ld + i], v[j]);
        }
        sum = square_add(r, sum);
    }
    return certifies_length(n, size) && sum <= bound;
}

/* P lanes a matrix of order P at most, of those that are noted. */
template <int P> static __global__ void __launch_bounds__(SMALL_THREADS) vectors_small(geev_slice slice)
{
    lane_team<P> const team(threadIdx.x % 32);
    const geev_problem &p = slice.p;
    int const n = (int)p.n, ld = n | 1, k = team.rank;
    int64_t const step = (int64_t)gridDim.x * (SMALL_THREADS / 32) * (32 / P), count = *slice.spreads;
    entry *const a = (entry *)certify_memory + threadIdx.x / P * (n * ld);
    int64_t first = ((int64_t)blockIdx.x * SMALL_THREADS + threadIdx.x) / 32 * (32 / P);
    for (; first < count; first += step) {
        int64_t const at = first + threadIdx.x % 32 / P, m = at < count ? slice.spread[at] : 0, b = slice.first + m;
        bool const asks = at < count && has_results(p, b) && !slice.marks[m];
        team.sync(); /* the memory is free */
        real const most = load_small(team, p, b, a, n, ld, asks), unit = certificate_unit(most);
        bool const lives = asks && most < (real)INFINITY;
        team.sync(); /* the matrix is there */
        scale_type scale;
        certify_small(team, p, b, a, n, ld, unit, lives, &scale);
        bool good = true;
        team.sync(); /* all have read it */
        for (int j = 0; lives && k < n && j < n; ++j) a[j * ld + k] = scaled(unit, a[j * ld + k]);
        team.sync(); /* it is scaled */
        for (int side = 0; side < 2; ++side) {
            const complex *const column = stored_vector(p, b, k < n ? k : 0, side == 0);
            if (!column || !lives || k >= n) continue;
            complex const w = scaled(unit, stored_value(p, b, k));
            good =
                certify_column<P>(a, n, ld, column, w, side == 0, (real)scale.residual_bound(n, CERTIFY_LOOK)) && good;
        }
        good = !team.any(!good);
        if (lives && k == 0 && !good) list_doubtful(slice, b, false);
    }
}

/* ----------------------------------------------------------------- larger matrices */

/* A row of two tiles, one behind the other, in shared memory. */
using tile_row = entry[BLOCK + 1];

/* What is summed up of a matrix, times a power of two: ||A||^2, the traces of A and of A^2; and its largest part. */
struct matrix_sums {
    double square_norm;
    complex_of<double> trace, square;
    real most; /* infinite where an entry is not finite */
};

/* Of this block's share of the tiles of 32 x 32: number `part`, part + parts, ... */
static __device__ __forceinline__ matrix_sums collect(block_team<SUMS_THREADS> team, const geev_problem &p, int64_t b,
                                                      int part, int parts, double unit, tile_row *tile)
{
    geev_apart<entry> const apart(p, b);
    int const n = (int)p.n, tiles = (n + BLOCK - 1) / BLOCK, r = threadIdx.x % 32;
    matrix_sums s = {0, {0, 0}, {0, 0}, 0};
    auto const get = [&](int i, int j) {
        if (i >= n || j >= n) return entry_of<entry>((real)0);
        return apart.serves
                   ? geev_load(apart.from + (i + j * p.lda)) /* A^T where A lies by rows: its sums are those of A */
                   : geev_entry<entry>(p, b, i, j);
    };
    for (int t = part, row = 0; t < tiles * (tiles + 1) / 2; t += parts) {
        while ((row + 1) * (row + 2) / 2 <= t) ++row;
        int const top = row * BLOCK, left = (t - row * (row + 1) / 2) * BLOCK;
        bool const own = top == left;
        entry x[BLOCK * 32 / SUMS_THREADS];
        __syncthreads(); /* the tiles are free */
#pragma unroll
        for (int c = 0; c < BLOCK * 32 / SUMS_THREADS; ++c) {
            int const j = c * (SUMS_THREADS / 32) + (int)threadIdx.x / 32;
            x[c] = get(top + r, left + j), tile[j][r] = own ? x[c] : get(left + r, top + j);
        }
        __syncthreads(); /* they are there */
#pragma unroll
        for (int c = 0; c < BLOCK * 32 / SUMS_THREADS; ++c) {
            int const j = c * (SUMS_THREADS / 32) + (int)threadIdx.x / 32;
            entry const y = tile[r][j];
            bool const finite = is_finite(x[c]) && is_finite(y);
            s.most = finite ? fmax(s.most, fmax(larger_part(x[c]), larger_part(y))) : (real)INFINITY;
            complex_of<double> const u = {unit * real_part(x[c]), unit * imaginary(x[c])},
                                     v = {unit * real_part(y), unit * imaginary(y)};
            double const twice = own ? 1 : 2;
            s.square_norm = square_add(u, s.square_norm);
            if (!own) s.square_norm = square_add(v, s.square_norm);
            if (own && r == j) s.trace = total(s.trace, u);
            s.square = total(s.square, scaled(twice, product(u, v)));
        }
    }
    return {team.sum(s.square_norm),
            {team.sum(s.trace.re), number::complex ? team.sum(s.trace.im) : 0.0},
            {team.sum(s.square.re), number::complex ? team.sum(s.square.im) : 0.0},
            team.max(s.most)};
}

/* What the sums, not scaled, say of matrix `at` and its eigenvalues; where squares over- or underflow they are made
 * anew. */
static __device__ void judge_values(block_team<SUMS_THREADS> team, const geev_slice &slice, int64_t at, matrix_sums s,
                                    tile_row *tile)
{
    const geev_problem &p = slice.p;
    int64_t const b = slice.first + at;
    bool const finite = s.most < (real)INFINITY;
    bool const safe = (double)s.most > 0x1p-400 && (double)s.most < 0x1p400;
    real const whole = finite ? certificate_unit(s.most) : (real)0;
    double const unit = s.most == 0 || !finite || sizeof(real) == sizeof(float) || safe ? 1.0 : (double)whole;
    if (unit != 1) s = collect(team, p, b, 0, 1, unit, tile);
    complex_of<double> sum = {0, 0}, square = {0, 0};
    for (int k = team.rank; k < (int)p.n; k += SUMS_THREADS) {
        complex const w = stored_value(p, b, k);
        complex_of<double> const z = {unit * w.re, unit * w.im};
        sum = total(sum, z), square = product_add(z, z, square);
    }
    sum = {team.sum(sum.re), team.sum(sum.im)}, square = {team.sum(square.re), team.sum(square.im)};
    if (team.rank != 0) return;
    scale_type const scale = {sqrt(s.square_norm), unit};
    geev_certificate &c = slice.certificates[at];
    c.norm = scale.norm * (whole / unit), c.unit = whole, c.listed = 1; /* norm / unit may be too large for a number */
    if (!finite || !has_results(p, b)) return;
    if (scale.certifies((int)p.n, difference(sum, s.trace), difference(square, s.square)))
        c.listed = 0;
    else
        list_doubtful(slice, b, true);
}

static __global__ void __launch_bounds__(SUMS_THREADS) sums(geev_slice slice)
{
    __shared__ double space[SUMS_THREADS / 32];
    __shared__ entry tile[BLOCK][BLOCK + 1];
    block_team<SUMS_THREADS> const team = {(int)threadIdx.x, space};
    int const part = (int)(blockIdx.x % slice.parts);
    int64_t const at = blockIdx.x / slice.parts;
    matrix_sums const s = collect(team, slice.p, slice.first + at, part, slice.parts, 1, tile);
    if (slice.parts == 1) {
        judge_values(team, slice, at, s, tile);
    } else if (team.rank == 0) {
        double *const to = slice.partials + (at * slice.parts + part) * GEEV_SUMS;
        to[0] = s.square_norm, to[1] = s.trace.re, to[2] = s.trace.im, to[3] = s.square.re, to[4] = s.square.im;
        to[5] = s.most;
    }
}

static __global__ void __launch_bounds__(SUMS_THREADS) values(geev_slice slice)
{
    __shared__ double space[SUMS_THREADS / 32];
    __shared__ entry tile[BLOCK][BLOCK + 1];
    block_team<SUMS_THREADS> const team = {(int)threadIdx.x, space};
    int64_t const at = blockIdx.x;
    matrix_sums s = {0, {0, 0}, {0, 0}, 0};
    for (int part = 0; part < slice.parts; ++part) {
        const double *const from = slice.partials + (at * slice.parts + part) * GEEV_SUMS;
        s.square_norm += from[0], s.trace = total(s.trace, {from[1], from[2]}),
                                  s.square = total(s.square, {from[3], from[4]});
        s.most = fmax(s.most, (real)from[5]);
    }
    judge_values(team, slice, at, s, tile);
}

/* y_i = component i of x^H A, or of x^H A^H, A times unit: by a thread or, where the entries that it sums lie side by
 * side, by a warp for EACH of them. */
static __device__ void make_forms(const geev_slice &slice, int64_t b, bool left, real unit, complex *y)
{
    const geev_problem &p = slice.p;
    geev_apart<entry> const apart(p, b);
    int const n = (int)p.n, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    /* What entry (j, i) of A, or of A^H, adds to y_i. */
    auto const get = [&](int j, int i) {
        int const row = left ? i : j, column = left ? j : i;
        entry const x = apart.serves ? geev_load(apart.from + (row * apart.si + column * apart.sj))
                                     : geev_entry<entry>(p, b, row, column);
        return probed(scaled(unit, left ? conj(x) : x), j);
    };
    if (left == geev_lies_by_rows(p)) { /* neighbours in memory are those of j */
        for (int first = warp * EACH; first < n; first += SUMS_THREADS / 32 * EACH) {
            real re[EACH] = {}, im[EACH] = {};
            for (int j = lane; j < n; j += 32)
#pragma unroll
                for (int u = 0; u < EACH; ++u)
                    if (first + u < n) {
                        entry const x = get(j, first + u);
                        re[u] += real_part(x), im[u] += imaginary(x);
                    }
            complex const sum = {lanes_sum_each<32, EACH>(re, lane),
                                 number::complex ? lanes_sum_each<32, EACH>(im, lane) : (real)0};
            if (lane < EACH && first + lane < n) y[first + lane] = sum;
        }
        return;
    }
    for (int i = (int)threadIdx.x; i < n; i += SUMS_THREADS) {
        entry sum = entry_of<entry>((real)0);
#pragma unroll 8
        for (int j = 0; j < n; ++j) sum = total(sum, get(j, i));
        y[i] = as_complex(sum);
    }
}

/* All vectors of one side of a matrix, by x. */
static __global__ void __launch_bounds__(SUMS_THREADS, FORMS_BLOCKS) forms(geev_slice slice, int sides)
{
    const geev_problem &p = slice.p;
    int const n = (int)p.n;
    int64_t const at = blockIdx.x / sides, b = slice.first + at;
    bool const left = sides == 2 ? blockIdx.x % 2 == 0 : p.vl != NULL;
    geev_certificate &c = slice.certificates[at];
    if (__syncthreads_or(threadIdx.x == 0 && *(volatile int *)&c.listed != 0))
        return; /* the other side may list it meanwhile */
    lane_team<32> const team(threadIdx.x % 32);
    scale_type const scale = {c.norm, c.unit};
    complex *const y = (complex *)slice.rows + (int64_t)blockIdx.x * n;
    make_forms(slice, b, left, (real)c.unit, y);
    __syncthreads(); /* y is there */
    real const bound = (real)scale.residual_bound(n, CERTIFY_FORM);
    bool good = true;
    for (int first = (int)threadIdx.x / 32 * EACH; first < n; first += SUMS_THREADS / 32 * EACH) {
        form_sums<EACH> part;
        part.clear();
        for (int i = team.rank; i < n; i += 32) part.add(p, b, left, first, n, i, y[i], (real)c.unit);
        good = part.judge(team, n, n - first, bound) && good;
    }
    if (!__syncthreads_or(!good) || threadIdx.x > 0) return;
    if (atomicExch(&c.listed, 1) == 0) list_doubtful(slice, b, false);
}

/* 32 vectors of matrix `at`: of tiles of 64 rows a thread has four rows and two columns. */
static __device__ void certify_columns(const geev_slice &slice, int64_t at, bool left, int first)
{
    __shared__ entry tile[TILE_DEPTH][TILE_ROWS + 1];
    __shared__ complex vectors[TILE_DEPTH][TILE_COLUMNS + 1];
    __shared__ real partial[2][16][TILE_COLUMNS];
    const geev_problem &p = slice.p;
    int const n = (int)p.n, tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    int64_t const b = slice.first + at;
    geev_certificate &c = slice.certificates[at];
    bool const along = left != geev_lies_by_rows(p); /* neighbours in memory are those of d, not of i */
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
                int const d = along ? e % TILE_DEPTH : e / TILE_ROWS, i = along ? e / TILE_DEPTH : e % TILE_ROWS;
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
    scale_type const scale = {c.norm, c.unit};
    if (certifies_length(n, all[0]) && all[1] <= (real)scale.residual_bound(n, CERTIFY_LOOK)) return;
    if (atomicExch(&c.listed, 1) == 0) list_doubtful(slice, b, false);
}

/* All vectors of the matrices that are noted. */
static __global__ void __launch_bounds__(SUMS_THREADS) vectors_large(geev_slice slice, int columns)
{
    int64_t const tasks = 2 * columns * (int64_t)*slice.spreads;
    for (int64_t task = blockIdx.x; task < tasks; task += gridDim.x) {
        certify_columns(slice, slice.spread[task / (2 * columns)], task / columns % 2 == 0,
                        (int)(task % columns) * TILE_COLUMNS);
        __syncthreads(); /* the memory is free */
    }
}

/* ----------------------------------------------------------------------- launchers */

template <int P> static size_t small_bytes(const geev_problem *p)
{
    return SMALL_THREADS / P * (size_t)(p->n * (p->n | 1)) * sizeof(entry);
}

/* As many blocks as run at once share out what is noted. */
static int64_t blocks_of(eig_context *ctx, int64_t wanted)
{
    int64_t const room = 4 * (int64_t)cuda_state_of(ctx)->multiprocessors;
    return wanted < room ? wanted : room;
}

template <int P> static eig_status certify_small(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    int64_t const teams = SMALL_THREADS / P, blocks = (slice.count + teams - 1) / teams;
    size_t const bytes = small_bytes<P>(&slice.p);
    bool const vectors = slice.p.vl || slice.p.vr;
    eig_status status = EIG_OK;
    if (vectors || !slice.own_values)
        status = cuda_launch(ctx, "geev: look_small", stream, {blocks, SMALL_THREADS, bytes},
                             vectors ? look_small<P, true> : look_small<P, false>, slice);
    if (status != EIG_OK || !vectors) return status;
    return cuda_launch(ctx, "geev: vectors_small", stream, {blocks_of(ctx, blocks), SMALL_THREADS, bytes},
                       vectors_small<P>, slice);
}

static eig_status certify_large(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    int const columns = (int)((slice.p.n + TILE_COLUMNS - 1) / TILE_COLUMNS), sides = !!slice.p.vl + !!slice.p.vr;
    eig_status status = cuda_launch(ctx, "geev: sums", stream, {slice.count * slice.parts, SUMS_THREADS}, sums, slice);
    if (status == EIG_OK && slice.parts > 1)
        status = cuda_launch(ctx, "geev: values", stream, {slice.count, SUMS_THREADS}, values, slice);
    if (status != EIG_OK || sides == 0) return status;
    status = cuda_launch(ctx, "geev: forms", stream, {sides * slice.count, SUMS_THREADS}, forms, slice, sides);
    if (status != EIG_OK) return status;
    return cuda_launch(ctx, "geev: vectors_large", stream, {blocks_of(ctx, 2 * slice.count * columns), SUMS_THREADS},
                       vectors_large, slice, columns);
}

eig_status TYPED(eig_cuda_geev_certify)(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    int64_t const n = slice.p.n;
    if (n <= 4) return certify_small<4>(ctx, slice, stream);
    if (n <= 8) return certify_small<8>(ctx, slice, stream);
    if (n <= 16) return certify_small<16>(ctx, slice, stream);
    if (n <= GEEV_CERTIFY_SMALL) return certify_small<32>(ctx, slice, stream);
    return certify_large(ctx, slice, stream);
}
