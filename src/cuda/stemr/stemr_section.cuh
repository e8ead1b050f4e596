/* stemr on CUDA: a bracket is narrowed by counts, by a group of lanes: sections, rough sections, and the ladder
 * (stemr_sections.cu). */
#ifndef EIG_STEMR_SECTION_CUH
#define EIG_STEMR_SECTION_CUH

#include "stemr_tree.cuh"

/* Brackets are narrowed by rough counts down to this part of the eigenvalue, to this width, and by this many bits. */
#define ROUGH_PART 0x1p-17
#define ROUGH_WIDTH 0x1p-59
enum { ROUGH_BITS = 16, RUNGS = 8 /* of a ladder, on either side: out to 2^13 brackets */ };

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

#endif
