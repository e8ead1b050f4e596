/* geev on CUDA, second attempts: what certificates have found doubtful (geev_certify.cu), a thread block a matrix, in
 * global memory.
 *
 * Values   wrong eigenvalues: the whole matrix by way of its Schur form.  The certificate is asked again, of all that
 *          was listed.
 * Vectors  of which ||A v - w v|| is too large: balancing had made them good for D^-1 A D and not for A.  The
 *          eigenvalue is kept; A without balancing becomes a Hessenberg matrix H, and the vector is found anew by
 *          inverse iteration with H - w, whose pivots are eps ||A|| at least, from a start of ones, and of others where
 *          that is not enough.  Where that fails, all of the matrix is solved again without balancing.
 * End      what is doubtful still gets a positive info and NaN.
 * Solving  as in geev_inverse.cu for complex matrices, a warp a vector, for any n: where small pivots make b grow, it
 *          is scaled.
 * Source   J. Wilkinson, The algebraic eigenvalue problem (1965), chapter 9; LAPACK's hsein. */
#include "geev/geev_results.cuh"
#include "geev/schur/geev_schur_matrix.cuh"
#include "geev/vectors/geev_inverse_common.cuh"

enum { SECOND_THREADS = 256, SECOND_WARPS = SECOND_THREADS / 32, SECOND_STARTS = 4 };

using second_team = block_team<SECOND_THREADS>;

/* ------------------------------------------------------------------------- memory */

/* A block's work area; the Schur form's has the same place. */
struct second_area {
    complex *h;       /* [n][n], row by row: the Hessenberg form, reflectors below */
    complex *columns; /* [warps][3][n]: a running column, the vector of H, that of A */
    real *factors;    /* [n] of the reflectors */
    int *bad;         /* [2][n]: vectors of the left and of the right side that are not good */
    int *swaps;       /* [warps][n] */
};

static __host__ __device__ size_t carve_second(second_area *a, char *base, int64_t n)
{
    size_t used = 0;
    auto const take = [&](size_t bytes) {
        size_t const from = used;
        used += (bytes + 15) / 16 * 16;
        return base + from;
    };
    a->h = (complex *)take((size_t)(n * n) * sizeof(complex));
    a->columns = (complex *)take((size_t)(3 * SECOND_WARPS * n) * sizeof(complex));
    a->factors = (real *)take((size_t)n * sizeof(real));
    a->bad = (int *)take(2 * (size_t)n * sizeof(int));
    a->swaps = (int *)take((size_t)(SECOND_WARPS * n) * sizeof(int));
    return used;
}

size_t TYPED(eig_cuda_geev_second_bytes)(const geev_problem *p)
{
    second_area own;
    schur_area<entry> area;
    size_t const second = carve_second(&own, (char *)NULL, p->n),
                 schur = schur_carve(&area, (char *)NULL, (int)p->n, (int)p->n, p->vectors, p->vectors);
    return arena_rounded(second > schur ? second : schur);
}

/* ------------------------------------------------------------------------- judging */

/* The scale of matrix b, unit 0 where an entry is not finite, and whether its eigenvalues are good. */
static __device__ scale_type judge_matrix(second_team team, const geev_problem &p, int64_t b, bool *good)
{
    int const n = (int)p.n;
    real most = 0;
    double norm = 0;
    bool finite = true;
    for (int j = 0; j < n; ++j)
        for (int i = team.rank; i < n; i += SECOND_THREADS) {
            entry const x = geev_entry<entry>(p, b, i, j);
            most = fmax(most, larger_part(x)), finite = finite && is_finite(x);
        }
    finite = !team.any(!finite);
    double const unit = certificate_unit(team.max(most));
    complex_of<double> sum = {0, 0}, square = {0, 0};
    for (int i = team.rank; finite && i < n; i += SECOND_THREADS) {
        complex const w = stored_value(p, b, i);
        complex_of<double> const z = {unit * w.re, unit * w.im};
        sum = total(sum, z), square = product_add(z, z, square);
        for (int j = 0; j < n; ++j) {
            entry const x = geev_entry<entry>(p, b, i, j), y = geev_entry<entry>(p, b, j, i);
            complex_of<double> const s = {unit * real_part(x), unit * imaginary(x)},
                                     t = {unit * real_part(y), unit * imaginary(y)};
            norm = square_add(s, norm), square = product_add(negative(s), t, square);
            if (i == j) sum = difference(sum, s);
        }
    }
    scale_type const scale = {sqrt(team.sum(norm)), finite ? unit : 0.0};
    sum = {team.sum(sum.re), team.sum(sum.im)}, square = {team.sum(square.re), team.sum(square.im)};
    *good = scale.certifies(n, sum, square);
    return scale;
}

