"""NumPy's own tests with our functions in their places.

NumPy's eigvals and eig give real numbers where they can, before version 2.5, and eig and eigh keep subclasses of arrays: the
wrappers do so too.
"""

import eigpack
import numpy as np
import pytest

numpy_tests = pytest.importorskip("numpy.linalg.tests.test_linalg")
used = []
gives_real = np.linalg.eigvals(np.eye(1)).dtype.kind == "f"


def real_where_possible(a, w, *more):
    real = gives_real and np.asarray(a).dtype.kind != "c" and not w.imag.any()
    return [x.real if real else x for x in (w, *more)]


def numpy_eigvals(a):
    used.append("eigvals")
    return real_where_possible(a, eigpack.eigvals(a))[0]


def numpy_eig(a, result=type(np.linalg.eig(np.eye(1)))):
    used.append("eig")
    w, v = real_where_possible(a, *eigpack.eig(a))
    return result(w, kept_subclass(a, v))


def kept_subclass(a, x):
    return x.view(type(a)) if isinstance(a, np.ndarray) else x


def numpy_eigvalsh(a, UPLO="L"):
    used.append("eigvalsh")
    return eigpack.eigvalsh(a, UPLO)


def numpy_eigh(a, UPLO="L"):
    used.append("eigh")
    w, v = eigpack.eigh(a, UPLO)
    return eigpack.EighResult(w, kept_subclass(a, v))


@pytest.fixture(autouse=True)
def in_their_places(monkeypatch):
    used.clear()
    monkeypatch.setattr(np.linalg, "eigvals", numpy_eigvals)
    monkeypatch.setattr(np.linalg, "eig", numpy_eig)
    monkeypatch.setattr(np.linalg, "eigvalsh", numpy_eigvalsh)
    monkeypatch.setattr(np.linalg, "eigh", numpy_eigh)


class TestNumpyEigvals(numpy_tests.TestEigvals):
    """Among others that eigvals agrees with eig to six digits, of complex64 matrices too."""


class TestNumpyEig(numpy_tests.TestEig):
    pass


class TestNumpyEigvalshCases(numpy_tests.TestEigvalshCases):
    pass


class TestNumpyEigvalsh(numpy_tests.TestEigvalsh):
    pass


class TestNumpyEighCases(numpy_tests.TestEighCases):
    pass


class TestNumpyEigh(numpy_tests.TestEigh):
    pass


def test_ours_were_used():
    assert np.linalg.eigh(np.eye(2)).eigenvalues.tolist() == [1, 1] and used == ["eigh"]


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128, np.float32, np.float64])
@pytest.mark.parametrize("n", [2, 3, 10, 40])
def test_eigvals_are_those_of_eig(n, dtype):
    """Bit by bit, on a CPU, whatever else is wanted."""
    rng = np.random.default_rng(n)
    a = (rng.standard_normal((50, n, n)) + 1j * rng.standard_normal((50, n, n))).astype(np.complex128)
    a = a.astype(dtype) if np.dtype(dtype).kind == "c" else a.real.astype(dtype)
    w = eigpack.eigvals(a, device="cpu")
    for wanted in ({}, {"left": True}, {"return_info": True}):
        result = eigpack.eig(a, device="cpu", **wanted)
        found = result[0][0] if "return_info" in wanted else result[0]
        assert np.array_equal(found, w), wanted
