/* eigpack.hpp, as C++17 and as C++20: every call has the bits and the status of its function of C, failures are told either
 * way, and a view that is too short is refused.  0 when all is right. */
#include <eigpack.hpp>

#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>
#ifdef __has_include
#if __has_include(<version>)
#include <version>
#endif
#endif
#ifdef __cpp_lib_span
#include <span>
#endif

using std::int64_t;
using std::vector;

static int wrong = 0;

static void expect(bool good, const char *what)
{
    if (good) return;
    std::fprintf(stderr, "face.cpp: %s\n", what);
    wrong = 1;
}

/* The outputs of a call: all that it may write, filled before with what it does not write. */
template <class R, class T> struct outputs {
    vector<R> w = vector<R>(40, R(-7)), lower = w, upper = w, residual = w, orthogonality = w;
    vector<T> z = vector<T>(200, T(-7)), z2 = z;
    vector<int> info = vector<int>(40, -7), sweeps = info;
    vector<int64_t> m = vector<int64_t>(80, -7), isuppz = m;
    eigpack::stemr_stats stats;
    eig_status status = EIG_OK;
};

template <class V> static bool same(const V &x, const V &y)
{
    return std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]) == 0;
}

template <class R, class T> static void compare(const outputs<R, T> &x, const outputs<R, T> &y, const char *what)
{
    expect(x.status == y.status && same(x.w, y.w) && same(x.lower, y.lower) && same(x.upper, y.upper) &&
               same(x.residual, y.residual) && same(x.orthogonality, y.orthogonality) && same(x.z, y.z) &&
               same(x.z2, y.z2) && same(x.info, y.info) && same(x.sweeps, y.sweeps) && same(x.m, y.m) &&
               same(x.isuppz, y.isuppz) && std::memcmp(&x.stats, &y.stats, sizeof x.stats) == 0,
           what);
}

/* Matrices of order 5, rows of 6, one every 32, 3 of them, nearly Hermitian or not. */
enum { N = 5, LD = 6, STRIDE = 32, BATCH = 3 };

static float imaginary(float, int)
{
    return 0;
}
static double imaginary(double, int)
{
    return 0;
}
template <class R> static std::complex<R> imaginary(std::complex<R>, int k)
{
    return {0, R(k % 3) / 8};
}

template <class T> static vector<T> numbers(int count)
{
    vector<T> a(count);
    for (int k = 0; k < count; ++k) a[k] = T(float((k * 37 + k * k) % 19 - 9) / 4) + imaginary(T(), k);
    return a;
}

