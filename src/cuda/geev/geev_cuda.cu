/* geev on CUDA: what its driver (driver.cuh) needs to know: slices, certificates, the arrays of a call.  A row of the
 * table of roads (geev_roads.cu) knows the kernels and their arrays.
 *
 * Slices take turns on two streams.  Nothing waits on the host, so that a call with a lent workspace can be captured in
 * a graph. */
#include "driver.cuh"
#include "geev/geev_cuda.cuh"

/* Most bytes of the workspace, unless a single matrix needs more.  Large matrices take more, and vectors of those
 * beyond the small kernels, so that there is one matrix at least for each multiprocessor. */
static int64_t most_bytes(const geev_problem *p)
{
    enum { LARGE = 256 };
    return (int64_t)(p->n > (p->vectors ? (int)GEEV_MOST : (int)LARGE) ? 1024 : 256) << 20;
}

/* Where vectors are to be looked at, and which: it stays from the road to its certificate. */
static void carve_spread(arena *a, geev_slice *slice)
{
    if (!slice->p.certify || !slice->p.vectors) return;
    slice->spreads = (unsigned *)arena_take(a, 1, sizeof *slice->spreads);
    slice->spread = (int *)arena_take(a, slice->count, sizeof *slice->spread);
}

/* Bytes of a small matrix's left vectors, which its condition numbers need. */
static int64_t left_bytes(const geev_problem *p)
{
    return p->condition && p->n <= GEEV_MOST ? p->n * p->n * (int64_t)type_size(type_complex_of(p->type)) : 0;
}

/* Whether there is something to certify when the road has ended: not where a measure of the eigenvalues alone is
 * stored. */
static bool is_certified(const geev_problem *p, const geev_road *road)
{
    return p->certify && p->w && (p->vectors || !(road->has & GEEV_CERTIFIES_VALUES));
}

static size_t layout(const eig_context *ctx, const geev_problem *p, void *base, geev_slice *slice)
{
    const geev_road *const road = eig_cuda_geev_road(ctx, p);
    arena a = {(char *)base, 0}, b = {(char *)base, 0};
    int64_t const lefts = left_bytes(p),
                  bytes = lefts > 0 ? slice->bytes / 2 : slice->bytes; /* theirs: the other half */
    slice->p = *p, slice->repairs = cuda_state_of(ctx)->repairs;
    slice->bytes = p->certify ? bytes - bytes / 16 : bytes; /* room for `spread`, at most so much */
    road->slice(ctx, p, slice);
    if (lefts > 0 && slice->count > bytes / lefts) slice->count = bytes / lefts;
    /* a query does not know whether w is NULL */
    if (p->certify) {
        eig_cuda_geev_slice_certificate(ctx, bytes, slice);
        slice->own_values = road->has & GEEV_CERTIFIES_VALUES;
        carve_spread(&a, slice);
        b = a;
        eig_cuda_geev_carve_certificate(&b, slice);
    }
    if (lefts > 0) slice->lefts = arena_take(&a, slice->count, (size_t)lefts);
    road->carve(&a, ctx, p, slice);
    return arena_rounded(a.used > b.used ? a.used : b.used);
}

/* The road, then the look at its results. */
static eig_status enqueue(eig_context *ctx, const geev_slice &slice, cudaStream_t stream, cuda_clock *clock)
{
    const geev_road *const road = eig_cuda_geev_road(ctx, &slice.p);
    if (slice.spreads) CUDA_TRY(cudaMemsetAsync(slice.spreads, 0, sizeof *slice.spreads, stream));
    eig_status status = road->enqueue(ctx, slice, stream, clock);
    if (status == EIG_OK && is_certified(&slice.p, road))
        status = eig_cuda_geev_enqueue_certificate(ctx, slice, stream);
    return status == EIG_OK ? eig_cuda_mark_clock(ctx, clock) : status;
}

/* --------------------------------------------------------------------- arrays */

/* The arrays of a call, as they stand in a chunk. */
enum { ARRAY_A, ARRAY_X, ARRAY_W, ARRAY_VL, ARRAY_VR, ARRAY_CONDITION, ARRAY_VALUE, ARRAY_INFO };

