/* heev on CUDA, n > 64, tridiagonal, kernel 1 for few matrices: launches.  Columns ahead of what fits the shared memory
 * of all blocks go by panels (heev_panels.cuh), the rest by a team of blocks a matrix (heev_team.cuh). */
#include "heev/whole/heev_panels.cuh"
#include "heev/whole/heev_team.cuh"
#include "per_type.cuh"

/* The shapes of teams' blocks, by the order: a thread has 256 bytes of the matrix, or a little more. */
enum { TEAM_NUMBERS = 256 / (int)sizeof(number), TEAM_SMALL = 256, TEAM_MIDDLE = 512, TEAM_LARGE = 1024 };
using team_small = team_shape<8, 1, 4, TEAM_NUMBERS / 2, 2>;
using team_middle = team_shape<16, 1, 4, TEAM_NUMBERS / 4, 4>;
using team_large = team_shape<16, 2, 16, TEAM_NUMBERS / 2, 2>;
template <int bytes> struct team_largest_of {
    using shape = team_large;
};
template <> struct team_largest_of<4> {
    using shape = team_shape<16, 4, 16, 16, 4>;
};
template <> struct team_largest_of<8> {
    using shape = team_shape<16, 3, 16, 12, 3>;
};
using team_largest = team_largest_of<sizeof(number)>::shape;

/* Calls work(shape) with the shape of order n. */
template <typename function> static auto with_team(int64_t n, function work)
{
    if (n <= TEAM_SMALL) return work(team_small{});
    if (n <= TEAM_MIDDLE) return work(team_middle{});
    if (n <= TEAM_LARGE) return work(team_large{});
    return work(team_largest{});
}

#define TELL_BYTES 1e11 /* some 30 ms */

/* How teams share the device. */
struct team_plan {
    bool cluster;  /* a team is a cluster: n up to TEAM_ONE_MOST */
    int team;      /* blocks of a team */
    int64_t teams; /* at once */
};

/* Whether a team of so many blocks has room for order n. */
static bool team_fits(const eig_context *ctx, int64_t n, int64_t team, bool cluster)
{
    return with_team(n, [&](auto shape) {
        using s = decltype(shape);
        size_t const bytes = cluster ? team_bytes<number, s, true>(n) : team_bytes<number, s, false>(n);
        return n <= s::columns && (n + team - 1) / team <= s::rows && bytes <= (size_t)cuda_state_of(ctx)->shared_bytes;
    });
}

/* The largest order that fits the registers of all multiprocessors. */
static int64_t most_of_team(const eig_context *ctx)
{
    int64_t n = team_largest::columns;
    while (!team_fits(ctx, n, cuda_state_of(ctx)->multiprocessors, false)) n -= PANELS_GROUP;
    return n;
}

/* Columns that go by panels. */
static int64_t columns_by_panels(const eig_context *ctx, int64_t n)
{
    int64_t const most = most_of_team(ctx);
    return n <= most ? 0 : (n - most + PANELS_GROUP - 1) / PANELS_GROUP * PANELS_GROUP;
}

/* The fastest clusters for `count` matrices: a column takes some 1.2 us, and its product as long as a block's share of
 * the matrix is large. */
static team_plan plan_of_clusters(const eig_context *ctx, int64_t n, int64_t count)
{
    const cuda_state *const s = cuda_state_of(ctx);
    team_plan best = {true, 0, 0};
    double best_time = 0;
    if (n > TEAM_MIDDLE) return best;
    for (int team = 2; team <= s->cluster; team *= 2) {
        if (!team_fits(ctx, n, team, true)) continue;
        int64_t const each = n <= TEAM_SMALL ? 2 : 1; /* blocks on a multiprocessor */
        int64_t const groups = (team <= 2 ? s->multiprocessors : s->multiprocessors * 12 / 13) / team;
        if (groups == 0) continue;
        int64_t const at_once = each * groups, rounds = (count + at_once - 1) / at_once;
        double const share = 3e-5 * (double)(n * n) / team * sizeof(number) / 8;
        double const time = (double)rounds * (1.2 + share) * (count > groups ? 1.0 + 0.2 * (double)(each - 1) : 1.0);
        if (best.team == 0 || time < best_time) best = {true, team, count}, best_time = time;
    }
    return best;
}

static team_plan plan_of_team(const eig_context *ctx, int64_t n, int64_t count)
{
    team_plan const clusters = plan_of_clusters(ctx, n, count);
    if (clusters.team > 0) return clusters;
    int64_t const all = cuda_state_of(ctx)->multiprocessors, rows = 4; /* a block, at least */
    int64_t least = 1;
    while (!team_fits(ctx, n, least, false)) ++least;
    int64_t const teams = count < all / least ? count : all / least;
    int64_t team = all / teams;
    if (team > (n + rows - 1) / rows) team = (n + rows - 1) / rows;
    return {false, (int)team, teams};
}

/* ------------------------------------------------------------------- workspace */

/* What enqueueing carves from job->room. */
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
    if (!plan.cluster) {
        w->slots = arena_take(&a, plan.teams * TEAM_TURNS * (n - ahead), sizeof(team_message<number>));
        w->units = arena_take(&a, (ahead > 0 ? 1 : job->count) * plan.team, sizeof(real));
        w->marked = a.used;
    }
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

