/* stemr: eigenpairs of a symmetric tridiagonal matrix.  Public functions -> problem -> checks -> backend. */
#include "problem.h"

#include <string.h>

/* Levels of clusters that get representations, at most. */
enum { MOST_DEPTH = 6 };

static eig_status stemr_options(eig_context *ctx, const eig_stemr_options *options, stemr_problem *p)
{
    eig_stemr_options o;
    eig_status status = eig_read_options(ctx, "stemr", options, &o, sizeof o);
    if (status != EIG_OK) return status;
    p->range = o.range, p->il = o.il, p->iu = o.iu;
    p->method = o.method;
    p->vl = o.vl, p->vu = o.vu;
    status = eig_read_range(ctx, "stemr", p->n, &p->range, &p->il, &p->iu, p->vl, p->vu);
    if (status != EIG_OK) return status;
    REQUIRE(p->method == EIG_STEMR_AUTO || p->method == EIG_STEMR_REFERENCE || p->method == EIG_STEMR_MRRR,
            "stemr: method = %d, must be 0 (auto), 1 (reference) or 2 (mrrr)", (int)p->method);
    REQUIRE(-1 <= o.most_depth && o.most_depth <= MOST_DEPTH, "stemr: most_depth = %d, must be -1 to %d", o.most_depth,
            MOST_DEPTH);
    REQUIRE(o.tree_room >= 0, "stemr: tree_room = %lld, must be >= 0", (long long)o.tree_room);
    REQUIRE(o.tree || o.tree_room == 0, "stemr: tree is NULL with tree_room = %lld", (long long)o.tree_room);
    p->tree = o.tree, p->tree_room = o.tree_room;
    p->most_depth = o.most_depth == 0 ? MOST_DEPTH : o.most_depth < 0 ? 0 : o.most_depth;
    return EIG_OK;
}

static eig_status stemr_check_size(eig_context *ctx, const char *call, eig_type type, int64_t n)
{
    REQUIRE(type == EIG_S || type == EIG_D, "%s: type = %d, must be 's' or 'd'", call, (int)type);
    REQUIRE(n >= 0, "%s: n = %lld, must be >= 0", call, (long long)n);
    REQUIRE(n <= INT64_MAX / 65536, "%s: n = %lld is too large", call, (long long)n);
    return EIG_OK;
}

static eig_status stemr_check_arrays(eig_context *ctx, const stemr_problem *p)
{
    long long const n = p->n;
    REQUIRE(p->d, "stemr: d is NULL with n = %lld", n);
    REQUIRE(p->e || n == 1, "stemr: e is NULL with n = %lld", n);
    REQUIRE(p->w, "stemr: w is NULL with n = %lld", n);
    if (!p->z) return EIG_OK;
    REQUIRE(p->ldz >= n, "stemr: ldz = %lld < n = %lld", (long long)p->ldz, n);
    REQUIRE(eig_addressable(p->iu - p->il + 1, p->ldz, n, type_size(p->type)),
            "stemr: ldz = %lld with %lld vectors is too large", (long long)p->ldz, (long long)(p->iu - p->il + 1));
    return EIG_OK;
}

eig_status eig_stemr(eig_context *ctx, eig_type type, const eig_stemr_options *options, int64_t n, const void *d,
                     const void *e, int64_t *m, void *w, void *z, int64_t ldz, int64_t *isuppz, int *info,
                     void *residual, void *orthogonality, eig_stemr_stats *stats)
{
    stemr_problem p = {.type = type, .n = n, .d = d, .e = n > 1 ? e : NULL, .m = m, .w = w, .z = z, .ldz = ldz};
    p.vectors = z != NULL, p.isuppz = isuppz, p.info = info;
    p.residual = residual, p.orthogonality = orthogonality, p.stats = stats;
    ENTER(ctx);
    eig_status status;
    if ((status = stemr_check_size(ctx, "stemr", type, n)) != EIG_OK) return status;
    if ((status = stemr_options(ctx, options, &p)) != EIG_OK) return status;
    if (n == 0) {
        eig_begin_passes(ctx, 0, NULL);
        if (stats) memset(stats, 0, sizeof *stats);
        if (m) status = ctx->backend->clear(ctx, m, sizeof *m);
        if (orthogonality && z && status == EIG_OK) status = ctx->backend->clear(ctx, orthogonality, type_size(type));
        return status;
    }
    if ((status = stemr_check_arrays(ctx, &p)) != EIG_OK) return status;
    return ctx->backend->stemr(ctx, &p);
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
#define STEMR(letter, real, type)                                                                                  \
    eig_status eig_##letter##stemr(eig_context *ctx, const eig_stemr_options *options, int64_t n, const real *d,   \
                                   const real *e, int64_t *m, real *w, real *z, int64_t ldz, int64_t *isuppz,      \
                                   int *info, real *residual, real *orthogonality, eig_stemr_stats *stats)         \
    {                                                                                                              \
        return eig_stemr(ctx, type, options, n, d, e, m, w, z, ldz, isuppz, info, residual, orthogonality, stats); \
    }
STEMR(s, float, EIG_S)
STEMR(d, double, EIG_D)
