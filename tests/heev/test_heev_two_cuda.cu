/* Road "two stages" of heev on CUDA, from the inside, on families that are hard for it; places in memory, batches, NaN, bits.  The
 * reduction: T's values by Sturm counts in long double against spectra that are known.  All of it: residuals and orthogonality of the
 * vectors.
 *
 *     test_heev_two_cuda [small] [N...]     exit status 0 where all hold, 1 where one fails, 77 without a GPU
 *
 * small: sizes for compute-sanitizer and for the emulation.  N: these orders in place of the usual ones. */
#include "heev/heev_cuda.cuh"
#include "primitives/real.cuh"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

typedef std::complex<long double> complex; /* so that the spectrum is known */

static int failures;
static bool small;
static eig_context *ctx;

static void expect(bool holds, const std::string &what)
{
    printf("%s - %s\n", holds ? "ok" : "FAILED", what.c_str());
    failures += !holds;
}

static void must(cudaError_t code)
{
    if (code == cudaSuccess) return;
    printf("FAILED - %s\n", cudaGetErrorString(code));
    exit(1);
}

static double uniform(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 0x1p23 - 1;
}

/* -------------------------------------------------------------------- matrices */

enum family { UNIFORM, CLUSTERED, DEFICIENT, GRADED, PAIRS, IDENTITY, ZERO, DIAGONAL, SECOND, FAMILIES };
static const char *const names[FAMILIES] = {"uniform",  "clustered", "deficient", "graded", "pairs",
                                            "identity", "zero",      "diagonal",  "1-2-1"};

static double value_of(int family, int n, int i, unsigned *seed)
{
    double const x = uniform(seed);
    switch (family) {
    case CLUSTERED:
        return i % 3 + 1e-14 * x;
    case DEFICIENT:
        return i < std::min(n / 2, 20) ? x : 0;
    case GRADED:
        return std::exp2(-40.0 * i / n);
    case PAIRS:
        return i / 2 + (i % 2) * 1e-12;
    case IDENTITY:
        return 1;
    case ZERO:
        return 0;
    case SECOND:
        return 2 - 2 * std::cos((i + 1) * std::acos(-1.0) / (n + 1));
    default:
        return x;
    }
}

/* H A H, H = I - 2 u u^H, |u| = 1; a is full. */
static void reflect(int n, std::vector<complex> &a, const std::vector<complex> &u)
{
    std::vector<complex> p(n);
    long double share = 0;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) p[i] += a[i + (size_t)j * n] * u[j];
    for (int i = 0; i < n; ++i) share += (std::conj(u[i]) * p[i]).real();
    for (int i = 0; i < n; ++i) p[i] = 2.0L * (p[i] - share * u[i]);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) a[i + (size_t)j * n] -= p[i] * std::conj(u[j]) + u[i] * std::conj(p[j]);
}

struct known {
    std::vector<complex> a;    /* column-major, full */
    std::vector<double> value; /* ascending */
    double norm;
};

/* The family's spectrum, turned by `reflections` reflections. */
static known make(int family, int n, bool is_complex, int reflections, unsigned seed)
{
    known k = {std::vector<complex>((size_t)n * n), std::vector<double>(n), 0};
    for (int i = 0; i < n; ++i) {
        k.value[i] = value_of(family, n, i, &seed);
        k.norm = std::max(k.norm, std::fabs(k.value[i]));
        k.a[i + (size_t)i * n] = family == SECOND ? 2.0L : (long double)k.value[i];
        if (family == SECOND && i > 0) k.a[i + (size_t)(i - 1) * n] = k.a[i - 1 + (size_t)i * n] = -1;
    }
    for (int f = 0; f < reflections && family != DIAGONAL; ++f) {
        std::vector<complex> u(n);
        long double squares = 0;
        for (int i = 0; i < n; ++i) {
            double const re = uniform(&seed), im = uniform(&seed);
            u[i] = is_complex ? complex(re, im) : complex(re, 0);
            squares += std::norm(u[i]);
        }
        for (complex &x : u) x /= std::sqrt(squares);
        reflect(n, k.a, u);
    }
    std::sort(k.value.begin(), k.value.end());
    return k;
}

