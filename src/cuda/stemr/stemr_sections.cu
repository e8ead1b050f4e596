/* stemr on CUDA: brackets of clusters' members, against T~ or pencils, until gaps part them.
 *
 * Lattices  Members whose brackets touch share their first shifts.  A run of m such members gets a lattice of at most
 *           POINTS m shifts over all of its brackets, and every member finds its place among the counts there: log2(m)
 *           + 2 bits for POINTS counts each, where sections take a bit for a count.
 * Rounds    A round takes 4 bits from every bracket that goes on: 15 shifts at once, or 3 and 3, or 1 four times, by
 *           how many
 * members there are to fill the lanes with.  Brackets are powers of two wide and the shifts lie on one lattice, so that
 * all three ways end at the same bracket.  Between rounds a kernel tells which members are single.
 * Check     An end that no count has confirmed is counted at, too; where it is wrong, the bracket moves on and is
 *           widened.
 * Limits    a bracket loses 4 bits a round and ends at ROOT_WIDTH limits.part. */
#include "stemr_clusters.cuh"
#include "stemr_pencil.cuh"
#include "stemr_walk.cuh"

/* Counts against T~ err by 2^-100.  Members are parted by gaps of limits.part = 2^-88, and brackets become no narrower
 * than this part of it. */
#define ROOT_WIDTH 0x1p-6

enum {
    ROOM = 8, /* widths of a bracket beside it, so that Rayleigh's quotient takes few steps */
    THREADS = 128,
    POINTS = STEMR_POINTS, /* shifts of a lattice for a member */
    UNLISTED = -1,
    LAST = -2,
    /* Members from which on 15 shifts at once are too many, and 3: */
    MANY = 600,
    MOST = 4000,
    ROOT_AT_ONCE = 2, /* rounds against T~ in a launch, where launches cost more than counts: */
    ROOT_SMALL = 2048,
    PENCIL_AT_ONCE = 2, /* likewise, always */
};

/* -------------------------------------------------------------------- classes */

/* Whether a member's gap is too narrow for its pencil: entries err by 2^-104 of themselves, and a vector may err by n
 * eps / 16. */
static __device__ __forceinline__ bool too_narrow(const stemr_task &t, const stemr_cluster &c, double gap)
{
    return gap * (double)t.n < t.limits.narrow * c.entries;
}

/* Tells which members of nodes 0 to last-1 are single, of members with pencils or of the others.  Lists the members
 * that go on in this round; round UNLISTED lists none.  In the LAST round all brackets count as exhausted. */
static __global__ void classify(stemr_task t, stemr_forest f, int last, int round, bool pencils)
{
    int64_t const k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    bool active = false;
    if (k < t.pairs && (t.pair[k].state == STEMR_ACTIVE || t.pair[k].state == STEMR_SINGLE) && 0 <= t.pair[k].node &&
        t.pair[k].node < last && (t.pair[k].kind == STEMR_OF_PENCILS) == pencils) {
        stemr_eigenpair &pair = t.pair[k];
        stemr_member &m = f.member[k];
        stemr_cluster &c = t.node[pair.node];
        bool const before = stemr_parted(t, f, c, k - 1, t.limits.part, ROOM),
                   after = stemr_parted(t, f, c, k, t.limits.part, ROOM);
        m.left = stemr_gap_of(t, c, k - 1), m.right = stemr_gap_of(t, c, k);
        m.with_next = !after;
        pair.gap = fmin(m.left, m.right);
        pair.state = before && after && m.sure == 3 ? STEMR_SINGLE : STEMR_ACTIVE;
        bool const exhausted = stemr_width_of(m) <= ROOT_WIDTH * t.limits.part;
        bool const ends = (exhausted && m.sure == 3) || round == LAST;
        active = pair.state == STEMR_ACTIVE && !ends && round != UNLISTED;
        bool const fails = pencils && pair.state == STEMR_SINGLE && too_narrow(t, c, pair.gap);
        if ((pair.state == STEMR_ACTIVE && ends) || fails) f.level->unparted = 1, c.kept_failed = 1;
    }
    int const to = stemr_place_in_list(active, &f.level->active[max(round, 0)]);
    if (active) t.list[to] = (int)k;
}

