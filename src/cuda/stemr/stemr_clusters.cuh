/* stemr on CUDA: what the files about clusters share, those of method mrrr too: members, levels, and sections, by
 * which a group of lanes narrows a bracket. */
#ifndef EIG_STEMR_CLUSTERS_CUH
#define EIG_STEMR_CLUSTERS_CUH

#include "stemr_walk.cuh"

enum {
    STEMR_ROUNDS = 48, /* of sections a level: brackets of 2^-30 end at 2^-200 */
    STEMR_ROUND_BITS = 4
};

/* What pair k has beside stemr_eigenpair while it belongs to a cluster. */
struct stemr_member {
    double left, right; /* distance of its neighbours */
    int with_next;      /* it and pair k+1 are of one cluster that is to come */
    int sure;           /* counts have confirmed lo (1) and hi (2) */
    int exponent;       /* the bracket is 2^exponent wide */
};

/* What the host reads of a level. */
struct alignas(16) stemr_level {
    int nodes;                    /* made so far, of all levels */
    int active[STEMR_ROUNDS + 2]; /* members that a round has to work on */
    int unparted;                 /* 1: nothing parts some members, or their gaps are too narrow for their pencil */
    int in_pencils, in_others;    /* members of clusters with a pencil, and without one */
    unsigned long long kept;      /* rows of all pencils */
};

/* What a member finds on the lattice of its run (stemr_sections.cu). */
struct run_bracket {
    int found, exponent;
    wide_d lo;
};

enum { STEMR_POINTS = 4 }; /* shifts of such a lattice for a member */

struct stemr_forest {
    stemr_level *level;   /* [2]; the second one for work beside */
    stemr_member *member; /* [n] */
    run_bracket *lattice; /* [n] */
    int *count;           /* [STEMR_POINTS * n] */
};

static inline stemr_forest stemr_forest_of(const stemr_task *t)
{
    stemr_level *const level = (stemr_level *)t->tree_room;
    stemr_member *const member = (stemr_member *)(level + 2);
    run_bracket *const lattice = (run_bracket *)(member + t->n);

    return stemr_forest{level, member, lattice, (int *)(lattice + t->n)};
}

/* Pencils (stemr_pencil.cuh) are made by chunks of this many rows; this many rows may stay for each member. */
enum { STEMR_CHUNK = 32, STEMR_KEPT_ROWS = 4 };

static __host__ __device__ __forceinline__ int64_t stemr_chunks(int64_t n)
{
    return (n + STEMR_CHUNK - 1) / STEMR_CHUNK;
}

extern "C" {

/* stemr_clusters.cu: room of at most `nodes` clusters.  find_runs tells which fresh pairs are of one cluster.
 * make_nodes makes the clusters of a level from that.  narrow_inverse narrows brackets of pairs that are INVERSE,
 * against T~, as far as counts tell anything. */
void eig_cuda_stemr_tree_layout(arena *a, stemr_task *t, int64_t nodes);
eig_status eig_cuda_stemr_find_runs(eig_context *ctx, const stemr_task *t, stemr_forest f, cudaStream_t stream);
eig_status eig_cuda_stemr_make_nodes(eig_context *ctx, const stemr_task *t, stemr_forest f, cudaStream_t stream);
eig_status eig_cuda_stemr_narrow_inverse(eig_context *ctx, const stemr_task *t, cudaStream_t stream);

/* Brackets of members of nodes 0 to last-1, all of level 1; node is set. */
eig_status eig_cuda_stemr_open_nodes(eig_context *ctx, const stemr_task *t, stemr_forest f, int last,
                                     cudaStream_t stream);

/* Sections for these members, by pencils or, for members without one, against T~.  Members that are parted become
 * SINGLE, others stay ACTIVE; *left: whether there are any.  The first function does `rounds` rounds, in which the
 * host does not look.  The second one does the rest, and counts the rounds. */
eig_status eig_cuda_stemr_begin_sections(eig_context *ctx, const stemr_task *t, stemr_forest f, int last, bool pencils,
                                         int rounds, cudaStream_t stream);
eig_status eig_cuda_stemr_end_sections(eig_context *ctx, const stemr_task *t, stemr_forest f, int last, bool pencils,
                                       int *rounds, int *left, cudaStream_t stream);

/* stemr_pencil.cu: room. make_pencils makes the pencils of all clusters, and counts members with and without one.  With
 * `returns` it puts what brings rows back into the pool; pencil_returns does that alone, for nodes first to last-1.
 * leave_pencils sends members that their pencils have not parted on against T~. */
void eig_cuda_stemr_pencil_layout(arena *a, stemr_task *t);
eig_status eig_cuda_stemr_make_pencils(eig_context *ctx, const stemr_task *t, stemr_forest f, bool returns,
                                       cudaStream_t stream);
eig_status eig_cuda_stemr_pencil_returns(eig_context *ctx, const stemr_task *t, int first, int last,
                                         cudaStream_t stream);
eig_status eig_cuda_stemr_leave_pencils(eig_context *ctx, const stemr_task *t, stemr_forest f, int nodes,
                                        cudaStream_t stream);
}

