/* Divide and conquer on batches of tridiagonal matrices, from the inside: values against counts in long double, vectors
 * by residual and orthogonality, on families that are hard for it; failures, bits, the ends of arrays, a graph.
 *
 *     test_heev_divide_cuda [small]     exit status 0 where all hold, 1 where one fails, 77 without a GPU
 *
 * small: sizes for compute-sanitizer, which takes a thousand times as long. */
#include "heev/heev_cuda.cuh"
#include "primitives/real.cuh"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

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

/* -------------------------------------------------------------------- matrices */

enum family {
    UNIFORM,      /* entries in (-1, 1) */
    SECOND,       /* 1-2-1: known values; all poles of both halves coincide */
    GLUED,        /* Wilkinson's W21, glued by 1e-8 */
    GLUED_CLOSER, /* by 1e-15 */
    WILKINSON,    /* pairs of values that agree to all digits */
    GRADED,       /* from 1 to 1e-15 */
    CLUSTERED,    /* all values within 1e-14 of 1 */
    ZERO,
    SPLIT, /* every seventh off-diagonal is 0 */
    IDENTITY,
    DIAGONAL, /* in no order */
    CLEMENT,  /* integers over n */
    UNEVEN,   /* off-diagonals from 1e-16 to 1, diagonals close to 0 */
    REDUCED,  /* as the reduction of a dense random matrix gives: little is deflated */
    FAMILIES
};
static const char *const family_names[FAMILIES] = {"uniform",  "1-2-1",     "glued",  "glued closer", "Wilkinson",
                                                   "graded",   "clustered", "zero",   "split",        "identity",
                                                   "diagonal", "Clement",   "uneven", "reduced"};

static double uniform(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 0x1p23 - 1;
}

/* Row i of a matrix of order n: its diagonal, and the off-diagonal below it. */
static void family_row(int family, int n, int i, unsigned *seed, double *d, double *e)
{
    double const x = uniform(seed), y = uniform(seed), w21 = std::fabs(i % 21 - 10.0) / 10;
    double const ratio[] = {i % 21 == 20 ? 1e-8 : 0.1, i % 21 == 20 ? 1e-15 : 0.1};
    double const table[FAMILIES][2] = {{x, y},
                                       {0.5, 0.25},
                                       {w21, ratio[0]},
                                       {w21, ratio[1]},
                                       {std::fabs(i - (n - 1) / 2.0) / n, 1.0 / n},
                                       {std::pow(10, -15.0 * i / n), 0.3 * std::pow(10, -15 * (i + 0.5) / n)},
                                       {1 + 1e-14 * x, 1e-14 * y},
                                       {0, 0},
                                       {x, i % 7 == 6 ? 0 : y},
                                       {1, 0},
                                       {x, 0},
                                       {0, std::sqrt((i + 1.0) * (n - 1 - i)) / n},
                                       {i % 2 * 1e-9 * i, std::pow(10, -8 * (y + 1))},
                                       {x / std::sqrt(n), (0.5 + 0.02 * y) * std::sqrt((double)(n - 1 - i) / n)}};
    *d = table[family][0], *e = table[family][1];
}

