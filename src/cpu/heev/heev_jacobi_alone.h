/* heev on the CPU: two-sided Jacobi for one matrix, n <= 64, with the bits of a tile's lane.  Part of heev_kernels.c.
 *
 * Where one lane of a tile has a matrix, its roots and divisions are those of whole vectors, which take twice as long. 
 * The steps are those of heev_jacobi.h, one by one.
 * Memory    as heev_alone.h: the lower triangle of A in planes, V likewise; Z is not used. */
#ifndef EIG_HEEV_JACOBI_ALONE_H
#define EIG_HEEV_JACOBI_ALONE_H

#include "heev_alone.h"

/* A number of the type; im is 0 where that is real. */
typedef struct number_one {
    real re, im;
} number_one;

static inline number_one conjugate_one(number_one x)
{
    return (number_one){x.re, -x.im};
}

/* sum + x y, as add_product. */
static inline number_one add_product_one(number_one sum, number_one x, number_one y)
{
    sum.re = fma_one(x.re, y.re, sum.re);
    if (!EIG_COMPLEX) return sum;
    sum.re = fma_one(-x.im, y.im, sum.re);
    sum.im = fma_one(x.im, y.re, fma_one(x.re, y.im, sum.im));
    return sum;
}

static inline number_one scaled_one(number_one x, real factor)
{
    return (number_one){x.re * factor, EIG_COMPLEX ? x.im * factor : 0};
}

/* Element i of column j of A or V. */
typedef struct place_one {
    real *re, *im;
} place_one;

static inline place_one place_in(real *const planes[2], const alone_matrix *m, int i, int j)
{
    return (place_one){planes[0] + i + j * m->ld, EIG_COMPLEX ? planes[EIG_COMPLEX] + i + j * m->ld : NULL};
}

static inline number_one read_one(place_one at)
{
    return (number_one){*at.re, EIG_COMPLEX ? *at.im : 0};
}

static inline void write_one(place_one at, number_one x)
{
    *at.re = x.re;
    if (EIG_COMPLEX) *at.im = x.im;
}

/* counts of heev_jacobi.h. */
static inline bool counts_one(const alone_matrix *m, bool relative, real bound, int i, int j)
{
    number_one const x = read_one(place_in(m->a, m, i, j));
    real size = fabs(x.re);
    if (EIG_COMPLEX) {
        real const im = fabs(x.im), most = size > im ? size : im, u = size / (most > 0 ? most : 1),
                   v = im / (most > 0 ? most : 1);
        size = most * sqrt(u * u + v * v);
    }
    if (!relative) return size > bound;
    return size > bound * sqrt(fabs(m->a[0][j + j * m->ld])) * sqrt(fabs(m->a[0][i + i * m->ld]));
}

/* rotate_pair of heev_jacobi.h. */
static inline void rotate_pair_one(place_one at_x, place_one at_y, bool x_above, bool y_above, real g, number_one s)
{
    number_one x = read_one(at_x), y = read_one(at_y);
    if (x_above) x = conjugate_one(x);
    if (y_above) y = conjugate_one(y);
    number_one const gx = add_product_one(scaled_one(x, g), conjugate_one(s), y),
                     gy = add_product_one(scaled_one(y, -g), s, x);
    number_one const to_x = {x.re - gx.re, x.im - gx.im}, to_y = {y.re + gy.re, y.im + gy.im};
    write_one(at_x, x_above ? conjugate_one(to_x) : to_x);
    write_one(at_y, y_above ? conjugate_one(to_y) : to_y);
}

