/* geev on the CPU, n > 64: eigenvectors and condition numbers from a Schur form, as LAPACK's trevc3 finds them, in
 * blocks.  Part of geev_large.c.
 *
 * Mapping   a group of vectors at a time, a vector in each lane, of a complex pair the first; blocks of rows from
 *           below: within a block row by row, the rows above by products.  Then Q times the group, a product too.  Left
 *           vectors are those of the mirrored matrix, as in geev_vectors.c, which is the plain version.
 * Threads   take groups.
 * Cost      n^3/3 flops for each real part of a right vector's entries, and n^3 with Q (complex: 4 and 4 times as
 *           many).
 * Promises  a lane's arithmetic depends on its vector alone. */
#ifndef EIG_GEEV_LARGE_BACK_H
#define EIG_GEEV_LARGE_BACK_H

#include "geev_lanes.h"
#include "geev_large.h"

enum {
    GROUP = GEEV_ABREAST * BLOCK, /* vectors of a group */
    GROUP_VECTORS = GROUP / SIMD_LANES,
    BACK_ROWS = 32 /* of a block */
};

/* A group: entry j of vector g is x[2*GROUP*j + g] + i x[2*GROUP*j + GROUP + g]. */
typedef struct back_group {
    const geev_schur *s;
    bool left;
    geev_view t;          /* T, or mirrored */
    int64_t last;         /* the last row that is not zero in all lanes */
    int64_t index[GROUP]; /* the eigenvalues */
    int count;
    int64_t first[GROUP]; /* the row where a lane's vector begins: its last row that is not zero; -1: no vector */
    real re[GROUP] __attribute__((aligned(64))), im[GROUP] __attribute__((aligned(64)));
    bool all_real; /* all vectors are */
    real *x;
} back_group;

/* Vector v of row j: its lanes' real parts and imaginary parts. */
static vreal *row_of(const back_group *g, int64_t j, int v)
{
    return (vreal *)(g->x + 2 * GROUP * j) + v;
}

enum { IMAGINARY = GROUP / SIMD_LANES };

/* The block of rows that is found, of one vector of lanes. */
typedef struct back_block {
    int v;
    int64_t start, end; /* rows start..end-1 */
    vreal waits; /* the lanes' scalings that rows beside the block have not had yet: they are not read meanwhile */
} back_block;

static void scale_rows(const back_group *g, int v, int64_t from, int64_t to, vreal f)
{
    for (int64_t j = from; j < to; ++j) row_of(g, j, v)[0] *= f, row_of(g, j, v)[IMAGINARY] *= f;
}

/* Scales the lanes where r / d were too large, and all of r. */
SIMD_FN void guard(const back_group *g, back_block *b, vreal d_re, vreal d_im, vreal r_re, vreal r_im, int count,
                   vreal *r)
{
    vreal const f = schur_guard_lanes(r_re, r_im, d_re, d_im);
    if (!simd_any(f != 1)) return;
    scale_rows(g, b->v, b->start, b->end, f);
    b->waits *= f;
    for (int k = 0; k < count; ++k) r[k] *= f;
}

/* What is left of the right side of row j after the rows below `above`, up to `end`. */
SIMD_FN void right_side(const back_group *g, int v, int64_t j, int64_t above, int64_t end, vreal *r)
{
    vreal re = row_of(g, j, v)[0], im = row_of(g, j, v)[IMAGINARY];
    const real *const row = g->t.a + j * g->t.si;
    for (int64_t i = above + 1; i < end; ++i) {
        vreal const a = simd_splat(-row[i * g->t.sj]), x = row_of(g, i, v)[0], y = row_of(g, i, v)[IMAGINARY];
        re = simd_fma(a, x, re), im = simd_fma(a, y, im);
        if (!EIG_COMPLEX) continue;
        vreal const b = simd_splat(row[i * g->t.sj + g->t.im]);
        re = simd_fma(b, y, re), im = simd_fma(-b, x, im);
    }
    r[0] = re, r[1] = im;
}

/* Lanes of vector v whose vectors begin in row j. */
SIMD_FN vint begins_at(const back_group *g, int v, int64_t j)
{
    vint mask;
    for (int t = 0; t < SIMD_LANES; ++t) mask[t] = -(int)(g->first[v * SIMD_LANES + t] == j);
    return mask;
}

