/* stemr on CUDA, method mrrr: clusters get representations level by level, against which their members are bisected
 * until gaps part them; what stays together is a cluster of the next level.
 *
 * Chain     n rows a level.
 * Host      reads a level's number of clusters, and how many members are left after some rounds of sections.
 * Bits      what becomes of a cluster depends on its members alone. */
#include "stemr_mrrr.cuh"

enum { THREADS = 256 };

#define ROOT_ERROR 0x1p-98 /* of counts against T~, with room */

/* -------------------------------------------------------------------- members */

/* The bracket of a member in its node's own numbers, a power of two wide. */
static __device__ void own_bracket(stemr_eigenpair &pair, stemr_member &m, const stemr_cluster &c)
{
    wide_d const lo = stemr_difference(pair.lo, c.shift), hi = stemr_difference(pair.hi, c.shift);
    double const of_counts = c.parent < 0 ? ROOT_ERROR + 0x1p-102 * c.growth : STEMR_LEAST_WIDTH;
    double const room = fmax(0x1p-52 * fmax(fabs(lo.hi), fabs(hi.hi)), of_counts);
    double const begin = lo.hi - room, width = (hi.hi + room) - begin;
    frexp(width, &m.exponent);
    pair.lo = stemr_wide(begin);
    pair.hi = wide_add_d(pair.lo, stemr_wide(scalbn(1.0, m.exponent)));
    pair.x = stemr_difference(pair.x, c.shift);
}

/* Members of nodes from first on; for inverse iteration where the representation is of no use, or is not wanted.  A
 * block a node. */
static __global__ void __launch_bounds__(THREADS) enter_nodes(stemr_task t, stemr_forest f, int first, bool deep)
{
    int const node = first + blockIdx.x;
    stemr_cluster const c = t.node[node];
    bool const good = stemr_good(t, c);
    for (int k = c.first + threadIdx.x; k <= c.last; k += THREADS) {
        stemr_eigenpair &pair = t.pair[k];
        pair.run = c.first;
        pair.x = stemr_middle(pair.lo, pair.hi);
        pair.gap = fmin(c.left, c.right);
        pair.state = good ? STEMR_ACTIVE : STEMR_INVERSE;
        pair.node = good ? node : c.parent;
        pair.kind = good ? STEMR_OF_NODES : STEMR_OF_ROOT, pair.member = true;
        f.member[k].with_next = f.member[k].sure = 0;
        if (good) own_bracket(pair, f.member[k], c);
    }
    if (threadIdx.x != 0) return;
    /* Integers: sums in any order. */
    unsigned long long *const stats = (unsigned long long *)&t.counts->stats;
    eig_stemr_stats const *const s = &t.counts->stats;
    auto const at = [&](const int64_t *field) { return stats + (field - (const int64_t *)s); };
    atomicAdd(at(&s->clusters), 1ull);
    atomicMax(at(&s->largest_cluster), (unsigned long long)(c.last - c.first + 1));
    if (!good) atomicAdd(&t.counts->inverse, c.last - c.first + 1);
    if (deep) return;
    atomicAdd(at(&s->shifts), (unsigned long long)c.tries);
    atomicAdd(at(good ? &s->representations : &s->bad_representations), 1ull);
    if (good) atomicMax(at(&s->depth), (unsigned long long)c.level);
}

/* ----------------------------------------------------------------------- host */

extern "C" void eig_cuda_stemr_mrrr_layout(arena *a, stemr_task *t)
{
    eig_cuda_stemr_tree_layout(a, t, (t->n / 2 + 1) * (STEMR_DEPTH + 1));
    t->marks = (wide_d *)arena_take(a, t->slots * stemr_segments(t->n), sizeof(wide_d));
}

/* Nodes from..upto-1, all of one level. */
static eig_status work_level(eig_context *ctx, const stemr_task *t, stemr_forest f, int level, int64_t from,
                             int64_t upto, cudaStream_t stream)
{
    bool const deep = level > t->p.most_depth;
    eig_status status = EIG_OK;
    for (int64_t first = from, last; first < upto && status == EIG_OK; first = last) {
        int64_t const wave = (first / t->slots + 1) * t->slots;
        last = wave < upto ? wave : upto;
        if (!deep) status = eig_cuda_stemr_choose(ctx, t, level, first, last, stream);
        if (status == EIG_OK)
            status = cuda_launch(ctx, "stemr: members", stream, {last - first, THREADS}, enter_nodes, *t, f, (int)first,
                                 deep);
        if (deep || status != EIG_OK) continue;
        status = eig_cuda_stemr_write_rows(ctx, t, level, first, last, stream);
        if (status == EIG_OK) status = eig_cuda_stemr_node_sections(ctx, t, f, (int)first, (int)last, stream);
    }
    return status;
}

extern "C" eig_status eig_cuda_stemr_mrrr(eig_context *ctx, stemr_task *t, cudaStream_t stream)
{
    stemr_forest const f = stemr_forest_of(t);
    int64_t from = 0;
    eig_status status = eig_cuda_stemr_find_runs(ctx, t, f, stream);
    for (int level = 1; level <= STEMR_DEPTH + 1 && status == EIG_OK; ++level) {
        int nodes = 0;
        status = eig_cuda_stemr_make_nodes(ctx, t, f, stream);
        if (status == EIG_OK) status = eig_cuda_read(ctx, &nodes, &f.level->nodes, sizeof nodes, stream);
        if (status != EIG_OK || nodes == from) break;
        status = work_level(ctx, t, f, level, from, nodes, stream);
        from = nodes;
    }
    t->waves = (int)((from + t->slots - 1) / t->slots);
    return status == EIG_OK ? eig_cuda_stemr_narrow_inverse(ctx, t, stream) : status;
}

/* A wave's rows are in the pool, and stay there where it is the only one. */
extern "C" eig_status eig_cuda_stemr_for_nodes(eig_context *ctx, const stemr_task *t, stemr_work *work,
                                               cudaStream_t stream)
{
    stemr_task of_wave = *t;
    eig_status status = EIG_OK;
    for (of_wave.wave = 0; of_wave.wave < t->waves && status == EIG_OK; ++of_wave.wave) {
        if (t->waves > 1) status = eig_cuda_stemr_represent(ctx, &of_wave, stream);
        if (status == EIG_OK) status = work(ctx, &of_wave, STEMR_OF_NODES, stream);
    }
    return status;
}
