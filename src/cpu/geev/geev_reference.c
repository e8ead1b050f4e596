/* geev on the CPU, plain code: a matrix of any order, by the steps of LAPACK's geev, without blocks: scale, balance,
 * reduce to Hessenberg form, iterate, back-substitute.  Compiled once for each type.
 *
 * Memory    column-major matrices, columns a distance ld >= n apart.  ld is odd, so that the entries of a row do not
 *           fall on the same set of the cache.  The imaginary parts of a complex matrix follow its real parts. */
#include "geev_cpu.h"

#include "arena.h"
#include "geev.h"
#include "geev_descent.h"
#include "geev_plain_reduce.h"

geev_schur TYPED(eig_cpu_geev_carve)(int64_t n, bool values, void *work)
{
    int64_t const ld = geev_column(n), plane = n * ld;
    real *at = work;
    geev_schur s = {.n = n, .hi = n - 1};
    s.t = (geev_view){at, 1, ld, plane}, at += GEEV_PARTS * plane;
    s.re = at, s.im = s.re + n, at += 2 * n;
    s.scale = at, at += n;
    s.x = at, at += 2 * n;
    if (values) return s;
    s.q = (geev_view){at, 1, ld, plane}, at += GEEV_PARTS * plane;
    s.y = at, s.work = s.y + 2 * n, at += 4 * n;
    s.lanes = (char *)work + arena_rounded((size_t)((char *)at - (char *)work));
    s.from = (int64_t *)((char *)s.lanes + n * 64 * GEEV_BACK_ROWS);
    s.more = s.lanes, s.marks = (unsigned char *)(s.more + 2 * n), s.spare = (real *)(s.from + n);
    return s;
}

/* Entry (i, j) of matrix b of the problem, in parts; an affine one is rounded after each product and sum. */
static void entry(const geev_problem *p, batch_strides s, int64_t b, int64_t i, int64_t j, real *sum)
{
    const real *const a = (const real *)p->a + GEEV_PARTS * (i * s.i + j * s.j + (p->affine ? 0 : b * s.b));
    const real *const x = p->affine && p->m > 0 ? (const real *)p->x + GEEV_PARTS * b * p->stride_x : NULL;
    for (int part = 0; part < GEEV_PARTS; ++part) sum[part] = a[part];
    for (int64_t k = 0; x && k < p->m; ++k) {
        const real *const factor = x + GEEV_PARTS * k, *const y = a + GEEV_PARTS * (k + 1) * p->stride_a;
        real product = factor[0] * y[0];
        if (EIG_COMPLEX) {
            enum { IM = GEEV_PARTS - 1 };
            real const less = factor[IM] * y[IM], cross = factor[0] * y[IM], other = factor[IM] * y[0];
            product = product - less;
            sum[IM] = sum[IM] + (cross + other);
        }
        sum[0] = sum[0] + product;
    }
}

bool TYPED(eig_cpu_geev_load)(const geev_problem *p, int64_t b, const geev_schur *s)
{
    enum { TOGETHER = 8 };
    int64_t const n = p->n;
    batch_strides const strides = geev_strides_of(p);
    bool finite = true;
    /* A few columns at a time: a cache line of a row serves them all. */
    for (int64_t at = 0; at < n * ((n + TOGETHER - 1) / TOGETHER); ++at) {
        int64_t const i = at % n, first = at / n * TOGETHER, last = first + TOGETHER < n ? first + TOGETHER : n;
        for (int64_t j = first; j < last; ++j) {
            real x[GEEV_PARTS];
            entry(p, strides, b, i, j, x);
            for (int part = 0; part < GEEV_PARTS; ++part) {
                s->t.a[i + j * s->t.sj + part * s->t.im] = x[part];
                finite = finite && isfinite(x[part]);
            }
        }
    }
    return finite;
}

/* Scales rows and columns lo..hi into the safe range, and returns the factor. */
static real normalise(geev_view h, int64_t lo, int64_t hi)
{
    real const scale = REAL_TYPED(geev_scale)(geev_largest_of(h, lo, hi, hi));
    for (int part = 0; part < GEEV_PARTS; ++part)
        for (int64_t j = lo; j <= hi && scale != 1; ++j)
            for (int64_t i = lo; i <= hi; ++i) h.a[i + j * h.sj + part * h.im] *= scale;
    return scale;
}

