/* heev on CUDA: the table of roads.  The first row that serves a call takes it; docs/maintainers/cuda/heev.md has the
 * table too. */
#include "cuda/crossovers.h"
#include "heev/whole/heev_whole.cuh"

enum {
    WARP = 32,
    REFERENCE_EACH = 4 /* blocks of the reference on a multiprocessor */
};

static const heev_kernels kernels[] = {
    {HEEV_KERNELS(CUDA_OF_S)}, {HEEV_KERNELS(CUDA_OF_D)}, {HEEV_KERNELS(CUDA_OF_C)}, {HEEV_KERNELS(CUDA_OF_Z)}};

const heev_kernels *eig_cuda_heev_kernels(eig_type type)
{
    return &kernels[type_index(type)];
}

/* A road of one kernel and one pass. */
template <heev_launch *heev_kernels::*kernel>
static eig_status enqueue_one(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock)
{
    eig_status const status = (eig_cuda_heev_kernels(job.p.type)->*kernel)(ctx, job, stream);
    return status == EIG_OK ? eig_cuda_mark_clock(ctx, clock) : status;
}

static void slice_all(const eig_context *, const heev_problem *p, heev_job *job)
{
    job->count = p->batch;
}

static void carve_nothing(arena *, const eig_context *, const heev_problem *, heev_job *) {}

/* Blocks, or groups of them, that take one matrix of the batch after another: as many as run at once and have room for
 * `bytes` each. */
static void slice_turns(const heev_problem *p, int64_t at_once, size_t bytes, size_t taken, heev_job *job)
{
    int64_t const fit = (job->bytes - (int64_t)taken) / (int64_t)arena_rounded(bytes + 1); /* and the queue */
    int64_t const most = fit < 1 ? 1 : fit < at_once ? fit : at_once;
    job->count = p->batch, job->workers = most < p->batch ? most : p->batch;
}

/* ----------------------------------------------------------------- certificates */

/* Blocks that sum up one matrix, where matrices are few. */
static int shares_of(const eig_context *ctx, const heev_problem *p, int64_t count)
{
    enum { LINES = 64, BLOCKS = 4 }; /* of a share, at least; of a multiprocessor */
    int64_t const most = (int64_t)BLOCKS * cuda_state_of(ctx)->multiprocessors / count, fit = p->n / LINES;
    int64_t const shares = most < fit ? most : fit;
    return shares < 1 ? 1 : (int)shares;
}

void eig_cuda_heev_carve_certificate(arena *a, const eig_context *ctx, const heev_problem *p, int64_t count,
                                     heev_job *job)
{
    if (!p->certify) return;
    job->shares = shares_of(ctx, p, count);
    job->certificates = (heev_certificate *)arena_take(a, count * job->shares, sizeof *job->certificates);
    job->marks = (int *)arena_take(a, count, sizeof *job->marks);
    if (p->n > WARP && p->vectors) {
        job->forms = (double2 *)arena_take(a, count, sizeof *job->forms);
        job->arrived = (int *)arena_take(a, count, sizeof *job->arrived);
    }
    job->doubtful = (int64_t *)arena_take(a, count, sizeof *job->doubtful);
    job->doubts = (int *)arena_take(a, 1, sizeof *job->doubts);
}

/* ------------------------------------------------------------------- reference */

static bool is_reference(const eig_context *, const heev_problem *p)
{
    return p->method == EIG_HEEV_REFERENCE;
}

static void slice_reference(const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    slice_turns(p, (int64_t)REFERENCE_EACH * cuda_state_of(ctx)->multiprocessors,
                eig_cuda_heev_kernels(p->type)->reference_bytes(p->n), 0, job);
}

static void carve_reference(arena *a, const eig_context *, const heev_problem *p, heev_job *job)
{
    job->areas = arena_take(a, job->workers, eig_cuda_heev_kernels(p->type)->reference_bytes(p->n));
}

/* ---------------------------------------------------------------------- jacobi */

static bool wants_jacobi(const heev_problem *p)
{
    return p->method == EIG_HEEV_JACOBI || p->relative;
}

/* Where Jacobi by a thread is asked for, or is faster. */
static bool is_small(const eig_context *, const heev_problem *p)
{
    return p->n <= HEEV_SMALL && (wants_jacobi(p) || p->n < HEEV_SMALL || (p->vectors && !type_is_complex(p->type)));
}

static bool is_jacobi(const eig_context *, const heev_problem *p)
{
    return p->n <= HEEV_WARP && wants_jacobi(p);
}

/* The certificates' arrays stay small. */
static void slice_jacobi(const eig_context *, const heev_problem *p, heev_job *job)
{
    enum { MOST = 1 << 21 };
    job->count = p->batch < MOST ? p->batch : (int64_t)MOST;
}

