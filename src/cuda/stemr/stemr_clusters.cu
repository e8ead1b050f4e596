/* stemr on CUDA: clusters.  Large ones have pencils (stemr_pencil.cu); members of the others, and those that pencils
 * do not part, are parted by counts against T~ (stemr_sections.cu).  What nothing parts goes to inverse iteration.
 *
 * Chain     n rows a round of sections.
 * Host      reads the number of clusters, and how many members are left after some rounds of sections.
 * Bits      what becomes of a cluster depends on its members alone. */
#include "stemr_clusters.cuh"
#include "stemr_walk.cuh"

/* Counts against T~ in double-double arithmetic find eigenvalues to 2^-104.  Where a gap times n is at least this
 * large, vectors err by n eps / 2 at most. Other members get triple-double arithmetic. */
#define ROOT_PART 0x1p-51
#define ROOT_ERROR 0x1p-98 /* of counts, with room */

enum { THREADS = 256, SCAN = 1024, NARROW_BLOCKS = 4096 };

/* ---------------------------------------------------------------------- which */

/* Level 1: neighbours closer than STEMR_GAP_ROOT are of one cluster. */
static __global__ void find_runs(stemr_task t, stemr_forest f)
{
    int64_t const k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= t.pairs) return;
    stemr_eigenpair &pair = t.pair[k];
    stemr_member m = {};
    bool const fresh = pair.state == STEMR_FRESH;
    if (fresh) {
        double gap[2] = {2.0, 2.0};
        for (int side = 0; side < 2; ++side) {
            int64_t const j = side ? k : k - 1;
            if (j < 0 || j + 1 >= t.pairs) continue; /* the end of the spectrum */
            gap[side] = fmin(t.pair[j + 1].lo.hi - t.pair[j].hi.hi, 2.0);
        }
        m.left = gap[0], m.right = gap[1];
        m.with_next = gap[1] < STEMR_GAP_ROOT && k + 1 < t.pairs && t.pair[k + 1].state == STEMR_FRESH;
    }
    f.member[k] = m;
}

/* Exclusive sums over the block's threads of two numbers; *total gets the whole sums.  space: [64]. */
static __device__ int2 block_sums(int2 x, int2 *space, int2 *total)
{
    int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int2 sum = x;
    for (int d = 1; d < 32; d *= 2) {
        int const a = __shfl_up_sync(0xffffffffu, sum.x, d), b = __shfl_up_sync(0xffffffffu, sum.y, d);
        if (lane >= d) sum.x += a, sum.y += b;
    }
    __syncthreads(); /* space is free */
    if (lane == 31) space[warp] = sum;
    __syncthreads(); /* space is filled */
    int2 before = make_int2(0, 0), all = before;
    for (int w = 0; w < (int)blockDim.x / 32; ++w) {
        if (w == warp) before = all;
        all.x += space[w].x, all.y += space[w].y;
    }
    *total = all;
    return make_int2(before.x + sum.x - x.x, before.y + sum.y - x.y);
}

/* Whether a run of members begins, or ends, at pair k. */
static __device__ __forceinline__ int2 run_ends(const stemr_task &t, const stemr_forest &f, int64_t k)
{
    if (k >= t.pairs) return make_int2(0, 0);
    bool const before = k > 0 && f.member[k - 1].with_next, here = f.member[k].with_next;
    return make_int2(!before && here, before && !here);
}

/* Clusters of a level, from runs of members; one block. */
static __global__ void __launch_bounds__(SCAN) make_nodes(stemr_task t, stemr_forest f)
{
    __shared__ int2 space[SCAN / 32];
    int2 made = make_int2(t.counts->nodes, t.counts->nodes), total;
    __syncthreads(); /* all have read the number of nodes */
    for (int64_t k0 = 0; k0 < t.pairs; k0 += SCAN) {
        int64_t const k = k0 + threadIdx.x;
        int2 const ends = run_ends(t, f, k), rank = block_sums(ends, space, &total);
        if (ends.x) {
            stemr_cluster &c = t.node[made.x + rank.x];
            c = stemr_cluster{};
            c.parent = t.pair[k].node;
            c.level = c.parent < 0 ? 1 : t.node[c.parent].level + 1;
            c.first = (int)k, c.left = f.member[k].left, c.lo = t.pair[k].lo;
        }
        __syncthreads(); /* nodes that begin here are there */
        if (ends.y) {
            stemr_cluster &c = t.node[made.y + rank.y];
            c.last = (int)k, c.right = f.member[k].right, c.hi = t.pair[k].hi;
        }
        made.x += total.x, made.y += total.y;
    }
    if (threadIdx.x != 0) return;
    t.counts->nodes = f.level->nodes = made.x;
    f.level->in_pencils = f.level->in_others = 0, f.level->kept = 0;
    for (int &active : f.level->active) active = 0;
}