static inline void find_one(const back_group *g, back_block *rows, int64_t j, vreal w_re, vreal w_im, vreal smallest)
{
    int const v = rows->v;
    vreal const one = simd_splat(1), zero = {0};
    vint const begins = begins_at(g, v, j);
    const real *const t = g->t.a + j * (g->t.si + g->t.sj);
    vreal r[2], d_re = simd_splat(t[0]) - w_re,
                d_im = EIG_COMPLEX ? simd_splat(t[EIG_COMPLEX * g->t.im]) - w_im : -w_im;
    right_side(g, v, j, j, rows->end, r);
    schur_pivot_lanes(smallest, &d_re, &d_im);
    guard(g, rows, d_re, d_im, r[0], r[1], 2, r);
    schur_divide_lanes(r[0], r[1], d_re, d_im, r, r + 1);
    row_of(g, j, v)[0] = simd_select(begins, one, r[0]);
    row_of(g, j, v)[IMAGINARY] = simd_select(begins, zero, r[1]);
}

/* Rows j-1 and j, which form a 2 x 2 block. */
static inline void find_two(const back_group *g, back_block *rows, int64_t j, vreal w_re, vreal w_im, vreal smallest)
{
    int const v = rows->v;
    vint const begins = begins_at(g, v, j);
    geev_view const t = g->t;
    const real *const d = t.a + (j - 1) * (t.si + t.sj);
    vreal const a = simd_splat(d[0]), b = simd_splat(d[t.sj]), c = simd_splat(d[t.si]), e = simd_splat(d[t.si + t.sj]);
    vreal const aw[2] = {a - w_re, -w_im}, ew[2] = {e - w_re, -w_im};
    vreal u[6], r[4];
    right_side(g, v, j - 1, j, rows->end, r), right_side(g, v, j, j, rows->end, r + 2);
    schur_eliminate_lanes(aw, b, c, ew, smallest, u, r);
    guard(g, rows, u[4], u[5], r[2], r[3], 4, r);
    schur_divide_lanes(r[2], r[3], u[4], u[5], r + 2, r + 3);
    r[0] -= u[2] * r[2] - u[3] * r[3];
    r[1] -= u[2] * r[3] + u[3] * r[2];
    guard(g, rows, u[0], u[1], r[0], r[1], 4, r);
    schur_divide_lanes(r[0], r[1], u[0], u[1], r, r + 1);
    vreal start[4] = {{0}};
    if (simd_any(begins)) schur_start_lanes(a, b, c, e, w_re, w_im, start, start + 1, start + 2, start + 3);
    for (int k = 0; k < 4; ++k) row_of(g, j - 1 + k / 2, v)[k % 2 * IMAGINARY] = simd_select(begins, start[k], r[k]);
}

/* Whether rows j-1 and j form a block. */
static bool is_block(geev_view t, int64_t j)
{
    return !EIG_COMPLEX && j > 0 && t.a[j * t.si + (j - 1) * t.sj] != 0;
}

/* Rows start..end-1 of one vector of lanes. */
static void find_rows(const back_group *g, int v, int64_t start, int64_t end)
{
    vreal const w_re = ((const vreal *)g->re)[v], w_im = ((const vreal *)g->im)[v];
    vreal const floor = simd_splat((real)(REAL_MIN * ((real)g->s->n / REAL_EPSILON)));
    vreal const smallest = schur_least_lanes(w_re, w_im, floor);
    back_block b = {v, start, end, simd_splat(1)};
    for (int64_t j = end - 1; j >= start; --j) {
        if (is_block(g->t, j))
            find_two(g, &b, j, w_re, w_im, smallest), --j;
        else
            find_one(g, &b, j, w_re, w_im, smallest);
    }
    if (simd_any(b.waits != 1)) scale_rows(g, v, 0, start, b.waits), scale_rows(g, v, end, g->last + 1, b.waits);
}

