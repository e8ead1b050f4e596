/* heev on the CPU, plain code: two-sided Jacobi for one matrix of any order, in the words of Algorithm 1 of Huang, Liu
 * and Zhao.  Compiled once for each type.
 *
 * Memory    A with both triangles, and V, column-major, in planes of real and imaginary parts.
 * Cost      a sweep takes 12 n^3 flops (complex: 36 n^3), about 4 + log2(n) sweeps.
 * Promises  at most max_sweeps sweeps, whatever the entries.  Diagonal elements are real throughout. */
#include "heev_certify.h"
#include "heev_plain.h"

typedef struct jacobi {
    heev_matrix a, v;
    bool vectors, relative;
    real bound; /* |a_pq| counts as 0 up to it; if relative, times sqrt(|a_pp a_qq|) */
} jacobi;

/* |(p, q)| with the larger part divided out, so that squares neither overflow nor vanish. */
static real size_of(heev_matrix a, int64_t at)
{
    real const x = fabs(a.re[at]);
    if (!EIG_COMPLEX) return x;
    real const y = fabs(a.im[at]), most = x > y ? x : y, least = x > y ? y : x;
    if (most == 0) return 0;
    real const ratio = least / most;
    return most * sqrt(1 + ratio * ratio);
}

static bool negligible(const jacobi *s, int64_t p, int64_t q)
{
    heev_matrix const a = s->a;
    real const size = size_of(a, q + p * a.ld);
    if (!s->relative) return size <= s->bound;
    return size <= s->bound * sqrt(fabs(a.re[p + p * a.ld])) * sqrt(fabs(a.re[q + q * a.ld]));
}

/* Marks in bad[p], if bad is not NULL, the rows p that hold an element that is not negligible. Returns how many
 * there are; without bad, 0 or more. */
static int64_t count_bad(const jacobi *s, real *bad)
{
    int64_t const n = s->a.n;
    int64_t count = 0;
    for (int64_t q = 0; q < n; ++q) {
        bool some = false;
        for (int64_t p = 0; p < n && !some; ++p) some = p != q && !negligible(s, p, q);
        if (bad) bad[q] = some;
        count += some;
        if (count > 0 && !bad) return count;
    }
    return count;
}

/* Columns x and y, p and q of m, become x - (g x + conj(s) y) and y + (s x - g y), s = re + i im. */
static void rotate_columns(heev_matrix m, int64_t p, int64_t q, real g, real re, real im)
{
    real *const x = m.re + p * m.ld, *const y = m.re + q * m.ld;
    if (!EIG_COMPLEX) {
        for (int64_t i = 0; i < m.n; ++i) {
            real const xi = x[i], yi = y[i];
            x[i] = xi - (g * xi + re * yi), y[i] = yi + (re * xi - g * yi);
        }
        return;
    }
    real *const u = m.im + p * m.ld, *const v = m.im + q * m.ld;
    for (int64_t i = 0; i < m.n; ++i) {
        real const xi = x[i], yi = y[i], ui = u[i], vi = v[i];
        x[i] = xi - (g * xi + (re * yi + im * vi)), u[i] = ui - (g * ui + (re * vi - im * yi));
        y[i] = yi + ((re * xi - im * ui) - g * yi), v[i] = vi + ((re * ui + im * xi) - g * vi);
    }
}

/* Makes element (p, q) zero, where it is not negligible. */
static void rotate(jacobi *s, int64_t p, int64_t q)
{
    heev_matrix const a = s->a;
    if (negligible(s, p, q)) return;
    int64_t const pp = p + p * a.ld, qq = q + q * a.ld, pq = p + q * a.ld;
    real const app = a.re[pp], aqq = a.re[qq];
    real g, re, im, change;
    REAL_TYPED(jacobi_rotation)(app, aqq, a.re[pq], EIG_COMPLEX ? a.im[pq] : 0, &g, &re, &im, &change);
    rotate_columns(a, p, q, g, re, im);
    for (int64_t i = 0; i < a.n; ++i) {
        a.re[p + i * a.ld] = a.re[i + p * a.ld], a.re[q + i * a.ld] = a.re[i + q * a.ld];
        if (EIG_COMPLEX) a.im[p + i * a.ld] = -a.im[i + p * a.ld], a.im[q + i * a.ld] = -a.im[i + q * a.ld];
    }
    a.re[pp] = app - change, a.re[qq] = aqq + change, a.re[pq] = a.re[q + p * a.ld] = 0;
    if (EIG_COMPLEX) a.im[pp] = a.im[qq] = a.im[pq] = a.im[q + p * a.ld] = 0;
    if (s->vectors) rotate_columns(s->v, p, q, g, re, im);
}