/* -------------------------------------------------------------------- members */

/* Members of clusters, after the sections.  Members of pencils that are SINGLE stay as they are.  T~ with two words or
 * three serves the others, if all members of the cluster are SINGLE.  Else they become INVERSE, all of them, since
 * inverse iteration orthogonalises them together.  A block a cluster. */
static __global__ void __launch_bounds__(THREADS) settle_members(stemr_task t, stemr_forest f)
{
    stemr_cluster const c = t.node[blockIdx.x];
    bool unknown = false;
    for (int k = c.first + threadIdx.x; k <= c.last; k += THREADS) unknown = unknown || t.pair[k].state != STEMR_SINGLE;
    bool const served = !__syncthreads_or(unknown);
    for (int k = c.first + threadIdx.x; k <= c.last; k += THREADS) {
        stemr_eigenpair &pair = t.pair[k];
        bool const known = pair.state == STEMR_SINGLE;
        pair.run = c.first;
        f.member[k].with_next = 0;
        if (!known) pair.x = stemr_middle(pair.lo, pair.hi);
        pair.member = true;
        if (known && pair.kind == STEMR_OF_PENCILS) continue;
        pair.node = -1, pair.kind = STEMR_OF_ROOT;
        if (served) {
            if (pair.gap < ROOT_PART / (double)t.n) pair.kind = STEMR_OF_TRIPLES;
        } else {
            pair.gap = fmin(c.left, c.right);
            pair.state = STEMR_INVERSE;
        }
    }
    if (threadIdx.x != 0) return;
    /* Integers: sums in any order. */
    unsigned long long *const stats = (unsigned long long *)&t.counts->stats;
    eig_stemr_stats const *const s = &t.counts->stats;
    atomicAdd(stats + (&s->clusters - (const int64_t *)s), 1ull);
    atomicMax(stats + (&s->largest_cluster - (const int64_t *)s), (unsigned long long)(c.last - c.first + 1));
    if (!served) atomicAdd(&t.counts->inverse, c.last - c.first + 1);
}

/* ---------------------------------------------------------- inverse iteration */

/* Eigenvalues of T~ below x. */
static __device__ int first_count(const stemr_task &t, wide_d x)
{
    wide_d s = {0, 0};
    int count = 0;
    for (int64_t i = 0; i < t.n; ++i) {
        stemr_first_step const step = stemr_first_row(stemr_load_entry(t.entry + i), x, s);
        count += step.pivot.hi < 0;
        s = wide_minus_d(step.g);
    }
    return count;
}

/* Brackets of INVERSE pairs that have no representation, as narrow as counts against T~ make them.  A warp a pair. */
static __global__ void __launch_bounds__(32) narrow_inverse(stemr_task t)
{
    int const lane = threadIdx.x;
    for (int64_t k = blockIdx.x; k < t.pairs; k += gridDim.x) {
        stemr_eigenpair &pair = t.pair[k];
        if (pair.state != STEMR_INVERSE || pair.node >= 0) continue;
        wide_d lo = pair.lo, hi = pair.hi;
        while (stemr_difference(hi, lo).hi > 0x1p-100) {
            double const part = stemr_difference(hi, lo).hi / 33;
            wide_d const x = wide_add_d(lo, stemr_wide(part * (lane + 1)));
            unsigned const reached = __ballot_sync(0xffffffffu, first_count(t, x) >= pair.index);
            int const at = reached ? __ffs(reached) - 1 : 32; /* between x of lanes at-1 and at */
            wide_d const a = wide_add_d(lo, stemr_wide(part * at)), b = wide_add_d(lo, stemr_wide(part * (at + 1)));
            lo = a, hi = at < 32 ? b : hi;
        }
        __syncwarp(); /* all lanes have read the pair */
        if (lane == 0) pair.lo = lo, pair.hi = hi, pair.x = stemr_middle(lo, hi);
    }
}

/* ----------------------------------------------------------------------- host */

extern "C" void eig_cuda_stemr_tree_layout(arena *a, stemr_task *t, int64_t nodes)
{
    t->node_room = nodes;
    t->node = (stemr_cluster *)arena_take(a, nodes, sizeof(stemr_cluster));
    t->tree_bytes = 2 * sizeof(stemr_level) +
                    (size_t)t->n * (sizeof(stemr_member) + sizeof(run_bracket) + STEMR_POINTS * sizeof(int));
    t->tree_room = arena_take(a, 1, t->tree_bytes);
}

