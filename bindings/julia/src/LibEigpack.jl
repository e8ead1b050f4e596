"""
The C interface of eigpack as it is: constants, structures and functions of `eigpack.h`, whose comments are the reference.
Made by `scripts/interface` from the header.
"""
module LibEigpack

using Libdl

const library = Ref{Ptr{Cvoid}}(C_NULL)

"""
    symbol(name)

The address of a function; the library is opened at the first use: the one that the environment variable
`EIGPACK_LIBRARY` names, else `libeigpack` of the system.
"""
function symbol(name::Symbol)
    library[] == C_NULL && (library[] = dlopen(get(ENV, "EIGPACK_LIBRARY", "libeigpack")))
    return dlsym(library[], name)
end

const EIG_OK = Cint(0)
const EIG_BAD_ARGUMENT = Cint(1)
const EIG_BAD_WORKSPACE = Cint(2)
const EIG_NO_BACKEND = Cint(3)
const EIG_NO_MEMORY = Cint(4)
const EIG_CUDA_FAILURE = Cint(5)
const EIG_CANCELLED = Cint(7)
const EIG_BUSY = Cint(8)
const EIG_MPI_FAILURE = Cint(9)
const EIG_INFO_OK = Cint(0)
const EIG_INFO_NOT_FINITE = Cint(-1)
const EIG_S = Cint(115)
const EIG_D = Cint(100)
const EIG_C = Cint(99)
const EIG_Z = Cint(122)
const EIG_LAYOUT_MATRIX_WISE = Cint(0)
const EIG_LAYOUT_ELEMENT_WISE = Cint(69)
const EIG_LAYOUT_ROW_WISE = Cint(82)
const EIG_RANGE_ALL = Cint(0)
const EIG_RANGE_INDEX = Cint(73)
const EIG_RANGE_VALUE = Cint(86)
const EIG_STEBZ_MULTISECTION = Cint(0)
const EIG_STEBZ_INTERVAL_TREE = Cint(1)
const EIG_STEBZ_REFERENCE = Cint(2)
const EIG_STEMR_AUTO = Cint(0)
const EIG_STEMR_REFERENCE = Cint(1)
const EIG_STEMR_MRRR = Cint(2)
const EIG_STEMR_RESIDUAL = Cint(1)
const EIG_STEMR_ORTHOGONALITY = Cint(2)
const EIG_HEEV_AUTO = Cint(0)
const EIG_HEEV_JACOBI = Cint(1)
const EIG_HEEV_TRIDIAGONAL = Cint(2)
const EIG_HEEV_REFERENCE = Cint(3)
const EIG_UPLO_LOWER = Cint(0)
const EIG_UPLO_UPPER = Cint(85)
const EIG_GEEV_AUTO = Cint(0)
const EIG_GEEV_SWB = Cint(1)
const EIG_GEEV_MWB = Cint(2)
const EIG_GEEV_REFERENCE = Cint(3)
const EIG_GEEV_ABSCISSA = Cint(0)
const EIG_GEEV_RADIUS = Cint(82)
const EIG_GEEV_DAMPING = Cint(68)

struct Pass
    size::Csize_t
    name::Ptr{Cvoid}
    ms::Cdouble
end

Pass(; ms = 0) =
    Pass(sizeof(Pass), C_NULL, ms)

struct StebzOptions
    size::Csize_t
    range::Cint
    method::Cint
    il::Int64
    iu::Int64
    vl::Cdouble
    vu::Cdouble
    abstol::Cdouble
    reltol::Cdouble
    same_bits_in_batches::Cint
    reserved::Cint
end

StebzOptions(; range = 0, method = 0, il = 0, iu = 0, vl = 0, vu = 0, abstol = 0, reltol = 0, same_bits_in_batches = 0, reserved = 0) =
    StebzOptions(sizeof(StebzOptions), range, method, il, iu, vl, vu, abstol, reltol, same_bits_in_batches, reserved)

struct StemrNode
    size::Csize_t
    parent::Int64
    members::Int64
    level::Cint
    good::Cint
    low::Cdouble
    high::Cdouble
    shift::Cdouble
    growth::Cdouble
end

StemrNode(; parent = 0, members = 0, level = 0, good = 0, low = 0, high = 0, shift = 0, growth = 0) =
    StemrNode(sizeof(StemrNode), parent, members, level, good, low, high, shift, growth)

