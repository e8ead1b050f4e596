/* heev on the CPU: the tridiagonal method for one matrix, n <= 64, with the bits of a tile's lane.  Part of
 * heev_kernels.c.
 *
 * Mapping   the lanes run along rows, or along columns of V, where a tile's lanes run along matrices.  Each sum has the
 *           terms of heev_tridiagonal.h in their order: so results do not depend on whether a matrix is alone.
 * Memory    A whole, both triangles, in planes, column by column; Z, which is real, likewise; V row by row.
 * Cost      at n = 64 half of the time is QL's chain of roots and divisions, 60 clocks a rotation; the rest hides
 *           behind it or runs over vectors. */
#ifndef EIG_HEEV_ALONE_H
#define EIG_HEEV_ALONE_H

#include "heev_certify.h"
#include "heev_tile.h"
#include "heev_tridiagonal.h"

#define TEMPLATE "ql.inc"
#include "for_one.h"

enum { ALONE_COLUMNS = EIG_COMPLEX ? 2 : 4 /* vectors of columns of V, or of rows of A, at once */ };

typedef struct alone_matrix {
    int n, ld, rows;       /* order; distance of columns; rows with the zeros behind them, whole vectors */
    real *a[2], *z, *v[2]; /* planes; element (i, j) at i + j*ld, of v at i*ld + j; z, v NULL: not wanted */
    real *d, *e, *bad, *tau, *phase[2]; /* [rows] */
    real *x[2], *y[2];                  /* [rows] */
    real up, unit;                      /* the matrix was multiplied by up, then divided by unit */
} alone_matrix;

SIMD_FN vreal *vector_at(real *x, int i)
{
    return (vreal *)(x + i);
}

/* A number of the type in every lane. */
SIMD_FN vnumber splat_of(real *const x[2], int i)
{
    return (vnumber){simd_splat(x[0][i]), EIG_COMPLEX ? simd_splat(x[1][i]) : (vreal){0}};
}

SIMD_FN vnumber get_at(real *const x[2], int i)
{
    return (vnumber){*vector_at(x[0], i), EIG_COMPLEX ? *vector_at(x[1], i) : (vreal){0}};
}

SIMD_FN void put_at(real *const x[2], int i, vnumber y)
{
    *vector_at(x[0], i) = y.re;
    if (EIG_COMPLEX) *vector_at(x[1], i) = y.im;
}

/* The planes of column j of A. */
#define COLUMN_OF_A(m, j)                                                         \
    {                                                                             \
        (m)->a[0] + (j) * (m)->ld, EIG_COMPLEX ? (m)->a[1] + (j) * (m)->ld : NULL \
    }

/* The first row of the vector that holds row i. */
SIMD_FN int vector_of(int i)
{
    return i - i % SIMD_LANES;
}

static inline alone_matrix alone_lay_out(const heev_problem *p, void *work)
{
    int const n = (int)p->n, ld = (int)heev_padded_column(n, sizeof(real));
    alone_matrix m = {.n = n, .ld = ld, .rows = (n + SIMD_LANES - 1) / SIMD_LANES * SIMD_LANES};
    real *rest = work;
    for (int part = 0; part < HEEV_PARTS; ++part) m.a[part] = rest, rest += n * ld;
    if (p->vectors) {
        m.z = rest, rest += n * ld;
        for (int part = 0; part < HEEV_PARTS; ++part) m.v[part] = rest, rest += n * ld;
    }
    real **const vectors[] = {&m.d, &m.e, &m.bad, &m.tau, &m.phase[0], &m.phase[1], &m.x[0], &m.x[1], &m.y[0], &m.y[1]};
    _Static_assert(sizeof vectors / sizeof *vectors == HEEV_ALONE_VECTORS, "room for them");
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) *vectors[k] = rest, rest += ld;
    return m;
}

/* The largest part of an entry of the triangle that is read, which goes below the diagonal of A; NaN where it holds a
 * NaN or an infinity. */