/* A matrix of the problem, and what a warp needs to find a vector of it. */
struct second_matrix {
    const geev_problem &p;
    int64_t b;
    scale_type scale;
    second_area area;

    /* Whether x, one side's vector of w, is good; x(i) is component i.  By a warp; w: scaled, conjugate for a left
     * vector. */
    template <typename get> __device__ bool is_good(lane_team<32> lanes, get x, complex w, bool left, int times) const
    {
        int const n = (int)p.n;
        real const unit = (real)scale.unit;
        real size = 0, sum = 0;
        for (int i = lanes.rank; i < n; i += 32) {
            complex const xi = x(i);
            complex r = product(negative(w), xi);
            for (int j = 0; j < n; ++j) {
                entry const a = left ? conj(geev_entry<entry>(p, b, j, i)) : geev_entry<entry>(p, b, i, j);
                r = product_add(as_complex(scaled(unit, a)), x(j), r);
            }
            size = square_add(xi, size), sum = square_add(r, sum);
        }
        return certifies_length(n, lanes.sum(size)) && lanes.sum(sum) <= (real)scale.residual_bound(n, times);
    }
    __device__ __forceinline__ complex value(int k, bool left) const
    {
        complex const w = scaled((real)scale.unit, stored_value(p, b, k));
        return left ? conj(w) : w;
    }
};

/* -------------------------------------------------------------- inverse iteration */

/* H, or the Hessenberg matrix that H^H is with rows and columns in reverse order. */
struct second_side {
    const complex *h;
    int n;
    bool left;
    __device__ __forceinline__ complex operator()(int i, int j) const
    {
        return left ? conj(h[(int64_t)(n - 1 - j) * n + (n - 1 - i)]) : h[(int64_t)i * n + j];
    }
};

/* b is multiplied by a power of two where its components 0, ..., k have grown large. */
static __device__ __forceinline__ void keep_small(lane_team<32> lanes, complex *b, int k, int n)
{
    real most = 0;
    for (int i = lanes.rank; i <= k; i += 32) most = fmax(most, larger_part(b[i]));
    most = lanes.max(most);
    if (!(most > (real)0x1p60)) return;
    real const unit = unit_of(most);
    for (int i = lanes.rank; i < n; i += 32) b[i] = scaled(unit, b[i]);
    lanes.sync(); /* b is there */
}

/* b := (H - w)^-1 b, times a number that makes its largest part 1.  c: a running column, which takes the
 * multipliers. */
static __device__ void second_solve(lane_team<32> lanes, const second_side &h, complex w, real least, complex *c,
                                    complex *b, int *swaps)
{
    int const n = h.n;
    for (int i = lanes.rank; i < n; i += 32) c[i] = i < n - 1 ? h(i, n - 1) : difference(h(i, n - 1), w);
    lanes.sync(); /* c and b are there */
    for (int k = n - 1; k > 0; --k) {
        row_elimination<complex> const step(h(k, k - 1), c[k], b[k], least);
        for (int i = lanes.rank; i < k; i += 32)
            step.update(i < k - 1 ? h(i, k - 1) : difference(h(i, k - 1), w), &c[i], &b[i]);
        lanes.sync(); /* all have read row k */
        if (lanes.rank == 0) c[k] = step.m, b[k] = step.y, swaps[k] = step.swaps;
        lanes.sync(); /* row k - 1 is there */
        keep_small(lanes, b, k, n);
    }
    if (lanes.rank == 0) {
        complex pivot = c[0];
        schur_pivot(least, &pivot.re, &pivot.im);
        complex z = product(b[0], fast_inverse(pivot));
        for (int k = 1; k < n; ++k) { /* the columns' exchanges and multipliers */
            complex const y = minus_product(c[k], z, b[k]);
            b[k - 1] = swaps[k] ? y : z;
            if (!swaps[k]) z = y;
        }
        b[n - 1] = z;
    }
    lanes.sync(); /* b is there */
    real most = 0;
    for (int i = lanes.rank; i < n; i += 32) most = fmax(most, larger_part(b[i]));
    real const unit = unit_of(lanes.max(most));
    for (int i = lanes.rank; i < n; i += 32) b[i] = scaled(unit, b[i]);
    lanes.sync(); /* b is there */
}

