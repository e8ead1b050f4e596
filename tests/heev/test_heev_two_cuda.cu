/* The reduction of road "two stages" of heev on CUDA, from the inside: T's values by Sturm counts in long double against spectra that
 * are known, on families that are hard for it; places in memory, batches, NaN, bits.
 *
 *     test_heev_two_cuda [small] [N...]     exit status 0 where all hold, 1 where one fails, 77 without a GPU
 *
 * small: sizes for compute-sanitizer and for the emulation.  N: these orders in place of the usual ones. */
#include "heev/heev_cuda.cuh"
#include "words/real.cuh"

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
    must(cudaMalloc(&job.areas, areas));
    must(cudaMalloc(&job.d, reals));
    must(cudaMalloc(&job.e, reals));
    must(cudaMalloc(&job.unit, (size_t)count * real_size));
    must(cudaMemset(job.areas, 0xff, areas));
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
    for (void *p : {at_a, job.matrix, job.areas, job.d, job.e, job.unit}) must(cudaFree(p));
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
    for (int n : small ? std::vector<int>{70} : std::vector<int>{40, 129, 400}) test_bits(n);
    eig_destroy(ctx);
    return failures > 0;
}
