/* heev on CUDA, the plain version: two-sided Jacobi, a thread a matrix, with nothing done for speed.
 *
 * Memory   A, both triangles, in the workspace: element e of all matrices of the slice together; V in its own place.
 * Formula  the rotation of src/numerics/jacobi.inc, as on the CPU. */
#include "heev_cuda.cuh"
#include "heev_number.cuh"

enum { PLAIN_THREADS = 64 };

template <typename number> struct plain_matrix {
    using real = typename number::real;
    number *data;
    int64_t i, j; /* distances of neighbours in a column and in a row */
    __device__ __forceinline__ number &operator()(int row, int column) const
    {
        return data[row * i + column * j];
    }
};

/* Columns p and q become x - (g x + conj(s) y) and y + (s x - g y). */
template <typename number, typename real>
static __device__ void plain_turn(const plain_matrix<number> &m, int n, int p, int q, real g, number s)
{
    number zero;
    set(zero, (real)0, (real)0);
    for (int i = 0; i < n; ++i) {
        number const x = load_number(&m(i, p)), y = load_number(&m(i, q));
        number const less = conj_product_add(s, y, scaled(g, x)), more = product_add(s, x, scaled(-g, y));
        store_number(&m(i, p), sum(x, negative(less))), store_number(&m(i, q), sum(y, more));
    }
}

template <typename number> struct plain_jacobi {
    using real = typename number::real;
    plain_matrix<number> a, v;
    int n;
    real bound;
    bool vectors, relative;

    __device__ bool negligible(int p, int q) const
    {
        real const size = magnitude(a(q, p));
        return size <= (relative ? bound * sqrt(fabs(a(p, p).re)) * sqrt(fabs(a(q, q).re)) : bound);
    }
    /* Whether row p holds an element that is not negligible. */
    __device__ bool is_bad(int p) const
    {
        bool some = false;
        for (int q = 0; q < n && !some; ++q) some = p != q && !negligible(p < q ? p : q, p < q ? q : p);
        return some;
    }
    __device__ bool any_left() const
    {
        bool some = false;
        for (int p = 0; p < n && !some; ++p) some = is_bad(p);
        return some;
    }
    __device__ void rotate(int p, int q)
    {
        if (negligible(p, q)) return;
        real const app = a(p, p).re, aqq = a(q, q).re;
        number const apq = a(p, q);
        real g, re, im, change;
        jacobi_rotation(app, aqq, apq.re, imaginary(apq), &g, &re, &im, &change);
        number s;
        set(s, re, im);
        plain_turn(a, n, p, q, g, s);
        for (int i = 0; i < n; ++i) a(p, i) = conj(a(i, p)), a(q, i) = conj(a(i, q));
        set(a(p, p), app - change, (real)0), set(a(q, q), aqq + change, (real)0);
        set(a(p, q), (real)0, (real)0), set(a(q, p), (real)0, (real)0);
        if (vectors) plain_turn(v, n, p, q, g, s);
    }
    /* Loads both triangles, scaled by *scale; false where the matrix is not finite. */
    __device__ bool load(const heev_job &job, int64_t b, real *scale)
    {
        batch_strides const s = job.at_a;
        const number *const from = (const number *)job.p.a + b * s.b;
        real big = 0, squares = 0;
        bool finite = true;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j) {
                number x =
                    lower_of(load_number(from + (job.p.upper ? j * s.i + i * s.j : i * s.i + j * s.j)), job.p.upper);
                if (i == j) set(x, x.re, (real)0);
                finite = finite && isfinite(x.re) && isfinite(imaginary(x));
                big = fmax(big, larger_part(x));
                a(i, j) = x;
            }
        *scale = relative ? heev_scale_relative(finite ? big : (real)1) : heev_scale(finite ? big : (real)1);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j) {
                number x = scaled(*scale, a(i, j));
                if (!finite) set(x, (real)0, (real)0);
                squares = fma(i == j ? (real)1 : (real)2, square(x), squares);
                a(i, j) = x, a(j, i) = conj(x);
            }
        bound = (real)job.p.tolerance * (relative ? (real)1 : sqrt(squares) / (real)n);
        return finite;
    }
    __device__ int solve(int max_sweeps)
    {
        int sweeps = 0;
        for (; sweeps < max_sweeps && any_left(); ++sweeps)
            for (int round = 0; round < jacobi_rounds(n); ++round)
                for (int k = 0; k < n / 2; ++k) {
                    int64_t p, q;
                    jacobi_pair(n, round, k, &p, &q);
                    rotate((int)p, (int)q);
                }
        return sweeps;
    }
    __device__ void swap(int p, int q)
    {
        number const x = a(p, p);
        a(p, p) = a(q, q), a(q, q) = x;
        for (int i = 0; i < n && vectors; ++i) {
            number const y = load_number(&v(i, p));
            store_number(&v(i, p), load_number(&v(i, q))), store_number(&v(i, q), y);
        }
    }
    /* Puts bad columns behind the others, and those in ascending order; how many are bad. */
    __device__ int sort()
    {
        unsigned bad = 0; /* a bit a column: n <= 32 */
        for (int k = 0; k < n; ++k) bad |= is_bad(k) ? 1u << k : 0;
        int good = n;
        for (int k = n - 1; k >= 0; --k)
            if (bad >> k & 1) swap(k, --good);
        for (int k = 0; k < good; ++k) {
            int least = k;
            for (int m = k + 1; m < good; ++m)
                if (a(m, m).re < a(least, least).re) least = m;
            if (least != k) swap(k, least);
        }
        return n - good;
    }
};

template <typename number> static __global__ void __launch_bounds__(PLAIN_THREADS) heev_plain_kernel(heev_job job)
{
    using real = typename number::real;
    int64_t const m = (int64_t)blockIdx.x * PLAIN_THREADS + threadIdx.x, b = job.first + m;
    if (m >= job.count) return;
    int const n = (int)job.p.n;
    batch_strides const s = job.at_v;
    plain_jacobi<number> x;
    x.a = {(number *)job.plain + m, n * job.count, job.count};
    x.v = {(number *)job.p.v + b * s.b, s.i, s.j};
    x.n = n, x.vectors = job.p.v, x.relative = job.p.relative;
    real scale;
    bool const finite = x.load(job, b, &scale);
    number one;
    for (int i = 0; i < n && x.vectors; ++i)
        for (int j = 0; j < n; ++j) set(one, i == j ? (real)1 : (real)0, (real)0), store_number(&x.v(i, j), one);
    int const sweeps = x.solve(job.p.max_sweeps), failed = x.sort();
    int const good = finite ? n - failed : 0;
    for (int k = 0; k < n; ++k) {
        ((real *)job.p.w)[b * job.p.stride_w + k] = k < good ? x.a(k, k).re / scale + (real)0 : (real)NAN;
        set(one, (real)NAN, (real)NAN);
        for (int i = 0; i < n && x.vectors && k >= good; ++i) store_number(&x.v(i, k), one);
    }
    if (job.p.info) job.p.info[b] = finite ? failed : EIG_INFO_NOT_FINITE;
    if (job.p.sweeps) job.p.sweeps[b] = sweeps;
}

template <typename number> static eig_status launch(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return cuda_launch(ctx, "heev: plain_kernel", stream,
                       {(job.count + PLAIN_THREADS - 1) / PLAIN_THREADS, PLAIN_THREADS}, heev_plain_kernel<number>,
                       job);
}

eig_status eig_cuda_heev_plain(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return heev_of_type(job.p.type, [&](auto x) { return launch<decltype(x)>(ctx, job, stream); });
}
