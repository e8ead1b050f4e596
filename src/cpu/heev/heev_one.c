/* heev on the CPU: one matrix of any order, on the tridiagonal road of heev_tridiagonal.h.  Compiled once for each
 * instruction set and type.
 *
 * Mapping   the lanes run along columns, which are padded by zeros to whole blocks of 64 bytes.
 * Memory    A below its diagonal, and Z, column by column in planes of real and imaginary parts; vectors beside them.
 * Schedule  reduction: A v and the rank-2 update go once over A each.  QL runs on T alone and notes its rotations; they
 *           are applied to Z by thousands, one block of rows after the other, which stays in the first cache.
 *           Reflections are applied to GROUP columns of Z at a time, for the same reason.
 * Cost      16/3 n^3 flops for the reduction, 3 n^3 for QL's vectors, 8 n^3 for the back-transformation (complex).
 * Promises  sums run over the lanes of 64 bytes, whatever the width of a vector: the same bits for every instruction set
 *           that has FMA.  At most n max_sweeps steps of QL.
 *
 * Everything here is static but the table at the end, so that no other file can link to this ISA's code. */
#include "heev_plain.h"
#include "simd.h"

enum { BLOCK = 64 / (int)sizeof(real), WIDE = 64 / SIMD_BYTES, GROUP = 4, MOST_VECTORS = 4 };

/* What is not larger is neglected, as in heev_tridiagonal.h; entries are at most 2. */
#define NEGLIGIBLE FLOAT_OR_DOUBLE(0x1p-45f, 0x1p-420)
#define TINY FLOAT_OR_DOUBLE(0x1p-50f, 0x1p-450)

/* A rotation of columns i and i+1 of Z. */
typedef struct rotation {
    real c, s;
    int64_t i;
} rotation;
_Static_assert(sizeof(rotation) <= HEEV_NOTED_BYTES, "a rotation's room");

typedef struct one {
    int64_t n, ld;
    real *a[2], *z[2];       /* planes; element (i, j) at i + j*ld; a holds what lies below the diagonal, else zeros */
    real *d, *e, *tau, *bad; /* [n] */
    real *phase[2], *x[2], *y[2]; /* [ld] */
    real up, unit;                /* the matrix was multiplied by up, then divided by unit */
    rotation *noted;              /* [HEEV_NOTED] in the order of their use; in the end the order of the eigenvalues */
    int count;
} one;

static vreal *at(real *x, int64_t i)
{
    return (vreal *)(x + i);
}

/* The start of the block that holds row i. */
static int64_t block_of(int64_t i)
{
    return i - i % BLOCK;
}

/* A sum in every lane of 64 bytes. */
typedef struct wide_sum {
    vreal v[WIDE];
} wide_sum;

static real total(const wide_sum *sum)
{
    const real *const x = (const real *)sum;
    real t[BLOCK];
    for (int k = 0; k < BLOCK; ++k) t[k] = x[k];
    for (int half = BLOCK / 2; half > 0; half /= 2)
        for (int k = 0; k < half; ++k) t[k] += t[k + half];
    return t[0];
}

/* Lays the work area out as heev_one_bytes counts it. */
static void lay_out(one *m, const heev_problem *p, void *work)
{
    int64_t const n = p->n, ld = heev_one_column(n, sizeof(real)), plane = n * ld;
    real *rest = work;
    *m = (one){.n = n, .ld = ld};
    for (int part = 0; part < HEEV_PARTS; ++part) m->a[part] = rest, rest += plane;
    for (int part = 0; part < HEEV_PARTS && p->vectors; ++part) m->z[part] = rest, rest += plane;
    real **const vectors[] = {&m->d,        &m->e,    &m->tau,  &m->bad,  &m->phase[0],
                              &m->phase[1], &m->x[0], &m->x[1], &m->y[0], &m->y[1]};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) *vectors[k] = rest, rest += ld;
    m->noted = (rotation *)rest;
}

/* Loads matrix b below its diagonal, which goes to d, scaled so that its largest part lies in [1, 2); false where it
 * holds a NaN or an infinity. */
