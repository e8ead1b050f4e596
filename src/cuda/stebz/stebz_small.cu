/* stebz on CUDA, many small matrices: a lane a matrix, then a lane an eigenvalue.
 *
 * Owner     a block of 128 threads has 32 matrices of up to 64 rows.  1. A lane of the first warp measures a matrix and
 *           makes QL sweeps on it, whose result is proposed as its eigenvalues.  2. A thread makes 16 rows of the
 *           product form.  3. A thread takes one eigenvalue after another: two counts decide where the proposal was
 *           good, else it searches outward.  Then the halves of the last cell.
 * Bits      those of a matrix by itself: the leaf at which bisection ends (stebz_bracket.cuh), whatever was proposed.
 * Memory    for each matrix: 16 bytes a padded row (8 in float), an edge every 16 rows, the facts; the sweeps use the
 *           place of the rows.  Proposals wait in w.
 * Cost      the sweeps' chain of operations: about 1.2 n^2 rows for one warp, whatever the batch is.
 *           So the road is for many matrices (stebz_roads.cu).
 * Source    the sweep: Pal, Walker and Kahan's form without square roots, as LAPACK's dsterf and as stebz_short.c. */
#include "primitives/fast.cuh"
#include "primitives/team.cuh"
#include "stebz_bracket.cuh"
#include "stebz_prepare.cuh"
#include "stebz_resident.cuh"

enum { LANES = 32, THREADS = 128, SWEEPS = 8 /* most for an eigenvalue, on average; two are the rule */ };

struct small_args {
    stebz_job job; /* pointers of matrix 0 */
    int64_t batch, stride_d, stride_e, stride_w;
    int *info;
};

/* Where the matrices of a thread block lie in its shared memory. */
struct small_layout {
    int rows_bytes, matrix_bytes; /* of one matrix: rows alone; rows and edges */
    int facts_at, bytes;
};

static __host__ __device__ small_layout small_layout_of(int n, int pair_bytes, int edge_bytes)
{
    int const blocks = (n + STURM_BLOCK - 1) / STURM_BLOCK;
    small_layout s;
    s.rows_bytes = blocks * STURM_BLOCK * pair_bytes;
    s.matrix_bytes = s.rows_bytes + blocks * edge_bytes;
    s.facts_at = LANES * s.matrix_bytes;
    s.bytes = s.facts_at + LANES * (int)sizeof(stebz_facts);
    return s;
}

/* ------------------------------------------------------------------ proposals */

/* Numbers of a lane's matrix: element i lies beside those of the other lanes. */
template <typename real> struct lane_array {
    real *first;
    __device__ __forceinline__ real &operator[](int i) const
    {
        return first[i * LANES];
    }
};

/* Not 0: so that the squares below have reciprocals.  What is this small beside a norm of 1/2 counts for nothing. */
static __device__ __forceinline__ double not_zero(double x)
{
    return upper_word(x) < upper_word(1e-100) ? 1e-100 : x;
}
static __device__ __forceinline__ float not_zero(float x)
{
    return upper_word(x) < upper_word(1e-15f) ? 1e-15f : x;
}

/* The shift of rows 0 and 1 of d, whose off-diagonal squared is e2 > 0. */
template <typename real> static __device__ __forceinline__ real small_shift(real d0, real d1, real e2)
{
    real const over_e = inverse_root(e2), slope = (real)0.5 * (d1 - d0) * over_e;
    real const square = fma(slope, slope, (real)1), root = square * inverse_root(square);
    return d0 - e2 * over_e * good_inverse(slope + copysign(root, slope));
}

/* x / y for a y that x did not wait for: the quotient's corrections are those of the reciprocal. */
struct small_quotient {
    double rough, rest;
    __device__ __forceinline__ explicit small_quotient(double y) : rough(rough_inverse(y))
    {
        double const off = fma(-y, rough, 1.0);
        rest = fma(off, off, off);
    }
    __device__ __forceinline__ double of(double x) const
    {
        double const about = x * rough;
        return fma(about, rest, about);
    }
};
struct small_quotient_s {
    float inverse;
    __device__ __forceinline__ explicit small_quotient_s(float y) : inverse(rough_inverse(y)) {}
    __device__ __forceinline__ float of(float x) const
    {
        return x * inverse;
    }
};
template <typename real> struct quotient_of {
    using type = small_quotient;
};
template <> struct quotient_of<float> {
    using type = small_quotient_s;
};