/* x := Q b, the reflectors that have made H. */
static __device__ void second_reflect(lane_team<32> lanes, const second_area &a, int n, bool left, const complex *b,
                                      complex *x)
{
    for (int i = lanes.rank; i < n; i += 32) x[i] = b[left ? n - 1 - i : i];
    for (int k = n - 3; k >= 0; --k) {
        lanes.sync(); /* x is there */
        complex dot = {0, 0};
        for (int i = k + 1 + lanes.rank; i < n; i += 32) {
            complex const u = i == k + 1 ? complex{1, 0} : a.h[(int64_t)i * n + k];
            dot = conj_product_add(u, x[i], dot);
        }
        dot = scaled(-a.factors[k], sum_of(lanes, dot));
        for (int i = k + 1 + lanes.rank; i < n; i += 32) {
            complex const u = i == k + 1 ? complex{1, 0} : a.h[(int64_t)i * n + k];
            x[i] = product_add(u, dot, x[i]);
        }
    }
    lanes.sync(); /* x is there */
}

/* Norm 1, and of the components that are largest but for 2^-10 the first one real and positive. */
static __device__ void second_normalise(lane_team<32> lanes, int n, complex *x)
{
    real most = 0, sum = 0, top = 0;
    for (int i = lanes.rank; i < n; i += 32) most = fmax(most, larger_part(x[i]));
    real const unit = unit_of(lanes.max(most));
    for (int i = lanes.rank; i < n; i += 32) {
        x[i] = scaled(unit, x[i]);
        sum = square_add(x[i], sum), top = fmax(top, square(x[i]));
    }
    real const enough = gauge_least_square(lanes.max(top));
    int first = n;
    for (int i = lanes.rank; i < n && first == n; i += 32)
        if (square(x[i]) >= enough) first = i;
    first = -lanes.max(-first);
    lanes.sync();           /* x is there */
    if (first >= n) return; /* not a number */
    complex const lead = x[first];
    real const inverse = 1 / sqrt(lanes.sum(sum)), size = sqrt(square(lead));
    complex const turn = {lead.re / size * inverse, -lead.im / size * inverse};
    lanes.sync(); /* lead is read */
    for (int i = lanes.rank; i < n; i += 32) {
        x[i] = product(x[i], turn);
        if (i == first) x[i].im = 0;
    }
    lanes.sync(); /* x is there */
}

/* The component i that start number `start` of inverse iteration has. */
static __device__ __forceinline__ real start_of(int start, int i)
{
    unsigned const mixed = (unsigned)i * 2654435761u >> (start + 8);
    return start == 0 ? (real)1 : (mixed & 1 ? (real)-1 : (real)1) * (real)(1 + (mixed >> 4) % 5) / 5;
}

/* Finds vector k of one side anew and stores it; by a warp.  Returns whether it is good. */
static __device__ bool second_vector(const second_matrix &m, int k, bool left)
{
    int const n = (int)m.p.n, warp = threadIdx.x / 32;
    lane_team<32> const lanes(threadIdx.x % 32);
    complex *const c = m.area.columns + (int64_t)warp * 3 * n, *const b = c + n, *const x = b + n;
    complex const w = m.value(k, left);
    second_side const h = {m.area.h, n, left};
    real const least = (real)(m.scale.norm * (double)(real_limits<real>::eps / 8)),
               floor = real_limits<real>::safmin / real_limits<real>::eps;
    bool good = false;
    for (int round = 0; round < 2 * SECOND_STARTS && !good; ++round) {
        for (int i = lanes.rank; round % 2 == 0 && i < n; i += 32) b[i] = complex{start_of(round / 2, i), 0};
        second_solve(lanes, h, w, least > floor ? least : floor, c, b, m.area.swaps + warp * n);
        second_reflect(lanes, m.area, n, left, b, x);
        second_normalise(lanes, n, x);
        good = m.is_good(
            lanes, [x](int i) { return x[i]; }, w, left, CERTIFY_VECTOR);
    }
    bool const pair = !number::complex && stored_value(m.p, m.b, k).im != 0; /* w's may have vanished */
    complex *const to = stored_vector(m.p, m.b, k, left), *const other =
                                                              pair ? stored_vector(m.p, m.b, k + 1, left) : to;
    if (!good) /* what is there is perhaps good enough */
        return m.is_good(
                   lanes, [to](int i) { return load_number(to + i); }, w, left, CERTIFY_VECTOR) &&
               (!pair || m.is_good(
                             lanes, [other](int i) { return load_number(other + i); }, conj(w), left, CERTIFY_VECTOR));
    for (int i = lanes.rank; i < n; i += 32) {
        complex const y = {x[i].re + (real)0, x[i].im + (real)0};
        store_number(to + i, y);
        if (pair) store_number(other + i, complex{y.re, (real)0 - y.im});
    }
    return true;
}

