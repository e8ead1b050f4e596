/* stemr on CUDA: from the caller's T to T~, and to brackets and classes of its eigenvalues.
 *
 *   engine           the method multisection of stebz brackets eigenvalues of T to 2^-50
 *   settle_kernel    which cell of 2^-51 holds an eigenvalue, decided by counts at edges of a lattice: the same for any
 *                    range, which the engine's brackets are not
 *   class_kernel     distances of neighbours; singles and clusters
 *
 * Subsets   some eigenvalues beside those that are asked for are looked at, so that a cluster that is cut is worked out
 *           whole; where these do not suffice, counts->cut says so. */
#include "stemr_walk.cuh"

enum { THREADS = 128, COUNT_THREADS = 32, COUNT_STEP = 8, SPARE_LANES = 8192 };

/* The lattice on which an eigenvalue is looked for first: the engine knows it better. */
#define COARSE 0x1p-48

/* Cells and classes leave this much room for errors of counts and the perturbation of T~. */
#define MARGIN 0x1p-50

/* What values may be wrong by, as far as the choice of a subset goes; those of floats are rounded to floats. */
#define VALUE_MARGIN 0x1p-45
#define VALUE_MARGIN_SINGLE 0x1p-22

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
    row.a = wide_add_d(stemr_wide(a), stemr_wide(STEMR_PERTURBATION * stemr_noise((uint64_t)i)));
    row.b = split ? 0 : e;
    row.square = fmax(fabs(e), STURM_FLOOR_D) * fmax(fabs(e), STURM_FLOOR_D);
    t.entry[i] = row;
    if (split) atomicAdd((unsigned long long *)&t.counts->stats.blocks, 1ull);
}

/* Hands the scale over, and tells the engine what it shall look for, in scaled numbers. */
static __global__ void open_kernel(stemr_task t, bool again)
{
    stebz_facts *const f = t.job.facts;
    if (!again) {
        t.counts->scale = f->scale, t.counts->finite = f->finite, t.counts->zero = f->zero;
        t.counts->stats.representations = t.counts->stats.blocks;
        f->scale = 0;
        f->abstol = 0x1p-50;
    }
    f->il = t.first, f->iu = t.first + t.pairs - 1;
    t.counts->cut = t.counts->fresh = 0;
    t.counts->columns = t.p.range == EIG_RANGE_VALUE ? 0 : t.p.iu - t.p.il + 1;
    t.counts->first_column = t.p.range == EIG_RANGE_VALUE ? INT64_MAX : t.p.il - t.first;
}

/* A count on its way: leading minors, up to a factor. */
struct minor_walk {
    double before, here, square;
    int count;

    __device__ __forceinline__ void step(double2 row, double x)
    {
        double const next = fma(row.x - x, here, -(square * before));
        count += (unsigned)(__double2hiint(next) ^ __double2hiint(here)) >> 31;
        before = here, here = next, square = row.y;
    }
    __device__ __forceinline__ void rescale()
    {
        int const e = max(__double2hiint(before) & 0x7fffffff, __double2hiint(here) & 0x7fffffff) >> 20;
        double const factor = __hiloint2double((2046 - e) << 20, 0);
        before *= factor, here *= factor;
    }
};

static __device__ __forceinline__ double2 minor_row(const stemr_entry &row)
{
    return make_double2(row.a.hi, row.square);
}

/* Eigenvalues below x, by signs of leading minors; off-diagonals have a floor, so that no two neighbours vanish. */
static __device__ int count_below(const stemr_entry *entry, int n, double x)
{
    minor_walk s = {0, 1, 0, 0};
    double2 next[COUNT_STEP];
#pragma unroll
    for (int k = 0; k < COUNT_STEP; ++k) next[k] = minor_row(entry[k < n ? k : 0]);
    int i = 0;
    for (; i + COUNT_STEP <= n; i += COUNT_STEP) {
        double2 row[COUNT_STEP];
#pragma unroll
        for (int k = 0; k < COUNT_STEP; ++k) {
            int const ahead = i + COUNT_STEP + k;
            row[k] = next[k];
            next[k] = minor_row(entry[ahead < n ? ahead : 0]);
        }
#pragma unroll
        for (int k = 0; k < COUNT_STEP; ++k) s.step(row[k], x);
        s.rescale();
    }
    for (; i < n; ++i) s.step(minor_row(entry[i]), x);
    return s.count;
}

/* The lower end of each eigenvalue's cell takes the place of the engine's value: a count at the nearest edge of a coarse
 * lattice, then 3 bits by the points inside.  Eight lanes have one each; where n is large, one lane halves three times. */