template <class R> static void tridiagonal(eigpack::status_context &ctx, eig_type type)
{
    using result = outputs<R, R>;
    eig_context *const c = ctx.get();
    vector<R> const d = numbers<R>(BATCH * LD), e = numbers<R>(BATCH * LD + 1);
    eigpack::stebz_options some;
    some.range = EIG_RANGE_INDEX, some.il = 2, some.iu = 4;
    eigpack::stemr_options pairs;
    pairs.range = EIG_RANGE_INDEX, pairs.il = 2, pairs.iu = 4;
    {
        result x, y;
        x.status = ctx.stebz(some, N, d, e, &x.m[0], x.w, x.lower, x.upper, &x.info[0]);
        y.status = eig_stebz(c, type, &some, N, d.data(), e.data(), &y.m[0], y.w.data(), y.lower.data(), y.upper.data(),
                             &y.info[0]);
        compare(x, y, "stebz");
        expect(x.status == EIG_OK && x.m[0] == 3 && x.lower[0] <= x.w[0], "stebz computes");
    }
    {
        result x, y;
        x.status = ctx.stebz_batched(some, N, d, LD, e, LD - 1, x.w, x.lower, x.upper, 7, x.info, BATCH);
        y.status = eig_stebz_batched(c, type, &some, N, d.data(), LD, e.data(), LD - 1, y.w.data(), y.lower.data(),
                                     y.upper.data(), 7, y.info.data(), BATCH);
        compare(x, y, "stebz_batched");
        expect(x.status == EIG_OK && x.info[BATCH - 1] == 0, "stebz_batched computes");
    }
    {
        result x, y;
        x.status = ctx.stebz_count(N, d, e, 4, numbers<R>(4), x.m, &x.info[0]);
        y.status = eig_stebz_count(c, type, N, d.data(), e.data(), 4, numbers<R>(4).data(), y.m.data(), &y.info[0]);
        compare(x, y, "stebz_count");
        expect(x.status == EIG_OK && x.m[3] >= 0, "stebz_count computes");
    }
    {
        result x, y;
        x.status = ctx.stemr(pairs, N, d, e, &x.m[0], x.w, x.z, LD, x.isuppz, x.info, x.residual, &x.orthogonality[0],
                             &x.stats);
        y.status = eig_stemr(c, type, &pairs, N, d.data(), e.data(), &y.m[0], y.w.data(), y.z.data(), LD,
                             y.isuppz.data(), y.info.data(), y.residual.data(), &y.orthogonality[0], &y.stats);
        compare(x, y, "stemr");
        expect(x.status == EIG_OK && x.m[0] == 3 && x.stats.blocks > 0, "stemr computes");
    }
    {
        result x, y;
        x.status = ctx.stemr_batched(pairs, N, d, LD, e, LD - 1, x.m, x.w, 7, x.z, LD, STRIDE, x.isuppz, x.info,
                                     x.residual, x.orthogonality, &x.stats, BATCH);
        y.status = eig_stemr_batched(c, type, &pairs, N, d.data(), LD, e.data(), LD - 1, y.m.data(), y.w.data(), 7,
                                     y.z.data(), LD, STRIDE, y.isuppz.data(), y.info.data(), y.residual.data(),
                                     y.orthogonality.data(), &y.stats, BATCH);
        compare(x, y, "stemr_batched");
        expect(x.status == EIG_OK && x.m[BATCH - 1] == 3, "stemr_batched computes");
    }
}

template <class T, class R> static void hermitian(eigpack::status_context &ctx, eig_type type)
{
    using result = outputs<R, T>;
    vector<T> const a = numbers<T>(BATCH * STRIDE);
    eigpack::heev_options some;
    some.range = EIG_RANGE_INDEX, some.il = 2, some.iu = 4, some.method = EIG_HEEV_JACOBI;
    {
        result x, y;
        x.status = ctx.heev(some, N, a, LD, &x.m[0], x.w, x.z, LD, &x.info[0], &x.sweeps[0]);
        y.status = eig_heev(ctx.get(), type, &some, N, a.data(), LD, &y.m[0], y.w.data(), y.z.data(), LD, &y.info[0],
                            &y.sweeps[0]);
        compare(x, y, "heev");
        expect(x.status == EIG_OK && x.m[0] == 3 && x.info[0] == 0 && x.sweeps[0] > 0, "heev computes");
    }
    {
        result x, y;
        x.status = ctx.heev_batched(some, N, a, LD, STRIDE, x.m, x.w, 7, x.z, LD, STRIDE, x.info, x.sweeps, BATCH);
        y.status = eig_heev_batched(ctx.get(), type, &some, N, a.data(), LD, STRIDE, y.m.data(), y.w.data(), 7,
                                    y.z.data(), LD, STRIDE, y.info.data(), y.sweeps.data(), BATCH);
        compare(x, y, "heev_batched");
        expect(x.status == EIG_OK && x.m[BATCH - 1] == 3 && x.w[14] <= x.w[16], "heev_batched computes");
    }
}

