/* geev on CUDA, n > GEEV_MOST: a square matrix in memory, reflectors of any numbers, real and complex, and a bulge's two shifts. */
#ifndef EIG_GEEV_SHIFTS_CUH
#define EIG_GEEV_SHIFTS_CUH

#include "geev/geev_reflector.cuh"
#include "geev/reduce/geev_balance.cuh"
#include "words/team.cuh"

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

/* The same without a branch; *tiny: it is wrong, since squares lose digits.  Where v1 and v2 are zero it changes the sign of v0. */
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

/* The reflector of x[0], ..., x[(length-1) apart]: u[0] = 1, u[1], ...; *beta: what x becomes.  Returns tau, 0 where x has
 * nothing to remove. */
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
