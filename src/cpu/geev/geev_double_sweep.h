/* geev on the CPU: double-shift sweeps of a tile of real matrices.  Part of geev_kernels.c. */
#ifndef EIG_GEEV_DOUBLE_SWEEP_H
#define EIG_GEEV_DOUBLE_SWEEP_H

#include "geev_tile.h"

enum { LEAST_WINDOW = 3 }; /* rows of a window that is swept */

/* Sets bit k of bits[t] where in lane t the entry h[k][k-1] may be set to zero; k = 1..last. */
static inline void find_deflations(const tile_state *tile, int last, uint64_t *bits)
{
    int const row = tile->row;
    vreal const tiny = simd_splat((real)(REAL_MIN * ((real)tile->n / REAL_EPSILON)));
    vint low = {0}, high = {0};
    for (int k = 1; k <= last; ++k) {
        const vreal *const d = tile->h + k * row + k; /* h[k][k] */
        vreal const sub = d[-1], upper = d[-row - 1], lower = d[0];
        vreal const beside = simd_abs(d[-row - 2]) + simd_abs(d[row]);
        vint const may = francis_may_deflate_lanes(sub, upper, lower, beside, tiny);
        if (!simd_any(may)) continue;
        vint const does = francis_deflates_lanes(sub, d[-row], upper, lower, beside, tiny);
        if (k < 32)
            low |= does & (int)(1u << k);
        else
            high |= does & (int)(1u << (k - 32));
    }
    for (int t = 0; t < SIMD_LANES; ++t) bits[t] = (uint32_t)low[t] | (uint64_t)(uint32_t)high[t] << 32;
}

/* First column of (H - s1)(H - s2) for the window of each lane that is not finished. */
static inline void start_sweep(const tile_state *tile, vreal *v)
{
    int const row = tile->row;
    vreal entry[9]; /* of the window's head h00, h01, h10, h11, h21, then of the 2 x 2 matrix that gives the shifts */
    for (int t = 0; t < SIMD_LANES; ++t) {
        int const i = tile->i[t], l = (int)tile->l[t];
        francis_step const kind = francis_step_of(tile->steps[t]);
        vreal *const first = tile->h + (i < 0 ? 0 : l * row + l), *const last = tile->h + (i < 0 ? 0 : i * row + i);
        real const h00 = *lane(first, t), h10 = *lane(first + row, t);
        real const h21 = *lane(first + 2 * row + 1, t);
        *lane(entry, t) = h00, *lane(entry + 1, t) = *lane(first + 1, t);
        *lane(entry + 2, t) = h10, *lane(entry + 3, t) = *lane(first + row + 1, t);
        *lane(entry + 4, t) = h21;
        real d11 = 0, d12 = 0, d21 = 0, d22 = 0;
        if (i >= 0) {
            d11 = *lane(last - row - 1, t), d12 = *lane(last - row, t);
            d21 = *lane(last - 1, t), d22 = *lane(last, t);
            if (kind == FRANCIS_AT_BOTTOM)
                TYPED(francis_exceptional)(d22, d21, *lane(last - row - 2, t), &d11, &d12, &d21, &d22);
            else if (kind == FRANCIS_AT_TOP)
                TYPED(francis_exceptional)(h00, h10, h21, &d11, &d12, &d21, &d22);
        }
        *lane(entry + 5, t) = d11, *lane(entry + 6, t) = d12;
        *lane(entry + 7, t) = d21, *lane(entry + 8, t) = d22;
    }
    vreal re1, re2, im;
    francis_shifts_lanes(entry[5], entry[6], entry[7], entry[8], &re1, &re2, &im);
    francis_first_column_lanes(entry[0], entry[1], entry[2], entry[3], entry[4], re1, re2, im, v, v + 1, v + 2);
}

/* A reflector I - tau u u' on rows k..k+2, as x += dot (t0, t1, t2), dot = x0 + u1 x1 + u2 x2. */
typedef struct reflector {
    vreal u1, u2, t0, t1, t2;
} reflector;

SIMD_FN void apply(const reflector *r, vreal *x0, vreal *x1, vreal *x2)
{
    vreal const a = *x0, b = *x1, c = *x2;
    vreal const dot = simd_fma(r->u2, c, simd_fma(r->u1, b, a));
    *x0 = simd_fma(dot, r->t0, a);
    *x1 = simd_fma(dot, r->t1, b);
    *x2 = simd_fma(dot, r->t2, c);
}

/* The reflector of rows k..k+2 (francis_reflector).  In lanes whose window begins at k it makes the bulge from v.  In
 * the other lanes it moves the bulge, b = column k-1 from row k on, out of that column.  Outside a lane's window there
 * is no bulge: b[1] and b[2] are zero, so that the reflector is the identity. */
