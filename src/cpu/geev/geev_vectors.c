/* geev on the CPU, plain code: eigenvectors and condition numbers from a Schur form, by back-substitution as in
 * LAPACK's trevc, one vector at a time.  Compiled once for each type.
 *
 * A left vector is a right one of the matrix that is mirrored at its other diagonal: z T = w z is T' z' = w z' with
 * element (i, j) of T' that in row n-1-j and column n-1-i of T, and z' the entries of z in reverse.  T' is upper
 * triangular, too, so that one function serves both; the left vector is conj(z). */
#include "geev.h"
#include "geev_cpu.h"
#include "geev_plain.h"
#include "geev_vector.h"

/* The vector in progress: entries below `open` wait, with what is left of their right sides. */
typedef struct geev_vector {
    real *x; /* [2n] real parts, then imaginary parts */
    int64_t n;
} geev_vector;

/* Entries first..last times f. */
static void rescale(geev_vector v, int64_t last, real f)
{
    for (int64_t i = 0; f != 1 && i <= last; ++i) v.x[i] *= f, v.x[v.n + i] *= f;
}

/* Takes entry j, which is known, out of the right sides of the entries 0..last. */
static void eliminate(geev_view t, geev_vector v, int64_t j, int64_t last)
{
    real const re = v.x[j], im = v.x[v.n + j];
    for (int64_t i = 0; i <= last; ++i) {
        real const a = entry_re(t, i, j), b = entry_im(t, i, j);
        v.x[i] -= EIG_COMPLEX ? a * re - b * im : a * re;
        v.x[v.n + i] -= EIG_COMPLEX ? a * im + b * re : a * im;
    }
}

/* Entry j from the pivot d and its right side. */
static void find_entry(geev_vector v, int64_t j, int64_t last, const real *d)
{
    rescale(v, last, REAL_TYPED(schur_guard)(v.x[j], v.x[v.n + j], d[0], d[1]));
    REAL_TYPED(schur_divide)(v.x[j], v.x[v.n + j], d[0], d[1], v.x + j, v.x + v.n + j);
}

/* Entries j-1 and j, whose rows form a 2 x 2 block. */
static void find_two(geev_view t, geev_vector v, int64_t j, int64_t last, real re, real im, real least)
{
    real const a[2] = {entry_re(t, j - 1, j - 1) - re, -im}, d[2] = {entry_re(t, j, j) - re, -im};
    real u[6], r[4] = {v.x[j - 1], v.x[v.n + j - 1], v.x[j], v.x[v.n + j]};
    REAL_TYPED(schur_eliminate)(a, entry_re(t, j - 1, j), entry_re(t, j, j - 1), d, least, u, r);
    v.x[j - 1] = r[0], v.x[v.n + j - 1] = r[1], v.x[j] = r[2], v.x[v.n + j] = r[3];
    find_entry(v, j, last, u + 4);
    v.x[j - 1] -= u[2] * v.x[j] - u[3] * v.x[v.n + j];
    v.x[v.n + j - 1] -= u[2] * v.x[v.n + j] + u[3] * v.x[j];
    find_entry(v, j - 1, last, u);
}

/* The vector x of (T - w) x = 0 with w = re + i im, whose last entry that is not zero stands in row k; that of a
 * complex pair ends with rows k-1 and k. */
static void substitute(geev_view t, geev_vector v, int64_t k, real re, real im, real floor)
{
    real const least = REAL_TYPED(schur_least)(re, im, floor);
    bool const pair = !EIG_COMPLEX && im != 0;
    for (int64_t i = 0; i < 2 * v.n; ++i) v.x[i] = 0;
    v.x[k] = 1;
    if (pair) REAL_TYPED(schur_start)
    (entry_re(t, k - 1, k - 1), entry_re(t, k - 1, k), entry_re(t, k, k - 1), entry_re(t, k, k), re, im, v.x + k - 1,
     v.x + v.n + k - 1, v.x + k, v.x + v.n + k);
    int64_t const first = pair ? k - 2 : k - 1;
    for (int64_t j = k; j > first; --j) eliminate(t, v, j, first);
    for (int64_t j = first; j >= 0; --j) {
        if (!EIG_COMPLEX && j > 0 && entry_re(t, j, j - 1) != 0) {
            find_two(t, v, j, k, re, im, least);
            eliminate(t, v, j, j - 2), eliminate(t, v, j - 1, j - 2);
            --j;
        } else {
            real d[2] = {entry_re(t, j, j) - re, entry_im(t, j, j) - im};
            REAL_TYPED(schur_pivot)(least, d, d + 1);
            find_entry(v, j, k, d);
            eliminate(t, v, j, j - 1);
        }
    }
}

