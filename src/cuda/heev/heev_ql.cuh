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

/* The eigenvalue of [dl, el; el, next] that is near dl, roughly: any number would do for a shift. */
template <typename real> static __device__ __forceinline__ real shift_of(real dl, real el, real next)
{
    real const far = next - dl, twice = 2 * el, both = fma(far, far, twice * twice);
    return dl - twice * el * fast_inverse(far + copysign(both * inverse_root(both), far));
}

/* The bulge of a sweep as it moves up. */
template <typename real> struct ql_bulge {
    real above, g, s, c, p; /* above: d below the bulge, as it was */

    __device__ __forceinline__ void start(real last, real shift)
    {
        above = last, g = last - shift, s = 1, c = 1, p = 0;
    }
    /* From row i + 1 to row i, by the rotation (c, s) of columns i and i + 1: here and beside become d[i+1] and e[i+1].
     * False where the bulge has vanished: then there is no rotation, and the sweep ends. */
    __device__ __forceinline__ bool move(real di, real ei, real *here, real *beside)
    {
        real const f = s * ei, b = c * ei, square = fma(f, f, g * g);
        if (square <= real_limits<real>::safmin / real_limits<real>::eps) {
            *beside = 0, *here = above - p;
            return false;
        }
        real const inverse = inverse_root(square);
        *beside = square * inverse;
        s = f * inverse, c = g * inverse;
        g = above - p;
        real const r = fma(di - g, s, c * (2 * b));
        p = s * r;
        *here = g + p;
        g = fma(c, r, -b);
        above = di;
        return true;
    }
    /* What the rotation does to rows: orthogonal to the last place. */
    __device__ __forceinline__ pair_of<real> rotation() const
    {
        pair_of<real> both;
        both.x = c, both.y = s;
        make_unit(both.x, both.y);
        return both;
    }
};

/* x, y = entries i and i + 1 of a row of Z: [x, y] times a rotation. */
template <typename real> static __device__ __forceinline__ void ql_rotate(pair_of<real> j, real &x, real &y)
{
    real const old = x;
    x = fma(-j.y, y, j.x * old), y = fma(j.y, old, j.x * y);
}

/* One sweep on rows l..m; bit i of the return: e[i], l <= i < m, splits the matrix.  Where a bulge vanishes the sweep
 * ends early: what is left splits. */
template <typename real, bool notes, int pitch>
static __device__ __forceinline__ unsigned ql_sweep(int l, int m, real *d, real *e, ql_notes<real> *to)
{
    ql_bulge<real> bulge;
    bulge.start(d[m * pitch], shift_of(d[l * pitch], e[l * pitch], d[(l + 1) * pitch]));
    real last = 0; /* the new d[i + 2] */
    unsigned mask = 0;
    int i = m - 1;
    real e_next = e[i * pitch], d_next = d[i * pitch]; /* loaded a rotation ahead */
    for (; i >= l; --i) {
        real const ei = e_next, di = d_next;
        int const below = i > l ? i - 1 : l;
        e_next = e[below * pitch], d_next = d[below * pitch];
        real here, beside;
        bool const moved = bulge.move(di, ei, &here, &beside);
        e[(i + 1) * pitch] = beside, d[(i + 1) * pitch] = here;
        if (i + 1 < m && splits(beside, here, last)) mask |= 1u << (i + 1);
        if (!moved) break;
        last = here;
        if (notes && !to->full) to->rotations[to->used++] = bulge.rotation();
    }
    if (i < l) {
        d[l * pitch] = bulge.above - bulge.p, e[l * pitch] = bulge.g;
        if (splits(bulge.g, bulge.above - bulge.p, last)) mask |= 1u << l;
    }
    e[m * pitch] = 0;
    if (notes && !to->full) to->sweeps[to->count++] = (uint16_t)(i + 1 + 256 * m);
    return mask;
}

/* The iteration on a matrix whose entries lie `pitch` apart. */
template <typename real, int pitch> struct ql_state {
    unsigned mask; /* bit i: e[i] splits the matrix */
    int n, l, sweep;

    __device__ __forceinline__ void start(int order)
    {
        n = order, l = 0, sweep = 0, mask = 1u << (n - 1);
    }
    __device__ __forceinline__ void start(int order, const real *d, const real *e)
    {
        start(order);
        for (int i = 0; i < n - 1; ++i)
            if (splits(e[i * pitch], d[i * pitch], d[(i + 1) * pitch])) mask |= 1u << i;
    }

    /* Rows l..*m of the next sweep; false where there is none, since all values are found or one is given up: the first
     * l are good. */
    __device__ __forceinline__ bool find(int max_sweeps, int *m)
    {
        unsigned const open = ~(mask >> l);
        int const next = open ? l + __ffs(open) - 1 : 32;
        if (next > l) l = next, sweep = 0;
        if (l >= n || sweep == max_sweeps) return false;
        *m = l + __ffs(mask >> l) - 1;
        return true;
    }
    /* The sweep is over: `found` tells what splits in rows l..m. */
    __device__ __forceinline__ void end_sweep(int m, unsigned found)
    {
        unsigned const window = ((1u << m) - 1) & ~((1u << l) - 1);
        mask = (mask & ~window) | found;
        ++sweep;
    }

    /* One sweep, where find() says so. */
    template <bool notes> __device__ __forceinline__ bool step(int max_sweeps, real *d, real *e, ql_notes<real> *to)
    {
        int m;
        if (!find(max_sweeps, &m)) return false;
        if (notes && (to->count == to->most_sweeps || to->used + (m - l) > to->most_rotations)) to->full = true;
        end_sweep(m, ql_sweep<real, notes, pitch>(l, m, d, e, to));
        return true;
    }
};

#endif
