/* stemr on CUDA: from the caller's T to T~, and to brackets and classes of its eigenvalues.
 *
 *   engine           the method multisection of stebz finds the cell of STEMR_CELL that holds an eigenvalue of T, the
 *                    same for any range (stebz_bracket.cuh)
 *   class_kernel     distances of neighbours; singles and clusters
 *
 * Subsets   some eigenvalues beside those that are asked for are looked at, so that a cluster that is cut is worked out
 *           whole; where these do not suffice, counts->cut says so. */
#include "stemr_cuda.cuh"

enum { THREADS = 128 };

/* Cells and classes leave this much room for errors of counts and the perturbation of T~. */
#define MARGIN 0x1p-50

/* A T of floats in double. */
static __global__ void widen_kernel(stemr_task t)
{
    int64_t const i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < t.n) t.a[i] = (double)((const float *)t.p.d)[i];
    if (i < t.n - 1) t.e[i] = (double)((const float *)t.p.e)[i];
}

/* T~, and the scaled T. */
static __global__ void make_kernel(stemr_task t)
{
    stebz_facts const f = *t.job.facts;
    int64_t const i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= t.n || !f.finite || f.zero) return;
    stebz_scaling const by = stebz_scaling_of(f.scale);
    double const a = ((const double *)t.job.d)[i] * by.first * by.second;
    double const e = i < t.n - 1 ? ((const double *)t.job.e)[i] * by.first * by.second : 0;
    t.a[i] = a, t.e[i] = e;
    bool const split = fabs(e) <= STEMR_SPLIT;
    stemr_entry row;
    row.a = wide_add_d(stemr_wide(a), stemr_wide(t.limits.noise * mrrr_noise((uint64_t)i)));
    row.b = split ? 0 : e;
    row.square = fmax(fabs(e), STURM_FLOOR_D) * fmax(fabs(e), STURM_FLOOR_D);
    t.entry[i] = row;
    if (split) atomicAdd((unsigned long long *)&t.counts->stats.blocks, 1ull);
}

/* Copies the scale, and sets what the engine shall look for, in scaled numbers. */
static __global__ void open_kernel(stemr_task t, bool again)
{
    stebz_facts *const f = t.job.facts;
    if (!again) {
        t.counts->scale = f->scale, t.counts->finite = f->finite, t.counts->zero = f->zero;
        t.counts->stats.representations = t.counts->stats.blocks;
        f->scale = 0;
        f->abstol = STEMR_CELL;
    }
    f->il = t.first, f->iu = t.first + t.pairs - 1;
    f->from = f->lo, f->upto = f->hi;
    t.counts->cut = t.counts->fresh = 0;
    t.counts->columns = t.p.iu - t.p.il + 1;
    t.counts->first_column = t.p.il - t.first;
}

static __device__ double lower_end(const stemr_task &t, int64_t k)
{
    return t.w[k] - 0.5 * STEMR_CELL - MARGIN;
}

static __device__ double upper_end(const stemr_task &t, int64_t k)
{
    return t.w[k] + 0.5 * STEMR_CELL + MARGIN;
}

/* Distance of pairs k and k+1; infinite at the ends of the spectrum, 0 where the neighbour is not known. */
static __device__ double gap_after(const stemr_task &t, int64_t k)
{
    if (k < 0) return t.first == 1 ? INFINITY : 0;
    if (k >= t.pairs - 1) return t.first + t.pairs - 1 == t.n ? INFINITY : 0;
    return lower_end(t, k + 1) - upper_end(t, k);
}

/* Whether pair k is asked for. */
static __device__ bool asked_for(const stemr_task &t, int64_t k)
{
    return t.p.il <= t.first + k && t.first + k <= t.p.iu;
}

