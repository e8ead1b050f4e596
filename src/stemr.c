/* stemr: eigenpairs of a symmetric tridiagonal matrix.  Public functions -> problem -> checks -> backend. */
#include "problem.h"
#include "sizes.h"
#include "stemr_stats.h"

#include <stdlib.h>
#include <string.h>

/* Levels of clusters that get representations, at most. */
enum { MOST_DEPTH = 6 };

static eig_status stemr_options(eig_context *ctx, const eig_stemr_options *options, stemr_problem *p)
{
    eig_stemr_options copy;
    const eig_stemr_options *const o = eig_read_options(ctx, "stemr", options, &copy, sizeof copy);
    if (!o) return EIG_BAD_ARGUMENT;
    p->range = o->range, p->il = o->il, p->iu = o->iu;
    p->method = o->method;
    eig_status const status = eig_read_range(ctx, "stemr", p->n, &p->range, &p->il, &p->iu, o->vl, o->vu);
    if (status != EIG_OK) return status;
    p->moves = p->range == EIG_RANGE_VALUE;
    if (p->moves) p->by_value = range_of_values(p->type, o->vl, o->vu);
    REQUIRE(p->method == EIG_STEMR_AUTO || p->method == EIG_STEMR_REFERENCE || p->method == EIG_STEMR_MRRR,
            "stemr: method = %d, must be 0 (auto), 1 (reference) or 2 (mrrr)", (int)p->method);
    REQUIRE(-1 <= o->most_depth && o->most_depth <= MOST_DEPTH, "stemr: most_depth = %d, must be -1 to %d",
            o->most_depth, MOST_DEPTH);
    REQUIRE(o->tree_room >= 0, "stemr: tree_room = %lld, must be >= 0", (long long)o->tree_room);
    REQUIRE(o->tree || o->tree_room == 0, "stemr: tree is NULL with tree_room = %lld", (long long)o->tree_room);
    REQUIRE(o->tree_room == 0 || eig_structure_is_sane(o->tree),
            "stemr: tree[0].size = %zu, must be sizeof(eig_stemr_node), here %zu", o->tree->size,
            sizeof(eig_stemr_node));
    REQUIRE(o->no_certificate == 0 || o->no_certificate == 1, "stemr: no_certificate = %d, must be 0 or 1",
            o->no_certificate);
    REQUIRE(o->same_bits_in_batches == 0 || o->same_bits_in_batches == 1,
            "stemr: same_bits_in_batches = %d, must be 0 or 1", o->same_bits_in_batches);
    p->certify = !o->no_certificate;
    p->same_bits = o->same_bits_in_batches;
    p->tree = o->tree, p->tree_room = o->tree_room;
    p->most_depth = o->most_depth == 0 ? MOST_DEPTH : o->most_depth < 0 ? 0 : o->most_depth;
    return EIG_OK;
}

static eig_status stemr_check_size(eig_context *ctx, const char *call, eig_type type, int64_t n)
{
    REQUIRE(type == EIG_S || type == EIG_D, "%s: type = %d, must be 's' or 'd'", call, (int)type);
    REQUIRE(n >= 0, "%s: n = %lld, must be >= 0", call, (long long)n);
    REQUIRE(n <= EIG_MOST_ROWS, "%s: n = %lld is too large, must be at most %lld", call, (long long)n,
            (long long)EIG_MOST_ROWS);
    return EIG_OK;
}

static eig_status stemr_check_arrays(eig_context *ctx, const stemr_problem *p)
{
    long long const n = p->n;
    REQUIRE(p->d, "stemr: d is NULL with n = %lld", n);
    REQUIRE(p->e || n == 1, "stemr: e is NULL with n = %lld", n);
    REQUIRE(p->w, "stemr: w is NULL with n = %lld", n);
    REQUIRE(p->m || p->range != EIG_RANGE_VALUE, "stemr: m is NULL with range 'V', must tell how many are found");
    if (!p->z) return EIG_OK;
    REQUIRE(p->ldz >= n, "stemr: ldz = %lld < n = %lld", (long long)p->ldz, n);
    REQUIRE(eig_fits(p->iu - p->il + 1, p->ldz, n, type_size(p->type)),
            "stemr: ldz = %lld with %lld vectors is too large", (long long)p->ldz, (long long)(p->iu - p->il + 1));
    return EIG_OK;
}

