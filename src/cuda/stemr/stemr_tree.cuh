/* stemr on CUDA: what the files about clusters share, those of method mrrr too.
 *
 *   stemr_tree.cu       which clusters there are, and in which order they are worked on
 *   stemr_grid.cu       first brackets of their members, against T~ or pencils
 *   stemr_sections.cu   brackets of the members, until they are parted
 *   stemr_section.cuh   the counts and sections that these take */
#ifndef EIG_STEMR_TREE_CUH
#define EIG_STEMR_TREE_CUH

#include "stemr_cuda.cuh"

enum {
    STEMR_ROUNDS = 48, /* of sections a level: brackets of 2^-30 end at 2^-200 */
    STEMR_ROUND_BITS = 4
};

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

/* stemr_tree.cu: room of all clusters, of `nodes` at most; joins fresh pairs that are close; nodes of one level from what is
 * joined; brackets of pairs that are TIGHT against T~, as far as counts tell anything. */
void eig_cuda_stemr_tree_layout(arena *a, stemr_task *t, int64_t nodes);
eig_status eig_cuda_stemr_find_runs(eig_context *ctx, const stemr_task *t, stemr_forest f, cudaStream_t stream);
eig_status eig_cuda_stemr_make_nodes(eig_context *ctx, const stemr_task *t, stemr_forest f, cudaStream_t stream);
eig_status eig_cuda_stemr_narrow_tight(eig_context *ctx, const stemr_task *t, cudaStream_t stream);

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

#endif
#endif
