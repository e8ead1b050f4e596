/* geev on CUDA, n > GEEV_MOST: a small window by one warp: its real Schur form, and early aggressive deflation.
 *
 * The window T of order n <= 16 and the transformation V that goes with it lie in shared memory, row by row.  The
 * steps are those of LAPACK's dlahqr, dlanv2 and dlaqr2 (K. Braman, R. Byers and R. Mathias, The multishift QR
 * algorithm II: aggressive early deflation, 2002), with one difference: a converged eigenvalue above one that has not
 * converged is left where it is.  Moving it down took more steps, not fewer: the shifts then come in another order. */
#ifndef EIG_GEEV_WINDOW_CUH
#define EIG_GEEV_WINDOW_CUH

#include "geev/geev_reflector.cuh"
#include "primitives/team.cuh"

/* An entry in memory, and how far its right neighbour is. */
template <typename entry> struct geev_place {
    entry *p;
    int s;

    __device__ __forceinline__ geev_place right() const
    {
        return {p + s, s};
    }
};
/* A square matrix in shared or global memory: entry (r, c) at base[r*ld + c]. */
template <typename entry> struct geev_square {
    static constexpr bool complex = entry_kind<entry>::complex;
    entry *base;
    int64_t ld;
    __device__ __forceinline__ entry &operator()(int r, int c) const
    {
        return base[r * ld + c];
    }
    /* The distance between neighbours of a row, and row r from its column 0 on. */
    __device__ __forceinline__ int step(int) const
    {
        return 1;
    }
    __device__ __forceinline__ entry *row(int r) const
    {
        return base + r * ld;
    }
    /* Goes down a column. */
    struct walker {
        entry *p;
        int64_t ld;
        __device__ __forceinline__ geev_place<entry> place() const
        {
            return {p, 1};
        }
        __device__ __forceinline__ void down(int rows)
        {
            p += rows * ld;
        }
    };
    __device__ __forceinline__ walker walk(int r, int c) const
    {
        return {base + r * ld + c, ld};
    }
};

/* The two shifts of a bulge: re1 + i im and re2 - i im, as francis_shifts gives them; any two of complex matrices. */
template <typename entry> struct geev_shifts {
    entry re1, re2, im;
    /* A multiple of the first column of (H - s1)(H - s2). */
    __device__ __forceinline__ void first_column(entry h00, entry h01, entry h10, entry h11, entry h21,
                                                 entry (&v)[3]) const
    {
        francis_first_column(h00, h01, h10, h11, h21, re1, re2, im, &v[0], &v[1], &v[2]);
    }
};
template <typename real_type> struct geev_shifts<number_of<real_type, true>> {
    using real = real_type;
    using complex = complex_of<real>;
    complex s1, s2;
    __device__ __forceinline__ void first_column(complex h00, complex h01, complex h10, complex h11, complex h21,
                                                 complex (&v)[3]) const
    {
        complex const top = difference(h00, s2);
        real const scale = pow2_inverse(pow2_floor(fmax(taxicab(top) + taxicab(h10), real_limits<real>::safmin)));
        complex const sub = scaled(scale, h10);
        v[0] = product_add(difference(h00, s1), scaled(scale, top), product(sub, h01));
        v[1] = product(sub, total(difference(h00, s1), difference(h11, s2)));
        v[2] = product(sub, h21);
    }
};

/* The rotation [cs sn; -sn cs] that makes [a b; c d] triangular, or gives it equal diagonal entries and b c < 0:
 * dlanv2, by fast approximations. */