SIMD_FN reflector next_reflector(tile_state *tile, int k, const vreal *v, const vreal *b)
{
    vreal *const below = tile->h + k * tile->row + k - 1;
    vint const first = tile->l == k;
    reflector r;
    vreal tau, beta;
    francis_reflector_lanes(simd_select(first, v[0], b[0]), simd_select(first, v[1], b[1]),
                            simd_select(first, v[2], b[2]), &r.u1, &r.u2, &tau, &beta);
    below[0] = simd_select(first, b[0], beta);
    below[tile->row] = below[2 * tile->row] = (vreal){0};
    r.t0 = -tau, r.t1 = r.t0 * r.u1, r.t2 = r.t0 * r.u2;
    return r;
}

/* Applies r from both sides to the entries that the reflector of rows k+1..k+3 depends on.  b: these rows of column k,
 * which are not stored. */
SIMD_FN void lead(tile_state *tile, int k, const reflector *r, vreal *b)
{
    int const row = tile->row;
    vreal *const d = tile->h + k * row + k;
    /* Columns k..k+2 of rows k..k+2, of which rows k+1 and k+2 stay in registers. */
    vreal x[2][3];
    for (int j = 0; j < 3; ++j) {
        vreal const top = d[j], mid = d[row + j], end = d[2 * row + j];
        vreal const dot = simd_fma(r->u2, end, simd_fma(r->u1, mid, top));
        d[j] = simd_fma(dot, r->t0, top);
        x[0][j] = simd_fma(dot, r->t1, mid);
        x[1][j] = simd_fma(dot, r->t2, end);
    }
    /* Then rows k+1..k+3 of columns k..k+2; row k+3 has only its subdiagonal entry there. */
    for (int s = 0; s < 2; ++s) {
        vreal const dot = simd_fma(r->u2, x[s][2], simd_fma(r->u1, x[s][1], x[s][0]));
        vreal *const y = d + (s + 1) * row;
        b[s] = simd_fma(dot, r->t0, x[s][0]);
        y[1] = simd_fma(dot, r->t1, x[s][1]);
        y[2] = simd_fma(dot, r->t2, x[s][2]);
    }
    vreal *const y = d + 3 * row, dot = r->u2 * y[2];
    b[2] = dot * r->t0;
    y[1] = dot * r->t1;
    y[2] = simd_fma(dot, r->t2, y[2]);
}

/* Applies reflectors from..to-1 from the right to `rows` rows, which are read and written once. */
SIMD_FN void turn_rows(int const rows, vreal *x, int row, int from, int to, const reflector *turns)
{
    vreal a[4], b[4];
    for (int s = 0; s < rows; ++s) a[s] = x[s * row + from], b[s] = x[s * row + from + 1];
    for (int k = from; k < to; ++k) {
        reflector const r = turns[k];
        for (int s = 0; s < rows; ++s) {
            vreal c = x[s * row + k + 2];
            apply(&r, &a[s], &b[s], &c);
            x[s * row + k] = a[s], a[s] = b[s], b[s] = c;
        }
    }
    for (int s = 0; s < rows; ++s) x[s * row + to] = a[s], x[s * row + to + 1] = b[s];
}

/* Applies the sweep's reflectors from the right to the rows that waited, and to Q. */
static inline void turn_all(tile_state *tile, int from, int to, const reflector *turns)
{
    enum { ROWS = 4 };
    int const n = tile->n, row = tile->row * GEEV_PARTS;
    int s = tile->q ? 0 : from;
    for (; s + ROWS <= to; s += ROWS) {
        /* Row s + k takes no reflector before s + k. */
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

/* A double-shift sweep over rows from..to, the union of all windows.  The entries that the next reflector depends on
 * are updated first, so that its square root and divisions run beside the other updates.  Row s waits for the
 * reflectors from s on, from the right, until the sweep is over: nothing in it reads the row again. */
static inline void sweep(tile_state *tile, int from, int to, const vreal *v)
{
    int const row = tile->row;
    int const end = tile->q ? tile->n - 1 : to;
    vreal *const h = tile->h;
    vreal *const head = h + from * row + from - 1;
    reflector *const turns = (reflector *)tile->turns;
    vreal b[3] = {head[0], head[row], head[2 * row]};
    reflector next = next_reflector(tile, from, v, b);
    for (int k = from; k < to; ++k) {
        reflector const r = turns[k] = next;
        lead(tile, k, &r, b);
        if (k + 1 < to)
            next = next_reflector(tile, k + 1, v, b);
        else
            for (int s = 0; s < 3; ++s) h[(k + 1 + s) * row + k] = b[s];
        vreal *const x0 = h + k * row, *const x1 = x0 + row, *const x2 = x1 + row;
        for (int j = k + 3; j <= end; ++j) apply(&r, x0 + j, x1 + j, x2 + j);
    }
    turn_all(tile, from, to, turns);
}

#endif
