/* stemr on CUDA: what its files share.
 *
 *     stemr_cuda.cu       the driver: workspace, order of the kernels, arrays on either side
 *     stemr_roads.cu      the table of roads
 *     stemr_root.cu       scales T, brackets by the engine of stebz, cells that do not depend on the range, classes
 *     stemr_locate.cu     the row where a vector is large
 *     stemr_twist.cu      Rayleigh corrections by twisted factorisations, two lanes a pair
 *     stemr_vectors.cu    vectors into their columns, their lengths, supports, values, info
 *     stemr_tree.cu       clusters: which there are, and in which order they are worked on
 *     stemr_grid.cu       first brackets of a cluster's members, which share their shifts
 *     stemr_sections.cu   sections of these brackets, until gaps part the members
 *     stemr_pencil.cu     clusters of many members: what is left of T~ where their vectors are large; its eigenpairs
 *                         (stemr_pencil_vectors.cu), and these in all rows (stemr_pencil_fill.cu)
 *     stemr_tight.cu      the last resort: inverse iteration, orthogonalised
 *     stemr_certify.cu    residuals and orthogonality
 *     stemr_reference.cu  the plain version
 *     mrrr/               method mrrr, the tree of representations (mrrr/stemr_mrrr.cuh)
 *     stemr_step.cuh      a pivot with twice the digits, made for short chains
 *     stemr_minors.cuh    a row of the recurrence of leading minors
 *     stemr_walk.cuh      walks along T~, and along rows of other kinds
 *     stemr_lanes.cuh     lists of pairs, and what their lanes leave
 *     stemr_section.cuh   a bracket and the counts that narrow it
 *     stemr_close.cuh     walks along T~ with three words
 *     stemr_pencil.cuh    numbers that depend on x, and walks along what is left of T~
 *
 * Numbers are those of the scaled T, whose norm is in [1/2, 1): the caller's T is 2^scale times it.
 *
 * T~        T with off-diagonals up to STEMR_SPLIT set to 0 and its diagonal perturbed by up to limits.noise.  It is
 *           the first representation itself: with twice the digits a factorisation of T~ - x errs by 2^-100 of the norm,
 *           which is nothing beside gaps of STEMR_GAP_ROOT.  No serial root representation is made.
 * Blocks    are not told apart: where b is 0 the factorisations of T~ part by themselves.  Pair k is eigenvalue
 *           first + k of T~ as a whole.
 * Nodes     clusters; they may have pencils, or, of method mrrr, representations L D L^T = T~ - sigma in rows of a pool. */
#ifndef EIG_STEMR_CUDA_CUH
#define EIG_STEMR_CUDA_CUH

#include "../stebz/stebz_cuda.cuh"
#include "cuda_common.cuh"
#include "stemr_limits.h"
#include "stemr_step.cuh"

#define STEMR_SPLIT 0x1p-55    /* off-diagonals up to this become 0 */
#define STEMR_GAP_ROOT 0x1p-34 /* closer eigenvalues are a cluster */
#define STEMR_GAP 0x1p-44      /* the same, relative, against a cluster's representation */
#define STEMR_CELL 0x1p-51     /* the first brackets, as any range finds them */

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
    STEMR_TIGHT
};

/* A member of a cluster that T~ serves, with two words, or with three; or its cluster's pencil. */
enum stemr_closeness { STEMR_NOT_CLOSE, STEMR_CLOSE, STEMR_VERY_CLOSE, STEMR_IN_PENCIL };

/* Pairs that are worked on together: those of T~; members of clusters that are not settled; those that are VERY_CLOSE;
 * those IN_PENCIL; those of the nodes of a wave of method mrrr. */
enum stemr_kind { STEMR_OF_ROOT, STEMR_MEMBERS, STEMR_OF_CLOSE, STEMR_OF_PENCILS, STEMR_OF_NODES };

/* An eigenpair on its way. */
struct stemr_pair {
    int64_t index;                       /* eigenvalue of T~, from 1 */
    int64_t column;                      /* of z; -1: not asked for */
    int64_t tight;                       /* state TIGHT: the first of the pairs that are orthogonalised with it */
    int64_t support_first, support_last; /* rows of its vector that are not 0, from 0 */
    wide_d lo, hi, x; /* bracket and eigenvalue: of its pencil (T~ - center) where it is IN_PENCIL; of T~ itself where
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
    int aimed;   /* x is final as far as T~ with two words, or the pencil, goes */
    int close;   /* stemr_closeness */
    double tail; /* VERY_CLOSE: added to x */
};

