/* heev on CUDA, the plain version: two-sided Jacobi, a thread block a matrix, with nothing done for speed.
 *
 * Memory   A, both triangles, in the workspace of the block; V in its own place.  Both are read through the cache.
 * Round    a thread a pair computes its rotation, from a diagonal that is kept real; then all rotations are applied in
 *          one pass, a thread a 2 x 2 block of A or a row of V and a pair.
 * Cost     36 n^3 flops (complex) a sweep, about 4 + log2(n) sweeps; bound by the cache. */
#include "heev/heev_certify.cuh"
#include "heev/heev_gauge.cuh"
#include "heev/heev_matrix.cuh"
#include "heev/heev_rotation.cuh"
#include "per_type.cuh"
#include "primitives/team.cuh"

enum { REFERENCE_THREADS = 256 };

/* A block's work area. */
template <typename number> struct reference_space {
    using real = typename number::real;
    number *a; /* [n*n], element (i, j) at i + j*n; the diagonal is in d */
    heev_rotation<number> *j;
    real *d, *bad;
    int *order;
};

template <typename number> static size_t reference_layout(int64_t n, char *base, reference_space<number> *s)
{
    arena a = {base, 0};
    s->a = (number *)arena_take(&a, n * n, sizeof(number));
    s->j = (heev_rotation<number> *)arena_take(&a, (n + 1) / 2, sizeof *s->j);
    s->d = (typename number::real *)arena_take(&a, n, sizeof *s->d);
    s->bad = (typename number::real *)arena_take(&a, n, sizeof *s->bad);
    s->order = (int *)arena_take(&a, n, sizeof *s->order);
    return arena_rounded(a.used);
}

