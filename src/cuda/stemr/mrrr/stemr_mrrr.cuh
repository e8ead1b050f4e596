/* stemr on CUDA, method mrrr: the tree of representations, as the paper has it (C. Lessig and P. Bientinesi, 2009).
 *
 *   stemr_mrrr.cu           level by level: nodes, their members, waves
 *   stemr_shifts.cu         shifts of nodes, and the rows of their representations
 *   stemr_node_sections.cu  brackets of a level's members against them, until gaps part the members
 *   stemr_node_rows.cuh     rows of a representation
 *   stemr_options_tree.cu           options.tree
 *
 * Node c's rows lie in slot c % slots of the pool, in wave c / slots: where there are more clusters than slots, they
 * take turns, and their rows are made again when they are needed. */
#ifndef EIG_STEMR_MRRR_CUH
#define EIG_STEMR_MRRR_CUH

#include "stemr/stemr_clusters.cuh"
#include "stemr_node_rows.cuh"

enum {
    STEMR_DEPTH = 6,   /* levels of clusters */
    STEMR_SEGMENT = 32 /* rows from mark to mark; a slot has room for the marks of 32 candidates */
};

/* Brackets of members are not narrowed below this. */
#define STEMR_LEAST_WIDTH 0x1p-200

/* Segments of a representation but the first. */
static __host__ __device__ __forceinline__ int64_t stemr_segments(int64_t n)
{
    return (n - 1) / STEMR_SEGMENT;
}

extern "C" {

/* stemr_shifts.cu: shifts of nodes first to last-1, of one level and one wave; the rows of their representations;
 * those of all nodes of wave t->wave. */
eig_status eig_cuda_stemr_choose(eig_context *ctx, const stemr_task *t, int level, int64_t first, int64_t last,
                                 cudaStream_t stream);
eig_status eig_cuda_stemr_write_rows(eig_context *ctx, const stemr_task *t, int level, int64_t first, int64_t last,
                                     cudaStream_t stream);
eig_status eig_cuda_stemr_represent(eig_context *ctx, const stemr_task *t, cudaStream_t stream);

/* Sections for members of nodes first to last-1, whose representations are in the pool: they become SINGLE, or stay
 * ACTIVE. */
eig_status eig_cuda_stemr_node_sections(eig_context *ctx, const stemr_task *t, stemr_forest f, int first, int last,
                                        cudaStream_t stream);
}

static __device__ __forceinline__ stemr_row *stemr_slot_of(const stemr_task &t, int node)
{
    return t.pool + (node % t.slots) * t.n;
}

/* More growth than this would let errors of the representation reach beyond the gaps beside the cluster. */
static __device__ __forceinline__ double stemr_most_growth(const stemr_cluster &c)
{
    return 0x1p52 * fmin(c.left, c.right);
}

/* Whether the node has a representation that is good enough; too deep ones have none. */
static __device__ __forceinline__ bool stemr_good(const stemr_task &t, const stemr_cluster &c)
{
    bool const bad = t.limits.bad_level > 0 && c.level >= t.limits.bad_level;
    return c.level <= t.p.most_depth && !bad && c.growth <= stemr_most_growth(c);
}

/* What the node's choice has kept: s before rows STEMR_SEGMENT, 2 STEMR_SEGMENT, ... */
static __device__ __forceinline__ wide_d *stemr_marks_of(const stemr_task &t, int node)
{
    return t.marks + (node % t.slots) * stemr_segments(t.n);
}

/* A row of the representation. */
static __device__ __forceinline__ stemr_row stemr_first_row_of(const stemr_first_step &step)
{
    return stemr_row{step.pivot, wide_fast_sum_d(step.g.hi, step.g.lo)};
}

#endif
