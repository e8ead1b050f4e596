/* A call, once for all families: the side of its arrays, its workspace, its times; driver.cuh has its slices. */
#include "driver.cuh"

eig_status eig_cuda_run(eig_context *ctx, cuda_call *call)
{
    bool on_device = false;
    eig_status const status = eig_cuda_find_side(ctx, call, &on_device);
    return status == EIG_OK ? eig_cuda_run_on(ctx, call, on_device) : status;
}

/* Begins to count repairs, on the device. */
static eig_status clear_repairs(eig_context *ctx, cudaStream_t stream)
{
    unsigned long long *const repairs = cuda_state_of(ctx)->repairs;
    CUDA_TRY(cudaMemsetAsync(repairs, 0, 2 * sizeof *repairs, stream));
    return EIG_OK;
}

static eig_status run_host(eig_context *ctx, const cuda_call *call)
{
    if (call->counts) {
        eig_status const cleared = clear_repairs(ctx, NULL);
        if (cleared != EIG_OK) return cleared;
        CUDA_TRY(cudaStreamSynchronize(NULL));
    }
    eig_status status = eig_cuda_run_host(ctx, call);
    if (status == EIG_OK && call->counts) status = eig_cuda_read_repairs(ctx);
    if (status != EIG_OK || !call->counts || !call->repairs) return status;
    __atomic_fetch_add(&call->repairs->matrices, ctx->repairs.matrices, __ATOMIC_RELAXED);
    __atomic_fetch_add(&call->repairs->vectors, ctx->repairs.vectors, __ATOMIC_RELAXED);
    return EIG_OK;
}

static eig_status run_device(eig_context *ctx, const cuda_call *call)
{
    cuda_state *const state = cuda_state_of(ctx);
    cuda_clock clock;
    cuda_chunk all = {};
    all.count = call->batch, all.on_device = true, all.stream = state->stream, all.clock = &clock;
    size_t const need = call->work_size(ctx, call->problem, call->batch);
    eig_status status = eig_cuda_workspace(ctx, call->family, need, &all.work);
    if (status == EIG_OK && call->waits && state->captured)
        return eig_fail(ctx, EIG_BAD_ARGUMENT, "%s: waits for counters of its stream, which cannot be captured",
                        call->family);
    if (status == EIG_OK && call->counts) status = clear_repairs(ctx, state->stream);
    if (status != EIG_OK) return status;
    ctx->repairs_there = call->counts;
    if (state->captured) ctx->road = call->told(ctx, call->problem);
    status = eig_cuda_end_call(ctx, call->solve(ctx, call->problem, &all));
    return status == EIG_OK ? eig_cuda_read_clock(ctx, &clock) : status;
}

eig_status eig_cuda_run_on(eig_context *ctx, const cuda_call *call, bool on_device)
{
    cuda_state_of(ctx)->captured = false;
    eig_begin_passes(ctx, call->told(ctx, call->problem), call->passes.count, call->passes.name);
    return on_device ? run_device(ctx, call) : run_host(ctx, call);
}

eig_status eig_cuda_read_repairs(eig_context *ctx)
{
    cuda_scope const scope(ctx);
    const cuda_state *const state = cuda_state_of(ctx);
    unsigned long long found[2];
    CUDA_TRY(cudaStreamSynchronize(state->stream));
    CUDA_TRY(cudaMemcpy(found, state->repairs, sizeof found, cudaMemcpyDeviceToHost));
    ctx->repairs = call_repairs{(int64_t)found[0], (int64_t)found[1]};
    ctx->repairs_there = false;
    return EIG_OK;
}