/* A batch on both sides. */
template <typename real> struct batch {
    int64_t n, count;
    bool vectors;
    std::vector<real> d, e, w, z; /* w, z: the results */
    std::vector<int> failed;
    char *memory = NULL;
    heev_tridiagonals t;
    enum { GUARD = 256, ARRAYS = 6 };
    size_t bytes[ARRAYS]; /* of d, e, z, failed, work, the input d; a guard lies behind each */
    void *input;

    batch(int64_t order, int64_t matrices, bool wanted)
        : n(order), count(matrices), vectors(wanted), d(n * count), e(n * count), w(n * count),
          z(wanted ? n * n * count : 0), failed(count)
    {
    }
    batch(const batch &) = delete;
    ~batch()
    {
        cudaFree(memory);
    }
    void fill(int64_t b, int family)
    {
        unsigned seed = 7919u * (unsigned)family + (unsigned)n;
        double x, y;
        for (int64_t i = 0; i < n; ++i) {
            family_row(family, (int)n, (int)i, &seed, &x, &y);
            d[b * n + i] = (real)x, e[b * n + i] = i < n - 1 ? (real)y : (real)NAN;
        }
    }
    /* What a graph may hold: the call on a copy of d. */
    void enqueue(cudaStream_t stream)
    {
        must(cudaMemcpyAsync(t.d, input, bytes[0], cudaMemcpyDeviceToDevice, stream));
        if (eig_cuda_heev_divide(ctx, t, stream) != EIG_OK) expect(false, eig_error_detail(ctx));
    }
    static size_t room_of(size_t size)
    {
        return (size + 2 * GUARD - 1) / GUARD * GUARD;
    }
    /* Room for all arrays, all bits set, and the input. */
    void allocate()
    {
        t = {n, count, sizeof(real) == 4, vectors, NULL, NULL, NULL, NULL, NULL};
        size_t const size[ARRAYS] = {d.size() * sizeof(real), e.size() * sizeof(real),        z.size() * sizeof(real),
                                     count * sizeof(int),     eig_cuda_heev_divide_bytes(&t), d.size() * sizeof(real)};
        void **const to[ARRAYS] = {&t.d, &t.e, &t.z, (void **)&t.failed, &t.work, &input};
        size_t all = 0;
        for (int i = 0; i < ARRAYS; ++i) bytes[i] = size[i], all += room_of(size[i]);
        must(cudaMalloc(&memory, all));
        must(cudaMemset(memory, 0xff, all));
        char *at = memory;
        for (int i = 0; i < ARRAYS; at += room_of(size[i++]))
            if (i != 2 || vectors) *to[i] = at;
        must(cudaMemcpy(input, d.data(), bytes[0], cudaMemcpyHostToDevice));
        must(cudaMemcpy(t.e, e.data(), bytes[1], cudaMemcpyHostToDevice));
        must(cudaDeviceSynchronize());
    }
    void fetch()
    {
        must(cudaDeviceSynchronize());
        must(cudaMemcpy(w.data(), t.d, bytes[0], cudaMemcpyDeviceToHost));
        if (vectors) must(cudaMemcpy(z.data(), t.z, bytes[2], cudaMemcpyDeviceToHost));
        must(cudaMemcpy(failed.data(), t.failed, bytes[3], cudaMemcpyDeviceToHost));
    }
    void solve()
    {
        allocate();
        enqueue(0);
        fetch();
    }
    bool guards_hold() const
    {
        const char *at = memory;
        for (int i = 0; i < ARRAYS; at += room_of(bytes[i++])) {
            std::vector<unsigned char> guard(room_of(bytes[i]) - bytes[i]);
            must(cudaMemcpy(guard.data(), at + bytes[i], guard.size(), cudaMemcpyDeviceToHost));
            for (unsigned char x : guard)
                if (x != 0xff) return false;
        }
        return true;
    }
    /* Whether matrix b of this batch and matrix c of the other one have the same results, bit by bit. */
    bool same(int64_t b, const batch &other, int64_t c) const
    {
        return failed[b] == other.failed[c] && memcmp(&w[b * n], &other.w[c * n], n * sizeof(real)) == 0 &&
               (!vectors || memcmp(&z[b * n * n], &other.z[c * n * n], n * n * sizeof(real)) == 0);
    }
};

/* ---------------------------------------------------------------- certificates */

/* How many eigenvalues are smaller than x. */
static int64_t count_below(int64_t n, const std::vector<long double> &d, const std::vector<long double> &e,
                           long double x)
{
    int64_t below = 0;
    long double q = 1;
    for (int64_t i = 0; i < n; ++i) {
        long double const b = i > 0 ? e[i - 1] : 0;
        q = (d[i] - x) - b * (b / q);
        if (std::fabs(q) < 1e-4000L) q = -1e-4000L;
        below += q < 0;
    }
    return below;
}

