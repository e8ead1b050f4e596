/* eig_mpi_stebz: eigenvalues of one matrix on many ranks. */
#include "tridiagonal.h"

enum { LOWER = CALL_W + 1, UPPER };

static eig_status check(tridiagonal_call *call)
{
    size_t bytes;
    bool const enclosures = call->array[LOWER].given || call->array[UPPER].given;
    eig_status const status = eig_mpi_local_failure(
        call->ctx, eig_stebz_work_size(call->ctx->local, call->type, call->own, call->n, 1, &bytes));
    if (status != EIG_OK || !call_has_outputs(call) || !enclosures) return status;
    if (call->array[LOWER].given && call->array[UPPER].given) return EIG_OK;
    return eig_mpi_fail(call->ctx, EIG_BAD_ARGUMENT, "stebz: one of lower and upper is NULL; give both or none");
}

/* Eigenvalues of a range by value into it, and enclosures around them, as one process does it. */
static void move_into_range(const tridiagonal_call *call)
{
    const call_array *const a = call->array;
    for (int64_t k = 0; k < call->run.count; ++k) {
        double const w = range_moved(&call->by_value, type_get(call->type, a[CALL_W].mine, k));
        type_put(call->type, a[CALL_W].mine, k, w);
        if (!a[LOWER].mine) continue;
        if (w < type_get(call->type, a[LOWER].mine, k)) type_put(call->type, a[LOWER].mine, k, w);
        if (w > type_get(call->type, a[UPPER].mine, k)) type_put(call->type, a[UPPER].mine, k, w);
    }
}

static eig_status compute(tridiagonal_call *call, int *info)
{
    eig_stebz_options o;
    eig_mpi_read(call->own, &o, sizeof o);
    o.range = EIG_RANGE_INDEX;
    o.il = call->run.first, o.iu = call->run.first + call->run.count - 1;
    eig_status const status =
        eig_stebz(call->ctx->local, call->type, &o, call->n, call->d, call->e, NULL, call->array[CALL_W].mine,
                  call->array[LOWER].mine, call->array[UPPER].mine, info);
    if (status == EIG_OK && call->range == EIG_RANGE_VALUE) move_into_range(call);
    return eig_mpi_local_failure(call->ctx, status);
}

eig_status eig_mpi_stebz(eig_mpi_context *ctx, eig_type type, const eig_mpi_options *where,
                         const eig_stebz_options *options, int64_t n, const void *d, const void *e, eig_mpi_run *run,
                         void *w, void *lower, void *upper)
{
    USUAL_FLOAT_MODE;
    if (ctx) ctx->mode = mode_before;
    tridiagonal_call call = {.ctx = ctx, .family = "stebz", .type = type, .n = n, .d = d, .e = n > 1 ? e : NULL};
    call.own = (void *)options;
    call.check = check, call.compute = compute;
    eig_stebz_options o;
    eig_mpi_read(options, &o, sizeof o);
    eig_mpi_set_range(&call, o.range, o.il, o.iu, o.vl, o.vu);
    call.abstol = o.abstol, call.reltol = o.reltol, call.method = (int)o.method;
    eig_mpi_set_array(&call, CALL_W, "w", w, call_number(&call), 1, 1);
    eig_mpi_set_array(&call, LOWER, "lower", lower, call_number(&call), 1, 1);
    eig_mpi_set_array(&call, UPPER, "upper", upper, call_number(&call), 1, 1);
    return eig_mpi_solve(&call, where, run);
}

/* The typed public functions. */
#define STEBZ(letter, real, type)                                                                                 \
    eig_status eig_mpi_##letter##stebz(eig_mpi_context *ctx, const eig_mpi_options *where,                        \
                                       const eig_stebz_options *options, int64_t n, const real *d, const real *e, \
                                       eig_mpi_run *run, real *w, real *lower, real *upper)                       \
    {                                                                                                             \
        return eig_mpi_stebz(ctx, type, where, options, n, d, e, run, w, lower, upper);                           \
    }
STEBZ(s, float, EIG_S)
STEBZ(d, double, EIG_D)
