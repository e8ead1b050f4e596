/* stemr on CUDA: brackets of clusters' members, against T~ or the representations of their nodes, until gaps part them.
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
 * Limits    a bracket loses 4 bits a round and ends at STEMR_GAP/256 of its size, or at 2^-200. */
#include "stemr_count.cuh"
#include "stemr_tree.cuh"

/* Counts against T~ err by 2^-100.  What they part is limits.part = 2^-88 apart, and what they leave is no narrower than this
 * part of it. */
#define ROOT_WIDTH 0x1p-6

/* Brackets are narrowed by rough counts down to this part of the eigenvalue, to this width, and by so many bits. */
#define ROUGH_PART 0x1p-17
#define ROUGH_WIDTH 0x1p-59
enum {
    /* Widths of a bracket beside it, so that Rayleigh's quotient takes few steps; brackets from T~ become up to four times as
     * wide against a node. */
    ROOM = 2,
    ROOT_ROOM = 8,
    ROUGH_BITS = 16,
    RUNGS = 8, /* of a ladder, on either side: out to 2^13 brackets */
    THREADS = 128,
    LOOKS = 4, /* rounds between two looks of the host */
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

/* Which members of nodes first to last-1 are single; lists those that have to go on. */
static __global__ void classify(stemr_task t, stemr_forest f, int first, int last, int round, bool root)
{
    int64_t const k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    bool active = false;
    if (k < t.pairs && (t.pair[k].state == STEMR_ACTIVE || t.pair[k].state == STEMR_SINGLE) &&
        first <= t.pair[k].node && t.pair[k].node < last) {
        stemr_pair &pair = t.pair[k];
        stemr_member &m = f.member[k];
        stemr_node const &c = t.node[pair.node];
        bool const before = parted(t, f, c, k - 1, root), after = parted(t, f, c, k, root);
        m.left = gap_of(t, f, c, k - 1), m.right = gap_of(t, f, c, k);
        m.joined = !after;
        pair.gap = fmin(m.left, m.right);
        pair.state = before && after && m.sure == 3 ? STEMR_SINGLE : STEMR_ACTIVE;
        double const least =
            root ? ROOT_WIDTH * t.limits.part : fmax(STEMR_GAP / 256 * size_of(pair), STEMR_LEAST_WIDTH);
        bool const exhausted = width_of(m) <= least;
        bool const ends = exhausted && m.sure == 3;
        active = pair.state == STEMR_ACTIVE && !ends;
        if (pair.state == STEMR_ACTIVE && ends) f.level->together = 1;
    }
    unsigned const mask = __ballot_sync(0xffffffffu, active);
    int base = 0;
    if (threadIdx.x % 32 == 0 && mask) base = atomicAdd(&f.level->active[round], __popc(mask));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (active) t.list[base + __popc(mask & ((1u << (threadIdx.x % 32)) - 1))] = (int)k;
}

/* --------------------------------------------------------------------- rounds */

/* A member's bracket, the same in all lanes of its group. */
struct section {
    wide_d lo;
    int exponent, sure;
};

static __device__ __forceinline__ wide_d point_of(const section &s, int j, int exponent)
{
    return wide_add_d(s.lo, stemr_wide(j * scalbn(1.0, exponent)));
}

/* What a count at an unconfirmed end says: false where the bracket had to move. */
static __device__ __forceinline__ bool confirm(section &s, bool low, bool reached)
{
    if (low != reached) {
        s.sure |= low ? 1 : 2;
        return true;
    }
    double const width = scalbn(1.0, s.exponent);
    s.lo = low ? wide_add_d(s.lo, stemr_wide(-4 * width)) : wide_add_d(s.lo, stemr_wide(width));
    s.exponent += 2;
    s.sure = low ? 2 : 1;
    return false;
}

/* How many lanes work on a bracket together, for `bits` at a time. */
template <int bits> constexpr int lanes_for = bits > 1 ? 2 << bits : 2;

/* A step of `bits`: the shifts of the group's lanes, and the part of the bracket that their counts leave: 0 for the lowest
 * one.  spare: the shift of the last pair of lanes, which has no part in this; *reached: what it finds. */
template <int bits, typename counter>
static __device__ int section_step(const section &s, int64_t index, wide_d spare, bool *reached, counter count)
{
    constexpr int lanes = lanes_for<bits>, points = (1 << bits) - 1;
    int const lane = threadIdx.x % 32, rank = lane % lanes / 2, base = lane - lane % lanes;
    wide_d const x = rank == points ? spare : point_of(s, rank + 1, s.exponent - bits);
    unsigned const votes = __ballot_sync(0xffffffffu, count(x) >= index) >> base;
    unsigned const inside = votes & ((1u << (2 * points)) - 1);
    *reached = votes >> (2 * points) & 1;
    return inside ? (__ffs(inside) - 1) / 2 : points;
}

/* The bracket becomes that part. */
template <int bits> static __device__ __forceinline__ void take(section &s, int part)
{
    s.lo = point_of(s, part, s.exponent - bits);
    s.exponent -= bits;
}

/* One round, by groups of 32, 8 or 2 lanes. */
template <int bits, typename counter>
static __device__ void round_of(section &s, int64_t index, bool working, counter count)
{
    bool unsure = s.sure != 3, moved = false, reached;
    bool const low = !(s.sure & 1);
    if (bits == 1 && __any_sync(0xffffffffu, working && unsure)) { /* no lanes to spare */
        reached = count(low || !unsure ? s.lo : point_of(s, 1, s.exponent)) >= index;
        if (unsure) moved = !confirm(s, low, reached);
        unsure = false;
    }
    bool moved_lo = false, moved_hi = false;
    for (int left = STEMR_ROUND_BITS; left > 0; left -= bits) {
        wide_d const end = low || !unsure ? s.lo : point_of(s, 1, s.exponent);
        int const part = section_step<bits>(s, index, end, &reached, count);
        if (moved) continue;
        if (bits > 1 && unsure) {
            moved = !confirm(s, low, reached);
            unsure = false;
            if (moved) continue;
        }
        take<bits>(s, part);
        moved_lo = moved_lo || part > 0, moved_hi = moved_hi || part < (1 << bits) - 1;
    }
    if (!moved) s.sure |= (moved_lo ? 1 : 0) | (moved_hi ? 2 : 0);
}

/* Rounds with a double's digits, as far as they may tell anything, and some room around what they find. */
template <int bits, typename counter>
static __device__ void rough_rounds(section &s, int64_t index, bool working, counter count)
{
    int const first = s.exponent;
    for (;;) {
        double const size = fmax(fabs(s.lo.hi), fabs(point_of(s, 1, s.exponent).hi));
        bool const wide = scalbn(1.0, s.exponent) > fmax(ROUGH_PART * size, ROUGH_WIDTH);
        bool const on = working && wide && first - s.exponent < ROUGH_BITS;
        if (!__any_sync(0xffffffffu, on)) break;
        for (int left = STEMR_ROUND_BITS; left > 0; left -= bits) {
            bool reached;
            int const part = section_step<bits>(s, index, s.lo, &reached, count);
            if (on) take<bits>(s, part);
        }
    }
    if (s.exponent == first) return;
    s.lo = wide_add_d(s.lo, stemr_wide(-scalbn(0.5, s.exponent)));
    ++s.exponent;
}

/* Rung j of the ladder on one side of a bracket: its end, and then ever farther out by factors of 4. */
static __device__ __forceinline__ wide_d rung_of(const section &s, bool high, int j)
{
    wide_d const end = high ? point_of(s, 1, s.exponent) : s.lo;
    double const distance = j == 0 ? 0 : scalbn(1.0, s.exponent + 2 * j - 1);
    return wide_add_d(end, stemr_wide(high ? distance : -distance));
}

/* The bracket between rungs j-1 and j; j = RUNGS: beyond the last one. */
static __device__ void take_rung(section &s, bool high, int j)
{
    wide_d const from = rung_of(s, high, high ? j - 1 : min(j, RUNGS - 1));
    s.exponent += 2 * j - 1;
    s.lo = from, s.sure = 3;
    if (j < RUNGS) return;
    if (!high) s.lo = wide_add_d(from, stemr_wide(-scalbn(1.0, s.exponent)));
    s.sure = high ? 1 : 2;
}

/* All rungs at once, by 32 lanes. */
template <typename counter> static __device__ void climb_at_once(section &s, int64_t index, counter count)
{
    int const rank = threadIdx.x % 32 / 2;
    unsigned const votes = __ballot_sync(0xffffffffu, count(rung_of(s, rank >= RUNGS, rank % RUNGS)) >= index);
    unsigned const half = (1u << (2 * RUNGS)) - 1, low = votes & half, high = votes >> (2 * RUNGS);
    int const below = low == half ? RUNGS : (__ffs(~low) - 1) / 2, above = high == 0 ? RUNGS : (__ffs(high) - 1) / 2;
    if (below > 0)
        take_rung(s, false, below);
    else if (above > 0)
        take_rung(s, true, above);
    else
        s.sure = 3;
}

/* Rung by rung, by four lanes: at first both ends, then two rungs on the side where the eigenvalue is. */
template <typename counter>
static __device__ void climb_by_steps(section &s, int64_t index, bool working, counter count)
{
    int const lane = threadIdx.x % 32, rank = lane % 4 / 2;
    section const start = s;
    bool done = !working, high = false;
    for (int j = 0; __any_sync(0xffffffffu, !done); j = j == 0 ? 1 : j + 2) {
        bool const mine =
            count(rung_of(start, j == 0 ? rank == 1 : high, j == 0 ? 0 : min(j + rank, RUNGS - 1))) >= index;
        unsigned const votes = __ballot_sync(0xffffffffu, mine) >> (lane - lane % 4);
        bool const first = votes & 1, second = votes >> 2 & 1;
        if (done) continue;
        if (j == 0) {
            high = !first;
            done = !first && second;
            if (done) s.sure = 3;
            continue;
        }
        int const at = first == high ? j : second == high ? j + 1 : RUNGS;
        done = at < RUNGS || j + 1 >= RUNGS - 1;
        if (done) take_rung(s, high, min(at, (int)RUNGS));
    }
}

enum stage { ROUGH, LADDER, ROUND, ROOT };

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
        const stemr_row *const rows = what == ROOT ? NULL : stemr_rows_of(t, pair.node);
        section s = {pair.lo, m.exponent, m.sure};
        if (what == ROOT)
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
    constexpr int many = what == ROUGH ? ROUGH_MANY : what == LADDER ? LADDER_MANY : what == ROOT ? ROOT_MANY : MANY;
    constexpr int most = what == ROUGH ? ROUGH_MOST : what == ROOT ? ROOT_MOST : MOST;
    if (count <= many)
        work_members<what, 4>(t, f, count, tiles);
    else if (count <= most && what != LADDER)
        work_members<what, 2>(t, f, count, tiles);
    else
        work_members<what, 1>(t, f, count, tiles);
}

