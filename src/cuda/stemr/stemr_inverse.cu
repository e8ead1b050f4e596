/* stemr on CUDA: the last resort, for eigenvalues that nothing parts: inverse iteration on T~ in twice the digits,
 * with Gaussian elimination that exchanges rows.  Each vector is orthogonalised against those of its cluster that are
 * good.  First, neighbours in a cluster are found whose vectors are not orthogonal, or not of length 1.  They go to
 * inverse iteration, too, as do vectors that were measured and are not what is promised (stemr_judge).
 *
 * Mapping   a block a run; one thread eliminates and solves, all orthogonalise.  Plain: runs of this kind are rare.
 * Memory    ten numbers a row and block, in the pool, which is free by then: O(n).
 * Source: J. Wilkinson, The Algebraic Eigenvalue Problem (1965), chapter 5; I. Ipsen, SIAM Review 39 (1997). */
#include "gauge.h"
#include "stemr_clusters.cuh"
#include "stemr_walk.cuh"

#include "primitives/team.cuh"

enum {
    THREADS = 256,
    ITERATIONS = 4,
    NEIGHBOURS = 64, /* with which the result is compared, on either side */
    LU_ROW = 10      /* numbers a row */
};

/* P (T~ - y) = L U, and a vector that is solved for. */
struct stemr_lu {
    wide_d *u0, *u1, *factor, *z;
    double *u2, *swapped;
};

static __device__ stemr_lu lu_of(const stemr_task &t, int block)
{
    double *const room = (double *)t.pool + (int64_t)block * LU_ROW * t.n;
    wide_d *const w = (wide_d *)room;
    return stemr_lu{w, w + t.n, w + 2 * t.n, w + 3 * t.n, room + 8 * t.n, room + 9 * t.n};
}

static __device__ __forceinline__ wide_d over(wide_d x, wide_d y)
{
    return wide_quotient_d(x, y, 1 / y.hi);
}

/* ---------------------------------------------------------------------- skew */

/* Inner product of columns j and k of z, by all lanes of a warp. */
static __device__ double dot_of(const stemr_task &t, int64_t j, int64_t k, int64_t first, int64_t last)
{
    double sum = 0;
    for (int64_t i = first + threadIdx.x % 32; i <= last; i += 32) sum += stemr_z(t.p, j, i) * stemr_z(t.p, k, i);
    return lane_team<32>(threadIdx.x % 32).sum(sum);
}

static __device__ __forceinline__ double dot_of_pairs(const stemr_task &t, const stemr_eigenpair &a,
                                                      const stemr_eigenpair &b)
{
    return dot_of(t, a.column, b.column, max(a.support_first, b.support_first), min(a.support_last, b.support_last));
}

/* The squared length of a's vector, and its inner product with b's; all lanes of a warp. */
static __device__ double2 square_and_dot(const stemr_task &t, const stemr_eigenpair &a, const stemr_eigenpair &b)
{
    double square = 0, dot = 0;
    for (int64_t i = a.support_first + threadIdx.x % 32; i <= a.support_last; i += 32) {
        double const x = stemr_z(t.p, a.column, i);
        bool const both = b.support_first <= i && i <= b.support_last;
        square += x * x;
        if (both) dot += x * stemr_z(t.p, b.column, i);
    }
    lane_team<32> const team(threadIdx.x % 32);
    return make_double2(team.sum(square), team.sum(dot));
}

/* Neighbours in or beside a cluster whose vectors are not orthogonal, or of which the first one is not of length 1.
 * Neither is INVERSE yet, or only the first one. */
static __global__ void __launch_bounds__(THREADS) find_skew(stemr_task t, stemr_forest f)
{
    int64_t const k = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / 32;
    if (k >= t.pairs) return;
    stemr_eigenpair &a = t.pair[k];
    const stemr_eigenpair &b = t.pair[min(k + 1, t.pairs - 1)];
    bool const alone = k + 1 == t.pairs || b.column < 0 || b.state != STEMR_SINGLE;
    bool const clustered = a.member || (!alone && b.member);
    bool skew = false, wrong = false;
    if (clustered && a.column >= 0 && a.state == STEMR_SINGLE) {
        double2 const found = square_and_dot(t, a, alone ? a : b);
        wrong = stemr_wrong_length(t, found.x);
        skew = !alone && (wrong || !(fabs(found.y) <= t.limits.skew * (double)t.n * stemr_eps(t)));
    }
    if (threadIdx.x % 32 != 0) return;
    f.member[k].with_next = skew;
    if (wrong) a.residual = INFINITY; /* until inverse iteration finds another one */
    if (skew) atomicAdd((unsigned long long *)&t.counts->stats.skew, 1ull);
}

/* These pairs become INVERSE; one thread. */
static __global__ void join_skew(stemr_task t, stemr_forest f)
{
    if (t.counts->stats.skew == 0) return;
    for (int64_t k = 0; k + 1 < t.pairs; ++k) {
        if (!f.member[k].with_next) continue;
        stemr_eigenpair &a = t.pair[k], &b = t.pair[k + 1];
        a.state = b.state = STEMR_INVERSE;
        a.residual = b.residual = INFINITY; /* they have no vector */
        ++t.counts->inverse;
    }
}

