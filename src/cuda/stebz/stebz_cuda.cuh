/* stebz on CUDA: what its files share.
 *
 *   stebz_prepare.cu       finite check, norm, scale, coefficients; ranges by value
 *   stebz_count.cuh        the counting loops, and the stream of rows through shared memory
 *   stebz_split.cu         a T that splits: its blocks by themselves, then sorted
 *   stebz_multisection.cu  table of shifts, then independent brackets
 *   stebz_whole.cu         one matrix of up to 2048 rows in one launch; stebz_whole.cuh: T in shared memory
 *   stebz_small.cu         many small matrices: a lane for each, then a lane for each eigenvalue
 *   stebz_batched.cu       a block or a warp for each matrix of a batch; stebz_resident.cuh: how both count
 *   stebz_tree.cu          the report's interval tree
 *   stebz_reference.cu     the plain version: every eigenvalue bisected by itself
 *   stebz_roads.cu         the table of roads: which kernels a call takes
 *   stebz_cuda.cu          what the driver (driver.cuh) has to know: matrices, the arrays of a call; counts */
#ifndef EIG_STEBZ_CUDA_CUH
#define EIG_STEBZ_CUDA_CUH

#include "bracket.h"
#include "host_arrays.cuh"
#include "primitives/real.cuh"
#include "sturm.h"

/* Where a block of STURM_BLOCK rows ends: the scales of its last two rows, by which r becomes p, and the exponents of
 * the scales of rows STEBZ_LOOK-1 and STEBZ_LOOK.  The power of two that keeps p in range is taken from those rows, six
 * before the block ends, so that it is ready when the last row is. */
enum { STEBZ_LOOK = 9, STEBZ_PLAIN = -100000 };

/* In float a block's scales must not fall below this.  A pair p enters a block between 2^-98 (six rows of decay after
 * the look) and 2^8, and grows by at most 2.42 a row of the scaled matrix: r = p/s stays below 2^(8+21+90). */
#define STEBZ_LEAST_SCALE 0x1p-90f

template <typename real> struct alignas(16) stebz_edge {
    real s0, s1;
    int e0, e1; /* e0 = STEBZ_PLAIN: the block's scales would leave float's range; its rows hold (a, b*b) instead */
};

/* One matrix as the kernels read it.  Rows are padded in front to whole blocks, so that the last block is full; the
 * padding is skipped.  In device memory. */
struct stebz_rows {
    int64_t n, blocks;
    void *rows; /* [blocks * STURM_BLOCK] pairs, (alpha, gamma) of the division-free count or (a, b) of the pivot count;
                    room for pairs of double */
    void *edges; /* [blocks] */
};

/* Facts about one matrix, made by the preparation and read by every later kernel.  Numbers are in units of the scaled
 * matrix: original = scaled * 2^scale. */
struct stebz_facts {
    int finite, zero, scale;
    int pivot, fine;       /* counts are by pivots; small eigenvalues are wanted to more than eps*||T|| */
    double norm, lo, hi;   /* largest absolute row sum; an interval that holds all eigenvalues strictly */
    double from, upto;     /* what the table covers: that interval, or a part of it with the eigenvalues wanted */
    int from_at, upto_at;  /* the points of the first table that these are, if there was one */
    double abstol, reltol; /* in effect */
    double error;          /* a computed count is exact for a matrix at most this far from T */
    double grid, per_grid; /* counts at multiples of this power of two are monotone (stebz_bracket.cuh); 1/grid */
    int pivot_scale,
        loses; /* counts at given shifts: instead of scale; whether some entries are subnormal then, or 0 */
    long long il, iu;
    unsigned finished;        /* thread blocks that are done in the current launch */
    unsigned long long next;  /* brackets that have been begun: the queue of refine_brackets */
    unsigned long long since; /* when the launch began, in nanoseconds, and how many */
    unsigned long long left;  /* points or begun brackets it left; both 0 before a launch that may leave some */
};

/* What one thread block of the measuring kernel found; [1] with entries magnified, for matrices of tiny norm. */
struct stebz_partial {
    double norm[2], lo[2], hi[2];
    double sway[2]; /* largest 1.5 (|b| + |b'|) + max(|b|, |b'|) of a row's off-diagonals */
    double least;   /* smallest entry that is not 0, as the caller gave it */
    int finite;
};

enum { STEBZ_MEASURE_BLOCKS = 256, STEBZ_SMALL_ROWS = 64 };

#define STEBZ_WIDEST_LEAF 0x1p-10 /* of bisection, in the scaled T, whatever the tolerance */

/* Counts at points 0..points-1 over [facts.from, facts.upto], ends included: where eigenvalues are, by the counts of a
 * first table, or equally spaced. */
