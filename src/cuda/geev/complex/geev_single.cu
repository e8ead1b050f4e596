/* geev on CUDA: complex matrices of order up to GEEV_SINGLE; of vectors, those up to GEEV_MOST.
 *
 *   reduce_lanes, reduce_block   load, balance, Hessenberg form; packed into the workspace, with the reflectors where
 *                                vectors are wanted: P lanes a matrix, or W warps
 *   single_kernel                the eigenvalues by single-shift QR, out of shared memory: P lanes a matrix, S slots a
 *                                lane */
#include "geev/schur/geev_lanes.cuh"
#include "geev/schur/geev_schur_matrix.cuh"

/* Single-shift QR for the eigenvalues of a complex Hessenberg matrix, which lies packed in shared memory: a sweep.  The
 * rest of the iteration is that of geev_schur.cuh.
 *
 * Slots    lane r of a team owns the indices r, r + P, ..., its slots: a row of the window while it is above the bulge,
 *          a column while it is to the right of it.  Of the two entries that a rotation changes, a slot keeps in
 *          registers the one that the next rotation changes again: a step loads an entry and stores one.
 * Bulge    every lane holds rows k and k + 1 of columns k and k + 1.  It makes the next rotation from them, while the
 *          slots go through the present one. */

/* What a team has of its matrix; slots: of a lane. */
template <typename real_, int slots> struct single_area {
    using real = real_;
    using entry = complex_of<real>;
    enum { PADDING = 4 }; /* entries behind the matrix that a sweep reads, without need */
    int n;
    entry *h;    /* packed */
    entry *w;    /* [n] */
    entry *own;  /* the same */
    int *origin; /* [n] */

    __device__ __forceinline__ entry &at(int i, int j) const
    {
        return h[place_of(n, i, j)];
    }
};

/* A rotation, and the entry above the one that it removes. */
template <typename real> struct single_rotation {
    plane_rotation<real> t;
    complex_of<real> r;
    bool hard; /* the approximations do not hold: hard_rotation is to make it */
};

/* The rotation that takes (f, g) to (r, 0), by fast approximations. */
template <typename real>
static __device__ __forceinline__ single_rotation<real> quick_rotation(complex_of<real> f, complex_of<real> g)
{
    constexpr real eps = real_limits<real>::eps, least = real_limits<real>::safmin / eps / eps / eps,
                   most = 1 / (real_limits<real>::square_safe * real_limits<real>::square_safe);
    real const f2 = square(f), sum = f2 + square(g), both = fast_rsqrt(sum) * fast_rsqrt(f2);
    complex_of<real> const phase = scaled(both, f);
    return {{f2 * both, product(phase, conj(g))},
            scaled(sum, phase),
            upper_word(f2) <= upper_word(least) || upper_word(sum) >= upper_word(most)};
}

template <typename real>
static __device__ __noinline__ single_rotation<real> hard_rotation(complex_of<real> f, complex_of<real> g)
{
    single_rotation<real> x = {};
    schur_plane_rotation(f.re, f.im, g.re, g.im, &x.t.c, &x.t.s.re, &x.t.s.im, &x.r.re, &x.r.im);
    return x;
}

/* x, but not before y is there: what depends on x then fills the waiting times behind y. */
template <typename real> static __device__ __forceinline__ real held_back(real x, real y)
{
    if constexpr (sizeof(real) == sizeof(double)) {
        long long bits = __double_as_longlong(x);
        asm("" : "+l"(bits) : "l"(__double_as_longlong(y)));
        return __longlong_as_double(bits);
    } else {
        int bits = __float_as_int(x);
        asm("" : "+r"(bits) : "r"(__float_as_int(y)));
        return __int_as_float(bits);
    }
}

/* A sweep from row `start` on.  The teams of a warp sweep side by side; one that is done repeats its last step, and
 * stores nothing.  Slots beyond the window are computed, too, and not stored. */
