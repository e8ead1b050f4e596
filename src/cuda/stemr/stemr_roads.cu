/* stemr on CUDA: the table of roads.  The first row that serves a call takes it; docs/maintainers/cuda/stemr.md has the
 * table too. */
#include "stemr_clusters.cuh"

static int64_t most_clusters(const stemr_task *t)
{
    return t->n / 2 + 1;
}

static void carve_clusters(arena *a, const eig_context *, const stemr_problem *, stemr_task *t)
{
    eig_cuda_stemr_tree_layout(a, t, most_clusters(t));
}

static void carve_pencils(arena *a, const eig_context *ctx, const stemr_problem *p, stemr_task *t)
{
    carve_clusters(a, ctx, p, t);
    eig_cuda_stemr_pencil_layout(a, t);
}

static void carve_mrrr(arena *a, const eig_context *, const stemr_problem *, stemr_task *t)
{
    eig_cuda_stemr_mrrr_layout(a, t);
}

static bool is_reference(const eig_context *, const stemr_problem *p)
{
    return p->method == EIG_STEMR_REFERENCE;
}

static bool is_mrrr(const eig_context *, const stemr_problem *p)
{
    return p->method == EIG_STEMR_MRRR;
}

static bool leaves_clusters(const eig_context *, const stemr_problem *p)
{
    return p->most_depth == 0;
}

static bool is_auto(const eig_context *, const stemr_problem *)
{
    return true;
}

static eig_status each_of_root(eig_context *ctx, const stemr_task *t, stemr_work *work, cudaStream_t stream)
{
    return work(ctx, t, STEMR_OF_ROOT, stream);
}

/* Pairs of T~ beside the others: chains of rows that leave most of the GPU idle.  What runs beside the call's stream
 * has lists and counters of its own.  Where z is not wanted, all share the room, and go one after the other. */
template <typename others_type>
static eig_status beside_root(eig_context *ctx, const stemr_task *t, stemr_work *work, cudaStream_t stream,
                              others_type others)
{
    const cuda_state *const state = cuda_state_of(ctx);
    bool const forks = t->clustered && t->p.z;
    stemr_task beside = *t;
    if (forks) beside.list += 2 * t->n, beside.left = t->counts->left[1];
    cudaStream_t const side = forks ? state->side : stream;
    eig_status status = forks ? cuda_order_streams(ctx, stream, state->side, state->forked) : EIG_OK;
    if (status == EIG_OK) status = work(ctx, &beside, STEMR_OF_ROOT, side);
    if (status == EIG_OK) status = others(beside, side);
    eig_status const joined = forks ? cuda_order_streams(ctx, state->side, stream, state->joined) : EIG_OK;
    return status == EIG_OK ? joined : status;
}

static eig_status each_of_auto(eig_context *ctx, const stemr_task *t, stemr_work *work, cudaStream_t stream)
{
    return beside_root(ctx, t, work, stream, [&](const stemr_task &beside, cudaStream_t side) {
        bool const pencils = t->pencil_nodes > 0;
        eig_status status = EIG_OK;
        if (t->clustered && t->others)
            status = pencils ? work(ctx, &beside, STEMR_OF_TRIPLES, side) : work(ctx, t, STEMR_OF_TRIPLES, stream);
        if (pencils && status == EIG_OK) status = work(ctx, t, STEMR_OF_PENCILS, stream);
        return status;
    });
}

static eig_status each_of_mrrr(eig_context *ctx, const stemr_task *t, stemr_work *work, cudaStream_t stream)
{
    return beside_root(ctx, t, work, stream, [&](const stemr_task &, cudaStream_t) {
        return eig_cuda_stemr_for_nodes(ctx, t, work, stream);
    });
}

/* ------------------------------------------------------------------- the table */

typedef eig_status stemr_of_clusters(eig_context *ctx, stemr_task *t, cudaStream_t stream);
typedef eig_status stemr_of_each(eig_context *ctx, const stemr_task *t, stemr_work *work, cudaStream_t stream);
typedef eig_status stemr_of_tree(eig_context *ctx, const stemr_task *t, cudaStream_t stream);

/* After the root: clusters; work on pairs of all kinds, without `each` all pairs are INVERSE; options.tree. */
template <stemr_of_clusters *clusters, stemr_of_each *each, stemr_of_tree *tree>
static eig_status enqueue(eig_context *ctx, const stemr_task &given, cudaStream_t stream, cuda_clock *clock)
{
    stemr_task task = given, *const t = &task;
    bool constexpr some = each != nullptr;
    bool const fallbacks = t->clustered || !some || t->p.certify;
    eig_status status = EIG_OK;
    if constexpr (clusters != nullptr)
        if (t->clustered) status = clusters(ctx, t, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if constexpr (some)
        if (status == EIG_OK) status = each(ctx, t, eig_cuda_stemr_refine, stream);
    if (status == EIG_OK) status = eig_cuda_stemr_values(ctx, t, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if constexpr (some)
        if (t->p.z && status == EIG_OK) status = each(ctx, t, eig_cuda_stemr_vectors, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if (t->p.z && fallbacks && status == EIG_OK) status = eig_cuda_stemr_inverse(ctx, t, stream);
    if (status == EIG_OK) status = eig_cuda_stemr_outputs(ctx, t, stream);
    if (t->p.z && status == EIG_OK) status = eig_cuda_stemr_certify(ctx, t, stream);
    if (status == EIG_OK) status = eig_cuda_mark_clock(ctx, clock);
    if constexpr (tree != nullptr)
        if (t->p.tree_room > 0 && status == EIG_OK) status = tree(ctx, t, stream);
    return status;
}

static const char *const names[] = {"root", "tree", "refinement", "vectors", "fallbacks"};
static const cuda_passes passes = {5, names};

static const stemr_road roads[] = {
    {"reference", NULL, is_reference, NULL, carve_clusters, enqueue<nullptr, nullptr, nullptr>, passes, 0,
     "bisection of T~, and inverse iteration; so do all pairs"},
    {"mrrr", NULL, is_mrrr, NULL, carve_mrrr, enqueue<eig_cuda_stemr_mrrr, each_of_mrrr, eig_cuda_stemr_copy_tree>,
     passes, 0, "representations, level by level"},
    {"inverse iteration", NULL, leaves_clusters, NULL, carve_clusters,
     enqueue<eig_cuda_stemr_leave_clusters, each_of_root, nullptr>, passes, 0, "inverse iteration"},
    {"auto", NULL, is_auto, NULL, carve_pencils, enqueue<eig_cuda_stemr_clusters, each_of_auto, nullptr>, passes, 0,
     "pencils, or T~ with two words or three"},
};

/* No road asks for the context. */
const stemr_road *eig_cuda_stemr_road(const stemr_problem *p)
{
    return cuda_road_of(roads, (const eig_context *)NULL, p);
}

const stemr_road *eig_cuda_stemr_roads(int *count)
{
    *count = sizeof roads / sizeof *roads;
    return roads;
}
