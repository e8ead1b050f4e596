/* stemr on CUDA: clusters.  Those that counts against T~ part need no more (stemr_sections.cu).  Else, and where the caller limits
 * the depth, each gets a representation level by level, against which its members are bisected until gaps part them; what stays
 * together is a cluster of the next level.
 *
 * Shifts    A warp a cluster, a candidate a lane: sixteen near it, outside at both ends and inside, and sixteen ever
 *           farther out; where none of them serves, sixteen more.  Least growth of D wins among the near ones; the first
 *           far one whose growth is small enough wins where none of those is.  As src/cpu/stemr/stemr_tree.c.
 * Rows      On the first level a candidate leaves marks on its way, from which the winner's rows are made, a thread for
 *           every STEMR_SEGMENT of them.  Else a thread a cluster goes down T once more; on deeper levels through the
 *           shifts of all ancestors at once, row by row, so that nothing else must be in the pool.
 * Chain     n rows a level.
 * Host      reads a level's number of clusters, and how many members are left after some rounds of sections.
 * Bits      what becomes of a cluster depends on its members alone. */
#include "stemr_tree.cuh"
#include "stemr_walk.cuh"

/* T~ with two words tells eigenvalues to 2^-104: where a gap is this large, over n, vectors err by n eps / 2 at most; else they
 * get three words. */
#define ROOT_PART 0x1p-51
#define ROOT_ERROR 0x1p-98 /* of counts, with room */

enum { NEAR = 16, FAR = 16, THREADS = 256, SCAN = 1024, AHEAD = 4, NARROW_BLOCKS = 4096 };

/* ---------------------------------------------------------------------- which */

/* Level 1: neighbours closer than STEMR_GAP_ROOT are of one cluster. */
static __global__ void find_runs(stemr_task t, stemr_forest f)
{
    int64_t const k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= t.pairs) return;
    stemr_pair &pair = t.pair[k];
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
        m.joined = gap[1] < STEMR_GAP_ROOT && k + 1 < t.pairs && t.pair[k + 1].state == STEMR_FRESH;
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

/* Whether a run of joined pairs begins, or ends, at pair k. */
static __device__ __forceinline__ int2 run_ends(const stemr_task &t, const stemr_forest &f, int64_t k)
{
    if (k >= t.pairs) return make_int2(0, 0);
    bool const before = k > 0 && f.member[k - 1].joined, here = f.member[k].joined;
    return make_int2(!before && here, before && !here);
}

/* Nodes of a level, from runs of joined pairs; one block. */
static __global__ void __launch_bounds__(SCAN) make_nodes(stemr_task t, stemr_forest f)
{
    __shared__ int2 space[SCAN / 32];
    int2 made = make_int2(t.counts->nodes, t.counts->nodes), total;
    __syncthreads(); /* all have read the number of nodes */
    for (int64_t k0 = 0; k0 < t.pairs; k0 += SCAN) {
        int64_t const k = k0 + threadIdx.x;
        int2 const ends = run_ends(t, f, k), rank = block_sums(ends, space, &total);
        if (ends.x) {
            stemr_node &c = t.node[made.x + rank.x];
            c = stemr_node{};
            c.parent = t.pair[k].node;
            c.level = c.parent < 0 ? 1 : t.node[c.parent].level + 1;
            c.first = (int)k, c.left = f.member[k].left, c.lo = t.pair[k].lo;
        }
        __syncthreads(); /* nodes that begin here are there */
        if (ends.y) {
            stemr_node &c = t.node[made.y + rank.y];
            c.last = (int)k, c.right = f.member[k].right, c.hi = t.pair[k].hi;
        }
        made.x += total.x, made.y += total.y;
    }
    if (threadIdx.x != 0) return;
    t.counts->nodes = f.level->nodes = made.x;
    for (int &active : f.level->active) active = 0;
}

/* --------------------------------------------------------------------- shifts */

/* Goes down the rows of the representation that the shift leads to from the cluster's parent, through all its ancestors:
 * visit(i, row). */
