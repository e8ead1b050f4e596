/* heev on CUDA, n > 64, tridiagonal, kernel 1 for few matrices: launches.  Columns ahead of what fits the shared memory of all
 * blocks go by panels (heev_panels.cuh), the rest by a team of blocks a matrix (heev_team.cuh). */
#include "heev/whole/heev_panels.cuh"
#include "heev/whole/heev_team.cuh"
#include "per_type.cuh"

/* The kernels of teams, by the order: warps, rows of v, w and x a thread, classes of columns. */
enum {
    TEAM_WARPS = 16,
    TEAM_CLASSES = 4,
    TEAM_ONE_MOST = 32 * TEAM_WARPS /* largest order with one row a thread */,
    TEAM_ROWS = sizeof(number) == 4   ? 5
                : sizeof(number) == 8 ? 4
                                      : 3,
    TEAM_MANY_CLASSES = 16,
    TEAM_MOST = 32 * TEAM_WARPS * TEAM_ROWS
};

/* How teams share the device. */
struct team_plan {
    int team;      /* blocks of a team */
    int64_t teams; /* at once */
};

static size_t bytes_of_team(int64_t n, int64_t team)
{
    return n <= TEAM_ONE_MOST ? team_bytes<number, TEAM_WARPS, TEAM_CLASSES, false>(n, team)
                              : team_bytes<number, TEAM_WARPS, TEAM_MANY_CLASSES, false>(n, team);
}

/* The largest order that fits the shared memory of all multiprocessors. */
static int64_t most_of_team(const eig_context *ctx)
{
    const cuda_state *const s = cuda_state_of(ctx);
    int64_t n = TEAM_MOST;
    while (bytes_of_team(n, s->multiprocessors) > (size_t)s->shared_bytes) n -= PANELS_GROUP;
    return n;
}

/* Columns that go by panels. */
static int64_t columns_by_panels(const eig_context *ctx, int64_t n)
{
    int64_t const most = most_of_team(ctx);
    return n <= most ? 0 : (n - most + PANELS_GROUP - 1) / PANELS_GROUP * PANELS_GROUP;
}

static team_plan plan_of_team(const eig_context *ctx, int64_t n, int64_t count)
{
    const cuda_state *const s = cuda_state_of(ctx);
    int64_t const all = s->multiprocessors, rows = 4; /* a block, at least */
    int64_t least = 1;
    while (bytes_of_team(n, least) > (size_t)s->shared_bytes) ++least;
    int64_t const teams = count < all / least ? count : all / least;
    int64_t team = all / teams;
    if (team > (n + rows - 1) / rows) team = (n + rows - 1) / rows;
    return {(int)team, teams};
}

/* ------------------------------------------------------------------- workspace */

/* What enqueueing carves from job->areas. */
struct whole_areas {
    void *slots, *units;
    size_t marked; /* bytes of both, one behind the other */
    panels_job panels;
    void *largest;
};

static size_t carve_whole(const eig_context *ctx, const heev_job *job, void *base, whole_areas *w)
{
    *w = whole_areas{};
    arena a = {(char *)base, 0};
    int64_t const n = job->p.n, ahead = columns_by_panels(ctx, n), blocks = cuda_state_of(ctx)->multiprocessors;
    team_plan const plan = plan_of_team(ctx, n - ahead, ahead > 0 ? 1 : job->count);
    w->slots = arena_take(&a, plan.teams * TEAM_TURNS * (n - ahead), sizeof(team_message<number>));
    w->units = arena_take(&a, (ahead > 0 ? 1 : job->count) * plan.team, sizeof(real));
    w->marked = a.used;
    if (ahead == 0) return arena_rounded(a.used);
    using tile = panels_tile<number>;
    int64_t const tiles = (n + tile::rows - 1) / tile::rows;
    panels_job *const p = &w->panels;
    p->panel = arena_take(&a, n * 2 * PANELS_WIDTH, sizeof(number));
    p->x = arena_take(&a, 2 * n, sizeof(number));
    p->down = arena_take(&a, (tiles + blocks) * tile::rows, sizeof(number));
    p->across = arena_take(&a, tiles * n, sizeof(number));
    p->part_dots = arena_take(&a, 2 * PANELS_WIDTH * blocks, sizeof(number));
    p->dots = arena_take(&a, 2 * PANELS_WIDTH, sizeof(number));
    p->forms = arena_take(&a, blocks, sizeof(real));
    p->norms = arena_take(&a, 2 * blocks, sizeof(real));
    p->counter = (unsigned *)arena_take(&a, 1, sizeof(unsigned));
    w->largest = arena_take(&a, blocks, sizeof(real));
    return arena_rounded(a.used);
}

