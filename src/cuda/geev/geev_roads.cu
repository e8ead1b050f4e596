/* geev on CUDA: the table of roads.  The first row that serves a call takes it; docs/maintainers/cuda/geev.md has the
 * table too. */
#include "cuda/crossovers.h"
#include "geev/geev_cuda.cuh"

/* ---------------------------------------------------------------- slices of a batch, and the arrays that the roads
 * share */

enum {
    SECOND_ATTEMPTS = 16, /* blocks of the plain solver that follow the fast kernels */
    WARP = 32
};

static const geev_kernels kernels[] = {{GEEV_KERNELS(CUDA_OF_S, CUDA_OF_S, CUDA_OF_NONE)},
                                       {GEEV_KERNELS(CUDA_OF_D, CUDA_OF_D, CUDA_OF_NONE)},
                                       {GEEV_KERNELS(CUDA_OF_C, CUDA_OF_NONE, CUDA_OF_C)},
                                       {GEEV_KERNELS(CUDA_OF_Z, CUDA_OF_NONE, CUDA_OF_Z)}};

static const geev_kernels *kernels_of(const geev_problem *p)
{
    return &kernels[type_index(p->type)];
}

/* The work areas of a plain solver, of `area` bytes each: `blocks` of them, or as many as there are matrices, or as fit
 * in slice->bytes. */
static void slice_areas(const geev_problem *p, size_t area, int64_t blocks, geev_slice *slice)
{
    slice->plain_bytes = area;
    int64_t const fit = slice->bytes / (int64_t)slice->plain_bytes;
    int64_t const most = blocks < fit ? blocks : fit;
    slice->plain_blocks = (int)(most > p->batch ? p->batch : most > 1 ? most : 1);
}

static void carve_areas(arena *a, geev_list_work *list)
{
    list->plain = arena_take(a, list->plain_blocks, list->plain_bytes);
}

/* As many matrices as fit in slice->bytes, with `each` bytes a matrix. */
static void slice_matrices(const geev_problem *p, int64_t each, geev_slice *slice)
{
    slice_areas(p, geev_plain_bytes(p), SECOND_ATTEMPTS, slice);
    int64_t const others = slice->plain_blocks * (int64_t)slice->plain_bytes + 8 * EIG_ALIGNMENT;
    int64_t const fit = (slice->bytes - others) / each / WARP * WARP;
    slice->count = fit < p->batch ? fit : p->batch;
}

static void carve_list(arena *a, int64_t count, geev_list_work *list)
{
    list->failed = (int64_t *)arena_take(a, count, sizeof *list->failed);
    list->queue = (geev_queue *)arena_take(a, 1, sizeof *list->queue);
}

/* ------------------------------------------------------ vectors of larger matrices */

static bool has_large_vectors(const geev_problem *p)
{
    return p->vectors && p->n > GEEV_MOST && p->method != EIG_GEEV_REFERENCE;
}

