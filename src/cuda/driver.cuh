/* The driver of all families: sides -> workspace -> slices -> clock. */
#ifndef EIG_CUDA_DRIVER_CUH
#define EIG_CUDA_DRIVER_CUH

#include "host_arrays.cuh"

extern "C" {

/* Computes a call: finds the side of its arrays, and goes on with the second function. */
eig_status eig_cuda_run(eig_context *ctx, cuda_call *call);
eig_status eig_cuda_run_on(eig_context *ctx, const cuda_call *call, bool on_device);
}

/* What the driver knows of a family whose problems are solved in slices.  A job has cuda_slice as its base. */
template <typename problem, typename job> struct cuda_family {
    using road_of = cuda_road<problem, job>;
    const char *name;
    const road_of *(*road)(const eig_context *ctx, const problem *p);
    int64_t (*most_bytes)(const problem *p); /* cuda_slice.bytes, of all slices that are under way at a time */
    /* What the job needs beside its bytes, and its arrays; with base NULL it only measures.  Returns what they take. */
    size_t (*layout)(const eig_context *ctx, const problem *p, void *base, job *j);
    eig_status (*enqueue)(eig_context *ctx, const job &j, cudaStream_t stream, cuda_clock *clock); /* a slice */
    size_t (*work_size)(const eig_context *ctx, const problem *p);
    void (*list)(const problem *p, const road_of *road, cuda_call *call); /* arrays, passes, and what else a call has */
    /* The problem that a chunk holds: its arrays are dense device arrays. */
    problem (*of_chunk)(const problem *p, const cuda_chunk *chunk);
    /* On so many streams slices take turns: the call's own, and a second one of the context, which begins after what
     * the call's stream has been given and which the call's stream waits for at the end.  The last blocks of a slice
     * leave multiprocessors idle; the next slice fills them. */
    int streams;
};

enum { CUDA_MOST_STREAMS = 2 };

/* Makes a job for each stream that is used: one where all matrices are one slice.  Returns their workspace. */
template <typename problem, typename job>
static size_t cuda_layout(const cuda_family<problem, job> &family, const eig_context *ctx, const problem *p, void *base,
                          job *jobs, int *streams)
{
    auto const lay_out = [&](int64_t bytes, void *from, job *j) {
        *j = job{};
        j->bytes = bytes;
        return family.layout(ctx, p, from, j);
    };
    int64_t const bytes = family.most_bytes(p);
    size_t const whole = lay_out(bytes, base, jobs);
    *streams = 1;
    if (family.streams == 1 || jobs->count == p->batch) return whole;
    size_t each = 0;
    for (*streams = 0; *streams < family.streams; ++*streams)
        each = lay_out(bytes / family.streams, base ? (char *)base + *streams * each : NULL, &jobs[*streams]);
    return family.streams * each;
}

template <typename problem, typename job>
static size_t cuda_work_size(const cuda_family<problem, job> &family, const eig_context *ctx, const problem *p)
{
    job jobs[CUDA_MOST_STREAMS];
    int streams;
    return cuda_layout(family, ctx, p, NULL, jobs, &streams);
}

/* Enqueues all slices of a problem on device arrays.  Where times are measured, they take no turns. */
template <typename problem, typename job>
static eig_status cuda_solve(const cuda_family<problem, job> &family, eig_context *ctx, const problem *p,
                             const cuda_chunk *chunk)
{
    const cuda_state *const state = cuda_state_of(ctx);
    job jobs[CUDA_MOST_STREAMS];
    int streams, at = 0;
    cuda_layout(family, ctx, p, chunk->work, jobs, &streams);
    bool const forks = streams > 1 && !ctx->timing;
    int64_t const most = jobs->count;
    eig_status status = forks ? cuda_order_streams(ctx, chunk->stream, state->side, state->forked) : EIG_OK;
    for (int64_t first = 0; first < p->batch && status == EIG_OK; first += most, at = (at + 1) % streams) {
        job j = jobs[at];
        j.first = first, j.count = p->batch - first < most ? p->batch - first : most;
        j.reports = chunk->whole && ctx->progress;
        j.done = (double)first / (double)p->batch, j.share = (double)j.count / (double)p->batch;
        if (first > 0) status = eig_cuda_read_clock(ctx, chunk->clock);
        if (status == EIG_OK) status = eig_cuda_start_clock(ctx, chunk->clock, chunk->stream);
        if (status == EIG_OK)
            status = family.enqueue(ctx, j, forks && at > 0 ? state->side : chunk->stream, chunk->clock);
    }
    /* Whatever happened, the side stream joins again: a capture could not end without it. */
    eig_status const joined = forks ? cuda_order_streams(ctx, state->side, chunk->stream, state->joined) : EIG_OK;
    return status == EIG_OK ? joined : status;
}

/* ------------------------------------------------------------------- the call */

template <const auto &family> using cuda_problem_of = decltype(family.of_chunk(NULL, NULL));

template <const auto &family>
static size_t cuda_chunk_work_size(const eig_context *ctx, const void *problem, int64_t count)
{
    auto q = *(const cuda_problem_of<family> *)problem;
    q.batch = count;
    return family.work_size(ctx, &q);
}

template <const auto &family>
static eig_status cuda_solve_chunk(eig_context *ctx, const void *problem, const cuda_chunk *chunk)
{
    auto *const p = (const cuda_problem_of<family> *)problem;
    if (chunk->on_device) return cuda_solve(family, ctx, p, chunk);
    auto const q = family.of_chunk(p, chunk);
    return cuda_solve(family, ctx, &q, chunk);
}

template <const auto &family> static const char *cuda_tell_call(const eig_context *ctx, const void *problem)
{
    auto *const p = (const cuda_problem_of<family> *)problem;
    return cuda_told(family.road(ctx, p), ctx, p);
}

/* The call of a problem, which has to stay until it is computed. */
template <const auto &family, typename problem> static cuda_call cuda_call_of(const eig_context *ctx, const problem *p)
{
    cuda_call call = {
        family.name, p, p->batch, 0, cuda_chunk_work_size<family>, cuda_solve_chunk<family>, cuda_tell_call<family>,
        {}};
    family.list(p, family.road(ctx, p), &call);
    return call;
}

template <const auto &family, typename problem> static eig_status cuda_drive(eig_context *ctx, const problem *p)
{
    cuda_scope const scope(ctx);
    cuda_call call = cuda_call_of<family>(ctx, p);
    return eig_cuda_run(ctx, &call);
}

#endif
