/* stemr on CUDA: brackets of clusters' members, against T~, pencils or the representations of their nodes, until
 * gaps part them.
 *
 * A round takes 4 bits from every bracket that goes on: 15 shifts at once, or 3 and 3, or 1 four times, by how many
 * members there are to fill the lanes with.  Brackets are powers of two wide and the shifts lie on one lattice, so that
 * all three ways end at the same bracket.  Between rounds a kernel tells which members are single.
 *
 * Root      Against T~, after the lattices of stemr_grid.cu: rounds alone.  Against nodes:
 * Rough     First the brackets lose some bits by counts with a double's digits, which take a sixth of the time.  These are
 *           hints: in double, representations of glued matrices are good to 2^-8 .. 2^-17 of their eigenvalues.
 * Ladder    Then counts with all digits at the bracket's ends, and ever farther out, tell how good the hint was.
 * Check     Where the ladder was too short, an end stays that no count has confirmed.  Rounds count there as well; where it
 *           is wrong, the bracket moves on and is widened.
 * Limits    a bracket loses 4 bits a round and ends at STEMR_GAP/256 of its size, or at 2^-200; against T~ and pencils at
 *           ROOT_WIDTH limits.part. */
#include "stemr_count.cuh"
#include "stemr_pencil.cuh"
#include "stemr_section.cuh"

/* Counts against T~ err by 2^-100.  What they part is limits.part = 2^-88 apart, and what they leave is no narrower than this
 * part of it. */
#define ROOT_WIDTH 0x1p-6

enum {
    /* Widths of a bracket beside it, so that Rayleigh's quotient takes few steps; brackets from T~ become up to four times as
     * wide against a node. */
    ROOM = 2,
    ROOT_ROOM = 8,
    THREADS = 128,
    LOOKS = 4, /* rounds between two looks of the host */
    UNLISTED = -1,
    LAST = -2,
    /* Members from which on 15 shifts at once are too many, and 3: */
    ROUGH_MANY = 1100,
    ROUGH_MOST = 8000,
    LADDER_MANY = 1100,
    MANY = 4500,
    MOST = 18000,
    ROOT_MANY = 600,
    ROOT_MOST = 4000,
    ROOT_TURNS = 2, /* rounds against T~ in a launch, where launches cost more than counts: */
    ROOT_SMALL = 2048,
    PENCIL_TURNS = 2, /* likewise, always */
};

/* -------------------------------------------------------------------- classes */

static __device__ __forceinline__ double size_of(const stemr_pair &k)
{
    return fmax(fabs(k.lo.hi), fabs(k.hi.hi));
}

static __device__ __forceinline__ double width_of(const stemr_member &m)
{
    return scalbn(1.0, m.exponent);
}

/* Distance of member k and the next one; of the last one and the neighbour beside the cluster. */
static __device__ double gap_of(const stemr_task &t, const stemr_forest &f, const stemr_node &c, int64_t k)
{
    if (k < c.first) return c.left;
    if (k >= c.last) return c.right;
    if (t.pair[k].node != t.pair[k + 1].node) return f.member[k].right; /* one is T~'s own */
    return stemr_difference(t.pair[k + 1].lo, t.pair[k].hi).hi;
}

/* Whether k and the next one are parted: by a relative gap, and well enough for a Rayleigh quotient. */
static __device__ bool parted(const stemr_task &t, const stemr_forest &f, const stemr_node &c, int64_t k, bool root)
{
    if (k < c.first || k >= c.last) return true;
    if (t.pair[k].node != t.pair[k + 1].node) return true; /* by counts against T~ */
    double const gap = gap_of(t, f, c, k);
    return gap >= (root ? t.limits.part : STEMR_GAP * fmax(size_of(t.pair[k]), size_of(t.pair[k + 1]))) &&
           gap >= (root ? ROOT_ROOM : ROOM) * fmax(width_of(f.member[k]), width_of(f.member[k + 1]));
}

/* What brackets are told against. */
enum against { NODES, ROOT_ITSELF, PENCILS };

/* Whether its gap is too narrow for its pencil: entries err by 2^-104 of themselves, and a vector may by n eps / 16. */
static __device__ __forceinline__ bool too_narrow(const stemr_task &t, const stemr_node &c, double gap)
{
    return gap * (double)t.n < t.limits.narrow * c.entries;
}

/* Which members of nodes first to last-1 are single; lists those that have to go on in this round; UNLISTED: in none.
 * After the LAST one they count as exhausted. */
