/* eigpack._core: the library's calls on addresses.  eigpack/_families.py gives them arrays.
 *
 * Each function begins with a place (device, stream, address and bytes of the workspace).  Sizes and strides count
 * elements, an address of 0 is NULL.  info: an address beside the arrays, or 0 for host arrays: the function then returns
 * None, or (how many matrices failed, which first, its info), where an info of `fine` is no failure. */
#include "context.h"
#include "jax_targets.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <complex>
#include <iterator>
#include <string>
#include <tuple>

namespace nb = nanobind;

namespace
{

template <typename T> T *at(uintptr_t address)
{
    return reinterpret_cast<T *>(address);
}

/* The numbers of eig_stemr_stats after its size, in its order. */
constexpr const char *STATS[] = {"blocks", "representations",     "depth", "clusters",           "largest_cluster",
                                 "shifts", "bad_representations", "skew",  "inverse_iterations", "nodes"};
static_assert(sizeof(eig_stemr_stats) == sizeof(size_t) + std::size(STATS) * sizeof(int64_t));

double cube(int64_t n)
{
    return (double)n * (double)n * (double)n;
}

/* Runs call(ctx, info) without the GIL; info has `per` numbers for each of `matrices`. */
template <typename Call>
nb::object run(const place &where, double operations, int64_t matrices, int64_t per, int fine, uintptr_t info,
               Call call)
{
    borrowed ctx(where);
    ctx.prepare(where, operations);
    std::vector<int> own(info ? 0 : (size_t)(matrices * per));
    eig_status status;
    {
        nb::gil_scoped_release const released;
        status = call(ctx, info ? at<int>(info) : own.data());
    }
    ctx.check(status);
    failures const found = count_failures(own.data(), (int64_t)own.size(), per, fine);
    if (found.count == 0) return nb::none();
    return nb::make_tuple(found.count, found.first, found.info);
}

/* layout, row_major, method, balance, max_steps, same_bits_in_batches */
using geev_choice = std::tuple<char, bool, int, bool, int64_t, bool>;

eig_geev_options geev_options(const geev_choice &choice)
{
    eig_geev_options options = EIG_GEEV_OPTIONS;
    options.layout = (eig_layout)std::get<0>(choice);
    options.row_major = std::get<1>(choice);
    options.method = (eig_geev_method)std::get<2>(choice);
    options.no_balance = !std::get<3>(choice);
    options.max_steps = std::get<4>(choice);
    options.same_bits_in_batches = std::get<5>(choice);
    return options;
}

nb::object geev(const char *device, uintptr_t stream, uintptr_t work, size_t bytes, char type,
                const geev_choice &choice, int64_t n, uintptr_t a, int64_t lda, int64_t stride_a, uintptr_t w,
                uintptr_t vl, uintptr_t vr, uintptr_t condition, int64_t batch, int fine, uintptr_t info)
{
    eig_geev_options const options = geev_options(choice);
    double const each = vl || vr || condition ? 30 : 10;
    return run({device, stream, work, bytes}, each * cube(n) * (double)batch, batch, 1, fine, info,
               [=](eig_context *ctx, int *told) {
                   return eig_geev_batched(ctx, (eig_type)type, &options, n, at<void>(a), lda, stride_a, at<void>(w), n,
                                           at<void>(vl), n, n * n, at<void>(vr), n, n * n, at<void>(condition), told,
                                           batch);
               });
}

/* measure 0: all eigenvalues go to out; else that measure of them. */
nb::object geev_affine(const char *device, uintptr_t stream, uintptr_t work, size_t bytes, char type,
                       const geev_choice &choice, int64_t n, int64_t m, uintptr_t a, int64_t lda, int64_t stride_a,
                       uintptr_t x, int64_t stride_x, int measure, uintptr_t out, int64_t points, int fine,
                       uintptr_t info)
{
    eig_geev_options const options = geev_options(choice);
    return run({device, stream, work, bytes}, 10 * cube(n) * (double)points, points, 1, fine, info,
               [=](eig_context *ctx, int *told) {
                   return eig_geev_affine(ctx, (eig_type)type, &options, n, m, at<void>(a), lda, stride_a, at<void>(x),
                                          stride_x, measure ? nullptr : at<void>(out), n, (eig_geev_measure)measure,
                                          measure ? at<void>(out) : nullptr, told, points);
               });
}

nb::object geev_schur(const char *device, uintptr_t stream, uintptr_t work, size_t bytes, char type,
                      const geev_choice &choice, int64_t n, uintptr_t a, int64_t lda, int64_t stride_a, uintptr_t w,
                      uintptr_t t, uintptr_t q, int64_t batch, int fine, uintptr_t info)
{
    eig_geev_options const options = geev_options(choice);
    return run({device, stream, work, bytes}, 25 * cube(n) * (double)batch, batch, 1, fine, info,
               [=](eig_context *ctx, int *told) {
                   return eig_geev_schur(ctx, (eig_type)type, &options, n, at<void>(a), lda, stride_a, at<void>(w), n,
                                         at<void>(t), n, n * n, at<void>(q), n, n * n, told, batch);
               });
}

size_t geev_work(const char *device, char type, const geev_choice &choice, int64_t n, bool vectors, int64_t batch)
{
    borrowed const ctx({device, 0, 0, 0});
    eig_geev_options const options = geev_options(choice);
    size_t bytes = 0;
    ctx.check(eig_geev_work_size(ctx, (eig_type)type, &options, n, vectors, batch, &bytes));
    return bytes;
}

/* range, il, iu, vl, vu */
using range_choice = std::tuple<char, int64_t, int64_t, double, double>;

template <typename Options> void choose(Options *options, const range_choice &range)
{
    options->range = (eig_range)std::get<0>(range);
    options->il = std::get<1>(range), options->iu = std::get<2>(range);
    options->vl = std::get<3>(range), options->vu = std::get<4>(range);
}

/* layout, uplo, row_major, method, relative, same_bits_in_batches */
using heev_choice = std::tuple<char, char, bool, int, bool, bool>;

eig_heev_options heev_options(const heev_choice &choice, const range_choice &range)
{
    eig_heev_options options = EIG_HEEV_OPTIONS;
    options.layout = (eig_layout)std::get<0>(choice);
    options.uplo = (eig_uplo)std::get<1>(choice);
    options.row_major = std::get<2>(choice);
    options.method = (eig_heev_method)std::get<3>(choice);
    options.relative = std::get<4>(choice);
    options.same_bits_in_batches = std::get<5>(choice);
    choose(&options, range);
    return options;
}

/* v of 0: eigenvalues only.  w and v have room for all pairs, v is packed, in the order of a's matrices. */
nb::object heev(const char *device, uintptr_t stream, uintptr_t work, size_t bytes, char type,
                const heev_choice &choice, const range_choice &range, int64_t n, uintptr_t a, int64_t lda,
                int64_t stride_a, uintptr_t m, uintptr_t w, uintptr_t v, uintptr_t sweeps, int64_t batch, int fine,
                uintptr_t info)
{
    eig_heev_options const options = heev_options(choice, range);
    return run({device, stream, work, bytes}, 10 * cube(n) * (double)batch, batch, 1, fine, info,
               [=](eig_context *ctx, int *told) {
                   return eig_heev_batched(ctx, (eig_type)type, &options, n, at<void>(a), lda, stride_a, at<int64_t>(m),
                                           at<void>(w), n, at<void>(v), n, n * n, told, at<int>(sweeps), batch);
               });
}

size_t heev_work(const char *device, char type, const heev_choice &choice, const range_choice &range, int64_t n,
                 bool vectors, int64_t batch)
{
    borrowed const ctx({device, 0, 0, 0});
    eig_heev_options const options = heev_options(choice, range);
    size_t bytes = 0;
    ctx.check(eig_heev_work_size(ctx, (eig_type)type, &options, n, vectors, batch, &bytes));
    return bytes;
}

eig_stebz_options stebz_options(int method, double abstol, const range_choice &range)
{
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    options.method = (eig_stebz_method)method;
    options.abstol = abstol;
    choose(&options, range);
    return options;
}

/* The number found goes to m, an address of an int64; with il <= iu the other outputs have iu-il+1 entries a matrix.
 * Several matrices: m is not written. */
nb::object stebz(const char *device, uintptr_t stream, uintptr_t work, size_t bytes, char type, int method,
                 double abstol, const range_choice &range, int64_t n, uintptr_t d, int64_t stride_d, uintptr_t e,
                 int64_t stride_e, uintptr_t m, uintptr_t w, uintptr_t lower, uintptr_t upper, int64_t stride_w,
                 int64_t batch, int fine, uintptr_t info)
{
    eig_stebz_options const options = stebz_options(method, abstol, range);
    return run({device, stream, work, bytes}, 100 * (double)n * (double)n * (double)batch, batch, 1, fine, info,
               [=](eig_context *ctx, int *told) {
                   if (batch == 1)
                       return eig_stebz(ctx, (eig_type)type, &options, n, at<void>(d), at<void>(e), at<int64_t>(m),
                                        at<void>(w), at<void>(lower), at<void>(upper), told);
                   return eig_stebz_batched(ctx, (eig_type)type, &options, n, at<void>(d), stride_d, at<void>(e),
                                            stride_e, at<void>(w), at<void>(lower), at<void>(upper), stride_w, told,
                                            batch);
               });
}

size_t stebz_work(const char *device, char type, int method, double abstol, const range_choice &range, int64_t n,
                  int64_t batch)
{
    borrowed const ctx({device, 0, 0, 0});
    eig_stebz_options const options = stebz_options(method, abstol, range);
    size_t bytes = 0;
    ctx.check(eig_stebz_work_size(ctx, (eig_type)type, &options, n, batch, &bytes));
    return bytes;
}

/* m points for each matrix, packed, as are the counts. */
nb::object stebz_count(const char *device, uintptr_t stream, uintptr_t work, size_t bytes, char type, int64_t n,
                       uintptr_t d, int64_t stride_d, uintptr_t e, int64_t stride_e, int64_t m, uintptr_t x,
                       uintptr_t count, int64_t batch, int fine, uintptr_t info)
{
    double const operations = 10 * (double)n * (double)m * (double)batch;
    return run({device, stream, work, bytes}, operations, batch, 1, fine, info, [=](eig_context *ctx, int *told) {
        uintptr_t const size = eig_type_size((eig_type)type);
        eig_status status = EIG_OK;
        for (int64_t b = 0; b < batch && status == EIG_OK; ++b)
            status = eig_stebz_count(ctx, (eig_type)type, n, at<void>(d + b * stride_d * size),
                                     at<void>(e + b * stride_e * size), m, at<void>(x + b * m * size),
                                     at<int64_t>(count) + b * m, told + b);
        return status;
    });
}

size_t stebz_count_work(const char *device, char type, int64_t n, int64_t m)
{
    borrowed const ctx({device, 0, 0, 0});
    size_t bytes = 0;
    ctx.check(eig_stebz_count_work_size(ctx, (eig_type)type, n, m, &bytes));
    return bytes;
}

eig_stemr_options stemr_options(int method, bool same_bits, const range_choice &range)
{
    eig_stemr_options options = EIG_STEMR_OPTIONS;
    options.method = (eig_stemr_method)method;
    options.same_bits_in_batches = same_bits;
    choose(&options, range);
    return options;
}

/* z: packed, a vector a row; info, residual and isuppz: of each of `pairs` pairs of each matrix.  stats: numbers in host
 * memory, of which STATS tells the names. */
nb::object stemr(const char *device, uintptr_t stream, uintptr_t work, size_t bytes, char type, int method,
                 bool same_bits, const range_choice &range, int64_t n, uintptr_t d, int64_t stride_d, uintptr_t e,
                 int64_t stride_e, uintptr_t m, uintptr_t w, uintptr_t z, int64_t pairs, uintptr_t isuppz,
                 uintptr_t residual, uintptr_t orthogonality, uintptr_t stats, int64_t batch, int fine, uintptr_t info)
{
    eig_stemr_options const options = stemr_options(method, same_bits, range);
    return run({device, stream, work, bytes}, 100 * (double)n * (double)n * (double)batch, batch, pairs, fine, info,
               [=](eig_context *ctx, int *told) {
                   eig_stemr_stats made = EIG_STEMR_STATS;
                   eig_status const status = eig_stemr_batched(
                       ctx, (eig_type)type, &options, n, at<void>(d), stride_d, at<void>(e), stride_e, at<int64_t>(m),
                       at<void>(w), pairs, at<void>(z), n, n * pairs, at<int64_t>(isuppz), told, at<void>(residual),
                       at<void>(orthogonality), stats ? &made : nullptr, batch);
                   if (stats) std::copy_n(&made.blocks, std::size(STATS), at<int64_t>(stats));
                   return status;
               });
}

size_t stemr_work(const char *device, char type, int method, bool same_bits, const range_choice &range, int64_t n,
                  bool vectors)
{
    borrowed const ctx({device, 0, 0, 0});
    eig_stemr_options const options = stemr_options(method, same_bits, range);
    size_t bytes = 0;
    ctx.check(eig_stemr_work_size(ctx, (eig_type)type, &options, n, vectors, &bytes));
    return bytes;
}

/* Below so many operations, some 20 us of one core, a call keeps the GIL; above so many bytes of workspace the arrays'
 * library lends it. */
constexpr double short_call = 1e5;
constexpr size_t own_workspace = 1 << 20;

/* A problem of one of the functions below, packed, with all defaults: what is asked for ('g': geev, 'e': with right vectors, 'w':
 * heev without vectors, 'v': with them, 'b': stebz, 'm': stemr), type, order, number of matrices. */
struct plain_problem {
    char what, type;
    bool upper;
    int64_t n, batch;
    uintptr_t a, b, w, v; /* b: off-diagonals */
};

double operations_of(const plain_problem &p)
{
    bool const tridiagonal = p.what == 'b' || p.what == 'm';
    return (tridiagonal ? 100 * (double)p.n * (double)p.n : (p.what == 'e' ? 25 : 10) * cube(p.n)) * (double)p.batch;
}

eig_heev_options plain_heev_options(const plain_problem &p)
{
    eig_heev_options options = EIG_HEEV_OPTIONS;
    options.uplo = p.upper ? EIG_UPLO_UPPER : EIG_UPLO_LOWER;
    options.row_major = true;
    return options;
}

eig_status plain_call(eig_context *ctx, const plain_problem &p, int *info)
{
    eig_type const type = (eig_type)p.type;
    int64_t const n = p.n;
    if (p.what == 'g' || p.what == 'e') {
        eig_geev_options options = EIG_GEEV_OPTIONS;
        options.row_major = true;
        int64_t const ld = p.v ? n : 0;
        return eig_geev_batched(ctx, type, &options, n, at<void>(p.a), n, n * n, at<void>(p.w), n, nullptr, 0, 0,
                                at<void>(p.v), ld, ld * n, nullptr, info, p.batch);
    }
    if (p.what == 'b')
        return eig_stebz(ctx, type, nullptr, n, at<void>(p.a), at<void>(p.b), nullptr, at<void>(p.w), nullptr, nullptr,
                         info);
    if (p.what == 'm') {
        int64_t found;
        return eig_stemr(ctx, type, nullptr, n, at<void>(p.a), at<void>(p.b), &found, at<void>(p.w), at<void>(p.v), n,
                         nullptr, info, nullptr, nullptr, nullptr);
    }
    eig_heev_options const options = plain_heev_options(p);
    return eig_heev_batched(ctx, type, &options, n, at<void>(p.a), n, n * n, nullptr, at<void>(p.w), n, at<void>(p.v),
                            n, n * n, info, nullptr, p.batch);
}

size_t plain_work(const borrowed &ctx, const plain_problem &p)
{
    size_t bytes = 0;
    eig_heev_options const options = plain_heev_options(p);
    if (p.what == 'g')
        ctx.check(eig_geev_work_size(ctx, (eig_type)p.type, nullptr, p.n, 0, p.batch, &bytes));
    else
        ctx.check(eig_heev_work_size(ctx, (eig_type)p.type, &options, p.n, p.what == 'v', p.batch, &bytes));
    return bytes;
}

/* Vectors that lie one after the other become columns of matrices by rows, in place. */
template <typename real> void turn(std::complex<real> *v, int64_t n, int64_t batch)
{
    enum { TILE = 16 }; /* two tiles of 4 KB are in the first cache */
    for (int64_t b = 0; b < batch; ++b, v += n * n) {
        for (int64_t rows = 0; rows < n; rows += TILE) {
            for (int64_t columns = rows; columns < n; columns += TILE) {
                for (int64_t i = rows; i < std::min(rows + TILE, n); ++i) {
                    for (int64_t j = std::max(columns, i + 1); j < std::min(columns + TILE, n); ++j)
                        std::swap(v[i * n + j], v[j * n + i]);
                }
            }
        }
    }
}

/* The same of vectors of matrices of this type. */
void by_rows(char type, int64_t n, int64_t batch, uintptr_t v)
{
    if (type == 's' || type == 'c')
        turn(reinterpret_cast<std::complex<float> *>(v), n, batch);
    else
        turn(reinterpret_cast<std::complex<double> *>(v), n, batch);
}

/* The short path of an eager call on host arrays: None, or what has failed. */
nb::object plain_host(char what, char type, bool upper, int64_t n, int64_t batch, uintptr_t a, uintptr_t b, uintptr_t w,
                      uintptr_t v)
{
    enum { FEW = 64 };
    plain_problem const p = {what, type, upper, n, batch, a, b, w, v};
    double const operations = operations_of(p);
    borrowed ctx(-1);
    ctx.prepare({"cpu", 0, 0, 0}, operations);
    int64_t const per = what == 'm' ? n : 1;
    int few[FEW];
    std::vector<int> many(batch * per > FEW ? (size_t)(batch * per) : 0);
    int *const info = many.empty() ? few : many.data();
    eig_status status;
    auto const solve = [&] {
        status = plain_call(ctx, p, info);
        if (what == 'e' && status == EIG_OK) by_rows(type, n, batch, v);
    };
    if (operations < short_call) {
        solve();
    } else {
        nb::gil_scoped_release const released;
        solve();
    }
    ctx.check(status);
    failures const found = count_failures(info, batch * per, per, 0);
    if (found.count == 0) return nb::none();
    return nb::make_tuple(found.count, found.first, found.info);
}

/* The same on arrays of a GPU, which are not read for failures; false where they need so much workspace that their
 * library shall lend it. */
bool plain_device(char what, char type, bool upper, int device, uintptr_t stream, int64_t n, int64_t batch, uintptr_t a,
                  uintptr_t w, uintptr_t v)
{
    plain_problem const p = {what, type, upper, n, batch, a, 0, w, v};
    borrowed ctx(device);
    ctx.prepare({"cuda", stream, 0, 0}, 0);
    if (plain_work(ctx, p) > own_workspace) return false;
    eig_status status;
    {
        nb::gil_scoped_release const released;
        status = plain_call(ctx, p, nullptr);
    }
    ctx.check(status);
    return true;
}

/* Python's exception for a failure; one that a signal handler raised is set already. */
void translate(const std::exception_ptr &thrown, void *)
{
    try {
        std::rethrow_exception(thrown);
    } catch (const failure &f) {
        if (f.status == EIG_CANCELLED && PyErr_Occurred()) return;
        bool const device = f.status == EIG_NO_BACKEND || f.status == EIG_CUDA_FAILURE;
        nb::object const error = device ? nb::object(nb::module_::import_("eigpack._errors").attr("DeviceError"))
                                        : nb::borrow(f.status == EIG_BAD_ARGUMENT ? PyExc_ValueError
                                                     : f.status == EIG_NO_MEMORY  ? PyExc_MemoryError
                                                                                  : PyExc_RuntimeError);
        PyErr_SetString(error.ptr(), f.what());
    }
}

std::string describe(const char *device)
{
    place const where = {device, 0, 0, 0};
    borrowed ctx(where);
    ctx.prepare(where, 0);
    return eig_describe(ctx);
}

/* Step of the import: PyGILState_Ensure, which on_progress and nanobind call, would wait without end in a subinterpreter. */
int refuse_subinterpreter(PyObject *)
{
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0) return 0;
    PyErr_SetString(PyExc_ImportError,
                    "eigpack cannot be imported in a subinterpreter, only in a process's main interpreter");
    return -1;
}

} // namespace

