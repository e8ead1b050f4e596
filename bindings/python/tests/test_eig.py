"""eig, roots and complex eigvals beside NumPy: shapes, layouts, left and right vectors, condition numbers, failures."""

import warnings

import numpy as np
import pytest
from conftest import DEVICE

import eigpack


def draw(rng, dtype, *shape):
    a = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.standard_normal(shape)
    return a.astype(dtype)


def check_right(a, w, v):
    tolerance = 10 * a.shape[-1] * np.finfo(w.dtype).eps * np.linalg.norm(a, axis=(-2, -1))[..., None, None]
    assert np.all(np.abs(a @ v - v * w[..., None, :]) <= tolerance)
    assert np.allclose(np.linalg.norm(v, axis=-2), 1)
    size = np.abs(v) / np.abs(v).max(-2, keepdims=True)
    first = (size >= 1 - 2**-10).argmax(-2)[..., None, :]  # of the large components the first decides
    decides = np.take_along_axis(v, first, -2)
    border = np.abs(size - (1 - 2**-10)).min(-2) <= 1e-6
    assert np.all(((np.abs(decides.imag) <= 1e-6) & (decides.real > 0))[..., 0, :] | border)


def check_left(a, w, v):
    adjoint = np.conj(np.swapaxes(v, -1, -2))
    tolerance = 10 * a.shape[-1] * np.finfo(w.dtype).eps * np.linalg.norm(a, axis=(-2, -1))[..., None, None]
    assert np.all(np.abs(adjoint @ a - w[..., :, None] * adjoint) <= tolerance)


# Matrices of shape (., ., n, n) by rows, by columns, with the batch fastest, and side by side; each is used as it is and transposed.
ARRANGED = [
    np.ascontiguousarray,
    np.asfortranarray,
    lambda x: np.moveaxis(np.ascontiguousarray(np.moveaxis(x, (2, 3), (0, 1))), (0, 1), (2, 3)),
    lambda x: np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 2, 0)), 0, 2),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("n", [1, 2, 5, 17, 66])
