/* geev on the CPU, n > 64: aggressive early deflation (K. Braman, R. Byers and R. Mathias, The multishift QR algorithm,
 * part II, SIAM J. Matrix Anal. Appl. 23 (2002)), and windows whose Schur form is found as a whole.  Part of
 * geev_large.c.
 *
 * Of the last rows of the window that is active a copy is brought to Schur form.  Eigenvalues whose entry of the spike,
 * what is left of the subdiagonal entry above, is negligible are deflated; the others move up, and are the next sweep's
 * shifts. */
#ifndef EIG_GEEV_EARLY_H
#define EIG_GEEV_EARLY_H

#include "geev_chase.h"
#include "geev_large_reduce.h"
#include "geev_swap.h"

/* Finds the Schur form of a window; how many of its eigenvalues were not found. */
typedef int window_solver(const geev_schur *w, int most);

/* The room of the matrix's windows. */
static geev_window_room *window_room(const geev_schur *s)
{
    return &s->room->window[s->depth];
}

/* A window of T by itself: T, V = I. */
static geev_schur window_of(const geev_schur *s, int64_t first, int64_t rows, cpu_member *alone)
{
    geev_window_room *const r = window_room(s);
    int64_t const ld = r->ld;
    real *at_real = r->vectors;
    geev_schur w = {.n = rows, .hi = rows - 1, .room = s->room, .depth = s->depth + 1, .who = alone, .from = r->from};
    w.t = plane_view(r->t, ld, ld), w.q = plane_view(r->v, ld, ld);
    w.re = at_real, w.im = w.re + ld, w.scale = w.im + ld, w.x = w.scale + ld, w.y = w.x + 2 * ld,
    w.work = w.y + 2 * ld;
    clear(w.t, ld, ld), make_identity(w.q, ld);
    for (int part = 0; part < GEEV_PARTS; ++part)
        for (int64_t j = 0; j < rows; ++j)
            for (int64_t i = 0; i <= least(j + 1, rows - 1); ++i)
                w.t.a[i + j * ld + part * w.t.im] = s->t.a[first + i + (first + j) * s->t.sj + part * s->t.im];
    return w;
}

/* ------------------------------------------------------- the rest of T, and Q */

typedef struct beside_detail {
    geev_view v, h; /* V, V^H */
    int64_t first, rows;
} beside_detail;

/* Rows `from` to `to` of columns first..first + rows - 1 of a, whole blocks: times V. */
static void multiply_rows(const beside_detail *d, geev_view a, int64_t from, int64_t to, real *own)
{
    enum { TALL = GEEV_TALL_BYTES / (int)sizeof(real) };
    for (int64_t i = from; i < to; i += TALL) {
        int64_t const height = least(TALL, to - i);
        geev_view const c = plane_view(own, TALL, GEEV_WINDOW);
        product_set(block_at(c, 0, 0), height, d->rows, d->rows, block_at(a, i, d->first), factor_at(d->v, 0, 0));
        for (int part = 0; part < GEEV_PARTS; ++part)
            for (int64_t j = 0; j < d->rows; ++j)
                for (int64_t r = 0; r < height; ++r)
                    a.a[i + r + (d->first + j) * a.sj + part * a.im] = c.a[r + j * TALL + part * c.im];
    }
}

/* Columns `from` to `to` of rows first..first + rows - 1: V^H times. */
static void multiply_far_columns(const beside_detail *d, geev_view a, int64_t from, int64_t to, real *own)
{
    int64_t const ld = d->h.sj, whole = block_of(d->rows - 1) + BLOCK;
    for (int64_t j = from; j < to; j += GEEV_STRIP) {
        int64_t const columns = least(GEEV_STRIP, to - j);
        geev_view const c = plane_view(own, ld, GEEV_STRIP);
        product_set(block_at(c, 0, 0), whole, columns, d->rows, block_at(d->h, 0, 0), factor_at(a, d->first, j));
        for (int part = 0; part < GEEV_PARTS; ++part)
            for (int64_t k = 0; k < columns; ++k)
                for (int64_t r = 0; r < d->rows; ++r)
                    a.a[d->first + r + (j + k) * a.sj + part * a.im] = c.a[r + k * ld + part * c.im];
    }
}

/* Rows above the window: those in the window's first block of rows are corrected afterwards. */
typedef struct beside_span {
    beside_detail d;
    int64_t first_row, end_column;
} beside_span;

