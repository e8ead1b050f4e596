/* heev on CUDA, n > 32, tridiagonal: slices and their parts, the order of the kernels, and the values.
 *
 * The reduction works in v, so that it takes little of the workspace, and a slice is mostly the whole batch: that keeps
 * all multiprocessors busy.  Eigenvectors need more, and are computed for a part of the slice at a time.  The road grid
 * (n <= HEEV_GRID) keeps a matrix in registers; the road block has it in shared memory, in v or in the workspace.  On
 * the roads whole and two the GPU works on one matrix or few. */
#include "heev/whole/heev_whole.cuh"

#include <cmath>

enum { VALUES_THREADS = 128, SOME = 32 };

enum road_of_parts { GRID, BLOCK, WHOLE, TWO };

heev_panel_place eig_cuda_heev_place(const eig_context *ctx, const heev_problem *p)
{
    return eig_cuda_heev_kernels(p->type)->panel_place(p->n, (size_t)cuda_state_of(ctx)->shared_bytes);
}

/* ------------------------------------------------------------------- workspace */

heev_tridiagonals eig_cuda_heev_tridiagonals(const heev_job &job)
{
    return {job.p.n,    job.count,    type_is_single(job.p.type), job.p.vectors, job.d, job.e, job.z,
            job.failed, job.imaginary};
}

/* Whether the matrix is reduced in the workspace: neither in v nor in shared memory. */
static bool reduces_beside(const eig_context *ctx, const heev_problem *p, road_of_parts road)
{
    if (road == TWO) return true;
    if (p->vectors) return road == WHOLE && p->range != EIG_RANGE_ALL; /* v has no room for it */
    if (road == WHOLE) return eig_cuda_heev_kernels(p->type)->whole_ahead(ctx, p->n) > 0;
    return road == BLOCK && eig_cuda_heev_place(ctx, p) == HEEV_PANEL_GLOBAL;
}

/* What all matrices of the slice need. */
static void carve_slice(arena *a, const eig_context *ctx, const heev_problem *p, road_of_parts road, heev_job *job)
{
    size_t const number = type_size(p->type), real = heev_real_size(p);
    int64_t const n = p->n, count = job->count;
    job->d = arena_take(a, count * n, real);
    job->e = arena_take(a, count * n, real);
    job->unit = arena_take(a, count, real);
    job->failed = (int *)arena_take(a, count, sizeof(int));
    if (road >= WHOLE) {
        const heev_kernels *const k = eig_cuda_heev_kernels(p->type);
        job->values = arena_take(a, count * n, real);
        job->pair_info = (int *)arena_take(a, n, sizeof(int));
        job->found = (int64_t *)arena_take(a, 1, sizeof(int64_t));
        job->areas = arena_take(a, 1, (road == TWO ? k->two_bytes : k->whole_bytes)(ctx, job));
    }
    if (p->vectors) job->tau = arena_take(a, count * n, number);
    if (p->vectors && road == TWO) job->turns = arena_take(a, n, number);
    if (!reduces_beside(ctx, p, road)) return;
    int64_t const pitch = road == TWO ? eig_cuda_heev_kernels(p->type)->two_pitch(ctx, n) : n;
    job->matrix = arena_take(a, count * pitch * pitch, number);
    job->matrix_pitch = pitch, job->matrix_stride = pitch * pitch;
}

/* The products that apply reflectors. */
static void carve_products(arena *a, const heev_problem *p, road_of_parts road, heev_job *job)
{
    size_t const number = type_size(p->type);
    int64_t const n = p->n, K = road >= WHOLE ? HEEV_WHOLE_REFLECTORS : HEEV_REFLECTORS, count = job->part;
    job->factors = arena_take(a, count * ((n + K - 1) / K), (size_t)(K * K) * number);
    if (road == BLOCK) return;
    int64_t const rows = road == TWO ? n - HEEV_TWO_ABOVE : n; /* of the reflectors */
    int most = 1;
    for (int64_t k0 = 0; k0 < rows; k0 += K) {
        int const parts = project_parts(rows, rows - k0).count;
        most = parts > most ? parts : most;
    }
    job->grams = arena_take(a, count * ((n + K - 1) / K) * HEEV_GRAM_PARTS, (size_t)(K * K) * number);
    job->sums = arena_take(a, project_at(*job, most, count, 0, 0), number);
    job->products = arena_take(a, count * job->columns * K, number);
    if (road == TWO) job->blocks = arena_take(a, heev_two_blocks(n), number * (type_is_single(p->type) ? 2 : 1));
}