/* The problem that a chunk holds: its arrays are dense device arrays. */
static geev_problem problem_of_chunk(const geev_problem *p, const cuda_chunk *chunk)
{
    geev_problem q = *p;
    q.batch = chunk->count;
    q.a = chunk->array[ARRAY_A], q.x = chunk->array[ARRAY_X];
    q.w = chunk->array[ARRAY_W], q.value = chunk->array[ARRAY_VALUE], q.info = (int *)chunk->array[ARRAY_INFO];
    q.vl = chunk->array[ARRAY_VL], q.vr = chunk->array[ARRAY_VR], q.condition = chunk->array[ARRAY_CONDITION];
    q.ldvl = q.ldvr = p->n, q.stride_vl = q.stride_vr = p->n * p->n;
    q.lda = p->n, q.stride_x = p->m, q.stride_w = p->n;
    q.stride_a = cuda_dense_stride(p->layout, p->n, chunk->count);
    return q;
}

/* The matrices of the batch; the affine family's m + 1 are shared by all of its points, and lie matrix-wise. */
static cuda_array input_of(const geev_problem *p)
{
    int64_t const size = (int64_t)type_size(p->type);
    if (!p->affine) return cuda_matrices("a", p->a, false, p->layout, p->n, p->lda, p->stride_a, p->batch, size);
    cuda_array a = cuda_matrices("a", p->a, false, EIG_LAYOUT_MATRIX_WISE, p->n, p->lda, p->stride_a, p->m + 1, size);
    a.batch_level = CUDA_SHARED;
    return a;
}

static void list_call(const geev_problem *p, const geev_road *road, cuda_call *call)
{
    static const char *const passes[] = {"reduction", "iteration", "plain", "certificate"};
    size_t const size = type_size(p->type), complex = type_size(type_complex_of(p->type)),
                 real = type_size(type_real_of(p->type));
    call->chunk = p->chunk;
    call->passes = p->vectors ? road->passes : cuda_passes{4, passes};
    call->counts = p->certify && p->w, call->repairs = p->repairs;
    call->array[call->arrays++] = input_of(p);
    cuda_add_rows(call, "x", p->m > 0 ? p->x : NULL, false, p->m, p->stride_x, size);
    cuda_add_rows(call, "w", p->w, true, p->n, p->stride_w, complex);
    call->array[call->arrays++] = cuda_matrices("vl", p->vl, true, EIG_LAYOUT_MATRIX_WISE, p->n, p->ldvl, p->stride_vl,
                                                p->batch, (int64_t)complex);
    call->array[call->arrays++] = cuda_matrices("vr", p->vr, true, EIG_LAYOUT_MATRIX_WISE, p->n, p->ldvr, p->stride_vr,
                                                p->batch, (int64_t)complex);
    cuda_add_rows(call, "condition", p->condition, true, p->n, p->stride_w, real);
    cuda_add_rows(call, "value", p->value, true, 1, 1, real);
    cuda_add_rows(call, "info", p->info, true, 1, 1, sizeof *p->info);
}

/* --------------------------------------------------------------------- driver */

static constexpr cuda_family<geev_problem, geev_slice> family = {
    "geev", eig_cuda_geev_road, most_bytes, layout, enqueue, eig_cuda_geev_work_size, list_call, problem_of_chunk, 2};

/* With vectors, enough for a call with condition numbers and for one without: the query knows not which of them
 * comes. */
size_t eig_cuda_geev_work_size(const eig_context *ctx, const geev_problem *p)
{
    int wanted; /* condition numbers, by an address alone */
    geev_problem with = *p, without = *p;
    without.condition = NULL, with.condition = p->vectors ? &wanted : NULL;
    size_t const least = cuda_work_size(family, ctx, &without), other = cuda_work_size(family, ctx, &with);
    return least > other ? least : other;
}

eig_status eig_cuda_geev(eig_context *ctx, const geev_problem *p)
{
    if (p->schur)
        return eig_fail(ctx, EIG_NO_BACKEND, "geev_schur: there is no Schur form on a GPU yet: use a CPU context");
    return cuda_drive<family>(ctx, p);
}
