/* Preparation of a matrix for counting: what one thread does.  The single and the batched form share it. */
#ifndef EIG_STEBZ_PREPARE_CUH
#define EIG_STEBZ_PREPARE_CUH

#include "stebz_count.cuh"

/* Reduced row sums below this may have lost digits. */
#define STEBZ_TINY 0x1p-900

/* Extremes of the row sums of reduced [0] and of magnified entries [1], so that one of them has neither overflowed nor
 * lost subnormal digits.  kinds: 1 leaves the second out. */
static __device__ __forceinline__ stebz_partial no_rows()
{
    return stebz_partial{{0, 0}, {INFINITY, INFINITY}, {-INFINITY, -INFINITY}, {0, 0}, INFINITY, 1};
}

/* fmax in three instructions: where x is no number, most. */
static __device__ __forceinline__ double larger(double most, double x)
{
    return x > most ? x : most;
}

/* A row with these entries is one of them. */
template <int kinds>
static __device__ __forceinline__ void measure_row(stebz_partial &p, double a, double before, double after)
{
    double const size = fabs(a), above = fabs(before), below = fabs(after);
    p.finite &= isfinite(a) && isfinite(before) && isfinite(after);
    if (a != 0 && size < p.least) p.least = size;
    if (after != 0 && below < p.least) p.least = below;
#pragma unroll
    for (int k = 0; k < kinds; ++k) {
        double const factor = k ? 0x1p200 : 0x1p-2;
        double const radius = factor * above + factor * below, centre = factor * a;
        p.norm[k] = larger(p.norm[k], fabs(centre) + radius);
        p.sway[k] = larger(p.sway[k], 1.5 * radius + factor * larger(above, below));
        p.lo[k] = -larger(-p.lo[k], radius - centre);
        p.hi[k] = larger(p.hi[k], centre + radius);
    }
}

template <typename real>
static __device__ stebz_partial measure_rows(const real *d, const real *e, int64_t n, int64_t first, int64_t step)
{
    stebz_partial p = no_rows();
    for (int64_t i = first; i < n; i += step) {
        double const a = d[i], before = i > 0 ? (double)e[i - 1] : 0, after = i < n - 1 ? (double)e[i] : 0;
        measure_row<2>(p, a, before, after);
    }
    return p;
}

enum { STEBZ_REDUCED = 256 };

/* Extremes as numbers of which each is the largest: 1 + 4 kinds. */
template <int kinds> struct stebz_extremes {
    enum { COUNT = 1 + 4 * kinds };
    double most[COUNT];

    __device__ __forceinline__ void take(const stebz_partial &p)
    {
        most[0] = -p.least;
#pragma unroll
        for (int k = 0; k < kinds; ++k)
            most[1 + 4 * k] = p.norm[k], most[2 + 4 * k] = -p.lo[k], most[3 + 4 * k] = p.hi[k],
                         most[4 + 4 * k] = p.sway[k];
    }
    __device__ __forceinline__ void give(stebz_partial &p) const
    {
        p.least = -most[0];
#pragma unroll
        for (int k = 0; k < kinds; ++k)
            p.norm[k] = most[1 + 4 * k], p.lo[k] = -most[2 + 4 * k], p.hi[k] = most[3 + 4 * k],
            p.sway[k] = most[4 + 4 * k];
    }
    /* Over 2 step neighbouring lanes.  All lanes of the warp. */
    __device__ __forceinline__ void reduce(int step)
    {
#pragma unroll 1
        for (; step > 0; step /= 2)
#pragma unroll
            for (int k = 0; k < COUNT; ++k) most[k] = larger(most[k], __shfl_xor_sync(0xffffffffu, most[k], step));
    }
};

/* The extremes over the threads of a block, which are no more than 512, in all threads. */
template <int kinds = 2, int threads = STEBZ_REDUCED>
static __device__ stebz_partial reduce_block(const stebz_partial &p)
{
    __shared__ stebz_extremes<kinds> shared[threads / 32];
    stebz_extremes<kinds> mine;
    mine.take(p);
    mine.reduce(16);
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = mine;
    stebz_partial all = {};
    all.finite = __syncthreads_and(p.finite); /* shared is complete */
    mine = shared[min((int)threadIdx.x % 16, threads / 32 - 1)];
    mine.reduce(8);
    mine.give(all);
    return all;
}

/* Small eigenvalues are wanted: T keeps the scale of counts by pivots, which keeps its small entries. */
static __device__ void rescale_facts(const stebz_job &job, stebz_facts *f)
{
    int const up = f->scale - f->pivot_scale;
    f->norm = scalbn(f->norm, up), f->error = scalbn(f->error, up);
    f->lo = scalbn(f->lo, up), f->hi = scalbn(f->hi, up);
    f->grid = scalbn(f->grid, up), f->per_grid = scalbn(f->per_grid, -up);
    f->abstol = scalbn(job.abstol, -f->pivot_scale);
    f->scale = f->pivot_scale;
}

