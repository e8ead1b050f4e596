/* What the tests of stemr share that move limits of the method (stemr_limits.h), to force what matrices seldom need. */
#ifndef EIG_TEST_STEMR_FORCED_H
#define EIG_TEST_STEMR_FORCED_H

#include "problem.h"
#include "stemr_fixture.h"
#include "stemr_limits.h"

enum { DEPTH = 6 /* levels of clusters on either device */ };

static stemr_limits const usual = STEMR_LIMITS;

/* The call with limits of its own, with or without certificates. */
static inline void solve_as(eig_context *ctx, eig_stemr_method method, bool certify, const stemr_limits *limits,
                            int64_t il, int64_t iu, fixture *f)
{
    stemr_problem p = {.type = f->type, .n = f->n, .d = f->d.data, .e = f->n > 1 ? f->e.data : NULL, .m = &f->m};
    p.method = method, p.certify = certify;
    p.w = f->w.data, p.z = f->z.data, p.ldz = f->ldz, p.vectors = true;
    p.isuppz = f->isuppz, p.info = f->info, p.residual = f->residual.data, p.orthogonality = f->orthogonality.data;
    p.stats = &f->stats, p.limits = limits;
    p.range = il == 1 && iu == f->n ? EIG_RANGE_ALL : EIG_RANGE_INDEX, p.il = il, p.iu = iu;
    p.most_depth = DEPTH;
    /* A representation is bad only where one is made. */
    bool const auto_of_gpu = method == EIG_STEMR_AUTO && strncmp(test_device, "cuda", 4) == 0;
    if (auto_of_gpu && limits->bad_level > 0) p.method = EIG_STEMR_MRRR;
    fill_around(f, iu - il + 1);
    if (ctx->backend->stemr(ctx, &p) != EIG_OK) fail_msg("%s", eig_error_detail(ctx));
    expect_around(f, iu - il + 1);
}

static inline void solve_by(eig_context *ctx, eig_stemr_method method, const stemr_limits *limits, int64_t il,
                            int64_t iu, fixture *f)
{
    solve_as(ctx, method, true, limits, il, iu, f);
}

static inline void solve_within(eig_context *ctx, const stemr_limits *limits, int64_t il, int64_t iu, fixture *f)
{
    solve_by(ctx, EIG_STEMR_AUTO, limits, il, iu, f);
}

/* Sums over the families, each certified. */
static inline eig_stemr_stats all_families(const stemr_limits *limits, int64_t n)
{
    eig_context *const ctx = test_context(2);
    eig_stemr_stats sum = EIG_STEMR_STATS;
    for (size_t k = 0; k < COUNT(families); ++k)
        for (int c = 0; c < 2; ++c) {
            fixture f = make_family(k, n, real_types[c]);
            solve_within(ctx, limits, 1, n, &f);
            certify(families[k].name, &f, 1);
            const eig_stemr_stats *const s = &f.stats;
            sum.depth = s->depth > sum.depth ? s->depth : sum.depth;
            sum.clusters += s->clusters, sum.shifts += s->shifts, sum.skew += s->skew;
            sum.bad_representations += s->bad_representations, sum.inverse_iterations += s->inverse_iterations;
            drop(&f);
        }
    eig_destroy(ctx);
    return sum;
}

/* The part is the pairs of the whole from `first` on, bit by bit. */
static inline void same_pairs(const char *what, const fixture *whole, const fixture *part, int64_t first)
{
    size_t const size = type_size(whole->type);
    for (int64_t k = 0; k < part->m; ++k) {
        int64_t const j = first - 1 + k;
        if (memcmp(numbers_at(&whole->w, j), numbers_at(&part->w, k), size) != 0 ||
            memcmp(numbers_at(&whole->z, j * whole->ldz), numbers_at(&part->z, k * part->ldz), (size_t)whole->n * size))
            fail_msg("%s: pair %lld differs in a subset from %lld", what, (long long)j, (long long)first);
    }
}

#endif
