/* heev on CUDA: a sweep of implicit QL on a tridiagonal matrix, by one thread.
 *
 * Formula  EISPACK's imtql2, with 1/sqrt(f^2 + g^2) in place of two divisions.  What is noted of a rotation is made
 *          orthogonal to the last place.
 * Splits   a bit a row tells whether its off-diagonal is negligible; a sweep asks as it goes. */
#ifndef EIG_HEEV_QL_CUH
#define EIG_HEEV_QL_CUH

#include "heev_cuda.cuh"
#include "heev_number.cuh"

/* Where a matrix's rotations are noted, and how far; full: there was no room for all, what is there is of no use. */
template <typename real> struct ql_notes {
    pair_of<real> *rotations;
    uint16_t *sweeps;
    int64_t used, most_rotations;
    int count, most_sweeps;
    bool full;
};

/* Whether e beside here and next splits the matrix.  Its norm is 1 or more: what the reduction lost is not sought. */
template <typename real> static __device__ __forceinline__ bool splits(real e, real here, real next)
{
    real const eps = real_limits<real>::eps;
    return fabs(e) <= fmax((real)0.5 * eps * (fabs(here) + fabs(next)), (real)0.25 * eps);
}

/* About 1 / x. */
static __device__ __forceinline__ double fast_inverse(double x)
{
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return fma(y, fma(-x, y, 1.0), y);
}
static __device__ __forceinline__ float fast_inverse(float x)
{
    return __frcp_rn(x);
}
/* The eigenvalue of [dl, el; el, next] that is near dl, roughly: any number would do for a shift. */
template <typename real> static __device__ __forceinline__ real shift_of(real dl, real el, real next)
{
    real const far = next - dl, twice = 2 * el, both = fma(far, far, twice * twice);
    return dl - twice * el * fast_inverse(far + copysign(both * inverse_root(both), far));
}

/* One sweep on rows l..m; bit i of the return: e[i], l <= i < m, splits the matrix.  Where a bulge vanishes the sweep
 * ends early: what is left splits. */
template <typename real, bool notes, int pitch>
static __device__ __forceinline__ unsigned ql_sweep(int l, int m, real *d, real *e, ql_notes<real> *to)
{
    real const tiny = real_limits<real>::safmin / real_limits<real>::eps;
    real above = d[m * pitch];
    real g = above - shift_of(d[l * pitch], e[l * pitch], d[(l + 1) * pitch]);
    real s = 1, c = 1, p = 0, last = 0; /* last: the new d[i + 2] */
    unsigned mask = 0;
    int i = m - 1;
    real e_next = e[i * pitch], d_next = d[i * pitch]; /* loaded a rotation ahead */
    for (; i >= l; --i) {
        real const ei = e_next, di = d_next, f = s * ei, b = c * ei;
        real const square = fma(f, f, g * g);
        int const below = i > l ? i - 1 : l;
        e_next = e[below * pitch], d_next = d[below * pitch];
        if (square <= tiny) {
            e[(i + 1) * pitch] = 0, d[(i + 1) * pitch] = above - p;
            if (i + 1 < m) mask |= 1u << (i + 1);
            break;
        }
        real const inverse = inverse_root(square), root = square * inverse;
        e[(i + 1) * pitch] = root;
        s = f * inverse, c = g * inverse;
        g = above - p;
        real const r = fma(di - g, s, c * (2 * b));
        p = s * r;
        real const here = g + p;
        d[(i + 1) * pitch] = here;
        g = fma(c, r, -b);
        above = di;
        if (i + 1 < m && splits(root, here, last)) mask |= 1u << (i + 1);
        last = here;
        if (notes && !to->full) {
            pair_of<real> both;
            both.x = c, both.y = s;
            make_unit(both.x, both.y);
            to->rotations[to->used++] = both;
        }
    }
    if (i < l) {
        d[l * pitch] = above - p, e[l * pitch] = g;
        if (splits(g, above - p, last)) mask |= 1u << l;
    }
    e[m * pitch] = 0;
    if (notes && !to->full) to->sweeps[to->count++] = (uint16_t)(i + 1 + 256 * m);
    return mask;
}

/* The iteration on a matrix whose entries lie `pitch` apart. */
template <typename real, int pitch> struct ql_state {
    unsigned mask; /* bit i: e[i] splits the matrix */
    int n, l, sweep;

    __device__ __forceinline__ void start(int order, const real *d, const real *e)
    {
        n = order, l = 0, sweep = 0, mask = 1u << (n - 1);
        for (int i = 0; i < n - 1; ++i)
            if (splits(e[i * pitch], d[i * pitch], d[(i + 1) * pitch])) mask |= 1u << i;
    }

    /* One sweep; false where there was none, since all values are found or one is given up: the first l are good. */
    template <bool notes> __device__ __forceinline__ bool step(int max_sweeps, real *d, real *e, ql_notes<real> *to)
    {
        unsigned const open = ~(mask >> l);
        int const next = open ? l + __ffs(open) - 1 : 32;
        if (next > l) l = next, sweep = 0;
        if (l >= n || sweep == max_sweeps) return false;
        int const m = l + __ffs(mask >> l) - 1;
        if (notes && (to->count == to->most_sweeps || to->used + (m - l) > to->most_rotations)) to->full = true;
        unsigned const window = ((1u << m) - 1) & ~((1u << l) - 1);
        mask = (mask & ~window) | ql_sweep<real, notes, pitch>(l, m, d, e, to);
        ++sweep;
        return true;
    }
};

#endif
