/* heev on the CPU: the eigenpairs of D + rho z z^T.  Part of heev_large.c.
 *
 * The eigenvalues are the roots of f(x) = 1/rho + sum over j of z_j^2 / (d_j - x), one between two neighbours of D and
 * one above.  A root is kept as its distance from the nearer pole, so that the differences d_j - x have all their
 * digits.
 * The vectors belong to the z for which the computed roots are exact.  They are orthogonal however close the roots lie
 * (M. Gu and S. Eisenstat, SIAM J. Matrix Anal. Appl. 16 (1995)).
 *
 * Mapping   a root a lane, the poles one after the other: a lane's sums do not depend on its neighbours.
 * Steps     the zero of c + s/(d_i - x) + t/(d_(i+1) - x), which has f's value and the slopes of its two halves (R.-C.
 *           Li, LAPACK Working Note 89), kept inside a bracket; about 5 of them.
 * Cost      a division for each root, pole and step: 10 n^2 divisions in all. */
#ifndef EIG_HEEV_SECULAR_H
#define EIG_HEEV_SECULAR_H

#include "heev_large.h"

enum { MOST_STEPS = 100, PATIENCE = 12 /* steps after which every second one halves the bracket */ };

typedef struct secular {
    int64_t k;
    real rho;    /* > 0 */
    real *d;     /* [k + BLOCK + 1] ascending and distinct; the solver sets those behind d[k - 1] */
    real *z;     /* [k + BLOCK + 1] none of them 0; the solver changes them in the last digits */
    real *base;  /* [k + BLOCK] out: root i is base[i] + tau[i], base[i] one of d */
    real *tau;   /* [k + BLOCK] out */
    real *ratio; /* [k * BLOCK] scratch */
} secular;

/* The sums over the poles up to the root's left neighbour, and over the others, with their slopes. */
typedef struct secular_value {
    vreal psi, phi, psi_slope, phi_slope;
} secular_value;

/* Adds z_j^2 / (d_j - x) to *sum and its slope to *slope. */
SIMD_FN void add_pole(vreal d, vreal z, vreal base, vreal tau, vreal *sum, vreal *slope)
{
    vreal const t = z / ((d - base) - tau);
    *sum = simd_fma(z, t, *sum), *slope = simd_fma(t, t, *slope);
}

SIMD_FN vint lane_numbers(void)
{
    vint lane;
    for (int l = 0; l < SIMD_LANES; ++l) lane[l] = l;
    return lane;
}

/* At base + tau, for the roots from `first` on. */
static inline secular_value secular_at(const secular *s, int64_t first, vreal base, vreal tau)
{
    secular_value f = {0};
    int64_t const mixed = least(first + 1, s->k), right = least(first + SIMD_LANES, s->k);
    vint const lane = lane_numbers();
    for (int64_t j = 0; j < mixed; ++j)
        add_pole(simd_splat(s->d[j]), simd_splat(s->z[j]), base, tau, &f.psi, &f.psi_slope);
    for (int64_t j = mixed; j < right; ++j) {
        secular_value next = f;
        vreal const d = simd_splat(s->d[j]), z = simd_splat(s->z[j]);
        add_pole(d, z, base, tau, &next.psi, &next.psi_slope);
        add_pole(d, z, base, tau, &next.phi, &next.phi_slope);
        vint const left = lane >= (vint){0} + (FLOAT_OR_DOUBLE(int32_t, int64_t))(j - first);
        f.psi = simd_select(left, next.psi, f.psi), f.phi = simd_select(left, f.phi, next.phi);
        f.psi_slope = simd_select(left, next.psi_slope, f.psi_slope);
        f.phi_slope = simd_select(left, f.phi_slope, next.phi_slope);
    }
    for (int64_t j = right; j < s->k; ++j)
        add_pole(simd_splat(s->d[j]), simd_splat(s->z[j]), base, tau, &f.phi, &f.phi_slope);
    return f;
}