/* ----------------------------------------------------------------------- root */

/* Brackets of the members of nodes from first on, a power of two wide, against T~.  A block a node. */
static __global__ void __launch_bounds__(THREADS) open_nodes(stemr_task t, stemr_forest f, int first)
{
    stemr_node const c = t.node[first + blockIdx.x];
    for (int k = c.first + threadIdx.x; k <= c.last; k += THREADS) {
        stemr_pair &pair = t.pair[k];
        stemr_member &m = f.member[k];
        frexp(stemr_difference(pair.hi, pair.lo).hi, &m.exponent);
        m.sure = 0;
        pair.hi = wide_add_d(pair.lo, stemr_wide(width_of(m)));
        pair.x = stemr_middle(pair.lo, pair.hi);
        pair.state = STEMR_ACTIVE, pair.node = first + (int)blockIdx.x;
    }
}

/* ----------------------------------------------------------------------- host */

/* Members that a round has to work on; with none, *together: whether some are left that nothing has parted. */
static eig_status look(eig_context *ctx, stemr_forest f, int round, int *left, int *together, cudaStream_t stream)
{
    int found[STEMR_ROUNDS + 3]; /* active[round] and what follows */
    size_t const upto = offsetof(stemr_level, together) - offsetof(stemr_level, active),
                 skipped = (size_t)round * sizeof(int);
    CUDA_TRY(
        cudaMemcpyAsync(found, f.level->active + round, upto - skipped + sizeof(int), cudaMemcpyDeviceToHost, stream));
    CUDA_TRY(cudaStreamSynchronize(stream));
    *left = found[0], *together = found[(upto - skipped) / sizeof(int)];
    return EIG_OK;
}