/* Makes element (p, q), p < q, zero, where it counts. */
static inline void rotate_one(alone_matrix *m, bool relative, real bound, int p, int q)
{
    if (!counts_one(m, relative, bound, q, p)) return;
    place_one const qp = place_in(m->a, m, q, p);
    real *const pp = m->a[0] + p + p * m->ld, *const qq = m->a[0] + q + q * m->ld;
    number_one const below = read_one(qp);
    number_one s = {0, 0};
    real g, change;
    if (EIG_COMPLEX) {
        REAL_TYPED(jacobi_rotation)(*pp, *qq, below.re, -below.im, &g, &s.re, &s.im, &change);
    } else {
        REAL_TYPED(jacobi_angle)(*pp, *qq, fabs(below.re), &g, &s.re, &change);
        s.re = below.re < 0 ? -s.re : s.re;
    }
    for (int i = 0; i < p; ++i) rotate_pair_one(place_in(m->a, m, p, i), place_in(m->a, m, q, i), true, true, g, s);
    for (int i = p + 1; i < q; ++i)
        rotate_pair_one(place_in(m->a, m, i, p), place_in(m->a, m, q, i), false, true, g, s);
    for (int i = q + 1; i < m->n; ++i)
        rotate_pair_one(place_in(m->a, m, i, p), place_in(m->a, m, i, q), false, false, g, s);
    *pp -= change, *qq += change;
    write_one(qp, (number_one){0, 0});
    if (!m->z) return;
    for (int i = 0; i < m->n; ++i)
        rotate_pair_one(place_in(m->v, m, i, p), place_in(m->v, m, i, q), false, false, g, s);
}

/* Marks in bad the rows that hold an element that counts; whether there is one. */
static inline bool find_marks_one(alone_matrix *m, bool relative, real bound)
{
    bool any = false;
    for (int i = 0; i < m->n; ++i) m->bad[i] = 0;
    for (int i = 1; i < m->n; ++i)
        for (int j = 0; j < i; ++j) {
            if (!counts_one(m, relative, bound, i, j)) continue;
            m->bad[i] = m->bad[j] = 1, any = true;
        }
    return any;
}

static inline real square_one(number_one x)
{
    return EIG_COMPLEX ? fma_one(x.im, x.im, x.re * x.re) : x.re * x.re;
}

static inline real frobenius_one(const alone_matrix *m)
{
    real diagonal = 0, beside = 0;
    for (int i = 0; i < m->n; ++i) {
        diagonal += square_one(read_one(place_in(m->a, m, i, i)));
        for (int j = 0; j < i; ++j) beside += square_one(read_one(place_in(m->a, m, i, j)));
    }
    return sqrt(diagonal + 2 * beside);
}

/* Sweeps until nothing counts, at most as many as the call allows; returns their number. */
static inline int sweep_one(alone_matrix *m, const heev_problem *p)
{
    real bound = (real)p->tolerance;
    if (!p->relative) bound *= frobenius_one(m) * (1 / (real)m->n);
    int sweeps = 0;
    while (find_marks_one(m, p->relative, bound) && sweeps < p->max_sweeps) {
        for (int64_t round = 0; round < jacobi_rounds(m->n); ++round)
            for (int64_t k = 0; k < m->n / 2; ++k) {
                int64_t i, j;
                jacobi_pair(m->n, round, k, &i, &j);
                rotate_one(m, p->relative, bound, (int)i, (int)j);
            }
        ++sweeps;
    }
    return sweeps;
}

static bool solve_jacobi_alone(const heev_problem *p, int64_t b, void *work)
{
    alone_matrix m = alone_lay_out(p, work);
    real const most = alone_load(&m, p, b);
    bool const spoiled = most != most;
    int sweeps = 0;
    bool good = true;
    if (!spoiled) {
        m.unit = 1;
        m.up = p->relative ? REAL_TYPED(heev_scale_relative)(most) : REAL_TYPED(heev_scale)(most);
        for (int part = 0; part < HEEV_PARTS && m.up != 1; ++part)
            for (int j = 0; j < m.n; ++j)
                for (int i = j; i < m.n; ++i) m.a[part][i + j * m.ld] *= m.up;
        real const level = p->relative && most > 0 ? REAL_TYPED(pow2_inverse)(REAL_TYPED(pow2_floor)(most * m.up)) : 1;
        heev_sums const sums = p->certify ? alone_sums(&m, level) : (heev_sums){0, 0};
        for (int part = 0; part < HEEV_PARTS && m.z; ++part)
            for (int k = 0; k < m.n; ++k)
                for (int i = 0; i < m.n; ++i) m.v[part][i + k * m.ld] = part == 0 && i == k;
        sweeps = sweep_one(&m, p);
        for (int k = 0; k < m.n; ++k) m.d[k] = m.a[0][k + k * m.ld];
        if (p->certify) good = alone_certify(&m, sums, level, p->tolerance, 1, m.ld);
    }
    alone_store(&m, p, b, spoiled, sweeps, 1, m.ld);
    return !good;
}

#endif
