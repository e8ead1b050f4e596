"""NumPy's own tests with our functions in their places.

What is not ours goes to the original: complex input of eigvals.  NumPy's eigvals gives real numbers where it can, before
version 2.5, and eigh keeps subclasses of arrays: the wrappers do so too.
"""

import eigpack
import numpy as np
import pytest
from conftest import same_spectrum

numpy_tests = pytest.importorskip("numpy.linalg.tests.test_linalg")
used = []
gives_real = np.linalg.eigvals(np.eye(1)).dtype.kind == "f"


def numpy_eigvals(a, original=np.linalg.eigvals):
    if np.asarray(a).dtype.kind == "c":
        return original(a)
    used.append("eigvals")
    w = eigpack.eigvals(a)
    return w.real if gives_real and not w.imag.any() else w


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
    monkeypatch.setattr(np.linalg, "eigvalsh", numpy_eigvalsh)
    monkeypatch.setattr(np.linalg, "eigh", numpy_eigh)


class TestNumpyEigvals(numpy_tests.TestEigvals):
    def do(self, a, b, tags):
        """As theirs, but in any order: ours is that of the transposed matrix."""
        ev, evalues = np.linalg.eigvals(a), np.linalg.eig(a).eigenvalues
        assert ev.shape == evalues.shape
        bound = 1e-10 if ev.dtype.char in "dD" else 1e-4
        n = ev.shape[-1]
        for w, expected in zip(np.reshape(ev, (-1, n)) if n else (), np.reshape(evalues, (-1, n)) if n else ()):
            assert same_spectrum(w, expected, bound * np.abs(expected).max())


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