struct stebz_table {
    int64_t points;
    int64_t *first; /* [STEBZ_FIRST_POINTS] at points equally spaced over [facts.lo, facts.hi]; NULL: there are none */
    int64_t *count;
    double *mantissa, *exponent; /* the characteristic polynomial: mantissa 2^exponent */
    const double *x;             /* the points themselves; NULL: they are even, or follow from `first` */
};

/* The blocks of a T that splits: what the threads of the launches that solve them share.  All 0 before the first. */
struct stebz_split {
    int any;                 /* an off-diagonal is negligible; the preparation says so */
    int solved;              /* T was solved by its blocks: nothing is left to do */
    unsigned barrier;        /* of the grid */
    int longs;               /* blocks of more than STEBZ_SHORT_ROWS rows */
    unsigned long long cost; /* sum of the blocks' squares */
    long long blocks;        /* how many there are */
    long long next_long;     /* the long block with which the next launch goes on */
    int stage;               /* of that block: STEBZ_ROWS, ... */
    int late;                /* the launch has to end */
    int unfinished;
    double from, upto; /* eigenvalues outside are not wanted */
};

enum { STEBZ_STAGE_ROWS, STEBZ_STAGE_TABLE, STEBZ_STAGE_BRACKETS };

enum { STEBZ_SPLIT_FROM = 2049, STEBZ_SHORT_ROWS = 1024, STEBZ_SPLIT_GRID = 2048 };

/* Room for the blocks, in device memory. */
struct stebz_split_room {
    int64_t *starts;         /* [n] first rows of the blocks */
    int64_t *longs;          /* [n / STEBZ_SHORT_ROWS + 1] numbers of the long blocks */
    int64_t *counts;         /* [STEBZ_SPLIT_GRID] blocks found by each thread block */
    void *w, *lower, *upper; /* [n] in the order of the blocks; the last two only where enclosures are wanted */
    void *scratch;           /* [n] */
};

/* What a launch that has to end early leaves to the next one, of the same shape. */
struct stebz_rest {
    int64_t limit_ns; /* how long a launch may take; 0: it does all */
    bool resume;      /* the launch goes on with what the last one left */
    int64_t *first;   /* [thread blocks] of the table: the next point of each */
    void *lanes;      /* [threads] of the brackets: stebz_lane */
};

enum { STEBZ_LANE_BYTES = 128, STEBZ_FIRST_POINTS = 16384, STEBZ_WHOLE_POINTS = 8192 };

/* Everything of one matrix's computation; passed to kernels by value. */
struct stebz_job {
    const void *d, *e;
    void *w, *lower, *upper;
    int64_t *m;
    int *info;
    eig_range range;
    int64_t il, iu;
    value_range by_value;
    double abstol, reltol;
    bool pivots; /* count by pivots whatever the tolerance */
    stebz_rows t;
    stebz_facts *facts;
    stebz_partial *partials;
    stebz_table table;
    int64_t last;       /* no more than so many eigenvalues are wanted */
    stebz_split *split; /* NULL: T is not looked at for blocks */
    stebz_split_room room;
    stebz_rest rest;
};

/* A slice of a problem: one matrix, or all where the road takes them so. */
struct stebz_call : cuda_slice {
    const stebz_problem *p;
    stebz_job job; /* of the first matrix */
    void *tree;    /* room for the interval tree */
};

typedef cuda_road<stebz_problem, stebz_call> stebz_road;

