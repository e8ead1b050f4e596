"""Errors: what is raised, what it says, that it travels."""

import pickle

import eigpack
import numpy as np
import pytest
from conftest import DEVICE
from eigpack import _core


def spoiled():
    a = np.tile(np.diag([1.0, 2.0]), (5, 1, 1))
    a[2, 0, 0] = np.nan
    a[4, 1, 1] = np.inf
    return a


@pytest.mark.parametrize("call", [eigpack.eigvals, eigpack.eigvalsh, eigpack.eigh])
def test_failures_of_a_batch(call):
    with pytest.raises(np.linalg.LinAlgError, match="2 of 5 matrices failed, the first at 2: .*NaN") as caught:
        call(spoiled(), device=DEVICE)
    assert type(caught.value) is eigpack.LinAlgError
    assert (caught.value.count, caught.value.first) == (2, 2)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value) and (copy.count, copy.first) == (2, 2)
    result = call(spoiled(), device=DEVICE, check=False)
    w = result.eigenvalues if isinstance(result, tuple) else result
    assert np.isnan(w).any(-1).tolist() == [False, False, True, False, True]
    assert np.array_equal(np.sort(w[0].real), [1, 2])
    assert call(spoiled()[:2], device=DEVICE, check=True) is not None


def test_failure_of_one():
    with pytest.raises(eigpack.LinAlgError, match="^the input holds a NaN or an infinity$"):
        eigpack.eigvals([[np.nan]])


def test_tridiagonal_failures():
    d, e = np.array([1.0, np.inf, 2.0]), np.zeros(2)
    for call in (eigpack.eigvalsh_tridiagonal, eigpack.eigh_tridiagonal):
        with pytest.raises(ValueError, match="NaN or an infinity"):
            call(d, e)
        quiet = call(d, e, check_finite=False)
        assert np.isnan(quiet[0]).all()
        quiet = call(d, e, check=False)
        assert np.isnan(quiet[0]).all()
    with pytest.raises(eigpack.LinAlgError):
        eigpack.sturm_count(d, e, [0.0])
    assert eigpack.sturm_count(d, e, [0.0], check=False).tolist() == [-1]
    with pytest.raises(eigpack.LinAlgError):
        eigpack.eigvals_affine([[[np.nan]]], np.zeros((2, 0)))


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (4, 2, 3)])
def test_not_square(shape):
    for call in (eigpack.eigvals, eigpack.eigvalsh, eigpack.eigh):
        with pytest.raises(np.linalg.LinAlgError, match="square"):
            call(np.zeros(shape))


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: eigpack.eigvalsh(np.eye(2), "X"), "UPLO is 'X'"),
        (lambda: eigpack.eigvals_affine(np.zeros((2, 2, 2)), np.zeros((3, 2))), "shape"),
        (lambda: eigpack.eigvals_affine(np.zeros((2, 2, 2)), 1.0), "shape"),
        (lambda: eigpack.eigvals_affine(np.zeros((1, 2, 2)), np.zeros((3, 0)), "speed"), "measure is 'speed'"),
        (lambda: eigpack.eigvals_affine(np.zeros((1, 0, 0)), np.zeros((3, 0)), "radius"), "order 0"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1, 2]), "one element less"),
        (lambda: eigpack.eigvalsh_tridiagonal([[1, 2]], [1]), "leading dimensions"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "x"), "select is 'x'"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "i"), "pair"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "i", (0, 2)), "0 <= min <= max < 2"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "i", (-1, 1)), "0 <= min"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "i", (0.5, 1)), "integers"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "i", (0, np.inf)), "integers"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "i", (np.nan, 1)), "integers"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "v", (1, 1)), "below"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "v", (np.nan, 1)), "below"),
        (lambda: eigpack.eigvalsh_tridiagonal([[1, 2]], [[1]], "v", (0, 1)), "one matrix"),
        (lambda: eigpack.eigh_tridiagonal([[1, 2]], [[1]], select="v", select_range=(0, 1)), "one matrix"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], tol=-1.0), "abstol"),
        (lambda: eigpack.sturm_count([[1, 2]], [[1]], [0.0, 0.0]), "leading dimensions"),
        (lambda: eigpack.eigvals(np.eye(2), device="gpu"), "unknown device"),
        (lambda: eigpack.eigvals(np.eye(2), device=""), "unknown device"),
        (lambda: eigpack.describe("gpu"), "unknown device"),
        (lambda: eigpack.set_threads(-1), "0 to 65536"),
    ],
)
def test_refused_values(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_device_is_a_name():
    with pytest.raises(TypeError, match="device is 0: use a name"):
        eigpack.eigvals(np.eye(2), device=0)


def test_device_error():
    with pytest.raises(eigpack.DeviceError) as caught:
        eigpack.eigvals(np.eye(2), device="cuda:9999")
    assert str(caught.value)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is eigpack.DeviceError and str(copy) == str(caught.value)


def test_memory_error():
    """A workspace beyond the address space is refused before anything is read."""
    n = 2**24
    assert _core.heev_work("cpu", "d", "M", "L", True, n, True, 1) > 2**48
    with pytest.raises(MemoryError, match="workspace"):
        _core.heev("cpu", 0, 0, 0, "d", "M", "L", True, n, 64, n, n * n, 64, 64, 1, 0)


def test_usable_after_errors():
    with pytest.raises(ValueError):
        eigpack.eigvalsh_tridiagonal([1, 2], [1], tol=-1.0)
    assert eigpack.eigvalsh(np.eye(2)).tolist() == [1, 1]