template <bool deep, typename visitor>
static __device__ __forceinline__ void walk_rows(const stemr_task &t, const stemr_node &c, wide_d shift, visitor visit)
{
    int const above = deep ? c.level - 1 : 0; /* ancestors */
    wide_d x[STEMR_DEPTH], s[STEMR_DEPTH];
    x[above] = shift;
    if (deep) {
        int node = c.parent;
        for (int level = above - 1; level >= 0; --level, node = t.node[node].parent) x[level] = t.node[node].shift;
        for (int level = 1; level <= above; ++level) s[level] = wide_minus_d(x[level]);
    }
    wide_d first = {0, 0};
    stemr_entry ahead[AHEAD];
    for (int j = 0; j < AHEAD; ++j) ahead[j] = stemr_load_entry(t.entry + min((int64_t)j, t.n - 1));
    for (int64_t i0 = 0; i0 < t.n; i0 += AHEAD) {
        stemr_entry here[AHEAD];
#pragma unroll
        for (int j = 0; j < AHEAD; ++j) {
            here[j] = ahead[j];
            ahead[j] = stemr_load_entry(t.entry + min(i0 + AHEAD + j, t.n - 1));
        }
#pragma unroll
        for (int j = 0; j < AHEAD; ++j) {
            if (i0 + j >= t.n) break;
            stemr_first_step const step = stemr_first_row(here[j], x[0], first);
            first = wide_minus_d(step.g);
            stemr_row row = stemr_first_row_of(step);
            for (int level = 1; deep && level <= above; ++level) {
                stemr_step const next = stemr_row_step(row.d, row.g, x[level], s[level]);
                s[level] = next.next;
                row = stemr_row_of(next, here[j].b);
            }
            visit(i0 + j, row);
        }
    }
}

/* Goes down the rows of T~ - x = L D L^T without a division in the way: mark(i, s), s before row i, of every
 * STEMR_SEGMENT-th; the largest pivot. */
template <typename marker>
static __device__ __forceinline__ double walk_minors(const stemr_task &t, wide_d x, marker mark)
{
    __shared__ stemr_root_tile tile;
    stemr_of_root const rows = {t.entry, (int)t.n, &tile};
    stemr_minors m = stemr_first_minors();
    double largest = 0;
    rows.walk(false, rows.n, [&](int i0, const stemr_of_root::line *lines) {
        if (i0 > 0 && i0 % STEMR_SEGMENT == 0) mark(i0, wide_minus_d(stemr_state_of(m)));
#pragma unroll
        for (int k = 0; k < STEMR_GROUP; ++k) {
            double const before = stemr_kept_away(m.here.hi, m.before.hi);
            m = stemr_next_minors(lines[k].a, lines[k].b, x, m);
            double const pivot = fabs(m.here.hi * stemr_reciprocal(before, stemr_guess(before)));
            largest = i0 + k < rows.n ? fmax(largest, pivot) : largest;
        }
        stemr_rescale_minors(m);
    });
    return largest;
}

/* The shift of candidate j of a set, against the parent's representation, and what speaks against it. */
static __device__ wide_d candidate(const stemr_node &c, int set, int j, double *penalty)
{
    wide_d const lo = c.lo, hi = c.hi;
    double const width = fmax(stemr_difference(hi, lo).hi, DBL_MIN);
    *penalty = 1;
    if (set > 0) {
        double const distance = scalbn(width, 2 * (j / 2) + 6 + FAR * (set - 1));
        return j % 2 ? wide_add_d(hi, stemr_wide(distance)) : wide_add_d(lo, stemr_wide(-distance));
    }
    int const rank = j % 4;
    double const far = rank == 0 ? 0.25 : rank == 1 ? 1 : rank == 2 ? 4 : 16;
    *penalty = j >= 8 ? 3 : rank == 0 ? 1 : rank == 1 ? 1.5 : rank == 2 ? 2 : 4;
    if (j < 4) return wide_add_d(lo, stemr_wide(-width * far));
    if (j < 8) return wide_add_d(hi, stemr_wide(width * far));
    return wide_add_d(lo, stemr_wide(width * (2 * (j - 8) + 1) / 16));
}

