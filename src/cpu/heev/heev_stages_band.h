/* heev on the CPU, values alone of large matrices, first stage: A = Q B Q^H, B a band of WIDTH diagonals on either
 * side.  Part of heev_large.c.
 *
 * WIDTH columns at a time: what lies below the band is V's upper triangle after a QR factorisation, Q = I - V T V^H,
 * and what is right of them becomes
 *
 *     A - V W^H - W V^H,   W = Y T - V N / 2,   Y = A V,   N = T^H (V^H Y) T
 *
 * (C. Bischof, B. Lang and X. Sun, ACM Trans. Math. Softw. 26 (2000)).  All of it but the QR of a few columns is
 * products of blocks: A is read three times for WIDTH columns, where one stage reads it once a column.
 *
 * Layout    V and W by columns, for the last product; V^T and -Y^T by rows of A, so that A, whose triangle serves for
 *           rows and for columns, is the factor of single numbers.
 * Threads   the first one factors; pieces of Y and of the update go to the thread that is free.
 * Bits      a number of Y, W and A is one sum in an order that depends on n alone.
 * Cost      4/3 n^3 + 6 n^2 WIDTH flops (complex: four times as many), 16/3 n^3 / WIDTH numbers from and to memory. */
#ifndef EIG_HEEV_STAGES_BAND_H
#define EIG_HEEV_STAGES_BAND_H

#include "heev_large_reduce.h"

enum {
    WIDTH = HEEV_WIDTH,
    INNER = BLOCK,     /* columns that are factored one by one */
    STRIP_COLUMNS = 8, /* of a product */
    STRETCH = 512,     /* rows of V^T that stay in the cache */
    PIECE_ROWS = 240,  /* of the update: V and W stay in the cache; whole tiles */
    PIECE_COLUMNS = 64
};
_Static_assert(WIDTH % INNER == 0 && STRETCH % STRIP_COLUMNS == 0 && PIECE_ROWS % (3 * BLOCK) == 0, "whole blocks");

/* What the threads share beside the matrix. The squares are column-major, ld WIDTH. */
typedef struct stages {
    panel vw;      /* V, W and V again */
    block vt, yt;  /* V^T and -(A V)^T: a column for each row of A, ld WIDTH */
    block t, tt;   /* T, and its transpose */
    block mt, nt;  /* (V^H Y)^T, and half of N^T */
    block x, y;    /* scratch of a factorisation */
    real *band[2]; /* element (r, c) at r + c*ld */
    int64_t ld;
} stages;

static block take_block(real **rest, int64_t ld, int64_t columns)
{
    block b = {.ld = ld};
    for (int part = 0; part < HEEV_PARTS; ++part) b.part[part] = *rest, *rest += ld * columns;
    return b;
}

/* Lays them out in the heev_stages_reals from *rest on, and clears this thread's share. */
static stages lay_out_stages(large_matrix *m, real *rest)
{
    stages s = {.ld = heev_band_column(sizeof(real))};
    span const mine = share_of(m, heev_stages_reals(m->n, HEEV_PARTS, sizeof(real)), BLOCK);
    memset(rest + mine.first, 0, (size_t)(mine.last - mine.first) * sizeof(real));
    block const vw = take_block(&rest, m->ld, 3 * WIDTH);
    s.vw = (panel){.ld = m->ld, .width = WIDTH, .part = {vw.part[0], vw.part[1]}};
    s.vt = take_block(&rest, WIDTH, m->ld), s.yt = take_block(&rest, WIDTH, m->ld);
    block *const squares[] = {&s.t, &s.tt, &s.mt, &s.nt, &s.x, &s.y};
    _Static_assert(sizeof squares / sizeof *squares == HEEV_SMALL_SQUARES, "room for the squares");
    for (size_t k = 0; k < sizeof squares / sizeof *squares; ++k) *squares[k] = take_block(&rest, WIDTH, WIDTH);
    block const band = take_block(&rest, heev_band_reals(m->n, sizeof(real)), 1);
    for (int part = 0; part < HEEV_PARTS; ++part) s.band[part] = band.part[part];
    return s;
}

/* From (row, column) on. */
static block block_at(block b, int64_t row, int64_t column)
{
    for (int part = 0; part < HEEV_PARTS; ++part) b.part[part] += row + column * b.ld;
    return b;
}

