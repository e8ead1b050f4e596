"""JAX: results, jit, vmap, derivatives, failures, on JAX's default device."""

import eigpack
import numpy as np
import pytest

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_default_matmul_precision", "highest")  # a GPU would multiply float32 with 10 bits
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

from eigpack import _core, _jax  # noqa: E402

traced = pytest.mark.skipif(bool(_jax.lacks()), reason=f"eigpack {_jax.lacks()}")


def made(dtype, *shape):
    rng = np.random.default_rng(5)
    x = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else 0)
    return jnp.asarray(x.astype(dtype))


def on_one_device(x):
    """x for the call without jit: a NumPy array, but on a GPU JAX's own, since devices differ in last bits."""
    return np.asarray(x) if jax.default_backend() == "cpu" else jnp.asarray(x)


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
    b = made(dtype, 5, 7, 7)
    w = wrap(eigpack.eigvals)(b)
    assert jnp.abs((w**2).sum(-1) - jnp.trace(b @ b, axis1=-2, axis2=-1)).max() < 1e3 * bound
    if np.dtype(dtype).kind == "f":
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


def every_output(a):
    return eigpack.eig(a, left=True)


GENERAL = {
    "eigvals": eigpack.eigvals,
    "eig": lambda a: tuple(eigpack.eig(a)),
    "left": lambda a: eigpack.eig(a, True, False),
    "both": every_output,
    "roots": lambda a: eigpack.roots(a[..., 0, :]),
}


@traced
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("name", GENERAL)
def test_derivatives_of_general_matrices(dtype, name):
    """Of what comes out itself: vectors have the norm 1 and a real largest entry before and after."""
    x, f = made(dtype, 2, 4, 4), GENERAL[name]
    check_grads(jax.jit(f), (x,), 1)
    check_grads(jax.vmap(jax.jit(f)), (x,), 1)
    for one, other in zip(jax.tree.leaves(jax.jit(f)(x)), jax.tree.leaves(f(on_one_device(x)))):
        assert jnp.allclose(one, other, rtol=1e-14) if name == "roots" else np.array_equal(one, other)


@traced
def test_second_derivatives_of_general_matrices():
    x = made(float, 3, 3)
    check_grads(jax.jit(lambda a: tuple(eigpack.eig(a))), (x,), 2)
    assert jax.hessian(lambda a: (eigpack.eigvals(a) ** 2).sum().real)(x).shape == (3, 3, 3, 3)


@traced
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_eig_under_jit(dtype):
    a = made(dtype, 3, 2, 7, 7)
    bound = 1e3 * np.finfo(dtype).eps
    w, vl, vr = jax.jit(every_output)(a)
    assert type(jax.jit(eigpack.eig)(a)) is eigpack.EigResult
    assert w.dtype == vr.dtype == np.result_type(dtype, np.complex64)
    assert jnp.abs(a @ vr - vr * w[..., None, :]).max() < bound
    adjoint = jnp.conj(jnp.swapaxes(vl, -1, -2))
    assert jnp.abs(adjoint @ a - w[..., :, None] * adjoint).max() < bound
    assert jnp.array_equal(jax.vmap(eigpack.eig)(a)[1], eigpack.eig(a)[1])
    assert jnp.array_equal(jax.jit(lambda a: eigpack.eig(a, True, False))(a)[1], vl)
    assert eigpack.eig(a[:0])[1].shape == (0, 2, 7, 7)
    assert jnp.isnan(jax.jit(lambda a: eigpack.eig(a)[1])(a.at[1, 0, 2, 2].set(jnp.nan))[1, 0]).all()


@traced
def test_derivatives_beside_jax():
    a = made(float, 3, 6, 6)
    ours = jax.grad(lambda a: (jnp.abs(eigpack.eigvals(a)) ** 3).sum())(a)
    theirs = jax.grad(lambda a: (jnp.abs(jnp.linalg.eigvals(a)) ** 3).sum())(a)
    assert jnp.allclose(ours, theirs, rtol=1e-9)
    identity = jnp.eye(4)
    assert jnp.allclose(jax.grad(lambda a: (eigpack.eigvals(a) ** 2).sum().real)(identity), 2 * identity)
    assert not jnp.isfinite(jax.grad(lambda a: jnp.abs(eigpack.eig(a)[1][:, 0]).sum())(identity)).all()