static __global__ void classify(stemr_task t, stemr_forest f, int first, int last, int round, against what)
{
    bool const root = what != NODES;
    int64_t const k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    bool active = false;
    if (k < t.pairs && (t.pair[k].state == STEMR_ACTIVE || t.pair[k].state == STEMR_SINGLE) &&
        first <= t.pair[k].node && t.pair[k].node < last && (t.pair[k].close == STEMR_IN_PENCIL) == (what == PENCILS)) {
        stemr_pair &pair = t.pair[k];
        stemr_member &m = f.member[k];
        stemr_node &c = t.node[pair.node];
        bool const before = parted(t, f, c, k - 1, root), after = parted(t, f, c, k, root);
        m.left = gap_of(t, f, c, k - 1), m.right = gap_of(t, f, c, k);
        m.joined = !after;
        pair.gap = fmin(m.left, m.right);
        pair.state = before && after && m.sure == 3 ? STEMR_SINGLE : STEMR_ACTIVE;
        double const least =
            root ? ROOT_WIDTH * t.limits.part : fmax(STEMR_GAP / 256 * size_of(pair), STEMR_LEAST_WIDTH);
        bool const exhausted = width_of(m) <= least;
        bool const ends = (exhausted && m.sure == 3) || round == LAST;
        active = pair.state == STEMR_ACTIVE && !ends && round != UNLISTED;
        bool const fails = what == PENCILS && pair.state == STEMR_SINGLE && too_narrow(t, c, pair.gap);
        if ((pair.state == STEMR_ACTIVE && ends) || fails) f.level->together = 1, c.kept_failed = 1;
    }
    unsigned const mask = __ballot_sync(0xffffffffu, active);
    int base = 0;
    if (threadIdx.x % 32 == 0 && mask) base = atomicAdd(&f.level->active[round], __popc(mask));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (active) t.list[base + __popc(mask & ((1u << (threadIdx.x % 32)) - 1))] = (int)k;
}

/* --------------------------------------------------------------------- rounds */

enum stage { ROUGH, LADDER, ROUND, ROOT, PENCIL };

template <stage what, int bits>
static __device__ void work_members(const stemr_task &t, const stemr_forest &f, int count, stemr_root_tile *tiles)
{
    constexpr int lanes = what == LADDER && bits < 4 ? 4 : lanes_for<bits>, groups = THREADS / lanes;
    bool const upwards = threadIdx.x % 2;
    int const n = (int)t.n;
    stemr_of_root const root = {t.entry, n, tiles + threadIdx.x / 32};
    for (int64_t first = (int64_t)blockIdx.x * groups; first < count; first += (int64_t)gridDim.x * groups) {
        int64_t const mine = first + threadIdx.x / lanes;
        bool const working = mine < count;
        int const k = t.list[working ? mine : count - 1];
        stemr_pair &pair = t.pair[k];
        stemr_member &m = f.member[k];
        const stemr_row *const rows = what == ROOT || what == PENCIL ? NULL : stemr_rows_of(t, pair.node);
        section s = {pair.lo, m.exponent, m.sure};
        if (what == PENCIL) {
            stemr_of_pencil const pencil = stemr_pencil_of(t, pair.node);
            for (int turn = 0; turn < PENCIL_TURNS; ++turn)
                round_of<bits>(s, pair.index, working,
                               [&](wide_d x) { return stemr_pencil_count(pencil, x, upwards); });
        } else if (what == ROOT)
            for (int turn = 0; turn < (n > ROOT_SMALL ? 1 : ROOT_TURNS); ++turn)
                round_of<bits>(s, pair.index, working, [&](wide_d x) { return root_count_below(root, x, upwards); });
        else if (what == ROUGH)
            rough_rounds<bits>(s, pair.index, working,
                               [&](wide_d x) { return rough_count_below(rows, n, x.hi, upwards); });
        else if (what == LADDER && bits == 4)
            climb_at_once(s, pair.index, [&](wide_d x) { return count_below(rows, n, x, upwards); });
        else if (what == LADDER)
            climb_by_steps(s, pair.index, working, [&](wide_d x) { return count_below(rows, n, x, upwards); });
        else
            round_of<bits>(s, pair.index, working, [&](wide_d x) { return count_below(rows, n, x, upwards); });
        __syncwarp(); /* all have read the bracket */
        if (!working || threadIdx.x % lanes != 0) continue;
        pair.lo = s.lo, pair.hi = point_of(s, 1, s.exponent);
        pair.x = stemr_middle(pair.lo, pair.hi);
        m.exponent = s.exponent, m.sure = s.sure;
    }
}

/* Work on the members that a round's list holds, with as many lanes each as there are. */
template <stage what>
static __global__ void __launch_bounds__(THREADS, what == ROUGH ? 3 : 4)
    sections(stemr_task t, stemr_forest f, int round)
{
    __shared__ stemr_root_tile tiles[what == ROOT ? THREADS / 32 : 1];
    int const count = f.level->active[round];
    constexpr int many = what == ROUGH ? ROUGH_MANY : what == LADDER ? LADDER_MANY : what >= ROOT ? ROOT_MANY : MANY;
    constexpr int most = what == ROUGH ? ROUGH_MOST : what >= ROOT ? ROOT_MOST : MOST;
    if (count <= many)
        work_members<what, 4>(t, f, count, tiles);
    else if (count <= most && what != LADDER)
        work_members<what, 2>(t, f, count, tiles);
    else
        work_members<what, 1>(t, f, count, tiles);
}

