/* geev on the CPU, plain code: tests the eigenvectors of one matrix that are stored, and finds again those that fail.
 * Compiled once for each type.
 *
 * Why       Balancing solves B = D^-1 P' A P D.  A vector u with B u = w u + r, where ||r|| <= 5 n eps ||B||, gives v =
 *           P D u / ||D u|| with A v - w v = P D r / ||D u||.  Here and below norms are Frobenius'.  So
 *
 *               ||A v - w v|| <= g ||r|| / ||u||,   g = max d_i ||u|| / ||D u|| = max d_i ||D^-1 P' v||,
 *
 *           and ||B|| <= ||A||, since each step of balancing makes the norm smaller.  Where g <= 2 the vector cannot
 *           fail by balancing; g costs n operations, and g <= max d_i / min d_i.  Else A v - w v decides, which costs
 *           n^2.  Left vectors have D^-1 in place of D.
 * Method    w is an eigenvalue of a matrix near A, too, except for very few matrices, which the caller solves again
 *           without D.  So w stays, and the vector is found by inverse iteration with A - w I: A as it is, except for a
 *           factor, is brought to Hessenberg form H once a matrix, and each vector costs n^2.  Pivots below eps ||A||
 *           become eps ||A||.  The first start has ones everywhere.  Where that is not enough, a solution of the
 *           adjoint system is the next start: that is a step of inverse iteration with (A - w I) (A - w I)^H, whose
 *           limit is the left singular vector of the smallest singular value, the best start there is.
 * System    (H - w I) z = b by rotations of columns from the right, from the last row up: a row's pivot is known when
 *           the column is, so that no triangle is stored (G. Henry, The shifted Hessenberg system solve computation,
 *           Cornell (1994)).
 * Promises  real vectors of real eigenvalues of real matrices; the arithmetic of a vector depends on A and w alone. */
#include "geev.h"
#include "geev_plain.h"
#include "geev_plain_reduce.h"
#include "geev_vector.h"

enum { RIGHT = 0, LEFT = 1, ATTEMPTS = 4 };

/* The repair of one matrix. */
typedef struct geev_repair {
    const geev_problem *p;
    int64_t b, n;
    geev_schur s;  /* its matrices column-major; room: x, y, work, more, marks; once the marks are set, scale, re, im */
    const real *w; /* the caller's */
    real *v[2];    /* the caller's, right and left; NULL: not wanted */
    int64_t ld[2]; /* of v */
    real *condition;  /* NULL: not wanted */
    real factor;      /* A was multiplied by it, a power of two */
    real norm, limit; /* of that matrix; of a residual */
    cpu_watch *watch;
    bool stopped; /* by the watch */
} geev_repair;

static geev_repair begin(const geev_problem *p, int64_t b, const geev_schur *s, cpu_watch *watch)
{
    geev_repair r = {.p = p, .b = b, .n = p->n, .s = *s, .watch = watch};
    int64_t const ld = s->t.si == 1 ? s->t.sj : s->t.si;
    r.s.t.si = r.s.q.si = 1, r.s.t.sj = r.s.q.sj = ld;
    r.s.lo = 0, r.s.hi = p->n - 1;
    r.w = (const real *)p->w + 2 * b * p->stride_w;
    r.v[RIGHT] = p->vr ? (real *)p->vr + 2 * b * p->stride_vr : NULL, r.ld[RIGHT] = p->ldvr;
    r.v[LEFT] = p->vl ? (real *)p->vl + 2 * b * p->stride_vl : NULL, r.ld[LEFT] = p->ldvl;
    r.condition = p->condition ? (real *)p->condition + b * p->stride_w : NULL;
    return r;
}

/* Whether eigenvalue k and the next one are a pair; its vectors are found together. */
static bool is_pair(const geev_repair *r, int64_t k)
{
    return !EIG_COMPLEX && k + 1 < r->n && r->w[2 * k + 1] > 0;
}