@traced
def test_no_gradient_is_lost():
    a = made(float, 3, 3)
    for f in (
        lambda d: eigpack.eigvalsh_tridiagonal(d, a[0, 1:], bounds=True)[0].sum(),
        lambda d: eigpack.eigh_tridiagonal(d, a[0, 1:])[0].sum(),
        lambda d: eigpack.eigvals_affine(a[None], d[:0][None], "radius").sum(),
    ):
        with pytest.raises(Exception, match="differentiat"):
            jax.grad(f)(a[0])
    with pytest.raises(TypeError, match="traced"):
        jax.jit(lambda d: eigpack.eigvalsh_tridiagonal(d, a[0, 1:], "v", (0.0, 1.0)))(a[0])


@traced
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_tridiagonal_under_jit(dtype, n):
    d, e = made(dtype, 4, n), made(dtype, 4, n - 1)
    host = np.asarray(d), np.asarray(e)
    bound, last = 100 * np.finfo(dtype).eps, n - 1
    for chosen in ({}, {"select": "i", "select_range": (n // 2, last)}):
        w, lower, upper = jax.jit(lambda d, e: eigpack.eigvalsh_tridiagonal(d, e, bounds=True, **chosen))(d, e)
        assert w.dtype == dtype and np.abs(w - eigpack.eigvalsh_tridiagonal(*host, **chosen)).max() < bound
        assert jnp.all(lower <= w) and jnp.all(w <= upper)
        w, v = jax.jit(lambda d, e: eigpack.eigh_tridiagonal(d, e, **chosen))(d, e)
        assert v.dtype == dtype and v.shape == (4, n, w.shape[-1])
        assert np.abs(w - eigpack.eigh_tridiagonal(*host, **chosen).eigenvalues).max() < bound
        up = jnp.pad(e, ((0, 0), (0, 1)))[..., None]
        product = d[..., None] * v + up * jnp.roll(v, -1, 1) + jnp.roll(up, 1, 1) * jnp.roll(v, 1, 1)
        assert jnp.abs(product - v * w[:, None, :]).max() < 10 * n * bound
        one = jax.vmap(lambda d, e: eigpack.eigh_tridiagonal(d, e, **chosen).eigenvectors, in_axes=(0, 1))(d, e.T)
        assert jnp.array_equal(one, v)
    x = jnp.linspace(-3, 3, 10).reshape(5, 2).astype(dtype)
    expected = eigpack.sturm_count(*host, np.broadcast_to(x, (4, 5, 2)))
    counts = jax.jit(eigpack.sturm_count)(d, e, jnp.broadcast_to(x, (4, 5, 2)))
    assert counts.dtype == jnp.int64 and np.array_equal(counts, expected)
    assert np.array_equal(jax.vmap(eigpack.sturm_count, in_axes=(0, 0, None))(d, e, x), expected)


@traced
@pytest.mark.parametrize("measure", [None, "abscissa", "radius", "damping"])
@pytest.mark.parametrize("dtype", [float, complex])
def test_affine_under_jit(measure, dtype):
    a, x = made(dtype, 2, 3, 4, 4), made(float, 2, 5, 6, 2)
    f = lambda a, x: eigpack.eigvals_affine(a, x, measure)  # noqa: E731
    expected = np.stack([[f(b, y) for y in x] for b in a])  # family, points' block: on concrete arrays, one by one
    if measure:
        assert np.allclose(expected[0], f(np.asarray(a[0]), np.asarray(x)), rtol=1e-9)
    else:
        traces = jnp.trace(a, axis1=-2, axis2=-1)  # of A_0 + x_1 A_1 + x_2 A_2
        assert np.allclose(expected[0].sum(-1), traces[0, 0] + x @ traces[0, 1:])
    jitted = jax.jit(f)(a[0], x)
    assert jitted.dtype == expected.dtype and np.array_equal(jitted, expected[0])
    assert np.array_equal(jax.vmap(f, in_axes=(None, 0))(a[1], x), expected[1])
    assert np.array_equal(jax.vmap(f, in_axes=(0, None))(a, x[1]), expected[:, 1])
    assert np.array_equal(jax.vmap(f)(a, x), [expected[0, 0], expected[1, 1]])
    every = jax.jit(jax.vmap(jax.vmap(f, in_axes=(None, 0)), in_axes=(0, None)))(a, x)
    assert np.array_equal(every, expected)
    swapped = jax.vmap(jax.vmap(f, in_axes=(0, None)), in_axes=(None, 0))(a, x)
    assert np.array_equal(swapped, expected.swapaxes(0, 1))


@traced
def test_subnormal_numbers_under_jit():
    """XLA's threads on a CPU flush them to zero."""
    a = np.diag(np.array([1, 0.01, 1e-40], np.float32))
    w = np.asarray(jax.jit(eigpack.eigvalsh)(a))
    assert np.array_equal(w, eigpack.eigvalsh(on_one_device(a))) and w[0] == a[2, 2]
    batch = np.tile(a, (500, 1, 1))  # on several threads
    assert np.array_equal(np.asarray(jax.jit(eigpack.eigvalsh)(batch)), np.tile(w, (500, 1)))


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


def test_failures_of_tridiagonal_matrices():
    d, e = jnp.array([[1.0, 2.0], [jnp.nan, 2.0]]), jnp.ones((2, 1))
    for call in (eigpack.eigvalsh_tridiagonal, eigpack.eigh_tridiagonal):
        with pytest.raises(eigpack.LinAlgError, match="NaN or an infinity"):
            call(d, e, check=True)
        assert np.isnan(call(d, e, check_finite=False)[-1]).any()
    with pytest.raises(eigpack.LinAlgError, match="1 of 2"):
        eigpack.sturm_count(d, e, d, check=True)
    with pytest.raises(eigpack.LinAlgError, match="1 of 3"):
        eigpack.eigvals_affine(jnp.ones((2, 1, 1)), jnp.array([[1.0], [jnp.inf], [0.0]]), check=True)
    for call, text in (
        (lambda: eigpack.eigvalsh_tridiagonal(d, d), "one element less"),
        (lambda: eigpack.eigh_tridiagonal(d, e, select="i", select_range=(1, 2)), "0 <= min <= max < 2"),
        (lambda: eigpack.eigvalsh_tridiagonal(d, e, "v", (0.0, 1.0)), "one matrix"),
        (lambda: eigpack.sturm_count(d, e, jnp.zeros(3)), "leading dimensions"),
        (lambda: eigpack.eigvals_affine(jnp.ones((2, 1, 1)), jnp.ones((3, 2))), "shape"),
        (lambda: eigpack.eigvals_affine(jnp.ones((2, 1, 1)), jnp.ones((3, 1)), "speed"), "measure"),
    ):
        with pytest.raises(ValueError, match=text):
            call()


def test_failures():
    a = jnp.tile(jnp.eye(3), (4, 1, 1)).at[1, 0, 0].set(jnp.nan)
    with pytest.raises(eigpack.LinAlgError, match="1 of 4 matrices failed, the first at 1"):
        eigpack.eigvalsh(a, check=True)
    assert jnp.isnan(eigpack.eigvalsh(a, check=False)).any(-1).tolist() == [False, True, False, False]
    with pytest.raises(TypeError, match="float8"):
        eigpack.eigvals(jnp.zeros((2, 2), jnp.float8_e5m2))
    assert np.sort_complex(eigpack.eigvals(jnp.diag(jnp.array([2j, 1.0])))).tolist() == [2j, 1.0]
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


def test_options_of_concrete_arrays():
    a = hermitian(float, 3, 6, 6)
    (w, v), told = eigpack.eigh(a, method="jacobi", return_info=True)
    assert isinstance(v, jax.Array) and isinstance(told.sweeps, jax.Array) and told.info.tolist() == [0, 0, 0]
    assert (told.sweeps > 0).all() and np.abs(np.asarray(w) - np.linalg.eigvalsh(np.asarray(a))).max() < 1e-13
    d, e = jnp.full((2, 1, 5), 2.0), jnp.full((3, 4), -1.0)
    _, told = eigpack.eigh_tridiagonal(d, e, return_info=True)
    assert told.residual.shape == (2, 3, 5) and told.isuppz.shape == (2, 3, 5, 2) and told.stats["blocks"] == 1
    some = eigpack.eigh(a[0], subset_by_value=(float(w[0, 0] + w[0, 1]) / 2, float(w[0, 2] + w[0, 3]) / 2))
    assert some.eigenvalues.shape == (2,) and some.eigenvectors.shape == (6, 2)
    assert eigpack.eigvals(a, balance=False, max_steps=500).shape == (3, 6)
    with pytest.raises(TypeError, match="JAX's traced arrays"):
        jax.jit(lambda a: eigpack.eigh(a, method="jacobi"))(a)
    with pytest.raises(TypeError, match="JAX's traced arrays"):
        jax.vmap(lambda a: eigpack.eigvals(a, return_info=True))(a)


@traced
def test_subset_by_index_under_jit_and_grad():
    a = hermitian(float, 3, 6, 6)
    w, v = eigpack.eigh(a)
    some = jax.jit(lambda a: eigpack.eigh(a, subset_by_index=(1, 3)))(a)
    assert np.array_equal(some.eigenvalues, w[:, 1:4]) and np.array_equal(some.eigenvectors, v[:, :, 1:4])
    gradient = jax.grad(lambda a: eigpack.eigvalsh(a, subset_by_index=(0, 0)).sum())(a)
    assert np.abs(gradient - np.einsum("bi,bj->bij", v[:, :, 0], v[:, :, 0])).max() < 1e-12
    with pytest.raises(ValueError, match="subset_by_index is .* 0 <= min <= max < 6"):
        eigpack.eigvalsh(a, subset_by_index=(0, 6))


@traced
def test_diagonals_broadcast_under_jit():
    rng = np.random.default_rng(4)
    d, e, x = rng.uniform(size=(2, 1, 5)), rng.uniform(size=(3, 4)), rng.uniform(size=(2, 3, 4))
    for call, *arrays in ((eigpack.eigvalsh_tridiagonal, d, e), (eigpack.eigh_tridiagonal, d, e), (eigpack.sturm_count, d, e, x)):
        expected, result = call(*map(on_one_device, arrays)), jax.jit(call)(*map(jnp.asarray, arrays))
        assert all(np.array_equal(one, other) for one, other in zip(result, expected))
    with pytest.raises(eigpack.LinAlgError, match="1 of 6 matrices failed, the first at 4") as caught:
        eigpack.eigh_tridiagonal(jnp.asarray(np.broadcast_to(d, (2, 3, 5))).at[1, 1, 0].set(jnp.nan), jnp.asarray(e), check=True)
    assert (caught.value.count, caught.value.first) == (1, 4)


def test_a_runtime_older_than_the_headers(monkeypatch):
    for found in (_jax.lacks, _jax.targets):
        found.cache_clear()
    try:
        monkeypatch.setattr(_core, "jax_targets", lambda: {"some": None})
        monkeypatch.setattr(_core, "jax_interface", lambda: (99, 0))
        assert eigpack.eigvalsh(jnp.eye(2)).tolist() == [1, 1]
        with pytest.raises(TypeError, match="eigpack was built with the headers of a newer jaxlib than .*: eigvalsh does not serve JAX's"):
            jax.jit(eigpack.eigvalsh)(jnp.eye(2))
    finally:
        for found in (_jax.lacks, _jax.targets):
            found.cache_clear()