/* The eigenvalues times unscale; those that balancing has isolated keep their bits, which x has kept. */
static void unscale_values(const geev_schur *s, real unscale, const real *x)
{
    real const n = (real)s->n;
    for (int64_t k = 0; k < s->n; ++k) {
        bool const alone = k < s->lo || k > s->hi;
        if (alone && x) s->re[k] = x[k], s->im[k] = x[s->n + k];
        if (alone) continue;
        s->re[k] = REAL_TYPED(unscaled)(n, s->re[k], unscale), s->im[k] = REAL_TYPED(unscaled)(n, s->im[k], unscale);
    }
}

/* Permutes the matrix that is loaded. */
static void permute(const geev_problem *p, geev_schur *s)
{
    for (int64_t i = 0; s->q.a && i < p->n; ++i) s->from[i] = i, s->scale[i] = 1;
    if (p->balance) TYPED(eig_cpu_geev_isolate)(p->n, s->t, s->from, (int *)s->x, &s->lo, &s->hi);
}

/* Where the computation of a matrix ends. */
typedef enum geev_end {
    GEEV_STORED,
    GEEV_UNPROVED, /* the traces are wrong: nothing is stored */
    GEEV_UNFIT,    /* a vector has failed: what is stored must be stored again */
    GEEV_STOPPED   /* by the watch */
} geev_end;

/* Stores the eigenvalues, and what else is wanted.  last: see solve. */
static geev_end store_results(const geev_problem *p, int64_t b, geev_schur *s, const geev_form *form, real unscale,
                              int info, bool last, cpu_watch *watch)
{
    int64_t const n = p->n;
    if (!p->vectors) {
        unscale_values(s, unscale, NULL);
        TYPED(eig_cpu_geev_store)(p, b, s->re, s->im, 1, 1, info);
        return GEEV_STORED;
    }
    /* Back-substitution scales the eigenvalues with T: the caller's are stored first. */
    real *const w = s->work;
    geev_schur values = *s;
    values.re = w, values.im = w + n;
    for (int64_t k = 0; k < n; ++k) values.re[k] = s->re[k], values.im[k] = s->im[k];
    unscale_values(&values, unscale, s->y);
    info = TYPED(eig_cpu_geev_store)(p, b, values.re, values.im, 1, 1, info);
    if (p->schur) {
        TYPED(eig_cpu_geev_store_schur)(p, b, info == 0 ? s : NULL, unscale);
        return GEEV_STORED;
    }
    geev_problem copy;
    const geev_problem *const all = info == 0 ? geev_with_spare(p, s, &copy) : p;
    if (info == 0 && !form->vectors(all, b, s, watch)) return GEEV_STOPPED;
    geev_repaired const repaired =
        info == 0 && p->certify ? TYPED(eig_cpu_geev_repair)(all, b, s, form, watch) : GEEV_GOOD;
    if (repaired == GEEV_HALTED) return GEEV_STOPPED;
    if (repaired == GEEV_SPOILT && !last) return GEEV_UNFIT;
    if (repaired == GEEV_SPOILT && p->info) p->info[b] = (int)(n + 1);
    if (info != 0 || repaired == GEEV_SPOILT) TYPED(eig_cpu_geev_vectors)(p, b, NULL, NULL);
    return GEEV_STORED;
}

/* All that follows; last: what is not certified is stored too, with an info that says so. */
static geev_end solve(const geev_problem *p, int64_t b, geev_schur *s, const geev_form *form, bool last,
                      cpu_watch *watch)
{
    int64_t const n = p->n;
    bool const vectors = s->q.a != NULL;
    int info = 0;
    real *const alone = s->y;
    for (int64_t k = 0; vectors && k < n; ++k) {
        const real *const d = s->t.a + k + k * s->t.sj;
        alone[k] = d[0], alone[n + k] = EIG_COMPLEX ? d[s->t.im] : 0;
    }
    real const unscale = 1 / normalise(s->t, vectors ? 0 : s->lo, vectors ? n - 1 : s->hi);
    if (p->balance && !p->schur) TYPED(eig_cpu_geev_balance)(n, s->t, s->scale, s->lo, s->hi);
    geev_problem copy;
    real *const scale = vectors ? s->scale : NULL;
    bool const turned =
        !p->schur && TYPED(eig_cpu_geev_turn)(n, s->t, s->from, scale, vectors ? alone : NULL, &s->lo, &s->hi);
    if (turned) p = geev_transposed(p, &copy);
    geev_traces traces = {0};
    if (p->certify) traces = TYPED(eig_cpu_geev_traces)(s);
    if (!form->hessenberg(s, watch) || !form->iterate(s, p->max_steps, &info, watch)) return GEEV_STOPPED;
    if (p->schur && info == 0) TYPED(eig_cpu_geev_standardise)(s);
    if (p->certify && info == 0 && !TYPED(eig_cpu_geev_has_traces)(s, &traces)) {
        if (!last) return GEEV_UNPROVED;
        info = (int)(s->hi + 1);
        for (int64_t k = s->lo; k <= s->hi; ++k) s->re[k] = s->im[k] = (real)NAN;
    }
    if (vectors && info == 0) TYPED(eig_cpu_geev_settle)(s, unscale, p->schur);
    geev_end const end = store_results(p, b, s, form, unscale, info, last, watch);
    if (turned && end == GEEV_STORED && p->vectors) TYPED(eig_cpu_geev_conjugate)(p, b);
    return end;
}