template <typename real>
static __device__ __forceinline__ void standardise(real &a, real &b, real &c, real &d, real &cs, real &sn)
{
    real const eps = real_limits<real>::eps;
    cs = 1, sn = 0;
    if (c == 0) return;
    if (b == 0) {
        real const t = d;
        cs = 0, sn = 1, d = a, a = t, b = -c, c = 0;
        return;
    }
    if (a == d && (b < 0) != (c < 0)) return;
    real const p = (real)0.5 * (a - d), more = fmax(fabs(b), fabs(c)),
               less = copysign(fmin(fabs(b), fabs(c)), (b < 0) == (c < 0) ? (real)1 : -(real)1);
    /* numbers divided by a power of two, so that no square is too large or too small */
    real const unit = pow2_floor(fmax(fmax(fabs(p), more), real_limits<real>::safmin)), scale = pow2_inverse(unit);
    real const q = scale * p, z = fma(q, q, (scale * more) * (scale * less));
    if (z >= 4 * eps) {
        real const root = q + copysign(fast_sqrt(z), q), sub = scale * c,
                   inverse = fast_rsqrt(fma(root, root, sub * sub));
        a = d + unit * root, d = d - (scale * more) * fast_reciprocal(root) * less;
        cs = root * inverse, sn = sub * inverse, b = b - c, c = 0;
        return;
    }
    real sigma = b + c, turn = p; /* scaled by themselves: beside b = -c a tiny turn would vanish */
    real const largest = fmax(fabs(sigma), fabs(turn));
    if (largest == 0) {
        a = d;
        return;
    }
    real const again = pow2_inverse(pow2_floor(fmax(largest, real_limits<real>::safmin)));
    sigma *= again, turn *= again;
    real const inverse = fast_rsqrt(fma(sigma, sigma, 4 * turn * turn)),
               square = (real)0.5 * fma(fabs(sigma), inverse, (real)1), secant = fast_rsqrt(square);
    cs = square * secant;
    sn = -(turn * inverse * secant) * copysign((real)1, sigma);
    real const aa = a * cs + b * sn, bb = -a * sn + b * cs, cc = c * cs + d * sn, dd = -c * sn + d * cs;
    b = bb * cs + dd * sn, c = -aa * sn + cc * cs;
    real const mean = (real)0.5 * ((aa * cs + cc * sn) + (-bb * sn + dd * cs));
    a = d = mean;
    if (c == 0) return;
    if (b == 0) {
        real const t = cs;
        b = -c, c = 0, cs = -sn, sn = t;
    } else if ((b < 0) == (c < 0)) {
        real const sab = sqrt(fabs(b)), sac = sqrt(fabs(c)), root = copysign(sab * sac, c);
        real const inverse = 1 / sqrt(fabs(b + c)), cs1 = sab * inverse, sn1 = sac * inverse, t = cs;
        a = mean + root, d = mean - root, b = b - c, c = 0;
        cs = t * cs1 - sn * sn1, sn = t * sn1 + sn * cs1;
    }
}

/* Whether h[k][k-1] is negligible; lo, hi: where h ends. */
template <typename real, typename view>
static __device__ __forceinline__ bool is_negligible_real(view h, int lo, int hi, int k, real tiny)
{
    real const sub = h(k, k - 1), upper = h(k - 1, k - 1), lower = h(k, k);
    real beside = 0;
    if (upper == 0 && lower == 0)
        beside = (k - 2 >= lo ? fabs(h(k - 1, k - 2)) : (real)0) + (k < hi ? fabs(h(k + 1, k)) : (real)0);
    return francis_may_deflate(sub, upper, lower, beside, tiny) &&
           francis_deflates(sub, h(k - 1, k), upper, lower, beside, tiny);
}

template <typename real, typename view>
static __device__ __forceinline__ bool is_negligible_complex(view h, int lo, int hi, int k, real tiny)
{
    complex_of<real> const upper = h(k - 1, k - 1), lower = h(k, k);
    real const s = taxicab(h(k, k - 1)), e = taxicab(upper), a = taxicab(lower);
    real beside = 0;
    if (e + a == 0)
        beside = (k - 2 >= lo ? taxicab(h(k - 1, k - 2)) : (real)0) + (k < hi ? taxicab(h(k + 1, k)) : (real)0);
    if (!(s <= tiny || s <= real_limits<real>::eps * (e + a == 0 ? beside : e + a))) return false;
    return francis_negligible(s, taxicab(h(k - 1, k)), e, a, taxicab(difference(upper, lower)), beside, tiny);
}