static inline real alone_load(const alone_matrix *m, const heev_problem *p, int64_t b)
{
    batch_strides const s = heev_strides_of(p);
    int64_t const si = HEEV_PARTS * (p->upper ? s.j : s.i), sj = HEEV_PARTS * (p->upper ? s.i : s.j);
    const real *const a = (const real *)p->a + HEEV_PARTS * b * s.b;
    real most = 0, spoiled = 0;
    for (int j = 0; j < m->n; ++j)
        for (int part = 0; part < HEEV_PARTS; ++part) {
            real *const to = m->a[part] + j * m->ld;
            for (int i = m->n; i < m->rows; ++i) to[i] = 0;
            if (part == 1) to[j] = 0;
            for (int i = part == 1 ? j + 1 : j; i < m->n; ++i) {
                real const x = a[i * si + j * sj + part];
                spoiled += x - x;
                most = fabs(x) > most ? fabs(x) : most;
                to[i] = part == 1 && p->upper ? -x : x;
            }
        }
    return spoiled == 0 ? most : (real)NAN;
}

/* Scales A as normalise and scale_to_one scale a tile, and mirrors it. */
static inline void alone_normalise(alone_matrix *m, real most)
{
    real const far = FLOAT_OR_DOUBLE(0x1p60f, 0x1p500), step = FLOAT_OR_DOUBLE(0x1p70f, 0x1p520);
    m->up = most < 1 / far ? step : most > far ? 1 / step : 1;
    m->unit = REAL_TYPED(pow2_floor)(most * m->up);
    real const inverse = REAL_TYPED(pow2_inverse)(m->unit);
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int j = 0; j < m->n; ++j) {
            real *const column = m->a[part] + j * m->ld;
            for (int i = j; i < m->n; ++i) {
                column[i] = column[i] * m->up * inverse;
                m->a[part][j + i * m->ld] = part == 1 ? -column[i] : column[i];
            }
        }
}

/* Column k, from row k+1 on, becomes v; returns tau.  The reflector of heev_tridiagonal.h. */
static inline real alone_reflector(alone_matrix *m, int k)
{
    real *const re = m->a[0] + k * m->ld, *const im = EIG_COMPLEX ? m->a[1] + k * m->ld : NULL;
    real sum = 0;
    for (int i = k + 1; i < m->n; ++i) sum += EIG_COMPLEX ? fma_one(im[i], im[i], re[i] * re[i]) : re[i] * re[i];
    bool const empty = sum < NEGLIGIBLE * NEGLIGIBLE, last = k == m->n - 2;
    real x = re[k + 1], y = EIG_COMPLEX ? im[k + 1] : 0;
    real const top = EIG_COMPLEX ? fma_one(y, y, x * x) : x * x;
    bool const none = top < BARE * BARE;
    real const size = none ? 0 : FLOAT_OR_DOUBLE(sqrtf, sqrt)(top), inverse = 1 / (none ? 1 : size);
    real const direction_re = none ? 1 : x * inverse, direction_im = none ? 0 : y * inverse;
    if (none) x = y = 0;
    real norm, pivot, unused, after_re, after_im;
    REAL_TYPED(householder)(size, sum, &norm, &pivot, &unused);
    REAL_TYPED(heev_phase)(m->phase[0][k], m->phase[1][k], direction_re, direction_im, &after_re, &after_im);
    m->phase[0][k + 1] = empty ? 1 : last ? after_re : -after_re;
    m->phase[1][k + 1] = empty ? 0 : last ? after_im : -after_im;
    m->e[k] = empty ? 0 : norm;
    if (last || empty) return 0;
    re[k + 1] = fma_one(direction_re, norm, x);
    if (EIG_COMPLEX) im[k + 1] = fma_one(direction_im, norm, y);
    return 1 / (norm * pivot);
}

