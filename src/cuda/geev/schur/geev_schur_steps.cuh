/* A step of the QR iteration of geev_schur.cuh: double-shift for real matrices, single-shift for complex ones. */
#ifndef EIG_GEEV_SCHUR_STEPS_CUH
#define EIG_GEEV_SCHUR_STEPS_CUH

#include "geev/schur/geev_schur.cuh"

/* ------------------------------------------------------------------ double shifts */

template <typename real>
static __device__ void double_shifts(const schur_area<real> &a, const schur_window<real> &s, real *re1, real *re2,
                                     real *im)
{
    int const i = s.i, l = s.l;
    real h11 = a.at(i - 1, i - 1), h12 = a.at(i - 1, i), h21 = a.at(i, i - 1), h22 = a.at(i, i);
    francis_step const kind = francis_step_of(s.steps);
    if (kind == FRANCIS_AT_BOTTOM)
        francis_exceptional(h22, h21, a.at(i - 1, i - 2), &h11, &h12, &h21, &h22);
    else if (kind == FRANCIS_AT_TOP)
        francis_exceptional(a.at(l, l), a.at(l + 1, l), a.at(l + 2, l + 1), &h11, &h12, &h21, &h22);
    francis_shifts(h11, h12, h21, h22, re1, re2, im);
}

/* v := a multiple of the first column of (H - s1)(H - s2) from row m on.  Returns whether the sweep may start there. */
template <typename real>
static __device__ bool double_column(const schur_area<real> &a, int m, int l, real re1, real re2, real im, real *v)
{
    francis_first_column(a.at(m, m), a.at(m, m + 1), a.at(m + 1, m), a.at(m + 1, m + 1), a.at(m + 2, m + 1), re1, re2,
                         im, v, v + 1, v + 2);
    if (m == l) return true;
    real const sum = fabs(v[0]) + fabs(v[1]) + fabs(v[2]), safe = sum > 0 ? sum : 1;
    real const around = fabs(a.at(m - 1, m - 1)) + fabs(a.at(m, m)) + fabs(a.at(m + 1, m + 1));
    return fabs(a.at(m, m - 1)) * (fabs(v[1] / safe) + fabs(v[2] / safe)) <=
           real_limits<real>::eps * fabs(v[0] / safe) * around;
}

/* The reflector that takes (v0, v1, v2)' to (beta, 0, 0)'. */
template <typename team_type, typename real>
static __device__ __forceinline__ reflector3<real> bulge_reflector(team_type team, bool acts, const real *v, real *beta)
{
    acts = acts && (v[1] != 0 || v[2] != 0);
    real const square = fma(v[2], v[2], fma(v[1], v[1], v[0] * v[0]));
    reflector3<real> t = reflector_of(acts, v[0], v[1], v[2], acts ? square : (real)1, beta);
    constexpr real least = 4 * real_limits<real>::square_safe * real_limits<real>::square_safe;
    bool const tiny = acts && square < least;
    if (team.anywhere(tiny)) {
        real again;
        reflector3<real> const u = tiny_reflector(v[0], v[1], v[2], &again);
        if (tiny) t = u, *beta = again;
    }
    return t;
}

/* Reflector t of rows k.. on the columns right of the bulge, then of columns k.. on the rows above it and on Q. */
template <typename team_type, typename real>
static __device__ __forceinline__ void double_apply(team_type team, const schur_area<real> &a,
                                                    const schur_window<real> &s, int k, bool acts, reflector3<real> t)
{
    constexpr int P = team_type::size;
    bool const three = k + 2 <= s.i;
    real none = 0;
    for (int j = k + team.rank, last = a.q ? a.n - 1 : s.i; acts && j <= last; j += P) {
        real *const x = &a.at(k, j);
        real x0 = x[0], x1 = x[a.ld], x2 = three ? x[2 * a.ld] : none;
        t.apply(x0, x1, x2);
        x[0] = x0, x[a.ld] = x1;
        if (three) x[2 * a.ld] = x2;
    }
    team.sync(); /* rows k..k+2 are complete */
    schur_rows const rows(a.q ? 0 : s.l, k + 3 < s.i ? k + 3 : s.i, acts, a.q, s.lo, s.hi, a.n);
    for (int m = team.rank; m < rows.count; m += P) {
        real *const x = a.stacked(rows(m)) + k;
        real x0 = x[0], x1 = x[1], x2 = three ? x[2] : none;
        t.apply(x0, x1, x2);
        x[0] = x0, x[1] = x1;
        if (three) x[2] = x2;
    }
}

template <typename team_type, typename real>
static __device__ void schur_step(team_type team, const schur_area<real> &a, const schur_window<real> &s, bool begins)
{
    real re1 = 0, re2 = 0, im = 0, v[3] = {0, 0, 0};
    if (begins) double_shifts(a, s, &re1, &re2, &im);
    int start = s.l;
    for (int m = s.i - 2 - team.rank; begins && m > s.l && start == s.l; m -= team_type::size)
        if (double_column(a, m, s.l, re1, re2, im, v)) start = m;
    start = team.max(start);
    if (begins) double_column(a, start, start, re1, re2, im, v);
    for (int k = start; team.anywhere(begins && k < s.i); ++k) {
        bool const acts = begins && k < s.i, three = k + 2 <= s.i;
        if (acts && k > start)
            v[0] = a.at(k, k - 1), v[1] = a.at(k + 1, k - 1), v[2] = three ? a.at(k + 2, k - 1) : (real)0;
        real beta;
        reflector3<real> const t = bulge_reflector(team, acts, v, &beta);
        team.sync(); /* all have read column k-1 */
        if (acts && team.rank == 0 && k > start) {
            a.at(k, k - 1) = beta, a.at(k + 1, k - 1) = 0;
            if (three) a.at(k + 2, k - 1) = 0;
        } else if (acts && team.rank == 0 && start > s.l) {
            a.at(k, k - 1) *= 1 - t.tau;
        }
        double_apply(team, a, s, k, acts, t);
        team.sync(); /* columns k..k+2 are complete */
    }
}

