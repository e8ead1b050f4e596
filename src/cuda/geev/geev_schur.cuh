/* geev on CUDA, n > GEEV_MOST: a small window by one warp: its real Schur form, and early aggressive deflation.
 *
 * The window T of order n <= 2 * 32 and the transformation V that goes with it lie in shared memory, row by row.  The
 * steps are those of LAPACK's dlahqr, dlanv2 and dlaqr2 (K. Braman, R. Byers and R. Mathias, The multishift QR
 * algorithm II: aggressive early deflation, 2002), with one difference: a converged eigenvalue above one that has not
 * converged is left where it is.  Moving it down took more steps, not fewer: the shifts then come in another order. */
#ifndef EIG_GEEV_SCHUR_CUH
#define EIG_GEEV_SCHUR_CUH

#include "geev_reflector.cuh"

/* A square matrix in shared or global memory: entry (r, c) at base[r*ld + c]. */
template <typename real> struct geev_square {
    real *base;
    int64_t ld;
    __device__ __forceinline__ real &operator()(int r, int c) const
    {
        return base[r * ld + c];
    }
    /* The distance between neighbours of a row, and row r from its column 0 on. */
    __device__ __forceinline__ int step(int) const
    {
        return 1;
    }
    __device__ __forceinline__ real *row(int r) const
    {
        return base + r * ld;
    }
};

/* reflector_of for any numbers: they are scaled by a power of two where their squares would lose digits.  Inline, unlike
 * tiny_reflector: a call would keep what a thread holds out of registers. */
template <typename real>
static __device__ __forceinline__ reflector3<real> any_reflector(real v0, real v1, real v2, real *beta)
{
    constexpr real least = 4 * real_limits<real>::square_safe * real_limits<real>::square_safe;
    real square = fma(v2, v2, fma(v1, v1, v0 * v0)), unit = 1;
    bool const acts = v1 != 0 || v2 != 0;
    if (square < least) {
        unit = pow2_floor(fmax(fmax(fabs(v0), real_limits<real>::safmin), fmax(fabs(v1), fabs(v2))));
        real const scale = pow2_inverse(unit);
        v0 *= scale, v1 *= scale, v2 *= scale;
        square = fma(v2, v2, fma(v1, v1, v0 * v0));
    }
    reflector3<real> const r = reflector_of(acts, v0, v1, v2, square, beta);
    *beta *= unit;
    return r;
}

/* The rotation [cs sn; -sn cs] that makes [a b; c d] triangular, or gives it equal diagonal entries and b c < 0: dlanv2. */
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
    real const difference = a - d, p = (real)0.5 * difference;
    real const more = fmax(fabs(b), fabs(c)),
               less = copysign(fmin(fabs(b), fabs(c)), (b < 0) == (c < 0) ? (real)1 : -(real)1);
    real const scale = fmax(fabs(p), more), z = p / scale * p + more / scale * less;
    if (z >= 4 * eps) {
        real const root = p + copysign(sqrt(scale) * sqrt(z), p), size = hypot(c, root);
        a = d + root, d = d - more / root * less;
        cs = root / size, sn = c / size, b = b - c, c = 0;
        return;
    }
    real const sigma = b + c, size = hypot(sigma, difference);
    cs = sqrt((real)0.5 * (1 + fabs(sigma) / size));
    sn = -(p / (size * cs)) * copysign((real)1, sigma);
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

/* The largest row k in first+1..i with a negligible h[k][k-1]; first: there is none.  lo, hi: where h ends. */
template <typename real, typename team_type, typename view>
static __device__ __forceinline__ int last_negligible(team_type team, view h, int lo, int hi, int first, int i,
                                                      real tiny)
{
    int found = first;
    for (int k = i - team.rank; k > first && found == first; k -= team_type::size) {
        real const sub = h(k, k - 1), upper = h(k - 1, k - 1), lower = h(k, k);
        real beside = 0;
        if (upper == 0 && lower == 0)
            beside = (k - 2 >= lo ? fabs(h(k - 1, k - 2)) : (real)0) + (k < hi ? fabs(h(k + 1, k)) : (real)0);
        if (francis_may_deflate(sub, upper, lower, beside, tiny) &&
            francis_deflates(sub, h(k - 1, k), upper, lower, beside, tiny))
            found = k;
    }
    return team.max(found);
}

