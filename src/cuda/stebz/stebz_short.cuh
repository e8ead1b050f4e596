/* The short blocks of a T that splits (stebz_split.cu): a thread an eigenvalue, in double, the block's rows in global memory. */
#ifndef EIG_STEBZ_SHORT_CUH
#define EIG_STEBZ_SHORT_CUH

#include "stebz_multisection.cuh"
#include "stebz_prepare.cuh"

static __device__ __forceinline__ int64_t end_of_block(const stebz_job &job, int64_t block, int64_t blocks)
{
    return block + 1 < blocks ? job.room.starts[block + 1] : job.t.n;
}

enum { STRIDE = 8 }; /* rows that are loaded ahead, and after which values are brought back into range */

/* The scaled rows of T, (a, b), b = 0 where a block begins, in place of what the preparation made of them. */
template <typename real> static __device__ void make_pairs(const stebz_job &job, const stebz_facts &f)
{
    stebz_scaling const by = stebz_scaling_of(f.scale);
    int64_t const step = (int64_t)gridDim.x * STEBZ_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * STEBZ_THREADS + threadIdx.x; i < job.t.n; i += step) {
        double2 row = stebz_entry((const real *)job.d, (const real *)job.e, i, by);
        if (stebz_negligible<real>(f, row.y)) row.y = 0;
        ((double2 *)job.t.rows)[i] = row;
    }
}

/* A count on its way down the rows of a short block. */
struct short_walk {
    double r0, r1; /* product form: the determinants of the last two rows */
    double q, p;   /* pivot form: the last pivot, and the product of all, up to a factor */
    int count, exponent;
};

/* One row.  Determinants change sign where a pivot is negative; one that is 0 takes part in one change, either way. */
template <bool pivots>
static __device__ __forceinline__ void walk_pair(short_walk &s, double2 row, double x, double unit)
{
    if (pivots) {
        s.q = sturm_pivot(row.x, row.y, x, s.q);
        s.p *= s.q * unit;
        s.count += s.q < 0;
    } else {
        double const next = fma(row.x - x, s.r1, -(row.y * row.y * s.r0));
        s.count += (sign_word(next) ^ sign_word(s.r1)) >> 31;
        s.r0 = s.r1;
        s.r1 = next;
    }
}

template <bool pivots> static __device__ __forceinline__ void walk_rescale(short_walk &s)
{
    int const field = pivots ? exponent_field(s.p) : max(exponent_field(s.r0), exponent_field(s.r1));
    int const e = field - exponent_bias<double>;
    double const factor = power_of_two<double>(-e);
    s.exponent += e;
    s.p *= factor;
    s.r0 *= factor;
    s.r1 *= factor;
}

/* Count of rows [first, last) at x, and their characteristic polynomial there, up to a factor.
 *
 * The product form here is the plain one, p_i = (a_i - x) p_{i-1} - b_i^2 p_{i-2} in double: five roundings a row, which
 * move a_i by at most 2 u (|a_i| + |x|) and b_i by 2 u |b_i|, u = eps/2: within STURM_ERROR_PRODUCT.  Over STRIDE rows no
 * value leaves the range of double, since |b| is above the floor. */
template <bool pivots>
static __device__ stebz_value count_rows(const double2 *rows, int64_t first, int64_t last, double x, double unit)
{
    short_walk s = {0, 1, 1, 1, 0, 0};
    int64_t i = first;
    for (; i + STRIDE <= last; i += STRIDE) {
        double2 row[STRIDE];
#pragma unroll
        for (int j = 0; j < STRIDE; ++j) row[j] = rows[i + j];
#pragma unroll
        for (int j = 0; j < STRIDE; ++j) walk_pair<pivots>(s, row[j], x, unit);
        walk_rescale<pivots>(s);
    }
    for (; i < last; ++i) walk_pair<pivots>(s, rows[i], x, unit);
    return stebz_value{s.count, pivots ? s.p : s.r1, (double)s.exponent};
}

