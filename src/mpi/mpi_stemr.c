/* eig_mpi_stemr: eigenpairs of one matrix on many ranks. */
#include "tridiagonal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { Z = CALL_W + 1, ISUPPZ, INFO, RESIDUAL, PROBES = 4 };

/* What stemr has beside the arrays. */
typedef struct stemr_extras {
    const eig_stemr_options *options;
    double orthogonality;
    eig_stemr_stats stats, *told; /* where the caller wants it; NULL: nowhere */
} stemr_extras;

static eig_status check(tridiagonal_call *call)
{
    const stemr_extras *const x = call->own;
    size_t bytes;
    if (x->told && !eig_mpi_is_sane(x->told))
        return eig_mpi_fail(call->ctx, EIG_BAD_ARGUMENT,
                            "stemr: stats->size = %zu, must be sizeof(eig_stemr_stats), here %zu", x->told->size,
                            sizeof *x->told);
    return eig_mpi_local_failure(call->ctx, eig_stemr_work_size(call->ctx->local, call->type, x->options, call->n,
                                                                call->array[Z].given != NULL, &bytes));
}

/* Outputs of one computation of this rank. */
typedef struct stemr_pairs {
    void *w, *z;
    int64_t ldz, *isuppz;
    int *info;
    void *residual;
} stemr_pairs;

/* Eigenpairs number first to last. */
static eig_status compute_range(tridiagonal_call *call, int64_t first, int64_t last, const stemr_pairs *out)
{
    stemr_extras *const x = call->own;
    eig_stemr_options o;
    eig_mpi_read(x->options, &o, sizeof o);
    o.range = EIG_RANGE_INDEX, o.il = first, o.iu = last;
    eig_status const status = eig_stemr(call->ctx->local, call->type, &o, call->n, call->d, call->e, NULL, out->w,
                                        out->z, out->ldz, out->isuppz, out->info, out->residual, NULL, &x->stats);
    return eig_mpi_local_failure(call->ctx, status);
}

static double number_at(const tridiagonal_call *call, const void *array, int64_t at)
{
    return type_get(call->type, array, at);
}

static eig_status no_memory(tridiagonal_call *call)
{
    return eig_mpi_fail(call->ctx, EIG_NO_MEMORY, "stemr: no memory for eigenpairs beside a rank's own");
}

/* Eigenvalues first to last, alone. */
static eig_status values(tridiagonal_call *call, int64_t first, int64_t last, void **w)
{
    eig_stemr_options o;
    eig_mpi_read(((stemr_extras *)call->own)->options, &o, sizeof o);
    o.range = EIG_RANGE_INDEX, o.il = first, o.iu = last;
    o.tree = NULL, o.tree_room = 0;
    *w = malloc((size_t)call_bytes(call, last - first + 1));
    if (!*w) return no_memory(call);
    eig_status const status = eig_stemr(call->ctx->local, call->type, &o, call->n, call->d, call->e, NULL, *w, NULL, 0,
                                        NULL, NULL, NULL, NULL, NULL);
    return eig_mpi_local_failure(call->ctx, status);
}

/* ------------------------------------------------------- inverse iteration */

/* The largest absolute row sum of T. */
static double norm_of(const tridiagonal_call *call)
{
    double norm = 0, before = 0;
    for (int64_t i = 0; i < call->n; ++i) {
        double const next = i + 1 < call->n ? fabs(number_at(call, call->e, i)) : 0;
        norm = fmax(norm, before + fabs(number_at(call, call->d, i)) + next);
        before = next;
    }
    return norm;
}

/* Moves an end of the run outwards, by direction -1 or 1, to where no cluster can lie across it, or to the end of what
 * all ranks are asked for: one process computes no more. */