template <typename number> struct reference_matrix {
    using real = typename number::real;
    using team_type = block_team<REFERENCE_THREADS>;
    reference_space<number> at;
    team_type team;
    number *v; /* NULL: not wanted */
    batch_strides s;
    int64_t n;
    real bound, level;        /* level: 1, but for option `relative`, whose scale may lose squares */
    spectrum_sums<real> sums; /* of A times level */
    bool relative;

    __device__ __forceinline__ bool negligible(int64_t i, int64_t j) const
    {
        real const size = magnitude(at.a[i + j * n]);
        return size <= (relative ? bound * sqrt(fabs(at.d[i])) * sqrt(fabs(at.d[j])) : bound);
    }

    /* Loads matrix b and makes V the identity; false where it is not finite, and then all is zero. */
    __device__ bool load(const heev_job &job, int64_t b, real *scale)
    {
        const number *const from = (const number *)job.p.a + b * job.at_a.b;
        real big = 0, squares = 0, trace = 0, form = 0;
        bool finite = true;
        for (int64_t f = team.rank; f < n * n; f += REFERENCE_THREADS) {
            int64_t const i = f % n, j = f / n;
            if (job.p.upper ? i > j : i < j) continue;
            number x = load_number(from + (i * job.at_a.i + j * job.at_a.j));
            if (i == j) set(x, x.re, (real)0);
            real const most = real_limits<real>::largest;
            finite = finite && fabs(x.re) <= most && fabs(imaginary(x)) <= most;
            big = fmax(big, larger_part(x));
            x = lower_of(x, job.p.upper);
            at.a[i + j * n] = job.p.upper ? conj(x) : x;
        }
        finite = !team.any(!finite);
        big = team.max(big);
        relative = job.p.relative;
        *scale = relative ? heev_scale_relative(finite ? big : (real)1) : heev_scale(finite ? big : (real)1);
        level = relative && finite ? pow2_inverse(heev_unit(*scale * big)) : (real)1;
        for (int64_t f = team.rank; f < n * n; f += REFERENCE_THREADS) {
            int64_t const i = f % n, j = f / n;
            if (job.p.upper ? i > j : i < j) continue;
            number x = scaled(*scale, at.a[i + j * n]);
            if (!finite) set(x, (real)0, (real)0);
            number const y = scaled(level, x);
            squares = fma(i == j ? (real)1 : (real)2, square(y), squares);
            form = fma(i == j ? (real)1 : (real)2, probe_form(y, (unsigned)i, (unsigned)j), form);
            trace = i == j ? trace + level * x.re : trace;
            at.a[i + j * n] = x;
            if (i == j)
                at.d[i] = x.re;
            else
                at.a[j + i * n] = conj(x);
        }
        squares = team.sum(squares), trace = team.sum(trace), form = team.sum(form);
        sums = {trace, squares, form};
        bound = (real)job.p.tolerance * (relative ? (real)1 : sqrt(squares) / (real)n);
        for (int64_t f = team.rank; f < n * n && v; f += REFERENCE_THREADS) {
            number one;
            set(one, f % n == f / n ? (real)1 : (real)0, (real)0);
            store_number(v + (f % n * s.i + f / n * s.j), one);
        }
        team.sync(); /* all is there */
        return finite;
    }

    __device__ bool any_left() const
    {
        bool some = false;
        for (int64_t f = team.rank; f < n * n && !some; f += REFERENCE_THREADS)
            if (f % n > f / n) some = !negligible(f % n, f / n);
        return team.any(some);
    }

    __device__ __forceinline__ void make_rotation(int64_t round, int64_t k)
    {
        int64_t p, q;
        heev_rotation<number> j;
        jacobi_pair(n, round, k, &p, &q);
        set(j.s, (real)0, (real)0);
        j.g = 0;
        if (!negligible(p, q)) {
            number const apq = at.a[p + q * n];
            real re, im, change;
            jacobi_rotation(at.d[p], at.d[q], apq.re, imaginary(apq), &j.g, &re, &im, &change);
            set(j.s, re, im);
            at.d[p] -= change, at.d[q] += change;
            number zero;
            set(zero, (real)0, (real)0);
            at.a[p + q * n] = at.a[q + p * n] = zero;
        }
        at.j[k] = j;
    }

    /* Where the rows of pair P cross the columns of pair Q; the other triangle is its mirror. */
    __device__ __forceinline__ void rotate_block(int64_t round, int64_t block_p, int64_t block_q)
    {
        int64_t p, q, u, w;
        jacobi_pair(n, round, block_p, &p, &q);
        jacobi_pair(n, round, block_q, &u, &w);
        heev_rotation<number> const jp = at.j[block_p], jq = at.j[block_q];
        number pu = at.a[p + u * n], pw = at.a[p + w * n], qu = at.a[q + u * n], qw = at.a[q + w * n];
        rotate_rows_by_difference(jp, pu, qu), rotate_rows_by_difference(jp, pw, qw);
        rotate_columns_by_difference(jq, pu, pw), rotate_columns_by_difference(jq, qu, qw);
        at.a[p + u * n] = pu, at.a[p + w * n] = pw, at.a[q + u * n] = qu, at.a[q + w * n] = qw;
        at.a[u + p * n] = conj(pu), at.a[w + p * n] = conj(pw), at.a[u + q * n] = conj(qu), at.a[w + q * n] = conj(qw);
    }

    /* The column that rests where n is odd crosses the columns of pair k. */
    __device__ __forceinline__ void rotate_rest(int64_t round, int64_t k)
    {
        int64_t p, q;
        jacobi_pair(n, round, k, &p, &q);
        heev_rotation<number> const j = at.j[k];
        number x = at.a[round + p * n], y = at.a[round + q * n];
        rotate_columns_by_difference(j, x, y);
        at.a[round + p * n] = x, at.a[round + q * n] = y, at.a[p + round * n] = conj(x), at.a[q + round * n] = conj(y);
    }

    __device__ __forceinline__ void sweep()
    {
        int64_t const half = n / 2;
        for (int64_t round = 0; round < jacobi_rounds(n); ++round) {
            for (int64_t k = team.rank; k < half; k += REFERENCE_THREADS) make_rotation(round, k);
            team.sync(); /* rotations are there */
            for (int64_t f = team.rank; f < half * half; f += REFERENCE_THREADS)
                if (f / half < f % half) rotate_block(round, f / half, f % half);
            for (int64_t k = team.rank; k < half && n % 2; k += REFERENCE_THREADS) rotate_rest(round, k);
            for (int64_t f = team.rank; f < half * n && v; f += REFERENCE_THREADS) {
                int64_t const i = f % n, k = f / n;
                int64_t p, q;
                jacobi_pair(n, round, k, &p, &q);
                number *const x = v + (i * s.i + p * s.j), *const y = v + (i * s.i + q * s.j);
                number new_x = load_number(x), new_y = load_number(y);
                rotate_columns_by_difference(at.j[k], new_x, new_y);
                store_number(x, new_x), store_number(y, new_y);
            }
            team.sync(); /* the round is done */
        }
    }

    /* The order of the values, bad ones last, as those are that are too large for a number; how many are bad. */
    __device__ int64_t sort(real unscale)
    {
        for (int64_t i = team.rank; i < n; i += REFERENCE_THREADS) {
            bool some = false;
            for (int64_t j = 0; j < n && !some; ++j) some = i != j && !negligible(i, j);
            at.bad[i] = some || fabs(unscaled((real)n, at.d[i], unscale)) > real_limits<real>::largest;
        }
        team.sync(); /* marked */
        int failed = 0;
        for (int64_t i = team.rank; i < n; i += REFERENCE_THREADS) {
            int place = 0;
            for (int64_t k = 0; k < n; ++k)
                place += at.bad[k] < at.bad[i] ||
                         (at.bad[k] == at.bad[i] && (at.d[k] < at.d[i] || (at.d[k] == at.d[i] && k < i)));
            at.order[i] = place;
            failed += at.bad[i] != 0;
        }
        return team.sum(failed);
    }

    /* Whether values and the columns of V, in A's place, have the sums and lengths that they must have. */
    __device__ bool certify(const heev_job &job)
    {
        spectrum_sums<real> found = {0, 0, 0};
        bool good = true;
        real span = 0;
        for (int64_t k = team.rank; k < n; k += REFERENCE_THREADS) {
            found.add(level * at.d[k]);
            if (!v) continue;
            real size = 0;
            number with = zero_of<number>();
            const number *const column = at.a + at.order[k] * n;
            for (int64_t i = 0; i < n; ++i)
                size = size + square(column[i]), with = probe_add(column[i], (unsigned)i, with);
            good = good && spectrum_has_length((real)n, size);
            found.form = fma(level * at.d[k], square(with), found.form), span = span + square(with);
        }
        found.trace = team.sum(found.trace), found.squares = team.sum(found.squares);
        real const left = spectrum_left((real)n, (real)job.p.tolerance);
        good = found.certify(n, sums, left) && good;
        if (v) {
            found.form = team.sum(found.form), span = team.sum(span);
            real const whole = team.sum(certify_span<number>(0, n, team.rank, REFERENCE_THREADS));
            pair_sums<real> const pairs = {found.form, span, sums.form, whole};
            good = pairs.certify((real)n, (real)n * real_limits<real>::eps, sums.squares, left, (real)0) && good;
        }
        return !team.any(!good);
    }

    /* Stores values, and puts the columns of V in order, through the space of A.  Whether they pass their
     * certificate, or some are not good. */
    __device__ bool store(const heev_job &job, int64_t b, int64_t good, real scale)
    {
        for (int64_t i = team.rank; i < n; i += REFERENCE_THREADS)
            ((real *)job.p.w)[b * job.p.stride_w + at.order[i]] =
                at.order[i] < good ? unscaled((real)n, at.d[i], pow2_inverse(scale)) + (real)0 : (real)NAN;
        for (int64_t f = team.rank; f < n * n && v; f += REFERENCE_THREADS) {
            int64_t const i = f % n, k = f / n, to = at.order[k];
            number x = load_number(v + (i * s.i + k * s.j));
            if (to >= good) set(x, (real)NAN, (real)NAN);
            at.a[i + to * n] = x;
        }
        team.sync(); /* V is in A's place */
        for (int64_t k = team.rank; k < n && v; k += REFERENCE_THREADS) {
            number *const x = at.a + k * n;
            number const lead = gauge_thread_lead<number>(n, [&](int64_t i) { return x[i]; }), by = gauge_factor(lead);
            for (int64_t i = 0; i < n; ++i) x[i] = gauge_turned(lead, by, x[i]);
        }
        team.sync(); /* it has been turned */
        for (int64_t f = team.rank; f < n * n && v; f += REFERENCE_THREADS)
            store_number(v + (f % n * s.i + f / n * s.j), at.a[f]);
        bool const certified = good < n || !job.p.certify || certify(job);
        team.sync(); /* A's place is free */
        return certified;
    }
};