/* The errors of matrix b: largest entries of Z^T Z - I and of T Z - Z W, in sqrt(n) eps and sqrt(n) eps ||T||; largest
 * error of a value in eps ||T||, up to `most`.  Not finite or not ascending: infinite. */
struct errors {
    double value, orthogonality, residual;
};

template <typename real> static errors errors_of(const batch<real> &x, int64_t b, double most)
{
    int64_t const n = x.n;
    double const eps = real_limits<real>::eps;
    std::vector<long double> d(x.d.begin() + b * n, x.d.begin() + (b + 1) * n);
    std::vector<long double> e(x.e.begin() + b * n, x.e.begin() + (b + 1) * n);
    std::vector<double> z(x.z.begin() + (x.vectors ? b * n * n : 0), x.z.begin() + (x.vectors ? (b + 1) * n * n : 0));
    e[n - 1] = 0;
    errors worst = {0, 0, 0};
    long double norm = 0;
    for (int64_t i = 0; i < n; ++i)
        norm = std::max(norm, std::fabs(d[i]) + std::fabs(e[i]) + (i > 0 ? std::fabs(e[i - 1]) : 0));
    if (norm == 0) norm = 1;
    for (int64_t j = 0; j < n; ++j) {
        double const w = x.w[b * n + j];
        if (!std::isfinite(w) || (j > 0 && w < x.w[b * n + j - 1])) return {INFINITY, INFINITY, INFINITY};
        double off = 0.5;
        for (; off < most; off *= 2) {
            long double const by = off * eps * norm;
            if (count_below(n, d, e, w - by) <= j && count_below(n, d, e, w + by) > j) break;
        }
        worst.value = std::max(worst.value, off);
        const double *const v = z.data() + j * n;
        for (int64_t i = 0; i < n && x.vectors; ++i) {
            long double rest = (d[i] - w) * v[i];
            if (i > 0) rest += e[i - 1] * v[i - 1];
            if (i < n - 1) rest += e[i] * v[i + 1];
            worst.residual = std::max(worst.residual, (double)(std::fabs(rest) / norm));
        }
        for (int64_t k = 0; k <= j && x.vectors; ++k) {
            double sums[8] = {j == k ? -1.0 : 0.0};
            for (int64_t i = 0; i < n; ++i) sums[i % 8] += v[i] * z[k * n + i];
            double const sum =
                ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
            worst.orthogonality = std::isfinite(sum) ? std::max(worst.orthogonality, std::fabs(sum)) : INFINITY;
        }
    }
    double const unit = eps * std::sqrt((double)n);
    return {worst.value, worst.orthogonality / unit, worst.residual / unit};
}

/* ----------------------------------------------------------------------- tests */

static std::string title(const char *what, int64_t n, size_t size, bool vectors)
{
    char text[200];
    snprintf(text, sizeof text, "%s, n = %lld, %s, %s", what, (long long)n, size == 4 ? "float" : "double",
             vectors ? "vectors" : "values");
    return text;
}