/* Scale, interval and tolerances from the extremes of the row sums. */
template <typename real> static __device__ stebz_facts find_facts(const stebz_job &job, const stebz_partial &p)
{
    double const eps = sizeof(real) == 4 ? FLT_EPSILON : DBL_EPSILON;
    stebz_facts f = {};
    f.finite = p.finite;
    f.zero = p.norm[1] == 0;
    f.il = job.il;
    f.iu = job.iu;
    if (!f.finite || f.zero) return f;
    int const k = p.norm[0] < STEBZ_TINY;
    int exponent;
    f.norm = frexp(p.norm[k], &exponent);
    f.scale = exponent + (k ? -200 : 2);
    int least;
    frexp(p.least, &least);
    f.pivot_scale = sturm_pivot_scale(f.scale, least, STURM_PIVOT_MOST_D);
    f.loses = f.pivot_scale > 0 && least - f.pivot_scale < DBL_MIN_EXP;
    f.abstol = job.abstol > 0 ? scalbn(job.abstol, -f.scale) : eps * f.norm;
    f.reltol = job.reltol > 0 ? job.reltol : 2 * eps;
    f.fine = job.abstol > 0 && f.abstol < eps * f.norm;
    f.pivot = f.fine || job.pivots;
    f.error = (f.pivot ? STURM_ERROR_PIVOT * DBL_EPSILON : STURM_ERROR_PRODUCT * eps) * f.norm;
    /* Counts at shifts eps*sway apart do not fall (docs/maintainers/cuda/stebz.md); no leaf of bisection is larger than
     * the grid. */
    double const sway = 1.001 * eps * scalbn(p.sway[k], -exponent), leaf = fmax(f.abstol, f.reltol * f.norm);
    int grid;
    frexp(fmax(sway, fmin(0.501 * leaf, STEBZ_WIDEST_LEAF / 2)), &grid);
    f.grid = scalbn(1.0, grid), f.per_grid = scalbn(1.0, -grid);
    double const margin = 2 * STURM_ERROR_PRODUCT * eps * f.norm;
    f.lo = floor((scalbn(p.lo[k], -exponent) - margin) * f.per_grid) * f.grid;
    f.hi = ceil((scalbn(p.hi[k], -exponent) + margin) * f.per_grid) * f.grid;
    if (job.t.n == 1) {
        f.lo = f.hi = scalbn(p.lo[k], -exponent);
        f.error = 0;
    }
    if (f.fine) rescale_facts(job, &f);
    f.from = f.lo, f.upto = f.hi;
    return f;
}

/* One block of rows for the division-free count. */
template <typename real>
static __device__ void product_block(const double2 (&entries)[STURM_BLOCK], bool has_first, int from,
                                     pair_of<real> *rows, stebz_edge<real> *edge)
{
    real const floor = sizeof(real) == 4 ? (real)STURM_FLOOR_S : (real)STURM_FLOOR_D;
    real scale_2 = 1, scale_1 = 1, least = 1;
    stebz_edge<real> out = {};
#pragma unroll
    for (int j = 0; j < STURM_BLOCK; ++j) {
        if (j < from) continue;
        real const b = has_first && j == from ? (real)1 : fmax((real)entries[j].y, floor);
        pair_of<real> value;
        sturm_coefficients((real)entries[j].x, b, &scale_2, &scale_1, &value.x, &value.y);
        rows[j] = value;
        least = fmin(least, scale_1);
        if (j == STEBZ_LOOK - 1) out.e0 = exponent_field(scale_1) - 2 * exponent_bias<real>;
        if (j == STEBZ_LOOK) out.e1 = exponent_field(scale_1) - 2 * exponent_bias<real>;
    }
    out.s0 = scale_2;
    out.s1 = scale_1;
    if (sizeof(real) == 4 && !(least >= (real)STEBZ_LEAST_SCALE)) {
        out.e0 = STEBZ_PLAIN;
#pragma unroll
        for (int j = 0; j < STURM_BLOCK; ++j) {
            if (j < from) continue;
            real const b = fmax((real)entries[j].y, floor);
            rows[j].x = (real)entries[j].x;
            rows[j].y = b * b;
        }
    }
    *edge = out;
}

/* Whether a scaled off-diagonal may be set to 0: in the product form below the floor, to which it would be raised; in
 * the pivot form, which keeps relative accuracy, only where it is 0. */
template <typename real> static __device__ __forceinline__ bool stebz_negligible(const stebz_facts &f, double b)
{
    return fabs(b) <= (f.pivot ? 0.0 : sizeof(real) == 4 ? (double)STURM_FLOOR_S : STURM_FLOOR_D);
}

/* One block of rows of the padded matrix, from row `from` of them on: entry(j) is row j of them, scaled; `first`: T
 * begins with row `from`.  Pairs of the pivot form go to pivots, else those of the product form to rows and their edge.
 * Whether T splits before one of them. */