/* Rows of y := A x from row i on, `vectors` vectors of them. */
SIMD_FN void alone_multiply_rows(alone_matrix *m, int k, int i, int vectors)
{
    vnumber sum[ALONE_COLUMNS];
#pragma GCC unroll 4
    for (int u = 0; u < vectors; ++u) sum[u] = (vnumber){{0}, {0}};
    for (int j = k + 1; j < m->n; ++j) {
        real *const column[2] = COLUMN_OF_A(m, j);
        vnumber const x = splat_of(m->x, j);
#pragma GCC unroll 4
        for (int u = 0; u < vectors; ++u) sum[u] = add_product(sum[u], get_at(column, i + u * SIMD_LANES), x);
    }
#pragma GCC unroll 4
    for (int u = 0; u < vectors; ++u) put_at(m->y, i + u * SIMD_LANES, sum[u]);
}

/* y := w = tau A v - (tau/2) (y^H v) v for rows from k+1 on, x = v. */
static inline void alone_multiply(alone_matrix *m, int k, real tau)
{
    int const start = vector_of(k + 1);
    int i = start;
    for (; i + ALONE_COLUMNS * SIMD_LANES <= m->rows; i += ALONE_COLUMNS * SIMD_LANES)
        alone_multiply_rows(m, k, i, ALONE_COLUMNS);
    for (; i + 2 * SIMD_LANES <= m->rows; i += 2 * SIMD_LANES) alone_multiply_rows(m, k, i, 2);
    if (i < m->rows) alone_multiply_rows(m, k, i, 1);
    real dot = 0;
    for (int t = k + 1; t < m->n; ++t)
        for (int part = 0; part < HEEV_PARTS; ++part) {
            real *const y = m->y[part] + t;
            *y *= tau;
            dot = fma_one(m->x[part][t], *y, dot);
        }
    vreal const half = simd_splat((real)0.5 * tau * dot);
    for (int part = 0; part < HEEV_PARTS; ++part) {
        for (i = start; i < m->rows; i += SIMD_LANES) {
            vreal *const y = vector_at(m->y[part], i);
            *y = simd_fma(-half, *vector_at(m->x[part], i), *y);
        }
        for (i = start; i <= k; ++i) m->y[part][i] = 0;
    }
}

/* A := A - v w^H - w v^H for rows and columns from k+1 on.  Above the diagonal the two products change places, so that
 * an element is the conjugate of its mirror image. */
static inline void alone_update(alone_matrix *m, int k)
{
    int const start = vector_of(k + 1);
    vint lane;
    for (int l = 0; l < SIMD_LANES; ++l) lane[l] = l;
    for (int j = k + 1; j < m->n; ++j) {
        real *const column[2] = COLUMN_OF_A(m, j);
        vnumber const v = splat_of(m->x, j), w = splat_of(m->y, j);
        int const diagonal = vector_of(j);
        for (int i = start; i <= diagonal; i += SIMD_LANES) {
            vnumber const a = get_at(column, i), vi = get_at(m->x, i), wi = get_at(m->y, i);
            vnumber above = subtract_product(subtract_product(a, conjugate(v), wi), conjugate(w), vi);
            if (i == diagonal) {
                vnumber const below = subtract_product(subtract_product(a, vi, conjugate(w)), wi, conjugate(v));
                vint const upper = lane < (vint){0} + (j - i);
                above.re = simd_select(upper, above.re, below.re);
                if (EIG_COMPLEX) above.im = simd_select(upper, above.im, below.im);
            }
            put_at(column, i, above);
        }
        for (int i = diagonal + SIMD_LANES; i < m->rows; i += SIMD_LANES) {
            vnumber const a = get_at(column, i), vi = get_at(m->x, i), wi = get_at(m->y, i);
            put_at(column, i, subtract_product(subtract_product(a, vi, conjugate(w)), wi, conjugate(v)));
        }
        if (EIG_COMPLEX) column[EIG_COMPLEX][j] = 0;
    }
}

