"""CuPy: results on the device, current stream, failures."""

import eigpack
import numpy as np
import pytest

cupy = pytest.importorskip("cupy")
try:
    cupy.cuda.runtime.getDeviceCount()
except cupy.cuda.runtime.CUDARuntimeError:
    pytest.skip("no GPU", allow_module_level=True)


def hermitian(dtype, *shape):
    rng = np.random.default_rng(3)
    x = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else 0)
    x = x.astype(dtype)
    return x + x.swapaxes(-1, -2).conj()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("n", [1, 3, 12, 40])
def test_eigh(dtype, n):
    host = hermitian(dtype, 6, n, n)
    a = cupy.asarray(host)
    for x in (a, cupy.ascontiguousarray(a.swapaxes(-1, -2)).swapaxes(-1, -2), a[::2], a[::-1]):
        w, v = eigpack.eigh(x)
        assert isinstance(v, cupy.ndarray) and v.dtype == dtype
        eps = np.finfo(dtype).eps
        assert float(cupy.abs(x @ v - v * w[..., None, :]).max()) <= 100 * n * eps
        assert float(cupy.abs(eigpack.eigvalsh(x, "U") - w).max()) <= 100 * n * eps


def test_others():
    a = cupy.asarray(hermitian(float, 5, 8, 8))
    w = eigpack.eigvals(a)
    assert isinstance(w, cupy.ndarray) and np.allclose(np.sort(w.get().real), eigpack.eigvalsh(a).get())
    d, e = a[:, 0].copy(), a[:, 1, 1:]
    assert np.allclose(eigpack.eigvalsh_tridiagonal(d, e).get(), eigpack.eigvalsh_tridiagonal(d.get(), e.get()))
    part = eigpack.eigvalsh_tridiagonal(d[0], e[0], "v", (0.0, 2.0))
    assert np.allclose(part.get(), eigpack.eigvalsh_tridiagonal(d[0].get(), e[0].get(), "v", (0.0, 2.0)))
    assert eigpack.sturm_count(d, e, d).get().tolist() == eigpack.sturm_count(d.get(), e.get(), d.get()).tolist()
    assert eigpack.eigvals(cupy.zeros((0, 3, 3))).shape == (0, 3)
    with pytest.raises(TypeError, match="complex128"):
        eigpack.eigh_tridiagonal(cupy.zeros(2, complex), cupy.zeros(1))


def test_stream_and_failures():
    a = cupy.asarray(hermitian(float, 50, 12, 12))
    expected = eigpack.eigvalsh(a)
    for _ in range(4):
        with cupy.cuda.Stream(non_blocking=True) as stream:
            w = eigpack.eigvalsh(a)
            stream.synchronize()
            assert np.array_equal(w.get(), expected.get())
    a[3, 0, 0] = np.nan
    assert np.isnan(eigpack.eigvalsh(a)[3].get()).all()
    with pytest.raises(eigpack.LinAlgError, match="1 of 50 matrices failed, the first at 3"):
        eigpack.eigvalsh(a, check=True)


def test_arrays_by_dlpack():
    class Foreign:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    a = cupy.asarray(hermitian(float, 4, 4))
    assert np.array_equal(eigpack.eigvalsh(Foreign(a)).get(), eigpack.eigvalsh(a).get())
