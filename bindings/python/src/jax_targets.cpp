/* JAX: handlers of XLA's foreign function interface.
 *
 * XLA's arrays are packed and row-major; leading dimensions are the batch.  A handler runs without the GIL, on a thread of
 * XLA's; on a GPU it enqueues on XLA's stream, with workspace from XLA's allocator.  info is an output as others are. */
#include "jax_targets.h"

namespace nb = nanobind;

#ifndef EIG_HAVE_XLA

nb::dict jax_targets()
{
    return nb::dict();
}

nb::tuple jax_interface()
{
    return nb::make_tuple(0, 0);
}

#else

#include "context.h"

#include <xla/ffi/api/ffi.h>

namespace ffi = xla::ffi;

/* The number of the GPU that XLA runs the call on. */
struct device_ordinal {
};
template <> struct xla::ffi::CtxDecoding<device_ordinal> {
    using Type = int32_t;
    static std::optional<Type> Decode(const XLA_FFI_Api *api, XLA_FFI_ExecutionContext *ctx, DiagnosticEngine &)
    {
        XLA_FFI_DeviceOrdinal_Get_Args args = {};
        args.struct_size = XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE;
        args.ctx = ctx;
        if (XLA_FFI_Error *error = api->XLA_FFI_DeviceOrdinal_Get(&args)) {
            ffi::internal::DestroyError(api, error);
            return std::nullopt;
        }
        return args.device_ordinal;
    }
};

