/* heev on CUDA, n = 1, 2, 3: a thread computes a matrix by Jacobi, in registers.
 *
 * Memory    dense arrays pass through shared memory, so that a block reads and writes consecutive words; others are
 *           read and written by each thread.  A matrix's sums, for its certificate, wait in its place there.
 * Schedule  pairs (0,1), (0,2), (1,2) in turn until no element is above its bound; four or five sweeps.
 * Cost      n = 3: bound by FP64; half of it by memory. */
#include "heev/heev_certify.cuh"
#include "heev/heev_gauge.cuh"
#include "heev/heev_rotation.cuh"
#include "per_type.cuh"

enum { SMALL_THREADS = 128 };

template <typename number, int N> struct small_hermitian {
    using real = typename number::real;
    real d[N];
    number a[N][N]; /* element (i, j), i > j; the others are not used */
    number q[N][N];
    real bound;
    bool relative;

    __device__ __forceinline__ bool negligible(int i, int j) const
    {
        real const size = magnitude(a[i][j]);
        return size <= (relative ? bound * sqrt(fabs(d[i])) * sqrt(fabs(d[j])) : bound);
    }
    __device__ __forceinline__ bool any_left() const
    {
        bool some = false;
#pragma unroll
        for (int i = 1; i < N; ++i)
#pragma unroll
            for (int j = 0; j < i; ++j) some = some || !negligible(i, j);
        return some;
    }

    /* Elements (i, q) and (i, p) of A J, i not among p and q. */
    __device__ __forceinline__ void rotate_others(const heev_rotation<number> &j, int p, int q)
    {
#pragma unroll
        for (int i = 0; i < N; ++i) {
            if (i == p || i == q) continue;
            number x = i > p ? a[i][p] : conj(a[p][i]), y = i > q ? a[i][q] : conj(a[q][i]);
            rotate_columns(j, x, y);
            if (i > p) a[i][p] = x;
            if (i < p) a[p][i] = conj(x);
            if (i > q) a[i][q] = y;
            if (i < q) a[q][i] = conj(y);
        }
    }
    __device__ __forceinline__ void sweep(bool vectors)
    {
#pragma unroll
        for (int p = 0; p < N; ++p)
#pragma unroll
            for (int q = p + 1; q < N; ++q) {
                if (negligible(q, p)) continue;
                real shift;
                heev_rotation<number> const j = rotation_of<number>(d[p], d[q], conj(a[q][p]), &shift);
                d[p] -= shift, d[q] += shift;
                set(a[q][p], (real)0, (real)0);
                rotate_others(j, p, q);
                if (vectors)
#pragma unroll
                    for (int i = 0; i < N; ++i) rotate_columns(j, this->q[i][p], this->q[i][q]);
            }
    }

    /* The matrix that get(i, j) gives, i >= j, scaled; false where it is not finite.  kept: [4] the sums of A times
     * `level` and level, which is 1 but for option `relative`, whose scale may lose squares. */
    template <typename function>
    __device__ __forceinline__ bool load(const heev_problem &p, function get, real *scale, real *kept)
    {
        real const most = real_limits<real>::largest;
        real big = 0;
        bool finite = true;
#pragma unroll
        for (int i = 0; i < N; ++i)
#pragma unroll
            for (int j = 0; j <= i; ++j) {
                number x = get(i, j);
                if (i == j) d[i] = x.re, set(x, x.re, (real)0);
                a[i][j] = x;
                finite = finite && fabs(x.re) <= most && fabs(imaginary(x)) <= most;
                big = fmax(big, larger_part(x));
            }
        real const most_or_one = finite ? big : (real)1;
        real const by = p.relative ? heev_scale_relative(most_or_one) : heev_scale(most_or_one);
        real const level = p.relative ? pow2_inverse(heev_unit(by * most_or_one)) : (real)1;
        spectrum_sums<real> sums = {0, 0, 0};
#pragma unroll
        for (int i = 0; i < N; ++i) {
            d[i] = finite ? by * d[i] : (real)0;
            sums.add(level * d[i]);
            sums.form = fma(square(probe_at<number>(i)), level * d[i], sums.form);
#pragma unroll
            for (int j = 0; j < N; ++j) {
                set(q[i][j], i == j ? (real)1 : (real)0, (real)0);
                if (j >= i) continue;
                a[i][j] = scaled(by, a[i][j]);
                if (!finite) set(a[i][j], (real)0, (real)0);
                number const x = scaled(level, a[i][j]);
                sums.squares = fma((real)2, square(x), sums.squares);
                sums.form = fma((real)2, probe_form(x, (unsigned)i, (unsigned)j), sums.form);
            }
        }
        relative = p.relative;
        bound = (real)p.tolerance * (relative ? (real)1 : sqrt(sums.squares) / (real)N);
        *scale = by;
        if (N > 1) kept[0] = sums.trace, kept[1] = sums.squares, kept[2] = level, kept[3] = sums.form;
        return finite;
    }

    /* Whether row i holds an element above its bound. */
    __device__ __forceinline__ bool bad(int i) const
    {
        bool some = false;
#pragma unroll
        for (int j = 0; j < N; ++j)
            if (j != i) some = some || !negligible(i > j ? i : j, i > j ? j : i);
        return some;
    }
};