/* The rows above `start` without what rows start..end-1 contribute. */
static void take_out(const back_group *g, int64_t start, int64_t end)
{
    block c = {.ld = 2 * GROUP}, a = {.ld = 2 * GROUP};
    factor b = {.row = g->t.sj, .column = g->t.si};
    for (int part = 0; part < GEEV_PARTS; ++part) {
        c.part[part] = g->x + part * GROUP, a.part[part] = g->x + 2 * GROUP * start + part * GROUP;
        b.part[part] = g->t.a + start * g->t.sj + part * g->t.im;
    }
    if (EIG_COMPLEX)
        product_subtract(c, GROUP, start, end - start, a, b);
    else
        product_real_subtract(c, g->all_real ? GROUP : 2 * GROUP, start, end - start, a, b);
}

static void substitute(const back_group *g)
{
    for (int64_t k = 0; k < 2 * GROUP * (g->last + 1); ++k) g->x[k] = 0;
    for (int64_t end = g->last + 1, start; end > 0; end = start) {
        start = end > BACK_ROWS ? end - BACK_ROWS : 0;
        if (is_block(g->t, start)) --start;
        for (int v = 0; v < GROUP_VECTORS; ++v) find_rows(g, v, start, end);
        if (start > 0) take_out(g, start, end);
    }
}

/* The vectors times a power of two each: their largest parts come to 1. */
static void bring_group_to_one(const back_group *g)
{
    for (int v = 0; v < GROUP_VECTORS; ++v) {
        vreal most = simd_splat(REAL_MIN);
        for (int64_t j = 0; j <= g->last; ++j)
            most = simd_max(simd_abs(row_of(g, j, v)[IMAGINARY]), simd_max(simd_abs(row_of(g, j, v)[0]), most));
        vreal const f = pow2_inverse_lanes(pow2_floor_lanes(most)), conjugated = g->left ? -f : f;
        for (int64_t j = 0; j <= g->last; ++j) row_of(g, j, v)[0] *= f, row_of(g, j, v)[IMAGINARY] *= conjugated;
    }
}

/* Q times the group, or of left vectors its conjugate: columns of ld entries, in planes. */
static void multiply_q(const back_group *g, geev_view to)
{
    enum { TALL = GEEV_TALL_BYTES / (int)sizeof(real), DEPTH = 128 };
    const geev_schur *const s = g->s;
    int64_t const n = s->n;
    geev_view q = s->q;
    if (g->left) q = (geev_view){q.a + (n - 1) * q.sj, 1, -q.sj, q.im};
    for (int64_t i = 0; i < to.sj; i += TALL) {
        int64_t const rows = least(TALL, to.sj - i);
        for (int64_t j = 0; j <= g->last; j += DEPTH) {
            int64_t const depth = least(DEPTH, g->last + 1 - j);
            for (int part = 0; part < (EIG_COMPLEX || g->all_real ? 1 : 2); ++part) {
                block c = block_at(to, i, 0), a = block_at(q, i, j);
                factor b = {.row = 2 * GROUP, .column = 1};
                b.part[0] = g->x + 2 * GROUP * j, b.part[1] = b.part[0] + GROUP;
                if (!EIG_COMPLEX) c.part[0] = to.a + i + part * to.im, b.part[0] += part * GROUP;
                (j == 0 ? product_set : product_add)(c, rows, g->count, depth, a, b);
            }
        }
    }
}

/* x, in planes, times the power of two that brings its largest part to 1. */
static void bring_column_to_one(int64_t ld, real *x, int64_t im, bool is_real)
{
    vreal most = simd_splat(REAL_MIN);
    for (int part = 0; part < (is_real ? 1 : 2); ++part)
        for (int64_t i = 0; i < ld; i += SIMD_LANES) most = simd_max(simd_abs(*at(x, i + part * im)), most);
    real largest = 0;
    for (int t = 0; t < SIMD_LANES; ++t) largest = most[t] > largest ? most[t] : largest;
    real const f = REAL_TYPED(pow2_inverse)(REAL_TYPED(pow2_floor)(largest));
    for (int part = 0; part < (is_real ? 1 : 2); ++part)
        for (int64_t i = 0; i < ld; ++i) x[i + part * im] *= f;
}

