/* stemr on CUDA: what its files share.
 *
 *     stemr_cuda.cu            workspace, the root and what its classes decide, the arrays of a call
 *     stemr_roads.cu           the table of roads; order of the kernels
 *     stemr_root.cu            scales T; brackets by the engine of stebz; singles and clusters
 *     stemr_clusters.cu        which clusters there are, and in which order they are worked on
 *     stemr_clusters.cuh       what the files about clusters share; a bracket and the counts that narrow it
 *     stemr_sections.cu        brackets of clusters' members, until gaps part the members
 *     stemr_pencil.cu          pencils of large clusters: what is left of T~ where their vectors are large
 *     stemr_pencil_vectors.cu  vectors of pencils
 *     stemr_pencil.cuh         numbers that depend on x, and walks along a pencil
 *     stemr_locate.cu          the row where a vector is large
 *     stemr_twist.cu           Rayleigh corrections by twisted factorisations, two lanes a pair
 *     stemr_vectors.cu         vectors, and their lengths, supports, values, info
 *     stemr_inverse.cu         the last resort: inverse iteration, orthogonalised
 *     stemr_batch.cu           batches of matrices of up to 64 rows; stemr_batch_cuda.cu: their driver
 *     stemr_certify.cu         residuals and orthogonality
 *     stemr_gauge.cuh          the sign of a vector
 *     stemr_walk.cuh           walks along T~, and lists of pairs; pivots and leading minors with two words
 *     stemr_triple.cuh         walks along T~ in triple-double arithmetic
 *     stemr_reference.cu       the plain version
 *     mrrr/                    method mrrr, the tree of representations (mrrr/stemr_mrrr.cuh)
 *
 * Numbers are those of the scaled T, whose norm is in [1/2, 1).  The caller's T is 2^scale times it.
 *
 * T~        is T with off-diagonals up to STEMR_SPLIT set to 0, and its diagonal perturbed by up to limits.noise.
 *           With twice the digits a factorisation of T~ - x errs by 2^-100 of the norm, which is small beside gaps of
 *           STEMR_GAP_ROOT.  T~ therefore needs no root representation.
 * Blocks    of T~ get no numbers of their own.  Where b is 0, factorisations part by themselves.  Pair k is eigenvalue
 *           first + k of T~ as a whole.
 * Clusters  may have pencils, or, with method mrrr, representations L D L^T = T~ - sigma in rows of a pool. */
#ifndef EIG_STEMR_CUDA_CUH
#define EIG_STEMR_CUDA_CUH

#include "../stebz/stebz_cuda.cuh"
#include "mrrr.h"
#include "plan.cuh"
#include "stemr_limits.h"

#define STEMR_SPLIT 0x1p-55    /* off-diagonals up to this become 0 */
#define STEMR_GAP_ROOT 0x1p-34 /* closer eigenvalues are a cluster */
#define STEMR_GAP 0x1p-44      /* the same, relative, against a cluster's representation */
#define STEMR_CELL 0x1p-51     /* the first brackets, as any range finds them */

/* A row of a representation; the couplings b stand apart, since shifts leave them as they are. */
struct alignas(32) stemr_row {
    wide_d d, g;
};

/* A row of T~: its diagonal, and what couples it and the next row (0 in the last one). */
struct alignas(32) stemr_entry {
    wide_d a;
    double b, square; /* of b, rounded */
};

enum stemr_state {
    STEMR_SKIPPED, /* not wanted, nor near what is */
    STEMR_FRESH,   /* in a cluster, in brackets against T~, or against its parent's node */
    STEMR_ACTIVE,  /* in a cluster, in brackets that sections narrow: against T~ at first, then against its own node */
    STEMR_SINGLE,
    STEMR_INVERSE
};

/* What a pair is corrected against, and its vector made from: pairs of a kind are worked on together. */
enum stemr_kind {
    STEMR_OF_ROOT,    /* T~ in double-double arithmetic */
    STEMR_OF_TRIPLES, /* T~ in triple-double arithmetic: members of clusters */
    STEMR_OF_PENCILS, /* the pencil of its cluster */
    STEMR_OF_NODES,   /* method mrrr: the representation of its node */
    STEMR_MEMBERS     /* T~ with two words, until its cluster is settled */
};

