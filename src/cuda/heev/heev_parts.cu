/* heev on CUDA, n > 32, tridiagonal: slices and their parts, the order of the kernels, and the values.
 *
 * The reduction works in v, so that it takes little of the workspace, and a slice is mostly the whole batch: that keeps
 * all multiprocessors busy.  Eigenvectors need more, and are computed for a part of the slice at a time.  The road grid
 * (n <= HEEV_GRID) keeps a matrix in registers; the road block has it in shared memory, in v or in the workspace.  On
 * the roads whole and two the GPU works on one matrix or few. */
#include "heev/whole/heev_whole.cuh"

#include <cmath>

enum { VALUES_THREADS = 128, SOME = 32 };

heev_panel_place eig_cuda_heev_place(const eig_context *ctx, const heev_problem *p)
{
    return eig_cuda_heev_kernels(p->type)->panel_place(p->n, (size_t)cuda_state_of(ctx)->shared_bytes);
}

/* ------------------------------------------------------------------- workspace */

heev_tridiagonals eig_cuda_heev_tridiagonals(const heev_job &job)
{
    return {job.p.n, job.count, type_is_single(job.p.type), job.p.vectors, job.d, job.e, job.z, job.failed, job.pairs};
}

/* Whether the matrix is reduced in the workspace: neither in v nor in shared memory. */
static bool reduces_beside(const eig_context *ctx, const heev_problem *p, heev_parts_road road)
{
    if (road == HEEV_OF_TWO) return true;
    if (p->vectors) return road == HEEV_OF_WHOLE && p->range != EIG_RANGE_ALL; /* v has no room for it */
    if (road == HEEV_OF_WHOLE) return eig_cuda_heev_kernels(p->type)->whole_ahead(ctx, p->n) > 0;
    return road == HEEV_OF_BLOCK && eig_cuda_heev_place(ctx, p) == HEEV_PANEL_GLOBAL;
}

/* What all matrices of the slice need. */
static void carve_slice(arena *a, const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    heev_parts_road const road = job->road;
    size_t const number = type_size(p->type), real = heev_real_size(p);
    int64_t const n = p->n, count = job->count;
    job->d = arena_take(a, count * n, real);
    job->e = arena_take(a, count * n, real);
    job->unit = arena_take(a, count, real);
    job->failed = (int *)arena_take(a, count, sizeof(int));
    if (road >= HEEV_OF_WHOLE) {
        const heev_kernels *const k = eig_cuda_heev_kernels(p->type);
        job->values = arena_take(a, count * n, real);
        job->pair_info = (int *)arena_take(a, n, sizeof(int));
        job->found = (int64_t *)arena_take(a, 1, sizeof(int64_t));
        job->room = arena_take(a, 1, (road == HEEV_OF_TWO ? k->two_bytes : k->whole_bytes)(ctx, job));
    }
    if (p->vectors) job->tau = arena_take(a, count * n, number);
    if (p->vectors && road == HEEV_OF_TWO) job->turns = arena_take(a, n, number);
    if (!reduces_beside(ctx, p, road)) return;
    int64_t const pitch = road == HEEV_OF_TWO ? eig_cuda_heev_kernels(p->type)->two_pitch(ctx, n) : n;
    job->matrix = arena_take(a, count * pitch * pitch, number);
    job->matrix_pitch = pitch, job->matrix_stride = pitch * pitch;
}

/* The products that apply reflectors. */
static void carve_products(arena *a, const heev_problem *p, heev_job *job)
{
    heev_parts_road const road = job->road;
    size_t const number = type_size(p->type);
    int64_t const n = p->n, K = road >= HEEV_OF_WHOLE ? HEEV_WHOLE_REFLECTORS : HEEV_REFLECTORS, count = job->part;
    job->factors = arena_take(a, count * ((n + K - 1) / K), (size_t)(K * K) * number);
    if (road == HEEV_OF_BLOCK) return;
    int64_t const rows = road == HEEV_OF_TWO ? n - HEEV_TWO_ABOVE : n; /* of the reflectors */
    int most = 1;
    for (int64_t k0 = 0; k0 < rows; k0 += K) {
        int const parts = project_parts(rows, rows - k0).count;
        most = parts > most ? parts : most;
    }
    job->grams = arena_take(a, count * ((n + K - 1) / K) * HEEV_GRAM_PARTS, (size_t)(K * K) * number);
    job->sums = arena_take(a, project_at(*job, most, count, 0, 0), number);
    job->products = arena_take(a, count * job->columns * K, number);
    if (road == HEEV_OF_TWO)
        job->blocks = arena_take(a, heev_two_blocks(n), number * (type_is_single(p->type) ? 2 : 1));
}

/* Whether v holds Z: column k of Z is column k of v (complex: its first half). Otherwise the workspace holds Z. */
static bool stands_in_v(const heev_problem *p, heev_parts_road road)
{
    return road == HEEV_OF_TWO && p->vectors && p->range == EIG_RANGE_ALL;
}