/* A cluster; it may have a pencil, or a representation: rows pool[slot*n .. slot*n+n-1] hold L D L^T = T~ - sigma. */
struct stemr_node {
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
    int tight;                     /* pairs of state TIGHT */
    int left[2][4];                /* lists of the refinement: how many pairs they hold */
    int64_t below, upto;           /* range by value: indices of what may be wanted are below+1..upto */
    int64_t first_column, columns; /* pair of column 0; how many are asked for */
    double most;                   /* certificate */
};

/* All of a call; passed to kernels by value. */
struct stemr_task {
    stemr_problem p; /* the caller's, with device arrays */
    int64_t n;
    int64_t first, pairs; /* pair k is eigenvalue first + k, first from 1 */
    int64_t il, iu;       /* range by index: what is asked for; by value: what may be */
    stemr_entry *entry;   /* [n] T~ */
    double *a, *e;        /* [n] the scaled T, e[i] couples rows i and i+1; small ones are still there */
    double *w;            /* [n] of the engine */
    stemr_pair *pair;     /* [n] */
    double *room;         /* for walks, where z is not wanted: n numbers a lane */
    int64_t room_lanes;
    int *list; /* [2][n] of pairs, in no order that matters; two such, for work on two streams */
    int *left; /* [4] of counts: how many pairs the lists hold */
    stemr_counts *counts;
    stebz_job job; /* the engine's */
    stemr_limits limits;
    /* The tree's: nodes [node_room], their rows [slots][n], scratch of tree, tight and certificate. */
    stemr_node *node;
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
    /* There are clusters; the pool has what brings rows back; there are clusters without pencils; singles of T~ are corrected. */
    bool clustered, returns_there, others, polished;
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

/* Its eigenvalue of T~. */
static __device__ __forceinline__ wide_d stemr_whole(const stemr_task &t, const stemr_pair &k)
{
    if (k.node < 0) return k.x;
    stemr_node const &c = t.node[k.node];
    return wide_add_d(k.x, k.close == STEMR_IN_PENCIL ? c.center : c.sigma);
}

/* Random numbers in (-1, 1) that depend on i alone. */
static __device__ __forceinline__ double stemr_noise(uint64_t i)
{
    uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((double)((x ^ (x >> 31)) >> 11) + 0.5) * 0x1p-52 - 1;
}

/* Pairs of a warp; the two lanes of a pair are so far from each other. */
enum { STEMR_HALF = 16 };

/* What follows on `later` waits for what is on `sooner` now. */
static inline eig_status stemr_order_streams(eig_context *ctx, cudaStream_t sooner, cudaStream_t later,
                                             cudaEvent_t event)
{
    CUDA_TRY(cudaEventRecord(event, sooner));
    CUDA_TRY(cudaStreamWaitEvent(later, event, 0));
    return EIG_OK;
}

/* Work on the pairs of a kind. */
typedef eig_status stemr_work(eig_context *ctx, const stemr_task *t, stemr_kind kind, cudaStream_t stream);

/* A way through the call. */
struct stemr_road {
    const char *name, *members; /* what members of clusters go by */
    bool (*serves)(const stemr_problem *p);
    void (*carve)(arena *a, stemr_task *t); /* room of clusters */
    eig_status (*clusters)(eig_context *ctx, stemr_task *t, cudaStream_t stream);
    /* Work on pairs of all kinds; NULL: all pairs are TIGHT. */
    eig_status (*each)(eig_context *ctx, const stemr_task *t, stemr_work *work, cudaStream_t stream);
    eig_status (*tree)(eig_context *ctx, const stemr_task *t, cudaStream_t stream); /* NULL: there is none */
};

extern "C" {

/* stemr_roads.cu: the first row of the table that serves the call; the table. */
const stemr_road *eig_cuda_stemr_road(const stemr_problem *p);
const stemr_road *eig_cuda_stemr_roads(int *count);

/* The roads' ways with clusters.  On entry members have state FRESH, with lo, hi, x and gap (to the nearer neighbour) against
 * T~; neighbours whose distance is STEMR_GAP_ROOT or more (pair[k+1].lo - pair[k].hi) are of different clusters.  On return
 * every one is SINGLE or TIGHT.  A SINGLE one that T~ serves has node -1, its closeness, x as far as T~ with two words tells
 * it, and the row of its twist; another one has a node, and lo, hi, x and gap against it.  Members that are not asked for
 * have column -1.  They wait for the stream. */
eig_status eig_cuda_stemr_clusters(eig_context *ctx, stemr_task *t, cudaStream_t stream);       /* auto */
eig_status eig_cuda_stemr_leave_clusters(eig_context *ctx, stemr_task *t, cudaStream_t stream); /* all are TIGHT */
eig_status eig_cuda_stemr_mrrr(eig_context *ctx, stemr_task *t, cudaStream_t stream);

/* Room of method mrrr; work on pairs of its nodes, wave by wave; options.tree and its count, after the values.  The last one
 * waits for the stream. */
void eig_cuda_stemr_mrrr_layout(arena *a, stemr_task *t);
eig_status eig_cuda_stemr_for_nodes(eig_context *ctx, const stemr_task *t, stemr_work *work, cudaStream_t stream);
eig_status eig_cuda_stemr_tell_tree(eig_context *ctx, const stemr_task *t, cudaStream_t stream);

/* After the vectors: neighbours in a cluster that are not orthogonal, or not of length 1, and pairs that are TIGHT, by
 * inverse iteration; sets support, residual, info. */
eig_status eig_cuda_stemr_tight(eig_context *ctx, const stemr_task *t, cudaStream_t stream);

/* At the end: p.residual and p.orthogonality of columns 0..counts->columns-1, where they are wanted. */
eig_status eig_cuda_stemr_certify(eig_context *ctx, const stemr_task *t, cudaStream_t stream);

/* stemr_reference.cu: all pairs of T~, TIGHT, in runs of close ones. */
eig_status eig_cuda_stemr_plain(eig_context *ctx, const stemr_task *t, cudaStream_t stream);

/* stemr_root.cu: T~, and with a range by value what may be wanted, in t->job.facts; then brackets and classes of
 * eigenvalues t->first to t->first + t->pairs - 1, `again` after others. */
eig_status eig_cuda_stemr_load(eig_context *ctx, stemr_task *t, cudaStream_t stream);
eig_status eig_cuda_stemr_root(eig_context *ctx, stemr_task *t, bool again, cudaStream_t stream);

/* stemr_locate.cu: rows of the pairs of T~ that are listed for this turn; in turn 0 of those that have none.  wide: members of
 * clusters. */
eig_status eig_cuda_stemr_locate(eig_context *ctx, const stemr_task *t, bool wide, int turn, cudaStream_t stream);

/* stemr_twist.cu: lists pairs of a kind that are SINGLE; corrects them.  Lanes that have a room where z is not wanted.
 * aim_members: members of clusters that counts have parted, in pencils or not: their rows, and x as far as two words, or the
 * pencil, tell it. */
int64_t eig_cuda_stemr_room_lanes(int64_t n);
eig_status eig_cuda_stemr_list(eig_context *ctx, const stemr_task *t, stemr_kind kind, bool all, cudaStream_t stream);
eig_status eig_cuda_stemr_aim_members(eig_context *ctx, const stemr_task *t, bool pencils, cudaStream_t stream);
eig_status eig_cuda_stemr_polish(eig_context *ctx, const stemr_task *t, stemr_kind kind, cudaStream_t stream);

/* stemr_pencil_vectors.cu: rows of pencils where vectors are large, of the pairs listed for this turn; vectors of the
 * pairs in pencils, that are listed, from ratios. */
eig_status eig_cuda_stemr_pencil_locate(eig_context *ctx, const stemr_task *t, int turn, cudaStream_t stream);
eig_status eig_cuda_stemr_pencil_vectors(eig_context *ctx, const stemr_task *t, cudaStream_t stream);

/* stemr_pencil_fill.cu: entries of the rows that went. */
eig_status eig_cuda_stemr_pencil_fill(eig_context *ctx, const stemr_task *t, cudaStream_t stream);

/* stemr_vectors.cu: values of all pairs, and columns of those that are asked for, TIGHT where one has no row; vectors
 * of the pairs of a kind; what is told of each; all of a T that is not finite, zero, or of one row. */
eig_status eig_cuda_stemr_values(eig_context *ctx, const stemr_task *t, cudaStream_t stream);
eig_status eig_cuda_stemr_vectors(eig_context *ctx, const stemr_task *t, stemr_kind kind, cudaStream_t stream);
eig_status eig_cuda_stemr_tell(eig_context *ctx, const stemr_task *t, cudaStream_t stream);
eig_status eig_cuda_stemr_trivial(eig_context *ctx, const stemr_task *t, bool finite, int64_t found, int64_t first,
                                  cudaStream_t stream);
}

#endif