/* ------------------------------------------------------------------ reduction */

/* T, in units of A. */
struct reduced {
    std::vector<double> d, e;
    double unit;
};

static void put(char *to, eig_type type, int64_t at, complex z)
{
    if (type == EIG_S) ((float *)to)[at] = (float)z.real();
    if (type == EIG_D) ((double *)to)[at] = (double)z.real();
    if (type == EIG_C) ((std::complex<float> *)to)[at] = std::complex<float>((float)z.real(), (float)z.imag());
    if (type == EIG_Z) ((std::complex<double> *)to)[at] = std::complex<double>((double)z.real(), (double)z.imag());
}

static double get(const char *from, bool single, int64_t at)
{
    return single ? (double)((const float *)from)[at] : ((const double *)from)[at];
}

/* How a matrix lies: element (i, j), i >= j, stands at i down + j across, where upper is set its conjugate. */
struct placed {
    int pad;
    bool rows, upper;
};

/* Enqueues the reduction, or captures it and runs the graph twice. */
static void enqueue(const heev_job &job, bool captured)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    must(cudaStreamCreate(&stream));
    if (captured) must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    if (eig_cuda_heev_kernels(job.p.type)->two(ctx, job, stream) != EIG_OK) {
        printf("FAILED - %s\n", eig_error_detail(ctx));
        exit(1);
    }
    if (captured) {
        must(cudaStreamEndCapture(stream, &graph));
        must(cudaGraphInstantiate(&replay, graph, 0));
        for (int i = 0; i < 2; ++i) must(cudaGraphLaunch(replay, stream));
        must(cudaStreamSynchronize(stream));
        must(cudaGraphExecDestroy(replay));
        must(cudaGraphDestroy(graph));
    }
    must(cudaStreamSynchronize(stream));
    must(cudaStreamDestroy(stream));
}

/* Reduces the matrices, each times 2^power; the one number `bad` has a NaN. */
static std::vector<reduced> reduce(eig_type type, const std::vector<known> &all, int power, placed where, int bad = -1,
                                   bool captured = false)
{
    int64_t const n = (int64_t)all[0].value.size(), ld = n + where.pad, stride = ld * n, count = (int64_t)all.size();
    const heev_kernels *const k = eig_cuda_heev_kernels(type);
    size_t const number = type_size(type), real_size = type_is_single(type) ? 4 : 8;
    heev_job job = {};
    job.p.type = type, job.p.n = n, job.p.batch = job.p.all = count, job.p.upper = where.upper;
    bool const turned = where.rows;
    job.at_a.b = stride, job.at_a.i = turned ? ld : 1, job.at_a.j = turned ? 1 : ld;
    job.count = count, job.matrix_pitch = k->two_pitch(ctx, n), job.matrix_stride = job.matrix_pitch * job.matrix_pitch;
    std::vector<char> a((size_t)(stride * count) * number, (char)0xff);
    for (int64_t m = 0; m < count; ++m)
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = j; i < n; ++i) {
                complex z = all[m].a[i + j * n];
                z = complex(std::ldexp(z.real(), power), i == j ? 0 : std::ldexp(z.imag(), power));
                if (where.upper) z = std::conj(z);
                if (m == bad && i == n - 1 && j == 0) z = complex(NAN, 0);
                int64_t const r = where.upper ? j : i, c = where.upper ? i : j; /* where it stands */
                put(a.data(), type, m * stride + r * job.at_a.i + c * job.at_a.j, z);
            }
    size_t const areas = k->two_bytes(ctx, &job), reals = (size_t)(n * count) * real_size;
    void *at_a;
    must(cudaMalloc(&at_a, a.size()));
    must(cudaMalloc(&job.matrix, (size_t)(job.matrix_stride * count) * number));
    must(cudaMalloc(&job.room, areas));
    must(cudaMalloc(&job.d, reals));
    must(cudaMalloc(&job.e, reals));
    must(cudaMalloc(&job.unit, (size_t)count * real_size));
    must(cudaMemset(job.room, 0xff, areas));
    must(cudaMemset(job.matrix, 0xff, (size_t)(job.matrix_stride * count) * number));
    must(cudaMemset(job.d, 0xff, reals));
    must(cudaMemset(job.e, 0xff, reals));
    must(cudaMemcpy(at_a, a.data(), a.size(), cudaMemcpyHostToDevice));
    job.p.a = at_a;
    must(cudaDeviceSynchronize());
    enqueue(job, captured);
    std::vector<char> d(reals), e(reals), unit((size_t)count * real_size);
    must(cudaMemcpy(d.data(), job.d, reals, cudaMemcpyDeviceToHost));
    must(cudaMemcpy(e.data(), job.e, reals, cudaMemcpyDeviceToHost));
    must(cudaMemcpy(unit.data(), job.unit, unit.size(), cudaMemcpyDeviceToHost));
    for (void *p : {at_a, job.matrix, job.room, job.d, job.e, job.unit}) must(cudaFree(p));
    std::vector<reduced> t(count);
    for (int64_t m = 0; m < count; ++m) {
        t[m].unit = get(unit.data(), real_size == 4, m);
        for (int64_t i = 0; i < n; ++i) {
            t[m].d.push_back(get(d.data(), real_size == 4, m * n + i));
            t[m].e.push_back(get(e.data(), real_size == 4, m * n + i));
        }
    }
    return t;
}