/* --------------------------------------------------------------------- rounds */

template <bool pencils, int bits>
static __device__ void work_members(const stemr_task &t, const stemr_forest &f, int count, stemr_root_tile *tiles)
{
    constexpr int lanes = lanes_for<bits>, groups = THREADS / lanes;
    bool const upwards = threadIdx.x % 2;
    int const n = (int)t.n;
    stemr_of_root const root = {t.entry, n, tiles + threadIdx.x / 32};
    for (int64_t first = (int64_t)blockIdx.x * groups; first < count; first += (int64_t)gridDim.x * groups) {
        int64_t const mine = first + threadIdx.x / lanes;
        bool const working = mine < count;
        int const k = t.list[working ? mine : count - 1];
        stemr_eigenpair &pair = t.pair[k];
        stemr_member &m = f.member[k];
        section s = {pair.lo, m.exponent, m.sure};
        if (pencils) {
            stemr_of_pencil const pencil = stemr_pencil_of(t, pair.node);
            for (int again = 0; again < PENCIL_AT_ONCE; ++again)
                round_of<bits>(s, pair.index, working,
                               [&](wide_d x) { return stemr_pencil_count(pencil, x, upwards); });
        } else {
            for (int again = 0; again < (n > ROOT_SMALL ? 1 : ROOT_AT_ONCE); ++again)
                round_of<bits>(s, pair.index, working, [&](wide_d x) { return root_count_below(root, x, upwards); });
        }
        __syncwarp(); /* all have read the bracket */
        if (working && threadIdx.x % lanes == 0) stemr_put_section(pair, m, s);
    }
}

/* Work on the members that a round's list holds, with as many lanes each as there are. */
template <bool pencils>
static __global__ void __launch_bounds__(THREADS, 4) sections(stemr_task t, stemr_forest f, int round)
{
    __shared__ stemr_root_tile tiles[pencils ? 1 : THREADS / 32];
    int const count = f.level->active[round];
    if (count <= MANY)
        work_members<pencils, 4>(t, f, count, tiles);
    else if (count <= MOST)
        work_members<pencils, 2>(t, f, count, tiles);
    else
        work_members<pencils, 1>(t, f, count, tiles);
}

/* ------------------------------------------------------------------- lattices */

/* The lattice of a run: shifts lo + j 2^exponent, j = 0 to last. */
struct run_lattice {
    int64_t first; /* member */
    wide_d lo;
    int exponent, last;
};

static __device__ __forceinline__ bool takes_part(const stemr_task &t, int64_t k, bool pencils)
{
    return k < t.pairs && t.pair[k].state == STEMR_ACTIVE && (t.pair[k].kind == STEMR_OF_PENCILS) == pencils;
}

static __device__ run_lattice lattice_of(const stemr_task &t, const stemr_forest &f, int64_t k)
{
    int64_t from = k, upto = k;
    while (from > 0 && f.member[from - 1].with_next) --from;
    while (f.member[upto].with_next) ++upto;
    run_lattice r = {from, t.pair[from].lo, 0, 0};
    double const range = stemr_difference(t.pair[upto].hi, r.lo).hi;
    double const most = (double)(POINTS * (upto - from + 1) - 1);
    frexp(range / most, &r.exponent);
    r.last = (int)ceil(range / scalbn(1.0, r.exponent));
    return r;
}

static __device__ __forceinline__ wide_d shift_of(const run_lattice &r, int j)
{
    return wide_add_d(r.lo, stemr_wide(j * scalbn(1.0, r.exponent)));
}