static void carve_queue(arena *a, const eig_context *, const heev_problem *, heev_job *job)
{
    job->queue = (unsigned long long *)arena_take(a, 1, sizeof *job->queue);
}

/* It also takes what no other road serves. */
static bool is_blocks(const eig_context *, const heev_problem *)
{
    return true;
}

static void slice_blocks(const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    heev_blocks_plan plan;
    eig_cuda_heev_kernels(p->type)->blocks_plan(ctx, p, &plan);
    arena some = {NULL, 0};
    eig_cuda_heev_carve_certificate(&some, ctx, p, p->batch, job);
    slice_turns(p, plan.groups, plan.bytes, arena_rounded(some.used), job);
}

static void carve_blocks(arena *a, const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    heev_blocks_plan plan;
    eig_cuda_heev_kernels(p->type)->blocks_plan(ctx, p, &plan);
    carve_queue(a, ctx, p, job);
    job->areas = arena_take(a, job->workers, plan.bytes);
}

/* ----------------------------------------------------------------- tridiagonal */

static bool is_tiny(const eig_context *, const heev_problem *p)
{
    return p->n <= HEEV_TINY;
}

/* Whether the table has a row for the call.  Above the orders of heev_as_many it is one matrix's where the number must
 * not matter. */
static bool chooses(const crossover *table, const heev_problem *p)
{
    bool const one = p->all == EIG_ANY_NUMBER && !crosses(heev_as_many, p->type, p->vectors, p->n, p->all);
    return crosses(table, p->type, p->vectors, p->n, one ? 1 : p->all);
}

/* Method tridiagonal takes the roads below for any number. */
static bool is_few(const eig_context *ctx, const heev_problem *p)
{
    return p->method == EIG_HEEV_AUTO && !p->relative && chooses(heev_few, p) &&
           eig_cuda_heev_kernels(p->type)->few_bytes(p->n) <= (size_t)cuda_state_of(ctx)->shared_bytes;
}

static bool is_warp(const eig_context *, const heev_problem *p)
{
    return p->n <= HEEV_WARP;
}

/* Sweeps for a value that are enough for every T. */
enum { QL_ENOUGH = 30 };

static void carve_warp(arena *a, const eig_context *, const heev_problem *p, heev_job *job)
{
    size_t const real = type_is_single(p->type) ? sizeof(float) : sizeof(double);
    int64_t const n = p->n, count = job->count;
    job->most_rotations = heev_most_rotations(n), job->most_sweeps = heev_most_sweeps(n);
    job->d = arena_take(a, count * n, real);
    job->e = arena_take(a, count * n, real);
    job->unit = arena_take(a, count, real);
    if (p->max_sweeps >= QL_ENOUGH) { /* else the caller wants to see values given up */
        job->list = (int *)arena_take(a, count, sizeof(int));
        job->listed = (int *)arena_take(a, 1, sizeof(int));
    }
    if (!p->vectors) return;
    job->tau = arena_take(a, count * n, type_size(p->type));
    job->rotations = arena_take(a, count * job->most_rotations, sizeof(int64_t));
    job->sweeps = (uint16_t *)arena_take(a, count * job->most_sweeps, sizeof(uint16_t));
    job->sweep_count = (int *)arena_take(a, count, sizeof(int));
    job->failed = (int *)arena_take(a, count, sizeof(int));
    job->order = (uint8_t *)arena_take(a, count * n, 1);
}

static void slice_warp(const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    arena some = {NULL, 0};
    job->count = WARP;
    eig_cuda_heev_carve_certificate(&some, ctx, p, job->count, job);
    carve_warp(&some, ctx, p, job);
    int64_t const most = job->bytes / (int64_t)arena_rounded(some.used) * WARP;
    job->count = most < p->batch ? most : p->batch;
}