static void beside_job(const geev_schur *s, int rank, int size, void *detail)
{
    const beside_span *const b = detail;
    const beside_detail *const d = &b->d;
    real *const own = own_room(s, rank);
    int64_t const above = block_of(b->first_row), rows = d->first - above, right = d->first + d->rows;
    if (rows > 0) {
        span const mine = part_of((rows + BLOCK - 1) / BLOCK * BLOCK, BLOCK, rank, size);
        multiply_rows(d, s->t, above + mine.first, above + mine.last, own);
    }
    if (right < b->end_column) {
        span const mine = part_of(b->end_column - right, 8, rank, size);
        multiply_far_columns(d, s->t, right + mine.first, right + mine.last, own);
    }
    if (s->q.a) {
        span const mine = part_of(s->q.sj, BLOCK, rank, size);
        multiply_rows(d, s->q, mine.first, mine.last, own);
    }
}

/* Puts the window back, and brings what lies beside it and Q up to date: those rows and columns that count. */
static void put_window(const geev_schur *s, const geev_schur *w, int64_t l, int64_t first)
{
    beside_span b = {.d = {.v = w->q, .first = first, .rows = w->n}};
    b.d.h = plane_view(window_room(s)->h, w->t.sj, w->t.sj);
    b.first_row = s->q.a ? 0 : l, b.end_column = s->q.a ? s->n : first + w->n;
    if (s->q.a) {
        clear(b.d.h, w->t.sj, w->t.sj);
        for (int64_t j = 0; j < w->n; ++j)
            for (int64_t i = 0; i < w->n; ++i) {
                number const x = conjugate_of(number_of(w->q, j, i));
                b.d.h.a[i + j * b.d.h.sj] = x.re;
                if (EIG_COMPLEX) b.d.h.a[i + j * b.d.h.sj + b.d.h.im] = x.im;
            }
    }
    share_out(s, beside_job, &b);
    for (int part = 0; part < GEEV_PARTS; ++part)
        for (int64_t j = 0; j < w->n; ++j)
            for (int64_t i = 0; i < w->n; ++i)
                s->t.a[first + i + (first + j) * s->t.sj + part * s->t.im] = w->t.a[i + j * w->t.sj + part * w->t.im];
}

/* ------------------------------------------------------------ early deflation */

/* Eigenvalues of the leading `count` rows, from the blocks on the diagonal. */
static void read_values(const geev_schur *w, int64_t count)
{
    for (int64_t k = 0; k < count; ++k) {
        number const d = number_of(w->t, k, k);
        w->re[k] = d.re, w->im[k] = d.im;
#if !EIG_COMPLEX
        if (k + 1 >= count || block_that_begins(w, k) == 1) continue;
        settle_block(w, k++);
#endif
    }
}

static real size_of_number(number x)
{
    return fabs(x.re) + (EIG_COMPLEX ? fabs(x.im) : 0);
}

/* Whether the block that ends at row k, of `rows` rows, may be deflated; spike: the subdiagonal entry above the window.
 * */
static bool may_deflate(const geev_schur *w, int64_t k, int rows, number spike, real tiny)
{
    real size = size_of_number(number_of(w->t, k, k)), entry = 0;
    if (rows == 2)
        size += sqrt(size_of_number(number_of(w->t, k, k - 1))) * sqrt(size_of_number(number_of(w->t, k - 1, k)));
    if (size == 0) size = size_of_number(spike);
    for (int r = 0; r < rows; ++r) {
        real const here = size_of_number(spike) * size_of_number(number_of(w->q, 0, k - r));
        entry = here > entry ? here : entry;
    }
    real const most = REAL_EPSILON * size;
    return entry <= (most > tiny ? most : tiny);
}

/* Moves blocks that may not be deflated up until the others are at the end; returns how many rows stay. */
static int64_t sort_window(const geev_schur *w, number spike, real tiny)
{
    int64_t top = 0, stay = w->n;
    while (top < stay) {
        int const rows = block_that_ends(w, stay - 1);
        if (may_deflate(w, stay - 1, rows, spike, tiny)) {
            stay -= rows;
            continue;
        }
        if (stay - rows <= top) break;
        int64_t const at_row = move_up(w, stay - rows, top);
        if (at_row > top) break;
        top += block_that_begins(w, top);
    }
    return stay;
}

/* The window's leading `stay` rows, which the spike belongs to, to Hessenberg form again; returns the entry above them.
 * room: of ld columns. */
