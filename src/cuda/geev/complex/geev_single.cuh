/* Single-shift QR for the eigenvalues of a complex Hessenberg matrix, which lies packed in shared memory: a sweep.  The rest
 * of the iteration is that of geev_schur.cuh.
 *
 * Slots    lane r of a team owns the indices r, r + P, ..., its slots: a row of the window while it is above the bulge, a
 *          column while it is to the right of it.  Of the two entries that a rotation changes, a slot keeps in registers the
 *          one that the next rotation changes again: a step loads an entry and stores one.
 * Bulge    every lane holds rows k and k + 1 of columns k and k + 1.  It makes the next rotation from them, while the slots go
 *          through the present one. */
#ifndef EIG_GEEV_SINGLE_CUH
#define EIG_GEEV_SINGLE_CUH

#include "geev/schur/geev_schur_matrix.cuh"

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
static __device__ __forceinline__ double held_back(double x, double y)
{
    long long bits = __double_as_longlong(x);
    asm("" : "+l"(bits) : "l"(__double_as_longlong(y)));
    return __longlong_as_double(bits);
}
static __device__ __forceinline__ float held_back(float x, float y)
{
    int bits = __float_as_int(x);
    asm("" : "+r"(bits) : "r"(__float_as_int(y)));
    return __int_as_float(bits);
}

/* A sweep from row `start` on.  The teams of a warp sweep side by side; one that is done repeats its last step, and stores
 * nothing.  Slots beyond the window are computed, too, and not stored. */
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

#endif