/* A double-shift sweep on l..i of the window; rows and columns of all of T, and V, take part where `full`. */
template <typename real, typename warp>
static __device__ __forceinline__ void schur_sweep(warp team, geev_square<real> t, geev_square<real> v, int n, int l,
                                                   int i, bool full, real re1, real re2, real im)
{
    int const top = full ? 0 : l, right = full ? n - 1 : i, more = full ? n : 0;
    real v0, v1, v2;
    francis_first_column(t(l, l), t(l, l + 1), t(l + 1, l), t(l + 1, l + 1), t(l + 2, l + 1), re1, re2, im, &v0, &v1,
                         &v2);
    for (int k = l; k < i; ++k) {
        bool const three = k + 2 <= i;
        if (k > l) v0 = t(k, k - 1), v1 = t(k + 1, k - 1), v2 = three ? t(k + 2, k - 1) : (real)0;
        int c = k + team.rank;
        real *const top_row = &t(k, 0), *const middle = &t(k + 1, 0), *const low = &t(three ? k + 2 : k + 1, 0);
        real x0 = 0, x1 = 0, x2 = 0; /* loaded while the reflector is made */
        if (c <= right) x0 = top_row[c], x1 = middle[c], x2 = three ? low[c] : (real)0;
        real beta;
        reflector3<real> const r = any_reflector(v0, v1, v2, &beta);
        team.sync(); /* all have read column k-1 */
        if (k > l && team.rank == 0) {
            t(k, k - 1) = beta, t(k + 1, k - 1) = 0;
            if (three) t(k + 2, k - 1) = 0;
        }
        while (c <= right) {
            r.apply(x0, x1, x2);
            if (three) low[c] = x2;
            top_row[c] = x0, middle[c] = x1;
            c += warp::size;
            if (c <= right) x0 = top_row[c], x1 = middle[c], x2 = three ? low[c] : (real)0;
        }
        team.sync(); /* rows k..k+2 are complete */
        int const rows = (k + 3 < i ? k + 3 : i) - top + 1;
        for (int x = team.rank; x < rows + more; x += warp::size) {
            real *const at = x < rows ? &t(top + x, k) : &v(x - rows, k);
            x0 = at[0], x1 = at[1], x2 = three ? at[2] : (real)0;
            r.apply(x0, x1, x2);
            at[0] = x0, at[1] = x1;
            if (three) at[2] = x2;
        }
        team.sync(); /* columns k..k+2 are complete */
    }
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

/* The real Schur form of the Hessenberg matrix T, V := V Q; without `full` the diagonal blocks alone.  Returns the number of
 * leading rows that did not converge. */
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
 * spike s V[0][.] is negligible.  Returns how many are left. */
template <typename real>
static __device__ __forceinline__ int undeflated(geev_square<real> t, geev_square<real> v, int n, int open, real s,
                                                 real tiny)
{
    int left = n;
    while (left > open) {
        bool const pair = left > 1 && t(left - 1, left - 2) != 0;
        real size = fabs(t(left - 1, left - 1)), spike = fabs(s * v(0, left - 1));
        if (pair) {
            size += sqrt(fabs(t(left - 1, left - 2))) * sqrt(fabs(t(left - 2, left - 1)));
            spike = fmax(spike, fabs(s * v(0, left - 2)));
        }
        if (size == 0) size = fabs(s);
        if (!(spike <= fmax(tiny, real_limits<real>::eps * size))) break;
        left -= pair ? 2 : 1;
    }
    return left;
}

/* Applies I - tau u u', u in entries 0..length-1 of u, to rows and columns from..from+length-1 of T (its leading `order` rows and
 * all of its n columns) and to the columns of V. */
template <typename real, typename warp>
static __device__ __forceinline__ void reflect_window(warp team, geev_square<real> t, geev_square<real> v, int n,
                                                      int order, int first, int from, int length, const real *u,
                                                      real tau)
{
    for (int c = first + team.rank; c < n; c += warp::size) {
        real sum = 0;
        for (int r = 0; r < length; ++r) sum = fma(u[r], t(from + r, c), sum);
        sum *= -tau;
        for (int r = 0; r < length; ++r) t(from + r, c) = fma(sum, u[r], t(from + r, c));
    }
    team.sync();
    for (int x = team.rank; x < order + n; x += warp::size) {
        real *const at = x < order ? &t(x, from) : &v(x - order, from);
        real sum = 0;
        for (int c = 0; c < length; ++c) sum = fma(u[c], at[c], sum);
        sum *= -tau;
        for (int c = 0; c < length; ++c) at[c] = fma(sum, u[c], at[c]);
    }
    team.sync();
}

/* The reflector of x[0], ..., x[(length-1) apart]: u[0] = 1, u[1], ...; *beta: what x becomes.  Returns tau, 0 where x has
 * nothing to remove. */
template <typename real, typename warp>
static __device__ __forceinline__ real make_reflector(warp team, const real *x, int64_t apart, int length, real *u,
                                                      real *beta)
{
    real most = 0, tail = 0;
    constexpr real least = 4 * real_limits<real>::square_safe * real_limits<real>::square_safe;
    *beta = x[0];
    for (int r = 1 + team.rank; r < length; r += warp::size) tail = fma(x[r * apart], x[r * apart], tail);
    tail = team.sum(tail);
    if (tail >= least) { /* the usual case: squares keep their digits */
        fast_householder<real> const h(*beta, fma(*beta, *beta, tail));
        for (int r = team.rank; r < length; r += warp::size) u[r] = r == 0 ? (real)1 : x[r * apart] * h.inverse;
        *beta = -h.norm;
        team.sync();
        return h.tau;
    }
    tail = 0;
    for (int r = 1 + team.rank; r < length; r += warp::size) most = fmax(most, fabs(x[r * apart]));
    most = team.max(most);
    if (!(most > 0)) return 0;
    most = fmax(most, fabs(*beta));
    real const unit = pow2_floor(fmax(most, real_limits<real>::safmin)), scale = pow2_inverse(unit);
    for (int r = 1 + team.rank; r < length; r += warp::size)
        tail = fma(x[r * apart] * scale, x[r * apart] * scale, tail);
    tail = team.sum(tail);
    real const head = *beta * scale;
    if (!(tail > 0)) return 0; /* below the rounding errors of the head */
    real norm, pivot, tau;
    householder(head, head * head + tail, &norm, &pivot, &tau);
    real const inverse = 1 / pivot;
    for (int r = team.rank; r < length; r += warp::size) u[r] = r == 0 ? (real)1 : x[r * apart] * scale * inverse;
    *beta = -norm * unit;
    team.sync();
    return tau;
}

/* After a deflation: turns the spike of the `left` leading columns into its first entry, and T to Hessenberg form again.
 * u: [n] work.  Returns what the spike is multiplied by in V[0][0]. */
template <typename real, typename warp>
static __device__ __forceinline__ void restore_window(warp team, geev_square<real> t, geev_square<real> v, int n,
                                                      int left, real *u)
{
    real beta;
    real tau = make_reflector(team, v.base, 1, left, u, &beta);
    if (tau != 0) reflect_window(team, t, v, n, left, 0, 0, left, u, tau);
    for (int k = 0; k + 2 < left; ++k) {
        tau = make_reflector(team, &t(k + 1, k), t.ld, left - k - 1, u, &beta);
        team.sync();
        if (tau != 0) reflect_window(team, t, v, n, left, k, k + 1, left - k - 1, u, tau);
        for (int r = k + 2 + team.rank; r < left; r += warp::size) t(r, k) = 0;
        team.sync();
    }
}

#endif