template <typename real, typename view>
static __device__ __forceinline__ bool subdiagonal_negligible(view h, int lo, int hi, int k, real tiny)
{
    if constexpr (view::complex)
        return is_negligible_complex(h, lo, hi, k, tiny);
    else
        return is_negligible_real(h, lo, hi, k, tiny);
}

/* The largest row k in first+1..i with a negligible h[k][k-1]; first: there is none.  lo, hi: where h ends. */
template <typename real, typename team_type, typename view>
static __device__ __forceinline__ int last_negligible(team_type team, view h, int lo, int hi, int first, int i,
                                                      real tiny)
{
    int found = first;
    for (int k = i - team.rank; k > first && found == first; k -= team_type::size)
        if (subdiagonal_negligible(h, lo, hi, k, tiny)) found = k;
    return team.max(found);
}

/* The same by a warp, which looks at 32 rows at a time. */
template <typename real, typename view>
static __device__ __forceinline__ int last_negligible(lane_team<32> team, view h, int lo, int hi, int first, int i,
                                                      real tiny)
{
    for (int end = i; end > first; end -= 32) {
        int const k = end - team.rank;
        unsigned const found = __ballot_sync(team.all, k > first && subdiagonal_negligible(h, lo, hi, k, tiny));
        if (found) return end + 1 - __ffs((int)found);
    }
    return first;
}

/* A double-shift sweep on l..i of the window, i >= l + 2; rows and columns of all of T, and V, take part where `full`.
 *
 * Lanes    lane q of the first 16 owns row q of T while it is above the bulge, and column q while it is right of it;
 *          lane 16 + q owns row q of V.  It keeps the two entries there that the next reflector needs again: a step
 *          loads one entry, computes three, stores one.
 * Bulge    every lane holds the block under the bulge, and so knows the next reflector without asking: geev_chase.cuh.
 *          The column that enters the block comes from its lane.
 * Chain    a step waits for its reflector and for the three applications that the next one needs; all else, and the
 *          loads of the next step, are in the shadow of the next reflector, without a branch between them. */