static inline void alone_reduce(alone_matrix *m)
{
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int i = 0; i < m->rows; ++i) m->x[part][i] = 0;
    m->phase[0][0] = 1, m->phase[1][0] = 0;
    for (int k = 0; k < m->n - 1; ++k) {
        m->d[k] = m->a[0][k + k * m->ld];
        real const tau = m->tau[k] = alone_reflector(m, k);
        if (tau == 0) continue;
        for (int part = 0; part < HEEV_PARTS; ++part) {
            for (int i = vector_of(k + 1); i <= k; ++i) m->x[part][i] = 0;
            for (int i = k + 1; i < m->n; ++i) m->x[part][i] = m->a[part][i + k * m->ld];
        }
        alone_multiply(m, k, tau);
        alone_update(m, k);
    }
    m->d[m->n - 1] = m->a[0][(m->n - 1) * (m->ld + 1)];
    m->e[m->n - 1] = 0;
}

/* Whether rows i and i+1 are joined; sets a negligible e[i] to 0. */
static inline bool alone_joined(alone_matrix *m, int i)
{
    real const bound = (fabs(m->d[i]) + fabs(m->d[i + 1])) * REAL_EPSILON;
    if (fabs(m->e[i]) > (bound > NEGLIGIBLE ? bound : NEGLIGIBLE)) return true;
    m->e[i] = 0;
    return false;
}

/* One step of QL on rows l..r, its rotations applied to Z as they come: QL's own chain is longer. */
static inline void alone_step(alone_matrix *m, int l, int r)
{
    real *const d = m->d, *const e = m->e;
    real const h = (d[l + 1] - d[l]) / (2 * e[l]), root = FLOAT_OR_DOUBLE(sqrtf, sqrt)(h * h + 1);
    real g = d[r] - d[l] + e[l] / (h + (h < 0 ? -root : root)), s = 1, c = 1, p = 0;
    for (int i = r - 1; i >= l; --i) {
        ql_row_one(d[i], d[i + 1], e[i], TINY, &g, &s, &c, &p, &e[i + 1], &d[i + 1]);
        if (!m->z) continue;
        real cosine = c, sine = s;
        ql_correct_one(&cosine, &sine);
        vreal const cs = simd_splat(cosine), sn = simd_splat(sine);
        real *const x = m->z + i * m->ld, *const y = x + m->ld;
        for (int t = 0; t < m->rows; t += SIMD_LANES) {
            vreal const a = *vector_at(x, t), b = *vector_at(y, t);
            *vector_at(y, t) = simd_fma(cs, b, sn * a), *vector_at(x, t) = simd_fma(cs, a, -(sn * b));
        }
    }
    d[l] -= p, e[l] = g, e[r] = 0;
}

/* At most `most` steps. Marks in bad what has not converged by then. */
static inline void alone_iterate(alone_matrix *m, int64_t most)
{
    int const n = m->n;
    for (int i = 0; i < n - 1; ++i) alone_joined(m, i);
    int64_t steps = 0;
    for (int l = 0; l < n - 1 && steps < most;) {
        int r = l;
        while (r < n - 1 && alone_joined(m, r)) ++r;
        if (r == l) {
            ++l;
            continue;
        }
        alone_step(m, l, r);
        ++steps;
    }
    for (int i = 0; i < n - 1; ++i) alone_joined(m, i);
    for (int i = 0; i < n; ++i) m->bad[i] = m->e[i] != 0 || (i > 0 && m->e[i - 1] != 0);
}