static bool same(const reduced &x, const reduced &y)
{
    return x.d == y.d && x.e == y.e && x.unit == y.unit;
}

/* ---------------------------------------------------------------- certificates */

/* Values of T times unit that are less than x. */
static int count_below(const reduced &t, long double unit, long double x)
{
    int count = 0;
    long double q = 1;
    for (size_t i = 0; i < t.d.size(); ++i) {
        long double const e = i > 0 ? t.e[i - 1] * unit : 0;
        q = t.d[i] * unit - x - (i > 0 ? e * e / q : 0);
        if (q == 0) q = -1e-4000L;
        count += q < 0;
    }
    return count;
}

/* The largest distance of T's values from the known ones, in eps times the norm: by bisection between powers of two. */
static double error_of(const known &k, const reduced &t, double eps, int power)
{
    long double const unit = std::ldexp((long double)t.unit, -power);
    for (double x : t.d)
        if (!std::isfinite(x)) return INFINITY;
    for (double x : t.e)
        if (!std::isfinite(x)) return INFINITY;
    double error = 0.25;
    for (size_t i = 0; i < k.value.size();) {
        long double const most = error * eps * (k.norm > 0 ? k.norm : 1);
        bool const holds =
            count_below(t, unit, k.value[i] - most) <= (int)i && count_below(t, unit, k.value[i] + most) > (int)i;
        if (holds)
            ++i;
        else if ((error *= 2) > 1e20)
            return error;
    }
    return error;
}

/* ----------------------------------------------------------------------- tests */

static eig_type const types[] = {EIG_S, EIG_D, EIG_C, EIG_Z};
static const char *const type_names[] = {"s", "d", "c", "z"};