/* Whether to go on with eigenvalue k. */
static bool goes_on(geev_repair *r, int64_t k)
{
    if (k < r->n && !geev_go_on(r->watch, 1)) r->stopped = true;
    return k < r->n && !r->stopped;
}

/* Loads A times a power of two that brings its largest part near 1. */
static void load(geev_repair *r)
{
    geev_view const t = r->s.t;
    int64_t const n = r->n;
    real sum = 0;
    TYPED(eig_cpu_geev_load)(r->p, r->b, &r->s);
    real const large = geev_largest_of(t, 0, n - 1, n), most = large < 1 / REAL_MIN ? large : 1 / REAL_MIN;
    r->factor = REAL_TYPED(pow2_inverse)(REAL_TYPED(pow2_floor)(most > REAL_MIN ? most : REAL_MIN));
    for (int64_t j = 0; j < n; ++j) {
        real square = 0;
        for (int part = 0; part < GEEV_PARTS; ++part) {
            real *const x = t.a + j * t.sj + part * t.im;
            for (int64_t i = 0; i < n; ++i) x[i] *= r->factor, square += x[i] * x[i];
            for (int64_t i = n; i < t.sj; ++i) x[i] = 0;
        }
        sum += square;
    }
    r->norm = sqrt(sum);
    r->limit = REAL_TYPED(geev_residual_limit)((real)n, r->norm, r->factor);
}

/* ------------------------------------------------------------------------ tests */

/* Column k to x. */
static void take_column(const geev_repair *r, int side, int64_t k, real *x)
{
    const real *const v = r->v[side] + 2 * k * r->ld[side];
    for (int64_t i = 0; i < r->n; ++i) x[i] = v[2 * i], x[r->n + i] = v[2 * i + 1];
}

/* Whether v has the norm 1.  Four sums at once: one waits for its own additions. */
static inline bool has_norm(int64_t n, const real *v)
{
    real sum[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= 2 * n; i += 4)
        for (int t = 0; t < 4; ++t) sum[t] += v[i + t] * v[i + t];
    for (; i < 2 * n; ++i) sum[0] += v[i] * v[i];
    real const square = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    return fabs(square - 1) <= 2 * ((real)n + 10) * REAL_EPSILON;
}

static bool is_long(const geev_repair *r, int side, int64_t k)
{
    return has_norm(r->n, r->v[side] + 2 * k * r->ld[side]);
}

/* Whether g <= GEEV_MOST_GROWTH.  `edge`: the largest d_i, of left vectors the smallest.  Entries that have underflowed
 * count as the smallest normal number. */
static bool grows_little(const geev_repair *r, int side, int64_t k, real edge)
{
    const real *const v = r->v[side] + 2 * k * r->ld[side];
    real sum = 0;
    for (int64_t i = 0; i < r->n; ++i) {
        real const g = side == RIGHT ? edge / r->s.scale[i] : r->s.scale[i] / edge;
        const real *const x = v + 2 * r->s.from[i];
        real const re = x[0] * g, im = x[1] * g, least = REAL_MIN * g;
        sum += re * re + im * im + least * least;
    }
    return sum <= (real)(GEEV_MOST_GROWTH * GEEV_MOST_GROWTH);
}

