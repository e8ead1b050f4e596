/* stebz on CUDA, batches: a team of threads computes a whole matrix in shared memory.
 *
 * Owner     team of 32 threads for n <= 32 (four matrices a block), else one block a matrix; a lane owns one eigenvalue
 *           at a time and takes the next from a shared counter.
 * Memory    per matrix: 16 bytes a padded row (8 in float), an edge every 16 rows, and the table of 2n shifts, 24 bytes
 *           each; 8.7 KB for n = 128 in double.  T is read from global memory twice, w written once.
 * Bits      those of a matrix by itself (stebz_bracket.cuh). */
#include "primitives/team.cuh"
#include "stebz_bracket.cuh"
#include "stebz_prepare.cuh"
#include "stebz_resident.cuh"

enum { WARP = 32, SMALL_BLOCK = 128, LARGE_BLOCK = 256, MOST_ROWS = 2048, RESERVE = 1024 };

struct batch_args {
    stebz_job job; /* pointers of matrix 0 */
    int64_t batch, stride_d, stride_e, stride_w;
    int *info;
    int points, team;
    size_t team_bytes;
};

/* What the threads of a team share. */
struct batch_team {
    stebz_facts facts;
    double scratch[LARGE_BLOCK / WARP];
    int next;
};

/* Measures and scales one matrix; the team's threads. */
template <typename real>
static __device__ void team_prepare(const stebz_job &job, const stebz_rows &t, batch_team *shared, sized_team team)
{
    const real *const d = (const real *)job.d, *const e = (const real *)job.e;
    stebz_partial p = measure_rows(d, e, t.n, team.rank, team.size);
    p.finite = team.max(!p.finite) == 0;
    p.least = -team.max(-p.least);
    for (int k = 0; k < 2; ++k) {
        p.norm[k] = team.max(p.norm[k]);
        p.lo[k] = -team.max(-p.lo[k]);
        p.hi[k] = team.max(p.hi[k]);
        p.sway[k] = team.max(p.sway[k]);
    }
    if (team.rank == 0) {
        shared->facts = find_facts<real>(job, p);
        shared->next = 0;
    }
    team.sync(); /* facts are complete */
    if (!shared->facts.finite || shared->facts.zero) return;
    int const padding = (int)(t.blocks * STURM_BLOCK - t.n);
    for (int block = team.rank; block < (int)t.blocks; block += team.size)
        make_block(d, e, (int64_t)block * STURM_BLOCK - padding, block == 0 ? padding : 0, shared->facts, t,
                   (int64_t)block * STURM_BLOCK);
    team.sync(); /* rows are complete */
}

/* Brackets of all wanted eigenvalues, one a lane. */
template <typename real, bool may_pivot>
static __device__ void team_refine(const stebz_job &job, const resident<real> &matrix, const stebz_table &table,
                                   batch_team *shared, sized_team team)
{
    stebz_facts const f = facts_of<may_pivot>(&shared->facts);
    int const wanted = (int)(f.iu - f.il + 1);
    int at = team.rank;
    stebz_bracket s = {};
    if (at < wanted) s = bracket_from_table(f, table, f.il + at);
    for (;;) {
        double lo, hi;
        while (at < wanted && bracket_done(f, s, &lo, &hi)) {
            stebz_store(f, (real *)job.w, (real *)job.lower, (real *)job.upper, at, lo, hi);
            at = team.size + atomicAdd(&shared->next, 1);
            if (at < wanted) s = bracket_from_table(f, table, f.il + at);
        }
        bool const active = at < wanted;
        if (!__any_sync(0xffffffffu, active)) break;
        double const x = active ? bracket_shift<real>(f, s) : 0;
        bracket_move(s, x, matrix.count(f, x));
    }
}

template <typename real, bool may_pivot>
static __global__ void __launch_bounds__(LARGE_BLOCK, 2) batch_kernel(batch_args a)
{
    extern __shared__ char memory[];
    int const number = threadIdx.x / a.team; /* of the team in the block */
    int64_t const matrix = (int64_t)blockIdx.x * (blockDim.x / a.team) + number;
    if (matrix >= a.batch) return; /* whole teams leave; a team of several warps is a whole block */
    char *at = memory + number * a.team_bytes;
    batch_team *const shared = (batch_team *)at;
    sized_team const team = {a.team, (int)threadIdx.x % a.team, shared->scratch};
    stebz_job job = a.job;
    job.d = (const real *)job.d + matrix * a.stride_d;
    job.e = (const real *)job.e + matrix * a.stride_e;
    job.w = (real *)job.w + matrix * a.stride_w;
    if (job.lower) job.lower = (real *)job.lower + matrix * a.stride_w;
    if (job.upper) job.upper = (real *)job.upper + matrix * a.stride_w;
    resident<real> T = {job.t, false};
    T.t.edges = at += RESERVE;
    T.t.rows = at += T.t.blocks * sizeof(stebz_edge<real>);
    at += T.t.blocks * STURM_BLOCK * (job.abstol > 0 ? sizeof(double2) : sizeof(pair_of<real>));
    stebz_table table = {}; /* there is no first table */
    table.points = a.points;
    table.count = (int64_t *)at;
    table.mantissa = (double *)(at += a.points * 8);
    table.exponent = (double *)(at += a.points * 8);

    team_prepare<real>(job, T.t, shared, team);
    int const wanted = (int)(job.iu - job.il + 1);
    if (team.rank == 0 && a.info) a.info[matrix] = shared->facts.finite ? EIG_INFO_OK : EIG_INFO_NOT_FINITE;
    if (!shared->facts.finite || shared->facts.zero) {
        for (int i = team.rank; i < wanted; i += team.size)
            stebz_store_trivial(shared->facts, (real *)job.w, (real *)job.lower, (real *)job.upper, i);
        return;
    }
    stebz_facts const f = facts_of<may_pivot>(&shared->facts);
    for (int j = team.rank; j < a.points; j += team.size) {
        stebz_value const v = T.count(f, stebz_even_point(f, f.from, f.upto, a.points, j));
        table.count[j] = j == 0 ? 0 : j == a.points - 1 ? job.t.n : v.count;
        table.mantissa[j] = v.mantissa;
        table.exponent[j] = v.exponent;
    }
    team.sync(); /* the table is complete */
    team_refine<real, may_pivot>(job, T, table, shared, team);
}