static bool load(one *m, const heev_problem *p, int64_t b)
{
    batch_strides const s = heev_strides_of(p);
    int64_t const si = HEEV_PARTS * (p->upper ? s.j : s.i), sj = HEEV_PARTS * (p->upper ? s.i : s.j);
    const real *const a = (const real *)p->a + HEEV_PARTS * b * s.b;
    real most = 0;
    bool finite = true;
    for (int64_t j = 0; j < m->n; ++j)
        for (int part = 0; part < HEEV_PARTS; ++part) {
            real *const to = m->a[part] + j * m->ld;
            for (int64_t i = 0; i < m->ld; ++i) to[i] = 0;
            for (int64_t i = part ? j + 1 : j; i < m->n; ++i) {
                real const x = a[i * si + j * sj + part];
                finite = finite && isfinite(x);
                most = fabs(x) > most ? fabs(x) : most;
                to[i] = part && p->upper ? -x : x;
            }
        }
    if (!finite) return false;
    /* In two steps, since the reciprocal of a subnormal number overflows. */
    real const far = FLOAT_OR_DOUBLE(0x1p60f, 0x1p500), step = FLOAT_OR_DOUBLE(0x1p70f, 0x1p520);
    m->up = most < 1 / far ? step : most > far ? 1 / step : 1;
    m->unit = most > 0 ? REAL_TYPED(pow2_floor)(most * m->up) : 1;
    real const inverse = 1 / m->unit;
    for (int64_t j = 0; j < m->n; ++j) {
        for (int part = 0; part < HEEV_PARTS; ++part)
            for (int64_t i = j; i < m->n; ++i) m->a[part][i + j * m->ld] = m->a[part][i + j * m->ld] * m->up * inverse;
        m->d[j] = m->a[0][j + j * m->ld], m->a[0][j + j * m->ld] = 0;
    }
    return true;
}

/* The reflection of column k, as in heev_tridiagonal.h; v also to x. */
static real reflector(one *m, int64_t k)
{
    real *const re = m->a[0] + k * m->ld, *const im = EIG_COMPLEX ? m->a[1] + k * m->ld : NULL;
    wide_sum sum = {0};
    for (int64_t i = block_of(k + 1); i < m->ld; i += BLOCK)
        for (int w = 0; w < WIDE; ++w) {
            vreal const x = at(re, i)[w];
            sum.v[w] = simd_fma(x, x, sum.v[w]);
            if (!EIG_COMPLEX) continue;
            vreal const y = at(im, i)[w];
            sum.v[w] = simd_fma(y, y, sum.v[w]);
        }
    real const square = total(&sum), x = re[k + 1], y = EIG_COMPLEX ? im[k + 1] : 0, top = x * x + y * y;
    bool const empty = square < TINY * TINY, last = k == m->n - 2;
    real const norm = empty ? 0 : sqrt(square), size = top < TINY * TINY ? 0 : sqrt(top);
    real const turn_re = size > 0 ? x / size : 1, turn_im = size > 0 ? y / size : 0, sign = last ? 1 : -1;
    real const before_re = m->phase[0][k], before_im = m->phase[1][k];
    m->phase[0][k + 1] = empty ? 1 : sign * (before_re * turn_re - before_im * turn_im);
    m->phase[1][k + 1] = empty ? 0 : sign * (before_re * turn_im + before_im * turn_re);
    m->e[k] = norm;
    if (last || empty) return 0;
    re[k + 1] = x + turn_re * norm;
    if (EIG_COMPLEX) im[k + 1] = y + turn_im * norm;
    return 1 / (norm * (norm + size));
}