/* Vectors, condition and complex matrices are refused so far: then the status and the sentence are compared. */
template <class T, class R> static void general(eigpack::status_context &ctx, eig_type type, bool vectors)
{
    using C = std::complex<R>;
    using result = outputs<R, C>;
    using view = eigpack::view<C>;
    eig_context *const c = ctx.get();
    vector<T> const a = numbers<T>(BATCH * STRIDE), points = numbers<T>(10);
    bool const works = !vectors && sizeof(T) == sizeof(R);
    auto const given = [vectors](vector<C> &z) { return vectors ? z.data() : nullptr; };
    auto const viewed = [vectors](vector<C> &z) { return vectors ? view(z) : view(); };
    {
        result x, y;
        vector<C> wx(40), wy(40);
        x.status = ctx.geev({}, N, a, LD, wx, viewed(x.z), LD, viewed(x.z2), LD + 1, {}, &x.info[0]);
        std::string const sentence = ctx.error_detail();
        y.status = eig_geev(c, type, nullptr, N, a.data(), LD, wy.data(), given(y.z), LD, given(y.z2), LD + 1, nullptr,
                            &y.info[0]);
        compare(x, y, "geev");
        expect(same(wx, wy) && sentence == eig_error_detail(c), "geev's eigenvalues and sentence");
        if (works) expect(x.status == EIG_OK && x.info[0] == 0, "geev computes");
    }
    {
        result x, y;
        vector<C> wx(40), wy(40);
        x.status = ctx.geev_batched({}, N, a, LD, STRIDE, wx, 7, viewed(x.z), LD, STRIDE, viewed(x.z2), LD + 1,
                                    STRIDE + 3, {}, x.info, BATCH);
        std::string const sentence = ctx.error_detail();
        y.status = eig_geev_batched(c, type, nullptr, N, a.data(), LD, STRIDE, wy.data(), 7, given(y.z), LD, STRIDE,
                                    given(y.z2), LD + 1, STRIDE + 3, nullptr, y.info.data(), BATCH);
        compare(x, y, "geev_batched");
        expect(same(wx, wy) && sentence == eig_error_detail(c), "geev_batched's eigenvalues and sentence");
        if (works) expect(x.status == EIG_OK && x.info[BATCH - 1] == 0, "geev_batched computes");
    }
    {
        result x, y;
        vector<C> wx(40), wy(40);
        x.status = ctx.geev_affine({}, N, 2, a, LD, STRIDE, points, 3, wx, 7, EIG_GEEV_RADIUS, x.lower, x.info, 3);
        y.status = eig_geev_affine(c, type, nullptr, N, 2, a.data(), LD, STRIDE, points.data(), 3, wy.data(), 7,
                                   EIG_GEEV_RADIUS, y.lower.data(), y.info.data(), 3);
        compare(x, y, "geev_affine");
        expect(same(wx, wy), "geev_affine's eigenvalues");
        if (works) expect(x.status == EIG_OK && x.lower[2] > 0, "geev_affine computes");
    }
}

template <class T, class R> static void schur(eigpack::status_context &ctx, eig_type type)
{
    using result = outputs<R, T>;
    vector<T> const a = numbers<T>(BATCH * STRIDE);
    vector<std::complex<R>> wx(40), wy(40);
    result x, y;
    x.status = ctx.geev_schur({}, N, a, LD, STRIDE, wx, 7, x.z, LD, STRIDE, x.z2, LD + 1, STRIDE + 3, x.info, BATCH);
    y.status = eig_geev_schur(ctx.get(), type, nullptr, N, a.data(), LD, STRIDE, wy.data(), 7, y.z.data(), LD, STRIDE,
                              y.z2.data(), LD + 1, STRIDE + 3, y.info.data(), BATCH);
    compare(x, y, "geev_schur");
    expect(same(wx, wy), "geev_schur's eigenvalues");
    expect(x.status == EIG_OK && x.info[BATCH - 1] == 0 && x.z[N - 1] == T(0) && x.z2[0] != T(-7),
           "geev_schur computes");
    expect(ctx.geev_schur({}, N, a, LD, STRIDE, wx, 7, {x.z.data(), 2 * STRIDE + 28}, LD, STRIDE, {}, 0, 0, {},
                          BATCH) == EIG_BAD_ARGUMENT &&
               std::string(ctx.error_detail()) == "geev_schur: t has 92 elements, must have 93",
           "geev_schur with a short t");
}

