/* heev on CUDA, n > 32, tridiagonal: slices and their parts, the order of the kernels, and the values.
 *
 * The reduction works in v, so that it takes little of the workspace, and a slice is mostly the whole batch: that keeps all
 * multiprocessors busy.  Eigenvectors need more, and are computed for a part of the slice at a time.  The road grid (n <=
 * HEEV_GRID) keeps a matrix in registers; the road block has it in shared memory, in v or in the workspace. */
#include "heev/heev_cuda.cuh"

#include <cmath>

enum { VALUES_THREADS = 128, REFLECTORS = 32 /* that are applied at once, see heev_back.cu */, SOME = 32 };

static heev_panel_place place_of(const eig_context *ctx, const heev_problem *p)
{
    return eig_cuda_heev_kernels(p->type)->panel_place(p->n, (size_t)cuda_state_of(ctx)->shared_bytes);
}

bool eig_cuda_heev_block_fits(const eig_context *ctx, const heev_problem *p)
{
    return place_of(ctx, p) != HEEV_PANEL_NOWHERE;
}

/* ------------------------------------------------------------------- workspace */

static size_t real_size(const heev_problem *p)
{
    return type_is_single(p->type) ? sizeof(float) : sizeof(double);
}

/* The tridiagonal matrices of a part of a slice, `count` from `first` on. */
static heev_tridiagonals tridiagonals_of(const heev_job &job, int64_t first, int64_t count)
{
    size_t const rows = (size_t)(first * job.p.n) * real_size(&job.p);
    int *const failed = job.failed ? job.failed + first : NULL;
    return {job.p.n,
            count,
            type_is_single(job.p.type),
            job.p.vectors,
            job.d ? (char *)job.d + rows : NULL,
            job.e ? (char *)job.e + rows : NULL,
            job.z,
            failed,
            job.imaginary};
}

/* What all matrices of the slice need. registers: a matrix lies in registers while it is reduced. */
static void carve_slice(arena *a, const eig_context *ctx, const heev_problem *p, bool registers, heev_job *job)
{
    size_t const number = type_size(p->type), real = real_size(p);
    int64_t const n = p->n, count = job->count;
    job->d = arena_take(a, count * n, real);
    job->e = arena_take(a, count * n, real);
    job->unit = arena_take(a, count, real);
    job->failed = (int *)arena_take(a, count, sizeof(int));
    if (p->vectors) {
        job->tau = arena_take(a, count * n, number);
    } else if (!registers && place_of(ctx, p) == HEEV_PANEL_GLOBAL) {
        job->matrix = arena_take(a, count * n * n, number);
        job->matrix_pitch = n, job->matrix_stride = n * n;
    }
}

/* What those of a part need. */
static void carve_part(arena *a, const heev_problem *p, bool registers, heev_job *job)
{
    size_t const number = type_size(p->type), real = real_size(p);
    int64_t const n = p->n, count = job->part;
    if (p->vectors) {
        if (!registers)
            job->factors = arena_take(a, count * ((n + REFLECTORS - 1) / REFLECTORS), REFLECTORS * REFLECTORS * number);
        job->z = arena_take(a, count * n * n, real);
    }
    heev_tridiagonals const t = tridiagonals_of(*job, 0, count);
    size_t const divide = eig_cuda_heev_divide_bytes(&t), plane = arena_product((size_t)(count * n * n), real);
    bool const planes = p->vectors && type_is_complex(p->type) && !registers;
    job->imaginary = arena_take(a, 1, planes && plane > divide ? plane : divide);
}

static void carve(arena *a, const eig_context *ctx, const heev_problem *p, bool registers, heev_job *job)
{
    if (job->part > job->count) job->part = job->count;
    carve_slice(a, ctx, p, registers, job);
    carve_part(a, p, registers, job);
}

/* The size of equal portions of `all`, each at most `most`. */
static int64_t portion(int64_t all, double most)
{
    int64_t const fit = most < 1 ? 1 : most < (double)all ? (int64_t)most : all, portions = (all + fit - 1) / fit;
    return (all + portions - 1) / portions;
}