static eig_status enqueue_warp(eig_context *ctx, const heev_job &job, cudaStream_t stream, cuda_clock *clock)
{
    const heev_kernels *const k = eig_cuda_heev_kernels(job.p.type);
    eig_status status = k->reduce(ctx, job, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if (status == EIG_OK && job.listed) status = k->twist(ctx, job, stream);
    if (status == EIG_OK) status = eig_cuda_heev_ql(ctx, job, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if (status == EIG_OK && job.p.v) status = k->vectors(ctx, job, stream);
    return status == EIG_OK ? eig_cuda_mark_clock(ctx, clock) : status;
}

static bool is_grid(const eig_context *, const heev_problem *p)
{
    return p->n <= HEEV_GRID && !wants_jacobi(p);
}

static bool is_block(const eig_context *ctx, const heev_problem *p)
{
    return !wants_jacobi(p) && eig_cuda_heev_place(ctx, p) != HEEV_PANEL_NOWHERE;
}

static bool is_whole(const eig_context *ctx, const heev_problem *p)
{
    int const least = p->type == EIG_Z ? 140 << 10 : 80 << 10; /* shared memory that its kernels need */
    if (cuda_state_of(ctx)->shared_bytes < least) return false;
    heev_panel_place const place = eig_cuda_heev_place(ctx, p);
    if (p->n <= HEEV_GRID || wants_jacobi(p) || place == HEEV_PANEL_SHARED) return false;
    return place == HEEV_PANEL_NOWHERE || chooses(heev_whole, p);
}

static bool is_two(const eig_context *ctx, const heev_problem *p)
{
    return chooses(heev_two, p) && is_whole(ctx, p) &&
           (!p->vectors ||
            eig_cuda_heev_kernels(p->type)->two_back_bytes(p->n) <= (size_t)cuda_state_of(ctx)->shared_bytes) &&
           eig_cuda_heev_kernels(p->type)->two_pitch(ctx, p->n) > 0;
}

bool eig_cuda_heev_are_many(const heev_problem *p)
{
    return !chooses(heev_each, p);
}

bool eig_cuda_heev_divides(const heev_problem *p)
{
    return p->n <= HEEV_MOST_CAPTURED && p->range == EIG_RANGE_ALL && eig_cuda_heev_are_many(p);
}

/* ---------------------------------------------------------------- n > 32, in parts */

template <heev_parts_road road> static void slice_parts(const eig_context *ctx, const heev_problem *p, heev_job *job)
{
    job->road = road;
    eig_cuda_heev_slice_parts(ctx, p, job);
}

static const char *algorithm_of_two(const eig_context *, const heev_problem *p)
{
    return p->vectors ? "two stages, stemr" : "two stages, stebz";
}

static const char *algorithm_of_whole(const eig_context *ctx, const heev_problem *p)
{
    if (!p->vectors) return "whole, stebz";
    return cuda_state_of(ctx)->captured || eig_cuda_heev_divides(p) ? "whole, divide and conquer" : "whole, stemr";
}

/* ------------------------------------------------------------------- the table */

static const char *const names[] = {"reduction", "tridiagonal", "vectors"}, *const name[] = {"tridiagonal"},
                         *const name_of_jacobi[] = {"sweeps"};
static const cuda_passes one = {1, name}, three = {3, names}, sweeps = {1, name_of_jacobi};

static const heev_road roads[] = {
    {"reference", NULL, is_reference, slice_reference, carve_reference, enqueue_one<&heev_kernels::reference>, sweeps,
     HEEV_CERTIFIES_ITSELF},
    {"thread jacobi", NULL, is_small, slice_all, carve_nothing, enqueue_one<&heev_kernels::small>, sweeps,
     HEEV_CERTIFIES_ITSELF},
    {"jacobi", NULL, is_jacobi, slice_jacobi, carve_queue, enqueue_one<&heev_kernels::jacobi>, sweeps},
    {"thread", NULL, is_tiny, slice_all, carve_nothing, enqueue_one<&heev_kernels::tiny>, one, HEEV_CERTIFIES_ITSELF},
    {"few", NULL, is_few, slice_all, carve_nothing, enqueue_one<&heev_kernels::few>, one, HEEV_CERTIFIES_ITSELF},
    {"warp", NULL, is_warp, slice_warp, carve_warp, enqueue_warp, three, HEEV_SUMS_ITSELF},
    {"grid", NULL, is_grid, slice_parts<HEEV_OF_GRID>, eig_cuda_heev_carve_parts, eig_cuda_heev_parts, three},
    {"two stages", algorithm_of_two, is_two, slice_parts<HEEV_OF_TWO>, eig_cuda_heev_carve_parts, eig_cuda_heev_parts,
     three, HEEV_RANGES},
    {"whole", algorithm_of_whole, is_whole, slice_parts<HEEV_OF_WHOLE>, eig_cuda_heev_carve_parts, eig_cuda_heev_parts,
     three, HEEV_RANGES},
    {"block", NULL, is_block, slice_parts<HEEV_OF_BLOCK>, eig_cuda_heev_carve_parts, eig_cuda_heev_parts, three},
    {"block jacobi", NULL, is_blocks, slice_blocks, carve_blocks, enqueue_one<&heev_kernels::blocks>, sweeps},
};

const heev_road *eig_cuda_heev_road(const eig_context *ctx, const heev_problem *p)
{
    return cuda_road_of(roads, ctx, p);
}

const heev_road *eig_cuda_heev_roads(int *count)
{
    *count = sizeof roads / sizeof *roads;
    return roads;
}