template <class T> static void work_sizes(eigpack::status_context &ctx, eig_type letter)
{
    std::size_t x = 1, y = 2;
    eig_type const type = eigpack::type<T>;
    eig_context *const c = ctx.get();
    expect(type == letter, "type");
    auto const compare = [&](eig_status s, eig_status t) { expect(s == t && (s != EIG_OK || x == y), "work sizes"); };
    compare(ctx.stebz_work_size(type, {}, 50, 7, &x), eig_stebz_work_size(c, letter, nullptr, 50, 7, &y));
    compare(ctx.stebz_count_work_size(type, 50, 7, &x), eig_stebz_count_work_size(c, letter, 50, 7, &y));
    compare(ctx.stemr_work_size(type, {}, 50, true, &x), eig_stemr_work_size(c, letter, nullptr, 50, 1, &y));
    compare(ctx.heev_work_size(type, {}, 50, true, 7, &x), eig_heev_work_size(c, letter, nullptr, 50, 1, 7, &y));
    compare(ctx.geev_work_size(type, {}, 50, false, 7, &x), eig_geev_work_size(c, letter, nullptr, 50, 0, 7, &y));
}

/* A context is moved, adopted, given away; containers of every kind are views. */
static void contexts()
{
    static_assert(!std::is_copy_constructible_v<eigpack::context> && !std::is_copy_assignable_v<eigpack::context>);
    static_assert(std::is_nothrow_move_constructible_v<eigpack::context>);
    static_assert(!std::is_convertible_v<vector<float> &, eigpack::view<double>>);
    static_assert(!std::is_convertible_v<const vector<double> &, eigpack::view<double>>);
    std::array<double, 3> const d = {2, 2, 2};
    double const e[2] = {-1, -1};
    vector<double> w(3), again(3);
    eigpack::context first("cpu"), second = std::move(first);
    expect(!first.get() && second.get(), "a move");
    first = std::move(second);
    first.stebz({}, 3, d, e, nullptr, w);
    expect(w[0] > 0.58 && w[0] < 0.59, "stebz of a new context");
    eigpack::context adopted(first.release());
    double *const pointer = again.data();
    adopted.stebz({}, 3, {d.data(), d.size()}, {&e[0], 2}, nullptr, {pointer, 3});
    expect(same(w, again), "pointers and sizes");
#ifdef __cpp_lib_span
    std::span<double> const all(again);
    adopted.stebz({}, 3, std::span(d), std::span(e), nullptr, all.first(3));
    expect(same(w, again), "spans");
#endif
    vector<float> a = {2, 1, 1, 2};
    float values[2];
    adopted.heev({}, 2, a, 2, nullptr, values, a, 2); /* in place */
    expect(values[0] > 0.999F && values[0] < 1.001F, "heev in place");
}