/* y := A v, rows and columns k+1..; v = x is zero above. */
static void multiply(one *m, int64_t k)
{
    int64_t const start = block_of(k + 1);
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int64_t i = start; i < m->ld; ++i) m->y[part][i] = 0;
    for (int64_t j = k + 1; j < m->n; ++j) {
        real *const re = m->a[0] + j * m->ld, *const im = EIG_COMPLEX ? m->a[1] + j * m->ld : NULL;
        vreal const vr = simd_splat(m->x[0][j]), vi = simd_splat(EIG_COMPLEX ? m->x[1][j] : 0);
        wide_sum dot_re = {0}, dot_im = {0};
        for (int64_t i = block_of(j + 1); i < m->ld; i += BLOCK)
            for (int w = 0; w < WIDE; ++w) {
                vreal const ar = at(re, i)[w], xr = at(m->x[0], i)[w];
                vreal *const yr = at(m->y[0], i) + w;
                *yr = simd_fma(ar, vr, *yr);
                dot_re.v[w] = simd_fma(ar, xr, dot_re.v[w]);
                if (!EIG_COMPLEX) continue;
                vreal const ai = at(im, i)[w], xi = at(m->x[1], i)[w];
                vreal *const yi = at(m->y[1], i) + w;
                *yr = simd_fma(-ai, vi, *yr);
                *yi = simd_fma(ai, vr, simd_fma(ar, vi, *yi));
                dot_re.v[w] = simd_fma(ai, xi, dot_re.v[w]);
                dot_im.v[w] = simd_fma(-ai, xr, simd_fma(ar, xi, dot_im.v[w]));
            }
        m->y[0][j] += total(&dot_re) + m->d[j] * m->x[0][j];
        if (EIG_COMPLEX) m->y[1][j] += total(&dot_im) + m->d[j] * m->x[1][j];
    }
}

/* A := A - v w^H - w v^H, w = y - (tau/2) (y^H v) v, where y is tau A v. */
static void update(one *m, int64_t k, real tau)
{
    int64_t const start = block_of(k + 1);
    real dot = 0;
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int64_t i = start; i < m->n; ++i) dot += m->x[part][i] * (m->y[part][i] *= tau);
    real const half = (real)0.5 * tau * dot;
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int64_t i = start; i < m->n; ++i) m->y[part][i] -= half * m->x[part][i];
    for (int64_t j = k + 1; j < m->n; ++j) {
        real *const re = m->a[0] + j * m->ld, *const im = EIG_COMPLEX ? m->a[1] + j * m->ld : NULL;
        vreal const vr = simd_splat(-m->x[0][j]), vi = simd_splat(EIG_COMPLEX ? -m->x[1][j] : 0);
        vreal const wr = simd_splat(-m->y[0][j]), wi = simd_splat(EIG_COMPLEX ? -m->y[1][j] : 0);
        for (int64_t i = block_of(j + 1); i < m->ld; i += BLOCK)
            for (int w = 0; w < WIDE; ++w) {
                vreal const xr = at(m->x[0], i)[w], yr = at(m->y[0], i)[w];
                vreal *const ar = at(re, i) + w;
                *ar = simd_fma(yr, vr, simd_fma(xr, wr, *ar));
                if (!EIG_COMPLEX) continue;
                vreal const xi = at(m->x[1], i)[w], yi = at(m->y[1], i)[w];
                vreal *const ai = at(im, i) + w;
                *ar = simd_fma(yi, vi, simd_fma(xi, wi, *ar));
                *ai = simd_fma(yi, vr, simd_fma(-yr, vi, simd_fma(xi, wr, simd_fma(-xr, wi, *ai))));
            }
        for (int64_t i = block_of(j + 1); i <= j; ++i) {
            re[i] = 0;
            if (EIG_COMPLEX) im[i] = 0;
        }
        real const product = m->x[0][j] * m->y[0][j] + (EIG_COMPLEX ? m->x[1][j] * m->y[1][j] : 0);
        m->d[j] -= 2 * product;
    }
}

/* Whether to go on with a matrix of which `part` is done. */
static bool go_on(cpu_watch *watch, double part)
{
    return !watch || eig_cpu_watch_look(watch, part);
}

static bool reduce(one *m, cpu_watch *watch)
{
    m->phase[0][0] = 1, m->phase[1][0] = 0;
    for (int64_t k = 0; k + 1 < m->n; ++k) {
        if (k % 8 == 0 && !go_on(watch, 0.4 * (double)k / (double)m->n)) return false;
        real const tau = m->tau[k] = reflector(m, k);
        if (tau == 0) continue;
        for (int part = 0; part < HEEV_PARTS; ++part)
            for (int64_t i = block_of(k + 1); i < m->ld; ++i) m->x[part][i] = m->a[part][i + k * m->ld];
        multiply(m, k);
        update(m, k, tau);
    }
    m->e[m->n - 1] = 0;
    return true;
}

/* The rotations that are noted, on `vectors` vectors of rows from `row` on.  Of two in a row the second mostly takes the
 * column that the first leaves: it stays in registers. */
