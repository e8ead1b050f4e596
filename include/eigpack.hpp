/* eigpack.hpp: a thin C++17 face of eigpack.h, which has the contract of every call.  Since 0.3; header only.
 *
 *     std::vector<double> d(n, 2), e(n - 1, -1), w(n);
 *     eigpack::context ctx("auto");                     // destroys itself; can be moved, not copied
 *     ctx.stebz({}, n, d, e, nullptr, w);               // throws eigpack::error
 *
 *     std::vector<std::complex<double>> a(n * n * batch), v(n * n * batch);
 *     eigpack::heev_options options;                    // eig_heev_options with all defaults
 *     options.uplo = EIG_UPLO_UPPER;
 *     ctx.heev_batched(options, n, a, n, n * n, {}, w, n, v, n, n * n, info, {}, batch);
 *
 * Calls.  A function eig_?NAME(ctx, ...) of C is ctx.NAME(...), with the same arguments in the same order.  The types
 * of the arrays tell the letter; complex is std::complex.  syev is heev of real arrays.  Arguments at the end that C
 * lets be NULL may be left out.
 *
 * Arrays are views: a pointer and a number of elements.  A container of contiguous elements (std::vector, std::array,
 * std::span, a C array) becomes one by itself, {pointer, size} makes one of any memory, a device's too, and {} stands
 * for NULL.  A view that is too short for the call is refused with EIG_BAD_ARGUMENT and a sentence, and nothing is
 * written.
 *
 * Failures.  context throws; status_context returns the eig_status of each call, and needs no exceptions.  Both keep
 * the sentence: error_detail().  info is never thrown.
 *
 * Nothing here allocates memory. */
#ifndef EIGPACK_HPP
#define EIGPACK_HPP