/* x with 2-norm 1 and the entry that decides (gauge.inc) real and positive; from: the caller's number of each entry. */
static void normalise_column(int64_t n, int64_t ld, const int64_t *from, real *x, int64_t im, bool is_real)
{
    wide_sum sum = {0};
    real most = 0, next = 0;
    int64_t place = 0;
    for (int64_t i = 0; i < ld; i += BLOCK)
        for (int w = 0; w < WIDE; ++w) {
            vreal const a = at(x, i)[w], b = is_real ? (vreal){0} : at(x, i + im)[w];
            sum.v[w] = simd_fma(b, b, simd_fma(a, a, sum.v[w]));
        }
    for (int64_t i = 0; i < n; ++i) {
        real const a = x[i], b = is_real ? 0 : x[i + im], square = a * a + b * b;
        next = square > most ? most : square > next ? square : next;
        if (square > most) most = square, place = i;
    }
    real const least = REAL_TYPED(gauge_least_square)(most);
    for (int64_t i = 0; next >= least && i < n; ++i) { /* the largest entry is not the only one */
        real const a = x[i], b = is_real ? 0 : x[i + im];
        if (a * a + b * b >= least && from[i] < from[place]) place = i;
    }
    real const re = x[place], imaginary = is_real ? 0 : x[place + im];
    real const f = 1 / (sqrt(total(sum)) * sqrt(re * re + imaginary * imaginary)), c = re * f, s = -imaginary * f;
    for (int64_t i = 0; i < n; ++i) {
        real const a = x[i], b = is_real ? 0 : x[i + im];
        x[i] = is_real ? a * c : a * c - b * s;
        if (!is_real) x[i + im] = i == place ? 0 : a * s + b * c;
    }
}

/* D x, or D^-1 x of a left vector, in two steps, as in geev_vectors.c; halves: the two factors of each entry. */
static void finish_column(const geev_schur *s, const back_group *g, const real *halves, real *x, int64_t im,
                          bool is_real)
{
    int64_t const n = s->n, ld = s->t.sj;
    bring_column_to_one(ld, x, im, is_real);
    for (int step = 0; step < 2 && halves; ++step) {
        const real *const d = halves + (2 * g->left + step) * n;
        for (int64_t i = 0; i < n; ++i) x[i] *= d[i];
        for (int64_t i = 0; i < n && !is_real; ++i) x[i + im] *= d[i];
        bring_column_to_one(ld, x, im, is_real);
    }
    normalise_column(n, ld, s->from, x, im, is_real);
}

typedef struct back_detail {
    const geev_problem *p;
    int64_t b;
    const real *halves; /* [4 n]; NULL where D = I */
    cpu_watch *watch;
    int64_t groups;
    const int64_t *begin; /* the first eigenvalue of each group */
} back_detail;

static bool is_real_vector(const geev_schur *s, int64_t k)
{
    return !EIG_COMPLEX && s->im[k] == 0;
}

/* The right or left vectors of the group that begins with eigenvalue k. */
static void find_group(const geev_schur *s, const back_detail *d, bool left, int64_t k, real *x, geev_view to,
                       back_group *g)
{
    int64_t const n = s->n;
    *g = (back_group){.s = s, .left = left, .t = s->t, .x = x, .all_real = !EIG_COMPLEX, .last = 0};
    if (left) g->t = (geev_view){s->t.a + (n - 1) * (s->t.si + s->t.sj), -s->t.sj, -s->t.si, s->t.im};
    for (int e = 0; e < GROUP; ++e) {
        g->first[e] = -1;
        if (k >= n) continue;
        bool const pair = !EIG_COMPLEX && s->im[k] != 0;
        g->index[g->count++] = k;
        g->re[e] = s->re[k], g->im[e] = s->im[k];
        g->first[e] = left ? n - 1 - k : k + pair;
        g->last = g->first[e] > g->last ? g->first[e] : g->last;
        g->all_real = g->all_real && is_real_vector(s, k);
        k += 1 + pair;
    }
    substitute(g);
    bring_group_to_one(g);
    multiply_q(g, to);
    for (int e = 0; e < g->count; ++e)
        finish_column(s, g, d->halves, to.a + e * to.sj, to.im, is_real_vector(s, g->index[e]));
}