template <typename real, typename source>
static __device__ bool make_rows_of(const source &entry, int from, bool first, const stebz_facts &f, double2 *pivots,
                                    pair_of<real> *rows, stebz_edge<real> *edge)
{
    double2 entries[STURM_BLOCK];
#pragma unroll
    for (int j = 0; j < STURM_BLOCK; ++j) entries[j] = j < from ? make_double2(0, 0) : entry(j);
    if (f.pivot) {
#pragma unroll
        for (int j = 0; j < STURM_BLOCK; ++j)
            if (j >= from) pivots[j] = entries[j];
    } else {
        product_block<real>(entries, first, from, rows, edge);
    }
    bool splits = false;
#pragma unroll
    for (int j = 0; j < STURM_BLOCK; ++j)
        splits |= j >= from && !(first && j == from) && stebz_negligible<real>(f, entries[j].y);
    return splits;
}

/* Rows at..at+STURM_BLOCK-1 of the padded matrix, row being the first one's number in T, from `from` on.  Whether T
 * splits before one of them. */
template <typename real>
static __device__ bool make_block(const real *d, const real *e, int64_t row, int from, const stebz_facts &f,
                                  const stebz_rows &t, int64_t at)
{
    stebz_scaling const by = stebz_scaling_of(f.scale);
    return make_rows_of<real>([=](int j) { return stebz_entry(d, e, row + j, by); }, from, row + from == 0, f,
                              (double2 *)t.rows + at, (pair_of<real> *)t.rows + at,
                              (stebz_edge<real> *)t.edges + at / STURM_BLOCK);
}

enum { STEBZ_PIVOT_ROWS = 1024 };

/* Pivot count of every thread at its own x, directly from d and e divided by 2^scale, as x is.  All threads of the
 * block. */
template <typename real>
static __device__ int64_t count_directly(const stebz_job &job, const stebz_facts &f, int scale, double x)
{
    __shared__ double2 rows[STEBZ_PIVOT_ROWS];
    stebz_scaling const by = stebz_scaling_of(scale);
    double q = 1;
    int64_t count = 0;
    for (int64_t first = 0; first < job.t.n; first += STEBZ_PIVOT_ROWS) {
        int const here = (int)(job.t.n - first < STEBZ_PIVOT_ROWS ? job.t.n - first : STEBZ_PIVOT_ROWS);
        __syncthreads(); /* the rows of the last turn have been read */
        for (int j = threadIdx.x; j < here; j += blockDim.x)
            rows[j] = stebz_entry((const real *)job.d, (const real *)job.e, first + j, by);
        __syncthreads(); /* the rows are there */
        for (int j = 0; j < here; ++j) {
            q = sturm_pivot(rows[j].x, rows[j].y, x, q);
            count += q < 0;
        }
    }
    return count;
}

/* Eigenvalues below x among the rows that stand alone, as the caller gave them, less those below x_scaled by their
 * scaled entries: what a count by pivots lacks where the scaling has cost digits of T or of x. */
template <typename real>
static __device__ int64_t count_lost(const stebz_job &job, const stebz_facts &f, double x, double x_scaled)
{
    bool const loses = f.loses || (x != 0 && fabs(x_scaled) <= DBL_MIN);
    if (f.pivot_scale <= 0 || !loses) return 0;
    const real *const d = (const real *)job.d, *const e = (const real *)job.e;
    stebz_scaling const by = stebz_scaling_of(f.pivot_scale);
    int64_t count = 0;
    for (int64_t i = 0; i < job.t.n; ++i) {
        bool const coupled = (i > 0 && e[i - 1] != 0) || (i + 1 < job.t.n && e[i] != 0);
        if (!coupled) count += ((double)d[i] < x) - (stebz_entry(d, e, i, by).x < x_scaled);
    }
    return count;
}

/* Eigenvalues below x, as the caller gave it.  All threads of the block. */
template <typename real> static __device__ int64_t count_below(const stebz_job &job, const stebz_facts &f, double x)
{
    double const x_scaled = scalbn(x, -f.pivot_scale);
    return count_directly<real>(job, f, f.pivot_scale, x_scaled) + count_lost<real>(job, f, x, x_scaled);
}

/* The same by one thread. */
template <typename real> static __device__ int64_t count_alone(const stebz_job &job, const stebz_facts &f, double x)
{
    double const x_scaled = scalbn(x, -f.pivot_scale);
    stebz_scaling const by = stebz_scaling_of(f.pivot_scale);
    double q = 1;
    int64_t count = count_lost<real>(job, f, x, x_scaled);
    for (int64_t i = 0; i < job.t.n; ++i) {
        double2 const row = stebz_entry((const real *)job.d, (const real *)job.e, i, by);
        q = sturm_pivot(row.x, row.y, x_scaled, q);
        count += q < 0;
    }
    return count;
}

#endif