/* ------------------------------------------------------------------ single shifts */

/* The unitary matrix [c s; -conj(s) c]. */
template <typename real> struct plane_rotation {
    real c;
    complex_of<real> s;
    /* Of entries x, y of a column, from the left; of a row, from the right by the conjugate transpose. */
    __device__ __forceinline__ void left(complex_of<real> &x, complex_of<real> &y) const
    {
        complex_of<real> const u = product_add(s, y, scaled(c, x));
        y = conj_product_add(s, negative(x), scaled(c, y)), x = u;
    }
    __device__ __forceinline__ void right(complex_of<real> &x, complex_of<real> &y) const
    {
        complex_of<real> const u = conj_product_add(s, y, scaled(c, x));
        y = product_add(s, negative(x), scaled(c, y)), x = u;
    }
};

/* The shift of a window. */
template <typename area_type, typename real>
static __device__ complex_of<real> single_shift(const area_type &a, const schur_window<real> &s)
{
    using complex = complex_of<real>;
    int const i = s.i, l = s.l;
    francis_step const kind = francis_step_of(s.steps);
    if (kind == FRANCIS_AT_BOTTOM) {
        complex const h = a.at(i, i);
        return {h.re + (real)0.75 * taxicab(a.at(i, i - 1)), h.im};
    }
    if (kind == FRANCIS_AT_TOP) {
        complex const h = a.at(l, l);
        return {h.re + (real)0.75 * taxicab(a.at(l + 1, l)), h.im};
    }
    complex const h11 = a.at(i - 1, i - 1), h12 = a.at(i - 1, i), h21 = a.at(i, i - 1), h22 = a.at(i, i);
    real const x11[2] = {h11.re, h11.im}, x12[2] = {h12.re, h12.im}, x21[2] = {h21.re, h21.im},
               x22[2] = {h22.re, h22.im};
    complex shift;
    schur_shift(x11, x12, x21, x22, &shift.re, &shift.im);
    return shift;
}

/* Whether a sweep with this shift may start in row m. */
template <typename area_type, typename real>
static __device__ bool single_starts(const area_type &a, int m, complex_of<real> shift)
{
    real const top = taxicab(difference(a.at(m, m), shift)), sub = taxicab(a.at(m + 1, m)), sum = top + sub,
               safe = sum > 0 ? sum : (real)1;
    return taxicab(a.at(m, m - 1)) * (sub / safe) <=
           real_limits<real>::eps * ((top / safe) * (taxicab(a.at(m, m)) + taxicab(a.at(m + 1, m + 1))));
}

/* The first row of a sweep with this shift. */
template <typename team_type, typename area_type, typename real>
static __device__ __forceinline__ int single_start(team_type team, const area_type &a, const schur_window<real> &s,
                                                   bool begins, complex_of<real> shift)
{
    int start = s.l;
    for (int m = s.i - 1 - team.rank; begins && m > s.l && start == s.l; m -= team_type::size)
        if (single_starts(a, m, shift)) start = m;
    return team.max(start);
}

template <typename team_type, typename real>
static __device__ __forceinline__ void single_apply(team_type team, const schur_area<complex_of<real>> &a,
                                                    const schur_window<real> &s, int k, bool acts,
                                                    plane_rotation<real> t)
{
    using complex = complex_of<real>;
    constexpr int P = team_type::size;
    for (int j = k + team.rank, last = a.q ? a.n - 1 : s.i; acts && j <= last; j += P) {
        complex *const x = &a.at(k, j);
        complex x0 = x[0], x1 = x[a.ld];
        t.left(x0, x1);
        x[0] = x0, x[a.ld] = x1;
    }
    team.sync(); /* rows k and k+1 are complete */
    schur_rows const rows(a.q ? 0 : s.l, k + 2 < s.i ? k + 2 : s.i, acts, a.q, s.lo, s.hi, a.n);
    for (int m = team.rank; m < rows.count; m += P) {
        complex *const x = a.stacked(rows(m)) + k;
        complex x0 = x[0], x1 = x[1];
        t.right(x0, x1);
        x[0] = x0, x[1] = x1;
    }
}

template <typename team_type, typename real>
static __device__ void schur_step(team_type team, const schur_area<complex_of<real>> &a, const schur_window<real> &s,
                                  bool begins)
{
    using complex = complex_of<real>;
    complex shift = {0, 0}, f = {0, 0}, g = {0, 0};
    if (begins) shift = single_shift(a, s);
    int const start = single_start(team, a, s, begins, shift);
    if (begins) f = difference(a.at(start, start), shift), g = a.at(start + 1, start);
    for (int k = start; team.anywhere(begins && k < s.i); ++k) {
        bool const acts = begins && k < s.i;
        if (acts && k > start) f = a.at(k, k - 1), g = a.at(k + 1, k - 1);
        plane_rotation<real> t;
        complex r;
        schur_plane_rotation(f.re, f.im, g.re, g.im, &t.c, &t.s.re, &t.s.im, &r.re, &r.im);
        team.sync(); /* all have read column k-1 */
        if (acts && team.rank == 0 && k > start)
            a.at(k, k - 1) = r, a.at(k + 1, k - 1) = complex{0, 0};
        else if (acts && team.rank == 0 && start > s.l)
            a.at(k, k - 1) = scaled(t.c, a.at(k, k - 1));
        single_apply(team, a, s, k, acts, t);
        team.sync(); /* columns k and k+1 are complete */
    }
}

#endif