NB_MODULE(_core_of_nanobind, module)
{
    module.attr("version") = EIG_VERSION_STRING;
    nb::set_leak_warnings(false);
    nb::register_exception_translator(translate);
    module.def("geev", geev);
    module.def("geev_affine", geev_affine);
    module.def("geev_schur", geev_schur);
    module.def("geev_work", geev_work);
    module.def("heev", heev);
    module.def("heev_work", heev_work);
    module.def("stebz", stebz);
    module.def("stebz_work", stebz_work);
    module.def("stebz_count", stebz_count);
    module.def("stebz_count_work", stebz_count_work);
    module.def("stemr", stemr);
    module.def("stemr_work", stemr_work);
    module.attr("STATS") = nb::cast(std::vector<std::string>(std::begin(STATS), std::end(STATS)));
    module.def("plain_host", plain_host);
    module.def("plain_device", plain_device);
    module.def("by_rows", by_rows, nb::call_guard<nb::gil_scoped_release>());
    module.def("describe", describe);
    module.def("set_threads", choose_threads);
    module.def("host_address", [](nb::ndarray<nb::ro> array) { return reinterpret_cast<uintptr_t>(array.data()); });
    module.def("jax_targets", jax_targets);
    module.def("jax_interface", jax_interface);
    module.def("info_text", [](int info) { return eig_info_text(info); });
    module.def("geev_info_text", [](int64_t n, int info) { return eig_geev_info_text(n, info); });
}

/* The module: nanobind's, with a step before nanobind's own, which would lead the main interpreter to objects of the
 * subinterpreter.  Python 3.13 and later call this function in the main interpreter, the steps in the one that imports. */
extern "C" NB_EXPORT PyObject *PyInit__core(void)
{
    static PyModuleDef_Slot steps[8] = {{Py_mod_exec, reinterpret_cast<void *>(refuse_subinterpreter)}};
    if (refuse_subinterpreter(nullptr) != 0) return nullptr;
    PyObject *const made = PyInit__core_of_nanobind();
    if (!made || steps[1].slot) return made;
    PyModuleDef *const definition = reinterpret_cast<PyModuleDef *>(made);
    size_t k = 0;
    for (; definition->m_slots[k].slot; ++k) {
        if (k + 2 == std::size(steps)) {
            PyErr_SetString(PyExc_ImportError, "eigpack: nanobind's module has more steps than this one has room for");
            return nullptr;
        }
        steps[k + 1] = definition->m_slots[k];
    }
    definition->m_slots = steps;
    return made;
}