/* ----------------------------------------------------------------- iteration */

static __device__ void factorise(const stemr_task &t, const stemr_lu &f, wide_d y)
{
    wide_d here = stemr_difference(t.entry[0].a, y), beside = stemr_wide(t.entry[0].b);
    for (int64_t i = 0; i + 1 < t.n; ++i) {
        double const b = t.entry[i].b, after = t.entry[i + 1].b;
        wide_d const next = stemr_difference(t.entry[i + 1].a, y), b_wide = stemr_wide(b);
        bool const swap = fabs(b) > fabs(here.hi);
        f.swapped[i] = swap;
        wide_d const u0 = swap ? b_wide : mrrr_pivot_d(here), u1 = swap ? next : beside;
        wide_d const factor = over(swap ? here : b_wide, u0);
        f.u0[i] = u0, f.u1[i] = u1, f.u2[i] = swap ? after : 0, f.factor[i] = factor;
        here = stemr_difference(swap ? beside : next, wide_product_d(factor, u1));
        beside = swap ? wide_minus_d(wide_product_d(factor, stemr_wide(after))) : stemr_wide(after);
    }
    f.u0[t.n - 1] = mrrr_pivot_d(here), f.u1[t.n - 1] = wide_d{0, 0}, f.u2[t.n - 1] = 0;
}

static __device__ void solve(const stemr_task &t, const stemr_lu &f)
{
    wide_d here = f.z[0];
    for (int64_t i = 0; i + 1 < t.n; ++i) {
        wide_d const next = f.z[i + 1];
        bool const swap = f.swapped[i] != 0;
        wide_d const first = swap ? next : here, second = swap ? here : next;
        f.z[i] = first;
        here = stemr_difference(second, wide_product_d(f.factor[i], first));
    }
    wide_d next = {0, 0}, after = {0, 0}; /* elements i+1 and i+2 */
    for (int64_t i = t.n - 1; i >= 0; --i) {
        wide_d x = i == t.n - 1 ? here : f.z[i];
        x = stemr_difference(x, wide_product_d(f.u1[i], next));
        x = stemr_difference(x, wide_product_d(after, stemr_wide(f.u2[i])));
        x = over(x, f.u0[i]);
        f.z[i] = x, after = next, next = x;
    }
}

/* Length 1, and no more digits than a double has. */
static __device__ void normalise(const stemr_task &t, const stemr_lu &f, const block_team<THREADS> &team)
{
    double most = 0, sum = 0;
    for (int64_t i = team.rank; i < t.n; i += THREADS) most = fmax(most, fabs(f.z[i].hi));
    int exponent;
    frexp(team.max(most), &exponent);
    for (int64_t i = team.rank; i < t.n; i += THREADS) {
        double const x = ldexp(f.z[i].hi, -exponent);
        sum += x * x;
    }
    double const scale = 1 / sqrt(team.sum(sum));
    for (int64_t i = team.rank; i < t.n; i += THREADS) f.z[i] = stemr_wide(ldexp(f.z[i].hi, -exponent) * scale);
}

/* Takes out what lies in the direction of a column. */
static __device__ void orthogonalise(const stemr_task &t, const stemr_lu &f, int64_t column,
                                     const block_team<THREADS> &team)
{
    double dot = 0;
    for (int64_t i = team.rank; i < t.n; i += THREADS) dot += f.z[i].hi * stemr_z(t.p, column, i);
    dot = team.sum(dot);
    for (int64_t i = team.rank; i < t.n; i += THREADS) f.z[i] = stemr_wide(f.z[i].hi - dot * stemr_z(t.p, column, i));
}

/* The sign of the vector (gauge.inc). */
static __device__ double sign_of(const stemr_task &t, const stemr_lu &f, const block_team<THREADS> &team)
{
    double most = 0, first = INFINITY;
    for (int64_t i = team.rank; i < t.n; i += THREADS) most = fmax(most, fabs(f.z[i].hi));
    double const least = gauge_least(team.max(most));
    for (int64_t i = team.rank; i < t.n; i += THREADS)
        if (fabs(f.z[i].hi) >= least) first = fmin(first, (double)i);
    first = -team.max(-first);
    return first < (double)t.n ? gauge_sign(f.z[(int64_t)first].hi) : 1;
}

/* ||T z - w z|| of the scaled T, of the pair's w and of z as they are stored. */
static __device__ double residual_of(const stemr_task &t, const stemr_lu &f, const stemr_eigenpair &pair,
                                     const block_team<THREADS> &team)
{
    double const w = stemr_told_value(t, pair);
    auto const z = [&](int64_t i) { return t.p.type == EIG_S ? (double)(float)f.z[i].hi : f.z[i].hi; };
    double sum = 0;
    for (int64_t i = team.rank; i < t.n; i += THREADS) {
        double r = (t.a[i] - w) * z(i);
        if (i > 0) r += t.e[i - 1] * z(i - 1);
        if (i + 1 < t.n) r += t.e[i] * z(i + 1);
        sum += r * r;
    }
    return sqrt(team.sum(sum));
}

