/* heev on the CPU, values alone of large matrices, second stage: from a band to tridiagonal form.  Part of
 * heev_large.c.
 *
 * Sweep k reflects column k's WIDTH elements below the diagonal to one.  The reflection fills the block below; its
 * first column is reflected too, and so on down to the end (K. Murata and K. Horikoshi, Information Processing in Japan
 * 15 (1975); B. Lang, SIAM J. Sci.
 * Comput. 14 (1993)).  A step is
 *
 *     D := H D H            the diagonal block of these WIDTH rows, one triangle
 *     B := B H              the block below
 *     B := H' B             H' reflects the first column of B
 *
 * and the next step goes on with H'.
 *
 * Mapping   the lanes run along columns; a column, v and what is summed stay in registers. Blocks begin anywhere: v is
 *           0 above and below its rows in the blocks of 64 bytes, so that what lies there stays as it is.
 * Order     step s of a sweep comes after step s + 1 of the sweep before: GROUP_SWEEPS sweeps go down the band side by
 *           side, so that it passes the cache once for all of them.
 * Threads   take groups of sweeps, and wait for the group before.
 * Cost      6 n^2 WIDTH flops (complex: 24). */
#ifndef EIG_HEEV_STAGES_CHASE_H
#define EIG_HEEV_STAGES_CHASE_H

#include "heev_stages_band.h"

enum {
    TALL = WIDTH / BLOCK + 1, /* blocks that hold WIDTH rows which begin anywhere */
    VECTORS = TALL * WIDE,
    GROUP_SWEEPS = 8,
    LAG = 2 /* steps */
};

typedef FLOAT_OR_DOUBLE(int32_t, int64_t) real_int; /* a lane of vint */

/* WIDTH numbers of a column, the first one in the first block. */
typedef struct tall {
    vreal part[HEEV_PARTS][VECTORS];
} tall;

/* A sweep in progress: its next step's reflection. */
typedef struct sweep {
    int64_t row, rows; /* of v */
    int64_t steps;     /* that are left */
    real tau;
    tall v;
} sweep;

typedef struct chase {
    int64_t n, ld;
    real *band[2];
    real *d, *e;
    atomic_int_fast64_t *done; /* [groups] steps of a group's last sweep; all of them where it is over */
} chase;

/* Element (row, column), in a block of 64 bytes. */
static inline real *band_at(const chase *h, int part, int64_t row, int64_t column)
{
    return h->band[part] + row + column * h->ld;
}

SIMD_FN vint rows_of_vector(int vector)
{
    vint row;
    for (int l = 0; l < SIMD_LANES; ++l) row[l] = vector * SIMD_LANES + l;
    return row;
}

/* Sets to 0 what does not lie in rows first to last - 1 of the blocks. */
SIMD_FN void keep_rows(tall *x, int64_t first, int64_t last)
{
#pragma GCC unroll 64
    for (int i = 0; i < VECTORS; ++i) {
        vint const row = rows_of_vector(i), kept = (row >= (real_int)first) & (row < (real_int)last);
        for (int part = 0; part < HEEV_PARTS; ++part) x->part[part][i] = (vreal)((vint)x->part[part][i] & kept);
    }
}

/* x^H y, where parts are added that the type has not. */
SIMD_FN void inner_product(const tall *x, const tall *y, real sum[2])
{
    wide_sum re = {0}, im = {0};
#pragma GCC unroll 64
    for (int i = 0; i < VECTORS; ++i) {
        vreal *const r = &re.v[i % WIDE], *const s = &im.v[i % WIDE];
        *r = simd_fma(x->part[0][i], y->part[0][i], *r);
        if (!EIG_COMPLEX) continue;
        *r = simd_fma(x->part[EIG_COMPLEX][i], y->part[EIG_COMPLEX][i], *r);
        *s = simd_fma(x->part[0][i], y->part[EIG_COMPLEX][i], *s);
        *s = simd_fma(-x->part[EIG_COMPLEX][i], y->part[0][i], *s);
    }
    sum[0] = total(re), sum[1] = EIG_COMPLEX ? total(im) : 0;
}

