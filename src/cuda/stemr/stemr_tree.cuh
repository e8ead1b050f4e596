/* stemr on CUDA: what the files about clusters share.
 *
 *   stemr_tree.cu       level by level: which clusters there are
 *   stemr_shifts.cu     their shifts and representations
 *   stemr_grid.cu       first brackets of the members of level 1, against T~ or pencils
 *   stemr_sections.cu   brackets of a level's members, until they are parted: against T~ or pencils, then against
 *                       representations
 *   stemr_count.cuh     the counts that these take
 *
 * Node c's rows lie in slot c % slots of the pool, in wave c / slots: where there are more clusters than slots, they
 * take turns, and their rows are made again when they are needed. */
#ifndef EIG_STEMR_TREE_CUH
#define EIG_STEMR_TREE_CUH

#include "stemr_cuda.cuh"

enum {
    STEMR_DEPTH = 6,   /* levels of clusters */
    STEMR_ROUNDS = 48, /* of sections a level: brackets of 2^-30 end at 2^-200 */
    STEMR_ROUND_BITS = 4,
    STEMR_SEGMENT = 32 /* rows from mark to mark; a slot has room for the marks of 32 candidates */
};

/* Brackets of members are not narrowed below this. */
#define STEMR_LEAST_WIDTH 0x1p-200

/* What pair k is beside stemr_pair while it belongs to a cluster. */
struct stemr_member {
    double left, right; /* distance of its neighbours */
    int joined;         /* it and pair k+1 are of one cluster that is to come */
    int sure;           /* counts against what the bracket is of have confirmed lo (1) and hi (2) */
    int exponent;       /* the bracket is 2^exponent wide */
};

/* What the host reads of a level. */
struct alignas(16) stemr_level {
    int nodes;                    /* made so far, of all levels */
    int active[STEMR_ROUNDS + 2]; /* members that a round has to work on */
    int together;                 /* 1: some members are parted by nothing, or too narrow for their pencil */
    int in_pencils, in_others;    /* members of clusters with a pencil, and without one */
    unsigned long long kept;      /* rows of all pencils */
};

/* What a member finds on the lattice of its run (stemr_grid.cu). */
struct run_bracket {
    int found, exponent;
    wide_d lo;
};

enum { STEMR_POINTS = 4 }; /* shifts of such a lattice for a member */

struct stemr_forest {
    stemr_level *level;   /* [2]; the second one for work beside */
    wide_d *marks;        /* [slots][stemr_segments] */
    stemr_member *member; /* [n] */
    run_bracket *lattice; /* [n] */
    int *count;           /* [STEMR_POINTS * n] */
};

/* Segments of a representation but the first. */
static __host__ __device__ __forceinline__ int64_t stemr_segments(int64_t n)
{
    return (n - 1) / STEMR_SEGMENT;
}

static inline stemr_forest stemr_forest_of(const stemr_task *t)
{
    stemr_level *const level = (stemr_level *)t->tree_room;
    wide_d *const marks = (wide_d *)(level + 2);

    stemr_member *const member = (stemr_member *)(marks + t->slots * stemr_segments(t->n));
    run_bracket *const lattice = (run_bracket *)(member + t->n);

    return stemr_forest{level, marks, member, lattice, (int *)(lattice + t->n)};
}

/* Pencils (stemr_pencil.cuh) are made by chunks of this many rows; this many rows may stay for each member. */
enum { STEMR_CHUNK = 32, STEMR_KEPT_ROWS = 4 };

static __host__ __device__ __forceinline__ int64_t stemr_chunks(int64_t n)
{
    return (n + STEMR_CHUNK - 1) / STEMR_CHUNK;
}