static eig_status widen(tridiagonal_call *call, int direction, double gap, int64_t *end)
{
    int64_t const stop = direction < 0 ? call->il : call->iu;
    eig_status status = EIG_OK;
    for (int64_t reach = 64; *end != stop && status == EIG_OK; reach *= 4) {
        int64_t far = *end + direction * reach;
        if ((far - stop) * direction > 0) far = stop;
        int64_t const first = direction < 0 ? far : *end, last = direction < 0 ? *end : far;
        void *w;
        if ((status = values(call, first, last, &w)) == EIG_OK)
            while (*end != far) {
                double const here = number_at(call, w, *end - first),
                             next = number_at(call, w, *end + direction - first);
                if (fabs(next - here) > gap) break;
                *end += direction;
            }
        free(w);
        if (*end != far) break;
    }
    return status;
}

static void copy_pairs(tridiagonal_call *call, const stemr_pairs *from, int64_t skip)
{
    int64_t const m = call->run.count;
    const call_array *const a = call->array;
    size_t const size = (size_t)call_bytes(call, 1);
    memcpy(a[CALL_W].mine, (char *)from->w + (size_t)skip * size, (size_t)m * size);
    for (int64_t k = 0; k < m; ++k)
        memcpy((char *)a[Z].mine + (size_t)(k * a[Z].stride) * size,
               (char *)from->z + (size_t)((k + skip) * from->ldz) * size, (size_t)call->n * size);
    if (a[ISUPPZ].mine) memcpy(a[ISUPPZ].mine, from->isuppz + 2 * skip, 2 * (size_t)m * sizeof *from->isuppz);
    if (a[INFO].mine) memcpy(a[INFO].mine, from->info + skip, (size_t)m * sizeof *from->info);
    if (a[RESIDUAL].mine) memcpy(a[RESIDUAL].mine, (char *)from->residual + (size_t)skip * size, (size_t)m * size);
}

/* Vectors by inverse iteration were orthogonalised against those of this run alone.  Again, with all that may belong to
 * their clusters: neighbours in a cluster are less than 2^-33 ||T|| apart. */
static eig_status compute_whole_clusters(tridiagonal_call *call)
{
    int64_t first = call->run.first, last = first + call->run.count - 1;
    double const gap = ldexp(norm_of(call), -32);
    eig_status status = widen(call, -1, gap, &first);
    if (status == EIG_OK) status = widen(call, 1, gap, &last);
    int64_t const m = last - first + 1;
    if (status != EIG_OK || m == call->run.count) return status;
    stemr_pairs const wide = {malloc((size_t)call_bytes(call, m)),
                              malloc((size_t)call_bytes(call, m) * (size_t)call->n),
                              call->n,
                              malloc(2 * (size_t)m * sizeof(int64_t)),
                              malloc((size_t)m * sizeof(int)),
                              malloc((size_t)call_bytes(call, m))};
    if (wide.w && wide.z && wide.isuppz && wide.info && wide.residual) {
        status = compute_range(call, first, last, &wide);
        if (status == EIG_OK) copy_pairs(call, &wide, call->run.first - first);
    } else {
        status = no_memory(call);
    }
    free(wide.w), free(wide.z), free(wide.isuppz), free(wide.info), free(wide.residual);
    return status;
}

/* ||T z - w z|| of pair k of this rank, as one process measures it. */
static double residual_of(const tridiagonal_call *call, int64_t k)
{
    const call_array *const z = &call->array[Z];
    int64_t const n = call->n, column = k * z->stride;
    int scale;
    frexp(fmin(norm_of(call), DBL_MAX), &scale); /* the sums may overflow */
    double const w = ldexp(number_at(call, call->array[CALL_W].mine, k), -scale);
    double sum = 0, before = 0, beside = 0, here = number_at(call, z->mine, column);
    for (int64_t i = 0; i < n; ++i) {
        double const next = i + 1 < n ? number_at(call, z->mine, column + i + 1) : 0;
        double const coupling = i + 1 < n ? ldexp(number_at(call, call->e, i), -scale) : 0;
        double const r = (ldexp(number_at(call, call->d, i), -scale) - w) * here + (beside * before + coupling * next);
        sum += r * r;
        before = here, here = next, beside = coupling;
    }
    return ldexp(sqrt(sum), scale);
}

