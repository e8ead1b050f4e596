/* stemr on CUDA, method mrrr: brackets of clusters' members, against the representations of their nodes, until gaps
 * part them: by sections, as stemr_sections.cu does it against T~.
 *
 * Rough     First the brackets lose some bits by counts with a double's digits, which take a sixth of the time.  These
 *           are hints: in double, representations of glued matrices are good to 2^-8 .. 2^-17 of their eigenvalues.
 * Ladder    Then counts with all digits at the bracket's ends, and ever farther out, tell how good the hint was.
 * Check     Where the ladder was too short, an end stays that no count has confirmed.  Rounds count there as well;
 *           where it is wrong, the bracket moves on and is widened.
 * Limits    a bracket loses 4 bits a round and ends at STEMR_GAP/256 of its size, or at 2^-200. */
#include "stemr/stemr_clusters.cuh"
#include "stemr/stemr_walk.cuh"
#include "stemr_mrrr.cuh"
#include "stemr_node_rows.cuh"

/* Counts of eigenvalues of a representation below a shift.
 *
 * Two neighbouring lanes a shift: one goes down from the first row, the other up from the last, and they meet in the
 * middle.  That is half the chain of a count from one end. */

/* Rows that loads are ahead. */
enum { STEMR_AHEAD = 4, STEMR_ROUGH_AHEAD = 8 };

/* The rows of a representation in the order of a lane that goes down, or up, from its end to the middle.  What is added
 * to s comes first, what is divided second: D and G, or G and D. */
struct half_rows {
    const stemr_row *at;
    int steps, stride, first, second; /* in doubles */

    __device__ __forceinline__ half_rows(const stemr_row *rows, int n, bool upwards)
        : at(rows + (upwards ? n - 2 : 0)), steps(upwards ? n - 1 - n / 2 : n / 2), stride(upwards ? -4 : 4),
          first(upwards ? 2 : 0), second(upwards ? 0 : 2)
    {
    }
};

/* A walk down such a half: step(a, c, j) of every row; loads are `ahead` rows ahead. */
template <int ahead, typename word, typename stepper>
static __device__ __forceinline__ void walk_half(const half_rows &half, stepper step)
{
    const double *a = (const double *)half.at + half.first, *c = (const double *)half.at + half.second;
    word next_a[ahead], next_c[ahead];
    int const groups = half.steps / ahead, rest = half.steps % ahead;
    for (int group = 0; group <= groups; ++group) {
        word here_a[ahead], here_c[ahead];
#pragma unroll
        for (int j = 0; j < ahead; ++j) here_a[j] = next_a[j], here_c[j] = next_c[j];
        if (group < groups) {
#pragma unroll
            for (int j = 0; j < ahead; ++j) {
                next_a[j] = *(const word *)a, next_c[j] = *(const word *)c;
                a += half.stride, c += half.stride;
            }
        }
        if (group == 0) continue;
#pragma unroll
        for (int j = 0; j < ahead; ++j) step(here_a[j], here_c[j], j);
    }
    for (int j = 0; j < rest; ++j) {
        step(*(const word *)a, *(const word *)c, j);
        a += half.stride, c += half.stride;
    }
}

/* The same with two buffers in turn, which saves copies where registers are not scarce. */
template <int ahead, typename word, typename stepper>
static __device__ __forceinline__ void walk_half_in_turn(const half_rows &half, stepper step)
{
    const double *at = (const double *)half.at + half.first;
    int const other = half.second - half.first;
    int groups = half.steps / ahead;
    struct buffer {
        word a[ahead], c[ahead];
    } even, odd;
    auto const load = [&](buffer &b) {
#pragma unroll
        for (int j = 0; j < ahead; ++j) {
            b.a[j] = *(const word *)at, b.c[j] = *(const word *)(at + other);
            at += half.stride;
        }
    };
    auto const work = [&](const buffer &b) {
#pragma unroll
        for (int j = 0; j < ahead; ++j) step(b.a[j], b.c[j], j);
    };
    if (groups > 0) load(even);
#pragma unroll 1
    for (; groups > 2; groups -= 2) {
        load(odd);
        work(even);
        load(even);
        work(odd);
    }
    if (groups > 1) load(odd);
    if (groups > 0) work(even);
    if (groups > 1) work(odd);
#pragma unroll 1
    for (int j = 0; j < half.steps % ahead; ++j, at += half.stride)
        step(*(const word *)at, *(const word *)(at + other), j);
}

