/* heev on CUDA, one large matrix, tridiagonal, kernel 1 by two stages: launches. */
#include "heev/two/heev_two_band.cuh"
#include "heev/two/heev_two_chase.cuh"
#include "heev/whole/heev_panels.cuh"
#include "per_type.cuh"

#define TELL_FLOPS 2e11 /* some 10 ms */

/* Of the first stage. */
#define BAND_SHARE 0.7

enum {
    MOST_ROWS = sizeof(number) == 4 ? 32 : 16, /* of a thread of the factor */
    PRODUCT_BLOCKS = 528,                      /* what an H200 has at a time, twice */
    LEAST_DEPTH = 64                           /* columns of A in a part of a sum */
};

static int64_t padded(int64_t n)
{
    return (n + TWO_TILE - 1) / TWO_TILE * TWO_TILE;
}

/* Rows of a thread, and blocks, of the factor of a panel with so many rows: of the order alone. */
static int rows_of_factor(int64_t all)
{
    int rows = 8;
    while (rows < MOST_ROWS && all > (int64_t)FACTOR_BLOCKS * FACTOR_WARPS * rows) rows *= 2;
    return rows;
}

static int64_t blocks_of_factor(int64_t all)
{
    int64_t const each = (int64_t)FACTOR_WARPS * rows_of_factor(all);
    return all > each ? (all + each - 1) / each : 1;
}

/* The most blocks of the factor of any panel. */
static int64_t most_blocks(int64_t pitch)
{
    int64_t most = 1;
    for (int64_t first = TWO_BAND; first < pitch; first += TWO_BAND) {
        int64_t const own = blocks_of_factor(pitch - first);
        most = own > most ? own : most;
    }
    return most;
}

/* Parts of the sums of A V T, of the order alone. */
static int64_t splits_of(int64_t pitch, int64_t first)
{
    int64_t const tiles = pitch / TWO_TILE - first / TWO_TILE, fit = (pitch - first + LEAST_DEPTH - 1) / LEAST_DEPTH;
    int64_t const most = PRODUCT_BLOCKS / tiles > 0 ? PRODUCT_BLOCKS / tiles : 1;
    return most < fit ? most : fit;
}

int64_t TYPED(eig_cuda_heev_two_pitch)(const eig_context *ctx, int64_t n)
{
    const cuda_state *const s = cuda_state_of(ctx);
    size_t const product = product_shape<number>::bytes, update = two_update_shape<number>::bytes;
    size_t const most = product > update ? product : update;
    bool const serves = n > 1 && n <= INT_MAX / 2 && most <= (size_t)s->shared_bytes &&
                        blocks_of_factor(padded(n) - TWO_BAND) <= s->multiprocessors;
    return serves ? padded(n) : 0;
}

/* ------------------------------------------------------------------- workspace */

struct two_areas {
    two_job job;
    void *largest;
    size_t slots_bytes;
    size_t band_bytes; /* and of the sweeps' steps, behind it */
};

static size_t carve_two(const eig_context *ctx, int64_t n, void *base, two_areas *w)
{
    *w = two_areas{};
    arena a = {(char *)base, 0};
    int64_t const pitch = padded(n), rows = pitch * TWO_BAND, square = TWO_BAND * TWO_BAND;
    int64_t parts = 1; /* tiles */
    for (int64_t first = TWO_BAND; first < pitch; first += TWO_BAND) {
        int64_t const own = splits_of(pitch, first) * (pitch / TWO_TILE - first / TWO_TILE);
        parts = own > parts ? own : parts;
    }
    two_job *const job = &w->job;
    job->pitch = pitch, job->n = (int)n;
    job->v = arena_take(&a, rows, sizeof(number));
    job->w = arena_take(&a, rows, sizeof(number));
    job->z = arena_take(&a, rows, sizeof(number));
    job->x = arena_take(&a, rows, sizeof(number));
    job->parts = arena_take(&a, parts * TWO_TILE * TWO_BAND, sizeof(number));
    job->forms = arena_take(&a, pitch / SLICE * square, sizeof(number));
    job->form = arena_take(&a, square, sizeof(number));
    job->dots = arena_take(&a, most_blocks(pitch) * square, sizeof(number));
    job->tops = arena_take(&a, square, sizeof(number));
    job->marks = (most_blocks(pitch) + 1) * square * (int64_t)sizeof(number) / (int64_t)sizeof(uint4);
    w->slots_bytes = (size_t)(CHASE_SLOTS * ((n + TWO_BAND - 1) / TWO_BAND) * CHASE_SLOT) * sizeof(number);
    job->slots = arena_take(&a, 1, w->slots_bytes);
    w->largest = arena_take(&a, cuda_state_of(ctx)->multiprocessors, sizeof(real));
    size_t const before = arena_rounded(a.used);
    job->band = arena_take(&a, n * TWO_COLUMN, sizeof(number));
    job->done = (int *)arena_take(&a, n, sizeof(int));
    w->band_bytes = a.used - before;
    return arena_rounded(a.used);
}

size_t TYPED(eig_cuda_heev_two_bytes)(const eig_context *ctx, const heev_job *job)
{
    two_areas w;
    return carve_two(ctx, job->p.n, NULL, &w);
}

/* ----------------------------------------------------------------------- stages */

