/* geev on CUDA: the driver.  A row of the table of roads (geev_roads.cu) knows the kernels and their arrays.
 *
 * Larger batches go in slices that bound the workspace.  The slices take turns on two streams: the call's own and a
 * second one of the context, which begins after what the call's stream has been given and which the call's stream waits
 * for at the end.  The last tiles of a slice leave multiprocessors idle; the next slice fills them.  Nothing waits on
 * the host, so that a call with a lent workspace can be captured in a graph. */
#include "driver.cuh"
#include "geev/geev_cuda.cuh"

/* Most bytes of the workspace, unless a single matrix needs more.  Large matrices take more, and vectors of those
 * beyond the small kernels, so that there is one matrix at least for each multiprocessor. */
static int64_t most_bytes(const geev_problem *p)
{
    enum { LARGE = 256 };
    return (int64_t)(p->n > (p->vectors ? (int)GEEV_MOST : (int)LARGE) ? 1024 : 256) << 20;
}

enum { STREAMS = 2 }; /* on which slices are under way at a time */

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

/* A slice as the road sees it, and as its certificates do. */
struct slice_pair {
    geev_slice road, certificate;
};

/* Whether there is something to certify when the road has ended: not where a measure of the eigenvalues alone is
 * stored. */
static bool is_certified(const geev_problem *p, const geev_road *road)
{
    return p->certify && p->w && (p->vectors || !road->certifies);
}

/* Makes a slice out of a workspace of `bytes` at most; with base NULL it only measures.  Returns what it takes. */
static size_t layout_slice(const eig_context *ctx, const geev_problem *p, int64_t bytes, void *base, slice_pair *slice)
{
    const geev_road *const road = eig_cuda_geev_road(ctx, p);
    arena a = {(char *)base, 0}, b = {(char *)base, 0};
    slice->road = slice->certificate = geev_slice{};
    slice->road.p = slice->certificate.p = *p;
    int64_t const lefts = left_bytes(p);
    if (lefts > 0) bytes /= 2; /* the other half is theirs */
    road->slice(ctx, road, p->certify ? bytes - bytes / 16 : bytes,
                &slice->road); /* room for `spread`, at most so much */
    if (lefts > 0 && slice->road.count > bytes / lefts) slice->road.count = bytes / lefts;
    /* a query does not know whether w is NULL */
    slice->certificate.count = slice->road.count,
    slice->road.repairs = slice->certificate.repairs = cuda_state_of(ctx)->repairs;
    if (p->certify) {
        eig_cuda_geev_slice_certificate(ctx, bytes, &slice->certificate);
        slice->road.count = slice->certificate.count;
        slice->certificate.own_values = road->certifies;
        carve_spread(&a, &slice->road), carve_spread(&b, &slice->certificate);
        eig_cuda_geev_carve_certificate(&b, &slice->certificate);
    }
    if (lefts > 0) slice->road.lefts = arena_take(&a, slice->road.count, (size_t)lefts);
    road->carve(&a, &slice->road);
    return arena_rounded(a.used > b.used ? a.used : b.used);
}

/* Makes a slice for each stream that is used: one stream where all matrices are one slice.  Returns their workspace. */
static size_t layout(const eig_context *ctx, const geev_problem *p, void *base, slice_pair *slices, int *streams)
{
    size_t const whole = layout_slice(ctx, p, most_bytes(p), base, slices);
    *streams = 1;
    if (slices->road.count == p->batch) return whole;
    size_t each = 0;
    for (*streams = 0; *streams < STREAMS; ++*streams)
        each = layout_slice(ctx, p, most_bytes(p) / STREAMS, base ? (char *)base + *streams * each : NULL,
                            &slices[*streams]);
    return STREAMS * each;
}

/* With vectors, enough for a call with condition numbers and for one without: the query knows not which of them
 * comes. */
size_t eig_cuda_geev_work_size(const eig_context *ctx, const geev_problem *p)
{
    slice_pair slices[STREAMS];
    int streams, wanted; /* condition numbers, by an address alone */
    geev_problem with = *p, without = *p;
    without.condition = NULL, with.condition = p->vectors ? &wanted : NULL;
    size_t const least = layout(ctx, &without, NULL, slices, &streams),
                 other = layout(ctx, &with, NULL, slices, &streams);
    return least > other ? least : other;
}

/* A slice on its stream: the road, then the look at its results. */
static eig_status enqueue_slice(eig_context *ctx, const geev_road *road, const slice_pair &slice, cudaStream_t stream,
                                cuda_clock *clock)
{
    unsigned *const spreads = slice.road.spreads;
    if (spreads) CUDA_TRY(cudaMemsetAsync(spreads, 0, sizeof *spreads, stream));
    eig_status status = road->enqueue(ctx, slice.road, stream, clock);
    if (status == EIG_OK && is_certified(&slice.road.p, road))
        status = eig_cuda_geev_enqueue_certificate(ctx, slice.certificate, stream);
    return status == EIG_OK ? eig_cuda_mark_clock(ctx, clock) : status;
}