static number bring_back(const geev_schur *w, int64_t stay, number spike, real *room)
{
    int64_t const n = w->n, ld = w->t.sj;
    span const all = {0, block_of(n - 1) + BLOCK};
    real *const x = w->x, *const v = w->y;
    number c[GEEV_WINDOW];
    for (int64_t k = 0; k < stay; ++k) {
        number const z = times(spike, conjugate_of(number_of(w->q, 0, k)));
        x[k] = z.re;
        if (EIG_COMPLEX) x[k + ld] = z.im;
    }
    real const tau = make_reflector(x, ld, 0, stay - 1, v, ld);
    for (int64_t k = block_of(stay - 1) + BLOCK; k < all.last; ++k)
        for (int part = 0; part < GEEV_PARTS; ++part) v[k + part * ld] = 0;
    number const left = {x[0], EIG_COMPLEX ? x[ld] : 0};
    geev_view const column = {v, 1, ld, ld};
    multiply_columns(w->t, n, all, v, ld, c);
    for (int64_t j = 0; j < n; ++j) {
        number const f = {-tau * c[j].re, tau * c[j].im}; /* the conjugate */
        add_columns(column, 1, &f, all, w->t.a + j * ld, w->t.im);
    }
    for (int side = 0; side < 2; ++side) {
        geev_view const a = side ? w->q : w->t;
        real *const y = w->work; /* A v */
        for (int64_t k = 0; k < 2 * ld; ++k) y[k] = 0;
        for (int64_t k = 0; k < stay; ++k) c[k] = number_of(column, k, 0);
        add_columns(a, stay, c, all, y, ld);
        geev_view const product = {y, 1, ld, ld};
        for (int64_t j = 0; j < stay; ++j) {
            number const f = {-tau * c[j].re, tau * c[j].im};
            add_columns(product, 1, &f, all, a.a + j * ld, a.im);
        }
    }
    geev_schur h = *w;
    h.hi = stay - 1, h.q = plane_view(room, ld, ld);
    reduce(&h, NULL);
    beside_detail const d = {.v = h.q, .first = 0, .rows = stay};
    multiply_rows(&d, w->q, 0, ld, own_room(w, 0));
    return left;
}

/* Shifts from the window's leading `count` eigenvalues, in pairs, the largest ones first; returns how many. */
static int collect_shifts(const geev_schur *w, int64_t count, bulge_shift *shifts)
{
    int found = 0;
    real one = 0;
    bool waits = false;
    for (int64_t k = 0; k < count; ++k) {
        if (EIG_COMPLEX) {
            shifts[found++] = (bulge_shift){w->re[k], w->re[k], w->im[k]};
        } else if (w->im[k] != 0) {
            shifts[found++] = (bulge_shift){w->re[k], w->re[k], w->im[k]};
            ++k;
        } else {
            if (waits) shifts[found++] = (bulge_shift){one, w->re[k], 0};
            waits = !waits, one = w->re[k];
        }
    }
    if (waits && found == 0) shifts[found++] = (bulge_shift){one, one, 0};
    for (int k = 1; k < found; ++k) {
        bulge_shift const x = shifts[k];
        real const size = fabs(x.re1) + fabs(x.im);
        int at_place = k;
        for (; at_place > 0 && fabs(shifts[at_place - 1].re1) + fabs(shifts[at_place - 1].im) < size; --at_place)
            shifts[at_place] = shifts[at_place - 1];
        shifts[at_place] = x;
    }
    return found;
}

/* Deflates what it can of the last `rows` rows of the window l..i.  Returns how many, -1 where it found nothing out;
 * shifts: of the rest. */
static int64_t deflate_early(const geev_schur *s, int64_t l, int64_t i, int64_t rows, window_solver *solve,
                             bulge_shift *shifts, int *found)
{
    cpu_member alone = {.size = 1};
    int64_t const first = i - rows + 1;
    geev_schur const w = window_of(s, first, rows, &alone);
    number const spike = number_of(s->t, first, first - 1);
    *found = 0;
    if (solve(&w, 30 * GEEV_WINDOW) != 0) return -1;
    real const tiny = REAL_MIN * ((real)s->n / REAL_EPSILON);
    int64_t const stay = sort_window(&w, spike, tiny);
    read_values(&w, stay);
    *found = collect_shifts(&w, stay, shifts);
    if (stay == rows) return 0;
    number const left = stay > 1    ? bring_back(&w, stay, spike, window_room(s)->h)
                        : stay == 1 ? times(spike, conjugate_of(number_of(w.q, 0, 0)))
                                    : (number){0, 0};
    put_window(s, &w, l, first);
    real *const under = s->t.a + first + (first - 1) * s->t.sj;
    under[0] = left.re;
    if (EIG_COMPLEX) under[s->t.im] = left.im;
    return rows - stay;
}

#endif
