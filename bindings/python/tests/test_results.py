"""What the functions give: truths and certificates, on the CPU and against NumPy and SciPy."""

import ctypes
import doctest
import pickle
import platform

import eigpack
import numpy as np
import pytest
from conftest import DEVICE, alike, check_pairs, eps_of, hermitian, made, same_spectrum

REAL = [np.float32, np.float64]
ALL = [*REAL, np.complex64, np.complex128]


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("n", [1, 2, 5, 30, 70])
def test_eigvals(rng, dtype, n):
    a = made(rng, dtype, 4, n, n)
    w = eigpack.eigvals(a, device=DEVICE)
    assert w.shape == (4, n) and w.dtype == np.result_type(dtype, np.complex64)
    for one, of in zip(w, a):
        assert same_spectrum(one, np.linalg.eigvals(of.astype(float)), 300 * n * eps_of(dtype) * np.linalg.norm(of))


def test_eigvals_order_of_a_pair():
    assert eigpack.eigvals([[0, 1], [-1, 0]], device=DEVICE).tolist() == [1j, -1j]


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("uplo", ["L", "U", "l", "u"])
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_eigh(rng, dtype, uplo, n):
    a = hermitian(rng, dtype, 3, n, n)
    read = np.where(np.tri(n, dtype=bool) if uplo in "lL" else np.tri(n, dtype=bool).T, a, np.nan)  # the other is not read
    result = eigpack.eigh(read, uplo, device=DEVICE)
    w, v = result
    assert result.eigenvalues is w and result.eigenvectors is v and isinstance(result, eigpack.EighResult)
    check_pairs(a, w, v)
    assert np.abs(w - np.linalg.eigvalsh(a)).max() <= 20 * n * eps_of(dtype) * np.abs(a).sum(-1).max()
    assert np.abs(eigpack.eigvalsh(read, uplo, device=DEVICE) - w).max() <= 20 * n * eps_of(dtype) * np.abs(a).sum(-1).max()


@pytest.mark.parametrize("dtype", REAL)
def test_affine(rng, dtype):
    n, m = 6, 2
    a, x = made(rng, dtype, m + 1, n, n), made(rng, dtype, 3, 4, m)
    w = eigpack.eigvals_affine(a, x, device=DEVICE)
    assert w.shape == (3, 4, n)
    full = a[0] + np.tensordot(x, a[1:], 1)
    for one, of in zip(w.reshape(-1, n), full.reshape(-1, n, n)):
        assert same_spectrum(one, np.linalg.eigvals(of.astype(float)), 1e4 * eps_of(dtype))
    measures = {"abscissa": w.real.max(-1), "radius": np.abs(w).max(-1), "damping": (-w.real / np.abs(w)).min(-1)}
    for name, expected in measures.items():
        value = eigpack.eigvals_affine(a, x, name, device=DEVICE)
        assert value.shape == (3, 4) and value.dtype == dtype
        assert np.abs(value - expected).max() < 1e3 * eps_of(dtype)
    assert eigpack.eigvals_affine(a, x[0, 0], "radius", device=DEVICE).shape == ()
    assert eigpack.eigvals_affine(a[:1], np.zeros((5, 0), dtype), device=DEVICE).shape == (5, n)


@pytest.mark.parametrize("dtype", REAL)
def test_affine_of_complex_matrices_and_points(rng, dtype):
    n, m, complex_type = 5, 2, np.result_type(dtype, np.complex64)
    real, points = made(rng, dtype, m + 1, n, n), made(rng, dtype, 7, m)
    turned, moved = made(rng, complex_type, m + 1, n, n), made(rng, complex_type, 7, m)
    for a, x in ((turned, moved), (turned, points), (real, moved)):
        w = eigpack.eigvals_affine(a, x, device=DEVICE)
        assert w.shape == (7, n) and w.dtype == complex_type
        for one, of in zip(w, a[0] + np.tensordot(x, a[1:], 1)):
            assert same_spectrum(one, np.linalg.eigvals(of.astype(complex)), 1e4 * eps_of(dtype))
        measures = {"abscissa": w.real.max(-1), "radius": np.abs(w).max(-1), "damping": (-w.real / np.abs(w)).min(-1)}
        for name, expected in measures.items():
            value = eigpack.eigvals_affine(a, x, name, device=DEVICE)
            assert value.shape == (7,) and value.dtype == dtype
            assert np.abs(value - expected).max() < 1e3 * eps_of(dtype)
    assert eigpack.eigvals_affine(real, moved.astype(np.complex128), device=DEVICE).dtype == np.complex128
    assert eigpack.eigvals_affine(turned, points.astype(float), "radius", device=DEVICE).dtype == np.float64