SIMD_FN void apply_to_rows(const one *m, int64_t row, int vectors)
{
    vreal carry[MOST_VECTORS];
    int64_t carried = m->noted[0].i + 1;
    for (int u = 0; u < vectors; ++u) carry[u] = at(m->z[0], carried * m->ld + row)[u];
    for (int k = 0; k < m->count; ++k) {
        rotation const turn = m->noted[k];
        vreal *const x = at(m->z[0], turn.i * m->ld + row), *const y = at(m->z[0], (turn.i + 1) * m->ld + row);
        if (turn.i + 1 != carried) {
            for (int u = 0; u < vectors; ++u) at(m->z[0], carried * m->ld + row)[u] = carry[u];
            for (int u = 0; u < vectors; ++u) carry[u] = y[u];
        }
        vreal const c = simd_splat(turn.c), s = simd_splat(turn.s);
        for (int u = 0; u < vectors; ++u) {
            vreal const a = x[u], b = carry[u];
            y[u] = simd_fma(c, b, s * a), carry[u] = simd_fma(c, a, -(s * b));
        }
        carried = turn.i;
    }
    for (int u = 0; u < vectors; ++u) at(m->z[0], carried * m->ld + row)[u] = carry[u];
}

static void apply_noted(one *m)
{
    int64_t row = 0;
    for (; row + MOST_VECTORS * SIMD_LANES <= m->ld; row += MOST_VECTORS * SIMD_LANES)
        apply_to_rows(m, row, MOST_VECTORS);
    for (; row < m->ld; row += SIMD_LANES) apply_to_rows(m, row, 1);
    m->count = 0;
}

static void note(one *m, int64_t i, real c, real s)
{
    if (!m->z[0]) return;
    /* The rounding that c and s share is taken out again: its errors would add up. */
    real const excess = (real)0.5 * (1 - c * c - s * s);
    m->noted[m->count++] = (rotation){c + c * excess, s + s * excess, i};
    if (m->count == HEEV_NOTED) apply_noted(m);
}

/* One step of implicit QL on rows l..r. */
static void ql_step(one *m, int64_t l, int64_t r)
{
    real *const d = m->d, *const e = m->e;
    real const h = (d[l + 1] - d[l]) / (2 * e[l]), root = sqrt(h * h + 1);
    real g = d[r] - d[l] + e[l] / (h + (h < 0 ? -root : root)), s = 1, c = 1, p = 0;
    for (int64_t i = r - 1; i >= l; --i) {
        real const f = s * e[i], b = c * e[i], sum = f * f + g * g;
        bool const plain = sum >= TINY * TINY;
        real const size = plain ? sqrt(sum) : g;
        s = plain ? f / size : 0, c = plain ? g / size : 1;
        e[i + 1] = size;
        real const q = d[i + 1] - p, t = (d[i] - q) * s + 2 * c * b;
        p = s * t;
        d[i + 1] = q + p, g = c * t - b;
        note(m, i, c, s);
    }
    d[l] -= p, e[l] = g, e[r] = 0;
}

/* Whether rows i and i+1 are joined; sets a negligible e[i] to 0. */
static bool joined(one *m, int64_t i)
{
    real const bound = (fabs(m->d[i]) + fabs(m->d[i + 1])) * REAL_EPSILON;
    if (fabs(m->e[i]) > bound && fabs(m->e[i]) > NEGLIGIBLE) return true;
    m->e[i] = 0;
    return false;
}

/* At most `most` steps; what does not converge by then is marked in bad.  How many, or -1 where the watch stops it. */
static int64_t iterate(one *m, int64_t most, cpu_watch *watch)
{
    int64_t const n = m->n;
    int64_t steps = 0;
    for (int64_t l = 0; l + 1 < n && steps < most;) {
        int64_t r = l;
        while (r + 1 < n && joined(m, r)) ++r;
        if (r == l) {
            ++l;
            continue;
        }
        if (steps % 8 == 0 && !go_on(watch, 0.4 + 0.3 * (double)l / (double)n)) return -1;
        ql_step(m, l, r);
        ++steps;
    }
    if (m->count > 0) apply_noted(m);
    int64_t failed = 0;
    for (int64_t i = 0; i + 1 < n; ++i) joined(m, i);
    for (int64_t i = 0; i < n; ++i) failed += m->bad[i] = m->e[i] != 0 || (i > 0 && m->e[i - 1] != 0);
    return failed;
}