/* ----------------------------------------------------------------------- root */

/* Brackets of nodes' members, a power of two wide, against T~ or the node's pencil.  A block a node. */
static __global__ void __launch_bounds__(THREADS) open_nodes(stemr_task t, stemr_forest f)
{
    stemr_node const c = t.node[blockIdx.x];
    for (int k = c.first + threadIdx.x; k <= c.last; k += THREADS) {
        stemr_pair &pair = t.pair[k];
        stemr_member &m = f.member[k];
        frexp(stemr_difference(pair.hi, pair.lo).hi, &m.exponent);
        m.sure = 0;
        if (c.kept > 0) pair.lo = stemr_difference(pair.lo, c.center), pair.close = STEMR_IN_PENCIL;
        pair.hi = wide_add_d(pair.lo, stemr_wide(width_of(m)));
        pair.x = stemr_middle(pair.lo, pair.hi);
        pair.state = STEMR_ACTIVE, pair.node = (int)blockIdx.x;
    }
}

/* ----------------------------------------------------------------------- host */

/* Members that a round has to work on; with none, *together: whether some are left that nothing has parted. */
static eig_status look(eig_context *ctx, stemr_forest f, int round, int *left, int *together, cudaStream_t stream)
{
    int found[STEMR_ROUNDS + 3]; /* active[round] and what follows */
    size_t const upto = offsetof(stemr_level, together) - offsetof(stemr_level, active),
                 skipped = (size_t)round * sizeof(int);
    eig_status const status = eig_cuda_read(ctx, found, f.level->active + round, upto - skipped + sizeof(int), stream);
    if (status == EIG_OK) *left = found[0], *together = found[(upto - skipped) / sizeof(int)];
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
    return cuda_launch(ctx, "stemr: classes", stream, {(t->pairs + PAIRS - 1) / PAIRS, PAIRS}, classify, *t, f, 0, last,
                       round, pencils ? PENCILS : ROOT_ITSELF);
}

static eig_status round_of_root(eig_context *ctx, const stemr_task *t, stemr_forest f, int round, bool pencils,
                                cudaStream_t stream)
{
    enum { BLOCKS = 8 };
    return cuda_launch(ctx, "stemr: root sections", stream, {cuda_state_of(ctx)->multiprocessors * BLOCKS, THREADS},
                       pencils ? sections<PENCIL> : sections<ROOT>, *t, f, round);
}

extern "C" eig_status eig_cuda_stemr_begin_sections(eig_context *ctx, const stemr_task *t, stemr_forest f, int last,
                                                    bool pencils, int rounds, cudaStream_t stream)
{
    CUDA_TRY(cudaMemsetAsync(f.level->active, 0, sizeof f.level->active + sizeof f.level->together, stream));
    eig_status status = classify_root(ctx, t, f, last, UNLISTED, pencils, stream);
    if (status == EIG_OK) status = eig_cuda_stemr_grid(ctx, t, f, pencils, stream);
    for (int round = 0; round < rounds && status == EIG_OK; ++round) {
        status = classify_root(ctx, t, f, last, round, pencils, stream);
        if (status == EIG_OK) status = round_of_root(ctx, t, f, round, pencils, stream);
    }
    /* Without pencils the caller corrects what is single by now: those that the last round has parted, too. */
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

extern "C" eig_status eig_cuda_stemr_sections(eig_context *ctx, const stemr_task *t, stemr_forest f, int first,
                                              int last, cudaStream_t stream)
{
    enum { PAIRS = 256, BLOCKS = 8 };
    int64_t const blocks = (t->pairs + PAIRS - 1) / PAIRS, work = (int64_t)cuda_state_of(ctx)->multiprocessors * BLOCKS;
    CUDA_TRY(cudaMemsetAsync(f.level->active, 0, sizeof f.level->active, stream));
    for (int round = 0;; ++round) {
        eig_status status =
            cuda_launch(ctx, "stemr: classes", stream, {blocks, PAIRS}, classify, *t, f, first, last, round, NODES);
        if (status != EIG_OK || round == STEMR_ROUNDS) return status;
        if (round % LOOKS == 0) {
            int left = 0, together = 0;
            status = look(ctx, f, round, &left, &together, stream);
            if (status != EIG_OK || left == 0) return status;
        }
        if (round == 0) {
            status = cuda_launch(ctx, "stemr: rough sections", stream, {work, THREADS}, sections<ROUGH>, *t, f, round);
            if (status == EIG_OK)
                status = cuda_launch(ctx, "stemr: ends", stream, {work, THREADS}, sections<LADDER>, *t, f, round);
        } else {
            status = cuda_launch(ctx, "stemr: sections", stream, {work, THREADS}, sections<ROUND>, *t, f, round);
        }
        if (status != EIG_OK) return status;
    }
}