/* |y^H x| of columns e of two groups. */
static real condition_of_columns(geev_view y, geev_view x, int64_t e, bool is_real)
{
    wide_sum re = {0}, im = {0};
    real *const a = x.a + e * x.sj, *const b = y.a + e * y.sj;
    for (int64_t i = 0; i < x.sj; i += BLOCK)
        for (int w = 0; w < WIDE; ++w) {
            vreal const xr = at(a, i)[w], yr = at(b, i)[w];
            re.v[w] = simd_fma(xr, yr, re.v[w]);
            if (is_real) continue;
            vreal const xi = at(a, i + x.im)[w], yi = at(b, i + y.im)[w];
            re.v[w] = simd_fma(xi, yi, re.v[w]);
            im.v[w] = simd_fma(-yi, xr, simd_fma(yr, xi, im.v[w]));
        }
    real const size = REAL_TYPED(geev_modulus)(total(re), is_real ? 0 : total(im));
    return size < 1 ? size : 1;
}

/* Stores column e as vector k, and its conjugate as the next one where it is of a pair. */
static void store_vector(real *v, int64_t ld, const geev_schur *s, int64_t k, geev_view x, int64_t e)
{
    bool const is_real = is_real_vector(s, k), pair = !EIG_COMPLEX && s->im[k] != 0;
    const real *const from = x.a + e * x.sj;
    for (int64_t i = 0; v && i < s->n; ++i) {
        real *const to = v + 2 * (s->from[i] + k * ld);
        real const re = from[i] + (real)0, im = is_real ? 0 : from[i + x.im] + (real)0;
        to[0] = re, to[1] = im;
        if (pair) to[2 * ld] = re, to[2 * ld + 1] = (real)0 - im;
    }
}

static void back_job(const geev_schur *s, int rank, int size, void *detail)
{
    const back_detail *const d = detail;
    const geev_problem *const p = d->p;
    int64_t const ld = s->t.sj, b = d->b;
    real *const vl = p->vl ? (real *)p->vl + 2 * b * p->stride_vl : NULL;
    real *const vr = p->vr ? (real *)p->vr + 2 * b * p->stride_vr : NULL;
    real *const condition = p->condition ? (real *)p->condition + b * p->stride_w : NULL;
    real *const x = own_room(s, rank);
    geev_view const right = plane_view(x + 2 * GROUP * ld, ld, GROUP),
                    left = plane_view(right.a + 2 * right.im, ld, GROUP);
    for (int64_t turn = rank; turn < d->groups; turn += size) {
        back_group g;
        if (!geev_go_on(d->watch, 0.7 + 0.3 * (double)turn / (double)d->groups)) return;
        if (vl || condition) find_group(s, d, true, d->begin[turn], x, left, &g);
        if (vr || condition) find_group(s, d, false, d->begin[turn], x, right, &g);
        for (int e = 0; e < g.count; ++e) {
            int64_t const k = g.index[e];
            bool const is_real = is_real_vector(s, k), pair = !EIG_COMPLEX && !is_real;
            store_vector(vr, p->ldvr, s, k, right, e);
            store_vector(vl, p->ldvl, s, k, left, e);
            if (!condition) continue;
            condition[k] = condition_of_columns(left, right, e, is_real);
            if (pair) condition[k + 1] = condition[k];
        }
    }
}

/* The factors of the two steps that apply D and its inverse: to `halves`; NULL where D is the identity. */
static const real *half_scales(const geev_schur *s, real *halves)
{
    int64_t const n = s->n;
    bool scales = false;
    for (int64_t i = 0; i < n; ++i) {
        scales = scales || s->scale[i] != 1;
        int const all = ilogb(s->scale[i]), half = all / 2, rest = all - half;
        halves[i] = ldexp((real)1, half), halves[n + i] = ldexp((real)1, rest);
        halves[2 * n + i] = ldexp((real)1, -half), halves[3 * n + i] = ldexp((real)1, -rest);
    }
    return scales ? halves : NULL;
}

static bool find_vectors(const geev_problem *p, int64_t b, const geev_schur *s, cpu_watch *watch)
{
    int64_t const n = s->n;
    back_detail d = {.p = p, .b = b, .watch = watch};
    TYPED(eig_cpu_geev_scale_form)(s);
    /* Arrays of the reduction, which is over. */
    d.halves = half_scales(s, s->room->v);
    int64_t *const begin = s->room->h;
    for (int64_t k = 0; k < n; ++d.groups) {
        begin[d.groups] = k;
        for (int e = 0; e < GROUP && k < n; ++e) k += 1 + (!EIG_COMPLEX && s->im[k] != 0);
    }
    d.begin = begin;
    share_out(s, back_job, &d);
    return true;
}

#endif
