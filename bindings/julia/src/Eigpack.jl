"""
Eigenvalues and eigenvectors, many at a time, on CPUs and GPUs, by the C library eigpack.

A batch is an array of three dimensions, a matrix for each last index. `eigh` and `eigvalsh` take symmetric and Hermitian
matrices, `eig` and `eigvals` any; of a `SymTridiagonal` `eigh` and `eigvalsh` take one. The forms with `!` write into arrays of the
caller. Arrays of CUDA.jl are computed where they lie, on the task's stream.

The library is the one that `ENV["EIGPACK_LIBRARY"]` names, else the system's `libeigpack`.
"""
module Eigpack

include("LibEigpack.jl")

using .LibEigpack
using LinearAlgebra: SymTridiagonal

const Real32or64 = Union{Float32,Float64}
const Number32or64 = Union{Float32,Float64,ComplexF32,ComplexF64}

letter(::Type{Float32}) = LibEigpack.EIG_S
letter(::Type{Float64}) = LibEigpack.EIG_D
letter(::Type{ComplexF32}) = LibEigpack.EIG_C
letter(::Type{ComplexF64}) = LibEigpack.EIG_Z

"A call that the library refused or that failed: its status, and the library's sentence."
struct EigpackError <: Exception
    status::Int
    sentence::String
end

Base.showerror(io::IO, e::EigpackError) = print(io, "eigpack: ", e.sentence)

"Matrices without a result, by their numbers: not finite, or not converged. Their results are NaN."
struct FailedMatrices <: Exception
    numbers::Vector{Int}
end

Base.showerror(io::IO, e::FailedMatrices) = print(io, "eigpack: no result for ", length(e.numbers), " matrices, the first is number ", first(e.numbers))

# ------------------------------------------------------------------------------------------------------------ contexts

# A context serves one call at a time: a call takes one that is free, or opens another.
const free_contexts = Dict{String,Vector{Ptr{Cvoid}}}()
const contexts_lock = ReentrantLock()

function checked(context, status)
    status == LibEigpack.EIG_OK && return nothing
    sentence = unsafe_string(LibEigpack.eig_error_detail(context))
    throw(EigpackError(status, isempty(sentence) ? unsafe_string(LibEigpack.eig_status_text(status)) : sentence))
end

function open_context(device)
    handle = Ref{Ptr{Cvoid}}(C_NULL)
    status = LibEigpack.eig_create(handle, device)
    try
        checked(handle[], status)
    catch
        LibEigpack.eig_destroy(handle[])
        rethrow()
    end
    return handle[]
end

function with_context(call, device)
    context = lock(contexts_lock) do
        idle = get!(Vector{Ptr{Cvoid}}, free_contexts, device)
        isempty(idle) ? C_NULL : pop!(idle)
    end
    context == C_NULL && (context = open_context(device))
    try
        return call(context)
    finally
        lock(() -> push!(free_contexts[device], context), contexts_lock)
    end
end

"""
    describe(device = "cpu")

What computes on a device, e.g. "cpu avx512, 16 threads".
"""
describe(device = "cpu") = with_context(c -> unsafe_string(LibEigpack.eig_describe(c)), device)

"""
    version()

The version of the library.
"""
function version()
    number = LibEigpack.eig_version()
    return VersionNumber(number ÷ 10000, number ÷ 100 % 100, number % 100)
end

# The extension for CUDA adds methods for its arrays: where they lie, and their address.
device_of(::Array) = "cpu"
address(::Nothing) = C_NULL
address(a::Array) = Ptr{Cvoid}(pointer(a))

# Called before and after the library's call, where a device's stream has to be told of it.
prepare(context, ::Array) = nothing

function solve(call, device, arrays...)
    GC.@preserve arrays with_context(device) do context
        prepare(context, arrays[1])
        checked(context, call(context, map(address, arrays)...))
    end
end

function demand_results(info, check)
    check || return nothing
    failed = findall(!iszero, Array(info))
    isempty(failed) || throw(FailedMatrices(failed))
    return nothing
end

function demand_square(a)
    size(a, 1) == size(a, 2) || throw(DimensionMismatch("the matrices are $(size(a, 1)) x $(size(a, 2)), not square"))
    return size(a, 1)
end

function demand_size(name, array, dimensions...)
    size(array) == dimensions || throw(DimensionMismatch("$name has the size $(size(array)), not $dimensions"))
end

# --------------------------------------------------------------------------------------------- symmetric and Hermitian