/* Bounds slice->count, and sets the sizes of what vectors need, for a workspace of about slice->bytes. */
static void slice_large_vectors(const eig_context *ctx, const geev_problem *p, geev_slice *slice)
{
    enum { SLABS_EACH = 2 }; /* blocks with a slab each on a multiprocessor */
    int64_t const bytes = slice->bytes;
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

enum { PLAIN_EACH = 2 /* blocks of the plain solver on a multiprocessor where it takes the whole batch */ };

/* Whether the table has a row for the call. */
static bool chooses(const crossover *table, const geev_problem *p)
{
    return crosses(table, p->type, p->vectors, p->n, p->all);
}

/* The number in the first such row; 0: there is none. */
static int chosen(const crossover *table, const geev_problem *p)
{
    const crossover *const row = crossover_of(table, p->type, p->vectors, p->n, p->all);
    return row ? row->value : 0;
}

/* ------------------------------------------------------ vectors of larger matrices */

static eig_status enqueue_large_vectors(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    eig_status const status = kernels_of(&slice.p)->large_vectors(ctx, slice, stream);
    if (status != EIG_OK) return status;
    geev_slice again = slice;
    again.plain = slice.again, again.plain_bytes = slice.again_bytes, again.plain_blocks = slice.again_blocks;
    return kernels_of(&slice.p)->schur(ctx, 0, again, GEEV_LISTED, stream);
}

/* ---------------------------------------------------------------------- certificates
 *
 * They begin where the road has ended, in its workspace. */

/* x^H A of both sides of a matrix. */
static int64_t rows_bytes(const geev_problem *p)
{
    return 2 * p->n * (int64_t)type_size(type_complex_of(p->type));
}

/* Sets the number of second attempts that run at once, and bounds slice->count. */
void eig_cuda_geev_slice_certificate(const eig_context *ctx, int64_t bytes, geev_slice *slice)
{
    enum {
        EACH = 2,
        PARTS = 32,
        ROWS = 64
    }; /* blocks on a multiprocessor; parts of a matrix, and rows of each, at least */
    const geev_problem *const p = &slice->p;
    int64_t const multiprocessors = cuda_state_of(ctx)->multiprocessors;
    int64_t const share = multiprocessors / p->batch, useful = p->n / ROWS,
                  most = share < PARTS ? share : (int64_t)PARTS;
    bool const small = p->n <= GEEV_CERTIFY_SMALL;
    slice->parts = (int)(small || most < 2 || useful < 2 ? 1 : most < useful ? most : useful);
    slice->doubts.plain_bytes = kernels_of(p)->second_bytes(p);
    int64_t each = (int64_t)sizeof *slice->failed;
    if (p->vectors) each += (int64_t)sizeof *slice->spread + (small ? (int64_t)sizeof *slice->marks : rows_bytes(p));
    if (!small)
        each += (int64_t)(sizeof *slice->certificates + (size_t)slice->parts * GEEV_SUMS * sizeof *slice->partials);
    int64_t const rest = bytes - bytes / 64, area = (int64_t)slice->doubts.plain_bytes,
                  fit = (rest - area) / each / WARP * WARP, one = fit > 1 ? fit : 1;
    if (slice->count > one) slice->count = one;
    int64_t const areas = (rest - slice->count * each) / area, blocks = EACH * multiprocessors,
                  wanted = slice->count < blocks ? slice->count : blocks;
    slice->doubts.plain_blocks = (int)(areas < 1 ? 1 : areas < wanted ? areas : wanted);
}

void eig_cuda_geev_carve_certificate(arena *a, geev_slice *slice)
{
    bool const small = slice->p.n <= GEEV_CERTIFY_SMALL;
    carve_list(a, slice->count, &slice->doubts);
    if (slice->p.vectors && small) slice->marks = (int *)arena_take(a, slice->count, sizeof *slice->marks);
    if (slice->p.vectors && !small) slice->rows = arena_take(a, slice->count, (size_t)rows_bytes(&slice->p));
    if (!small) {
        slice->certificates = (geev_certificate *)arena_take(a, slice->count, sizeof *slice->certificates);
        slice->partials = (double *)arena_take(a, slice->count * slice->parts * GEEV_SUMS, sizeof *slice->partials);
    }
    carve_areas(a, &slice->doubts);
}

eig_status eig_cuda_geev_enqueue_certificate(eig_context *ctx, const geev_slice &done, cudaStream_t stream)
{
    const geev_kernels *const k = kernels_of(&done.p);
    geev_slice slice = done;
    static_cast<geev_list_work &>(slice) = done.doubts;
    CUDA_TRY(cudaMemsetAsync(slice.queue, 0, sizeof *slice.queue, stream));
    eig_status const status = k->certify(ctx, slice, stream);
    return status == EIG_OK ? k->second(ctx, slice, stream) : status;
}

/* ---------------------------------------------- schur: complex matrices; eigenvectors */

/* Lanes a matrix of the kernels that keep it in shared memory, as many as measured best; 0: none, or not wanted. */
static int schur_threads(const eig_context *ctx, const geev_problem *p)
{
    if (p->n > GEEV_MOST || p->method == EIG_GEEV_REFERENCE) return 0;
    int threads = chosen(geev_lanes, p);
    size_t const most = (size_t)cuda_state_of(ctx)->shared_bytes;
    while (threads < 32 && kernels_of(p)->schur_bytes(p, threads) > most) threads *= 2;
    return kernels_of(p)->schur_bytes(p, threads) <= most ? threads : 0;
}

static bool is_schur(const eig_context *ctx, const geev_problem *p)
{
    return type_is_complex(p->type) && schur_threads(ctx, p) > 0;
}

static bool are_blocks_enough(const eig_context *ctx, const geev_problem *p)
{
    return p->n > GEEV_MOST && p->method != EIG_GEEV_REFERENCE && kernels_of(p)->blocks_fit(ctx, p->n);
}

static bool is_schur_reference(const eig_context *ctx, const geev_problem *p)
{
    bool const large = has_large_vectors(p) && kernels_of(p)->large_fit(ctx, p->n),
               alone = type_is_complex(p->type) && (p->vectors || !are_blocks_enough(ctx, p));
    return !large && (alone || (p->vectors && schur_threads(ctx, p) == 0));
}

static void slice_schur(const eig_context *, const geev_problem *p, geev_slice *slice)
{
    int64_t const fit = (slice->bytes - 8 * EIG_ALIGNMENT) / (int64_t)sizeof *slice->failed;
    slice->count = fit < p->batch ? fit : p->batch;
}

static void carve_schur(arena *a, const eig_context *, const geev_problem *p, geev_slice *slice)
{
    if (p->vectors) carve_list(a, slice->count, slice);
}

static void carve_plain(arena *a, const eig_context *, const geev_problem *, geev_slice *slice)
{
    carve_areas(a, slice);
}

static void slice_schur_reference(const eig_context *ctx, const geev_problem *p, geev_slice *slice)
{
    size_t const area = arena_rounded(kernels_of(p)->schur_bytes(p, 0));
    slice_areas(p, area, (int64_t)PLAIN_EACH * cuda_state_of(ctx)->multiprocessors, slice);
    slice->count = p->batch;
}

/* Marks passes that have nothing to do. */
static eig_status mark_passes(eig_context *ctx, cuda_clock *clock, int count)
{
    eig_status status = EIG_OK;
    for (int k = 0; k < count && status == EIG_OK; ++k) status = eig_cuda_mark_clock(ctx, clock);
    return status;
}

/* The whole call in pass `pass`, in lanes or in blocks. */
static eig_status enqueue_whole(eig_context *ctx, const geev_slice &slice, cudaStream_t stream, cuda_clock *clock,
                                int threads, int pass)
{
    eig_status status = mark_passes(ctx, clock, pass);
    if (status == EIG_OK) status = kernels_of(&slice.p)->schur(ctx, threads, slice, GEEV_ALL, stream);
    return status == EIG_OK ? mark_passes(ctx, clock, (slice.p.vectors ? 4 : 3) - pass) : status;
}

/* The vectors of eigenvalues that are there; matrices for which inverse iteration is not enough go the other way. */
static eig_status enqueue_vectors(eig_context *ctx, const geev_slice &slice, cudaStream_t stream, cuda_clock *clock)
{
    const geev_kernels *const k = kernels_of(&slice.p);
    int const threads = schur_threads(ctx, &slice.p);
    CUDA_TRY(cudaMemsetAsync(slice.queue, 0, sizeof *slice.queue, stream));
    bool const large = slice.p.n > GEEV_MOST;
    eig_status status = large ? enqueue_large_vectors(ctx, slice, stream) : k->inverse(ctx, slice, stream);
    if (status == EIG_OK && !large) status = k->schur(ctx, threads, slice, GEEV_LISTED, stream);
    return status == EIG_OK ? eig_cuda_mark_clock(ctx, clock) : status;
}

/* Small matrices as a whole; of larger ones eigenvalues, which alone take half the memory and half the work, then
 * vectors. */
static eig_status enqueue_schur(eig_context *ctx, const geev_slice &slice, cudaStream_t stream, cuda_clock *clock)
{
    int const threads = schur_threads(ctx, &slice.p);
    if (!slice.p.vectors || threads > 0) return enqueue_whole(ctx, slice, stream, clock, threads, 1);
    geev_slice values = slice;
    values.p.vectors = false;
    eig_status const status = enqueue_whole(ctx, values, stream, clock, threads, 1);
    return status == EIG_OK ? enqueue_vectors(ctx, slice, stream, clock) : status;
}

static eig_status enqueue_schur_reference(eig_context *ctx, const geev_slice &slice, cudaStream_t stream,
                                          cuda_clock *clock)
{
    return enqueue_whole(ctx, slice, stream, clock, 0, 2);
}

static bool is_schur_large(const eig_context *ctx, const geev_problem *p)
{
    return type_is_complex(p->type) && !are_blocks_enough(ctx, p);
}

static void slice_schur_large(const eig_context *ctx, const geev_problem *p, geev_slice *slice)
{
    geev_problem values = *p; /* where eigenvalues are found */
    values.vectors = false;
    slice_schur_reference(ctx, &values, slice);
    slice_large_vectors(ctx, p, slice);
}

static void carve_large(arena *a, const eig_context *, const geev_problem *p, geev_slice *slice)
{
    if (has_large_vectors(p)) carve_list(a, slice->count, slice);
    size_t const from = a->used;
    carve_areas(a, slice);
    carve_large_vectors(a, from, slice);
}

/* ------------------------------------------------------- single: complex matrices */

static bool is_single(const eig_context *ctx, const geev_problem *p)
{
    if (!chooses(geev_single, p) || p->n > GEEV_SINGLE || p->method == EIG_GEEV_REFERENCE) return false;
    if (p->n <= GEEV_MOST && schur_threads(ctx, p) == 0) return false;
    if (has_large_vectors(p) && !kernels_of(p)->large_fit(ctx, p->n)) return false;
    geev_problem kept = *p;
    kept.vectors = geev_keeps_forms(p); /* then a block has more than the matrix in shared memory */
    return kernels_of(p)->schur_bytes(&kept, WARP) + GEEV_SCALARS <= (size_t)cuda_state_of(ctx)->shared_bytes;
}

static void slice_single(const eig_context *ctx, const geev_problem *p, geev_slice *slice)
{
    slice->tile = 1;
    if (geev_keeps_forms(p))
        slice->form_bytes = arena_rounded(p->type == EIG_C ? geev_single_form<float, eig_c>::bytes(p->n)
                                                           : geev_single_form<double, eig_z>::bytes(p->n));
    int64_t const each = geev_packed(p->n) * (int64_t)type_size(p->type) + p->n * (int64_t)sizeof *slice->origins +
                         (int64_t)(slice->form_bytes + sizeof *slice->records + sizeof *slice->failed),
                  fit = (slice->bytes - 8 * EIG_ALIGNMENT) / each;
    slice->count = fit < p->batch ? fit : p->batch;
    slice_large_vectors(ctx, p, slice);
}

static void carve_single(arena *a, const eig_context *, const geev_problem *p, geev_slice *slice)
{
    if (p->vectors) carve_list(a, slice->count, slice);
    size_t const from = a->used;
    slice->packed = arena_take(a, slice->count * geev_packed(p->n), type_size(p->type));
    slice->records = (geev_record *)arena_take(a, slice->count, sizeof *slice->records);
    slice->origins = (int *)arena_take(a, slice->count * p->n, sizeof *slice->origins);
    if (geev_keeps_forms(p)) slice->forms = arena_take(a, slice->count, slice->form_bytes);
    carve_large_vectors(a, from, slice);
}

static eig_status enqueue_single(eig_context *ctx, const geev_slice &slice, cudaStream_t stream, cuda_clock *clock)
{
    const geev_kernels *const k = kernels_of(&slice.p);
    eig_status status = k->reduce(ctx, slice, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if (status == EIG_OK) status = k->single(ctx, slice, stream);
    if (status == EIG_OK) status = mark_passes(ctx, clock, 2);
    return status == EIG_OK && slice.p.vectors ? enqueue_vectors(ctx, slice, stream, clock) : status;
}

/* ------------------------------------------------------- eigenvalues, then vectors */

/* The plain solver; that of complex matrices takes those on the list alone. */
static eig_status enqueue_plain(eig_context *ctx, const geev_slice &slice, bool listed, cudaStream_t stream)
{
    const geev_kernels *const k = kernels_of(&slice.p);
    if (k->plain) return k->plain(ctx, slice, listed, stream);
    geev_slice values = slice;
    values.p.vectors = false;
    return k->schur(ctx, 0, values, GEEV_LISTED, stream);
}

/* Three passes: kernel 1, NULL where the road has none; the iteration; the plain solver, on the matrices that did not
 * converge, or on all where nothing came before it.  Then vectors, where they are wanted. */
static eig_status enqueue(eig_context *ctx, const geev_slice &slice, cudaStream_t stream, cuda_clock *clock,
                          geev_launch *reduction, geev_launch *iteration)
{
    bool const listed = iteration != NULL;
    eig_status status = EIG_OK;
    if (listed) CUDA_TRY(cudaMemsetAsync(slice.queue, 0, sizeof *slice.queue, stream));
    if (reduction) status = reduction(ctx, slice, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if (status == EIG_OK && iteration) status = iteration(ctx, slice, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if (status == EIG_OK) status = enqueue_plain(ctx, slice, listed, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    return status == EIG_OK && slice.p.vectors ? enqueue_vectors(ctx, slice, stream, clock) : status;
}

/* ------------------------------------------------------------------- reference */

static bool is_reference(const eig_context *, const geev_problem *p)
{
    return p->method == EIG_GEEV_REFERENCE;
}

static void slice_reference(const eig_context *ctx, const geev_problem *p, geev_slice *slice)
{
    slice_areas(p, geev_plain_bytes(p), (int64_t)PLAIN_EACH * cuda_state_of(ctx)->multiprocessors, slice);
    slice->count = p->batch;
}

static eig_status enqueue_reference(eig_context *ctx, const geev_slice &slice, cudaStream_t stream, cuda_clock *clock)
{
    return enqueue(ctx, slice, stream, clock, NULL, NULL);
}

/* ---------------------------------------------------------------------- thread */

static bool is_thread(const eig_context *, const geev_problem *p)
{
    return p->method == EIG_GEEV_AUTO && p->threads_per_matrix <= 1 &&
           p->n <= (p->type == EIG_S ? GEEV_SMALL_S : GEEV_SMALL_D);
}

static void slice_thread(const eig_context *, const geev_problem *p, geev_slice *slice)
{
    slice_matrices(p, sizeof *slice->failed, slice);
}

static void carve_thread(arena *a, const eig_context *, const geev_problem *, geev_slice *slice)
{
    carve_areas(a, slice);
    carve_list(a, slice->count, slice);
}

static eig_status enqueue_thread(eig_context *ctx, const geev_slice &slice, cudaStream_t stream, cuda_clock *clock)
{
    return enqueue(ctx, slice, stream, clock, NULL, kernels_of(&slice.p)->small);
}

/* ----------------------------------------------------------------------- block */

/* Whether Aberth's iteration comes before QR.  The step limit, an experiment, is that of QR. */
static bool tries_roots(const eig_context *ctx, const geev_problem *p)
{
    return p->method == EIG_GEEV_AUTO && p->threads_per_matrix == 0 && chooses(geev_aberth, p) &&
           cuda_state_of(ctx)->tensor_doubles && p->max_steps >= 30 * p->n;
}

static bool is_block(const eig_context *ctx, const geev_problem *p)
{
    return (p->n > GEEV_MOST || tries_roots(ctx, p)) && !type_is_complex(p->type) && geev_block_fits(ctx, p);
}

static void slice_block(const eig_context *ctx, const geev_problem *p, geev_slice *slice)
{
    int64_t const packed = geev_packed(p->n) * (int64_t)type_size(p->type);
    slice->tile = 1;
    slice->points = tries_roots(ctx, p);
    slice_matrices(p, packed + (int64_t)(sizeof(geev_record) + sizeof *slice->failed), slice);
    slice_large_vectors(ctx, p, slice);
}

static void carve_block(arena *a, const eig_context *, const geev_problem *p, geev_slice *slice)
{
    carve_list(a, slice->count, slice);
    size_t const from = a->used;
    carve_areas(a, slice);
    slice->packed = arena_take(a, slice->count * geev_packed(p->n), type_size(p->type));
    slice->records = (geev_record *)arena_take(a, slice->count, sizeof *slice->records);
    carve_large_vectors(a, from, slice);
}

static eig_status enqueue_block(eig_context *ctx, const geev_slice &slice, cudaStream_t stream, cuda_clock *clock)
{
    const geev_kernels *const k = kernels_of(&slice.p);
    return enqueue(ctx, slice, stream, clock, slice.p.n <= GEEV_MOST ? k->prepare : k->block_prepare, k->block);
}

/* ---------------------------------------------------------------------- blocks */

static bool is_blocks(const eig_context *ctx, const geev_problem *p)
{
    return are_blocks_enough(ctx, p);
}

/* A work area for each group of blocks; the plain solver takes them over. */
static void slice_blocks(const eig_context *ctx, const geev_problem *p, geev_slice *slice)
{
    enum { MOST_COUNT = 1 << 20 };
    int64_t const each = (int64_t)sizeof *slice->failed, list = p->batch < MOST_COUNT ? p->batch : (int64_t)MOST_COUNT;
    int64_t const least = 8 * EIG_ALIGNMENT + (int64_t)sizeof *slice->queue, rest = slice->bytes - least - list * each;
    int64_t const multiprocessors = cuda_state_of(ctx)->multiprocessors;
    slice->count = list;
    slice->points = tries_roots(ctx, p);
    slice->plain_bytes = kernels_of(p)->blocks_area(p->n);
    if (type_is_complex(p->type)) {
        geev_problem values = *p;
        values.vectors = false;
        size_t const plain = arena_rounded(kernels_of(p)->schur_bytes(&values, 0));
        if (plain > slice->plain_bytes) slice->plain_bytes = plain;
    }
    int64_t fit = rest / (int64_t)(slice->plain_bytes + sizeof *slice->groups);
    if (fit > multiprocessors) fit = multiprocessors;
    if (fit > p->batch) fit = p->batch;
    slice->plain_blocks = (int)(fit > 1 ? fit : 1);
    slice_large_vectors(ctx, p, slice);
}

static void carve_blocks(arena *a, const eig_context *, const geev_problem *, geev_slice *slice)
{
    carve_list(a, slice->count, slice);
    size_t const from = a->used;
    carve_areas(a, slice);
    slice->groups = (geev_group *)arena_take(a, slice->plain_blocks, sizeof *slice->groups);
    carve_large_vectors(a, from, slice);
}

static eig_status enqueue_blocks(eig_context *ctx, const geev_slice &slice, cudaStream_t stream, cuda_clock *clock)
{
    return enqueue(ctx, slice, stream, clock, NULL, kernels_of(&slice.p)->blocks);
}

static bool is_large(const eig_context *, const geev_problem *p)
{
    return p->n > GEEV_MOST;
}

static void slice_large(const eig_context *ctx, const geev_problem *p, geev_slice *slice)
{
    slice_reference(ctx, p, slice);
    slice_large_vectors(ctx, p, slice);
}

/* ------------------------------------------------------ swb, mwb: kernels 1 and 2 */

/* The largest order for a team of this many threads, of which each owns at most 16 indices. */
static int64_t most_order(int threads)
{
    return threads == 1 ? 16 : threads == 2 ? 32 : GEEV_MOST;
}

static int tile_matrices(eig_geev_method method, int threads)
{
    return method == EIG_GEEV_SWB ? 32 / threads : 32;
}

/* Entries behind a matrix in a tile, at most; see tile_entries in geev_qr.cu. */
enum { TILE_PADDING = GEEV_MOST + 3 };

/* Bytes of shared memory that a tile takes. */
static size_t tile_bytes(const geev_problem *p, eig_geev_method method, int threads)
{
    size_t const size = type_size(p->type);
    size_t const exchange = method == EIG_GEEV_MWB ? 32 * (size_t)threads * sizeof(int) : 0;
    return (size_t)tile_matrices(method, threads) * size * (size_t)(geev_packed(p->n) + TILE_PADDING) + exchange;
}

/* So few that each gets a warp, and all of the iteration in one stage.  The bits are those of other numbers. */
static bool are_few(const geev_problem *p)
{
    return crosses(geev_warp, p->type, p->vectors, p->n, p->batch) && p->method == EIG_GEEV_AUTO &&
           p->threads_per_matrix == 0;
}

/* A caller's method and number of threads replace those of the fastest road.  Where they have too few threads for the
 * order, or a tile too large for the shared memory, a later row serves; the last one has one matrix a tile. */
template <eig_geev_method own, int own_threads> static bool is_team(const eig_context *ctx, const geev_problem *p)
{
    int const warps = chosen(geev_mwb, p);
    bool const few = are_few(p);
    eig_geev_method method = p->method != EIG_GEEV_AUTO ? p->method : few || warps == 0 ? EIG_GEEV_SWB : EIG_GEEV_MWB;
    int const best = warps > 0 ? warps : chosen(geev_swb, p), threads = p->threads_per_matrix > 0
                                                                            ? p->threads_per_matrix
                                                                        : few ? (int)WARP
                                                                              : best;
    if (threads == 1 && p->n <= most_order(1)) method = EIG_GEEV_SWB; /* mwb is the same: a warp for 32 matrices */
    return (own == method || own == EIG_GEEV_SWB) && own_threads >= threads && p->n <= most_order(own_threads) &&
           tile_bytes(p, own, own_threads) <= (size_t)cuda_state_of(ctx)->shared_bytes;
}

static int threads_of(const geev_road *road)
{
    return (int)(road->has & GEEV_THREADS);
}

static eig_geev_method method_of(const geev_road *road)
{
    return road->has & GEEV_MWB ? EIG_GEEV_MWB : EIG_GEEV_SWB;
}

static void slice_team(const eig_context *ctx, const geev_problem *p, geev_slice *slice)
{
    int64_t const packed = geev_packed(p->n) * (int64_t)type_size(p->type);
    const geev_road *const road = eig_cuda_geev_road(ctx, p);
    slice->tile = tile_matrices(method_of(road), threads_of(road));
    slice_matrices(p, packed + (int64_t)(sizeof(geev_record) + sizeof(geev_progress) + sizeof *slice->failed), slice);
}

static void carve_team(arena *a, const eig_context *, const geev_problem *p, geev_slice *slice)
{
    int64_t const tiles = (slice->count + slice->tile - 1) / slice->tile;
    carve_areas(a, slice);
    slice->packed = arena_take(a, tiles * slice->tile * geev_packed(p->n), type_size(p->type));
    slice->records = (geev_record *)arena_take(a, slice->count, sizeof *slice->records);
    slice->progress = (geev_progress *)arena_take(a, slice->count, sizeof *slice->progress);
    carve_list(a, slice->count, slice);
}

static eig_status enqueue_team(eig_context *ctx, const geev_slice &slice, cudaStream_t stream, cuda_clock *clock);

/* Kernel 2, stage by stage.  A stage takes the road of its order, or the row behind `thread`, which cannot go on with a
 * matrix that is begun. */
static eig_status launch_stages(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    const geev_kernels *const k = kernels_of(&slice.p);
    geev_slice stage = slice;
    geev_problem p = slice.p;
    p.max_steps = 0; /* no road with Aberth's iteration, which would begin anew */
    for (stage.stage = 0;; ++stage.stage) {
        const geev_road *road = eig_cuda_geev_road(ctx, &p);
        if (road->enqueue != enqueue_team) ++road;
        stage.order = (int)p.n;
        stage.stop = stage.stage + 1 < GEEV_STAGES && !are_few(&slice.p) ? chosen(geev_stops, &p) : 0;
        geev_launch_threads *const launch = method_of(road) == EIG_GEEV_MWB ? k->mwb : k->swb;
        eig_status const status = launch(ctx, threads_of(road), stage, stream);
        if (status != EIG_OK || stage.stop == 0) return status;
        p.n = stage.stop;
    }
}

static eig_status enqueue_team(eig_context *ctx, const geev_slice &slice, cudaStream_t stream, cuda_clock *clock)
{
    return enqueue(ctx, slice, stream, clock, kernels_of(&slice.p)->prepare, launch_stages);
}

/* ------------------------------------------------------------------- the table */

static const char *algorithm_of_block(const eig_context *ctx, const geev_problem *p)
{
    return tries_roots(ctx, p) ? "block, Aberth" : "block, QR";
}

static const char *algorithm_of_blocks(const eig_context *ctx, const geev_problem *p)
{
    return tries_roots(ctx, p) ? "blocks, Aberth" : "blocks, QR";
}

/* Calls without vectors have no such pass. */
static const char *const names[] = {"reduction", "iteration", "plain", "vectors", "certificate"};
static const cuda_passes passes = {5, names};

static const geev_road roads[] = {
    {"single", NULL, is_single, slice_single, carve_single, enqueue_single, passes},
    {"schur", NULL, is_schur, slice_schur, carve_schur, enqueue_schur, passes},
    {"schur reference", NULL, is_schur_reference, slice_schur_reference, carve_plain, enqueue_schur_reference, passes},
    {"schur large", NULL, is_schur_large, slice_schur_large, carve_large, enqueue_schur, passes},
    {"reference", NULL, is_reference, slice_reference, carve_plain, enqueue_reference, passes},
    {"block", algorithm_of_block, is_block, slice_block, carve_block, enqueue_block, passes},
    {"blocks", algorithm_of_blocks, is_blocks, slice_blocks, carve_blocks, enqueue_blocks, passes},
    {"large", NULL, is_large, slice_large, carve_large, enqueue_reference, passes},
    {"thread", NULL, is_thread, slice_thread, carve_thread, enqueue_thread, passes, GEEV_CERTIFIES_VALUES},
    {"mwb 2", NULL, is_team<EIG_GEEV_MWB, 2>, slice_team, carve_team, enqueue_team, passes, GEEV_MWB | 2},
    {"mwb 4", NULL, is_team<EIG_GEEV_MWB, 4>, slice_team, carve_team, enqueue_team, passes, GEEV_MWB | 4},
    {"mwb 8", NULL, is_team<EIG_GEEV_MWB, 8>, slice_team, carve_team, enqueue_team, passes, GEEV_MWB | 8},
    {"mwb 16", NULL, is_team<EIG_GEEV_MWB, 16>, slice_team, carve_team, enqueue_team, passes, GEEV_MWB | 16},
    {"mwb 32", NULL, is_team<EIG_GEEV_MWB, 32>, slice_team, carve_team, enqueue_team, passes, GEEV_MWB | 32},
    {"swb 1", NULL, is_team<EIG_GEEV_SWB, 1>, slice_team, carve_team, enqueue_team, passes, 1},
    {"swb 2", NULL, is_team<EIG_GEEV_SWB, 2>, slice_team, carve_team, enqueue_team, passes, 2},
    {"swb 4", NULL, is_team<EIG_GEEV_SWB, 4>, slice_team, carve_team, enqueue_team, passes, 4},
    {"swb 8", NULL, is_team<EIG_GEEV_SWB, 8>, slice_team, carve_team, enqueue_team, passes, 8},
    {"swb 16", NULL, is_team<EIG_GEEV_SWB, 16>, slice_team, carve_team, enqueue_team, passes, 16},
    {"swb 32", NULL, is_team<EIG_GEEV_SWB, 32>, slice_team, carve_team, enqueue_team, passes, 32},
};

const geev_road *eig_cuda_geev_road(const eig_context *ctx, const geev_problem *p)
{
    return cuda_road_of(roads, ctx, p);
}

const geev_road *eig_cuda_geev_roads(int *count)
{
    *count = sizeof roads / sizeof *roads;
    return roads;
}
