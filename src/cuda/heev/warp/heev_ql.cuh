/* heev on CUDA: a sweep of implicit QL on a tridiagonal matrix, by one thread.
 *
 * Formula  EISPACK's imtql2, with 1/sqrt(f^2 + g^2) and its square in place of divisions.  What is noted of a rotation
 *          is made orthogonal to the last place.
 * Splits   a bit a row tells whether its off-diagonal is negligible; a sweep asks as it goes. */
#ifndef EIG_HEEV_QL_CUH
#define EIG_HEEV_QL_CUH

#include "heev/heev_cuda.cuh"
#include "heev/heev_entry.cuh"

/* A rotation (c, s), c >= 0, in 8 bytes.  In double the smaller of the two, with the sign of s; bit 62, which no number
 * below 1 has, tells whether it is c.  The other is the square root of what is missing from 1. */
template <typename real> struct ql_note;
template <> struct ql_note<float> {
    float c, s;
};
template <> struct ql_note<double> {
    double smaller;
};
enum { QL_NOTE_C = 0x40000000 }; /* that bit, in the upper word */

static __device__ __forceinline__ ql_note<float> note_of(float c, float s)
{
    return {c, s};
}
static __device__ __forceinline__ ql_note<double> note_of(double c, double s)
{
    bool const is_c = c < fabs(s);
    double const smaller = copysign(is_c ? c : s, s);
    return {__hiloint2double(__double2hiint(smaller) | (is_c ? QL_NOTE_C : 0), __double2loint(smaller))};
}

/* c and s with c^2 + s^2 = 1 to the last place, so that products of many rotations stay orthogonal. */
template <typename real> static __device__ __forceinline__ pair_of<real> ql_rotation(real c, real s)
{
    real const rest = (real)0.5 * fma(-c, c, fma(-s, s, (real)1));
    return {fma(c, rest, c), fma(s, rest, s)};
}
/* The rotation of a note, orthogonal to the last place. */
static __device__ __forceinline__ float2 rotation_of(ql_note<float> note)
{
    return ql_rotation(note.c, note.s);
}
static __device__ __forceinline__ double2 rotation_of(ql_note<double> note)
{
    int const upper = __double2hiint(note.smaller);
    double const small = __hiloint2double(upper & ~QL_NOTE_C, __double2loint(note.smaller));
    double const rest = fma(-small, small, 1.0), inverse = inverse_root(rest), first = rest * inverse;
    double const root = fma(fma(-first, first, rest), 0.5 * inverse, first);
    return upper & QL_NOTE_C ? double2{fabs(small), copysign(root, small)} : double2{root, small};
}

/* x, y = entries i and i + 1 of a row of Z: [x, y] times a rotation (c, s). */
template <typename real> static __device__ __forceinline__ void ql_rotate(pair_of<real> j, real &x, real &y)
{
    real const old = x;
    x = fma(-j.y, y, j.x * old), y = fma(j.y, old, j.x * y);
}

/* The same by (t, s), t = s / (1 + c): orthogonal to s^2 eps, so that small rotations, nearly the same sweep after
 * sweep, do not add up what rounds c to 1.  H. Rutishauser, Numer. Math. 9 (1966). */
template <typename real> static __device__ __forceinline__ pair_of<real> ql_half_angle_of(ql_note<real> note)
{
    pair_of<real> const j = rotation_of(note);
    return {j.y * good_inverse(1 + j.x), j.y};
}
template <typename real>
static __device__ __forceinline__ void ql_rotate_by_half_angle(pair_of<real> j, real &x, real &y)
{
    real const old = x;
    x = fma(-j.y, fma(j.x, old, y), old), y = fma(j.y, fma(-j.x, y, old), y);
}

/* An off-diagonal up to this splits the matrix whose largest sum of a row is `norm`: rounding changes the diagonal
 * by as much. Off-diagonals between eigenvalues that are closer than that would not become smaller. */
template <typename real> static __device__ __forceinline__ real ql_threshold(real norm)
{
    return real_limits<real>::eps * norm;
}

/* Whether T is reversed, by the sizes of its first and of its last row. QL errs less, and takes fewer steps, where
 * the large entries come last; a reduction mostly leaves them first. */
template <typename real>
static __device__ __forceinline__ bool ql_reverses(real first_d, real first_e, real last_d, real last_e)
{
    return fabs(first_d) + fabs(first_e) > fabs(last_d) + fabs(last_e);
}
/* The same for d and e in memory; where d[k] and e[k] then stand. */
template <typename real> static __device__ __forceinline__ bool ql_reverses(int n, const real *d, const real *e)
{
    return ql_reverses(d[0], e[0], d[n - 1], e[n - 2]);
}
static __device__ __forceinline__ int ql_row(bool reversed, int n, int k)
{
    return reversed ? n - 1 - k : k;
}
static __device__ __forceinline__ int ql_beside(bool reversed, int n, int k)
{
    return reversed && k < n - 1 ? n - 2 - k : k;
}

/* The eigenvalue of [dl, el; el, next] that is near dl. It is a shift, for which any number would do, so that what
 * is added to dl needs few digits. */
template <typename real> static __device__ __forceinline__ real shift_of(real dl, real el, real next)
{
    /* The two constants do nothing but where squares vanish. */
    float const far = (float)(next - dl), e = (float)el, twice = 2 * e;
    float const both = fmaf(far, far, fmaf(twice, twice, 1e-37f));
    float const root = rough_inverse_root(both);
    float const inverse = rough_inverse(far + copysignf(fmaf(both, root, 1e-30f), far));
    return dl - (real)(twice * e * inverse);
}

