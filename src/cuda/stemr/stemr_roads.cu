/* stemr on CUDA: the table of roads.  The first row that serves a call takes it; docs/maintainers/cuda/stemr.md has the
 * table too. */
#include "stemr_clusters.cuh"

static int64_t most_clusters(const stemr_task *t)
{
    return t->n / 2 + 1;
}

static void carve_clusters(arena *a, stemr_task *t)
{
    eig_cuda_stemr_tree_layout(a, t, most_clusters(t));
}

static void carve_pencils(arena *a, stemr_task *t)
{
    carve_clusters(a, t);
    eig_cuda_stemr_pencil_layout(a, t);
}

static bool is_reference(const stemr_problem *p)
{
    return p->method == EIG_STEMR_REFERENCE;
}

static bool is_mrrr(const stemr_problem *p)
{
    return p->method == EIG_STEMR_MRRR;
}

static bool leaves_clusters(const stemr_problem *p)
{
    return p->most_depth == 0;
}

static bool is_auto(const stemr_problem *)
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
    eig_status status = forks ? stemr_order_streams(ctx, stream, state->side, state->forked) : EIG_OK;
    if (status == EIG_OK) status = work(ctx, &beside, STEMR_OF_ROOT, side);
    if (status == EIG_OK) status = others(beside, side);
    eig_status const joined = forks ? stemr_order_streams(ctx, state->side, stream, state->joined) : EIG_OK;
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

static const stemr_road roads[] = {
    {"reference", "bisection of T~, and inverse iteration; so do all pairs", is_reference, carve_clusters, NULL, NULL,
     NULL},
    {"mrrr", "representations, level by level", is_mrrr, eig_cuda_stemr_mrrr_layout, eig_cuda_stemr_mrrr, each_of_mrrr,
     eig_cuda_stemr_copy_tree},
    {"inverse iteration", "inverse iteration", leaves_clusters, carve_clusters, eig_cuda_stemr_leave_clusters,
     each_of_root, NULL},
    {"auto", "pencils, or T~ with two words or three", is_auto, carve_pencils, eig_cuda_stemr_clusters, each_of_auto,
     NULL},
};

const stemr_road *eig_cuda_stemr_road(const stemr_problem *p)
{
    const stemr_road *road = roads;
    while (!road->serves(p)) ++road;
    return road;
}

const stemr_road *eig_cuda_stemr_roads(int *count)
{
    *count = sizeof roads / sizeof *roads;
    return roads;
}