function heev!(w, v, a; uplo::Char = 'L', same_bits_in_batches::Bool = false, check::Bool = true, device::AbstractString = device_of(a))
    n, batch = demand_square(a), size(a, 3)
    demand_size("w", w, n, batch)
    v === nothing || demand_size("v", v, n, n, batch)
    uplo in ('L', 'U') || throw(ArgumentError("uplo is $uplo, not L or U"))
    options = Ref(LibEigpack.HeevOptions(uplo = uplo == 'U' ? LibEigpack.EIG_UPLO_UPPER : LibEigpack.EIG_UPLO_LOWER, same_bits_in_batches = same_bits_in_batches))
    info = similar(a, Cint, batch)
    lead = max(n, 1)
    solve(String(device), a, w, v, info) do context, pa, pw, pv, pinfo
        LibEigpack.eig_heev_batched(context, letter(eltype(a)), options, n, pa, lead, lead * n, C_NULL, pw, n, pv, lead, lead * n, pinfo, C_NULL, batch)
    end
    demand_results(info, check)
    return nothing
end

const Batch{T} = AbstractArray{T,3}

"""
    eigh!(w, v, a; uplo = 'L', same_bits_in_batches = false, check = true, device)

Eigenvalues, ascending, into `w[:, k]` and eigenvectors into `v[:, :, k]` of each symmetric or Hermitian matrix `a[:, :, k]`,
of which one triangle is read. `v` may be `a`. `check = false` raises nothing for matrices without a result: they are NaN.

`same_bits_in_batches = true`: on a GPU, as always on a CPU, a matrix has the same bits alone and in a batch of any
size; few matrices can then take longer.
"""
function eigh!(w::AbstractMatrix{R}, v::Batch{T}, a::Batch{T}; keywords...) where {R<:Real32or64,T<:Union{R,Complex{R}}}
    heev!(w, v, a; keywords...)
    return (values = w, vectors = v)
end

"""
    eigh(a; uplo = 'L', check = true, device)

The same with arrays of its own: `(values, vectors)`.
"""
eigh(a::Batch{T}; keywords...) where {T<:Number32or64} = eigh!(similar(a, real(T), size(a, 1), size(a, 3)), similar(a), a; keywords...)

"""
    eigvalsh!(w, a; uplo = 'L', check = true, device)

Eigenvalues alone.
"""
function eigvalsh!(w::AbstractMatrix{R}, a::Batch{T}; keywords...) where {R<:Real32or64,T<:Union{R,Complex{R}}}
    heev!(w, nothing, a; keywords...)
    return w
end

"""
    eigvalsh(a; uplo = 'L', check = true, device)

Eigenvalues alone, in an array of its own.
"""
eigvalsh(a::Batch{T}; keywords...) where {T<:Number32or64} = eigvalsh!(similar(a, real(T), size(a, 1), size(a, 3)), a; keywords...)

# -------------------------------------------------------------------------------------------------------- nonsymmetric

function geev!(w, vl, vr, condition, a; same_bits_in_batches::Bool = false, check::Bool = true, device::AbstractString = device_of(a))
    n, batch = demand_square(a), size(a, 3)
    demand_size("values", w, n, batch)
    for (name, v) in (("left", vl), ("vectors", vr))
        v === nothing || demand_size(name, v, n, n, batch)
    end
    condition === nothing || demand_size("condition", condition, n, batch)
    options = Ref(LibEigpack.GeevOptions(same_bits_in_batches = same_bits_in_batches))
    info = similar(a, Cint, batch)
    lead = max(n, 1)
    solve(String(device), a, w, vl, vr, condition, info) do context, pa, pw, pvl, pvr, pcondition, pinfo
        LibEigpack.eig_geev_batched(context, letter(eltype(a)), options, n, pa, lead, lead * n, pw, n, pvl, lead, lead * n, pvr, lead, lead * n, pcondition, pinfo, batch)
    end
    demand_results(info, check)
    return nothing
end

"""
    eig!(w, v, a; left = nothing, condition = nothing, same_bits_in_batches = false, check = true, device)

Eigenvalues of each matrix `a[:, :, k]` into the complex `w[:, k]`, its right eigenvectors into the complex `v[:, :, k]` (`nothing`: not
wanted), its left ones into `left[:, :, k]`: `left[:, :, k]' * a[:, :, k] == Diagonal(w[:, k]) * left[:, :, k]'`; all of norm 1. Into the
real `condition[j, k]` goes the product of the unit left and right eigenvectors of `w[j, k]`: an error E of a matrix moves an eigenvalue by
about `norm(E) / condition`. `same_bits_in_batches` as of `eigh!`.
"""
function eig!(w::AbstractMatrix{C}, v::Union{Nothing,Batch{C}}, a::Batch{<:Union{R,C}}; left::Union{Nothing,Batch{C}} = nothing,
    condition::Union{Nothing,AbstractMatrix{R}} = nothing, keywords...) where {R<:Real32or64,C<:Complex{R}}
    geev!(w, left, v, condition, a; keywords...)
    return (values = w, vectors = v)
