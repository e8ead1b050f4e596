# EIGPACK_LIBRARY=/prefix/lib/libeigpack.so julia --project=bindings/julia -e 'using Pkg; Pkg.test()'
using Eigpack, LinearAlgebra, Test

@testset "the library" begin
    @test "version = \"$(Eigpack.version())\"" in readlines(joinpath(@__DIR__, "..", "Project.toml"))
    @test startswith(Eigpack.describe(), "cpu")
    @test_throws Eigpack.EigpackError Eigpack.describe("abacus")
end

@testset "structures" begin
    for (type, bytes) in ((:StebzOptions, 64), (:StemrOptions, 72), (:HeevOptions, 88), (:GeevOptions, 40), (:StemrStats, 88), (:Pass, 24))
        @test sizeof(getfield(Eigpack.LibEigpack, type)) == bytes
    end
end

@testset "Hermitian, $T" for T in (Float32, Float64, ComplexF32, ComplexF64)
    for n in (0, 1, 2, 3, 10, 40)
        a = randn(T, n, n, 7)
        for k in axes(a, 3)
            a[:, :, k] = (a[:, :, k] + a[:, :, k]') / 2
        end
        w, v = Eigpack.eigh(a)
        tolerance = 100 * max(n, 1) * eps(real(T))
        for k in axes(a, 3)
            @test norm(a[:, :, k] * v[:, :, k] - v[:, :, k] * Diagonal(w[:, k])) <= tolerance * max(norm(a[:, :, k]), 1)
            @test norm(v[:, :, k]' * v[:, :, k] - I) <= tolerance
            @test issorted(w[:, k])
        end
        @test norm(Eigpack.eigvalsh(a) - w) <= tolerance * max(norm(w), 1)
        @test Eigpack.eigh(a; uplo = 'U').values ≈ w atol = tolerance * max(norm(w), 1)
        @test Eigpack.eigh!(similar(w), copy(a), a).values == w
    end
end

@testset "nonsymmetric, $T" for T in (Float32, Float64, ComplexF32, ComplexF64)
    for n in (0, 1, 5, 20)
        a = randn(T, n, n, 9)
        w, v = Eigpack.eig(a)
        left, condition = similar(v), similar(real(w))
        Eigpack.eig!(similar(w), nothing, a; left = left, condition = condition)
        tolerance = 100 * max(n, 1) * eps(real(T))
        for k in axes(a, 3)
            size_of_a = max(norm(a[:, :, k]), 1)
            @test norm(a[:, :, k] * v[:, :, k] - v[:, :, k] * Diagonal(w[:, k])) <= tolerance * size_of_a
            @test norm(left[:, :, k]' * a[:, :, k] - Diagonal(w[:, k]) * left[:, :, k]') <= tolerance * size_of_a
            @test all(abs.(map(norm, eachcol(v[:, :, k])) .- 1) .<= tolerance)
            @test condition[:, k] ≈ [abs(left[:, j, k]' * v[:, j, k]) for j in 1:n] atol = 100 * tolerance
            @test sum(Eigpack.eigvals(a)[:, k]) ≈ tr(a[:, :, k]) atol = tolerance * size_of_a
        end
    end
    a = randn(T, 5, 5, 9)
    a[1, 1, 3] = NaN
    @test_throws Eigpack.FailedMatrices Eigpack.eigvals(a)
    w = Eigpack.eigvals(a; check = false)
    @test all(isnan, w[:, 3]) && !any(isnan, w[:, 4])
end

@testset "tridiagonal" begin
    n = 100
    t = SymTridiagonal(fill(2.0, n), fill(-1.0, n - 1))
    exact = [2 - 2cospi(k / (n + 1)) for k in 1:n]
    @test Eigpack.eigvalsh(t) ≈ exact atol = 1e-14
    w, lower, upper = Eigpack.eigvalsh(t, 3:5; bounds = true)
    @test w ≈ exact[3:5] && all(lower .<= w .<= upper)
    w, z = Eigpack.eigh(t)
    @test norm(Matrix(t) * z - z * Diagonal(w)) < 1e-12 && norm(z' * z - I) < 1e-12
    @test size(Eigpack.eigh(t, 1:2).vectors) == (n, 2)
    @test Eigpack.count_below(t, [0, 2, 4]) == [0, 50, 100]
end

@testset "sizes" begin
    @test_throws DimensionMismatch Eigpack.eigvals(randn(2, 3, 4))
    @test_throws DimensionMismatch Eigpack.eigh!(zeros(3, 3), zeros(3, 3, 4), zeros(3, 3, 4))
    @test_throws DimensionMismatch Eigpack.eig!(zeros(ComplexF64, 2, 1), zeros(ComplexF64, 2, 3, 1), zeros(2, 2, 1))
    @test_throws ArgumentError Eigpack.eigh(zeros(2, 2, 1); uplo = 'X')
end