/* Eigenvalues of a representation below x, by two neighbouring lanes with the same x; n > 1.  All lanes of the warp. */
static __device__ int count_below(const stemr_row *rows, int n, wide_d x, bool upwards)
{
    wide_d s = wide_minus_d(x);
    if (upwards) s = wide_add_d(rows[n - 1].d, s);
    int count = 0;
    walk_half<STEMR_AHEAD, double2>(half_rows(rows, n, upwards), [&](double2 a, double2 c, int) {
        stemr_step const step = stemr_row_step(wide_d{a.x, a.y}, wide_d{c.x, c.y}, x, s);
        count += (unsigned)__double2hiint(step.pivot.hi) >> 31;
        s = step.next;
    });
    unsigned const all = 0xffffffffu;
    wide_d const mine = upwards ? wide_add_d(s, x) : s;
    wide_d const other = {__shfl_xor_sync(all, mine.hi, 1), __shfl_xor_sync(all, mine.lo, 1)};
    count += __shfl_xor_sync(all, count, 1);
    return count + (wide_sum_rounded_d(mine, other) < 0);
}

/* Those of a representation with a double's digits: without divisions, s being u / v and pivots w / v.  Factors
 * between the entries of a row reach 2^200 at the worst, so that four rows do not overflow.  An answer that is wrong
 * costs time only. */
static __device__ int rough_count_below(const stemr_row *rows, int n, double x, bool upwards)
{
    double u = upwards ? rows[n - 1].d.hi - x : -x, v = 1;
    int count = 0;
    walk_half_in_turn<STEMR_ROUGH_AHEAD, double>(half_rows(rows, n, upwards), [&](double a, double c, int j) {
        double const w = fma(a, v, u);
        count += (unsigned)(__double2hiint(w) ^ __double2hiint(v)) >> 31;
        u = fma(-x, w, c * u);
        v = w;
        if (j % 4 != 3) return;
        int const e = max(__double2hiint(u) & 0x7ff00000, __double2hiint(v) & 0x7ff00000);
        double const scale = __hiloint2double(0x7fd00000 - e, 0);
        u *= scale, v *= scale;
    });
    unsigned const all = 0xffffffffu;
    double const mine = upwards ? u / v + x : u / v, other = __shfl_xor_sync(all, mine, 1);
    count += __shfl_xor_sync(all, count, 1);
    return count + (mine + other < 0);
}

/* Brackets are narrowed by rough counts down to this part of the eigenvalue, to this width, and by this many bits. */
#define ROUGH_PART 0x1p-17
#define ROUGH_WIDTH 0x1p-59
enum { ROUGH_BITS = 16, RUNGS = 8 /* of a ladder, on either side: out to 2^13 brackets */ };

enum {
    /* Widths of a bracket beside it, so that Rayleigh's quotient takes few steps. */
    ROOM = 2,
    THREADS = 128,
    LOOKS = 4, /* rounds between two looks of the host */
    /* Members from which on 15 shifts at once are too many, and 3: */
    ROUGH_MANY = 1100,
    ROUGH_MOST = 8000,
    LADDER_MANY = 1100,
    MANY = 4500,
    MOST = 18000,
};

/* -------------------------------------------------------------------- classes */

static __device__ __forceinline__ double size_of(const stemr_eigenpair &k)
{
    return fmax(fabs(k.lo.hi), fabs(k.hi.hi));
}

/* Whether k and the next one are parted by a relative gap. */
static __device__ bool parted(const stemr_task &t, const stemr_forest &f, const stemr_cluster &c, int64_t k)
{
    if (k < c.first || k >= c.last) return true;
    return stemr_parted(t, f, c, k, STEMR_GAP * fmax(size_of(t.pair[k]), size_of(t.pair[k + 1])), ROOM);
}