/* x := x + y (re + i im) */
SIMD_FN void add_scaled(tall *x, const tall *y, real re, real im)
{
    vreal const r = simd_splat(re), s = simd_splat(im);
#pragma GCC unroll 64
    for (int i = 0; i < VECTORS; ++i) {
        x->part[0][i] = simd_fma(y->part[0][i], r, x->part[0][i]);
        if (!EIG_COMPLEX) continue;
        x->part[0][i] = simd_fma(-y->part[EIG_COMPLEX][i], s, x->part[0][i]);
        x->part[EIG_COMPLEX][i] =
            simd_fma(y->part[0][i], s, simd_fma(y->part[EIG_COMPLEX][i], r, x->part[EIG_COMPLEX][i]));
    }
}

SIMD_FN tall load_tall(const chase *h, int64_t base, int64_t column)
{
    tall x;
#pragma GCC unroll 64
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int i = 0; i < VECTORS; ++i) x.part[part][i] = *at(band_at(h, part, base, column), i * SIMD_LANES);
    return x;
}

SIMD_FN void store_tall(const chase *h, int64_t base, int64_t column, const tall *x)
{
#pragma GCC unroll 64
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int i = 0; i < VECTORS; ++i) *at(band_at(h, part, base, column), i * SIMD_LANES) = x->part[part][i];
}

/* The reflection of x, rows `row` to `row` + rows - 1 and else 0; x becomes v. first: the number that is left of x. */
static inline real reflect_tall(tall *x, int64_t row, int64_t rows, real first[2])
{
    real square[2], top[2] = {0, 0};
    int64_t const at_row = row - block_of(row);
    inner_product(x, x, square);
    for (int part = 0; part < HEEV_PARTS; ++part) top[part] = ((const real *)x->part[part])[at_row];
    if (rows == 1) {
        first[0] = top[0], first[1] = top[1];
        return 0;
    }
    reflection const r = reflection_of(square[0], top);
    first[0] = -r.norm * r.direction[0], first[1] = -r.norm * r.direction[1];
    for (int part = 0; part < HEEV_PARTS; ++part) ((real *)x->part[part])[at_row] = r.head[part];
    return r.tau;
}

/* ----------------------------------------------------- the diagonal block */

/* What columns of block `from` give to y = D v: below the diagonal to rows of y, and, mirrored, to `mirror`. */
SIMD_FN void multiply_columns_of(const chase *h, const sweep *s, int from, tall *y, real mirror[2][TALL * BLOCK])
{
    int64_t const base = block_of(s->row), top = s->row - base;
    int64_t const first = top > from * BLOCK ? top : from * BLOCK, last = least(top + s->rows, (from + 1) * BLOCK);
    for (int64_t c = first; c < last; ++c) {
        vreal const vr = simd_splat(((const real *)s->v.part[0])[c]);
        vreal const vi = simd_splat(EIG_COMPLEX ? ((const real *)s->v.part[HEEV_PARTS - 1])[c] : 0);
        wide_sum re = {0}, im = {0};
#pragma GCC unroll 64
        for (int i = from * WIDE; i < VECTORS; ++i) {
            vreal xr = *at(band_at(h, 0, base, base + c), i * SIMD_LANES), *const r = &re.v[i % WIDE];
            vreal const xi = EIG_COMPLEX ? *at(band_at(h, HEEV_PARTS - 1, base, base + c), i * SIMD_LANES) : (vreal){0};
            y->part[0][i] = simd_fma(xr, vr, y->part[0][i]);
            if (i < (from + 1) * WIDE) xr = (vreal)((vint)xr & (rows_of_vector(i) > (real_int)c));
            *r = simd_fma(xr, s->v.part[0][i], *r);
            if (!EIG_COMPLEX) continue;
            vreal *const y1 = &y->part[HEEV_PARTS - 1][i], *const t = &im.v[i % WIDE];
            vreal const v1 = s->v.part[HEEV_PARTS - 1][i], all = *at(band_at(h, 0, base, base + c), i * SIMD_LANES);
            y->part[0][i] = simd_fma(-xi, vi, y->part[0][i]);
            *y1 = simd_fma(all, vi, simd_fma(xi, vr, *y1));
            *r = simd_fma(xi, v1, *r);
            *t = simd_fma(xr, v1, simd_fma(-xi, s->v.part[0][i], *t));
        }
        mirror[0][c] = total(re);
        if (EIG_COMPLEX) mirror[1][c] = total(im);
    }
}

