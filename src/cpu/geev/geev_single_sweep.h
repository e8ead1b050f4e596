/* geev on the CPU: single-shift sweeps of a tile of complex matrices.  Part of geev_kernels.c. */
#ifndef EIG_GEEV_SINGLE_SWEEP_H
#define EIG_GEEV_SINGLE_SWEEP_H

#include "geev_tile.h"

enum { LEAST_WINDOW = 2 }; /* rows of a window that is swept */

/* |re| + |im| */
SIMD_FN vreal size_at(const tile_state *tile, int i, int j)
{
    const vreal *const x = at(tile, i, j);
    return simd_abs(x[0]) + simd_abs(x[1]);
}

/* Sets bit k of bits[t] where in lane t the entry h[k][k-1] may be set to zero; k = 1..last. */
static inline void find_deflations(const tile_state *tile, int last, uint64_t *bits)
{
    vreal const tiny = simd_splat((real)(REAL_MIN * ((real)tile->n / REAL_EPSILON)));
    vint low = {0}, high = {0};
    for (int k = 1; k <= last; ++k) {
        vreal const sub = size_at(tile, k, k - 1), upper = size_at(tile, k - 1, k - 1), lower = size_at(tile, k, k);
        vreal const beside = (k > 1 ? size_at(tile, k - 1, k - 2) : (vreal){0}) + size_at(tile, k + 1, k);
        vint const may = francis_may_deflate_lanes(sub, upper, lower, beside, tiny);
        if (!simd_any(may)) continue;
        const vreal *const a = at(tile, k - 1, k - 1), *const d = at(tile, k, k);
        vreal const gap = simd_abs(a[0] - d[0]) + simd_abs(a[1] - d[1]);
        vint const does = francis_negligible_lanes(sub, size_at(tile, k - 1, k), upper, lower, gap, beside, tiny);
        if (k < 32)
            low |= does & (int)(1u << k);
        else
            high |= does & (int)(1u << (k - 32));
    }
    for (int t = 0; t < SIMD_LANES; ++t) bits[t] = (uint32_t)low[t] | (uint64_t)(uint32_t)high[t] << 32;
}

/* A number of lane t. */
SIMD_FN void copy_number(vreal *to, vreal *from, int t)
{
    *lane(to, t) = *lane(from, t), *lane(to + 1, t) = *lane(from + 1, t);
}

/* The shift of each lane that is not finished: start[0] + i start[1]. */
static inline void start_sweep(const tile_state *tile, vreal *start)
{
    vreal block[8] = {{0}}; /* the 2 x 2 matrix that gives the shift */
    for (int t = 0; t < SIMD_LANES; ++t) {
        int const i = tile->i[t], l = (int)tile->l[t];
        if (i < 0) continue;
        francis_step const kind = francis_step_of(tile->steps[t]);
        if (kind == FRANCIS_ORDINARY) {
            for (int k = 0; k < 4; ++k) copy_number(block + 2 * k, at(tile, i - 1 + k / 2, i - 1 + k % 2), t);
            continue;
        }
        /* An exceptional shift is the eigenvalue of a triangular matrix. */
        int const place = kind == FRANCIS_AT_TOP ? l : i, beside = kind == FRANCIS_AT_TOP ? l : i - 1;
        vreal *const sub = at(tile, beside + 1, beside);
        copy_number(block + 6, at(tile, place, place), t);
        *lane(block + 6, t) += (real)0.75 * (fabs(*lane(sub, t)) + fabs(*lane(sub + 1, t)));
    }
    schur_shift_lanes(block, block + 2, block + 4, block + 6, start, start + 1);
}

/* A rotation [c s; -conj(s) c] of rows k and k+1. */
typedef struct rotation {
    vreal c, re, im;
} rotation;

/* (x, y) := G (x, y) */
SIMD_FN void turn_left(const rotation *g, vreal *x, vreal *y)
{
    vreal const a = x[0], b = x[1], c = y[0], d = y[1];
    x[0] = simd_fma(g->re, c, simd_fma(-g->im, d, g->c * a)), x[1] = simd_fma(g->re, d, simd_fma(g->im, c, g->c * b));
    y[0] = simd_fma(-g->re, a, simd_fma(-g->im, b, g->c * c)), y[1] = simd_fma(-g->re, b, simd_fma(g->im, a, g->c * d));
}

/* (x, y) := (x, y) G^H */
SIMD_FN void turn_right(const rotation *g, vreal *x, vreal *y)
{
    vreal const a = x[0], b = x[1], c = y[0], d = y[1];
    x[0] = simd_fma(g->re, c, simd_fma(g->im, d, g->c * a)), x[1] = simd_fma(g->re, d, simd_fma(-g->im, c, g->c * b));
    y[0] = simd_fma(-g->re, a, simd_fma(g->im, b, g->c * c)), y[1] = simd_fma(-g->re, b, simd_fma(-g->im, a, g->c * d));
}