static void test_families(int n)
{
    for (int t = 0; t < 4; ++t)
        for (int family = 0; family < FAMILIES; ++family) {
            bool const single = type_is_single(types[t]);
            double const eps = single ? FLT_EPSILON : DBL_EPSILON, allowed = 6 * std::sqrt((double)n) + 8;
            int const power = family % 3 == 0 ? 0 : (single ? 100 : 990) * (family % 3 == 1 ? 1 : -1);
            if (n > 300 && family % 4 != t) continue; /* seconds */
            int const reflections = family == UNIFORM ? 12 : 3;
            std::vector<known> const k = {make(family, n, type_is_complex(types[t]), reflections, 7u * n + family)};
            reduced const r = reduce(types[t], k, power, {family % 2 * 3, family % 4 > 1, family % 5 > 2})[0];
            double const error = error_of(k[0], r, eps, power);
            char text[200];
            snprintf(text, sizeof text, "%s n=%d %s: values within %g eps (%g allowed)", type_names[t], n,
                     names[family], error, allowed);
            expect(error <= allowed, text);
            if (k[0].norm == 0) expect(r.d == std::vector<double>(n) && r.e == r.d, "a matrix of zeros");
        }
}

/* The bits are the same from run to run, from any place, in a batch, beside a matrix that is not finite. */
static void test_bits(int n)
{
    for (int t = 0; t < 4; ++t) {
        std::vector<known> all;
        for (int m = 0; m < 3; ++m) all.push_back(make(UNIFORM, n, type_is_complex(types[t]), 3, 5u + m));
        std::string const name = std::string(type_names[t]) + " n=" + std::to_string(n) + ": ";
        std::vector<reduced> const plain = reduce(types[t], all, 0, {0, false, false});
        for (placed where : {placed{0, false, false}, {3, true, false}, {1, false, true}, {2, true, true}}) {
            std::vector<reduced> const other = reduce(types[t], all, 0, where);
            expect(same(plain[0], other[0]) && same(plain[1], other[1]) && same(plain[2], other[2]),
                   name + "the bits of a place");
        }
        expect(same(plain[2], reduce(types[t], {all[2]}, 0, {0, false, false})[0]), name + "the bits alone");
        expect(same(plain[1], reduce(types[t], {all[1]}, 0, {0, false, false}, -1, true)[0]), name + "a graph");
        std::vector<reduced> const bad = reduce(types[t], all, 0, {0, false, false}, 1);
        expect(same(plain[0], bad[0]) && same(plain[2], bad[2]), name + "the bits beside a NaN");
        expect(std::isnan(bad[1].unit) && bad[1].d == std::vector<double>(n), name + "a NaN");
    }
}

/* --------------------------------------------------------------------- vectors */

typedef std::complex<double> pair;

/* What a call of the road gives. */
struct solved {
    std::vector<char> w, v; /* v with its padding, which holds 0xff */
    std::vector<int> info;
    std::vector<int64_t> found;
    int64_t ldv;
};

static pair number_at(const std::vector<char> &x, eig_type type, int64_t at)
{
    switch (type) {
    case EIG_S:
        return pair((double)((const float *)x.data())[at], 0);
    case EIG_D:
        return pair(((const double *)x.data())[at], 0);
    case EIG_C:
        return pair(((const std::complex<float> *)x.data())[at]);
    default:
        return ((const std::complex<double> *)x.data())[at];
    }
}

/* The triangle of the matrices, as it lies in memory. */
static std::vector<char> placed_triangle(eig_type type, const std::vector<known> &all, placed where, int bad)
{
    int64_t const n = (int64_t)all[0].value.size(), ld = n + where.pad, stride = ld * n;
    std::vector<char> a((size_t)stride * all.size() * type_size(type), (char)0xff);
    for (size_t m = 0; m < all.size(); ++m)
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = j; i < n; ++i) {
                complex z = all[m].a[i + j * n];
                if (i == j) z = complex(z.real(), 0);
                if (where.upper) z = std::conj(z);
                if ((int)m == bad && i == n - 1 && j == 0) z = complex(NAN, 0);
                int64_t const r = where.upper ? j : i, c = where.upper ? i : j; /* where it stands */
                put(a.data(), type, (int64_t)m * stride + (where.rows ? r * ld + c : r + c * ld), z);
            }
    return a;
}

