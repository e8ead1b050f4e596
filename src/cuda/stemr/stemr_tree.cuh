/* stemr on CUDA: what the files about clusters share.
 *
 *   stemr_tree.cu       level by level: which clusters there are, their shifts and representations
 *   stemr_sections.cu   brackets of a level's members, until they are parted
 *
 * Node c's rows lie in slot c % slots of the pool, in wave c / slots: where there are more clusters than slots, they take
 * turns, and their rows are made again when they are needed. */
#ifndef EIG_STEMR_TREE_CUH
#define EIG_STEMR_TREE_CUH

#include "stemr_cuda.cuh"

enum {
    STEMR_DEPTH = 6,   /* levels of clusters */
    STEMR_ROUNDS = 48, /* of sections a level: brackets of 2^-30 end at 2^-200 */
    STEMR_ROUND_BITS = 4
};

/* Brackets of members are not narrowed below this. */
#define STEMR_LEAST_WIDTH 0x1p-200

/* What pair k is beside stemr_pair while it belongs to a cluster. */
struct stemr_member {
    double left, right; /* distance of its neighbours */
    int joined;         /* it and pair k+1 are of one cluster that is to come */
    int sure;           /* counts against its node's representation have confirmed lo (1) and hi (2) */
    int exponent;       /* the bracket is 2^exponent wide */
};

/* What the host reads of a level. */
struct alignas(16) stemr_level {
    int nodes;                    /* made so far, of all levels */
    int active[STEMR_ROUNDS + 1]; /* members that a round has to work on */
};

struct stemr_forest {
    stemr_member *member; /* [n] */
    stemr_level *level;   /* [1] */
};

static inline stemr_forest stemr_forest_of(const stemr_task *t)
{
    return stemr_forest{(stemr_member *)((stemr_level *)t->tree_room + 1), (stemr_level *)t->tree_room};
}

extern "C" {

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

/* A step of the factorisation of T~ - x: pivot = (a - x) + s, and s' = -G, G = b^2 / pivot. */
struct stemr_first_step {
    wide_d pivot, g;
    double inverse;
};

static __device__ __forceinline__ stemr_first_step stemr_first_row(const stemr_entry &entry, wide_d x, wide_d s)
{
    stemr_first_step r;
    wide_d const a = stemr_difference(entry.a, x);
    double const sum = a.hi + s.hi;
    bool const swap = fabs(a.hi) < fabs(s.hi);
    double const large = swap ? s.hi : a.hi, small = swap ? a.hi : s.hi;
    r.pivot = wide_fast_sum_d(sum, (small - (sum - large)) + (a.lo + s.lo));
    double guess = stemr_guess(sum);
    if (fabs(sum) <= 0x1p-30 * fabs(s.hi) || fabs(sum) < STEMR_LEAST_PIVOT) {
        if (fabs(r.pivot.hi) < STEMR_LEAST_PIVOT) r.pivot.hi = STEMR_LEAST_PIVOT;
        guess = stemr_guess(r.pivot.hi);
    }
    r.inverse = stemr_reciprocal(r.pivot.hi, guess);
    wide_d const square = {entry.square, fma(entry.b, entry.b, -entry.square)};
    r.g = wide_quotient_d(square, r.pivot, r.inverse);
    r.g = wide_fast_sum_d(r.g.hi, r.g.lo);
    return r;
}

static __device__ __forceinline__ stemr_entry stemr_load_entry(const stemr_entry *at)
{
    double2 const a = ((const double2 *)at)[0], b = ((const double2 *)at)[1];
    return stemr_entry{{a.x, a.y}, b.x, b.y};
}

#endif
#endif