/* The bulge of a sweep as it moves up; c >= 0.  s^2 comes from s: carried along by itself, as s^2 e^2 / (f^2 + g^2), it
 * drifts away from it, and errors grow two- to fivefold. */
template <typename real> struct ql_bulge {
    real above, below, g, s, c, p; /* above: d under the bulge, as it was; below: the same less p */

    __device__ __forceinline__ void start(real last, real shift)
    {
        above = last, g = last - shift, s = c = 1, p = 0;
    }
    /* From row i + 1 to row i, by the rotation (c, s) of columns i and i + 1: here and beside become d[i+1] and e[i+1].
     * False where the bulge has vanished: then there is no rotation, d[i+1] is `below`, e[i+1] is 0, and the sweep
     * ends. */
    __device__ __forceinline__ bool move(real di, real ei, real *here, real *beside)
    {
        real const f = s * ei, b = c * ei, square = fma(f, f, g * g);
        real const inverse = good_inverse(square), root = copysign(inverse_root(square), g);
        below = above - p;
        real const t = fma(f, di - below, g * (2 * b));
        *beside = square * root;
        p = f * t * inverse;
        s = f * root, c = g * root;
        g = fma(g * t, inverse, -b);
        *here = below + p;
        above = di;
        return square > real_limits<real>::safmin / real_limits<real>::eps;
    }
};

/* Notes of a sweep, two at a time, from an even place on. */
template <typename real> struct alignas(16) ql_two_notes {
    ql_note<real> first, second;
};

/* One sweep on rows l..m; bit i of the return: e[i], l <= i < m, is `small` at most and splits the matrix.  Where a
 * bulge vanishes the sweep ends early, at row *low instead of l: what is left splits.  d[i] lies at i * pitch, e[i]
 * pitch / 2 behind it; the row before the first may be read.  notes: the rotations of columns (m-1, m), ...; one more
 * is written where they are odd. */
template <typename real, bool noted, int pitch>
static __device__ __forceinline__ unsigned ql_sweep(int l, int m, real small, real *d, ql_note<real> *notes, int *low)
{
    constexpr int beside = pitch / 2;
    real *at = d + m * pitch; /* row i + 1 */
    ql_bulge<real> bulge;
    bulge.start(at[0], shift_of(d[l * pitch], d[l * pitch + beside], d[(l + 1) * pitch]));
    real d_next = at[-pitch], e_next = at[beside - pitch]; /* of row i */
    unsigned mask = 0, bit = 1u << m;                      /* of row i + 1; row m splits anyway */
    ql_two_notes<real> both = {};
    int i = m - 1;
#pragma unroll 1
    for (; i >= l; --i) {
        real const di = d_next, ei = e_next;
        d_next = at[-2 * pitch], e_next = at[beside - 2 * pitch];
        real here, root;
        bool const moved = bulge.move(di, ei, &here, &root);
        at[0] = here, at[beside] = root;
        mask |= fabs(root) <= small ? bit : 0;
        if (!moved) {
            at[0] = bulge.below, at[beside] = 0, mask |= bit;
            break;
        }
        if (noted) {
            bool const even = (m - 1 - i) % 2 == 0;
            ql_note<real> const one = note_of(bulge.c, bulge.s);
            both.second = one;
            if (even)
                both.first = one;
            else
                *(ql_two_notes<real> *)(notes + (m - 2 - i)) = both;
        }
        at -= pitch, bit >>= 1;
    }
    if (i < l) {
        at[0] = bulge.above - bulge.p, at[beside] = bulge.g;
        mask |= fabs(bulge.g) <= small ? bit : 0;
    }
    if (noted && (m - 1 - i) % 2 != 0) *(ql_two_notes<real> *)(notes + (m - 2 - i)) = both;
    d[m * pitch + beside] = 0;
    *low = i + 1;
    return mask;
}

/* The iteration on a matrix whose entries lie as for a sweep. */
template <typename real, int pitch> struct ql_state {
    unsigned mask; /* bit i: e[i] splits the matrix */
    int n, l, sweep;
    real small; /* the threshold of that */

    __device__ __forceinline__ void start(int order)
    {
        n = order, l = 0, sweep = 0, mask = 1u << (n - 1);
    }
    __device__ __forceinline__ void mark_splits(const real *d)
    {
        real norm = 0, before = 0;
        for (int i = 0; i < n; ++i) {
            real const beside = fabs(d[i * pitch + pitch / 2]);
            norm = fmax(norm, before + fabs(d[i * pitch]) + beside), before = beside;
        }
        small = ql_threshold(norm);
        for (int i = 0; i < n - 1; ++i)
            if (fabs(d[i * pitch + pitch / 2]) <= small) mask |= 1u << i;
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

    /* One sweep, where find() says so: its rows, lo + 256 hi; 0 where there was none, or where its notes would need
     * more than `room`, an even number. */
    template <bool noted> __device__ __forceinline__ int step(int max_sweeps, real *d, ql_note<real> *notes, int room)
    {
        int m, low;
        if (!find(max_sweeps, &m) || (noted && m - l > room)) return 0;
        end_sweep(m, ql_sweep<real, noted, pitch>(l, m, small, d, notes, &low));
        return low + 256 * m;
    }
};

/* What a sweep's notes take. */
static __device__ __forceinline__ int notes_of(int window)
{
    return ((window >> 8) - (window & 255) + 1) & ~1;
}

#endif