/* One sweep from row `from` of the lane, the warp's least being `least`; e2: squares of off-diagonals, e2[i] between
 * rows i and i+1.  With D = gamma^2 + c e2 the cosine squared is gamma^2 / D: one reciprocal is in the chain of a row,
 * and the rows that come next are loaded ahead.  A lane that has come to its last row computes on, and keeps nothing of
 * it: a branch would cost more than the row. */
template <typename real>
static __device__ __forceinline__ void small_sweep(lane_array<real> d, lane_array<real> e2, int n, int from, int least)
{
    bool const works = from < n - 1;
    int const top = works ? from : 0, end = works ? from : n;
    real const sigma = small_shift(d[top], d[top + 1], works ? e2[top] : (real)1);
    real gamma = not_zero(d[n - 1] - sigma), t = e2[n - 2], ratio = 0;
    real alpha = d[n - 2], above = e2[max(n - 3, 0)];
    real last_gamma = gamma, last_ratio = ratio;
    for (int i = n - 2; i >= least; --i) {
        real const next_alpha = d[max(i - 1, 0)], next_above = e2[max(i - 2, 0)];
        bool const runs = i >= end;
        real const square = gamma * gamma, sum = fma(gamma, gamma, t), old = gamma;
        typename quotient_of<real>::type const over(sum);
        if (runs && i < n - 2) e2[i + 1] = ratio * sum;
        gamma = not_zero(over.of(fma(square, alpha - sigma, -t * gamma)));
        ratio = t * good_inverse(square);
        t = over.of(square * above);
        if (runs) d[i + 1] = old + (alpha - gamma), last_gamma = gamma, last_ratio = ratio;
        alpha = next_alpha, above = next_above;
    }
    gamma = last_gamma, ratio = last_ratio;
    if (!works) return;
    e2[top] = ratio * gamma * gamma;
    d[top] = sigma + gamma;
}

/* Approximate eigenvalues of the lane's scaled matrix into d, in any order.  All lanes of the warp. */
template <typename real>
static __device__ void small_propose(lane_array<real> d, lane_array<real> e2, int n, bool works, double negligible)
{
    /* An off-diagonal e moves an eigenvalue by e^2 over its gap, of which the diagonal tells something. */
    real const least = (real)(negligible * negligible), share = (real)(0.1 * negligible);
    int from = works ? 0 : n;
    for (int sweep = 0; sweep < SWEEPS * n; ++sweep) {
        while (from < n - 1 && !(e2[from] > least + share * fabs(d[from + 1] - d[from]))) ++from;
        int const first = warp_min(from);
        if (first >= n - 1) break;
        small_sweep(d, e2, n, from, first);
    }
}

/* ------------------------------------------------------------------- brackets */

/* An eigenvalue on its way to its leaf: C(lo) < k <= C(hi). */
struct small_bracket {
    double lo, hi, x;
    double stride; /* of the search around the proposal; 0: it has ended */
    int k;
};

/* The first point is the lower end of the cell of the grid that the proposal lies in. */
static __device__ __forceinline__ small_bracket small_begin(const stebz_facts &f, int k, double proposed)
{
    double const x = floor(proposed * f.per_grid) * f.grid;
    return small_bracket{f.lo, f.hi, x, f.grid, k};
}

/* Whether the bracket is a leaf; else x is the next point. */
static __device__ __forceinline__ bool small_done(const stebz_facts &f, small_bracket &s)
{
    if (f.pivot) {
        s.x = stebz_middle(f, s.lo, s.hi);
        return stebz_narrow_enough(f, s.lo, s.hi) || !(s.lo < s.x && s.x < s.hi);
    }
    double const width = s.hi - s.lo, middle = s.lo + 0.5 * width;
    if (width <= f.grid) {
        s.x = middle;
        return stebz_narrow_enough(f, s.lo, s.hi);
    }
    /* The sum with 0 makes a zero +0: counts at +0 and at -0 may differ. */
    double const wish = s.stride > 0 ? s.x : rint(middle * f.per_grid) * f.grid;
    s.x = fmin(fmax(wish, s.lo + f.grid), s.hi - f.grid) + 0.0;
    return false;
}

