"""Arrays: element types, batches, DLPack, and what is refused; test_layouts.py has the layouts."""

import tracemalloc

import eigpack
import numpy as np
import pytest
from conftest import DEVICE, hermitian, made


def test_batches_of_several_dimensions(rng):
    a = made(rng, float, 2, 3, 4, 6, 6)
    w = eigpack.eigvals(a, device=DEVICE)
    for x in (a.transpose(2, 0, 1, 3, 4), a[:, ::2], a[::-1]):
        index = {24: np.s_[:]}.get(x.size // 36, np.s_[:])
        assert eigpack.eigvals(x, device=DEVICE).shape == x.shape[:-1], index
    assert np.array_equal(eigpack.eigvals(a.transpose(2, 0, 1, 3, 4), device=DEVICE), w.transpose(2, 0, 1, 3))
    assert np.array_equal(eigpack.eigvals(a[:, ::2], device=DEVICE), w[:, ::2])
    assert np.array_equal(eigpack.eigvals(a[::-1], device=DEVICE), w[::-1])
    same = np.broadcast_to(a[0, 0, 0], (4, 6, 6))
    assert np.array_equal(eigpack.eigvals(same, device=DEVICE), np.broadcast_to(w[0, 0, 0], (4, 6)))


def test_order_1(rng):
    a = made(rng, float, 7, 1, 1)
    assert np.array_equal(eigpack.eigvals(a)[:, 0], a[:, 0, 0])
    assert np.array_equal(eigpack.eigvals(a[::2])[:, 0], a[::2, 0, 0])
    assert np.array_equal(eigpack.eigvals(a[::-1])[:, 0], a[::-1, 0, 0])
    assert np.array_equal(eigpack.eigh(a).eigenvectors ** 2, np.ones((7, 1, 1)))


def test_tridiagonal_strides(rng):
    d, e = rng.uniform(size=(4, 10)), rng.uniform(size=(4, 9))
    w = eigpack.eigvalsh_tridiagonal(d, e, device=DEVICE)
    wide = np.zeros((8, 25))
    wide[::2, :10] = d
    assert np.array_equal(eigpack.eigvalsh_tridiagonal(wide[::2, :10], e, device=DEVICE), w)
    assert np.array_equal(eigpack.eigvalsh_tridiagonal(np.asfortranarray(d), np.asfortranarray(e), device=DEVICE), w)
    assert np.array_equal(eigpack.eigvalsh_tridiagonal(d[::-1], e[::-1], device=DEVICE), w[::-1])
    assert np.array_equal(eigpack.eigvalsh_tridiagonal(d[2], e[2], device=DEVICE), w[2])
    assert np.array_equal(eigpack.sturm_count(wide[::2, :10], e, w), np.broadcast_to(np.arange(10), (4, 10)) + (
        eigpack.sturm_count(d, e, w) - np.arange(10)))
    pairs = eigpack.eigh_tridiagonal(wide[::2, :10], e)
    assert np.array_equal(pairs.eigenvalues, eigpack.eigh_tridiagonal(d, e).eigenvalues)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.int32, np.int64, np.uint64])
def test_integers_become_double(dtype):
    a = np.array([[1, 0], [0, 1]], dtype)
    assert eigpack.eigvals(a).dtype == np.complex128
    assert eigpack.eigvalsh(a).tolist() == [1, 1]
    assert eigpack.eigvalsh_tridiagonal(a[0], a[0, :1]).dtype == np.float64


def test_mixed_types_become_double():
    d, e = np.ones(3, np.float32), np.ones(2)
    assert eigpack.eigvalsh_tridiagonal(d, e).dtype == np.float64
    assert eigpack.eigvalsh_tridiagonal(d, np.ones(2, np.int8)).dtype == np.float64
    assert eigpack.sturm_count(d, e, np.zeros(2, np.float32)).tolist() == [1, 1]
    points = [1 - 1e-12, 1 + 1e-12]  # they are not rounded to d's type
    assert eigpack.sturm_count(d[:1], np.empty(0, np.float32), points).tolist() == [0, 1]
    assert eigpack.eigvals_affine(np.ones((2, 1, 1), np.float32), np.ones((3, 1))).dtype == np.complex128


@pytest.mark.parametrize("dtype", [np.longdouble, np.clongdouble, object, "U3", "M8[s]"])
def test_refused_types(dtype):
    a = np.zeros((2, 2), dtype)
    for call in (eigpack.eigvals, eigpack.eig, eigpack.eigvalsh, eigpack.eigh):
        with pytest.raises(TypeError, match=str(a.dtype).replace("[", r"\[").split("<")[-1]):
            call(a)


def test_complex_input_where_only_real_is_served():
    with pytest.raises(TypeError, match="complex128"):
        eigpack.eigvalsh_tridiagonal(np.zeros(2, complex), np.zeros(1))


class Foreign:
    """An array of a library that is not known: DLPack and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Spaced(Foreign):
    """The same with a name space to come home to."""

    def __array_namespace__(self):
        import types

        return types.SimpleNamespace(from_dlpack=lambda x: Spaced(np.from_dlpack(x)))


def test_arrays_by_dlpack(rng):
    a = hermitian(rng, float, 4, 4)
    assert np.array_equal(eigpack.eigvalsh(Foreign(a)), eigpack.eigvalsh(a))
    result = eigpack.eigh(Spaced(a))
    assert type(result) is eigpack.EighResult and type(result.eigenvectors) is Spaced
    assert np.array_equal(result.eigenvectors.array, eigpack.eigh(a).eigenvectors)


def test_no_copy_of_a_large_batch():
    a = np.zeros((400_000, 10, 10))  # 320 MB; pages of zeros, touched by reading alone
    eigpack.eigvalsh(a[:2])
    tracemalloc.start()
    w = eigpack.eigvalsh(a)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert w.nbytes == 32_000_000 and peak < w.nbytes + 1_000_000