/* The root nearer to 0 of c x^2 - a x + b; or the one between two poles, of which b is the product times f. */
SIMD_FN vreal smaller_root(vreal a, vreal b, vreal c)
{
    vreal const inside = a * a - 4 * b * c;
    vreal const root = simd_sqrt(simd_max(inside, (vreal){0}));
    vint const positive = a > 0;
    return simd_select(positive, 2 * b, a - root) / simd_select(positive, a + root, 2 * c);
}

/* What the roots of a vector's lanes know. */
typedef struct secular_lanes {
    vreal left, right; /* the poles beside the root */
    vreal base, tau, low, high;
    vint done;
} secular_lanes;

/* Finds the half of its interval in which a root lies, and its place by the two nearest poles and the value of the
 * others. */
static inline void secular_start(const secular *s, int64_t first, secular_lanes *r)
{
    vreal const zero = {0}, gap = r->right - r->left, middle = gap * (real)0.5;
    secular_value const f = secular_at(s, first, r->left, middle);
    vreal const value = 1 / s->rho + f.psi + f.phi;
    vreal zl, zr;
    for (int l = 0; l < SIMD_LANES; ++l) zl[l] = s->z[first + l], zr[l] = s->z[first + l + 1];
    vreal const ql = zl * zl, qr = zr * zr, others = value + ql / middle - qr / (gap - middle);
    vint const nearer_left = value >= 0;
    r->base = simd_select(nearer_left, r->left, r->right);
    r->low = simd_select(nearer_left, zero, -middle), r->high = simd_select(nearer_left, middle, zero);
    /* others + ql / (left - x) + qr / (right - x) = 0 from the pole that is the base */
    vreal const c = simd_select(nearer_left, others, -others), a = c * gap + ql + qr;
    vreal const x = smaller_root(a, simd_select(nearer_left, ql, qr) * gap, c);
    vreal const tau = simd_select(nearer_left, x, -x);
    vint const good = (tau > r->low) & (tau < r->high);
    r->tau = simd_select(good, tau, (r->low + r->high) * (real)0.5);
}

/* One step of every lane that is not done. */
static inline void secular_step(const secular *s, int64_t first, int step, secular_lanes *r)
{
    secular_value const f = secular_at(s, first, r->base, r->tau);
    vreal const value = 1 / s->rho + f.psi + f.phi, slope = f.psi_slope + f.phi_slope;
    vreal const noise = 8 * (f.phi - f.psi) + 1 / s->rho + simd_abs(r->tau) * slope;
    r->done |= simd_abs(value) <= noise * (real)(0.5 * REAL_EPSILON);
    r->low = simd_select(value <= 0, r->tau, r->low), r->high = simd_select(value <= 0, r->high, r->tau);
    vreal const left = (r->left - r->base) - r->tau, right = (r->right - r->base) - r->tau;
    vreal const c = value - left * f.psi_slope - right * f.phi_slope, product = left * right;
    vreal move = smaller_root((left + right) * value - product * slope, product * value, c);
    move = simd_select(move * value >= 0, -value / slope, move);
    vreal next = r->tau + move;
    vreal const half = (r->low + r->high) * (real)0.5;
    vint const good = (next > r->low) & (next < r->high);
    next = simd_select(good, next, half);
    if (step >= PATIENCE && step % 2) next = half;
    vint const still = simd_abs(next - r->tau) <= simd_abs(r->tau) * REAL_EPSILON;
    r->tau = simd_select(r->done, r->tau, next);
    r->done |= still;
}

/* Sets what lies behind the last pole. */
static inline void secular_prepare(const secular *s)
{
    int64_t const k = s->k;
    real sum = 0;
    for (int64_t j = 0; j < k; ++j) sum += s->z[j] * s->z[j];
    /* The last root has a pole without weight on its right, so far that the root is nearer to the left one. */
    for (int64_t j = k; j < k + BLOCK + 1; ++j) s->d[j] = s->d[k - 1] + 4 * s->rho * sum, s->z[j] = 0;
}