end

"""
    eig(a; check = true, device)

Eigenvalues and right eigenvectors in arrays of their own: `(values, vectors)`, both complex.
"""
eig(a::Batch{T}; keywords...) where {T<:Number32or64} = eig!(similar(a, complex(T), size(a, 1), size(a, 3)), similar(a, complex(T)), a; keywords...)

"""
    eigvals!(w, a; check = true, device)

Eigenvalues alone.
"""
function eigvals!(w::AbstractMatrix{C}, a::Batch{<:Union{R,C}}; keywords...) where {R<:Real32or64,C<:Complex{R}}
    geev!(w, nothing, nothing, nothing, a; keywords...)
    return w
end

"""
    eigvals(a; check = true, device)

Eigenvalues alone, in an array of its own.
"""
eigvals(a::Batch{T}; keywords...) where {T<:Number32or64} = eigvals!(similar(a, complex(T), size(a, 1), size(a, 3)), a; keywords...)

# --------------------------------------------------------------------------------------------------------- tridiagonal

# d and e of T as arrays that C can read.
parts(t::SymTridiagonal{T}) where {T} = (convert(Vector{T}, t.dv), convert(Vector{T}, t.ev[1:max(length(t.dv) - 1, 0)]))

select(n, ::Nothing) = (LibEigpack.EIG_RANGE_ALL, 0, 0, n)
select(_, r::UnitRange) = (LibEigpack.EIG_RANGE_INDEX, first(r), last(r), length(r))

"""
    eigvalsh(t::SymTridiagonal, irange = nothing; bounds = false, device = "cpu")

Eigenvalues of a symmetric tridiagonal matrix, all or those with numbers in `irange`; with `bounds = true` `(values, lower, upper)`,
where `lower[k] <= exact <= upper[k]` is proven.
"""
function eigvalsh(t::SymTridiagonal{T}, irange::Union{Nothing,UnitRange} = nothing; bounds::Bool = false, device::AbstractString = "cpu") where {T<:Real32or64}
    d, e = parts(t)
    range, il, iu, m = select(length(d), irange)
    w, lower, upper = Vector{T}(undef, m), bounds ? Vector{T}(undef, m) : nothing, bounds ? Vector{T}(undef, m) : nothing
    info = zeros(Cint, 1)
    options = Ref(LibEigpack.StebzOptions(range = range, il = il, iu = iu))
    solve(String(device), d, e, w, lower, upper, info) do context, pd, pe, pw, plower, pupper, pinfo
        LibEigpack.eig_stebz(context, letter(T), options, length(d), pd, pe, C_NULL, pw, plower, pupper, pinfo)
    end
    demand_results(info, true)
    return bounds ? (values = w, lower = lower, upper = upper) : w
end

"""
    eigh(t::SymTridiagonal, irange = nothing; device = "cpu")

Eigenpairs of a symmetric tridiagonal matrix, all or those with numbers in `irange`: `(values, vectors)`.
"""
function eigh(t::SymTridiagonal{T}, irange::Union{Nothing,UnitRange} = nothing; device::AbstractString = "cpu") where {T<:Real32or64}
    d, e = parts(t)
    n = length(d)
    range, il, iu, m = select(n, irange)
    w, z, info = Vector{T}(undef, m), Matrix{T}(undef, n, m), zeros(Cint, m)
    options = Ref(LibEigpack.StemrOptions(range = range, il = il, iu = iu))
    solve(String(device), d, e, w, z, info) do context, pd, pe, pw, pz, pinfo
        LibEigpack.eig_stemr(context, letter(T), options, n, pd, pe, C_NULL, pw, pz, max(n, 1), C_NULL, pinfo, C_NULL, C_NULL, C_NULL)
    end
    demand_results(info, true)
    return (values = w, vectors = z)
end

"""
    count_below(t::SymTridiagonal, x; device = "cpu")

How many eigenvalues of `t` are smaller than each `x[k]`, by Sturm counts.
"""
function count_below(t::SymTridiagonal{T}, x::AbstractVector; device::AbstractString = "cpu") where {T<:Real32or64}
    d, e = parts(t)
    shifts, counts, info = convert(Vector{T}, x), Vector{Int64}(undef, length(x)), zeros(Cint, 1)
    solve(String(device), d, e, shifts, counts, info) do context, pd, pe, px, pcounts, pinfo
        LibEigpack.eig_stebz_count(context, letter(T), length(d), pd, pe, length(x), px, pcounts, pinfo)
    end
    demand_results(info, true)
    return counts
end

end