/* Whether ||A v - w v||, or ||A^H v - conj(w) v||, is within the limit. */
static bool is_vector(const geev_repair *r, int side, int64_t k)
{
    int64_t const n = r->n;
    geev_view const t = r->s.t;
    real *const x = r->s.x, *const to = r->s.y;
    real const re = r->w[2 * k] * r->factor, im = (side == LEFT ? -1 : 1) * r->w[2 * k + 1] * r->factor;
    take_column(r, side, k, x);
    for (int64_t i = 0; i < n; ++i) to[i] = im * x[n + i] - re * x[i], to[n + i] = -(re * x[n + i] + im * x[i]);
    for (int64_t j = 0; j < n; ++j) {
        const real *const a = t.a + j * t.sj, *const b = a + t.im;
        real const u = x[j], v = x[n + j];
        real dot_re = 0, dot_im = 0;
        for (int64_t i = 0; side == RIGHT && i < n; ++i) {
            to[i] += EIG_COMPLEX ? a[i] * u - b[i] * v : a[i] * u;
            to[n + i] += EIG_COMPLEX ? a[i] * v + b[i] * u : a[i] * v;
        }
        for (int64_t i = 0; side == LEFT && i < n; ++i) { /* the conjugate of the column */
            dot_re += EIG_COMPLEX ? a[i] * x[i] + b[i] * x[n + i] : a[i] * x[i];
            dot_im += EIG_COMPLEX ? a[i] * x[n + i] - b[i] * x[i] : a[i] * x[n + i];
        }
        to[j] += dot_re, to[n + j] += dot_im;
    }
    real sum = 0;
    for (int64_t i = 0; i < 2 * n; ++i) sum += to[i] * to[i];
    return sqrt(sum) <= r->limit;
}

/* Marks what is to be found: bit `side` of marks[k].  False: nothing is.  Only condition numbers are wanted: where g
 * may be large, the vectors that are not stored are found again. */
static bool mark(geev_repair *r)
{
    int64_t const n = r->n;
    real most = 0, least = INFINITY;
    bool some = false, loaded = false;
    for (int64_t i = 0; i < n; ++i) {
        most = r->s.scale[i] > most ? r->s.scale[i] : most;
        least = r->s.scale[i] < least ? r->s.scale[i] : least;
    }
    bool const wide = geev_is_wide(n, r->s.scale);
    for (int64_t k = 0; goes_on(r, k); k += 1 + is_pair(r, k)) {
        r->s.marks[k] = 0;
        for (int side = RIGHT; side <= LEFT; ++side) {
            bool good = r->v[side] ? is_long(r, side, k) : !r->condition || !wide;
            if (good && wide && r->v[side] && !grows_little(r, side, k, side == RIGHT ? most : least)) {
                if (!loaded) load(r), loaded = true;
                good = is_vector(r, side, k);
            }
            if (!good) r->s.marks[k] |= (unsigned char)(1 << side), some = true;
        }
    }
    return some;
}

/* --------------------------------------------------------------- inverse iteration */

typedef struct shifted {
    geev_view h; /* Hessenberg; of left vectors mirrored */
    int64_t n;
    real re, im; /* w */
    real least;  /* pivot */
    bool is_real;
} shifted;

/* z := z - y x, where x is what the rotation makes of column k, in `column`, and column k-1; the latter's new form goes
 * to `column`.
 * Rows 0..k-1. */
static void turn_columns(const shifted *a, int64_t k, real c, real s_re, real s_im, const real *y, real *column,
                         real *z)
{
    int64_t const n = a->n, si = a->h.si;
    const real *const h = a->h.a + (k - 1) * a->h.sj;
    for (int64_t i = 0; i < k; ++i) {
        bool const diagonal = i == k - 1;
        real const p = h[i * si] - (diagonal ? a->re : 0), x = column[i];
        if (a->is_real) {
            z[i] -= y[0] * (c * x + s_re * p);
            column[i] = c * p - s_re * x;
            continue;
        }
        real const q = (EIG_COMPLEX ? h[i * si + a->h.im] : 0) - (diagonal ? a->im : 0), u = column[n + i];
        real const re = c * x + (s_re * p - s_im * q), im = c * u + (s_re * q + s_im * p);
        column[i] = c * p - (s_re * x + s_im * u), column[n + i] = c * q - (s_re * u - s_im * x);
        z[i] -= y[0] * re - y[1] * im, z[n + i] -= y[0] * im + y[1] * re;
    }
}