template <bool pencils> static __global__ void __launch_bounds__(THREADS, 4) count_kernel(stemr_task t, stemr_forest f)
{
    __shared__ stemr_root_tile tiles[pencils ? 1 : THREADS / 32];
    stemr_of_root const root = {t.entry, (int)t.n, tiles + (pencils ? 0 : threadIdx.x / 32)};
    stemr_of_pencil rows = {t.kept, 1, 0}; /* of lanes without a shift */
    int64_t const step = (int64_t)gridDim.x * THREADS / 2, from = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / 2;
    for (int64_t at = from; at - threadIdx.x % 32 / 2 < POINTS * t.pairs; at += step) {
        int64_t const k = at / POINTS;
        wide_d x = {0, 0};
        bool mine = takes_part(t, k, pencils);
        if (mine) {
            run_lattice const r = lattice_of(t, f, k);
            int const j = (int)(at - POINTS * r.first);
            mine = j <= r.last;
            x = shift_of(r, j);
            if (pencils) rows = stemr_pencil_of(t, t.pair[k].node);
        }
        if (!__any_sync(0xffffffffu, mine)) continue;
        int const count =
            pencils ? stemr_pencil_count(rows, x, threadIdx.x % 2) : root_count_below(root, x, threadIdx.x % 2);
        if (mine) f.count[at] = count;
    }
}

/* A member's bracket becomes that between two neighbouring shifts, if this is no wider than the one it has. */
static __global__ void take_kernel(stemr_task t, stemr_forest f, bool pencils)
{
    int64_t const k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (!takes_part(t, k, pencils)) return;
    stemr_eigenpair &pair = t.pair[k];
    stemr_member &m = f.member[k];
    run_lattice const r = lattice_of(t, f, k);
    const int *const count = f.count + POINTS * r.first;
    int below = -1, reached = r.last + 1;
    while (reached - below > 1) {
        int const j = (below + reached) / 2;
        if (count[j] >= pair.index)
            reached = j;
        else
            below = j;
    }
    f.lattice[k] =
        run_bracket{below >= 0 && reached <= r.last && r.exponent <= m.exponent, r.exponent, shift_of(r, below)};
}

/* When all have read the brackets of their runs. */
static __global__ void put_kernel(stemr_task t, stemr_forest f, bool pencils)
{
    int64_t const k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (!takes_part(t, k, pencils) || !f.lattice[k].found) return;
    stemr_eigenpair &pair = t.pair[k];
    stemr_member &m = f.member[k];
    m.exponent = f.lattice[k].exponent, m.sure = 3;
    pair.lo = f.lattice[k].lo;
    pair.hi = wide_add_d(pair.lo, stemr_wide(scalbn(1.0, m.exponent)));
    pair.x = stemr_middle(pair.lo, pair.hi);
}

/* ----------------------------------------------------------------------- root */

/* Brackets of nodes' members, a power of two wide, against T~ or the node's pencil.  A block a node. */
static __global__ void __launch_bounds__(THREADS) open_nodes(stemr_task t, stemr_forest f)
{
    stemr_cluster const c = t.node[blockIdx.x];
    for (int k = c.first + threadIdx.x; k <= c.last; k += THREADS) {
        stemr_eigenpair &pair = t.pair[k];
        stemr_member &m = f.member[k];
        frexp(stemr_difference(pair.hi, pair.lo).hi, &m.exponent);
        m.sure = 0;
        pair.kind = c.kept > 0 ? STEMR_OF_PENCILS : STEMR_MEMBERS;
        if (c.kept > 0) pair.lo = stemr_difference(pair.lo, c.center);
        pair.hi = wide_add_d(pair.lo, stemr_wide(stemr_width_of(m)));
        pair.x = stemr_middle(pair.lo, pair.hi);
        pair.state = STEMR_ACTIVE, pair.node = (int)blockIdx.x;
    }
}

/* ----------------------------------------------------------------------- host */

/* How many members a round has to work on.  If there are none, *unparted tells whether nothing has parted some. */
static eig_status look(eig_context *ctx, stemr_forest f, int round, int *left, int *unparted, cudaStream_t stream)
{
    int found[STEMR_ROUNDS + 3]; /* active[round] and what follows */
    size_t const upto = offsetof(stemr_level, unparted) - offsetof(stemr_level, active),
                 skipped = (size_t)round * sizeof(int);
    eig_status const status = eig_cuda_read(ctx, found, f.level->active + round, upto - skipped + sizeof(int), stream);
    if (status == EIG_OK) *left = found[0], *unparted = found[(upto - skipped) / sizeof(int)];
    return status;
}

