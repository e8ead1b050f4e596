/* geev on CUDA, the plain solver: a thread block computes a matrix of any order in global memory, with the steps of
 * LAPACK's dgeev for eigenvalues only.  It serves n > GEEV_MOST, and matrices on which the fast kernels did not
 * converge.
 *
 * Memory    a work area a block: n*n reals, row by row, then 3n.
 * Cost      10 n^3/3 flops for the reduction and about 8 n^3 for the iteration, three barriers a reflector.
 * Promises  at most max_steps iterations between two deflations, whatever the entries. */
#include "geev/geev_certify.cuh"
#include "geev/reduce/geev_turn.cuh"
#include "per_type.cuh"
#include "primitives/team.cuh"

enum { PLAIN_THREADS = 256 };

using plain_team = block_team<PLAIN_THREADS>;

/* --------------------------------------------------------- the reduction
 *
 * H := Q' H Q for rows and columns lo..hi.  A thread takes four columns, then four rows at a time: four sums run side
 * by side and share the loads of the reflector.  The reflectors stay below the subdiagonal.  The entries beside the
 * block lo..hi are not updated, since only eigenvalues are wanted. */

enum { SIDE_BY_SIDE = 4 };

/* Applies I - tau u u' to vectors first, ..., hi of the team's matrix: entry m of vector v at start[v*apart + m*along],
 * entry m of u at u[m*u_along]; m < length. */
static __device__ __forceinline__ void reflect(plain_team team, int first, int hi, int length, real tau, real *start,
                                               int64_t apart, int64_t along, const real *u, int64_t u_along)
{
    constexpr int U = SIDE_BY_SIDE, P = PLAIN_THREADS;
    for (int v = first + team.rank; v <= hi; v += U * P) {
        real *x[U];
        real sum[U];
#pragma unroll
        for (int c = 0; c < U; ++c) {
            x[c] = start + (v + c * P <= hi ? v + c * P : v) * apart; /* beyond the end: v again, not stored */
            sum[c] = 0;
        }
#pragma unroll 2
        for (int m = 0; m < length; ++m) {
            real const um = u[m * u_along];
#pragma unroll
            for (int c = 0; c < U; ++c) sum[c] = fma(um, x[c][m * along], sum[c]);
        }
#pragma unroll
        for (int c = 0; c < U; ++c) sum[c] *= -tau;
#pragma unroll 2
        for (int m = 0; m < length; ++m) {
            real const um = u[m * u_along];
            real y[U];
#pragma unroll
            for (int c = 0; c < U; ++c) y[c] = fma(sum[c], um, x[c][m * along]);
#pragma unroll
            for (int c = 0; c < U; ++c)
                if (c == 0 || v + c * P <= hi) x[c][m * along] = y[c];
        }
    }
}

static __device__ void hessenberg(plain_team team, geev_view<real> h, int lo, int hi)
{
    constexpr int P = PLAIN_THREADS;
    for (int k = lo; k < hi - 1; ++k) {
        /* The reflector leaves column k a single entry below the diagonal; u takes the place of the entries that it
         * removes. */
        real most = 0, tail = 0;
        for (int i = k + 1 + team.rank; i <= hi; i += P) most = fmax(most, fabs(h(i, k)));
        real const scale = unit_of(team.max(most));
        for (int i = k + 2 + team.rank; i <= hi; i += P) tail = fma(h(i, k) * scale, h(i, k) * scale, tail);
        tail = team.sum(tail);
        if (tail == 0) { /* nothing to remove, or too small to matter: below SAFMIN */
            for (int i = k + 2 + team.rank; i <= hi; i += P) h(i, k) = 0;
            team.sync();
            continue;
        }
        real const x0 = h(k + 1, k) * scale;
        real norm, pivot, tau;
        householder(x0, x0 * x0 + tail, &norm, &pivot, &tau);
        real const inverse = 1 / pivot;
        team.sync();
        /* scale / pivot may overflow where the column is subnormal */
        for (int i = k + 2 + team.rank; i <= hi; i += P) h(i, k) = h(i, k) * scale * inverse;
        if (team.rank == 0) h(k + 1, k) = 1;
        team.sync();
        int const length = hi - k;
        int64_t const row = (int64_t)h.row * h.step;
        reflect(team, k + 1, hi, length, tau, &h(k + 1, 0), h.step, row, &h(k + 1, k), row);
        team.sync();
        reflect(team, lo, hi, length, tau, &h(0, k + 1), row, h.step, &h(k + 1, k), row);
        team.sync();
        if (team.rank == 0) h(k + 1, k) = -norm / scale;
        team.sync();
    }
}