/* z := (H - w I)^-1 z, not scaled.  column: [2n]; turns: [n] three times. */
static void solve_shifted(const shifted *a, real *z, real *column, real *cosine, real *sine_re, real *sine_im)
{
    int64_t const n = a->n;
    for (int64_t i = 0; i < n; ++i) column[i] = entry_re(a->h, i, n - 1), column[n + i] = entry_im(a->h, i, n - 1);
    column[n - 1] -= a->re, column[2 * n - 1] -= a->im;
    for (int64_t k = n - 1; k >= 0; --k) {
        real d[2] = {column[k], column[n + k]};
        if (k > 0) REAL_TYPED(schur_plane_rotation)
        (d[0], d[1], entry_re(a->h, k, k - 1), entry_im(a->h, k, k - 1), cosine + k, sine_re + k, sine_im + k, d,
         d + 1);
        REAL_TYPED(schur_pivot)(a->least, d, d + 1);
        real const f = REAL_TYPED(schur_guard)(z[k], z[n + k], d[0], d[1]);
        for (int64_t i = 0; f != 1 && i < 2 * n; ++i) z[i] *= f;
        REAL_TYPED(schur_divide)(z[k], z[n + k], d[0], d[1], z + k, z + n + k);
        real const y[2] = {z[k], z[n + k]};
        if (k > 0) turn_columns(a, k, cosine[k], sine_re[k], sine_im[k], y, column, z);
    }
    for (int64_t k = 1; k < n; ++k) {
        real const c = cosine[k], s = sine_re[k], t = sine_im[k];
        real const x = z[k - 1], y = z[n + k - 1], u = z[k], v = z[n + k];
        z[k - 1] = c * x + (s * u - t * v), z[n + k - 1] = c * y + (s * v + t * u);
        z[k] = c * u - (s * x + t * y), z[n + k] = c * v - (s * y - t * x);
    }
    bring_to_one(n, z);
}

/* ||(H - w I) z|| / ||z|| */
static real residual_of(const shifted *a, const real *z, real *to)
{
    int64_t const n = a->n;
    real sum = 0, size = 0;
    for (int64_t i = 0; i < n; ++i) {
        to[i] = a->im * z[n + i] - a->re * z[i], to[n + i] = -(a->re * z[n + i] + a->im * z[i]);
        size += z[i] * z[i] + z[n + i] * z[n + i];
    }
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i <= j + 1 && i < n; ++i) {
            real const h = entry_re(a->h, i, j), g = entry_im(a->h, i, j);
            to[i] += EIG_COMPLEX ? h * z[j] - g * z[n + j] : h * z[j];
            to[n + i] += EIG_COMPLEX ? h * z[n + j] + g * z[j] : h * z[n + j];
        }
    for (int64_t i = 0; i < 2 * n; ++i) sum += to[i] * to[i];
    return sqrt(sum) / sqrt(size);
}

/* The entries of z in reverse, conjugated: a solution of the mirrored system becomes one of the adjoint system. */
static void reverse(int64_t n, real *z)
{
    for (int64_t i = 0, j = n - 1; i <= j; ++i, --j) {
        real const re = z[i], im = z[n + i];
        z[i] = z[j], z[n + i] = -z[n + j];
        z[j] = re, z[n + j] = -im;
    }
}

/* The right or left vector of eigenvalue k, of norm 1: to x. */
static void find_vector(const geev_repair *r, int side, int64_t k, real *x)
{
    const geev_schur *const s = &r->s;
    int64_t const n = r->n;
    geev_view const other = mirrored(s->t, n);
    real const re = r->w[2 * k] * r->factor, im = r->w[2 * k + 1] * r->factor;
    shifted const a = {side == LEFT ? other : s->t, n, re, im, REAL_EPSILON * r->norm, !EIG_COMPLEX && im == 0};
    shifted adjoint = a;
    adjoint.h = side == LEFT ? s->t : other;
    real *const z = s->work, *const column = s->more;
    for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
        for (int64_t i = 0; attempt < 2 && i < n; ++i) z[i] = attempt == 0 || i % 3 > 0 ? 1 : -1, z[n + i] = 0;
        if (attempt > 1) reverse(n, z);
        if (attempt > 0) solve_shifted(&adjoint, z, column, s->scale, s->re, s->im), reverse(n, z);
        solve_shifted(&a, z, column, s->scale, s->re, s->im);
        if (residual_of(&a, z, column) <= r->limit / 2) break;
    }
    multiply(side == LEFT ? reversed(s->q, n) : s->q, z, side == LEFT, n, n - 1, x);
    bring_to_one(n, x);
    normalise(n, NULL, x);
}