/* x := D x, or D^-1 x of a left vector, not scaled.  Entries of D may be so far apart that their ratio overflows.  So x
 * is multiplied by the square root of D twice, and brought to 1 between: an entry that counts at the end counts then,
 * too. */
static void unbalance(const geev_schur *s, bool left, real *x)
{
    int64_t const n = s->n;
    for (int step = 0; step < 2; ++step) {
        for (int64_t i = 0; i < n; ++i) {
            int const all = ilogb(s->scale[i]), half = all / 2, e = step == 0 ? half : all - half;
            real const f = ldexp((real)1, left ? -e : e);
            x[i] *= f, x[n + i] *= f;
        }
        bring_to_one(n, x);
    }
}

/* The vector of eigenvalue k, of the whole matrix, in the permuted order: to x. */
static void find_vector(const geev_schur *s, bool left, int64_t k, real floor, real *x, real *work)
{
    int64_t const n = s->n;
    bool const pair = !EIG_COMPLEX && s->im[k] != 0;
    geev_view const t = left ? mirrored(s->t, n) : s->t, q = left ? reversed(s->q, n) : s->q;
    geev_vector const v = {work, n};
    int64_t const last = left ? n - 1 - k : k + pair;
    substitute(t, v, last, s->re[k], s->im[k], floor);
    bring_to_one(n, work);
    multiply(q, work, left, n, last, x);
    bring_to_one(n, x);
    unbalance(s, left, x);
    normalise(n, s->from, x);
}

/* Stores x, or its conjugate, as column k. */
static void store(real *v, int64_t ld, const geev_schur *s, int64_t k, const real *x, bool conjugate)
{
    int64_t const n = s->n;
    for (int64_t i = 0; v && i < n; ++i) {
        real *const to = v + 2 * (s->from[i] + k * ld);
        to[0] = x[i] + (real)0;
        to[1] = (conjugate ? -x[n + i] : x[n + i]) + (real)0;
    }
}

static void store_nan(int64_t n, real *v, int64_t ld)
{
    for (int64_t k = 0; v && k < n; ++k)
        for (int64_t i = 0; i < 2 * n; ++i) v[i + 2 * k * ld] = (real)NAN;
}

#if !EIG_COMPLEX
static void rotate(real *x, real *y, int64_t step, int64_t count, real cs, real sn)
{
    for (int64_t k = 0; k < count; ++k) {
        real const a = x[k * step], b = y[k * step];
        x[k * step] = cs * a + sn * b, y[k * step] = cs * b - sn * a;
    }
}

/* T := G T G', Q := Q G' for a rotation G of rows l and l+1; returns where T(l, l) lies. */
static real *turn_form(const geev_schur *s, int64_t l, real cs, real sn)
{
    int64_t const n = s->n, si = s->t.si, sj = s->t.sj;
    real *const d = s->t.a + l * (si + sj), *const q = s->q.a + l * s->q.sj;
    rotate(d, d + si, sj, n - l, cs, sn);
    rotate(d - l * si, d - l * si + sj, si, l + 2, cs, sn);
    rotate(q, q + s->q.sj, s->q.si, n, cs, sn);
    return d;
}

void TYPED(eig_cpu_geev_split)(const geev_schur *s, int64_t l)
{
    int64_t const si = s->t.si, sj = s->t.sj;
    const real *const d = s->t.a + l * (si + sj);
    real cs, sn;
    TYPED(schur_rotation)(d[0], d[sj], d[si], d[si + sj], &cs, &sn);
    real *const to = turn_form(s, l, cs, sn);
    to[0] = s->re[l], to[si] = 0, to[si + sj] = s->re[l + 1];
}