struct StemrOptions
    size::Csize_t
    range::Cint
    method::Cint
    il::Int64
    iu::Int64
    vl::Cdouble
    vu::Cdouble
    tree::Ptr{Cvoid}
    tree_room::Int64
    most_depth::Cint
    no_certificate::Cint
    same_bits_in_batches::Cint
    reserved::Cint
end

StemrOptions(; range = 0, method = 0, il = 0, iu = 0, vl = 0, vu = 0, tree_room = 0, most_depth = 0, no_certificate = 0, same_bits_in_batches = 0, reserved = 0) =
    StemrOptions(sizeof(StemrOptions), range, method, il, iu, vl, vu, C_NULL, tree_room, most_depth, no_certificate, same_bits_in_batches, reserved)

struct StemrStats
    size::Csize_t
    blocks::Int64
    representations::Int64
    depth::Int64
    clusters::Int64
    largest_cluster::Int64
    shifts::Int64
    bad_representations::Int64
    skew::Int64
    inverse_iterations::Int64
    nodes::Int64
end

StemrStats(; blocks = 0, representations = 0, depth = 0, clusters = 0, largest_cluster = 0, shifts = 0, bad_representations = 0, skew = 0, inverse_iterations = 0, nodes = 0) =
    StemrStats(sizeof(StemrStats), blocks, representations, depth, clusters, largest_cluster, shifts, bad_representations, skew, inverse_iterations, nodes)

struct HeevOptions
    size::Csize_t
    uplo::Cint
    layout::Cint
    method::Cint
    row_major::Cint
    relative::Cint
    range::Cint
    il::Int64
    iu::Int64
    vl::Cdouble
    vu::Cdouble
    chunk::Int64
    tolerance::Cdouble
    max_sweeps::Cint
    no_certificate::Cint
    same_bits_in_batches::Cint
    reserved::Cint
end

HeevOptions(; uplo = 0, layout = 0, method = 0, row_major = 0, relative = 0, range = 0, il = 0, iu = 0, vl = 0, vu = 0, chunk = 0, tolerance = 0, max_sweeps = 0, no_certificate = 0, same_bits_in_batches = 0, reserved = 0) =
    HeevOptions(sizeof(HeevOptions), uplo, layout, method, row_major, relative, range, il, iu, vl, vu, chunk, tolerance, max_sweeps, no_certificate, same_bits_in_batches, reserved)

struct GeevOptions
    size::Csize_t
    layout::Cint
    method::Cint
    no_balance::Cint
    threads_per_matrix::Cint
    chunk::Int64
    max_steps::Int64
    no_certificate::Cint
    row_major::Cint
    same_bits_in_batches::Cint
    reserved::Cint
end

GeevOptions(; layout = 0, method = 0, no_balance = 0, threads_per_matrix = 0, chunk = 0, max_steps = 0, no_certificate = 0, row_major = 0, same_bits_in_batches = 0, reserved = 0) =
    GeevOptions(sizeof(GeevOptions), layout, method, no_balance, threads_per_matrix, chunk, max_steps, no_certificate, row_major, same_bits_in_batches, reserved)

eig_status_text(status) =
    ccall(symbol(:eig_status_text), Cstring, (Cint,), status)

eig_info_text(info) =
    ccall(symbol(:eig_info_text), Cstring, (Cint,), info)

eig_geev_info_text(n, info) =
    ccall(symbol(:eig_geev_info_text), Cstring, (Int64, Cint), n, info)

eig_version() =
    ccall(symbol(:eig_version), Cint, ())

eig_type_size(type) =
    ccall(symbol(:eig_type_size), Csize_t, (Cint,), type)

eig_create(ctx, device) =
    ccall(symbol(:eig_create), Cint, (Ptr{Ptr{Cvoid}}, Cstring), ctx, device)

eig_destroy(ctx) =
    ccall(symbol(:eig_destroy), Cvoid, (Ptr{Cvoid},), ctx)

eig_error_detail(ctx) =
    ccall(symbol(:eig_error_detail), Cstring, (Ptr{Cvoid},), ctx)

eig_describe(ctx) =
    ccall(symbol(:eig_describe), Cstring, (Ptr{Cvoid},), ctx)

eig_set_threads(ctx, threads) =
    ccall(symbol(:eig_set_threads), Cint, (Ptr{Cvoid}, Cint), ctx, threads)

eig_set_progress(ctx, callback, user) =
    ccall(symbol(:eig_set_progress), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), ctx, callback, user)

eig_set_workspace(ctx, work, bytes) =
    ccall(symbol(:eig_set_workspace), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Csize_t), ctx, work, bytes)