/* z := z - tau (v^H z) v for columns j.. of a group; v: column k of A. */
static void reflect(one *m, int64_t k, int64_t j, int columns)
{
    real *const vr = m->a[0] + k * m->ld, *const vi = EIG_COMPLEX ? m->a[1] + k * m->ld : NULL;
    for (int c = 0; c < columns; ++c) {
        real *const zr = m->z[0] + (j + c) * m->ld, *const zi = EIG_COMPLEX ? m->z[1] + (j + c) * m->ld : NULL;
        wide_sum re = {0}, im = {0};
        for (int64_t i = block_of(k + 1); i < m->ld; i += BLOCK)
            for (int w = 0; w < WIDE; ++w) {
                vreal const a = at(vr, i)[w], x = at(zr, i)[w];
                re.v[w] = simd_fma(a, x, re.v[w]);
                if (!EIG_COMPLEX) continue;
                vreal const b = at(vi, i)[w], y = at(zi, i)[w];
                re.v[w] = simd_fma(b, y, re.v[w]);
                im.v[w] = simd_fma(-b, x, simd_fma(a, y, im.v[w]));
            }
        vreal const fr = simd_splat(-m->tau[k] * total(&re)), fi = simd_splat(-m->tau[k] * total(&im));
        for (int64_t i = block_of(k + 1); i < m->ld; i += BLOCK)
            for (int w = 0; w < WIDE; ++w) {
                vreal const a = at(vr, i)[w];
                vreal *const x = at(zr, i) + w;
                *x = simd_fma(a, fr, *x);
                if (!EIG_COMPLEX) continue;
                vreal const b = at(vi, i)[w];
                vreal *const y = at(zi, i) + w;
                *x = simd_fma(-b, fi, *x);
                *y = simd_fma(a, fi, simd_fma(b, fr, *y));
            }
    }
}

/* V := Q (phases) Z. */
static bool back_transform(one *m, cpu_watch *watch)
{
    for (int64_t j = 0; j < m->n; j += GROUP) {
        int const columns = m->n - j < GROUP ? (int)(m->n - j) : GROUP;
        if (!go_on(watch, 0.7 + 0.3 * (double)j / (double)m->n)) return false;
        for (int64_t c = j; c < j + columns; ++c)
            for (int64_t i = 0; i < m->n; ++i) {
                real const z = m->z[0][i + c * m->ld];
                m->z[0][i + c * m->ld] = z * m->phase[0][i];
                if (EIG_COMPLEX) m->z[1][i + c * m->ld] = z * m->phase[1][i];
            }
        for (int64_t k = m->n - 3; k >= 0; --k)
            if (m->tau[k] != 0) reflect(m, k, j, columns);
    }
    return true;
}

static void solve_one(const heev_problem *p, int64_t b, void *work, cpu_watch *watch)
{
    one m;
    lay_out(&m, p, work);
    if (!load(&m, p, b)) {
        heev_store(p, b, NULL, NULL, NULL, p->n, 1);
        heev_tell(p, b, EIG_INFO_NOT_FINITE, 0);
        return;
    }
    for (int64_t k = 0; k < m.ld; ++k)
        m.phase[0][k] = m.phase[1][k] = m.x[0][k] = m.x[1][k] = m.y[0][k] = m.y[1][k] = 0;
    if (!reduce(&m, watch)) return;
    for (int part = 0; part < HEEV_PARTS && p->vectors; ++part)
        for (int64_t k = 0; k < m.n * m.ld; ++k) m.z[part][k] = part == 0 && k % m.ld == k / m.ld;
    int64_t const failed = iterate(&m, m.n * p->max_sweeps, watch);
    if (failed < 0) return;
    if (p->vectors && !back_transform(&m, watch)) return;
    int64_t *const order = (int64_t *)m.noted;
    heev_sort(m.n, m.d, m.bad, order);
    for (int64_t k = 0; k < m.n; ++k) m.d[k] *= m.unit;
    heev_matrix const v = {.n = m.n, .ld = m.ld, .re = m.z[0], .im = m.z[1]};
    heev_store(p, b, m.d, &v, order, failed, 1 / m.up);
    heev_tell(p, b, failed, 0);
}

const heev_ones ISA_TYPED(eig_cpu_heev_one) = {.solve = solve_one};
