/* Reflectors and shifts of the fast kernels: `householder`, `francis_reflector` and `francis_shifts` of francis.inc,
 * with the GPU's approximate reciprocals in place of divisions and square roots.  Those branch, and a step waits for
 * this chain of operations and little else; the plain solver uses francis.inc itself.
 *
 * Behind them stand the reflectors of any numbers, real and complex, of three entries and of any length.
 *
 * A cubic Newton step takes the approximations (relative error below 2^-20 in double, 2^-22 in float) to within two
 * units in the last place.  Errors of a few units in u and tau only make the reflector orthogonal to a few eps. */
#ifndef EIG_GEEV_REFLECTOR_CUH
#define EIG_GEEV_REFLECTOR_CUH

#include "geev/geev_entry.cuh"
#include "primitives/fast.cuh"

/* 1 / x and 1 / sqrt(x); x and the result normal numbers. */
template <typename real> static __device__ __forceinline__ real fast_reciprocal(real x)
{
    real const y = rough_inverse(x), e = fma(-x, y, (real)1);
    return fma(y, fma(e, e, e), y);
}

template <typename real> static __device__ __forceinline__ real fast_rsqrt(real x)
{
    real const y = rough_inverse_root(x), e = fma(-x * y, y, (real)1);
    return fma(y * e, fma((real)0.375, e, (real)0.5), y);
}

/* sqrt(x), x >= 0; zero where x is not normal. */
template <typename real> static __device__ __forceinline__ real fast_sqrt(real x)
{
    return x >= real_limits<real>::safmin ? x * fast_rsqrt(x) : (real)0;
}

/* francis_shifts by fast approximations. */
template <typename real>
static __device__ __forceinline__ void fast_shifts(real h11, real h12, real h21, real h22, real *re1, real *re2,
                                                   real *im)
{
    real const size = fabs(h11) + fabs(h12) + fabs(h21) + fabs(h22);
    real const unit = pow2_floor(fmax(size, real_limits<real>::safmin)), scale = pow2_inverse(unit);
    real const half = (real)0.5 * scale * (h11 - h22), det = -fma(half, half, (h12 * scale) * (h21 * scale));
    real const root = unit * fast_sqrt(fabs(det)), mean = fma((real)0.5, h11 - h22, h22);
    bool const is_complex = det >= 0;
    *re1 = *re2 = is_complex ? mean : mean - copysign(root, h11 - h22); /* the shift nearer to h22 */
    *im = is_complex ? root : (real)0;
}

/* I - tau u u', u = (1, u1, u2)', with t = tau u; complex ones below. */
template <typename real> struct reflector3 {
    real u1, u2, tau, t1, t2;

    /* Applied to entries x0, x1, x2 of a row or column. */
    __device__ __forceinline__ void apply(real &x0, real &x1, real &x2) const
    {
        real const dot = -fma(u2, x2, fma(u1, x1, x0));
        x0 = fma(dot, tau, x0), x1 = fma(dot, t1, x1), x2 = fma(dot, t2, x2);
    }
    /* To a column, to a row: complex numbers tell them apart. */
    __device__ __forceinline__ void left(real &x0, real &x1, real &x2) const
    {
        apply(x0, x1, x2);
    }
    __device__ __forceinline__ void right(real &x0, real &x1, real &x2) const
    {
        apply(x0, x1, x2);
    }
    /* To (0, 0, x2). */
    __device__ __forceinline__ void right_last(real &x0, real &x1, real &x2) const
    {
        real const dot = -u2 * x2;
        x0 = dot * tau, x1 = dot * t1, x2 = fma(dot, t2, x2);
    }
};

/* `householder` (householder.inc) by fast approximations: the reflector takes v to (-norm, 0, ..., 0)'; u = v * inverse
 * except for u0 = 1; square = v'v.  The reciprocal starts from an approximate pivot, so that square root and reciprocal
 * are refined at the same time. */
template <typename real> struct fast_householder {
    real norm, inverse, tau;

    __device__ __forceinline__ fast_householder(real v0, real square)
    {
        real const y = rough_inverse_root(square), near_norm = square * y,
                   z = rough_inverse(v0 + copysign(near_norm, v0));
        real const e = fma(-near_norm, y, (real)1), root = fma(y * e, fma((real)0.375, e, (real)0.5), y);
        norm = copysign(square * root, v0);
        real const pivot = v0 + norm, d = fma(-pivot, z, (real)1);
        inverse = fma(z, fma(d, d, d), z);
        tau = fabs(pivot) * root;
    }
};