def laplacian(n, dtype=float):
    """tridiag(-1, 2, -1) and its eigenvalues."""
    return np.full(n, 2, dtype), np.full(n - 1, -1, dtype), 4 * np.sin(np.pi * np.arange(1, n + 1) / (2 * n + 2)) ** 2


@pytest.mark.parametrize("dtype", REAL)
def test_tridiagonal_eigenvalues(dtype):
    d, e, expected = laplacian(50, dtype)
    bound = 48 * eps_of(dtype)  # ||T|| is 4: the tolerance and the counts' error on either side
    w, lower, upper = eigpack.eigvalsh_tridiagonal(d, e, bounds=True, device=DEVICE)
    assert w.dtype == dtype and np.abs(w - expected).max() < bound
    assert np.all(lower <= w) and np.all(w <= upper) and np.all(upper - lower < bound)
    assert np.all(lower - bound / 1e3 <= expected) and np.all(expected <= upper + bound / 1e3)
    some = eigpack.eigvalsh_tridiagonal(d, e, select="i", select_range=(3, 7), device=DEVICE)
    assert some.shape == (5,) and np.abs(some - expected[3:8]).max() < bound
    part = eigpack.eigvalsh_tridiagonal(d, e, "v", (1, 2.5), device=DEVICE)
    assert np.abs(part - expected[(expected > 1) & (expected <= 2.5)]).max() < bound
    assert eigpack.eigvalsh_tridiagonal(d, e, "v", (9, 10), device=DEVICE).shape == (0,)


def test_half_open_interval():
    d, e = np.array([1.0, 2.0, 3.0]), np.zeros(2)
    w = eigpack.eigvalsh_tridiagonal(d, e, "v", (1, 3), device=DEVICE)
    assert w.shape == (2,) and np.abs(w - [2, 3]).max() <= (0 if DEVICE == "cpu" else 1e-15)


def test_tolerance_of_graded_matrices():
    d, e = np.array([1e20, 1.0, 1e-20]), np.array([1e3, 1e-13])
    exact = 1e-20 - 1e-26  # the last eigenvalue, to first order
    w = eigpack.eigvalsh_tridiagonal(d, e, tol=1e-300, device=DEVICE)
    assert abs(w[0] - exact) < 1e-9 * exact


def test_tridiagonal_batches(rng):
    d, e = rng.uniform(size=(3, 4, 20)), rng.uniform(size=(3, 4, 19))
    w = eigpack.eigvalsh_tridiagonal(d, e, device=DEVICE)
    low = eigpack.eigvalsh_tridiagonal(d, e, "i", (0, 2), bounds=True, device=DEVICE)
    assert w.shape == (3, 4, 20) and low.lower.shape == (3, 4, 3)
    for i in np.ndindex(3, 4):
        assert np.abs(w[i] - np.linalg.eigvalsh(np.diag(d[i]) + np.diag(e[i], 1) + np.diag(e[i], -1))).max() < 1e-14 * 20
        assert np.array_equal(w[i], eigpack.eigvalsh_tridiagonal(d[i], e[i], device=DEVICE))
        assert np.all(low.lower[i] <= w[i][:3]) and np.all(w[i][:3] <= low.upper[i])


@pytest.mark.parametrize("dtype", REAL)
def test_tridiagonal_pairs(rng, dtype):
    n = 60
    d, e = rng.uniform(size=(2, n)).astype(dtype), rng.uniform(size=(2, n - 1)).astype(dtype)
    w, v = eigpack.eigh_tridiagonal(d, e, device=DEVICE)
    full = np.stack([np.diag(x) + np.diag(y, 1) + np.diag(y, -1) for x, y in zip(d, e)])
    check_pairs(full, w, v)
    some = eigpack.eigh_tridiagonal(d[0], e[0], select="i", select_range=(5, 9), device=DEVICE)
    assert some.eigenvectors.shape == (n, 5) and alike(some.eigenvalues, w[0, 5:10])
    cut = (float(w[0, 9]) + float(w[0, 10])) / 2
    part = eigpack.eigh_tridiagonal(d[0], e[0], select="v", select_range=(-10, cut), device=DEVICE)
    assert part.eigenvectors.shape == (n, 10) and alike(part.eigenvectors, v[0][:, :10])
    assert np.array_equal(eigpack.eigh_tridiagonal(d, e, eigvals_only=True, device=DEVICE), eigpack.eigvalsh_tridiagonal(d, e, device=DEVICE))