/* The lane whose number is least among `lanes`, the first of equal ones. */
static __device__ __forceinline__ int least_lane(double x, unsigned lanes)
{
    int at = threadIdx.x % 32;
    if (!(lanes >> at & 1)) x = INFINITY;
    for (int d = 1; d < 32; d *= 2) {
        double const other = __shfl_xor_sync(0xffffffffu, x, d);
        int const other_at = __shfl_xor_sync(0xffffffffu, at, d);
        if (other < x || (other == x && other_at < at)) x = other, at = other_at;
    }
    return at;
}

/* Shifts of nodes first to last-1, a warp each. */
template <bool deep> static __global__ void __launch_bounds__(32) choose_shifts(stemr_task t, stemr_forest f, int first)
{
    unsigned const all = 0xffffffffu;
    int const lane = threadIdx.x;
    stemr_node &c = t.node[first + blockIdx.x];
    wide_d *const marks = (wide_d *)stemr_rows_of(t, first + blockIdx.x);
    wide_d *const kept = stemr_marks_of(t, f, first + blockIdx.x);
    int64_t const segments = stemr_segments(t.n);
    double const enough = stemr_most_growth(c);
    double growth = INFINITY;
    wide_d shift = {0, 0};
    int tried = 0;
    for (int turn = 0; turn < 2 && !(growth <= enough); ++turn) {
        int const set = turn == 0 ? lane / NEAR : 2;
        double penalty, largest = 0;
        bool finite = true;
        wide_d const x = candidate(c, set, lane % NEAR, &penalty);
        if (deep)
            walk_rows<deep>(t, c, x, [&](int64_t, const stemr_row &row) {
                largest = fmax(largest, fabs(row.d.hi));
                finite = finite && fabs(row.d.hi) < INFINITY;
            });
        else
            largest = walk_minors(t, x, [&](int64_t i, wide_d s) { marks[(i / STEMR_SEGMENT - 1) * 32 + lane] = s; });
        __syncwarp(); /* marks are there */
        if (!finite) largest = INFINITY;
        for (int half = turn; half < 2; ++half) {
            if (growth <= enough) break;
            double const floor = half == 0 ? 4 : enough;
            int const best = least_lane(fmax(largest, floor) * penalty, half == 0 ? 0xffffu : turn ? all : 0xffff0000u);
            double const reached = __shfl_sync(all, largest, best);
            tried += NEAR;
            if (!(reached < growth)) continue;
            growth = reached;
            shift = wide_d{__shfl_sync(all, x.hi, best), __shfl_sync(all, x.lo, best)};
            for (int64_t i = lane; !deep && i < segments; i += 32) kept[i] = marks[i * 32 + best];
        }
        __syncwarp(); /* marks are free */
    }
    if (lane != 0) return;
    c.shift = shift, c.growth = growth;
    c.sigma = wide_add_d(c.parent < 0 ? wide_d{0, 0} : t.node[c.parent].sigma, shift);
    c.slot = (int)((first + blockIdx.x) % t.slots), c.wave = (int)((first + blockIdx.x) / t.slots);
    c.tries = tried;
}

static __device__ __forceinline__ void store(stemr_row *at, const stemr_row &row)
{
    ((double2 *)at)[0] = make_double2(row.d.hi, row.d.lo);
    ((double2 *)at)[1] = make_double2(row.g.hi, row.g.lo);
}

/* Rows of nodes from first on, a thread each. */
template <bool deep> static __global__ void write_rows(stemr_task t, int first)
{
    int const node = first + blockIdx.x;
    if (node >= t.counts->nodes) return;
    stemr_node const c = t.node[node];
    if (deep != (c.level > 1)) return;
    stemr_row *const rows = stemr_rows_of(t, node);
    walk_rows<deep>(t, c, c.shift, [&](int64_t i, const stemr_row &row) { store(rows + i, row); });
}