/* D := D - v w^H - w v^H in columns of block `from`. Above the diagonal zeros stay. */
SIMD_FN void update_columns_of(const chase *h, const sweep *s, int from, const tall *w)
{
    int64_t const base = block_of(s->row), top = s->row - base;
    int64_t const first = top > from * BLOCK ? top : from * BLOCK, last = least(top + s->rows, (from + 1) * BLOCK);
    for (int64_t c = first; c < last; ++c) {
        vreal v[2], u[2]; /* numbers of row c of v and w */
        for (int part = 0; part < 2; ++part) {
            v[part] = simd_splat(part < HEEV_PARTS ? ((const real *)s->v.part[part % HEEV_PARTS])[c] : 0);
            u[part] = simd_splat(part < HEEV_PARTS ? ((const real *)w->part[part % HEEV_PARTS])[c] : 0);
        }
#pragma GCC unroll 64
        for (int i = from * WIDE; i < VECTORS; ++i) {
            vreal *const x = at(band_at(h, 0, base, base + c), i * SIMD_LANES);
            vint const row = rows_of_vector(i);
            vreal const vr = s->v.part[0][i], wr = w->part[0][i];
            vreal re = simd_fma(-vr, u[0], simd_fma(-wr, v[0], *x));
            if (EIG_COMPLEX) {
                vreal *const y = at(band_at(h, HEEV_PARTS - 1, base, base + c), i * SIMD_LANES);
                vreal const vi = s->v.part[HEEV_PARTS - 1][i], wi = w->part[HEEV_PARTS - 1][i];
                re = simd_fma(-vi, u[1], simd_fma(-wi, v[1], re));
                vreal im = simd_fma(-vi, u[0], simd_fma(vr, u[1], *y));
                im = simd_fma(-wi, v[0], simd_fma(wr, v[1], im));
                *y = i < (from + 1) * WIDE ? (vreal)((vint)im & (row > (real_int)c)) : im;
            }
            *x = i < (from + 1) * WIDE ? (vreal)((vint)re & (row >= (real_int)c)) : re;
        }
    }
}

/* D := H D H */
static void reflect_diagonal(const chase *h, const sweep *s)
{
    int64_t const top = s->row - block_of(s->row);
    real _Alignas(64) mirror[2][TALL * BLOCK] = {{0}};
    tall y = {0}, w;
#pragma GCC unroll 16
    for (int from = 0; from < TALL; ++from) multiply_columns_of(h, s, from, &y, mirror);
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int i = 0; i < VECTORS; ++i)
            w.part[part][i] = (y.part[part][i] + *at(mirror[part], i * SIMD_LANES)) * s->tau;
    keep_rows(&w, top, top + s->rows);
    real form[2];
    inner_product(&s->v, &w, form);
    add_scaled(&w, &s->v, (real)-0.5 * s->tau * form[0], 0);
#pragma GCC unroll 16
    for (int from = 0; from < TALL; ++from) update_columns_of(h, s, from, &w);
}

/* ------------------------------------------------------------ the block below */

/* B := H' B H, H' from the first column of B H; *s goes on with H'. There are `rows` rows. */
static void reflect_below(const chase *h, sweep *s, int64_t row, int64_t rows)
{
    int64_t const base = block_of(row), top = row - base, from = s->row - block_of(s->row);
    tall y = {0};
    if (s->tau != 0) {
        for (int64_t c = 0; c < s->rows; ++c) {
            tall const x = load_tall(h, base, s->row + c);
            add_scaled(&y, &x, s->tau * ((const real *)s->v.part[0])[from + c],
                       EIG_COMPLEX ? s->tau * ((const real *)s->v.part[HEEV_PARTS - 1])[from + c] : 0);
        }
        keep_rows(&y, top, top + rows);
    }
    tall old = load_tall(h, base, s->row), v = old;
    add_scaled(&v, &y, -((const real *)s->v.part[0])[from],
               EIG_COMPLEX ? ((const real *)s->v.part[HEEV_PARTS - 1])[from] : 0);
    keep_rows(&v, top, top + rows);
    real first[2];
    real const tau = reflect_tall(&v, row, rows, first);
    keep_rows(&old, 0, top);
    for (int part = 0; part < HEEV_PARTS; ++part) ((real *)old.part[part])[top] = first[part];
    store_tall(h, base, s->row, &old);
    for (int64_t c = 1; c < s->rows; ++c) {
        tall x = load_tall(h, base, s->row + c);
        add_scaled(&x, &y, -((const real *)s->v.part[0])[from + c],
                   EIG_COMPLEX ? ((const real *)s->v.part[HEEV_PARTS - 1])[from + c] : 0);
        real sum[2];
        inner_product(&v, &x, sum);
        add_scaled(&x, &v, -tau * sum[0], -tau * sum[1]);
        store_tall(h, base, s->row + c, &x);
    }
    s->v = v, s->tau = tau, s->row = row, s->rows = rows;
}

