/* geev on the CPU, plain code: the eigenvalues of a matrix of any order, by the steps of LAPACK's dgeev for eigenvalues
 * only (dgebal, dgehd2, dlahqr): scale, balance, reduce to Hessenberg form, iterate.  Compiled once for each type.
 *
 * Memory    h: column-major, columns a distance ld >= n apart.  ld is odd, so that the entries of a row do not fall on
 *           the same set of the cache.  2n numbers for u, y and then the eigenvalues.
 * Cost      10 n^3/3 flops for the reduction and about 8 n^3 for the iteration, unblocked.
 * Promises  at most max_steps iterations between two deflations, whatever the entries. */
#include "geev_cpu.h"

#include "geev.h"
#include "geev_plain.h"

/* Entry (i, j) of matrix b of the problem; an affine one is rounded after each product and sum. */
static real entry(const geev_problem *p, geev_strides s, int64_t b, int64_t i, int64_t j)
{
    const real *const a = (const real *)p->a + i * s.i + j * s.j;
    if (!p->affine) return a[b * s.b];
    const real *const x = p->m > 0 ? (const real *)p->x + b * p->stride_x : NULL;
    real sum = a[0];
    for (int64_t k = 0; k < p->m; ++k) {
        real const product = x[k] * a[(k + 1) * p->stride_a];
        sum = sum + product;
    }
    return sum;
}

/* Loads matrix b; false if an entry is not finite. */
static bool load(const geev_problem *p, int64_t b, real *h, int64_t ld)
{
    int64_t const n = p->n;
    geev_strides const s = geev_strides_of(p);
    bool finite = true;
    for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = 0; i < n; ++i) {
            real const x = entry(p, s, b, i, j);
            h[i + j * ld] = x;
            finite = finite && isfinite(x);
        }
    }
    return finite;
}

/* The largest absolute entry of rows and columns l..i of a matrix with `below` diagonals below the main one. */
static real largest(int64_t ld, const real *h, int64_t l, int64_t i, int64_t below)
{
    real most = 0;
    for (int64_t j = l; j <= i; ++j) {
        int64_t const last = j + below < i ? j + below : i;
        real const here = geev_largest(last - l + 1, h + l + j * ld, 1);
        most = here > most ? here : most;
    }
    return most;
}

/* Scales rows and columns lo..hi into the safe range, and returns the factor. */
static real normalise(int64_t ld, int64_t lo, int64_t hi, real *h)
{
    real const scale = TYPED(geev_scale)(largest(ld, h, lo, hi, hi));
    for (int64_t j = lo; j <= hi && scale != 1; ++j)
        for (int64_t i = lo; i <= hi; ++i) h[i + j * ld] *= scale;
    return scale;
}

/* Whether to go on with a matrix; part: how much of it is done, 0 to 1. */
static bool go_on(cpu_watch *watch, double part)
{
    return !watch || eig_cpu_watch_look(watch, part);
}

/* The reduction's part of the flops. */
static double const reduction = 0.3;

static double cube(double x)
{
    return x * x * x;
}

/* h := Q' h Q, upper Hessenberg; rows and columns lo..hi are not triangular yet.  u, y: [n].  False where
 * the watch stops it. */
static bool hessenberg(int64_t n, int64_t ld, int64_t lo, int64_t hi, real *h, real *u, real *y, cpu_watch *watch)
{
    for (int64_t k = lo; k < hi - 1; ++k) {
        if (!go_on(watch, reduction * (1 - cube((double)(hi - k) / (double)n)))) return false;
        /* The reflector I - tau u u' that leaves column k a single entry below the diagonal. */
        int64_t const m = hi - k;
        real *const x = h + (k + 1) + k * ld;
        real const most = geev_largest(m, x, 1);
        real const unit = TYPED(pow2_floor)(most > REAL_MIN ? most : REAL_MIN), scale = TYPED(pow2_inverse)(unit);
        real tail = 0;
        for (int64_t i = 1; i < m; ++i) tail += (x[i] * scale) * (x[i] * scale);
        if (tail == 0) {
            for (int64_t i = 1; i < m; ++i) x[i] = 0;
            continue;
        }
        real const x0 = x[0] * scale;
        real norm, pivot, tau;
        TYPED(householder)(x0, x0 * x0 + tail, &norm, &pivot, &tau);
        for (int64_t i = 1; i < m; ++i) u[i] = x[i] * scale / pivot, x[i] = 0;
        u[0] = 1;
        x[0] = -norm * unit;
        /* Rows k+1..hi. */
        for (int64_t j = k + 1; j < n; ++j) {
            real *const column = h + (k + 1) + j * ld;
            real dot = 0;
            for (int64_t i = 0; i < m; ++i) dot += u[i] * column[i];
            dot *= tau;
            for (int64_t i = 0; i < m; ++i) column[i] -= dot * u[i];
        }
        /* Columns k+1..hi. */
        for (int64_t i = 0; i <= hi; ++i) y[i] = 0;
        for (int64_t j = 0; j < m; ++j)
            for (int64_t i = 0; i <= hi; ++i) y[i] += h[i + (k + 1 + j) * ld] * u[j];
        for (int64_t j = 0; j < m; ++j) {
            real const factor = tau * u[j];
            for (int64_t i = 0; i <= hi; ++i) h[i + (k + 1 + j) * ld] -= y[i] * factor;
        }
    }
    return true;
}

