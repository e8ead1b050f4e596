/* geev on CUDA: slices of a batch, and the arrays in the workspace that the roads of geev_roads.cu share. */
#ifndef EIG_GEEV_SLICES_CUH
#define EIG_GEEV_SLICES_CUH

#include "geev/geev_cuda.cuh"

enum {
    SECOND_ATTEMPTS = 16, /* blocks of the plain solver that follow the fast kernels */
    WARP = 32
};

#define ALL_OF(type)                                                                                          \
    eig_cuda_geev_blocks_##type, eig_cuda_geev_blocks_area_##type, eig_cuda_geev_blocks_fit_##type,           \
        eig_cuda_geev_schur_##type, eig_cuda_geev_schur_bytes_##type, eig_cuda_geev_inverse_##type,           \
        eig_cuda_geev_large_vectors_##type, eig_cuda_geev_large_fit_##type, eig_cuda_geev_large_sizes_##type, \
        eig_cuda_geev_certify_##type, eig_cuda_geev_second_##type, eig_cuda_geev_second_bytes_##type
#define REAL_OF(type, lead)                                                                                       \
    {                                                                                                             \
        NULL, NULL, eig_cuda_geev_small_##type, eig_cuda_geev_prepare_##type, eig_cuda_geev_block_prepare_##type, \
            eig_cuda_geev_block_##type, eig_cuda_geev_swb_##type, eig_cuda_geev_mwb_##type, lead,                 \
            eig_cuda_geev_plain_##type, ALL_OF(type)                                                              \
    }
#define COMPLEX_OF(type)                                                                                          \
    {                                                                                                             \
        eig_cuda_geev_reduce_##type, eig_cuda_geev_single_##type, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
            ALL_OF(type)                                                                                          \
    }
static const geev_kernels kernels[] = {REAL_OF(s, NULL), REAL_OF(d, eig_cuda_geev_lead), COMPLEX_OF(c), COMPLEX_OF(z)};

static const geev_kernels *kernels_of(const geev_problem *p)
{
    return &kernels[type_index(p->type)];
}

/* The work areas of a plain solver, of `area` bytes each: `blocks` of them, or as many as there are matrices, or as fit in
 * `bytes`. */
static void slice_areas(const geev_problem *p, size_t area, int64_t blocks, int64_t bytes, geev_slice *slice)
{
    slice->plain_bytes = area;
    int64_t const fit = bytes / (int64_t)slice->plain_bytes;
    int64_t const most = blocks < fit ? blocks : fit;
    slice->plain_blocks = (int)(most > p->batch ? p->batch : most > 1 ? most : 1);
}

static void carve_areas(arena *a, geev_slice *slice)
{
    slice->plain = arena_take(a, slice->plain_blocks, slice->plain_bytes);
}

/* As many matrices as fit in `bytes`, with `each` bytes a matrix. */
static void slice_matrices(const geev_problem *p, int64_t each, int64_t bytes, geev_slice *slice)
{
    slice_areas(p, geev_plain_bytes(p), SECOND_ATTEMPTS, bytes, slice);
    int64_t const others = slice->plain_blocks * (int64_t)slice->plain_bytes + 8 * EIG_ALIGNMENT;
    int64_t const fit = (bytes - others) / each / WARP * WARP;
    slice->count = fit < p->batch ? fit : p->batch;
}

static void carve_list(arena *a, geev_slice *slice)
{
    slice->failed = (int64_t *)arena_take(a, slice->count, sizeof *slice->failed);
    slice->queue = (geev_queue *)arena_take(a, 1, sizeof *slice->queue);
}

/* ------------------------------------------------------ vectors of larger matrices */

static bool has_large_vectors(const geev_problem *p)
{
    return p->vectors && p->n > GEEV_MOST && p->method != EIG_GEEV_REFERENCE;
}

/* Bounds slice->count, and sets the sizes of what vectors need, for a workspace of about `bytes`. */
static void slice_large_vectors(const eig_context *ctx, int64_t bytes, geev_slice *slice)
{
    enum { SLABS_EACH = 2 }; /* blocks with a slab each on a multiprocessor */
    const geev_problem *const p = &slice->p;
    if (!has_large_vectors(p)) return;
    kernels_of(p)->large_sizes(p->n, &slice->form_bytes, &slice->slab_bytes);
    int64_t const slabs = (p->n + GEEV_SLAB - 1) / GEEV_SLAB,
                  each = (int64_t)(slice->form_bytes + sizeof *slice->reduced + sizeof *slice->vector_groups +
                                   sizeof *slice->failed);
    int64_t const share = bytes / 4 / (int64_t)slice->slab_bytes,
                  useful = SLABS_EACH * (int64_t)cuda_state_of(ctx)->multiprocessors,
                  blocks = share < useful ? share > 1 ? share : 1 : useful;
    int64_t const fit = (bytes - blocks * (int64_t)slice->slab_bytes - 16 * EIG_ALIGNMENT) / each;
    if (fit < slice->count) slice->count = fit > 1 ? fit : 1;
    slice->slab_blocks = (int)(blocks < slice->count * slabs ? blocks : slice->count * slabs);
    slice->again_bytes = arena_rounded(kernels_of(p)->schur_bytes(p, 0));
    int64_t const again = bytes / (int64_t)slice->again_bytes,
                  second = SECOND_ATTEMPTS < again ? (int64_t)SECOND_ATTEMPTS : again;
    slice->again_blocks = (int)(second > slice->count ? slice->count : second > 1 ? second : 1);
}

/* Their arrays, which follow those of the eigenvalues, in the place of these: from `from` on. */
static void carve_large_vectors(arena *a, size_t from, geev_slice *slice)
{
    if (!has_large_vectors(&slice->p)) return;
    size_t most = a->used;
    a->used = from;
    slice->reduced = (geev_reduced *)arena_take(a, slice->count, sizeof *slice->reduced);
    slice->vector_groups = (geev_group *)arena_take(a, slice->count, sizeof *slice->vector_groups);
    slice->forms = arena_take(a, slice->count, slice->form_bytes);
    slice->slabs = arena_take(a, slice->slab_blocks, slice->slab_bytes);
    if (most < a->used) most = a->used;
    a->used = from;
    slice->again = arena_take(a, slice->again_blocks, slice->again_bytes);
    if (a->used < most) a->used = most;
}

#endif