/* -------------------------------------------------------------------- sweeps */

/* Steps of the sweep that reflects column k. */
static int64_t steps_of(const chase *h, int64_t k)
{
    return (h->n - 1 - k + WIDTH - 1) / WIDTH;
}

static void begin_sweep(const chase *h, sweep *s, int64_t k)
{
    int64_t const row = k + 1, top = row - block_of(row);
    real first[2];
    s->row = row, s->rows = least(WIDTH, h->n - row), s->steps = steps_of(h, k);
    s->v = load_tall(h, block_of(row), k);
    keep_rows(&s->v, top, top + s->rows);
    h->d[k] = *band_at(h, 0, k, k);
    s->tau = reflect_tall(&s->v, row, s->rows, first);
    h->e[k] = EIG_COMPLEX ? sqrt(first[0] * first[0] + first[1] * first[1]) : fabs(first[0]);
}

static void step(const chase *h, sweep *s)
{
    int64_t const row = s->row + s->rows;
    if (s->tau != 0) reflect_diagonal(h, s);
    if (row < h->n) reflect_below(h, s, row, least(WIDTH, h->n - row));
    --s->steps;
}

/* Waits until the group before has done `steps` steps of its last sweep. Returns false where the work is stopped. */
static bool wait_for(const large_matrix *m, const chase *h, int64_t group, int64_t steps, int64_t *seen)
{
    if (group == 0 || m->who->size == 1) return true;
    for (int look = 0; *seen < steps; ++look) {
        *seen = atomic_load_explicit(&h->done[group - 1], memory_order_acquire);
        if (*seen < steps && !eig_cpu_team_look(m->who, look)) return false;
    }
    return true;
}

/* Sweeps GROUP_SWEEPS group and on, side by side. */
static bool chase_group(const large_matrix *m, const chase *h, int64_t group)
{
    int64_t const first = group * GROUP_SWEEPS, count = least(GROUP_SWEEPS, h->n - 1 - first);
    int64_t const most = steps_of(h, first), before = group > 0 ? steps_of(h, first - 1) : 0;
    sweep sweeps[GROUP_SWEEPS];
    int64_t seen = 0;
    for (int64_t t = 0; t < most + LAG * (count - 1); ++t) {
        if (t < most && !wait_for(m, h, group, least(t + LAG, before), &seen)) return false;
        for (int64_t i = 0; i < count && LAG * i <= t; ++i) {
            sweep *const s = &sweeps[i];
            if (t == LAG * i) begin_sweep(h, s, first + i);
            if (s->steps > 0) step(h, s);
        }
        int64_t const done = t + 1 - LAG * (count - 1);
        if (done > 0) atomic_store_explicit(&h->done[group], done, memory_order_release);
    }
    return true;
}

/* The band to d and e. */
static bool chase_band(large_matrix *m, const stages *s, cpu_watch *watch)
{
    _Static_assert(sizeof(atomic_int_fast64_t) == sizeof *m->order, "room for the groups' counters");
    int64_t const groups = (m->n - 1 + GROUP_SWEEPS - 1) / GROUP_SWEEPS;
    chase const h = {.n = m->n,
                     .ld = s->ld,
                     .band = {s->band[0], s->band[1]},
                     .d = m->d,
                     .e = m->e,
                     .done = (atomic_int_fast64_t *)m->order};
    span const mine = share_of(m, groups, 1);
    for (int64_t g = mine.first; g < mine.last; ++g) atomic_init(&h.done[g], 0);
    if (!cpu_team_meet(m->who)) return false;
    cpu_pieces pieces = cpu_team_pieces(m->who, groups);
    for (int64_t group; (group = cpu_team_take(&pieces)) >= 0;) {
        double const left = 1 - (double)group / (double)groups;
        if (!team_goes_on(m, watch, 0.8 + (m->reduced - 0.8) * (1 - left * left)) || !chase_group(m, &h, group)) break;
    }
    if (!cpu_team_meet(m->who)) return false;
    if (m->who->rank == 0) m->d[m->n - 1] = *band_at(&h, 0, m->n - 1, m->n - 1), m->e[m->n - 1] = 0;
    return cpu_team_meet(m->who);
}

#endif
