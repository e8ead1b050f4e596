/* stemr on CUDA, matrices of up to 64 rows: from Z in shared memory to the outputs, a thread a column, for the kernels
 * of stemr_batch.cu and stemr_batch_twist.cu.  Every residual is measured, and a matrix with one beyond the promise is
 * marked. */
#ifndef EIG_STEMR_BATCH_FINISH_CUH
#define EIG_STEMR_BATCH_FINISH_CUH

#include "gauge.h"
#include "primitives/team.cuh"
#include "stemr_batch.cuh"

/* Scales of T: none, since it is not finite; and no eigenvalue of a scaled T lies as far away as OUTSIDE. */
enum { NOT_FINITE = 0x7fffffff };
static constexpr double OUTSIDE = 2;

/* What a team has of a matrix in shared memory: the scaled T, eigenvalues by place, which column of Z has each, and Z:
 * row i of column k at z[i*pitch + k], pitch being odd. */
template <typename real> struct batch_place {
    double *a, *e, *value; /* [rows] */
    int *column;           /* [rows] */
    real *z;
    int pitch;

    static __host__ __device__ constexpr size_t head_bytes(int rows)
    {
        return ((size_t)rows * (3 * sizeof(double) + sizeof(int)) + 15) / 16 * 16;
    }
    static __host__ __device__ constexpr size_t bytes(int rows, int pitch)
    {
        return (head_bytes(rows) + (size_t)(rows * pitch) * sizeof(real) + 15) / 16 * 16;
    }
    __device__ __forceinline__ batch_place(void *memory, int rows, int pitch)
        : a((double *)memory), e(a + rows), value(e + rows), column((int *)(value + rows)),
          z((real *)((char *)memory + head_bytes(rows))), pitch(pitch)
    {
    }
    /* The same with Z elsewhere. */
    __device__ __forceinline__ batch_place(void *memory, int rows, int pitch, real *z)
        : batch_place(memory, rows, pitch)
    {
        this->z = z;
    }
};

/* Of r = T y - x y, y a column: r'r and y'r. */
struct batch_residual {
    double square, product;
};

template <typename element>
static __device__ batch_residual residual_of(const batch_place<element> &at, int n, int column, double x)
{
    batch_residual sum = {0, 0};
    double before = 0, y = (double)at.z[column];
    for (int i = 0; i < n; ++i) {
        double const next = i + 1 < n ? (double)at.z[(i + 1) * at.pitch + column] : 0, beside = at.e[i];
        double const r = fma(at.a[i] - x, y, fma(beside, next, before));
        sum.square = fma(r, r, sum.square), sum.product = fma(y, r, sum.product);
        before = beside * y, y = next;
    }
    return sum;
}

/* How many eigenvalues of T are below x. */
template <typename element> static __device__ int count_below(const batch_place<element> &at, int n, double x)
{
    int count = 0;
    double q = 1;
    for (int i = 0; i < n; ++i) {
        q = sturm_pivot(at.a[i], i > 0 ? at.e[i - 1] : 0.0, x, q);
        count += q < 0;
    }
    return count;
}

/* Eigenvalue `place` of T, which should be within `far` of x. */
template <typename real>
static __device__ double bisect(const batch_place<real> &at, int n, int place, double x, double far)
{
    double lo = fmax(x - far, -OUTSIDE), hi = fmin(x + far, OUTSIDE); /* x may be a NaN */
    for (double step = far; lo > -OUTSIDE && count_below(at, n, lo) > place; step *= 16) lo = fmax(lo - step, -OUTSIDE);
    for (double step = far; hi < OUTSIDE && count_below(at, n, hi) <= place; step *= 16) hi = fmin(hi + step, OUTSIDE);
    while (hi - lo > 0.0625 * (double)real_limits<real>::eps) {
        double const middle = 0.5 * (lo + hi);
        if (middle <= lo || middle >= hi) break;
        if (count_below(at, n, middle) > place)
            hi = middle;
        else
            lo = middle;
    }
    return 0.5 * (lo + hi);
}

/* The scaled eigenvalue of a thread's column, approximately x.  Rayleigh's quotient errs by the square of the residual
 * over the gap. */