/* An eigenpair on its way. */
struct stemr_eigenpair {
    int64_t index;                       /* eigenvalue of T~, from 1 */
    int64_t column;                      /* of z; -1: not asked for */
    int64_t run;                         /* the first pair of its cluster; itself where it is in none */
    int64_t support_first, support_last; /* rows of its vector that are not 0, from 0 */
    wide_d lo, hi, x; /* bracket and eigenvalue: of its pencil (T~ - center) of kind OF_PENCILS; of T~ itself where
                         node is -1, and while counts against T~ part its cluster; else of its node's representation */
    double gap;       /* distance of its neighbours */
    double before;    /* residual of the last correction */
    double value;     /* eigenvalue of the scaled T~ */
    double residual;  /* of its vector and T~; infinite: it has none, or one of a wrong length */
    double scale;     /* 1 / length of the vector that is 1 at the twist */
    int twist;        /* its row; -1: not known yet */
    int node;         /* -1: T~ */
    int state;        /* stemr_state */
    int info;
    int aimed; /* x is final as far as T~ with two words, or the pencil, goes */
    stemr_kind kind;
    bool member; /* of a cluster that is settled */
    double tail; /* kind OF_TRIPLES: added to x */
};

/* A cluster; it may have a pencil, or a representation: rows pool[slot*n .. slot*n+n-1] hold L D L^T = T~ - sigma. */
struct stemr_cluster {
    int parent;      /* -1: T~ */
    int first, last; /* its members: pairs of the array */
    int level;       /* 1, 2, ... */
    int tries, slot, wave;
    double left, right;  /* distance of the neighbours beside the cluster */
    double growth;       /* largest |D| of its representation */
    wide_d lo, hi;       /* of its first and last member, before they are narrowed */
    wide_d shift, sigma; /* against its parent; against T~: the sum of the shifts */
    /* Its pencil (stemr_pencil.cuh): where its rows are among those of all, how many; 0: it has none. */
    int64_t kept_at;
    int kept, kept_below, kept_failed;
    wide_d center;
    double entries; /* the largest one */
};

/* Counters of a call, in device memory.  The host reads them after the first classes, and once a level. */
struct stemr_counts {
    eig_stemr_stats stats;
    int finite; /* T is finite */
    int zero;   /* T is 0 */
    int scale;
    int cut;                       /* a cluster reaches beyond the brackets that were made: more are needed */
    int fresh;                     /* pairs in clusters */
    int nodes;                     /* that have been made */
    int inverse;                   /* pairs of state INVERSE */
    int left[2][4];                /* lists of the refinement: how many pairs they hold */
    int64_t below, upto;           /* range by value: indices of what may be wanted are below+1..upto */
    int64_t first_column, columns; /* pair of column 0; how many are asked for */
    double most;                   /* certificate */
};

/* All of a call; passed to kernels by value. */
struct stemr_task {
    stemr_problem p; /* the caller's, with device arrays */
    int64_t n;
    int64_t first, pairs;  /* pair k is eigenvalue first + k, first from 1 */
    int64_t il, iu;        /* range by index: what is asked for; by value: what may be */
    stemr_entry *entry;    /* [n] T~ */
    double *a, *e;         /* [n] the scaled T, e[i] couples rows i and i+1; small ones are still there */
    double *w;             /* [n] of the engine */
    stemr_eigenpair *pair; /* [n] */
    double *room;          /* for walks, where z is not wanted: n numbers a lane */
    int64_t room_lanes;
    int *list; /* [2][n] of pairs, in no order that matters; two such, for work on two streams */
    int *left; /* [4] of counts: how many pairs the lists hold */
    stemr_counts *counts;
    stebz_job job; /* the engine's */
    stemr_limits limits;
    /* The tree's: nodes [node_room], their rows [slots][n], scratch of clusters, inverse iteration and certificate. */
    stemr_cluster *node;
    stemr_row *pool;
    wide_d *marks; /* [slots][stemr_segments]; method mrrr */
    int64_t node_room, slots;
    int waves, wave; /* that the nodes of method mrrr share the pool in; the one that is worked on */
    /* Of pencils: their rows, scratch, bits of the rows that stayed first; nodes beyond pencil_nodes have none. */
    struct stemr_kept *kept;
    void *records;
    unsigned *stays;
    int *above; /* and for each row the one before it that has stayed */
    int64_t pencil_nodes;
    /* There are clusters; the pool has what brings rows back; there are clusters without pencils; singles of T~ are
     * corrected. */
    bool clustered, returns_there, others, refined;
    void *tree_room;
    size_t tree_bytes;
};