/* --------------------------------------------------------- the iteration */

/* The first row of the window that ends at i: the largest k > first with a negligible h[k][k-1], else first. */
static __device__ int plain_window(plain_team team, geev_view<real> h, int lo, int hi, int first, int i, real tiny)
{
    int found = first;
    for (int k = i - team.rank; k > first && found == first; k -= PLAIN_THREADS) {
        real const beside = (k - 2 >= lo ? fabs(h(k - 1, k - 2)) : (real)0) + (k < hi ? fabs(h(k + 1, k)) : (real)0);
        if (francis_deflates(h(k, k - 1), h(k - 1, k), h(k - 1, k - 1), h(k, k), beside, tiny)) found = k;
    }
    return team.max(found);
}

/* The largest absolute entry of the window l..i. */
static __device__ real plain_largest(plain_team team, geev_view<real> h, int l, int i)
{
    real most = 0;
    for (int j = l + team.rank; j <= i; j += PLAIN_THREADS)
        for (int r = l; r <= i && r <= j + 1; ++r) most = fmax(most, fabs(h(r, j)));
    return team.max(most);
}

static __device__ void plain_shifts(geev_view<real> h, int l, int i, int steps, real *re1, real *re2, real *im)
{
    real h11 = h(i - 1, i - 1), h12 = h(i - 1, i), h21 = h(i, i - 1), h22 = h(i, i);
    francis_step const kind = francis_step_of(steps);
    if (kind == FRANCIS_AT_BOTTOM)
        francis_exceptional(h22, h21, h(i - 1, i - 2), &h11, &h12, &h21, &h22);
    else if (kind == FRANCIS_AT_TOP)
        francis_exceptional(h(l, l), h(l + 1, l), h(l + 2, l + 1), &h11, &h12, &h21, &h22);
    francis_shifts(h11, h12, h21, h22, re1, re2, im);
}

/* v := a multiple of the first column of (H - s1)(H - s2) from row m on.  Returns whether the sweep may start there. */
static __device__ bool plain_column(geev_view<real> h, int m, int l, real re1, real re2, real im, real *v)
{
    francis_first_column(h(m, m), h(m, m + 1), h(m + 1, m), h(m + 1, m + 1), h(m + 2, m + 1), re1, re2, im, v, v + 1,
                         v + 2);
    if (m == l) return true;
    real const sum = fabs(v[0]) + fabs(v[1]) + fabs(v[2]), safe = sum > 0 ? sum : 1;
    real const around = fabs(h(m - 1, m - 1)) + fabs(h(m, m)) + fabs(h(m + 1, m + 1));
    return fabs(h(m, m - 1)) * (fabs(v[1] / safe) + fabs(v[2] / safe)) <=
           real_limits<real>::eps * fabs(v[0] / safe) * around;
}