extern "C" {

const stebz_road *eig_cuda_stebz_road(const eig_context *ctx, const stebz_problem *p);
const stebz_road *eig_cuda_stebz_roads(int *count);

/* stebz_cuda.cu: room for the rows of a matrix, which every road of one matrix needs, and for the table of
 * multisection. */
void eig_cuda_stebz_carve_rows(arena *a, int64_t n, stebz_job *job);
void eig_cuda_stebz_carve_table(arena *a, const stebz_problem *p, stebz_table *table);

/* Scale, coefficients and facts of the job's matrix; for a range by value also the indices.  Like all that follow, it
 * enqueues on the stream and does not wait. */
eig_status eig_cuda_stebz_prepare(eig_context *ctx, eig_type type, const stebz_job *job, cudaStream_t stream);

/* Eigenvalues of a range by value into it, and enclosures around them; after all else. */
eig_status eig_cuda_stebz_move(eig_context *ctx, eig_type type, const stebz_job *job, cudaStream_t stream);

/* Counts by pivots at the shifts of the problem, after the preparation. */
eig_status eig_cuda_stebz_shifts(eig_context *ctx, const stebz_count_problem *p, const stebz_job *job,
                                 cudaStream_t stream);

/* The same where counts may be rough: in the product form. */
eig_status eig_cuda_stebz_rough(eig_context *ctx, const stebz_count_problem *p, const stebz_job *job,
                                cudaStream_t stream);

/* Method multisection, after the preparation: what the table has to cover; its points; when all of them are counted,
 * the brackets. */
int64_t eig_cuda_stebz_table_points(const stebz_problem *p);
int64_t eig_cuda_stebz_most_lanes(const eig_context *ctx); /* of a launch that may end early */
eig_status eig_cuda_stebz_window(eig_context *ctx, eig_type type, stebz_job *job, cudaStream_t stream);
eig_status eig_cuda_stebz_table(eig_context *ctx, eig_type type, const stebz_job *job, cudaStream_t stream);
eig_status eig_cuda_stebz_refine(eig_context *ctx, eig_type type, const stebz_job *job, cudaStream_t stream);

/* Solves T by its blocks where it splits and that is cheaper; after the preparation, before the table.  With a limit it
 * is called again (job->rest.resume) while split->unfinished is set. */
eig_status eig_cuda_stebz_split(eig_context *ctx, eig_type type, const stebz_job *job, cudaStream_t stream);

/* Method interval tree, after the preparation; marks the clock after step 1 and after the one-intervals. */
size_t eig_cuda_stebz_tree_bytes(int64_t n);
eig_status eig_cuda_stebz_tree(eig_context *ctx, eig_type type, const stebz_job *job, void *work, cudaStream_t stream,
                               cuda_clock *clock);

/* Method reference, after the preparation. */
eig_status eig_cuda_stebz_bisect(eig_context *ctx, eig_type type, const stebz_job *job, cudaStream_t stream);

/* One matrix in one launch, without the preparation; whether the call's is short enough and no range by value. */
bool eig_cuda_stebz_whole_serves(const eig_context *ctx, const stebz_problem *p);
eig_status eig_cuda_stebz_whole(eig_context *ctx, eig_type type, const stebz_job *job, cudaStream_t stream);

/* Many matrices of up to STEBZ_SMALL_ROWS rows. */
eig_status eig_cuda_stebz_small(eig_context *ctx, const stebz_problem *p, cudaStream_t stream);

/* Batches whose matrices fit in shared memory. */
bool eig_cuda_stebz_batch_fits(const eig_context *ctx, const stebz_problem *p);
eig_status eig_cuda_stebz_batch(eig_context *ctx, const stebz_problem *p, cudaStream_t stream);
}

#ifdef __CUDACC__

/* Multiplies by 2^-scale, |scale| <= 1100, in two steps, since the power itself may not be representable. */
struct stebz_scaling {
    double first, second;
};

static __device__ __forceinline__ stebz_scaling stebz_scaling_of(int scale)
{
    int const half = scale / 2;
    return stebz_scaling{__hiloint2double((1023 - half) << 20, 0), __hiloint2double((1023 - (scale - half)) << 20, 0)};
}

/* A row of T, scaled: its diagonal, and the size of the off-diagonal before it. */
static __device__ __forceinline__ double2 stebz_scaled(double a, double before, stebz_scaling by)
{
    return make_double2(a * by.first * by.second, fabs(before * by.first * by.second));
}

/* Scaled entries of T: a_i, and |b_i| between rows i-1 and i (row 0 has none and gets 0). */
template <typename real>
static __device__ __forceinline__ double2 stebz_entry(const real *d, const real *e, int64_t i, stebz_scaling by)
{
    return stebz_scaled((double)d[i], i > 0 ? (double)e[i - 1] : 0.0, by);
}

/* The point of the grid that is nearest to x.  A zero is +0: counts at +0 and at -0 may differ. */
static __device__ __forceinline__ double stebz_nearest(const stebz_facts &f, double x)
{
    return (rint(x * f.per_grid) + 0.0) * f.grid;
}

/* x on the grid, from lo to hi, which may be no points of it (T has one row). */
static __device__ __forceinline__ double stebz_on_grid(const stebz_facts &f, double x, double lo, double hi)
{
    return fmin(fmax(stebz_nearest(f, x), lo), hi);
}

/* Point j of so many that are equally spaced over [lo, hi]. */
static __device__ __forceinline__ double stebz_even_point(const stebz_facts &f, double lo, double hi, int64_t points,
                                                          int64_t j)
{
    double const x = lo + (hi - lo) * ((double)j / (double)(points - 1));
    return j == points - 1 ? hi : stebz_on_grid(f, x, lo, hi);
}

/* Point j of the table.  Where there is a first table, neighbouring points have equal numbers of eigenvalues between
 * them, as far as its counts tell. */