eig_set_stream(ctx, stream) =
    ccall(symbol(:eig_set_stream), Cint, (Ptr{Cvoid}, Ptr{Cvoid}), ctx, stream)

eig_synchronize(ctx) =
    ccall(symbol(:eig_synchronize), Cint, (Ptr{Cvoid},), ctx)

eig_set_timing(ctx, on) =
    ccall(symbol(:eig_set_timing), Cint, (Ptr{Cvoid}, Cint), ctx, on)

eig_get_road(ctx) =
    ccall(symbol(:eig_get_road), Cstring, (Ptr{Cvoid},), ctx)

eig_get_passes(ctx) =
    ccall(symbol(:eig_get_passes), Cint, (Ptr{Cvoid},), ctx)

eig_get_pass(ctx, k, pass) =
    ccall(symbol(:eig_get_pass), Cint, (Ptr{Cvoid}, Cint, Ptr{Cvoid}), ctx, k, pass)

eig_get_repairs(ctx, matrices, vectors) =
    ccall(symbol(:eig_get_repairs), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), ctx, matrices, vectors)

eig_stebz_options_init(options, size) =
    ccall(symbol(:eig_stebz_options_init), Cvoid, (Ptr{Cvoid}, Csize_t), options, size)

eig_dstebz(ctx, options, n, d, e, m, w, lower, upper, info) =
    ccall(symbol(:eig_dstebz), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), ctx, options, n, d, e, m, w, lower, upper, info)

eig_sstebz(ctx, options, n, d, e, m, w, lower, upper, info) =
    ccall(symbol(:eig_sstebz), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), ctx, options, n, d, e, m, w, lower, upper, info)

eig_stebz(ctx, type, options, n, d, e, m, w, lower, upper, info) =
    ccall(symbol(:eig_stebz), Cint, (Ptr{Cvoid}, Cint, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), ctx, type, options, n, d, e, m, w, lower, upper, info)

eig_dstebz_batched(ctx, options, n, d, stride_d, e, stride_e, w, lower, upper, stride_w, info, batch) =
    ccall(symbol(:eig_dstebz_batched), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64), ctx, options, n, d, stride_d, e, stride_e, w, lower, upper, stride_w, info, batch)

eig_sstebz_batched(ctx, options, n, d, stride_d, e, stride_e, w, lower, upper, stride_w, info, batch) =
    ccall(symbol(:eig_sstebz_batched), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64), ctx, options, n, d, stride_d, e, stride_e, w, lower, upper, stride_w, info, batch)

eig_stebz_batched(ctx, type, options, n, d, stride_d, e, stride_e, w, lower, upper, stride_w, info, batch) =
    ccall(symbol(:eig_stebz_batched), Cint, (Ptr{Cvoid}, Cint, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64), ctx, type, options, n, d, stride_d, e, stride_e, w, lower, upper, stride_w, info, batch)

eig_dstebz_count(ctx, n, d, e, m, x, count, info) =
    ccall(symbol(:eig_dstebz_count), Cint, (Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), ctx, n, d, e, m, x, count, info)

eig_sstebz_count(ctx, n, d, e, m, x, count, info) =
    ccall(symbol(:eig_sstebz_count), Cint, (Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), ctx, n, d, e, m, x, count, info)

eig_stebz_count(ctx, type, n, d, e, m, x, count, info) =
    ccall(symbol(:eig_stebz_count), Cint, (Ptr{Cvoid}, Cint, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), ctx, type, n, d, e, m, x, count, info)

eig_stebz_work_size(ctx, type, options, n, batch, bytes) =
    ccall(symbol(:eig_stebz_work_size), Cint, (Ptr{Cvoid}, Cint, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}), ctx, type, options, n, batch, bytes)

eig_stebz_count_work_size(ctx, type, n, m, bytes) =
    ccall(symbol(:eig_stebz_count_work_size), Cint, (Ptr{Cvoid}, Cint, Int64, Int64, Ptr{Cvoid}), ctx, type, n, m, bytes)

eig_stemr_options_init(options, size) =
    ccall(symbol(:eig_stemr_options_init), Cvoid, (Ptr{Cvoid}, Csize_t), options, size)

eig_dstemr(ctx, options, n, d, e, m, w, z, ldz, isuppz, info, residual, orthogonality, stats) =
    ccall(symbol(:eig_dstemr), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), ctx, options, n, d, e, m, w, z, ldz, isuppz, info, residual, orthogonality, stats)

