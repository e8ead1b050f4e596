/* stemr on CUDA: a bracket is narrowed by counts, by a group of lanes (stemr_sections.cu, mrrr/stemr_node_sections.cu). */
#ifndef EIG_STEMR_SECTION_CUH
#define EIG_STEMR_SECTION_CUH

#include "stemr_tree.cuh"
#include "stemr_walk.cuh"

/* A member's bracket, the same in all lanes of its group. */
struct section {
    wide_d lo;
    int exponent, sure;
};

static __device__ __forceinline__ wide_d point_of(const section &s, int j, int exponent)
{
    return wide_add_d(s.lo, stemr_wide(j * scalbn(1.0, exponent)));
}

/* The bracket of a pair from its section. */
static __device__ __forceinline__ void stemr_put_section(stemr_pair &pair, stemr_member &m, const section &s)
{
    pair.lo = s.lo, pair.hi = point_of(s, 1, s.exponent);
    pair.x = stemr_middle(pair.lo, pair.hi);
    m.exponent = s.exponent, m.sure = s.sure;
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

static __device__ __forceinline__ double stemr_width_of(const stemr_member &m)
{
    return scalbn(1.0, m.exponent);
}

/* Distance of member k and the next one; of the last one and the neighbour beside the cluster. */
static __device__ __forceinline__ double stemr_gap_of(const stemr_task &t, const stemr_node &c, int64_t k)
{
    if (k < c.first) return c.left;
    if (k >= c.last) return c.right;
    return stemr_difference(t.pair[k + 1].lo, t.pair[k].hi).hi;
}

/* Whether k and the next one are parted: by a gap, and well enough for a Rayleigh quotient. */
static __device__ __forceinline__ bool stemr_parted(const stemr_task &t, const stemr_forest &f, const stemr_node &c,
                                                    int64_t k, double gap, double widths)
{
    if (k < c.first || k >= c.last) return true;
    double const here = stemr_gap_of(t, c, k);
    return here >= gap && here >= widths * fmax(stemr_width_of(f.member[k]), stemr_width_of(f.member[k + 1]));
}

/* How many lanes work on a bracket together, for `bits` at a time. */
template <int bits> constexpr int lanes_for = bits > 1 ? 2 << bits : 2;

/* A step of `bits`: the shifts of the group's lanes, and the part of the bracket that their counts leave: 0 for the
 * lowest one.  spare: the shift of the last pair of lanes, which has no part in this; *reached: what it finds. */
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

/* Eigenvalues of T~ below x, by two neighbouring lanes with the same x: one goes down from the first row, the other up
 * from the last, and they meet in the middle.  All lanes of the warp. */
static __device__ int root_count_below(const stemr_of_root &rows, wide_d x, bool upwards)
{
    int const half = rows.n / 2, steps = upwards ? rows.n - 1 - half : half;
    stemr_minors m = stemr_first_minors();
    int count = 0;
    auto const go = [&](const stemr_of_root::line &line) {
        stemr_minors const next = stemr_next_minors(line.a, line.b, x, m);
        count += (unsigned)(__double2hiint(next.here.hi) ^ __double2hiint(m.here.hi)) >> 31;
        m = next;
    };
    int const whole = (rows.n - 1 - half) / STEMR_GROUP * STEMR_GROUP; /* both lanes go that far */
    rows.walk(upwards, whole, [&](int, const stemr_of_root::line *lines) {
#pragma unroll
        for (int k = 0; k < STEMR_GROUP; ++k) go(lines[k]);
        stemr_rescale_minors(m);
    });
    for (int i = whole; i < steps; ++i) go(rows.load(upwards, i));
    __syncwarp();
    wide_d const mine = stemr_state_of(m);
    wide_d const other = {__shfl_xor_sync(0xffffffffu, mine.hi, 1), __shfl_xor_sync(0xffffffffu, mine.lo, 1)};
    count += __shfl_xor_sync(0xffffffffu, count, 1);
    return count + (stemr_difference(stemr_difference(rows.load(false, half).a, x), wide_add_d(mine, other)).hi < 0);
}

#endif
