/* The program with a library that misses its promises: linked with --wrap, it changes what calls have written.  What the
 * program then says, and its exit status, is what is tested (cli_misses.sh).
 *     EIG_MISS=info      the first pair of stemr lacks its accuracy
 *     EIG_MISS=vectors   geev has no vectors of its first matrix
 *     EIG_MISS=values    the first eigenvalue of every family is wrong by a thousandth */
#include "eigpack.h"
#include "type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool misses(const char *what)
{
    const char *const wanted = getenv("EIG_MISS");
    return wanted && strcmp(wanted, what) == 0;
}

static eig_status spoil(eig_status status, eig_type type, void *w)
{
    if (status == EIG_OK && misses("values"))
        type_put(type, w, 0, type_get(type, w, 0) + 1e-3 * (1 + fabs(type_get(type, w, 0))));
    return status;
}

eig_status __real_eig_stebz(eig_context *ctx, eig_type type, const eig_stebz_options *options, int64_t n, const void *d,
                            const void *e, int64_t *m, void *w, void *lower, void *upper, int *info);
eig_status __wrap_eig_stebz(eig_context *ctx, eig_type type, const eig_stebz_options *options, int64_t n, const void *d,
                            const void *e, int64_t *m, void *w, void *lower, void *upper, int *info);
eig_status __wrap_eig_stebz(eig_context *ctx, eig_type type, const eig_stebz_options *options, int64_t n, const void *d,
                            const void *e, int64_t *m, void *w, void *lower, void *upper, int *info)
{
    return spoil(__real_eig_stebz(ctx, type, options, n, d, e, m, w, lower, upper, info), type, w);
}

eig_status __real_eig_stemr(eig_context *ctx, eig_type type, const eig_stemr_options *options, int64_t n, const void *d,
                            const void *e, int64_t *m, void *w, void *z, int64_t ldz, int64_t *isuppz, int *info,
                            void *residual, void *orthogonality, eig_stemr_stats *stats);
eig_status __wrap_eig_stemr(eig_context *ctx, eig_type type, const eig_stemr_options *options, int64_t n, const void *d,
                            const void *e, int64_t *m, void *w, void *z, int64_t ldz, int64_t *isuppz, int *info,
                            void *residual, void *orthogonality, eig_stemr_stats *stats);
eig_status __wrap_eig_stemr(eig_context *ctx, eig_type type, const eig_stemr_options *options, int64_t n, const void *d,
                            const void *e, int64_t *m, void *w, void *z, int64_t ldz, int64_t *isuppz, int *info,
                            void *residual, void *orthogonality, eig_stemr_stats *stats)
{
    eig_status const status =
        __real_eig_stemr(ctx, type, options, n, d, e, m, w, z, ldz, isuppz, info, residual, orthogonality, stats);
    if (status == EIG_OK && info && misses("info")) info[0] = EIG_STEMR_RESIDUAL;
    return spoil(status, type, w);
}

eig_status __real_eig_heev_batched(eig_context *ctx, eig_type type, const eig_heev_options *options, int64_t n,
                                   const void *a, int64_t lda, int64_t stride_a, int64_t *m, void *w, int64_t stride_w,
                                   void *v, int64_t ldv, int64_t stride_v, int *info, int *sweeps, int64_t batch);
eig_status __wrap_eig_heev_batched(eig_context *ctx, eig_type type, const eig_heev_options *options, int64_t n,
                                   const void *a, int64_t lda, int64_t stride_a, int64_t *m, void *w, int64_t stride_w,
                                   void *v, int64_t ldv, int64_t stride_v, int *info, int *sweeps, int64_t batch);
eig_status __wrap_eig_heev_batched(eig_context *ctx, eig_type type, const eig_heev_options *options, int64_t n,
                                   const void *a, int64_t lda, int64_t stride_a, int64_t *m, void *w, int64_t stride_w,
                                   void *v, int64_t ldv, int64_t stride_v, int *info, int *sweeps, int64_t batch)
{
    eig_type const real = type == EIG_C ? EIG_S : type == EIG_Z ? EIG_D : type;
    return spoil(__real_eig_heev_batched(ctx, type, options, n, a, lda, stride_a, m, w, stride_w, v, ldv, stride_v,
                                         info, sweeps, batch),
                 real, w);
}

eig_status __real_eig_geev_batched(eig_context *ctx, eig_type type, const eig_geev_options *options, int64_t n,
                                   const void *a, int64_t lda, int64_t stride_a, void *w, int64_t stride_w, void *vl,
                                   int64_t ldvl, int64_t stride_vl, void *vr, int64_t ldvr, int64_t stride_vr,
                                   void *condition, int *info, int64_t batch);
eig_status __wrap_eig_geev_batched(eig_context *ctx, eig_type type, const eig_geev_options *options, int64_t n,
                                   const void *a, int64_t lda, int64_t stride_a, void *w, int64_t stride_w, void *vl,
                                   int64_t ldvl, int64_t stride_vl, void *vr, int64_t ldvr, int64_t stride_vr,
                                   void *condition, int *info, int64_t batch);
eig_status __wrap_eig_geev_batched(eig_context *ctx, eig_type type, const eig_geev_options *options, int64_t n,
                                   const void *a, int64_t lda, int64_t stride_a, void *w, int64_t stride_w, void *vl,
                                   int64_t ldvl, int64_t stride_vl, void *vr, int64_t ldvr, int64_t stride_vr,
                                   void *condition, int *info, int64_t batch)
{
    eig_status const status = __real_eig_geev_batched(ctx, type, options, n, a, lda, stride_a, w, stride_w, vl, ldvl,
                                                      stride_vl, vr, ldvr, stride_vr, condition, info, batch);
    if (status == EIG_OK && info && misses("vectors")) info[0] = (int)n + 1;
    return spoil(status, type, w);
}