/* The whole of a problem on device arrays, slice by slice.  Where times are measured, slices follow one another on one
 * stream. */
static eig_status solve(eig_context *ctx, const geev_problem *p, void *work, cudaStream_t stream, cuda_clock *clock)
{
    const cuda_state *const state = cuda_state_of(ctx);
    const geev_road *const road = eig_cuda_geev_road(ctx, p);
    slice_pair slices[STREAMS];
    int streams;
    layout(ctx, p, work, slices, &streams);
    bool const forks = streams > 1 && !ctx->timing;
    int64_t const most = slices->road.count;
    eig_status status = forks ? cuda_order_streams(ctx, stream, state->side, state->forked) : EIG_OK;
    int at = 0;
    for (int64_t first = 0; first < p->batch && status == EIG_OK; first += most, at = (at + 1) % streams) {
        slice_pair slice = slices[at];
        slice.road.first = slice.certificate.first = first;
        slice.road.count = slice.certificate.count = p->batch - first < most ? p->batch - first : most;
        if (first > 0) status = eig_cuda_read_clock(ctx, clock);
        if (status == EIG_OK) status = eig_cuda_start_clock(ctx, clock, stream);
        if (status == EIG_OK) status = enqueue_slice(ctx, road, slice, forks && at > 0 ? state->side : stream, clock);
    }
    /* Whatever happened, the side stream joins again: a capture could not end without it. */
    eig_status const joined = forks ? cuda_order_streams(ctx, state->side, stream, state->joined) : EIG_OK;
    return status == EIG_OK ? joined : status;
}

/* ----------------------------------------------------------------- host arrays */

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

static size_t chunk_work_size(const eig_context *ctx, const void *problem, int64_t count)
{
    geev_problem q = *(const geev_problem *)problem;
    q.batch = count;
    return eig_cuda_geev_work_size(ctx, &q);
}

static eig_status solve_chunk(eig_context *ctx, const void *problem, const cuda_chunk *chunk)
{
    const geev_problem *const p = (const geev_problem *)problem;
    geev_problem const q = chunk->on_device ? *p : problem_of_chunk(p, chunk);
    return solve(ctx, &q, chunk->work, chunk->stream, chunk->clock);
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

static const char *tell(const eig_context *ctx, const void *problem)
{
    return eig_cuda_geev_told(ctx, (const geev_problem *)problem);
}

static cuda_call list_call(const geev_problem *p)
{
    static const char *const passes[] = {"reduction", "iteration", "plain", "certificate"};
    static const char *const with_vectors[] = {"reduction", "iteration", "plain", "vectors", "certificate"};
    size_t const size = type_size(p->type), complex = type_size(type_complex_of(p->type)),
                 real = type_size(type_real_of(p->type));
    cuda_call call = {"geev", p, p->batch, p->chunk, chunk_work_size, solve_chunk, tell, {4, passes}};
    if (p->vectors) call.passes = {5, with_vectors};
    call.counts = p->certify && p->w, call.repairs = p->repairs;
    call.array[call.arrays++] = input_of(p);
    cuda_add_rows(&call, "x", p->m > 0 ? p->x : NULL, false, p->m, p->stride_x, size);
    cuda_add_rows(&call, "w", p->w, true, p->n, p->stride_w, complex);
    call.array[call.arrays++] = cuda_matrices("vl", p->vl, true, EIG_LAYOUT_MATRIX_WISE, p->n, p->ldvl, p->stride_vl,
                                              p->batch, (int64_t)complex);
    call.array[call.arrays++] = cuda_matrices("vr", p->vr, true, EIG_LAYOUT_MATRIX_WISE, p->n, p->ldvr, p->stride_vr,
                                              p->batch, (int64_t)complex);
    cuda_add_rows(&call, "condition", p->condition, true, p->n, p->stride_w, real);
    cuda_add_rows(&call, "value", p->value, true, 1, 1, real);
    cuda_add_rows(&call, "info", p->info, true, 1, 1, sizeof *p->info);
    return call;
}

/* --------------------------------------------------------------------- driver */

eig_status eig_cuda_geev(eig_context *ctx, const geev_problem *p)
{
    if (p->schur)
        return eig_fail(ctx, EIG_NO_BACKEND, "geev_schur: there is no Schur form on a GPU yet: use a CPU context");
    cuda_scope const scope(ctx);
    cuda_call call = list_call(p);
    return eig_cuda_run(ctx, &call);
}
