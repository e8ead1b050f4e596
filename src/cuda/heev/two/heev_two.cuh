/* heev on CUDA, one large matrix in two stages: dense to a band of TWO_BAND diagonals on either side
 * (heev_two_band.cuh), the band to tridiagonal form (heev_two.cu).  What their files share.
 *
 * The CPU has the same algorithm in src/cpu/heev/heev_stages_band.h and heev_stages_chase.h. */
#ifndef EIG_HEEV_TWO_CUH
#define EIG_HEEV_TWO_CUH

#include "heev/block/heev_tile.cuh"
#include "heev/heev_matrix.cuh"
#include "heev/heev_reflector.cuh"
#include "primitives/team.cuh"

enum {
    TWO_BAND = 32 /* diagonals; a warp's lanes */,
    TWO_COLUMN = 2 * TWO_BAND /* numbers of a column of the band, from the diagonal on: bulges need as many again */,
    TWO_TILE = 128,           /* rows of the products' tiles: the matrix is padded with zeros to whole ones */
    TWO_TOP = 64,             /* columns of a tile of the update */
    CHASE_SLOTS = 4,          /* sweeps that have slots of their own */
    CHASE_SLOT = TWO_BAND + 8 /* numbers of a slot: TWO_BAND + 1 are used */
};

/* One matrix of order n: its lower triangle at a, column by column.  Its pitch is a multiple of TWO_TILE, and so is the
 * number of its columns; what is more than n is 0. */
struct two_job {
    void *a;
    int64_t pitch;
    int n, k0;           /* the panel's columns k0, ..., k0 + TWO_BAND - 1; k0 is a multiple of TWO_BAND */
    void *v, *w, *z, *x; /* [pitch][TWO_BAND] numbers: rows of V, W, V T, A V T */
    void *parts;         /* [splits][rows][TWO_BAND] numbers: parts of A V T, from the tile with the first row on */
    int splits;          /* of the sums of A V T */
    void *forms, *form;  /* [slices][TWO_BAND][TWO_BAND] numbers: parts of Z^H X; their sum */
    void *dots,
        *tops;     /* [TWO_BAND][blocks][TWO_BAND], [TWO_BAND][TWO_BAND] numbers, of each column of the panel; marks */
    int64_t marks; /* words of 16 bytes of both, one behind the other */
    void *band;    /* [n][TWO_COLUMN] numbers */
    void *d, *e;   /* [n] real */
    void *tau; /* [n] numbers, of the panels' reflectors, which then stay in a, below the band; NULL without vectors */
    void *turns; /* [n] numbers: what the sweeps leave of their columns; sweep k's reflectors stand at the head of a's
                  * column n - 1 - k, from its row k + 1 on.  NULL without vectors */
    int *done;   /* [n] warps' steps that are stored, of each sweep */
    void *slots; /* [CHASE_SLOTS][steps of the first sweep][CHASE_SLOT] numbers that sweeps send; marks */
};

/* The number of another lane. */
NUMBER_WORD NUMBER_R number_of_lane(NUMBER_R x, int lane)
{
    return {__shfl_sync(0xffffffffu, x.re, lane)};
}
NUMBER_WORD NUMBER_Z number_of_lane(NUMBER_Z x, int lane)
{
    return {__shfl_sync(0xffffffffu, x.re, lane), __shfl_sync(0xffffffffu, x.im, lane)};
}

/* A number that another block wrote. */
NUMBER_WORD NUMBER_R fresh(const NUMBER_R *from)
{
    return {__ldcg(&from->re)};
}
NUMBER_WORD NUMBER_Z fresh(const NUMBER_Z *from)
{
    pair_of<real> const both = __ldcg((const pair_of<real> *)from); /* in one piece */
    return {both.x, both.y};
}

/* A number that another block sends, where a mark stands until it comes. */
template <typename real> static __device__ __forceinline__ real awaited_real(const real *at)
{
    real x = poll((const volatile real *)at);
    while (is_mark(x)) x = poll((const volatile real *)at);
    return x;
}
NUMBER_WORD NUMBER_R awaited(const NUMBER_R *at)
{
    return {awaited_real(&at->re)};
}
NUMBER_WORD NUMBER_Z awaited(const NUMBER_Z *at)
{
    return {awaited_real(&at->re), awaited_real(&at->im)};
}

#endif