/* Columns k to k + vectors*SIMD_LANES - 1 of V: the reflections, last first. */
SIMD_FN void alone_back_columns(alone_matrix *m, int k, int vectors)
{
    for (int j = m->n - 3; j >= 0; --j) {
        real *const reflection[2] = COLUMN_OF_A(m, j);
        vreal const tau = simd_splat(m->tau[j]);
        vnumber dot[ALONE_COLUMNS];
#pragma GCC unroll 4
        for (int u = 0; u < vectors; ++u) dot[u] = (vnumber){{0}, {0}};
        for (int i = j + 1; i < m->n; ++i) {
            vnumber const a = conjugate(splat_of(reflection, i));
#pragma GCC unroll 4
            for (int u = 0; u < vectors; ++u)
                dot[u] = add_product(dot[u], a, get_at(m->v, i * m->ld + k + u * SIMD_LANES));
        }
#pragma GCC unroll 4
        for (int u = 0; u < vectors; ++u) dot[u] = scaled(dot[u], tau);
        for (int i = j + 1; i < m->n; ++i) {
            vnumber const a = splat_of(reflection, i);
#pragma GCC unroll 4
            for (int u = 0; u < vectors; ++u) {
                int const at = i * m->ld + k + u * SIMD_LANES;
                put_at(m->v, at, subtract_product(get_at(m->v, at), dot[u], a));
            }
        }
    }
}

static inline void alone_back(alone_matrix *m)
{
    for (int i = 0; i < m->n; ++i)
        for (int part = 0; part < HEEV_PARTS; ++part) {
            real const phase = m->phase[part][i];
            real *const row = m->v[part] + i * m->ld;
            for (int k = 0; k < m->n; ++k) row[k] = m->z[i + k * m->ld] * phase;
            for (int k = m->n; k < m->rows; ++k) row[k] = 0;
        }
    int k = 0;
    for (; k + ALONE_COLUMNS * SIMD_LANES <= m->rows; k += ALONE_COLUMNS * SIMD_LANES)
        alone_back_columns(m, k, ALONE_COLUMNS);
    for (; k + 2 * SIMD_LANES <= m->rows; k += 2 * SIMD_LANES) alone_back_columns(m, k, 2);
    if (k < m->rows) alone_back_columns(m, k, 1);
}

/* polish of heev_tridiagonal.h; E takes the place of A, whole. */
static inline void alone_polish(alone_matrix *m)
{
    int const n = m->n;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            real re = i == j ? -1 : 0, im = 0;
            for (int k = 0; k < n; ++k) {
                real const xr = m->v[0][k * m->ld + i], yr = m->v[0][k * m->ld + j];
                re = fma_one(xr, yr, re);
                if (!EIG_COMPLEX) continue;
                real const xi = -m->v[EIG_COMPLEX][k * m->ld + i], yi = m->v[EIG_COMPLEX][k * m->ld + j];
                re = fma_one(-xi, yi, re), im = fma_one(xi, yr, fma_one(xr, yi, im));
            }
            m->a[0][i * m->ld + j] = m->a[0][j * m->ld + i] = re * (real)0.5;
            if (EIG_COMPLEX) m->a[EIG_COMPLEX][i * m->ld + j] = im * (real)0.5;
            if (EIG_COMPLEX && i != j) m->a[EIG_COMPLEX][j * m->ld + i] = -(im * (real)0.5);
        }
    for (int k = 0; k < n; ++k) {
        real *const row[2] = {m->v[0] + k * m->ld, EIG_COMPLEX ? m->v[1] + k * m->ld : NULL};
        for (int j = 0; j < n; ++j) {
            m->x[0][j] = row[0][j];
            if (EIG_COMPLEX) m->x[1][j] = row[EIG_COMPLEX][j];
        }
        for (int j = 0; j < m->rows; j += SIMD_LANES) {
            vnumber sum = {{0}, {0}};
            for (int i = 0; i < n; ++i) {
                real *const e[2] = {m->a[0] + i * m->ld, EIG_COMPLEX ? m->a[1] + i * m->ld : NULL};
                sum = add_product(sum, splat_of(m->x, i), get_at(e, j));
            }
            vnumber v = get_at(row, j);
            v.re -= sum.re;
            if (EIG_COMPLEX) v.im -= sum.im;
            put_at(row, j, v);
        }
    }
}