template <typename real, typename warp>
static __device__ void schur_sweep(warp team, geev_square<real> t, geev_square<real> v, int n, int l, int i, bool full,
                                   real re1, real re2, real im)
{
    enum { ALWAYS = 1 << 20 };
    int const q = team.rank % 16, ld = (int)t.ld;
    bool const of_v = team.rank >= 16, row_already = of_v || q < l;
    bool const owns = of_v ? full && q < n : full ? q < n : q >= l && q <= i;
    real *const row = of_v ? v.row(q < n ? q : 0) : t.row(q < n ? q : 0), *const column = t.base + (q < n ? q : 0);
    int const leaves = row_already ? -1 : q;               /* the block, as a row, at this step */
    int acts = !owns ? -1 : row_already ? (int)ALWAYS : q; /* at columns below this, and at its own loads */
    real *at = row_already ? row + l : column + l * ld;    /* entry k of the row or column */
    int apart = row_already ? 1 : ld;
    real *corner = t.row(l) + l; /* entry (k, k) */
    real b00 = corner[0], b01 = corner[1], b10 = corner[ld], b11 = corner[ld + 1], b20 = 0, b21 = corner[2 * ld + 1],
         c2 = corner[2 * ld + 2], sub = l + 3 <= i ? corner[3 * ld + 2] : (real)0;
    real v0, v1, v2, x0 = 0, x1 = 0, x2 = 0, beta;
    bool tiny;
    if (owns) x0 = at[0], x1 = at[apart];
    if (l + 2 < acts) x2 = at[2 * apart];
    real c0 = __shfl_sync(team.all, x0, l + 2), c1 = __shfl_sync(team.all, x1, l + 2);
    francis_first_column(b00, b01, b10, b11, b21, re1, re2, im, &v0, &v1, &v2);
    reflector3<real> r = quick_reflector(v0, v1, v2, &beta, &tiny);
    if (__builtin_expect(tiny, 0)) r = any_reflector(v0, v1, v2, &beta);
    team.sync(); /* all have loaded before the first step stores */
    for (int k = l; k + 2 <= i; ++k) {
        real *const diagonal = corner;
        bool const more = k + 3 <= i, stores = k + 2 < acts;
        r.apply(b00, b10, b20), r.apply(b01, b11, b21), r.apply(c0, c1, c2);
        r.apply(b10, b11, c1), r.apply(b20, b21, c2);
        real const dot = -r.u2 * sub;
        v0 = b10, v1 = b20, v2 = dot * r.tau; /* of column k */
        reflector3<real> next = quick_reflector(v0, v1, v2, &beta, &tiny);
        r.apply(b00, b01, c0);
        r.apply(x0, x1, x2);
        if (team.rank == 0) diagonal[0] = b00;
        if (stores) at[0] = x0;
        bool const leaving = k == leaves;
        x0 = leaving ? b01 : x1, x1 = leaving ? c0 : x2;
        b00 = b11, b01 = c1, b10 = b21, b11 = c2, b20 = dot * r.t1, b21 = fma(dot, r.t2, sub);
        at = leaving ? row + k + 1 : at + apart, apart = leaving ? 1 : apart;
        acts = leaving && owns ? (int)ALWAYS : acts;
        corner += ld + 1;
        team.sync(); /* entries of rows that were columns' are there */
        if (more && k + 3 < acts) x2 = at[2 * apart];
        c2 = more ? corner[2 * ld + 2] : (real)0;
        sub = k + 4 <= i ? corner[3 * ld + 2] : (real)0;
        c0 = __shfl_sync(team.all, x0, more ? k + 3 : 0), c1 = __shfl_sync(team.all, x1, more ? k + 3 : 0);
        if (__builtin_expect(tiny, 0)) next = any_reflector(v0, v1, v2, &beta);
        if (team.rank == 0) diagonal[ld] = beta;
        r = next;
    }
    real none = 0;
    r.apply(b00, b10, none), r.apply(b01, b11, none), r.apply(b00, b01, none), r.apply(b10, b11, none);
    r.apply(x0, x1, none);
    if (i < acts) at[0] = x0, at[apart] = x1;
    if (team.rank == 0) t(i - 1, i - 1) = b00, t(i - 1, i) = b01, t(i, i - 1) = b10, t(i, i) = b11;
    team.sync(); /* the window is complete */
}

/* Splits the block l, l+1 of T, or makes it standard. */
template <typename real, typename warp>
static __device__ __forceinline__ void schur_block(warp team, geev_square<real> t, geev_square<real> v, int n, int l,
                                                   bool full)
{
    real a = t(l, l), b = t(l, l + 1), c = t(l + 1, l), d = t(l + 1, l + 1), cs, sn;
    standardise(a, b, c, d, cs, sn);
    team.sync(); /* all have read the block */
    if (team.rank == 0) t(l, l) = a, t(l, l + 1) = b, t(l + 1, l) = c, t(l + 1, l + 1) = d;
    if (full) {
        for (int q = l + 2 + team.rank; q < n; q += warp::size) {
            real const x = t(l, q), y = t(l + 1, q);
            t(l, q) = cs * x + sn * y, t(l + 1, q) = cs * y - sn * x;
        }
        for (int q = team.rank; q < l + n; q += warp::size) {
            real *const at = q < l ? &t(q, l) : &v(q - l, l);
            real const x = at[0], y = at[1];
            at[0] = cs * x + sn * y, at[1] = cs * y - sn * x;
        }
    }
    team.sync();
}