static void slice(const eig_context *ctx, const heev_problem *p, bool registers, heev_job *job)
{
    arena whole = {NULL, 0}, part = {NULL, 0};
    job->count = job->part = SOME;
    carve_slice(&whole, ctx, p, registers, job);
    carve_part(&part, p, registers, job);
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
    slice(ctx, p, true, job);
}

void eig_cuda_heev_block_slice(const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    slice(ctx, p, false, job);
}

void eig_cuda_heev_grid_carve(arena *a, const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    carve(a, ctx, p, true, job);
}

void eig_cuda_heev_block_carve(arena *a, const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    carve(a, ctx, p, false, job);
}

/* --------------------------------------------------------------------- values */

template <typename real> static __global__ void __launch_bounds__(VALUES_THREADS) heev_values_kernel(heev_job job)
{
    int64_t const m = blockIdx.x, b = job.first + m, n = job.p.n;
    real const unit = ((const real *)job.unit)[m];
    int const failed = job.failed[m];
    bool const finite = unit == unit, good = finite && failed == 0;
    real *const w = (real *)job.p.w + b * job.p.stride_w;
    for (int64_t i = threadIdx.x; i < n; i += VALUES_THREADS)
        w[i] = good ? ((const real *)job.d)[m * n + i] * unit + (real)0 : (real)NAN;
    if (threadIdx.x > 0) return;
    if (job.p.info) job.p.info[b] = !finite ? EIG_INFO_NOT_FINITE : failed ? (int)n : 0;
    if (job.p.sweeps) job.p.sweeps[b] = 0;
}

/* --------------------------------------------------------------------- kernels */

/* The job of `count` matrices from number `first` of the slice on. */
static heev_job part_of(const heev_job &job, int64_t first, int64_t count)
{
    heev_job own = job;
    size_t const number = type_size(job.p.type), real = real_size(&job.p);
    own.first += first, own.count = count;
    own.d = (char *)job.d + (size_t)(first * job.p.n) * real, own.unit = (char *)job.unit + (size_t)first * real;
    own.failed += first;
    if (!job.p.v) return own;
    own.tau = (char *)job.tau + (size_t)(first * job.p.n) * number;
    own.matrix = (char *)job.p.v + own.first * job.p.stride_v * (int64_t)number;
    own.matrix_pitch = job.p.ldv, own.matrix_stride = job.p.stride_v;
    return own;
}

/* Eigenpairs of T of a part, and its vectors of A by `back`. */
static eig_status solve_part(eig_context *ctx, const heev_job &job, int64_t first, heev_launch *back,
                             cudaStream_t stream, cuda_clock *clock)
{
    int64_t const left = job.count - first, count = left < job.part ? left : job.part;
    heev_job const own = part_of(job, first, count);
    eig_status status = eig_cuda_heev_divide(ctx, tridiagonals_of(job, first, count), stream);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "heev: values_kernel", stream, {count, VALUES_THREADS},
                             type_is_single(job.p.type) ? heev_values_kernel<float> : heev_values_kernel<double>, own);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if (status == EIG_OK && job.p.v) status = back(ctx, own, stream);
    return status == EIG_OK ? eig_cuda_mark_clock(ctx, clock) : status;
}

static eig_status solve_slice(eig_context *ctx, const heev_job &job, heev_launch *reduce, heev_launch *back,
                              cudaStream_t stream, cuda_clock *clock)
{
    eig_status status = reduce(ctx, part_of(job, 0, job.count), stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    for (int64_t first = 0; first < job.count && status == EIG_OK; first += job.part) {
        if (first > 0) { /* another part has times of its own; its reduction took none */
            status = eig_cuda_read_clock(ctx, clock);
            if (status == EIG_OK) status = eig_cuda_start_clock(ctx, clock, stream);
            if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
        }
        if (status == EIG_OK) status = solve_part(ctx, job, first, back, stream, clock);
    }
    return status;
}

eig_status eig_cuda_heev_grid(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock)
{
    const heev_kernels *const k = eig_cuda_heev_kernels(job.p.type);
    return solve_slice(ctx, job, k->grid_reduce, k->grid_back, stream, clock);
}

eig_status eig_cuda_heev_block(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock)
{
    const heev_kernels *const k = eig_cuda_heev_kernels(job.p.type);
    return solve_slice(ctx, job, k->panel, k->back, stream, clock);
}