/* -------------------------------------------------------------------- a matrix */

/* Marks the vectors that are not good; whether there is one. */
static __device__ bool mark_bad(const second_matrix &m, int times)
{
    int const n = (int)m.p.n;
    lane_team<32> const lanes(threadIdx.x % 32);
    bool any = false;
    for (int task = threadIdx.x / 32; task < 2 * n; task += SECOND_WARPS) {
        bool const left = task < n;
        int const k = left ? task : task - n;
        const complex *const v = stored_vector(m.p, m.b, k, left);
        bool const good = !v || m.is_good(
                                    lanes, [v](int i) { return load_number(v + i); }, m.value(k, left), left, times);
        if (lanes.rank == 0) m.area.bad[task] = !good;
        any = any || !good;
    }
    return __syncthreads_or(any);
}

/* A, scaled, to Hessenberg form. */
static __device__ void second_reduce(second_team team, const second_matrix &m)
{
    int const n = (int)m.p.n;
    for (int64_t e = team.rank; e < (int64_t)n * n; e += SECOND_THREADS) {
        int const i = (int)(e % n), j = (int)(e / n);
        m.area.h[(int64_t)i * n + j] = as_complex(scaled((real)m.scale.unit, geev_entry<entry>(m.p, m.b, i, j)));
    }
    schur_area<complex> area = {};
    area.n = n, area.ld = n, area.t = m.area.h;
    team.sync(); /* A is there */
    schur_reduce<1>(team, area, 0, n - 1, m.area.factors);
}

/* |y^H x| of eigenvalue k, from the vectors that are stored. */
static __device__ void store_condition(const second_matrix &m, int k)
{
    lane_team<32> const lanes(threadIdx.x % 32);
    const complex *const y = stored_vector(m.p, m.b, k, true), *const x = stored_vector(m.p, m.b, k, false);
    complex dot = {0, 0};
    for (int i = lanes.rank; i < (int)m.p.n; i += 32)
        dot = conj_product_add(load_number(y + i), load_number(x + i), dot);
    real const size = fmin(sqrt(square(sum_of(lanes, dot))), (real)1);
    if (lanes.rank == 0) ((real *)m.p.condition)[m.b * m.p.stride_w + k] = size;
}

/* Repairs what mark_bad has found.  Whether all is good then. */
static __device__ bool repair(second_team team, const second_matrix &m, unsigned long long *repairs)
{
    int const n = (int)m.p.n;
    second_reduce(team, m);
    bool good = true;
    for (int task = threadIdx.x / 32; task < 2 * n; task += SECOND_WARPS) {
        bool const left = task < n;
        int const k = left ? task : task - n;
        complex const w = stored_value(m.p, m.b, k);
        bool const first = !number::complex && w.im > 0, second = !number::complex && w.im < 0;
        if (second || !(m.area.bad[task] || (first && m.area.bad[task + 1]))) continue;
        good = second_vector(m, k, left) && good;
        if (threadIdx.x % 32 == 0) atomicAdd(repairs, first ? 2ull : 1ull);
    }
    good = !__syncthreads_or(!good);
    for (int k = threadIdx.x / 32; m.p.condition && m.p.vl && m.p.vr && k < n; k += SECOND_WARPS) {
        complex const w = stored_value(m.p, m.b, k);
        int const beside = number::complex || w.im == 0 ? k : w.im > 0 ? k + 1 : k - 1;
        if (m.area.bad[k] || m.area.bad[n + k] || m.area.bad[beside] || m.area.bad[n + beside]) store_condition(m, k);
    }
    return good;
}

/* Results that nothing proves: NaN and a positive info.  Where eigenvalues are too large for a number, these alone are
 * NaN. */
