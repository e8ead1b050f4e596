"""NumPy's own tests within patched_numpy, and what is routed there."""

import eigpack
import numpy as np
import pytest
from conftest import DEVICE

numpy_tests = pytest.importorskip("numpy.linalg.tests.test_linalg")
polynomial_tests = pytest.importorskip("numpy.lib.tests.test_polynomial")


@pytest.fixture(autouse=True)
def in_their_places():
    with eigpack.patched_numpy(DEVICE):
        yield


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


class TestNumpySVDHermitian(numpy_tests.TestSVDHermitian):
    pass


class TestNumpyPinvHermitian(numpy_tests.TestPinvHermitian):
    pass


class TestNumpyPolynomial(polynomial_tests.TestPolynomial):
    pass


def test_ours_were_used():
    for name in ("eig", "eigh", "eigvals", "eigvalsh"):
        before = eigpack.routed().get(f"numpy.linalg.{name}", {}).get("eigpack", 0)
        getattr(np.linalg, name)(np.eye(2))
        assert eigpack.routed()[f"numpy.linalg.{name}"]["eigpack"] == before + 1


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