/* The real Schur form of the Hessenberg matrix T, V := V Q; without `full` the diagonal blocks alone.  Returns the
 * number of leading rows that did not converge. */
template <typename real, typename warp>
static __device__ __forceinline__ int schur(warp team, geev_square<real> t, geev_square<real> v, int n, bool full)
{
    enum { MOST_STEPS = 300 };
    real const tiny = real_limits<real>::safmin * ((real)n / real_limits<real>::eps);
    int i = n - 1, l = 0, steps = 0;
    while (i >= 0) {
        l = last_negligible(team, t, 0, n - 1, l, i, tiny);
        team.sync();
        if (l > 0 && team.rank == 0) t(l, l - 1) = 0;
        if (l >= i - 1) {
            team.sync();
            if (l == i - 1) schur_block(team, t, v, n, l, full);
            i = l - 1, l = 0, steps = 0;
            continue;
        }
        if (++steps > MOST_STEPS) return i + 1;
        real h11 = t(i - 1, i - 1), h12 = t(i - 1, i), h21 = t(i, i - 1), h22 = t(i, i), re1, re2, im;
        francis_step const kind = francis_step_of(steps);
        if (kind == FRANCIS_AT_BOTTOM)
            francis_exceptional(h22, h21, t(i - 1, i - 2), &h11, &h12, &h21, &h22);
        else if (kind == FRANCIS_AT_TOP)
            francis_exceptional(t(l, l), t(l + 1, l), t(l + 2, l + 1), &h11, &h12, &h21, &h22);
        fast_shifts(h11, h12, h21, h22, &re1, &re2, &im);
        team.sync(); /* the subdiagonal entry is zero, all have read the shifts' block */
        schur_sweep(team, t, v, n, l, i, full, re1, re2, im);
    }
    return 0;
}

/* A single-shift sweep on l..i of a complex window, i > l, likewise. */
template <typename real, typename warp>
static __device__ void single_sweep(warp team, geev_square<complex_of<real>> t, geev_square<complex_of<real>> v, int n,
                                    int l, int i, bool full, complex_of<real> shift)
{
    using complex = complex_of<real>;
    int const q = team.rank % 16, top = full ? 0 : l, right = full ? n - 1 : i;
    bool const of_v = team.rank >= 16, owns = of_v ? full && q < n : q >= top && q <= right;
    complex *const row = of_v ? v.row(q < n ? q : 0) : t.row(q < n ? q : 0), *const column = t.base + (q < n ? q : 0);
    int const ld = (int)t.ld;
    complex b0 = t(l, l), b1 = t(l + 1, l), v0 = difference(b0, shift), v1 = b1, none = {0, 0}, x0 = {0, 0}, beta;
    bool is_row = of_v || q < l;
    if (owns) x0 = is_row ? row[l] : column[l * ld];
    team.sync(); /* all have loaded before the first step stores */
    for (int k = l; k < i; ++k) {
        const complex *const corner = t.row(k) + k + 1;
        complex c0 = corner[0], c1 = corner[ld], f0 = none, f1 = k + 2 <= i ? corner[2 * ld] : none, x1 = none;
        bool const is_column = !of_v && q > k + 1;
        is_row = of_v || q < k;
        if (owns && (is_row || is_column)) x1 = is_row ? row[k + 1] : column[(k + 1) * ld];
        reflector3<complex> const r = any_reflector(v0, v1, none, &beta);
        if (k > l && team.rank == 0) t(k, k - 1) = beta;
        r.left(b0, b1, none), r.left(c0, c1, none);
        r.right(b0, c0, none), r.right(b1, c1, none), r.right(f0, f1, none);
        if (is_column)
            r.left(x0, x1, none);
        else
            r.right(x0, x1, none);
        if (team.rank == 0) t(k, k) = b0;
        if (owns && (is_row || is_column)) {
            *(is_row ? row + k : column + k * ld) = x0;
            if (!of_v && q == k + 2 && q <= i) column[(k + 1) * ld] = x1; /* enters the block */
        }
        x0 = !of_v && q == k ? c0 : x1;
        v0 = b1, v1 = f0, b0 = c1, b1 = f1;
        team.sync(); /* column k+2 is there */
    }
    is_row = of_v || q < i;
    if (owns && is_row) row[i] = x0;
    if (owns && !is_row && q > i) column[i * ld] = x0;
    if (team.rank == 0) t(i, i - 1) = v0, t(i, i) = b0;
    team.sync(); /* the window is complete */
}

