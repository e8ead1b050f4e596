/* heev on CUDA, one matrix or few, tridiagonal: eigenpairs of T by the kernels of stemr, values alone by those of
 * stebz; of a range its pairs alone.
 *
 * Many   of more matrices of low order divide and conquer makes the pairs, of all at once (divide/).
 * Waits  for the stream, some times a matrix, because stemr's host reads counters, as does a range by value.  Values
 *        alone wait for nothing.  While the stream is captured divide and conquer does all, of orders for which there
 *        is room.
 * Scale  T's norm is about 1; a T that came from numbers that are not finite is zero, and its unit NaN. */
#include "heev/whole/heev_whole.cuh"
#include "host_arrays.cuh"

enum { PAIRS_THREADS = 256 };

/* ----------------------------------------------------------------- workspace */

static stemr_problem stemr_problem_of(const heev_job &job)
{
    stemr_problem p = {};
    p.type = type_is_single(job.p.type) ? EIG_S : EIG_D, p.n = job.p.n, p.vectors = true;
    p.range = job.p.range, p.il = job.p.il, p.iu = job.p.iu;
    p.most_depth = 6;
    p.certify = job.p.certify;
    p.ldz = job.z_pitch, p.info = job.pair_info, p.m = job.found;
    return p;
}

static stebz_problem stebz_problem_of(const heev_job &job, int64_t count)
{
    stebz_problem p = {};
    p.type = type_is_single(job.p.type) ? EIG_S : EIG_D, p.n = job.p.n, p.batch = count;
    p.batched = eig_cuda_heev_are_many(&job.p);
    p.range = EIG_RANGE_ALL, p.il = 1, p.iu = job.p.n;
    p.d = job.d, p.e = job.e, p.w = job.values;
    p.stride_d = p.stride_e = p.stride_w = job.p.n;
    return p;
}

static bool may_divide(const heev_job &job)
{
    return job.p.n <= HEEV_MOST_CAPTURED && job.p.range == EIG_RANGE_ALL && job.z_pitch == job.p.n;
}

size_t eig_cuda_heev_whole_pairs_bytes(const eig_context *ctx, const heev_job &job, const heev_tridiagonals &t)
{
    if (!job.p.vectors) {
        stebz_problem const p = stebz_problem_of(job, t.count);
        return eig_cuda_stebz_work_size(ctx, &p);
    }
    stemr_problem const p = stemr_problem_of(job);
    size_t const stemr = eig_cuda_stemr_work_size(ctx, &p),
                 divide = may_divide(job) ? eig_cuda_heev_divide_bytes(&t) : 0;
    return stemr > divide ? stemr : divide;
}

/* --------------------------------------------------------------------- range */

/* The ends of a range by value in the units of T; false where A is not finite: then it has no pairs. */
static eig_status scale_range(eig_context *ctx, const heev_job &job, cudaStream_t stream, double *vl, double *vu,
                              bool *some)
{
    double unit = 0;
    float single = 0;
    bool const narrow = type_is_single(job.p.type);
    eig_status const status = narrow ? eig_cuda_read(ctx, &single, job.unit, sizeof single, stream)
                                     : eig_cuda_read(ctx, &unit, job.unit, sizeof unit, stream);
    if (narrow) unit = (double)single;
    *some = unit == unit;
    *vl = job.p.by_value.vl / unit, *vu = job.p.by_value.vu / unit; /* a power of two */
    return status;
}

/* How many pairs a range by value has. */
static eig_status count_range(eig_context *ctx, heev_job *job, cudaStream_t stream)
{
    return eig_cuda_read(ctx, &job->columns, job->found, sizeof job->columns, stream);
}

/* --------------------------------------------------------------------- pairs */

/* The values become d; failed tells how many pairs stemr gave up.  A block a matrix, of which stemr does one at a
 * time. */