extern "C" {

/* stemr_shifts.cu: shifts of nodes first to last-1, of one level and one wave; the rows of their representations. */
eig_status eig_cuda_stemr_choose(eig_context *ctx, const stemr_task *t, stemr_forest f, int level, int64_t first,
                                 int64_t last, cudaStream_t stream);
eig_status eig_cuda_stemr_write_rows(eig_context *ctx, const stemr_task *t, stemr_forest f, int level, int64_t first,
                                     int64_t last, cudaStream_t stream);

/* First shifts for the members that are ACTIVE, in pencils or not, as classes have joined them. */
eig_status eig_cuda_stemr_grid(eig_context *ctx, const stemr_task *t, stemr_forest f, bool pencils,
                               cudaStream_t stream);

/* Brackets of members of nodes 0 to last-1, all of level 1; node is set. */
eig_status eig_cuda_stemr_open_nodes(eig_context *ctx, const stemr_task *t, stemr_forest f, int last,
                                     cudaStream_t stream);

/* Sections for these members, by pencils or, the others, against T~: parted ones become SINGLE, others ACTIVE, *left of
 * them.  The first function does what needs no look of the host, `rounds` of them; the second one the rest, and counts
 * them. */
eig_status eig_cuda_stemr_begin_sections(eig_context *ctx, const stemr_task *t, stemr_forest f, int last, bool pencils,
                                         int rounds, cudaStream_t stream);
eig_status eig_cuda_stemr_end_sections(eig_context *ctx, const stemr_task *t, stemr_forest f, int last, bool pencils,
                                       int *rounds, int *left, cudaStream_t stream);

/* stemr_pencil.cu: room; pencils of all nodes, and counts of members, and with them, or alone, what brings rows back
 * that went, of nodes first to last-1, in the pool; members that their pencils have not parted go on against T~. */
void eig_cuda_stemr_pencil_layout(arena *a, stemr_task *t);
eig_status eig_cuda_stemr_make_pencils(eig_context *ctx, const stemr_task *t, stemr_forest f, bool returns,
                                       cudaStream_t stream);
eig_status eig_cuda_stemr_pencil_returns(eig_context *ctx, const stemr_task *t, int first, int last,
                                         cudaStream_t stream);
eig_status eig_cuda_stemr_leave_pencils(eig_context *ctx, const stemr_task *t, stemr_forest f, int nodes,
                                        cudaStream_t stream);

/* Sections for members of nodes first to last-1, whose representations are in the pool: they become SINGLE, or stay
 * ACTIVE, joined to their neighbours. */
eig_status eig_cuda_stemr_sections(eig_context *ctx, const stemr_task *t, stemr_forest f, int first, int last,
                                   cudaStream_t stream);
}

#ifdef __CUDACC__

static __device__ __forceinline__ stemr_row *stemr_rows_of(const stemr_task &t, int node)
{
    return t.pool + (node % t.slots) * t.n;
}

/* More growth than this would let errors of the representation reach beyond the gaps beside the cluster. */
static __device__ __forceinline__ double stemr_most_growth(const stemr_node &c)
{
    return 0x1p52 * fmin(c.left, c.right);
}

/* Whether the node has a representation that is good enough; too deep ones have none. */
static __device__ __forceinline__ bool stemr_good(const stemr_task &t, const stemr_node &c)
{
    bool const bad = t.limits.bad_level > 0 && c.level >= t.limits.bad_level;
    return c.level <= t.p.most_depth && !bad && c.growth <= stemr_most_growth(c);
}

/* What the node's choice has kept: s before rows STEMR_SEGMENT, 2 STEMR_SEGMENT, ... */
static __device__ __forceinline__ wide_d *stemr_marks_of(const stemr_task &t, const stemr_forest &f, int node)
{
    return f.marks + (node % t.slots) * stemr_segments(t.n);
}

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

/* A row of the representation. */
static __device__ __forceinline__ stemr_row stemr_first_row_of(const stemr_first_step &step)
{
    return stemr_row{step.pivot, wide_fast_sum_d(step.g.hi, step.g.lo)};
}

static __device__ __forceinline__ stemr_entry stemr_load_entry(const stemr_entry *at)
{
    double2 const a = ((const double2 *)at)[0], b = ((const double2 *)at)[1];
    return stemr_entry{{a.x, a.y}, b.x, b.y};
}

#endif
#endif