/* What the certificate asks of A, below its diagonal, times `level`. */
static inline heev_sums alone_sums(const alone_matrix *m, real level)
{
    heev_sums all = {0, 0};
    double diagonal = 0;
    for (int j = 0; j < m->n; ++j) {
        double const x = (double)m->a[0][j + j * m->ld] * level;
        all.trace += x, diagonal += x * x;
        for (int part = 0; part < HEEV_PARTS; ++part)
            all.squares += heev_squares(m->n - j - 1, m->a[part] + j + 1 + j * m->ld, level);
    }
    all.squares = 2 * all.squares + diagonal;
    return all;
}

/* Whether values and vectors pass; of a matrix all of whose values have converged.  Element i of column k of V: as
 * alone_store. */
static inline bool alone_certify(const alone_matrix *m, heev_sums of, real level, double tolerance, int row, int column)
{
    for (int k = 0; k < m->n; ++k)
        if (m->bad[k] != 0) return true;
    bool good = heev_certify_values(m->n, m->d, level, of, tolerance);
    real size[HEEV_TILE] = {0};
    for (int part = 0; part < HEEV_PARTS && m->z; ++part)
        for (int i = 0; i < m->n; ++i)
            for (int k = 0; k < m->n; ++k) {
                real const x = m->v[part][i * row + k * column];
                size[k] += x * x;
            }
    for (int k = 0; k < m->n && m->z; ++k) good = REAL_TYPED(spectrum_has_length)((real)m->n, size[k]) && good;
    for (int k = 0; k < m->n && !good; ++k) m->bad[k] = 1;
    return good;
}

/* As store_lanes stores a lane; spoiled: all is NaN.  Element i of column k of V lies at i*row + k*column. */
static inline void alone_store(alone_matrix *m, const heev_problem *p, int64_t b, bool spoiled, int sweeps, int row,
                               int column)
{
    int const n = m->n;
    int64_t order[HEEV_TILE], failed = 0;
    if (!spoiled) heev_cut(n, m->d, m->bad, m->unit, m->up);
    for (int k = 0; k < n; ++k) failed += !spoiled && m->bad[k] != 0;
    if (!spoiled) heev_sort(n, m->d, m->bad, order);
    batch_strides const s = heev_strides_of_v(p);
    real *const to_w = (real *)p->w + b * p->stride_w, *const to_v = p->v ? (real *)p->v + HEEV_PARTS * b * s.b : NULL;
    real const down = 1 / m->up;
    for (int k = 0; k < n; ++k) {
        bool const good = !spoiled && k < n - failed;
        to_w[k] = good ? m->d[order[k]] * m->unit * down + (real)0 : (real)NAN;
        if (!to_v) continue;
        real *const to = to_v + HEEV_PARTS * k * s.j;
        if (!good) {
            heev_put_nan(n, to, HEEV_PARTS * s.i);
            continue;
        }
        const real *const re = m->v[0] + order[k] * column, *const im = m->v[HEEV_PARTS - 1] + order[k] * column;
        heev_put_turned(n, re, im, row, to, HEEV_PARTS * s.i);
    }
    heev_store_info(p, b, spoiled ? EIG_INFO_NOT_FINITE : failed, sweeps);
}

static bool solve_alone(const heev_problem *p, int64_t b, void *work)
{
    alone_matrix m = alone_lay_out(p, work);
    real const most = alone_load(&m, p, b);
    bool const spoiled = most != most;
    bool good = true;
    if (!spoiled) {
        alone_normalise(&m, most);
        heev_sums const sums = p->certify ? alone_sums(&m, 1) : (heev_sums){0, 0};
        alone_reduce(&m);
        for (int k = 0; k < m.n && m.z; ++k)
            for (int i = 0; i < m.rows; ++i) m.z[i + k * m.ld] = i == k;
        alone_iterate(&m, (int64_t)m.n * p->max_sweeps);
        if (m.z) alone_back(&m);
        if (m.z && m.n <= POLISHED) alone_polish(&m);
        if (p->certify) good = alone_certify(&m, sums, 1, 0, m.ld, 1);
    }
    alone_store(&m, p, b, spoiled, 0, m.ld, 1);
    return !good;
}

#endif