def test_sturm_count():
    d, e, expected = laplacian(30)
    x = np.linspace(-1, 5, 24).reshape(2, 3, 4)
    counts = eigpack.sturm_count(d, e, x, device=DEVICE)
    assert counts.dtype == np.int64 and np.array_equal(counts, (expected < x[..., None]).sum(-1))
    assert eigpack.sturm_count(d, e, 2.1, device=DEVICE).shape == ()
    both = eigpack.sturm_count(np.stack([d, d + 1]), np.stack([e, e]), [[2.1], [2.1]], device=DEVICE)
    assert both.tolist() == [[(expected < 2.1).sum()], [(expected + 1 < 2.1).sum()]]


def test_same_bits_alone_and_in_a_batch(rng):
    a = made(rng, float, 50, 9, 9)
    w, pairs = eigpack.eigvals(a, device=DEVICE), eigpack.eigh(a, device=DEVICE)
    for i in (0, 17, 49):
        assert np.array_equal(w[i], eigpack.eigvals(a[i], device=DEVICE))
        assert np.array_equal(pairs.eigenvectors[i], eigpack.eigh(a[i], device=DEVICE).eigenvectors)


@pytest.mark.parametrize("shape", [(0, 0), (3, 0, 0), (0, 4, 4), (2, 0, 3, 3)])
def test_sizes_of_0(shape):
    a = np.zeros(shape)
    assert eigpack.eigvals(a, device=DEVICE).shape == shape[:-1]
    assert eigpack.eigvalsh(a, device=DEVICE).shape == shape[:-1]
    w, v = eigpack.eigh(a, device=DEVICE)
    assert w.shape == shape[:-1] and v.shape == shape
    n = shape[-1]
    d, e = np.zeros(shape[:-1]), np.zeros((*shape[:-2], max(n - 1, 0)))
    assert eigpack.eigvalsh_tridiagonal(d, e, device=DEVICE).shape == shape[:-1]
    w, v = eigpack.eigh_tridiagonal(d, e)
    assert w.shape == shape[:-1] and v.shape == shape
    assert eigpack.sturm_count(d, e, np.zeros((*shape[:-2], 0))).shape == (*shape[:-2], 0)


def test_sizes_of_0_in_other_places():
    assert eigpack.eigvals_affine(np.zeros((2, 3, 3)), np.zeros((0, 1))).shape == (0, 3)
    assert eigpack.eigvals_affine(np.zeros((2, 0, 0)), np.zeros((4, 1))).shape == (4, 0)
    assert eigpack.eigvals_affine(np.zeros((2, 3, 3)), np.zeros((0, 1)), "radius").shape == (0,)
    assert eigpack.sturm_count([], [], [1.0, 2.0]).tolist() == [0, 0]
    assert eigpack.eigvalsh_tridiagonal([4.0], []).tolist() == [4]


def test_results_can_be_pickled(rng):
    result = eigpack.eigh(np.eye(2))
    copy = pickle.loads(pickle.dumps(result))
    assert type(copy) is eigpack.EighResult and np.array_equal(copy.eigenvalues, result.eigenvalues)


def test_docstrings():
    for module in (eigpack, eigpack._patch, eigpack._about, eigpack._families, eigpack._errors):
        tried = doctest.testmod(module)
        assert tried.failed == 0 and tried.attempted > 0, module


def test_every_name_is_documented():
    for name in eigpack.__all__:
        assert getattr(eigpack, name).__doc__, name


@pytest.mark.skipif(platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc", reason="glibc's fenv_t of x86-64")
def test_flush_to_zero():
    libm = ctypes.CDLL("libm.so.6")
    usual, flushing = (ctypes.c_uint32 * 8)(), (ctypes.c_uint32 * 8)()
    a = np.diag(np.array([1, 0.01, 1e-40], np.float32))
    d, e = np.array([3, 1, 2], np.float32) * np.float32(1e-39), np.array([1, 2], np.float32) * np.float32(1e-39)
    answers = []
    assert libm.fegetenv(usual) == 0 and libm.fegetenv(flushing) == 0
    flushing[7] |= 0x8040  # MXCSR: subnormal numbers are zeros, as operands and as results
    for mode in (usual, flushing):
        assert libm.fesetenv(mode) == 0
        w, t, z = (eigpack.eigvalsh(a, device=DEVICE), eigpack.eigvalsh_tridiagonal(d, e, device=DEVICE),
                   eigpack.eigvals(a, device=DEVICE))
        now = (ctypes.c_uint32 * 8)()
        assert libm.fegetenv(now) == 0 and libm.fesetenv(usual) == 0
        assert now[7] & 0xffc0 == mode[7] & 0xffc0
        answers.append([x.tobytes() for x in (w, t, z)])
        assert w[0] == a[2, 2] and (t != 0).all()
    assert answers[0] == answers[1]