eig_sstemr(ctx, options, n, d, e, m, w, z, ldz, isuppz, info, residual, orthogonality, stats) =
    ccall(symbol(:eig_sstemr), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), ctx, options, n, d, e, m, w, z, ldz, isuppz, info, residual, orthogonality, stats)

eig_stemr(ctx, type, options, n, d, e, m, w, z, ldz, isuppz, info, residual, orthogonality, stats) =
    ccall(symbol(:eig_stemr), Cint, (Ptr{Cvoid}, Cint, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), ctx, type, options, n, d, e, m, w, z, ldz, isuppz, info, residual, orthogonality, stats)

eig_dstemr_batched(ctx, options, n, d, stride_d, e, stride_e, m, w, stride_w, z, ldz, stride_z, isuppz, info, residual, orthogonality, stats, batch) =
    ccall(symbol(:eig_dstemr_batched), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64), ctx, options, n, d, stride_d, e, stride_e, m, w, stride_w, z, ldz, stride_z, isuppz, info, residual, orthogonality, stats, batch)

eig_sstemr_batched(ctx, options, n, d, stride_d, e, stride_e, m, w, stride_w, z, ldz, stride_z, isuppz, info, residual, orthogonality, stats, batch) =
    ccall(symbol(:eig_sstemr_batched), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64), ctx, options, n, d, stride_d, e, stride_e, m, w, stride_w, z, ldz, stride_z, isuppz, info, residual, orthogonality, stats, batch)

eig_stemr_batched(ctx, type, options, n, d, stride_d, e, stride_e, m, w, stride_w, z, ldz, stride_z, isuppz, info, residual, orthogonality, stats, batch) =
    ccall(symbol(:eig_stemr_batched), Cint, (Ptr{Cvoid}, Cint, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64), ctx, type, options, n, d, stride_d, e, stride_e, m, w, stride_w, z, ldz, stride_z, isuppz, info, residual, orthogonality, stats, batch)

eig_stemr_work_size(ctx, type, options, n, vectors, bytes) =
    ccall(symbol(:eig_stemr_work_size), Cint, (Ptr{Cvoid}, Cint, Ptr{Cvoid}, Int64, Cint, Ptr{Cvoid}), ctx, type, options, n, vectors, bytes)

eig_heev_options_init(options, size) =
    ccall(symbol(:eig_heev_options_init), Cvoid, (Ptr{Cvoid}, Csize_t), options, size)

eig_dsyev_batched(ctx, options, n, a, lda, stride_a, m, w, stride_w, v, ldv, stride_v, info, sweeps, batch) =
    ccall(symbol(:eig_dsyev_batched), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64), ctx, options, n, a, lda, stride_a, m, w, stride_w, v, ldv, stride_v, info, sweeps, batch)

eig_ssyev_batched(ctx, options, n, a, lda, stride_a, m, w, stride_w, v, ldv, stride_v, info, sweeps, batch) =
    ccall(symbol(:eig_ssyev_batched), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64), ctx, options, n, a, lda, stride_a, m, w, stride_w, v, ldv, stride_v, info, sweeps, batch)

eig_zheev_batched(ctx, options, n, a, lda, stride_a, m, w, stride_w, v, ldv, stride_v, info, sweeps, batch) =
    ccall(symbol(:eig_zheev_batched), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64), ctx, options, n, a, lda, stride_a, m, w, stride_w, v, ldv, stride_v, info, sweeps, batch)

eig_cheev_batched(ctx, options, n, a, lda, stride_a, m, w, stride_w, v, ldv, stride_v, info, sweeps, batch) =
    ccall(symbol(:eig_cheev_batched), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64), ctx, options, n, a, lda, stride_a, m, w, stride_w, v, ldv, stride_v, info, sweeps, batch)

eig_heev_batched(ctx, type, options, n, a, lda, stride_a, m, w, stride_w, v, ldv, stride_v, info, sweeps, batch) =
    ccall(symbol(:eig_heev_batched), Cint, (Ptr{Cvoid}, Cint, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64), ctx, type, options, n, a, lda, stride_a, m, w, stride_w, v, ldv, stride_v, info, sweeps, batch)

eig_dsyev(ctx, options, n, a, lda, m, w, v, ldv, info, sweeps) =
    ccall(symbol(:eig_dsyev), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}), ctx, options, n, a, lda, m, w, v, ldv, info, sweeps)

