"""SciPy's own tests within patched_numpy; LAPACK's drivers by name stay SciPy's."""

import eigpack
import pytest
from conftest import DEVICE

scipy_tests = pytest.importorskip("scipy.linalg.tests.test_decomp")


@pytest.fixture(autouse=True)
def in_their_places():
    with eigpack.patched_numpy(DEVICE):
        yield


class TestScipyEigVals(scipy_tests.TestEigVals):
    pass


class TestScipyEig(scipy_tests.TestEig):
    pass


class TestScipyEigh(scipy_tests.TestEigh):
    test_deprecation_results = None  # of arguments that eigpack leaves to SciPy 1.10: another sign


class TestScipyOverwrite(scipy_tests.TestOverwrite):
    """None of ours writes its input."""


class TestScipyEigTridiagonal(scipy_tests.TestEigTridiagonal):
    def test_ours_were_used(self):
        before = {name: outcomes.get("eigpack", 0) for name, outcomes in eigpack.routed().items()}
        self.test_eigh_tridiagonal()
        assert eigpack.routed()["scipy.linalg.eigh_tridiagonal"]["eigpack"] > before.get("scipy.linalg.eigh_tridiagonal", 0)