/* Which members of nodes first to last-1 are single; lists those that have to go on in this round. */
static __global__ void classify(stemr_task t, stemr_forest f, int first, int last, int round)
{
    int64_t const k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    bool active = false;
    if (k < t.pairs && (t.pair[k].state == STEMR_ACTIVE || t.pair[k].state == STEMR_SINGLE) &&
        first <= t.pair[k].node && t.pair[k].node < last) {
        stemr_eigenpair &pair = t.pair[k];
        stemr_member &m = f.member[k];
        stemr_cluster const &c = t.node[pair.node];
        bool const before = parted(t, f, c, k - 1), after = parted(t, f, c, k);
        m.left = stemr_gap_of(t, c, k - 1), m.right = stemr_gap_of(t, c, k);
        m.with_next = !after;
        pair.gap = fmin(m.left, m.right);
        pair.state = before && after && m.sure == 3 ? STEMR_SINGLE : STEMR_ACTIVE;
        bool const exhausted = stemr_width_of(m) <= fmax(STEMR_GAP / 256 * size_of(pair), STEMR_LEAST_WIDTH);
        active = pair.state == STEMR_ACTIVE && !(exhausted && m.sure == 3);
    }
    int const to = stemr_place_in_list(active, &f.level->active[round]);
    if (active) t.list[to] = (int)k;
}

/* --------------------------------------------------------------------- rounds */

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

enum stage { ROUGH, LADDER, ROUND };

template <stage what, int bits>
static __device__ void work_members(const stemr_task &t, const stemr_forest &f, int count)
{
    constexpr int lanes = what == LADDER && bits < 4 ? 4 : lanes_for<bits>, groups = THREADS / lanes;
    bool const upwards = threadIdx.x % 2;
    int const n = (int)t.n;
    for (int64_t first = (int64_t)blockIdx.x * groups; first < count; first += (int64_t)gridDim.x * groups) {
        int64_t const mine = first + threadIdx.x / lanes;
        bool const working = mine < count;
        int const k = t.list[working ? mine : count - 1];
        stemr_eigenpair &pair = t.pair[k];
        stemr_member &m = f.member[k];
        const stemr_row *const rows = stemr_slot_of(t, pair.node);
        section s = {pair.lo, m.exponent, m.sure};
        if (what == ROUGH)
            rough_rounds<bits>(s, pair.index, working,
                               [&](wide_d x) { return rough_count_below(rows, n, x.hi, upwards); });
        else if (what == LADDER && bits == 4)
            climb_at_once(s, pair.index, [&](wide_d x) { return count_below(rows, n, x, upwards); });
        else if (what == LADDER)
            climb_by_steps(s, pair.index, working, [&](wide_d x) { return count_below(rows, n, x, upwards); });
        else
            round_of<bits>(s, pair.index, working, [&](wide_d x) { return count_below(rows, n, x, upwards); });
        __syncwarp(); /* all have read the bracket */
        if (working && threadIdx.x % lanes == 0) stemr_put_section(pair, m, s);
    }
}

/* Work on the members that a round's list holds, with as many lanes each as there are. */
template <stage what>
static __global__ void __launch_bounds__(THREADS, what == ROUGH ? 3 : 4)
    sections(stemr_task t, stemr_forest f, int round)
{
    int const count = f.level->active[round];
    constexpr int many = what == ROUGH ? ROUGH_MANY : what == LADDER ? LADDER_MANY : MANY;
    constexpr int most = what == ROUGH ? ROUGH_MOST : MOST;
    if (count <= many)
        work_members<what, 4>(t, f, count);
    else if (count <= most && what != LADDER)
        work_members<what, 2>(t, f, count);
    else
        work_members<what, 1>(t, f, count);
}

/* ----------------------------------------------------------------------- host */

extern "C" eig_status eig_cuda_stemr_node_sections(eig_context *ctx, const stemr_task *t, stemr_forest f, int first,
                                                   int last, cudaStream_t stream)
{
    enum { PAIRS = 256, BLOCKS = 8 };
    int64_t const blocks = (t->pairs + PAIRS - 1) / PAIRS, work = (int64_t)cuda_state_of(ctx)->multiprocessors * BLOCKS;
    CUDA_TRY(cudaMemsetAsync(f.level->active, 0, sizeof f.level->active, stream));
    for (int round = 0;; ++round) {
        eig_status status =
            cuda_launch(ctx, "stemr: classes", stream, {blocks, PAIRS}, classify, *t, f, first, last, round);
        if (status != EIG_OK || round == STEMR_ROUNDS) return status;
        if (round % LOOKS == 0) {
            int left = 0;
            status = eig_cuda_read(ctx, &left, f.level->active + round, sizeof left, stream);
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