/* Gerschgorin's interval of the block as a bracket of its eigenvalue k. */
static __device__ stebz_bracket bracket_of_block(const double2 *rows, const stebz_facts &f, int64_t first, int64_t last,
                                                 int64_t k)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t i = first; i < last; ++i) {
        double const centre = rows[i].x, radius = rows[i].y + (i + 1 < last ? rows[i + 1].y : 0);
        lo = fmin(lo, centre - radius);
        hi = fmax(hi, centre + radius);
    }
    double const margin = f.error + 4 * DBL_MIN;
    stebz_bracket s = {};
    s.a.x = floor((lo - margin) * f.per_grid) * f.grid;
    s.b.x = ceil((hi + margin) * f.per_grid) * f.grid;
    s.k = k;
    s.count_b = last - first;
    s.idle = BRACKET_PATIENCE; /* the polynomial is not known at the ends */
    return s;
}

/* Two rows: m -+ sqrt(h^2 + b^2), m and h half of the diagonal's sum and difference: 5 roundings of the norm at most,
 * less than f.error. */
static __device__ double eigenvalue_of_two(double a, double b, double c, int64_t k)
{
    double const half = 0.5 * (a - c), middle = 0.5 * (a + c), root = sqrt(half * half + b * b);
    return k == 1 ? middle - root : middle + root;
}

/* Takes the place of an eigenvalue outside the window. */
template <typename real> static __device__ void store_beyond(const stebz_job &job, int64_t at, bool above)
{
    real const value = above ? (real)INFINITY : -(real)INFINITY;
    ((real *)job.room.w)[at] = value;
    if (job.lower) ((real *)job.room.lower)[at] = value;
    if (job.upper) ((real *)job.room.upper)[at] = value;
}

/* Eigenvalue `at` - `first` + 1 of the block of rows [first, last), into place `at`. */
template <typename real, bool pivots>
static __device__ void solve_short(const stebz_job &job, const stebz_facts &f, int64_t first, int64_t last, int64_t at)
{
    const double2 *const rows = (const double2 *)job.t.rows;
    double lo, hi;
    if (last - first == 1) {
        lo = hi = rows[first].x;
    } else if (last - first == 2 && !f.fine) {
        lo = hi = eigenvalue_of_two(rows[first].x, rows[last - 1].y, rows[last - 1].x, at - first + 1);
    } else {
        stebz_bracket s = bracket_of_block(rows, f, first, last, at - first + 1);
        double const unit = 1 / (s.b.x - s.a.x), from = job.split->from, upto = job.split->upto;
        if (s.a.x < from && count_rows<pivots>(rows, first, last, from, unit).count >= s.k)
            return store_beyond<real>(job, at, false);
        if (upto < s.b.x && count_rows<pivots>(rows, first, last, upto, unit).count < s.k)
            return store_beyond<real>(job, at, true);
        while (!bracket_done(f, s, &lo, &hi)) {
            double const x = bracket_shift<double>(f, s);
            bracket_move(s, x, count_rows<pivots>(rows, first, last, x, unit));
        }
    }
    stebz_store(f, (real *)job.room.w, (real *)job.room.lower, (real *)job.room.upper, at, lo, hi);
}

template <typename real, bool pivots> static __device__ void solve_shorts(const stebz_job &job, const stebz_facts &f)
{
    int64_t const n = job.t.n, blocks = job.split->blocks, step = (int64_t)gridDim.x * STEBZ_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * STEBZ_THREADS + threadIdx.x; i < n; i += step) {
        int64_t lo = 0, hi = blocks; /* the block that holds row i: starts[lo] <= i < starts[hi] */
        while (hi - lo > 1) {
            int64_t const mid = lo + (hi - lo) / 2;
            if (job.room.starts[mid] <= i)
                lo = mid;
            else
                hi = mid;
        }
        int64_t const first = job.room.starts[lo], last = end_of_block(job, lo, blocks);
        if (last - first <= STEBZ_SHORT_ROWS) solve_short<real, pivots>(job, f, first, last, i);
    }
}

#endif