/* A double-shift sweep on the window l..i from row m on. */
static __device__ void plain_sweep(plain_team team, geev_view<real> h, int l, int m, int i, const real *first)
{
    for (int k = m; k < i; ++k) {
        bool const three = k + 2 <= i;
        real const v0 = k == m ? first[0] : h(k, k - 1), v1 = k == m ? first[1] : h(k + 1, k - 1);
        real const v2 = !three ? (real)0 : k == m ? first[2] : h(k + 2, k - 1);
        real u1, u2, tau, beta;
        francis_reflector(v0, v1, v2, &u1, &u2, &tau, &beta);
        team.sync(); /* all have read column k-1 */
        if (team.rank == 0 && k > m) {
            h(k, k - 1) = beta, h(k + 1, k - 1) = 0;
            if (three) h(k + 2, k - 1) = 0;
        } else if (team.rank == 0 && m > l) {
            h(k, k - 1) *= 1 - tau;
        }
        for (int j = k + team.rank; j <= i; j += PLAIN_THREADS) {
            real const dot = tau * (h(k, j) + u1 * h(k + 1, j) + (three ? u2 * h(k + 2, j) : (real)0));
            h(k, j) -= dot, h(k + 1, j) -= dot * u1;
            if (three) h(k + 2, j) -= dot * u2;
        }
        team.sync(); /* rows k..k+2 are complete */
        int const last = k + 3 < i ? k + 3 : i;
        for (int r = l + team.rank; r <= last; r += PLAIN_THREADS) {
            real const dot = tau * (h(r, k) + u1 * h(r, k + 1) + (three ? u2 * h(r, k + 2) : (real)0));
            h(r, k) -= dot, h(r, k + 1) -= dot * u1;
            if (three) h(r, k + 2) -= dot * u2;
        }
        team.sync(); /* columns k..k+2 are complete */
    }
}

/* Eigenvalues of the Hessenberg matrix h; returns info as eig_dgeev_batched defines it. */
static __device__ int plain_iterate(plain_team team, geev_view<real> h, int lo, int hi, int most, real *re, real *im)
{
    int const n = h.n;
    for (int k = team.rank; k < n; k += PLAIN_THREADS) {
        re[k] = k < lo || k > hi ? h(k, k) : (real)NAN;
        im[k] = re[k] - re[k];
    }
    team.sync();
    real const least = real_limits<real>::safmin * ((real)(hi - lo + 1) / real_limits<real>::eps);
    real tiny = least;
    int i = hi, l = lo, steps = 0;
    while (i >= lo) {
        l = plain_window(team, h, lo, hi, l, i, tiny);
        team.sync(); /* all have looked at the subdiagonal */
        if (l > lo && team.rank == 0) h(l, l - 1) = 0;
        if (l >= i - 1) {
            if (team.rank == 0 && l == i) {
                re[i] = h(i, i), im[i] = 0;
            } else if (team.rank == 0) {
                francis_block(h(l, l), h(l, i), h(i, l), h(i, i), re + l, re + i, im + l);
                im[i] = -im[l];
            }
            i = l - 1, l = lo, steps = 0, tiny = least;
            team.sync();
            continue;
        }
        if (steps == most) return i + 1;
        ++steps;
        real re1, re2, imaginary, v[3];
        plain_shifts(h, l, i, steps, &re1, &re2, &imaginary);
        int m = i - 2;
        while (!plain_column(h, m, l, re1, re2, imaginary, v)) --m;
        plain_sweep(team, h, l, m, i, v);
        if (steps >= FRANCIS_PATIENCE) tiny = francis_grown(tiny, plain_largest(team, h, l, i));
    }
    return 0;
}

/* The certificate of eigenvalues lo..hi (geev_certify.cuh): begun from the matrix, ended with them. */
struct plain_certificate {
    double trace, square, norm;
    __device__ __forceinline__ plain_certificate(plain_team team, geev_view<real> h, int lo, int hi)
    {
        double sums[3] = {0, 0, team.rank == 0 ? (double)certificate_floor<real>(h.n) : 0};
        for (int i = lo; i <= hi; ++i)
            for (int j = lo + team.rank; j <= hi; j += PLAIN_THREADS) {
                double const x = h(i, j), y = h(j, i);
                sums[1] = fma(x, y, sums[1]), sums[2] = fma(x, x, sums[2]);
                if (i == j) sums[0] += x;
            }
        trace = team.sum(sums[0]), square = team.sum(sums[1]), norm = team.sum(sums[2]);
    }
    __device__ __forceinline__ bool ends(plain_team team, int lo, int hi, const real *re, const real *im) const
    {
        double sum = 0, sum2 = 0;
        for (int k = lo + team.rank; k <= hi; k += PLAIN_THREADS)
            sum += re[k], sum2 += (double)re[k] * re[k] - (double)im[k] * im[k];
        certificate_scale<real> const scale = {sqrt(norm), 1};
        return scale.certifies(hi - lo + 1, {team.sum(sum) - trace, 0}, {team.sum(sum2) - square, 0});
    }
};