static factor factor_at(block b, int64_t row, int64_t column)
{
    block const from = block_at(b, row, column);
    return (factor){.part = {from.part[0], from.part[1]}, .row = 1, .column = b.ld};
}

static block matrix_block(const large_matrix *m, int64_t row, int64_t column)
{
    return block_at((block){{m->a[0], m->a[1]}, m->ld}, row, column);
}

static block panel_block(const stages *s, int64_t row, int64_t column)
{
    return block_at((block){{s->vw.part[0], s->vw.part[1]}, s->vw.ld}, row, column);
}

static factor panel_factor(const stages *s, int64_t row, int64_t column)
{
    return factor_at((block){{s->vw.part[0], s->vw.part[1]}, s->vw.ld}, row, column);
}

static void clear_block(block b, int64_t rows, int64_t columns)
{
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int64_t j = 0; j < columns; ++j) memset(b.part[part] + j * b.ld, 0, (size_t)rows * sizeof(real));
}

/* to := from^T, a square. */
static void transpose_square(block from, block to, span columns)
{
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int64_t j = columns.first; j < columns.last; ++j)
            for (int64_t i = 0; i < WIDTH; ++i) to.part[part][j + i * WIDTH] = from.part[part][i + j * WIDTH];
}

/* ------------------------------------------------------------ a panel's QR */

static void to_band(const stages *s, int64_t row, int64_t column, real re, real im)
{
    s->band[0][row + column * s->ld] = re;
    if (EIG_COMPLEX) s->band[EIG_COMPLEX][row + column * s->ld] = im;
}

/* Column l of V from column `first` + l of A, whose first element for it is in row `top`. */
static void make_reflector(large_matrix *m, const stages *s, int64_t first, int64_t top, int64_t l)
{
    int64_t const start = block_of(top), rows = m->ld - start;
    real *v[2] = {panel_column(&s->vw, 0, l), EIG_COMPLEX ? panel_column(&s->vw, 1, l) : NULL};
    for (int part = 0; part < HEEV_PARTS; ++part)
        memcpy(v[part] + start, m->a[part] + start + (first + l) * m->ld, (size_t)rows * sizeof(real));
    clear_above(v, start, top);
    wide_sum sum = {0};
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int64_t i = start; i < m->ld; i += BLOCK)
            for (int w = 0; w < WIDE; ++w) sum.v[w] = simd_fma(at(v[part], i)[w], at(v[part], i)[w], sum.v[w]);
    real const x[2] = {v[0][top], EIG_COMPLEX ? v[EIG_COMPLEX][top] : 0};
    reflection const h = reflection_of(total(sum), x);
    m->tau[l] = h.tau;
    to_band(s, top, first + l, -h.norm * h.direction[0], -h.norm * h.direction[1]);
    for (int part = 0; part < HEEV_PARTS; ++part) {
        v[part][top] = h.head[part];
        if (h.tau == 0) memset(v[part] + start, 0, (size_t)rows * sizeof(real));
    }
}

/* x := x - tau v (v^H x) from row `start` on, columns that end at ld. */
static void reflect_column(const large_matrix *m, real *const v[2], real tau, int64_t start, real *const x[2])
{
    wide_sum sum_re = {0}, sum_im = {0};
    for (int64_t i = start; i < m->ld; i += BLOCK)
#pragma GCC unroll 4
        for (int w = 0; w < WIDE; ++w) {
            vreal const vr = at(v[0], i)[w], xr = at(x[0], i)[w];
            sum_re.v[w] = simd_fma(vr, xr, sum_re.v[w]);
            if (!EIG_COMPLEX) continue;
            vreal const vi = at(v[EIG_COMPLEX], i)[w], xi = at(x[EIG_COMPLEX], i)[w];
            sum_re.v[w] = simd_fma(vi, xi, sum_re.v[w]);
            sum_im.v[w] = simd_fma(-vi, xr, simd_fma(vr, xi, sum_im.v[w]));
        }
    vreal const zr = simd_splat(-tau * total(sum_re)), zi = simd_splat(EIG_COMPLEX ? -tau * total(sum_im) : 0);
    for (int64_t i = start; i < m->ld; i += SIMD_LANES) {
        vreal const vr = *at(v[0], i);
        *at(x[0], i) = simd_fma(vr, zr, *at(x[0], i));
        if (!EIG_COMPLEX) continue;
        vreal const vi = *at(v[EIG_COMPLEX], i);
        *at(x[0], i) = simd_fma(-vi, zi, *at(x[0], i));
        *at(x[EIG_COMPLEX], i) = simd_fma(vr, zi, simd_fma(vi, zr, *at(x[EIG_COMPLEX], i)));
    }
}

