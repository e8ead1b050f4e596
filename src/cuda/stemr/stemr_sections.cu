/* stemr on CUDA: brackets of clusters' members, against the representations of their nodes, until gaps part them.
 *
 * A round takes 4 bits from every bracket that goes on: 15 shifts at once, or 3 and 3, or 1 four times, by how many
 * members there are to fill the lanes with.  Brackets are powers of two wide and the shifts lie on one lattice, so that
 * all three ways end at the same bracket.  Between rounds a kernel tells which members are single.
 *
 * Counts    Two lanes a shift: one goes down from the first row, the other up from the last, and they meet in the
 *           middle.  Half the chain of a count from one end: n/2 rows at some 120 cycles.
 * Check     A bracket that comes from the parent's representation may miss its eigenvalue by the errors of both.  An end
 *           that no count has confirmed is counted at as well; where it is wrong, the bracket moves on and is widened.
 * Limits    a bracket loses 4 bits a round and ends at STEMR_GAP/16 of its size, or at 2^-200. */
#include "stemr_tree.cuh"

enum {
    THREADS = 128,
    AHEAD = 4,
    LOOKS = 4,   /* rounds between two looks of the host */
    MANY = 1056, /* members from which on lanes are scarce: 3 shifts at once, not 15 */
    MOST = 6000  /* the same: 1 */
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
static __device__ double gap_of(const stemr_task &t, const stemr_node &c, int64_t k)
{
    if (k < c.first) return c.left;
    if (k >= c.last) return c.right;
    return stemr_difference(t.pair[k + 1].lo, t.pair[k].hi).hi;
}

/* Whether k and the next one are parted: by a relative gap, and well enough for a Rayleigh quotient. */
static __device__ bool parted(const stemr_task &t, const stemr_forest &f, const stemr_node &c, int64_t k)
{
    if (k < c.first || k >= c.last) return true;
    double const gap = gap_of(t, c, k);
    return gap >= STEMR_GAP * fmax(size_of(t.pair[k]), size_of(t.pair[k + 1])) &&
           gap >= 2 * fmax(width_of(f.member[k]), width_of(f.member[k + 1]));
}

/* Which members of nodes first to last-1 are single; lists those that have to go on. */
static __global__ void classify(stemr_task t, stemr_forest f, int first, int last, int round)
{
    int64_t const k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    bool active = false;
    if (k < t.pairs && (t.pair[k].state == STEMR_ACTIVE || t.pair[k].state == STEMR_SINGLE) &&
        first <= t.pair[k].node && t.pair[k].node < last) {
        stemr_pair &pair = t.pair[k];
        stemr_member &m = f.member[k];
        stemr_node const &c = t.node[pair.node];
        bool const before = parted(t, f, c, k - 1), after = parted(t, f, c, k);
        m.left = gap_of(t, c, k - 1), m.right = gap_of(t, c, k);
        m.joined = !after;
        pair.gap = fmin(m.left, m.right);
        pair.x = stemr_middle(pair.lo, pair.hi);
        pair.state = before && after && m.sure == 3 ? STEMR_SINGLE : STEMR_ACTIVE;
        bool const exhausted = width_of(m) <= fmax(STEMR_GAP / 16 * size_of(pair), STEMR_LEAST_WIDTH);
        active = pair.state == STEMR_ACTIVE && !(exhausted && m.sure == 3);
    }
    unsigned const mask = __ballot_sync(0xffffffffu, active);
    int base = 0;
    if (threadIdx.x % 32 == 0 && mask) base = atomicAdd(&f.level->active[round], __popc(mask));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (active) t.list[base + __popc(mask & ((1u << (threadIdx.x % 32)) - 1))] = (int)k;
}

/* --------------------------------------------------------------------- counts */

/* Eigenvalues of a representation below x, by two neighbouring lanes with the same x; n > 1.  All lanes of the warp. */
static __device__ int count_below(const stemr_row *rows, int n, wide_d x, bool upwards)
{
    int const middle = n / 2, steps = upwards ? n - 1 - middle : middle;
    /* Forward, s is added to D and G divided; backward the other way round. */
    const double2 *a = (const double2 *)(rows + (upwards ? n - 2 : 0)) + (upwards ? 1 : 0);
    const double2 *c = (const double2 *)(rows + (upwards ? n - 2 : 0)) + (upwards ? 0 : 1);
    int const stride = upwards ? -2 : 2, end = max(steps - 1, 0) * stride;
    wide_d s = wide_minus_d(x), above = rows[n - 1].d;
    if (upwards) s = wide_add_d(above, s);
    int count = 0;
    double2 next_a[AHEAD], next_c[AHEAD];
#pragma unroll
    for (int j = 0; j < AHEAD; ++j) {
        int const at = j < steps ? j * stride : end;
        next_a[j] = a[at], next_c[j] = c[at];
    }
    for (int i = 0; i < steps; i += AHEAD) {
        double2 here_a[AHEAD], here_c[AHEAD];
#pragma unroll
        for (int j = 0; j < AHEAD; ++j) {
            here_a[j] = next_a[j], here_c[j] = next_c[j];
            int const at = i + AHEAD + j < steps ? (i + AHEAD + j) * stride : end;
            next_a[j] = a[at], next_c[j] = c[at];
        }
#pragma unroll
        for (int j = 0; j < AHEAD; ++j) {
            if (i + j >= steps) break;
            stemr_step const step =
                stemr_row_step(wide_d{here_a[j].x, here_a[j].y}, wide_d{here_c[j].x, here_c[j].y}, x, s);
            count += step.pivot.hi < 0;
            s = step.next, above = step.part;
        }
    }
    unsigned const all = 0xffffffffu;
    wide_d const mine = upwards ? above : s;
    wide_d const other = {__shfl_xor_sync(all, mine.hi, 1), __shfl_xor_sync(all, mine.lo, 1)};
    count += __shfl_xor_sync(all, count, 1);
    return count + (wide_sum_rounded_d(mine, other) < 0);
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

/* One round, `bits` at a time, by groups of 32, 8 or 2 lanes. */
template <int bits>
static __device__ void round_of(const stemr_row *rows, int n, int64_t index, section &s, bool working)
{
    constexpr int lanes = bits > 1 ? 2 << bits : 2, points = (1 << bits) - 1;
    unsigned const all = 0xffffffffu;
    int const lane = threadIdx.x % 32, rank = lane % lanes / 2, base = lane - lane % lanes;
    bool const upwards = lane % 2;
    bool low = !(s.sure & 1), unsure = s.sure != 3;
    bool moved = false; /* by a check */
    if (bits == 1 && __any_sync(all, working && unsure)) {
        wide_d const x = low || !unsure ? s.lo : point_of(s, 1, s.exponent);
        bool const reached = count_below(rows, n, x, upwards) >= index;
        if (unsure) moved = !confirm(s, low, reached);
        unsure = false;
    }
    bool moved_lo = false, moved_hi = false;
    for (int left = STEMR_ROUND_BITS; left > 0; left -= bits) {
        bool const checks = rank == points && bits > 1; /* the last pair of lanes has no point of its own */
        wide_d const x =
            checks ? (low || !unsure ? s.lo : point_of(s, 1, s.exponent)) : point_of(s, rank + 1, s.exponent - bits);
        unsigned const reached = (__ballot_sync(all, count_below(rows, n, x, upwards) >= index) >> base) &
                                 (lanes == 32 ? all : (1u << (lanes % 32)) - 1);
        if (moved) continue;
        if (bits > 1 && unsure) {
            moved = !confirm(s, low, reached >> (2 * points) & 1);
            unsure = false;
            if (moved) continue;
        }
        unsigned const inside = reached & ((1u << (2 * points)) - 1);
        int const at = inside ? (__ffs(inside) - 1) / 2 : points;
        s.lo = point_of(s, at, s.exponent - bits);
        s.exponent -= bits;
        moved_lo = moved_lo || at > 0, moved_hi = moved_hi || at < points;
    }
    if (!moved) s.sure |= (moved_lo ? 1 : 0) | (moved_hi ? 2 : 0);
}

template <int bits> static __device__ void work_members(const stemr_task &t, const stemr_forest &f, int count)
{
    constexpr int lanes = bits > 1 ? 2 << bits : 2, groups = THREADS / lanes;
    for (int64_t first = (int64_t)blockIdx.x * groups; first < count; first += (int64_t)gridDim.x * groups) {
        int64_t const mine = first + threadIdx.x / lanes;
        bool const working = mine < count;
        int const k = t.list[working ? mine : count - 1];
        stemr_pair &pair = t.pair[k];
        stemr_member &m = f.member[k];
        section s = {pair.lo, m.exponent, m.sure};
        round_of<bits>(stemr_rows_of(t, pair.node), (int)t.n, pair.index, s, working);
        __syncwarp(); /* all have read the bracket */
        if (!working || threadIdx.x % lanes != 0) continue;
        pair.lo = s.lo, pair.hi = point_of(s, 1, s.exponent);
        m.exponent = s.exponent, m.sure = s.sure;
    }
}

static __global__ void __launch_bounds__(THREADS) sections(stemr_task t, stemr_forest f, int round)
{
    int const count = f.level->active[round];
    if (count <= MANY)
        work_members<4>(t, f, count);
    else if (count <= MOST)
        work_members<2>(t, f, count);
    else
        work_members<1>(t, f, count);
}

/* ----------------------------------------------------------------------- host */

extern "C" eig_status eig_cuda_stemr_sections(eig_context *ctx, const stemr_task *t, stemr_forest f, int first,
                                              int last, cudaStream_t stream)
{
    enum { PAIRS = 256, BLOCKS = 8 };
    int64_t const blocks = (t->pairs + PAIRS - 1) / PAIRS, work = (int64_t)cuda_state_of(ctx)->multiprocessors * BLOCKS;
    CUDA_TRY(cudaMemsetAsync(f.level->active, 0, sizeof f.level->active, stream));
    for (int round = 0;; ++round) {
        eig_status status =
            cuda_launch(ctx, "stemr: classes", stream, {blocks, PAIRS}, classify, *t, f, first, last, round);
        if (status != EIG_OK || round == STEMR_ROUNDS) return status;
        if (round > 0 && round % LOOKS == 0) {
            int left = 0;
            CUDA_TRY(cudaMemcpyAsync(&left, &f.level->active[round], sizeof left, cudaMemcpyDeviceToHost, stream));
            CUDA_TRY(cudaStreamSynchronize(stream));
            if (left == 0) return EIG_OK;
        }
        status = cuda_launch(ctx, "stemr: sections", stream, {work, THREADS}, sections, *t, f, round);
        if (status != EIG_OK) return status;
    }
}