template <typename real>
static __device__ double value_of(const batch_place<real> &at, int n, int place, double x, const batch_residual &r)
{
    double const eps = (double)real_limits<real>::eps;
    double const left = place > 0 ? x - at.value[place - 1] : INFINITY;
    double const right = place + 1 < n ? at.value[place + 1] - x : INFINITY;
    if (r.square <= eps / 32 * fmin(left, right)) return x + r.product;
    return bisect(at, n, place, x, 4 * sqrt(r.square) + 8 * eps);
}

/* All outputs of a matrix that is not finite. */
template <typename real, typename team_type>
static __device__ void store_not_finite(const stemr_batch_part &b, int64_t matrix, const team_type &team)
{
    int const n = (int)b.p.n, wanted = b.p.range == EIG_RANGE_VALUE ? n : (int)(b.p.iu - b.p.il + 1);
    int64_t const at = matrix * b.stride_w;
    for (int k = team.rank; k < wanted; k += team.size) {
        ((real *)b.p.w)[at + k] = (real)NAN;
        if (b.p.info) b.p.info[at + k] = EIG_INFO_NOT_FINITE;
        if (b.p.z && b.p.residual) ((real *)b.p.residual)[at + k] = (real)NAN;
        if (b.p.z && b.p.isuppz) b.p.isuppz[2 * (at + k)] = 1, b.p.isuppz[2 * (at + k) + 1] = n;
        for (int i = 0; b.p.z && i < n; ++i) ((real *)b.p.z)[matrix * b.stride_z + k * b.p.ldz + i] = (real)NAN;
    }
    if (team.rank > 0) return;
    if (b.p.m) b.p.m[matrix] = 0;
    if (b.p.z && b.p.orthogonality) ((real *)b.p.orthogonality)[matrix] = (real)NAN;
}

/* An estimate of the longest row of Z'Z - I, for columns of `count` places from `first` on (stemr_certify.cu); a and
 * the signs in `column` are overwritten.  `own`: this thread's place, -1: none. */
template <typename real, typename team_type>
static __device__ double skew_of(const batch_place<real> &at, const team_type &team, int n, int first, int count,
                                 int own)
{
    enum { BITS = 8 }; /* signs stand above a column's number */
    unsigned const signs = own >= 0 ? stemr_signs_of(own - first) : 0;
    if (own >= 0) at.column[own] |= (int)(signs << BITS);
    double most = 0;
    /* Not unrolled: ptxas 13.0 counts up the register of the team's place in the last copy, and later takes it for the
     * place. */
#pragma unroll 1
    for (int p = 0; p < STEMR_PROBES; ++p) {
        team.sync(); /* the signs are there, and a is free */
        double sum = 0;
        for (int k = first; k < first + count && team.rank < n; ++k) {
            int const column = at.column[k];
            sum +=
                stemr_with_sign((double)at.z[team.rank * at.pitch + column % (1 << BITS)], (unsigned)column >> BITS, p);
        }
        if (team.rank < n) at.a[team.rank] = sum;
        team.sync(); /* the sum of the columns is there */
        double product = 0;
        for (int i = 0; i < n && own >= 0; ++i) product = fma((double)at.z[i * at.pitch + team.rank], at.a[i], product);
        if (own >= 0) most = fmax(most, fabs(product - stemr_with_sign(1.0, signs, p)));
    }
    team.sync(); /* all have read the signs */
    if (own >= 0) at.column[own] = team.rank;
    team.sync(); /* the columns' numbers are there */
    return team.max(most);
}

/* Gives a thread's column its sign (gauge.inc). */
template <typename real> static __device__ void give_sign(const batch_place<real> &at, int n, int column)
{
    real most = 0, lead = 1;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(at.z[i * at.pitch + column]));
    real const least = gauge_least(most);
    for (int i = 0; i < n; ++i) {
        lead = at.z[i * at.pitch + column];
        if (fabs(lead) >= least) break;
    }
    if (gauge_sign(lead) > 0) return;
    for (int i = 0; i < n; ++i) at.z[i * at.pitch + column] = 0 - at.z[i * at.pitch + column]; /* no -0 */
}

/* Columns of `count` places from `first` on to the caller's z. */
template <typename real, typename element, typename team_type>
static __device__ void store_columns(const batch_place<element> &at, const team_type &team, int n, int first, int count,
                                     int64_t ldz, real *z)
{
    int const down = team.size % n, across = team.size / n;
    int i = team.rank % n, k = team.rank / n;
#pragma unroll 4
    while (k < count) {
        z[k * ldz + i] = (real)at.z[i * at.pitch + at.column[first + k]];
        i += down, k += across;
        if (i >= n) i -= n, ++k;
    }
}

