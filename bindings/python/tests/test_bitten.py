"""What users of other libraries were bitten by (docs/accuracy/trust.md).  EIGPACK_TEST_DEVICE=cuda computes on a GPU."""

import numpy as np
import pytest

import eigpack
from conftest import DEVICE, hermitian, made


def off(a, w, v):
    """The larger of the two measures of heev's promise, in n eps, of the worst matrix."""
    n, eps = a.shape[-1], np.finfo(w.dtype).eps
    wide = v.astype(complex)
    residual = np.linalg.norm(a @ wide - wide * w[..., None, :], axis=(-2, -1)) / np.linalg.norm(a, axis=(-2, -1))
    skew = np.linalg.norm(wide.conj().swapaxes(-1, -2) @ wide - np.eye(n), axis=(-2, -1))
    return max(residual.max(), skew.max()) / (n * eps)


def test_no_call_depends_on_those_before(rng):
    """pytorch/pytorch#192483: eigh of 512 complex64 matrices of n = 40 gave other results after calls with other numbers of matrices."""
    a = hermitian(rng, np.complex64, 512, 40, 40)
    w, v = eigpack.eigh(a, device=DEVICE)
    assert off(a, w, v) <= 10
    for batch in (1, 3, 100, 511, 513, 2048):
        eigpack.eigh(hermitian(rng, np.complex64, batch, 40, 40), device=DEVICE)
        again = eigpack.eigh(a, device=DEVICE)
        assert np.array_equal(again[0], w) and np.array_equal(again[1], v), batch


def test_batches_of_changing_size(rng):
    """ROCm/rocm-libraries#9118: eigenvectors of near-singular matrices, in batches of changing size, belonged to other matrices."""
    thin = made(rng, np.float64, 300, 12, 9)
    a = thin @ thin.swapaxes(-1, -2)  # rank 9
    w, v = eigpack.eigh(a, device=DEVICE, same_bits_in_batches=True)
    assert off(a, w, v) <= 10
    for batch in (1, 300, 2, 150, 299, 7, 64, 65):
        part = eigpack.eigh(a[:batch].copy(), device=DEVICE, same_bits_in_batches=True)
        assert np.array_equal(part[0], w[:batch]) and np.array_equal(part[1], v[:batch]), batch


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_very_many_small_matrices(rng, dtype):
    """mjlab#732: 40,000 and more 3 x 3 matrices in one call."""
    for batch in (39_999, 40_000, 65_535, 65_536, 200_000):
        a = hermitian(rng, dtype, batch, 3, 3)
        w, v = eigpack.eigh(a, device=DEVICE)
        assert (np.diff(w) >= 0).all() and off(a, w, v) * 3 <= 40, batch


def test_two_million_matrices(rng):
    """cupy/cupy#7261: 2,078,879 complex64 matrices 2 x 2 overflowed a workspace that was counted in 32 bits."""
    a = hermitian(rng, np.complex64, 2_078_879, 2, 2)
    w = eigpack.eigvalsh(a, device=DEVICE)
    middle, half = (a[:, 0, 0] + a[:, 1, 1]).real / 2, (a[:, 0, 0] - a[:, 1, 1]).real / 2
    radius = np.hypot(half.astype(float), np.abs(a[:, 1, 0]))
    exact = np.stack([middle - radius, middle + radius], -1)
    assert np.abs(w - exact).max() <= 40 * np.finfo(np.float32).eps * np.linalg.norm(a, axis=(-2, -1)).max()


def test_eigenvalues_are_not_the_diagonal():
    """cupy/cupy#4847: for some 3 x 3 matrices the eigenvalues were the sorted diagonal."""
    np.random.seed(1)
    for _ in range(3):
        a = np.random.normal(size=(2, 3, 3))
        w = eigpack.eigvalsh(a, device=DEVICE)
        assert np.abs(w - np.linalg.eigvalsh(a)).max() <= 1e-14


def test_small_beside_large(rng):
    """A matrix of small numbers in a batch of large ones keeps its digits: nothing is scaled by the whole batch."""
    a = hermitian(rng, np.float64, 100, 8, 8)
    w = eigpack.eigvalsh(a, device=DEVICE)
    a[1::2] *= 2.0**400
    assert np.array_equal(eigpack.eigvalsh(a, device=DEVICE)[::2], w[::2])


def test_one_bad_matrix_spoils_no_other(rng):
    """A NaN in one matrix of a batch is told, and every other matrix has the bits that it has without it."""
    a = made(rng, np.float64, 1000, 6, 6)
    w, v = eigpack.eig(a, device=DEVICE)
    a[500, 2, 3] = np.nan
    (w2, v2), info = eigpack.eig(a, device=DEVICE, return_info=True)
    assert info.info[500] == -1 and np.isnan(w2[500]).all() and np.count_nonzero(info.info) == 1
    others = np.arange(1000) != 500
    assert np.array_equal(w2[others], w[others]) and np.array_equal(v2[others], v[others])