static void store(const geev_repair *r, int side, int64_t k, const real *x)
{
    real *const v = r->v[side] + 2 * k * r->ld[side], *const twin = v + 2 * r->ld[side];
    bool const pair = is_pair(r, k);
    for (int64_t i = 0; i < r->n; ++i) {
        v[2 * i] = x[i] + (real)0, v[2 * i + 1] = x[r->n + i] + (real)0;
        if (pair) twin[2 * i] = v[2 * i], twin[2 * i + 1] = (real)0 - v[2 * i + 1];
    }
}

/* What is marked of eigenvalue k; returns how many vectors are stored. */
static int64_t repair_vectors(const geev_repair *r, int64_t k)
{
    int64_t found = 0;
    int const marks = r->s.marks[k], pair = is_pair(r, k);
    real *const vector[2] = {r->s.x, r->s.y};
    for (int side = RIGHT; side <= LEFT && marks; ++side) {
        bool const marked = marks >> side & 1;
        if (marked)
            find_vector(r, side, k, vector[side]);
        else if (r->condition)
            take_column(r, side, k, vector[side]);
        if (marked && r->v[side]) store(r, side, k, vector[side]), found += 1 + pair;
    }
    if (r->condition && marks) {
        r->condition[k] = condition_of(r->n, r->s.y, r->s.x);
        if (pair) r->condition[k + 1] = r->condition[k];
    }
    return found;
}

/* What most matrices need: D shows that no vector needs a test, and all have their norm.  side: vl or vr. */
static bool all_long(const geev_problem *p, int64_t b, const void *side, int64_t ld, int64_t stride)
{
    const real *const v = (const real *)side + 2 * b * stride;
    bool good = true;
    for (int64_t k = 0; k < p->n && good; ++k) good = has_norm(p->n, v + 2 * k * ld);
    return good;
}

static bool is_plainly_good(const geev_problem *p, int64_t b, const geev_schur *s)
{
    return !geev_is_wide(p->n, s->scale) && (!p->vr || all_long(p, b, p->vr, p->ldvr, p->stride_vr)) &&
           (!p->vl || all_long(p, b, p->vl, p->ldvl, p->stride_vl));
}

geev_repaired TYPED(eig_cpu_geev_repair)(const geev_problem *p, int64_t b, const geev_schur *s, const geev_form *form,
                                         cpu_watch *watch)
{
    if (is_plainly_good(p, b, s)) return GEEV_GOOD;
    geev_repair r = begin(p, b, s, watch);
    int64_t found = 0;
    bool good = true;
    if (!mark(&r)) return r.stopped ? GEEV_HALTED : GEEV_GOOD;
    load(&r);
    if (r.stopped || !(form ? form->hessenberg : hessenberg)(&r.s, watch)) return GEEV_HALTED;
    for (int64_t k = 0; goes_on(&r, k); k += 1 + is_pair(&r, k)) found += repair_vectors(&r, k);
    load(&r);
    for (int64_t k = 0; good && goes_on(&r, k); k += 1 + is_pair(&r, k))
        for (int side = RIGHT; side <= LEFT && good; ++side)
            good = !(r.s.marks[k] >> side & 1) || !r.v[side] || (is_long(&r, side, k) && is_vector(&r, side, k));
    if (good && p->repairs) __atomic_fetch_add(&p->repairs->vectors, found, __ATOMIC_RELAXED);
    return r.stopped ? GEEV_HALTED : good ? GEEV_GOOD : GEEV_SPOILT;
}