extern "C" eig_status eig_cuda_stemr_open_nodes(eig_context *ctx, const stemr_task *t, stemr_forest f, int last,
                                                cudaStream_t stream)
{
    return cuda_launch(ctx, "stemr: open", stream, {last, THREADS}, open_nodes, *t, f);
}

static eig_status classify_root(eig_context *ctx, const stemr_task *t, stemr_forest f, int last, int round,
                                bool pencils, cudaStream_t stream)
{
    enum { PAIRS = 128 };
    return cuda_launch(ctx, "stemr: classes", stream, {(t->pairs + PAIRS - 1) / PAIRS, PAIRS}, classify, *t, f, last,
                       round, pencils);
}

static eig_status round_of_root(eig_context *ctx, const stemr_task *t, stemr_forest f, int round, bool pencils,
                                cudaStream_t stream)
{
    enum { BLOCKS = 8 };
    return cuda_launch(ctx, "stemr: root sections", stream, {cuda_state_of(ctx)->multiprocessors * BLOCKS, THREADS},
                       pencils ? sections<true> : sections<false>, *t, f, round);
}

static eig_status take_lattices(eig_context *ctx, const stemr_task *t, stemr_forest f, bool pencils,
                                cudaStream_t stream)
{
    enum { BLOCKS = 4 };
    int64_t const most = (int64_t)cuda_state_of(ctx)->multiprocessors * BLOCKS;
    int64_t const want = (2 * POINTS * t->pairs + THREADS - 1) / THREADS;
    cuda_shape const pairs = {(t->pairs + THREADS - 1) / THREADS, THREADS};
    eig_status status = cuda_launch(ctx, "stemr: lattices", stream, {want < most ? want : most, THREADS},
                                    pencils ? count_kernel<true> : count_kernel<false>, *t, f);
    if (status == EIG_OK) status = cuda_launch(ctx, "stemr: places", stream, pairs, take_kernel, *t, f, pencils);
    if (status == EIG_OK) status = cuda_launch(ctx, "stemr: brackets", stream, pairs, put_kernel, *t, f, pencils);
    return status;
}

extern "C" eig_status eig_cuda_stemr_begin_sections(eig_context *ctx, const stemr_task *t, stemr_forest f, int last,
                                                    bool pencils, int rounds, cudaStream_t stream)
{
    CUDA_TRY(cudaMemsetAsync(f.level->active, 0, sizeof f.level->active + sizeof f.level->unparted, stream));
    eig_status status = classify_root(ctx, t, f, last, UNLISTED, pencils, stream);
    if (status == EIG_OK) status = take_lattices(ctx, t, f, pencils, stream);
    for (int round = 0; round < rounds && status == EIG_OK; ++round) {
        status = classify_root(ctx, t, f, last, round, pencils, stream);
        if (status == EIG_OK) status = round_of_root(ctx, t, f, round, pencils, stream);
    }
    /* Without pencils the caller corrects what is single by now, also what the last round has parted. */
    return pencils || status != EIG_OK ? status : classify_root(ctx, t, f, last, UNLISTED, pencils, stream);
}

extern "C" eig_status eig_cuda_stemr_end_sections(eig_context *ctx, const stemr_task *t, stemr_forest f, int last,
                                                  bool pencils, int *rounds, int *left, cudaStream_t stream)
{
    for (;; ++*rounds) {
        int active = *left = 1;
        bool const ends = *rounds == STEMR_ROUNDS || (pencils && *rounds >= t->limits.rounds);
        eig_status status = classify_root(ctx, t, f, last, ends ? (int)LAST : *rounds, pencils, stream);
        if (status != EIG_OK || ends) return status;
        status = look(ctx, f, *rounds, &active, left, stream);
        if (status != EIG_OK || active == 0) return status;
        status = round_of_root(ctx, t, f, *rounds, pencils, stream);
        if (status != EIG_OK) return status;
    }
}