/* The Frobenius norm; after heev_scale no square overflows. */
static real norm(heev_matrix a)
{
    real sum = 0;
    for (int64_t j = 0; j < a.n; ++j) {
        for (int64_t i = 0; i < a.n; ++i) {
            real const re = a.re[i + j * a.ld], im = EIG_COMPLEX ? a.im[i + j * a.ld] : 0;
            sum += re * re + im * im;
        }
    }
    return sqrt(sum);
}

/* What the certificate asks of A, times *level, a power of two: with option `relative` squares may overflow. */
static heev_sums sums_of(heev_matrix a, real *level)
{
    real most = 0;
    for (int64_t j = 0; j < a.n; ++j)
        for (int64_t i = j; i < a.n; ++i) {
            real const size = size_of(a, i + j * a.ld);
            most = size > most ? size : most;
        }
    heev_sums all = {0, 0};
    *level = most > 0 ? 1 / REAL_TYPED(pow2_floor)(most) : 1;
    for (int64_t j = 0; j < a.n; ++j) {
        all.trace += (double)a.re[j + j * a.ld] * *level;
        all.squares += heev_squares(a.n, a.re + j * a.ld, *level);
        if (EIG_COMPLEX) all.squares += heev_squares(a.n, a.im + j * a.ld, *level);
    }
    return all;
}

/* Whether all values and vectors pass. */
static bool certify(const jacobi *s, const heev_problem *p, const real *w, heev_sums of, real level)
{
    bool good = heev_certify_values(p->n, w, level, of, p->tolerance);
    for (int64_t k = 0; k < p->n && s->vectors; ++k)
        good = heev_certify_vector(p->n, s->v.re + k * s->v.ld, EIG_COMPLEX ? s->v.im + k * s->v.ld : NULL) && good;
    return good;
}

/* Sweeps until all is negligible, at most max_sweeps. Returns how many, or -1 where the watch stops it. */
static int sweep(jacobi *s, int max_sweeps, cpu_watch *watch)
{
    int64_t const n = s->a.n;
    int done = 0;
    for (; done < max_sweeps && count_bad(s, NULL) > 0; ++done) {
        for (int64_t round = 0; round < jacobi_rounds(n); ++round) {
            if (watch && !eig_cpu_watch_look(watch, done / (done + 4.0))) return -1;
            for (int64_t k = 0; k < n / 2; ++k) {
                int64_t p, q;
                jacobi_pair(n, round, k, &p, &q);
                rotate(s, p, q);
            }
        }
    }
    return done;
}

void TYPED(eig_cpu_heev_reference)(const heev_problem *p, int64_t b, void *work, cpu_watch *watch)
{
    int64_t const n = p->n;
    int64_t *const order = work;
    real *rest = (real *)(order + n), scale;
    jacobi s = {.vectors = p->vectors, .relative = p->relative, .a = heev_take(n, &rest)};
    if (s.vectors) s.v = heev_take(n, &rest);
    real *const w = rest, *const bad = rest + n;
    if (!heev_load(p, b, s.a, &scale)) {
        heev_store(p, b, NULL, NULL, NULL, n, 1);
        heev_store_info(p, b, EIG_INFO_NOT_FINITE, 0);
        return;
    }
    real level;
    heev_sums const sums = sums_of(s.a, &level);
    if (s.vectors) heev_identity(s.v);
    s.bound = (real)p->tolerance * (s.relative ? 1 : norm(s.a) / (real)n);
    int const sweeps = sweep(&s, p->max_sweeps, watch);
    if (sweeps < 0) return;
    for (int64_t k = 0; k < n; ++k) w[k] = s.a.re[k + k * s.a.ld];
    int64_t failed = count_bad(&s, bad);
    if (p->certify && failed == 0 && !certify(&s, p, w, sums, level)) failed = n;
    int64_t const over = heev_cut(n, w, bad, 1, scale);
    if (over > 0 && failed < n)
        for (int64_t k = failed = 0; k < n; ++k) failed += bad[k] != 0;
    heev_sort(n, w, bad, order);
    heev_store(p, b, w, &s.v, order, failed, 1 / scale);
    heev_store_info(p, b, failed, sweeps);
}
