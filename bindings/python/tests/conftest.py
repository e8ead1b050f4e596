"""Cases and certificates for the tests.  EIGPACK_TEST_DEVICE=cuda computes host arrays on a GPU."""

import os

import numpy as np
import pytest

DEVICE = os.environ.get("EIGPACK_TEST_DEVICE", "cpu")


@pytest.fixture
def rng():
    return np.random.default_rng(20240601)


def made(rng, dtype, *shape):
    """Random entries; complex where the type is."""
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def hermitian(rng, dtype, *shape):
    """Random Hermitian matrices."""
    x = made(rng, dtype, *shape)
    return x + x.swapaxes(-1, -2).conj()


def eps_of(dtype):
    return np.finfo(np.dtype(dtype)).eps


def same_spectrum(w, expected, bound):
    """Whether two lists of complex numbers agree, each number matched with its nearest."""
    w, expected = list(np.ravel(w)), list(np.ravel(expected))
    if len(w) != len(expected):
        return False
    for x in w:
        nearest = min(expected, key=lambda y: abs(x - y))
        if not abs(x - nearest) <= bound:
            return False
        expected.remove(nearest)
    return True


def check_pairs(a, w, v):
    """Residual and orthogonality of eigenpairs."""
    n, eps = a.shape[-1], eps_of(a.dtype)
    norm = np.abs(a).sum(axis=-1).max(axis=-1, initial=0)[..., None, None]
    assert v.dtype == a.dtype
    assert np.all(np.abs(a @ v - v * w[..., None, :]) <= 10 * n * eps * norm)
    identity = v.swapaxes(-1, -2).conj() @ v
    assert np.all(np.abs(identity - np.eye(n)) <= 10 * n * eps)
    assert np.all(np.diff(w) >= 0)