/* The outputs of a matrix whose Z is in place: `value` is the scaled eigenvalue of this thread's column, and `place`
 * its place.  All threads of the team; `live`: it has a matrix; bad: it is to be solved again. */
template <typename real, typename element, typename team_type>
static __device__ __forceinline__ void put_outputs(const stemr_batch_part &b, int64_t matrix, bool live, int scale,
                                                   const team_type &team, const batch_place<element> &at, int place,
                                                   double value, bool bad)
{
    int const n = (int)b.p.n, rank = team.rank;
    bool const works = scale != NOT_FINITE && rank < n;
    double const exact = works ? scalbn(value, scale) : 0;
    real const w = (real)(b.p.moves ? range_moved(&b.p.by_value, exact) : exact);
    bool const by_value = b.p.range == EIG_RANGE_VALUE && live;
    int64_t const from = by_value ? b.range[2 * matrix] : b.p.il - 1,
                  upto = by_value ? b.range[2 * matrix + 1] : b.p.iu;
    bool const wanted = works && from <= place && place < upto;
    int const count = team.sum(wanted ? 1 : 0), first = n - team.max(wanted ? n - place : 0);
    if (wanted) {
        int64_t const to = matrix * b.stride_w + place - first;
        ((real *)b.p.w)[to] = w;
        if (b.p.info) b.p.info[to] = 0;
        if (b.p.z && b.p.isuppz) b.p.isuppz[2 * to] = 1, b.p.isuppz[2 * to + 1] = n;
        if (b.p.z && b.p.residual) {
            double const length =
                sqrt(residual_of(at, n, rank, isfinite(w) ? scalbn((double)w, -scale) : value).square);
            ((real *)b.p.residual)[to] = (real)scalbn(length, scale);
        }
    }
    if (wanted && b.p.z) give_sign(at, n, rank);
    team.sync(); /* the columns are complete */
    double skew = 0;
    if (b.p.z && b.p.orthogonality) skew = skew_of(at, team, n, first, count, wanted ? place : -1);
    if (!live) return;
    if (scale == NOT_FINITE) return store_not_finite<real>(b, matrix, team);
    if (b.p.z) store_columns(at, team, n, first, count, b.p.ldz, (real *)b.p.z + matrix * b.stride_z);
    if (rank > 0) return;
    if (b.p.z && b.p.orthogonality) ((real *)b.p.orthogonality)[matrix] = (real)skew;
    if (b.p.m) b.p.m[matrix] = count;
    if (bad) b.bad[matrix] = 1, atomicAdd(&b.counts->bad, 1);
}

/* Values, proofs and outputs of a matrix whose Z is in place; x and `place` are those of this thread's column, if rank
 * < n.  All threads of the team; `live`: it has a matrix. */
template <typename real, typename team_type>
static __device__ void finish(const stemr_batch_part &b, int64_t matrix, int scale, bool live, const team_type &team,
                              const batch_place<real> &at, int place, double x)
{
    int const n = (int)b.p.n, rank = team.rank;
    bool const works = scale != NOT_FINITE && rank < n;
    if (works) {
        const real *const e = (const real *)b.p.e + matrix * b.stride_e;
        at.a[rank] = scalbn((double)((const real *)b.p.d)[matrix * b.stride_d + rank], -scale);
        at.e[rank] = rank + 1 < n ? scalbn((double)e[rank], -scale) : 0;
        at.value[place] = x, at.column[place] = rank;
    }
    team.sync(); /* T and what is known of its eigenvalues are there */
    double value = NAN, apart = 0, norm = 0;
    if (works) {
        batch_residual const r = residual_of(at, n, rank, x);
        value = value_of(at, n, place, x, r);
        apart = sqrt(r.square) + fabs(value - x);
        norm = fabs(at.a[rank]) + fabs(at.e[rank]) + (rank > 0 ? fabs(at.e[rank - 1]) : 0);
    }
    norm = team.max(norm);
    team.sync(); /* the approximate values have been read */
    if (works) at.value[place] = value;
    team.sync(); /* the values are there */
    for (int k = 0; works && k < place; ++k) value = fmax(value, at.value[k]);
    bool const bad = team.any(works && !(apart <= 10.0 * n * (double)real_limits<real>::eps * norm));
    put_outputs<real>(b, matrix, live, scale, team, at, place, value, bad);
}

#endif
