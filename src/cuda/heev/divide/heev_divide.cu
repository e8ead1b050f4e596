/* heev on CUDA: eigenpairs of batches of tridiagonal matrices by divide and conquer, level by level over the batch.
 *
 * Launches  one for the leaves, then one (without vectors) or two a level: 1 + 2 ceil(log2(n / 32)).
 * Memory    with vectors n^2 + 5 n numbers and 2 n integers a matrix beside z; without, 2 n numbers. */
#include "heev/divide/heev_divide.cuh"

size_t eig_cuda_heev_divide_merge_bytes(const heev_tridiagonals *t, int64_t m)
{
    size_t const rows = (size_t)(m + 7) / 8 * 8;
    size_t const row = t->single ? merge_space<float>::row_bytes : merge_space<double>::row_bytes;
    return rows * (row + (t->vectors ? 0 : 4 * (t->single ? sizeof(float) : sizeof(double))));
}

/* The largest merges whose arrays fit the shared memory of every device from sm_75 on; the arrays of others lie in
 * the workspace. */
static const size_t MOST_SHARED = 60 << 10;

/* Makes the job; with base NULL it only measures.  Returns what it takes. */
static size_t layout(const heev_tridiagonals *t, void *base, divide_job *job)
{
    size_t const real = t->single ? sizeof(float) : sizeof(double), merge = eig_cuda_heev_divide_merge_bytes(t, t->n);
    int64_t const all = t->count * t->n;
    arena a = {(char *)base, 0};
    *job = divide_job{};
    job->t = *t;
    while (divide_rows(t->n, job->levels) > DIVIDE_LEAF) ++job->levels;
    if (!t->vectors) {
        job->first = arena_take(&a, all, real), job->last = arena_take(&a, all, real);
    } else {
        job->to = arena_take(&a, all * t->n, real);
        job->pole = arena_take(&a, all, real), job->z = arena_take(&a, all, real);
        job->start = arena_take(&a, all, real), job->offset = arena_take(&a, all, real);
        job->norm = arena_take(&a, all, real);
        job->source = (int *)arena_take(&a, all, sizeof(int)), job->place = (int *)arena_take(&a, all, sizeof(int));
        job->counts =
            (divide_counts *)arena_take(&a, t->count << (job->levels > 0 ? job->levels - 1 : 0), sizeof *job->counts);
    }
    if (merge > MOST_SHARED) job->room = (char *)arena_take(&a, t->count, 2 * merge);
    return arena_rounded(a.used);
}

size_t eig_cuda_heev_divide_bytes(const heev_tridiagonals *t)
{
    divide_job job;
    return layout(t, NULL, &job);
}

#define LAUNCH(pass) (t.single ? eig_cuda_heev_divide_##pass##_s : eig_cuda_heev_divide_##pass##_d)

eig_status eig_cuda_heev_divide(eig_context *ctx, const heev_tridiagonals &t, cudaStream_t stream)
{
    divide_job job;
    layout(&t, t.work, &job);
    void *other = job.to;
    char *const room = job.room;
    job.to = t.z; /* the last level writes z: every second of the leaves and the levels does */
    if (job.levels % 2) job.to = other, other = t.z;
    job.from = other;
    eig_status status = LAUNCH(leaf)(ctx, job, stream);
    for (job.level = job.levels - 1; job.level >= 0 && status == EIG_OK; --job.level) {
        size_t const bytes = eig_cuda_heev_divide_merge_bytes(&t, divide_rows(t.n, job.level));
        job.room = bytes > MOST_SHARED ? room : NULL, job.room_bytes = bytes;
        job.from = job.to, job.to = other, other = job.from;
        status = LAUNCH(merge)(ctx, job, stream);
        if (status == EIG_OK && t.vectors) status = LAUNCH(update)(ctx, job, stream);
    }
    return status;
}