/* `francis_reflector` by fast approximations: takes (v0, v1, v2)', whose squares' sum is `square`, to (beta, 0, 0)'.
 * Where it does not act it is zero. */
template <typename real>
static __device__ __forceinline__ reflector3<real> reflector_of(bool acts, real v0, real v1, real v2, real square,
                                                                real *beta)
{
    fast_householder<real> const h(v0, square);
    real const inverse = acts ? h.inverse : (real)0;
    reflector3<real> t;
    t.u1 = v1 * inverse, t.u2 = v2 * inverse;
    t.tau = acts ? h.tau : (real)0;
    t.t1 = t.tau * t.u1, t.t2 = t.tau * t.u2;
    *beta = acts ? -h.norm : v0;
    return t;
}

/* The same where squares of v lose digits, or v is zero. */
template <typename real>
static __device__ __noinline__ reflector3<real> tiny_reflector(real v0, real v1, real v2, real *beta)
{
    real const largest = fmax(fabs(v0), fmax(fabs(v1), fabs(v2)));
    real const unit = pow2_floor(fmax(largest, real_limits<real>::safmin)), scale = pow2_inverse(unit);
    v0 *= scale, v1 *= scale, v2 *= scale;
    reflector3<real> const t = reflector_of(largest > 0, v0, v1, v2, fma(v2, v2, fma(v1, v1, v0 * v0)), beta);
    *beta *= unit;
    return t;
}

/* Whether a thread of the warp needs tiny_reflector; *tiny: whether this thread does. */
template <typename real> static __device__ __forceinline__ bool any_tiny(bool acts, real square, bool *tiny)
{
    constexpr real least = 4 * real_limits<real>::square_safe * real_limits<real>::square_safe;
    *tiny = acts && square < least;
    return __any_sync(0xffffffffu, *tiny);
}

/* reflector_of for any numbers: they are scaled by a power of two where their squares would lose digits.  Inline,
 * unlike tiny_reflector: a call would keep what a thread holds out of registers. */
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

/* The same without a branch; *tiny: it is wrong, since squares lose digits.  Where v1 and v2 are zero it changes the
 * sign of v0. */
template <typename real>
static __device__ __forceinline__ reflector3<real> quick_reflector(real v0, real v1, real v2, real *beta, bool *tiny)
{
    constexpr real least = 4 * real_limits<real>::square_safe * real_limits<real>::square_safe;
    real const square = fma(v2, v2, fma(v1, v1, v0 * v0));
    *tiny = square < least;
    return reflector_of(true, v0, v1, v2, square, beta);
}

/* The same of complex numbers: tau is real. */
template <typename real_type> struct reflector3<number_of<real_type, true>> {
    using real = real_type;
    using complex = complex_of<real>;
    complex u1, u2, t1, t2;
    real tau;
    __device__ __forceinline__ void left(complex &x0, complex &x1, complex &x2) const
    {
        complex const dot = negative(conj_product_add(u2, x2, conj_product_add(u1, x1, x0)));
        x0 = scaled_add(tau, dot, x0), x1 = product_add(dot, t1, x1), x2 = product_add(dot, t2, x2);
    }
    __device__ __forceinline__ void right(complex &x0, complex &x1, complex &x2) const
    {
        complex const dot = negative(product_add(u2, x2, product_add(u1, x1, x0)));
        x0 = scaled_add(tau, dot, x0), x1 = conj_product_add(t1, dot, x1), x2 = conj_product_add(t2, dot, x2);
    }
    __device__ __forceinline__ void right_last(complex &x0, complex &x1, complex &x2) const
    {
        x0 = x1 = complex{0, 0};
        right(x0, x1, x2);
    }
};