/* Solves with the whole road.  inside: v is a.  odd: v is aligned as its real type alone. */
static solved solve(eig_type type, const std::vector<known> &all, placed where, heev_problem range, bool inside = false,
                    bool odd = false, int bad = -1)
{
    int64_t const n = (int64_t)all[0].value.size(), count = (int64_t)all.size(), ld = n + where.pad;
    size_t const number = type_size(type), real = type_is_single(type) ? 4 : 8, skip = odd ? real : 0;
    std::vector<char> const a = placed_triangle(type, all, where, bad);
    heev_problem p = range;
    p.type = type, p.n = n, p.batch = count, p.all = 1, p.vectors = true, p.layout = EIG_LAYOUT_MATRIX_WISE;
    p.row_major = where.rows, p.upper = where.upper, p.lda = ld, p.stride_a = ld * n;
    if (p.range == EIG_RANGE_ALL) p.il = 1, p.iu = n;
    int64_t const columns = heev_columns_of(&p);
    p.stride_w = columns, p.ldv = inside ? ld : where.rows ? columns + where.pad : n + where.pad;
    p.stride_v = inside ? ld * n : p.ldv * (where.rows ? n : columns);
    solved x = {std::vector<char>((size_t)(columns * count) * real, (char)0xff),
                std::vector<char>((size_t)(p.stride_v * count) * number, (char)0xff), std::vector<int>(count),
                std::vector<int64_t>(count), p.ldv};
    void *at_a, *at_v, *work;
    must(cudaMalloc(&at_a, a.size()));
    must(cudaMalloc(&at_v, x.v.size() + skip));
    must(cudaMalloc(&p.w, x.w.size()));
    must(cudaMalloc((void **)&p.info, x.info.size() * sizeof(int)));
    must(cudaMalloc((void **)&p.m, x.found.size() * sizeof(int64_t)));
    p.a = at_a, p.v = inside ? at_a : (char *)at_v + skip;
    heev_job job = {};
    job.p = p, job.at_a = heev_strides_of(&p), job.at_v = heev_strides_of_v(&p);
    job.road = HEEV_OF_TWO, job.bytes = HEEV_MOST_BYTES;
    eig_cuda_heev_slice_parts(ctx, &p, &job);
    arena measure = {NULL, 0};
    eig_cuda_heev_carve_parts(&measure, ctx, &p, &job);
    must(cudaMalloc(&work, measure.used));
    must(cudaMemset(work, 0xff, measure.used));
    must(cudaMemset(at_v, 0xff, x.v.size() + skip));
    must(cudaMemset(p.w, 0xff, x.w.size()));
    must(cudaMemcpy(at_a, a.data(), a.size(), cudaMemcpyHostToDevice));
    arena own = {(char *)work, 0};
    eig_cuda_heev_carve_parts(&own, ctx, &p, &job);
    int64_t const slice = job.count;
    cudaStream_t stream;
    cuda_clock clock;
    must(cudaStreamCreate(&stream));
    must(cudaDeviceSynchronize());
    for (job.first = 0; job.first < count; job.first += slice) {
        if (count - job.first < slice) job.count = count - job.first;
        if (eig_cuda_heev_parts(ctx, job, stream, &clock) == EIG_OK) continue;
        printf("FAILED - %s\n", eig_error_detail(ctx));
        exit(1);
    }
    must(cudaStreamSynchronize(stream));
    must(cudaStreamDestroy(stream));
    must(cudaMemcpy(x.w.data(), p.w, x.w.size(), cudaMemcpyDeviceToHost));
    must(cudaMemcpy(x.v.data(), p.v, x.v.size(), cudaMemcpyDeviceToHost));
    must(cudaMemcpy(x.info.data(), p.info, x.info.size() * sizeof(int), cudaMemcpyDeviceToHost));
    must(cudaMemcpy(x.found.data(), p.m, x.found.size() * sizeof(int64_t), cudaMemcpyDeviceToHost));
    for (void *q : {at_a, at_v, work, p.w, (void *)p.info, (void *)p.m}) must(cudaFree(q));
    return x;
}