template <typename shape_of_team, bool cluster>
static eig_status launch_shape(eig_context *ctx, const team_job &job, const team_plan &plan, cudaStream_t stream)
{
    auto const kernel = heev_team_kernel<number, shape_of_team, cluster>;
    cuda_shape shape = {plan.teams * plan.team, shape_of_team::threads,
                        team_bytes<number, shape_of_team, cluster>(job.n)};
    shape.cooperative = !cluster, shape.cluster = cluster ? plan.team : 1;
    if (shape.cluster > 8) CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    return cuda_launch(ctx, "heev: team_kernel", stream, shape, kernel, job);
}

static eig_status launch_team(eig_context *ctx, team_job job, const team_plan &plan, const whole_areas &w,
                              cudaStream_t stream)
{
    job.team = plan.team, job.slots = w.slots, job.units = w.units;
    if (plan.cluster)
        return job.n <= TEAM_SMALL ? launch_shape<team_small, true>(ctx, job, plan, stream)
                                   : launch_shape<team_middle, true>(ctx, job, plan, stream);
    CUDA_TRY(cudaMemsetAsync(w.slots, HEEV_MARK, w.marked, stream));
    return with_team(job.n, [&](auto shape) { return launch_shape<decltype(shape), false>(ctx, job, plan, stream); });
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

/* Shares out pieces and the shared memory of a block: returns its bytes. */
static size_t share_shared(panels_job *p, int blocks, size_t most)
{
    int64_t const each = (p->n - p->k0 + blocks - 1) / blocks;
    size_t const usual = most < PANELS_USUAL_BYTES ? most : (size_t)PANELS_USUAL_BYTES;
    int64_t most_tiles = 12, pieces = 0;
    while (most_tiles > 1 && panels_bytes<number>(each, false, most_tiles, 0) > most) --most_tiles;
    p->tiles = (int)share_pieces(p, blocks, most_tiles);
    for (int b = 0; b < blocks; ++b)
        if (p->first_piece[b + 1] - p->first_piece[b] > pieces) pieces = p->first_piece[b + 1] - p->first_piece[b];
    bool const all = panels_bytes<number>(each, true, p->tiles, pieces) <= most;
    p->rows_cached = all || panels_bytes<number>(each, true, p->tiles, 0) <= usual;
    p->cached = all ? (int)pieces : 0;
    return panels_bytes<number>(each, p->rows_cached, p->tiles, p->cached);
}

static eig_status launch_panel(eig_context *ctx, panels_job *p, cudaStream_t stream)
{
    int const blocks = cuda_state_of(ctx)->multiprocessors;
    bool const aligned = (uintptr_t)p->a % sizeof(number) == 0;
    cuda_shape shape = {blocks, PANELS_THREADS, share_shared(p, blocks, (size_t)cuda_state_of(ctx)->shared_bytes)};
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
    double untold = 0; /* bytes that the products have read since the caller was told */
    for (int64_t k = 0; k < ahead && status == EIG_OK; k += PANELS_WIDTH) {
        p.k0 = (int)k, p.width = ahead - k < PANELS_WIDTH ? (int)(ahead - k) : (int)PANELS_WIDTH;
        status = launch_panel(ctx, &p, stream);
        double const rest = (double)(n - k - p.width), left = rest / (double)n;
        untold += rest * rest / 2 * p.width * sizeof(number);
        if (untold < TELL_BYTES || status != EIG_OK) continue;
        status = eig_cuda_heev_tell(ctx, job, stream, ((double)m + 1 - left * left * left) / (double)job.count);
        untold = 0;
    }
    return status;
}

/* ----------------------------------------------------------------------- entry */

eig_status TYPED(eig_cuda_heev_whole)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    int64_t const n = job.p.n, ahead = columns_by_panels(ctx, n);
    whole_areas w;
    carve_whole(ctx, &job, job.room, &w);
    bool const keep = job.p.v != NULL;
    team_job t = {};
    team_plan const plan = plan_of_team(ctx, n - ahead, ahead > 0 ? 1 : job.count);
    t.n = (int)(n - ahead), t.row = n, t.scaled = ahead > 0;
    if (ahead == 0) {
        t.count = job.count;
        t.from = (const number *)job.p.a + job.first * job.at_a.b, t.from_stride = job.at_a.b, t.upper = job.p.upper;
        t.down = job.p.upper ? job.at_a.j : job.at_a.i, t.across = job.p.upper ? job.at_a.i : job.at_a.j;
        t.d = job.d, t.e = job.e, t.unit = job.unit, t.tau = keep ? job.tau : NULL;
        t.keep = keep ? job.matrix : NULL, t.keep_pitch = job.matrix_pitch, t.keep_stride = job.matrix_stride;
        return launch_team(ctx, t, plan, w, stream);
    }
    eig_status status = EIG_OK;
    for (int64_t m = 0; m < job.count && status == EIG_OK; ++m) {
        status = enqueue_panels(ctx, job, m, ahead, w, stream);
        if (status != EIG_OK) break;
        number *const rest = (number *)job.matrix + m * job.matrix_stride + ahead * (job.matrix_pitch + 1);
        t.count = 1, t.from = rest, t.down = 1, t.across = job.matrix_pitch;
        t.d = (real *)job.d + m * n + ahead, t.e = (real *)job.e + m * n + ahead;
        t.tau = keep ? (number *)job.tau + m * n + ahead : NULL;
        t.keep = keep ? rest : NULL, t.keep_pitch = job.matrix_pitch;
        status = launch_team(ctx, t, plan, w, stream);
    }
    return status;
}