template <int rows> static eig_status launch_factor(eig_context *ctx, const two_job &job, cudaStream_t stream)
{
    int64_t const all = job.pitch - job.k0 - TWO_BAND;
    if constexpr (rows < MOST_ROWS)
        if (rows_of_factor(all) > rows) return launch_factor<2 * rows>(ctx, job, stream);
    cuda_shape shape = {blocks_of_factor(all), FACTOR_THREADS};
    shape.cooperative = true;
    return cuda_launch(ctx, "heev: two_factor_kernel", stream, shape, heev_two_factor_kernel<number, rows>, job);
}

/* The products of a panel, and the triangle. */
static eig_status launch_products(eig_context *ctx, const two_job &job, cudaStream_t stream)
{
    int64_t const first = job.k0 + TWO_BAND, I0 = first / TWO_TILE, I1 = job.pitch / TWO_TILE;
    int64_t const slices = (job.pitch - first) / SLICE;
    eig_status status = cuda_launch(ctx, "heev: two_product_kernel", stream,
                                    {(I1 - I0) * job.splits, PRODUCT_THREADS, product_shape<number>::bytes},
                                    heev_two_product_kernel<number>, job);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "heev: two_combine_kernel", stream, {slices, SLICE_THREADS},
                             heev_two_combine_kernel<number>, job);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "heev: two_form_kernel", stream, {TWO_BAND, SLICE_THREADS},
                             heev_two_form_kernel<number>, job, (int)slices);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "heev: two_finish_kernel", stream, {slices, SLICE_THREADS},
                             heev_two_finish_kernel<number>, job);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "heev: two_update_kernel", stream,
                             {two_tiles(I1, I0, first / TWO_TOP), TWO_UPDATE_THREADS, two_update_shape<number>::bytes},
                             heev_two_update_kernel<number>, job);
    return status;
}

/* Matrix m of the slice: the band. */
static eig_status enqueue_band(eig_context *ctx, const heev_job &job, int64_t m, two_job two, cudaStream_t stream)
{
    double const n = (double)job.p.n;
    double untold = 0; /* flops since the caller was told */
    eig_status status = EIG_OK;
    for (int64_t k = 0; k < two.n && status == EIG_OK; k += TWO_BAND) {
        int64_t const first = k + TWO_BAND;
        two.k0 = (int)k;
        status = launch_factor<8>(ctx, two, stream);
        if (first >= two.n || status != EIG_OK) continue;
        two.splits = (int)splits_of(two.pitch, first);
        status = launch_products(ctx, two, stream);
        double const rest = n - (double)first, left = rest / n;
        untold += 4 * rest * rest * TWO_BAND * (number::complex ? 4 : 1);
        if (untold < TELL_FLOPS || status != EIG_OK) continue;
        double const part = BAND_SHARE * (1 - left * left * left);
        status = eig_cuda_heev_tell(ctx, job, stream, ((double)m + part) / (double)job.count);
        untold = 0;
    }
    return status;
}

static eig_status enqueue_chase(eig_context *ctx, const two_job &two, cudaStream_t stream)
{
    int64_t const at_once = (int64_t)CHASE_BLOCKS * cuda_state_of(ctx)->multiprocessors;
    int64_t const most = two.n / (2 * TWO_BAND) + 1; /* sweeps under way: each is two steps behind the one ahead */
    cuda_shape shape = {most < at_once ? most : at_once, CHASE_THREADS};
    shape.cooperative = true;
    return cuda_launch(ctx, "heev: two_chase_kernel", stream, shape, heev_two_chase_kernel<number>, two);
}

eig_status TYPED(eig_cuda_heev_two)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    int const blocks = cuda_state_of(ctx)->multiprocessors;
    int64_t const n = job.p.n;
    two_areas w;
    carve_two(ctx, n, job.areas, &w);
    eig_status status = EIG_OK;
    for (int64_t m = 0; m < job.count && status == EIG_OK; ++m) {
        two_job two = w.job;
        two.a = (number *)job.matrix + m * job.matrix_stride;
        two.d = (real *)job.d + m * n, two.e = (real *)job.e + m * n;
        if (job.p.vectors) two.tau = (number *)job.tau + m * n, two.turns = job.turns;
        if (two.pitch > n)
            CUDA_TRY(cudaMemsetAsync(two.a, 0, (size_t)(two.pitch * two.pitch) * sizeof(number), stream));
        CUDA_TRY(cudaMemsetAsync(two.dots, HEEV_MARK, (size_t)two.marks * sizeof(uint4), stream));
        CUDA_TRY(cudaMemsetAsync(two.slots, HEEV_MARK, w.slots_bytes, stream));
        CUDA_TRY(cudaMemsetAsync(two.band, 0, w.band_bytes, stream));
        status = cuda_launch(ctx, "heev: largest_kernel", stream, {blocks, COPY_THREADS}, heev_largest_kernel<number>,
                             job, job.first + m, w.largest);
        if (status == EIG_OK)
            status = cuda_launch(ctx, "heev: scale_kernel", stream, {4 * blocks, COPY_THREADS},
                                 heev_scale_kernel<number>, job, m, (const void *)w.largest, blocks);
        if (status == EIG_OK) status = enqueue_band(ctx, job, m, two, stream);
        if (status == EIG_OK) status = enqueue_chase(ctx, two, stream);
    }
    return status;
}