/* What those of a part need. */
static void carve_part(arena *a, const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    heev_parts_road const road = job->road;
    size_t const real = heev_real_size(p);
    int64_t const n = p->n, count = job->part;
    if (p->vectors) {
        if (road != HEEV_OF_GRID) carve_products(a, p, job);
        if (!stands_in_v(p, road)) job->z = arena_take(a, count * n * job->columns, real);
    }
    heev_tridiagonals t = eig_cuda_heev_tridiagonals(*job);
    t.count = count;
    size_t const pairs =
        road >= HEEV_OF_WHOLE ? eig_cuda_heev_whole_pairs_bytes(ctx, *job, t) : eig_cuda_heev_divide_bytes(&t);
    size_t const plane = arena_product((size_t)(count * n * job->columns), real);
    bool const planes = p->vectors && type_is_complex(p->type) && road != HEEV_OF_GRID && !stands_in_v(p, road);
    job->pairs = arena_take(a, 1, planes && plane > pairs ? plane : pairs);
    job->imaginary = planes ? job->pairs : NULL;
}

void eig_cuda_heev_carve_parts(arena *a, const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    if (job->part > job->count) job->part = job->count;
    carve_slice(a, ctx, p, job);
    carve_part(a, ctx, p, job);
}

/* The size of equal portions of `all`, each at most `most`. */
static int64_t portion(int64_t all, double most)
{
    int64_t const fit = most < 1 ? 1 : most < (double)all ? (int64_t)most : all, portions = (all + fit - 1) / fit;
    return (all + portions - 1) / portions;
}

void eig_cuda_heev_slice_parts(const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    heev_parts_road const road = job->road;
    arena whole = {NULL, 0}, part = {NULL, 0};
    job->columns = road >= HEEV_OF_WHOLE ? heev_columns_of(p) : p->n;
    job->z_pitch = stands_in_v(p, road) ? p->ldv * (type_is_complex(p->type) ? 2 : 1) : p->n;
    job->count = job->part = 1;
    if (road >= HEEV_OF_WHOLE && p->range != EIG_RANGE_ALL)
        return; /* one after the other: each may have its number of pairs */
    if (road == HEEV_OF_TWO && p->vectors) return;
    job->count = job->part = SOME;
    eig_cuda_heev_carve_certificate(&whole, ctx, p, job->count, job);
    carve_slice(&whole, ctx, p, job);
    carve_part(&part, ctx, p, job);
    double const input = (double)p->n * (double)p->n * (double)p->batch * (double)type_size(p->type);
    double const most = fmax(input, (double)job->bytes);
    double const each = (double)whole.used / SOME, each_part = (double)part.used / SOME;
    if (p->vectors) {
        job->count = portion(p->batch, most / 2 / each);
        job->part = portion(job->count, (most - each * (double)job->count) / each_part);
    } else {
        job->count = job->part = portion(p->batch, most / (each + each_part));
    }
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
    if (stands_in_v(&job.p, job.road)) own.z = (char *)job.p.v + own.first * job.p.stride_v * (int64_t)number;
    if (!job.p.v || job.matrix) return own;
    own.tau = (char *)job.tau + (size_t)(first * job.p.n) * number;
    own.matrix = (char *)job.p.v + own.first * job.p.stride_v * (int64_t)number;
    own.matrix_pitch = job.p.ldv, own.matrix_stride = job.p.stride_v;
    return own;
}

/* Eigenpairs of T of a part, and its vectors of A. */
static eig_status solve_part(eig_context *ctx, const heev_job &job, int64_t first, cudaStream_t stream,
                             cuda_clock *clock)
{
    const heev_kernels *const k = eig_cuda_heev_kernels(job.p.type);
    heev_launch *const back[] = {k->grid_back, k->back, k->whole_back, k->two_back};
    int64_t const left = job.count - first, count = left < job.part ? left : job.part;
    heev_job own = part_of(job, first, count);
    eig_status status = job.road >= HEEV_OF_WHOLE ? eig_cuda_heev_whole_pairs(ctx, &own, stream)
                                                  : eig_cuda_heev_divide(ctx, eig_cuda_heev_tridiagonals(own), stream);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "heev: values_kernel", stream, {count, VALUES_THREADS},
                             type_is_single(job.p.type) ? heev_values_kernel<float> : heev_values_kernel<double>, own);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if (status == EIG_OK && job.p.v) status = back[job.road](ctx, own, stream);
    return status == EIG_OK ? eig_cuda_mark_clock(ctx, clock) : status;
}

eig_status eig_cuda_heev_parts(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock)
{
    const heev_kernels *const k = eig_cuda_heev_kernels(job.p.type);
    heev_launch *const reduce[] = {k->grid_reduce, k->panel, k->whole, k->two};
    heev_job all = part_of(job, 0, job.count);
    all.share *= HEEV_REDUCTION_SHARE;
    eig_status status = reduce[job.road](ctx, all, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    for (int64_t first = 0; first < job.count && status == EIG_OK; first += job.part) {
        if (first > 0) { /* another part has times of its own; its reduction took none */
            status = eig_cuda_read_clock(ctx, clock);
            if (status == EIG_OK) status = eig_cuda_start_clock(ctx, clock, stream);
            if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
        }
        double const before = HEEV_REDUCTION_SHARE + (1 - HEEV_REDUCTION_SHARE) * (double)first / (double)job.count;
        if (status == EIG_OK && job.road >= HEEV_OF_WHOLE) status = eig_cuda_heev_tell(ctx, job, stream, before);
        if (status == EIG_OK) status = solve_part(ctx, job, first, stream, clock);
    }
    return status;
}