/* Makes the diagonal entries of the block of rows l and l+1 equal; returns where T(l, l) lies. */
static real *level_block(const geev_schur *s, int64_t l)
{
    int64_t const si = s->t.si, sj = s->t.sj;
    real *d = s->t.a + l * (si + sj);
    real cs, sn;
    TYPED(schur_standard)(d[0], d[sj], d[si], d[si + sj], &cs, &sn);
    d = turn_form(s, l, cs, sn);
    d[0] = d[si + sj] = (real)0.5 * (d[0] + d[si + sj]);
    return d;
}

void TYPED(eig_cpu_geev_standardise)(const geev_schur *s)
{
    int64_t const si = s->t.si, sj = s->t.sj;
    for (int64_t l = 0; l + 1 < s->n; ++l) {
        if (!(s->im[l] > 0)) continue;
        const real *const d = level_block(s, l);
        real const mean = d[0], b = d[sj], c = d[si];
        if (b != 0 && c != 0 && (b < 0) != (c < 0)) {
            s->re[l] = s->re[l + 1] = mean;
            s->im[l] = sqrt(fabs(b)) * sqrt(fabs(c)), s->im[l + 1] = -s->im[l];
        } else { /* a real pair after all, within a rounding error */
            TYPED(francis_block)(mean, b, c, mean, s->re + l, s->re + l + 1, s->im + l);
            s->im[l + 1] = 0;
            if (c != 0) TYPED(eig_cpu_geev_split)(s, l);
        }
        ++l;
    }
}

/* Makes rows l and l+1 of a pair triangular: takes the smaller entry beside the diagonal for zero. */
static void part(const geev_schur *s, int64_t l)
{
    int64_t const si = s->t.si, sj = s->t.sj;
    real *const d = level_block(s, l);
    bool const lower = fabs(d[si]) > fabs(d[sj]);
    d[0] = d[si + sj] = s->re[l];
    d[lower ? sj : si] = 0;
    s->im[l] = s->im[l + 1] = 0;
    if (lower) TYPED(eig_cpu_geev_split)(s, l);
}

void TYPED(eig_cpu_geev_settle)(const geev_schur *s, real unscale, bool form)
{
    int64_t const si = s->t.si, sj = s->t.sj;
    for (int64_t l = 0; l + 1 < s->n && unscale < 1; ++l) {
        if (!(s->im[l] > 0)) continue;
        real *const d = s->t.a + l * (si + sj);
        if (form) { /* the entries as they will be stored decide */
            d[sj] = d[sj] * unscale / unscale, d[si] = d[si] * unscale / unscale;
            s->im[l] = sqrt(fabs(d[sj])) * sqrt(fabs(d[si])), s->im[l + 1] = -s->im[l];
        }
        if (!(s->im[l] * unscale > 0)) part(s, l);
        ++l;
    }
}
#else
void TYPED(eig_cpu_geev_standardise)(const geev_schur *s)
{
    (void)s;
}

void TYPED(eig_cpu_geev_settle)(const geev_schur *s, real unscale, bool form)
{
    (void)s, (void)unscale, (void)form;
}
#endif

/* Stores a matrix times `factor`; row i goes to row from[i].  NaN where v.a is NULL. */
static void store_form(int64_t n, geev_view v, const int64_t *from, real factor, real *to, int64_t ld)
{
    for (int64_t j = 0; to && j < n; ++j)
        for (int64_t i = 0; i < n; ++i)
            for (int part = 0; part < GEEV_PARTS; ++part)
                to[GEEV_PARTS * ((from ? from[i] : i) + j * ld) + part] =
                    v.a ? v.a[i * v.si + j * v.sj + part * v.im] * factor + (real)0 : (real)NAN;
}