size_t TYPED(eig_cuda_heev_whole_bytes)(const eig_context *ctx, const heev_job *job)
{
    whole_areas w;
    return carve_whole(ctx, job, NULL, &w);
}

int64_t TYPED(eig_cuda_heev_whole_ahead)(const eig_context *ctx, int64_t n)
{
    return columns_by_panels(ctx, n);
}

/* ------------------------------------------------------------------------ team */

static eig_status launch_team(eig_context *ctx, const team_job &job, int64_t teams, cudaStream_t stream)
{
    int64_t const n = job.n;
    cuda_shape shape = {teams * job.team, 32 * TEAM_WARPS + 32, bytes_of_team(n, job.team)};
    shape.cooperative = true;
    return cuda_launch(ctx, "heev: team_kernel", stream, shape,
                       n <= TEAM_ONE_MOST ? heev_team_kernel<number, TEAM_WARPS, 1, TEAM_CLASSES, false>
                                          : heev_team_kernel<number, TEAM_WARPS, TEAM_ROWS, TEAM_MANY_CLASSES, false>,
                       job);
}

/* --------------------------------------------------------------------- panels */

/* Shares the pieces out, those of `most_tiles` to a block; returns the most tiles that a block has pieces of. */
static int64_t share_pieces(panels_job *p, int blocks, int64_t most_tiles)
{
    using tile = panels_tile<number>;
    int64_t const tiles = (p->n + tile::rows - 1) / tile::rows, t0 = p->k0 / tile::rows;
    int64_t const all = panels_pieces<number>(tiles, p->k0);
    int64_t most = 0, R = t0;
    p->first_piece[0] = 0;
    for (int b = 0; b < blocks; ++b) {
        int64_t const begin = p->first_piece[b];
        int64_t end = begin + (all - begin + blocks - b - 1) / (blocks - b);
        while (R + 1 < tiles && panels_pieces<number>(R + 1, p->k0) <= begin) ++R;
        int64_t const bound = panels_pieces<number>(R + most_tiles < tiles ? R + most_tiles : tiles, p->k0);
        if (end > bound && b + 1 < blocks) end = bound;
        p->first_piece[b + 1] = end;
        int64_t last = R;
        while (last + 1 < tiles && panels_pieces<number>(last + 1, p->k0) < end) ++last;
        if (last - R + 1 > most) most = last - R + 1;
    }
    return most;
}

static eig_status launch_panel(eig_context *ctx, panels_job *p, cudaStream_t stream)
{
    int const blocks = cuda_state_of(ctx)->multiprocessors;
    bool const aligned = (uintptr_t)p->a % sizeof(number) == 0;
    size_t const most = (size_t)cuda_state_of(ctx)->shared_bytes;
    int64_t most_tiles = 16;
    while (most_tiles > 1 && panels_bytes<number>(most_tiles) > most) --most_tiles;
    cuda_shape shape = {blocks, PANELS_THREADS, panels_bytes<number>(share_pieces(p, blocks, most_tiles))};
    shape.cooperative = true;
    eig_status status =
        cuda_launch(ctx, "heev: panels_kernel", stream, shape,
                    aligned ? heev_panels_kernel<number, true> : heev_panels_kernel<number, !number::complex>, *p);
    p->turns += 2 * (unsigned)p->width;
    int64_t const tiles = (p->n - p->k0 - p->width + UPDATE_TILE - 1) / UPDATE_TILE;
    cuda_shape const update = {tiles * (tiles + 1) / 2, UPDATE_THREADS, update_shape<number>::bytes};
    if (status == EIG_OK)
        status =
            cuda_launch(ctx, "heev: update_kernel", stream, update,
                        aligned ? heev_update_kernel<number, true> : heev_update_kernel<number, !number::complex>, *p);
    return status;
}