/* Whether all has the sums and lengths that it must have; n = 1 cannot fail. */
template <typename number, int N>
static __device__ __forceinline__ bool small_certify(const heev_problem &p, const small_hermitian<number, N> &x,
                                                     const typename number::real *kept)
{
    using real = typename number::real;
    if (N == 1) return true;
    spectrum_sums<real> found = {0, 0, 0};
    bool good = true;
    real span = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
        found.add(kept[2] * x.d[k]);
        if (!p.v) continue;
        real size = 0;
        number with;
        set(with, (real)0, (real)0);
#pragma unroll
        for (int i = 0; i < N; ++i) size = size + square(x.q[i][k]), with = probe_add(x.q[i][k], (unsigned)i, with);
        good = good && spectrum_has_length((real)N, size);
        found.form = fma(kept[2] * x.d[k], square(with), found.form), span = span + square(with);
    }
    real const left = spectrum_left((real)N, (real)p.tolerance);
    if (p.v) {
        pair_sums<real> const sums = {found.form, span, kept[3], certify_span<number>(0, N, 0, 1)};
        good = good && sums.certify((real)N, N * real_limits<real>::eps, kept[1], left, (real)0);
    }
    return found.certify(N, {kept[0], kept[1], 0}, left) && good;
}

/* The place of value k: ascending, bad ones last. */
template <typename real, int N>
static __device__ __forceinline__ int place_of(const bool (&bad)[N], const real (&d)[N], int k)
{
    int place = 0;
#pragma unroll
    for (int m = 0; m < N; ++m)
        if (m != k) place += bad[m] < bad[k] || (bad[m] == bad[k] && (d[m] < d[k] || (d[m] == d[k] && m < k)));
    return place;
}

/* Words of a matrix and of its place in shared memory, an odd number. */
template <typename number, int N> struct small_words {
    static constexpr int parts = number::complex ? 2 : 1, square = N * N * parts, place = square | 1;
};

/* Consecutive words of `live` matrices to or from shared memory. */
template <typename real, int words, int place, bool in>
static __device__ __forceinline__ void move_words(real *there, real *tile, int live)
{
    __syncthreads(); /* the tile is free, or filled */
#pragma unroll 4
    for (int f = threadIdx.x; f < live * words; f += SMALL_THREADS) {
        real *const here = tile + f / words * place + f % words;
        if (in)
            *here = there[f];
        else
            there[f] = *here;
    }
    __syncthreads(); /* the tile is filled, or free */
}