void TYPED(eig_cpu_geev_store_schur)(const geev_problem *p, int64_t b, const geev_schur *s, real unscale)
{
    int64_t const n = p->n;
    real *const t = p->t ? (real *)p->t + GEEV_PARTS * b * p->stride_t : NULL;
    real *const q = p->q ? (real *)p->q + GEEV_PARTS * b * p->stride_q : NULL;
    geev_view const none = {0};
    for (int64_t j = 0; s && j < n; ++j)
        for (int64_t i = j + 1; i < n; ++i)
            for (int part = 0; part < GEEV_PARTS; ++part)
                if (i > j + 1 || EIG_COMPLEX || !(s->im[j] > 0)) s->t.a[i * s->t.si + j * s->t.sj + part * s->t.im] = 0;
    store_form(n, s ? s->t : none, NULL, unscale, t, p->ldt);
    store_form(n, s ? s->q : none, s ? s->from : NULL, 1, q, p->ldq);
}

/* Rows k and k+1 were a complex pair before all was scaled, and stay one: what has underflowed there becomes the
 * smallest normal number, which is negligible compared with the largest entry. */
static void keep_pair(const geev_schur *s, int64_t k)
{
    geev_view const t = s->t;
    real *const b = t.a + k * t.si + (k + 1) * t.sj, *const c = t.a + (k + 1) * t.si + k * t.sj;
    if (fabs(*b) < REAL_MIN) *b = copysign(REAL_MIN, *b);
    if (fabs(*c) < REAL_MIN) *c = copysign(REAL_MIN, *c);
    if (s->im[k] < REAL_MIN) s->im[k] = REAL_MIN, s->im[k + 1] = -REAL_MIN;
}

void TYPED(eig_cpu_geev_scale_form)(const geev_schur *s)
{
    int64_t const n = s->n;
    geev_view const t = s->t;
    real most = 0;
    for (int64_t j = 0; j < n; ++j) {
        real const here = geev_largest(n, t.a + j * (t.si == 1 ? t.sj : t.si), 1, t.im);
        most = here > most ? here : most;
    }
    real const size = most > REAL_MIN ? most : REAL_MIN;
    real const f = REAL_TYPED(pow2_inverse)(REAL_TYPED(pow2_floor)(size));
    for (int part = 0; part < GEEV_PARTS; ++part)
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < n; ++i) t.a[i + j * (t.si == 1 ? t.sj : t.si) + part * t.im] *= f;
    for (int64_t k = 0; k < n; ++k) {
        bool const pair = !EIG_COMPLEX && s->im[k] > 0;
        for (int64_t l = k; l <= k + pair; ++l) s->re[l] *= f, s->im[l] *= f;
        if (pair) keep_pair(s, k++);
    }
}

bool TYPED(eig_cpu_geev_vectors)(const geev_problem *p, int64_t b, const geev_schur *s, cpu_watch *watch)
{
    (void)watch;
    int64_t const n = p->n;
    real *const vl = p->vl ? (real *)p->vl + 2 * b * p->stride_vl : NULL;
    real *const vr = p->vr ? (real *)p->vr + 2 * b * p->stride_vr : NULL;
    real *const condition = p->condition ? (real *)p->condition + b * p->stride_w : NULL;
    if (!s) {
        store_nan(n, vl, p->ldvl);
        store_nan(n, vr, p->ldvr);
        for (int64_t k = 0; condition && k < n; ++k) condition[k] = (real)NAN;
        return true;
    }
    real const floor = REAL_MIN * ((real)n / REAL_EPSILON);
    TYPED(eig_cpu_geev_scale_form)(s);
    for (int64_t k = 0; k < n; ++k) {
        bool const pair = !EIG_COMPLEX && s->im[k] != 0;
        real *const x = s->x, *const y = s->y;
        if (vr || condition) find_vector(s, false, k, floor, x, s->work);
        if (vl || condition) find_vector(s, true, k, floor, y, s->work);
        real const c = condition ? condition_of(n, y, x) : 0;
        for (int64_t twin = 0; twin <= pair; ++twin) {
            store(vr, p->ldvr, s, k + twin, x, twin);
            store(vl, p->ldvl, s, k + twin, y, twin);
            if (condition) condition[k + twin] = c;
        }
        k += pair;
    }
    return true;
}