/* Applies rotations from..to-1 from the right to `rows` rows, which are read and written once. */
SIMD_FN void turn_rows(int const rows, vreal *x, int row, int from, int to, const rotation *turns)
{
    vreal a[4][2];
    for (int s = 0; s < rows; ++s) a[s][0] = x[s * row + 2 * from], a[s][1] = x[s * row + 2 * from + 1];
    for (int k = from; k < to; ++k) {
        rotation const g = turns[k];
        for (int s = 0; s < rows; ++s) {
            vreal *const place = x + s * row + 2 * k;
            vreal b[2] = {place[2], place[3]};
            turn_right(&g, a[s], b);
            place[0] = a[s][0], place[1] = a[s][1];
            a[s][0] = b[0], a[s][1] = b[1];
        }
    }
    for (int s = 0; s < rows; ++s) x[s * row + 2 * to] = a[s][0], x[s * row + 2 * to + 1] = a[s][1];
}

/* Applies the sweep's rotations from the right to the rows that waited, and to Q. */
static inline void turn_all(tile_state *tile, int from, int to, const rotation *turns)
{
    enum { ROWS = 4 };
    int const n = tile->n, row = tile->row * GEEV_PARTS;
    int s = tile->q ? 0 : from;
    for (; s + ROWS <= to; s += ROWS) {
        /* Row s + k takes no rotation before s + k. */
        int const first = s + ROWS - 1 > from ? s + ROWS - 1 : from;
        for (int k = 0; k < ROWS; ++k) {
            int const begin = s + k > from ? s + k : from;
            if (begin < first) turn_rows(1, tile->h + (s + k) * row, row, begin, first, turns);
        }
        turn_rows(ROWS, tile->h + s * row, row, first, to, turns);
    }
    for (; s < to; ++s) turn_rows(1, tile->h + s * row, row, s > from ? s : from, to, turns);
    if (!tile->q) return;
    for (s = 0; s + ROWS <= n; s += ROWS) turn_rows(ROWS, tile->q + s * row, row, from, to, turns);
    for (; s < n; ++s) turn_rows(1, tile->q + s * row, row, from, to, turns);
}

/* The rotation of rows k and k+1.  In lanes whose window begins at k it makes the bulge with the shift.  In the other
 * lanes it moves the bulge, b = column k-1 from row k on, out of that column.  Outside a lane's window there is no
 * bulge: the rotation is the identity. */
SIMD_FN rotation next_rotation(tile_state *tile, int k, const vreal *shift, const vreal *b)
{
    vreal *const below = at(tile, k, k - 1), *const d = at(tile, k, k), *const under = at(tile, k + 1, k);
    vint const first = tile->l == k;
    vreal const f_re = simd_select(first, d[0] - shift[0], b[0]), f_im = simd_select(first, d[1] - shift[1], b[1]);
    vreal const g_re = simd_select(first, under[0], b[2]), g_im = simd_select(first, under[1], b[3]);
    rotation g;
    vreal r[2];
    schur_plane_rotation_lanes(f_re, f_im, g_re, g_im, &g.c, &g.re, &g.im, r, r + 1);
    if (k == 0) return g; /* there is no column to the left */
    below[0] = simd_select(first, b[0], r[0]), below[1] = simd_select(first, b[1], r[1]);
    below[tile->row * 2] = below[tile->row * 2 + 1] = (vreal){0};
    return g;
}

/* A sweep over rows from..to, the union of all windows.  The entries that the next rotation depends on are updated
 * first, so that its square roots and divisions run beside the other updates.  Row s waits for the rotations from s on,
 * from the right, until the sweep is over: nothing in it reads the row again. */
static inline void sweep(tile_state *tile, int from, int to, const vreal *shift)
{
    int const end = tile->q ? tile->n - 1 : to, down = 2 * tile->row;
    rotation *const turns = (rotation *)tile->turns;
    vreal b[4] = {{0}};
    if (from > 0)
        for (int k = 0; k < 4; ++k) b[k] = at(tile, from + k / 2, from - 1)[k % 2];
    rotation next = next_rotation(tile, from, shift, b);
    for (int k = from; k < to; ++k) {
        rotation const g = turns[k] = next;
        vreal *const x = at(tile, k, k), *const y = x + down, *const z = y + down;
        turn_left(&g, x, y), turn_left(&g, x + 2, y + 2);
        turn_right(&g, y, y + 2), turn_right(&g, z, z + 2);
        b[0] = y[0], b[1] = y[1], b[2] = z[0], b[3] = z[1];
        if (k + 1 < to) next = next_rotation(tile, k + 1, shift, b);
        for (int j = k + 2; j <= end; ++j) turn_left(&g, at(tile, k, j), at(tile, k + 1, j));
    }
    turn_all(tile, from, to, turns);
}

#endif