/* Eigenvalues of a range by value into it. */
static void move_into_range(const tridiagonal_call *call)
{
    const call_array *const a = call->array;
    for (int64_t k = 0; k < call->run.count; ++k) {
        double const w = number_at(call, a[CALL_W].mine, k), moved = range_moved(&call->by_value, w);
        if (moved == w || isnan(w)) continue;
        type_put(call->type, a[CALL_W].mine, k, moved);
        if (a[RESIDUAL].mine && a[Z].mine) type_put(call->type, a[RESIDUAL].mine, k, residual_of(call, k));
    }
}

static eig_status compute(tridiagonal_call *call, int *info)
{
    stemr_extras *const x = call->own;
    const call_array *const a = call->array;
    int64_t const first = call->run.first, last = first + call->run.count - 1;
    int *const infos = a[INFO].mine ? a[INFO].mine : malloc((size_t)call->run.count * sizeof *infos);
    if (!infos) return no_memory(call);
    stemr_pairs const out = {a[CALL_W].mine, a[Z].mine, a[Z].stride, a[ISUPPZ].mine, infos, a[RESIDUAL].mine};
    eig_status status = compute_range(call, first, last, &out);
    if (status == EIG_OK && infos[0] == EIG_INFO_NOT_FINITE) *info = EIG_INFO_NOT_FINITE;
    if (!a[INFO].mine) free(infos);
    if (status == EIG_OK && a[Z].mine && x->stats.inverse_iterations > 0 && call->run.count < call->run.total)
        status = compute_whole_clusters(call);
    if (status == EIG_OK && call->range == EIG_RANGE_VALUE) move_into_range(call);
    return status;
}

/* ------------------------------------------------------------- orthogonality */

/* 1 or -1 for vector number k, from 1. */
static double sign_of(int probe, int64_t k)
{
    uint64_t const x = (uint64_t)(k * PROBES + probe) * 0x9e3779b97f4a7c15U;
    return ((x ^ (x >> 31)) * 0xbf58476d1ce4e5b9U) >> 63 ? -1 : 1;
}

/* y = sum of signs times vectors, of this rank. */
static void add_vectors(const tridiagonal_call *call, int probe, double *y)
{
    const call_array *const z = &call->array[Z];
    for (int64_t i = 0; i < call->n; ++i) y[i] = 0;
    for (int64_t k = 0; z->mine && k < call->run.count; ++k) {
        double const sign = sign_of(probe, call->run.first + k);
        for (int64_t i = 0; i < call->n; ++i) y[i] += sign * number_at(call, z->mine, k * z->stride + i);
    }
}

/* The largest entry of Z'y less the signs. */
static double largest_entry(const tridiagonal_call *call, int probe, const double *y)
{
    const call_array *const z = &call->array[Z];
    double largest = 0;
    for (int64_t k = 0; z->mine && k < call->run.count; ++k) {
        double sum[4] = {0};
        for (int64_t i = 0; i < call->n; ++i) sum[i & 3] += number_at(call, z->mine, k * z->stride + i) * y[i];
        double const off = (sum[0] + sum[1]) + (sum[2] + sum[3]) - sign_of(probe, call->run.first + k);
        largest = fmax(largest, fabs(off));
    }
    return largest;
}

/* The certificate of one process, over all ranks.  With x of entries 1 and -1, an entry of (Z'Z - I) x is about as
 * large as the norm of its row of Z'Z - I. */
