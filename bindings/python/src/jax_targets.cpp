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

ffi::Error geev(const xla_place &at, in a, out w, out info)
{
    int64_t const n = a.dimensions().back(), batch = batch_of(a, 2);
    eig_geev_options const options = EIG_GEEV_OPTIONS;
    return run(
        at,
        [&](eig_context *ctx, size_t *bytes) { return eig_geev_work_size(ctx, type_of(a), &options, n, batch, bytes); },
        [&](eig_context *ctx) {
            return eig_geev_batched(ctx, type_of(a), &options, n, a.untyped_data(), n, n * n, w->untyped_data(), n,
                                    static_cast<int *>(info->untyped_data()), batch);
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
            return eig_heev_batched(ctx, type_of(a), &options, n, a.untyped_data(), n, n * n, w->untyped_data(), n, v,
                                    n, n * n, static_cast<int *>(info->untyped_data()), nullptr, batch);
        });
}

ffi::Error stebz(const xla_place &at, in d, in e, out w, out info)
{
    int64_t const n = d.dimensions().back(), batch = batch_of(d, 1);
    return run(
        at,
        [&](eig_context *ctx, size_t *bytes) { return eig_stebz_work_size(ctx, type_of(d), nullptr, n, batch, bytes); },
        [&](eig_context *ctx) {
            return eig_stebz_batched(ctx, type_of(d), nullptr, n, d.untyped_data(), n, e.untyped_data(), n - 1,
                                     w->untyped_data(), nullptr, nullptr, n, static_cast<int *>(info->untyped_data()),
                                     batch);
        });
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
    eigvals_cpu, [](in a, out w, out info) { return geev({}, a, w, info); }, EIGVALS(HOST));
XLA_FFI_DEFINE_HANDLER(
    eigvals_gpu, [](GPU_PLACE, in a, out w, out info) { return geev(on_gpu(stream, &scratch, ordinal), a, w, info); },
    EIGVALS(GPU));

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

#define TRIDIAGONAL(bind) bind.Arg<in>().Arg<in>().Ret<in>().Ret<in>()
XLA_FFI_DEFINE_HANDLER(
    tridiagonal_cpu, [](in d, in e, out w, out info) { return stebz({}, d, e, w, info); }, TRIDIAGONAL(HOST));
XLA_FFI_DEFINE_HANDLER(
    tridiagonal_gpu,
    [](GPU_PLACE, in d, in e, out w, out info) { return stebz(on_gpu(stream, &scratch, ordinal), d, e, w, info); },
    TRIDIAGONAL(GPU));

} // namespace

nb::dict jax_targets()
{
    nb::dict targets;
    auto const add = [&](const char *name, XLA_FFI_Handler *cpu, XLA_FFI_Handler *gpu) {
        targets[nb::make_tuple(name, "cpu")] = nb::capsule(reinterpret_cast<void *>(cpu));
        targets[nb::make_tuple(name, "CUDA")] = nb::capsule(reinterpret_cast<void *>(gpu));
    };
    add("eigvals", eigvals_cpu, eigvals_gpu);
    add("eigvalsh", eigvalsh_cpu, eigvalsh_gpu);
    add("eigh", eigh_cpu, eigh_gpu);
    add("eigvalsh_tridiagonal", tridiagonal_cpu, tridiagonal_gpu);
    return targets;
}

#endif