/* Rows of nodes first to last-1 of level 1 whose marks are there, a thread a segment. */
static __global__ void __launch_bounds__(32) write_segments(stemr_task t, stemr_forest f, int first)
{
    int64_t const segments = stemr_segments(t.n) + 1, groups = (segments + 31) / 32;
    int const node = first + (int)(blockIdx.x / groups);
    int64_t const segment = blockIdx.x % groups * 32 + threadIdx.x;
    if (segment >= segments) return;
    wide_d const x = t.node[node].shift;
    wide_d s = segment > 0 ? stemr_marks_of(t, f, node)[segment - 1] : wide_d{0, 0};
    stemr_row *const rows = stemr_rows_of(t, node);
    int64_t const end = min((segment + 1) * STEMR_SEGMENT, t.n);
    for (int64_t i = segment * STEMR_SEGMENT; i < end; ++i) {
        stemr_first_step const step = stemr_first_row(stemr_load_entry(t.entry + i), x, s);
        s = wide_minus_d(step.g);
        store(rows + i, stemr_first_row_of(step));
    }
}

/* -------------------------------------------------------------------- members */

/* The bracket of a member in its node's own numbers, a power of two wide. */
static __device__ void own_bracket(stemr_pair &pair, stemr_member &m, const stemr_node &c)
{
    wide_d const lo = stemr_difference(pair.lo, c.shift), hi = stemr_difference(pair.hi, c.shift);
    double const of_counts = c.parent < 0 ? ROOT_ERROR + 0x1p-102 * c.growth : STEMR_LEAST_WIDTH;
    double const room = fmax(0x1p-52 * fmax(fabs(lo.hi), fabs(hi.hi)), of_counts);
    double const begin = lo.hi - room, width = (hi.hi + room) - begin;
    frexp(width, &m.exponent);
    pair.lo = stemr_wide(begin);
    pair.hi = wide_add_d(pair.lo, stemr_wide(scalbn(1.0, m.exponent)));
    pair.x = stemr_difference(pair.x, c.shift);
}

/* Members of nodes from first on; tight where the representation is of no use, or is not wanted: all of them then, since
 * they are orthogonalised together.  A block a node. */
static __global__ void __launch_bounds__(THREADS) enter_nodes(stemr_task t, stemr_forest f, int first, bool deep)
{
    int const node = first + blockIdx.x;
    stemr_node const c = t.node[node];
    bool const good = stemr_good(t, c);
    auto const is_known = [&](const stemr_pair &pair) { /* parted by counts against T~ */
                                                        return c.level == 1 && pair.state == STEMR_SINGLE;
    };
    bool unknown = false;
    for (int k = c.first + threadIdx.x; k <= c.last; k += THREADS) unknown = unknown || !is_known(t.pair[k]);
    bool const serves = t.p.most_depth == STEMR_DEPTH && (!__syncthreads_or(unknown) || good); /* T~ the known ones */
    for (int k = c.first + threadIdx.x; k <= c.last; k += THREADS) {
        stemr_pair &pair = t.pair[k];
        bool const known = is_known(pair);
        pair.tight = c.first;
        f.member[k].joined = 0;
        if (!known) pair.x = stemr_middle(pair.lo, pair.hi), f.member[k].sure = 0;
        if (known && serves) {
            pair.node = -1;
            pair.close = pair.gap >= ROOT_PART / (double)t.n ? STEMR_CLOSE : STEMR_VERY_CLOSE;
            continue;
        }
        pair.gap = fmin(c.left, c.right);
        pair.state = good ? STEMR_ACTIVE : STEMR_TIGHT;
        if (!good) pair.node = c.parent;
        if (!good) continue;
        pair.node = node;
        own_bracket(pair, f.member[k], c);
    }
    if (threadIdx.x != 0) return;
    /* Integers: sums in any order. */
    unsigned long long *const stats = (unsigned long long *)&t.counts->stats;
    auto const add = [&](const int64_t *field, unsigned long long x) {
        atomicAdd(stats + (field - (const int64_t *)&t.counts->stats), x);
    };
    eig_stemr_stats *const s = &t.counts->stats;
    add(&s->clusters, 1);
    atomicMax(stats + (&s->largest_cluster - (const int64_t *)s), (unsigned long long)(c.last - c.first + 1));
    if (!good && !serves) atomicAdd(&t.counts->tight, c.last - c.first + 1);
    if (deep) return;
    add(&s->shifts, (unsigned long long)c.tries);
    add(good ? &s->representations : &s->bad_representations, 1);
    if (good) atomicMax(stats + (&s->depth - (const int64_t *)s), (unsigned long long)c.level);
}