static eig_status estimate(tridiagonal_call *call)
{
    stemr_extras *const x = call->own;
    eig_mpi_context *const ctx = call->ctx;
    if (!call->orthogonality || !call->array[Z].wanted) return EIG_OK;
    double *const y = malloc((size_t)call->n * sizeof *y), largest = 0;
    eig_status status = eig_mpi_agree(ctx, y ? EIG_OK : no_memory(call), NULL);
    for (int probe = 0; probe < PROBES && status == EIG_OK; ++probe) {
        add_vectors(call, probe, y);
        status = eig_mpi_status(ctx, eig_wire_reduce(&ctx->wire, ctx->wire.comm, y, (int)call->n, MPI_DOUBLE, MPI_SUM));
        if (status == EIG_OK) largest = fmax(largest, largest_entry(call, probe, y));
    }
    free(y);
    if (status == EIG_OK)
        status = eig_mpi_status(ctx, eig_wire_reduce(&ctx->wire, ctx->wire.comm, &largest, 1, MPI_DOUBLE, MPI_MAX));
    x->orthogonality = largest;
    return status;
}

/* Without pairs it is 0, as one process says it. */
static void put_orthogonality(const tridiagonal_call *call, void *out)
{
    const stemr_extras *const x = call->own;
    type_put(call->type, out, 0, call->run.info == EIG_INFO_OK ? x->orthogonality : NAN);
}

eig_status eig_mpi_stemr(eig_mpi_context *ctx, eig_type type, const eig_mpi_options *where,
                         const eig_stemr_options *options, int64_t n, const void *d, const void *e, eig_mpi_run *run,
                         void *w, void *z, int64_t ldz, int64_t *isuppz, int *info, void *residual, void *orthogonality,
                         eig_stemr_stats *stats)
{
    USUAL_FLOAT_MODE;
    if (ctx) ctx->mode = mode_before;
    tridiagonal_call call = {.ctx = ctx, .family = "stemr", .type = type, .n = n, .d = d, .e = n > 1 ? e : NULL};
    stemr_extras extras = {.options = options, .stats = EIG_STEMR_STATS, .told = stats};
    call.own = &extras;
    call.check = check, call.compute = compute, call.finish = estimate;
    eig_stemr_options o;
    eig_mpi_read(options, &o, sizeof o);
    eig_mpi_set_range(&call, o.range, o.il, o.iu, o.vl, o.vu);
    call.method = (int)o.method, call.depth = o.most_depth;
    call.orthogonality = orthogonality != NULL;
    eig_mpi_set_array(&call, CALL_W, "w", w, call_number(&call), 1, 1);
    eig_mpi_set_array(&call, Z, "z", z, call_number(&call), n, ldz);
    eig_mpi_set_array(&call, ISUPPZ, "isuppz", z ? isuppz : NULL, MPI_INT64_T, 2, 2);
    eig_mpi_set_array(&call, INFO, "info", info, MPI_INT, 1, 1);
    eig_mpi_set_array(&call, RESIDUAL, "residual", z ? residual : NULL, call_number(&call), 1, 1);
    eig_status const status = eig_mpi_solve(&call, where, run);
    if (status != EIG_OK) return status;
    if (stats) eig_mpi_write(stats, &extras.stats, sizeof extras.stats);
    if (orthogonality && (z || call.array[Z].wanted)) put_orthogonality(&call, orthogonality);
    return EIG_OK;
}

/* The typed public functions. */
#define STEMR(letter, real, type)                                                                                   \
    eig_status eig_mpi_##letter##stemr(eig_mpi_context *ctx, const eig_mpi_options *where,                          \
                                       const eig_stemr_options *options, int64_t n, const real *d, const real *e,   \
                                       eig_mpi_run *run, real *w, real *z, int64_t ldz, int64_t *isuppz, int *info, \
                                       real *residual, real *orthogonality, eig_stemr_stats *stats)                 \
    {                                                                                                               \
        return eig_mpi_stemr(ctx, type, where, options, n, d, e, run, w, z, ldz, isuppz, info, residual,            \
                             orthogonality, stats);                                                                 \
    }
STEMR(s, float, EIG_S)
STEMR(d, double, EIG_D)