/* The scaled value and the caller's number. */
static __device__ __forceinline__ double stemr_get(eig_type type, const void *array, int64_t at)
{
    return type == EIG_S ? (double)((const float *)array)[at] : ((const double *)array)[at];
}

static __device__ __forceinline__ void stemr_put(eig_type type, void *array, int64_t at, double x)
{
    if (type == EIG_S)
        ((float *)array)[at] = (float)x;
    else
        ((double *)array)[at] = x;
}

static __device__ __forceinline__ double stemr_z(const stemr_problem &p, int64_t column, int64_t row)
{
    return stemr_get(p.type, p.z, column * p.ldz + row);
}

static __device__ __forceinline__ wide_d stemr_wide(double x)
{
    return wide_d{x, 0};
}

static __device__ __forceinline__ wide_d stemr_difference(wide_d x, wide_d y)
{
    return wide_add_d(x, wide_minus_d(y));
}

static __device__ __forceinline__ wide_d stemr_middle(wide_d x, wide_d y)
{
    wide_d const s = wide_add_d(x, y);
    return wide_d{0.5 * s.hi, 0.5 * s.lo};
}

static __device__ __forceinline__ bool stemr_less(wide_d x, wide_d y)
{
    return x.hi < y.hi || (x.hi == y.hi && x.lo < y.lo);
}

/* The estimate of orthogonality: vectors of 1 and -1.  Bit p: the sign of element k of probe p. */
enum { STEMR_PROBES = 4 };

static __device__ __forceinline__ unsigned stemr_signs_of(int64_t k)
{
    unsigned bits = 0;
    for (int probe = 0; probe < STEMR_PROBES; ++probe)
        bits |= (mrrr_noise((uint64_t)k * STEMR_PROBES + (uint64_t)probe) < 0 ? 1u : 0u) << probe;
    return bits;
}

static __device__ __forceinline__ double stemr_with_sign(double x, unsigned bits, int probe)
{
    return __hiloint2double(__double2hiint(x) ^ (int)((bits >> probe & 1) << 31), __double2loint(x));
}

/* Its eigenvalue of T~. */
static __device__ __forceinline__ wide_d stemr_whole(const stemr_task &t, const stemr_eigenpair &k)
{
    if (k.node < 0) return k.x;
    stemr_cluster const &c = t.node[k.node];
    return wide_add_d(k.x, k.kind == STEMR_OF_PENCILS ? c.center : c.sigma);
}

/* Pairs of a warp; the two lanes of a pair are so far from each other. */
enum { STEMR_HALF = 16 };

/* Does something with the pairs of a kind. */
typedef eig_status stemr_work(eig_context *ctx, const stemr_task *t, stemr_kind kind, cudaStream_t stream);

/* Its job is all of a call: there are no slices.  The way: what members of clusters go by. */
typedef cuda_road<stemr_problem, stemr_task> stemr_road;

