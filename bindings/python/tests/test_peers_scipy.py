"""SciPy's own tests of tridiagonal matrices with our functions in their places; LAPACK's drivers by name stay SciPy's."""

import eigpack
import pytest

scipy_tests = pytest.importorskip("scipy.linalg.tests.test_decomp")
used = []


@pytest.fixture(autouse=True)
def in_their_places(monkeypatch):
    used.clear()
    for name in ("eigvalsh_tridiagonal", "eigh_tridiagonal"):
        monkeypatch.setattr(scipy_tests, name, by_driver(name, getattr(scipy_tests, name)))


def by_driver(name, original):
    def function(*arguments, lapack_driver="auto", **options):
        if lapack_driver not in ("auto", "stebz", "stemr"):
            return original(*arguments, lapack_driver=lapack_driver, **options)
        used.append(name)
        return getattr(eigpack, name)(*arguments, **options)

    return function


class TestScipyEigTridiagonal(scipy_tests.TestEigTridiagonal):
    def test_ours_were_used(self):
        self.test_eigh_tridiagonal()
        assert "eigh_tridiagonal" in used