/* One matrix, or a batch of it. */
static eig_status stemr_one(eig_context *ctx, stemr_problem *p)
{
    eig_stemr_stats sum = EIG_STEMR_STATS;
    if (!p->same_bits) return ctx->backend->stemr(ctx, p);
    stemr_batch const all = {*p, p->n, p->n, p->n, p->ldz * p->n, 1};
    eig_status const status = ctx->backend->stemr_batch(ctx, &all, &sum);
    if (p->stats) *p->stats = sum;
    return status;
}

/* The caller's nodes may be of another size than this library's: then these are worked out beside, and copied. */
static eig_status stemr_with_tree(eig_context *ctx, stemr_problem *p)
{
    eig_stemr_node *const tree = p->tree;
    size_t const size = tree->size;
    int64_t const most = (MOST_DEPTH + 1) * p->n; /* clusters of a level have two members at least */
    if (size != sizeof *tree) {
        if (p->tree_room > most) p->tree_room = most;
        p->tree = calloc((size_t)p->tree_room, sizeof *tree);
        if (!p->tree)
            return eig_fail(ctx, EIG_NO_MEMORY, "stemr: cannot allocate a tree of %lld nodes", (long long)p->tree_room);
        p->tree->size = sizeof *tree;
    }
    eig_status const status = stemr_one(ctx, p);
    for (int64_t i = 0; i < p->stats->nodes && status == EIG_OK; ++i) {
        char *const node = (char *)tree + (size_t)i * size;
        memcpy(node, &size, sizeof size);
        if (size != sizeof *tree) eig_write_structure(node, &p->tree[i], sizeof *tree);
    }
    if (p->tree != tree) free(p->tree);
    p->tree = tree;
    return status;
}

/* One matrix; *p is checked except for its arrays. */
static eig_status stemr_solve(eig_context *ctx, stemr_problem *p)
{
    eig_status status = EIG_OK;
    if (p->n == 0) {
        eig_begin_passes(ctx, NULL, 0, NULL);
        if (p->m) status = ctx->backend->clear(ctx, p->m, sizeof *p->m);
        if (p->orthogonality && p->z && status == EIG_OK)
            status = ctx->backend->clear(ctx, p->orthogonality, type_size(p->type));
        return status;
    }
    status = stemr_check_arrays(ctx, p);
    if (status != EIG_OK) return status;
    return p->tree_room > 0 ? stemr_with_tree(ctx, p) : stemr_one(ctx, p);
}

static eig_status stemr_check_stats(eig_context *ctx, const eig_stemr_stats *stats)
{
    REQUIRE(!stats || eig_structure_is_sane(stats),
            "stemr: stats->size = %zu, must be sizeof(eig_stemr_stats), here %zu", stats->size, sizeof *stats);
    return EIG_OK;
}

eig_status eig_stemr(eig_context *ctx, eig_type type, const eig_stemr_options *options, int64_t n, const void *d,
                     const void *e, int64_t *m, void *w, void *z, int64_t ldz, int64_t *isuppz, int *info,
                     void *residual, void *orthogonality, eig_stemr_stats *stats)
{
    eig_stemr_stats known;
    stemr_problem p; /* all of it is set here or by its options: nothing is cleared first */
    p.type = type, p.n = n, p.d = d, p.e = n > 1 ? e : NULL;
    p.m = m, p.w = w, p.z = z, p.ldz = ldz, p.vectors = z != NULL, p.isuppz = isuppz, p.info = info;
    p.residual = residual, p.orthogonality = orthogonality, p.stats = NULL, p.limits = NULL;
    ENTER(ctx);
    eig_status status;
    if ((status = stemr_check_size(ctx, "stemr", type, n)) != EIG_OK) return status;
    if ((status = stemr_options(ctx, options, &p)) != EIG_OK) return status;
    if ((status = stemr_check_stats(ctx, stats)) != EIG_OK) return status;
    if (stats || p.tree_room > 0) {
        known = (eig_stemr_stats)EIG_STEMR_STATS;
        p.stats = &known;
    }
    status = stemr_solve(ctx, &p);
    if (stats && status == EIG_OK) eig_write_structure(stats, &known, sizeof known);
    return status;
}