/* base and tau of these roots; the first begins a block.  Returns the largest number of steps. */
static inline int secular_roots(const secular *s, span roots)
{
    int64_t const k = s->k;
    int most = 0;
    for (int64_t first = roots.first; first < roots.last; first += SIMD_LANES) {
        secular_lanes r;
        for (int l = 0; l < SIMD_LANES; ++l) r.left[l] = s->d[first + l], r.right[l] = s->d[first + l + 1];
        r.done = lane_numbers() >= (vint){0} + (FLOAT_OR_DOUBLE(int32_t, int64_t))(k - first);
        secular_start(s, first, &r);
        int step = 0;
        while (step < MOST_STEPS && simd_any(~r.done)) secular_step(s, first, step++, &r);
        most = step > most ? step : most;
        for (int l = 0; l < SIMD_LANES; ++l) s->base[first + l] = r.base[l], s->tau[first + l] = r.tau[l];
    }
    return most;
}

/* z for which the roots are exact, of these poles: z_j^2 is the product over i of (d_j - root_i) / (d_j - d_i), times a
 * factor that all share, without the denominator of i = j. */
static inline void secular_weights(const secular *s, span poles)
{
    int64_t const k = s->k;
    vint const lane = lane_numbers();
    for (int64_t first = 0; first < (k + BLOCK - 1) / BLOCK * BLOCK; first += SIMD_LANES) {
        vreal base = {0}, tau = {0}, d = {0};
        for (int l = 0; l < SIMD_LANES && first + l < k; ++l)
            base[l] = s->base[first + l], tau[l] = s->tau[first + l], d[l] = s->d[first + l];
        vint const absent = lane >= (vint){0} + (FLOAT_OR_DOUBLE(int32_t, int64_t))(k - first);
        bool const none = first >= k, some = first + SIMD_LANES > k;
        for (int64_t j = poles.first; j < poles.last; ++j) {
            vreal *const to = (vreal *)(s->ratio + j * BLOCK + first % BLOCK);
            vreal const before = first < BLOCK ? simd_splat(1) : *to, pole = simd_splat(s->d[j]);
            if (none) {
                *to = before;
                continue;
            }
            vreal gap = pole - d;
            if (j >= first && j < first + SIMD_LANES) gap[j - first] = 1;
            vreal ratio = ((pole - base) - tau) / gap;
            if (some) ratio = simd_select(absent, simd_splat(1), ratio);
            *to = before * ratio;
        }
    }
    for (int64_t j = poles.first; j < poles.last; ++j) {
        real *const x = s->ratio + j * BLOCK;
        for (int half = BLOCK / 2; half > 0; half /= 2)
            for (int t = 0; t < half; ++t) x[t] *= x[t + half];
        s->z[j] = copysign(sqrt(fabs(x[0])), s->z[j]);
    }
}

/* The vectors of these roots, as columns of norm 1, in blocks of BLOCK columns: row j of block b at u + (b*k +
 * place[j]) * BLOCK. */
static inline void secular_vectors(const secular *s, span roots, const int64_t *place, real *u)
{
    int64_t const k = s->k;
    for (int64_t first = roots.first; first < roots.last; first += SIMD_LANES) {
        real *const to = u + first / BLOCK * k * BLOCK + first % BLOCK;
        vreal const base = *at(s->base, first), tau = *at(s->tau, first);
        vreal sum = {0};
        for (int64_t j = 0; j < k; ++j) {
            vreal const x = simd_splat(s->z[j]) / ((simd_splat(s->d[j]) - base) - tau);
            *at(to, place[j] * BLOCK) = x;
            sum = simd_fma(x, x, sum);
        }
        vreal const scale = 1 / simd_sqrt(sum);
        for (int64_t j = 0; j < k; ++j) *at(to, j * BLOCK) *= scale;
    }
}

#endif