extern "C" eig_status eig_cuda_stemr_find_runs(eig_context *ctx, const stemr_task *t, stemr_forest f,
                                               cudaStream_t stream)
{
    return cuda_launch(ctx, "stemr: runs", stream, {(t->pairs + THREADS - 1) / THREADS, THREADS}, find_runs, *t, f);
}

extern "C" eig_status eig_cuda_stemr_make_nodes(eig_context *ctx, const stemr_task *t, stemr_forest f,
                                                cudaStream_t stream)
{
    return cuda_launch(ctx, "stemr: clusters", stream, {1, SCAN}, make_nodes, *t, f);
}

extern "C" eig_status eig_cuda_stemr_narrow_inverse(eig_context *ctx, const stemr_task *t, cudaStream_t stream)
{
    return cuda_launch(ctx, "stemr: narrow", stream, {NARROW_BLOCKS, 32}, narrow_inverse, *t);
}

/* Clusters 0..upto-1 at the end; left: whether members may be INVERSE. */
static eig_status settle(eig_context *ctx, const stemr_task *t, stemr_forest f, int upto, bool left,
                         cudaStream_t stream)
{
    eig_status const status = cuda_launch(ctx, "stemr: members", stream, {upto, THREADS}, settle_members, *t, f);
    return left && status == EIG_OK ? eig_cuda_stemr_narrow_inverse(ctx, t, stream) : status;
}

enum { PENCIL_BLIND = 2, ROOT_BLIND = 4 /* rounds of sections that the host does not look at */ };

/* T of up to SMALL rows: launches cost more than walks.  T of more than LARGE rows: pencils fill the GPU. There singles
 * are corrected at once, beside the clusters.  In between a few members against T~ take longest, and singles wait, to
 * leave them the GPU. */
enum { SMALL = 2048, LARGE = 24576 };

/* Parts the members of clusters 0..upto-1 by their pencils; *unparted: whether some must leave them. */
static eig_status work_pencils(eig_context *ctx, const stemr_task *t, stemr_forest f, int upto, int *unparted,
                               cudaStream_t stream)
{
    int rounds = PENCIL_BLIND < t->limits.rounds ? (int)PENCIL_BLIND : t->limits.rounds;
    eig_status status = eig_cuda_stemr_begin_sections(ctx, t, f, upto, true, rounds, stream);
    if (status == EIG_OK) status = eig_cuda_stemr_end_sections(ctx, t, f, upto, true, &rounds, unparted, stream);
    return status == EIG_OK ? eig_cuda_stemr_aim_members(ctx, t, true, stream) : status;
}

/* Part the other members against T~: the first function as far as the host need not look, the second one the rest.
 * *left: whether nothing parts some of them. */
static eig_status begin_others(eig_context *ctx, const stemr_task *t, stemr_forest f, int upto, cudaStream_t stream)
{
    eig_status const status = eig_cuda_stemr_begin_sections(ctx, t, f, upto, false, ROOT_BLIND, stream);
    return status == EIG_OK ? eig_cuda_stemr_aim_members(ctx, t, false, stream) : status;
}

static eig_status end_others(eig_context *ctx, const stemr_task *t, stemr_forest f, int upto, int *left,
                             cudaStream_t stream)
{
    int rounds = ROOT_BLIND;
    eig_status const status = eig_cuda_stemr_end_sections(ctx, t, f, upto, false, &rounds, left, stream);
    if (status != EIG_OK || rounds == ROOT_BLIND) return status;
    return eig_cuda_stemr_aim_members(ctx, t, false, stream);
}

/* The lists, the counters and the stream of what runs beside the call's stream.  Where z is not wanted, all share one
 * room, and nothing runs beside. */
struct stemr_aside {
    stemr_task t;
    stemr_forest f;
    cudaStream_t stream;
};

static stemr_aside aside_of(const eig_context *ctx, const stemr_task *t, stemr_forest f, cudaStream_t stream)
{
    stemr_aside a = {*t, f, stream};
    if (!t->p.z) return a;
    a.t.list += 2 * t->n, a.t.left = t->counts->left[1], ++a.f.level;
    a.stream = cuda_state_of(ctx)->side;
    return a;
}

/* Parts the members of clusters 0..made->nodes-1 by their pencils and by T~; *left: whether nothing parts some of them.
 * A few members against T~ are a long chain, which runs beside. */