def test_eig(rng, dtype, n):
    a = draw(rng, dtype, 3, 2, n, n)
    layouts = [lay(a) for lay in ARRANGED] + [lay(a.swapaxes(-1, -2)).swapaxes(-1, -2) for lay in ARRANGED]
    for x in layouts:
        result = eigpack.eig(x, device=DEVICE)
        assert type(result) is eigpack.EigResult
        check_right(a, *result)
        w, vl, vr = eigpack.eig(x, left=True, device=DEVICE)
        assert w.dtype == np.result_type(dtype, np.complex64) and vl.shape == vr.shape == a.shape
        check_right(a, w, vr)
        check_left(a, w, vl)
        w, vl = eigpack.eig(x, True, False, device=DEVICE)
        check_left(a, w, vl)
        only = eigpack.eig(x, False, False, device=DEVICE)
        ours, theirs = np.sort_complex(only.round(3)), np.sort_complex(np.linalg.eigvals(a).round(3))
        assert np.allclose(ours, theirs, atol=2e-2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("n", [2, 5, 17, 66])
def test_memory_order(rng, dtype, n):
    """The order in memory never chooses the answer: the same bits."""
    a = draw(rng, dtype, 3, 2, n, n) * np.geomspace(1, 1e4, n, dtype=dtype)
    first = eigpack.eigvals(a, device=DEVICE), *eigpack.eig(a, True, device=DEVICE), *(eigpack.schur(a) if DEVICE == "cpu" else ())
    for x in (lay(y) for lay in ARRANGED for y in (a, a.swapaxes(-1, -2))):
        x = x if np.array_equal(x, a) else x.swapaxes(-1, -2)
        other = eigpack.eigvals(x, device=DEVICE), *eigpack.eig(x, True, device=DEVICE), *(eigpack.schur(x) if DEVICE == "cpu" else ())
        assert all(map(np.array_equal, first, other))
    one = eigpack.eig(a[0, 0], device=DEVICE)
    assert all(map(np.array_equal, one, eigpack.eig(np.asfortranarray(a[0, 0]), device=DEVICE)))
    w = eigpack.eigvals(a[0, 0], device=DEVICE)
    assert np.array_equal(w, eigpack.eigvals(np.asfortranarray(a[0, 0]), device=DEVICE))


@pytest.mark.parametrize("p", [[0, 0, 0, 1, 4, 1, 0], [], [0, 0], [0, 0, 7], [0.0], [5.0], [0, 1, -3, 2], [0, 1j, 2, 0, 0]])
def test_roots_of_one_as_numpy(p):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = eigpack.roots(p, device=DEVICE)
    assert x.dtype == np.complex128 and np.allclose(np.sort_complex(x), np.sort_complex(np.roots(p)), atol=1e-14)
    x, told = eigpack.roots(np.array(p, np.complex64), return_info=True, device=DEVICE)
    assert x.dtype == np.complex64 and len(x) == len(np.roots(p)) and told.info == 0


def test_roots_of_a_batch_have_one_degree():
    p = np.ones((2, 3, 4))
    p[1, 1, 0] = p[1, 2, 0] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(eigpack.LinAlgError, match="^2 of 6 polynomials failed, the first at 4: the first coefficient is 0") as caught:
            eigpack.roots(p, device=DEVICE)
        assert (caught.value.count, caught.value.first) == (2, 4)
        lost = np.isnan(eigpack.roots(p, device=DEVICE, check=False))
        assert np.array_equal(lost.all(-1), p[..., 0] == 0) and np.array_equal(lost.any(-1), p[..., 0] == 0)
        _, told = eigpack.roots(p, device=DEVICE, return_info=True)
        assert np.array_equal(told.info == -1, p[..., 0] == 0)
    assert eigpack.roots([[0], [3]], device=DEVICE).shape == (2, 0)
    assert eigpack.roots(np.ones((0, 3)), device=DEVICE).shape == (0, 2)


@pytest.mark.parametrize("dtype", [np.float64, np.complex64])
def test_vectors_lie_by_rows(rng, dtype):
    """As NumPy's, whatever the order of the matrices."""
    for lead in ((), (1,), (3, 2)):
        a = draw(rng, dtype, *lead, 5, 5)
        for x in (a, a.swapaxes(-1, -2), np.asfortranarray(a)):
            w, vl, vr = eigpack.eig(x, left=True, device=DEVICE)
            for v in (vl, vr, eigpack.eig(x).eigenvectors, eigpack.eig(x, device=DEVICE).eigenvectors):
                assert v.flags.c_contiguous and v.flags.owndata, (lead, v.strides)
            check_right(x, w, vr)
            check_left(x, w, vl)
            check_right(x, *eigpack.eig(x))


def test_condition(rng):
    a = draw(rng, float, 4, 6, 6)
    (w, vl, vr), told = eigpack.eig(a, left=True, return_info=True, device=DEVICE)
    assert np.allclose(told.condition, np.abs(np.sum(np.conj(vl) * vr, axis=-2)))
    assert told.info.tolist() == [0] * 4
    assert np.allclose(eigpack.eig([[1.0, 3.0], [0.0, 2.0]], return_info=True, device=DEVICE)[1].condition, 10**-0.5)


def test_complex_eigvals(rng):
    a = draw(rng, np.complex128, 7, 12, 12)
    w = eigpack.eigvals(a, device=DEVICE)
    assert np.allclose(np.sort_complex(w), np.sort_complex(np.linalg.eigvals(a)))
    assert eigpack.eigvals(a.astype(np.complex64), device=DEVICE).dtype == np.complex64


def test_failures(rng):
    a = draw(rng, float, 3, 4, 4)
    a[1, 2, 2] = np.nan
    with pytest.raises(eigpack.LinAlgError) as error:
        eigpack.eig(a, device=DEVICE)
    assert error.value.count == 1 and error.value.first == 1
    w, v = eigpack.eig(a, check=False, device=DEVICE)
    assert np.isnan(v[1]).all() and np.isnan(w[1]).all()
    check_right(a[::2], w[::2], v[::2])
    with pytest.raises(TypeError, match="left is 1: use True or False"):
        eigpack.eig(a[0], 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("n", [0, 1, 2, 5, 17, 66])
def test_schur(rng, dtype, n):
    a = draw(rng, dtype, 3, 2, n, n)
    layouts = [lay(a) for lay in ARRANGED] + [lay(a.swapaxes(-1, -2)).swapaxes(-1, -2) for lay in ARRANGED]
    bound = 10 * max(n, 1) * np.finfo(dtype).eps
    for x in layouts:
        for output in ("real", "complex"):
            t, z = eigpack.schur(x, output)
            is_real = output == "real" and np.dtype(dtype).kind == "f"
            assert t.shape == z.shape == a.shape and t.dtype == z.dtype == (dtype if is_real else np.result_type(dtype, np.complex64))
            adjoint = np.conj(np.swapaxes(z, -1, -2))
            assert np.all(np.linalg.norm(z @ t @ adjoint - a, axis=(-2, -1)) <= bound * np.linalg.norm(a, axis=(-2, -1)))
            assert np.all(np.linalg.norm(adjoint @ z - np.eye(n), axis=(-2, -1)) <= bound)
            assert np.all(np.tril(t, -2 if is_real else -1) == 0)
    (t, _), told = eigpack.schur(a, return_info=True)
    assert type(eigpack.schur(a)) is eigpack.SchurResult and told.info.tolist() == np.zeros((3, 2)).tolist()


def test_schur_failures(rng):
    a = draw(rng, float, 3, 4, 4)
    a[1, 2, 2] = np.nan
    with pytest.raises(eigpack.LinAlgError, match="1 of 3 matrices failed, the first at 1"):
        eigpack.schur(a)
    t, z = eigpack.schur(a, check=False)
    assert np.isnan(t[1]).all() and np.isnan(z[1]).all() and np.isfinite(t[::2]).all()
    with pytest.raises(ValueError, match="output is 'r': use 'real' or 'complex'"):
        eigpack.schur(a, "r")


def test_empty():
    w, v = eigpack.eig(np.zeros((0, 3, 3)), device=DEVICE)
    assert w.shape == (0, 3) and v.shape == (0, 3, 3)
    w, v = eigpack.eig(np.zeros((2, 0, 0)), device=DEVICE)
    assert w.shape == (2, 0) and v.shape == (2, 0, 0)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_roots_of_single_coefficients(dtype):
    """Of widely ranging coefficients, solved in double: nearly all are as good as a single root can be."""
    rng = np.random.default_rng(5)
    p = (10 ** rng.uniform(-6, 6, (200, 21)) * rng.choice([-1, 1], (200, 21))).astype(dtype)
    z = eigpack.roots(p, device=DEVICE)
    assert z.dtype == np.complex64
    z = z.astype(complex)
    powers = np.arange(20, -1, -1)
    terms = p[:, None, :].astype(complex) * z[..., None] ** powers
    sizes = (np.abs(p[:, None, :].astype(complex)) * np.abs(z[..., None]) ** powers).sum(-1)
    errors = (np.abs(terms.sum(-1)) / sizes).max(-1)  # the backward error of each polynomial's worst root
    assert (errors < 25 * np.finfo(np.float32).eps).mean() > 0.95, np.quantile(errors, [0.5, 0.9, 0.95])


def test_roots(rng):
    known = rng.standard_normal((50, 5)) + 1j * rng.standard_normal((50, 5))
    p = np.array([leading * np.poly(k) for leading, k in zip(1j - rng.standard_normal(50), known)])
    found = eigpack.roots(p, device=DEVICE)
    assert np.abs(np.sort_complex(found) - np.sort_complex(known)).max() < 1e-8
    one = [2.0, -6.0, 4.0, 0.0]
    assert np.allclose(np.sort_complex(eigpack.roots(one, device=DEVICE)), [0, 1, 2])
    assert 0 in eigpack.roots(one, device=DEVICE)
    assert eigpack.roots([[1, 2]], device=DEVICE).tolist() == [[-2]]
    assert eigpack.roots([3.0], device=DEVICE).shape == (0,)
    assert eigpack.roots(np.ones((2, 4), np.float32), device=DEVICE).dtype == np.complex64
    for bad in (np.array(1.0), np.zeros((2, 0))):
        with pytest.raises(ValueError, match="p must have shape"):
            eigpack.roots(bad, device=DEVICE)
    with pytest.raises(eigpack.LinAlgError, match="^the first coefficient is 0, but"):
        eigpack.roots([[0.0, 1.0, 2.0]], device=DEVICE)