/* Matrix m of the slice: its copy, and `ahead` columns. */
static eig_status enqueue_panels(eig_context *ctx, const heev_job &job, int64_t m, int64_t ahead, const whole_areas &w,
                                 cudaStream_t stream)
{
    int const blocks = cuda_state_of(ctx)->multiprocessors;
    int64_t const n = job.p.n;
    panels_job p = w.panels;
    p.a = (number *)job.matrix + m * job.matrix_stride, p.pitch = job.matrix_pitch, p.n = (int)n, p.turns = 0;
    p.keep = job.p.v != NULL, p.d = (real *)job.d + m * n, p.e = (real *)job.e + m * n;
    p.tau = p.keep ? (number *)job.tau + m * n : NULL;
    CUDA_TRY(cudaMemsetAsync(p.counter, 0, sizeof *p.counter, stream));
    eig_status status = cuda_launch(ctx, "heev: largest_kernel", stream, {blocks, COPY_THREADS},
                                    heev_largest_kernel<number>, job, job.first + m, w.largest);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "heev: scale_kernel", stream, {4 * blocks, COPY_THREADS}, heev_scale_kernel<number>,
                             job, m, (const void *)w.largest, blocks);
    for (int64_t k = 0; k < ahead && status == EIG_OK; k += PANELS_WIDTH) {
        p.k0 = (int)k, p.width = ahead - k < PANELS_WIDTH ? (int)(ahead - k) : (int)PANELS_WIDTH;
        status = launch_panel(ctx, &p, stream);
    }
    return status;
}

/* ----------------------------------------------------------------------- entry */

eig_status TYPED(eig_cuda_heev_whole)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    int64_t const n = job.p.n, ahead = columns_by_panels(ctx, n);
    whole_areas w;
    carve_whole(ctx, &job, job.areas, &w);
    bool const keep = job.p.v != NULL;
    team_job t = {};
    t.n = (int)(n - ahead), t.row = n, t.slots = w.slots, t.units = w.units, t.scaled = ahead > 0;
    if (ahead == 0) {
        team_plan const plan = plan_of_team(ctx, n, job.count);
        t.team = plan.team, t.count = job.count;
        t.from = (const number *)job.p.a + job.first * job.at_a.b, t.from_stride = job.at_a.b, t.upper = job.p.upper;
        t.down = job.p.upper ? job.at_a.j : job.at_a.i, t.across = job.p.upper ? job.at_a.i : job.at_a.j;
        t.d = job.d, t.e = job.e, t.unit = job.unit, t.tau = keep ? job.tau : NULL;
        t.keep = keep ? job.matrix : NULL, t.keep_pitch = job.matrix_pitch, t.keep_stride = job.matrix_stride;
        CUDA_TRY(cudaMemsetAsync(w.slots, TEAM_MARK, w.marked, stream));
        return launch_team(ctx, t, plan.teams, stream);
    }
    eig_status status = EIG_OK;
    for (int64_t m = 0; m < job.count && status == EIG_OK; ++m) {
        status = enqueue_panels(ctx, job, m, ahead, w, stream);
        if (status != EIG_OK) break;
        number *const rest = (number *)job.matrix + m * job.matrix_stride + ahead * (job.matrix_pitch + 1);
        t.team = plan_of_team(ctx, n - ahead, 1).team, t.count = 1;
        t.from = rest, t.down = 1, t.across = job.matrix_pitch;
        t.d = (real *)job.d + m * n + ahead, t.e = (real *)job.e + m * n + ahead;
        t.tau = keep ? (number *)job.tau + m * n + ahead : NULL;
        t.keep = keep ? rest : NULL, t.keep_pitch = job.matrix_pitch;
        CUDA_TRY(cudaMemsetAsync(w.slots, TEAM_MARK, w.marked, stream));
        status = launch_team(ctx, t, 1, stream);
    }
    return status;
}