template <typename real>
static __global__ void __launch_bounds__(PAIRS_THREADS) heev_take_pairs_kernel(heev_job job, int64_t at)
{
    int64_t const n = job.p.n, m = at + blockIdx.x;
    int bad = 0;
    for (int64_t first = 0; first < job.columns; first += PAIRS_THREADS) {
        int64_t const k = first + threadIdx.x;
        if (k < job.columns) ((real *)job.d)[m * n + k] = ((const real *)job.values)[m * n + k];
        bad += __syncthreads_count(k < job.columns && job.p.vectors && job.pair_info[k] != 0);
    }
    if (threadIdx.x == 0) job.failed[m] = bad;
}

static eig_status take_pairs(eig_context *ctx, const heev_job &job, int64_t at, int64_t count, cudaStream_t stream)
{
    bool const single = type_is_single(job.p.type);
    return cuda_launch(ctx, "heev: take_pairs_kernel", stream, {count, PAIRS_THREADS},
                       single ? heev_take_pairs_kernel<float> : heev_take_pairs_kernel<double>, job, at);
}

/* Pairs of matrix m. */
static eig_status find_pairs(eig_context *ctx, const heev_job &job, int64_t m, double vl, double vu,
                             cudaStream_t stream)
{
    stemr_problem p = stemr_problem_of(job);
    size_t const real = heev_real_size(&job.p), rows = (size_t)(m * job.p.n) * real;
    p.moves = p.range == EIG_RANGE_VALUE;
    if (p.moves) p.by_value = range_of_values(p.type, vl, vu);
    p.d = (const char *)job.d + rows, p.e = (const char *)job.e + rows, p.w = (char *)job.values + rows;
    p.z = (char *)job.z + (size_t)(m * job.z_pitch * job.columns) * real;
    return eig_cuda_stemr_enqueue(ctx, &p, job.pairs, stream);
}

static eig_status divide(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    if (may_divide(job)) return eig_cuda_heev_divide(ctx, eig_cuda_heev_tridiagonals(job), stream);
    return eig_fail(ctx, EIG_BAD_ARGUMENT,
                    "heev: n = %lld%s waits for its stream, which cannot be captured (all pairs up to n = %d can)",
                    (long long)job.p.n, job.p.range == EIG_RANGE_ALL ? "" : " with a range", (int)HEEV_MOST_CAPTURED);
}

/* Values alone, of all matrices. */
static eig_status find_values(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    stebz_problem const p = stebz_problem_of(job, job.count);
    eig_status const status = eig_cuda_stebz_enqueue(ctx, &p, job.pairs, stream);
    return status == EIG_OK ? take_pairs(ctx, job, 0, job.count, stream) : status;
}

eig_status eig_cuda_heev_whole_pairs(eig_context *ctx, heev_job *job, cudaStream_t stream)
{
    if (!job->p.vectors) return find_values(ctx, *job, stream);
    cudaStreamCaptureStatus capture;
    CUDA_TRY(cudaStreamIsCapturing(stream, &capture));
    if (capture != cudaStreamCaptureStatusNone || (may_divide(*job) && eig_cuda_heev_divides(&job->p)))
        return divide(ctx, *job, stream);
    bool const by_value = job->p.range == EIG_RANGE_VALUE;
    bool some = true;
    double vl = 0, vu = 0;
    eig_status status = by_value ? scale_range(ctx, *job, stream, &vl, &vu, &some) : EIG_OK;
    if (!some) job->columns = 0;
    for (int64_t m = 0; m < (some ? job->count : 0) && status == EIG_OK; ++m) {
        status = find_pairs(ctx, *job, m, vl, vu, stream);
        if (by_value && status == EIG_OK) status = count_range(ctx, job, stream);
        if (status == EIG_OK) status = take_pairs(ctx, *job, m, 1, stream);
    }
    return some || status != EIG_OK ? status : take_pairs(ctx, *job, 0, job->count, stream);
}