/* The end that the count at x allows moves; while only ends on one side have, the next point lies further out. */
static __device__ __forceinline__ void small_move(const stebz_facts &f, small_bracket &s, int64_t count)
{
    bool const left = count >= s.k;
    if (left)
        s.hi = s.x;
    else
        s.lo = s.x;
    bool const searching = s.stride > 0 && (left ? s.lo == f.lo : s.hi == f.hi);
    s.x += left ? -s.stride : s.stride;
    s.stride = searching ? 4 * s.stride : 0;
}

/* --------------------------------------------------------------------- kernel */

/* The job of matrix `number`, whose rows lie at `at`. */
template <typename real>
static __device__ __forceinline__ stebz_job small_job(const small_args &a, int64_t number, char *at, int rows_bytes)
{
    stebz_job job = a.job;
    job.d = (const real *)job.d + number * a.stride_d;
    job.e = (const real *)job.e + number * a.stride_e;
    job.w = (real *)job.w + number * a.stride_w;
    if (job.lower) job.lower = (real *)job.lower + number * a.stride_w;
    if (job.upper) job.upper = (real *)job.upper + number * a.stride_w;
    job.t.rows = at;
    job.t.edges = at + rows_bytes;
    return job;
}

/* Facts and proposals of the block's matrices, a lane of the first warp each. */
template <typename real, bool may_pivot>
static __device__ void small_measure(const small_args &a, int64_t first, int here, char *memory, stebz_facts *facts)
{
    int const n = (int)a.job.t.n, lane = threadIdx.x;
    bool const mine = lane < here;
    stebz_job const job = small_job<real>(a, first + (mine ? lane : 0), memory, 0);
    const real *const d = (const real *)job.d, *const e = (const real *)job.e;
    if (mine) {
        facts[lane] = find_facts<real>(job, measure_rows(d, e, n, 0, 1));
        if (a.info) a.info[first + lane] = facts[lane].finite ? EIG_INFO_OK : EIG_INFO_NOT_FINITE;
    }
    __syncwarp();
    bool const works = mine && facts[lane].finite && !facts[lane].zero && !(may_pivot && facts[lane].pivot);
    real *const space = (real *)memory;
    lane_array<real> const diagonal = {space + lane}, squares = {space + n * LANES + lane};
    stebz_scaling const by = stebz_scaling_of(works ? facts[lane].scale : 0);
    for (int i = 0; i < n && works; ++i) {
        double2 const entry = stebz_entry(d, e, i, by);
        diagonal[i] = (real)entry.x;
        if (i > 0) squares[i - 1] = (real)entry.y * (real)entry.y;
    }
    if (works) squares[n - 1] = 0;
    __syncwarp();
    small_propose(diagonal, squares, n, works, works ? 0.125 * facts[lane].abstol : 0);
}

/* The proposals, in their order, to where the eigenvalues will be that are wanted. */
template <typename real>
static __device__ void small_rank(const small_args &a, int64_t first, int here, const char *memory)
{
    int const n = (int)a.job.t.n;
    const real *const values = (const real *)memory;
    for (int item = threadIdx.x; item < here * n; item += THREADS) {
        int const matrix = item / n, j = item % n;
        real const mine = values[j * LANES + matrix];
        int rank = 1;
        for (int i = 0; i < n; ++i) {
            real const other = values[i * LANES + matrix];
            rank += other < mine || (other == mine && i < j);
        }
        if (a.job.il <= rank && rank <= a.job.iu)
            ((real *)a.job.w)[(first + matrix) * a.stride_w + rank - a.job.il] = mine;
    }
}

