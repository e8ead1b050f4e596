/* The calls of the table `operations` (calls.h): for the tests of what all calls have in common. */
#ifndef EIG_TEST_OPERATIONS_H
#define EIG_TEST_OPERATIONS_H

#include "functions.h"

/* Those of the device under test. */
static inline int operations_here(void)
{
    return test_on_cpu() ? ALL_OPERATIONS : OPERATIONS;
}

static inline bool operation_is(const operation *op, const char *function)
{
    return strcmp(function_of(op->name)->name, function) == 0;
}

static inline call_sizes operation_sizes(const operation *op)
{
    return (call_sizes){op->n, op->m, op->k ? op->k : op->n, op->batch};
}

/* Makes the call in the type, or asks for its workspace where bytes is not NULL. */
static inline eig_status operate_in(eig_context *ctx, const operation *op, eig_type type, bool typed, outputs *o,
                                    size_t *bytes)
{
    const public_function *const f = function_of(op->name);
    call_sizes const s = operation_sizes(op);
    call_value v[MOST_ARGUMENTS];
    if (bytes) return f->work_size(ctx, type, op->options, s.n, s.m, wants_matrices(f, op->absent), s.batch, bytes);
    call_prepare(f, &s, op->absent, type, o, v);
    eig_status const status = f->call(ctx, type, typed, op->options, v);
    inputs_kept(op->name, o);
    inputs_free(o);
    return status;
}

/* The same in s or d, or the complex type of it where the operation is complex. */
static inline eig_status operate_once(eig_context *ctx, const operation *op, eig_type real, outputs *o, size_t *bytes)
{
    return operate_in(ctx, op, op->is_complex ? type_complex_of(real) : real, false, o, bytes);
}

/* Makes the call, which must succeed. */
static inline void operate_well(eig_context *ctx, const operation *op, eig_type type, outputs *o)
{
    outputs_clear(o);
    eig_status const status = operate_once(ctx, op, type, o, NULL);
    if (status != EIG_OK) fail_msg("%s %s: %s", op->name, type_name(type), eig_error_detail(ctx));
    padding_untouched(op->name, o);
}

static inline void same_outputs(const operation *op, const outputs *x, const outputs *y, const char *what)
{
    if (memcmp(x->block, y->block, BLOCK) != 0) fail_msg("%s: other bits %s", op->name, what);
}

#endif