static const geev_form plain_form = {hessenberg, iterate, TYPED(eig_cpu_geev_vectors)};

/* Solves a matrix that is loaded, and again what fails a certificate: by plain code, and without balancing, since of
 * very few matrices the eigenvalues of the balanced one are not good for A. */
static void solve_until_proved(const geev_problem *p, int64_t b, geev_schur *s, const geev_form *form, cpu_watch *watch)
{
    geev_problem unbalanced = *p;
    unbalanced.balance = false;
    for (int again = 0;; ++again) {
        bool const plain = form->iterate == iterate;
        permute(p, s);
        geev_end const end = solve(p, b, s, form, plain && !p->balance, watch);
        if (end == GEEV_STORED || end == GEEV_STOPPED) return;
        if (again == 0 && p->repairs) __atomic_fetch_add(&p->repairs->matrices, 1, __ATOMIC_RELAXED);
        if (plain || (end == GEEV_UNFIT && p->balance))
            p = &unbalanced;
        else
            form = &plain_form;
        s->lo = 0, s->hi = p->n - 1;
        TYPED(eig_cpu_geev_load)(p, b, s);
    }
}

void TYPED(eig_cpu_geev_by)(const geev_problem *p, int64_t b, geev_schur *s, const geev_form *form, cpu_watch *watch)
{
    if (TYPED(eig_cpu_geev_load)(p, b, s)) {
        solve_until_proved(p, b, s, form, watch);
        return;
    }
    for (int64_t k = 0; k < p->n; ++k) s->re[k] = s->im[k] = (real)NAN;
    TYPED(eig_cpu_geev_store)(p, b, s->re, s->im, 1, 1, EIG_INFO_NOT_FINITE);
    if (p->schur)
        TYPED(eig_cpu_geev_store_schur)(p, b, NULL, 1);
    else if (p->vectors)
        TYPED(eig_cpu_geev_vectors)(p, b, NULL, NULL);
}

/* The plain steps, or those of the kernels. */
static geev_form form_of(const geev_kernels *fast)
{
    geev_form form = plain_form;
    if (fast) form = *fast->form, form.vectors = fast->tiles->vectors;
    return form;
}

void TYPED(eig_cpu_geev_reference)(const geev_problem *p, int64_t b, void *work, const geev_kernels *fast,
                                   cpu_watch *watch)
{
    geev_schur s = TYPED(eig_cpu_geev_carve)(p->n, !p->vectors, work);
    geev_form const form = form_of(fast);
    TYPED(eig_cpu_geev_by)(p, b, &s, &form, watch);
}

/* Whether row k, or column k, of matrix b is zero off the diagonal. */
static bool stands_alone(const geev_problem *p, int64_t b, int64_t k, bool row)
{
    batch_strides const s = geev_strides_of(p);
    int64_t const step = row ? s.j : s.i;
    const real *const x = (const real *)p->a + GEEV_PARTS * (b * s.b + k * (row ? s.i : s.j));
    for (int64_t i = 0; i < p->n; ++i)
        for (int part = 0; part < GEEV_PARTS && i != k; ++part)
            if (x[GEEV_PARTS * i * step + part] != 0) return false;
    return true;
}

bool TYPED(eig_cpu_geev_triangular)(const geev_problem *p, int64_t b, void *work, const geev_kernels *fast)
{
    bool row = false, column = false;
    if (!p->balance || p->affine || p->n == 1) return false;
    for (int64_t k = 0; k < p->n && !row; ++k) row = stands_alone(p, b, k, true);
    for (int64_t k = 0; k < p->n && row && !column; ++k) column = stands_alone(p, b, k, false);
    if (!row || !column) return false;
    geev_schur s = TYPED(eig_cpu_geev_carve)(p->n, !p->vectors, work);
    if (!TYPED(eig_cpu_geev_load)(p, b, &s)) return false;
    permute(p, &s);
    geev_form const form = form_of(fast);
    return s.lo >= s.hi && solve(p, b, &s, &form, true, NULL) == GEEV_STORED;
}