static __device__ void plain_matrix(plain_team team, const geev_problem &p, int64_t b, real *work)
{
    int const n = (int)p.n;
    geev_view<real> const h = {work, n, n, 1};
    real *const scale = work + (int64_t)n * n, *const re = scale + n, *const im = re + n;
    bool finite = true;
    for (int i = 0; i < n; ++i)
        for (int j = team.rank; j < n; j += PLAIN_THREADS) {
            real const x = geev_entry<real>(p, b, i, j);
            finite = finite && fabs(x) < (real)INFINITY;
            h(i, j) = x;
        }
    finite = !team.any(!finite);
    geev_record record = {1, 0, n - 1, 0, 0, 0};
    if (p.balance && finite) isolate(team, h, &record.lo, &record.hi); /* it drops entries, a NaN too */
    normalise(team, h, &record);
    int info = record.info;
    if (info == 0) {
        if (p.balance) balance(team, h, record.lo, record.hi, scale);
        turn(team, h, &record);
        plain_certificate const certificate(team, h, record.lo, record.hi);
        hessenberg(team, h, record.lo, record.hi);
        for (int i = record.lo + 2; i <= record.hi; ++i) /* where the reduction left its reflectors */
            for (int j = record.lo + team.rank; j < i - 1; j += PLAIN_THREADS) h(i, j) = 0;
        team.sync();
        info = plain_iterate(team, h, record.lo, record.hi, p.max_steps, re, im);
        team.sync();
        if (info == 0 && p.certify && !certificate.ends(team, record.lo, record.hi, re, im)) {
            info = n; /* what nothing proves is not stored */
            for (int k = team.rank; k < n; k += PLAIN_THREADS) re[k] = im[k] = (real)NAN;
            team.sync();
        }
        /* isolated eigenvalues were not scaled */
        for (int k = record.lo + team.rank; k <= record.hi; k += PLAIN_THREADS)
            re[k] = unscaled((real)n, re[k], (real)record.unscale),
            im[k] = unscaled((real)n, im[k], (real)record.unscale);
        team.sync();
        int last = -1; /* too large for a number */
        for (int k = team.rank; info == 0 && k < n; k += PLAIN_THREADS)
            if (!(fabs(re[k]) < (real)INFINITY && fabs(im[k]) < (real)INFINITY)) re[k] = im[k] = (real)NAN, last = k;
        last = team.max(last);
        if (last >= 0) info = last + 1;
    }
    team.sync();
    real const factor = record.info == 0 ? (real)1 : (real)NAN;
    if (p.w)
        for (int k = team.rank; k < n; k += PLAIN_THREADS)
            geev_put(p, b, k, record.info == 0 ? re[k] * factor : factor, record.info == 0 ? im[k] * factor : factor);
    if (team.rank == 0) {
        real measure = info == 0 ? (real)0 : (real)NAN;
        for (int k = 0; k < n && info == 0 && p.value; ++k)
            measure = geev_measure(p.measure, measure, re[k] * factor, im[k] * factor, k == 0);
        if (p.value) ((real *)p.value)[b] = measure;
        if (p.info) p.info[b] = info;
    }
    team.sync(); /* results are read before the next matrix comes */
}

/* All matrices of the slice, or those on its list. */
static __global__ void __launch_bounds__(PLAIN_THREADS) plain_kernel(geev_slice slice, bool listed)
{
    __shared__ double space[PLAIN_THREADS / 32];
    plain_team const team = {(int)threadIdx.x, space};
    int64_t const count = listed ? (int64_t)slice.queue->failed : slice.count;
    real *const work = (real *)((char *)slice.plain + blockIdx.x * (size_t)slice.plain_bytes);
    for (int64_t at = blockIdx.x; at < count; at += gridDim.x)
        plain_matrix(team, slice.p, listed ? slice.failed[at] : slice.first + at, work);
}

eig_status TYPED(eig_cuda_geev_plain)(eig_context *ctx, const geev_slice &slice, bool listed, cudaStream_t stream)
{
    return cuda_launch(ctx, "geev: plain_kernel", stream, {slice.plain_blocks, PLAIN_THREADS}, plain_kernel, slice,
                       listed);
}