static eig_status part_members(eig_context *ctx, stemr_task *t, stemr_forest f, const stemr_level *made, int *left,
                               cudaStream_t stream)
{
    const cuda_state *const state = cuda_state_of(ctx);
    int const upto = made->nodes;
    bool const others = made->in_others > 0;
    stemr_aside const a = aside_of(ctx, t, f, stream);
    int unparted = 0;
    *left = 0;
    eig_status status = eig_cuda_stemr_open_nodes(ctx, t, f, upto, stream);
    if (status == EIG_OK) status = cuda_order_streams(ctx, stream, state->side, state->forked);
    if (others && status == EIG_OK) status = begin_others(ctx, &a.t, a.f, upto, a.stream);
    if (others && a.stream == stream && status == EIG_OK) status = end_others(ctx, &a.t, a.f, upto, left, stream);
    if (!others && !t->refined && status == EIG_OK) {
        status = eig_cuda_stemr_refine(ctx, &a.t, STEMR_OF_ROOT, a.stream);
        t->refined = true;
    }
    if (made->in_pencils > 0 && status == EIG_OK) status = work_pencils(ctx, t, f, upto, &unparted, stream);
    if (!t->refined && status == EIG_OK) status = eig_cuda_stemr_refine(ctx, t, STEMR_OF_ROOT, stream);
    t->refined = true;
    if (others && a.stream != stream && status == EIG_OK) status = end_others(ctx, &a.t, a.f, upto, left, a.stream);
    eig_status const joined = cuda_order_streams(ctx, state->side, stream, state->joined);
    if (status == EIG_OK) status = joined;
    if (unparted > 0 && status == EIG_OK) status = eig_cuda_stemr_leave_pencils(ctx, t, f, upto, stream);
    if (unparted > 0 && status == EIG_OK) status = begin_others(ctx, t, f, upto, stream);
    if (unparted > 0 && status == EIG_OK) status = end_others(ctx, t, f, upto, left, stream);
    t->others = others || unparted > 0;
    return status;
}

static eig_status work_clusters(eig_context *ctx, stemr_task *t, stemr_forest f, cudaStream_t stream)
{
    stemr_level made;
    int left = 0;
    bool const returns = t->p.z != NULL;
    eig_status status = eig_cuda_stemr_make_nodes(ctx, t, f, stream);
    if (status == EIG_OK) status = eig_cuda_stemr_make_pencils(ctx, t, f, returns, stream);
    if (status == EIG_OK) status = eig_cuda_read(ctx, &made, f.level, sizeof made, stream);
    if (status != EIG_OK || made.nodes == 0) return status;
    if (made.in_pencils > 0) t->pencil_nodes = made.nodes;
    t->returns_there = returns && made.nodes <= t->slots;
    status = part_members(ctx, t, f, &made, &left, stream);
    return status == EIG_OK ? settle(ctx, t, f, made.nodes, left > 0, stream) : status;
}

/* Singles of T~ are corrected beside. */
extern "C" eig_status eig_cuda_stemr_clusters(eig_context *ctx, stemr_task *t, cudaStream_t stream)
{
    const cuda_state *const state = cuda_state_of(ctx);
    stemr_forest const f = stemr_forest_of(t);
    stemr_aside const a = aside_of(ctx, t, f, stream);
    /* Corrections narrow the brackets of clusters' neighbours.  A subset does not correct these neighbours.  Gaps are
     * therefore found first. */
    eig_status status = eig_cuda_stemr_find_runs(ctx, t, f, stream);
    if (status == EIG_OK) status = cuda_order_streams(ctx, stream, state->side, state->forked);
    if ((t->n <= SMALL || t->n > LARGE) && status == EIG_OK) {
        status = eig_cuda_stemr_refine(ctx, &a.t, STEMR_OF_ROOT, a.stream);
        t->refined = true;
    }
    if (status == EIG_OK) status = work_clusters(ctx, t, f, stream);
    eig_status const joined = cuda_order_streams(ctx, state->side, stream, state->joined);
    return status == EIG_OK ? joined : status;
}

/* All members of clusters are INVERSE. */
extern "C" eig_status eig_cuda_stemr_leave_clusters(eig_context *ctx, stemr_task *t, cudaStream_t stream)
{
    stemr_forest const f = stemr_forest_of(t);
    stemr_level made;
    eig_status status = eig_cuda_stemr_find_runs(ctx, t, f, stream);
    if (status == EIG_OK) status = eig_cuda_stemr_make_nodes(ctx, t, f, stream);
    if (status == EIG_OK) status = eig_cuda_read(ctx, &made, f.level, sizeof made, stream);
    if (status != EIG_OK || made.nodes == 0) return status;
    return settle(ctx, t, f, made.nodes, true, stream);
}