extern "C" {

/* stemr_batch_cuda.cu: whether it takes the matrix, and others like it; what a workspace must have room for at
 * least. */
bool eig_cuda_stemr_batch_serves(const stemr_problem *p);
size_t eig_cuda_stemr_batch_bytes(const stemr_problem *p);

/* stemr_roads.cu: the first row of the table that serves the call; the table. */
const stemr_road *eig_cuda_stemr_road(const stemr_problem *p);
const stemr_road *eig_cuda_stemr_roads(int *count);

/* What the roads do with clusters.  They wait for the stream.
 * Before  members have state FRESH, with lo, hi, x and gap (to the nearer neighbour) against T~.  Neighbours whose
 *         distance is STEMR_GAP_ROOT or more (pair[k+1].lo - pair[k].hi) are of different clusters.  Members that are
 *         not asked for have column -1.
 * After   all members are SINGLE or INVERSE.  A SINGLE member that T~ serves has node -1, x as far as T~ with two
 *         words tells it, and the row of its twist.  Another one has a node, and lo, hi, x and gap against it. */
eig_status eig_cuda_stemr_clusters(eig_context *ctx, stemr_task *t, cudaStream_t stream);       /* auto */
eig_status eig_cuda_stemr_leave_clusters(eig_context *ctx, stemr_task *t, cudaStream_t stream); /* all are INVERSE */
eig_status eig_cuda_stemr_mrrr(eig_context *ctx, stemr_task *t, cudaStream_t stream);

/* Room of method mrrr; work on pairs of its nodes, wave by wave; options.tree and its count, after the values.  The
 * last one waits for the stream. */
void eig_cuda_stemr_mrrr_layout(arena *a, stemr_task *t);
eig_status eig_cuda_stemr_for_nodes(eig_context *ctx, const stemr_task *t, stemr_work *work, cudaStream_t stream);
eig_status eig_cuda_stemr_copy_tree(eig_context *ctx, const stemr_task *t, cudaStream_t stream);

/* After the vectors: neighbours in a cluster that are not orthogonal, or not of length 1, and pairs that are INVERSE,
 * by inverse iteration; sets support, residual, info. */
eig_status eig_cuda_stemr_inverse(eig_context *ctx, const stemr_task *t, cudaStream_t stream);

/* At the end: p.residual and p.orthogonality of columns 0..counts->columns-1, where they are wanted. */
eig_status eig_cuda_stemr_certify(eig_context *ctx, const stemr_task *t, cudaStream_t stream);

/* stemr_reference.cu: all pairs of T~, INVERSE, in runs of close ones. */
eig_status eig_cuda_stemr_plain(eig_context *ctx, const stemr_task *t, cudaStream_t stream);

/* stemr_root.cu: T~, and with a range by value what may be wanted, in t->job.facts; then brackets and classes of
 * eigenvalues t->first to t->first + t->pairs - 1, `again` after others. */
eig_status eig_cuda_stemr_load(eig_context *ctx, stemr_task *t, cudaStream_t stream);
eig_status eig_cuda_stemr_root(eig_context *ctx, stemr_task *t, bool again, cudaStream_t stream);

/* stemr_locate.cu: rows of the pairs of T~ that are in the list of this number; from list 0 of those that have none.
 * wide: members of clusters. */
eig_status eig_cuda_stemr_locate(eig_context *ctx, const stemr_task *t, bool wide, int list_index, cudaStream_t stream);

/* stemr_twist.cu: lists pairs of a kind that are SINGLE; corrects them.  Lanes that have a room where z is not wanted.
 * aim_members: members of clusters that counts have parted, in pencils or not: their rows, and x as far as two words,
 * or the pencil, tell it. */
int64_t eig_cuda_stemr_room_lanes(int64_t n);
eig_status eig_cuda_stemr_list(eig_context *ctx, const stemr_task *t, stemr_kind kind, bool all, cudaStream_t stream);
eig_status eig_cuda_stemr_aim_members(eig_context *ctx, const stemr_task *t, bool pencils, cudaStream_t stream);
eig_status eig_cuda_stemr_refine(eig_context *ctx, const stemr_task *t, stemr_kind kind, cudaStream_t stream);

/* stemr_pencil_vectors.cu: rows of pencils where vectors are large, of the pairs in the list of this number; vectors
 * of the pairs in pencils, that are listed, from ratios. */
eig_status eig_cuda_stemr_pencil_locate(eig_context *ctx, const stemr_task *t, int list_index, cudaStream_t stream);
eig_status eig_cuda_stemr_pencil_vectors(eig_context *ctx, const stemr_task *t, cudaStream_t stream);

/* stemr_pencil_fill.cu: entries of the rows that went. */
eig_status eig_cuda_stemr_pencil_fill(eig_context *ctx, const stemr_task *t, cudaStream_t stream);

/* stemr_vectors.cu: values of all pairs, and columns of those that are asked for, INVERSE where one has no row; vectors
 * of the pairs of a kind; the other outputs of each; all of a T that is not finite, zero, or of one row. */
eig_status eig_cuda_stemr_values(eig_context *ctx, const stemr_task *t, cudaStream_t stream);
eig_status eig_cuda_stemr_vectors(eig_context *ctx, const stemr_task *t, stemr_kind kind, cudaStream_t stream);
eig_status eig_cuda_stemr_outputs(eig_context *ctx, const stemr_task *t, cudaStream_t stream);
eig_status eig_cuda_stemr_trivial(eig_context *ctx, const stemr_task *t, bool finite, int64_t found, int64_t first,
                                  cudaStream_t stream);
}

#endif