/* The first row of the window that ends at i: the largest k > first with a negligible h[k][k-1], else first. */
static int64_t find_window(int64_t ld, const real *h, int64_t lo, int64_t hi, int64_t first, int64_t i, real tiny)
{
    for (int64_t k = i; k > first; --k) {
        real const beside =
            (k - 2 >= lo ? fabs(h[(k - 1) + (k - 2) * ld]) : 0) + (k < hi ? fabs(h[(k + 1) + k * ld]) : 0);
        if (TYPED(francis_deflates)(h[k + (k - 1) * ld], h[(k - 1) + k * ld], h[(k - 1) + (k - 1) * ld], h[k + k * ld],
                                    beside, tiny))
            return k;
    }
    return first;
}

/* The shifts for the window l..i; steps: since the last deflation, with this step. */
static void choose_shifts(int64_t ld, const real *h, int64_t l, int64_t i, int steps, real *re1, real *re2, real *im)
{
    real h11 = h[(i - 1) + (i - 1) * ld], h12 = h[(i - 1) + i * ld], h21 = h[i + (i - 1) * ld], h22 = h[i + i * ld];
    const real *const top = h + l + l * ld; /* top[0] is h[l][l], top[1] h[l+1][l], top[2 + ld] h[l+2][l+1] */
    francis_step const kind = francis_step_of(steps);
    if (kind == FRANCIS_AT_BOTTOM)
        TYPED(francis_exceptional)(h22, h21, h[(i - 1) + (i - 2) * ld], &h11, &h12, &h21, &h22);
    else if (kind == FRANCIS_AT_TOP)
        TYPED(francis_exceptional)(top[0], top[1], top[2 + ld], &h11, &h12, &h21, &h22);
    TYPED(francis_shifts)(h11, h12, h21, h22, re1, re2, im);
}

/* The row where the sweep on l..i starts: the lowest row m such that the two subdiagonal entries around it are so small
 * that a start there changes nothing.  v: a multiple of the first column of (H - s1)(H - s2) from row m on. */
static int64_t find_start(int64_t ld, const real *h, int64_t l, int64_t i, real re1, real re2, real im, real *v)
{
    for (int64_t m = i - 2;; --m) {
        const real *const d = h + m + m * ld; /* d[0] is h[m][m], d[ld] h[m][m+1] */
        TYPED(francis_first_column)(d[0], d[ld], d[1], d[1 + ld], d[2 + ld], re1, re2, im, v, v + 1, v + 2);
        if (m == l) return m;
        real const size = fabs(v[0]) + fabs(v[1]) + fabs(v[2]), safe = size > 0 ? size : 1;
        for (int k = 0; k < 3; ++k) v[k] /= safe;
        real const around = fabs(d[-1 - ld]) + fabs(d[0]) + fabs(d[1 + ld]);
        if (fabs(d[-ld]) * (fabs(v[1]) + fabs(v[2])) <= REAL_EPSILON * fabs(v[0]) * around) return m;
    }
}