/* Columns l to l + INNER - 1 of the panel that begins at column `first`: V, and R to the band. `count` columns of all
 * have reflectors. */
static void factor_inner(large_matrix *m, const stages *s, int64_t first, int64_t l, int64_t count)
{
    int64_t const below = first + WIDTH, end = least(l + INNER, count);
    for (int64_t k = l; k < l + INNER; ++k) {
        int64_t const top = below + k;
        if (k >= end) {
            m->tau[k] = 0;
            clear_block(panel_block(s, below, k), m->ld - below, 1);
            continue;
        }
        clear_block(panel_block(s, below, k), k, 1);
        make_reflector(m, s, first, top, k);
        if (m->tau[k] == 0) continue;
        real *const v[2] = {panel_column(&s->vw, 0, k), EIG_COMPLEX ? panel_column(&s->vw, 1, k) : NULL};
        for (int64_t c = k + 1; c < l + INNER; ++c) {
            block const x = matrix_block(m, 0, first + c);
            reflect_column(m, v, m->tau[k], block_of(top), x.part);
        }
    }
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int64_t i = below; i < m->ld; ++i)
            for (int64_t k = l; k < l + INNER; ++k)
                s->vt.part[part][k + (i - below) * WIDTH] = panel_column(&s->vw, part, k)[i];
}

/* T's columns l to l + INNER - 1. */
static void extend_triangle(const large_matrix *m, const stages *s, int64_t below, int64_t l)
{
    block const t = block_at(s->t, 0, l);
    span const columns = {l, l + INNER};
    clear_block(t, WIDTH, INNER);
    /* -conj(V^H V); V's column k begins in row k */
    product_subtract_conjugate(t, l + INNER, INNER, m->ld - below - l, block_at(s->vt, 0, l),
                               panel_factor(s, below + l, l));
    for (int64_t k = 0; k < WIDTH * INNER; ++k) t.part[0][k] = -t.part[0][k];
    make_triangle(s->t, columns, m->tau, WIDTH);
    transpose_square(s->t, s->tt, columns);
}

/* The columns of the panel behind l + INNER meet the reflectors from l on. */
static void reflect_rest(large_matrix *m, const stages *s, int64_t first, int64_t l)
{
    int64_t const below = first + WIDTH, start = below + l, rest = l + INNER, columns = WIDTH - rest;
    if (columns == 0) return;
    clear_block(s->x, INNER, columns), clear_block(s->y, INNER, columns);
    /* x = -conj(V^H C), y = conj(T^H V^H C) */
    product_subtract_conjugate(s->x, INNER, columns, m->ld - start, block_at(s->vt, l, l),
                               factor_at(matrix_block(m, 0, 0), start, first + rest));
    product_subtract(s->y, INNER, columns, INNER, block_at(s->tt, l, l), factor_at(s->x, 0, 0));
    product_subtract_conjugate(matrix_block(m, start, first + rest), m->ld - start, columns, INNER,
                               panel_block(s, start, l), factor_at(s->y, 0, 0));
}

/* Columns `first` to first + WIDTH - 1 of A to the band; V and T, where there is something below it. Returns how many
 * reflectors there are. */
static int64_t factor_panel(large_matrix *m, const stages *s, int64_t first)
{
    int64_t const below = first + WIDTH, count = least(WIDTH, m->n - below - 1);
    for (int64_t c = first; c < least(below, m->n); ++c)
        for (int64_t r = c; r < least(below, m->n); ++r)
            to_band(s, r, c, m->a[0][r + c * m->ld], EIG_COMPLEX && r > c ? m->a[EIG_COMPLEX][r + c * m->ld] : 0);
    for (int64_t l = 0; l < WIDTH && count > 0; l += INNER) {
        factor_inner(m, s, first, l, count);
        extend_triangle(m, s, least(below, m->ld - l), l);
        if (l < count) reflect_rest(m, s, first, l);
    }
    /* R, except for the elements that its reflectors made */
    for (int64_t l = 0; l < WIDTH; ++l)
        for (int64_t r = below; r < least(below + l + 1, m->n); ++r)
            if (r < below + l || l >= count)
                to_band(s, r, first + l, m->a[0][r + (first + l) * m->ld],
                        EIG_COMPLEX ? m->a[EIG_COMPLEX][r + (first + l) * m->ld] : 0);
    return count;
}