static __device__ __forceinline__ double stebz_table_point(const stebz_facts &f, const stebz_table &t, int64_t j)
{
    if (t.x) return t.x[j];
    if (!t.first || j == 0 || j == t.points - 1) return stebz_even_point(f, f.from, f.upto, t.points, j);
    int lo = f.from_at, hi = f.upto_at;
    double const all = (double)(t.first[hi] - t.first[lo]);
    double const rank = (double)t.first[lo] + all * ((double)j / (double)(t.points - 1));
    while (hi - lo > 1) {
        int const mid = (lo + hi) / 2;
        if ((double)t.first[mid] <= rank)
            lo = mid;
        else
            hi = mid;
    }
    double const from = stebz_even_point(f, f.lo, f.hi, STEBZ_FIRST_POINTS, lo);
    double const upto = stebz_even_point(f, f.lo, f.hi, STEBZ_FIRST_POINTS, hi);
    double const below = (double)t.first[lo], inside = fmax((double)t.first[hi] - below, 1.0);
    return stebz_on_grid(f, from + (upto - from) * fmin((rank - below) / inside, 1.0), from, upto);
}

/* How wide a final bracket may be. */
static __device__ __forceinline__ double stebz_width(const stebz_facts &f, double lo, double hi)
{
    return fmax(f.abstol, f.reltol * fmax(fabs(lo), fabs(hi)));
}

static __device__ __forceinline__ bool stebz_narrow_enough(const stebz_facts &f, double lo, double hi)
{
    return hi - lo <= stebz_width(f, lo, hi);
}

/* Middle of a bracket of pivot counts. */
static __device__ __forceinline__ double stebz_middle(const stebz_facts &f, double lo, double hi)
{
    return f.fine ? bracket_fine_middle(lo, hi, fmax(f.abstol, DBL_MIN)) : lo + 0.5 * (hi - lo);
}

/* Rounds y*2^scale to the output's precision, down or up where it is not representable. */
template <typename real> static __device__ __forceinline__ real stebz_original(double y, int scale, int direction)
{
    double const value = scalbn(y, scale);
    double const exact = scalbn(value, -scale); /* differs from y only where value is subnormal */
    real rounded = (real)value;
    if (direction < 0 && ((double)rounded > value || exact > y)) rounded = nextafter(rounded, (real)-INFINITY);
    if (direction > 0 && ((double)rounded < value || exact < y)) rounded = nextafter(rounded, (real)INFINITY);
    return rounded;
}

/* The middle of a bracket that overflows: where the bracket does not, the largest number. */
template <typename real>
static __device__ __noinline__ real stebz_largest(const stebz_facts &f, real middle, double lo, double hi)
{
    real const inner = stebz_original<real>(middle > 0 ? lo : hi, f.scale, 0);
    real const largest = sizeof(real) == 4 ? (real)FLT_MAX : (real)DBL_MAX;
    return isinf(inner) ? middle : copysign(largest, middle);
}

/* Writes eigenvalue number at (from 0) of the job from its final bracket. */
template <typename real>
static __device__ __forceinline__ void stebz_store(const stebz_facts &f, real *w, real *lower, real *upper, int64_t at,
                                                   double lo, double hi)
{
    real mid = stebz_original<real>(lo + 0.5 * (hi - lo), f.scale, 0);
    if (isinf(mid)) mid = stebz_largest<real>(f, mid, lo, hi);
    w[at] = mid;
    if (lower) lower[at] = stebz_original<real>(__dsub_rd(lo, f.error), f.scale, -1);
    if (upper) upper[at] = stebz_original<real>(__dadd_ru(hi, f.error), f.scale, 1);
}

/* Writes the number of eigenvalues and the info of a matrix; by one thread. */
static __device__ __forceinline__ void stebz_store_facts(const stebz_job &job, const stebz_facts &f, int64_t wanted)
{
    if (job.m) *job.m = f.finite ? wanted : 0;
    if (job.info) *job.info = f.finite ? EIG_INFO_OK : EIG_INFO_NOT_FINITE;
}

/* Result number at of a matrix that is zero or not finite.  A zero's enclosure has room for a sign. */
template <typename real>
static __device__ __forceinline__ void stebz_store_trivial(const stebz_facts &f, real *w, real *lower, real *upper,
                                                           int64_t at)
{
    real const value = f.finite ? 0 : (real)NAN, least = sizeof(real) == 4 ? (real)FLT_MIN : (real)DBL_MIN;
    w[at] = value;
    if (lower) lower[at] = value - least;
    if (upper) upper[at] = value + least;
}

#endif
#endif
