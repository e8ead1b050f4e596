/* geev on the CPU: a tile from its matrices to their results.  Part of geev_kernels.c and geev_narrow.c. */
#ifndef EIG_GEEV_SOLVE_H
#define EIG_GEEV_SOLVE_H

#include "geev_hessenberg.h"
#include "geev_iterate.h"
#include "geev_tile_certify.h"

enum { GEEV_STEPS = 30 };

/* geev_tiles' vectors: those of the widest lanes, whatever the tile's are. */
typedef bool geev_back(const geev_problem *p, int64_t b, const geev_schur *s, cpu_watch *watch);

static void eigenvalues(tile_state *tile)
{
    int const n = tile->n;
    for (int k = 0; k < n; ++k) {
        const vreal *const d = at(tile, k, k);
        tile->re[k] = d[0], tile->im[k] = EIG_COMPLEX ? d[EIG_COMPLEX] : (vreal){0};
    }
    for (int k = 0; k < n - 1 && !EIG_COMPLEX; ++k) {
        vint pair;
        for (int t = 0; t < SIMD_LANES; ++t) pair[t] = -(int)(tile->pairs[t] >> k & 1);
        if (!simd_any(pair)) continue;
        const vreal *const d = at(tile, k, k), *const under = at(tile, k + 1, k);
        vreal re1, re2, im;
        francis_block_lanes(d[0], d[1], under[0], under[1], &re1, &re2, &im);
        tile->re[k] = simd_select(pair, re1, tile->re[k]), tile->re[k + 1] = simd_select(pair, re2, tile->re[k + 1]);
        tile->im[k] = simd_select(pair, im, tile->im[k]), tile->im[k + 1] = simd_select(pair, -im, tile->im[k + 1]);
    }
    vreal const nan = simd_splat((real)NAN);
    for (int k = 0; k < n; ++k) {
        tile->re[k] = simd_select(tile->finite, tile->re[k], nan);
        tile->im[k] = simd_select(tile->finite, tile->im[k], nan);
    }
}

/* Takes arrays from a work area, one after the other, in vectors; NULL while it only measures. */
static vreal *take(vreal **work, int64_t count)
{
    vreal *const array = *work;
    *work += count;
    return array;
}

static tile_state carve(const geev_problem *p, vreal **work)
{
    int const n = (int)p->n;
    int64_t const row = geev_tile_row(n), numbers = (n + 1) * GEEV_PARTS;
    tile_state tile = {.n = n, .row = (int)row, .hi = n - 1};
    tile.max_steps = p->max_steps < GEEV_STEPS ? p->max_steps : GEEV_STEPS;
    take(work, GEEV_PARTS); /* what lies before h[0] is read as zero */
    tile.h = take(work, (n + 2) * row * GEEV_PARTS);
    tile.scale = take(work, n + 1);
    tile.turns = tile.u = take(work, numbers);
    tile.before = take(work, numbers), tile.z = take(work, numbers), tile.y = take(work, numbers);
    tile.tau = take(work, n + 1);
    tile.re = tile.turns, tile.im = tile.re + n + 1;
    if (!p->vectors) return tile;
    tile.q = take(work, n * row * GEEV_PARTS);
    tile.from = (int64_t *)take(work, n * SIMD_LANES * (int64_t)sizeof(int64_t) / SIMD_BYTES);
    return tile;
}

/* Copies lane t's matrix, row-major, to planes. */
static geev_view leave_tile(const tile_state *tile, const vreal *h, int t, real *to)
{
    int const n = tile->n;
    int64_t const ld = geev_column(n), plane = n * ld;
    for (int part = 0; part < GEEV_PARTS; ++part)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) to[i * ld + j + part * plane] = h[(i * tile->row + j) * GEEV_PARTS + part][t];
    geev_view const v = {to, ld, 1, plane};
    return v;
}