/* ------------------------------------------------------------- the rest of A */

/* The Hermitian square of rows and columns from j on, as a factor. */
typedef struct small_square {
    real part[2][STRIP_COLUMNS * STRIP_COLUMNS];
} small_square;

static factor take_square(const large_matrix *m, int64_t j, int64_t count, small_square *square)
{
    for (int64_t c = 0; c < count; ++c)
        for (int64_t r = c; r < count; ++r) {
            int64_t const from = j + r + (j + c) * m->ld, lower = r + c * STRIP_COLUMNS, upper = c + r * STRIP_COLUMNS;
            square->part[0][lower] = square->part[0][upper] = m->a[0][from];
            if (!EIG_COMPLEX) continue;
            real const im = r > c ? m->a[EIG_COMPLEX][from] : 0;
            /* A(j + c, j + r) stands in row r: the sum over k takes its column c from there */
            square->part[1][lower] = -im, square->part[1][upper] = im;
        }
    return (factor){.part = {square->part[0], square->part[1]}, .row = 1, .column = STRIP_COLUMNS};
}

/* -Y^T of rows j to j + count - 1 of A, the terms of rows `from` to `to` - 1 of V. */
static void multiply_strip(const large_matrix *m, const stages *s, int64_t below, int64_t j, int64_t count, span k)
{
    block const y = block_at(s->yt, 0, j - below), v = s->vt;
    block const a = {{m->a[0], m->a[1]}, m->ld};
    int64_t const behind = j + STRIP_COLUMNS;
    if (k.first < j) {
        factor row = factor_at(a, j, k.first);
        row.row = m->ld, row.column = 1, row.ahead = STRIP_COLUMNS;
        product_subtract(y, WIDTH, count, least(k.last, j) - k.first, block_at(v, 0, k.first - below), row);
    }
    if (k.first <= j && j < k.last) {
        small_square square;
        product_subtract(y, WIDTH, count, count, block_at(v, 0, j - below), take_square(m, j, count, &square));
    }
    if (behind < k.last) {
        int64_t const from = k.first > behind ? k.first : behind;
        product_subtract_conjugate(y, WIDTH, count, k.last - from, block_at(v, 0, from - below), factor_at(a, from, j));
    }
}

/* -Y^T = -(A V)^T. */
static void multiply_panel(large_matrix *m, const stages *s, int64_t below)
{
    int64_t const rows = m->n - below, some = rows < 1024 ? 32 : 128;
    cpu_pieces pieces = cpu_team_pieces(m->who, (rows + some - 1) / some);
    if (m->who->rank == 0) clear_block(block_at(s->yt, 0, rows), WIDTH, m->ld - m->n);
    for (int64_t piece; (piece = cpu_team_take(&pieces)) >= 0;) {
        int64_t const first = below + piece * some, last = least(first + some, m->n);
        clear_block(block_at(s->yt, 0, first - below), WIDTH, last - first);
        for (int64_t k = below; k < m->n; k += STRETCH)
            for (int64_t j = first; j < last; j += STRIP_COLUMNS)
                multiply_strip(m, s, below, j, least(STRIP_COLUMNS, last - j), (span){k, least(k + STRETCH, m->n)});
    }
}

/* (V^H Y)^T = Y^T conj(V), this thread's columns. */
static void multiply_form(large_matrix *m, const stages *s, int64_t below)
{
    span const mine = share_of(m, WIDTH, STRIP_COLUMNS);
    int64_t const columns = mine.last - mine.first;
    if (columns == 0) return;
    block const mt = block_at(s->mt, 0, mine.first);
    clear_block(mt, WIDTH, columns);
    for (int64_t k = below; k < m->n; k += STRETCH)
        product_subtract_conjugate(mt, WIDTH, columns, least(STRETCH, m->n - k), block_at(s->yt, 0, k - below),
                                   panel_factor(s, k, mine.first));
}