template <int S, typename team_type, typename real>
static __device__ __forceinline__ void single_sweep(team_type team, const single_area<real, S> &a,
                                                    const schur_window<real> &s, bool begins, int start,
                                                    complex_of<real> shift)
{
    using complex = complex_of<real>;
    constexpr int P = team_type::size, unit = (int)sizeof(complex);
    auto const entry = [&](int offset) -> complex & { return *(complex *)((char *)a.h + offset); };
    int const i = begins ? s.i : start, steps = warp_max(i - start);
    int k = start, corner = place_of(a.n, k, k) * unit, down = (a.n - k) * unit; /* from a row to the next one */
    complex b00 = entry(corner), b01 = entry(corner + unit), b10 = entry(corner + down),
            b11 = entry(corner + down + unit);
    complex const f = difference(b00, shift);
    single_rotation<real> now = quick_rotation(f, b10);
    if (begins && now.hard) now = hard_rotation(f, b10);
    complex x[S];
    int index[S], at[S]; /* a slot's index; where its entry k lies */
    bool owns[S];
#pragma unroll
    for (int m = 0; m < S; ++m) {
        int const q = m * P + team.rank;
        owns[m] = begins && q >= s.l && q <= i;
        index[m] = q < a.n ? q : a.n - 1;
        at[m] = index[m] < k ? place_of(a.n, index[m], k) * unit : corner + (index[m] - k) * unit;
        x[m] = entry(at[m]);
    }
    team.sync(); /* all have loaded before the first step stores */
    if (begins && team.rank == 0 && start > s.l) entry(corner - unit) = scaled(now.t.c, entry(corner - unit));
#pragma unroll 2
    for (int step = 0; step < steps; ++step) {
        bool const acts = P == 32 || k < i;
        complex c0 = entry(corner + 2 * unit), c1 = entry(corner + down + 2 * unit), sub = entry(corner + 2 * down),
                c2 = entry(corner + 2 * down + unit), y[S];
#pragma unroll
        for (int m = 0; m < S; ++m) y[m] = entry(at[m] + (index[m] < k ? unit : down));
        team.sync(); /* all have loaded */
        /* the chain to the next rotation, then the rest */
        plane_rotation<real> const t = now.t;
        complex const d10 = conj_product_add(t.s, negative(b00), scaled(t.c, b10)),
                      d11 = conj_product_add(t.s, negative(b01), scaled(t.c, b11)), g = product(sub, conj(t.s)),
                      h = conj_product_add(t.s, d11, scaled(t.c, d10));
        now = quick_rotation(h, g);
        plane_rotation<real> const late = {held_back(t.c, h.re), {held_back(t.s.re, h.re), held_back(t.s.im, h.re)}};
        complex d00 = product_add(late.s, b10, scaled(late.c, b00)),
                d01 = product_add(late.s, b11, scaled(late.c, b01));
        late.right(d00, d01), late.left(c0, c1);
        b11 = product_add(late.s, negative(d10), scaled(late.c, d11));
#pragma unroll
        for (int m = 0; m < S; ++m) {
            int const ahead = index[m] - k;
            bool const stores = owns[m] && acts && (ahead < 0 || ahead > 2);
            plane_rotation<real> const own = {late.c, {late.s.re, ahead < 0 ? -late.s.im : late.s.im}};
            complex x0 = x[m], x1 = y[m];
            own.left(x0, x1);
            if (stores) entry(at[m]) = x0;
            if (stores && ahead == 3) entry(at[m] + down) = x1; /* enters the block next */
            x[m] = ahead == 0 ? d01 : x1;
            at[m] += !acts ? 0 : ahead <= 0 ? unit : down;
        }
        if (__builtin_expect(now.hard && k + 1 < i, 0)) now = hard_rotation(h, g);
        if (acts && team.rank == 0) entry(corner) = d00, entry(corner + 2 * unit) = c0, entry(corner + down) = now.r;
        if (__builtin_expect(k + 1 == i, 0)) { /* the last step */
            if (team.rank == 0) entry(corner + down) = h, entry(corner + down + unit) = b11;
#pragma unroll
            for (int m = 0; m < S; ++m)
                if (owns[m] && index[m] < i) entry(at[m]) = x[m];
        }
        if (acts) ++k, corner += down + unit, down -= unit;
        b00 = b11, b10 = scaled(late.c, sub), b01 = c1, b11 = c2;
        team.sync(); /* column k + 1 is complete, and what enters the block is there */
    }
}

/* A step of schur_iterate. */
template <int S, typename team_type, typename real>
static __device__ __forceinline__ void schur_step(team_type team, const single_area<real, S> &a,
                                                  const schur_window<real> &s, bool begins)
{
    complex_of<real> shift = {0, 0};
    if (begins) shift = single_shift(a, s);
    int const start = single_start(team, a, s, begins, shift);
    single_sweep(team, a, s, begins, start, shift);
}

/* ---------------------------------------------------------------- the reduction */

/* Matrix number `at` of the slice. */
template <int L, typename team_type>
static __device__ void reduce_matrix(team_type team, const schur_area<entry> &a, const geev_slice &slice, int64_t at,
                                     bool lives)
{
    int const n = a.n, end = lives ? n * n : 0;
    geev_record const record = begin_matrix(team, a, slice.p, slice.first + at, lives);
    real *const factors = (real *)a.row;
    bool const good = lives && record.info == EIG_INFO_OK;
    schur_reduce<L>(team, a, good ? record.lo : 0, good ? record.hi : -1, factors);
    bool const keeps = geev_keeps_forms(&slice.p);
    geev_single_form<real, entry> const form((char *)slice.forms + at * slice.form_bytes, n);
    entry *const packed = geev_packed_matrix<entry>(slice, at);
    if (lives && team.rank == 0) slice.records[at] = record;
    for (int i = team.rank; lives && i < n; i += team_type::size) slice.origins[at * n + i] = a.origin[i];
    for (int i = team.rank; lives && keeps && i < n; i += team_type::size)
        form.scale[i] = a.scale[i], form.factor[i] = factors[i];
    for (int e = team.rank; e < end; e += team_type::size) {
        int const i = e / n, j = e % n;
        entry const x = a.at(i, j);
        if (keeps) form.h[e] = x;
        if (j >= i - 1) packed[place_of(n, i, j)] = x;
    }
}