/* The vectors, by `back`, or the Schur form, of lane t, which is matrix b.  False: a vector fails its test. */
static bool store_vectors(const geev_problem *p, const tile_state *tile, int t, int64_t b, geev_back *back, vreal *work)
{
    int const n = tile->n;
    int64_t const matrix = n * geev_column(n) * GEEV_PARTS;
    char *const lanes = (char *)(((uintptr_t)work + 63) / 64 * 64);
    real *at_real = (real *)(lanes + 64 * GEEV_BACK_ROWS * n);
    geev_schur s = {.n = n, .hi = n - 1, .from = tile->from + t * n, .lanes = lanes};
    s.t = leave_tile(tile, tile->h, t, at_real), at_real += matrix;
    s.q = leave_tile(tile, tile->q, t, at_real), at_real += matrix;
    s.re = at_real, s.im = s.re + n, s.scale = s.im + n;
    for (int k = 0; k < n; ++k) s.re[k] = tile->re[k][t], s.im[k] = tile->im[k][t], s.scale[k] = tile->scale[k][t];
#if !EIG_COMPLEX
    for (int k = 0; k + 1 < n; ++k)
        if ((tile->pairs[t] >> k & 1) && s.im[k] == 0) TYPED(eig_cpu_geev_split)(&s, k);
#endif
    real const unscale = 1 / tile->factor[t];
    if (!p->schur) {
        geev_problem copy, transposes;
        bool const turned = tile->turned >> t & 1;
        if (turned) p = geev_transposed(p, &transposes);
        TYPED(eig_cpu_geev_settle)(&s, unscale, false);
        s.spare = s.scale + n;
        const geev_problem *const all = geev_with_spare(p, &s, &copy);
        back(all, b, &s, NULL);
        s.x = s.lanes, s.y = s.x + 2 * n, s.work = s.y + 2 * n, s.more = s.work + 2 * n;
        s.marks = (unsigned char *)(s.more + 2 * n);
        bool const good = !p->certify || TYPED(eig_cpu_geev_repair)(all, b, &s, NULL, NULL) == GEEV_GOOD;
        if (turned && good) TYPED(eig_cpu_geev_conjugate)(p, b);
        return good;
    }
    TYPED(eig_cpu_geev_standardise)(&s);
    TYPED(eig_cpu_geev_settle)(&s, unscale, true);
    TYPED(eig_cpu_geev_store)(p, b, s.re, s.im, 1, unscale, EIG_INFO_OK);
    TYPED(eig_cpu_geev_store_schur)(p, b, &s, unscale);
    return true;
}

static inline unsigned solve_tile(const geev_problem *p, int64_t first, int count, geev_back *back, void *work)
{
    vreal *rest = work;
    tile_state tile = carve(p, &rest);
    int const n = tile.n;
    for (int part = 0; part < GEEV_PARTS; ++part) tile.h[-1 - part] = (vreal){0};
    for (int i = 0; i < n; ++i) tile.scale[i] = simd_splat(1);
    for (int k = 0; tile.q && k < SIMD_LANES * n; ++k) tile.from[k] = k % n;
    load(&tile, p, first, count);
    normalise(&tile);
    vint unmoved = ~(vint){0};
    if (p->balance) unmoved = balance_tile(&tile, count, !p->schur);
    if (!p->schur) turn_lanes(&tile, unmoved);
    tile_traces const traces = p->certify ? traces_of_tile(&tile) : (tile_traces){0};
    hessenberg_tile(&tile);
    iterate_tile(&tile, count);
    eigenvalues(&tile);
    if (p->certify) certify_tile(p, &tile, count, &traces);
    for (int t = 0; t < count; ++t) {
        if (tile.failed >> t & 1) continue;
        int const info =
            TYPED(eig_cpu_geev_store)(p, first + t, lane(tile.re, t), lane(tile.im, t), SIMD_LANES, 1 / tile.factor[t],
                                      tile.finite[t] ? EIG_INFO_OK : EIG_INFO_NOT_FINITE);
        if (!p->vectors) continue;
        if (info == EIG_INFO_OK)
            tile.failed |= store_vectors(p, &tile, t, first + t, back, rest) ? 0 : 1u << t;
        else if (p->schur)
            TYPED(eig_cpu_geev_store_schur)(p, first + t, NULL, 1);
        else
            TYPED(eig_cpu_geev_vectors)(p, first + t, NULL, NULL);
    }
    return tile.failed;
}

#endif