/* All families in one batch; then in another order and number, and one alone: the same bits. */
template <typename real> static void test_families(int64_t n, bool vectors)
{
    static double const MOST_VALUE = 8, MOST_VECTOR = 2; /* the largest seen: 4 and 1.4 */
    batch<real> x(n, FAMILIES, vectors), y(n, 2 * FAMILIES + 3, vectors), one(n, 1, vectors);
    for (int b = 0; b < FAMILIES; ++b) x.fill(b, b);
    for (int b = 0; b < y.count; ++b) y.fill(b, FAMILIES - 1 - b % FAMILIES);
    one.fill(0, UNIFORM);
    x.solve(), y.solve(), one.solve();
    bool good = true, same = one.same(0, x, UNIFORM);
    for (int b = 0; b < FAMILIES; ++b) {
        errors const worst = errors_of(x, b, 64);
        bool const holds = x.failed[b] == 0 && worst.value <= MOST_VALUE && worst.orthogonality <= MOST_VECTOR &&
                           worst.residual <= MOST_VECTOR;
        if (!holds)
            printf(
                "  %s: failed %d, values %g eps ||T||, orthogonality %g sqrt(n) eps, residual %g sqrt(n) eps ||T||\n",
                family_names[b], x.failed[b], worst.value, worst.orthogonality, worst.residual);
        good = good && holds;
    }
    for (int b = 0; b < y.count; ++b) same = same && y.same(b, x, FAMILIES - 1 - b % FAMILIES);
    expect(good, title("all families", n, sizeof(real), vectors));
    expect(same, title("bits of place and number", n, sizeof(real), vectors));
    expect(x.guards_hold() && y.guards_hold() && one.guards_hold(),
           title("nothing is written behind", n, sizeof(real), vectors));
}

/* A NaN or an infinity makes its matrix fail, and no other one. */
template <typename real> static void test_not_finite(int64_t n, bool vectors)
{
    batch<real> good(n, 5, vectors), bad(n, 5, vectors);
    for (int b = 0; b < 5; ++b) good.fill(b, UNIFORM), bad.fill(b, UNIFORM);
    bad.d[n + n / 3] = (real)NAN, bad.e[3 * n + n / 2] = (real)INFINITY;
    good.solve(), bad.solve();
    bool holds = true;
    for (int b = 0; b < 5; ++b) {
        if (b % 2 == 0) {
            holds = holds && good.failed[b] == 0 && bad.same(b, good, b);
            continue;
        }
        holds = holds && bad.failed[b] == n;
        for (int64_t i = 0; i < n; ++i) holds = holds && std::isnan(bad.w[b * n + i]);
        for (int64_t i = 0; i < n * n && vectors; ++i) holds = holds && std::isnan(bad.z[b * n * n + i]);
    }
    expect(holds, title("a NaN and an infinity", n, sizeof(real), vectors));
}

/* Captured into a graph and played twice: the bits of a plain call. */
static void test_graph(int64_t n)
{
    batch<double> plain(n, 3, true), captured(n, 3, true);
    for (int b = 0; b < 3; ++b) plain.fill(b, b), captured.fill(b, b);
    plain.solve();
    captured.allocate();
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    must(cudaStreamCreate(&stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    captured.enqueue(stream);
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&replay, graph, 0));
    for (int i = 0; i < 2; ++i) must(cudaGraphLaunch(replay, stream));
    captured.fetch();
    expect(captured.same(0, plain, 0) && captured.same(1, plain, 1) && captured.same(2, plain, 2), "a graph");
    must(cudaGraphExecDestroy(replay));
    must(cudaGraphDestroy(graph));
    must(cudaStreamDestroy(stream));
}

template <typename real> static void test_type()
{
    /* 700: several roots a thread; 1100: arrays in the workspace */
    static int64_t const sizes[] = {33, 40, 63, 64, 65, 100, 127, 128, 129, 200, 256, 511, 512, 513, 700, 1100};
    static int64_t const small_sizes[] = {33, 65};
    for (int64_t n : small ? std::vector<int64_t>(small_sizes, small_sizes + 2)
                           : std::vector<int64_t>(sizes, sizes + sizeof sizes / sizeof *sizes))
        for (int vectors = 0; vectors < 2; ++vectors)
            if (n <= 700 || !vectors) test_families<real>(n, vectors);
    for (int vectors = 0; vectors < 2; ++vectors) {
        test_not_finite<real>(40, vectors);
        if (!small) test_not_finite<real>(300, vectors);
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
    test_type<double>();
    test_type<float>();
    test_graph(small ? 40 : 200);
    eig_destroy(ctx);
    return failures > 0;
}