/* --------------------------------------------------------------- launchers */

/* Shape of the launch; false where a matrix does not fit in shared memory. */
static bool shape(const stebz_problem *p, int most_shared, batch_args *a, int *teams, size_t *bytes)
{
    if (p->n > MOST_ROWS) return false;
    size_t const pair = p->type == EIG_S && !(p->abstol > 0) ? sizeof(float2) : sizeof(double2);
    int64_t const blocks = (p->n + STURM_BLOCK - 1) / STURM_BLOCK;
    a->team = WARP;
    while (a->team < p->n && a->team < LARGE_BLOCK) a->team += WARP;
    a->points = (int)(2 * p->n > a->team ? 2 * p->n : a->team);
    a->team_bytes = RESERVE + blocks * (STURM_BLOCK * pair + sizeof(stebz_edge<double>)) + (size_t)a->points * 24;
    *teams = a->team == WARP ? SMALL_BLOCK / WARP : 1;
    *bytes = *teams * a->team_bytes;
    return *bytes <= (size_t)most_shared;
}

bool eig_cuda_stebz_batch_fits(const eig_context *ctx, const stebz_problem *p)
{
    batch_args a = {};
    int teams = 0;
    size_t bytes = 0;
    return p->batched && shape(p, cuda_state_of(ctx)->shared_bytes, &a, &teams, &bytes);
}

template <typename real, bool may_pivot>
static eig_status launch(eig_context *ctx, const batch_args &a, int teams, size_t bytes, cudaStream_t stream)
{
    int64_t const most = (int64_t)1 << 30; /* matrices of one launch's grid */
    eig_status status = EIG_OK;
    for (int64_t first = 0; first < a.batch && status == EIG_OK; first += most * teams) {
        batch_args part = a;
        part.batch = a.batch - first < most * teams ? a.batch - first : most * teams;
        part.job.d = (const real *)a.job.d + first * a.stride_d;
        part.job.e = (const real *)a.job.e + first * a.stride_e;
        part.job.w = (real *)a.job.w + first * a.stride_w;
        if (a.job.lower) part.job.lower = (real *)a.job.lower + first * a.stride_w;
        if (a.job.upper) part.job.upper = (real *)a.job.upper + first * a.stride_w;
        if (a.info) part.info = a.info + first;
        status =
            cuda_launch(ctx, "stebz: batch_kernel", stream, {(part.batch + teams - 1) / teams, a.team * teams, bytes},
                        batch_kernel<real, may_pivot>, part);
    }
    return status;
}

eig_status eig_cuda_stebz_batch(eig_context *ctx, const stebz_problem *p, cudaStream_t stream)
{
    batch_args a = {};
    int teams = 0;
    size_t bytes = 0;
    shape(p, cuda_state_of(ctx)->shared_bytes, &a, &teams, &bytes);
    a.job.d = p->d, a.job.e = p->e, a.job.w = p->w, a.job.lower = p->lower, a.job.upper = p->upper;
    a.job.range = p->range, a.job.il = p->il, a.job.iu = p->iu;
    a.job.abstol = p->abstol, a.job.reltol = p->reltol;
    a.job.t.n = p->n;
    a.job.t.blocks = (p->n + STURM_BLOCK - 1) / STURM_BLOCK;
    a.batch = p->batch;
    a.stride_d = p->stride_d, a.stride_e = p->stride_e, a.stride_w = p->stride_w;
    a.info = p->info;
    bool const may_pivot = p->abstol > 0;
    if (p->type == EIG_S)
        return may_pivot ? launch<float, true>(ctx, a, teams, bytes, stream)
                         : launch<float, false>(ctx, a, teams, bytes, stream);
    return may_pivot ? launch<double, true>(ctx, a, teams, bytes, stream)
                     : launch<double, false>(ctx, a, teams, bytes, stream);
}