/* Whether pair k, or one of its cluster, is asked for. */
static __device__ bool needed(const stemr_task &t, int64_t k)
{
    if (asked_for(t, k)) return true;
    for (int64_t j = k; j > 0 && gap_after(t, j - 1) < STEMR_GAP_ROOT; --j)
        if (asked_for(t, j - 1)) return true;
    for (int64_t j = k; j + 1 < t.pairs && gap_after(t, j) < STEMR_GAP_ROOT; ++j)
        if (asked_for(t, j + 1)) return true;
    return false;
}

static __global__ void class_kernel(stemr_task t)
{
    stebz_facts const f = *t.job.facts;
    int64_t const k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= t.pairs || !f.finite || f.zero) return;
    double const left = gap_after(t, k - 1), right = gap_after(t, k);
    bool const wanted = needed(t, k);
    stemr_eigenpair pair = {};
    pair.index = t.first + k;
    pair.lo = stemr_wide(lower_end(t, k)), pair.hi = stemr_wide(upper_end(t, k));
    pair.x = stemr_middle(pair.lo, pair.hi);
    pair.gap = fmin(fmin(left, right), 2.0);
    pair.before = INFINITY;
    pair.node = pair.twist = -1;
    bool const single = pair.gap >= STEMR_GAP_ROOT;
    pair.state = !wanted ? STEMR_SKIPPED : single ? STEMR_SINGLE : STEMR_FRESH;
    pair.column = asked_for(t, k) ? pair.index - t.p.il : -1;
    t.pair[k] = pair;
    bool const beyond = (k == 0 && t.first > 1) || (k == t.pairs - 1 && t.first + k < t.n);
    if (beyond && wanted) t.counts->cut = 1;
    if (pair.state == STEMR_FRESH) atomicAdd(&t.counts->fresh, 1);
}

/* --------------------------------------------------------------- launchers */

static cuda_shape shape_of(int64_t items, int threads)
{
    return cuda_shape{(items + threads - 1) / threads, threads};
}

/* The facts of T, T~, and with a range by value its indices, in t->job.facts. */
eig_status eig_cuda_stemr_load(eig_context *ctx, stemr_task *t, cudaStream_t stream)
{
    eig_status status = EIG_OK;
    if (t->p.type == EIG_S) {
        status = cuda_launch(ctx, "stemr: widen_kernel", stream, shape_of(t->n, THREADS), widen_kernel, *t);
        t->job.d = t->a, t->job.e = t->e;
    }
    if (status == EIG_OK) status = eig_cuda_stebz_prepare(ctx, EIG_D, &t->job, stream);
    t->job.range = EIG_RANGE_INDEX;
    if (status == EIG_OK)
        status = cuda_launch(ctx, "stemr: make_kernel", stream, shape_of(t->n, THREADS), make_kernel, *t);
    return status;
}

/* Brackets and classes of eigenvalues t->first to t->first + t->pairs - 1. */
eig_status eig_cuda_stemr_root(eig_context *ctx, stemr_task *t, bool again, cudaStream_t stream)
{
    stebz_problem engine = {};
    engine.n = t->n, engine.type = EIG_D, engine.range = EIG_RANGE_INDEX;
    t->job.il = engine.il = t->first, t->job.iu = engine.iu = t->first + t->pairs - 1;
    t->job.table.points = eig_cuda_stebz_table_points(&engine);
    t->job.last = t->pairs;
    eig_status status = cuda_launch(ctx, "stemr: open_kernel", stream, {1, 1}, open_kernel, *t, again);
    if (t->n == 1) return status;
    if (t->p.method == EIG_STEMR_REFERENCE) return status == EIG_OK ? eig_cuda_stemr_plain(ctx, t, stream) : status;
    stebz_job job = t->job;
    if (status == EIG_OK) status = eig_cuda_stebz_window(ctx, EIG_D, &job, stream);
    if (status == EIG_OK) status = eig_cuda_stebz_table(ctx, EIG_D, &job, stream);
    if (status == EIG_OK) status = eig_cuda_stebz_refine(ctx, EIG_D, &job, stream);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "stemr: class_kernel", stream, shape_of(t->pairs, THREADS), class_kernel, *t);
    return status;
}