/* A double-shift sweep on the window l..i: makes the bulge at row m and chases it out at row i. */
static void sweep(int64_t ld, real *h, int64_t l, int64_t m, int64_t i, const real *first)
{
    for (int64_t k = m; k < i; ++k) {
        bool const three = k + 2 <= i;
        real *const below = k > l ? h + k + (k - 1) * ld : NULL; /* column k-1 from row k down */
        real const v0 = k == m ? first[0] : below[0], v1 = k == m ? first[1] : below[1];
        real const v2 = !three ? 0 : k == m ? first[2] : below[2];
        real u1, u2, tau, beta;
        TYPED(francis_reflector)(v0, v1, v2, &u1, &u2, &tau, &beta);
        if (k > m) {
            below[0] = beta, below[1] = 0;
            if (three) below[2] = 0;
        } else if (m > l) {
            below[0] *=
                1 - tau; /* not -below[0]: the start test neglects entries, beside which the first column may be tiny */
        }
        real const t1 = tau * u1, t2 = tau * u2;
        for (int64_t j = k; j <= i; ++j) {
            real *const x = h + k + j * ld;
            real const dot = x[0] + u1 * x[1] + (three ? u2 * x[2] : 0);
            x[0] -= dot * tau;
            x[1] -= dot * t1;
            if (three) x[2] -= dot * t2;
        }
        real *const c0 = h + k * ld, *const c1 = c0 + ld, *const c2 = three ? c1 + ld : c1;
        int64_t const last = k + 3 < i ? k + 3 : i;
        if (!three) {
            for (int64_t r = l; r <= last; ++r) {
                real const dot = c0[r] + u1 * c1[r];
                c0[r] -= dot * tau, c1[r] -= dot * t1;
            }
            continue;
        }
        for (int64_t r = l; r <= last; ++r) {
            real const dot = c0[r] + u1 * c1[r] + u2 * c2[r];
            c0[r] -= dot * tau, c1[r] -= dot * t1, c2[r] -= dot * t2;
        }
    }
}

/* Eigenvalues of the Hessenberg matrix h, triangular outside lo..hi, with at most `most` steps between two deflations;
 * *info is as eig_dgeev_batched defines it.  False where the watch stops it. */
static bool iterate(int64_t n, int64_t ld, int64_t lo, int64_t hi, int most, real *h, real *re, real *im, int *info,
                    cpu_watch *watch)
{
    for (int64_t k = 0; k < n; ++k) re[k] = k < lo || k > hi ? h[k + k * ld] : (real)NAN, im[k] = re[k] - re[k];
    real const least = REAL_MIN * ((real)(hi - lo + 1) / REAL_EPSILON);
    real tiny = least;
    int64_t i = hi, l = lo;
    int steps = 0;
    *info = 0;
    while (i >= lo) {
        l = find_window(ld, h, lo, hi, l, i, tiny);
        if (l > lo) h[l + (l - 1) * ld] = 0;
        if (l >= i - 1) {
            if (l == i) {
                re[i] = h[i + i * ld], im[i] = 0;
            } else {
                const real *const d = h + l + l * ld;
                TYPED(francis_block)(d[0], d[ld], d[1], d[1 + ld], re + l, re + i, im + l);
                im[i] = -im[l];
            }
            i = l - 1, l = lo, steps = 0, tiny = least;
            continue;
        }
        if (steps == most) {
            *info = (int)(i + 1);
            break;
        }
        if (!go_on(watch, 1 - (1 - reduction) * cube((double)(i + 1) / (double)n))) return false;
        ++steps;
        real re1, re2, imaginary, v[3];
        choose_shifts(ld, h, l, i, steps, &re1, &re2, &imaginary);
        int64_t const m = find_start(ld, h, l, i, re1, re2, imaginary, v);
        sweep(ld, h, l, m, i, v);
        if (steps >= FRANCIS_PATIENCE) tiny = TYPED(francis_grown)(tiny, largest(ld, h, l, i, 1));
    }
    return true;
}

void TYPED(eig_cpu_geev_reference)(const geev_problem *p, int64_t b, void *work, cpu_watch *watch)
{
    int64_t const n = p->n, ld = geev_column(n);
    real *const h = work, *const re = h + n * ld, *const im = re + n;
    int info = EIG_INFO_NOT_FINITE;
    for (int64_t k = 0; k < n; ++k) re[k] = im[k] = (real)NAN;
    if (load(p, b, h, ld)) {
        int64_t lo = 0, hi = n - 1;
        if (p->balance) TYPED(eig_cpu_geev_isolate)(n, h, 1, ld, &lo, &hi);
        real const unscale = 1 / normalise(ld, lo, hi, h); /* isolated eigenvalues keep their bits */
        if (p->balance) TYPED(eig_cpu_geev_balance)(n, h, 1, ld, re, lo, hi);
        if (!hessenberg(n, ld, lo, hi, h, re, im, watch)) return;
        if (!iterate(n, ld, lo, hi, p->max_steps, h, re, im, &info, watch)) return;
        for (int64_t k = lo; k <= hi; ++k) re[k] *= unscale, im[k] *= unscale;
    }
    TYPED(eig_cpu_geev_store)(p, b, re, im, 1, 1, info);
}