/* Eigenvalues of the block's matrices, one a thread; the lanes of a warp go on to the next ones together. */
template <typename real, bool may_pivot>
static __device__ void small_refine(const small_args &a, int64_t first, int here, char *memory,
                                    const small_layout &layout, const stebz_facts *facts)
{
    int const wanted = (int)(a.job.iu - a.job.il + 1), items = here * wanted;
    for (int base = 0; base < items; base += THREADS) {
        int const at = base + (int)threadIdx.x, item = min(at, items - 1), matrix = item / wanted,
                  place = item % wanted;
        stebz_facts const f = facts_of<may_pivot>(&facts[matrix]);
        stebz_job const job =
            small_job<real>(a, first + matrix, memory + matrix * layout.matrix_bytes, layout.rows_bytes);
        real *const w = (real *)job.w, *const lower = (real *)job.lower, *const upper = (real *)job.upper;
        bool const mine = at < items, computes = mine && f.finite && !f.zero;
        resident<real> T = {job.t, false};
        small_bracket s = small_begin(f, (int)a.job.il + place, computes ? (double)w[place] : 0);
        bool done = !computes || small_done(f, s);
        while (__any_sync(0xffffffffu, !done)) {
            if (done) continue;
            small_move(f, s, T.count(f, s.x).count);
            done = small_done(f, s);
        }
        if (computes)
            stebz_store(f, w, lower, upper, place, s.lo, s.hi);
        else if (mine)
            stebz_store_trivial(f, w, lower, upper, place);
    }
}

template <typename real, bool may_pivot> static __global__ void __launch_bounds__(THREADS, 5) small_kernel(small_args a)
{
    extern __shared__ char memory[];
    int const n = (int)a.job.t.n, blocks = (int)a.job.t.blocks;
    int const pair = may_pivot ? (int)sizeof(double2) : (int)sizeof(pair_of<real>);
    small_layout const layout = small_layout_of(n, pair, (int)sizeof(stebz_edge<real>));
    stebz_facts *const facts = (stebz_facts *)(memory + layout.facts_at);
    int64_t const first = (int64_t)blockIdx.x * LANES;
    int const here = (int)(a.batch - first < LANES ? a.batch - first : LANES);
    if (threadIdx.x < LANES) small_measure<real, may_pivot>(a, first, here, memory, facts);
    __syncthreads(); /* facts and proposals are there */
    small_rank<real>(a, first, here, memory);
    __syncthreads(); /* proposals have been read: rows take their place */
    int const padding = blocks * STURM_BLOCK - n;
    for (int item = threadIdx.x; item < here * blocks; item += THREADS) {
        int const matrix = item / blocks, block = item % blocks;
        stebz_job const job =
            small_job<real>(a, first + matrix, memory + matrix * layout.matrix_bytes, layout.rows_bytes);
        stebz_facts const f = facts_of<may_pivot>(&facts[matrix]);
        if (f.finite && !f.zero)
            make_block((const real *)job.d, (const real *)job.e, (int64_t)block * STURM_BLOCK - padding,
                       block == 0 ? padding : 0, f, job.t, (int64_t)block * STURM_BLOCK);
    }
    __syncthreads(); /* rows are there */
    small_refine<real, may_pivot>(a, first, here, memory, layout, facts);
}

/* ------------------------------------------------------------------- launchers */

template <typename real, bool may_pivot>
static eig_status launch(eig_context *ctx, const small_args &a, cudaStream_t stream)
{
    size_t const pair = may_pivot ? sizeof(double2) : sizeof(pair_of<real>);
    small_layout const layout = small_layout_of((int)a.job.t.n, (int)pair, (int)sizeof(stebz_edge<real>));
    return cuda_launch(ctx, "stebz: small_kernel", stream,
                       {(a.batch + LANES - 1) / LANES, THREADS, (size_t)layout.bytes}, small_kernel<real, may_pivot>,
                       a);
}

eig_status eig_cuda_stebz_small(eig_context *ctx, const stebz_problem *p, cudaStream_t stream)
{
    small_args a = {};
    a.job.d = p->d, a.job.e = p->e, a.job.w = p->w, a.job.lower = p->lower, a.job.upper = p->upper;
    a.job.range = p->range, a.job.il = p->il, a.job.iu = p->iu;
    a.job.abstol = p->abstol, a.job.reltol = p->reltol;
    a.job.t.n = p->n;
    a.job.t.blocks = (p->n + STURM_BLOCK - 1) / STURM_BLOCK;
    a.batch = p->batch;
    a.stride_d = p->stride_d, a.stride_e = p->stride_e, a.stride_w = p->stride_w;
    a.info = p->info;
    bool const may_pivot = p->abstol > 0;
    if (p->type == EIG_S) return may_pivot ? launch<float, true>(ctx, a, stream) : launch<float, false>(ctx, a, stream);
    return may_pivot ? launch<double, true>(ctx, a, stream) : launch<double, false>(ctx, a, stream);
}
