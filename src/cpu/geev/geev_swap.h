/* geev on the CPU, n > 64: exchanging neighbouring diagonal blocks of a Schur form (Z. Bai and J. Demmel, On swapping
 * diagonal blocks in real Schur form, Linear Algebra Appl. 186 (1993)).  Part of geev_large.c. */
#ifndef EIG_GEEV_SWAP_H
#define EIG_GEEV_SWAP_H

#include "geev.h"
#include "geev_large.h"

/* Columns x and y of `rows` rows: (x, y) := (x, y) [c s; -conj(s) c]^H */
static void swap_columns(geev_view a, int64_t rows, int64_t j, number s, real c)
{
    real *const x = a.a + j * a.sj, *const y = x + a.sj;
    for (int64_t r = 0; r < rows; ++r) {
        number const p = {x[r], EIG_COMPLEX ? x[r + a.im] : 0}, q = {y[r], EIG_COMPLEX ? y[r + a.im] : 0};
        number const t = times(conjugate_of(s), q), u = times(s, p);
        x[r] = fused(c, p.re, t.re), y[r] = fused(c, q.re, -u.re);
        if (EIG_COMPLEX) x[r + a.im] = fused(c, p.im, t.im), y[r + a.im] = fused(c, q.im, -u.im);
    }
}

static void swap_rows(geev_view a, int64_t first, int64_t last, int64_t i, number s, real c)
{
    for (int64_t j = first; j <= last; ++j) {
        real *const x = a.a + i + j * a.sj;
        number const p = number_of(a, i, j), q = number_of(a, i + 1, j);
        number const t = times(s, q), u = times(conjugate_of(s), p);
        x[0] = fused(c, p.re, t.re), x[1] = fused(c, q.re, -u.re);
        if (EIG_COMPLEX) x[a.im] = fused(c, p.im, t.im), x[1 + a.im] = fused(c, q.im, -u.im);
    }
}

/* Exchanges the eigenvalues T(j, j) and T(j+1, j+1). */
static void swap_single(const geev_schur *s, int64_t j)
{
    int64_t const n = s->n;
    number const upper = number_of(s->t, j, j), lower = number_of(s->t, j + 1, j + 1);
    number const f = number_of(s->t, j, j + 1), g = plus(lower, negative(upper));
    number sine, r;
    real c;
    REAL_TYPED(schur_plane_rotation)(f.re, f.im, g.re, g.im, &c, &sine.re, &sine.im, &r.re, &r.im);
    swap_rows(s->t, j, n - 1, j, sine, c);
    swap_columns(s->t, j + 2, j, sine, c);
    swap_columns(s->q, n, j, sine, c);
    real *const d = s->t.a + j + j * s->t.sj, *const e = d + 1 + s->t.sj;
    d[0] = lower.re, e[0] = upper.re, d[1] = 0;
    if (EIG_COMPLEX) d[s->t.im] = lower.im, e[s->t.im] = upper.im, d[1 + s->t.im] = 0;
}