template <int P> static __global__ void reduce_lanes(geev_slice slice, bool, int bytes, bool)
{
    schur_area<entry> const area = lanes_area<P>(slice.p, bytes, false, false);
    int64_t const at = lanes_first<P>() + threadIdx.x % 32 / P;
    bool const lives = at < slice.count;
    reduce_matrix<1>(lane_team<P>(threadIdx.x % 32), area, slice, lives ? at : 0, lives);
}

template <int W> static __global__ void __launch_bounds__(32 * W) reduce_block(geev_slice slice, int bytes)
{
    __shared__ double space[W];
    schur_area<entry> const area = lanes_area<32 * W>(slice.p, bytes, false, false);
    reduce_matrix<4>(block_team<32 * W>{(int)threadIdx.x, space}, area, slice, blockIdx.x, true);
}

/* ---------------------------------------------------------------- the iteration */

/* Bytes of a team's matrix. */
template <int S> static __host__ __device__ size_t single_bytes(int n)
{
    return (size_t)(n * (n + 1) / 2 + n - 1 + single_area<real, S>::PADDING) * sizeof(entry);
}

template <int P, int S> static __global__ void single_kernel(geev_slice slice, bool, int bytes, bool)
{
    extern __shared__ __align__(16) char lanes_memory[];
    lane_team<P> const team(threadIdx.x % 32);
    int const n = (int)slice.p.n;
    int64_t const at = lanes_first<P>() + threadIdx.x % 32 / P, m = at < slice.count ? at : 0;
    single_area<real, S> a;
    a.n = n, a.h = (entry *)(lanes_memory + threadIdx.x / P * bytes);
    a.w = a.own = (entry *)((char *)a.h + single_bytes<S>(n)), a.origin = slice.origins + m * n;
    const entry *const packed = geev_packed_matrix<entry>(slice, m);
    int const entries = n * (n + 1) / 2 + n - 1;
#pragma unroll 8
    for (int e = team.rank; e < entries; e += P) a.h[e] = packed[e];
    geev_record const record = slice.records[m];
    bool const lives = at < slice.count, finite = lives && record.info == EIG_INFO_OK;
    int const lo = finite ? record.lo : 0, hi = finite ? record.hi : -1;
    team.sync(); /* the matrix is there */
    int info = schur_iterate(team, a, lo, hi, finite, slice.p.max_steps);
    if (!finite) info = record.info;
    team.sync();
    for (int k = team.rank; k < n; k += P) a.w[k] = a.at(k, k);
    team.sync();
    store_values(team, a, slice.p, slice.first + m, lives, record, info);
}

/* --------------------------------------------------------------- launchers */

template <int W> static eig_status launch_reduce(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    geev_problem values = slice.p;
    values.vectors = false;
    size_t const bytes = lanes_bytes(&values, 32, false);
    return cuda_launch(ctx, "geev: reduce_block", stream, {slice.count, 32 * W, bytes}, reduce_block<W>, slice,
                       (int)bytes);
}

template <int P> static eig_status launch_reduce_lanes(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    geev_problem values = slice.p;
    values.vectors = false;
    return launch_lanes<P>(ctx, "geev: reduce_lanes", slice, lanes_bytes(&values, P, false), false, stream,
                           reduce_lanes<P>, false);
}

eig_status TYPED(eig_cuda_geev_reduce)(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    if (slice.p.n <= 8) return launch_reduce_lanes<8>(ctx, slice, stream);
    if (slice.p.n <= 16) return launch_reduce_lanes<16>(ctx, slice, stream);
    if (slice.p.n <= 32) return launch_reduce_lanes<32>(ctx, slice, stream);
    if (slice.p.n <= 48) return launch_reduce<6>(ctx, slice, stream);
    return slice.p.n <= GEEV_MOST ? launch_reduce<8>(ctx, slice, stream) : launch_reduce<16>(ctx, slice, stream);
}

template <int P, int S> static eig_status launch_single(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    int const n = (int)slice.p.n;
    size_t const bytes = spread_bytes((single_bytes<S>(n) + (size_t)n * sizeof(entry) + 15) / 16 * 16, P);
    return launch_lanes<P>(ctx, "geev: single_kernel", slice, bytes, false, stream, single_kernel<P, S>, false);
}

eig_status TYPED(eig_cuda_geev_single)(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    int64_t const n = slice.p.n;
    if (n <= 8) return launch_single<4, 2>(ctx, slice, stream);
    if (n <= 16) return launch_single<4, 4>(ctx, slice, stream);
    if (n <= 32) return launch_single<8, 4>(ctx, slice, stream);
    if (n <= 48) return launch_single<16, 3>(ctx, slice, stream);
    if (n <= 64) return launch_single<32, 2>(ctx, slice, stream);
    return launch_single<32, 3>(ctx, slice, stream);
}
