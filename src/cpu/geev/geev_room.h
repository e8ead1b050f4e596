/* geev on the CPU, n > 64: the work area of one matrix, which several threads may share.  One function lays it out, to
 * measure it and to use it. */
#ifndef EIG_GEEV_ROOM_H
#define EIG_GEEV_ROOM_H

#include "arena.h"
#include "problem.h"

enum {
    GEEV_PANEL = 32,        /* columns of a panel of the reduction */
    GEEV_CHAIN_ROWS = 48,   /* rows of a chain of bulges, */
    GEEV_SLAB = 48,         /* that go down so many rows at once, */
    GEEV_CHASE_ROWS = 144,  /* within so many, with what aligns them */
    GEEV_WINDOW = 144,      /* most rows of a window whose Schur form is found by itself, */
    GEEV_WINDOW_INNER = 48, /* and of one within a window */
    GEEV_WINDOWS = 2,
    GEEV_STRIP = 32,        /* columns that a product makes at once */
    GEEV_TALL_BYTES = 1536, /* of a column, likewise */
    GEEV_ABREAST = 4        /* vectors of 64 bytes that turns or substitutions go through together */
};

/* Planes of real and imaginary parts follow each other.  NULL while measuring. */
typedef struct geev_window_room {
    int64_t ld;
    void *t, *v, *h; /* T, V, V^H; ld columns each */
    void *vectors;   /* 9 ld */
    int64_t *from;
} geev_window_room;

typedef struct geev_room {
    int64_t ld;           /* distance of two columns in reals: an odd number of blocks of 64 bytes */
    void *t, *q;          /* [n] columns; q: NULL where only eigenvalues are wanted */
    void *vectors;        /* 11 ld reals */
    unsigned char *marks; /* [n]; NULL where only eigenvalues are wanted */
    void *spare;          /* 4 n^2 reals; likewise */
    int64_t *from;        /* [n] */
    void *v, *y, *m, *h;  /* [GEEV_PANEL] columns each: V, Y, M = T' V^H and V^H of a panel */
    void *triangles;      /* T of all panels */
    geev_window_room window[GEEV_WINDOWS];
    void *local, *turns; /* rows and columns around a chain of bulges; its turns */
    char *own;           /* of each thread */
    size_t own_bytes;
} geev_room;

static inline int64_t geev_padded(int64_t n, size_t width)
{
    int64_t const block = 64 / (int64_t)width;
    return ((n + block - 1) / block | 1) * block;
}

static inline size_t geev_most(size_t x, size_t y)
{
    return x > y ? x : y;
}

/* What each thread has for itself: a strip of rows or columns, or a group of eigenvectors. */
static inline size_t geev_own_bytes(int64_t n, bool vectors, size_t parts, size_t width)
{
    size_t const ld = (size_t)geev_padded(n, width) * width, window = (size_t)geev_padded(GEEV_WINDOW, width) * width;
    size_t const turned = parts * GEEV_CHASE_ROWS * GEEV_ABREAST * 64;
    size_t const wide = parts * window * GEEV_STRIP, tall = parts * GEEV_WINDOW * GEEV_TALL_BYTES;
    size_t const panel = parts * GEEV_PANEL * GEEV_STRIP * width;
    size_t const group = GEEV_ABREAST * 64 / width, found = vectors ? 6 * group * ld : 0;
    return arena_rounded(geev_most(geev_most(turned, wide), geev_most(geev_most(tall, panel), found)));
}

static inline void geev_lay_out(arena *a, const geev_problem *p, int threads, geev_room *r)
{
    int64_t const n = p->n;
    size_t const width = type_size(type_real_of(p->type)), parts = type_is_complex(p->type) ? 2 : 1;
    r->ld = geev_padded(n, width);
    size_t const column = (size_t)r->ld * width;
    r->t = arena_take(a, n, parts * column);
    r->q = p->vectors ? arena_take(a, n, parts * column) : NULL;
    r->vectors = arena_take(a, p->vectors ? 11 : 9, column);
    r->marks = p->vectors ? arena_take(a, n, 1) : NULL;
    r->spare = p->vectors ? arena_take(a, n, 4 * (size_t)n * width) : NULL;
    r->from = p->vectors ? (int64_t *)arena_take(a, n, sizeof(int64_t)) : NULL;
    void **const panel[] = {&r->v, &r->y, &r->m, &r->h};
    for (int k = 0; k < 4; ++k) *panel[k] = arena_take(a, GEEV_PANEL, parts * column);
    r->triangles = arena_take(a, n / GEEV_PANEL + 1, parts * GEEV_PANEL * GEEV_PANEL * width);
    for (int k = 0; k < GEEV_WINDOWS; ++k) {
        geev_window_room *const w = &r->window[k];
        int64_t const rows = k == 0 ? GEEV_WINDOW : GEEV_WINDOW_INNER;
        w->ld = geev_padded(rows, width);
        size_t const square = parts * (size_t)w->ld * width;
        w->t = arena_take(a, w->ld, square), w->v = arena_take(a, w->ld, square), w->h = arena_take(a, w->ld, square);
        w->vectors = arena_take(a, 9 * w->ld, width);
        w->from = (int64_t *)arena_take(a, rows, sizeof(int64_t));
    }
    r->local = arena_take(a, GEEV_CHASE_ROWS, parts * (size_t)geev_padded(GEEV_CHASE_ROWS, width) * width);
    r->turns = arena_take(a, GEEV_CHAIN_ROWS * GEEV_SLAB, 5 * width);
    r->own_bytes = geev_own_bytes(n, p->vectors, parts, width);
    r->own = (char *)arena_take(a, threads, r->own_bytes);
}

#endif