/* ---------------------------------------------------------------------- tight */

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

/* Members that rounds without end would not have parted, if ever there are any. */
static __global__ void give_up(stemr_task t)
{
    int64_t const k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= t.pairs || (t.pair[k].state != STEMR_ACTIVE && t.pair[k].state != STEMR_FRESH)) return;
    t.pair[k].state = STEMR_TIGHT, t.pair[k].tight = k;
    atomicAdd(&t.counts->tight, 1);
}

/* Brackets of tight pairs that have no representation: as far as counts against T~ tell anything.  A warp a pair. */
static __global__ void __launch_bounds__(32) narrow_tight(stemr_task t)
{
    int const lane = threadIdx.x;
    for (int64_t k = blockIdx.x; k < t.pairs; k += gridDim.x) {
        stemr_pair &pair = t.pair[k];
        if (pair.state != STEMR_TIGHT || pair.node >= 0) continue;
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

extern "C" void eig_cuda_stemr_tree_layout(arena *a, stemr_task *t)
{
    /* The pool is the scratch of inverse iteration and of the certificate, too: four slots at least. */
    int64_t const clusters = t->n / 2 + 1, slots = 64 + (1 << 18) / t->n;
    t->node_room = clusters * (STEMR_DEPTH + 1);
    t->slots = clusters < 4 ? 4 : clusters < slots ? clusters : slots;
    t->node = (stemr_node *)arena_take(a, t->node_room, sizeof(stemr_node));
    t->pool = (stemr_row *)arena_take(a, t->slots * t->n, sizeof(stemr_row));
    t->tree_bytes = sizeof(stemr_level) +
                    (size_t)t->n * (sizeof(stemr_member) + sizeof(run_bracket) + STEMR_POINTS * sizeof(int)) +
                    (size_t)(t->slots * stemr_segments(t->n)) * sizeof(wide_d);
    t->tree_room = arena_take(a, 1, t->tree_bytes);
}

static eig_status write_nodes(eig_context *ctx, const stemr_task *t, int64_t first, int64_t last, cudaStream_t stream)
{
    cuda_shape const shape = {last - first, 1}; /* a chain each: what counts is its length, not how lanes are used */
    eig_status const status = cuda_launch(ctx, "stemr: rows", stream, shape, write_rows<false>, *t, (int)first);
    if (status != EIG_OK) return status;
    return cuda_launch(ctx, "stemr: rows", stream, shape, write_rows<true>, *t, (int)first);
}

extern "C" eig_status eig_cuda_stemr_represent(eig_context *ctx, const stemr_task *t, int wave, cudaStream_t stream)
{
    return write_nodes(ctx, t, wave * t->slots, (wave + 1) * t->slots, stream);
}

/* Shifts of nodes first..last-1, of one level and one wave. */
static eig_status choose(eig_context *ctx, const stemr_task *t, stemr_forest f, int level, int64_t first, int64_t last,
                         cudaStream_t stream)
{
    return cuda_launch(ctx, "stemr: shifts", stream, {last - first, 32},
                       level == 1 ? choose_shifts<false> : choose_shifts<true>, *t, f, (int)first);
}

/* Nodes from..upto-1, all of one level. */
static eig_status work_level(eig_context *ctx, const stemr_task *t, stemr_forest f, int level, int64_t from,
                             int64_t upto, cudaStream_t stream)
{
    int64_t const groups = (stemr_segments(t->n) + 32) / 32;
    eig_status status = EIG_OK;
    for (int64_t first = from, last; first < upto && status == EIG_OK; first = last) {
        int64_t const wave = (first / t->slots + 1) * t->slots;
        last = wave < upto ? wave : upto;
        bool const deep = level > t->p.most_depth;
        if (!deep) status = choose(ctx, t, f, level, first, last, stream);
        if (status == EIG_OK)
            status = cuda_launch(ctx, "stemr: members", stream, {last - first, THREADS}, enter_nodes, *t, f, (int)first,
                                 deep);
        if (deep || status != EIG_OK) continue;
        if (level == 1)
            status = cuda_launch(ctx, "stemr: segments", stream, {(last - first) * groups, 32}, write_segments, *t, f,
                                 (int)first);
        else
            status = write_nodes(ctx, t, first, last, stream);
        if (status == EIG_OK) status = eig_cuda_stemr_sections(ctx, t, f, (int)first, (int)last, stream);
    }
    return status;
}

/* Clusters 0..upto-1, the first level, by T~ alone as far as it goes; *left: whether members need a representation.  Shifts are
 * chosen at the same time. */
static eig_status work_root(eig_context *ctx, const stemr_task *t, stemr_forest f, int64_t upto, int *left,
                            cudaStream_t stream)
{
    const cuda_state *const state = cuda_state_of(ctx);
    eig_status status = stemr_order_streams(ctx, stream, state->side, state->forked);
    for (int64_t first = 0; first < upto && status == EIG_OK; first += t->slots)
        status = choose(ctx, t, f, 1, first, first + t->slots < upto ? first + t->slots : upto, state->side);
    if (status == EIG_OK) status = eig_cuda_stemr_root_sections(ctx, t, f, 0, (int)upto, left, stream);
    if (status == EIG_OK) status = eig_cuda_stemr_aim_members(ctx, t, stream);
    eig_status const joined = stemr_order_streams(ctx, state->side, stream, state->joined);
    if (t->p.most_depth < STEMR_DEPTH) *left = 1;
    if (status != EIG_OK || *left > 0) return status == EIG_OK ? joined : status;
    return cuda_launch(ctx, "stemr: members", stream, {upto, THREADS}, enter_nodes, *t, f, 0, false);
}

extern "C" eig_status eig_cuda_stemr_tree(eig_context *ctx, const stemr_task *t, cudaStream_t stream, int *waves)
{
    stemr_forest const f = stemr_forest_of(t);
    int64_t const blocks = (t->pairs + THREADS - 1) / THREADS;
    eig_status status = cuda_launch(ctx, "stemr: runs", stream, {blocks, THREADS}, find_runs, *t, f);
    int64_t from = 0;
    for (int level = 1; status == EIG_OK && level <= STEMR_DEPTH + 1; ++level) {
        int upto = 0;
        status = cuda_launch(ctx, "stemr: clusters", stream, {1, SCAN}, make_nodes, *t, f);
        if (status != EIG_OK) return status;
        CUDA_TRY(cudaMemcpyAsync(&upto, &f.level->nodes, sizeof upto, cudaMemcpyDeviceToHost, stream));
        CUDA_TRY(cudaStreamSynchronize(stream));
        if (upto == from) break;
        int left = 1;
        if (level == 1 && t->p.most_depth > 0) status = work_root(ctx, t, f, upto, &left, stream);
        if (status != EIG_OK || left == 0) {
            *waves = 0;
            return status;
        }
        status = work_level(ctx, t, f, level, from, upto, stream);
        from = upto;
    }
    if (status == EIG_OK) status = cuda_launch(ctx, "stemr: rest", stream, {blocks, THREADS}, give_up, *t);
    if (status == EIG_OK) status = cuda_launch(ctx, "stemr: narrow", stream, {NARROW_BLOCKS, 32}, narrow_tight, *t);
    *waves = (int)((from + t->slots - 1) / t->slots);
    if (status == EIG_OK && *waves > 1) status = eig_cuda_stemr_represent(ctx, t, 0, stream);
    return status;
}