eig_ssyev(ctx, options, n, a, lda, m, w, v, ldv, info, sweeps) =
    ccall(symbol(:eig_ssyev), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}), ctx, options, n, a, lda, m, w, v, ldv, info, sweeps)

eig_zheev(ctx, options, n, a, lda, m, w, v, ldv, info, sweeps) =
    ccall(symbol(:eig_zheev), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}), ctx, options, n, a, lda, m, w, v, ldv, info, sweeps)

eig_cheev(ctx, options, n, a, lda, m, w, v, ldv, info, sweeps) =
    ccall(symbol(:eig_cheev), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}), ctx, options, n, a, lda, m, w, v, ldv, info, sweeps)

eig_heev(ctx, type, options, n, a, lda, m, w, v, ldv, info, sweeps) =
    ccall(symbol(:eig_heev), Cint, (Ptr{Cvoid}, Cint, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}), ctx, type, options, n, a, lda, m, w, v, ldv, info, sweeps)

eig_heev_work_size(ctx, type, options, n, vectors, batch, bytes) =
    ccall(symbol(:eig_heev_work_size), Cint, (Ptr{Cvoid}, Cint, Ptr{Cvoid}, Int64, Cint, Int64, Ptr{Cvoid}), ctx, type, options, n, vectors, batch, bytes)

eig_geev_options_init(options, size) =
    ccall(symbol(:eig_geev_options_init), Cvoid, (Ptr{Cvoid}, Csize_t), options, size)

eig_dgeev_batched(ctx, options, n, a, lda, stride_a, w, stride_w, vl, ldvl, stride_vl, vr, ldvr, stride_vr, condition, info, batch) =
    ccall(symbol(:eig_dgeev_batched), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64), ctx, options, n, a, lda, stride_a, w, stride_w, vl, ldvl, stride_vl, vr, ldvr, stride_vr, condition, info, batch)

eig_sgeev_batched(ctx, options, n, a, lda, stride_a, w, stride_w, vl, ldvl, stride_vl, vr, ldvr, stride_vr, condition, info, batch) =
    ccall(symbol(:eig_sgeev_batched), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64), ctx, options, n, a, lda, stride_a, w, stride_w, vl, ldvl, stride_vl, vr, ldvr, stride_vr, condition, info, batch)

eig_zgeev_batched(ctx, options, n, a, lda, stride_a, w, stride_w, vl, ldvl, stride_vl, vr, ldvr, stride_vr, condition, info, batch) =
    ccall(symbol(:eig_zgeev_batched), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64), ctx, options, n, a, lda, stride_a, w, stride_w, vl, ldvl, stride_vl, vr, ldvr, stride_vr, condition, info, batch)

eig_cgeev_batched(ctx, options, n, a, lda, stride_a, w, stride_w, vl, ldvl, stride_vl, vr, ldvr, stride_vr, condition, info, batch) =
    ccall(symbol(:eig_cgeev_batched), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64), ctx, options, n, a, lda, stride_a, w, stride_w, vl, ldvl, stride_vl, vr, ldvr, stride_vr, condition, info, batch)

eig_geev_batched(ctx, type, options, n, a, lda, stride_a, w, stride_w, vl, ldvl, stride_vl, vr, ldvr, stride_vr, condition, info, batch) =
    ccall(symbol(:eig_geev_batched), Cint, (Ptr{Cvoid}, Cint, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64), ctx, type, options, n, a, lda, stride_a, w, stride_w, vl, ldvl, stride_vl, vr, ldvr, stride_vr, condition, info, batch)

eig_dgeev(ctx, options, n, a, lda, w, vl, ldvl, vr, ldvr, condition, info) =
    ccall(symbol(:eig_dgeev), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}), ctx, options, n, a, lda, w, vl, ldvl, vr, ldvr, condition, info)

eig_sgeev(ctx, options, n, a, lda, w, vl, ldvl, vr, ldvr, condition, info) =
    ccall(symbol(:eig_sgeev), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}), ctx, options, n, a, lda, w, vl, ldvl, vr, ldvr, condition, info)

eig_zgeev(ctx, options, n, a, lda, w, vl, ldvl, vr, ldvr, condition, info) =
    ccall(symbol(:eig_zgeev), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}), ctx, options, n, a, lda, w, vl, ldvl, vr, ldvr, condition, info)

eig_cgeev(ctx, options, n, a, lda, w, vl, ldvl, vr, ldvr, condition, info) =
    ccall(symbol(:eig_cgeev), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}), ctx, options, n, a, lda, w, vl, ldvl, vr, ldvr, condition, info)