/* Whether Z is in v: column k of Z in column k of v, of complex v in its first half.  Else Z is in the workspace. */
static bool stands_in_v(const heev_problem *p, road_of_parts road)
{
    return road == TWO && p->vectors && p->range == EIG_RANGE_ALL;
}

/* What those of a part need. */
static void carve_part(arena *a, const eig_context *ctx, const heev_problem *p, road_of_parts road, heev_job *job)
{
    size_t const real = heev_real_size(p);
    int64_t const n = p->n, count = job->part;
    if (p->vectors) {
        if (road != GRID) carve_products(a, p, road, job);
        if (!stands_in_v(p, road)) job->z = arena_take(a, count * n * job->columns, real);
    }
    heev_tridiagonals t = eig_cuda_heev_tridiagonals(*job);
    t.count = count;
    size_t const pairs = road >= WHOLE ? eig_cuda_heev_whole_pairs_bytes(ctx, *job, t) : eig_cuda_heev_divide_bytes(&t);
    size_t const plane = arena_product((size_t)(count * n * job->columns), real);
    bool const planes = p->vectors && type_is_complex(p->type) && road != GRID && !stands_in_v(p, road);
    job->imaginary = arena_take(a, 1, planes && plane > pairs ? plane : pairs);
}

static void carve(arena *a, const eig_context *ctx, const heev_problem *p, road_of_parts road, heev_job *job)
{
    if (job->part > job->count) job->part = job->count;
    carve_slice(a, ctx, p, road, job);
    carve_part(a, ctx, p, road, job);
}

/* The size of equal portions of `all`, each at most `most`. */
static int64_t portion(int64_t all, double most)
{
    int64_t const fit = most < 1 ? 1 : most < (double)all ? (int64_t)most : all, portions = (all + fit - 1) / fit;
    return (all + portions - 1) / portions;
}

static void slice(const eig_context *ctx, const heev_problem *p, road_of_parts road, heev_job *job)
{
    arena whole = {NULL, 0}, part = {NULL, 0};
    job->columns = road >= WHOLE ? heev_columns_of(p) : p->n;
    job->z_pitch = stands_in_v(p, road) ? p->ldv * (type_is_complex(p->type) ? 2 : 1) : p->n;
    job->count = job->part = 1;
    if (road >= WHOLE && p->range != EIG_RANGE_ALL) return; /* one after the other: each may have its number of pairs */
    if (road == TWO && p->vectors) return;
    job->count = job->part = SOME;
    eig_cuda_heev_carve_certificate(&whole, ctx, p, job->count, job);
    carve_slice(&whole, ctx, p, road, job);
    carve_part(&part, ctx, p, road, job);
    double const input = (double)p->n * (double)p->n * (double)p->batch * (double)type_size(p->type);
    double const most = fmax(input, (double)HEEV_MOST_BYTES);
    double const each = (double)whole.used / SOME, each_part = (double)part.used / SOME;
    if (p->vectors) {
        job->count = portion(p->batch, most / 2 / each);
        job->part = portion(job->count, (most - each * (double)job->count) / each_part);
    } else {
        job->count = job->part = portion(p->batch, most / (each + each_part));
    }
}

void eig_cuda_heev_grid_slice(const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    slice(ctx, p, GRID, job);
}

void eig_cuda_heev_block_slice(const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    slice(ctx, p, BLOCK, job);
}

void eig_cuda_heev_whole_slice(const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    slice(ctx, p, WHOLE, job);
}

void eig_cuda_heev_two_slice(const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    slice(ctx, p, TWO, job);
}

void eig_cuda_heev_grid_carve(arena *a, const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    carve(a, ctx, p, GRID, job);
}

void eig_cuda_heev_block_carve(arena *a, const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    carve(a, ctx, p, BLOCK, job);
}

void eig_cuda_heev_whole_carve(arena *a, const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    carve(a, ctx, p, WHOLE, job);
}

void eig_cuda_heev_two_carve(arena *a, const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    carve(a, ctx, p, TWO, job);
}

/* --------------------------------------------------------------------- values */

template <typename real> static __global__ void __launch_bounds__(VALUES_THREADS) heev_values_kernel(heev_job job)
{
    int64_t const m = blockIdx.x, b = job.first + m, n = job.p.n;
    real const unit = ((const real *)job.unit)[m];
    int const failed = job.failed[m];
    bool const finite = unit == unit, good = finite && failed == 0;
    real *const w = (real *)job.p.w + b * job.p.stride_w;
    for (int64_t i = threadIdx.x; i < job.columns; i += VALUES_THREADS)
        w[i] = good ? ((const real *)job.d)[m * n + i] * unit + (real)0 : (real)NAN;
    if (threadIdx.x > 0) return;
    if (job.p.info) job.p.info[b] = !finite ? EIG_INFO_NOT_FINITE : failed ? (int)n : 0;
    if (job.p.sweeps) job.p.sweeps[b] = 0;
    if (job.p.m && job.p.range != EIG_RANGE_ALL) job.p.m[b] = job.columns;
}