template <typename number>
static __global__ void __launch_bounds__(REFERENCE_THREADS)
    heev_reference_kernel(heev_job job, reference_space<number> space, size_t bytes)
{
    using real = typename number::real;
    __shared__ double reduced[REFERENCE_THREADS / 32];
    size_t const by = (size_t)blockIdx.x * bytes;
    reference_matrix<number> x;
    x.at.a = (number *)((char *)space.a + by), x.at.j = (heev_rotation<number> *)((char *)space.j + by);
    x.at.d = (real *)((char *)space.d + by), x.at.bad = (real *)((char *)space.bad + by);
    x.at.order = (int *)((char *)space.order + by);
    x.team.rank = (int)threadIdx.x, x.team.space = reduced;
    x.s = job.at_v, x.n = job.p.n;
    int64_t const all = job.second ? (int64_t)*job.doubts : job.p.batch;
    for (int64_t at = blockIdx.x; at < all; at += gridDim.x) {
        int64_t const b = job.second ? job.doubtful[at] : at;
        real scale;
        int sweeps = 0;
        x.v = job.p.v ? (number *)job.p.v + b * job.at_v.b : NULL;
        bool const finite = x.load(job, b, &scale);
        for (; sweeps < job.p.max_sweeps && x.any_left(); ++sweeps) x.sweep();
        int64_t const failed = x.sort(pow2_inverse(scale));
        __syncthreads(); /* the order is there */
        bool const certified = x.store(job, b, finite ? x.n - failed : 0, scale);
        if (threadIdx.x == 0 && job.p.info) job.p.info[b] = finite ? (int)failed : EIG_INFO_NOT_FINITE;
        if (threadIdx.x == 0 && job.p.sweeps) job.p.sweeps[b] = sweeps;
        if (!certified) heev_reject<number>(job.p, job.at_v, b, x.n, (int)threadIdx.x, REFERENCE_THREADS);
    }
}

size_t TYPED(eig_cuda_heev_reference_bytes)(int64_t n)
{
    reference_space<number> space;
    return reference_layout(n, NULL, &space);
}

eig_status TYPED(eig_cuda_heev_reference)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    reference_space<number> space;
    size_t const bytes = reference_layout(job.p.n, (char *)job.areas, &space);
    return cuda_launch(ctx, "heev: reference_kernel", stream, {job.workers, REFERENCE_THREADS},
                       heev_reference_kernel<number>, job, space, bytes);
}