/* Half of N^T = T^T M^T conj(T). */
static void make_half_form(const stages *s)
{
    clear_block(s->x, WIDTH, WIDTH), clear_block(s->nt, WIDTH, WIDTH);
    product_subtract(s->x, WIDTH, WIDTH, WIDTH, s->tt, factor_at(s->mt, 0, 0));
    product_subtract_conjugate(s->nt, WIDTH, WIDTH, WIDTH, s->x, factor_at(s->t, 0, 0));
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int64_t k = 0; k < WIDTH * WIDTH; ++k) s->nt.part[part][k] *= (real)0.5;
}

/* W^T = T^T Y^T - N^T V^T / 2, this thread's columns; W and V again, by columns. */
static void make_w(large_matrix *m, const stages *s, int64_t below)
{
    enum { SOME = 2 * BLOCK };
    real _Alignas(64) wt[2][WIDTH * SOME];
    span const mine = share_of(m, m->ld - below, BLOCK);
    block const w = {{wt[0], wt[1]}, WIDTH};
    for (int64_t first = mine.first; first < mine.last; first += SOME) {
        int64_t const columns = least(SOME, mine.last - first);
        clear_block(w, WIDTH, columns);
        product_subtract(w, WIDTH, columns, WIDTH, s->tt, factor_at(s->yt, 0, first));
        product_subtract(w, WIDTH, columns, WIDTH, s->nt, factor_at(s->vt, 0, first));
        for (int part = 0; part < HEEV_PARTS; ++part)
            for (int64_t l = 0; l < WIDTH; ++l) {
                int64_t const row = below + first;
                real *const to = panel_column(&s->vw, part, WIDTH + l) + row;
                for (int64_t i = 0; i < columns; ++i) to[i] = wt[part][l + i * WIDTH];
                memcpy(panel_column(&s->vw, part, 2 * WIDTH + l) + row, panel_column(&s->vw, part, l) + row,
                       (size_t)columns * sizeof(real));
            }
    }
}

/* A := A - V W^H - W V^H from column `below` on. What lies above the diagonal is not read again. */
static void update_panel(large_matrix *m, const stages *s, int64_t below)
{
    int64_t count = 0;
    for (int64_t r = below; r < m->n; r += PIECE_ROWS)
        count += (least(r + PIECE_ROWS, m->n) - below + PIECE_COLUMNS - 1) / PIECE_COLUMNS;
    cpu_pieces pieces = cpu_team_pieces(m->who, count);
    int64_t here = 0, mine = cpu_team_take(&pieces);
    for (int64_t r = below; r < m->n; r += PIECE_ROWS) {
        int64_t const end = least(r + PIECE_ROWS, m->ld), last = least(end, m->n);
        for (int64_t c = below; c < last; c += PIECE_COLUMNS, ++here) {
            if (here != mine) continue;
            for (int64_t j = c; j < least(c + PIECE_COLUMNS, last); j += STRIP_COLUMNS) {
                int64_t const start = block_of(j) > r ? block_of(j) : r;
                factor b = panel_factor(s, j, WIDTH);
                b.row = m->ld, b.column = 1;
                product_subtract_conjugate(matrix_block(m, start, j), end - start, least(STRIP_COLUMNS, last - j),
                                           2 * WIDTH, panel_block(s, start, 0), b);
            }
            mine = cpu_team_take(&pieces);
        }
    }
}

/* A to the band. Returns whether to go on. */
static bool reduce_to_band(large_matrix *m, const stages *s, cpu_watch *watch)
{
    span const mine = share_of(m, m->n, 1);
    for (int64_t j = mine.first; j < mine.last; ++j) m->a[0][j + j * m->ld] = m->d[j];
    if (!cpu_team_meet(m->who)) return false;
    for (int64_t first = 0; first < m->n; first += WIDTH) {
        int64_t const below = first + WIDTH;
        double const left = 1 - (double)first / (double)m->n;
        team_goes_on(m, watch, 0.8 * (1 - left * left * left));
        if (m->who->rank == 0) factor_panel(m, s, first);
        if (!cpu_team_meet(m->who)) return false;
        if (below + 1 >= m->n) continue;
        multiply_panel(m, s, below);
        if (!cpu_team_meet(m->who)) return false; /* Y is there */
        multiply_form(m, s, below);
        if (!cpu_team_meet(m->who)) return false;
        if (m->who->rank == 0) make_half_form(s);
        if (!cpu_team_meet(m->who)) return false;
        make_w(m, s, below);
        if (!cpu_team_meet(m->who)) return false;
        update_panel(m, s, below);
        if (!cpu_team_meet(m->who)) return false;
    }
    return true;
}

#endif
