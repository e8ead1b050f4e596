"""Cases and certificates for the tests.  EIGPACK_TEST_DEVICE=cuda computes host arrays on a GPU."""

import itertools
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads of NumPy's that wait keep ours from the cores

import numpy as np  # noqa: E402
import pytest  # noqa: E402

import eigpack  # noqa: E402

DEVICE = os.environ.get("EIGPACK_TEST_DEVICE", "cpu")


@pytest.fixture
def beside(tmp_path):
    """A folder for copies of the extension, beside which the wheel's own libraries (auditwheel's eigpack.libs) lie as beside the package."""
    libraries = os.path.join(os.path.dirname(os.path.dirname(eigpack.__file__)), "eigpack.libs")
    if os.path.isdir(libraries):
        os.symlink(libraries, tmp_path / "eigpack.libs")
    return tmp_path


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


def alike(x, y):
    """Whether eigenvalues or eigenvectors (columns) are the same: bit by bit on the CPU, but for rounding and signs on a GPU,
    which serves few pairs of one matrix otherwise than all pairs of a batch."""
    if DEVICE == "cpu":
        return np.array_equal(x, y)
    signs = np.sign((x * y).sum(0)) if x.ndim == 2 else 1
    return x.shape == y.shape and np.abs(x * signs - y).max() <= 1e4 * np.finfo(x.dtype).eps


def arrangements(dimensions, pads=(0, 1, 3), signs=(1, -1)):
    """How an array may lie: its axes from the fastest on, gaps in their strides, the directions along them."""
    for order in itertools.permutations(range(dimensions)):
        for gaps in itertools.product(pads, repeat=dimensions):
            for ways in itertools.product(signs, repeat=dimensions):
                yield order, gaps, ways


def strided(a, order, gaps, ways):
    """A flat array, strides (in elements) and an offset at which a's elements lie in it, with NaN (else 99) between them."""
    strides, extent, offset = [0] * a.ndim, 1, 0
    for axis, gap, way in zip(order, gaps, ways):
        step, length = extent + gap, max(a.shape[axis], 1)
        extent += step * (length - 1)
        strides[axis] = step * way
        offset += step * (length - 1) * (way < 0)
    flat = np.full(extent + 1, a.dtype.type(np.nan if a.dtype.kind in "fc" else 99)).astype(a.dtype)
    view(flat, a.shape, strides, offset)[...] = a
    return flat, strides, offset


def view(flat, shape, strides, offset):
    """The array of this shape in a flat one; strides count elements."""
    return np.lib.stride_tricks.as_strided(flat[offset:], shape, [step * flat.itemsize for step in strides])


def arranged(a, order, gaps, ways):
    """a's elements in other memory."""
    flat, strides, offset = strided(a, order, gaps, ways)
    return view(flat, a.shape, strides, offset)


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