eig_geev(ctx, type, options, n, a, lda, w, vl, ldvl, vr, ldvr, condition, info) =
    ccall(symbol(:eig_geev), Cint, (Ptr{Cvoid}, Cint, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}), ctx, type, options, n, a, lda, w, vl, ldvl, vr, ldvr, condition, info)

eig_dgeev_affine(ctx, options, n, m, a, lda, stride_a, x, stride_x, w, stride_w, measure, value, info, points) =
    ccall(symbol(:eig_dgeev_affine), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Cint, Ptr{Cvoid}, Ptr{Cvoid}, Int64), ctx, options, n, m, a, lda, stride_a, x, stride_x, w, stride_w, measure, value, info, points)

eig_sgeev_affine(ctx, options, n, m, a, lda, stride_a, x, stride_x, w, stride_w, measure, value, info, points) =
    ccall(symbol(:eig_sgeev_affine), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Cint, Ptr{Cvoid}, Ptr{Cvoid}, Int64), ctx, options, n, m, a, lda, stride_a, x, stride_x, w, stride_w, measure, value, info, points)

eig_zgeev_affine(ctx, options, n, m, a, lda, stride_a, x, stride_x, w, stride_w, measure, value, info, points) =
    ccall(symbol(:eig_zgeev_affine), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Cint, Ptr{Cvoid}, Ptr{Cvoid}, Int64), ctx, options, n, m, a, lda, stride_a, x, stride_x, w, stride_w, measure, value, info, points)

eig_cgeev_affine(ctx, options, n, m, a, lda, stride_a, x, stride_x, w, stride_w, measure, value, info, points) =
    ccall(symbol(:eig_cgeev_affine), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Cint, Ptr{Cvoid}, Ptr{Cvoid}, Int64), ctx, options, n, m, a, lda, stride_a, x, stride_x, w, stride_w, measure, value, info, points)

eig_geev_affine(ctx, type, options, n, m, a, lda, stride_a, x, stride_x, w, stride_w, measure, value, info, points) =
    ccall(symbol(:eig_geev_affine), Cint, (Ptr{Cvoid}, Cint, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Cint, Ptr{Cvoid}, Ptr{Cvoid}, Int64), ctx, type, options, n, m, a, lda, stride_a, x, stride_x, w, stride_w, measure, value, info, points)

eig_dgeev_schur(ctx, options, n, a, lda, stride_a, w, stride_w, t, ldt, stride_t, q, ldq, stride_q, info, batch) =
    ccall(symbol(:eig_dgeev_schur), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64), ctx, options, n, a, lda, stride_a, w, stride_w, t, ldt, stride_t, q, ldq, stride_q, info, batch)

eig_sgeev_schur(ctx, options, n, a, lda, stride_a, w, stride_w, t, ldt, stride_t, q, ldq, stride_q, info, batch) =
    ccall(symbol(:eig_sgeev_schur), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64), ctx, options, n, a, lda, stride_a, w, stride_w, t, ldt, stride_t, q, ldq, stride_q, info, batch)

eig_zgeev_schur(ctx, options, n, a, lda, stride_a, w, stride_w, t, ldt, stride_t, q, ldq, stride_q, info, batch) =
    ccall(symbol(:eig_zgeev_schur), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64), ctx, options, n, a, lda, stride_a, w, stride_w, t, ldt, stride_t, q, ldq, stride_q, info, batch)

eig_cgeev_schur(ctx, options, n, a, lda, stride_a, w, stride_w, t, ldt, stride_t, q, ldq, stride_q, info, batch) =
    ccall(symbol(:eig_cgeev_schur), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64), ctx, options, n, a, lda, stride_a, w, stride_w, t, ldt, stride_t, q, ldq, stride_q, info, batch)

eig_geev_schur(ctx, type, options, n, a, lda, stride_a, w, stride_w, t, ldt, stride_t, q, ldq, stride_q, info, batch) =
    ccall(symbol(:eig_geev_schur), Cint, (Ptr{Cvoid}, Cint, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64), ctx, type, options, n, a, lda, stride_a, w, stride_w, t, ldt, stride_t, q, ldq, stride_q, info, batch)

eig_geev_work_size(ctx, type, options, n, vectors, batch, bytes) =
    ccall(symbol(:eig_geev_work_size), Cint, (Ptr{Cvoid}, Cint, Ptr{Cvoid}, Int64, Cint, Int64, Ptr{Cvoid}), ctx, type, options, n, vectors, batch, bytes)
end
