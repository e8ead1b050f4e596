"""Arrays: element types, layouts in place, memory that must not be written, and what is refused."""

import tracemalloc

import eigpack
import numpy as np
import pytest
from conftest import DEVICE, check_pairs, hermitian, made, same_spectrum
from eigpack import _layout


def layouts(a):
    """The same matrices (3 of order 5) in memory of every kind: name, array, whether the library takes it in place."""
    batch, n = a.shape[:2]
    yield "row-major", a.copy(), True
    yield "column-major", np.ascontiguousarray(a.swapaxes(-1, -2)).swapaxes(-1, -2), True
    padded = np.full((batch, n + 1, n + 3), np.nan, a.dtype)
    padded[:, :n, :n] = a
    yield "padded", padded[:, :n, :n], True
    yield "padded columns", padded_columns(a), True
    strided = np.full((2 * batch, n, n), np.nan, a.dtype)
    strided[::2] = a
    yield "every second", strided[::2], True
    fastest = np.ascontiguousarray(np.moveaxis(a, 0, -1))
    yield "batch fastest", np.moveaxis(fastest, -1, 0), True
    yield "batch fastest, transposed", np.moveaxis(np.ascontiguousarray(a.transpose(2, 1, 0)), -1, 0).swapaxes(-1, -2), True
    side = np.ascontiguousarray(a.transpose(1, 0, 2))
    yield "side by side", side.transpose(1, 0, 2), True
    yield "side by side, columns", np.ascontiguousarray(a.transpose(2, 0, 1)).transpose(1, 2, 0), True
    wide = np.full((batch, n, 2 * n), np.nan, a.dtype)
    wide[:, :, ::2] = a
    yield "every second column", wide[:, :, ::2], False
    yield "reversed rows", np.ascontiguousarray(a[:, ::-1])[:, ::-1], False
    yield "reversed all", np.ascontiguousarray(a[::-1, ::-1, ::-1])[::-1, ::-1, ::-1], False
    yield "reversed batch", np.ascontiguousarray(a[::-1])[::-1], False
    yield "other byte order", a.astype(a.dtype.newbyteorder()), True
    unaligned = np.zeros(a.nbytes + 1, np.uint8)[1:].view(a.dtype).reshape(a.shape)
    unaligned[...] = a
    yield "unaligned", unaligned, True
    record = np.zeros(a.shape, [("pad", np.int8), ("x", a.dtype)])
    record["x"] = a
    yield "field of a record", record["x"], True
    locked = a.copy()
    locked.flags.writeable = False
    yield "read-only", locked, True
    yield "list", a.tolist(), True
    yield "memoryview", memoryview(a.copy()), True


def padded_columns(a):
    """Columns with something between."""
    padded = np.full((a.shape[0], a.shape[2] + 2, a.shape[1] + 4), np.nan, a.dtype)
    padded[:, : a.shape[2], : a.shape[1]] = a.swapaxes(-1, -2)
    return padded[:, : a.shape[2], : a.shape[1]].swapaxes(-1, -2)


NAMES = [name for name, _, _ in layouts(np.zeros((3, 5, 5)))]


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("name", NAMES)
def test_layouts(rng, name, dtype):
    a = hermitian(rng, dtype, 3, 5, 5)
    x = next(x for other, x, _ in layouts(a) if other == name)
    before = np.array(x)
    expected = eigpack.eigvalsh(a, device=DEVICE)
    for uplo in "LU":
        w, v = eigpack.eigh(x, uplo, device=DEVICE)
        check_pairs(a, w, v)
        assert np.abs(eigpack.eigvalsh(x, uplo, device=DEVICE) - expected).max() < 1e-13
    if dtype == np.float64:
        general = made(rng, dtype, 3, 5, 5)
        y = next(y for other, y, _ in layouts(general) if other == name)
        for one, of in zip(eigpack.eigvals(y, device=DEVICE), general):
            assert same_spectrum(one, np.linalg.eigvals(of), 1e-12)
    assert np.array_equal(np.array(x), before)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("list", "memoryview", "field of a record")])
def test_place_reads_the_right_elements(name):
    a = np.arange(75.0).reshape(3, 5, 5)
    _, x, in_place = next(case for case in layouts(a) if case[0] == name)
    where = _layout.place(x.shape, tuple(s // x.itemsize for s in x.strides))
    assert (where is not None) == in_place
    if where is None:
        return
    flat = np.lib.stride_tricks.as_strided(x, (10**4,), (x.itemsize,), writeable=False)
    for b, i, j in np.ndindex(3, 5, 5):
        r, c = (j, i) if where.transposed else (i, j)
        offset = {
            "M": r + c * where.lda + b * where.stride,
            "E": (r * where.lda + c) * where.stride + b,
            "R": r * where.stride + b * where.lda + c,
        }[where.layout]
        assert offset == sum(k * s // x.itemsize for k, s in zip((b, i, j), x.strides))
    del flat


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
    assert eigpack.eigvals_affine(np.ones((2, 1, 1), np.float32), np.ones((3, 1))).dtype == np.complex128


@pytest.mark.parametrize("dtype", [np.float16, np.longdouble, np.clongdouble, object, "U3", "M8[s]"])
def test_refused_types(dtype):
    a = np.zeros((2, 2), dtype)
    for call in (eigpack.eigvals, eigpack.eigvalsh, eigpack.eigh):
        with pytest.raises(TypeError, match=str(a.dtype).replace("[", r"\[").split("<")[-1]):
            call(a)


def test_complex_input_where_only_real_is_served():
    with pytest.raises(TypeError, match="complex64"):
        eigpack.eigvals(np.zeros((2, 2), np.complex64))
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