/* Strides of a batch; those of one matrix are unused. */
static eig_status stemr_check_batch(eig_context *ctx, const stemr_problem *p, int64_t stride_d, int64_t stride_e,
                                    int64_t stride_w, int64_t stride_z, int64_t batch)
{
    long long const n = p->n, wanted = p->iu - p->il + 1;
    size_t const size = type_size(p->type);
    REQUIRE(batch >= 0, "stemr: batch = %lld, must be >= 0", (long long)batch);
    REQUIRE(batch <= EIG_MOST_COUNT, "stemr: batch = %lld is too large, must be at most %lld", (long long)batch,
            (long long)EIG_MOST_COUNT);
    REQUIRE(!p->tree, "stemr: tree is given with a batch, must be NULL");
    if (batch <= 1 || n == 0) return EIG_OK;
    REQUIRE(stride_d >= n, "stemr: stride_d = %lld < n = %lld", (long long)stride_d, n);
    REQUIRE(stride_e >= n - 1, "stemr: stride_e = %lld < n-1 = %lld", (long long)stride_e, n - 1);
    REQUIRE(stride_w >= wanted, "stemr: stride_w = %lld < %lld eigenvalues a matrix", (long long)stride_w, wanted);
    REQUIRE(eig_fits(batch, stride_d, n, size) && eig_fits(batch, stride_e, n, size) &&
                eig_fits(batch, stride_w, n, 2 * sizeof(int64_t)),
            "stemr: batch = %lld with stride_d = %lld, stride_e = %lld, stride_w = %lld is too large", (long long)batch,
            (long long)stride_d, (long long)stride_e, (long long)stride_w);
    if (!p->z) return EIG_OK;
    REQUIRE(p->ldz >= n && eig_fits(wanted, p->ldz, n, size), "stemr: ldz = %lld with n = %lld", (long long)p->ldz, n);
    REQUIRE(stride_z >= p->ldz * wanted, "stemr: stride_z = %lld < ldz*%lld vectors = %lld", (long long)stride_z,
            wanted, (long long)p->ldz * wanted);
    REQUIRE(eig_fits(batch, stride_z, p->ldz * wanted, size), "stemr: batch = %lld with stride_z = %lld is too large",
            (long long)batch, (long long)stride_z);
    return EIG_OK;
}

/* Part of an array; NULL stays NULL. */
static void *stemr_at(const void *array, int64_t k, size_t size)
{
    return array ? (char *)array + (size_t)k * size : NULL;
}

stemr_problem eig_stemr_member(const stemr_batch *all, int64_t b, eig_stemr_stats *stats)
{
    stemr_problem p = all->first;
    size_t const size = type_size(p.type);
    int64_t const w = b * all->stride_w;
    p.d = stemr_at(p.d, b * all->stride_d, size), p.e = stemr_at(p.e, b * all->stride_e, size);
    p.m = stemr_at(p.m, b, sizeof *p.m), p.w = stemr_at(p.w, w, size);
    p.z = stemr_at(p.z, b * all->stride_z, size);
    p.isuppz = stemr_at(p.isuppz, 2 * w, sizeof *p.isuppz), p.info = stemr_at(p.info, w, sizeof *p.info);
    p.residual = stemr_at(p.residual, w, size), p.orthogonality = stemr_at(p.orthogonality, b, size);
    p.stats = stats;
    return p;
}

eig_status eig_stemr_each(eig_context *ctx, const stemr_batch *all, eig_stemr_stats *sum)
{
    eig_status status = EIG_OK;
    call_steps steps;
    eig_steps_begin(ctx, &steps, all->batch);
    for (int64_t b = 0; b < all->batch && status == EIG_OK; ++b) {
        eig_stemr_stats own = EIG_STEMR_STATS; /* a matrix that is not finite writes none */
        stemr_problem p = eig_stemr_member(all, b, all->first.stats ? &own : NULL);
        p.same_bits = false;
        status = stemr_solve(ctx, &p);
        eig_steps_next(ctx, &steps, 1);
        stemr_add_stats(sum, &own);
    }
    eig_steps_end(ctx, &steps);
    return status;
}