namespace
{

constexpr size_t ALIGNMENT = 256; /* of a workspace, see eig_set_workspace */

using in = ffi::AnyBuffer;
using out = ffi::Result<ffi::AnyBuffer>;

/* Where XLA wants a call computed. */
struct xla_place {
    std::string device = "cpu";
    void *stream = nullptr;
    ffi::ScratchAllocator *scratch = nullptr;
};

eig_type type_of(const in &array)
{
    switch (array.element_type()) {
    case ffi::DataType::F32:
        return EIG_S;
    case ffi::DataType::F64:
        return EIG_D;
    case ffi::DataType::C64:
        return EIG_C;
    case ffi::DataType::C128:
        return EIG_Z;
    default:
        throw failure(EIG_BAD_ARGUMENT, "the types are float32, float64, complex64 and complex128");
    }
}

/* The product of all dimensions but the last ones. */
int64_t batch_of(const in &array, size_t last)
{
    int64_t batch = 1;
    for (size_t k = 0; k + last < array.dimensions().size(); ++k) batch *= array.dimensions()[k];
    return batch;
}

/* call(ctx) with the workspace that size(ctx, &bytes) asks for; what failed becomes XLA's error. */
template <typename Size, typename Call> ffi::Error run(const xla_place &at, Size size, Call call)
{
    try {
        place where = {at.device.c_str(), reinterpret_cast<uintptr_t>(at.stream), 0, 0};
        borrowed ctx(where);
        ctx.prepare(where, 0);
        if (at.scratch) {
            ctx.check(size(ctx, &where.bytes));
            /* XLA promises no more than 16 bytes of alignment. */
            std::optional<void *> const work = at.scratch->Allocate(where.bytes + ALIGNMENT, 16);
            if (!work) return ffi::Error(ffi::ErrorCode::kResourceExhausted, "eigpack: XLA has no workspace");
            where.work = (reinterpret_cast<uintptr_t>(*work) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
            ctx.prepare(where, 0);
        }
        ctx.check(call(ctx));
        return ffi::Error::Success();
    } catch (const failure &f) {
        bool const argument = f.status == EIG_BAD_ARGUMENT;
        return ffi::Error(argument ? ffi::ErrorCode::kInvalidArgument : ffi::ErrorCode::kInternal, f.text);
    } catch (const std::exception &e) {
        return ffi::Error(ffi::ErrorCode::kInternal, e.what());
    }
}

/* left, right: NULL where not wanted; a vector a row. */
ffi::Error geev(const xla_place &at, in a, out w, void *left, void *right, out info)
{
    int64_t const n = a.dimensions().back(), batch = batch_of(a, 2);
    eig_geev_options options = EIG_GEEV_OPTIONS;
    options.row_major = 1;
    return run(
        at,
        [&](eig_context *ctx, size_t *bytes) {
            return eig_geev_work_size(ctx, type_of(a), &options, n, left || right, batch, bytes);
        },
        [&](eig_context *ctx) {
            return eig_geev_batched(ctx, type_of(a), &options, n, a.untyped_data(), n, n * n, w->untyped_data(), n,
                                    left, n, n * n, right, n, n * n, nullptr, static_cast<int *>(info->untyped_data()),
                                    batch);
        });
}

/* v: NULL for eigenvalues only. */
ffi::Error heev(const xla_place &at, in a, out w, void *v, out info, bool upper)
{
    int64_t const n = a.dimensions().back(), batch = batch_of(a, 2);
    eig_heev_options options = EIG_HEEV_OPTIONS;
    options.uplo = upper ? EIG_UPLO_UPPER : EIG_UPLO_LOWER;
    options.row_major = 1;
    return run(
        at,
        [&](eig_context *ctx, size_t *bytes) {
            return eig_heev_work_size(ctx, type_of(a), &options, n, v != nullptr, batch, bytes);
        },
        [&](eig_context *ctx) {
            return eig_heev_batched(ctx, type_of(a), &options, n, a.untyped_data(), n, n * n, nullptr,
                                    w->untyped_data(), n, v, n, n * n, static_cast<int *>(info->untyped_data()),
                                    nullptr, batch);
        });
}

/* il = 0: all eigenvalues. */
template <typename Options> void choose(Options *options, int64_t il, int64_t iu)
{
    options->range = il > 0 ? EIG_RANGE_INDEX : EIG_RANGE_ALL;
    options->il = il, options->iu = iu;
}

ffi::Error tridiagonal(const xla_place &at, in d, in e, out w, out lower, out upper, out info, int64_t il, int64_t iu,
                       double abstol)
{
    int64_t const n = d.dimensions().back(), batch = batch_of(d, 1);
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    choose(&options, il, iu);
    options.abstol = abstol;
    return run(
        at,
        [&](eig_context *ctx, size_t *bytes) {
            return eig_stebz_work_size(ctx, type_of(d), &options, n, batch, bytes);
        },
        [&](eig_context *ctx) {
            return eig_stebz_batched(ctx, type_of(d), &options, n, d.untyped_data(), n, e.untyped_data(), n - 1,
                                     w->untyped_data(), lower->untyped_data(), upper->untyped_data(),
                                     w->dimensions().back(), static_cast<int *>(info->untyped_data()), batch);
        });
}

/* Number k of an array's numbers. */
void *at_number(const in &array, int64_t k)
{
    return static_cast<char *>(array.untyped_data()) + k * (int64_t)eig_type_size(type_of(array));
}

/* z: a vector a row; info: of each pair. */
ffi::Error pairs(const xla_place &at, in d, in e, out w, out z, out info, int64_t il, int64_t iu)
{
    int64_t const n = d.dimensions().back(), many = w->dimensions().back();
    eig_stemr_options options = EIG_STEMR_OPTIONS;
    choose(&options, il, iu);
    return run(
        at,
        [&](eig_context *ctx, size_t *bytes) { return eig_stemr_work_size(ctx, type_of(d), &options, n, 1, bytes); },
        [&](eig_context *ctx) {
            return eig_stemr_batched(ctx, type_of(d), &options, n, d.untyped_data(), n, e.untyped_data(), n - 1,
                                     nullptr, w->untyped_data(), many, z->untyped_data(), n, n * many, nullptr,
                                     static_cast<int *>(info->untyped_data()), nullptr, nullptr, nullptr,
                                     batch_of(d, 1));
        });
}

/* A call for each matrix; the points of one lie together. */
ffi::Error counts(const xla_place &at, in d, in e, in x, out count, out info)
{
    int64_t const n = d.dimensions().back(), batch = batch_of(d, 1), m = batch ? batch_of(x, 0) / batch : 0;
    return run(
        at, [&](eig_context *ctx, size_t *bytes) { return eig_stebz_count_work_size(ctx, type_of(d), n, m, bytes); },
        [&](eig_context *ctx) {
            eig_status status = EIG_OK;
            for (int64_t b = 0; b < batch && status == EIG_OK; ++b)
                status = eig_stebz_count(ctx, type_of(d), n, at_number(d, b * n), at_number(e, b * (n - 1)), m,
                                         at_number(x, b * m), static_cast<int64_t *>(count->untyped_data()) + b * m,
                                         static_cast<int *>(info->untyped_data()) + b);
            return status;
        });
}

/* Where the block of index k of `whole`'s first dimensions lies in an array whose own are as long or 1. */
int64_t block_of(const in &array, const in &whole, size_t dimensions, int64_t k)
{
    int64_t block = 0, stride = 1;
    for (size_t i = dimensions; i-- > 0;) {
        int64_t const length = whole.dimensions()[i], own = array.dimensions()[i];
        block += own == 1 ? 0 : k % length * stride;
        k /= length, stride *= own;
    }
    return block;
}

/* a: [..., m+1, n, n], x: [..., points, m], info: [..., points]; vmap's dimensions in front, of length 1 where an array is
 * one for all.  One call where there is one family, else one for each. */
ffi::Error affine(const xla_place &at, in a, in x, out result, out info, int64_t measure)
{
    size_t const lead = a.dimensions().size() - 3;
    int64_t const n = a.dimensions().back(), matrices = a.dimensions()[lead], m = matrices - 1;
    int64_t const families = batch_of(a, 3), all = batch_of(*info, 1);
    bool const one = families == 1 && batch_of(x, 2) == all;
    int64_t const points = one ? batch_of(*info, 0) : info->dimensions().back(), calls = one ? 1 : all;
    eig_geev_options options = EIG_GEEV_OPTIONS;
    options.row_major = 1;
    return run(
        at,
        [&](eig_context *ctx, size_t *bytes) {
            return eig_geev_work_size(ctx, type_of(a), &options, n, 0, points, bytes);
        },
        [&](eig_context *ctx) {
            eig_status status = EIG_OK;
            for (int64_t k = 0; k < calls && status == EIG_OK; ++k) {
                int64_t const from = one ? 0 : block_of(a, *info, lead, k), to = one ? 0 : block_of(x, *info, lead, k);
                char *const out = static_cast<char *>(result->untyped_data()) +
                                  k * points * (int64_t)eig_type_size(type_of(*result)) * (measure ? 1 : n);
                status = eig_geev_affine(ctx, type_of(a), &options, n, m, at_number(a, from * matrices * n * n), n,
                                         n * n, at_number(x, to * points * m), m, measure ? nullptr : out, n,
                                         (eig_geev_measure)measure, measure ? out : nullptr,
                                         static_cast<int *>(info->untyped_data()) + k * points, points);
            }
            return status;
        });
}

ffi::Error eig(const xla_place &at, in a, out w, out v, out info, bool left)
{
    void *const vectors = v->untyped_data();
    return geev(at, a, w, left ? vectors : nullptr, left ? nullptr : vectors, info);
}

ffi::Error eigh(const xla_place &at, in a, out w, out v, out info, bool upper)
{
    return heev(at, a, w, v->untyped_data(), info, upper);
}

ffi::Error eigvalsh(const xla_place &at, in a, out w, out info, bool upper)
{
    return heev(at, a, w, nullptr, info, upper);
}

xla_place on_gpu(void *stream, ffi::ScratchAllocator *scratch, int32_t ordinal)
{
    return {"cuda:" + std::to_string(ordinal), stream, scratch};
}

#define HOST ffi::Ffi::Bind()
#define GPU ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void *>>().Ctx<ffi::ScratchAllocator>().Ctx<device_ordinal>()
#define GPU_PLACE void *stream, ffi::ScratchAllocator scratch, int32_t ordinal

#define EIGVALS(bind) bind.Arg<in>().Ret<in>().Ret<in>()
XLA_FFI_DEFINE_HANDLER(
    eigvals_cpu, [](in a, out w, out info) { return geev({}, a, w, nullptr, nullptr, info); }, EIGVALS(HOST));
XLA_FFI_DEFINE_HANDLER(
    eigvals_gpu,
    [](GPU_PLACE, in a, out w, out info) {
        return geev(on_gpu(stream, &scratch, ordinal), a, w, nullptr, nullptr, info);
    },
    EIGVALS(GPU));

#define EIG_ONE(bind) bind.Arg<in>().Ret<in>().Ret<in>().Ret<in>().Attr<bool>("left")
XLA_FFI_DEFINE_HANDLER(
    eig_cpu, [](in a, out w, out v, out info, bool left) { return eig({}, a, w, v, info, left); }, EIG_ONE(HOST));
XLA_FFI_DEFINE_HANDLER(
    eig_gpu,
    [](GPU_PLACE, in a, out w, out v, out info, bool left) {
        return eig(on_gpu(stream, &scratch, ordinal), a, w, v, info, left);
    },
    EIG_ONE(GPU));

#define EIG_BOTH(bind) bind.Arg<in>().Ret<in>().Ret<in>().Ret<in>().Ret<in>()
XLA_FFI_DEFINE_HANDLER(
    eig_both_cpu,
    [](in a, out w, out vl, out vr, out info) { return geev({}, a, w, vl->untyped_data(), vr->untyped_data(), info); },
    EIG_BOTH(HOST));
XLA_FFI_DEFINE_HANDLER(
    eig_both_gpu,
    [](GPU_PLACE, in a, out w, out vl, out vr, out info) {
        return geev(on_gpu(stream, &scratch, ordinal), a, w, vl->untyped_data(), vr->untyped_data(), info);
    },
    EIG_BOTH(GPU));

#define EIGVALSH(bind) bind.Arg<in>().Ret<in>().Ret<in>().Attr<bool>("upper")
XLA_FFI_DEFINE_HANDLER(
    eigvalsh_cpu, [](in a, out w, out info, bool upper) { return eigvalsh({}, a, w, info, upper); }, EIGVALSH(HOST));
XLA_FFI_DEFINE_HANDLER(
    eigvalsh_gpu,
    [](GPU_PLACE, in a, out w, out info, bool upper) {
        return eigvalsh(on_gpu(stream, &scratch, ordinal), a, w, info, upper);
    },
    EIGVALSH(GPU));

#define EIGH(bind) bind.Arg<in>().Ret<in>().Ret<in>().Ret<in>().Attr<bool>("upper")
XLA_FFI_DEFINE_HANDLER(
    eigh_cpu, [](in a, out w, out v, out info, bool upper) { return eigh({}, a, w, v, info, upper); }, EIGH(HOST));
XLA_FFI_DEFINE_HANDLER(
    eigh_gpu,
    [](GPU_PLACE, in a, out w, out v, out info, bool upper) {
        return eigh(on_gpu(stream, &scratch, ordinal), a, w, v, info, upper);
    },
    EIGH(GPU));

#define TRIDIAGONAL(bind)    \
    bind.Arg<in>()           \
        .Arg<in>()           \
        .Ret<in>()           \
        .Ret<in>()           \
        .Ret<in>()           \
        .Ret<in>()           \
        .Attr<int64_t>("il") \
        .Attr<int64_t>("iu") \
        .Attr<double>("abstol")
XLA_FFI_DEFINE_HANDLER(
    tridiagonal_cpu,
    [](in d, in e, out w, out lower, out upper, out info, int64_t il, int64_t iu, double abstol) {
        return tridiagonal({}, d, e, w, lower, upper, info, il, iu, abstol);
    },
    TRIDIAGONAL(HOST));
XLA_FFI_DEFINE_HANDLER(
    tridiagonal_gpu,
    [](GPU_PLACE, in d, in e, out w, out lower, out upper, out info, int64_t il, int64_t iu, double abstol) {
        return tridiagonal(on_gpu(stream, &scratch, ordinal), d, e, w, lower, upper, info, il, iu, abstol);
    },
    TRIDIAGONAL(GPU));

#define PAIRS(bind) bind.Arg<in>().Arg<in>().Ret<in>().Ret<in>().Ret<in>().Attr<int64_t>("il").Attr<int64_t>("iu")
XLA_FFI_DEFINE_HANDLER(
    pairs_cpu,
    [](in d, in e, out w, out z, out info, int64_t il, int64_t iu) { return pairs({}, d, e, w, z, info, il, iu); },
    PAIRS(HOST));
XLA_FFI_DEFINE_HANDLER(
    pairs_gpu,
    [](GPU_PLACE, in d, in e, out w, out z, out info, int64_t il, int64_t iu) {
        return pairs(on_gpu(stream, &scratch, ordinal), d, e, w, z, info, il, iu);
    },
    PAIRS(GPU));

#define COUNTS(bind) bind.Arg<in>().Arg<in>().Arg<in>().Ret<in>().Ret<in>()
XLA_FFI_DEFINE_HANDLER(
    counts_cpu, [](in d, in e, in x, out count, out info) { return counts({}, d, e, x, count, info); }, COUNTS(HOST));
XLA_FFI_DEFINE_HANDLER(
    counts_gpu,
    [](GPU_PLACE, in d, in e, in x, out count, out info) {
        return counts(on_gpu(stream, &scratch, ordinal), d, e, x, count, info);
    },
    COUNTS(GPU));

#define AFFINE(bind) bind.Arg<in>().Arg<in>().Ret<in>().Ret<in>().Attr<int64_t>("measure")
XLA_FFI_DEFINE_HANDLER(
    affine_cpu,
    [](in a, in x, out result, out info, int64_t measure) { return affine({}, a, x, result, info, measure); },
    AFFINE(HOST));
XLA_FFI_DEFINE_HANDLER(
    affine_gpu,
    [](GPU_PLACE, in a, in x, out result, out info, int64_t measure) {
        return affine(on_gpu(stream, &scratch, ordinal), a, x, result, info, measure);
    },
    AFFINE(GPU));

} // namespace

nb::dict jax_targets()
{
    nb::dict targets;
    auto const add = [&](const char *name, XLA_FFI_Handler *cpu, XLA_FFI_Handler *gpu) {
        targets[nb::make_tuple(name, "cpu")] = nb::capsule(reinterpret_cast<void *>(cpu));
        targets[nb::make_tuple(name, "CUDA")] = nb::capsule(reinterpret_cast<void *>(gpu));
    };
    add("eigvals", eigvals_cpu, eigvals_gpu);
    add("eig", eig_cpu, eig_gpu);
    add("eig_both", eig_both_cpu, eig_both_gpu);
    add("eigvalsh", eigvalsh_cpu, eigvalsh_gpu);
    add("eigh", eigh_cpu, eigh_gpu);
    add("eigvalsh_tridiagonal", tridiagonal_cpu, tridiagonal_gpu);
    add("eigh_tridiagonal", pairs_cpu, pairs_gpu);
    add("sturm_count", counts_cpu, counts_gpu);
    add("eigvals_affine", affine_cpu, affine_gpu);
    return targets;
}

nb::tuple jax_interface()
{
    return nb::make_tuple(XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR);
}

#endif