/* The vector of pair k, orthogonal to those of its run that are there; all threads of the block. */
static __device__ void iterate(const stemr_task &t, const stemr_lu &f, int64_t first, int64_t k,
                               const block_team<THREADS> &team)
{
    stemr_eigenpair &pair = t.pair[k];
    wide_d const y = stemr_whole(t, pair);
    if (team.rank == 0) factorise(t, f, y);
    for (int64_t i = team.rank; i < t.n; i += THREADS)
        f.z[i] = stemr_wide(mrrr_noise((uint64_t)(pair.index * t.n + i)));
    for (int iteration = 0; iteration < ITERATIONS; ++iteration) {
        team.sync(); /* z is there */
        if (team.rank == 0) solve(t, f);
        team.sync(); /* it is solved for */
        for (int again = 0; again < 2; ++again) {
            normalise(t, f, team);
            for (int64_t j = first; j < t.pairs && t.pair[j].run == pair.run; ++j)
                if (j != k && t.pair[j].column >= 0 && t.pair[j].residual < INFINITY)
                    orthogonalise(t, f, t.pair[j].column, team);
        }
        normalise(t, f, team);
    }
    team.sync(); /* neighbours' elements are there */
    double const residual = residual_of(t, f, pair, team);
    double const sign = sign_of(t, f, team);
    for (int64_t i = team.rank; i < t.n; i += THREADS)
        stemr_put(t.p.type, t.p.z, pair.column * t.p.ldz + i, fma(sign, f.z[i].hi, 0.0)); /* no -0 */
    /* All have read the pair before it changes. */
    team.sync();
    if (team.rank == 0) {
        pair.residual = residual;
        pair.support_first = 0, pair.support_last = t.n - 1;
        atomicAdd((unsigned long long *)&t.counts->stats.inverse_iterations, 1ull);
    }
    team.sync(); /* the column is there for the next pair */
}

/* Runs of pairs, a block each: those of a cluster, or a pair by itself. */
static __global__ void __launch_bounds__(THREADS) iterate_runs(stemr_task t)
{
    __shared__ double space[THREADS / 32];
    if (t.counts->inverse == 0) return;
    block_team<THREADS> const team = {(int)threadIdx.x, space};
    stemr_lu const f = lu_of(t, blockIdx.x);
    int64_t runs = 0;
    for (int64_t first = 0, end; first < t.pairs; first = end) {
        int64_t const run = t.pair[first].run;
        bool inverse = false;
        for (end = first; end < t.pairs && t.pair[end].run == run; ++end)
            inverse = inverse || (t.pair[end].state == STEMR_INVERSE && t.pair[end].column >= 0);
        if (!inverse || runs++ % gridDim.x != blockIdx.x) continue;
        for (int64_t k = first; k < end; ++k)
            if (t.pair[k].state == STEMR_INVERSE && t.pair[k].column >= 0) iterate(t, f, first, k, team);
    }
}

/* INVERSE pairs whose vectors are still not orthogonal to a neighbour's; a warp a pair. */
static __global__ void __launch_bounds__(THREADS) check_inverse(stemr_task t)
{
    int64_t const k = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / 32;
    if (t.counts->inverse == 0 || k >= t.pairs) return;
    stemr_eigenpair &pair = t.pair[k];
    if (pair.state != STEMR_INVERSE || pair.column < 0) return;
    double most = 0;
    for (int64_t j = max(k - NEIGHBOURS, (int64_t)0); j < t.pairs && j <= k + NEIGHBOURS; ++j)
        if (j != k && t.pair[j].column >= 0) most = fmax(most, fabs(dot_of_pairs(t, t.pair[j], pair)));
    if (threadIdx.x % 32 == 0 && !(most <= t.limits.info_above[1] * (double)t.n * stemr_eps(t)))
        pair.info |= EIG_STEMR_ORTHOGONALITY;
}

extern "C" eig_status eig_cuda_stemr_inverse(eig_context *ctx, const stemr_task *t, cudaStream_t stream)
{
    stemr_forest const f = stemr_forest_of(t);
    int64_t const warps = (t->pairs * 32 + THREADS - 1) / THREADS;
    int64_t const runs = t->slots * (int64_t)(sizeof(stemr_row) / sizeof(double)) / LU_ROW;
    bool const clusters = t->clustered || t->p.method == EIG_STEMR_REFERENCE;
    eig_status status = EIG_OK;
    if (clusters) status = cuda_launch(ctx, "stemr: skew", stream, {warps, THREADS}, find_skew, *t, f);
    if (clusters && status == EIG_OK) status = cuda_launch(ctx, "stemr: skew runs", stream, {1, 1}, join_skew, *t, f);
    if (status == EIG_OK) status = cuda_launch(ctx, "stemr: iteration", stream, {runs, THREADS}, iterate_runs, *t);
    if (clusters && status == EIG_OK)
        status = cuda_launch(ctx, "stemr: check", stream, {warps, THREADS}, check_inverse, *t);
    return status;
}