extern "C" eig_status eig_cuda_stemr_root_sections(eig_context *ctx, const stemr_task *t, stemr_forest f, int first,
                                                   int last, int *left, cudaStream_t stream)
{
    enum { PAIRS = 128, BLOCKS = 8, FIRST_LOOK = 2 };
    int64_t const blocks = (t->pairs + PAIRS - 1) / PAIRS, work = (int64_t)cuda_state_of(ctx)->multiprocessors * BLOCKS;
    CUDA_TRY(cudaMemsetAsync(f.level->active, 0, sizeof f.level->active + sizeof f.level->together, stream));
    eig_status status = cuda_launch(ctx, "stemr: open", stream, {last - first, THREADS}, open_nodes, *t, f, first);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "stemr: classes", stream, {blocks, PAIRS}, classify, *t, f, first, last,
                             STEMR_ROUNDS + 1, true);
    if (status == EIG_OK) status = eig_cuda_stemr_grid(ctx, t, f, first, stream);
    for (int round = 0; status == EIG_OK; ++round) {
        status = cuda_launch(ctx, "stemr: classes", stream, {blocks, PAIRS}, classify, *t, f, first, last, round, true);
        if (status != EIG_OK || round == STEMR_ROUNDS) return status;
        int active = *left = 1;
        if (round >= FIRST_LOOK) status = look(ctx, f, round, &active, left, stream);
        if (status != EIG_OK || active == 0) return status;
        status = cuda_launch(ctx, "stemr: root sections", stream, {work, THREADS}, sections<ROOT>, *t, f, round);
    }
    return status;
}

extern "C" eig_status eig_cuda_stemr_sections(eig_context *ctx, const stemr_task *t, stemr_forest f, int first,
                                              int last, cudaStream_t stream)
{
    enum { PAIRS = 256, BLOCKS = 8 };
    int64_t const blocks = (t->pairs + PAIRS - 1) / PAIRS, work = (int64_t)cuda_state_of(ctx)->multiprocessors * BLOCKS;
    CUDA_TRY(cudaMemsetAsync(f.level->active, 0, sizeof f.level->active, stream));
    for (int round = 0;; ++round) {
        eig_status status =
            cuda_launch(ctx, "stemr: classes", stream, {blocks, PAIRS}, classify, *t, f, first, last, round, false);
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