eig_status eig_stemr_batched(eig_context *ctx, eig_type type, const eig_stemr_options *options, int64_t n,
                             const void *d, int64_t stride_d, const void *e, int64_t stride_e, int64_t *m, void *w,
                             int64_t stride_w, void *z, int64_t ldz, int64_t stride_z, int64_t *isuppz, int *info,
                             void *residual, void *orthogonality, eig_stemr_stats *stats, int64_t batch)
{
    eig_stemr_stats sum = EIG_STEMR_STATS;
    stemr_problem p = {.type = type, .n = n, .d = d, .e = n > 1 ? e : NULL, .m = m, .w = w, .z = z, .ldz = ldz};
    p.vectors = z != NULL, p.isuppz = isuppz, p.info = info;
    p.residual = residual, p.orthogonality = orthogonality, p.stats = stats ? &sum : NULL;
    ENTER(ctx);
    eig_status status;
    if ((status = stemr_check_size(ctx, "stemr", type, n)) != EIG_OK) return status;
    if ((status = stemr_options(ctx, options, &p)) != EIG_OK) return status;
    if ((status = stemr_check_stats(ctx, stats)) != EIG_OK) return status;
    if ((status = stemr_check_batch(ctx, &p, stride_d, stride_e, stride_w, stride_z, batch)) != EIG_OK) return status;
    if (n > 0 && batch > 0 && (status = stemr_check_arrays(ctx, &p)) != EIG_OK) return status;
    if (batch == 0) eig_begin_passes(ctx, NULL, 0, NULL);
    stemr_batch const all = {p, stride_d, stride_e, stride_w, stride_z, batch};
    status = n > 0 && (batch > 1 || (batch == 1 && p.same_bits)) ? ctx->backend->stemr_batch(ctx, &all, &sum)
                                                                 : eig_stemr_each(ctx, &all, &sum);
    if (stats && status == EIG_OK) eig_write_structure(stats, &sum, sizeof sum);
    return status;
}

eig_status eig_stemr_work_size(eig_context *ctx, eig_type type, const eig_stemr_options *options, int64_t n,
                               int vectors, size_t *bytes)
{
    ENTER(ctx);
    eig_status status;
    REQUIRE(bytes, "stemr_work_size: bytes is NULL");
    stemr_problem p = {.type = type, .n = n, .vectors = vectors != 0};
    if ((status = stemr_check_size(ctx, "stemr_work_size", type, n)) != EIG_OK) return status;
    if ((status = stemr_options(ctx, options, &p)) != EIG_OK) return status;
    size_t const need = n == 0 ? 0 : ctx->backend->stemr_work_size(ctx, &p);
    if ((status = eig_check_need(ctx, "stemr_work_size", need)) == EIG_OK) *bytes = need;
    return status;
}

/* The typed public functions. */
#define STEMR(letter, real, type)                                                                                      \
    eig_status eig_##letter##stemr(eig_context *ctx, const eig_stemr_options *options, int64_t n, const real *d,       \
                                   const real *e, int64_t *m, real *w, real *z, int64_t ldz, int64_t *isuppz,          \
                                   int *info, real *residual, real *orthogonality, eig_stemr_stats *stats)             \
    {                                                                                                                  \
        return eig_stemr(ctx, type, options, n, d, e, m, w, z, ldz, isuppz, info, residual, orthogonality, stats);     \
    }                                                                                                                  \
    eig_status eig_##letter##stemr_batched(                                                                            \
        eig_context *ctx, const eig_stemr_options *options, int64_t n, const real *d, int64_t stride_d, const real *e, \
        int64_t stride_e, int64_t *m, real *w, int64_t stride_w, real *z, int64_t ldz, int64_t stride_z,               \
        int64_t *isuppz, int *info, real *residual, real *orthogonality, eig_stemr_stats *stats, int64_t batch)        \
    {                                                                                                                  \
        return eig_stemr_batched(ctx, type, options, n, d, stride_d, e, stride_e, m, w, stride_w, z, ldz, stride_z,    \
                                 isuppz, info, residual, orthogonality, stats, batch);                                 \
    }
STEMR(s, float, EIG_S)
STEMR(d, double, EIG_D)