/* Column j of matrix m's vectors. */
static std::vector<pair> vector_of(const solved &x, eig_type type, int64_t n, int64_t columns, bool rows, int64_t m,
                                   int64_t j)
{
    std::vector<pair> v(n);
    int64_t const stride = x.ldv * (rows ? n : columns);
    for (int64_t i = 0; i < n; ++i) v[i] = number_at(x.v, type, m * stride + (rows ? i * x.ldv + j : i + j * x.ldv));
    return v;
}

/* The largest of |A v - w v| / |A| and of |V^H V - I|, in eps, of the first `found` pairs; `some` of them where n is large. */
static double worst_of(const known &k, const solved &x, eig_type type, int64_t columns, bool rows, int64_t m,
                       int64_t found)
{
    int64_t const n = (int64_t)k.value.size(), step = n > 300 ? n / 100 : 1;
    double const eps = type_is_single(type) ? FLT_EPSILON : DBL_EPSILON;
    double norm = 0, worst = 0;
    for (complex z : k.a) norm += (double)std::norm(z);
    norm = norm > 0 ? std::sqrt(norm) : 1;
    std::vector<std::vector<pair>> v;
    for (int64_t j = 0; j < found; j += step) v.push_back(vector_of(x, type, n, columns, rows, m, j));
    for (size_t c = 0; c < v.size(); ++c) {
        double const w = get(x.w.data(), type_is_single(type), m * columns + (int64_t)c * step);
        std::vector<pair> r(n);
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < n; ++i) r[i] += pair(k.a[i + j * n]) * v[c][j];
        double residual = 0;
        for (int64_t i = 0; i < n; ++i) residual += std::norm(r[i] - w * v[c][i]);
        worst = std::max(worst, std::sqrt(residual) / norm / eps);
        for (size_t d = 0; d <= c; ++d) {
            pair dot = c == d ? -1 : 0;
            for (int64_t i = 0; i < n; ++i) dot += std::conj(v[d][i]) * v[c][i];
            worst = std::max(worst, std::abs(dot) / eps);
        }
        if (!(worst == worst)) return INFINITY;
    }
    return worst;
}

static heev_problem range_of(eig_range range, int64_t il = 0, int64_t iu = 0, double vl = 0, double vu = 0)
{
    heev_problem p = {};
    p.range = range, p.il = il, p.iu = iu, p.by_value = range_of_values(EIG_D, vl, vu);
    return p;
}

static void test_vectors(int n)
{
    for (int t = 0; t < 4; ++t)
        for (int family = 0; family < FAMILIES; ++family) {
            if (n > 300 && family % 4 != t) continue; /* seconds */
            std::vector<known> const k = {make(family, n, type_is_complex(types[t]), 3, 7u * n + family)};
            placed const where = {family % 2 * 3, family % 4 > 1, family % 5 > 2};
            solved const x = solve(types[t], k, where, range_of(EIG_RANGE_ALL), family % 3 == 2, family % 3 == 1);
            double const error = worst_of(k[0], x, types[t], n, where.rows, 0, n),
                         allowed = 4 * std::sqrt((double)n) + 12;
            char text[200];
            snprintf(text, sizeof text, "%s n=%d %s: residuals and orthogonality within %.3g eps (%.3g allowed)",
                     type_names[t], n, names[family], error, allowed);
            expect(error <= allowed && x.info[0] == 0, text);
        }
}