/* The Schur form of a complex window. */
template <typename real, typename warp>
static __device__ __forceinline__ int schur(warp team, geev_square<complex_of<real>> t, geev_square<complex_of<real>> v,
                                            int n, bool full)
{
    using complex = complex_of<real>;
    enum { MOST_STEPS = 300 };
    real const tiny = real_limits<real>::safmin * ((real)n / real_limits<real>::eps);
    int i = n - 1, l = 0, steps = 0;
    while (i >= 0) {
        l = last_negligible(team, t, 0, n - 1, l, i, tiny);
        team.sync();
        if (l > 0 && team.rank == 0) t(l, l - 1) = complex{0, 0};
        team.sync();
        if (l == i) {
            --i, l = 0, steps = 0;
            continue;
        }
        if (++steps > MOST_STEPS) return i + 1;
        complex const h11 = t(i - 1, i - 1), h12 = t(i - 1, i), h21 = t(i, i - 1), h22 = t(i, i);
        complex shift;
        francis_step const kind = francis_step_of(steps);
        if (kind == FRANCIS_AT_BOTTOM) {
            shift = complex{h22.re + (real)0.75 * taxicab(h21), h22.im};
        } else if (kind == FRANCIS_AT_TOP) {
            shift = complex{t(l, l).re + (real)0.75 * taxicab(t(l + 1, l)), t(l, l).im};
        } else {
            real const x11[2] = {h11.re, h11.im}, x12[2] = {h12.re, h12.im}, x21[2] = {h21.re, h21.im},
                       x22[2] = {h22.re, h22.im};
            schur_shift(x11, x12, x21, x22, &shift.re, &shift.im);
        }
        team.sync(); /* all have read the shift's block */
        single_sweep<real>(team, t, v, n, l, i, full, shift);
    }
    return 0;
}

template <typename real>
static __device__ __forceinline__ void schur_value(geev_square<complex_of<real>> t, int, int k, real *re, real *im)
{
    *re = t(k, k).re, *im = t(k, k).im;
}

template <typename real, typename warp>
static __device__ __forceinline__ int undeflated(warp, geev_square<complex_of<real>> t, geev_square<complex_of<real>> v,
                                                 int n, int open, complex_of<real> s, real tiny, const real *)
{
    int left = n;
    for (; left > open; --left) {
        real const own = taxicab(t(left - 1, left - 1)), size = own == 0 ? taxicab(s) : own;
        if (!(taxicab(s) * taxicab(v(0, left - 1)) <= fmax(tiny, real_limits<real>::eps * size))) break;
    }
    return left;
}

/* Eigenvalue k of the quasi-triangular T, whose blocks of order 2 are standard. */
template <typename real>
static __device__ __forceinline__ void schur_value(geev_square<real> t, int n, int k, real *re, real *im)
{
    real const below = k + 1 < n ? t(k + 1, k) : (real)0, before = k > 0 ? t(k, k - 1) : (real)0;
    *re = t(k, k), *im = 0;
    if (below != 0)
        *im = sqrt(fabs(t(k, k + 1))) * sqrt(fabs(below));
    else if (before != 0)
        *im = -sqrt(fabs(t(k - 1, k))) * sqrt(fabs(before));
}