static __global__ void __launch_bounds__(COUNT_THREADS) settle_kernel(stemr_task t, int lanes)
{
    stebz_facts const f = *t.job.facts;
    if (!f.finite || f.zero) return;
    int const n = (int)t.n, rank = threadIdx.x % lanes, group = COUNT_THREADS / lanes;
    int const base = threadIdx.x - rank;
    for (int64_t first = (int64_t)blockIdx.x * group; first < t.pairs; first += (int64_t)gridDim.x * group) {
        int64_t const k = first + threadIdx.x / lanes, pair = k < t.pairs ? k : first;
        int64_t const index = t.first + pair;
        double const edge = rint(t.w[pair] * (1 / COARSE)) * COARSE;
        double lo = count_below(t.entry, n, edge) >= index ? edge - COARSE : edge;
        if (lanes == 1) {
            for (double step = COARSE / 2; step >= STEMR_CELL; step /= 2)
                if (count_below(t.entry, n, lo + step) < index) lo += step;
        } else {
            bool const beyond = rank > 0 && count_below(t.entry, n, lo + rank * STEMR_CELL) < index;
            unsigned const mask = __ballot_sync(0xffffffffu, beyond) >> base & 0xff;
            lo += (31 - __clz(mask | 1)) * STEMR_CELL; /* the last point below the eigenvalue */
        }
        __syncwarp();
        if (k < t.pairs && rank == 0) t.w[k] = lo;
    }
}

static __device__ double lower_end(const stemr_task &t, int64_t k)
{
    return t.w[k] - MARGIN;
}

static __device__ double upper_end(const stemr_task &t, int64_t k)
{
    return t.w[k] + STEMR_CELL + MARGIN;
}

/* Distance of pairs k and k+1; infinite at the ends of the spectrum, 0 where the neighbour is not known. */
static __device__ double gap_after(const stemr_task &t, int64_t k)
{
    if (k < 0) return t.first == 1 ? INFINITY : 0;
    if (k >= t.pairs - 1) return t.first + t.pairs - 1 == t.n ? INFINITY : 0;
    return lower_end(t, k + 1) - upper_end(t, k);
}

/* Whether pair k is asked for, or may be. */
static __device__ bool asked_for(const stemr_task &t, int64_t k)
{
    if (t.p.range != EIG_RANGE_VALUE) return t.p.il <= t.first + k && t.first + k <= t.p.iu;
    double const margin = t.p.type == EIG_S ? VALUE_MARGIN_SINGLE : VALUE_MARGIN;
    double const from = scalbn(t.p.vl, -t.counts->scale) - margin, upto = scalbn(t.p.vu, -t.counts->scale) + margin;
    return upper_end(t, k) >= from && lower_end(t, k) <= upto;
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
    stemr_pair pair = {};
    pair.index = t.first + k;
    pair.lo = stemr_wide(lower_end(t, k)), pair.hi = stemr_wide(upper_end(t, k));
    pair.x = stemr_middle(pair.lo, pair.hi);
    pair.gap = fmin(fmin(left, right), 2.0);
    pair.before = INFINITY;
    pair.node = -1;
    bool const single = pair.gap >= STEMR_GAP_ROOT;
    pair.state = !wanted ? STEMR_SKIPPED : single ? STEMR_SINGLE : STEMR_FRESH;
    pair.column = wanted && asked_for(t, k) ? pair.index - (t.p.range == EIG_RANGE_VALUE ? t.first : t.p.il) : -1;
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

/* The facts of T, T~, and with a range by value what may be wanted, in t->job.facts. */
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
    t->job.first = 0, t->job.last = t->pairs;
    eig_status status = cuda_launch(ctx, "stemr: open_kernel", stream, {1, 1}, open_kernel, *t, again);
    if (t->n == 1) return status;
    if (status == EIG_OK) status = eig_cuda_stebz_table(ctx, EIG_D, &t->job, 0, t->job.table.points, stream);
    if (status == EIG_OK) status = eig_cuda_stebz_refine(ctx, EIG_D, &t->job, stream);
    int const lanes = t->n <= SPARE_LANES ? 8 : 1;
    cuda_shape const counts = shape_of(t->pairs * lanes, COUNT_THREADS);
    if (status == EIG_OK) status = cuda_launch(ctx, "stemr: settle_kernel", stream, counts, settle_kernel, *t, lanes);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "stemr: class_kernel", stream, shape_of(t->pairs, THREADS), class_kernel, *t);
    return status;
}