static void failures()
{
    eigpack::status_context quiet;
    double const d[3] = {2, 2, 2}, e[2] = {-1, -1};
    double w[3];
    expect(quiet.stebz({}, 3, d, e, nullptr, w) == EIG_BAD_ARGUMENT, "an empty context");
    expect(quiet.open("no such device") != EIG_OK && *quiet.error_detail(), "a device that does not exist");
    expect(quiet.open("cpu") == EIG_OK && std::strstr(quiet.describe(), "cpu"), "open again");
    expect(quiet.stebz({}, 3, d, {e, 1}, nullptr, w) == EIG_BAD_ARGUMENT &&
               std::string(quiet.error_detail()) == "stebz: e has 1 elements, must have 2",
           "a view that is too short");
    expect(quiet.stebz({}, -1, d, e, nullptr, w) == EIG_BAD_ARGUMENT && std::strstr(quiet.error_detail(), "n = -1"),
           "a size that C refuses");
    vector<std::complex<float>> a(100);
    vector<float> v(100);
    eigpack::heev_options options;
    options.layout = EIG_LAYOUT_ELEMENT_WISE; /* elements every 11, batch 10: the last one at 11*(3*3-1) + 9 */
    expect(quiet.heev_batched(options, 3, {a.data(), 97}, 3, 11, {}, v, 3, {}, 0, 0, {}, {}, 10) == EIG_BAD_ARGUMENT &&
               std::string(quiet.error_detail()) == "heev_batched: a has 97 elements, must have 98" &&
               quiet.heev_batched(options, 3, {a.data(), 98}, 3, 11, {}, v, 3, {}, 0, 0, {}, {}, 10) == EIG_OK,
           "element-wise");
    options.layout = EIG_LAYOUT_ROW_WISE; /* rows every 32, of matrices every 3: the last one ends at 32*2 + 3*9 + 3 */
    expect(quiet.heev_batched(options, 3, {a.data(), 93}, 3, 32, {}, v, 3, {}, 0, 0, {}, {}, 10) == EIG_BAD_ARGUMENT &&
               quiet.heev_batched(options, 3, {a.data(), 94}, 3, 32, {}, v, 3, {}, 0, 0, {}, {}, 10) == EIG_OK,
           "row-wise");
    double const family[12] = {0, 1, -1, 0, 1, 0, 0, 1, 2, 0, 0, 2}, point[2] = {1, 1}; /* three matrices of order 2 */
    double radius[1];
    expect(quiet.geev_affine({}, 2, 2, {family, 11}, 2, 4, point, 2, {}, 0, EIG_GEEV_RADIUS, radius, {}, 1) ==
                   EIG_BAD_ARGUMENT &&
               std::string(quiet.error_detail()) == "geev_affine: a has 11 elements, must have 12" &&
               quiet.geev_affine({}, 2, 2, family, 2, 4, point, 2, {}, 0, EIG_GEEV_RADIUS, radius, {}, 1) == EIG_OK,
           "an affine family that lacks an element");
    int calls = 0;
    auto cancel = [&calls](double) { return ++calls > 0; };
    expect(quiet.set_progress(cancel) == EIG_OK, "set_progress");
    vector<double> large(3000, 1.0), many(3000);
    expect(quiet.stebz({}, 3000, large, large, nullptr, many) == EIG_CANCELLED && calls > 0, "progress cancels");
    expect(quiet.set_progress(nullptr, nullptr) == EIG_OK && quiet.set_threads(1) == EIG_OK &&
               quiet.set_timing(true) == EIG_OK && quiet.set_workspace(nullptr, 0) == EIG_OK &&
               quiet.set_stream(nullptr) == EIG_OK && quiet.synchronize() == EIG_OK,
           "settings");
    eigpack::pass pass;
    expect(quiet.stebz({}, 3, d, e, nullptr, w) == EIG_OK && quiet.get_passes() > 0 && quiet.get_road()[0] != 0 &&
               quiet.get_pass(0, &pass) == EIG_OK && pass.name,
           "passes");
    std::int64_t matrices = 1, vectors = 1;
    expect(quiet.get_repairs(&matrices, &vectors) == EIG_OK && matrices == 0 && vectors == 0, "repairs");
#ifdef __cpp_exceptions
    eigpack::context ctx("cpu");
    try {
        ctx.stebz({}, 3, d, e, nullptr, {w, 2});
        expect(false, "nothing was thrown");
    } catch (const eigpack::error &error) {
        expect(error.status() == EIG_BAD_ARGUMENT && std::strstr(error.what(), "illegal value: stebz: w has 2"),
               "an error");
    }
    try {
        eigpack::context none("no such device");
        expect(false, "nothing was thrown");
    } catch (const std::exception &error) {
        expect(std::strstr(error.what(), "no such device"), error.what());
    }
#endif
}

int main()
{
    eigpack::status_context ctx;
    expect(ctx.open("cpu") == EIG_OK && ctx.set_threads(2) == EIG_OK, ctx.error_detail());
    tridiagonal<float>(ctx, EIG_S), tridiagonal<double>(ctx, EIG_D);
    hermitian<float, float>(ctx, EIG_S), hermitian<double, double>(ctx, EIG_D);
    hermitian<std::complex<float>, float>(ctx, EIG_C), hermitian<std::complex<double>, double>(ctx, EIG_Z);
    for (bool vectors : {false, true}) {
        general<float, float>(ctx, EIG_S, vectors), general<double, double>(ctx, EIG_D, vectors);
        general<std::complex<float>, float>(ctx, EIG_C, vectors);
        general<std::complex<double>, double>(ctx, EIG_Z, vectors);
    }
    schur<float, float>(ctx, EIG_S), schur<double, double>(ctx, EIG_D);
    schur<std::complex<float>, float>(ctx, EIG_C), schur<std::complex<double>, double>(ctx, EIG_Z);
    work_sizes<float>(ctx, EIG_S), work_sizes<double>(ctx, EIG_D);
    work_sizes<std::complex<float>>(ctx, EIG_C), work_sizes<std::complex<double>>(ctx, EIG_Z);
    contexts();
    failures();
    return wrong;
}