/* --------------------------------------------------------------------- kernels */

/* The job of `count` matrices from number `first` of the slice on. */
static heev_job part_of(const heev_job &job, int64_t first, int64_t count)
{
    heev_job own = job;
    size_t const number = type_size(job.p.type), real = heev_real_size(&job.p);
    own.first += first, own.count = count;
    own.d = (char *)job.d + (size_t)(first * job.p.n) * real, own.e = (char *)job.e + (size_t)(first * job.p.n) * real;
    own.unit = (char *)job.unit + (size_t)first * real;
    own.failed += first;
    if (stands_in_v(&job.p, job.turns ? TWO : WHOLE))
        own.z = (char *)job.p.v + own.first * job.p.stride_v * (int64_t)number;
    if (!job.p.v || job.matrix) return own;
    own.tau = (char *)job.tau + (size_t)(first * job.p.n) * number;
    own.matrix = (char *)job.p.v + own.first * job.p.stride_v * (int64_t)number;
    own.matrix_pitch = job.p.ldv, own.matrix_stride = job.p.stride_v;
    return own;
}

/* Eigenpairs of T of a part, and its vectors of A by `back`. */
static eig_status solve_part(eig_context *ctx, const heev_job &job, int64_t first, road_of_parts road,
                             heev_launch *back, cudaStream_t stream, cuda_clock *clock)
{
    int64_t const left = job.count - first, count = left < job.part ? left : job.part;
    heev_job own = part_of(job, first, count);
    eig_status status = road >= WHOLE ? eig_cuda_heev_whole_pairs(ctx, &own, stream)
                                      : eig_cuda_heev_divide(ctx, eig_cuda_heev_tridiagonals(own), stream);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "heev: values_kernel", stream, {count, VALUES_THREADS},
                             type_is_single(job.p.type) ? heev_values_kernel<float> : heev_values_kernel<double>, own);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if (status == EIG_OK && job.p.v) status = back(ctx, own, stream);
    return status == EIG_OK ? eig_cuda_mark_clock(ctx, clock) : status;
}

static eig_status solve_slice(eig_context *ctx, const heev_job &job, road_of_parts road, heev_launch *reduce,
                              heev_launch *back, cudaStream_t stream, cuda_clock *clock)
{
    heev_job whole = part_of(job, 0, job.count);
    whole.share *= HEEV_REDUCTION_SHARE;
    eig_status status = reduce(ctx, whole, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    for (int64_t first = 0; first < job.count && status == EIG_OK; first += job.part) {
        if (first > 0) { /* another part has times of its own; its reduction took none */
            status = eig_cuda_read_clock(ctx, clock);
            if (status == EIG_OK) status = eig_cuda_start_clock(ctx, clock, stream);
            if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
        }
        double const before = HEEV_REDUCTION_SHARE + (1 - HEEV_REDUCTION_SHARE) * (double)first / (double)job.count;
        if (status == EIG_OK && road >= WHOLE) status = eig_cuda_heev_tell(ctx, job, stream, before);
        if (status == EIG_OK) status = solve_part(ctx, job, first, road, back, stream, clock);
    }
    return status;
}

eig_status eig_cuda_heev_grid(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock)
{
    const heev_kernels *const k = eig_cuda_heev_kernels(job.p.type);
    return solve_slice(ctx, job, GRID, k->grid_reduce, k->grid_back, stream, clock);
}

eig_status eig_cuda_heev_block(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock)
{
    const heev_kernels *const k = eig_cuda_heev_kernels(job.p.type);
    return solve_slice(ctx, job, BLOCK, k->panel, k->back, stream, clock);
}

eig_status eig_cuda_heev_whole(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock)
{
    const heev_kernels *const k = eig_cuda_heev_kernels(job.p.type);
    return solve_slice(ctx, job, WHOLE, k->whole, k->whole_back, stream, clock);
}

eig_status eig_cuda_heev_two(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock)
{
    const heev_kernels *const k = eig_cuda_heev_kernels(job.p.type);
    return solve_slice(ctx, job, TWO, k->two, k->two_back, stream, clock);
}