#include "eigpack.h"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace eigpack
{

/* ----------------------------------------------------- types and structures */

template <class T> inline constexpr eig_type type = eig_type{};
template <> inline constexpr eig_type type<float> = EIG_S;
template <> inline constexpr eig_type type<double> = EIG_D;
template <> inline constexpr eig_type type<std::complex<float>> = EIG_C;
template <> inline constexpr eig_type type<std::complex<double>> = EIG_Z;

/* A structure of C with its size and all defaults: {} is what NULL and the macro are in C. */
struct stebz_options : eig_stebz_options {
    stebz_options() noexcept : eig_stebz_options EIG_STEBZ_OPTIONS {}
    stebz_options(const eig_stebz_options &options) noexcept : eig_stebz_options(options) {}
};
struct stemr_options : eig_stemr_options {
    stemr_options() noexcept : eig_stemr_options EIG_STEMR_OPTIONS {}
    stemr_options(const eig_stemr_options &options) noexcept : eig_stemr_options(options) {}
};
struct heev_options : eig_heev_options {
    heev_options() noexcept : eig_heev_options EIG_HEEV_OPTIONS {}
    heev_options(const eig_heev_options &options) noexcept : eig_heev_options(options) {}
};
struct geev_options : eig_geev_options {
    geev_options() noexcept : eig_geev_options EIG_GEEV_OPTIONS {}
    geev_options(const eig_geev_options &options) noexcept : eig_geev_options(options) {}
};
struct stemr_stats : eig_stemr_stats {
    stemr_stats() noexcept : eig_stemr_stats EIG_STEMR_STATS {}
};
struct pass : eig_pass {
    pass() noexcept : eig_pass EIG_PASS {}
};

/* A pointer and how many elements are there. */
template <class T> class view
{
    template <class C> using pointer_of = std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>;
    template <class C>
    using only_arrays =
        std::enable_if_t<!std::is_same_v<std::decay_t<C>, view> && std::is_convertible_v<pointer_of<C> (*)[], T (*)[]>>;

  public:
    constexpr view(std::nullptr_t = nullptr) noexcept {}
    constexpr view(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <class C, class = only_arrays<C>>
    constexpr view(C &&array) noexcept : data_(std::data(array)), size_(std::size(array))
    {
    }
    constexpr T *data() const noexcept
    {
        return data_;
    }
    constexpr std::size_t size() const noexcept
    {
        return size_;
    }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/* ---------------------------------------------------------------- failures */

/* What context throws; what() is the text of the status and the context's sentence. */
class error : public std::exception
{
  public:
    error(eig_status status, const char *detail) noexcept : status_(status)
    {
        std::snprintf(what_, sizeof what_, "%s%s%s", eig_status_text(status), *detail ? ": " : "", detail);
    }
    eig_status status() const noexcept
    {
        return status_;
    }
    const char *what() const noexcept override
    {
        return what_;
    }

  private:
    eig_status status_;
    char what_[640];
};

/* What a call gives: nothing, or an exception... */
struct throws {
    using result = void;
#ifdef __cpp_exceptions
    static void done(eig_status status, const char *detail)
    {
        if (status != EIG_OK) throw error(status, detail);
    }
#endif
};
/* ... or the status. */
struct returns {
    using result = eig_status;
    static eig_status done(eig_status status, const char *) noexcept
    {
        return status;
    }
};

/* How many elements of their arrays calls use. */
namespace detail
{
using i64 = std::int64_t;

inline i64 times(i64 a, i64 b) noexcept
{
    return a <= 0 || b <= 0 ? 0 : a > INT64_MAX / b ? INT64_MAX : a * b;
}
inline i64 plus(i64 a, i64 b) noexcept
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* count runs of length elements, one every stride.  Sizes that C refuses need nothing here, so that C says why. */
inline i64 runs(i64 length, i64 stride, i64 count) noexcept
{
    return length <= 0 || count <= 0 ? 0 : plus(times(count - 1, stride), length);
}

inline i64 matrices(eig_layout layout, i64 n, i64 lda, i64 stride, i64 batch) noexcept
{
    if (batch <= 0) return 0;
    if (layout == EIG_LAYOUT_ELEMENT_WISE) return runs(batch, stride, runs(n, lda, n));
    if (layout == EIG_LAYOUT_ROW_WISE) return runs(runs(n, lda, batch), stride, n);
    return runs(runs(n, lda, n), stride, batch);
}

/* Eigenvalues that options ask for. */
template <class Options> i64 wanted(const Options &options, i64 n) noexcept
{
    if (options.range != EIG_RANGE_INDEX) return n;
    return 1 <= options.il && options.il <= options.iu && options.iu <= n ? options.iu - options.il + 1 : 0;
}

/* Looks for a view that is too short, and writes the sentence about the first one. */
class sizes
{
  public:
    sizes(char *sentence, std::size_t room, const char *call) noexcept : sentence_(sentence), room_(room), call_(call)
    {
    }
    template <class T> sizes &need(const char *name, const view<T> &array, i64 count) noexcept
    {
        if (!good_ || !array.data() || count <= 0 || array.size() >= static_cast<std::size_t>(count)) return *this;
        good_ = false;
        std::snprintf(sentence_, room_, "%s: %s has %zu elements, must have %lld", call_, name, array.size(),
                      static_cast<long long>(count));
        return *this;
    }
    bool bad() const noexcept
    {
        return !good_;
    }

  private:
    char *sentence_;
    std::size_t room_;
    const char *call_;
    bool good_ = true;
};

/* What the calls of one type, Derived, reach of their context. */
template <class Context, class Derived> class calls
{
  protected:
    Context &self() noexcept
    {
        return static_cast<Context &>(static_cast<Derived &>(*this));
    }
    eig_context *ctx() noexcept
    {
        return self().get();
    }
    sizes check(const char *call) noexcept
    {
        return sizes(self().sentence_, sizeof self().sentence_, call);
    }
    auto refused()
    {
        return Context::failures::done(EIG_BAD_ARGUMENT, self().sentence_);
    }
    auto done(eig_status status)
    {
        return self().done(status);
    }
};

/* ------------------------------------------ stebz and stemr: R is float or double */

template <class Context, class Result, class R> struct tridiagonal : calls<Context, tridiagonal<Context, Result, R>> {
    Result stebz(const stebz_options &options, i64 n, view<const R> d, view<const R> e, i64 *m, view<R> w,
                 view<R> lower = {}, view<R> upper = {}, int *info = nullptr)
    {
        i64 const k = wanted(options, n);
        if (this->check("stebz")
                .need("d", d, n)
                .need("e", e, n - 1)
                .need("w", w, k)
                .need("lower", lower, k)
                .need("upper", upper, k)
                .bad())
            return this->refused();
        return this->done(eig_stebz(this->ctx(), type<R>, &options, n, d.data(), e.data(), m, w.data(), lower.data(),
                                    upper.data(), info));
    }

    Result stebz_batched(const stebz_options &options, i64 n, view<const R> d, i64 stride_d, view<const R> e,
                         i64 stride_e, view<R> w, view<R> lower, view<R> upper, i64 stride_w, view<int> info, i64 batch)
    {
        i64 const all = runs(wanted(options, n), stride_w, batch);
        if (this->check("stebz_batched")
                .need("d", d, runs(n, stride_d, batch))
                .need("e", e, runs(n - 1, stride_e, batch))
                .need("w", w, all)
                .need("lower", lower, all)
                .need("upper", upper, all)
                .need("info", info, batch)
                .bad())
            return this->refused();
        return this->done(eig_stebz_batched(this->ctx(), type<R>, &options, n, d.data(), stride_d, e.data(), stride_e,
                                            w.data(), lower.data(), upper.data(), stride_w, info.data(), batch));
    }

    Result stebz_count(i64 n, view<const R> d, view<const R> e, i64 m, view<const R> x, view<i64> count,
                       int *info = nullptr)
    {
        if (this->check("stebz_count")
                .need("d", d, n)
                .need("e", e, n - 1)
                .need("x", x, m)
                .need("count", count, m)
                .bad())
            return this->refused();
        return this->done(
            eig_stebz_count(this->ctx(), type<R>, n, d.data(), e.data(), m, x.data(), count.data(), info));
    }

    Result stemr(const stemr_options &options, i64 n, view<const R> d, view<const R> e, i64 *m, view<R> w,
                 view<R> z = {}, i64 ldz = 0, view<i64> isuppz = {}, view<int> info = {}, view<R> residual = {},
                 R *orthogonality = nullptr, eig_stemr_stats *stats = nullptr)
    {
        i64 const k = wanted(options, n);
        if (this->check("stemr")
                .need("d", d, n)
                .need("e", e, n - 1)
                .need("w", w, k)
                .need("z", z, runs(n, ldz, k))
                .need("isuppz", isuppz, 2 * k)
                .need("info", info, k)
                .need("residual", residual, k)
                .bad())
            return this->refused();
        return this->done(eig_stemr(this->ctx(), type<R>, &options, n, d.data(), e.data(), m, w.data(), z.data(), ldz,
                                    isuppz.data(), info.data(), residual.data(), orthogonality, stats));
    }

    Result stemr_batched(const stemr_options &options, i64 n, view<const R> d, i64 stride_d, view<const R> e,
                         i64 stride_e, view<i64> m, view<R> w, i64 stride_w, view<R> z, i64 ldz, i64 stride_z,
                         view<i64> isuppz, view<int> info, view<R> residual, view<R> orthogonality,
                         eig_stemr_stats *stats, i64 batch)
    {
        i64 const k = wanted(options, n), all = runs(k, stride_w, batch);
        if (this->check("stemr_batched")
                .need("d", d, runs(n, stride_d, batch))
                .need("e", e, runs(n - 1, stride_e, batch))
                .need("m", m, batch)
                .need("w", w, all)
                .need("z", z, runs(runs(n, ldz, k), stride_z, batch))
                .need("isuppz", isuppz, times(2, all))
                .need("info", info, all)
                .need("residual", residual, all)
                .need("orthogonality", orthogonality, batch)
                .bad())
            return this->refused();
        return this->done(eig_stemr_batched(this->ctx(), type<R>, &options, n, d.data(), stride_d, e.data(), stride_e,
                                            m.data(), w.data(), stride_w, z.data(), ldz, stride_z, isuppz.data(),
                                            info.data(), residual.data(), orthogonality.data(), stats, batch));
    }
};

/* -------------------------------- heev and geev: T is float, double or complex of these */

template <class T> struct parts {
    using real = T;
    using complex = std::complex<T>;
};
template <class R> struct parts<std::complex<R>> {
    using real = R;
    using complex = std::complex<R>;
};

template <class Context, class Result, class T> struct dense : calls<Context, dense<Context, Result, T>> {
    using R = typename parts<T>::real;
    using C = typename parts<T>::complex;

    Result heev(const heev_options &options, i64 n, view<const T> a, i64 lda, i64 *m, view<R> w, view<T> v = {},
                i64 ldv = 0, int *info = nullptr, int *sweeps = nullptr)
    {
        i64 const k = wanted(options, n);
        if (this->check("heev")
                .need("a", a, runs(n, lda, n))
                .need("w", w, k)
                .need("v", v, options.row_major ? runs(k, ldv, n) : runs(n, ldv, k))
                .bad())
            return this->refused();
        return this->done(
            eig_heev(this->ctx(), type<T>, &options, n, a.data(), lda, m, w.data(), v.data(), ldv, info, sweeps));
    }

    Result heev_batched(const heev_options &options, i64 n, view<const T> a, i64 lda, i64 stride_a, view<i64> m,
                        view<R> w, i64 stride_w, view<T> v, i64 ldv, i64 stride_v, view<int> info, view<int> sweeps,
                        i64 batch)
    {
        i64 const k = wanted(options, n), one = options.row_major ? runs(k, ldv, n) : runs(n, ldv, k);
        if (this->check("heev_batched")
                .need("a", a, matrices(options.layout, n, lda, stride_a, batch))
                .need("m", m, batch)
                .need("w", w, runs(k, stride_w, batch))
                .need("v", v, runs(one, stride_v, batch))
                .need("info", info, batch)
                .need("sweeps", sweeps, batch)
                .bad())
            return this->refused();
        return this->done(eig_heev_batched(this->ctx(), type<T>, &options, n, a.data(), lda, stride_a, m.data(),
                                           w.data(), stride_w, v.data(), ldv, stride_v, info.data(), sweeps.data(),
                                           batch));
    }

    Result geev(const geev_options &options, i64 n, view<const T> a, i64 lda, view<C> w, view<C> vl = {}, i64 ldvl = 0,
                view<C> vr = {}, i64 ldvr = 0, view<R> condition = {}, int *info = nullptr)
    {
        if (this->check("geev")
                .need("a", a, runs(n, lda, n))
                .need("w", w, n)
                .need("vl", vl, runs(n, ldvl, n))
                .need("vr", vr, runs(n, ldvr, n))
                .need("condition", condition, n)
                .bad())
            return this->refused();
        return this->done(eig_geev(this->ctx(), type<T>, &options, n, a.data(), lda, w.data(), vl.data(), ldvl,
                                   vr.data(), ldvr, condition.data(), info));
    }

    Result geev_batched(const geev_options &options, i64 n, view<const T> a, i64 lda, i64 stride_a, view<C> w,
                        i64 stride_w, view<C> vl, i64 ldvl, i64 stride_vl, view<C> vr, i64 ldvr, i64 stride_vr,
                        view<R> condition, view<int> info, i64 batch)
    {
        if (this->check("geev_batched")
                .need("a", a, matrices(options.layout, n, lda, stride_a, batch))
                .need("w", w, runs(n, stride_w, batch))
                .need("vl", vl, runs(runs(n, ldvl, n), stride_vl, batch))
                .need("vr", vr, runs(runs(n, ldvr, n), stride_vr, batch))
                .need("condition", condition, runs(n, stride_w, batch))
                .need("info", info, batch)
                .bad())
            return this->refused();
        return this->done(eig_geev_batched(this->ctx(), type<T>, &options, n, a.data(), lda, stride_a, w.data(),
                                           stride_w, vl.data(), ldvl, stride_vl, vr.data(), ldvr, stride_vr,
                                           condition.data(), info.data(), batch));
    }

    Result geev_schur(const geev_options &options, i64 n, view<const T> a, i64 lda, i64 stride_a, view<C> w,
                      i64 stride_w, view<T> t, i64 ldt, i64 stride_t, view<T> q, i64 ldq, i64 stride_q, view<int> info,
                      i64 batch)
    {
        if (this->check("geev_schur")
                .need("a", a, matrices(options.layout, n, lda, stride_a, batch))
                .need("w", w, runs(n, stride_w, batch))
                .need("t", t, runs(runs(n, ldt, n), stride_t, batch))
                .need("q", q, runs(runs(n, ldq, n), stride_q, batch))
                .need("info", info, batch)
                .bad())
            return this->refused();
        return this->done(eig_geev_schur(this->ctx(), type<T>, &options, n, a.data(), lda, stride_a, w.data(), stride_w,
                                         t.data(), ldt, stride_t, q.data(), ldq, stride_q, info.data(), batch));
    }

    Result geev_affine(const geev_options &options, i64 n, i64 m, view<const T> a, i64 lda, i64 stride_a,
                       view<const T> x, i64 stride_x, view<C> w, i64 stride_w, eig_geev_measure measure, view<R> value,
                       view<int> info, i64 points)
    {
        if (this->check("geev_affine")
                .need("a", a, runs(runs(n, lda, n), stride_a, m < 0 ? 0 : plus(m, 1)))
                .need("x", x, runs(m, stride_x, points))
                .need("w", w, runs(n, stride_w, points))
                .need("value", value, points)
                .need("info", info, points)
                .bad())
            return this->refused();
        return this->done(eig_geev_affine(this->ctx(), type<T>, &options, n, m, a.data(), lda, stride_a, x.data(),
                                          stride_x, w.data(), stride_w, measure, value.data(), info.data(), points));
    }
};
} // namespace detail

/* ----------------------------------------------------------------- context */

template <class Failures>
class basic_context : public detail::tridiagonal<basic_context<Failures>, typename Failures::result, float>,
                      public detail::tridiagonal<basic_context<Failures>, typename Failures::result, double>,
                      public detail::dense<basic_context<Failures>, typename Failures::result, float>,
                      public detail::dense<basic_context<Failures>, typename Failures::result, double>,
                      public detail::dense<basic_context<Failures>, typename Failures::result, std::complex<float>>,
                      public detail::dense<basic_context<Failures>, typename Failures::result, std::complex<double>>
{
  public:
    using failures = Failures;
    using result = typename Failures::result;

  private:
    template <class, class> friend class detail::calls;
    template <class R> using tridiagonal = detail::tridiagonal<basic_context, result, R>;
    template <class T> using dense = detail::dense<basic_context, result, T>;
    using c = std::complex<float>;
    using z = std::complex<double>;

  public:
    /* No device: every call is refused until open.  A context that was moved from refuses them too. */
    basic_context() noexcept = default;
    /* Opens a device, as eig_create does: "auto", "cpu", "cuda:1", ... */
    explicit basic_context(const char *device) : basic_context()
    {
        static_assert(std::is_void_v<result>, "a constructor returns no status: use open");
        open(device);
    }
    /* Takes over a context of C. */
    explicit basic_context(eig_context *ctx) noexcept : ctx_(ctx) {}
    basic_context(basic_context &&other) noexcept : ctx_(other.release()) {}
    basic_context &operator=(basic_context &&other) noexcept
    {
        if (this != &other) {
            eig_destroy(ctx_);
            ctx_ = other.release();
        }
        return *this;
    }
    ~basic_context()
    {
        eig_destroy(ctx_);
    }

    /* Destroys what it has, and opens a device. */
    result open(const char *device)
    {
        eig_destroy(release());
        return done(eig_create(&ctx_, device));
    }
    /* For calls of C. */
    eig_context *get() const noexcept
    {
        return ctx_;
    }
    /* Gives the context away: the caller destroys it. */
    eig_context *release() noexcept
    {
        return std::exchange(ctx_, nullptr);
    }

    const char *error_detail() const noexcept
    {
        return *sentence_ ? sentence_ : eig_error_detail(ctx_);
    }
    const char *describe() noexcept
    {
        return eig_describe(ctx_);
    }
    result set_threads(int threads)
    {
        return done(eig_set_threads(ctx_, threads));
    }
    result set_workspace(void *work, std::size_t bytes)
    {
        return done(eig_set_workspace(ctx_, work, bytes));
    }
    /* A cudaStream_t. */
    result set_stream(void *stream)
    {
        return done(eig_set_stream(ctx_, stream));
    }
    result synchronize()
    {
        return done(eig_synchronize(ctx_));
    }
    result set_timing(bool on)
    {
        return done(eig_set_timing(ctx_, on));
    }
    const char *get_road() const noexcept
    {
        return eig_get_road(ctx_);
    }
    int get_passes() const noexcept
    {
        return eig_get_passes(ctx_);
    }
    result get_repairs(std::int64_t *matrices, std::int64_t *vectors)
    {
        return done(eig_get_repairs(ctx_, matrices, vectors));
    }
    result get_pass(int k, eig_pass *pass)
    {
        return Failures::done(eig_get_pass(ctx_, k, pass), "");
    }
    result set_progress(eig_progress callback, void *user)
    {
        return done(eig_set_progress(ctx_, callback, user));
    }
    /* Calls call(fraction), which lives as long as it is used here, and throws nothing; true cancels. */
    template <class F> result set_progress(F &call)
    {
        return set_progress(
            [](void *user, double fraction) noexcept -> int { return (*static_cast<F *>(user))(fraction) ? 1 : 0; },
            static_cast<void *>(std::addressof(call)));
    }

    using tridiagonal<float>::stebz, tridiagonal<double>::stebz;
    using tridiagonal<float>::stebz_batched, tridiagonal<double>::stebz_batched;
    using tridiagonal<float>::stebz_count, tridiagonal<double>::stebz_count;
    using tridiagonal<float>::stemr, tridiagonal<double>::stemr;
    using tridiagonal<float>::stemr_batched, tridiagonal<double>::stemr_batched;
    using dense<float>::heev, dense<double>::heev, dense<c>::heev, dense<z>::heev;
    using dense<float>::heev_batched, dense<double>::heev_batched, dense<c>::heev_batched, dense<z>::heev_batched;
    using dense<float>::geev, dense<double>::geev, dense<c>::geev, dense<z>::geev;
    using dense<float>::geev_batched, dense<double>::geev_batched, dense<c>::geev_batched, dense<z>::geev_batched;
    using dense<float>::geev_schur, dense<double>::geev_schur, dense<c>::geev_schur, dense<z>::geev_schur;
    using dense<float>::geev_affine, dense<double>::geev_affine, dense<c>::geev_affine, dense<z>::geev_affine;

    /* The type is eigpack::type<double> and so on. */
    result stebz_work_size(eig_type type, const stebz_options &options, std::int64_t n, std::int64_t batch,
                           std::size_t *bytes)
    {
        return done(eig_stebz_work_size(ctx_, type, &options, n, batch, bytes));
    }
    result stebz_count_work_size(eig_type type, std::int64_t n, std::int64_t m, std::size_t *bytes)
    {
        return done(eig_stebz_count_work_size(ctx_, type, n, m, bytes));
    }
    result stemr_work_size(eig_type type, const stemr_options &options, std::int64_t n, bool vectors,
                           std::size_t *bytes)
    {
        return done(eig_stemr_work_size(ctx_, type, &options, n, vectors, bytes));
    }
    result heev_work_size(eig_type type, const heev_options &options, std::int64_t n, bool vectors, std::int64_t batch,
                          std::size_t *bytes)
    {
        return done(eig_heev_work_size(ctx_, type, &options, n, vectors, batch, bytes));
    }
    result geev_work_size(eig_type type, const geev_options &options, std::int64_t n, bool vectors, std::int64_t batch,
                          std::size_t *bytes)
    {
        return done(eig_geev_work_size(ctx_, type, &options, n, vectors, batch, bytes));
    }

  private:
    /* A call that finds the context busy leaves the sentence to the call that runs. */
    result done(eig_status status)
    {
        if (status == EIG_BUSY) return Failures::done(status, "");
        *sentence_ = 0;
        return Failures::done(status, eig_error_detail(ctx_));
    }

    eig_context *ctx_ = nullptr;
    char sentence_[128] = ""; /* about a view that was too short; else the sentence is the context's */
};

using context = basic_context<throws>;
using status_context = basic_context<returns>;

} // namespace eigpack
#endif