/* A head without a phase has 1 (reflector_least). */
template <typename real>
static __device__ __forceinline__ reflector3<complex_of<real>>
any_reflector(complex_of<real> v0, complex_of<real> v1, complex_of<real> v2, complex_of<real> *beta)
{
    using complex = complex_of<real>;
    constexpr real least = reflector_least<complex_of<real>>();
    bool const acts = !is_zero(v1) || !is_zero(v2);
    real head = square(v0), whole = square_add(v2, square_add(v1, head)), unit = 1;
    complex const before = v0;
    if (whole < least) {
        real const most = fmax(larger_part(v0), fmax(larger_part(v1), larger_part(v2)));
        unit = pow2_floor(fmax(most, real_limits<real>::safmin));
        real const scale = pow2_inverse(unit);
        v0 = scaled(scale, v0), v1 = scaled(scale, v1), v2 = scaled(scale, v2);
        head = square(v0), whole = square_add(v2, square_add(v1, head));
    }
    bool const none = head < real_limits<real>::safmin / real_limits<real>::eps;
    real const root = fast_rsqrt(acts ? whole : (real)1), norm = whole * root,
               inverse_size = fast_rsqrt(none ? (real)1 : head);
    real const size = none ? (real)0 : head * inverse_size, pivot = size + norm;
    complex const phase = none ? complex{1, 0} : scaled(inverse_size, v0);
    complex const inverse = scaled(acts ? fast_reciprocal(pivot) : (real)0, conj(phase));
    reflector3<complex> r;
    r.tau = acts ? pivot * root : (real)0;
    r.u1 = product(v1, inverse), r.u2 = product(v2, inverse);
    r.t1 = scaled(r.tau, r.u1), r.t2 = scaled(r.tau, r.u2);
    *beta = acts ? scaled(-norm * unit, phase) : before;
    return r;
}

/* quick_reflector of complex numbers, which is right for all of them. */
template <typename real>
static __device__ __forceinline__ reflector3<complex_of<real>>
quick_reflector(complex_of<real> v0, complex_of<real> v1, complex_of<real> v2, complex_of<real> *beta, bool *tiny)
{
    *tiny = false;
    return any_reflector(v0, v1, v2, beta);
}

/* The reflector of x[0], ..., x[(length-1) apart]: u[0] = 1, u[1], ...; *beta: what x becomes.  Returns tau, 0 where x
 * has nothing to remove. */
template <typename real, typename warp>
static __device__ __forceinline__ real make_reflector(warp team, const real *x, int64_t apart, int length, real *u,
                                                      real *beta)
{
    real most = 0, tail = 0;
    constexpr real least = 4 * real_limits<real>::square_safe * real_limits<real>::square_safe;
    *beta = x[0];
#pragma unroll 1
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

/* The same of complex numbers: tau is real, and beta is not. */
template <typename real, typename warp>
static __device__ __forceinline__ real make_reflector(warp team, const complex_of<real> *x, int64_t apart, int length,
                                                      complex_of<real> *u, complex_of<real> *beta)
{
    constexpr real least = reflector_least<complex_of<real>>();
    real most = 0, tail = 0, unit = 1;
    *beta = x[0];
    for (int r = 1 + team.rank; r < length; r += warp::size) tail = square_add(x[r * apart], tail);
    tail = team.sum(tail);
    if (!(tail >= least)) { /* squares lost digits: again, scaled */
        for (int r = 1 + team.rank; r < length; r += warp::size) most = fmax(most, larger_part(x[r * apart]));
        most = team.max(most);
        if (!(most > 0)) return 0;
        unit = unit_of(fmax(most, larger_part(x[0])));
        tail = 0;
        for (int r = 1 + team.rank; r < length; r += warp::size) tail = square_add(scaled(unit, x[r * apart]), tail);
        tail = team.sum(tail);
        if (!(tail > 0)) return 0; /* below the rounding errors of the head */
    }
    complex_of<real> const head = scaled(unit, x[0]);
    real const length2 = square(head);
    bool const none = length2 < real_limits<real>::safmin / real_limits<real>::eps;
    real const size = none ? (real)0 : sqrt(length2), norm = sqrt(length2 + tail), pivot = size + norm;
    complex_of<real> const phase = none ? complex_of<real>{1, 0} : scaled(1 / size, head);
    complex_of<real> const inverse = scaled(1 / pivot, conj(phase));
    for (int r = team.rank; r < length; r += warp::size)
        u[r] =
            r == 0 ? complex_of<real>{1, 0} : product_add(scaled(unit, x[r * apart]), inverse, complex_of<real>{0, 0});
    *beta = scaled(-norm / unit, phase);
    team.sync();
    return pivot / norm;
}

#endif