static __device__ void reject(second_team team, const geev_problem &p, int64_t b, bool values)
{
    int const n = (int)p.n;
    real const nan = (real)NAN;
    int last = -1; /* of those that are no numbers */
    for (int k = team.rank; k < n; k += SECOND_THREADS) {
        complex const w = stored_value(p, b, k);
        if (!(fabs(w.re) < (real)INFINITY && fabs(w.im) < (real)INFINITY)) last = k;
    }
    last = team.max(last);
    for (int k = team.rank; k < n; k += SECOND_THREADS) {
        complex const w = stored_value(p, b, k);
        bool const fine = last >= 0 && fabs(w.re) < (real)INFINITY && fabs(w.im) < (real)INFINITY;
        if (!values && !fine) store_number((complex *)p.w + b * p.stride_w + k, complex{nan, nan});
        if (p.condition) ((real *)p.condition)[b * p.stride_w + k] = nan;
        for (int i = 0; i < n; ++i) {
            if (p.vl) store_number(stored_vector(p, b, k, true) + i, complex{nan, nan});
            if (p.vr) store_number(stored_vector(p, b, k, false) + i, complex{nan, nan});
        }
    }
    if (team.rank != 0) return;
    if (p.value && !values) ((real *)p.value)[b] = nan;
    if (p.info) p.info[b] = values ? n + 1 : last >= 0 ? last + 1 : n;
}

/* Whether all vectors are good, or can be found again. */
static __device__ bool finds_vectors(second_team team, const second_matrix &m, unsigned long long *repairs)
{
    bool const good = !(m.p.vl || m.p.vr) || !mark_bad(m, CERTIFY_LOOK) || repair(team, m, repairs);
    team.sync(); /* the memory is free */
    return good;
}

/* The eigenvalues of very few balanced matrices are not good for A, so that no vector of A fits them: all of it without
 * balancing. */
static __device__ bool solve_unbalanced(second_team team, const geev_slice &slice, int64_t b, const scale_type &scale,
                                        char *base, bool *values)
{
    geev_slice plain = slice;
    geev_problem &p = plain.p;
    int const n = (int)p.n;
    p.balance = false;
    schur_area<entry> area;
    schur_carve(&area, base, n, n, p.vectors, p.vectors);
    schur_matrix(team, area, plain, b, true);
    if (team.rank == 0) atomicAdd(slice.repairs, 1ull);
    team.sync(); /* the results are stored */
    *values = false;
    if (!has_results(p, b)) return false;
    judge_matrix(team, p, b, values);
    second_area own;
    carve_second(&own, base, n);
    return *values && finds_vectors(team, second_matrix{p, b, scale, own}, slice.repairs + 1);
}

static __global__ void __launch_bounds__(SECOND_THREADS) second_kernel(geev_slice slice)
{
    __shared__ double space[SECOND_WARPS];
    second_team const team = {(int)threadIdx.x, space};
    const geev_problem &p = slice.p;
    int const n = (int)p.n;
    int64_t const again = (int64_t)slice.queue->failed, all = again + (int64_t)slice.queue->doubtful;
    char *const base = (char *)slice.plain + blockIdx.x * slice.plain_bytes;
    for (int64_t at = blockIdx.x; at < all; at += gridDim.x) {
        int64_t const b = at < again ? slice.failed[at] : slice.failed[slice.count - 1 - (at - again)];
        if (at < again) {
            schur_area<entry> area;
            schur_carve(&area, base, n, n, p.vectors, p.vectors);
            schur_matrix(team, area, slice, b, true);
            if (team.rank == 0) atomicAdd(slice.repairs, 1ull);
        }
        team.sync(); /* the results are stored */
        if (!has_results(p, b)) continue;
        second_area area;
        carve_second(&area, base, n);
        bool values;
        scale_type const scale = judge_matrix(team, p, b, &values);
        if (scale.unit == 0) continue;
        bool good = values && finds_vectors(team, second_matrix{p, b, scale, area}, slice.repairs + 1);
        if (!good && p.balance) good = solve_unbalanced(team, slice, b, scale, base, &values);
        if (!good && has_results(p, b)) reject(team, p, b, values);
        team.sync(); /* the memory is free */
    }
}

eig_status TYPED(eig_cuda_geev_second)(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    geev_slice second = slice;
    second.spread = NULL; /* all vectors are looked at */
    return cuda_launch(ctx, "geev: second_kernel", stream, {slice.plain_blocks, SECOND_THREADS}, second_kernel, second);
}