/* A range has the bits of the whole; so has any place, and a matrix beside one that is not finite. */
static void test_vector_bits(int n)
{
    for (int t = 0; t < 4; ++t) {
        eig_type const type = types[t];
        std::vector<known> all;
        for (int m = 0; m < 3; ++m) all.push_back(make(UNIFORM, n, type_is_complex(type), 3, 5u + m));
        std::string const name = std::string(type_names[t]) + " n=" + std::to_string(n) + ": vectors: ";
        solved const plain = solve(type, all, {0, false, false}, range_of(EIG_RANGE_ALL));
        auto const same_columns = [&](const solved &x, int64_t columns, bool rows, int64_t m, int64_t from,
                                      int64_t first, int64_t count) {
            bool holds = true;
            for (int64_t j = 0; j < count; ++j)
                holds = holds && vector_of(x, type, n, columns, rows, m, j) ==
                                     vector_of(plain, type, n, n, false, from, first + j);
            return holds;
        };
        solved const again = solve(type, all, {0, false, false}, range_of(EIG_RANGE_ALL));
        expect(plain.v == again.v && plain.w == again.w, name + "the bits of a run");
        solved const alone = solve(type, {all[2]}, {2, true, true}, range_of(EIG_RANGE_ALL), false, true);
        expect(same_columns(alone, n, true, 0, 2, 0, n), name + "the bits alone, and of a place");
        solved const inside = solve(type, all, {1, false, false}, range_of(EIG_RANGE_ALL), true);
        expect(same_columns(inside, n, false, 1, 1, 0, n), name + "the bits inside a");
        solved const bad = solve(type, all, {0, false, false}, range_of(EIG_RANGE_ALL), false, false, 1);
        expect(same_columns(bad, n, false, 0, 0, 0, n) && same_columns(bad, n, false, 2, 2, 0, n),
               name + "the bits beside a NaN");
        expect(bad.info[1] == EIG_INFO_NOT_FINITE &&
                   std::isnan(vector_of(bad, type, n, n, false, 1, n / 2)[n / 3].real()),
               name + "a NaN");
        int64_t const il = n / 3, iu = n / 3 + n / 4;
        for (bool rows : {false, true}) {
            solved const part = solve(type, all, {1, rows, false}, range_of(EIG_RANGE_INDEX, il, iu));
            expect(same_columns(part, iu - il + 1, rows, 1, 1, il - 1, iu - il + 1),
                   name + "a range has the bits of the whole");
        }
        double const vl = (all[0].value[il - 2] + all[0].value[il - 1]) / 2, vu = all[0].value[n - 1] + 1;
        solved const part = solve(type, {all[0]}, {0, false, false}, range_of(EIG_RANGE_VALUE, 1, n, vl, vu));
        expect(part.found[0] == n - il + 1 && same_columns(part, n, false, 0, 0, il - 1, n - il + 1),
               name + "a range by value");
        solved const none = solve(type, {all[0]}, {0, false, false}, range_of(EIG_RANGE_VALUE, 1, n, vu, vu + 1));
        expect(none.found[0] == 0 && none.info[0] == 0, name + "an empty range");
    }
}

int main(int argc, char **argv)
{
    small = argc > 1 && strcmp(argv[1], "small") == 0;
    if (eig_create(&ctx, "cuda") != EIG_OK) {
        printf("skipped: %s\n", eig_error_detail(ctx));
        eig_destroy(ctx);
        return 77;
    }
    std::vector<int> orders = {2,   3,   5,   31,  32,  33,  34,  63,  64,  65,  66,  95,  97,  127,  128, 129,
                               130, 160, 161, 192, 200, 255, 257, 300, 384, 385, 500, 641, 769, 1025, 2049};
    if (small) orders = {2, 33, 65, 130};
    if (argc > 1 + small) orders.clear();
    for (int k = 1 + small; k < argc; ++k) orders.push_back(atoi(argv[k]));
    for (int n : orders) test_families(n);
    for (int n : orders)
        if (n > 2) test_vectors(n);
    for (int n : small ? std::vector<int>{70} : std::vector<int>{40, 129, 400}) test_vector_bits(n);
    for (int n : small ? std::vector<int>{70} : std::vector<int>{40, 129, 400}) test_bits(n);
    eig_destroy(ctx);
    return failures > 0;
}