template <typename number, int N>
static __global__ void __launch_bounds__(SMALL_THREADS) heev_small_kernel(heev_job job, bool dense_a, bool dense_v)
{
    using real = typename number::real;
    using words = small_words<number, N>;
    __shared__ real tile[SMALL_THREADS * words::place];
    const heev_problem &p = job.p;
    int64_t const first = job.first + (int64_t)blockIdx.x * SMALL_THREADS, b = first + threadIdx.x;
    int64_t const left = job.first + job.count - first;
    int const live = left < SMALL_THREADS ? (int)left : SMALL_THREADS;
    bool const works = (int)threadIdx.x < live;
    real *const own = tile + threadIdx.x * words::place;
    small_hermitian<number, N> x;
    real scale = 1;
    bool finite = true;
    if (dense_a) move_words<real, words::square, words::place, true>((real *)p.a + first * words::square, tile, live);
    if (works) {
        batch_strides const s = job.at_a;
        const number *const a = (const number *)p.a + b * s.b;
        finite = x.load(
            p,
            [&](int i, int j) {
                int64_t const at = p.upper ? j * s.i + i * s.j : i * s.i + j * s.j;
                number y;
                if (dense_a)
                    set(y, own[at * words::parts], own[at * words::parts + words::parts - 1]);
                else
                    y = load_number(a + at);
                return lower_of(y, p.upper);
            },
            &scale, own);
    }
    int sweeps = 0;
    if (works)
        for (; sweeps < p.max_sweeps && x.any_left(); ++sweeps) x.sweep(p.v != NULL);
    if (dense_v) __syncthreads(); /* all have read */
    if (works) {
        batch_strides const s = job.at_v;
        int failed = 0;
        real const unscale = pow2_inverse(scale);
        bool bad[N];
#pragma unroll
        for (int k = 0; k < N; ++k) bad[k] = !finite || x.bad(k), failed += bad[k];
        if (p.certify && failed == 0 && !small_certify(p, x, own)) {
            failed = N;
#pragma unroll
            for (int k = 0; k < N; ++k) bad[k] = true;
        }
        if (unscale > 1) /* what is too large for a number is as bad */
#pragma unroll
            for (int k = 0; k < N; ++k) {
                x.d[k] = unscaled((real)N, x.d[k], unscale) * scale;
                bool const over = !bad[k] && fabs(x.d[k]) > real_limits<real>::largest;
                bad[k] = bad[k] || over, failed += over;
            }
#pragma unroll
        for (int k = 0; k < N; ++k) {
            int const place = place_of(bad, x.d, k);
            bool const good = place < N - failed;
            ((real *)p.w)[b * p.stride_w + place] = good ? x.d[k] * unscale + (real)0 : (real)NAN;
            if (!p.v) continue;
            number column[N];
#pragma unroll
            for (int i = 0; i < N; ++i) column[i] = x.q[i][k];
            gauge_turn_registers<N>(column);
#pragma unroll
            for (int i = 0; i < N; ++i) {
                number y = column[i];
                if (!good) set(y, (real)NAN, (real)NAN);
                int64_t const at = i * s.i + place * s.j;
                if (dense_v) {
                    own[at * words::parts] = y.re;
                    if (number::complex) own[at * words::parts + words::parts - 1] = imaginary(y);
                } else {
                    store_number((number *)p.v + (b * s.b + at), y);
                }
            }
        }
        if (p.info) p.info[b] = finite ? failed : EIG_INFO_NOT_FINITE;
        if (p.sweeps) p.sweeps[b] = sweeps;
    }
    if (dense_v) move_words<real, words::square, words::place, false>((real *)p.v + first * words::square, tile, live);
}

template <typename number, int N>
static eig_status launch_small(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    bool const dense_a = heev_lies_dense(job.at_a, N), dense_v = job.p.v && heev_lies_dense(job.at_v, N);
    return cuda_launch(ctx, "heev: small_kernel", stream,
                       {(job.count + SMALL_THREADS - 1) / SMALL_THREADS, SMALL_THREADS}, heev_small_kernel<number, N>,
                       job, dense_a, dense_v);
}

eig_status TYPED(eig_cuda_heev_small)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    if (job.p.n == 1) return launch_small<number, 1>(ctx, job, stream);
    if (job.p.n == 2) return launch_small<number, 2>(ctx, job, stream);
    return launch_small<number, 3>(ctx, job, stream);
}