#ifdef __CUDACC__

/* A step of the factorisation of T~ - x: pivot = (a - x) + s, and s' = -G, G = b^2 / pivot, whose words overlap. */
struct stemr_first_step {
    wide_d pivot, g;
};

static __device__ __forceinline__ stemr_first_step stemr_first_row(const stemr_entry &entry, wide_d x, wide_d s)
{
    stemr_first_step r;
    stemr_pivot const pivot = stemr_pivot_of(stemr_difference(entry.a, x), s);
    double const guess = entry.square * pivot.guess, square_lo = fma(entry.b, entry.b, -entry.square);
    r.pivot = pivot.value;
    r.g.hi = fma(guess, pivot.cube, guess);
    r.g.lo = (fma(-r.g.hi, r.pivot.hi, entry.square) + fma(-r.g.hi, r.pivot.lo, square_lo)) * pivot.inverse;
    return r;
}

static __device__ __forceinline__ stemr_entry stemr_load_entry(const stemr_entry *at)
{
    double2 const a = ((const double2 *)at)[0], b = ((const double2 *)at)[1];
    return stemr_entry{{a.x, a.y}, b.x, b.y};
}

/* -------------------------------------------------------------------- sections */

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
static __device__ __forceinline__ void stemr_put_section(stemr_eigenpair &pair, stemr_member &m, const section &s)
{
    pair.lo = s.lo, pair.hi = point_of(s, 1, s.exponent);
    pair.x = stemr_middle(pair.lo, pair.hi);
    m.exponent = s.exponent, m.sure = s.sure;
}

/* Takes in a count at an unconfirmed end; false where the bracket had to move. */
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
static __device__ __forceinline__ double stemr_gap_of(const stemr_task &t, const stemr_cluster &c, int64_t k)
{
    if (k < c.first) return c.left;
    if (k >= c.last) return c.right;
    return stemr_difference(t.pair[k + 1].lo, t.pair[k].hi).hi;
}

/* Whether k and the next one are parted: by a gap, and well enough for a Rayleigh quotient. */
static __device__ __forceinline__ bool stemr_parted(const stemr_task &t, const stemr_forest &f, const stemr_cluster &c,
                                                    int64_t k, double gap, double widths)
{
    if (k < c.first || k >= c.last) return true;
    double const here = stemr_gap_of(t, c, k);
    return here >= gap && here >= widths * fmax(stemr_width_of(f.member[k]), stemr_width_of(f.member[k + 1]));
}

/* How many lanes work on a bracket together, for `bits` at a time. */
template <int bits> constexpr int lanes_for = bits > 1 ? 2 << bits : 2;

/* A step of `bits` bits.  The group's lanes count at their shifts; returned is the part of the bracket that the counts
 * leave, 0 for the lowest one. spare: the shift of the last two lanes, which have no part in this; *reached: what they
 * find. */
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

/* Eigenvalues of T~ below x, by two neighbouring lanes with the same x.  One goes down from the first row, the other up
 * from the last row, and they meet in the middle.  All lanes of the warp. */
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
#endif