/* How many trailing eigenvalues of T are deflated, where the entry beside the window is s: those whose entry of the
 * spike s V[0][.] is negligible.  A lane looks at each row; im: imaginary parts of the eigenvalues.  Returns how many
 * are left. */
template <typename real, typename warp>
static __device__ __forceinline__ int undeflated(warp team, geev_square<real> t, geev_square<real> v, int n, int open,
                                                 real s, real tiny, const real *im)
{
    int const k = team.rank;
    bool pair = false, small = false; /* row k is the second of a pair; it is deflated */
    if (k >= open && k < n) {
        pair = k > 0 && t(k, k - 1) != 0;
        real size = fabs(t(k, k)), spike = fabs(s * v(0, k));
        if (pair) size += fabs(im[k]), spike = fmax(spike, fabs(s * v(0, k - 1)));
        if (size == 0) size = fabs(s);
        small = spike <= fmax(tiny, real_limits<real>::eps * size);
    }
    unsigned const pairs = __ballot_sync(team.all, pair), all_small = __ballot_sync(team.all, small);
    int left = n;
    while (left > open && (all_small >> (left - 1) & 1)) left -= pairs >> (left - 1) & 1 ? 2 : 1;
    return left;
}

/* Applies I - tau u u', u in entries 0..length-1 of u, to rows and columns from..from+length-1 of T (its leading
 * `order` rows and all of its n columns) and to the columns of V. */
template <typename entry, typename warp>
static __device__ __forceinline__ void reflect_window(warp team, geev_square<entry> t, geev_square<entry> v, int n,
                                                      int order, int first, int from, int length, const entry *u,
                                                      real_of<entry> tau)
{
    for (int c = first + team.rank; c < n; c += warp::size) {
        entry sum = entry{};
        for (int r = 0; r < length; ++r) sum = conj_product_add(u[r], t(from + r, c), sum);
        sum = scaled(-tau, sum);
        for (int r = 0; r < length; ++r) t(from + r, c) = product_add(sum, u[r], t(from + r, c));
    }
    team.sync();
    for (int x = team.rank; x < order + n; x += warp::size) {
        entry *const at = x < order ? &t(x, from) : &v(x - order, from);
        entry sum = entry{};
        for (int c = 0; c < length; ++c) sum = product_add(u[c], at[c], sum);
        sum = scaled(-tau, sum);
        for (int c = 0; c < length; ++c) at[c] = conj_product_add(u[c], sum, at[c]);
    }
    team.sync();
}

/* After a deflation: turns the spike of the `left` leading columns into its first entry, and T to Hessenberg form
 * again.  u: [n] work.  Leaves what the spike is multiplied by in the conjugate of V[0][0]. */
template <typename entry, typename warp>
static __device__ __forceinline__ void restore_window(warp team, geev_square<entry> t, geev_square<entry> v, int n,
                                                      int left, entry *u)
{
    using real = real_of<entry>;
    bool const turns = entry_kind<entry>::complex && team.rank < left;
    entry beta;
    if (turns) v(0, team.rank) = conj(v(0, team.rank));
    team.sync(); /* the spike is there */
    real tau = make_reflector(team, v.base, 1, left, u, &beta);
    team.sync();
    if (turns) v(0, team.rank) = conj(v(0, team.rank));
    team.sync();
    if (tau != 0) reflect_window(team, t, v, n, left, 0, 0, left, u, tau);
    for (int k = 0; k + 2 < left; ++k) {
        tau = make_reflector(team, &t(k + 1, k), t.ld, left - k - 1, u, &beta);
        team.sync();
        if (tau != 0) reflect_window(team, t, v, n, left, k, k + 1, left - k - 1, u, tau);
        for (int r = k + 2 + team.rank; r < left; r += warp::size) t(r, k) = entry{};
        team.sync();
    }
}

#endif
