"""JAX: results, jit, vmap, derivatives, failures, on JAX's default device."""

import eigpack
import numpy as np
import pytest

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_default_matmul_precision", "highest")  # a GPU would multiply float32 with 10 bits
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

from eigpack import _core  # noqa: E402

traced = pytest.mark.skipif(not _core.jax_targets(), reason="built without XLA's headers")


def made(dtype, *shape):
    rng = np.random.default_rng(5)
    x = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else 0)
    return jnp.asarray(x.astype(dtype))


def hermitian(dtype, *shape):
    x = made(dtype, *shape)
    return x + x.swapaxes(-1, -2).conj()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("wrap", [lambda f: f, pytest.param(jax.jit, marks=traced)])
def test_eigh(dtype, wrap):
    a = hermitian(dtype, 3, 4, 9, 9)
    bound = 1e3 * np.finfo(dtype).eps
    for uplo in "LU":
        result = wrap(lambda a: eigpack.eigh(a, uplo))(a)
        w, v = result
        assert type(result) is eigpack.EighResult and isinstance(v, jax.Array) and v.dtype == dtype
        assert jnp.abs(a @ v - v * w[..., None, :]).max() < bound
        assert jnp.abs(wrap(lambda a: eigpack.eigvalsh(a, uplo))(a) - w).max() < bound
    if np.dtype(dtype).kind == "f":
        b = made(dtype, 5, 7, 7)
        w = wrap(eigpack.eigvals)(b)
        assert jnp.abs((w**2).sum(-1) - jnp.trace(b @ b, axis1=-2, axis2=-1)).max() < 1e3 * bound
        d, e = made(dtype, 3, 20), made(dtype, 3, 19)
        expected = eigpack.eigvalsh_tridiagonal(np.asarray(d), np.asarray(e))
        assert jnp.abs(wrap(eigpack.eigvalsh_tridiagonal)(d, e) - expected).max() < bound


@traced
def test_vmap():
    a = hermitian(float, 5, 4, 4)
    assert jnp.array_equal(jax.vmap(eigpack.eigvalsh)(a), eigpack.eigvalsh(a))
    assert jnp.array_equal(jax.jit(jax.vmap(eigpack.eigvals, in_axes=2))(a.transpose(1, 2, 0)), eigpack.eigvals(a))
    d, e = made(float, 6, 8), made(float, 7)
    w = jax.vmap(eigpack.eigvalsh_tridiagonal, in_axes=(0, None))(d, e)
    assert jnp.array_equal(w, eigpack.eigvalsh_tridiagonal(d, jnp.broadcast_to(e, (6, 7))))


@traced
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_derivatives(dtype):
    x = made(dtype, 2, 4, 4)
    both = lambda x: x + x.swapaxes(-1, -2).conj()  # noqa: E731
    check_grads(lambda x: eigpack.eigvalsh(both(x)), (x,), 2)
    check_grads(lambda x: jnp.abs(eigpack.eigh(both(x)).eigenvectors) ** 2, (x,), 1)
    check_grads(jax.vmap(lambda x: eigpack.eigvalsh(both(x))), (x,), 1)


@traced
def test_no_gradient_is_lost():
    a = made(float, 3, 3)
    with pytest.raises(Exception, match="differentiat"):
        jax.grad(lambda a: jnp.abs(eigpack.eigvals(a)).sum())(a)
    with pytest.raises(TypeError, match="traced"):
        jax.grad(lambda d: eigpack.eigvalsh_tridiagonal(d, a[0, 1:], bounds=True)[0].sum())(a[0])


def test_others():
    d, e = np.full(6, 2.0), np.full(5, -1.0)
    x, y = jnp.asarray(d), jnp.asarray(e)
    w, lower, upper = eigpack.eigvalsh_tridiagonal(x, y, bounds=True)
    assert isinstance(lower, jax.Array) and jnp.all(lower <= w) and jnp.all(w <= upper)
    assert eigpack.eigvalsh_tridiagonal(x, y, "i", (1, 2)).shape == (2,)
    assert eigpack.sturm_count(x, y, jnp.asarray([2.0])).tolist() == [3]
    assert eigpack.eigvals_affine(jnp.ones((2, 1, 1)), jnp.ones((3, 1)), "abscissa").tolist() == [2, 2, 2]
    assert jnp.abs(eigpack.eigh_tridiagonal(x, y).eigenvalues - w).max() < 1e-14
    assert eigpack.eigvals(jnp.zeros((0, 3, 3))).shape == (0, 3)
    assert eigpack.eigh(jnp.zeros((2, 0, 0))).eigenvectors.shape == (2, 0, 0)
    assert eigpack.eigvalsh(jnp.eye(2, dtype=int)).dtype == jnp.float64


def test_failures():
    a = jnp.tile(jnp.eye(3), (4, 1, 1)).at[1, 0, 0].set(jnp.nan)
    with pytest.raises(eigpack.LinAlgError, match="1 of 4 matrices failed, the first at 1"):
        eigpack.eigvalsh(a, check=True)
    assert jnp.isnan(eigpack.eigvalsh(a, check=False)).any(-1).tolist() == [False, True, False, False]
    with pytest.raises(TypeError, match="float16"):
        eigpack.eigvals(jnp.zeros((2, 2), jnp.float16))
    with pytest.raises(TypeError, match="complex128"):
        eigpack.eigvals(jnp.zeros((2, 2), complex))
    with pytest.raises(ValueError, match="UPLO"):
        eigpack.eigvalsh(a, "X")
    with pytest.raises(np.linalg.LinAlgError, match="square"):
        eigpack.eigvals(jnp.zeros((2, 3)))
    with pytest.raises(ValueError, match="device_put"):
        eigpack.eigvals(a, device="cuda")


@traced
def test_failures_of_traced_arrays():
    a = jnp.tile(jnp.eye(3), (4, 1, 1)).at[1, 0, 0].set(jnp.nan)
    assert jnp.isnan(jax.jit(eigpack.eigvalsh)(a)).any(-1).tolist() == [False, True, False, False]
    with pytest.raises(ValueError, match="traces"):
        jax.jit(lambda a: eigpack.eigvalsh(a, check=True))(a)