#if !EIG_COMPLEX
/* Solves the system of order n <= 4, by elimination with complete pivoting; small pivots are replaced by `floor`. */
static void solve_few(int n, real a[4][4], real *b, real floor)
{
    int order[4] = {0, 1, 2, 3};
    for (int k = 0; k < n; ++k) {
        int row = k, column = k;
        for (int i = k; i < n; ++i)
            for (int j = k; j < n; ++j)
                if (fabs(a[i][j]) > fabs(a[row][column])) row = i, column = j;
        for (int j = 0; j < n; ++j) {
            real const t = a[k][j];
            a[k][j] = a[row][j], a[row][j] = t;
        }
        real const t = b[k];
        b[k] = b[row], b[row] = t;
        for (int i = 0; i < n; ++i) {
            real const u = a[i][k];
            a[i][k] = a[i][column], a[i][column] = u;
        }
        int const o = order[k];
        order[k] = order[column], order[column] = o;
        if (fabs(a[k][k]) < floor) a[k][k] = floor;
        for (int i = k + 1; i < n; ++i) {
            real const f = a[i][k] / a[k][k];
            for (int j = k + 1; j < n; ++j) a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    }
    real x[4];
    for (int k = n - 1; k >= 0; --k) {
        for (int j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
    for (int k = 0; k < n; ++k) x[order[k]] = b[k];
    for (int k = 0; k < n; ++k) b[k] = x[k];
}

/* The reflectors I - tau u u' that bring the columns [-X; I], X of B11 X - X B22 = B12, to a triangle: their first q
 * columns span what belongs to B22.  b: the blocks, p and q rows, column-major; its largest entry is about 1. */
static void swap_reflectors(int p, int q, real b[4][4], real u[2][4], real *tau)
{
    real a[4][4] = {{0}}, x[4], z[2][4] = {{0}};
    for (int j = 0; j < q; ++j)
        for (int i = 0; i < p; ++i) {
            x[i + j * p] = b[p + j][i];
            for (int k = 0; k < p; ++k) a[i + j * p][k + j * p] += b[k][i];
            for (int k = 0; k < q; ++k) a[i + j * p][i + k * p] -= b[p + j][p + k];
        }
    solve_few(p * q, a, x, REAL_EPSILON);
    for (int j = 0; j < q; ++j) {
        for (int i = 0; i < p; ++i) z[j][i] = -x[i + j * p];
        z[j][p + j] = 1;
    }
    for (int k = 0; k < q; ++k) {
        real square = 0, norm, pivot;
        for (int i = k; i < p + q; ++i) square += z[k][i] * z[k][i];
        TYPED(householder)(z[k][k], square, &norm, &pivot, tau + k);
        for (int i = 0; i < p + q; ++i) u[k][i] = i < k ? 0 : i == k ? 1 : z[k][i] / pivot;
        for (int j = k + 1; j < q; ++j) {
            real dot = 0;
            for (int i = k; i < p + q; ++i) dot += u[k][i] * z[j][i];
            for (int i = k; i < p + q; ++i) z[j][i] -= tau[k] * dot * u[k][i];
        }
    }
}

static void reflect_rows(int size, real *x, int64_t step, const real *u, real tau)
{
    real dot = 0;
    for (int i = 0; i < size; ++i) dot += u[i] * x[i * step];
    dot *= tau;
    for (int i = 0; i < size; ++i) x[i * step] -= dot * u[i];
}

/* Exchanges a block of p rows at row j and the next one of q rows; false, and nothing is changed, where rounding errors
 * would be too large. */
static bool swap_blocks(const geev_schur *s, int64_t j, int p, int q)
{
    int const size = p + q;
    int64_t const n = s->n, ld = s->t.sj;
    if (size == 2) {
        swap_single(s, j);
        return true;
    }
    real *const d = s->t.a + j + j * ld;
    real b[4][4] = {{0}}, most = 0, u[2][4], tau[2];
    for (int k = 0; k < size; ++k)
        for (int i = 0; i < size; ++i) most = fabs(d[i + k * ld]) > most ? fabs(d[i + k * ld]) : most;
    real const unit = most > REAL_MIN ? most : REAL_MIN, scale = TYPED(pow2_inverse)(TYPED(pow2_floor)(unit));
    for (int k = 0; k < size; ++k)
        for (int i = 0; i < size; ++i) b[k][i] = d[i + k * ld] * scale;
    swap_reflectors(p, q, b, u, tau);
    for (int k = 0; k < q; ++k) {
        for (int c = 0; c < size; ++c) reflect_rows(size, b[c], 1, u[k], tau[k]);
        for (int r = 0; r < size; ++r) reflect_rows(size, &b[0][r], 4, u[k], tau[k]);
    }
    for (int k = 0; k < q; ++k)
        for (int i = q; i < size; ++i)
            if (!(fabs(b[k][i]) <= 20 * REAL_EPSILON)) return false;
    for (int k = 0; k < q; ++k) {
        for (int64_t c = j; c < n; ++c) reflect_rows(size, s->t.a + j + c * ld, 1, u[k], tau[k]);
        for (int64_t r = 0; r < j + size; ++r) reflect_rows(size, s->t.a + r + j * ld, ld, u[k], tau[k]);
        for (int64_t r = 0; r < n; ++r) reflect_rows(size, s->q.a + r + j * s->q.sj, s->q.sj, u[k], tau[k]);
    }
    for (int k = 0; k < q; ++k)
        for (int i = q; i < size; ++i) d[i + k * ld] = 0;
    return true;
}

/* The 2 x 2 block at row l: its eigenvalues, and two blocks where they are real. */
static void settle_block(const geev_schur *s, int64_t l)
{
    int64_t const ld = s->t.sj;
    const real *const d = s->t.a + l + l * ld;
    TYPED(francis_block)(d[0], d[ld], d[1], d[1 + ld], s->re + l, s->re + l + 1, s->im + l);
    s->im[l + 1] = -s->im[l];
    if (s->im[l] == 0) TYPED(eig_cpu_geev_split)(s, l);
}
#endif

/* Rows of the diagonal block that ends, or begins, at row i. */
static int block_that_ends(const geev_schur *s, int64_t i)
{
    return !EIG_COMPLEX && i > 0 && s->t.a[i + (i - 1) * s->t.sj] != 0 ? 2 : 1;
}

static int block_that_begins(const geev_schur *s, int64_t i)
{
    return !EIG_COMPLEX && i + 1 < s->n && s->t.a[i + 1 + i * s->t.sj] != 0 ? 2 : 1;
}

/* Moves the block at row `from` up to row `to`, where a block begins; returns where it has come to. */
static int64_t move_up(const geev_schur *s, int64_t from, int64_t to)
{
    while (from > to) {
#if EIG_COMPLEX
        swap_single(s, --from);
#else
        int const p = block_that_ends(s, from - 1), q = block_that_begins(s, from);
        if (!swap_blocks(s, from - p, p, q)) return from;
        from -= p;
        if (p == 2) settle_block(s, from + q);
        if (q == 2) settle_block(s, from);
        if (q == 2 && s->im[from] == 0) return from; /* two blocks now */
#endif
    }
    return from;
}

#endif
